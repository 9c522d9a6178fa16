/* Codes: each quotient and rounding recovers the codes that it made. */
#include "tests.h"

#include "diff/search.h"

#include <math.h>
#include <string.h>

enum { N = 20000 };

static float x[N];
static uint16_t codes[N];

typedef float quotient(float value, float scale);

static float divide(float value, float scale)
{
    return value / scale;
}

static float multiply(float value, float scale)
{
    volatile float reciprocal = 1.0F / scale;
    return value * reciprocal;
}

static float divide_bf16(float value, float scale)
{
    return to_bf16(value / scale);
}

static float multiply_bf16(float value, float scale)
{
    return to_bf16(value * to_bf16(1.0F / scale));
}

static void make(const bnd_format *f, float scale, quotient *by, enum tie tie)
{
    make_base(x, N, 3);
    for (size_t i = 0; i < 8; i++) { /* ties, and zeros of both signs */
        x[i * 10] = scale * (2.25F + (float)i / 4);
        x[i * 10 + 1] = i % 2 == 0 ? 0.0F : -0.0F;
    }
    for (size_t i = 0; i < N; i++) {
        codes[i] = (uint16_t)nearest_code(by(x[i], scale), f, tie);
    }
}

static uint64_t made(const bnd_format *f, float scale, const char *row, bndi_to_element rounding, bndi_zero_sign zero)
{
    bndi_code_counts counts = {.elements = 0};
    bndi_code_values m;
    const bndi_shared shared = {(double)scale, 1, 1, (double)scale};
    CU_ASSERT_FATAL(bndi_code_values_new(&m, f, false, NULL) == BND_OK);
    bndi_tally_codes(&counts, quotient_row(row), &m, &shared, x, codes, N);
    bndi_code_values_free(&m);
    CU_ASSERT_EQUAL(counts.elements, N);
    return bndi_codes_made(&counts, rounding, zero);
}

static void test_quotients(void)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_E4M3);
    const float scale = 0.0001234567F;
    make(f, scale, divide, TIE_EVEN);
    CU_ASSERT_EQUAL(made(f, scale, "divide", BNDI_ROUND_RNE, BNDI_ZERO_KEEP), N);
    CU_ASSERT_EQUAL(made(f, scale, "exact", BNDI_ROUND_RNE, BNDI_ZERO_KEEP), N);
    CU_ASSERT(made(f, scale, "divide-bf16", BNDI_ROUND_RNE, BNDI_ZERO_KEEP) < N);
    CU_ASSERT(made(f, scale, "divide", BNDI_ROUND_RTZ, BNDI_ZERO_KEEP) < N * 3 / 4);
    make(f, scale, divide_bf16, TIE_EVEN);
    CU_ASSERT_EQUAL(made(f, scale, "divide-bf16", BNDI_ROUND_RNE, BNDI_ZERO_KEEP), N);
    CU_ASSERT(made(f, scale, "divide", BNDI_ROUND_RNE, BNDI_ZERO_KEEP) < N);
    make(f, scale, multiply, TIE_EVEN);
    CU_ASSERT_EQUAL(made(f, scale, "multiply", BNDI_ROUND_RNE, BNDI_ZERO_KEEP), N);
    make(f, scale, multiply_bf16, TIE_EVEN);
    CU_ASSERT_EQUAL(made(f, scale, "multiply-bf16", BNDI_ROUND_RNE, BNDI_ZERO_KEEP), N);
    CU_ASSERT(made(f, scale, "multiply", BNDI_ROUND_RNE, BNDI_ZERO_KEEP) < N);
}

static void test_ties(void)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_E2M1);
    const float scale = 0.03125F;
    static const struct {
        enum tie tie;
        bndi_to_element rounding;
    } all[] = {{TIE_EVEN, BNDI_ROUND_RNE}, {TIE_AWAY, BNDI_ROUND_RNA}, {TIE_ZERO, BNDI_ROUND_RNZ}};
    for (size_t i = 0; i < 3; i++) {
        make(f, scale, divide, all[i].tie);
        for (size_t k = 0; k < 3; k++) {
            const uint64_t n = made(f, scale, "exact", all[k].rounding, BNDI_ZERO_KEEP);
            CU_ASSERT(i == k ? n == N : n < N);
        }
        CU_ASSERT_EQUAL(made(f, scale, "exact", BNDI_ROUND_EITHER, BNDI_ZERO_KEEP), N);
    }
}

