/* A run: creating it, querying it, and making a step. */
#include "base/base.h"
#include "train/optimizer.h"

#include <stdlib.h>

#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/operation.h"

static bnd_status refuse_own(const char *call, const char *instead, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s needs a built-in model; this run has your own: use %s", call,
                    instead);
}

/* ---- making ---- */

static bnd_status open_source(bnd_run *run, bnd_error *why)
{
    const bnd_training *t = &run->training;
    if (run->model->source == NULL) {
        return bndi_open_text(run, why);
    }
    return t->data[0] == 0 && t->source[0] == 0
               ? run->model->source(run, why)
               : bnd_fail(
                     why, BND_BAD_ARGUMENT, 0,
                     "model %s generates its own data; a file or a source of text can be used only with transformer, "
                     "gpt2 and llama",
                     run->model->name);
}

/* What comes from outside: data, their order, and initial weights. */
static bnd_status open_inputs(bnd_run *run, bnd_error *why)
{
    bnd_status status = open_source(run, why);
    status = status == BND_OK && bndi_has_parts(&run->training) ? bndi_check_rows(run, why) : status;
    status = status == BND_OK ? bndi_order_open(run, why) : status;
    return status == BND_OK ? bndi_initial_open(run, why) : status;
}

/* The names of all parameters, without their numbers: which policy a layer has can depend on the layers behind it. */
static void name_parameters(bndi_graph *g)
{
    g->run->naming = true;
    g->run->model->build(g);
    g->run->naming = false;
}

/* How much of a run is made. */
typedef enum parts { OUTLINE, WITHOUT_DATA, WHOLE } parts;

static bnd_status build(bnd_run *run, parts made, bnd_error *why)
{
    bndi_graph g = {.run = run, .why = why};
    g.status = bndi_rows_of(run, why);
    g.status = g.status == BND_OK ? bndi_check_used(&run->training, run->model, run->optimizer, why) : g.status;
    if (g.status == BND_OK) {
        g.status = bndi_feedback_check(run, &run->training.policy, why);
    }
    if (g.status == BND_OK) {
        bnd_policy whole = run->training.policy;
        whole.layers[0] = 0; /* exceptions follow, when the layers have names */
        g.status = bnd_engine_set_policy(run->engine, &whole, why);
    }
    if (g.status == BND_OK && made == WHOLE) {
        g.status = open_inputs(run, why);
    }
    if (g.status == BND_OK) {
        name_parameters(&g);
        g.status = g.status == BND_OK ? bndi_follow(run, &run->training.policy, why) : g.status;
        if (made == OUTLINE) {
            return g.status;
        }
        run->parameters = 0;
        run->places = 1;
    }
    if (g.status == BND_OK) {
        run->model->build(&g);
    }
    if (g.status == BND_OK) {
        g.status = bndi_initial_check(run, why);
    }
    bndi_initial_close(run);
    if (g.status == BND_OK && (run->optimizer->states & BNDI_SUMS_UP) != 0 && run->parameters > 0) {
        g.status = bndi_factor_room_make(run, why);
    }
    return g.status;
}

/* The policy may keep a share of the layers, from the last, out of its casts. A layer is a place whose weights
 * decay. */
unsigned bndi_high_from(const bnd_run *run, unsigned high_last)
{
    const size_t from = bnd_layers_last(bndi_layers_of(run), run->places, high_last);
    return from < run->places ? (unsigned)from : 0;
}

void bndi_keep_high(bnd_run *run, const bnd_policy *policy)
{
    run->engine->high_from = bndi_high_from(run, policy->high_last);
}

const bnd_layer *bndi_layers_of(const bnd_run *run)
{
    for (size_t i = 0; i < run->places; i++) {
        run->layers[i] = (bnd_layer){.name = run->place_name[i]};
    }
    for (size_t i = 0; i < run->parameters; i++) {
        run->layers[run->parameter[i].place].weights += run->parameter[i].decays;
    }
    return run->layers;
}

bnd_status bndi_policy_at(bnd_policy *out, const bnd_run *run, const bnd_policy *policy, size_t place, bnd_error *why)
{
    return bnd_policy_of_layer(out, policy, bndi_layers_of(run), run->places, place, why);
}

