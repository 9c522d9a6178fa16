/* Operations that depend on an element's position: triangles of the last two axes, the causal mask, dropout. */
#include "tensor/gradient.h"
#include "tensor/reader.h"

typedef struct place {
    size_t rows, columns; /* of the last two axes */
    int64_t diagonal;
    bool upper;
    uint64_t seed, purpose, threshold; /* dropout: what is dropped has 32 random bits below it */
    double kept;                       /* a factor */
} place;

static place place_of(const bndi_call *c)
{
    size_t rank = c->shape.rank;
    double number = c->attributes.number[0]; /* the share, or the diagonal */
    bool drops = c->operation == BND_TENSOR_OP_DROPOUT;
    return (place){.rows = rank > 1 ? c->shape.extent[rank - 2] : 1,
                   .columns = rank > 0 ? c->shape.extent[rank - 1] : 1,
                   .diagonal = drops ? 0 : (int64_t)number,
                   .upper = c->operation == BND_TENSOR_OP_TRIU,
                   .seed = c->attributes.seed,
                   .purpose = c->attributes.purpose,
                   .threshold = drops ? (uint64_t)(number * 0x1p32) : 0,
                   .kept = drops && number < 1 ? 1 / (1 - number) : 1};
}

/* The elements from `first` up to `end` of row `row` are those that stay; a matrix's rows count from 0. */
static void span_of_row(size_t *first, size_t *end, const place *p, size_t row)
{
    int64_t columns = (int64_t)p->columns, edge = (int64_t)row + p->diagonal + (p->upper ? 0 : 1);
    size_t cut = (size_t)(edge < 0 ? 0 : edge > columns ? columns : edge);
    *first = p->upper ? cut : 0;
    *end = p->upper ? p->columns : cut;
}

static void fill(void *y, size_t first, size_t end, bndi_width work, double x)
{
    for (size_t i = first; i < end; i++) {
        if (work == BNDI_WORDS_32) {
            ((float *)y)[i] = (float)x;
        } else {
            ((double *)y)[i] = x;
        }
    }
}

static size_t within(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Elements at .. at + n - 1, by rows and parts of rows: what stays is copied. */
static void mask_triangle(const place *p, char *y, const char *x, size_t at, size_t n, bndi_width work,
                          double otherwise)
{
    const size_t size = bndi_work_size(work);
    for (size_t done = 0; done < n;) {
        size_t column = (at + done) % p->columns, row = (at + done) / p->columns % p->rows, first, end;
        size_t m = p->columns - column < n - done ? p->columns - column : n - done;
        span_of_row(&first, &end, p, row);
        first = within(first, column, column + m);
        end = within(end, first, column + m);
        fill(y, done, done + first - column, work, otherwise);
        const size_t from = (done + first - column) * size;
        __builtin_memcpy(y + from, x + from, (end - first) * size);
        fill(y, done + end - column, done + m, work, otherwise);
        done += m;
    }
}

static void drop_out(const place *p, double *y, const double *x, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool stays = bnd_random_bits(p->seed, p->purpose, at + i, 32) >= p->threshold;
        y[i] = stays ? x[i] * p->kept : 0;
    }
}

/* A mask made ready; chunks of it go to threads. */
typedef struct pass {
    place place;
    bndi_walk to, from;
    double otherwise;
    bool drops;
} pass;

static void do_chunk(void *of, size_t at, size_t n, const bndi_store *how)
{
    const pass *p = of;
    bndi_numbers in, out;
    const void *numbers = bndi_read(&p->from, at, n, &in);
    void *result = bndi_walk_place(&p->to, at, &out);
    if (p->drops) {
        drop_out(&p->place, result, numbers, at, n);
    } else {
        mask_triangle(&p->place, result, numbers, at, n, p->to.work, p->otherwise);
    }
    bndi_write(&p->to, at, n, result, how);
}

/* y = x where an element stays, times `kept`; `otherwise` elsewhere. */
static void mask(const bndi_call *c, bnd_tensor *y, const bnd_tensor *x, double otherwise, const bndi_store *how)
{
    pass p = {.place = place_of(c), .otherwise = otherwise, .drops = c->operation == BND_TENSOR_OP_DROPOUT};
    const size_t n = bndi_count(&c->shape);
    const bndi_width work = p.drops ? BNDI_WORDS_64 : c->work;
    bndi_walk_open(&p.to, y, &c->shape, work);
    bndi_walk_open(&p.from, x, &c->shape, work);
    const bool may = bndi_threads_may(c->engine, (const bndi_walk *const[]){&p.from}, 1, &p.to, how);
    bndi_store_chunks(n, BNDI_TENSOR_CHUNK, may ? bndi_parts_of(c->engine, n) : 1, how, do_chunk, &p);
}

static bnd_status mask_shape(bndi_call *c, bnd_error *why)
{
    double number = c->attributes.number[0];
    c->shape = c->in_shape[0];
    if (c->operation == BND_TENSOR_OP_DROPOUT) {
        return number >= 0 && number <= 1
                   ? BND_OK
                   : bnd_fail(why, BND_BAD_ARGUMENT, 0, "dropout: the share to drop must be from 0 to 1");
    }
    if (c->shape.rank < 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the tensor has %zu axes; it must have at least 2", c->row->name,
                        c->shape.rank);
    }
    return number >= -0x1p31 && number <= 0x1p31 && number == (double)(int64_t)number
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the diagonal must be an integer from -2^31 to 2^31",
                          c->row->name);
}

/* What softmax makes zero: minus infinity, or, as who has none writes it, the lowest number; minus infinity would be a
 * NaN there, and so would every row of attention but the last. */
static double lowest_of(const bnd_format *f)
{
    bool has_lowest = !f->has_infinity && f->is_signed && f->width > 0;
    return has_lowest ? -bnd_decode(f, f->max_code) : -__builtin_inf();
}

static bnd_status mask_forward(bndi_call *c, bnd_error *why)
{
    bndi_store how = bndi_store_for(c->engine, c->role);
    const bnd_tensor *out = c->saved[BNDI_OUT];
    (void)why;
    mask(c, c->saved[BNDI_OUT], c->saved[0], c->operation == BND_TENSOR_OP_MASKED ? lowest_of(&out->format) : 0, &how);
    return BND_OK;
}

static bnd_status mask_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[0]);
        mask(c, g->out[0], d, 0, &how);
    }
    return status;
}

#define ROW(title)                                                                                                     \
    {                                                                                                                  \
        .name = title, .least = 1, .most = 1, .shape = mask_shape, .forward = mask_forward, .backward = mask_backward, \
        .flops = bndi_no_flops                                                                                         \
    }
const bndi_row bndi_triu_row = ROW("triu"), bndi_tril_row = ROW("tril"), bndi_masked_row = ROW("masked"),
               bndi_dropout_row = ROW("dropout");
