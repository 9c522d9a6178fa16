/* Layer 6: the formats of the parts of a training run, as data. A role says what a tensor is for. A policy says how the
 * numbers of each role are rounded, scaled and stored. A recipe is a policy with a name. */
#ifndef BINADE_POLICY_H
#define BINADE_POLICY_H

#include <binade/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a tensor is for. Memory is counted by role, and a policy says what is done to the numbers of a role. A layer has
 * three GEMMs, y = x w, dx = dy w', dw = x' dy; each of their operands is a role. */
typedef enum bnd_role {
    BND_ROLE_PARAM,
    BND_ROLE_MASTER,
    BND_ROLE_ACT,  /* activations, as they flow and as they are saved for the backward pass */
    BND_ROLE_DACT, /* gradients of activations */
    BND_ROLE_GRAD, /* gradients of parameters */
    BND_ROLE_M,
    BND_ROLE_V,
    BND_ROLE_EXTRA, /* what a recipe keeps in addition: Kahan's compensation, scales */
    BND_ROLE_FWD_X, /* the operands of GEMMs: transient copies */
    BND_ROLE_FWD_W,
    BND_ROLE_DGRAD_DY,
    BND_ROLE_DGRAD_W,
    BND_ROLE_WGRAD_X,
    BND_ROLE_WGRAD_DY,
    BND_ROLE_MATMUL, /* either operand of a matrix product without weights (attention); not given: as above */
    BND_ROLE_NORM_W, /* the weights of layer_norm and rms_norm in both passes; the gradient goes to the stored one */
    BND_ROLE_HIGH,   /* either operand of the GEMMs of layers that high_last names; not given: they are not cast */
    BND_ROLE_ATTN_Q, /* the operands of the GEMMs of attention, s = q k' and o = p v, and of their backward passes; */
    BND_ROLE_ATTN_K, /* each tensor is one role in all its products. Not given: as matmul */
    BND_ROLE_ATTN_P,
    BND_ROLE_ATTN_V,
    BND_ROLE_ATTN_DO,
    BND_ROLE_ATTN_DS,
    BND_ROLE_NS,    /* either operand of the Newton-Schulz products of an optimizer (Muon) */
    BND_ROLE_FWD_Y, /* the results of GEMMs; where they are not given, those of act, dact and grad */
    BND_ROLE_DGRAD_DX,
    BND_ROLE_WGRAD_DW, /* rounded to it, then stored as grad */
    BND_ROLE_ATTN_S,   /* the results of the GEMMs of attention. Not given: as gemm_fwd.y, */
    BND_ROLE_ATTN_O,
    BND_ROLE_ATTN_DQ, /* and as gemm_dgrad.dx */
    BND_ROLE_ATTN_DK,
    BND_ROLE_ATTN_DP,
    BND_ROLE_ATTN_DV,
    BND_ROLE_SAVED,      /* activations that are saved for the backward pass; not given: as they flow */
    BND_ROLE_CAREFUL,    /* softmax, norms and losses: in and out */
    BND_ROLE_SCALAR,     /* beta, the learning rate, epsilon */
    BND_ROLE_DATA,       /* what comes from outside; a cast of it applies to numbers, not to tokens and classes */
    BND_ROLE_ACCUMULATE, /* sums of gradients over micro-batches, where there are several; not given: fp32 */
    BND_ROLE_REDUCE,     /* gradients of ranks, while they are added and as optimizers read them; not given: fp32 */
    BND_ROLE_SCRATCH,    /* what an operation needs while it works */
    BND_ROLE_COUNT
} bnd_role;

/* Returns: the name of a role, "param", "gemm_fwd.x", ...; "" for a number that is not one. */
const char *bnd_role_name(bnd_role role);

/* Whether memory of this role belongs to the recipe. Copies of operands, data and scratch belong to the emulation.
 * Returns: true for param, master, grad, accumulate, m, v, extra, act and dact. */
bool bnd_role_is_of_recipe(bnd_role role);

/* Returns: the role that a role follows where a policy does not give it: gemm_fwd.y follows act, gemm_dgrad.dx follows
 * dact, attn.s and attn.o follow gemm_fwd.y, attn.q follows matmul ...; the role itself if it follows none. */
bnd_role bnd_role_followed(bnd_role role);

