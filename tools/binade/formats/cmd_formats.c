/* binade formats: the table of formats. */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

typedef struct formats {
    settings common;
    bool markdown;
} formats;

/* ---- what a format says, a text each; the table's columns are in this order ---- */

static const column columns[] = {
    {"name", "format", false, false, false, false, 0},
    {"layout", "s/e/m", false, false, false, false, 0},
    {"width", "bits", true, true, false, true, 0},
    {"sign_bits", "s", true, true, false, true, 0},
    {"exponent_bits", "e", true, true, false, true, 0},
    {"fraction_bits", "m", true, true, false, true, 0},
    {"precision", "p", true, true, false, true, 0},
    {"bias", "bias", true, true, false, false, 0},
    {"emin", "emin", true, true, false, true, 0},
    {"emax", "emax", true, true, false, true, 0},
    {"max", "max", true, false, false, false, 0},
    {"max_code", "max code", false, false, false, true, 0},
    {"min_normal", "min normal", true, false, false, false, 0},
    {"min_subnormal", "min subn.", true, false, false, false, 0},
    {"ulp_of_one", "ulp(1)", true, false, false, false, 0},
    {"digits", "digits", true, true, false, false, 0},
    {"digits_to_read_back", "digits back", true, true, false, true, 0},
    {"finite_values", "finite", true, true, false, false, 0},
    {"infinity", "inf", false, false, false, false, 0},
    {"nan", "nan", false, false, false, false, 0},
    {"nan_codes", "NaN codes", true, true, false, true, 0},
    {"zero", "zero", false, false, false, false, 0},
    {"title", "what it is", false, false, false, false, 0},
    {"ml_dtypes", "ml_dtypes, torch", false, false, false, true, 0},
    {"onnx", "ONNX", false, false, false, true, 0},
    {"safetensors", "safetensors", false, false, false, true, 0},
    {"stablehlo", "StableHLO", false, false, false, true, 0},
    {"others", "elsewhere", false, false, false, true, 0},
    {"hardware", "hardware", false, false, false, true, 0},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], FIRST_NAME = COLUMNS - BND_ECOSYSTEM_COUNT - 1 };

/* Nine digits; in a list on the screen five, where nine take much room. */
static char *number_text(bnd_exact value, bool brief)
{
    enum { DIGITS = 9, FEW_DIGITS = 5, ROOM = 10 };
    char *text = digits_text(value, DIGITS);
    if (!brief || strlen(text) <= ROOM) {
        return text;
    }
    free(text);
    return digits_text(value, FEW_DIGITS);
}

/* A power of two as 2^n. */
static char *limit_text(uint64_t significand, int32_t quantum, bool brief)
{
    bnd_exact value = {.low = significand, .exponent = quantum, .kind = BND_KIND_FINITE};
    char *power = power_text(value);
    bool small = quantum >= 0 && quantum < 8;
    if (power != NULL && !small) {
        return power;
    }
    free(power);
    return number_text(value, brief);
}

static bool has_real_subnormals(const bnd_format *f)
{
    return f->has_subnormals && f->precision > 1;
}

/* Does the text read back as the format's largest number? */
static bool is_largest(const bnd_format *f, const char *text, bnd_exact largest)
{
    bnd_exact read;
    if (bnd_parse_exact(&read, text, NULL) != BND_OK) {
        return false;
    }
    bnd_rounded r = bnd_round_exact(f, read, (bnd_rule){0}, 0);
    return (r.flags & BND_FLAG_OVERFLOW) == 0 && bnd_exact_compare(r.value, largest) == 0;
}

