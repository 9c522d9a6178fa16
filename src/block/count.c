/* What a block format did to an array, counted. */
#include "block/block.h"

void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *rounded, const bnd_stats *flags)
{
    float y[BNDI_CHUNK];
    for (size_t i = 0; i < run->n; i++) {
        y[i] = (float)((double)rounded[i] * run->scales[(run->first + i) / job->layout.across]);
    }
    bndi_count_values(job->stats, run->x, y, run->n, flags);
}
