/* What the room Sum asks for its dot products: the running total of every accumulator after each term, and the exact
 * one. A running total is the dot product of the terms so far. */
#include "answer.h"
#include "common/print.h"
#include "sum.h"

#include <binade/matmul.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 64, ACCUMULATORS_MAX = 16, NUMBER_MAX = 64 };

typedef struct dot {
    size_t terms, accumulators;
    float a[TERMS_MAX], b[TERMS_MAX];
    bool finite; /* all of them */
    bnd_format inputs;
    bnd_gemm how[ACCUMULATORS_MAX];
    char names[ACCUMULATORS_MAX][BND_ACCUMULATOR_NAME_SIZE];
    float totals[ACCUMULATORS_MAX][TERMS_MAX];
} dot;

/* One number, rounded once from its text. */
static bnd_status read_number(float *out, const dot *d, const char *text, size_t length, bnd_error *why)
{
    bnd_result r;
    if (length == 0 || length > NUMBER_MAX) {
        return bnd_fail(why, BND_BAD_SYNTAX, 0, "term %zu: expected a number of at most %d characters", d->terms + 1,
                        (int)NUMBER_MAX);
    }
    bnd_error inner;
    if (bnd_parse_n(&r, &d->inputs, text, length, (bnd_rule){0}, 0, &inner) != BND_OK) {
        return bnd_fail(why, inner.status, 0, "term %zu: %s", d->terms + 1, inner.message);
    }
    *out = (float)bnd_decode(&d->inputs, r.code);
    return BND_OK;
}

/* "1.5:0.1,2:3" */
static bnd_status read_terms(dot *d, const char *text, bnd_error *why)
{
    char word[2 * NUMBER_MAX + 2];
    size_t length;
    bnd_status status = BND_OK;
    d->finite = true;
    while (status == BND_OK && answer_next_word(&text, word, sizeof word, &length)) {
        const char *colon = strchr(word, ':');
        if (d->terms == TERMS_MAX) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "there can be at most %d terms", (int)TERMS_MAX);
        }
        if (colon == NULL || length >= sizeof word) {
            return bnd_fail(why, BND_BAD_SYNTAX, 0, "term %zu must be two numbers with : between them", d->terms + 1);
        }
        status = read_number(&d->a[d->terms], d, word, (size_t)(colon - word), why);
        if (status == BND_OK) {
            status = read_number(&d->b[d->terms], d, colon + 1, strlen(colon + 1), why);
        }
        d->finite = d->finite && status == BND_OK && isfinite(d->a[d->terms]) && isfinite(d->b[d->terms]);
        d->terms += status == BND_OK;
    }
    return status == BND_OK && d->terms == 0 ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "there must be at least one term")
                                             : status;
}

static bnd_status read_accumulators(dot *d, const char *names, bnd_error *why)
{
    char word[BND_ACCUMULATOR_NAME_SIZE];
    size_t length;
    bnd_status status = BND_OK;
    while (status == BND_OK && answer_next_word(&names, word, sizeof word, &length)) {
        if (d->accumulators == ACCUMULATORS_MAX) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "at most %d accumulators can be compared", (int)ACCUMULATORS_MAX);
        }
        bnd_gemm *how = &d->how[d->accumulators];
        status = bnd_accumulator_parse(&how->accumulator, word, why);
        if (status == BND_OK && how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
            status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "OpenBLAS cannot be loaded in a page");
        }
        memcpy(d->names[d->accumulators], word, sizeof word);
        d->accumulators += status == BND_OK;
    }
    return status == BND_OK && d->accumulators == 0
               ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "name at least one accumulator")
               : status;
}

static bnd_status read_inputs(dot *d, const char *name, bnd_error *why)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    bnd_status status = bnd_format_parse(&d->inputs, name, why);
    const bnd_format *f = &d->inputs;
    bool holds = status != BND_OK || (f->width > 0 && f->precision <= fp32->precision &&
                                      f->least_quantum >= fp32->least_quantum && f->emax <= fp32->emax);
    return holds ? status
                 : bnd_fail(why, BND_BAD_ARGUMENT, 0, "fp32 does not contain all values of %s; choose fp32", f->name);
}

static bnd_status compute(dot *d, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; i < d->accumulators; i++) {
        for (size_t n = 1; status == BND_OK && n <= d->terms; n++) {
            status = bnd_dot_f32(&d->totals[i][n - 1], d->a, d->b, n, &d->how[i], why);
        }
    }
    return status;
}

