/* The leading 128 bits of an integer as an exact value, and whether others follow: what one rounding needs. */
#ifndef BINADE_SRC_TEXT_LEADING_BITS_H
#define BINADE_SRC_TEXT_LEADING_BITS_H

#include "text/naturals.h"
#include <binade/codec.h>

/* (high, low) * 2^exponent, the significand shifted until its top bit is set. With `rest` the magnitude is more than
 * that by less than one in the last place, and (high, low) has its top bit set already. Zero becomes BND_KIND_ZERO, and
 * exponents beyond those that any format tells apart become +-2^30, sticky. */
bnd_exact bnd_lab_exact_from_bits(bool negative, uint64_t high, uint64_t low, int64_t exponent, bool rest);

/* integer * 2^exponent, and with `rest` a little more; the integer has at least 128 bits then. */
bnd_exact bndi_exact_from_natural(bool negative, const bndi_natural *integer, int64_t exponent, bool rest);

/* Every format's numbers lie between 2^-(2^29 + 64) and 2^(2^29 + 1), so a magnitude beyond 2^+-2^30 rounds as a little
 * more than 2^+-2^30 does, which is what this is. */
bnd_exact bndi_exact_farthest(bool negative, bool large);

#endif
