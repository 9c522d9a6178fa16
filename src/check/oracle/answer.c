/* From a rounded number to an answer by the rule: overflow, infinities, NaNs, signs and zeros that a format lacks,
 * flags, the ternary value and the code. */
#include "oracle/oracle.h"

/* One question, and the answer as it grows. `negative` is the sign that counts: a rule can drop the number's own. */
typedef struct question {
    bndi_oracle_work *work;
    const bndi_oracle_number *x;
    bndi_oracle_shape shape;
    bnd_rule rule;
    bool negative;
    bndi_oracle_answer *out;
} question;

/* ---- what comes out ---- */

static void raise_flags(question *q, uint32_t flags)
{
    q->out->result.flags |= flags;
}

static void give_finite(question *q, uint64_t significand, int64_t quantum, int ternary)
{
    bool negative = q->negative && (significand != 0 ? q->shape.is_signed : q->shape.negative_zero);
    q->out->value = (bndi_oracle_value){BND_ORACLE_FINITE, negative, significand, quantum};
    q->out->result.code = bndi_oracle_code_of(&q->shape, &q->out->value);
    q->out->result.ternary = ternary;
}

/* The largest finite number with q's sign. It is nearer to zero than the exact number. */
static void give_max(question *q)
{
    give_finite(q, q->shape.max.significand, q->shape.max.quantum, q->negative ? 1 : -1);
}

static void give_infinity(question *q, int ternary)
{
    q->out->value = (bndi_oracle_value){.kind = BND_ORACLE_INFINITE, .negative = q->negative};
    q->out->result.code = q->shape.infinity_code | (q->negative ? q->shape.sign_bit : 0);
    q->out->result.ternary = ternary;
}

/* A quiet NaN with this sign and, where NaNs differ, this payload. */
static void give_nan(question *q, bool negative, uint64_t payload)
{
    const bndi_oracle_shape *shape = &q->shape;
    if (shape->magnitude_bits == 0) { /* as many payload bits as a code of this precision would have */
        uint64_t kept = shape->fraction_bits == 0 ? 0 : payload >> (64 - shape->fraction_bits);
        q->out->value = (bndi_oracle_value){.kind = BND_ORACLE_NAN, .negative = negative};
        q->out->value.significand = kept << (63 - shape->fraction_bits) << 1 | UINT64_C(1) << 63;
        return;
    }
    uint64_t code = shape->nan_code;
    if (shape->quiet_bit != 0) {
        code |= payload >> (64 - shape->fraction_bits);
    }
    if (negative && shape->sign_bit != 0 && shape->nan_code != shape->sign_bit) {
        code |= shape->sign_bit;
    }
    q->out->result.code = code;
    q->out->value = bndi_oracle_value_of(shape, code);
}

static bool all_ones(const question *q)
{
    return q->rule.nan == BND_NAN_ONES || q->rule.nan == BND_NAN_SIGNED_ONES;
}

/* A NaN made of a number. */
static void make_nan(question *q)
{
    bool negative = q->rule.nan == BND_NAN_X86 || (q->rule.nan != BND_NAN_CANONICAL && q->negative);
    give_nan(q, negative, all_ones(q) ? UINT64_MAX : 0);
}

/* ---- what went in ---- */

static void answer_nan(question *q)
{
    if (q->shape.nan) {
        raise_flags(q, q->x->kind == BND_ORACLE_SIGNALING_NAN ? BND_FLAG_INVALID : 0);
        bool carry = q->rule.nan == BND_NAN_PROPAGATE || q->rule.nan == BND_NAN_X86;
        bool drop_sign = q->rule.nan == BND_NAN_CANONICAL || q->rule.nan == BND_NAN_ONES;
        give_nan(q, !drop_sign && q->negative, carry ? q->x->payload : all_ones(q) ? UINT64_MAX : 0);
        return;
    }
    raise_flags(q, BND_FLAG_INVALID);
    bndi_oracle_value instead = q->shape.max;
    q->negative = q->rule.no_nan == BND_NO_NAN_ZERO && !q->negative;
    if (q->rule.no_nan == BND_NO_NAN_ZERO) {
        instead = q->shape.zero ? (bndi_oracle_value){.significand = 0} : q->shape.least;
    }
    give_finite(q, instead.significand, instead.quantum, 0);
}

/* The sign of (value - number) for a result that was not reached by rounding; the value is not below zero. */
static int ternary_of(question *q, const bndi_oracle_value *value)
{
    if (bndi_oracle_is_zero(q->x)) {
        return value->significand != 0;
    }
    return q->negative ? 1 : -bndi_oracle_compare(q->work, q->x, value);
}

/* A zero, or what counts as one. */
static void answer_zero(question *q)
{
    if (q->shape.zero) {
        give_finite(q, 0, 0, 0);
        q->out->result.ternary = ternary_of(q, &q->out->value);
        return;
    }
    raise_flags(q, BND_FLAG_INVALID);
    if (q->rule.zero == BND_ZERO_NAN && q->shape.nan) {
        make_nan(q);
        return;
    }
    int ternary = ternary_of(q, &q->shape.least);
    q->negative = false;
    give_finite(q, q->shape.least.significand, q->shape.least.quantum, ternary);
}

/* A number below zero, or minus infinity, into a format without a sign. */
static void answer_unsigned(question *q)
{
    raise_flags(q, BND_FLAG_INVALID);
    if (q->shape.nan) {
        make_nan(q);
        return;
    }
    q->negative = false;
    if (q->shape.zero) {
        give_finite(q, 0, 0, 1);
    } else {
        give_finite(q, q->shape.least.significand, q->shape.least.quantum, 1);
    }
}

