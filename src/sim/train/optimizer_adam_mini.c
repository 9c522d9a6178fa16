/* Adam-mini (Zhang et al. 2024, arXiv:2406.16793; github.com/zyushun/Adam-mini, version 1.1.1): AdamW with one second
 * moment for each block of a parameter, the mean of v over its elements. Blocks are the heads of queries and keys, the
 * outputs of other matrices (of a table of embeddings, its rows), and whole gains of norms; biases have AdamW's v.
 *
 * The mean of the squares of a block is computed in fp64, element after element, and rounded like the square of a
 * gradient. What follows is AdamW's step with the numbers of blocks: where each block has one element, its bits. */
#include "train/optimizer_steps.h"

#include <string.h>

#include "tensor/engine.h"

static size_t block_at(const bndi_whole_update *f, size_t at)
{
    const size_t output = f->partition->by_columns ? at % f->columns : at / f->columns;
    return bndi_partition_block(f->partition, output);
}

size_t bndi_block_of(const bndi_parameter *p, size_t at)
{
    const bndi_shape *shape = &p->value->shape;
    const bool by_columns = p->partition.by_columns;
    const bndi_whole_update f = {.columns = by_columns ? shape->extent[1] : bndi_count(shape) / shape->extent[0],
                                 .partition = &p->partition};
    return block_at(&f, at);
}

static size_t chunk_at(size_t at, size_t count)
{
    return count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
}

static void add_squares(bndi_whole_update *f, const bnd_run *run, const bndi_parameter *p)
{
    const float unscale = (float)(1 / run->loss_scale);
    const size_t count = bndi_count(&p->value->shape);
    bndi_numbers gradients;
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        const size_t n = chunk_at(at, count);
        const float *x = bndi_take_numbers(&gradients, p->value->gradient, at, n);
        for (size_t i = 0; i < n; i++) {
            const double g = (double)(x[i] * unscale);
            f->row[block_at(f, at + i)] += g * g;
        }
    }
}

/* v of each block, as it is then stored; and what its elements of m are divided by. */
static void divide(bndi_whole_update *f, bnd_run *run, bndi_parameter *p, size_t each)
{
    const size_t groups = f->partition->grouped > 0 ? f->partition->grouped / f->partition->group : 0;
    bndi_numbers v, t;
    for (size_t at = 0; at < f->rows; at += BNDI_TENSOR_CHUNK) {
        bndi_update u = {.training = &run->training,
                         .engine = run->engine,
                         .step_of_v = p->made.v + 1,
                         .n = chunk_at(at, f->rows),
                         .maths = bndi_maths_of(&run->engine->context),
                         .t = t.f32,
                         .of_v = bndi_rounds_to(run, BND_ROLE_V),
                         .of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR)};
        u.v = bndi_take_numbers(&v, p->factors, at, u.n);
        for (size_t i = 0; i < u.n; i++) {
            u.t[i] = (float)(f->row[at + i] / (double)(at + i < groups ? each * f->partition->group : each));
        }
        bndi_chunk_rounded(&u, u.t, u.of_v);
        bndi_average_into_v(&u, run->training.beta2);
        bndi_chunk_root_of_v(&u);
        bndi_put_numbers(run, p->factors, at, u.n, u.v, BND_ROLE_V);
        for (size_t i = 0; i < u.n; i++) {
            f->row[at + i] = (double)u.t[i];
        }
    }
}

bnd_status bndi_adam_mini_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why)
{
    const bndi_shape *shape = &p->value->shape;
    const size_t each = bndi_count(shape) / shape->extent[p->partition.by_columns];
    bndi_whole_update f = {.row = run->factor_room,
                           .rows = bndi_blocks_in(p, shape),
                           .columns = p->partition.by_columns ? shape->extent[1] : each,
                           .partition = &p->partition};
    (void)lr;
    (void)why;
    memset(f.row, 0, f.rows * sizeof *f.row);
    add_squares(&f, run, p);
    divide(&f, run, p, each);
    *out = f;
    return BND_OK;
}

void bndi_adam_mini(bndi_update *u)
{
    bndi_decay_weights(u);
    bndi_average_into_m(u);
    for (size_t i = 0; i < u->n; i++) {
        u->t[i] = (float)u->whole->row[block_at(u->whole, u->at + i)];
    }
    bndi_chunk_adam_change(u);
}
