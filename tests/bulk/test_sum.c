/* Sums: where they are known to stall, and against the same additions made one at a time by bnd_operate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "tests.h"

/* ---- known sums ---- */

static double sum_of(const char *name, bnd_summation way, const double *x, size_t n, uint8_t rounding)
{
    bnd_format f = format_named(name);
    bnd_array how = {.rule = {.rounding = rounding}, .seed = 1};
    unsigned char *codes = memory_of(8 * n);
    uint64_t sum = 0;
    CU_ASSERT_EQUAL(bnd_encode_f64(codes, x, n, &f, NULL, NULL, NULL), BND_OK);
    bnd_operand operand = {.data = codes, .format = &f};
    CU_ASSERT_EQUAL(bnd_sum_codes(&sum, &f, way, &operand, n, &how, NULL), BND_OK);
    free(codes);
    return bnd_decode(&f, sum);
}

static void test_stalls(void)
{
    static const struct stall {
        const char *format;
        double ones, harmonic;
        size_t last_term; /* the first one that changes nothing */
    } stalls[] = {{"fp16", 2048, 7.0859375, 513}, {"bf16", 256, 5.0625, 65}, {"e4m3", 16, 3, 9}, {"e5m2", 8, 2, 5}};
    enum { COUNT = 5000 };
    double ones[COUNT], harmonic[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        ones[i] = 1;
        harmonic[i] = 1 / (double)(i + 1);
    }
    for (size_t k = 0; k < sizeof stalls / sizeof stalls[0]; k++) {
        const struct stall *s = &stalls[k];
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, COUNT, BND_ROUND_RNE), s->ones);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, (size_t)s->ones, BND_ROUND_RNE), s->ones);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, (size_t)s->ones - 1, BND_ROUND_RNE), s->ones - 1);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, COUNT, BND_ROUND_RNE), s->harmonic);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, s->last_term - 1, BND_ROUND_RNE), s->harmonic);
        CU_ASSERT_NOT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, s->last_term - 2, BND_ROUND_RNE), s->harmonic);
        /* Pairs of ones are exact as long as the sums of four thousand are. */
        double most = s->ones < 1024 ? s->ones : 4096;
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_PAIRWISE, ones, (size_t)most, BND_ROUND_RNE), most);
    }
    /* A random rounding goes on where nearest stalls: 5000 has a standard error of some 70 in fp16. */
    CU_ASSERT(fabs(sum_of("fp16", BND_SUM_NAIVE, ones, COUNT, BND_ROUND_SR) - (double)COUNT) < 500);
}

static void test_small_terms(void)
{
    enum { COUNT = 1001 };
    double x[COUNT] = {1};
    for (size_t i = 1; i < COUNT; i++) {
        x[i] = 0.001;
    }
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_NAIVE, x, COUNT, BND_ROUND_RNE), 1);
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_KAHAN, x, COUNT, BND_ROUND_RNE), 2);
    CU_ASSERT_EQUAL(sum_of("fp16", BND_SUM_NAIVE, x, COUNT, BND_ROUND_RNE), 1.9765625);
}

/* ---- every addition by itself ---- */

static void test_sums(void)
{
    comparison b;
    comparison_open(&b, "sums");
    format_list all = all_formats();
    for (size_t k = 0; k < scaled(4 * all.with_codes); k++) {
        static const size_t lengths[] = {0, 1, 2, 3, 7, 64, 100, 333, 1025, 1100};
        const uint64_t random = bnd_random(k, 0, 0);
        sum_question s = {.f = all.at[k % all.with_codes], .of_x = all.at[k % all.with_codes]};
        if ((random & 3) == 0) {
            s.of_x = all.at[(random >> 8) % all.with_codes];
        }
        s.how.rule = (random >> 2 & 3) == 0   ? (bnd_rule){.rounding = (uint8_t)((random >> 4) % BND_ROUND_COUNT)}
                     : (random >> 2 & 3) == 1 ? (bnd_rule){.rounding = (uint8_t)((random >> 4) % BND_ROUND_RTO)}
                                              : random_rule(random >> 4);
        s.how.seed = k;
        s.how.first = random >> 20;
        s.n = lengths[(random >> 33) % (sizeof lengths / sizeof lengths[0])];
        s.packing = (uint8_t)(random >> 60 & 1);
        s.x = terms_of(&s.of_x, s.n, k);
        for (unsigned way = 0; way < BND_SUM_COUNT; way++) {
            s.way = (bnd_summation)way;
            check_sum(&b, &s);
        }
        free(s.x);
    }
    free(all.at);
    comparison_close(&b);
}

