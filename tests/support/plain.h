/* Arithmetic in plain C that tests compare with: bf16 by its bits, and a matrix product in the order of its sums. */
#ifndef TESTS_SUPPORT_PLAIN_H
#define TESTS_SUPPORT_PLAIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A finite number rounded to bf16, a tie to the even one. */
static inline float to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* y (rows by columns) = a b, where element (i, k) of a is a[i a_row + k a_column], and so in b. fp32 sums in the order
 * of k, each product and its sum rounded once; operands are rounded to bf16 first where `bf16`. */
static inline void multiply_matrices(float *y, size_t rows, size_t columns, size_t inner, const float *a, size_t a_row,
                                     size_t a_column, const float *b, size_t b_row, size_t b_column, bool bf16)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t k = 0; k < inner; k++) {
                const float p = a[i * a_row + k * a_column], q = b[k * b_row + j * b_column];
                sum = fmaf(bf16 ? to_bf16(p) : p, bf16 ? to_bf16(q) : q, sum);
            }
            y[i * columns + j] = sum;
        }
    }
}

#endif
