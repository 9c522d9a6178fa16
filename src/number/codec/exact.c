/* Order and neighbours of exact values. */
#include "codec/codec.h"

static int sign_of(bnd_exact x)
{
    return x.kind == BND_KIND_ZERO ? 0 : x.negative ? -1 : 1;
}

static int compare_magnitudes(bnd_exact a, bnd_exact b)
{
    if (a.kind == BND_KIND_INFINITE || b.kind == BND_KIND_INFINITE) {
        return (a.kind == BND_KIND_INFINITE) - (b.kind == BND_KIND_INFINITE);
    }
    bndi_normalize(&a);
    bndi_normalize(&b);
    if (a.exponent != b.exponent) {
        return a.exponent < b.exponent ? -1 : 1;
    }
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    if (a.low != b.low) {
        return a.low < b.low ? -1 : 1;
    }
    return a.sticky - b.sticky;
}

int bnd_exact_compare(bnd_exact a, bnd_exact b)
{
    int sign = sign_of(a);
    if (sign != sign_of(b)) {
        return sign < sign_of(b) ? -1 : 1;
    }
    return sign == 0 ? 0 : sign * compare_magnitudes(a, b);
}

/* Slightly more: set the sticky bit. Slightly less: subtract one in the last of 128 places and set the sticky bit. */
bnd_exact bndi_nudged(bnd_exact x, bool outward)
{
    bndi_normalize(&x);
    if (!outward && !x.sticky) {
        x.high -= x.low == 0;
        x.low--;
        if (x.high >> 63 == 0) { /* just below a power of two: all ones, with one more place */
            x.high = UINT64_MAX;
            x.exponent--;
        }
    }
    x.sticky = true;
    return x;
}

/* A magnitude smaller than every format's least number, larger than zero. */
static bnd_exact speck(bool negative)
{
    return (bnd_exact){.low = 1, .exponent = -(1 << 30), .kind = BND_KIND_FINITE, .negative = negative, .sticky = true};
}

/* The number next to an infinity, toward zero. */
static bnd_exact largest_exact(const bnd_format *f, bool negative)
{
    return (bnd_exact){
        .low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE, .negative = negative};
}

/* In a signed format with infinities, minus infinity is the neighbour below the smallest number. In other formats the
 * smallest number has no neighbour below it. */
bool bnd_neighbour(bnd_exact *out, const bnd_format *f, bnd_exact x, int direction)
{
    bool up = direction > 0;
    if (x.kind == BND_KIND_QUIET_NAN || x.kind == BND_KIND_SIGNALING_NAN) {
        return false;
    }
    bool infinite = x.kind == BND_KIND_INFINITE;
    if (infinite && x.negative != up) {
        return false;
    }
    if (infinite && (!x.negative || f->is_signed)) {
        *out = largest_exact(f, x.negative);
        return true;
    }
    bnd_exact moved = infinite ? x : x.kind == BND_KIND_ZERO ? speck(!up) : bndi_nudged(x, x.negative != up);
    if (moved.negative && !f->is_signed) {
        if (!up) {
            return false;
        }
        moved = f->has_zero ? (bnd_exact){.kind = BND_KIND_ZERO} : speck(false);
    }
    bnd_rule rule = {.rounding = up ? BND_ROUND_RUP : BND_ROUND_RDN};
    bnd_rounded r = bnd_round_exact(f, moved, rule, 0);
    bool beyond = r.value.kind == BND_KIND_QUIET_NAN || bnd_exact_compare(r.value, x) != (up ? 1 : -1);
    if (beyond) {
        return false;
    }
    *out = r.value;
    return true;
}
