/* What a block format must give, in rational numbers (GMP) and by the oracle, element by element: an independent
 * judge of every call on arrays. */
#ifndef TESTS_BLOCK_MODEL_H
#define TESTS_BLOCK_MODEL_H

#include <binade/block.h>

#include "tests/support/comparison.h"
#include "tests/support/memory.h"

bnd_block block_named(const char *name);

/* Normally distributed, by Box and Muller. */
float normal_number(uint64_t seed, uint64_t i);

/* The bits of a code where a call has put it, and what the code of an int8 is worth. */
uint64_t code_at(const void *codes, const bnd_block *block, bnd_packing packing, size_t i);
double scale_value(const bnd_block *block, const void *scales, size_t i);

/* Which scale is element i's? Found by the definition of the sharing, from its three coordinates. */
size_t scale_of(const bnd_block *block, bnd_shape shape, size_t i);

/* Quantizes, dequantizes and quantizes in place, and compares every scale, every code, every value, and the bytes
 * behind. */
void check_block(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how);

/* The same with scales that are given; and only the scales, with a given scale of the tensor. */
void check_given(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_given_scales *given,
                 const bnd_array *how);
void check_scales(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, float tensor,
                  const bnd_array *how);

#endif
