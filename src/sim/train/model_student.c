/* A student and its teacher (Su et al. 2025, arXiv:2506.20752): a stack of residual MLPs behind layer norms, a += W2
 * phi(W1 LN a). The student learns the outputs of a teacher of the same kind for normally distributed inputs. The
 * teacher has its own weights, drawn from seed_data, and always works in fp32, so that all recipes learn the same
 * function. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>

#include "tensor/engine.h"

static void usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->depth = t->depth != 0 ? t->depth : 2;
    t->batch = 64;
    t->steps = 300;
}

enum { NORM, UP = 2, DOWN, PER_BLOCK };

static void build(bndi_graph *g)
{
    size_t d = g->run->training.width;
    for (size_t block = 0; g->status == BND_OK && block < g->run->training.depth; block++) {
        char name[BNDI_PARAMETER_NAME];
        snprintf(name, sizeof name, "blocks.%zu.norm.gain", block);
        bndi_add_vector(g, name, d, 1);
        snprintf(name, sizeof name, "blocks.%zu.norm.bias", block);
        bndi_add_vector(g, name, d, 0);
        snprintf(name, sizeof name, "blocks.%zu.up.weight", block);
        bndi_add_matrix(g, name, 4 * d, d, 1 / __builtin_sqrt((double)d), BNDI_HIDDEN);
        snprintf(name, sizeof name, "blocks.%zu.down.weight", block);
        bndi_add_matrix(g, name, d, 4 * d, 1 / __builtin_sqrt(4 * (double)d), BNDI_HIDDEN);
    }
}

static bnd_tensor *output(bndi_graph *g, bnd_tensor *a)
{
    for (size_t block = 0; block < g->run->training.depth; block++) {
        size_t first = block * PER_BLOCK;
        bnd_tensor *inner = bndi_dense_bare(g, bndi_norm(g, bndi_again(a), first + NORM), first + UP);
        bnd_tensor *step = bndi_dense_bare(g, bndi_map(g, BND_TENSOR_OP_GELU, inner), first + DOWN);
        a = bndi_pair(g, BND_TENSOR_OP_ADD, a, step);
    }
    return a;
}

static bnd_tensor *loss(bndi_graph *g, const bndi_batch *batch)
{
    return bndi_half_mean_square(g, output(g, batch->x), batch->y);
}

/* ---- what is learned ---- */

static bnd_status normal_rows(bnd_tensor **out, bnd_run *run, uint64_t seed, uint64_t purpose, bnd_error *why)
{
    size_t shape[] = {run->training.batch, run->training.width};
    const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_32);
    bnd_status status = bnd_tensor_new(out, run->engine, f, shape, 2, BND_ROLE_DATA, why);
    return status == BND_OK ? bnd_tensor_normal(*out, 0, 1, seed, purpose, why) : status;
}

/* x and what the teacher makes of it, into n numbers. */
static bnd_status teach(float *y, size_t n, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    bnd_run *teacher = run->source.teacher;
    bnd_mark mark = bnd_engine_mark(teacher->engine);
    bndi_graph g = {.run = teacher, .why = why};
    bnd_tensor *x;
    g.status = normal_rows(&x, teacher, run->training.seed_data, purpose, why);
    if (g.status == BND_OK) {
        bnd_tensor *out = output(&g, x);
        g.status = g.status == BND_OK ? bnd_tensor_read_f32(y, n, out, why) : g.status;
    }
    bnd_engine_release_since(teacher->engine, mark, NULL, 0);
    return g.status;
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    size_t shape[] = {run->training.batch, run->training.width}, n = shape[0] * shape[1];
    float *y = calloc(n, sizeof *y);
    bnd_status status = y != NULL ? teach(y, n, run, purpose, why)
                                  : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch of %zu numbers", n);
    if (status == BND_OK) {
        status = normal_rows(&out->x, run, run->training.seed_data, purpose, why);
    }
    if (status == BND_OK) {
        const bnd_format *f = bnd_lab_format_of_words(BNDI_WORDS_32);
        status = bnd_tensor_from_f32(&out->y, run->engine, f, y, shape, 2, BND_ROLE_DATA, why);
    }
    free(y);
    return status;
}

/* Half the mean of squares of what is to be learned: the loss of who says 0. */
static bnd_status measure_chance(bnd_run *run, bnd_error *why)
{
    enum { BATCHES = 16 };
    size_t n = run->training.batch * run->training.width;
    float *y = calloc(n, sizeof *y);
    bnd_status status = y != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch");
    double sum = 0;
    for (uint64_t i = 0; status == BND_OK && i < BATCHES; i++) {
        status = teach(y, n, run, bndi_purpose(BNDI_OF_PLAN, i), why);
        for (size_t j = 0; j < n; j++) {
            sum += (double)y[j] * (double)y[j];
        }
    }
    free(y);
    run->chance_loss = sum / (2 * (double)n * (double)BATCHES);
    return status;
}

static bnd_status open_teacher(bnd_run *run, bnd_error *why)
{
    bnd_training t = run->training;
    t.policy = (bnd_policy){.name = "fp32"};
    t.init[0] = t.order[0] = '\0'; /* those of the student */
    t.seed_init = bnd_random(t.seed_data, bndi_purpose(BNDI_OF_PLAN, UINT32_MAX), 0);
    bnd_status status = bndi_run_without_data(&run->source.teacher, &t, &run->engine->context, why);
    run->source.batch = batch;
    run->floor = 0;
    if (status == BND_OK) {
        bnd_engine_set_tape(run->source.teacher->engine, false);
        status = measure_chance(run, why);
    }
    return status;
}

const bndi_model_row bndi_student_row = {.name = "student",
                                         .title = "residual MLP blocks with layer norms, learning from a teacher",
                                         .uses = BNDI_DEPTH,
                                         .has = BNDI_HAS_NUMBERS | BNDI_HAS_NORMS,
                                         .usual = usual,
                                         .stride = 5,
                                         .source = open_teacher,
                                         .build = build,
                                         .loss = loss};
