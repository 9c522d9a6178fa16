/* Sums: where they are known to stall, and against the same additions made one at a time by bnd_operate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
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
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, COUNT, BND_RNE), s->ones);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, (size_t)s->ones, BND_RNE), s->ones);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, ones, (size_t)s->ones - 1, BND_RNE), s->ones - 1);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, COUNT, BND_RNE), s->harmonic);
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, s->last_term - 1, BND_RNE), s->harmonic);
        CU_ASSERT_NOT_EQUAL(sum_of(s->format, BND_SUM_NAIVE, harmonic, s->last_term - 2, BND_RNE), s->harmonic);
        /* Pairs of ones are exact as long as the sums of four thousand are. */
        double most = s->ones < 1024 ? s->ones : 4096;
        CU_ASSERT_EQUAL(sum_of(s->format, BND_SUM_PAIRWISE, ones, (size_t)most, BND_RNE), most);
    }
    /* A random rounding goes on where nearest stalls: 5000 has a standard error of some 70 in fp16. */
    CU_ASSERT(fabs(sum_of("fp16", BND_SUM_NAIVE, ones, COUNT, BND_SR) - (double)COUNT) < 500);
}

static void test_small_terms(void)
{
    enum { COUNT = 1001 };
    double x[COUNT] = {1};
    for (size_t i = 1; i < COUNT; i++) {
        x[i] = 0.001;
    }
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_NAIVE, x, COUNT, BND_RNE), 1);
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_KAHAN, x, COUNT, BND_RNE), 2);
    CU_ASSERT_EQUAL(sum_of("fp16", BND_SUM_NAIVE, x, COUNT, BND_RNE), 1.9765625);
}

/* ---- every addition by itself ---- */

typedef struct model {
    bnd_format f, of_x;
    bnd_array how;
    const uint64_t *x;
} model;

typedef struct part {
    uint64_t code;
    const bnd_format *format;
} part;

static part added(const model *m, bnd_operation operation, part a, part b, uint64_t index)
{
    const bnd_format *from[2] = {a.format, b.format};
    uint64_t codes[2] = {a.code, b.code}, random = random_of(&m->how, (size_t)(index - m->how.first));
    return (part){bnd_operate(&m->f, operation, from, codes, m->how.rule, random).code, &m->f};
}

static part element(const model *m, size_t i)
{
    return (part){m->x[i], &m->of_x};
}

static part naive(const model *m, size_t n)
{
    part s = element(m, 0);
    for (size_t i = 1; i < n; i++) {
        s = added(m, BND_ADD, s, element(m, i), m->how.first + i);
    }
    return s;
}

static part pairwise(const model *m, size_t from, size_t n)
{
    size_t half = 1;
    if (n == 1) {
        return element(m, from);
    }
    while (2 * half < n) {
        half *= 2;
    }
    return added(m, BND_ADD, pairwise(m, from, half), pairwise(m, from + half, n - half), m->how.first + from + half);
}

static part kahan(const model *m, size_t n)
{
    bnd_format fp64 = format_named("fp64");
    part s = {0, &fp64}, c = s;
    for (size_t i = 0; i < n; i++) {
        uint64_t index = 4 * (m->how.first + i);
        part y = added(m, BND_SUB, element(m, i), c, index);
        part t = added(m, BND_ADD, s, y, index + 1);
        c = added(m, BND_SUB, added(m, BND_SUB, t, s, index + 2), y, index + 3);
        s = t;
    }
    return s;
}

static uint64_t wanted(const model *m, bnd_summation way, size_t n)
{
    if (n == 0) {
        return bnd_encode(&m->f, 0, m->how.rule, 0).code;
    }
    if (n == 1 && way != BND_SUM_KAHAN) {
        return bnd_convert(&m->f, &m->of_x, m->x[0], m->how.rule, random_of(&m->how, 0)).code;
    }
    return (way == BND_SUM_KAHAN ? kahan(m, n) : way == BND_SUM_PAIRWISE ? pairwise(m, 0, n) : naive(m, n)).code;
}

