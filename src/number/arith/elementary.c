/* exp, log, tanh, sigmoid and the functions made from them, in 256 bits.
 *
 * In all comments u = 2^-254 is the relative error of one operation of wide.h. Sums of numbers of one sign keep
 * relative errors; sums of numbers of different signs are analysed where they occur. Each function below keeps its
 * relative error under 2^-210, as bndi_wide_decide requires. There is no second, longer evaluation: `binade verify
 * --exhaustive --check bits` compares the result with MPFR at every operand of at most 16 bits.
 *
 * Near the ends of their ranges the functions are close to numbers of few bits: e^x to 1 + x, tanh x to x or 1. More
 * bits would not decide the rounding there. But the sign of the rest is known, and that it is less than one unit in the
 * last of 128 places. */
#include "arith/elementary.h"

#include "arith/wide.h"

/* All constants are truncated after the 256th bit. */
static const bndi_wide ln2 = {
    {0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af, 0x40f343267298b62d, 0x8a0d175b8baafa2b}, -256, false};
static const bndi_wide root_of_8_over_pi = {
    {0xcc42299ea1b28468, 0x7e59e2805d5c717f, 0xa7053e60a24e0db1, 0x808e369004c73a5d}, -255, false};

bool bndi_is_elementary_operand(const bnd_exact *x)
{
    if (x->kind != BND_KIND_FINITE) {
        return true;
    }
    if (x->high != 0 || x->sticky || x->low == 0) {
        return false;
    }
    int32_t top = 63 - (int32_t)bndi_leading_zeros(x->low, 0), exponent = x->exponent;
    uint64_t odd = x->low;
    for (; (odd & 1) == 0; odd >>= 1) {
        exponent++;
    }
    return odd >> BNDI_ELEMENTARY_BITS == 0 && exponent >= BNDI_ELEMENTARY_LEAST &&
           x->exponent <= BNDI_ELEMENTARY_MOST - top;
}

/* ---- a number, and slightly more or less ---- */

static bool beside(bnd_exact *out, bnd_exact x, bool outward)
{
    *out = bndi_nudged(x, outward);
    return true;
}

static bool is_below_power(const bnd_exact *x, int32_t exponent)
{
    return bndi_exponent(x) < exponent;
}

/* ---- the exponential function ---- */

/* e^x - 1 for |x| < 0.4. Taylor's series of r = x / 2^8 < 2^-9.3: r (1 + r/2 (1 + r/3 (...))) to the 21st power, which
 * leaves out 2^(-9.3 * 21) / 22! = 2^-265; then 8 times (e^r - 1)(e^r + 1) = e^2r - 1. The error of the series is 3 u,
 * since a factor r / n contributes less than 2^-9 of it. Each doubling adds 3 u and keeps the error nearly as it is (a
 * relative error d of E becomes d (1 + E / (E + 2)), 1.5 times over all eight). Together below 2^-248. */
static void exp_less_one(bndi_wide *out, const bndi_wide *x)
{
    enum { DOUBLINGS = 8, POWERS = 21 };
    bndi_wide one, two, r = *x, sum, sum_and_two;
    bndi_wide_of_word(&one, 1);
    bndi_wide_of_word(&two, 2);
    if (bndi_wide_is_zero(x)) {
        *out = *x;
        return;
    }
    r.exponent -= DOUBLINGS;
    sum = one;
    for (uint64_t n = POWERS; n > 1; n--) {
        bndi_wide_multiply(&sum, &sum, &r);
        bndi_wide_divide(&sum, &sum, n);
        bndi_wide_add(&sum, &sum, &one);
    }
    bndi_wide_multiply(&sum, &sum, &r);
    for (int i = 0; i < DOUBLINGS; i++) {
        bndi_wide_add(&sum_and_two, &sum, &two);
        bndi_wide_multiply(&sum, &sum, &sum_and_two);
    }
    *out = sum;
}

/* The integer nearest to x / ln 2, or one next to it, for |x| < 2^31, from the leading words of x and of 1 / ln 2. */
static int64_t whole_powers(const bndi_wide *x)
{
    uint64_t high, low;
    bndi_multiply(&high, &low, x->word[0], UINT64_C(0xb8aa3b295c17f0bc)); /* floor(2^63 / ln 2) */
    int64_t shift = -(x->exponent + 64 * (BNDI_WIDE_WORDS - 1) + 1);      /* x / ln 2 = high * 2^-shift; above 31 */
    int64_t k = shift < 64 ? (int64_t)(((high >> (shift - 1)) + 1) >> 1) : 0;
    return x->negative ? -k : k;
}

