/* Random bits for AVX-512: eight blocks of Philox4x32-10 at a time, a word of each in a lane of 64 bits. */
#include "bulk/avx512.h"

enum { PHILOX_ROUNDS = 10 };

typedef struct philox {
    __m512i key[PHILOX_ROUNDS][2], purpose[2];
} philox;

static void set_philox(philox *p, uint64_t seed, uint64_t purpose)
{
    const uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85; /* of the generator's definition */
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (size_t i = 0; i < PHILOX_ROUNDS; i++, k0 += weyl_0, k1 += weyl_1) {
        p->key[i][0] = _mm512_set1_epi64(k0);
        p->key[i][1] = _mm512_set1_epi64(k1);
    }
    p->purpose[0] = _mm512_set1_epi64((int64_t)(purpose & 0xffffffff));
    p->purpose[1] = _mm512_set1_epi64((int64_t)(purpose >> 32));
}

static ALWAYS_INLINE void philox_round(__m512i x[4], const __m512i key[2])
{
    __m512i p0 = _mm512_mul_epu32(x[0], _mm512_set1_epi64(0xD2511F53)); /* the upper halves of lanes do not matter */
    __m512i p1 = _mm512_mul_epu32(x[2], _mm512_set1_epi64(0xCD9E8D57));
    x[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), x[1], key[0], 0x96);
    x[1] = p1;
    x[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), x[3], key[1], 0x96);
    x[3] = p0;
}

/* The words of a block as they lie in memory, `mask` over each. Lanes 0, 2, 4, 6 have blocks 0 to 3: so unpacking puts
 * them in order. */
static ALWAYS_INLINE void store_blocks(char *out, const __m512i x[4], __m512i mask)
{
    __m512i low = _mm512_mask_shuffle_epi32(x[0], 0xaaaa, x[1], _MM_PERM_CCAA);
    __m512i high = _mm512_mask_shuffle_epi32(x[2], 0xaaaa, x[3], _MM_PERM_CCAA);
    _mm512_storeu_si512(out, _mm512_and_si512(_mm512_unpacklo_epi64(low, high), mask));
    _mm512_storeu_si512(out + 64, _mm512_and_si512(_mm512_unpackhi_epi64(low, high), mask));
}

/* CHAINS times eight blocks from number `block` on: a round waits for its multiplications, so several go side by
 * side. */
enum { CHAINS = 4, AT_ONCE = CHAINS * 128 };

static ALWAYS_INLINE void store_random(char *out, const philox *p, uint64_t block, __m512i mask)
{
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    __m512i x[CHAINS][4];
    UNROLL
    for (size_t i = 0; i < CHAINS; i++) {
        x[i][0] = _mm512_add_epi64(_mm512_set1_epi64((int64_t)(block + 8 * i)), order);
        x[i][1] = _mm512_srli_epi64(x[i][0], 32);
        x[i][2] = p->purpose[0];
        x[i][3] = p->purpose[1];
    }
#pragma GCC unroll 10
    for (size_t round = 0; round < PHILOX_ROUNDS; round++) {
        UNROLL
        for (size_t i = 0; i < CHAINS; i++) {
            philox_round(x[i], p->key[round]);
        }
    }
    UNROLL
    for (size_t i = 0; i < CHAINS; i++) {
        store_blocks(out + i * 128, x[i], mask);
    }
}

/* Entries of 2, 4 or 8 bytes are the fields of blocks in their order: the blocks themselves, masked. */
void bndi_random_avx512(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    enum { BLOCK = 16 };
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8, in_a_block = BLOCK / bytes;
    const size_t head = (in_a_block - first % in_a_block) % in_a_block;
    if (n <= head || n > UINT64_MAX - first) { /* or past the last element there can be, and on from the first */
        bndi_random(out, n, seed, purpose, first, bits);
        return;
    }
    bndi_random(out, head, seed, purpose, first, bits);
    const __m512i mask = bytes == 2   ? _mm512_set1_epi16((short)(0xffff >> (16 - bits)))
                         : bytes == 4 ? _mm512_set1_epi32((int)(0xffffffff >> (32 - bits)))
                                      : _mm512_set1_epi64((int64_t)(UINT64_MAX >> (64 - bits)));
    philox p;
    set_philox(&p, seed, purpose);
    char *to = (char *)out + head * bytes;
    uint64_t block = (first + head) / in_a_block;
    size_t left = (n - head) * bytes;
    for (; left >= AT_ONCE; left -= AT_ONCE, to += AT_ONCE, block += AT_ONCE / BLOCK) {
        store_random(to, &p, block, mask);
    }
    if (left > 0) {
        char last[AT_ONCE];
        store_random(last, &p, block, mask);
        __builtin_memcpy(to, last, left);
    }
}
