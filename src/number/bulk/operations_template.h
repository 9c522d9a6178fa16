/* The body of the vector kernels of operations, for one type of words and one size of vector, as lanes_template.h is
 * that of conversions: a back end includes it once for fp32 and once for fp64. arithmetic.c says what is computed, and
 * why that is right.
 *
 * LANE_BITS: 32 or 64; BYTES: of a vector. Hooks, on lanes: NAME(fused)(a, b, c), a b + c rounded once; NAME(root);
 * NAME(any): has any lane a bit set? And where HAS_ODD is defined NAME(odd)(operation, minus_zero, x, y, z): add,
 * mul, div, fma or sqrt to odd, whatever the operands. */

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

static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

static ALWAYS_INLINE V NAME(above)(V a, V b)
{
    return (V)((NAME(signed_lanes))a > (NAME(signed_lanes))b);
}

static ALWAYS_INLINE V NAME(choose)(V mask, V a, V b)
{
    return (a & mask) | (b & ~mask);
}

/* s plus the sign of e in its last place, where e is not zero and that place is even. A NaN is no sign. */
static ALWAYS_INLINE V NAME(to_odd)(V s, F e)
{
    V lost = (V)(e > 0) | (V)(e < 0), even = (s & 1) - 1;
    V away = (V)((NAME(signed_lanes))((V)e ^ s) >> (LANE_BITS - 1)) | 1; /* -1 where the signs differ */
    return s + (away & lost & even);
}

/* 2Sum; with a sign where it is zero. */
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

/* One operation; in `bad` lanes that are not to be trusted. The first three arguments are constants wherever this is
 * called. */
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
    case BND_OP_CONVERT:
        *bad = NAME(above)(x & MAGNITUDE, top);
        return x;
    case BND_OP_MIN:
    case BND_OP_MIN_NUMBER:
    default: /* the maxima */
        *bad = NAME(above)(x & MAGNITUDE, top) | NAME(above)(y & MAGNITUDE, top);
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

/* The last few: ones in the empty lanes. */
static ALWAYS_INLINE V NAME(load_last)(const void *memory, size_t n)
{
    V v = (V){0} + ONE;
    __builtin_memcpy(&v, memory, n * sizeof(WORD));
    return v;
}

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

#define COMPUTE(OPERATION, OPERANDS)                                                                                   \
    case OPERATION:                                                                                                    \
        return !odd            ? NAME(compute_loop)(OPERATION, false, false, a, OPERANDS, result, operands, n)         \
               : a->minus_zero ? NAME(compute_loop)(OPERATION, true, true, a, OPERANDS, result, operands, n)           \
                               : NAME(compute_loop)(OPERATION, true, false, a, OPERANDS, result, operands, n)

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
