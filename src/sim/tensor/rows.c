/* Rows of a tensor as numbers. A chunk holds as many rows as fit, so that short rows cost no more than long ones. Rows
 * that lie in memory as numbers are read in place. */
#include "tensor/engine.h"
#include "tensor/rows.h"
#include "tensor/view_make.h"

/* With room for a block of each of the parts. */
static bnd_status open_rows(bndi_rows *r, const bnd_tensor *t, size_t length, bndi_width work, const bndi_store *how,
                            size_t parts, bnd_error *why)
{
    size_t n = bndi_count(&t->shape), block = n < BNDI_TENSOR_CHUNK ? n : BNDI_TENSOR_CHUNK,
           room = length > block ? length : block;
    bndi_walk_open(&r->walk, t, &t->shape, work);
    r->room = room * bndi_work_size(work);
    if (!r->walk.plain) {
        bnd_status status = bndi_buffer_new(&r->memory, t->engine, BND_ROLE_SCRATCH, parts * r->room, false, why);
        if (status != BND_OK) {
            return status;
        }
        r->numbers = r->memory->data;
    }
    r->length = length;
    r->rows = length > 0 ? n / length : 0;
    r->per_block = length >= BNDI_TENSOR_CHUNK ? 1 : length > 0 ? BNDI_TENSOR_CHUNK / length : 0;
    r->first = 0;
    r->count = 0;
    r->how = how;
    r->log = NULL;
    r->open = true;
    return BND_OK;
}

bnd_status bndi_rows_open(bndi_rows *r, const bnd_tensor *t, size_t length, bndi_width work, const bndi_store *how,
                          bnd_error *why)
{
    return open_rows(r, t, length, work, how, 1, why);
}

/* The rows from `first` on that make a block. */
static void start_block(bndi_rows *r, size_t row)
{
    r->first = row;
    r->count = r->rows - row < r->per_block ? r->rows - row : r->per_block;
    if (r->walk.plain) {
        r->numbers = bndi_walk_place(&r->walk, r->first * r->length, NULL);
    }
}

static void write_some(bndi_rows *r, size_t at, size_t n, const unsigned char *numbers)
{
    bndi_store how = *r->how;
    if (r->log != NULL) {
        how.stats = r->log++;
    }
    bndi_write(&r->walk, at, n, numbers, &how);
}

static void move_block(bndi_rows *r, bool out)
{
    size_t begin = r->first * r->length, n = r->count * r->length, size = bndi_work_size(r->walk.work);
    for (size_t done = 0; done < n; done += BNDI_TENSOR_CHUNK) {
        size_t m = n - done < BNDI_TENSOR_CHUNK ? n - done : BNDI_TENSOR_CHUNK;
        if (out && r->how != NULL) {
            write_some(r, begin + done, m, r->numbers + done * size);
        } else if (!out) {
            bndi_read_into(r->numbers + done * size, &r->walk, begin + done, m);
        }
    }
}

static unsigned char *place_of(const bndi_rows *r, size_t row)
{
    return r->numbers + (row - r->first) * r->length * bndi_work_size(r->walk.work);
}

const void *bndi_row_read(bndi_rows *r, size_t row)
{
    if (row - r->first >= r->count) {
        start_block(r, row);
        if (!r->walk.plain) {
            move_block(r, false);
        }
    }
    return place_of(r, row);
}

bnd_status bndi_row_index(size_t *index, bndi_rows *r, size_t row, size_t limit, const char *who, bnd_error *why)
{
    double x = *(const double *)bndi_row_read(r, row);
    if (!(x >= 0 && x < (double)limit) || x != (double)(size_t)x) {
        return bnd_fail(why, BND_BAD_ARGUMENT, row,
                        "%s: number %zu of the indices must be a whole number from 0 to %zu", who, row,
                        limit > 0 ? limit - 1 : 0);
    }
    *index = (size_t)x;
    return BND_OK;
}

void *bndi_row_place(bndi_rows *r, size_t row)
{
    if (row - r->first >= r->count) {
        move_block(r, true);
        start_block(r, row);
    }
    return place_of(r, row);
}

void bndi_rows_close(bndi_rows *r)
{
    if (r->open && r->how != NULL) {
        move_block(r, true);
    }
    bndi_buffer_release(r->memory);
    r->memory = NULL;
    r->open = false;
}

/* ---- functions of rows ---- */

/* The tensor with the axes `along` at the end; what has been reduced has them no more, or one element of them. */
static bnd_status rows_last(bnd_tensor **view, bndi_row_operand o, unsigned along, bnd_error *why)
{
    size_t rank = o.tensor->shape.rank, from[BND_TENSOR_RANK_MAX] = {0}, next = 0;
    for (unsigned last = 0; last < 2; last++) {
        for (size_t i = 0; i < rank; i++) {
            if (o.reduced ? last == 0 : (along >> i & 1) == last) {
                from[next++] = i;
            }
        }
    }
    return bndi_permuted(view, o.tensor, from, why);
}

