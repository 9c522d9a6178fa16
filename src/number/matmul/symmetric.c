/* Symmetric products: C = A B where B is A transposed, bit for bit. Only tiles that reach the diagonal or lie below it
 * are computed; the rest is copied from there. Muon's x x' and (x x') (x x') are such products.
 *
 * Element (i, j) is a sum over k of a_ik b_kj, in order of k. Where b_kj is a_jk for all j and k, element (j, i) is the
 * sum of the same products with their factors exchanged. Every way of adding up gives the same bits for both, if
 *
 *   - it begins at +0: C is not added to, and no bias of a column comes at the end;
 *   - nothing is random: random bits belong to the place (i, j);
 *   - a NaN is the canonical one: under other rules the sign and the payload of a NaN depend on which factor had it;
 *     so does the sign of the zero that replaces a NaN where the rule wants that;
 *   - both factors have the same format, so that the same bits are the same number, and is flushed alike.
 *
 * The operands are compared, so callers need not know that a product is symmetric. The comparison takes m k steps, and
 * the product m m k. It ends at the first difference, which in other products is one of the first elements. Operands
 * that were cast with random bits, or with scales of their own, count as symmetric only if they are.
 *
 * 3 threads, each with rows of about the same area, and what is copied (a small letter) from the part with its capital:
 *
 *   A A b b c c
 *   A A b b c c
 *   B B B b c c
 *   B B B B c c
 *   C C C C C c
 *   C C C C C C */
#include "bulk/inline.h"
#include "matmul/gemm_job.h"

/* What is smaller has too few tiles above the diagonal. Measured: see doc/dev/performance-notes.md. */
enum { LEAST_ROWS = 2 * BNDI_TILE_COLUMNS_MAX, LEAST_DEPTH = 32, SQUARE = 16 };

static const char *code_at(const bndi_factor *x, size_t row, size_t column)
{
    return x->at + ((ptrdiff_t)row * x->row + (ptrdiff_t)column * x->column) * (ptrdiff_t)x->bytes;
}

/* ---- is it symmetric? ---- */

static bool adds_up_alike(const bndi_job *j)
{
    const bnd_rule rule = j->sum.accumulator.rule;
    const bool keeps_nan = j->sum.accumulator.format.has_nan || rule.no_nan != BND_NO_NAN_ZERO;
    return keeps_nan && !j->add && j->bias == NULL && rule.rounding < BND_ROUND_DETERMINISTIC_COUNT &&
           rule.nan == BND_NAN_CANONICAL && j->a.codes == j->b.codes && !j->a.rounds && !j->b.rounds &&
           bnd_format_same(&j->sum.a_format, &j->sum.b_format);
}

/* Rows of A and columns of B from (row, k) on, elements of a constant number of bytes. */
static ALWAYS_INLINE bool same_square(const bndi_job *j, size_t row, size_t k, size_t rows, size_t depth, size_t bytes)
{
    const ptrdiff_t a_step = j->a.column * (ptrdiff_t)bytes, b_step = j->b.row * (ptrdiff_t)bytes;
    bool same = true;
    for (size_t i = 0; i < rows; i++) {
        const char *a = code_at(&j->a, row + i, k), *b = code_at(&j->b, k, row + i);
        for (size_t l = 0; l < depth; l++, a += a_step, b += b_step) {
            same &= __builtin_memcmp(a, b, bytes) == 0;
        }
    }
    return same;
}

/* By squares, since the elements of one of the two may lie far apart along k. Of one matrix and itself, those from the
 * diagonal on: what is left of it was compared as what is above. */
static bool same_rows(const bndi_job *j, size_t row, size_t rows)
{
    const bool itself = j->a.at == j->b.at && j->a.row == j->b.row && j->a.column == j->b.column;
    bool same = true;
    for (size_t k = itself ? row : 0; same && k < j->k; k += SQUARE) {
        const size_t depth = bndi_smaller(SQUARE, j->k - k);
        same = j->a.bytes == sizeof(float) ? same_square(j, row, k, rows, depth, sizeof(float))
                                           : same_square(j, row, k, rows, depth, j->a.bytes);
    }
    return same;
}

static bool same_run(const bndi_job *j, size_t row)
{
    return __builtin_memcmp(code_at(&j->a, row, 0), code_at(&j->b, 0, row), j->k * j->a.bytes) == 0;
}

/* Is B A transposed? */
static bool same_operands(const bndi_job *j)
{
    if (j->a.at == j->b.at && j->a.row == j->b.column && j->a.column == j->b.row) {
        return true;
    }
    const bool side_by_side = j->a.column == 1 && j->b.row == 1;
    bool same = true;
    for (size_t row = 0; same && row < j->m; row += side_by_side ? 1 : SQUARE) {
        same = side_by_side ? same_run(j, row) : same_rows(j, row, bndi_smaller(SQUARE, j->m - row));
    }
    return same;
}

bool bndi_is_symmetric(const bndi_job *j)
{
    const bool pays = j->m == j->n && j->m >= LEAST_ROWS && j->k >= LEAST_DEPTH;
    const bool rows_of_c = j->c_column == 1 && j->c_row >= (ptrdiff_t)j->n;
    return pays && rows_of_c && adds_up_alike(j) && same_operands(j);
}

/* ---- its parts ---- */

/* The first unit of part i: units before it are sqrt(i / parts) of all, as the area below the diagonal grows. */
static size_t first_unit(size_t units, size_t i, size_t parts)
{
    const double area = (double)units * (double)units * (double)i / (double)parts;
    size_t unit = 0;
    while (unit < units && (double)unit * (double)unit < area) {
        unit++;
    }
    return unit;
}

bndi_region bndi_lower_part(const bndi_job *j, size_t i, size_t parts)
{
    const size_t unit = BNDI_TILE_COLUMNS_MAX, units = (j->m + unit - 1) / unit;
    const size_t bottom = bndi_smaller(first_unit(units, i + 1, parts) * unit, j->m);
    return (bndi_region){.top = bndi_smaller(first_unit(units, i, parts) * unit, j->m),
                         .bottom = bottom,
                         .right = bottom, /* what is right of it, others copy there */
                         .lower = true};
}

void bndi_mirror(const bndi_job *j, bndi_region p)
{
    for (size_t row = p.top; row < p.bottom; row += SQUARE) {
        const size_t rows = bndi_smaller(SQUARE, p.bottom - row);
        j->sum.ways->transpose(c_at(j, 0, row), (size_t)j->c_row, c_at(j, row, 0), (size_t)j->c_row, rows, row);
        for (size_t i = 0; i < rows; i++) {
            for (size_t before = 0; before < i; before++) {
                *c_at(j, row + before, row + i) = *c_at(j, row + i, row + before);
            }
        }
    }
}
