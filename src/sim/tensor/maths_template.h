/* The formulas and the loops over rows for numbers of one type. A template that maths.c includes twice.
 *
 * Parameters: NUMBER, float or double; INTEGER, the integer of its size; NAMED(f), the name of f for this type
 * (f_of_floats, f_of_doubles); BRIEF, 1 if results are rounded to fp32, so that functions may have errors up to 2^-40.
 *
 * formulas.def is a list of FORMULA(name, expression) and BELL(name, operand, expression). Here FORMULA makes two
 * functions: one vector's expression of a, b, c and k, and a loop over an array. The expression may use A, B, C (the
 * operands as doubles), N (a result rounded to NUMBER), PICK, ZERO and HALF. relu, PICK(a <= 0, ZERO, a), of four
 * floats:
 *
 *   a                     1.5        -2         -0         NaN
 *   a <= 0                00000000   ffffffff   ffffffff   00000000
 *   PICK(a <= 0, ZERO, a) 1.5        0          0          NaN
 *
 * Rows, with the numbers that they compute for x = 1, 2, 3 and, for norm, 1, 2, 3, 4:
 *
 *   softmax        largest 3; e^(x - 3) = 0.1353 0.3679 1, sum 1.5032; y = 0.0900 0.2447 0.6652
 *   softmax_back   d = 1 0 0: sum of d y = 0.0900; dx = y (d - sum) = 0.0819 -0.0220 -0.0599
 *   norm           mean 2.5, variance 1.25, factor 0.8944; y = -1.3416 -0.4472 0.4472 1.3416 */

/* A vector of LANES numbers, and the mask that comparisons of them make. */
typedef NUMBER NAMED(vector) __attribute__((vector_size(LANES * sizeof(NUMBER))));
typedef INTEGER NAMED(mask) __attribute__((vector_size(LANES * sizeof(NUMBER))));

/* Element i and its neighbours; no alignment is needed. */
static ALWAYS_INLINE NAMED(vector) NAMED(load)(const void *numbers, size_t i)
{
    NAMED(vector) v;
    __builtin_memcpy(&v, (const NUMBER *)numbers + i, sizeof v);
    return v;
}

/* a where the mask is all ones, b elsewhere. */
static ALWAYS_INLINE NAMED(vector) NAMED(pick)(NAMED(mask) mask, NAMED(vector) a, NAMED(vector) b)
{
    return (NAMED(vector))((mask & (NAMED(mask))a) | (~mask & (NAMED(mask))b));
}

/* The vector as doubles: with BRIEF each float becomes a double, exactly; doubles stay as they are. */
static ALWAYS_INLINE doubles NAMED(wide)(NAMED(vector) x)
{
#if BRIEF
    return wide(x);
#else
    return x;
#endif
}

/* ---- formulas ---- */

/* What an expression of formulas.def is made of. */
#define N(x)          __builtin_convertvector(x, NAMED(vector))
#define A             NAMED(wide)(a)
#define B             NAMED(wide)(b)
#define C             NAMED(wide)(c)
#define PICK(m, x, y) NAMED(pick)(m, x, y)
#define ZERO          ((NAMED(vector)){0})
#define HALF          ((NUMBER)0.5)

/* The end of an array that is not a whole block goes through a padded copy and the same function: the same operations,
 * so the same bits. An operand that a formula lacks is read as its first, so that no load needs a test.
 *
 * `name` is the formula and `block` the elements per step of its loop. rest[0 .. 2] are the operands, rest[3] is the
 * result. The inner call has exactly `block` elements, so its own loop runs once and its REST not at all. The results
 * for the zeros of the padding are computed and dropped: m elements are copied back. n = 21 with block 16:
 *
 *   loop    elements 0 to 15
 *   REST    elements 16 to 20 and eleven zeros: m = 5 */
#define REST(name, block)                                                                                              \
    while (i < n) {                                                                                                    \
        size_t m = n - i < (block) ? n - i : (block);                                                                  \
        NUMBER rest[4][block] = {{0}};                                                                                 \
        for (unsigned j = 0; j < 3; j++) {                                                                             \
            __builtin_memcpy(rest[j], (const NUMBER *)from[j] + i, m * sizeof(NUMBER));                                \
        }                                                                                                              \
        NAMED(name)(rest[3], (const void *const[]){rest[0], rest[1], rest[2]}, k, block);                              \
        __builtin_memcpy((NUMBER *)y + i, rest[3], m * sizeof(NUMBER));                                                \
        i += m;                                                                                                        \
    }