/* e^x = 2^k (1 + E(x - k ln 2)). The error of the difference is less than 2^-253 |x|, that is 2^-222 for |x| < 2^31.
 * Beyond that the answer is a power of two outside the range of every format, on the correct side. 1 + E lies between
 * 0.7 and 1.5, so its error is E's error and u: in total less than 2^-221 of it, and 2^-240 if |x| < 2^12. */
void bndi_wide_exp(bndi_wide *out, const bndi_wide *x)
{
    bndi_wide one, r, e;
    bndi_wide_of_word(&one, 1);
    if (!bndi_wide_is_zero(x) && bndi_wide_exponent(x) >= 31) {
        one.exponent = x->negative ? -BNDI_WIDE_FAR : BNDI_WIDE_FAR;
        *out = one;
        return;
    }
    int64_t k = bndi_wide_is_zero(x) ? 0 : whole_powers(x);
    bndi_wide_scale(&r, &ln2, (uint64_t)(k < 0 ? -k : k));
    r.negative = k > 0;
    bndi_wide_add(&r, x, &r);
    exp_less_one(&e, &r);
    bndi_wide_add(out, &one, &e);
    out->exponent += k;
}

/* Below 2^-64, e^x is 1 + x plus less than x^2. Let x = m 2^q with m of at most 16 bits. Then 1 + x fits into 128
 * places, or is at least 2^q away from the next number that does. x^2 < 2^(2 q + 32) is less than that, and less than
 * the last place. */
bool bndi_exp(bnd_exact *out, const bnd_exact *x)
{
    if (is_below_power(x, -64)) {
        bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};
        bndi_exact_sum(out, &one, x);
        out->sticky = true;
        return true;
    }
    bndi_wide y;
    bndi_wide_of_exact(&y, x);
    bndi_wide_exp(&y, &y);
    return bndi_wide_decide(out, &y);
}

/* ---- the logarithm ---- */

/* log(i / 16) for i = 12 .. 24. */
static const bndi_wide logs_of_sixteenths[] = {
    {{0x934b1089a6dc93c1, 0xdf5bb3b60554e151, 0x87a486e65aa1bcd5, 0xad047f998c197d96}, -257, true},
    {{0xd49f69e456cf1b79, 0x5f53bd2e406e66e7, 0x7188af8f4f45b9ee, 0x7ec0d7bfb6b65f0c}, -258, true},
    {{0x88bc74113f23def1, 0x9c5a0fe396f40f1d, 0xda8fec3c24b78a37, 0xbf07ed54c028b125}, -258, true},
    {{0x842cc5acf1d03445, 0x1fecdfa819b96097, 0xe362c7f8dd18e5cb, 0x2c885ebb0a67bc24}, -259, true},
    {{0}, 0, false},
    {{0xf85186008b15330b, 0xe64b8b775997898d, 0x3474d3375b525967, 0x1851f0a96f698496}, -260, false},
    {{0xf1383b7157972f4f, 0x543fff0ff4f0aaed, 0xca75e200bfb7cabe, 0xe844be0ffc8be4ac}, -259, false},
    {{0xaff983853c9e9e43, 0x9f105039091dd7f3, 0x5571cd57f7cf98c7, 0x02b3fb5b64a0a477}, -258, false},
    {{0xe47fbe3cd4d10d61, 0x2ec0f797fdcd1257, 0x1d97a9d046b706c5, 0xc3c4cfd592ff1d1a}, -258, false},
    {{0x8b3ae55d5d30701c, 0xe63eab883717047e, 0x0cfa09487833ea69, 0x8791b8732b281e2e}, -257, false},
    {{0xa30c5e10e2f613e8, 0x5bd9bd99e39a20ae, 0xe59a498016887279, 0x6bdd6ab952e7f931}, -257, false},
    {{0xb9cebfb5de8034e7, 0x12629fd69f7bcb55, 0xbbc21b9d4b2eaf77, 0x7924f09a4688de04}, -257, false},
    {{0xcf991f65fcc25f95, 0xb46bb37a02910c0c, 0xfa41ff668a8faf85, 0x6715af1d8b3c76c1}, -257, false},
};

