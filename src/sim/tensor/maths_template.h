/* The formulas and rows of numbers of one type, NUMBER. Included by maths.c, once for float and once for double;
 * NAMED(f) is the name of f there, BRIEF whether functions may be. */

typedef NUMBER NAMED(vector) __attribute__((vector_size(LANES * sizeof(NUMBER))));
typedef INTEGER NAMED(mask) __attribute__((vector_size(LANES * sizeof(NUMBER))));

static ALWAYS_INLINE NAMED(vector) NAMED(load)(const void *numbers, size_t i)
{
    NAMED(vector) v;
    __builtin_memcpy(&v, (const NUMBER *)numbers + i, sizeof v);
    return v;
}

static ALWAYS_INLINE NAMED(vector) NAMED(pick)(NAMED(mask) mask, NAMED(vector) a, NAMED(vector) b)
{
    return (NAMED(vector))((mask & (NAMED(mask))a) | (~mask & (NAMED(mask))b));
}

static ALWAYS_INLINE doubles NAMED(wide)(NAMED(vector) x)
{
#if BRIEF
    return wide(x);
#else
    return x;
#endif
}

/* ---- formulas ---- */

#define N(x)          __builtin_convertvector(x, NAMED(vector))
#define A             NAMED(wide)(a)
#define B             NAMED(wide)(b)
#define C             NAMED(wide)(c)
#define PICK(m, x, y) NAMED(pick)(m, x, y)
#define ZERO          ((NAMED(vector)){0})
#define HALF          ((NUMBER)0.5)

/* What is no whole block at the end goes by a copy of one: the same operations. Operands that a formula does not have
 * are read as its first. */
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

/* Two vectors at a time, so that one is computed while the other waits for itself. */
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
 * so long that a processor, which looks ahead by some hundred, would stand still: so in loops over a block, each of
 * which has few of them. */
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

/* NaNs become one. */
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

/* Four parts, so that comparisons do not wait for each other. Of zeros of two signs it may be either. */
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

/* e^(x - shift) of n <= BLOCK numbers into y, of those behind them 0. */
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

static double NAMED(exponentials)(double *y, const NUMBER *x, double shift, size_t n)
{
    doubles sums[PARTS] = {{0}};
    for (size_t from = 0; from < n; from += BLOCK) {
        double part[BLOCK];
        size_t m = n - from < BLOCK ? n - from : BLOCK;
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

static void NAMED(softmax_back)(void *dx, const void *d, const void *y, size_t n)
{
    doubles sums[PARTS] = {{0}};
    EACH_SIXTEEN(n, sums[p] += NAMED(take)(d, at, left) * NAMED(take)(y, at, left);)
    double sum = sum_of_lanes(sums);
    EACH_SIXTEEN(n, NAMED(put)(dx, at, left, NAMED(take)(y, at, left) * (NAMED(take)(d, at, left) - sum));)
}

static void NAMED(norm)(void *y, const void *x, bndi_normal *f, size_t n)
{
    doubles sums[PARTS] = {{0}}, squares[PARTS] = {{0}};
    if (f->centred) {
        EACH_SIXTEEN(n, sums[p] += NAMED(take)(x, at, left);)
    }
    double mean = f->centred ? sum_of_lanes(sums) / (double)n : 0;
    EACH_SIXTEEN(n, doubles v = only(NAMED(take)(x, at, left) - mean, left); squares[p] += v * v;)
    double factor = 1 / __builtin_sqrt(sum_of_lanes(squares) / (double)n + f->epsilon);
    f->mean = mean;
    f->factor = factor;
    EACH_SIXTEEN(n, doubles v = (NAMED(take)(x, at, left) - mean) * factor;
                 v = f->gain != NULL ? v * load_some(f->gain, at, left) : v;
                 v = f->bias != NULL ? v + load_some(f->bias, at, left) : v; NAMED(put)(y, at, left, v);)
}

static void NAMED(norm_back)(void *dx, double *gains, double *biases, const void *d, const void *x,
                             const bndi_normal *f, size_t n)
{
    const double mean = f->mean, factor = f->factor;
    doubles means[PARTS] = {{0}}, slopes[PARTS] = {{0}};
    EACH_SIXTEEN(n, doubles of_d = NAMED(take)(d, at, left), normal = (NAMED(take)(x, at, left) - mean) * factor;
                 store_some(gains, at, left, load_some(gains, at, left) + of_d * normal);
                 store_some(biases, at, left, load_some(biases, at, left) + of_d);
                 of_d = f->gain != NULL ? of_d * load_some(f->gain, at, left) : of_d; means[p] += of_d;
                 slopes[p] += only(of_d * normal, left);)
    if (dx == NULL) {
        return;
    }
    double of_mean = f->centred ? sum_of_lanes(means) / (double)n : 0, slope = sum_of_lanes(slopes) / (double)n;
    EACH_SIXTEEN(n, doubles of_d = NAMED(take)(d, at, left), normal = (NAMED(take)(x, at, left) - mean) * factor;
                 of_d = f->gain != NULL ? of_d * load_some(f->gain, at, left) : of_d;
                 NAMED(put)(dx, at, left, (of_d - of_mean - normal * slope) * factor);)
}
