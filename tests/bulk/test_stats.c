/* Statistics that are worth a test of their own; wherever bits are compared they are compared too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "tests.h"

/* Every format by any rule, in arrays long enough for the fast part of a kernel, ordinary numbers in most of them. */
static void test_numbers(void)
{
    enum { COUNT = 700 };
    comparison b;
    comparison_open(&b, "statistics of numbers");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        for (uint64_t i = 0; i < scaled(10); i++) {
            bnd_array how = {.rule = random_rule(bnd_random(41, k, i)), .seed = i};
            how.packing_in = how.packing_out = BND_PACKING_UNPACKED;
            how.rule = i % 3 == 0 ? (bnd_rule){.rounding = how.rule.rounding} : how.rule;
            call c = round_call(&formats.at[k], i % 2);
            uint64_t *numbers = operands_of(&c, COUNT, k * 100 + i);
            check_numbers(&b, &formats.at[k], i % 2, numbers, COUNT - i % 37, &how, true);
            free(numbers);
        }
    }
    free(formats.at);
    comparison_close(&b);
}

/* ---- arrays of one kind of numbers for a while, then of another: what the vector kernels count in runs ---- */

/* `few`: one number of its own in the middle of ordinary ones. */
typedef enum pattern {
    ORDINARY, /* within twenty binades of the largest one */
    SMALL,    /* about the smallest normal number */
    SPARSE,   /* zeros of either sign among ordinary ones */
    ALIKE,    /* one number over and over: a bin with as many as there can be */
    TIES,     /* few bits: exact numbers, and midpoints */
    FEW_SMALL,
    FEW_LARGE,
    FEW_SPECIAL,
    ANY, /* all bits random */
    NOTHING,
    PATTERNS
} pattern;

static uint32_t number_at(int field, uint64_t random)
{
    int clamped = field < 0 ? 0 : field > 255 ? 255 : field;
    return (uint32_t)(random >> 63) << 31 | (uint32_t)clamped << 23 | (uint32_t)(random >> 40 & 0x7fffff);
}

/* Binade k below `field` with a chance of 2^-k. */
static uint32_t ordinary(int field, uint64_t random)
{
    return number_at(field - __builtin_ctz((unsigned)random | 1u << 19), random);
}

static uint32_t patterned(const bnd_format *f, pattern what, int field, bool middle, uint64_t seed, uint64_t random)
{
    static const uint32_t specials[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xff800001, 0x00000001, 0x807fffff};
    uint32_t x = ordinary(field, random);
    switch (what) {
    case SMALL:
        return number_at(127 + f->emin - (int)(random & 7) + 3, random);
    case SPARSE:
        return (random & 0x300) != 0 ? x & 0x80000000 : x;
    case ALIKE:
        return ordinary(field, seed);
    case TIES:
        return x & ~((UINT32_C(1) << (24 - (f->precision < 22 ? f->precision : 22))) - 1) << (random >> 32 & 1);
    case FEW_SMALL:
        return middle ? number_at(field - 24 - (int)(random & 31), random) : x;
    case FEW_LARGE:
        return middle ? number_at(127 + f->emax + (int)(random & 3), random) : x;
    case FEW_SPECIAL:
        return middle ? specials[random % 6] : x;
    case ANY:
        return (uint32_t)random;
    case NOTHING:
        return x & 0x80000000;
    default:
        return x;
    }
}

static void fill_patterns(uint64_t *numbers, size_t n, const bnd_format *f, uint64_t seed)
{
    size_t at = 0;
    for (uint64_t part = 0; at < n; part++) {
        uint64_t choice = bnd_random(seed, 51, part);
        size_t length = 1 + (choice >> 8 & ((choice & 64) != 0 ? 2047 : 127)), middle = choice >> 40 & 127;
        pattern what = (pattern)((choice >> 32) % PATTERNS);
        if (part == 0 && seed % 4 == 0) { /* no count may be too narrow */
            what = ALIKE;
            length = 4500;
        }
        int highest = 127 + (f->emax < 127 ? f->emax : 127), lowest = 127 + (f->emin > -127 ? f->emin : -127);
        int field = lowest + (int)((choice >> 48) % (uint64_t)(highest - lowest + 1));
        for (size_t i = 0; i < length && at < n; i++, at++) {
            numbers[at] = patterned(f, what, field, i % 128 == middle, choice, bnd_random(seed, 52, at));
        }
    }
}

/* The same numbers as fp64. NaNs keep their sign and become quiet. */
static void widen_patterns(uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = (uint32_t)numbers[i];
        float narrow;
        memcpy(&narrow, &word, sizeof narrow);
        const double wide = (double)narrow;
        memcpy(&numbers[i], &wide, sizeof wide);
    }
}

