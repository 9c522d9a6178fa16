/* What the long-running checks share: their options, and a pool of processes that works through tasks piece by piece,
 * shows how far it is, and remembers that in a state file.
 *
 * Compiled into each of them: options.c, state.c, pool.c. They need POSIX (fork, poll, mmap). */
#ifndef TESTS_EXHAUSTIVE_COMMON_H
#define TESTS_EXHAUSTIVE_COMMON_H

#include <binade/format.h>

/* Exit status, beside 0 (everything holds) and 77 (skipped, as automake counts it). */
enum { EXIT_MISMATCH = 1, EXIT_USAGE = 2, EXIT_TROUBLE = 3, EXIT_SKIPPED = 77 };

/* ---- options ---- */

enum { MOST_ROWS = 1024 };

/* What the command line asks for. */
typedef struct request {
    const char *program;
    bnd_format rows[MOST_ROWS];
    size_t row_count;
    bnd_rounding modes[BND_ROUND_DETERMINISTIC_COUNT];
    size_t mode_count;
    bool has_overflow; /* a policy was named */
    bnd_overflow overflow;
    unsigned jobs;
    const char *state; /* a file, or NULL */
    uint64_t stride;
    bool all; /* every input, where that is not the default */
} request;

/* What a program takes: the options by their first letters ("rmojs", a for --all, S for --stride) and its defaults. */
typedef struct program {
    const char *name, *summary, *options, *rows;
} program;

/* Reads the command line. Where that is the end of it (--help, or an error, which is said), returns false and the exit
 * status. */
bool read_request(request *out, int *status, const program *about, int argc, char **argv);

/* The factor in BND_TEST_SCALE, 1 where there is none. */
double test_scale(void);

/* ---- tasks ---- */

/* A line of the report, done in pieces that do not depend on each other. */
typedef struct task {
    char name[96];
    uint64_t pieces;
} task;

/* What came of a piece. */
typedef struct outcome {
    uint64_t checked, failed;
    char first[256]; /* the first mismatch, in words */
} outcome;

/* Counts a mismatch, and describes it where it is the first. */
void mismatch(outcome *o, const char *format, ...) BND_PRINTF(2, 3);

/* Checks one piece of one task. Runs in a process of its own: what it changes in memory is seen by nobody. */
typedef void check_piece(const void *context, size_t task, uint64_t piece, outcome *o);

/* Works through all pieces of all tasks with r->jobs processes; a line a task on standard output, progress on standard
 * error, "N passed, N failed" at the end. Returns the exit status. */
int run_tasks(const request *r, const task *tasks, size_t count, check_piece *check, const void *context);

/* ---- the state file ---- */

/* How far a task is. */
typedef struct progress {
    uint8_t *done; /* a bit a piece */
    uint64_t pieces_done, checked, failed;
    double seconds; /* of processor time */
} progress;

/* Both say what went wrong. A file of another build is ignored: what was proven of other code proves nothing of this. A
 * file that belongs to another request is an error, so that no progress is lost by accident. */
bool load_state(const request *r, const task *tasks, size_t count, progress *progresses);
bool save_state(const request *r, const task *tasks, size_t count, const progress *progresses);

#endif
