/* What the parts of a search share: pieces in batches, and the memory of a piece. */
#ifndef BINADE_SRC_SEARCH_ROOM_H
#define BINADE_SRC_SEARCH_ROOM_H

#include "diff/search.h"

/* One piece: the base's elements; the stored scales of its groups, as factors if they are reciprocals; the largest
 * magnitudes of its groups (NaN: one of them is not finite). */
typedef struct bndi_piece_room {
    bndi_group_piece piece;
    const float *x;
    float *scales, *amax;
    uint16_t *codes;
    float *decoded;
} bndi_piece_room;

/* Fills it for a piece; `codes` only if they are wanted. False: no memory, or the base cannot be decoded. */
bool bndi_piece_room_fill(bndi_piece_room *room, const bndi_search *search, uint64_t index, bool codes);
void bndi_piece_room_empty(bndi_piece_room *room);

/* Part `i` of a batch works on piece first + i * step. */
typedef struct bndi_piece_batch {
    const bndi_search *search;
    uint64_t first, step;
    bool *failed; /* one per part */
    void *state;
} bndi_piece_batch;

enum { BNDI_BATCH = 64 };

typedef bool bndi_piece_work(const bndi_piece_batch *batch, size_t part, uint64_t piece);
typedef void bndi_take(const bndi_piece_batch *batch, size_t parts);

/* All pieces, or every step-th of them, BNDI_BATCH at a time: `work` for each in parallel, then `take` of the batch. */
BND_CHECKED bnd_status bndi_in_batches(const bndi_search *search, uint64_t step, bndi_piece_work *work, bndi_take *take,
                                       void *state, const bndi_search_watch *watch, bnd_error *why);

/* The facts that formulas need. */
bndi_scale_facts bndi_facts_of(const bndi_search *search);

/* The kinds of the scales of groups: one bit each, by bndi_scale_kind. */
unsigned bndi_kinds_of(const bndi_search *search);

/* Codes, given the scales. */
BND_CHECKED bnd_status bndi_search_codes(bndi_search *search, const bndi_search_watch *watch, bnd_error *why);

#endif
