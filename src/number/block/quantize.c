/* Quantization: finds the scales, or reads those that are given, and applies them.
 *
 * If groups are small, chunk by chunk: the largest magnitudes, the scales, and the elements, while the chunk is in a
 * cache. In two passes if a group is larger than a chunk, or if codes share bytes and a chunk could not end at a whole
 * byte: first all scales, then the elements in the order of memory, across rows and groups. */
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"

/* ---- chunks ---- */

static bndi_chunk chunk_at(const bndi_block_job *job, size_t i)
{
    const bndi_layout_of_blocks *l = &job->layout;
    size_t band = i / job->chunks_of_band, group = i % job->chunks_of_band * job->chunk_groups;
    size_t row = band % l->bands * l->down, column = group * l->across;
    bndi_chunk c = {.groups = l->groups - group, .scale = band * l->groups + group};
    c.groups = c.groups < job->chunk_groups ? c.groups : job->chunk_groups;
    c.height = l->rows - row < l->down ? l->rows - row : l->down;
    c.width = l->columns - column < c.groups * l->across ? l->columns - column : c.groups * l->across;
    c.at = (band / l->bands * l->rows + row) * l->columns + column;
    return c;
}

static void find_chunk_amax(const bndi_block_job *job, const bndi_chunk *c, uint32_t *amax)
{
    for (size_t g = 0; g < c->groups; g++) {
        amax[g] = 0;
    }
    for (size_t row = 0; row < c->height; row++) {
        job->scan->amax(amax, job->x + c->at + row * job->layout.columns, c->width, job->layout.across);
    }
}

static unsigned char *scale_codes_at(const bndi_block_job *job, size_t scale)
{
    return job->scales != NULL ? job->scales + scale * (job->block.scale.width / 8u) : NULL;
}

static bool all_finite(const uint32_t *amax, size_t groups)
{
    uint32_t largest = 0;
    for (size_t g = 0; g < groups; g++) {
        largest = amax[g] > largest ? amax[g] : largest;
    }
    return bndi_is_finite(largest);
}

static void do_run(const bndi_block_job *job, const bndi_run *run)
{
    if (job->fake) {
        bndi_fake_run(job, job->y + run->at, run);
    } else {
        bndi_encode_run(job, run);
    }
}

/* ---- one chunk ---- */

/* The fastest path, if the back end has it, for as many neighbours as it supports. Returns the rest of the chunk, or
 * all of it if a scale is NaN. */
static bndi_chunk quantize_in_one_pass(const bndi_block_job *job, bndi_chunk c)
{
    unsigned char *codes = bndi_codes_at(job, c.at);
    bool finite;
    bndi_set_rounding(job->plan.mode_to_set);
    size_t n =
        job->scan->encode_blocks(codes, scale_codes_at(job, c.scale), job->x + c.at, c.width, &job->coding, &finite);
    bndi_set_rounding(BND_ROUND_RNE);
    if (!finite) {
        bndi_drain_stores(); /* before the same bytes are written again */
        return c;
    }
    const size_t groups = n / job->layout.across;
    return (bndi_chunk){.at = c.at + n,
                        .scale = c.scale + groups,
                        .height = c.height,
                        .width = c.width - n,
                        .groups = c.groups - groups};
}

/* The fast path, for blocks of neighbours with scales in e8m0: products in fp32, then the kernel of bulk/. False if a
 * scale is NaN; the general path then does the whole chunk again. */
static bool quantize_directly(const bndi_block_job *job, const bndi_chunk *c)
{
    float y[BNDI_BLOCK_CHUNK];
    const float *x = job->x + c->at;
    if (!job->scan->scale_by_powers(scale_codes_at(job, c->scale), y, x, c->width, job->layout.across, &job->powers)) {
        return false;
    }
    bndi_encode_words(job, c->at, y, c->width);
    return true;
}

