/* Characters on a terminal: their bytes, and their width in columns. */
#include "print.h"

#include <string.h>

/* The code point of a well-formed UTF-8 sequence, and its bytes; 0 bytes where it is not one. */
static size_t decode(const unsigned char *s, unsigned long *point)
{
    static const unsigned long least[] = {0, 0x80, 0x800, 0x10000};
    size_t more = s[0] < 0x80 ? 0 : s[0] >> 5 == 6 ? 1 : s[0] >> 4 == 14 ? 2 : s[0] >> 3 == 30 ? 3 : 4;
    if (more == 4) {
        return 0;
    }
    *point = more == 0 ? s[0] : s[0] & (0x3fU >> more);
    for (size_t i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2) { /* the 0 byte at the end, too */
            return 0;
        }
        *point = *point << 6 | (s[i] & 0x3fU);
    }
    return *point < least[more] || *point > 0x10ffff || *point >> 11 == 0x1b ? 0 : more + 1;
}

typedef struct span {
    unsigned long first, last;
} span;

static bool is_in(unsigned long point, const span *spans, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || (point >= spans[i].first && point <= spans[i].last);
    }
    return found;
}

/* Control characters, and those that turn the direction of writing or end a line. */
static const span controls[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
                                {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
/* Marks that stand on the character before them. */
static const span marks[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
/* Unicode's East Asian wide and full-width characters, and emoji, by their blocks. */
static const span wides[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                             {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                             {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

size_t character_at(const char *text, size_t *width)
{
    unsigned long point = 0;
    size_t bytes = decode((const unsigned char *)text, &point);
    if (bytes == 0 || is_in(point, controls, sizeof controls / sizeof controls[0])) {
        *width = 0;
        return 0;
    }
    *width = is_in(point, marks, sizeof marks / sizeof marks[0])   ? 0
             : is_in(point, wides, sizeof wides / sizeof wides[0]) ? 2
                                                                   : 1;
    return bytes;
}

size_t text_width(const char *text)
{
    size_t sum = 0, width;
    while (*text != '\0') {
        size_t bytes = character_at(text, &width);
        sum += width;
        text += bytes > 0 ? bytes : 1;
    }
    return sum;
}
