/* Runs: looked at, all of them, before the first step of any; then made, as many at once as there are threads. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train/train.h"

/* ---- one run ---- */

typedef struct session {
    const bnd_task *task;
    const bndi_keeper *keeper;
    bnd_context context;
    bnd_run *run;             /* NULL where it is made again when its turn comes */
    bnd_record record, known; /* known: what the lines have said */
    bnd_stats *statistics;    /* of the step, by role; NULL where they are not taken */
    bndi_bytes config, line;
    bndi_found found;
    uint64_t end; /* of the lines that are gone on with */
    int metrics;
    bnd_status status;
    bnd_error why;
} session;

static const char checkpoint_name[] = "checkpoint.safetensors";

void bnd_task_default(bnd_task *out, const bnd_training *training)
{
    enum { BATCHES = 8 };
    *out = (bnd_task){.training = *training, .validation_batches = BATCHES};
}

static int64_t nanoseconds_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what is known beforehand ---- */

static void describe(session *s)
{
    const bnd_training *t = &s->task->training;
    bnd_record *r = &s->record;
    bndi_record_none(r);
    const char *recipe = s->task->recipe != NULL ? s->task->recipe : t->policy.name;
    memcpy(r->recipe, recipe, strnlen(recipe, sizeof r->recipe - 1));
    memcpy(r->model, t->model, sizeof r->model);
    memcpy(r->optimizer, t->optimizer, sizeof r->optimizer);
    r->seed_init = t->seed_init;
    r->seed_data = t->seed_data;
    r->lr = t->lr;
    r->steps = t->steps;
    r->floor = bnd_run_floor(s->run);
    r->ignorance = bnd_run_ignorance(s->run);
    for (size_t i = 0; i < bnd_run_parameters(s->run); i++) {
        r->parameters += bnd_tensor_count(bnd_run_parameter(s->run, i, BND_ROLE_PARAM));
    }
    s->known = *r;
}

/* The recipe to switch to is one with which the run could have begun. */
static bnd_status check_switch(const session *s, bnd_error *why)
{
    bnd_run *run = NULL;
    bnd_training t = s->task->training;
    if (!s->task->switches) {
        return BND_OK;
    }
    if (s->keeper->change == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "recipes are not changed on the way in this build");
    }
    if (s->task->switch_at >= t.steps) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "to switch at step %llu a run needs more than %llu steps",
                        (unsigned long long)s->task->switch_at, (unsigned long long)t.steps);
    }
    t.policy = s->task->switch_to;
    bnd_status status = bnd_run_new(&run, &t, &s->context, why);
    if (status == BND_OK) {
        bnd_run_free(run);
    }
    return status;
}

/* ---- what is there ---- */

static bnd_status load_from(session *s, const char *path, bnd_error *why)
{
    if (s->keeper->load == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "is not read in this build; begin in another directory");
    }
    bnd_status status = s->keeper->load(s->run, path, why);
    /* What was saved under the other recipe is read under it. */
    if (status == BND_OK && s->task->switches && s->run->step > s->task->switch_at) {
        status = s->keeper->change(s->run, &s->task->switch_to, why);
        if (status == BND_OK) {
            status = s->keeper->load(s->run, path, why);
        }
    }
    return status;
}

static bnd_status with_checkpoint(session *s, bnd_status (*work)(session *s, const char *path, bnd_error *why),
                                  bnd_error *why)
{
    char *path = bndi_path(s->task->directory, checkpoint_name);
    bnd_status status =
        path != NULL ? work(s, path, why) : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    free(path);
    return bndi_within(why, checkpoint_name, status);
}

/* Opens the run again, and brings it to where its checkpoint is. */
static bnd_status open_run(session *s, bnd_error *why)
{
    bnd_status status = BND_OK;
    if (s->run == NULL) {
        status = bnd_run_new(&s->run, &s->task->training, &s->context, why);
        if (status == BND_OK && s->found.checkpoint) {
            status = with_checkpoint(s, load_from, why);
        }
    }
    if (status == BND_OK && s->task->statistics) {
        s->statistics = calloc(BND_ROLES, sizeof *s->statistics);
        status = s->statistics != NULL ? bnd_engine_take_statistics(bnd_run_engine(s->run), 1, why)
                                       : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for statistics");
    }
    return status;
}

