/* Expressions in the WebAssembly, which has no GMP and MPFR: those whose every step is a quotient of integers, such as
 * 1/3, 0.1*3 and 2^-24. The others (pi, exp(1), sqrt(2)) are refused in words; the command evaluates them. */
#include "real.h"
#include "common/page.h"

#include <stdlib.h>

static const char REFUSED[] =
    "the page evaluates quotients of integers: + - * / ^, fma, min, max and the roots of squares; the command 'binade "
    "show' evaluates this expression";

static bool multiply_add(pool *p, quotient *out, const quotient *a, const quotient *b, const quotient *c)
{
    quotient product;
    return quotient_multiply(p, &product, a, b) && quotient_add(p, out, &product, c);
}

static bool divide(pool *p, quotient *out, const quotient *a, quotient b)
{
    return quotient_invert(&b) && quotient_multiply(p, out, a, &b);
}

static bool choose(pool *p, quotient *out, bool smaller, const quotient *a, const quotient *b)
{
    quotient difference, minus = quotient_negated(*b);
    bool done = quotient_add(p, &difference, a, &minus);
    *out = difference.negative == smaller ? *a : *b;
    return done;
}

static bool magnitude(quotient *out, const quotient *x)
{
    *out = *x;
    out->negative = out->signless = false;
    return true;
}

/* x^n; for n < 0 the power of 1 / x. */
static bool raise(pool *p, quotient *out, quotient x, int64_t n)
{
    return (n >= 0 || quotient_invert(&x)) && quotient_power(p, out, &x, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

static bool operate(pool *p, quotient *out, const bnd_term *term, const quotient *x)
{
    const quotient minus = quotient_negated(x[1]);
    switch (term->operation) {
    case BND_OP_ADD:
        return quotient_add(p, out, &x[0], &x[1]);
    case BND_OP_SUB:
        return quotient_add(p, out, &x[0], &minus);
    case BND_OP_MUL:
        return quotient_multiply(p, out, &x[0], &x[1]);
    case BND_OP_DIV:
        return divide(p, out, &x[0], x[1]);
    case BND_OP_FMA:
        return multiply_add(p, out, &x[0], &x[1], &x[2]);
    case BND_OP_SQRT:
        return quotient_root(p, out, &x[0]);
    case BND_OP_ABS:
        return magnitude(out, &x[0]);
    case BND_OP_NEG:
        *out = quotient_negated(x[0]);
        return true;
    case BND_OP_MIN:
    case BND_OP_MIN_NUMBER:
    case BND_OP_MAX:
    case BND_OP_MAX_NUMBER:
        return choose(p, out, term->operation == BND_OP_MIN || term->operation == BND_OP_MIN_NUMBER, &x[0], &x[1]);
    case BND_OP_RECIPROCAL:
        return raise(p, out, x[0], -1);
    case BND_OP_SCALB:
        *out = x[0];
        return quotient_scale(out, term->integer);
    default:
        return false;
    }
}

/* n x, as the sum 0 + x + x + ...: that of 0 and -0 has no sign. */
static bool times(pool *p, quotient *out, const quotient *x, int64_t n)
{
    quotient count, zero, sum = {.negative = false};
    bool done = quotient_of_value(p, &zero, bnd_exact_int64(0)) && quotient_of_value(p, &count, bnd_exact_int64(n)) &&
                quotient_multiply(p, &sum, &count, x) && quotient_add(p, &sum, &zero, &sum);
    *out = sum;
    return done;
}

static bool read_number(pool *p, quotient *out, const bnd_term *term, const char *text)
{
    bndi_scanned number;
    if (bnd_lab_scan_number(&number, text + term->from, term->length, NULL) != BND_OK) {
        return false; /* pi, e */
    }
    number.negative = number.negative != term->negative;
    return quotient_of_number(p, out, &number);
}

static bool evaluate(pool *p, quotient *values, const bnd_term *terms, size_t i, const char *text, const bnd_format *f)
{
    const bnd_term *term = &terms[i];
    quotient operands[BND_OPERANDS_MAX] = {{.negative = false}};
    for (size_t k = 0; k < term->operands; k++) {
        operands[k] = values[term->operand[k]];
    }
    switch (term->kind) {
    case BND_TERM_NUMBER:
        return read_number(p, &values[i], term, text);
    case BND_TERM_CODE: {
        bnd_format own = bnd_term_format(term, text, f);
        return quotient_of_value(p, &values[i], bnd_unpack(&own, term->code));
    }
    case BND_TERM_OPERATION:
        return page_has_operation(term->operation) && operate(p, &values[i], term, operands);
    case BND_TERM_POWER:
        return raise(p, &values[i], operands[0], term->integer);
    case BND_TERM_SUM:
        return times(p, &values[i], &operands[0], term->integer);
    default:
        return false;
    }
}

/* The value of the last term; `*done` is the number of terms that could be evaluated. */
static bnd_status evaluate_all(bnd_real **out, size_t *done, const bnd_term *terms, size_t count, const char *text,
                               const bnd_format *f, bnd_error *why)
{
    quotient *values = calloc(count > 0 ? count : 1, sizeof *values);
    bnd_real *real = page_real_new(why);
    size_t i = 0;
    while (values != NULL && real != NULL && i < count && evaluate(&real->memory, values, terms, i, text, f)) {
        i++;
    }
    if (values == NULL || real == NULL || real->memory.no_memory) {
        free(values);
        bnd_real_free(real);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the expression");
    }
    if (count > 0 && i == count) {
        real->known = BND_KNOWN_EXACTLY;
        real->value = values[count - 1];
    }
    free(values);
    *done = i;
    *out = real;
    return BND_OK;
}

bnd_status bnd_real_new_of_expression(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                      const bnd_format *f, bnd_error *why)
{
    size_t done;
    return evaluate_all(out, &done, terms, count, text, f, why);
}

static bnd_status value_of(bnd_exact *value, bnd_real **exact, const bnd_term *terms, size_t count, const char *text,
                           bnd_error *why)
{
    bnd_real *real;
    bnd_exact leading;
    size_t done;
    bnd_status status = evaluate_all(&real, &done, terms, count, text, NULL, why);
    if (status != BND_OK) {
        return status;
    }
    if (real->known != BND_KNOWN_EXACTLY) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, done < count ? terms[done].from : 0, "%s", REFUSED);
    } else if (!quotient_leading(&real->memory, &leading, &real->value)) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the value of the expression");
    }
    if (status != BND_OK) {
        bnd_real_free(real);
        return status;
    }
    *value = leading;
    *exact = real;
    return BND_OK;
}

bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length, bnd_error *why)
{
    bnd_term *terms = length < 1000000 ? calloc(length + 1, sizeof *terms) : NULL;
    if (terms == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the terms of %zu characters", length);
    }
    size_t count;
    bnd_status status = bnd_expression_parse_n(terms, length + 1, &count, text, length, NULL, why);
    status = status == BND_OK ? value_of(value, exact, terms, count, text, why) : status;
    free(terms);
    return status;
}
