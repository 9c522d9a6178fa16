/* Numbers of runs as text. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

/* Four decimals say enough. */
static bool is_near(double x)
{
    return fabs(x) >= 1e-3 && fabs(x) < 1e5;
}

char *loss_text(double x)
{
    enum { SIZE = 32 };
    char *text = allocate(NULL, SIZE, 1);
    bnd_loss_print(text, SIZE, x);
    return text;
}

static char *signed_text(double x)
{
    return isnan(x) ? copy_text("-") : x == 0 ? copy_text("0") : format_text(is_near(x) ? "%+.4f" : "%+.2g", x);
}

char *interval_text(double x, double half_width, bool sign)
{
    char *middle = sign ? signed_text(x) : loss_text(x);
    if (isnan(half_width)) {
        return middle;
    }
    char *half = is_near(half_width) ? format_text("%.4f", half_width) : format_text("%.2g", half_width), *text;
    text = format_text("%s %s %s", middle, writes_utf8() ? "±" : "+/-", half);
    free(half);
    free(middle);
    return text;
}

char *setup_text(const bnd_training *of, uint64_t parameters, const char *rates)
{
    char *rate = rates != NULL ? copy_text(rates) : format_text("%g", of->lr);
    char *ranks = of->ranks > 1 ? format_text(", %zu ranks", of->ranks) : copy_text("");
    char *micro = of->micro_batches > 1 ? format_text(", %zu micro-batches", of->micro_batches) : copy_text("");
    char *clip = of->clip > 0 ? format_text(", clipped to %g", of->clip) : copy_text("");
    char *text = format_text("%s of %llu parameters, %s at %s, %llu step%s of %zu%s%s%s%s%s", of->model,
                             (unsigned long long)parameters, of->optimizer, rate, (unsigned long long)of->steps,
                             of->steps == 1 ? "" : "s", of->batch, ranks, micro, clip,
                             of->data[0] != '\0' ? ", on " : "", of->data);
    free(clip);
    free(micro);
    free(ranks);
    free(rate);
    return text;
}

char *levels_text(double chance, double irreducible, size_t seeds)
{
    char *first = loss_text(chance), *second = loss_text(irreducible);
    char *mean = seeds > 1 ? format_text(" (mean over %zu seeds)", seeds) : copy_text("");
    char *text = isnan(chance)        ? NULL
                 : isnan(irreducible) ? format_text("chance-level loss %s", first)
                                      : format_text("chance-level loss %s; irreducible loss %s%s", first, second, mean);
    free(mean);
    free(second);
    free(first);
    return text;
}

char *verdict_text(const bnd_comparison *c)
{
    enum { SIZE = 96 };
    char text[SIZE];
    bnd_comparison_text(text, sizeof text, c);
    return copy_text(text);
}

static char *ratio_text(const bnd_comparison *c)
{
    const char *times = writes_utf8() ? "×" : "x";
    return isnan(c->ratio_low) ? format_text("%s%.3g", times, c->ratio)
                               : format_text("%s%.3g (%.3g to %.3g)", times, c->ratio, c->ratio_low, c->ratio_high);
}

/* A gap has as many decimals as the losses in the same table. */
char *gap_text(const bnd_comparison *c)
{
    if (isnan(c->gap)) {
        return copy_text("-");
    }
    if (c->logarithmic && c->gap != 0) {
        return ratio_text(c);
    }
    if (!is_near(c->reference) || fabs(c->gap) >= 1e5) {
        return interval_text(c->gap, c->interval, true);
    }
    char *middle = c->gap == 0              ? copy_text("0")
                   : fabs(c->gap) < 0.00005 ? copy_text("0.0000")
                                            : format_text("%+.4f", c->gap);
    if (isnan(c->interval) || c->interval == 0) {
        return middle;
    }
    char *text = format_text("%s %s %.4f", middle, writes_utf8() ? "±" : "+/-", c->interval);
    free(middle);
    return text;
}

/* Three digits, and "-" for NaN. */
char *some_text(double x, const char *unit)
{
    return isnan(x) ? copy_text("-") : format_text(fabs(x) >= 999.5 ? "%.0f%s" : "%.3g%s", x, unit);
}

/* A percentage with at most two decimals, and never with an exponent. */
char *percent_text(double x)
{
    return isnan(x)    ? copy_text("-")
           : x == 0    ? copy_text("0 %")
           : x < 0.01  ? copy_text("<0.01 %")
           : x < 9.995 ? format_text("%.2f %%", x)
           : x < 100   ? format_text("%.1f %%", x)
                       : copy_text("100 %");
}

char *whole_text(double x)
{
    return isnan(x) ? copy_text("-") : format_text("%.0f", x);
}

char *with_sentence(char *text, char *sentence)
{
    char *both = text != NULL ? format_text("%s %s", text, sentence) : copy_text(sentence);
    free(text);
    free(sentence);
    return both;
}
