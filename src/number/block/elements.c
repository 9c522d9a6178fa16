/* A run of neighbours: scaled, rounded, stored.
 *
 * An element is one rounding of the exact quotient x / scale.
 *
 * Powers of two. A product in fp32 is exact unless it falls below fp32's normal numbers or beyond its largest, and
 * multiply_exactly of block_kernels.c tests whether all were. Quotients in double always are: |x| is from 2^-149 to
 * 2^128 and the scale from 2^-127 to 2^127.
 *
 * Other scales. A quotient in double is rounded, and rounding it again is harmless as long as no breakpoint of the
 * second rounding lies between the exact quotient and the double, and the double is a breakpoint only if the exact
 * quotient is one. Let q = X / S * 2^k be in [1, 2), with integers X < 2^24 and S < 2^w. With a precision of p bits and
 * N random ones every breakpoint (a number of the format, a midpoint, a threshold of the random bits, which themselves
 * are to nearest) is some b = B / 2^t with t = p + N; below the normal numbers they are fewer. If q is not b, then
 *     |q - b| = |X 2^(k+t) - B S| / (S 2^t)  is at least 2^-(w+t) where k + t >= 0: the numerator is a whole number;
 *     |q - b| = |X - B S 2^-(k+t)| / (S 2^-k)  is more than 2^-24 otherwise: S 2^-k <= X, since q >= 1.
 * The double is within 2^-53 of q, so w + p + N <= 52 is enough. w is the precision of the scale, and 24 more where a
 * tensor's scale multiplies it: 28 for NVFP4. With more random bits the double is rounded to odd, which is enough for
 * p + N <= 50. Others are computed exactly, number by number.
 *
 * Quotients in fp32, to odd: the quotient q is truncated, and its last bit is set if it was inexact. Rounding that
 * again, to at most 22 bits, is correct. Inexact means that x - q scale is not zero; its last bit is at least that of x
 * times 2^-24. So it can be lost for an x below 2^-101, which is harmless if such an x is less than half of the least
 * element. From a quotient in double of w <= 28, cut to fp32, nothing is lost: with t = 24 the double has 24 bits only
 * if the exact quotient has, and there are breakpoints of 22 bits where p + N <= 22. */
#include "base/verify.h"
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"

enum { QUOTIENT_PIECE = 1024 }; /* doubles at a time */

/* ---- exactly, number by number ---- */

/* The significand of x, which is finite and not zero, as an integer of 48 bits with its top bit set; the significand of
 * every scale fits. 0.3125 as 5 * 2^-4: 5 << 61 >> 16 is a00000000000, and the exponent -4 - 61 + 16 = -49:
 * a00000000000 * 2^-49 = 0.3125. */
static uint64_t significand_of(bnd_exact x, int32_t *exponent)
{
    uint64_t significand = x.low != 0 ? x.low : x.high;
    int up = __builtin_clzll(significand);
    *exponent = x.exponent + (x.low != 0 ? 0 : 64) - up + 16;
    return significand << up >> 16;
}

/* x / scale to 112 bits and a sticky bit, by long division, 16 bits at a time: more than 24 bits of precision and 62
 * random bits need. For 1 / 3:
 *
 *   dividend 800000000000, divisor c00000000000 (both 2^47 to 2^48)     q = 0, rest 800000000000
 *   digit 1  rest << 16 / divisor = aaaa, rest 800000000000             q = 0.aaaa
 *   ..                                                                  7 digits: 0.aaaaaaaa.., rest not zero: sticky
 * */
