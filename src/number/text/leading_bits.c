/* Integers truncated to 128 bits and a sticky bit. */
#include "text/leading_bits.h"
#include "codec/codec.h"

enum { FARTHEST = 1 << 30 };

bnd_exact bndi_exact_farthest(bool negative, bool large)
{
    return (bnd_exact){.high = UINT64_C(1) << 63,
                       .exponent = large ? FARTHEST - 127 : -FARTHEST - 127,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = true};
}

bnd_exact bnd_lab_exact_from_bits(bool negative, uint64_t high, uint64_t low, int64_t exponent, bool rest)
{
    if ((high | low) == 0) {
        return (bnd_exact){.kind = BND_KIND_ZERO, .negative = negative};
    }
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= 64;
    }
    unsigned shift = bndi_leading_zeros(high, low);
    if (shift > 0) {
        high = high << shift | low >> (64 - shift);
        low <<= shift;
        exponent -= (int64_t)shift;
    }
    if (exponent > FARTHEST - 127 || exponent < -FARTHEST - 127) {
        return bndi_exact_farthest(negative, exponent > 0);
    }
    return (bnd_exact){.high = high,
                       .low = low,
                       .exponent = (int32_t)exponent,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = rest};
}

bnd_exact bndi_exact_from_natural(bool negative, const bndi_natural *integer, int64_t exponent, bool rest)
{
    uint64_t bits = bndi_natural_bits(integer), surplus = bits > 128 ? bits - 128 : 0;
    rest = rest || bndi_natural_has_below(integer, surplus);
    return bnd_lab_exact_from_bits(negative, bndi_natural_word_at(integer, surplus + 64),
                                   bndi_natural_word_at(integer, surplus), exponent + (int64_t)surplus, rest);
}
