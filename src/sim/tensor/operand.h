/* Operands of GEMMs: a tensor's numbers cast to the policy's format for a role, and how they lie in memory. */
#ifndef BINADE_SRC_OPERAND_H
#define BINADE_SRC_OPERAND_H

#include "matmul/matmul.h"
#include "tensor/handle.h"
#include "tensor/product_roles.h"

/* Numbers of the work type, or codes of `format` in whole words, with strides in elements. */
typedef struct bndi_matmul_operand {
    const unsigned char *data;
    bnd_format format;
    unsigned bytes; /* of an element */
    bndi_shape shape;
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bndi_buffer *copy; /* of the role, where there had to be one */
} bndi_matmul_operand;

/* `axis`: that a GEMM runs along, which blocks of a scaled cast run along too. The role scratch: no cast. Closing
 * what was never opened (zeros) is nothing. */
BND_CHECKED bnd_status bndi_operand_open(bndi_matmul_operand *out, const bnd_tensor *t, bnd_role role, size_t axis,
                                         bndi_width work, bnd_error *why);
void bndi_operand_close(bndi_matmul_operand *o);

/* Does a layer at this place stay out of the casts of products with weights? */
bool bndi_is_high(const bnd_engine *engine, unsigned place);

/* Which product a call is, at a place. */
struct bndi_call;
bndi_matrix_product bndi_product_of(const struct bndi_call *c, unsigned place);

/* Bytes of what the product's backward pass reads of operand 0 or 1: its copy as the policy casts it there, codes and
 * scales, or the tensor itself (`wide` bytes) where that is not more. */
size_t bndi_bytes_for_backward(const bnd_policy *policy, bndi_matrix_product product, unsigned operand,
                               const bndi_shape *shape, size_t wide);

/* out = a b, without tape: two matrices, turned if so said, each cast to the role; out is another one, of fp32. */
BND_CHECKED bnd_status bndi_multiply_for(bnd_tensor *out, bnd_role role, const bnd_tensor *a, bool a_turned,
                                         const bnd_tensor *b, bool b_turned, bnd_error *why);

/* The first of a stack of an operand's matrices. */
typedef struct bndi_matrix {
    const unsigned char *data;
    const bnd_format *format;
    ptrdiff_t row, column; /* strides in elements */
} bndi_matrix;

/* c = a b for every product of the stack: m x n numbers of the work type, row-major; in the policy's accumulator. In
 * doubles: in the order of k, each product and each sum rounded. */
BND_CHECKED bnd_status bndi_multiply_stack(bnd_engine *engine, void *c, size_t m, size_t n, const bndi_matrix *a,
                                           const bndi_matrix *b, size_t k, const bndi_stack *stack, bndi_width work,
                                           bnd_error *why);

#endif
