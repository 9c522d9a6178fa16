/* encode, decode, round and convert against the codec, by every back end: every format, every mode, every choice of a
 * rule. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "tests.h"

/* All upper halves of fp32, each with a lower half that is zero, a little, half of it, or anything. */
static size_t upper_halves(uint64_t *bits, uint64_t seed)
{
    static const uint64_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    uint64_t stride = scaled_stride();
    size_t count = (size_t)(65536 / stride);
    for (size_t i = 0; i < count; i++) {
        uint64_t random = bnd_random(seed, 11, i);
        bits[i] = (uint64_t)i * stride << 16 | ((random & 7) < 6 ? lower[random & 7] : random >> 16 & 0xffff);
    }
    return count;
}

/* Every row, in the mode's order; the statistics of one mode of each row. */
static void test_upper_halves(void)
{
    comparison b;
    comparison_open(&b, "upper halves of fp32");
    uint64_t *bits = memory_of(65536 * sizeof *bits);
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        for (uint8_t mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
            bnd_array how = {.rule.rounding = mode, .packing_in = mode % 2, .packing_out = mode / 2 % 2};
            size_t count = upper_halves(bits, row * BND_ROUND_DETERMINISTIC_COUNT + mode);
            check_numbers(&b, &f, false, bits, count, &how, row % BND_ROUND_DETERMINISTIC_COUNT == mode);
        }
    }
    free(bits);
    comparison_close(&b);
}

/* Each overflow with each NaN, and every way to flush, over the modes. */
static bnd_rule policy(unsigned i)
{
    return (bnd_rule){
        .overflow = (uint8_t)(i % BND_OVERFLOW_COUNT),
        .nan = (uint8_t)(i % BND_NAN_COUNT),
        .no_nan = i / 2 % 2,
        .negative = i % 3 == 1,
        .zero = i / 4 % 2,
        .tie_rule = (uint8_t)(i / 5 % 3),
        .flush_in = i / 3 % 2 != 0,
        .flush_out = (uint8_t)(i % 4 == 1   ? BND_FLUSH_SUBNORMAL
                               : i % 4 == 2 ? BND_FLUSH_TINY
                                            : BND_FLUSH_NONE),
        .tiny_before = i % 7 == 3,
    };
}

/* Encoding and rounding together: the codec is asked for the codes, and rounded numbers are the values of those. (That
 * they are is compared above.) */
static void check_headline(comparison *b, const bnd_format *f, const uint64_t *values, size_t n, const uint64_t *bits,
                           const bnd_array *how)
{
    call encode = encode_call(f, false), round = round_call(f, false);
    uint64_t *answers = memory_of(n * sizeof *answers);
    for (size_t i = 0; i < n; i++) {
        answers[i] = answer_of(&encode, bits[i], how, i);
    }
    check_answers(b, &encode, bits, answers, n, how, NULL);
    for (size_t i = 0; i < n; i++) {
        answers[i] = values[answers[i]];
    }
    check_answers(b, &round, bits, answers, n, how, NULL);
    free(answers);
}

static void check_policies(comparison *b, const bnd_format *f, uint64_t seed)
{
    enum { POLICIES = 8 }; /* of the 30 pairs; another eight in the next mode */
    static const uint8_t random_bits[] = {8, 16, 4, 32, 12, 24, 1};
    call decode = decode_call(f, false);
    bnd_array how = {.seed = seed, .first = seed};
    uint64_t *bits = memory_of(65536 * sizeof *bits), *values = memory_of((sizeof *values) << f->width);
    for (uint64_t code = 0; code >> f->width == 0; code++) {
        values[code] = answer_of(&decode, code, &how, 0);
    }
    for (unsigned i = 0; i < BND_ROUND_COUNT * POLICIES; i++) {
        unsigned mode = i / POLICIES;
        size_t n = upper_halves(bits, seed + i);
        how.rule = policy(i % POLICIES + POLICIES * (mode % 3));
        how.rule.rounding = (uint8_t)mode;
        how.rule.random_bits = random_bits[i % sizeof random_bits];
        how.packing_in = i / 2 % 2;
        how.packing_out = i / 4 % 2;
        check_headline(b, f, values, n, bits, &how);
    }
    free(values);
    free(bits);
}

