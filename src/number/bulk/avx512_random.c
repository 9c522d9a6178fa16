/* Random bits for AVX-512: sixteen blocks of Philox4x32-10 per step, word i of each block in the lanes of vector i.
 * avx2_random.c describes the generator and gives values of one block.
 *
 *   x[0]    w0 of block 0, 4, 8, 12 | 1, 5, 9, 13 | 2, 6, 10, 14 | 3, 7, 11, 15      32-bit lanes, quarters apart by |
 *   x[1]    w1 in the same order, x[2], x[3] likewise
 *   unpacklo_epi32(x[0], x[1])      w0 w1 of block 0, w0 w1 of block 4 | ...
 *   unpacklo_epi64(that, w2 w3)     block 0 | block 1 | block 2 | block 3            16 bytes each: the order of memory
 *
 * Products of all sixteen lanes are made in two multiplications, of even and of odd lanes (`multiply`). A round waits
 * for its products, so six such sets of blocks are computed side by side. */
#include "bulk/avx512.h"

enum { PHILOX_ROUNDS = 10, BLOCKS = 16, BLOCK_BYTES = 16 };
static const uint32_t MULTIPLIER_0 = 0xD2511F53, MULTIPLIER_1 = 0xCD9E8D57; /* of the generator's definition */
static const uint32_t WEYL_0 = 0x9E3779B9, WEYL_1 = 0xBB67AE85;

/* The keys, and what the first two rounds come to. Of the four words that go in, only the lowest one (the low half of
 * the block's number) differs between blocks with the same upper half. So in the first round one of the two products is
 * constant, and in the second one, too: four constants hold their results.
 *
 *   in         w0 = block low     w1 = block high   w2 = purpose low    w3 = purpose high
 *   round 1    w0' = high(w2 M1) ^ w1 ^ k0: constant          w1' = low(w2 M1): constant
 *              w2' = high(w0 M0) ^ w3 ^ k1: `first`           w3' = low(w0 M0)
 *   round 2    high and low of w0' M0 are constants: `second_high`, `constant`; w1' ^ k0' is `second_low` */
typedef struct philox {
    __m512i key[PHILOX_ROUNDS][2];
    __m512i first, second_low, second_high, constant; /* words 2, 0, 2 and 3 meet these */
} philox;

/* The same word in all lanes. */
static __m512i all(uint64_t word)
{
    return _mm512_set1_epi32((int)(uint32_t)word);
}

/* The constants for blocks that share the upper half of `block`. */
static void set_philox(philox *p, uint64_t seed, uint64_t purpose, uint64_t block)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint64_t product_1 = (uint64_t)MULTIPLIER_1 * (uint32_t)purpose;
    uint32_t word_0 = (uint32_t)((product_1 >> 32) ^ (block >> 32) ^ k0);
    uint64_t product_0 = (uint64_t)MULTIPLIER_0 * word_0;
    p->first = all((purpose >> 32) ^ k1);
    p->second_low = all(product_1 ^ (k0 + WEYL_0));
    p->second_high = all((product_0 >> 32) ^ (uint32_t)(k1 + WEYL_1));
    p->constant = all(product_0);
    for (size_t i = 0; i < PHILOX_ROUNDS; i++, k0 += WEYL_0, k1 += WEYL_1) {
        p->key[i][0] = all(k0);
        p->key[i][1] = all(k1);
    }
}

/* Both halves of sixteen products. The instruction multiplies even lanes only; odd lanes are moved down for a second
 * one, and the results are interleaved again. */
static ALWAYS_INLINE void multiply(__m512i *high, __m512i *low, __m512i a, uint32_t multiplier)
{
    const __m512i m = all(multiplier);
    __m512 even = _mm512_castsi512_ps(_mm512_mul_epu32(a, m));
    __m512i odd_lanes = _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(a)));
    __m512 odd = _mm512_castsi512_ps(_mm512_mul_epu32(odd_lanes, m));
    *high = _mm512_castps_si512(_mm512_mask_movehdup_ps(odd, 0x5555, even));
    *low = _mm512_castps_si512(_mm512_mask_moveldup_ps(even, 0xaaaa, odd));
}

