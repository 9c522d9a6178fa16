/* fp32 and fp64 against the machine's own arithmetic, result and flags, in its four rounding modes. Where that is
 * SSE, NaNs too: the instructions are written out, so that the operands stand in the order that decides between two
 * NaNs. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "tests/support/machine.h"
#include "tests.h"
#include "tests/support/suites.h"

static void compare_with_machine(comparison *b, const bnd_format *f, uint64_t seed, uint64_t i)
{
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL, BND_OP_DIV, BND_OP_SQRT, BND_OP_FMA};
    const bnd_format *const from[] = {f, f, f};
    bnd_operation operation = operations[i % 6];
    uint64_t codes[BND_OPERANDS_MAX] = {0};
    bndi_stratified_operands(codes, operation, from, seed, i);
    int direction = (int)(i / 6 % MACHINE_DIRECTIONS);
    machine_answer want = machine_operate(operation, f->width, codes, direction);
    if (!want.known) {
        skip_test("the processor's fused multiply-add");
        return;
    }
    bnd_rule rule = machine_rule(direction);
    bnd_result got = bndi_call_operation(f, operation, codes, rule, 0);
    if (comparison_note(b, machine_agrees(f, got, want))) {
        print_call(operation, from, codes, f, rule, 0);
        print_results(got, (bnd_result){.code = want.code, .flags = want.flags});
    }
}

static void test_machine(void)
{
    comparison b;
    comparison_open(&b, "the machine's operations");
    bnd_format formats[] = {format_named("fp32"), format_named("fp64")};
    uint64_t count = scaled(2000000); /* 10^6 of each */
    for (uint64_t i = 0; i < count; i++) {
        compare_with_machine(&b, &formats[i % 2], 37, i / 2);
    }
    comparison_close(&b);
}

/* What the C library computes exactly: the remainder, integers, exponents, neighbours. Values; flags are the oracle's
 * to judge. */
static double by_library(bnd_operation operation, const double *x)
{
    switch (operation) {
    case BND_OP_REM:
        return remainder(x[0], x[1]);
    case BND_OP_RINT:
        return rint(x[0]);
    case BND_OP_LOGB:
        return logb(x[0]);
    case BND_OP_NEXT_UP:
        return nextafter(x[0], (double)INFINITY);
    case BND_OP_NEXT_DOWN:
        return nextafter(x[0], -(double)INFINITY);
    default:
        return fmin(x[0], x[1]);
    }
}

static void test_library(void)
{
    static const bnd_operation operations[] = {BND_OP_REM,     BND_OP_RINT,      BND_OP_LOGB,
                                               BND_OP_NEXT_UP, BND_OP_NEXT_DOWN, BND_OP_MIN_NUMBER};
    comparison b;
    comparison_open(&b, "the C library's functions");
    bnd_format fp64 = format_named("fp64");
    const bnd_format *const from[] = {&fp64, &fp64, &fp64};
    uint64_t count = scaled(100000);
    for (uint64_t i = 0; i < count; i++) {
        bnd_operation operation = operations[i % 6];
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        bndi_stratified_operands(codes, operation, from, 43, i);
        double x[] = {bndi_double_of_bits(codes[0]), bndi_double_of_bits(codes[1])};
        double want = by_library(operation, x),
               got = bndi_double_of_bits(bndi_call_operation(&fp64, operation, codes, (bnd_rule){0}, 0).code);
        bool zeros = operation == BND_OP_MIN_NUMBER && want == 0.0;                      /* C does not say which zero */
        bool signaling = operation == BND_OP_MIN_NUMBER && (isnan(x[0]) || isnan(x[1])); /* nor what becomes of these */
        bool same = isnan(want) ? isnan(got) : got == want && (zeros || !signbit(got) == !signbit(want));
        if (comparison_note(&b, same || signaling)) {
            print_call(operation, from, codes, &fp64, (bnd_rule){0}, 0);
            printf("    %a, want %a\n", got, want);
        }
    }
    comparison_close(&b);
}

CU_TestInfo hardware_tests[] = {
    {"operations", test_machine},
    {"the C library", test_library},
    CU_TEST_INFO_NULL,
};
