/* Pieces of weights, and the groups in them. */
#include "diff/groups.h"

#include "convert/experts.h"

#include <string.h>

enum { MOST = 1 << 27 }; /* elements of a piece */

static uint64_t parts(uint64_t n, uint64_t of)
{
    return n / of + (n % of != 0 ? 1 : 0);
}

const char *bndi_groups_of(bndi_groups *out, const bnd_stored_weight *weight)
{
    const bnd_shape *shape = &weight->blocks;
    const bnd_block *block = &weight->block;
    bndi_groups g = {.rows = 1, .columns = weight->count, .elements = weight->count, .across = 1, .count = 1};
    g.pieces = parts(weight->count, BNDI_GROUP_PIECE);
    if (weight->layout != NULL && block->sharing == BND_SHARE_BLOCK) {
        if (shape->inner != 1) {
            return "its groups do not run along the rows";
        }
        g.rows = shape->outer;
        g.columns = shape->length;
        g.along = block->along == 0 ? shape->length : block->along;
        g.band = 1;
    } else if (weight->layout != NULL && block->sharing == BND_SHARE_TILE) {
        g.rows = (uint64_t)shape->outer * shape->length;
        g.columns = shape->inner;
        g.along = block->across == 0 ? shape->inner : block->across;
        g.band = block->along == 0 ? shape->length : block->along;
        if (shape->outer > 1 && shape->length % g.band != 0) {
            return "its tiles do not fill the matrices";
        }
    }
    if (g.band != 0 && weight->count != 0) {
        const uint64_t fit = BNDI_GROUP_PIECE / (g.columns * g.band);
        g.piece_rows = g.band * (fit > 0 ? fit : 1);
        g.across = parts(g.columns, g.along);
        g.count = parts(g.rows, g.band) * g.across;
        g.pieces = parts(g.rows, g.piece_rows);
        if (g.piece_rows * g.columns > MOST) {
            return "its groups lie too far apart";
        }
    }
    *out = g;
    return NULL;
}

bndi_group_piece bndi_group_piece_at(const bndi_groups *g, uint64_t index)
{
    if (g->band == 0) {
        const uint64_t first = index * BNDI_GROUP_PIECE, left = g->elements - first;
        return (bndi_group_piece){first, left < BNDI_GROUP_PIECE ? (size_t)left : BNDI_GROUP_PIECE, 0, 1};
    }
    const uint64_t row = index * g->piece_rows, left = g->rows - row;
    const uint64_t rows = left < g->piece_rows ? left : g->piece_rows;
    return (bndi_group_piece){row * g->columns, (size_t)(rows * g->columns), row / g->band * g->across,
                              (size_t)(parts(rows, g->band) * g->across)};
}

size_t bndi_group_run_at(const bndi_groups *g, const bndi_group_piece *piece, size_t at, size_t *group)
{
    if (g->band == 0) {
        *group = 0;
        return piece->n - at;
    }
    const size_t columns = (size_t)g->columns, row = at / columns, column = at % columns;
    const size_t in_group = g->along - column % g->along, in_row = columns - column;
    *group = row / g->band * (size_t)g->across + column / g->along;
    return in_group < in_row ? in_group : in_row;
}

/* ---- two weights ---- */

bool bndi_is_turned(const bnd_stored_weight *weight, const bnd_stored_weight *other)
{
    return weight->rank == 3 && other->rank == 3 && bndi_decodes_in_first(weight) != bndi_decodes_in_first(other);
}

bool bndi_same_axes(const bnd_stored_weight *weight, const bnd_stored_weight *other)
{
    const uint64_t *a = weight->shape, *b = other->shape;
    if (bndi_is_turned(weight, other)) {
        return a[0] == b[0] && a[1] == b[2] && a[2] == b[1];
    }
    return weight->rank == other->rank && (weight->rank == 0 || memcmp(a, b, weight->rank * sizeof *a) == 0);
}

const float *bndi_decode_range(float *room, const bnd_stored_weight *weight, const bnd_stored_weight *order,
                               uint64_t at, size_t n)
{
    if (bndi_is_turned(weight, order)) {
        return bndi_decode_turned(room, weight, at, n, NULL, NULL) == BND_OK ? room : NULL;
    }
    const size_t before = (size_t)(at % BND_WEIGHT_STEP);
    return bnd_decode_weight_f32(room, weight, at - before, n + before, NULL, NULL) == BND_OK ? room + before : NULL;
}
