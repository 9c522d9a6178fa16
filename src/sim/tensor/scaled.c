/* Tensors whose numbers share scales: a buffer of codes and one of scales. They are stored as a whole, since a scale
 * follows from all numbers that share it. */
#include "base/verify.h"
#include "base/base.h"
#include "block/partial_array.h"
#include "tensor/engine.h"
#include "tensor/formula.h"
#include "tensor/scaled.h"

#include <stdlib.h>

/* With fewer elements than this, one-byte codes cost more than they save. */
enum { WORTH_DYNAMIC = 4096 };

/* ---- making ---- */

/* Blocks of stored numbers run along the last axis; a vector is a matrix of one row. */
static bnd_status shape_of(bnd_shape *out, const bnd_block *block, const bndi_shape *s, bnd_error *why)
{
    size_t matrix[2] = {1, s->rank == 1 ? s->extent[0] : 1};
    return s->rank < 2 ? bnd_block_shape(out, block, matrix, 2, 1, why)
                       : bnd_block_shape(out, block, s->extent, s->rank, s->rank - 1, why);
}

size_t bndi_packed_codes(const bnd_format *f, size_t n)
{
    const bool integers = f->width == 0 && f->max_quantum == f->least_quantum;
    const size_t bits = f->precision + 1u, whole = n / 8 * bits;
    return integers ? whole + (n % 8 * bits + 7) / 8 : bnd_codes_size(f, n, BND_PACKING_PACKED);
}

static bnd_status measure(size_t *codes, size_t *scales, bndi_scaled *s, const bndi_shape *shape, bnd_error *why)
{
    s->count = bndi_count(shape);
    if (s->how.kind == BNDI_DYNAMIC) {
        *codes = s->count;
        *scales = bnd_dynamic_scales(s->count, &s->how.dynamic) * sizeof(float);
        return BND_OK;
    }
    bnd_status status = shape_of(&s->shape, &s->how.block, shape, why);
    if (status == BND_OK) {
        *codes = bndi_packed_codes(&s->how.block.element, s->count);
        *scales = bnd_block_scales_size(&s->how.block, s->shape) + (s->how.block.tensor ? sizeof(float) : 0);
    }
    return status;
}

static bnd_status make_scaled(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bndi_shape *shape,
                              bnd_error *why)
{
    size_t codes, scales;
    bndi_scaled *s = malloc(sizeof *s);
    bndi_buffer *buffer = NULL;
    if (s == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to describe scales");
    }
    *s = (bndi_scaled){.how = engine->here->scaling[role]};
    bnd_status status = measure(&codes, &scales, s, shape, why);
    if (status == BND_OK) {
        status = bndi_buffer_new(&s->scales, engine, BND_ROLE_EXTRA, scales, true, why);
    }
    if (status == BND_OK) {
        status = bndi_buffer_new(&buffer, engine, bndi_role_of_bytes(role), codes, true, why);
        if (status != BND_OK) {
            bndi_buffer_release(s->scales);
        }
    }
    if (status != BND_OK) {
        free(s);
        return status;
    }
    buffer->scaled = s; /* goes with it */
    return bndi_tensor_over(out, buffer, bnd_lab_format_of_words(BNDI_WORDS_32), shape, why);
}

static bool is_worth(const bndi_scaling *how, const bndi_shape *shape)
{
    bool small = how->kind == BNDI_DYNAMIC && bndi_count(shape) < WORTH_DYNAMIC;
    return how->kind != BNDI_UNSCALED && !small && bndi_count(shape) > 0;
}

bnd_status bndi_room_for(bndi_scaled_room *out, const bnd_cast *cast, bnd_role role, const bndi_shape *shape,
                         bnd_error *why)
{
    const bnd_format *f = cast != NULL ? &cast->format : bnd_lab_format_of_words(BNDI_WORDS_32);
    bndi_scaled_room bytes = {.codes = bndi_packed_codes(f, bndi_count(shape))};
    bndi_scaled s = {.how = {.kind = BNDI_UNSCALED}};
    bnd_status status = cast != NULL ? bndi_scaling_parse(&s.how, cast, role, why) : BND_OK;
    if (status == BND_OK && is_worth(&s.how, shape)) {
        status = measure(&bytes.codes, &bytes.scales, &s, shape, why);
    }
    if (status == BND_OK) {
        *out = bytes;
    }
    return status;
}

bnd_status bndi_tensor_for(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bndi_shape *shape, bnd_error *why)
{
    const bnd_cast *cast = bndi_cast_of(engine, role);
    if (bndi_is_scaled(engine, role) && is_worth(&engine->here->scaling[role], shape)) {
        return make_scaled(out, engine, role, shape, why);
    }
    const bnd_format *f = cast != NULL ? &cast->format : bnd_lab_format_of_words(BNDI_WORDS_32);
    return bndi_tensor_make(out, engine, f, shape, bndi_role_of_bytes(role), true, why);
}

/* ---- as it is ---- */

void bndi_scaled_text(char out[BNDI_SCALED_TEXT], const bndi_scaled *s)
{
    bndi_text text = bndi_text_in(out, BNDI_SCALED_TEXT);
    if (s->how.kind == BNDI_DYNAMIC) {
        bndi_text_string(&text, s->how.dynamic.is_signed ? "" : "u");
        bndi_text_string(&text, s->how.dynamic.is_linear ? "linear:" : "dynamic:");
        bndi_text_unsigned(&text, s->how.dynamic.block, 10, 1);
        return;
    }
    bndi_text_string(&text, s->how.block.name);
    bndi_text_char(&text, ':');
    bndi_text_string(&text, bnd_scale_rule_name((bnd_scale_rule)s->how.block.rule));
}

