/* Answers to vectors: beside the oracle's, and dot products beside GMP's rationals. */
#include "tests/support/operands.h"
#include "tests.h"

#include <binade-lab/oracle.h>

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_result(const bnd_vectors *v, const uint64_t *operands, uint64_t random, bnd_result got,
                        bnd_result want)
{
    if (got.code == want.code && got.flags == want.flags) {
        return true;
    }
    printf("\n  %s to %s, rounding %d:", bnd_operation_name(v->operation), v->out.name, v->rule.rounding);
    for (unsigned i = 0; i < v->operands && i < 8; i++) {
        printf(" %s:%llx", bnd_vectors_format(v, i)->name, (unsigned long long)operands[i]);
    }
    printf(" random %llx: %llx %02x, not %llx %02x\n", (unsigned long long)random, (unsigned long long)got.code,
           got.flags, (unsigned long long)want.code, want.flags);
    return false;
}

/* A case written as a line and read again is answered as the oracle answers it. */
static bool line_holds(const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    char text[BND_VECTOR_LINE_MAX];
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], read[BND_VECTOR_OPERANDS_MAX], random, next;
    bnd_vector_line line = {.operands = read};
    bnd_error why = {.message = ""};
    const bnd_format *from[] = {&v->in[0], &v->in[1], &v->in[2]};
    bnd_result want, got;
    size_t length = bnd_vector_write(text, sizeof text, &next, plan, index, index + 1,
                                     index % 2 == 0 ? BND_VECTOR_FORM_LINE : BND_VECTOR_FORM_MEMH);
    bnd_vector_case(operands, &random, plan, index);
    if (next != index + 1 || length == 0 || text[length - 1] != '\n' ||
        bnd_vector_parse_n(&line, v, BND_VECTOR_ANSWER_WHOLE, text, length - 1, &why) != BND_OK) {
        printf("\n  %.*s: %s\n", (int)length, text, why.message);
        return false;
    }
    if (memcmp(read, operands, v->operands * sizeof *read) != 0 || line.random != random || !line.has_flags) {
        printf("\n  %.*s does not read back\n", (int)length, text);
        return false;
    }
    if (bnd_oracle_operate(&want, &v->out, bnd_operation_name(v->operation), from, operands, v->rule, random, NULL) !=
        BND_OK) {
        return false;
    }
    got = (bnd_result){.code = line.code, .flags = line.flags};
    want.flags &= v->lab_flags ? BND_FLAG_ALL : BND_FLAG_SATURATED - 1;
    return same_result(v, operands, random, got, want);
}

static void answers(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"add", "fp16", "fp16"},
                {"sub", "bf16", "bf16"},
                {"mul", "e4m3,e5m2", "fp16"},
                {"div", "fp32", "fp32"},
                {"sqrt", "fp16", "fp16"},
                {"fma", "e4m3,e5m2,fp32", "fp32"},
                {"fma", "fp16", "fp16"},
                {"rem", "fp16", "fp16"},
                {"convert", "fp32", "e4m3"},
                {"convert", "fp64", "fp16"},
                {"convert", "fp16", "e2m1"},
                {"convert", "bf16", "e8m0"},
                {"convert", "e5m2", "fp32"},
                {"add", "e2m1", "e2m1"},
                {"mul", "fp64", "fp64"},
                {"sqrt", "fp64", "fp32"},
                {"add", "binary8p3se", "e4m3fnuz"},
                {"min", "fp16", "bf16"},
                {"exp", "fp16", "fp32"},
                {"gelu", "bf16", "bf16"},
                {"neg", "e4m3", "fp16"}};
    uint64_t wrong = 0, cases = scaled(150);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned mode = 0; mode < BND_ROUND_COUNT; mode++) {
            bnd_rule rule = {.rounding = (uint8_t)mode,
                             .overflow = (uint8_t)((i + mode) % BND_OVERFLOW_COUNT),
                             .nan = (uint8_t)((i + 2 * mode) % BND_NAN_COUNT),
                             .random_bits = 7,
                             .flush_in = (i + mode) % 4 == 0,
                             .flush_out = (uint8_t)((i + mode) % 5 % 3),
                             .tiny_before = mode % 2 == 0};
            bnd_vectors v = vectors_described(rows[i].operation, rows[i].in, rows[i].out, rule);
            bnd_vector_plan plan;
            v.lab_flags = mode % 2 != 0;
            for (unsigned level = 0; level < 2; level++) {
                bnd_vector_level which = level == 0 ? BND_VECTOR_LEVEL_SAMPLE : BND_VECTOR_LEVEL_1;
                CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, which, 3, NULL), BND_OK);
                for (uint64_t k = 0; k < cases && wrong < 5; k++) {
                    wrong += !line_holds(&plan, level == 0 ? k : vectors_random(9, k) % plan.count);
                }
                bnd_vector_plan_close(&plan);
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- dot products ---- */