static void test_patterns(void)
{
    enum { COUNT = 9000, NAMES = 13, RULES = 6 };
    static const char *const names[NAMES] = {"e4m3",     "e5m2", "fp16", "bf16",        "tf32", "e2m1", "e6m9",
                                             "e4m3fnuz", "e3m2", "e8m3", "binary8p3se", "fp32", "e8m22"};
    static const bnd_rule rules[RULES] = {{.rounding = BND_ROUND_RNE},
                                          {.rounding = BND_ROUND_RTZ},
                                          {.rounding = BND_ROUND_RUP},
                                          {.rounding = BND_ROUND_RNE, .tiny_before = 1},
                                          {.rounding = BND_ROUND_RNE, .overflow = BND_OVERFLOW_SATURATE},
                                          {.rounding = BND_ROUND_RNE, .flush_out = 1}};
    comparison b;
    comparison_open(&b, "statistics of runs");
    uint64_t *numbers = memory_of(COUNT * sizeof *numbers);
    for (size_t i = 0; i < scaled(4 * NAMES); i++) {
        bnd_format f = format_named(names[i % NAMES]);
        /* Nearest even every other time; the others, and any mode, in between. */
        bnd_array how = {.seed = i, .packing_out = i / 2 % 2 != 0 ? BND_PACKING_UNPACKED : BND_PACKING_PACKED};
        how.rule = i % 2 == 0 ? rules[0] : i % 3 == 0 ? random_rule(bnd_random(54, i, 0)) : rules[i % RULES];
        fill_patterns(numbers, COUNT, &f, i);
        check_numbers(&b, &f, false, numbers, COUNT - i % 67, &how, true);
        widen_patterns(numbers, COUNT);
        check_numbers(&b, &f, true, numbers, COUNT - i % 67, &how, true);
    }
    free(numbers);
    comparison_close(&b);
}

/* In place: results where the numbers were, the same statistics. */
static void test_in_place(void)
{
    enum { COUNT = 5000 };
    comparison b;
    comparison_open(&b, "statistics in place");
    for (size_t i = 0; i < scaled(60); i++) {
        bnd_format f = layout_at(i % LAYOUTS);
        call c = round_call(&f, false);
        bnd_array how = {.context = &back_ends_here()->at[i / 2 % back_ends_here()->count]};
        bnd_stats apart = {0}, within = {0};
        uint64_t *numbers = memory_of(COUNT * sizeof *numbers);
        fill_patterns(numbers, COUNT, &f, i);
        unsigned char *in = memory_of(4 * COUNT), *out = memory_of(4 * COUNT);
        put_codes(in, &c.in, BND_PACKING_UNPACKED, numbers, COUNT);
        bool called = run_call(&c, out, in, COUNT, &how, &apart) == BND_OK &&
                      run_call(&c, in, in, COUNT, &how, &within) == BND_OK;
        if (comparison_note(&b,
                            called && memcmp(in, out, 4 * COUNT) == 0 && memcmp(&apart, &within, sizeof apart) == 0)) {
            print_question(&c, &how);
            print_statistics("apart", &apart);
            print_statistics("in place", &within);
        }
        free(in);
        free(out);
        free(numbers);
    }
    comparison_close(&b);
}

/* Codes in place of numbers and of other codes, where they are as large. */
static void check_codes_in_place(comparison *b, const call *c, const bnd_array *rule, uint64_t seed)
{
    enum { COUNT = 2000 };
    bnd_array how = *rule;
    how.packing_in = how.packing_out = BND_PACKING_UNPACKED;
    const size_t bytes = strided_bytes(&c->in, BND_PACKING_UNPACKED, COUNT, 1);
    if (bytes != strided_bytes(&c->out, BND_PACKING_UNPACKED, COUNT, 1)) {
        return;
    }
    uint64_t *numbers = operands_of(c, COUNT, seed);
    unsigned char *in = memory_of(bytes), *out = memory_of(bytes);
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        bnd_stats apart = {0}, within = {0};
        how.context = &back_ends_here()->at[k];
        put_codes(in, &c->in, BND_PACKING_UNPACKED, numbers, COUNT);
        bool called =
            run_call(c, out, in, COUNT, &how, &apart) == BND_OK && run_call(c, in, in, COUNT, &how, &within) == BND_OK;
        if (comparison_note(b, called && memcmp(in, out, bytes) == 0 && memcmp(&apart, &within, sizeof apart) == 0)) {
            print_question(c, &how);
            print_statistics("apart", &apart);
            print_statistics("in place", &within);
        }
    }
    free(in);
    free(out);
    free(numbers);
}

