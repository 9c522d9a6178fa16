/* Views on the tape: another shape, other strides and another offset over the same storage. */
#include "tensor/sums.h"
#include "tensor/tape.h"
#include "tensor/view_make.h"

/* ---- its gradient ---- */

static bnd_status view_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    size_t from[BND_TENSOR_RANK_MAX];
    switch (c->view.kind) {
    case BNDI_PERMUTED:
        for (size_t i = 0; i < c->shape.rank; i++) {
            from[c->view.from[i]] = i;
        }
        return bndi_permuted(&g->out[0], d, from, why);
    case BNDI_BROADCAST:
        return bndi_sum_to(&g->out[0], c, g, 0, d, why);
    case BNDI_SLICED: /* bndi_deliver_slice's */
    case BNDI_RESHAPED:
        break;
    }
    return bndi_reshaped(&g->out[0], d, &c->in_shape[0], why);
}

const bndi_row bndi_view_row = {.name = "view", .least = 1, .most = 1, .backward = view_backward};

/* ---- with the tape ---- */

/* The axis of t that a call names; `more`: axes that the result has more than t. */
static bnd_status axis_of(size_t *out, int axis, const bnd_tensor *t, size_t more, const char *who, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    return status == BND_OK ? bndi_axis(out, axis, t->shape.rank + more, who, why) : status;
}

static bnd_status finish(bnd_tensor **out, bnd_tensor *view, bnd_tensor *t, const bndi_view *how, bnd_error *why)
{
    bndi_call call = {.row = &bndi_view_row,
                      .operation = BND_TENSOR_OP_VIEW,
                      .engine = t->engine,
                      .view = *how,
                      .count = 1,
                      .in_shape = {t->shape},
                      .in_format = {*bndi_format_lent(t)},
                      .shape = view->shape};
    bnd_status status = bndi_record(&call, &t, view, why);
    if (status != BND_OK) {
        bndi_drop(view);
        return status;
    }
    bndi_owe(view);
    *out = view;
    return BND_OK;
}

bnd_status bnd_tensor_permute(bnd_tensor **out, bnd_tensor *t, const int *axes, size_t rank, bnd_error *why)
{
    bndi_view how = {.kind = BNDI_PERMUTED};
    bnd_tensor *view;
    unsigned seen = 0;
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    if (rank != t->shape.rank) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "permute: got %zu axes for a tensor of %zu; name each once", rank,
                        t->shape.rank);
    }
    for (size_t i = 0; i < rank; i++) {
        status = bndi_axis(&how.from[i], axes[i], rank, "permute", why);
        if (status != BND_OK) {
            return status;
        }
        if ((seen >> how.from[i] & 1) != 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "permute: axis %zu is named twice", how.from[i]);
        }
        seen |= 1u << how.from[i];
    }
    status = bndi_permuted(&view, t, how.from, why);
    return status == BND_OK ? finish(out, view, t, &how, why) : status;
}

bnd_status bnd_tensor_transpose(bnd_tensor **out, bnd_tensor *t, int axis, int other, bnd_error *why)
{
    size_t a, b;
    int axes[BND_TENSOR_RANK_MAX];
    bnd_status status = axis_of(&a, axis, t, 0, "transpose", why);
    if (status == BND_OK) {
        status = axis_of(&b, other, t, 0, "transpose", why);
    }
    if (status != BND_OK) {
        return status;
    }
    for (size_t i = 0; i < t->shape.rank; i++) {
        axes[i] = (int)(i == a ? b : i == b ? a : i);
    }
    return bnd_tensor_permute(out, t, axes, t->shape.rank, why);
}

bnd_status bnd_tensor_slice(bnd_tensor **out, bnd_tensor *t, int axis, size_t first, size_t count, ptrdiff_t step,
                            bnd_error *why)
{
    bndi_view how = {.kind = BNDI_SLICED, .first = first, .step = step};
    bnd_tensor *view;
    bnd_status status = axis_of(&how.axis, axis, t, 0, "slice", why);
    if (status != BND_OK) {
        return status;
    }
    size_t extent = t->shape.extent[how.axis];
    size_t room = first >= extent ? 0
                  : step > 0      ? extent - 1 - first
                                  : first,
           pace = step < 0 ? 0 - (size_t)step : (size_t)step;
    if (step == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "slice: the step must not be 0; to repeat elements, use broadcast");
    }
    if (count > 0 && (first >= extent || (count - 1) > room / pace)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "slice: %zu elements from %zu in steps of %lld are out of range for axis %zu, which has %zu",
                        count, first, (long long)step, how.axis, extent);
    }
    status = bndi_sliced(&view, t, how.axis, first, count, step, why);
    return status == BND_OK ? finish(out, view, t, &how, why) : status;
}

