/* A quantized weight from its tensors: the block format as stored, and why it cannot be decoded. */
#include "checkpoint/weights.h"

#include <stdio.h>
#include <string.h>

enum { SENTENCE = 400 };

/* ---- the block format ---- */

/* int8/tensor, int8/row, int8/row:128: integers in units of 1. */
static bool parse_integers(bnd_block *out, const char *name)
{
    static const char prefix[] = "int8/";
    bnd_format integer;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    if (bnd_format_parse(&integer, "p7emin6emax6", NULL) != BND_OK ||
        bnd_block_scaled(out, name + sizeof prefix - 1, &integer, NULL) != BND_OK) {
        return false;
    }
    out->integer = true;
    snprintf(out->name, sizeof out->name, "%s", name);
    return true;
}

/* Sharing, and the shape for calls on blocks. */
static void take_sharing(bnd_stored_weight *w, const bndi_geometry *g, bndi_part_shape scales)
{
    bnd_block *b = &w->block;
    switch (scales) {
    case BNDI_SHAPE_SCALAR:
    case BNDI_SHAPE_ONE:
        b->sharing = g->lead == 1 ? BND_SHARE_TENSOR : BND_SHARE_BLOCK;
        b->along = b->across = 0;
        w->blocks = (bnd_shape){g->lead, g->out * g->in, 1};
        break;
    case BNDI_SHAPE_ROWS:
    case BNDI_SHAPE_ROWS_1:
        b->sharing = BND_SHARE_BLOCK;
        b->along = b->across = 0;
        w->blocks = (bnd_shape){g->lead * g->out, g->in, 1};
        break;
    case BNDI_SHAPE_GRID:
    case BNDI_SHAPE_GRID_4:
        b->sharing = BND_SHARE_TILE;
        b->along = g->rows;
        b->across = g->columns;
        w->blocks = (bnd_shape){g->lead, g->out, g->in};
        break;
    default:
        b->sharing = BND_SHARE_BLOCK;
        b->along = g->group;
        b->across = 0;
        w->blocks = (bnd_shape){g->lead * g->out, g->in, 1};
        break;
    }
}

/* The name of a block format whose tile or group is not that of the row. */
static void rename_block(bnd_block *b, const bnd_layout *layout, const bndi_geometry *g, bndi_part_shape scales)
{
    char size[48] = "";
    const char *slash = strchr(layout->block, '/');
    const char *colon = strchr(layout->block, ':');
    if (slash == NULL || colon == NULL) {
        return;
    }
    if (scales == BNDI_SHAPE_GRID || scales == BNDI_SHAPE_GRID_4) {
        snprintf(size, sizeof size, "%llux%llu", (unsigned long long)g->rows, (unsigned long long)g->columns);
    } else if (scales == BNDI_SHAPE_GROUPS) {
        snprintf(size, sizeof size, "%llu", (unsigned long long)g->group);
    }
    snprintf(b->name, sizeof b->name, "%.*s%s", (int)(colon + 1 - layout->block), layout->block, size);
}

/* A scale of another format than the row's block, and the rule that such a scale can have. */
static void take_scale_format(bnd_block *b, const bnd_stored_tensor *scales)
{
    if (scales != NULL && scales->format != NULL) {
        b->scale = *scales->format;
    }
    if (b->scale.precision == 1 && b->rule == BND_SCALE_NEAREST) {
        b->rule = BND_SCALE_RCEIL;
    }
    if (b->rule == BND_SCALE_NEAREST && b->least < b->scale.least_quantum) {
        b->least = (int16_t)b->scale.least_quantum;
    }
}

static bool take_block(bnd_stored_weight *w, const bndi_fit *fit)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    const bnd_stored_tensor *codes = fit->parts[BND_PART_CODES];
    const bndi_part_shape scales = (bndi_part_shape)row->part[BND_PART_SCALES].shape;
    if (fit->layout->block[0] == '\0') {
        return true;
    }
    if (!parse_integers(&w->block, fit->layout->block) &&
        bnd_block_parse(&w->block, fit->layout->block, NULL) != BND_OK) {
        return false;
    }
    if (row->part[BND_PART_SCALES].suffix == NULL) { /* GGUF: scales lie among the codes */
        w->blocks = (bnd_shape){fit->geometry.lead * fit->geometry.out, fit->geometry.in, 1};
        return true;
    }
    if (codes->format != NULL) {
        w->block.element = *codes->format;
    }
    take_sharing(w, &fit->geometry, scales);
    rename_block(&w->block, fit->layout, &fit->geometry, scales);
    take_scale_format(&w->block, fit->parts[BND_PART_SCALES]);
    return true;
}

/* ---- why not ---- */

