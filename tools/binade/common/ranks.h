/* The processes that mpirun started. */
#ifndef BINADE_TOOLS_RANKS_H
#define BINADE_TOOLS_RANKS_H

#include "command.h"

/* Which of how many ranks this is: 0 of 1 where mpirun did not start us, and without MPI. False where MPI does not
 * work. */
typedef struct ranks {
    int rank, count;
} ranks;
bool ranks_begin(ranks *out);
void ranks_end(const ranks *r);

/* How many processes mpirun started; 0: it did not start us; 1 also where it does not say. And is MPI in this build? */
size_t ranks_launched(void);
bool ranks_have_mpi(void);

/* Every rank calls it before it waits for others. Returns the rank's own status where that is not GO_ON; otherwise
 * GO_ON if all ranks can go on, or the status to leave with after a message. */
int ranks_agree(const ranks *r, const command *self, int status);

/* Ends all ranks, after a failure of which not all know. */
void ranks_give_up(const ranks *r, int status);

/* As bnd_ranks has it. A rank that was told to stop waits for the others a moment only. */
bnd_status ranks_gather(void *all, const void *own, size_t size, void *data, bnd_error *why);

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

#endif
