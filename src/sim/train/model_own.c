/* The caller's own model: it has a name and sizes; the caller computes the loss. */
#include "train/train.h"

static void usual(bnd_training *t)
{
    t->batch = t->width = 1; /* not used; a run asks for at least 1 */
}

static void no_parameters(bndi_graph *g)
{
    (void)g;
}

const bndi_model_row bndi_own_row = {.name = "own",
                                     .title = "a model of the caller's own",
                                     .uses = BNDI_ANY_SETTING,
                                     .usual = usual,
                                     .stride = 1,
                                     .build = no_parameters};
