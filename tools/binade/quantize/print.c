/* binade quantize: the plan as text and as CSV, a line per tensor, and sums. */
#include "quantize.h"

#include <stdlib.h>
#include <string.h>

static const column columns[] = {
    {.key = "tensor", .heading = "tensor"},
    {.key = "shape", .heading = "shape"},
    {.key = "from", .heading = "from"},
    {.key = "to", .heading = "to"},
    {.key = "bytes_in", .heading = "bytes in", .number = true, .literal = true},
    {.key = "bytes_out", .heading = "bytes out", .number = true, .literal = true},
    {.key = "group", .heading = "group", .number = true, .literal = true},
    {.key = "reason", .heading = "reason", .data_only = true},
    {.key = "because", .heading = "because"},
};

char *quantize_shape_text(const bnd_planned_weight *weight)
{
    long_text text = {0};
    add_text(&text, weight->rank == 0 ? "()" : "");
    for (size_t i = 0; i < weight->rank; i++) {
        add_text(&text, "%s%llu", i > 0 ? "x" : "", (unsigned long long)weight->shape[i]);
    }
    return text.text;
}

static char *plain_name(const char *name)
{
    enum { LONGEST = 256 };
    char *text = format_text("%.*s%*s", LONGEST, name, LONGEST, ""); /* room for escapes */
    size_t size = strlen(text) + 1, length = strlen(name) < LONGEST ? strlen(name) : LONGEST;
    text[length] = '\0';
    make_plain_text(text, size);
    return text;
}

static void add_row(table *t, const bnd_planned_weight *row, bool people)
{
    table_add(t, plain_name(row->name));
    table_add(t, quantize_shape_text(row));
    table_add(t, copy_text(bnd_stored_as(row->weight)));
    table_add(t, copy_text(bnd_planned_to(row)));
    table_add(t, format_text("%llu", (unsigned long long)row->bytes_in));
    table_add(t, format_text("%llu", (unsigned long long)row->bytes_out));
    table_add(t, row->group == SIZE_MAX ? copy_text(people ? "" : "null") : format_text("%zu", row->group));
    table_add(t, copy_text(row->reason));
    table_add(t, format_text("%s: %s", bnd_conversion_name(row->conversion), row->because));
}

double quantize_bits(uint64_t bytes, uint64_t parameters)
{
    return parameters > 0 ? 8.0 * (double)bytes / (double)parameters : 0;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static char *counts_line(const bnd_plan_totals *sums)
{
    static const char *const words[] = {"stay as they are", "decoded", "cast", "quantized"};
    long_text t = {0};
    for (size_t i = BND_CONVERSIONS; i-- > 0;) {
        if (sums->weights[i] > 0) {
            add_text(&t, "%s%zu %s", t.length > 0 ? ", " : "", sums->weights[i], words[i]);
        }
    }
    return t.length > 0 ? t.text : copy_text("");
}

static void layout_lines(const quantize_answer *a, const bnd_plan_totals *sums, quantize_line *line, void *state)
{
    const bnd_layout *layout = bnd_quantize_plan_layout(a->plan);
    long_text scales = {0};
    if (layout == NULL) {
        return;
    }
    line(state, "layout", format_text("%s, %s", layout->name, layout->title));
    add_text(&scales, "%s, rule %s", bnd_quantize_plan_scale_format(a->plan), bnd_quantize_plan_rule(a->plan));
    if (sums->groups > 0) {
        add_text(&scales, "; %zu group%s of fused weights with one tensor scale", sums->groups, plural(sums->groups));
    }
    line(state, "scales", scales.text);
    if (sums->inputs > 0) {
        line(state, "inputs",
             format_text("static input scales of %zu weight%s %s", sums->inputs, plural(sums->inputs),
                         sums->inputs_kept > 0 ? "are carried over" : "are dropped"));
    }
}

void quantize_lines(const quantize_answer *a, quantize_line *line, void *state)
{
    const bnd_plan_totals sums = bnd_quantize_plan_totals(a->plan);
    char *in = bytes_text((double)sums.bytes_in), *after = bytes_text((double)sums.bytes_out);
    line(state, "weights", counts_line(&sums));
    layout_lines(a, &sums, line, state);
    line(state, "tensors",
         format_text("%s -> %s, %.2f -> %.2f bits per parameter", in, after,
                     quantize_bits(sums.bytes_in, sums.parameters), quantize_bits(sums.bytes_out, sums.parameters)));
    free(in);
    free(after);
    if (a->out != NULL) {
        line(state, "written to", copy_text(a->out));
    } else {
        char *memory = bytes_text((double)sums.memory);
        line(state, "memory", format_text("%s in addition to mapped files", memory));
        line(state, "dry run", copy_text("nothing is written"));
        free(memory);
    }
}

static void print_line(void *state, const char *label, char *owned)
{
    (void)state;
    const bool sentence = strcmp(label, "written to") == 0;
    printf("%s%s%*s%s\n", label, sentence ? "" : ":", (sentence ? 13 : 12) - (int)strlen(label), "", owned);
    free(owned);
}

void print_quantize_plan(const quantize_answer *answer, enum output output, bool rows)
{
    if (rows) {
        table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns, .output = output};
        for (size_t i = 0; i < bnd_quantize_plan_count(answer->plan); i++) {
            add_row(&t, bnd_quantize_plan_at(answer->plan, i), output == OUTPUT_TEXT);
        }
        table_end(&t);
    }
    if (output == OUTPUT_TEXT) {
        if (rows) {
            putchar('\n');
        }
        quantize_lines(answer, print_line, NULL);
    }
}