/* Sums of numbers, to a format and to the value set that has its numbers. */
static void test_numbers(void)
{
    enum { COUNT = 3000 };
    float x[2 * COUNT];
    double wide[COUNT];
    bnd_format fp16 = format_named("fp16"), set = format_named("p11emin-14emax15"), fp32 = format_named("fp32");
    for (size_t i = 0; i < COUNT; i++) {
        x[2 * i] = (float)((double)(bnd_random(1, 2, i) >> 40) * 0x1p-24 - 0.25);
        wide[i] = (double)x[2 * i];
        x[2 * i + 1] = NAN;
    }
    for (unsigned way = 0; way < BND_SUM_COUNT; way++) {
        bnd_operand every_other = {.data = x, .stride = 2}, backward = {.data = x + 2 * COUNT - 2, .stride = -2};
        bnd_operand in_doubles = {.data = wide}, codes = {.data = x, .format = &fp32, .stride = 2};
        bnd_operand same = {.data = x, .broadcast = true};
        float sum = 0, to_set = 0, other = 0;
        double sum_of_doubles = 0;
        uint64_t code = 0;
        CU_ASSERT_EQUAL(bnd_sum_f32(&sum, (bnd_summation)way, &every_other, COUNT, &fp16, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_sum_f32(&to_set, (bnd_summation)way, &every_other, COUNT, &set, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_sum_f64(&sum_of_doubles, (bnd_summation)way, &in_doubles, COUNT, &fp16, NULL, NULL),
                        BND_OK);
        CU_ASSERT_EQUAL(bnd_sum_codes(&code, &fp16, (bnd_summation)way, &codes, COUNT, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(sum, to_set);
        CU_ASSERT_EQUAL((double)sum, sum_of_doubles);
        CU_ASSERT_EQUAL((double)sum, bnd_decode(&fp16, code));
        CU_ASSERT(sum > 300 && sum < 1200); /* about 750 */
        CU_ASSERT_EQUAL(bnd_sum_f32(&other, (bnd_summation)way, &backward, COUNT, &fp32, NULL, NULL), BND_OK);
        CU_ASSERT(fabs((double)other - 750) < 20);
        CU_ASSERT_EQUAL(bnd_sum_f32(&other, (bnd_summation)way, &same, 4, &fp32, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(other, 4 * x[0]);
        CU_ASSERT_EQUAL(bnd_sum_f32(&other, (bnd_summation)way, &every_other, 0, &fp16, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(other, 0);
    }
    float sum = 5;
    bnd_operand operand = {.data = x};
    CU_ASSERT_EQUAL(bnd_sum_f32(&sum, BND_SUM_COUNT, &operand, 3, &fp16, NULL, NULL), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(sum, 5);
}

/* x - x is -0 toward minus infinity, +0 in every other mode, by whichever way the sum is made; -0 - 0 is -0. */
static void test_zeros(void)
{
    static const char *const formats[] = {"fp16", "bf16", "e5m2", "e4m3", "fp32", "tf32", "e11m40"};
    const float cancel[] = {1, -1}, minus[] = {-0.0F, -0.0F};
    const bnd_operand to_zero = {.data = cancel}, zeros = {.data = minus};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        bnd_format f = format_named(formats[i]);
        for (unsigned mode = 0; mode < BND_ROUND_COUNT; mode++) {
            const bnd_array how = {.rule = {.rounding = (uint8_t)mode, .random_bits = 5}};
            float sum = 5, other = 5;
            CU_ASSERT_EQUAL(bnd_sum_f32(&sum, BND_SUM_NAIVE, &to_zero, 2, &f, &how, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_sum_f32(&other, BND_SUM_PAIRWISE, &zeros, 2, &f, &how, NULL), BND_OK);
            CU_ASSERT(sum == 0 && (signbit(sum) != 0) == (mode == BND_ROUND_RDN));
            CU_ASSERT(other == 0 && signbit(other) != 0);
        }
    }
}

CU_TestInfo sum_tests[] = {
    {"where sums stall", test_stalls},        {"small terms", test_small_terms},
    {"every addition by itself", test_sums},  {"zeros", test_zeros},
    {"numbers and value sets", test_numbers}, CU_TEST_INFO_NULL,
};
