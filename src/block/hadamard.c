/* A random Hadamard transform of 16 neighbours. */
#include "block/block.h"
#include "bulk/environment.h"

/* The order of the additions is part of what the call promises: butterflies of distance 1, 2, 4, 8. */
static void butterflies(float v[BND_HADAMARD])
{
    for (unsigned distance = 1; distance < BND_HADAMARD; distance *= 2) {
        for (unsigned i = 0; i < BND_HADAMARD; i++) {
            if ((i & distance) == 0) {
                float a = v[i], b = v[i + distance];
                v[i] = a + b;
                v[i + distance] = a - b;
            }
        }
    }
    for (unsigned i = 0; i < BND_HADAMARD; i++) {
        v[i] *= 0.25f;
    }
}

static void transform(float *y, const float *x, size_t n, uint64_t seed, bool inverse)
{
    const uint64_t random = bnd_random(seed, BND_HADAMARD, 0);
    float signs[BND_HADAMARD], v[BND_HADAMARD];
    for (unsigned i = 0; i < BND_HADAMARD; i++) {
        signs[i] = (random >> i & 1) != 0 ? -1 : 1;
    }
    for (size_t at = 0; at < n; at += BND_HADAMARD) {
        for (unsigned i = 0; i < BND_HADAMARD; i++) {
            v[i] = inverse ? x[at + i] : x[at + i] * signs[i];
        }
        butterflies(v);
        for (unsigned i = 0; i < BND_HADAMARD; i++) {
            y[at + i] = inverse ? v[i] * signs[i] : v[i];
        }
    }
}

static bnd_status hadamard(float *y, const float *x, size_t rows, size_t columns, uint64_t seed, bool inverse,
                           bnd_error *why)
{
    if (columns % BND_HADAMARD != 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "rows of %zu: the transform takes 16 neighbours at a time", columns);
    }
    if (columns != 0 && rows > (size_t)PTRDIFF_MAX / sizeof(float) / columns) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu rows of %zu are more than memory can hold", rows, columns);
    }
    bndi_environment callers = bndi_enter(BND_RNE);
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
