/* Elements times their scales, in the order of memory. */
#include "block/block.h"

enum { DEQUANTIZE_PIECE = 4096 }; /* elements and their results fit into the L1 cache */

/* The product of two numbers of fp32 is rounded once in fp32. With a tensor's scale one of them has up to 28 bits. The
 * product is then exact in double, since bndi_check_block limits the precision of the other. */
void bndi_times_scales(const bndi_block_kernels *scan, float *y, const float *elements, const double *values,
                       bool in_double, const bndi_layout_of_blocks *layout, const bndi_stretch *s)
{
    float factors[BNDI_GROUPS];
    if (in_double) {
        scan->multiply_in_double(y, elements, values, s->n, layout->across, s->first);
        return;
    }
    for (size_t g = 0; g < s->groups; g++) {
        factors[g] = (float)values[g];
    }
    scan->multiply(y, elements, factors, s->n, layout->across, s->first);
}

static uint32_t dequantize_chunk(const bndi_block_job *job, size_t i, void *what)
{
    float elements[DEQUANTIZE_PIECE];
    double values[BNDI_GROUPS];
    const size_t at = i * DEQUANTIZE_PIECE, left = job->layout.count - at,
                 n = left < DEQUANTIZE_PIECE ? left : DEQUANTIZE_PIECE;
    (void)what;
    bndi_load_elements(job, elements, at, n);
    for (size_t done = 0; done < n;) {
        bndi_stretch s = bndi_stretch_at(&job->layout, at + done, n - done);
        const unsigned char *codes = job->scales + s.scale * (job->block.scale.width / 8u);
        bndi_read_scales(job, values, codes, s.groups);
        bndi_times_scales(job->scan, job->y + at + done, elements + done, values, job->block.tensor, &job->layout, &s);
        done += s.n;
    }
    return 0;
}

bnd_status bnd_dequantize_f32(float *y, const void *codes, const void *scales, float tensor_scale, bnd_shape shape,
                              const bnd_block *block, const bnd_array *how, bnd_error *why)
{
    bndi_block_job job;
    bnd_status status = bndi_open_block_job(&job, shape, block, true, how, why);
    if (status == BND_OK) {
        status = bndi_check_codes(block, why);
    }
    if (status != BND_OK) {
        return status;
    }
    job.y = y;
    job.packing = (bnd_packing)job.how.packing_in;
    job.codes = (void *)(uintptr_t)codes; /* only read, never written */
    job.scales = (unsigned char *)(uintptr_t)scales;
    job.tensor = block->tensor ? bndi_double_of(tensor_scale) : 1;
    bndi_for_each(&job, (job.layout.count + DEQUANTIZE_PIECE - 1) / DEQUANTIZE_PIECE, dequantize_chunk, NULL);
    return BND_OK;
}
