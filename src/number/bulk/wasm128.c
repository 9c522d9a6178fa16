/* The back end for WebAssembly's vectors of 128 bits: 4 numbers of fp32 or 2 of fp64 per vector. It is the hooks of
 * lanes_template.h and nothing else. There is one rounding mode (nearest even), so float_fits in conversion_plan.c
 * gives the directed modes to family BITS; and there are no stores past the caches.
 *
 * Shuffles name the elements of two vectors, 0 to 7 of the first and 8 to 15 of the second in 16-bit words. The low
 * halves of eight 32-bit lanes, which hold codes, and then their bytes:
 *
 *   a, b                          0000002a 000000d8 00000006 0000007f | 00000038 00000001 000000c8 00000010
 *   shuffle 0 2 4 .. 14           002a 00d8 0006 007f 0038 0001 00c8 0010
 *   narrow (saturating) to bytes  2a d8 06 7f 38 01 c8 10              codes of a byte are below 256: nothing saturates
 */
#include <wasm_simd128.h>

#include "bulk/bulk.h"
#include "bulk/inline.h"

enum { GROUP = 4 };
#define BYTES 16
#include "bulk/vectors_template.h"

/* ---- what instructions do better than the compiler's vectors, for lanes of 32 bits ---- */

/* Hooks for lanes of 32 bits. bitselect takes the bits of its first operand where the mask has ones, so masks of whole
 * lanes and of single bits (signs) both work. */
static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (lanes_32)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
}

/* Signed and unsigned maxima. They differ where a top bit is set: of 80000000 and 1 the signed one takes 1, the
 * unsigned one 80000000. */
static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)wasm_i32x4_max((v128_t)a, (v128_t)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)wasm_u32x4_max((v128_t)a, (v128_t)b);
}

/* Has the comparison's mask a bit set? Lanes of the mask are 0 or all ones, so one set bit means one lane. */
static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    return wasm_v128_any_true(wasm_u32x4_gt((v128_t)a, (v128_t)b));
}

/* An ordinary store. */
static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    wasm_v128_store(memory, (v128_t)v);
}

/* The lower halves of the lanes of two vectors, in order. A code of at most 16 bits is in that half, and the upper one
 * is 0: places 0 2 4 6 are those of a, 8 10 12 14 those of b. */
static ALWAYS_INLINE v128_t halves(v128_t a, v128_t b)
{
    return wasm_i16x8_shuffle(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
}

/* GROUP vectors of codes to words of 1 or 2 bytes. */
static ALWAYS_INLINE void store_narrow_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    (void)shift, (void)stream;
    v128_t low = halves((v128_t)c[0], (v128_t)c[1]), high = halves((v128_t)c[2], (v128_t)c[3]);
    if (bytes == 1) {
        wasm_v128_store(to, wasm_u8x16_narrow_i16x8(low, high));
    } else {
        wasm_v128_store(to, low);
        wasm_v128_store(to + BYTES, high);
    }
}

/* A vector of four codes from words of 1 or 2 bytes. */
static ALWAYS_INLINE lanes_32 from_bytes_32(const char *codes)
{
    v128_t wide = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(codes));
    return (lanes_32)wasm_u32x4_extend_low_u16x8(wide);
}

static ALWAYS_INLINE lanes_32 from_halves_32(const char *codes)
{
    return (lanes_32)wasm_u32x4_load16x4(codes);
}

/* Shifts take one count for all lanes. */
#define SHIFT     uint32_t
#define LANE_BITS 32
#include "bulk/lanes_template.h"

/* ---- and of 64 ---- */

/* Hooks for lanes of 64 bits. */
static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (lanes_64)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
}

/* The larger of two exponent fields in place: as doubles these words are powers of two, zero or infinity, whose order
 * is the same. */
static ALWAYS_INLINE lanes_64 max_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)wasm_f64x2_max((v128_t)a, (v128_t)b);
}

/* a > b unsigned: only a signed comparison exists, so both sign bits are flipped. */
static ALWAYS_INLINE v128_t above_64(lanes_64 a, lanes_64 b)
{
    const lanes_64 sign = (lanes_64){0} + (UINT64_C(1) << 63); /* there are only signed comparisons */
    return wasm_i64x2_gt((v128_t)(a ^ sign), (v128_t)(b ^ sign));
}

/* The maximum of unsigned 64-bit lanes, which WebAssembly does not have: compared, then selected. For 1 and
 * 8000000000000000 the mask of a > b is 0, and b is the larger. */
static ALWAYS_INLINE lanes_64 umax_64(lanes_64 a, lanes_64 b)
{
    return select_64((lanes_64)above_64(a, b), a, b);
}

/* The same for lanes of 64 bits. */
static ALWAYS_INLINE bool any_above_64(lanes_64 a, lanes_64 b)
{
    return wasm_v128_any_true(above_64(a, b));
}

/* An ordinary store. */
static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    wasm_v128_store(memory, (v128_t)v);
}

/* Lanes of 64 bits to 32 first, then to 16 and to bytes. With a0 for the low word of a code and 0 for its high word:
 *
 *   c[0], c[1]              a0 0 a1 0   b0 0 b1 0       32-bit words 0 to 3, 4 to 7
 *   shuffle 0 2 4 6         a0 a1 b0 b1
 *
 * A byte store writes eight bytes: narrow is given `all` twice, and lane 0 of its result is stored. */
static ALWAYS_INLINE void store_narrow_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    (void)stream;
    v128_t low = wasm_i32x4_shuffle((v128_t)(c[0] << shift), (v128_t)(c[1] << shift), 0, 2, 4, 6);
    v128_t high = wasm_i32x4_shuffle((v128_t)(c[2] << shift), (v128_t)(c[3] << shift), 0, 2, 4, 6);
    if (bytes == 4) {
        wasm_v128_store(to, low);
        wasm_v128_store(to + BYTES, high);
        return;
    }
    v128_t all = halves(low, high);
    if (bytes == 2) {
        wasm_v128_store(to, all);
    } else {
        wasm_v128_store64_lane(to, wasm_u8x16_narrow_i16x8(all, all), 0);
    }
}

/* A vector of two codes from words of 1, 2 or 4 bytes. Those of 1 or 2 bytes are put together from two loads, as two
 * bytes have no widening load. */
static ALWAYS_INLINE lanes_64 from_bytes_64(const char *codes)
{
    return (lanes_64){bndi_get(codes, 1, 0), bndi_get(codes, 1, 1)};
}

static ALWAYS_INLINE lanes_64 from_halves_64(const char *codes)
{
    return (lanes_64){bndi_get(codes, 2, 0), bndi_get(codes, 2, 1)};
}

static ALWAYS_INLINE lanes_64 from_words_64(const char *codes)
{
    return (lanes_64)wasm_u64x2_load32x2(codes);
}

#define SHIFT     uint64_t
#define LANE_BITS 64
#include "bulk/lanes_template.h"

/* Conversions only; operations, statistics and random bits are the portable back end's. */
void bndi_fill_wasm128(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
}
