/* UTF-8 characters: their length, their column, and the meaning of those that people paste into formulas.
 * */
#include "base/base.h"

size_t bndi_code_point(const char *text, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000}; /* that needs this number of bytes behind the first */
    const unsigned char *s = (const unsigned char *)text;
    size_t more = s[0] < 0x80 ? 0 : s[0] >> 5 == 6 ? 1 : s[0] >> 4 == 14 ? 2 : s[0] >> 3 == 30 ? 3 : 4;
    if (more == 4 || more >= left) {
        return 0;
    }
    uint32_t value = more == 0 ? s[0] : s[0] & (0x3fU >> more);
    for (size_t i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2) {
            return 0;
        }
        value = value << 6 | (s[i] & 0x3fU);
    }
    *point = value;
    return value < least[more] || value > 0x10ffff || value >> 11 == 0x1b ? 0 : more + 1; /* 0x1b: surrogates */
}

/* Control characters, and those that change the direction of writing: both change how the text around them is shown. */
static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200e && point <= 0x200f) ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

size_t bndi_character(const char *text, size_t left)
{
    uint32_t point = 0;
    size_t length = left == 0 ? 0 : bndi_code_point(text, left, &point);
    return length > 0 && !is_control(point) ? length : 0;
}

size_t bndi_column_at(const char *text, size_t length, size_t at)
{
    size_t column = 1;
    for (size_t i = 0; i < at && i < length; column++) {
        size_t bytes = bndi_character(text + i, length - i);
        i += bytes > 0 ? bytes : 1;
    }
    return column + (at > length ? at - length : 0);
}

char bndi_symbol(const char *text, size_t left, size_t *length)
{
    static const struct {
        uint32_t point;
        char meaning;
    } rows[] = {{0x2212, '-'}, {0x00d7, '*'},     {0x00b7, '*'},      {0x22c5, '*'}, {0x00f7, '/'},
                {0x2215, '/'}, {0x2044, '/'},     {0x00a0, ' '},      {0x202f, ' '}, {0x2007, ' '},
                {0x2009, ' '}, {0x03c0, BNDI_PI}, {0x221a, BNDI_ROOT}};
    uint32_t point = 0;
    *length = 1;
    if (left == 0) {
        return '\0';
    }
    size_t bytes = bndi_code_point(text, left, &point);
    if (bytes <= 1) {
        return bytes == 1 ? text[0] : BNDI_OTHER;
    }
    *length = bytes;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (point == rows[i].point) {
            return rows[i].meaning;
        }
    }
    return bndi_superscript(text, left, length) != '\0' ? BNDI_SUPERSCRIPT : BNDI_OTHER;
}

char bndi_superscript(const char *text, size_t left, size_t *length)
{
    uint32_t point = 0;
    size_t bytes = left == 0 ? 0 : bndi_code_point(text, left, &point);
    *length = bytes > 0 ? bytes : 1;
    switch (point) {
    case 0xb9:
        return '1';
    case 0xb2:
        return '2';
    case 0xb3:
        return '3';
    case 0x207a:
        return '+';
    case 0x207b:
        return '-';
    default:
        return point == 0x2070 || (point >= 0x2074 && point <= 0x2079) ? (char)('0' + (point - 0x2070)) : '\0';
    }
}
