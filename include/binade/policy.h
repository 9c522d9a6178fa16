/* Layer 6: which part of a training run has which format, as data. Roles, what is done to the numbers that take them,
 * and recipes: a row each. */
#ifndef BINADE_POLICY_H
#define BINADE_POLICY_H

#include <binade/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a tensor is for. Memory is counted by it, and a policy says what is done to the numbers that take it. A GEMM has
 * two operands; each is a role, in each of the three GEMMs that a layer comes to: y = x w, dx = dy w', dw = x' dy. */
typedef enum bnd_role {
    BND_ROLE_PARAM,
    BND_ROLE_MASTER,
    BND_ROLE_ACT,  /* activations, as they flow and as they are saved for the way back */
    BND_ROLE_DACT, /* gradients of activations */
    BND_ROLE_GRAD, /* gradients of parameters */
    BND_ROLE_M,
    BND_ROLE_V,
    BND_ROLE_EXTRA, /* what a recipe keeps beside: Kahan's compensation, scales */
    BND_ROLE_FWD_X, /* the operands of GEMMs: transient copies */
    BND_ROLE_FWD_W,
    BND_ROLE_DGRAD_DY,
    BND_ROLE_DGRAD_W,
    BND_ROLE_WGRAD_X,
    BND_ROLE_WGRAD_DY,
    BND_ROLE_CAREFUL, /* softmax, norms and losses: in and out */
    BND_ROLE_SCALAR,  /* beta, the learning rate, epsilon */
    BND_ROLE_DATA,    /* what comes from outside */
    BND_ROLE_SCRATCH, /* what an operation needs while it works */
    BND_ROLES
} bnd_role;

const char *bnd_role_name(bnd_role role); /* "param", "gemm_fwd.x", ...; "" where there is none */

/* A name, or one that stands for several: gemm_fwd, gemm_dgrad, gemm_wgrad, gemm. A bit a role. */
BND_CHECKED bnd_status bnd_role_parse(uint32_t *roles, const char *name, size_t length, bnd_error *why);

/* What becomes of numbers that take a role. All zero: they stay in the format that they have. */
enum { BND_SCALING_SIZE = 32 };
typedef struct bnd_cast {
    bool given;     /* there is a format */
    bool transient; /* rounded to it, and kept as they were stored */
    bnd_format format;
    bnd_rule rule;
    char scaling[BND_SCALING_SIZE]; /* "" none; "delayed", or a name that bnd_block_scaled takes, with its rule:
                                       tensor, row, tile:128x128, mx, mx:floor, nvfp4 */
} bnd_cast;

enum { BND_POLICY_NAME_SIZE = 64 };
typedef struct bnd_policy {
    char name[BND_POLICY_NAME_SIZE];
    bnd_cast cast[BND_ROLES];
    char accumulator[BND_POLICY_NAME_SIZE]; /* as bnd_accumulator_parse takes it; "" is fp32 */
} bnd_policy;

#ifdef __cplusplus
}
#endif
#endif
