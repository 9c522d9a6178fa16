/* Bytes of a run under a recipe: parameters, histories of scales, and activations. */
#include "recipes.h"

#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t blocks(size_t n, size_t size)
{
    return (n + size - 1) / size;
}

/* Bytes of scales of a tensor that stays between steps. */
typedef size_t scales_of(size_t rows, size_t columns);

static size_t none(size_t rows, size_t columns)
{
    (void)rows;
    (void)columns;
    return 0;
}

static size_t of_kahan(size_t rows, size_t columns)
{
    return 2 * rows * columns;
}

static size_t of_wide_kahan(size_t rows, size_t columns)
{
    return 4 * rows * columns;
}

static size_t of_tiles(size_t rows, size_t columns) /* param */
{
    return 4 * blocks(rows, 128) * blocks(columns, 128);
}

static size_t of_byte_tiles(size_t rows, size_t columns) /* param, scales in e8m0 */
{
    return blocks(rows, 128) * blocks(columns, 128);
}

static size_t of_three(size_t rows, size_t columns) /* master, m and v */
{
    (void)rows;
    (void)columns;
    return 3 * 4;
}

static size_t of_moments(size_t rows, size_t columns) /* m and v */
{
    return rows * columns < 4096 ? 0 : 2 * 4 * blocks(rows * columns, 256);
}

/* Bytes a parameter of training.md's table, under AdamW; what is transient is at its peak in brackets there. */
static const struct memory {
    const char *recipe;
    unsigned param, transient, grad, master, m, v;
    scales_of *extra;
    unsigned in_small; /* m and v of tensors of fewer than 4096 */
} memories[] = {
    {"fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"tf32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp-noscale", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp-static", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp", 4, 0, 4, 0, 4, 4, none, 0},
    {"bf16-amp", 4, 0, 4, 0, 4, 4, none, 0},
    {"bf16-master", 2, 0, 2, 4, 4, 4, none, 0},
    {"base=bf16-master,grad=fp32", 2, 0, 4, 4, 4, 4, none, 0},
    {"fp16-pure", 2, 0, 2, 0, 2, 2, none, 0},
    {"bf16-pure", 2, 0, 2, 0, 2, 2, none, 0},
    {"e4m3-pure", 1, 0, 1, 0, 1, 1, none, 0},
    {"e5m2-pure", 1, 0, 1, 0, 1, 1, none, 0},
    {"bf16-sr", 2, 0, 2, 0, 4, 4, none, 0},
    {"bf16-kahan", 2, 0, 2, 0, 4, 4, of_kahan, 0},
    {"bf16-kahan-pure", 2, 0, 2, 0, 2, 2, of_kahan, 0},
    {"fp8-unscaled", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-unscaled+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-unit", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-unit+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-e4m3-unscaled", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-e4m3-unscaled+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-current", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-current+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-rowwise", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-rowwise+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8-floor", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8-floor+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8-norms", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8-norms+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp6", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp6+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp4", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp4+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp4-rceil", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp4-rceil+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"nvfp4", 2, 0, 2, 4, 4, 4, none, 0},
    {"nvfp4+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-block", 1, 0, 4, 4, 2, 2, of_tiles, 0},
    {"fp8-block+fp32", 1, 0, 4, 4, 2, 2, of_tiles, 0},
    {"fp8-block-ue8m0", 1, 0, 4, 4, 2, 2, of_byte_tiles, 0},
    {"fp8-block-ue8m0+fp32", 1, 0, 4, 4, 2, 2, of_byte_tiles, 0},
    {"fp8-lm", 0, 1, 1, 2, 1, 2, of_three, 0},
    {"fp8-lm+fp32", 0, 1, 1, 2, 1, 2, of_three, 0},
    {"param=e4m3,master=fp32", 1, 0, 4, 4, 4, 4, none, 0},
    {"param=bf16,update=kahan", 2, 0, 4, 0, 4, 4, of_wide_kahan, 0},
    {"adam8bit", 2, 0, 2, 4, 1, 1, of_moments, 4},
};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

static void check_memory(const struct memory *c)
{
    bnd_training t = training_of("mlp", "adamw", c->recipe);
    bnd_run *run = run_of(&t, NULL);
    const uint64_t n = steps_of(run, 1).weights;
    uint64_t small = 0, extra = 0;
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(run));
    for (size_t layer = 0, in = t.inputs; layer <= t.depth; layer++) {
        size_t out = layer < t.depth ? t.width : 10;
        extra += c->extra(out, in) + c->extra(1, out);
        small += (in * out < 4096 ? in * out : 0) + out;
        in = out;
    }
    small = c->in_small > 0 ? small : 0;
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM], c->param * n);
    CU_ASSERT_EQUAL(a.peak_by_role[BND_ROLE_PARAM], (c->param + c->transient) * n);
    CU_ASSERT_EQUAL(a.peak_by_role[BND_ROLE_GRAD], c->grad * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_MASTER], c->master * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], c->m * (n - small) + c->in_small * small);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], c->v * (n - small) + c->in_small * small);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_EXTRA], extra);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_GRAD] + a.bytes[BND_ROLE_ACT] + a.bytes[BND_ROLE_DACT] +
                        a.bytes[BND_ROLE_SCRATCH] + a.bytes[BND_ROLE_DATA],
                    0);
    bnd_run_free(run);
}