static void test_directions(void)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_E2M1);
    const float scale = 0.02F;
    make_base(x, N, 11);
    for (int up = 0; up < 2; up++) {
        for (size_t i = 0; i < N; i++) { /* from one nearest code to the one beyond the quotient, or before it */
            static const float values[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
            double q = fabs((double)x[i]) / (double)scale;
            unsigned c = 0;
            while (c < 7 && (double)values[c + 1] <= q) {
                c++;
            }
            c += up != 0 && c < 7 && (double)values[c] < q ? 1 : 0;
            codes[i] = (uint16_t)(c | (signbit(x[i]) ? 8U : 0U));
        }
        CU_ASSERT_EQUAL(made(f, scale, "exact", up != 0 ? BNDI_ROUND_RAZ : BNDI_ROUND_RTZ, BNDI_ZERO_KEEP), N);
        CU_ASSERT(made(f, scale, "exact", BNDI_ROUND_RNE, BNDI_ZERO_KEEP) < N);
        CU_ASSERT_EQUAL(made(f, scale, "exact", BNDI_ROUND_EITHER, BNDI_ZERO_KEEP), N);
    }
    codes[17] = codes[17] == 3 ? 1 : 3; /* two codes away, or of the other sign */
    codes[18] ^= codes[18] % 8 == 0 ? 1 : 8;
    CU_ASSERT(made(f, scale, "exact", BNDI_ROUND_EITHER, BNDI_ZERO_KEEP) < N);
}

static void test_zeros(void)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_E2M1);
    const float scale = 0.25F; /* most become zero */
    static const bndi_zero_sign rules[] = {BNDI_ZERO_KEEP, BNDI_ZERO_PLUS, BNDI_ZERO_BELOW, BNDI_ZERO_NOT_ABOVE};
    for (size_t i = 0; i < 4; i++) {
        make(f, scale, divide, TIE_EVEN);
        for (size_t k = 0; k < N; k++) {
            bool minus = i == 0 ? signbit(x[k]) != 0 : i == 1 ? false : i == 2 ? x[k] < 0 : !(x[k] > 0);
            codes[k] = codes[k] % 8 == 0 ? (uint16_t)(minus ? 8 : 0) : codes[k];
        }
        for (size_t k = 0; k < 4; k++) {
            const uint64_t n = made(f, scale, "exact", BNDI_ROUND_RNE, rules[k]);
            CU_ASSERT(i == k ? n == N : n < N);
        }
    }
}

/* Integers in two's complement, and values beyond the largest. */
static void test_integers(void)
{
    bnd_block block;
    CU_ASSERT_FATAL(bnd_block_parse(&block, "mxint8", NULL) == BND_OK);
    const double scale = 0.001 * 64; /* elements are in units of 2^-6 */
    make_base(x, N, 5);
    x[0] = 1;
    x[1] = -1;
    for (size_t i = 0; i < N; i++) {
        double q = rint((double)x[i] * 64 / scale);
        int whole = (int)fmax(-128, fmin(127, q));
        codes[i] = (uint16_t)(whole & 0xff);
    }
    bndi_code_counts counts = {.elements = 0};
    bndi_code_values m;
    CU_ASSERT_FATAL(bndi_code_values_new(&m, &block.element, true, NULL) == BND_OK);
    const bndi_shared shared = {scale, 1, 1, scale};
    bndi_tally_codes(&counts, quotient_row("exact"), &m, &shared, x, codes, N);
    bndi_code_values_free(&m);
    CU_ASSERT_EQUAL(bndi_codes_made(&counts, BNDI_ROUND_RNE, BNDI_ZERO_PLUS), N);
    CU_ASSERT_EQUAL(counts.other, 0);
    CU_ASSERT(counts.beyond >= 2);
}

