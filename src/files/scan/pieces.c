/* Cuts a tensor into pieces: rectangles of its matrices, whose edges are edges of all shared scales.
 *
 * A piece has whole rows unless these are too long. If it does not, rows that share a scale get theirs from a first
 * pass. */
#include "scan/scan.h"

static uint64_t divisor_of(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least common multiple; more than BND_SCAN_PIECE is as good as BND_SCAN_PIECE + 1. */
static uint64_t multiple_of(uint64_t a, uint64_t b)
{
    uint64_t factor = b / divisor_of(a, b);
    return factor > BND_SCAN_PIECE || a > BND_SCAN_PIECE / factor ? BND_SCAN_PIECE + 1 : a * factor;
}

/* Rows and columns of what shares a scale: 0 is all of them. */
void bndi_sharing_of(uint64_t *rows, uint64_t *columns, const bnd_candidate *c)
{
    bool tile = c->shared && c->block.sharing == BND_SHARE_TILE,
         block = c->shared && c->block.sharing == BND_SHARE_BLOCK;
    *rows = tile ? c->block.along : 1;
    *columns = tile ? c->block.across : block ? c->block.along : 1;
}

static uint64_t at_least_1(uint64_t x)
{
    return x > 0 ? x : 1;
}

bnd_status bndi_pieces_plan(bndi_pieces *out, const bndi_scan_job *job, bnd_error *why)
{
    enum { USUAL = 1 << 16 }; /* elements: with what they become, in the second cache */
    const bndi_tensor *t = job->tensor;
    bndi_pieces p = {.height = 1, .width = t->columns};
    uint64_t step = 1;
    for (size_t i = 0; i < job->count; i++) {
        uint64_t rows, columns;
        bndi_sharing_of(&rows, &columns, &job->candidates[i]);
        p.height = job->done[i] ? p.height : multiple_of(p.height, rows > 0 ? rows : at_least_1(t->rows));
        bool all_columns = columns == 0 && job->candidates[i].block.sharing == BND_SHARE_TILE;
        step = job->done[i] ? step : multiple_of(step, at_least_1(all_columns ? t->columns : columns));
    }
    p.split = p.width > 0 && p.height > BND_SCAN_PIECE / p.width;
    if (p.split) {
        uint64_t steps = p.height > BND_SCAN_PIECE ? 0 : BND_SCAN_PIECE / p.height / step;
        if (steps == 0 && job->count == 1) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the tiles of %s are larger than %d elements, the most in a scan",
                            job->candidates[0].name, (int)BND_SCAN_PIECE);
        }
        if (steps == 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "the tiles of the candidates fit into each other only in pieces of more than %d elements; "
                            "scan them one by one, or with smaller tiles",
                            (int)BND_SCAN_PIECE);
        }
        p.width = steps * step < p.width ? steps * step : p.width;
    } else if (p.width > 0 && p.height * p.width < USUAL) {
        p.height *= USUAL / (p.height * p.width);
    }
    p.height = p.height < t->rows ? p.height : t->rows;
    if (t->count > 0) {
        p.bands = (t->rows - 1) / p.height + 1;
        p.parts = (t->columns - 1) / p.width + 1;
        p.count = t->matrices * p.bands * p.parts;
    }
    *out = p;
    return BND_OK;
}

bndi_rectangle bndi_piece_at(const bndi_pieces *pieces, const bndi_tensor *t, uint64_t i)
{
    uint64_t band = i / pieces->parts % pieces->bands, matrix = i / pieces->parts / pieces->bands;
    bndi_rectangle p = {.row = matrix * t->rows + band * pieces->height, .column = i % pieces->parts * pieces->width};
    uint64_t below = t->rows - band * pieces->height, right = t->columns - p.column;
    p.rows = (size_t)(below < pieces->height ? below : pieces->height);
    p.columns = (size_t)(right < pieces->width ? right : pieces->width);
    return p;
}

bnd_status bndi_piece_read(const bndi_tensor *t, const bndi_rectangle *p, float *x, bnd_error *why)
{
    const bool whole = p->columns == t->columns;
    const size_t runs = whole ? 1 : p->rows, n = whole ? p->rows * p->columns : p->columns;
    bnd_status status = BND_OK;
    for (size_t run = 0; status == BND_OK && run < runs; run++) {
        status = bndi_tensor_read(t, x + run * n, (p->row + run) * t->columns + p->column, n, why);
    }
    return status;
}
