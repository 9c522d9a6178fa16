/* A random Hadamard transform of 16 neighbours, or of another power of two. */
#include "block/block.h"
#include "block/butterflies.h"
#include "block/partial_array.h"
#include "bulk/environment.h"
#include "bulk/threads.h"

/* The order of the additions is part of the contract: butterflies of distance 1, 2, 4, 8. */
static void butterflies(float v[BND_HADAMARD_SIZE])
{
    for (unsigned distance = 1; distance < BND_HADAMARD_SIZE; distance *= 2) {
        for (unsigned i = 0; i < BND_HADAMARD_SIZE; i++) {
            if ((i & distance) == 0) {
                float a = v[i], b = v[i + distance];
                v[i] = a + b;
                v[i + distance] = a - b;
            }
        }
    }
    for (unsigned i = 0; i < BND_HADAMARD_SIZE; i++) {
        v[i] *= 0.25f;
    }
}

static void draw_signs(float *signs, size_t size, uint64_t seed)
{
    enum { BITS = 64 };
    uint64_t random = 0;
    for (size_t i = 0; i < size; i++) {
        random = i % BITS == 0 ? bnd_random(seed, size, i / BITS) : random;
        signs[i] = (random >> i % BITS & 1) != 0 ? -1 : 1;
    }
}

static void transform(float *y, const float *x, size_t n, uint64_t seed, bool inverse)
{
    float signs[BND_HADAMARD_SIZE], v[BND_HADAMARD_SIZE];
    draw_signs(signs, BND_HADAMARD_SIZE, seed);
    for (size_t at = 0; at < n; at += BND_HADAMARD_SIZE) {
        for (unsigned i = 0; i < BND_HADAMARD_SIZE; i++) {
            v[i] = inverse ? x[at + i] : x[at + i] * signs[i];
        }
        butterflies(v);
        for (unsigned i = 0; i < BND_HADAMARD_SIZE; i++) {
            y[at + i] = inverse ? v[i] * signs[i] : v[i];
        }
    }
}

/* 1 / sqrt(size): a power of two for 16 and 64, rounded once for 32 and 128. */
static float factor_of(size_t size)
{
    float factor = 1;
    for (; size >= 4; size /= 4) {
        factor *= 0.5f;
    }
    return size == 2 ? factor * 0x1.6a09e6p-1f : factor;
}

/* Bands are `size` rows of `inner` columns, `bands` of them in each outer array. */
typedef struct bands {
    const bndi_butterfly_kernels *kernels;
    float *y;
    const float *x;
    size_t slab, inner, size, bands, count, shares;
    float signs[BND_LAB_HADAMARD_MOST], factor;
} bands;

/* Bands from number `at` on, at most `most`. Returns how many. */
static size_t transform_some(const bands *all, size_t at, size_t most)
{
    const size_t place = at % all->bands, first = at / all->bands * all->slab + place * all->size * all->inner;
    if (all->inner > 1 || all->size < BND_HADAMARD_SIZE) {
        all->kernels->down(all->y + first, all->x + first, all->inner, all->signs, all->size, all->factor);
        return 1;
    }
    const size_t n = all->bands - place < most ? all->bands - place : most;
    all->kernels->along(all->y + first, all->x + first, n, all->signs, all->size, all->factor);
    return n;
}

static void transform_share(void *of, size_t share, bool in_order)
{
    const bands *all = of;
    const size_t end = (share + 1) * all->count / all->shares;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    (void)in_order;
    for (size_t at = share * all->count / all->shares; at < end;) {
        at += transform_some(all, at, end - at);
    }
    bndi_leave(callers);
}

bnd_status bnd_lab_hadamard_along(float *y, const float *x, bnd_shape shape, size_t size, uint64_t seed,
                                  const bnd_context *context, bnd_error *why)
{
    enum { WORTH_THREADS = 1 << 17 };
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_butterfly_kernels);
    const size_t slab = shape.length * shape.inner, whole = shape.length - shape.length % size;
    if (shape.length == 0 || shape.inner == 0 || shape.outer == 0) {
        return BND_OK;
    }
    if (slab / shape.inner != shape.length || shape.outer > (size_t)PTRDIFF_MAX / sizeof(float) / slab) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu times %zu times %zu numbers do not fit memory", shape.outer,
                        shape.length, shape.inner);
    }
    bands all = {.kernels = bnd_lab_row_of(context, rows),
                 .y = y,
                 .x = x,
                 .slab = slab,
                 .inner = shape.inner,
                 .size = size,
                 .bands = whole / size,
                 .count = whole / size * shape.outer,
                 .factor = factor_of(size)};
    const bool shared = context != NULL && context->threads > 1 && shape.outer * slab >= WORTH_THREADS;
    all.shares = shared && all.count >= context->threads ? context->threads : 1;
    draw_signs(all.signs, size, seed);
    bnd_lab_parallel(all.shares, BNDI_EVENLY, transform_share, &all, all.count > 0 ? all.shares : 0);
    for (size_t i = 0; y != x && i < shape.outer; i++) {
        const size_t rest = i * slab + whole * shape.inner, n = (shape.length - whole) * shape.inner;
        __builtin_memcpy(y + rest, x + rest, n * sizeof *y);
    }
    return BND_OK;
}

bnd_status bnd_hadamard_along_f32(float *y, const float *x, bnd_shape shape, uint64_t seed, bnd_error *why)
{
    return bnd_lab_hadamard_along(y, x, shape, BND_HADAMARD_SIZE, seed, NULL, why);
}

static bnd_status hadamard(float *y, const float *x, size_t rows, size_t columns, uint64_t seed, bool inverse,
                           bnd_error *why)
{
    if (columns % BND_HADAMARD_SIZE != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "rows of %zu elements: the number must be a multiple of 16", columns);
    }
    if (columns != 0 && rows > (size_t)PTRDIFF_MAX / sizeof(float) / columns) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu rows of %zu do not fit memory", rows, columns);
    }
    bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    transform(y, x, rows * columns, seed, inverse);
    bndi_leave(callers);
    return BND_OK;
}

bnd_status bnd_hadamard_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed, bnd_error *why)
{
    return hadamard(y, x, rows, columns, seed, false, why);
}

bnd_status bnd_hadamard_inverse_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed,
                                    bnd_error *why)
{
    return hadamard(y, x, rows, columns, seed, true, why);
}
