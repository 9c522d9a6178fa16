/* Exact sums of squares, and the comparison of numbers with what became of them.
 *
 * The bits of a double that is a square s, which has no sign: 11 of the exponent e, 52 of the fraction f.
 *     s = (2^52 + f) 2^(e - 1075)
 * So the sum of all s with the same e is 2^(e - 1075) times the sum of their 2^52 + f, an integer. */
#include "scan/scan.h"

#include "block/differences.h"

#include <math.h>
#include <string.h>

enum { FRACTION = 52, EXPONENTS = 2048, LOWEST = 724, BIAS = 1075, LANES = BNDI_BINS_SIZE / EXPONENTS };
static const uint64_t HIDDEN = UINT64_C(1) << FRACTION;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The carry is computed from bits: clang 14 vectorises the comparison of unsigned words wrongly for WebAssembly. */
static void add_to_bin(bndi_squares *sum, size_t bin, uint64_t low, uint64_t high)
{
    uint64_t before = sum->low[bin], after = before + low;
    sum->low[bin] = after;
    sum->high[bin] += high + (((before & low) | ((before | low) & ~after)) >> 63);
}

/* The product of two words, by halves. */
static uint64_t times_word(uint64_t *high, uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffff);
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return other << 32 | (low & 0xffffffff);
}

void bndi_sum_add_times(bndi_squares *sum, double square, uint64_t times)
{
    uint64_t bits = bits_of(square), high;
    if (bits != 0) {
        uint64_t low = times_word(&high, (bits & (HIDDEN - 1)) | HIDDEN, times);
        add_to_bin(sum, (size_t)(bits >> FRACTION) - LOWEST, low, high);
    }
}

void bndi_sum_add(bndi_squares *sum, const bndi_squares *more)
{
    for (size_t i = 0; i < BNDI_SQUARES; i++) {
        add_to_bin(sum, i, more->low[i], more->high[i]);
    }
}

/* ---- rounding: the bins as one integer, in units of 2^(LOWEST - BIAS) ---- */

enum { WORDS = (BNDI_SQUARES + 128) / 64 + 1 };

static void add_shifted(uint64_t words[WORDS], uint64_t value, size_t shift)
{
    size_t at = shift / 64, by = shift % 64;
    uint64_t parts[2] = {value << by, by == 0 ? 0 : value >> (64 - by)};
    bool carry = false;
    for (size_t i = 0; at + i < WORDS && (i < 2 || carry); i++) {
        uint64_t part = i < 2 ? parts[i] : 0, sum = words[at + i] + part;
        bool over = sum < part;
        words[at + i] = sum + carry;
        carry = over || (carry && words[at + i] == 0);
    }
}

/* The 64 bits from the first one that is set, the last of them set if any below is. A word with its top bit set becomes
 * a double by one rounding to nearest even; its last bit is far below the last bit of that double. */
double bndi_sum_rounded(const bndi_squares *sum)
{
    uint64_t words[WORDS] = {0};
    for (size_t i = 0; i < BNDI_SQUARES; i++) {
        add_shifted(words, sum->low[i], i);
        add_shifted(words, sum->high[i], i + 64);
    }
    size_t top = WORDS;
    while (top > 0 && words[top - 1] == 0) {
        top--;
    }
    if (top == 0) {
        return 0;
    }
    int up = __builtin_clzll(words[top - 1]);
    uint64_t head = words[top - 1] << up, rest = 0;
    if (top > 1 && up > 0) {
        head |= words[top - 2] >> (64 - up);
    }
    rest = top > 1 ? words[top - 2] << up : 0;
    for (size_t i = 0; i + 2 < top; i++) {
        rest |= words[i];
    }
    return ldexp((double)(head | (rest != 0)), (int)(64 * (top - 1)) - up + LOWEST - BIAS);
}

/* ---- comparison ---- */

