/* The recursive-descent parser of expressions: sums of products of signed powers. */
#include "calc/reader.h"

#include <string.h>

#define POWER_WANTS "the exponent of ^ must be a whole number from -1000000000 to 1000000000; for a root, write sqrt(x)"

/* ---- primaries ---- */

static bnd_status read_parentheses(bndi_reader *r, size_t *out)
{
    size_t opened = r->at;
    bnd_status status = bndi_enter_expression(r, r->at);
    if (status != BND_OK) {
        return status;
    }
    r->at++;
    status = bndi_read_sum(r, out);
    if (status == BND_OK && bndi_peek(r) != ')') {
        status = r->at < r->length
                     ? bndi_refuse_at(r, r->at, "expected an operator or ')'")
                     : bnd_fail(r->why, BND_BAD_SYNTAX, r->at,
                                "column %zu: unexpected end of the expression; the '(' of column %zu has no ')'",
                                bndi_column_of(r, r->at), bndi_column_of(r, opened));
    }
    r->at += status == BND_OK;
    r->depth--;
    return status;
}

static bnd_status read_primary(bndi_reader *r, size_t *out, bool negative);

/* The root sign, before a number, a call or parentheses. */
static bnd_status read_root(bndi_reader *r, size_t *out)
{
    size_t at = r->at, operand;
    bnd_status status = bndi_enter_expression(r, at);
    if (status != BND_OK) {
        return status;
    }
    bndi_advance(r);
    size_t length = r->at - at;
    status = read_primary(r, &operand, false);
    r->depth--;
    return status == BND_OK ? bndi_add_operation(r, out, BND_OP_SQRT, at, length, &operand) : status;
}

static bnd_status read_primary(bndi_reader *r, size_t *out, bool negative)
{
    char c = bndi_peek(r);
    if (c == '(') {
        return read_parentheses(r, out);
    }
    if (c == BNDI_ROOT) {
        return read_root(r, out);
    }
    size_t length = bndi_number_length(r);
    if (length > 0) {
        return bndi_add_number(r, out, length, negative);
    }
    length = bndi_word_length(r);
    if (length == 0) {
        return bndi_refuse_at(r, r->at, "expected a number, a code, '(' or the name of an operation");
    }
    return bndi_peek_at(r, r->at + length) == ':' ? bndi_read_code(r, out, length) : bndi_read_call(r, out, length);
}

/* ---- powers ---- */

/* The bytes of ^ or ** at `at`, or of nothing before a raised digit; `power` says whether there is one. */
static size_t power_sign(const bndi_reader *r, size_t at, bool *power)
{
    char c = bndi_peek_at(r, at);
    bool stars = at + 1 < r->length && r->text[at] == '*' && r->text[at + 1] == '*';
    *power = c == '^' || c == BNDI_SUPERSCRIPT || stars;
    return stars ? 2 : c == '^' ? 1 : 0;
}

/* Raised digits, with a raised sign before them. */
static bnd_status read_raised(bndi_reader *r, int64_t *out)
{
    size_t length;
    int64_t value = 0;
    char c = bndi_superscript(r->text + r->at, r->length - r->at, &length), sign = c;
    bool digits = false;
    for (size_t from = r->at; c != '\0'; c = bndi_superscript(r->text + r->at, r->length - r->at, &length)) {
        if (!bndi_is_digit(c) && r->at > from) {
            break;
        }
        digits = digits || bndi_is_digit(c);
        value = bndi_is_digit(c) ? 10 * value + (c - '0') : value;
        if (value > BND_EXPRESSION_POWER_MAX) {
            return bndi_refuse_at(r, r->at, POWER_WANTS);
        }
        r->at += length;
    }
    *out = sign == '-' ? -value : value;
    return digits ? BND_OK : bndi_refuse_at(r, r->at, POWER_WANTS);
}

static bnd_status read_exponent(bndi_reader *r, int64_t *out)
{
    bool parentheses = bndi_peek(r) == '(';
    r->at += parentheses;
    bnd_status status = bndi_read_integer(r, out, -BND_EXPRESSION_POWER_MAX, BND_EXPRESSION_POWER_MAX, POWER_WANTS);
    if (status == BND_OK && parentheses && bndi_peek(r) != ')') {
        status = bndi_refuse_at(r, r->at, POWER_WANTS);
    }
    r->at += status == BND_OK && parentheses;
    return status;
}

