/* Tiles of sums in any rounding mode, which are kept in the lanes' own type: fp32 (X(x) is x_f) or fp64 (x_d). A part
 * of tile_kernels.c, once for each type; the hooks are in tile_kept_avx512.h.
 *
 * A step has two roundings. The first makes a number d of the lanes' precision P of the exact a b, s + p or a b + s;
 * the second makes p bits of it. They are one rounding:
 *   toward zero, up, down   in the same direction, since the format's numbers are among the lanes';
 *   to odd                  the same: what is not exact stays odd, in either precision;
 *   to nearest              the first is to odd: no middle of two numbers of at most P - 2 bits is odd, nor does one
 *                           lie between d and the exact number.
 * What random bits decide looks at p + N bits (SRB: one more), cut off or to nearest: the same with these bits for p.
 * Up or down by a random bit is to odd with one bit more, which then is 1 where anything was cut off.
 *
 * A product is rounded once, x y + M, and d is only what its exponent and sign are taken from.
 *
 * The second rounding: w = d + M, with the sign of d and M = 2^(P - p - N) times the power of two in d, or 2^(P - p -
 * N) times the least normal number where that is more. Then the last place of w is the last of p + N bits of d, and w
 * stays in the binade of M, since |d| is less than twice its power of two and P - p - N >= 1. To w as an integer r is
 * added, random or constant, and the last N bits are cleared: a carry out of them rounds away from zero. w - M is
 * exact.
 *
 *   mode                 direction    N                 r
 *   RNE                  to nearest   0
 *   RTZ, RUP, RDN, RTO   their own    0
 *   RNA                  to zero      1                 1
 *   SRA                  to zero      its random bits   R
 *   SRB                  to zero      ... and one       2 R + 1
 *   SR (P3109 C)         to nearest   its random bits   R
 *   SR_EQUAL             to odd       1                 R
 *
 * bf16 (p 8) toward zero in fp32: d = 3f81c000, M = 1 * 2^16, w = 47800081, w - M = 3f810000.
 *
 * Overflow, infinities and NaNs: as in tile_rounded_template.h, by the largest magnitude on the way and NaNs at the
 * end. The tile is then left to strips. */

/* Constants of the second rounding, in all lanes. */
typedef struct X(constants) {
    X(vector) up, lowest, sign, largest;
    X(words) keep, constant;
} X(constants);

static ALWAYS_INLINE X(constants) X(constants_of)(const bndi_kept *kept)
{
    return (X(constants)){.up = X(all)(kept->up),
                          .lowest = X(all)(kept->lowest),
                          .sign = X(all)(kept->has_negative_zero ? -0.0 : 0.0),
                          .largest = X(all)(kept->largest),
                          .keep = X(all_words)(~UINT64_C(0) << kept->extra),
                          .constant = X(all_words)(kept->constant)};
}

/* w without M, with the sign of d. */
static ALWAYS_INLINE X(vector)
    X(finished)(bool adds, const X(constants) * is, X(vector) w, X(vector) m, X(vector) d, X(words) r)
{
    w = adds ? X(plus_bits)(w, r, is->keep) : w;
    return X(with_sign)(w - m, d, is->sign);
}

static ALWAYS_INLINE X(vector) X(to_format)(bndi_toward to, bool adds, const X(constants) * is, X(vector) d, X(words) r)
{
    const X(vector) m = X(farther)(is->lowest, X(power_in)(d) * is->up);
    X(vector) w = d + m;
    if (to != BNDI_NEAREST) {
        w = X(sum_by)(to, d, m);
    }
    return X(finished)(adds, is, w, m, d, r);
}

/* x y: M needs no more of it than its exponent, so that w is one rounding. */
static ALWAYS_INLINE X(vector)
    X(rounded_product)(bndi_toward to, bool adds, const X(constants) * is, X(vector) x, X(vector) y, X(words) r)
{
    const X(vector) d = X(product)(x, y), m = X(farther)(is->lowest, X(power_in)(d) * is->up);
    X(vector) w = X(fma)(x, y, m);
    if (to != BNDI_NEAREST) {
        w = X(fma_by)(to, x, y, m);
    }
    return X(finished)(adds, is, w, m, d, r);
}

