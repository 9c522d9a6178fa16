/* Which row fits best. */
#include "checkpoint/weights.h"

enum {
    COST_MISSING = 1000,
    COST_NO_SECOND = 250, /* less than another dtype: NVFP4 without its tensor's scale is not MXFP4 */
    COST_DTYPE = 300,
    COST_SHAPE = 200,
    COST_FAMILY = 150, /* a configuration names another family */
    COST_UNSURE = 60,  /* nothing names this one, which needs it */
    COST_RESHAPED = 50,
    COST_FORMAT = 20, /* a configuration names another format */
    COST_GUESSED = 10,
    COST_MARK = 400 /* ComfyUI's mark says something else */
};

static int cost_of_parts(const bndi_fit *fit)
{
    static const int costs[] = {
        [BNDI_PART_RIGHT] = 0,          [BNDI_PART_RESHAPED] = COST_RESHAPED, [BNDI_PART_SHAPE] = COST_SHAPE,
        [BNDI_PART_DTYPE] = COST_DTYPE, [BNDI_PART_MISSING] = COST_MISSING,
    };
    int cost = 0;
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        const bool no_second = part == BND_PART_SECOND && fit->part[part] == BNDI_PART_MISSING;
        cost += no_second ? COST_NO_SECOND : costs[fit->part[part]];
    }
    return cost + (fit->geometry.guessed ? COST_GUESSED : 0);
}

/* Does a configuration say a format that is not one of the row's, and none that is? */
static bool other_format(const bndi_layout_row *row, const bndi_quantization *q)
{
    bool said = false, found = false;
    const char *const words[] = {q->format, q->algorithm};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        said = said || words[i] != NULL;
        found = found || (words[i] != NULL && bndi_has_word(row->formats, words[i]));
    }
    for (size_t i = 0; i < q->group_count; i++) {
        const char *word = q->groups[i].format;
        said = said || word != NULL;
        found = found || (word != NULL && bndi_has_word(row->formats, word));
    }
    return row->formats[0] != '\0' && said && !found;
}

static int cost_of_configurations(const bndi_layout_row *row, const bndi_hint *hint)
{
    bool named = false, other = false, format = false;
    const bndi_quantizations *all = hint->configurations;
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        const bndi_quantization *q = &all->rows[i];
        if (q->quant_method != NULL) {
            bool mine = bndi_has_method(row, q->quant_method);
            named = named || mine;
            other = other || !mine;
            format = format || (mine && other_format(row, q));
        }
    }
    const bool unsure = (row->flags & BNDI_LAYOUT_UNSURE) != 0;
    return (named ? 0 : other ? COST_FAMILY : unsure ? COST_UNSURE : 0) + (format ? COST_FORMAT : 0);
}

int bndi_fit_cost(const bndi_fit *fit, const bndi_hint *hint)
{
    const bndi_layout_row *row = bndi_layout_row_of(fit->layout);
    const char *word = hint->layer == NULL ? NULL : hint->layer->algorithm;
    const bool comfy = fit->layout->family == BND_LAYOUT_COMFYUI;
    int cost = cost_of_parts(fit);
    if (hint->comfy) {
        const bool said = word != NULL && bndi_has_word(row->formats, word);
        return cost + (comfy ? 0 : COST_MARK) + (said || word == NULL ? 0 : COST_MARK);
    }
    cost += cost_of_configurations(row, hint);
    return cost + (word != NULL && row->formats[0] != '\0' && !bndi_has_word(row->formats, word) ? COST_FORMAT : 0);
}
