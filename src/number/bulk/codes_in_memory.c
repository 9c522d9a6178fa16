/* Codes as they lie in memory: words, or back to back by bits. */
#include "bulk/bulk.h"

static unsigned whole_word(unsigned bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

/* Other formats with fields of these widths differ from tf32 in the sign, the bias, the specials or the subnormals:
 * their codes are not the upper bits of fp32 numbers. */
static bool is_tf32(const bnd_format *f)
{
    return f->is_signed && f->exponent_bits == 8 && f->fraction_bits == 10 && f->bias == 127 && f->ieee_nans &&
           f->has_subnormals;
}

/* 7 bits, and a byte in memory (PTX ISA). */
static bool is_ue4m3(const bnd_format *f)
{
    return !f->is_signed && f->exponent_bits == 4 && f->fraction_bits == 3 && f->bias == 7 && f->high_nans == 1 &&
           !f->has_infinity && f->has_subnormals;
}

bndi_storage bnd_lab_storage_of(const bnd_format *f, uint8_t packing)
{
    unsigned width = f->width, word = whole_word(width);
    if (is_tf32(f)) {
        return (bndi_storage){.bits = 32, .shift = packing == BND_PACKING_PACKED ? 13 : 0};
    }
    if (packing == BND_PACKING_UNPACKED || width == word || is_ue4m3(f)) {
        return (bndi_storage){.bits = word};
    }
    return (bndi_storage){.bits = width, .packed = true};
}

size_t bnd_codes_size(const bnd_format *f, size_t n, bnd_packing packing)
{
    unsigned bits = bnd_lab_storage_of(f, (uint8_t)packing).bits;
    if (f->width == 0 || n > SIZE_MAX / 8 / bits) {
        return 0;
    }
    return (n * bits + 7) / 8;
}

static uint64_t mask(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* ---- codes that share bytes: from the lowest bit of each byte up ----
 *
 * A window of 64 bits takes half a word of memory at a time; codes of more than 32 bits go as two. */

static uint32_t load_half(const unsigned char *bytes, size_t left)
{
    uint32_t half = 0;
    if (left >= sizeof half && !BNDI_BIG_ENDIAN) {
        __builtin_memcpy(&half, bytes, sizeof half);
        return half;
    }
    for (size_t i = 0; i < sizeof half && i < left; i++) {
        half |= (uint32_t)bytes[i] << 8 * i;
    }
    return half;
}

static size_t store_half(unsigned char *bytes, uint32_t half, size_t count)
{
    if (count == sizeof half && !BNDI_BIG_ENDIAN) {
        __builtin_memcpy(bytes, &half, sizeof half);
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(half >> 8 * i);
    }
    return count;
}

typedef struct window {
    uint64_t bits;
    unsigned held;
} window;

static inline uint64_t take_bits(window *w, const unsigned char **bytes, size_t *left, unsigned bits)
{
    if (w->held < bits) {
        size_t count = *left < 4 ? *left : 4;
        w->bits |= (uint64_t)load_half(*bytes, *left) << w->held;
        w->held += 32;
        *bytes += count;
        *left -= count;
    }
    uint64_t code = w->bits & mask(bits);
    w->bits >>= bits;
    w->held -= bits;
    return code;
}

static inline void give(window *w, unsigned char **bytes, uint64_t code, unsigned bits)
{
    w->bits |= (code & mask(bits)) << w->held;
    w->held += bits;
    if (w->held >= 32) {
        *bytes += store_half(*bytes, (uint32_t)w->bits, 4);
        w->bits >>= 32;
        w->held -= 32;
    }
}

void bndi_unpack_bits(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n)
{
    const unsigned char *bytes = memory;
    const unsigned low = bits < 32 ? bits : 32, high = bits - low;
    size_t left = n / 8 * bits + (n % 8 * bits + 7) / 8;
    window w = {0, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t code = take_bits(&w, &bytes, &left, low);
        if (high > 0) {
            code |= take_bits(&w, &bytes, &left, high) << 32;
        }
        bndi_put(codes, code_bytes, i, code);
    }
}

void bndi_pack_bits(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n)
{
    unsigned char *bytes = memory;
    const unsigned low = bits < 32 ? bits : 32, high = bits - low;
    window w = {0, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t code = bndi_get(codes, code_bytes, i);
        give(&w, &bytes, code, low);
        if (high > 0) {
            give(&w, &bytes, code >> 32, high);
        }
    }
    store_half(bytes, (uint32_t)w.bits, (w.held + 7) / 8);
}

/* Codes are little-endian in memory on every machine; numbers have the machine's byte order. */
static uint64_t swapped(uint64_t word, unsigned bytes)
{
    return __builtin_bswap64(word) >> (64 - 8 * bytes);
}

static inline void copy_elements(unsigned char *to, ptrdiff_t step_to, const unsigned char *from, ptrdiff_t step_from,
                                 unsigned bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bndi_put(to + (ptrdiff_t)i * step_to, bytes, 0, bndi_get(from + (ptrdiff_t)i * step_from, bytes, 0));
    }
}

static void copy_strided(unsigned char *to, ptrdiff_t step_to, const unsigned char *from, ptrdiff_t step_from,
                         unsigned bytes, size_t n)
{
    switch (bytes) {
    case 1:
        copy_elements(to, step_to, from, step_from, 1, n);
        break;
    case 2:
        copy_elements(to, step_to, from, step_from, 2, n);
        break;
    case 4:
        copy_elements(to, step_to, from, step_from, 4, n);
        break;
    default:
        copy_elements(to, step_to, from, step_from, 8, n);
        break;
    }
}

void bnd_lab_gather(void *words, const void *array, unsigned bytes, size_t at, ptrdiff_t stride, size_t n)
{
    ptrdiff_t step = stride * (ptrdiff_t)bytes;
    copy_strided(words, (ptrdiff_t)bytes, (const unsigned char *)array + (ptrdiff_t)at * step, step, bytes, n);
}

void bnd_lab_scatter(void *array, const void *words, unsigned bytes, size_t at, ptrdiff_t stride, size_t n)
{
    ptrdiff_t step = stride * (ptrdiff_t)bytes;
    copy_strided((unsigned char *)array + (ptrdiff_t)at * step, step, words, (ptrdiff_t)bytes, bytes, n);
}

/* All bits that any of these bytes has, eight bytes at a time. */
static uint64_t bits_in_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t found = 0, word = 0;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        __builtin_memcpy(&word, bytes, sizeof word);
        found |= word;
    }
    word = 0;
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)&word)[i] = bytes[i];
    }
    return found | word;
}

