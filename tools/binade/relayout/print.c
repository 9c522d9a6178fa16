/* binade relayout: the answer as text and as JSON. */
#include "relayout.h"

#include <stdlib.h>

typedef void answer_line(void *state, char *owned);

static char *values_line(const bnd_diff *diff)
{
    const size_t all = bnd_diff_count(diff), same = bnd_diff_kinds(diff, BND_DIFFERENCE_NONE);
    return format_text(same == all ? "identical: all %zu weights decode to the same values"
                                   : "%zu weights, of which %zu decode to the same values",
                       all, same);
}

static char *inputs_line(const relayout_answer *a)
{
    return format_text(
        a->inputs_same == a->inputs
            ? "static input scales: all %zu are the same"
            : "static input scales: %zu, of which %zu are the same; 1 / (1 / x) is not x for the others, and the "
              "originals are in the metadata",
        a->inputs, a->inputs_same);
}

static void answer_lines(const relayout_answer *a, answer_line *line, void *state)
{
    const bnd_relayout_result *r = a->result;
    line(state,
         format_text("%zu weights: %s -> %s, written to %s", r->weights, r->from->name, r->to->name, a->out_path));
    if (a->diff != NULL) {
        line(state, values_line(a->diff));
    }
    if (r->seconds_moved > 0) {
        line(state, format_text("second-level scale moved by 1 ulp in %zu of %zu: 1 / (1 / x) is not x for it; the "
                                "originals are in the metadata",
                                r->seconds_moved, r->seconds));
    }
    if (a->inputs > 0) {
        line(state, inputs_line(a));
    }
    if (r->restored) {
        line(state, copy_text("names, dtypes, configs and metadata are those from before the input was laid out anew"));
    }
}

static void print_line(void *state, char *owned)
{
    (void)state;
    printf("%s\n", owned);
    free(owned);
}

void relayout_print_text(const relayout_answer *answer)
{
    answer_lines(answer, print_line, NULL);
}

static void put_line(void *state, char *owned)
{
    json_owned_string(state, NULL, owned);
}

void json_relayout(bnd_lab_json *json, const char *key, const relayout_answer *a)
{
    const bnd_relayout_result *r = a->result;
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "in", a->in_path);
    bnd_lab_json_string(json, "out", a->out_path);
    bnd_lab_json_array(json, "answer");
    answer_lines(a, put_line, json);
    bnd_lab_json_end(json);
    bnd_lab_json_string(json, "from", r->from->name);
    bnd_lab_json_string(json, "to", r->to->name);
    bnd_lab_json_unsigned(json, "weights", r->weights);
    bnd_lab_json_unsigned(json, "scales_cast", r->scales_cast);
    bnd_lab_json_unsigned(json, "second_scales", r->seconds);
    bnd_lab_json_unsigned(json, "second_scales_moved", r->seconds_moved);
    bnd_lab_json_unsigned(json, "input_scales", r->inputs);
    bnd_lab_json_unsigned(json, "input_scales_moved", r->inputs_moved);
    bnd_lab_json_boolean(json, "restored", r->restored);
    if (a->diff != NULL) {
        bnd_lab_json_unsigned(json, "compared", bnd_diff_count(a->diff));
        bnd_lab_json_unsigned(json, "identical", bnd_diff_kinds(a->diff, BND_DIFFERENCE_NONE));
        bnd_lab_json_unsigned(json, "input_scales_identical", a->inputs_same);
    }
    if (a->changes != NULL) {
        json_relayout_changes(json, a->changes, a->out);
    }
    bnd_lab_json_end(json);
}
