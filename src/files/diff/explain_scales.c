/* Scales as tools compute them from the largest magnitude of a group. */
#include "diff/explain.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECE = 256 };

/* ---- arithmetic of tools ---- */

double bndi_in_fp32(double x)
{
    return (double)(float)x;
}

/* To nearest even at this precision, with fp16's and bf16's least exponents. x is a number of fp32. */
static double round_to(double x, int precision, int emin)
{
    int exponent = 0;
    if (x == 0 || x - x != 0) {
        return x;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((int)(bits >> 52 & 0x7ff) - 1023 >= emin) { /* all bits of the precision: the rest is cut off as an integer */
        const int cut = 53 - precision;
        bits += ((uint64_t)1 << (cut - 1)) - 1 + (bits >> cut & 1);
        bits &= ~(((uint64_t)1 << cut) - 1);
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    (void)frexp(x, &exponent); /* 0.5 <= |m| < 1 */
    int quantum = exponent - precision < emin - precision + 1 ? emin - precision + 1 : exponent - precision;
    double scaled = ldexp(x, -quantum), whole = floor(scaled), rest = scaled - whole;
    double up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0) ? 1 : 0;
    return ldexp(whole + up, quantum);
}

double bndi_in_work(double x, bndi_work work)
{
    switch (work) {
    case BNDI_IN_EXACT:
        return x;
    case BNDI_IN_FP32:
        return bndi_in_fp32(x);
    case BNDI_IN_BF16:
        return bndi_in_fp32(round_to(bndi_in_fp32(x), 8, -126));
    case BNDI_IN_FP16: {
        double y = round_to(bndi_in_fp32(x), 11, -14);
        return fabs(y) > 65504 ? copysign(INFINITY, y) : y;
    }
    }
    return x;
}

/* ---- formulas ---- */

double bndi_largest_of(const bndi_scale_facts *facts)
{
    const bnd_format *f = &facts->element;
    return ldexp((double)f->max_significand, f->max_quantum);
}

static double quotient_by(const bndi_scale_row *row, const bndi_scale_facts *facts, double a, double m)
{
    const double range = m * 448, f = facts->factor, d = facts->divisor;
    const double unit = ldexp((double)facts->element.least_significand, facts->element.least_quantum);
    const bndi_work work = row->work;
    const bool integer = facts->element.width == 0; /* codes in two's complement, of a value set */
    switch (row->formula) {
    case BNDI_BY_AMAX:
        return a;
    case BNDI_BY_DIVIDE:
        return bndi_in_work(facts->inverted ? m / a : a / m, work);
    case BNDI_BY_RECIPROCAL:
        return bndi_in_work(a * bndi_in_fp32(1 / m), work);
    case BNDI_BY_INVERSE:
        return bndi_in_work(1 / bndi_in_fp32(facts->inverted ? a / m : m / a), work);
    case BNDI_BY_HALF_RANGE:
        return integer ? bndi_in_work(a / (m + 0.5 * unit), work) : NAN;
    case BNDI_BY_NEXT_INTEGER:
        return integer ? bndi_in_work(a / (m + unit), work) : NAN;
    case BNDI_BY_ONE:
        return 1;
    case BNDI_BY_OVER_PRODUCT:
        return work == BNDI_IN_EXACT ? a / (m * f) : bndi_in_fp32(a / bndi_in_fp32(m * f));
    case BNDI_BY_DIVIDED_TWICE:
        return bndi_in_fp32(bndi_in_fp32(a / m) / f);
    case BNDI_BY_TIMES_DIVISOR:
        return bndi_in_fp32(bndi_in_work(a / m, work) * d);
    case BNDI_BY_RECIPROCAL_TIMES_DIVISOR:
        return bndi_in_fp32(bndi_in_work(a * bndi_in_fp32(1 / m), work) * d);
    case BNDI_BY_RELATIVE:
        return bndi_in_fp32(bndi_in_fp32(bndi_in_fp32(a / m) * 448) /
                            bndi_in_fp32((double)facts->tensor_amax / bndi_largest_of(facts)));
    case BNDI_BY_OVER_RANGE:
        return bndi_in_work(a / range, work);
    case BNDI_BY_TIMES_RANGE:
        return bndi_in_work(a * bndi_in_fp32(1 / range), work);
    case BNDI_BY_INVERSE_RANGE:
        return bndi_in_work(1 / bndi_in_fp32(range / a), work);
    case BNDI_BY_OVER_RANGE_256:
        return bndi_in_work(a / (m * 256), work);
    case BNDI_BY_RANGE_IN_TWO:
        return bndi_in_fp32(bndi_in_fp32(a / 448) / m);
    case BNDI_BY_RANGE_IN_TWO_OTHER:
        return bndi_in_fp32(bndi_in_fp32(a / m) / 448);
    case BNDI_BY_RANGE_OVER:
        return bndi_in_work(range / a, work);
    case BNDI_BY_INVERSE_OVER:
        return bndi_in_work(1 / bndi_in_fp32(a / range), work);
    case BNDI_BY_RANGE_256_OVER:
        return bndi_in_work(m * 256 / a, work);
    }
    return NAN;
}

/* floor(log2 x), and whether x is a power of two. */
static int floor_log2(double x, bool *exact)
{
    int exponent = 0;
    *exact = frexp(x, &exponent) == 0.5;
    return exponent - 1;
}

/* The power of two that x is rounded to from `from`, a mantissa of 1 to 2, on. */
static double power_from(double x, double from)
{
    bool exact;
    int k = floor_log2(x, &exact);
    return ldexp(1, k + (ldexp(x, -k) >= from ? 1 : 0));
}

static double power_by(const bndi_scale_row *row, const bndi_scale_facts *facts, double v)
{
    const bnd_format *element = &facts->element;
    const int emax = element->emax, fraction = element->precision - 1;
    bool exact;
    if (!(v > 0 && v - v == 0)) { /* a quotient that underflowed or overflowed has no exponent */
        return v;
    }
    switch (row->power) {
    case BNDI_TO_NONE:
    case BNDI_TO_FOUR_SIX:
        return v;
    case BNDI_TO_UP: {
        int k = floor_log2(v, &exact);
        return ldexp(1, exact ? k : k + 1);
    }
    case BNDI_TO_DOWN:
        return ldexp(1, floor_log2(v, &exact));
    case BNDI_TO_FLOOR:
        return ldexp(1, floor_log2(v, &exact) - emax);
    case BNDI_TO_CEIL: {
        int k = floor_log2(v, &exact);
        return ldexp(1, (exact ? k : k + 1) - emax);
    }
    case BNDI_TO_EVEN: /* half a step of the element below the next power of two: ties go up to it */
        return ldexp(power_from(v, 2 - ldexp(1, -fraction - 1)), -emax);
    case BNDI_TO_CT:
        return ldexp(power_from(v, 1.75), -emax);
    case BNDI_TO_LOG2_UP:
        return ldexp(1, (int)ceil(bndi_in_fp32(log2(v))));
    case BNDI_TO_LOG2_NEAREST:
        return ldexp(1, (int)nearbyint(bndi_in_fp32(log2(v))));
    case BNDI_TO_NEAREST: {
        int k = floor_log2(v, &exact);
        double mantissa = ldexp(v, -k);
        return ldexp(1, k + (mantissa > 1.5 || (mantissa == 1.5 && k % 2 == 0) ? 1 : 0));
    }
    }
    return v;
}

double bndi_scale_by(const bndi_scale_row *row, const bndi_scale_facts *facts, double amax, bool second)
{
    double m = second ? 4 : bndi_largest_of(facts);
    return power_by(row, facts, quotient_by(row, facts, amax, m));
}

/* ---- counting ---- */

/* The stored scales that a row gives for some groups; 0 for groups without a scale of their own. */
static void store(float *out, const bndi_scale_row *row, const bndi_scale_facts *facts, const float *amax, size_t n,
                  bool second)
{
    double v[PIECE], stored[PIECE];
    for (size_t i = 0; i < n; i++) {
        bool none = amax[i] == 0 || amax[i] - amax[i] != 0;
        v[i] = none ? 0 : bndi_scale_by(row, facts, (double)amax[i], second);
    }
    const bnd_array how = {.rule = {.rounding = BND_ROUND_RNE, .overflow = BND_OVERFLOW_SATURATE}};
    if (bnd_round_f64(stored, v, n, &facts->stored, &how, NULL, NULL) != BND_OK) {
        memcpy(stored, v, n * sizeof *stored);
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (float)stored[i];
    }
}

static void count_row(bndi_scale_counts *counts, size_t r, const bndi_scale_facts *facts, const float *amax,
                      const float *stored, size_t n)
{
    const bndi_scale_row *row = bndi_scale_row_at(r);
    float given[PIECE], other[PIECE];
    store(given, row, facts, amax, n, false);
    if (row->power == BNDI_TO_FOUR_SIX) {
        store(other, row, facts, amax, n, true);
    }
    for (size_t i = 0; i < n; i++) {
        const float s = stored[i], v = given[i];
        const bool not_finite = amax[i] - amax[i] != 0;
        bool made = v == s || (row->power == BNDI_TO_FOUR_SIX && other[i] == s);
        bool raised = !made && v < s && s == facts->least;
        if (amax[i] == 0) {
            made = s == facts->zero;
            raised = false;
        }
        counts->made[r] += (made || raised) && !not_finite;
        counts->raised[r] += raised && !not_finite;
    }
}

void bndi_tally_scales(bndi_scale_counts *counts, bndi_scale_kind of, const bndi_scale_facts *facts, const float *amax,
                       const float *stored, size_t groups)
{
    for (size_t at = 0; at < groups; at += PIECE) {
        const size_t n = groups - at < PIECE ? groups - at : PIECE;
        for (size_t i = at; i < at + n; i++) {
            counts->scales += amax[i] - amax[i] == 0;
        }
        for (size_t r = 0; r < bndi_scale_rows(); r++) {
            if (bndi_scale_row_at(r)->of == of) {
                count_row(counts, r, facts, amax + at, stored + at, n);
            }
        }
    }
}

void bndi_add_scale_counts(bndi_scale_counts *sum, const bndi_scale_counts *more)
{
    sum->scales += more->scales;
    for (size_t r = 0; r < BNDI_SCALE_ROWS; r++) {
        sum->made[r] += more->made[r];
        sum->raised[r] += more->raised[r];
    }
}
