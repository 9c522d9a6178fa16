/* A line of metrics.jsonl. */
#include "study/study.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

/* ---- statistics of casts ---- */

static uint64_t nonzero(const bnd_stats *s)
{
    uint64_t sum = s->infinities_in;
    for (size_t i = 0; i < sizeof s->exponents / sizeof s->exponents[0]; i++) {
        sum += s->exponents[i];
    }
    return sum;
}

static bool is_gradient(bnd_role role)
{
    return role == BND_ROLE_DACT || role == BND_ROLE_GRAD || role == BND_ROLE_DGRAD_DY || role == BND_ROLE_WGRAD_DY ||
           role == BND_ROLE_DGRAD_DX || role == BND_ROLE_WGRAD_DW || role == BND_ROLE_ATTN_DO ||
           role == BND_ROLE_ATTN_DS || role == BND_ROLE_ACCUMULATE || role == BND_ROLE_REDUCE ||
           (role >= BND_ROLE_ATTN_DQ && role <= BND_ROLE_ATTN_DV);
}

void bndi_line_count(bnd_point *point, const bndi_counts *counts)
{
    for (unsigned role = 0; counts->at != NULL && role < BND_ROLE_COUNT; role++) {
        const bnd_stats *s = &counts->at[role];
        point->overflows += s->overflows;
        if (is_gradient((bnd_role)role)) {
            point->gradients += nonzero(s);
            point->underflowed += s->to_zero;
        }
    }
}

void bndi_line_note_firsts(bnd_record *record, uint64_t step, const bndi_counts *counts)
{
    for (unsigned role = 0; counts->at != NULL && role < BND_ROLE_COUNT; role++) {
        const bnd_stats *s = &counts->at[role];
        if (s->overflows > s->saturated && record->overflow_from[role] == 0) {
            record->overflow_from[role] = step + 1;
        }
        if (s->to_zero > 0 && 100 * (double)s->to_zero >= (double)nonzero(s) && record->underflow_from[role] == 0) {
            record->underflow_from[role] = step + 1;
        }
    }
}

bnd_status bndi_line_keep_histograms(bnd_record *record, uint64_t step, const bndi_counts *counts, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (unsigned role = 0; status == BND_OK && counts->at != NULL && role < BND_ROLE_COUNT; role++) {
        const bnd_stats *s = &counts->at[role];
        if (s->smallest > 0) {
            bnd_histogram h = {.step = step, .role = (bnd_role)role};
            memcpy(h.exponents, s->exponents, sizeof h.exponents);
            status = bndi_record_add_histogram(record, &h, why);
        }
    }
    return status;
}

/* Keys of a role, everywhere or at a place: "ROLE/NAME", "PLACE/ROLE/NAME". */
typedef struct keys {
    char text[BNDI_KEY_SIZE];
    size_t length; /* of the text before NAME */
} keys;

static keys keys_of(const char *place, bnd_role role)
{
    keys k;
    bndi_text text = bndi_text_in(k.text, sizeof k.text);
    if (place != NULL) {
        bndi_text_string(&text, place[0] != '\0' ? place : "rest");
        bndi_text_char(&text, '/');
    }
    bndi_text_string(&text, bnd_role_name(role));
    bndi_text_char(&text, '/');
    k.length = text.length;
    return k;
}

