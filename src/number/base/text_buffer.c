/* Text built into a caller's buffer, without a C library. */
#include "base/base.h"

bndi_text bndi_text_in(char *out, size_t size)
{
    if (size > 0) {
        out[0] = '\0';
    }
    return (bndi_text){.out = out, .size = size, .length = 0};
}

void bndi_text_char(bndi_text *text, char c)
{
    if (text->size > 0 && text->length < text->size - 1) {
        text->out[text->length] = c;
        text->out[text->length + 1] = '\0';
    }
    text->length++;
}

void bndi_text_bytes(bndi_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bndi_text_char(text, bytes[i]);
    }
}

void bndi_text_string(bndi_text *text, const char *string)
{
    bndi_text_bytes(text, string, bndi_length(string));
}

void bndi_text_unsigned(bndi_text *text, uint64_t value, unsigned base, unsigned least_digits)
{
    char digits[64];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    for (unsigned i = count; i < least_digits; i++) {
        bndi_text_char(text, '0');
    }
    while (count > 0) {
        bndi_text_char(text, digits[--count]);
    }
}

void bndi_text_signed(bndi_text *text, int64_t value)
{
    if (value < 0) {
        bndi_text_char(text, '-');
    }
    bndi_text_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
}

size_t bndi_length(const char *string)
{
    size_t length = 0;
    while (string[length] != '\0') {
        length++;
    }
    return length;
}

char bndi_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool bndi_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    bool same = a_length == b_length;
    for (size_t i = 0; same && i < a_length; i++) {
        same = bndi_lower(a[i]) == bndi_lower(b[i]);
    }
    return same;
}

bool bndi_same_word(const char *a, size_t a_length, const char *b)
{
    return bndi_same(a, a_length, b, bndi_length(b));
}

const char *bndi_next_word(const char **list, size_t *length)
{
    const char *word = *list;
    while (*word == ' ') {
        word++;
    }
    *length = 0;
    while (word[*length] != '\0' && word[*length] != ' ') {
        ++*length;
    }
    *list = word + *length;
    return word;
}
