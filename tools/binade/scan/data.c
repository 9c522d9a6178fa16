/* `binade scan` as JSON and as CSV: every tensor, the worst first. */
#include "scan.h"

#include <math.h>
#include <stdlib.h>

static char *count_text(uint64_t count)
{
    return format_text("%llu", (unsigned long long)count);
}

/* JSON has no infinity: an exact tensor has an SQNR of null, and `exact` elements tell it from a broken one. */
static void json_loss(bnd_lab_json *json, const bnd_loss *loss)
{
    bnd_lab_json_unsigned(json, "bytes", loss->bytes);
    bnd_lab_json_string(json, "verdict", bnd_survival_key(loss->verdict));
    json_owned_literal(json, "sqnr", double_text(loss->sqnr));
    bnd_lab_json_unsigned(json, "exact", loss->exact);
    bnd_lab_json_unsigned(json, "to_zero", loss->to_zero);
    bnd_lab_json_unsigned(json, "overflows", loss->overflows);
    bnd_lab_json_unsigned(json, "broken", loss->broken);
    json_owned_literal(json, "squared_error", double_text(loss->squared_error));
    json_owned_literal(json, "squared_input", double_text(loss->squared_input));
}

static void json_name_of(bnd_lab_json *json, const char *key, const scan_options *o, size_t candidate)
{
    if (candidate < o->count) {
        bnd_lab_json_string(json, key, o->candidates[candidate].name);
    } else {
        bnd_lab_json_null(json, key);
    }
}

