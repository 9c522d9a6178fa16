/* What a format does to the array, in the pieces of `binade cast`, so that its statistics are the same. */
#include "array.h"

#include "answer.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats and block formats ---- */

bnd_status array_line_open(array_line *out, const char *name, const char *rounding, const char *overflow, uint32_t seed,
                           bnd_error *why)
{
    array_line line = {.seed = seed, .bits = NAN};
    bnd_error of_block;
    if (bnd_format_parse(&line.format, name, why) != BND_OK) {
        bool like_one = strchr(name, '/') != NULL || strncmp(name, "mx", 2) == 0 || strncmp(name, "nv", 2) == 0;
        line.is_block = bnd_block_parse(&line.block, name, &of_block) == BND_OK;
        if (!line.is_block) {
            if (like_one) {
                *why = of_block;
            }
            return why->status;
        }
        line.format = line.block.element;
    }
    bnd_status status = bnd_rounding_parse(&line.rule, rounding, why);
    status = status == BND_OK && overflow[0] != '\0' ? bnd_overflow_parse(&line.rule, overflow, why) : status;
    if (status == BND_OK) {
        *out = line;
    }
    return status;
}

/* Blocks lie along the last axis. */
static bnd_status find_shape(bnd_shape *out, const array *a, const bnd_block *block, bnd_error *why)
{
    if (a->fortran_order && a->rank > 1) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "the array is in Fortran order; blocks need C order (numpy.save of numpy.ascontiguousarray(x))");
    }
    const size_t one[1] = {1};
    return bnd_block_shape(out, block, a->rank > 0 ? a->dimensions : one, a->rank > 0 ? a->rank : 1,
                           a->rank > 0 ? a->rank - 1 : 0, why);
}

static double bits_of_block(const bnd_block *block, bnd_shape shape, size_t count)
{
    double codes = (double)bnd_block_codes_size(block, shape, BND_PACKING_PACKED);
    double scales = (double)bnd_block_scales_size(block, shape);
    return codes > 0 && count > 0 ? 8 * (codes + scales + (block->tensor ? 4 : 0)) / (double)count : (double)NAN;
}

/* ---- results ---- */

static uint32_t word_of(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* The largest error of a piece as a word: words of magnitudes have their order, and the maximum of words needs no
 * branch. Infinite errors and NaN do not count. */
static uint32_t largest_error(const float *x, const float *y, size_t n)
{
    const uint32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = word_of(y[i] - x[i]) & magnitude;
        word = word < infinity ? word : 0;
        most = word > most ? word : most;
    }
    return most;
}

static void find_worst_f32(array_result *r, const float *x, const float *y, size_t n, size_t first)
{
    const uint32_t magnitude = 0x7fffffff, most = largest_error(x, y, n);
    if (most <= word_of((float)r->worst)) {
        return;
    }
    size_t at = 0;
    while ((word_of(y[at] - x[at]) & magnitude) != most) {
        at++;
    }
    r->worst = fabs((double)y[at] - (double)x[at]);
    r->worst_x = (double)x[at];
    r->worst_y = (double)y[at];
    r->worst_at = first + at;
}

static void find_worst_f64(array_result *r, const double *x, const double *y, size_t n, size_t first)
{
    for (size_t i = 0; i < n; i++) {
        double error = fabs(y[i] - x[i]);
        if (error > r->worst && isfinite(error)) {
            r->worst = error;
            r->worst_x = x[i];
            r->worst_y = y[i];
            r->worst_at = first + i;
        }
    }
}

/* The results of a piece are counted as if they were rounded once more to their own type, which changes nothing. */
static bnd_status count_f32(array_result *r, const float *x, float *y, size_t n, size_t first, bnd_error *why)
{
    find_worst_f32(r, x, y, n, first);
    return !r->counted ? BND_OK : bnd_round_f32(y, y, n, bnd_format_at(BND_FORMAT_FP32), NULL, &r->after, why);
}

