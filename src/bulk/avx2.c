/* The back end for AVX2, with F16C and BMI2: 8 numbers of fp32 or 4 of fp64 at a time. What it fills in beside the
 * vector kernels is AVX-512's too. */
#include <immintrin.h>

#include "bulk/bulk.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOT_INLINE    __attribute__((noinline))
#define UNROLL        _Pragma("GCC unroll 4")

enum { GROUP = 4 };
#define BYTES 32

/* ---- what the instruction set says better than the compiler's vectors, for lanes of 32 bits ---- */

typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (a & mask) | (b & ~mask);
}

static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    __m256i above = _mm256_xor_si256(_mm256_max_epu32((__m256i)a, (__m256i)b), (__m256i)b);
    return !_mm256_testz_si256(above, above);
}

static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    _mm256_stream_si256(memory, (__m256i)v);
}

static ALWAYS_INLINE void put(void *memory, __m256i v, bool stream)
{
    if (stream) {
        _mm256_stream_si256(memory, v);
    } else {
        _mm256_storeu_si256(memory, v);
    }
}

/* Packing works within halves of a vector: their words of 32 or 64 bits are put in order at the end. */
static ALWAYS_INLINE void store_bytes(void *memory, const lanes_32 *c, bool stream)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_packus_epi32((__m256i)c[0], (__m256i)c[1]);
    __m256i high = _mm256_packus_epi32((__m256i)c[2], (__m256i)c[3]);
    put(memory, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order), stream);
}

static ALWAYS_INLINE __m256i halves(__m256i a, __m256i b)
{
    enum { ORDER = 0xd8 }; /* 0, 2, 1, 3 */
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), ORDER);
}

static ALWAYS_INLINE void store_codes_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    switch (bytes) {
    case 1:
        store_bytes(memory, c, stream);
        break;
    case 2:
        put(to, halves((__m256i)c[0], (__m256i)c[1]), stream);
        put(to + BYTES, halves((__m256i)c[2], (__m256i)c[3]), stream);
        break;
    default:
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            put(to + i * BYTES, (__m256i)(c[i] << shift), stream);
        }
        break;
    }
}

static ALWAYS_INLINE void load_some_32(lanes_32 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    if (bytes == 1) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(from + i * 8)));
        }
    } else if (bytes == 2) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(from + i * 16)));
        }
    } else {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_loadu_si256((const void *)(from + i * 32));
        }
    }
}

#define WORD     uint32_t
#define SIGNED   int32_t
#define FLOAT    float
#define FRACTION 23
#define NAME(x)  x##_32
#include "bulk/lanes.h"
#undef WORD
#undef SIGNED
#undef FLOAT
#undef FRACTION
#undef NAME

/* ---- and of 64 ---- */

typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (a & mask) | (b & ~mask);
}

/* Of exponent fields in place, which are powers of two, zero or infinity. */
static ALWAYS_INLINE lanes_64 max_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm256_max_pd((__m256d)a, (__m256d)b);
}

static ALWAYS_INLINE __m256i above_64(lanes_64 a, lanes_64 b)
{
    const lanes_64 sign = (lanes_64){0} + (UINT64_C(1) << 63); /* there are only signed comparisons */
    return _mm256_cmpgt_epi64((__m256i)(a ^ sign), (__m256i)(b ^ sign));
}

static ALWAYS_INLINE lanes_64 umax_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, above_64(a, b));
}

static ALWAYS_INLINE bool any_above_64(lanes_64 a, lanes_64 b)
{
    return _mm256_movemask_epi8(above_64(a, b)) != 0;
}

static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    _mm256_stream_si256(memory, (__m256i)v);
}

/* The lower words of eight lanes, in order. */
static ALWAYS_INLINE __m256i lower_words(lanes_64 a, lanes_64 b)
{
    enum { EVEN = 0x88, ORDER = 0xd8 };
    __m256 words = _mm256_shuffle_ps((__m256)a, (__m256)b, EVEN);
    return _mm256_permute4x64_epi64((__m256i)words, ORDER);
}

static ALWAYS_INLINE void store_codes_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    if (bytes == 8) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            put(to + i * BYTES, (__m256i)(c[i] << shift), stream);
        }
        return;
    }
    __m256i low = lower_words(c[0] << shift, c[1] << shift), high = lower_words(c[2] << shift, c[3] << shift);
    if (bytes == 4) {
        put(to, low, stream);
        put(to + BYTES, high, stream);
        return;
    }
    __m256i all = halves(low, high);
    if (bytes == 2) {
        put(to, all, stream);
    } else {
        __m128i narrow = _mm_packus_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        _mm_storeu_si128((void *)to, narrow);
    }
}