static void test_headline_policies(void)
{
    static const char *const names[] = {"fp16", "bf16", "tf32", "e4m3", "e5m2", "e2m1", "e8m0"};
    comparison b;
    comparison_open(&b, "headline formats, every mode, the main policies");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        check_policies(&b, &f, 1000 + 1000 * k);
    }
    comparison_close(&b);
}

/* The rule of every dialect, in its own rounding mode and in every other. */
static void test_dialects(void)
{
    comparison b;
    comparison_open(&b, "dialects");
    uint64_t *bits = memory_of(65536 * sizeof *bits);
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        for (size_t d = 0; d < bnd_dialect_count(); d++) {
            bnd_array how = {.seed = d};
            for (unsigned i = 0; bnd_dialect_rule(&how.rule, d, &f) && i <= BND_ROUND_COUNT; i++) {
                how.rule.rounding = i < BND_ROUND_COUNT ? (uint8_t)i : how.rule.rounding;
                size_t count = upper_halves(bits, 77 * d + i), n = i < BND_ROUND_COUNT ? count / 16 : count;
                check_numbers(&b, &f, false, bits + (i < BND_ROUND_COUNT ? count / 16 * i : 0), n, &how, false);
            }
        }
    }
    free(bits);
    comparison_close(&b);
}

static void test_any_rule(void)
{
    enum { COUNT = 4096, MOST = 1100 };
    comparison b;
    comparison_open(&b, "any rule");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        const bnd_format *f = &formats.at[k];
        for (int wide = 0; wide < 2; wide++) {
            call c = round_call(f, wide);
            uint64_t *all = operands_of(&c, COUNT, 900 + k);
            for (uint64_t i = 0; i < scaled(25); i++) {
                uint64_t random = bnd_random(k, 14, i);
                bnd_array how = {.rule = random_rule(bnd_random(k, 12, i)), .seed = k, .first = i};
                how.packing_in = random & 1;
                how.packing_out = random >> 2 & 1;
                size_t n = 1 + (size_t)(random >> 8 & 0xffff) % (i % 4 == 0 ? MOST : 300);
                const uint64_t *numbers = all + (random >> 32) % (COUNT - MOST);
                check_numbers(&b, f, wide, numbers, n, &how, i % 4 == 1);
            }
            free(all);
        }
    }
    free(formats.at);
    comparison_close(&b);
}

/* Runs of one number, which fill whole vectors: the limits of a format, and their neighbours. A format whose numbers
 * are all subnormal has its normal one above the largest: e1m1, 2 and 1. */
static void check_limit(comparison *b, const bnd_format *f, bool wide, uint64_t limit, size_t which)
{
    enum { RUN = 40, RULES = 2 * BND_OVERFLOW_COUNT };
    static const uint8_t modes[] = {BND_ROUND_RNE, BND_ROUND_RTZ, BND_ROUND_RUP, BND_ROUND_SRA};
    uint64_t numbers[RUN];
    for (size_t i = 0; i < RULES; i++) {
        const uint64_t number = limit + (which + i) % 3 - 1;
        bnd_array how = {.rule = {.rounding = modes[(which / 3 + i / 2) % 4], .flush_out = i % 2 == 1}};
        how.rule.overflow = (uint8_t)(i / 2);
        how.rule.random_bits = how.rule.rounding == BND_ROUND_SRA ? 57 : 0;
        for (size_t at = 0; at < RUN; at++) {
            numbers[at] = number;
        }
        check_numbers(b, f, wide, numbers, RUN, &how, false);
    }
}

