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
    bench b;
    bench_open(&b, "statistics of numbers");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        for (uint64_t i = 0; i < scaled(10); i++) {
            bnd_array how = {.rule = random_rule(bnd_random(41, k, i)), .packing = BND_UNPACKED, .seed = i};
            how.rule = i % 3 == 0 ? (bnd_rule){.rounding = how.rule.rounding} : how.rule;
            call c = round_call(&formats.at[k], i % 2);
            uint64_t *numbers = operands_of(&c, COUNT, k * 100 + i);
            check_numbers(&b, &formats.at[k], i % 2, numbers, COUNT - i % 37, &how, true);
            free(numbers);
        }
    }
    free(formats.at);
    bench_close(&b);
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
    CU_ASSERT_EQUAL(s.flushed, 2);
    CU_ASSERT_EQUAL(s.overflows, 2);
    CU_ASSERT_EQUAL(s.saturated, 2 * 2); /* 500 and the infinity */
    CU_ASSERT_EQUAL(s.infinities_in, 2);
    CU_ASSERT_EQUAL(s.nans_in, 2);
    CU_ASSERT_EQUAL(s.nans_out, 2);
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
static void check_cut(bench *b, const call *c, const unsigned char *in, size_t n, size_t cut, const bnd_array *how)
{
    bnd_stats whole = {0}, parts = {0};
    bnd_array second = *how;
    unsigned char *out = memory_of(8 * n);
    second.first += cut;
    bool called =
        run_call(c, out, in, n, how, &whole) == BND_OK && run_call(c, out, in, cut, how, &parts) == BND_OK &&
        run_call(c, out, in + cut * stored_bits(&c->in, how->packing) / 8, n - cut, &second, &parts) == BND_OK;
    if (bench_note(b, called && statistics_agree(&whole, &parts))) {
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
    bench b;
    bench_open(&b, "statistics of parts");
    bnd_format other = format_named("fp16");
    for (size_t k = 0; k < scaled(2000); k++) {
        bnd_format f = layout_at(k % LAYOUTS);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        const call *c = &calls[k / LAYOUTS % CALLS];
        if (c->kind == DECODE) {
            continue;
        }
        bnd_array how = {.rule = random_rule(bnd_random(43, 2, k)), .seed = k, .packing = BND_UNPACKED};
        how.context = &back_ends_here()->at[k % back_ends_here()->count];
        uint64_t *operands = operands_of(c, COUNT, k);
        unsigned char *in = memory_of(8 * COUNT);
        put_codes(in, &c->in, how.packing, operands, COUNT);
        check_cut(&b, c, in, COUNT, bnd_random(43, 1, k) % (COUNT + 1), &how);
        free(in);
        free(operands);
    }
    bench_close(&b);
}

CU_TestInfo stats_tests[] = {
    {"numbers", test_numbers},
    {"by hand", test_by_hand},
    {"in parts", test_cuts},
    CU_TEST_INFO_NULL,
};
