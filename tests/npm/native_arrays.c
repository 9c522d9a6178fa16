/* Cases of arrays and blocks: a digest of what the library writes, and its statistics. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 100000, SHORT = 5000 };

static float singles[ELEMENTS];
static double doubles[ELEMENTS];
static unsigned char codes[8 * ELEMENTS];
static double values[ELEMENTS];

/* FNV-1a of 32 bits. */
static unsigned digest(const void *memory, size_t bytes)
{
    const unsigned char *at = memory;
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * 16777619U;
    }
    return hash;
}

static unsigned long long bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0 : bits;
}

/* Arbitrary bits, NaNs among them, and numbers near the ranges of small formats. */
static void make_inputs(void)
{
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint64_t bits = bnd_random(19, 1, i);
        uint32_t half = (uint32_t)bits;
        doubles[i] = (double)(int64_t)(bits << 7) * 0x1p-60 * (i % 3 == 0 ? 0x1p-9 : i % 7 == 0 ? 460.0 : 1.0);
        singles[i] = (float)doubles[i];
        if (i % 4 == 0) {
            memcpy(&singles[i], &half, sizeof half);
            memcpy(&doubles[i], &bits, sizeof bits);
        }
    }
}

static bool write_inputs(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/inputs", folder);
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(singles, sizeof singles, 1, file) == 1 &&
           fwrite(doubles, sizeof doubles, 1, file) == 1 && fclose(file) == 0;
}

static void print_stats(FILE *out, const bnd_stats *s)
{
    const double numbers[] = {s->largest,       s->smallest,       s->squared_error, s->squared_input,
                              s->clamped_error, s->scale_smallest, s->scale_largest};
    const uint64_t counts[] = {s->elements,  s->exact,         s->inexact, s->underflows, s->to_zero, s->overflows,
                               s->saturated, s->infinities_in, s->nans_in, s->nans_out,   s->compared};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fprintf(out, i == 0 ? "\t%llu" : ",%llu", (unsigned long long)counts[i]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fprintf(out, ",%llx", bits_of(numbers[i]));
    }
    fprintf(out, "\t%u\n", digest(s->exponents, sizeof s->exponents));
}

typedef struct request {
    const bnd_format *format;
    rule_names names;
    bool wide, packed;
} request;

static bool convert(const request *r, bnd_stats *stats)
{
    const bnd_array how = {.rule = r->names.rule,
                           .seed = 5,
                           .first = 3,
                           .packing_in = r->packed ? BND_PACKING_PACKED : BND_PACKING_UNPACKED,
                           .packing_out = r->packed ? BND_PACKING_PACKED : BND_PACKING_UNPACKED};
    if (r->wide) {
        return bnd_encode_f64(codes, doubles, ELEMENTS, r->format, &how, stats, NULL) == BND_OK &&
               bnd_decode_f64(values, codes, ELEMENTS, r->format, &how, NULL) == BND_OK;
    }
    return bnd_encode_f32(codes, singles, ELEMENTS, r->format, &how, stats, NULL) == BND_OK &&
           bnd_decode_f32((float *)values, codes, ELEMENTS, r->format, &how, NULL) == BND_OK;
}

static void write_array(FILE *out, const request *r)
{
    bnd_stats stats = {0};
    if (convert(r, &stats)) {
        fprintf(out, "A\t%s", r->format->name);
        print_rule(out, &r->names);
        fprintf(
            out, "\t%d\t%d\t%u\t%u", r->wide, r->packed,
            digest(codes, bnd_codes_size(r->format, ELEMENTS, r->packed ? BND_PACKING_PACKED : BND_PACKING_UNPACKED)),
            digest(values, ELEMENTS * (r->wide ? sizeof(double) : sizeof(float))));
        print_stats(out, &stats);
    }
}

static void write_sums(FILE *out)
{
    static const char *const names[] = {"fp32", "bf16", "fp16", "e5m2", "e6m9"};
    static const char *const accumulators[] = {"fp32",    "bf16",         "fma:bf16", "fp16/promote128",
                                               "trunc14", "fma:e5m2:sr:8"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned order = 0; order < BND_SUM_COUNT; order++) {
            bnd_format f;
            uint64_t code = 0;
            bnd_operand x = {.data = &doubles[1], .format = bnd_format_at(BND_FORMAT_FP64)};
            if (bnd_format_parse(&f, names[i], NULL) == BND_OK &&
                bnd_sum_codes(&code, &f, (bnd_summation)order, &x, SHORT, NULL, NULL) == BND_OK) {
                fprintf(out, "S\t%s\t%u\t%llx\n", f.name, order, (unsigned long long)code);
            }
        }
    }
    for (unsigned i = 0; i < sizeof accumulators / sizeof accumulators[0]; i++) {
        bnd_gemm gemm = {.seed = 9};
        float product[6];
        if (bnd_accumulator_parse(&gemm.accumulator, accumulators[i], NULL) == BND_OK &&
            bnd_gemm_f32(product, 2, 3, &singles[1], &singles[1], 3, &gemm, NULL) == BND_OK) {
            fprintf(out, "M\t%s\t%u\n", accumulators[i], digest(product, sizeof product));
        }
    }
}

