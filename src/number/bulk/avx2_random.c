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

/* Philox4x32-10. Four blocks are in four vectors: word i of each in the lower halves of the lanes of vector i. The
 * upper halves never affect the lower ones: _mm256_mul_epu32 does not read them. A round of a block waits for the round
 * before; twelve blocks at a time keep the multipliers busy. */
enum { FOURS = 3, BLOCKS = 4 * FOURS };

/* The keys of the rounds, and once more those of the eleventh, which is not made. */
enum { ROUNDS = 10 };

/* The keys of the rounds: they go up by a constant. One more pair is stored for the eleventh round, which is not made.
 */
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

/* XOR with a round's keys. Applied twice it cancels, which the last call below uses. */
static ALWAYS_INLINE void meet_keys(__m256i words[FOURS][4], const __m256i keys[2])
{
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        words[j][1] = _mm256_xor_si256(words[j][1], keys[0]);
        words[j][3] = _mm256_xor_si256(words[j][3], keys[1]);
    }
}

/* Words 1 and 3 are XORed with the keys of the next round as soon as they are made, off the path from product to
 * product: no word waits for its key. After the last round the keys of the eleventh are removed by a second XOR.
 * */
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

/* The words of four blocks before the first round, from their numbers in the order 0, 2, 1, 3. */
static ALWAYS_INLINE void begin_words(__m256i words[4], __m256i numbers, uint64_t purpose)
{
    words[0] = numbers;
    words[1] = _mm256_srli_epi64(numbers, 32);
    words[2] = _mm256_set1_epi64x((long long)purpose);
    words[3] = _mm256_set1_epi64x((long long)(purpose >> 32));
}

/* The rounds, and twelve blocks as they lie in memory. `mask`: the bits of each entry. A blend joins words 0 and 1, and
 * 2 and 3, to 64 bits; unpacking joins those to blocks of 16 bytes. */
static ALWAYS_INLINE void finish_words(void *out, __m256i words[FOURS][4], const round_keys *keys, __m256i mask)
{
    enum { ODD = 0xaa };
    char *to = out;
    philox(words, keys);
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        __m256i low = _mm256_blend_epi32(words[j][0], _mm256_slli_epi64(words[j][1], 32), ODD);
        __m256i high = _mm256_blend_epi32(words[j][2], _mm256_slli_epi64(words[j][3], 32), ODD);
        bndi_put_32_bytes(to + 2 * j * BYTES, _mm256_and_si256(_mm256_unpacklo_epi64(low, high), mask), false);
        bndi_put_32_bytes(to + (2 * j + 1) * BYTES, _mm256_and_si256(_mm256_unpackhi_epi64(low, high), mask), false);
    }
}

/* Twelve blocks from number `block` on. `last`: the largest block number, which wraps. */
static ALWAYS_INLINE void random_blocks(void *out, const round_keys *keys, uint64_t purpose, uint64_t block,
                                        __m256i last, __m256i mask)
{
    const __m256i order = _mm256_setr_epi64x(0, 2, 1, 3);
    __m256i words[FOURS][4];
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        const __m256i numbers = _mm256_add_epi64(_mm256_set1_epi64x((long long)(block + 4 * j)), order);
        begin_words(words[j], _mm256_and_si256(numbers, last), purpose);
    }
    finish_words(out, words, keys, mask);
}

/* Twelve blocks whose numbers are in a list. */
static ALWAYS_INLINE void listed_blocks(void *out, const round_keys *keys, uint64_t purpose, const uint64_t *blocks,
                                        __m256i last, __m256i mask)
{
    enum { ORDER = 0xd8 }; /* 0, 2, 1, 3 */
    __m256i words[FOURS][4];
    UNROLL
    for (size_t j = 0; j < FOURS; j++) {
        const __m256i numbers = _mm256_loadu_si256((const __m256i *)(const void *)(blocks + 4 * j));
        begin_words(words[j], _mm256_and_si256(_mm256_permute4x64_epi64(numbers, ORDER), last), purpose);
    }
    finish_words(out, words, keys, mask);
}

/* The bits of each entry, in all of them; and the largest number of a block: the number of an element wraps around, and
 * so does that of its block, at the same element. */
static __m256i mask_of(unsigned bits)
{
    const uint64_t field = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return bits <= 16   ? _mm256_set1_epi16((short)field)
           : bits <= 32 ? _mm256_set1_epi32((int)field)
                        : _mm256_set1_epi64x((long long)field);
}

static __m256i last_of(unsigned in_a_block)
{
    return _mm256_set1_epi64x((long long)(UINT64_MAX / in_a_block));
}

/* Entries of 2, 4 or 8 bytes are the fields of consecutive blocks, masked. A call may begin and end within a block:
 * such groups are made on the stack and their part is copied. */
void bndi_random_avx2(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8, in_a_block = 16 / bytes, group = BLOCKS * in_a_block;
    const __m256i mask = mask_of(bits), last = last_of(in_a_block);
    uint64_t block = first / in_a_block;
    size_t skip = first % in_a_block; /* elements of the first block that come before `first` */
    round_keys keys;
    char *to = out;
    set_keys(&keys, seed);
    for (; n > 0; block += BLOCKS, skip = 0) {
        size_t count = n < group - skip ? n : group - skip;
        if (count == group) {
            random_blocks(to, &keys, purpose, block, last, mask);
        } else {
            char made[16 * BLOCKS];
            random_blocks(made, &keys, purpose, block, last, mask);
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
    enum { BLOCK_BYTES = 16 };
    const unsigned in_a_block = bits <= 16 ? 8 : bits <= 32 ? 4 : 2;
    const __m256i mask = mask_of(bits), last = last_of(in_a_block);
    round_keys keys;
    char *to = out;
    set_keys(&keys, seed);
    for (; n >= BLOCKS; n -= BLOCKS, blocks += BLOCKS, to += BLOCKS * BLOCK_BYTES) {
        listed_blocks(to, &keys, purpose, blocks, last, mask);
    }
    if (n > 0) {
        uint64_t rest[BLOCKS] = {0};
        char made[BLOCKS * BLOCK_BYTES];
        __builtin_memcpy(rest, blocks, n * sizeof *blocks);
        listed_blocks(made, &keys, purpose, rest, last, mask);
        __builtin_memcpy(to, made, n * BLOCK_BYTES);
    }
}
