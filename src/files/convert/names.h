/* Names of weights: patterns, what a weight is by its name, and which weights share a tensor scale. */
#ifndef BINADE_SRC_CONVERT_NAMES_H
#define BINADE_SRC_CONVERT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* ---- glob.c ---- */

/* Does the whole of the text match? * is any text, also with dots, ? is one byte. */
bool bndi_glob(const char *pattern, const char *text, size_t length);

/* The module of a weight: "model.layers.0.mlp.up_proj.weight" without ".weight". */
size_t bndi_module_length(const char *weight);

/* Does a pattern match the weight or its module? */
bool bndi_glob_weight(const char *pattern, const char *weight);

/* ---- roles.c ---- */

typedef struct bndi_role {
    const char *reason, *because;
    bool quantizes; /* by default */
    bool linear;    /* a module that loaders quantize, of the class Linear: configs list it if it is not quantized */
    bool experts;   /* an array of experts: configs list the module that holds it */
} bndi_role;

/* What a float weight is, by its name, its number of dimensions and the model's type ("": unknown). `quantized`: it is
 * so in the input. */
bndi_role bndi_role_of(const char *weight, size_t rank, const char *model_type, bool quantized);

/* Is it the weight of an embedding? Loaders do not take it for a linear layer. */
bool bndi_is_embedding(const char *weight, size_t rank);

/* ---- fused.c ---- */

/* groups[i] becomes the number of the group of names[i]: weights that engines join to one matrix, with one tensor
 * scale. SIZE_MAX: it has no partner. `model_type` may be NULL. Returns the number of groups; SIZE_MAX: no memory. */
size_t bndi_fuse(size_t *groups, const char *const *names, size_t count, const char *model_type);

#endif
