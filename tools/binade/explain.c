/* show -v: a rounding explained so that a reader can redo it by hand. */
#include "look.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

static void line(const char *label, char *owned)
{
    printf("         %-8s %s\n", label, owned);
    free(owned);
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

/* The two neighbours, the middle between them, and where the input lies, 0 .. 1 from the one below. */
typedef struct gap {
    bnd_exact below, above, middle;
    bool beyond; /* the neighbour away from zero is past the largest number: the grid goes on, the format does not */
    double part;
    int side; /* of the middle: -1 below it, 0 exactly there, 1 above */
} gap;

/* inner + steps / 2 * 2^quantum, inner being a whole number of them */
static bnd_exact half_steps_away(bnd_exact inner, int32_t quantum, unsigned steps)
{
    for (; inner.kind == BND_FINITE && inner.exponent > quantum; inner.exponent--) {
        inner.low <<= 1;
    }
    uint64_t low = (inner.low << 1) + steps;
    uint64_t high = (inner.low >> 63) + (low < steps);
    return (bnd_exact){
        .high = high, .low = low, .exponent = quantum - 1, .kind = BND_FINITE, .negative = inner.negative};
}

static gap gap_around(const look *l, const given *v)
{
    const bnd_format *f = l->format;
    bool negative = v->exact.negative;
    gap g = {.below = l->below, .above = l->above};
    bnd_exact inner = negative ? g.above : g.below, *outer = negative ? &g.below : &g.above, width;
    bool has_outer = negative ? l->has_below : l->has_above;
    g.beyond = !has_outer || outer->kind != BND_FINITE;
    if (inner.kind == BND_ZERO) {
        width = g.middle = (bnd_exact){
            .low = f->least_significand, .exponent = f->least_quantum, .kind = BND_FINITE, .negative = negative};
        width.negative = false;
        g.middle.exponent--;
    } else {
        width = ulp_at(f, inner); /* the last place of the neighbour toward zero is the distance to the other */
        g.middle = half_steps_away(inner, width.exponent, 1);
    }
    if (g.beyond) {
        *outer = half_steps_away(inner, width.exponent, 2);
    }
    g.side = bnd_exact_compare(v->exact, g.middle);
    double from_below;
    if (bnd_error_in_units(&from_below, g.below, v->number, strlen(v->number), width, NULL) == BND_OK) {
        g.part = -from_below;
    }
    return g;
}

static const char *taken(const look *l)
{
    return l->rounded.ternary < 0 ? "below" : "above";
}

/* At one bit of precision every significand but zero is odd: by significand, a tie goes away from zero. */
static bool ties_by_significand(const look *l)
{
    bool by_row = l->rule.tie_rule == BND_TIE_RULE_FORMAT && l->format->ties == BND_TIES_SIGNIFICAND;
    return l->format->precision == 1 && (by_row || l->rule.tie_rule == BND_TIE_RULE_SIGNIFICAND);
}

static char *even_one(const look *l)
{
    if (l->rounded.value.kind == BND_ZERO) {
        return copy_text("zero, which is even");
    }
    if (ties_by_significand(l)) {
        return format_text("the even significand, %s (precision 1)", taken(l));
    }
    if (l->format->width == 0) {
        return format_text("the even significand, %s", taken(l));
    }
    char *code = code_text(l->format, l->code);
    char *text = format_text("the neighbour whose code is even, %s", code);
    free(code);
    return text;
}

static bool went_outward(const look *l)
{
    return l->rounded.value.negative ? l->rounded.ternary < 0 : l->rounded.ternary > 0;
}

static char *stochastic_reason(const look *l)
{
    unsigned bits = l->rule.random_bits != 0 ? l->rule.random_bits : BND_RANDOM_BITS_DEFAULT;
    return format_text("%s with %u random bits R = %llu of 2^%u: the part of the way, in units of 2^-%u and rounded, "
                       "plus R %s 2^%u",
                       bnd_rounding_name((bnd_rounding)l->rule.rounding), bits,
                       (unsigned long long)(l->random & ((UINT64_C(1) << bits) - 1)), bits,
                       l->rule.rounding == BND_SRB ? bits + 1 : bits, went_outward(l) ? "reaches" : "stays below",
                       bits);
}

/* Which rule took which neighbour. */
static char *reason(const look *l, const gap *g)
{
    const char *name = bnd_rounding_name((bnd_rounding)l->rule.rounding);
    switch (l->rule.rounding) {
    case BND_RNE:
        if (g->side == 0) {
            char *even = even_one(l), *text = format_text("rne: a tie goes to %s", even);
            free(even);
            return text;
        }
        return format_text("rne: to the nearer one, %s", taken(l));
    case BND_RNA:
        return format_text(
            g->side == 0 ? "rna: a tie goes away from zero, to the one %s" : "rna: to the nearer one, %s", taken(l));
    case BND_RTO:
        return format_text("rto: to the one whose last bit is 1, %s", taken(l));
    case BND_SR_EQUAL:
        return format_text("sr-equal: the random bit is %u, so %s zero", (unsigned)(l->random & 1),
                           went_outward(l) ? "away from" : "toward");
    case BND_SR:
    case BND_SRA:
    case BND_SRB:
        return stochastic_reason(l);
    default:
        return format_text("%s: %s, to the one %s", name, bnd_rounding_title((bnd_rounding)l->rule.rounding), taken(l));
    }
}

static void explain_overflow(const look *l)
{
    const bnd_format *f = l->format;
    bnd_exact largest = {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_FINITE};
    bnd_exact limit = {.high = f->max_significand >> 63,
                       .low = f->max_significand << 1 | 1,
                       .exponent = f->max_quantum - 1,
                       .kind = BND_FINITE};
    line("largest", value_and_code(f, largest));
    if (l->rule.rounding == BND_RNE || l->rule.rounding == BND_RNA) {
        char *text = readable_text(limit, false);
        bool tie_overflows = l->rule.rounding == BND_RNA || (f->max_significand & 1) != 0;
        line("limit", format_text("%s, half a step above it: from there on (the tie %s) it overflows", text,
                                  tie_overflows ? "included" : "excluded"));
        free(text);
    }
    char *result = readable_text(l->rounded.value, false);
    const char *has = f->has_infinity ? "has infinities"
                      : f->has_nan    ? "has no infinity, but NaN"
                                      : "has neither infinity nor NaN";
    line("rule", format_text("%s, overflow policy '%s'; %s %s: %s", bnd_rounding_title((bnd_rounding)l->rule.rounding),
                             bnd_overflow_name((bnd_overflow)l->rule.overflow), f->name, has, result));
    free(result);
}

/* "0.3125 (0x2a), 0.0125 away" */
static void neighbour_line(const char *label, const given *v, bnd_exact value, char *text)
{
    const bnd_exact one = {.low = 1, .kind = BND_FINITE};
    double distance;
    if (bnd_error_in_units(&distance, value, v->number, strlen(v->number), one, NULL) == BND_OK) {
        char *away = digits_text(bnd_exact_double(distance < 0 ? -distance : distance), 6);
        line(label, format_text("%s, %s away", text, away));
        free(away);
        free(text);
    } else {
        line(label, text);
    }
}

static char *outer_text(const look *l, bnd_exact value, bool beyond)
{
    if (!beyond) {
        return value_and_code(l->format, value);
    }
    char *number = readable_text(value, false);
    char *text = format_text("%s (beyond the largest number)", number);
    free(number);
    return text;
}

static void explain_gap(const look *l, const given *v)
{
    gap g = gap_around(l, v);
    bool negative = v->exact.negative;
    neighbour_line("below", v, g.below, outer_text(l, g.below, g.beyond && negative));
    neighbour_line("middle", v, g.middle, readable_text(g.middle, false));
    neighbour_line("above", v, g.above, outer_text(l, g.above, g.beyond && !negative));
    const char *sides[] = {"before the middle", "exactly in the middle", "past the middle"};
    char *part = rough_text(g.part);
    line("where", format_text("%s of the way from below to above, %s", part, sides[g.side + 1]));
    free(part);
    line("rule", reason(l, &g));
}

/* Below the least number of a format that has no zero: there is only one way to go. */
static void explain_least(const look *l)
{
    char *least = value_and_code(l->format, l->rounded.value);
    line("rule", format_text("%s is the smallest number of %s, which has no zero", least, l->format->name));
    free(least);
}

static void explain_flags(const look *l)
{
    const bnd_format *f = l->format;
    bnd_exact normal = {.low = f->normal_significand, .exponent = f->normal_quantum, .kind = BND_FINITE};
    char *smallest = power_text(normal);
    smallest = smallest != NULL ? smallest : readable_text(normal, false);
    const char *why[] = {
        "the format does not hold the number exactly",
        NULL,
        "after rounding, the number is beyond the largest of the format",
        "a finite number was divided by zero",
        "a signaling NaN, or what the format has no code for",
        "the largest number stands for one that is larger",
        "a number other than zero became zero",
    };
    for (uint32_t i = 0; i < sizeof why / sizeof why[0]; i++) {
        uint32_t flag = UINT32_C(1) << i;
        if ((l->rounded.flags & flag) != 0) {
            line("flag", flag == BND_UNDERFLOW
                             ? format_text("underflow: below the smallest normal number, %s, and inexact", smallest)
                             : format_text("%s: %s", bnd_flag_name(flag), why[i]));
        }
    }
    free(smallest);
}

static void explain_exact(const look *l)
{
    if (l->has_below) {
        line("below", value_and_code(l->format, l->below));
    }
    if (l->has_above) {
        line("above", value_and_code(l->format, l->above));
    }
    line("rule", copy_text(l->as_given ? "a code of this very format" : "the format holds the number exactly"));
}

void explain(const look *l, const given *v)
{
    bool inexact = (l->rounded.flags & BND_INEXACT) != 0;
    if ((l->rounded.flags & BND_OVERFLOW) != 0) {
        explain_overflow(l);
    } else if (v->number != NULL && inexact && (v->exact.negative ? l->has_above : l->has_below)) {
        explain_gap(l, v);
    } else if (inexact) {
        explain_least(l);
    } else if (v->number != NULL && l->rounded.flags == 0) {
        explain_exact(l);
    }
    explain_flags(l);
}
