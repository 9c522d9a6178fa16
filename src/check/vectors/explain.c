/* The position of an exact result among a format's values, and the reason for the rule's answer. */
#include "vectors/vectors.h"

const char *bnd_vector_case_name(bnd_vector_case_kind kind)
{
    static const char *const names[BND_VECTOR_CASE_COUNT] = {"exact",    "below half", "tie", "above half",
                                                             "overflow", "infinite",   "nan"};
    return (unsigned)kind < BND_VECTOR_CASE_COUNT ? names[kind] : "";
}

/* Between zero and the smallest number: twice the number is compared with the smallest one. */
static bnd_vector_case_kind below_least(const bnd_format *f, bnd_exact x)
{
    x.exponent++;
    int order = bndi_vector_compare_least(f, x);
    return order < 0 ? BND_VECTOR_CASE_BELOW_HALF : order == 0 ? BND_VECTOR_CASE_TIE : BND_VECTOR_CASE_ABOVE_HALF;
}

/* Rounded toward zero and away to the format without its limit, and to that with a bit more: what is a value of the
 * second and not of the first is a tie. */
bnd_vector_case_kind bndi_vector_case_of(const bnd_format *f, const bnd_format *unlimited, const bnd_format *finer,
                                         const bnd_exact *x)
{
    if (x->kind == BND_KIND_ZERO) {
        return BND_VECTOR_CASE_EXACT;
    }
    if (x->kind != BND_KIND_FINITE) {
        return x->kind == BND_KIND_INFINITE ? BND_VECTOR_CASE_INFINITE : BND_VECTOR_CASE_NAN;
    }
    if (bndi_vector_compare_least(f, *x) < 0) {
        return below_least(f, *x);
    }
    bnd_rule toward_zero = {.rounding = BND_ROUND_RTZ}, away = {.rounding = BND_ROUND_RNA};
    bnd_rounded nearest = bnd_round_exact(unlimited, *x, (bnd_rule){0}, 0);
    bnd_exact largest = {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
    nearest.value.negative = false;
    if (nearest.value.kind == BND_KIND_FINITE && bnd_exact_compare(nearest.value, largest) > 0) {
        return BND_VECTOR_CASE_OVERFLOW;
    }
    if (nearest.ternary == 0) {
        return BND_VECTOR_CASE_EXACT;
    }
    if (bnd_round_exact(finer, *x, toward_zero, 0).ternary == 0) {
        return BND_VECTOR_CASE_TIE;
    }
    int32_t outward = bnd_round_exact(unlimited, *x, away, 0).ternary;
    return (outward > 0) != x->negative ? BND_VECTOR_CASE_ABOVE_HALF : BND_VECTOR_CASE_BELOW_HALF;
}

/* ---- sentences ---- */

static void write_number(bndi_text *out, bnd_exact x)
{
    enum { DIGITS = 17 };
    char number[64];
    bnd_exact cut = x;
    cut.sticky = false;
    bnd_print_digits(number, sizeof number, cut, DIGITS);
    bndi_text_string(out, number);
}

static void write_choice(bndi_text *out, const char *key, const char *value)
{
    bndi_text_string(out, key);
    bndi_text_char(out, '=');
    bndi_text_string(out, value);
}

static void write_nan(bndi_text *out, const bnd_vectors *v, bool invalid, bool operand)
{
    bndi_text_string(out, operand ? "an operand is a NaN" : "the operation has no result");
    bndi_text_string(out, operand && invalid ? ", a signaling one" : "");
    if (v->out.has_nan) {
        bndi_text_string(out, ": ");
        write_choice(out, "nan", bnd_nan_name(bnd_rule_nan(v->rule)));
    } else {
        bndi_text_string(out, ", and the format has none: ");
        write_choice(out, "no-nan", v->rule.no_nan == BND_NO_NAN_ZERO ? "zero" : "max");
    }
}

static void write_outcome(bndi_text *out, const bnd_vectors *v, bnd_exact value)
{
    (void)v;
    bndi_text_string(out, " makes it ");
    write_number(out, value);
}

/* Where the number lies between its neighbours, and which of them the mode takes. */
static void write_between(bndi_text *out, const bnd_vectors *v, const bnd_exact *x, bnd_vector_case_kind kind,
                          const bnd_rounded *r, uint64_t random)
{
    static const char *const where[] = {
        [BND_VECTOR_CASE_EXACT] = " is between ",
        [BND_VECTOR_CASE_BELOW_HALF] = " is nearer to the smaller in magnitude of ",
        [BND_VECTOR_CASE_TIE] = " is halfway between ",
        [BND_VECTOR_CASE_ABOVE_HALF] = " is nearer to the larger in magnitude of ",
    };
    bnd_exact below, above;
    write_number(out, *x);
    bool has_both = bnd_neighbour(&below, &v->out, *x, -1) && bnd_neighbour(&above, &v->out, *x, 1);
    if (has_both) {
        bndi_text_string(out, where[kind <= BND_VECTOR_CASE_ABOVE_HALF ? kind : BND_VECTOR_CASE_EXACT]);
        write_number(out, below);
        bndi_text_string(out, " and ");
        write_number(out, above);
    }
    bndi_text_string(out, ": ");
    write_choice(out, "round", bnd_rounding_name(bnd_rule_rounding(v->rule)));
    if (bnd_rule_random_bits(v->rule) > 0) {
        bndi_text_string(out, " with the random bits 0x");
        bndi_text_unsigned(out, random, 16, 1);
    }
    bndi_text_string(out, " takes ");
    write_number(out, r->value);
}

static bool any_nan(const bnd_vectors *v, const uint64_t *operands)
{
    for (unsigned i = 0; i < v->operands; i++) {
        bnd_exact x = bnd_unpack(bnd_vectors_format(v, i), operands[i]);
        if (bndi_vector_sticks(&x)) {
            return true;
        }
    }
    return false;
}

static void write_finite(bndi_text *text, const bnd_vectors *v, const bnd_exact *x, bnd_vector_case_kind kind,
                         const bnd_rounded *r, uint64_t random)
{
    if (x->negative && !v->out.is_signed) {
        write_number(text, *x);
        bndi_text_string(text, " is negative, and the format has no sign: ");
        write_choice(text, "negative", v->rule.negative == BND_NEGATIVE_NAN ? "nan" : "magnitude");
    } else if (kind == BND_VECTOR_CASE_OVERFLOW || (r->flags & BND_FLAG_OVERFLOW) != 0) {
        write_number(text, *x);
        bndi_text_string(text, " is beyond the largest number, ");
        write_number(
            text, (bnd_exact){.low = v->out.max_significand, .exponent = v->out.max_quantum, .kind = BND_KIND_FINITE});
        bndi_text_string(text, ": ");
        write_choice(text, "overflow", bnd_overflow_name(bnd_rule_overflow(v->rule)));
        write_outcome(text, v, r->value);
    } else if (r->ternary == 0) {
        write_number(text, *x);
        bndi_text_string(text, " is a value of the format");
    } else {
        write_between(text, v, x, kind, r, random);
    }
    if ((r->flags & BND_FLAG_TO_ZERO) != 0 && v->rule.flush_out) {
        bool tiny = v->rule.flush_out == BND_FLUSH_TINY;
        bndi_text_string(text, tiny ? "; flush-out=tiny: tiny results become zero"
                                    : "; flush-out=yes: subnormal results become zero");
    } else if ((r->flags & BND_FLAG_UNDERFLOW) != 0) {
        bndi_text_string(text, "; tiny and inexact: underflow");
    }
}

size_t bnd_vector_explain(char *out, size_t size, const bnd_vectors *v, const uint64_t *operands, uint64_t random)
{
    bndi_text text = bndi_text_in(out, size);
    uint32_t flags;
    bnd_exact x = bndi_vector_exact(v, operands, v->rule, random, &flags);
    bnd_rounded r = bnd_round_exact(&v->out, x, v->rule, random);
    if ((flags & BND_FLAG_TO_ZERO) != 0) {
        bndi_text_string(&text, "flush-in=yes makes a subnormal operand zero; ");
    }
    if (bndi_vector_sticks(&x)) {
        write_nan(&text, v, (flags & BND_FLAG_INVALID) != 0, any_nan(v, operands));
    } else if (x.kind == BND_KIND_INFINITE) {
        bndi_text_string(&text, (flags & BND_FLAG_DIVBYZERO) != 0 ? "a division by zero is infinite"
                                                                  : "the result is infinite");
        if (!v->out.has_infinity || v->rule.overflow == BND_OVERFLOW_SATURATE) {
            bndi_text_string(&text, ": ");
            write_choice(&text, "overflow", bnd_overflow_name(bnd_rule_overflow(v->rule)));
            write_outcome(&text, v, r.value);
        }
    } else if (x.kind == BND_KIND_ZERO) {
        bndi_text_string(&text,
                         v->out.has_zero ? "the result is zero" : "the result is zero, and the format has none: ");
        if (!v->out.has_zero) {
            write_choice(&text, "zero", v->rule.zero == BND_ZERO_NAN ? "nan" : "least");
        } else if (x.negative) {
            bndi_text_string(&text, v->out.has_negative_zero ? ", a negative one" : "; the format has no negative one");
        }
    } else {
        bnd_format unlimited = bndi_vector_unlimited(&v->out, 0), finer = bndi_vector_unlimited(&v->out, 1);
        write_finite(&text, v, &x, bndi_vector_case_of(&v->out, &unlimited, &finer, &x), &r, random);
    }
    return text.length;
}
