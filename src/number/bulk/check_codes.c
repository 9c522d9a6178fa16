/* Are these codes of their format? The other calls do not look at bits that no code has. */
#include "bulk/array_layout.h"

static uint64_t ones(unsigned count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static uint64_t word_at(const void *array, const bndi_side *s, size_t at)
{
    uint64_t word = 0;
    bnd_lab_gather(&word, array, s->bytes, at, s->stride, 1);
    if (BNDI_BIG_ENDIAN) {
        bnd_lab_swap(&word, s->bytes, 1);
    }
    return bndi_get(&word, s->bytes, 0);
}

static bnd_status check_words(const void *array, size_t n, const bndi_side *s, uint64_t first, bnd_error *why)
{
    const uint64_t code = ones(s->format.width) << s->storage.shift, word = ones(s->storage.bits);
    const size_t at = word == code ? n : bndi_first_with(array, s->bytes, s->stride, word & ~code, n);
    if (at == n) {
        return BND_OK;
    }
    const unsigned long long element = first + at, found = word_at(array, s, at);
    if (s->storage.shift != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "element %llu is 0x%llx, not a code of %s: its lowest %u bits must be zero; convert fp32 "
                        "numbers, which rounds them",
                        element, found, s->format.name, s->storage.shift);
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "element %llu is 0x%llx, not a code of %s, which has %u bits", element,
                    found, s->format.name, (unsigned)s->format.width);
}

/* Checks the bits after the last code: they show whether the array can have codes of this width. */
static bnd_status check_filling(const void *array, size_t n, const bndi_side *s, uint64_t first, bnd_error *why)
{
    const unsigned bits = s->storage.bits, used = (unsigned)(n % 8 * bits % 8);
    const size_t length = n / 8 * bits + (n % 8 * bits + 7) / 8;
    const unsigned last = used != 0 ? ((const unsigned char *)array)[length - 1] : 0;
    if (last >> used == 0) {
        return BND_OK;
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "the last byte, 0x%llx, must have only zeros after the last code of %s, element %llu",
                    (unsigned long long)last, s->format.name, (unsigned long long)(first + n - 1));
}

bnd_status bnd_codes_check(const void *codes, size_t n, const bnd_format *f, const bnd_array *how, bnd_error *why)
{
    const bnd_array choices = how != NULL ? *how : (bnd_array){.context = NULL};
    const bndi_side side = bndi_side_of_codes(f, choices.packing_in, choices.stride_in);
    bnd_status status = bndi_check_choices(&choices, why);
    if (status == BND_OK) {
        status = bndi_check_side(&side, n, why);
    }
    if (status != BND_OK) {
        return status;
    }
    return side.storage.packed ? check_filling(codes, n, &side, choices.first, why)
                               : check_words(codes, n, &side, choices.first, why);
}
