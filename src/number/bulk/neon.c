/* The back end for the vectors that every 64-bit Arm has: 4 numbers of fp32 or 2 of fp64 per vector. It is the hooks of
 * lanes_template.h and nothing else. C has no stores past the caches here, so `stream` is an ordinary store.
 *
 * Narrowing is uzp1, which takes the even elements of two vectors, that is the low halves of their lanes, in order. So
 * 16 words become 16 bytes without a permutation, unlike on AVX. For the codes of four vectors, e4m3 magnitudes 2a, 58,
 * 06, 7f .. each in a lane of 32 bits:
 *
 *   c[0]                  0000002a 000000d8 00000006 0000007f
 *   c[1]                  00000038 00000001 000000c8 00000010
 *   halves(c[0], c[1])    002a 00d8 0006 007f 0038 0001 00c8 0010                 16-bit words
 *   uzp1 of two of these  2a d8 06 7f 38 01 c8 10 ..                              bytes
 *
 * Widening is movl, twice for bytes. */
#include <arm_neon.h>

#include "bulk/bulk.h"
#include "bulk/inline.h"

enum { GROUP = 4 };
#define BYTES 16
#include "bulk/vectors_template.h"

/* ---- what instructions do better than the compiler's vectors, for lanes of 32 bits ---- */

/* Hooks for lanes of 32 bits; bsl is the bitwise select. */
static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (lanes_32)vbslq_u32((uint32x4_t)mask, (uint32x4_t)a, (uint32x4_t)b);
}

/* Signed and unsigned maxima. */
static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b);
}

/* The largest lane of the comparison's mask is not zero if any lane is set. */
static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    return vmaxvq_u32(vcgtq_u32((uint32x4_t)a, (uint32x4_t)b)) != 0;
}

/* An ordinary store. */
static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    __builtin_memcpy(memory, &v, sizeof v);
}

/* The lower halves of the lanes of two vectors. A code of at most 16 bits is in that half, and the upper one is 0.
 * Places of 16 bits: a has 0 to 7, b 8 to 15, and uzp1 takes 0 2 4 .. 14. */
static ALWAYS_INLINE uint16x8_t halves(lanes_32 a, lanes_32 b)
{
    return vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
}

/* GROUP vectors of codes to words of 1 or 2 bytes. */
static ALWAYS_INLINE void store_narrow_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    uint8_t *to = memory;
    (void)shift, (void)stream;
    uint16x8_t low = halves(c[0], c[1]), high = halves(c[2], c[3]);
    if (bytes == 1) {
        vst1q_u8(to, vuzp1q_u8((uint8x16_t)low, (uint8x16_t)high));
    } else {
        vst1q_u8(to, (uint8x16_t)low);
        vst1q_u8(to + BYTES, (uint8x16_t)high);
    }
}

/* The low bytes of a word, without reading beyond them: a vector of four codes of a byte takes 4 bytes, and the group
 * may be the end of the array. */
static ALWAYS_INLINE uint64_t load_word(const void *memory, size_t bytes)
{
    uint64_t word = 0;
    __builtin_memcpy(&word, memory, bytes);
    return word;
}

/* A vector of four codes from words of 1 or 2 bytes. */
static ALWAYS_INLINE lanes_32 from_bytes_32(const char *codes)
{
    uint16x8_t wide = vmovl_u8(vcreate_u8(load_word(codes, 4)));
    return (lanes_32)vmovl_u16(vget_low_u16(wide));
}

static ALWAYS_INLINE lanes_32 from_halves_32(const char *codes)
{
    return (lanes_32)vmovl_u16(vcreate_u16(load_word(codes, 8)));
}

#define LANE_BITS 32
#include "bulk/lanes_template.h"

/* ---- and of 64 ---- */

/* Hooks for lanes of 64 bits. */
static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (lanes_64)vbslq_u64((uint64x2_t)mask, (uint64x2_t)a, (uint64x2_t)b);
}

/* The larger of two exponent fields in place. There is no maximum of 64-bit integers, but these words are powers of
 * two, zero or infinity as doubles, whose order is the same. */
static ALWAYS_INLINE lanes_64 max_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
}

/* The maximum of unsigned 64-bit lanes, which NEON does not have: compared, then selected. */
static ALWAYS_INLINE lanes_64 umax_64(lanes_64 a, lanes_64 b)
{
    return select_64((lanes_64)vcgtq_u64((uint64x2_t)a, (uint64x2_t)b), a, b);
}

/* A lane of the mask is all ones, so its 32-bit halves will do. */
static ALWAYS_INLINE bool any_above_64(lanes_64 a, lanes_64 b)
{
    return vmaxvq_u32((uint32x4_t)vcgtq_u64((uint64x2_t)a, (uint64x2_t)b)) != 0;
}

/* An ordinary store. */
static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    __builtin_memcpy(memory, &v, sizeof v);
}

/* Lanes of 64 bits to 32 first, by taking the even words of two vectors, then as above: 16-bit words by uzp1, bytes by
 * movn, which narrows the eight words of one vector. With a0 for the low word of a code and 0 for its high word:
 *
 *   c[0], c[1]            a0 0 a1 0   b0 0 b1 0       32-bit words
 *   uzp1_u32              a0 a1 b0 b1 */
static ALWAYS_INLINE void store_narrow_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    uint8_t *to = memory;
    (void)stream;
    lanes_32 low = (lanes_32)vuzp1q_u32((uint32x4_t)(c[0] << shift), (uint32x4_t)(c[1] << shift));
    lanes_32 high = (lanes_32)vuzp1q_u32((uint32x4_t)(c[2] << shift), (uint32x4_t)(c[3] << shift));
    if (bytes == 4) {
        stream_32(to, low);
        stream_32(to + BYTES, high);
    } else if (bytes == 2) {
        vst1q_u8(to, (uint8x16_t)halves(low, high));
    } else {
        vst1_u8(to, vmovn_u16(halves(low, high)));
    }
}

/* Two codes of 1, 2 or 4 bytes are one word: its low and its high half. 2 bytes: 34 12 cd ab in memory is the word
 * abcd1234, and the lanes are 1234 and abcd. */
static ALWAYS_INLINE lanes_64 pair_of(const char *codes, unsigned bytes)
{
    const uint64_t both = load_word(codes, 2 * (size_t)bytes);
    const unsigned bits = 8 * bytes;
    return (lanes_64){both & ((UINT64_C(1) << bits) - 1), both >> bits};
}

static ALWAYS_INLINE lanes_64 from_bytes_64(const char *codes)
{
    return pair_of(codes, 1);
}

static ALWAYS_INLINE lanes_64 from_halves_64(const char *codes)
{
    return pair_of(codes, 2);
}

static ALWAYS_INLINE lanes_64 from_words_64(const char *codes)
{
    return pair_of(codes, 4);
}

#define LANE_BITS 64
#include "bulk/lanes_template.h"

/* Conversions only; operations, statistics and random bits are the portable back end's. */
void bndi_fill_neon(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
}
