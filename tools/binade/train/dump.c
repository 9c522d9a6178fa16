/* --dump-init and --dump-batches: the weights and batches that another program needs to make the same run. */
#include "training.h"

static int dump_from(const training_options *o, bnd_run *run)
{
    bnd_error why;
    bnd_status status = BND_OK;
    if (o->dump_init != NULL) {
        status = bnd_run_save_weights(run, o->dump_init, &why);
    }
    if (status != BND_OK) {
        return fail(o->common.command, o->dump_init, status, &why);
    }
    if (o->dump_batches != NULL) {
        status = bnd_run_save_batches(run, bnd_run_training(run)->steps, o->dump_batches, &why);
    }
    return status == BND_OK ? GO_ON : fail(o->common.command, o->dump_batches, status, &why);
}

int dump_inputs(const training_options *o, const bnd_training *training)
{
    bnd_training of = *training;
    bnd_run *run;
    bnd_error why;
    if (o->dump_init == NULL && o->dump_batches == NULL) {
        return GO_ON;
    }
    of.policy = (bnd_policy){.name = "fp32"};
    bnd_status status = bnd_run_new(&run, &of, NULL, &why);
    if (status != BND_OK) {
        return fail(o->common.command, "", status, &why);
    }
    int result = dump_from(o, run);
    bnd_run_free(run);
    return result;
}
