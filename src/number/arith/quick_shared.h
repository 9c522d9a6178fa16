/* The operations of quick_template.h in words of 128 bits, for what is too long for 64; and what both sizes take roots
 * with. */
#ifndef BINADE_SRC_ARITH_QUICK_SHARED_H
#define BINADE_SRC_ARITH_QUICK_SHARED_H

#include "arith/arith.h"

#if defined(__GNUC__)
#define BNDI_RARELY(condition) __builtin_expect((condition), 0)
#else
#define BNDI_RARELY(condition) (condition)
#endif

bnd_result bndi_add_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_sub_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_mul_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_div_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_fma_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule,
                                uint64_t random);
bnd_result bndi_sqrt_in_128_bits(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The roots of 1, 1 + 1/32 .. 4 in units of 2^-20, rounded down, and 34 more. */
extern const uint32_t bndi_roots[97];

/* The root of z 2^bits, z from 1 to 4, in units of 2^-20: at most 34 too large, and not too small. A chord of the curve
 * is below it by less than (1/32)^2 / 8 times the second derivative, 1/4 at most: by 2^-15, 32 units. The two roundings
 * take less than 1 each. */
static inline uint64_t bndi_guess_root(uint64_t number, unsigned bits)
{
    const uint32_t *at = &bndi_roots[(number >> (bits - 5)) - 32];
    return at[0] + ((at[1] - at[0]) * (number & ((UINT64_C(1) << (bits - 5)) - 1)) >> (bits - 5));
}

/* Of z 2^28, in 15 bits, rounded down. A unit is 64 of those of the guess. */
static inline uint64_t bndi_root_of_28(uint64_t number)
{
    uint64_t root = bndi_guess_root(number, 28) >> 6;
    return root - (root * root > number);
}

/* Of z 2^60, in 31 bits. A step of Heron's makes of an error e one of e^2 / 2 at most, above the root: of 34 units of
 * 2^-20 it makes 0.56 of one of 2^-30. Then it is rounded down. */
static inline uint64_t bndi_root_of_60(uint64_t number)
{
    uint64_t guess = bndi_guess_root(number >> 30, 30) << 10, root = (guess + number / guess) >> 1;
    return root - (root * root > number);
}

#endif