/* Rounds 1 and 2, with the constants above: two multiplications in place of four. */
static ALWAYS_INLINE void first_rounds(__m512i x[4], const philox *p)
{
    __m512i high, low;
    multiply(&high, &low, x[0], MULTIPLIER_0);
    x[2] = _mm512_xor_si512(low, p->second_high);
    x[3] = p->constant;
    multiply(&high, &x[1], _mm512_xor_si512(high, p->first), MULTIPLIER_1);
    x[0] = _mm512_xor_si512(high, p->second_low);
}

/* A round; 96 is the three-way XOR. */
static ALWAYS_INLINE void philox_round(__m512i x[4], const __m512i key[2])
{
    __m512i high_0, low_0, high_1, low_1;
    multiply(&high_0, &low_0, x[0], MULTIPLIER_0);
    multiply(&high_1, &low_1, x[2], MULTIPLIER_1);
    x[0] = _mm512_ternarylogic_epi32(high_1, x[1], key[0], 0x96);
    x[1] = low_1;
    x[2] = _mm512_ternarylogic_epi32(high_0, x[3], key[1], 0x96);
    x[3] = low_0;
}

/* The words of sixteen blocks as they lie in memory, masked: the picture at the top. */
static ALWAYS_INLINE void store_blocks(char *out, const __m512i x[4], __m512i mask)
{
    __m512i low_0 = _mm512_unpacklo_epi32(x[0], x[1]), low_1 = _mm512_unpacklo_epi32(x[2], x[3]);
    __m512i high_0 = _mm512_unpackhi_epi32(x[0], x[1]), high_1 = _mm512_unpackhi_epi32(x[2], x[3]);
    _mm512_storeu_si512(out, _mm512_and_si512(_mm512_unpacklo_epi64(low_0, low_1), mask));
    _mm512_storeu_si512(out + 64, _mm512_and_si512(_mm512_unpackhi_epi64(low_0, low_1), mask));
    _mm512_storeu_si512(out + 128, _mm512_and_si512(_mm512_unpacklo_epi64(high_0, high_1), mask));
    _mm512_storeu_si512(out + 192, _mm512_and_si512(_mm512_unpackhi_epi64(high_0, high_1), mask));
}

/* `chains` times sixteen blocks from number `block` on: a round waits for its multiplications, so several go side by
 * side. */
enum { MANY = 6, FEW = 2 };

/* `chains` times sixteen blocks: x[i][0] has their numbers' low halves. */
static ALWAYS_INLINE void store_chains(char *out, const philox *p, __m512i x[MANY][4], __m512i mask, size_t chains)
{
#pragma GCC unroll 6
    for (size_t i = 0; i < chains; i++) {
        first_rounds(x[i], p);
    }
#pragma GCC unroll 10
    for (size_t round = 2; round < PHILOX_ROUNDS; round++) {
#pragma GCC unroll 6
        for (size_t i = 0; i < chains; i++) {
            philox_round(x[i], p->key[round]);
        }
    }
#pragma GCC unroll 6
    for (size_t i = 0; i < chains; i++) {
        store_blocks(out + i * BLOCKS * BLOCK_BYTES, x[i], mask);
    }
}

/* ... from number `block` on: their lower halves in the order that store_blocks wants. */
static ALWAYS_INLINE void store_random(char *out, const philox *p, uint64_t block, __m512i mask, size_t chains)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i x[MANY][4];
#pragma GCC unroll 6
    for (size_t i = 0; i < chains; i++) {
        x[i][0] = _mm512_add_epi32(all(block + BLOCKS * i), order);
    }
    store_chains(out, p, x, mask, chains);
}

/* ... with these numbers, whose upper halves are the same: only the lower ones are read. An index below 16 is of the
 * first vector's words, 16 and more of the second's; even words are lower halves. They come in the order above. */
