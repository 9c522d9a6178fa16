/* Parses VALUE on the command line. */
#include "value.h"
#include "common/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at != NULL ? (int)(at - digits) : 99;
}

/* What is being read, and where: for messages. */
typedef struct source {
    const settings *settings;
    const char *place, *word;
} source;

/* "place'word': what": of a long word the beginning. */
static int refuse(const source *from, const char *what)
{
    return complain(from->settings->command, "%s'%.80s%s': %s", from->place, from->word,
                    strlen(from->word) > 80 ? "..." : "", what);
}

static int refuse_width(const source *from, const given *v)
{
    char what[96];
    snprintf(what, sizeof what, "a code of %s must have at most %u bits", v->format.name, v->format.width);
    return refuse(from, what);
}

/* The code after the colon: 0x and hexadecimal digits, 0b and bits (blanks and underscores may stand between bits). */
static int read_code(given *v, const source *from, const char *text)
{
    unsigned base_bits = text[1] == 'x' || text[1] == 'X' ? 4 : 1;
    unsigned width = v->format.width;
    uint64_t most = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    size_t digits = 0;
    for (const char *at = text + 2; *at != '\0'; at++) {
        if (base_bits == 1 && (*at == ' ' || *at == '_')) {
            continue;
        }
        int digit = digit_of(*at);
        if (digit >= 1 << base_bits) {
            char what[64];
            snprintf(what, sizeof what, "'%c' is not a %s digit", *at, base_bits == 4 ? "hexadecimal" : "binary");
            return refuse(from, what);
        }
        if (v->code > most >> base_bits) {
            return refuse_width(from, v);
        }
        v->code = v->code << base_bits | (uint64_t)digit;
        digits++;
    }
    if (digits == 0) {
        return refuse(from, "expected digits after the prefix of the code");
    }
    if (v->code > most) {
        return refuse_width(from, v);
    }
    v->exact = bnd_unpack(&v->format, v->code);
    v->number = bnd_number_of_exact(v->exact);
    v->is_code = true;
    return GO_ON;
}

static const char *code_part(const char *word)
{
    const char *colon = strrchr(word, ':');
    bool is_code = colon != NULL && colon[1] == '0' && colon[2] != '\0' && strchr("xXbB", colon[2]) != NULL;
    return is_code && strpbrk(colon, "+-*/^(),\xc2\xc3\xe2") == NULL ? colon + 1 : NULL; /* else an expression */
}

/* A plain number of any length, or an expression. What is exactly its leading bits needs no more than those. */
static int read_number(given *v, const source *from, size_t length)
{
    bnd_error why;
    bnd_format named;
    if (bnd_number_parse_n(&v->number, from->word, length, NULL) == BND_OK) {
        v->exact = v->number.value;
        return GO_ON;
    }
    const char *colon = strchr(from->word, ':');
    if (colon != NULL && colon[1] != '0' &&
        bnd_format_parse_n(&named, from->word, (size_t)(colon - from->word), NULL) == BND_OK) {
        return refuse(from, "expected a code as FORMAT:0xHEX or FORMAT:0bBITS");
    }
    if (bnd_real_new_of_text_n(&v->exact, &v->real, from->word, length, &why) != BND_OK) {
        return refuse(from, why.message);
    }
    if (!v->exact.sticky) {
        v->number = bnd_number_of_exact(v->exact);
        bnd_real_free(v->real);
        v->real = NULL;
    }
    return GO_ON;
}

static int read_format_and_code(given *v, const source *from, const char *code)
{
    bnd_error why;
    if (bnd_format_parse_n(&v->format, from->word, (size_t)(code - 1 - from->word), &why) != BND_OK) {
        return refuse(from, why.message);
    }
    if (v->format.width == 0) {
        return refuse(from, "the format is a value set: it has no codes");
    }
    return read_code(v, from, code);
}

int read_value(given *v, const settings *s, const char *word, size_t length, const char *place)
{
    *v = (given){.input = word};
    const source from = {s, place, word};
    const char *code = strlen(word) == length ? code_part(word) : NULL;
    return code != NULL ? read_format_and_code(v, &from, code) : read_number(v, &from, length);
}

bnd_rounded round_given(const given *v, const bnd_format *f, bnd_rule rule, uint64_t random)
{
    return v->is_code ? bnd_round_code(f, &v->format, v->code, rule, random)
                      : bnd_round_exact(f, v->exact, rule, random);
}

void clear_value(given *v)
{
    bnd_real_free(v->real);
    v->real = NULL;
}

/* ---- differences ---- */

bool is_given_finite(const given *v)
{
    return v->real != NULL || v->exact.kind == BND_KIND_FINITE || v->exact.kind == BND_KIND_ZERO;
}

static bnd_exact with_sign(bnd_exact value, bool turned)
{
    value.negative = value.negative != turned;
    return value;
}

/* value - real, or, where the given number is minus `real`, (-value) - real, whose opposite is wanted. */
static bnd_real *difference(const given *v, bnd_exact value)
{
    bnd_real *error;
    return bnd_real_new_of_error(&error, with_sign(value, v->opposite), v->real, NULL) == BND_OK ? error : NULL;
}

