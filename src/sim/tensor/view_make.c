/* Views without the tape: another shape, other strides and another offset over the same storage. */
#include "tensor/formula.h"
#include "tensor/view_make.h"

bnd_status bndi_permuted(bnd_tensor **out, const bnd_tensor *t, const size_t *from, bnd_error *why)
{
    bndi_shape shape = {.rank = t->shape.rank};
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    for (size_t i = 0; i < shape.rank; i++) {
        shape.extent[i] = t->shape.extent[from[i]];
        stride[i] = t->stride[from[i]];
    }
    return bndi_view_make(out, t, &shape, stride, t->offset, why);
}

bnd_status bndi_sliced(bnd_tensor **out, const bnd_tensor *t, size_t axis, size_t first, size_t count, ptrdiff_t step,
                       bnd_error *why)
{
    bndi_shape shape = t->shape;
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    __builtin_memcpy(stride, t->stride, sizeof stride);
    size_t offset = t->offset + (count > 0 ? (size_t)((ptrdiff_t)first * t->stride[axis]) : 0);
    shape.extent[axis] = count;
    stride[axis] *= count > 1 ? step : 1; /* one element has no next one, which may be too far away for a number */
    return bndi_view_make(out, t, &shape, stride, offset, why);
}

bnd_status bndi_broadcast_to(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape, bnd_error *why)
{
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    size_t missing = shape->rank - t->shape.rank;
    for (size_t i = 0; i < shape->rank; i++) {
        bool repeats = i < missing || t->shape.extent[i - missing] != shape->extent[i];
        stride[i] = repeats ? 0 : t->stride[i - missing];
    }
    return bndi_view_make(out, t, shape, stride, t->offset, why);
}

/* The strides of another shape over the same elements in the same order. Axes of both shapes are matched in groups of
 * equal products; within a group the old axes must be adjacent in memory. If they are not, returns false, and `axis` is
 * the first old axis that is not adjacent to the next one. */
bool bndi_view_strides(ptrdiff_t *stride, const bnd_tensor *t, const bndi_shape *shape, size_t *axis)
{
    const bndi_shape *old = &t->shape;
    size_t i = 0, j = 0;
    bndi_strides_of(stride, shape);
    if (bndi_count(shape) == 0) {
        return true;
    }
    while (i < old->rank && j < shape->rank) {
        size_t begin = j, of_old = old->extent[i], of_new = shape->extent[j];
        size_t last = i; /* the last old axis of the group that has more than one element */
        while (of_old != of_new) {
            if (of_old > of_new) {
                of_new *= shape->extent[++j];
                continue;
            }
            i++;
            if (old->extent[i] != 1 && old->extent[last] != 1 &&
                t->stride[last] != t->stride[i] * (ptrdiff_t)old->extent[i]) {
                *axis = last;
                return false;
            }
            last = old->extent[i] != 1 ? i : last;
            of_old *= old->extent[i];
        }
        ptrdiff_t step = t->stride[last];
        for (size_t k = j + 1; k-- > begin;) {
            stride[k] = step;
            step *= (ptrdiff_t)shape->extent[k];
        }
        i++;
        j++;
    }
    return true;
}

bnd_status bndi_reshaped(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape, bnd_error *why)
{
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    size_t axis;
    if (bndi_view_strides(stride, t, shape, &axis)) {
        return bndi_view_make(out, t, shape, stride, t->offset, why);
    }
    bnd_tensor *copy;
    bnd_status status = bndi_tensor_make(&copy, t->engine, &t->format, &t->shape, t->buffer->role, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_copy_numbers(copy, t, &(bndi_store){.rule = {.rounding = BND_ROUND_RNE}});
    bndi_strides_of(stride, shape);
    status = bndi_view_make(out, copy, shape, stride, 0, why);
    bndi_drop(copy);
    return status;
}

/* The requested shape, with the inferred extent filled in. */
bnd_status bndi_wanted_shape(bndi_shape *out, const bnd_tensor *t, const size_t *extent, size_t rank, const char *who,
                             bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    size_t given[BND_TENSOR_RANK_MAX], known = 1, open = rank, count = bndi_count(&t->shape);
    char text[BNDI_SHAPE_TEXT], asked[BNDI_SHAPE_TEXT];
    for (size_t i = 0; i < rank && i < BND_TENSOR_RANK_MAX; i++) {
        given[i] = extent[i] == BND_TENSOR_INFER ? 1 : extent[i];
        if (extent[i] == BND_TENSOR_INFER && open < rank) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s: only one extent can be inferred, not those of both axes %zu and %zu", who, open, i);
        }
        open = extent[i] == BND_TENSOR_INFER ? i : open;
    }
    status = bndi_shape_make(out, given, rank, why);
    if (status != BND_OK) {
        return status;
    }
    known = bndi_count(out);
    if (open < rank && known == 0 && count == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: the extent of axis %zu cannot be inferred, because another extent is 0", who, open);
    }
    if (open < rank && known > 0 && count % known == 0) {
        out->extent[open] = count / known;
    }
    return bndi_count(out) == count
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: a tensor of shape %s has %zu elements, and %s%s has %zu", who,
                          bndi_shape_text(text, &t->shape), count, bndi_shape_text(asked, out),
                          open < rank ? " times the inferred extent" : "", known);
}
