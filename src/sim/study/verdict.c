/* Verdicts: the rules that turn the gaps of pairs into a verdict, and its words. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[BND_VERDICT_COUNT] = {"no difference", "inconclusive", "worse",
                                                     "better",        "failed",       "1 seed"};

const char *bnd_verdict_name(bnd_verdict verdict)
{
    return (unsigned)verdict < BND_VERDICT_COUNT ? names[verdict] : "";
}

/* Some runs failed, and others did not. */
static int text_of_some(char *out, size_t size, const bnd_comparison *c)
{
    bool judged = c->others != BND_VERDICT_UNJUDGED && c->others != BND_VERDICT_FAILED;
    return snprintf(out, size, "failed %zu of %zu%s%s", c->failed, c->pairs, judged ? ", others " : "",
                    judged ? bnd_verdict_name(c->others) : "");
}

const char *bnd_comparison_word(const bnd_comparison *c)
{
    return c->judged == 0 && c->verdict != BND_VERDICT_FAILED ? "reference failed" : bnd_verdict_name(c->verdict);
}

size_t bnd_comparison_text(char *out, size_t size, const bnd_comparison *c)
{
    bool failed = c->verdict == BND_VERDICT_FAILED, all = c->failed == c->pairs;
    int length = failed && all && c->failed_nan == c->pairs && c->nan_at_end
                     ? snprintf(out, size, "failed: NaN at the end")
                 : failed && all && c->failed_nan == c->pairs
                     ? snprintf(out, size, "failed: NaN at step %llu", (unsigned long long)c->nan_from)
                 : failed && all && c->failed_nan == 0 ? snprintf(out, size, "failed: chance level")
                 : failed                              ? text_of_some(out, size, c)
                                                       : snprintf(out, size, "%s", bnd_comparison_word(c));
    return length > 0 ? (size_t)length : 0;
}

bool bnd_comparison_has_cause(const bnd_comparison *c)
{
    bool one = c->verdict == BND_VERDICT_UNJUDGED && c->judged == 1;
    return c->verdict == BND_VERDICT_FAILED || c->verdict == BND_VERDICT_WORSE ||
           (one && (c->logarithmic ? c->ratio > c->ratio_tolerance : c->gap > c->tolerance));
}

/* ---- intervals ---- */

/* P(|T| < t) for n degrees of freedom: with a = atan(t / sqrt(n)), the sums of Abramowitz and Stegun 26.7.3 and 26.7.4,
 *   n odd:   2/pi (a + sin a (cos a + 2/3 cos^3 a + ... + 2 4 .. (n-3) / (3 5 .. (n-2)) cos^(n-2) a))
 *   n even:  sin a (1 + 1/2 cos^2 a + ... + 1 3 .. (n-3) / (2 4 .. (n-2)) cos^(n-2) a). */
static double share_within(double t, size_t n)
{
    static const double pi = 3.14159265358979323846;
    double root = sqrt((double)n), angle = atan(t / root);
    double sine = sin(angle), cosine = cos(angle), sum = 0;
    bool odd = n % 2 == 1;
    double term = odd ? cosine : 1;
    for (size_t i = odd ? 1 : 0; i + 2 <= n; i += 2) {
        sum += term;
        term *= cosine * cosine * (double)(i + 1) / (double)(i + 2);
    }
    return odd ? 2 / pi * (angle + sine * sum) : sine * sum;
}

double bndi_student(size_t n)
{
    double low = 0, high = 16;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (share_within(middle, n) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

double bndi_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

double bndi_deviation(const double *x, size_t n)
{
    double mean = bndi_mean(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sqrt(sum / (double)(n - 1));
}

double bnd_interval(const double *x, size_t n)
{
    return n < 2 ? __builtin_nan("") : bndi_student(n - 1) * bndi_deviation(x, n) / sqrt((double)n);
}

/* ---- the sign test ---- */

/* P(at least k of n) for a fair coin. */
static double tail_of_coin(size_t k, size_t n)
{
    enum { STEP = 512 };
    int power = -(int)n; /* of two, by which term and sum are multiplied in the end: 2^-n is no double for many pairs */
    double term = 1, sum = 0; /* of n heads, then of n - 1, ... */
    for (size_t i = n; i >= k; i--) {
        sum += term;
        if (i == 0) {
            break;
        }
        term *= (double)i / (double)(n - i + 1);
        if (term > ldexp(1, STEP)) {
            term = ldexp(term, -STEP);
            sum = ldexp(sum, -STEP);
            power += STEP;
        }
    }
    return ldexp(sum, power);
}

bool bndi_sign_test(size_t k, size_t n)
{
    return n > 0 && tail_of_coin(k, n) <= 0.025;
}

/* ---- the verdict ---- */

static bool are_zeros(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (x[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Two tests, each with at most 2.5 % on each side: Student's t, and the signs of gap - tolerance, which no outlier can
 * blind. */
bnd_verdict bndi_judge(const double *gaps, size_t n, double tolerance)
{
    if (n > 0 && are_zeros(gaps, n)) {
        return BND_VERDICT_NO_DIFFERENCE;
    }
    if (n < 2) {
        return BND_VERDICT_UNJUDGED;
    }
    double mean = bndi_mean(gaps, n), half = bnd_interval(gaps, n);
    size_t above = 0, below = 0;
    for (size_t i = 0; i < n; i++) {
        above += gaps[i] > tolerance;
        below += gaps[i] < -tolerance;
    }
    bool worse = mean - half > tolerance || bndi_sign_test(above, n);
    bool better = mean + half < -tolerance || bndi_sign_test(below, n);
    bool within = mean - half >= -tolerance && mean + half <= tolerance;
    return worse != better    ? (worse ? BND_VERDICT_WORSE : BND_VERDICT_BETTER)
           : within && !worse ? BND_VERDICT_NO_DIFFERENCE
                              : BND_VERDICT_INCONCLUSIVE;
}
