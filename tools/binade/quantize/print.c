/* binade quantize: the plan, a line per tensor, and sums. */
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

static char *shape_text(const bnd_planned_weight *weight)
{
    long_text text = {0};
    add_text(&text, weight->rank == 0 ? "()" : "");
    for (size_t i = 0; i < weight->rank; i++) {
        add_text(&text, "%s%llu", i > 0 ? "x" : "", (unsigned long long)weight->shape[i]);
    }
    return text.text;
}

static const char *from_text(const bnd_stored_weight *weight)
{
    return weight->layout != NULL ? weight->layout->name : weight->parts[BND_PART_CODES]->dtype;
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
    table_add(t, shape_text(row));
    table_add(t, copy_text(from_text(row->weight)));
    table_add(t, copy_text(row->conversion == BND_QUANTIZED ? row->block.name : row->dtype));
    table_add(t, format_text("%llu", (unsigned long long)row->bytes_in));
    table_add(t, format_text("%llu", (unsigned long long)row->bytes_out));
    table_add(t, row->group == SIZE_MAX ? copy_text(people ? "" : "null") : format_text("%zu", row->group));
    table_add(t, copy_text(row->reason));
    table_add(t, format_text("%s: %s", bnd_conversion_name(row->conversion), row->because));
}

static double bits(uint64_t bytes, uint64_t parameters)
{
    return parameters > 0 ? 8.0 * (double)bytes / (double)parameters : 0;
}

/* ---- for people ---- */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_counts(const bnd_plan_totals *sums)
{
    static const char *const words[] = {"stay as they are", "decoded", "cast", "quantized"};
    bool first = true;
    for (size_t i = BND_CONVERSIONS; i-- > 0;) {
        if (sums->weights[i] > 0) {
            printf("%s%zu %s", first ? "weights:     " : ", ", sums->weights[i], words[i]);
            first = false;
        }
    }
    putchar('\n');
}

static void print_sums(const bnd_quantize_plan *plan, const char *out)
{
    const bnd_plan_totals sums = bnd_quantize_plan_totals(plan);
    const bnd_layout *layout = bnd_quantize_plan_layout(plan);
    print_counts(&sums);
    if (layout != NULL) {
        printf("layout:      %s, %s\n", layout->name, layout->title);
        printf("scales:      %s, rule %s", bnd_quantize_plan_scale_format(plan), bnd_quantize_plan_rule(plan));
        if (sums.groups > 0) {
            printf("; %zu group%s of fused weights with one tensor scale", sums.groups, plural(sums.groups));
        }
        putchar('\n');
    }
    if (layout != NULL && sums.inputs > 0) {
        printf("inputs:      static input scales of %zu weight%s %s\n", sums.inputs, plural(sums.inputs),
               sums.inputs_kept > 0 ? "are carried over" : "are dropped");
    }
    char *in = bytes_text((double)sums.bytes_in), *after = bytes_text((double)sums.bytes_out);
    char *memory = bytes_text((double)sums.memory);
    printf("tensors:     %s -> %s, %.2f -> %.2f bits per parameter\n", in, after, bits(sums.bytes_in, sums.parameters),
           bits(sums.bytes_out, sums.parameters));
    if (out != NULL) {
        printf("written to   %s\n", out);
    } else {
        printf("memory:      %s in addition to mapped files\n", memory);
        puts("dry run:     nothing is written");
    }
    free(in);
    free(after);
    free(memory);
}

/* ---- for programs ---- */

static void print_json(const bnd_quantize_plan *plan, const char *in, const char *out)
{
    const bnd_plan_totals sums = bnd_quantize_plan_totals(plan);
    const bnd_layout *layout = bnd_quantize_plan_layout(plan);
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "in", in);
    json_owned_string(&json, "out", out != NULL ? copy_text(out) : NULL);
    json_owned_string(&json, "layout", layout != NULL ? copy_text(layout->name) : NULL);
    json_owned_string(&json, "rule", layout != NULL ? copy_text(bnd_quantize_plan_rule(plan)) : NULL);
    json_owned_string(&json, "scale_format", layout != NULL ? copy_text(bnd_quantize_plan_scale_format(plan)) : NULL);
    bnd_lab_json_unsigned(&json, "parameters", sums.parameters);
    bnd_lab_json_unsigned(&json, "quantized_parameters", sums.quantized);
    bnd_lab_json_unsigned(&json, "bytes_in", sums.bytes_in);
    bnd_lab_json_unsigned(&json, "bytes_out", sums.bytes_out);
    json_owned_literal(&json, "bits_per_parameter_in", double_text(bits(sums.bytes_in, sums.parameters)));
    json_owned_literal(&json, "bits_per_parameter_out", double_text(bits(sums.bytes_out, sums.parameters)));
    bnd_lab_json_unsigned(&json, "memory", sums.memory);
    bnd_lab_json_unsigned(&json, "groups", sums.groups);
    bnd_lab_json_unsigned(&json, "input_scales", sums.inputs);
    bnd_lab_json_unsigned(&json, "input_scales_kept", sums.inputs_kept);
    bnd_lab_json_array(&json, "tensors");
    for (size_t i = 0; i < bnd_quantize_plan_count(plan); i++) {
        const bnd_planned_weight *row = bnd_quantize_plan_at(plan, i);
        bnd_lab_json_object(&json, NULL);
        bnd_lab_json_string(&json, "tensor", row->name);
        json_owned_string(&json, "shape", shape_text(row));
        bnd_lab_json_string(&json, "from", from_text(row->weight));
        bnd_lab_json_string(&json, "to", row->conversion == BND_QUANTIZED ? row->block.name : row->dtype);
        bnd_lab_json_string(&json, "conversion", bnd_conversion_name(row->conversion));
        bnd_lab_json_string(&json, "reason", row->reason);
        bnd_lab_json_unsigned(&json, "bytes_in", row->bytes_in);
        bnd_lab_json_unsigned(&json, "bytes_out", row->bytes_out);
        if (row->group == SIZE_MAX) {
            bnd_lab_json_null(&json, "group");
        } else {
            bnd_lab_json_unsigned(&json, "group", row->group);
        }
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

void print_quantize_plan(const bnd_quantize_plan *plan, enum output output, const char *in, const char *out, bool rows)
{
    if (output == OUTPUT_JSON) {
        print_json(plan, in, out);
        return;
    }
    if (rows) {
        table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns, .output = output};
        for (size_t i = 0; i < bnd_quantize_plan_count(plan); i++) {
            add_row(&t, bnd_quantize_plan_at(plan, i), output == OUTPUT_TEXT);
        }
        table_end(&t);
    }
    if (output == OUTPUT_TEXT) {
        if (rows) {
            putchar('\n');
        }
        print_sums(plan, out);
    }
}
