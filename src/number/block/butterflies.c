/* Hadamard transforms in vectors. This file is compiled once for each back end of the machine's family, as
 * block_kernels.c is.
 *
 * Along neighbours a vector holds WIDE of them. Up to distance WIDE / 2 each butterfly is within a vector, shown for
 * four lanes and distance 1; beyond that between two vectors.
 *
 *   v                a       b       c       d
 *   other            b       a       d       c
 *   v + other        a + b           c + d
 *   other - v                a - b           c - d */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 does not vectorise most loops */
#endif

#include "block/butterflies.h"

#if defined(BNDI_FOR_AVX512)
#define BNDI_BUTTERFLY_KERNELS bndi_butterfly_kernels_avx512
#define EACH(f, d)                                                                                                     \
    f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d), f(8, d), f(9, d), f(10, d), f(11, d),      \
        f(12, d), f(13, d), f(14, d), f(15, d)
enum { WIDE = 16 };
#elif defined(BNDI_FOR_AVX2)
#define BNDI_BUTTERFLY_KERNELS bndi_butterfly_kernels_avx2
#define EACH(f, d)             f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d)
enum { WIDE = 8 };
#else
#define BNDI_BUTTERFLY_KERNELS bndi_butterfly_kernels_portable
#define EACH(f, d)             f(0, d), f(1, d), f(2, d), f(3, d)
enum { WIDE = 4 };
#endif

enum { ROW_BYTES = 4 * WIDE };
typedef float row __attribute__((vector_size(ROW_BYTES)));

/* Lane i of the other of its pair; of the sums, or, where the distance says so, of the differences. */
#define OTHER(i, d)       ((i) ^ (d))
#define SUM_OR_LESS(i, d) (((i) & (d)) != 0 ? (i) + WIDE : (i))
#define WITHIN(v, d)                                                                                                   \
    do {                                                                                                               \
        const row other = __builtin_shufflevector(v, v, EACH(OTHER, d)), sum = (v) + other, less = other - (v);        \
        (v) = __builtin_shufflevector(sum, less, EACH(SUM_OR_LESS, d));                                                \
    } while (0)

enum { MOST = 128, ROWS = MOST / WIDE, STRIP = 32 };

/* All butterflies within a vector. */
static inline void within(row *v)
{
    WITHIN(*v, 1);
    WITHIN(*v, 2);
#if defined(BNDI_FOR_AVX512) || defined(BNDI_FOR_AVX2)
    WITHIN(*v, 4);
#endif
#if defined(BNDI_FOR_AVX512)
    WITHIN(*v, 8);
#endif
}

/* `rows` is a constant wherever this is called. */
static inline void transform_rows(float *y, const float *x, const float *signs, size_t rows, float factor)
{
    row v[ROWS];
    for (size_t i = 0; i < rows; i++) {
        row sign;
        __builtin_memcpy(&v[i], x + i * WIDE, sizeof v[i]);
        __builtin_memcpy(&sign, signs + i * WIDE, sizeof sign);
        v[i] *= sign;
        within(&v[i]);
    }
    for (size_t distance = 1; distance < rows; distance *= 2) {
        for (size_t i = 0; i < rows; i++) {
            if ((i & distance) == 0) {
                const row a = v[i], b = v[i + distance];
                v[i] = a + b;
                v[i + distance] = a - b;
            }
        }
    }
    for (size_t i = 0; i < rows; i++) {
        v[i] *= factor;
        __builtin_memcpy(y + i * WIDE, &v[i], sizeof v[i]);
    }
}

/* The sizes of recipes as constants: all vectors of a group are then in registers. */
static void along(float *y, const float *x, size_t groups, const float *signs, size_t size, float factor)
{
    for (size_t g = 0; g < groups; g++, y += size, x += size) {
        switch (size) {
        case 16:
            transform_rows(y, x, signs, 16 / WIDE, factor);
            break;
        case 32:
            transform_rows(y, x, signs, 32 / WIDE, factor);
            break;
        case 64:
            transform_rows(y, x, signs, 64 / WIDE, factor);
            break;
        default:
            transform_rows(y, x, signs, MOST / WIDE, factor);
            break;
        }
    }
}

/* Some columns, at most STRIP, which the first cache holds; `columns` is a constant but for the last ones. */
static inline void strip_down(float *y, const float *x, size_t inner, size_t columns, const float *signs, size_t size,
                              float factor)
{
    float v[MOST][STRIP];
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < columns; j++) {
            v[i][j] = x[i * inner + j] * signs[i];
        }
    }
    for (size_t distance = 1; distance < size; distance *= 2) {
        for (size_t i = 0; i < size; i++) {
            for (size_t j = 0; (i & distance) == 0 && j < columns; j++) {
                const float a = v[i][j], b = v[i + distance][j];
                v[i][j] = a + b;
                v[i + distance][j] = a - b;
            }
        }
    }
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < columns; j++) {
            y[i * inner + j] = v[i][j] * factor;
        }
    }
}

/* Strip by strip, from left to right. */
static void down(float *y, const float *x, size_t inner, const float *signs, size_t size, float factor)
{
    size_t j = 0;
    for (; inner - j >= STRIP; j += STRIP) {
        strip_down(y + j, x + j, inner, STRIP, signs, size, factor);
    }
    if (j < inner) {
        strip_down(y + j, x + j, inner, inner - j, signs, size, factor);
    }
}

const bndi_butterfly_kernels BNDI_BUTTERFLY_KERNELS = {.along = along, .down = down};
