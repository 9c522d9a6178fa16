/* A sweep: the distribution of its points over ranks, and its results. */
#ifndef BINADE_TOOLS_SWEEP_H
#define BINADE_TOOLS_SWEEP_H

#include "train/training.h"

/* ---- ranks (mpi.c); without MPI there is one, and nothing to deal ---- */

/* Which of how many ranks this is: 0 of 1 where mpirun did not start us. False where MPI does not work. */
typedef struct ranks {
    int rank, count;
} ranks;
bool ranks_begin(ranks *out);
void ranks_end(const ranks *r);

enum { FAILURE_SIZE = 400 };

/* Rank 0: gives points, one at a time, to the next rank that is free, until all are done. `made` is called for each
 * point as soon as its rank reports that it is on disk (`failure` NULL) or why it is not. If `made` returns false,
 * no more points are given out. */
typedef bool ranks_made(void *data, size_t point, const char *failure);
void ranks_deal(const ranks *r, const size_t *points, size_t count, ranks_made *made, void *data);

/* Every other rank: makes the points that it is dealt. `make` writes why it could not into `failure`; "" where it
 * could. */
typedef void ranks_make(void *data, size_t point, char failure[FAILURE_SIZE]);
void ranks_serve(const ranks *r, ranks_make *make, void *data);

/* ---- what came out (result.c) ---- */

typedef struct sweep_result {
    const recipe_list *recipes;
    bnd_record *records; /* of each recipe as many, side by side */
    size_t count;
    const bnd_training *training; /* of one of them */
    uint64_t seeds;
    double margin;
    bool details;
} sweep_result;

void print_sweep(const sweep_result *r, enum output output);

#endif
