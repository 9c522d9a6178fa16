/* Calls drawn at random: the same ones for the same piece of a task, on every machine. */
#include "random.h"

#include <stdio.h>

/* The checks print the first few differences of a process. */
static void check_piece_of(const void *context, size_t at, uint64_t piece, outcome *o)
{
    static comparison b;
    const random_plan *plan = context;
    const random_kind *kind = &plan->kinds[at];
    const uint64_t before = b.different;
    draw d = {.seed = piece * plan->count + at};
    b.what = plan->about->name;
    while (o->checked < plan->piece) {
        o->checked += kind->check(&b, &d);
    }
    if (b.different > before) {
        mismatch(o, "%s, piece %llu: see above", kind->name, (unsigned long long)piece);
        o->failed += b.different - before - 1;
        fflush(stdout);
    }
}

int run_random(const random_plan *plan, int argc, char **argv)
{
    enum { MOST = 16 };
    static request r;
    task tasks[MOST];
    unsigned shares = 0;
    int status;
    if (plan->count > MOST || !read_request(&r, &status, plan->about, argc, argv)) {
        return plan->count > MOST ? EXIT_TROUBLE : status;
    }
    for (size_t i = 0; i < plan->count; i++) {
        shares += plan->kinds[i].share;
    }
    const uint64_t amount = r.all ? plan->all : (uint64_t)((double)plan->quick * test_scale());
    for (size_t i = 0; i < plan->count; i++) {
        tasks[i].pieces = amount * plan->kinds[i].share / shares / plan->piece + 1;
        snprintf(tasks[i].name, sizeof tasks[i].name, "%s", plan->kinds[i].name);
    }
    return run_tasks(&r, tasks, plan->count, check_piece_of, plan);
}
