/* Rank 0 distributes the points of a sweep, and the other ranks compute them. All use of MPI in this program is
   here. */
#include "sweep.h"

#ifdef HAVE_MPI
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_POINT = 1, TAG_MADE };

/* What a rank says of the point that it was dealt; the first time it has none. */
typedef struct answer {
    unsigned long long point;
    char failure[FAILURE_SIZE];
} answer;
static const unsigned long long NONE = ~0ull;

/* Without mpirun MPI is not started at all: it takes a while, and has messages of its own. Open MPI, MPICH and Slurm
 * each tell their ranks by the environment. */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool ranks_begin(ranks *out)
{
    *out = (ranks){.rank = 0, .count = 1};
    return !is_launched() ||
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

#else

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