static void test_codes_in_place(void)
{
    static const bnd_rule rules[] = {
        {.rounding = BND_ROUND_RNE}, {.rounding = BND_ROUND_RUP}, {.rounding = BND_ROUND_SR, .random_bits = 16}};
    comparison b;
    comparison_open(&b, "statistics of codes in place");
    for (size_t i = 0; i < LAYOUTS * LAYOUTS; i++) {
        const bnd_format to = layout_at(i % LAYOUTS), from = layout_at(i / LAYOUTS);
        const bnd_array how = {.rule = rules[i % (sizeof rules / sizeof rules[0])], .seed = i};
        const call conversion = convert_call(&to, &from), narrow = encode_call(&to, false),
                   wide = encode_call(&to, true);
        check_codes_in_place(&b, &conversion, &how, i);
        if (i / LAYOUTS < sizeof rules / sizeof rules[0]) {
            check_codes_in_place(&b, &narrow, &how, i);
            check_codes_in_place(&b, &wide, &how, i);
        }
    }
    comparison_close(&b);
}

/* Counted by hand, and added up over two calls. */
static void check_by_hand(const bnd_context *context)
{
    const float x[] = {1.0f, 1.03125f, 500.0f, -INFINITY, NAN, 0.0f, 0x1p-12f, -0x1.8p-10f};
    unsigned char codes[8];
    bnd_format f = format_named("e4m3");
    bnd_array how = {.context = context, .rule.overflow = BND_OVERFLOW_SATURATE};
    bnd_stats s = {0};
    for (int times = 0; times < 2; times++) {
        CU_ASSERT_EQUAL(bnd_encode_f32(codes, x, 8, &f, &how, &s, NULL), BND_OK);
    }
    CU_ASSERT_EQUAL(s.elements, 16);
    CU_ASSERT_EQUAL(s.exact, 2 * 2);      /* 1, 0 */
    CU_ASSERT_EQUAL(s.inexact, 2 * 4);    /* 1.03125 to 1, 500 to 448, 2^-12 to 0, -1.5 2^-10 to -2^-9 */
    CU_ASSERT_EQUAL(s.underflows, 2 * 2); /* the last two */
    CU_ASSERT_EQUAL(s.to_zero, 2);
    CU_ASSERT_EQUAL(s.overflows, 2);
    CU_ASSERT_EQUAL(s.saturated, 2 * 2); /* 500 and the infinity */
    CU_ASSERT_EQUAL(s.infinities_in, 2);
    CU_ASSERT_EQUAL(s.nans_in, 2);
    CU_ASSERT_EQUAL(s.nans_out, 2);
    CU_ASSERT_EQUAL(s.compared, 2 * 6); /* all but the infinity and the NaN */
    CU_ASSERT_EQUAL(s.largest, 500.0);
    CU_ASSERT_EQUAL(s.smallest, 0x1p-12);
    double error = 2 * (0x1p-10 + 52.0 * 52.0 + 0x1p-24 + 0x1p-22);
    CU_ASSERT(fabs(s.squared_error - error) <= 1e-12 * error);
    CU_ASSERT_EQUAL(s.exponents[41], 2 * 2);  /* 2^0 */
    CU_ASSERT_EQUAL(s.exponents[41 + 8], 2);  /* 2^8 */
    CU_ASSERT_EQUAL(s.exponents[41 - 10], 2); /* 2^-10 */
    CU_ASSERT_EQUAL(s.exponents[41 - 12], 2); /* 2^-12 */
}

static void test_by_hand(void)
{
    check_by_hand(NULL);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        check_by_hand(&back_ends_here()->at[i]);
    }
}

/* Two calls on the two parts of an array, wherever it is cut, count what one call counts. */
static void check_cut(comparison *b, const call *c, const unsigned char *in, size_t n, size_t cut, const bnd_array *how)
{
    bnd_stats whole = {0}, parts = {0};
    bnd_array second = *how;
    unsigned char *out = memory_of(8 * n);
    second.first += cut;
    bool called =
        run_call(c, out, in, n, how, &whole) == BND_OK && run_call(c, out, in, cut, how, &parts) == BND_OK &&
        run_call(c, out, in + cut * stored_bits(&c->in, how->packing_in) / 8, n - cut, &second, &parts) == BND_OK;
    if (comparison_note(b, called && statistics_agree(&whole, &parts))) {
        print_question(c, how);
        printf("statistics of %zu elements, cut at %zu\n", n, cut);
        print_statistics("whole", &whole);
        print_statistics("parts", &parts);
    }
    free(out);
}

