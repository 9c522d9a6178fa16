/* An answer as text: numbers in readable units, steps, notes. */
#include "cost/cost.h"

#include "base/base.h"

#include <binade/text.h>

/* ---- numbers ---- */

static double power_of_ten(int n)
{
    double x = 1;
    for (; n > 0; n--) {
        x *= 10;
    }
    return x;
}

static void put_digits(bndi_text *text, double x, int digits)
{
    char out[64];
    bnd_print_digits(out, sizeof out, bnd_exact_double(x), digits);
    bool exponent = false; /* 1.2e+07 is written 1.2e7 */
    for (const char *c = out; *c != 0; c++) {
        bool dropped = exponent && (*c == '+' || (*c == '0' && c[1] != 0));
        exponent = *c == 'e' || (exponent && (dropped || *c == '-'));
        if (!dropped) {
            bndi_text_char(text, *c);
        }
    }
}

/* From 10^6 on: as 989.5e12, with an exponent that is a multiple of 3, where 4 digits give the number exactly; else as
 * 4.7876e21. */
static void put_large(bndi_text *text, double x)
{
    int exponent = 0;
    double mantissa = x;
    while (mantissa >= 1000) {
        exponent += 3;
        mantissa = x / power_of_ten(exponent);
    }
    double tenths = __builtin_floor(mantissa * 10 + 0.5) / 10, error = tenths - mantissa;
    if (error < 1e-9 * mantissa && -error < 1e-9 * mantissa) {
        put_digits(text, tenths, 4);
        bndi_text_char(text, 'e');
        bndi_text_signed(text, exponent);
    } else {
        put_digits(text, x, 5);
    }
}

static void put_number(bndi_text *text, double x)
{
    double size = x < 0 ? -x : x;
    if (size >= 1e6 && size < 1e300) {
        bndi_text_string(text, x < 0 ? "-" : "");
        put_large(text, size);
    } else {
        bool whole = size < 1e6 && x == __builtin_trunc(x);
        put_digits(text, x, whole ? 7 : 5);
    }
}

size_t bnd_cost_number(char *out, size_t size, double x)
{
    bndi_text text = bndi_text_in(out, size);
    put_number(&text, x);
    return text.length;
}

/* ---- steps and notes ---- */

static void fill(char *out, size_t size, const char *sample, va_list *arguments)
{
    bndi_text text = bndi_text_in(out, size);
    for (; *sample != 0; sample++) {
        if (*sample == '#') {
            put_number(&text, va_arg(*arguments, double));
        } else if (*sample == '$') {
            bndi_text_string(&text, va_arg(*arguments, const char *));
        } else {
            bndi_text_char(&text, *sample);
        }
    }
}

static void copy(char *out, size_t size, const char *from)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_text_string(&text, from);
}

void bndi_cost_step(bnd_cost *c, const char *name, const char *unit, double value, const char *formula,
                    const char *substitution, ...)
{
    va_list arguments;
    if (c->steps == BND_COST_STEPS_MAX) {
        return;
    }
    bnd_cost_step *s = &c->step[c->steps++];
    copy(s->name, sizeof s->name, name);
    copy(s->unit, sizeof s->unit, unit);
    copy(s->formula, sizeof s->formula, formula);
    s->value = value;
    va_start(arguments, substitution);
    fill(s->substitution, sizeof s->substitution, substitution, &arguments);
    va_end(arguments);
}

void bndi_cost_note(bnd_cost *c, const char *text, ...)
{
    va_list arguments;
    if (c->notes == BND_COST_NOTES_MAX) {
        return;
    }
    va_start(arguments, text);
    fill(c->note[c->notes++], BND_COST_NOTE_SIZE, text, &arguments);
    va_end(arguments);
}

void bndi_cost_answer(bnd_cost *c, const char *name, const char *about)
{
    copy(c->answer, sizeof c->answer, name);
    copy(c->about, sizeof c->about, about);
}

void bndi_cost_machine_note(bnd_cost *c, const bnd_machine *machine, const char *format, double peak, bool sparse)
{
    double of_sparse;
    bool twice = !sparse && bnd_machine_peak(&of_sparse, machine, format, true, NULL) == BND_OK;
    bndi_cost_note(c, "$: # FLOP/s in $, $$ ($)", machine->title, peak, format,
                   sparse ? "two of four weights zero" : "dense",
                   twice ? "; sparse peaks, which are often printed, are twice that" : "", machine->source);
}

double bnd_cost_value(const bnd_cost *cost, const char *name)
{
    for (size_t i = 0; i < cost->steps; i++) {
        if (bndi_same_word(name, bndi_length(name), cost->step[i].name)) {
            return cost->step[i].value;
        }
    }
    return __builtin_nan("");
}

bnd_status bndi_at_least(double x, double least, const char *what, bnd_error *why)
{
    static const double most = 1e72; /* so that no product of a few of them overflows */
    char number[48];
    if (x >= least && x <= most) {
        return BND_OK;
    }
    bool large = x > most;
    bnd_cost_number(number, sizeof number, least);
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s must be a number of at %s %s", what, large ? "most" : "least",
                    large ? "1e72" : number);
}
