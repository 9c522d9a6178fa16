/* Rows by number: the embedding, which picks them from a table, and the cross-entropy of logits with the numbers of the
 * right classes. */
#include "tensor/rows.h"

/* Number i as an index below `limit`: refused where it is none. */
static bnd_status index_from(size_t *index, double x, size_t limit, const char *who, size_t i, bnd_error *why)
{
    if (!(x >= 0 && x < (double)limit) || x != (double)(size_t)x) {
        return bnd_fail(why, BND_BAD_ARGUMENT, i, "%s: number %zu of the indices is not a whole number from 0 to %zu",
                        who, i, limit > 0 ? limit - 1 : 0);
    }
    *index = (size_t)x;
    return BND_OK;
}

/* ---- embedding ---- */

static bnd_status embedding_shape(bndi_call *c, bnd_error *why)
{
    const bndi_shape *table = &c->in_shape[0], *indices = &c->in_shape[1];
    char text[BNDI_SHAPE_TEXT];
    if (table->rank != 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "embedding: a table has two axes, and this one has shape %s",
                        bndi_shape_text(text, table));
    }
    size_t extent[BND_RANK_MAX + 1];
    __builtin_memcpy(extent, indices->extent, sizeof indices->extent);
    extent[indices->rank] = table->extent[1];
    return bndi_shape_make(&c->shape, extent, indices->rank + 1, why);
}

/* Row `index` of the table. */
static void pick_row(double *to, const bndi_walk *table, size_t index, size_t length)
{
    bndi_numbers buffer;
    for (size_t done = 0; done < length; done += BNDI_TENSOR_CHUNK) {
        size_t n = length - done < BNDI_TENSOR_CHUNK ? length - done : BNDI_TENSOR_CHUNK;
        const void *numbers = bndi_read(table, index * length + done, n, &buffer);
        __builtin_memcpy(to + done, numbers, n * sizeof *to);
    }
}

static bnd_status embedding_forward(bndi_call *c, bnd_error *why)
{
    size_t length = c->in_shape[0].extent[1], index = 0;
    bndi_rows to = {.memory = NULL}, from = {.memory = NULL};
    bndi_walk table;
    bndi_store how = bndi_store_for(c->engine, c->role);
    bndi_walk_open(&table, c->saved[0], &c->in_shape[0], BNDI_WORDS_64);
    bnd_status status = bndi_rows_open(&from, c->saved[1], 1, BNDI_WORDS_64, NULL, why);
    if (status == BND_OK) {
        status = bndi_rows_open(&to, c->saved[BNDI_OUT], length, BNDI_WORDS_64, &how, why);
    }
    for (size_t i = 0; status == BND_OK && length > 0 && i < from.rows; i++) {
        status =
            index_from(&index, *(const double *)bndi_row_read(&from, i), c->in_shape[0].extent[0], "embedding", i, why);
        if (status == BND_OK) {
            pick_row(bndi_row_place(&to, i), &table, index, length);
        }
    }
    bndi_rows_close(&to);
    bndi_rows_close(&from);
    return status;
}

static bnd_status embedding_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    size_t length = c->in_shape[0].extent[1], index = 0;
    bndi_rows rows = {.memory = NULL}, indices = {.memory = NULL};
    bndi_buffer *sums = NULL;
    if (!g->wanted[0]) {
        return BND_OK;
    }
    bnd_status status = bndi_gradient_make(&g->out[0], c, g, 0, false, why);
    if (status == BND_OK) {
        status = bndi_buffer_new(&sums, c->engine, BND_ROLE_SCRATCH, bndi_count(&c->in_shape[0]) * sizeof(double), true,
                                 why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&indices, c->saved[1], 1, BNDI_WORDS_64, NULL, why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&rows, d, length, BNDI_WORDS_64, NULL, why);
    }
    double *to = status == BND_OK ? (double *)(void *)sums->data : NULL;
    for (size_t i = 0; status == BND_OK && length > 0 && i < indices.rows; i++) {
        status = index_from(&index, *(const double *)bndi_row_read(&indices, i), c->in_shape[0].extent[0], "embedding",
                            i, why);
        if (status == BND_OK) {
            bndi_maths_of(&c->engine->context)
                ->add[BNDI_WORDS_64](to + index * length, bndi_row_read(&rows, i), length);
        }
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[0]);
        bndi_store_sums(g->out[0], to, 1, &how);
        bndi_count_flops(c->engine, c->operation, bndi_count(&c->shape));
    }
    bndi_rows_close(&rows);
    bndi_rows_close(&indices);
    bndi_buffer_release(sums);
    return status;
}

const bndi_row bndi_embedding_row = {.name = "embedding",
                                     .least = 2,
                                     .most = 2,
                                     .indices = BNDI_SAVE_B,
                                     .saves = BNDI_SAVE_B,
                                     .shape = embedding_shape,
                                     .forward = embedding_forward,
                                     .backward = embedding_backward,
                                     .flops = bndi_no_flops};

/* ---- cross-entropy ---- */

