/* What a product must be: plain loops over one element after the other, an operation at a time. */
#ifndef TESTS_MATMUL_MODEL_H
#define TESTS_MATMUL_MODEL_H

#include <binade/matmul.h>

#include "tests/support/operands.h"
#include "tests/support/memory.h"

bnd_accumulator accumulator_named(const char *name);

/* A number of one of these kinds, a function of seed and index. */
typedef enum data_kind {
    DATA_NORMAL, /* normally distributed, but a few zeros */
    DATA_WIDE,   /* random exponents in the middle half of fp32's */
    DATA_HARD,   /* random bits: infinities, NaNs, subnormals */
    DATA_CLOSE,  /* one binade, few bits: many ties */
    DATA_FRINGE, /* about a format's least and largest numbers */
    DATA_EDGE,   /* powers of two of a format, and their neighbours: where binades end */
    DATA_KINDS
} data_kind;
float number_of(data_kind kind, const bnd_format *f, uint64_t seed, uint64_t i);

/* A whole question: arrays with strides, and what they are multiplied by. */
typedef struct question {
    size_t m, n, k;
    bnd_gemm how;
    float *a, *b, *c, *start; /* c holds what came out; start what C was */
    size_t a_size, b_size, c_size;
    ptrdiff_t a_first, b_first, c_first; /* element (0, 0) */
} question;

/* Layouts: 0 rows side by side, 1 transposed operands, 2 gaps, 3 backwards, 4 columns of C apart; and rows of A and C
 * multiples of 4 KiB apart, which share a set of the first cache. */
enum { MATRIX_LAYOUTS = 5, ROWS_SHARE_A_SET = MATRIX_LAYOUTS };
void question_open(question *q, size_t m, size_t n, size_t k, const bnd_gemm *how, unsigned layout);
void question_fill(question *q, data_kind kind, const bnd_format *f, uint64_t seed);
void question_close(question *q);
bnd_status question_ask(question *q, bnd_error *why);
float *element_of_c(const question *q, float *c, size_t i, size_t j);

/* The element by the definition: bnd_operate, or the oracle's operations. */
typedef enum judge { BY_OPERATE, BY_ORACLE } judge;
float expected(const question *q, size_t i, size_t j, judge by);

/* Elements that are not as expected, and memory around C that has changed; prints the first few. */
size_t differences(const question *q, const char *what, judge by);

#endif
