/* Scales from amax, and the values of scale codes. */
#include "base/verify.h"
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"

enum { FRACTION = 23, BIAS = 127 };
static const uint32_t INFINITE = 0x7f800000, LEAST_NORMAL = 0x00800000, HIDDEN = 1u << FRACTION;

static double value_of(uint64_t significand, int32_t quantum)
{
    return (double)significand * bndi_power_of_two(quantum);
}

static double max_of(const bnd_format *f)
{
    return value_of(f->max_significand, f->max_quantum);
}

/* ---- powers of two ----
 *
 * With amax = 1.m * 2^e and the element's max = 1.f * 2^emax, every rule is e - emax, plus one if m is large enough:
 *     floor   never
 *     ceil    m > 0
 *     even    1.m rounded to the element's precision is 2: 1.m is at least halfway from its last significand, all ones,
 *             to 2. Halfway goes to 2, the even one.
 *     ct      m >= 3/4: even for an element with one fraction bit, whatever the element is
 *     rceil   amax / max = (1.m / 1.f) * 2^(e - emax), and 1.m / 1.f is between 1/2 and 2: m > f
 * so that a rule is a number, the least m as a fraction of 23 bits. */

static uint32_t limit_of(const bnd_block *block, uint32_t max_fraction)
{
    unsigned fraction_bits = block->element.precision - 1u;
    switch (block->rule) {
    case BND_SCALE_CEIL:
        return 1;
    case BND_SCALE_EVEN:
        return fraction_bits < FRACTION ? HIDDEN - (1u << (FRACTION - 1 - fraction_bits)) : HIDDEN;
    case BND_SCALE_RCEIL:
    case BND_SCALE_MSE: /* the larger one of two */
        return max_fraction + 1;
    case BND_SCALE_CT:
        return HIDDEN / 4 * 3;
    default:
        return HIDDEN;
    }
}

void bndi_prepare_scales(bndi_block_job *job)
{
    const bnd_format *element = &job->block.element, *scale = &job->block.scale;
    uint64_t max = element->max_significand; /* at most 24 bits */
    int32_t top = 63 - __builtin_clzll(max);
    job->exponent = element->max_quantum + top;
    job->limit = limit_of(&job->block, (uint32_t)(max << (FRACTION - top)) & (HIDDEN - 1));
    job->lowest = scale->emin + (scale->has_zero && !scale->has_subnormals); /* whose code would be zero's */
    job->highest = scale->emax;
    job->tensor = 1;
}

float bndi_largest_element(const bndi_block_job *job)
{
    return (float)max_of(&job->block.element); /* fp32 holds them all */
}

static int32_t clamped(const bndi_block_job *job, int32_t s)
{
    return s < job->lowest ? job->lowest : s > job->highest ? job->highest : s;
}

/* amax is not zero. */
static int32_t exponent_for(const bndi_block_job *job, uint32_t amax)
{
    int32_t e = (int32_t)(amax >> FRACTION) - BIAS;
    if (amax < LEAST_NORMAL) {
        int32_t up = __builtin_clz(amax) - (31 - FRACTION);
        amax <<= up;
        e = 1 - BIAS - up;
    }
    return clamped(job, e - job->exponent + ((amax & (HIDDEN - 1)) >= job->limit));
}

static void put_code(unsigned char *codes, size_t i, unsigned bytes, uint64_t code)
{
    for (unsigned k = 0; k < bytes; k++) {
        codes[i * bytes + k] = (unsigned char)(code >> 8 * k);
    }
}

/* The code of a power of two is that of its exponent. In a format without a zero the lowest exponent has code 0. The
 * powers are those of the rule, divided by 2^down. */
static void powers_of_two(const bndi_block_job *job, double *scales, unsigned char *codes, const uint32_t *amax,
                          size_t groups, int32_t down)
{
    const bnd_format *f = &job->block.scale;
    const int32_t of_zero = f->has_zero ? clamped(job, 0) : job->lowest;
    const unsigned bytes = f->width / 8u;
    for (size_t g = 0; g < groups; g++) {
        bool is_nan = amax[g] >= INFINITE;
        int32_t s = is_nan ? job->lowest : amax[g] == 0 ? of_zero : clamped(job, exponent_for(job, amax[g]) - down);
        scales[g] = is_nan ? __builtin_nan("") : bndi_power_of_two(s);
        put_code(codes, g, bytes, is_nan ? f->nan_code : (uint64_t)(s + f->bias) << f->fraction_bits);
    }
}

/* ---- the nearest number ----
 *
 * amax / (max * tensor) in double, then to the scale's format. That is two roundings, but the result is correctly
 * rounded. amax has 24 bits, max those of the element and the tensor's scale 24, so the divisor is exact, and by the
 * argument of elements.c nothing is lost while the precisions of divisor and scale add up to at most 52 bits: 24 + 24
 * without a tensor's scale, 28 + 24 with one, which bndi_check_block sees to. A part of amax, in steps of 1/32, has up
 * to 30 bits, which the argument allows, too: a numerator of 30 bits makes 2^-24 to 2^-30 there. */