static void json_candidates(bnd_lab_json *json, const scan_options *o, const bnd_scan *scan)
{
    bnd_lab_json_array(json, "candidates");
    for (size_t i = 0; i < o->count; i++) {
        const bnd_scan_total *t = &bnd_scan_totals(scan)[i];
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "name", o->candidates[i].name);
        json_owned_literal(json, "floor", double_text(o->candidates[i].floor));
        json_loss(json, &t->loss);
        bnd_lab_json_unsigned(json, "elements", t->loss.elements);
        bnd_lab_json_string(json, "worst", bnd_scan_at(scan, t->worst)->name);
        bnd_lab_json_unsigned(json, "meeting", t->meeting);
        bnd_lab_json_object(json, "tensors");
        for (unsigned v = 0; v < BND_SURVIVALS; v++) {
            bnd_lab_json_unsigned(json, bnd_survival_key((bnd_survival)v), t->verdicts[v]);
        }
        bnd_lab_json_end(json);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_input(bnd_lab_json *json, const bnd_scanned *t)
{
    bnd_lab_json_object(json, "input");
    json_owned_literal(json, "smallest", double_text(t->input.smallest));
    json_owned_literal(json, "largest", double_text(t->input.largest));
    bnd_lab_json_unsigned(json, "zeros", t->zeros);
    bnd_lab_json_unsigned(json, "subnormals", t->subnormals);
    bnd_lab_json_unsigned(json, "nans", t->input.nans_in);
    bnd_lab_json_unsigned(json, "infinities", t->input.infinities_in);
    bnd_lab_json_unsigned(json, "fp32_lacks", t->lacking);
    bnd_lab_json_unsigned(json, "beyond_fp32", t->beyond);
    bnd_lab_json_array(json, "exponents");
    for (size_t i = 0; i < sizeof t->input.exponents / sizeof t->input.exponents[0]; i++) {
        bnd_lab_json_unsigned(json, NULL, t->input.exponents[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void json_tensor(bnd_lab_json *json, const scan_options *o, const bnd_scanned *t)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "name", t->name);
    bnd_lab_json_string(json, "stored", t->stored);
    bnd_lab_json_array(json, "shape");
    for (size_t i = 0; i < t->rank; i++) {
        bnd_lab_json_unsigned(json, NULL, t->shape[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_unsigned(json, "elements", t->count);
    bnd_lab_json_unsigned(json, "bytes", t->bytes);
    bnd_lab_json_boolean(json, "stays", t->stays);
    if (t->stays) {
        bnd_lab_json_string(json, "why", t->why);
    } else {
        json_input(json, t);
        json_name_of(json, "smallest", o, t->smallest);
        bnd_lab_json_array(json, "candidates");
        for (size_t i = 0; i < o->count; i++) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "name", o->candidates[i].name);
            json_loss(json, &t->losses[i]);
            bnd_lab_json_end(json);
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_model(bnd_lab_json *json, const scan_options *o, const bnd_scan *scan)
{
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    bnd_lab_json_object(json, "model");
    bnd_lab_json_unsigned(json, "tensors", m->tensors);
    bnd_lab_json_unsigned(json, "elements", m->elements);
    bnd_lab_json_unsigned(json, "bytes", m->bytes);
    bnd_lab_json_unsigned(json, "staying", m->staying);
    bnd_lab_json_unsigned(json, "staying_bytes", m->staying_bytes);
    bnd_lab_json_unsigned(json, "damaged", m->damaged);
    json_name_of(json, "smallest", o, m->smallest);
    bnd_lab_json_unsigned(json, "mixed_bytes", m->mixed_bytes);
    bnd_lab_json_unsigned(json, "mixed_staying", m->mixed_staying);
    bnd_lab_json_end(json);
}

void json_scan(bnd_lab_json *json, const char *key, const scan_options *o, const bnd_scan *scan)
{
    char *line;
    bnd_lab_json_object(json, key);
    bnd_lab_json_string(json, "checkpoint", o->path);
    bnd_lab_json_object(json, "asked");
    json_owned_literal(json, "sqnr", o->how.asks_sqnr ? double_text(o->how.sqnr) : copy_text("null"));
    json_owned_literal(json, "max_underflow",
                       o->how.asks_underflow ? double_text(o->how.underflow) : copy_text("null"));
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "answer");
    for (size_t i = 0; (line = scan_line(o, scan, i)) != NULL; i++) {
        json_owned_string(json, NULL, line);
    }
    bnd_lab_json_end(json);
    json_model(json, o, scan);
    json_candidates(json, o, scan);
    bnd_lab_json_array(json, "tensors");
    for (size_t i = 0; i < bnd_scan_tensors(scan); i++) {
        json_tensor(json, o, bnd_scan_worst(scan, i));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_string(json, "limits", bnd_scan_limits());
    bnd_lab_json_end(json);
}

void scan_print_json(const scan_options *o, const bnd_scan *scan)
{
    bnd_lab_json json;
    json_begin(&json);
    json_scan(&json, NULL, o, scan);
    json_line_end();
}

void scan_print_csv(const scan_options *o, const bnd_scan *scan)
{
    static const column columns[] = {
        {"tensor", "", false, false, false, false, 0},        {"stored", "", false, false, false, false, 0},
        {"shape", "", false, false, false, false, 0},         {"elements", "", true, true, false, false, 0},
        {"bytes", "", true, true, false, false, 0},           {"candidate", "", false, false, false, false, 0},
        {"candidate_bytes", "", true, true, false, false, 0}, {"sqnr", "", true, true, false, false, 0},
        {"verdict", "", false, false, false, false, 0},       {"exact", "", true, true, false, false, 0},
        {"to_zero", "", true, true, false, false, 0},         {"overflows", "", true, true, false, false, 0},
        {"broken", "", true, true, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_CSV};
    for (size_t i = 0; i < bnd_scan_model_of(scan)->tensors; i++) {
        const bnd_scanned *of = bnd_scan_worst(scan, i);
        for (size_t k = 0; k < o->count; k++) {
            const bnd_loss *loss = &of->losses[k];
            table_add(&t, copy_text(of->name));
            table_add(&t, copy_text(of->stored));
            table_add(&t, shape_text(of));
            table_add(&t, count_text(of->count));
            table_add(&t, count_text(of->bytes));
            table_add(&t, copy_text(o->candidates[k].name));
            table_add(&t, count_text(loss->bytes));
            table_add(&t, isinf(loss->sqnr) ? copy_text(loss->sqnr > 0 ? "inf" : "-inf") : double_text(loss->sqnr));
            table_add(&t, copy_text(bnd_survival_key(loss->verdict)));
            table_add(&t, count_text(loss->exact));
            table_add(&t, count_text(loss->to_zero));
            table_add(&t, count_text(loss->overflows));
            table_add(&t, count_text(loss->broken));
        }
    }
    table_end(&t);
}
