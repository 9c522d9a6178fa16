/* show -v: a rounding explained so that a reader can redo it by hand. */
#include "look.h"
#include "common/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void line(explanation *to, const char *label, char *owned)
{
    to->lines = allocate(to->lines, to->count + 1, sizeof *to->lines);
    to->lines[to->count++] = (explanation_line){label, owned};
}

void clear_explanation(explanation *e)
{
    for (size_t i = 0; i < e->count; i++) {
        free(e->lines[i].text);
    }
    free(e->lines);
    *e = (explanation){0};
}

static const char *mode_name(const look *l)
{
    return bnd_rounding_name(bnd_rule_rounding(l->rule));
}

static const char *mode_title(const look *l)
{
    return bnd_rounding_title(bnd_rule_rounding(l->rule));
}

/* "0.3125 (0x2a)": a value of the format and its code. */
static char *value_and_code(const bnd_format *f, bnd_exact value)
{
    char *number = readable_text(value, false), *power = power_text(value);
    char *code = f->width != 0 ? code_text(f, bnd_pack(f, value)) : copy_text("no code");
    char *text = format_text("%s%s%s (%s)", number, power != NULL ? " = " : "", power != NULL ? power : "", code);
    free(number);
    free(power);
    free(code);
    return text;
}

/* ---- between two neighbours ---- */

static const char *taken(const look *l)
{
    return l->rounded.ternary < 0 ? "below" : "above";
}

static bool went_outward(const look *l)
{
    return l->rounded.value.negative ? l->rounded.ternary < 0 : l->rounded.ternary > 0;
}

/* At one bit of precision every significand but zero is 1: whose last bit is even? */
static bool parity_by_significand(const look *l)
{
    return l->format->precision == 1 && !bnd_ties_by_code(l->format, l->rule);
}

/* Which of two neighbours is the even or odd one, in words. */
static char *parity_text(const look *l, const char *parity)
{
    if (l->rounded.value.kind == BND_KIND_ZERO) {
        return format_text("the %s neighbour: zero", parity);
    }
    if (parity_by_significand(l)) {
        return format_text("the %s neighbour, %s (in units of the smaller one, 1 is odd and 2 is even)", parity,
                           taken(l));
    }
    if (l->format->width == 0) {
        return format_text("the neighbour with the %s significand, %s", parity, taken(l));
    }
    char *code = code_text(l->format, bnd_pack(l->format, l->rounded.value));
    char *text = format_text("the neighbour whose code is %s, %s", parity, code);
    free(code);
    return text;
}

/* The formula of the mode with this rounding's numbers; v counts from the neighbour toward zero. */
static char *stochastic_reason(const look *l, const look_gap *g)
{
    unsigned bits = bnd_rule_random_bits(l->rule);
    unsigned long long random = l->random & ((UINT64_C(1) << bits) - 1);
    char *v = g->has_part ? rough_text(l->rounded.value.negative ? 1 - g->part : g->part) : copy_text("?");
    const char *holds = went_outward(l) ? "is true: away from zero" : "is false: toward zero";
    char *text;
    if (l->rule.rounding == BND_ROUND_SRB) {
        text = format_text("srb:%u: floor(v 2^%u) + 2R + 1 >= 2^%u %s; v = %s, R = %llu", bits, bits + 1, bits + 1,
                           holds, v, random);
    } else {
        text = format_text("%s:%u: %s(v 2^%u) + R >= 2^%u %s; v = %s, R = %llu", mode_name(l), bits,
                           l->rule.rounding == BND_ROUND_SRA ? "floor" : "round", bits, bits, holds, v, random);
    }
    free(v);
    return text;
}

/* Which rule took which neighbour. */
static char *reason(const look *l, const look_gap *g)
{
    char *which, *text;
    switch (l->rule.rounding) {
    case BND_ROUND_RNE:
    case BND_ROUND_RTO:
        if (l->rule.rounding == BND_ROUND_RNE && g->side != 0) {
            return format_text("rne: to the nearer neighbour, %s", taken(l));
        }
        which = parity_text(l, l->rule.rounding == BND_ROUND_RNE ? "even" : "odd");
        text = format_text(l->rule.rounding == BND_ROUND_RNE ? "rne: a tie goes to %s" : "rto: to %s", which);
        free(which);
        return text;
    case BND_ROUND_RNA:
        return format_text(g->side == 0 ? "rna: a tie goes away from zero, to the neighbour %s"
                                        : "rna: to the nearer neighbour, %s",
                           taken(l));
    case BND_ROUND_SR_EQUAL:
        return format_text("sr-equal: the random bit is %u, so %s zero", (unsigned)(l->random & 1),
                           went_outward(l) ? "away from" : "toward");
    case BND_ROUND_SR:
    case BND_ROUND_SRA:
    case BND_ROUND_SRB:
        return stochastic_reason(l, g);
    default:
        return format_text("%s: %s, to the neighbour %s", mode_name(l), mode_title(l), taken(l));
    }
}

