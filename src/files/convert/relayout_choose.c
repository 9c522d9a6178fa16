/* Which layout each weight gets. */
#include "convert/relayout.h"

#include "checkpoint/layouts.h"
#include "convert/names.h"
#include "convert/quantization_config.h"

#include <stdio.h>
#include <string.h>

bool bndi_is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* ---- the layout of a weight ---- */

typedef enum code_bytes { BYTES_OTHER, BYTES_OF_ONE, BYTES_OF_TWO } code_bytes;

/* How codes lie: one in a byte, or two. MLX has them back to back in words of 32 bits, the first in the lowest bits,
 * which are the same bytes. */
static code_bytes bytes_of(const bnd_layout *layout)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    bnd_block block;
    if ((row->flags & BNDI_LAYOUT_UNDECODED) != 0 || layout->block[0] == '\0' ||
        bnd_block_parse(&block, layout->block, NULL) != BND_OK) {
        return BYTES_OTHER;
    }
    const bool words = row->coding == BNDI_CODING_WORDS && layout->family == BND_LAYOUT_MLX;
    if (row->coding == BNDI_CODING_NIBBLES || (words && block.element.width == 4)) {
        return BYTES_OF_TWO;
    }
    return row->coding == BNDI_CODING_ELEMENTS || (words && block.element.width == 8) ? BYTES_OF_ONE : BYTES_OTHER;
}

/* Scales of 16 and 32 bits can be cast into each other; powers of two also to and from e8m0. */
static bool scales_fit(const bnd_block *has, const bnd_block *wanted)
{
    const bool plain_has = has->scale.width >= 16, plain_wanted = wanted->scale.width >= 16;
    const bool tile = has->sharing == BND_SHARE_TILE;
    return plain_has == plain_wanted ? plain_has || bnd_format_same(&has->scale, &wanted->scale) : tile;
}

static bool fits(const bnd_layout *layout, const bnd_stored_weight *w)
{
    bnd_block has;
    const bnd_block *wanted = &w->block;
    if (layout->block[0] == '\0' || bnd_block_parse(&has, layout->block, NULL) != BND_OK ||
        bytes_of(layout) == BYTES_OTHER) {
        return false;
    }
    const bool sized = wanted->sharing == BND_SHARE_TILE || (has.along > 0 && wanted->along > 0 && !wanted->tensor);
    const bool same = has.along == wanted->along && has.across == wanted->across;
    const bool scale_parts = w->parts[BND_PART_SCALES] != NULL && layout->suffix[BND_PART_SCALES] != NULL &&
                             (w->parts[BND_PART_SECOND] != NULL) == (layout->suffix[BND_PART_SECOND] != NULL);
    return scale_parts && bytes_of(layout) == bytes_of(w->layout) && bnd_format_same(&has.element, &wanted->element) &&
           has.integer == wanted->integer && has.sharing == wanted->sharing && has.tensor == wanted->tensor &&
           (same || sized) && scales_fit(&has, wanted);
}

static bool has_input(const bnd_stored_weight *w)
{
    return bndi_input_of(w) != NULL;
}

/* A config.json can say that matrices are in this layout, with static input scales or without. */
static bool can_be_written(const bnd_layout *layout, const bnd_stored_weight *w)
{
    const bndi_written *row = bndi_written_row(layout);
    const bool others = layout->family == BND_LAYOUT_GPT_OSS || layout->family == BND_LAYOUT_COMFYUI;
    return row != NULL && !others && bndi_written_word(row, has_input(w))[0] != '\0';
}

/* The families that could have the weight, for messages; "": none. */
static void list_families(char *out, size_t size, const bnd_stored_weight *w)
{
    out[0] = '\0';
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        const bnd_layout *layout = bnd_layout_at(i);
        const char *name = bnd_layout_family_name(layout->family);
        const size_t length = strlen(out);
        if (layout->family != w->layout->family && can_be_written(layout, w) && fits(layout, w) &&
            strstr(out, name) == NULL && length + strlen(name) + 3 < size) {
            (void)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "", name);
        }
    }
}

