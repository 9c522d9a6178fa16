/* Stochastic modes with given random bits: on random operands, and where one more random bit decides. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/comparison.h"
#include "tests.h"

static const uint8_t bit_counts[] = {0, 1, 2, 3, 7, 8, 16, 31, 32, 53, 61, 62};
enum { BIT_COUNTS = sizeof bit_counts / sizeof bit_counts[0] };
static const bnd_rounding modes[] = {BND_ROUND_SR, BND_ROUND_SRA, BND_ROUND_SRB};

static uint64_t ones(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

static void judge_extremes(comparison *b, const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    unsigned bits = rule.random_bits == 0 ? BND_RANDOM_BITS_DEFAULT : rule.random_bits;
    const uint64_t drawn[] = {0, 1, ones(bits), UINT64_MAX, ones(bits - 1), ones(bits - 1) + 1, random};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        judge_double(b, f, x, rule, drawn[i]);
    }
}

static const char *const wider[] = {
    "fp16",          "bf16",   "dlfloat16", "fp32",     "tf32", "fp64", "e6m9",
    "e1m3",          "e3m0",   "e5m2nosub", "e5m2none", "p11",  "p1",   "p11emin-14emax15",
    "p1emin-9emax9", "e15m48", "e5m10b12fn"};
enum { WIDER = sizeof wider / sizeof wider[0] };

static void judge_operands(comparison *b, const bnd_format *f, uint64_t seed, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        double x = stratified_double(f, seed, k);
        uint64_t random = bnd_random(seed, 3, k);
        bnd_rule rule = {.tiny_before = random >> 60 & 1};
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            rule.rounding = (uint8_t)modes[m];
            rule.random_bits = bit_counts[k % BIT_COUNTS];
            judge_extremes(b, f, x, rule, random);
        }
        rule.rounding = BND_ROUND_SR_EQUAL;
        judge_double(b, f, x, rule, random);
        judge_double(b, f, x, rule, random ^ 1);
    }
}

static void test_operands(void)
{
    comparison b;
    comparison_open(&b, "stochastic");
    size_t count = small_formats(NULL, 8, 8);
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    small_formats(formats, 8, 8);
    for (size_t i = 0; i < count; i++) {
        judge_operands(&b, &formats[i], 40 + i, scaled(300));
    }
    free(formats);
    for (size_t i = 0; i < WIDER; i++) {
        bnd_format f = format_named(wider[i]);
        judge_operands(&b, &f, 500 + i, scaled(2000));
    }
    comparison_close(&b);
}

/* A finite value in units of 2^unit. */
static void in_units(mpz_t out, const bndi_oracle_value *value, int64_t unit)
{
    mpz_set_ui(out, value->significand);
    mpz_mul_2exp(out, out, value->significand == 0 ? 0 : (mp_bitcnt_t)(value->quantum - unit));
}

/* b->x = magnitude + eighths / 2^(N+3) of the step to the next: around every place where the rounding of the discarded
 * fraction to N bits changes; and, where `more`, a little beyond: a bit that stands `far` places further down. */
static void set_fraction_of_step(comparison *b, const bndi_oracle_shape *shape, uint64_t magnitude, unsigned bits,
                                 mpz_srcptr eighths, bool more, unsigned far)
{
    bndi_oracle_value low = bndi_oracle_grid_value(shape, magnitude);
    bndi_oracle_value high = bndi_oracle_grid_value(shape, magnitude + 1);
    int64_t unit = low.significand == 0 || high.quantum < low.quantum ? high.quantum : low.quantum;
    mpz_t sum, step;
    mpz_inits(sum, step, (mpz_ptr)NULL);
    in_units(sum, &low, unit);
    in_units(step, &high, unit);
    mpz_sub(step, step, sum);
    mpz_mul_2exp(sum, sum, bits + 3);
    mpz_addmul(sum, step, eighths);
    mpz_mul_2exp(sum, sum, far);
    mpz_add_ui(sum, sum, more);
    bndi_oracle_set_dyadic(&b->x, false, sum, unit - (int64_t)bits - 3 - (int64_t)far);
    mpz_clears(sum, step, (mpz_ptr)NULL);
}

/* Any magnitude, and more often the lowest and the topmost: above 0 the step is all of the number. */
static uint64_t chosen_magnitude(const bndi_oracle_shape *shape, uint64_t random)
{
    switch (random >> 60 & 7) {
    case 0:
    case 1:
        return 0;
    case 2:
        return (random & 3) % (shape->max_code + 1);
    case 3:
        return shape->max_code;
    default:
        return random % (shape->max_code + 1);
    }
}

/* Random bits that bring the sum to 2^N, and one less, and one more. */
static void judge_boundary(comparison *b, const bnd_format *f, const bndi_oracle_shape *shape, uint64_t i)
{
    unsigned bits = bit_counts[1 + i % (BIT_COUNTS - 1)];
    uint64_t magnitude = chosen_magnitude(shape, bnd_random(71, 1, i));
    uint64_t spread = bnd_random(71, 6, i);
    uint64_t whole = (bnd_random(71, 2, i) & ones(bits)) >> (spread & 1 ? (spread >> 8) % bits : 0);
    mpz_t eighths;
    mpz_init_set_ui(eighths, whole);
    mpz_mul_ui(eighths, eighths, 8);
    mpz_add_ui(eighths, eighths, bnd_random(71, 3, i) & 7);
    unsigned far = spread & 2 ? (unsigned)(spread >> 16) & 127 : 200;
    set_fraction_of_step(b, shape, magnitude, bits, eighths, bnd_random(71, 4, i) & 1, far);
    mpz_clear(eighths);
    if (bndi_oracle_is_zero(&b->x)) {
        return;
    }
    b->x.negative = f->is_signed && bnd_random(71, 5, i) & 1;
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        bnd_rule rule = {.rounding = (uint8_t)modes[m], .random_bits = (uint8_t)bits};
        for (uint64_t extra = 0; extra < 4; extra++) {
            judge_number(b, f, rule, (ones(bits) - whole + extra - 1) & ones(bits));
        }
    }
    judge_number_in_all_modes(b, f, (bnd_rule){0});
}

static void test_boundaries(void)
{
    static const char *const names[] = {"e4m3", "e5m2",      "e2m1",      "e8m0", "binary8p1se", "binary8p3ue",
                                        "fp16", "bf16",      "dlfloat16", "fp32", "tf32",        "fp64",
                                        "e3m0", "e5m2nosub", "e15m48",    "e1m3"};
    comparison b;
    comparison_open(&b, "stochastic boundaries");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = format_named(names[i]);
        bndi_oracle_shape shape;
        bndi_oracle_describe(&shape, &f);
        uint64_t count = scaled(5000);
        for (uint64_t k = 0; k < count; k++) {
            judge_boundary(&b, &f, &shape, k);
        }
    }
    comparison_close(&b);
}

CU_TestInfo stochastic_tests[] = {
    {"operands", test_operands},
    {"boundaries", test_boundaries},
    CU_TEST_INFO_NULL,
};
