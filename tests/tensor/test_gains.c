/* Gains of norms are cast as their role says, or left as they are. */
#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "casts.h"

/* Rows of more than one chunk of blocks, and a block that is cut short. */
enum { GAIN_ROWS = 5, GAINS = 70, IN_ROWS = GAIN_ROWS * GAINS };

typedef struct norm {
    float x[IN_ROWS], gain[GAINS], d[IN_ROWS], y[IN_ROWS], dx[IN_ROWS], dgain[GAINS];
    bnd_stats here, everywhere; /* of norm.w: at place 1, and in all */
} norm;

static bnd_tensor *vector(bnd_engine *engine, const char *format, const float *x, size_t n)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_tensor_from_f32(&t, engine, &f, x, &n, 1, BND_ROLE_PARAM, &why), &why);
    bnd_tensor_want_gradient(t, true);
    return t;
}

/* Gains close below 1, as those that Su et al. saw clamped; then numbers of all sizes. */
static void fill_gains(float *gain)
{
    fill(gain, GAINS, 5);
    for (size_t i = 0; i < 32; i++) {
        gain[i] = 1 - (float)(1 + below(1000, 6, i)) * 0x1p-14f;
    }
}

/* y = norm(x) gain; loss = sum(y d). x lies as `x_format` has it. */
static void run_norm(norm *l, bnd_tensor_operation operation, const char *policy, const char *x_format,
                     const char *format)
{
    bnd_engine *engine = engine_under(policy);
    bnd_error why;
    bnd_tensor *y = NULL;
    fill(l->x, IN_ROWS, 1);
    fill(l->d, IN_ROWS, 3);
    bnd_tensor *x = tensor(engine, x_format, l->x, GAIN_ROWS, GAINS, BND_ROLE_ACT);
    bnd_tensor *gain = vector(engine, format, l->gain, GAINS);
    bnd_tensor *d = tensor(engine, "fp32", l->d, GAIN_ROWS, GAINS, BND_ROLE_DATA);
    bnd_tensor_want_gradient(x, true);
    bnd_engine_set_seed(engine, 99, 7);
    must(bnd_engine_take_statistics(engine, 2, &why), &why);
    bnd_engine_set_place(engine, 1);
    must(bnd_tensor_apply(&y, operation, (bnd_tensor *[]){x, gain}, 2, &(bnd_attributes){.number = {1e-5}}, &why),
         &why);
    bnd_engine_set_place(engine, 0);
    bnd_tensor *loss = map(BND_TENSOR_OP_SUM, pair(BND_TENSOR_OP_MUL, y, d));
    must(bnd_tensor_backward(loss, 1, &why), &why);
    numbers_of(l->y, IN_ROWS, y);
    numbers_of(l->dx, IN_ROWS, bnd_tensor_gradient(x));
    numbers_of(l->dgain, GAINS, bnd_tensor_gradient(gain));
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&l->here, engine, BND_ROLE_NORM_W, 1));
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&l->everywhere, engine, BND_ROLE_NORM_W, BND_PLACE_ALL));
    bnd_engine_free(engine);
}

static bool same_norms(const norm *a, const norm *b)
{
    return memcmp(a->y, b->y, sizeof a->y) == 0 && memcmp(a->dx, b->dx, sizeof a->dx) == 0 &&
           memcmp(a->dgain, b->dgain, sizeof a->dgain) == 0;
}

/* What the cast of the gain is worth. Results have the first number of a step for their casts: the gain's is 1. */
static void cast_gain(float *y, const float *gain, const char *format, bnd_rounding rounding, const char *scale,
                      bnd_stats *stats)
{
    const bnd_array how = {.rule = {.rounding = (uint8_t)rounding}, .seed = 99, .purpose = UINT64_C(7) << 32 | 1};
    const bnd_format f = format_named(format);
    bnd_block block;
    bnd_shape shape;
    bnd_error why;
    if (scale == NULL) {
        must(bnd_round_f32(y, gain, GAINS, &f, &how, stats, &why), &why);
        return;
    }
    must(bnd_block_scaled(&block, scale, &f, &why), &why);
    block.rule = BND_SCALE_FLOOR;
    must(bnd_block_shape(&shape, &block, (size_t[]){GAINS}, 1, 0, &why), &why);
    must(bnd_fake_quantize_f32(y, gain, shape, &block, &how, stats, &why), &why);
}

/* Under each policy everything is as if the gain had been what it is cast to: the gradient, too, which goes to the
 * gain that is kept. It is cast on both ways, and counted where the norm stands. */
