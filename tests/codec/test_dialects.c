/* What every ecosystem makes of the same inputs: infinity, finite overflow, the tie above the largest number, minus
 * zero, NaN. A cell of the table is a case. */
#include <math.h>
#include <stdio.h>

#include "tests/support/comparison.h"
#include "tests.h"

#define INF  ((double)INFINITY)
#define QNAN ((double)NAN)

/* The codes that one dialect gives for one format. `tie` is the number half a step above the largest one. NONE: the
 * dialect says nothing about this input. */
typedef struct row {
    const char *dialect, *format;
    double tie;
    int infinity, minus_infinity, overflow, minus_overflow, at_tie, minus_zero, nan, minus_nan;
} row;

enum { NONE = -1 };

/* clang-format off */
static const row rows[] = {
    /*                                             +Inf  -Inf  large -large tie   -0    NaN   -NaN */
    {"ml_dtypes", "e4m3", 464,                     0x7f, 0xff, 0x7f, 0xff, 0x7e, 0x80, 0x7f, 0xff},
    {"ml_dtypes-saturate", "e4m3", 464,            0x7f, 0xff, 0x7e, 0xfe, 0x7e, 0x80, 0x7f, 0xff},
    {"ml_dtypes", "e5m2", 61440,                   0x7c, 0xfc, 0x7c, 0xfc, 0x7c, 0x80, 0x7e, 0xfe},
    {"ml_dtypes", "e4m3fnuz", 248,                 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"ml_dtypes", "e5m2fnuz", 61440,               0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"ml_dtypes", "e4m3b11fnuz", 31,               0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"ml_dtypes", "e2m3", 7.75,                    0x1f, 0x3f, 0x1f, 0x3f, 0x1f, 0x20, 0x20, 0x00},
    {"ml_dtypes", "e3m2", 30,                      0x1f, 0x3f, 0x1f, 0x3f, 0x1f, 0x20, 0x20, 0x00},
    {"ml_dtypes", "e2m1", 7,                       0x07, 0x0f, 0x07, 0x0f, 0x07, 0x08, 0x08, 0x00},
    {"ml_dtypes", "e8m0", 0x1.8p+127,              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
    {"cuda-satfinite", "e4m3", 464,                0x7e, 0xfe, 0x7e, 0xfe, 0x7e, 0x80, 0x7f, 0x7f},
    {"cuda-satfinite", "e5m2", 61440,              0x7b, 0xfb, 0x7b, 0xfb, 0x7b, 0x80, 0x7f, 0x7f},
    {"cuda-nosat", "e4m3", 464,                    0x7f, 0xff, 0x7f, 0xff, 0x7e, 0x80, 0x7f, 0x7f},
    {"cuda-nosat", "e5m2", 61440,                  0x7c, 0xfc, 0x7c, 0xfc, 0x7c, 0x80, 0x7f, 0x7f},
    {"cuda-satfinite", "e2m3", 7.75,               0x1f, 0x3f, 0x1f, 0x3f, 0x1f, 0x20, 0x1f, 0x1f},
    {"cuda-satfinite", "e3m2", 30,                 0x1f, 0x3f, 0x1f, 0x3f, 0x1f, 0x20, 0x1f, 0x1f},
    {"cuda-satfinite", "e2m1", 7,                  0x07, 0x0f, 0x07, 0x0f, 0x07, 0x08, 0x07, 0x07},
    {"cuda-satfinite", "e8m0", 0x1.8p+127,         0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0x00, 0xff, 0xff},
    {"cuda-nosat", "e8m0", 0x1.8p+127,             0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff},
    {"cuda-satfinite-rz", "e8m0", 0x1.8p+127,      0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0x00, 0xff, 0xff},
    {"cuda-nosat-rz", "e8m0", 0x1.8p+127,          0xff, 0xff, NONE, NONE, 0xfe, 0x00, 0xff, 0xff},
    {"onnx-saturate", "e4m3", 464,                 0x7e, 0xfe, 0x7e, 0xfe, 0x7e, 0x80, 0x7f, 0xff},
    {"onnx-saturate", "e5m2", 61440,               0x7b, 0xfb, 0x7b, 0xfb, 0x7b, 0x80, 0x7e, 0xfe},
    {"onnx-saturate", "e4m3fnuz", 248,             0x7f, 0xff, 0x7f, 0xff, 0x7f, 0x00, 0x80, 0x80},
    {"onnx-saturate", "e5m2fnuz", 61440,           0x7f, 0xff, 0x7f, 0xff, 0x7f, 0x00, 0x80, 0x80},
    {"onnx-nosaturate", "e4m3", 464,               0x7f, 0xff, 0x7f, 0xff, 0x7e, 0x80, 0x7f, 0xff},
    {"onnx-nosaturate", "e5m2", 61440,             0x7c, 0xfc, 0x7c, 0xfc, 0x7c, 0x80, 0x7e, 0xfe},
    {"onnx-nosaturate", "e4m3fnuz", 248,           0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"onnx-nosaturate", "e5m2fnuz", 61440,         0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"onnx-saturate", "e2m1", 7,                   0x07, 0x0f, 0x07, 0x0f, 0x07, 0x08, 0x08, 0x00},
    {"onnx-nosaturate", "e2m1", 7,                 0x07, 0x0f, 0x07, 0x0f, 0x07, 0x08, 0x08, 0x00},
    {"onnx-saturate", "e8m0", 0x1.8p+127,          0xff, 0xff, 0xfe, 0xfe, 0xfe, 0x00, 0xff, 0xff},
    {"onnx-nosaturate", "e8m0", 0x1.8p+127,        0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff},
    {"torch", "e4m3", 464,                         0x7f, 0xff, 0x7e, 0xfe, 0x7e, 0x80, 0x7f, 0xff},
    {"torch-2.11", "e4m3", 464,                    0x7f, 0xff, 0x7f, 0xff, 0x7e, 0x80, 0x7f, 0xff},
    {"torch-2.11", "e5m2", 61440,                  0x7c, 0xfc, 0x7c, 0xfc, 0x7c, 0x80, 0x7f, 0xff},
    {"torch-2.11", "e4m3fnuz", 248,                0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"torch-2.11", "e5m2fnuz", 61440,              0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"torch-2.11", "e8m0", 0x1.8p+127,             0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff},
    {"torch", "e4m3fnuz", 248,                     0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x80, 0x80},
    {"torch", "e8m0", 0x1.8p+127,                  0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff},
    {"ocp-sat", "e4m3", 464,                       0x7e, 0xfe, 0x7e, 0xfe, 0x7e, 0x80, 0x7f, NONE},
    {"ocp-sat", "e5m2", 61440,                     0x7b, 0xfb, 0x7b, 0xfb, 0x7b, 0x80, NONE, NONE},
    {"ocp-nonsat", "e4m3", 464,                    0x7f, NONE, 0x7f, NONE, 0x7e, 0x80, 0x7f, NONE},
    {"ocp-nonsat", "e5m2", 61440,                  0x7c, 0xfc, 0x7c, 0xfc, 0x7c, 0x80, NONE, NONE},
    {"p3109-satfinite", "binary8p3se", 53248,      0x7e, 0xfe, 0x7e, 0xfe, 0x7e, 0x00, 0x80, 0x80},
    {"p3109-satfinite", "binary8p3sf", 61440,      0x7f, 0xff, 0x7f, 0xff, 0x7f, 0x00, 0x80, 0x80},
    {"p3109-satfinite", "binary8p4ue", 55296,      0xfd, 0xff, 0xfd, 0xff, 0xfd, 0x00, 0xff, 0xff},
    {"p3109-satpropagate", "binary8p3se", 53248,   0x7f, 0xff, 0x7e, 0xfe, 0x7e, 0x00, 0x80, 0x80},
    {"p3109-satpropagate", "binary8p3sf", 61440,   0x7f, 0xff, 0x7f, 0xff, 0x7f, 0x00, 0x80, 0x80},
    {"p3109-satpropagate", "binary8p4ue", 55296,   0xfe, 0xff, 0xfd, 0xff, 0xfd, 0x00, 0xff, 0xff},
    {"p3109-satnone", "binary8p3se", 53248,        0x7f, 0xff, 0x7f, 0xff, 0x7e, 0x00, 0x80, 0x80},
    {"p3109-satnone", "binary8p3sf", 61440,        0x7f, 0xff, 0x7f, 0xff, 0x7f, 0x00, 0x80, 0x80},
    {"p3109-satnone", "binary8p4ue", 55296,        0xfe, 0xff, 0xfe, 0xff, 0xfe, 0x00, 0xff, 0xff},
};

/* What the columns above do not hold. */
static const struct {
    const char *dialect, *format;
    double x;
    uint64_t code;
} singles[] = {
    {"ml_dtypes", "e8m0", 0.0, 0xff},
    {"ml_dtypes", "e8m0", -1.0, 0xff},
    {"ml_dtypes", "e8m0", 0x1p-128, 0x00},
    {"ml_dtypes", "e8m0", 1.5, 0x80},
    {"ml_dtypes", "e8m0", 3.0, 0x81},
    {"ml_dtypes", "e8m0", 6.0, 0x82},
    {"ml_dtypes", "e8m0", 0x1.7ffffep+127, 0xfe},
    {"cuda-satfinite", "e8m0", 0.0, 0x00},
    {"cuda-nosat", "e8m0", 0.0, 0x00},
    {"cuda-satfinite", "e8m0", -4.0, 0x81},
    {"cuda-nosat", "e8m0", -4.0, 0x81},
    {"cuda-satfinite", "e8m0", 5.0, 0x82},
    {"cuda-satfinite-rz", "e8m0", 5.0, 0x81},
    {"cuda-satfinite-rz", "e8m0", -7.0, 0x81},
    {"ml_dtypes", "e4m3", 465.0, 0x7f},
    {"ml_dtypes", "e2m1", 5.0, 0x06}, /* 4, the even one */
    {"p3109-satnone", "binary8p1se", 3.0, 66},
};
/* clang-format on */

/* Codes that the libraries themselves gave for fp32 inputs: ml_dtypes 0.6.0, PyTorch 2.11.0 on the CPU and on an H200,
 * the reference evaluator of onnx 1.23.1. `ours` is NONE where the dialect gives the same, and else the code that it
 * gives: the exceptions of doc/reference/dialects.md. */
static const struct {
    const char *dialect, *format;
    uint32_t bits;
    int theirs, ours;
} seen[] = {
    /* Subnormal floats above 2^-127 and below 1.5 2^-127. */
    {"ml_dtypes", "e8m0", 0x00400001, 0x01, 0x00},
    {"ml_dtypes", "e8m0", 0x0048ffff, 0x01, 0x00},
    {"ml_dtypes", "e8m0", 0x00510000, 0x01, 0x00},
    {"ml_dtypes", "e8m0", 0x00590001, 0x01, 0x00},
    {"ml_dtypes", "e8m0", 0x005f0000, 0x01, 0x00},
    {"torch-2.11", "e8m0", 0x00400001, 0x01, 0x00},
    {"torch-2.11", "e8m0", 0x00510001, 0x01, 0x00},
    {"torch-2.11", "e8m0", 0x005f0000, 0x01, 0x00},
    {"torch-2.11", "e8m0", 0x8042ffff, 0x01, 0x00},
    {"torch-2.11", "e8m0", 0x8053ffff, 0x01, 0x00},
    /* Their neighbours, the ends of the range, ties, signs. */
    {"ml_dtypes", "e8m0", 0x00400000, 0x00, NONE},
    {"ml_dtypes", "e8m0", 0x00600000, 0x01, NONE},
    {"torch-2.11", "e8m0", 0x00000001, 0x00, NONE},
    {"torch-2.11", "e8m0", 0x00400000, 0x00, NONE},
    {"torch-2.11", "e8m0", 0x00600000, 0x01, NONE},
    {"torch-2.11", "e8m0", 0x3fbfffff, 0x7f, NONE},
    {"torch-2.11", "e8m0", 0x3fc00000, 0x80, NONE},
    {"torch-2.11", "e8m0", 0x40400000, 0x81, NONE},
    {"torch-2.11", "e8m0", 0xc0400000, 0x81, NONE},
    {"torch-2.11", "e8m0", 0x7f3fffff, 0xfe, NONE},
    {"torch-2.11", "e8m0", 0x7f400000, 0xff, NONE},
    {"torch-2.11", "e8m0", 0xffc00000, 0xff, NONE},
    /* round_mode up, which looks at the fraction of a subnormal float, too. */
    {"onnx-saturate", "e8m0", 0x00000001, 0x01, 0x00},
    {"onnx-saturate", "e8m0", 0x00230001, 0x01, 0x00},
    {"onnx-saturate", "e8m0", 0x80060000, 0x01, 0x00},
    {"onnx-nosaturate", "e8m0", 0x00230000, 0x01, 0x00},
    {"onnx-nosaturate", "e8m0", 0x80280001, 0x01, 0x00},
    {"onnx-saturate", "e8m0", 0x00400001, 0x01, NONE},
    {"onnx-saturate", "e8m0", 0x80800001, 0x02, NONE},
    {"onnx-saturate", "e8m0", 0x7f800000, 0xff, NONE},
    {"onnx-saturate", "e8m0", 0x7f000001, 0xfe, NONE},
    /* NaNs. */
    {"onnx-saturate", "e5m2", 0x7f800001, 0x7e, NONE},
    {"onnx-nosaturate", "e5m2", 0xfff62001, 0xfe, NONE},
    {"torch-2.11", "fp16", 0x7f800001, 0x7e00, NONE},
    {"torch-2.11", "fp16", 0xffc12345, 0xfe09, NONE},
    {"torch-2.11", "fp16", 0x7fff8000, 0x7ffc, NONE},
    {"torch-2.11", "fp16", 0xffa00000, 0xff00, NONE},
    {"cuda-nosat", "fp16", 0xff800001, 0x7fff, NONE},
    {"cuda-nosat", "bf16", 0xffc12345, 0x7fff, NONE},
};

static bool encode(bnd_result *out, const char *dialect, const char *format, double x)
{
    size_t index;
    bnd_rule rule;
    bnd_format f = format_named(format);
    if (bnd_dialect_parse(&index, dialect, NULL) != BND_OK || !bnd_dialect_rule(&rule, index, &f)) {
        printf("%s has no answer for %s\n", dialect, format);
        return false;
    }
    *out = bnd_encode(&f, x, rule, 0);
    return true;
}

static void check(const char *dialect, const char *format, double x, int want)
{
    bnd_result r = {0, 0, 0};
    if (want == NONE) {
        return;
    }
    bool same = encode(&r, dialect, format, x) && r.code == (uint64_t)want;
    if (!same) {
        printf("%s %s: %a is 0x%llx, not 0x%x\n", dialect, format, x, (unsigned long long)r.code, (unsigned)want);
    }
    CU_ASSERT(same);
}

static void test_table(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        check(r->dialect, r->format, INF, r->infinity);
        check(r->dialect, r->format, -INF, r->minus_infinity);
        check(r->dialect, r->format, 0x1p+300, r->overflow);
        check(r->dialect, r->format, -0x1p+300, r->minus_overflow);
        check(r->dialect, r->format, r->tie, r->at_tie);
        check(r->dialect, r->format, -0.0, r->minus_zero);
        check(r->dialect, r->format, QNAN, r->nan);
        check(r->dialect, r->format, -QNAN, r->minus_nan);
    }
}

