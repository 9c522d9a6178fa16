/* How tensors fit a row: the geometry of the weight from its codes, and the shape that each part then should have. */
#include "checkpoint/fit.h"

#include <stdio.h>
#include <string.h>

/* ---- sizes ---- */

static uint64_t rounded_up(uint64_t n, uint64_t size)
{
    return size == 0 ? 0 : n / size + (n % size != 0);
}

static bool multiply(uint64_t *product, uint64_t factor)
{
    return !__builtin_mul_overflow(*product, factor, product);
}

/* The products of the dimensions. False if one overflows. */
static bool measure(bndi_geometry *g)
{
    const size_t lead = g->rank < 2 ? 0 : g->rank - 2;
    bool fits = true;
    g->lead = g->count = 1;
    g->out = g->rank < 2 ? 1 : g->shape[g->rank - 2];
    g->in = g->rank < 1 ? 1 : g->shape[g->rank - 1];
    for (size_t i = 0; i < g->rank; i++) {
        fits = (i >= lead || multiply(&g->lead, g->shape[i])) && multiply(&g->count, g->shape[i]) && fits;
    }
    return fits;
}

/* ---- the weight from its codes ---- */

static uint64_t word_at(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << 8 * i;
    }
    return word;
}

uint8_t bndi_bits_of_words(uint64_t columns, uint64_t words)
{
    static const uint8_t likely[] = {4, 8, 2, 3, 5, 6, 7, 1};
    for (size_t i = 0; i < sizeof likely && columns <= UINT64_MAX / 8; i++) {
        if (rounded_up(columns * likely[i], 32) == words) {
            return likely[i];
        }
    }
    return 0;
}

/* Rows and columns from the tensor that holds them. */
static bool take_stored_shape(bndi_geometry *g, const bnd_stored_tensor *codes, const bnd_stored_tensor *shape)
{
    const size_t size = shape->bits / 8u;
    if (shape->kind != BND_STORED_INTEGER || shape->count != 2 || g->rank < 2 || (size != 4 && size != 8)) {
        return false;
    }
    const uint64_t rows = word_at(shape->data, size), columns = word_at(shape->data + size, size);
    g->bits = bndi_bits_of_words(columns, codes->shape[codes->rank - 1]);
    g->shape[g->rank - 1] = columns;
    return g->bits != 0 && rows == g->shape[g->rank - 2];
}

static bool take_geometry(bndi_geometry *g, const bnd_layout *layout, const bndi_layout_row *row,
                          const bnd_stored_tensor *const parts[BND_PART_COUNT],
                          const bndi_quantizations *configurations)
{
    const bnd_stored_tensor *codes = parts[BND_PART_CODES];
    bool known = codes->rank <= BND_SAFETENSORS_RANK_MAX;
    *g = (bndi_geometry){.rank = known ? codes->rank : 0};
    memcpy(g->shape, codes->shape, g->rank * sizeof *g->shape);
    uint64_t *last = g->rank == 0 ? NULL : &g->shape[g->rank - 1];
    switch (row->part[BND_PART_CODES].shape) {
    case BNDI_SHAPE_HALF:
        known = known && last != NULL && multiply(last, 2);
        break;
    case BNDI_SHAPE_BLOCKS:
        known = known && g->rank >= 2 && *last == 16 && multiply(last - 1, 32);
        g->rank -= known;
        break;
    case BNDI_SHAPE_WORDS:
        if (row->part[BND_PART_SHAPE].suffix != NULL) {
            known = known && parts[BND_PART_SHAPE] != NULL && take_stored_shape(g, codes, parts[BND_PART_SHAPE]);
        } else {
            g->bits = strcmp(layout->block, "mxfp8") == 0 ? 8 : 4;
            if (layout->block[0] == '\0') {
                bndi_size_mlx(g, codes, parts[BND_PART_SCALES], configurations);
            }
            known = known && last != NULL && multiply(last, 32);
            if (known) {
                *last /= g->bits;
            }
        }
        break;
    default:
        break;
    }
    return known && measure(g);
}

