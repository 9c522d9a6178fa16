/* Between floats and the elements of a format, in units of a scale: the part of block_kernels.c that knows the grid of
 * a format. block_kernels.c includes it once, and defines the lanes and groups that it uses. */

/* ---- quantize and dequantize: round to the nearest (even) number of a format in units of a scale ----
 *
 * x + M - M, M so large that the sum has no bit below the format's last one: 1.5 times a power of two, so that the sum
 * of a negative x has the same exponent. A sum of zero takes the sign of x. */

/* y with the sign bit of x where the format has a negative zero (`sign` is that bit, or 0). */
static inline float with_sign_of(float y, float x, uint32_t sign)
{
    uint32_t a, b;
    __builtin_memcpy(&a, &y, sizeof a);
    __builtin_memcpy(&b, &x, sizeof b);
    a |= b & sign;
    __builtin_memcpy(&y, &a, sizeof y);
    return y;
}

/* One number, scaled by 2^k, clamped, rounded to the format's grid, scaled back. 0.3 with up = 2^7, for e4m3 (magic 1.5
 * 2^20):
 *
 *   scaled 38.4, binade 32, M = 32 * 1.5 2^20 = 50331648, whose last bit is worth 4
 *   38.4 + M = 50331688 (a multiple of 4), - M = 40, * 2^-7 = 0.3125 */
static inline float nearest_by_power(float x, float up, float down, float most, float bottom, float magic,
                                     uint32_t sign)
{
    /* `power` is the power of two of t, but not below the format's lowest normal one: below it the steps stay the same,
     * as they do for subnormal numbers. */
    /* Clamped by comparisons that a NaN passes through. Both are false for it, and NaN + M - M is NaN. */
    float scaled = x * up, low = scaled < -most ? -most : scaled, t = low > most ? most : low;
    float binade = bndi_float_of_bits((uint32_t)(magnitude_bits(&t) & INFINITE)),
          power = binade > bottom ? binade : bottom;
    float m = power * magic;
    return with_sign_of((t + m - m) * down, x, sign);
}

/* The power of two at or below |x|: the exponent field alone. 38.4 is 4043333333333333, and 4040000000000000 is 32.
 * Zero and subnormal doubles give 0. */
static inline double binade_of(double x)
{
    uint64_t bits = bndi_bits_of_double(x);
    bits &= (uint64_t)0x7ff << 52;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* The same in double, for scales that are not powers of two; quotient and grid fit a double, as the head of elements.c
 * shows. */
static inline float nearest_of_quotient(float x, double scale, double most, double bottom, double magic, uint32_t sign)
{
    double scaled = (double)x / scale, low = scaled < -most ? -most : scaled, t = low > most ? most : low;
    double binade = binade_of(t), power = binade > bottom ? binade : bottom;
    double m = power * magic;
    return with_sign_of((float)((t + m - m) * scale), x, sign);
}

/* Neighbours with one scale (`step` 0), or with one each (1). `step` is a constant in each instance: with 0 the scale
 * is loaded once, before the loop. */
static inline void fake_some_by_powers(float *restrict y, const float *restrict x, const float *restrict up,
                                       const float *restrict down, size_t step, size_t n, const bndi_grid *grid)
{
    const float most = (float)grid->most, bottom = (float)grid->bottom, magic = grid->magic_of_floats;
    const uint32_t sign = grid->sign;
    for (size_t i = 0; i < n; i++) {
        y[i] = nearest_by_power(x[i], up[i * step], down[i * step], most, bottom, magic, sign);
    }
}

/* As above, in double. */
static inline void fake_some(float *restrict y, const float *restrict x, const double *restrict scales, size_t step,
                             size_t n, const bndi_grid *grid)
{
    const double most = grid->most, bottom = grid->bottom, magic = grid->magic;
    const uint32_t sign = grid->sign;
    for (size_t i = 0; i < n; i++) {
        y[i] = nearest_of_quotient(x[i], scales[i * step], most, bottom, magic, sign);
    }
}

/* USUAL: blocks of 32, with a constant length. */
static void fake_by_powers(float *y, const float *x, const float *up, const float *down, size_t n, size_t across,
                           size_t first, const bndi_grid *grid)
{
    enum { USUAL = 32 };
    size_t place = first;
    if (across == 1) {
        fake_some_by_powers(y, x, up, down, 1, n, grid);
        return;
    }
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        const size_t end = end_of_group(i, n, across, place);
        if (end - i == USUAL) {
            fake_some_by_powers(y + i, x + i, up + g, down + g, 0, USUAL, grid);
        } else {
            fake_some_by_powers(y + i, x + i, up + g, down + g, 0, end - i, grid);
        }
        i = end;
    }
}

/* The entry of the table for scales that are not powers of two: quotients and their rounding in double, then the
 * product with the scale. */