/* The largest number; where it is not brief, in as many digits as tell it from its neighbours: nine do for most. */
static char *largest_text(const bnd_format *f, bool brief)
{
    enum { MOST_DIGITS = 19 };
    bnd_exact value = {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
    char *text = power_text(value);
    if (text != NULL && f->max_quantum + f->precision > 8) {
        return text;
    }
    free(text);
    text = number_text(value, brief);
    for (int digits = 10; !brief && digits <= MOST_DIGITS && !is_largest(f, text, value); digits++) {
        free(text);
        text = digits_text(value, digits);
    }
    return text;
}

/* The distance of 1 to the next number above it, where the format has a 1. */
static char *ulp_of_one(const bnd_format *f, bool brief)
{
    bnd_rounded one = bnd_round_exact(f, bnd_exact_uint64(1), (bnd_rule){0}, 0);
    bnd_exact next;
    bool has_next = bnd_neighbour(&next, f, one.value, 1) && next.kind == BND_KIND_FINITE;
    if (one.flags != 0 || !has_next) {
        return copy_text("-");
    }
    int32_t quantum = -(f->precision - 1);
    return limit_text(1, quantum > f->least_quantum || !f->has_subnormals ? quantum : f->least_quantum, brief);
}

/* log10(2) is 0.30102999566...; 30103 / 100000 is close enough for 64 bits. */
static unsigned decimal_digits(const bnd_format *f)
{
    return (f->precision - 1u) * 30103u / 100000u;
}

static unsigned digits_to_read_back(const bnd_format *f)
{
    return 2u + f->precision * 30103u / 100000u;
}

static char *finite_values(const bnd_format *f, bool brief)
{
    if (f->width == 0) {
        return copy_text("null");
    }
    uint64_t values = f->max_code * (f->is_signed ? 2 : 1) + 1;
    return brief ? number_text(bnd_exact_uint64(values), true) : format_text("%llu", (unsigned long long)values);
}

static const char *infinity_text(const bnd_format *f)
{
    return f->has_infinity ? "yes" : "no";
}

static uint64_t nan_codes(const bnd_format *f)
{
    return f->zero_nan ? 1 : f->high_nans * (f->is_signed ? 2 : 1);
}

static const char *nan_text(const bnd_format *f)
{
    bool few = f->width != 0 && nan_codes(f) <= 2;
    return !f->has_nan ? "no" : !few ? "yes" : nan_codes(f) == 1 ? "one" : "two";
}

static const char *zero_text(const bnd_format *f)
{
    return !f->has_zero ? "none" : f->has_negative_zero ? "+-0" : "+0";
}

/* What a format is called that no row names. */
static char *title_text(const bnd_format *f)
{
    if (f->row >= 0) {
        return copy_text(bnd_format_title((size_t)f->row));
    }
    if (f->width == 0) {
        return copy_text("a value set: rounds, has no codes");
    }
    if (strncmp(f->name, "binary", 6) == 0) {
        return format_text("P3109, %s, %s", f->is_signed ? "signed" : "unsigned",
                           f->has_infinity ? "extended" : "finite");
    }
    return copy_text("custom");
}

static void add_names(table *t, const bnd_format *f)
{
    for (int where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
        table_add(t, copy_text(f->row >= 0 ? bnd_format_names((size_t)f->row, (bnd_ecosystem)where) : ""));
    }
    table_add(t, copy_text(f->row >= 0 ? bnd_format_hardware((size_t)f->row) : ""));
}

static char *number(long long n)
{
    return format_text("%lld", n);
}

static void add_layout(table *t, const bnd_format *f)
{
    table_add(t, f->width != 0 ? format_text("%d/%d/%d", f->is_signed, f->exponent_bits, f->fraction_bits)
                               : format_text("p=%d", f->precision));
    table_add(t, number(f->width));
    table_add(t, number(f->width != 0 && f->is_signed));
    table_add(t, number(f->exponent_bits));
    table_add(t, number(f->fraction_bits));
    table_add(t, number(f->precision));
    table_add(t, number(f->bias));
    table_add(t, f->emin > -BND_EXPONENT_UNLIMITED ? number(f->emin) : copy_text("null"));
    table_add(t, f->emax < BND_EXPONENT_UNLIMITED ? number(f->emax) : copy_text("null"));
}

static void add_row(table *t, const bnd_format *f, bool brief)
{
    bool codes = f->width != 0;
    bool unlimited_above = f->emax >= BND_EXPONENT_UNLIMITED, unlimited_below = f->emin <= -BND_EXPONENT_UNLIMITED;
    table_add(t, copy_text(f->name));
    add_layout(t, f);
    table_add(t, unlimited_above ? copy_text("no limit") : largest_text(f, brief));
    table_add(t, codes ? code_text(f, f->max_code) : copy_text(""));
    table_add(t, unlimited_below ? copy_text("no limit") : limit_text(f->normal_significand, f->normal_quantum, brief));
    table_add(t, unlimited_below || !has_real_subnormals(f)
                     ? copy_text("-")
                     : limit_text(f->least_significand, f->least_quantum, brief));
    table_add(t, ulp_of_one(f, brief));
    table_add(t, number(decimal_digits(f)));
    table_add(t, number(digits_to_read_back(f)));
    table_add(t, finite_values(f, brief));
    table_add(t, copy_text(infinity_text(f)));
    table_add(t, copy_text(nan_text(f)));
    table_add(t, codes ? format_text("%llu", (unsigned long long)nan_codes(f)) : copy_text("null"));
    table_add(t, copy_text(zero_text(f)));
    table_add(t, title_text(f));
    add_names(t, f);
}

/* ---- the forms ---- */

static bool in_markdown(const table *t, size_t c)
{
    return !t->columns[c].data_only || t->columns != columns || c >= FIRST_NAME;
}

static void print_markdown(const table *t)
{
    for (size_t row = 0; row <= t->count / t->column_count; row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            if (in_markdown(t, c)) {
                printf("| %s ", row == 0 ? t->columns[c].heading : t->cells[(row - 1) * t->column_count + c]);
            }
        }
        puts("|");
        for (size_t c = 0; row == 0 && c < t->column_count; c++) {
            fputs(in_markdown(t, c) ? "| --- " : "", stdout);
        }
        fputs(row == 0 ? "|\n" : "", stdout);
    }
}

