/* Calls drawn at random, kind by kind: the tasks that arrays.c and products.c have. */
#ifndef TESTS_EXHAUSTIVE_RANDOM_H
#define TESTS_EXHAUSTIVE_RANDOM_H

#include "common.h"
#include "tests/bulk/draws.h"

/* Draws a call, compares it, and returns how much that was: elements or steps. */
typedef size_t random_check(comparison *b, draw *d);
typedef struct random_kind {
    const char *name;
    random_check *check;
    unsigned share; /* of all: kinds that take longer get less */
} random_kind;

/* The kinds of a program, and how much is compared: in `make check`, with --all, and in a piece of a task. */
typedef struct random_plan {
    const program *about;
    const random_kind *kinds;
    size_t count;
    uint64_t quick, all, piece;
} random_plan;

/* Reads the command line, and runs the tasks. Returns the exit status. */
int run_random(const random_plan *plan, int argc, char **argv);

#endif