enum { PARTS = 32 };

static void nearest(const bndi_block_job *job, double *scales, unsigned char *codes, const uint32_t *amax,
                    size_t groups, unsigned parts)
{
    const bnd_array how = {.context = &job->context, .rule = {.overflow = BND_OVERFLOW_SATURATE}};
    const double divisor = max_of(&job->block.element) * job->tensor, least = bndi_power_of_two(job->block.least);
    const double of_zero = job->block.tensor ? least : 1;
    for (size_t g = 0; g < groups; g++) {
        float largest = bndi_float_of_bits(amax[g]);
        double quotient = (double)largest * ((double)parts / (double)PARTS) / divisor;
        quotient = quotient < least ? least : quotient;
        scales[g] = amax[g] >= INFINITE ? __builtin_nan("") : amax[g] == 0 ? of_zero : quotient;
    }
    bndi_surely(bnd_encode_f64(codes, scales, groups, &job->block.scale, &how, NULL, NULL));
    bndi_read_scales(job, scales, codes, groups);
}

/* ---- several scales ---- */

enum { LARGEST_PARTS = 56, SMALLEST_PARTS = 8, TO_FOUR = 48, ROOM_FOR_FOUR = 256 };

size_t bndi_attempts(const bndi_block_job *job)
{
    return job->block.rule == BND_SCALE_MSE && job->block.scale.precision > 1 ? LARGEST_PARTS - SMALLEST_PARTS + 1
           : bndi_tries_scales(&job->block)                                   ? 2
                                                                              : 1;
}

/* The order of the attempts: 32, and then 56 to 8 without it. */
static unsigned parts_of(const bndi_block_job *job, unsigned attempt)
{
    const unsigned parts = LARGEST_PARTS + 1 - attempt;
    return attempt == 0 ? PARTS : job->block.rule == BND_SCALE_FOUR_SIX ? TO_FOUR : parts > PARTS ? parts : parts - 1;
}

void bndi_attempt_scales(const bndi_block_job *job, size_t attempt, double *scales, unsigned char *codes,
                         const uint32_t *amax, size_t groups)
{
    unsigned char unwanted[4 * BNDI_GROUPS];
    uint32_t normal[BNDI_GROUPS];
    BNDI_VERIFY(groups <= BNDI_GROUPS);
    if (job->how.rule.flush_in) {
        for (size_t g = 0; g < groups; g++) {
            normal[g] = amax[g] < LEAST_NORMAL ? 0 : amax[g];
        }
        amax = normal;
    }
    codes = codes != NULL ? codes : unwanted;
    if (bndi_gives_powers(&job->block)) {
        powers_of_two(job, scales, codes, amax, groups, (int32_t)attempt);
    } else {
        nearest(job, scales, codes, amax, groups, parts_of(job, (unsigned)attempt));
    }
}

void bndi_make_scales(const bndi_block_job *job, double *scales, unsigned char *codes, const uint32_t *amax,
                      size_t groups)
{
    bndi_attempt_scales(job, 0, scales, codes, amax, groups);
}

void bndi_read_scales(const bndi_block_job *job, double *scales, const unsigned char *codes, size_t groups)
{
    const bnd_array how = {.context = &job->context};
    bndi_surely(bnd_decode_f64(scales, codes, groups, &job->block.scale, &how, NULL));
    for (size_t g = 0; g < groups; g++) {
        scales[g] *= job->tensor;
    }
}

/* amax / (max * the largest scale, or the 256 of 4/6), from the smallest normal number up: below it fp32 would lose
 * precision, and hardware that flushes would make it zero. It is rounded twice, which is harmless: 24 bits by at most
 * 28. */
float bndi_tensor_scale(const bndi_block_job *job, uint32_t amax)
{
    const double least = bndi_power_of_two(1 - BIAS);
    const double most = job->block.rule == BND_SCALE_FOUR_SIX ? (double)ROOM_FOR_FOUR : max_of(&job->block.scale);
    float largest = bndi_float_of_bits(amax);
    /* This is between two passes, each of which enters its own environment. `volatile` keeps the arithmetic between
     * entering and leaving. */
    volatile float in = largest, scale;
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    double quotient = (double)in / (max_of(&job->block.element) * most);
    scale = amax == 0 ? 1 : (float)(quotient < least ? least : quotient);
    bndi_leave(callers);
    return scale;
}

double bndi_double_of(float x)
{
    volatile float in = x;
    volatile double out;
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    out = (double)in;
    bndi_leave(callers);
    return out;
}
