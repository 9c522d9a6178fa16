/* The body of the kernels that take codes of 16 bits to codes of 16 bits: decode, compute in fp32, encode, a group at a
 * time in registers. fp16 uses the processor's conversions; bf16 is the upper half of fp32. The kernel stops before the
 * first group that has an infinity or a NaN as a result, and the caller continues there with the general path.
 *
 * Included after operations_template.h. Hooks: words_of_halves(memory), fp16 to fp32; halves_of_words(a, b), one vector
 * of codes from two of words, rounded in the mode that is set; larger_codes(a, b), the larger of words of 16 bits;
 * any_code_above(a, last); put(memory, vector, stream); ask_for(memory), a prefetch. Twice as many codes as words fill
 * a vector.
 *
 * bf16 needs no unpacking instruction: a vector of codes is taken apart into odd and even places and put together
 * again. For 1.5 + 2 and 3 + 0.0078125, as two codes in one lane of 32 bits (the first code is the lower half):
 *
 *   x                      4040 3fc0      3.0, 1.5
 *   y                      3c00 4000      0.0078125, 2.0
 *   even places << 16      3fc00000 + 40000000 = 40600000   1.5 + 2 = 3.5
 *   odd places & ffff0000  40400000 + 3c000000 = 40408000   3 + 0.0078125, a tie of bf16
 *   rounded_upper          40600000 + 7fff + 0 = 40607fff;  40408000 + 7fff + 0 = 4040ffff
 *   >> 16, & ffff0000      4060             |  40400000     4040 4060: 3.0 (even), 3.5 */

/* Elements of a vector of codes, vectors of a group, words of a vector; prefetches are AHEAD bytes early. */
enum { CODES = BYTES / 2, VECTORS = BNDI_FUSED_GROUP / CODES, WORDS = BYTES / 4, AHEAD = 4096 };

/* The caller's arithmetic.c has chosen BNDI_ODD; `half` says whether the codes are fp16, whose products are exact. fma
 * is the one operation of the six where rounding to fp32 first is not innocuous, so it is computed to odd. */
static ALWAYS_INLINE lanes_32 odd_fma(bool half, lanes_32 a, lanes_32 b, lanes_32 c)
{
#if defined(HAS_ODD)
    (void)half;
    return odd_32(BND_OP_FMA, false, a, b, c);
#else
    /* Products of fp16 are exact in fp32. Of bf16 small ones, below 2^-102, are not: they become NaNs, which end the
     * group. It must be this NaN: one with all bits set would wrap around to zero where rounded_upper adds to it. */
    const lanes_32 low = (lanes_32){0} + ((127 - 102) << 23), magnitude = (lanes_32){0} + 0x7fffffff;
    const lanes_32 nan = (lanes_32){0} + 0x7fc00000;
    lanes_32 product = (lanes_32)((floats_32)a * (floats_32)b), sum = odd_sum_32(false, product, c);
    if (half) {
        return sum;
    }
    lanes_32 zero = (lanes_32)((a & magnitude) == 0) | (lanes_32)((b & magnitude) == 0);
    return choose_32(above_32(low, product & magnitude) & ~zero, nan, sum);
#endif
}

/* The operation on words. arithmetic.c shows why fp32's rounding in between does no harm for fp16 and bf16. */
static ALWAYS_INLINE lanes_32 compute_words(bnd_operation operation, bool half, bool odd, lanes_32 a, lanes_32 b,
                                            lanes_32 c)
{
    switch (operation) {
    case BND_OP_ADD:
        return (lanes_32)((floats_32)a + (floats_32)b);
    case BND_OP_SUB:
        return (lanes_32)((floats_32)a - (floats_32)b);
    case BND_OP_MUL:
        return (lanes_32)((floats_32)a * (floats_32)b);
    case BND_OP_DIV:
        return (lanes_32)((floats_32)a / (floats_32)b);
    case BND_OP_SQRT:
        return root_32(a);
    default:
        return odd ? odd_fma(half, a, b, c) : fused_32(a, b, c);
    }
}

/* Half the codes of a vector as fp32: those in odd places, or those in even ones. A bf16 code is the upper half of its
 * fp32 word. The lane 4040 3fc0: odd place 40400000 (3), even place 3fc00000 (1.5). */
static ALWAYS_INLINE lanes_32 words_of_uppers(lanes_32 codes, bool odd_places)
{
    if (odd_places) {
        return codes & 0xffff0000;
    }
    return codes << 16;
}

/* fp32 to bf16 in the upper half of the word: an addition below the half that is kept, as BITS steps do. The caller
 * takes the upper half, which cuts the rest off. Overflow becomes an infinity's code by the carry, NaNs may become
 * anything above infinity, or wrap: both show as a code above the largest number and end the group. */
static ALWAYS_INLINE lanes_32 rounded_upper(unsigned rounding, lanes_32 word)
{
    lanes_32 sign = (lanes_32)((signed_lanes_32)word >> 31);
    switch (rounding) {
    case BND_ROUND_RTZ:
        return word;
    case BND_ROUND_RUP:
        return word + (~sign & 0xffff);
    case BND_ROUND_RDN:
        return word + (sign & 0xffff);
    default:
        return word + 0x7fff + ((word >> 16) & 1);
    }
}

/* An operand's place, and how far it moves per group: 0 for an operand that is repeated. */
typedef struct operand {
    const char *at;
    size_t step;
} operand;

/* A vector of fp16 results: two vectors of words. A vector of words takes WORDS codes, that is 2 WORDS bytes: those at
 * 4 i WORDS of each operand and the next make vector i of the results. An operand that the operation lacks is a copy of
 * the first. */
