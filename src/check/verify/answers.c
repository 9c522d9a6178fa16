/* The table of answers, and doubles as exact results. */
#include "base/bits.h"
#include "verify/answers.h"

#include <math.h>
#include <stdlib.h>

/* ---- the table ---- */

static unsigned bits_below(const bndi_answers *a)
{
    return 52u - a->format.precision;
}

/* The double at an entry: the number itself, or with odd indices one in the middle of the gap above it. */
static uint64_t bits_of_entry(const bndi_answers *a, size_t i)
{
    uint64_t leading = (a->first + i / 2) << bits_below(a);
    return i % 2 == 0 ? leading : leading | UINT64_C(1) << (bits_below(a) - 1);
}

double bndi_answers_at(const bndi_answers *a, size_t i)
{
    return bndi_double_of_bits(bits_of_entry(a, i));
}

void bndi_answers_gap(double ends[2], const bndi_answers *a, size_t i)
{
    ends[0] = bndi_double_of_bits(bits_of_entry(a, i - 1) + 1);
    ends[1] = bndi_double_of_bits(bits_of_entry(a, i - 1) + (UINT64_C(1) << bits_below(a)) - 1);
}

bnd_result bndi_oracle_about(bndi_oracle_problem *oracle, const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bndi_oracle_answer answer;
    bndi_oracle_set_double(&oracle->exact, x);
    bndi_oracle_apply_rule(&answer, &oracle->work, f, &oracle->exact, rule, random, BNDI_ORACLE_EITHER);
    return answer.result;
}

/* The exponent of the smallest positive number. */
static int lowest_exponent(const bnd_format *f)
{
    int exponent = f->least_quantum;
    for (uint64_t s = f->least_significand; s > 1; s >>= 1) {
        exponent++;
    }
    return exponent;
}

bool bndi_answers_can(const bnd_format *f)
{
    enum { MOST_PRECISION = 12, MOST_WIDTH = 20, MOST_EXPONENT = 450 };
    return f->width > 0 && f->width <= MOST_WIDTH && f->precision <= MOST_PRECISION && f->emax <= MOST_EXPONENT &&
           lowest_exponent(f) >= -MOST_EXPONENT;
}

/* The leading bits of the first entry's double, and past the last one's: from two binades below the smallest number to
 * the end of the first above the largest, so that beyond either end all numbers have one answer. */
static uint64_t first_entry(const bndi_answers *a)
{
    return bndi_bits_of_double(ldexp(1.0, lowest_exponent(&a->format) - 2)) >> bits_below(a);
}

static uint64_t past_entries(const bndi_answers *a)
{
    return bndi_bits_of_double(ldexp(1.0, a->format.emax + 2)) >> bits_below(a);
}

size_t bndi_answers_count(const bnd_format *f)
{
    const bndi_answers a = {.format = *f};
    return 2 * (size_t)(past_entries(&a) - first_entry(&a));
}

bnd_status bndi_answers_new(bndi_answers *a, const bnd_format *f, bnd_rule rule, bnd_error *why)
{
    bndi_answers made = {.format = *f, .rule = rule, .count = bndi_answers_count(f)};
    made.first = first_entry(&made);
    made.finite[0] = malloc(made.count * sizeof *made.finite[0]);
    made.finite[1] = malloc(made.count * sizeof *made.finite[1]);
    if (made.finite[0] == NULL || made.finite[1] == NULL) {
        bndi_answers_close(&made);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu answers about %s", 2 * made.count, f->name);
    }
    *a = made;
    return BND_OK;
}

void bndi_answers_fill(bndi_answers *a, bndi_oracle_problem *oracle, size_t first, size_t end)
{
    for (int sign = 0; sign < 2; sign++) {
        double factor = sign ? -1.0 : 1.0;
        for (size_t i = first; i < end; i++) {
            a->finite[sign][i] = bndi_oracle_about(oracle, &a->format, factor * bndi_answers_at(a, i), a->rule, 0);
        }
    }
    if (first == 0) {
        for (int sign = 0; sign < 2; sign++) {
            double factor = sign ? -1.0 : 1.0;
            a->zero[sign] = bndi_oracle_about(oracle, &a->format, factor * 0.0, a->rule, 0);
            a->infinity[sign] = bndi_oracle_about(oracle, &a->format, factor * (double)INFINITY, a->rule, 0);
            uint64_t nan = UINT64_C(0x7ff8) << 48 | (uint64_t)sign << 63;
            a->nan[sign] = bndi_oracle_about(oracle, &a->format, bndi_double_of_bits(nan), a->rule, 0);
        }
    }
}

