/* Formulas of models: after one operation fails, the others do nothing, so that a model reads like its mathematics.
 * Each call releases its operands, also after a failure: tensors that no node of the tape saves are freed
 * immediately. */
#include "train/train.h"

#include "tensor/engine.h"
#include "tensor/operation.h"

#define UNLESS_FAILED(g, call) ((g)->status = (g)->status == BND_OK ? (call) : (g)->status)

/* ---- who holds what ---- */

/* Leaves that want a gradient are parameters, which the run holds. */
void bndi_use_up(bnd_tensor *const *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (in[i] != NULL && !in[i]->wants_gradient) {
            bnd_tensor_release(in[i]);
        }
    }
}

bnd_tensor *bndi_again(bnd_tensor *x)
{
    return x != NULL ? bnd_tensor_keep(x) : NULL;
}

/* ---- operations ---- */

bnd_tensor *bndi_apply(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                       const bnd_attributes *attributes)
{
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bnd_tensor_apply(&y, operation, in, count, attributes, g->why));
    bndi_use_up(in, count);
    return y;
}

/* Results of the role `careful`: of losses that are made of several operations. */
static bnd_tensor *careful(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                           double number)
{
    const bnd_attributes attributes = {.number = {number}};
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bndi_apply_as(&y, operation, in, count, &attributes, BND_ROLE_CAREFUL, g->why));
    bndi_use_up(in, count);
    return y;
}

bnd_tensor *bndi_careful_map(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x)
{
    return careful(g, operation, &x, 1, 0);
}

bnd_tensor *bndi_careful_pair(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b)
{
    return careful(g, operation, (bnd_tensor *[]){a, b}, 2, 0);
}

bnd_tensor *bndi_careful_with(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x, double number)
{
    return careful(g, operation, &x, 1, number);
}

bnd_tensor *bndi_map(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x)
{
    return bndi_apply(g, operation, &x, 1, NULL);
}

bnd_tensor *bndi_with(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x, double number)
{
    return bndi_apply(g, operation, &x, 1, &(bnd_attributes){.number = {number}});
}

bnd_tensor *bndi_pair(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *in[] = {a, b};
    return bndi_apply(g, operation, in, 2, NULL);
}

bnd_tensor *bndi_attention(bndi_graph *g, bnd_role result, bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *in[] = {a, b};
    return bndi_apply(g, BND_TENSOR_OP_MATMUL, in, 2, &(bnd_attributes){.role = result});
}

bnd_tensor *bndi_graph_part(bndi_graph *g, bnd_tensor *x, size_t index)
{
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bnd_tensor_select(&y, x, 0, index, g->why));
    bndi_use_up(&x, 1);
    return y;
}

bnd_tensor *bndi_columns_of(bndi_graph *g, bnd_tensor *x, size_t first, size_t count)
{
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bnd_tensor_slice(&y, x, -1, first, count, 1, g->why));
    bndi_use_up(&x, 1);
    return y;
}

bnd_tensor *bndi_turned(bndi_graph *g, bnd_tensor *x)
{
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bnd_tensor_transpose(&y, x, -1, -2, g->why));
    bndi_use_up(&x, 1);
    return y;
}

bnd_tensor *bndi_rearranged(bndi_graph *g, bnd_tensor *x, const char *pattern, const char *sizes)
{
    bnd_tensor *y = NULL;
    UNLESS_FAILED(g, bnd_tensor_rearrange(&y, x, pattern, sizes, g->why));
    bndi_use_up(&x, 1);
    return y;
}

/* ---- with parameters ---- */

void bndi_go_to(bnd_run *run, size_t parameter)
{
    bnd_engine_set_place(run->engine, run->parameter[parameter].place);
}

void bndi_go_to_if_they_differ(bnd_run *run, size_t parameter)
{
    if (bndi_places_differ(run->engine)) {
        bndi_go_to(run, parameter);
    }
}

bnd_tensor *bndi_weight(bndi_graph *g, size_t first)
{
    bndi_go_to(g->run, first);
    return g->run->parameter[first].value;
}

bnd_tensor *bndi_dense(bndi_graph *g, bnd_tensor *x, size_t first)
{
    bnd_tensor *in[] = {x, bndi_weight(g, first), g->run->parameter[first + 1].value};
    return bndi_apply(g, BND_TENSOR_OP_LINEAR, in, 3, NULL);
}

bnd_tensor *bndi_dense_bare(bndi_graph *g, bnd_tensor *x, size_t first)
{
    return bndi_pair(g, BND_TENSOR_OP_LINEAR, x, bndi_weight(g, first));
}

bnd_tensor *bndi_norm(bndi_graph *g, bnd_tensor *x, size_t first)
{
    bnd_tensor *in[] = {x, bndi_weight(g, first), g->run->parameter[first + 1].value};
    return bndi_apply(g, BND_TENSOR_OP_LAYER_NORM, in, 3, &(bnd_attributes){.number = {1e-5}});
}

bnd_tensor *bndi_half_mean_square(bndi_graph *g, bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *difference = bndi_careful_pair(g, BND_TENSOR_OP_SUB, a, b);
    bnd_tensor *square = careful(g, BND_TENSOR_OP_POW, &difference, 1, 2);
    bnd_tensor *mean = bndi_careful_map(g, BND_TENSOR_OP_MEAN, square);
    return careful(g, BND_TENSOR_OP_SCALE, &mean, 1, 0.5);
}

/* ---- numbers ---- */

static double of_number(const bnd_run *run, bndi_formula_name formula, double x)
{
    const void *in[4] = {&x};
    double y;
    bndi_maths_of(&run->engine->context)->formula[BNDI_WORDS_64][formula](&y, in, 0, 1);
    return y;
}

double bndi_log_of(const bnd_run *run, double x)
{
    return of_number(run, BNDI_F_log, x);
}

double bndi_exp_of(const bnd_run *run, double x)
{
    return of_number(run, BNDI_F_exp, x);
}
