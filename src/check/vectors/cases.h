/* What the files that make cases of test vectors share: codes of a format, sets of boundaries, drawn cases. */
#ifndef BINADE_SRC_PROVE_VECTORS_CASES_H
#define BINADE_SRC_PROVE_VECTORS_CASES_H

#include "vectors/vectors.h"

/* ---- codes of a format ---- */

/* How many codes there are without the sign. */
static inline uint64_t bndi_magnitudes(const bnd_format *f)
{
    return UINT64_C(1) << bnd_magnitude_bits(f);
}

static inline uint64_t bndi_codes_mask(const bnd_format *f)
{
    return f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;
}

static inline uint64_t bndi_fraction_mask(const bnd_format *f)
{
    return (UINT64_C(1) << f->fraction_bits) - 1;
}

/* The highest exponent field. Infinities and NaNs may have it. */
static inline int64_t bndi_last_field(const bnd_format *f)
{
    return (int64_t)((bndi_magnitudes(f) - 1) >> f->fraction_bits);
}

static inline bool bndi_vector_is_dot(const bnd_vectors *v)
{
    return v->kind != BND_VECTOR_KIND_OPERATION;
}

/* The number halfway from a value to the next one away from zero. Values may lie beyond the largest number, where the
 * format would have them if it continued. */
bnd_exact bndi_vector_midpoint_above(const bnd_format *f, bnd_exact value);

/* The code of a number, rounded toward zero; of the largest number if it lies beyond that. */
uint64_t bndi_vector_code(const bnd_format *f, bnd_exact x);

/* ---- boundaries ---- */

/* Makes the set of boundaries of operand `i`. */
bnd_status bndi_vector_boundaries(bnd_vector_plan *plan, unsigned i, bnd_error *why);

/* ---- drawn cases ---- */

/* The random numbers of one operand of one case: `choice` decides what it is, `more` fills its bits. */
typedef struct bndi_draw {
    uint64_t choice, more;
} bndi_draw;

bndi_draw bndi_vector_draw(uint64_t seed, uint64_t index, uint32_t operand);

/* A fraction that ends early, or a run of ones. */
uint64_t bndi_vector_plain_fraction(const bnd_format *f, bndi_draw d);

/* The operands of drawn case `index`. Cases take turns: weighted draws, and the strata of vectors_strata.c. */
void bndi_vector_sample(uint64_t *operands, const bnd_vector_plan *plan, uint64_t index);

/* How many strata there are. Their cases go through exponents, alignment distances, shifts and special values. */
enum { BNDI_STRATA = 5 };

/* The operands of a stratum's case number `turn`. Where a stratum has nothing for these formats they may stay. */
void bndi_vector_stratum(uint64_t *operands, const bnd_vector_plan *plan, unsigned stratum, uint64_t turn,
                         uint64_t index);

#endif
