/* The weights that the tensors stand for. */
#include "checkpoint.h"

#include <stdlib.h>

struct bndi_weights {
    bnd_stored_weight *list;
    size_t count;
};

bnd_status bndi_weights_find(bnd_checkpoint *checkpoint, bnd_error *why)
{
    struct bndi_weights *weights = calloc(1, sizeof *weights);
    bnd_stored_weight *list = calloc(checkpoint->count + 1, sizeof *list);
    if (weights == NULL || list == NULL) {
        free(weights);
        free(list);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu weights", checkpoint->count);
    }
    for (size_t i = 0; i < checkpoint->count; i++) {
        const bnd_stored_tensor *tensor = &checkpoint->tensors[i];
        bnd_stored_weight *weight = &list[i];
        weight->name = tensor->name;
        weight->parts[BND_PART_CODES] = tensor;
        weight->rank = tensor->rank;
        weight->shape = tensor->shape;
        weight->count = tensor->count;
        weight->is_float = tensor->kind == BND_STORED_FLOAT;
        weight->why_not = weight->is_float ? NULL : "its elements are not of a floating-point format";
        weight->tensor_scale = 1;
        weight->bits_per_element = tensor->bits;
    }
    *weights = (struct bndi_weights){list, checkpoint->count};
    checkpoint->weights = weights;
    return BND_OK;
}

void bndi_weights_free(struct bndi_weights *weights)
{
    if (weights != NULL) {
        free(weights->list);
        free(weights);
    }
}

size_t bnd_checkpoint_weights(const bnd_checkpoint *checkpoint)
{
    return checkpoint->weights->count;
}

const bnd_stored_weight *bnd_checkpoint_weight_at(const bnd_checkpoint *checkpoint, size_t index)
{
    return index < checkpoint->weights->count ? &checkpoint->weights->list[index] : NULL;
}

const bnd_stored_weight *bnd_checkpoint_find_weight(const bnd_checkpoint *checkpoint, const char *name)
{
    const bnd_stored_tensor *tensor = bnd_checkpoint_find(checkpoint, name);
    return tensor != NULL ? &checkpoint->weights->list[tensor - checkpoint->tensors] : NULL;
}