bnd_status bndi_answers_open(bndi_answers *a, const bnd_format *f, bnd_rule rule, bnd_error *why)
{
    bnd_status status = bndi_answers_new(a, f, rule, why);
    if (status == BND_OK) {
        bndi_oracle_problem oracle;
        bndi_oracle_problem_open(&oracle);
        bndi_answers_fill(a, &oracle, 0, a->count);
        bndi_oracle_problem_close(&oracle);
    }
    return status;
}

void bndi_answers_close(bndi_answers *a)
{
    free(a->finite[0]);
    free(a->finite[1]);
    *a = (bndi_answers){.count = 0};
}

bool bndi_same_result(bnd_result a, bnd_result b)
{
    return a.code == b.code && a.flags == b.flags && a.ternary == b.ternary;
}

uint64_t bndi_answers_unsound(const bndi_answers *a)
{
    uint64_t unsound = 0;
    bndi_oracle_problem oracle;
    bndi_oracle_problem_open(&oracle);
    for (size_t i = 1; i < a->count; i += 2) {
        double ends[2];
        bndi_answers_gap(ends, a, i);
        for (int k = 0; k < 4; k++) {
            double x = k % 2 ? -ends[k / 2] : ends[k / 2];
            unsound += !bndi_same_result(a->finite[k % 2][i], bndi_oracle_about(&oracle, &a->format, x, a->rule, 0));
        }
    }
    bndi_oracle_problem_close(&oracle);
    return unsound;
}

bnd_result bndi_answer_at(const bndi_answers *a, bndi_answer_place x)
{
    int sign = signbit(x.head) != 0;
    if (isnan(x.head)) {
        return a->nan[sign];
    }
    if (isinf(x.head)) {
        return a->infinity[sign];
    }
    if (x.head == 0.0) {
        return a->zero[sign];
    }
    uint64_t bits = bndi_bits_of_double(x.head) & (UINT64_MAX >> 1);
    int outward = sign ? -x.tail : x.tail;
    bits -= outward < 0; /* step to the double below: its entry holds for the whole gap between the two */
    uint64_t leading = bits >> bits_below(a);
    bool between = outward != 0 || bits << (12 + a->format.precision) != 0;
    if (leading < a->first) {
        return a->finite[sign][1];
    }
    size_t i = 2 * (size_t)(leading - a->first) + between;
    return a->finite[sign][i < a->count ? i : a->count - 1];
}

/* ---- exact results ---- */

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

bndi_answer_place bndi_place_of(double x)
{
    return (bndi_answer_place){x, 0};
}

/* Knuth's: the error of a sum is a double. */
bndi_answer_place bndi_place_of_sum(double a, double b)
{
    double sum = a + b;
    if (!isfinite(sum)) {
        return (bndi_answer_place){sum, 0};
    }
    double of_b = sum - a, of_a = sum - of_b;
    return (bndi_answer_place){sum, sign_of((a - of_a) + (b - of_b))};
}

bndi_answer_place bndi_place_of_product(double a, double b)
{
    return (bndi_answer_place){a * b, 0};
}

/* The remainders of quotients and roots are doubles. */
bndi_answer_place bndi_place_of_quotient(double a, double b)
{
    double quotient = a / b;
    if (!isfinite(quotient) || isinf(b) || quotient == 0.0) {
        return (bndi_answer_place){quotient, 0};
    }
    double rest = fma(-quotient, b, a);
    return (bndi_answer_place){quotient, b < 0.0 ? -sign_of(rest) : sign_of(rest)};
}

bndi_answer_place bndi_place_of_root(double a)
{
    double root = sqrt(a);
    return (bndi_answer_place){root, isfinite(root) ? sign_of(fma(-root, root, a)) : 0};
}
