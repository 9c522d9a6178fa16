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
    BND_ROLE_MATMUL, /* either operand of a product without weights (attention), all three ways; not given: as above */
    BND_ROLE_NORM_W, /* the gain of layer_norm and rms_norm, both ways; its gradient goes to the one that is kept */
    BND_ROLE_HIGH,   /* either operand of the GEMMs of layers that high_last names; not given: they are not cast */
    BND_ROLE_FWD_Y,  /* the results of GEMMs; where they are not given, those of act, dact and grad */
    BND_ROLE_DGRAD_DX,
    BND_ROLE_WGRAD_DW, /* rounded to it, then stored as grad */
    BND_ROLE_SAVED,    /* activations that are kept for the way back; not given: as they flow */
    BND_ROLE_CAREFUL,  /* softmax, norms and losses: in and out */
    BND_ROLE_SCALAR,   /* beta, the learning rate, epsilon */
    BND_ROLE_DATA,     /* what comes from outside; a cast of it applies to numbers, not to tokens and classes */
    BND_ROLE_SCRATCH,  /* what an operation needs while it works */
    BND_ROLES
} bnd_role;

const char *bnd_role_name(bnd_role role); /* "param", "gemm_fwd.x", ...; "" where there is none */

/* Whether memory of this role belongs to the recipe: param, master, grad, m, v, extra, act and dact. Copies of
 * operands, data and scratch do not: other machines have them elsewhere, or nowhere. */
bool bnd_role_is_of_recipe(bnd_role role);

/* A name, or one that stands for several: gemm_fwd, gemm_dgrad, gemm_wgrad and gemm for their operands, gemm_out for
 * all three results, pure for everything that is stored or flows, and data. A bit per role. */
BND_CHECKED bnd_status bnd_role_parse(uint32_t *roles, const char *name, size_t length, bnd_error *why);

/* What is done to numbers that take a role. All zero: nothing is given. Then parameters and what is kept of them (grad,
 * m, v, extra) are fp32. Results (act, dact, careful) have the format of their operands, or fp32 where these differ;
 * an operand that is a parameter counts as fp32 there, however it is stored. So the format of one role never becomes
 * that of another, but for activations and their gradients, which flow. Operands of GEMMs are not cast. */
enum { BND_SCALING_SIZE = 32 };
typedef struct bnd_cast {
    bool given;     /* there is a format */
    bool transient; /* of param, beside a master: made of it for a step or a validation, and gone afterwards */
    bool hadamard;  /* of operands: a random Hadamard transform of 16 comes first, along the axis that is summed */
    bnd_format format;
    bnd_rule rule;
    char scaling[BND_SCALING_SIZE]; /* "", or how scales are shared: see below */
} bnd_cast;

/* How weights are updated: the new weight is the rounded sum (by the rule of the role param), or the rounding error is
 * kept and taken off the next update. */
typedef enum bnd_update { BND_UPDATE_ROUNDED, BND_UPDATE_KAHAN, BND_UPDATE_COUNT } bnd_update;

/* A loss scale: the loss is multiplied by it, gradients are divided. Dynamic: `growth` good steps double it, a gradient
 * that is no number halves it and skips the step. */
typedef struct bnd_loss_scale {
    bool given, dynamic;
    double initial;
    uint32_t growth;
} bnd_loss_scale;

enum { BND_POLICY_NAME_SIZE = 64 };
typedef struct bnd_policy {
    char name[BND_POLICY_NAME_SIZE]; /* of the row; "custom" where something was changed */
    bnd_cast cast[BND_ROLES];
    char accumulator[BND_POLICY_NAME_SIZE]; /* as bnd_accumulator_parse takes it; "" is fp32 */
    bnd_update update;
    bool fused;        /* optimizers work in fp32 and round what they store; otherwise after every operation */
    uint8_t high_last; /* per cent of the layers with weights, from the last: operands of their products stay as they
                        * are */
    bnd_loss_scale loss_scale;
} bnd_policy;

