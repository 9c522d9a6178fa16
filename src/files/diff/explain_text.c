/* Explanations in words. */
#include "diff/explain.h"

#include "store/store.h"

#include <math.h>

static void add(bndi_sentence *s, const char *text)
{
    bndi_sentence_add(s, "%s", text);
}

static void add_number(bndi_sentence *s, double x)
{
    bndi_sentence_add(s, "%.9g", x);
}

/* A row's text with the largest element and its exponent in it. */
static void add_row(bndi_sentence *s, const bnd_made_row *row, const bnd_format *element)
{
    const char *at = row->text;
    for (; *at != '\0'; at++) {
        const char one[2] = {*at, '\0'};
        if (*at == '%' && at[1] == 'm') {
            add_number(s, ldexp((double)element->max_significand, element->max_quantum));
            at++;
        } else if (*at == '%' && at[1] == 'e') {
            add_number(s, element->emax);
            at++;
        } else {
            add(s, one);
        }
    }
}

/* "one bf16 scale per row". */
static void add_sharing(bndi_sentence *s, const bnd_stored_weight *weight)
{
    const bnd_block *b = &weight->block;
    add(s, ", one ");
    add(s, b->scale.name);
    if (b->sharing == BND_SHARE_TENSOR) {
        add(s, " scale per tensor");
    } else if (b->sharing == BND_SHARE_TILE) {
        bndi_sentence_add(s, " scale per tile of %zu x %zu", b->along, b->across);
    } else if (b->along == 0) {
        add(s, " scale per row");
    } else {
        bndi_sentence_add(s, " scale per %zu elements", b->along);
    }
}

size_t bnd_explanation_print(char *out, size_t size, const bnd_explanation *how, const bnd_stored_weight *weight)
{
    bndi_sentence s = bndi_sentence_in(out, size);
    const bnd_made_row *rows[BND_MADE_COUNT];
    for (size_t i = 0; i < BND_MADE_COUNT; i++) {
        rows[i] = bnd_made_at((bnd_made)i, how->row[i]);
    }
    if (how->why_not != NULL) {
        add(&s, how->why_not);
    } else {
        const bool integer = weight->layout != NULL && weight->block.integer;
        add(&s, integer ? "integers" : how->element.name);
        add(&s, how->other_element ? " (not the format that the file says)" : "");
        if (weight->layout != NULL) {
            add_sharing(&s, weight);
            add(&s, how->inverted ? " (stored as its reciprocal): " : ": ");
            if (rows[BND_MADE_SCALE] != NULL) {
                add_row(&s, rows[BND_MADE_SCALE], &how->element);
            } else {
                add(&s, "by an unknown rule");
            }
            if (how->least > 0) {
                add(&s, ", at least ");
                add_number(&s, (double)how->least);
            }
        }
        if (how->tensors > 0) {
            add(&s, "; tensor scale ");
            if (rows[BND_MADE_TENSOR] != NULL) {
                add_row(&s, rows[BND_MADE_TENSOR], &how->element);
            } else {
                add(&s, "by an unknown rule");
            }
        }
        if (how->fused > 0) {
            bndi_sentence_add(&s, ", amax over %zu weights", how->fused);
        }
        if (rows[BND_MADE_ROUNDING] != NULL && rows[BND_MADE_QUOTIENT] != NULL) {
            add(&s, "; ");
            if (weight->layout != NULL) {
                add_row(&s, rows[BND_MADE_QUOTIENT], &how->element);
                add(&s, ", ");
            }
            add(&s, rows[BND_MADE_ROUNDING]->text);
            if (rows[BND_MADE_ZERO] != NULL && how->row[BND_MADE_ZERO] != BNDI_ZERO_KEEP && !integer &&
                how->element.has_negative_zero) {
                add(&s, ", ");
                add(&s, rows[BND_MADE_ZERO]->text);
            }
        }
    }
    return s.length;
}