static bnd_status compare_configs(const session *s, bnd_error *why)
{
    bndi_bytes there = {.at = NULL};
    char *path = bndi_path(s->task->directory, "config.json");
    bnd_status status = path != NULL ? bndi_file_read(&there, path, why)
                                     : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    if (status == BND_OK) {
        status = bndi_config_same(&there, &s->config, why);
    }
    bndi_bytes_free(&there);
    free(path);
    return bndi_within(why, "config.json", status);
}

/* The lines up to the checkpoint; all of them where the run is complete. */
static bnd_status read_lines(session *s, bnd_error *why)
{
    uint64_t step = s->found.finished ? s->task->training.steps : s->found.checkpoint ? s->run->step : 0;
    char *path = bndi_path(s->task->directory, "metrics.jsonl");
    bnd_status status = path != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    if (status == BND_OK && step > 0) {
        status = bndi_points_read(&s->record, &s->end, path, step, why);
        if (status == BND_OK && s->record.count < step) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "has %zu steps, but there should be %llu: lines are missing",
                              s->record.count, (unsigned long long)step);
        }
        s->known = s->record;
    }
    free(path);
    return bndi_within(why, "metrics.jsonl", status);
}

static bnd_status look_at_directory(session *s, bnd_error *why)
{
    bnd_status status = bndi_directory_check(s->task->directory, why);
    if (status == BND_OK) {
        status = bndi_directory_look(&s->found, s->task->directory, why);
    }
    if (status != BND_OK || !s->found.run) {
        return status;
    }
    if (!s->task->resume) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "there is a run in it already; go on with that one (resume), or name another directory");
    }
    status = compare_configs(s, why);
    if (status == BND_OK && s->found.checkpoint && !s->found.finished) {
        status = with_checkpoint(s, load_from, why);
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
static bnd_status prepare(session *s, bool keeps, bnd_error *why)
{
    bnd_status status = bnd_run_new(&s->run, &s->task->training, &s->context, why);
    if (status == BND_OK) {
        describe(s);
        status = check_switch(s, why);
    }
    if (status == BND_OK && s->task->directory != NULL) {
        bndi_config_write(&s->config, s->task, &s->record);
        status = bndi_bytes_check(&s->config, why);
        if (status == BND_OK) {
            status = look_at_directory(s, why);
        }
    }
    if (!keeps || s->found.finished || status != BND_OK) {
        bnd_run_free(s->run);
        s->run = NULL;
    }
    return status;
}

static bnd_status make_directory(const session *s, bnd_error *why)
{
    bnd_status status = BND_OK;
    if (s->task->directory != NULL && !s->found.run) {
        status = bndi_directory_make(s->task->directory, why);
        if (status == BND_OK) {
            status = bndi_directory_write(s->task->directory, "config.json", &s->config, why);
        }
    }
    return status;
}

/* ---- the steps ---- */

static void note_account(session *s)
{
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(s->run));
    memcpy(s->record.bytes, a.bytes, sizeof a.bytes);
    memcpy(s->record.peak_by_role, a.peak_by_role, sizeof a.peak_by_role);
    memcpy(s->record.bytes_at_peak, a.by_role_at_peak, sizeof a.by_role_at_peak);
    s->record.bytes_peak = a.bytes_peak;
    s->record.flops = bnd_account_flops(&a);
}

static bnd_status make_step(session *s, bnd_point *out, bnd_error *why)
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
                       .lr = step.lr,
                       .loss_scale = step.loss_scale,
                       .update_ratio = step.update_ratio,
                       .seconds = (double)(nanoseconds_now() - start) / 1e9,
                       .validation = __builtin_nan(""),
                       .updates = step.updates,
                       .cancelled = step.cancelled,
                       .skipped = step.skipped};
    for (unsigned role = 0; s->statistics != NULL && role < BND_ROLES; role++) {
        (void)bnd_engine_statistics(&s->statistics[role], engine, (bnd_role)role, BND_EVERYWHERE);
    }
    bndi_line_count(out, s->statistics);
    note_account(s);
    return BND_OK;
}