static ALWAYS_INLINE __m128i load_4(const void *memory)
{
    int32_t word;
    __builtin_memcpy(&word, memory, sizeof word);
    return _mm_cvtsi32_si128(word);
}

static ALWAYS_INLINE void load_some_64(lanes_64 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    UNROLL
    for (size_t i = 0; i < count; i++) {
        switch (bytes) {
        case 1:
            c[i] = (lanes_64)_mm256_cvtepu8_epi64(load_4(from + i * 4));
            break;
        case 2:
            c[i] = (lanes_64)_mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)(from + i * 8)));
            break;
        case 4:
            c[i] = (lanes_64)_mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(from + i * 16)));
            break;
        default:
            c[i] = (lanes_64)_mm256_loadu_si256((const void *)(from + i * 32));
            break;
        }
    }
}

#define WORD     uint64_t
#define SIGNED   int64_t
#define FLOAT    double
#define FRACTION 52
#define NAME(x)  x##_64
#include "bulk/lanes.h"
#undef WORD
#undef SIGNED
#undef FLOAT
#undef FRACTION
#undef NAME

/* ---- random bits ---- */

/* Philox4x32-10. Four blocks stand in four vectors: word i of each in the lower halves of the lanes of vector i. What
 * stands in the upper halves never comes down: _mm256_mul_epu32 does not look there. A round of a block waits for the
 * round before; twelve blocks at a time keep the multipliers busy. */
enum { FOURS = 3, BLOCKS = 4 * FOURS };

/* The keys of the rounds, and once more those of the eleventh, which is not made. */
enum { ROUNDS = 10 };

typedef struct round_keys {
    __m256i of[ROUNDS + 1][2];
} round_keys;

static void set_keys(round_keys *keys, uint64_t seed)
{
    uint32_t key_0 = (uint32_t)seed, key_1 = (uint32_t)(seed >> 32);
    for (int i = 0; i <= ROUNDS; i++) {
        keys->of[i][0] = _mm256_set1_epi64x(key_0);
        keys->of[i][1] = _mm256_set1_epi64x(key_1);
        key_0 += 0x9E3779B9;
        key_1 += 0xBB67AE85;
    }
}

static ALWAYS_INLINE void meet_keys(__m256i words[FOURS][4], const __m256i keys[2])
{
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        words[j][1] = _mm256_xor_si256(words[j][1], keys[0]);
        words[j][3] = _mm256_xor_si256(words[j][3], keys[1]);
    }
}

/* Words 1 and 3 meet the keys of a round in advance, off the way from product to product. */
static ALWAYS_INLINE void philox(__m256i words[FOURS][4], const round_keys *keys)
{
    const __m256i multiplier_0 = _mm256_set1_epi64x(0xD2511F53), multiplier_1 = _mm256_set1_epi64x(0xCD9E8D57);
    meet_keys(words, keys->of[0]);
    for (int i = 1; i <= ROUNDS; i++) {
        UNROLL
        for (size_t j = 0; j < FOURS; j++) {
            __m256i *w = words[j];
            __m256i product_0 = _mm256_mul_epu32(multiplier_0, w[0]);
            __m256i product_1 = _mm256_mul_epu32(multiplier_1, w[2]);
            w[0] = _mm256_xor_si256(_mm256_srli_epi64(product_1, 32), w[1]);
            w[2] = _mm256_xor_si256(_mm256_srli_epi64(product_0, 32), w[3]);
            w[1] = _mm256_xor_si256(product_1, keys->of[i][0]);
            w[3] = _mm256_xor_si256(product_0, keys->of[i][1]);
        }
    }
    meet_keys(words, keys->of[ROUNDS]);
}

/* The blocks from `block` on as they lie in memory. The lanes of four hold blocks 0, 2, 1, 3, so that unpacking puts
 * them in order. */
static ALWAYS_INLINE void random_blocks(void *out, const round_keys *keys, uint64_t purpose, uint64_t block,
                                        __m256i mask)
{
    enum { ODD = 0xaa };
    char *to = out;
    __m256i words[FOURS][4];
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        words[j][0] = (__m256i)((lanes_64){0, 2, 1, 3} + (block + 4 * j));
        words[j][1] = _mm256_srli_epi64(words[j][0], 32);
        words[j][2] = _mm256_set1_epi64x((long long)purpose);
        words[j][3] = _mm256_set1_epi64x((long long)(purpose >> 32));
    }
    philox(words, keys);
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        __m256i low = _mm256_blend_epi32(words[j][0], _mm256_slli_epi64(words[j][1], 32), ODD);
        __m256i high = _mm256_blend_epi32(words[j][2], _mm256_slli_epi64(words[j][3], 32), ODD);
        put(to + 2 * j * BYTES, _mm256_and_si256(_mm256_unpacklo_epi64(low, high), mask), false);
        put(to + (2 * j + 1) * BYTES, _mm256_and_si256(_mm256_unpackhi_epi64(low, high), mask), false);
    }
}

