/* A quantized weight from its tensors: the block format as stored, and why it cannot be decoded. */
#include "checkpoint/weights.h"

#include <stdio.h>
#include <string.h>

enum { SENTENCE = 400 };

/* ---- the block format ---- */

/* Writes what a scale is shared by: "tensor", "row", "row:64", "tile:128x128". Returns its length; 0: the row of the
 * layout says it, as for nvfp4. */
static size_t put_sharing(char *out, size_t size, const bnd_layout *layout, const bndi_geometry *g,
                          bndi_part_shape scales)
{
    const unsigned long long rows = g->rows, columns = g->columns, group = g->group;
    if (strchr(layout->block, '/') == NULL) {
        return 0;
    }
    switch (scales) {
    case BNDI_SHAPE_SCALAR:
    case BNDI_SHAPE_ONE:
        return (size_t)snprintf(out, size, g->lead == 1 ? "tensor" : "row"); /* an expert is a row */
    case BNDI_SHAPE_ROWS:
    case BNDI_SHAPE_ROWS_1:
        return (size_t)snprintf(out, size, "row");
    case BNDI_SHAPE_GRID:
    case BNDI_SHAPE_GRID_4:
        return (size_t)snprintf(out, size, "tile:%llux%llu", rows, columns);
    default:
        return (size_t)snprintf(out, size, "row:%llu", group);
    }
}

/* The shape for calls on blocks. */
static bnd_shape shape_of(const bndi_geometry *g, bndi_part_shape scales)
{
    switch (scales) {
    case BNDI_SHAPE_SCALAR:
    case BNDI_SHAPE_ONE:
        return (bnd_shape){g->lead, g->out * g->in, 1};
    case BNDI_SHAPE_GRID:
    case BNDI_SHAPE_GRID_4:
        return (bnd_shape){g->lead, g->out, g->in};
    default:
        return (bnd_shape){g->lead * g->out, g->in, 1};
    }
}

/* "e4m3/tile:128x128:bf16": the element of the codes, the sharing, and the format of the scales if it is not fp32. */
static bool take_block(bnd_stored_weight *w, const bndi_fit *fit)
{
    char name[3 * BND_BLOCK_NAME_SIZE], sharing[64];
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    const bnd_stored_tensor *codes = fit->parts[BND_PART_CODES], *scales = fit->parts[BND_PART_SCALES];
    const bndi_part_shape kind = (bndi_part_shape)row->part[BND_PART_SCALES].shape;
    const char *block = fit->layout->block, *slash = strchr(block, '/');
    if (block[0] == '\0') {
        return true;
    }
    if (scales == NULL) { /* GGUF: scales lie among the codes */
        w->blocks = shape_of(&fit->geometry, BNDI_SHAPE_GROUPS);
        return bnd_block_parse(&w->block, block, NULL) == BND_OK;
    }
    w->blocks = shape_of(&fit->geometry, kind);
    if (put_sharing(sharing, sizeof sharing, fit->layout, &fit->geometry, kind) == 0) {
        return bnd_block_parse(&w->block, block, NULL) == BND_OK;
    }
    const bool fp32 = scales->format == NULL || bnd_format_same(scales->format, bnd_format_at(BND_FORMAT_FP32));
    snprintf(name, sizeof name, "%.*s/%s%s%s", codes->format == NULL ? (int)(slash - block) : BND_BLOCK_NAME_SIZE,
             codes->format == NULL ? block : codes->format->name, sharing, fp32 ? "" : ":",
             fp32 ? "" : scales->format->name);
    return bnd_block_parse(&w->block, name, NULL) == BND_OK;
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

/* A way to quantize that no row has, although the tensors look like those of one. */
static bool other_way(const bndi_fit *fit, const bndi_hint *hint)
{
    const char *way = hint->comfy && hint->layer != NULL ? hint->layer->algorithm : NULL;
    return way != NULL && !bndi_has_word(bndi_layout_row_of(fit->layout)->formats, way);
}

static void find_why_not(char *sentence, size_t size, const bnd_stored_weight *w, const bndi_fit *fit,
                         const bndi_hint *hint)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    sentence[0] = '\0';
    if (fit->geometry.unclear != NULL) {
        snprintf(sentence, size, "%s", fit->geometry.unclear);
        return;
    }
    if (!all_parts_fit(fit, sentence, size)) {
        return;
    }
    if ((row->flags & BNDI_LAYOUT_UNDECODED) != 0) {
        snprintf(sentence, size, "the layout %s is recognised, but not decoded", fit->layout->name);
    } else if (other_way(fit, hint)) {
        snprintf(sentence, size, "ComfyUI's note says %.40s, which is not decoded", hint->layer->algorithm);
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
