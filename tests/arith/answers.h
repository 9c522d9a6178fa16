/* A quick judge of operations in narrow formats. It works out the exact result in double arithmetic, as the nearest
 * double and the side on which the rest lies, and looks up what the oracle said once of every place where a number can
 * lie. It shares nothing with the library that it judges. */
#ifndef TESTS_ARITH_ANSWERS_H
#define TESTS_ARITH_ANSWERS_H

#include <binade/format.h>

/* What the oracle answers to every number, for one format and one rule without random bits: between two neighbouring
 * breakpoints (values, midpoints, thresholds) the answer is the same, and breakpoints have at most one bit more than
 * the format. So there is an entry for every number of so many bits and one for the gap above it. */
typedef struct answers {
    bnd_format format;
    bnd_rule rule;
    uint64_t first;        /* the leading bits, sign, exponent and fraction, of the lowest entry's double */
    size_t count;          /* entries of a sign */
    bnd_result *finite[2]; /* by sign */
    bnd_result zero[2], infinity[2], nan;
} answers;

/* Takes a format with at most 12 bits of precision whose numbers, their products, quotients and sums are doubles that
 * are not subnormal. Ends the program where no memory is left. */
void answers_open(answers *a, const bnd_format *f, bnd_rule rule);
void answers_close(answers *a);

/* Whether the entries hold for the whole of their gaps: asks the oracle at both ends of each. How many do not. */
uint64_t answers_unsound(const answers *a);

/* A number: a double, and the sign of what it is short of the exact number by. */
typedef struct place {
    double head;
    int tail;
} place;

/* The exact results. Infinities, NaNs and zeros are as C's arithmetic to nearest has them. */
place place_of(double x);
place place_of_sum(double a, double b);
place place_of_product(double a, double b); /* of at most 53 bits */
place place_of_quotient(double a, double b);
place place_of_root(double a);

/* What the oracle answers to a number, an infinity, a zero or a quiet NaN. */
bnd_result answer_at(const answers *a, place x);

#endif
