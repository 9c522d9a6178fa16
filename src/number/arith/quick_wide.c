/* The most frequent operations in words of 128 bits, for fp64 and other formats of 2 to 61 bits of precision, and for
 * subnormal operands. Without 128-bit words, bnd_operate is used if 64 bits are too short. */
#include "arith/quick_shared.h"

const uint32_t bndi_roots[97] = {
    1048610, 1064867, 1080881, 1096661, 1112216, 1127557, 1142693, 1157630, 1172377, 1186941, 1201328, 1215545, 1229598,
    1243492, 1257232, 1270824, 1284272, 1297580, 1310754, 1323796, 1336711, 1349502, 1362174, 1374728, 1387169, 1399500,
    1411722, 1423840, 1435855, 1447771, 1459590, 1471313, 1482944, 1494484, 1505936, 1517302, 1528583, 1539781, 1550898,
    1561937, 1572898, 1583783, 1594593, 1605331, 1615998, 1626594, 1637122, 1647583, 1657978, 1668308, 1678574, 1688778,
    1698921, 1709003, 1719027, 1728992, 1738900, 1748752, 1758549, 1768291, 1777981, 1787617, 1797202, 1806736, 1816220,
    1825655, 1835042, 1844380, 1853672, 1862917, 1872116, 1881271, 1890381, 1899447, 1908471, 1917452, 1926391, 1935288,
    1944145, 1952962, 1961740, 1970478, 1979177, 1987839, 1996463, 2005050, 2013600, 2022114, 2030592, 2039035, 2047444,
    2055817, 2064157, 2072464, 2080737, 2088977, 2097186,
};

#define LONGER(name) longest_##name

static bnd_result longest_add(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_ADD, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

static bnd_result longest_sub(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_SUB, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

static bnd_result longest_mul(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_MUL, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

static bnd_result longest_div(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_DIV, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

static bnd_result longest_fma(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_FMA, (const bnd_format *const[]){f, f, f}, (uint64_t[]){a, b, c}, rule, random);
}

static bnd_result longest_sqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_OP_SQRT, &f, &a, rule, random);
}

#if defined(__SIZEOF_INT128__) && !defined(__wasm__) /* where they compile to instructions, not calls */

__extension__ typedef unsigned __int128 word;
__extension__ typedef __int128 signed_word;

#define WORD_BITS  128
#define SUBNORMALS true
#define WAY(name)  bndi_##name##_in_128_bits

/* Only for formats with normal numbers and at most 61 bits of precision: see GUARD in quick_template.h. */
static inline bool is_open(const bnd_format *f, uint8_t rounding)
{
    return f->fraction_bits - 1u < 60 && f->max_code >= 0 - f->internal.exponent_mask &&
           rounding < BND_ROUND_DETERMINISTIC_COUNT;
}

/* Below 2^64: two digits of 32 bits, each guessed from the upper half of the divisor, too large by two at most. */
static inline uint64_t divide(word dividend, uint64_t divisor)
{
    unsigned shift = bndi_leading_zeros(divisor, 0);
    uint64_t d = divisor << shift, above = d >> 32, low = (uint64_t)(dividend << shift), digits = 0;
    uint64_t left = (uint64_t)(dividend << shift >> 64);
    for (int i = 0; i < 2; i++, low <<= 32) {
        uint64_t digit = left / above, rest = left % above;
        while (rest >> 32 == 0 && (digit >> 32 != 0 || digit * (uint32_t)d > (rest << 32 | low >> 32))) {
            digit--;
            rest += above;
        }
        left = (left << 32 | low >> 32) - digit * d; /* below d, even though upper bits overflow */
        digits = digits << 32 | digit;
    }
    return digits;
}

/* The schoolbook root in digits of 32 bits. Let s be the root of the upper digits and r the remainder. The root of (s^2
 * + r) 2^64 is s 2^32 + q with q = r 2^32 / 2 s, which is too large by about q^2 / (s 2^33). q is 2^32 at most, since r
 * <= 2 s, and s 2^33 at least 2^63: that error is less than 2, and at most 2 after everything is rounded down. */
static inline word root_of(word significand, unsigned fraction_bits, unsigned odd)
{
    uint64_t number = (uint64_t)significand << (60 - fraction_bits) << odd, first = bndi_root_of_60(number);
    uint64_t root = (first << 32) + ((number - first * first) << 32) / (2 * first);
    word whole = (word)number << 64;
    root -= (word)root * root > whole;
    root -= (word)root * root > whole;
    return (word)root << (fraction_bits + 64 - 62) | ((word)root * root != whole);
}

#include "arith/quick_template.h"

#undef WORD_BITS
#undef SUBNORMALS
#undef WAY

#else

#define FORWARD(name)                                                                                                  \
    bnd_result bndi_##name##_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)  \
    {                                                                                                                  \
        return longest_##name(f, a, b, rule, random);                                                                  \
    }
FORWARD(add)
FORWARD(sub)
FORWARD(mul)
FORWARD(div)

bnd_result bndi_fma_in_128_bits(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    return longest_fma(f, a, b, c, rule, random);
}

bnd_result bndi_sqrt_in_128_bits(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return longest_sqrt(f, a, rule, random);
}

#endif

#undef LONGER
