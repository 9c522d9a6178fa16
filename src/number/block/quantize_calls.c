/* The calls that quantize. Each is one job: the scale of the tensor, then the scales, then the elements, of which any
 * may be given or not be wanted. */
#include "base/bits.h"
#include "block/block.h"

/* Does a call have places for all that it finds? */
static bnd_status check_places(const bnd_block *block, const bnd_given_scales *given, bool has_codes, bool has_scales,
                               bool has_tensor, bnd_error *why)
{
    if (!block->tensor || given->tensor_scale != NULL) {
        has_tensor = true;
    } else if (given->scales != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s has a scale of the tensor: if scales are given, it must be given, too", block->name);
    }
    if (block->tensor && given->tensor_scale != NULL && given->scales == NULL && *given->tensor_scale <= 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: the tensor scale is not above 0, so that the other scales cannot be found: give them, or "
                        "leave out the tensor scale",
                        block->name);
    }
    if (!has_tensor) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has a scale of the tensor: tensor_scale must not be NULL",
                        block->name);
    }
    if (has_codes && !has_scales && given->scales == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: scales must not be NULL if they are not given", block->name);
    }
    return BND_OK;
}

/* With statistics, unless they are NULL. */
static void quantize(bndi_block_job *job, bnd_stats *stats)
{
    bndi_counted counted;
    if (stats == NULL) {
        bndi_quantize(job);
        return;
    }
    bnd_lab_counted_open(&counted, stats, &job->block.element, job->how.rule, &job->context);
    job->counted = &counted;
    bndi_quantize(job);
    job->counted = NULL;
    bnd_lab_counted_close(&counted);
}

static void set_scales(bndi_block_job *job, void *scales, const bnd_given_scales *given)
{
    /* given scales are only read, never written */
    job->scales = given->scales != NULL ? (unsigned char *)(uintptr_t)given->scales : scales;
    if (job->block.tensor && given->tensor_scale != NULL) {
        job->tensor = bndi_double_of(*given->tensor_scale);
    } else if (job->block.tensor) {
        bndi_find_tensor_scale(job);
    }
}

bnd_status bnd_quantize_given_f32(void *codes, void *scales, float *tensor_scale, const float *x, bnd_shape shape,
                                  const bnd_block *block, const bnd_given_scales *given, const bnd_array *how,
                                  bnd_stats *stats, bnd_error *why)
{
    const bnd_given_scales none = {.scales = NULL}, *known = given != NULL ? given : &none;
    bndi_block_job job;
    bnd_status status = bndi_open_block_job(&job, shape, block, known->scales != NULL, how, why);
    if (status == BND_OK && codes != NULL) {
        status = bndi_check_codes(block, why);
    }
    if (status == BND_OK) {
        const bool some = job.layout.count > 0;
        status = check_places(block, known, some && codes != NULL, scales != NULL, tensor_scale != NULL, why);
    }
    if (status != BND_OK) {
        return status;
    }
    job.x = x;
    job.codes = codes;
    set_scales(&job, scales, known);
    if (codes != NULL) {
        quantize(&job, stats);
    } else if (scales != NULL && known->scales == NULL) {
        bndi_find_scales(&job);
    }
    if (block->tensor && tensor_scale != NULL) {
        *tensor_scale = known->tensor_scale != NULL ? *known->tensor_scale : (float)job.tensor;
    }
    return BND_OK;
}

bnd_status bnd_quantize_f32(void *codes, void *scales, float *tensor_scale, const float *x, bnd_shape shape,
                            const bnd_block *block, const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    const bnd_status status = bndi_check_codes(block, why);
    return status == BND_OK
               ? bnd_quantize_given_f32(codes, scales, tensor_scale, x, shape, block, NULL, how, stats, why)
               : status;
}

bnd_status bnd_fake_quantize_given_f32(float *y, const float *x, bnd_shape shape, const bnd_block *block,
                                       const bnd_given_scales *given, const bnd_array *how, bnd_stats *stats,
                                       bnd_error *why)
{
    const bnd_given_scales none = {.scales = NULL}, *known = given != NULL ? given : &none;
    bndi_block_job job;
    bnd_status status = bndi_open_block_job(&job, shape, block, known->scales != NULL, how, why);
    if (status == BND_OK) {
        status = check_places(block, known, false, false, true, why);
    }
    if (status != BND_OK) {
        return status;
    }
    job.x = x;
    job.y = y;
    job.fake = true;
    set_scales(&job, NULL, known);
    quantize(&job, stats);
    return BND_OK;
}

bnd_status bnd_fake_quantize_f32(float *y, const float *x, bnd_shape shape, const bnd_block *block,
                                 const bnd_array *how, bnd_stats *stats, bnd_error *why)
{
    return bnd_fake_quantize_given_f32(y, x, shape, block, NULL, how, stats, why);
}

/* ---- the largest magnitude ---- */

enum { AMAX_PIECE = 1 << 16 };

static uint32_t amax_of_piece(const bndi_block_job *job, size_t i, void *what)
{
    const size_t n = *(const size_t *)what, at = i * AMAX_PIECE, left = n - at;
    uint32_t amax = 0;
    job->scan->amax(&amax, job->x + at, left < AMAX_PIECE ? left : AMAX_PIECE, AMAX_PIECE);
    return amax;
}

float bnd_largest_magnitude_f32(const float *x, size_t n, const bnd_context *context)
{
    enum { WORTH_THREADS = 1 << 18 };
    bndi_block_job job = {.x = x, .scan = bndi_block_kernels_of(context)};
    const bool shared = context != NULL && context->threads > 1 && n >= WORTH_THREADS;
    job.threads = shared ? context->threads : 1;
    const uint32_t amax = bndi_for_each(&job, n / AMAX_PIECE + (n % AMAX_PIECE > 0), amax_of_piece, &n);
    return amax > 0x7f800000 ? __builtin_nanf("") : bndi_float_of_bits(amax);
}