static bnd_status find_target(const bnd_layout **out, const bndi_relayout_plan *plan, const bnd_stored_weight *w,
                              bnd_error *why)
{
    const char *before = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_FROM) : NULL;
    char families[128];
    for (size_t i = 0; i < bnd_layout_count(); i++) {
        const bnd_layout *layout = bnd_layout_at(i);
        const bool known = plan->restores ? bndi_is_listed(before, layout->name) : can_be_written(layout, w);
        if (layout->family == plan->family && known && fits(layout, w)) {
            *out = layout;
            return BND_OK;
        }
    }
    list_families(families, sizeof families, w);
    if (families[0] == '\0') {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is in %s%s, for which no other layout can be written; quantizing to bf16 decodes it",
                        w->name, w->layout->name, has_input(w) ? " with a static input scale" : "");
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s is in %s%s, which %s has no layout for that can be written (available: %s)", w->name,
                    w->layout->name, has_input(w) ? " with a static input scale" : "",
                    bnd_layout_family_name(plan->family), families);
}

/* Why codes of this family stay where they are, and what can be done instead. */
static const char *why_family(const bnd_stored_weight *w)
{
    switch (w->layout->family) {
    case BND_LAYOUT_GPT_OSS:
        return "it holds all experts, with rows of gate and up in turn, and no other layout that loaders read has "
               "this; "
               "quantizing to bf16 decodes it";
    case BND_LAYOUT_COMFYUI:
        return w->parts[BND_PART_NOTE] != NULL
                   ? "it has a note of ComfyUI's, which no other layout has; quantizing to bf16 decodes it"
                   : NULL;
    case BND_LAYOUT_MLX:
        return w->parts[BND_PART_ZERO_POINTS] != NULL
                   ? "its groups have biases, which no other layout has; quantizing to bf16 decodes it"
                   : NULL;
    default:
        return NULL;
    }
}

static const char *why_refused(const bnd_stored_weight *w)
{
    const char *family = why_family(w);
    if (family != NULL) {
        return family;
    }
    if (!w->is_float) {
        return w->why_not;
    }
    if (w->parts[BND_PART_ZERO_POINTS] != NULL || w->parts[BND_PART_ORDER] != NULL) {
        return "it has zero points or reordered columns, which no other layout has; quantizing to bf16 decodes it";
    }
    if (bytes_of(w->layout) == BYTES_OTHER) {
        return "its integers lie in words of 32 bits, which no other layout has; quantizing to bf16 decodes "
               "it";
    }
    if (bndi_is_embedding(w->name, w->rank)) {
        return "it is an embedding, which loaders of the other layout read without quantization only; "
               "quantizing to bf16 decodes the model";
    }
    if (w->rank < 2) {
        return "it has fewer than two dimensions, and other layouts have codes of matrices only; quantizing to bf16 "
               "decodes it";
    }
    return w->rank > 2 ? "it has experts in one array, which other layouts have one by one; quantizing to bf16 "
                         "decodes it"
                       : NULL;
}

/* ---- all weights ---- */

static bool same_scheme(const bndi_how *a, const bndi_how *b)
{
    return a->layout == b->layout && a->with_inputs == b->with_inputs && a->block.along == b->block.along &&
           a->block.across == b->block.across;
}

/* The scheme of a weight, which may be one that weights before it have. A config of a family that cannot name several
 * schemes must say the same of all. */