/* ---- the answer ---- */

static char *float_text(float x)
{
    return shortest_text(bnd_format_at(BND_FORMAT_FP32), bnd_exact_float(x));
}

static void put_terms(bnd_lab_json *json, const dot *d)
{
    exact_dot sum = {{0}};
    uint64_t words[DOT_WORDS];
    bnd_lab_json_array(json, "terms");
    for (size_t n = 0; n < d->terms; n++) {
        bnd_lab_json_object(json, NULL);
        json_owned_string(json, "a", float_text(d->a[n]));
        json_owned_string(json, "b", float_text(d->b[n]));
        if (d->finite) {
            exact_dot_add(&sum, d->a[n], d->b[n]);
            exact_total total = exact_dot_total(&sum, words);
            char *text = exact_total_text(&total);
            bnd_number number;
            bool good = text != NULL && bnd_number_parse_n(&number, text, strlen(text), NULL) == BND_OK;
            double x = good ? exact_double(number.value) : (double)NAN;
            answer_double(json, "exact_double", x);
            answer_digits(json, "exact_short", x, 9);
            json_owned_string(json, "exact", text != NULL ? shorten_text(text) : NULL);
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static char *exact_sum_text(const dot *d)
{
    exact_dot sum = {{0}};
    uint64_t words[DOT_WORDS];
    for (size_t n = 0; n < d->terms; n++) {
        exact_dot_add(&sum, d->a[n], d->b[n]);
    }
    exact_total total = exact_dot_total(&sum, words);
    return exact_total_text(&total);
}

static void put_accumulator(bnd_lab_json *json, const dot *d, size_t i, const bnd_number *exact)
{
    char name[BND_ACCUMULATOR_NAME_SIZE];
    const bnd_accumulator *how = &d->how[i].accumulator;
    const float *totals = d->totals[i];
    bnd_exact value = bnd_exact_float(totals[d->terms - 1]);
    bool compared = exact != NULL && (value.kind == BND_KIND_FINITE || value.kind == BND_KIND_ZERO);
    bnd_accumulator_name(name, sizeof name, how);
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "name", d->names[i]);
    bnd_lab_json_string(json, "canonical", name);
    bnd_lab_json_unsigned(json, "kind", how->kind);
    json_owned_string(json, "value", float_text(totals[d->terms - 1]));
    json_owned_string(json, "digits", exact_text(value, false));
    bnd_lab_json_boolean(json, "compared", compared);
    if (compared) {
        sum_put_error(json, value, exact, bnd_format_at(BND_FORMAT_FP32)->precision);
    }
    bnd_lab_json_array(json, "totals");
    for (size_t n = 0; n < d->terms; n++) {
        json_owned_string(json, NULL, float_text(totals[n]));
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "sums");
    for (size_t n = 0; n < d->terms; n++) {
        answer_double(json, NULL, totals[n]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static const char *put_dot(const dot *d)
{
    bnd_number exact;
    char *text = d->finite ? exact_sum_text(d) : NULL;
    bool known = text != NULL && bnd_number_parse_n(&exact, text, strlen(text), NULL) == BND_OK;
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "inputs", d->inputs.name);
    if (known) {
        bnd_lab_json_string(json, "exact", text);
    } else {
        bnd_lab_json_null(json, "exact");
    }
    put_terms(json, d);
    bnd_lab_json_array(json, "accumulators");
    for (size_t i = 0; i < d->accumulators; i++) {
        put_accumulator(json, d, i, known ? &exact : NULL);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
    free(text);
    return answer_end();
}

/* `terms` are "a:b,a:b"; each number is rounded to the format `inputs`; `accumulators` are names, separated by
 * commas. */
const char *EXPORTED(bnd_page_dot)(const char *terms, const char *inputs, const char *accumulators)
{
    bnd_error why;
    dot *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return answer_error("out of memory");
    }
    bnd_status status = read_inputs(d, inputs, &why);
    status = status == BND_OK ? read_terms(d, terms, &why) : status;
    status = status == BND_OK ? read_accumulators(d, accumulators, &why) : status;
    status = status == BND_OK ? compute(d, &why) : status;
    const char *answer = status == BND_OK ? put_dot(d) : answer_error(why.message);
    free(d);
    return answer;
}
