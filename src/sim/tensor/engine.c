/* The engine: what the tensors of a run share. */
#include "tensor/engine.h"
#include "tensor/handle.h"

#include <stdlib.h>

bnd_status bnd_engine_new(bnd_engine **out, const bnd_context *context, bnd_error *why)
{
    if (BNDI_BIG_ENDIAN) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "tensors and training need a little-endian machine, and this one is big-endian");
    }
    const bnd_status status = bnd_lab_check_context(context, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an engine");
    }
    if (context != NULL) {
        engine->context = *context;
    }
    engine->tape = true;
    engine->here = &engine->book.all;
    *out = engine;
    return BND_OK;
}

void bnd_engine_set_seed(bnd_engine *engine, uint64_t seed, uint64_t step)
{
    engine->seed = seed;
    engine->step = step;
    engine->casts = 0;
    bndi_histories_begin(engine);
}

/* ---- the policy ---- */

const bnd_policy *bnd_engine_policy(const bnd_engine *engine)
{
    return engine->has_policy ? &engine->here->policy : NULL;
}

/* Second moments, the weights of attention and the optimizer's scalars are never negative. */
static bool holds_signed(bnd_role role)
{
    return role != BND_ROLE_V && role != BND_ROLE_ATTN_P && role != BND_ROLE_SCALAR;
}

static bnd_status check_sign(const bnd_cast *cast, const bndi_scaling *scaling, bnd_role role, bnd_error *why)
{
    const bool codes = scaling->kind == BNDI_DYNAMIC && !scaling->dynamic.is_signed;
    return cast->format.is_signed && !codes
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "role %s holds signed numbers; %s has no sign", bnd_role_name(role),
                          codes ? cast->scaling : cast->format.name);
}

static bnd_status check_cast(bndi_scaling *scaling, const bnd_policy *policy, bnd_role role, bnd_error *why)
{
    const bnd_cast *cast = &policy->cast[role];
    const char *name = bnd_role_name(role);
    *scaling = (bndi_scaling){.kind = BNDI_UNSCALED};
    if (!cast->given) {
        return BND_OK;
    }
    bnd_status status = bnd_rule_check(cast->rule, why);
    if (status != BND_OK) {
        return status;
    }
    if (cast->format.precision == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the cast of role %s has no format", name);
    }
    if (cast->format.width == 0 && !bndi_is_operand_role(role)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "role %s cannot be stored in %s, a value set without codes; only operands of GEMMs can be rounded to it",
            name, cast->format.name);
    }
    if (cast->hadamard && (!bndi_is_operand_role(role) || role == BND_ROLE_NORM_W)) { /* nothing turns it back */
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "role %s cannot be used with hadamard; only operands of GEMMs can",
                        name);
    }
    const bool backward = role == BND_ROLE_DGRAD_W || role == BND_ROLE_WGRAD_X;
    const bnd_cast *forward = &policy->cast[role == BND_ROLE_DGRAD_W ? BND_ROLE_FWD_W : BND_ROLE_FWD_X];
    const bool repeatable = forward->rule.rounding < BND_ROUND_DETERMINISTIC_COUNT && forward->scaling[0] != 'd';
    if (cast->requantized && !(backward && repeatable)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "role %s cannot be requantized; only gemm_dgrad.w and gemm_wgrad.x can, where the forward GEMM's "
            "operand is neither rounded stochastically nor has delayed scales",
            name);
    }
    if (cast->transient && role != BND_ROLE_PARAM) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "role %s cannot be transient; only param can", name);
    }
    if (cast->transient && !policy->cast[BND_ROLE_MASTER].given) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "role param can be transient only with a master that it is made from; add a format of the "
                        "role master, as in master=fp32");
    }
    status = bndi_scaling_parse(scaling, cast, role, why);
    return status == BND_OK && holds_signed(role) ? check_sign(cast, scaling, role, why) : status;
}

static bool is_drawn(const bnd_cast *cast)
{
    return cast->given && cast->rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
}

/* What parsing a recipe never gives, and settings that do nothing together. */
static bnd_status check_numbers(const bnd_policy *p, bnd_error *why)
{
    const bnd_loss_scale *scale = &p->loss_scale;
    if (p->update >= BND_UPDATE_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown update %u", (unsigned)p->update);
    }
    const bnd_role updated = p->cast[BND_ROLE_MASTER].given ? BND_ROLE_MASTER : BND_ROLE_PARAM;
    if (p->update == BND_UPDATE_KAHAN && p->cast[updated].scaling[0] != '\0') {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "update=kahan cannot be used with weights that share scales (%s): it would compensate nothing; "
                        "use update=eco or a master copy",
                        bnd_role_name(updated));
    }
    if (p->update == BND_UPDATE_KAHAN && is_drawn(&p->cast[updated])) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "update=kahan cannot be used with weights that are rounded with random bits (%s): it keeps what "
            "rounding to nearest loses",
            bnd_role_name(updated));
    }
    if (is_drawn(&p->cast[BND_ROLE_SCALAR])) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "role scalar cannot be rounded with random bits: a coefficient is one number for a whole tensor");
    }
    if ((unsigned)p->reduction >= BND_REDUCTION_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown reduction %u", (unsigned)p->reduction);
    }
    if (p->high_last > 100) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "high_last must be at most 100 per cent, not %u", p->high_last);
    }
    return !scale->given || (scale->initial >= 0x1p-64 && scale->initial <= 0x1p64)
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "the loss scale must be from 2^-64 to 2^64");
}

