/* How numbers share scales, as the `scaling` of a cast says it. */
#ifndef BINADE_SRC_TENSOR_SCALING_H
#define BINADE_SRC_TENSOR_SCALING_H

#include <binade/block.h>
#include <binade-lab/tensor.h>

typedef enum bndi_scaling_kind {
    BNDI_UNSCALED,
    BNDI_BLOCKS,  /* block/ */
    BNDI_CURRENT, /* Transformer Engine's formula, on the tensor's own amax, */
    BNDI_DELAYED, /* or on that of the last steps */
    BNDI_DYNAMIC  /* block/dynamic_codes.c */
} bndi_scaling_kind;

/* Of blocks: casts whose expectation is the number (unbiased.c). */
typedef enum bndi_unbiased_way { BNDI_BIASED, BNDI_UNCLAMPED, BNDI_EDEN } bndi_unbiased_way;

typedef struct bndi_scaling {
    bndi_scaling_kind kind;
    bnd_block block;
    bndi_unbiased_way unbiased;
    bnd_dynamic dynamic;
    uint32_t steps; /* of a history */
    int margin;
} bndi_scaling;

BND_CHECKED bnd_status bndi_scaling_parse(bndi_scaling *out, const bnd_cast *cast, bnd_role role, bnd_error *why);

bool bndi_is_stored(bnd_role role);       /* may have scales that are stored with its codes */
bool bndi_is_operand_role(bnd_role role); /* an operand of a GEMM, or norm.w */

#endif
