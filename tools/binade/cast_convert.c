/* binade cast: one piece of an array from its layout to another. */
#include "cast.h"

#include <stdlib.h>
#include <string.h>

/* ---- how codes lie ---- */

typedef struct storage {
    unsigned bits, shift; /* of an element as it is stored; a tf32 code stands in the upper bits of its word */
} storage;

static bool is_whole_word(unsigned width)
{
    return width == 8 || width == 16 || width == 32 || width == 64;
}

static bool is_tf32(const bnd_format *f)
{
    return bnd_codes_size(f, 8, BND_PACKED) == 32 && f->width != 32;
}

size_t cast_piece_size(const cast_layout *layout, size_t elements)
{
    return bnd_codes_size(&layout->format, elements, layout->packing);
}

static storage storage_of(const bnd_format *f, bnd_packing packing)
{
    unsigned bits = (unsigned)bnd_codes_size(f, 8, packing); /* eight elements have as many bytes as one has bits */
    return (storage){bits, is_tf32(f) && packing == BND_PACKED ? bits - f->width : 0};
}

static uint64_t load_bits(const unsigned char *bytes, uint64_t at, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned have = 0; have < bits;) {
        unsigned from = (unsigned)((at + have) & 7), take = bits - have < 8 - from ? bits - have : 8 - from;
        uint64_t part = (unsigned)bytes[(at + have) >> 3] >> from & ((1u << take) - 1);
        value |= part << have;
        have += take;
    }
    return value;
}

/* Into bytes that are zero. */
static void store_bits(unsigned char *bytes, uint64_t at, unsigned bits, uint64_t value)
{
    for (unsigned done = 0; done < bits;) {
        unsigned from = (unsigned)((at + done) & 7), give = bits - done < 8 - from ? bits - done : 8 - from;
        bytes[(at + done) >> 3] |= (unsigned char)((value >> done & ((1u << give) - 1)) << from);
        done += give;
    }
}

/* One packing to the other. Rare: only where input and output both have codes that are no whole words, and one of them
 * is packed and the other is not (.npy and a bare array). */
static void repack(unsigned char *out, bnd_packing to, const unsigned char *in, bnd_packing from, const bnd_format *f,
                   size_t elements)
{
    storage source = storage_of(f, from), target = storage_of(f, to);
    uint64_t mask = (UINT64_C(1) << f->width) - 1; /* never 64 bits wide */
    memset(out, 0, bnd_codes_size(f, elements, to));
    for (size_t i = 0; i < elements; i++) {
        uint64_t code = load_bits(in, (uint64_t)i * source.bits, source.bits) >> source.shift & mask;
        store_bits(out, (uint64_t)i * target.bits, target.bits, code << target.shift);
    }
}

/* ---- byte order ---- */

static bool little_endian_here(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void swap_words(unsigned char *bytes, unsigned size, size_t elements)
{
    for (size_t i = 0; i < elements && size > 1; i++, bytes += size) {
        for (unsigned k = 0; k < size / 2; k++) {
            unsigned char other = bytes[k];
            bytes[k] = bytes[size - 1 - k];
            bytes[size - 1 - k] = other;
        }
    }
}

/* ---- the plan ---- */

static bool is_named(const bnd_format *f, const char *name)
{
    bnd_format other;
    return bnd_format_parse(&other, name, NULL) == BND_OK && bnd_format_same(f, &other);
}

static enum cast_call call_for(const bnd_format *from, bool keeps_format)
{
    if (is_named(from, "fp32")) {
        return keeps_format ? CAST_ROUND_F32 : CAST_ENCODE_F32;
    }
    if (is_named(from, "fp64")) {
        return keeps_format ? CAST_ROUND_F64 : CAST_ENCODE_F64;
    }
    return CAST_CONVERT;
}

void cast_make_plan(cast_plan *plan, const cast_layout *from, const cast_layout *to, const bnd_format *via)
{
    bool free_in = is_whole_word(from->format.width), free_out = is_whole_word(to->format.width);
    plan->from = *from;
    plan->to = *to;
    plan->target = via != NULL ? *via : to->format;
    plan->call = call_for(&from->format, via != NULL);
    plan->how.packing = (uint8_t)(free_out ? from->packing : to->packing);
    if (!free_in && !free_out && from->packing != to->packing) {
        plan->repacked = allocate(NULL, CAST_PIECE, 8);
    }
    /* Codes are little-endian wherever they are; float and double are this machine's. */
    bool numbers_in = plan->call != CAST_CONVERT, numbers_out = via != NULL, little = little_endian_here();
    unsigned size_in = free_in ? from->format.width / 8u : (unsigned)cast_piece_size(from, 1);
    plan->swap_in = from->big_endian != (numbers_in && !little) ? size_in : 0;
    plan->swap_out = numbers_out && !little ? to->format.width / 8u : 0;
}

void cast_clear_plan(cast_plan *plan)
{
    free(plan->repacked);
    plan->repacked = NULL;
}

static bnd_status call(cast_plan *plan, void *out, void *in, size_t n, bnd_error *why)
{
    const bnd_format *f = &plan->target;
    switch (plan->call) {
    case CAST_ENCODE_F32:
        return bnd_encode_f32(out, in, n, f, &plan->how, plan->stats, why);
    case CAST_ENCODE_F64:
        return bnd_encode_f64(out, in, n, f, &plan->how, plan->stats, why);
    case CAST_ROUND_F32:
        return bnd_round_f32(out, in, n, f, &plan->how, plan->stats, why);
    case CAST_ROUND_F64:
        return bnd_round_f64(out, in, n, f, &plan->how, plan->stats, why);
    default:
        return bnd_convert_codes(out, f, in, &plan->from.format, n, &plan->how, plan->stats, why);
    }
}

bnd_status cast_convert(cast_plan *plan, unsigned char *out, unsigned char *in, size_t elements, bnd_error *why)
{
    swap_words(in, plan->swap_in, elements);
    if (plan->repacked != NULL) {
        repack(plan->repacked, plan->to.packing, in, plan->from.packing, &plan->from.format, elements);
        in = plan->repacked;
    }
    bnd_status status = call(plan, out, in, elements, why);
    swap_words(out, plan->swap_out, elements);
    plan->how.first += elements;
    return status;
}
