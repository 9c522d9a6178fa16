/* Blocks of gpt-oss, [E, out, in], and the values that transformers has, [E, in, out]: the same elements. */
#include "tests.h"

#include "tests/support/folder.h"

#include <binade-lab/convert.h>
#include <binade-lab/diff.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { E = 2, WIDE = 192, DOWN = E * WIDE * WIDE, GATE_UP = 2 * DOWN }; /* down is square; pieces end within rows */

#define AT "model.layers.0.mlp.experts."

static bnd_checkpoint *open_named(const char *name)
{
    char path[PATH_SIZE];
    bnd_checkpoint *c = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_new(&c, in_folder(path, name), NULL, NULL, NULL), BND_OK);
    return c;
}

/* `exchanged`: gate_up is [E, out, in], which the model does not have. */
static bnd_checkpoint *make_values(const char *name, bool exchanged)
{
    static const char config[] = "{\"model_type\": \"gpt_oss\"}";
    static const uint64_t up[] = {E, WIDE, 2 * WIDE}, other[] = {E, 2 * WIDE, WIDE}, down[] = {E, WIDE, WIDE};
    static float x[GATE_UP + DOWN];
    const bnd_safetensor entries[] = {{.name = AT "gate_up_proj",
                                       .dtype = "F32",
                                       .rank = 3,
                                       .shape = exchanged ? other : up,
                                       .data = (const unsigned char *)x,
                                       .size = GATE_UP * sizeof *x},
                                      {.name = AT "down_proj",
                                       .dtype = "F32",
                                       .rank = 3,
                                       .shape = down,
                                       .data = (const unsigned char *)(x + GATE_UP),
                                       .size = DOWN * sizeof *x}};
    char path[PATH_SIZE], file[64];
    make_base(x, GATE_UP + DOWN, 7);
    CU_ASSERT_EQUAL_FATAL(mkdir(in_folder(path, name), 0777), 0);
    snprintf(file, sizeof file, "%s/model.safetensors", name);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, file), entries, 2, NULL, 0, NULL), BND_OK);
    snprintf(file, sizeof file, "%s/config.json", name);
    write_file(in_folder(path, file), config, sizeof config - 1);
    return open_named(name);
}

static bnd_checkpoint *quantized(const char *name, const bnd_checkpoint *in, const bnd_quantize *how)
{
    char path[PATH_SIZE];
    bnd_quantize_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_quantize_plan_new(&plan, in, how, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_quantize(plan, in_folder(path, name), false, NULL, NULL), BND_OK);
    bnd_quantize_plan_free(plan);
    return open_named(name);
}

static bnd_diff *diff_of(const bnd_checkpoint *a, const bnd_checkpoint *b, bool explain)
{
    bnd_diff *d = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_diff_new(&d, a, b, &(bnd_diff_options){.explain = explain}, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_diff_count(d), 2);
    return d;
}

static float *decoded(const bnd_stored_weight *w)
{
    float *x = malloc((size_t)w->count * sizeof *x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    CU_ASSERT_EQUAL_FATAL(bnd_decode_weight_f32(x, w, 0, (size_t)w->count, NULL, NULL), BND_OK);
    return x;
}

/* The figures of a pair, element by element: (e, o, i) of A is (e, i, o) of B. */
static void check_figures(const bnd_weight_difference *pair)
{
    const size_t outs = (size_t)pair->a->shape[1], ins = (size_t)pair->a->shape[2];
    float *a = decoded(pair->a), *b = decoded(pair->b);
    uint64_t equal = 0, at = 0;
    double sum = 0, largest = 0;
    for (size_t i = 0; i < pair->a->count; i++) {
        const size_t e = i / ins / outs, o = i / ins % outs, in = i % ins;
        const double error = fabs((double)a[i] - (double)b[(e * ins + in) * outs + o]);
        equal += error == 0;
        sum += error;
        at = error > largest ? i : at;
        largest = error > largest ? error : largest;
    }
    CU_ASSERT_EQUAL(pair->kind, BND_DIFFERENCE_VALUES);
    CU_ASSERT_EQUAL(pair->sums.elements, pair->a->count);
    CU_ASSERT_EQUAL(pair->sums.equal, equal);
    CU_ASSERT_DOUBLE_EQUAL(pair->sums.error_sum, sum, 1e-9 * sum);
    CU_ASSERT_EQUAL(pair->sums.largest_error, largest);
    CU_ASSERT_EQUAL(pair->sums.largest_at, at);
    free(a);
    free(b);
}

/* The same values in fp64. One of the first weight differs, by less than fp32 tells. */
static bnd_checkpoint *widened(const char *name, const bnd_checkpoint *in)
{
    static double x[GATE_UP + DOWN];
    bnd_safetensor entries[2];
    char path[PATH_SIZE];
    size_t at = 0;
    for (size_t i = 0; i < 2; i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(in, i);
        float *of_w = decoded(w);
        entries[i] = (bnd_safetensor){.name = w->name, .dtype = "F64", .rank = w->rank, .shape = w->shape};
        entries[i].data = (const unsigned char *)(x + at);
        for (size_t k = 0; k < w->count; k++) {
            x[at++] = (double)of_w[k];
        }
        free(of_w);
    }
    const size_t last = (size_t)bnd_checkpoint_weight_at(in, 0)->count - 1;
    x[last] = x[last] == 0 ? 1e-300 : x[last] * (1 + 0x1p-40);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, name), entries, 2, NULL, 0, NULL), BND_OK);
    return open_named(name);
}

