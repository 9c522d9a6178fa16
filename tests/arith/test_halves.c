/* The formats of 16 bits. Pairs and triples are too many for `make check`: a stratified sample of them. `binade verify
 * --exhaustive` takes all pairs. */
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "verify/narrow_operations.h"
#include "tests.h"

static void check_stratified(comparison *b, const bndi_answers *a, bnd_operation operation, uint64_t count)
{
    const bnd_format *f = &a->format, *const from[] = {f, f, f};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t codes[BND_OPERANDS_MAX] = {0};
        bndi_narrow_operand x[BND_OPERANDS_MAX];
        bndi_stratified_operands(codes, operation, from, 47, i);
        for (unsigned k = 0; k < bnd_operation_operands(operation); k++) {
            x[k] = bndi_narrow_operand_of(f, codes[k]);
        }
        bndi_narrow_exact exact = bndi_narrow_exact_of(operation, f, x);
        bnd_result want = bndi_narrow_answer(a, operation, &exact),
                   got = bndi_call_operation(f, operation, codes, a->rule, 0);
        if (comparison_note(b, bndi_same_result(got, want))) {
            print_call(operation, from, codes, f, a->rule, 0);
            print_results(got, want);
        }
    }
}

/* 10^6 of each operation in each format, half of them to nearest, half upward. */
static void test_stratified(void)
{
    static const char *const names[] = {"fp16", "bf16"};
    static const bnd_rounding modes[] = {BND_ROUND_RNE, BND_ROUND_RUP};
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_MUL, BND_OP_DIV, BND_OP_FMA};
    comparison b;
    comparison_open(&b, "16 bits, stratified");
    for (size_t i = 0; i < 2; i++) {
        for (size_t mode = 0; mode < 2; mode++) {
            bnd_format f = format_named(names[i]);
            bndi_answers a;
            CU_ASSERT_FATAL(bndi_answers_open(&a, &f, (bnd_rule){.rounding = (uint8_t)modes[mode]}, NULL) == BND_OK);
            for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
                check_stratified(&b, &a, operations[k], scaled(500000));
            }
            bndi_answers_close(&a);
        }
    }
    comparison_close(&b);
}

/* The formats of 16 bits, operations of one operand: every code, in all modes. */
static void test_unary(void)
{
    static const bnd_operation operations[] = {BND_OP_SQRT,    BND_OP_RINT,      BND_OP_NEARBY, BND_OP_LOGB,
                                               BND_OP_NEXT_UP, BND_OP_NEXT_DOWN, BND_OP_ULP};
    trial t;
    trial_open(&t, "16 bits, one operand");
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        const bnd_format *const from[] = {&f};
        uint64_t stride = scaled_stride();
        for (uint64_t code = 0; f.width == 16 && code < 65536; code += stride) {
            for (uint64_t k = 0; k < BND_ROUND_DETERMINISTIC_COUNT * (sizeof operations / sizeof operations[0]); k++) {
                bnd_rule rule = {.rounding = (uint8_t)(k % BND_ROUND_DETERMINISTIC_COUNT)};
                judge_operation(&t, &f, operations[k / BND_ROUND_DETERMINISTIC_COUNT], from, &code, rule, 0);
            }
        }
    }
    trial_close(&t);
}

CU_TestInfo half_tests[] = {
    {"stratified pairs and triples", test_stratified},
    {"one operand", test_unary},
    CU_TEST_INFO_NULL,
};
