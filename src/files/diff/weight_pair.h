/* Two weights of one name. */
#ifndef BINADE_SRC_WEIGHT_PAIR_H
#define BINADE_SRC_WEIGHT_PAIR_H

#include <binade-lab/diff.h>

/* Told of elements that were compared. False ends the comparison with BND_BAD_STREAM. */
typedef struct bndi_pair_watch {
    const bnd_context *context;
    bool (*at)(void *state, uint64_t elements);
    void *state;
} bndi_pair_watch;

/* Fills everything of `pair` but its explanation; name, a, b and base are set. On failure: BND_NO_MEMORY or
 * BND_BAD_STREAM. */
BND_CHECKED bnd_status bndi_compare_weights(bnd_weight_difference *pair, const bndi_pair_watch *watch, bnd_error *why);

#endif
