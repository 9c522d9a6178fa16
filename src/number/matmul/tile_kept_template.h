/* Tiles of sums in any rounding mode, kept in the lanes' own type: fp32 (NAME(x) is x_32) or fp64 (x_64). A part
 * of tile_kernels.c, once for each type. The hooks are in tile_kept_avx512.h and tile_kept_avx2.h; a step is in
 * tile_kept_step_avx512_template.h, which does just what follows, and tile_kept_step_avx2_template.h, which says what
 * differs where no instruction carries its own rounding mode.
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
 * end. The tile is then left to one that `mends`, or to strips.
 *
 * A tile that mends looks at each result: where its magnitude is not at most the format's largest, the accumulator's
 * rule has a result for each class of the exact number: positive or negative overflow, the infinities, NaN.
 * gemm_plan.c asks the codec for these. The class is that of x y, s + p or x y + s rounded toward zero, which is
 * infinite only where the exact one is. M is a number for all d that do not overflow; where it is infinite, w - M is
 * NaN, and is mended. */

/* A tile has BNDI_STRIP columns, or those of a way whose refused tile is mended. What registers hold of it is a part:
 * VECTORS vectors of each row. */
enum { NAME(PART) = NAME(VECTORS) * NAME(LANES) };

/* A row of the second operand. */
static ALWAYS_INLINE void NAME(take_row)(NAME(vector) * y, const float *b)
{
    UNROLL
    for (size_t v = 0; v < NAME(VECTORS); v++) {
        y[v] = NAME(operand)(b + v * NAME(LANES));
    }
}

/* The sums of a part, to registers and back. */
static ALWAYS_INLINE void NAME(take_sums)(NAME(vector) s[NAME(ROWS)][NAME(VECTORS)], const LANE *state)
{
    ALL_ROWS
    for (size_t i = 0; i < NAME(ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < NAME(VECTORS); v++) {
            s[i][v] = NAME(get)(state + i * BNDI_STRIP + v * NAME(LANES));
        }
    }
}

static ALWAYS_INLINE void NAME(put_sums)(LANE *state, NAME(vector) s[NAME(ROWS)][NAME(VECTORS)])
{
    ALL_ROWS
    for (size_t i = 0; i < NAME(ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < NAME(VECTORS); v++) {
            NAME(put)(state + i * BNDI_STRIP + v * NAME(LANES), s[i][v]);
        }
    }
}

/* What a tile is computed from. `adds`: there is an r. */
typedef struct NAME(steps) {
    const float *a, *b;
    size_t k;
    const bndi_draws *draws;
    size_t columns; /* of a row of b */
} NAME(steps);

/* The part of a tile from column `first` on: from `state` to `done`, where it is left out if anything is strange.
 * `random`: r differs by lane. A constant has a loop of its own, since the compiler would leave the question in the
 * loop, once for each vector. */
static ALWAYS_INLINE bool NAME(part_by)(bool each, bndi_toward to, bool adds, bool random, bool mends,
                                        const NAME(constants) * is, LANE *done, const LANE *state,
                                        const NAME(steps) * of, size_t first)
{
    /* Sums stay in registers from here to the end; so does the largest magnitude on the way. */
    NAME(vector) s[NAME(ROWS)][NAME(VECTORS)], most[NAME(VECTORS)];
    const bndi_draws *draws = of->draws;
    bool strange = false;
    NAME(take_sums)(s, state + first);
    UNROLL
    for (size_t v = 0; v < NAME(VECTORS); v++) {
        most[v] = NAME(all)(0);
    }
    for (size_t at = 0; at < of->k; at++) {
        NAME(vector) y[NAME(VECTORS)];
        NAME(take_row)(y, of->b + at * of->columns + first);
        ALL_ROWS
        for (size_t i = 0; i < NAME(ROWS); i++) {
            const NAME(vector) x = NAME(all)((double)of->a[i * BNDI_PITCH + at]);
            const char *of_p = random && each ? draws->entries + draws->at[0][at * NAME(ROWS) + i] : NULL;
            const char *of_s = random ? draws->entries + draws->at[1][at * NAME(ROWS) + i] : NULL;
            UNROLL
            for (size_t v = 0; v < NAME(VECTORS); v++) {
                const size_t column = first + v * NAME(LANES);
                const NAME(words) r = random ? NAME(random)(of_s, draws->bytes, column) : is->constant;
                if (each) {
                    const NAME(words) q = random ? NAME(random)(of_p, draws->bytes, column) : is->constant;
                    const NAME(vector) p = NAME(rounded_product)(to, adds, mends, is, x, y[v], q);
                    most[v] = mends ? most[v] : NAME(larger)(most[v], p);
                    s[i][v] = NAME(rounded_sum)(to, adds, mends, is, s[i][v], p, r);
                } else {
                    s[i][v] = NAME(rounded_fma)(to, adds, mends, is, x, y[v], s[i][v], r);
                }
                most[v] = mends ? most[v] : NAME(larger)(most[v], s[i][v]);
            }
        }
    }
    UNROLL
    for (size_t v = 0; v < NAME(VECTORS) && !mends; v++) {
        strange |= NAME(beyond)(most[v], is->largest);
        ALL_ROWS
        for (size_t i = 0; i < NAME(ROWS); i++) {
            strange |= NAME(unordered)(s[i][v]);
        }
    }
    if (!strange) {
        NAME(put_sums)(done + first, s);
    }
    return !strange;
}

