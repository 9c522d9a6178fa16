/* Loops of block_kernels.c over part of an array. */
#include "block/differences.h"
#include "block/partial_array.h"

#include "block/block.h"
#include "bulk/environment.h"
#include "bulk/threads.h"

void bnd_lab_scale_part(float *y, const float *x, size_t at, size_t n, bnd_shape shape, const bnd_block *block,
                        const void *scales, float tensor_scale, const bnd_context *context)
{
    const bndi_block_kernels *scan = bndi_block_kernels_of(context);
    const unsigned char *codes = scales;
    bndi_layout_of_blocks layout;
    double values[BNDI_GROUPS];
    bndi_surely(bndi_lay_out(&layout, block, shape, NULL));
    for (size_t done = 0; done < n;) {
        bndi_stretch s = bndi_stretch_at(&layout, at + done, n - done);
        bndi_surely(
            bnd_decode_f64(values, codes + s.scale * (block->scale.width / 8u), s.groups, &block->scale, NULL, NULL));
        for (size_t group = 0; block->tensor && group < s.groups; group++) {
            values[group] *= (double)tensor_scale;
        }
        bndi_times_scales(scan, y + done, x + done, values, block->tensor, &layout, &s);
        done += s.n;
    }
}

uint32_t bnd_lab_part_amax(const float *x, size_t n, const bnd_context *context)
{
    uint32_t amax = 0;
    if (n > 0) {
        bndi_block_kernels_of(context)->amax(&amax, x, n, n);
    }
    return amax;
}

void bnd_lab_part_times(float *y, const float *x, size_t n, float factor, const bnd_context *context)
{
    bndi_block_kernels_of(context)->multiply(y, x, &factor, n, n, 0);
}

/* ---- whole arrays ---- */

/* Item by item, where an item is a piece of an array, or a band of rows with one row of groups. */
typedef struct group_items {
    const bndi_block_kernels *scan;
    bndi_layout_of_blocks layout;
    const float *x, *second;
    float *y, factor;
    uint32_t *amax;
    double *xx, *xy;
    size_t count, shares;
    void (*work)(const struct group_items *all, size_t item);
} group_items;

static void do_group_share(void *of, size_t share, bool in_order)
{
    const group_items *all = of;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    (void)in_order;
    for (size_t i = share * all->count / all->shares; i < (share + 1) * all->count / all->shares; i++) {
        all->work(all, i);
    }
    bndi_leave(callers);
}

static void do_group_items(group_items *all, size_t elements, const bnd_context *context)
{
    enum { WORTH_THREADS = 1 << 17 };
    const size_t threads = context != NULL && elements >= WORTH_THREADS ? context->threads : 1;
    all->scan = bndi_block_kernels_of(context);
    all->shares = threads < 1 ? 1 : threads < all->count ? threads : all->count;
    bnd_lab_parallel(all->shares, BNDI_EVENLY, do_group_share, all, all->shares);
}

enum { PIECE = 2048 };

static void times_of_piece(const group_items *all, size_t item)
{
    float piece[PIECE];
    const size_t at = item * PIECE, left = all->layout.count - at, n = left < PIECE ? left : PIECE;
    float *to = all->y == all->x ? piece : all->y + at;
    all->scan->multiply(to, all->x + at, &all->factor, n, n, 0);
    if (to == piece) {
        __builtin_memcpy(all->y + at, piece, n * sizeof *piece);
    }
}

void bnd_lab_times(float *y, const float *x, size_t n, float factor, const bnd_context *context)
{
    group_items all = {.x = x, .y = y, .factor = factor, .work = times_of_piece, .count = (n + PIECE - 1) / PIECE};
    all.layout.count = n;
    do_group_items(&all, n, context);
}

/* The first element of a band, and how many rows it has. */
static size_t band_at(const bndi_layout_of_blocks *l, size_t band, size_t *height)
{
    const size_t row = band % l->bands * l->down;
    *height = l->rows - row < l->down ? l->rows - row : l->down;
    return (band / l->bands * l->rows + row) * l->columns;
}

static void amax_of_band(const group_items *all, size_t band)
{
    const bndi_layout_of_blocks *l = &all->layout;
    size_t height, at = band_at(l, band, &height);
    uint32_t *amax = all->amax + band * l->groups;
    __builtin_memset(amax, 0, l->groups * sizeof *amax);
    for (size_t row = 0; row < height; row++) {
        all->scan->amax(amax, all->x + at + row * l->columns, l->columns, l->across);
    }
}

static void products_of_band(const group_items *all, size_t band)
{
    const bndi_layout_of_blocks *l = &all->layout;
    size_t height, at = band_at(l, band, &height);
    double *xx = all->xx + band * l->groups, *xy = all->xy + band * l->groups;
    __builtin_memset(xx, 0, l->groups * sizeof *xx);
    __builtin_memset(xy, 0, l->groups * sizeof *xy);
    for (size_t row = 0; row < height; row++) {
        const size_t from = at + row * l->columns;
        all->scan->add_products(xx, xy, all->x + from, all->second + from, l->columns, l->across);
    }
}

static void do_bands(group_items *all, bnd_shape shape, const bnd_block *block, const bnd_context *context)
{
    bndi_surely(bndi_lay_out(&all->layout, block, shape, NULL));
    all->count = all->layout.outer * all->layout.bands;
    do_group_items(all, all->layout.count, context);
}

void bnd_lab_amax_of_groups(uint32_t *amax, const float *x, bnd_shape shape, const bnd_block *block,
                            const bnd_context *context)
{
    group_items all = {.x = x, .amax = amax, .work = amax_of_band};
    do_bands(&all, shape, block, context);
}

void bnd_lab_products_of_groups(double *xx, double *xy, const float *x, const float *y, bnd_shape shape,
                                const bnd_block *block, const bnd_context *context)
{
    group_items all = {.x = x, .second = y, .xx = xx, .xy = xy, .work = products_of_band};
    do_bands(&all, shape, block, context);
}

bool bnd_lab_square_differences(bndi_differences *out, const float *x, const float *y, size_t n,
                                const bnd_context *context)
{
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_difference_kernels);
    const bndi_difference_kernels *kernels = bnd_lab_row_of(context, rows);
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    const bool good = kernels->square(out, x, y, n);
    bndi_leave(callers);
    return good;
}