/* ---- tiles and groups ---- */

static bool tiles_match(const bndi_geometry *g, const bnd_stored_tensor *scales, uint64_t rows, uint64_t columns)
{
    const uint64_t down = rounded_up(g->out, rows), across = rounded_up(g->in, columns);
    const size_t rank = scales->rank;
    if (rank >= 4 && scales->shape[rank - 1] == 1 && scales->shape[rank - 3] == 1) {
        return scales->shape[rank - 4] == down && scales->shape[rank - 2] == across;
    }
    return rank >= 2 && scales->shape[rank - 2] == down && scales->shape[rank - 1] == across;
}

/* The tile of a configuration, or else the square of a usual size that gives the scales' shape, or else 128 x 128.
 * Other tiles are not guessed: the scales may be transposed. */
static void take_tile(bndi_geometry *g, const bnd_stored_tensor *scales, const bndi_quantizations *configurations)
{
    static const uint16_t usual[] = {128, 64, 32, 256, 512};
    bool said = false;
    g->rows = g->columns = 128;
    for (size_t i = configurations == NULL ? 0 : configurations->count; i-- > 0;) {
        const bndi_quantization *q = &configurations->rows[i];
        for (size_t k = 0; k <= q->group_count; k++) {
            const int64_t *pair = k == q->group_count ? q->weight_block : q->groups[k].weights.block;
            if (pair[0] > 0) {
                g->rows = (uint64_t)pair[0];
                g->columns = (uint64_t)pair[1];
                said = true;
            }
            if (pair[0] > 0 && scales != NULL && tiles_match(g, scales, g->rows, g->columns)) {
                return;
            }
        }
    }
    for (size_t i = 0; !said && scales != NULL && i < sizeof usual / sizeof usual[0]; i++) {
        if (tiles_match(g, scales, usual[i], usual[i])) {
            g->rows = g->columns = usual[i];
            g->guessed = i > 0;
            return;
        }
    }
}

/* Elements of a group: those of the geometry or the block format, or of the shape of the scales. */
static void take_group(bndi_geometry *g, const bnd_layout *layout, const bnd_stored_tensor *scales)
{
    static const struct {
        const char *block;
        uint8_t group;
    } fixed[] = {{"nvfp4", 16}, {"mxfp4", 32}, {"mxfp8", 32}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (strcmp(layout->block, fixed[i].block) == 0) {
            g->group = fixed[i].group;
            return;
        }
    }
    if (g->group != 0) {
        return;
    }
    const uint64_t groups = scales == NULL || scales->rank == 0 ? 0 : scales->shape[scales->rank - 1];
    g->group = groups > 0 && g->in % groups == 0 && g->in / groups > 1 ? g->in / groups : 128;
    g->guessed = true;
}

/* ---- the shapes of parts ---- */

static uint64_t padded(uint64_t n, uint64_t size)
{
    return n > UINT64_MAX - size ? n : rounded_up(n, size) * size;
}

