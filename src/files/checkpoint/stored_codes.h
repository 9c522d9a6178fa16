/* The codes and the scales of a weight as they are stored, whatever the layout: for calls that compare them or lay them
 * out anew. Decoding is bnd_decode_weight_f32. */
#ifndef BINADE_SRC_STORED_CODES_H
#define BINADE_SRC_STORED_CODES_H

#include <binade-lab/checkpoint.h>

/* Has this weight codes of at most 16 bits that can be read one by one? NULL, or a sentence that says why not. */
const char *bndi_no_stored_codes(const bnd_stored_weight *weight);

/* The bits of a code. */
unsigned bndi_stored_code_bits(const bnd_stored_weight *weight);

/* The codes of the elements at .. at + n - 1. Integers are in two's complement, as wide as an element. */
void bndi_stored_codes(uint16_t *codes, const bnd_stored_weight *weight, uint64_t at, size_t n);

/* The number of scales, in the order of bnd_block_scales; 0: the weight has none. The scales first .. first + n - 1. */
uint64_t bndi_stored_scale_count(const bnd_stored_weight *weight);
void bndi_stored_scales(float *scales, const bnd_stored_weight *weight, uint64_t first, size_t n);

#endif
