/* Codes of a byte, evenly spaced or not, and their scales. */
#include "base/bits.h"
#include "base/memory.h"
#include "block/block.h"
#include "block/partial_array.h"
#include "bulk/environment.h"

enum { DECADES = 7, DYNAMIC_CODES = 256, OF_ONE = 255, LINEAR_SIGNED = 127 };

/* n / d, at most 1, to nearest even; with integers, so that the rounding mode has no effect. n is below 2^12 and d
 * below 2^32: shifted so that the quotient has 25 bits, n is below 2^58. */
static float rounded_quotient(uint64_t n, uint64_t d)
{
    int shift = 24 + __builtin_clzll(n) - __builtin_clzll(d);
    shift += (n << shift) / d < 1u << 24;
    const uint64_t q = (n << shift) / d, rest = (n << shift) % d;
    uint32_t significand = (uint32_t)(q >> 1);
    significand += (q & 1) != 0 && (rest != 0 || (significand & 1) != 0);
    const uint32_t bits = ((uint32_t)(127 + 24 - shift) << 23) + (significand - (1u << 23));
    return bndi_float_of_bits(bits);
}

/* The j-th positive number below 1 (from 0, upward), if the lowest decade has `parts` of them, 1 or 2: decade i has h =
 * parts 2^i, and all below it have parts (2^i - 1). The middle of its part p is 0.1 + 0.9 (2 p + 1) / (2 h) = (2 h + 18
 * p + 9) / (20 h). */
static float positive(unsigned j, unsigned parts)
{
    static const uint32_t powers[DECADES] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    unsigned decade = 31u - (unsigned)__builtin_clz(j / parts + 1), here = parts << decade, part = j - (here - parts);
    return rounded_quotient(2 * here + 18 * part + 9, (uint64_t)20 * here * powers[decade]);
}

float bnd_dynamic_number(unsigned char code, bool is_signed)
{
    const unsigned zero = is_signed ? 127 : 0, parts = is_signed ? 1 : 2;
    if (code == zero || code == OF_ONE) {
        return code == zero ? 0 : 1;
    }
    return code > zero ? positive(code - zero - 1u, parts) : -positive(zero - code - 1u, parts);
}

/* c / 255, or (c - 127) / 127. */
float bnd_linear_number(unsigned char code, bool is_signed)
{
    const unsigned zero = is_signed ? LINEAR_SIGNED : 0, most = is_signed ? LINEAR_SIGNED : OF_ONE;
    const unsigned steps = code > zero ? code - zero : zero - code;
    if (steps == 0 || steps >= most) {
        return steps == 0 ? 0 : code > zero ? 1 : -1;
    }
    return code > zero ? rounded_quotient(steps, most) : -rounded_quotient(steps, most);
}

size_t bnd_dynamic_scales(size_t n, const bnd_dynamic *how)
{
    return how->block == 0 || n == 0 ? 0 : (n - 1) / how->block + 1;
}

static bnd_status check_dynamic(size_t n, const bnd_dynamic *how, bnd_error *why)
{
    uint64_t reserved = 0;
    memcpy(&reserved, how->reserved, sizeof how->reserved);
    const bnd_status status = bndi_check_reserved(reserved, "bnd_dynamic", why);
    if (status != BND_OK) {
        return status;
    }
    if (how->block == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a block must have at least 1 number; 256 is usual");
    }
    return n <= (size_t)PTRDIFF_MAX / sizeof(float)
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu numbers do not fit memory", n);
}

/* ---- how codes are computed (the loop is in block_kernels.c) ----
 *
 * Above the middle between two numbers the code is the upper one's; of two equally near it is the one nearer to zero.
 * With x in decade d, u = 10^(d - 6), h parts, and p = (x / u - 0.1) h / 0.9, the middles within the decade are whole p
 * from 1 to h - 1. Its own ends are not middles, but those next to them are at p = 0.2 (of the lowest decade 0.19 or
 * 0.14) and h - 0.25, since parts differ in size. So where b numbers are below the decade, zero counted, the code is b
 * + floor(p - 1/2) above zero's, or one more, if the error of that sum is below 0.1, also for an x that is so near to
 * the end of a decade that it counts as one of the neighbour's. In fp32 the error is below 2^-14: three roundings of
 * numbers up to 2^8, and two of what the line is made of. One comparison decides which. */

/* Between the numbers of two codes, rounded down: in double the middle of fp32 numbers is exact. */
static float most_of(unsigned code, const float *numbers)
{
    const double middle = ((double)numbers[code] + (double)numbers[code + 1]) / 2;
    float most = (float)middle;
    uint32_t bits = bndi_bits_of_float(most);
    bits -= (double)most > middle;
    __builtin_memcpy(&most, &bits, sizeof most);
    return most;
}