static bnd_exact quotient_of(float x, double scale)
{
    enum { DIGITS = 7 };
    bnd_exact a = bnd_exact_float(x), b = bnd_exact_double(scale);
    if (scale != scale) {
        return bnd_exact_double(__builtin_nan(""));
    }
    if (a.kind == BND_KIND_QUIET_NAN || a.kind == BND_KIND_SIGNALING_NAN) {
        a.kind = BND_KIND_QUIET_NAN;
        return a;
    }
    a.negative = a.negative != b.negative;
    if (b.kind != BND_KIND_FINITE) { /* a given scale of 0 or infinity: all elements are zeros */
        return (bnd_exact){.kind = BND_KIND_ZERO, .negative = a.negative};
    }
    if (a.kind != BND_KIND_FINITE) {
        return a;
    }
    int32_t up, down;
    uint64_t dividend = significand_of(a, &up), divisor = significand_of(b, &down);
    bnd_exact q = {.kind = BND_KIND_FINITE, .negative = a.negative, .exponent = up - down - DIGITS * 16};
    uint64_t rest = dividend % divisor;
    q.low = dividend / divisor; /* 0 or 1 */
    for (int digit = 0; digit < DIGITS; digit++) {
        q.high = q.high << 16 | q.low >> 48;
        q.low = q.low << 16 | (rest << 16) / divisor;
        rest = (rest << 16) % divisor;
    }
    q.sticky = rest != 0;
    return q;
}

/* Inputs that flush_in replaces by zeros. A field of 0 with a fraction: 00000001 to 007fffff. */
static bool is_subnormal_float(float x)
{
    uint32_t bits = bndi_bits_of_float(x);
    return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
}

