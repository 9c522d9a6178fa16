/* binade formats: the table of formats. */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

typedef struct formats {
    settings common;
    bool markdown;
} formats;

/* ---- groups ---- */

static const struct group {
    const char *name, *title; /* as --format takes it; NULL: all others */
} groups[] = {{"ieee", "IEEE 754"}, {"ocp", "OCP"}, {"fnuz", "FNUZ"}, {NULL, "others"}, {"p3109-all", "P3109"}};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static bool is_in(const bnd_format *f, const char *group)
{
    for (size_t i = 0; i < bnd_group_size(group); i++) {
        bnd_format member;
        (void)bnd_group_at(&member, group, i);
        if (strcmp(member.name, f->name) == 0) {
            return true;
        }
    }
    return false;
}

static size_t group_of(const bnd_format *f)
{
    size_t others = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        if (groups[g].name != NULL && is_in(f, groups[g].name)) {
            return g;
        }
        others = groups[g].name == NULL ? g : others;
    }
    return others;
}

/* A line with nothing but the title. */
static void add_title(table *t, const char *title)
{
    for (size_t c = 0; c < FORMAT_COLUMNS; c++) {
        table_add(t, copy_text(c == 0 ? title : ""));
    }
}

/* The formats of the list, group by group. */
static void add_groups(table *t, const format_list *list)
{
    for (size_t g = 0; g < GROUPS; g++) {
        bool first = true;
        for (size_t i = 0; i < list->count; i++) {
            if (group_of(&list->items[i]) != g) {
                continue;
            }
            if (first) {
                add_title(t, groups[g].title);
            }
            first = false;
            format_add_row(t, &list->items[i], true, true);
        }
    }
}

/* ---- the forms ---- */

enum part { PART_LIMITS, PART_NAMES, PART_ALL };

static bool in_markdown(const table *t, size_t c, enum part part)
{
    enum { TITLE = FORMAT_FIRST_NAME - 1 };
    switch (part) {
    case PART_LIMITS:
        return !t->columns[c].data_only && c < TITLE;
    case PART_NAMES:
        return c == 0 || c >= TITLE;
    default:
        return !t->columns[c].data_only;
    }
}

static void print_markdown_line(const table *t, const char *const *cells, enum part part)
{
    for (size_t c = 0; c < t->column_count; c++) {
        if (in_markdown(t, c, part)) {
            printf("| %s ", cells != NULL ? cells[c] : t->columns[c].heading);
        }
    }
    puts("|");
}

/* A part of the columns of some of the rows: those of the P3109 family, or the others. */
static void print_markdown(const table *t, enum part part, bool family)
{
    print_markdown_line(t, NULL, part);
    for (size_t c = 0; c < t->column_count; c++) {
        fputs(in_markdown(t, c, part) ? "| --- " : "", stdout);
    }
    puts("|");
    for (size_t i = 0; i < t->count; i += t->column_count) {
        const char *const *cells = (const char *const *)t->cells + i;
        if (part == PART_ALL || (strncmp(cells[0], "binary", 6) == 0) == family) {
            print_markdown_line(t, cells, part);
        }
    }
}

static const char footnote[] = "* decimal digits that survive the format for certain (C: FLT_DIG); 0: not one";

static void print_document(const table *single, const table *blocks)
{
    puts("# Formats\n\nFor everyone who looks up a limit or a name. `binade formats --markdown` writes this page. All "
         "limits are computed\nfrom the layout. `binade formats NAME` prints every fact of one format.\n[Names of "
         "formats](format-names.md) has the grammar of custom names and of value sets.\n\n"
         "## Layout and limits\n\ns/e/m: bits of sign, exponent and fraction. ulp(1): the distance from 1 to the next "
         "value.\n");
    print_markdown(single, PART_LIMITS, false);
    printf("\n\\%s.\n", footnote);
    puts("\n## Names elsewhere\n\n`-f` takes every name of this table.\n");
    print_markdown(single, PART_NAMES, false);
    puts("\n## P3109\n\nThe 8-bit formats of the IEEE P3109 draft. In a name: p and the precision, s signed or u "
         "unsigned, e with infinity\n(extended) or f without (finite). Other widths, from 3 to 15 bits, are read too, "
         "as in "
         "`binary6p3se`. The precision\nis from 1 to the width minus 1; in an unsigned format it may be the width.\n");
    print_markdown(single, PART_LIMITS, true);
    puts("\n## Block formats\n\nValues that share a scale. `e4m3/row`, `e4m3/tensor`, `e4m3/tile:1x128` and `e3m4/mx` "
         "are read in the same way: a\nformat, and which values share a scale.\n");
    print_markdown(blocks, PART_ALL, false);
    puts("\nThe rules are those of `binade block`, `cast`, `scan`, C and Python where none is named. `mxfp4` in a "
         "recipe "
         "has the\nrule floor ([recipes.md](recipes.md#settings)), and `quantize` the rule of the layout's own tool.");
}

/* One format, a line per fact. */
static void print_facts(const table *t, size_t first, bool colour)
{
    put_coloured(colour, BOLD, t->cells[first]);
    putchar('\n');
    for (size_t c = 1; c < t->column_count; c++) {
        const char *cell = t->cells[first + c];
        if (cell[0] != '\0' && strcmp(cell, "null") != 0) {
            enum { TEXT_AT = 23 };
            printf("  %-20s ", t->columns == format_columns ? format_labels[c] : t->columns[c].heading);
            put_wrapped(cell, TEXT_AT, TEXT_AT);
        }
    }
}