static bool add_double(mpq_t sum, double a, double b, const mpq_t scale)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_mul(x, x, scale);
    mpq_add(sum, sum, x);
    mpq_clears(x, y, NULL);
    return true;
}

/* As the rule takes it: true where it was flushed. */
static bool flushes(const bnd_vectors *v, unsigned operand, double *value)
{
    const bnd_format *f = bnd_vectors_format(v, operand);
    bool subnormal = *value != 0 && fabs(*value) < ldexp((double)f->normal_significand, f->normal_quantum);
    *value = subnormal && v->rule.flush_in ? 0 : *value;
    return subnormal && v->rule.flush_in;
}

/* The dot product as a fraction, where all its operands are numbers; the oracle rounds it. */
static bool dot_holds(const bnd_vectors *v, const uint64_t *operands, uint64_t random, bool *judged)
{
    unsigned scales = v->kind == BND_VECTOR_KIND_MXDOT, half = v->operands / 2;
    mpq_t sum, scale;
    double values[BND_VECTOR_OPERANDS_MAX];
    bool finite = true, flushed = false;
    for (unsigned i = 0; i < v->operands; i++) {
        finite = finite && bnd_oracle_decode(&values[i], bnd_vectors_format(v, i), operands[i]) == BND_ORACLE_FINITE;
        flushed = flushes(v, i, &values[i]) || flushed;
    }
    *judged = finite;
    if (!finite) {
        return true;
    }
    mpq_inits(sum, scale, NULL);
    mpq_set_ui(scale, 1, 1);
    if (scales > 0) {
        mpq_set_d(scale, values[0]);
        mpq_set_d(sum, values[half]);
        mpq_mul(scale, scale, sum);
        mpq_set_ui(sum, 0, 1);
    }
    for (unsigned i = scales; i < half; i++) {
        add_double(sum, values[i], values[half + i], scale);
    }
    char *text = mpq_get_str(NULL, 10, sum);
    bnd_result want, got = bnd_vector_answer(v, operands, v->rule, random);
    bool right = bnd_oracle_encode_text(&want, &v->out, text, v->rule, random, NULL) == BND_OK;
    want.flags |= flushed ? BND_FLAG_TO_ZERO : 0;
    if (mpq_sgn(sum) == 0) { /* a zero's sign is another matter */
        got.code &= (UINT64_C(1) << bnd_magnitude_bits(&v->out)) - 1;
    }
    right = right && same_result(v, operands, random, got, want);
    free(text);
    mpq_clears(sum, scale, NULL);
    return right;
}

static void dots(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"dot:1", "fp16", "fp16"},  {"dot:2", "e4m3", "fp16"},      {"dot:4", "e4m3,e5m2", "fp32"},
                {"dot:8", "fp32", "fp32"},  {"dot:3", "fp64", "fp64"},      {"dot:16", "bf16", "bf16"},
                {"mxdot", "e2m1", "fp32"},  {"mxdot", "e4m3,e2m3", "bf16"}, {"dot:512", "e5m2", "e4m3"},
                {"dot:2", "e11m52", "fp32"}};
    uint64_t wrong = 0, judged = 0, cases = scaled(300);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned mode = 0; mode < BND_ROUND_COUNT; mode += 3) {
            bnd_rule rule = {.rounding = (uint8_t)mode, .random_bits = 9, .flush_in = mode % 2 != 0};
            bnd_vectors v = vectors_described(rows[i].operation, rows[i].in, rows[i].out, rule);
            bnd_vector_plan plan;
            CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_SAMPLE, i, NULL), BND_OK);
            for (uint64_t k = 0; k < (v.pairs > 100 ? cases / 10 + 1 : cases) && wrong < 5; k++) {
                uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
                bool is_judged;
                bnd_vector_case(operands, &random, &plan, k);
                for (unsigned o = 0; v.pairs > 100 && o < v.operands; o++) { /* of 1024, none is special */
                    operands[o] &= 0xbb;
                }
                if (k % 3 == 0 && v.kind == BND_VECTOR_KIND_DOT &&
                    v.pairs % 2 == 0) { /* half of it cancels but for a bit */
                    unsigned h = v.pairs / 2;
                    memcpy(operands + h, operands, h * sizeof *operands);
                    memcpy(operands + v.pairs + h, operands + v.pairs, h * sizeof *operands);
                    for (unsigned o = 0; o < h; o++) {
                        operands[h + o] ^= UINT64_C(1) << (v.in[0].width - 1);
                    }
                    operands[0] ^= 1;
                }
                wrong += !dot_holds(&v, operands, random, &is_judged);
                judged += is_judged;
            }
            bnd_vector_plan_close(&plan);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(judged > 1000 || cases < 300);
}

