/* What the files of test vectors share.
 *
 * A case depends on the seed and its index alone, so neither the generator nor the check keeps cases. Cases are
 * combinations of boundaries, then drawn cases: of each eight, three are weighted draws and five belong to strata
 * (special values, exponents, alignment distances, and operands made from the result that they shall have).
 *
 * Which rule an implementation follows: a rule is a point in a box of ten dimensions, and a line depends on few of
 * them, so the number of lines that each rule leaves unexplained is a sum over a few small tables. Lines whose exact
 * results are alike under every rule are checked once. */
#ifndef BINADE_SRC_PROVE_VECTORS_H
#define BINADE_SRC_PROVE_VECTORS_H

#include <binade-lab/vectors.h>

#include "base/base.h"

static inline bool bndi_vector_sticks(const bnd_exact *x)
{
    return x->kind == BND_KIND_QUIET_NAN || x->kind == BND_KIND_SIGNALING_NAN;
}

/* The flags that lines have. */
static inline uint32_t bndi_vector_flags(const bnd_vectors *v)
{
    return v->lab_flags ? BND_FLAG_ALL : BND_FLAG_ALL & ~(uint32_t)(BND_FLAG_SATURATED | BND_FLAG_TO_ZERO);
}

/* The exponent of a finite number's leading bit. */
int32_t bndi_vector_exponent(const bnd_exact *x);

/* Is the magnitude above the largest number of the format? */
bool bndi_vector_is_beyond(const bnd_format *f, bnd_exact x);
/* Compares the magnitude with the smallest positive number of the format: -1, 0 or 1. */
int bndi_vector_compare_least(const bnd_format *f, bnd_exact x);

/* The result before it is rounded, and what is raised before that. */
bnd_exact bndi_vector_exact(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random,
                            uint32_t *flags);

/* The values of the result's format from its smallest number on, without an upper limit, with `more_bits` more bits of
 * precision. Below that number they are those of a format with subnormals. */
bnd_format bndi_vector_unlimited(const bnd_format *f, unsigned more_bits);

/* How an exact result lies among the values of a format; `unlimited` and `finer` are as above, of 0 and 1 bits more. */
bnd_vector_case_kind bndi_vector_case_of(const bnd_format *f, const bnd_format *unlimited, const bnd_format *finer,
                                         const bnd_exact *x);

#endif
