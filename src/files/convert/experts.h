/* Experts in one array, and the matrices of which it consists. */
#ifndef BINADE_SRC_CONVERT_EXPERTS_H
#define BINADE_SRC_CONVERT_EXPERTS_H

#include <binade-lab/checkpoint.h>

/* An array of experts. */
typedef struct bndi_experts {
    const char *layout;               /* the row of layouts.def that can hold it; "": none */
    bool halves;                      /* gate and up are the halves of the rows; otherwise they alternate */
    bool is_gate_up;                  /* otherwise it is down */
    bool in_first;                    /* [E, in, out], as transformers multiplies; otherwise [E, out, in] */
    const bnd_stored_weight *partner; /* down of gate and up, and the other way */
} bndi_experts;

/* What an array is. False: no row has its name and the model's type, or its shape does not fit that of its partner. */
bool bndi_find_experts(bndi_experts *out, const bnd_checkpoint *checkpoint, const bnd_stored_weight *weight,
                       const char *model_type);

/* Is a weight stored [E, out, in], where an unquantized checkpoint has [E, in, out] under its name? */
bool bndi_decodes_in_first(const bnd_stored_weight *weight);

/* Elements at .. at + n - 1 of a weight of rank 3 whose last two axes change places: stored [E, R, C], element
 * (e, c, r) of [E, C, R]. */
BND_CHECKED bnd_status bndi_decode_turned(float *x, const bnd_stored_weight *weight, uint64_t at, uint64_t n,
                                          const bnd_context *context, bnd_error *why);

/* The elements of a stored array that are a matrix, or several matrices one below the other: row r, column c is element
 * first + r / inner * outer_step + r % inner * row_step + c * column_step. */
typedef struct bndi_expert_view {
    uint64_t first, inner, outer_step, row_step, column_step;
} bndi_expert_view;

/* How many matrices an array is as linear layers. */
size_t bndi_expert_layers(const bndi_experts *experts, const bnd_stored_weight *weight);

/* A matrix: name, rows, columns and view. `layer` is less than bndi_expert_layers; SIZE_MAX: all experts, [out, in] one
 * below the other, with the name of the array. The name has at most BNDI_EXPERT_NAME bytes more than that of the
 * array. */
enum { BNDI_EXPERT_NAME = 48 };
typedef struct bndi_expert_layer {
    uint64_t rows, columns;
    bndi_expert_view view;
} bndi_expert_layer;
void bndi_expert_layer_at(bndi_expert_layer *out, char *name, size_t size, const bndi_experts *experts,
                          const bnd_stored_weight *weight, size_t layer);

#endif
