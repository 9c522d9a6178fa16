/* The operations of quick_template.h in words of 128 bits, for operands too long for 64; and the square root helpers of
 * both sizes. */
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

/* The square roots of 1, 1 + 1/32 .. 4 in units of 2^-20, rounded down, plus 34. */
extern const uint32_t bndi_roots[97];

/* The root of z 2^bits, z from 1 to 4, in units of 2^-20: at most 34 too large, and never too small. A chord lies below
 * the curve by less than (1/32)^2 / 8 times the second derivative, 1/4 at most: by 2^-15, 32 units. The two roundings
 * subtract less than 1 each. */
static inline uint64_t bndi_guess_root(uint64_t number, unsigned bits)
{
    const uint32_t *at = &bndi_roots[(number >> (bits - 5)) - 32];
    return at[0] + ((at[1] - at[0]) * (number & ((UINT64_C(1) << (bits - 5)) - 1)) >> (bits - 5));
}

/* The root of z 2^28, in 15 bits, rounded down. One unit is 64 units of the guess. */
static inline uint64_t bndi_root_of_28(uint64_t number)
{
    uint64_t root = bndi_guess_root(number, 28) >> 6;
    return root - (root * root > number);
}

/* The root of z 2^60, in 31 bits. One step of Heron's method turns an error e into at most e^2 / 2, above the root: 34
 * units of 2^-20 become 0.56 units of 2^-30. Then it is rounded down. */
static inline uint64_t bndi_root_of_60(uint64_t number)
{
    uint64_t guess = bndi_guess_root(number >> 30, 30) << 10, root = (guess + number / guess) >> 1;
    return root - (root * root > number);
}

#endif
