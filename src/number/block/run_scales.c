/* The scales of a run: what is known about them, and the choice between several. */
#include "base/bits.h"
#include "block/block.h"

/* Is it a power of two that fp32 has, and its reciprocal, too? 2^-127 is a subnormal number there. */
static bool is_power_of_two(double scale)
{
    const uint64_t bits = bndi_bits_of_double(scale), fraction = bits & (((uint64_t)1 << 52) - 1);
    return fraction == 0 && scale >= bndi_power_of_two(-127) && scale <= bndi_power_of_two(127);
}

/* What can be said about given scales. */
static void look_at_given(bndi_scales *s, size_t groups)
{
    s->powers = true;
    s->unusual = false;
    for (size_t g = 0; g < groups; g++) {
        const double scale = s->values[g];
        s->powers = s->powers && is_power_of_two(scale);
        s->unusual = s->unusual || scale <= 0 || scale == __builtin_inf();
    }
}

void bndi_add_powers(const bndi_block_job *job, bndi_scales *s, size_t groups)
{
    s->powers = bndi_gives_powers(&job->block);
    s->unusual = false;
    s->finite = true;
    if (job->given) {
        look_at_given(s, groups);
    }
    for (size_t g = 0; g < groups; g++) {
        s->finite = s->finite && s->values[g] == s->values[g];
    }
    for (size_t g = 0; s->powers && g < groups; g++) {
        s->up[g] = (float)(1 / s->values[g]); /* NaN: no product is exact then, and doubles are used */
        s->down[g] = (float)s->values[g];
    }
}

bndi_run bndi_run_of(const bndi_block_job *job, const bndi_scales *s, size_t at, size_t n, size_t first)
{
    return (bndi_run){.x = job->x + at,
                      .at = at,
                      .n = n,
                      .first = first,
                      .scales = s->values,
                      .up = s->powers ? s->up : NULL,
                      .down = s->powers ? s->down : NULL,
                      .finite = s->finite && !s->unusual,
                      .unusual = s->unusual};
}

/* ---- rules that try several scales ---- */

/* Errors of blocks that are not finite do not count, but their scales would take the others a long way. */
static void replace_nans(double *values, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        values[g] = values[g] == values[g] ? values[g] : 1;
    }
}

/* The squared errors of all groups of a chunk, row by row. */
static void find_errors(const bndi_block_job *job, double *errors, bndi_scales *s, const bndi_chunk *c)
{
    for (size_t g = 0; g < c->groups; g++) {
        errors[g] = 0;
    }
    replace_nans(s->values, c->groups);
    bndi_add_powers(job, s, c->groups);
    for (size_t row = 0; row < c->height; row++) {
        const bndi_run run = bndi_run_of(job, s, c->at + row * job->layout.columns, c->width, 0);
        bndi_add_errors(job, errors, &run);
    }
}

void bndi_try_scales(const bndi_block_job *job, const bndi_chunk *c, double *values, unsigned char *codes,
                     const uint32_t *amax)
{
    const size_t bytes = job->block.scale.width / 8u, count = bndi_attempts(job);
    unsigned char tried[4 * BNDI_GROUPS], unwanted[4 * BNDI_GROUPS];
    double least[BNDI_GROUPS], errors[BNDI_GROUPS];
    bndi_scales s;
    codes = codes != NULL ? codes : unwanted;
    bndi_attempt_scales(job, 0, values, codes, amax, c->groups);
    __builtin_memcpy(s.values, values, c->groups * sizeof *values);
    find_errors(job, least, &s, c);
    for (size_t attempt = 1; attempt < count; attempt++) {
        bndi_attempt_scales(job, attempt, s.values, tried, amax, c->groups);
        find_errors(job, errors, &s, c);
        for (size_t g = 0; g < c->groups; g++) {
            if (errors[g] < least[g]) { /* never where one is NaN */
                least[g] = errors[g];
                values[g] = s.values[g];
                __builtin_memcpy(codes + g * bytes, tried + g * bytes, bytes);
            }
        }
    }
}
