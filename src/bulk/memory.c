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

static inline uint64_t load_little(const unsigned char *bytes, unsigned count)
{
    uint64_t word = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < count; i++) {
        word |= (uint64_t)bytes[i] << 8 * i;
    }
    return word;
}

static inline void store_little(unsigned char *bytes, unsigned count, uint64_t word)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(word >> 8 * i);
    }
}

static uint64_t mask(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* From the lowest bit of each byte up. */
static void load_packed(uint64_t *codes, const unsigned char *bytes, unsigned bits, size_t n)
{
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
        codes[i] = code;
    }
}

static void store_packed(unsigned char *bytes, const uint64_t *codes, unsigned bits, size_t n)
{
    unsigned byte = 0, held = 0;
    for (size_t i = 0; i < n; i++) {
        for (unsigned done = 0; done < bits;) {
            unsigned give = bits - done < 8 - held ? bits - done : 8 - held;
            byte |= (unsigned)(codes[i] >> done & mask(give)) << held;
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

/* Words of `size` bytes, known where these are called: the bytes of one become a single access. */
static inline void load_elements(uint64_t *codes, const unsigned char *bytes, unsigned size, unsigned shift, size_t at,
                                 ptrdiff_t stride, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t place = (ptrdiff_t)(at + i) * stride * (ptrdiff_t)size;
        codes[i] = load_little(bytes + place, size) >> shift;
    }
}

static inline void store_elements(unsigned char *bytes, const uint64_t *codes, unsigned size, unsigned shift, size_t at,
                                  ptrdiff_t stride, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t place = (ptrdiff_t)(at + i) * stride * (ptrdiff_t)size;
        store_little(bytes + place, size, codes[i] << shift);
    }
}

void bndi_load_codes(uint64_t *codes, const void *memory, bndi_storage storage, size_t at, ptrdiff_t stride, size_t n)
{
    const unsigned char *bytes = memory;
    if (storage.packed) {
        load_packed(codes, bytes + at / 8 * storage.bits, storage.bits, n);
        return;
    }
    switch (storage.bits) {
    case 8:
        load_elements(codes, bytes, 1, storage.shift, at, stride, n);
        break;
    case 16:
        load_elements(codes, bytes, 2, storage.shift, at, stride, n);
        break;
    case 32:
        load_elements(codes, bytes, 4, storage.shift, at, stride, n);
        break;
    default:
        load_elements(codes, bytes, 8, storage.shift, at, stride, n);
        break;
    }
}

void bndi_store_codes(void *memory, const uint64_t *codes, bndi_storage storage, size_t at, ptrdiff_t stride, size_t n)
{
    unsigned char *bytes = memory;
    if (storage.packed) {
        store_packed(bytes + at / 8 * storage.bits, codes, storage.bits, n);
        return;
    }
    switch (storage.bits) {
    case 8:
        store_elements(bytes, codes, 1, storage.shift, at, stride, n);
        break;
    case 16:
        store_elements(bytes, codes, 2, storage.shift, at, stride, n);
        break;
    case 32:
        store_elements(bytes, codes, 4, storage.shift, at, stride, n);
        break;
    default:
        store_elements(bytes, codes, 8, storage.shift, at, stride, n);
        break;
    }
}
