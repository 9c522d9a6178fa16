/* Saving and loading of runs for study/: as in train/, but a run continues from its own checkpoint only. */
#include "study/study.h"

#include <string.h>

#include "train/train.h"

static void write_training(bndi_bytes *out, const bnd_training *training)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bndi_bytes_write, out);
    bndi_training_write(&json, NULL, training);
}

/* Where a file lies does not matter: config.json has the hashes of the contents. */
static void take_path(char *there, const char *asked)
{
    if (there[0] != '\0' && asked[0] != '\0') {
        strcpy(there, asked);
    }
}

/* The checkpoint's training must be equal to the run's in everything but three: the recipe, since the checkpoint may
 * have been made before or after a switch, the number of steps, and the places of files. */
static bnd_status check_training(const bnd_run *run, bnd_training there, bnd_error *why)
{
    bndi_bytes a = {.at = NULL}, b = {.at = NULL};
    const bnd_training *asked = bnd_run_training(run);
    there.policy = asked->policy;
    there.steps = asked->steps;
    take_path(there.data, asked->data);
    take_path(there.tokenizer, asked->tokenizer);
    take_path(there.init, asked->init);
    take_path(there.order, asked->order);
    write_training(&a, &there);
    write_training(&b, asked);
    bnd_status status = bndi_bytes_check(&a, why);
    status = status == BND_OK ? bndi_bytes_check(&b, why) : status;
    status = status == BND_OK ? bndi_config_same(&a, &b, why) : status;
    bndi_bytes_free(&a);
    bndi_bytes_free(&b);
    return status;
}

static bnd_status load(bnd_run *run, const char *path, bnd_error *why)
{
    bnd_safetensors *file;
    bnd_training there;
    bnd_status status = bnd_safetensors_new(&file, path, why);
    if (status != BND_OK) {
        return status;
    }
    status = bndi_checkpoint_training(&there, file, why);
    status = status == BND_OK ? check_training(run, there, why) : status;
    status = status == BND_OK ? bndi_run_load_from(run, file, why) : status;
    bnd_safetensors_free(file);
    return status;
}

static bnd_status check_recipe(const bnd_policy *policy, const char *path, bnd_error *why)
{
    char saved[BND_POLICY_TEXT_SIZE], asked[BND_POLICY_TEXT_SIZE];
    bnd_training there;
    uint64_t step;
    bnd_status status = bnd_checkpoint_read(&there, &step, path, why);
    if (status != BND_OK || bnd_policy_same(&there.policy, policy)) {
        return status;
    }
    status = bnd_policy_text(saved, sizeof saved, &there.policy, why);
    status = status == BND_OK ? bnd_policy_text(asked, sizeof asked, policy, why) : status;
    return status != BND_OK
               ? status
               : bnd_fail(why, BND_BAD_ARGUMENT, 0, "is of another run: its recipe is %s, not %s", saved, asked);
}

const bndi_keeper bndi_checkpoints = {
    .save = bnd_run_save, .load = load, .change = bnd_run_switch, .check = check_recipe};