char *error_from_given(const given *v, bnd_exact value, bool plain)
{
    if (v->real != NULL) {
        bnd_real *error = difference(v, value);
        bnd_known known = error != NULL ? bnd_real_known(error) : BND_KNOWN_NOT;
        char *text = known != BND_KNOWN_NOT && known != BND_KNOWN_BOUNDS ? real_text(error, plain) : NULL;
        bnd_real_free(error);
        return text;
    }
    bnd_notation notation = plain ? BND_NOTATION_PLAIN : BND_NOTATION_AUTO;
    char first[128];
    size_t length;
    if (bnd_print_error(&length, first, sizeof first, value, &v->number, notation, NULL) != BND_OK) {
        return NULL;
    }
    if (length < sizeof first) {
        return copy_text(first);
    }
    char *text = allocate(NULL, length + 1, 1);
    if (bnd_print_error(&length, text, length + 1, value, &v->number, notation, NULL) != BND_OK) {
        free(text);
        return NULL;
    }
    return text;
}

bool units_from_given(double *out, const given *v, bnd_exact value, bnd_exact unit)
{
    if (v->real == NULL) {
        return bnd_error_in_units(out, value, &v->number, unit, NULL) == BND_OK;
    }
    bnd_real *error = difference(v, value);
    bnd_known known = error != NULL ? bnd_real_known(error) : BND_KNOWN_NOT;
    double units = error != NULL ? bnd_real_in_units(error, unit) : 0;
    bnd_real_free(error);
    *out = v->opposite ? -units : units;
    return known == BND_KNOWN_EXACTLY || known == BND_KNOWN_DIGITS || known == BND_KNOWN_BOUNDS;
}

bool relative_to_given(double *out, const given *v, bnd_exact value)
{
    if (v->real == NULL) {
        return bnd_relative_error(out, value, &v->number, NULL) == BND_OK;
    }
    bnd_real *error = difference(v, value);
    *out = error != NULL ? bnd_real_quotient(error, v->real) : (double)NAN;
    bnd_real_free(error);
    return !isnan(*out);
}

given given_magnitude(const given *v)
{
    given magnitude = *v;
    magnitude.number.value.negative = false;
    magnitude.opposite = v->real != NULL && v->exact.negative;
    magnitude.exact.negative = false;
    return magnitude;
}

/* ---- every value of a command line ---- */

static int one(const settings *s, const char *word, size_t length, const char *place, size_t *index,
               int (*each)(void *state, const given *v, size_t index), void *state)
{
    given v;
    int status = read_value(&v, s, word, length, place);
    if (status == GO_ON) {
        status = each(state, &v, (*index)++);
    }
    clear_value(&v);
    return status == GO_ON && ferror(stdout) ? BAD_STREAM : status;
}

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word of a stream, of any length, with a 0 byte after it; NULL at its end. */
static char *next_word(FILE *in, size_t *length)
{
    int c = getc(in);
    while (is_blank(c)) {
        c = getc(in);
    }
    char *word = NULL;
    size_t capacity = 0;
    *length = 0;
    for (; c != EOF && !is_blank(c); c = getc(in)) {
        if (*length + 2 > capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            word = allocate(word, capacity, 1);
        }
        word[(*length)++] = (char)c;
        word[*length] = '\0';
    }
    return word;
}

static int each_of_stdin(const settings *s, size_t *index, int (*each)(void *state, const given *v, size_t index),
                         void *state)
{
    int status = GO_ON;
    size_t length, count = 0;
    for (char *word; status == GO_ON && (word = next_word(stdin, &length)) != NULL; free(word)) {
        char place[64];
        snprintf(place, sizeof place, "standard input, word %zu: ", ++count);
        status = one(s, word, length, place, index, each, state);
    }
    if (status == GO_ON && ferror(stdin)) {
        complain(s->command, "standard input cannot be read: %s", strerror(errno));
        return BAD_STREAM;
    }
    return status;
}

/* "show 1 fp16": found out before anything is printed. */
static int refuse_formats(const settings *s)
{
    for (size_t i = 0; i < s->operand_count; i++) {
        const char *word = s->operands[i];
        bool group = bnd_group_size(word) > 0;
        bnd_format f;
        if (group || bnd_format_parse(&f, word, NULL) == BND_OK) {
            return complain(s->command, "%s is a %s, not a value; use -f %s", word,
                            group ? "group of formats" : "format", word);
        }
    }
    return GO_ON;
}

/* Reads the operands, but for "-", before anything is printed. */
static int read_operands(given *values, const settings *s)
{
    int status = refuse_formats(s);
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        const char *word = s->operands[i];
        status = strcmp(word, "-") == 0 ? GO_ON : read_value(&values[i], s, word, strlen(word), "");
    }
    return status;
}

int for_each_value(const settings *s, int (*each)(void *state, const given *v, size_t index), void *state)
{
    given *values = allocate(NULL, s->operand_count + 1, sizeof *values);
    memset(values, 0, (s->operand_count + 1) * sizeof *values);
    int status = read_operands(values, s);
    size_t index = 0;
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        bool standard = strcmp(s->operands[i], "-") == 0;
        status = standard ? each_of_stdin(s, &index, each, state) : each(state, &values[i], index++);
        status = status == GO_ON && ferror(stdout) ? BAD_STREAM : status;
    }
    for (size_t i = 0; i < s->operand_count; i++) {
        clear_value(&values[i]);
    }
    free(values);
    return status;
}
