/* An expression read by descent: sums of products of signed factors. */
#include "base/base.h"
#include <binade/calc.h>

#include <string.h>

typedef struct reader {
    const char *text;
    size_t length, at;
    const bnd_format *format;
    bnd_term *terms;
    size_t capacity, count;
    unsigned depth;
    bnd_error *why;
} reader;

static bnd_status read_sum(reader *r, size_t *out);

/* ---- characters ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return c == '_' || (bndi_lower(c) >= 'a' && bndi_lower(c) <= 'z');
}

static char peek_at(const reader *r, size_t at)
{
    return at < r->length ? r->text[at] : '\0';
}

/* The next character that is no blank; a 0 byte at the end. */
static char peek(reader *r)
{
    while (is_blank(peek_at(r, r->at))) {
        r->at++;
    }
    return peek_at(r, r->at);
}

static bnd_status refuse_at(const reader *r, size_t at, const char *hint)
{
    if (at >= r->length) {
        return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu: the expression ends here; %s", at + 1, hint);
    }
    char c = r->text[at];
    if (c < ' ' || c > '~') {
        return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu: the byte 0x%llx cannot stand here; %s", at + 1,
                        (unsigned long long)(unsigned char)c, hint);
    }
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu: '%c' cannot stand here; %s", at + 1, c, hint);
}

/* What a part of the library refused, with the column of the whole expression. */
static bnd_status refuse_part(const reader *r, size_t at, size_t length, const char *message)
{
    int most = length < 40 ? (int)length : 40;
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu, '%.*s%s': %s", at + 1, most, r->text + at,
                    length > 40 ? "..." : "", message);
}

/* What was refused of a number. Its message counts columns from where the number begins: ours stands for it. */
static bnd_status refuse_number(const reader *r, size_t length, const bnd_error *why)
{
    static const char begins[] = "column ";
    const char *colon = strstr(why->message, ": ");
    if (why->status == BND_NO_MEMORY) {
        return bnd_fail(r->why, why->status, r->at, "%s", why->message);
    }
    if (colon == NULL || strncmp(why->message, begins, sizeof begins - 1) != 0) {
        return refuse_part(r, r->at, length, why->message);
    }
    size_t at = r->at + why->where;
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu%s", at + 1, colon);
}

const char *bnd_term_name(const bnd_term *t)
{
    return bnd_operation_name(t->kind == BND_TERM_OPERATION ? t->operation : BND_CONVERT);
}

/* ---- terms ---- */

static bnd_status add_term(reader *r, size_t *out, const bnd_term *term)
{
    if (r->count == r->capacity) {
        return bnd_fail(r->why, BND_BAD_ARGUMENT, term->from, "the expression has more than %zu terms", r->capacity);
    }
    *out = r->count;
    r->terms[r->count++] = *term;
    return BND_OK;
}

static bnd_status add_operation(reader *r, size_t *out, const char *name, size_t from, size_t length, size_t operands,
                                const size_t *operand)
{
    bnd_term term = {.kind = BND_TERM_OPERATION, .operands = (uint8_t)operands, .from = from, .length = length};
    bnd_status status = bnd_operation_parse(&term.operation, name, r->why);
    if (status != BND_OK) {
        return status;
    }
    memcpy(term.operand, operand, operands * sizeof *operand);
    return add_term(r, out, &term);
}

/* One more thing inside another; left by r->depth--. */
static bnd_status enter(reader *r, size_t at)
{
    if (r->depth == BND_EXPRESSION_DEPTH) {
        return bnd_fail(r->why, BND_BAD_SYNTAX, at,
                        "column %zu: signs, parentheses and calls are more than %d deep; work out a part of it first",
                        at + 1, BND_EXPRESSION_DEPTH);
    }
    r->depth++;
    return BND_OK;
}

/* ---- numbers ---- */

