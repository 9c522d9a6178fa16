/* Internal interface of codec: 128-bit significands.
 *
 * How one number is rounded. Every source becomes a bnd_exact: a sign, 128 bits of significand, an exponent, and a
 * sticky bit for the rest. No format has more than 64 bits of precision and no stochastic mode more than 62 random
 * bits, so these bits decide every rounding. bnd_round_exact (round.c) then
 *   1. finds the gap between neighbours of the format at this magnitude (`locate`: the only place that handles
 *      formats without subnormals or without a zero),
 *   2. cuts the significand there: an integer on the grid, 64 discarded bits and a sticky bit,
 *   3. lets the rounding mode decide up or down from these three,
 *   4. applies the limits: overflow, tininess, flushing; and sets the flags.
 * bnd_pack and bnd_unpack translate between values and codes; only they use the layout of the fields. */
#ifndef BINADE_SRC_CODEC_H
#define BINADE_SRC_CODEC_H

#include <binade/codec.h>

/* Leading zeros of 128 bits; 128 for zero. */
static inline unsigned bndi_leading_zeros(uint64_t high, uint64_t low)
{
    uint64_t word = high != 0 ? high : low;
    unsigned count = high != 0 ? 0 : 64;
    if (word == 0) {
        return 128;
    }
#if defined(__GNUC__)
    return count + (unsigned)__builtin_clzll(word);
#else
    for (; word >> 63 == 0; word <<= 1) {
        count++;
    }
    return count;
#endif
}

/* The 128 bits of a product. */
static inline void bndi_multiply(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(__wasm__) /* where this compiles to an instruction, not a call */
    __extension__ typedef unsigned __int128 word128;
    word128 product = (word128)a * b;
    *high = (uint64_t)(product >> 64);
    *low = (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    *low = a * b;
#endif
}

/* The same number with the top bit of `high` set, for finite x only. Exponents beyond BND_EXPONENT_MAX saturate there:
 * both are outside the range of every format. */
static inline void bndi_normalize(bnd_exact *x)
{
    x->exponent = x->exponent < BND_EXPONENT_MAX ? x->exponent : BND_EXPONENT_MAX;
    x->exponent = x->exponent > -BND_EXPONENT_MAX ? x->exponent : -BND_EXPONENT_MAX;
    unsigned shift = bndi_leading_zeros(x->high, x->low);
    if (shift >= 64) {
        x->high = shift < 128 ? x->low << (shift - 64) : 0;
        x->low = 0;
    } else if (shift > 0) {
        x->high = x->high << shift | x->low >> (64 - shift);
        x->low <<= shift;
    }
    x->exponent -= (int32_t)shift;
}

/* bnd_round_exact and the makers of exact values, by pointer: copying a struct by value right after its fields were
 * written stalls on store forwarding, which took longer than the rounding itself. */
void bndi_round(bnd_rounded *out, const bnd_format *f, const bnd_exact *x, bnd_rule rule, uint64_t random);
void bnd_lab_unpack(bnd_exact *out, const bnd_format *f, uint64_t code);
void bndi_unpack_ieee(bnd_exact *out, uint64_t code, unsigned exponent_bits, unsigned fraction_bits);
uint64_t bndi_pack(const bnd_format *f, const bnd_exact *value);

/* A finite nonzero x moved away from zero or toward it, by less than one unit in the last of 128 places. */
bnd_exact bndi_nudged(bnd_exact x, bool outward);

#endif
