/* What policy/ shares between its files.
 *
 * A policy says which part of a training run has which format: for each role (param, grad, act, m, v ...) a format, a
 * rounding rule and the scales that its numbers share; then accumulators, the loss scale, and options of the
 * optimizer. A recipe is the text of a policy, and a row of recipes.def. A part is a piece of a policy that an autopsy
 * changes alone. */
#ifndef BINADE_SRC_POLICY_H
#define BINADE_SRC_POLICY_H

#include <binade-lab/policy.h>

#include "base/base.h"

/* Returns false if no part has this name; all names have then been offered to `nearest`. */
bool bndi_find_roles(uint64_t *roles, bndi_nearest *nearest, const char *name, size_t length);

/* Names that stand for a format with its scaling. */
typedef struct bndi_scaled_name {
    const char *name, *format, *scaling;
} bndi_scaled_name;
const bndi_scaled_name *bndi_scaled_name_of(const char *name, size_t length); /* NULL: none */

#endif
