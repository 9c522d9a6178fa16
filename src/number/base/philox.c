/* Philox4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3" (SC 2011): a keyed bijection of 128-bit block numbers. Random bits are addressed by index, so they do not depend
 * on the order of the work. */
#include "base/base.h"

/* The paper's constants: two multipliers found by search, and the golden ratio and sqrt(3) - 1 as Weyl increments. */
static const uint32_t MULTIPLIER_0 = 0xD2511F53, MULTIPLIER_1 = 0xCD9E8D57, WEYL_0 = 0x9E3779B9, WEYL_1 = 0xBB67AE85;

void bnd_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2], int rounds)
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < rounds; i++) {
        uint64_t p0 = (uint64_t)MULTIPLIER_0 * a;
        uint64_t p1 = (uint64_t)MULTIPLIER_1 * c;
        a = (uint32_t)(p1 >> 32) ^ b ^ k0;
        b = (uint32_t)p1;
        c = (uint32_t)(p0 >> 32) ^ d ^ k1;
        d = (uint32_t)p0;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/* The block of a field, as two words of 64 bits. */
static void random_block(uint64_t out[2], uint64_t seed, uint64_t purpose, uint64_t block)
{
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)purpose,
                                 (uint32_t)(purpose >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    bnd_philox4x32(words, counter, key, 10);
    out[0] = (uint64_t)words[1] << 32 | words[0];
    out[1] = (uint64_t)words[3] << 32 | words[2];
}

void bnd_random_fill(uint64_t *out, size_t count, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    unsigned field = bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
    uint64_t in_a_block = 128 / field, mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    uint64_t words[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t element = first + i, place = element % in_a_block * field;
        if (i == 0 || place == 0) {
            random_block(words, seed, purpose, element / in_a_block);
        }
        out[i] = words[place / 64] >> place % 64 & mask;
    }
}

uint64_t bnd_random_bits(uint64_t seed, uint64_t purpose, uint64_t element, unsigned bits)
{
    uint64_t out;
    bnd_random_fill(&out, 1, seed, purpose, element, bits);
    return out;
}

uint64_t bnd_random(uint64_t seed, uint64_t purpose, uint64_t element)
{
    uint64_t words[2];
    random_block(words, seed, purpose, element);
    return words[0];
}
