/* Sums of one row of the product, in every format and by every rule, with the same results as bnd_operate. Tiles that
 * cannot decide are computed here.
 *
 * By doubles where they suffice: the product of two fp32 numbers has 48 bits and is exact. A sum is rounded to odd: of
 * the doubles around it the one with an odd significand. Such a number of 53 bits rounds as the exact one does in every
 * mode that looks at no more than 51 bits of it and at whether there is more: no midpoint of two values, and none of
 * the thresholds of random bits, is odd, nor does one lie between it and the exact sum. bulk/ rounds the doubles, and
 * handles overflow, infinities and NaNs. Everything else is done one number at a time by arith/.
 *
 * One step of a strip for an e4m3 accumulator, FUSED, three columns, x = a[k] = 0.3125:
 *
 *   b                  1.125            448                 -0.001953125
 *   t = x b            0.3515625        140                 -2^-9 * 0.3125          exact in double
 *   s before           16               416                 0
 *   sum to odd         16.3515625       556                 -0.0006103515625
 *   rounded to e4m3    16               NaN (beyond 448)    -0                      by bulk/, the rule as it is
 *
 * Why 51 bits: an odd number of 53 bits is never a midpoint of two values of 51 bits or less, nor a threshold that
 * random bits set; and no such place lies strictly between it and the exact sum, since the two are neighbours in a grid
 * that contains all of them. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "base/verify.h"
#include "base/bits.h"
#include "bulk/environment.h"
#include "matmul/matmul.h"

/* ---- by doubles ---- */

/* A step: the products of one row of B, and random bits for each. */
typedef struct strip_products {
    double t[BNDI_STRIP];
    uint64_t random[BNDI_STRIP];
} strip_products;

/* The error of a sum is a double (Knuth); where it is not zero, an even sum moves to its neighbour on that side. Where
 * s is infinite or NaN the error is NaN, and s stays. x = 2^-60, y = 1:
 *
 *   s = 3ff0000000000000 (1, even)     back = 1     e = (2^-60 - 0) + 0 = 2^-60
 *   e > 0 and s > 0: + 1               3ff0000000000001 */
static double sum_to_odd(double x, double y)
{
    double s = x + y, back = s - x, e = (x - (s - back)) + (y - back);
    uint64_t bits = bndi_bits_of_double(s), even = ~bits & 1,
             step = e < 0 || e > 0 ? even : 0; /* e is NaN if s is not finite */
    return bndi_double_of_bits((e > 0) == (s > 0) ? bits + step : bits - step);
}

/* The element number for the random bits of the strip's first column in its step k; those of its other columns follow.
 * EACH adds bndi_after_products to it for sums. */
static uint64_t random_place_of(const bndi_sum *sum, const bndi_strip *strip, size_t k)
{
    return bndi_random_place(sum, strip->row, strip->first + k, strip->column);
}

/* The random entries of n elements from `first` on, if the rule needs any. */
static void strip_random(const bndi_sum *sum, strip_products *p, size_t n, uint64_t first)
{
    if (sum->plan.random_bits > 0) {
        sum->random(p->random, n, sum->seed, sum->purpose, first, sum->plan.random_bits);
    }
}

/* Rounds n doubles to the format, in the processor mode that the vector kernels want. */
static void round_lanes(const bndi_sum *sum, strip_products *p, double *x, size_t n)
{
    const unsigned mode = sum->plan.mode_to_set;
    if (mode != BND_ROUND_RNE) {
        bndi_set_rounding(mode);
    }
    sum->round(&sum->plan, x, x, sum->plan.random_bits > 0 ? p->random : NULL, n);
    if (mode != BND_ROUND_RNE) {
        bndi_set_rounding(BND_ROUND_RNE);
    }
}

/* Sums to odd. */
static void sum_lanes(double *s, const double *t, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        s[j] = sum_to_odd(t[j], s[j]);
    }
}

/* Rounding down: a sum of zero is -0, unless both terms are +0. 1 + -1, +0 + -0 and -0 + -0 give -0; +0 + +0 gives +0:
 * the or of both signs. */
static void sum_lanes_down(double *s, const double *t, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t signs = (bndi_bits_of_double(s[j]) | bndi_bits_of_double(t[j])) & UINT64_C(1) << 63;
        double r = sum_to_odd(t[j], s[j]);
        s[j] = r == 0 ? bndi_double_of_bits(signs) : r;
    }
}

/* One step k for all columns: products, then (EACH) their rounding, sums, rounding. `native`: the accumulator is fp64
 * itself. */