/* The first of n words from `step` to `step` bytes. */
static size_t find_word(const unsigned char *array, unsigned bytes, ptrdiff_t step, uint64_t bits, size_t n)
{
    size_t i = 0;
    while (i < n && (bndi_get(array + (ptrdiff_t)i * step, bytes, 0) & bits) == 0) {
        i++;
    }
    return i;
}

size_t bndi_first_with(const void *array, unsigned bytes, ptrdiff_t stride, uint64_t bits, size_t n)
{
    enum { AT_ONCE = 4096 };
    const unsigned char *memory = array;
    const uint64_t wanted = BNDI_BIG_ENDIAN ? swapped(bits, bytes) : bits;
    uint64_t in_each = wanted;
    for (unsigned have = bytes; have < sizeof in_each; have *= 2) {
        in_each |= in_each << 8 * have;
    }
    const ptrdiff_t step = stride * (ptrdiff_t)bytes;
    for (size_t at = 0, some = AT_ONCE; at < n; at += some) {
        const unsigned char *from = memory + (ptrdiff_t)at * step;
        some = n - at < AT_ONCE ? n - at : AT_ONCE;
        if (stride == 1 && (bits_in_bytes(from, some * bytes) & in_each) == 0) {
            continue;
        }
        size_t place = find_word(from, bytes, step, wanted, some);
        if (place < some) {
            return at + place;
        }
    }
    return n;
}

void bnd_lab_swap(void *words, unsigned bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bndi_put(words, bytes, i, swapped(bndi_get(words, bytes, i), bytes));
    }
}
