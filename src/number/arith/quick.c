/* The most frequent operations in words of 64 bits, for normal operands of 2 to 29 bits of precision. Longer and
 * subnormal operands are left to quick_wide.c: subnormal ones would cost registers here for all others. */
#include "arith/quick_shared.h"

#define word                      uint64_t
#define signed_word               int64_t
#define WORD_BITS                 64
#define SUBNORMALS                false
#define WAY(name)                 bnd_##name
#define LONGER(name)              bndi_##name##_in_128_bits
#define is_open(f, rounding)      ((rounding) < (f)->internal.quick_modes)
#define divide(dividend, divisor) ((dividend) / (divisor))

static inline uint64_t root_of(uint64_t significand, unsigned fraction_bits, unsigned odd)
{
    enum { SHORT = 12 };
    if (BNDI_RARELY(fraction_bits > SHORT)) { /* it divides, so a jump costs little in comparison */
        uint64_t number = significand << (60 - fraction_bits + odd), root = bndi_root_of_60(number);
        return root << (fraction_bits + 32 - 30) | (root * root != number);
    }
    uint64_t number = significand << (28 - fraction_bits + odd), root = bndi_root_of_28(number);
    return root << (fraction_bits + 32 - 14) | (root * root != number);
}

#include "arith/quick_template.h"

#undef word
#undef signed_word
#undef WORD_BITS
#undef SUBNORMALS
#undef WAY
#undef LONGER
#undef is_open
#undef divide
