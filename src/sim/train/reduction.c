/* Gradients of ranks, added in the format and the order of the role reduce. A message is what a rank sends of a
 * parameter: its gradient divided by the number of ranks, as DistributedDataParallel divides, as a row of numbers. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/view_make.h"

const bnd_format *bndi_format_of_sums(const bnd_run *run, bnd_role role, const bnd_tensor *g)
{
    const bnd_cast *cast = bndi_cast_of(run->engine, role);
    const bnd_format *fp32 = bnd_lab_format_of_words(BNDI_WORDS_32);
    return cast != NULL ? &cast->format : bnd_lab_words_hold(BNDI_WORDS_32, &g->format) ? fp32 : &g->format;
}

bnd_status bndi_message_make(bnd_tensor **out, bnd_run *run, bnd_tensor *value, bnd_error *why)
{
    bnd_tensor *g = value->gradient, *message;
    bndi_shape row;
    if (g == NULL) {
        return BND_OK;
    }
    bnd_status status = bndi_shape_make(&row, (size_t[]){bndi_count(&g->shape)}, 1, why);
    if (status == BND_OK) {
        status = bndi_tensor_make(&message, run->engine, bndi_format_of_sums(run, BND_ROLE_REDUCE, g), &row,
                                  bndi_role_of_bytes(BND_ROLE_REDUCE), false, why);
    }
    if (status == BND_OK) {
        status = bndi_gradient_times(message, g, 1, (double)run->training.ranks, BND_ROLE_REDUCE, why);
        *out = message;
        bnd_tensor_drop_gradient(value);
    }
    return status;
}

/* ---- sums ---- */

static void add(bnd_tensor *to, const bnd_tensor *from)
{
    bndi_store how = bndi_store_for(to->engine, BND_ROLE_REDUCE);
    bndi_add_numbers(to, from, &how);
    bndi_count_flops(to->engine, BND_TENSOR_OP_ADD, bndi_count(&to->shape));
}

/* Adds all of them into one of them, whose number is returned. A ring begins chunk c at rank c + 1. */
static size_t add_in_order(bnd_tensor *const *x, size_t count, bnd_reduction order, size_t chunk)
{
    const size_t first = order == BND_REDUCTION_RING ? (chunk + 1) % count : 0;
    if (order == BND_REDUCTION_TREE) {
        for (size_t step = 1; step < count; step *= 2) {
            for (size_t i = 0; i + step < count; i += 2 * step) {
                add(x[i], x[i + step]);
            }
        }
        return 0;
    }
    for (size_t i = 1; i < count; i++) {
        add(x[first], x[(first + i) % count]);
    }
    return first;
}

/* The chunk of each message, and of the sum, which is the last of the views. */
typedef struct chunk {
    size_t number, from, count;
    bnd_tensor **view; /* room for the ranks, and one more */
} chunk;

static bnd_status sum_chunk(const chunk *c, bnd_tensor *sum, bnd_tensor *const *message, size_t ranks,
                            bnd_reduction order, bnd_error *why)
{
    const bndi_store as_it_is = {.rule = {.rounding = BND_ROUND_RNE}};
    bnd_status status = BND_OK;
    size_t made = 0;
    for (; status == BND_OK && made <= ranks; made += status == BND_OK) {
        status = bndi_sliced(&c->view[made], made < ranks ? message[made] : sum, 0, c->from, c->count, 1, why);
    }
    if (status == BND_OK) {
        const size_t at = add_in_order(c->view, ranks, order, c->number);
        bndi_copy_numbers(c->view[ranks], c->view[at], &as_it_is);
    }
    for (size_t i = 0; i < made; i++) {
        bndi_drop(c->view[i]);
    }
    return status;
}

static bnd_status sum_messages(bnd_tensor *sum, bnd_tensor *const *message, bnd_tensor **views, size_t ranks,
                               bnd_reduction order, bnd_error *why)
{
    const size_t n = bndi_count(&sum->shape), chunks = order == BND_REDUCTION_RING ? ranks : 1,
                 most = (n + chunks - 1) / chunks;
    bnd_status status = BND_OK;
    for (chunk c = {.view = views}; status == BND_OK && c.from < n; c.number++, c.from += most) {
        c.count = n - c.from < most ? n - c.from : most;
        status = sum_chunk(&c, sum, message, ranks, order, why);
    }
    return status;
}

bnd_status bndi_reduce(bnd_run *run, bndi_parameter *p, bnd_tensor **message, bnd_error *why)
{
    const size_t ranks = run->training.ranks;
    bnd_tensor *sum = NULL, *row = NULL, **views = malloc((ranks + 1) * sizeof *views);
    bnd_status status = views != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu ranks", ranks);
    if (status == BND_OK) {
        status = bndi_tensor_make(&sum, run->engine, &message[0]->format, &p->value->shape,
                                  bndi_role_of_bytes(BND_ROLE_REDUCE), false, why);
    }
    if (status == BND_OK) {
        status = bndi_reshaped(&row, sum, &message[0]->shape, why);
    }
    if (status == BND_OK) {
        status = sum_messages(row, message, views, ranks, run->training.policy.reduction, why);
    }
    bndi_drop(row);
    free(views);
    if (status != BND_OK) {
        bndi_drop(sum);
        return status;
    }
    p->value->gradient = sum;
    return BND_OK;
}
