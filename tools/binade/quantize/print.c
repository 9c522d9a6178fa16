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
    table_add(t, people ? plain_name(row->name) : copy_text(row->name));
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

char *quantize_line(size_t *label, const quantize_answer *a, size_t line)
{
    const size_t length = bnd_quantize_plan_print_line(NULL, 0, label, a->plan, a->out, line);
    char *text = length > 0 ? allocate(NULL, length + 1, 1) : NULL;
    if (text != NULL) {
        bnd_quantize_plan_print_line(text, length + 1, label, a->plan, a->out, line);
    }
    return text;
}

static void print_lines(const quantize_answer *a)
{
    enum { WIDTH = 13 }; /* of labels */
    size_t label;
    char *text;
    for (size_t i = 0; (text = quantize_line(&label, a, i)) != NULL; i++) {
        printf("%.*s%*s%s\n", (int)label, text, WIDTH - (int)label, "", text + label + 1);
        free(text);
    }
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
        print_lines(answer);
    }
}