static void test_limits(void)
{
    comparison b;
    comparison_open(&b, "limits");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        const bnd_format *f = &formats.at[k];
        const double limits[] = {ldexp((double)f->least_significand, f->least_quantum),
                                 ldexp((double)f->normal_significand, f->normal_quantum),
                                 ldexp((double)f->max_significand, f->max_quantum)};
        for (size_t i = 0; i < 18; i++) {
            const double limit = limits[i / 6];
            const bool wide = i % 2 != 0;
            const uint64_t bits = wide ? bndi_bits_of_double(limit) : bndi_bits_of_float((float)limit);
            if (bits != 0) {
                check_limit(&b, f, wide, bits, i / 2 + k);
            }
        }
    }
    free(formats.at);
    comparison_close(&b);
}

static void check_stochastic(comparison *b, const bnd_format *f, bool wide, const uint64_t *numbers, size_t n,
                             uint64_t seed)
{
    static const uint8_t bits[] = {1, 8, 16, 24, 32, 62, 0};
    static const uint8_t modes[] = {BND_ROUND_SR, BND_ROUND_SRA, BND_ROUND_SRB};
    bnd_array how = {.seed = seed, .purpose = 5, .first = seed % 9};
    for (size_t i = 0; i < sizeof bits; i++) {
        for (size_t m = 0; m < sizeof modes; m++) {
            how.rule = (bnd_rule){.rounding = modes[m], .random_bits = bits[i]};
            check_numbers(b, f, wide, numbers, n, &how, (i + m) % 7 == seed % 7);
        }
    }
    how.rule = (bnd_rule){.rounding = BND_ROUND_SR_EQUAL};
    check_numbers(b, f, wide, numbers, n, &how, true);
}

static void test_stochastic_modes(void)
{
    comparison b;
    comparison_open(&b, "stochastic modes");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        for (int wide = 0; wide < 2; wide++) {
            size_t n = (size_t)scaled(200);
            call c = round_call(&formats.at[k], wide);
            uint64_t *numbers = operands_of(&c, n, 300 + k);
            check_stochastic(&b, &formats.at[k], wide, numbers, n, 70 + k);
            free(numbers);
        }
    }
    free(formats.at);
    comparison_close(&b);
}

/* Every number of random bits, from the first element of a block of them on or from any other, near 2^64 too. */
static void test_random_bits(void)
{
    static const char *const names[] = {"fp16", "bf16", "e4m3", "e2m1", "e8m0", "binary8p1ue", "tf32", "e8m22", "fp32"};
    static const uint64_t firsts[] = {0, 1, 5, 8, UINT64_C(0xffffffff) * 8 - 3, UINT64_MAX - 40};
    enum { COUNT = 150 };
    comparison b;
    comparison_open(&b, "every number of random bits");
    for (unsigned bits = 1; bits <= BND_RANDOM_BITS_MAX; bits++) {
        for (size_t k = 0; k < 2 * sizeof names / sizeof names[0]; k++) {
            bnd_format f = format_named(names[k / 2]);
            call c = round_call(&f, k % 2);
            uint64_t *numbers = operands_of(&c, COUNT, 100 * bits + k);
            for (uint8_t mode = BND_ROUND_SR; mode <= BND_ROUND_SRB; mode++) {
                bnd_array how = {.rule = {.rounding = mode, .random_bits = (uint8_t)bits}};
                how.seed = UINT64_C(0x9e3779b97f4a7c15) * bits;
                how.purpose = bnd_random(1, k, bits) >> 20;
                how.first = firsts[(bits + k) % (sizeof firsts / sizeof firsts[0])];
                check_numbers(&b, &f, k % 2, numbers, COUNT - bits % 9, &how, false);
            }
            free(numbers);
        }
    }
    comparison_close(&b);
}