/* Reads the name of a role or of a group of roles: gemm_fwd, gemm_dgrad, gemm_wgrad and gemm for their operands,
 * gemm_out for all three results, attn and attn_out for the operands and results of attention, pure for param, grad, m,
 * v, act, careful, dact, data, ns and gemm.
 * Arguments: `roles` receives one bit per role; `name` has `length` bytes.
 * On failure: BND_BAD_NAME. */
BND_CHECKED bnd_status bnd_role_parse_n(uint64_t *roles, const char *name, size_t length, bnd_error *why);

/* What is done to numbers of a role. All zero: nothing is given. Then parameters and what is kept of them (grad, m,
 * v, extra, accumulate, reduce) are fp32. Results (act, dact, careful) have the format of their operands, or fp32 if
 * these differ; an operand that is a parameter counts as fp32 there, however it is stored. Operands of GEMMs are not
 * cast. */
enum { BND_SCALING_SIZE = 32 };
typedef struct bnd_cast {
    bool given;       /* there is a format */
    bool transient;   /* of param: made from the master for a step or a validation, and freed afterwards */
    bool hadamard;    /* of operands: first a random Hadamard transform along the summed axis */
    bool requantized; /* of gemm_dgrad.w and gemm_wgrad.x: what is cast is the operand as the forward GEMM cast it */
    uint16_t hadamard_size; /* 0: 16, and always the same signs. Otherwise the largest power of two up to this one that
                             * divides the axis; signs are drawn for each layer and step */
    bnd_format format;
    bnd_rule rule;
    char scaling[BND_SCALING_SIZE]; /* "", or how scales are shared: see bnd_policy_parse */
} bnd_cast;

/* How weights are updated: the new weight is the sum, rounded by the rule of the role param; or the rounding error is
 * also kept and subtracted from the next update (Kahan; that of the weight decay only where `fused`), or goes into the
 * first moment (ECO, arXiv:2601.22101). */
typedef enum bnd_update { BND_UPDATE_ROUNDED, BND_UPDATE_KAHAN, BND_UPDATE_ECO, BND_UPDATE_COUNT } bnd_update;

/* Steps after which the optimizer's m and v are zeros again, and their bias correction begins anew; 0: never. */
typedef struct bnd_reset {
    uint32_t m, v;
} bnd_reset;

/* A loss scale: the loss is multiplied by it, gradients are divided by it. Dynamic: `growth` good steps double it; a
 * gradient that is NaN or infinite halves it and skips the step. */
typedef struct bnd_loss_scale {
    bool given, dynamic;
    double initial;
    uint32_t growth;
} bnd_loss_scale;

/* In which order gradients of ranks are added: rank 0 to the last; in pairs, neighbours first; or as a ring does it:
 * each parameter in as many chunks as there are ranks, chunk c from rank c + 1 round to rank c. */
typedef enum bnd_reduction { BND_REDUCTION_SEQUENTIAL, BND_REDUCTION_TREE, BND_REDUCTION_RING } bnd_reduction;
enum { BND_REDUCTION_COUNT = 3 };

/* Returns: the name of an order, "sequential", "tree", "ring"; "" for a number that is not one. */
const char *bnd_reduction_name(bnd_reduction order);

enum { BND_POLICY_NAME_SIZE = 64, BND_POLICY_LAYERS_SIZE = 512 };
typedef struct bnd_policy {
    char name[BND_POLICY_NAME_SIZE]; /* of the recipe; "custom" if something was changed */
    bnd_cast cast[BND_ROLE_COUNT];
    char accumulator[BND_POLICY_NAME_SIZE]; /* as bnd_accumulator_parse takes it; "" is fp32 */
    bnd_update update;
    bnd_reduction reduction; /* of the role reduce */
    bnd_reset reset;
    bool fused;        /* optimizers work in fp32 and round what they store; otherwise after every operation */
    uint8_t high_last; /* per cent of the layers with weights, from the last: operands of their products stay as they
                        * are */
    bnd_loss_scale loss_scale;
    char layers
        [BND_POLICY_LAYERS_SIZE]; /* exceptions: settings of some layers, "blocks.0.*:gemm=fp32,last:2:acc=fp32" */
    char written[BND_POLICY_LAYERS_SIZE]; /* of a recipe of JSON: its settings, "base=fp32,ns=bf16"; "": not known */
} bnd_policy;

