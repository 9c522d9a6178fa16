/* The operations that are made most often, in words of 64 bits: normal operands of 2 to 29 bits of precision. What is
 * too long for that goes on in quick_wide.c. Subnormal operands do too: here they would cost the others registers. */
#include "arith/quick_ways.h"

#define word         uint64_t
#define signed_word  int64_t
#define WORD_BITS    64
#define SUBNORMALS   false
#define WAY(name)    bnd_##name
#define LONGER(name) bndi_##name##_wide

static inline uint64_t divide(uint64_t dividend, uint64_t divisor)
{
    return dividend / divisor;
}

static inline uint64_t root_of(uint64_t significand, unsigned fraction_bits, unsigned odd)
{
    enum { SHORT = 12 };
    if (fraction_bits <= SHORT) {
        uint64_t number = significand << (30 - fraction_bits) << odd, root = bndi_root_of_30(number);
        return root << (fraction_bits + 32 - 15) | (root * root != number);
    }
    uint64_t number = significand << (60 - fraction_bits) << odd, root = bndi_root_of_60(number);
    return root << (fraction_bits + 32 - 30) | (root * root != number);
}

#include "arith/quick.h"
