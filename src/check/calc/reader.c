/* What all parts of the expression parser need: characters, errors, and terms without operands. */
#include "calc/reader.h"

#include <string.h>

/* ---- characters ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool bndi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool bndi_is_letter(char c)
{
    return c == '_' || (bndi_lower(c) >= 'a' && bndi_lower(c) <= 'z');
}

static size_t length_at(const bndi_reader *r, size_t at)
{
    size_t length;
    (void)bndi_symbol(r->text + at, r->length - at, &length);
    return length;
}

char bndi_peek_at(const bndi_reader *r, size_t at)
{
    size_t length;
    return at < r->length ? bndi_symbol(r->text + at, r->length - at, &length) : '\0';
}

void bndi_advance(bndi_reader *r)
{
    r->at += r->at < r->length ? length_at(r, r->at) : 0;
}

char bndi_peek(bndi_reader *r)
{
    while (is_blank(bndi_peek_at(r, r->at))) {
        bndi_advance(r);
    }
    return bndi_peek_at(r, r->at);
}

size_t bndi_word_length(const bndi_reader *r)
{
    size_t at = r->at;
    if (bndi_peek_at(r, at) == BNDI_PI) {
        return length_at(r, at);
    }
    while (bndi_is_letter(bndi_peek_at(r, at)) || (at > r->at && bndi_is_digit(bndi_peek_at(r, at)))) {
        at++;
    }
    return at - r->at;
}

/* ---- refusals ---- */

size_t bndi_column_of(const bndi_reader *r, size_t at)
{
    return bndi_column_at(r->text, r->length, at);
}

bnd_status bndi_refuse_at(const bndi_reader *r, size_t at, const char *hint)
{
    return bndi_refuse_character(r->why, r->text, r->length, at, "expression", hint);
}

bnd_status bndi_refuse_part(const bndi_reader *r, size_t at, size_t length, const char *message)
{
    int most = length < 40 ? (int)length : 40;
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu, '%.*s%s': %s", bndi_column_of(r, at), most, r->text + at,
                    length > 40 ? "..." : "", message);
}

/* Reports an error in a number. The number's message counts columns from the beginning of the number; ours counts
   them in the expression. */
static bnd_status refuse_number(const bndi_reader *r, size_t length, const bnd_error *why)
{
    static const char begins[] = "column ";
    const char *colon = strstr(why->message, ": ");
    if (why->status == BND_NO_MEMORY) {
        return bnd_fail(r->why, why->status, r->at, "%s", why->message);
    }
    if (colon == NULL || strncmp(why->message, begins, sizeof begins - 1) != 0) {
        return bndi_refuse_part(r, r->at, length, why->message);
    }
    size_t at = r->at + why->where;
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu%s", bndi_column_of(r, at), colon);
}

bnd_status bndi_enter_expression(bndi_reader *r, size_t at)
{
    if (r->depth == BND_EXPRESSION_DEPTH_MAX) {
        return bnd_fail(r->why, BND_BAD_SYNTAX, at,
                        "column %zu: signs, parentheses and calls must be at most %d deep; compute a part first",
                        bndi_column_of(r, at), BND_EXPRESSION_DEPTH_MAX);
    }
    r->depth++;
    return BND_OK;
}

/* ---- terms ---- */

const char *bnd_term_name(const bnd_term *t)
{
    return t->kind == BND_TERM_POWER ? "power"
           : t->kind == BND_TERM_SUM
               ? "sum"
               : bnd_operation_name(t->kind == BND_TERM_OPERATION ? t->operation : BND_OP_CONVERT);
}

bnd_format bnd_term_format(const bnd_term *t, const char *text, const bnd_format *f)
{
    bnd_format own;
    bool named =
        t->format_length > 0 && bnd_format_parse_n(&own, text + t->format_at, t->format_length, NULL) == BND_OK;
    return named ? own : *f;
}

bnd_status bndi_add_term(bndi_reader *r, size_t *out, const bnd_term *term)
{
    if (r->count == r->capacity) {
        return bnd_fail(r->why, BND_BAD_ARGUMENT, term->from, "the expression has more than %zu terms", r->capacity);
    }
    *out = r->count;
    r->terms[r->count++] = *term;
    return BND_OK;
}

/* A sign changes nothing else: its result stays in the operand's format, where that has signs. */
static void keep_format(const bndi_reader *r, bnd_term *term)
{
    const bnd_term *x = &r->terms[term->operand[0]];
    bool sign = term->kind == BND_TERM_OPERATION && (term->operation == BND_OP_NEG || term->operation == BND_OP_ABS);
    if (sign && x->format_length > 0 && bnd_term_format(x, r->text, r->format).is_signed) {
        term->format_at = x->format_at;
        term->format_length = x->format_length;
    }
}

bnd_status bndi_add_operation(bndi_reader *r, size_t *out, bnd_operation operation, size_t from, size_t length,
                              const size_t *operand)
{
    unsigned operands = bnd_operation_operands(operation);
    bnd_term term = {.kind = BND_TERM_OPERATION,
                     .operands = (uint8_t)operands,
                     .operation = operation,
                     .from = from,
                     .length = length};
    memcpy(term.operand, operand, operands * sizeof *operand);
    keep_format(r, &term);
    return bndi_add_term(r, out, &term);
}

/* ---- numbers ---- */

