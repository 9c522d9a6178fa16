/* Threads by OpenMP, and none after fork(). */
#include "bulk/threads.h"

#if defined(_OPENMP)
#include <stdint.h>
#include <unistd.h>

/* fork() copies one thread. The other threads of gcc's OpenMP library (libgomp) are then gone, but its memory still
 * says that they are waiting for work: the next parallel region of the child waits for them for ever. So the first
 * parallel region notes the process, and a process with another number uses one thread.
 *
 * This number is the only variable of the library that changes. What it describes is the state of the process (the
 * OpenMP library's threads), so no argument of a call can carry it. It is written once, and decides about speed only:
 * results do not depend on the number of threads. */
static int64_t process_with_threads;

static bool may_start_threads(void)
{
    int64_t self = getpid(), none = 0;
    return __atomic_compare_exchange_n(&process_with_threads, &none, self, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
           none == self;
}

static void share_out(int threads, bndi_dealing dealing, bndi_parallel_part *part, void *job, size_t count)
{
    switch (dealing) {
    case BNDI_EVENLY:
#pragma omp parallel for schedule(static) num_threads(threads)
        for (size_t i = 0; i < count; i++) {
            part(job, i, false);
        }
        break;
    case BNDI_AS_ASKED:
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (size_t i = 0; i < count; i++) {
            part(job, i, false);
        }
        break;
    case BNDI_IN_ORDER:
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
        for (size_t i = 0; i < count; i++) {
            part(job, i, true);
        }
        break;
    }
}
#endif

/* (A parallel region costs a microsecond even with one thread.) */
void bnd_lab_parallel(size_t threads, bndi_dealing dealing, bndi_parallel_part *part, void *job, size_t count)
{
#if defined(_OPENMP)
    if (threads > 1 && count > 1 && may_start_threads()) {
        share_out((int)threads, dealing, part, job, count);
        return;
    }
#endif
    (void)threads;
    (void)dealing;
    for (size_t i = 0; i < count; i++) {
        part(job, i, false);
    }
}

void bnd_lab_in_order(bool in_order, void (*then)(void *state), void *state)
{
#if defined(_OPENMP)
    if (in_order) {
#pragma omp ordered
        then(state);
        return;
    }
#endif
    (void)in_order;
    then(state);
}