/* log(m / c) = 2 (t + t^3/3 + t^5/5 + ...), t = (m - c) / (m + c), where m = M / 2^s and c = i / 16 differ by at most
 * 1/32 and are not below 23/32: |t| < 1/46. The terms after t^43 / 43 are less than 2^-245 of the sum. */
static void log_of_quotient(bndi_wide *out, uint64_t m, unsigned s, uint64_t i)
{
    enum { POWERS = 43 };
    uint64_t whole = m << 4, c = i << s;
    bndi_wide t, square, term, sum;
    bndi_wide_of_word(&t, whole > c ? whole - c : c - whole);
    bndi_wide_divide(&t, &t, whole + c);
    bndi_wide_multiply(&square, &t, &t);
    bndi_wide_of_word(&sum, 1);
    bndi_wide_divide(&sum, &sum, POWERS);
    for (uint64_t n = POWERS; n > 1; n -= 2) {
        bndi_wide_multiply(&sum, &sum, &square);
        bndi_wide_of_word(&term, 1);
        bndi_wide_divide(&term, &term, n - 2);
        bndi_wide_add(&sum, &sum, &term);
    }
    bndi_wide_multiply(out, &sum, &t);
    out->exponent++;
    out->negative = whole < c;
}

/* log x = e ln 2 + log c + log(m / c), x = 2^e m, 3/4 <= m < 3/2. The last term has a relative error of 8 u. It is the
 * only term if e = 0 and c = 1, and then nothing cancels. If e = 0 and c is another sixteenth, log c is at least 1/17
 * and the last term at most half of it. Otherwise e ln 2 is above 0.69 and the other terms together are below 0.41. So
 * the sum is at least 0.4 of its largest term, and its relative error is less than 2^-249. */
bool bndi_log(bnd_exact *out, const bnd_exact *x)
{
    uint64_t m = x->low;
    for (; (m & 1) == 0; m >>= 1) {
    }
    unsigned s = 63 - bndi_leading_zeros(m, 0); /* m / 2^s in [1, 2) */
    bool upper = s > 0 && m >> (s - 1) == 3;
    int32_t e = bndi_exponent(x) + upper;
    s += upper;
    uint64_t i = ((m << 5 >> s) + 1) >> 1;
    if (e == 0 && m == 1) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO};
        return true;
    }
    bndi_wide y, of_c = logs_of_sixteenths[i - 12];
    log_of_quotient(&y, m, s, i);
    bndi_wide_add(&of_c, &of_c, &y);
    bndi_wide_scale(&y, &ln2, (uint64_t)(e < 0 ? -(int64_t)e : e));
    y.negative = e < 0;
    bndi_wide_add(&y, &y, &of_c);
    return bndi_wide_decide(out, &y);
}

/* ---- tanh and the sigmoid ---- */

/* tanh x = x - x^3/3 + 2 x^5/15 - ... Below 2^-64 that is x minus an amount too small to reach the next number; below
 * 2^-50 it is x - x^3/3 plus a small amount, where x = m 2^q and so x^3 = m^3 2^3q: if 3 divides m that is a sum of
 * fewer than 256 bits, and the last term, below 2^-50 2^-3q, only sets the sticky bit; if not, its thirds stay 2^3q / 3
 * away from all numbers of 128 bits, while 2 x^5/15 < x^3 2^-102 = m^3 2^3q 2^-102, and m^3 < 2^48. */
static bool tanh_of_small(bnd_exact *out, const bnd_exact *x)
{
    if (is_below_power(x, -64)) {
        return beside(out, *x, false);
    }
    bndi_wide y, square, cube;
    bndi_wide_of_exact(&y, x);
    bndi_wide_multiply(&square, &y, &y);
    bndi_wide_multiply(&cube, &square, &y);
    bndi_wide_divide(&cube, &cube, 3);
    cube.negative = !cube.negative;
    bndi_wide_add(&y, &y, &cube);
    bndi_wide_decide(out, &y);
    return true;
}