/* primary [^ integer]; a second power wants parentheses, because people read 2^3^2 in two ways. */
static bnd_status read_power(bndi_reader *r, size_t *out, bool negative)
{
    bool power;
    bnd_status status = read_primary(r, out, negative);
    (void)bndi_peek(r);
    size_t at = r->at, sign = power_sign(r, at, &power);
    if (status != BND_OK || !power) {
        return status;
    }
    bnd_term term = {.kind = BND_TERM_POWER, .operands = 1, .operand = {*out}, .from = at};
    r->at += sign;
    status = sign > 0 ? read_exponent(r, &term.integer) : read_raised(r, &term.integer);
    if (status != BND_OK) {
        return status;
    }
    term.length = r->at - at;
    (void)bndi_peek(r);
    (void)power_sign(r, r->at, &power);
    return power ? bndi_refuse_at(r, r->at, "a power of a power needs parentheses: (2^3)^2")
                 : bndi_add_term(r, out, &term);
}

/* ---- signs ---- */

/* Is a number at the cursor that is not the base of a power? Then a sign before it belongs to the number. */
static bool is_bare_number(const bndi_reader *r)
{
    bndi_reader behind = *r;
    bool power;
    size_t length = bndi_number_length(r);
    behind.at += length;
    (void)bndi_peek(&behind);
    (void)power_sign(&behind, behind.at, &power);
    return length > 0 && !power;
}

static bnd_status read_factor(bndi_reader *r, size_t *out)
{
    char sign = bndi_peek(r);
    if (sign != '-' && sign != '+') {
        return read_power(r, out, false);
    }
    size_t at = r->at;
    bndi_advance(r);
    size_t length = r->at - at;
    (void)bndi_peek(r);
    if (is_bare_number(r)) {
        return read_power(r, out, sign == '-');
    }
    size_t operand;
    bnd_status status = bndi_enter_expression(r, at);
    if (status != BND_OK) {
        return status;
    }
    status = read_factor(r, &operand);
    r->depth--;
    if (status != BND_OK || sign == '+') {
        *out = operand;
        return status;
    }
    return bndi_add_operation(r, out, BND_OP_NEG, at, length, &operand);
}

/* ---- sums of products ---- */

static bnd_status read_product(bndi_reader *r, size_t *out)
{
    size_t operand[2];
    bnd_status status = read_factor(r, &operand[0]);
    for (char sign; status == BND_OK && ((sign = bndi_peek(r)) == '*' || sign == '/');) {
        size_t at = r->at;
        bndi_advance(r);
        size_t length = r->at - at;
        status = read_factor(r, &operand[1]);
        if (status == BND_OK) {
            status = bndi_add_operation(r, &operand[0], sign == '*' ? BND_OP_MUL : BND_OP_DIV, at, length, operand);
        }
    }
    *out = operand[0];
    return status;
}

bnd_status bndi_read_sum(bndi_reader *r, size_t *out)
{
    size_t operand[2];
    bnd_status status = read_product(r, &operand[0]);
    for (char sign; status == BND_OK && ((sign = bndi_peek(r)) == '+' || sign == '-');) {
        size_t at = r->at;
        bndi_advance(r);
        size_t length = r->at - at;
        status = read_product(r, &operand[1]);
        if (status == BND_OK) {
            status = bndi_add_operation(r, &operand[0], sign == '+' ? BND_OP_ADD : BND_OP_SUB, at, length, operand);
        }
    }
    *out = operand[0];
    return status;
}

/* ---- the whole ---- */

/* Converts the result to the requested format if the last conversion had another one. */
static bnd_status finish(bndi_reader *r, size_t last)
{
    const bnd_term *t = &r->terms[last];
    bnd_format own;
    if (r->format == NULL || t->format_length == 0) {
        return BND_OK;
    }
    own = bnd_term_format(t, r->text, r->format);
    if (bnd_format_same(&own, r->format)) {
        return BND_OK;
    }
    return bndi_add_operation(r, &last, BND_OP_CONVERT, t->from, t->length, &last);
}

bnd_status bnd_expression_parse_n(bnd_term *terms, size_t capacity, size_t *count, const char *text, size_t length,
                                  const bnd_format *f, bnd_error *why)
{
    bndi_reader r = {.text = length > 0 ? text : "",
                     .length = length,
                     .format = f,
                     .terms = terms,
                     .capacity = capacity,
                     .why = why};
    size_t whole = 0;
    if (f != NULL && f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is a value set and has no codes; operations need a format with codes", f->name);
    }
    bnd_status status = bndi_read_sum(&r, &whole);
    if (status == BND_OK && (bndi_peek(&r) != '\0' || r.at < length)) {
        status = bndi_refuse_at(
            &r, r.at, bndi_peek(&r) == ',' ? "the decimal point must be '.'" : "expected an operator (+ - * / ^)");
    }
    status = status == BND_OK ? finish(&r, whole) : status;
    if (status == BND_OK) {
        *count = r.count;
    }
    return status;
}
