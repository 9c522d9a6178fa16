/* What the default cases cover, and that coverage is counted as it is. */
#include "tests/support/operands.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

/* ---- the default has no holes ---- */

static bnd_vector_check *check_open(const bnd_vectors *v)
{
    bnd_vector_check *check = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, v, (bnd_vector_options){.flags_mask = 31}, NULL), BND_OK);
    return check;
}

static void take_case(bnd_vector_check *check, const bnd_vectors *v, uint64_t *operands, uint64_t random)
{
    bnd_result want, answer = bnd_vector_answer(v, operands, v->rule, random);
    bool agrees;
    bnd_vector_line line = {
        .operands = operands, .random = random, .code = answer.code, .flags = answer.flags, .has_flags = true};
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
    CU_ASSERT_FATAL(agrees);
}

static bnd_vector_check *check_of(const bnd_vectors *v, bnd_vector_level level, uint64_t count)
{
    bnd_vector_plan plan;
    bnd_vector_check *check = check_open(v);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, level, 0, NULL), BND_OK);
    count = count < plan.count ? count : plan.count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_vector_case(operands, &random, &plan, i);
        take_case(check, v, operands, random);
    }
    bnd_vector_plan_close(&plan);
    return check;
}

static void no_holes(void)
{
    static const struct {
        const char *operation, *in, *out;
        uint64_t drawn; /* 0: the default */
    } rows[] = {{"add", "fp16", "fp16", 0},         {"sub", "bf16", "bf16", 0},     {"add", "fp32", "fp32", 0},
                {"add", "fp16,fp32", "fp32", 0},    {"mul", "fp16", "fp16", 0},     {"mul", "fp32", "fp32", 0},
                {"div", "bf16", "bf16", 0},         {"rem", "fp16", "fp16", 0},     {"sqrt", "fp32", "fp32", 0},
                {"fma", "fp16", "fp16", 100000},    {"convert", "fp32", "e4m3", 0}, {"convert", "fp32", "bf16", 0},
                {"convert", "bf16", "e5m2", 0},     {"exp", "fp16", "fp16", 0},     {"dot:4", "e4m3", "fp32", 0},
                {"mul", "e4m3,e5m2", "fp16", 40000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vectors v = vectors_described(rows[i].operation, rows[i].in, rows[i].out, (bnd_rule){0});
        bnd_vector_check *check = check_of(&v, rows[i].drawn > 0 ? BND_VECTOR_LEVEL_SAMPLE : BND_VECTOR_LEVEL_1,
                                           rows[i].drawn > 0 ? rows[i].drawn : UINT64_MAX);
        bnd_vector_covered r;
        for (size_t k = 0; bnd_vector_check_covered(&r, check, k); k++) {
            CU_ASSERT_EQUAL(r.met, r.count);
            if (r.met != r.count) {
                printf("\n  %s %s: %s: %u of %u\n", rows[i].operation, rows[i].in, r.what, r.met, r.count);
            }
        }
        bnd_vector_check_free(check);
    }
}

/* Ties of products below 2 and from 2 on: a unit rounds them at two places. */
static void both_halves_of_products(void)
{
    bnd_vectors v = vectors_described("mul", "fp32", "fp32", (bnd_rule){0});
    bnd_vector_check *check = check_of(&v, BND_VECTOR_LEVEL_1, UINT64_MAX);
    const bnd_vector_coverage *c = bnd_vector_check_coverage(check);
    for (unsigned carry = 0; carry < 2; carry++) {
        for (unsigned kind = BND_VECTOR_CASE_EXACT; kind <= BND_VECTOR_CASE_OVERFLOW; kind++) {
            CU_ASSERT(c->significands[carry][kind] > 100);
        }
    }
    bnd_vector_check_free(check);
}

static unsigned field_of(uint64_t code)
{
    unsigned field = (unsigned)(code >> 23 & 255);
    return field == 0 ? 1 : field;
}

/* Every alignment distance of fp32 from 0 to 2F + 6, with either operand larger and with like and unlike signs. */
static void distances_both_ways(void)
{
    enum { DISTANCES = 2 * 23 + 7, LEAST = 5 };
    bnd_vectors v = vectors_described("add", "fp32", "fp32", (bnd_rule){0});
    bnd_vector_plan plan;
    unsigned counts[DISTANCES][4] = {{0}}, missing = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    for (uint64_t i = 0; i < plan.count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_vector_case(operands, &random, &plan, i);
        unsigned a = field_of(operands[0]), b = field_of(operands[1]), distance = a > b ? a - b : b - a;
        bool numbers = a < 255 && b < 255 && operands[0] << 33 != 0 && operands[1] << 33 != 0;
        if (numbers && distance < DISTANCES) {
            counts[distance][(a > b ? 2 : 0) + ((operands[0] ^ operands[1]) >> 31)]++;
        }
    }
    for (unsigned distance = 1; distance < DISTANCES; distance++) {
        for (unsigned way = 0; way < 4; way++) {
            missing += counts[distance][way] < LEAST;
        }
    }
    CU_ASSERT_EQUAL(missing, 0);
    bnd_vector_plan_close(&plan);
}

/* ---- special cases that units get wrong ---- */

static bool has_pair(const bnd_vector_plan *plan, uint64_t count, uint64_t a, uint64_t b)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_vector_case(operands, &random, plan, i);
        if (operands[0] == a && operands[1] == b) {
            return true;
        }
    }
    return false;
}