/* Behind a number: everything that a number could have, so that what is wrong with it is said by who reads it. */
static size_t end_of_number(const reader *r, size_t at)
{
    bool hex = peek_at(r, at) == '0' && bndi_lower(peek_at(r, at + 1)) == 'x';
    char mark = hex ? 'p' : 'e';
    for (;; at++) {
        char c = peek_at(r, at);
        bool sign = (c == '+' || c == '-') && at > 0 && bndi_lower(r->text[at - 1]) == mark;
        if (!is_digit(c) && !is_letter(c) && c != '.' && !sign) {
            return at;
        }
    }
}

static bnd_status add_number(reader *r, size_t *out, size_t length, bool negative)
{
    bnd_term term = {.kind = BND_TERM_NUMBER, .negative = negative, .from = r->at, .length = length};
    bnd_exact value;
    bnd_error why;
    if (bnd_parse_exact(&value, r->text + r->at, length, &why) != BND_OK) {
        return refuse_number(r, length, &why);
    }
    r->at += length;
    return add_term(r, out, &term);
}

/* ---- codes ---- */

static bnd_status refuse_code(const reader *r, size_t at, const char *what)
{
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu: %s; a code is written %s:0xHEX or %s:0bBITS", at + 1, what,
                    r->format->name, r->format->name);
}