static bnd_status validate(session *s, bnd_point *point, bnd_error *why)
{
    const bnd_task *t = s->task;
    uint64_t made = point->step + 1;
    bool due = made == t->training.steps || (t->validate_every > 0 && made % t->validate_every == 0);
    point->validated = due && t->validation_batches > 0;
    return point->validated ? bnd_run_validate(&point->validation, s->run, t->validation_batches, why) : BND_OK;
}

static bnd_status one_step(session *s, bnd_error *why)
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
        status = validate(s, &point, why);
    }
    if (status == BND_OK && s->metrics >= 0) {
        s->line.length = 0;
        bndi_line_write(&s->line, &point, s->statistics, &s->record, &s->known);
        status = bndi_metrics_append(s->metrics, &s->line, why);
    }
    return status == BND_OK ? bndi_record_add(&s->record, &point, why) : status;
}

static bnd_status save_to(session *s, const char *path, bnd_error *why)
{
    return s->keeper->save(s->run, path, why);
}

/* The lines are on the disk before the checkpoint says that they are. */
static bnd_status save(session *s, bnd_error *why)
{
    bool saves = s->metrics >= 0 && s->keeper->save != NULL;
    bnd_status status = saves ? bndi_metrics_sync(s->metrics, why) : BND_OK;
    return status == BND_OK && saves ? with_checkpoint(s, save_to, why) : status;
}

static bnd_status write_summary(const session *s, bnd_error *why)
{
    bndi_bytes text = {.at = NULL};
    bndi_summary_write(&text, &s->record);
    bnd_status status = bndi_directory_write(s->task->directory, "summary.json", &text, why);
    bndi_bytes_free(&text);
    return status;
}

/* ---- many ---- */

typedef struct study {
    session *sessions;
    size_t count;
    bnd_study_watch *watch;
    void *data;
    int stopped; /* by `watch` */
} study;

static void tell(study *all, size_t i)
{
    if (all->watch == NULL) {
        return;
    }
#if defined(_OPENMP)
#pragma omp critical(bndi_study_watch)
#endif
    {
        if (!all->watch(all->data, i, &all->sessions[i].record)) {
            __atomic_store_n(&all->stopped, 1, __ATOMIC_RELAXED);
        }
    }
}

static bool goes_on(study *all)
{
    return __atomic_load_n(&all->stopped, __ATOMIC_RELAXED) == 0;
}

/* To the end, or until it is stopped. */
static bnd_status make_steps(study *all, session *s, bnd_error *why)
{
    const bnd_task *t = s->task;
    bnd_status status = BND_OK;
    uint64_t saved = s->run->step;
    while (status == BND_OK && s->run->step < t->training.steps && goes_on(all)) {
        status = one_step(s, why);
        if (status == BND_OK && t->checkpoint_every > 0 && s->run->step % t->checkpoint_every == 0) {
            status = save(s, why);
            saved = s->run->step;
        }
        if (status == BND_OK) {
            tell(all, (size_t)(s - all->sessions));
        }
    }
    if (status == BND_OK && s->run->step > saved) {
        status = save(s, why);
    }
    s->record.complete = status == BND_OK && s->run->step == t->training.steps;
    bnd_status finished = bndi_record_finish(&s->record, status == BND_OK ? why : NULL);
    return status == BND_OK ? finished : status;
}

static bnd_status make_run(study *all, session *s, bnd_error *why)
{
    bnd_status status = open_run(s, why);
    if (status == BND_OK && s->task->directory != NULL) {
        status = bndi_metrics_open(&s->metrics, s->task->directory, s->end, why);
    }
    if (status == BND_OK) {
        status = make_steps(all, s, why);
    }
    if (status == BND_OK && s->record.complete && s->task->directory != NULL) {
        status = write_summary(s, why);
    }
    return status;
}

