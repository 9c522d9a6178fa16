/* The random bits of stochastic rounding for AVX2: Philox4x32-10, twelve blocks at a time. A block is four words of 32
 * bits made from a counter (the block's number and the purpose) and a key (the seed) in ten rounds of two 32 x 32 bit
 * products.
 *
 * A round of a block waits for the round before, so three fours of blocks are computed side by side to keep the
 * multipliers busy. Word i of four blocks is in the lower halves of the 64-bit lanes of vector i. _mm256_mul_epu32
 * reads only the lower halves, so the upper ones never matter:
 *
 *   words[j][0]   -- w0 of block 0 | -- w0 of block 2 | -- w0 of block 1 | -- w0 of block 3
 *   words[j][1]   -- w1            | -- w1            | -- w1            | -- w1
 *   a round       product 0 = w0 * D2511F53, product 1 = w2 * CD9E8D57 (64 bits each)
 *                 w0' = high(product 1) ^ w1 ^ key 0        w1' = low(product 1)
 *                 w2' = high(product 0) ^ w3 ^ key 1        w3' = low(product 0)
 *
 * With seed 0 and purpose 0, block 1 = (1, 0, 0, 0) becomes (0, 0, 0, d2511f53) after one round, and after ten
 * (f8e4cca4, 5cb200db, b1a574eb, 097eff67), so the first entries of 16 bits of elements 8 to 15 are its halves, lowest
 * first.
 *
 * The order 0, 2, 1, 3 makes the unpacking at the end, which works within halves of a vector, put blocks in their
 * order. */
#include "bulk/avx2.h"

enum { FOURS = 3, BLOCKS = 4 * FOURS, BLOCK_BYTES = 16, ROUNDS = 10 };

/* What all blocks of a call have in common: the keys of the rounds, which go up by a constant, and what is the same in
 * the first round of each. With block number n it is
 *
 *   w0' = high(n) ^ [high(CD9E8D57 purpose) ^ key 0]        w1' = [low(CD9E8D57 purpose)]
 *   w2' = high(low(n) D2511F53) ^ [high(purpose) ^ key 1]   w3' = low(low(n) D2511F53)
 *
 * of which the bracketed parts are `first`. Words 1 and 3 are XORed with the keys of the next round as soon as they are
 * made, off the path from product to product: no word waits for its key. */
typedef struct philox_call {
    __m256i of[ROUNDS][2], first[3], mask, last;
} philox_call;

static const uint64_t MULTIPLIER_0 = 0xD2511F53, MULTIPLIER_1 = 0xCD9E8D57;

/* Entries of `bits` bits. `last`: the largest number of a block, which wraps around with that of its elements. `mask`:
 * the bits of each entry, in all of them. */
static void set_call(philox_call *call, uint64_t seed, uint64_t purpose, unsigned bits)
{
    uint32_t key_0 = (uint32_t)seed, key_1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < ROUNDS; i++) {
        call->of[i][0] = _mm256_set1_epi64x(key_0);
        call->of[i][1] = _mm256_set1_epi64x(key_1);
        key_0 += 0x9E3779B9;
        key_1 += 0xBB67AE85;
    }
    const uint64_t product = (purpose & UINT32_MAX) * MULTIPLIER_1,
                   field = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    call->first[0] = _mm256_xor_si256(_mm256_set1_epi64x((long long)(product >> 32)), call->of[0][0]);
    call->first[1] = _mm256_xor_si256(_mm256_set1_epi64x((long long)(product & UINT32_MAX)), call->of[1][0]);
    call->first[2] = _mm256_xor_si256(_mm256_set1_epi64x((long long)(purpose >> 32)), call->of[0][1]);
    call->mask = bits <= 16   ? _mm256_set1_epi16((short)field)
                 : bits <= 32 ? _mm256_set1_epi32((int)field)
                              : _mm256_set1_epi64x((long long)field);
    call->last = _mm256_set1_epi64x((long long)(UINT64_MAX / (bits <= 16 ? 8 : bits <= 32 ? 4 : 2)));
}

/* From numbers of blocks, in word 0, to their words. The first and the last of the ten rounds have fewer operations: 6
 * and 6 instead of 8 for four blocks. */