/* "0.3125 (0x2a), 0.0125 away" */
static void neighbour_line(explanation *to, const char *label, const given *v, bnd_exact value, char *text)
{
    const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
    double distance;
    if (units_from_given(&distance, v, value, one) && isfinite(distance)) {
        char *away = digits_text(bnd_exact_double(distance < 0 ? -distance : distance), 6);
        line(to, label, format_text("%s, %s away", text, away));
        free(away);
        free(text);
    } else {
        line(to, label, text);
    }
}

static char *outer_text(const look *l, bnd_exact value, bool beyond)
{
    if (!beyond) {
        return value_and_code(l->format, value);
    }
    char *number = readable_text(value, false);
    char *text = format_text("%s (above the largest value in magnitude)", number);
    free(number);
    return text;
}

static void explain_gap(explanation *to, const look *l, const given *v, size_t room)
{
    look_gap g = gap_around(l, v);
    bool negative = v->exact.negative;
    char *drawn = g.has_part && !g.beyond ? drawn_gap(l->format, g.below, g.above, g.part, g.side, room) : NULL;
    if (drawn != NULL) {
        line(to, "between", drawn);
    }
    neighbour_line(to, "below", v, g.below, outer_text(l, g.below, g.beyond && negative));
    neighbour_line(to, "middle", v, g.middle, readable_text(g.middle, false));
    neighbour_line(to, "above", v, g.above, outer_text(l, g.above, g.beyond && !negative));
    const char *sides[] = {"before the middle", "exactly in the middle", "past the middle"};
    char *part = g.has_part ? rough_text(g.part) : NULL;
    line(to, "where",
         part != NULL ? format_text("%s of the way from below to above, %s", part, sides[g.side + 1])
                      : copy_text(sides[g.side + 1]));
    free(part);
    line(to, "rule", reason(l, &g));
}

/* ---- beyond the ends ---- */

static char *infinity_and_nan(const bnd_format *f)
{
    return format_text("%s %s", f->name,
                       f->has_infinity ? "has infinity"
                       : f->has_nan    ? "has NaN and no infinity"
                                       : "has neither infinity nor NaN");
}

static bool stays_inside(const look *l, bool negative)
{
    uint8_t inward = negative ? BND_ROUND_RUP : BND_ROUND_RDN;
    return l->rule.rounding == BND_ROUND_RTZ || l->rule.rounding == BND_ROUND_RTO || l->rule.rounding == inward;
}

/* Does half a step above the largest number overflow under rne? It does where the largest number is the odd one. */
static bool largest_is_odd(const look *l)
{
    const bnd_format *f = l->format;
    bool by_code = f->precision == 1 && bnd_ties_by_code(f, l->rule);
    return ((by_code ? f->max_code : f->max_significand) & 1) != 0;
}

static void explain_overflow(explanation *to, const look *l, const given *v)
{
    const bnd_format *f = l->format;
    bool negative = v->exact.negative && f->is_signed;
    bnd_exact largest = {
        .low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE, .negative = negative};
    line(to, negative ? "lowest" : "largest", value_and_code(f, largest));
    if (l->rule.rounding == BND_ROUND_RNE || l->rule.rounding == BND_ROUND_RNA) {
        char *text = readable_text(half_steps_away(largest, f->max_quantum, 1), false);
        bool included = l->rule.rounding == BND_ROUND_RNA || largest_is_odd(l);
        line(to, "limit",
             format_text("%s, half a step above the largest value: from here on, ties %s, values overflow", text,
                         included ? "included" : "excluded"));
        free(text);
    }
    char *result = readable_text(l->rounded.value, false), *has = infinity_and_nan(f);
    if (stays_inside(l, negative)) {
        line(to, "rule",
             format_text("%s: %s, which never exceeds the largest value: %s", mode_name(l), mode_title(l), result));
    } else {
        line(to, "rule",
             format_text("overflow policy '%s'; %s: %s", bnd_overflow_name(bnd_rule_overflow(l->rule)), has, result));
    }
    free(result);
    free(has);
}

/* Below the least number of a format that has no zero: there is only one way to go. */
static void explain_least(explanation *to, const look *l)
{
    char *least = value_and_code(l->format, l->rounded.value);
    line(to, "rule", format_text("%s is the smallest value of %s, which has no zero", least, l->format->name));
    free(least);
}

/* ---- what needs no rounding ---- */

static void explain_exact(explanation *to, const look *l)
{
    if (l->has_below) {
        line(to, "below", value_and_code(l->format, l->below));
    }
    if (l->has_above) {
        line(to, "above", value_and_code(l->format, l->above));
    }
    line(to, "rule", copy_text(l->as_given ? "the code is in this format" : "the format contains the value exactly"));
}

