/* The body of the vector kernels of operations, as lanes_template.h is that of conversions: a template for one type of
 * words and one vector size, included by a back end once for fp32 and once for fp64. It computes results in words so
 * that one later rounding to the target format is right; arithmetic.c derives when that is so.
 *
 * Parameters: LANE_BITS, 32 or 64; BYTES, the size of a vector, and the types of vectors_template.h. Hooks:
 * NAME(fused)(a, b, c) is a b + c rounded once; NAME(root); NAME(any)(a): has any lane a bit set? If HAS_ODD is
 * defined, NAME(odd)(operation, minus_zero, x, y, z) computes add, mul, div, fma and sqrt to odd for all operands.
 *
 * There are two ways to compute. PLAIN is the processor's own rounding. ODD is round to odd: the exact result if it
 * fits, else the neighbour whose last bit is 1. Without HAS_ODD it is made from the rounded result s and the sign of
 * its error e: where e is not zero and s is even, s moves one step towards the exact value. Example in fp32, x + y of
 * two lanes by 2Sum:
 *
 *                           lane 0                       lane 1
 *   a, b                    1, 2^-30                     3, -2^-30
 *   s = a + b, bits         1.0          3f800000        3.0          40400000
 *   e = exact - s           2^-30, > 0                   -2^-30, < 0
 *   lost                    ones                         ones
 *   even = (s & 1) - 1      ones                         ones
 *   away                    1 (signs of e and s equal)   -1 (they differ)
 *   result                  3f800001                     403fffff        both odd; both round correctly to fewer bits
 *
 * Results that may be wrong (overflow, tiny products whose error does not fit a word) are marked bad: they become NaN
 * and the caller computes these elements by bnd_operate. */

#if LANE_BITS == 32
#define WORD     uint32_t
#define FRACTION 23
#define NAME(x)  x##_32
#else
#define WORD     uint64_t
#define FRACTION 52
#define NAME(x)  x##_64
#endif
#define LANES     (BYTES / (int)sizeof(WORD))
#define MAGNITUDE ((WORD)-1 >> 1)
#define TOP       (MAGNITUDE & ~(((WORD)1 << FRACTION) - 1)) /* infinity; above it are the NaNs */
#define NAN_WORD  (TOP | TOP >> 1)
#define ONE       (TOP >> 1 & TOP)
#define V         NAME(lanes)
#define F         NAME(floats)

/* Unaligned load. */
static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

/* A mask of a > b; magnitudes compare correctly as signed integers. */
static ALWAYS_INLINE V NAME(above)(V a, V b)
{
    return (V)((NAME(signed_lanes))a > (NAME(signed_lanes))b);
}

/* a where the mask has ones, b elsewhere. */
static ALWAYS_INLINE V NAME(choose)(V mask, V a, V b)
{
    return (a & mask) | (b & ~mask);
}

/* s plus the sign of e in its last place, where e is not zero and that place is even. A NaN compares neither above nor
 * below zero, so an infinite s with the error NaN stays. Adding an integer to the word moves to the neighbouring
 * magnitude: +1 is away from zero, -1 towards it, so the step is +1 exactly where e and s have the same sign. */
static ALWAYS_INLINE V NAME(to_odd)(V s, F e)
{
    V lost = (V)(e > 0) | (V)(e < 0), even = (s & 1) - 1;
    V away = (V)((NAME(signed_lanes))((V)e ^ s) >> (LANE_BITS - 1)) | 1; /* -1 where the signs differ */
    return s + (away & lost & even);
}

/* 2Sum (Knuth): the error of a sum is a number, for all magnitudes. minus_zero: rounding down gives -0 for an exact
 * zero sum; the sign is kept unless both operands are +0. x = 1, y = -1: s = +0, and the or of both signs is negative:
 * -0. x = y = +0 stays +0. */
static ALWAYS_INLINE V NAME(odd_sum)(bool minus_zero, V x, V y)
{
    F a = (F)x, b = (F)y, s = a + b;
    F b_of_s = s - a, a_of_s = s - b_of_s;
    V result = NAME(to_odd)((V)s, (a - a_of_s) + (b - b_of_s));
    if (minus_zero) {
        V zero = (V)((result & MAGNITUDE) == 0);
        result |= zero & (x | y) & ~MAGNITUDE;
    }
    return result;
}