static const char *key_of(keys *k, const char *name)
{
    memcpy(k->text + k->length, name, strlen(name) + 1);
    return k->text;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Counts of floor(log2 |x|) from the first that is not 0 to the last. The lowest of them, BND_HISTOGRAM_LOWEST - 1, is
 * everything below, the highest everything above. */
static void write_histogram(bnd_lab_json *json, keys *k, const bnd_stats *s)
{
    enum { BINS = sizeof s->exponents / sizeof s->exponents[0] };
    int first = 0, last = BINS - 1;
    while (first < last && s->exponents[first] == 0) {
        first++;
    }
    while (last > first && s->exponents[last] == 0) {
        last--;
    }
    bnd_lab_json_integer(json, key_of(k, "exponents_from"), BND_HISTOGRAM_LOWEST - 1 + first);
    bnd_lab_json_array(json, key_of(k, "exponents"));
    for (int i = first; i <= last; i++) {
        bnd_lab_json_unsigned(json, NULL, s->exponents[i]);
    }
    bnd_lab_json_end(json);
}

/* Transformer Engine's names and what it means by them: shares are of all elements. */
static void write_numbers(bnd_lab_json *json, keys *k, const bnd_stats *s)
{
    bndi_json_number(json, key_of(k, "underflows%"), percent(s->to_zero, s->elements));
    bndi_json_number(json, key_of(k, "overflows%"), percent(s->overflows, s->elements));
    if (s->compared > 0) {
        bndi_json_number(json, key_of(k, "mse"), bnd_stats_mean_squared_error(s));
    }
    if (s->scale_largest > 0) {
        bndi_json_number(json, key_of(k, "scale_inv_min"), s->scale_smallest);
        bndi_json_number(json, key_of(k, "scale_inv_max"), s->scale_largest);
    }
    if (s->smallest > 0) {
        bndi_json_number(json, key_of(k, "cur_amax"), s->largest);
        bndi_json_number(json, key_of(k, "dynamic_range"), log2(s->largest) - log2(s->smallest));
    }
}

/* Everything by role; by place all but the histograms. */
static void write_counts(bnd_lab_json *json, const bndi_counts *counts)
{
    for (size_t i = 0; counts->at != NULL && i < ((size_t)counts->places + 1) * BND_ROLE_COUNT; i++) {
        const bnd_stats *s = &counts->at[i];
        bool everywhere = i < BND_ROLE_COUNT;
        keys k = keys_of(everywhere ? NULL : bnd_run_place_name(counts->run, i / BND_ROLE_COUNT - 1),
                         (bnd_role)(i % BND_ROLE_COUNT));
        if (s->elements > 0) {
            write_numbers(json, &k, s);
        }
        if (s->smallest > 0 && everywhere) {
            write_histogram(json, &k, s);
        }
    }
}

/* ---- the line ---- */

static void write_column(bnd_lab_json *json, const bnd_point *point, const bndi_column *column)
{
    if (column->kind == BNDI_COLUMN_NUMBER) {
        bndi_json_number(json, column->key, bndi_column_number(point, column));
    } else if (column->kind == BNDI_COLUMN_FLAG) {
        bnd_lab_json_boolean(json, column->key, bndi_column_count(point, column) != 0);
    } else {
        bnd_lab_json_unsigned(json, column->key, bndi_column_count(point, column));
    }
}

static void write_columns(bnd_lab_json *json, const bnd_point *point, bool counted)
{
    for (size_t i = 0; i < BNDI_COLUMNS; i++) {
        const bndi_column *c = &bndi_columns[i];
        bool rare = i == BNDI_COLUMN_VALIDATION || i == BNDI_COLUMN_VALIDATION_FP32 || i == BNDI_COLUMN_ENDED ||
                    i == BNDI_COLUMN_CLIP_FACTOR;
        bool is_there = c->always || (rare ? bndi_column_measured(point, i) : counted);
        if (is_there) {
            write_column(json, point, c);
        }
    }
    bndi_json_number(json, "update/lost%", percent(point->lost, point->updates));
}

static void write_steady(bnd_lab_json *json, const bnd_record *now, bnd_record *known)
{
    char key[BNDI_KEY_SIZE];
    bnd_record copy = *now;
    for (size_t row = 0; row < BNDI_STEADY; row++) {
        uint64_t value = *bndi_steady(&copy, row, key), *before = bndi_steady(known, row, key);
        if (value != *before) {
            bnd_lab_json_unsigned(json, key, value);
            *before = value;
        }
    }
}

void bndi_line_write(bndi_bytes *out, const bnd_point *point, const bndi_counts *counts, const bnd_record *now,
                     bnd_record *known)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bndi_bytes_write, out);
    bnd_lab_json_object(&json, NULL);
    write_columns(&json, point, counts->at != NULL);
    write_counts(&json, counts);
    write_steady(&json, now, known);
    bnd_lab_json_end(&json);
    bndi_bytes_write(out, "\n", 1);
}
