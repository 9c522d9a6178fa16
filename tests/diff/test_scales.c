/* Scale rules: each recovers the scales that float arithmetic of a tool gives, and is told from its neighbours. */
#include "tests.h"

#include <math.h>
#include <string.h>

enum { GROUPS = 4096, SIZE = 16 };

typedef struct made_scales {
    float x[GROUPS * SIZE], amax[GROUPS], stored[GROUPS], tensor_amax;
} made_scales;

static made_scales *fresh(void)
{
    static made_scales m;
    make_base(m.x, GROUPS * SIZE, 7);
    m.tensor_amax = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        m.amax[g] = 0;
        for (size_t i = 0; i < SIZE; i++) {
            m.amax[g] = fmaxf(m.amax[g], fabsf(m.x[g * SIZE + i]));
        }
        m.tensor_amax = fmaxf(m.tensor_amax, m.amax[g]);
    }
    return &m;
}

static bndi_scale_facts facts(bnd_format_row element, bnd_format_row stored)
{
    return (bndi_scale_facts){
        .element = *bnd_format_at(element), .stored = *bnd_format_at(stored), .factor = 1, .divisor = 1};
}

/* The row reproduces all; others of its kind that are told apart do not. */
static void check(const made_scales *m, bndi_scale_kind of, const bndi_scale_facts *f, const char *name,
                  const char *other)
{
    bndi_scale_counts counts = {.scales = 0};
    bndi_tally_scales(&counts, of, f, m->amax, m->stored, GROUPS);
    CU_ASSERT_EQUAL(counts.scales, GROUPS);
    CU_ASSERT_EQUAL(counts.made[scale_row(of, name)], GROUPS);
    CU_ASSERT_EQUAL(counts.raised[scale_row(of, name)], 0);
    if (other != NULL) {
        CU_ASSERT(counts.made[scale_row(of, other)] < GROUPS);
        CU_ASSERT(counts.made[scale_row(of, other)] > 0);
    }
}

static void test_plain(void)
{
    made_scales *m = fresh();
    bndi_scale_facts f = facts(BND_FORMAT_E4M3, BND_FORMAT_FP32);
    const float reciprocal = 1.0F / 448.0F;
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = m->amax[g] / 448.0F;
    }
    check(m, BNDI_OF_PLAIN, &f, "amax", "amax-reciprocal");
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = m->amax[g] * reciprocal;
    }
    check(m, BNDI_OF_PLAIN, &f, "amax-reciprocal", "amax");
    for (size_t g = 0; g < GROUPS; g++) {
        volatile float inverse = 448.0F / m->amax[g];
        m->stored[g] = 1.0F / inverse;
    }
    check(m, BNDI_OF_PLAIN, &f, "amax-inverse", "amax");
    f = facts(BND_FORMAT_E4M3, BND_FORMAT_BF16);
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = to_bf16(m->amax[g] / 448.0F);
    }
    check(m, BNDI_OF_PLAIN, &f, "amax", NULL);
    check(m, BNDI_OF_PLAIN, &f, "amax-bf16", NULL);
    f = facts(BND_FORMAT_E4M3, BND_FORMAT_FP32); /* bf16 numbers in fp32 words */
    check(m, BNDI_OF_PLAIN, &f, "amax-bf16", NULL);
}

/* A least scale is one number, and explains only scales below it; zeros have their own. */
static void test_least(void)
{
    made_scales *m = fresh();
    bndi_scale_facts f = facts(BND_FORMAT_E4M3, BND_FORMAT_FP32);
    const size_t row = scale_row(BNDI_OF_PLAIN, "amax");
    size_t raised = 0;
    f.least = 0.05F / 448.0F;
    f.zero = 1;
    m->amax[5] = m->amax[9] = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        raised += m->amax[g] < 0.05F && m->amax[g] != 0;
        m->stored[g] = m->amax[g] == 0 ? 1 : fmaxf(m->amax[g], 0.05F) / 448.0F;
    }
    bndi_scale_counts counts = {.scales = 0};
    bndi_tally_scales(&counts, BNDI_OF_PLAIN, &f, m->amax, m->stored, GROUPS);
    CU_ASSERT(raised > 0 && raised < GROUPS);
    CU_ASSERT_EQUAL(counts.made[row], GROUPS);
    CU_ASSERT_EQUAL(counts.raised[row], raised);
    m->stored[9] = 2; /* of a group of zeros */
    m->amax[11] = NAN;
    counts = (bndi_scale_counts){.scales = 0};
    bndi_tally_scales(&counts, BNDI_OF_PLAIN, &f, m->amax, m->stored, GROUPS);
    CU_ASSERT_EQUAL(counts.scales, GROUPS - 1);
    CU_ASSERT_EQUAL(counts.made[row], GROUPS - 2);
}