static bnd_status round_f32(array_result *r, const array *a, const array_line *line, bnd_error *why)
{
    static float y[ARRAY_PIECE];
    const float *x = a->x;
    bnd_status status = BND_OK;
    for (size_t at = 0; status == BND_OK && at < a->count; at += ARRAY_PIECE) {
        size_t n = a->count - at < ARRAY_PIECE ? a->count - at : ARRAY_PIECE;
        bnd_array how = {.rule = line->rule, .seed = line->seed, .first = at};
        status = bnd_round_f32(y, x + at, n, &line->format, &how, &r->stats, why);
        status = status == BND_OK ? count_f32(r, x + at, y, n, at, why) : status;
    }
    return status;
}

static bnd_status round_f64(array_result *r, const array *a, const array_line *line, bnd_error *why)
{
    static double y[ARRAY_PIECE];
    const double *x = a->x;
    bnd_status status = BND_OK;
    for (size_t at = 0; status == BND_OK && at < a->count; at += ARRAY_PIECE) {
        size_t n = a->count - at < ARRAY_PIECE ? a->count - at : ARRAY_PIECE;
        bnd_array how = {.rule = line->rule, .seed = line->seed, .first = at};
        status = bnd_round_f64(y, x + at, n, &line->format, &how, &r->stats, why);
        find_worst_f64(r, x + at, y, n, at);
        status = status == BND_OK && r->counted
                     ? bnd_round_f64(y, y, n, bnd_format_at(BND_FORMAT_FP64), NULL, &r->after, why)
                     : status;
    }
    return status;
}

static bnd_status quantize(array_result *r, const array *a, array_line *line, bnd_error *why)
{
    bnd_shape shape;
    if (a->wide) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "fp32 does not contain all values of %s, and block formats are computed from fp32",
                        a->format.name);
    }
    bnd_status status = find_shape(&shape, a, &line->block, why);
    if (status != BND_OK || a->count == 0) {
        return status;
    }
    float *y = malloc(a->count * sizeof *y);
    if (y == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu results", a->count);
    }
    bnd_array how = {.rule = line->rule, .seed = line->seed};
    line->bits = bits_of_block(&line->block, shape, a->count);
    status = bnd_fake_quantize_f32(y, a->x, shape, &line->block, &how, &r->stats, why);
    for (size_t at = 0; status == BND_OK && at < a->count; at += ARRAY_PIECE) {
        size_t n = a->count - at < ARRAY_PIECE ? a->count - at : ARRAY_PIECE;
        status = count_f32(r, (const float *)a->x + at, y + at, n, at, why);
    }
    free(y);
    return status;
}

bnd_status array_apply(float *y, const array_line *line, bnd_error *why)
{
    const array *a = &the_array;
    bnd_array how = {.rule = line->rule, .seed = line->seed};
    bnd_shape shape;
    if (!line->is_block) {
        return bnd_round_f32(y, a->x, a->count, &line->format, &how, NULL, why);
    }
    bnd_status status = find_shape(&shape, a, &line->block, why);
    return status == BND_OK ? bnd_fake_quantize_f32(y, a->x, shape, &line->block, &how, NULL, why) : status;
}

bnd_status array_examine(array_result *out, array_line *line, bool counted, bnd_error *why)
{
    const array *a = &the_array;
    array_result r = {.counted = counted};
    if (a->x == NULL || a->filled != a->count) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "there is no array, or only a part of one");
    }
    line->bits = line->is_block || line->format.width == 0 ? (double)NAN : line->format.width;
    bnd_status status = line->is_block ? quantize(&r, a, line, why)
                        : a->wide      ? round_f64(&r, a, line, why)
                                       : round_f32(&r, a, line, why);
    if (status == BND_OK) {
        *out = r;
    }
    return status;
}

/* ---- the answer ---- */

static uint64_t nonzeros(const bnd_stats *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 64; i++) {
        sum += s->exponents[i];
    }
    return sum;
}

static void put_exponents(bnd_lab_json *json, const char *key, const bnd_stats *s)
{
    bnd_lab_json_array(json, key);
    for (size_t i = 0; i < 64; i++) {
        bnd_lab_json_unsigned(json, NULL, s->exponents[i]);
    }
    bnd_lab_json_end(json);
}

