/* Numbers for the checks that cannot see all of them: strata, one after the other. */
#include "base/bits.h"
#include "sample.h"

#include <binade/codec.h>

#include <math.h>
#include <string.h>

/* Purposes of random numbers, so that no two strata share them. */
enum { FLOATS = 1, DOUBLES = 2, INTEGERS = 3 };

/* -2 .. 2 */
static int64_t step_aside(uint64_t random)
{
    return (int64_t)(random % 5) - 2;
}

uint32_t sample_float(const bnd_format *row, uint64_t i)
{
    static const uint32_t low_bits[] = {0x0000, 0x0001, 0x7fff, 0x8000, 0x8001, 0xffff};
    uint64_t random = bnd_random(0, FLOATS, i), code = random >> 32;
    uint32_t aside = (uint32_t)step_aside(random);
    switch (i % 4) {
    case 0:
        return (uint32_t)random;
    case 1:
        return (uint32_t)(i / 4) << 16 | low_bits[random % 6];
    case 2:
        return bndi_bits_of_float((float)bnd_decode(row, code)) + aside;
    default:
        return bndi_bits_of_float((float)(0.5 * bnd_decode(row, code) + 0.5 * bnd_decode(row, code + 1))) + aside;
    }
}

uint64_t sample_double(uint64_t i)
{
    uint64_t random = bnd_random(0, DOUBLES, i), more = bnd_random(1, DOUBLES, i);
    uint64_t aside = (uint64_t)step_aside(more);
    uint64_t sign = random & UINT64_C(1) << 63, fraction = more >> 12;
    switch (i % 4) {
    case 0: /* anything; a NaN or an infinity every sixteenth time */
        return more >> 8 & 15 ? random : random | UINT64_C(0x7ff) << 52;
    case 1: /* a float, or the midpoint above it */
        return bndi_bits_of_double(bndi_float_of_bits((uint32_t)random)) + ((more >> 8 & 1) << 28) + aside;
    case 2: /* an exponent where fp32 ends: 2^-160 to 2^-120, 2^120 to 2^135 */
        return sign | (1023 + (random % 57 < 41 ? random % 57 - 160 : random % 57 + 79)) << 52 | fraction;
    default: /* the same at the lower end, where fp32 has few fraction bits: little but zeros behind them */
        return (sign | (1023 - 160 + random % 41) << 52 | (fraction & ~UINT64_C(0) << more % 53)) + aside;
    }
}

int64_t sample_integer(uint64_t i)
{
    uint64_t random = bnd_random(0, INTEGERS, i), more = bnd_random(1, INTEGERS, i);
    uint64_t mask = (UINT64_C(1) << more % 63) - 1;
    uint64_t x = i % 3 == 0 ? random : i % 3 == 1 ? random & ~mask : random | mask;
    x >>= (more >> 8) % 64;
    x = (more >> 16 & 1 ? x : 0 - x) + (uint64_t)step_aside(more >> 20);
    return (int64_t)x;
}
