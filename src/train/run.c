/* A run: parameters with their states, and the loop. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

#include "bulk/environment.h"
#include "tensor/tensor.h"

/* ---- making ---- */

static bnd_status make_state(bnd_tensor **out, bnd_run *run, const bnd_tensor *like, bnd_role role, bnd_error *why)
{
    const bnd_cast *cast = bndi_cast_of(run->engine, role);
    const bnd_format *f = cast != NULL && !cast->transient ? &cast->format : bndi_format_of_words(BNDI_WORDS_32);
    return bndi_tensor_make(out, run->engine, f, &like->shape, role, true, why);
}

static bnd_status add_states(bnd_run *run, bndi_parameter *p, bnd_error *why)
{
    bnd_status status = BND_OK;
    unsigned states = run->optimizer->states;
    if (bndi_cast_of(run->engine, BND_ROLE_MASTER) != NULL) {
        status = make_state(&p->master, run, p->value, BND_ROLE_MASTER, why);
    }
    if (status == BND_OK && (states == 1 || states == 2)) {
        status = make_state(&p->m, run, p->value, BND_ROLE_M, why);
    }
    if (status == BND_OK && states >= 2) {
        status = make_state(&p->v, run, p->value, BND_ROLE_V, why);
    }
    if (status == BND_OK && run->training.policy.update == BND_UPDATE_KAHAN) {
        status = make_state(&p->extra, run, p->value, BND_ROLE_EXTRA, why);
    }
    return status;
}

/* The master copy has the numbers as they were drawn; the parameter is made of it. */
static bnd_status fill(bnd_run *run, bndi_parameter *p, double deviation, double value, bnd_error *why)
{
    bnd_tensor *to = p->master != NULL ? p->master : p->value;
    bnd_status status = deviation > 0 ? bnd_tensor_normal(to, 0, deviation, run->training.seed_init,
                                                          bndi_purpose(BNDI_OF_INIT, run->parameters), why)
                                      : bnd_tensor_fill(to, value, why);
    if (status == BND_OK && to != p->value) {
        bndi_copy_numbers(p->value, to, &(bndi_store){.rule = {.rounding = BND_RNE}});
    }
    return status;
}

bnd_status bndi_parameter_add(bnd_run *run, const char *name, const size_t *shape, size_t rank, double deviation,
                              double value, bool decays, bnd_error *why)
{
    bndi_parameter *p = &run->parameter[run->parameters];
    const bnd_cast *cast = bndi_cast_of(run->engine, BND_ROLE_PARAM);
    const bnd_format *f = cast != NULL ? &cast->format : bndi_format_of_words(BNDI_WORDS_32);
    bndi_shape s;
    if (run->parameters == BNDI_PARAMETERS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a model has %d tensors of parameters at most; make it less deep",
                        BNDI_PARAMETERS);
    }
    memset(p, 0, sizeof *p);
    strncpy(p->name, name, sizeof p->name - 1);
    p->decays = decays;
    bnd_status status = bndi_shape_make(&s, shape, rank, why);
    if (status == BND_OK) {
        status = bndi_tensor_make(&p->value, run->engine, f, &s, BND_ROLE_PARAM, true, why);
    }
    if (status == BND_OK) {
        status = add_states(run, p, why);
    }
    if (status == BND_OK) {
        status = fill(run, p, deviation, value, why);
    }
    if (status == BND_OK) {
        bnd_tensor_want_gradient(p->value, true);
        run->parameters++;
    }
    return status; /* what was made is the engine's, and goes with it */
}

bnd_status bndi_dense(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why)
{
    bnd_tensor *in[] = {x, run->parameter[first].value, run->parameter[first + 1].value};
    return bnd_tensor_apply(out, BND_TENSOR_LINEAR, in, 3, NULL, why);
}

static bnd_status check(const bnd_training *t, bnd_error *why)
{
    bool numbers = t->lr >= 0 && t->lr - t->lr == 0 && t->beta1 >= 0 && t->beta1 < 1 && t->beta2 >= 0 && t->beta2 < 1 &&
                   t->epsilon >= 0 && t->weight_decay >= 0;
    if (!numbers) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "a run needs a learning rate, an epsilon and a weight decay of at least 0, and betas from 0 to below 1");
    }
    if (t->batch == 0 || t->width == 0 || t->steps == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a run needs a batch, a width and a number of steps of at least 1");
    }
    double factor;
    return bnd_schedule_factor(&factor, t->schedule, 0, t->steps, why);
}

