/* The parameters of a run: each with the states that the recipe and the optimizer need, initialised from the seed. */
#include "train/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"
#include "tensor/scaled.h"

static bnd_status add_moments(bnd_run *run, bndi_parameter *p, const bndi_shape *shape, bnd_error *why)
{
    const bndi_optimizer_row *optimizer = bndi_optimizer_for(run->optimizer, p->hidden);
    bnd_status status = BND_OK;
    unsigned states = optimizer->states;
    bool factored = (states & BNDI_SUMS_UP) != 0;
    if ((states & BNDI_HAS_M) != 0) {
        status = bndi_tensor_for(&p->m, run->engine, BND_ROLE_M, shape, why);
    }
    if (status == BND_OK && (states & BNDI_HAS_V) != 0) {
        size_t kept = bndi_optimizer_keeps(optimizer, BND_ROLE_V, shape->extent, shape->rank, bndi_blocks_in(p, shape));
        const bndi_shape line = {.rank = 1, .extent = {kept}};
        status =
            bndi_tensor_for(factored ? &p->factors : &p->v, run->engine, BND_ROLE_V, factored ? &line : shape, why);
    }
    return status;
}

static bnd_status add_states(bnd_run *run, bndi_parameter *p, bnd_error *why)
{
    bnd_status status = BND_OK;
    const bndi_shape *shape = &p->value->shape;
    if (bndi_cast_of(run->engine, BND_ROLE_MASTER) != NULL) {
        status = bndi_tensor_for(&p->master, run->engine, BND_ROLE_MASTER, shape, why);
    }
    status = status == BND_OK ? add_moments(run, p, shape, why) : status;
    if (status == BND_OK && run->engine->here->policy.update == BND_UPDATE_KAHAN) {
        status = bndi_tensor_for(&p->extra, run->engine, BND_ROLE_EXTRA, shape, why);
    }
    return status;
}

static bnd_status make_value(bnd_run *run, bndi_parameter *p, const bndi_shape *shape, bnd_error *why)
{
    bnd_status status = bndi_tensor_for(&p->value, run->engine, BND_ROLE_PARAM, shape, why);
    if (status == BND_OK) {
        bnd_tensor_want_gradient(p->value, true);
    }
    return status;
}

bnd_status bndi_parameter_make(bnd_run *run, bndi_parameter *p, const bndi_shape *shape, bnd_error *why)
{
    bnd_status status = make_value(run, p, shape, why);
    return status == BND_OK ? add_states(run, p, why) : status;
}

bnd_status bndi_parameter_hide(bnd_run *run, bndi_parameter *p, bool hidden, bnd_error *why)
{
    bndi_parameter made = {.hidden = hidden, .partition = p->partition};
    bnd_status status = add_moments(run, &made, &(p->value != NULL ? p->value : p->master)->shape, why);
    bndi_parameter *old = status == BND_OK ? p : &made;
    bndi_drop(old->m);
    bndi_drop(old->v);
    bndi_drop(old->factors);
    if (status == BND_OK) {
        p->m = made.m;
        p->v = made.v;
        p->factors = made.factors;
        p->hidden = hidden;
    }
    return status;
}

bnd_status bndi_value_of_master(bndi_parameter *p, bnd_error *why)
{
    const bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    return bndi_assign(p->value, p->master, BND_ROLE_PARAM, &how, false, why);
}

/* The numbers of a new parameter: those at `values`, or normal ones of this deviation, or `value` everywhere. */
typedef struct initial {
    const float *values;
    double deviation, value;
    bool decays, hidden;
    const bndi_partition *partition; /* NULL: what bndi_partition says of all zeros, and a gain is one block */
} initial;

