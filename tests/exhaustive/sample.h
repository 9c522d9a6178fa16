/* Numbers chosen where a conversion decides something: a sequence, by index, that is the same on every machine. */
#ifndef TESTS_EXHAUSTIVE_SAMPLE_H
#define TESTS_EXHAUSTIVE_SAMPLE_H

#include <binade/format.h>

/* The i-th float for a row: any pattern; every sign, exponent and top fraction with a fraction below it that is
 * nothing, half, or next to them; the row's values and their midpoints, and the floats next to those. */
uint32_t sample_float(const bnd_format *row, uint64_t i);

/* The i-th double for fp32: any pattern; floats, midpoints of floats, and the doubles next to them; what becomes
 * subnormal, zero or too large. */
uint64_t sample_double(uint64_t i);

/* The i-th integer: of every length, with its low bits all zero, all one, or any. */
int64_t sample_integer(uint64_t i);

#endif