/* Elements of few magnitudes with scales that are not powers of two. False if a scale is NaN. */
static bool encode_run_by_midpoints(const bndi_block_job *job, const bndi_chunk *c, const double *values, bool finite)
{
    unsigned char codes[BNDI_BLOCK_CHUNK];
    bool good = job->by_midpoints && job->counted == NULL && !job->fake && finite;
    for (size_t g = 0; good && g < c->groups; g++) {
        good = values[g] > 0;
    }
    if (good) {
        unsigned char *to = bndi_codes_at(job, c->at);
        bool packed = bnd_lab_storage_of(&job->block.element, (uint8_t)job->packing).packed;
        job->scan->encode_by_midpoints(packed ? codes : to, job->x + c->at, values, job->midpoints, c->width,
                                       job->layout.across);
        if (packed) {
            job->kernels.pack(to, codes, 1, job->block.element.width, c->width);
        }
    }
    return good;
}

static void make_or_read(const bndi_block_job *job, bndi_scales *s, const bndi_chunk *c, const uint32_t *amax)
{
    if (job->given) {
        bndi_read_scales(job, s->values, scale_codes_at(job, c->scale), c->groups);
    } else if (bndi_tries_scales(&job->block)) {
        bndi_try_scales(job, c, s->values, scale_codes_at(job, c->scale), amax);
    } else {
        bndi_make_scales(job, s->values, scale_codes_at(job, c->scale), amax, c->groups);
    }
}

static uint32_t quantize_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const bool only_codes = job->counted == NULL && !job->fake;
    const bndi_chunk whole = chunk_at(job, i),
                     c = job->in_one_pass && only_codes ? quantize_in_one_pass(job, whole) : whole;
    uint32_t amax[BNDI_GROUPS];
    bndi_scales s;
    (void)what;
    if (c.width == 0 || (job->direct && only_codes && quantize_directly(job, &c))) {
        return 0;
    }
    find_chunk_amax(job, &c, amax);
    const bool finite = !job->given || all_finite(amax, c.groups);
    make_or_read(job, &s, &c, amax);
    if (encode_run_by_midpoints(job, &c, s.values, finite)) {
        return 0;
    }
    bndi_add_powers(job, &s, c.groups);
    s.finite = s.finite && finite;
    if (s.vanish && s.finite) {
        bndi_let_vanish(job, &s, c.groups);
    }
    for (size_t row = 0; row < c.height; row++) {
        bndi_run run = bndi_run_of(job, &s, c.at + row * job->layout.columns, c.width, 0);
        run.again = row > 0;
        do_run(job, &run);
    }
    return 0;
}

static uint32_t scale_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const bndi_chunk c = chunk_at(job, i);
    uint32_t amax[BNDI_GROUPS];
    bndi_scales s;
    (void)what;
    find_chunk_amax(job, &c, amax);
    make_or_read(job, &s, &c, amax);
    return 0;
}

static uint32_t finite_or_zero(uint32_t amax)
{
    return bndi_is_finite(amax) ? amax : 0;
}

/* The largest magnitude of the blocks that are finite. */
static uint32_t look_at_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const bndi_chunk c = chunk_at(job, i);
    uint32_t amax[BNDI_GROUPS], largest = 0;
    (void)what;
    find_chunk_amax(job, &c, amax);
    for (size_t g = 0; g < c.groups; g++) {
        largest = finite_or_zero(amax[g]) > largest ? finite_or_zero(amax[g]) : largest;
    }
    return largest;
}

/* ---- groups larger than a chunk: each is a chunk, and its pieces are distributed to threads ---- */

static bool is_large(const bndi_block_job *job)
{
    return job->layout.across > BNDI_BLOCK_CHUNK;
}

static size_t pieces_of_row(const bndi_chunk *c)
{
    return (c->width - 1) / BNDI_BLOCK_CHUNK + 1;
}

/* Elements of piece i: where they start, how many there are. */
static size_t piece_at(const bndi_block_job *job, const bndi_chunk *c, size_t i, size_t *n)
{
    size_t row = i / pieces_of_row(c), column = i % pieces_of_row(c) * BNDI_BLOCK_CHUNK, left = c->width - column;
    *n = left < BNDI_BLOCK_CHUNK ? left : BNDI_BLOCK_CHUNK;
    return c->at + row * job->layout.columns + column;
}

static size_t pieces_of(const bndi_chunk *c)
{
    return c->height * pieces_of_row(c);
}

typedef struct large_group {
    bndi_chunk c;
    uint32_t amax;
    bndi_scales s;
} large_group;

static uint32_t look_at_piece(const bndi_block_job *job, size_t i, void *what)
{
    const large_group *group = what;
    uint32_t amax = 0;
    size_t n, at = piece_at(job, &group->c, i, &n);
    job->scan->amax(&amax, job->x + at, n, job->layout.across);
    return amax;
}

