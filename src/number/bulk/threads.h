/* Threads: the only place where the library starts them. Parts of a job are shared out over the cores, and the call
 * returns when all are done. The parts' results must not depend on which thread made them, nor on the number of
 * threads. */
#ifndef BINADE_SRC_BULK_THREADS_H
#define BINADE_SRC_BULK_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Without threads the compiler leaves out what only they need: the page has a limit of bytes. */
#if defined(_OPENMP)
enum { BNDI_HAS_THREADS = 1 };
#else
enum { BNDI_HAS_THREADS = 0 };
#endif

/* Part i of a job. `in_order` is for bnd_lab_in_order. */
typedef void bndi_parallel_part(void *job, size_t i, bool in_order);

typedef enum bndi_dealing {
    BNDI_EVENLY,   /* neighbouring parts go to one thread: for parts that cost the same */
    BNDI_AS_ASKED, /* a thread takes the next part when it has finished one: for parts that cost different times */
    BNDI_IN_ORDER  /* the threads take parts in turn, and may call bnd_lab_in_order */
} bndi_dealing;

/* Parts 0 .. count - 1, by at most `threads` threads. One thread does everything if fewer than two are requested, if
 * the library was built without OpenMP, and in a child of fork() whose parent has used threads. */
void bnd_lab_parallel(size_t threads, bndi_dealing dealing, bndi_parallel_part *part, void *job, size_t count);

/* Called by a part of a job that is distributed with BNDI_IN_ORDER, once per part: calls `then` for part i when it has
 * returned for all parts before i. `in_order` is what the part was given. */
void bnd_lab_in_order(bool in_order, void (*then)(void *state), void *state);

/* Raises a maximum that threads share. */
static inline void bndi_raise_to(uint32_t *largest, uint32_t value)
{
    uint32_t old = __atomic_load_n(largest, __ATOMIC_RELAXED);
    while (old < value &&
           !__atomic_compare_exchange_n(largest, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

#endif
