/* The weights of a checkpoint. */
#ifndef BINADE_SRC_WEIGHTS_H
#define BINADE_SRC_WEIGHTS_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/fit.h"

/* What a configuration or a mark says about one module. */
typedef struct bndi_hint {
    const bndi_quantizations *configurations;
    const bndi_quantized_layer *layer; /* NULL: none says anything of it alone */
    bool comfy;                        /* ComfyUI's mark is on it */
} bndi_hint;

struct bndi_weights {
    const bnd_stored_weight **list;
    size_t count;
    bnd_stored_weight **by_name;
    bndi_quantizations configurations;
    bndi_arena arena; /* of everything */
};

/* The configurations of a checkpoint. */
const bndi_quantizations *bndi_checkpoint_quantizations(const bnd_checkpoint *checkpoint);

/* Fills in a quantized weight from the way its tensors fit a row: shape, block format, why it cannot be decoded. False:
 * no memory. */
bool bndi_weight_from_fit(bnd_stored_weight *out, const bndi_fit *fit, const bndi_hint *hint, bndi_arena *arena);

/* How badly a row fits: 0 is perfect. Missing parts count more than dtypes, these more than shapes, and these more than
 * what a configuration says. */
enum { BNDI_COST_UNFIT = 1 << 20 };
int bndi_fit_cost(const bndi_fit *fit, const bndi_hint *hint);

/* ---- reading a weight, if it can be decoded ---- */

/* The scales of groups at .. at + n - 1, in the order of bnd_block_scales, without the second-level scale. Blocks of
 * GGUF have none here. */
void bndi_weight_scales(float *out, const bnd_stored_weight *weight, uint64_t at, size_t n);

/* The same as stored, in words of the scale's format. */
void bndi_weight_scale_bytes(unsigned char *out, const bnd_stored_weight *weight, uint64_t at, size_t n);

/* Where in swizzled scales the one of a row and a group is. `rows`, `groups`: of an expert. */
uint64_t bndi_swizzled_place(uint64_t row, uint64_t group, uint64_t rows, uint64_t groups, uint64_t expert);

/* The second-level scale of the elements of an expert (0: of all), as a factor. */
float bndi_weight_second(const bnd_stored_weight *weight, uint64_t expert);

#endif
