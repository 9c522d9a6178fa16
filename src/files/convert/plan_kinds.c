/* Plans of `quantize` by kinds of weights: few lines for a model of thousands of weights. */
#include "convert/quantize.h"

#include <stdlib.h>
#include <string.h>

const char *bnd_planned_to(const bnd_planned_weight *weight)
{
    return weight->conversion == BND_QUANTIZED ? weight->block.name : weight->dtype;
}

static bool is_of_kind(const bnd_planned_weight *a, const bnd_planned_weight *b)
{
    return a->conversion == b->conversion && strcmp(a->because, b->because) == 0 &&
           strcmp(bnd_stored_as(a->weight), bnd_stored_as(b->weight)) == 0 &&
           strcmp(bnd_planned_to(a), bnd_planned_to(b)) == 0;
}

/* The kind of a weight, a new one at the end if it is the first of its kind; NULL: no memory. */
static bnd_planned_kind *kind_of(bnd_quantize_plan *plan, const bnd_planned_weight *weight)
{
    for (size_t k = 0; k < plan->kind_count; k++) {
        if (is_of_kind(plan->kinds[k].first, weight)) {
            return &plan->kinds[k];
        }
    }
    bnd_planned_kind *kinds = realloc(plan->kinds, (plan->kind_count + 1) * sizeof *kinds);
    if (kinds == NULL) {
        return NULL;
    }
    plan->kinds = kinds;
    kinds[plan->kind_count] = (bnd_planned_kind){.first = weight};
    return &kinds[plan->kind_count++];
}

bnd_status bndi_plan_kinds(bnd_quantize_plan *plan, bnd_error *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        const bnd_planned_weight *weight = &plan->weights[i];
        bnd_planned_kind *kind = kind_of(plan, weight);
        if (kind == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the kinds of %zu weights", plan->count);
        }
        kind->weights++;
        kind->elements += weight->count;
        kind->bytes_in += weight->bytes_in;
        kind->bytes_out += weight->bytes_out;
    }
    return BND_OK;
}

size_t bnd_quantize_plan_kinds(const bnd_quantize_plan *plan)
{
    return plan->kind_count;
}

const bnd_planned_kind *bnd_quantize_plan_kind_at(const bnd_quantize_plan *plan, size_t index)
{
    return index < plan->kind_count ? &plan->kinds[index] : NULL;
}
