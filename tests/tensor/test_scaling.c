/* Scales of operands: Transformer Engine's, current and delayed, against numbers worked out by hand and a model of few
 * lines; the Hadamard transform of wgrad's operands; which products a policy means. */
#include <binade/block.h>
#include <binade/matmul.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/allocations.h"
#include "tests.h"

static bnd_tensor *matrix(bnd_engine *engine, const float *x, size_t rows, size_t columns, bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named("fp32");
    must(bnd_tensor_from_f32(&t, engine, &f, x, (size_t[]){rows, columns}, 2, role, &why), &why);
    return t;
}

enum { WIDE = 4 };

/* What the cast of x is worth: x as a column, times 1. */
static void cast_of(float *y, bnd_engine *engine, const float *x)
{
    static const float one = 1;
    bnd_mark mark = bnd_engine_mark(engine);
    bnd_error why;
    bnd_tensor *product = NULL;
    bnd_tensor *a = matrix(engine, x, WIDE, 1, BND_ROLE_DATA), *w = matrix(engine, &one, 1, 1, BND_ROLE_PARAM);
    must(bnd_tensor_pair(&product, BND_TENSOR_OP_LINEAR, a, w, &why), &why);
    must(bnd_tensor_read_f32(y, WIDE, product, &why), &why);
    bnd_engine_release_since(engine, mark, NULL, 0);
}

/* x scaled, rounded to the format with saturation, scaled back: three roundings. */
static float model_of(float x, float scale, const bnd_format *f)
{
    const bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE};
    float scaled_up = x * scale, back = 1 / scale;
    float rounded = (float)bnd_decode(f, bnd_encode(f, (double)scaled_up, rule, 0).code);
    return rounded * back;
}

static void check_cast(bnd_engine *engine, const float *x, float scale, const char *format)
{
    float y[WIDE];
    const bnd_format f = format_named(format);
    cast_of(y, engine, x);
    for (int i = 0; i < WIDE; i++) {
        float expected = model_of(x[i], scale, &f);
        if (!(y[i] >= expected && y[i] <= expected) && !(isnan(y[i]) && isnan(expected))) {
            printf("\n    %s, %g times %g: %.9g instead of %.9g\n", format, (double)x[i], (double)scale, (double)y[i],
                   (double)expected);
            CU_FAIL("a cast");
        }
    }
}

/* The one delayed scale of the engine. */
static double scale_of(const bnd_engine *engine)
{
    double state[64];
    CU_ASSERT_TRUE_FATAL(bnd_engine_state_count(engine) > 3 && bnd_engine_state_count(engine) <= 64);
    bnd_engine_state_get(state, engine);
    return state[2];
}

/* Three steps of history; in each step the scale is the one that the steps before it led to. */
static void test_delayed(void)
{
    static const struct {
        float x[WIDE];
        double scale; /* after the step */
    } steps[] = {
        {{2, -1, 0.3f, 0.001f}, 224},       /* 448 / 2 */
        {{8, 0.7f, -5, 1e-4f}, 56},         /* 448 / 8 */
        {{-1, 0.1f, 0.01f, 0}, 56},         /* 2 leaves next */
        {{0.5f, 0.3f, 0.2f, -0.1f}, 56},    /* 8, 1, 0.5 */
        {{0.25f, 0.03f, 0, 0.002f}, 448},   /* 1, 0.5, 0.25 */
        {{INFINITY, 1, -0.25f, 0.4f}, 448}, /* no number: as before, */
        {{2, -INFINITY, 0.1f, 0.25f}, 448}, /* as long as */
        {{2, 1, 0.9f, 0.5f}, 448},          /* it is remembered, */
        {{0.5f, 2, 0.33f, 1.9f}, 448},      /* the second one a step longer; */
        {{2, 1.7f, 0.001f, 3e-5f}, 224},    /* until here */
        {{NAN, 1, 0.5f, 1}, 224},           /* nor is this */
        {{0, 0, 0, 0}, 224},
        {{0, 0, 0, 0}, 224},
        {{0, 0, 0, 0}, 224},                       /* nothing but zeros: as before */
        {{1e-38f, 0, 1e-39f, 0}, (double)FLT_MAX}, /* 448 / 1e-38 is infinite */
        {{3.5f, 1e-37f, 0, 1}, 128},               /* which is beyond the range by far; then 448 / 3.5 */
    };
    bnd_engine *engine = engine_under("gemm_fwd.x=e4m3/delayed:3");
    float scale = 1;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        bnd_engine_set_seed(engine, 1, i);
        check_cast(engine, steps[i].x, scale, "e4m3");
        if (i > 0) {
            CU_ASSERT_EQUAL(scale_of(engine), (double)scale); /* nothing moves before the end of the step */
        }
        bnd_engine_end_step(engine);
        scale = (float)scale_of(engine);
        if (!(scale_of(engine) >= steps[i].scale && scale_of(engine) <= steps[i].scale)) {
            printf("\n    step %zu: %g instead of %g\n", i, scale_of(engine), steps[i].scale);
        }
        CU_ASSERT_EQUAL(scale_of(engine), steps[i].scale);
    }
    bnd_engine_free(engine);
}

