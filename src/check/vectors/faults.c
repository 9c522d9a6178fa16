/* Faults of units that no rule describes. Each is a function that makes the same mistake: it returns the code that a
 * unit with this fault gives. To add a fault, add a function and its row. */
#include "vectors/faults.h"

#include "vectors/cases.h"

typedef bndi_fault_line question;
typedef uint64_t fault_code(const question *q, const bndi_fault *fault);

/* ---- what they share ---- */

static uint64_t sign_bit(const bnd_format *f)
{
    return f->is_signed ? UINT64_C(1) << (f->width - 1u) : 0;
}

static uint64_t magnitude_of(const question *q, uint64_t code)
{
    return code & ~sign_bit(&q->vectors->out);
}

static bool is_number(const question *q)
{
    return q->exact->kind == BND_KIND_FINITE;
}

static bool is_below_normal(const question *q)
{
    return is_number(q) && bndi_vector_exponent(q->exact) < q->vectors->out.emin;
}

static bool is_tie(const question *q)
{
    return q->lies == BND_VECTOR_CASE_TIE;
}

static bool is_beyond(const question *q)
{
    return is_number(q) && bndi_vector_is_beyond(&q->vectors->out, *q->exact);
}

static uint64_t code_of(const question *q, bnd_exact x)
{
    return bnd_encode_exact(&q->vectors->out, x, q->vectors->rule, 0).code;
}

static uint64_t code_by(const question *q, bnd_rounding rounding)
{
    bnd_rule rule = q->vectors->rule;
    rule.rounding = (uint8_t)rounding;
    return bnd_encode_exact(&q->vectors->out, *q->exact, rule, 0).code;
}

/* The number as a value of another format; a zero keeps the sign. */
static bnd_exact in_format(const bnd_format *f, bnd_exact x, bnd_rule rule)
{
    bnd_exact out = bnd_round_exact(f, x, rule, 0).value;
    out.negative = x.negative;
    return out;
}

static bnd_exact operand(const question *q, unsigned i)
{
    const bnd_format *f = bnd_vectors_format(q->vectors, i);
    bnd_exact x = bnd_unpack(f, q->line->operands[i]);
    bool flushed = q->vectors->rule.flush_in && bnd_classify(f, x) == BND_CLASS_SUBNORMAL;
    return flushed ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative} : x;
}

static bnd_exact operated(const question *q, bnd_operation operation, bnd_exact a, bnd_exact b, bnd_exact c)
{
    const bnd_exact x[BND_OPERANDS_MAX] = {a, b, c};
    uint32_t flags = 0;
    return bnd_operate_exact(operation, &q->vectors->in[0], x, q->vectors->rule, 0, &flags);
}

/* The result of an operation, rounded as the unit rounds, for another operation. */
static bnd_exact rounded(const question *q, bnd_operation operation, bnd_exact a, bnd_exact b, bnd_exact c)
{
    return bnd_round_exact(&q->vectors->out, operated(q, operation, a, b, c), q->vectors->rule, 0).value;
}

/* ---- rounding ---- */

static uint64_t rounds_twice(const question *q, const bndi_fault *fault)
{
    const bnd_rule first = {.rounding = q->vectors->rule.rounding};
    return is_number(q) ? code_of(q, in_format(&fault->other, *q->exact, first)) : q->want;
}

static uint64_t loses_sticky(const question *q, const bndi_fault *fault)
{
    const bnd_rule cut = {.rounding = BND_ROUND_RTZ};
    return is_number(q) ? code_of(q, in_format(&fault->other, *q->exact, cut)) : q->want;
}

static uint64_t ties_to_zero(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return is_tie(q) ? code_by(q, BND_ROUND_RTZ) : q->want;
}

static uint64_t ties_up(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return is_tie(q) ? code_by(q, q->exact->negative ? BND_ROUND_RTZ : BND_ROUND_RNA) : q->want;
}

static uint64_t loses_carry(const question *q, const bndi_fault *fault)
{
    const bnd_format *f = &q->vectors->out;
    uint64_t up = magnitude_of(q, q->want), cut = magnitude_of(q, code_by(q, BND_ROUND_RTZ));
    bool carried = up > cut && up >> f->fraction_bits != cut >> f->fraction_bits && up <= f->max_code;
    (void)fault;
    return is_number(q) && carried ? q->want - (UINT64_C(1) << f->fraction_bits) : q->want;
}

/* ---- exponents and formats ---- */

