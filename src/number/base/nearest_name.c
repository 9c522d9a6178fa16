/* Suggestions for an unknown name: the nearest known names. */
#include "base/base.h"

enum { LONGEST_NAME = 63, TOO_FAR = 1000 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Damerau's distance in its restricted form, by rows: the usual table, of which three rows are enough. */
unsigned bndi_name_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > LONGEST_NAME || b_length > LONGEST_NAME) {
        return TOO_FAR;
    }
    unsigned rows[3][LONGEST_NAME + 1];
    for (unsigned j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            char x = bndi_lower(a[i - 1]), y = bndi_lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == bndi_lower(b[j - 2]) && bndi_lower(a[i - 2]) == y) {
                row[j] = least(row[j], above2[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

bndi_nearest bndi_nearest_to(const char *asked, size_t length)
{
    return (bndi_nearest){.asked = asked, .asked_length = length};
}

static bool already_there(const bndi_nearest *nearest, const char *name, size_t length)
{
    for (unsigned i = 0; i < nearest->count; i++) {
        if (bndi_same_word(name, length, nearest->names[i])) {
            return true;
        }
    }
    return false;
}

/* Does the name begin with the request ("bf16" of "bf16-amp")? Not for one letter, with which too many names begin. */
static bool is_beginning(const bndi_nearest *nearest, const char *name, size_t length)
{
    size_t asked = nearest->asked_length;
    return asked > 1 && asked < length && bndi_same(nearest->asked, asked, name, asked);
}

void bndi_nearest_offer(bndi_nearest *nearest, const char *name, size_t length)
{
    bool begins = is_beginning(nearest, name, length);
    unsigned distance = begins ? 0 : bndi_name_distance(nearest->asked, nearest->asked_length, name, length);
    /* Up to a third of the longer name may differ, rounded up: one letter of three, two of four to six. */
    size_t longer = nearest->asked_length > length ? nearest->asked_length : length;
    if (distance > (longer + 2) / 3 || (distance >= longer && !begins) || already_there(nearest, name, length)) {
        return;
    }
    unsigned place = nearest->count;
    while (place > 0 && nearest->distances[place - 1] > distance) {
        place--;
    }
    if (place == 3) {
        return;
    }
    nearest->count += nearest->count < 3;
    for (unsigned i = nearest->count - 1; i > place; i--) {
        nearest->distances[i] = nearest->distances[i - 1];
        bndi_text name_below = bndi_text_in(nearest->names[i], sizeof nearest->names[i]);
        bndi_text_string(&name_below, nearest->names[i - 1]);
    }
    nearest->distances[place] = distance;
    bndi_text copy = bndi_text_in(nearest->names[place], sizeof nearest->names[place]);
    bndi_text_bytes(&copy, name, length);
}

bnd_status bndi_nearest_fail(const bndi_nearest *nearest, bnd_error *why, bnd_status status, const char *what,
                             const char *hint)
{
    char list[3 * 64 + 32];
    bndi_text text = bndi_text_in(list, sizeof list);
    for (unsigned i = 0; i < nearest->count; i++) {
        bndi_text_string(&text, i == 0 ? "; did you mean " : i + 1 == nearest->count ? " or " : ", ");
        bndi_text_string(&text, nearest->names[i]);
    }
    bndi_text_string(&text, nearest->count > 0 ? "?" : "");
    size_t shown = nearest->asked_length < 64 ? nearest->asked_length : 64;
    return bnd_fail(why, status, 0, "%s '%.*s%s'%s%s%s", what, (int)shown, nearest->asked,
                    shown < nearest->asked_length ? "..." : "", list, hint != NULL ? " " : "",
                    hint != NULL ? hint : "");
}
