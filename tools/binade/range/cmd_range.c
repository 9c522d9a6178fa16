/* binade range: which formats hold a value, and what becomes of it in the others. */
#include "common/print.h"
#include "show/value.h"

#include <stdlib.h>
#include <string.h>

/* What became of a value. */
typedef struct fate {
    const char *word, *meaning;
    enum colour colour;
} fate;

static const fate fates[] = {
    {"ok", "held with the format's full precision", GREEN},
    {"sub", "held as a subnormal, with fewer bits", YELLOW},
    {"0", "flushed to zero", RED},
    {"max", "saturated to the largest number", MAGENTA},
    {"inf", "overflowed to infinity", MAGENTA},
    {"nan", "became NaN", RED},
    {"least", "below the smallest number, which came out", YELLOW},
    {"lost", "NaN, where the format has none: a number came out", RED},
};
enum { FATES = sizeof fates / sizeof fates[0] };
enum { OK, SUBNORMAL, FLUSHED, SATURATED, INFINITE, IS_NAN, LEAST, LOST };

typedef struct range_cell {
    int fate;
    bnd_rounded rounded;
} range_cell;

typedef struct range {
    settings common;
    range_cell *cells;         /* a row of formats for each value */
    char **labels, **headings; /* the values as written, and cut where they are long */
    size_t values;
} range;

static bool is_nan(bnd_exact x)
{
    return x.kind == BND_KIND_QUIET_NAN || x.kind == BND_KIND_SIGNALING_NAN;
}

static int fate_of(const bnd_format *f, const bnd_rounded *r, const given *v)
{
    bnd_class class = bnd_classify(f, r->value);
    if (is_nan(v->exact)) {
        return is_nan(r->value) ? OK : LOST;
    }
    if (is_nan(r->value)) {
        return IS_NAN;
    }
    if ((r->flags & BND_FLAG_TO_ZERO) != 0) {
        return FLUSHED;
    }
    if ((r->flags & BND_FLAG_SATURATED) != 0 ||
        (v->exact.kind == BND_KIND_INFINITE && r->value.kind == BND_KIND_FINITE)) {
        return SATURATED;
    }
    if (class == BND_CLASS_INFINITY) {
        return (r->flags & BND_FLAG_OVERFLOW) != 0 ? INFINITE : OK;
    }
    bool raised = !f->has_zero && (r->flags & (BND_FLAG_UNDERFLOW | BND_FLAG_INVALID)) != 0;
    return raised ? LEAST : class == BND_CLASS_SUBNORMAL ? SUBNORMAL : OK;
}

static int add_value(void *state, const given *v, size_t index)
{
    range *r = state;
    size_t columns = r->common.formats.count;
    r->cells = allocate(r->cells, (r->values + 1) * columns, sizeof *r->cells);
    r->labels = allocate(r->labels, r->values + 1, sizeof *r->labels);
    for (size_t i = 0; i < columns; i++) {
        const bnd_format *f = &r->common.formats.items[i];
        range_cell *c = &r->cells[r->values * columns + i];
        bnd_rule rule = rule_for(&r->common, f);
        c->rounded = round_given(v, f, rule, random_for(&r->common, rule, index));
        c->fate = fate_of(f, &c->rounded, v);
    }
    r->headings = allocate(r->headings, r->values + 1, sizeof *r->headings);
    r->headings[r->values] = heading_text(v->input);
    r->labels[r->values++] = copy_text(v->input);
    return GO_ON;
}

/* ---- the chart: the longer of the two lists goes down the page ---- */

static void put_cell(const range *r, int which, int width)
{
    printf("  %*s", width - (int)strlen(fates[which].word), "");
    put_coloured(r->common.colour, fates[which].colour, fates[which].word);
}

