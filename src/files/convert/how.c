/* Options of `quantize` with every default filled in: which layout, which block format, which rule. */
#include "convert/how.h"

#include "format/format.h"

#include <stdio.h>
#include <string.h>

static const bndi_written rows[] = {
#define WRITES(layout, dynamic, weights, with_inputs, rule, scales)                                                    \
    {layout, dynamic, weights, with_inputs, rule, scales},
#include "convert/writes.def"
#undef WRITES
};

enum { ROWS = sizeof rows / sizeof *rows, NAMES = 200 };

const bndi_written *bndi_written_row(const bnd_layout *layout)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].layout, layout->name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

const char *bndi_written_word(const bndi_written *row, bool with_inputs)
{
    return with_inputs ? row->with_inputs : row->dynamic[0] != '\0' ? row->dynamic : row->weights;
}

/* ---- what is available ---- */

static void add_word(char *list, size_t size, const char *word)
{
    size_t length = strlen(list);
    if (strstr(list, word) == NULL && length + strlen(word) + 3 < size) {
        snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", word);
    }
}

static void list_families(char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        add_word(out, size, bnd_layout_family_name(bnd_layout_find(rows[i].layout)->family));
    }
    add_word(out, size, "fp8-block");
}

static void list_blocks(char *out, size_t size, bnd_layout_family family)
{
    out[0] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        const bnd_layout *layout = bnd_layout_find(rows[i].layout);
        if (layout->family == family) {
            add_word(out, size, layout->block);
        }
    }
}

/* ---- the layout ---- */

/* Can a row of this block format hold the wanted one? Tiles of other sizes fit where the config names the size. */
static bool holds(const bnd_layout *layout, const bnd_block *wanted)
{
    bnd_block has;
    if (bnd_block_parse(&has, layout->block, NULL) != BND_OK) {
        return false;
    }
    bool same = has.along == wanted->along && has.across == wanted->across;
    bool sized = wanted->sharing == BND_SHARE_TILE && wanted->along > 0 && wanted->across > 0 &&
                 layout->family != BND_LAYOUT_MODELOPT;
    return bnd_format_same(&has.element, &wanted->element) && has.sharing == wanted->sharing &&
           has.tensor == wanted->tensor && has.integer == wanted->integer &&
           bnd_format_same(&has.scale, &wanted->scale) && (same || sized);
}

static bnd_status find_family(bnd_layout_family *out, const char *name, bnd_error *why)
{
    char list[NAMES];
    bnd_layout_family family = strcmp(name, "fp8-block") == 0 ? BND_LAYOUT_FP8 : bnd_layout_family_of(name);
    for (size_t i = 0; i < ROWS && family != BND_LAYOUT_FAMILIES; i++) {
        if (bnd_layout_find(rows[i].layout)->family == family) {
            *out = family;
            return BND_OK;
        }
    }
    list_families(list, sizeof list);
    return family == BND_LAYOUT_FAMILIES
               ? bnd_fail(why, BND_BAD_NAME, 0, "unknown layout '%s' (available: %s)", name, list)
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "layout %s can be read, but not written (available: %s)", name,
                          list);
}

/* ModelOpt has FP8 with a scale per tensor, and its loaders need the static scale of the input, too. */
static bnd_status refuse_format(bnd_layout_family family, const bnd_block *wanted, bnd_error *why)
{
    char list[NAMES];
    const char *name = bnd_layout_family_name(family);
    list_blocks(list, sizeof list, family);
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        const bnd_layout *layout = bnd_layout_at(i);
        if (layout->family == family && layout->suffix[BND_PART_INPUT] != NULL && holds(layout, wanted)) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s with %s needs static input scales, which weights alone do not tell (available: %s)",
                            name, wanted->name, list);
        }
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has no layout for %s (available: %s)", name, wanted->name, list);
}

static bnd_status find_layout(bndi_how *out, bnd_layout_family family, bnd_error *why)
{
    for (size_t i = 0; i < ROWS; i++) {
        const bnd_layout *layout = bnd_layout_find(rows[i].layout);
        if (layout->family == family && holds(layout, &out->block)) {
            out->layout = layout;
            out->written = &rows[i];
            return BND_OK;
        }
    }
    return refuse_format(family, &out->block, why);
}

/* ---- the block format ---- */

/* Scales that fit an element: those of the first row of the family that has this element. */
static const char *default_scale(bnd_layout_family family, const char *to)
{
    size_t length = strlen(to);
    for (size_t i = 0; i < ROWS; i++) {
        const bnd_layout *layout = bnd_layout_find(rows[i].layout);
        if (layout->family == family && strncmp(layout->block, to, length) == 0 && layout->block[length] == '/') {
            return layout->block + length + 1;
        }
    }
    return "row";
}

