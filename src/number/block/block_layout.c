/* Checks which block formats are supported, and computes where their groups lie. */
#include "block/block.h"

/* ---- block formats ---- */

enum { FP32_PRECISION = 24, FP32_EMIN = -126, FP32_EMAX = 127, E8M0_EMIN = -127 };

static bool element_fits(const bnd_format *f)
{
    return f->precision <= FP32_PRECISION && f->emin >= FP32_EMIN && f->emax <= FP32_EMAX;
}

static bool scale_fits(const bnd_format *f)
{
    bool whole = f->width == 8 || f->width == 16 || f->width == 32;
    return whole && f->has_nan && f->precision <= FP32_PRECISION && f->emin >= E8M0_EMIN && f->emax <= FP32_EMAX;
}

static bool is_integer(const bnd_format *f)
{
    bool small = f->max_significand <= INT8_MAX && f->least_quantum <= 0 && f->least_quantum > -31;
    return f->width == 0 && f->max_quantum == f->least_quantum && small;
}

/* Do both scales of 4/6 exist? They map amax to 6 and to 4; the largest of the former is 256, of the latter 384. */
static bool takes_four_six(const bnd_block *b)
{
    const bnd_format *e = &b->element, *s = &b->scale;
    const bool six = e->precision == 2 && e->max_significand == 3 && e->max_quantum == 1;
    return b->tensor && six && s->precision >= 2 && s->emax >= 8 &&
           (s->emax > 8 || s->max_significand >> (s->precision - 2) == 3);
}

bnd_status bndi_check_rule(const bnd_block *b, bnd_error *why)
{
    if (b->rule >= BND_SCALE_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: unknown scale rule %u", b->name, (unsigned)b->rule);
    }
    if (b->rule == BND_SCALE_NEAREST && b->scale.precision == 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s: scales in %s are powers of two; their rule must be floor, ceil, even, rceil, ct or mse",
                        b->name, b->scale.name);
    }
    if (b->rule == BND_SCALE_FOUR_SIX && !takes_four_six(b)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the scale rule 4/6 is one of nvfp4", b->name);
    }
    if (bndi_gives_powers(b)) {
        return b->tensor
                   ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                              "%s: with a scale of the tensor, the scale rule must be nearest, mse or 4/6", b->name)
                   : BND_OK;
    }
    if (b->least < b->scale.least_quantum || b->least > b->scale.emax) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: 2^%d is not a scale in %s", b->name, (int)b->least,
                        b->scale.name);
    }
    return BND_OK;
}

bnd_status bndi_check_block(const bnd_block *b, bnd_error *why)
{
    const bnd_status status = bndi_check_reserved(b->reserved[0] | b->reserved[1], "bnd_block", why);
    if (status != BND_OK) {
        return status;
    }
    if (!element_fits(&b->element)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s cannot be the element of a block: fp32 must hold its values, with at most 24 bits of precision and "
            "normal numbers from 2^-126 to below 2^128",
            b->element.name);
    }
    if (!scale_fits(&b->scale)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s cannot be a scale: a scale must have 8, 16 or 32 bits and a NaN, and fp32 must hold its values",
            b->scale.name);
    }
    if (b->integer && !is_integer(&b->element)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s cannot be an integer element: it must be a value set of at most 7 bits with one exponent, "
                        "such as p7emin0emax0",
                        b->element.name);
    }
    /* limits the product of both scales and the quotient by it: see elements.c. */
    if (b->tensor && b->element.precision + b->scale.precision > 28) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s with scales in %s and one for the tensor: their precisions must add up to at most 28 bits",
                        b->element.name, b->scale.name);
    }
    if (b->sharing > BND_SHARE_TENSOR) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: unknown sharing %u", b->name, (unsigned)b->sharing);
    }
    return bndi_check_rule(b, why);
}

bnd_status bndi_check_codes(const bnd_block *b, bnd_error *why)
{
    if (b->element.width == 0 && !b->integer) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is a value set and has no codes; it can be quantized in place (bnd_fake_quantize_f32)",
                        b->element.name);
    }
    return BND_OK;
}

/* ---- sizes ---- */

/* Multiplies sizes. False if a count of bits or bytes of that many elements would be out of range. */
static bool multiply_sizes(size_t *product, size_t factor)
{
    if (factor != 0 && *product > (size_t)PTRDIFF_MAX / 64 / factor) {
        return false;
    }
    *product *= factor;
    return true;
}