/* Codes of numbers that are not finite, one by one: are they reproduced? */
static void test_special_codes(void)
{
    static const struct {
        bnd_format_row format;
        float x;
        uint16_t code;
        bool made;
    } all[] = {
        {BND_FORMAT_E4M3FNUZ, NAN, 0x80, true},      {BND_FORMAT_E4M3FNUZ, NAN, 0x00, false},
        {BND_FORMAT_E4M3FNUZ, -1e-9F, 0x80, false},  {BND_FORMAT_E4M3FNUZ, -1e-9F, 0x00, true},
        {BND_FORMAT_E4M3FNUZ, -0.0F, 0x80, false},   {BND_FORMAT_E4M3FNUZ, INFINITY, 0x80, true},
        {BND_FORMAT_E4M3FNUZ, INFINITY, 0x7f, true}, {BND_FORMAT_E4M3FNUZ, INFINITY, 0xff, false},
        {BND_FORMAT_E4M3, NAN, 0xff, true},          {BND_FORMAT_E4M3, -INFINITY, 0xff, true},
        {BND_FORMAT_E4M3, -INFINITY, 0x7e, false},   {BND_FORMAT_E4M3, -1e-9F, 0x80, true},
        {BND_FORMAT_E5M2, 70000, 0x7c, true},        {BND_FORMAT_E5M2, 70000, 0xfc, false},
        {BND_FORMAT_E5M2, 1e6F, 0x7b, true},         {BND_FORMAT_E5M2, -1e6F, 0x7c, false},
        {BND_FORMAT_E5M2, INFINITY, 0x7c, true},     {BND_FORMAT_E5M2, INFINITY, 0xfb, false},
        {BND_FORMAT_E5M2, NAN, 0x7c, false},         {BND_FORMAT_E5M2, INFINITY, 0x7e, true},
    };
    const bndi_shared shared = {1, 1, 1, 1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bndi_code_counts counts = {.elements = 0};
        bndi_code_values m;
        CU_ASSERT_FATAL(bndi_code_values_new(&m, bnd_format_at(all[i].format), false, NULL) == BND_OK);
        bndi_tally_codes(&counts, quotient_row("divide"), &m, &shared, &all[i].x, &all[i].code, 1);
        bndi_code_values_free(&m);
        const uint64_t keep = bndi_codes_made(&counts, BNDI_ROUND_RNE, BNDI_ZERO_KEEP),
                       plus = bndi_codes_made(&counts, BNDI_ROUND_RNE, BNDI_ZERO_PLUS);
        CU_ASSERT_EQUAL(keep + plus > 0, all[i].made);
    }
}

/* Runs of 16 elements with these scales, for all quotients at once and for each alone. */
static void compare_tallies(const bnd_format *f, bool integer, const bndi_shared *scales, size_t count, unsigned rows)
{
    static bndi_code_tally all;
    bndi_code_values m;
    CU_ASSERT_FATAL(bndi_code_values_new(&m, f, integer, NULL) == BND_OK);
    bndi_tally_begin(&all, rows);
    for (size_t at = 0, i = 0; at < N; at += 16, i++) {
        bndi_tally_run(&all, &m, &scales[i % count], x + at, codes + at, 16);
    }
    bndi_tally_end(&all);
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        bndi_code_counts one = {.elements = 0};
        for (size_t at = 0, i = 0; at < N && (rows >> q & 1) != 0; at += 16, i++) {
            bndi_tally_codes(&one, q, &m, &scales[i % count], x + at, codes + at, 16);
        }
        CU_ASSERT(memcmp(&one, &all.counts[q], sizeof one) == 0);
    }
    bndi_code_values_free(&m);
}

/* All quotients at once count what each counts alone: on and next to ties, for numbers that are not finite, for any
 * codes, and for scales that lose bits or have no quotient. */
