/* An MLP with hidden layers that classifies points by a planted linear map: ReLU, cross-entropy. */
#include "train/train.h"

#include <stdio.h>

static void usual(bnd_training *t)
{
    t->inputs = t->inputs != 0 ? t->inputs : 64;
    t->width = t->width != 0 ? t->width : 128;
    t->depth = t->depth != 0 ? t->depth : 2;
    t->batch = 128;
    t->steps = 600;
}

static void build(bndi_graph *g)
{
    const bnd_training *t = &g->run->training;
    size_t inputs = t->inputs;
    for (size_t layer = 0; g->status == BND_OK && layer <= t->depth; layer++) {
        size_t outputs = layer < t->depth ? t->width : BNDI_CLASSES;
        char name[BNDI_PARAMETER_NAME];
        snprintf(name, sizeof name, "layers.%zu.weight", layer);
        bndi_add_matrix(g, name, outputs, inputs, __builtin_sqrt(2 / (double)inputs),
                        layer > 0 && layer < t->depth ? BNDI_HIDDEN : BNDI_OUTER);
        snprintf(name, sizeof name, "layers.%zu.bias", layer);
        bndi_add_vector(g, name, outputs, 0);
        inputs = outputs;
    }
}

static bnd_tensor *loss(bndi_graph *g, const bndi_batch *batch)
{
    bnd_tensor *x = batch->x;
    for (size_t layer = 0; layer < g->run->training.depth; layer++) {
        x = bndi_map(g, BND_TENSOR_OP_RELU, bndi_dense(g, x, 2 * layer));
    }
    x = bndi_dense(g, x, 2 * g->run->training.depth);
    return bndi_pair(g, BND_TENSOR_OP_CROSS_ENTROPY, x, batch->y);
}

const bndi_model_row bndi_mlp_row = {.name = "mlp",
                                     .title = "an MLP with hidden layers on planted classes",
                                     .uses = BNDI_INPUTS | BNDI_DEPTH,
                                     .has = BNDI_HAS_NUMBERS,
                                     .usual = usual,
                                     .stride = 3,
                                     .source = bndi_open_classes,
                                     .build = build,
                                     .loss = loss};
