/* The body of the vector kernels of conversions: round, encode, decode. It is a template for one type of words and one
 * vector size. Each back end includes it twice, with LANE_BITS 32 (words are fp32 bits) and 64 (fp64 bits), and
 * NAME(fill) puts the results into the back end's table. A format, a mode or a policy is data of the bndi_plan, never
 * code here.
 *
 * Parameters that the including file defines:
 *   LANE_BITS   32 or 64; undefined again at the end of this file
 *   BYTES       size of a vector: 16 (NEON, wasm128), 32 (AVX2), 64 (AVX-512)
 *   GROUP       vectors per step of a loop, 4: one check for special numbers and one packed store of codes per step
 *   SHIFT       optional: the type of a shift count, where the instruction set shifts all lanes by one scalar count
 *   the types of vectors_template.h
 * Hooks that the including file defines, for lanes of LANE_BITS:
 *   NAME(select)(m, a, b)       a where the mask m has ones, b elsewhere, bit by bit
 *   NAME(max), NAME(umax)       the larger lane, signed and unsigned
 *   NAME(any_above)(a, b)       is any lane of a above its lane of b, unsigned?
 *   NAME(store_narrow)          GROUP vectors of codes to words of fewer bytes than a lane has
 *   NAME(from_bytes)            a vector of codes from words of 1 byte, with zeros above; from_halves: of 2 bytes;
 *                               from_words: of 4 bytes, for lanes of 64 bits only
 *   NAME(stream)                a store past the caches, or an ordinary one where there is none
 * Names made here: V is the vector, LANES its lanes, WORD the type of a lane, FRACTION its fraction bits, NAME(x) is
 * x_32 or x_64. MAGNITUDE, SIGN, HIDDEN (the bit above the fraction) and TOP (infinity) are masks of a word.
 *
 * A number is plain where its magnitude u satisfies u - low <= span, unsigned: one subtraction and one comparison find
 * overflow, infinity and NaN at once, and numbers below `low` wherever the format treats zero or small numbers in a way
 * of its own. Every vector is computed as if it were plain. A group that holds any other number takes the path with
 * blends, `mend`, and the few numbers that no blend gets right are done one by one by the portable kernels (`do_hard`),
 * which hand what they cannot do to the codec. So wrong lanes are always overwritten and never stored.
 *
 * The parts: lanes_rounding_template.h rounds one vector, this file encodes and rounds arrays, lanes_decode_template.h
 * decodes them. */

#if LANE_BITS == 32
#define WORD     uint32_t
#define FRACTION 23
#define NAME(x)  x##_32
#else
#define WORD     uint64_t
#define FRACTION 52
#define NAME(x)  x##_64
#endif
/* Masks and sizes of a word, the same for 32 and 64 bits. */
#define BITS      (8 * (int)sizeof(WORD))
#define LANES     (BYTES / (int)sizeof(WORD))
#define MAGNITUDE ((WORD)-1 >> 1)
#define SIGN      (~MAGNITUDE)
#define HIDDEN    ((WORD)1 << FRACTION)
#define TOP       (MAGNITUDE & ~(HIDDEN - 1)) /* infinity; above it are the NaNs */
#define V         NAME(lanes)
#if !defined(SHIFT)
#define SHIFT V
#endif
#define GROUP_LEN ((size_t)GROUP * (size_t)LANES)

/* The same word in all lanes. */
static ALWAYS_INLINE V NAME(all)(uint64_t word)
{
    return (V){0} + (WORD)word;
}

/* A count of bits for all lanes: SHIFT is a vector or a number, whichever the instruction set shifts by in one
 * instruction. */
static ALWAYS_INLINE SHIFT NAME(shift)(unsigned bits)
{
    return (SHIFT){0} + (WORD)bits;
}

/* Loads and stores need no alignment, since a caller's array may be anywhere. memcpy of a whole vector becomes one
 * instruction (vmovdqu with AVX). */
static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

static ALWAYS_INLINE void NAME(store)(void *memory, V v)
{
    __builtin_memcpy(memory, &v, sizeof v);
}

/* Vectors of codes from words of 1, 2, 4 or 8 bytes, zeros above. Nothing is read after the last one. The branch on the
 * size is outside of the loops, so that a group has one. Eight codes as two vectors of four lanes of 32 bits:
 *
 *   memory, bytes     2a d8 06 7f 38 01 c8 10
 *   c[0]              0000002a 000000d8 00000006 0000007f      the bytes 0 to 3
 *   c[1]              00000038 00000001 000000c8 00000010      the bytes 4 to 7 */
static ALWAYS_INLINE void NAME(load_some)(V *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    if (bytes == 1) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = NAME(from_bytes)(from + i * LANES);
        }
    } else if (bytes == 2) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = NAME(from_halves)(from + i * LANES * 2);
        }
