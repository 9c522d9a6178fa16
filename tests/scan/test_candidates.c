/* Names of candidates, their bytes, floors and verdicts. */
#include "tests.h"

#include <math.h>
#include <string.h>

static bnd_candidate named(const char *name)
{
    bnd_candidate c = {.name = ""};
    CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&c, name, NULL), BND_OK);
    return c;
}

static void test_names(void)
{
    static const char *const names[] = {"bf16",  "e4m3",        "e4m3/tensor", "e4m3/row", "e4m3/tile:128x128",
                                        "mxfp8", "mxfp8:floor", "MXFP4",       "nvfp4",    "e5m2/row:64"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_candidate c = named(names[i]);
        CU_ASSERT_EQUAL(c.shared, i > 1);
        CU_ASSERT_EQUAL(strlen(c.name), strlen(names[i]));
    }
    static const char *const wrong[] = {"",    "e4m",        "mxfp9",          "e4m3/rows", "e4m3/tile:0x4",
                                        "p11", "mxfp8:flor", "e4m3/tensor:mse"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bnd_candidate c = named("bf16"), before = c;
        bnd_error why = {.message = ""};
        CU_ASSERT_NOT_EQUAL(bnd_candidate_parse(&c, wrong[i], &why), BND_OK);
        CU_ASSERT_EQUAL(memcmp(&c, &before, sizeof c), 0);
        CU_ASSERT_NOT_EQUAL(why.message[0], '\0');
    }
    bnd_error why;
    char endless[300];
    memset(endless, 'e', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    bnd_candidate c;
    CU_ASSERT_NOT_EQUAL(bnd_candidate_parse(&c, endless, &why), BND_OK);
}

/* By hand: codes, and scales of 4 bytes (fp32) or 1 (e8m0, e4m3); NVFP4 has 4 more. */
static void test_bytes(void)
{
    const uint64_t matrix[] = {130, 257}, experts[] = {3, 5, 33}, vector[] = {100};
    bnd_candidate c = named("bf16");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 2 * 130 * 257);
    c = named("e4m3/tensor");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 + 4);
    c = named("e4m3/row");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 + 4 * 130);
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, experts, 3), 3 * 5 * 33 + 4 * 15);
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, vector, 1), 100 + 4);
    c = named("e4m3/tile:128x128");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 + 4 * 2 * 3);
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, experts, 3), 3 * 5 * 33 + 4 * 3);
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, vector, 1), 100 + 4);
    c = named("mxfp4");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 / 2 + 130 * 9);
    c = named("nvfp4");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 / 2 + 130 * 17 + 4);
    c = named("int4/row:bf16");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, matrix, 2), 130 * 257 / 2 + 2 * 130);
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX};
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, huge, 2), 0);
    c = named("bf16");
    CU_ASSERT_EQUAL(bnd_candidate_bytes(&c, huge, 2), 0);
}

/* What normally distributed numbers keep lies within 1 dB of the stated floor, for each kind of element and scaling. */
static void test_floors(void)
{
    static const char *const names[] = {
        "bf16",  "fp16",       "e5m2",        "e4m3",  "e3m2/row",   "e2m3/row", "e4m3/row", "e4m3/tile:128x128",
        "mxfp8", "mxfp6-e2m3", "e5m2/tensor", "nvfp4", "mxfp8-e5m2", "mxfp4",    "mxint8",   "e2m1/row"};
    enum { ROWS = 64, COLUMNS = 1024 };
    static float x[ROWS * COLUMNS];
    const uint64_t shape[] = {ROWS, COLUMNS};
    uint64_t seed = 5;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(seed >> 11) * 0x1p-53;
        }
        x[i] = (float)sum;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_candidate c = named(names[i]);
        bnd_scan *scan;
        CU_ASSERT_EQUAL_FATAL(
            bnd_scan_new_of_array(&scan, "normal", x, bnd_format_at(BND_FORMAT_FP32), shape, 2, &c, 1, NULL, NULL),
            BND_OK);
        double sqnr = bnd_scan_at(scan, 0)->losses[0].sqnr;
        CU_ASSERT_TRUE(fabs(sqnr - c.floor) < 1);
        CU_ASSERT_EQUAL(bnd_scan_at(scan, 0)->losses[0].verdict, BND_SURVIVES_FLOOR);
        bnd_scan_free(scan);
    }
}

static void test_verdicts(void)
{
    const bnd_candidate c = named("e4m3/row"); /* 13.5 + 3 * 6.02 = 31.56 dB */
    CU_ASSERT_TRUE(fabs(c.floor - 31.56) < 1e-9);
    const struct {
        bnd_loss loss;
        bnd_survival verdict;
    } cases[] = {
        {{.elements = 100, .exact = 100, .sqnr = INFINITY}, BND_SURVIVES_EXACT},
        {{.elements = 100, .exact = 99, .sqnr = 28.57}, BND_SURVIVES_FLOOR},
        {{.elements = 100, .exact = 99, .sqnr = 28.55}, BND_SURVIVES_LOSSY},
        {{.elements = 100, .exact = 99, .sqnr = 60, .overflows = 1}, BND_SURVIVES_FLOOR},
        {{.elements = 100, .exact = 9, .sqnr = 10}, BND_SURVIVES_LOSSY},
        {{.elements = 100, .exact = 9, .sqnr = nextafter(10, 0)}, BND_BREAKS},
        {{.elements = 100, .exact = 9, .sqnr = 40, .to_zero = 40}, BND_SURVIVES_FLOOR},
        {{.elements = 100, .exact = 9, .sqnr = 40, .to_zero = 41}, BND_BREAKS},
        {{.elements = 100, .exact = 99, .sqnr = -INFINITY, .broken = 1}, BND_BREAKS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(bnd_loss_verdict(&c, &cases[i].loss, 80), cases[i].verdict);
    }
    const bnd_candidate plain = named("e4m3"); /* what overflows without a scale has no bound */
    CU_ASSERT_EQUAL(bnd_loss_verdict(&plain, &cases[3].loss, 80), BND_SURVIVES_LOSSY);
    CU_ASSERT_STRING_EQUAL(bnd_survival_text(BND_SURVIVES_FLOOR), "at the format's floor");
    CU_ASSERT_STRING_EQUAL(bnd_survival_key(BND_BREAKS), "breaks");
}

CU_TestInfo candidate_tests[] = {
    {"names", test_names},       {"bytes", test_bytes}, {"floors, measured", test_floors},
    {"verdicts", test_verdicts}, CU_TEST_INFO_NULL,
};
