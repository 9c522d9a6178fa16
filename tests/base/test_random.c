/* Philox against the published known answers and, where they are installed, against its authors' own headers
 * (Random123); bnd_random as a function of its three arguments and nothing else. */
#include <binade/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#define HAVE_RANDOM123 1
#endif
#endif

#include "tests.h"
#include "tests/support/suites.h"

/* The known answers that the generator's authors publish: all zeros, all ones, and digits of pi. */
static void test_known_answers(void)
{
    static const struct {
        int rounds;
        uint32_t counter[4], key[2], expected[4];
    } cases[] = {
        {7, {0, 0, 0, 0}, {0, 0}, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
        {7,
         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
        {7,
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
        {10, {0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {10,
         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {10,
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t out[4];
        bnd_philox4x32(out, cases[i].counter, cases[i].key, cases[i].rounds);
        CU_ASSERT_EQUAL(memcmp(out, cases[i].expected, sizeof out), 0);
    }
}

#if defined(HAVE_RANDOM123)
/* Counters and keys of all kinds: random words, and words of zeros, ones and single bits, where carries happen. */
static uint32_t word_of(uint64_t random)
{
    switch (random >> 32 & 7) {
    case 0:
        return 0;
    case 1:
        return UINT32_MAX;
    case 2:
        return UINT32_C(1) << (random & 31);
    default:
        return (uint32_t)random;
    }
}

static void test_random123(void)
{
    enum { CASES = 50000, SHOWN = 5 };
    int different = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        philox4x32_ctr_t counter;
        philox4x32_key_t key;
        for (uint64_t k = 0; k < 4; k++) {
            counter.v[k] = word_of(bnd_random(1, k, i));
            key.v[k % 2] = word_of(bnd_random(2, k, i));
        }
        int rounds = 1 + (int)(i % 16);
        uint32_t out[4];
        philox4x32_ctr_t want = philox4x32_R((unsigned)rounds, counter, key);
        bnd_philox4x32(out, counter.v, key.v, rounds);
        bool same = memcmp(out, want.v, sizeof out) == 0;
        different += !same;
        if (!same && different <= SHOWN) {
            printf("    %d rounds, counter %08x %08x %08x %08x, key %08x %08x: %08x ..., Random123 %08x ...\n", rounds,
                   (unsigned)counter.v[0], (unsigned)counter.v[1], (unsigned)counter.v[2], (unsigned)counter.v[3],
                   (unsigned)key.v[0], (unsigned)key.v[1], (unsigned)out[0], (unsigned)want.v[0]);
        }
    }
    CU_ASSERT_EQUAL(different, 0);
}

/* The bits of elements, from Random123's blocks. */
static void test_random123_elements(void)
{
    int different = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t seed = bnd_random(3, 0, i), purpose = bnd_random(3, 1, i) >> i % 64, element = bnd_random(3, 2, i);
        unsigned bits = 1 + (unsigned)(i % 64), field = bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
        uint64_t block = element / (128 / field);
        philox4x32_ctr_t counter = {
            {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)purpose, (uint32_t)(purpose >> 32)}};
        philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
        philox4x32_ctr_t words = philox4x32(counter, key);
        unsigned start = (unsigned)(element % (128 / field)) * field;
        uint64_t pair = (uint64_t)words.v[start / 64 * 2 + 1] << 32 | words.v[start / 64 * 2];
        uint64_t want = pair >> start % 64 & UINT64_MAX >> (64 - bits);
        different += bnd_random_bits(seed, purpose, element, bits) != want;
    }
    CU_ASSERT_EQUAL(different, 0);
}
#else
static const char RANDOM123_MISSING[] = "Random123's headers (Debian, Ubuntu: librandom123-dev)";

static void test_random123(void)
{
    skip_test(RANDOM123_MISSING);
}

static void test_random123_elements(void)
{
    skip_test(RANDOM123_MISSING);
}
#endif

static void test_output_may_be_the_counter(void)
{
    uint32_t block[4] = {1, 2, 3, 4}, out[4];
    const uint32_t key[2] = {5, 6};
    bnd_philox4x32(out, block, key, 10);
    bnd_philox4x32(block, block, key, 10);
    CU_ASSERT_EQUAL(memcmp(out, block, sizeof out), 0);
}

/* One bit of one argument changes about half of the 64 bits: over 192 flips the mean is within 32 +- 2, which is more
 * than six standard deviations (4 / sqrt(192) = 0.29 each). No flip may leave the number as it was. */
static void test_every_argument_counts(void)
{
    uint64_t arguments[3] = {1, 2, 3};
    uint64_t here = bnd_random(arguments[0], arguments[1], arguments[2]);
    CU_ASSERT_EQUAL(here, bnd_random(1, 2, 3));
    int changed = 0, same = 0;
    for (int which = 0; which < 3; which++) {
        for (int bit = 0; bit < 64; bit++) {
            uint64_t there[3] = {arguments[0], arguments[1], arguments[2]};
            there[which] ^= UINT64_C(1) << bit;
            uint64_t difference = here ^ bnd_random(there[0], there[1], there[2]);
            same += difference == 0;
            changed += __builtin_popcountll(difference);
        }
    }
    CU_ASSERT_EQUAL(same, 0);
    CU_ASSERT(changed > 192 * 30 && changed < 192 * 34);
}

static int order_of_integers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The arguments are not mixed up with each other: (1, 2, 3) and its permutations, and a small cube of arguments, give
 * numbers that are all different. By chance two of 4096 would be equal once in 2^41 tries. */
static void test_arguments_are_told_apart(void)
{
    enum { EDGE = 16, COUNT = EDGE * EDGE * EDGE };
    static uint64_t seen[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        seen[i] = bnd_random(i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE);
    }
    qsort(seen, COUNT, sizeof seen[0], order_of_integers);
    int equal = 0;
    for (size_t i = 1; i < COUNT; i++) {
        equal += seen[i] == seen[i - 1];
    }
    CU_ASSERT_EQUAL(equal, 0);
}

/* Each of the 64 bits is set in about half of 4096 draws: within 6 standard deviations of 32. */
static void test_every_bit_moves(void)
{
    int ones[64] = {0}, biased = 0;
    for (uint64_t element = 0; element < 4096; element++) {
        uint64_t draw = bnd_random(0, 0, element);
        for (int bit = 0; bit < 64; bit++) {
            ones[bit] += (int)(draw >> bit & 1);
        }
    }
    for (int bit = 0; bit < 64; bit++) {
        biased += ones[bit] < 2048 - 6 * 32 || ones[bit] > 2048 + 6 * 32;
    }
    CU_ASSERT_EQUAL(biased, 0);
}

/* The bits of stochastic rounding, from the blocks by the words of base.h: field e mod k of block e / k. */
static uint64_t bits_by_definition(uint64_t seed, uint64_t purpose, uint64_t element, unsigned bits)
{
    unsigned field = bits <= 16 ? 16 : bits <= 32 ? 32 : 64, k = 128 / field;
    uint64_t block = element / k, value = 0;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)purpose,
                                 (uint32_t)(purpose >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    bnd_philox4x32(words, counter, key, 10);
    unsigned start = (unsigned)(element % k) * field;
    for (unsigned i = 0; i < bits; i++) {
        value |= (uint64_t)(words[(start + i) / 32] >> (start + i) % 32 & 1) << i;
    }
    return value;
}

static void test_bits_of_elements(void)
{
    static const uint64_t firsts[] = {0, 1, 7, 8, 0xffffffff, (uint64_t)0xffffffff * 8 + 5, UINT64_MAX - 3};
    static const uint64_t seeds[] = {0, 1, UINT64_C(0x123456789abcdef0)};
    int different = 0;
    for (unsigned bits = 1; bits <= 64; bits++) {
        for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
            uint64_t seed = seeds[i % 3], purpose = seeds[bits % 3], filled[21];
            bnd_random_fill(filled, 21, seed, purpose, firsts[i], bits);
            for (uint64_t e = 0; e < 21; e++) {
                uint64_t want = bits_by_definition(seed, purpose, firsts[i] + e, bits);
                different += filled[e] != want;
                different += bnd_random_bits(seed, purpose, firsts[i] + e, bits) != want;
            }
        }
    }
    CU_ASSERT_EQUAL(different, 0);
}

/* From the published answer for zeros: block 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8. */
static void test_bits_known_answers(void)
{
    static const uint64_t fields16[] = {0xe8d5, 0x6627, 0xc58d, 0xe169, 0xac4c, 0xbc57, 0xdbd8, 0x9b00};
    for (uint64_t e = 0; e < 8; e++) {
        CU_ASSERT_EQUAL(bnd_random_bits(0, 0, e, 16), fields16[e]);
        CU_ASSERT_EQUAL(bnd_random_bits(0, 0, e, 5), fields16[e] & 31);
    }
    CU_ASSERT_EQUAL(bnd_random_bits(0, 0, 2, 32), 0xbc57ac4c);
    CU_ASSERT_EQUAL(bnd_random_bits(0, 0, 3, 17), 0x9b00dbd8 & 0x1ffff);
    CU_ASSERT_EQUAL(bnd_random_bits(0, 0, 0, 64), UINT64_C(0xe169c58d6627e8d5));
    CU_ASSERT_EQUAL(bnd_random_bits(0, 0, 1, 62), UINT64_C(0x9b00dbd8bc57ac4c) & UINT64_MAX >> 2);
    uint64_t untouched = 5;
    bnd_random_fill(&untouched, 0, 0, 0, 0, 8);
    CU_ASSERT_EQUAL(untouched, 5);
}

CU_TestInfo random_tests[] = {
    {"Philox4x32-7 and -10, known answers", test_known_answers},
    {"Philox4x32 as Random123 computes it", test_random123},
    {"bits of elements, from Random123's blocks", test_random123_elements},
    {"the block may be written over its number", test_output_may_be_the_counter},
    {"every bit of every argument counts", test_every_argument_counts},
    {"arguments are told apart", test_arguments_are_told_apart},
    {"every bit is set half of the time", test_every_bit_moves},
    {"bits of elements, by their definition", test_bits_of_elements},
    {"bits of elements, known answers", test_bits_known_answers},
    CU_TEST_INFO_NULL,
};