static ALWAYS_INLINE void store_listed(char *out, const philox *p, const uint64_t *blocks, __m512i mask, size_t chains)
{
    /* Words 0, 8, 16, 24: blocks 0, 4, 8 and 12. */
    const __m512i low_halves = _mm512_setr_epi32(0, 8, 16, 24, 2, 10, 18, 26, 4, 12, 20, 28, 6, 14, 22, 30);
    __m512i x[MANY][4];
#pragma GCC unroll 6
    for (size_t i = 0; i < chains; i++) {
        const uint64_t *some = blocks + BLOCKS * i;
        x[i][0] = _mm512_permutex2var_epi32(_mm512_loadu_si512(some), low_halves, _mm512_loadu_si512(some + 8));
    }
    store_chains(out, p, x, mask, chains);
}

/* As many bytes as are wanted; the blocks have numbers with the same upper half. */
static void store_many(char *to, size_t left, const philox *p, uint64_t block, __m512i mask)
{
    enum { MOST = MANY * BLOCKS * BLOCK_BYTES, LESS = FEW * BLOCKS * BLOCK_BYTES };
    for (; left >= MOST; left -= MOST, to += MOST, block += MANY * BLOCKS) {
        store_random(to, p, block, mask, MANY);
    }
    for (; left >= LESS; left -= LESS, to += LESS, block += FEW * BLOCKS) {
        store_random(to, p, block, mask, FEW);
    }
    if (left > 0) {
        char last[LESS];
        store_random(last, p, block, mask, FEW);
        __builtin_memcpy(to, last, left);
    }
}

/* What is kept of each entry. Entries have 2, 4 or 8 bytes, the least that hold the bits.
 *
 * The mask has the bits of each of them, by their number: 8 bits are 00ff in each of 32 words of 16 bits. */
static __m512i mask_of(unsigned bits)
{
    /* A shift by as many bits as the entry lacks: 1 to 16, 17 to 32 or 33 to 64 bits are left. */
    return bits <= 16   ? _mm512_set1_epi16((short)(0xffff >> (16 - bits)))
           : bits <= 32 ? _mm512_set1_epi32((int)(0xffffffff >> (32 - bits)))
                        : _mm512_set1_epi64((int64_t)(UINT64_MAX >> (64 - bits)));
}

/* Entries of 2, 4 or 8 bytes are the fields of blocks in their order: the blocks themselves, masked. Elements before
 * the first whole block, and calls that pass the last element there can be, go to the portable generator. */
void bndi_random_avx512(void *out, size_t n, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    const unsigned bytes = bits <= 16 ? 2 : bits <= 32 ? 4 : 8, in_a_block = BLOCK_BYTES / bytes;
    const size_t head = (in_a_block - first % in_a_block) % in_a_block;
    if (n <= head || n > UINT64_MAX - first) { /* or past the last element there can be, and on from the first */
        bndi_random(out, n, seed, purpose, first, bits);
        return;
    }
    bndi_random(out, head, seed, purpose, first, bits);
    const __m512i mask = mask_of(bits);
    char *to = (char *)out + head * bytes;
    uint64_t block = (first + head) / in_a_block;
    for (size_t left = (n - head) * bytes; left > 0;) {
        uint64_t same = ((uint64_t)1 << 32) - (block & 0xffffffff); /* blocks of the same upper half */
        size_t count = left / BLOCK_BYTES >= same ? (size_t)same * BLOCK_BYTES : left;
        philox p;
        set_philox(&p, seed, purpose, block);
        store_many(to, count, &p, block, mask);
        left -= count;
        to += count;
        block += same;
    }
}

/* Blocks by their numbers, for products whose rows are far apart in the field. Blocks with different upper halves of
 * their numbers go to the portable generator, since the constants of the first rounds hold one upper half. 32 blocks
 * are done at once at least: two chains. */