/* One operation; `bad` gets the lanes that are not to be trusted. The first three arguments are constants wherever this
 * is called, so that the switch is gone in each instance.
 *
 * The errors of each operation are the sign only, which is all that to_odd needs. mul: x y - r by one fused operation,
 * exact unless it is too small (`low_result`). div: the remainder x - r y, with the sign of y taken out, since e = rest
 * / y. sqrt: the remainder x - r r. fma without HAS_ODD: the product must be exact in the words, so small ones are
 * excluded, then an odd sum.
 *
 * rsqrt is not to odd. It is off by less than three last places; bad are results that are as near as this to a number
 * of BNDI_RSQRT_BITS, and exact ones. In fp64, 1 / sqrt(3):
 *
 *   result          3fe279a74590331d
 *   last 13 bits    131d: more than 3, and less than 1ffd */
static ALWAYS_INLINE V NAME(compute_one)(bnd_operation operation, bool odd, bool minus_zero, const bndi_arithmetic *a,
                                         V x, V y, V z, V *bad)
{
    const V high = (V){0} + (WORD)(a->high - 1), low_result = (V){0} + (WORD)a->low_result,
            low_from = (V){0} + (WORD)a->low_from, top = (V){0} + TOP;
    V r, smaller, larger, tiny = {0}, from = x;
    if (operation == BND_OP_SUB) {
        y ^= ~MAGNITUDE;
    }
#if defined(HAS_ODD)
    if (odd) {
        r = NAME(odd)(operation == BND_OP_SUB ? BND_OP_ADD : operation, minus_zero, x, y, z);
        *bad = NAME(above)(r & MAGNITUDE, high);
        return r;
    }
#endif
    switch (operation) {
    case BND_OP_SUB:
        r = odd ? NAME(odd_sum)(minus_zero, x, y) : (V)((F)x + (F)y);
        break;
    case BND_OP_ADD:
        r = odd ? NAME(odd_sum)(minus_zero, x, y) : (V)((F)x + (F)y);
        break;
    case BND_OP_MUL:
        r = (V)((F)x * (F)y);
        if (odd) {
            tiny = NAME(above)(low_result, r & MAGNITUDE) & (V)((x & MAGNITUDE) != 0) & (V)((y & MAGNITUDE) != 0);
            r = NAME(to_odd)(r, (F)NAME(fused)(x, y, r ^ ~MAGNITUDE));
        }
        break;
    case BND_OP_DIV:
        r = (V)((F)x / (F)y);
        if (odd) {
            tiny = (NAME(above)(low_result, r & MAGNITUDE) | NAME(above)(low_from, from & MAGNITUDE)) &
                   (V)((x & MAGNITUDE) != 0);
            V rest = NAME(fused)(r ^ ~MAGNITUDE, y, x);
            r = NAME(to_odd)(r, (F)(rest ^ (y & ~MAGNITUDE)));
        }
        break;
    case BND_OP_SQRT:
        r = NAME(root)(x);
        if (odd) {
            tiny = NAME(above)(low_from, from & MAGNITUDE) & (V)((x & MAGNITUDE) != 0);
            r = NAME(to_odd)(r, (F)NAME(fused)(r ^ ~MAGNITUDE, r, x));
        }
        break;
    case BND_OP_FMA:
        r = (V)((F)x * (F)y);
        if (odd) {
            tiny = NAME(above)(low_result, r & MAGNITUDE) & (V)((x & MAGNITUDE) != 0) & (V)((y & MAGNITUDE) != 0);
        }
        r = odd ? NAME(odd_sum)(minus_zero, r, z) : NAME(fused)(x, y, z);
        break;
#if LANE_BITS == 64
    case BND_OP_RSQRT:
        r = (V)((F)((V){0} + ONE) / (F)NAME(root)(x));
        tiny = (V)(((r + 3) & (((WORD)1 << (FRACTION + 1 - BNDI_RSQRT_BITS)) - 1)) < 7);
        break;
#endif
    case BND_OP_CONVERT:
        *bad = NAME(above)(x & MAGNITUDE, top);
        return x;
    case BND_OP_MIN:
    case BND_OP_MIN_NUMBER:
    default: /* the maxima */
        *bad = NAME(above)(x & MAGNITUDE, top) | NAME(above)(y & MAGNITUDE, top);
        /* Equal numbers, for which neither mask is set, are the same word, but for zeros: x | y of +0 and -0 is -0, the
         * minimum, and x & y is +0, the maximum. */
        smaller = (V)((F)x < (F)y);
        larger = (V)((F)x > (F)y);
        if (operation == BND_OP_MIN || operation == BND_OP_MIN_NUMBER) { /* of two zeros the negative one */
            return NAME(choose)(smaller, x, NAME(choose)(larger, y, x | y));
        }
        return NAME(choose)(larger, x, NAME(choose)(smaller, y, x & y));
    }
    *bad = NAME(above)(r & MAGNITUDE, high) | tiny;
    return r;
}

