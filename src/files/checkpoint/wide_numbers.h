/* Numbers of formats that fp32 does not contain: those of fp64. Weights are decoded to fp32; where a number is rounded
 * once more, that must not show. */
#ifndef BINADE_SRC_WIDE_NUMBERS_H
#define BINADE_SRC_WIDE_NUMBERS_H

#include <binade-lab/checkpoint.h>

/* Has a format numbers with more bits than fp32's? */
bool bndi_is_wide(const bnd_format *format);

/* The codes of a weight without scales whose format is wide; otherwise NULL. */
const bnd_stored_tensor *bndi_wide_codes(const bnd_stored_weight *weight);

/* Numbers of a wide format, rounded to odd in fp32: what fp32 lacks is cut off, and the last bit is set. Rounding that
 * to at most 22 bits is rounding the number itself. Beyond the largest number it is that number. */
bnd_status bndi_decode_to_odd(float *x, const unsigned char *codes, size_t n, const bnd_format *format, bnd_error *why);

/* How many of them fp32 lacks, and how many of these are finite and beyond its largest number; how many fp32 rounds to
 * an infinity, and to zero. Added to the counts. */
typedef struct bndi_wide_counts {
    uint64_t lacking, beyond, infinite, to_zero;
} bndi_wide_counts;
bnd_status bndi_count_wide(bndi_wide_counts *counts, const unsigned char *codes, uint64_t n, const bnd_format *format,
                           bnd_error *why);

#endif