void bnd_lab_dynamic_numbers(float *numbers, const bnd_dynamic *how)
{
    for (unsigned c = 0; c < DYNAMIC_CODES; c++) {
        numbers[c] = how->is_linear ? bnd_linear_number((unsigned char)c, how->is_signed)
                                    : bnd_dynamic_number((unsigned char)c, how->is_signed);
    }
}

static void find_decades(bndi_dynamic_book *b)
{
    static const float ends[DECADES] = {1e-6F, 1e-5F, 1e-4F, 1e-3F, 1e-2F, 1e-1F, 2};
    for (int32_t field = BNDI_DYNAMIC_LEAST >> 23, decade = 0; field <= 127; field++) {
        int32_t last;
        __builtin_memcpy(&last, &ends[decade], sizeof last);
        b->decade[field % 32] = decade;
        b->last[field % 32] = last;
        decade += last >> 23 == field;
    }
}

/* Linear codes have the same line in all decades. The code is floor(p + 1/2) above zero's for p parts, so that the line
 * is 1/16 below that: far more than the error of the sum. */
static void find_line(bndi_dynamic_book *b, float parts)
{
    for (unsigned decade = 0; decade < DECADES; decade++) {
        b->slope[decade] = parts;
        b->shift[decade] = 0.4375F;
    }
}

static void open_book(bndi_dynamic_book *b, const bnd_dynamic *how)
{
    float numbers[DYNAMIC_CODES];
    const unsigned zero = how->is_signed ? 127 : 0, one = how->is_linear && how->is_signed ? 254 : OF_ONE;
    *b = (bndi_dynamic_book){.zero = (int32_t)zero};
    bnd_lab_dynamic_numbers(numbers, how);
    for (unsigned code = zero; code < DYNAMIC_CODES; code++) {
        b->most[code - zero] = code < one ? most_of(code, numbers) : 2;
    }
    find_decades(b);
    if (how->is_linear) {
        find_line(b, (float)(one - zero));
        return;
    }
    double unit = 1e-6;
    for (unsigned decade = 0, parts = how->is_signed ? 1 : 2, below = 0; decade < DECADES; decade++) {
        b->slope[decade] = (float)(parts / (0.9 * unit));
        b->shift[decade] = (float)(below + 0.5 - parts / 9.0);
        below += parts;
        parts *= 2;
        unit *= 10;
    }
}

/* A scale is NaN if its block has an infinity or a NaN. */
static float scale_of(uint32_t amax)
{
    float scale;
    amax = amax >= 0x7f800000 ? 0x7fc00000 : amax;
    __builtin_memcpy(&scale, &amax, sizeof scale);
    return scale;
}

bnd_status bnd_lab_dynamic_quantize(unsigned char *codes, float *scales, const float *x, size_t n,
                                    const bnd_dynamic *how, const bnd_context *context, bnd_error *why)
{
    const bndi_block_kernels *scan = bndi_block_kernels_of(context);
    bndi_dynamic_book b;
    bnd_status status = check_dynamic(n, how, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    open_book(&b, how);
    for (size_t at = 0, block = 0; at < n; at += how->block, block++) {
        size_t m = n - at < how->block ? n - at : how->block;
        uint32_t amax = 0;
        scan->amax(&amax, x + at, m, m);
        scales[block] = scale_of(amax);
        if (scales[block] > 0) {
            scan->encode_dynamic(codes + at, x + at, scales[block], &b, m);
        } else {
            __builtin_memset(codes + at, b.zero, m);
        }
    }
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_lab_dynamic_dequantize(float *y, const unsigned char *codes, const float *scales, size_t n,
                                      const bnd_dynamic *how, const bnd_context *context, bnd_error *why)
{
    const bndi_block_kernels *scan = bndi_block_kernels_of(context);
    float numbers[DYNAMIC_CODES];
    bnd_status status = check_dynamic(n, how, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    bnd_lab_dynamic_numbers(numbers, how);
    for (size_t at = 0, block = 0; at < n; at += how->block, block++) {
        scan->decode_dynamic(y + at, codes + at, scales[block], numbers, n - at < how->block ? n - at : how->block);
    }
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_dynamic_quantize_f32(unsigned char *codes, float *scales, const float *x, size_t n,
                                    const bnd_dynamic *how, bnd_error *why)
{
    static const bnd_context best;
    return bnd_lab_dynamic_quantize(codes, scales, x, n, how, &best, why);
}

bnd_status bnd_dynamic_dequantize_f32(float *y, const unsigned char *codes, const float *scales, size_t n,
                                      const bnd_dynamic *how, bnd_error *why)
{
    static const bnd_context best;
    return bnd_lab_dynamic_dequantize(y, codes, scales, n, how, &best, why);
}