static int label_width(const range *r, bool of_values)
{
    size_t width = 6, count = of_values ? r->values : r->common.formats.count;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(of_values ? r->headings[i] : r->common.formats.items[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The widest word that any cell has, so that the columns stay under their headings. */
static int cell_width(const range *r, bool seen[FATES])
{
    size_t width = 4;
    for (size_t i = 0; i < r->values * r->common.formats.count; i++) {
        size_t length = strlen(fates[r->cells[i].fate].word);
        width = length > width ? length : width;
        seen[r->cells[i].fate] = true;
    }
    return (int)width;
}

static void print_chart(const range *r)
{
    size_t formats = r->common.formats.count;
    bool values_down = r->values >= formats, seen[FATES] = {false};
    size_t rows = values_down ? r->values : formats, columns = values_down ? formats : r->values;
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
            put_cell(r, here->fate, heading > least ? heading : least);
        }
        putchar('\n');
    }
    putchar('\n');
    for (int i = 0; i < FATES; i++) {
        if (seen[i]) {
            put_cell(r, i, 5);
            printf("  %s\n", fates[i].meaning);
        }
    }
}

static void print_rows(const range *r)
{
    static const column columns[] = {
        {"value", "value", false, false, false, false, 0}, {"format", "format", false, false, false, false, 0},
        {"fate", "fate", false, false, false, false, 0},   {"result", "result", false, false, false, false, 0},
        {"flags", "flags", false, false, true, false, 0},
    };
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .output = r->common.output,
               .key = "cells"};
    size_t formats = r->common.formats.count;
    for (size_t i = 0; i < r->values * formats; i++) {
        table_add(&t, copy_text(r->labels[i / formats]));
        table_add(&t, copy_text(r->common.formats.items[i % formats].name));
        table_add(&t, copy_text(fates[r->cells[i].fate].word));
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
            status = add_value(r, &v, r->values);
        }
        clear_value(&v);
    }
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    range r = {0};
    int status = read_arguments(&r, self, argc, argv);
    if (status == GO_ON) {
        status = default_formats(&r.common, "fp32,tf32,fp16,bf16,e5m2,e4m3,e3m2,e2m3,e2m1,e8m0");
    }
    if (status == GO_ON) {
        note_silent_dialect(&r.common);
        status = r.common.operand_count == 0 ? add_decades(&r) : for_each_value(&r.common, add_value, &r);
    }
    if (status == GO_ON && r.common.output == OUTPUT_TEXT && r.values > 0) {
        print_chart(&r);
    } else if (status == GO_ON && r.common.output != OUTPUT_TEXT) {
        print_rows(&r);
    }
    for (size_t i = 0; i < r.values; i++) {
        free(r.labels[i]);
        free(r.headings[i]);
    }
    free(r.labels);
    free(r.headings);
    free(r.cells);
    clear_settings(&r.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.same = &row_format},  {.same = &row_round}, {.same = &row_overflow}, {.same = &row_flush},
    {.same = &row_dialect}, {.same = &row_seed},  {.same = &row_json},     {.same = &row_csv},
    {.same = &row_color},   {.same = &row_help},  {.name = NULL},
};

static const command_example examples[] = {
    {"four values in four formats", "binade range 1e-8 0.1 448 70000 -f fp16,bf16,e4m3,e5m2"},
    {"the decades from 1e-10 to 1e10 in the default formats", "binade range"},
    {"the same under CUDA's saturating rule", "binade range -f e4m3,e5m2 --dialect cuda-satfinite"},
    {"one line per value and format, as CSV", "binade range 1e-8 -f fp16,bf16 --csv"},
    {NULL, NULL},
};

const command command_range = {
    .name = "range",
    .summary = "which formats hold a value, flush it, saturate or overflow",
    .group = GROUP_INSPECT,
    .operands = "[VALUE...]",
    .about = "A chart of values against formats: what is held, what is flushed to zero, what is beyond the largest "
             "number. Without values: the decades 1e-10 to 1e10. Default formats: fp32 tf32 fp16 bf16 e5m2 e4m3 e3m2 "
             "e2m3 e2m1 e8m0.",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS | READS_LOCALE,
    .see_also = "show formats table",
    .run = run,
};