static void release(session *s)
{
    bnd_run_free(s->run);
    s->run = NULL;
    if (s->metrics >= 0) {
        bndi_metrics_close(s->metrics);
        s->metrics = -1;
    }
    free(s->statistics);
    bndi_bytes_free(&s->config);
    bndi_bytes_free(&s->line);
}

/* Whose message it is: the directory, or the recipe and the seed where there are several. */
static bnd_status named(const study *all, const session *s, bnd_error *why, bnd_status status)
{
    char name[BND_RECORD_NAME_SIZE];
    if (s->task->directory != NULL) {
        return bndi_within(why, s->task->directory, status);
    }
    bnd_task_name(name, sizeof name, s->record.recipe, s->record.seed_init);
    return all->count > 1 && s->record.recipe[0] != '\0' ? bndi_within(why, name, status) : status;
}

static void work(study *all, size_t i)
{
    session *s = &all->sessions[i];
    if (s->record.complete) {
        tell(all, i);
    } else if (goes_on(all)) {
        s->status = named(all, s, &s->why, make_run(all, s, &s->why));
    }
    release(s);
}

static void work_all(study *all, size_t threads)
{
#if defined(_OPENMP)
    if (threads > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads)
        for (size_t i = 0; i < all->count; i++) {
            work(all, i);
        }
        return;
    }
#endif
    (void)threads;
    for (size_t i = 0; i < all->count; i++) {
        work(all, i);
    }
}

/* Names that are the same text; others of one directory meet at the lock. */
static bnd_status check_directories(const study *all, bnd_error *why)
{
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->sessions[i].task->directory;
        for (size_t j = 0; name != NULL && j < i; j++) {
            const char *other = all->sessions[j].task->directory;
            if (other != NULL && strcmp(name, other) == 0) {
                return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: two runs cannot be written to one directory", name);
            }
        }
    }
    return BND_OK;
}

static bnd_status prepare_all(study *all, size_t threads, bnd_error *why)
{
    bnd_status status = check_directories(all, why);
    for (size_t i = 0; status == BND_OK && i < all->count; i++) {
        session *s = &all->sessions[i];
        status = named(all, s, why, prepare(s, all->count <= threads, why));
    }
    for (size_t i = 0; status == BND_OK && i < all->count; i++) {
        session *s = &all->sessions[i];
        status = named(all, s, why, make_directory(s, why));
    }
    return status;
}

static bnd_status hand_over(bnd_record *records, study *all, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; i < all->count; i++) {
        const session *s = &all->sessions[i];
        records[i] = s->record;
        if (status == BND_OK && s->status != BND_OK) {
            status = s->status;
            if (why != NULL) {
                *why = s->why;
            }
        }
    }
    return status;
}

bnd_status bndi_study_run(bnd_record *records, const bnd_task *tasks, size_t count, const bnd_context *context,
                          const bndi_keeper *keeper, bnd_study_watch *watch, void *data, bnd_error *why)
{
    bnd_context one = context != NULL ? *context : (bnd_context){.threads = 1};
    size_t threads = one.threads < 1 ? 1 : one.threads;
    study all = {.count = count, .watch = watch, .data = data};
    all.sessions = calloc(count > 0 ? count : 1, sizeof *all.sessions);
    if (all.sessions == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu runs", count);
    }
    one.threads = count > 1 ? 1 : one.threads;
    for (size_t i = 0; i < count; i++) {
        all.sessions[i] = (session){.task = &tasks[i], .keeper = keeper, .context = one, .metrics = -1};
        bndi_record_none(&all.sessions[i].record);
    }
    bnd_status status = prepare_all(&all, threads, why);
    if (status == BND_OK) {
        work_all(&all, threads < count ? threads : count);
        status = hand_over(records, &all, why);
    } else {
        for (size_t i = 0; i < count; i++) {
            release(&all.sessions[i]);
            bnd_record_clear(&all.sessions[i].record);
        }
    }
    free(all.sessions);
    return status;
}

bnd_status bnd_study_run(bnd_record *records, const bnd_task *tasks, size_t count, const bnd_context *context,
                         bnd_study_watch *watch, void *data, bnd_error *why)
{
    return bndi_study_run(records, tasks, count, context, &bndi_checkpoints, watch, data, why);
}