void bndi_random_blocks_avx512(void *out, const uint64_t *blocks, size_t n, uint64_t seed, uint64_t purpose,
                               unsigned bits)
{
    enum { MOST = MANY * BLOCKS, LESS = FEW * BLOCKS };
    _Static_assert(LESS == (int)BNDI_RANDOM_UNIT, "what is listed is done to the end");
    /* Is any upper half another one than the first? In vectors: one by one this took a quarter of the time. */
    const __m512i first = _mm512_set1_epi64(n > 0 ? (int64_t)blocks[0] : 0);
    __m512i different = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += BLOCKS / 2) {
        different = _mm512_or_si512(different, _mm512_xor_si512(_mm512_loadu_si512(blocks + i), first));
    }
    if (n == 0 || (uint64_t)_mm512_reduce_or_epi64(different) >> 32 != 0) {
        bndi_random_blocks(out, blocks, n, seed, purpose, bits);
        return;
    }
    const __m512i mask = mask_of(bits);
    /* As many at once as registers allow, then two chains at a time: n is a multiple of those. */
    char *to = out;
    philox p;
    set_philox(&p, seed, purpose, blocks[0]);
    for (; n >= MOST; n -= MOST, to += MOST * BLOCK_BYTES, blocks += MOST) {
        store_listed(to, &p, blocks, mask, MANY);
    }
    for (; n >= LESS; n -= LESS, to += LESS * BLOCK_BYTES, blocks += LESS) {
        store_listed(to, &p, blocks, mask, FEW); /* two chains wait for each other's products, six do not */
    }
}

/* ---- runs ---- */

/* Where the next sixteen blocks are: run `row` of a step, and the number of its first block. */
typedef struct place_in_runs {
    uint64_t step, block;
    size_t row;
} place_in_runs;

/* `chains` times sixteen blocks: 16 / run runs each, whose blocks lie `offsets` from the first. */
static ALWAYS_INLINE void store_runs(char *out, const philox *p, const bndi_runs *runs, place_in_runs *at,
                                     __m512i offsets, __m512i mask, size_t chains)
{
    const size_t at_once = BLOCKS / runs->run;
    __m512i x[MANY][4];
#pragma GCC unroll 6
    for (size_t i = 0; i < chains; i++) {
        x[i][0] = _mm512_add_epi32(all(at->block), offsets);
        at->row += at_once;
        at->block += at_once * runs->row;
        if (at->row >= runs->rows) {
            at->row = 0;
            at->block = at->step += runs->step;
        }
    }
    store_chains(out, p, x, mask, chains);
}

/* Products need the numbers of a tile: neighbours in a row of C, rows that are far apart, and that once more for each
 * step. Lane l of a vector has block order[l] of its sixteen, which is number order[l] % run of run order[l] / run; the
 * first block's number is all that differs between vectors. Runs of 4, block 100 first, rows 1000 apart:
 *
 *   sixteen    100 .. 103, 1100 .. 1103, 2100 .. 2103, 3100 .. 3103
 *   lanes      100 1100 2100 3100 | 101 1101 2101 3101 | 102 ...        as store_blocks wants them
 *
 * The numbers are never written to memory, which took an eighth of a product's time. */
bool bndi_random_runs_avx512(void *out, const bndi_runs *runs, uint64_t seed, uint64_t purpose, unsigned bits)
{
    static const uint8_t order[BLOCKS] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const uint64_t last = runs->first + (runs->rows - 1) * runs->row + (runs->steps - 1) * runs->step + runs->run - 1;
    if (last < runs->first || (last ^ runs->first) >> 32 != 0) {
        return false;
    }
    uint32_t offsets[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        offsets[i] = (uint32_t)(order[i] / runs->run * runs->row + order[i] % runs->run);
    }
    const __m512i from_first = _mm512_loadu_si512(offsets), mask = mask_of(bits);
    place_in_runs at = {.step = runs->first, .block = runs->first};
    char *to = out;
    philox p;
    set_philox(&p, seed, purpose, runs->first);
    size_t left = runs->rows * runs->steps * runs->run / BLOCKS;
    for (; left >= MANY; left -= MANY, to += MANY * BLOCKS * BLOCK_BYTES) {
        store_runs(to, &p, runs, &at, from_first, mask, MANY);
    }
    for (; left > 0; left -= left < FEW ? left : FEW, to += FEW * BLOCKS * BLOCK_BYTES) {
        store_runs(to, &p, runs, &at, from_first, mask, FEW); /* half of the last may be more than is asked for */
    }
    return true;
}
