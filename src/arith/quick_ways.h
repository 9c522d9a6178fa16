/* The operations of quick.h in words of 128 bits, for what is too long for 64; and what both sizes take roots with. */
#ifndef BINADE_SRC_ARITH_QUICK_WAYS_H
#define BINADE_SRC_ARITH_QUICK_WAYS_H

#include "arith/arith.h"

bnd_result bndi_add_wide(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_sub_wide(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_mul_wide(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_div_wide(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bndi_fma_wide(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random);
bnd_result bndi_sqrt_wide(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The root of z 2^30, z from 1 to 4, in 16 bits: rounded down, or one more. The quadratic 0.51855 + 0.52602 z -
 * 0.03954 z^2, the best there is, has a relative error of at most 0.0051 in these integers; a step of Heron's makes of
 * an error e one of e^2 / 2, above the root: 0.86 of a unit here. Then it is rounded down. */
static inline uint64_t bndi_guess_root(uint64_t number)
{
    uint64_t z = number >> 15;
    uint64_t guess = (UINT64_C(543735) * (1 << 15) + UINT64_C(551568) * z - ((UINT64_C(41462) * z >> 15) * z)) >> 20;
    return (guess + (uint32_t)number / (uint32_t)guess) >> 1; /* narrow words divide faster */
}

/* Of z 2^30, in 16 bits, rounded down. */
static inline uint64_t bndi_root_of_30(uint64_t number)
{
    uint64_t root = bndi_guess_root(number);
    return root - (root * root > number);
}

/* Of z 2^60, in 31 bits. The guess is off by less than a unit in 2^15, so that another step leaves less than one in
 * 2^30 above the root. */
static inline uint64_t bndi_root_of_60(uint64_t number)
{
    uint64_t guess = bndi_guess_root(number >> 30) << 15, root = (guess + number / guess) >> 1;
    return root - (root * root > number);
}

#endif
