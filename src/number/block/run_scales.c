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
    bool zeros = false, others = false;
    s->powers = true;
    for (size_t g = 0; g < groups; g++) {
        const double scale = s->values[g];
        s->powers = s->powers && is_power_of_two(scale);
        const bool negative = __builtin_signbit(scale) != 0;
        zeros = zeros || (scale == 0 && !negative);
        others = others || (scale <= 0 && negative) || scale == __builtin_inf();
    }
    s->unusual = zeros || others;
    s->vanish = zeros && !others;
}

/* Can quotients by these scales be rounded to odd in fp32? Below 2^-101 the last place of x times 2^-24 would be below
 * fp32's least number; a scale of at least least_to_odd makes such an x less than half of the least element. For e4m3,
 * whose least number is 2^-9, they begin at 2^-90: an x below 2^-101 is then less than 2^-11 of a scale, and becomes
 * zero. Given scales can be anything. */
static bool can_divide_to_odd(const bndi_block_job *job, const double *scales, size_t groups)
{
    bool good = job->to_odd;
    for (size_t g = 0; good && g < groups; g++) {
        good = scales[g] >= job->least_to_odd && scales[g] <= (double)__FLT_MAX__;
    }
    return good || (job->wide_to_odd && !job->to_odd);
}

void bndi_add_powers(const bndi_block_job *job, bndi_scales *s, size_t groups)
{
    s->powers = bndi_gives_powers(&job->block);
    s->unusual = s->vanish = s->apart = false;
    s->finite = true;
    if (job->given) {
        look_at_given(s, groups);
    }
    for (size_t g = 0; g < groups; g++) {
        s->finite = s->finite && s->values[g] == s->values[g];
    }
    s->odd = s->finite && !s->unusual && can_divide_to_odd(job, s->values, groups);
    for (size_t g = 0; s->powers && g < groups; g++) {
        s->up[g] = (float)(1 / s->values[g]); /* NaN: no product is exact then, and doubles are used */
        s->down[g] = (float)s->values[g];
    }
}

void bndi_let_vanish(const bndi_block_job *job, bndi_scales *s, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        s->divisors[g] = s->values[g] == 0 ? __builtin_inf() : s->values[g];
    }
    s->unusual = s->finite = false; /* but not on the grid, where elements are multiplied by what divided them */
    s->apart = true;
    s->odd = job->wide_to_odd;
}

bndi_run bndi_run_of(const bndi_block_job *job, const bndi_scales *s, size_t at, size_t n, size_t first)
{
    return (bndi_run){.x = job->x + at,
                      .at = at,
                      .n = n,
                      .first = first,
                      .scales = s->values,
                      .divisors = s->apart ? s->divisors : s->values,
                      .up = s->powers ? s->up : NULL,
                      .down = s->powers ? s->down : NULL,
                      .odd = s->odd,
                      .finite = s->finite && !s->unusual,
                      .unusual = s->unusual};
}

/* ---- rules that try several scales ----
 *
 * The errors of an attempt are found for some groups only: not where they are known, and not where they cannot be the
 * least. Attempts at neighbouring parts of the largest magnitude often give the same scale, rounded to its format. And
 * where a scale is too small for the largest magnitude of its group, that element alone has an error: sums of squares,
 * each rounded, are at least as large as each square. */

/* The state of a chunk. Errors and scales of an attempt are those of the groups in `wanted`. */
typedef struct attempts_of_chunk {
    const bndi_block_job *job;
    const bndi_chunk *chunk;
    const uint32_t *amax;
    double first[BNDI_GROUPS], before[BNDI_GROUPS]; /* the scales of the first attempt, and of the one before this */
    double tried[BNDI_GROUPS], least[BNDI_GROUPS], errors[BNDI_GROUPS];
    size_t wanted[BNDI_GROUPS], count;
    size_t left[BNDI_GROUPS], left_count; /* groups that further attempts may be wanted for */
    float x[BNDI_BLOCK_CHUNK];            /* the elements of these groups, where they are not all groups */
    bndi_scales s;
} attempts_of_chunk;

/* Errors of blocks that are not finite do not count, but their scales would take the others a long way. */
static double number_or_1(double scale)
{
    return scale == scale ? scale : 1;
}

/* The squared error of the largest magnitude, if it is clamped: as add_errors computes it. */
static double clamped_error(const attempts_of_chunk *a, size_t group)
{
    const double amax = (double)bndi_float_of_bits(a->amax[group]), most = a->job->grid.most * a->tried[group];
    const double error = (double)(float)most - amax;
    return a->job->has_grid && amax > most ? error * error : 0;
}

