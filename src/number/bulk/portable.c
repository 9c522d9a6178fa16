/* The portable kernels: plain C, one word at a time, every format that fp32 or fp64 holds, every mode. They define what
 * the vector kernels must return bit by bit, and take what those leave. portable_template.h is included for both types
 * of words below.
 *
 * The decision of a rounding is `rest_rounds_up`: a number lies between two neighbours 2^discard apart (in units of its
 * last bit) and `rest` of that distance above the lower one. For discard = 4 (half = 8), the lower neighbour even or
 * odd:
 *
 *   rest              1     7     8     9    15
 *   RNE, even         down  down  down  up   up       a tie goes to the even neighbour
 *   RNE, odd          down  down  up    up   up
 *   RNA               down  down  up    up   up
 *   RTO, even         up    up    up    up   up       the odd neighbour, if anything is discarded
 *   SRA, 2 bits       rest / 16 in quarters, cut off: 0, 1, 2, 2, 3; up where that + R >= 4, R from 0 to 3 */
#include "bulk/bulk.h"
#include "bulk/inline.h"

/* floor(v 2^bits) for v = rest / 2^discard in [0, 1): the remainder in units of the random bits, cut off. rest 9 of 16
 * (discard 4): with 2 bits 9 >> 2 = 2, that is 2 / 4; with 6 bits 9 << 2 = 36, that is 36 / 64, exactly. */
static inline uint64_t scaled_rest(uint64_t rest, unsigned discard, unsigned bits)
{
    return bits >= discard ? rest << (bits - discard) : rest >> (discard - bits);
}

/* The same rounded to nearest even: P3109's mode C. rest 14 of 16 with 2 bits: 3.5 quarters, left = 2 is half a quarter
 * and 3 is odd: 4, which always rounds up. */
static inline uint64_t scaled_to_nearest(uint64_t rest, unsigned discard, unsigned bits)
{
    uint64_t whole = scaled_rest(rest, discard, bits);
    if (bits >= discard) {
        return whole;
    }
    uint64_t left = rest & ((UINT64_C(1) << (discard - bits)) - 1), half = UINT64_C(1) << (discard - bits - 1);
    return whole + (left > half || (left == half && (whole & 1) != 0));
}

/* Up with probability rest / 2^discard, to the resolution of the random bits. A compares the remainder cut off, B adds
 * half a unit to R (one bit more on both sides keeps it an integer), C the remainder rounded to nearest even. rest 9 of
 * 16 with 2 bits, up for R =
 *
 *   A   2 + R >= 4                          R = 2, 3         2 of 4 draws
 *   B   scaled to 3 bits: 4 + 2 R + 1 >= 8  R = 2, 3
 *   C   9 / 4 = 2.25, to nearest 2          R = 2, 3 */
static inline bool stochastic_up_by_bits(unsigned rounding, unsigned bits, uint64_t rest, unsigned discard,
                                         uint64_t random)
{
    uint64_t one = UINT64_C(1) << bits;
    switch (rounding) {
    case BND_ROUND_SR_EQUAL:
        return (random & 1) != 0;
    case BND_ROUND_SRA:
        return scaled_rest(rest, discard, bits) + random >= one;
    case BND_ROUND_SRB:
        return scaled_rest(rest, discard, bits + 1) + 2 * random + 1 >= 2 * one;
    default:
        return scaled_to_nearest(rest, discard, bits) + random >= one;
    }
}

/* Is the number rounded away from zero? The answer has no meaning where `rest` is zero. */
static inline bool rest_rounds_up(unsigned rounding, unsigned bits, uint64_t rest, unsigned discard, bool odd,
                                  bool negative, uint64_t random)
{
    uint64_t half = UINT64_C(1) << discard >> 1;
    switch (rounding) {
    case BND_ROUND_RNE:
        return (rest > half) | ((rest == half) & odd); /* no branch: nothing predicts it */
    case BND_ROUND_RNA:
        return rest >= half;
    case BND_ROUND_RTZ:
        return false;
    case BND_ROUND_RUP:
        return !negative;
    case BND_ROUND_RDN:
        return negative;
    case BND_ROUND_RTO:
        return !odd;
    default:
        return stochastic_up_by_bits(rounding, bits, rest, discard, random);
    }
}

/* So far below the least number that the discarded bits, or the random ones in the same word, do not fit 64 bits: those
 * numbers are the codec's. 62 leaves two bits of room for sums. */
static inline bool is_deep(const bndi_plan *plan, int32_t field)
{
    int32_t below = plan->bottom - (field == 0 ? 1 : field);
    int32_t discard = (int32_t)plan->drop + (below > 0 ? below : 0);
    return discard > 62;
}

/* The exponent field of each type of words. */
static inline bool is_deep_32(const bndi_plan *plan, uint32_t u)
{
    return is_deep(plan, (int32_t)(u >> 23));
}

/* The same for fp64. */
static inline bool is_deep_64(const bndi_plan *plan, uint64_t u)
{
    return is_deep(plan, (int32_t)(u >> 52));
}

#define WORD     uint32_t
#define FRACTION 23
#define NAME(x)  x##_32
#include "bulk/portable_template.h"
#undef WORD
#undef FRACTION
#undef NAME

#define WORD     uint64_t
#define FRACTION 52
#define NAME(x)  x##_64
#include "bulk/portable_template.h"
#undef WORD
#undef FRACTION
#undef NAME

/* The random entries of elements first .. first + n - 1, from the generator in blocks, stored as 2, 4 or 8 bytes each.
 */
void bndi_random(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    enum { BLOCK = 64 };
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    uint64_t wide[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        bnd_random_fill(wide, count, seed, purpose, first + at, bits);
        for (size_t i = 0; i < count; i++) {
            bndi_put(out, bytes, at + i, wide[i]);
        }
    }
}

void bndi_random_blocks(void *out, const uint64_t *blocks, size_t n, uint64_t seed, uint64_t purpose, unsigned bits)
{
    enum { BLOCK_BYTES = 16 };
    const unsigned in_a_block = bits <= 16 ? 8 : bits <= 32 ? 4 : 2;
    for (size_t i = 0; i < n; i++) {
        bndi_random((char *)out + i * BLOCK_BYTES, in_a_block, seed, purpose, blocks[i] * in_a_block, bits);
    }
}

/* Every slot but compute, fused, counts and count: the operations have no portable kernel, arith/ does them. */
void bndi_fill_portable(bndi_kernels *kernels)
{
    *kernels = (bndi_kernels){
        .round = {bndi_round_32, bndi_round_64},
        .encode = {bndi_encode_32, bndi_encode_64},
        .decode = {bndi_decode_32, bndi_decode_64},
        .tally = {bndi_tally_32, bndi_tally_64},
        .random = bndi_random,
        .random_blocks = bndi_random_blocks,
        .pack = bndi_pack_bits,
        .unpack = bndi_unpack_bits,
    };
}
