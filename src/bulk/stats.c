/* What a conversion did, counted. Everything but the sums is done on bits: a caller's rounding mode, or subnormals
 * flushed by the processor, change no count. */
#include "bulk/stats.h"

static const uint64_t SIGN = UINT64_C(1) << 63, INFINITY_BITS = UINT64_C(0x7ff) << 52;

static double double_of(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The bits of a float as those of a double. */
static uint64_t widened(uint32_t word)
{
    enum { SHIFT = 52 - 23, BIAS = 1023 - 127 };
    uint64_t sign = (uint64_t)(word >> 31) << 63, magnitude = word & 0x7fffffff;
    if (magnitude >= 0x7f800000) {
        return sign | INFINITY_BITS | magnitude << SHIFT;
    }
    if (magnitude >= 0x00800000) {
        return sign | ((magnitude << SHIFT) + ((uint64_t)BIAS << 52));
    }
    if (magnitude == 0) {
        return sign;
    }
    unsigned up = (unsigned)__builtin_clz((unsigned)magnitude) - 8; /* the leading bit to the hidden one's place */
    return sign | ((magnitude << up << SHIFT) + ((uint64_t)(BIAS - up) << 52));
}

static bnd_kind kind_of(uint64_t magnitude)
{
    return magnitude > INFINITY_BITS    ? BND_QUIET_NAN
           : magnitude == INFINITY_BITS ? BND_INFINITE
           : magnitude != 0             ? BND_FINITE
                                        : BND_ZERO;
}

bndi_number bndi_number_of_word(bndi_width width, uint64_t word)
{
    uint64_t bits = width == BNDI_WORDS_32 ? widened((uint32_t)word) : word;
    return (bndi_number){.kind = kind_of(bits & ~SIGN), .bits = bits};
}

bndi_number bndi_number_of_code(const bnd_format *f, uint64_t code)
{
    uint8_t kind = bnd_unpack(f, code).kind;
    kind = kind == BND_SIGNALING_NAN ? BND_QUIET_NAN : kind;
    return (bndi_number){.kind = (bnd_kind)kind, .bits = bits_of(bnd_decode(f, code))};
}

/* floor(log2 |x|) from the exponent field; a subnormal double is below every bin anyway. */
static size_t bin_of(uint64_t magnitude)
{
    int exponent = (int)(magnitude >> 52) - 1023, bin = exponent - BND_HISTOGRAM_LOWEST + 1;
    return bin < 0 ? 0 : bin > 63 ? 63 : (size_t)bin;
}

/* A finite number other than zero. Magnitudes of doubles are in the order of their bits. */
static void count_magnitude(bnd_stats *stats, uint64_t magnitude)
{
    uint64_t largest = bits_of(stats->largest), smallest = bits_of(stats->smallest);
    stats->largest = double_of(magnitude > largest ? magnitude : largest);
    stats->smallest = double_of(smallest == 0 || magnitude < smallest ? magnitude : smallest);
    stats->exponents[bin_of(magnitude)]++;
}

static void count_flags(bnd_stats *stats, uint32_t flags)
{
    stats->inexact += (flags & BND_INEXACT) != 0;
    stats->underflows += (flags & BND_UNDERFLOW) != 0;
    stats->flushed += (flags & BND_FLUSHED) != 0;
    stats->overflows += (flags & BND_OVERFLOW) != 0;
    stats->saturated += (flags & BND_SATURATED) != 0;
}

void bndi_count(bnd_stats *stats, bndi_number input, bndi_number result, uint32_t flags)
{
    stats->elements++;
    stats->nans_out += result.kind == BND_QUIET_NAN;
    stats->nans_in += input.kind == BND_QUIET_NAN;
    stats->infinities_in += input.kind == BND_INFINITE;
    count_flags(stats, flags);
    if (input.kind == BND_QUIET_NAN || input.kind == BND_INFINITE) {
        return;
    }
    stats->exact += (flags & (BND_INEXACT | BND_FLUSHED | BND_INVALID)) == 0;
    if (input.kind == BND_FINITE) {
        count_magnitude(stats, input.bits & ~SIGN);
    }
    double x = double_of(input.bits), error = double_of(result.bits) - x;
    if (error - error == 0) { /* false for infinities and NaN */
        stats->squared_error += error * error;
        stats->squared_input += x * x;
    }
}

uint32_t bndi_flags(const bndi_plan *plan, uint64_t input, uint64_t result, uint64_t random)
{
    uint64_t sign = UINT64_C(1) << (bnd_magnitude_bits(&plan->words));
    uint64_t u = input & (sign - 1);
    bool plain = plan->exact && u >= plan->normal && u <= plan->max && (plan->format.is_signed || u == input);
    if (plain) {
        return input != result ? BND_INEXACT : 0;
    }
    return bnd_convert(&plan->format, &plan->words, input, plan->rule, random).flags;
}