bool bndi_stored_alike(const bnd_tensor *a, const bnd_tensor *b)
{
    const bndi_scaled *s = a->buffer->scaled, *t = b->buffer->scaled;
    char of_a[BNDI_SCALED_TEXT], of_b[BNDI_SCALED_TEXT];
    if (!bndi_same_shape(&a->shape, &b->shape) || !bnd_format_same(&a->format, &b->format) ||
        (s == NULL) != (t == NULL)) {
        return false;
    }
    if (s == NULL) {
        return a->buffer->bytes == b->buffer->bytes;
    }
    bndi_scaled_text(of_a, s);
    bndi_scaled_text(of_b, t);
    return bndi_same_word(of_a, bndi_length(of_a), of_b) && a->buffer->bytes == b->buffer->bytes &&
           s->scales->bytes == t->scales->bytes;
}

void bndi_copy_storage(bnd_tensor *y, const bnd_tensor *x)
{
    __builtin_memcpy(y->buffer->data, x->buffer->data, x->buffer->bytes);
    if (x->buffer->scaled != NULL) {
        const bndi_buffer *scales = x->buffer->scaled->scales;
        __builtin_memcpy(y->buffer->scaled->scales->data, scales->data, scales->bytes);
    }
    y->buffer->version++;
}

/* ---- writing ---- */

/* `x` has all of the numbers, side by side. */
static void store(bndi_buffer *to, const float *x, const bndi_store *how)
{
    bndi_scaled *s = to->scaled;
    float *scales = (float *)(void *)s->scales->data, tensor_scale = 1;
    bnd_array array = {.context = &to->engine->context, .rule = how->rule, .seed = how->seed, .purpose = how->purpose};
    bnd_status status;
    if (s->how.kind == BNDI_DYNAMIC) {
        status = bnd_lab_dynamic_quantize(to->data, scales, x, s->count, &s->how.dynamic, array.context, NULL);
    } else {
        status =
            bnd_quantize_f32(to->data, scales, &tensor_scale, x, s->shape, &s->how.block, &array, how->stats, NULL);
    }
    BNDI_VERIFY(status == BND_OK); /* the policy was checked when it was set */
    if (s->how.kind == BNDI_BLOCKS && s->how.block.tensor) {
        __builtin_memcpy(s->scales->data + s->scales->bytes - sizeof tensor_scale, &tensor_scale, sizeof tensor_scale);
    }
}

bnd_status bndi_thaw_room(bnd_tensor *t, bndi_buffer **kept, bnd_error *why)
{
    bndi_buffer *numbers;
    *kept = NULL;
    if (t == NULL || t->buffer->scaled == NULL) {
        return BND_OK;
    }
    const size_t bytes = bndi_count(&t->shape) * sizeof(float);
    bnd_status status = bndi_buffer_new(&numbers, t->engine, BND_ROLE_SCRATCH, bytes, false, why);
    if (status == BND_OK) {
        *kept = t->buffer;
        t->buffer = numbers;
    }
    return status;
}

bnd_status bndi_thaw(bnd_tensor *t, bndi_buffer **kept, bnd_error *why)
{
    bnd_status status = bndi_thaw_room(t, kept, why);
    if (status == BND_OK && *kept != NULL) {
        bndi_buffer *numbers = t->buffer;
        t->buffer = *kept;
        bndi_read_all(numbers->data, t, BNDI_WORDS_32);
        t->buffer = numbers;
    }
    return status;
}

void bndi_freeze(bnd_tensor *t, bndi_buffer *kept, bnd_role role)
{
    if (kept == NULL) {
        return;
    }
    bndi_buffer *numbers = t->buffer;
    bndi_store how = bndi_store_with_scales(t->engine, role);
    store(kept, (const float *)(const void *)numbers->data, &how);
    kept->version++;
    t->buffer = kept;
    bndi_buffer_release(numbers);
}

/* y = x, of the same shape, from where the numbers lie if they are fp32 side by side. */
static bnd_status store_all(bnd_tensor *y, const bnd_tensor *x, bnd_role role, bnd_error *why)
{
    bndi_whole whole;
    bnd_status status = bndi_whole_open(&whole, x, BNDI_WORDS_32, why);
    if (status == BND_OK) {
        const bndi_store how = bndi_store_with_scales(y->engine, role);
        store(y->buffer, whole.numbers, &how);
        y->buffer->version++;
        bndi_whole_close(&whole);
    }
    return status;
}

bnd_status bndi_assign(bnd_tensor *y, const bnd_tensor *x, bnd_role role, const bndi_store *how, bool adds,
                       bnd_error *why)
{
    bndi_buffer *kept;
    if (!adds && bndi_scaled_is_whole(y) && bndi_same_shape(&x->shape, &y->shape)) {
        return store_all(y, x, role, why);
    }
    bnd_status status = adds ? bndi_thaw(y, &kept, why) : bndi_thaw_room(y, &kept, why);
    if (status != BND_OK) {
        return status;
    }
    if (adds) {
        bndi_add_numbers(y, x, how);
    } else {
        bndi_copy_numbers(y, x, how);
    }
    bndi_freeze(y, kept, role);
    return BND_OK;
}