/* Infinities and NaNs, and numbers that a format without a sign or a zero has no code for. */
static void explain_special(explanation *to, const look *l, const given *v)
{
    char *result = readable_text(l->rounded.value, false);
    const char *name = l->format->name;
    if (l->as_given) {
        line(to, "rule", copy_text("the code is in this format"));
    } else if (v->exact.kind == BND_KIND_QUIET_NAN || v->exact.kind == BND_KIND_SIGNALING_NAN) {
        line(to, "rule",
             l->format->has_nan
                 ? format_text("NaN rule '%s': %s", bnd_nan_name(bnd_rule_nan(bnd_rule_of_conversion(l->rule))), result)
                 : format_text("%s has no NaN: %s", name, result));
    } else if (v->exact.negative && !l->format->is_signed) {
        line(to, "rule", format_text("%s has no sign: %s", name, result));
    } else if (v->exact.kind == BND_KIND_ZERO) {
        line(to, "rule", format_text("%s has no zero: %s", name, result));
    } else {
        char *has = infinity_and_nan(l->format);
        line(to, "rule",
             format_text("an infinity, overflow policy '%s'; %s: %s", bnd_overflow_name(bnd_rule_overflow(l->rule)),
                         has, result));
        free(has);
    }
    free(result);
}

static const char *invalid_reason(const look *l, const given *v)
{
    if (v->exact.kind == BND_KIND_SIGNALING_NAN) {
        return "a signaling NaN came in";
    }
    if (v->exact.kind == BND_KIND_QUIET_NAN) {
        return "the format has no NaN";
    }
    if (v->exact.negative && !l->format->is_signed) {
        return "the format has no negative values";
    }
    return v->exact.kind == BND_KIND_ZERO ? "the format has no zero" : "the format has no infinity";
}

/* `stored` is the rounding before --flush out made it zero, NULL where nothing did. */
static void explain_flags(explanation *to, const look *l, const given *v, const look *stored)
{
    const bnd_format *f = l->format;
    bnd_exact normal = {.low = f->normal_significand, .exponent = f->normal_quantum, .kind = BND_KIND_FINITE};
    char *smallest = power_text(normal);
    smallest = smallest != NULL ? smallest : readable_text(normal, false);
    char *underflow = format_text("the exact value is below the smallest normal value, %s, and was rounded", smallest);
    const char *why[] = {
        stored != NULL && stored->rounded.ternary == 0 ? "the result, zero, differs from the input"
                                                       : "the format does not contain the value exactly",
        underflow,
        "after rounding, the value exceeds the largest value of the format",
        "a finite value was divided by zero",
        invalid_reason(l, v),
        "the largest value replaces a larger one",
        "a nonzero value became zero",
    };
    for (uint32_t i = 0; i < sizeof why / sizeof why[0]; i++) {
        uint32_t flag = UINT32_C(1) << i;
        if ((l->rounded.flags & flag) != 0) {
            line(to, "flag", format_text("%s: %s", bnd_flag_name(flag), why[i]));
        }
    }
    free(smallest);
    free(underflow);
}

/* ---- all of it ---- */

static void explain_rounding(explanation *to, const look *l, const given *v, size_t room)
{
    uint32_t flags = l->rounded.flags;
    bool inexact = (flags & BND_FLAG_INEXACT) != 0;
    if ((flags & BND_FLAG_OVERFLOW) != 0) {
        explain_overflow(to, l, v);
    } else if (lies_in_gap(l, v)) {
        explain_gap(to, l, v, room);
    } else if (inexact) {
        explain_least(to, l);
    } else if (is_given_finite(v) && flags == 0) {
        explain_exact(to, l);
    } else {
        explain_special(to, l, v);
    }
}

void explain(explanation *to, const look *l, const given *v, size_t room)
{
    look without;
    bool flushed = false;
    if (drops_sign(l, v)) {
        given magnitude = given_magnitude(v);
        look positive = *l;
        positive.has_below = bnd_neighbour(&positive.below, l->format, magnitude.exact, -1);
        positive.has_above = bnd_neighbour(&positive.above, l->format, magnitude.exact, 1);
        positive.rounded = bnd_round_exact(l->format, magnitude.exact, l->rule, l->random);
        line(to, "sign", format_text("dropped: %s has no sign, and this rule takes the magnitude", l->format->name));
        explain_rounding(to, &positive, &magnitude, room);
    } else if (flushed_on_input(l, v)) {
        line(to, "rule",
             format_text("--flush %s: the code is subnormal in %s and is read as zero", flush_word(l->rule),
                         v->format.name));
    } else if ((flushed = flushed_on_output(l, v, &without))) {
        explain_rounding(to, &without, v, room);
        char *value = value_and_code(l->format, without.rounded.value);
        bool tiny = l->rule.flush_out == BND_FLUSH_TINY;
        line(to, "flush",
             format_text(tiny ? "--flush %s: the number is tiny, so %s becomes zero"
                              : "--flush %s: %s is subnormal and becomes zero",
                         flush_word(l->rule), value));
        free(value);
    } else {
        explain_rounding(to, l, v, room);
    }
    explain_flags(to, l, v, flushed ? &without : NULL);
}
