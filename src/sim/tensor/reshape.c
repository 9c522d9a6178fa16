/* Reshaping with a copy, for shapes that no view can have. */
#include "tensor/view_make.h"

bnd_status bnd_tensor_contiguous(bnd_tensor **out, bnd_tensor *t, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    if (bnd_tensor_is_contiguous(t)) {
        *out = bnd_tensor_keep(t);
        return BND_OK;
    }
    bnd_attributes attributes = {.format = &t->format};
    return bnd_tensor_apply(out, BND_TENSOR_OP_COPY, &t, 1, &attributes, why);
}

bnd_status bnd_tensor_reshape(bnd_tensor **out, bnd_tensor *t, const size_t *extent, size_t rank, bnd_error *why)
{
    bndi_shape shape;
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bnd_tensor *copy;
    size_t axis;
    bnd_status status = bndi_wanted_shape(&shape, t, extent, rank, "reshape", why);
    if (status != BND_OK || bndi_view_strides(stride, t, &shape, &axis)) {
        return status != BND_OK ? status : bnd_tensor_view(out, t, shape.extent, rank, why);
    }
    status = bnd_tensor_contiguous(&copy, t, why);
    if (status == BND_OK) {
        status = bnd_tensor_view(out, copy, shape.extent, rank, why);
        bnd_tensor_release(copy);
    }
    return status;
}
