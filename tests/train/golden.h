/* The runs that golden/ has losses of: export_run writes their weights and batches, and test_golden runs them. */
#ifndef TESTS_TRAIN_GOLDEN_H
#define TESTS_TRAIN_GOLDEN_H

#include <binade-lab/train.h>
#include <string.h>

enum { GOLDEN_STEPS = 100 };

static inline bnd_status golden_training(bnd_training *t, bool tied, bnd_error *why)
{
    bnd_status status = bnd_training_default(t, "transformer", "adamw", "fp32", why);
    if (status == BND_OK) {
        strcpy(t->source, "chain");
        t->seed_init = 11;
        t->seed_data = 12;
        t->steps = GOLDEN_STEPS;
        t->lr = 3e-3;
        t->weight_decay = 0.1;
        t->width = 32;
        t->context = 16;
        t->batch = 8;
        t->tied = tied;
    }
    return status;
}

#endif