/* E / (E + 2) with E = e^2|x| - 1, which is above 0.28 if it is not a value of exp_less_one itself, so its relative
 * error is less than 2^-237. Above 46, 1 - tanh x < 2 e^-92 < 2^-131. */
bool bndi_tanh(bnd_exact *out, const bnd_exact *x)
{
    if (is_below_power(x, -50)) {
        return tanh_of_small(out, x);
    }
    if (bndi_is_at_least(x, 4 * 46)) {
        return beside(out, (bnd_exact){.low = 1, .kind = BND_KIND_FINITE, .negative = x->negative}, false);
    }
    bndi_wide y, sign;
    bndi_wide_of_exact(&y, x);
    y.exponent++;
    y.negative = false;
    if (bndi_wide_exponent(&y) < -2) {
        exp_less_one(&y, &y);
    } else {
        bndi_wide_exp(&y, &y);
        bndi_wide_of_word(&sign, 1);
        sign.negative = true;
        bndi_wide_add(&y, &y, &sign);
    }
    bndi_wide_of_word(&sign, 2);
    bndi_wide_add(&sign, &y, &sign);
    bndi_wide_reciprocal(&sign, &sign);
    bndi_wide_multiply(&y, &y, &sign);
    y.negative = x->negative;
    return bndi_wide_decide(out, &y);
}

/* 1 / (1 + e^-x). */
static void wide_sigmoid(bndi_wide *out, const bndi_wide *x)
{
    bndi_wide one, y = *x;
    bndi_wide_of_word(&one, 1);
    y.negative = !y.negative;
    bndi_wide_exp(&y, &y);
    bndi_wide_add(&y, &one, &y);
    bndi_wide_reciprocal(out, &y);
}

/* 1/2 + x/4 - x^3/48 + ...: below 2^-42 the third term is less than 2^-131, and the argument for e^x below 2^-64
 * applies. From 90 on, 1 - sigmoid x < e^-90 < 2^-129. Between these its error is that of the exponential function. */
bool bndi_sigmoid(bnd_exact *out, const bnd_exact *x)
{
    if (is_below_power(x, -42)) {
        bnd_exact half = {.low = 1, .exponent = -1, .kind = BND_KIND_FINITE}, quarter = *x, sum;
        quarter.exponent -= 2;
        bndi_exact_sum(&sum, &half, &quarter);
        return beside(out, sum, x->negative);
    }
    if (!x->negative && bndi_is_at_least(x, 4 * 90)) {
        return beside(out, (bnd_exact){.low = 1, .kind = BND_KIND_FINITE}, false);
    }
    bndi_wide y;
    bndi_wide_of_exact(&y, x);
    wide_sigmoid(&y, &y);
    return bndi_wide_decide(out, &y);
}

/* ---- gelu, the form with tanh ---- */

/* x (1 + tanh w) / 2 = x sigmoid 2w, w = sqrt(2/pi) (x + 0.044715 x^3), 0.044715 = 8943 / 200000. Below 2^-128 this is
 * x/2 (1 + 0.8 x): the second term is less than the last of 128 places. From 10.25 on, e^-2w < e^-93 < 2^-134. The
 * relative error of 2w is 6 u, which adds |2w| 6 u to the error of the sigmoid: as much as the argument reduction of
 * the exponential function. */
bool bndi_gelu_tanh(bnd_exact *out, const bnd_exact *x)
{
    bnd_exact half = *x;
    half.exponent--;
    if (is_below_power(x, -128)) {
        return beside(out, half, !x->negative);
    }
    if (!x->negative && bndi_is_at_least(x, 41)) {
        return beside(out, *x, false);
    }
    bndi_wide y, w, one;
    bndi_wide_of_exact(&y, x);
    bndi_wide_of_word(&one, 1);
    bndi_wide_multiply(&w, &y, &y);
    bndi_wide_scale(&w, &w, 8943);
    bndi_wide_divide(&w, &w, 200000);
    bndi_wide_add(&w, &w, &one);
    bndi_wide_multiply(&w, &w, &y);
    bndi_wide_multiply(&w, &w, &root_of_8_over_pi);
    wide_sigmoid(&w, &w);
    bndi_wide_multiply(&y, &y, &w);
    return bndi_wide_decide(out, &y);
}