/* Zeros, infinities, a quiet and a signaling NaN, in all pairs: in the default and in a few thousand drawn cases. */
static void specials_in_pairs(void)
{
    static const uint64_t specials[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01};
    enum { COUNT = sizeof specials / sizeof specials[0], DRAWN = 4200 };
    bnd_vectors half = vectors_described("add", "fp16", "fp16", (bnd_rule){0});
    bnd_vector_plan level_1, drawn;
    unsigned missing = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&level_1, &half, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&drawn, &half, BND_VECTOR_LEVEL_SAMPLE, 7, NULL), BND_OK);
    for (size_t i = 0; i < (size_t)COUNT * COUNT; i++) {
        uint64_t a = specials[i / COUNT], b = specials[i % COUNT];
        missing += has_pair(&level_1, level_1.count, a, b) && has_pair(&drawn, DRAWN, a, b) ? 0 : 1;
    }
    CU_ASSERT_EQUAL(missing, 0);
    bnd_vector_plan_close(&level_1);
    bnd_vector_plan_close(&drawn);
}

static bool has_code(const bnd_vector_plan *plan, uint32_t code)
{
    size_t low = 0, high = plan->sizes[0];
    while (low < high) { /* boundaries are sorted */
        size_t middle = low + (high - low) / 2;
        low = plan->boundaries[0][middle] < code ? middle + 1 : low;
        high = plan->boundaries[0][middle] < code ? high : middle;
    }
    return low < plan->sizes[0] && plan->boundaries[0][low] == code;
}

/* A conversion's boundaries: every exponent of the operand with no fraction, the lowest bit, half, all ones; and what
 * lies beyond the largest number as if the format continued. */
static void conversions(void)
{
    static const uint32_t fractions[] = {0, 1, 0x400000, 0x7fffff};
    static const uint32_t beyond[] = {
        0x43e80000 /* 464 */, 0x43f00000 /* 480 */, 0x43efffff,           0x43f00001, 0x44000000 /* 512 */,
        0x43ffffff,           0x44000001,           0x44600000 /* 896 */, 0xc3f00000, 0xc4000000};
    bnd_vectors v = vectors_described("convert", "fp32", "e4m3", (bnd_rule){0});
    bnd_vector_plan plan;
    unsigned missing = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    for (uint32_t i = 0; i < 512 * 4; i++) {
        missing += !has_code(&plan, (i / 4) << 23 | fractions[i % 4]);
    }
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        missing += !has_code(&plan, beyond[i]);
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT(plan.count >= 2 * plan.combinations);
    bnd_vector_plan_close(&plan);
}

/* Half of the smallest number, 513 * 2^-40, is a tie; 2^-31 lies above that tie. */
static void conversions_without_subnormals(void)
{
    static const uint32_t wanted[] = {0x2f803fff, 0x2f804000, 0x2f804001, 0xaf804000, 0x30000000, 0x30004000};
    bnd_vectors v = vectors_described("convert", "fp32", "dlfloat16", (bnd_rule){0});
    bnd_vector_plan plan;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        CU_ASSERT(has_code(&plan, wanted[i]));
    }
    bnd_vector_plan_close(&plan);
}

