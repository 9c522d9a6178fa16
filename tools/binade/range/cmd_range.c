/* binade range: which formats contain a value, and the result in the others. */
#include "range.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcome {
    const char *key, *word, *meaning; /* in JSON and CSV, in a cell, in the legend */
    enum colour colour;
} outcome;

static const outcome outcomes[] = {
    {"ok", "ok", "exact, or rounded with the format's full precision", GREEN},
    {"sub", "sub", "subnormal: rounded with fewer bits", YELLOW},
    {"zero", "->0", "underflowed to zero", RED},
    {"max", "max", "saturated to the largest value", MAGENTA},
    {"inf", "inf", "overflowed to infinity", MAGENTA},
    {"nan", "nan", "became NaN", RED},
    {"min", "min", "raised to the smallest value: the format has none below it", YELLOW},
    {"no-nan", "no-nan", "NaN became a number: the format has no NaN", RED},
    {"abs", "abs", "became its magnitude: the format has no sign", RED},
};
enum { OUTCOMES = sizeof outcomes / sizeof outcomes[0] };
enum { OK, SUBNORMAL, TO_ZERO, SATURATED, INFINITE, IS_NAN, RAISED, NO_NAN, MAGNITUDE };

static bool is_nan(bnd_exact x)
{
    return x.kind == BND_KIND_QUIET_NAN || x.kind == BND_KIND_SIGNALING_NAN;
}

static int outcome_of(const bnd_format *f, const bnd_rounded *r, const given *v)
{
    bnd_class class = bnd_classify(f, r->value);
    if (is_nan(v->exact)) {
        return is_nan(r->value) ? OK : NO_NAN;
    }
    if (is_nan(r->value)) {
        return IS_NAN;
    }
    if ((r->flags & BND_FLAG_TO_ZERO) != 0) {
        return TO_ZERO;
    }
    if ((r->flags & BND_FLAG_SATURATED) != 0) {
        return SATURATED;
    }
    if (class == BND_CLASS_INFINITY) {
        return (r->flags & BND_FLAG_OVERFLOW) != 0 ? INFINITE : OK;
    }
    bool gradual = f->has_zero && f->has_subnormals;
    if ((r->flags & (BND_FLAG_INVALID | (gradual ? 0 : BND_FLAG_UNDERFLOW))) != 0) {
        return RAISED;
    }
    if (v->exact.negative && class != BND_CLASS_ZERO && !r->value.negative) {
        return MAGNITUDE;
    }
    return class == BND_CLASS_SUBNORMAL ? SUBNORMAL : OK;
}

static int add_value(void *state, const given *v, size_t index)
{
    range *r = state;
    size_t columns = r->common.formats.count;
    r->cells = allocate(r->cells, (r->value_count + 1) * columns, sizeof *r->cells);
    r->labels = allocate(r->labels, r->value_count + 1, sizeof *r->labels);
    r->values = allocate(r->values, r->value_count + 1, sizeof *r->values);
    r->values[r->value_count] = v->exact;
    for (size_t i = 0; i < columns; i++) {
        const bnd_format *f = &r->common.formats.items[i];
        range_cell *c = &r->cells[r->value_count * columns + i];
        bnd_rule rule = rule_for(&r->common, f);
        c->rounded = round_given(v, f, rule, random_for(&r->common, rule, index));
        c->outcome = outcome_of(f, &c->rounded, v);
    }
    r->headings = allocate(r->headings, r->value_count + 1, sizeof *r->headings);
    r->headings[r->value_count] = heading_text(v->input);
    r->labels[r->value_count++] = copy_text(v->input);
    return GO_ON;
}

/* ---- the chart: the longer of the two lists goes down the page ---- */

static void put_cell(const range *r, int which, int width)
{
    printf("  %*s", width - (int)strlen(outcomes[which].word), "");
    put_coloured(r->common.colour, outcomes[which].colour, outcomes[which].word);
}