static bnd_status find_block(bndi_how *out, const bnd_quantize *asked, bnd_layout_family family, bnd_error *why)
{
    char text[BND_BLOCK_NAME_SIZE];
    bnd_format format;
    const char *to = asked->to, *scale = asked->scale;
    bool is_format = bnd_format_parse(&format, to, NULL) == BND_OK;
    bool whole = !is_format && bnd_block_parse(&out->block, to, NULL) == BND_OK;
    if (whole && scale == NULL) {
        return BND_OK;
    }
    if (whole) {
        bnd_block with;
        bnd_status status = bnd_block_scaled(&with, scale, &out->block.element, why);
        if (status != BND_OK) {
            return status;
        }
        bool same = with.sharing == out->block.sharing && with.along == out->block.along &&
                    with.across == out->block.across && bnd_format_same(&with.scale, &out->block.scale);
        return same ? BND_OK
                    : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has scales of its own and cannot be used with scale %s",
                               to, scale);
    }
    if (!is_format && bnd_lab_is_block_name(to, strlen(to))) {
        return bnd_block_parse(&out->block, to, why);
    }
    if (scale == NULL) {
        bool tiles = asked->layout != NULL && strcmp(asked->layout, "fp8-block") == 0;
        scale = tiles ? "tile:128x128" : default_scale(family, to);
    }
    int length = snprintf(text, sizeof text, "%s/%s", to, scale);
    if (length < 0 || (size_t)length >= sizeof text) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown format '%s' with scale '%s'", to, scale);
    }
    return bnd_block_parse(&out->block, text, why);
}

static bool is_wide(const bnd_format *f)
{
    return f->width >= 16;
}

/* ModelOpt and compressed-tensors round the scales of NVFP4 to any number of e4m3 above 0, subnormal ones included. */
static void allow_subnormal_scales(bnd_block *block)
{
    block->least = block->tensor ? -9 : block->least;
}

static bnd_status settle_rule(bndi_how *out, const bnd_quantize *asked, bnd_error *why)
{
    const char *rule = asked->rule != NULL ? asked->rule : out->written->rule;
    bnd_status status = bnd_scale_rule_parse(&out->block, strcmp(rule, "amax") == 0 ? "nearest" : rule, why);
    if (status == BND_OK && out->block.rule == BND_SCALE_MSE && out->block.sharing == BND_SHARE_TENSOR) {
        /* the scale of a whole tensor is found from its largest magnitude alone */
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "rule mse cannot be used with one scale per tensor; try rows or tiles");
    }
    if (status == BND_OK) {
        const char *name = bnd_scale_rule_name((bnd_scale_rule)out->block.rule);
        out->rule = strcmp(name, "nearest") == 0 ? "amax" : name;
    }
    return status;
}

/* fp16 has no normal numbers below 2^-14: its scales may be subnormal, as those of the tools are. */
void bndi_set_scale_format(bnd_block *block, const bnd_format *format)
{
    bool half = bnd_format_same(format, bnd_format_at(BND_FORMAT_FP16));
    block->scale = *format;
    block->least = half ? -24 : block->least;
}

static bnd_status settle_scale_format(bndi_how *out, const bnd_quantize *asked, bnd_error *why)
{
    const char *name = asked->scale_format != NULL ? asked->scale_format : out->written->scales;
    if (!is_wide(&out->block.scale)) {
        return asked->scale_format == NULL
                   ? BND_OK
                   : bnd_fail(why, BND_BAD_ARGUMENT, 0, "the scales of %s are %s; no other format can be chosen",
                              out->block.name, out->block.scale.name);
    }
    bnd_format f;
    out->scales_as_weight = strcmp(name, "weight") == 0;
    if (out->scales_as_weight) {
        return BND_OK;
    }
    bnd_status status = bnd_format_parse(&f, name, why);
    bool known = status == BND_OK && (bnd_format_same(&f, bnd_format_at(BND_FORMAT_FP32)) ||
                                      bnd_format_same(&f, bnd_format_at(BND_FORMAT_BF16)) ||
                                      bnd_format_same(&f, bnd_format_at(BND_FORMAT_FP16)));
    if (status == BND_OK && !known) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "scales must be fp32, bf16 or fp16, not %s", name);
    }
    if (status == BND_OK && out->layout->family != BND_LAYOUT_COMPRESSED_TENSORS && strcmp(f.name, "fp32") != 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the scales of %s must be fp32, not %s", out->layout->name, f.name);
    }
    if (status == BND_OK) {
        bndi_set_scale_format(&out->block, &f);
    }
    return status;
}

/* ---- activations ---- */

const bnd_stored_tensor *bndi_input_of(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *factor = weight->parts[BND_PART_INPUT], *divisor = weight->parts[BND_PART_INPUT_SECOND];
    return weight->layout == NULL ? NULL : factor != NULL ? factor : divisor;
}

