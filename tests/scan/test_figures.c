/* The figures of a scan are those of the scalar codec; by codes or by pieces, with any number of threads. */
#include "tests/support/operands.h"
#include "model.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "bf16",
    "fp16",
    "e4m3",
    "e5m2",
    "e2m1",
    "e4m3/tensor",
    "e4m3/row",
    "e4m3/tile:3x5",
    "e4m3/row:32",
    "mxfp8",
    "mxfp8:floor",
    "mxfp4:even",
    "mxfp4",
    "nvfp4",
    "mxint8",
    "e2m1/tensor",
    "e5m2/tensor:floor",
    "e2m1/nvfp4:4x16",
    "mxfp6-e2m3:ct",
    "e4m3/tensor:rceil",
    "int8/row",
    "int4/row:32:bf16",
    "int8/tensor",
    "nvfp4:4/6",
    "nvfp4:mse",
    "mxfp4:mse",
    "e4m3/row:mse",
    "e4m3/row:32:e4m3",
    "e4m3/row:bf16",
    "e5m2/tile:4x4:e8m0",
};
enum { CANDIDATES = sizeof names / sizeof names[0] };

static void parse_all(bnd_candidate *out)
{
    for (size_t i = 0; i < CANDIDATES; i++) {
        bnd_error why;
        bnd_status status = bnd_candidate_parse(&out[i], names[i], &why);
        if (status != BND_OK) {
            printf("%s: %s\n", names[i], why.message);
        }
        CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    }
}

static bnd_scan *scan_of(const example *e, const bnd_candidate *candidates, size_t count, unsigned threads)
{
    const bnd_context context = {.threads = threads};
    const bnd_scan_options options = {.context = &context, .vectors = true};
    bnd_scan *scan = NULL;
    bnd_error why;
    bnd_status status =
        bnd_scan_new_of_array(&scan, "x", e->codes, e->format, e->shape, e->rank, candidates, count, &options, &why);
    if (status != BND_OK) {
        printf("%s\n", why.message);
    }
    CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    return scan;
}