static int digit_of(char c)
{
    char lower = bndi_lower(c);
    return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* FORMAT:0x.. or FORMAT:0b.., the colon `name` characters ahead. */
static bnd_status read_code(reader *r, size_t *out, size_t name)
{
    bnd_format f;
    bnd_error why;
    if (bnd_format_parse_n(&f, r->text + r->at, name, &why) != BND_OK) {
        return refuse_part(r, r->at, name, why.message);
    }
    if (!bnd_format_same(&f, r->format)) {
        return bnd_fail(r->why, BND_BAD_SYNTAX, r->at,
                        "column %zu: a code of %s, where everything is %s; write its value as a number", r->at + 1,
                        f.name, r->format->name);
    }
    bnd_term term = {.kind = BND_TERM_CODE, .from = r->at};
    size_t at = r->at + name + 1;
    char base = bndi_lower(peek_at(r, at + 1));
    if (peek_at(r, at) != '0' || (base != 'x' && base != 'b')) {
        return refuse_code(r, at, "the code is missing");
    }
    unsigned bits = base == 'x' ? 4 : 1, width = f.width;
    uint64_t most = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    size_t first = at += 2;
    for (; is_digit(peek_at(r, at)) || is_letter(peek_at(r, at)); at++) {
        int digit = digit_of(r->text[at]);
        if (digit >= 1 << bits) {
            return refuse_code(r, at, "no digit of a code");
        }
        if (term.code > most >> bits || (term.code << bits | (unsigned)digit) > most) {
            return refuse_code(r, at, "the code has more bits than the format");
        }
        term.code = term.code << bits | (unsigned)digit;
    }
    if (at == first) {
        return refuse_code(r, at, "the digits of the code are missing");
    }
    term.length = at - r->at;
    r->at = at;
    return add_term(r, out, &term);
}

/* ---- calls ---- */

/* scalb's second operand: [-+]digits, of which 18 fit an int64_t. */
static bnd_status read_integer(reader *r, int64_t *out)
{
    enum { MOST_DIGITS = 18 };
    char sign = peek(r);
    r->at += sign == '-' || sign == '+';
    size_t first = r->at;
    int64_t value = 0;
    for (; is_digit(peek_at(r, r->at)) && r->at - first < MOST_DIGITS; r->at++) {
        value = 10 * value + (r->text[r->at] - '0');
    }
    if (r->at == first || is_digit(peek_at(r, r->at))) {
        return refuse_at(r, r->at, "the second operand of scalb is a whole number of at most 18 digits");
    }
    *out = sign == '-' ? -value : value;
    return BND_OK;
}

static bnd_status read_operand(reader *r, bnd_term *call, size_t i)
{
    if (call->operation == BND_SCALB && i == 1) {
        return read_integer(r, &call->integer);
    }
    return read_sum(r, &call->operand[i]);
}

static bnd_status refuse_count(const reader *r, const bnd_term *call, const char *name)
{
    unsigned operands = bnd_operation_operands(call->operation);
    return bnd_fail(r->why, BND_BAD_SYNTAX, r->at, "column %zu: %s() takes %u operand%s, separated by commas",
                    r->at + 1, name, operands, operands == 1 ? "" : "s");
}

static bnd_status read_operands(reader *r, bnd_term *call)
{
    const char *name = bnd_operation_name(call->operation);
    for (size_t i = 0; i < call->operands; i++) {
        if (i > 0 && peek(r) != ',') {
            return peek(r) == ')' ? refuse_count(r, call, name) : refuse_at(r, r->at, "an operand ends with , or )");
        }
        r->at += i > 0;
        if (peek(r) == ')') {
            return refuse_count(r, call, name);
        }
        bnd_status status = read_operand(r, call, i);
        if (status != BND_OK) {
            return status;
        }
    }
    if (peek(r) != ')') {
        return peek(r) == ',' ? refuse_count(r, call, name) : refuse_at(r, r->at, "the call needs its ')'");
    }
    r->at++;
    return BND_OK;
}

static bnd_status read_call(reader *r, size_t *out, size_t length)
{
    bnd_term call = {.kind = BND_TERM_OPERATION, .from = r->at, .length = length};
    char name[64];
    bnd_error why;
    if (length >= sizeof name) {
        return refuse_part(r, r->at, length, "there is no operation with such a long name");
    }
    memcpy(name, r->text + r->at, length);
    name[length] = '\0';
    if (bnd_operation_parse(&call.operation, name, &why) != BND_OK) {
        return bnd_fail(r->why, BND_BAD_NAME, r->at, "column %zu: %s", r->at + 1, why.message);
    }
    const bnd_format *const formats[BND_OPERANDS_MAX] = {r->format, r->format, r->format};
    if (bnd_operation_serves(call.operation, formats, &why) != BND_OK) {
        return bnd_fail(r->why, BND_BAD_ARGUMENT, r->at, "column %zu: %s", r->at + 1, why.message);
    }
    call.operands = (uint8_t)bnd_operation_operands(call.operation);
    r->at += length;
    if (peek(r) != '(') {
        return refuse_at(r, r->at, "operands stand in parentheses: sqrt(2)");
    }
    bnd_status status = enter(r, r->at);
    r->at++;
    status = status == BND_OK ? read_operands(r, &call) : status;
    r->depth--;
    call.operands = call.operation == BND_SCALB ? 1 : call.operands;
    return status == BND_OK ? add_term(r, out, &call) : status;
}

/* ---- factors ---- */

/* inf, infinity, nan, snan, and those NaNs' payload. Returns the length, or 0 where the word is another. */
static size_t special_length(const reader *r, size_t word)
{
    static const char *const numbers[] = {"inf", "infinity", "nan", "snan"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!bndi_same_word(r->text + r->at, word, numbers[i])) {
            continue;
        }
        size_t end = r->at + word;
        if (i >= 2 && peek_at(r, end) == '(') {
            while (end < r->length && r->text[end] != ')') {
                end++;
            }
            end += end < r->length;
        }
        return end - r->at;
    }
    return 0;
}

static size_t word_length(const reader *r)
{
    size_t at = r->at;
    while (is_letter(peek_at(r, at)) || (at > r->at && is_digit(peek_at(r, at)))) {
        at++;
    }
    return at - r->at;
}

/* A number at the cursor: its length, or 0. */
static size_t number_length(const reader *r)
{
    char c = peek_at(r, r->at);
    return is_digit(c) || c == '.' ? end_of_number(r, r->at) - r->at : special_length(r, word_length(r));
}