/* Two vectors per step, so that one is computed while the other waits for its own results: a, b, c are the operands of
 * the first, d, e, f of the second. `y` may be an operand, since every load of a step comes before its stores. */
#define FORMULA(name, expression)                                                                                      \
    static ALWAYS_INLINE NAMED(vector) NAMED(one_##name)(NAMED(vector) a, NAMED(vector) b, NAMED(vector) c, double k)  \
    {                                                                                                                  \
        (void)b, (void)c, (void)k;                                                                                     \
        return expression;                                                                                             \
    }                                                                                                                  \
    static void NAMED(name)(void *y, const void *const *in, double k, size_t n)                                        \
    {                                                                                                                  \
        const void *from[3] = {in[0], in[1] != NULL ? in[1] : in[0], in[2] != NULL ? in[2] : in[0]};                   \
        size_t i = 0;                                                                                                  \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                                                   \
            NAMED(vector) a = NAMED(load)(from[0], i), b = NAMED(load)(from[1], i), c = NAMED(load)(from[2], i);       \
            NAMED(vector) d = NAMED(load)(from[0], i + LANES), e = NAMED(load)(from[1], i + LANES);                    \
            NAMED(vector) f = NAMED(load)(from[2], i + LANES);                                                         \
            a = NAMED(one_##name)(a, b, c, k);                                                                         \
            d = NAMED(one_##name)(d, e, f, k);                                                                         \
            __builtin_memcpy((NUMBER *)y + i, &a, sizeof a);                                                           \
            __builtin_memcpy((NUMBER *)y + i + LANES, &d, sizeof d);                                                   \
        }                                                                                                              \
        REST(name, 2 * LANES)                                                                                          \
    }

/* Formulas of x, e = e^(-x^2 / 2) and the share of a normal distribution below x. Their operations wait for each other
 * for longer than a processor looks ahead (some hundred instructions). So each is computed in loops over a block, and
 * each loop has few operations per element. The arrays between the loops, with values for x = 1 and x = -1:
 *
 *   bells   bell_exponent: -x^2 / 2         -0.5           -0.5
 *   tails   to_interval(|x| / sqrt 2)       -0.6996        -0.6996         the polynomial's argument (BRIEF)
 *   bells   exponentials_of_block           0.6065         0.6065          e
 *   tails   complement_at                   0.5232         0.5232          erfc(|x| / sqrt 2) / e
 *   share   share_below                     0.8413         0.1587          1 - t and t for t = 0.5 * 0.6065 * 0.5232 */
#define BELL(name, operand, expression)                                                                                \
    static ALWAYS_INLINE void NAMED(block_##name)(NUMBER * y, const NUMBER *first, const NUMBER *second)               \
    {                                                                                                                  \
        double bells[BLOCK], tails[BLOCK];                                                                             \
        for (size_t i = 0; i < BLOCK; i += LANES) {                                                                    \
            NAMED(vector) a = NAMED(load)(first, i), b = NAMED(load)(second, i);                                       \
            (void)a, (void)b;                                                                                          \
            store(bells + i, bell_exponent(operand));                                                                  \
            store(tails + i, to_interval(tail_of(operand), BRIEF));                                                    \
        }                                                                                                              \
        NAMED(exponentials_of_block)(bells);                                                                           \
        for (size_t i = 0; i < BLOCK; i += LANES) {                                                                    \
            store(tails + i, complement_at(load(tails + i), BRIEF));                                                   \
        }                                                                                                              \
        for (size_t i = 0; i < BLOCK; i += LANES) {                                                                    \
            NAMED(vector) a = NAMED(load)(first, i), b = NAMED(load)(second, i);                                       \
            doubles x = operand, e = load(bells + i), share = share_below(x, e, load(tails + i));                      \
            (void)a, (void)b;                                                                                          \
            a = expression;                                                                                            \
            __builtin_memcpy(y + i, &a, sizeof a);                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static void NAMED(name)(void *y, const void *const *in, double k, size_t n)                                        \
    {                                                                                                                  \
        const void *from[3] = {in[0], in[1] != NULL ? in[1] : in[0], in[0]};                                           \
        size_t i = 0;                                                                                                  \
        for (; i + BLOCK <= n; i += BLOCK) {                                                                           \
            NAMED(block_##name)((NUMBER *)y + i, (const NUMBER *)from[0] + i, (const NUMBER *)from[1] + i);            \
        }                                                                                                              \
        REST(name, BLOCK)                                                                                              \
    }

/* e^x of a block, in place. In brief, two loops: the reduction of every argument, then the polynomials, as each has a
 * long chain of operations that wait for each other. x = 1 is 1 log 2 + 0.3069: `wholes` has 1, `rests` 0.3069, and
 * e^0.3069 = 1.3591 times 2^1 is 2.7183. */
static void NAMED(exponentials_of_block)(double *x)
{
#if BRIEF
    double rests[BLOCK];
    int64_t wholes[BLOCK];
    for (size_t i = 0; i < BLOCK; i += LANES) {
        doubles n;
        words whole;
        store(rests + i, reduce(load(x + i), &n, &whole));
        __builtin_memcpy(wholes + i, &whole, sizeof whole);
    }
    for (size_t i = 0; i < BLOCK; i += LANES) {
        words whole;
        __builtin_memcpy(&whole, wholes + i, sizeof whole);
        store(x + i, brief_exponential(load(x + i), load(rests + i), whole));
    }
#else
    for (size_t i = 0; i < BLOCK; i += LANES) {
        store(x + i, exponential(load(x + i), false));
    }
#endif
}

#include "tensor/formulas.def"
#undef FORMULA
#undef BELL
#undef REST
#undef N
#undef A
#undef B
#undef C
#undef PICK
#undef ZERO
#undef HALF

/* ---- rows ---- */

/* `left` numbers from `at` on as doubles, zeros behind them. */
static ALWAYS_INLINE doubles NAMED(take)(const NUMBER *x, size_t at, size_t left)
{
    NAMED(vector) v = {0};
    if (left >= LANES) {
        return NAMED(wide)(NAMED(load)(x, at));
    }
    for (size_t i = 0; i < left; i++) {
        v[i] = x[at + i];
    }
    return NAMED(wide)(v);
}

/* Results as NUMBERs, rounded once. Every NaN becomes the same one, so that back ends agree: inf - inf is
 * fff8000000000000 on x86 and 7ff8000000000000 on Arm, and v != v finds both. */
static ALWAYS_INLINE void NAMED(put)(NUMBER *y, size_t at, size_t left, doubles v)
{
    v = pick(v == v, v, all(__builtin_nan("")));
    NAMED(vector) narrow = __builtin_convertvector(v, NAMED(vector));
    if (left >= LANES) {
        __builtin_memcpy(y + at, &narrow, sizeof narrow);
        return;
    }
    for (size_t i = 0; i < left; i++) {
        y[at + i] = narrow[i];
    }
}

/* The largest number, or a NaN if there is one. Four running maxima, so that comparisons do not wait for each other; of
 * zeros of both signs it may return either. A comparison with a NaN is false, so v != v lets a NaN in, and v > NaN
 * keeps it there:
 *
 *   largest[p]                  3       3       NaN     -inf
 *   v                           5       NaN     7       -2
 *   (v > largest) | (v != v)    -1      -1      0       -1
 *   largest[p] after            5       NaN     NaN     -2 */
static double NAMED(largest)(const NUMBER *x, size_t n)
{
    NAMED(vector) largest[4];
    size_t i = 0;
    for (unsigned p = 0; p < 4; p++) {
        largest[p] = (NAMED(vector)){0} - (NUMBER)__builtin_inf();
    }
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        ALL_TERMS
        for (unsigned p = 0; p < 4; p++) {
            NAMED(vector) v = NAMED(load)(x, i + p * LANES);
            largest[p] = NAMED(pick)((v > largest[p]) | (v != v), v, largest[p]);
        }
    }
    NUMBER most = -(NUMBER)__builtin_inf();
    for (unsigned p = 0; p < 4; p++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            NUMBER v = largest[p][lane];
            most = v > most || v != v ? v : most;
        }
    }
    for (; i < n; i++) {
        most = x[i] > most || x[i] != x[i] ? x[i] : most;
    }
    return (double)most;
}

/* e^(x - shift) of n <= BLOCK numbers into y, of those behind them 0. `take` gives zeros there, and e^(0 - shift) need
 * not be zero, so those places are cleared afterwards: the caller adds up whole blocks. */
static ALWAYS_INLINE void NAMED(exponentials_of_part)(double *y, const NUMBER *x, double shift, size_t n)
{
    for (size_t at = 0; at < BLOCK; at += LANES) {
        store(y + at, NAMED(take)(x, at, at < n ? n - at : 0) - shift);
    }
    NAMED(exponentials_of_block)(y);
    for (size_t i = n; i < BLOCK; i++) {
        y[i] = 0;
    }
}

/* Are all numbers of a block minus infinity, as those are that a mask takes away? NaN differs from everything:
 *
 *   x        -inf   -inf   -1.5   NaN
 *   differ   0      0      -1     -1       no: two are other numbers */
static ALWAYS_INLINE bool NAMED(is_masked)(const NUMBER *x)
{
    const NUMBER least = -(NUMBER)__builtin_inf();
    NAMED(mask) differ = {0};
    INTEGER any = 0;
    ALL_TERMS
    for (size_t at = 0; at < BLOCK; at += LANES) {
        differ |= NAMED(load)(x, at) != least;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        any |= differ[lane];
    }
    return any == 0;
}

/* e^(x - shift) of a row into y, and their sum. Element i goes into sum i mod 16, as everywhere: BLOCK is a multiple of
 * 16, so each block begins with sum 0.
 *
 * A block of minus infinities is one of zeros, which change no sum: with a context of 256 the causal mask leaves 640 of
 * 1024 blocks in 256 rows. Less an infinite shift they would be NaNs. */
static double NAMED(exponentials)(double *y, const NUMBER *x, double shift, size_t n)
{
    doubles sums[PARTS] = {{0}};
    for (size_t from = 0; from < n; from += BLOCK) {
        double part[BLOCK];
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        if (m == BLOCK && x[from] == -(NUMBER)__builtin_inf() && shift - shift == 0 && NAMED(is_masked)(x + from)) {
            __builtin_memset(y + from, 0, m * sizeof *y);
            continue;
        }
        NAMED(exponentials_of_part)(part, x + from, shift, m);
        for (size_t i = 0; i < BLOCK; i += SUM_LANES) {
            ALL_TERMS
            for (size_t p = 0; p < PARTS; p++) {
                sums[p] += load(part + i + p * LANES);
            }
        }
        __builtin_memcpy(y + from, part, m * sizeof *part);
    }
    return sum_of_lanes(sums);
}

/* sums += x. */
static void NAMED(add_to_doubles)(double *sums, const void *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        store(sums + i, load(sums + i) + NAMED(wide)(NAMED(load)(x, i)));
    }
    for (; i < n; i++) {
        sums[i] += (double)((const NUMBER *)x)[i];
    }
}

/* e^(x - largest) over their sum: shifted so that nothing overflows. A row whose largest is infinite is not shifted and
 * gives what the formula does. In brief the quotient is a product with the reciprocal: one more rounding, of doubles.
 */
static void NAMED(softmax)(void *y, const void *x, double *scratch, size_t n)
{
    double largest = NAMED(largest)(x, n), shift = largest - largest == 0 ? largest : 0;
    double sum = NAMED(exponentials)(scratch, x, shift, n);
#if BRIEF
    double inverse = 1 / sum; /* one rounding more, of doubles */
#define QUOTIENT(e) ((e)*inverse)
#else
#define QUOTIENT(e) ((e) / sum)
#endif
    EACH_SIXTEEN(n, NAMED(put)(y, at, left, QUOTIENT(load_some(scratch, at, left)));)
}

#undef QUOTIENT

/* dx = y (d - sum of d y). The derivative of y_i by x_j is y_i (1 - y_i) for i = j and -y_i y_j elsewhere; the sum of
 * d_i times it over i is y_j (d_j - sum of d y). */
static void NAMED(softmax_back)(void *dx, const void *d, const void *y, size_t n)
{
    doubles sums[PARTS] = {{0}};
    EACH_SIXTEEN(n, sums[p] += NAMED(take)(d, at, left) * NAMED(take)(y, at, left);)
    double sum = sum_of_lanes(sums);
    EACH_SIXTEEN(n, NAMED(put)(dx, at, left, NAMED(take)(y, at, left) * (NAMED(take)(d, at, left) - sum));)
}

/* (x - mean)^2 of the elements there are, 0 in the other lanes. The mean is subtracted before squaring: the mean of x^2
 * less mean^2 would lose most of its bits where the mean is large. */
static ALWAYS_INLINE doubles NAMED(norm_square)(const NUMBER *x, double mean, size_t at, size_t left)
{
    doubles v = only(NAMED(take)(x, at, left) - mean, left);
    return v * v;
}

/* One part of a row of y. Without a gain or a bias the operation is left out, not done with 1 or 0: + 0 would turn -0
 * into +0. In the lanes behind the row the result is some number, which `put` does not store. */
static ALWAYS_INLINE void NAMED(norm_part)(NUMBER *y, const NUMBER *x, const bndi_normal *f, size_t at, size_t left)
{
    doubles v = (NAMED(take)(x, at, left) - f->mean) * f->factor;
    v = f->gain != NULL ? v * load_some(f->gain, at, left) : v;
    v = f->bias != NULL ? v + load_some(f->bias, at, left) : v;
    NAMED(put)(y, at, left, v);
}

/* (x - mean) / sqrt(variance + epsilon), times the gain, plus the bias; mean and factor are kept for the backward pass.
 */
static void NAMED(norm)(void *y, const void *x, bndi_normal *f, size_t n)
{
    doubles sums[PARTS] = {{0}}, squares[PARTS] = {{0}};
    if (f->centred) {
        EACH_SIXTEEN(n, sums[p] += NAMED(take)(x, at, left);)
    }
    double mean = f->centred ? sum_of_lanes(sums) / (double)n : 0;
    EACH_SIXTEEN(n, squares[p] += NAMED(norm_square)(x, mean, at, left);)
    f->mean = mean;
    f->factor = 1 / __builtin_sqrt(sum_of_lanes(squares) / (double)n + f->epsilon);
    const bndi_normal normal = *f;
    EACH_SIXTEEN(n, NAMED(norm_part)(y, x, &normal, at, left);)
}

/* The gradient of the normalised x: that of y times the gain. */
static ALWAYS_INLINE doubles NAMED(with_gain)(doubles of_y, const bndi_normal *f, size_t at, size_t left)
{
    return f->gain != NULL ? of_y * load_some(f->gain, at, left) : of_y;
}

/* The normalised x of the forward pass, computed again. */
static ALWAYS_INLINE doubles NAMED(normalised)(const NUMBER *x, const bndi_normal *f, size_t at, size_t left)
{
    return (NAMED(take)(x, at, left) - f->mean) * f->factor;
}

/* Adds to the gradients of gain and bias, and to the sums that dx needs. Lanes behind the row have of_x = 0, but their
 * normalised x may be infinite where factor is, and 0 times infinity is NaN: hence `only`. */
static ALWAYS_INLINE void NAMED(norm_back_sums)(double *gains, double *biases, doubles *mean, doubles *slope,
                                                const NUMBER *d, const NUMBER *x, const bndi_normal *f, size_t at,
                                                size_t left)
{
    doubles of_y = NAMED(take)(d, at, left), normal = NAMED(normalised)(x, f, at, left);
    store_some(gains, at, left, load_some(gains, at, left) + of_y * normal);
    store_some(biases, at, left, load_some(biases, at, left) + of_y);
    doubles of_x = NAMED(with_gain)(of_y, f, at, left);
    *mean += of_x;
    *slope += only(of_x * normal, left);
}

/* dx = (d gain - the mean of that - normalised x times the mean of their products) factor. `mean` is 0 where the norm
 * is not centred. The example at the top, with d = 1 0 0 0 and no gain:
 *
 *   normalised x                -1.3416   -0.4472    0.4472    1.3416
 *   mean = 0.25, slope = -0.3354           means of d and of d times normalised x
 *   d - mean - normal * slope    0.3000   -0.4000   -0.1000    0.2000
 *   times 0.8944                 0.2683   -0.3578   -0.0894    0.1789      their sum is 0 */
static ALWAYS_INLINE void NAMED(norm_back_part)(NUMBER *dx, const NUMBER *d, const NUMBER *x, const bndi_normal *f,
                                                double mean, double slope, size_t at, size_t left)
{
    doubles normal = NAMED(normalised)(x, f, at, left);
    doubles of_x = NAMED(with_gain)(NAMED(take)(d, at, left), f, at, left);
    NAMED(put)(dx, at, left, (of_x - mean - normal * slope) * f->factor);
}

static void NAMED(norm_back)(void *dx, double *gains, double *biases, const void *d, const void *x,
                             const bndi_normal *f, size_t n)
{
    const bndi_normal k = *f;
    doubles means[PARTS] = {{0}}, slopes[PARTS] = {{0}};
    EACH_SIXTEEN(n, NAMED(norm_back_sums)(gains, biases, &means[p], &slopes[p], d, x, &k, at, left);)
    if (dx == NULL) {
        return;
    }
    double of_mean = k.centred ? sum_of_lanes(means) / (double)n : 0, slope = sum_of_lanes(slopes) / (double)n;
    EACH_SIXTEEN(n, NAMED(norm_back_part)(dx, d, x, &k, of_mean, slope, at, left);)
}
