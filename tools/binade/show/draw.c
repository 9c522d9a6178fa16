/* show -v: the value between its neighbours, drawn in one line. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 9, LONGEST = 41 }; /* of the line between the ends; odd, so that it has a middle */

/* The text at an end: the value and its code, or less where there is little room. */
static char *end_text(const bnd_format *f, bnd_exact value, int detail)
{
    char *number = brief_text(f, value), *code = f->width != 0 ? code_text(f, bnd_pack(f, value)) : copy_text("");
    char *text =
        detail > 1 && code[0] != '\0' ? format_text("%s (%s)", number, code) : copy_text(detail > 0 ? number : "");
    free(number);
    free(code);
    return text;
}

/* The place of x among `length`: never past the midpoint on its wrong side. */
static size_t place_of(double part, int side, size_t length)
{
    size_t middle = length / 2, at = part > 0 ? (size_t)(part * (double)(length - 1) + 0.5) : 0;
    at = at < length ? at : length - 1;
    if (side < 0) {
        return at < middle ? at : middle - 1;
    }
    return side == 0 ? middle : at > middle ? at : middle + 1;
}

char *drawn_gap(const bnd_format *f, bnd_exact below, bnd_exact above, double part, int side, size_t room)
{
    for (int detail = 2; detail >= 0; detail--) {
        char *left = end_text(f, below, detail), *right = end_text(f, above, detail), *text = NULL;
        size_t used = strlen(left) + strlen(right) + strlen(" || ");
        if (used + SHORTEST <= room) {
            size_t length = room - used < LONGEST ? room - used : LONGEST;
            char bar[LONGEST + 1];
            length -= 1 - length % 2;
            memset(bar, '-', length);
            bar[length] = '\0';
            bar[length / 2] = ':';
            bar[place_of(part, side, length)] = 'x';
            text =
                format_text("%s%s|%s|%s%s", left, left[0] != '\0' ? " " : "", bar, right[0] != '\0' ? " " : "", right);
        }
        free(left);
        free(right);
        if (text != NULL) {
            return text;
        }
    }
    return NULL;
}
