/* Models that `binade bench` trains: parameters with their numbers, a batch, and a forward and backward pass. */
#ifndef BINADE_TOOLS_MODEL_H
#define BINADE_TOOLS_MODEL_H

#include <binade-lab/tensor.h>

enum { MODEL_PARAMETERS_MAX = 64 };

typedef struct model {
    bnd_engine *engine;
    bnd_tensor *parameter[MODEL_PARAMETERS_MAX];
    size_t parameters;
    bnd_tensor *input, *targets;
    /* The loss of the batch, from the parameters in their order. */
    bnd_status (*forward)(bnd_tensor **loss, struct model *m, bnd_error *why);
    size_t next; /* which parameter `forward` takes next */
} model;

/* A row of the table of models. */
typedef struct model_row {
    const char *name;
    bnd_status (*open)(model *m, bnd_error *why);
} model_row;
extern const model_row model_rows[];
extern const size_t model_row_count;

bnd_status model_open(model *m, const model_row *row, const bnd_context *context, bnd_error *why);
void model_close(model *m);

/* One pass: the loss, and gradients of all parameters, which stay until model_drop_gradients. */
bnd_status model_pass(double *loss, model *m, bnd_error *why);
void model_drop_gradients(model *m);

#endif