static bnd_status write_initial(bnd_run *run, bnd_tensor *to, const initial *from, bnd_error *why)
{
    if (run->initial != NULL || run->initial_folder != NULL) {
        return bndi_initial_read(to, run, run->parameter[run->parameters].name, why);
    }
    if (from->values != NULL) {
        return bnd_tensor_write_f32(to, from->values, bndi_count(&to->shape), (bnd_rule){.rounding = BND_ROUND_RNE},
                                    why);
    }
    return from->deviation > 0 ? bnd_tensor_normal(to, 0, from->deviation, run->training.seed_init,
                                                   bndi_purpose(BNDI_OF_INIT, run->parameters), why)
                               : bnd_tensor_fill(to, from->value, why);
}

/* The master copy has the numbers as they were drawn; the parameter is made of it. */
static bnd_status fill(bnd_run *run, bndi_parameter *p, const initial *from, bnd_error *why)
{
    bnd_tensor *to = p->master != NULL ? p->master : p->value;
    bndi_buffer *kept;
    bnd_status status = bndi_thaw_room(to, &kept, why);
    if (status != BND_OK) {
        return status;
    }
    status = write_initial(run, to, from, why);
    bndi_freeze(to, kept, to == p->value ? BND_ROLE_PARAM : BND_ROLE_MASTER);
    return status == BND_OK && to != p->value ? bndi_value_of_master(p, why) : status;
}

bool bndi_is_transient(const bnd_run *run, const bndi_parameter *p)
{
    const bnd_cast *cast = &bndi_rules_at(run->engine, p->place)->policy.cast[BND_ROLE_PARAM];
    return cast->given && cast->transient && p->master != NULL;
}

bnd_status bndi_parameters_begin(bnd_run *run, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_parameter *p = &run->parameter[i];
        bndi_go_to_if_they_differ(run, i);
        if (p->value == NULL) {
            status = make_value(run, p, &p->master->shape, why);
            status = status == BND_OK ? bndi_value_of_master(p, why) : status;
        }
    }
    return status;
}

void bndi_parameters_end(bnd_run *run)
{
    for (size_t i = 0; i < run->parameters; i++) {
        bndi_parameter *p = &run->parameter[i];
        if (bndi_is_transient(run, p)) {
            bndi_drop(p->value);
            p->value = NULL;
        }
    }
}

/* Parameters whose names differ behind the last dot are at one place: "blocks.0.up". It is the last one, or a new one,
 * which is not counted yet. */
static unsigned place_of(bnd_run *run, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
    const char *last = run->place_name[run->places - 1];
    if (strlen(last) == length && memcmp(last, name, length) == 0) {
        return run->places - 1;
    }
    memcpy(run->place_name[run->places], name, length);
    run->place_name[run->places][length] = 0;
    return run->places;
}

/* Vectors are gains, each a block, but for biases. */
static bndi_partition partition_of(const char *name, const bndi_shape *shape)
{
    const char *dot = strrchr(name, '.'), *last = dot != NULL ? dot + 1 : name;
    const bool whole = shape->rank == 1 && strcmp(last, "bias") != 0 && strcmp(last, "b") != 0;
    return whole ? (bndi_partition){.grouped = shape->extent[0], .group = shape->extent[0]}
                 : (bndi_partition){.grouped = 0};
}

bnd_status bndi_parameters_room(bnd_run *run, size_t count, bnd_error *why)
{
    enum { FIRST = 16 };
    const bool begins = run->parameter_room == 0;
    size_t room = run->parameter_room != 0 ? run->parameter_room : FIRST;
    if (count > BNDI_PARAMETERS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a model can have at most %d parameter tensors; reduce its depth",
                        BNDI_PARAMETERS);
    }
    if (count <= run->parameter_room && !begins) {
        return BND_OK;
    }
    while (room < count) {
        room *= 2;
    }
    bndi_parameter *parameter = realloc(run->parameter, room * sizeof *parameter);
    run->parameter = parameter != NULL ? parameter : run->parameter;
    bndi_parameter_name *name = realloc(run->place_name, (room + 1) * sizeof *name);
    run->place_name = name != NULL ? name : run->place_name;
    bnd_layer *layers = realloc(run->layers, (room + 1) * sizeof *layers);
    run->layers = layers != NULL ? layers : run->layers;
    if (parameter == NULL || name == NULL || layers == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu parameters", room);
    }
    if (begins) {
        run->place_name[0][0] = 0;
    }
    run->parameter_room = room;
    return BND_OK;
}

