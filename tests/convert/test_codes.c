/* Every code and every scale that quantize writes, from the numbers of the input by the scalar codec. What a layout
 * calls its tensors, and what their dtypes and shapes are, is written here once more, from the loaders' sources.
 *
 * A scale is from doubles: quotients of fp32 by the largest element are far enough from the middle of two numbers of
 * the scale's format that the rounding to a double does not matter. So are quotients of an element and its scale. */
#include "convert.h"

#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum sharing { ROW, TENSOR, TILE, GROUP } sharing;
typedef enum scale_rule { NEAREST, CT, RCEIL, BY_ERRORS } scale_rule; /* BY_ERRORS: only codes are checked */

/* "1": [1]; "": a number; "r": [rows]; "r1": [rows, 1]; "rg": [rows, columns / group]; "tt": tiles; "t1t1" */
typedef struct layout_case {
    bnd_quantize how;
    const char *codes, *scales, *second;            /* suffixes */
    const char *codes_dtype, *scales_dtype, *shape; /* of the scales */
    const char *element, *scale;
    sharing sharing;
    size_t size; /* of a tile or a group */
    scale_rule rule;
    bool packed, divides, second_scale, integers;
    float reach; /* the tensor's scale is amax over this; 0: 2688 */
} layout_case;

#define FP8          .codes = "weight", .codes_dtype = "F8_E4M3", .element = "e4m3"
#define FP4          .codes = "weight_packed", .codes_dtype = "U8", .element = "e2m1", .packed = true
#define INT8         .codes = "weight", .codes_dtype = "I8", .element = "int8", .integers = true
#define WEIGHT_SCALE .scales = "weight_scale"
#define BF16_SCALE   .scales_dtype = "BF16", .scale = "bf16"
#define FP32_SCALE   .scales_dtype = "F32", .scale = "fp32"
#define MX           .sharing = GROUP, .size = 32, .scales_dtype = "U8", .scale = "e8m0", .shape = "rg"
#define BY_16        .sharing = GROUP, .size = 16, .shape = "rg", .second_scale = true
#define NV           BY_16, .scales_dtype = "F8_E4M3", .scale = "e4m3"
#define CT_NVFP4     FP4, WEIGHT_SCALE, .second = "weight_global_scale", NV, .divides = true
#define PER_ROW      .shape = "r1", .sharing = ROW
#define TILES(n)     .shape = "tt", .sharing = TILE, .size = n

static const layout_case cases[] = {
    {.how = {.to = "e4m3"}, FP8, WEIGHT_SCALE, BF16_SCALE, PER_ROW},
    {.how = {.to = "e4m3", .scale_format = "fp32"}, FP8, WEIGHT_SCALE, FP32_SCALE, PER_ROW},
    {.how = {.to = "e4m3", .scale_format = "fp16"}, FP8, WEIGHT_SCALE, .scales_dtype = "F16", .scale = "fp16", PER_ROW},
    {.how = {.to = "e4m3", .scale = "tensor"}, FP8, WEIGHT_SCALE, BF16_SCALE, .shape = "1", .sharing = TENSOR},
    {.how = {.to = "e4m3", .scale = "tile:128x128"}, FP8, WEIGHT_SCALE, BF16_SCALE, TILES(128)},
    {.how = {.to = "e4m3", .scale = "tile:32x32"}, FP8, WEIGHT_SCALE, BF16_SCALE, TILES(32)},
    {.how = {.to = "nvfp4"}, CT_NVFP4},
    {.how = {.to = "mxfp4"}, FP4, WEIGHT_SCALE, MX, .rule = CT},
    {.how = {.to = "mxfp4", .rule = "rceil"}, FP4, WEIGHT_SCALE, MX, .rule = RCEIL},
    {.how = {.to = "mxfp8"}, FP8, WEIGHT_SCALE, MX, .rule = CT},
    {.how = {.to = "e4m3", .layout = "fp8"}, FP8, WEIGHT_SCALE, FP32_SCALE, .shape = "", .sharing = TENSOR},
    {.how = {.to = "e4m3", .layout = "fp8-block"}, FP8, .scales = "weight_scale_inv", FP32_SCALE, TILES(128)},
    {.how = {.to = "e4m3", .layout = "modelopt"}, FP8, WEIGHT_SCALE, FP32_SCALE, .shape = "r", .sharing = ROW},
    {.how = {.to = "nvfp4", .layout = "modelopt"},
     .codes = "weight",
     .codes_dtype = "U8",
     .element = "e2m1",
     .packed = true,
     WEIGHT_SCALE,
     .second = "weight_scale_2",
     NV},
    {.how = {.to = "nvfp4", .rule = "4/6"}, CT_NVFP4, .rule = BY_ERRORS, .reach = 1536},
    {.how = {.to = "nvfp4", .rule = "mse"}, CT_NVFP4, .rule = BY_ERRORS},
    {.how = {.to = "mxfp4", .rule = "mse"}, FP4, WEIGHT_SCALE, MX, .rule = BY_ERRORS},
    {.how = {.to = "e4m3", .rule = "mse"}, FP8, WEIGHT_SCALE, BF16_SCALE, PER_ROW, .rule = BY_ERRORS},
    {.how = {.to = "mxfp8", .layout = "modelopt"}, FP8, WEIGHT_SCALE, MX, .rule = RCEIL},
    {.how = {.to = "int8"}, INT8, WEIGHT_SCALE, BF16_SCALE, PER_ROW},
    {.how = {.to = "int8", .scale = "tensor"}, INT8, WEIGHT_SCALE, BF16_SCALE, .shape = "1", .sharing = TENSOR},
};

