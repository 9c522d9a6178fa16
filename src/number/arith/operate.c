/* Codes in, a code out: operands unpacked, the exact result rounded once. */
#include "arith/arith.h"

void bnd_lab_take(bndi_question *q, unsigned i, const bnd_format *from, uint64_t code)
{
    bnd_exact *x = &q->x[i];
    bnd_lab_unpack(x, from, code);
    if (q->rule.flush_in && x->kind == BND_KIND_FINITE && bndi_exponent(x) < from->emin) {
        *x = (bnd_exact){.kind = BND_KIND_ZERO, .negative = x->negative};
        q->flags |= BND_FLAG_TO_ZERO;
    }
}

static bnd_result round_answer(const bnd_format *to, bnd_operation operation, bndi_question *q)
{
    bnd_exact exact;
    bnd_rounded r;
    bndi_answer(&exact, operation, q);
    bndi_round(&r, to, &exact, q->rule, q->random);
    if (r.ternary == 0 && r.value.kind < BND_KIND_QUIET_NAN) {
        r.ternary = q->ternary;
    }
    return (bnd_result){.code = bndi_pack(to, &r.value), .flags = r.flags | q->flags, .ternary = r.ternary};
}

/* neg and abs in one format change only the code's sign bit. The code stays if the format has no sign, or if the code
 * without the sign is the only zero and the code with it the only NaN (fnuz). */
static uint64_t result_with_sign(const bnd_format *f, bnd_operation operation, uint64_t code)
{
    uint64_t sign = UINT64_C(1) << bnd_magnitude_bits(f), magnitude = code & (sign - 1);
    code = f->is_signed ? code & (sign | (sign - 1)) : magnitude;
    if (!f->is_signed || (magnitude == 0 && !f->has_negative_zero)) {
        return code;
    }
    return operation == BND_OP_NEG ? code ^ sign : magnitude;
}

bool bndi_is_quiet(const bnd_format *to, bnd_operation operation, const bnd_format *from)
{
    bool turns = operation == BND_OP_ABS || (operation == BND_OP_NEG && to->is_signed);
    return turns && to->width != 0 && bnd_format_same(to, from);
}

bnd_result bnd_operate(const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                       const uint64_t *codes, bnd_rule rule, uint64_t random)
{
    unsigned operands = bnd_operation_operands(operation);
    if (operands == 0 || !bndi_serves(operation, from[0])) {
        return (bnd_result){.flags = BND_FLAG_INVALID};
    }
    if (bndi_is_quiet(to, operation, from[0])) {
        return (bnd_result){.code = result_with_sign(to, operation, codes[0])};
    }
    if (operation == BND_OP_CONVERT) {
        return bnd_convert(to, from[0], codes[0], rule, random);
    }
    bndi_question q = {.format = from[0], .rule = bnd_rule_of_operation(rule), .random = random};
    for (unsigned i = 0; i < operands; i++) {
        if (operation == BND_OP_SCALB && i == 1) {
            q.x[i] = bnd_exact_int64((int64_t)codes[i]);
        } else {
            bnd_lab_take(&q, i, from[i], codes[i]);
        }
    }
    return round_answer(to, operation, &q);
}
