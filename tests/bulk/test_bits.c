/* encode, decode and round against the codec: every format, every mode, every choice of a rule. */
#include <stdlib.h>

#include "expected.h"
#include "tests.h"

/* All upper halves of fp32, each with a lower half that is zero, a little, half of it, or anything. */
static numbers upper_halves(uint64_t seed)
{
    static const uint64_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    uint64_t stride = scaled_stride();
    numbers n = {.count = (size_t)(65536 / stride), .bits = memory_of(65536 * sizeof(uint64_t))};
    for (size_t i = 0; i < n.count; i++) {
        uint64_t random = bnd_random(seed, 11, i);
        n.bits[i] = (uint64_t)i * stride << 16 | ((random & 7) < 6 ? lower[random & 7] : random >> 16 & 0xffff);
    }
    return n;
}

static void test_upper_halves(void)
{
    bench b;
    bench_open(&b, "upper halves of fp32");
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = bnd_format_at(row);
        for (uint8_t mode = 0; mode < BND_DETERMINISTIC_MODES; mode++) {
            bnd_array how = {.rule.rounding = mode, .packing = mode % 2};
            numbers x = upper_halves(row * BND_DETERMINISTIC_MODES + mode);
            check_numbers(&b, &f, &x, &how);
            numbers_free(&x);
        }
    }
    bench_close(&b);
}

static void test_any_rule(void)
{
    bench b;
    bench_open(&b, "any rule");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        const bnd_format *f = &formats.at[k];
        for (int wide = 0; wide < 2; wide++) {
            numbers all = numbers_for(f, wide, 4096, 900 + k);
            uint64_t rules = scaled(40);
            for (uint64_t i = 0; i < rules; i++) {
                bnd_array how = {.rule = random_rule(bnd_random(k, 12, i)), .packing = i % 2, .seed = k, .first = i};
                size_t start = (size_t)(i * 307 % 3500);
                numbers x = {.wide = wide, .count = 600 - 8 * (i % 4) - i % 3, .bits = all.bits + start};
                x.count = x.count < all.count - start ? x.count : all.count - start;
                check_numbers(&b, f, &x, &how);
            }
            numbers_free(&all);
        }
    }
    free(formats.at);
    bench_close(&b);
}

static void check_stochastic(bench *b, const bnd_format *f, const numbers *x, uint64_t seed)
{
    static const uint8_t bits[] = {1, 8, 16, 24, 32, 62, 0};
    static const uint8_t modes[] = {BND_SR, BND_SRA, BND_SRB};
    bnd_array how = {.seed = seed, .purpose = 5, .first = seed % 9};
    for (size_t i = 0; i < sizeof bits; i++) {
        for (size_t m = 0; m < sizeof modes; m++) {
            how.rule = (bnd_rule){.rounding = modes[m], .random_bits = bits[i]};
            check_numbers(b, f, x, &how);
        }
    }
    how.rule = (bnd_rule){.rounding = BND_SR_EQUAL};
    check_numbers(b, f, x, &how);
}

static void test_stochastic_modes(void)
{
    bench b;
    bench_open(&b, "stochastic modes");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        for (int wide = 0; wide < 2; wide++) {
            numbers x = numbers_for(&formats.at[k], wide, (size_t)scaled(600), 300 + k);
            check_stochastic(&b, &formats.at[k], &x, 70 + k);
            numbers_free(&x);
        }
    }
    free(formats.at);
    bench_close(&b);
}

/* Every code of the formats up to 16 bits; elsewhere random ones, with exponent fields all zeros and all ones. */
static void test_decode(void)
{
    bench b;
    bench_open(&b, "decode");
    format_list formats = all_formats();
    uint64_t *codes = memory_of(65536 * sizeof *codes);
    for (size_t k = 0; k < formats.with_codes; k++) {
        const bnd_format *f = &formats.at[k];
        bool small = f->width <= 16;
        uint64_t width_mask = UINT64_MAX >> (64 - f->width), stride = small ? scaled_stride() : 1;
        uint64_t exponent_field = ((UINT64_C(1) << f->exponent_bits) - 1) << f->fraction_bits;
        size_t count = small ? (size_t)((width_mask + stride) / stride) : (size_t)scaled(3000);
        for (size_t i = 0; i < count; i++) {
            uint64_t random = bnd_random(k, 13, i);
            uint64_t any = i % 4 == 0 ? random & ~exponent_field : i % 4 == 1 ? random | exponent_field : random;
            any = i % 8 < 4 ? any : any & ~((UINT64_C(1) << f->fraction_bits) - 1 - (random >> 58));
            codes[i] = small ? (uint64_t)i * stride : any & width_mask;
        }
        for (int wide = 0; wide < 2; wide++) {
            bnd_array how = {.packing = (uint8_t)((k + (size_t)wide) % 2)};
            check_decode(&b, f, wide, codes, count, &how);
        }
    }
    free(codes);
    free(formats.at);
    bench_close(&b);
}

CU_TestInfo bit_tests[] = {
    {"every upper half of fp32, every row and deterministic mode", test_upper_halves},
    {"any rule", test_any_rule},
    {"stochastic modes", test_stochastic_modes},
    {"decode", test_decode},
    CU_TEST_INFO_NULL,
};
