/* Operands, rounded or decoded where that is needed, packed into blocks of A and panels of B for the kernels.
 *
 * For a tile of 2 rows and 4 columns and depth 3, from A (rows a, b) and B (rows p, q, r):
 *
 *   block of A     a0 a1 a2 .. | b0 b1 b2 ..          rows BNDI_PITCH apart: a step broadcasts a0 and b0, then a1, b1
 *   panel of B     p0 p1 p2 p3 | q0 q1 q2 q3 | r0 ..  rows `columns` apart: a step loads one row
 *   3 columns      p0 p1 p2 p2 | q0 q1 q2 q2 | ..     an incomplete panel repeats its last column
 *
 * A run is read along the axis in which the operand's steps are smaller; if that is the wrong one, PACKED_AT_ONCE runs
 * are read and transposed.
 *
 * Panels and blocks are computed with as they are, so decoding and rounding happen once per element and not once per
 * tile. Largest magnitudes are found here, too: per panel of B and per tile of A. */
#include "base/verify.h"
#include "matmul/gemm_job.h"

/* n numbers from (row, column) on, along a row or down a column (`along`), as fp32: codes decoded, numbers rounded to
 * the operand's format if the policy says so. */
void bndi_load_run(const bndi_job *j, const bndi_factor *x, float *out, size_t row, size_t column, bool along, size_t n)
{
    /* The first number's address, in bytes, and the distance to the next one. */
    const ptrdiff_t step = along ? x->column : x->row;
    const char *at = x->at + ((ptrdiff_t)row * x->row + (ptrdiff_t)column * x->column) * (ptrdiff_t)x->bytes;
    /* Contiguous codes are decoded where they lie; others are gathered first. */
    if (x->codes && step == 1 && !BNDI_BIG_ENDIAN) {
        j->kernels.decode[BNDI_WORDS_32](&x->plan, out, at, n);
        return;
    }
    if (x->codes) {
        uint64_t words[BNDI_TILE_DEPTH];
        bnd_lab_gather(words, at, x->bytes, 0, step, n);
        if (BNDI_BIG_ENDIAN) {
            bnd_lab_swap(words, x->bytes, n);
        }
        j->kernels.decode[BNDI_WORDS_32](&x->plan, out, words, n);
        return;
    }
    if (step == 1) {
        __builtin_memcpy(out, at, n * sizeof(float));
    } else {
        for (size_t i = 0; i < n; i++) {
            __builtin_memcpy(out + i, at + (ptrdiff_t)i * step * (ptrdiff_t)sizeof(float), sizeof(float));
        }
    }
    if (x->rounds) {
        j->kernels.round[BNDI_WORDS_32](&x->plan, out, out, NULL, n);
    }
}

/* The distance of neighbours as a magnitude: a matrix may be stored backwards, with negative steps. */
static size_t size_of_step(ptrdiff_t step)
{
    return (size_t)(step < 0 ? -step : step);
}

/* The largest magnitude of a run, only where tiles need it: those with a checked kernel, for is_safe of by_tiles.c. */
static uint32_t largest_magnitude_of(const bndi_job *j, const float *x, size_t n)
{
    const bool asked = j->sum.way != NULL && j->sum.way->checked != NULL;
    return asked ? j->sum.ways->largest_magnitude(x, n) : 0;
}

/* `columns` is a constant where it is called: a copy of a known length is a few instructions, not a call. Rows lie too
 * far apart for the processor to fetch the next one by itself. With 16 columns a row is one line of memory:
 *
 *   prefetch the row that is 8 rows ahead; two loads and two stores of AVX2 */
static inline void copy_rows(float *panel, const char *from, ptrdiff_t step, size_t depth, size_t columns,
                             size_t panels)
{
    enum { AHEAD = 16, LINE = 64 }; /* of memory: bytes */
    /* Of all panels. */
    const size_t bytes = panels * columns * sizeof(float);
    for (size_t at = 0; at < depth; at++, from += step) {
        for (size_t i = 0; i < bytes && at + AHEAD < depth; i += LINE) {
            __builtin_prefetch(from + AHEAD * step + i);
        }
        for (size_t i = 0; i < panels; i++) {
            __builtin_memcpy(panel + (i * depth + at) * columns, from + i * columns * sizeof(float),
                             columns * sizeof(float));
        }
    }
}

/* The commonest case: rows of B are contiguous; 32 columns (AVX-512), 16 (AVX2) and 8. `panels`: how many panels are
 * stored one after the other. Each row of B is read once for all of them. */
static void copy_panels(const bndi_job *j, float *panel, size_t k, size_t depth, size_t column, size_t columns,
                        size_t panels)
{
    const char *from = j->b.at + ((ptrdiff_t)k * j->b.row + (ptrdiff_t)column) * (ptrdiff_t)sizeof(float);
    const ptrdiff_t step = j->b.row * (ptrdiff_t)sizeof(float);
    switch (columns) {
    case 32:
        copy_rows(panel, from, step, depth, 32, panels);
        break;
    case 16:
        copy_rows(panel, from, step, depth, 16, panels);
        break;
    case 8:
        copy_rows(panel, from, step, depth, 8, panels);
        break;
    default:
        copy_rows(panel, from, step, depth, columns, panels);
        break;
    }
    if (j->b.rounds) {
        j->kernels.round[BNDI_WORDS_32](&j->b.plan, panel, panel, NULL, depth * columns * panels);
    }
}

