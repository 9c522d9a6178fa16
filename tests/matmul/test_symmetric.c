/* Products of a matrix and its transpose, whose halves are one: the bits of the whole product, which is asked for as
 * C + A B with C = 0, and of the definition. Almost the same: products of which only one element is another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <binade/bulk.h>

#include "model.h"
#include "tests.h"

/* Quick ones first: they get the large sizes. */
static const char *const names[] = {"fp32",
                                    "each:fp32",
                                    "fp32/promote100",
                                    "fp32/promote600",
                                    "fp16",
                                    "bf16",
                                    "fma:bf16",
                                    "fma:e4m3",
                                    "trunc14",
                                    "fp64",
                                    "bf16:rtz",
                                    "fma:fp16:rdn",
                                    "fp32:rup",
                                    "e4m3:rna",
                                    "fp32:rna",
                                    "each:fp32:rna",
                                    "e2m1",
                                    "trunc14/promote128",
                                    "fma:p8",
                                    "fp16:rto",
                                    "fp16/promote64",
                                    "fp16/promote300",
                                    "fp64:rna",
                                    "bf16:sr:8",
                                    "fma:e4m3:sra",
                                    "fma:e2m1",
                                    "fp32:sr",
                                    "each:fp32:sr",
                                    "e4m3:sr-equal"};
enum { NAMES = sizeof names / sizeof names[0], QUICK = 4, RULES = 4 };

typedef enum relation { ITS_OWN, A_COPY, A_SYMMETRIC_ONE, ALMOST, RELATIONS } relation;

static uint64_t chosen(uint64_t seed, uint64_t what, uint64_t below)
{
    return bnd_random(seed, 11, what) % below;
}

/* Rules whose NaNs keep something of an operand's, and formats without NaN. */
static void set_rule(bnd_rule *rule, uint64_t seed)
{
    static const uint8_t nans[RULES] = {BND_NAN_DEFAULT, BND_NAN_PROPAGATE, BND_NAN_X86, BND_NAN_SIGNED};
    rule->nan = nans[chosen(seed, 1, 5) == 0 ? chosen(seed, 2, RULES) : 0];
    rule->no_nan = chosen(seed, 3, 2) == 0 ? BND_NO_NAN_MAX : BND_NO_NAN_ZERO;
    rule->flush_in = chosen(seed, 4, 16) == 0;
}

/* Operands as the relation has them, from question_open's arrays, which are as large in every layout. */
static void relate(question *q, relation as, uint64_t seed)
{
    const size_t m = q->m, k = q->k;
    for (size_t i = 0; i < m && as == A_SYMMETRIC_ONE; i++) {
        for (size_t l = 0; l < i; l++) {
            q->a[i * k + l] = q->a[l * k + i];
        }
    }
    memcpy(q->b, q->a, m * k * sizeof *q->a);
    q->how.a = (bnd_strides){.row = (ptrdiff_t)k, .column = 1};
    q->how.b = as == A_SYMMETRIC_ONE ? q->how.a : (bnd_strides){.row = 1, .column = (ptrdiff_t)k};
    if (chosen(seed, 5, 2) == 0) { /* the other way round */
        q->how.a = (bnd_strides){.row = 1, .column = (ptrdiff_t)m};
        q->how.b = as == A_SYMMETRIC_ONE ? q->how.a : (bnd_strides){.row = (ptrdiff_t)m, .column = 1};
    }
    if (as == ALMOST) {
        float *x = q->b + chosen(seed, 6, m * k);
        *x = bndi_float_of_bits(bndi_bits_of_float(*x) ^ (chosen(seed, 7, 2) == 0 ? 0x80000000 : 1));
    }
}

