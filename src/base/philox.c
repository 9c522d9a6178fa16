/* Philox4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3" (SC 2011): a keyed bijection of 128-bit block numbers. Indexed, so that the order of work cannot matter. */
#include "base/base.h"

/* The paper's constants: two multipliers found by search, and the golden ratio and sqrt(3) - 1 as Weyl increments. */
static const uint32_t MULTIPLIER_0 = 0xD2511F53, MULTIPLIER_1 = 0xCD9E8D57, WEYL_0 = 0x9E3779B9, WEYL_1 = 0xBB67AE85;

void bnd_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2], int rounds)
{
    uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < rounds; i++) {
        uint64_t p0 = (uint64_t)MULTIPLIER_0 * x[0];
        uint64_t p1 = (uint64_t)MULTIPLIER_1 * x[2];
        x[0] = (uint32_t)(p1 >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)p1;
        x[2] = (uint32_t)(p0 >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)p0;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    for (int i = 0; i < 4; i++) {
        out[i] = x[i];
    }
}

uint64_t bnd_random(uint64_t seed, uint64_t purpose, uint64_t element)
{
    const uint32_t counter[4] = {(uint32_t)element, (uint32_t)(element >> 32), (uint32_t)purpose,
                                 (uint32_t)(purpose >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t block[4];
    bnd_philox4x32(block, counter, key, 10);
    return (uint64_t)block[1] << 32 | block[0];
}
