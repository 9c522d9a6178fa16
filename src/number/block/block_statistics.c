/* Statistics of a conversion to a block format. */
#include "block/block.h"

void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *rounded, const bnd_stats *flags)
{
    const size_t groups = (run->first + run->n + job->layout.across - 1) / job->layout.across;
    float y[BNDI_BLOCK_CHUNK];
    for (size_t i = 0; i < run->n; i++) {
        y[i] = (float)((double)rounded[i] * run->scales[(run->first + i) / job->layout.across]);
    }
    for (size_t g = 0; g < groups; g++) {
        bnd_lab_count_scale(job->stats, run->scales[g]);
    }
    bnd_lab_count_values(job->stats, run->x, y, run->n, flags);
    bnd_lab_count_clamped(job->stats, run->x, y, rounded, run->n, bndi_largest_element(job));
}
