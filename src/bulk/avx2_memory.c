/* Packed codes by BMI2, and what blocks with a scale need, for AVX2. */
#include "bulk/avx2.h"

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
void bndi_pack_avx2(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n)
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

void bndi_unpack_avx2(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n)
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

uint32_t bndi_largest_avx2(const void *x, size_t n)
{
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    enum { GROUP = 4 };
    const char *from = x;
    __m256i most[GROUP] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                           _mm256_setzero_si256()};
    for (; n >= GROUP * 8; n -= GROUP * 8, from += GROUP * BYTES) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            __m256i v = _mm256_loadu_si256((const void *)(from + i * BYTES));
            most[i] = _mm256_max_epu32(most[i], _mm256_and_si256(v, magnitude));
        }
    }
    uint32_t rest = bndi_largest(from, n), each[8];
    __m256i all = _mm256_max_epu32(_mm256_max_epu32(most[0], most[1]), _mm256_max_epu32(most[2], most[3]));
    _mm256_storeu_si256((void *)each, all);
    for (size_t i = 0; i < 8; i++) {
        rest = each[i] > rest ? each[i] : rest;
    }
    return rest;
}

void bndi_scale_avx2(void *y, const void *x, float factor, size_t n)
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
