/* Arrays of operations on operands that are chosen for what a kernel may get wrong: one exponent throughout, results
 * next to the smallest normal number, reciprocal roots next to what words hold. */
#include <math.h>
#include <stdlib.h>

#include "operations.h"
#include "tests.h"

/* Numbers of one exponent per operand: whole groups have results in range, so that the kernels from codes to codes
 * never stop, and products may be far below the third operand. */
static void check_one_exponent(comparison *b, const bnd_format *f, bnd_operation operation, size_t draw)
{
    enum { COUNT = 192 };
    static const unsigned rounding[] = {BND_ROUND_RNE, BND_ROUND_RTZ, BND_ROUND_RUP, BND_ROUND_RDN};
    const unsigned operands = bnd_operation_operands(operation), fields = (1u << f->exponent_bits) * 2 / 3;
    uint64_t *codes = memory_of(COUNT * operands * sizeof *codes);
    question q = question_of(operation, TO_CODES, f, f, 0);
    for (size_t i = 0; i < COUNT * operands; i++) {
        uint64_t field = bnd_random(draw, i % operands, 3) % fields, random = bnd_random(draw, i, 4);
        uint64_t fraction = random & (((uint64_t)1 << f->fraction_bits) - 1);
        bool negative = operation != BND_OP_SQRT && random >> 63 != 0;
        codes[i] = (uint64_t)negative << (f->width - 1) | field << f->fraction_bits | fraction;
    }
    q.how.rule.rounding = (uint8_t)rounding[draw % 4];
    exercise s = exercise_of(&q, COUNT, draw, codes);
    check_exercise(b, &s, false);
    exercise_close(&s);
    free(codes);
}

static void test_one_exponent(void)
{
    static const char *const names[] = {"fp16", "bf16"};
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL, BND_OP_DIV, BND_OP_FMA, BND_OP_SQRT};
    enum { OPERATIONS = sizeof operations / sizeof operations[0], DRAWS = 40 };
    comparison b;
    comparison_open(&b, "operations, one exponent per operand");
    for (size_t k = 0; k < 2 * OPERATIONS * scaled(DRAWS); k++) {
        bnd_format f = format_named(names[k % 2]);
        check_one_exponent(&b, &f, operations[k / 2 % OPERATIONS], k / (2 * OPERATIONS));
    }
    comparison_close(&b);
}

/* Products and sums next to the smallest normal number, where tiny results become zero: words that were rounded once
 * already no longer show which numbers are tiny. And counts of underflow, also in a format with 51 bits of
 * precision. */
static void check_tiny(comparison *b, const bnd_format *to, const bnd_format *from, bnd_operation operation,
                       size_t draw)
{
    enum { COUNT = 400 };
    const uint64_t unit = (uint64_t)1 << from->fraction_bits, one = (uint64_t)from->bias * unit;
    uint64_t *codes = memory_of(COUNT * 2 * sizeof *codes);
    question q = question_of(operation, TO_CODES, to, from, 0);
    /* 2^emin of the result, as the product of two numbers near powers of two, or as a difference */
    const uint64_t half = (uint64_t)(-to->emin / 2), rest = (uint64_t)-to->emin - half;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t near_one = bnd_random(draw, i, 5) % 40, other = bnd_random(draw, i, 6) % 40;
        uint64_t *a = &codes[2 * i], *c = &codes[2 * i + 1];
        *a = operation == BND_OP_MUL ? one - half * unit - near_one : one - (half + rest) * unit + near_one / 20;
        *c = operation == BND_OP_MUL ? one - rest * unit + other : (other + 1) | (uint64_t)1 << (from->width - 1);
    }
    q.how.rule = (bnd_rule){.rounding = (uint8_t)(draw % BND_ROUND_DETERMINISTIC_COUNT),
                            .flush_out = (uint8_t)(draw % 3 == 0 ? BND_FLUSH_NONE : BND_FLUSH_TINY),
                            .tiny_before = draw / 6 % 2 != 0};
    exercise s = exercise_of(&q, COUNT, draw, codes);
    check_exercise(b, &s, true);
    exercise_close(&s);
    free(codes);
}

static void test_tiny(void)
{
    static const char *const pairs[][2] = {{"fp32", "fp32"}, {"fp64", "fp64"},     {"fp16", "fp32"},
                                           {"bf16", "fp32"}, {"e11m50", "e11m50"}, {"fp16", "fp16"}};
    comparison b;
    comparison_open(&b, "operations, tiny results");
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        bnd_format to = format_named(pairs[k][0]), from = format_named(pairs[k][1]);
        for (size_t draw = 0; draw < 24; draw++) {
            check_tiny(&b, &to, &from, BND_OP_MUL, draw);
            check_tiny(&b, &to, &from, BND_OP_ADD, draw);
        }
    }
    comparison_close(&b);
}

/* Reciprocal roots next to numbers of up to 13 bits and on them, where the words' own result is not taken: the operand
 * is 1 / r^2 to nearest, and the codes around it; and any positive number. */
static void test_reciprocal_roots(void)
{
    static const char *const names[][2] = {{"fp32", "fp32"}, {"fp32", "fp16"}, {"fp16", "bf16"},  {"bf16", "bf16"},
                                           {"fp64", "e4m3"}, {"tf32", "e8m0"}, {"fp16", "e8m30"}, {"e8m0", "e5m2"}};
    enum { NAMES = sizeof names / sizeof names[0], COUNT = 600 };
    comparison b;
    comparison_open(&b, "operations, reciprocal roots");
    for (size_t k = 0; k < NAMES * BND_ROUND_COUNT; k++) {
        const bnd_format from = format_named(names[k % NAMES][0]), to = format_named(names[k % NAMES][1]);
        uint64_t codes[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            const uint64_t random = bnd_random(k, i, 21);
            const double root =
                ldexp(1 + (double)(random & 0xfff & (random >> 12)) / 4096, (int)(random >> 30 & 15) - 7);
            const double operand = random >> 40 & 3 ? 1 / (root * root) : 1 + (double)(random >> 11) * 0x1p-50;
            codes[i] = bnd_encode(&from, operand, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code + (random >> 50) % 3;
        }
        question q = question_of(BND_OP_RSQRT, TO_CODES, &to, &from, 1);
        q.how.rule = (bnd_rule){.rounding = (uint8_t)(k / NAMES), .random_bits = (uint8_t)(k % 3 * 5)};
        q.how.seed = k;
        exercise s = exercise_of(&q, COUNT, k, codes);
        check_exercise(&b, &s, k % 7 == 0);
        exercise_close(&s);
    }
    comparison_close(&b);
}

CU_TestInfo chosen_operand_tests[] = {
    {"one exponent per operand", test_one_exponent},
    {"reciprocal roots", test_reciprocal_roots},
    {"tiny results", test_tiny},
    CU_TEST_INFO_NULL,
};
