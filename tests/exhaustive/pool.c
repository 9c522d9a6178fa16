/* A pool of processes: each takes the next piece of work that nobody has taken, and sends what came of it to the
 * parent, which counts, reports and remembers. */
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void mismatch(outcome *o, const char *format, ...)
{
    if (o->failed++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(o->first, sizeof o->first, format, arguments);
        va_end(arguments);
    }
}

/* Written through a pipe in one call: not longer than what POSIX keeps in one piece. */
typedef struct record {
    uint32_t task, piece;
    double seconds;
    outcome outcome;
} record;
_Static_assert(sizeof(record) <= 512, "_POSIX_PIPE_BUF");

/* A piece of a task that is still to be done. */
typedef struct item {
    uint32_t task, piece;
} item;

typedef struct pool {
    const request *r;
    const task *tasks;
    size_t count;
    check_piece *check;
    const void *context;
    progress *progresses;
    item *items; /* what is left to do */
    uint64_t item_count, items_done;
    atomic_uint_least64_t *next; /* index into items, shared by all processes */
    pid_t *workers;
    size_t worker_count;
    int results;
    double started, saved, shown;
    size_t current; /* the task of the latest result */
} pool;

enum { MISMATCHES_SHOWN = 10 };

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the workers ---- */

static _Noreturn void work(const pool *p, int results)
{
    for (;;) {
        uint64_t i = atomic_fetch_add(p->next, 1);
        if (i >= p->item_count) {
            _exit(EXIT_SUCCESS);
        }
        record result = {.task = p->items[i].task, .piece = p->items[i].piece};
        double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        p->check(p->context, result.task, result.piece, &result.outcome);
        result.seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
        if (write(results, &result, sizeof result) != (ssize_t)sizeof result) {
            _exit(EXIT_TROUBLE); /* the parent is gone */
        }
    }
}

static bool start_workers(pool *p)
{
    int ends[2];
    FILE *shared = tmpfile();
    p->workers = calloc(p->r->jobs, sizeof *p->workers);
    if (p->workers == NULL || shared == NULL || ftruncate(fileno(shared), sizeof *p->next) != 0 || pipe(ends) != 0) {
        return false;
    }
    p->next = mmap(NULL, sizeof *p->next, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
    if (p->next == MAP_FAILED) {
        return false;
    }
    atomic_init(p->next, 0);
    fflush(NULL); /* or each child writes it again */
    for (; p->worker_count < p->r->jobs; p->worker_count++) {
        pid_t child = fork();
        if (child < 0) {
            return false;
        }
        if (child == 0) {
            signal(SIGINT, SIG_DFL);
            signal(SIGTERM, SIG_DFL);
            close(ends[0]);
            work(p, ends[1]);
        }
        p->workers[p->worker_count] = child;
    }
    close(ends[1]);
    fclose(shared);
    p->results = ends[0];
    return true;
}

/* ---- what is seen ---- */

static void format_time(char *out, size_t size, double seconds)
{
    uint64_t whole = (uint64_t)(seconds + 0.5);
    if (whole < 100) {
        snprintf(out, size, "%" PRIu64 " s", whole);
    } else if (whole < 100 * 60) {
        snprintf(out, size, "%" PRIu64 " min", (whole + 30) / 60);
    } else {
        snprintf(out, size, "%" PRIu64 " h %02" PRIu64 " min", whole / 3600, whole % 3600 / 60);
    }
}

/* A line that is written over on a terminal, a line every half minute elsewhere. */
static void show_progress(pool *p)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    double now = seconds_of(CLOCK_MONOTONIC);
    if (now - p->shown < (terminal ? 0.2 : 30) || p->items_done == 0) {
        return;
    }
    p->shown = now;
    char left[32];
    double part = (double)p->items_done / (double)p->item_count;
    format_time(left, sizeof left, (now - p->started) * (1 - part) / part);
    fprintf(stderr, "%s%s: %s, %.1f %% of all, about %s left%s", terminal ? "\r" : "", p->r->program,
            p->tasks[p->current].name, 100 * part, left, terminal ? "\033[K" : "\n");
}

static void hide_progress(void)
{
    if (isatty(STDERR_FILENO) == 1) {
        fputs("\r\033[K", stderr);
    }
}

static void report_task(const pool *p, size_t i, const char *note)
{
    const progress *done = &p->progresses[i];
    hide_progress();
    printf("%-40s %s %12" PRIu64 " checked", p->tasks[i].name, done->failed == 0 ? "ok  " : "FAIL", done->checked);
    if (done->failed > 0) {
        printf(", %" PRIu64 " wrong", done->failed);
    }
    printf(", %.1f s of processor time%s\n", done->seconds, note);
    fflush(stdout);
}

/* ---- the parent ---- */

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    stopped = signal_number;
}

static void count_result(pool *p, const record *result)
{
    progress *done = &p->progresses[result->task];
    uint64_t shown = done->failed;
    done->done[result->piece / 8] |= (uint8_t)(1u << result->piece % 8);
    done->pieces_done++;
    done->checked += result->outcome.checked;
    done->failed += result->outcome.failed;
    done->seconds += result->seconds;
    p->items_done++;
    p->current = result->task;
    if (result->outcome.failed > 0 && shown < MISMATCHES_SHOWN) {
        hide_progress();
        printf("%s: %s\n", p->tasks[result->task].name, result->outcome.first);
    }
    if (done->pieces_done == p->tasks[result->task].pieces) {
        report_task(p, result->task, "");
    }
}