static void check_sum(bench *b, model *m, size_t n, bnd_summation way, uint8_t packing)
{
    unsigned char *memory = memory_of(stored_bytes(&m->of_x, packing, n));
    uint64_t want = wanted(m, way, n);
    put_codes(memory, &m->of_x, packing, m->x, n);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        uint64_t got = 0;
        bnd_operand operand = {.data = memory, .format = &m->of_x, .packing = packing};
        m->how.context = &back_ends_here()->at[i];
        bool called = bnd_sum_codes(&got, &m->f, way, &operand, n, &m->how, NULL) == BND_OK;
        if (bench_note(b, called && got == want)) {
            printf("    %s: sum in way %d of %zu %s to %s, %s nan=%s%s: 0x%llx, not 0x%llx\n",
                   context_name(m->how.context), (int)way, n, m->of_x.name, m->f.name,
                   bnd_rounding_name((bnd_rounding)m->how.rule.rounding), bnd_nan_name((bnd_nan)m->how.rule.nan),
                   m->how.rule.flush_in ? " flush_in" : "", (unsigned long long)got, (unsigned long long)want);
        }
    }
    free(memory);
}

/* Most often numbers of about the same size; sometimes anything. */
static uint64_t *terms_of(const bnd_format *f, size_t n, uint64_t seed)
{
    call c = decode_call(f, true);
    uint64_t *x = operands_of(&c, n, seed);
    for (size_t i = 0; i < n; i++) {
        double size = ((double)(bnd_random(seed, 3, i) >> 11) * 0x1p-53 - 0.4) * exp2((double)(seed % 9) - 4);
        if (seed % 4 != 0 || i % 64 != 1) {
            x[i] = bnd_encode(f, f->is_signed ? size : fabs(size), (bnd_rule){.rounding = BND_RNE}, 0).code;
        }
    }
    return x;
}

static void test_sums(void)
{
    bench b;
    bench_open(&b, "sums");
    format_list all = all_formats();
    for (size_t k = 0; k < scaled(4 * all.with_codes); k++) {
        static const size_t lengths[] = {0, 1, 2, 3, 7, 64, 100, 333, 1025, 1100};
        const uint64_t random = bnd_random(k, 0, 0);
        model m = {.f = all.at[k % all.with_codes], .of_x = all.at[k % all.with_codes]};
        if ((random & 3) == 0) {
            m.of_x = all.at[(random >> 8) % all.with_codes];
        }
        m.how.rule = (random >> 2 & 3) == 0   ? (bnd_rule){.rounding = (uint8_t)((random >> 4) % BND_ROUNDINGS)}
                     : (random >> 2 & 3) == 1 ? (bnd_rule){.rounding = (uint8_t)((random >> 4) % BND_RTO)}
                                              : random_rule(random >> 4);
        m.how.seed = k;
        m.how.first = random >> 20;
        size_t n = lengths[(random >> 33) % (sizeof lengths / sizeof lengths[0])];
        uint64_t *x = terms_of(&m.of_x, n, k);
        m.x = x;
        for (unsigned way = 0; way < BND_SUMMATIONS; way++) {
            check_sum(&b, &m, n, (bnd_summation)way, (uint8_t)(random >> 60 & 1));
        }
        free(x);
    }
    free(all.at);
    bench_close(&b);
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
    for (unsigned way = 0; way < BND_SUMMATIONS; way++) {
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
    CU_ASSERT_EQUAL(bnd_sum_f32(&sum, BND_SUMMATIONS, &operand, 3, &fp16, NULL, NULL), BND_BAD_ARGUMENT);
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
        for (unsigned mode = 0; mode < BND_ROUNDINGS; mode++) {
            const bnd_array how = {.rule = {.rounding = (uint8_t)mode, .random_bits = 5}};
            float sum = 5, other = 5;
            CU_ASSERT_EQUAL(bnd_sum_f32(&sum, BND_SUM_NAIVE, &to_zero, 2, &f, &how, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_sum_f32(&other, BND_SUM_PAIRWISE, &zeros, 2, &f, &how, NULL), BND_OK);
            CU_ASSERT(sum == 0 && (signbit(sum) != 0) == (mode == BND_RDN));
            CU_ASSERT(other == 0 && signbit(other) != 0);
        }
    }
}

CU_TestInfo sum_tests[] = {
    {"where sums stall", test_stalls},        {"small terms", test_small_terms},
    {"every addition by itself", test_sums},  {"zeros", test_zeros},
    {"numbers and value sets", test_numbers}, CU_TEST_INFO_NULL,
};