/* ---- one weight ---- */

typedef struct quantized {
    const layout_case *c;
    bnd_format element, scale;
    const bnd_stored_tensor *codes, *scales, *second;
    const float *x;
    size_t rows, columns;
    double most;      /* the largest element */
    float group_amax; /* of all weights that share the tensor scale */
} quantized;

static const bnd_stored_tensor *part_of(const bnd_checkpoint *out, const char *weight, const char *suffix)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s.%s", (int)(strlen(weight) - strlen(".weight")), weight, suffix);
    return bnd_checkpoint_find(out, name);
}

static size_t up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

static bool shape_is(const bnd_stored_tensor *t, const quantized *q)
{
    const char *shape = q->c->shape;
    size_t size = q->c->size;
    uint64_t expected[2] = {0}, rank = strlen(shape);
    expected[0] = strcmp(shape, "1") == 0 ? 1 : shape[0] == 't' ? up(q->rows, size) : q->rows;
    expected[1] = strcmp(shape, "r1") == 0 ? 1 : size > 0 ? up(q->columns, size) : 0;
    return t->rank == rank && (rank < 1 || t->shape[0] == expected[0]) && (rank < 2 || t->shape[1] == expected[1]);
}

static uint64_t word(const bnd_stored_tensor *t, size_t at, size_t bytes)
{
    uint64_t code = 0;
    for (size_t i = 0; i < bytes; i++) {
        code |= (uint64_t)t->data[at * bytes + i] << (8 * i);
    }
    return code;
}

static float number_at(const bnd_stored_tensor *t)
{
    float x;
    memcpy(&x, t->data, sizeof x);
    return x;
}

/* The number of the scale that an element has. */
static size_t scale_of(const quantized *q, size_t row, size_t column)
{
    size_t size = q->c->size;
    return q->c->sharing == ROW      ? row
           : q->c->sharing == TENSOR ? 0
           : q->c->sharing == TILE   ? row / size * up(q->columns, size) + column / size
                                     : row * up(q->columns, size) + column / size;
}

/* The tensor's scale as a factor: 1 if there is none. */
static double tensor_factor(const quantized *q)
{
    if (!q->c->second_scale) {
        return 1;
    }
    float stored = number_at(q->second);
    return q->c->divides ? (double)(1.0F / stored) : (double)stored;
}

static void check_second(const quantized *q)
{
    if (!q->c->second_scale) {
        return;
    }
    float reach = q->c->reach > 0 ? q->c->reach : 2688;
    float expected = q->c->divides ? reach / q->group_amax : q->group_amax / reach;
    CU_ASSERT_EQUAL(number_at(q->second), expected);
    CU_ASSERT_STRING_EQUAL(q->second->dtype, "F32");
    CU_ASSERT_EQUAL(q->second->rank, q->c->divides ? 1 : 0);
}

/* The code of the scale for a largest magnitude. */
static uint64_t expected_scale(const quantized *q, double amax)
{
    bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE};
    uint64_t code;
    int emax = q->element.width == 4 ? 2 : 8, exponent;
    double fraction = frexp(amax, &exponent) * 2; /* [1, 2) */
    exponent--;
    switch (q->c->rule) {
    case CT:
        exponent += (fraction >= 1.75) - emax;
        return (uint64_t)(exponent + 127);
    case RCEIL:
        (void)frexp(amax / q->most, &exponent);
        return (uint64_t)((ldexp(1, exponent - 1) >= amax / q->most ? exponent - 1 : exponent) + 127);
    default:
        code = bnd_encode(&q->scale, amax / q->most / tensor_factor(q), rule, 0).code;
        return code > 0 ? code : 1; /* the least number above 0 */
    }
}

static void check_scales(const quantized *q, size_t *different)
{
    size_t count = (size_t)q->scales->count, bytes = q->scale.width / 8U;
    double *amax = calloc(count, sizeof *amax);
    CU_ASSERT_PTR_NOT_NULL_FATAL(amax);
    for (size_t i = 0; i < q->rows * q->columns; i++) {
        size_t s = scale_of(q, i / q->columns, i % q->columns);
        double magnitude = fabs((double)q->x[i]);
        amax[s] = magnitude > amax[s] ? magnitude : amax[s];
    }
    for (size_t s = 0; s < count; s++) {
        double most = q->c->sharing == TENSOR ? (double)q->group_amax : amax[s];
        if (word(q->scales, s, bytes) != expected_scale(q, most) && (*different)++ < 3) {
            printf("    scale %zu: %llx, expected %llx\n", s, (unsigned long long)word(q->scales, s, bytes),
                   (unsigned long long)expected_scale(q, most));
        }
    }
    free(amax);
}

