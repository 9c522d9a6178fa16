/* The state of a check of lines: choices in each dimension of a rule, and counts. */
#ifndef BINADE_SRC_VECTORS_LINES_CHECK_H
#define BINADE_SRC_VECTORS_LINES_CHECK_H

#include "vectors/lines_alike.h"
#include "vectors/coverage.h"
#include "vectors/faults.h"

enum dimension { ROUNDING, OVERFLOWS, NANS, NO_NAN, NEGATIVE, ZERO, TIES, FLUSH_IN, FLUSH_OUT, TININESS, DIMENSIONS };
enum { CHOICES_MAX = 10, ALL = (1 << DIMENSIONS) - 1 };

typedef struct axis {
    uint8_t value[CHOICES_MAX];
    unsigned count, base; /* the choice that the lines' own rule makes */
} axis;

/* Of a set of dimensions: the rules that its combinations of choices are, and of how many lines each gives another
 * answer. */
typedef struct tally {
    bnd_rule rule;
    uint64_t left_over;
} tally;

struct bnd_vector_check {
    bnd_vectors vectors;
    bnd_format unlimited, finer; /* the result's format without its upper limit; with a bit more too */
    bnd_vector_options how;
    bnd_vector_coverage coverage;
    bndi_coverage covered;
    axis axes[DIMENSIONS];
    tally *tables[ALL + 1]; /* made when a line needs them */
    unsigned used[ALL + 1], used_count;
    bndi_kinds kinds;
    bndi_faults faults;
};

/* Where a rule has the choice of a dimension. */
uint8_t *bndi_check_place(bnd_rule *rule, unsigned dimension);
/* Choices that a format cannot distinguish are treated as one; returns the choice that represents them. */
uint8_t bndi_check_standing_for(const bnd_format *f, unsigned dimension, bnd_rule rule);
/* How many combinations of choices a set of dimensions has. */
size_t bndi_check_combinations(const bnd_vector_check *check, unsigned set);
/* How many lines the rule of these choices gives another answer to. */
uint64_t bndi_check_left_over(const bnd_vector_check *check, const unsigned choice[DIMENSIONS]);

#endif
