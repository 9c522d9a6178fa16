/* Pieces of the text of a recipe. */
#include "policy/recipe_pieces.h"

#include <binade/text.h>

bool bndi_words_is(bndi_words p, const char *word)
{
    return bndi_same_word(p.text, p.length, word);
}

bndi_words bndi_words_cut(bndi_words *rest, char c)
{
    bndi_words first = *rest;
    for (size_t i = 0; i < rest->length; i++) {
        if (rest->text[i] == c) {
            first.length = i;
            *rest = (bndi_words){rest->text + i + 1, rest->length - i - 1};
            return first;
        }
    }
    *rest = (bndi_words){.text = NULL};
    return first;
}

bnd_status bndi_recipe_refuse(const bndi_recipe_reader *r, bndi_words at, const char *what)
{
    size_t shown = at.length < 64 ? at.length : 64;
    return bnd_fail(r->why, BND_BAD_SYNTAX, (size_t)(at.text - r->whole), "recipe: \"%.*s\": %s", (int)shown, at.text,
                    what);
}

bnd_status bndi_recipe_within(const bndi_recipe_reader *r, bndi_words at, bnd_status status)
{
    if (status != BND_OK && r->why != NULL) {
        r->why->where += (size_t)(at.text - r->whole);
    }
    return status;
}

bool bndi_words_copy(char *out, size_t size, bndi_words p)
{
    if (p.length >= size) {
        return false;
    }
    __builtin_memcpy(out, p.text, p.length);
    out[p.length] = 0;
    return true;
}

bool bndi_words_number(double *out, bndi_words p)
{
    double value = 0;
    for (size_t i = 0; i < p.length; i++) {
        if (p.text[i] < '0' || p.text[i] > '9' || value >= 0x1p53 / 10 - 1) {
            return false;
        }
        value = value * 10 + (p.text[i] - '0');
    }
    *out = value;
    return p.length > 0;
}

bool bndi_words_real(double *out, bndi_words p)
{
    const bnd_format *f = bnd_format_at(BND_FORMAT_FP64);
    bnd_result r = {.code = 0};
    if (p.length == 0 ||
        bnd_parse_n(&r, f, p.text, p.length, (bnd_rule){.rounding = BND_ROUND_RNE}, 0, NULL) != BND_OK) {
        return false;
    }
    const double value = bnd_decode(f, r.code);
    *out = value;
    return value - value == 0;
}
