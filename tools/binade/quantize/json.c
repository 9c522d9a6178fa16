/* binade quantize --json, and what --report holds: one object. */
#include "quantize.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

static void put_conversion(bnd_lab_json *json, const bnd_planned_weight *row)
{
    bnd_lab_json_string(json, "from", bnd_stored_as(row->weight));
    bnd_lab_json_string(json, "to", bnd_planned_to(row));
    bnd_lab_json_string(json, "conversion", bnd_conversion_name(row->conversion));
    bnd_lab_json_string(json, "reason", row->reason);
    bnd_lab_json_string(json, "because", row->because);
}

static void put_sizes(bnd_lab_json *json, uint64_t in, uint64_t out, uint64_t parameters)
{
    bnd_lab_json_unsigned(json, "bytes_in", in);
    bnd_lab_json_unsigned(json, "bytes_out", out);
    json_owned_literal(json, "bits_per_parameter_in", double_text(quantize_bits(in, parameters)));
    json_owned_literal(json, "bits_per_parameter_out", double_text(quantize_bits(out, parameters)));
}

static void put_kinds(bnd_lab_json *json, const bnd_quantize_plan *plan)
{
    bnd_lab_json_array(json, "plan");
    for (size_t i = 0; i < bnd_quantize_plan_kinds(plan); i++) {
        const bnd_planned_kind *kind = bnd_quantize_plan_kind_at(plan, i);
        bnd_lab_json_object(json, NULL);
        put_conversion(json, kind->first);
        bnd_lab_json_unsigned(json, "weights", kind->weights);
        bnd_lab_json_unsigned(json, "elements", kind->elements);
        put_sizes(json, kind->bytes_in, kind->bytes_out, kind->elements);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

/* ---- the files that were written ---- */

static void put_files(bnd_lab_json *json, const bnd_checkpoint *written)
{
    bnd_lab_json_array(json, "files");
    for (size_t f = 0; written != NULL && f < bnd_checkpoint_files(written); f++) {
        uint64_t bytes;
        const size_t tensors = bnd_checkpoint_file_tensors(&bytes, written, f);
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "file", bnd_checkpoint_file_name(written, f));
        bnd_lab_json_unsigned(json, "tensors", tensors);
        bnd_lab_json_unsigned(json, "bytes", bytes);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "other_files");
    for (size_t i = 0; written != NULL && i < bnd_checkpoint_others(written); i++) {
        bnd_lab_json_string(json, NULL, bnd_checkpoint_other_name(written, i));
    }
    bnd_lab_json_end(json);
}

/* ---- all ---- */

static void put_lines(bnd_lab_json *json, const quantize_answer *a)
{
    char *text;
    bnd_lab_json_array(json, "answer");
    for (size_t i = 0; (text = quantize_line(NULL, a, i)) != NULL; i++) {
        json_owned_string(json, NULL, text);
    }
    bnd_lab_json_end(json);
}

static void put_weight(bnd_lab_json *json, const bnd_planned_weight *row)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "tensor", row->name);
    json_owned_string(json, "shape", quantize_shape_text(row));
    put_conversion(json, row);
    bnd_lab_json_unsigned(json, "elements", row->count);
    put_sizes(json, row->bytes_in, row->bytes_out, row->count);
    if (row->group == SIZE_MAX) {
        bnd_lab_json_null(json, "group");
    } else {
        bnd_lab_json_unsigned(json, "group", row->group);
    }
    bnd_lab_json_end(json);
}

void json_quantize(bnd_lab_json *json, const char *key, const quantize_answer *a)
{
    const bnd_quantize_plan *plan = a->plan;
    const bnd_plan_totals sums = bnd_quantize_plan_totals(plan);
    const bnd_layout *layout = bnd_quantize_plan_layout(plan);
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "in", a->in);
    json_owned_string(json, "out", a->out != NULL ? copy_text(a->out) : NULL);
    put_lines(json, a);
    json_owned_string(json, "layout", layout != NULL ? copy_text(layout->name) : NULL);
    json_owned_string(json, "rule", layout != NULL ? copy_text(bnd_quantize_plan_rule(plan)) : NULL);
    json_owned_string(json, "scale_format", layout != NULL ? copy_text(bnd_quantize_plan_scale_format(plan)) : NULL);
    bnd_lab_json_unsigned(json, "parameters", sums.parameters);
    bnd_lab_json_unsigned(json, "quantized_parameters", sums.quantized);
    put_sizes(json, sums.bytes_in, sums.bytes_out, sums.parameters);
    bnd_lab_json_unsigned(json, "memory", sums.memory);
    bnd_lab_json_unsigned(json, "groups", sums.groups);
    bnd_lab_json_unsigned(json, "input_scales", sums.inputs);
    bnd_lab_json_unsigned(json, "input_scales_kept", sums.inputs_kept);
    put_kinds(json, plan);
    bnd_lab_json_array(json, "tensors");
    for (size_t i = 0; i < bnd_quantize_plan_count(plan); i++) {
        put_weight(json, bnd_quantize_plan_at(plan, i));
    }
    bnd_lab_json_end(json);
    put_files(json, a->written);
    bnd_lab_json_end(json);
}
