/* binade cast: one piece of an array from its layout to another. */
#include "cast.h"

#include <string.h>

/* ---- how codes lie ---- */

size_t cast_piece_size(const cast_layout *layout, size_t elements)
{
    return bnd_codes_size(&layout->format, elements, layout->packing);
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

void cast_swap_where_big(void *words, unsigned size, size_t count)
{
    if (!little_endian_here()) {
        swap_words(words, size, count);
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
    plan->from = *from;
    plan->to = *to;
    plan->target = via != NULL ? *via : to->format;
    plan->rounded_to = plan->target.name;
    plan->call = call_for(&from->format, via != NULL);
    plan->how.packing_in = (uint8_t)from->packing;
    plan->how.packing_out = (uint8_t)to->packing;
    /* Codes are little-endian wherever they are; float and double are this machine's. */
    bool numbers_in = plan->call != CAST_CONVERT, numbers_out = via != NULL, little = little_endian_here();
    unsigned size_in = (unsigned)cast_piece_size(from, 1); /* .npy: of whole words */
    plan->swap_in = from->big_endian != (numbers_in && !little) ? size_in : 0;
    plan->swap_out = numbers_out && !little ? to->format.width / 8u : 0;
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
    bnd_status status = plan->call == CAST_CONVERT ? bnd_codes_check(in, elements, &plan->from.format, &plan->how, why)
                                                   : BND_OK; /* every word is a number */
    if (status == BND_OK) {
        status = call(plan, out, in, elements, why);
    }
    swap_words(out, plan->swap_out, elements);
    plan->how.first += elements;
    return status;
}
