/* Runs of trained weights: of a run's checkpoint, or of Hugging Face. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <stdio.h>
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

/* What the run's config.json says, which is next to its checkpoint; false: there is none of a run. */
static bool read_config(bnd_record *out, const char *checkpoint)
{
    bndi_bytes text = {.at = NULL};
    char *path = strdup(checkpoint), *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
    }
    char *config = path != NULL ? bndi_path(slash == NULL ? "." : slash == path ? "/" : path, "config.json") : NULL;
    const bool is_there = config != NULL && bndi_file_read(&text, config, NULL) == BND_OK && text.at != NULL &&
                          bndi_config_read(out, text.at, text.length, NULL) == BND_OK;
    bndi_bytes_free(&text);
    free(config);
    free(path);
    return is_there;
}

static bnd_status find_run(bnd_trained_weights *out, const char *path, bnd_error *why)
{
    bnd_record said;
    char *file = checkpoint_at(path);
    if (file == NULL) {
        return no_path(why);
    }
    bnd_status status = bnd_checkpoint_read(&out->training, &out->step, file, why);
    status = bndi_in_file(status, file, why);
    if (status == BND_OK) {
        out->training.init[0] = out->training.order[0] = '\0'; /* the weights are in the checkpoint */
    }
    snprintf(out->recipe, sizeof out->recipe, "%s", out->training.policy.name);
    if (status == BND_OK && read_config(&said, file)) {
        snprintf(out->recipe, sizeof out->recipe, "%s", said.recipe);
        out->data_hash = said.data_hash;
        out->tokenizer_hash = said.tokenizer_hash;
    }
    free(file);
    return status;
}

/* A directory without a checkpoint: of a run that has kept none, of several runs, or of weights of Hugging Face. */
static bnd_status check_directory(const char *path, const char *checkpoint, const char *config, bnd_error *why)
{
    struct stat about;
    bnd_record said;
    if (stat(checkpoint, &about) == 0 || !bndi_is_directory(path)) {
        return BND_OK;
    }
    if (stat(config, &about) != 0) {
        return bndi_in_file(bndi_directory_check_run(path, why), path, why);
    }
    return read_config(&said, checkpoint)
               ? bnd_fail(why, BND_BAD_FILE, 0,
                          "%s: checkpoint.safetensors is missing: the run has kept no weights, as the runs of a sweep "
                          "by default; name a run that has kept its checkpoint",
                          path)
               : BND_OK;
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
        snprintf(out->recipe, sizeof out->recipe, "%s", t->policy.name);
    }
    return status;
}

bnd_status bnd_trained_weights_find(bnd_trained_weights *out, const char *path, const char *config, bnd_error *why)
{
    struct stat about;
    bnd_trained_weights made = {.is_run = false};
    char *own = bndi_path(path, "checkpoint.safetensors"), *theirs = bndi_path(path, "config.json");
    bnd_status status = own != NULL && theirs != NULL ? BND_OK : no_path(why);
    if (status == BND_OK && config == NULL) {
        const bool is_theirs = stat(own, &about) != 0 && stat(theirs, &about) == 0; /* no run has written it */
        config = is_theirs ? theirs : NULL;
        status = check_directory(path, own, theirs, why);
    }
    if (status == BND_OK) {
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

/* Are the data and the tokenizer those of the run? */
static bnd_status check_files(const bnd_trained_weights *trained, const bnd_run *run, bnd_error *why)
{
    const struct {
        const char *key, *otherwise;
        uint64_t there, here;
    } files[] = {
        {"data_hash", "; to evaluate on it, name it with the option data", trained->data_hash, bnd_run_data_hash(run)},
        {"tokenizer_hash", "; to evaluate with it, name it with the option tokenizer", trained->tokenizer_hash,
         bnd_run_tokenizer_hash(run)}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].there != 0 && files[i].here != 0 && files[i].there != files[i].here) {
            return bndi_content_changed(files[i].key, files[i].there, files[i].here, "", files[i].otherwise, why);
        }
    }
    return BND_OK;
}

bnd_status bnd_trained_weights_open(bnd_run **out, const bnd_trained_weights *trained, const char *path,
                                    const bnd_context *context, bnd_error *why)
{
    bnd_run *run = NULL;
    bnd_status status = bnd_run_new(&run, &trained->training, context, why);
    status = status == BND_OK ? bndi_in_file(check_files(trained, run, why), path, why) : status;
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
