/* Arrays of experts that are decoded to another order of axes: stored [E, out, in], and [E, in, out] in the output. A
 * strip of a stored row becomes a part of a column:
 *
 *     stored row r of expert e:   x[0] x[1] ... x[in - 1]
 *     output, row (e, i):         ... column r is x[i] of stored row r ...
 */
#include "convert/quantize.h"

enum { STRIP = 1024 }; /* elements of a stored row that are decoded at once, on the stack */

/* Elements column .. column + n - 1 of a stored row. A place between steps is decoded from the step before it on. */
static bnd_status decode_strip(float *room, const float **out, const bnd_stored_weight *weight, uint64_t row,
                               uint64_t column, size_t n, const bnd_context *context, bnd_error *why)
{
    uint64_t at = row * weight->shape[2] + column;
    size_t before = (size_t)(at % BND_WEIGHT_STEP);
    *out = room + before;
    return bnd_decode_weight_f32(room, weight, at - before, n + before, context, why);
}

bnd_status bndi_decode_turned(float *x, const bnd_stored_weight *weight, uint64_t first, size_t rows,
                              const bnd_context *context, bnd_error *why)
{
    float room[STRIP + BND_WEIGHT_STEP];
    const float *strip;
    uint64_t outs = weight->shape[1], ins = weight->shape[2];
    for (size_t done = 0, n; done < rows; done += n) {
        uint64_t expert = (first + done) / ins, column = (first + done) % ins, left = ins - column;
        n = rows - done < STRIP ? rows - done : STRIP;
        n = left < n ? (size_t)left : n;
        for (uint64_t r = 0; r < outs; r++) {
            bnd_status status = decode_strip(room, &strip, weight, expert * outs + r, column, n, context, why);
            if (status != BND_OK) {
                return status;
            }
            for (size_t i = 0; i < n; i++) {
                x[(done + i) * outs + r] = strip[i];
            }
        }
    }
    return BND_OK;
}