bnd_status bnd_run_new(bnd_run **out, const bnd_training *training, const bnd_context *context, bnd_error *why)
{
    bnd_status status = check(training, why);
    bnd_run *run = status == BND_OK ? calloc(1, sizeof *run) : NULL;
    if (run == NULL) {
        return status != BND_OK ? status : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a run");
    }
    run->training = *training;
    run->floor = run->ignorance = __builtin_nan("");
    run->loss_scale = training->policy.loss_scale.given ? training->policy.loss_scale.initial : 1;
    status = bndi_rows_of(run, why);
    if (status == BND_OK) {
        status = bnd_engine_new(&run->engine, context, why);
    }
    if (status == BND_OK) {
        status = bnd_engine_set_policy(run->engine, &training->policy, why);
    }
    if (status == BND_OK) {
        status = run->model->build(run, why);
    }
    if (status != BND_OK) {
        bnd_run_free(run);
        return status;
    }
    *out = run;
    return BND_OK;
}

void bnd_run_free(bnd_run *run)
{
    if (run != NULL) {
        bnd_engine_free(run->engine);
        free(run->plan);
        free(run);
    }
}

/* ---- asking ---- */

double bnd_run_floor(const bnd_run *run)
{
    return run->floor;
}

double bnd_run_ignorance(const bnd_run *run)
{
    return run->ignorance;
}

const bnd_training *bnd_run_training(const bnd_run *run)
{
    return &run->training;
}

bnd_engine *bnd_run_engine(const bnd_run *run)
{
    return run->engine;
}

size_t bnd_run_parameters(const bnd_run *run)
{
    return run->parameters;
}

const char *bnd_run_parameter_name(const bnd_run *run, size_t i)
{
    return i < run->parameters ? run->parameter[i].name : "";
}

bnd_tensor *bnd_run_parameter(const bnd_run *run, size_t i, bnd_role part)
{
    const bndi_parameter *p = &run->parameter[i];
    if (i >= run->parameters) {
        return NULL;
    }
    switch (part) {
    case BND_ROLE_PARAM:
        return p->value;
    case BND_ROLE_MASTER:
        return p->master;
    case BND_ROLE_M:
        return p->m;
    case BND_ROLE_V:
        return p->v;
    case BND_ROLE_EXTRA:
        return p->extra;
    default:
        return NULL;
    }
}

/* ---- gradients ---- */

/* The sum of squares of all gradients over the loss scale; infinite or NaN where one is no number. */
static double squares_of_gradients(const bnd_run *run, double unscale)
{
    double sum = 0;
    bndi_numbers buffer;
    for (size_t i = 0; i < run->parameters; i++) {
        const bnd_tensor *g = run->parameter[i].value->gradient;
        bndi_walk walk;
        size_t n = g != NULL ? bndi_count(&g->shape) : 0;
        if (n > 0) {
            bndi_walk_open(&walk, g, &g->shape, BNDI_WORDS_64);
        }
        for (size_t at = 0; at < n; at += BNDI_CHUNK) {
            size_t m = n - at < BNDI_CHUNK ? n - at : BNDI_CHUNK;
            const double *x = bndi_read(&walk, at, m, &buffer);
            for (size_t j = 0; j < m; j++) {
                sum += x[j] * unscale * (x[j] * unscale);
            }
        }
    }
    return sum;
}

/* torch's GradScaler: a step with a gradient that is no number is skipped and the scale halved; so many good ones
 * double it. */
static bool scale_allows(bnd_run *run, double squares)
{
    const bnd_loss_scale *scale = &run->training.policy.loss_scale;
    bool good = squares - squares == 0;
    if (!scale->given) {
        return true;
    }
    if (!good) {
        run->loss_scale = scale->dynamic ? run->loss_scale * 0.5 : run->loss_scale;
        run->good_steps = 0;
        return false;
    }
    if (scale->dynamic && ++run->good_steps == scale->growth) {
        run->loss_scale *= 2;
        run->good_steps = 0;
    }
    return true;
}

/* ---- updates ---- */

typedef struct chunk {
    bndi_numbers w, g, m, v, t, u, change, c;
    double sum[BNDI_CHUNK];
} chunk;

