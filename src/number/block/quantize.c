/* Quantization: finds the scales, or reads those that are given, and applies them.
 *
 * If groups are small, chunk by chunk: the largest magnitudes, the scales, and the elements, while the chunk is in a
 * cache. In two passes if a group is larger than a chunk, or if codes share bytes and a chunk could not end at a whole
 * byte: first all scales, then the elements in the order of memory, across rows and groups. */
#include "base/bits.h"
#include "block/block.h"
#include "bulk/environment.h"

/* ---- chunks ---- */

typedef struct chunk {
    size_t at, scale;     /* the first element, the first scale */
    size_t height, width; /* rows, columns */
    size_t groups;
} chunk;

static chunk chunk_at(const bndi_block_job *job, size_t i)
{
    const bndi_layout_of_blocks *l = &job->layout;
    size_t band = i / job->chunks_of_band, group = i % job->chunks_of_band * job->chunk_groups;
    size_t row = band % l->bands * l->down, column = group * l->across;
    chunk c = {.groups = l->groups - group, .scale = band * l->groups + group};
    c.groups = c.groups < job->chunk_groups ? c.groups : job->chunk_groups;
    c.height = l->rows - row < l->down ? l->rows - row : l->down;
    c.width = l->columns - column < c.groups * l->across ? l->columns - column : c.groups * l->across;
    c.at = (band / l->bands * l->rows + row) * l->columns + column;
    return c;
}

static void find_chunk_amax(const bndi_block_job *job, const chunk *c, uint32_t *amax)
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

/* ---- the scales of a run ---- */

typedef struct scales {
    double values[BNDI_GROUPS];
    float up[BNDI_GROUPS], down[BNDI_GROUPS];
    bool powers, finite, unusual;
} scales;

/* Is it a power of two that fp32 has, and its reciprocal, too? 2^-127 is a subnormal number there. */
static bool is_power_of_two(double scale)
{
    const uint64_t bits = bndi_bits_of_double(scale), fraction = bits & (((uint64_t)1 << 52) - 1);
    return fraction == 0 && scale >= bndi_power_of_two(-127) && scale <= bndi_power_of_two(127);
}

/* What can be said about given scales. */
static void look_at_given(scales *s, size_t groups)
{
    s->powers = true;
    s->unusual = false;
    for (size_t g = 0; g < groups; g++) {
        const double scale = s->values[g];
        s->powers = s->powers && is_power_of_two(scale);
        s->unusual = s->unusual || scale <= 0 || scale == __builtin_inf();
    }
}

static void add_powers(const bndi_block_job *job, scales *s, size_t groups)
{
    s->powers = job->block.rule != BND_SCALE_NEAREST;
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

static bndi_run run_of(const bndi_block_job *job, const scales *s, size_t at, size_t n, size_t first)
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

static void do_run(const bndi_block_job *job, const bndi_run *run)
{
    if (job->fake) {
        bndi_fake_run(job, job->y + run->at, run);
    } else {
        bndi_encode_run(job, run);
    }
}

/* ---- one chunk ---- */

/* Codes that are too many for the caches are written with stores that bypass them, except in lines shared with other
 * chunks. */
static void encode_words(const bndi_block_job *job, char *codes, const float *x, size_t n)
{
    enum { LINE = 64 };
    const size_t bytes = job->plan.code_bytes, misplaced = (uintptr_t)codes % LINE;
    bndi_encode_kernel *encode = job->kernels.encode[BNDI_WORDS_32];
    if (!job->streaming.stream || misplaced % bytes != 0 || n * bytes < 4 * (size_t)LINE) {
        encode(&job->plan, codes, x, NULL, n);
        return;
    }
    size_t head = (LINE - misplaced) % LINE / bytes, lines = (n - head) * bytes / LINE, middle = lines * LINE / bytes;
    encode(&job->plan, codes, x, NULL, head);
    encode(&job->streaming, codes + head * bytes, x + head, NULL, middle);
    encode(&job->plan, codes + (head + middle) * bytes, x + head + middle, NULL, n - head - middle);
}

static void encode_directly(const bndi_block_job *job, size_t at, const float *x, size_t n)
{
    unsigned char codes[2 * BNDI_BLOCK_CHUNK];
    bndi_set_rounding(job->plan.mode_to_set);
    if (job->packed) {
        job->kernels.encode[BNDI_WORDS_32](&job->plan, codes, x, NULL, n);
        job->kernels.pack(bndi_codes_at(job, at), codes, job->plan.code_bytes, job->block.element.width, n);
    } else {
        encode_words(job, bndi_codes_at(job, at), x, n);
    }
    bndi_set_rounding(BND_ROUND_RNE);
}

/* The fastest path, if the back end has it, for as many neighbours as it supports. Returns the rest of the chunk, or
 * all of it if a scale is NaN. */
static chunk quantize_in_one_pass(const bndi_block_job *job, chunk c)
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
    return (chunk){.at = c.at + n,
                   .scale = c.scale + groups,
                   .height = c.height,
                   .width = c.width - n,
                   .groups = c.groups - groups};
}

/* The fast path, for blocks of neighbours with scales in e8m0: products in fp32, then the kernel of bulk/. False if a
 * scale is NaN; the general path then does the whole chunk again. */
static bool quantize_directly(const bndi_block_job *job, const chunk *c)
{
    float y[BNDI_BLOCK_CHUNK];
    const float *x = job->x + c->at;
    if (!job->scan->scale_by_powers(scale_codes_at(job, c->scale), y, x, c->width, job->layout.across, &job->powers)) {
        return false;
    }
    encode_directly(job, c->at, y, c->width);
    return true;
}