static void fake(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first,
                 const bndi_grid *grid)
{
    size_t place = first;
    if (across == 1) {
        fake_some(y, x, scales, 1, n, grid);
        return;
    }
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        const size_t end = end_of_group(i, n, across, place);
        fake_some(y + i, x + i, scales + g, 0, end - i, grid);
        i = end;
    }
}

/* ---- integers ---- */

/* v + 1.5 2^23 has no bits below 1, and its lowest byte is the integer in two's complement. -5.5: the sum 12582906.5 is
 * rounded to 12582906, which is 4b3ffffa; fa is -6. */
static void encode_integers(unsigned char *restrict codes, const float *restrict x, size_t n, float units, float most)
{
    const float magic = 12582912;
    for (size_t i = 0; i < n; i++) {
        const float v = x[i] * units, low = v < -most ? -most : v, clamped = low > most ? most : low;
        const float sum = clamped + magic;
        int32_t bits;
        __builtin_memcpy(&bits, &sum, sizeof bits);
        codes[i] = (unsigned char)bits;
    }
}

/* ---- errors ---- */

/* The sum of 16 lanes: halves, quarters and so on. */
static inline double sum_of(const double *lanes)
{
    double half[LANES / 2], quarter[LANES / 4];
    for (size_t k = 0; k < LANES / 2; k++) {
        half[k] = lanes[k] + lanes[k + LANES / 2];
    }
    for (size_t k = 0; k < LANES / 4; k++) {
        quarter[k] = half[k] + half[k + LANES / 4];
    }
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/* The squared errors of neighbours: 16 sums side by side. */
static inline double errors_of(const float *restrict y, const float *restrict x, size_t n)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            const double error = (double)y[i + k] - (double)x[i + k];
            lanes[k] += error * error;
        }
    }
    for (size_t k = 0; i + k < n; k++) {
        const double error = (double)y[i + k] - (double)x[i + k];
        lanes[k] += error * error;
    }
    return sum_of(lanes);
}

/* Groups of one element each. */
static void add_errors_of_columns(double *restrict errors, const float *restrict y, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double error = (double)y[i] - (double)x[i];
        errors[i] += error * error;
    }
}

/* The entry of the table. */
static void add_errors(double *errors, const float *y, const float *x, size_t n, size_t across)
{
    if (across == 1) {
        add_errors_of_columns(errors, y, x, n);
        return;
    }
    for (size_t i = 0, g = 0; i < n; i += across, g++) {
        errors[g] += across == LANES && n - i >= LANES ? errors_of(y + i, x + i, LANES)
                                                       : errors_of(y + i, x + i, n - i < across ? n - i : across);
    }
}

/* Some groups, side by side: `groups` is a constant wherever this is called. */
static inline void add_products_of_groups(double *restrict xx, double *restrict xy, const float *restrict x,
                                          const float *restrict y, size_t groups, size_t across)
{
    for (size_t i = 0; i < across; i++) {
        for (size_t g = 0; g < groups; g++) {
            const double a = (double)x[g * across + i], b = (double)y[g * across + i];
            xx[g] += a * a;
            xy[g] += a * b;
        }
    }
}

/* The entry of the table. Columns are groups of one element. */
static void add_products(double *xx, double *xy, const float *x, const float *y, size_t n, size_t across)
{
    enum { SOME = 8 };
    size_t at = 0, g = 0;
    for (; n - at >= SOME * across; at += SOME * across, g += SOME) {
        add_products_of_groups(xx + g, xy + g, x + at, y + at, SOME, across);
    }
    for (; at < n; at += across, g++) {
        add_products_of_groups(xx + g, xy + g, x + at, y + at, 1, n - at < across ? n - at : across);
    }
}

/* Squares for statistics. No branch: what does not count is 0. For x = 0.3 and y = 0.3125 the error is 0.0125, and the
 * squares are 0.00015625 and 0.09. */
static bndi_value_counts square(const bndi_value_squares *out, const float *restrict x, const float *restrict y,
                                const float *restrict elements, size_t n, float largest)
{
    const int32_t most = magnitude_bits(&largest);
    double *restrict errors = out->error, *restrict inputs = out->input, *restrict beyonds = out->clamped;
    uint32_t compared = 0, same = 0, nans = 0, clamped = 0;
    for (size_t i = 0; i < n; i++) {
        const double from = (double)x[i], to = (double)y[i], error = to - from;
        const bool finite = error - error == 0;
        errors[i] = finite ? error * error : 0;
        inputs[i] = finite ? from * from : 0;
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t of_x = magnitude_bits(x + i), of_y = magnitude_bits(y + i),
                      of_element = magnitude_bits(elements + i);
        const bool finite = (of_x < INFINITE) & (of_y < INFINITE),
                   beyond = (of_element >= most) & (of_x > of_y) & finite;
        compared += finite;
        same += (x[i] == y[i]) & finite;
        nans += of_y > INFINITE;
        clamped += beyond;
        beyonds[i] = beyond ? errors[i] : 0;
    }
    return (bndi_value_counts){.compared = compared, .same = same, .nans = nans, .clamped = clamped};
}

