/* Elementary functions in vectors of doubles, a part of maths.c. They come twice: with relative errors of a few 2^-53,
 * and, where the result is rounded to fp32 (`brief`), of less than 2^-40, a 2^-16th of its last place, by polynomials
 * that are shorter.
 *
 * How e^1 goes through reduce, less_one and the power of two, in doubles:
 *
 *   x log2(e) + magic    1.4427 + 1.5 2^52 = 1.5 2^52 + 1     the addition rounds to an integer
 *   n                    1                                     in the low bits of the sum, and as a number
 *   r                    1 - log 2 = 0.306853                  LOG2_HIGH n is exact, so only LOG2_LOW n rounds
 *   e^r - 1              0.359141                              r + r^2 P(r)
 *   (1 + that) 2^n       2.718282                              an addition to the exponent field
 *
 * and log 10: the exponent is taken so that m is between sqrt(1/2) and sqrt(2): 10 = 2^3 1.25, s = (m - 1) / (m + 1) =
 * 0.1111, 2 atanh(s) = 0.223144, + 3 log 2 = 2.302585. */

/* c[0] x^(n-1) + ... + c[n-1], n a multiple of four: every fourth power in a sum of its own, so that additions wait for
 * a quarter of the others. */
static ALWAYS_INLINE doubles polynomial(doubles x, const double *c, unsigned n)
{
    doubles square = x * x, fourth = square * square, sum[4] = {all(c[0]), all(c[1]), all(c[2]), all(c[3])};
    ALL_TERMS
    for (unsigned i = 4; i < n; i += 4) {
        ALL_TERMS
        for (unsigned j = 0; j < 4; j++) {
            sum[j] = sum[j] * fourth + c[i + j];
        }
    }
    return ((sum[0] * x + sum[1]) * square + sum[2] * x) + sum[3]; /* the largest last, as a rule */
}

/* The same in as few steps as can be, n being a power of two up to 16. */
static ALWAYS_INLINE doubles short_polynomial(doubles x, const double *c, unsigned n)
{
    doubles sum[8] = {all(0)}; /* compilers that do not see n ask for it */
    ALL_TERMS
    for (unsigned i = 0; i < n / 2; i++) {
        sum[i] = x * c[2 * i] + c[2 * i + 1];
    }
    ALL_TERMS
    for (unsigned left = n / 4; left > 0; left /= 2) {
        x = x * x;
        ALL_TERMS
        for (unsigned i = 0; i < left; i++) {
            sum[i] = sum[2 * i] * x + sum[2 * i + 1];
        }
    }
    return sum[0];
}

/* ---- the exponential function ---- */

/* log(2) in two parts, the first with 33 bits, so that its product with a whole number up to 2^11 is exact. */
#define LOG2_HIGH 0x1.62e42feep-1
#define LOG2_LOW  0x1.a39ef35793c76p-33

/* x = n log 2 + r with |r| <= 0.347; n as a number, and in the low bits of *whole. */
static ALWAYS_INLINE doubles reduce(doubles x, doubles *n, words *whole)
{
    const double magic = 0x1.8p52; /* x + magic has no bits below 1 */
    doubles shifted = x * 0x1.71547652b82fep0 + magic;
    *whole = (words)shifted - (words)all(magic);
    *n = shifted - magic;
    return (x - *n * LOG2_HIGH) - *n * LOG2_LOW;
}

/* e^r - 1 by its series: what is left out is below 0.347^14 / 14! = 5e-18 of r. In brief r + r^2 times a polynomial,
 * whose error is 2^-39.9 of it, 2^-42 of e^r: tools/dev/erf-coefficients.py. */