typedef struct totals {
    uint64_t updates, cancelled;
    double squares_of_updates, squares_of_weights;
} totals;

/* A copy of the numbers, which may be changed. */
static float *take(bndi_numbers *buffer, const bnd_tensor *t, size_t at, size_t n)
{
    bndi_walk walk;
    if (t == NULL) {
        return buffer->f32;
    }
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    const void *numbers = bndi_read(&walk, at, n, buffer);
    if (numbers != buffer) {
        memcpy(buffer, numbers, n * sizeof(float));
    }
    return buffer->f32;
}

static void put(bnd_run *run, bnd_tensor *t, size_t at, size_t n, const float *x, bnd_role role)
{
    bndi_walk walk;
    if (t == NULL) {
        return;
    }
    bndi_store how = bndi_store_for(run->engine, role);
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    bndi_write(&walk, at, n, x, &how);
    t->buffer->version++;
}

static void round_to(float *x, size_t n, const bnd_cast *cast)
{
    bnd_status status = cast != NULL ? bnd_round_f32(x, x, n, &cast->format, NULL, NULL, NULL) : BND_OK;
    (void)status;
}

/* u = q(change - c), n = q(w + u), c = q(q(n - w) - u): the new weights are in `sum`. */
static void sum_by_kahan(bnd_run *run, bndi_parameter *p, chunk *k, size_t at, size_t n)
{
    const bnd_cast *cast = bndi_cast_of(run->engine, BND_ROLE_PARAM);
    float *c = take(&k->c, p->extra, at, n), *u = k->u.f32, *t = k->t.f32, *w = k->w.f32;
    for (size_t i = 0; i < n; i++) {
        u[i] = k->change.f32[i] - c[i];
    }
    round_to(u, n, cast);
    for (size_t i = 0; i < n; i++) {
        t[i] = w[i] + u[i];
    }
    round_to(t, n, cast);
    for (size_t i = 0; i < n; i++) {
        k->sum[i] = (double)t[i];
        c[i] = t[i] - w[i];
    }
    round_to(c, n, cast);
    for (size_t i = 0; i < n; i++) {
        c[i] -= u[i];
    }
    put(run, p->extra, at, n, c, BND_ROLE_EXTRA);
}

static void store_weights(bnd_run *run, bndi_parameter *p, chunk *k, size_t at, size_t n, totals *sums)
{
    bnd_tensor *to = p->master != NULL ? p->master : p->value;
    bndi_store how = bndi_store_for(run->engine, p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM);
    bndi_numbers old;
    bndi_walk walk;
    memcpy(&old, &k->w, n * sizeof(float));
    bndi_walk_open(&walk, to, &to->shape, BNDI_WORDS_64);
    bndi_write(&walk, at, n, k->sum, &how);
    to->buffer->version++;
    const float *now = take(&k->w, to, at, n);
    for (size_t i = 0; i < n; i++) {
        double change = (double)k->change.f32[i], weight = (double)old.f32[i];
        sums->updates += change != 0;
        sums->cancelled += change != 0 && now[i] == old.f32[i];
        sums->squares_of_updates += change * change;
        sums->squares_of_weights += weight * weight;
    }
    if (to != p->value) {
        put(run, p->value, at, n, now, BND_ROLE_PARAM);
    }
}

static void update_chunk(bnd_run *run, bndi_parameter *p, chunk *k, size_t at, size_t n, double lr, totals *sums)
{
    const bnd_tensor *w = p->master != NULL ? p->master : p->value;
    bndi_update u = {.training = &run->training,
                     .lr = lr,
                     .step = run->step + 1,
                     .decays = p->decays,
                     .n = n,
                     .w = take(&k->w, w, at, n),
                     .g = take(&k->g, p->value->gradient, at, n),
                     .m = take(&k->m, p->m, at, n),
                     .v = take(&k->v, p->v, at, n),
                     .t = k->t.f32,
                     .change = k->change.f32,
                     .of_w = bndi_cast_of(run->engine, p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM),
                     .of_m = bndi_cast_of(run->engine, BND_ROLE_M),
                     .of_v = bndi_cast_of(run->engine, BND_ROLE_V),
                     .of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR)};
    float unscale = (float)(1 / run->loss_scale);
    for (size_t i = 0; run->loss_scale != 1 && i < n; i++) {
        u.g[i] *= unscale;
    }
    run->optimizer->step(&u);
    put(run, p->m, at, n, u.m, BND_ROLE_M);
    put(run, p->v, at, n, u.v, BND_ROLE_V);
    if (p->extra != NULL) {
        sum_by_kahan(run, p, k, at, n);
    } else {
        for (size_t i = 0; i < n; i++) {
            k->sum[i] = (double)u.w[i] + (double)u.change[i];
        }
    }
    store_weights(run, p, k, at, n, sums);
}