/* One element by the codec: the exact quotient, its rounding, its flags. */
static float round_number(const bndi_block_job *job, float x, double scale, size_t at, bndi_tally *tally)
{
    const bnd_format *f = &job->block.element;
    bnd_rule rule = job->how.rule;
    unsigned bits = bnd_rule_random_bits(rule);
    uint64_t random = bits > 0 ? bnd_random_bits(job->how.seed, job->how.purpose, job->how.first + at, bits) : 0;
    bnd_exact quotient = quotient_of(x, scale);
    bool flushed = rule.flush_in && is_subnormal_float(x) && quotient.kind == BND_KIND_FINITE;
    quotient.kind = (uint8_t)(flushed ? BND_KIND_ZERO : quotient.kind);
    bnd_rounded rounded = bnd_round_exact(f, quotient, rule, random);
    if (quotient.kind != BND_KIND_QUIET_NAN) {
        bndi_tally_flags(tally, rounded.flags | (flushed ? BND_FLAG_TO_ZERO : 0));
    }
    const bnd_format *fp32 = job->fp32;
    return (float)bnd_decode(fp32, bnd_encode_exact(fp32, rounded.value, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code);
}

/* ---- runs ---- */

/* The caller's rule and random bits, from element `at` on. */
static bnd_array how_at(const bndi_block_job *job, size_t at, bnd_rule rule)
{
    bnd_array how = job->how;
    how.first += at;
    how.rule = rule;
    return how;
}

/* For numbers that are values of the element's format: they are not rounded, do not overflow and are not flushed. The
 * NaN policy still applies. */
static bnd_rule no_rounding(bnd_rule rule)
{
    rule.rounding = BND_ROUND_RNE;
    rule.overflow = BND_OVERFLOW_FORMAT;
    rule.flush_in = false;
    rule.flush_out = BND_FLUSH_NONE;
    return rule;
}

/* Quotients in double of n elements of a run, from `from` on. */
static void divide_piece(const bndi_block_job *job, double *q, const bndi_run *run, size_t from, size_t n)
{
    size_t across = job->layout.across, place = run->first + from;
    (job->doubles_to_odd ? job->scan->divide_in_doubles_to_odd : job->scan->divide)(
        q, run->x + from, run->divisors + place / across, n, across, place % across);
}

/* Quotients in fp32 to odd, if the back end has them for these scales: for scales of fp32 by the processor's division
 * and a remainder, for a tensor's and a block's scale together by a division in double. False leaves y as it is. */
static bool divide_to_odd(const bndi_block_job *job, float *y, const bndi_run *run)
{
    if (run->odd) {
        (job->to_odd ? job->scan->divide_to_odd : job->scan->divide_wide_to_odd)(y, run->x, run->divisors, run->n,
                                                                                 job->layout.across, run->first);
    }
    return run->odd;
}

/* Numbers in fp32 that round as the quotients do. `up` is given where all scales are powers of two. False leaves y with
 * products that must not be used: the caller divides in double. */
static bool scale_in_fp32(const bndi_block_job *job, float *y, const bndi_run *run)
{
    if (run->up == NULL) {
        return divide_to_odd(job, y, run);
    }
    return !job->by_number &&
           job->scan->multiply_exactly(y, run->x, run->up, run->down, run->n, job->layout.across, run->first);
}

/* Quotients in double, rounded to the element's format; PIECE at a time. */
static void round_in_doubles(const bndi_block_job *job, float *rounded, const bndi_run *run, bnd_stats *flags)
{
    double q[QUOTIENT_PIECE];
    for (size_t from = 0; from < run->n; from += QUOTIENT_PIECE) {
        size_t n = run->n - from < QUOTIENT_PIECE ? run->n - from : QUOTIENT_PIECE;
        bnd_array how = how_at(job, run->at + from, job->how.rule);
        divide_piece(job, q, run, from, n);
        bndi_surely(bnd_round_f64(q, q, n, &job->block.element, &how, flags, NULL));
        for (size_t i = 0; i < n; i++) {
            rounded[from + i] = (float)q[i];
        }
    }
}

/* Everything else, exactly. */
static void round_by_number(const bndi_block_job *job, float *rounded, const bndi_run *run, bnd_stats *flags)
{
    bndi_tally tally = {.elements = 0};
    for (size_t i = 0; i < run->n; i++) {
        double scale = run->scales[(run->first + i) / job->layout.across];
        rounded[i] = round_number(job, run->x[i], scale, run->at + i, &tally);
    }
    if (flags != NULL) {
        bnd_lab_tally_add(flags, &tally);
    }
}

/* The elements' values, in units of their scales. `counted` may be NULL.
 *
 *   e4m3, scale 2^-7    x 0.3 is 38.4 in units of its scale: rounded 40, inexact
 *   e2m1, scale 0       given: x 0.3 is 0, and exact */
static void round_run(const bndi_block_job *job, float *rounded, const bndi_run *run, bndi_counted *counted)
{
    bnd_stats *flags = counted != NULL ? &counted->flags : NULL;
    /* One by one with the codec, in fp32, or in doubles: the first that the analysis at the top allows. */
    if (job->by_number || run->unusual) {
        round_by_number(job, rounded, run, flags);
    } else if (job->random_in_doubles || !scale_in_fp32(job, rounded, run)) {
        round_in_doubles(job, rounded, run, flags);
    } else if (counted == NULL || !bnd_lab_counted_round(counted, rounded, run->n)) {
        bnd_array how = how_at(job, run->at, job->how.rule);
        bndi_surely(bnd_round_f32(rounded, rounded, run->n, &job->block.element, &how, flags, NULL));
    }
}

/* Rounded elements of a run, what they are worth, and statistics where they are wanted. */
void bndi_round_run(const bndi_block_job *job, float *rounded, float *y, const bndi_run *run)
{
    float values[BNDI_BLOCK_CHUNK];
    round_run(job, rounded, run, job->counted);
    if (y == NULL && job->counted == NULL) {
        return;
    }
    y = y != NULL ? y : values;
    job->scan->multiply_in_double(y, rounded, run->scales, run->n, job->layout.across, run->first);
    if (job->counted != NULL) {
        bndi_count_run(job, run, y, rounded);
    }
}

/* Where the code of element `at` is stored. */
void *bndi_codes_at(const bndi_block_job *job, size_t at)
{
    const bnd_format *f = &job->block.element;
    size_t offset = job->block.integer ? at : bnd_codes_size(f, at, job->packing);
    return (char *)job->codes + offset;
}

/* The elements' values as codes; an integer element is a multiple of 1 / units. With units = 64: 1.5 is 96 (60), and
 * -0.25 is -16 (f0), in two's complement. */
void bndi_store_elements(const bndi_block_job *job, const float *rounded, size_t at, size_t n)
{
    if (!job->block.integer) {
        bnd_array how = how_at(job, at, no_rounding(job->how.rule));
        bndi_surely(bnd_encode_f32(bndi_codes_at(job, at), rounded, n, &job->block.element, &how, NULL, NULL));
        return;
    }
    unsigned char *bytes = bndi_codes_at(job, at);
    const float units = job->units;
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(int)(rounded[i] * units);
    }
}

