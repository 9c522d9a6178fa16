/* binade relayout: the answer as text and as JSON. */
#include "relayout.h"

#include <stdlib.h>

/* A line of the answer. To be freed; NULL: there are no more. */
static char *line_at(const relayout_answer *a, size_t line)
{
    const size_t length = bnd_relayout_print_line(NULL, 0, a->result, a->out_path, a->compared, line);
    char *text = length > 0 ? allocate(NULL, length + 1, 1) : NULL;
    if (text != NULL) {
        bnd_relayout_print_line(text, length + 1, a->result, a->out_path, a->compared, line);
    }
    return text;
}

void relayout_print_text(const relayout_answer *a)
{
    char *text;
    for (size_t i = 0; (text = line_at(a, i)) != NULL; i++) {
        printf("%s\n", text);
        free(text);
    }
}

static void put_lines(bnd_lab_json *json, const relayout_answer *a)
{
    char *text;
    bnd_lab_json_array(json, "answer");
    for (size_t i = 0; (text = line_at(a, i)) != NULL; i++) {
        json_owned_string(json, NULL, text);
    }
    bnd_lab_json_end(json);
}

void json_relayout(bnd_lab_json *json, const char *key, const relayout_answer *a)
{
    const bnd_relayout_result *r = a->result;
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "in", a->in_path);
    bnd_lab_json_string(json, "out", a->out_path);
    put_lines(json, a);
    bnd_lab_json_string(json, "from", r->from->name);
    bnd_lab_json_string(json, "to", r->to->name);
    bnd_lab_json_unsigned(json, "weights", r->weights);
    bnd_lab_json_unsigned(json, "scales_cast", r->scales_cast);
    bnd_lab_json_unsigned(json, "second_scales", r->seconds);
    bnd_lab_json_unsigned(json, "second_scales_moved", r->seconds_moved);
    bnd_lab_json_unsigned(json, "input_scales", r->inputs);
    bnd_lab_json_unsigned(json, "input_scales_moved", r->inputs_moved);
    bnd_lab_json_boolean(json, "restored", r->restored);
    if (a->compared != NULL) {
        bnd_lab_json_unsigned(json, "compared", a->compared->weights);
        bnd_lab_json_unsigned(json, "identical", a->compared->weights_same);
        bnd_lab_json_unsigned(json, "input_scales_identical", a->compared->inputs_same);
    }
    if (a->changes != NULL) {
        json_relayout_changes(json, a->changes, a->out);
    }
    bnd_lab_json_end(json);
}