/* ---- elements of zero and seven magnitudes, for any scale ----
 *
 * The quotient |x / scale| is above a midpoint m if |x| is above m * scale, a product of so few bits that a double
 * holds it. A float is above it if it is above the next float below the product. A quotient at a midpoint goes to the
 * even code. If that is the upper one, a product that is a float is replaced by the float below it. */

#if !defined(BNDI_FOR_AVX512)

enum { MIDPOINTS = 7, SIGN = 8 };

/* The thresholds of a scale, as integers that a magnitude must be above. Midpoint k lies below code k + 1, which is
 * even if k is odd. e2m1, scale 0.5 (all products exact):
 *
 *   code boundary        0|1     1|2     2|3     3|4     4|5     5|6     6|7
 *   midpoint             0.25    0.75    1.25    1.75    2.5     3.5     5
 *   * scale              0.125   0.375   0.625   0.875   1.25    1.75    2.5
 *   upper code even?     no      yes     no      yes     no      yes     no
 *   threshold            3e0..0  3ebf..f 3f2..0  3f5f..f 3fa..0  3fdf..f 402..0    yes: the float below the product
 *   |x| = 0.375          above   above   not                                      code 2: the tie went to even
 *
 * If the product is no float, the comparison with the nearest float must not count that float itself where it lies
 * below the exact product, and must count it where it lies above: `near` is lowered in the second case. */
static inline void find_thresholds(int32_t *restrict thresholds, const double *restrict midpoints, double scale)
{
    for (size_t k = 0; k <= MIDPOINTS; k++) {
        /* A midpoint has at most 4 bits and a scale at most 28, so the product is exact. */
        double exact = midpoints[k] * scale;
        float near = (float)exact;
        int32_t bits;
        __builtin_memcpy(&bits, &near, sizeof bits);
        thresholds[k] = bits - (k % 2 != 0 ? (double)near >= exact : (double)near > exact);
    }
}

/* How many thresholds a magnitude is above is its code; seven comparisons, no branch. With the thresholds above, scale
 * 0.5:
 *
 *   x                   0.375       -0.75       2.6
 *   thresholds below    2           3           7
 *   code                2           8 + 3 = b   7 */
static inline void encode_some(unsigned char *restrict codes, const float *restrict x,
                               const int32_t *restrict thresholds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t bits, code = 0;
        __builtin_memcpy(&bits, x + i, sizeof bits);
        for (size_t k = 0; k < MIDPOINTS; k++) {
            code += (bits & 0x7fffffff) > thresholds[k];
        }
        codes[i] = (unsigned char)(code | (bits < 0 ? SIGN : 0));
    }
}

/* Whole groups of 16 with a constant length, then the rest. */
static void encode_by_midpoints(unsigned char *codes, const float *x, const double *scales, const double *midpoints,
                                size_t n, size_t across)
{
    int32_t thresholds[MIDPOINTS + 1];
    for (size_t i = 0; i < n; scales++) {
        const size_t end = n - i < across ? n : i + across;
        find_thresholds(thresholds, midpoints, *scales);
        for (; end - i >= LANES; i += LANES) {
            encode_some(codes + i, x + i, thresholds, LANES);
        }
        encode_some(codes + i, x + i, thresholds, end - i);
        i = end;
    }
}

#endif

/* ---- codes of a byte that are not evenly spaced ---- */

#if !defined(BNDI_FOR_AVX512)

/* Codes of a byte that are not evenly spaced: quotients_avx512.c describes the search. */
static void encode_dynamic(unsigned char *restrict codes, const float *restrict x, float scale,
                           const bndi_dynamic_book *restrict book, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float quotient = x[i] / scale;
        int32_t bits;
        __builtin_memcpy(&bits, &quotient, sizeof bits);
        /* The binade chooses the line; the comparison with `last` decides between two decades of the book. */
        const int32_t magnitude = larger(bits & 0x7fffffff, BNDI_DYNAMIC_LEAST), binade = magnitude >> FRACTION & 31;
        const int32_t decade = book->decade[binade] + (magnitude > book->last[binade]);
        const int32_t few =
            (int32_t)(bndi_float_of_bits((uint32_t)magnitude) * book->slope[decade] + book->shift[decade]);
        const int32_t above = few + (bndi_float_of_bits((uint32_t)magnitude) > book->most[few]), negative = -(bits < 0);
        codes[i] = (unsigned char)((larger(book->zero - above, 0) & negative) | ((book->zero + above) & ~negative));
    }
}

#endif

/* A table of 256 numbers, times the scale. The product is rounded once, by fp32. */
static void decode_dynamic(float *restrict y, const unsigned char *restrict codes, float scale,
                           const float *restrict numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = numbers[codes[i]] * scale;
    }
}
