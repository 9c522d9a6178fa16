/* What the policy says about a role: its cast, the format of a result, and how the result is stored. */
#include "tensor/casts.h"
#include "tensor/engine.h"
#include "tensor/operation.h"

bnd_role bndi_role_of_bytes(bnd_role role)
{
    while (role != bnd_role_followed(role)) {
        role = bnd_role_followed(role);
    }
    return role == BND_ROLE_CAREFUL || role == BND_ROLE_SAVED       ? BND_ROLE_ACT
           : role == BND_ROLE_REDUCE /* buffers of communication */ ? BND_ROLE_SCRATCH
                                                                    : role;
}

const bnd_cast *bndi_cast_in(const bnd_policy *policy, bnd_role role)
{
    for (; !policy->cast[role].given && bnd_role_followed(role) != role; role = bnd_role_followed(role)) {
    }
    return policy->cast[role].given ? &policy->cast[role] : NULL;
}

const bnd_cast *bndi_cast_of(const bnd_engine *engine, bnd_role role)
{
    return engine->has_policy ? bndi_cast_in(&engine->here->policy, role) : NULL;
}

bool bndi_is_scaled(const bnd_engine *engine, bnd_role role)
{
    return engine->has_policy && engine->here->policy.cast[role].given &&
           engine->here->scaling[role].kind != BNDI_UNSCALED;
}

const bnd_format *bndi_format_lent(const bnd_tensor *t)
{
    bool is_parameter = t->engine->has_policy && t->buffer->role == BND_ROLE_PARAM;
    return is_parameter ? bnd_lab_format_of_words(BNDI_WORDS_32) : &t->format;
}

const bnd_accumulator *bndi_accumulator_of(const bnd_engine *engine)
{
    static const bnd_accumulator plain = {.kind = BND_ACCUMULATE_FUSED};
    return engine->has_policy ? &engine->here->accumulator : &plain;
}

void bndi_result_format(bnd_format *out, const bnd_engine *engine, bnd_role role, const bnd_format *const *in,
                        unsigned count)
{
    const bnd_cast *cast = bndi_cast_of(engine, role);
    if (cast != NULL) {
        *out = bndi_is_scaled(engine, role) ? *bnd_lab_format_of_words(BNDI_WORDS_32) : cast->format;
        return;
    }
    bool all_same = true, narrow = true;
    for (unsigned i = 0; i < count; i++) {
        all_same = all_same && bnd_format_same(in[i], in[0]);
        narrow = narrow && bnd_lab_words_hold(BNDI_WORDS_32, in[i]);
    }
    *out = all_same && count > 0 ? *in[0] : *bnd_lab_format_of_words(narrow ? BNDI_WORDS_32 : BNDI_WORDS_64);
}

/* Purposes of casts: the step in the upper half, so that no two casts of a run share random bits. */
bndi_store bndi_store_with_scales(bnd_engine *engine, bnd_role role)
{
    bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}, .seed = engine->seed};
    const bnd_cast *cast = bndi_cast_of(engine, role);
    if (cast != NULL) {
        how.rule = cast->rule;
    }
    how.rule = bnd_rule_of_operation(how.rule); /* the sign of a NaN depends on the processor's order of operands */
    how.purpose = engine->step << 32 | (uint32_t)engine->casts++;
    how.stats = bndi_statistics_of(engine, role);
    return how;
}

/* Only random bits are numbered: numbers that are written to the nearest change no cast that follows. */
bndi_store bndi_store_given(bnd_engine *engine, bnd_rule rule)
{
    const bool drawn = rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
    return (bndi_store){
        .rule = rule, .seed = engine->seed, .purpose = drawn ? engine->step << 32 | (uint32_t)engine->casts++ : 0};
}

bndi_store bndi_store_for(bnd_engine *engine, bnd_role role)
{
    bndi_store how = bndi_store_with_scales(engine, role);
    if (bndi_is_scaled(engine, role)) {
        how.rule = bnd_rule_of_operation((bnd_rule){.rounding = BND_ROUND_RNE});
        how.stats = NULL;
    }
    return how;
}

/* Whether an operation saves depends on the tape, and what the engine counts must not: a segment that is computed again
 * counts what it counted before. So casts that save are numbered by those made so far and by the operand, above all
 * others. */
bndi_store bndi_store_for_saved(bnd_engine *engine, unsigned operand)
{
    uint64_t casts = engine->casts;
    bndi_store how = bndi_store_for(engine, BND_ROLE_SAVED);
    how.purpose = engine->step << 32 | UINT64_C(1) << 31 | (casts * BNDI_SAVED + operand) % (UINT64_C(1) << 31);
    engine->casts = casts;
    return how;
}
