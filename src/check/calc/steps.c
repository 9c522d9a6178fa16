/* Evaluation with every term rounded, in order. */
#include "calc/calc.h"

/* Read before: it cannot fail again but for memory, and then it is a NaN and says so. */
static bnd_result number(const bnd_term *t, const char *text, const bnd_format *f, bnd_rule rule, uint64_t random)
{
    bnd_exact value;
    bndi_constant constant = bndi_constant_named(text + t->from, t->length);
    if (constant != BNDI_NO_CONSTANT) {
        value = bndi_constant_exact(constant);
    } else if (bnd_parse_exact_n(&value, text + t->from, t->length, NULL) != BND_OK) {
        value = (bnd_exact){.kind = BND_KIND_SIGNALING_NAN, .high = 1};
    }
    value.negative = value.negative != t->negative;
    return bnd_encode_exact(f, value, rule, random);
}

/* ---- sums ---- */

static bnd_result first_sum(const bnd_format *to, bnd_rule rule)
{
    return bnd_encode_exact(to, (bnd_exact){.kind = BND_KIND_ZERO}, rule, 0);
}

bnd_result bnd_add_repeatedly(const bnd_format *to, const bnd_format *from, uint64_t code, uint64_t times,
                              bnd_rule rule, uint64_t seed, uint64_t purpose, uint64_t *moves)
{
    const bnd_format *const formats[BND_OPERANDS_MAX] = {to, from};
    unsigned bits = bnd_rule_random_bits(rule);
    bnd_result sum = first_sum(to, rule);
    uint64_t moved = 0;
    for (uint64_t i = 0; i < times; i++) {
        uint64_t codes[] = {sum.code, code}, random = bits > 0 ? bnd_random_bits(seed, purpose, i, bits) : 0;
        bnd_result next = bnd_operate(to, BND_OP_ADD, formats, codes, rule, random);
        bool same = next.code == sum.code;
        next.flags |= sum.flags;
        bool settled = same && next.flags == sum.flags && next.ternary == sum.ternary;
        sum = next;
        moved = same ? moved : i + 1;
        if (settled && bits == 0) {
            break; /* so will be every addition that follows */
        }
    }
    if (moves != NULL) {
        *moves = moved;
    }
    return sum;
}

/* ---- terms ---- */

/* What a term is worked out of: the formats of its result and its operands, and their codes. */
typedef struct work {
    bnd_format own, of[BND_OPERANDS_MAX];
    const bnd_format *from[BND_OPERANDS_MAX];
    uint64_t codes[BND_OPERANDS_MAX];
} work;

static void prepare(work *w, const bnd_term *terms, const bnd_term *t, const bnd_result *results, const char *text,
                    const bnd_format *f)
{
    w->own = bnd_term_format(t, text, f);
    for (size_t i = 0; i < BND_OPERANDS_MAX; i++) {
        w->from[i] = f;
        w->codes[i] = 0;
        if (i < t->operands) {
            w->of[i] = bnd_term_format(&terms[t->operand[i]], text, f);
            w->from[i] = &w->of[i];
            w->codes[i] = results[t->operand[i]].code;
        }
    }
    if (t->kind == BND_TERM_OPERATION && t->operation == BND_OP_SCALB) {
        w->codes[1] = (uint64_t)t->integer;
    }
}

static bnd_result round_term(const work *w, const bnd_term *t, size_t index, const char *text, bnd_rule rule,
                             uint64_t seed)
{
    unsigned bits = bnd_rule_random_bits(rule);
    uint64_t random = bits > 0 ? bnd_random_bits(seed, 0, index, bits) : 0;
    switch (t->kind) {
    case BND_TERM_CODE:
        return (bnd_result){.code = t->code};
    case BND_TERM_NUMBER:
        return number(t, text, &w->own, rule, random);
    case BND_TERM_POWER:
        return bndi_round_power(&w->own, w->from[0], w->codes[0], t->integer, rule, random);
    case BND_TERM_SUM:
        return bnd_add_repeatedly(&w->own, w->from[0], w->codes[0], (uint64_t)t->integer, rule, seed, index + 1, NULL);
    default:
        return bnd_operate(&w->own, t->operation, w->from, w->codes, rule, random);
    }
}

void bnd_expression_round(bnd_result *results, const bnd_term *terms, size_t count, const char *text,
                          const bnd_format *f, bnd_rule rule, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        work w;
        prepare(&w, terms, &terms[i], results, text, f);
        results[i] = round_term(&w, &terms[i], i, text, rule, seed);
    }
}
