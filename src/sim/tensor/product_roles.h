/* The roles of a matrix product's tensors, in its forward and its two backward products. */
#ifndef BINADE_SRC_PRODUCT_ROLES_H
#define BINADE_SRC_PRODUCT_ROLES_H

#include <binade-lab/policy.h>

/* A product by its operation: matmul, which may be one of the two of attention; or linear, in a layer that may be kept
 * high. */
typedef enum bndi_matrix_product {
    BNDI_MATMUL,
    BNDI_SCORES, /* s = q k' */
    BNDI_MIXED,  /* o = p v */
    BNDI_LINEAR,
    BNDI_LINEAR_HIGH
} bndi_matrix_product;

/* The product without weights whose result has this role. */
bndi_matrix_product bndi_product_by_result(bnd_role result);

/* The role that an operand takes under a policy. `position`: of the six operands of y = a b, da = dy b', db = a' dy, as
 * a layer has them: gemm_fwd.x to gemm_wgrad.dy. */
bnd_role bndi_operand_role(const bnd_policy *policy, bndi_matrix_product product, bnd_role position);

/* The role that y takes, or da (operand 0) and db (operand 1) where they flow. */
bnd_role bndi_result_role(const bnd_policy *policy, bndi_matrix_product product);
bnd_role bndi_gradient_role(const bnd_policy *policy, bndi_matrix_product product, unsigned operand);

#endif
