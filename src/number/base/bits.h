/* The bits of a float or double, and back. */
#ifndef BINADE_SRC_BASE_BITS_H
#define BINADE_SRC_BASE_BITS_H

#include "base/verify.h"

#include <stdint.h>

static inline uint32_t bndi_bits_of_float(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float bndi_float_of_bits(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bndi_bits_of_double(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double bndi_double_of_bits(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^exponent, a normal double: exponent from -1022 to 1023. */
static inline double bndi_power_of_two(int exponent)
{
    BNDI_VERIFY(exponent >= -1022 && exponent <= 1023);
    return bndi_double_of_bits((uint64_t)(exponent + 1023) << 52);
}

#endif
