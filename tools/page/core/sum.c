/* What the room Sum asks for its running sums. */
#include "sum.h"

#include "answer.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 24 };

typedef struct running {
    sum_series series;
    sum_line *lines;
    size_t count;
    uint64_t points;
    uint64_t *at;  /* of each point: the terms so far */
    double *exact; /* and the exact total */
    double *sums;  /* line by line */
} running;

static bnd_status open_lines(running *r, const char *names, bnd_rule rule, bnd_error *why)
{
    bnd_status status = BND_OK;
    char name[SUM_NAME_SIZE];
    size_t length;
    while (status == BND_OK && answer_next_word(&names, name, sizeof name, &length)) {
        if (r->count == LINES_MAX || length >= sizeof name) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "at most %d sums of short names can be compared", (int)LINES_MAX);
        }
        status = sum_line_open(&r->lines[r->count], name, rule, r->series.seed, why);
        r->count += status == BND_OK;
    }
    return status == BND_OK && r->count == 0 ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "name at least one format") : status;
}

static void take_point(running *r, size_t point, uint64_t terms)
{
    r->at[point] = terms;
    r->exact[point] = sum_series_total(&r->series, terms);
    for (size_t i = 0; i < r->count; i++) {
        r->sums[i * r->points + point] = bnd_decode(&r->lines[i].to, sum_line_total(&r->lines[i]));
    }
}

static void add_all(running *r)
{
    uint64_t n = r->series.count, point = 0;
    for (uint64_t k = 0; k < n; k++) {
        sum_series_add(&r->series, k);
        for (size_t i = 0; i < r->count; i++) {
            sum_line_add(&r->lines[i], &r->series, k);
        }
        if (k + 1 == n * (point + 1) / r->points) {
            take_point(r, (size_t)point++, k + 1);
        }
    }
}

/* ---- the answer ---- */

static void put_doubles(bnd_lab_json *json, const char *key, const double *x, uint64_t count)
{
    bnd_lab_json_array(json, key);
    for (uint64_t i = 0; i < count; i++) {
        answer_double(json, NULL, x[i]);
    }
    bnd_lab_json_end(json);
}

void sum_put_error(bnd_lab_json *json, bnd_exact value, const bnd_number *exact, unsigned precision)
{
    size_t length;
    double relative = NAN;
    char *text = NULL;
    bool known = bnd_relative_error(&relative, value, exact, NULL) == BND_OK;
    if (bnd_print_error(&length, NULL, 0, value, exact, BND_NOTATION_AUTO, NULL) == BND_OK) {
        text = allocate(NULL, length + 1, 1);
        if (bnd_print_error(&length, text, length + 1, value, exact, BND_NOTATION_AUTO, NULL) != BND_OK) {
            free(text);
            text = NULL;
        }
    }
    json_owned_string(json, "error", text != NULL ? shorten_text(text) : NULL);
    double error = NAN;
    known = bnd_error_in_units(&error, value, exact, bnd_exact_uint64(1), NULL) == BND_OK && known;
    answer_digits(json, "error_short", error, 4);
    answer_double(json, "relative", relative);
    answer_digits(json, "relative_text", relative, 3);
    double bits = !known || relative == 0 ? (known ? precision : 0) : -log2(fabs(relative));
    bits = bits < 0 ? 0 : bits > precision ? precision : bits;
    bnd_lab_json_unsigned(json, "precision", precision);
    json_owned_string(json, "bits", known ? format_text("%.1f", bits) : NULL);
    json_owned_string(json, "lost", known ? format_text("%.1f", precision - bits) : NULL);
}

static void put_line(bnd_lab_json *json, const running *r, size_t i, const bnd_number *exact)
{
    const sum_line *line = &r->lines[i];
    uint64_t code = sum_line_total(line);
    bnd_exact value = bnd_unpack(&line->to, code);
    bool steps = line->moved > 0 || line->unchanged > 0;
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "name", line->name);
    bnd_lab_json_string(json, "title", line->way->title);
    bnd_lab_json_string(json, "way", line->way->name);
    bnd_lab_json_string(json, "format", line->in.name);
    bnd_lab_json_string(json, "sum_format", line->to.name);
    bnd_lab_json_boolean(json, "stochastic", bnd_rule_random_bits(line->rule) > 0);
    json_owned_string(json, "term",
                      r->series.kind == SERIES_CONSTANT ? exact_text(bnd_unpack(&line->in, line->term), false) : NULL);
    json_owned_string(json, "code", code_text(&line->to, code));
    json_owned_string(json, "value", exact_text(value, false));
    json_owned_string(json, "short", brief_text(&line->to, value));
    json_flags(json, "flags", line->flags);
    sum_put_error(json, value, exact, line->to.precision);
    bnd_lab_json_boolean(json, "has_steps", steps);
    bnd_lab_json_unsigned(json, "first_unchanged", line->first_unchanged);
    bnd_lab_json_unsigned(json, "last_change", line->moved);
    bnd_lab_json_unsigned(json, "unchanged", line->unchanged);
    put_doubles(json, "sums", r->sums + i * r->points, r->points);
    bnd_lab_json_end(json);
}

static const char *put_all(const running *r)
{
    bnd_number number;
    char *exact = sum_series_exact(&r->series, &number);
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "count", r->series.count);
    bnd_lab_json_array(json, "at");
    for (uint64_t i = 0; i < r->points; i++) {
        bnd_lab_json_unsigned(json, NULL, r->at[i]);
    }
    bnd_lab_json_end(json);
    put_doubles(json, "exact_sums", r->exact, r->points);
    bnd_lab_json_array(json, "lines");
    for (size_t i = 0; i < r->count; i++) {
        put_line(json, r, i, &number);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_string(json, "exact", exact != NULL ? exact : "?");
    bnd_lab_json_end(json);
    free(exact);
    return answer_end();
}

/* ---- the call ---- */

static bnd_status prepare(running *r, const char *names, const char *rounding, bnd_error *why)
{
    bnd_rule rule = {0};
    r->points = r->series.count < SUM_POINTS ? r->series.count : SUM_POINTS;
    r->lines = calloc(LINES_MAX, sizeof *r->lines);
    r->at = calloc((size_t)r->points, sizeof *r->at);
    r->exact = calloc((size_t)r->points, sizeof *r->exact);
    r->sums = calloc((size_t)r->points * LINES_MAX, sizeof *r->sums);
    if (r->lines == NULL || r->at == NULL || r->exact == NULL || r->sums == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "out of memory");
    }
    bnd_status status = bnd_rounding_parse(&rule, rounding, why);
    return status == BND_OK ? open_lines(r, names, rule, why) : status;
}

/* The terms are `text` (a number, "1/k" or "random"), `count` of them; `names` are sums, separated by commas. */
const char *EXPORTED(bnd_page_sum)(const char *text, uint32_t count, const char *names, const char *rounding,
                                   uint32_t seed)
{
    running r = {.count = 0};
    bnd_error why;
    bnd_status status = sum_series_open(&r.series, text, count, seed, &why);
    status = status == BND_OK ? prepare(&r, names, rounding, &why) : status;
    const char *answer;
    if (status == BND_OK) {
        add_all(&r);
        answer = put_all(&r);
    } else {
        answer = answer_error(why.message);
    }
    free(r.lines);
    free(r.at);
    free(r.exact);
    free(r.sums);
    return answer;
}
