/* Packed codes for AVX2, by BMI2: codes of 3 to 15 bits in bytes or 16-bit words to codes back to back, and the
 * reverse. Eight codes are as many bytes as one code has bits, so groups of eight begin and end at whole bytes.
 *
 * PEXT gathers the bits of a word that a mask selects, PDEP spreads them again. Eight codes of 6 bits, 1 to 8, in one
 * word (the first code is the lowest byte):
 *
 *   codes            08 07 06 05 04 03 02 01
 *   fields           3f 3f 3f 3f 3f 3f 3f 3f       the low 6 bits of each byte
 *   pext             0000 20 71 85 10 30 81        6 bytes
 *   bits             001000 000111 000110 000101 000100 000011 000010 000001
 *
 * Codes of 4 bits, the commonest, go by vectors, two to a byte. */
#include "bulk/avx2.h"

/* ---- codes back to back ---- */

/* The mask for PEXT and PDEP: the lowest `bits` bits of each word of code_bytes in 64 bits. 12 bits in words of two
 * bytes: 0fff0fff0fff0fff. */
static uint64_t code_fields(unsigned code_bytes, unsigned bits)
{
    uint64_t fields = 0;
    for (unsigned at = 0; at < 64; at += 8 * code_bytes) {
        fields |= ((UINT64_C(1) << bits) - 1) << at;
    }
    return fields;
}

/* Eight bytes, from anywhere. The lowest address holds the lowest byte, so the first code is in the lowest bits. */
static ALWAYS_INLINE uint64_t load_8(const void *memory)
{
    uint64_t word;
    __builtin_memcpy(&word, memory, sizeof word);
    return word;
}

/* Eight packed codes: of up to 8 bits they fit one word, of up to 16 bits they take two. */
typedef struct eight {
    uint64_t word[2];
} eight;

/* Words of two bytes come four at a time: `held` bits from the first four, the rest joined above them. A shift by 64 -
 * held is never by 64, as held is 36 to 60. */
static ALWAYS_INLINE eight packed_eight(const char *codes, unsigned code_bytes, unsigned bits, uint64_t fields)
{
    uint64_t low = _pext_u64(load_8(codes), fields);
    if (code_bytes == 1) {
        return (eight){{low, 0}};
    }
    const unsigned held = 4 * bits; /* 36 to 60 */
    uint64_t high = _pext_u64(load_8(codes + 8), fields);
    return (eight){{low | high << held, high >> (64 - held)}};
}

/* The reverse: the bits of the upper four codes are joined from two words. */
static ALWAYS_INLINE eight unpacked_eight(eight packed, unsigned code_bytes, unsigned bits, uint64_t fields)
{
    uint64_t low = _pdep_u64(packed.word[0], fields);
    if (code_bytes == 1) {
        return (eight){{low, 0}};
    }
    const unsigned held = 4 * bits;
    uint64_t high = packed.word[0] >> held | packed.word[1] << (64 - held);
    return (eight){{low, _pdep_u64(high, fields)}};
}

/* While at least 64 code_bytes bits are left, a step writes whole words, whose top belongs to the next step and is
 * overwritten by it; that saves a copy of a variable length. Then groups of eight with their exact length; then the
 * portable code for the last few. */
static ALWAYS_INLINE void pack(char *to, const char *from, unsigned code_bytes, unsigned bits, size_t n)
{
    const uint64_t fields = code_fields(code_bytes, bits);
    for (; n * bits >= 64 * code_bytes; n -= 8, from += 8 * code_bytes, to += bits) {
        eight packed = packed_eight(from, code_bytes, bits, fields);
        __builtin_memcpy(to, &packed, 8 * code_bytes);
    }
    for (; n >= 8; n -= 8, from += 8 * code_bytes, to += bits) {
        eight packed = packed_eight(from, code_bytes, bits, fields);
        __builtin_memcpy(to, &packed, bits);
    }
    bndi_pack_bits(to, from, code_bytes, bits, n);
}

