/* Checkpoints that tests make. */
#include "convert.h"

#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LAYER   "model.layers.0."
#define EXPERTS "model.layers.1."

const made_weight small_model[] = {
    {"model.embed_tokens.weight", "BF16", 40, 64, 1},
    {LAYER "input_layernorm.weight", "BF16", 0, 64, 1},
    {LAYER "self_attn.q_proj.weight", "BF16", 64, 64, 0.5},
    {LAYER "self_attn.k_proj.weight", "BF16", 32, 64, 2},
    {LAYER "self_attn.v_proj.weight", "BF16", 32, 64, 0.03},
    {LAYER "self_attn.q_proj.bias", "BF16", 0, 64, 1},
    {LAYER "self_attn.o_proj.weight", "BF16", 64, 64, 0.25},
    {LAYER "mlp.gate_proj.weight", "BF16", 96, 64, 0.1},
    {LAYER "mlp.up_proj.weight", "BF16", 96, 64, 0.7},
    {LAYER "mlp.down_proj.weight", "BF16", 64, 96, 3e-5},
    {EXPERTS "mlp.gate.weight", "BF16", 4, 64, 1},
    {EXPERTS "mlp.experts.0.gate_proj.weight", "BF16", 96, 64, 1},
    {EXPERTS "mlp.experts.0.up_proj.weight", "BF16", 96, 64, 4},
    {EXPERTS "mlp.experts.1.gate_proj.weight", "BF16", 96, 64, 0.01},
    {EXPERTS "mlp.experts.1.up_proj.weight", "BF16", 96, 64, 0.02},
    {"model.norm.weight", "F32", 0, 64, 1},
    {"lm_head.weight", "BF16", 40, 64, 1},
};
const size_t small_model_count = sizeof small_model / sizeof *small_model;

/* Numbers of very different magnitudes in each row; one row in eight is nearly zero. */
static float number(size_t seed, size_t i, size_t columns, double size)
{
    uint64_t bits = bnd_random(seed, 7, i);
    double unit = (double)(bits >> 11) * 0x1p-53 * 2 - 1;
    double spread = ldexp(1, -(int)(bits & 7)), row = i / columns % 8 == 7 ? 0x1p-9 : 1;
    return (float)(unit * spread * row * size);
}

static unsigned char *data_of(const made_weight *w, size_t seed, size_t *size)
{
    const bnd_format *f = bnd_format_at(strcmp(w->dtype, "F32") == 0   ? BND_FORMAT_FP32
                                        : strcmp(w->dtype, "F16") == 0 ? BND_FORMAT_FP16
                                                                       : BND_FORMAT_BF16);
    size_t count = (w->rows > 0 ? w->rows : 1) * w->columns;
    float *x = malloc(count * sizeof *x);
    unsigned char *bytes = malloc(count * 4);
    CU_ASSERT_FATAL(x != NULL && bytes != NULL);
    for (size_t i = 0; i < count; i++) {
        x[i] = number(seed, i, w->columns, w->size);
    }
    CU_ASSERT_EQUAL_FATAL(bnd_encode_f32(bytes, x, count, f, NULL, NULL, NULL), BND_OK);
    free(x);
    *size = count * f->width / 8;
    return bytes;
}

void make_model(const char *name, const made_weight *weights, size_t count, const char *config)
{
    char folder[PATH_SIZE], path[PATH_SIZE], file[64];
    bnd_safetensor *entries = calloc(count, sizeof *entries);
    uint64_t(*shapes)[2] = calloc(count, sizeof *shapes);
    CU_ASSERT_FATAL(entries != NULL && shapes != NULL);
    CU_ASSERT_EQUAL_FATAL(mkdir(in_folder(folder, name), 0777), 0);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        unsigned char *bytes = data_of(&weights[i], i, &size);
        size_t rank = weights[i].rows > 0 ? 2 : 1;
        shapes[i][0] = rank == 2 ? weights[i].rows : weights[i].columns;
        shapes[i][1] = weights[i].columns;
        entries[i] = (bnd_safetensor){.name = weights[i].name,
                                      .dtype = weights[i].dtype,
                                      .rank = rank,
                                      .shape = shapes[i],
                                      .data = bytes,
                                      .size = size};
    }
    snprintf(file, sizeof file, "%s/model.safetensors", name);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, file), entries, count, NULL, 0, NULL), BND_OK);
    for (size_t i = 0; i < count; i++) {
        free((void *)entries[i].data);
    }
    free(entries);
    free(shapes);
    if (config != NULL) {
        snprintf(file, sizeof file, "%s/config.json", name);
        write_file(in_folder(path, file), config, strlen(config));
    }
}

bnd_checkpoint *open_made(const char *name)
{
    char path[PATH_SIZE];
    bnd_checkpoint *c = NULL;
    bnd_error why = {.message = ""};
    if (bnd_checkpoint_new(&c, in_folder(path, name), NULL, NULL, &why) != BND_OK) {
        printf("    %s: %s\n", name, why.message);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    return c;
}

bnd_quantize_plan *plan_of(const bnd_checkpoint *in, const bnd_quantize *how)
{
    bnd_quantize_plan *plan = NULL;
    bnd_error why = {.message = ""};
    if (bnd_quantize_plan_new(&plan, in, how, &why) != BND_OK) {
        printf("    %s: %s\n", how->to, why.message);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    return plan;
}

void refuse_plan(const bnd_checkpoint *in, const bnd_quantize *how, bnd_status status, const char *words)
{
    bnd_quantize_plan *plan = NULL;
    bnd_error why = {.message = ""};
    bnd_status got = bnd_quantize_plan_new(&plan, in, how, &why);
    if (got != status || strstr(why.message, words) == NULL) {
        printf("    expected '%s', got %s '%s'\n", words, bnd_status_name(got), why.message);
    }
    CU_ASSERT_EQUAL(got, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, words));
    CU_ASSERT_PTR_NULL(plan);
}

bnd_checkpoint *quantize_named(const char *from, const char *to, const bnd_quantize *how)
{
    char path[PATH_SIZE];
    bnd_checkpoint *in = open_made(from);
    bnd_quantize_plan *plan = plan_of(in, how);
    bnd_error why = {.message = ""};
    if (bnd_checkpoint_quantize(plan, in_folder(path, to), false, NULL, &why) != BND_OK) {
        printf("    %s: %s\n", to, why.message);
        CU_FAIL_FATAL("quantizing failed");
    }
    bnd_quantize_plan_free(plan);
    bnd_checkpoint_free(in);
    return open_made(to);
}

float *values_of(const bnd_checkpoint *c, const char *name, size_t *count)
{
    const bnd_stored_weight *weight = bnd_checkpoint_find_weight(c, name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(weight);
    *count = (size_t)weight->count;
    float *y = malloc((*count + 1) * sizeof *y);
    CU_ASSERT_PTR_NOT_NULL_FATAL(y);
    CU_ASSERT_EQUAL_FATAL(bnd_decode_weight_f32(y, weight, 0, *count, NULL, NULL), BND_OK);
    return y;
}