/* Reads a policy: a recipe by name (fp32, fp16-amp, bf16-sr, ...), or settings separated by commas, the first of which
 * may be a recipe that the others change: "base=bf16-amp,v=e5m2,dact=e4m3:sr".
 *
 *     ROLE=FORMAT[:MODE][:clamp][/SCALING][/hadamard[:N]]   a role, or a name of several; FORMAT may be mxfp8,
 *                                   mxfp8-e5m2, mxfp6, mxfp6-e2m3 (e4m3/mx, ...), mxfp4 (e2m1/mx:floor), nvfp4
 *                                   (e2m1/nvfp4), and for operands mxint8 and nvint4 (p7emin0emax0/mx,
 *                                   p3emin2emax2/nvfp4). clamp: numbers too large become the largest
 *     param=transient:FORMAT...     see bnd_cast; so is gemm_wgrad.x=requantized:FORMAT...
 *     reduce=FORMAT[:MODE][/ORDER]  ORDER is sequential, tree or ring; the sum is rounded after each addition
 *     ROLE=none                     the role is not given: see bnd_cast
 *     acc=ACCUMULATOR               fp32, bf16, fma:fp16, trunc14/promote128, ...
 *     update=rounded|kahan|eco      see bnd_update
 *     reset=none|STEPS|m:STEPS|v:STEPS|m:STEPS/v:STEPS   see bnd_reset
 *     optimizer=foreach|fused       an operation of an optimizer at a time, each result rounded to the format of the
 *                                   tensor that it goes into; or in fp32, rounded when it is stored
 *     high_last=N                   N per cent of the layers, from the last, whose GEMMs are not cast: 15; or they are
 *                                   cast by the role `high`
 *     loss_scale=none|NUMBER|dynamic[:NUMBER[:STEPS]]   NUMBER is from 2^-64 to 2^64
 *     LAYERS:SETTING                an exception: the setting (of a role, acc, update, reset, optimizer, or base) holds
 *                                   for these layers only, above all settings of the whole. LAYERS is a pattern of
 *                                   names, as in blocks.0.*; first:N or last:N blocks; or first:N% or last:N% of the
 *                                   layers with weights, as high_last counts them. Not together with update=eco
 *     LAYERS:RECIPE                 the same as LAYERS:base=RECIPE
 *
 * SCALING is one of
 *
 *     tensor, row, row:N, tile:RxC, mx, nvfp4, nvfp4:RxC [:RULE]   as bnd_block_scaled has them; mx:floor. Blocks of
 *                                   operands run along the axis that is summed, those of stored tensors along the last
 *     mx:unclamped, nvfp4:unclamped   scales with which rounding clamps no element: stochastic rounding has no bias.
 *                                   mx: OCP's floor, x first times max / 2^(emax + 1) (3/4 of E2M1, 2502.20586), the
 *                                   result divided by it. nvfp4: max times 16/17 (2601.22813, 3.1). Of operands
 *     nvfp4:eden                    MS-EDEN (2601.22813, algorithm 1): elements by the role's rule, then each block's
 *                                   scale times <x, x> / <x, elements>, rounded stochastically. Of operands
 *     current[:MARGIN]              Transformer Engine's: the largest finite number / amax / 2^MARGIN times x; amax is
 *                                   the tensor's. Of operands
 *     delayed[:STEPS[:MARGIN]]      the same, amax being that of the last STEPS (1024). Of operands
 *     dynamic:N, udynamic:N         codes of a byte, not evenly spaced (bnd_dynamic), N of which share a scale;
 *                                   udynamic has no sign. Stored tensors of fewer than 4096 stay in FORMAT
 *     linear:N, ulinear:N           the same, evenly spaced
 *
 * Arguments: `text` ends with a 0 byte.
 * On failure: BND_BAD_NAME for an unknown recipe, role or format, BND_BAD_SYNTAX or BND_BAD_ARGUMENT for a setting;
 * why->where is an offset into the text. */
BND_CHECKED bnd_status bnd_policy_parse(bnd_policy *out, const char *text, bnd_error *why);

/* Returns: whether two policies are the same, apart from their names and from how they were written. */
bool bnd_policy_same(const bnd_policy *a, const bnd_policy *b);