static bool all_parts_fit(const bndi_fit *fit, char *sentence, size_t size)
{
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        bool harmless = fit->part[part] == BNDI_PART_RIGHT || fit->part[part] == BNDI_PART_RESHAPED ||
                        part == BND_PART_INPUT || part == BND_PART_INPUT_SECOND || part == BND_PART_NOTE;
        if (!harmless) {
            bndi_put_misfit(sentence, size, fit, part);
            return false;
        }
    }
    return true;
}

/* The scales and codes that decoding will read are there. */
static bool sizes_fit(const bnd_stored_weight *w, const bndi_fit *fit)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    const bnd_stored_tensor *scales = fit->parts[BND_PART_SCALES], *second = fit->parts[BND_PART_SECOND];
    const bndi_geometry *g = &fit->geometry;
    if (g->count > PTRDIFF_MAX / 64) {
        return false;
    }
    if (second != NULL && second->count != 1 && second->count != g->lead) {
        return false;
    }
    if (row->part[BND_PART_SCALES].suffix == NULL || (row->flags & BNDI_LAYOUT_SWIZZLED) != 0) {
        return true;
    }
    if (fit->layout->block[0] == '\0') { /* a scale and a bias per group */
        return g->bits != 0 && g->group != 0 && g->in % g->group == 0 && scales->count == g->count / g->group;
    }
    return bnd_block_scales(&w->block, w->blocks) == scales->count;
}

static void find_why_not(char *sentence, size_t size, const bnd_stored_weight *w, const bndi_fit *fit,
                         const bndi_hint *hint)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    sentence[0] = '\0';
    if (!all_parts_fit(fit, sentence, size)) {
        return;
    }
    if ((row->flags & BNDI_LAYOUT_UNDECODED) != 0) {
        snprintf(sentence, size, "the layout %s is recognised, but not decoded", fit->layout->name);
    } else if (hint->layer != NULL && hint->layer->rotated) {
        snprintf(sentence, size, "its weights were rotated before they were quantized (convrot)");
    } else if (fit->parts[BND_PART_ORDER] != NULL) {
        snprintf(sentence, size, "its columns are in the order of activations (%s)", row->part[BND_PART_ORDER].suffix);
    } else if (row->coding == BNDI_CODING_WORDS && w->block.integer && fit->parts[BND_PART_ZERO_POINTS] != NULL) {
        snprintf(sentence, size, "packed zero points are not decoded");
    } else if (!sizes_fit(w, fit)) {
        snprintf(sentence, size, "its tensors do not agree in size");
    }
}

/* ---- the weight ---- */

static double bits_per_element(const bnd_stored_weight *w)
{
    static const bnd_part stored[] = {BND_PART_CODES, BND_PART_SCALES, BND_PART_SECOND, BND_PART_ZERO_POINTS};
    double bytes = 0;
    for (size_t i = 0; i < sizeof stored / sizeof stored[0]; i++) {
        bytes += w->parts[stored[i]] == NULL ? 0 : (double)w->parts[stored[i]]->size;
    }
    return w->count == 0 ? 0 : bytes * 8 / (double)w->count;
}

bool bndi_weight_from_fit(bnd_stored_weight *out, const bndi_fit *fit, const bndi_hint *hint, bndi_arena *arena)
{
    char sentence[SENTENCE];
    const bndi_geometry *g = &fit->geometry;
    uint64_t *shape = bndi_arena_take(arena, g->rank + 1, sizeof *shape);
    if (shape == NULL) {
        return false;
    }
    *out = (bnd_stored_weight){.name = out->name, .layout = fit->layout, .tensor_scale = 1};
    memcpy(out->parts, fit->parts, sizeof out->parts);
    if (fit->sized) {
        memcpy(shape, g->shape, g->rank * sizeof *shape);
        out->rank = g->rank;
        out->shape = shape;
        out->count = g->count;
    } else { /* that of the codes */
        out->rank = fit->parts[BND_PART_CODES]->rank;
        out->shape = fit->parts[BND_PART_CODES]->shape;
        out->count = fit->parts[BND_PART_CODES]->count;
    }
    bool known = fit->sized && take_block(out, fit);
    find_why_not(sentence, sizeof sentence, out, fit, hint);
    if (sentence[0] == '\0' && !known) {
        snprintf(sentence, sizeof sentence, "its size is not known");
    }
    out->bits_per_element = bits_per_element(out);
    out->is_float = sentence[0] == '\0';
    out->why_not = out->is_float ? NULL : bndi_arena_text(arena, sentence, strlen(sentence));
    if (out->is_float) {
        out->tensor_scale = bndi_weight_second(out, 0);
    }
    return out->is_float || out->why_not != NULL;
}