bnd_status bndi_follow(bnd_run *run, const bnd_policy *policy, bnd_error *why)
{
    if (policy->layers[0] != 0 && bndi_is_own(run)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "settings of layers (%s) need a built-in model; libbinade.torch.wrap has `exceptions` for them",
                        policy->layers);
    }
    if (policy->layers[0] != 0 && policy->update == BND_UPDATE_ECO) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "update=eco cannot be used with settings of layers (%s)",
                        policy->layers);
    }
    bnd_status status = bndi_engine_set_layers(run->engine, policy, bndi_layers_of(run), run->places, why);
    if (status == BND_OK) {
        bndi_keep_high(run, policy);
    }
    return status;
}

static bnd_status make(bnd_run **out, const bnd_training *training, parts made, const bnd_context *context,
                       bnd_error *why)
{
    bnd_status status = bndi_check_training(training, why);
    bnd_run *run = status == BND_OK ? calloc(1, sizeof *run) : NULL;
    if (run == NULL) {
        return status != BND_OK ? status : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a run");
    }
    run->training = *training;
    run->places = 1;
    run->floor = run->chance_loss = run->unigram = __builtin_nan("");
    bndi_begin_loss_scale(run);
    status = bndi_parameters_room(run, 0, why);
    status = status == BND_OK ? bnd_engine_new(&run->engine, context, why) : status;
    if (status == BND_OK) {
        bndi_environment before = bndi_enter(BND_ROUND_RNE);
        status = build(run, made, why);
        bndi_leave(before);
    }
    if (status != BND_OK) {
        bnd_run_free(run);
        return status;
    }
    if (made != OUTLINE) {
        bndi_parameters_end(run);
    }
    *out = run;
    return BND_OK;
}

bnd_status bnd_run_new(bnd_run **out, const bnd_training *training, const bnd_context *context, bnd_error *why)
{
    if (bndi_same_word(training->model, bndi_length(training->model), bndi_own_row.name)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "model '%s' is for programs that bring their own model (bnd_run_new_own); choose a built-in one",
            bndi_own_row.name);
    }
    return make(out, training, WHOLE, context, why);
}

bnd_status bndi_run_without_data(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                 bnd_error *why)
{
    return make(out, training, WITHOUT_DATA, context, why);
}

bnd_status bndi_run_outline(bnd_run **out, const bnd_training *training, bnd_error *why)
{
    bnd_training t = *training;
    t.vocabulary = t.vocabulary == 0 && bndi_has_blocks(t.model) ? 1 : t.vocabulary; /* the data say how many */
    return make(out, &t, OUTLINE, NULL, why);
}

void bnd_run_free(bnd_run *run)
{
    if (run != NULL) {
        bndi_initial_close(run);
        bnd_engine_free(run->engine);
        bnd_run_free(run->source.teacher);
        free(run->source.plan);
        free(run->factor_room);
        free(run->parameter);
        free(run->place_name);
        free(run->layers);
        free(run->blocks);
        free(run);
    }
}

/* The data say how many symbols there are: those of a small run are those of any. */
bnd_status bnd_training_vocabulary(size_t *out, const bnd_training *training, bnd_error *why)
{
    bnd_training small = *training;
    bnd_run *run;
    if (training->vocabulary != 0 || training->heads == 0) {
        *out = training->vocabulary;
        return BND_OK;
    }
    small.width = small.heads = small.depth = small.batch = small.micro_batches = small.ranks = 1;
    small.blocks = (bnd_transformer){.position = "none"};
    bnd_status status = bnd_run_new(&run, &small, NULL, why);
    if (status == BND_OK) {
        *out = run->training.vocabulary;
        bnd_run_free(run);
    }
    return status;
}

/* ---- asking ---- */

double bnd_run_loss_scale(const bnd_run *run)
{
    return run->loss_scale;
}

double bnd_run_floor(const bnd_run *run)
{
    return run->floor;
}

double bnd_run_chance_loss(const bnd_run *run)
{
    return run->chance_loss;
}

