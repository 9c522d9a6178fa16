/* What a conversion did, counted, a number at a time. Everything but the sums is done on bits: a caller's rounding
 * mode, or subnormals flushed by the processor, change no count. */
#include "base/bits.h"
#include "bulk/bulk.h"
#include "bulk/environment.h"

static const uint64_t SIGN = UINT64_C(1) << 63, INFINITY_BITS = UINT64_C(0x7ff) << 52;

/* What came in, what came out: the bits of the doubles nearest to them. */
typedef struct pair {
    uint64_t in, out;
} pair;

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

static uint64_t double_of_word(bndi_width width, uint64_t word)
{
    return width == BNDI_WORDS_32 ? widened((uint32_t)word) : word;
}

/* floor(log2 |x|) from the exponent field; a subnormal double is below every bin anyway. */
static size_t bin_of(uint64_t magnitude)
{
    int exponent = (int)(magnitude >> 52) - 1023, bin = exponent - BND_HISTOGRAM_LOWEST + 1;
    return bin < 0 ? 0 : bin > BNDI_BINS - 1 ? BNDI_BINS - 1 : (size_t)bin;
}

/* A finite number other than zero. Magnitudes of doubles are in the order of their bits. */
static void count_magnitude(bndi_tally *tally, uint64_t magnitude)
{
    if (magnitude > tally->largest) {
        tally->largest = magnitude;
    }
    if (tally->smallest == 0 || magnitude < tally->smallest) {
        tally->smallest = magnitude;
    }
    tally->bins[bin_of(magnitude)]++;
}

/* `times` is 1, or -1 as an unsigned number: then the flags are subtracted again. */
static inline void count_flags(bndi_tally *tally, uint32_t flags, uint64_t times)
{
    tally->inexact += (flags & BND_FLAG_INEXACT) != 0 ? times : 0;
    tally->underflows += (flags & BND_FLAG_UNDERFLOW) != 0 ? times : 0;
    tally->to_zero += (flags & BND_FLAG_TO_ZERO) != 0 ? times : 0;
    tally->overflows += (flags & BND_FLAG_OVERFLOW) != 0 ? times : 0;
    tally->saturated += (flags & BND_FLAG_SATURATED) != 0 ? times : 0;
}

static bool is_exact_result(uint32_t flags)
{
    return (flags & (BND_FLAG_INEXACT | BND_FLAG_TO_ZERO | BND_FLAG_INVALID)) == 0;
}

void bndi_tally_flags(bndi_tally *tally, uint32_t flags)
{
    count_flags(tally, flags, 1);
    tally->exact += is_exact_result(flags);
}

void bndi_tally_instead(bndi_tally *tally, uint32_t counted, uint32_t flags)
{
    count_flags(tally, counted, 0 - UINT64_C(1));
    tally->exact -= is_exact_result(counted);
    bndi_tally_flags(tally, flags);
}

static inline void count_pair(bndi_tally *tally, pair p, uint32_t flags)
{
    uint64_t in = p.in & ~SIGN, out = p.out & ~SIGN;
    size_t lane = tally->elements++ % BNDI_LANES;
    tally->nans_out += out > INFINITY_BITS;
    tally->nans_in += in > INFINITY_BITS;
    tally->infinities_in += in == INFINITY_BITS;
    if (flags != 0) {
        count_flags(tally, flags, 1);
    }
    if (in >= INFINITY_BITS) {
        return;
    }
    tally->exact += is_exact_result(flags);
    if (in != 0) {
        count_magnitude(tally, in);
    }
    if (out < INFINITY_BITS) {
        double x = bndi_double_of_bits(p.in), error = bndi_double_of_bits(p.out) - x;
        tally->compared++;
        tally->error[lane] += error * error;
        tally->input[lane] += x * x;
    }
}

/* Computed directly between the smallest normal number and the largest; by the codec outside. */
static inline uint32_t flags_of(const bndi_plan *plan, uint64_t in, uint64_t out, uint64_t random)
{
    uint64_t u = in & ((UINT64_C(1) << bnd_magnitude_bits(plan->words)) - 1);
    bool plain = plan->exact && u >= plan->normal && u <= plan->max && (plan->format.is_signed || u == in);
    if (plain && plan->rule.flush_in) {
        plain = u >> plan->words->fraction_bits != 0;
    }
    if (plain || (u == 0 && plan->format.has_zero && plan->exact)) {
        return u != 0 && in != out ? BND_FLAG_INEXACT : 0;
    }
    return bnd_convert(&plan->format, plan->words, in, plan->rule, random).flags;
}

