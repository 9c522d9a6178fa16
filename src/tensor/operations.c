/* The table of operations: a row each, by their files. */
#include "tensor/tensor.h"

static const bndi_row *const rows[BND_TENSOR_OPERATIONS] = {
    [BND_TENSOR_COPY] = &bndi_copy_row, [BND_TENSOR_CAST] = &bndi_cast_row,
    [BND_TENSOR_SUM] = &bndi_sum_row,   [BND_TENSOR_MEAN] = &bndi_mean_row,
    [BND_TENSOR_VIEW] = &bndi_view_row, [BND_TENSOR_CHECKPOINT] = &bndi_checkpoint_row,
};

const bndi_row *bndi_row_of(bnd_tensor_operation operation)
{
    if ((unsigned)operation >= BND_TENSOR_OPERATIONS) {
        return NULL;
    }
    const bndi_row *elementwise = &bndi_elementwise_rows[operation];
    return elementwise->name != NULL ? elementwise : rows[operation];
}

const char *bnd_tensor_operation_name(bnd_tensor_operation operation)
{
    const bndi_row *row = bndi_row_of(operation);
    return row != NULL ? row->name : "";
}