/* floor(log2 x) of a normal number, by its bits. */
static int exponent_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 23 & 255) - 127;
}

static float with_added(float x, uint32_t added)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += added;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static void test_powers(void)
{
    made_scales *m = fresh();
    bndi_scale_facts f = facts(BND_FORMAT_E4M3, BND_FORMAT_E8M0);
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = ldexpf(1, exponent_of(m->amax[g]) - 8);
    }
    check(m, BNDI_OF_POWERS, &f, "floor", "rceil");
    for (size_t g = 0; g < GROUPS; g++) { /* compressed-tensors: mantissas from 1.75 on are the next power */
        m->stored[g] = ldexpf(1, exponent_of(with_added(m->amax[g], 1U << 21)) - 8);
    }
    check(m, BNDI_OF_POWERS, &f, "ct", "even");
    for (size_t g = 0; g < GROUPS; g++) { /* torchao: half a step of e4m3 below it */
        m->stored[g] = ldexpf(1, exponent_of(with_added(m->amax[g], 1U << 19)) - 8);
    }
    check(m, BNDI_OF_POWERS, &f, "even", "ct");
    for (size_t g = 0; g < GROUPS; g++) {
        int k = exponent_of(m->amax[g]) - 20;
        while (ldexp(448, k) < (double)m->amax[g]) {
            k++;
        }
        m->stored[g] = ldexpf(1, k);
    }
    check(m, BNDI_OF_POWERS, &f, "rceil", "floor");
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = exp2f(ceilf((float)log2((double)(m->amax[g] / 448.0F))));
    }
    check(m, BNDI_OF_POWERS, &f, "rceil-log2", "floor");
}

/* A quotient below fp32's numbers is 0, and beyond them infinite: neither has a logarithm. */
static void test_powers_of_nothing(void)
{
    static const char *const names[] = {"rceil-log2", "rceil-log2-reciprocal", "round-log2", "nearest", "floor-log2"};
    bndi_scale_facts f = facts(BND_FORMAT_E4M3, BND_FORMAT_E8M0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bndi_scale_row *row = bndi_scale_row_at(scale_row(BNDI_OF_POWERS, names[i]));
        CU_ASSERT_EQUAL(bndi_scale_by(row, &f, 0x1p-149, false), 0);
    }
    f.inverted = true;
    const bndi_scale_row *row = bndi_scale_row_at(scale_row(BNDI_OF_POWERS, "rceil-log2"));
    CU_ASSERT_EQUAL(bndi_scale_by(row, &f, 0x1p-149, false), INFINITY);
}

/* e4m3 of a positive number that is at least 2^-6, to nearest even. */
static float to_e4m3(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (1U << 19) - 1 + (bits >> 20 & 1);
    bits &= ~((1U << 20) - 1);
    memcpy(&x, &bits, sizeof bits);
    return x > 448 ? 448 : x;
}

static void test_nvfp4(void)
{
    made_scales *m = fresh();
    bndi_scale_facts f = facts(BND_FORMAT_E2M1, BND_FORMAT_E4M3);
    f.tensor_amax = m->tensor_amax;
    f.factor = m->tensor_amax / 2688.0F; /* ModelOpt */
    f.divisor = 1.0F / f.factor;
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = to_e4m3(m->amax[g] / (6.0F * f.factor));
    }
    check(m, BNDI_OF_BLOCKS, &f, "amax", NULL);
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = to_e4m3(m->amax[g] / (g % 3 == 0 ? 4.0F * f.factor : 6.0F * f.factor));
    }
    check(m, BNDI_OF_BLOCKS, &f, "four-six", "amax");
    f.divisor = 2688.0F / m->tensor_amax; /* compressed-tensors of bf16 weights */
    f.factor = 1.0F / f.divisor;
    for (size_t g = 0; g < GROUPS; g++) {
        m->stored[g] = to_e4m3(f.divisor * to_bf16(m->amax[g] / 6.0F));
    }
    check(m, BNDI_OF_BLOCKS, &f, "amax-times-divisor-bf16", "amax-times-divisor");
}

CU_TestInfo scale_tests[] = {
    {"fp32 and bf16 scales", test_plain},     {"a least scale, and scales of zeros", test_least},
    {"powers of two", test_powers},           {"powers of two of 0 and infinity", test_powers_of_nothing},
    {"scales of NVFP4's blocks", test_nvfp4}, CU_TEST_INFO_NULL};
