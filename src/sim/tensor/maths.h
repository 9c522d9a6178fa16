/* The loops over numbers that operations are made of, compiled once for each back end. All give the same bits: + - * /
 * and square roots in a fixed order. A formula with more than one of these is computed in double. */
#ifndef BINADE_SRC_MATHS_H
#define BINADE_SRC_MATHS_H

#include "bulk/bulk.h"

/* y = a formula of up to four arrays, element by element; `k` is the attribute number[0]. y may be one of them. */
typedef void bndi_formula(void *y, const void *const *in, double k, size_t n);

/* The formulas: of the operands a, b; their gradients, of the result's gradient d and what the comment says. */
typedef enum bndi_formula_name {
    BNDI_F_NONE,
#define FORMULA(name, expression) BNDI_F_##name,
#include "tensor/formulas.def"
#undef FORMULA
    BNDI_FORMULAS
} bndi_formula_name;

/* How rows are made normal: (x - mean) factor gain + bias, the factor being 1 / sqrt(variance + epsilon). */
typedef struct bndi_normal {
    const double *gain, *bias; /* NULL: none */
    double epsilon, mean, factor;
    bool centred; /* or the mean is 0 */
} bndi_normal;

/* What an update did: changes that are not zero; of these, those that rounding took back. */
typedef struct bndi_changes {
    uint64_t updates, lost;
    double squares_of_changes, squares_of_weights; /* sums, of the weights before */
} bndi_changes;

/* A step of AdamW in fp32: m = beta1 m + rest1 g, v = beta2 v + rest2 g g, divisor = correction sqrt(v) + epsilon, w =
 * keep w, change = -rate m / divisor. */
typedef struct bndi_adam {
    double keep, beta1, rest1, beta2, rest2, correction, epsilon, rate;
} bndi_adam;

/* Loops over rows, of doubles or by bndi_width. Sums have sixteen lanes, element i in lane i mod 16, added in pairs. */
typedef struct bndi_maths {
    bndi_formula *formula[2][BNDI_FORMULAS];      /* by bndi_width */
    double (*largest)(const double *x, size_t n); /* NaN where one is; minus infinity of nothing */
    double (*sum)(const double *x, size_t n);
    double (*sum_products)(const double *x, const double *y, size_t n);
    double (*squares)(const float *x, size_t n); /* their sum, as sum_products of the doubles has it */
    double (*exponentials)(double *y, const double *x, double shift,
                           size_t n); /* y = e^(x - shift); returns their sum */
    void (*linear)(double *y, const double *x, double shift, double factor, size_t n); /* y = (x - shift) factor */
    void (*add[2])(double *sums, const void *x, size_t n);                             /* sums += x */
    void (*add_scaled)(double *sums, const double *x, double factor, size_t n);        /* sums += factor x */
    /* fp32 to and from double, one rounding. False if one of them is NaN: a rule decides then. */
    bool (*widen)(double *y, const float *x, size_t n);
    bool (*narrow)(float *y, const double *x, size_t n);
    bool (*no_nan)(const float *x, size_t n);
    void (*softmax[2])(void *y, const void *x, double *scratch, size_t n);
    void (*softmax_back[2])(void *dx, const void *d, const void *y, size_t n);
    /* Mean and factor are set; back: they are given, sums of gradients of gain and bias are added to, and dx may be
     * NULL. */
    void (*norm[2])(void *y, const void *x, bndi_normal *f, size_t n);
    void (*norm_back[2])(void *dx, double *gains, double *biases, const void *d, const void *x, const bndi_normal *f,
                         size_t n);
    /* As the formulas above do it one by one: each result is rounded to fp32. */
    void (*adam)(const bndi_adam *k, float *w, float *m, float *v, const float *g, float *divisor, float *change,
                 size_t n);
    void (*sums_of_two)(double *sums, const float *x, const float *y, size_t n); /* 0 + x + y */
    void (*combine)(float *x, double of_x, const float *y, double of_y,
                    size_t n); /* x = of_x x + of_y y, in doubles and rounded to fp32 at the end */
    void (*count_changes)(bndi_changes *t, const float *change, const float *before, const float *now,
                          size_t n); /* adds */
    /* Points of the square [-1, 1)^2, of 64 bits each: x, and the square of the distance from the middle; only where
     * `square` is 0 or from 1 on. */
    void (*points)(double *x, double *square, const uint64_t *bits, size_t n);
    size_t (*count_lost_moments)(const float *v, const float *g, size_t n); /* of v that are zero where g is not */
    size_t (*count_lost_updates)(const float *updated, const float *before, const float *now,
                                 size_t n); /* now = before */
} bndi_maths;

extern const bndi_maths bndi_maths_portable;
extern const bndi_maths bndi_maths_avx2;
extern const bndi_maths bndi_maths_avx512;

const bndi_maths *bndi_maths_of(const bnd_context *context);

#endif
