/* The one way of every operation: work type, formats, result, forward, tape, counts. */
#include "tensor/tensor.h"

#include "bulk/environment.h"

/* ---- formats ---- */

bnd_role bndi_role_of_bytes(bnd_role role)
{
    switch (role) {
    case BND_ROLE_CAREFUL:
    case BND_ROLE_SAVED:
    case BND_ROLE_FWD_Y:
        return BND_ROLE_ACT;
    case BND_ROLE_DGRAD_DX:
        return BND_ROLE_DACT;
    default:
        return role;
    }
}

const bnd_cast *bndi_cast_of(const bnd_engine *engine, bnd_role role)
{
    const bnd_cast *cast = &engine->policy.cast[role];
    if (!cast->given && (role == BND_ROLE_FWD_Y || role == BND_ROLE_DGRAD_DX)) {
        cast = &engine->policy.cast[bndi_role_of_bytes(role)];
    }
    return engine->has_policy && cast->given ? cast : NULL;
}

const bnd_format *bndi_format_lent(const bnd_tensor *t)
{
    bool is_parameter = t->engine->has_policy && t->buffer->role == BND_ROLE_PARAM;
    return is_parameter ? bnd_lab_format_of_words(BNDI_WORDS_32) : &t->format;
}

const bnd_accumulator *bndi_accumulator_of(const bnd_engine *engine)
{
    static const bnd_accumulator plain = {.kind = BND_ACCUMULATE_FUSED};
    return engine->has_policy ? &engine->accumulator : &plain;
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

static bool is_operand(bnd_role role)
{
    return role >= BND_ROLE_FWD_X && role <= BND_ROLE_HIGH;
}

static bnd_status check_cast(bndi_scaling *scaling, const bnd_policy *policy, bnd_role role, bnd_error *why)
{
    const bnd_cast *cast = &policy->cast[role];
    const char *name = bnd_role_name(role);
    *scaling = (bndi_scaling){.kind = BNDI_UNSCALED};
    if (!cast->given) {
        return BND_OK;
    }
    if (cast->format.width == 0 && !is_operand(role)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the role %s cannot be stored in %s, a value set without codes; only operands of GEMMs can be "
                        "rounded to it",
                        name, cast->format.name);
    }
    if (cast->hadamard && (!is_operand(role) || role == BND_ROLE_NORM_W)) { /* nothing turns it back */
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the role %s takes no Hadamard transform; operands of GEMMs do",
                        name);
    }
    if (cast->transient && (role != BND_ROLE_PARAM || !policy->cast[BND_ROLE_MASTER].given)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the role %s cannot be transient: only param can, beside a master that it is made of", name);
    }
    return bndi_scaling_parse(scaling, cast, role, why);
}

bnd_status bnd_engine_set_policy(bnd_engine *engine, const bnd_policy *policy, bnd_error *why)
{
    bnd_accumulator accumulator = {.kind = BND_ACCUMULATE_FUSED};
    bndi_scaling scaling[BND_ROLES] = {{.kind = BNDI_UNSCALED}};
    bnd_status status = BND_OK;
    for (unsigned role = 0; policy != NULL && status == BND_OK && role < BND_ROLES; role++) {
        status = check_cast(&scaling[role], policy, (bnd_role)role, why);
    }
    if (status == BND_OK && policy != NULL && policy->accumulator[0] != 0) {
        status = bnd_accumulator_parse(&accumulator, policy->accumulator, why);
    }
    if (status == BND_OK) {
        bndi_histories_clear(engine);
        engine->accumulator = accumulator;
        engine->has_policy = policy != NULL;
        engine->policy = policy != NULL ? *policy : (bnd_policy){.name = ""};
        __builtin_memcpy(engine->scaling, scaling, sizeof scaling);
    }
    return status;
}

/* ---- a call ---- */

uint64_t bndi_no_flops(const bndi_call *c)
{
    (void)c;
    return 0;
}

static bnd_status check_operands(const bndi_row *row, bnd_tensor *const *in, unsigned count, bnd_error *why)
{
    if (count < row->least || count > row->most) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s takes %u to %u operands; %u are given", row->name, row->least,
                        row->most, count);
    }
    for (unsigned i = 0; i < count; i++) {
        if (in[i] == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: operand %u is missing", row->name, i + 1);
        }
        bnd_status status = bndi_same_engine(in[i], in[0], row->name, why);
        if (status != BND_OK) {
            return status;
        }
    }
    return BND_OK;
}

static bnd_status broadcast_all(bndi_call *c, bnd_error *why)
{
    bnd_status status = BND_OK;
    c->shape = c->in_shape[0];
    for (unsigned i = 1; status == BND_OK && i < c->count; i++) {
        status = bndi_shape_join(&c->shape, &c->shape, &c->in_shape[i], c->row->name, why);
    }
    return status;
}