/* Where a tile has several parts and one can be refused, they wait until all of them are done. */
static ALWAYS_INLINE bool NAME(kept_by)(bool each, bndi_toward to, bool adds, bool mends, const bndi_sum *sum,
                                        LANE *state, const float *a, const float *b, size_t k, const bndi_draws *draws)
{
    const NAME(constants) is = NAME(constants_of)(&sum->kept);
    const size_t columns = mends && sum->way != NULL ? sum->way->columns : BNDI_STRIP;
    const NAME(steps) of = {a, b, k, draws, columns};
    const bool waits = (int)NAME(PART) < (int)BNDI_STRIP && !mends;
    LANE parts[NAME(ROWS) * BNDI_STRIP], *done = waits ? parts : state;
    for (size_t first = 0; first < columns; first += NAME(PART)) {
        const bool fine = adds && draws != NULL
                              ? NAME(part_by)(each, to, adds, true, mends, &is, done, state, &of, first)
                              : NAME(part_by)(each, to, adds, false, mends, &is, done, state, &of, first);
        if (!fine) {
            return false; /* nothing has been stored */
        }
    }
    if (waits) {
        __builtin_memcpy(state, parts, sizeof parts);
    }
    return true;
}

/* A function per kind, direction, whether it adds and whether it mends. */
#define KEPT(name, each, to, adds, mends)                                                                              \
    static bool NAME(name)(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,                 \
                           const bndi_draws *draws)                                                                    \
    {                                                                                                                  \
        return NAME(kept_by)(each, to, adds, mends, sum, state, a, b, k, draws);                                       \
    }
#define KEPT_ALL(name, to, adds)                                                                                       \
    KEPT(kept_fused_##name, false, to, adds, false)                                                                    \
    KEPT(kept_each_##name, true, to, adds, false)                                                                      \
    KEPT(mended_fused_##name, false, to, adds, true)                                                                   \
    KEPT(mended_each_##name, true, to, adds, true)
KEPT_ALL(nearest, BNDI_NEAREST, false)
KEPT_ALL(zero, BNDI_ZERO, false)
KEPT_ALL(up, BNDI_UP, false)
KEPT_ALL(down, BNDI_DOWN, false)
KEPT_ALL(odd, BNDI_ODD_ONE, false)
KEPT_ALL(nearest_adds, BNDI_NEAREST, true)
KEPT_ALL(zero_adds, BNDI_ZERO, true)
KEPT_ALL(odd_adds, BNDI_ODD_ONE, true)
#undef KEPT_ALL
#undef KEPT

/* ---- fp32's and fp64's own sums ---- */

/* The lanes' own format needs no second rounding, and has every number: nothing is strange. `ready`: the numbers of A
 * in the lanes' type, step by step, where several parts read them (CONVERTS); else they are converted on the way. */
static ALWAYS_INLINE void NAME(native_part)(bool each, bndi_toward to, LANE *state, const float *a, const LANE *ready,
                                            const float *b, size_t k)
{
    NAME(vector) s[NAME(NATIVE_ROWS)][NAME(VECTORS)];
    ALL_ROWS
    for (size_t i = 0; i < NAME(NATIVE_ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < NAME(VECTORS); v++) {
            s[i][v] = NAME(get)(state + i * BNDI_STRIP + v * NAME(LANES));
        }
    }
    for (size_t at = 0; at < k; at++) {
        NAME(vector) y[NAME(VECTORS)];
        NAME(take_row)(y, b + at * BNDI_STRIP);
        ALL_ROWS
        for (size_t i = 0; i < NAME(NATIVE_ROWS); i++) {
            const NAME(vector) x =
                NAME(all)((double)(NAME(CONVERTS) ? ready[at * NAME(NATIVE_ROWS) + i] : (LANE)a[i * BNDI_PITCH + at]));
            UNROLL
            for (size_t v = 0; v < NAME(VECTORS); v++) {
                if (each) {
                    s[i][v] = NAME(sum_by)(to, s[i][v], NAME(product_by)(to, x, y[v]));
                } else {
                    s[i][v] = to == BNDI_NEAREST ? NAME(fma)(x, y[v], s[i][v]) : NAME(fma_by)(to, x, y[v], s[i][v]);
                }
            }
        }
    }
    ALL_ROWS
    for (size_t i = 0; i < NAME(NATIVE_ROWS); i++) {
        UNROLL
        for (size_t v = 0; v < NAME(VECTORS); v++) {
            NAME(put)(state + i * BNDI_STRIP + v * NAME(LANES), s[i][v]);
        }
    }
}

static ALWAYS_INLINE bool NAME(native_by)(bool each, bndi_toward to, LANE *state, const float *a, const float *b,
                                          size_t k)
{
    LANE ready[NAME(CONVERTS) ? NAME(NATIVE_ROWS) * BNDI_TILE_DEPTH : 1];
    for (size_t at = 0; at < k && NAME(CONVERTS); at++) {
        for (size_t i = 0; i < NAME(NATIVE_ROWS); i++) {
            ready[at * NAME(NATIVE_ROWS) + i] = (LANE)a[i * BNDI_PITCH + at];
        }
    }
    for (size_t first = 0; first < BNDI_STRIP; first += NAME(PART)) {
        NAME(native_part)(each, to, state + first, a, ready, b + first, k);
    }
    return true;
}

/* By name, kind and direction; for directions that tile_kept_ways.h asks for. */
#define NATIVE(name, each, to)                                                                                         \
    static bool NAME(native_##name)(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,        \
                                    const bndi_draws *draws)                                                           \
    {                                                                                                                  \
        (void)sum;                                                                                                     \
        (void)draws;                                                                                                   \
        return NAME(native_by)(each, to, state, a, b, k);                                                              \
    }
NATIVE(zero, false, BNDI_ZERO)
NATIVE(up, false, BNDI_UP)
NATIVE(down, false, BNDI_DOWN)
NATIVE(odd, false, BNDI_ODD_ONE)