static bool elements_of(size_t *count, bnd_shape shape)
{
    *count = 1;
    if (shape.outer == 0 || shape.length == 0 || shape.inner == 0) {
        *count = 0;
        return true;
    }
    return multiply_sizes(count, shape.outer) && multiply_sizes(count, shape.length) &&
           multiply_sizes(count, shape.inner);
}

static size_t at_most(size_t size, size_t all)
{
    return size == 0 || size > all ? all : size;
}

static size_t pieces(size_t all, size_t size)
{
    return all == 0 ? 0 : (all - 1) / size + 1;
}

bnd_status bndi_lay_out(bndi_layout_of_blocks *out, const bnd_block *block, bnd_shape shape, bnd_error *why)
{
    bndi_layout_of_blocks l = {.outer = shape.outer, .rows = shape.length, .columns = shape.inner};
    if (!elements_of(&l.count, shape)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of %zu x %zu x %zu elements does not fit memory",
                        shape.outer, shape.length, shape.inner);
    }
    if (l.count == 0) {
        *out = (bndi_layout_of_blocks){.down = 1, .across = 1};
        return BND_OK;
    }
    if (block->sharing == BND_SHARE_TENSOR) {
        l.outer = l.rows = 1;
        l.columns = l.count;
    }
    l.down = block->sharing == BND_SHARE_TENSOR ? 1 : at_most(block->along, l.rows);
    l.across = block->sharing == BND_SHARE_BLOCK ? 1 : at_most(block->across, l.columns);
    if (block->sharing == BND_SHARE_TENSOR) {
        l.across = l.columns;
    }
    if (l.across == l.columns) { /* groups of whole rows are runs of neighbours */
        l.columns *= l.rows;
        l.across *= l.down;
        l.rows = l.down = 1;
    }
    if (l.down == 1 && l.columns % l.across == 0) { /* all groups are whole: treat it as one long row */
        l.columns *= l.rows * l.outer;
        l.rows = l.outer = 1;
    }
    l.bands = pieces(l.rows, l.down);
    l.groups = pieces(l.columns, l.across);
    *out = l;
    return BND_OK;
}

bndi_stretch bndi_stretch_at(const bndi_layout_of_blocks *l, size_t at, size_t most)
{
    size_t row = at / l->columns, column = at % l->columns, left = l->columns - column;
    size_t band = row / l->rows * l->bands + row % l->rows / l->down;
    bndi_stretch s = {.n = most < left ? most : left, .first = column % l->across};
    s.scale = band * l->groups + column / l->across;
    s.groups = (s.first + s.n - 1) / l->across + 1;
    if (s.groups > BNDI_GROUPS) {
        s.groups = BNDI_GROUPS;
        s.n = BNDI_GROUPS * l->across - s.first;
    }
    return s;
}

size_t bnd_block_scales(const bnd_block *block, bnd_shape shape)
{
    bndi_layout_of_blocks l;
    return bndi_lay_out(&l, block, shape, NULL) == BND_OK ? l.outer * l.bands * l.groups : 0;
}

size_t bnd_block_scales_size(const bnd_block *block, bnd_shape shape)
{
    return bnd_block_scales(block, shape) * (block->scale.width / 8u);
}

size_t bnd_block_codes_size(const bnd_block *block, bnd_shape shape, bnd_packing packing)
{
    size_t count;
    if (!elements_of(&count, shape)) {
        return 0;
    }
    return block->integer ? count : bnd_codes_size(&block->element, count, packing);
}

bnd_status bnd_block_shape(bnd_shape *out, const bnd_block *block, const size_t *dimensions, size_t rank, size_t axis,
                           bnd_error *why)
{
    bool tile = block->sharing == BND_SHARE_TILE;
    if (block->sharing == BND_SHARE_TENSOR || rank == 0) {
        axis = rank; /* all dimensions are before it */
    } else if (tile && rank < 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s needs a matrix; this tensor has one dimension", block->name);
    } else if (axis >= rank) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "axis %zu is out of range for a tensor of %zu dimensions", axis,
                        rank);
    }
    axis = tile ? rank - 2 : axis;
    bnd_shape shape = {1, 1, 1};
    bool fits = true;
    for (size_t i = 0; i < rank; i++) {
        size_t *product = i < axis ? &shape.outer : i == axis ? &shape.length : &shape.inner;
        fits = multiply_sizes(product, dimensions[i]) && fits;
    }
    size_t count;
    if (!fits || !elements_of(&count, shape)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor of these dimensions does not fit memory");
    }
    if (axis == rank) {
        shape = (bnd_shape){1, shape.outer, 1};
    }
    *out = shape;
    return BND_OK;
}