static ALWAYS_INLINE lanes_32 vector_of_halves(bnd_operation operation, bool odd, unsigned operands, const operand *x,
                                               size_t i)
{
    lanes_32 r[2];
    /* The lower and the upper half of the vector of codes. */
    for (size_t half = 0; half < 2; half++) {
        const size_t at = (2 * i + half) * 2 * WORDS;
        lanes_32 a = words_of_halves(x[0].at + at), b = operands > 1 ? words_of_halves(x[1].at + at) : a;
        r[half] = compute_words(operation, true, odd, a, b, operands > 2 ? words_of_halves(x[2].at + at) : a);
    }
    return halves_of_words(r[0], r[1]);
}

/* A vector of bf16 results: the even places, then the odd ones, merged. Operands that the operation lacks are copies of
 * the first, which the compiler drops. */
static ALWAYS_INLINE lanes_32 vector_of_uppers(bnd_operation operation, bool odd_sum, unsigned rounding,
                                               unsigned operands, const operand *x, size_t i)
{
    lanes_32 c[BND_OPERANDS_MAX], r[2];
    for (unsigned k = 0; k < BND_OPERANDS_MAX; k++) {
        c[k] = k < operands ? load_32(x[k].at + i * BYTES) : c[0];
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        lanes_32 a = words_of_uppers(c[0], odd), b = words_of_uppers(c[1], odd), z = words_of_uppers(c[2], odd);
        r[odd] = rounded_upper(rounding, compute_words(operation, false, odd_sum, a, b, z));
    }
    return r[0] >> 16 | (r[1] & 0xffff0000);
}

/* The results of a group are stored only after all of them are known to be finite, so a group that is given up leaves
 * its output untouched, which matters where the output is an operand. The loop. All but the last four arguments are
 * constants wherever this is called. `last` is the largest finite code: one comparison per group finds infinities and
 * NaNs. Stores past the caches come with prefetches of the operands. */
static ALWAYS_INLINE size_t fused_loop(bnd_operation operation, bool half, bool odd, unsigned rounding,
                                       unsigned operands, bool stream, void *result, const void *const *from,
                                       const size_t *steps, size_t n)
{
    const uint16_t last = half ? 0x7bff : 0x7f7f;
    operand x[BND_OPERANDS_MAX];
    char *out = result;
    size_t done = 0;
    for (unsigned i = 0; i < operands; i++) {
        /* A repeated operand does not advance: its buffer has BNDI_FUSED_GROUP copies. */
        x[i] = (operand){.at = from[i], .step = steps[i] * 2 * BNDI_FUSED_GROUP};
    }
    for (; n - done >= BNDI_FUSED_GROUP; done += BNDI_FUSED_GROUP, out += 2 * BNDI_FUSED_GROUP) {
        lanes_32 codes[VECTORS], largest = {0};
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            codes[i] = half ? vector_of_halves(operation, odd, operands, x, i)
                            : vector_of_uppers(operation, odd, rounding, operands, x, i);
            largest = larger_codes(largest, codes[i] & 0x7fff7fff);
        }
        /* The caller does this group by the general path. */
        if (any_code_above(largest, last)) {
            break;
        }
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            put(out + i * BYTES, codes[i], stream);
        }
        for (unsigned i = 0; i < operands; i++) {
            x[i].at += x[i].step;
            if (stream) {
                ask_for(x[i].at + AHEAD);
                ask_for(x[i].at + AHEAD + BNDI_FUSED_GROUP);
            }
        }
    }
    return done;
}

#define ARGUMENTS a->stream, result, from, steps, n

/* An instance per operation. */
static ALWAYS_INLINE size_t fused_in(bool half, unsigned rounding, const bndi_arithmetic *a, void *result,
                                     const void *const *from, const size_t *steps, size_t n)
{
    switch (a->operation) {
    case BND_OP_ADD:
        return fused_loop(BND_OP_ADD, half, false, rounding, 2, ARGUMENTS);
    case BND_OP_SUB:
        return fused_loop(BND_OP_SUB, half, false, rounding, 2, ARGUMENTS);
    case BND_OP_MUL:
        return fused_loop(BND_OP_MUL, half, false, rounding, 2, ARGUMENTS);
    case BND_OP_DIV:
        return fused_loop(BND_OP_DIV, half, false, rounding, 2, ARGUMENTS);
    case BND_OP_SQRT:
        return fused_loop(BND_OP_SQRT, half, false, rounding, 1, ARGUMENTS);
    default:
        return a->way == BNDI_ODD ? fused_loop(BND_OP_FMA, half, true, rounding, 3, ARGUMENTS)
                                  : fused_loop(BND_OP_FMA, half, false, rounding, 3, ARGUMENTS);
    }
}

/* The kernel of the table. fp16 is encoded in the mode that is set, whichever it is; bf16's mode is a constant of its
 * loop. */
static size_t fused_codes(const bndi_arithmetic *a, void *result, const void *const *from, const size_t *steps,
                          size_t n)
{
    if (a->fused == BNDI_FUSED_HALF) {
        return fused_in(true, BND_ROUND_RNE, a, result, from, steps, n);
    }
    switch (a->mode) {
    case BND_ROUND_RTZ:
        return fused_in(false, BND_ROUND_RTZ, a, result, from, steps, n);
    case BND_ROUND_RUP:
        return fused_in(false, BND_ROUND_RUP, a, result, from, steps, n);
    case BND_ROUND_RDN:
        return fused_in(false, BND_ROUND_RDN, a, result, from, steps, n);
    default:
        return fused_in(false, BND_ROUND_RNE, a, result, from, steps, n);
    }
}

#undef ARGUMENTS