static void step_in_double(const bndi_sum *sum, double *s, strip_products *p, const bndi_strip *strip, size_t k)
{
    const bool each = sum->accumulator.kind == BND_ACCUMULATE_EACH;
    const double x = (double)strip->a[k];
    const float *b = strip->b + (ptrdiff_t)k * strip->b_step;
    const size_t n = strip->n;
    const uint64_t place = random_place_of(sum, strip, k);
    for (size_t j = 0; j < n; j++) {
        p->t[j] = x * (double)b[j];
    }
    if (sum->native) {
        for (size_t j = 0; j < n; j++) {
            s[j] += p->t[j];
        }
        return;
    }
    /* EACH rounds the product first, with random bits of its own. */
    if (each) {
        strip_random(sum, p, n, place);
        round_lanes(sum, p, p->t, n);
    }
    if (sum->accumulator.rule.rounding == BND_ROUND_RDN) {
        sum_lanes_down(s, p->t, n);
    } else {
        sum_lanes(s, p->t, n);
    }
    strip_random(sum, p, n, place + bndi_after_products(sum));
    round_lanes(sum, p, s, n);
}

/* ---- a number at a time ---- */

/* An operation on codes, or on exact values where the accumulator is a value set without codes. */
static bndi_element rounded(const bndi_sum *sum, bnd_operation operation, const bnd_format *const *from,
                            const uint64_t *codes, const bnd_exact *values, uint64_t random)
{
    const bnd_format *f = &sum->accumulator.format;
    const bnd_rule rule = sum->accumulator.rule;
    uint32_t flags = 0;
    if (f->width > 0) {
        return (bndi_element){.code = bnd_operate(f, operation, from, codes, rule, random).code};
    }
    bnd_exact exact = bnd_operate_exact(operation, f, values, rule, random, &flags);
    return (bndi_element){.value = bnd_round_exact(f, exact, rule, random).value};
}

/* An operand's value, flushed where the rule flushes inputs. */
static bnd_exact flushed_operand(const bnd_format *f, uint64_t code, bnd_rule rule)
{
    bnd_exact x = bnd_unpack(f, code);
    bool flushed = rule.flush_in && bnd_classify(f, x) == BND_CLASS_SUBNORMAL;
    return flushed ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x.negative} : x;
}

/* A sum of a value set as an operand; a code is flushed by bnd_operate. */
static bnd_exact sum_operand(const bndi_sum *sum, bnd_exact s)
{
    const bnd_format *f = &sum->accumulator.format;
    bool flushed = sum->accumulator.rule.flush_in && f->width == 0 && bnd_classify(f, s) == BND_CLASS_SUBNORMAL;
    return flushed ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = s.negative} : s;
}

/* One step of one element, by arith/. */
static bndi_element step_of_one(const bndi_sum *sum, bndi_element s, uint64_t a, uint64_t b, uint64_t place)
{
    const bnd_format *f = &sum->accumulator.format, *of_a = &sum->a_format, *of_b = &sum->b_format;
    const bool each = sum->accumulator.kind == BND_ACCUMULATE_EACH;
    const unsigned bits = bnd_rule_random_bits(sum->accumulator.rule);
    uint64_t random[2] = {0, 0}, codes[3] = {a, b, s.code};
    for (unsigned r = 0; bits > 0 && r < (each ? 2 : 1); r++) {
        random[r] = bnd_random_bits(sum->seed, sum->purpose, place + r * bndi_after_products(sum), bits);
    }
    /* Operands as exact values, for accumulators that are value sets; codes for the others. */
    bnd_exact values[3] = {flushed_operand(of_a, a, sum->accumulator.rule),
                           flushed_operand(of_b, b, sum->accumulator.rule), sum_operand(sum, s.value)};
    if (!each) {
        return rounded(sum, BND_OP_FMA, (const bnd_format *const[]){of_a, of_b, f}, codes, values, random[0]);
    }
    bndi_element p = rounded(sum, BND_OP_MUL, (const bnd_format *const[]){of_a, of_b}, codes, values, random[0]);
    const bnd_exact terms[2] = {sum_operand(sum, s.value), sum_operand(sum, p.value)};
    return rounded(sum, BND_OP_ADD, (const bnd_format *const[]){f, f}, (uint64_t[]){s.code, p.code}, terms, random[1]);
}

/* fp32 into the accumulator's format, and back to fp32 as it is stored. */
static bndi_element started(const bndi_sum *sum, float x)
{
    const bnd_format *f = &sum->accumulator.format;
    bnd_rounded r = bnd_round_exact(f, bnd_exact_float(x), sum->start.rule, 0);
    return (bndi_element){.code = f->width > 0 ? bnd_pack(f, r.value) : 0, .value = r.value};
}

