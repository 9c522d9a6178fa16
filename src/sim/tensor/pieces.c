/* Pieces of the numbers of tensors, by threads: what is stored and counted does not depend on their number. */
#include "bulk/environment.h"
#include "bulk/threads.h"
#include "tensor/engine.h"
#include "tensor/reader.h"

#include <stdlib.h>

size_t bndi_parts_of(const bnd_engine *engine, size_t n)
{
    const size_t worth = (size_t)1 << 16; /* adding that many numbers takes about ten microseconds */
    const size_t threads = BNDI_HAS_THREADS ? engine->context.threads : 1;
    return n < worth || threads < 2 ? 1 : threads;
}

typedef struct pieces {
    size_t n, step, parts;
    bndi_walk_work *work;
    void *of;
} pieces;

static void do_part(void *of, size_t i, bool in_order)
{
    const pieces *p = of;
    const size_t count = (p->n + p->step - 1) / p->step;
    (void)in_order;
    for (size_t piece = count * i / p->parts; piece < count * (i + 1) / p->parts; piece++) {
        const size_t at = piece * p->step;
        p->work(p->of, at, p->n - at < p->step ? p->n - at : p->step);
    }
}

void bndi_each_piece(size_t n, size_t step, size_t parts, bndi_walk_work *work, void *of)
{
    pieces all = {.n = n, .step = step, .parts = parts, .work = work, .of = of};
    bnd_lab_parallel(parts, BNDI_EVENLY, do_part, &all, parts);
}

typedef struct stored_pieces {
    size_t count, writes, parts, at_once; /* pieces of a batch, which threads wait for */
    bnd_stats *logs, *stats;
    bndi_store_work *work;
    void *of;
} stored_pieces;

/* Neighbours, uncounted. */
static void store_part(void *of, size_t i, bool in_order)
{
    const stored_pieces *p = of;
    (void)in_order;
    for (size_t piece = p->count * i / p->parts; piece < p->count * (i + 1) / p->parts; piece++) {
        p->work(p->of, piece, i, NULL);
    }
}

typedef struct done_batch {
    bnd_stats *stats, *logs;
    size_t count;
} done_batch;

static void add_logs(void *of)
{
    const done_batch *done = of;
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    for (size_t i = 0; i < done->count; i++) {
        bnd_stats_add(done->stats, &done->logs[i]);
    }
    bndi_leave(before);
}

/* Batch i + parts begins when batch i has been added: they share logs and buffers. */
static void count_batch(void *of, size_t i, bool in_order)
{
    const stored_pieces *p = of;
    const size_t part = i % p->parts, first = i * p->at_once, left = p->count - first;
    const size_t n = left < p->at_once ? left : p->at_once;
    bnd_stats *logs = p->logs + part * p->at_once * p->writes;
    done_batch done = {p->stats, logs, n * p->writes};
    __builtin_memset(logs, 0, done.count * sizeof *logs);
    for (size_t piece = 0; piece < n; piece++) {
        p->work(p->of, first + piece, part, logs + piece * p->writes);
    }
    bnd_lab_in_order(in_order, add_logs, &done);
}

void bndi_store_pieces(size_t count, size_t writes, size_t parts, const bndi_store *how, bndi_store_work *work,
                       void *of)
{
    enum { LOGS = 64, BATCHES = 4 }; /* of a batch: 128 Ki numbers; for each thread */
    stored_pieces p = {.count = count, .writes = writes, .parts = parts, .stats = how->stats, .work = work, .of = of};
    const size_t fair = count / (parts * BATCHES), most = writes > 0 && writes < LOGS ? LOGS / writes : 1;
    p.at_once = fair < 1 ? 1 : fair < most ? fair : most;
    if (BNDI_HAS_THREADS && parts > 1 && how->stats != NULL) {
        p.logs = malloc(parts * p.at_once * writes * sizeof *p.logs);
    }
    if (p.logs != NULL) {
        bnd_lab_parallel(parts, BNDI_IN_ORDER, count_batch, &p, (count + p.at_once - 1) / p.at_once);
        free(p.logs);
    } else if (BNDI_HAS_THREADS && parts > 1 && how->stats == NULL) {
        bnd_lab_parallel(parts, BNDI_EVENLY, store_part, &p, parts);
    } else { /* one thread, also where there is no memory for logs */
        for (size_t piece = 0; piece < count; piece++) {
            work(of, piece, 0, NULL);
        }
    }
}

typedef struct stored_chunks {
    size_t n, step;
    const bndi_store *how;
    bndi_chunk_work *work;
    void *of;
} stored_chunks;

static void do_chunk(void *of, size_t piece, size_t part, bnd_stats *log)
{
    const stored_chunks *c = of;
    const size_t at = piece * c->step, left = c->n - at;
    bndi_store how = *c->how;
    (void)part;
    how.stats = log != NULL ? log : how.stats;
    c->work(c->of, at, left < c->step ? left : c->step, &how);
}

void bndi_store_chunks(size_t n, size_t step, size_t parts, const bndi_store *how, bndi_chunk_work *work, void *of)
{
    stored_chunks all = {.n = n, .step = step, .how = how, .work = work, .of = of};
    bndi_store_pieces((n + step - 1) / step, 1, parts, how, do_chunk, &all);
}
