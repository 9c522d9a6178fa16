/* Reading numbers that share scales: codes times their scales. */
#include "base/verify.h"
#include "block/partial_array.h"
#include "tensor/engine.h"
#include "tensor/scaled.h"

static float tensor_scale_of(const bndi_scaled *s)
{
    float scale = 1;
    if (s->how.kind == BNDI_BLOCKS && s->how.block.tensor) {
        __builtin_memcpy(&scale, s->scales->data + s->scales->bytes - sizeof scale, sizeof scale);
    }
    return scale;
}

bndi_storage bndi_storage_of_scaled(const bndi_scaled *s)
{
    return s->how.kind == BNDI_DYNAMIC ? (bndi_storage){.bits = 8}
                                       : bnd_lab_storage_of(&s->how.block.element, BND_PACKING_PACKED);
}

void bndi_scaled_decode(float *x, const void *words, size_t n, const bndi_scaled *s)
{
    const unsigned char *bytes = words;
    if (s->how.kind == BNDI_BLOCKS) {
        uint8_t packing = bndi_storage_of_scaled(s).packed ? BND_PACKING_UNPACKED : BND_PACKING_PACKED;
        bnd_array how = {.packing_in = packing, .packing_out = packing};
        bnd_status status = bnd_decode_f32(x, words, n, &s->how.block.element, &how, NULL);
        BNDI_VERIFY(status == BND_OK); /* an element has codes, and a chunk fits */
        return;
    }
    float numbers[256];
    bnd_lab_dynamic_numbers(numbers, &s->how.dynamic);
    for (size_t i = 0; i < n; i++) {
        x[i] = numbers[bytes[i]];
    }
}

static void scale_run(float *y, const float *x, const bndi_scaled *s, size_t at, size_t n)
{
    const bnd_context *context = &s->scales->engine->context;
    const float *scales = (const float *)(const void *)s->scales->data;
    const size_t block = s->how.dynamic.block;
    if (s->how.kind == BNDI_BLOCKS) {
        bnd_lab_scale_part(y, x, at, n, s->shape, &s->how.block, scales, tensor_scale_of(s), context);
        return;
    }
    for (size_t i = 0, m; i < n; i += m) {
        m = block - (at + i) % block < n - i ? block - (at + i) % block : n - i;
        bnd_lab_part_times(y + i, x + i, m, scales[(at + i) / block], context);
    }
}

void bndi_scaled_apply(float *y, const float *x, const bndi_scaled *s, size_t start, ptrdiff_t stride, size_t n)
{
    if (stride == 1) {
        scale_run(y, x, s, start, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        scale_run(y + i, x + i, s, start + (size_t)((ptrdiff_t)i * stride), 1);
    }
}

bool bndi_scaled_is_whole(const bnd_tensor *t)
{
    const bndi_scaled *s = t->buffer->scaled;
    return s != NULL && t->offset == 0 && bndi_count(&t->shape) == s->count && bnd_tensor_is_contiguous(t);
}

bool bndi_scaled_read_all(float *x, const bnd_tensor *t)
{
    const bndi_scaled *s = t->buffer->scaled;
    const bnd_context *context = &t->engine->context;
    if (!bndi_scaled_is_whole(t)) {
        return false;
    }
    const float *scales = (const float *)(const void *)s->scales->data;
    bnd_array array = {.context = context};
    bnd_status status =
        s->how.kind == BNDI_DYNAMIC
            ? bnd_lab_dynamic_dequantize(x, t->buffer->data, scales, s->count, &s->how.dynamic, context, NULL)
            : bnd_dequantize_f32(x, t->buffer->data, scales, tensor_scale_of(s), s->shape, &s->how.block, &array, NULL);
    BNDI_VERIFY(status == BND_OK); /* the policy was checked when it was set */
    return true;
}
