/* The steps of a run: compute, measure, write. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/verify.h"
#include "study/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"
#include "tensor/engine.h"
#include "train/train.h"

static int64_t nanoseconds_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Peaks are those of the whole run: what the lines of a run that is gone on with say counts, too. */
static void note_memory(bndi_session *s)
{
    bnd_account a;
    bnd_record *r = &s->record;
    bnd_engine_account(&a, bnd_run_engine(s->run));
    memcpy(r->bytes, a.bytes, sizeof a.bytes);
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        r->peak_by_role[role] =
            a.peak_by_role[role] > r->peak_by_role[role] ? a.peak_by_role[role] : r->peak_by_role[role];
    }
    if (a.bytes_peak > r->bytes_peak) {
        r->bytes_peak = a.bytes_peak;
        memcpy(r->bytes_at_peak, a.by_role_at_peak, sizeof a.by_role_at_peak);
    }
    if (a.saved + a.saved_row_statistics > r->saved + r->saved_row_statistics) {
        r->saved = a.saved;
        r->saved_row_statistics = a.saved_row_statistics;
    }
    if (a.recipe_peak > r->recipe_peak) {
        r->recipe_peak = a.recipe_peak;
        memcpy(r->recipe_at_peak, a.by_role_at_recipe_peak, sizeof a.by_role_at_recipe_peak);
    }
}

static void note_flops(bndi_session *s)
{
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(s->run));
    s->record.flops = bnd_account_flops(&a);
}

static void take_counts(bndi_counts *counts, const bnd_engine *engine)
{
    for (unsigned i = 0; counts->at != NULL && i < (counts->places + 1) * BND_ROLE_COUNT; i++) {
        unsigned place = i < BND_ROLE_COUNT ? BND_PLACE_ALL : i / BND_ROLE_COUNT - 1;
        bool counted = bnd_engine_statistics(&counts->at[i], engine, (bnd_role)(i % BND_ROLE_COUNT), place) != NULL;
        BNDI_VERIFY(counted); /* the engine has these places */
    }
}

static bnd_status make_step(bndi_session *s, bnd_point *out, bnd_error *why)
{
    bnd_engine *engine = bnd_run_engine(s->run);
    bnd_step step;
    bnd_engine_reset_statistics(engine);
    bnd_engine_reset_flops(engine);
    int64_t start = nanoseconds_now();
    bnd_status status = bnd_run_step(&step, s->run, why);
    if (status != BND_OK) {
        return status;
    }
    *out = (bnd_point){.step = step.step,
                       .loss = step.loss,
                       .gradient_norm = step.gradient_norm,
                       .clip_factor = step.clip_factor,
                       .clips = s->task->training.clip > 0,
                       .lr = step.lr,
                       .loss_scale = step.loss_scale,
                       .update_ratio = step.update_ratio,
                       .seconds = (double)(nanoseconds_now() - start) / 1e9,
                       .validation = __builtin_nan(""),
                       .validation_fp32 = __builtin_nan(""),
                       .updates = step.updates,
                       .lost = step.lost,
                       .skipped = step.skipped};
    take_counts(&s->counts, engine);
    bndi_line_count(out, &s->counts);
    bndi_line_note_firsts(&s->record, out->step, &s->counts);
    note_flops(s);
    return BND_OK;
}

static const bnd_policy fp32 = {.name = "fp32"};

/* The mean over the batches of validation, of the same weights in fp32. */
static bnd_status validate_in_fp32(double *loss, const bnd_run *run, uint64_t batches, bnd_error *why)
{
    double *losses = batches <= SIZE_MAX / sizeof *losses ? malloc((size_t)batches * sizeof *losses) : NULL, sum = 0;
    bnd_status status = losses != NULL ? bnd_run_losses(losses, (size_t)batches, run, &fp32, BND_PLACE_ALL, why)
                                       : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the losses of a validation");
    for (size_t i = 0; status == BND_OK && i < batches; i++) {
        sum += losses[i];
    }
    free(losses);
    *loss = status == BND_OK ? sum / (double)batches : *loss;
    return status;
}

/* The recipe's peak is that of steps: a validation takes a batch at once, also where a step takes a part at a time. */
static void keep_recipe_peak(bnd_account *now, const bnd_account *before)
{
    now->recipe_peak = before->recipe_peak;
    memcpy(now->by_role_at_recipe_peak, before->by_role_at_recipe_peak, sizeof now->by_role_at_recipe_peak);
}

/* In the recipe, and in fp32: for the recipe fp32 that is the same. */
static bnd_status validate(bndi_session *s, bnd_point *point, bnd_error *why)
{
    const bnd_task *t = s->task;
    uint64_t made = point->step + 1;
    bool due = point->ended || made == t->training.steps || (t->validate_every > 0 && made % t->validate_every == 0);
    point->validated = point->validated_fp32 = due && t->validation_batches > 0;
    if (!point->validated) {
        return BND_OK;
    }
    const bnd_account before = s->run->engine->account;
    bnd_status status = bnd_run_validate(&point->validation, s->run, t->validation_batches, why);
    keep_recipe_peak(&s->run->engine->account, &before);
    point->validation_fp32 = point->validation;
    return status == BND_OK && !bnd_policy_same(&bnd_run_training(s->run)->policy, &fp32)
               ? validate_in_fp32(&point->validation_fp32, s->run, t->validation_batches, why)
               : status;
}