static bool same_sum(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_figures(const bnd_loss *a, const bnd_loss *b)
{
    return a->elements == b->elements && a->broken == b->broken && a->overflows == b->overflows &&
           a->to_zero == b->to_zero && a->exact == b->exact && same_sum(a->squared_error, b->squared_error) &&
           same_sum(a->squared_input, b->squared_input);
}

static void print_loss(const char *who, const bnd_loss *l)
{
    printf("  %s: %llu broken %llu over %llu zero %llu exact %llu, error %a of %a\n", who,
           (unsigned long long)l->elements, (unsigned long long)l->broken, (unsigned long long)l->overflows,
           (unsigned long long)l->to_zero, (unsigned long long)l->exact, l->squared_error, l->squared_input);
}

static unsigned compare_with_model(const example *e, const bnd_candidate *candidates, unsigned threads, int what)
{
    unsigned wrong = 0;
    bnd_scan *scan = scan_of(e, candidates, CANDIDATES, threads);
    for (size_t i = 0; i < CANDIDATES; i++) {
        const bnd_loss found = bnd_scan_at(scan, 0)->losses[i], model = model_loss(e, &candidates[i]);
        if (!same_figures(&found, &model) && wrong++ < 3) {
            printf("%s in %s, example %d of rank %zu, %zu elements\n", e->format->name, names[i], what, e->rank,
                   e->count);
            print_loss("scan ", &found);
            print_loss("model", &model);
        }
    }
    bnd_scan_free(scan);
    return wrong;
}

static void test_figures_are_those_of_the_codec(void)
{
    static const size_t formats[] = {BND_FORMAT_BF16, BND_FORMAT_FP16, BND_FORMAT_FP32,
                                     BND_FORMAT_E4M3, BND_FORMAT_E5M2, BND_FORMAT_E2M1};
    static const uint64_t shapes[][4] = {{1, 1}, {3, 5}, {37, 100}, {13, 33}, {2, 9, 31}, {257, 1}, {50}};
    static const size_t ranks[] = {2, 2, 2, 2, 3, 2, 1};
    bnd_candidate candidates[CANDIDATES];
    unsigned wrong = 0;
    parse_all(candidates);
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        for (size_t s = 0; s < sizeof ranks / sizeof ranks[0]; s++) {
            for (int what = 0; what < EXAMPLES; what++) {
                if (!in_turn(f + s + (size_t)what, 3)) { /* each of the three pairs occurs */
                    continue;
                }
                example e = example_new(bnd_format_at(formats[f]), shapes[s], ranks[s], what, 77 * f + 7 * s + 1);
                wrong += compare_with_model(&e, candidates, 1 + (unsigned)(s % 2), what);
                example_free(&e);
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The same numbers as codes of 16 bits, which are counted, and as fp32, which are not. */
static void test_both_ways_agree(void)
{
    const uint64_t shape[] = {300, 700};
    bnd_candidate candidates[CANDIDATES];
    unsigned wrong = 0;
    parse_all(candidates);
    for (int what = 0; what < EXAMPLES; what++) {
        if (!in_turn((uint64_t)what, 3)) {
            continue;
        }
        example narrow = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, what, 9), wide = narrow;
        wide.format = bnd_format_at(BND_FORMAT_FP32);
        wide.codes = (unsigned char *)narrow.x;
        for (unsigned threads = 1; threads <= 3; threads++) {
            bnd_scan *a = scan_of(&narrow, candidates, CANDIDATES, threads),
                     *b = scan_of(&wide, candidates, CANDIDATES, 1);
            const bnd_scanned *x = bnd_scan_at(a, 0), *y = bnd_scan_at(b, 0);
            for (size_t i = 0; i < CANDIDATES; i++) {
                wrong += !same_figures(&x->losses[i], &y->losses[i]) || x->losses[i].verdict != y->losses[i].verdict;
            }
            wrong += memcmp(&x->input, &y->input, sizeof x->input) != 0 || x->zeros != y->zeros;
            bnd_scan_free(a);
            bnd_scan_free(b);
        }
        example_free(&narrow);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Rows that are too long for a piece: their scales come from a first pass. Compared with one call on the whole. */
static void test_long_rows(void)
{
    const uint64_t shape[] = {2, BND_SCAN_PIECE + 1001};
    const char *const some[] = {"e4m3/row", "e4m3/tensor", "mxfp4:floor", "nvfp4", "e4m3/tile:1x128", "e4m3"};
    enum { SOME = sizeof some / sizeof some[0] };
    bnd_candidate candidates[SOME];
    example e = example_new(bnd_format_at(BND_FORMAT_FP32), shape, 2, WITH_EXTREMES, 3);
    float *y = malloc(e.count * sizeof *y);
    for (size_t i = 0; i < SOME; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&candidates[i], some[i], NULL), BND_OK);
    }
    bnd_scan *scan = scan_of(&e, candidates, SOME, 2);
    for (size_t i = 0; i + 1 < SOME; i++) {
        const bnd_loss *loss = &bnd_scan_at(scan, 0)->losses[i];
        const size_t sizes[] = {(size_t)shape[0], (size_t)shape[1]};
        bnd_shape blocks;
        exact_sum error = {.count = 0};
        uint64_t exact = 0;
        CU_ASSERT_EQUAL_FATAL(bnd_block_shape(&blocks, &candidates[i].block, sizes, 2, 1, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_fake_quantize_f32(y, e.x, blocks, &candidates[i].block, NULL, NULL, NULL), BND_OK);
        for (size_t k = 0; k < e.count; k++) {
            double d = (double)e.x[k] - (double)y[k];
            exact += d == 0;
            sum_put(&error, d * d);
        }
        CU_ASSERT_EQUAL(loss->exact, exact);
        CU_ASSERT_EQUAL(loss->squared_error, sum_get(&error));
    }
    bnd_scan_free(scan);
    example_free(&e);
    free(y);
}

/* Bands of tiles that are too wide for a piece. */
static void test_wide_bands(void)
{
    const uint64_t shape[] = {1030, 5000};
    const char *const some[] = {"e4m3/tile:1024x7", "e4m3/row", "mxfp8"};
    bnd_candidate candidates[3];
    example e = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, PLAIN, 3);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&candidates[i], some[i], NULL), BND_OK);
    }
    bnd_scan *all = scan_of(&e, candidates, 3, 2), *one;
    for (size_t i = 1; i < 3; i++) {
        one = scan_of(&e, &candidates[i], 1, 1); /* in pieces of whole rows */
        CU_ASSERT_TRUE(same_figures(&bnd_scan_at(all, 0)->losses[i], &bnd_scan_at(one, 0)->losses[0]));
        bnd_scan_free(one);
    }
    bnd_scan_free(all);
    const char *const too_large[] = {"e4m3/tile:4096x2048"};
    bnd_candidate c;
    bnd_error why;
    const bnd_scan_options options = {.vectors = true};
    CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&c, too_large[0], NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_scan_new_of_array(&one, "x", e.codes, e.format, e.shape, 2, &c, 1, &options, &why),
                    BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "tiles"));
    example_free(&e);
}