/* Are scales tried? Given ones are not. */
static bool tries(const bndi_block_job *job)
{
    return !job->given && bndi_tries_scales(&job->block);
}

/* Of numbers that are not all finite no attempt is better than the first: no error is less than a NaN or infinity. */
static uint32_t scale_group(const bndi_block_job *job, size_t i, void *what)
{
    large_group *group = what;
    unsigned char unwanted[sizeof(float)], *codes = scale_codes_at(job, group->c.scale);
    (void)i;
    if (tries(job)) {
        bndi_attempt_scales(job, 0, group->s.values, codes != NULL ? codes : unwanted, &group->amax, 1);
    } else {
        make_or_read(job, &group->s, &group->c, &group->amax);
    }
    bndi_add_powers(job, &group->s, 1);
    group->s.finite = group->s.finite && (!job->given || bndi_is_finite(group->amax));
    return 0;
}

/* The attempts at the scale of a large group: their errors in some pieces, and the sums over all pieces before. */
enum { PIECES_AT_ONCE = 32 };
typedef struct attempts {
    large_group *group;
    size_t count, from, pieces;
    double values[BNDI_MOST_ATTEMPTS], sums[BNDI_MOST_ATTEMPTS], errors[PIECES_AT_ONCE][BNDI_MOST_ATTEMPTS];
    unsigned char codes[BNDI_MOST_ATTEMPTS][sizeof(float)];
} attempts;

static uint32_t make_attempts(const bndi_block_job *job, size_t i, void *what)
{
    attempts *a = what;
    (void)i;
    for (size_t k = 0; k < a->count; k++) {
        bndi_attempt_scales(job, k, &a->values[k], a->codes[k], &a->group->amax, 1);
        a->sums[k] = 0;
    }
    return 0;
}

static uint32_t try_piece(const bndi_block_job *job, size_t i, void *what)
{
    attempts *a = what;
    size_t n, at = piece_at(job, &a->group->c, a->from + i, &n);
    bndi_scales s;
    for (size_t k = 0; k < a->count; k++) {
        s.values[0] = a->values[k];
        bndi_add_powers(job, &s, 1);
        const bndi_run run = bndi_run_of(job, &s, at, n, 0);
        a->errors[i][k] = 0;
        bndi_add_errors(job, &a->errors[i][k], &run);
    }
    return 0;
}

/* In the order of the pieces. */
static uint32_t add_pieces(const bndi_block_job *job, size_t i, void *what)
{
    attempts *a = what;
    (void)job;
    (void)i;
    for (size_t piece = 0; piece < a->pieces; piece++) {
        for (size_t k = 0; k < a->count; k++) {
            a->sums[k] += a->errors[piece][k];
        }
    }
    return 0;
}

static uint32_t choose_attempt(const bndi_block_job *job, size_t i, void *what)
{
    const attempts *a = what;
    size_t best = 0;
    (void)i;
    for (size_t k = 1; k < a->count; k++) {
        best = a->sums[k] < a->sums[best] ? k : best;
    }
    a->group->s.values[0] = a->values[best];
    bndi_add_powers(job, &a->group->s, 1);
    if (job->scales != NULL) {
        __builtin_memcpy(scale_codes_at(job, a->group->c.scale), a->codes[best], job->block.scale.width / 8u);
    }
    return 0;
}

static void try_large_group(const bndi_block_job *job, large_group *group)
{
    const size_t all = pieces_of(&group->c);
    attempts a = {.group = group, .count = bndi_attempts(job)};
    bndi_for_each(job, 1, make_attempts, &a);
    for (; a.from < all; a.from += a.pieces) {
        a.pieces = all - a.from < PIECES_AT_ONCE ? all - a.from : PIECES_AT_ONCE;
        bndi_for_each(job, a.pieces, try_piece, &a);
        bndi_for_each(job, 1, add_pieces, &a);
    }
    bndi_for_each(job, 1, choose_attempt, &a);
}

static uint32_t quantize_piece(const bndi_block_job *job, size_t i, void *what)
{
    large_group *group = what;
    size_t n, at = piece_at(job, &group->c, i, &n);
    bndi_run run = bndi_run_of(job, &group->s, at, n, 0);
    do_run(job, &run);
    return 0;
}

