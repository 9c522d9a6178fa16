/* Shapes: making, broadcasting and printing them. */
#include "base/base.h"
#include "tensor/shape.h"

size_t bndi_count(const bndi_shape *s)
{
    size_t count = 1;
    for (size_t i = 0; i < s->rank; i++) {
        count *= s->extent[i];
    }
    return count;
}

bool bndi_same_shape(const bndi_shape *a, const bndi_shape *b)
{
    bool same = a->rank == b->rank;
    for (size_t i = 0; same && i < a->rank; i++) {
        same = a->extent[i] == b->extent[i];
    }
    return same;
}

void bndi_strides_of(ptrdiff_t *stride, const bndi_shape *s)
{
    size_t step = 1;
    for (size_t i = s->rank; i-- > 0;) {
        stride[i] = (ptrdiff_t)step;
        step *= s->extent[i];
    }
}

const char *bndi_shape_text(char *out, const bndi_shape *s)
{
    bndi_text text = bndi_text_in(out, BNDI_SHAPE_TEXT);
    bndi_text_char(&text, '(');
    for (size_t i = 0; i < s->rank; i++) {
        bndi_text_string(&text, i > 0 ? ", " : "");
        bndi_text_unsigned(&text, s->extent[i], 10, 1);
    }
    bndi_text_string(&text, s->rank == 1 ? ",)" : ")");
    return out;
}

bnd_status bndi_shape_make(bndi_shape *out, const size_t *extent, size_t rank, bnd_error *why)
{
    if (rank > BND_TENSOR_RANK_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu axes are too many for a tensor; the limit is %d", rank,
                        BND_TENSOR_RANK_MAX);
    }
    bndi_shape shape = {.rank = rank};
    size_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        shape.extent[i] = extent[i];
        /* Extents of zero do not excuse the others: strides are products of them. */
        size_t factor = extent[i] > 0 ? extent[i] : 1;
        if (count > PTRDIFF_MAX / 64 / factor) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor with an axis of %zu elements does not fit memory",
                            extent[i]);
        }
        count *= factor;
    }
    *out = shape;
    return BND_OK;
}

/* The extent that axis `back` from the end has, 1 beyond the first one. */
static size_t extent_from_end(const bndi_shape *s, size_t back)
{
    return back < s->rank ? s->extent[s->rank - 1 - back] : 1;
}

bnd_status bndi_shape_join(bndi_shape *out, const bndi_shape *a, const bndi_shape *b, const char *who, bnd_error *why)
{
    bndi_shape joined = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (size_t back = 0; back < joined.rank; back++) {
        size_t x = extent_from_end(a, back), y = extent_from_end(b, back);
        if (x != y && x != 1 && y != 1) {
            char of_a[BNDI_SHAPE_TEXT], of_b[BNDI_SHAPE_TEXT];
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s: shapes %s and %s do not match: counted from the last axis, extents must be equal or "
                            "1; axis %zu has %zu and %zu",
                            who, bndi_shape_text(of_a, a), bndi_shape_text(of_b, b), back + 1, x, y);
        }
        joined.extent[joined.rank - 1 - back] = x == 1 ? y : x;
    }
    return bndi_shape_make(out, joined.extent, joined.rank, why);
}

bnd_status bndi_axis(size_t *out, int axis, size_t rank, const char *who, bnd_error *why)
{
    long long from_start = axis < 0 ? axis + (long long)rank : axis;
    if (from_start < 0 || from_start >= (long long)rank) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: axis %d is out of range for a tensor of %zu axes (0 to %zu, or -1 to -%zu)", who, axis,
                        rank, rank > 0 ? rank - 1 : 0, rank);
    }
    *out = (size_t)from_start;
    return BND_OK;
}
