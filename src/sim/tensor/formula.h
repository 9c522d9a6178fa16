/* A formula over whole tensors, element by element. */
#ifndef BINADE_SRC_TENSOR_FORMULA_H
#define BINADE_SRC_TENSOR_FORMULA_H

#include "tensor/maths.h"
#include "tensor/reader.h"

/* y = formula(in...), up to three tensors, NULL after the last; each broadcasts to y. */
void bndi_run_formula(bnd_tensor *y, bndi_formula_name name, const bnd_tensor *const *in, double k, bndi_width work,
                      const bndi_store *how);

/* y = x, y = k x, y += x, element by element; x broadcasts to y. */
void bndi_copy_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how);
void bndi_scale_into(bnd_tensor *y, const bnd_tensor *x, double k, const bndi_store *how);
void bndi_add_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how);

#endif
