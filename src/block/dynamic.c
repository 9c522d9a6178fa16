/* Codes of a byte that are not evenly spaced, and their scales. */
#include "block/block.h"
#include "bulk/environment.h"

enum { DECADES = 7, CODES = 256, OF_ONE = 255 };

/* Number j (from 0, upward) of the positive ones below 1, the lowest decade having `parts` of them. */
static float positive(unsigned j, unsigned parts)
{
    static const double powers[DECADES] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    unsigned decade = 0;
    while (j >= parts) {
        j -= parts;
        parts *= 2;
        decade++;
    }
    double middle = 0.1 + 0.9 * (2 * j + 1) / (2 * (double)parts);
    return (float)(powers[decade] * middle);
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

/* bounds[c]: from beyond here on the code is c + 1 at least. In doubles, where middles of fp32 numbers are exact. Of
 * two numbers equally near the one nearer to zero: a bound belongs to the code below it where that is not negative. */
typedef struct book {
    float numbers[CODES];
    double bounds[CODES];
} book;

static void open_book(book *b, bool is_signed)
{
    for (unsigned c = 0; c < CODES; c++) {
        b->numbers[c] = bnd_dynamic_number((unsigned char)c, is_signed);
    }
    for (unsigned c = 0; c + 1 < CODES; c++) {
        b->bounds[c] = ((double)b->numbers[c] + (double)b->numbers[c + 1]) / 2;
    }
    b->bounds[OF_ONE] = __builtin_inf();
}

/* The largest code whose bound below is passed: eight halvings, none of which is a branch. */
static unsigned char code_of(const book *b, double x)
{
    unsigned code = 0;
    for (unsigned step = CODES / 2; step > 0; step /= 2) {
        const double bound = b->bounds[code + step - 1];
        const bool passed = x > bound || (x >= bound && bound < 0);
        code += passed ? step : 0;
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
            codes[at + i] = code_of(&b, amax > 0 ? (double)(x[at + i] / amax) : 0);
        }
    }
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_dynamic_dequantize_f32(float *y, const unsigned char *codes, const float *scales, size_t n,
                                      const bnd_dynamic *how, bnd_error *why)
{
    book b;
    bnd_status status = check(n, how, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_RNE);
    open_book(&b, how->is_signed);
    for (size_t i = 0; i < n; i++) {
        y[i] = b.numbers[codes[i]] * scales[i / how->block];
    }
    bndi_leave(callers);
    return BND_OK;
}