static bnd_status open_call(bndi_call *c, bnd_tensor_operation operation, bnd_tensor *const *in, unsigned count,
                            const bnd_attributes *attributes, bnd_error *why)
{
    const bndi_row *row = bndi_row_of(operation);
    *c =
        (bndi_call){.row = row, .operation = operation, .engine = in[0]->engine, .count = count, .work = BNDI_WORDS_32};
    if (attributes != NULL) {
        c->attributes = *attributes;
        if (attributes->format != NULL) {
            c->cast_format = *attributes->format;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        c->saved[i] = in[i];
        c->in_shape[i] = in[i]->shape;
        c->in_format[i] = *bndi_format_lent(in[i]);
        bool counts = (row->indices >> i & 1) != 0;
        if (!counts && !bnd_lab_words_hold(BNDI_WORDS_32, &in[i]->format)) {
            c->work = BNDI_WORDS_64;
        }
    }
    return row->shape != NULL ? row->shape(c, why) : broadcast_all(c, why);
}

/* An operation that is told its format (a cast, a copy) has it; every other asks the policy. */
static bnd_status make_result(bndi_call *c, bnd_error *why)
{
    const bnd_format *in[BNDI_OPERANDS];
    bnd_format f = c->cast_format;
    unsigned count = 0;
    for (unsigned i = 0; i < c->count; i++) {
        if ((c->row->indices >> i & 1) == 0) {
            in[count++] = &c->in_format[i];
        }
    }
    if (c->attributes.format == NULL) {
        bndi_result_format(&f, c->engine, c->role, in, count);
    }
    return bndi_tensor_make(&c->saved[BNDI_OUT], c->engine, &f, &c->shape, bndi_role_of_bytes(c->role), false, why);
}

static void count_work(const bndi_call *c)
{
    bnd_account *a = &c->engine->account;
    uint64_t flops = c->row->flops != NULL ? c->row->flops(c) : bndi_count(&c->shape);
    c->engine->account.flops[c->engine->phase][c->operation] += flops;
    for (unsigned i = 0; i < c->count; i++) {
        a->bytes_read += bnd_tensor_bytes(c->saved[i]);
    }
    a->bytes_written += bnd_tensor_bytes(c->saved[BNDI_OUT]);
}

static bnd_status run_call(bndi_call *c, bnd_error *why)
{
    bnd_status status = make_result(c, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    status = c->row->forward(c, why);
    bndi_leave(before);
    if (status != BND_OK) {
        bndi_drop(c->saved[BNDI_OUT]);
        bndi_buffer_release(c->kept);
        return status;
    }
    c->saved[BNDI_OUT]->buffer->version++;
    count_work(c);
    return BND_OK;
}

/* `role` is the result's, or BND_ROLES: what the row has. */
static bnd_status apply(bndi_call *c, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                        const bnd_attributes *attributes, bnd_role role, bnd_error *why)
{
    const bndi_row *row = bndi_row_of(operation);
    if (row == NULL || row->forward == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%d is no operation of tensors that can be applied", (int)operation);
    }
    bnd_status status = check_operands(row, in, count > BNDI_OPERANDS ? BNDI_OPERANDS + 1 : (unsigned)count, why);
    if (status == BND_OK) {
        status = open_call(c, operation, in, (unsigned)count, attributes, why);
    }
    if (status != BND_OK) {
        return status;
    }
    c->role = role < BND_ROLES ? role : row->careful ? BND_ROLE_CAREFUL : row->product ? BND_ROLE_FWD_Y : BND_ROLE_ACT;
    return run_call(c, why);
}

bnd_status bndi_do(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in, unsigned count,
                   const bnd_attributes *attributes, bnd_role role, bnd_error *why)
{
    bndi_call c;
    bnd_status status = apply(&c, operation, in, count, attributes, role, why);
    if (status == BND_OK) {
        bndi_buffer_release(c.kept);
        *out = c.saved[BNDI_OUT];
    }
    return status;
}

bnd_status bndi_apply_as(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                         const bnd_attributes *attributes, bnd_role role, bnd_error *why)
{
    bndi_call c;
    bnd_engine *engine = count > 0 && in[0] != NULL ? in[0]->engine : NULL;
    uint64_t casts = engine != NULL ? engine->casts : 0;
    bnd_status status = apply(&c, operation, in, count, attributes, role, why);
    if (status == BND_OK) {
        status = bndi_record(&c, in, c.saved[BNDI_OUT], why);
        if (status != BND_OK) {
            bndi_drop(c.saved[BNDI_OUT]);
        }
    }
    if (status != BND_OK) {
        if (engine != NULL) {
            engine->casts = casts; /* who tries again gets the same random bits */
        }
        return status;
    }
    bndi_owe(c.saved[BNDI_OUT]);
    *out = c.saved[BNDI_OUT];
    return BND_OK;
}

bnd_status bnd_tensor_apply(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                            const bnd_attributes *attributes, bnd_error *why)
{
    return bndi_apply_as(out, operation, in, count, attributes, BND_ROLES, why);
}

/* ---- short forms ---- */

bnd_status bnd_tensor_map(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *x, bnd_error *why)
{
    return bnd_tensor_apply(out, operation, &x, 1, NULL, why);
}

bnd_status bnd_tensor_pair(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b,
                           bnd_error *why)
{
    bnd_tensor *in[] = {a, b};
    return bnd_tensor_apply(out, operation, in, 2, NULL, why);
}

bnd_status bnd_tensor_matmul(bnd_tensor **out, bnd_tensor *a, bnd_tensor *b, bnd_error *why)
{
    return bnd_tensor_pair(out, BND_TENSOR_MATMUL, a, b, why);
}

bnd_status bnd_tensor_cast(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_rule rule, bnd_error *why)
{
    bnd_attributes attributes = {.format = f, .rule = rule};
    return bnd_tensor_apply(out, BND_TENSOR_CAST, &t, 1, &attributes, why);
}