/* A recipe by name (fp32, fp16-amp, bf16-sr, ...), or settings separated by commas, the first of which may be a
 * recipe that they change: "base=bf16-amp,v=e5m2,dact=e4m3:sr".
 *
 *     ROLE=FORMAT[:MODE][/SCALING][/hadamard]   a role, or a name of several; FORMAT may be mxfp8, mxfp8-e5m2, mxfp6,
 *                                   mxfp6-e2m3 (e4m3/mx, ...), mxfp4 (e2m1/mx:floor) or nvfp4 (e2m1/nvfp4)
 *     param=transient:FORMAT...     see bnd_cast
 *     ROLE=none                     the role is not given: see bnd_cast. pure=FORMAT gives all of them
 *     acc=ACCUMULATOR               fp32, bf16, fma:fp16, trunc14/promote128, ...
 *     update=rounded|kahan          how weights take their updates
 *     optimizer=foreach|fused       an operation of an optimizer at a time, each result rounded to the format of the
 *                                   tensor that it goes into; or in fp32, rounded when it is stored
 *     high_last=N                   N per cent of the layers, from the last, whose GEMMs are not cast: 15; or they are
 *                                   cast by the role `high`
 *     loss_scale=none|NUMBER|dynamic[:NUMBER[:STEPS]]
 *
 * SCALING is one of
 *
 *     tensor, row, row:N, tile:RxC, mx, nvfp4, nvfp4:RxC [:RULE]   as bnd_block_scaled has them; mx:floor. Blocks of
 *                                   operands run along the axis that is summed, those of stored tensors along the last
 *     current[:MARGIN]              Transformer Engine's: the largest finite number / amax / 2^MARGIN times x; amax is
 *                                   the tensor's. Of operands
 *     delayed[:STEPS[:MARGIN]]      the same, amax being that of the last STEPS (1024). Of operands
 *     dynamic:N, udynamic:N         codes of a byte, not evenly spaced (bnd_dynamic), N of which share a scale;
 *                                   udynamic has no sign. Stored tensors of fewer than 4096 stay in FORMAT
 *
 * `where` in the error is an offset into the text. */
BND_CHECKED bnd_status bnd_policy_parse(bnd_policy *out, const char *text, bnd_error *why);

/* But for their names. */
bool bnd_policy_same(const bnd_policy *a, const bnd_policy *b);

/* The same in words: settings that bnd_policy_parse makes the same policy of; the name of a recipe where it is one.
 * Refused, with `out` as it was, where `size` bytes are too few (BND_POLICY_TEXT_SIZE never are), and where a rule or a
 * format was given that settings do not say. */
enum { BND_POLICY_TEXT_SIZE = 4096 };
BND_CHECKED bnd_status bnd_policy_text(char *out, size_t size, const bnd_policy *policy, bnd_error *why);

/* ---- parts: what is tried one at a time, to find out which one it is ----
 *
 * param, master, act, dact, grad, m, v, gemm_fwd, gemm_dgrad, gemm_wgrad, norm, matmul, acc, scalar, update,
 * loss_scale, scaling: parts 0 .. count-1; any other index is a part
 * without a name and roles, which changes nothing. Results of GEMMs belong to act, dact and grad;
 * how param is rounded, to update; data to act, and the role `high` to matmul. */
size_t bnd_part_count(void);
const char *bnd_part_name(size_t part);
uint32_t bnd_part_roles(size_t part); /* that are its own: a bit a role; of scaling all, of acc none */

/* Lifted: this part as fp32 has it, the rest as it is. Lowered: fp32 with this part alone as the policy has it; weights
 * keep their master. False: that changes nothing (of lowering: that is fp32), and `out` is the policy (fp32).
 *
 * Scaling is lifted to exact scales, not to none: the same numbers share a scale, which is the fp32 number nearest to
 * amax / max. So nothing is clamped, and no power of two is wasted. mx becomes row:32, nvfp4 row:16, mx:RxC and
 * nvfp4:RxC become tile:RxC, delayed and current with a margin become current; other rules become nearest. dynamic:N
 * stays, as its scales are exact already. Scaling alone cannot be lowered. */
bool bnd_policy_lift(bnd_policy *out, const bnd_policy *policy, size_t part);
bool bnd_policy_lower(bnd_policy *out, const bnd_policy *policy, size_t part);

/* The recipes: rows 0 .. count-1. All three texts are "" if there is no such row. */
size_t bnd_recipe_count(void);
const char *bnd_recipe_name(size_t row);
const char *bnd_recipe_title(size_t row);
const char *bnd_recipe_settings(size_t row); /* the text above that it stands for */

#ifdef __cplusplus
}
#endif
#endif