/* From the second attempt on scales become smaller, so that a group for which one was too small is left for good. */
static void find_wanted(attempts_of_chunk *a)
{
    size_t left = 0;
    a->count = 0;
    for (size_t i = 0; i < a->left_count; i++) {
        const size_t g = a->left[i];
        const double scale = a->tried[g];
        a->wanted[a->count] = g;
        a->left[left] = g;
        if (clamped_error(a, g) < a->least[g]) {
            left++;
            a->count += (size_t)((scale != a->first[g]) & (scale != a->before[g]));
        }
    }
    a->left_count = left;
    if (a->chunk->height > 1 && a->count > 0) { /* tiles: all, or none */
        for (a->count = 0; a->count < a->chunk->groups; a->count++) {
            a->wanted[a->count] = a->count;
        }
    }
}

/* The elements of the wanted groups of a row side by side. Only the last group of all may be shorter. Returns how many.
 */
static size_t gather(attempts_of_chunk *a)
{
    const size_t across = a->job->layout.across, width = a->chunk->width;
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        const size_t at = a->wanted[i] * across, length = width - at < across ? width - at : across;
        __builtin_memcpy(a->x + n, a->job->x + a->chunk->at + at, length * sizeof *a->x);
        n += length;
    }
    return n;
}

/* The squared errors of the wanted groups, row by row. */
static void find_errors(attempts_of_chunk *a)
{
    const bndi_chunk *c = a->chunk;
    for (size_t i = 0; i < a->count; i++) {
        a->errors[i] = 0;
        a->s.values[i] = number_or_1(a->tried[a->wanted[i]]);
    }
    bndi_add_powers(a->job, &a->s, a->count);
    if (a->count < c->groups) {
        bndi_run run = bndi_run_of(a->job, &a->s, c->at, gather(a), 0);
        run.x = a->x;
        bndi_add_errors(a->job, a->errors, &run);
        return;
    }
    for (size_t row = 0; row < c->height; row++) {
        const bndi_run run = bndi_run_of(a->job, &a->s, c->at + row * a->job->layout.columns, c->width, 0);
        bndi_add_errors(a->job, a->errors, &run);
    }
}

/* The first attempt: all groups. */
static void make_first_attempt(attempts_of_chunk *a, const double *values)
{
    const size_t groups = a->chunk->groups;
    for (a->count = 0; a->count < groups; a->count++) {
        a->wanted[a->count] = a->count;
        a->tried[a->count] = values[a->count];
    }
    find_errors(a);
    a->left_count = 0;
    for (size_t g = 0; g < groups; g++) {
        a->left[a->left_count] = g;
        a->left_count += bndi_is_finite(a->amax[g]); /* the others have the scale NaN */
    }
    __builtin_memcpy(a->first, values, groups * sizeof *values);
    __builtin_memcpy(a->before, values, groups * sizeof *values);
    __builtin_memcpy(a->least, a->errors, groups * sizeof *values);
}

void bndi_try_scales(const bndi_block_job *job, const bndi_chunk *c, double *values, unsigned char *codes,
                     const uint32_t *amax)
{
    const size_t bytes = job->block.scale.width / 8u, count = bndi_attempts(job);
    unsigned char tried[4 * BNDI_GROUPS], unwanted[4 * BNDI_GROUPS];
    attempts_of_chunk a;
    a.job = job;
    a.chunk = c;
    a.amax = amax;
    codes = codes != NULL ? codes : unwanted;
    bndi_attempt_scales(job, 0, values, codes, amax, c->groups);
    make_first_attempt(&a, values);
    for (size_t attempt = 1; attempt < count && a.left_count > 0; attempt++) {
        bndi_attempt_scales(job, attempt, a.tried, tried, amax, c->groups);
        find_wanted(&a);
        if (a.count > 0) {
            find_errors(&a);
        }
        for (size_t i = 0; i < a.count; i++) {
            const size_t g = a.wanted[i];
            if (a.errors[i] < a.least[g]) { /* never where one is NaN */
                a.least[g] = a.errors[i];
                values[g] = a.tried[g];
                __builtin_memcpy(codes + g * bytes, tried + g * bytes, bytes);
            }
        }
        __builtin_memcpy(a.before, a.tried, c->groups * sizeof *a.before);
    }
}