static uint64_t gives_half(const question *q, const bndi_fault *fault)
{
    bnd_exact x = *q->exact;
    x.exponent--;
    (void)fault;
    return is_number(q) ? code_of(q, x) : q->want;
}

static uint64_t gives_twice(const question *q, const bndi_fault *fault)
{
    bnd_exact x = *q->exact;
    x.exponent++;
    (void)fault;
    return is_number(q) ? code_of(q, x) : q->want;
}

static uint64_t gives_other_codes(const question *q, const bndi_fault *fault)
{
    return bnd_encode_exact(&fault->other, *q->exact, q->vectors->rule, 0).code;
}

static uint64_t overflows_early(const question *q, const bndi_fault *fault)
{
    bnd_exact x = {
        .low = 1, .exponent = q->vectors->out.emax + 2, .kind = BND_KIND_FINITE, .negative = q->exact->negative};
    (void)fault;
    return is_beyond(q) ? code_of(q, x) : q->want;
}

/* How the result would be without a largest number. */
static bnd_exact without_limit(const question *q)
{
    return bnd_round_exact(q->unlimited, *q->exact, q->vectors->rule, 0).value;
}

static uint64_t takes_next_code(const question *q, const bndi_fault *fault)
{
    const bnd_format *f = &q->vectors->out;
    bnd_exact next = {.low = f->max_significand + 1, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
    bnd_exact x = is_beyond(q) ? without_limit(q) : *q->exact;
    uint64_t sign = x.negative ? sign_bit(f) : 0;
    x.negative = false;
    (void)fault;
    return is_beyond(q) && bnd_exact_compare(x, next) == 0 ? sign | (f->max_code + 1) : q->want;
}

static uint64_t wraps_around(const question *q, const bndi_fault *fault)
{
    const bnd_format *f = &q->vectors->out;
    (void)fault;
    if (!is_beyond(q)) {
        return q->want;
    }
    bnd_exact x = without_limit(q);
    int32_t exponent = bndi_vector_exponent(&x), down = exponent - f->fraction_bits - x.exponent;
    uint64_t significand = down >= 0 ? x.low >> down : x.low << -down; /* with fraction_bits bits behind its one */
    uint64_t field = (uint64_t)(exponent + f->bias - 1), code = (field << f->fraction_bits) + significand;
    return exponent <= f->emax ? q->want : code % bndi_magnitudes(f) | (x.negative ? sign_bit(f) : 0);
}

/* ---- special results ---- */

static uint64_t drops_sign(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return magnitude_of(q, q->want);
}

static uint64_t positive_zero(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return magnitude_of(q, q->want) == 0 ? 0 : q->want;
}

static uint64_t positive_exact_zero(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return q->exact->kind == BND_KIND_ZERO ? 0 : q->want;
}

static uint64_t never_zero(const question *q, const bndi_fault *fault)
{
    uint64_t sign = q->exact->negative ? sign_bit(&q->vectors->out) : 0;
    (void)fault;
    return is_number(q) && magnitude_of(q, q->want) == 0 ? sign | 1 : q->want;
}

static uint64_t nan_to_zero(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return bndi_vector_sticks(q->exact) ? 0 : q->want;
}

static uint64_t nan_to_largest(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return bndi_vector_sticks(q->exact) ? q->vectors->out.max_code : q->want;
}

static uint64_t nan_to_infinity(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return bndi_vector_sticks(q->exact) ? q->vectors->out.infinity_code : q->want;
}

/* ---- results below the normal numbers ---- */

static uint64_t zero_below_normal(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return is_below_normal(q) ? (q->exact->negative ? sign_bit(&q->vectors->out) : 0) : q->want;
}

static uint64_t cuts_below_normal(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return is_below_normal(q) ? code_by(q, BND_ROUND_RTZ) : q->want;
}

static uint64_t away_below_normal(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return is_below_normal(q) ? code_by(q, BND_ROUND_RNA) : q->want;
}

static uint64_t half_below_normal(const question *q, const bndi_fault *fault)
{
    return is_below_normal(q) ? gives_half(q, fault) : q->want;
}

/* ---- operations ---- */

static uint64_t swaps_operands(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return code_of(q, operated(q, q->vectors->operation, operand(q, 1), operand(q, 0), (bnd_exact){0}));
}

static uint64_t divides_by_reciprocal(const question *q, const bndi_fault *fault)
{
    const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
    bnd_exact reciprocal = rounded(q, BND_OP_DIV, one, operand(q, 1), one);
    (void)fault;
    return code_of(q, operated(q, BND_OP_MUL, operand(q, 0), reciprocal, one));
}

static uint64_t rounds_product(const question *q, const bndi_fault *fault)
{
    bnd_exact c = operand(q, 2), product = rounded(q, BND_OP_MUL, operand(q, 0), operand(q, 1), c);
    (void)fault;
    return code_of(q, operated(q, BND_OP_ADD, product, c, c));
}

static uint64_t subtracts_third(const question *q, const bndi_fault *fault)
{
    bnd_exact c = operand(q, 2);
    c.negative = !c.negative;
    (void)fault;
    return code_of(q, operated(q, BND_OP_FMA, operand(q, 0), operand(q, 1), c));
}

/* The sum of the products, each step rounded; `fused`: product and sum in one step. */
static uint64_t in_order(const question *q, bool fused)
{
    const unsigned n = q->vectors->pairs;
    bnd_exact sum = rounded(q, BND_OP_MUL, operand(q, 0), operand(q, n), (bnd_exact){0});
    for (unsigned i = 1; i < n; i++) {
        bnd_exact a = operand(q, i), b = operand(q, n + i);
        sum = fused ? rounded(q, BND_OP_FMA, a, b, sum)
                    : rounded(q, BND_OP_ADD, sum, rounded(q, BND_OP_MUL, a, b, sum), sum);
    }
    return code_of(q, sum);
}

static uint64_t fused_in_order(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return in_order(q, true);
}

static uint64_t rounds_each_step(const question *q, const bndi_fault *fault)
{
    (void)fault;
    return in_order(q, false);
}

/* ---- which descriptions they apply to ---- */

static bool is_operation(const bnd_vectors *v, bnd_operation operation)
{
    return v->kind == BND_VECTOR_KIND_OPERATION && v->operation == operation;
}

static bool rounds_to_nearest(const bnd_vectors *v)
{
    return v->rule.rounding <= BND_ROUND_RNA;
}

static bool has_fraction(const bnd_vectors *v)
{
    return v->out.fraction_bits > 0;
}

static bool has_code_beyond(const bnd_vectors *v)
{
    return v->out.max_code + 1 < bndi_magnitudes(&v->out);
}

static bool has_sign(const bnd_vectors *v)
{
    return v->out.is_signed;
}

static bool has_negative_zero(const bnd_vectors *v)
{
    return v->out.has_negative_zero;
}

static bool has_zero(const bnd_vectors *v)
{
    return v->out.has_zero;
}

static bool has_nan(const bnd_vectors *v)
{
    return v->out.has_nan;
}

static bool has_nan_and_infinity(const bnd_vectors *v)
{
    return v->out.has_nan && v->out.has_infinity;
}

static bool has_subnormals(const bnd_vectors *v)
{
    return v->out.has_subnormals;
}

static bool takes_order(const bnd_vectors *v)
{
    return is_operation(v, BND_OP_SUB) || is_operation(v, BND_OP_DIV) || is_operation(v, BND_OP_REM);
}

static bool divides(const bnd_vectors *v)
{
    return is_operation(v, BND_OP_DIV);
}

static bool is_fused(const bnd_vectors *v)
{
    return is_operation(v, BND_OP_FMA);
}

static bool is_dot(const bnd_vectors *v)
{
    return v->kind == BND_VECTOR_KIND_DOT;
}

/* ---- the table ---- */

/* A row is one fault, or one for each format of a kind, whose name completes its own. */
enum { ONE, EACH_WIDER, EACH_OF_SAME_WIDTH, ONE_BIT, TWO_BITS, THREE_BITS };

static const struct {
    const char *name;
    fault_code *code;
    bool (*applies)(const bnd_vectors *v); /* NULL: always */
    uint8_t formats;
} rows[] = {
    {"rounds twice: first to ", rounds_twice, NULL, EACH_WIDER},
    {"looks at one bit behind the last place, and not at the bits after it", loses_sticky, NULL, ONE_BIT},
    {"looks at two bits behind the last place, and not at the bits after them", loses_sticky, NULL, TWO_BITS},
    {"looks at three bits behind the last place, and not at the bits after them", loses_sticky, NULL, THREE_BITS},
    {"rounds ties toward zero", ties_to_zero, rounds_to_nearest, ONE},
    {"rounds ties toward plus infinity", ties_up, rounds_to_nearest, ONE},
    {"loses the carry from the fraction into the exponent", loses_carry, has_fraction, ONE},
    {"gives half of the right number: the exponent is one too small", gives_half, NULL, ONE},
    {"gives twice the right number: the exponent is one too large", gives_twice, NULL, ONE},
    {"gives codes of ", gives_other_codes, NULL, EACH_OF_SAME_WIDTH},
    {"overflows before rounding: every number above the largest one", overflows_early, NULL, ONE},
    {"takes the code after the largest number for the next number", takes_next_code, has_code_beyond, ONE},
    {"lets exponents beyond the largest one wrap around", wraps_around, NULL, ONE},
    {"drops the sign", drops_sign, has_sign, ONE},
    {"gives +0 for every result that is zero", positive_zero, has_negative_zero, ONE},
    {"gives +0 for exact results of -0", positive_exact_zero, has_negative_zero, ONE},
    {"gives the smallest number where a number other than zero rounds to zero", never_zero, has_zero, ONE},
    {"gives zero for NaN", nan_to_zero, has_nan, ONE},
    {"gives the largest number for NaN", nan_to_largest, has_nan, ONE},
    {"gives infinity for NaN", nan_to_infinity, has_nan_and_infinity, ONE},
    {"gives zero for every number below the smallest normal number", zero_below_normal, has_subnormals, ONE},
    {"truncates below the smallest normal number", cuts_below_normal, has_subnormals, ONE},
    {"rounds ties away from zero below the smallest normal number only", away_below_normal, has_subnormals, ONE},
    {"shifts subnormal results by one bit too many", half_below_normal, has_subnormals, ONE},
    {"takes the operands in the other order", swaps_operands, takes_order, ONE},
    {"multiplies by the rounded reciprocal", divides_by_reciprocal, divides, ONE},
    {"rounds the product before it adds", rounds_product, is_fused, ONE},
    {"subtracts the third operand", subtracts_third, is_fused, ONE},
    {"rounds after each multiply-add, in order", fused_in_order, is_dot, ONE},
    {"rounds each product and each sum, in order", rounds_each_step, is_dot, ONE},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void add(bndi_faults *faults, unsigned row, bnd_format other)
{
    if (faults->count < BNDI_FAULTS_MAX) {
        faults->items[faults->count++] = (bndi_fault){.row = row, .other = other};
    }
}

/* Does a conversion to the first format change nothing? */
static bool holds_operand(const bnd_format *f, const bnd_vectors *v)
{
    const bnd_format *in = &v->in[0];
    return is_operation(v, BND_OP_CONVERT) && in->precision <= f->precision && in->emax <= f->emax &&
           in->emin - in->precision >= f->emin - f->precision;
}

static void add_formats(bndi_faults *faults, unsigned row, const bnd_vectors *v)
{
    static const size_t wider[] = {BND_FORMAT_FP16, BND_FORMAT_BF16, BND_FORMAT_TF32, BND_FORMAT_FP32, BND_FORMAT_FP64};
    for (size_t i = 0; rows[row].formats == EACH_WIDER && i < sizeof wider / sizeof wider[0]; i++) {
        const bnd_format *f = bnd_format_at(wider[i]);
        if (f->precision > v->out.precision && !holds_operand(f, v)) {
            add(faults, row, *f);
        }
    }
    for (size_t i = 0; rows[row].formats == EACH_OF_SAME_WIDTH && i < bnd_format_count(); i++) {
        const bnd_format *f = bnd_format_at(i);
        if (f->width == v->out.width && !bnd_format_same(f, &v->out)) {
            add(faults, row, *f);
        }
    }
}

void bndi_faults_open(bndi_faults *faults, const bnd_vectors *v)
{
    faults->count = 0;
    for (unsigned row = 0; row < ROWS && bnd_rule_random_bits(v->rule) == 0; row++) {
        unsigned formats = rows[row].formats;
        if (rows[row].applies != NULL && !rows[row].applies(v)) {
            continue;
        }
        if (formats == EACH_WIDER || formats == EACH_OF_SAME_WIDTH) {
            add_formats(faults, row, v);
        } else {
            add(faults, row, formats == ONE ? v->out : bndi_vector_unlimited(&v->out, formats - ONE_BIT + 1u));
        }
    }
}

uint64_t bndi_fault_code(const bndi_fault *fault, const bndi_fault_line *line)
{
    return rows[fault->row].code(line, fault);
}

size_t bndi_fault_print(char *out, size_t size, const bndi_fault *fault)
{
    bndi_text text = bndi_text_in(out, size);
    unsigned formats = rows[fault->row].formats;
    bndi_text_string(&text, rows[fault->row].name);
    if (formats == EACH_WIDER || formats == EACH_OF_SAME_WIDTH) {
        bndi_text_string(&text, fault->other.name);
    }
    return text.length;
}