/* Twice in a step: the larger counts. A step that is begun again forgets what it has seen. Another policy begins
 * anew. */
static void test_delayed_steps(void)
{
    static const float small[WIDE] = {1, 0.5f, 0, 0}, large[WIDE] = {100, 1, 0, 0};
    bnd_engine *engine = engine_under("gemm_fwd.x=e5m2/delayed:4:3");
    bnd_policy policy = *bnd_engine_policy(engine);
    bnd_error why;
    bnd_engine_set_seed(engine, 1, 0);
    check_cast(engine, large, 1, "e5m2");
    bnd_engine_set_seed(engine, 1, 0);
    check_cast(engine, small, 1, "e5m2");
    bnd_engine_end_step(engine);
    CU_ASSERT_EQUAL(scale_of(engine), 57344.0 / 8);
    bnd_engine_set_seed(engine, 1, 1);
    check_cast(engine, small, 57344.0f / 8, "e5m2");
    bnd_engine_set_seed(engine, 1, 1);
    check_cast(engine, large, 57344.0f / 8, "e5m2");
    bnd_engine_end_step(engine);
    CU_ASSERT_EQUAL(scale_of(engine), (double)(57344.0f / 100 / 8));
    must(bnd_engine_set_policy(engine, &policy, &why), &why);
    CU_ASSERT_EQUAL(bnd_engine_state_count(engine), 0);
    check_cast(engine, small, 1, "e5m2");
    bnd_engine_free(engine);
}

static void test_current(void)
{
    static const struct {
        const char *scaling, *format;
        float x[WIDE], scale;
    } cases[] = {
        {"e4m3/current", "e4m3", {3, -1, 0.01f, 2.9f}, 448.0f / 3},
        {"e4m3/current:2", "e4m3", {3, -1, 0.01f, 2.9f}, 448.0f / 3 / 4},
        {"e5m2/current", "e5m2", {7e-8f, 1e-8f, 3e-9f, -7e-8f}, 57344.0f / 7e-8f},
        {"fp16/current", "fp16", {1e-20f, 3e-21f, 0, -1e-20f}, 65504.0f / 1e-20f},
        {"e4m3/current", "e4m3", {0, 0, -0.0f, 0}, 1},
        {"e4m3/current", "e4m3", {INFINITY, 1000, 0.3f, -INFINITY}, 1}, /* 448, 448, 0.3125, -448 */
        {"e4m3/current", "e4m3", {NAN, 1000, 0.3f, 0.7f}, 1},
        {"e4m3/current", "e4m3", {1e-40f, 0, 3e-41f, 0}, FLT_MAX},
        {"e4m3/current", "e4m3", {FLT_MAX, -1e38f, 1e30f, 1}, 448.0f / FLT_MAX},
        {"e4m3/current:12", "e4m3", {3e38f, -1e38f, 1e30f, 1}, FLT_MIN}, /* 1 / 4e-40 is infinite */
        {"e4m3/current:64", "e4m3", {3e38f, -1e38f, 1e30f, 1}, FLT_MIN}, /* 8e-56 is zero */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "gemm_fwd.x=%s", cases[i].scaling);
        bnd_engine *engine = engine_under(text);
        float y[WIDE];
        check_cast(engine, cases[i].x, cases[i].scale, cases[i].format);
        cast_of(y, engine, cases[i].x);
        CU_ASSERT_TRUE(i != 5 || (y[0] == 448 && y[1] == 448 && y[2] == 0.3125f && y[3] == -448));
        CU_ASSERT_EQUAL(bnd_engine_state_count(engine), 0);
        bnd_engine_free(engine);
    }
}

