/* Stratified operands of operations, the same on every machine. */
#ifndef BINADE_SRC_PROVE_OPERANDS_H
#define BINADE_SRC_PROVE_OPERANDS_H

#include <binade/arith.h>

/* The i-th operands of a stratified sequence: any codes, specials, the ends of the range, exponents close to each
 * other, sums that nearly cancel, quotients and roots that are nearly exact. */
void bndi_stratified_operands(uint64_t *codes, bnd_operation operation, const bnd_format *const *from, uint64_t seed,
                              uint64_t i);

#endif
