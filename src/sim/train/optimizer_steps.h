/* Steps that optimizers are made of: operations on a chunk of an update. */
#ifndef BINADE_SRC_TRAIN_OPTIMIZER_STEPS_H
#define BINADE_SRC_TRAIN_OPTIMIZER_STEPS_H

#include "train/optimizer.h"

/* y = a formula of x and, where it has one, another; each result rounded to fp32. */
void bndi_chunk_by_formula(const bndi_update *u, bndi_formula_name name, float *y, const float *x, const float *other,
                           double k);
void bndi_chunk_rounded(const bndi_update *u, float *x, const bnd_cast *cast);
double bndi_chunk_scalar(const bndi_update *u, double x);
/* x = a x. */
void bndi_chunk_scale(const bndi_update *u, float *x, double a, const bnd_cast *cast);
/* x = x + a y. */
void bndi_chunk_add_scaled(const bndi_update *u, float *x, double a, const float *y, const bnd_cast *cast);
/* t = g g, rounded to the format of v. */
void bndi_chunk_square(const bndi_update *u, const bnd_cast *cast);
void bndi_chunk_square_root(const bndi_update *u, float *y, const float *x, const bnd_cast *cast);
/* x = x + a: epsilon. */
void bndi_chunk_shift(const bndi_update *u, float *x, double a, const bnd_cast *cast);
/* change = a x / y. */
void bndi_chunk_change_by_quotient(const bndi_update *u, double a, const float *x, const float *y);
/* t = the root of v, its bias corrected, and epsilon; change = -lr m / t, the bias of m corrected. */
void bndi_chunk_root_of_v(const bndi_update *u);
void bndi_chunk_adam_change(bndi_update *u);
void bndi_chunk_change_by(const bndi_update *u, double a, const float *x);
/* Both moments, divisor, change and, for `decoupled`, the decay of the weights, in one pass. False where results are
 * rounded to other formats than fp32: then nothing was done. */
bool bndi_chunk_adam_at_once(bndi_update *u, bool decoupled);
double bndi_chunk_power(double x, uint64_t n);

#endif
