/* What policy/ shares between its files.
 *
 * A policy says which part of a training run has which format: for each role (param, grad, act, m, v ...) a format, a
 * rounding rule and the scales that its numbers share; then accumulators, the loss scale, and options of the
 * optimizer. A recipe is the text of a policy, and a row of recipes.def. A part is a piece of a policy that an autopsy
 * changes alone.
 *
 * An exception is a setting of some layers. A policy keeps exceptions as text, because which layers they are for
 * depends on the model: the policy of a layer is the policy with the settings of all exceptions that select it. */
#ifndef BINADE_SRC_POLICY_H
#define BINADE_SRC_POLICY_H

#include <binade-lab/policy.h>

#include "base/base.h"

/* Returns false if no part has this name; all names have then been offered to `nearest`. */
bool bndi_find_roles(uint64_t *roles, bndi_nearest *nearest, const char *name, size_t length);

/* Which layers: blocks.0.*, first:N, last:N, first:N%, last:N%. */
typedef struct bndi_selector {
    enum { BNDI_BY_NAME, BNDI_FIRST, BNDI_LAST } kind;
    bool percent; /* of the weights of layers; otherwise blocks are counted */
    unsigned n;
    const char *text;
    size_t length;
} bndi_selector;

/* Returns false if the text is not a selector. `text` must outlive it. */
bool bndi_selector_read(bndi_selector *out, const char *text, size_t length);
bool bndi_selects(const bndi_selector *s, const bnd_layer *layers, size_t count, size_t layer);

/* Applies a setting that layers can have, "NAME=VALUE". A base keeps what belongs to the whole run. */
BND_CHECKED bnd_status bndi_policy_set(bnd_policy *policy, const char *setting, size_t length, bnd_error *why);

/* Names that stand for a format with its scaling. */
typedef struct bndi_scaled_name {
    const char *name, *format, *scaling;
} bndi_scaled_name;
const bndi_scaled_name *bndi_scaled_name_of(const char *name, size_t length); /* NULL: none */

#endif
