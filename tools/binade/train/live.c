/* The progress display of runs: a line with a bar, the time left, and the current loss of each run. ctrl-C stops
 * them between two steps, so that the runs on disk can be resumed. */
#include "common/process.h"
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const bnd_task *t)
{
    return t->recipe != NULL ? t->recipe : t->training.policy.name;
}

/* The runs that are on their way. */
static const char *describe(void *state)
{
    live *l = state;
    size_t at = 0;
    l->note[0] = '\0';
    for (size_t i = 0; i < l->count && at < sizeof l->note - 1; i++) {
        const struct live_run *r = &l->run[i];
        if (r->at == 0 || r->at >= l->tasks[i].training.steps) {
            continue;
        }
        int length = snprintf(l->note + at, sizeof l->note - at, "%s%.40s %.4g",
                              at > 0 ? "  " : "loss: ", name_of(&l->tasks[i]), isnan(r->loss) ? (double)NAN : r->loss);
        at += length > 0 ? (size_t)length : 0;
    }
    return l->note;
}

void live_begin(live *l, const settings *s, const char *label, const bnd_task *tasks, size_t count)
{
    uint64_t total = 0;
    *l = (live){.tasks = tasks, .count = count, .run = allocate(NULL, count, sizeof *l->run)};
    for (size_t i = 0; i < count; i++) {
        total += tasks[i].training.steps;
        l->run[i] = (struct live_run){.at = 0};
    }
    progress_begin(&l->bar, s, label, PROGRESS_ITEMS, total);
    l->bar.note = describe;
    l->bar.state = l;
    stop_on_signals();
}

bool live_watch(void *data, size_t task, const bnd_record *so_far)
{
    live *l = data;
    struct live_run *r = &l->run[task];
    uint64_t at = so_far->count > 0 ? so_far->points[so_far->count - 1].step + 1 : 0;
    at = so_far->ended ? l->tasks[task].training.steps : at; /* there is nothing more to do */
    l->done += at > r->at ? at - r->at : 0;
    r->at = at > r->at ? at : r->at;
    r->loss = so_far->loss;
    progress_at(&l->bar, l->done);
    return !was_stopped();
}

void live_end(live *l)
{
    progress_end(&l->bar);
    end_on_signals();
    free(l->run);
    l->run = NULL;
}
