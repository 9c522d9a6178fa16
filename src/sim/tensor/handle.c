/* Handles: made, held, released; the numbers of a tensor as a caller reads and writes them. */
#include "tensor/tensor.h"

#include <stdlib.h>

/* ---- references ---- */

static void link_in(bnd_tensor *t)
{
    bnd_engine *engine = t->engine;
    t->serial = ++engine->serial;
    t->previous = engine->last;
    *(engine->last != NULL ? &engine->last->next : &engine->first) = t;
    engine->last = t;
}

static void link_out(bnd_tensor *t)
{
    *(t->previous != NULL ? &t->previous->next : &t->engine->first) = t->next;
    *(t->next != NULL ? &t->next->previous : &t->engine->last) = t->previous;
}

bnd_tensor *bndi_hold(bnd_tensor *t)
{
    t->references++;
    return t;
}

void bndi_drop(bnd_tensor *t)
{
    if (t == NULL || --t->references > 0) {
        return;
    }
    link_out(t);
    bndi_drop(t->gradient);
    bndi_node_release(t->made_by);
    bndi_buffer_release(t->buffer);
    free(t);
}

void bndi_owe(bnd_tensor *t)
{
    t->owed++;
}

bnd_tensor *bnd_tensor_keep(bnd_tensor *t)
{
    t->owed++;
    return bndi_hold(t);
}

void bnd_tensor_release(bnd_tensor *t)
{
    if (t != NULL) {
        t->owed -= t->owed > 0;
        bndi_drop(t);
    }
}

bnd_status bndi_same_engine(const bnd_tensor *a, const bnd_tensor *b, const char *who, bnd_error *why)
{
    return a->engine == b->engine
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the tensors are of two engines; use tensors of one", who);
}

/* ---- making ---- */

static bnd_status new_handle(bnd_tensor **out, bnd_engine *engine, bnd_error *why)
{
    bnd_tensor *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the handle of a tensor");
    }
    t->references = 1;
    t->engine = engine;
    link_in(t);
    *out = t;
    return BND_OK;
}

bnd_status bndi_tensor_over(bnd_tensor **out, bndi_buffer *buffer, const bnd_format *f, const bndi_shape *shape,
                            bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = new_handle(&t, buffer->engine, why);
    if (status != BND_OK) {
        bndi_buffer_release(buffer);
        return status;
    }
    t->buffer = buffer;
    t->format = *f;
    t->shape = *shape;
    bndi_strides_of(t->stride, shape);
    *out = t;
    return BND_OK;
}

bnd_status bndi_tensor_make(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const bndi_shape *shape,
                            bnd_role role, bool zeros, bnd_error *why)
{
    size_t count = bndi_count(shape), bytes = bnd_codes_size(f, count, BND_PACKING_PACKED);
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes; a tensor stores codes", f->name);
    }
    if (bytes == 0 && count > 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor of %zu elements is more than memory can hold", count);
    }
    bndi_buffer *buffer;
    bnd_status status = bndi_buffer_new(&buffer, engine, role, bytes, zeros || f->width % 8 != 0, why);
    return status == BND_OK ? bndi_tensor_over(out, buffer, f, shape, why) : status;
}

bnd_status bndi_view_make(bnd_tensor **out, const bnd_tensor *base, const bndi_shape *shape, const ptrdiff_t *stride,
                          size_t offset, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = new_handle(&t, base->engine, why);
    if (status != BND_OK) {
        return status;
    }
    t->buffer = base->buffer;
    t->buffer->references++;
    t->format = base->format;
    t->shape = *shape;
    __builtin_memcpy(t->stride, stride, shape->rank * sizeof *stride);
    t->offset = offset;
    *out = t;
    return BND_OK;
}

static bnd_status check_role_and_shape(bndi_shape *out, const size_t *shape, size_t rank, bnd_role role, bnd_error *why)
{
    return (unsigned)role < BND_ROLES ? bndi_shape_make(out, shape, rank, why)
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
                          "role %s: its scales belong to the operands of a matrix product, which makes them itself; "
                          "store a tensor for param, master, grad, m, v or extra",
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

/* ---- asking ---- */

bnd_engine *bnd_tensor_engine(const bnd_tensor *t)
{
    return t->engine;
}

const bnd_format *bnd_tensor_format(const bnd_tensor *t)
{
    return &t->format;
}

size_t bnd_tensor_rank(const bnd_tensor *t)
{
    return t->shape.rank;
}

const size_t *bnd_tensor_shape(const bnd_tensor *t)
{
    return t->shape.extent;
}

const ptrdiff_t *bnd_tensor_strides(const bnd_tensor *t)
{
    return t->stride;
}

size_t bnd_tensor_offset(const bnd_tensor *t)
{
    return t->offset;
}

size_t bnd_tensor_count(const bnd_tensor *t)
{
    return bndi_count(&t->shape);
}

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

bool bnd_tensor_is_contiguous(const bnd_tensor *t)
{
    ptrdiff_t stride[BND_RANK_MAX];
    bndi_strides_of(stride, &t->shape);
    bool is = true;
    for (size_t i = 0; i < t->shape.rank; i++) {
        is = is && (t->stride[i] == stride[i] || t->shape.extent[i] == 1);
    }
    return is || bndi_count(&t->shape) == 0;
}

bool bnd_tensor_shares(const bnd_tensor *a, const bnd_tensor *b)
{
    return a->buffer == b->buffer;
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

/* ---- reading and writing ---- */

bnd_status bndi_check_writable(const bnd_tensor *t, bnd_error *why)
{
    if (t->buffer->scaled != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the tensor's numbers share scales: write all of them, with bnd_tensor_write_f32 or _f64");
    }
    return t->buffer->constant
               ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "the tensor lies in a file, which is only read; write to a copy, or load it for another role")
               : BND_OK;
}

static bnd_status check_count(const bnd_tensor *t, size_t n, bnd_error *why)
{
    size_t count = bndi_count(&t->shape);
    char text[BNDI_SHAPE_TEXT];
    return n == count
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu numbers are given for a tensor of shape %s, which has %zu", n,
                          bndi_shape_text(text, &t->shape), count);
}

static bnd_status read_all(void *x, size_t n, const bnd_tensor *t, bndi_width work, bnd_error *why)
{
    bnd_status status = check_count(t, n, why);
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
    const bndi_scaled *s = t->buffer->scaled;
    if (s != NULL && n == s->count && bndi_count(&t->shape) == n && bnd_tensor_is_contiguous(t)) {
        return write_scaled(t, x, n, work, rule, why);
    }
    bnd_status status = bndi_check_writable(t, why);
    bndi_walk walk;
    if (status == BND_OK) {
        status = check_count(t, n, why);
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = {.rule = rule, .seed = t->engine->seed};
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

/* The element at an index, as a tensor of no axes that nobody else sees. */
static bnd_status element_at(bnd_tensor *out, const bnd_tensor *t, const size_t *index, size_t rank, bnd_error *why)
{
    if (rank != t->shape.rank) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "an index of %zu axes is given for a tensor of %zu", rank,
                        t->shape.rank);
    }
    *out = *t;
    out->shape.rank = 0;
    for (size_t i = 0; i < rank; i++) {
        if (index[i] >= t->shape.extent[i]) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "index %zu of axis %zu is beyond its extent of %zu", index[i], i,
                            t->shape.extent[i]);
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
    size_t n = bndi_count(&t->shape);
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