bool write_arrays(FILE *out, const char *folder, const bnd_format *formats, size_t count)
{
    make_inputs();
    for (size_t i = 0; i < count; i++) {
        for (unsigned rounding = 0; rounding < BND_ROUND_COUNT; rounding++) {
            request r = {.format = &formats[i], .wide = (rounding + i) % 2 != 0, .packed = rounding % 3 == 1};
            r.names = (rule_names){"", bnd_rounding_name((bnd_rounding)rounding), "", "", 0, {0}};
            r.names.overflow = bnd_overflow_name((bnd_overflow)(rounding % BND_OVERFLOW_COUNT));
            (void)take_rule(&r.names, r.format);
            write_array(out, &r);
        }
    }
    write_sums(out);
    return write_inputs(folder);
}

/* ---- blocks ---- */

typedef struct blocks {
    const char *name;
    size_t dimensions[2], axis;
} blocks;

static void write_block(FILE *out, const blocks *b, const char *rounding)
{
    static unsigned char scales[8 * ELEMENTS];
    bnd_block block;
    bnd_shape shape;
    bnd_stats stats = {0};
    bnd_array how = {.seed = 5, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    float tensor = 0;
    if (bnd_block_parse(&block, b->name, NULL) != BND_OK || bnd_rounding_parse(&how.rule, rounding, NULL) != BND_OK ||
        bnd_block_shape(&shape, &block, b->dimensions, 2, b->axis, NULL) != BND_OK ||
        bnd_quantize_f32(codes, scales, &tensor, singles, shape, &block, &how, &stats, NULL) != BND_OK ||
        bnd_dequantize_f32((float *)values, codes, scales, tensor, shape, &block, &how, NULL) != BND_OK) {
        return;
    }
    fprintf(out, "B\t%s\t%s\t%zu,%zu\t%zu\t%u\t%u\t%u\t%llx", b->name, rounding, b->dimensions[0], b->dimensions[1],
            b->axis, digest(codes, bnd_block_codes_size(&block, shape, BND_PACKING_UNPACKED)),
            digest(scales, bnd_block_scales_size(&block, shape)),
            digest(values, b->dimensions[0] * b->dimensions[1] * sizeof(float)), block.tensor ? bits_of(tensor) : 0);
    print_stats(out, &stats);
}

void write_blocks(FILE *out)
{
    static const blocks cases[] = {{"mxfp8:rceil", {1, ELEMENTS}, 1},
                                   {"mxfp8:floor", {100, 1000}, 0},
                                   {"mxfp8-e5m2:even", {100, 999}, 1},
                                   {"mxfp6-e2m3:ceil", {10, 10000}, 1},
                                   {"mxfp6-e3m2:rceil", {7, 33}, 1},
                                   {"mxfp4:floor", {1, ELEMENTS}, 1},
                                   {"mxfp4:ct", {50, 2000}, 1},
                                   {"mxint8:rceil", {50, 2000}, 1},
                                   {"nvfp4:nearest", {1, SHORT}, 1},
                                   {"nvfp4-subnormal:nearest", {50, 100}, 1},
                                   {"e4m3/tensor:nearest", {40, 100}, 1},
                                   {"e4m3/row:rceil", {40, 100}, 1},
                                   {"e5m2/tile:8x16:nearest", {40, 100}, 1},
                                   {"e3m4/mx:rceil", {1, 64}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_block(out, &cases[i], "rne");
        write_block(out, &cases[i], "sr:8");
    }
}

/* ---- one array, to find the first difference ---- */

int write_codes(char **argv)
{
    static bnd_format f;
    char path[4096];
    request r = {.format = &f, .names = {"", argv[3], argv[4], "", 0, {0}}, .wide = strcmp(argv[5], "1") == 0};
    snprintf(path, sizeof path, "%s/codes", argv[1]);
    make_inputs();
    bool good = bnd_format_parse(&f, argv[2], NULL) == BND_OK && take_rule(&r.names, &f) && convert(&r, NULL);
    FILE *file = good ? fopen(path, "wb") : NULL;
    size_t bytes = good ? bnd_codes_size(&f, ELEMENTS, BND_PACKING_UNPACKED) : 0;
    good = file != NULL && fwrite(codes, bytes, 1, file) == 1 && fclose(file) == 0;
    return good ? 0 : 99;
}
