/* VALUE as the command line takes it. */
#include "value.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at != NULL ? (int)(at - digits) : 99;
}

/* The code after the colon: 0x and hexadecimal digits, 0b and bits (blanks and underscores may stand between bits). */
static int read_code(given *v, const settings *s, const char *word, const char *text)
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
            return complain(s->command, "'%s': '%c' is no %s digit", word, *at,
                            base_bits == 4 ? "hexadecimal" : "binary");
        }
        if (v->code > most >> base_bits) {
            return complain(s->command, "'%s': a code of %s has only %u bits", word, v->format.name, width);
        }
        v->code = v->code << base_bits | (uint64_t)digit;
        digits++;
    }
    if (digits == 0 || v->code > most) {
        return complain(s->command,
                        digits == 0 ? "'%s': the digits of the code are missing (%s has %u bits)"
                                    : "'%s': a code of %s has only %u bits",
                        word, v->format.name, width);
    }
    v->exact = bnd_unpack(&v->format, v->code);
    v->is_code = true;
    return GO_ON;
}

static const char *code_part(const char *word)
{
    const char *colon = strrchr(word, ':');
    bool is_code = colon != NULL && colon[1] == '0' && colon[2] != '\0' && strchr("xXbB", colon[2]) != NULL;
    return is_code ? colon + 1 : NULL;
}

int read_value(given *v, const settings *s, const char *word)
{
    *v = (given){.input = word};
    bnd_error why;
    const char *code = code_part(word);
    if (code != NULL) {
        if (bnd_format_parse_n(&v->format, word, (size_t)(code - 1 - word), &why) != BND_OK) {
            return complain(s->command, "'%s': %s", word, why.message);
        }
        if (v->format.width == 0) {
            return complain(s->command, "'%s': %s is a value set and has no codes", word, v->format.name);
        }
        int status = read_code(v, s, word, code);
        if (status != GO_ON) {
            return status;
        }
    } else if (bnd_parse_exact(&v->exact, word, strlen(word), &why) != BND_OK) {
        return complain(s->command, "'%.80s%s': %s", word, strlen(word) > 80 ? "..." : "", why.message);
    }
    if (v->exact.kind == BND_FINITE || v->exact.kind == BND_ZERO) {
        v->number = v->is_code ? exact_text(v->exact, false) : copy_text(word);
    }
    return GO_ON;
}

void clear_value(given *v)
{
    free(v->number);
    v->number = NULL;
}

static int one(const settings *s, const char *word, size_t *index,
               int (*each)(void *state, const given *v, size_t index), void *state)
{
    given v;
    int status = read_value(&v, s, word);
    if (status == GO_ON) {
        status = each(state, &v, (*index)++);
    }
    clear_value(&v);
    return status;
}

/* The next word of a stream, of any length; NULL at its end. */
static char *next_word(FILE *in)
{
    int c = getc(in);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        c = getc(in);
    }
    char *word = NULL;
    size_t length = 0, capacity = 0;
    for (; c != EOF && c != ' ' && c != '\t' && c != '\n' && c != '\r'; c = getc(in)) {
        if (length + 2 > capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            word = allocate(word, capacity, 1);
        }
        word[length++] = (char)c;
        word[length] = '\0';
    }
    return word;
}

static int each_of_stdin(const settings *s, size_t *index, int (*each)(void *state, const given *v, size_t index),
                         void *state)
{
    int status = GO_ON;
    for (char *word; status == GO_ON && (word = next_word(stdin)) != NULL; free(word)) {
        status = one(s, word, index, each, state);
    }
    if (status == GO_ON && ferror(stdin)) {
        complain(s->command, "standard input cannot be read");
        return BAD_STREAM;
    }
    return status;
}

int for_each_value(const settings *s, int (*each)(void *state, const given *v, size_t index), void *state)
{
    int status = GO_ON;
    size_t index = 0;
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        const char *word = s->operands[i];
        status = strcmp(word, "-") == 0 ? each_of_stdin(s, &index, each, state) : one(s, word, &index, each, state);
    }
    return status;
}
