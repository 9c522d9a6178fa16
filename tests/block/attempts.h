/* What the model shares between its files. */
#ifndef TESTS_BLOCK_ATTEMPTS_H
#define TESTS_BLOCK_ATTEMPTS_H

#include "model.h"

/* Can the rule give only powers of two? */
bool model_gives_powers(const bnd_block *block);

/* Attempt k of a rule that tries several scales; attempt 0 of the others. */
uint64_t model_attempt(const bnd_block *block, double amax, double tensor, int k);

/* The scale of a group: the code of the attempt with the least error. */
uint64_t model_scale(const bnd_block *block, double amax, double tensor, const float *x, bnd_shape shape, size_t group);

/* The code of an element under a scale; its value; element * scale * tensor in fp32, as bits; a code's value. */
uint64_t model_element(const bnd_block *block, float x, double scale, double tensor, const bnd_array *how, size_t i);
double model_value_of_element(const bnd_block *block, uint64_t code);
uint32_t model_value(double element, double scale, double tensor);
double model_value_of_code(const bnd_format *f, uint64_t code);

/* The scale of the tensor; scale i as a code; the code of an element as it is stored. */
uint64_t model_stored_code(const bnd_block *block, uint64_t code);
double model_tensor_scale(const bnd_block *block, double amax);
uint64_t model_scale_code(const bnd_block *block, const void *scales, size_t i);

#endif