#if LANE_BITS == 64
    } else if (bytes == 4) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = NAME(from_words)(from + i * LANES * 4);
        }
#endif
    } else {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = NAME(load)(from + i * BYTES);
        }
    }
}

/* GROUP vectors of codes to words of 1, 2, 4 or 8 bytes. `shift` is for tf32, whose codes are in the upper bits of a
 * word. 1.5 in tf32 is 1fe00 in a lane, and 3fc00000 in memory. Words as large as a lane need no hook; narrower ones
 * are packed in the way of the instruction set. */
static ALWAYS_INLINE void NAME(store_codes)(void *memory, const V *c, unsigned bytes, unsigned shift, bool stream)
{
    if (bytes < sizeof(WORD)) {
        NAME(store_narrow)(memory, c, bytes, shift, stream);
        return;
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        char *to = (char *)memory + i * BYTES;
        if (stream) {
            NAME(stream)(to, c[i] << shift);
        } else {
            NAME(store)(to, c[i] << shift);
        }
    }
}

/* Lanes as floating-point numbers, in the rounding mode that environment.h has set to plan->mode_to_set. */
static ALWAYS_INLINE V NAME(sum)(V a, V b)
{
    return (V)((NAME(floats))a + (NAME(floats))b);
}

static ALWAYS_INLINE V NAME(difference)(V a, V b)
{
    return (V)((NAME(floats))a - (NAME(floats))b);
}

/* A mask: ones where a > b as signed integers. Magnitudes have a clear sign bit, so signed order is their order. */
static ALWAYS_INLINE V NAME(greater)(V a, V b)
{
    return (V)((NAME(signed_lanes))a > (NAME(signed_lanes))b);
}

/* All ones where x is negative: the arithmetic shift copies the sign bit.
 *
 *   x           c1880000 (-17)    3e99999a (0.3)    80000000 (-0)
 *   signs_of    ffffffff          00000000          ffffffff */
static ALWAYS_INLINE V NAME(signs_of)(V x)
{
    return (V)((NAME(signed_lanes))x >> (BITS - 1));
}

/* The random entries of LANES elements, from element `at` on, widened to lanes. Entries of two bytes in memory, 34 12
 * cd ab .., become lanes 00001234 and 0000abcd. */
static ALWAYS_INLINE V NAME(load_random)(const void *random, unsigned bytes, size_t at)
{
    V r[1];
    NAME(load_some)(r, (const char *)random + at * bytes, bytes, 1);
    return r[0];
}

#include "bulk/lanes_rounding_template.h"

/* ---- groups and arrays ---- */

/* SRB adds 2 R + 1 to one bit more than SRA: `extra` is random_bits + 1, and the addend the middle of R's interval. */
static ALWAYS_INLINE V NAME(addend)(const NAME(constants) * k, bndi_step step, bool by_random, V random)
{
    if (step == FLOAT_ADD && by_random && k->half_more) {
        return random + random + 1;
    }
    return random;
}

/* GROUP vectors from x to y (words, or codes in words of the plan's code_bytes). `check` collects the largest u - low
 * of all vectors, so that the usual case costs one comparison per group. k->usable drops the sign of a signed format;
 * for an unsigned format it keeps it, and a negative number is then larger than any span. k->signs takes the sign away
 * where an unsigned format converts magnitudes. In the repair, `rounded` is computed again for codes only, where the
 * word is needed to recognise overflow. */
static ALWAYS_INLINE void NAME(group)(const NAME(constants) * k, bndi_step step, const bndi_plan *plan,
                                      bndi_results *special, bool to_codes, bool by_random, unsigned code_bytes,
                                      bool stream, void *y, const void *in, const void *random)
{
    V x[GROUP], r[GROUP], result[GROUP], check = NAME(all)(0);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = NAME(load)((const char *)in + i * BYTES) & k->signs;
        r[i] = NAME(all)(0);
        if (by_random) {
            r[i] = NAME(load_random)(random, k->bytes, i * (size_t)LANES);
        } else if (step == FLOAT_ADD) {
            r[i] = NAME(all)(1); /* RNA is A with one random bit that is 1 */
        }
        V addend = NAME(addend)(k, step, by_random, r[i]);
        result[i] =
            to_codes ? NAME(coded)(k, step, x[i], addend, by_random) : NAME(rounded)(k, step, x[i], addend, by_random);
        check = NAME(umax)(check, (x[i] & k->usable) - k->low);
    }
    if (NAME(any_above)(check, k->span)) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            V addend = NAME(addend)(k, step, by_random, r[i]);
            V rounded = to_codes ? NAME(rounded)(k, step, x[i], addend, by_random) : result[i];
            result[i] = NAME(mend)(plan, special, to_codes, result[i], x[i], rounded, r[i]);
        }
    }
    if (to_codes) {
        NAME(store_codes)(y, result, code_bytes, k->shift, stream);
        return;
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        if (stream) {
            NAME(stream)((char *)y + i * BYTES, result[i]);
        } else {
            NAME(store)((char *)y + i * BYTES, result[i]);
        }
    }
}

