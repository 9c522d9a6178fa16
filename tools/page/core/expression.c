/* Expressions in the WebAssembly, which has no GMP and MPFR: those whose every step is exact in 64 bits, such as 2^-24,
 * 448+16 or 3/8. The others (1/3, 0.1*3, pi) are refused in words; the command evaluates them. */
#include <binade-lab.h>

#include <stdlib.h>

static const char REFUSED[] =
    "this page evaluates expressions whose every step is exact in 64 bits, as 2^-24 or 3/8; the "
    "command 'binade show' evaluates this one";

enum { MOST_EXPONENT = 300000 }; /* the command refuses values of more than 100,000 digits */

typedef struct steps {
    const bnd_term *terms;
    const char *text;
    bnd_format wide; /* 64 bits of precision, exponents without practical limit */
    bnd_exact *values;
} steps;

/* The value itself, in 64 bits; false where it does not fit, or is an infinity or a NaN. */
static bool settle(bnd_exact *out, const steps *s, bnd_exact value)
{
    bnd_rounded rounded = bnd_round_exact(&s->wide, value, (bnd_rule){0}, 0);
    bool finite = rounded.value.kind == BND_KIND_FINITE || rounded.value.kind == BND_KIND_ZERO;
    bool far = rounded.value.exponent > MOST_EXPONENT || rounded.value.exponent < -MOST_EXPONENT;
    if (value.sticky || !finite || far || rounded.flags != 0) {
        return false;
    }
    *out = rounded.value;
    return true;
}

static bool operate(bnd_exact *out, const steps *s, bnd_operation operation, const bnd_exact *operands)
{
    uint32_t flags = 0;
    bnd_exact value = bnd_operate_exact(operation, &s->wide, operands, (bnd_rule){0}, 0, &flags);
    return flags == 0 && settle(out, s, value);
}

/* x^n by squares; for n < 0 the quotient 1 / x^-n, which is exact for powers of two. */
static bool raise(bnd_exact *out, const steps *s, bnd_exact x, int64_t n)
{
    const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
    bnd_exact power = one;
    bool done = true;
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n; done && left > 0; left >>= 1) {
        if ((left & 1) != 0) {
            done = operate(&power, s, BND_OP_MUL, (bnd_exact[]){power, x});
        }
        if (done && left > 1) {
            done = operate(&x, s, BND_OP_MUL, (bnd_exact[]){x, x});
        }
    }
    return done && (n < 0 ? operate(out, s, BND_OP_DIV, (bnd_exact[]){one, power}) : settle(out, s, power));
}

static bool read_number(bnd_exact *out, const steps *s, const bnd_term *term)
{
    bnd_exact value;
    if (bnd_parse_exact_n(&value, s->text + term->from, term->length, NULL) != BND_OK) {
        return false; /* pi, e */
    }
    value.negative = value.negative != term->negative;
    return settle(out, s, value);
}

static bool is_known(bnd_operation operation)
{
    return operation == BND_OP_ADD || operation == BND_OP_SUB || operation == BND_OP_MUL || operation == BND_OP_DIV ||
           operation == BND_OP_NEG || operation == BND_OP_ABS || operation == BND_OP_SQRT;
}

static bool evaluate(const steps *s, size_t i)
{
    const bnd_term *term = &s->terms[i];
    bnd_exact *out = &s->values[i], operands[BND_OPERANDS_MAX];
    for (size_t k = 0; k < term->operands; k++) {
        operands[k] = s->values[term->operand[k]];
    }
    switch (term->kind) {
    case BND_TERM_NUMBER:
        return read_number(out, s, term);
    case BND_TERM_CODE: {
        bnd_format f = bnd_term_format(term, s->text, &s->wide);
        return settle(out, s, bnd_unpack(&f, term->code));
    }
    case BND_TERM_OPERATION:
        return is_known(term->operation) && operate(out, s, term->operation, operands);
    case BND_TERM_POWER:
        return raise(out, s, s->values[term->operand[0]], term->integer);
    default:
        return false;
    }
}

static bnd_status value_of(bnd_exact *value, const bnd_term *terms, size_t count, const char *text, bnd_error *why)
{
    steps s = {.terms = terms, .text = text, .values = calloc(count, sizeof *s.values)};
    bnd_status status = s.values == NULL ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the expression")
                                         : bnd_format_parse(&s.wide, "p64", why);
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        if (!evaluate(&s, i)) {
            status = bnd_fail(why, BND_BAD_ARGUMENT, terms[i].from, "%s", REFUSED);
        }
    }
    if (status == BND_OK) {
        *value = s.values[count - 1];
    }
    free(s.values);
    return status;
}

bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length, bnd_error *why)
{
    if (length > 10000) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an expression must have at most 10000 characters on this page");
    }
    bnd_term *terms = calloc(length > 0 ? length : 1, sizeof *terms);
    if (terms == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the expression");
    }
    size_t count;
    bnd_status status = bnd_expression_parse_n(terms, length, &count, text, length, NULL, why);
    status = status == BND_OK ? value_of(value, terms, count, text, why) : status;
    if (status == BND_OK) {
        *exact = NULL; /* the value is the whole number */
    }
    free(terms);
    return status;
}