/* Elements of few magnitudes with scales that are not powers of two. False if a scale is NaN. */
static bool encode_run_by_midpoints(const bndi_block_job *job, const chunk *c, const double *values, bool finite)
{
    unsigned char codes[BNDI_BLOCK_CHUNK];
    bool good = job->by_midpoints && job->stats == NULL && !job->fake && finite;
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

static void make_or_read(const bndi_block_job *job, scales *s, size_t scale, const uint32_t *amax, size_t groups)
{
    if (job->given) {
        bndi_read_scales(job, s->values, scale_codes_at(job, scale), groups);
    } else {
        bndi_make_scales(job, s->values, scale_codes_at(job, scale), amax, groups);
    }
}

static uint32_t quantize_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const bool only_codes = job->stats == NULL && !job->fake;
    const chunk whole = chunk_at(job, i), c = job->in_one_pass && only_codes ? quantize_in_one_pass(job, whole) : whole;
    uint32_t amax[BNDI_GROUPS];
    scales s;
    (void)what;
    if (c.width == 0 || (job->direct && only_codes && quantize_directly(job, &c))) {
        return 0;
    }
    find_chunk_amax(job, &c, amax);
    const bool finite = !job->given || all_finite(amax, c.groups);
    make_or_read(job, &s, c.scale, amax, c.groups);
    if (encode_run_by_midpoints(job, &c, s.values, finite)) {
        return 0;
    }
    add_powers(job, &s, c.groups);
    s.finite = s.finite && finite;
    for (size_t row = 0; row < c.height; row++) {
        bndi_run run = run_of(job, &s, c.at + row * job->layout.columns, c.width, 0);
        do_run(job, &run);
    }
    return 0;
}

static uint32_t scale_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const chunk c = chunk_at(job, i);
    uint32_t amax[BNDI_GROUPS];
    double values[BNDI_GROUPS];
    (void)what;
    find_chunk_amax(job, &c, amax);
    bndi_make_scales(job, values, scale_codes_at(job, c.scale), amax, c.groups);
    return 0;
}

static uint32_t finite_or_zero(uint32_t amax)
{
    return bndi_is_finite(amax) ? amax : 0;
}

/* The largest magnitude of the blocks that are finite. */
static uint32_t look_at_chunk(const bndi_block_job *job, size_t i, void *what)
{
    const chunk c = chunk_at(job, i);
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

static size_t pieces_of_row(const chunk *c)
{
    return (c->width - 1) / BNDI_BLOCK_CHUNK + 1;
}

/* Elements of piece i: where they start, how many there are. */
static size_t piece_at(const bndi_block_job *job, const chunk *c, size_t i, size_t *n)
{
    size_t row = i / pieces_of_row(c), column = i % pieces_of_row(c) * BNDI_BLOCK_CHUNK, left = c->width - column;
    *n = left < BNDI_BLOCK_CHUNK ? left : BNDI_BLOCK_CHUNK;
    return c->at + row * job->layout.columns + column;
}

typedef struct large_group {
    chunk c;
    uint32_t amax;
    scales s;
} large_group;

static uint32_t look_at_piece(const bndi_block_job *job, size_t i, void *what)
{
    const large_group *group = what;
    uint32_t amax = 0;
    size_t n, at = piece_at(job, &group->c, i, &n);
    job->scan->amax(&amax, job->x + at, n, job->layout.across);
    return amax;
}

static uint32_t scale_group(const bndi_block_job *job, size_t i, void *what)
{
    large_group *group = what;
    (void)i;
    make_or_read(job, &group->s, group->c.scale, &group->amax, 1);
    add_powers(job, &group->s, 1);
    group->s.finite = group->s.finite && (!job->given || bndi_is_finite(group->amax));
    return 0;
}

static uint32_t quantize_piece(const bndi_block_job *job, size_t i, void *what)
{
    large_group *group = what;
    size_t n, at = piece_at(job, &group->c, i, &n);
    bndi_run run = run_of(job, &group->s, at, n, 0);
    do_run(job, &run);
    return 0;
}

static size_t pieces_of(const chunk *c)
{
    return c->height * pieces_of_row(c);
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
    bndi_for_each(job, 1, scale_group, &group);
    if (with_elements) {
        bndi_for_each(job, pieces_of(&group.c), quantize_piece, &group);
    }
}

/* ---- elements in the order of memory ---- */

static uint32_t quantize_stretches(const bndi_block_job *job, size_t i, void *what)
{
    float rounded[BNDI_BLOCK_CHUNK];
    size_t at = i * BNDI_BLOCK_CHUNK, left = job->layout.count - at,
           n = left < BNDI_BLOCK_CHUNK ? left : BNDI_BLOCK_CHUNK;
    scales s;
    (void)what;
    for (size_t done = 0; done < n;) {
        bndi_stretch stretch = bndi_stretch_at(&job->layout, at + done, n - done);
        bndi_read_scales(job, s.values, scale_codes_at(job, stretch.scale), stretch.groups);
        add_powers(job, &s, stretch.groups);
        bndi_run run = run_of(job, &s, at + done, stretch.n, stretch.first);
        bndi_round_run(job, rounded + done, &run);
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
        bndi_for_each(job, stretches, quantize_stretches, NULL);
    } else if (is_large(job)) {
        for (size_t i = 0; i < chunks; i++) {
            quantize_large_group(job, i, true);
        }
    } else {
        bndi_for_each(job, chunks, quantize_chunk, NULL);
    }
}
