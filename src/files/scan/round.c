/* Rounding to a candidate, with scales that depend on the whole tensor. */
#include "scan/scan.h"

#include <string.h>

bool bndi_candidate_is_by_codes(const bnd_candidate *c)
{
    return !c->shared || (c->block.sharing == BND_SHARE_TENSOR && !c->block.tensor);
}

bool bndi_candidate_needs_amax(const bnd_candidate *c)
{
    return c->shared && (c->block.sharing == BND_SHARE_TENSOR || c->block.tensor);
}

/* rceil and ceil never fall short. Scales to nearest do by 2^-p of themselves. That is less than half of the last place
 * of the largest element if p is two more than the precision of elements; if scales are normal numbers, and not clamped
 * from above. */
bool bndi_candidate_can_overflow(const bnd_candidate *c)
{
    const bnd_block *b = &c->block;
    bool precise = b->scale.precision >= b->element.precision + 2 && b->least >= b->scale.emin;
    bool nearest = b->rule == BND_SCALE_NEAREST && precise && (b->scale.emax >= 127 || b->tensor);
    return !c->shared || !(nearest || b->rule == BND_SCALE_RCEIL || b->rule == BND_SCALE_CEIL);
}

/* The scales of one number with this magnitude: they depend on nothing else. */
void bndi_scales_of_amax(bndi_scan_scales *scales, const bnd_candidate *c, float amax)
{
    memset(scales, 0, sizeof *scales);
    if (!c->shared) {
        return;
    }
    bool shared_by_all = !c->block.tensor;
    bnd_status status = bnd_quantize_given_f32(NULL, shared_by_all ? scales->code : NULL,
                                               c->block.tensor ? &scales->tensor_scale : NULL, &amax,
                                               (bnd_shape){1, 1, 1}, &c->block, NULL, NULL, NULL, NULL);
    (void)status; /* the block format was checked when it was parsed */
    scales->given = (bnd_given_scales){.scales = shared_by_all ? scales->code : NULL,
                                       .tensor_scale = c->block.tensor ? &scales->tensor_scale : NULL};
}

void bndi_round_to(float *y, const float *x, bnd_shape shape, const bnd_candidate *c, const bndi_scan_scales *scales,
                   bnd_stats *stats)
{
    bnd_status status =
        c->shared ? bnd_fake_quantize_given_f32(y, x, shape, &c->block, &scales->given, NULL, stats, NULL)
                  : bnd_round_f32(y, x, shape.outer * shape.length * shape.inner, &c->format, NULL, stats, NULL);
    (void)status; /* shapes and formats were checked before */
}
