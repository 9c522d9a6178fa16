/* The ranks of mpirun: rank 0 distributes the points of a sweep, and the other ranks compute them; ranks of a training
 * gather what each has. All use of MPI in this program is here. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "common/ranks.h"

#include <stdlib.h>

/* Without mpirun MPI is not started at all: it takes a while, and has messages of its own. Open MPI, MPICH and Slurm
 * each tell their ranks by the environment. */
size_t ranks_launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *text = getenv(sizes[i]);
        if (text != NULL) {
            const unsigned long count = strtoul(text, NULL, 10);
            return count > 1 ? count : 1;
        }
    }
    if (getenv("PMIX_RANK") == NULL) {
        return 0;
    }
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    const unsigned long count = tasks != NULL ? strtoul(tasks, NULL, 10) : 1;
    return count > 1 ? count : 1;
}

#ifdef HAVE_MPI
#include <limits.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "common/process.h"

enum { TAG_POINT = 1, TAG_MADE };

/* What a rank says of the point that it was dealt; the first time it has none. */
typedef struct answer {
    unsigned long long point;
    char failure[FAILURE_SIZE];
} answer;
static const unsigned long long NONE = ~0ull;

bool ranks_begin(ranks *out)
{
    *out = (ranks){.rank = 0, .count = 1};
    return ranks_launched() == 0 ||
           (MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, &out->rank) == MPI_SUCCESS &&
            MPI_Comm_size(MPI_COMM_WORLD, &out->count) == MPI_SUCCESS);
}

void ranks_end(const ranks *r)
{
    int running = 0;
    (void)r;
    if (MPI_Initialized(&running) == MPI_SUCCESS && running != 0) {
        MPI_Finalize();
    }
}

void ranks_deal(const ranks *r, const size_t *points, size_t count, ranks_made *made, void *data)
{
    size_t next = 0;
    for (int busy = r->count - 1; busy > 0;) {
        answer a;
        MPI_Status from;
        MPI_Recv(&a, (int)sizeof a, MPI_BYTE, MPI_ANY_SOURCE, TAG_MADE, MPI_COMM_WORLD, &from);
        a.failure[FAILURE_SIZE - 1] = '\0';
        if (a.point != NONE && !made(data, (size_t)a.point, a.failure[0] != '\0' ? a.failure : NULL)) {
            next = count;
        }
        unsigned long long point = next < count ? points[next++] : NONE;
        busy -= point == NONE;
        MPI_Send(&point, 1, MPI_UNSIGNED_LONG_LONG, from.MPI_SOURCE, TAG_POINT, MPI_COMM_WORLD);
    }
}

void ranks_serve(const ranks *r, ranks_make *make, void *data)
{
    answer a = {.point = NONE};
    (void)r;
    for (;;) {
        MPI_Send(&a, (int)sizeof a, MPI_BYTE, 0, TAG_MADE, MPI_COMM_WORLD);
        MPI_Recv(&a.point, 1, MPI_UNSIGNED_LONG_LONG, 0, TAG_POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (a.point == NONE) {
            return;
        }
        memset(a.failure, 0, sizeof a.failure);
        make(data, (size_t)a.point, a.failure);
    }
}

bool ranks_have_mpi(void)
{
    return true;
}

int ranks_agree(const ranks *r, const command *self, int status)
{
    int own = status == GO_ON ? r->count : r->rank, first = own;
    if (r->count > 1) {
        MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (status == GO_ON && first < r->count) {
        complain(self, "rank %d cannot begin; start the command on its machine without mpirun to see why", first);
        return BAD_STREAM;
    }
    return status;
}

void ranks_give_up(const ranks *r, int status)
{
    (void)r;
    MPI_Abort(MPI_COMM_WORLD, status);
}

static double seconds_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Waits for all ranks: a while at full speed, then leaving the processor to others. mpirun tells the others to end
 * where a rank has died, and kills them a second later: they do not wait that long. */
static bool wait_for(MPI_Request *request)
{
    static const double A_MOMENT = 0.3;
    double told = 0;
    int done = 0;
    for (unsigned tries = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0; tries++) {
        if (was_stopped()) {
            told = told > 0 ? told : seconds_now();
            if (seconds_now() - told > A_MOMENT) {
                return false;
            }
        }
        if (tries > 200) {
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        }
    }
    return done != 0;
}

/* The buffer is not the caller's: MPI uses it also after a wait that gave up, and so it is not freed then. */
bnd_status ranks_gather(void *all, const void *own, size_t size, void *data, bnd_error *why)
{
    MPI_Request request;
    int count = 0;
    (void)data;
    if (size > INT_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "ranks cannot exchange %zu bytes at once; the limit is %d", size,
                        INT_MAX);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    unsigned char *mine = malloc(((size_t)count + 1) * size + 1), *theirs = mine + size;
    if (mine == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for what %d ranks exchange", count);
    }
    memcpy(mine, own, size);
    bool good = MPI_Iallgather(mine, (int)size, MPI_BYTE, theirs, (int)size, MPI_BYTE, MPI_COMM_WORLD, &request) ==
                    MPI_SUCCESS &&
                wait_for(&request);
    if (!good) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "a rank has ended or does not answer");
    }
    memcpy(all, theirs, (size_t)count * size);
    free(mine);
    return BND_OK;
}

#else

bool ranks_have_mpi(void)
{
    return false;
}

int ranks_agree(const ranks *r, const command *self, int status)
{
    (void)r, (void)self;
    return status;
}

void ranks_give_up(const ranks *r, int status)
{
    (void)r, (void)status;
}

/* There are no others. */
bnd_status ranks_gather(void *all, const void *own, size_t size, void *data, bnd_error *why)
{
    (void)all, (void)own, (void)size, (void)data;
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "this build has no MPI");
}

bool ranks_begin(ranks *out)
{
    *out = (ranks){.rank = 0, .count = 1};
    return true;
}

void ranks_end(const ranks *r)
{
    (void)r;
}

/* Without MPI there are no other ranks. */
void ranks_deal(const ranks *r, const size_t *points, size_t count, ranks_made *made, void *data)
{
    (void)r, (void)points, (void)count, (void)made, (void)data;
}

void ranks_serve(const ranks *r, ranks_make *make, void *data)
{
    (void)r, (void)make, (void)data;
}

#endif
