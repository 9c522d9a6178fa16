/* Statistics for AVX2: tally_template.h for words of fp32 and of fp64. The state of a call and the bins that wait are
 * local variables of one function, so that the compiler keeps in registers what it can. How an array is shared out, 70
 * numbers of fp32 and 70 of fp64:
 *
 *          numbers per vector   numbers per group   whole groups         left for the portable tally
 *   fp32   8                    32                  0 to 31, 32 to 63    64 to 69
 *   fp64   4                    16                  0 to 15, .. 63       64 to 69
 *
 * The portable tally continues in the right lane of the sums, since 32 and 16 are multiples of 16 (BNDI_LANES). */
#include "bulk/avx2.h"

static const void *random_after(const bndi_plan *plan, const void *random, size_t n)
{
    return random != NULL ? (const char *)random + n * plan->random_bytes : NULL;
}

#define LANE_BITS 32
#include "bulk/tally_template.h"

#define LANE_BITS 64
#include "bulk/tally_template.h"

/* The last few numbers, and plans that vectors do not count, are left to the portable tally. */
void bndi_tally_avx2(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    const size_t done = tally_groups_32(plan, t, x, y, random, n);
    bndi_tally_32(plan, t, (const char *)x + 4 * done, (const char *)y + 4 * done, random_after(plan, random, done),
                  n - done);
}

/* The same for fp64. */
void bndi_tally_64_avx2(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random,
                        size_t n)
{
    const size_t done = tally_groups_64(plan, t, x, y, random, n);
    bndi_tally_64(plan, t, (const char *)x + 8 * done, (const char *)y + 8 * done, random_after(plan, random, done),
                  n - done);
}
