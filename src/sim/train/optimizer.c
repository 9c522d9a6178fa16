/* Optimizers, one per row. They work like PyTorch's loops over tensors: one operation at a time, each result rounded to
 * the format of the tensor that receives it. A format that cannot hold epsilon loses it here as it does there. */
#include "train/optimizer_steps.h"

/* g = g + wd w: decay as a part of the gradient. */
static void decay_gradient(bndi_update *u)
{
    if (u->decays && u->training->weight_decay != 0) {
        bndi_chunk_by_formula(u, BNDI_F_add_scaled, u->own_g, u->g, u->w,
                              bndi_chunk_scalar(u, u->training->weight_decay));
        u->g = u->own_g;
    }
}

static void sgd(bndi_update *u)
{
    decay_gradient(u);
    bndi_chunk_change_by(u, -bndi_chunk_scalar(u, u->lr), u->g);
}

static void momentum(bndi_update *u)
{
    decay_gradient(u);
    bndi_chunk_scale(u, u->m, bndi_chunk_scalar(u, u->training->beta1), u->of_m);
    bndi_chunk_add_scaled(u, u->m, 1, u->g, u->of_m);
    u->per_m = bndi_chunk_scalar(u, u->lr);
    bndi_chunk_change_by(u, -u->per_m, u->m);
}

static void adagrad(bndi_update *u)
{
    decay_gradient(u);
    bndi_chunk_square(u, u->of_v);
    bndi_chunk_add_scaled(u, u->v, 1, u->t, u->of_v);
    bndi_chunk_square_root(u, u->t, u->v, u->of_v);
    bndi_chunk_shift(u, u->t, bndi_chunk_scalar(u, u->training->epsilon), u->of_v);
    bndi_chunk_change_by_quotient(u, -bndi_chunk_scalar(u, u->lr), u->g, u->t);
}

/* v = beta v + (1 - beta) g g. */
static void second_moment(bndi_update *u, double beta)
{
    bndi_chunk_square(u, u->of_v);
    bndi_average_into_v(u, beta);
}

static void rmsprop(bndi_update *u)
{
    decay_gradient(u);
    second_moment(u, u->training->beta2);
    bndi_chunk_square_root(u, u->t, u->v, u->of_v);
    bndi_chunk_shift(u, u->t, bndi_chunk_scalar(u, u->training->epsilon), u->of_v);
    bndi_chunk_change_by_quotient(u, -bndi_chunk_scalar(u, u->lr), u->g, u->t);
}

static void adam_moments(bndi_update *u)
{
    bndi_average_into_m(u);
    second_moment(u, u->training->beta2);
    bndi_chunk_root_of_v(u);
    bndi_chunk_adam_change(u);
}

static void adam(bndi_update *u)
{
    decay_gradient(u);
    if (!bndi_chunk_adam_at_once(u, false)) {
        adam_moments(u);
    }
}

static void adamw(bndi_update *u)
{
    if (!bndi_chunk_adam_at_once(u, true)) {
        bndi_decay_weights(u);
        adam_moments(u);
    }
}

/* Chen et al. 2023: the sign of a mean of momentum and gradient, then the momentum. */
static void lion(bndi_update *u)
{
    const bnd_training *t = u->training;
    double b1 = bndi_chunk_scalar(u, t->beta1), rest = bndi_chunk_scalar(u, 1 - t->beta1),
           lr = bndi_chunk_scalar(u, u->lr);
    double decay = u->decays ? bndi_chunk_scalar(u, t->weight_decay) : 0;
    for (size_t i = 0; i < u->n; i++) {
        u->t[i] = (float)(b1 * (double)u->m[i] + rest * (double)u->g[i]);
    }
    bndi_chunk_rounded(u, u->t, u->of_m);
    for (size_t i = 0; i < u->n; i++) {
        double sign = u->t[i] > 0 ? 1 : u->t[i] < 0 ? -1 : (double)u->t[i];
        u->change[i] = (float)(-lr * (sign + decay * (double)u->w[i]));
    }
    bndi_chunk_scale(u, u->m, bndi_chunk_scalar(u, t->beta2), u->of_m);
    bndi_chunk_add_scaled(u, u->m, bndi_chunk_scalar(u, 1 - t->beta2), u->g, u->of_m);
}

/* Muon's two rows differ in how the rate follows from the shape, and in AdamW's rate for the others: the same rate (Liu
 * et al. 2025, arXiv:2502.16982), or 3e-4 where it is 0.02, as in Jordan's program. Both give AdamW the betas 0.9 and
 * 0.95. */
