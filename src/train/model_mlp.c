/* A perceptron with hidden layers, classifying points by a planted linear map: ReLU, cross-entropy. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>

#include "tensor/tensor.h"

enum { CLASSES = 10 };

static void usual(bnd_training *t)
{
    t->inputs = t->inputs != 0 ? t->inputs : 64;
    t->width = t->width != 0 ? t->width : 128;
    t->depth = t->depth != 0 ? t->depth : 2;
}

static bnd_status build(bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_plant(run, run->training.inputs * CLASSES, why);
    size_t inputs = run->training.inputs;
    for (size_t layer = 0; status == BND_OK && layer <= run->training.depth; layer++) {
        size_t outputs = layer < run->training.depth ? run->training.width : CLASSES;
        char name[BNDI_PARAMETER_NAME];
        snprintf(name, sizeof name, "layers.%zu.weight", layer);
        status = bndi_parameter_add(run, name, (size_t[]){outputs, inputs}, 2, __builtin_sqrt(2 / (double)inputs), 0,
                                    true, why);
        snprintf(name, sizeof name, "layers.%zu.bias", layer);
        status = status == BND_OK ? bndi_parameter_add(run, name, (size_t[]){outputs}, 1, 0, 0, false, why) : status;
        inputs = outputs;
    }
    run->ignorance = 2.30258509299404568402; /* log 10 */
    return status;
}

static size_t class_of(const bnd_run *run, const double *x)
{
    size_t best = 0, inputs = run->training.inputs;
    double most = -__builtin_inf();
    for (size_t i = 0; i < CLASSES; i++) {
        double sum = 0;
        for (size_t j = 0; j < inputs; j++) {
            sum += run->plan[i * inputs + j] * x[j];
        }
        best = sum > most ? i : best;
        most = sum > most ? sum : most;
    }
    return best;
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    size_t rows = run->training.batch, inputs = run->training.inputs, n = rows * inputs;
    const bnd_format *f = bndi_format_of_words(BNDI_WORDS_32);
    double *x = malloc((n + rows) * sizeof *x);
    if (x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch");
    }
    bnd_status status = bnd_tensor_new(&out->x, run->engine, f, (size_t[]){rows, inputs}, 2, BND_ROLE_DATA, why);
    status = status == BND_OK ? bnd_tensor_normal(out->x, 0, 1, run->training.seed_data, purpose, why) : status;
    status = status == BND_OK ? bnd_tensor_read_f64(x, n, out->x, why) : status;
    for (size_t i = 0; status == BND_OK && i < rows; i++) {
        x[n + i] = (double)class_of(run, x + i * inputs);
    }
    status =
        status == BND_OK ? bnd_tensor_from_f64(&out->y, run->engine, f, x + n, &rows, 1, BND_ROLE_DATA, why) : status;
    free(x);
    return status;
}

static bnd_status loss(bnd_tensor **out, bnd_run *run, const bndi_batch *b, bnd_error *why)
{
    bnd_tensor *x = b->x, *y = NULL;
    bnd_status status = BND_OK;
    for (size_t layer = 0; status == BND_OK && layer <= run->training.depth; layer++) {
        status = bndi_dense(&y, run, x, 2 * layer, why);
        if (status == BND_OK && layer < run->training.depth) {
            x = y;
            status = bnd_tensor_map(&y, BND_TENSOR_RELU, x, why);
        }
        x = y;
    }
    return status == BND_OK ? bnd_tensor_pair(out, BND_TENSOR_CROSS_ENTROPY, x, b->y, why) : status;
}

const bndi_model_row bndi_mlp_row = {.name = "mlp",
                                     .title = "a perceptron with hidden layers on planted classes",
                                     .usual = usual,
                                     .build = build,
                                     .batch = batch,
                                     .loss = loss};
