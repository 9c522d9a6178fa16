/* Every operation is applied here: work type, formats, result, forward, tape, counts. */
#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/tape.h"

/* ---- a call ---- */

static bnd_status check_operands(const bndi_row *row, bnd_tensor *const *in, unsigned count, bnd_error *why)
{
    if (count < row->least || count > row->most) {
        return row->least == row->most ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s takes %u operand%s; got %u", row->name,
                                                  row->least, row->least == 1 ? "" : "s", count)
                                       : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s takes %u to %u operands; got %u",
                                                  row->name, row->least, row->most, count);
    }
    return bndi_check_operands(in, count, row->name, why);
}

static bnd_status check_attributes(const bndi_row *row, const bnd_attributes *a, bnd_error *why)
{
    if (a->axes > BND_TENSOR_RANK_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: there are at most %d axes, not %u", row->name,
                        (int)BND_TENSOR_RANK_MAX, (unsigned)a->axes);
    }
    return a->format != NULL ? bnd_rule_check(a->rule, why) : BND_OK;
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

/* `role` is the result's, or BND_ROLE_COUNT: what the row has. */
static bnd_status apply(bndi_call *c, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                        const bnd_attributes *attributes, bnd_role role, bnd_error *why)
{
    const bndi_row *row = bndi_row_of(operation);
    if (row == NULL || row->forward == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown tensor operation %d", (int)operation);
    }
    while (count > row->least && count <= BNDI_OPERANDS && in[count - 1] == NULL) { /* left out */
        count--;
    }
    bnd_status status = check_operands(row, in, count > BNDI_OPERANDS ? BNDI_OPERANDS + 1 : (unsigned)count, why);
    status = status == BND_OK && attributes != NULL ? check_attributes(row, attributes, why) : status;
    if (status == BND_OK) {
        status = open_call(c, operation, in, (unsigned)count, attributes, why);
    }
    if (status != BND_OK) {
        return status;
    }
    const bnd_role told = c->attributes.role;
    if (told != BND_ROLE_PARAM && (row != &bndi_matmul_row || (told != BND_ROLE_ATTN_S && told != BND_ROLE_ATTN_O))) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the role must be 0, or, of matmul, attn.s or attn.o", row->name);
    }
    c->role = role < BND_ROLE_COUNT    ? role
              : told != BND_ROLE_PARAM ? told
              : row->careful           ? BND_ROLE_CAREFUL
              : row->product           ? BND_ROLE_FWD_Y
                                       : BND_ROLE_ACT;
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
    return bndi_apply_as(out, operation, in, count, attributes, BND_ROLE_COUNT, why);
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
    return bnd_tensor_pair(out, BND_TENSOR_OP_MATMUL, a, b, why);
}

bnd_status bnd_tensor_cast(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_rule rule, bnd_error *why)
{
    bnd_attributes attributes = {.format = f, .rule = rule};
    return bnd_tensor_apply(out, BND_TENSOR_OP_CAST, &t, 1, &attributes, why);
}