size_t bndi_expected_shape(uint64_t out[BND_SAFETENSORS_RANK_MAX + 2], const bndi_fit *fit, bnd_part part)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    const bndi_geometry *g = &fit->geometry;
    const bndi_part_shape kind = (bndi_part_shape)row->part[part].shape;
    size_t rank = g->rank < 2 ? 0 : g->rank - 2;
    if (kind == BNDI_SHAPE_ANY || !fit->sized) {
        return BNDI_NO_SHAPE;
    }
    memcpy(out, g->shape, rank * sizeof *out);
    switch (kind) {
    case BNDI_SHAPE_WEIGHT:
        memcpy(out, g->shape, g->rank * sizeof *out);
        return g->rank;
    case BNDI_SHAPE_HALF:
    case BNDI_SHAPE_WORDS:
        memcpy(out, g->shape, g->rank * sizeof *out);
        out[g->rank - 1] = kind == BNDI_SHAPE_HALF ? g->in / 2 : rounded_up(g->in * g->bits, 32);
        return g->rank;
    case BNDI_SHAPE_BLOCKS:
        memcpy(out, g->shape, g->rank * sizeof *out);
        out[g->rank - 1] = g->in / 32;
        out[g->rank] = 16;
        return g->rank + 1;
    case BNDI_SHAPE_SCALAR:
        return rank;
    case BNDI_SHAPE_ONE:
        out[rank++] = 1;
        return rank;
    case BNDI_SHAPE_ROWS:
        out[rank++] = g->out;
        return rank;
    case BNDI_SHAPE_ROWS_1:
        out[rank++] = g->out;
        out[rank++] = 1;
        return rank;
    case BNDI_SHAPE_GRID:
        out[rank++] = rounded_up(g->out, g->rows);
        out[rank++] = rounded_up(g->in, g->columns);
        return rank;
    case BNDI_SHAPE_GRID_4:
        out[rank++] = rounded_up(g->out, g->rows);
        out[rank++] = 1;
        out[rank++] = rounded_up(g->in, g->columns);
        out[rank++] = 1;
        return rank;
    case BNDI_SHAPE_GROUPS:
        out[rank++] = g->out;
        out[rank++] = rounded_up(g->in, g->group);
        return rank;
    case BNDI_SHAPE_SWIZZLED:
        out[rank++] = padded(g->out, 128);
        out[rank++] = padded(rounded_up(g->in, g->group), 4);
        return rank;
    case BNDI_SHAPE_PAIR:
        out[0] = 2;
        return 1;
    case BNDI_SHAPE_COLUMNS:
        out[0] = g->in;
        return 1;
    default:
        return BNDI_NO_SHAPE;
    }
}

/* The same dimensions but for those that are 1. */
static bool same_numbers(const uint64_t *a, size_t a_rank, const uint64_t *b, size_t b_rank)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a_rank && a[i] == 1) {
            i++;
        }
        while (k < b_rank && b[k] == 1) {
            k++;
        }
        if (i == a_rank || k == b_rank) {
            return i == a_rank && k == b_rank;
        }
        if (a[i] != b[k]) {
            return false;
        }
    }
}

static bndi_part_fit fit_part(const bndi_fit *fit, const bndi_part_rule *rule, bnd_part part)
{
    const bnd_stored_tensor *tensor = fit->parts[part];
    uint64_t shape[BND_SAFETENSORS_RANK_MAX + 2];
    if (rule->suffix == NULL || tensor == NULL) {
        return rule->suffix == NULL || rule->optional ? BNDI_PART_RIGHT : BNDI_PART_MISSING;
    }
    if (!bndi_has_word(rule->dtypes, tensor->dtype)) {
        return BNDI_PART_DTYPE;
    }
    if (rule->shape == BNDI_SHAPE_ANY) {
        return BNDI_PART_RIGHT;
    }
    if (!fit->sized) {
        return BNDI_PART_SHAPE;
    }
    const size_t rank = bndi_expected_shape(shape, fit, part);
    if (rank == tensor->rank && memcmp(shape, tensor->shape, rank * sizeof *shape) == 0) {
        return BNDI_PART_RIGHT;
    }
    return same_numbers(shape, rank, tensor->shape, tensor->rank) ? BNDI_PART_RESHAPED : BNDI_PART_SHAPE;
}

