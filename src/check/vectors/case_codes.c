/* The random numbers of a drawn case, and codes built from an exponent and a fraction. */
#include "vectors/strata.h"

bndi_draw bndi_vector_draw(uint64_t seed, uint64_t index, uint32_t operand)
{
    enum { PURPOSE = 0x76656374, ROUNDS = 10 };
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), operand, PURPOSE};
    uint32_t words[4];
    bnd_philox4x32(words, counter, key, ROUNDS);
    return (bndi_draw){.choice = (uint64_t)words[1] << 32 | words[0], .more = (uint64_t)words[3] << 32 | words[2]};
}

uint64_t bndi_vector_plain_fraction(const bnd_format *f, bndi_draw d)
{
    uint64_t ones = bndi_fraction_mask(f);
    unsigned zeros = (unsigned)(d.choice >> 40 & 63);
    uint64_t fraction = zeros < f->fraction_bits ? d.more & (ones << zeros) & ones : 0;
    return (d.choice >> 46 & 1) != 0 ? ones ^ fraction : fraction;
}

uint64_t bndi_stratum_fraction(const bnd_format *f, bndi_draw d)
{
    uint64_t ones = bndi_fraction_mask(f), alone = UINT64_C(1) << (d.choice >> 16 & 0xffff) % (f->fraction_bits + 1u);
    switch (d.choice >> 8 & 7) {
    case 0:
        return 0;
    case 1:
        return ones;
    case 2:
        return 1 & ones;
    case 3:
        return alone & ones;
    case 4:
        return ones & ~alone;
    case 5:
        return bndi_vector_plain_fraction(f, d);
    default:
        return d.more & ones;
    }
}

uint64_t bndi_stratum_code(const bnd_format *f, int64_t exponent, uint64_t fraction, bool negative)
{
    uint64_t magnitude, sign = f->is_signed && negative ? UINT64_C(1) << bnd_magnitude_bits(f) : 0;
    if (exponent >= f->emin) {
        magnitude = (uint64_t)(exponent + f->bias) << f->fraction_bits | fraction;
    } else {
        uint64_t significand = UINT64_C(1) << f->fraction_bits | fraction;
        magnitude = f->has_subnormals && f->emin - exponent < 64 ? significand >> (f->emin - exponent) : 0;
    }
    return (exponent > f->emax || magnitude > f->max_code ? f->max_code : magnitude) | sign;
}

bool bndi_stratum_split(int64_t factors[2], int64_t sum, bndi_reach a, bndi_reach b, uint64_t random)
{
    bndi_reach first = bndi_overlap(a, (bndi_reach){sum - b.high, sum - b.low});
    if (bndi_is_empty(first)) {
        return false;
    }
    factors[0] = bndi_exponent_within(first, random);
    factors[1] = sum - factors[0];
    return true;
}

int64_t bndi_bits_kept(const bnd_format *f, int64_t exponent)
{
    int64_t below = f->emin - exponent, bits = f->precision - (f->has_subnormals && below > 0 ? below : 0);
    return bits < 0 ? 0 : bits;
}
