/* The numbers of a tensor: as matrices, and read from any place on. */
#include "checkpoint/wide_numbers.h"
#include "scan/scan.h"

#include <string.h>

void bndi_tensor_view(bndi_tensor *tensor)
{
    tensor->matrices = tensor->rows = 1;
    tensor->columns = tensor->rank < 2 ? tensor->count : tensor->shape[tensor->rank - 1];
    if (tensor->rank >= 2) {
        tensor->rows = tensor->shape[tensor->rank - 2];
        tensor->matrices = tensor->count == 0 ? 0 : tensor->count / tensor->rows / tensor->columns;
    }
}

bool bndi_tensor_has_countable_codes(const bndi_tensor *tensor)
{
    return tensor->format != NULL && (tensor->format->width == 8 || tensor->format->width == 16);
}

/* From a multiple of BND_WEIGHT_STEP on, where packed codes begin at a whole byte. */
static bnd_status decode(const bndi_tensor *tensor, float *x, uint64_t at, size_t n, bnd_error *why)
{
    if (tensor->format == NULL) {
        return bnd_decode_weight_f32(x, tensor->weight, at, n, NULL, why);
    }
    const unsigned char *codes = tensor->codes + at / 8 * tensor->format->width;
    return bndi_is_wide(tensor->format) ? bndi_decode_to_odd(x, codes, n, tensor->format, why)
                                        : bnd_decode_f32(x, codes, n, tensor->format, NULL, why);
}

bnd_status bndi_tensor_read(const bndi_tensor *tensor, float *x, uint64_t at, size_t n, bnd_error *why)
{
    size_t before = (size_t)(at % BND_WEIGHT_STEP);
    if (before > 0 && n > 0) {
        float step[BND_WEIGHT_STEP];
        uint64_t begin = at - before, left = tensor->count - begin;
        size_t there = left < BND_WEIGHT_STEP ? (size_t)left : BND_WEIGHT_STEP;
        size_t taken = there - before < n ? there - before : n;
        bnd_status status = decode(tensor, step, begin, there, why);
        if (status != BND_OK) {
            return status;
        }
        memcpy(x, step + before, taken * sizeof *x);
        x += taken;
        at += taken;
        n -= taken;
    }
    return n == 0 ? BND_OK : decode(tensor, x, at, n, why);
}

void bndi_decode_all(float *values, const bnd_format *format)
{
    unsigned char codes[2 * 256];
    const unsigned bytes = format->width / 8;
    const size_t all = (size_t)1 << format->width;
    for (size_t at = 0; at < all; at += 256) {
        for (size_t i = 0; i < 256; i++) {
            codes[i * bytes] = (unsigned char)(at + i);
            if (bytes == 2) {
                codes[2 * i + 1] = (unsigned char)((at + i) >> 8);
            }
        }
        bnd_status status = bnd_decode_f32(values + at, codes, 256, format, NULL, NULL);
        (void)status; /* a format with codes, and no choices */
    }
}