/* No setting of the row says how a state is kept: the row keeps what its base keeps, or what fp32 keeps. */
static bool keeps_what_its_base_keeps(const char *settings)
{
    static const char *const states[] = {"param=", "master=", "grad=", "m=", "v=", "extra=", "update=", "pure="};
    bool keeps = true;
    for (const char *at = settings; *at != '\0' && keeps; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
            keeps = keeps && strncmp(at, states[i], strlen(states[i])) != 0;
        }
    }
    return keeps;
}

/* The memory of every recipe that sets a state by itself has been counted by hand. */
static void test_memory(void)
{
    for (size_t i = 0; i < MEMORIES; i++) {
        unsigned before = CU_get_number_of_failures();
        check_memory(&memories[i]);
        if (CU_get_number_of_failures() > before) {
            printf("\n    %s\n", memories[i].recipe);
        }
    }
    for (size_t row = 0; row < bnd_recipe_count(); row++) { /* fp8-delayed has histories */
        bool found = strncmp(bnd_recipe_name(row), "fp8-delayed", strlen("fp8-delayed")) == 0 ||
                     keeps_what_its_base_keeps(bnd_recipe_settings(row));
        for (size_t i = 0; i < MEMORIES; i++) {
            found = found || strcmp(bnd_recipe_name(row), memories[i].recipe) == 0;
        }
        CU_ASSERT_TRUE(found);
    }
}

/* 4 bytes for each of 16 steps, for the six operands of each of the mlp's layers (the first has no gradient of x). */
static void test_memory_of_histories(void)
{
    bnd_training t = training_of("mlp", "adamw",
                                 "base=fp8-delayed+fp32,gemm=e4m3/delayed:16,gemm_dgrad.dy=e5m2/delayed:16,"
                                 "gemm_wgrad.dy=e5m2/delayed:16");
    bnd_run *run = run_of(&t, NULL);
    const uint64_t n = steps_of(run, 2).weights, layers = t.depth + 1;
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(run));
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM] + a.bytes[BND_ROLE_M] + a.bytes[BND_ROLE_V], 12 * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_EXTRA], (6 * layers - 2) * 16 * 4);
    CU_ASSERT_EQUAL(bnd_engine_state_count(bnd_run_engine(run)), (6 * layers - 2) * (4 + 16));
    bnd_run_free(run);
}

