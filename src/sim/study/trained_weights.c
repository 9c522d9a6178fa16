/* Runs of trained weights: of a run's checkpoint, or of Hugging Face. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bnd_status no_path(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
}

/* The checkpoint in a directory, or the file itself. NULL: there is no memory. To be freed. */
static char *checkpoint_at(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? bndi_path(path, "checkpoint.safetensors") : strdup(path);
}

static bnd_status find_run(bnd_trained_weights *out, const char *path, bnd_error *why)
{
    char *file = checkpoint_at(path);
    if (file == NULL) {
        return no_path(why);
    }
    bnd_status status = bnd_checkpoint_read(&out->training, &out->step, file, why);
    status = bndi_in_file(status, file, why);
    free(file);
    if (status == BND_OK) {
        out->training.init[0] = out->training.order[0] = '\0'; /* the weights are in the checkpoint */
    }
    return status;
}

static bnd_status find_weights(bnd_trained_weights *out, const char *path, const char *config, bnd_error *why)
{
    bnd_training *t = &out->training;
    bnd_status status = bnd_training_of_config(t, NULL, "sgd", config, why);
    if (status == BND_OK && strlen(path) >= sizeof t->init) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the name of a checkpoint must have at most %zu bytes",
                        sizeof t->init - 1);
    }
    if (status == BND_OK) {
        strcpy(t->init, path);
    }
    return status;
}

bnd_status bnd_trained_weights_find(bnd_trained_weights *out, const char *path, const char *config, bnd_error *why)
{
    struct stat about;
    bnd_trained_weights made = {.is_run = false};
    bnd_status status;
    char *own = bndi_path(path, "checkpoint.safetensors"), *theirs = bndi_path(path, "config.json");
    if (own == NULL || theirs == NULL) {
        status = no_path(why);
    } else {
        const bool is_theirs = stat(own, &about) != 0 && stat(theirs, &about) == 0; /* no run has written it */
        config = config == NULL && is_theirs ? theirs : config;
        made.is_run = config == NULL;
        status = made.is_run ? find_run(&made, path, why) : find_weights(&made, path, config, why);
    }
    free(own);
    free(theirs);
    if (status == BND_OK) {
        *out = made;
    }
    return status;
}

bnd_status bnd_trained_weights_open(bnd_run **out, const bnd_trained_weights *trained, const char *path,
                                    const bnd_context *context, bnd_error *why)
{
    bnd_run *run = NULL;
    bnd_status status = bnd_run_new(&run, &trained->training, context, why);
    if (status == BND_OK && trained->is_run) {
        char *file = checkpoint_at(path);
        status = file != NULL ? bndi_in_file(bnd_run_load(run, file, why), file, why) : no_path(why);
        free(file);
    }
    if (status != BND_OK) {
        bnd_run_free(run);
        return status;
    }
    *out = run;
    return BND_OK;
}