static void random_bits(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8, in_a_block = 16 / bytes, group = BLOCKS * in_a_block;
    const uint64_t field = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    const __m256i mask = bytes == 2   ? _mm256_set1_epi16((short)field)
                         : bytes == 4 ? _mm256_set1_epi32((int)field)
                                      : _mm256_set1_epi64x((long long)field);
    uint64_t block = first / in_a_block;
    size_t skip = first % in_a_block; /* elements of the first block that nobody asked for */
    round_keys keys;
    char *to = out;
    set_keys(&keys, seed);
    for (; n > 0; block += BLOCKS, skip = 0) {
        size_t count = n < group - skip ? n : group - skip;
        if (count == group) {
            random_blocks(to, &keys, purpose, block, mask);
        } else {
            char made[16 * BLOCKS];
            random_blocks(made, &keys, purpose, block, mask);
            __builtin_memcpy(to, made + skip * bytes, count * bytes);
        }
        to += count * bytes;
        n -= count;
    }
}

/* ---- codes back to back ---- */

/* The lowest `bits` bits of each of the words of code_bytes in 64 bits. */
static uint64_t code_fields(unsigned code_bytes, unsigned bits)
{
    uint64_t fields = 0;
    for (unsigned at = 0; at < 64; at += 8 * code_bytes) {
        fields |= ((UINT64_C(1) << bits) - 1) << at;
    }
    return fields;
}

static ALWAYS_INLINE uint64_t load_8(const void *memory)
{
    uint64_t word;
    __builtin_memcpy(&word, memory, sizeof word);
    return word;
}

/* Eight codes are as many bytes as one has bits. A step reads or writes eight bytes, some of which are the next step's,
 * and stays within what there is: the rest is left to the portable way. */
static void pack(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n)
{
    char *to = memory;
    const char *from = codes;
    if (code_bytes == 1) {
        const uint64_t fields = code_fields(1, bits);
        for (; n * bits >= 64; n -= 8, from += 8, to += bits) {
            uint64_t packed = _pext_u64(load_8(from), fields);
            __builtin_memcpy(to, &packed, sizeof packed);
        }
    }
    bndi_pack_bits(to, from, code_bytes, bits, n);
}

static void unpack(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n)
{
    const char *from = memory;
    char *to = codes;
    if (code_bytes == 1) {
        const uint64_t fields = code_fields(1, bits);
        for (; n * bits >= 64; n -= 8, from += bits, to += 8) {
            uint64_t eight = _pdep_u64(load_8(from), fields);
            __builtin_memcpy(to, &eight, sizeof eight);
        }
    }
    bndi_unpack_bits(to, from, code_bytes, bits, n);
}

/* ---- for formats that share a scale ---- */

static uint32_t largest(const void *x, size_t n)
{
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    const char *from = x;
    lanes_32 most[GROUP] = {0};
    uint32_t out;
    for (; n >= GROUP * 8; n -= GROUP * 8, from += GROUP * BYTES) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            __m256i v = _mm256_loadu_si256((const void *)(from + i * BYTES));
            most[i] = umax_32(most[i], (lanes_32)_mm256_and_si256(v, magnitude));
        }
    }
    out = bndi_largest(from, n);
    most[0] = umax_32(umax_32(most[0], most[1]), umax_32(most[2], most[3]));
    for (size_t i = 0; i < 8; i++) {
        out = most[0][i] > out ? most[0][i] : out;
    }
    return out;
}

static void scale(void *y, const void *x, float factor, size_t n)
{
    const __m256 factors = _mm256_set1_ps(factor);
    const char *from = x;
    char *to = y;
    for (; n >= 8; n -= 8, from += BYTES, to += BYTES) {
        __m256 v = _mm256_loadu_ps((const void *)from);
        _mm256_storeu_ps((void *)to, _mm256_mul_ps(v, factors));
    }
    bndi_scale(to, from, factor, n);
}

void bndi_fill_avx2(bndi_kernels *kernels)
{
    kernels->round[BNDI_WORDS_32] = round_32;
    kernels->round[BNDI_WORDS_64] = round_64;
    kernels->encode[BNDI_WORDS_32] = encode_32;
    kernels->encode[BNDI_WORDS_64] = encode_64;
    kernels->decode[BNDI_WORDS_32] = decode_32;
    kernels->decode[BNDI_WORDS_64] = decode_64;
    kernels->random = random_bits;
    kernels->pack = pack;
    kernels->unpack = unpack;
    kernels->largest = largest;
    kernels->scale = scale;
}