/* Bytes a parameter of a wide model, all that stays and the gradient: training.md's totals. */
static void test_totals(void)
{
    static const struct {
        const char *recipe, *optimizer;
        double bytes;
    } cases[] = {{"fp32", "adamw", 16},      {"bf16-master", "adamw", 16}, {"bf16-kahan", "adamw", 14},
                 {"fp8-block", "adamw", 13}, {"fp8-lm", "adamw", 6},       {"adam8bit", "adamw", 10.03125},
                 {"fp32", "lion", 12},       {"fp32", "sgd", 8},           {"fp32", "momentum", 12},
                 {"bf16-pure", "adamw", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of("mlp", cases[i].optimizer, cases[i].recipe);
        bnd_account a;
        t.width = t.inputs = 384;
        t.batch = 2;
        bnd_run *run = run_of(&t, NULL);
        double n = (double)steps_of(run, 1).weights;
        bnd_engine_account(&a, bnd_run_engine(run));
        double bytes = (double)(a.bytes[BND_ROLE_PARAM] + a.peak_by_role[BND_ROLE_GRAD] + a.bytes[BND_ROLE_MASTER] +
                                a.bytes[BND_ROLE_M] + a.bytes[BND_ROLE_V] + a.bytes[BND_ROLE_EXTRA]);
        CU_ASSERT_DOUBLE_EQUAL(bytes / n, cases[i].bytes, 0.01 * cases[i].bytes);
        bnd_run_free(run);
    }
}

/* ---- activations ---- */

static double activations_of(const char *recipe)
{
    bnd_training t = training_of("transformer", "adamw", recipe);
    bnd_account a;
    t.batch = 4;
    t.context = 16;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 1);
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    return (double)a.peak_by_role[BND_ROLE_ACT];
}

static void test_activations(void)
{
    double fp32 = activations_of("fp32"), bf16 = activations_of("bf16-pure"), e4m3 = activations_of("e4m3-pure");
    double amp = activations_of("bf16-amp"), fp16 = activations_of("fp16-pure");
    CU_ASSERT_TRUE(bf16 < 0.55 * fp32 && bf16 > 0.45 * fp32);
    CU_ASSERT_TRUE(e4m3 < 0.32 * fp32 && e4m3 > 0.22 * fp32);
    CU_ASSERT_EQUAL(fp16, bf16);
    CU_ASSERT_TRUE(amp < 0.9 * fp32 && amp > bf16);
}

static bnd_account account_of(const char *model, const char *recipe, bool recompute)
{
    bnd_training t = training_of(model, "adamw", recipe);
    bnd_account a;
    t.recompute = recompute;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 1);
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    return a;
}

/* Results that no operation saves are gone at once: what is held at the most is what is saved, and what is at work. */
static void test_freed(void)
{
    static const char *const models[] = {"transformer", "student"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        bnd_account a = account_of(models[i], "fp32", false);
        CU_ASSERT_TRUE(a.saved > 0 && a.saved + a.saved_row_statistics <= a.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE((double)a.peak_by_role[BND_ROLE_ACT] < 1.25 * (double)(a.saved + a.saved_row_statistics));
    }
}

/* A format for what is saved makes activations smaller, and by its width: the copy stands instead of the tensor. */
static void test_saved(void)
{
    for (int recompute = 0; recompute < 2; recompute++) {
        bnd_account wide = account_of("transformer", "fp32", recompute == 1);
        bnd_account half = account_of("transformer", "saved=bf16", recompute == 1);
        bnd_account quarter = account_of("transformer", "saved=e4m3", recompute == 1);
        CU_ASSERT_TRUE(half.peak_by_role[BND_ROLE_ACT] < wide.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE(quarter.peak_by_role[BND_ROLE_ACT] < half.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE(half.saved < wide.saved && quarter.saved < half.saved);
        CU_ASSERT_TRUE(recompute == 1 || (2 * half.saved == wide.saved && 4 * quarter.saved == wide.saved));
    }
}

/* Operands in integers take a sign and the bits of the value set, as the formats of the same width. */
static void test_integers(void)
{
    const uint64_t wide = account_of("transformer", "fp32", false).saved;
    const uint64_t of_8 = account_of("transformer", "gemm=mxfp8", false).saved;
    const uint64_t of_4 = account_of("transformer", "gemm=nvfp4", false).saved;
    CU_ASSERT_TRUE(of_4 < of_8 && of_8 < wide);
    CU_ASSERT_EQUAL(account_of("transformer", "gemm=mxint8", false).saved, of_8);
    CU_ASSERT_EQUAL(account_of("transformer", "gemm=nvint4", false).saved, of_4);
}

CU_TestInfo recipe_memory_tests[] = {
    {"bytes per parameter", test_memory},
    {"bytes of histories", test_memory_of_histories},
    {"bytes of a wide model", test_totals},
    {"bytes of activations", test_activations},
    {"results that nothing saves", test_freed},
    {"a format for what is saved", test_saved},
    {"integers", test_integers},
    CU_TEST_INFO_NULL,
};
