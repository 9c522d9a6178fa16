/* Quantizes a whole tensor, number by number. */
#include "model.h"

#include <binade/block.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

void sum_put(exact_sum *sum, double x)
{
    size_t kept = 0;
    for (size_t i = 0; i < sum->count; i++) {
        double y = sum->parts[i];
        if (fabs(x) < fabs(y)) {
            double other = x;
            x = y;
            y = other;
        }
        double high = x + y, low = y - (high - x);
        if (low != 0) {
            sum->parts[kept++] = low;
        }
        x = high;
    }
    sum->parts[kept] = x;
    sum->count = kept + 1;
}

/* From the largest part down, as Python's fsum does: where a sum stops being exact, a tie is decided by the next part.
 */
double sum_get(const exact_sum *sum)
{
    double high = 0, low = 0;
    size_t n = sum->count;
    if (n == 0) {
        return 0;
    }
    high = sum->parts[--n];
    while (n > 0) {
        double x = high, y = sum->parts[--n];
        high = x + y;
        low = y - (high - x);
        if (low != 0) {
            break;
        }
    }
    if (n > 0 && ((low < 0 && sum->parts[n - 1] < 0) || (low > 0 && sum->parts[n - 1] > 0))) {
        double y = low * 2, x = high + y;
        high = y == x - high ? x : high;
    }
    return high;
}

/* ---- examples ---- */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static float drawn(uint64_t *seed, int what, size_t i, double deviation)
{
    double normal = -6;
    for (int k = 0; k < 12; k++) {
        normal += uniform(seed);
    }
    if (what == ALL_ZERO) {
        return i % 2 == 0 ? 0.0F : -0.0F;
    }
    float x = (float)(normal * deviation);
    if (what != PLAIN && i % 17 == 3) {
        const float extremes[] = {0,   -0.0F, 1e6F,  -70000, 3e-8F, -1e-40F, 464,
                                  448, -480,  65520, 2e-10F, 1e38F, -1e-30F};
        x = extremes[(size_t)(uniform(seed) * (sizeof extremes / sizeof extremes[0]))];
    }
    return x;
}

example example_new(const bnd_format *format, const uint64_t *shape, size_t rank, int what, uint64_t seed)
{
    example e = {.format = format, .rank = rank, .count = 1};
    for (size_t i = 0; i < rank; i++) {
        e.shape[i] = shape[i];
        e.count *= (size_t)shape[i];
    }
    const size_t row = rank == 0 || shape[rank - 1] == 0 ? 1 : (size_t)shape[rank - 1];
    e.x = malloc((e.count + 1) * sizeof *e.x);
    e.codes = calloc(bnd_codes_size(format, e.count, BND_PACKING_PACKED) + 1, 1);
    for (size_t i = 0; i < e.count; i++) {
        e.x[i] = drawn(&seed, what, i, 0.02 * (1 + (double)(i / row % 7)));
    }
    if (what == WITH_INFINITY && e.count > 0) {
        e.x[e.count / 2] = INFINITY;
    } else if (what == WITH_NAN && e.count > 0) {
        e.x[e.count / 3] = NAN;
        e.x[e.count - 1] = -INFINITY;
    }
    bnd_status status = bnd_encode_f32(e.codes, e.x, e.count, format, NULL, NULL, NULL);
    for (size_t i = 0; status == BND_OK && i < e.count; i++) { /* codes of whole bytes, or of half a byte */
        uint64_t code = 0;
        for (unsigned k = 0; k < (format->width + 7u) / 8; k++) {
            code |= (uint64_t)e.codes[format->width < 8 ? i / 2 : i * (format->width / 8u) + k] << 8 * k;
        }
        code = format->width < 8 ? code >> (i % 2 * 4) & 15 : code;
        e.x[i] = (float)bnd_decode(format, code);
    }
    return e;
}

void example_free(example *e)
{
    free(e->x);
    free(e->codes);
}

/* ---- quantization ---- */