static question asked(const char *name, relation as, bool quick, uint64_t seed, bnd_context *context)
{
    question q;
    bnd_gemm how = {.context = context, .accumulator = accumulator_named(name), .seed = seed};
    const size_t m = quick ? 1 + (size_t)chosen(seed, 8, 300) : 50 + (size_t)chosen(seed, 8, 40);
    const size_t k = as == A_SYMMETRIC_ONE ? m
                     : quick               ? (chosen(seed, 13, 3) == 0 ? 1024 : 1 + (size_t)chosen(seed, 9, 1000))
                                           : 30 + (size_t)chosen(seed, 9, 10);
    if (!quick) {
        set_rule(&how.accumulator.rule, seed);
    }
    *context = (bnd_context){.backend = (uint8_t)chosen(seed, 10, BND_BACKEND_COUNT),
                             .threads = seed % 8 == 0 ? 2 + (uint32_t)chosen(seed, 11, 3) : 1};
    question_open(&q, m, m, k, &how, 0);
    question_fill(&q, (data_kind)chosen(seed, 12, DATA_KINDS), &how.accumulator.format, 2 * seed + 1);
    relate(&q, as, seed);
    return q;
}

/* Elements on both sides of the diagonal; the definition takes long. */
static size_t not_as_defined(const question *q, uint64_t seed)
{
    enum { SOME = 12 };
    size_t wrong = 0;
    for (uint64_t s = 0; s < SOME; s++) {
        const size_t i = (size_t)chosen(seed, 20 + 2 * s, q->m), j = (size_t)chosen(seed, 21 + 2 * s, q->n);
        wrong += bndi_bits_of_float(expected(q, i, j, BY_OPERATE)) != bndi_bits_of_float(*element_of_c(q, q->c, i, j));
    }
    return wrong;
}

static void test_numbers(void)
{
    const uint64_t cases = scaled(60);
    for (uint64_t c = 0; c < cases; c++) {
        bnd_context context;
        const size_t i = c % NAMES;
        question q = asked(names[i], (relation)((c + c / NAMES) % RELATIONS), i < QUICK, c, &context);
        const uint32_t threads = context.threads;
        const size_t bytes = q.m * q.m * sizeof(float);
        float *c_alone = memory_of(bytes);
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        memcpy(c_alone, q.c, bytes);
        const size_t wrong = q.k * (i < QUICK ? 1 : 10) < 800 ? not_as_defined(&q, c) : 0;
        memset(q.start, 0, bytes);
        q.how.add = true;
        context.threads = 1;
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        const bool same = memcmp(c_alone, q.c, bytes) == 0;
        if (!same || wrong > 0) {
            printf("%s, case %d: m %zu, k %zu, %s, %u threads: %s, %zu wrong\n", names[i], (int)c, q.m, q.k,
                   bnd_backend_name(context.backend), threads, same ? "the same" : "other bits", wrong);
        }
        CU_ASSERT(same && wrong == 0);
        free(c_alone);
        question_close(&q);
    }
}

/* x x' of rows that end in zeros, more of them in the first rows, which lie 4 KiB apart: steps are left out in tiles of
 * fewer rows. The same product added to zeros is computed in full. */