static uint32_t look_at_large_group(const bndi_block_job *job, size_t i)
{
    large_group group = {.c = chunk_at(job, i)};
    return bndi_for_each(job, pieces_of(&group.c), look_at_piece, &group);
}

static void quantize_large_group(const bndi_block_job *job, size_t i, bool with_elements)
{
    large_group group = {.c = chunk_at(job, i)};
    group.amax = bndi_for_each(job, pieces_of(&group.c), look_at_piece, &group);
    if (tries(job) && bndi_is_finite(group.amax)) {
        try_large_group(job, &group);
    } else {
        bndi_for_each(job, 1, scale_group, &group);
    }
    if (with_elements) {
        bndi_for_each_counted(job, pieces_of(&group.c), BNDI_BLOCK_CHUNK, quantize_piece, &group);
    }
}

/* ---- elements in the order of memory ---- */

static uint32_t quantize_stretches(const bndi_block_job *job, size_t i, void *what)
{
    float rounded[BNDI_BLOCK_CHUNK];
    size_t at = i * BNDI_BLOCK_CHUNK, left = job->layout.count - at,
           n = left < BNDI_BLOCK_CHUNK ? left : BNDI_BLOCK_CHUNK;
    bndi_scales s;
    (void)what;
    for (size_t done = 0; done < n;) {
        bndi_stretch stretch = bndi_stretch_at(&job->layout, at + done, n - done);
        bndi_read_scales(job, s.values, scale_codes_at(job, stretch.scale), stretch.groups);
        bndi_add_powers(job, &s, stretch.groups);
        bndi_run run = bndi_run_of(job, &s, at + done, stretch.n, stretch.first);
        bndi_round_run(job, rounded + done, NULL, &run);
        done += stretch.n;
    }
    bndi_store_elements(job, rounded, at, n);
    return 0;
}

/* ---- a call ---- */

static size_t chunks_of(const bndi_block_job *job)
{
    return job->layout.outer * job->layout.bands * job->chunks_of_band;
}

/* Does every run of a chunk start at a whole byte? */
static bool starts_at_bytes(const bndi_block_job *job)
{
    const bndi_layout_of_blocks *l = &job->layout;
    bool whole = job->block.integer || !bnd_lab_storage_of(&job->block.element, (uint8_t)job->packing).packed;
    bool one_row = l->outer * l->rows == 1;
    bool chunks = job->chunks_of_band == 1 || job->chunk_groups * l->across % 8 == 0;
    return job->fake || whole || (chunks && (one_row || l->columns % 8 == 0));
}

void bndi_find_tensor_scale(bndi_block_job *job)
{
    uint32_t amax = 0;
    if (is_large(job)) {
        for (size_t i = 0; i < chunks_of(job); i++) {
            uint32_t largest = finite_or_zero(look_at_large_group(job, i));
            amax = largest > amax ? largest : amax;
        }
    } else {
        amax = bndi_for_each(job, chunks_of(job), look_at_chunk, NULL);
    }
    job->tensor = (double)bndi_tensor_scale(job, job->how.rule.flush_in && amax < 0x00800000 ? 0 : amax);
}

void bndi_find_scales(const bndi_block_job *job)
{
    if (is_large(job)) {
        for (size_t i = 0; i < chunks_of(job); i++) {
            quantize_large_group(job, i, false);
        }
    } else {
        bndi_for_each(job, chunks_of(job), scale_chunk, NULL);
    }
}

void bndi_quantize(const bndi_block_job *job)
{
    const size_t chunks = chunks_of(job), stretches = (job->layout.count + BNDI_BLOCK_CHUNK - 1) / BNDI_BLOCK_CHUNK;
    if (!starts_at_bytes(job)) {
        if (!job->given) {
            bndi_find_scales(job);
        }
        bndi_for_each_counted(job, stretches, BNDI_BLOCK_CHUNK, quantize_stretches, NULL);
    } else if (is_large(job)) {
        for (size_t i = 0; i < chunks; i++) {
            quantize_large_group(job, i, true);
        }
    } else {
        const size_t most = job->layout.down * job->chunk_groups * job->layout.across;
        bndi_for_each_counted(job, chunks, most, quantize_chunk, NULL);
    }
}
