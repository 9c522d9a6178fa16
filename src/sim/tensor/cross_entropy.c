/* The cross-entropy of rows of logits with the indices of the right classes. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/rows.h"
#include "tensor/sums.h"

static bnd_status cross_entropy_shape(bndi_call *c, bnd_error *why)
{
    const bndi_shape *logits = &c->in_shape[0], *targets = &c->in_shape[1];
    char of_logits[BNDI_SHAPE_TEXT], of_targets[BNDI_SHAPE_TEXT];
    bool fits = logits->rank == targets->rank + 1;
    for (size_t i = 0; fits && i < targets->rank; i++) {
        fits = logits->extent[i] == targets->extent[i];
    }
    if (!fits || bndi_count(targets) == 0 || logits->extent[targets->rank] == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "cross_entropy: logits %s need one target per row, a tensor of their shape without the last "
                        "axis and with at least one element; got %s",
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
        status = bndi_row_index(&target, &l->targets, row, l->logits.length, "cross_entropy", why);
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
        bndi_store_sums(c->saved[BNDI_OUT], &sum, (double)bndi_count(&c->in_shape[1]), &how);
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
        status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
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