static void test_gains(void)
{
    static const struct {
        const char *policy, *format;
        bnd_rounding rounding;
        const char *scale;
    } cases[] = {
        {"norm.w=e4m3", "e4m3", BND_ROUND_RNE, NULL},          {"norm.w=e3m2:rtz", "e3m2", BND_ROUND_RTZ, NULL},
        {"norm.w=e4m3:sr", "e4m3", BND_ROUND_SR, NULL},        {"norm.w=e4m3/mx:floor", "e4m3", BND_ROUND_RNE, "mx"},
        {"norm.w=e2m1/mx:floor", "e2m1", BND_ROUND_RNE, "mx"}, {"mxfp8-norms+fp32", "e4m3", BND_ROUND_RNE, "mx"},
    };
    static const bnd_tensor_operation operations[] = {BND_TENSOR_OP_LAYER_NORM, BND_TENSOR_OP_RMS_NORM};
    static norm l, want, plain;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bnd_tensor_operation operation = operations[i % 2];
        bnd_stats stats = {0};
        fill_gains(l.gain);
        memcpy(plain.gain, l.gain, sizeof l.gain);
        run_norm(&l, operation, cases[i / 2].policy, "fp32", "fp32");
        run_norm(&plain, operation, "fp32", "fp32", "fp32");
        for (int way = 0; way < 2; way++) {
            cast_gain(want.gain, l.gain, cases[i / 2].format, cases[i / 2].rounding, cases[i / 2].scale, &stats);
        }
        run_norm(&want, operation, "fp32", "fp32", "fp32");
        bool good = same_norms(&l, &want) && same_statistics(&l.here, &stats) && same_statistics(&l.everywhere, &stats);
        if (!good) {
            printf("\n    %s\n", cases[i / 2].policy);
        }
        CU_ASSERT_TRUE(good);
        CU_ASSERT_FALSE(same_norms(&l, &plain));
        CU_ASSERT_EQUAL(plain.everywhere.elements, 0);
        CU_ASSERT_TRUE(cases[i / 2].scale == NULL || l.here.saturated >= (size_t)2 * 32 / 2); /* clamped */
    }
}

/* Numbers of fp64 are not cast, nor are gains that have the format. */
static void test_gains_as_they_are(void)
{
    static norm l, plain;
    fill_gains(l.gain);
    memcpy(plain.gain, l.gain, sizeof l.gain);
    run_norm(&l, BND_TENSOR_OP_LAYER_NORM, "norm.w=e4m3", "fp64", "fp64");
    run_norm(&plain, BND_TENSOR_OP_LAYER_NORM, "fp32", "fp64", "fp64");
    CU_ASSERT_TRUE(same_norms(&l, &plain) && l.everywhere.elements == 0);
    run_norm(&l, BND_TENSOR_OP_RMS_NORM, "norm.w=bf16", "fp32", "bf16");
    run_norm(&plain, BND_TENSOR_OP_RMS_NORM, "fp32", "fp32", "bf16");
    CU_ASSERT_TRUE(same_norms(&l, &plain) && l.everywhere.inexact == 0);
    bnd_engine *engine = new_engine();
    bnd_policy policy;
    bnd_error why;
    must(bnd_policy_parse(&policy, "norm.w=e4m3/hadamard", &why), &why);
    CU_ASSERT_TRUE(refuses(bnd_engine_set_policy(engine, &policy, &why), &why, "norm.w cannot be used with hadamard"));
    bnd_engine_free(engine);
}

/* A norm without a gain has the gain 1. */
static void test_no_gain(void)
{
    bnd_engine *engine = new_engine();
    const float x[4] = {1, 2, 4, 9}, ones[4] = {1, 1, 1, 1};
    bnd_tensor *in[] = {vector(engine, "fp32", x, 4), vector(engine, "fp32", ones, 4)};
    static const bnd_tensor_operation operations[] = {BND_TENSOR_OP_LAYER_NORM, BND_TENSOR_OP_RMS_NORM};
    for (size_t i = 0; i < 2; i++) {
        bnd_tensor *without = NULL, *with = NULL;
        float got[4] = {0}, want[4];
        bnd_error why;
        must(bnd_tensor_apply(&without, operations[i], in, 1, NULL, &why), &why);
        must(bnd_tensor_apply(&with, operations[i], in, 2, NULL, &why), &why);
        must(bnd_tensor_read_f32(got, 4, without, &why), &why);
        must(bnd_tensor_read_f32(want, 4, with, &why), &why);
        CU_ASSERT_EQUAL(memcmp(got, want, sizeof want), 0);
        bnd_tensor_release(without);
        bnd_tensor_release(with);
    }
    bnd_tensor_release(in[0]);
    bnd_tensor_release(in[1]);
    bnd_engine_free(engine);
}

CU_TestInfo gain_tests[] = {
    {"gains of norms", test_gains},
    {"gains as they are", test_gains_as_they_are},
    {"no gain", test_no_gain},
    CU_TEST_INFO_NULL,
};