/* The names and meanings of `binade cast --stats --json`, and what a picture needs besides. */
void array_put_result(bnd_lab_json *json, const array_line *line, const array_result *result)
{
    const bnd_stats *s = &result->stats, *after = &result->after;
    double ratio = bnd_stats_signal_to_noise_ratio(s), decibels = 10 * log10(ratio);
    char name[BND_BLOCK_NAME_SIZE + 80];
    bnd_block_print(name, sizeof name, &line->block);
    bnd_lab_json_string(json, "rounded_to", line->is_block ? line->block.name : line->format.name);
    bnd_lab_json_string(json, "full_name", line->is_block ? name : line->format.name);
    bnd_lab_json_string(json, "element", line->format.name);
    bnd_scale_rule rule = (bnd_scale_rule)line->block.rule;
    json_owned_string(json, "scale_rule", line->is_block ? copy_text(bnd_scale_rule_name(rule)) : NULL);
    bnd_lab_json_string(json, "scale_who", line->is_block ? bnd_scale_rule_who(rule) : "");
    bnd_lab_json_unsigned(json, "elements", s->elements);
    bnd_lab_json_unsigned(json, "exact", s->exact);
    bnd_lab_json_unsigned(json, "inexact", s->inexact);
    bnd_lab_json_unsigned(json, "underflows", s->underflows);
    bnd_lab_json_unsigned(json, "to_zero", s->to_zero);
    bnd_lab_json_unsigned(json, "overflows", s->overflows);
    bnd_lab_json_unsigned(json, "saturated", s->saturated);
    bnd_lab_json_unsigned(json, "nan", s->nans_out);
    bnd_lab_json_unsigned(json, "nan_in", s->nans_in);
    bnd_lab_json_unsigned(json, "infinity_in", s->infinities_in);
    bnd_lab_json_unsigned(json, "compared", s->compared);
    answer_double(json, "max_abs", s->largest);
    answer_double(json, "mse", bnd_stats_mean_squared_error(s));
    answer_double(json, "sqnr_db", decibels);
    answer_digits(json, "max_abs_text", s->largest, 6);
    answer_digits(json, "smallest_text", s->smallest, 6);
    answer_digits(json, "mse_text", bnd_stats_mean_squared_error(s), 4);
    json_owned_string(json, "sqnr_text", isfinite(decibels) ? format_text("%.2f", decibels) : NULL);
    bnd_lab_json_boolean(json, "lossless", s->inexact == 0 && s->compared == s->elements);
    answer_double(json, "bits", line->bits);
    json_owned_string(json, "bits_text", isnan(line->bits) ? copy_text("-") : format_text("%.4g", line->bits));
    answer_digits(json, "worst_text", s->compared > 0 ? result->worst : (double)NAN, 4);
    answer_digits(json, "worst_x", result->worst_x, 6);
    answer_digits(json, "worst_y", result->worst_y, 6);
    bnd_lab_json_unsigned(json, "worst_at", result->worst_at);
    bnd_lab_json_unsigned(json, "zeros_in", s->elements - nonzeros(s) - s->infinities_in - s->nans_in);
    bnd_lab_json_boolean(json, "counted", result->counted);
    bnd_lab_json_unsigned(json, "zeros_out", after->elements - nonzeros(after) - after->infinities_in - after->nans_in);
    bnd_lab_json_unsigned(json, "infinity_out", after->infinities_in);
    bnd_lab_json_integer(json, "lowest", BND_HISTOGRAM_LOWEST);
    bnd_lab_json_integer(json, "format_emax", line->format.emax);
    bnd_lab_json_integer(json, "format_emin", line->format.emin);
    bnd_lab_json_integer(json, "format_least",
                         line->format.emin - (line->format.has_subnormals ? line->format.fraction_bits : 0));
    bnd_lab_json_boolean(json, "shares_scale", line->is_block);
    put_exponents(json, "exponents", s);
    put_exponents(json, "exponents_out", after);
}

/* What a format does to the array. With `counted` the results are counted, too, which takes as long again. */
const char *EXPORTED(bnd_page_array_examine)(const char *name, const char *rounding, const char *overflow,
                                             uint32_t seed, uint32_t counted)
{
    bnd_error why;
    array_line line;
    array_result result;
    bnd_status status = array_line_open(&line, name, rounding, overflow, seed, &why);
    status = status == BND_OK ? array_examine(&result, &line, counted != 0, &why) : status;
    if (status != BND_OK) {
        return answer_error(why.message);
    }
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "name", name);
    array_put_result(json, &line, &result);
    bnd_lab_json_end(json);
    return answer_end();
}
