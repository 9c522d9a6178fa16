/* binade cast --stats: what the conversion did. */
#include "cast.h"

#include <math.h>

#include "store/json_writer.h"

/* Signal-to-noise ratio in decibels: infinite without noise, NaN without signal. */
static double decibels(double ratio)
{
    return 10 * log10(ratio);
}

static void put_count(const char *name, uint64_t count)
{
    fprintf(stderr, "%-11s %llu\n", name, (unsigned long long)count);
}

/* An undefined value is printed as a dash. */
static void put_number(const char *name, double x)
{
    if (isnan(x)) {
        fprintf(stderr, "%-11s -\n", name);
    } else {
        fprintf(stderr, "%-11s %.6g\n", name, x);
    }
}

static void print_text(const bnd_stats *s)
{
    put_count("elements", s->elements);
    put_count("exact", s->exact);
    put_count("inexact", s->inexact);
    put_count("underflows", s->underflows);
    put_count("to zero", s->to_zero);
    put_count("overflows", s->overflows);
    put_count("saturated", s->saturated);
    put_count("NaN", s->nans_out);
    put_number("max |x|", s->largest);
    put_number("MSE", bnd_stats_mean_squared_error(s));
    put_number("SQNR (dB)", decibels(bnd_stats_signal_to_noise_ratio(s)));
}

static void write_error(void *sink, const char *text, size_t length)
{
    fwrite(text, 1, length, sink);
}

/* JSON has neither infinity nor NaN: null. */
static void json_number(bnd_lab_json *json, const char *key, double x)
{
    char text[32];
    if (!isfinite(x)) {
        bnd_lab_json_null(json, key);
        return;
    }
    snprintf(text, sizeof text, "%.17g", x);
    bnd_lab_json_literal(json, key, text);
}

static void print_json(const bnd_stats *s, const cast_plan *plan)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, write_error, stderr);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "from", plan->from.format.name);
    bnd_lab_json_string(&json, "to", plan->to.format.name);
    bnd_lab_json_string(&json, "rounded_to", plan->rounded_to);
    bnd_lab_json_unsigned(&json, "elements", s->elements);
    bnd_lab_json_unsigned(&json, "exact", s->exact);
    bnd_lab_json_unsigned(&json, "inexact", s->inexact);
    bnd_lab_json_unsigned(&json, "underflows", s->underflows);
    bnd_lab_json_unsigned(&json, "to_zero", s->to_zero);
    bnd_lab_json_unsigned(&json, "overflows", s->overflows);
    bnd_lab_json_unsigned(&json, "saturated", s->saturated);
    bnd_lab_json_unsigned(&json, "nan", s->nans_out);
    bnd_lab_json_unsigned(&json, "nan_in", s->nans_in);
    bnd_lab_json_unsigned(&json, "infinity_in", s->infinities_in);
    bnd_lab_json_unsigned(&json, "compared", s->compared);
    json_number(&json, "max_abs", s->largest);
    json_number(&json, "mse", bnd_stats_mean_squared_error(s));
    json_number(&json, "sqnr_db", decibels(bnd_stats_signal_to_noise_ratio(s)));
    bnd_lab_json_end(&json);
    fputc('\n', stderr);
}

int cast_print_stats(const bnd_stats *stats, const cast_plan *plan, bool as_json)
{
    clearerr(stderr); /* of a progress bar that could not be written */
    if (as_json) {
        print_json(stats, plan);
    } else {
        print_text(stats);
    }
    return fflush(stderr) == 0 && ferror(stderr) == 0 ? GO_ON : BAD_STREAM; /* no message can be written either */
}
