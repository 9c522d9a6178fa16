/* A run before its first step: its known values, the state of its directory, and every check that can fail. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "train/train.h"

static const char checkpoint_name[] = "checkpoint.safetensors";

void bnd_task_default(bnd_task *out, const bnd_training *training)
{
    enum { BATCHES = 8 };
    *out = (bnd_task){.training = *training, .validation_batches = BATCHES};
}

/* ---- what is known beforehand ---- */

static void describe(bndi_session *s)
{
    const bnd_training *t = &s->task->training;
    bnd_record *r = &s->record;
    bndi_record_none(r);
    if (s->task->recipe != NULL) {
        memcpy(r->recipe, s->task->recipe, strnlen(s->task->recipe, sizeof r->recipe - 1));
    } else if (bnd_policy_text(r->recipe, sizeof r->recipe, &t->policy, NULL) != BND_OK) {
        memcpy(r->recipe, t->policy.name, sizeof t->policy.name);
    }
    memcpy(r->model, t->model, sizeof r->model);
    memcpy(r->optimizer, t->optimizer, sizeof r->optimizer);
    r->seed_init = t->seed_init;
    r->seed_data = t->seed_data;
    r->init_hash = bnd_run_init_hash(s->run);
    r->order_hash = bnd_run_order_hash(s->run);
    r->data_hash = bnd_run_data_hash(s->run);
    r->tokenizer_hash = bnd_run_tokenizer_hash(s->run);
    r->lr = t->lr;
    r->steps = t->steps;
    r->floor = bnd_run_floor(s->run);
    r->chance_loss = bnd_run_chance_loss(s->run);
    r->parameters = bnd_run_elements(s->run);
    s->known = *r;
}

/* The recipe to switch to is one with which the run could have begun. */
static bnd_status check_switch(const bndi_session *s, bnd_error *why)
{
    bnd_run *run = NULL;
    bnd_training t = s->task->training;
    if (!s->task->switches) {
        return BND_OK;
    }
    if (s->keeper->change == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "this build cannot switch recipes during a run");
    }
    if (s->task->switch_at >= t.steps) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the recipe switches at step %llu, so the run must have more than %llu steps",
                        (unsigned long long)s->task->switch_at, (unsigned long long)t.steps);
    }
    t.policy = s->task->switch_to;
    bnd_status status = bnd_run_new(&run, &t, &s->context, why);
    if (status == BND_OK) {
        bnd_run_free(run);
    }
    return status;
}

/* A configuration says all of a run: what settings cannot say is not written down as something else. */
static bnd_status check_words(const bnd_task *task, bnd_error *why)
{
    char text[BND_POLICY_TEXT_SIZE];
    bnd_status status = bnd_policy_text(text, sizeof text, &task->training.policy, why);
    return status == BND_OK && task->switches ? bnd_policy_text(text, sizeof text, &task->switch_to, why) : status;
}

/* ---- what is there ---- */

static bnd_status load_from(bndi_session *s, const char *path, bnd_error *why)
{
    if (s->keeper->load == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "cannot be read by this build; choose another directory");
    }
    bnd_status status = s->keeper->load(s->run, path, why);
    /* What was saved under the other recipe is read under it. */
    if (status == BND_OK && s->task->switches && s->run->step > s->task->switch_at) {
        status = s->keeper->change(s->run, &s->task->switch_to, why);
        if (status == BND_OK) {
            status = s->keeper->load(s->run, path, why);
        }
    }
    return status == BND_OK && s->keeper->check != NULL ? s->keeper->check(&s->run->training.policy, path, why)
                                                        : status;
}

bnd_status bndi_session_checkpoint(bndi_session *s,
                                   bnd_status (*work)(bndi_session *s, const char *path, bnd_error *why),
                                   bnd_error *why)
{
    char *path = bndi_path(s->task->directory, checkpoint_name);
    bnd_status status =
        path != NULL ? work(s, path, why) : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    free(path);
    return bndi_within(why, checkpoint_name, status);
}

