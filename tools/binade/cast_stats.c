/* binade cast --stats: what the conversion did. */
#include "cast.h"

#include <math.h>

/* Errors are summed over the elements that were finite and stayed so. These are all but those that came in as something
 * else, and those that overflow made infinite or NaN: every overflow that did not end at the largest number. */
static uint64_t stayed_finite(const bnd_stats *s, const cast_plan *plan)
{
    bnd_result of_infinity = bnd_encode(&plan->target, INFINITY, plan->how.rule, 0);
    uint64_t infinities_saturated = (of_infinity.flags & BND_SATURATED) != 0 ? s->infinities_in : 0;
    uint64_t lost = s->overflows - (s->saturated - infinities_saturated);
    return s->exact + s->inexact - lost;
}

static double mean_squared_error(const bnd_stats *s, const cast_plan *plan)
{
    uint64_t count = stayed_finite(s, plan);
    return count > 0 ? s->squared_error / (double)count : 0;
}

/* Signal to noise in decibels; infinite where there is no noise. */
static double sqnr(const bnd_stats *s)
{
    return 10 * log10(s->squared_input / s->squared_error);
}

static void put_count(const char *name, uint64_t count)
{
    fprintf(stderr, "%-11s %llu\n", name, (unsigned long long)count);
}

static void put_number(const char *name, double x)
{
    fprintf(stderr, "%-11s %.6g\n", name, x);
}

static void print_text(const bnd_stats *s, const cast_plan *plan)
{
    put_count("elements", s->elements);
    put_count("exact", s->exact);
    put_count("inexact", s->inexact);
    put_count("underflows", s->underflows);
    put_count("flushed", s->flushed);
    put_count("overflows", s->overflows);
    put_count("saturated", s->saturated);
    put_count("nan", s->nans_out);
    put_number("max |x|", s->largest);
    put_number("mse", mean_squared_error(s, plan));
    if (s->squared_input > 0) {
        put_number("sqnr_db", sqnr(s));
    } else {
        fprintf(stderr, "%-11s -\n", "sqnr_db");
    }
}

static void write_error(void *sink, const char *text, size_t length)
{
    fwrite(text, 1, length, sink);
}

/* JSON has no infinity: null. */
static void json_number(bnd_json *json, const char *key, double x)
{
    char text[32];
    if (!isfinite(x)) {
        bnd_json_null(json, key);
        return;
    }
    snprintf(text, sizeof text, "%.17g", x);
    bnd_json_literal(json, key, text);
}

static void print_json(const bnd_stats *s, const cast_plan *plan)
{
    bnd_json json;
    bnd_json_begin(&json, write_error, stderr);
    bnd_json_object(&json, NULL);
    bnd_json_string(&json, "from", plan->from.format.name);
    bnd_json_string(&json, "to", plan->to.format.name);
    bnd_json_string(&json, "rounded_to", plan->target.name);
    bnd_json_unsigned(&json, "elements", s->elements);
    bnd_json_unsigned(&json, "exact", s->exact);
    bnd_json_unsigned(&json, "inexact", s->inexact);
    bnd_json_unsigned(&json, "underflows", s->underflows);
    bnd_json_unsigned(&json, "flushed", s->flushed);
    bnd_json_unsigned(&json, "overflows", s->overflows);
    bnd_json_unsigned(&json, "saturated", s->saturated);
    bnd_json_unsigned(&json, "nan", s->nans_out);
    bnd_json_unsigned(&json, "nan_in", s->nans_in);
    bnd_json_unsigned(&json, "infinity_in", s->infinities_in);
    json_number(&json, "max_abs", s->largest);
    json_number(&json, "mse", mean_squared_error(s, plan));
    json_number(&json, "sqnr_db", sqnr(s));
    bnd_json_end(&json);
    fputc('\n', stderr);
}

void cast_print_stats(const bnd_stats *stats, const cast_plan *plan, bool as_json)
{
    if (as_json) {
        print_json(stats, plan);
    } else {
        print_text(stats, plan);
    }
}
