/* Formats that share a scale: their arrays, a pass, and a comparison that uses nothing of the library but the values
 * of codes. An array is one row. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bnd_shape row_of(const bench_run *run)
{
    return (bnd_shape){.outer = 1, .length = run->elements, .inner = 1};
}

static bool said(bnd_status status, const bnd_error *why)
{
    if (status != BND_OK) {
        fprintf(stderr, "binade bench: %s\n", why->message);
    }
    return status == BND_OK;
}

static bool quantize(bench_run *run, void *codes, const unsigned char *x, bnd_stats *stats)
{
    bnd_error why;
    return said(bnd_quantize_f32(codes, run->scales, &run->tensor_scale, (const float *)(const void *)x, row_of(run),
                                 &run->block, &run->how, stats, &why),
                &why);
}

static bool open_block(bench_run *run)
{
    bool back = run->what->operation == BENCH_DEQUANTIZE;
    bnd_error why;
    if (!said(bnd_block_parse(&run->block, run->what->format, &why), &why)) {
        return false;
    }
    size_t codes = bnd_block_codes_size(&run->block, row_of(run), (bnd_packing)run->how.packing_out);
    size_t scales = bnd_block_scales_size(&run->block, row_of(run)), numbers = run->elements * sizeof(float);
    run->scales = bench_allocate(scales);
    run->from = bench_allocate(back ? codes : numbers);
    run->to = bench_allocate(back ? numbers : codes);
    run->bytes_in = back ? codes + scales : numbers;
    run->bytes_out = back ? numbers : codes + scales;
    return run->scales != NULL && run->from != NULL && run->to != NULL;
}

/* Codes to be decoded are those of the same numbers, which `to` holds for a while. */
static bool fill_block(bench_run *run)
{
    bool back = run->what->operation == BENCH_DEQUANTIZE;
    bench_repeat(back ? run->to : run->from, run->elements * sizeof(float), run);
    return !back || quantize(run, run->from, run->to, NULL);
}

static bool pass_block(bench_run *run, bnd_stats *stats)
{
    bnd_error why;
    if (run->what->operation == BENCH_QUANTIZE) {
        return quantize(run, run->to, run->from, stats);
    }
    return said(bnd_dequantize_f32((float *)(void *)run->to, run->from, run->scales, run->tensor_scale, row_of(run),
                                   &run->block, &run->how, &why),
                &why);
}

/* ---- comparing: products of a code's value and a scale have at most 31 bits, so that doubles are exact ---- */

static double scale_at(const bench_run *run, size_t i)
{
    const bnd_format *f = &run->block.scale;
    size_t at = run->block.along > 0 ? i / run->block.along : 0;
    double scale = bnd_decode(f, bench_element(run->scales, f, at, BND_PACKING_PACKED));
    return run->block.tensor ? scale * (double)run->tensor_scale : scale;
}

/* Between the midpoints to the neighbours, and at one of them even; or the largest, and beyond. */
static bool is_nearest(const bnd_format *f, uint64_t code, double x, double scale)
{
    uint64_t magnitude = code & ((UINT64_C(1) << bnd_magnitude_bits(f)) - 1);
    double here = bnd_decode(f, magnitude), size = fabs(x);
    double below = magnitude > 0 ? (here + bnd_decode(f, magnitude - 1)) / 2 * scale : -1;
    double above = magnitude < f->max_code ? (here + bnd_decode(f, magnitude + 1)) / 2 * scale : INFINITY;
    bool even = magnitude % 2 == 0, negative = code != magnitude;
    return negative == signbit(x) && (even ? size >= below && size <= above : size > below && size < above);
}

static float number_at(const bench_run *run, size_t i)
{
    float x;
    memcpy(&x, run->pattern + i % run->period * sizeof x, sizeof x);
    return x;
}

static bool is_wrong(const bench_run *run, size_t i)
{
    const bnd_format *f = &run->block.element;
    bool back = run->what->operation == BENCH_DEQUANTIZE;
    uint64_t code = bench_element(back ? run->from : run->to, f, i, back ? run->how.packing_in : run->how.packing_out);
    double scale = scale_at(run, i);
    if (back) {
        float y, want = (float)(bnd_decode(f, code) * scale);
        memcpy(&y, run->to + i * sizeof y, sizeof y);
        return isnan(want) ? !isnan(y) : memcmp(&y, &want, sizeof y) != 0;
    }
    if (isnan(scale)) {
        return code != bnd_encode_float(f, NAN, (bnd_rule){.overflow = BND_OVERFLOW_SATURATE}, 0).code;
    }
    return !is_nearest(f, code, (double)number_at(run, i), scale);
}

/* Checks a block's scale against its largest magnitude: the scale must be the least power of two under which that
 * fits, or the one that follows from the floors of both logarithms. It must be NaN if an element is not finite.
 * Scales by other rules are not checked. */
static bool fits(const bnd_block *block, double amax, double scale)
{
    double most = ldexp((double)block->element.max_significand, block->element.max_quantum);
    double unit = ldexp(scale, block->element.emax);
    bool least = scale == ldexp((double)block->scale.least_significand, block->scale.least_quantum);
    if (isinf(amax)) {
        return isnan(scale);
    }
    switch (block->rule) {
    case BND_SCALE_RCEIL:
        return amax <= most * scale && (least || amax > most * scale / 2);
    case BND_SCALE_FLOOR:
        return amax < 2 * unit && (least || amax >= unit);
    default:
        return true;
    }
}

static size_t wrong_scales(const bench_run *run)
{
    enum { ALL_OF = 2048 };
    size_t wrong = 0, along = run->block.along;
    for (size_t block = 0; block < ALL_OF && along > 0 && block * along < run->elements; block++) {
        double amax = 0;
        for (size_t i = block * along; i < (block + 1) * along && i < run->elements; i++) {
            double size = fabs((double)number_at(run, i));
            amax = fmax(amax, isfinite(size) ? size : INFINITY);
        }
        wrong += !fits(&run->block, amax, scale_at(run, block * along));
    }
    return wrong;
}

static size_t wrong_in_blocks(bench_run *run)
{
    return wrong_scales(run) + bench_wrong_elements(run, is_wrong);
}

const bench_kind bench_blocks = {open_block, fill_block, pass_block, wrong_in_blocks};
