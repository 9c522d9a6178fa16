/* Quotients, remainders and roots: as many digits as decide any rounding, and a sticky bit for the rest. Long division
 * and the schoolbook square root, several binary digits at a time if they fit a word. */
#include "base/verify.h"
#include "arith/arith.h"

static unsigned zeros_above(uint64_t x)
{
    return bndi_leading_zeros(x, 0);
}

/* The number of binary digits of a quotient by b per step. */
static unsigned digits_a_step(uint64_t b)
{
    unsigned room = zeros_above(b);
    return room > 0 ? room : 1;
}

/* The next `count` digits (at most digits_a_step) of remainder / b, the remainder being below b. */
static uint64_t next_digits(uint64_t *remainder, uint64_t b, unsigned count)
{
    if (b >> 63 == 0) {
        uint64_t shifted = *remainder << count;
        *remainder = shifted % b;
        return shifted / b;
    }
    bool carried = *remainder >> 63 != 0; /* twice the remainder may not fit, but is below 2 b */
    uint64_t twice = *remainder << 1;
    bool one = carried || twice >= b;
    *remainder = one ? twice - b : twice;
    return one;
}

static void append(bnd_exact *x, uint64_t digits, unsigned count)
{
    x->high = x->high << count | x->low >> (64 - count);
    x->low = x->low << count | digits;
}

/* The same number with its trailing zero bits moved into the exponent. */
static bnd_exact without_zeros(const bnd_exact *x)
{
    bnd_exact out = *x;
    for (; (out.low & 1) == 0 && out.low != 0; out.low >>= 1) {
        out.exponent++;
    }
    return out;
}

void bndi_quotient(bnd_exact *out, const bnd_exact *a, const bnd_exact *b)
{
    BNDI_VERIFY(bndi_is_plain_operand(a) && bndi_is_plain_operand(b));
    bnd_exact divisor = without_zeros(b), q = {.kind = BND_KIND_FINITE, .negative = a->negative != b->negative};
    unsigned shift = zeros_above(a->low), step = digits_a_step(divisor.low);
    uint64_t dividend = a->low << shift, remainder = dividend % divisor.low;
    q.low = dividend / divisor.low;
    int64_t exponent = (int64_t)a->exponent - divisor.exponent - shift;
    while (remainder != 0 && q.high >> 63 == 0) {
        unsigned room = bndi_leading_zeros(q.high, q.low), count = step < room ? step : room;
        append(&q, next_digits(&remainder, divisor.low, count), count);
        exponent -= count;
    }
    q.exponent = bndi_limited(exponent);
    q.sticky = remainder != 0;
    *out = q;
}

/* a mod b, both positive and with their exponents, a's not below b's; *odd: whether floor(a / b) is odd. */
static uint64_t modulo(const bnd_exact *a, const bnd_exact *b, bool *odd)
{
    uint64_t remainder = a->low % b->low;
    unsigned step = digits_a_step(b->low);
    *odd = (a->low / b->low & 1) != 0;
    for (int64_t left = (int64_t)a->exponent - b->exponent; left > 0;) {
        unsigned count = left < step ? (unsigned)left : step;
        *odd = (next_digits(&remainder, b->low, count) & 1) != 0;
        left -= count;
    }
    return remainder;
}

static bnd_exact finite_exact(uint64_t significand, int32_t exponent, bool negative)
{
    return (bnd_exact){.low = significand,
                       .exponent = significand != 0 ? exponent : 0,
                       .kind = significand != 0 ? BND_KIND_FINITE : BND_KIND_ZERO,
                       .negative = negative};
}

/* b with enough trailing zeros that its exponent is not above a's. Only for magnitudes with b <= a. */
static bnd_exact down_to(const bnd_exact *b, int32_t exponent)
{
    bnd_exact out = *b;
    if (out.exponent > exponent) {
        out.low <<= (unsigned)(out.exponent - exponent);
        out.exponent = exponent;
    }
    return out;
}

/* x minus the nearest multiple of y, for magnitudes; the sign is that of x or the opposite. */
static bnd_exact nearest_remainder(const bnd_exact *x, const bnd_exact *y)
{
    bnd_exact divisor = down_to(y, x->exponent);
    bool odd;
    uint64_t below = modulo(x, &divisor, &odd), above = divisor.low - below;
    if (below > above || (below == above && odd)) {
        return finite_exact(above, divisor.exponent, true);
    }
    return finite_exact(below, divisor.exponent, false);
}