/* An element as fp32, as it is stored. */
static float stored(const bndi_sum *sum, bndi_element s)
{
    const bnd_format *f = &sum->accumulator.format;
    bnd_exact value = f->width > 0 ? bnd_unpack(f, s.code) : s.value;
    return bndi_float_of_bits(
        (uint32_t)bnd_encode_exact(sum->fp32, value, (bnd_rule){.nan = BND_NAN_CANONICAL}, 0).code);
}

/* The code of an operand: it is a value of its format, so the rule has no effect. */
static uint64_t code_in(const bndi_sum *sum, const bnd_format *f, float x)
{
    return bnd_convert(f, sum->fp32, bndi_bits_of_float(x), (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
}

/* All steps of a strip, element by element. */
static void steps_one_by_one(const bndi_sum *sum, bndi_element *s, const bndi_strip *strip)
{
    for (size_t j = 0; j < strip->n; j++) {
        for (size_t k = 0; k < strip->k; k++) {
            uint64_t a = code_in(sum, &sum->a_format, strip->a[k]);
            uint64_t b = code_in(sum, &sum->b_format, strip->b[(ptrdiff_t)k * strip->b_step + (ptrdiff_t)j]);
            s[j] = step_of_one(sum, s[j], a, b, random_place_of(sum, strip, k) + j);
        }
    }
}

/* ---- strips ---- */

/* The state of a strip from C: in doubles, or as exact elements. */
void bndi_strip_open(const bndi_sum *sum, bndi_state *state, const float *c, size_t n)
{
    BNDI_VERIFY(n <= BNDI_STRIP);
    for (size_t j = 0; j < n && !sum->in_double; j++) {
        state->one[j] = started(sum, c[j]);
    }
    for (size_t j = 0; j < n && sum->in_double; j++) {
        state->s[j] = (double)c[j];
    }
    if (sum->in_double && !sum->native) {
        bndi_round_64(&sum->start, state->s, state->s, NULL, n);
    }
}

/* k steps. */
void bndi_strip_steps(const bndi_sum *sum, bndi_state *state, const bndi_strip *strip)
{
    strip_products p;
    BNDI_VERIFY(strip->n <= BNDI_STRIP);
    if (!sum->in_double) {
        steps_one_by_one(sum, state->one, strip);
        return;
    }
    for (size_t k = 0; k < strip->k; k++) {
        step_in_double(sum, state->s, &p, strip, k);
    }
}

/* fp32 + the format: the exact sum, rounded once to nearest even, by arith/. The accumulator's own rule is not used: a
 * promotion is an addition of fp32. */
static float promoted(const bndi_sum *sum, float c, bndi_element s)
{
    const bnd_format *f = &sum->accumulator.format;
    const bnd_rule nearest = {.rounding = BND_ROUND_RNE, .nan = BND_NAN_CANONICAL};
    const bnd_exact terms[2] = {bnd_exact_float(c), f->width > 0 ? bnd_unpack(f, s.code) : s.value};
    uint32_t flags = 0;
    bnd_exact exact = bnd_operate_exact(BND_OP_ADD, sum->fp32, terms, nearest, 0, &flags);
    return bndi_float_of_bits((uint32_t)bnd_encode_exact(sum->fp32, exact, nearest, 0).code);
}

/* A sum in double is rounded to odd, which the conversion to fp32 then rounds as the exact one. A NaN becomes the
 * canonical one, 7fc00000. */
void bndi_strip_promote(const bndi_sum *sum, float *c, const bndi_state *state, size_t n)
{
    for (size_t j = 0; j < n && !sum->in_double; j++) {
        c[j] = promoted(sum, c[j], state->one[j]);
    }
    for (size_t j = 0; j < n && sum->in_double; j++) {
        double s = sum_to_odd((double)c[j], state->s[j]);
        c[j] = s != s ? bndi_float_of_bits(0x7fc00000) : (float)s;
    }
}

/* The state into C; NaNs become the canonical one. */
void bndi_strip_close(const bndi_sum *sum, float *c, const bndi_state *state, size_t n)
{
    for (size_t j = 0; j < n && !sum->in_double; j++) {
        c[j] = stored(sum, state->one[j]);
    }
    for (size_t j = 0; j < n && sum->in_double; j++) {
        c[j] = state->s[j] != state->s[j] ? bndi_float_of_bits(0x7fc00000) : (float)state->s[j];
    }
}
