/* Scales applied to part of an array. */
#include "block/part.h"

#include "block/block.h"

void bndi_scale_part(float *y, size_t at, size_t n, bnd_shape shape, const bnd_block *block, const void *scales,
                     float tensor_scale)
{
    const unsigned char *codes = scales;
    bndi_layout_of_blocks layout;
    double values[BNDI_GROUPS];
    bndi_surely(bndi_lay_out(&layout, block, shape, NULL));
    for (size_t done = 0; done < n;) {
        bndi_stretch s = bndi_stretch_at(&layout, at + done, n - done);
        bndi_surely(
            bnd_decode_f64(values, codes + s.scale * (block->scale.width / 8u), s.groups, &block->scale, NULL, NULL));
        for (size_t i = 0, group = 0, place = s.first; i < s.n; group++, place = 0) {
            const double scale = block->tensor ? values[group] * (double)tensor_scale : values[group];
            size_t end = i + (layout.across - place) < s.n ? i + (layout.across - place) : s.n;
            for (; i < end; i++) {
                y[done + i] = (float)((double)y[done + i] * scale);
            }
        }
        done += s.n;
    }
}