/* `adds`: there is an r. */
static ALWAYS_INLINE bool X(kept_by)(bool each, bndi_toward to, bool adds, const bndi_sum *sum, LANE *state,
                                     const float *a, const float *b, size_t k, const bndi_draws *draws)
{
    /* Sums stay in registers from here to the end; so does the largest magnitude on the way. */
    const X(constants) is = X(constants_of)(&sum->kept);
    X(vector) s[X(ROWS)][X(VECTORS)], most[X(VECTORS)];
    bool strange = false;
    ALL_ROWS
    for (size_t i = 0; i < X(ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            s[i][v] = X(get)(state + i * COLUMNS + v * X(LANES));
            most[v] = X(all)(0);
        }
    }
    for (size_t at = 0; at < k; at++) {
        X(vector) y[X(VECTORS)];
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            y[v] = X(operand)(b + at * COLUMNS + v * X(LANES));
        }
        ALL_ROWS
        for (size_t i = 0; i < X(ROWS); i++) {
            const X(vector) x = X(all)((double)a[i * BNDI_PITCH + at]);
            /* Where nothing is random, what is added is a constant. */
            const bool random = adds && draws != NULL;
            const char *first = random && each ? draws->entries + draws->at[0][at * X(ROWS) + i] : NULL;
            const char *second = random ? draws->entries + draws->at[1][at * X(ROWS) + i] : NULL;
            UNROLL
            for (size_t v = 0; v < X(VECTORS); v++) {
                X(vector) d = x;
                if (each) {
                    const X(words) r = random ? X(random)(first, draws->bytes, v * X(LANES)) : is.constant;
                    d = X(rounded_product)(to, adds, &is, x, y[v], r);
                    most[v] = X(larger)(most[v], d);
                    d = X(sum_by)(to, s[i][v], d);
                } else {
                    d = X(fma_by)(to, x, y[v], s[i][v]);
                }
                const X(words) r = random ? X(random)(second, draws->bytes, v * X(LANES)) : is.constant;
                s[i][v] = X(to_format)(to, adds, &is, d, r);
                most[v] = X(larger)(most[v], s[i][v]);
            }
        }
    }
    UNROLL
    for (size_t v = 0; v < X(VECTORS); v++) {
        strange |= X(beyond)(most[v], is.largest);
        ALL_ROWS
        for (size_t i = 0; i < X(ROWS); i++) {
            strange |= X(unordered)(s[i][v]);
        }
    }
    if (strange) {
        return false; /* nothing has been stored */
    }
    ALL_ROWS
    for (size_t i = 0; i < X(ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            X(put)(state + i * COLUMNS + v * X(LANES), s[i][v]);
        }
    }
    return true;
}

/* A function per kind, direction and whether it adds. */
#define KEPT(name, each, to, adds)                                                                                     \
    static bool X(name)(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,                    \
                        const bndi_draws *draws)                                                                       \
    {                                                                                                                  \
        return X(kept_by)(each, to, adds, sum, state, a, b, k, draws);                                                 \
    }
#define KEPT_BOTH(name, to, adds)                                                                                      \
    KEPT(fused_##name, false, to, adds)                                                                                \
    KEPT(each_##name, true, to, adds)
KEPT_BOTH(nearest, BNDI_NEAREST, false)
KEPT_BOTH(zero, BNDI_ZERO, false)
KEPT_BOTH(up, BNDI_UP, false)
KEPT_BOTH(down, BNDI_DOWN, false)
KEPT_BOTH(odd, BNDI_ODD_ONE, false)
KEPT_BOTH(nearest_adds, BNDI_NEAREST, true)
KEPT_BOTH(zero_adds, BNDI_ZERO, true)
KEPT_BOTH(odd_adds, BNDI_ODD_ONE, true)
#undef KEPT_BOTH
#undef KEPT

/* ---- fp32's and fp64's own sums ---- */

/* The lanes' own format needs no second rounding, and has every number: nothing is strange. */
static ALWAYS_INLINE bool X(native_by)(bool each, bndi_toward to, LANE *state, const float *a, const float *b, size_t k)
{
    X(vector) s[X(NATIVE_ROWS)][X(VECTORS)];
    ALL_ROWS
    for (size_t i = 0; i < X(NATIVE_ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            s[i][v] = X(get)(state + i * COLUMNS + v * X(LANES));
        }
    }
    for (size_t at = 0; at < k; at++) {
        X(vector) y[X(VECTORS)];
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            y[v] = X(operand)(b + at * COLUMNS + v * X(LANES));
        }
        ALL_ROWS
        for (size_t i = 0; i < X(NATIVE_ROWS); i++) {
            const X(vector) x = X(all)((double)a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < X(VECTORS); v++) {
                if (each) {
                    s[i][v] = X(sum_by)(to, s[i][v], X(product_by)(to, x, y[v]));
                } else {
                    s[i][v] = to == BNDI_NEAREST ? X(fma)(x, y[v], s[i][v]) : X(fma_by)(to, x, y[v], s[i][v]);
                }
            }
        }
    }
    ALL_ROWS
    for (size_t i = 0; i < X(NATIVE_ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < X(VECTORS); v++) {
            X(put)(state + i * COLUMNS + v * X(LANES), s[i][v]);
        }
    }
    return true;
}

/* By name, kind and direction; for directions that tile_kept_ways.h asks for. */
#define NATIVE(name, each, to)                                                                                         \
    static bool X(name)(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,                    \
                        const bndi_draws *draws)                                                                       \
    {                                                                                                                  \
        (void)sum;                                                                                                     \
        (void)draws;                                                                                                   \
        return X(native_by)(each, to, state, a, b, k);                                                                 \
    }
NATIVE(native_zero, false, BNDI_ZERO)
NATIVE(native_up, false, BNDI_UP)
NATIVE(native_down, false, BNDI_DOWN)
NATIVE(native_odd, false, BNDI_ODD_ONE)