void bndi_remainder(bnd_exact *out, const bnd_exact *a, const bnd_exact *b)
{
    BNDI_VERIFY(bndi_is_plain_operand(a) && bndi_is_plain_operand(b));
    bnd_exact x = without_zeros(a), y = without_zeros(b), half = y;
    bool negative = a->negative;
    x.negative = y.negative = half.negative = false;
    half.exponent--;
    if (bnd_exact_compare(x, half) <= 0) { /* the nearest multiple is zero */
        *out = *a;
        return;
    }
    if (bnd_exact_compare(x, y) < 0) { /* the nearest multiple is y itself */
        y.negative = true;
        bndi_exact_sum(&x, &x, &y);
    } else {
        x = nearest_remainder(&x, &y);
    }
    *out = x;
    out->negative = x.negative != negative;
}

/* ---- roots ---- */

enum { ROOT_DIGITS = 124 }; /* four times a remainder stays below 2^128 */

/* One step of the schoolbook root: the next two binary digits of the number are appended to the remainder. The root
 * grows by one digit, which is 1 if the remainder is at least 4 root + 1. */
static void next_root_digit(bnd_exact *root, bnd_exact *remainder, uint64_t two)
{
    remainder->high = remainder->high << 2 | remainder->low >> 62;
    remainder->low = remainder->low << 2 | two;
    uint64_t high = root->high << 2 | root->low >> 62, low = root->low << 2 | 1;
    bool one = remainder->high > high || (remainder->high == high && remainder->low >= low);
    if (one) {
        remainder->high -= high + (remainder->low < low);
        remainder->low -= low;
    }
    root->high = root->high << 1 | root->low >> 63;
    root->low = root->low << 1 | one;
}

void bndi_root(bnd_exact *out, const bnd_exact *a)
{
    BNDI_VERIFY(bndi_is_plain_operand(a));
    bnd_exact x = *a, root = {.kind = BND_KIND_FINITE}, remainder = {.high = 0};
    bndi_normalize(&x);
    if ((x.exponent & 1) != 0) {
        x.low = x.high << 63; /* low is still 0: high has a significand of 64 bits */
        x.high >>= 1;
        x.exponent++;
    }
    for (int i = 0; i < ROOT_DIGITS; i++) {
        next_root_digit(&root, &remainder, x.high >> 62);
        x.high = x.high << 2 | x.low >> 62;
        x.low <<= 2;
    }
    root.exponent = x.exponent / 2 + 64 - ROOT_DIGITS;
    root.sticky = (remainder.high | remainder.low) != 0;
    *out = root;
}

/* 1 / sqrt(m 2^e) = sqrt(2^k / m) 2^-((e + k) / 2): the digits of the quotient 2^k / m, which lies in [1, 4), are used
 * two at a time. The digits after the last step only affect the sticky bit. */
void bndi_reciprocal_root(bnd_exact *out, const bnd_exact *a)
{
    BNDI_VERIFY(bndi_is_plain_operand(a));
    bnd_exact x = without_zeros(a), root = {.kind = BND_KIND_FINITE}, remainder = {.high = 0};
    int64_t k = x.low > 1 ? 64 - (int64_t)zeros_above(x.low) : 0;
    k += (x.exponent + k) & 1;
    uint64_t rest = x.low > 1, digits = x.low > 1 ? 0 : UINT64_C(1) << k;
    for (int64_t i = 0; i < k && x.low > 1; i++) {
        digits = digits << 1 | next_digits(&rest, x.low, 1);
    }
    for (int i = 0; i < ROOT_DIGITS; i++) {
        next_root_digit(&root, &remainder, digits);
        digits = next_digits(&rest, x.low, 1);
        digits = digits << 1 | next_digits(&rest, x.low, 1);
    }
    root.exponent = bndi_limited(-(x.exponent + k) / 2 - (ROOT_DIGITS - 1));
    root.sticky = (remainder.high | remainder.low) != 0 || rest != 0 || digits != 0;
    *out = root;
}
