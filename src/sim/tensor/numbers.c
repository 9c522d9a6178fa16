/* Tensors made from numbers, and the numbers of a tensor, read and written by callers. */
#include "tensor/engine.h"
#include "tensor/reader.h"
#include "tensor/scaled.h"

/* ---- making ---- */

static bnd_status check_role_and_shape(bndi_shape *out, const size_t *shape, size_t rank, bnd_role role, bnd_error *why)
{
    return (unsigned)role < BND_ROLE_COUNT
               ? bndi_shape_make(out, shape, rank, why)
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%d is not a role of a tensor", (int)role);
}

bnd_status bnd_tensor_new(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const size_t *shape, size_t rank,
                          bnd_role role, bnd_error *why)
{
    bndi_shape s;
    bnd_tensor *t;
    bnd_status status = check_role_and_shape(&s, shape, rank, role, why);
    if (status == BND_OK) {
        status = bndi_tensor_make(&t, engine, f, &s, role, true, why);
    }
    if (status != BND_OK) {
        return status;
    }
    if (!f->has_zero) {
        status = bnd_tensor_fill(t, 0, why);
        if (status != BND_OK) {
            bndi_drop(t);
            return status;
        }
    }
    bndi_owe(t);
    *out = t;
    return BND_OK;
}

bnd_status bnd_tensor_new_for(bnd_tensor **out, bnd_engine *engine, const size_t *shape, size_t rank, bnd_role role,
                              bnd_error *why)
{
    bndi_shape s;
    bnd_tensor *t;
    bnd_status status = check_role_and_shape(&s, shape, rank, role, why);
    if (status == BND_OK && bndi_is_scaled(engine, role) && !bndi_is_stored(role)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "role %s cannot be used for a stored tensor with scales, which a matrix product makes "
                          "itself; use param, master, grad, m, v or extra",
                          bnd_role_name(role));
    }
    if (status == BND_OK) {
        status = bndi_tensor_for(&t, engine, role, &s, why);
    }
    if (status == BND_OK) {
        bndi_owe(t);
        *out = t;
    }
    return status;
}

typedef bnd_status write_all(bnd_tensor *t, const void *x, size_t n, bnd_rule rule, bnd_error *why);

static bnd_status write_f32(bnd_tensor *t, const void *x, size_t n, bnd_rule rule, bnd_error *why)
{
    return bnd_tensor_write_f32(t, x, n, rule, why);
}

static bnd_status write_f64(bnd_tensor *t, const void *x, size_t n, bnd_rule rule, bnd_error *why)
{
    return bnd_tensor_write_f64(t, x, n, rule, why);
}

static bnd_status new_from(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, write_all *write, const void *x,
                           const size_t *shape, size_t rank, bnd_role role, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = bnd_tensor_new(&t, engine, f, shape, rank, role, why);
    if (status != BND_OK) {
        return status;
    }
    status = write(t, x, bndi_count(&t->shape), (bnd_rule){.rounding = BND_ROUND_RNE}, why);
    if (status != BND_OK) {
        bnd_tensor_release(t);
        return status;
    }
    *out = t;
    return BND_OK;
}

bnd_status bnd_tensor_from_f32(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const float *x,
                               const size_t *shape, size_t rank, bnd_role role, bnd_error *why)
{
    return new_from(out, engine, f, write_f32, x, shape, rank, role, why);
}

bnd_status bnd_tensor_from_f64(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const double *x,
                               const size_t *shape, size_t rank, bnd_role role, bnd_error *why)
{
    return new_from(out, engine, f, write_f64, x, shape, rank, role, why);
}

/* ---- as stored ---- */

size_t bnd_tensor_bytes(const bnd_tensor *t)
{
    if (t->buffer->integer != 0) {
        return bndi_count(&t->shape) * t->buffer->integer;
    }
    if (t->buffer->scaled != NULL) {
        return (bndi_count(&t->shape) * bndi_storage_of_scaled(t->buffer->scaled).bits + 7) / 8;
    }
    return bnd_codes_size(&t->format, bndi_count(&t->shape), BND_PACKING_PACKED);
}

void *bnd_tensor_codes(bnd_tensor *t)
{
    const bndi_scaled *s = t->buffer->scaled;
    size_t bits =
        (s != NULL ? bndi_storage_of_scaled(s) : bnd_lab_storage_of(&t->format, BND_PACKING_PACKED)).bits * t->offset;
    if (t->buffer->constant || !bnd_tensor_is_contiguous(t) || bits % 8 != 0) {
        return NULL;
    }
    t->buffer->version++;
    return t->buffer->data + bits / 8;
}

void *bnd_tensor_scales(bnd_tensor *t, size_t *bytes)
{
    const bndi_scaled *s = t->buffer->scaled;
    *bytes = s != NULL ? s->scales->bytes : 0;
    return s != NULL ? s->scales->data : NULL;
}

/* ---- reading and writing ---- */

static bnd_status check_count(const bnd_tensor *t, size_t n, bnd_error *why)
{
    size_t count = bndi_count(&t->shape);
    char text[BNDI_SHAPE_TEXT];
    return n == count ? BND_OK
                      : bnd_fail(why, BND_BAD_ARGUMENT, 0, "got %zu numbers for a tensor of shape %s, which has %zu", n,
                                 bndi_shape_text(text, &t->shape), count);
}

