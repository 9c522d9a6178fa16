/* Codes in, a code out: operands unpacked, the exact result rounded once. */
#include "arith/arith.h"

void bndi_take(bndi_question *q, unsigned i, const bnd_format *from, uint64_t code)
{
    bnd_exact *x = &q->x[i];
    bndi_unpack(x, from, code);
    if (q->rule.flush_in && x->kind == BND_FINITE && bndi_exponent(x) < from->emin) {
        *x = (bnd_exact){.kind = BND_ZERO, .negative = x->negative};
        q->flags |= BND_FLUSHED;
    }
}

static bnd_result finish(const bnd_format *to, bnd_operation operation, bndi_question *q)
{
    bnd_exact exact;
    bnd_rounded r;
    bndi_answer(&exact, operation, q);
    bndi_round(&r, to, &exact, q->rule, q->random);
    if (r.ternary == 0 && r.value.kind < BND_QUIET_NAN) {
        r.ternary = q->ternary;
    }
    return (bnd_result){.code = bndi_pack(to, &r.value), .flags = r.flags | q->flags, .ternary = r.ternary};
}

bnd_result bnd_operate(const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                       const uint64_t *codes, bnd_rule rule, uint64_t random)
{
    unsigned operands = bnd_operation_operands(operation);
    if (operands == 0) {
        return (bnd_result){.flags = BND_INVALID};
    }
    if (operation == BND_CONVERT) {
        return bnd_convert(to, from[0], codes[0], rule, random);
    }
    bndi_question q = {.format = from[0], .rule = rule, .random = random};
    for (unsigned i = 0; i < operands; i++) {
        if (operation == BND_SCALB && i == 1) {
            q.x[i] = bnd_exact_int64((int64_t)codes[i]);
        } else {
            bndi_take(&q, i, from[i], codes[i]);
        }
    }
    return finish(to, operation, &q);
}