bndi_inputs bndi_inputs_kind(const bnd_layout *layout, const bnd_block *block)
{
    bool input = layout->suffix[BND_PART_INPUT] != NULL, second = layout->suffix[BND_PART_INPUT_SECOND] != NULL;
    bool wide = block->sharing == BND_SHARE_TENSOR || (block->sharing == BND_SHARE_BLOCK && block->along == 0);
    if (block->tensor) {
        return input || second ? BNDI_INPUTS_NVFP4 : BNDI_INPUTS_NONE;
    }
    bool fp8 = !block->integer && wide && bnd_format_same(&block->element, bnd_format_at(BND_FORMAT_E4M3));
    return input && fp8 ? BNDI_INPUTS_E4M3 : BNDI_INPUTS_NONE;
}

static bnd_status refuse_activations(const bndi_how *how, const char *word, bnd_error *why)
{
    const bndi_written *row = how->written;
    bool some = row->dynamic[0] != '\0' || row->weights[0] != '\0';
    if (!some) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s with %s needs static input scales, which weights alone do not tell; not every weight of the "
            "input has one",
            bnd_layout_family_name(how->layout->family), how->block.name);
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is not available with activations %s (try %s)", row->layout, word,
                    row->dynamic[0] != '\0' && strcmp(word, "dynamic") != 0 ? "dynamic" : "none");
}

bnd_status bndi_settle_activations(bndi_how *out, const char *asked, bndi_inputs inputs, bnd_error *why)
{
    const bndi_written *row = out->written;
    bool wide = out->block.element.width == 8 || out->block.integer;
    const char *word = asked != NULL ? asked : wide && row->dynamic[0] != '\0' ? "dynamic" : "none";
    bndi_inputs kind = row->with_inputs[0] != '\0' ? bndi_inputs_kind(out->layout, &out->block) : BNDI_INPUTS_NONE;
    bool can = (kind & inputs) != 0, must = asked != NULL && strcmp(asked, "static") == 0;
    if (asked == NULL && row->weights[0] == '\0') {
        word = "dynamic";
    }
    out->with_inputs = can && (asked == NULL || must);
    out->dynamic = !out->with_inputs && strcmp(word, "dynamic") == 0;
    if (must && !can) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        kind == BNDI_INPUTS_NONE
                            ? "%s has no static input scales of %s; try dynamic or none"
                            : "%s: the input has no static input scales of %s; try dynamic or none",
                        out->layout->name, out->block.name);
    }
    if (!must && !out->dynamic && !out->with_inputs && strcmp(word, "none") != 0) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown activations '%s' (available: none, dynamic, static)", word);
    }
    out->word = out->with_inputs ? row->with_inputs : out->dynamic ? row->dynamic : row->weights;
    return out->word[0] != '\0' ? BND_OK : refuse_activations(out, word, why);
}

static bnd_status settle_quantized(bndi_how *out, const bnd_quantize *asked, bndi_inputs inputs, bnd_error *why)
{
    bnd_layout_family family = BND_LAYOUT_COMPRESSED_TENSORS;
    bnd_status status = asked->layout != NULL ? find_family(&family, asked->layout, why) : BND_OK;
    status = status == BND_OK ? find_block(out, asked, family, why) : status;
    status = status == BND_OK ? find_layout(out, family, why) : status;
    status = status == BND_OK ? settle_rule(out, asked, why) : status;
    status = status == BND_OK ? settle_scale_format(out, asked, why) : status;
    status = status == BND_OK ? bndi_settle_activations(out, asked->activations, inputs, why) : status;
    if (status == BND_OK) {
        allow_subnormal_scales(&out->block);
        bool alone = family == BND_LAYOUT_COMFYUI; /* it runs each layer by itself */
        out->shares = !asked->unfused && !alone && (out->block.tensor || out->block.sharing == BND_SHARE_TENSOR);
    }
    return status;
}

bnd_status bndi_settle_how(bndi_how *out, const bnd_quantize *asked, bndi_inputs inputs, bnd_error *why)
{
    static const size_t values[] = {BND_FORMAT_FP32, BND_FORMAT_BF16, BND_FORMAT_FP16};
    bndi_how how = {.rule = ""};
    bnd_format f;
    if (asked->to == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "expected a format to quantize to, such as e4m3 or nvfp4");
    }
    bool is_format = bnd_format_parse(&f, asked->to, NULL) == BND_OK;
    for (size_t i = 0; is_format && i < sizeof values / sizeof *values; i++) {
        how.dequantizes |= bnd_format_same(&f, bnd_format_at(values[i]));
    }
    if (how.dequantizes) {
        const char *option = asked->layout != NULL        ? "a layout"
                             : asked->scale != NULL       ? "scales"
                             : asked->rule != NULL        ? "a scale rule"
                             : asked->activations != NULL ? "activations"
                                                          : asked->scale_format;
        if (option != NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is written without scales and cannot be used with %s", f.name,
                            option);
        }
        how.to = f;
        *out = how;
        return BND_OK;
    }
    bnd_status status = settle_quantized(&how, asked, inputs, why);
    if (status == BND_OK) {
        *out = how;
    }
    return status;
}
