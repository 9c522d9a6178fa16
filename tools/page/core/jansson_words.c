/* Reads words of JSON. Where jansson stops, this stops: errors carry the number of bytes that were read until then. */
#include "json_words.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What read_byte returns besides a byte. */
enum { AT_END = -1, NOT_UTF8 = -2 };

void json_refuse(json_words *w, enum json_error_code code)
{
    if (w->error->text[0] != '\0') {
        return;
    }
    /* A word that is wrong because the text ended. */
    if (code == json_error_invalid_syntax && w->first == 0) {
        code = json_error_premature_end_of_input;
    }
    size_t position = w->at - w->lost;
    *w->error = (json_error_t){.position = position < INT_MAX ? (int)position : INT_MAX, .code = code, .text = "error"};
}

/* ---- bytes ---- */

/* The length of the UTF-8 character that begins here; 0 where none does. */
static size_t character(const unsigned char *s, size_t left)
{
    size_t more = s[0] < 0x80                   ? 0
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
                  : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                                : left;
    if (more >= left) {
        return 0;
    }
    for (size_t i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0, too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : more + 1;
}

static int read_byte(json_words *w)
{
    if (w->broken || w->at == w->length) {
        return w->broken ? NOT_UTF8 : AT_END;
    }
    if (w->at >= w->checked) {
        size_t length = character(w->bytes + w->at, w->length - w->at);
        if (length == 0) {
            json_refuse(w, json_error_invalid_utf8);
            w->broken = true;
            return NOT_UTF8;
        }
        w->checked = w->at + length;
    }
    return w->bytes[w->at++];
}

static void put_back(json_words *w, int c)
{
    if (c > 0) {
        w->at--;
    } else if (c == 0) {
        w->lost++;
    }
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* 0 to 15, or -1. */
static int hexadecimal(int c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* ---- strings ---- */

/* After a backslash. */
static bool skip_escape(json_words *w)
{
    int c = read_byte(w);
    bool good = c > 0 && strchr("u\"\\/bfnrt", c) != NULL;
    for (int i = 0; good && c == 'u' && i < 4; i++) {
        good = hexadecimal(read_byte(w)) >= 0;
    }
    return good;
}

/* To the quote that ends the string: false for what no string may contain. */
static bool skip_string(json_words *w)
{
    for (int c = read_byte(w); c != '"'; c = read_byte(w)) {
        if (c == AT_END || c == NOT_UTF8) {
            json_refuse(w, json_error_premature_end_of_input);
            return false;
        }
        if (c < 0x20) {
            put_back(w, c);
            json_refuse(w, json_error_invalid_syntax);
            return false;
        }
        if (c == '\\' && !skip_escape(w)) {
            json_refuse(w, json_error_invalid_syntax);
            return false;
        }
    }
    return true;
}

/* The four digits after "\u". */
static uint32_t code_unit(const unsigned char *digits)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        unit = unit << 4 | (uint32_t)hexadecimal(digits[i]);
    }
    return unit;
}

/* What "\uXXXX" or a pair of them stands for, and its length in the text; false for half of a pair. */
static bool code_point(const unsigned char *at, uint32_t *point, size_t *length)
{
    *point = code_unit(at + 2);
    *length = 6;
    if (*point >> 10 != 0xd800 >> 10) {
        return *point >> 10 != 0xdc00 >> 10;
    }
    uint32_t second = at[6] == '\\' && at[7] == 'u' ? code_unit(at + 8) : 0;
    *point = 0x10000 + ((*point & 0x3ff) << 10 | (second & 0x3ff));
    *length = 12;
    return second >> 10 == 0xdc00 >> 10;
}

static char *append_point(char *out, uint32_t point)
{
    if (point < 0x80) {
        *out++ = (char)point;
        return out;
    }
    unsigned more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    *out++ = (char)((0xff00U >> (more + 1) & 0xffU) | point >> 6 * more);
    while (more-- > 0) {
        *out++ = (char)(0x80U | (point >> 6 * more & 0x3fU));
    }
    return out;
}

static void read_string(json_words *w)
{
    const unsigned char *at = w->bytes + w->at;
    if (!skip_string(w)) {
        return;
    }
    const unsigned char *end = w->bytes + w->at - 1;
    char *text = malloc((size_t)(end - at) + 1), *out = text; /* an escape is longer than what it stands for */
    if (text == NULL) {
        json_refuse(w, json_error_out_of_memory);
        return;
    }
    while (at < end) {
        static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
        uint32_t point = 0;
        size_t length = 2;
        if (*at != '\\') {
            *out++ = (char)*at++;
            continue;
        }
        const char *known = strchr(escapes, at[1]);
        if (at[1] != 'u') {
            point = known != NULL ? (uint32_t)meant[known - escapes] : at[1];
        } else if (!code_point(at, &point, &length)) {
            free(text);
            json_refuse(w, json_error_invalid_syntax);
            return;
        }
        out = append_point(out, point);
        at += length;
    }
    *out = '\0';
    w->text = text;
    w->text_length = (size_t)(out - text);
    w->kind = JSON_WORD_STRING;
}

/* ---- numbers ---- */

static int skip_digits(json_words *w)
{
    int c = read_byte(w);
    while (is_digit(c)) {
        c = read_byte(w);
    }
    return c;
}

/* At least one digit; the byte behind them, or -3 where there is none. */
static int need_digits(json_words *w, int c)
{
    if (is_digit(c)) {
        return skip_digits(w);
    }
    put_back(w, c);
    return -3;
}

static void read_integer(json_words *w, const unsigned char *from, const unsigned char *to)
{
    bool negative = *from == '-';
    uint64_t magnitude = 0, limit = (uint64_t)LLONG_MAX + negative;
    for (from += negative; from < to; from++) {
        unsigned digit = *from - (unsigned)'0';
        if (magnitude > (limit - digit) / 10) {
            json_refuse(w, json_error_numeric_overflow);
            return;
        }
        magnitude = 10 * magnitude + digit;
    }
    w->integer = negative ? (json_int_t)(0 - magnitude) : (json_int_t)magnitude;
    w->kind = JSON_WORD_INTEGER;
}

static void read_real(json_words *w, const unsigned char *from, const unsigned char *to)
{
    size_t length = (size_t)(to - from);
    char *text = malloc(length + 1);
    if (text == NULL) {
        json_refuse(w, json_error_out_of_memory);
        return;
    }
    memcpy(text, from, length);
    text[length] = '\0';
    w->real = strtod(text, NULL);
    free(text);
    if (isinf(w->real)) {
        json_refuse(w, json_error_numeric_overflow);
        return;
    }
    w->kind = JSON_WORD_REAL;
}

/* From the byte c, which is a sign or a digit and has been read. */
static void read_number(json_words *w, int c)
{
    const unsigned char *from = w->bytes + w->at - 1;
    c = c == '-' ? read_byte(w) : c;
    if (c == '0') {
        c = read_byte(w);
        if (is_digit(c)) {
            put_back(w, c);
            return;
        }
    } else {
        c = need_digits(w, c);
    }
    bool real = c == '.' || c == 'e' || c == 'E';
    if (c == '.') {
        c = need_digits(w, read_byte(w));
    }
    if (c == 'e' || c == 'E') {
        c = read_byte(w);
        c = need_digits(w, c == '+' || c == '-' ? read_byte(w) : c);
    }
    if (c == -3) {
        return;
    }
    const unsigned char *to = w->bytes + w->at - (c >= 0);
    put_back(w, c);
    (real ? read_real : read_integer)(w, from, to);
}

/* ---- words ---- */

static void read_name(json_words *w)
{
    static const struct {
        const char *name;
        json_word_kind kind;
    } rows[] = {{"true", JSON_WORD_TRUE}, {"false", JSON_WORD_FALSE}, {"null", JSON_WORD_NULL}};
    const unsigned char *from = w->bytes + w->at - 1;
    int c = read_byte(w);
    while (is_letter(c)) {
        c = read_byte(w);
    }
    size_t length = (size_t)(w->bytes + w->at - (c >= 0) - from);
    put_back(w, c);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (length == strlen(rows[i].name) && memcmp(from, rows[i].name, length) == 0) {
            w->kind = rows[i].kind;
        }
    }
}

void json_next_word(json_words *w)
{
    free(w->text);
    w->text = NULL;
    w->kind = JSON_WORD_INVALID;
    w->first = 0;
    int c = read_byte(w);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        c = read_byte(w);
    }
    if (c < 0) {
        w->kind = c == AT_END ? JSON_WORD_END : JSON_WORD_INVALID;
        return;
    }
    w->first = c;
    if (c > 0 && strchr("{}[]:,", c) != NULL) {
        w->kind = JSON_WORD_MARK;
    } else if (c == '"') {
        read_string(w);
    } else if (c == '-' || is_digit(c)) {
        read_number(w, c);
    } else if (is_letter(c)) {
        read_name(w);
    } else if (c >= 0x80) {
        w->at = w->checked; /* all of the character */
    }
}