static void print_document(const table *single, const table *blocks)
{
    puts("# Formats\n\nWritten by `binade formats --markdown`; every limit is derived from the format's row.\n");
    print_markdown(single);
    puts("\n## Block formats\n\nNumbers that share scales. `e4m3/row`, `e4m3/tensor`, `e4m3/tile:1x128` and `e3m4/mx` "
         "are read in the same way:\na format, and who shares a scale.\n");
    print_markdown(blocks);
}

/* One format, a line a fact. */
static void print_facts(const table *t, size_t first, bool colour)
{
    put_coloured(colour, BOLD, t->cells[first]);
    putchar('\n');
    for (size_t c = 1; c < t->column_count; c++) {
        const char *cell = t->cells[first + c];
        if (cell[0] != '\0' && strcmp(cell, "null") != 0) {
            enum { TEXT_AT = 23 };
            printf("  %-20s ", t->columns[c].key);
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

/* ---- what was asked for ---- */

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
    if (s->common.output == OUTPUT_TEXT && single && blocks->count > 0) {
        putchar('\n');
    }
    if (s->common.output == OUTPUT_CSV && single && blocks->count > 0 && s->common.operand_count > 0) {
        note(s->common.command, "block formats have other columns: --csv leaves them out beside other formats");
    }
    if (blocks->count > 0 && (s->common.output == OUTPUT_TEXT || !single)) {
        table_end(blocks);
    }
}

static void print_formats(formats *s, table *blocks, bool listed)
{
    table t = {.columns = columns, .column_count = COLUMNS, .output = s->common.output, .key = "formats"};
    bool text = !s->markdown && s->common.output == OUTPUT_TEXT;
    bool facts = text && listed && s->common.formats.count + blocks->count / blocks->column_count <= 4;
    for (size_t i = 0; i < s->common.formats.count; i++) {
        add_row(&t, &s->common.formats.items[i], text && !facts);
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
    {.same = &row_format}, {.same = &row_json},
    {.same = &row_csv},    {.name = "markdown", .help = "the table as Markdown", INTO_FLAG(formats, markdown)},
    {.same = &row_color},  {.same = &row_help},
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
    .summary = "the table of formats: widths, bias, limits, specials, names elsewhere",
    .group = GROUP_INSPECT,
    .operands = "[NAME...]",
    .first = COMPLETES_FORMATS,
    .others = COMPLETES_FORMATS,
    .about =
        "Lists formats: by default the built-in ones, the 8-bit P3109 family and the block formats; otherwise those "
        "that are named. Up to four named formats are printed with every fact, one per line. Names of any ecosystem "
        "are understood (e4m3, float8_e4m3fn, torch.bfloat16), and of block formats (mxfp8, nvfp4, e4m3/tile:1x128).",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "show table range bnd_format(3)",
    .run = run,
};