static bnd_status read_parentheses(reader *r, size_t *out)
{
    size_t opened = r->at;
    bnd_status status = enter(r, r->at);
    if (status != BND_OK) {
        return status;
    }
    r->at++;
    status = read_sum(r, out);
    if (status == BND_OK && peek(r) != ')') {
        status = r->at < r->length
                     ? refuse_at(r, r->at, "an operator or ')' is missing before it")
                     : bnd_fail(r->why, BND_BAD_SYNTAX, r->at,
                                "column %zu: the expression ends here; the '(' of column %zu needs its ')'", r->at + 1,
                                opened + 1);
    }
    r->at++;
    r->depth--;
    return status;
}

static bnd_status read_primary(reader *r, size_t *out, bool negative)
{
    char c = peek(r);
    if (c == '(') {
        return read_parentheses(r, out);
    }
    size_t length = number_length(r);
    if (length > 0) {
        return add_number(r, out, length, negative);
    }
    length = word_length(r);
    if (length == 0) {
        return refuse_at(r, r->at, "a number, a code, '(' or an operation's name is wanted");
    }
    return peek_at(r, r->at + length) == ':' ? read_code(r, out, length) : read_call(r, out, length);
}

/* A sign just before a number is the number's. */
static bnd_status read_factor(reader *r, size_t *out)
{
    char sign = peek(r);
    if (sign != '-' && sign != '+') {
        return read_primary(r, out, false);
    }
    size_t at = r->at++;
    (void)peek(r);
    if (number_length(r) > 0) {
        return read_primary(r, out, sign == '-');
    }
    size_t operand;
    bnd_status status = enter(r, at);
    if (status != BND_OK) {
        return status;
    }
    status = read_factor(r, &operand);
    r->depth--;
    if (status != BND_OK || sign == '+') {
        *out = operand;
        return status;
    }
    return add_operation(r, out, "neg", at, 1, 1, &operand);
}

/* ---- sums of products ---- */

static bnd_status read_product(reader *r, size_t *out)
{
    size_t operand[2];
    bnd_status status = read_factor(r, &operand[0]);
    for (char sign; status == BND_OK && ((sign = peek(r)) == '*' || sign == '/');) {
        size_t at = r->at++;
        status = read_factor(r, &operand[1]);
        if (status == BND_OK) {
            status = add_operation(r, &operand[0], sign == '*' ? "mul" : "div", at, 1, 2, operand);
        }
    }
    *out = operand[0];
    return status;
}

static bnd_status read_sum(reader *r, size_t *out)
{
    size_t operand[2];
    bnd_status status = read_product(r, &operand[0]);
    for (char sign; status == BND_OK && ((sign = peek(r)) == '+' || sign == '-');) {
        size_t at = r->at++;
        status = read_product(r, &operand[1]);
        if (status == BND_OK) {
            status = add_operation(r, &operand[0], sign == '+' ? "add" : "sub", at, 1, 2, operand);
        }
    }
    *out = operand[0];
    return status;
}

bnd_status bnd_expression_parse(bnd_term *terms, size_t capacity, size_t *count, const char *text, size_t length,
                                const bnd_format *f, bnd_error *why)
{
    reader r = {.text = length > 0 ? text : "",
                .length = length,
                .format = f,
                .terms = terms,
                .capacity = capacity,
                .why = why};
    size_t whole = 0;
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is a value set and has no codes; operations need a format with codes", f->name);
    }
    bnd_status status = read_sum(&r, &whole);
    if (status == BND_OK && (peek(&r) != '\0' || r.at < length)) {
        status = refuse_at(&r, r.at,
                           r.text[r.at] == ',' ? "the decimal point is '.' in every locale"
                                               : "an operator (+ - * /) is missing before it");
    }
    if (status == BND_OK) {
        *count = r.count;
    }
    return status;
}