uint32_t bndi_flags_of(const bndi_plan *plan, uint64_t in, uint64_t out, uint64_t random)
{
    return flags_of(plan, in, out, random);
}

static inline void tally(bndi_width width, const bndi_plan *plan, bndi_tally *t, const void *x, const void *y,
                         const void *random, size_t n)
{
    unsigned bytes = width == BNDI_WORDS_32 ? 4 : 8;
    for (size_t i = 0; i < n; i++) {
        uint64_t in = bndi_get(x, bytes, i), out = bndi_get(y, bytes, i);
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        pair p = {double_of_word(width, in), double_of_word(width, out)};
        count_pair(t, p, flags_of(plan, in, out, r));
    }
}

void bndi_tally_32(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    tally(BNDI_WORDS_32, plan, t, x, y, random, n);
}

void bndi_tally_64(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    tally(BNDI_WORDS_64, plan, t, x, y, random, n);
}

/* ---- for the vector kernels ---- */

/* Does the mode round away from zero, by the sign? */
static bool goes_away(unsigned rounding, bool negative)
{
    return rounding == (negative ? BND_ROUND_RDN : BND_ROUND_RUP);
}

/* The smallest magnitude that is not tiny: one that precision alone would round up to the smallest normal number. Below
 * that the precision's numbers are `gap` words apart, the last of them odd. */
uint64_t bndi_not_tiny_from(const bndi_plan *plan, bool negative)
{
    uint64_t normal = plan->normal, unit = (uint64_t)1 << plan->drop, gap = plan->bottom == 1 ? unit / 2 : unit;
    unsigned rounding = plan->rule.rounding;
    if (plan->rule.tiny_before || gap < 2) {
        return normal;
    }
    if (rounding >= BND_ROUND_SR || goes_away(rounding, negative)) {
        return normal - gap + 1;
    }
    return rounding == BND_ROUND_RNE || rounding == BND_ROUND_RNA ? normal - gap / 2 : normal;
}

/* The smallest magnitude that overflows: one that is rounded to the number after the largest. */
uint64_t bndi_overflows_from(const bndi_plan *plan, bool negative)
{
    uint64_t max = plan->max, unit = (uint64_t)1 << plan->drop;
    unsigned rounding = plan->rule.rounding;
    bool odd = (max & unit) != 0;
    if (unit < 2) {
        return max + 1;
    }
    if (rounding >= BND_ROUND_SR || goes_away(rounding, negative) || (rounding == BND_ROUND_RTO && !odd)) {
        return max + 1;
    }
    if (rounding == BND_ROUND_RNE || rounding == BND_ROUND_RNA) {
        return max + unit / 2 + (rounding == BND_ROUND_RNE && !odd);
    }
    return max + unit;
}

void bndi_tally_extremes(bndi_tally *t, bndi_width width, uint64_t largest, uint64_t smallest)
{
    if (largest == 0) {
        return;
    }
    uint64_t high = double_of_word(width, largest), low = double_of_word(width, smallest);
    t->largest = high > t->largest ? high : t->largest;
    t->smallest = t->smallest == 0 || low < t->smallest ? low : t->smallest;
}

/* The double nearest to a code's value; but infinity or zero only where the code is one: what is finite and beyond
 * fp64, on either side, counts as its largest number or its smallest. */
static uint64_t double_of_code(const bnd_format *f, uint64_t code)
{
    uint64_t bits = bndi_bits_of_double(bnd_decode(f, code));
    bnd_kind kind = (bnd_kind)bnd_unpack(f, code).kind;
    bool beyond = (bits & ~SIGN) == INFINITY_BITS && kind != BND_KIND_INFINITE;
    bool below = (bits & ~SIGN) == 0 && kind != BND_KIND_ZERO;
    return beyond ? bits - 1 : below ? bits + 1 : bits;
}

void bndi_tally_one(bndi_tally *t, const bnd_format *from, uint64_t in, const bnd_format *to, bnd_result result)
{
    pair p = {double_of_code(from, in), double_of_code(to, result.code)};
    count_pair(t, p, result.flags);
}

