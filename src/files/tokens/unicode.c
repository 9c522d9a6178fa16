/* Classes of characters: letters, numbers and blanks as Unicode has them, all others are signs here; and what NFC does
 * not change, by the quick check of Unicode Standard Annex 15. */
#include "tokens/tokens.h"

#include "base/base.h"

/* A run of characters of one class: its first code point times 4, plus the class. */
static const uint32_t runs[] = {
#include "tokens/unicode.def"
};

/* The same with 8 bits: the canonical combining class, or MAY_CHANGE. */
enum { MAY_CHANGE = 255 };
static const uint32_t nfc_runs[] = {
#include "tokens/nfc.def"
};

/* The run of a table that a code point is in. */
static uint32_t run_of(const uint32_t *table, size_t count, unsigned bits, uint32_t point)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (table[middle] >> bits <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return table[low];
}

static bndi_class class_of(uint32_t point)
{
    return (bndi_class)(run_of(runs, sizeof runs / sizeof runs[0], 2, point) & 3);
}

bool bndi_nfc_keeps(unsigned *last, uint32_t point)
{
    const unsigned before = *last;
    *last = run_of(nfc_runs, sizeof nfc_runs / sizeof nfc_runs[0], 8, point) & 255;
    return *last != MAY_CHANGE && (*last == 0 || before <= *last);
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
