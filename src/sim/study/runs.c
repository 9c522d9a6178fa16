/* Runs in parallel: all of them are checked before the first step of any. Then they run, one per thread. */
#include "study/study.h"

#include "bulk/threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct study {
    bndi_session *sessions;
    size_t count;
    bnd_study_watch *watch;
    void *data;
    int stopped; /* by `watch`, or by a failure on a rank */
    int lock;    /* on the directory of all runs, or -1 */
} study;

static bool goes_on(study *all)
{
    return __atomic_load_n(&all->stopped, __ATOMIC_RELAXED) == 0;
}

/* Do all ranks say yes? */
static bnd_status ask_ranks(bool *all_do, bool own, const bnd_ranks *ranks, bnd_error *why)
{
    unsigned char yes = own, *answers;
    *all_do = own;
    if (ranks == NULL) {
        return BND_OK;
    }
    answers = calloc(ranks->count, 1);
    bnd_status status = answers != NULL ? ranks->gather(answers, &yes, 1, ranks->data, why)
                                        : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu ranks", ranks->count);
    for (size_t i = 0; status == BND_OK && i < ranks->count; i++) {
        *all_do = *all_do && answers[i] != 0;
    }
    free(answers);
    return status;
}

static bool tell(void *data, const bndi_session *s)
{
    study *all = data;
    bool wanted = true;
    if (all->watch == NULL && s->task->ranks == NULL) {
        return true;
    }
#if defined(_OPENMP)
#pragma omp critical(bndi_study_watch)
#endif
    {
        wanted = all->watch == NULL || all->watch(all->data, (size_t)(s - all->sessions), &s->record);
        if (ask_ranks(&wanted, wanted, s->task->ranks, NULL) != BND_OK || !wanted) {
            __atomic_store_n(&all->stopped, 1, __ATOMIC_RELAXED);
        }
    }
    return goes_on(all);
}

/* Whose message it is: the directory, or the recipe and the seed where there are several. */
static bnd_status named(const study *all, const bndi_session *s, bnd_error *why, bnd_status status)
{
    char name[BND_RECORD_NAME_SIZE];
    if (s->task->directory != NULL) {
        return bndi_within(why, s->task->directory, status);
    }
    bnd_task_name(name, sizeof name, s->record.recipe, s->record.seed_init);
    return all->count > 1 && s->record.recipe[0] != '\0' ? bndi_within(why, name, status) : status;
}

static void work(void *job, size_t i, bool in_order)
{
    study *all = job;
    (void)in_order;
    bndi_session *s = &all->sessions[i];
    if (s->record.complete) {
        (void)tell(all, s);
    } else if (goes_on(all)) {
        s->status = named(all, s, &s->why, bndi_session_run(s, tell, all, &s->why));
    }
    /* The other ranks are still in this run: in the next one they would exchange its numbers with this rank. */
    if (s->status != BND_OK && s->task->ranks != NULL) {
        __atomic_store_n(&all->stopped, 1, __ATOMIC_RELAXED);
    }
    bndi_session_release(s);
}

/* Names that are the same text; others of one directory meet at the lock. */
static bnd_status check_directories(const study *all, bnd_error *why)
{
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->sessions[i].task->directory;
        for (size_t j = 0; name != NULL && j < i; j++) {
            const char *other = all->sessions[j].task->directory;
            if (other != NULL && strcmp(name, other) == 0) {
                return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: two runs cannot use the same directory", name);
            }
        }
    }
    return BND_OK;
}

static bnd_status prepare_all(study *all, size_t threads, bnd_error *why)
{
    bnd_status status = check_directories(all, why);
    for (size_t i = 0; status == BND_OK && i < all->count; i++) {
        bndi_session *s = &all->sessions[i];
        status = named(all, s, why, bndi_session_prepare(s, all->count <= threads, why));
    }
    if (all->count > 0 && all->sessions[0].task->ranks != NULL) { /* all have looked before one of them writes */
        bool can = status == BND_OK;
        bnd_status asked = ask_ranks(&can, can, all->sessions[0].task->ranks, status == BND_OK ? why : NULL);
        status = status != BND_OK ? status : asked;
        status = status == BND_OK && !can ? bnd_fail(why, BND_BAD_ARGUMENT, 0, "another rank cannot begin") : status;
    }
    for (size_t i = 0; status == BND_OK && i < all->count; i++) {
        bndi_session *s = &all->sessions[i];
        status = named(all, s, why, bndi_session_make_directory(s, why));
        if (status == BND_OK && i == 0 && all->count > 1 && bndi_session_writes(s)) {
            status = bndi_directory_lock(&all->lock, s->task->directory, why);
        }
    }
    return status;
}

static bnd_status hand_over(bnd_record *records, study *all, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; i < all->count; i++) {
        const bndi_session *s = &all->sessions[i];
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
    study all = {.count = count, .watch = watch, .data = data, .lock = -1};
    all.sessions = calloc(count > 0 ? count : 1, sizeof *all.sessions);
    if (all.sessions == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu runs", count);
    }
    one.threads = count > 1 ? 1 : one.threads;
    for (size_t i = 0; i < count; i++) {
        all.sessions[i] = (bndi_session){.task = &tasks[i], .keeper = keeper, .context = one, .metrics = -1};
        bndi_record_none(&all.sessions[i].record);
    }
    bnd_status status = prepare_all(&all, threads, why);
    if (status == BND_OK) {
        const bool in_turn = count > 0 && tasks[0].ranks != NULL; /* ranks meet in the same run */
        bnd_lab_parallel(in_turn ? 1 : threads < count ? threads : count, BNDI_AS_ASKED, work, &all, count);
        status = hand_over(records, &all, why);
    } else {
        for (size_t i = 0; i < count; i++) {
            bndi_session_release(&all.sessions[i]);
            bnd_record_close(&all.sessions[i].record);
        }
    }
    if (all.lock >= 0) {
        close(all.lock);
    }
    free(all.sessions);
    return status;
}

bnd_status bnd_study_run(bnd_record *records, const bnd_task *tasks, size_t count, const bnd_context *context,
                         bnd_study_watch *watch, void *data, bnd_error *why)
{
    return bndi_study_run(records, tasks, count, context, &bndi_checkpoints, watch, data, why);
}