/* The same for the other direction, where a step reads beyond its eight codes. */
static ALWAYS_INLINE void unpack(char *to, const char *from, unsigned code_bytes, unsigned bits, size_t n)
{
    const uint64_t fields = code_fields(code_bytes, bits);
    eight packed = {{0, 0}};
    for (; n * bits >= 64 * code_bytes; n -= 8, from += bits, to += 8 * code_bytes) {
        __builtin_memcpy(&packed, from, 8 * code_bytes);
        eight codes = unpacked_eight(packed, code_bytes, bits, fields);
        __builtin_memcpy(to, &codes, 8 * code_bytes);
    }
    for (; n >= 8; n -= 8, from += bits, to += 8 * code_bytes) {
        __builtin_memcpy(&packed, from, bits);
        eight codes = unpacked_eight(packed, code_bytes, bits, fields);
        __builtin_memcpy(to, &codes, 8 * code_bytes);
    }
    bndi_unpack_bits(to, from, code_bytes, bits, n);
}

/* 64 codes of 4 bits to 32 bytes. maddubs multiplies bytes by 1 and 16 and adds neighbours: 1 + 2 * 16 = 21 (hex) for
 * the codes 1 and 2. Returns how many codes were done. */
static size_t pack_fours(char *to, const char *from, size_t n)
{
    const __m256i weights = _mm256_set1_epi16(1 | 16 << 8), code = _mm256_set1_epi8(15);
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        __m256i a = _mm256_and_si256(_mm256_loadu_si256((const void *)(from + at)), code);
        __m256i b = _mm256_and_si256(_mm256_loadu_si256((const void *)(from + at + 32)), code);
        /* Bytes in 16-bit words, to bytes; the permutation puts the quarters in order. */
        __m256i both = _mm256_packus_epi16(_mm256_maddubs_epi16(a, weights), _mm256_maddubs_epi16(b, weights));
        _mm256_storeu_si256((void *)(to + at / 2), _mm256_permute4x64_epi64(both, 0xd8));
    }
    return at;
}

/* The reverse: the low and the high four bits of each byte, interleaved. The permutation beforehand makes up for
 * unpacklo and unpackhi, which work within halves. The byte 21 gives 01 and 02: the srli moves bits of the neighbouring
 * byte in, too, which `code` clears. */
static size_t unpack_fours(char *to, const char *from, size_t n)
{
    const __m256i code = _mm256_set1_epi8(15);
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        __m256i both = _mm256_permute4x64_epi64(_mm256_loadu_si256((const void *)(from + at / 2)), 0xd8);
        __m256i even = _mm256_and_si256(both, code), odd = _mm256_and_si256(_mm256_srli_epi16(both, 4), code);
        _mm256_storeu_si256((void *)(to + at), _mm256_unpacklo_epi8(even, odd));
        _mm256_storeu_si256((void *)(to + at + 32), _mm256_unpackhi_epi8(even, odd));
    }
    return at;
}

/* The kernels of the table; wider codes are the portable ones'. */
void bndi_pack_avx2(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n)
{
    if (code_bytes == 1) {
        size_t done = bits == 4 ? pack_fours(memory, codes, n) : 0;
        pack((char *)memory + done / 2, (const char *)codes + done, 1, bits, n - done);
    } else if (code_bytes == 2) {
        pack(memory, codes, 2, bits, n);
    } else {
        bndi_pack_bits(memory, codes, code_bytes, bits, n);
    }
}

/* The same for the other direction. */
void bndi_unpack_avx2(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n)
{
    if (code_bytes == 1) {
        size_t done = bits == 4 ? unpack_fours(codes, memory, n) : 0;
        unpack((char *)codes + done, (const char *)memory + done / 2, 1, bits, n - done);
    } else if (code_bytes == 2) {
        unpack(codes, memory, 2, bits, n);
    } else {
        bndi_unpack_bits(codes, memory, code_bytes, bits, n);
    }
}
