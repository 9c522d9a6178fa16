/* binade formats: block formats, one per row. */
#include "formats.h"

#include <string.h>

static const column columns[] = {
    {"name", "block format", false, false, false, false, 0},
    {"element", "element", false, false, false, false, 0},
    {"shares", "block", true, false, false, false, 0}, /* the values that share a scale */
    {"scale", "scale", false, false, false, false, 0},
    {"tensor_scale", "tensor scale", false, false, false, true, 0},
    {"bits_per_element", "bits", true, true, false, false, 0},
    {"rule", "rule", false, false, false, false, 0},
    {"rule_of", "rule of", false, false, false, true, 0},
    {"title", "what it is", false, false, false, false, 0},
    {"note", "note", false, false, false, true, 0},
};

table block_table(enum output output)
{
    return (table){.columns = columns,
                   .column_count = sizeof columns / sizeof columns[0],
                   .output = output,
                   .key = "block_formats"};
}

static char *shares_text(const bnd_block *b)
{
    if (b->sharing == BND_SHARE_TENSOR) {
        return copy_text("tensor");
    }
    if (b->sharing == BND_SHARE_TILE) {
        return format_text("%zux%zu", b->along, b->across);
    }
    return b->along == 0 ? copy_text("row") : format_text("%zu", b->along);
}

/* With the scale's share, where it is known how many numbers a scale has. */
static char *bits_per_element(const bnd_block *b)
{
    double bits = b->integer ? 8 : b->element.width;
    bool counted = b->sharing != BND_SHARE_TENSOR && b->along > 0;
    double sharers = (double)b->along * (b->sharing == BND_SHARE_TILE ? (double)b->across : 1);
    return double_text(counted ? bits + b->scale.width / sharers : bits);
}

static char *title_of(const bnd_block *b)
{
    for (size_t i = 0; i < bnd_block_count(); i++) {
        bnd_block row;
        (void)bnd_block_at(&row, i);
        if (strcmp(row.name, b->name) == 0) {
            return copy_text(bnd_block_title(i));
        }
    }
    return block_text(b);
}

void add_block(table *t, const bnd_block *b)
{
    bool brief = t->output == OUTPUT_TEXT && t->brief;
    table_add(t, copy_text(b->name));
    table_add(t, copy_text(block_element_name(b)));
    table_add(t, shares_text(b));
    table_add(t, format_text("%s%s", b->scale.name, b->tensor && brief ? " + fp32" : ""));
    table_add(t, copy_text(b->tensor ? "fp32" : ""));
    table_add(t, bits_per_element(b));
    table_add(t, copy_text(bnd_scale_rule_name((bnd_scale_rule)b->rule)));
    table_add(t, copy_text(bnd_scale_rule_who((bnd_scale_rule)b->rule)));
    table_add(t, title_of(b));
    table_add(t, copy_text(bnd_block_note(b)));
}
