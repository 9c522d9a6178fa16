/* Numbers with units. */
#include "cost/cost.h"

#include "base/base.h"

#include <binade/text.h>

/* Rows in the order in which they are tried: the longer before what it begins with. */
static const struct unit {
    const char *name;
    double factor;
    bool of_counts, of_bytes;
} units[] = {
    {"KiB", 0x1p10, false, true}, {"MiB", 0x1p20, false, true}, {"GiB", 0x1p30, false, true},
    {"TiB", 0x1p40, false, true}, {"kB", 1e3, false, true},     {"MB", 1e6, false, true},
    {"GB", 1e9, false, true},     {"TB", 1e12, false, true},    {"k", 1e3, true, false},
    {"M", 1e6, true, false},      {"B", 1e9, true, false},      {"G", 1e9, true, false},
    {"T", 1e12, true, false},     {"P", 1e15, true, false},     {"B", 1, false, true},
};

static bnd_status refuse(const char *text, bnd_status status, const char *what, bnd_error *why)
{
    size_t length = bndi_length(text);
    return bnd_fail(why, status, 0, "'%.*s%s' %s", (int)(length < 40 ? length : 40), text, length > 40 ? "..." : "",
                    what);
}

/* How much of the text is a decimal number: digits, a point, an exponent with digits in it. */
static size_t number_length(const char *text)
{
    size_t at = text[0] == '-' || text[0] == '+';
    while ((text[at] >= '0' && text[at] <= '9') || text[at] == '.') {
        at++;
    }
    if (at > 0 && (text[at] == 'e' || text[at] == 'E')) {
        size_t digits = at + 1 + (text[at + 1] == '-' || text[at + 1] == '+'), end = digits;
        while (text[end] >= '0' && text[end] <= '9') {
            end++;
        }
        at = end > digits ? end : at;
    }
    return at;
}

static bool unit_factor(double *factor, const char *unit, bnd_quantity kind)
{
    *factor = 1;
    if (unit[0] == 0) {
        return true;
    }
    if (kind == BND_QUANTITY_SHARE) {
        *factor = 0.01;
        return unit[0] == '%' && unit[1] == 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        bool serves = kind == BND_QUANTITY_BYTES ? units[i].of_bytes : units[i].of_counts;
        if (serves && bndi_same_word(unit, bndi_length(unit), units[i].name)) {
            *factor = units[i].factor;
            return true;
        }
    }
    return false;
}

bnd_status bnd_quantity_parse(double *out, const char *text, bnd_quantity kind, bnd_error *why)
{
    static const char *const kinds[] = {
        "must be a number, such as 70e9, 70B, 15T or 512k", "must be a whole number, such as 1024 or 4k",
        "must be a number of bytes, such as 80e9, 80GB or 80GiB", "must be a share, such as 0.5 or 50%"};
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    bnd_result x;
    double factor;
    size_t length = number_length(text);
    if (length == 0 || !unit_factor(&factor, text + length, kind) ||
        bnd_parse_n(&x, fp64, text, length, (bnd_rule){.rounding = BND_ROUND_RNE}, 0, NULL) != BND_OK) {
        return refuse(text, BND_BAD_SYNTAX, kinds[kind], why);
    }
    double value = bnd_decode(fp64, x.code) * factor;
    if (!(value > 0) || value - value != 0) {
        return refuse(text, BND_BAD_ARGUMENT, "must be finite and greater than 0", why);
    }
    if (kind == BND_QUANTITY_SHARE && value > 1) {
        return refuse(text, BND_BAD_ARGUMENT, "must be at most 1, or 100%", why);
    }
    if (kind == BND_QUANTITY_WHOLE && (value != __builtin_trunc(value) || value > 0x1p53)) {
        return refuse(text, BND_BAD_SYNTAX, kinds[kind], why);
    }
    *out = value;
    return BND_OK;
}