/* Casts are counted by role, and also by place if the task requests it. */
static bnd_status begin_counts(bndi_session *s, bnd_error *why)
{
    unsigned places = s->task->places ? (unsigned)bnd_run_places(s->run) : 0;
    s->counts = (bndi_counts){.places = places, .run = s->run};
    s->counts.at = calloc((places + 1) * (size_t)BND_ROLE_COUNT, sizeof *s->counts.at);
    return s->counts.at != NULL ? bnd_engine_take_statistics(bnd_run_engine(s->run), places > 0 ? places : 1, why)
                                : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for statistics of %u places", places);
}

/* Opens the run again, and brings it to where its checkpoint is. */
bnd_status bndi_session_open(bndi_session *s, bnd_error *why)
{
    bnd_status status = BND_OK;
    if (s->run == NULL) {
        status = bnd_run_new(&s->run, &s->task->training, &s->context, why);
        if (status == BND_OK && s->found.checkpoint) {
            status = bndi_session_checkpoint(s, load_from, why);
        }
    }
    status = status == BND_OK ? bnd_run_share(s->run, s->task->ranks, why) : status;
    return status == BND_OK && s->task->statistics ? begin_counts(s, why) : status;
}

bool bndi_session_writes(const bndi_session *s)
{
    return s->task->directory != NULL && (s->task->ranks == NULL || s->task->ranks->rank == 0);
}

static bnd_status read_config(bndi_bytes *out, const bndi_session *s, bnd_error *why)
{
    char *path = bndi_path(s->task->directory, "config.json");
    bnd_status status = path != NULL ? bndi_file_read(out, path, why)
                                     : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    free(path);
    return status;
}

/* A run of fewer steps that is otherwise the same is the beginning of this one, where no step depends on their
 * number. What else differs is named: with the same number of steps it would be refused, too. */
static bnd_status is_beginning(bool *out, const bndi_session *s, const bndi_bytes *there, bnd_error *why)
{
    bndi_bytes shorter = {.at = NULL};
    bnd_task task = *s->task;
    bnd_record r;
    *out = false;
    if (there->at == NULL || bndi_config_read(&r, there->at, there->length, NULL) != BND_OK ||
        r.steps >= task.training.steps) {
        return BND_OK;
    }
    task.training.steps = r.steps;
    bndi_config_write(&shorter, &task, &s->record);
    bnd_status status = bndi_bytes_check(&shorter, why);
    status = status == BND_OK ? bndi_config_same(there, &shorter, why) : status;
    *out = status == BND_OK;
    if (*out && !bndi_schedule_extends(task.training.schedule)) {
        status =
            bnd_fail(why, BND_BAD_ARGUMENT, 0,
                     "a run of %llu steps cannot be extended to %llu: learning rates of schedule '%s' depend on "
                     "the number of steps; only runs with schedule 'constant' or 'warmup:N' can be extended",
                     (unsigned long long)r.steps, (unsigned long long)s->task->training.steps, task.training.schedule);
    }
    bndi_bytes_free(&shorter);
    return status;
}

static bnd_status compare_configs(bndi_session *s, bnd_error *why)
{
    bndi_bytes there = {.at = NULL};
    bnd_status status = read_config(&there, s, why);
    status = status == BND_OK ? bndi_config_check(&there, why) : status;
    if (status == BND_OK && s->task->resume) {
        status = is_beginning(&s->extends, s, &there, why);
    }
    if (status == BND_OK && !s->extends) {
        status = bndi_config_same(&there, &s->config, why);
    }
    bndi_bytes_free(&there);
    return bndi_within(why, "config.json", status);
}

/* Under the lock: another process may have been here since this one looked. */
bnd_status bndi_session_claim(bndi_session *s, bnd_error *why)
{
    bnd_status status = compare_configs(s, why);
    if (status == BND_OK && s->extends) {
        status = bndi_directory_remove(s->task->directory, "summary.json", why);
        return status == BND_OK ? bndi_directory_write(s->task->directory, "config.json", &s->config, why) : status;
    }
    return status;
}

/* A run writes a line per step: line i is step i. */
static bnd_status check_steps(const bnd_record *r, bnd_error *why)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->points[i].step != i) {
            return bnd_fail(why, BND_BAD_FILE, 0, "step %zu is missing: step %llu comes after step %zu", i,
                            (unsigned long long)r->points[i].step, i - 1);
        }
    }
    return BND_OK;
}

