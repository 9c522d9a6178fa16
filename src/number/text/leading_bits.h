/* An integer as an exact value: its leading 128 bits and a sticky bit for the rest, which are enough for one
 * rounding. */
#ifndef BINADE_SRC_TEXT_LEADING_BITS_H
#define BINADE_SRC_TEXT_LEADING_BITS_H

#include "text/naturals.h"
#include <binade/codec.h>

/* (high, low) * 2^exponent, the significand shifted until its top bit is set. With `rest` the magnitude is more than
 * that by less than one in the last place, and (high, low) has its top bit set already. Zero becomes BND_KIND_ZERO, and
 * exponents outside the range of every format become +-2^30, sticky. */
bnd_exact bnd_lab_exact_from_bits(bool negative, uint64_t high, uint64_t low, int64_t exponent, bool rest);

/* integer * 2^exponent. `rest` sets the sticky bit (slightly more); the integer then has at least 128 bits. */
bnd_exact bndi_exact_from_natural(bool negative, const bndi_natural *integer, int64_t exponent, bool rest);

/* Every format's numbers lie between 2^-(2^29 + 64) and 2^(2^29 + 1), so every magnitude beyond 2^+-2^30 rounds like
 * the one returned here: slightly more than 2^+-2^30. */
bnd_exact bndi_exact_farthest(bool negative, bool large);

#endif