static ALWAYS_INLINE void philox(__m256i words[FOURS][4], const philox_call *call)
{
    const __m256i multiplier_0 = _mm256_set1_epi64x((long long)MULTIPLIER_0);
    const __m256i multiplier_1 = _mm256_set1_epi64x((long long)MULTIPLIER_1);
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        __m256i *w = words[j];
        const __m256i product = _mm256_mul_epu32(multiplier_0, w[0]);
        w[0] = _mm256_xor_si256(_mm256_srli_epi64(w[0], 32), call->first[0]);
        w[1] = call->first[1];
        w[2] = _mm256_xor_si256(_mm256_srli_epi64(product, 32), call->first[2]);
        w[3] = _mm256_xor_si256(product, call->of[1][1]);
    }
    for (int i = 2; i < ROUNDS; i++) {
        UNROLL
        for (size_t j = 0; j < FOURS; j++) {
            __m256i *w = words[j];
            const __m256i product_0 = _mm256_mul_epu32(multiplier_0, w[0]);
            const __m256i product_1 = _mm256_mul_epu32(multiplier_1, w[2]);
            w[0] = _mm256_xor_si256(_mm256_srli_epi64(product_1, 32), w[1]);
            w[2] = _mm256_xor_si256(_mm256_srli_epi64(product_0, 32), w[3]);
            w[1] = _mm256_xor_si256(product_1, call->of[i][0]);
            w[3] = _mm256_xor_si256(product_0, call->of[i][1]);
        }
    }
    UNROLL
    for (size_t j = 0; j < FOURS; j++) { /* the last round, after which no key is met */
        __m256i *w = words[j];
        const __m256i product_0 = _mm256_mul_epu32(multiplier_0, w[0]);
        const __m256i product_1 = _mm256_mul_epu32(multiplier_1, w[2]);
        w[0] = _mm256_xor_si256(_mm256_srli_epi64(product_1, 32), w[1]);
        w[2] = _mm256_xor_si256(_mm256_srli_epi64(product_0, 32), w[3]);
        w[1] = product_1;
        w[3] = product_0;
    }
}

/* Twelve blocks as they lie in memory, from their numbers in word 0. A blend joins words 0 and 1, and 2 and 3, to 64
 * bits; unpacking joins those to blocks of 16 bytes. */
static ALWAYS_INLINE void store_blocks(char *to, __m256i words[FOURS][4], const philox_call *call)
{
    enum { ODD = 0xaa };
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        words[j][0] = _mm256_and_si256(words[j][0], call->last);
    }
    philox(words, call);
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        const __m256i low = _mm256_blend_epi32(words[j][0], _mm256_slli_epi64(words[j][1], 32), ODD);
        const __m256i high = _mm256_blend_epi32(words[j][2], _mm256_slli_epi64(words[j][3], 32), ODD);
        bndi_put_32_bytes(to + 2 * j * BYTES, _mm256_and_si256(_mm256_unpacklo_epi64(low, high), call->mask), false);
        bndi_put_32_bytes(to + (2 * j + 1) * BYTES, _mm256_and_si256(_mm256_unpackhi_epi64(low, high), call->mask),
                          false);
    }
}

/* Four neighbours from `block` on, in the order in which unpacking wants them. From 8 on:
 *
 *   8, 10, 9, 11 */
static ALWAYS_INLINE __m256i four_from(uint64_t block)
{
    return _mm256_add_epi64(_mm256_set1_epi64x((long long)block), _mm256_setr_epi64x(0, 2, 1, 3));
}

/* Twelve neighbours, which are what a row of an array needs. */
static ALWAYS_INLINE void random_blocks(void *out, const philox_call *call, uint64_t block)
{
    __m256i words[FOURS][4];
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        words[j][0] = four_from(block + 4 * j);
    }
    store_blocks(out, words, call);
}

/* Twelve blocks whose numbers are in a list, in the order that store_blocks wants. */
static ALWAYS_INLINE void listed_blocks(void *out, const philox_call *call, const uint64_t *blocks)
{
    enum { ORDER = 0xd8 }; /* 0, 2, 1, 3 */
    __m256i words[FOURS][4];
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        const __m256i numbers = _mm256_loadu_si256((const __m256i *)(const void *)(blocks + 4 * j));
        words[j][0] = _mm256_permute4x64_epi64(numbers, ORDER);
    }
    store_blocks(out, words, call);
}

