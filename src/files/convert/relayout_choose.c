/* Which layout each weight gets. */
#include "convert/relayout.h"

#include "checkpoint/layouts.h"

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

static bool codes_can_move(const bnd_layout *layout)
{
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    return (row->coding == BNDI_CODING_ELEMENTS || row->coding == BNDI_CODING_NIBBLES) &&
           (row->flags & BNDI_LAYOUT_UNDECODED) == 0;
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
    const bndi_layout_row *row = bndi_layout_row_of(layout);
    if (layout->block[0] == '\0' || bnd_block_parse(&has, layout->block, NULL) != BND_OK || !codes_can_move(layout)) {
        return false;
    }
    const bool sized = wanted->sharing == BND_SHARE_TILE || (has.along > 0 && wanted->along > 0 && !wanted->tensor);
    const bool same = has.along == wanted->along && has.across == wanted->across;
    const bool scale_parts = w->parts[BND_PART_SCALES] != NULL && layout->suffix[BND_PART_SCALES] != NULL;
    return scale_parts && row->coding == bndi_layout_row_of(w->layout)->coding &&
           bnd_format_same(&has.element, &wanted->element) && has.integer == wanted->integer &&
           has.sharing == wanted->sharing && has.tensor == wanted->tensor && (same || sized) &&
           scales_fit(&has, wanted);
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

/* The families that could have the weight, for messages. */
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
    if (out[0] == '\0') {
        (void)snprintf(out, size, "none");
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
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s is in %s%s, which %s has no layout for that can be written (available: %s)", w->name,
                    w->layout->name, has_input(w) ? " with a static input scale" : "",
                    bnd_layout_family_name(plan->family), families);
}

static const char *why_refused(const bnd_stored_weight *w)
{
    if (!w->is_float) {
        return w->why_not;
    }
    if (!codes_can_move(w->layout)) {
        return "its codes lie in blocks or words";
    }
    if (w->rank != 2) {
        return "it has experts in one array";
    }
    if (w->parts[BND_PART_ZERO_POINTS] != NULL || w->parts[BND_PART_ORDER] != NULL) {
        return "it has zero points or reordered columns";
    }
    return w->parts[BND_PART_NOTE] != NULL ? "it has a note of ComfyUI's, which no other layout has" : NULL;
}

/* ---- all weights ---- */

bnd_status bndi_relayout_choose(bndi_relayout_plan *plan, bnd_error *why)
{
    const bnd_layout *to = NULL;
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
        bnd_status status = find_target(&plan->layouts[i], plan, w, why);
        if (status != BND_OK) {
            return status;
        }
        if (to != NULL && to != plan->layouts[i] && !plan->restores) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s needs %s, and weights before it %s; one config cannot say both", w->name,
                            plan->layouts[i]->name, to->name);
        }
        if (to == NULL) {
            to = plan->layouts[i];
            plan->from = w->layout;
            plan->written = (bndi_how){.layout = to, .block = w->block, .written = bndi_written_row(to)};
            plan->written.with_inputs = has_input(w);
            plan->written.dynamic =
                !has_input(w) && plan->written.written != NULL && plan->written.written->dynamic[0] != '\0';
        }
        if (has_input(w) != plan->written.with_inputs && !plan->restores) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s %s a static input scale, unlike weights before it; one config cannot say both", w->name,
                            has_input(w) ? "has" : "does not have");
        }
        plan->result.weights++;
    }
    if (to == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "no weight is quantized: there is nothing to lay out anew");
    }
    if (plan->written.written != NULL) {
        plan->written.word = bndi_written_word(plan->written.written, plan->written.with_inputs);
    }
    plan->result.from = plan->from;
    plan->result.to = to;
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
    if (bnd_checkpoint_kind_of(plan->in) != BND_CHECKPOINT_SAFETENSORS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "only .safetensors files can be laid out anew");
    }
    plan->restores = before != NULL && strcmp(before, bnd_layout_family_name(plan->family)) == 0;
    plan->scale_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_SCALES) : NULL;
    plan->input_dtype = plan->restores ? bnd_checkpoint_metadata(plan->in, BNDI_RELAY_INPUTS) : NULL;
    plan->result.restored = plan->restores;
    return BND_OK;
}
