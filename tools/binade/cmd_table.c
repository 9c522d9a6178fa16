/* binade table: every code of a format. */
#include "print.h"

enum { WIDEST = 16 };

static int no_own(void *state, int id, const char *value)
{
    (void)state;
    (void)id;
    (void)value;
    return GO_ON;
}

static void add_code(table *t, const bnd_format *f, uint64_t code)
{
    bnd_exact value = bnd_unpack(f, code);
    table_add(t, code_text(f, code));
    table_add(t, bits_text(f, code));
    table_add(t, copy_text(bnd_class_name(bnd_classify(f, value))));
    table_add(t, exact_text(value, false));
    table_add(t, hex_text(value));
}

static int run(const command *self, int argc, char **argv)
{
    static const column columns[] = {
        {"code", "code", false, false, false, false},   {"bits", "bits", false, false, false, false},
        {"class", "class", false, false, false, false}, {"value", "value", false, false, false, false},
        {"hex", "hex", false, false, false, true},
    };
    settings s;
    int status = read_arguments(&s, self, argc, argv, no_own, NULL);
    for (size_t i = 0; status == GO_ON && i < s.operand_count; i++) {
        status = add_formats(&s, s.operands[i]);
    }
    if (status == GO_ON && s.formats.count != 1) {
        status = complain(self, "one format is needed, not %zu; try 'binade table e2m1'", s.formats.count);
    }
    const bnd_format *f = s.formats.items;
    if (status == GO_ON && f->width == 0) {
        status = complain(self, "%s is a value set and has no codes", f->name);
    }
    if (status == GO_ON && f->width > WIDEST) {
        status = complain(self, "%s has 2^%u codes; a table has room for formats of at most %d bits", f->name, f->width,
                          WIDEST);
    }
    if (status == GO_ON) {
        table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
        for (uint64_t code = 0; code >> f->width == 0; code++) {
            add_code(&t, f, code);
        }
        table_print(&t, s.output, "codes");
    }
    clear_settings(&s);
    return status == GO_ON ? FINE : status;
}

static const option_row *const options[] = {&row_format, &row_json, &row_csv, &row_color, &row_help, NULL};

const command command_table = {
    .name = "table",
    .summary = "every code of a format of at most 16 bits",
    .operands = "FORMAT",
    .about = "Prints every code of a format in order: code, bits, class and exact value.",
    .options = options,
    .example = "binade table e2m1",
    .more = "",
    .run = run,
};