enum { ADAMW = 5 };
static const bndi_optimizer_row rows[] = {
    {"sgd", "gradient descent", BNDI_NO_STATE, false, 0.1, 0, 0, 0, 0, NULL, sgd, NULL, 0},
    {"momentum", "gradient descent with momentum", BNDI_HAS_M | BNDI_FOLLOWS_M, false, 0.05, 0.9, 0, 0, 0, NULL,
     momentum, NULL, 0},
    {"adagrad", "AdaGrad", BNDI_HAS_V, false, 0.05, 0, 0, 1e-10, 0, NULL, adagrad, NULL, 0},
    {"rmsprop", "RMSProp", BNDI_HAS_V, true, 1e-3, 0, 0.99, 1e-8, 0, NULL, rmsprop, NULL, 0},
    {"adam", "Adam", BNDI_HAS_M | BNDI_HAS_V | BNDI_FOLLOWS_M, true, 1e-3, 0.9, 0.999, 1e-8, 0, NULL, adam, NULL, 0},
    {"adamw", "Adam with decoupled weight decay, as in PyTorch", BNDI_HAS_M | BNDI_HAS_V | BNDI_FOLLOWS_M, true, 1e-3,
     0.9, 0.999, 1e-8, 1e-2, NULL, adamw, NULL, 0},
    {"lion", "Lion", BNDI_HAS_M, true, 1e-4, 0.9, 0.99, 0, 1e-2, NULL, lion, NULL, 0},
    {"adafactor", "Adafactor: second moments of matrices by row and by column", BNDI_HAS_V | BNDI_FACTORS, false, 1e-2,
     0, 0.8, 1e-30, 0, bndi_adafactor_prepare, bndi_adafactor, NULL, 0},
    {"muon", "Muon for hidden matrices, AdamW for the others", BNDI_HAS_M, true, 1e-3, 0.95, 0.95, 1e-8, 0.1,
     bndi_muon_prepare, bndi_muon, &rows[ADAMW], 1},
    {"muon-original", "the same with the rate of its first publication", BNDI_HAS_M, false, 0.02, 0.95, 0.95, 1e-8, 0.1,
     bndi_muon_original_prepare, bndi_muon, &rows[ADAMW], 0.015},
    {"adam-mini", "AdamW with one second moment for each head, output or norm",
     BNDI_HAS_M | BNDI_HAS_V | BNDI_FOLLOWS_M | BNDI_BY_BLOCKS, true, 1e-3, 0.9, 0.999, 1e-8, 1e-2,
     bndi_adam_mini_prepare, bndi_adam_mini, NULL, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const bndi_optimizer_row *bndi_optimizer_at(size_t row)
{
    return row < ROWS ? &rows[row] : NULL;
}

size_t bnd_optimizer_count(void)
{
    return ROWS;
}

const char *bnd_optimizer_name(size_t row)
{
    return row < ROWS ? rows[row].name : "";
}

const char *bnd_optimizer_title(size_t row)
{
    return row < ROWS ? rows[row].title : "";
}

static size_t count_of(const size_t *shape, size_t rank)
{
    size_t n = 1;
    for (size_t i = 0; i < rank; i++) {
        n *= shape[i];
    }
    return n;
}

size_t bndi_optimizer_keeps(const bndi_optimizer_row *row, bnd_role part, const size_t *shape, size_t rank,
                            size_t blocks)
{
    bool keeps = (part == BND_ROLE_M && (row->states & BNDI_HAS_M) != 0) ||
                 (part == BND_ROLE_V && (row->states & BNDI_HAS_V) != 0);
    bool factored = part == BND_ROLE_V && (row->states & BNDI_FACTORS) != 0 && rank == 2;
    bool by_blocks = part == BND_ROLE_V && (row->states & BNDI_BY_BLOCKS) != 0;
    return !keeps ? 0 : by_blocks ? blocks : factored ? shape[0] + shape[1] : count_of(shape, rank);
}

const bndi_optimizer_row *bndi_optimizer_for(const bndi_optimizer_row *row, bool hidden)
{
    return row->others != NULL && !hidden ? row->others : row;
}

size_t bnd_optimizer_keeps(size_t row, bnd_role part, const size_t *shape, size_t rank, bool hidden, size_t blocks)
{
    return row < ROWS ? bndi_optimizer_keeps(bndi_optimizer_for(&rows[row], hidden), part, shape, rank, blocks) : 0;
}
