/* Codes of a byte that are not evenly spaced, and their scales. */
#include "block/block.h"
#include "bulk/environment.h"

enum { DECADES = 7, CODES = 256, OF_ONE = 255 };

/* n / d, at most 1, to nearest even; by integers, so that no rounding mode has a say. n is below 2^12 and d below 2^32:
 * shifted so that the quotient has 25 bits, n is below 2^58. */
static float quotient(uint64_t n, uint64_t d)
{
    int shift = 24 + __builtin_clzll(n) - __builtin_clzll(d);
    shift += (n << shift) / d < 1u << 24;
    const uint64_t q = (n << shift) / d, rest = (n << shift) % d;
    uint32_t significand = (uint32_t)(q >> 1);
    significand += (q & 1) != 0 && (rest != 0 || (significand & 1) != 0);
    const uint32_t bits = ((uint32_t)(127 + 24 - shift) << 23) + (significand - (1u << 23));
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* Number j (from 0, upward) of the positive ones below 1, the lowest decade having `parts` of them, 1 or 2: decade i
 * has h = parts 2^i, and all below it have parts (2^i - 1). The middle of its part p is 0.1 + 0.9 (2 p + 1) / (2 h) =
 * (2 h + 18 p + 9) / (20 h). */
static float positive(unsigned j, unsigned parts)
{
    static const uint32_t powers[DECADES] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    unsigned decade = 31u - (unsigned)__builtin_clz(j / parts + 1), here = parts << decade, part = j - (here - parts);
    return quotient(2 * here + 18 * part + 9, (uint64_t)20 * here * powers[decade]);
}

float bnd_dynamic_number(unsigned char code, bool is_signed)
{
    const unsigned zero = is_signed ? 127 : 0, parts = is_signed ? 1 : 2;
    if (code == zero || code == OF_ONE) {
        return code == zero ? 0 : 1;
    }
    return code > zero ? positive(code - zero - 1u, parts) : -positive(zero - code - 1u, parts);
}

size_t bnd_dynamic_scales(size_t n, const bnd_dynamic *how)
{
    return how->block == 0 || n == 0 ? 0 : (n - 1) / how->block + 1;
}

static bnd_status check(size_t n, const bnd_dynamic *how, bnd_error *why)
{
    if (how->block == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a block of 0 numbers has no scale; 256 are usual");
    }
    return n <= (size_t)PTRDIFF_MAX / sizeof(float)
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu numbers are more than memory can hold", n);
}

/* Magnitudes by their leading 16 bits, from 2^-23 (below it everything is nearest to 0) up to 1: bins. No two bounds
 * lie in one: two numbers of a decade are at least 0.9/128 of its upper end apart (0.00703), and a bin is at most
 * 2^-8 of that wide (from 1/2 to 1); in lower binades it is half as wide. */
enum { FIRST_BIN = 104 << 7, LAST_BIN = 127 << 7, BINS = LAST_BIN - FIRST_BIN + 1 };

/* bounds[c]: beyond here the code is c + 1, for magnitudes, whose codes begin with zero's. In doubles, where the
 * middles of fp32 numbers are exact; of two numbers equally near it is the one nearer to zero. codes[b]: of a bin's
 * lower end. */
typedef struct book {
    unsigned zero;
    double bounds[CODES];
    unsigned char codes[BINS];
} book;

static float lower_end(unsigned bin)
{
    uint32_t bits = (uint32_t)(bin + FIRST_BIN) << 16;
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static void open_book(book *b, bool is_signed)
{
    b->zero = is_signed ? 127 : 0;
    for (unsigned c = b->zero; c < OF_ONE; c++) {
        double here = (double)bnd_dynamic_number((unsigned char)c, is_signed);
        b->bounds[c] = (here + (double)bnd_dynamic_number((unsigned char)(c + 1), is_signed)) / 2;
    }
    b->bounds[OF_ONE] = __builtin_inf();
    for (unsigned bin = 0, c = b->zero; bin < BINS; bin++) {
        while ((double)lower_end(bin) > b->bounds[c]) {
            c++;
        }
        b->codes[bin] = (unsigned char)c;
    }
}

/* Of x from -1 to 1. Below zero the codes are mirrored, but for 1's; where there is no sign they are zero's. */
static unsigned char code_of(const book *b, float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const bool negative = bits >> 31 != 0;
    const float magnitude = negative ? -x : x;
    const uint32_t key = (bits & 0x7fffffff) >> 16;
    unsigned code = b->codes[key > FIRST_BIN ? key - FIRST_BIN : 0];
    code += (double)magnitude > b->bounds[code];
    if (negative) {
        code = b->zero == 0 ? 0 : code == OF_ONE ? 0 : 2 * b->zero - code;
    }
    return (unsigned char)code;
}

/* NaN where a number is none. */
static float largest_of(const float *x, size_t n)
{
    uint32_t largest = 0;
    float amax;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        __builtin_memcpy(&bits, &x[i], sizeof bits);
        bits &= 0x7fffffff;
        largest = bits > largest ? bits : largest;
    }
    largest = largest >= 0x7f800000 ? 0x7fc00000 : largest;
    __builtin_memcpy(&amax, &largest, sizeof amax);
    return amax;
}

bnd_status bnd_dynamic_quantize_f32(unsigned char *codes, float *scales, const float *x, size_t n,
                                    const bnd_dynamic *how, bnd_error *why)
{
    book b;
    bnd_status status = check(n, how, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_RNE);
    open_book(&b, how->is_signed);
    for (size_t at = 0, block = 0; at < n; at += how->block, block++) {
        size_t m = n - at < how->block ? n - at : how->block;
        const float amax = largest_of(x + at, m);
        scales[block] = amax;
        for (size_t i = 0; i < m; i++) {
            codes[at + i] = code_of(&b, amax > 0 ? x[at + i] / amax : 0);
        }
    }
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_dynamic_dequantize_f32(float *y, const unsigned char *codes, const float *scales, size_t n,
                                      const bnd_dynamic *how, bnd_error *why)
{
    float numbers[CODES];
    bnd_status status = check(n, how, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_RNE);
    for (unsigned c = 0; c < CODES; c++) {
        numbers[c] = bnd_dynamic_number((unsigned char)c, how->is_signed);
    }
    for (size_t at = 0, block = 0; at < n; at += how->block, block++) {
        size_t m = n - at < how->block ? n - at : how->block;
        for (size_t i = 0; i < m; i++) {
            y[at + i] = numbers[codes[at + i]] * scales[block];
        }
    }
    bndi_leave(callers);
    return BND_OK;
}
