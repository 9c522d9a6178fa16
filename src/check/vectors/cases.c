/* Cases by index: combinations of boundaries and drawn cases, or all codes. A case depends only on the seed and its
 * index, so cases are computed again instead of stored. */
#include "vectors/cases.h"

#include <stdlib.h>

/* ---- plans ---- */

static unsigned random_bits(const bnd_vectors *v)
{
    return bnd_rule_random_bits(v->rule);
}

static bnd_status count_all(bnd_vector_plan *plan, bnd_error *why)
{
    enum { MOST_BITS = 32 };
    const bnd_vectors *v = plan->vectors;
    unsigned bits = random_bits(v);
    for (unsigned i = 0; i < v->operands; i++) {
        bits += bnd_vectors_format(v, i)->width;
    }
    if (bits > MOST_BITS) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "there are 2^%u combinations of operands%s; the limit is 2^%d: use a level or a number of cases", bits,
            random_bits(v) > 0 ? " and random bits" : "", MOST_BITS);
    }
    plan->count = UINT64_C(1) << bits;
    return BND_OK;
}

/* The number of drawn cases after the combinations of boundaries: the number of combinations, but at least 20,000,
 * enough for every stratum, and at most 1,000,000, about a second. 0 if the combinations are all possible cases. */
static uint64_t count_drawn(const bnd_vector_plan *plan)
{
    enum { LEAST = 20000, MOST = 1000000 };
    bool complete = true;
    for (unsigned i = 0; i < plan->sets; i++) {
        complete = complete && plan->complete[i];
    }
    return complete ? 0 : plan->combinations < LEAST ? LEAST : plan->combinations < MOST ? plan->combinations : MOST;
}

/* Counts the cases of level 1 or 2. */
static void count_level(bnd_vector_plan *plan)
{
    enum { DOTS_1 = 10000, DOTS_2 = 1000000 };
    if (bndi_vector_is_dot(plan->vectors)) {
        plan->count = plan->level == BND_VECTOR_LEVEL_1 ? DOTS_1 : DOTS_2;
        plan->level = BND_VECTOR_LEVEL_SAMPLE;
        return;
    }
    plan->combinations = 1; /* 512^3 and 4096^2 are below 2^32 */
    for (unsigned i = 0; i < plan->sets; i++) {
        plan->combinations *= plan->sizes[i];
    }
    plan->count = plan->combinations + count_drawn(plan);
}

bnd_status bnd_vector_plan_open(bnd_vector_plan *out, const bnd_vectors *v, bnd_vector_level level, uint64_t seed,
                                bnd_error *why)
{
    bnd_vector_plan plan = {.vectors = v, .level = level, .seed = seed, .count = UINT64_MAX};
    bnd_status status = BND_OK;
    if ((unsigned)level > BND_VECTOR_LEVEL_ALL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown level %d", (int)level);
    }
    if (level == BND_VECTOR_LEVEL_ALL) {
        status = count_all(&plan, why);
    } else {
        plan.sets = bndi_vector_is_dot(v) ? 2 : v->operands;
        for (unsigned i = 0; status == BND_OK && i < plan.sets; i++) {
            status = bndi_vector_boundaries(&plan, i, why);
        }
    }
    if (status != BND_OK) {
        bnd_vector_plan_close(&plan);
        return status;
    }
    if (level == BND_VECTOR_LEVEL_1 || level == BND_VECTOR_LEVEL_2) {
        count_level(&plan);
    }
    *out = plan;
    return BND_OK;
}

void bnd_vector_plan_close(bnd_vector_plan *plan)
{
    for (unsigned i = 0; i < BND_OPERANDS_MAX; i++) {
        free(plan->boundaries[i]);
        plan->boundaries[i] = NULL;
    }
}

/* ---- cases ---- */

static uint64_t take_bits(uint64_t *index, unsigned bits)
{
    uint64_t taken = *index & ((UINT64_C(1) << bits) - 1);
    *index >>= bits;
    return taken;
}

void bnd_vector_case(uint64_t *operands, uint64_t *random, const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    unsigned bits = random_bits(v);
    *random = 0;
    if (plan->level == BND_VECTOR_LEVEL_ALL) {
        *random = take_bits(&index, bits);
        for (unsigned i = v->operands; i-- > 0;) {
            operands[i] = take_bits(&index, bnd_vectors_format(v, i)->width);
        }
        return;
    }
    *random = bits > 0 ? bnd_random_bits(plan->seed, 0, index, bits) : 0;
    if (index >= plan->combinations) { /* of a sample these are 0 */
        bndi_vector_sample(operands, plan, index - plan->combinations);
        return;
    }
    for (unsigned i = v->operands; i-- > 0;) {
        operands[i] = plan->boundaries[i][index % plan->sizes[i]];
        index /= plan->sizes[i];
    }
}