static void short_operands_have_every_code(void)
{
    static const char *const rows[][3] = {
        {"convert", "bf16", "e4m3"}, {"sqrt", "fp16", "fp16"}, {"gelu", "bf16", "bf16"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        bnd_vectors v = vectors_described(rows[r][0], rows[r][1], rows[r][2], (bnd_rule){0});
        bnd_vector_plan plan;
        unsigned wrong = 0;
        CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
        CU_ASSERT_EQUAL(plan.count, 65536);
        for (uint64_t i = 0; i < plan.count; i++) {
            uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
            bnd_vector_case(operands, &random, &plan, i);
            wrong += operands[0] != i;
        }
        CU_ASSERT_EQUAL(wrong, 0);
        bnd_vector_plan_close(&plan);
    }
}

/* ---- any case, at any time ---- */

/* What was in the operands before does not matter, and each of them is a code. */
static void cases_stand_alone(void)
{
    static const char *const operations[] = {"add", "sub",  "mul",     "div", "rem",
                                             "fma", "sqrt", "convert", "min", "dot:3"};
    /* The last four have no normal numbers. */
    static const char *const formats[] = {"fp16", "fp32",      "fp64", "e4m3",  "e4m3fnuz", "e8m0",
                                          "e2m1", "e6m9b12fn", "e1m3", "ue1m1", "e1m10",    "e1m52b-32767"};
    enum { FORMATS = sizeof formats / sizeof formats[0], OPERATIONS = sizeof operations / sizeof operations[0] };
    uint64_t wrong = 0;
    for (size_t i = 0; i < (size_t)FORMATS * OPERATIONS; i++) {
        bnd_vectors v =
            vectors_described(operations[i % OPERATIONS], formats[i / OPERATIONS], formats[i % FORMATS], (bnd_rule){0});
        bnd_vector_plan plan;
        CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_SAMPLE, i, NULL), BND_OK);
        for (uint64_t k = 0; k < 400; k++) {
            uint64_t a[BND_VECTOR_OPERANDS_MAX], b[BND_VECTOR_OPERANDS_MAX], random;
            memset(a, 0, sizeof a);
            memset(b, 255, sizeof b);
            bnd_vector_case(a, &random, &plan, k);
            bnd_vector_case(b, &random, &plan, k);
            for (unsigned o = 0; o < v.operands; o++) {
                unsigned width = bnd_vectors_format(&v, o)->width;
                wrong += a[o] != b[o] || (width < 64 && a[o] >> width != 0);
            }
        }
        bnd_vector_plan_close(&plan);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- coverage is counted as it is ---- */

static uint32_t met(const bnd_vector_check *check, const char *what, int32_t value)
{
    bnd_vector_covered r;
    for (size_t i = 0; bnd_vector_check_covered(&r, check, i); i++) {
        if (strcmp(r.what, what) == 0) {
            CU_ASSERT(value >= r.first && value < r.first + (int32_t)r.count && r.hit[value - r.first] == 1);
            return r.met;
        }
    }
    CU_FAIL("the range does not exist");
    return 0;
}

static void ranges(void)
{
    bnd_vectors v = vectors_described("add", "fp16", "fp16", (bnd_rule){0});
    bnd_vector_check *check = check_open(&v);
    uint64_t one_and_small[] = {0x3c00, 0x2c00}, cancel[] = {0x3c00, 0xbbff}, zeros[] = {0, 0x8000},
             tiny[] = {0x0400, 0x8001};
    take_case(check, &v, one_and_small, 0); /* 1 + 2^-4 */
    take_case(check, &v, cancel, 0);        /* 1 - (1 - 2^-11) = 2^-11 */
    take_case(check, &v, zeros, 0);
    take_case(check, &v, tiny, 0); /* 2^-14 - 2^-24, which is subnormal */
    CU_ASSERT_EQUAL(met(check, "exponent fields, operand 1", 15), 3);
    CU_ASSERT_EQUAL(met(check, "exponent fields, operand 2", 14), 3);
    CU_ASSERT_EQUAL(met(check, "alignment distances, adding", 4), 1);
    CU_ASSERT_EQUAL(met(check, "alignment distances, subtracting", 1), 2);
    CU_ASSERT_EQUAL(met(check, "alignment distances, subtracting", 0), 2);
    CU_ASSERT_EQUAL(met(check, "left shifts after cancellation", 11), 2);
    CU_ASSERT_EQUAL(met(check, "right shifts of subnormal results", 1), 1);
    bnd_vector_check_free(check);
    v = vectors_described("mul", "fp16", "fp16", (bnd_rule){0});
    check = check_open(&v);
    uint64_t below_2[] = {0x3c00, 0x3e00}, from_2[] = {0x3e00, 0x3e00};
    take_case(check, &v, below_2, 0);
    take_case(check, &v, from_2, 0);
    CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->significands[0][BND_VECTOR_CASE_EXACT], 1);
    CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->significands[1][BND_VECTOR_CASE_EXACT], 1);
    bnd_vector_check_free(check);
}

CU_TestInfo coverage_tests[] = {{"no holes", no_holes},
                                {"both halves of products", both_halves_of_products},
                                {"distances both ways", distances_both_ways},
                                {"specials in pairs", specials_in_pairs},
                                {"conversions", conversions},
                                {"conversions without subnormals", conversions_without_subnormals},
                                {"short operands have every code", short_operands_have_every_code},
                                {"cases stand alone", cases_stand_alone},
                                {"ranges", ranges},
                                CU_TEST_INFO_NULL};