static void test_singles(void)
{
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
        check(singles[i].dialect, singles[i].format, singles[i].x, (int)singles[i].code);
    }
}

static void test_seen(void)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        bnd_rule rule = {0};
        size_t index = 0;
        bnd_format f = format_named(seen[i].format);
        CU_ASSERT_EQUAL_FATAL(bnd_dialect_parse(&index, seen[i].dialect, NULL), BND_OK);
        CU_ASSERT_FATAL(bnd_dialect_rule(&rule, index, &f));
        int code = (int)bnd_convert(&f, fp32, seen[i].bits, rule, 0).code;
        int want = seen[i].ours == NONE ? seen[i].theirs : seen[i].ours;
        if (code != want) {
            printf("%s %s: %08x is 0x%x, not 0x%x\n", seen[i].dialect, seen[i].format, (unsigned)seen[i].bits,
                   (unsigned)code, (unsigned)want);
        }
        CU_ASSERT_EQUAL(code, want);
        CU_ASSERT_NOT_EQUAL(seen[i].theirs, seen[i].ours);
    }
}

/* P3109: SatNone keeps to the largest number where the mode points toward zero. */
static void test_satnone_directed(void)
{
    size_t index;
    bnd_rule rule;
    bnd_format f = format_named("binary8p3se");
    CU_ASSERT_EQUAL_FATAL(bnd_dialect_parse(&index, "P3109-SatNone", NULL), BND_OK);
    CU_ASSERT_FATAL(bnd_dialect_rule(&rule, index, &f));
    rule.rounding = BND_ROUND_RTZ;
    CU_ASSERT_EQUAL(bnd_encode(&f, 0x1p+300, rule, 0).code, 0x7e);
    CU_ASSERT_EQUAL(bnd_encode(&f, -0x1p+300, rule, 0).code, 0xfe);
    rule.rounding = BND_ROUND_RDN;
    CU_ASSERT_EQUAL(bnd_encode(&f, 0x1p+300, rule, 0).code, 0x7e);
    CU_ASSERT_EQUAL(bnd_encode(&f, -0x1p+300, rule, 0).code, 0xff);
}

/* Every rule of every dialect is one that the oracle reads the same way. */
static void test_rules_against_oracle(void)
{
    comparison b;
    comparison_open(&b, "dialects");
    for (size_t i = 0; i < bnd_format_count() + bnd_group_size("p3109"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "all", i); /* the rows, and then P3109's formats of 8 bits */
        for (size_t d = 0; d < bnd_dialect_count(); d++) {
            bnd_rule rule;
            uint64_t count = bnd_dialect_rule(&rule, d, &f) ? scaled(500) : 0;
            for (uint64_t k = 0; k < count; k++) {
                judge_double(&b, &f, stratified_double(&f, 700 + d, k), rule, 0);
            }
        }
    }
    comparison_close(&b);
}

CU_TestInfo dialect_tests[] = {
    {"the table", test_table},
    {"single answers", test_singles},
    {"what the libraries gave", test_seen},
    {"SatNone in directed modes", test_satnone_directed},
    {"rules against the oracle", test_rules_against_oracle},
    CU_TEST_INFO_NULL,
};