static void print_all_facts(table *t, bool colour)
{
    for (size_t i = 0; i < t->count; i += t->column_count) {
        print_facts(t, i, colour);
    }
}

/* ---- options ---- */

static int add_operand(settings *s, table *blocks, const char *name)
{
    bnd_format f;
    bnd_block block;
    bool single = bnd_group_size(name) > 0 || bnd_format_parse(&f, name, NULL) == BND_OK;
    if (!single && bnd_block_parse(&block, name, NULL) == BND_OK) {
        add_block(blocks, &block);
        return GO_ON;
    }
    return add_formats(s, name);
}

/* Names separated by commas. */
static int add_operands(settings *s, table *blocks, const char *list)
{
    int status = GO_ON;
    for (bool more = true; status == GO_ON && more;) {
        size_t length = strcspn(list, ",");
        char *name = format_text("%.*s", (int)length, list);
        status = add_operand(s, blocks, name);
        free(name);
        more = list[length] != '\0';
        list += length + more;
    }
    return status;
}

static int add_all(settings *s, table *blocks)
{
    for (size_t i = 0; i < bnd_block_count(); i++) {
        bnd_block block;
        (void)bnd_block_at(&block, i);
        add_block(blocks, &block);
    }
    return default_formats(s, "all");
}

static void print_lists(formats *s, table *t, table *blocks)
{
    bool single = t->count > 0;
    if (s->common.output == OUTPUT_JSON && single) {
        t->also = blocks->count > 0 ? blocks : NULL;
        table_end(t);
    } else if (single) {
        table_end(t);
    }
    if (s->common.output == OUTPUT_TEXT && single) {
        printf("\n%s\n", footnote);
    }
    if (s->common.output == OUTPUT_TEXT && single && blocks->count > 0) {
        putchar('\n');
    }
    if (s->common.output == OUTPUT_CSV && single && blocks->count > 0 && s->common.operand_count > 0) {
        note(s->common.command, "block formats have other columns: --csv leaves them out if other formats are listed");
    }
    if (blocks->count > 0 && (s->common.output == OUTPUT_TEXT || !single)) {
        table_end(blocks);
    }
}

static void print_formats(formats *s, table *blocks, bool listed)
{
    table t = {.columns = format_columns, .column_count = FORMAT_COLUMNS, .output = s->common.output, .key = "formats"};
    bool text = !s->markdown && s->common.output == OUTPUT_TEXT;
    bool facts = text && listed && s->common.formats.count + blocks->count / blocks->column_count <= 4;
    bool grouped = text && !listed; /* named ones stay in their order */
    if (grouped) {
        add_groups(&t, &s->common.formats);
    }
    for (size_t i = 0; i < s->common.formats.count && !grouped; i++) {
        format_add_row(&t, &s->common.formats.items[i], text && !facts, false);
    }
    if (s->markdown) {
        print_document(&t, blocks);
    } else if (facts) {
        print_all_facts(&t, s->common.colour);
        print_all_facts(blocks, s->common.colour);
    } else {
        print_lists(s, &t, blocks);
    }
    table_forget(&t);
    free(t.cells);
}

static int run(const command *self, int argc, char **argv)
{
    formats s = {0};
    int status = read_arguments(&s, self, argc, argv);
    bool listed = s.common.formats_given || s.common.operand_count > 0;
    table blocks = block_table(s.common.output);
    blocks.brief = !listed && !s.markdown;
    for (size_t i = 0; status == GO_ON && i < s.common.operand_count; i++) {
        status = add_operands(&s.common, &blocks, s.common.operands[i]);
    }
    if (status == GO_ON && !listed) {
        status = add_all(&s.common, &blocks);
    }
    if (status == GO_ON) {
        print_formats(&s, &blocks, listed);
    }
    table_forget(&blocks);
    free(blocks.cells);
    clear_settings(&s.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_format},
    {.same = &row_json},
    {.same = &row_csv},
    {.name = "markdown", .help = "the page doc/reference/formats.md, in Markdown", INTO_FLAG(formats, markdown)},
    {.same = &row_color},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"three formats, each by a name of its own ecosystem", "binade formats e4m3 float8_e4m3 e5m10b12fn"},
    {"the built-in formats, the 8-bit P3109 family and the block formats", "binade formats"},
    {"a block format", "binade formats nvfp4"},
    {"the largest value of each FP8 format, as JSON",
     "binade formats -f ocp,fnuz --json | grep -o '\"max\": *\"[^\"]*\"'"},
    {NULL, NULL},
};

const command command_formats = {
    .name = "formats",
    .summary = "the formats: layout, limits, special values, names elsewhere",
    .group = GROUP_INSPECT,
    .operands = "[NAME...]",
    .first = COMPLETES_FORMATS,
    .others = COMPLETES_FORMATS,
    .about =
        "Lists formats: by default the built-in ones, the 8-bit P3109 family and the block formats, otherwise the "
        "named ones. Up to four named formats are printed with every fact. A name may come from any ecosystem (e4m3, "
        "float8_e4m3fn, torch.bfloat16), and may be that of a block format (mxfp8, nvfp4, e4m3/tile:1x128).",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "show table range bnd_format(3)",
    .run = run,
};
