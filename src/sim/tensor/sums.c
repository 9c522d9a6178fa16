/* Sums over axes, in the order that <binade-lab/tensor.h> promises. A tensor is seen as rows: its last axes of one
 * kind, reduced or kept. A reduced row is summed in sixteen lanes, element i in lane i mod 16, which are then added in
 * pairs. A kept row is added to the sums so far. Rows are added in order. All sums are in double and rounded once at
 * the end. */
#include "tensor/engine.h"
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/sums.h"

typedef struct reduction {
    const bndi_maths *maths;
    bndi_width work;   /* of the numbers that are added */
    bndi_shape shape;  /* of what is reduced */
    unsigned reduced;  /* a bit an axis */
    size_t row;        /* elements of a row */
    size_t first_axis; /* of those that are rows */
    bool row_reduced;
} reduction;

static void open_reduction(reduction *r, const bndi_shape *shape, unsigned reduced)
{
    size_t axis = shape->rank;
    *r = (reduction){.shape = *shape, .reduced = reduced, .row = 1};
    r->row_reduced = axis > 0 && (reduced >> (axis - 1) & 1) != 0;
    while (axis > 0 && ((reduced >> (axis - 1) & 1) != 0) == r->row_reduced) {
        axis--;
        r->row *= shape->extent[axis];
    }
    r->first_axis = axis;
}

/* Where row number `row` goes, in the row-major order of the axes that are kept. */
static size_t target_of(const reduction *r, size_t row)
{
    size_t at = 0, step = r->row_reduced ? 1 : r->row;
    for (size_t i = r->first_axis; i-- > 0;) {
        size_t index = row % r->shape.extent[i];
        row /= r->shape.extent[i];
        if ((r->reduced >> i & 1) == 0) {
            at += index * step;
            step *= r->shape.extent[i];
        }
    }
    return at;
}

enum { LANES = 16 };

/* Elements first .. first + n - 1 of a row. */
static void add_to_lanes(const reduction *r, double *lanes, size_t first, const unsigned char *x, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t lane = (first + i) % LANES, m = LANES - lane < n - i ? LANES - lane : n - i;
        r->maths->add[r->work](lanes + lane, x + i * bndi_work_size(r->work), m);
        i += m;
    }
}

static double sum_of_lanes(double *lanes)
{
    for (size_t half = LANES / 2; half > 0; half /= 2) {
        for (size_t lane = 0; lane < half; lane++) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return lanes[0];
}

/* A piece of a row, elements first .. first + n - 1 of it. */
static void take(const reduction *r, double *sums, double *lanes, size_t row, size_t first, const unsigned char *x,
                 size_t n)
{
    double *to = sums + target_of(r, row);
    if (!r->row_reduced) {
        r->maths->add[r->work](to + first, x, n);
        return;
    }
    if (first == 0) {
        __builtin_memset(lanes, 0, LANES * sizeof *lanes);
    }
    add_to_lanes(r, lanes, first, x, n);
    if (first + n == r->row) {
        *to += sum_of_lanes(lanes);
    }
}

void bndi_sum_axes(double *sums, const bnd_tensor *t, unsigned reduced)
{
    reduction r;
    bndi_walk walk;
    bndi_numbers buffer;
    double lanes[LANES];
    size_t n = bndi_count(&t->shape);
    open_reduction(&r, &t->shape, reduced);
    r.maths = bndi_maths_of(&t->engine->context);
    r.work = bnd_lab_words_hold(BNDI_WORDS_32, &t->format) && t->buffer->integer == 0 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    bndi_walk_open(&walk, t, &t->shape, r.work);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const unsigned char *x = bndi_read(&walk, at, m, &buffer);
        for (size_t done = 0; done < m;) {
            size_t row = (at + done) / r.row, first = (at + done) % r.row;
            size_t part = r.row - first < m - done ? r.row - first : m - done;
            take(&r, sums, lanes, row, first, x + done * bndi_work_size(r.work), part);
            done += part;
        }
    }
}

void bndi_store_sums(bnd_tensor *out, const double *sums, double over, const bndi_store *how)
{
    bndi_walk walk;
    bndi_numbers buffer;
    size_t n = bndi_count(&out->shape);
    bndi_walk_open(&walk, out, &out->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        for (size_t i = 0; i < m; i++) {
            buffer.f64[i] = sums[at + i] / over;
        }
        bndi_write(&walk, at, m, &buffer, how);
    }
}

/* ---- gradients of what broadcasts ---- */

bnd_status bndi_sum_to(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g, unsigned i, const bnd_tensor *d,
                       bnd_error *why)
{
    const bndi_shape *to = &c->in_shape[i];
    size_t missing = d->shape.rank - to->rank;
    unsigned reduced = 0;
    bndi_buffer *sums;
    for (size_t axis = 0; axis < d->shape.rank; axis++) {
        bool repeats = axis < missing || to->extent[axis - missing] != d->shape.extent[axis];
        reduced |= (unsigned)repeats << axis;
    }
    bnd_status status = bndi_gradient_of_operand(out, c, g, i, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = bndi_store_for(c->engine, g->role[i]);
    if (reduced == 0) {
        bndi_copy_numbers(*out, d, &how);
        return BND_OK;
    }
    status = bndi_buffer_new(&sums, c->engine, BND_ROLE_SCRATCH, bndi_count(to) * sizeof(double), true, why);
    if (status != BND_OK) {
        bndi_drop(*out);
        *out = NULL;
        return status;
    }
    bndi_sum_axes((double *)(void *)sums->data, d, reduced);
    bndi_store_sums(*out, (const double *)(const void *)sums->data, 1, &how);
    bndi_count_flops(c->engine, BND_TENSOR_OP_SUM, bndi_count(&d->shape));
    bndi_buffer_release(sums);
    return BND_OK;
}

/* ---- the axes of a reduction ---- */

/* The axes of a call as bits: all, where none is named. */
bnd_status bndi_reduced_axes(unsigned *reduced, const bndi_call *c, bnd_error *why)
{
    size_t rank = c->in_shape[0].rank, axis;
    *reduced = c->attributes.axes == 0 ? (1u << rank) - 1 : 0;
    for (unsigned i = 0; i < c->attributes.axes; i++) {
        bnd_status status = bndi_axis(&axis, c->attributes.axis[i], rank, c->row->name, why);
        if (status != BND_OK) {
            return status;
        }
        if ((*reduced >> axis & 1) != 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: axis %zu is named twice", c->row->name, axis);
        }
        *reduced |= 1u << axis;
    }
    return BND_OK;
}

/* The shape with those axes of extent 1, or without them. */
void bndi_reduced_shape(bndi_shape *out, const bndi_shape *in, unsigned reduced, bool keep)
{
    out->rank = 0;
    for (size_t i = 0; i < in->rank; i++) {
        bool goes = (reduced >> i & 1) != 0;
        if (keep || !goes) {
            out->extent[out->rank++] = goes ? 1 : in->extent[i];
        }
    }
}

bnd_status bndi_shape_of_reduction(bndi_call *c, bnd_error *why)
{
    unsigned reduced;
    bnd_status status = bndi_reduced_axes(&reduced, c, why);
    if (status == BND_OK) {
        bndi_reduced_shape(&c->shape, &c->in_shape[0], reduced, c->attributes.keep);
    }
    return status;
}