bndi_constant bndi_constant_named(const char *text, size_t length)
{
    if (bndi_same_word(text, length, "pi") || bndi_same_word(text, length, "\xcf\x80")) {
        return BNDI_CONSTANT_PI;
    }
    return bndi_same_word(text, length, "e") ? BNDI_CONSTANT_E : BNDI_NO_CONSTANT;
}

/* The end of all characters that may belong to a number, so that the number's own parser reports the errors in it. */
static size_t end_of_number(const bndi_reader *r, size_t at)
{
    bool hex = bndi_peek_at(r, at) == '0' && bndi_lower(bndi_peek_at(r, at + 1)) == 'x';
    char mark = hex ? 'p' : 'e';
    while (at < r->length) {
        char c = bndi_peek_at(r, at);
        bool sign = (c == '+' || c == '-') && at > 0 && bndi_lower(r->text[at - 1]) == mark;
        if (!bndi_is_digit(c) && !bndi_is_letter(c) && c != '.' && !sign) {
            break;
        }
        at += length_at(r, at);
    }
    return at;
}

/* inf, infinity, nan, snan, and those NaNs' payload; pi and e. Returns the length, or 0 where the word is another. */
static size_t special_length(const bndi_reader *r, size_t word)
{
    static const char *const numbers[] = {"inf", "infinity", "nan", "snan"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!bndi_same_word(r->text + r->at, word, numbers[i])) {
            continue;
        }
        size_t end = r->at + word;
        if (i >= 2 && bndi_peek_at(r, end) == '(') {
            while (end < r->length && r->text[end] != ')') {
                end++;
            }
            end += end < r->length;
        }
        return end - r->at;
    }
    return bndi_constant_named(r->text + r->at, word) != BNDI_NO_CONSTANT ? word : 0;
}

size_t bndi_number_length(const bndi_reader *r)
{
    char c = bndi_peek_at(r, r->at);
    return bndi_is_digit(c) || c == '.' ? end_of_number(r, r->at) - r->at : special_length(r, bndi_word_length(r));
}

bnd_status bndi_add_number(bndi_reader *r, size_t *out, size_t length, bool negative)
{
    bnd_term term = {.kind = BND_TERM_NUMBER, .negative = negative, .from = r->at, .length = length};
    bnd_exact value;
    bnd_error why;
    if (bndi_constant_named(r->text + r->at, length) == BNDI_NO_CONSTANT &&
        bnd_parse_exact_n(&value, r->text + r->at, length, &why) != BND_OK) {
        return refuse_number(r, length, &why);
    }
    r->at += length;
    return bndi_add_term(r, out, &term);
}

bnd_status bndi_read_integer(bndi_reader *r, int64_t *out, int64_t least, int64_t most, const char *what)
{
    char sign = bndi_peek(r);
    if (sign == '-' || sign == '+') {
        bndi_advance(r);
    }
    const int64_t largest = sign == '-' ? -least : most;
    size_t first = r->at;
    int64_t value = 0;
    for (; bndi_is_digit(bndi_peek_at(r, r->at)); r->at++) {
        int64_t digit = r->text[r->at] - '0';
        if (digit > largest || value > (largest - digit) / 10) {
            return bndi_refuse_at(r, r->at, what);
        }
        value = 10 * value + digit;
    }
    char next = bndi_peek_at(r, r->at);
    if (r->at == first || next == '.' || bndi_is_letter(next)) {
        return bndi_refuse_at(r, r->at, what);
    }
    *out = sign == '-' ? -value : value;
    return BND_OK;
}

/* ---- codes ---- */

static bnd_status refuse_code(const bndi_reader *r, size_t at, const bnd_format *f, const char *what)
{
    return bnd_fail(r->why, BND_BAD_SYNTAX, at, "column %zu: %s; a code is written %s:0xHEX or %s:0bBITS",
                    bndi_column_of(r, at), what, f->name, f->name);
}

static int digit_of(char c)
{
    char lower = bndi_lower(c);
    return bndi_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

bnd_status bndi_read_code(bndi_reader *r, size_t *out, size_t name)
{
    bnd_format f;
    bnd_error why;
    if (bnd_format_parse_n(&f, r->text + r->at, name, &why) != BND_OK) {
        return bndi_refuse_part(r, r->at, name, why.message);
    }
    if (f.width == 0) {
        return bndi_refuse_part(r, r->at, name, "a value set has no codes");
    }
    bnd_term term = {.kind = BND_TERM_CODE, .from = r->at, .format_at = r->at, .format_length = name};
    size_t at = r->at + name + 1;
    char base = bndi_lower(bndi_peek_at(r, at + 1));
    if (bndi_peek_at(r, at) != '0' || (base != 'x' && base != 'b')) {
        return refuse_code(r, at, &f, "expected a code");
    }
    unsigned bits = base == 'x' ? 4 : 1, width = f.width;
    uint64_t most = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    size_t first = at += 2;
    for (; bndi_is_digit(bndi_peek_at(r, at)) || bndi_is_letter(bndi_peek_at(r, at)); at++) {
        int digit = digit_of(r->text[at]);
        if (digit >= 1 << bits) {
            return refuse_code(r, at, &f, "expected a digit of a code");
        }
        if (term.code > most >> bits || (term.code << bits | (unsigned)digit) > most) {
            return refuse_code(r, at, &f, "the code must not have more bits than the format");
        }
        term.code = term.code << bits | (unsigned)digit;
    }
    if (at == first) {
        return refuse_code(r, at, &f, "expected the digits of the code");
    }
    term.length = at - r->at;
    r->at = at;
    return bndi_add_term(r, out, &term);
}
