/* The coverage of lines: exponents of operands, alignment distances, shifts. */
#ifndef BINADE_SRC_PROVE_VECTORS_COVERAGE_H
#define BINADE_SRC_PROVE_VECTORS_COVERAGE_H

#include "vectors/vectors.h"

enum { BNDI_COVERED_ROWS = 8 };

/* A range of integers, and which of them occurred. */
typedef struct bndi_covered {
    const char *what;
    int32_t first;
    uint32_t count;
    uint8_t *hit; /* count bytes; NULL: the operation has no such range */
} bndi_covered;

typedef struct bndi_coverage {
    const bnd_vectors *vectors;
    bndi_covered rows[BNDI_COVERED_ROWS];
    uint8_t *hits; /* of all rows */
} bndi_coverage;

bnd_status bndi_coverage_open(bndi_coverage *out, const bnd_vectors *v, bnd_error *why);
void bndi_coverage_close(bndi_coverage *c);

/* Takes in a line: its operands and, where it is a finite number other than zero, the exact result. */
void bndi_coverage_add(bndi_coverage *c, const uint64_t *operands, const bnd_exact *exact);

/* For products, 1 if the product of the significands is 2 or more, else 0; for quotients, 1 if the quotient of the
 * significands is 1 or more, else 0. -1 for zeros, infinities, NaNs and other operations. */
int bndi_significand_carry(const bnd_vectors *v, const uint64_t *operands, const bnd_exact *exact);

#endif