/* ---- the end of a piece ---- */

static double sum_of_lanes(const double *lanes)
{
    double sum[BNDI_LANES];
    __builtin_memcpy(sum, lanes, sizeof sum);
    for (size_t half = BNDI_LANES / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            sum[i] += sum[i + half];
        }
    }
    return sum[0];
}

void bnd_lab_tally_add(bnd_stats *stats, const bndi_tally *t)
{
    uint64_t largest = bndi_bits_of_double(stats->largest), smallest = bndi_bits_of_double(stats->smallest);
    stats->elements += t->elements;
    stats->exact += t->exact;
    stats->inexact += t->inexact;
    stats->underflows += t->underflows;
    stats->to_zero += t->to_zero;
    stats->overflows += t->overflows;
    stats->saturated += t->saturated;
    stats->infinities_in += t->infinities_in;
    stats->nans_in += t->nans_in;
    stats->nans_out += t->nans_out;
    stats->compared += t->compared;
    stats->largest = bndi_double_of_bits(t->largest > largest ? t->largest : largest);
    stats->smallest =
        bndi_double_of_bits(smallest == 0 || (t->smallest != 0 && t->smallest < smallest) ? t->smallest : smallest);
    stats->squared_error += sum_of_lanes(t->error);
    stats->squared_input += sum_of_lanes(t->input);
    for (size_t i = 0; i < BNDI_BINS; i++) {
        stats->exponents[i] += t->bins[i];
    }
}

void bnd_lab_count_scale(bnd_stats *stats, double scale)
{
    if (scale > 0 && scale - scale == 0) {
        bool first = stats->scale_largest == 0;
        stats->scale_smallest = first || scale < stats->scale_smallest ? scale : stats->scale_smallest;
        stats->scale_largest = scale > stats->scale_largest ? scale : stats->scale_largest;
    }
}

void bnd_stats_add(bnd_stats *sum, const bnd_stats *more)
{
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    sum->elements += more->elements;
    sum->exact += more->exact;
    sum->inexact += more->inexact;
    sum->underflows += more->underflows;
    sum->to_zero += more->to_zero;
    sum->overflows += more->overflows;
    sum->saturated += more->saturated;
    sum->infinities_in += more->infinities_in;
    sum->nans_in += more->nans_in;
    sum->nans_out += more->nans_out;
    sum->compared += more->compared;
    sum->largest = more->largest > sum->largest ? more->largest : sum->largest;
    bool smaller = more->smallest > 0 && (!(sum->smallest > 0) || more->smallest < sum->smallest);
    sum->smallest = smaller ? more->smallest : sum->smallest;
    sum->squared_error += more->squared_error;
    sum->squared_input += more->squared_input;
    sum->clamped_error += more->clamped_error;
    bnd_lab_count_scale(sum, more->scale_smallest);
    bnd_lab_count_scale(sum, more->scale_largest);
    for (size_t i = 0; i < BNDI_BINS; i++) {
        sum->exponents[i] += more->exponents[i];
    }
    bndi_leave(before);
}

/* ---- what follows from the sums ---- */

/* Sums of normal doubles are good to many digits; where smaller ones are lost is 0 for one too. */
static bool is_sum_of_numbers(double sum)
{
    return sum >= 0x1p-1022 && sum <= 0x1.fffffffffffffp+1023;
}

/* Nothing that was compared has changed. A sign that the format lacks is dropped without a flag: it counts as exact. */
static bool is_lossless(const bnd_stats *s)
{
    return s->exact >= s->compared && s->squared_error == 0;
}

double bnd_stats_mean_squared_error(const bnd_stats *s)
{
    bool known = s->compared > 0 && (is_lossless(s) || is_sum_of_numbers(s->squared_error));
    return known ? s->squared_error / (double)s->compared : __builtin_nan("");
}

double bnd_stats_signal_to_noise_ratio(const bnd_stats *s)
{
    if (!is_sum_of_numbers(s->squared_input) || !(is_lossless(s) || is_sum_of_numbers(s->squared_error))) {
        return __builtin_nan("");
    }
    return is_lossless(s) ? __builtin_inf() : s->squared_input / s->squared_error;
}
