/* What all checks use: the reference, the counting of comparisons, and the choice of numbers. */
#include "base/bits.h"
#include "verify/verify.h"

#include "base/base.h"
#include "verify/operands.h"

/* ---- the reference ---- */

uint64_t bndi_random_of(const bndi_inquiry *q, uint64_t purpose, uint64_t index)
{
    unsigned bits = bnd_rule_random_bits(q->rule);
    return bits == 0 ? 0 : bnd_random_bits(101, purpose, index, bits);
}

static bool is_nan(double x)
{
    return x != x;
}

static bool is_quiet(double x)
{
    uint64_t bits = bndi_bits_of_double(x);
    return (bits >> 51 & 1) != 0;
}

bnd_result bndi_reference_double(bndi_piece *p, double x, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    if (q->answers == NULL) {
        return bndi_oracle_about(&p->oracle, &q->f, x, q->rule, random);
    }
    bnd_result r = bndi_answer_at(q->answers, bndi_place_of(x));
    r.flags |= is_nan(x) && !is_quiet(x) ? (uint32_t)BND_FLAG_INVALID : 0;
    return r;
}

bnd_result bndi_reference_code(bndi_piece *p, const bnd_format *from, uint64_t code, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    if (q->answers == NULL) {
        bndi_oracle_answer answer;
        bndi_oracle_set_code(&p->oracle.exact, from, code);
        bndi_oracle_apply_rule(&answer, &p->oracle.work, &q->f, &p->oracle.exact, q->rule, random, BNDI_ORACLE_EITHER);
        return answer.result;
    }
    double x;
    bool signals = bnd_oracle_decode(&x, from, code) == BND_ORACLE_SIGNALING_NAN;
    bnd_result r = bndi_answer_at(q->answers, bndi_place_of(x));
    r.flags |= signals ? (uint32_t)BND_FLAG_INVALID : 0;
    return r;
}

bnd_result bndi_reference_by_oracle(bndi_piece *p, bnd_operation operation, const uint64_t *codes, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    const bnd_format *const from[] = {&q->f, &q->f, &q->f};
    bndi_oracle_answer answer;
    bndi_oracle_operate(&answer, &p->oracle, &q->f, bndi_oracle_operation_named(bnd_operation_name(operation)), from,
                        codes, q->rule, random);
    return answer.result;
}

bnd_result bndi_reference_operation(bndi_piece *p, bnd_operation operation, const uint64_t *codes, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    bool searches = operation == BND_OP_NEXT_UP || operation == BND_OP_NEXT_DOWN; /* over all codes */
    bool signs = operation == BND_OP_NEG || operation == BND_OP_ABS;              /* of NaNs too */
    bool asks = signs || (searches && q->f.width > 8) || (q->exhaustive && bnd_operation_operands(operation) == 1);
    if (q->answers == NULL || asks) {
        return bndi_reference_by_oracle(p, operation, codes, random);
    }
    bndi_narrow_operand x[BND_OPERANDS_MAX];
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        bool integer = operation == BND_OP_SCALB && i == 1;
        uint64_t code = codes[i] & ((UINT64_C(1) << q->f.width) - 1);
        x[i] = integer ? (bndi_narrow_operand){.code = codes[i]} : q->operands[code];
    }
    bndi_narrow_exact exact = bndi_narrow_exact_of(operation, &q->f, x);
    return bndi_narrow_answer(q->answers, operation, &exact);
}

bool bndi_is_narrow(const bnd_format *f, bnd_rule rule, bool exhaustive)
{
    /* The table has one NaN per sign for conversions, and one for operations. It does not hold a NaN's payload, the
       sign of a NaN operand, or whether a number was subnormal in its source format; so rules that depend on these
       are excluded. Building the table of a format of up to 20 bits is worth its cost only if every float is
       checked. */
    bool by_value = bnd_rule_random_bits(rule) == 0 && rule.nan <= BND_NAN_CANONICAL && !rule.flush_in;
    return by_value && bndi_answers_can(f) && (exhaustive || f->width <= 16);
}

/* ---- counting ---- */

bnd_verify_counterexample *bndi_count_case(bndi_piece *p, bool holds, const char *what, bnd_result got, bnd_result want)
{
    p->out->cases++;
    if (holds) {
        return NULL;
    }
    p->out->mismatches++;
    if (p->out->shown == BND_VERIFY_COUNTEREXAMPLES_MAX) {
        return NULL;
    }
    bnd_verify_counterexample *c = &p->out->first[p->out->shown++];
    *c = (bnd_verify_counterexample){.to = p->q->f, .rule = p->q->rule, .got = got, .want = want};
    bndi_text text = bndi_text_in(c->what, sizeof c->what);
    bndi_text_string(&text, what);
    return c;
}

void bndi_compare_one(bndi_piece *p, const char *what, const bnd_format *from, uint64_t code, uint64_t random,
                      bnd_result got, bnd_result want)
{
    bnd_verify_counterexample *c = bndi_count_case(p, bndi_same_result(got, want), what, got, want);
    if (c != NULL) {
        c->operands = 1;
        c->from[0] = *from;
        c->codes[0] = code;
        c->random = random;
    }
}

/* ---- what is tried ---- */

/* A midpoint has `precision` bits behind the leading one. A float's upper half holds seven of them; the others are the
 * first `deep` bits of the lower half. For each pattern of these: the number itself, its neighbours, and any number
 * that starts so. Subnormal numbers have fewer bits. */
static unsigned deep_bits(const bndi_inquiry *q)
{
    enum { UPPER = 7, MOST = 5 };
    unsigned bits = q->f.precision <= UPPER ? 0 : q->f.precision - UPPER;
    return q->answers == NULL && !bndi_is_narrow(&q->f, q->rule, q->exhaustive) ? (bits < 1 ? bits : 1)
           : bits < MOST                                                        ? bits
                                                                                : MOST;
}

uint64_t bndi_float_count(const bndi_inquiry *q)
{
    return q->exhaustive ? UINT64_C(1) << 32 : UINT64_C(1) << (16 + 2 + deep_bits(q));
}

uint32_t bndi_float_at(const bndi_inquiry *q, uint64_t index)
{
    if (q->exhaustive) {
        return (uint32_t)index;
    }
    unsigned deep = deep_bits(q);
    uint32_t upper = (uint32_t)(index >> (2 + deep)) << 16, pattern = (uint32_t)(index >> 2) & ((1u << deep) - 1);
    uint32_t at = upper | pattern << (16 - deep);
    switch (index & 3) {
    case 0:
        return at;
    case 1:
        return at + 1;
    case 2:
        return at - 1;
    default:
        return at | ((uint32_t)bnd_random(103, 0, index) & (0xffff >> deep));
    }
}

uint64_t bndi_code_count(const bndi_inquiry *q, uint64_t most)
{
    bool all = q->f.width < 64 && UINT64_C(1) << q->f.width <= most;
    return all ? UINT64_C(1) << q->f.width : most;
}

uint64_t bndi_code_at(const bndi_inquiry *q, uint64_t most, uint64_t index)
{
    if (q->f.width < 64 && UINT64_C(1) << q->f.width <= most) {
        return index;
    }
    uint64_t code;
    const bnd_format *const from[] = {&q->f};
    bndi_stratified_operands(&code, BND_OP_CONVERT, from, 107, index);
    return q->f.width < 64 ? code & ((UINT64_C(1) << q->f.width) - 1) : code;
}
