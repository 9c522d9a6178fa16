/* The table of layouts: a row per tensor of each; and the page doc/reference/layouts.md. */
#include "lint.h"

/* What a reader of the tensor must know. */
static const char *note_of(const bnd_layout *layout, bnd_part part)
{
    if (part == BND_PART_CODES) {
        return layout->high_first ? "upper bits first" : "";
    }
    if (part == BND_PART_SCALES) {
        return layout->swizzled ? "in the order of cuBLAS" : "";
    }
    if (part == BND_PART_SECOND && layout->second_divides) {
        return "a divisor";
    }
    if (part == BND_PART_INPUT_SECOND && layout->second_divides) {
        return "a divisor, may be absent";
    }
    return bnd_layout_part_is_optional(layout, part) ? "may be absent" : "";
}

static void add_part(table *t, const bnd_layout *layout, bnd_part part)
{
    const bool codes = part == BND_PART_CODES;
    table_add(t, copy_text(layout->name));
    table_add(t, copy_text(bnd_layout_part_name(part)));
    table_add(t, copy_text(layout->suffix[part]));
    table_add(t, copy_text(layout->dtypes[part]));
    table_add(t, copy_text(bnd_layout_part_shape(layout, part)));
    table_add(t, copy_text(note_of(layout, part)));
    table_add(t, copy_text(codes ? layout->title : ""));
    table_add(t, copy_text(codes ? layout->methods : ""));
    table_add(t, copy_text(codes ? layout->formats : ""));
    table_add(t, copy_text(codes ? layout->source : ""));
}

/* ---- the page ---- */

/* Words with commas between them. */
static void put_words(const char *words)
{
    for (; *words != '\0'; words++) {
        fputs(*words == ' ' ? ", " : (const char[]){*words, '\0'}, stdout);
    }
}

static void put_tensors(const bnd_layout *layout)
{
    const char *before = "";
    for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
        if (layout->suffix[part] != NULL) {
            const char *note = note_of(layout, part);
            printf("%s`%s` ", before, layout->suffix[part]);
            put_words(layout->dtypes[part]);
            printf(" %s%s%s", bnd_layout_part_shape(layout, part), note[0] == '\0' ? "" : ", ", note);
            before = "<br>";
        }
    }
}

static void put_row(const bnd_layout *layout)
{
    const char *between = layout->methods[0] != '\0' && layout->formats[0] != '\0' ? "; " : "";
    printf("| `%s`: %s | ", layout->name, layout->title);
    put_tensors(layout);
    fputs(" | ", stdout);
    put_words(layout->methods);
    fputs(between, stdout);
    put_words(layout->formats);
    printf(" | %s |\n", layout->block);
}

static void print_page(void)
{
    puts(
        "# Layouts of quantized weights\n\nFor everyone who reads or writes checkpoints. A layout says how a quantized "
        "weight is stored: the names, dtypes and shapes of its tensors. `binade lint --layouts` prints this table, and "
        "`binade lint --layouts --markdown` writes this page.\n\nA tensor is called by its module, a dot and the name "
        "in the table. A name that begins with `_` follows the module directly. Shapes are those of `torch.nn.Linear`, "
        "[out, in]; further dimensions, such as experts, come first. R x C is a tile, N a group, and quotients are "
        "rounded up. A value is the product of its code and its scales; a scale that is a divisor says so.\n\n"
        "Two codes in a byte: the first one has the lower four bits, unless the table says otherwise. U8 scales of MX "
        "formats are E8M0. Scales in the order of cuBLAS are tiles of 128 rows by 4 groups. Row r, group c of a tile "
        "is at r % 32 * 16 + r / 32 * 4 + c. Integers in words are stored plus half of their range, except in MLX, "
        "whose value is code * scale + bias.\n\n"
        "| layout | tensors | quant_method; format | block format |\n| --- | --- | --- | --- |");
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        put_row(bnd_layout_at(row));
    }
    puts("\n## Sources\n\nRepository, commit and file in which each was read. Second-hand: not the project's own.\n");
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        const bnd_layout *layout = bnd_layout_at(row);
        printf("- `%s`: %s\n", layout->name, layout->source);
    }
}

void lint_print_layouts(const lint *l)
{
    static const column columns[] = {
        {"layout", "layout", false, false, false, false, 0},
        {"part", "part", false, false, false, true, 0},
        {"tensor", "tensor", false, false, false, false, 0},
        {"dtypes", "dtype", false, false, false, false, 0},
        {"shape", "shape", false, false, false, false, 0},
        {"note", "note", false, false, false, false, 0},
        {"title", "title", false, false, false, true, 0},
        {"quant_method", "quant_method", false, false, false, true, 0},
        {"format", "format", false, false, false, true, 0},
        {"source", "source", false, false, false, true, 0},
    };
    if (l->markdown) {
        print_page();
        return;
    }
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = l->common.output};
    t.key = "layouts";
    t.keys = 3;
    for (size_t row = 0; row < bnd_layout_count(); row++) {
        const bnd_layout *layout = bnd_layout_at(row);
        for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
            if (layout->suffix[part] != NULL) {
                add_part(&t, layout, part);
            }
        }
    }
    table_end(&t);
}