/* Entries of 2, 4 or 8 bytes are the fields of consecutive blocks, masked. A call may begin and end within a block:
 * such groups are made on the stack and their part is copied. */
void bndi_random_avx2(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8, in_a_block = BLOCK_BYTES / bytes;
    const unsigned group = BLOCKS * in_a_block;
    uint64_t block = first / in_a_block;
    size_t skip = first % in_a_block; /* elements of the first block that come before `first` */
    philox_call call;
    char *to = out;
    set_call(&call, seed, purpose, bits);
    for (; n > 0; block += BLOCKS, skip = 0) {
        const size_t count = n < group - skip ? n : group - skip;
        if (count == group) {
            random_blocks(to, &call, block);
        } else {
            char made[BLOCK_BYTES * BLOCKS];
            random_blocks(made, &call, block);
            __builtin_memcpy(to, made + skip * bytes, count * bytes);
        }
        to += count * bytes;
        n -= count;
    }
}

/* Blocks by a list of their numbers, as products need them (by_sums.c). The list ends within twelve: the rest is made
 * on the stack. */
void bndi_random_blocks_avx2(void *out, const uint64_t *blocks, size_t n, uint64_t seed, uint64_t purpose,
                             unsigned bits)
{
    philox_call call;
    char *to = out;
    set_call(&call, seed, purpose, bits);
    for (; n >= BLOCKS; n -= BLOCKS, blocks += BLOCKS, to += BLOCKS * BLOCK_BYTES) {
        listed_blocks(to, &call, blocks);
    }
    if (n > 0) {
        uint64_t rest[BLOCKS] = {0};
        char made[BLOCKS * BLOCK_BYTES];
        __builtin_memcpy(rest, blocks, n * sizeof *blocks);
        listed_blocks(made, &call, rest);
        __builtin_memcpy(to, made, n * BLOCK_BYTES);
    }
}

/* ---- runs ---- */

/* Where the next four blocks of a product are: `left` fours of a run, which is number `row` of a step. Runs of 8
 * blocks, rows 100 apart and steps 1000 apart, two rows:
 *
 *   fours begin at    0, 4, 100, 104;  1000, 1004, 1100, 1104;  2000 ... */
typedef struct place_in_runs {
    uint64_t step, run, block;
    size_t row, left;
} place_in_runs;

/* Its numbers, and on to the next one. */
static ALWAYS_INLINE __m256i next_four(place_in_runs *at, const bndi_runs *runs)
{
    const __m256i numbers = four_from(at->block);
    at->block += 4;
    if (--at->left == 0) {
        at->left = runs->run / 4;
        at->block = at->run += runs->row;
        if (++at->row == runs->rows) {
            at->row = 0;
            at->block = at->run = at->step += runs->step;
        }
    }
    return numbers;
}

/* Runs of neighbours need no list: a product is 10 to 15 % faster for it. Up to eight blocks more are made than are
 * asked for, since twelve are made at once. Numbers that wrap around are left to the list, which takes their remainders
 * as the elements do. */
bool bndi_random_runs_avx2(void *out, const bndi_runs *runs, uint64_t seed, uint64_t purpose, unsigned bits)
{
    const size_t blocks = runs->rows * runs->steps * runs->run;
    const uint64_t last = runs->first + (runs->rows - 1) * runs->row + (runs->steps - 1) * runs->step + runs->run - 1;
    if (last < runs->first) {
        return false;
    }
    place_in_runs at = {.step = runs->first, .run = runs->first, .block = runs->first, .left = runs->run / 4};
    philox_call call;
    char *to = out;
    set_call(&call, seed, purpose, bits);
    for (size_t done = 0; done < blocks; done += BLOCKS, to += BLOCKS * BLOCK_BYTES) {
        __m256i words[FOURS][4];
        UNROLL
        for (size_t j = 0; j < FOURS; j++) {
            words[j][0] = next_four(&at, runs);
        }
        store_blocks(to, words, &call);
    }
    return true;
}
