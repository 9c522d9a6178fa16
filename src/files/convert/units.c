/* What the weights of the output are: those of the input, where an array of experts may become several. */
#include "convert/quantize.h"

#include <stdlib.h>
#include <string.h>

enum { EXPERTS_MOST = 1 << 16 }; /* models have fewer: with more, the dimensions are in another order */

/* How a weight of the input is taken. */
typedef struct taken {
    bool experts;     /* as one array or several layers */
    size_t units;     /* weights of the output */
    size_t name_size; /* of their names, together */
    bndi_experts what;
} taken;

/* Arrays of codes can stay as they lie; what is gathered has one word per element. */
static bool can_be_taken(const bnd_stored_weight *weight, const bndi_experts *experts, bool whole)
{
    return weight->layout != NULL ? weight->is_float && whole && !experts->in_first
                                  : bndi_is_plain(weight->parts[BND_PART_CODES]->format);
}

static taken take(const bnd_quantize_plan *plan, const bnd_quantize *asked, const bnd_stored_weight *weight)
{
    taken out = {.units = 1};
    if (plan->how.dequantizes || plan->how.layout->family == BND_LAYOUT_COMFYUI ||
        bndi_matches(asked->keep, asked->keeps, weight->name) ||
        !bndi_find_experts(&out.what, plan->in, weight, plan->config.model_type)) {
        return out;
    }
    bool whole = plan->how.layout->family == BND_LAYOUT_GPT_OSS;
    if ((whole ? out.what.layout[0] == '\0' : !out.what.halves) || !can_be_taken(weight, &out.what, whole) ||
        weight->shape[0] > EXPERTS_MOST) {
        return out;
    }
    out.experts = true;
    out.units = whole ? 1 : bndi_expert_layers(&out.what, weight);
    out.name_size = whole ? 0 : out.units * (strlen(weight->name) + BNDI_EXPERT_NAME);
    return out;
}

/* The other array of its layer, if that is taken and this one stays; otherwise NULL. */
static const bnd_stored_weight *taken_partner(const bnd_quantize_plan *plan, const bnd_quantize *asked,
                                              const bnd_stored_weight *weight)
{
    bndi_experts what;
    bool half = bndi_find_experts(&what, plan->in, weight, plan->config.model_type) &&
                !take(plan, asked, weight).experts && take(plan, asked, what.partner).experts;
    return half ? what.partner : NULL;
}

static void take_experts(bnd_quantize_plan *plan, size_t at, const taken *how, size_t layer, char **names)
{
    bnd_planned_weight *unit = &plan->weights[at];
    bndi_weight_work *work = &plan->work[at];
    const bnd_stored_weight *weight = unit->weight;
    bool whole = how->name_size == 0;
    size_t room = strlen(weight->name) + BNDI_EXPERT_NAME;
    bndi_expert_layer made;
    bndi_expert_layer_at(&made, whole ? NULL : *names, whole ? 0 : room, &how->what, weight, whole ? SIZE_MAX : layer);
    if (!whole) {
        unit->name = *names;
        *names += strlen(*names) + 1;
    }
    *work = (bndi_weight_work){.experts = true, .gathered = weight->layout == NULL, .view = made.view};
    uint64_t *shape = work->dimensions;
    unit->rank = whole ? 3 : 2;
    if (whole) {
        *shape++ = weight->shape[0];
        made.rows /= weight->shape[0];
    }
    shape[0] = made.rows;
    shape[1] = made.columns;
    unit->shape = work->dimensions;
    unit->count = made.rows * made.columns * (whole ? weight->shape[0] : 1);
}

bnd_status bndi_make_units(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why)
{
    size_t weights = bnd_checkpoint_weights(plan->in), count = 0, names = 0;
    for (size_t i = 0; i < weights; i++) {
        taken how = take(plan, asked, bnd_checkpoint_weight_at(plan->in, i));
        count += how.units;
        names += how.name_size;
    }
    plan->weights = calloc(count + 1, sizeof *plan->weights);
    plan->work = calloc(count + 1, sizeof *plan->work);
    plan->layers = malloc(names + 1);
    if (plan->weights == NULL || plan->work == NULL || plan->layers == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a plan of %zu weights", count);
    }
    char *name = plan->layers;
    for (size_t i = 0; i < weights; i++) {
        const bnd_stored_weight *weight = bnd_checkpoint_weight_at(plan->in, i);
        taken how = take(plan, asked, weight);
        const bnd_stored_weight *partner = taken_partner(plan, asked, weight);
        if (partner != NULL && !asked->unfused) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "%s stays, but loaders read it together with %s, which is quantized; keep both or none",
                            weight->name, partner->name);
        }
        for (size_t layer = 0; layer < how.units; layer++) {
            plan->weights[plan->count] = (bnd_planned_weight){.weight = weight,
                                                              .name = weight->name,
                                                              .rank = weight->rank,
                                                              .shape = weight->shape,
                                                              .count = weight->count};
            plan->work[plan->count].half = partner != NULL;
            if (how.experts) {
                take_experts(plan, plan->count, &how, layer, &name);
            }
            plan->count++;
        }
        if (how.experts && how.name_size == 0) { /* its names are those of this layout */
            plan->how.layout = bnd_layout_find(how.what.layout);
        }
    }
    return BND_OK;
}