/* The scale is a NaN, and so is the result; a signaling NaN among the elements raises invalid all the same. */
static void test_signaling_below_a_scale(void)
{
    bnd_vectors v = vectors_described("mxdot", "e5m2", "fp32", (bnd_rule){0});
    uint64_t operands[BND_VECTOR_OPERANDS_MAX] = {0};
    operands[0] = 0xff;
    operands[33] = 127;
    CU_ASSERT_EQUAL(bnd_vector_answer(&v, operands, v.rule, 0).flags, 0);
    operands[5] = 0x7f; /* a quiet NaN */
    CU_ASSERT_EQUAL(bnd_vector_answer(&v, operands, v.rule, 0).flags, 0);
    operands[5] = 0x7d;
    CU_ASSERT_EQUAL(bnd_vector_answer(&v, operands, v.rule, 0).flags, BND_FLAG_INVALID);
    operands[5] = 0x7c; /* inf * 0: the NaN that came in is the answer */
    CU_ASSERT_EQUAL(bnd_vector_answer(&v, operands, v.rule, 0).flags, 0);
}

/* 2^-24 * 1 + 1 * 0 in fp16: the subnormal operand counts as zero, which is flushed. */
static void test_flushed_operands(void)
{
    static const uint64_t operands[] = {0x0001, 0x3c00, 0x3c00, 0x0000};
    bnd_vectors v = vectors_described("dot:2", "fp16", "fp16", (bnd_rule){.flush_in = true});
    bnd_result r = bnd_vector_answer(&v, operands, v.rule, 0);
    CU_ASSERT(r.code == 0 && r.flags == BND_FLAG_TO_ZERO);
}

/* A dot product of one pair is a product but for the sign of a zero sum, and of special operands what IEEE says. */
static void special_dots(void)
{
    bnd_format fp16 = format_named("fp16");
    static const struct {
        uint64_t operands[4];
        uint64_t code;
        uint32_t flags;
        uint8_t rounding;
    } rows[] = {
        {{0x7c00, 0x3c00, 0x3c00, 0x3c00}, 0x7c00, 0, BND_ROUND_RNE},                /* inf + 1 */
        {{0x7c00, 0x7c00, 0x3c00, 0xbc00}, 0x7e00, BND_FLAG_INVALID, BND_ROUND_RNE}, /* inf - inf */
        {{0x7c00, 0x3c00, 0x0000, 0x3c00}, 0x7e00, BND_FLAG_INVALID, BND_ROUND_RNE}, /* inf * 0 */
        {{0x7c00, 0x7e01, 0x0000, 0x3c00}, 0x7e00, 0, BND_ROUND_RNE},                /* a NaN wins */
        {{0x7c00, 0x7d01, 0x0000, 0x3c00}, 0x7e00, BND_FLAG_INVALID, BND_ROUND_RNE}, /* a signaling one */
        {{0x8000, 0x8000, 0x3c00, 0x3c00}, 0x8000, 0, BND_ROUND_RNE},                /* -0 + -0 */
        {{0x8000, 0x0000, 0x3c00, 0x3c00}, 0x0000, 0, BND_ROUND_RNE},                /* -0 + 0 */
        {{0x8000, 0x0000, 0x3c00, 0x3c00}, 0x8000, 0, BND_ROUND_RDN},
        {{0x3c00, 0xbc00, 0x3c00, 0x3c00}, 0x0000, 0, BND_ROUND_RUP}, /* 1 - 1 */
        {{0x3c00, 0xbc00, 0x3c00, 0x3c00}, 0x8000, 0, BND_ROUND_RDN},
        {{0x7bff, 0xfbff, 0x7bff, 0x7bff}, 0x0000, 0, BND_ROUND_RNE}, /* terms beyond the format */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_rule rule = {.rounding = rows[i].rounding};
        bnd_vectors v = vectors_described("dot:2", "fp16", "fp16", rule);
        bnd_result r = bnd_vector_answer(&v, rows[i].operands, rule, 0);
        CU_ASSERT(r.code == rows[i].code && r.flags == rows[i].flags);
    }
    bnd_vectors mx = vectors_described("mxdot", "e2m1", "fp16", (bnd_rule){0});
    uint64_t operands[BND_VECTOR_OPERANDS_MAX] = {0};
    operands[0] = operands[33] = 127;
    operands[1] = operands[34] = 2; /* 1 * 1 */
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x3c00);
    operands[33] = 130;
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x4800);
    operands[0] = 0xff;
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x7e00);
    (void)fp16;
    test_signaling_below_a_scale();
    test_flushed_operands();
}

CU_TestInfo answer_tests[] = {
    {"answers", answers}, {"dot products", dots}, {"special dot products", special_dots}, CU_TEST_INFO_NULL};