static ALWAYS_INLINE doubles less_one(doubles r, bool brief)
{
    static const double c[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                               1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                               1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
    static const double few[] = {0x1.72ad3ae3ed777p-19, 0x1.a136b06babd51p-16, 0x1.a019c3721fb3ep-13,
                                 0x1.6c166be75a859p-10, 0x1.111111170ad56p-7,  0x1.55555565c559fp-5,
                                 0x1.5555555554f97p-3,  0x1.fffffffffe069p-2};
    return r + r * r * (brief ? short_polynomial(r, few, COUNT(few)) : polynomial(r, c, COUNT(c)));
}

/* 2^n as the bits of a double, for n from -1022 to 1023: 2^3 is (3 + 1023) << 52 = 4020000000000000. */
static ALWAYS_INLINE doubles power_of_two(words n)
{
    return (doubles)((n + 1023) << 52);
}

/* What is e^700 or e^-700 or beyond is an infinity or zero, as it is in fp32 too; so a power of two is an addition to
 * the exponent. x is r + n log 2, and n the low bits of `whole`. */
static ALWAYS_INLINE doubles brief_exponential(doubles x, doubles r, words whole)
{
    doubles y = (doubles)((unsigned_words)(1 + less_one(r, true)) + ((unsigned_words)whole << 52));
    y = pick(x < 700, pick(x > -700, y, all(0)), all(__builtin_inf()));
    return pick(x == x, y, x);
}

/* Multiplied twice by half the power, so that subnormal results are rounded once and nothing overflows too early.
 * e^-745 has n = -1075: 2^-1075 is not a double, but 2^-538 and 2^-537 are, and the first product is a normal number.
 * Beyond 710 and -746 the result is infinite or 0 in any case, so the argument is limited there. */
static ALWAYS_INLINE doubles exponential(doubles x, bool brief)
{
    doubles n;
    words whole;
    if (brief) {
        doubles r = reduce(x, &n, &whole);
        return brief_exponential(x, r, whole);
    }
    doubles limited = pick(x < 710, pick(x > -746, x, all(-746)), all(710));
    doubles r = reduce(limited, &n, &whole);
    words half = whole >> 1;
    doubles y = (1 + less_one(r, false)) * power_of_two(half) * power_of_two(whole - half);
    return pick(x == x, y, x);
}

/* e^x - 1 for 0 <= x <= 40. */
static ALWAYS_INLINE doubles exponential_less_one(doubles x, bool brief)
{
    doubles n;
    words whole;
    doubles r = reduce(x, &n, &whole);
    doubles two_n = power_of_two(whole);
    return two_n * less_one(r, brief) + (two_n - 1);
}

static ALWAYS_INLINE doubles hyperbolic_tangent(doubles x, bool brief)
{
    doubles a = magnitude(x);
    doubles t = exponential_less_one(2 * pick(a < 20, a, all(20)), brief); /* beyond, 1 is the nearest double */
    return pick(x == x, with_sign_of(t / (t + 2), x), x);
}

/* 1 / (1 + e^-x), by the exponential that does not overflow. */
static ALWAYS_INLINE doubles sigmoid(doubles x, bool brief)
{
    doubles e = exponential(-magnitude(x), brief);
    return pick(x < 0, e, all(1)) / (1 + e);
}

/* x sigmoid(x), differentiated. */
static ALWAYS_INLINE doubles silu_slope(doubles x, bool brief)
{
    doubles s = sigmoid(x, brief);
    return s * (1 + x * (1 - s));
}

/* ---- the logarithm ---- */

/* x = 2^n m, m from sqrt(1/2) to sqrt(2); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172, by its series: what
 * is left out is below 0.172^26 / 27 = 6e-22; in brief below 0.172^18 / 19 = 9e-16. */
static ALWAYS_INLINE doubles logarithm(doubles x, bool brief)
{
    static const double c[] = {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15,
                               2.0 / 13, 2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    words small = x < 0x1p-1022;
    doubles y = pick(small, x * 0x1p54, x);
    unsigned_words above = (unsigned_words)y - 0x3fe6a09e667f3bcd; /* the bits of sqrt(1/2); it wraps where x < 0 */
    words n = (words)above >> 52;
    doubles m = (doubles)((unsigned_words)y - ((unsigned_words)n << 52));
    doubles power = __builtin_convertvector(n - (small & 54), doubles);
    doubles s = (m - 1) / (m + 1), z = s * s;
    doubles tail =
        s * z * (brief ? short_polynomial(z, c + 4, COUNT(c) - 4) : polynomial(z, c, COUNT(c))) + power * LOG2_LOW;
    doubles result = power * LOG2_HIGH + (2 * s + tail);
    result = pick(x == 0, all(-__builtin_inf()), pick(x < 0, all(__builtin_nan("")), result));
    return pick((x == x) & (x < __builtin_inf()), result, pick(x != x, x, x));
}

/* x^k: small whole powers by products, squares first; halves by roots; others by logarithms, whose error grows with
 * k log x. */
static ALWAYS_INLINE doubles power(doubles x, double k, bool brief)
{
    double size = k < 0 ? -k : k;
    bool below = size < 0x1p53, whole = !below || size == (double)(int64_t)size;
    bool odd = below && whole && ((int64_t)size & 1) != 0;
    if (whole && size <= 64) {
        doubles product = all(1), square = x;
        for (unsigned left = (unsigned)size; left > 0; left >>= 1) {
            product = (left & 1) != 0 ? product * square : product;
            square = square * square;
        }
        return k < 0 ? 1 / product : product;
    }
    if (size == 0.5) {
        return k < 0 ? 1 / root(x) : root(x);
    }
    doubles y = exponential(k * logarithm(whole ? magnitude(x) : x, brief), brief);
    return odd ? with_sign_of(y, x) : y;
}

/* ---- the error function ---- */

#define TWO_BY_ROOT_PI 0x1.20dd750429b6dp0

/* The coefficients are tools/dev/erf-coefficients.py's; relative errors 4.4e-17 and 1.6e-16; in brief 2^-40.2. */
static const double small_erf[] = {-0x1.ac9585a44fe29p-31, 0x1.d76af6ca49787p-27,  -0x1.5c131500d3f88p-23,
                                   0x1.b981d78881a5dp-20,  -0x1.f4ca838adb73bp-17, 0x1.f9a2be4f731a1p-14,
                                   -0x1.c02db0665e53dp-11, 0x1.565bccfa44156p-8,   -0x1.b82ce31203772p-6,
                                   0x1.ce2f21a040f66p-4,   -0x1.812746b0379c1p-2,  0x1.20dd750429b6dp+0};
static const double scaled_erfc[] = {
    0x1.415bd9ba54f24p-32,  0x1.d57e66df8f984p-31, -0x1.a1cdb86715b97p-30, -0x1.105ffef56aa30p-27,
    0x1.8a75c6acfd48ep-30,  0x1.89e5dd0bc7bfap-25, 0x1.e6ab80dd57676p-26,  -0x1.f659ec118ac81p-23,
    -0x1.3b9d136dca330p-22, 0x1.501f9bd455463p-20, 0x1.1c8bc571df738p-19,  -0x1.0bb2bb4f31b94p-17,
    -0x1.af86e7b65ea6bp-17, 0x1.0cac2e2b9378ep-14, 0x1.7ba1045f05f28p-15,  -0x1.39084c40b66b2p-11,
    0x1.73101e773ce0fp-11,  0x1.17c838ee4fafdp-8,  -0x1.8fa58eb5d8910p-6,  0x1.258b13b017c9bp-4,
    -0x1.336ffbef08b5ap-3,  0x1.f6ff204105970p-3,  -0x1.4e102b9cf8513p-2,  0x1.6e9827d229d2dp-3};

static const double brief_erfc[] = {
    0x1.f9dcc3e037471p-21, 0x1.41f3627d7b094p-18,  -0x1.40e1e94ff286fp-20, -0x1.861133bbb4f83p-16,
    0x1.4842af6ecd52dp-14, -0x1.6dd658c8c9036p-16, -0x1.a2e0cb8c9566cp-11, 0x1.0a18c0f5559ffp-8,
    -0x1.a4defcbe46140p-7, 0x1.0066dccf3b674p-5,   -0x1.027d570adfb1dp-4,  0x1.be502c576ab1cp-4,
    -0x1.506666f70ec4ap-3, 0x1.bff01a5f34988p-3,   -0x1.094922737404ep-2,  0x1.18932bf08e67cp-3};

/* erfc x for x >= 0 without its factor e^(-x^2), by a polynomial in t = (x - middle) / (x + middle), which is between
 * -1 and 1. Beyond `most` the result is below the least double (or fp32 number), so x is limited there. */
static ALWAYS_INLINE doubles to_interval(doubles x, bool brief)
{
    const double most = brief ? 10.5 : 28, middle = brief ? 4 : 3;
    doubles limited = pick(x < most, x, all(most));
    return (limited - middle) / (limited + middle);
}

/* The polynomials for erfc, long and short. */
static ALWAYS_INLINE doubles complement_at(doubles t, bool brief)
{
    return brief ? short_polynomial(t, brief_erfc, COUNT(brief_erfc)) : polynomial(t, scaled_erfc, COUNT(scaled_erfc));
}

static ALWAYS_INLINE doubles scaled_complement(doubles x, bool brief)
{
    return complement_at(to_interval(x, brief), brief);
}

/* erf x = x P(x^2) for |x| < 1, where 1 - erfc would lose bits. */
static ALWAYS_INLINE doubles small_error_function(doubles x)
{
    return x * polynomial(x * x, small_erf, COUNT(small_erf));
}

/* erf: the polynomial below 1, 1 - erfc above, with the sign of x. */
static ALWAYS_INLINE doubles error_function(doubles x, bool brief)
{
    doubles a = magnitude(x);
    words is_small = a < 1;
    doubles limited = pick(a < 28, a, all(28)); /* beyond this the exponential is not a double */
    doubles large = 1 - exponential(-(limited * limited), brief) * scaled_complement(a, brief);
    doubles y = pick(is_small, small_error_function(pick(is_small, a, all(0))), large);
    return pick(x == x, with_sign_of(y, x), x);
}

/* Phi(x), the share of a normal distribution below x: erfc(-x / sqrt 2) / 2, without loss on either side, of
 * e = e^(-x^2 / 2) and erfc's other factor. */
static ALWAYS_INLINE doubles tail_of(doubles x)
{
    return magnitude(x * 0x1.6a09e667f3bcdp-1);
}

static ALWAYS_INLINE doubles share_below(doubles x, doubles e, doubles complement)
{
    doubles tail = 0.5 * e * complement;
    return pick(x == x, pick(x < 0, tail, 1 - tail), x);
}

#define BY_ROOT_TWO_PI 0x1.9884533d43651p-2

/* The square loses a relative 2^-53 of itself: x^2 2^-54 of the result. */
static ALWAYS_INLINE doubles bell_exponent(doubles x)
{
    return -0.5 * (x * x);
}

/* ---- gelu by tanh ---- */

#define ROOT_TWO_BY_PI 0x1.9884533d43651p-1
#define CUBIC          0.044715

/* x (1 + tanh z) / 2 = x sigmoid(2 z), which loses nothing where tanh is near -1. */
static ALWAYS_INLINE doubles gelu_by_tanh(doubles x, bool brief)
{
    return x * sigmoid(2 * ROOT_TWO_BY_PI * (x + CUBIC * (x * x * x)), brief);
}

static ALWAYS_INLINE doubles gelu_by_tanh_slope(doubles x, bool brief)
{
    doubles s = sigmoid(2 * ROOT_TWO_BY_PI * (x + CUBIC * (x * x * x)), brief);
    doubles inner = 2 * ROOT_TWO_BY_PI * (1 + 3 * CUBIC * (x * x));
    return s + x * ((s * (1 - s)) * inner);
}
