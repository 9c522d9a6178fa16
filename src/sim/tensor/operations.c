/* The table of operations: a row each, by their files. */
#include "tensor/operation.h"

static const bndi_row *const rows[BND_TENSOR_OP_COUNT] = {
    [BND_TENSOR_OP_COPY] = &bndi_copy_row,
    [BND_TENSOR_OP_CAST] = &bndi_cast_row,
    [BND_TENSOR_OP_SUM] = &bndi_sum_row,
    [BND_TENSOR_OP_MEAN] = &bndi_mean_row,
    [BND_TENSOR_OP_LAYER_NORM] = &bndi_layer_norm_row,
    [BND_TENSOR_OP_RMS_NORM] = &bndi_rms_norm_row,
    [BND_TENSOR_OP_EMBEDDING] = &bndi_embedding_row,
    [BND_TENSOR_OP_CROSS_ENTROPY] = &bndi_cross_entropy_row,
    [BND_TENSOR_OP_TRIU] = &bndi_triu_row,
    [BND_TENSOR_OP_TRIL] = &bndi_tril_row,
    [BND_TENSOR_OP_MASKED] = &bndi_masked_row,
    [BND_TENSOR_OP_DROPOUT] = &bndi_dropout_row,
    [BND_TENSOR_OP_MATMUL] = &bndi_matmul_row,
    [BND_TENSOR_OP_LINEAR] = &bndi_linear_row,
    [BND_TENSOR_OP_ROPE] = &bndi_rope_row,
    [BND_TENSOR_OP_VIEW] = &bndi_view_row,
    [BND_TENSOR_OP_CHECKPOINT] = &bndi_checkpoint_row,
};

const bndi_row *bndi_row_of(bnd_tensor_operation operation)
{
    if ((unsigned)operation >= BND_TENSOR_OP_COUNT) {
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