void bndi_fit_row(bndi_fit *out, const bnd_layout *layout, const bnd_stored_tensor *const parts[BND_PART_COUNT],
                  const bndi_quantizations *configurations)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    out->layout = layout;
    memcpy(out->parts, parts, sizeof out->parts);
    out->sized = take_geometry(&out->geometry, layout, row, parts, configurations);
    if (out->sized) {
        take_tile(&out->geometry, parts[BND_PART_SCALES], configurations);
        out->geometry.guessed = out->geometry.guessed && (row->part[BND_PART_SCALES].shape == BNDI_SHAPE_GRID ||
                                                          row->part[BND_PART_SCALES].shape == BNDI_SHAPE_GRID_4);
        if (row->part[BND_PART_SCALES].shape == BNDI_SHAPE_GROUPS ||
            row->part[BND_PART_SCALES].shape == BNDI_SHAPE_SWIZZLED) {
            take_group(&out->geometry, layout, parts[BND_PART_SCALES]);
        }
    }
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        out->part[part] = (uint8_t)fit_part(out, &row->part[part], part);
    }
    out->sized = out->sized && out->geometry.unclear == NULL; /* the parts agree with it all the same */
}

void bndi_fit_weight(bndi_fit *out, const bnd_layout *layout, const bnd_checkpoint *checkpoint,
                     const bnd_stored_weight *weight, const bndi_quantizations *configurations)
{
    enum { NAME_MOST = 1024 };
    char name[NAME_MOST];
    const bnd_stored_tensor *parts[BND_PART_COUNT] = {NULL};
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        const size_t length = bndi_part_name(name, sizeof name, layout, weight->name, part);
        if (length > 0 && length < sizeof name) {
            parts[part] = bnd_checkpoint_find(checkpoint, name);
        }
    }
    if (parts[BND_PART_CODES] == NULL) {
        parts[BND_PART_CODES] = weight->parts[BND_PART_CODES];
    }
    bndi_fit_row(out, layout, parts, configurations);
}

/* ---- for people ---- */

size_t bndi_put_shape(char *out, size_t size, const uint64_t *shape, size_t rank)
{
    size_t length = 0;
    for (size_t i = 0; i < rank; i++) {
        const int more = snprintf(length < size ? out + length : NULL, length < size ? size - length : 0, "%s%llu",
                                  i == 0 ? "[" : ", ", (unsigned long long)shape[i]);
        length += more < 0 ? 0 : (size_t)more;
    }
    const int more =
        snprintf(length < size ? out + length : NULL, length < size ? size - length : 0, "%s", rank == 0 ? "()" : "]");
    return length + (more < 0 ? 0 : (size_t)more);
}

size_t bndi_put_misfit(char *out, size_t size, const bndi_fit *fit, bnd_part part)
{
    enum { SHAPE_TEXT = 200 };
    const bndi_part_rule *rule = &bndi_layout_row_of(fit->layout)->part[part];
    const bnd_stored_tensor *tensor = fit->parts[part];
    uint64_t shape[BND_SAFETENSORS_RANK_MAX + 2];
    char is[SHAPE_TEXT], should[SHAPE_TEXT];
    int length = 0;
    switch ((bndi_part_fit)fit->part[part]) {
    case BNDI_PART_MISSING:
        length = snprintf(out, size, "%s is missing", rule->suffix);
        break;
    case BNDI_PART_DTYPE:
        length = snprintf(out, size, "%s has the dtype %s; expected %s", rule->suffix, tensor->dtype, rule->dtypes);
        break;
    case BNDI_PART_RESHAPED:
    case BNDI_PART_SHAPE: {
        const size_t rank = bndi_expected_shape(shape, fit, part);
        bndi_put_shape(is, sizeof is, tensor->shape, tensor->rank);
        if (rank == BNDI_NO_SHAPE) {
            snprintf(should, sizeof should, "%s", bndi_part_shape_name((bndi_part_shape)rule->shape));
        } else {
            bndi_put_shape(should, sizeof should, shape, rank);
        }
        length = snprintf(out, size, "%s has the shape %s; expected %s", rule->suffix, is, should);
        break;
    }
    default:
        length = snprintf(out, size, "%s", "");
        break;
    }
    return length < 0 ? 0 : (size_t)length;
}