bnd_status bnd_tensor_broadcast(bnd_tensor **out, bnd_tensor *t, const size_t *extent, size_t rank, bnd_error *why)
{
    bndi_view how = {.kind = BNDI_BROADCAST};
    bndi_shape shape, joined;
    bnd_tensor *view;
    bnd_status status = bndi_check_tensor(t, why);
    if (status == BND_OK) {
        status = bndi_shape_make(&shape, extent, rank, why);
    }
    if (status == BND_OK) {
        status = bndi_shape_join(&joined, &t->shape, &shape, "broadcast", why);
    }
    if (status != BND_OK) {
        return status;
    }
    if (!bndi_same_shape(&joined, &shape)) {
        char of_t[BNDI_SHAPE_TEXT], wanted[BNDI_SHAPE_TEXT];
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "broadcast: a tensor of shape %s cannot be repeated to %s, which is smaller",
                        bndi_shape_text(of_t, &t->shape), bndi_shape_text(wanted, &shape));
    }
    status = bndi_broadcast_to(&view, t, &shape, why);
    return status == BND_OK ? finish(out, view, t, &how, why) : status;
}

/* ---- another shape ---- */

bnd_status bnd_tensor_view(bnd_tensor **out, bnd_tensor *t, const size_t *extent, size_t rank, bnd_error *why)
{
    bndi_shape shape;
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bnd_tensor *view;
    size_t axis = 0;
    bnd_status status = bndi_wanted_shape(&shape, t, extent, rank, "view", why);
    if (status != BND_OK) {
        return status;
    }
    if (!bndi_view_strides(stride, t, &shape, &axis)) {
        char old[BNDI_SHAPE_TEXT], new[BNDI_SHAPE_TEXT];
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "view: a tensor of shape %s cannot be viewed as %s: axis %zu has stride %lld, and its elements "
                        "do not follow those of the next axis in memory; make it contiguous first, or reshape",
                        bndi_shape_text(old, &t->shape), bndi_shape_text(new, &shape), axis,
                        (long long)t->stride[axis]);
    }
    status = bndi_view_make(&view, t, &shape, stride, t->offset, why);
    return status == BND_OK ? finish(out, view, t, &(bndi_view){.kind = BNDI_RESHAPED}, why) : status;
}

bnd_status bnd_tensor_squeeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why)
{
    size_t at, extent[BND_TENSOR_RANK_MAX], rank = 0;
    bnd_status status = axis_of(&at, axis, t, 0, "squeeze", why);
    if (status != BND_OK) {
        return status;
    }
    if (t->shape.extent[at] != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "squeeze: axis %zu has %zu elements; it must have 1", at,
                        t->shape.extent[at]);
    }
    for (size_t i = 0; i < t->shape.rank; i++) {
        if (i != at) {
            extent[rank++] = t->shape.extent[i];
        }
    }
    return bnd_tensor_view(out, t, extent, rank, why);
}

bnd_status bnd_tensor_unsqueeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why)
{
    size_t at, extent[BND_TENSOR_RANK_MAX], rank = 0;
    bnd_status status = axis_of(&at, axis, t, 1, "unsqueeze", why);
    if (status == BND_OK && t->shape.rank == BND_TENSOR_RANK_MAX) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "unsqueeze: the tensor has %d axes already, which is the limit",
                          BND_TENSOR_RANK_MAX);
    }
    if (status != BND_OK) {
        return status;
    }
    for (size_t i = 0; i <= t->shape.rank; i++) {
        extent[rank++] = i < at ? t->shape.extent[i] : i == at ? 1 : t->shape.extent[i - 1];
    }
    return bnd_tensor_view(out, t, extent, rank, why);
}

bnd_status bnd_tensor_select(bnd_tensor **out, bnd_tensor *t, int axis, size_t index, bnd_error *why)
{
    size_t at;
    bnd_tensor *slice;
    bnd_status status = axis_of(&at, axis, t, 0, "select", why);
    if (status == BND_OK && index >= t->shape.extent[at]) {
        status =
            bnd_fail(why, BND_BAD_ARGUMENT, 0, "select: index %zu is out of range for axis %zu, which has %zu elements",
                     index, at, t->shape.extent[at]);
    }
    if (status == BND_OK) {
        status = bnd_tensor_slice(&slice, t, (int)at, index, 1, 1, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_squeeze(out, slice, (int)at, why);
        bnd_tensor_release(slice);
    }
    return status;
}

bnd_status bnd_tensor_view_as(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_storage is = bnd_lab_storage_of(&t->format, BND_PACKING_PACKED),
                 asked = bnd_lab_storage_of(f, BND_PACKING_PACKED);
    if (f->width == 0 || is.bits != asked.bits) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "view: codes of %s have %u bits and cannot be viewed as %s, which has %u; to convert numbers, use cast",
            t->format.name, is.bits, f->name, f->width == 0 ? 0 : asked.bits);
    }
    if (t->buffer->integer != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "view: integers are not codes; load the file with the format of its codes");
    }
    if (t->buffer->scaled != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "view: codes with shared scales cannot be viewed as another format");
    }
    bnd_tensor *view;
    status = bndi_view_make(&view, t, &t->shape, t->stride, t->offset, why);
    if (status != BND_OK) {
        return status;
    }
    view->format = *f;
    bndi_owe(view);
    *out = view;
    return BND_OK;
}