static uint64_t expected_code(const quantized *q, double quotient)
{
    bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE};
    if (q->c->integers) {
        double whole = nearbyint(quotient);
        return (uint64_t)(int64_t)(whole > 127 ? 127 : whole < -127 ? -127 : whole) & 0xff;
    }
    return bnd_encode(&q->element, quotient, rule, 0).code;
}

static void check_codes(const quantized *q, size_t *different)
{
    size_t bytes = q->scale.width / 8U;
    for (size_t i = 0; i < q->rows * q->columns; i++) {
        uint64_t got = q->c->packed ? (uint64_t)(q->codes->data[i / 2] >> (4 * (i % 2)) & 15) : q->codes->data[i];
        size_t s = scale_of(q, i / q->columns, i % q->columns);
        double scale = bnd_decode(&q->scale, word(q->scales, s, bytes)) * tensor_factor(q);
        uint64_t expected = expected_code(q, (double)q->x[i] / scale);
        if (got != expected && (*different)++ < 6) {
            printf("    element %zu: %llx, expected %llx (%g by %g)\n", i, (unsigned long long)got,
                   (unsigned long long)expected, (double)q->x[i], scale);
        }
    }
}

/* ---- all weights of a case ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

/* The prefix that names of one fused layer share; 0: it is not part of one. */
static size_t fused_prefix(const char *name)
{
    static const char *const ends[] = {"q_proj.weight", "k_proj.weight", "v_proj.weight", "gate_proj.weight",
                                       "up_proj.weight"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends_with(name, ends[i])) {
            return strlen(name) - strlen(ends[i]);
        }
    }
    return 0;
}

static float amax_of(const bnd_checkpoint *in, const char *name)
{
    size_t count, prefix = fused_prefix(name);
    float amax = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(in, i);
        bool same = strcmp(w->name, name) == 0 ||
                    (prefix > 0 && fused_prefix(w->name) == prefix && memcmp(w->name, name, prefix) == 0);
        if (!same || w->rank != 2) {
            continue;
        }
        float *x = values_of(in, w->name, &count);
        for (size_t k = 0; k < count; k++) {
            amax = fabsf(x[k]) > amax ? fabsf(x[k]) : amax;
        }
        free(x);
    }
    return amax;
}

static void check_weight(const layout_case *c, const bnd_checkpoint *in, const bnd_checkpoint *out, const char *name,
                         size_t *different)
{
    size_t count;
    const bnd_stored_weight *w = bnd_checkpoint_find_weight(in, name);
    float *x = values_of(in, name, &count);
    quantized q = {.c = c,
                   .codes = part_of(out, name, c->codes),
                   .scales = part_of(out, name, c->scales),
                   .second = c->second != NULL ? part_of(out, name, c->second) : NULL,
                   .x = x,
                   .rows = (size_t)w->shape[0],
                   .columns = (size_t)w->shape[1],
                   .group_amax = amax_of(in, name)};
    CU_ASSERT_FATAL(q.codes != NULL && q.scales != NULL && (q.second != NULL) == c->second_scale);
    if (!c->integers) {
        CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&q.element, c->element, NULL), BND_OK);
    }
    q.most = c->integers ? 127 : c->packed ? 6 : 448;
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&q.scale, c->scale, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(q.codes->dtype, c->codes_dtype);
    CU_ASSERT_STRING_EQUAL(q.scales->dtype, c->scales_dtype);
    CU_ASSERT_EQUAL(q.codes->rank, 2);
    CU_ASSERT_EQUAL(q.codes->shape[1], c->packed ? q.columns / 2 : q.columns);
    CU_ASSERT_TRUE(shape_is(q.scales, &q));
    check_second(&q);
    if (c->rule != BY_ERRORS) {
        check_scales(&q, different);
    }
    check_codes(&q, different);
    free(x);
}

static void every_code(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const layout_case *c = &cases[i];
        size_t different = 0, checked = 0;
        open_folder();
        make_model("in", small_model, small_model_count, "{\"torch_dtype\": \"bfloat16\"}");
        bnd_checkpoint *out = quantize_named("in", "out", &c->how), *in = open_made("in");
        for (size_t k = 0; k < small_model_count; k++) {
            if (strstr(small_model[k].name, "_proj.weight") != NULL) {
                check_weight(c, in, out, small_model[k].name, &different);
                checked++;
            }
        }
        if (different > 0) {
            printf("    %s %s %s: %zu different\n", c->how.to, c->how.layout != NULL ? c->how.layout : "",
                   c->how.scale != NULL ? c->how.scale : "", different);
        }
        CU_ASSERT_EQUAL(checked, 11);
        CU_ASSERT_EQUAL(different, 0);
        bnd_checkpoint_free(in);
        bnd_checkpoint_free(out);
        close_folder();
    }
}

CU_TestInfo code_tests[] = {{"every code is the codec's", every_code}, CU_TEST_INFO_NULL};