static void test_all_at_once(void)
{
    static const bnd_format_row formats[] = {BND_FORMAT_E4M3, BND_FORMAT_E5M2, BND_FORMAT_E2M1, BND_FORMAT_E4M3FNUZ,
                                             BND_FORMAT_BF16};
    static const bndi_shared usual[] = {{0.0001234567, 1, 1, 0.0001235},
                                        {0.25, 0.00390625, 256, 0.25},
                                        {0.0009765625, 1, 1, 0.0009765625},
                                        {3.5, 3.3e-05F, 30303.03F, 3.4}};
    static const bndi_shared strange[] = {{0, 1, 1, 1},          {INFINITY, 1, 1, 1},       {NAN, 1, 1, NAN},
                                          {1e-44, 1, 1, 1e-44},  {1e38, 1, 1, 1},           {-0.001, 1, 1, 1},
                                          {1e-06, 1, 1, 0},      {0.001, 1e-38, 1e38, 0.5}, {1e-4, 1, 1, 1e4},
                                          {0.0003, 1, 1, 0.0003}};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const bnd_format *f = bnd_format_at(formats[k]);
        const unsigned all = (1U << BNDI_QUOTIENTS) - 1, mask = f->width > 8 ? 0xffff : (1U << f->width) - 1;
        make(bnd_format_at(f->width == 4 ? BND_FORMAT_E2M1 : BND_FORMAT_E4M3), 0.0001234567F, multiply, TIE_EVEN);
        x[5] = INFINITY;
        x[6] = -INFINITY;
        x[7] = NAN;
        x[8] = 1e-40F;
        x[9] = 3e38F;
        for (size_t i = 0; i < N; i++) {
            codes[i] = (uint16_t)(i % 3 == 0 ? i * 2654435761U >> 7 & mask : codes[i] & mask);
        }
        for (size_t i = 0; i < N; i += 7) { /* close to codes and middles, on either side */
            x[i] = nextafterf((float)(i % 61) / 16 * 0.0001234567F, i % 2 == 0 ? 0 : INFINITY);
        }
        compare_tallies(f, false, usual, 1, all);
        compare_tallies(f, false, usual, sizeof usual / sizeof *usual, all);
        compare_tallies(f, false, usual, sizeof usual / sizeof *usual, 0x35U);
        compare_tallies(f, false, strange, sizeof strange / sizeof *strange, all);
    }
    bnd_block block;
    CU_ASSERT_FATAL(bnd_block_parse(&block, "mxint8", NULL) == BND_OK);
    static const bndi_shared whole[] = {{0.064, 1, 1, 0.064}, {0.03125, 1, 1, 0.03}};
    for (size_t i = 0; i < N; i++) {
        codes[i] = (uint16_t)((int)rint(fmax(-128, fmin(127, (double)x[i] / 0.001))) & 0xff);
    }
    compare_tallies(&block.element, true, whole, 2, (1U << BNDI_QUOTIENTS) - 1);
}

/* What rounding to nearest reproduces, either of two neighbours does, too, by any quotient: that does not count. */
static void test_choice(void)
{
    const size_t way = BNDI_QUOTIENTS * BNDI_ZEROS * (size_t)BNDI_ROUND_EITHER + 1;
    bndi_made_sets sets;
    bnd_explanation made;
    memset(&sets, 0, sizeof sets);
    memset(&made, 0, sizeof made);
    sets.ways[way / 64] |= (uint64_t)1 << way % 64;
    bndi_search_choose(&made, &sets);
    CU_ASSERT(made.fits[BND_MADE_QUOTIENT] == 2 && made.row[BND_MADE_ROUNDING] == BNDI_ROUND_EITHER);
    sets.ways[0] |= 1;
    bndi_search_choose(&made, &sets);
    CU_ASSERT(made.fits[BND_MADE_QUOTIENT] == 1 && made.fits[BND_MADE_ROUNDING] == 1);
    CU_ASSERT(made.row[BND_MADE_QUOTIENT] == 0 && made.row[BND_MADE_ROUNDING] == BNDI_ROUND_RNE);
}

CU_TestInfo code_tests[] = {{"all quotients at once", test_all_at_once},
                            {"quotients in fp32 and bf16", test_quotients},
                            {"ties", test_ties},
                            {"directions, and codes that are no neighbours", test_directions},
                            {"signs of zeros", test_zeros},
                            {"codes of numbers that are not finite", test_special_codes},
                            {"integers", test_integers},
                            {"either of two neighbours", test_choice},
                            CU_TEST_INFO_NULL};