/* Every code of the formats up to 16 bits; elsewhere random ones, with exponent fields all zeros and all ones. */
/* Formats that begin where fp32 does, with a narrower exponent: their codes are no upper halves of words. */
static void test_lower_ends(void)
{
    static const char *const names[] = {"e7m7b127", "e6m7b127fn", "e5m7b127", "e3m7b127", "e8m7"};
    static const uint8_t modes[] = {BND_ROUND_SR, BND_ROUND_SRA, BND_ROUND_SRB, BND_ROUND_SR_EQUAL, BND_ROUND_RNE};
    enum { FORMATS = sizeof names / sizeof names[0], MODES = sizeof modes };
    comparison b;
    comparison_open(&b, "formats at fp32's lower end");
    uint64_t *bits = memory_of(65536 * sizeof *bits);
    const size_t count = upper_halves(bits, 5);
    for (size_t i = 0; i < FORMATS * MODES * 2; i++) {
        const uint8_t mode = modes[i / 2 % MODES];
        bnd_format f = format_named(names[i / 2 / MODES]);
        bnd_array how = {.rule.rounding = mode, .seed = i};
        how.rule.random_bits = mode == BND_ROUND_RNE || mode == BND_ROUND_SR_EQUAL ? 0 : (uint8_t)(15 + i % 2);
        call c = encode_call(&f, false);
        check_call(&b, &c, bits, count, &how, true);
    }
    free(bits);
    comparison_close(&b);
}

static void test_decode(void)
{
    comparison b;
    comparison_open(&b, "decode");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.with_codes; k++) {
        const bnd_format *f = &formats.at[k];
        bool small = f->width <= 16;
        uint64_t stride = small ? scaled_stride() : 1, highest = UINT64_MAX >> (64 - f->width);
        size_t n = small ? (size_t)((highest + stride) / stride) : (size_t)scaled(3000);
        for (int wide = 0; wide < 2; wide++) {
            call c = decode_call(f, wide);
            uint64_t *codes = operands_of(&c, n, k);
            for (size_t i = 0; small && i < n; i++) {
                codes[i] = (uint64_t)i * stride;
            }
            for (uint8_t packing = 0; packing < 2; packing++) {
                bnd_array how = {.packing_in = packing, .packing_out = !packing};
                check_call(&b, &c, codes, n, &how, false);
            }
            free(codes);
        }
    }
    free(formats.at);
    comparison_close(&b);
}

static void test_convert(void)
{
    enum { COUNT = 256 };
    comparison b;
    comparison_open(&b, "codes to codes");
    format_list formats = all_formats();
    for (uint64_t k = 0; k < scaled(6000); k++) {
        uint64_t random = bnd_random(21, 1, k);
        call c = convert_call(&formats.at[(random >> 32) % formats.with_codes], &formats.at[k % formats.with_codes]);
        bnd_array how = {.rule = random_rule(bnd_random(21, 2, k)), .seed = k, .first = 3 * k};
        how.packing_in = random & 1;
        how.packing_out = random >> 2 & 1;
        how.rule = random & 2 ? how.rule : (bnd_rule){.rounding = how.rule.rounding};
        uint64_t *codes = operands_of(&c, COUNT, k);
        check_call(&b, &c, codes, COUNT - (random >> 8) % 20, &how, k % 4 == 0);
        free(codes);
    }
    free(formats.at);
    comparison_close(&b);
}

CU_TestInfo bit_tests[] = {
    {"every upper half of fp32, every row and deterministic mode", test_upper_halves},
    {"every upper half of fp32, headline formats by the main policies", test_headline_policies},
    {"rules of dialects", test_dialects},
    {"any rule", test_any_rule},
    {"runs of limits and their neighbours", test_limits},
    {"stochastic modes", test_stochastic_modes},
    {"every number of random bits", test_random_bits},
    {"formats at fp32's lower end", test_lower_ends},
    {"decode", test_decode},
    {"codes to codes", test_convert},
    CU_TEST_INFO_NULL,
};