/* The lines up to the checkpoint; all of them where the run is complete. */
static bnd_status read_lines(bndi_session *s, bnd_error *why)
{
    uint64_t step = s->found.finished ? s->task->training.steps : s->found.checkpoint ? s->run->step : 0;
    char *path = bndi_path(s->task->directory, "metrics.jsonl");
    bnd_status status = path != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    if (status == BND_OK && step > 0) {
        status = bndi_points_read(&s->record, &s->end, path, step, why);
        if (status == BND_OK && s->record.count < step && !s->record.ended) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "has %zu steps; expected %llu: lines are missing", s->record.count,
                              (unsigned long long)step);
        }
        if (status == BND_OK) {
            status = check_steps(&s->record, why);
        }
        s->known = s->record;
    }
    free(path);
    return bndi_within(why, "metrics.jsonl", status);
}

static bnd_status look_at_directory(bndi_session *s, bnd_error *why)
{
    bnd_status status = bndi_directory_check(s->task->directory, why);
    if (status == BND_OK) {
        status = bndi_directory_check_above(s->task->directory, why);
    }
    if (status == BND_OK) {
        status = bndi_directory_look(&s->found, s->task->directory, why);
    }
    if (status != BND_OK || !s->found.run) {
        return status;
    }
    if (!s->task->resume) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "already holds a run; continue it with the option resume, or choose another folder");
    }
    status = compare_configs(s, why);
    if (status == BND_OK && s->extends && s->found.finished) {
        s->found.finished = false;
        status =
            s->found.checkpoint
                ? BND_OK
                : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                           "%s is missing: a finished run can be extended from its checkpoint only", checkpoint_name);
    }
    if (status == BND_OK && s->found.checkpoint && (!s->found.finished || s->keeper->load != NULL)) {
        status = bndi_session_checkpoint(s, load_from, why);
    }
    if (status == BND_OK) {
        status = read_lines(s, why);
    }
    if (status == BND_OK && s->found.finished) {
        s->record.complete = true;
        status = bndi_record_finish(&s->record, why);
    }
    return status;
}

/* Everything that can be known to be wrong. With `keeps` the run is kept for when its turn comes. */
bnd_status bndi_session_prepare(bndi_session *s, bool keeps, bnd_error *why)
{
    bnd_status status = bnd_run_new(&s->run, &s->task->training, &s->context, why);
    if (status == BND_OK) {
        describe(s);
        status = check_switch(s, why);
    }
    if (status == BND_OK && s->task->directory != NULL) {
        status = check_words(s->task, why);
    }
    if (status == BND_OK) {
        bndi_config_write(&s->config, s->task, &s->record);
        status = bndi_bytes_check(&s->config, why);
    }
    if (status == BND_OK && s->task->directory != NULL) {
        s->record.source = strdup(s->task->directory);
        status = s->record.source != NULL ? look_at_directory(s, why)
                                          : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a directory");
    }
    if (!keeps || s->found.finished || status != BND_OK) {
        bnd_run_free(s->run);
        s->run = NULL;
    }
    return status;
}

/* config.json is written while metrics.jsonl is locked: a run of another process that has the lock keeps its own. */
bnd_status bndi_session_make_directory(const bndi_session *s, bnd_error *why)
{
    int metrics = -1;
    if (s->task->directory == NULL || s->found.run || !bndi_session_writes(s)) {
        return BND_OK;
    }
    bnd_status status = bndi_directory_make(s->task->directory, why);
    if (status == BND_OK) {
        status = bndi_metrics_open(&metrics, s->task->directory, 0, why);
    }
    if (status == BND_OK) {
        status = bndi_directory_write(s->task->directory, "config.json", &s->config, why);
        bndi_metrics_close(metrics);
    }
    return status;
}

void bndi_session_release(bndi_session *s)
{
    bnd_run_free(s->run);
    s->run = NULL;
    if (s->metrics >= 0) {
        bndi_metrics_close(s->metrics);
        s->metrics = -1;
    }
    free(s->counts.at);
    if (s->record.config == NULL) {
        s->record.config = s->config.at; /* it ends with a 0 byte */
        s->config = (bndi_bytes){.at = NULL};
    }
    bndi_bytes_free(&s->config);
    bndi_bytes_free(&s->line);
}
