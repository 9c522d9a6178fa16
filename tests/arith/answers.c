/* The table of answers, and doubles as exact results. */
#include "answers.h"

#include <binade/oracle.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double double_at(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_at(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- the table ---- */

static unsigned bits_below(const answers *a)
{
    return 52u - a->format.precision;
}

/* The double at an entry: the number itself, or with odd indices one in the middle of the gap above it. */
static uint64_t bits_of_entry(const answers *a, size_t i)
{
    uint64_t leading = (a->first + i / 2) << bits_below(a);
    return i % 2 == 0 ? leading : leading | UINT64_C(1) << (bits_below(a) - 1);
}

static bnd_result ask(const answers *a, double x)
{
    return bnd_oracle_encode(&a->format, x, a->rule, 0);
}

void answers_open(answers *a, const bnd_format *f, bnd_rule rule)
{
    *a = (answers){.format = *f, .rule = rule};
    int below = 0;
    for (uint64_t s = f->least_significand; s > 1; s >>= 1) {
        below++;
    }
    double lowest = ldexp(1.0, f->least_quantum + below - 2), highest = ldexp(1.0, f->emax + 2);
    a->first = bits_at(lowest) >> bits_below(a);
    a->count = 2 * (size_t)((bits_at(highest) >> bits_below(a)) - a->first);
    for (int sign = 0; sign < 2; sign++) {
        a->finite[sign] = malloc(a->count * sizeof *a->finite[sign]);
        if (a->finite[sign] == NULL) {
            fprintf(stderr, "no memory for %zu answers\n", a->count);
            exit(EXIT_FAILURE);
        }
        for (size_t i = 0; i < a->count; i++) {
            double x = double_at(bits_of_entry(a, i));
            a->finite[sign][i] = ask(a, sign ? -x : x);
        }
        a->zero[sign] = ask(a, sign ? -0.0 : 0.0);
        a->infinity[sign] = ask(a, sign ? -(double)INFINITY : (double)INFINITY);
    }
    a->nan = ask(a, double_at(UINT64_C(0x7ff8) << 48));
}

void answers_close(answers *a)
{
    free(a->finite[0]);
    free(a->finite[1]);
}

static bool same(bnd_result a, bnd_result b)
{
    return a.code == b.code && a.flags == b.flags && a.ternary == b.ternary;
}

uint64_t answers_unsound(const answers *a)
{
    uint64_t unsound = 0;
    for (size_t i = 1; i < a->count; i += 2) {
        uint64_t low = bits_of_entry(a, i - 1) + 1, high = bits_of_entry(a, i - 1) + (UINT64_C(1) << bits_below(a)) - 1;
        for (int sign = 0; sign < 2; sign++) {
            double factor = sign ? -1.0 : 1.0;
            unsound += !same(a->finite[sign][i], ask(a, factor * double_at(low)));
            unsound += !same(a->finite[sign][i], ask(a, factor * double_at(high)));
        }
    }
    return unsound;
}

bnd_result answer_at(const answers *a, place x)
{
    int sign = signbit(x.head) != 0;
    if (isnan(x.head)) {
        return a->nan;
    }
    if (isinf(x.head)) {
        return a->infinity[sign];
    }
    if (x.head == 0.0) {
        return a->zero[sign];
    }
    uint64_t bits = bits_at(x.head) & (UINT64_MAX >> 1);
    int outward = sign ? -x.tail : x.tail;
    bits -= outward < 0; /* the double below stands for all of the gap between the two */
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

place place_of(double x)
{
    return (place){x, 0};
}

/* Knuth's: the error of a sum is a double. */
place place_of_sum(double a, double b)
{
    double sum = a + b;
    if (!isfinite(sum)) {
        return (place){sum, 0};
    }
    double of_b = sum - a, of_a = sum - of_b;
    return (place){sum, sign_of((a - of_a) + (b - of_b))};
}

place place_of_product(double a, double b)
{
    return (place){a * b, 0};
}

/* The remainders of quotients and roots are doubles. */
place place_of_quotient(double a, double b)
{
    double quotient = a / b;
    if (!isfinite(quotient) || isinf(b) || quotient == 0.0) {
        return (place){quotient, 0};
    }
    double rest = fma(-quotient, b, a);
    return (place){quotient, b < 0.0 ? -sign_of(rest) : sign_of(rest)};
}

place place_of_root(double a)
{
    double root = sqrt(a);
    return (place){root, isfinite(root) ? sign_of(fma(-root, root, a)) : 0};
}