void bndi_comparison_add(bndi_comparison *sum, const bndi_comparison *more)
{
    sum->elements += more->elements;
    sum->broken += more->broken;
    sum->to_zero += more->to_zero;
    sum->exact += more->exact;
    sum->overflows += more->overflows;
    bndi_sum_add(&sum->squared_error, &more->squared_error);
}

static double square_of_difference(float x, float y)
{
    double error = (double)x - (double)y;
    return error * error;
}

void bndi_compare_times(bndi_comparison *sum, float x, float y, uint64_t times)
{
    bool finite = isfinite(x), came_back = x == y || (isnan(x) && isnan(y));
    sum->elements += times;
    sum->exact += came_back ? times : 0;
    sum->to_zero += finite && x != 0 && y == 0 ? times : 0;
    sum->broken += (finite && !isfinite(y)) || (!finite && !came_back) ? times : 0;
    if (finite && isfinite(y)) {
        bndi_sum_add_times(&sum->squared_error, square_of_difference(x, y), times);
    }
}

/* A lane holds 2048 numbers below 2^53. */
_Static_assert((int)BNDI_DIFFERENCES <= 2048 * (int)LANES, "a run fits the bins");

static void move_bins(bndi_comparison *sum, uint64_t *bins)
{
    for (size_t i = 0; i < BNDI_SQUARES; i++) {
        uint64_t *lanes = bins + (i + LOWEST) * LANES;
        for (size_t lane = 0; lane < LANES; lane++) {
            add_to_bin(&sum->squared_error, i, lanes[lane], 0);
            lanes[lane] = 0;
        }
    }
}

/* Numbers some of which are not finite. */
static void compare_one_by_one(bndi_comparison *sum, const float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bndi_compare_times(sum, x[i], y[i], 1);
    }
}

/* Neighbours go to different bins, so that an addition need not wait for the one before. The bins of exponent 0 are
 * those of 0, each of which counts as 2^52; those of the highest exponent are touched by NaNs and infinities. */
static void compare_run(bndi_comparison *sum, uint64_t *bins, const float *x, const float *y, size_t n)
{
    uint64_t to_zero = 0, zeros = 0, strange = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_of(square_of_difference(x[i], y[i]));
        bins[(bits >> FRACTION & (EXPONENTS - 1)) * LANES + i % LANES] += (bits & (HIDDEN - 1)) | HIDDEN;
        to_zero += y[i] == 0 && x[i] != 0;
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        zeros += bins[lane] >> FRACTION;
        strange |= bins[(EXPONENTS - 1) * LANES + lane];
        bins[lane] = bins[(EXPONENTS - 1) * LANES + lane] = 0;
    }
    if (strange != 0) {
        memset(bins, 0, BNDI_BINS_SIZE * sizeof *bins);
        compare_one_by_one(sum, x, y, n);
        return;
    }
    move_bins(sum, bins);
    sum->elements += n;
    sum->exact += zeros;
    sum->to_zero += to_zero;
}

/* A sum in units of a bin is a number of times the unit, as that bin counts. */
static void add_differences(bndi_comparison *sum, const bndi_differences *d, size_t n)
{
    add_to_bin(&sum->squared_error, (size_t)(d->unit + BIAS - LOWEST), d->low, d->high);
    sum->elements += n;
    sum->exact += d->same;
    sum->to_zero += d->to_zero;
}

void bndi_compare(bndi_comparison *sum, uint64_t bins[BNDI_BINS_SIZE], const float *x, const float *y, size_t n)
{
    for (size_t at = 0; at < n; at += BNDI_DIFFERENCES) {
        const size_t run = n - at < BNDI_DIFFERENCES ? n - at : BNDI_DIFFERENCES;
        bndi_differences d;
        if (bnd_lab_square_differences(&d, x + at, y + at, run, NULL)) {
            add_differences(sum, &d, run);
        } else {
            compare_run(sum, bins, x + at, y + at, run);
        }
    }
}