/* An array, GROUP_LEN elements at a time. The last few go through a padded copy, followed by zeros: zero is harmless in
 * every step (it is plain, or mend handles it), and the copy keeps loads and stores inside the caller's arrays. 100
 * elements with vectors of 8 lanes:
 *
 *   elements 0 to 31, 32 to 63, 64 to 95    from x to y
 *   elements 96 to 99, then 28 zeros        from the copy last_in to last_out, of which 4 go to y */
static ALWAYS_INLINE void NAME(loop)(bndi_step step, bool by_random, const bndi_plan *plan, bool to_codes, void *y,
                                     const void *x, const void *random, size_t n)
{
    NAME(constants) made;
    NAME(set_constants)(&made, plan);
    const NAME(constants) k = made; /* of its own: nothing that is stored can change it, and it stays in registers */
    bndi_results special = {.asked = false};
    const unsigned code_bytes = plan->code_bytes;
    const bool stream = plan->stream;
    const size_t step_out = GROUP_LEN * (to_codes ? plan->code_bytes : sizeof(WORD));
    const size_t step_random = random != NULL ? GROUP_LEN * plan->random_bytes : 0;
    const char *in = x, *r = random;
    char *out = y;
    for (; n >= GROUP_LEN; n -= GROUP_LEN) {
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, stream, out, in, r);
        in += GROUP_LEN * sizeof(WORD);
        out += step_out;
        r = r != NULL ? r + step_random : NULL;
    }
    if (n > 0) {
        WORD last_in[GROUP * LANES] = {0}, last_out[GROUP * LANES];
        uint64_t last_random[GROUP * LANES] = {0};
        __builtin_memcpy(last_in, in, n * sizeof(WORD));
        if (random != NULL) {
            __builtin_memcpy(last_random, r, n * plan->random_bytes);
        }
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, false, last_out, last_in, last_random);
        __builtin_memcpy(out, last_out, n * (to_codes ? plan->code_bytes : sizeof(WORD)));
    }
}

/* One loop per step: `step` and `by_random` are constants in each, so that the inlined body has no branch on the mode.
 * FLOAT covers RNE, RTZ, RUP and RDN by the processor's own mode; RNA and the stochastic modes are an addition after
 * it. */
static ALWAYS_INLINE void NAME(by_step)(const bndi_plan *plan, bool to_codes, void *y, const void *x,
                                        const void *random, size_t n)
{
    const bool is_float = plan->family == BNDI_FLOAT;
    if (n == 0) {
        return;
    }
    switch (plan->rule.rounding) {
    case BND_ROUND_RNE:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_NEAREST, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTZ:
    case BND_ROUND_RNA:
        if (is_float && plan->rule.rounding == BND_ROUND_RTZ) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else if (is_float) {
            NAME(loop)(FLOAT_ADD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ADD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RUP:
    case BND_ROUND_RDN:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_SIGNED, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTO:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ODD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_SR_EQUAL:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_ODD, true, plan, to_codes, y, x, random, n);
        }
        break;
    default:
        if (is_float) {
            NAME(loop)(FLOAT_ADD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_RANDOM, true, plan, to_codes, y, x, random, n);
        }
        break;
    }
}

/* The kernels of the table, by LANE_BITS: round_32, encode_32 and decode_32 for words of fp32, the same with _64 for
 * words of fp64. Family PORTABLE has no vector form: one bit of precision with round to odd, too many random
 * bits. */
static void NAME(round)(const bndi_plan *plan, void *y, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_round)(plan, y, x, random, n);
    } else {
        NAME(by_step)(plan, false, y, x, random, n);
    }
}

static void NAME(encode)(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_encode)(plan, codes, x, random, n);
    } else {
        NAME(by_step)(plan, true, codes, x, random, n);
    }
}

#include "bulk/lanes_decode_template.h"

/* The slots that this body can fill. A back end calls it first, and then replaces the slots for which it has kernels of
 * its own. */
static void NAME(fill)(bndi_kernels *kernels)
{
    const bndi_width width = LANE_BITS == 32 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    kernels->round[width] = NAME(round);
    kernels->encode[width] = NAME(encode);
    kernels->decode[width] = NAME(decode);
}

#undef BITS
#undef LANES
#undef MAGNITUDE
#undef SIGN
#undef HIDDEN
#undef TOP
#undef V
#undef SHIFT
#undef GROUP_LEN
#undef WORD
#undef FRACTION
#undef NAME
#undef LANE_BITS
