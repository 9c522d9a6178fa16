/* The table of operations: a row each, by their files. */
#include "tensor/operation.h"

static const bndi_row *const rows[BND_TENSOR_OPERATIONS] = {
    [BND_TENSOR_COPY] = &bndi_copy_row,
    [BND_TENSOR_CAST] = &bndi_cast_row,
    [BND_TENSOR_SUM] = &bndi_sum_row,
    [BND_TENSOR_MEAN] = &bndi_mean_row,
    [BND_TENSOR_LAYER_NORM] = &bndi_layer_norm_row,
    [BND_TENSOR_RMS_NORM] = &bndi_rms_norm_row,
    [BND_TENSOR_EMBEDDING] = &bndi_embedding_row,
    [BND_TENSOR_CROSS_ENTROPY] = &bndi_cross_entropy_row,
    [BND_TENSOR_TRIU] = &bndi_triu_row,
    [BND_TENSOR_TRIL] = &bndi_tril_row,
    [BND_TENSOR_MASKED] = &bndi_masked_row,
    [BND_TENSOR_DROPOUT] = &bndi_dropout_row,
    [BND_TENSOR_MATMUL] = &bndi_matmul_row,
    [BND_TENSOR_LINEAR] = &bndi_linear_row,
    [BND_TENSOR_VIEW] = &bndi_view_row,
    [BND_TENSOR_CHECKPOINT] = &bndi_checkpoint_row,
};

const bndi_row *bndi_row_of(bnd_tensor_operation operation)
{
    if ((unsigned)operation >= BND_TENSOR_OPERATIONS) {
        return NULL;
    }
    const bndi_row *elementwise = &bndi_elementwise_rows[operation], *of_rows = &bndi_row_rows[operation];
    return elementwise->name != NULL ? elementwise : of_rows->name != NULL ? of_rows : rows[operation];
}

const char *bnd_tensor_operation_name(bnd_tensor_operation operation)
{
    const bndi_row *row = bndi_row_of(operation);
    return row != NULL ? row->name : "";
}