static int label_width(const range *r, bool of_values)
{
    size_t width = 6, count = of_values ? r->value_count : r->common.formats.count;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(of_values ? r->headings[i] : r->common.formats.items[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The widest word that any cell has, so that the columns stay under their headings. */
static int cell_width(const range *r, bool seen[OUTCOMES])
{
    size_t width = 4;
    for (size_t i = 0; i < r->value_count * r->common.formats.count; i++) {
        size_t length = strlen(outcomes[r->cells[i].outcome].word);
        width = length > width ? length : width;
        seen[r->cells[i].outcome] = true;
    }
    return (int)width;
}

static void print_chart(const range *r)
{
    size_t formats = r->common.formats.count;
    bool values_down = r->value_count >= formats, seen[OUTCOMES] = {false};
    size_t rows = values_down ? r->value_count : formats, columns = values_down ? formats : r->value_count;
    int label = label_width(r, values_down), least = cell_width(r, seen);
    printf("%*s", -label, values_down ? "value" : "format");
    for (size_t c = 0; c < columns; c++) {
        printf("  %*s", least, values_down ? r->common.formats.items[c].name : r->headings[c]);
    }
    putchar('\n');
    for (size_t row = 0; row < rows; row++) {
        printf("%*s", -label, values_down ? r->headings[row] : r->common.formats.items[row].name);
        for (size_t c = 0; c < columns; c++) {
            const range_cell *here = values_down ? &r->cells[row * formats + c] : &r->cells[c * formats + row];
            int heading = (int)strlen(values_down ? r->common.formats.items[c].name : r->headings[c]);
            put_cell(r, here->outcome, heading > least ? heading : least);
        }
        putchar('\n');
    }
    putchar('\n');
    for (int i = 0; i < OUTCOMES; i++) {
        if (seen[i]) {
            put_cell(r, i, 6);
            printf("  %s\n", outcomes[i].meaning);
        }
    }
}

static void print_rows(const range *r)
{
    static const column columns[] = {
        {"value", "value", false, false, false, false, 0},     {"format", "format", false, false, false, false, 0},
        {"outcome", "outcome", false, false, false, false, 0}, {"result", "result", false, false, false, false, 0},
        {"flags", "flags", false, false, true, false, 0},
    };
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .output = r->common.output,
               .key = "cells"};
    size_t formats = r->common.formats.count;
    for (size_t i = 0; i < r->value_count * formats; i++) {
        table_add(&t, copy_text(r->labels[i / formats]));
        table_add(&t, copy_text(r->common.formats.items[i % formats].name));
        table_add(&t, copy_text(outcomes[r->cells[i].outcome].key));
        table_add(&t, exact_text(r->cells[i].rounded.value, false));
        table_add(&t, flags_text(r->cells[i].rounded.flags));
    }
    table_end(&t);
}

static int add_decades(range *r)
{
    int status = GO_ON;
    for (int exponent = -10; status == GO_ON && exponent <= 10; exponent++) {
        char word[16];
        given v;
        snprintf(word, sizeof word, "1e%d", exponent);
        status = read_value(&v, &r->common, word, strlen(word), "");
        if (status == GO_ON) {
            status = add_value(r, &v, r->value_count);
        }
        clear_value(&v);
    }
    return status;
}

/* Bars for a reader, the table for a program; with values both, since a mark in a bar says less than a word. */
static void print_text(const range *r)
{
    bool terminal = isatty(STDOUT_FILENO) != 0, bars = r->bars || (terminal && !r->table);
    if (bars) {
        range_print_bars(r);
    }
    if (r->value_count > 0 && (!bars || (!r->bars && r->common.operand_count > 0))) {
        fputs(bars ? "\n" : "", stdout);
        print_chart(r);
    }
}

static int run(const command *self, int argc, char **argv)
{
    range r = {0};
    int status = read_arguments(&r, self, argc, argv);
    if (status == GO_ON && r.bars && (r.table || r.common.output != OUTPUT_TEXT)) {
        status = complain(self, "--bars cannot be used with --%s",
                          r.table                          ? "table"
                          : r.common.output == OUTPUT_JSON ? "json"
                                                           : "csv");
    }
    if (status == GO_ON && r.svg != NULL && (r.bars || r.table || r.common.output != OUTPUT_TEXT)) {
        status = complain(self, "--svg cannot be used with --%s",
                          r.bars                           ? "bars"
                          : r.table                        ? "table"
                          : r.common.output == OUTPUT_JSON ? "json"
                                                           : "csv");
    }
    if (status == GO_ON) {
        status = default_formats(&r.common, "fp32,tf32,fp16,bf16,e5m2,e4m3,e3m2,e2m3,e2m1,e8m0");
    }
    if (status == GO_ON) {
        note_silent_dialect(&r.common);
        status = r.common.operand_count == 0 ? add_decades(&r) : for_each_value(&r.common, add_value, &r);
    }
    if (status == GO_ON && r.svg != NULL) {
        status = range_write_picture(&r, r.svg);
    } else if (status == GO_ON && r.common.output == OUTPUT_TEXT) {
        print_text(&r);
    } else if (status == GO_ON) {
        print_rows(&r);
    }
    for (size_t i = 0; i < r.value_count; i++) {
        free(r.labels[i]);
        free(r.headings[i]);
    }
    free(r.labels);
    free(r.headings);
    free(r.values);
    free(r.cells);
    clear_settings(&r.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_format},
    {.same = &row_round},
    {.same = &row_dialect},
    {.name = "bars", .help = "bars on a logarithmic axis (default on a terminal)", INTO_FLAG(range, bars)},
    {.name = "table", .help = "values against formats (default on a pipe)", INTO_FLAG(range, table)},
    {.name = "svg",
     .argument = "FILE",
     .help = "the bars as a picture in FILE (- is standard output), and nothing else",
     INTO_TEXT(range, svg)},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_overflow, .rare = 1},
    {.same = &row_flush, .rare = 1},
    {.same = &row_seed, .rare = 1},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"four values in four formats", "binade range 1e-8 0.1 448 70000 -f fp16,bf16,e4m3,e5m2"},
    {"the ranges of four formats as bars", "binade range --bars -f fp32,bf16,fp16,e4m3"},
    {"a picture of them", "binade range --svg range.svg -f fp32,bf16,fp16,e4m3"},
    {"the same under CUDA's saturating rule", "binade range -f e4m3,e5m2 --dialect cuda-satfinite"},
    {"one line per value and format, as CSV", "binade range 1e-8 -f fp16,bf16 --csv"},
    {NULL, NULL},
};

const command command_range = {
    .name = "range",
    .summary = "which formats contain a value, and where it underflows or overflows",
    .group = GROUP_INSPECT,
    .operands = "[VALUE...]",
    .about = "Shows for each format the range of its values, or for each VALUE and format whether the value is kept, "
             "underflows or overflows. Without values, the table has the decades 1e-10 to 1e10. Default formats: fp32 "
             "tf32 fp16 bf16 e5m2 e4m3 e3m2 e2m3 e2m1 e8m0.",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS | READS_LOCALE,
    .see_also = "show formats table",
    .run = run,
};
