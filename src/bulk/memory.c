/* Codes as they lie in memory: words, or back to back by bits. */
#include "bulk/bulk.h"

static unsigned whole_word(unsigned bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

bndi_storage bndi_storage_of(const bnd_format *f, uint8_t packing)
{
    unsigned width = f->width, word = whole_word(width);
    bool tf32 = width == 19 && f->exponent_bits == 8 && f->fraction_bits == 10;
    if (tf32) {
        return (bndi_storage){.bits = 32, .shift = packing == BND_PACKED ? 13 : 0};
    }
    if (packing == BND_UNPACKED || width == word) {
        return (bndi_storage){.bits = word};
    }
    return (bndi_storage){.bits = width, .packed = true};
}

size_t bnd_codes_size(const bnd_format *f, size_t n, bnd_packing packing)
{
    unsigned bits = bndi_storage_of(f, (uint8_t)packing).bits;
    if (f->width == 0 || n > SIZE_MAX / 8 / bits) {
        return 0;
    }
    return (n * bits + 7) / 8;
}

static uint64_t mask(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* From the lowest bit of each byte up. */
void bndi_unpack_bits(void *codes, const void *memory, unsigned code_bytes, unsigned bits, size_t n)
{
    const unsigned char *bytes = memory;
    uint64_t window = 0;
    unsigned held = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = 0;
        for (unsigned have = 0; have < bits;) {
            if (held == 0) {
                window = *bytes++;
                held = 8;
            }
            unsigned take = bits - have < held ? bits - have : held;
            code |= (window & mask(take)) << have;
            window >>= take;
            held -= take;
            have += take;
        }
        bndi_put(codes, code_bytes, i, code);
    }
}

void bndi_pack_bits(void *memory, const void *codes, unsigned code_bytes, unsigned bits, size_t n)
{
    unsigned char *bytes = memory;
    unsigned byte = 0, held = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = bndi_get(codes, code_bytes, i);
        for (unsigned done = 0; done < bits;) {
            unsigned give = bits - done < 8 - held ? bits - done : 8 - held;
            byte |= (unsigned)(code >> done & mask(give)) << held;
            held += give;
            done += give;
            if (held == 8) {
                *bytes++ = (unsigned char)byte;
                byte = held = 0;
            }
        }
    }
    if (held > 0) {
        *bytes = (unsigned char)byte;
    }
}

/* Codes are little-endian in memory, whatever the machine is; numbers are the machine's own. */
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

void bndi_gather(void *words, const void *array, unsigned bytes, size_t at, ptrdiff_t stride, size_t n)
{
    ptrdiff_t step = stride * (ptrdiff_t)bytes;
    copy_strided(words, (ptrdiff_t)bytes, (const unsigned char *)array + (ptrdiff_t)at * step, step, bytes, n);
}

void bndi_scatter(void *array, const void *words, unsigned bytes, size_t at, ptrdiff_t stride, size_t n)
{
    ptrdiff_t step = stride * (ptrdiff_t)bytes;
    copy_strided((unsigned char *)array + (ptrdiff_t)at * step, step, words, (ptrdiff_t)bytes, bytes, n);
}

void bndi_swap(void *words, unsigned bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bndi_put(words, bytes, i, swapped(bndi_get(words, bytes, i), bytes));
    }
}