/* What is counted is in x's own unit. */
static void test_statistics(void)
{
    static const float x[WIDE] = {1e-3f, 2e-3f, 1e-9f, 0};
    bnd_engine *engine = engine_under("gemm_fwd.x=e4m3/current");
    bnd_stats stats;
    bnd_error why;
    float y[WIDE];
    double error = 0;
    uint64_t came_back = 0;
    must(bnd_engine_take_statistics(engine, 1, &why), &why);
    cast_of(y, engine, x);
    for (int i = 0; i < WIDE; i++) {
        came_back += y[i] == x[i];
        error += ((double)y[i] - (double)x[i]) * ((double)y[i] - (double)x[i]);
    }
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&stats, engine, BND_ROLE_FWD_X, BND_PLACE_ALL));
    CU_ASSERT_EQUAL(stats.elements, WIDE);
    CU_ASSERT_EQUAL(stats.exact, came_back);
    CU_ASSERT_EQUAL(stats.inexact, WIDE - came_back);
    CU_ASSERT_EQUAL(stats.to_zero, 1);
    CU_ASSERT_EQUAL(stats.overflows, 0);
    CU_ASSERT_EQUAL(stats.largest, (double)2e-3f);
    CU_ASSERT_EQUAL(stats.smallest, (double)1e-9f);
    CU_ASSERT_DOUBLE_EQUAL(stats.squared_error, error, 1e-25);
    bnd_engine_free(engine);
}

/* ---- the way back of a layer ---- */

enum { ROWS = 52, IN = 40, OUT = 24 }; /* rows: three times sixteen, and four that are left over */

typedef struct layer {
    float x[ROWS * IN], w[OUT * IN], c[ROWS * OUT], dw[OUT * IN], dx[ROWS * IN];
} layer;

static void draw(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)((double)below(1u << 24, seed, i) * 0x1p-24 - 0.5);
    }
}

/* loss = sum (x w') c: dy is c. */
static void go_back(layer *l, bnd_engine *engine)
{
    bnd_error why;
    bnd_tensor *y = NULL, *z = NULL, *loss = NULL;
    draw(l->x, ROWS * IN, 1);
    draw(l->w, OUT * IN, 2);
    draw(l->c, ROWS * OUT, 3);
    bnd_tensor *x = matrix(engine, l->x, ROWS, IN, BND_ROLE_DATA), *w = matrix(engine, l->w, OUT, IN, BND_ROLE_PARAM);
    bnd_tensor *c = matrix(engine, l->c, ROWS, OUT, BND_ROLE_DATA);
    bnd_tensor_want_gradient(x, true);
    bnd_tensor_want_gradient(w, true);
    must(bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, &why), &why);
    must(bnd_tensor_pair(&z, BND_TENSOR_OP_MUL, y, c, &why), &why);
    must(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, z, &why), &why);
    must(bnd_tensor_backward(loss, 1, &why), &why);
    must(bnd_tensor_read_f32(l->dw, OUT * IN, bnd_tensor_gradient(w), &why), &why);
    must(bnd_tensor_read_f32(l->dx, ROWS * IN, bnd_tensor_gradient(x), &why), &why);
}

static double distance(const float *a, const float *b, size_t n)
{
    double sum = 0, of_b = 0;
    for (size_t i = 0; i < n; i++) {
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        of_b += (double)b[i] * (double)b[i];
    }
    return sqrt(sum / of_b);
}