/* Numbers of fp64 that fp32 lacks, in formats of fp32's precision. By hand: fp32 makes the first four infinite and the
 * next four zero, then it rounds two, and has the others. e7m23 ends at 2^64, and begins at 2^-85. */
static void test_beyond_fp32(void)
{
    static const double x[] = {1e300,
                               -0x1p128,
                               0x1.ffffffp127, /* halfway to 2^128: away from the largest number */
                               -0x1.fffffffp127,
                               1e-300,
                               -1e-300,
                               0x1p-150, /* halfway to the least number */
                               -0x1.8p-151,
                               0x1.fffffe8p127,
                               0x1.8p-150,
                               1,
                               0,
                               0x1p-149,
                               -0x1.fffffep127,
                               INFINITY,
                               NAN};
    static const struct {
        const char *name;
        uint64_t broken, overflows, to_zero, exact;
    } cases[] = {{"fp32", 4, 4, 4, 6}, {"e7m23", 6, 6, 6, 0}, {"fp64", 0, 0, 0, 16}};
    enum { CASES = sizeof cases / sizeof cases[0], N = sizeof x / sizeof x[0] };
    bnd_candidate candidates[CASES];
    example e = {.format = bnd_format_at(BND_FORMAT_FP64), .rank = 2, .shape = {4, 4}, .count = N};
    double one_kind[N];
    for (size_t i = 0; i < CASES; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&candidates[i], cases[i].name, NULL), BND_OK);
    }
    e.codes = (unsigned char *)(uintptr_t)x;
    bnd_scan *scan = scan_of(&e, candidates, CASES, 1);
    for (size_t i = 0; i < CASES; i++) {
        const bnd_loss *loss = &bnd_scan_at(scan, 0)->losses[i];
        CU_ASSERT_EQUAL(loss->broken, cases[i].broken);
        CU_ASSERT_EQUAL(loss->overflows, cases[i].overflows);
        CU_ASSERT_EQUAL(loss->to_zero, cases[i].to_zero);
        CU_ASSERT_TRUE(loss->exact == cases[i].exact || cases[i].exact == 0); /* 0: a lower bound is found */
    }
    bnd_scan_free(scan);
    e.codes = (unsigned char *)one_kind;
    for (size_t k = 0; k < 2; k++) { /* all beyond, and all too small: no budget is met */
        for (size_t i = 0; i < N; i++) {
            one_kind[i] = k == 0 ? 1e300 : 1e-300;
        }
        scan = scan_of(&e, candidates, CASES, 1);
        CU_ASSERT_EQUAL(bnd_scan_at(scan, 0)->losses[0].verdict, BND_BREAKS);
        CU_ASSERT_EQUAL(bnd_scan_at(scan, 0)->losses[0].sqnr, k == 0 ? -INFINITY : 0);
        CU_ASSERT_EQUAL(bnd_scan_at(scan, 0)->losses[0].to_zero, k == 0 ? 0 : N);
        bnd_scan_free(scan);
    }
}

CU_TestInfo figure_tests[] = {
    {"they are those of the scalar codec", test_figures_are_those_of_the_codec},
    {"by codes and by pieces they are the same", test_both_ways_agree},
    {"rows longer than a piece", test_long_rows},
    {"bands wider than a piece", test_wide_bands},
    {"numbers that fp32 lacks", test_beyond_fp32},
    CU_TEST_INFO_NULL,
};