static bnd_status find_scheme(bndi_relayout_plan *plan, size_t i, const bnd_stored_weight *w, bnd_error *why)
{
    bndi_how how = {.layout = plan->layouts[i], .block = w->block, .written = bndi_written_row(plan->layouts[i])};
    size_t s = 0;
    how.with_inputs = has_input(w);
    if (how.written != NULL) {
        how.dynamic = !how.with_inputs && how.written->dynamic[0] != '\0';
        how.word = bndi_written_word(how.written, how.with_inputs);
    }
    while (s < plan->scheme_count && !same_scheme(&plan->schemes[s], &how)) {
        s++;
    }
    plan->scheme_of[i] = (unsigned char)s;
    if (s < plan->scheme_count || plan->restores) { /* going back, the config is known */
        plan->schemes[0] = plan->scheme_count == 0 ? how : plan->schemes[0];
        plan->scheme_count += plan->scheme_count == 0;
        return BND_OK;
    }
    const char *family = bnd_layout_family_name(plan->family);
    if (s == BNDI_SCHEMES_MOST) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has scheme number %zu; at most %d are written", w->name, s + 1,
                        BNDI_SCHEMES_MOST);
    }
    for (size_t k = 0; k < s; k++) {
        const bndi_how *odd = !bndi_can_be_mixed(&how)                ? &how
                              : !bndi_can_be_mixed(&plan->schemes[k]) ? &plan->schemes[k]
                                                                      : NULL;
        if (odd != NULL) {
            return bnd_fail(
                why, BND_BAD_ARGUMENT, 0,
                "%s needs %s%s, and weights before it %s%s; a config of %s cannot mix %s with others%s", w->name,
                how.layout->name, how.with_inputs ? " with a static input scale" : "", plan->schemes[k].layout->name,
                plan->schemes[k].with_inputs ? " with a static input scale" : "", family, odd->word,
                plan->family != BND_LAYOUT_COMPRESSED_TENSORS && plan->from->family != BND_LAYOUT_COMPRESSED_TENSORS
                    ? "; try the layout compressed-tensors"
                    : "");
        }
    }
    plan->schemes[plan->scheme_count++] = how;
    return BND_OK;
}

bnd_status bndi_relayout_choose(bndi_relayout_plan *plan, bnd_error *why)
{
    for (size_t i = 0; i < bnd_checkpoint_weights(plan->in); i++) {
        const bnd_stored_weight *w = bnd_checkpoint_weight_at(plan->in, i);
        if (w->layout == NULL) {
            continue;
        }
        if (w->layout->family == plan->family) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is in %s already", w->name, w->layout->name);
        }
        const char *refused = why_refused(w);
        if (refused != NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s cannot be laid out anew: %s", w->name, refused);
        }
        plan->from = plan->from == NULL ? w->layout : plan->from;
        bnd_status status = find_target(&plan->layouts[i], plan, w, why);
        status = status == BND_OK ? find_scheme(plan, i, w, why) : status;
        if (status != BND_OK) {
            return status;
        }
        plan->result.weights++;
    }
    if (plan->scheme_count == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "no weight is quantized: there is nothing to lay out anew");
    }
    plan->result.from = plan->from;
    plan->result.to = plan->schemes[0].layout;
    return BND_OK;
}

bnd_status bndi_relayout_family(bndi_relayout_plan *plan, bnd_error *why)
{
    const char *name = plan->how->layout, *before = bnd_checkpoint_metadata(plan->in, BNDI_RELAY_FAMILY);
    plan->family = name == NULL ? BND_LAYOUT_FAMILIES : bnd_layout_family_of(name);
    if (plan->family == BND_LAYOUT_FAMILIES) {
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown layout '%s' (available: compressed-tensors, fp8, modelopt)",
                        name == NULL ? "" : name);
    }
    if (bnd_checkpoint_kind_of(plan->in) == BND_CHECKPOINT_GGUF) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "GGUF has other names of tensors, another order of rows in some models, and no config.json, so "
                        "a loader of the other layout cannot read it; start from the .safetensors files of the model");
    }
    if (bnd_checkpoint_kind_of(plan->in) != BND_CHECKPOINT_SAFETENSORS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an array of .npy has no layout; expected .safetensors files");
    }
    plan->restores = before != NULL && strcmp(before, bnd_layout_family_name(plan->family)) == 0;
    plan->scale_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_SCALES) : NULL;
    plan->input_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_INPUTS) : NULL;
    plan->code_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_CODES) : NULL;
    plan->result.restored = plan->restores;
    return BND_OK;
}