double bnd_run_unigram_entropy(const bnd_run *run)
{
    return run->unigram;
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

uint64_t bnd_run_elements(const bnd_run *run)
{
    uint64_t elements = 0;
    for (size_t i = 0; i < run->parameters; i++) {
        const bndi_parameter *p = &run->parameter[i];
        elements +=
            bnd_tensor_count(p->value != NULL ? p->value : p->master); /* the value may be there in steps only */
    }
    return elements;
}

const char *bnd_run_parameter_name(const bnd_run *run, size_t i)
{
    return i < run->parameters ? run->parameter[i].name : "";
}

size_t bnd_run_places(const bnd_run *run)
{
    return run->places;
}

const char *bnd_run_place_name(const bnd_run *run, size_t place)
{
    return place < run->places ? run->place_name[place] : "";
}

size_t bnd_run_parameter_place(const bnd_run *run, size_t i)
{
    return i < run->parameters ? run->parameter[i].place : 0;
}

bool bnd_run_is_hidden(const bnd_run *run, size_t i)
{
    return i < run->parameters && run->parameter[i].hidden;
}

size_t bnd_run_blocks(const bnd_run *run, size_t i)
{
    const bndi_parameter *p = &run->parameter[i];
    return i < run->parameters ? bndi_blocks_in(p, &(p->value != NULL ? p->value : p->master)->shape) : 0;
}

bnd_updates bnd_run_updates(const bnd_run *run, size_t i)
{
    return i < run->parameters ? run->parameter[i].updates : (bnd_updates){.updates = 0};
}

bnd_tensor *bnd_run_parameter(const bnd_run *run, size_t i, bnd_role part)
{
    if (i >= run->parameters) {
        return NULL;
    }
    const bndi_parameter *p = &run->parameter[i];
    switch (part) {
    case BND_ROLE_PARAM:
        return p->value;
    case BND_ROLE_MASTER:
        return p->master;
    case BND_ROLE_M:
        return p->m;
    case BND_ROLE_V:
        return p->v != NULL ? p->v : p->factors;
    case BND_ROLE_EXTRA:
        return p->extra;
    default:
        return NULL;
    }
}

/* ---- a step ---- */

static bnd_status forward_and_back(bnd_run *run, double *loss, bnd_error *why)
{
    bnd_tensor *t;
    uint64_t purpose;
    bnd_status status = bndi_purpose_of_step(&purpose, run, run->step, why);
    if (status == BND_OK && bndi_has_parts(&run->training)) {
        return bndi_step_in_parts(loss, run, purpose, why);
    }
    status = status == BND_OK ? bndi_forward_pass(&t, loss, run, purpose, why) : status;
    return status == BND_OK ? bnd_tensor_backward(t, run->loss_scale, why) : status;
}

bnd_status bndi_step_begin(bnd_step *step, bnd_run *run, bnd_error *why)
{
    double factor;
    bnd_status status = bnd_schedule_factor(&factor, run->training.schedule, run->step, run->training.steps, why);
    if (status != BND_OK) {
        return status;
    }
    *step = (bnd_step){.step = run->step, .loss_scale = run->loss_scale, .lr = run->training.lr * factor};
    bnd_engine_set_seed(run->engine, run->training.seed_rounding, run->step);
    for (size_t i = 0; i < run->parameters; i++) {
        run->parameter[i].updates = (bnd_updates){.updates = 0};
    }
    return bndi_parameters_begin(run, why);
}

bnd_status bndi_step_update(bnd_step *step, bnd_run *run, const bnd_step_rates *rates, bnd_error *why)
{
    bndi_update_totals sums = {.updates = 0};
    double squares = bndi_squares_of_gradients(run, 1 / run->loss_scale);
    step->gradient_norm = __builtin_sqrt(squares);
    step->skipped = bndi_loss_scale_skips(run, squares);
    step->clip_factor = 1;
    bnd_status status = bndi_reset_states(run, why);
    if (status == BND_OK && !step->skipped) {
        status = bndi_clip_gradients(&step->clip_factor, run, step->gradient_norm, why);
    }
    status = status == BND_OK && !step->skipped ? bndi_update_all(run, step->lr, rates, &sums, why) : status;
    if (status == BND_OK) {
        bndi_loss_scale_after(run, step->skipped);
    }
    for (size_t i = 0; i < run->parameters; i++) {
        step->weights += bndi_count(&run->parameter[i].value->shape);
    }
    step->updates = sums.updates;
    step->lost = sums.lost;
    step->update_ratio = __builtin_sqrt(sums.squares_of_updates / sums.squares_of_weights);
    return status;
}

void bndi_step_end(bnd_run *run, bool done)
{
    for (size_t i = 0; i < run->parameters && run->parameter[i].value != NULL; i++) {
        bnd_tensor_drop_gradient(run->parameter[i].value);
    }
    bndi_parameters_end(run);
    if (done) {
        bnd_engine_end_step(run->engine);
        run->step++;
    }
}

bnd_status bnd_run_step(bnd_step *out, bnd_run *run, bnd_error *why)
{
    bnd_step step;
    if (bndi_is_own(run)) {
        return refuse_own("bnd_run_step", "bnd_run_begin_step", why);
    }
    bnd_mark mark = bnd_engine_mark(run->engine);
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_status status = bndi_step_begin(&step, run, why);
    if (status == BND_OK) {
        status = forward_and_back(run, &step.loss, why);
    }
    if (status == BND_OK) {
        status = bndi_step_update(&step, run, NULL, why);
    }
    bndi_step_end(run, status == BND_OK);
    bnd_engine_release_since(run->engine, mark, NULL, 0);
    bndi_leave(before);
    if (status == BND_OK) {
        *out = step;
    }
    return status;
}

bnd_status bndi_loss_of_batch(double *loss, bnd_run *run, uint64_t purpose, uint64_t casts, bnd_error *why)
{
    bnd_mark mark = bnd_engine_mark(run->engine);
    bnd_tensor *t;
    const uint64_t number = (uint32_t)purpose;
    bnd_engine_set_seed(run->engine, run->training.seed_rounding, UINT32_MAX - number); /* no step gets there */
    run->engine->casts = casts;
    bnd_status status = bndi_forward_pass(&t, loss, run, purpose, why);
    bnd_engine_release_since(run->engine, mark, NULL, 0);
    return status;
}

static bnd_status validate(double *sum, bnd_run *run, uint64_t batches, bnd_error *why)
{
    const uint64_t casts = run->engine->casts;
    bnd_status status = BND_OK;
    for (uint64_t i = 0; status == BND_OK && i < batches; i++) {
        double one = 0;
        status = bndi_loss_of_batch(&one, run, bndi_purpose(BNDI_OF_VALIDATION, i), casts, why);
        *sum += one;
    }
    return status;
}

/* Casts are counted from where they are counted in a step, so that each finds the scale that it has learnt there;
 * and it learns nothing here. */
bnd_status bndi_evaluation_begin(bnd_run *run, bnd_error *why)
{
    run->had_tape = bnd_engine_tape(run->engine);
    bnd_engine_set_tape(run->engine, false);
    bnd_engine_set_seed(run->engine, run->training.seed_rounding, UINT32_MAX);
    run->engine->histories.kept = true;
    return bndi_parameters_begin(run, why);
}

void bndi_evaluation_end(bnd_run *run)
{
    bndi_parameters_end(run);
    run->engine->histories.kept = false;
    bnd_engine_set_tape(run->engine, run->had_tape);
}

bnd_status bnd_run_validate(double *loss, bnd_run *run, uint64_t batches, bnd_error *why)
{
    double sum = 0;
    if (bndi_is_own(run)) {
        return refuse_own("bnd_run_validate", "bnd_run_begin_evaluation", why);
    }
    if (batches == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a validation needs at least 1 batch");
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_status status = bndi_evaluation_begin(run, why);
    if (status == BND_OK) {
        status = validate(&sum, run, batches, why);
    }
    bndi_evaluation_end(run);
    bndi_leave(before);
    if (status == BND_OK) {
        *loss = sum / (double)batches;
    }
    return status;
}