/* Both operands of wgrad are transformed along the rows: the product is what it was, up to rounding. */
static void test_hadamard(void)
{
    static layer plain, turned, low, low_turned;
    bnd_engine *engines[4] = {engine_under("fp32"), engine_under("gemm_wgrad=fp32/hadamard"),
                              engine_under("gemm_wgrad=e4m3"), engine_under("gemm_wgrad=e4m3/hadamard")};
    layer *layers[4] = {&plain, &turned, &low, &low_turned};
    for (int i = 0; i < 4; i++) {
        go_back(layers[i], engines[i]);
        bnd_engine_free(engines[i]);
    }
    CU_ASSERT_TRUE(distance(turned.dw, plain.dw, OUT * IN) < 1e-6);
    CU_ASSERT_TRUE(distance(turned.dw, plain.dw, OUT * IN) > 0);
    CU_ASSERT_EQUAL(memcmp(turned.dx, plain.dx, sizeof plain.dx), 0);
    double low_error = distance(low.dw, plain.dw, OUT * IN), turned_error = distance(low_turned.dw, plain.dw, OUT * IN);
    CU_ASSERT_TRUE(low_error > 1e-3 && low_error < 0.1);
    CU_ASSERT_TRUE(turned_error > 1e-3 && turned_error < 0.1);
    CU_ASSERT_TRUE(distance(low_turned.dw, low.dw, OUT * IN) > 1e-3);
}

/* wgrad under nvfp4 is the product of what block/ makes of both operands, transformed and quantized along the rows. */
static void test_wgrad_of_nvfp4(void)
{
    static layer l;
    static float x[ROWS * IN], dy[ROWS * OUT], dw[OUT * IN];
    bnd_error why;
    bnd_block block;
    bnd_engine *engine = engine_under("gemm_wgrad=nvfp4/hadamard");
    const bnd_shape of_x = {1, ROWS, IN}, of_dy = {1, ROWS, OUT};
    go_back(&l, engine);
    bnd_engine_free(engine);
    must(bnd_block_parse(&block, "nvfp4", &why), &why);
    must(bnd_hadamard_along_f32(x, l.x, of_x, 0, &why), &why);
    must(bnd_hadamard_along_f32(dy, l.c, of_dy, 0, &why), &why);
    must(bnd_fake_quantize_f32(x, x, of_x, &block, NULL, NULL, &why), &why);
    must(bnd_fake_quantize_f32(dy, dy, of_dy, &block, NULL, NULL, &why), &why);
    const bnd_gemm how = {.a = {1, OUT}, .b = {IN, 1}};
    must(bnd_gemm_f32(dw, OUT, IN, dy, x, ROWS, &how, &why), &why);
    CU_ASSERT_EQUAL(memcmp(dw, l.dw, sizeof dw), 0);
}

/* Each of the six operands has a scale of its own, in the order of the step. */
static void test_six_scales(void)
{
    static const bnd_role roles[] = {BND_ROLE_FWD_X,   BND_ROLE_FWD_W,    BND_ROLE_DGRAD_DY,
                                     BND_ROLE_DGRAD_W, BND_ROLE_WGRAD_DY, BND_ROLE_WGRAD_X};
    static layer l;
    double state[6 * 6];
    bnd_engine *engine = engine_under("gemm=e4m3/delayed:2,gemm_dgrad.dy=e5m2/delayed:2,gemm_wgrad.dy=e5m2/delayed:2");
    bnd_engine_set_seed(engine, 1, 0);
    go_back(&l, engine);
    bnd_engine_end_step(engine);
    CU_ASSERT_EQUAL_FATAL(bnd_engine_state_count(engine), 36);
    bnd_engine_state_get(state, engine);
    for (int i = 0; i < 6; i++) {
        const float *of = i == 0 || i == 5 ? l.x : i == 1 || i == 3 ? l.w : l.c;
        size_t n = of == l.x ? ROWS * IN : of == l.w ? OUT * IN : ROWS * OUT;
        float amax = 0;
        for (size_t k = 0; k < n; k++) {
            amax = fabsf(of[k]) > amax ? fabsf(of[k]) : amax;
        }
        const double *s = state + (ptrdiff_t)6 * i;
        CU_ASSERT_EQUAL(s[1], (double)roles[i]);
        CU_ASSERT_TRUE(i == 0 || s[0] > s[-6]);
        CU_ASSERT_EQUAL(s[2], (double)((of == l.c ? 57344 : 448) / amax));
        CU_ASSERT_EQUAL(s[3], 2);
        CU_ASSERT_EQUAL(s[4], 0);
        CU_ASSERT_EQUAL(s[5], (double)amax);
    }
    bnd_engine_free(engine);
}

