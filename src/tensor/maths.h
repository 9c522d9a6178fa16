/* The loops over numbers that operations are made of, compiled once for each back end. All give the same bits: + - * /
 * and roots in a fixed order, in doubles wherever there is more to a formula than one of these. */
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

/* Loops over rows of doubles. Sums have sixteen lanes, element i in lane i mod 16, added in pairs. */
typedef struct bndi_maths {
    bndi_formula *formula[2][BNDI_FORMULAS];      /* by bndi_width */
    double (*largest)(const double *x, size_t n); /* NaN where one is; minus infinity of nothing */
    double (*sum)(const double *x, size_t n);
    double (*sum_products)(const double *x, const double *y, size_t n);
    double (*sum_squares)(const double *x, double shift, size_t n); /* of x - shift */
    double (*exponentials)(double *y, const double *x, double shift,
                           size_t n); /* y = e^(x - shift); returns their sum */
    void (*linear)(double *y, const double *x, double shift, double factor, size_t n); /* y = (x - shift) factor */
    void (*add_products)(double *sums, const double *x, const double *y, size_t n);    /* sums += x y */
    void (*add)(double *sums, const double *x, size_t n);
    void (*add_scaled)(double *sums, const double *x, double factor, size_t n);             /* sums += factor x */
    void (*multiply)(double *y, const double *x, size_t n);                                 /* y *= x */
    void (*divide)(double *y, double divisor, size_t n);                                    /* y /= divisor */
    void (*weighted)(double *dx, const double *y, const double *d, double shift, size_t n); /* dx = y (d - shift) */
    /* fp32 to and from double, one rounding. False where a NaN was among them: what becomes of it is not theirs. */
    bool (*widen)(double *y, const float *x, size_t n);
    bool (*narrow)(float *y, const double *x, size_t n);
    void (*normalized_back)(double *dx, const double *d, const double *y, double mean, double slope, double factor,
                            size_t n); /* dx = (d - mean - y slope) factor */
} bndi_maths;

extern const bndi_maths bndi_maths_portable;
#if defined(BNDI_WITH_AVX2)
extern const bndi_maths bndi_maths_avx2;
#endif
#if defined(BNDI_WITH_AVX512)
extern const bndi_maths bndi_maths_avx512;
#endif

const bndi_maths *bndi_maths_of(const bnd_context *context);

#endif