static bnd_status read_rules(bndi_rules *out, const bnd_policy *policy, bnd_error *why)
{
    bnd_status status = check_numbers(policy, why);
    out->policy = *policy;
    out->accumulator = (bnd_accumulator){.kind = BND_ACCUMULATE_FUSED};
    for (unsigned role = 0; status == BND_OK && role < BND_ROLE_COUNT; role++) {
        status = check_cast(&out->scaling[role], policy, (bnd_role)role, why);
    }
    if (status == BND_OK && policy->accumulator[0] != 0) {
        status = bnd_accumulator_parse(&out->accumulator, policy->accumulator, why);
    }
    return status;
}

bnd_status bnd_engine_set_policy(bnd_engine *engine, const bnd_policy *policy, bnd_error *why)
{
    static const bnd_policy none = {.name = ""};
    if (policy != NULL && policy->layers[0] != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "settings of layers (%s) need a built-in model, whose layers have names", policy->layers);
    }
    bnd_status status = bndi_engine_set_layers(engine, policy != NULL ? policy : &none, NULL, 0, why);
    engine->has_policy = status == BND_OK ? policy != NULL : engine->has_policy;
    return status;
}

/* ---- rules by place ---- */

/* The rules of one layer: those of an earlier one with the same policy, or new ones. */
static bnd_status add_rules(bndi_rulebook *book, const bnd_policy *policy, size_t place, bnd_error *why)
{
    bnd_policy whole = book->all.policy;
    whole.layers[0] = 0;
    size_t i = 0;
    if (bnd_policy_same(policy, &whole)) {
        return BND_OK;
    }
    while (i < book->count && !bnd_policy_same(policy, &book->others[i].policy)) {
        i++;
    }
    bnd_status status = i < book->count ? BND_OK : read_rules(&book->others[i], policy, why);
    if (status == BND_OK) {
        book->count += i == book->count;
        book->of_place[place] = (uint16_t)(i + 1);
    }
    return status;
}

static bnd_status add_layers(bndi_rulebook *book, const bnd_policy *policy, const bnd_layer *layers, size_t count,
                             bnd_error *why)
{
    bnd_status status = bnd_policy_check_layers(policy, layers, count, why);
    if (status != BND_OK) {
        return status;
    }
    book->others = calloc(count, sizeof *book->others);
    book->of_place = calloc(count, sizeof *book->of_place);
    if (book->others == NULL || book->of_place == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the recipes of %zu layers", count);
    }
    book->places = count;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        bnd_policy of_layer;
        status = bnd_policy_of_layer(&of_layer, policy, layers, count, i, why);
        status = status == BND_OK ? add_rules(book, &of_layer, i, why) : status;
    }
    return status;
}

bnd_status bndi_engine_set_layers(bnd_engine *engine, const bnd_policy *policy, const bnd_layer *layers, size_t count,
                                  bnd_error *why)
{
    bndi_rulebook book = {.others = NULL};
    bnd_status status = read_rules(&book.all, policy, why);
    if (status == BND_OK && policy->layers[0] != 0) {
        status = add_layers(&book, policy, layers, count, why);
    }
    if (status != BND_OK) {
        bndi_rules_free(&book);
        return status;
    }
    bndi_histories_clear(engine);
    bndi_rules_put(engine, &book);
    engine->has_policy = true;
    return BND_OK;
}

/* ---- marks ---- */

bnd_mark bnd_engine_mark(bnd_engine *engine)
{
    return engine->serial;
}

static bool is_among(const bnd_tensor *t, bnd_tensor *const *kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kept[i] == t) {
            return true;
        }
    }
    return false;
}

/* From the newest back. Releasing one may free others, but not the next one to look at, which is held meanwhile. */
void bnd_engine_release_since(bnd_engine *engine, bnd_mark mark, bnd_tensor *const *kept, size_t count)
{
    bnd_tensor *t = engine->last != NULL && engine->last->serial > mark ? bndi_hold(engine->last) : NULL;
    while (t != NULL) {
        bnd_tensor *next = t->previous != NULL && t->previous->serial > mark ? bndi_hold(t->previous) : NULL;
        if (t->owed > 0 && !is_among(t, kept, count)) {
            t->references -= t->owed;
            t->owed = 0;
        }
        bndi_drop(t);
        t = next;
    }
}

/* ---- the end ---- */

/* What tensors hold of each other goes first; then who else has references does not matter any more. */
void bnd_engine_free(bnd_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    bnd_engine_forget(engine);
    for (bnd_tensor *t = engine->first; t != NULL; t = t->next) {
        bnd_tensor_drop_gradient(t);
    }
    while (engine->first != NULL) {
        bnd_tensor *t = engine->first;
        t->references = 1;
        t->owed = 0;
        bndi_drop(t);
    }
    bndi_histories_clear(engine);
    bndi_rules_free(&engine->book);
    bndi_free_spares(engine);
    free(engine->statistics);
    free(engine);
}
