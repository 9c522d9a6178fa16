/* Classes of characters: letters, numbers and blanks as Unicode has them; all others are signs here. */
#include "tokens/tokens.h"

#include "base/base.h"

/* A run of characters of one class: its first code point times 4, plus the class. */
static const uint32_t runs[] = {
#include "tokens/unicode.def"
};

static bndi_class class_of(uint32_t point)
{
    size_t low = 0, high = sizeof runs / sizeof runs[0];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (runs[middle] >> 2 <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (bndi_class)(runs[low] & 3);
}

bndi_spot bndi_look(const char *text, size_t length, size_t at)
{
    bndi_spot spot = {.is = BNDI_NOTHING};
    if (at < length) {
        unsigned char c = (unsigned char)text[at], lower = c | 0x20;
        spot.bytes = 1;
        spot.point = c;
        if (c >= 0x80) {
            spot.bytes = bndi_code_point(text + at, length - at, &spot.point);
            spot.is = class_of(spot.point);
        } else {
            spot.is = lower >= 'a' && lower <= 'z'           ? BNDI_LETTER
                      : c >= '0' && c <= '9'                 ? BNDI_DIGIT
                      : c == ' ' || (c >= '\t' && c <= '\r') ? BNDI_BLANK
                                                             : BNDI_SIGN;
        }
    }
    return spot;
}