/* A product of two stacks is no layer's. */
static void test_matmul(void)
{
    static layer l;
    float high[ROWS * OUT], here[ROWS * OUT];
    const char *const policies[] = {"fp32", "gemm=e4m3,matmul=fp32", "gemm=e4m3", "matmul=e4m3",
                                    "gemm=bf16,matmul=e4m3"};
    bnd_engine *filling = engine_under("fp32");
    go_back(&l, filling);
    bnd_engine_free(filling);
    for (int i = 0; i < 5; i++) {
        bnd_engine *engine = engine_under(policies[i]);
        bnd_error why;
        bnd_tensor *t = NULL, *y = NULL, *x = matrix(engine, l.x, ROWS, IN, BND_ROLE_DATA);
        bnd_tensor *w = matrix(engine, l.w, OUT, IN, BND_ROLE_PARAM);
        must(bnd_tensor_transpose(&t, w, 0, 1, &why), &why);
        must(bnd_tensor_matmul(&y, x, t, &why), &why);
        must(bnd_tensor_read_f32(i == 0 ? high : here, ROWS * OUT, y, &why), &why);
        if (i > 0) {
            double far = distance(here, high, ROWS * OUT);
            CU_ASSERT_TRUE(i == 1 ? far == 0 : far > 1e-3);
            must(bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, &why), &why);
            must(bnd_tensor_read_f32(here, ROWS * OUT, y, &why), &why);
            far = distance(here, high, ROWS * OUT);
            CU_ASSERT_TRUE(i == 3 ? far == 0 : far > 1e-4);
        }
        bnd_engine_free(engine);
    }
}

/* ---- what is refused ---- */

static void test_refused(void)
{
    static const struct {
        const char *policy, *message;
    } cases[] = {
        {"act=e4m3/tensor", "is not available for role"},
        {"v=e4m3/delayed", "is not available for role"},
        {"gemm=fp32/dynamic:256", "is not available for role"},
        {"gemm=e4m3/delayed:0", "current[:MARGIN]"},
        {"gemm=e4m3/delayed:16:", "current[:MARGIN]"},
        {"gemm=e4m3/delayed:16:65", "current[:MARGIN]"},
        {"gemm=e4m3/delayed:16:1:1", "current[:MARGIN]"},
        {"gemm=e4m3/delayed:2000000", "current[:MARGIN]"},
        {"gemm=e4m3/current:x", "current[:MARGIN]"},
        {"m=fp32/dynamic:0", "current[:MARGIN]"},
        {"m=fp32/linear:x", "linear[:N]"},
        {"gemm=fp32/ulinear:256", "is not available for role"},
        {"gemm=e4m3/tilted", "unknown scaling"},
        {"gemm=e2m1/nvfp4:0x16", "with sizes of at least 1"},
        {"act=bf16/hadamard", "hadamard"},
        {"param=nvfp4,grad=e2m1/nvfp4:eden", "is not available"},
        {"gemm=e2m1/nvfp4:16x16:eden", "is not available"},
        {"gemm=e2m1/mx:eden", "is not available"},
        {"gemm=p3emin2emax2/nvfp4:eden", "elements with codes"},
        {"gemm=e4m3/row:32:unclamped", "is not available"},
        {"gemm_fwd.w=requantized:bf16", "cannot be requantized"},
        {"gemm_fwd=e4m3:sr,gemm_wgrad.x=requantized:bf16", "cannot be requantized"},
        {"gemm_fwd=e4m3/delayed,gemm_dgrad.w=requantized:bf16", "cannot be requantized"},
        {"param=transient:bf16", "with a master"},
        {"act=transient:bf16", "only param can"},
        {"m=ue5m3", "role m holds signed numbers; ue5m3 has no sign"},
        {"param=ue5m3", "role param holds signed numbers"},
        {"gemm=ue4m3", "role gemm_fwd.x holds signed numbers"},
        {"grad=e8m0", "role grad holds signed numbers; e8m0 has no sign"},
        {"reduce=e8m0/tree", "role reduce holds signed numbers"},
        {"m=fp32/udynamic:256", "role m holds signed numbers; udynamic:256 has no sign"},
        {"grad=fp32/ulinear:64", "role grad holds signed numbers; ulinear:64 has no sign"},
        {"act=p3emin-2emax2", "value set"},
        {"acc=fp33", "fp33"},
    };
    bnd_engine *engine = new_engine();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_policy policy;
        bnd_error why;
        must(bnd_policy_parse(&policy, cases[i].policy, &why), &why);
        bool refused = refuses(bnd_engine_set_policy(engine, &policy, &why), &why, cases[i].message);
        CU_ASSERT_TRUE(refused);
        CU_ASSERT_PTR_NULL(bnd_engine_policy(engine));
    }
    bnd_engine_free(engine);
}