/* The last few elements, with ones in the empty lanes: one is a safe operand of every operation here (0 / 0 would be a
 * NaN). */
static ALWAYS_INLINE V NAME(load_last)(const void *memory, size_t n)
{
    V v = (V){0} + ONE;
    __builtin_memcpy(&v, memory, n * sizeof(WORD));
    return v;
}

/* An array; operands that an operation lacks are read from the first. Returns whether any element was bad. */
static ALWAYS_INLINE bool NAME(compute_loop)(bnd_operation operation, bool odd, bool minus_zero,
                                             const bndi_arithmetic *what, unsigned operands, void *result,
                                             const void *const *from, size_t n)
{
    const bndi_arithmetic a = *what;
    const char *x = from[0], *y = operands > 1 ? from[1] : x, *z = operands > 2 ? from[2] : x;
    const V nan = (V){0} + NAN_WORD;
    char *out = result;
    V any = {0}, bad;
    size_t i = 0;
    for (; i + (size_t)LANES <= n; i += (size_t)LANES) {
        const size_t at = i * sizeof(WORD);
        V r = NAME(compute_one)(operation, odd, minus_zero, &a, NAME(load)(x + at), NAME(load)(y + at),
                                NAME(load)(z + at), &bad);
        r = NAME(choose)(bad, nan, r);
        any |= bad;
        __builtin_memcpy(out + at, &r, sizeof r);
    }
    if (i < n) {
        const size_t at = i * sizeof(WORD);
        V r = NAME(compute_one)(operation, odd, minus_zero, &a, NAME(load_last)(x + at, n - i),
                                NAME(load_last)(y + at, n - i), NAME(load_last)(z + at, n - i), &bad);
        r = NAME(choose)(bad, nan, r);
        any |= bad;
        __builtin_memcpy(out + at, &r, (n - i) * sizeof(WORD));
    }
    return NAME(any)(any);
}

/* An instance of the loop per operation and way. The sign of zero matters to ODD only: PLAIN has the mode itself. */
#define COMPUTE(OPERATION, OPERANDS)                                                                                   \
    case OPERATION:                                                                                                    \
        return !odd            ? NAME(compute_loop)(OPERATION, false, false, a, OPERANDS, result, operands, n)         \
               : a->minus_zero ? NAME(compute_loop)(OPERATION, true, true, a, OPERANDS, result, operands, n)           \
                               : NAME(compute_loop)(OPERATION, true, false, a, OPERANDS, result, operands, n)

/* The kernel of the table: min and max of both kinds share instances, as they differ for NaNs only, which are bad
 * anyway. */
static bool NAME(compute)(const bndi_arithmetic *a, void *result, const void *const *operands, size_t n)
{
    const bool odd = a->way == BNDI_ODD;
    switch (a->operation) {
        COMPUTE(BND_OP_ADD, 2);
        COMPUTE(BND_OP_SUB, 2);
        COMPUTE(BND_OP_MUL, 2);
        COMPUTE(BND_OP_DIV, 2);
        COMPUTE(BND_OP_FMA, 3);
        COMPUTE(BND_OP_SQRT, 1);
        COMPUTE(BND_OP_CONVERT, 1);
#if LANE_BITS == 64
    case BND_OP_RSQRT:
        return NAME(compute_loop)(BND_OP_RSQRT, false, false, a, 1, result, operands, n);
#endif
        COMPUTE(BND_OP_MIN, 2);
        COMPUTE(BND_OP_MIN_NUMBER, 2);
    default:
        return NAME(compute_loop)(BND_OP_MAX, false, false, a, 2, result, operands, n);
    }
}

/* The slot that this body fills. */
static void NAME(fill_operations)(bndi_kernels *kernels)
{
    kernels->compute[LANE_BITS == 32 ? BNDI_WORDS_32 : BNDI_WORDS_64] = NAME(compute);
}

#undef COMPUTE
#undef LANES
#undef MAGNITUDE
#undef TOP
#undef NAN_WORD
#undef ONE
#undef V
#undef F
#undef WORD
#undef FRACTION
#undef NAME
#undef LANE_BITS