/* Can a run be stopped because no later step can have a finite loss? A NaN weight stays NaN: every optimizer adds
 * something to it, and a step that the loss scale skips does not change it. If all weights are NaN, steps differ by
 * their data only, and two of them have had a NaN loss. Rows of an embedding table that no batch has used may still be
 * numbers, but all that they are added to and multiplied by is NaN. A switch of recipe rounds the weights again,
 * perhaps to a format without NaN, so no run is stopped before a planned switch. */
static bool has_ended(const bndi_session *s, const bnd_point *point)
{
    const bnd_record *r = &s->record;
    double before = r->count > 0 ? r->points[r->count - 1].loss : 0;
    bool last = s->run->step == s->task->training.steps;
    bool changes = s->task->switches && s->run->step <= s->task->switch_at;
    return point->loss != point->loss && before != before && !changes && !last && bndi_weights_are_lost(s->run);
}

static bnd_status one_step(bndi_session *s, bnd_error *why)
{
    const bnd_task *t = s->task;
    bnd_point point;
    bnd_status status = BND_OK;
    if (t->switches && s->run->step == t->switch_at) {
        status = s->keeper->change(s->run, &t->switch_to, why);
    }
    if (status == BND_OK) {
        status = make_step(s, &point, why);
    }
    if (status == BND_OK) {
        point.ended = has_ended(s, &point);
        status = validate(s, &point, why);
        note_memory(s); /* with the validation's: a checkpoint that follows knows of nothing else */
    }
    if (status == BND_OK && s->metrics >= 0) {
        s->line.length = 0;
        bndi_line_write(&s->line, &point, &s->counts, &s->record, &s->known);
        status = bndi_metrics_append(s->metrics, &s->line, why);
    }
    if (status == BND_OK) {
        status = bndi_line_keep_histograms(&s->record, point.step, &s->counts, why);
    }
    return status == BND_OK ? bndi_record_add(&s->record, &point, why) : status;
}

static bnd_status save_to(bndi_session *s, const char *path, bnd_error *why)
{
    return s->keeper->save(s->run, path, why);
}

/* The lines are on the disk before the checkpoint says that they are. */
static bnd_status save(bndi_session *s, bnd_error *why)
{
    bool saves = s->metrics >= 0 && s->keeper->save != NULL;
    bnd_status status = saves ? bndi_metrics_sync(s->metrics, why) : BND_OK;
    return status == BND_OK && saves ? bndi_session_checkpoint(s, save_to, why) : status;
}

/* A complete run is never continued, so its checkpoint is removed. This happens before the summary marks the run as
 * complete, so that no complete run keeps a checkpoint. A run killed in between starts again. */
static bnd_status drop_checkpoint(bndi_session *s, const char *path, bnd_error *why)
{
    (void)s;
    return unlink(path) == 0 || errno == ENOENT ? BND_OK : bndi_fail_system(why, "cannot be removed", errno);
}

/* The last one: of a complete run perhaps none, but its lines are on the disk all the same. */
static bnd_status save_last(bndi_session *s, bool changed, bnd_error *why)
{
    if (!s->record.complete || !s->task->drops_checkpoint || s->metrics < 0) {
        return changed ? save(s, why) : BND_OK;
    }
    bnd_status status = bndi_metrics_sync(s->metrics, why);
    return status == BND_OK ? bndi_session_checkpoint(s, drop_checkpoint, why) : status;
}

static bnd_status write_summary(const bndi_session *s, bnd_error *why)
{
    bndi_bytes text = {.at = NULL};
    bndi_summary_write(&text, &s->record);
    bnd_status status = bndi_directory_write(s->task->directory, "summary.json", &text, why);
    bndi_bytes_free(&text);
    return status;
}

/* To the end, or until it is stopped. */
static bnd_status make_steps(bndi_session *s, bndi_session_watch *watch, void *data, bnd_error *why)
{
    const bnd_task *t = s->task;
    bnd_status status = BND_OK;
    uint64_t saved = s->run->step;
    bool goes_on = true;
    while (goes_on && !s->record.ended && s->run->step < t->training.steps) {
        status = one_step(s, why);
        if (status == BND_OK && t->checkpoint_every > 0 && s->run->step % t->checkpoint_every == 0) {
            status = save(s, why);
            saved = s->run->step;
        }
        goes_on = status == BND_OK && watch(data, s);
    }
    /* A rank is lost, and with it the step at hand only. A step that has no line is not saved: no run could resume. */
    if (status != BND_OK && t->ranks != NULL && s->run->step > saved && s->record.count == s->run->step) {
        status = save(s, NULL) == BND_OK ? status : status;
    }
    s->record.complete = status == BND_OK && (s->record.ended || s->run->step == t->training.steps);
    if (status == BND_OK) {
        status = save_last(s, s->run->step > saved, why);
    }
    s->record.complete = s->record.complete && status == BND_OK;
    bnd_status finished = bndi_record_finish(&s->record, status == BND_OK ? why : NULL);
    return status == BND_OK ? finished : status;
}

bnd_status bndi_session_run(bndi_session *s, bndi_session_watch *watch, void *data, bnd_error *why)
{
    bnd_status status = bndi_session_open(s, why);
    if (status == BND_OK && bndi_session_writes(s)) {
        status = bndi_metrics_open(&s->metrics, s->task->directory, s->found.metrics, why);
        if (status == BND_OK) {
            status = bndi_session_claim(s, why);
        }
        if (status == BND_OK) {
            status = bndi_metrics_cut(s->metrics, s->end, why);
        }
    }
    if (status == BND_OK) {
        status = make_steps(s, watch, data, why);
    }
    if (status == BND_OK && s->record.complete && bndi_session_writes(s)) {
        status = write_summary(s, why);
    }
    return status;
}
