/* binade table: every code of a format. */
#include "common/print.h"

enum { WIDEST = 16 };

static void add_code(table *t, const bnd_format *f, uint64_t code, bool for_people)
{
    bnd_exact value = bnd_unpack(f, code);
    table_add(t, code_text(f, code));
    table_add(t, bits_text(f, code));
    table_add(t, copy_text(bnd_class_name(bnd_classify(f, value))));
    table_add(t, for_people ? readable_text(value, false) : exact_text(value, false));
    table_add(t, hex_text(value));
}

/* Rows go out as they are made: a format of 16 bits may have thousands of digits in each of them. */
static void print_codes(const settings *s, const bnd_format *f)
{
    enum { AT_ONCE = 256 };
    bool signaling = f->ieee_nans && f->fraction_bits > 1;
    const column columns[] = {
        {"code", "code", false, false, false, false, 0},
        {"bits", "bits", false, false, false, false, 0},
        {"class", "class", false, false, false, false, signaling && f->width > 8 ? 13 : 0},
        {"value", "value", false, false, false, false, 0},
        {"hex", "hex", false, false, false, true, 0},
    };
    table t = {
        .columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = s->output, .key = "codes"};
    bool good = true;
    for (uint64_t code = 0; good && code >> f->width == 0; code++) {
        add_code(&t, f, code, s->output == OUTPUT_TEXT);
        if (code % AT_ONCE == AT_ONCE - 1) {
            good = table_flush(&t);
        }
    }
    table_end(&t);
}

static int run(const command *self, int argc, char **argv)
{
    settings s;
    int status = read_arguments(&s, self, argc, argv);
    for (size_t i = 0; status == GO_ON && i < s.operand_count; i++) {
        status = add_formats(&s, s.operands[i]);
    }
    if (status == GO_ON && s.formats.count != 1) {
        status = complain(self, "expected one format, got %zu; try 'binade table e2m1'", s.formats.count);
    }
    const bnd_format *f = s.formats.items;
    if (status == GO_ON && f->width == 0) {
        status = complain(self, "%s is a value set: it has no codes", f->name);
    }
    if (status == GO_ON && f->width > WIDEST) {
        status = complain(self, "%s has 2^%u codes; the format must have at most %d bits", f->name, f->width, WIDEST);
    }
    if (status == GO_ON) {
        print_codes(&s, f);
    }
    clear_settings(&s);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_json}, {.same = &row_csv}, {.same = &row_color}, {.same = &row_help}, {.name = NULL},
};

static const command_example examples[] = {
    {"every code of FP4 E2M1", "binade table e2m1"},
    {"the last codes of FP8 E4M3, where its NaNs are", "binade table e4m3 | tail -n 4"},
    {"every value of a custom format, as CSV", "binade table e3m4 --csv"},
    {NULL, NULL},
};

const command command_table = {
    .name = "table",
    .summary = "every code of a format of at most 16 bits",
    .group = GROUP_INSPECT,
    .operands = "FORMAT",
    .first = COMPLETES_FORMATS,
    .one_format = true,
    .about =
        "Prints every code of a format in order: code, bits, class and exact value. Values are cut after 40 digits; "
        "--json and --csv have every digit.",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "show formats range",
    .run = run,
};