static bnd_status update_all(bnd_run *run, double lr, totals *sums, bnd_error *why)
{
    chunk *k = malloc(sizeof *k);
    if (k == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an update");
    }
    for (size_t i = 0; i < run->parameters; i++) {
        bndi_parameter *p = &run->parameter[i];
        size_t n = p->value->gradient != NULL ? bndi_count(&p->value->shape) : 0;
        for (size_t at = 0; at < n; at += BNDI_CHUNK) {
            update_chunk(run, p, k, at, n - at < BNDI_CHUNK ? n - at : BNDI_CHUNK, lr, sums);
        }
    }
    free(k);
    return BND_OK;
}

/* ---- a step ---- */

static bnd_status forward_and_back(bnd_run *run, double *loss, bnd_error *why)
{
    bndi_batch batch;
    bnd_tensor *t;
    bnd_status status = run->model->batch(&batch, run, bndi_purpose(BNDI_OF_DATA, run->step), why);
    if (status == BND_OK) {
        status = run->model->loss(&t, run, &batch, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_read_f64(loss, 1, t, why);
    }
    return status == BND_OK ? bnd_tensor_backward(t, run->loss_scale, why) : status;
}

bnd_status bnd_run_step(bnd_step *out, bnd_run *run, bnd_error *why)
{
    bnd_step step = {.step = run->step, .loss_scale = run->loss_scale};
    totals sums = {.updates = 0};
    double factor;
    bnd_status status = bnd_schedule_factor(&factor, run->training.schedule, run->step, run->training.steps, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_mark mark = bnd_engine_mark(run->engine);
    bndi_environment before = bndi_enter(BND_RNE);
    bnd_engine_set_seed(run->engine, run->training.seed_init, run->step);
    step.lr = run->training.lr * factor;
    status = forward_and_back(run, &step.loss, why);
    if (status == BND_OK) {
        double squares = squares_of_gradients(run, 1 / run->loss_scale);
        step.gradient_norm = __builtin_sqrt(squares);
        double scale = run->loss_scale;
        step.skipped = !scale_allows(run, squares);
        double next = run->loss_scale;
        run->loss_scale = scale; /* gradients are still under it */
        status = step.skipped ? BND_OK : update_all(run, step.lr, &sums, why);
        run->loss_scale = next;
    }
    for (size_t i = 0; i < run->parameters; i++) {
        step.weights += bndi_count(&run->parameter[i].value->shape);
        bnd_tensor_drop_gradient(run->parameter[i].value);
    }
    bnd_engine_release_since(run->engine, mark, NULL, 0);
    bndi_leave(before);
    if (status != BND_OK) {
        return status;
    }
    step.updates = sums.updates;
    step.cancelled = sums.cancelled;
    step.update_ratio = __builtin_sqrt(sums.squares_of_updates / sums.squares_of_weights);
    run->step++;
    *out = step;
    return BND_OK;
}

bnd_status bnd_run_validate(double *loss, bnd_run *run, uint64_t batches, bnd_error *why)
{
    double sum = 0;
    bool tape = bnd_engine_tape(run->engine);
    bnd_status status = BND_OK;
    bnd_engine_set_tape(run->engine, false);
    for (uint64_t i = 0; status == BND_OK && i < batches; i++) {
        bnd_mark mark = bnd_engine_mark(run->engine);
        bndi_batch batch;
        bnd_tensor *t;
        double one = 0;
        status = run->model->batch(&batch, run, bndi_purpose(BNDI_OF_VALIDATION, i), why);
        status = status == BND_OK ? run->model->loss(&t, run, &batch, why) : status;
        status = status == BND_OK ? bnd_tensor_read_f64(&one, 1, t, why) : status;
        sum += one;
        bnd_engine_release_since(run->engine, mark, NULL, 0);
    }
    bnd_engine_set_tape(run->engine, tape);
    if (status == BND_OK) {
        *loss = sum / (double)batches;
    }
    return status;
}