/* Operands may be rounded to values that have no codes. */
static void test_value_sets(void)
{
    static const float x[WIDE] = {1.3f, -2.6f, 0.1f, 100};
    float y[WIDE];
    bnd_engine *engine = engine_under("gemm_fwd.x=p3emin-2emax2");
    cast_of(y, engine, x);
    CU_ASSERT_EQUAL(y[0], 1.25f);
    CU_ASSERT_EQUAL(y[1], -2.5f);
    CU_ASSERT_EQUAL(y[2], 0.125f);
    bnd_engine_free(engine);
}

/* ---- memory that is not there ---- */

#if defined(BND_WITH_WRAP)
static bnd_status twice_back(bnd_tensor *x, bnd_tensor *w, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (int i = 0; status == BND_OK && i < 2; i++) { /* the second time a gradient is there to add to */
        bnd_tensor *y = NULL, *loss = NULL;
        status = bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, why);
        status = status == BND_OK ? bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, y, why) : status;
        status = status == BND_OK ? bnd_tensor_backward(loss, 1, why) : status;
        bnd_tensor_release(y);
        bnd_tensor_release(loss);
    }
    return status;
}

/* Each allocation fails once: a message, and nothing is left over when all is released. */
static void test_failures(void)
{
    static const char *const policies[] = {
        "gemm=e4m3/delayed:16,grad=e4m3/tensor",
        "gemm_wgrad=nvfp4:sr/hadamard,gemm_fwd=mxfp8,grad=nvfp4",
        "grad=e5m2/tile:4x4,gemm=e4m3/current",
        "gemm=e2m1/nvfp4:eden/hadamard:32,gemm_fwd=e4m3,gemm_wgrad.x=requantized:e2m1:sr/mx:unclamped",
    };
    static layer l;
    draw(l.x, ROWS * IN, 1);
    draw(l.w, OUT * IN, 2);
    for (size_t k = 0; k < sizeof policies / sizeof policies[0]; k++) {
        bool done = false;
        for (uint64_t i = 0; !done && i < 2000; i++) {
            int64_t living = allocations_living();
            bnd_engine *engine = engine_under(policies[k]);
            bnd_account account;
            bnd_error why = {.message = ""};
            bnd_tensor *x = matrix(engine, l.x, ROWS, IN, BND_ROLE_DATA),
                       *w = matrix(engine, l.w, OUT, IN, BND_ROLE_PARAM);
            bnd_tensor_want_gradient(w, true);
            allocations_fail(i, false);
            bnd_status status = twice_back(x, w, &why);
            allocations_fail(UINT64_MAX, false);
            done = status == BND_OK;
            CU_ASSERT_TRUE(done || (status == BND_NO_MEMORY && why.message[0] != 0));
            bnd_tensor_release(x);
            bnd_tensor_drop_gradient(w);
            bnd_tensor_release(w);
            bnd_engine_account(&account, engine);
            size_t histories = bnd_engine_state_count(engine) / (4 + 16) * 16 * 4;
            CU_ASSERT_EQUAL(account.bytes_now, histories);
            bnd_engine_free(engine);
            CU_ASSERT_EQUAL(allocations_living(), living);
        }
        CU_ASSERT_TRUE(done);
    }
}
#endif

CU_TestInfo scaling_tests[] = {
    {"delayed scales", test_delayed},
    {"delayed scales, step by step", test_delayed_steps},
    {"current scales", test_current},
    {"statistics", test_statistics},
    {"Hadamard transform", test_hadamard},
    {"nvfp4's wgrad", test_wgrad_of_nvfp4},
    {"six scales of a layer", test_six_scales},
    {"products without weights", test_matmul},
    {"what is refused", test_refused},
    {"value sets", test_value_sets},
#if defined(BND_WITH_WRAP)
    {"allocations that fail", test_failures},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