/* Codes that are too many for the caches are written with stores that bypass them, except in lines shared with other
 * chunks. */
static void encode_words(const bndi_block_job *job, char *codes, const float *x, size_t n)
{
    enum { LINE = 64 };
    const size_t bytes = job->plan.code_bytes, misplaced = (uintptr_t)codes % LINE;
    bndi_encode_kernel *encode = job->kernels.encode[BNDI_WORDS_32];
    if (!job->streaming.stream || misplaced % bytes != 0 || n * bytes < 4 * (size_t)LINE) {
        encode(&job->plan, codes, x, NULL, n);
        return;
    }
    size_t head = (LINE - misplaced) % LINE / bytes, lines = (n - head) * bytes / LINE, middle = lines * LINE / bytes;
    encode(&job->plan, codes, x, NULL, head);
    encode(&job->streaming, codes + head * bytes, x + head, NULL, middle);
    encode(&job->plan, codes + (head + middle) * bytes, x + head + middle, NULL, n - head - middle);
}

/* Numbers in units of their scales to codes, by the job's plan. */
void bndi_encode_words(const bndi_block_job *job, size_t at, const float *x, size_t n)
{
    unsigned char codes[2 * BNDI_BLOCK_CHUNK];
    bndi_set_rounding(job->plan.mode_to_set);
    if (job->packed) {
        job->kernels.encode[BNDI_WORDS_32](&job->plan, codes, x, NULL, n);
        job->kernels.pack(bndi_codes_at(job, at), codes, job->plan.code_bytes, job->block.element.width, n);
    } else {
        encode_words(job, bndi_codes_at(job, at), x, n);
    }
    bndi_set_rounding(BND_ROUND_RNE);
}

/* Quotients in double, directly to codes. */
static void encode_in_doubles(const bndi_block_job *job, const bndi_run *run)
{
    double q[QUOTIENT_PIECE];
    for (size_t from = 0; from < run->n; from += QUOTIENT_PIECE) {
        size_t n = run->n - from < QUOTIENT_PIECE ? run->n - from : QUOTIENT_PIECE;
        bnd_array how = how_at(job, run->at + from, job->how.rule);
        divide_piece(job, q, run, from, n);
        void *codes = bndi_codes_at(job, run->at + from);
        bndi_surely(bnd_encode_f64(codes, q, n, &job->block.element, &how, NULL, NULL));
    }
}

/* Integers to nearest even from quotients in fp32, which a sum with 1.5 2^23 rounds. A quotient to odd that is not
 * exact has its last bit set, so that it is never halfway between two integers: 2.5 stays a tie, and 2.5000001 does not
 * become one. NaNs have no integer; the general path gives them what the NaN policy says. */
static bool encode_integers(const bndi_block_job *job, float *y, const bndi_run *run)
{
    const bool good = job->sums_integers && job->counted == NULL && run->finite && scale_in_fp32(job, y, run);
    if (good) {
        job->scan->encode_integers(bndi_codes_at(job, run->at), y, run->n, job->units,
                                   bndi_largest_element(job) * job->units);
    }
    return good;
}

/* The fastest correct path: with statistics or for most integers the values are needed, otherwise codes are made
 * directly from quotients. */
void bndi_encode_run(const bndi_block_job *job, const bndi_run *run)
{
    float y[BNDI_BLOCK_CHUNK];
    BNDI_VERIFY(run->n <= BNDI_BLOCK_CHUNK && (!job->packed || run->at % 8 == 0));
    if (encode_integers(job, y, run)) {
        return;
    }
    if (job->counted != NULL || job->block.integer || job->by_number || run->unusual) {
        bndi_round_run(job, y, NULL, run);
        bndi_store_elements(job, y, run->at, run->n);
    } else if (scale_in_fp32(job, y, run)) {
        if (job->has_plan && run->finite) {
            bndi_encode_words(job, run->at, y, run->n);
            return;
        }
        bnd_array how = how_at(job, run->at, job->how.rule);
        bndi_surely(bnd_encode_f32(bndi_codes_at(job, run->at), y, run->n, &job->block.element, &how, NULL, NULL));
    } else {
        encode_in_doubles(job, run);
    }
}

