/* Loops of block_kernels.c over part of an array. */
#include "block/differences.h"
#include "block/partial_array.h"

#include "block/block.h"
#include "bulk/environment.h"

void bnd_lab_scale_part(float *y, const float *x, size_t at, size_t n, bnd_shape shape, const bnd_block *block,
                        const void *scales, float tensor_scale, const bnd_context *context)
{
    const bndi_block_kernels *scan = bndi_block_kernels_of(context);
    const unsigned char *codes = scales;
    bndi_layout_of_blocks layout;
    double values[BNDI_GROUPS];
    bndi_surely(bndi_lay_out(&layout, block, shape, NULL));
    for (size_t done = 0; done < n;) {
        bndi_stretch s = bndi_stretch_at(&layout, at + done, n - done);
        bndi_surely(
            bnd_decode_f64(values, codes + s.scale * (block->scale.width / 8u), s.groups, &block->scale, NULL, NULL));
        for (size_t group = 0; block->tensor && group < s.groups; group++) {
            values[group] *= (double)tensor_scale;
        }
        bndi_times_scales(scan, y + done, x + done, values, block->tensor, &layout, &s);
        done += s.n;
    }
}

uint32_t bnd_lab_part_amax(const float *x, size_t n, const bnd_context *context)
{
    uint32_t amax = 0;
    if (n > 0) {
        bndi_block_kernels_of(context)->amax(&amax, x, n, n);
    }
    return amax;
}

void bnd_lab_part_times(float *y, const float *x, size_t n, float factor, const bnd_context *context)
{
    bndi_block_kernels_of(context)->multiply(y, x, &factor, n, n, 0);
}

bool bnd_lab_square_differences(bndi_differences *out, const float *x, const float *y, size_t n,
                                const bnd_context *context)
{
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_difference_kernels);
    const bndi_difference_kernels *kernels = bnd_lab_row_of(context, rows);
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    const bool good = kernels->square(out, x, y, n);
    bndi_leave(callers);
    return good;
}
