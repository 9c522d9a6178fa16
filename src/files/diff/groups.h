/* The elements of a weight in pieces that have whole groups, the elements that share a scale. */
#ifndef BINADE_SRC_GROUPS_H
#define BINADE_SRC_GROUPS_H

#include <binade-lab/checkpoint.h>

/* Rows of `columns` elements. A group has `along` neighbours of a row, or is a tile, or is everything. */
typedef struct bndi_groups {
    uint64_t rows, columns;
    size_t along;        /* neighbours of a row in a group */
    size_t band;         /* rows that a group has; 0: all elements are one group */
    uint64_t piece_rows; /* a multiple of `band`; 0: pieces have any elements */
    uint64_t pieces, count, elements;
    uint64_t across; /* groups side by side in a row */
} bndi_groups;

typedef struct bndi_group_piece {
    uint64_t first; /* element */
    size_t n;
    uint64_t group; /* the first one */
    size_t groups;
} bndi_group_piece;

enum { BNDI_GROUP_PIECE = 65536 };

/* Groups of a weight; `layout` NULL counts as one group. Returns NULL, or a sentence if they are not in such an order.
 */
const char *bndi_groups_of(bndi_groups *out, const bnd_stored_weight *weight);

bndi_group_piece bndi_group_piece_at(const bndi_groups *g, uint64_t index);

/* The run of elements from `at` of a piece on that are neighbours in one group: its length, and the group among those
 * of the piece. */
size_t bndi_group_run_at(const bndi_groups *g, const bndi_group_piece *piece, size_t at, size_t *group);

/* Are the last two axes of these weights in another order? So are those of blocks of gpt-oss, [E, out, in], and of the
 * unquantized model, [E, in, out]. */
bool bndi_is_turned(const bnd_stored_weight *weight, const bnd_stored_weight *other);

/* Have they the same shape, in the same order of axes? */
bool bndi_same_axes(const bnd_stored_weight *weight, const bnd_stored_weight *other);

/* Decodes any range of a weight; elements are in the order of `order`, which is the weight or has its shape. `room` has
 * n + BND_WEIGHT_STEP floats; returns where the range begins in it, or NULL. */
const float *bndi_decode_range(float *room, const bnd_stored_weight *weight, const bnd_stored_weight *order,
                               uint64_t at, size_t n);

#endif
