/* For tools/dev/make-training-goldens.py: `export_run DIRECTORY tied|untied` writes the weights that a run of golden.h
 * begins with and the batches of its steps, as .npy, and parameters.txt: a name, and whether it decays. */
#include <stdio.h>
#include <string.h>

#include "tests/train/golden.h"
#include "train/train.h"

static bnd_status save(const bnd_tensor *t, const char *directory, const char *name, size_t i, bnd_error *why)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s-%zu.npy", directory, name, i);
    return bnd_tensor_save(t, path, why);
}

static bnd_status save_parameters(bnd_run *run, const char *directory, bnd_error *why)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/parameters.txt", directory);
    FILE *names = fopen(path, "w");
    bnd_status status = names != NULL ? BND_OK : bnd_fail(why, BND_BAD_STREAM, 0, "%s cannot be written", path);
    for (size_t i = 0; status == BND_OK && i < bnd_run_parameters(run); i++) {
        fprintf(names, "%s %d\n", run->parameter[i].name, run->parameter[i].decays);
        status = save(run->parameter[i].value, directory, "parameter", i, why);
    }
    return names != NULL && fclose(names) != 0 ? bnd_fail(why, BND_BAD_STREAM, 0, "%s is incomplete", path) : status;
}

static bnd_status save_batches(bnd_run *run, const char *directory, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t step = 0; status == BND_OK && step < GOLDEN_STEPS; step++) {
        bndi_batch batch;
        status = run->source.batch(&batch, run, bndi_purpose(BNDI_OF_DATA, step), why);
        status = status == BND_OK ? save(batch.x, directory, "x", step, why) : status;
        status = status == BND_OK ? save(batch.y, directory, "y", step, why) : status;
    }
    return status;
}

int main(int argc, char **argv)
{
    bnd_training t;
    bnd_run *run = NULL;
    bnd_error why;
    if (argc != 3) {
        fprintf(stderr, "usage: export_run DIRECTORY tied|untied\n");
        return 2;
    }
    bnd_status status = golden_training(&t, strcmp(argv[2], "tied") == 0, &why);
    status = status == BND_OK ? bnd_run_new(&run, &t, NULL, &why) : status;
    status = status == BND_OK ? save_parameters(run, argv[1], &why) : status;
    status = status == BND_OK ? save_batches(run, argv[1], &why) : status;
    bnd_run_free(run);
    if (status != BND_OK) {
        fprintf(stderr, "export_run: %s\n", why.message);
    }
    return status == BND_OK ? 0 : 1;
}
