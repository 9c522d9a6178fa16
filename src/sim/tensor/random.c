/* Random numbers by index: the same for every format, stride and back end, except for the rounding to the format. */
#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/maths.h"
#include "tensor/reader.h"

/* Numbers at .. at + n - 1 of a tensor, at most a chunk. */
typedef void draw(double *x, double a, double b, uint64_t seed, uint64_t purpose, uint64_t at, size_t n,
                  const bndi_maths *maths, bndi_random_kernel *random);

static double share_of(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static void draw_uniform(double *x, double low, double high, uint64_t seed, uint64_t purpose, uint64_t at, size_t n,
                         const bndi_maths *maths, bndi_random_kernel *random)
{
    (void)maths;
    (void)random;
    for (size_t i = 0; i < n; i++) {
        x[i] = low + (high - low) * share_of(bnd_random(seed, purpose, at + i));
    }
}

/* Those of `which` (n of them, in order) whose point is not in the circle, put in front; how many. Squares are not
 * negative, and so in the order of their words: 0, which is outside, becomes the last of them. */
static size_t outside(uint16_t *which, size_t n, const double *square)
{
    const double one = 1;
    uint64_t word, edge;
    size_t left = 0;
    __builtin_memcpy(&edge, &one, sizeof edge);
    for (size_t i = 0; i < n; i++) {
        __builtin_memcpy(&word, &square[which[i]], sizeof word);
        which[left] = which[i];
        left += word - 1 >= edge - 1;
    }
    return left;
}

/* Another try for the points of `which`. */
static void draw_again(double *x, double *square, const uint16_t *which, size_t n, uint64_t seed, uint64_t purpose,
                       uint64_t attempt, uint64_t at, const bndi_maths *maths)
{
    double one_x[BNDI_TENSOR_CHUNK], one_square[BNDI_TENSOR_CHUNK];
    uint64_t bits[BNDI_TENSOR_CHUNK];
    __builtin_memset(one_square, 0, n * sizeof *one_square);
    for (size_t i = 0; i < n; i++) {
        bits[i] = bnd_random(seed, purpose, attempt << 48 ^ (at + which[i]));
        one_x[i] = 0;
    }
    maths->points(one_x, one_square, bits, n);
    for (size_t i = 0; i < n; i++) {
        x[which[i]] = one_x[i];
        square[which[i]] = one_square[i];
    }
}

/* Points of the square until one is in the circle, each try with 64 bits of its own: bnd_random of attempt << 48 ^ i.
 * That is every second word of Philox's blocks, one after another as long as i goes no further than 2^48: one try for
 * all of them, another for all that is cheaper than to pick the quarter that needs it, and then what is left (a
 * twentieth), picked. */
static void draw_points(double *x, double *square, uint64_t seed, uint64_t purpose, uint64_t at, size_t n,
                        const bndi_maths *maths, bndi_random_kernel *random)
{
    enum { TOGETHER = 2 };
    _Static_assert(BNDI_TENSOR_CHUNK <= UINT16_MAX, "a place in a chunk is 16 bits");
    uint64_t blocks[2 * BNDI_TENSOR_CHUNK], bits[BNDI_TENSOR_CHUNK];
    uint16_t which[BNDI_TENSOR_CHUNK];
    const bool together = at + n < UINT64_C(1) << 48;
    __builtin_memset(x, 0, n * sizeof *x);
    __builtin_memset(square, 0, n * sizeof *square);
    for (uint64_t attempt = 0; attempt < TOGETHER && together; attempt++) {
        random(blocks, 2 * n, seed, purpose, 2 * (attempt << 48 ^ at), 64);
        for (size_t i = 0; i < n; i++) {
            bits[i] = blocks[2 * i];
        }
        maths->points(x, square, bits, n);
    }
    for (size_t i = 0; i < n; i++) {
        which[i] = (uint16_t)i;
    }
    size_t left = outside(which, n, square);
    for (uint64_t attempt = together ? TOGETHER : 0; left > 0; attempt++, left = outside(which, left, square)) {
        draw_again(x, square, which, left, seed, purpose, attempt, at, maths);
    }
}

/* Marsaglia's polar method: x sqrt(-2 log s / s), s the square. */
static void draw_normal(double *x, double mean, double deviation, uint64_t seed, uint64_t purpose, uint64_t at,
                        size_t n, const bndi_maths *maths, bndi_random_kernel *random)
{
    double square[BNDI_TENSOR_CHUNK], root[BNDI_TENSOR_CHUNK];
    draw_points(x, square, seed, purpose, at, n, maths, random);
    maths->formula[BNDI_WORDS_64][BNDI_F_log](root, (const void *[]){square, NULL, NULL}, 0, n);
    maths->formula[BNDI_WORDS_64][BNDI_F_scaled_quotient](root, (const void *[]){root, square, NULL}, -2, n);
    maths->formula[BNDI_WORDS_64][BNDI_F_sqrt](root, (const void *[]){root, NULL, NULL}, 0, n);
    maths->formula[BNDI_WORDS_64][BNDI_F_mul](x, (const void *[]){x, root, NULL}, 0, n);
    maths->formula[BNDI_WORDS_64][BNDI_F_scale](x, (const void *[]){x, NULL, NULL}, deviation, n);
    maths->formula[BNDI_WORDS_64][BNDI_F_shift](x, (const void *[]){x, NULL, NULL}, mean, n);
}

static bnd_status fill(bnd_tensor *t, draw *f, double a, double b, uint64_t seed, uint64_t purpose, bnd_error *why)
{
    bnd_status status = bndi_check_writable(t, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_walk walk;
    bndi_numbers numbers;
    bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    size_t n = bndi_count(&t->shape);
    const bndi_kernels kernels = bnd_lab_kernels_of(&t->engine->context);
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_64);
    for (size_t at = 0; at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        f(numbers.f64, a, b, seed, purpose, at, m, bndi_maths_of(&t->engine->context), kernels.random);
        bndi_write(&walk, at, m, &numbers, &how);
    }
    bndi_leave(before);
    t->buffer->version++;
    return BND_OK;
}

static bool is_finite(double x)
{
    return x - x == 0;
}

bnd_status bnd_tensor_uniform(bnd_tensor *t, double low, double high, uint64_t seed, uint64_t purpose, bnd_error *why)
{
    if (!is_finite(low) || !is_finite(high) || !(low <= high)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "uniform: the ends must be finite numbers in order");
    }
    if (!is_finite(high - low)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "uniform: the ends are farther apart than the largest number of fp64");
    }
    return fill(t, draw_uniform, low, high, seed, purpose, why);
}

bnd_status bnd_tensor_normal(bnd_tensor *t, double mean, double deviation, uint64_t seed, uint64_t purpose,
                             bnd_error *why)
{
    if (!is_finite(mean) || !is_finite(deviation) || deviation < 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "normal: mean and deviation must be finite, the deviation not negative");
    }
    return fill(t, draw_normal, mean, deviation, seed, purpose, why);
}