static bnd_status cross_entropy_shape(bndi_call *c, bnd_error *why)
{
    const bndi_shape *logits = &c->in_shape[0], *targets = &c->in_shape[1];
    char of_logits[BNDI_SHAPE_TEXT], of_targets[BNDI_SHAPE_TEXT];
    bool fits = logits->rank == targets->rank + 1;
    for (size_t i = 0; fits && i < targets->rank; i++) {
        fits = logits->extent[i] == targets->extent[i];
    }
    if (!fits || bndi_count(targets) == 0 || logits->extent[targets->rank] == 0) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "cross_entropy: logits %s need one target a row, a tensor of their shape without the last axis, "
            "with at least one element; %s is given",
            bndi_shape_text(of_logits, logits), bndi_shape_text(of_targets, targets));
    }
    c->shape = (bndi_shape){.rank = 0};
    return BND_OK;
}

/* Row by row: the loss log(sum e^x) - x[target], in lanes as any sum; or, where there is a gradient to make, e^x / sum
 * less 1 for the target, times a factor. */
typedef struct losses {
    const bndi_maths *maths;
    bndi_rows logits, targets, gradient;
    double factor, sum[16];
} losses;

static void one_row(losses *l, double *exponentials, size_t row, size_t target, bool back)
{
    size_t n = l->logits.length;
    const double *x = bndi_row_read(&l->logits, row);
    double shift = l->maths->largest(x, n);
    shift = shift - shift == 0 ? shift : 0;
    double sum = l->maths->exponentials(exponentials, x, shift, n), logarithm;
    if (back) {
        l->maths->linear(exponentials, exponentials, 0, l->factor / sum, n);
        exponentials[target] -= l->factor;
        return;
    }
    const void *from[3] = {&sum};
    l->maths->formula[BNDI_WORDS_64][BNDI_F_log](&logarithm, from, 0, 1);
    l->sum[row % 16] += (shift - x[target]) + logarithm;
}

static bnd_status all_rows(losses *l, double *scratch, bool back, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t row = 0; status == BND_OK && row < l->targets.rows; row++) {
        size_t target = 0;
        status = index_from(&target, *(const double *)bndi_row_read(&l->targets, row), l->logits.length,
                            "cross_entropy", row, why);
        if (status == BND_OK) {
            one_row(l, back ? bndi_row_place(&l->gradient, row) : scratch, row, target, back);
        }
    }
    return status;
}

static bnd_status run_losses(bndi_call *c, losses *l, bnd_tensor *gradient, const bndi_store *how, bnd_error *why)
{
    size_t length = c->in_shape[0].extent[c->in_shape[1].rank];
    bndi_buffer *scratch = NULL;
    l->maths = bndi_maths_of(&c->engine->context);
    bnd_status status = bndi_buffer_new(&scratch, c->engine, BND_ROLE_SCRATCH, length * sizeof(double), false, why);
    if (status == BND_OK) {
        status = bndi_rows_open(&l->logits, c->saved[0], length, BNDI_WORDS_64, NULL, why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&l->targets, c->saved[1], 1, BNDI_WORDS_64, NULL, why);
    }
    if (status == BND_OK && gradient != NULL) {
        status = bndi_rows_open(&l->gradient, gradient, length, BNDI_WORDS_64, how, why);
    }
    if (status == BND_OK) {
        status = all_rows(l, (double *)(void *)scratch->data, gradient != NULL, why);
    }
    bndi_rows_close(&l->gradient);
    bndi_rows_close(&l->targets);
    bndi_rows_close(&l->logits);
    bndi_buffer_release(scratch);
    return status;
}

static bnd_status cross_entropy_forward(bndi_call *c, bnd_error *why)
{
    losses l = {.maths = NULL};
    bnd_status status = run_losses(c, &l, NULL, NULL, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, c->role);
        double sum = bndi_maths_of(&c->engine->context)->sum(l.sum, 16);
        bndi_store_sums(c->saved[BNDI_OUT], &sum, 1 / (double)bndi_count(&c->in_shape[1]), &how);
    }
    return status;
}

static bnd_status cross_entropy_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    losses l = {.maths = NULL};
    if (!g->wanted[0]) {
        return BND_OK;
    }
    bnd_status status = bnd_tensor_read_f64(&l.factor, 1, d, why);
    if (status == BND_OK) {
        status = bndi_gradient_make(&g->out[0], c, g, 0, false, why);
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = bndi_store_for(c->engine, g->role[0]);
    l.factor /= (double)bndi_count(&c->in_shape[1]);
    bndi_count_flops(c->engine, c->operation, 4 * bndi_count(&c->in_shape[0]));
    return run_losses(c, &l, g->out[0], &how, why);
}

static uint64_t cross_entropy_flops(const bndi_call *c)
{
    return 4 * bndi_count(&c->in_shape[0]);
}

const bndi_row bndi_cross_entropy_row = {.name = "cross_entropy",
                                         .least = 2,
                                         .most = 2,
                                         .careful = true,
                                         .indices = BNDI_SAVE_B,
                                         .saves = BNDI_SAVE_A | BNDI_SAVE_B,
                                         .shape = cross_entropy_shape,
                                         .forward = cross_entropy_forward,
                                         .backward = cross_entropy_backward,
                                         .flops = cross_entropy_flops};
