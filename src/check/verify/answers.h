/* A fast reference for operations in narrow formats. It computes the exact result in double arithmetic, as the
 * nearest double and the sign of the rest, and looks up the oracle's answer for that position in a table. It shares
 * no code with the library that it checks. */
#ifndef BINADE_SRC_PROVE_ANSWERS_H
#define BINADE_SRC_PROVE_ANSWERS_H

#include "oracle/oracle.h"

/* The oracle's answers to every number, for one format and one rule without random bits. Between two neighbouring
 * breakpoints (values, midpoints, thresholds) the answer is constant, and breakpoints have at most one bit more than
 * the format. So there is an entry for every number with that many bits, and one for the gap above it. */
typedef struct bndi_answers {
    bnd_format format;
    bnd_rule rule;
    uint64_t first;        /* the leading bits, sign, exponent and fraction, of the lowest entry's double */
    size_t count;          /* entries of a sign */
    bnd_result *finite[2]; /* by sign */
    bnd_result zero[2], infinity[2], nan[2];
} bndi_answers;

/* Can a table be the reference for this format? It needs at most 12 bits of precision, a width of at most 20, and an
 * exponent range in which its numbers, their products, quotients and sums, and the remainders of these, are normal
 * doubles or zero. */
bool bndi_answers_can(const bnd_format *f);

/* How many entries of a sign it has. */
size_t bndi_answers_count(const bnd_format *f);

/* Memory for the answers, which bndi_answers_fill then asks for; no entry is used before it is filled. */
BND_CHECKED bnd_status bndi_answers_new(bndi_answers *a, const bnd_format *f, bnd_rule rule, bnd_error *why);
void bndi_answers_fill(bndi_answers *a, bndi_oracle_problem *oracle, size_t first, size_t end); /* of both signs */
/* Both in one. */
BND_CHECKED bnd_status bndi_answers_open(bndi_answers *a, const bnd_format *f, bnd_rule rule, bnd_error *why);
void bndi_answers_close(bndi_answers *a);

/* The double at an entry (odd ones: in the middle of the gap above the number before it), and the doubles at the ends
 * of such a gap. */
double bndi_answers_at(const bndi_answers *a, size_t i);
void bndi_answers_gap(double ends[2], const bndi_answers *a, size_t i);

/* Whether the entries hold for the whole of their gaps: asks the oracle at both ends of each. How many do not. */
uint64_t bndi_answers_unsound(const bndi_answers *a);

/* The oracle about a double. */
bnd_result bndi_oracle_about(bndi_oracle_problem *oracle, const bnd_format *f, double x, bnd_rule rule,
                             uint64_t random);
bool bndi_same_result(bnd_result a, bnd_result b);

/* A number: a double, and the sign of what it is short of the exact number by. */
typedef struct bndi_answer_place {
    double head;
    int tail;
} bndi_answer_place;

/* The exact results. Infinities, NaNs and zeros are as C's arithmetic to nearest has them. */
bndi_answer_place bndi_place_of(double x);
bndi_answer_place bndi_place_of_sum(double a, double b);
bndi_answer_place bndi_place_of_product(double a, double b); /* of at most 53 bits */
bndi_answer_place bndi_place_of_quotient(double a, double b);
bndi_answer_place bndi_place_of_root(double a);

/* What the oracle answers to a number, an infinity, a zero or a quiet NaN. */
bnd_result bndi_answer_at(const bndi_answers *a, bndi_answer_place x);

#endif