typedef struct opened {
    bnd_tensor *view;
    bndi_rows rows;
} opened;

static bnd_status open_operand(opened *x, bndi_row_operand o, size_t length, unsigned along, bndi_width work,
                               const bndi_store *how, size_t parts, bnd_error *why)
{
    bnd_status status = rows_last(&x->view, o, along, why);
    return status == BND_OK ? open_rows(&x->rows, x->view, o.reduced ? 1 : length, work, how, parts, why) : status;
}

static void close_operand(opened *x)
{
    bndi_rows_close(&x->rows);
    bndi_drop(x->view);
}

/* A function made ready; blocks of the rows that it makes go to threads. */
typedef struct pass {
    bndi_row_function *f;
    bndi_row_pass row;
    const opened *to, *from;
    unsigned count;
} pass;

/* Rows up to `end`, in the buffer of a part. */
static bndi_rows rows_of_part(const bndi_rows *r, size_t part, size_t end)
{
    bndi_rows own = *r;
    own.rows = end;
    if (!own.walk.plain) {
        own.numbers += part * own.room;
    }
    return own;
}

static void do_block(void *of, size_t piece, size_t part, bnd_stats *log)
{
    const pass *p = of;
    bndi_row_pass row = p->row;
    const size_t begin = piece * p->to->rows.per_block, left = p->to->rows.rows - begin,
                 end = begin + (left < p->to->rows.per_block ? left : p->to->rows.per_block);
    bndi_rows to = rows_of_part(&p->to->rows, part, end), from[BNDI_ROW_OPERANDS];
    to.log = log;
    row.scratch += part * row.length;
    for (unsigned o = 0; o < p->count; o++) {
        from[o] = rows_of_part(&p->from[o].rows, part, end);
    }
    for (size_t at = begin; at < end; at++) {
        const void *rows[BNDI_ROW_OPERANDS] = {NULL};
        for (unsigned o = 0; o < p->count; o++) {
            rows[o] = bndi_row_read(&from[o], at);
        }
        p->f(&row, bndi_row_place(&to, at), rows);
    }
    move_block(&to, true);
}

/* Blocks of the rows that are made, whatever the number of threads: statistics depend on them. */
static void do_rows(pass *p, bnd_engine *engine, size_t parts, const bndi_store *how)
{
    const bndi_rows *to = &p->to->rows;
    const bndi_walk *from[BNDI_ROW_OPERANDS];
    for (unsigned o = 0; o < p->count; o++) {
        from[o] = &p->from[o].rows.walk;
    }
    const size_t blocks = to->per_block > 0 ? (to->rows + to->per_block - 1) / to->per_block : 0;
    const size_t writes = (to->per_block * to->length + BNDI_TENSOR_CHUNK - 1) / BNDI_TENSOR_CHUNK;
    const bool may = bndi_threads_may(engine, from, p->count, &to->walk, how);
    bndi_store_pieces(blocks, writes, may ? parts : 1, how, do_block, p);
}

bnd_status bndi_run_rows(bndi_row_operand out, const bndi_row_operand *in, unsigned count, const bndi_shape *shape,
                         unsigned along, bndi_width work, bndi_row_function *f, const bndi_store *how, bnd_error *why)
{
    opened to = {.view = NULL}, from[BNDI_ROW_OPERANDS] = {{.view = NULL}};
    bnd_engine *engine = out.tensor->engine;
    bndi_buffer *scratch = NULL;
    const size_t parts = bndi_parts_of(engine, bndi_count(shape));
    pass p = {.f = f, .to = &to, .from = from, .count = count};
    p.row = (bndi_row_pass){.maths = bndi_maths_of(&engine->context), .work = work, .length = 1};
    for (size_t i = 0; i < shape->rank; i++) {
        p.row.length *= (along >> i & 1) != 0 ? shape->extent[i] : 1;
    }
    bnd_status status =
        bndi_buffer_new(&scratch, engine, BND_ROLE_SCRATCH, parts * p.row.length * sizeof(double), false, why);
    if (status == BND_OK) {
        p.row.scratch = (double *)(void *)scratch->data;
        status = open_operand(&to, out, p.row.length, along, work, how, parts, why);
    }
    for (unsigned i = 0; status == BND_OK && i < count; i++) {
        status = open_operand(&from[i], in[i], p.row.length, along, work, NULL, parts, why);
    }
    if (status == BND_OK) {
        do_rows(&p, engine, parts, how);
    }
    close_operand(&to);
    for (unsigned i = 0; i < count; i++) {
        close_operand(&from[i]);
    }
    bndi_buffer_release(scratch);
    return status;
}
