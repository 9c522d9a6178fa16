/* The grammar of numbers. An error message gives the column, the character found there, and what is expected. The C
 * library is not asked what a digit or a blank is, so the locale does not matter. */
#include "base/memory.h"
#include "text/scanned.h"
#include "base/base.h"

typedef struct cursor {
    const char *text;
    size_t length, at;
    bnd_error *why;
} cursor;

int bndi_digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = bndi_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The lower-case form of the byte at the cursor; a 0 byte at the end, and for a 0 byte. */
static char peek(const cursor *c)
{
    return c->at < c->length ? bndi_lower(c->text[c->at]) : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bnd_status refuse(const cursor *c, const char *hint)
{
    return bndi_refuse_character(c->why, c->text, c->length, c->at, "text", hint);
}

/* The error message for characters after a complete number. */
static bnd_status refuse_rest(const cursor *c, const bndi_scanned *number)
{
    char next = peek(c);
    if (next == ',') {
        return refuse(c, "the decimal point must be '.', and digits must not be grouped");
    }
    if (next == '_' || next == '\'') {
        return refuse(c, "digits must not be grouped");
    }
    if (is_blank(next)) {
        return refuse(c, "a number must have no blanks in it or around it");
    }
    if (next == '.') {
        return refuse(c, "a number can have one point, an exponent none");
    }
    if (number->kind == BNDI_NUMBER_DECIMAL && next == 'p') {
        return refuse(c,
                      "only a number that starts with 0x has a binary exponent; a decimal exponent is written with e");
    }
    return refuse(c, "expected the end of the number");
}

/* Skips digits of the base; returns their number. */
static size_t skip_digits(cursor *c, int base)
{
    size_t start = c->at;
    while (c->at < c->length) {
        int value = bndi_digit_value(c->text[c->at]);
        if (value < 0 || value >= base) {
            break;
        }
        c->at++;
    }
    return c->at - start;
}

/* Skips a sign and returns it ('-' or '+'), or a 0 byte if there is none. A minus sign may be U+2212. */
static char skip_sign(cursor *c)
{
    size_t length;
    char sign = bndi_symbol(c->text + c->at, c->length - c->at, &length);
    if (sign != '-' && sign != '+') {
        return '\0';
    }
    c->at += length;
    return sign;
}

/* [sign] digits, after the letter that starts an exponent. */
static bnd_status scan_exponent(cursor *c, int64_t *out, const char *hint)
{
    bool negative = skip_sign(c) == '-';
    size_t start = c->at;
    if (skip_digits(c, 10) == 0) {
        return refuse(c, hint);
    }
    int64_t value = 0;
    for (size_t i = start; i < c->at && value < BNDI_EXPONENT_SATURATED; i++) {
        int digit = c->text[i] - '0';
        value = value > (BNDI_EXPONENT_SATURATED - digit) / 10 ? BNDI_EXPONENT_SATURATED : value * 10 + digit;
    }
    *out = negative ? -value : value;
    return BND_OK;
}

static char digit_at(const bndi_scanned *number, size_t i)
{
    return i < number->integer_length ? number->integer[i] : number->fraction[i - number->integer_length];
}

/* Finds the first and the last nonzero digit; sets `exponent` to that of the last. */
static void trim_blanks(bndi_scanned *number)
{
    size_t end = number->integer_length + number->fraction_length, first = 0;
    while (first < end && digit_at(number, first) == '0') {
        first++;
    }
    while (end > first && digit_at(number, end - 1) == '0') {
        end--;
    }
    number->first = first;
    number->count = end - first;
    int64_t behind = (int64_t)number->integer_length - (int64_t)end; /* places between the last digit and the point */
    number->exponent += number->kind == BNDI_NUMBER_HEX ? 4 * behind : behind;
}

/* digits [. [digits]] or . digits, then an exponent. */
static bnd_status scan_digits(cursor *c, bndi_scanned *out)
{
    bool hex = out->kind == BNDI_NUMBER_HEX;
    int base = hex ? 16 : 10;
    out->integer = c->text + c->at;
    out->integer_length = skip_digits(c, base);
    if (peek(c) == '.') {
        c->at++;
        out->fraction = c->text + c->at;
        out->fraction_length = skip_digits(c, base);
    }
    if (out->integer_length + out->fraction_length == 0) {
        return refuse(c, hex ? "expected a hexadecimal digit after 0x, before or after the point"
                             : "expected a digit, before or after the point");
    }
    bnd_status status = BND_OK;
    if (peek(c) == (hex ? 'p' : 'e')) {
        c->at++;
        status = scan_exponent(c, &out->exponent,
                               hex ? "expected a digit in the exponent, as in 0x1p-24"
                                   : "expected a digit in the exponent, as in 1e-8");
    }
    if (status == BND_OK) {
        trim_blanks(out);
    }
    return status;
}

/* (0x7f) or (127), after the opening parenthesis. */
static bnd_status scan_payload(cursor *c, bndi_scanned *out)
{
    size_t start = c->at;
    int base = 10;
    if (peek(c) == '0' && c->at + 1 < c->length && bndi_lower(c->text[c->at + 1]) == 'x') {
        base = 16;
        c->at += 2;
    }
    size_t digits = c->at;
    if (skip_digits(c, base) == 0) {
        return refuse(c, "expected a payload such as 0x7f or 127");
    }
    uint64_t value = 0;
    for (size_t i = digits; i < c->at; i++) {
        value = value * (uint64_t)base + (uint64_t)bndi_digit_value(c->text[i]);
        if (value >> BNDI_PAYLOAD_BITS != 0) {
            return bnd_fail(c->why, BND_BAD_SYNTAX, start,
                            "column %zu: the payload must have at most %d bits, up to 0x7ffffffffffff", start + 1,
                            BNDI_PAYLOAD_BITS);
        }
    }
    if (value == 0 && out->kind == BNDI_NUMBER_SIGNALING_NAN) {
        return bnd_fail(c->why, BND_BAD_SYNTAX, start,
                        "column %zu: the payload of a signaling NaN must not be 0, which is the code of infinity",
                        start + 1);
    }
    if (peek(c) != ')') {
        return refuse(c, "expected a payload such as 0x7f or 127, then ')'");
    }
    c->at++;
    out->payload = value;
    return BND_OK;
}

/* True if the rest starts with the word. The cursor moves past the part of the word that matches. */
static bool skip_word(cursor *c, const char *word)
{
    for (; *word != '\0'; word++, c->at++) {
        if (peek(c) != *word) {
            return false;
        }
    }
    return true;
}

static bnd_status scan_word(cursor *c, bndi_scanned *out)
{
    static const char *const hint = "expected inf, infinity, nan or snan";
    if (peek(c) == 'i') {
        out->kind = BNDI_NUMBER_INFINITE;
        if (!skip_word(c, "inf")) {
            return refuse(c, hint);
        }
        return peek(c) != 'i' || skip_word(c, "inity") ? BND_OK : refuse(c, hint);
    }
    out->kind = peek(c) == 's' ? BNDI_NUMBER_SIGNALING_NAN : BNDI_NUMBER_NAN;
    out->payload = out->kind == BNDI_NUMBER_SIGNALING_NAN ? 1 : 0;
    if (!skip_word(c, out->kind == BNDI_NUMBER_SIGNALING_NAN ? "snan" : "nan")) {
        return refuse(c, hint);
    }
    if (peek(c) != '(') {
        return BND_OK;
    }
    c->at++;
    return scan_payload(c, out);
}

static bnd_status scan_magnitude(cursor *c, bndi_scanned *out, bool after_sign)
{
    char next = peek(c);
    if (next == 'i' || next == 'n' || next == 's') {
        return scan_word(c, out);
    }
    if (next == '0' && c->at + 1 < c->length && bndi_lower(c->text[c->at + 1]) == 'x') {
        out->kind = BNDI_NUMBER_HEX;
        c->at += 2;
        return scan_digits(c, out);
    }
    if (next == '.' || (next >= '0' && next <= '9')) {
        return scan_digits(c, out);
    }
    if (c->at < c->length && is_blank(next)) {
        return refuse(c, "a number must have no blanks in it or around it");
    }
    return refuse(c, after_sign ? "expected a digit, '.', 0x, inf or nan after the sign"
                                : "expected a digit, a sign, '.', 0x, inf or nan");
}

bnd_status bnd_lab_scan_number(bndi_scanned *out, const char *text, size_t length, bnd_error *why)
{
    cursor c = {.text = length > 0 ? text : "", .length = length, .at = 0, .why = why}; /* an empty text may be NULL */
    char sign = skip_sign(&c);
    bndi_scanned number = {.kind = BNDI_NUMBER_DECIMAL, .negative = sign == '-'};
    bnd_status status = scan_magnitude(&c, &number, sign != '\0');
    if (status != BND_OK) {
        return status;
    }
    if (c.at < c.length) {
        return refuse_rest(&c, &number);
    }
    *out = number;
    return BND_OK;
}

void bnd_lab_copy_digits(char *out, const bndi_scanned *number, size_t from, size_t length)
{
    size_t start = number->first + from;
    if (start < number->integer_length) {
        size_t before = number->integer_length - start < length ? number->integer_length - start : length;
        memcpy(out, number->integer + start, before);
        out += before;
        start += before;
        length -= before;
    }
    if (length > 0) {
        memcpy(out, number->fraction + (start - number->integer_length), length);
    }
}

bndi_natural bndi_digits_as_natural(uint64_t *words, const bndi_scanned *number, size_t length)
{
    bndi_natural out = {.word = words};
    unsigned base = number->kind == BNDI_NUMBER_HEX ? 16 : 10;
    size_t start = number->first, before = 0;
    if (start < number->integer_length) {
        before = number->integer_length - start < length ? number->integer_length - start : length;
        bndi_natural_read(&out, number->integer + start, before, base);
        start += before;
    }
    if (length > before) {
        bndi_natural_read(&out, number->fraction + (start - number->integer_length), length - before, base);
    }
    return out;
}
