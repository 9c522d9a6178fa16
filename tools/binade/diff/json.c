/* binade diff --json, and what --report holds: one object. */
#include "diff.h"

#include <math.h>

static void put_number(bnd_lab_json *json, const char *key, double x)
{
    if (isfinite(x)) {
        json_owned_literal(json, key, double_text(x));
    } else {
        bnd_lab_json_null(json, key);
    }
}

static void put_sums(bnd_lab_json *json, const bnd_difference_sums *sums)
{
    bnd_lab_json_unsigned(json, "elements", sums->elements);
    bnd_lab_json_unsigned(json, "equal", sums->equal);
    bnd_lab_json_unsigned(json, "below_fp32", sums->below_fp32);
    bnd_lab_json_unsigned(json, "zero_signs", sums->zero_signs);
    bnd_lab_json_unsigned(json, "nonfinite", sums->nonfinite);
    put_number(json, "largest_ulps", sums->largest_ulps);
    put_number(json, "largest_error", sums->largest_error);
    put_number(json, "mean_error", bnd_difference_mean(sums));
    put_number(json, "squared_error", sums->squared_error);
    put_number(json, "squared_b", sums->squared_b);
    put_number(json, "sqnr_db", bnd_difference_sqnr(sums));
    bnd_lab_json_array(json, "ulps");
    for (size_t i = 0; i < BND_DIFFERENCE_BINS; i++) {
        bnd_lab_json_unsigned(json, NULL, sums->bins[i]);
    }
    bnd_lab_json_end(json);
}

static void put_explanation(bnd_lab_json *json, const bnd_explanation *how, const bnd_stored_weight *weight)
{
    static const char *const keys[] = {"tensor_scale", "scale", "quotient", "rounding", "zero"};
    char text[512];
    (void)bnd_explanation_print(text, sizeof text, how, weight);
    bnd_lab_json_string(json, "text", text);
    bnd_lab_json_string(json, "element", how->element.name);
    bnd_lab_json_boolean(json, "other_element", how->other_element);
    bnd_lab_json_boolean(json, "inverted", how->inverted);
    bnd_lab_json_boolean(json, "explained", diff_is_explained(how));
    for (size_t part = 0; part < BND_MADE_COUNT; part++) {
        bnd_lab_json_array(json, keys[part]); /* the first one is the answer; the others do as well */
        for (int others = 0; others < 2; others++) {
            for (size_t r = 0; r < 64 && r < bnd_made_count((bnd_made)part); r++) {
                if ((how->fits[part] >> r & 1) != 0 && (r != how->row[part]) == others) {
                    bnd_lab_json_string(json, NULL, bnd_made_at((bnd_made)part, r)->name);
                }
            }
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_unsigned(json, "codes", how->codes);
    bnd_lab_json_unsigned(json, "codes_made", how->codes_made);
    bnd_lab_json_unsigned(json, "nearest_made", how->nearest_made);
    bnd_lab_json_unsigned(json, "scales", how->scales);
    bnd_lab_json_unsigned(json, "scales_made", how->scales_made);
    bnd_lab_json_unsigned(json, "tensor_scales", how->tensors);
    bnd_lab_json_unsigned(json, "tensor_scales_made", how->tensors_made);
    bnd_lab_json_unsigned(json, "fused", how->fused);
    put_number(json, "least_scale", (double)how->least);
}

static void put_weight(bnd_lab_json *json, const bnd_weight_difference *w)
{
    const bnd_stored_weight *either = w->a != NULL ? w->a : w->b;
    const bnd_stored_weight *const sides[] = {w->a, w->b};
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "weight", w->name);
    bnd_lab_json_string(json, "difference", bnd_difference_name(w->kind));
    if (w->why[0] != '\0') {
        bnd_lab_json_string(json, "why", w->why);
    }
    for (size_t i = 0; i < 2; i++) {
        const bnd_stored_weight *side = sides[i];
        const char *key = i == 0 ? "a" : "b";
        if (side == NULL) {
            bnd_lab_json_null(json, key);
        } else {
            bnd_lab_json_string(json, key, bnd_stored_as(side));
        }
    }
    bnd_lab_json_array(json, "shape");
    for (size_t i = 0; i < either->rank; i++) {
        bnd_lab_json_unsigned(json, NULL, either->shape[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_boolean(json, "same_bytes", w->same_bytes);
    bnd_lab_json_string(json, "unit", w->unit->name);
    put_sums(json, &w->sums);
    if (w->explained.why_not == NULL) {
        bnd_lab_json_object(json, "explained");
        put_explanation(json, &w->explained, w->a);
        bnd_lab_json_end(json);
    } else {
        bnd_lab_json_string(json, "not_explained", w->explained.why_not);
    }
    bnd_lab_json_end(json);
}

static void put_lines(bnd_lab_json *json, const diff_question *q)
{
    char *text;
    bnd_lab_json_array(json, "answer");
    for (size_t i = 0; (text = diff_line(q, i)) != NULL; i++) {
        json_owned_string(json, NULL, text);
    }
    bnd_lab_json_end(json);
}

/* The distance that each bin of "ulps" ends at. */
static void put_bounds(bnd_lab_json *json)
{
    bnd_lab_json_array(json, "ulps_up_to");
    for (int i = 0; i < BND_DIFFERENCE_BINS; i++) {
        json_owned_literal(json, NULL, double_text(i == 0 ? 0 : ldexp(1, i - 2)));
    }
    bnd_lab_json_end(json);
}

void json_diff(bnd_lab_json *json, const char *key, const diff_question *q)
{
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "a", q->common.operands[0]);
    bnd_lab_json_string(json, "b", q->common.operands[1]);
    json_owned_string(json, "base", q->base_path != NULL ? copy_text(q->base_path) : NULL);
    put_lines(json, q);
    bnd_lab_json_unsigned(json, "weights", bnd_diff_count(q->diff));
    bnd_lab_json_object(json, "differences");
    for (unsigned kind = BND_DIFFERENCE_NONE; kind <= BND_DIFFERENCE_UNKNOWN; kind++) {
        bnd_lab_json_unsigned(json, bnd_difference_name((bnd_difference_kind)kind),
                              bnd_diff_kinds(q->diff, (bnd_difference_kind)kind));
    }
    bnd_lab_json_end(json);
    put_sums(json, bnd_diff_sums(q->diff));
    put_bounds(json);
    bnd_lab_json_array(json, "explained_by");
    for (size_t i = 0; i < bnd_diff_groups(q->diff); i++) {
        const bnd_explained_group *g = bnd_diff_group_at(q->diff, i);
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_unsigned(json, "weights", g->weights);
        bnd_lab_json_string(json, "first", bnd_diff_at(q->diff, g->first)->name);
        put_explanation(json, &g->sum, bnd_diff_at(q->diff, g->first)->a);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "list");
    for (size_t i = 0; i < bnd_diff_count(q->diff); i++) {
        put_weight(json, bnd_diff_at(q->diff, i));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

void diff_print_json(const diff_question *q)
{
    bnd_lab_json json;
    json_begin(&json);
    json_diff(&json, NULL, q);
    json_line_end();
}