/* A panel of B: `depth` rows from k on, n of `columns` columns. Transposed, run r becomes column r. For the panel of
 * the picture, B by columns, two runs at once:
 *
 *   runs[0]              p0 q0 r0          column 0 of B, contiguous
 *   runs[1]              p1 q1 r1
 *   panel, pitch 4       p0 p1 . . | q0 q1 . . | r0 r1 . .      columns 2 and 3 come from the next two runs */
void bndi_pack_panel(const bndi_job *j, bndi_buffers *w, size_t k, size_t depth, size_t column, size_t n,
                     size_t columns)
{
    float *panel = w->panels;
    BNDI_VERIFY(depth * columns <= w->panel_floats && n <= columns && columns <= BNDI_TILE_COLUMNS_MAX);
    if (n == columns && !j->b.codes && j->b.column == 1) {
        copy_panels(j, panel, k, depth, column, columns, 1);
        w->largest_b = largest_magnitude_of(j, panel, depth * columns);
        return;
    }
    /* Rows of B are contiguous: one run per step of k. Otherwise columns are, which are read PACKED_AT_ONCE at a time
     * and transposed. */
    if (size_of_step(j->b.column) <= size_of_step(j->b.row)) {
        for (size_t at = 0; at < depth; at++) {
            bndi_load_run(j, &j->b, panel + at * columns, k + at, column, true, n);
        }
    } else {
        for (size_t i = 0; i < n; i += PACKED_AT_ONCE) {
            const size_t some = bndi_smaller(PACKED_AT_ONCE, n - i);
            if (lies_ready(&j->b) && j->b.row == 1 && j->b.column > 0) {
                j->sum.ways->transpose(panel + i, columns, factor_at(&j->b, k, column + i), (size_t)j->b.column, some,
                                       depth);
                continue;
            }
            BNDI_VERIFY(depth <= BNDI_TILE_DEPTH);
            for (size_t r = 0; r < some; r++) {
                bndi_load_run(j, &j->b, w->runs[r], k, column + i + r, false, depth);
            }
            j->sum.ways->transpose(panel + i, columns, w->runs[0], BNDI_TILE_DEPTH, some, depth);
        }
    }
    /* The columns that C does not have repeat the last one. A zero would do for the sums, but 0 times an infinity of A
     * is NaN; a repeated column gives the results of the last one again. */
    for (size_t at = 0; at < depth && n < columns; at++) {
        for (size_t i = n; i < columns; i++) {
            panel[at * columns + i] = panel[at * columns + n - 1];
        }
    }
    w->largest_b = largest_magnitude_of(j, panel, depth * columns);
}

/* The panels from `column` on, of which `left` columns are left: as many as there is room for where rows of B are
 * copied, otherwise one. Returns their number. With 16 columns, depth 256, 40 columns left, room for 16384 floats:
 *
 *   room      16384 / (16 * 256) = 4 panels
 *   whole     40 / 16 = 2 panels, which are packed; the call for the last 8 columns packs one */
size_t bndi_pack_panels(const bndi_job *j, bndi_buffers *w, size_t k, size_t depth, size_t column, size_t left,
                        size_t columns)
{
    const size_t room = w->panel_floats / (columns * (depth > 0 ? depth : 1)), whole = left / columns;
    const size_t panels = bndi_smaller(room, whole);
    if (panels < 2 || j->b.codes || j->b.column != 1) {
        bndi_pack_panel(j, w, k, depth, column, bndi_smaller(left, columns), columns);
        return 1;
    }
    BNDI_VERIFY(panels * depth * columns <= w->panel_floats);
    copy_panels(j, w->panels, k, depth, column, columns, panels);
    return panels;
}

/* A block of A: `rows` rows and `depth` columns; rows up to a whole tile repeat the last one. Also the largest
 * magnitude per tile. 23 rows with tiles of 4: `filled` is 24, row 23 repeats row 22, and largest[0 .. 5] belong to the
 * six tiles. */
void bndi_pack_block(const bndi_job *j, bndi_buffers *w, const bndi_way *way, size_t row, size_t rows, size_t k,
                     size_t depth)
{
    const size_t filled = (rows + way->rows - 1) / way->rows * way->rows;
    BNDI_VERIFY(depth <= BNDI_TILE_DEPTH && filled <= BLOCK_ROWS);
    /* Rows of A are contiguous; otherwise columns are read and transposed. */
    if (size_of_step(j->a.column) <= size_of_step(j->a.row)) {
        for (size_t i = 0; i < rows; i++) {
            bndi_load_run(j, &j->a, row_of_block(w, i), row + i, k, true, depth);
        }
    } else {
        for (size_t at = 0; at < depth; at += PACKED_AT_ONCE) {
            const size_t some = bndi_smaller(PACKED_AT_ONCE, depth - at);
            for (size_t r = 0; r < some; r++) {
                bndi_load_run(j, &j->a, w->runs[r], row, k + at + r, false, rows); /* at most BLOCK_ROWS */
            }
            j->sum.ways->transpose(row_of_block(w, 0) + at, BNDI_PITCH, w->runs[0], BNDI_TILE_DEPTH, some, rows);
        }
    }
    /* The rows that C does not have repeat the last one. */
    for (size_t i = rows; i < filled; i++) {
        __builtin_memcpy(row_of_block(w, i), row_of_block(w, rows - 1), depth * sizeof(float));
    }
    for (size_t i = 0; i < filled; i++) {
        uint32_t u = largest_magnitude_of(j, row_of_block(w, i), depth), *largest = &w->largest[i / way->rows];
        *largest = i % way->rows == 0 || u > *largest ? u : *largest;
    }
}
