/* config.json, what a run is made of, and summary.json, its results. */
#include "study/study.h"

/* ---- what a run is ---- */

static void write_recipe(bnd_lab_json *json, const char *key, const bnd_policy *policy)
{
    char text[BND_POLICY_TEXT_SIZE];
    if (bnd_policy_text(text, sizeof text, policy, NULL) == BND_OK) {
        bnd_lab_json_string(json, key, text);
    }
}

static void write_task(bnd_lab_json *json, const bnd_task *task)
{
    bnd_lab_json_object(json, "task");
    bnd_lab_json_unsigned(json, "validate_every", task->validate_every);
    bnd_lab_json_unsigned(json, "validation_batches", task->validation_batches);
    bnd_lab_json_boolean(json, "statistics", task->statistics);
    if (task->places) {
        bnd_lab_json_boolean(json, "places", true);
    }
    if (task->switches) {
        bnd_lab_json_unsigned(json, "switch_at", task->switch_at);
        write_recipe(json, "switch_to", &task->switch_to);
    }
    bnd_lab_json_end(json);
}

/* Values that follow from the training; hashes before levels, so that a comparison names the file that has changed.
 * They are written at the start, so that the directory of a killed run has them. */
static void write_model(bnd_lab_json *json, const bnd_record *record)
{
    const struct {
        const char *key;
        uint64_t hash;
    } files[] = {{"init_hash", record->init_hash},
                 {"order_hash", record->order_hash},
                 {"data_hash", record->data_hash},
                 {"tokenizer_hash", record->tokenizer_hash}};
    bnd_lab_json_object(json, "model");
    bnd_lab_json_unsigned(json, "parameters", record->parameters);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].hash != 0) {
            bnd_lab_json_unsigned(json, files[i].key, files[i].hash);
        }
    }
    bndi_json_number(json, "floor", record->floor);
    bndi_json_number(json, "chance_loss", record->chance_loss);
    bnd_lab_json_end(json);
}

void bndi_config_write(bndi_bytes *out, const bnd_task *task, const bnd_record *record)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bndi_bytes_write, out);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "recipe", record->recipe);
    bndi_training_write(&json, "training", &task->training);
    write_task(&json, task);
    write_model(&json, record);
    bnd_lab_json_unsigned(&json, "checkpoint_every", task->checkpoint_every);
    if (task->training.policy.written[0] != '\0') {
        bnd_lab_json_string(&json, "recipe_written", task->training.policy.written);
    }
    bnd_lab_json_end(&json);
    bndi_bytes_write(out, "\n", 1);
}

/* ---- what it came to ---- */

static void write_bytes(bnd_lab_json *json, const char *key, const uint64_t bytes[BND_ROLE_COUNT])
{
    bnd_lab_json_object(json, key);
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (bytes[role] > 0) {
            bnd_lab_json_unsigned(json, bnd_role_name((bnd_role)role), bytes[role]);
        }
    }
    bnd_lab_json_end(json);
}

static void write_counts(bnd_lab_json *json, const bnd_record *r)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"parameters", r->parameters},
                  {"updates", r->updates},
                  {"lost", r->lost},
                  {"skipped", r->skipped},
                  {"gradients", r->gradients},
                  {"underflowed", r->underflowed},
                  {"overflows", r->overflows},
                  {"bytes_peak", r->bytes_peak},
                  {"recipe_bytes_peak", r->recipe_peak},
                  {"bytes_saved", r->saved},
                  {"bytes_saved_row_statistics", r->saved_row_statistics},
                  {"flops_per_step", r->flops}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bnd_lab_json_unsigned(json, counts[i].key, counts[i].value);
    }
}

void bndi_summary_write(bndi_bytes *out, const bnd_record *r)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bndi_bytes_write, out);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "recipe", r->recipe);
    bnd_lab_json_string(&json, "model", r->model);
    bnd_lab_json_string(&json, "optimizer", r->optimizer);
    bnd_lab_json_unsigned(&json, "seed_init", r->seed_init);
    bnd_lab_json_unsigned(&json, "seed_data", r->seed_data);
    bnd_lab_json_unsigned(&json, "steps", r->steps);
    if (r->ended) {
        bnd_lab_json_unsigned(&json, "ended", r->count);
        bnd_lab_json_string(&json, "why", "the weights are NaN, so every later loss would be NaN");
    }
    bndi_json_number(&json, "lr", r->lr);
    bndi_json_number(&json, "loss", r->loss);
    if (r->validated) {
        bndi_json_number(&json, "val/loss", r->validation);
    }
    if (r->validated_fp32) {
        bndi_json_number(&json, "val/loss_fp32", r->validation_fp32);
    }
    bndi_json_number(&json, "result", bnd_record_result(r));
    bndi_json_number(&json, "floor", r->floor);
    bndi_json_number(&json, "chance_loss", r->chance_loss);
    write_counts(&json, r);
    bndi_json_number(&json, "bytes_per_parameter", bnd_record_bytes_per_parameter(r));
    write_bytes(&json, "bytes", r->bytes);
    write_bytes(&json, "bytes_at_peak", r->bytes_at_peak);
    write_bytes(&json, "recipe_bytes_at_peak", r->recipe_at_peak);
    write_bytes(&json, "peak_by_role", r->peak_by_role);
    bndi_json_number(&json, "seconds_per_step", r->seconds);
    bnd_lab_json_end(&json);
    bndi_bytes_write(out, "\n", 1);
}