static bnd_status add(bnd_run *run, const char *name, const bndi_shape *shape, const initial *from, bnd_error *why)
{
    bnd_status status = bndi_parameters_room(run, run->parameters + 1, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_parameter *p = &run->parameter[run->parameters];
    memset(p, 0, sizeof *p);
    strncpy(p->name, name, sizeof p->name - 1);
    p->decays = from->decays;
    p->hidden = from->hidden;
    p->partition = from->partition != NULL ? *from->partition : partition_of(p->name, shape);
    p->place = place_of(run, p->name);
    if (!run->naming) {
        bndi_go_to_if_they_differ(run, run->parameters);
        status = bndi_parameter_make(run, p, shape, why);
        status = status == BND_OK ? fill(run, p, from, why) : status;
    }
    if (status == BND_OK) {
        run->places = p->place + 1;
        run->parameters++;
    }
    return status; /* what was made is the engine's, and goes with it */
}

bnd_status bndi_factor_room_make(bnd_run *run, bnd_error *why)
{
    size_t most = 0;
    for (size_t i = 0; i < run->parameters; i++) {
        const bndi_parameter *p = &run->parameter[i];
        const bndi_shape *shape = &(p->value != NULL ? p->value : p->master)->shape; /* a value may be transient */
        size_t lines = shape->rank == 2 ? shape->extent[0] + shape->extent[1] : 1 + bndi_count(shape),
               blocks = bndi_blocks_in(p, shape);
        most = lines > most ? lines : most;
        most = blocks > most ? blocks : most;
    }
    double *room = calloc(most, sizeof *room);
    if (room == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the updates of a run");
    }
    free(run->factor_room);
    run->factor_room = room;
    return BND_OK;
}

bnd_status bndi_add_values(bnd_run *run, const char *name, const bndi_shape *shape, const float *values, bool decays,
                           bnd_error *why)
{
    return add(run, name, shape, &(initial){.values = values, .decays = decays}, why);
}

void bndi_add_matrix(bndi_graph *g, const char *name, size_t rows, size_t columns, double deviation,
                     bndi_matrix_kind kind)
{
    bndi_add_divided(g, name, rows, columns, deviation, kind, NULL);
}

void bndi_add_divided(bndi_graph *g, const char *name, size_t rows, size_t columns, double deviation,
                      bndi_matrix_kind kind, const bndi_partition *partition)
{
    const initial from = {
        .deviation = deviation, .decays = kind != BNDI_TABLE, .hidden = kind == BNDI_HIDDEN, .partition = partition};
    bndi_shape shape;
    if (g->status == BND_OK) {
        g->status = bndi_shape_make(&shape, (size_t[]){rows, columns}, 2, g->why);
    }
    if (g->status == BND_OK) {
        g->status = add(g->run, name, &shape, &from, g->why);
    }
}

void bndi_add_vector(bndi_graph *g, const char *name, size_t n, double value)
{
    if (g->status == BND_OK) {
        g->status = add(g->run, name, &(bndi_shape){.rank = 1, .extent = {n}}, &(initial){.value = value}, g->why);
    }
}

/* ---- whether anything is left of them ---- */

static bool is_lost(const bnd_tensor *t)
{
    bndi_numbers buffer;
    bndi_walk walk;
    size_t n = bndi_count(&t->shape);
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const double *x = bndi_read(&walk, at, m, &buffer);
        for (size_t i = 0; i < m; i++) {
            if (x[i] == x[i]) {
                return false;
            }
        }
    }
    return true;
}

bool bndi_weights_are_lost(const bnd_run *run)
{
    for (size_t i = 0; i < run->parameters; i++) {
        const bndi_parameter *p = &run->parameter[i];
        if (!p->looked_up && !is_lost(p->master != NULL ? p->master : p->value)) {
            return false;
        }
    }
    return true;
}
