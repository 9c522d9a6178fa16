/* Tensors in files. */
#ifndef BINADE_SRC_TENSOR_FILES_H
#define BINADE_SRC_TENSOR_FILES_H

#include <binade-lab/tensor.h>

#include "store/output_file.h"

/* Writes all elements of a tensor in row-major order, in words of `word` bytes. fp32 and fp64 are written as numbers
 * (also if the tensor is stored as integers), all other formats as codes. */
BND_CHECKED bnd_status bndi_write_elements(const bnd_lab_output *file, const bnd_tensor *t, size_t word,
                                           bnd_error *why);

/* bnd_tensor_save_all, with a checksum of the whole file among its metadata. */
BND_CHECKED bnd_status bndi_tensor_save_summed(const char *path, const bnd_named_tensor *tensors, size_t count,
                                               const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why);

/* The dtype of a tensor in .safetensors: for example "F32", or "U8" for codes that share scales. */
const char *bndi_tensor_dtype(const bnd_tensor *t);

#endif
