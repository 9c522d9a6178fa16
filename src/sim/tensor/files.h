/* Tensors in files. */
#ifndef BINADE_SRC_TENSOR_FILES_H
#define BINADE_SRC_TENSOR_FILES_H

#include <binade-lab/tensor.h>

#include "store/output_file.h"

/* All elements of a tensor in row-major order, in words of so many bytes: fp32 and fp64 as numbers, which they are
 * also where integers are stored; everything else as codes. */
BND_CHECKED bnd_status bndi_write_elements(const bnd_lab_output *file, const bnd_tensor *t, size_t word,
                                           bnd_error *why);

/* The dtype under which a tensor stands in .safetensors: "F32"; "U8" where its numbers share scales. */
const char *bndi_tensor_dtype(const bnd_tensor *t);

#endif
