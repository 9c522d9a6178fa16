/* Where a number lies between two values of a format, and which special rules apply before it is rounded. */
#include "look.h"

/* inner + steps / 2 * 2^quantum, inner being a whole number of them */
bnd_exact half_steps_away(bnd_exact inner, int32_t quantum, unsigned steps)
{
    for (; inner.kind == BND_KIND_FINITE && inner.exponent > quantum; inner.exponent--) {
        inner.low <<= 1;
    }
    uint64_t low = (inner.low << 1) + steps;
    uint64_t high = (inner.low >> 63) + (low < steps);
    return (bnd_exact){
        .high = high, .low = low, .exponent = quantum - 1, .kind = BND_KIND_FINITE, .negative = inner.negative};
}

look_gap gap_around(const look *l, const given *v)
{
    const bnd_format *f = l->format;
    bool negative = v->exact.negative;
    look_gap g = {.below = l->below, .above = l->above};
    bnd_exact inner = negative ? g.above : g.below, *outer = negative ? &g.below : &g.above, width;
    bool has_outer = negative ? l->has_below : l->has_above;
    g.beyond = !has_outer || outer->kind != BND_KIND_FINITE;
    if (inner.kind == BND_KIND_ZERO) {
        width = g.middle = (bnd_exact){
            .low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE, .negative = negative};
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
    double from_below = 0;
    g.has_part = units_from_given(&from_below, v, g.below, width);
    g.part = -from_below;
    return g;
}

/* ---- special rules ---- */

bool flushed_on_input(const look *l, const given *v)
{
    return v->is_code && l->rule.flush_in && bnd_classify(&v->format, v->exact) == BND_CLASS_SUBNORMAL;
}

/* The look as it would have been without --flush out. */
bool flushed_on_output(const look *l, const given *v, look *without)
{
    *without = *l;
    without->rule.flush_out = BND_FLUSH_NONE;
    without->rounded = round_given(v, l->format, without->rule, l->random);
    return l->rule.flush_out && l->rounded.value.kind == BND_KIND_ZERO &&
           without->rounded.value.kind == BND_KIND_FINITE;
}

/* The rule that takes a magnitude: all that follows is about the number without its sign. */
bool drops_sign(const look *l, const given *v)
{
    return v->exact.negative && !l->format->is_signed && l->rule.negative == BND_NEGATIVE_MAGNITUDE &&
           is_given_finite(v);
}

/* Was the input rounded to one of two neighbours? */
bool lies_in_gap(const look *l, const given *v)
{
    return (l->rounded.flags & BND_FLAG_INEXACT) != 0 && (l->rounded.flags & BND_FLAG_OVERFLOW) == 0 &&
           is_given_finite(v) && (v->exact.negative ? l->has_above : l->has_below);
}

static bool without_gap(const look *l, const given *v)
{
    look without;
    return drops_sign(l, v) || flushed_on_input(l, v) || flushed_on_output(l, v, &without);
}

bool find_gap(look_gap *out, const look *l, const given *v)
{
    if (!lies_in_gap(l, v) || without_gap(l, v)) {
        return false;
    }
    *out = gap_around(l, v);
    return out->has_part && !out->beyond;
}

bool find_gap_or_end(look_gap *out, const look *l, const given *v)
{
    bool inner = v->exact.negative ? l->has_above : l->has_below;
    if ((l->rounded.flags & BND_FLAG_INEXACT) == 0 || !is_given_finite(v) || !inner || without_gap(l, v)) {
        return false;
    }
    *out = gap_around(l, v);
    return out->has_part && out->part >= 0 && out->part <= 1;
}
