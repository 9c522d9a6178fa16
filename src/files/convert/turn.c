/* Arrays of experts that are decoded to another order of axes: stored [E, out, in], and [E, in, out] in the output, or
 * the other way round. A strip of a stored row becomes a part of a column:
 *
 *     stored row r of expert e:   x[0] x[1] ... x[in - 1]
 *     output, row (e, i):         ... column r is x[i] of stored row r ...
 */
#include "convert/experts.h"

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

/* Elements begin .. end - 1 of an expert in the new order, at most STRIP of each column. */
static bnd_status decode_part(float *x, const bnd_stored_weight *weight, uint64_t expert, uint64_t begin, uint64_t end,
                              const bnd_context *context, bnd_error *why)
{
    float room[STRIP + BND_WEIGHT_STEP];
    const float *strip;
    uint64_t outs = weight->shape[1];
    for (uint64_t r = 0; r < outs; r++) {
        uint64_t first = begin / outs + (begin % outs > r), last = end / outs + (end % outs > r); /* rows */
        if (first == last) {
            continue;
        }
        size_t n = (size_t)(last - first);
        bnd_status status = decode_strip(room, &strip, weight, expert * outs + r, first, n, context, why);
        if (status != BND_OK) {
            return status;
        }
        for (size_t i = 0; i < n; i++) {
            x[(first + i) * outs + r - begin] = strip[i];
        }
    }
    return BND_OK;
}

bnd_status bndi_decode_turned(float *x, const bnd_stored_weight *weight, uint64_t at, uint64_t n,
                              const bnd_context *context, bnd_error *why)
{
    uint64_t outs = weight->shape[1], each = outs * weight->shape[2];
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t begin = (at + done) % each, whole = (begin / outs + STRIP) * outs;
        uint64_t end = whole < each ? whole : each;
        part = end - begin < n - done ? end - begin : n - done;
        bnd_status status = decode_part(x + done, weight, (at + done) / each, begin, begin + part, context, why);
        if (status != BND_OK) {
            return status;
        }
    }
    return BND_OK;
}