static void test_triangle(void)
{
    enum { M = 150, K = 1024 };
    float *x = memory_of(M * K * sizeof(float)), *half = memory_of(M * M * sizeof(float)),
          *full = memory_of(M * M * sizeof(float));
    for (size_t i = 0; i < M; i++) {
        for (size_t l = 0; l < K; l++) {
            x[i * K + l] = l < K * (i + 1) / M ? number_of(DATA_NORMAL, NULL, 5, i * K + l) : 0;
        }
    }
    for (unsigned backend = 0; backend < BND_BACKEND_COUNT; backend++) {
        bnd_context context = {.backend = (uint8_t)backend, .threads = 1};
        bnd_gemm how = {.context = &context, .a = {K, 1}, .b = {1, K}};
        CU_ASSERT_EQUAL(bnd_gemm_f32(half, M, M, x, x, K, &how, NULL), BND_OK);
        memset(full, 0, M * M * sizeof(float));
        how.add = true;
        CU_ASSERT_EQUAL(bnd_gemm_f32(full, M, M, x, x, K, &how, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(half, full, M * M * sizeof(float)), 0);
        float sum = 0; /* of two rows in the middle */
        for (size_t l = 0; l < K; l++) {
            sum = fmaf(x[M / 2 * K + l], x[(M - 1) * K + l], sum);
        }
        CU_ASSERT_EQUAL(half[M / 2 * M + M - 1], sum);
    }
    free(x);
    free(half);
    free(full);
}

/* C + A B is as symmetric as C. */
static void test_added(void)
{
    bnd_context context;
    question q = asked("bf16", ITS_OWN, false, 4, &context);
    q.how.add = true;
    CU_ASSERT(q.m >= 64 && q.k >= 32); /* large enough to be looked at */
    CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
    CU_ASSERT_EQUAL(differences(&q, "added", BY_OPERATE), 0);
    question_close(&q);
}

/* Where the format of sums has no NaN, the sign of a zero can be that of the first factor's NaN. */
static void test_signs_of_nans(void)
{
    bnd_context context;
    question q = asked("fma:e2m1", ITS_OWN, false, 4, &context);
    q.how.accumulator.rule = (bnd_rule){.nan = BND_NAN_PROPAGATE, .no_nan = BND_NO_NAN_ZERO};
    for (size_t i = 0; i < q.m * q.k; i += 1 + chosen(i, 30, 2)) {
        q.a[i] = bndi_float_of_bits(chosen(i, 31, 2) == 0 ? 0x7fc00000 : 0xffc00000);
    }
    relate(&q, ITS_OWN, 4);
    CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
    CU_ASSERT_EQUAL(differences(&q, "signs of NaNs", BY_OPERATE), 0);
    question_close(&q);
}

/* Codes of 1, 2 and 4 bytes; the same codes of two formats are other numbers. */
static void test_codes(void)
{
    static const char *const formats[][2] = {{"e4m3", "e4m3"}, {"bf16", "bf16"}, {"fp32", "fp32"},
                                             {"e4m3", "e5m2"}, {"fp16", "bf16"}, {"e2m1", "e2m1"}};
    enum { M = 150, K = 90, BYTES = 4 };
    unsigned char *x = memory_of(M * K * BYTES), *y = memory_of(M * K * BYTES);
    float *both[2] = {memory_of(M * M * sizeof(float)), memory_of(M * M * sizeof(float))};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const bnd_format of_a = format_named(formats[f][0]), of_b = format_named(formats[f][1]);
        const size_t bytes = of_a.width > 16 ? 4 : of_a.width > 8 ? 2 : 1;
        const unsigned char mask = of_a.width < 8 ? (unsigned char)((1u << of_a.width) - 1) : 255;
        for (size_t i = 0; i < M * K * bytes; i++) {
            x[i] = y[i] = (unsigned char)bnd_random(f, 3, i) & mask;
        }
        for (unsigned add = 0; add < 2; add++) {
            bnd_context context = {.threads = 1 + (uint32_t)f % 2};
            bnd_gemm how = {.context = &context,
                            .a = {K, 1},
                            .b = {1, K},
                            .accumulator = accumulator_named(f % 2 == 0 ? "fp32" : "fma:bf16"),
                            .add = add == 1};
            memset(both[add], 0, M * M * sizeof(float));
            CU_ASSERT_EQUAL(bnd_gemm_codes(both[add], M, M, x, &of_a, y, &of_b, K, &how, NULL), BND_OK);
        }
        CU_ASSERT_EQUAL(memcmp(both[0], both[1], M * M * sizeof(float)), 0);
    }
    free(x);
    free(y);
    free(both[0]);
    free(both[1]);
}

CU_TestInfo symmetric_tests[] = {
    {"numbers", test_numbers}, {"a triangle", test_triangle},
    {"added", test_added},     {"signs of NaNs", test_signs_of_nans},
    {"codes", test_codes},     CU_TEST_INFO_NULL,
};