/* On the grid in one pass: by products with powers of two, by quotients to odd in fp32, or by quotients in double, the
 * first that is exact enough. All give the same bits:
 *
 *   e4m3 by powers         magic and product in fp32: numbers of 4 bits, and no product below the normal numbers counts
 *   e4m3 by quotients      the same sum, on a quotient whose last bit says that it was cut
 *   e2m1 with two scales   their product has up to 28 bits: doubles
 *
 * y must not be x: the loops promise the compiler that they do not overlap (restrict). */
static void fake_on_grid(const bndi_block_job *job, float *y, const bndi_run *run)
{
    const size_t across = job->layout.across;
    if (run->up != NULL && job->on_grid_of_floats) {
        job->scan->fake_by_powers(y, run->x, run->up, run->down, run->n, across, run->first, &job->grid);
    } else if (job->on_grid_of_floats && job->to_odd && run->odd) {
        job->scan->fake_to_odd(y, run->x, run->scales, run->n, across, run->first, &job->grid);
    } else {
        job->scan->fake(y, run->x, run->scales, run->n, across, run->first, &job->grid);
    }
}

/* Quantizes and dequantizes: on the grid in one pass if all numbers are finite, otherwise in two steps. */
void bndi_fake_run(const bndi_block_job *job, float *y, const bndi_run *run)
{
    float rounded[BNDI_BLOCK_CHUNK], values[BNDI_BLOCK_CHUNK];
    BNDI_VERIFY(run->n <= BNDI_BLOCK_CHUNK);
    if ((job->counted != NULL || !job->on_grid || !run->finite) && y == run->x) {
        bndi_round_run(job, rounded, values, run); /* x is still to be counted */
        __builtin_memcpy(y, values, run->n * sizeof *y);
    } else if (job->counted != NULL || !job->on_grid || !run->finite) {
        bndi_round_run(job, rounded, y, run);
    } else if (y == run->x) {
        fake_on_grid(job, rounded, run);
        __builtin_memcpy(y, rounded, run->n * sizeof *y);
    } else {
        fake_on_grid(job, y, run);
    }
}

/* The errors of a run whose scales are numbers: in one pass on the grid; where the format has none, or a number is not
 * finite, by the general path with the rule of the definition. e2m1, scale 0.5, x = 0.6: y = 0.5, and 0.01 is added. */
void bndi_add_errors(const bndi_block_job *job, double *errors, const bndi_run *run)
{
    float y[BNDI_BLOCK_CHUNK];
    BNDI_VERIFY(run->n <= BNDI_BLOCK_CHUNK && run->first == 0);
    if (job->has_grid && run->finite) {
        fake_on_grid(job, y, run);
    } else {
        float rounded[BNDI_BLOCK_CHUNK];
        bndi_block_job nearest = *job;
        nearest.by_number = false; /* no random bits: doubles are enough for all formats */
        nearest.counted = NULL;
        nearest.how.rule = (bnd_rule){.overflow = BND_OVERFLOW_SATURATE};
        round_run(&nearest, rounded, run, NULL);
        job->scan->multiply_in_double(y, rounded, run->scales, run->n, job->layout.across, 0);
    }
    job->scan->add_errors(errors, y, run->x, run->n, job->layout.across);
}

/* Codes to values, in units of the scale. */
void bndi_load_elements(const bndi_block_job *job, float *y, size_t at, size_t n)
{
    if (!job->block.integer) {
        bnd_array how = how_at(job, at, job->how.rule);
        bndi_surely(bnd_decode_f32(y, bndi_codes_at(job, at), n, &job->block.element, &how, NULL));
        return;
    }
    const unsigned char *bytes = bndi_codes_at(job, at);
    for (size_t i = 0; i < n; i++) {
        /* Two's complement by hand: f0 is 240 - 256 = -16, and -16 / 64 is -0.25, exactly. */
        int value = bytes[i] < 128 ? bytes[i] : bytes[i] - 256;
        y[i] = (float)value / job->units;
    }
}