/* The scale of each element, from the scales that the library stores for the whole array. */
static void element_scales(double *scales, float *tensor_scale, const example *e, const bnd_candidate *c)
{
    const bnd_block *b = &c->block;
    size_t sizes[4] = {1, 1, 1, 1}, more = e->rank < 2 ? 2 - e->rank : 0, rank = e->rank + more;
    for (size_t i = 0; i < e->rank; i++) {
        sizes[more + i] = (size_t)e->shape[i];
    }
    bnd_shape shape;
    bnd_status status = bnd_block_shape(&shape, b, sizes, rank, rank - 1, NULL);
    unsigned char *stored = malloc(bnd_block_scales_size(b, shape) + 1);
    unsigned char *codes = malloc(bnd_block_codes_size(b, shape, BND_PACKING_UNPACKED) + 8);
    const bnd_array how = {.packing_out = BND_PACKING_UNPACKED};
    *tensor_scale = 1;
    status =
        status == BND_OK ? bnd_quantize_f32(codes, stored, tensor_scale, e->x, shape, b, &how, NULL, NULL) : status;
    const size_t columns = sizes[rank - 1], rows = sizes[rank - 2];
    const size_t down = b->sharing == BND_SHARE_TILE ? b->along : 1;
    const size_t across = b->sharing == BND_SHARE_TILE ? b->across : b->along == 0 ? columns : b->along;
    const size_t bands = (rows + down - 1) / down, groups = (columns + across - 1) / across;
    for (size_t i = 0; status == BND_OK && i < e->count; i++) {
        size_t row = i / columns, matrix = row / rows;
        size_t place = ((matrix * bands + row % rows / down) * groups) + i % columns / across;
        place = b->sharing == BND_SHARE_TENSOR ? 0 : place;
        uint64_t code = 0;
        for (unsigned k = 0; k < b->scale.width / 8u; k++) {
            code |= (uint64_t)stored[place * (b->scale.width / 8u) + k] << 8 * k;
        }
        scales[i] = bnd_decode(&b->scale, code) * (b->tensor ? (double)*tensor_scale : 1);
    }
    free(stored);
    free(codes);
}

/* x / scale, exactly, and rounded once. */
static bnd_rounded divided(const bnd_candidate *c, float x, double scale)
{
    const bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE};
    const bnd_exact operands[2] = {bnd_exact_float(x), bnd_exact_double(scale)};
    bnd_format element = c->block.element;
    if (c->block.integer) {
        element.has_infinity = element.has_nan = element.ieee_nans = element.has_negative_zero = false;
    }
    uint32_t flags;
    bnd_exact q = bnd_operate_exact(BND_OP_DIV, bnd_format_at(BND_FORMAT_FP64), operands, rule, 0, &flags);
    return bnd_round_exact(&element, q, rule, 0);
}

static double value_of(bnd_exact x)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    return bnd_decode(fp64, bnd_encode_exact(fp64, x, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code);
}

bnd_loss model_loss(const example *e, const bnd_candidate *c)
{
    bnd_loss loss = {.elements = e->count, .bytes = 0};
    exact_sum error = {.count = 0}, input = {.count = 0};
    double *scales = malloc((e->count + 1) * sizeof *scales);
    float tensor_scale;
    if (c->shared) {
        element_scales(scales, &tensor_scale, e, c);
    }
    for (size_t i = 0; i < e->count; i++) {
        const float x = e->x[i];
        bnd_rounded r = c->shared
                            ? divided(c, x, scales[i])
                            : bnd_round_exact(&c->format, bnd_exact_float(x), (bnd_rule){.rounding = BND_ROUND_RNE}, 0);
        double element = value_of(r.value);
        float y = c->shared ? (float)(element * scales[i]) : (float)element;
        bool finite = isfinite(x), back = x == y || (isnan(x) && isnan(y));
        loss.exact += back;
        loss.to_zero += finite && x != 0 && y == 0;
        bool broken = finite ? !isfinite(y) : !back;
        loss.broken += broken;
        loss.overflows += finite && !(c->shared && isnan(scales[i])) && (r.flags & BND_FLAG_OVERFLOW) != 0;
        if (finite) {
            sum_put(&input, (double)x * (double)x);
            double d = (double)x - (double)y;
            if (isfinite(y)) {
                sum_put(&error, d * d);
            }
        }
    }
    loss.squared_error = sum_get(&error);
    loss.squared_input = sum_get(&input);
    free(scales);
    return loss;
}
