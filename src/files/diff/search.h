/* The search for how one weight was made. */
#ifndef BINADE_SRC_SEARCH_H
#define BINADE_SRC_SEARCH_H

#include "diff/explain.h"
#include "diff/groups.h"

enum {
    BNDI_CODE_WAYS = (int)BNDI_ROUNDINGS * (int)BNDI_ZEROS * (int)BNDI_QUOTIENTS,
    BNDI_WAY_WORDS = (BNDI_CODE_WAYS + 63) / 64
};

/* The rows that reproduce most. A way is (rounding * BNDI_ZEROS + zero) * BNDI_QUOTIENTS + quotient. */
typedef struct bndi_made_sets {
    uint64_t tensor, scale;
    uint64_t ways[BNDI_WAY_WORDS];
} bndi_made_sets;

typedef struct bndi_search {
    const bnd_stored_weight *weight, *base;
    bndi_groups groups;
    bool has_scales, has_second, powers; /* powers: every stored scale is one of two */
    bool second_divides;
    float amax;   /* of the base; NaN if it has a NaN or an infinity */
    float stored; /* the scale of the tensor, as stored; 0: there is none */
    float least, zero;
    float shared_amax; /* of the weights with which it was fused, or amax */
    bndi_made_sets sets;
    bnd_explanation found;
} bndi_search;

/* Begins a search. found.why_not says why there is none. */
void bndi_search_begin(bndi_search *search, const bnd_stored_weight *weight, const bnd_stored_weight *base);

/* Told of bytes that were gone through. False ends the search with BND_BAD_STREAM. */
typedef struct bndi_search_watch {
    const bnd_context *context;
    bool (*at)(void *state, uint64_t elements);
    void *state;
} bndi_search_watch;

/* First: the largest magnitudes. Then the scale of the tensor, for this largest magnitude of `fused` weights: false if
 * no row gives it. Last, the rest. On failure: BND_NO_MEMORY or BND_BAD_STREAM. */
BND_CHECKED bnd_status bndi_search_measure(bndi_search *search, const bndi_search_watch *watch, bnd_error *why);
bool bndi_search_tensor(bndi_search *search, float amax, size_t fused);
BND_CHECKED bnd_status bndi_search_rest(bndi_search *search, const bndi_search_watch *watch, bnd_error *why);

/* The first rows of the sets, and how many tie with them. */
void bndi_search_choose(bnd_explanation *out, const bndi_made_sets *sets);

/* Weights of A that the base of the options lacks, if explanations were asked for; 0 without a base. */
size_t bndi_diff_without_base(const bnd_diff *diff);

#endif