/* One record, or nothing within a fifth of a second, or the end, or a signal. */
typedef enum arrival { RECORD, NOTHING, THE_END } arrival;

static arrival receive(const pool *p, record *result)
{
    struct pollfd ready = {.fd = p->results, .events = POLLIN};
    int count = poll(&ready, 1, 200);
    if (stopped != 0) {
        return THE_END;
    }
    if (count <= 0) {
        return count < 0 && errno != EINTR ? THE_END : NOTHING;
    }
    size_t got = 0;
    while (got < sizeof *result) {
        ssize_t more = read(p->results, (char *)result + got, sizeof *result - got);
        if (more == 0 || (more < 0 && errno != EINTR)) {
            return THE_END;
        }
        got += more > 0 ? (size_t)more : 0;
    }
    return RECORD;
}

static bool collect(pool *p)
{
    record result;
    for (arrival a; (a = receive(p, &result)) != THE_END;) {
        if (a == RECORD) {
            count_result(p, &result);
        }
        show_progress(p);
        double now = seconds_of(CLOCK_MONOTONIC);
        if (now - p->saved > 10) {
            p->saved = now;
            if (!save_state(p->r, p->tasks, p->count, p->progresses)) {
                return false;
            }
        }
    }
    hide_progress();
    return true;
}

static void end_workers(const pool *p)
{
    for (size_t i = 0; i < p->worker_count; i++) {
        if (p->items_done < p->item_count) {
            kill(p->workers[i], SIGTERM);
        }
        while (waitpid(p->workers[i], NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

static bool list_items(pool *p)
{
    uint64_t total = 0;
    for (size_t i = 0; i < p->count; i++) {
        total += p->tasks[i].pieces;
    }
    p->items = calloc(total + 1, sizeof *p->items);
    for (size_t i = 0; p->items != NULL && i < p->count; i++) {
        const progress *done = &p->progresses[i];
        for (uint64_t piece = 0; piece < p->tasks[i].pieces; piece++) {
            if ((done->done[piece / 8] >> piece % 8 & 1) == 0) {
                p->items[p->item_count++] = (item){(uint32_t)i, (uint32_t)piece};
            }
        }
    }
    return p->items != NULL;
}

static bool prepare(pool *p)
{
    p->progresses = calloc(p->count, sizeof *p->progresses);
    for (size_t i = 0; p->progresses != NULL && i < p->count; i++) {
        p->progresses[i].done = calloc(p->tasks[i].pieces / 8 + 1, 1);
        if (p->progresses[i].done == NULL) {
            return false;
        }
    }
    return p->progresses != NULL;
}

static void release(pool *p)
{
    for (size_t i = 0; p->progresses != NULL && i < p->count; i++) {
        free(p->progresses[i].done);
    }
    free(p->progresses);
    free(p->items);
    free(p->workers);
}

/* "N passed, N failed", and the exit status. */
static int conclude(const pool *p)
{
    size_t failed = 0;
    for (size_t i = 0; i < p->count; i++) {
        failed += p->progresses[i].failed > 0;
    }
    printf("%zu passed, %zu failed\n", p->count - failed, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_MISMATCH;
}

static int run_pool(pool *p)
{
    /* Saved at once: a state file that cannot be written is better known before hours of work than after. */
    if (!prepare(p) || !load_state(p->r, p->tasks, p->count, p->progresses) ||
        !save_state(p->r, p->tasks, p->count, p->progresses)) {
        return EXIT_TROUBLE;
    }
    for (size_t i = 0; i < p->count; i++) {
        if (p->progresses[i].pieces_done == p->tasks[i].pieces) {
            report_task(p, i, ", by the state file");
        }
    }
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    p->started = p->saved = p->shown = seconds_of(CLOCK_MONOTONIC);
    bool started = list_items(p) && start_workers(p);
    bool collected = started && collect(p);
    end_workers(p);
    if (!started) {
        fprintf(stderr, "%s: cannot start processes: %s\n", p->r->program, strerror(errno));
    }
    bool saved = save_state(p->r, p->tasks, p->count, p->progresses);
    if (collected && p->items_done < p->item_count) {
        fprintf(stderr, "%s: %s\n", p->r->program,
                stopped == 0          ? "a process ended before its work was done"
                : p->r->state != NULL ? "stopped; the same command goes on from here"
                                      : "stopped");
    }
    if (!collected || !saved || p->items_done < p->item_count) {
        return EXIT_TROUBLE;
    }
    int status = conclude(p);
    if (p->r->state != NULL) {
        remove(p->r->state);
    }
    return status;
}

int run_tasks(const request *r, const task *tasks, size_t count, check_piece *check, const void *context)
{
    pool p = {.r = r, .tasks = tasks, .count = count, .check = check, .context = context};
    int status = run_pool(&p);
    release(&p);
    return status;
}
