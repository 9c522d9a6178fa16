/* What the strata of drawn cases share: the case under construction, its random numbers, and codes built from an
 * exponent and a fraction. */
#ifndef BINADE_SRC_PROVE_VECTORS_STRATA_H
#define BINADE_SRC_PROVE_VECTORS_STRATA_H

#include "vectors/cases.h"

/* A case under construction. `turn` counts the cases of its stratum; exponents, distances and shifts follow from it. */
typedef struct bndi_stratum {
    const bnd_vectors *v;
    uint64_t seed, index, turn;
    uint64_t *operands;
} bndi_stratum;

/* Exponents of normal numbers; of a format that has none, the exponent of its largest numbers. */
typedef struct bndi_reach {
    int64_t low, high;
} bndi_reach;

static inline bndi_reach bndi_reach_of(const bnd_format *f)
{
    return (bndi_reach){f->emin < f->emax ? f->emin : f->emax, f->emax};
}

static inline bndi_reach bndi_overlap(bndi_reach a, bndi_reach b)
{
    return (bndi_reach){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static inline bool bndi_is_empty(bndi_reach r)
{
    return r.low > r.high;
}

/* `r` is not empty. */
static inline int64_t bndi_exponent_within(bndi_reach r, uint64_t random)
{
    return r.low + (int64_t)(random % (uint64_t)(r.high - r.low + 1));
}

/* The random numbers of operand `i`; those from BNDI_DECISIONS on belong to no operand. */
enum { BNDI_DECISIONS = 1 << 16 };
static inline bndi_draw bndi_stratum_draw(const bndi_stratum *s, uint32_t i)
{
    return bndi_vector_draw(s->seed, s->index, i);
}

/* A fraction as errors need it: any, none, all ones, the lowest bit alone, one bit alone, all but one, runs. */
uint64_t bndi_stratum_fraction(const bnd_format *f, bndi_draw d);

/* The code of 1.fraction times 2^exponent. Below the least normal number it loses bits; beyond the largest number it
 * is the code of the largest. */
uint64_t bndi_stratum_code(const bnd_format *f, int64_t exponent, uint64_t fraction, bool negative);

/* Exponents of two factors whose sum is `sum`. False where there are none. */
bool bndi_stratum_split(int64_t factors[2], int64_t sum, bndi_reach a, bndi_reach b, uint64_t random);

/* How many bits a result of this exponent keeps: fewer below the least normal number, none far below. */
int64_t bndi_bits_kept(const bnd_format *f, int64_t exponent);

/* Cases by their results: right shifts of subnormal results, the ends of the range, ties, cancellation. */
bool bndi_stratum_by_result(const bndi_stratum *s);

#endif