static bnd_status read_all(void *x, size_t n, const bnd_tensor *t, bndi_width work, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    status = status == BND_OK ? check_count(t, n, why) : status;
    bndi_walk walk;
    bndi_numbers buffer;
    if (status != BND_OK) {
        return status;
    }
    bndi_walk_open(&walk, t, &t->shape, work);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const void *numbers = bndi_read(&walk, at, m, &buffer);
        __builtin_memcpy((char *)x + at * bndi_work_size(work), numbers, m * bndi_work_size(work));
    }
    return BND_OK;
}

bnd_status bnd_tensor_read_f32(float *x, size_t n, const bnd_tensor *t, bnd_error *why)
{
    return read_all(x, n, t, BNDI_WORDS_32, why);
}

bnd_status bnd_tensor_read_f64(double *x, size_t n, const bnd_tensor *t, bnd_error *why)
{
    return read_all(x, n, t, BNDI_WORDS_64, why);
}

static bnd_status write_numbers(bnd_tensor *t, const void *x, size_t n, bndi_width work, bnd_rule rule, bnd_error *why);

/* All of a tensor that shares scales. */
static bnd_status write_scaled(bnd_tensor *t, const void *x, size_t n, bndi_width work, bnd_rule rule, bnd_error *why)
{
    bndi_buffer *kept;
    bnd_role role = t->buffer->role;
    bnd_status status = bndi_thaw(t, &kept, why);
    if (status == BND_OK) {
        status = write_numbers(t, x, n, work, rule, why);
        bndi_freeze(t, kept, role);
    }
    return status;
}

static bnd_status write_numbers(bnd_tensor *t, const void *x, size_t n, bndi_width work, bnd_rule rule, bnd_error *why)
{
    bnd_status status = bnd_rule_check(rule, why); /* before scales are taken away */
    if (status != BND_OK) {
        return status;
    }
    const bndi_scaled *s = t != NULL ? t->buffer->scaled : NULL;
    if (s != NULL && n == s->count && bndi_count(&t->shape) == n && bnd_tensor_is_contiguous(t)) {
        return write_scaled(t, x, n, work, rule, why);
    }
    status = bndi_check_writable(t, why);
    bndi_walk walk;
    status = status == BND_OK ? check_count(t, n, why) : status;
    if (status != BND_OK) {
        return status;
    }
    const bndi_store how = bndi_store_given(t->engine, rule);
    bndi_walk_open(&walk, t, &t->shape, work);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        bndi_write(&walk, at, m, (const char *)x + at * bndi_work_size(work), &how);
    }
    t->buffer->version++;
    return BND_OK;
}

bnd_status bnd_tensor_write_f32(bnd_tensor *t, const float *x, size_t n, bnd_rule rule, bnd_error *why)
{
    return write_numbers(t, x, n, BNDI_WORDS_32, rule, why);
}

bnd_status bnd_tensor_write_f64(bnd_tensor *t, const double *x, size_t n, bnd_rule rule, bnd_error *why)
{
    return write_numbers(t, x, n, BNDI_WORDS_64, rule, why);
}

/* The element at an index, as a private tensor without axes. */
static bnd_status element_at(bnd_tensor *out, const bnd_tensor *t, const size_t *index, size_t rank, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    if (rank != t->shape.rank) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "got an index of %zu axes for a tensor of %zu", rank, t->shape.rank);
    }
    *out = *t;
    out->shape.rank = 0;
    for (size_t i = 0; i < rank; i++) {
        if (index[i] >= t->shape.extent[i]) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "index %zu is out of range for axis %zu, which has %zu elements",
                            index[i], i, t->shape.extent[i]);
        }
        out->offset += (size_t)((ptrdiff_t)index[i] * t->stride[i]);
    }
    return BND_OK;
}

bnd_status bnd_tensor_get(double *x, const bnd_tensor *t, const size_t *index, size_t rank, bnd_error *why)
{
    bnd_tensor element;
    bnd_status status = element_at(&element, t, index, rank, why);
    return status == BND_OK ? bnd_tensor_read_f64(x, 1, &element, why) : status;
}

bnd_status bnd_tensor_set(bnd_tensor *t, const size_t *index, size_t rank, double x, bnd_error *why)
{
    bnd_tensor element;
    bnd_status status = element_at(&element, t, index, rank, why);
    return status == BND_OK ? bnd_tensor_write_f64(&element, &x, 1, (bnd_rule){.rounding = BND_ROUND_RNE}, why)
                            : status;
}

bnd_status bnd_tensor_fill(bnd_tensor *t, double x, bnd_error *why)
{
    bndi_walk walk;
    bndi_numbers buffer;
    bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    size_t n = t != NULL ? bndi_count(&t->shape) : 0;
    bnd_status status = bndi_check_writable(t, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_64);
    for (size_t i = 0; i < BNDI_TENSOR_CHUNK; i++) {
        buffer.f64[i] = x;
    }
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        bndi_write(&walk, at, n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK, &buffer, &how);
    }
    t->buffer->version++;
    return BND_OK;
}