static void test_cuts(void)
{
    enum { COUNT = 1000 };
    comparison b;
    comparison_open(&b, "statistics of parts");
    bnd_format other = format_named("fp16");
    for (size_t k = 0; k < scaled(2000); k++) {
        bnd_format f = layout_at(k % LAYOUTS);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        const call *c = &calls[k / LAYOUTS % CALLS];
        if (c->kind == DECODE) {
            continue;
        }
        bnd_array how = {.rule = random_rule(bnd_random(43, 2, k)), .seed = k};
        how.packing_in = how.packing_out = BND_PACKING_UNPACKED;
        how.context = &back_ends_here()->at[k % back_ends_here()->count];
        uint64_t *operands = operands_of(c, COUNT, k);
        unsigned char *in = memory_of(8 * COUNT);
        put_codes(in, &c->in, how.packing_in, operands, COUNT);
        check_cut(&b, c, in, COUNT, bnd_random(43, 1, k) % (COUNT + 1), &how);
        free(in);
        free(operands);
    }
    comparison_close(&b);
}

/* What follows from the sums, and where nothing does. */
static void check_derived(const double *x, size_t n, const char *format, double error, double ratio)
{
    unsigned char codes[64];
    bnd_format f = format_named(format);
    for (size_t i = 0; i <= back_ends_here()->count; i++) {
        bnd_array how = {.context = i > 0 ? &back_ends_here()->at[i - 1] : NULL};
        bnd_stats s = {0};
        CU_ASSERT_EQUAL(bnd_encode_f64(codes, x, n, &f, &how, &s, NULL), BND_OK);
        double got_error = bnd_stats_mean_squared_error(&s), got_ratio = bnd_stats_signal_to_noise_ratio(&s);
        CU_ASSERT(isnan(error) ? isnan(got_error) : got_error == error);
        CU_ASSERT(isnan(ratio) ? isnan(got_ratio) : got_ratio == ratio);
    }
}

static void test_derived(void)
{
    check_derived(NULL, 0, "fp16", NAN, NAN);
    check_derived((double[]){1, -2}, 2, "fp16", 0, INFINITY);
    check_derived((double[]){0, -0.0}, 2, "fp16", 0, NAN);          /* no signal */
    check_derived((double[]){INFINITY, NAN}, 2, "fp16", NAN, NAN);  /* nothing to compare */
    check_derived((double[]){70000, 1}, 2, "fp16", 0, INFINITY);    /* the first one became infinite */
    check_derived((double[]){10, 4, INFINITY}, 3, "e2m1", 8, 7.25); /* 6, 4; the third is not compared */
    check_derived((double[]){1e-200}, 1, "fp16", NAN, NAN);         /* flushed; its square is 0 */
    check_derived((double[]){1, 0x1p-520}, 2, "fp16", NAN, NAN);    /* the error's square is subnormal */
    check_derived((double[]){1, 0x1p-511}, 2, "fp16", 0x1p-1023, 0x1p1022);
    check_derived((double[]){-2, -4}, 2, "e8m0", NAN, NAN); /* NaN: nothing to compare */
    const bnd_format e8m0 = format_named("e8m0");
    const bnd_array magnitudes = {.rule.negative = BND_NEGATIVE_MAGNITUDE};
    unsigned char codes[2];
    bnd_stats s = {0};
    CU_ASSERT_EQUAL(bnd_encode_f64(codes, (double[]){-2, -4}, 2, &e8m0, &magnitudes, &s, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_stats_signal_to_noise_ratio(&s), 0.25); /* 2 and 4: 20 over 16 + 64 */
    check_derived((double[]){1e200}, 1, "fp32", NAN, NAN);      /* infinite: nothing to compare */
    check_derived((double[]){1e200}, 1, "e11m40", NAN, NAN);    /* squares beyond doubles */
}

/* What is flushed on input is finite, and neither exact nor inexact. */
static void test_flushed_inputs(void)
{
    const float x[] = {0x1p-130f, 1};
    const bnd_array how = {.rule.flush_in = true};
    float y[2];
    bnd_format fp32 = format_named("fp32");
    bnd_stats s = {0};
    CU_ASSERT_EQUAL(bnd_round_f32(y, x, 2, &fp32, &how, &s, NULL), BND_OK);
    CU_ASSERT_EQUAL(s.exact, 1);
    CU_ASSERT_EQUAL(s.compared, 2);
    CU_ASSERT_EQUAL(bnd_stats_mean_squared_error(&s), 0x1p-261);
}

CU_TestInfo stats_tests[] = {
    {"numbers", test_numbers},
    {"runs", test_patterns},
    {"in place", test_in_place},
    {"codes in place", test_codes_in_place},
    {"by hand", test_by_hand},
    {"errors and ratios", test_derived},
    {"what is flushed on input", test_flushed_inputs},
    {"in parts", test_cuts},
    CU_TEST_INFO_NULL,
};
