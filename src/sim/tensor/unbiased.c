/* Casts by blocks whose expectation is the number. Stochastic rounding is unbiased where it clamps nothing; MS-EDEN
 * rounds elements to nearest, and the scales stochastically. What they add to block/ is the scales. */
#include "block/partial_array.h"
#include "tensor/buffer.h"
#include "tensor/engine.h"
#include "tensor/unbiased.h"

typedef struct cast {
    const bnd_block *block;
    bnd_shape shape;
    bnd_array how;
    size_t groups;
    unsigned char *scales;
    float tensor_scale;
} cast;

static double max_of(const bnd_format *f)
{
    return __builtin_ldexp((double)f->max_significand, f->max_quantum);
}

/* ---- scales that are powers of two ----
 *
 * arXiv 2502.20586, algorithm 2: OCP's scale 2^(floor(log2 amax) - emax) makes numbers of less than 2^(emax + 1). They
 * are multiplied by max / 2^(emax + 1), 6/8 of E2M1, and then are at most max. Each operand is divided by that again
 * here, where the paper multiplies the product by 16/9. */

static float shrinks_by(const bnd_format *f)
{
    double factor = max_of(f);
    while (factor >= 1) {
        factor /= 2;
    }
    return (float)factor;
}

static bnd_status shrunk(float *y, const float *x, const cast *c, bnd_stats *stats, bnd_error *why)
{
    const float factor = shrinks_by(&c->block->element), back = 1 / factor;
    const size_t n = c->shape.outer * c->shape.length * c->shape.inner;
    const bnd_given_scales given = {.scales = c->scales};
    bnd_status status = bnd_quantize_given_f32(NULL, c->scales, NULL, x, c->shape, c->block, NULL, &c->how, NULL, why);
    if (status == BND_OK) {
        bnd_lab_times(y, x, n, factor, c->how.context);
        status = bnd_fake_quantize_given_f32(y, y, c->shape, c->block, &given, &c->how, stats, why);
    }
    if (status == BND_OK) {
        bnd_lab_times(y, y, n, back, c->how.context);
    }
    return status;
}

/* ---- NVFP4's scales ----
 *
 * arXiv 2601.22813, 3.1 and 3.2. With `most` in the place of the element's largest number, and `room` in that of the
 * scale's, t = amax / (most room) and the scale of a block is RTN(amax_block / (t most)). RTN lowers a scale to at
 * least 16/17, so that most = 6 * 16/17 clamps nothing. */

typedef struct largest {
    double most, room;
} largest;

static largest largest_of(const bnd_block *block, bool eden)
{
    const double codes_of_a_binade = 16, room_for_corrections = 256;
    const double most = max_of(&block->element) * codes_of_a_binade / (codes_of_a_binade + 1);
    const double best = 0.93; /* least squared error over N(0, 1), as published */
    return eden ? (largest){most / best, room_for_corrections} : (largest){most, max_of(&block->scale)};
}

/* The scales of blocks before they are rounded; all numbers are finite. */
static void find_scales(double *scales, const float *x, const cast *c, double divisor)
{
    uint32_t *amax = (uint32_t *)(void *)scales; /* from the last one on: what is read is not yet written over */
    bnd_lab_amax_of_groups(amax, x, c->shape, c->block, c->how.context);
    for (size_t i = c->groups; i-- > 0;) {
        float most;
        __builtin_memcpy(&most, amax + i, sizeof most);
        scales[i] = (double)most / divisor;
    }
}

/* corrected[g] = scale[g] <x, x> / <x, y>: y is what the elements of the block are worth. */
static void correct(double *scale, double *xx, const float *x, const float *y, const cast *c)
{
    double *xy = xx + c->groups;
    bnd_lab_products_of_groups(xx, xy, x, y, c->shape, c->block, c->how.context);
    for (size_t i = 0; i < c->groups; i++) {
        scale[i] *= xy[i] > 0 ? xx[i] / xy[i] : 1;
    }
}

static bnd_status encode_scales(cast *c, const double *scale, bnd_rule rule, uint64_t purpose, bnd_error *why)
{
    bnd_array how = {.context = c->how.context, .rule = rule, .seed = c->how.seed, .purpose = purpose};
    how.rule.overflow = BND_OVERFLOW_SATURATE;
    return bnd_encode_f64(c->scales, scale, c->groups, &c->block->scale, &how, NULL, why);
}

