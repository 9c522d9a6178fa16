/* The oracle's operations: against the processor and the C library, which know nothing of it, and against answers that
 * are written down. */
#include <math.h>
#include <stdio.h>

#include "tests/support/machine.h"
#include "verify/operands.h"
#include "tests/support/operands.h"
#include "tests.h"
#include "tests/support/suites.h"

static bnd_result ask(const bnd_format *f, const char *operation, const uint64_t *codes, bnd_rule rule)
{
    const bnd_format *const from[] = {f, f, f};
    bnd_result r = {0};
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_oracle_operate(&r, f, operation, from, codes, rule, 0, &why), BND_OK);
    return r;
}

static void test_machine(void)
{
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL, BND_OP_DIV, BND_OP_SQRT, BND_OP_FMA};
    bnd_format formats[] = {format_named("fp32"), format_named("fp64")};
    uint64_t different = 0, compared = 0, count = scaled(60000);
    for (uint64_t i = 0; i < count; i++) {
        const bnd_format *f = &formats[i % 2], *const from[] = {f, f, f};
        bnd_operation operation = operations[i / 2 % 6];
        int direction = (int)(i / 12 % MACHINE_DIRECTIONS);
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        bndi_stratified_operands(codes, operation, from, 53, i);
        machine_answer want = machine_operate(operation, f->width, codes, direction);
        if (!want.known) {
            skip_test("the processor's fused multiply-add");
            continue;
        }
        compared++;
        bnd_result got = {0};
        bnd_error why;
        bnd_status status =
            bnd_oracle_operate(&got, f, bnd_operation_name(operation), from, codes, machine_rule(direction), 0, &why);
        if ((status != BND_OK || !machine_agrees(f, got, want)) && different++ < 5) {
            printf("%s %s 0x%llx 0x%llx 0x%llx: oracle 0x%llx flags %u, machine 0x%llx flags %u\n", f->name,
                   bnd_operation_name(operation), (unsigned long long)codes[0], (unsigned long long)codes[1],
                   (unsigned long long)codes[2], (unsigned long long)got.code, (unsigned)got.flags,
                   (unsigned long long)want.code, (unsigned)want.flags);
        }
    }
    CU_ASSERT(compared > 0);
    CU_ASSERT_EQUAL(different, 0);
}

/* Values only; C leaves some flags, and which zero fmin gives, to the library. */
static double by_library(const char *operation, double x, double y)
{
    switch (operation[0]) {
    case 'r':
        return operation[1] == 'e' ? remainder(x, y) : rint(x);
    case 'l':
        return logb(x);
    case 's':
        return ldexp(x, 3);
    default:
        return nextafter(x, operation[5] == 'u' ? (double)INFINITY : -(double)INFINITY);
    }
}

static void test_library(void)
{
    static const char *const operations[] = {"rem", "rint", "logb", "scalb", "next_up", "next_down"};
    bnd_format fp64 = format_named("fp64");
    const bnd_format *const from[] = {&fp64, &fp64, &fp64};
    uint64_t different = 0, count = scaled(30000);
    for (uint64_t i = 0; i < count; i++) {
        const char *operation = operations[i % 6];
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        bndi_stratified_operands(codes, BND_OP_REM, from, 59, i);
        double x = bndi_double_of_bits(codes[0]), y = bndi_double_of_bits(codes[1]);
        codes[1] = i % 6 == 3 ? 3 : codes[1];
        bnd_result r = {0};
        bnd_error why;
        bnd_status status = bnd_oracle_operate(&r, &fp64, operation, from, codes, (bnd_rule){0}, 0, &why);
        double want = by_library(operation, x, y), got = bndi_double_of_bits(r.code);
        bool same = isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
        if ((status != BND_OK || !same) && different++ < 5) {
            printf("%s %a %a: oracle %a, library %a\n", operation, x, y, got, want);
        }
    }
    CU_ASSERT_EQUAL(different, 0);
}

/* The functions as their definitions read, by the C library. */
static double defined(const char *operation, double x)
{
    const double pi = 3.141592653589793;
    switch (operation[0]) {
    case 'e':
        return operation[1] == 'x' ? exp(x) : erf(x);
    case 'l':
        return log(x);
    case 't':
        return tanh(x);
    case 's':
        return 1 / (1 + exp(-x));
    case 'r':
        return operation[1] == 's' ? 1 / sqrt(x) : 1 / x;
    default:
        return operation[4] == '\0' ? x * erfc(-x / sqrt(2.0)) / 2
                                    : x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))) / 2;
    }
}

/* From 2^-20 to 2^5. The library's functions, and the definitions in doubles, are right to 2^-46 of the
 * answer, of gelu (which takes a difference) of the operand: enough to tell the functions apart. */