/* Numbers in fp64 are compared with those at the same place, from either side. */
static void check_wide(const bnd_checkpoint *blocks, const bnd_checkpoint *wide)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        bnd_diff *d = swapped != 0 ? diff_of(wide, blocks, false) : diff_of(blocks, wide, false);
        CU_ASSERT_EQUAL(bnd_diff_kinds(d, BND_DIFFERENCE_NONE), 1);
        for (size_t i = 0; i < 2; i++) {
            const bnd_weight_difference *pair = bnd_diff_at(d, i);
            const bool same = pair->kind == BND_DIFFERENCE_NONE;
            CU_ASSERT_EQUAL(pair->sums.below_fp32, same ? 0 : 1);
            CU_ASSERT_EQUAL(pair->sums.equal + pair->sums.below_fp32, pair->sums.elements);
        }
        bnd_diff_free(d);
    }
}

static void blocks_and_values(void)
{
    open_folder();
    bnd_checkpoint *base = make_values("base", false), *exchanged = make_values("exchanged", true),
                   *blocks = quantized("blocks", base, &(bnd_quantize){.to = "mxfp4", .layout = "gpt-oss"}),
                   *values = quantized("values", blocks, &(bnd_quantize){.to = "fp32"});
    bnd_diff *d = diff_of(blocks, base, true);
    for (size_t i = 0; i < 2; i++) {
        const bnd_weight_difference *pair = bnd_diff_at(d, i);
        check_figures(pair);
        CU_ASSERT_PTR_NULL_FATAL(pair->explained.why_not);
        CU_ASSERT_EQUAL(pair->explained.codes, pair->a->count);
        CU_ASSERT_EQUAL(pair->explained.codes_made, pair->a->count);
        CU_ASSERT_EQUAL(pair->explained.scales_made, pair->a->count / 32);
    }
    bnd_diff_free(d);
    d = diff_of(blocks, values, false);
    CU_ASSERT_EQUAL(bnd_diff_kinds(d, BND_DIFFERENCE_NONE), 2);
    CU_ASSERT_FALSE(bnd_diff_at(d, 0)->same_bytes);
    bnd_diff_free(d);
    d = diff_of(values, blocks, false);
    CU_ASSERT_EQUAL(bnd_diff_kinds(d, BND_DIFFERENCE_NONE), 2);
    bnd_diff_free(d);
    d = diff_of(blocks, blocks, false);
    CU_ASSERT_EQUAL(bnd_diff_kinds(d, BND_DIFFERENCE_NONE), 2);
    CU_ASSERT_TRUE(bnd_diff_at(d, 0)->same_bytes);
    bnd_diff_free(d);
    bnd_checkpoint *wide = widened("wide.safetensors", values);
    check_wide(blocks, wide);
    bnd_checkpoint_free(wide);
    d = diff_of(blocks, exchanged, true);
    CU_ASSERT_EQUAL(bnd_diff_kinds(d, BND_DIFFERENCE_SHAPE), 1);
    for (size_t i = 0; i < 2; i++) {
        const bnd_weight_difference *pair = bnd_diff_at(d, i);
        if (pair->kind == BND_DIFFERENCE_SHAPE) {
            CU_ASSERT_STRING_EQUAL(pair->why, "[2, 192, 384] and [2, 384, 192]");
            CU_ASSERT_STRING_EQUAL(pair->explained.why_not, "the base has another shape");
        }
    }
    bnd_diff_free(d);
    bnd_checkpoint_free(base);
    bnd_checkpoint_free(exchanged);
    bnd_checkpoint_free(blocks);
    bnd_checkpoint_free(values);
    close_folder();
}

CU_TestInfo expert_tests[] = {{"blocks of gpt-oss and values", blocks_and_values}, CU_TEST_INFO_NULL};