/* x and y are different. `work`: three numbers for each block; codes: room for the elements. */
static bnd_status eden(float *y, const float *x, cast *c, double *work, unsigned char *codes, uint64_t purpose,
                       bnd_stats *stats, bnd_error *why)
{
    const bnd_array decode = {.context = c->how.context};
    const bnd_given_scales given = {.scales = c->scales, .tensor_scale = &c->tensor_scale};
    bnd_status status = bnd_quantize_given_f32(codes, NULL, NULL, x, c->shape, c->block, &given, &c->how, stats, why);
    if (status == BND_OK) {
        status = bnd_dequantize_f32(y, codes, c->scales, c->tensor_scale, c->shape, c->block, &decode, why);
    }
    if (status == BND_OK) {
        status = bnd_decode_f64(work, c->scales, c->groups, &c->block->scale, &decode, why);
    }
    if (status == BND_OK) {
        correct(work, work + c->groups, x, y, c);
        status = encode_scales(c, work, (bnd_rule){.rounding = BND_ROUND_SR}, purpose, why);
    }
    return status == BND_OK ? bnd_dequantize_f32(y, codes, c->scales, c->tensor_scale, c->shape, c->block, &decode, why)
                            : status;
}

static bnd_status with_tensor_scale(bnd_engine *engine, float *y, const float *x, cast *c, bool is_eden,
                                    bnd_stats *stats, bnd_error *why)
{
    const size_t n = c->shape.outer * c->shape.length * c->shape.inner;
    const double amax = (double)bnd_largest_magnitude_f32(x, n, c->how.context), least = 0x1p-126;
    const largest l = largest_of(c->block, is_eden);
    const size_t numbers = is_eden ? 3 : 1, copy = is_eden ? n * sizeof *x : 0;
    if (!(amax < __builtin_inf())) { /* the blocks without such numbers are worth what the format makes of them */
        return bnd_fake_quantize_f32(y, x, c->shape, c->block, &c->how, stats, why);
    }
    c->tensor_scale = (float)(amax / (l.most * l.room) > least ? amax / (l.most * l.room) : amax > 0 ? least : 1);
    bndi_buffer *scratch = NULL;
    bnd_status status = bndi_buffer_new(&scratch, engine, BND_ROLE_SCRATCH,
                                        c->groups * numbers * sizeof(double) + copy + (is_eden ? n : 0), false, why);
    if (status != BND_OK) {
        return status;
    }
    double *work = (double *)(void *)scratch->data;
    float *from = (float *)(void *)(work + c->groups * numbers);
    find_scales(work, x, c, (double)c->tensor_scale * l.most);
    status = encode_scales(c, work, (bnd_rule){.rounding = BND_ROUND_RNE}, 0, why);
    if (status == BND_OK && is_eden) {
        __builtin_memcpy(from, x, copy); /* y may be x */
        const uint64_t purpose = engine->step << 32 | (uint32_t)engine->casts++;
        status = eden(y, from, c, work, (unsigned char *)(from + n), purpose, stats, why);
    } else if (status == BND_OK) {
        const bnd_given_scales given = {.scales = c->scales, .tensor_scale = &c->tensor_scale};
        status = bnd_fake_quantize_given_f32(y, x, c->shape, c->block, &given, &c->how, stats, why);
    }
    bndi_buffer_release(scratch);
    return status;
}

bnd_status bndi_unbiased(bnd_engine *engine, float *y, const float *x, bnd_shape shape, const bndi_scaling *how,
                         const bnd_array *array, bnd_stats *stats, bnd_error *why)
{
    cast c = {.block = &how->block, .shape = shape, .how = *array, .groups = bnd_block_scales(&how->block, shape)};
    bndi_buffer *scales = NULL;
    if (c.groups == 0) {
        return BND_OK;
    }
    bnd_status status =
        bndi_buffer_new(&scales, engine, BND_ROLE_SCRATCH, bnd_block_scales_size(&how->block, shape), false, why);
    if (status == BND_OK) {
        c.scales = scales->data;
        status = how->block.tensor ? with_tensor_scale(engine, y, x, &c, how->unbiased == BNDI_EDEN, stats, why)
                                   : shrunk(y, x, &c, stats, why);
    }
    bndi_buffer_release(scales);
    return status;
}