static void test_elementary(void)
{
    static const char *const operations[] = {"exp",  "log",       "tanh",  "sigmoid",   "erf",
                                             "gelu", "gelu_tanh", "rsqrt", "reciprocal"};
    bnd_format fp64 = format_named("fp64");
    uint64_t different = 0, count = scaled(9000);
    for (uint64_t i = 0; i < count; i++) {
        const char *operation = operations[i % 9];
        uint64_t random = bnd_random(61, 1, i);
        double x = ldexp(1 + (double)(random >> 12) * 0x1p-52, (int)(random % 26) - 20);
        bool takes_negative = operation[0] != 'l' && operation[1] != 's';
        x = takes_negative && (random >> 8 & 1) != 0 ? -x : x;
        double got =
            bndi_double_of_bits(ask(&fp64, operation, (uint64_t[]){bndi_bits_of_double(x)}, (bnd_rule){0}).code);
        double want = defined(operation, x), size = operation[0] == 'g' ? fabs(x) : fabs(want);
        if (!(fabs(got - want) <= 0x1p-46 * size) && different++ < 5) {
            printf("%s %a: oracle %a, library %a\n", operation, x, got, want);
        }
    }
    CU_ASSERT_EQUAL(different, 0);
}

static void test_known(void)
{
    bnd_format fp16 = format_named("fp16"), e4m3 = format_named("e4m3"), e8m0 = format_named("e8m0");
    const bnd_rule rule = {0}, down = {.rounding = BND_ROUND_RDN};
    const uint64_t one[] = {0x3c00, 0xbc00, 0x7e01}, zeros[] = {0, 0, 0}, top[] = {0x7e, 0x40, 0};
    const uint64_t invalid[] = {0x7c00, 0, 0x7e01};
    CU_ASSERT_EQUAL(ask(&fp16, "add", one, rule).code, 0x0000);
    CU_ASSERT_EQUAL(ask(&fp16, "add", one, down).code, 0x8000);
    CU_ASSERT_EQUAL(ask(&fp16, "sub", one, rule).code, 0x4000);
    CU_ASSERT_EQUAL(ask(&fp16, "div", zeros, rule).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(ask(&fp16, "logb", zeros, rule).flags, BND_FLAG_DIVBYZERO);
    CU_ASSERT_EQUAL(ask(&fp16, "logb", zeros, rule).code, 0xfc00);
    CU_ASSERT_EQUAL(ask(&fp16, "fma", invalid, rule).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(ask(&fp16, "fma", invalid, (bnd_rule){.nan = BND_NAN_X86}).flags, 0);
    CU_ASSERT_EQUAL(ask(&fp16, "min", one, rule).code, 0xbc00);
    CU_ASSERT_EQUAL(ask(&fp16, "max_number", one, rule).code, 0x3c00);
    CU_ASSERT_EQUAL(ask(&fp16, "ulp", one, rule).code, 0x1400);
    CU_ASSERT_EQUAL(ask(&e4m3, "mul", top, rule).code, 0x7f); /* 448 * 2 */
    CU_ASSERT_EQUAL(ask(&e4m3, "mul", top, rule).flags, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT);
    CU_ASSERT_EQUAL(ask(&e8m0, "next_down", zeros, rule).code, 0xff); /* nothing below 2^-127 */
}

static void test_names(void)
{
    bnd_format fp16 = format_named("fp16");
    const bnd_format *const from[] = {&fp16, &fp16, &fp16};
    const uint64_t codes[] = {0x3c00, 0x3c00, 0x3c00};
    bnd_result r = {.code = 77};
    bnd_error why;
    for (int i = 0; i < BND_OP_COUNT; i++) {
        const char *name = bnd_operation_name((bnd_operation)i);
        CU_ASSERT_EQUAL(bnd_oracle_operate(&r, &fp16, name, from, codes, (bnd_rule){0}, 0, &why), BND_OK);
    }
    r.code = 77;
    CU_ASSERT_EQUAL(bnd_oracle_operate(&r, &fp16, "cbrt", from, codes, (bnd_rule){0}, 0, &why), BND_BAD_NAME);
    CU_ASSERT_EQUAL(r.code, 77);
    CU_ASSERT_STRING_EQUAL(why.message, "unknown operation 'cbrt'");
    int order = 77;
    CU_ASSERT(bnd_oracle_compare(&order, &fp16, 0x8000, &fp16, 0x0000) && order == 0);
    CU_ASSERT(bnd_oracle_compare(&order, &fp16, 0xfc00, &fp16, 0x0000) && order == -1);
    CU_ASSERT(!bnd_oracle_compare(&order, &fp16, 0x7e00, &fp16, 0x7e00) && order == 0);
}

CU_TestInfo operation_tests[] = {
    {"the machine", test_machine}, {"the C library", test_library}, {"elementary functions", test_elementary},
    {"known answers", test_known}, {"names", test_names},           CU_TEST_INFO_NULL,
};