enum { BND_POLICY_TEXT_SIZE = 8192 };

/* Writes a policy as settings that bnd_policy_parse reads as the same policy, or as the name of its recipe.
 * Arguments: BND_POLICY_TEXT_SIZE bytes are always enough.
 * On failure: BND_BAD_ARGUMENT if `size` bytes are too few, or if the policy has a rule or a format that settings
 * cannot express; `out` is unchanged. */
BND_CHECKED bnd_status bnd_policy_text(char *out, size_t size, const bnd_policy *policy, bnd_error *why);

/* ---- exceptions: settings of some layers ---- */

/* A layer of a model: its name, "blocks.0.up", and how many weights of GEMMs it has. The number in a name is that of
 * the block that the layer belongs to. */
typedef struct bnd_layer {
    const char *name;
    unsigned weights;
} bnd_layer;

/* The policy of a layer: with the settings of the exceptions that select it, in their order, and without exceptions.
 * Arguments: `layers` are the `count` layers of the model; `layer` is the number of one.
 * On failure: as bnd_policy_parse; `out` is unchanged. */
BND_CHECKED bnd_status bnd_policy_of_layer(bnd_policy *out, const bnd_policy *policy, const bnd_layer *layers,
                                           size_t count, size_t layer, bnd_error *why);

/* Checks that each exception selects a layer.
 * On failure: BND_BAD_NAME, with the names of the nearest layers. */
BND_CHECKED bnd_status bnd_policy_check_layers(const bnd_policy *policy, const bnd_layer *layers, size_t count,
                                               bnd_error *why);

/* The policy of a layer that exception `i` alone selects.
 * Returns: false if `i` is too large; `out` is unchanged then. */
bool bnd_policy_exception(bnd_policy *out, const bnd_policy *policy, size_t i);

/* Returns: the number of the first layer of the last `percent` per cent of the weights, as high_last counts them;
 * `count` if these are none. */
size_t bnd_layers_last(const bnd_layer *layers, size_t count, unsigned percent);

/* ---- parts of a policy, which can be tried one at a time ---- */

/* Returns: the number of parts: param, master, act, dact, grad, m, v, gemm_fwd, gemm_dgrad, gemm_wgrad, norm,
 * matmul, ns, accumulate, reduce, acc, scalar, update, loss_scale, scaling. Results of GEMMs belong to act, dact and
 * grad; the rounding of param and resets belong to update, data to act, and the role `high` and the operands of
 * attention to matmul. */
size_t bnd_part_count(void);

/* Returns: the name of a part; "" if the part does not exist. */
const char *bnd_part_name(size_t part);

/* Returns: the roles of a part, one bit each: all roles for scaling, none for acc and for a part that does not
 * exist. */
uint64_t bnd_part_roles(size_t part);

/* Lifts a part to fp32; the rest of the policy stays.
 *
 * Scaling is lifted to exact scales: the same numbers share a scale, which is the fp32 number nearest to amax / max. mx
 * becomes row:32, nvfp4 row:16, mx:RxC and nvfp4:RxC become tile:RxC, delayed, and current with a margin, become
 * current; other rules become nearest. dynamic:N stays, since its scales are exact.
 * Returns: `out`; NULL if that changes nothing, and `out` has the same settings as `policy` then. */
bnd_policy *bnd_policy_lift(bnd_policy *out, const bnd_policy *policy, size_t part);

/* Lowers a part alone: fp32 with this part as the policy has it. Weights keep their master. Scaling cannot be lowered.
 * Returns: `out`; NULL if that is fp32, and `out` is fp32 then. */
bnd_policy *bnd_policy_lower(bnd_policy *out, const bnd_policy *policy, size_t part);

/* ---- recipes: a table ---- */

/* Returns: the number of recipes; they are rows 0 .. count-1. */
size_t bnd_recipe_count(void);

/* Returns: the name of a recipe; "" if the row does not exist. */
const char *bnd_recipe_name(size_t row);

/* Returns: what a recipe is, in one line; "" if the row does not exist. */
const char *bnd_recipe_title(size_t row);

/* Returns: the settings that a recipe stands for; "" if the row does not exist. */
const char *bnd_recipe_settings(size_t row);

#ifdef __cplusplus
}
#endif
#endif