static void answer_infinity(question *q)
{
    bool format = q->rule.overflow == BND_OVERFLOW_FORMAT || q->rule.overflow == BND_OVERFLOW_PROPAGATE;
    if (q->rule.overflow != BND_OVERFLOW_SATURATE && q->shape.infinity) {
        give_infinity(q, 0);
    } else if (format && q->shape.nan) {
        raise_flags(q, BND_FLAG_INVALID);
        make_nan(q);
    } else {
        raise_flags(q, format ? BND_FLAG_INVALID | BND_FLAG_SATURATED : BND_FLAG_SATURATED);
        give_max(q);
    }
}

static void answer_overflow(question *q)
{
    raise_flags(q, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT);
    uint8_t mode = q->rule.rounding;
    bool stays =
        mode == BND_ROUND_RTZ || mode == BND_ROUND_RTO || mode == (q->negative ? BND_ROUND_RUP : BND_ROUND_RDN);
    bool leaves = q->rule.overflow == BND_OVERFLOW_FORMAT || q->rule.overflow == BND_OVERFLOW_FORMAT_MAX;
    if (!stays && leaves && q->shape.infinity) {
        give_infinity(q, q->negative ? -1 : 1);
    } else if (!stays && q->rule.overflow == BND_OVERFLOW_FORMAT && q->shape.nan) {
        make_nan(q);
    } else {
        raise_flags(q, BND_FLAG_SATURATED);
        give_max(q);
    }
}

/* Sign of |a| - |b|, both finite and not zero. */
static int compare_values(const bndi_oracle_value *a, const bndi_oracle_value *b)
{
    int64_t left = bndi_oracle_exponent(a);
    int64_t right = bndi_oracle_exponent(b);
    if (left != right) {
        return left < right ? -1 : 1;
    }
    /* The leading bits have the same exponent: compare the significands, shifted to 64 bits. */
    uint64_t high = a->significand << (63 - (left - a->quantum));
    uint64_t low = b->significand << (63 - (right - b->quantum));
    return (high > low) - (high < low);
}

static void answer_finite(question *q, uint64_t random, bndi_oracle_engine engine)
{
    bndi_oracle_choice choice;
    if (engine == BNDI_ORACLE_EITHER && bndi_oracle_mpfr_can(&q->shape, q->rule)) {
        bndi_oracle_by_mpfr(&choice, q->work, &q->shape, q->x, q->negative, q->rule);
    } else {
        bndi_oracle_by_integers(&choice, q->work, &q->shape, q->x, q->negative, q->rule, random);
    }
    bndi_oracle_value rounded = {BND_ORACLE_FINITE, q->negative, choice.significand, choice.quantum};
    if (choice.significand != 0 && compare_values(&rounded, &q->shape.max) > 0) {
        answer_overflow(q);
        return;
    }
    bool tiny = choice.tiny;
    if (q->rule.tiny_before) {
        tiny = bndi_oracle_compare(q->work, q->x, &q->shape.normal) < 0;
    }
    bool subnormal = choice.significand != 0 && compare_values(&rounded, &q->shape.normal) < 0;
    bool flushed = q->rule.flush_out == BND_FLUSH_SUBNORMAL && subnormal;
    flushed = flushed || (q->rule.flush_out == BND_FLUSH_TINY && choice.significand != 0 && tiny && q->shape.zero);
    if (flushed) {
        raise_flags(q, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO);
        give_finite(q, 0, 0, q->negative ? 1 : -1);
        return;
    }
    if (choice.ternary != 0) {
        raise_flags(q, tiny ? BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW : BND_FLAG_INEXACT);
    }
    if (choice.significand == 0) {
        raise_flags(q, BND_FLAG_TO_ZERO);
    }
    give_finite(q, choice.significand, choice.quantum, choice.ternary);
}

void bndi_oracle_apply_rule(bndi_oracle_answer *out, bndi_oracle_work *work, const bnd_format *f,
                            const bndi_oracle_number *x, bnd_rule rule, uint64_t random, bndi_oracle_engine engine)
{
    *out = (bndi_oracle_answer){.result = {0, 0, 0}};
    question q = {.work = work, .x = x, .rule = rule, .negative = x->negative, .out = out};
    bndi_oracle_describe(&q.shape, f);
    if (x->kind == BND_ORACLE_NAN || x->kind == BND_ORACLE_SIGNALING_NAN) {
        answer_nan(&q);
        return;
    }
    bool zero = bndi_oracle_is_zero(x);
    if (rule.flush_in && x->subnormal) {
        raise_flags(&q, BND_FLAG_TO_ZERO);
        zero = true;
    }
    if (zero) {
        answer_zero(&q);
        return;
    }
    if (q.negative && !q.shape.is_signed) {
        if (rule.negative == BND_NEGATIVE_NAN) {
            answer_unsigned(&q);
            return;
        }
        q.negative = false;
    }
    if (x->kind == BND_ORACLE_INFINITE) {
        answer_infinity(&q);
    } else {
        answer_finite(&q, random, engine);
    }
    if (x->negative && !q.negative && out->value.kind <= BND_ORACLE_INFINITE) {
        out->result.ternary = 1; /* the result is rounded from the magnitude, so it lies above the number */
    }
}
