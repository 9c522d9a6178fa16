/* Layer 7: tensors. Numbers are stored in any format, in the bytes that the format needs; views; operations whose
 * formats a policy of roles decides; gradients by a tape; bytes and FLOPs counted as they happen.
 *
 * Every call that returns bnd_status writes its outputs only if it returns BND_OK, and explains a failure in `why`
 * (which may be NULL). BND_NO_MEMORY is possible for each of them that makes a tensor, and is not repeated below. */
#ifndef BINADE_TENSOR_H
#define BINADE_TENSOR_H

#include <binade/bulk.h>
#include <binade-lab/policy.h>
#include <binade-lab/store.h>
#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the engine ---- */

/* An engine owns what tensors share: the back end and the threads, the policy, the tape, and the counters. The operands
 * of an operation belong to one engine. An engine is used by one thread at a time; several engines can work at once. */
typedef struct bnd_engine bnd_engine;
typedef struct bnd_tensor bnd_tensor;

/* Makes an engine without a policy, with its tape on.
 * Arguments: `context` as for calls on arrays; NULL: the best back end, one thread.
 * On failure: BND_BAD_ARGUMENT for a context that calls on arrays refuse, and on a big-endian machine;
 * BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_engine_new(bnd_engine **out, const bnd_context *context, bnd_error *why);

/* Frees an engine and all of its tensors. NULL does nothing. */
void bnd_engine_free(bnd_engine *engine);

/* Sets the policy that operations follow from now on, and forgets what was carried between steps under another one.
 * Arguments: `policy` is copied; NULL: every result has the format of its operands.
 * On failure: BND_BAD_NAME or BND_BAD_ARGUMENT if the policy holds an unknown name, or gives a role what that role
 * cannot have; the engine keeps its policy. */
BND_CHECKED bnd_status bnd_engine_set_policy(bnd_engine *engine, const bnd_policy *policy, bnd_error *why);

/* The policy of an engine.
 * Returns: a pointer that is valid until the policy changes; NULL if there is none. */
const bnd_policy *bnd_engine_policy(const bnd_engine *engine);

/* Sets where random bits begin: they depend on the seed, the step, and the number of stochastic casts before them in
 * this step, and on nothing else. */
void bnd_engine_set_seed(bnd_engine *engine, uint64_t seed, uint64_t step);

/* Ends a step: delayed scales are renewed from what the step has seen. Nothing else changes. */
void bnd_engine_end_step(bnd_engine *engine);

/* The size of the state that an engine carries from step to step in addition to tensors: delayed scales and the maxima
 * that they follow from.
 * Returns: the number of doubles that bnd_engine_state_get writes. */
size_t bnd_engine_state_count(const bnd_engine *engine);

/* Writes that state: bnd_engine_state_count numbers. */
void bnd_engine_state_get(double *x, const bnd_engine *engine);

/* Restores that state under the same policy: the engine continues with the same bits.
 * On failure: BND_BAD_ARGUMENT if the numbers are not a state of this policy; the engine is unchanged. */
BND_CHECKED bnd_status bnd_engine_state_set(bnd_engine *engine, const double *x, size_t n, bnd_error *why);

/* ---- tensors ----
 *
 * A tensor is a handle: storage that other handles may share, a format, a shape, strides and an offset. Each handle
 * that a call gives needs one bnd_tensor_release; a view keeps the storage alive. */

enum { BND_TENSOR_RANK_MAX = 8 };

/* Makes a tensor of zeros; of the format's least numbers, if it has no zero.
 * Arguments: `f` is any format with codes, and is what is stored, whatever the policy; `shape` has `rank` extents (at
 * most 8; rank 0 is one number); `role` says what its memory counts as.
 * On failure: BND_BAD_ARGUMENT for a value set, an unknown role, a larger rank, or more elements than memory has. */
BND_CHECKED bnd_status bnd_tensor_new(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const size_t *shape,
                                      size_t rank, bnd_role role, bnd_error *why);

/* Makes a tensor of zeros, stored as the policy stores numbers of this role: its format, and its shared scales if the
 * role has them; fp32 if the policy does not name the role.
 * On failure: as bnd_tensor_new; and BND_BAD_ARGUMENT if the role's scales belong to operands of matrix products. */
BND_CHECKED bnd_status bnd_tensor_new_for(bnd_tensor **out, bnd_engine *engine, const size_t *shape, size_t rank,
                                          bnd_role role, bnd_error *why);

/* Makes a tensor of these numbers, each rounded once, to nearest even.
 * Arguments: as bnd_tensor_new; `x` is row-major and has as many numbers as the shape.
 * On failure: as bnd_tensor_new. */
BND_CHECKED bnd_status bnd_tensor_from_f32(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const float *x,
                                           const size_t *shape, size_t rank, bnd_role role, bnd_error *why);

/* bnd_tensor_from_f32 of doubles. */
BND_CHECKED bnd_status bnd_tensor_from_f64(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const double *x,
                                           const size_t *shape, size_t rank, bnd_role role, bnd_error *why);

/* Keeps a handle: it needs one more bnd_tensor_release.
 * Returns: t. */
bnd_tensor *bnd_tensor_keep(bnd_tensor *t);

/* Gives a handle back; the last one frees it, and the last handle of the storage frees that. NULL does nothing. */
void bnd_tensor_release(bnd_tensor *t);

/* A point in time: see bnd_engine_release_since. */
typedef uint64_t bnd_mark;

/* Returns: a mark for bnd_engine_release_since. */
bnd_mark bnd_engine_mark(bnd_engine *engine);

/* Releases every handle that a call has given since the mark was taken and that was not released yet. A whole pass
 * needs no other release then, and none where it fails.
 * Arguments: `kept` has `count` tensors that stay. */
void bnd_engine_release_since(bnd_engine *engine, bnd_mark mark, bnd_tensor *const *kept, size_t count);

/* Returns: the engine of a tensor. */
bnd_engine *bnd_tensor_engine(const bnd_tensor *t);

/* Returns: the format of its numbers; of a tensor with shared scales, fp32. */
const bnd_format *bnd_tensor_format(const bnd_tensor *t);

/* Returns: the number of its axes. */
size_t bnd_tensor_rank(const bnd_tensor *t);

/* Returns: its extents, one per axis. */
const size_t *bnd_tensor_shape(const bnd_tensor *t);

/* Returns: the distances of neighbours along each axis, in elements. */
const ptrdiff_t *bnd_tensor_strides(const bnd_tensor *t);

/* Returns: where its first element lies in the storage, in elements. */
size_t bnd_tensor_offset(const bnd_tensor *t);

/* Returns: the number of its elements. */
size_t bnd_tensor_count(const bnd_tensor *t);

/* Returns: the bytes of its elements, side by side without gaps. */
size_t bnd_tensor_bytes(const bnd_tensor *t);

/* Returns: whether its elements lie in row-major order without gaps. */
bool bnd_tensor_is_contiguous(const bnd_tensor *t);

/* Returns: whether two tensors have the same storage. */
bool bnd_tensor_shares(const bnd_tensor *a, const bnd_tensor *b);

/* ---- numbers in and out ---- */

/* Reads all numbers in row-major order, each rounded to fp32 once, to nearest even.
 * Arguments: `n` is bnd_tensor_count(t).
 * On failure: BND_BAD_ARGUMENT for another n, or if t is NULL, as a gradient that is not there. */
BND_CHECKED bnd_status bnd_tensor_read_f32(float *x, size_t n, const bnd_tensor *t, bnd_error *why);

/* bnd_tensor_read_f32 into doubles. */
BND_CHECKED bnd_status bnd_tensor_read_f64(double *x, size_t n, const bnd_tensor *t, bnd_error *why);

/* Writes all numbers in row-major order, each rounded once by `rule`.
 * Arguments: `n` is bnd_tensor_count(t). A stochastic rule takes the random bits of the engine.
 * On failure: BND_BAD_ARGUMENT for another n, an unknown mode, or a tensor that lies in a file. */
BND_CHECKED bnd_status bnd_tensor_write_f32(bnd_tensor *t, const float *x, size_t n, bnd_rule rule, bnd_error *why);

/* bnd_tensor_write_f32 of doubles. */
BND_CHECKED bnd_status bnd_tensor_write_f64(bnd_tensor *t, const double *x, size_t n, bnd_rule rule, bnd_error *why);

/* Reads one number.
 * Arguments: `index` has one entry per axis, `rank` of them.
 * On failure: BND_BAD_ARGUMENT for another rank or an index beyond an extent. */
BND_CHECKED bnd_status bnd_tensor_get(double *x, const bnd_tensor *t, const size_t *index, size_t rank, bnd_error *why);

/* Writes one number, rounded once, to nearest even.
 * On failure: as bnd_tensor_get; and BND_BAD_ARGUMENT if the tensor has shared scales or lies in a file. */
BND_CHECKED bnd_status bnd_tensor_set(bnd_tensor *t, const size_t *index, size_t rank, double x, bnd_error *why);

/* Writes one number, rounded once, to nearest even, to all elements.
 * On failure: BND_BAD_ARGUMENT if the tensor lies in a file. */
BND_CHECKED bnd_status bnd_tensor_fill(bnd_tensor *t, double x, bnd_error *why);

/* The codes of a tensor, as BND_PACKING_PACKED has them.
 * Returns: NULL if the tensor is not contiguous, begins inside a byte, or lies in a file. */
void *bnd_tensor_codes(bnd_tensor *t);

/* The shared scales of a tensor that bnd_tensor_new_for made, as bnd_quantize_f32 or bnd_dynamic_quantize_f32 writes
 * them; the scale of the whole tensor, if the blocks have one, comes last, in fp32. The numbers of such a tensor are
 * fp32 and are written as a whole; bnd_tensor_codes gives the codes of its elements.
 * Arguments: `bytes` receives their size.
 * Returns: NULL if there are none. */
void *bnd_tensor_scales(bnd_tensor *t, size_t *bytes);

/* Fills a tensor with random numbers, uniform in [low, high), which are rounded to the tensor's format: to `high` where
 * they are near it. They depend on the seed and the purpose only.
 * On failure: BND_BAD_ARGUMENT if the ends are not finite and in order, or if their distance overflows fp64. */
BND_CHECKED bnd_status bnd_tensor_uniform(bnd_tensor *t, double low, double high, uint64_t seed, uint64_t purpose,
                                          bnd_error *why);

/* Fills a tensor with normal random numbers. They depend on the seed and the purpose only.
 * On failure: BND_BAD_ARGUMENT if mean or deviation is not finite, or the deviation is negative. */
BND_CHECKED bnd_status bnd_tensor_normal(bnd_tensor *t, double mean, double deviation, uint64_t seed, uint64_t purpose,
                                         bnd_error *why);

/* ---- views: handles of the same storage; no element is copied ----
 *
 * A negative axis counts from the end: -1 is the last. An axis that does not exist is refused (BND_BAD_ARGUMENT). */

/* Takes every `step`-th element along an axis: `count` elements from `first` on.
 * Arguments: a negative step goes backward.
 * On failure: BND_BAD_ARGUMENT for a step of 0, and for elements beyond the axis. */
BND_CHECKED bnd_status bnd_tensor_slice(bnd_tensor **out, bnd_tensor *t, int axis, size_t first, size_t count,
                                        ptrdiff_t step, bnd_error *why);

/* Takes one index of an axis, which goes away.
 * On failure: BND_BAD_ARGUMENT for an index beyond the extent. */
BND_CHECKED bnd_status bnd_tensor_select(bnd_tensor **out, bnd_tensor *t, int axis, size_t index, bnd_error *why);

/* Exchanges two axes. */
BND_CHECKED bnd_status bnd_tensor_transpose(bnd_tensor **out, bnd_tensor *t, int axis, int other, bnd_error *why);

/* Reorders all axes: axis i of the result is axis axes[i] of t.
 * On failure: BND_BAD_ARGUMENT if `rank` is not that of t, or an axis is named twice. */
BND_CHECKED bnd_status bnd_tensor_permute(bnd_tensor **out, bnd_tensor *t, const int *axes, size_t rank,
                                          bnd_error *why);

/* Repeats a tensor to a larger shape, as numpy broadcasts it.
 * On failure: BND_BAD_ARGUMENT if the shapes do not go together. */
BND_CHECKED bnd_status bnd_tensor_broadcast(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                            bnd_error *why);

/* Drops an axis of extent 1.
 * On failure: BND_BAD_ARGUMENT for another extent. */
BND_CHECKED bnd_status bnd_tensor_squeeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why);

/* Inserts an axis of extent 1, which is axis `axis` of the result.
 * On failure: BND_BAD_ARGUMENT if the tensor has 8 axes already. */
BND_CHECKED bnd_status bnd_tensor_unsqueeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why);

/* An extent that follows from the others, which then must not be 0 themselves. */
#define BND_TENSOR_INFER SIZE_MAX

/* Gives the same elements, in the same order, another shape.
 * Arguments: one extent may be BND_TENSOR_INFER.
 * On failure: BND_BAD_ARGUMENT if the shape has another number of elements, or if the strides do not allow it
 * (bnd_tensor_reshape copies then). */
BND_CHECKED bnd_status bnd_tensor_view(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                       bnd_error *why);

/* Gives the same codes another format of the same width.
 * On failure: BND_BAD_ARGUMENT for another width, for integers from a file, and for shared scales. */
BND_CHECKED bnd_status bnd_tensor_view_as(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_error *why);

/* bnd_tensor_view if the strides allow it, otherwise a copy in this shape. */
BND_CHECKED bnd_status bnd_tensor_reshape(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                          bnd_error *why);

/* Another handle of t if t is contiguous, otherwise a contiguous copy. */
BND_CHECKED bnd_status bnd_tensor_contiguous(bnd_tensor **out, bnd_tensor *t, bnd_error *why);

/* ---- operations ----
 *
 * An operation reads numbers of any format. Its result is computed in fp32 (in fp64 if an operand does not fit fp32)
 * and rounded once; that is rounded to the format that the policy has for its role. Without one, the result has the
 * format of its operands, or fp32 if these differ (fp64 if one of them is fp64). Shapes broadcast as numpy's do.
 * Sums have one order, whatever the strides, the back end and the threads: over the last axes in sixteen lanes in
 * double, element i in lane i mod 16, the lanes added in pairs; over earlier axes from the first index up. */
typedef enum bnd_tensor_operation {
    BND_TENSOR_OP_NONE,
    /* a + b, a - b, a * b, a / b; x^a, x * a, x + a with the attribute number[0] for a */
    BND_TENSOR_OP_ADD,
    BND_TENSOR_OP_SUB,
    BND_TENSOR_OP_MUL,
    BND_TENSOR_OP_DIV,
    BND_TENSOR_OP_POW,
    BND_TENSOR_OP_SCALE,
    BND_TENSOR_OP_SHIFT,
    BND_TENSOR_OP_MAXIMUM, /* of two; the gradient goes to the larger, half to each where they are equal */
    BND_TENSOR_OP_MINIMUM,
    BND_TENSOR_OP_NEG,
    BND_TENSOR_OP_ABS,
    BND_TENSOR_OP_EXP,
    BND_TENSOR_OP_LOG,
    BND_TENSOR_OP_SQRT,
    BND_TENSOR_OP_RSQRT,
    BND_TENSOR_OP_TANH,
    BND_TENSOR_OP_ERF,
    BND_TENSOR_OP_SIGMOID,
    BND_TENSOR_OP_RELU,
    BND_TENSOR_OP_GELU,      /* x Phi(x) */
    BND_TENSOR_OP_GELU_TANH, /* its approximation by tanh */
    BND_TENSOR_OP_SILU,
    BND_TENSOR_OP_TRIU, /* of the last two axes: zeros below the diagonal number[0] */
    BND_TENSOR_OP_TRIL,
    BND_TENSOR_OP_MASKED,  /* tril with -infinity (the lowest number, where the format of the result has none) for zero:
                          * what causal attention does before softmax */
    BND_TENSOR_OP_DROPOUT, /* number[0]: the share that becomes zero; seed, purpose */
    BND_TENSOR_OP_COPY,    /* contiguous, in the policy's format */
    BND_TENSOR_OP_CAST,    /* to the format of the attribute, by its rule */
    /* over the attribute's axes (none: all); keep: extents become 1 */
    BND_TENSOR_OP_SUM,
    BND_TENSOR_OP_MEAN,
    BND_TENSOR_OP_MAX, /* of no elements: -infinity */
    BND_TENSOR_OP_MIN, /* of no elements: infinity */
    BND_TENSOR_OP_LOGSUMEXP,
    BND_TENSOR_OP_SOFTMAX, /* along one axis (none: the last) */
    BND_TENSOR_OP_LOG_SOFTMAX,
    BND_TENSOR_OP_LAYER_NORM,    /* x, gain, bias; number[0] is epsilon; over the last axis. The bias may be missing, or
                                  * gain and bias: then the gain is 1 */
    BND_TENSOR_OP_RMS_NORM,      /* x, gain (may be missing); number[0] and the axis as above */
    BND_TENSOR_OP_EMBEDDING,     /* table, and indices as numbers */
    BND_TENSOR_OP_CROSS_ENTROPY, /* logits (rows, classes), targets as numbers: the mean */
    BND_TENSOR_OP_MATMUL,        /* (..., m, k) (..., k, n): the leading axes broadcast */
    /* x (..., k), w (n, k) or, with `flag`, (k, n), bias (n) (may be missing); number[0] multiplies its three products
     * before the bias is added; 0: nothing */
    BND_TENSOR_OP_LINEAR,
    /* (..., positions, e): number[0] is theta; element i turns with element i + e/2. If number[1] is not 0, it divides
     * frequencies with a wavelength above number[2]; those below number[3] stay, and those between are mixed */
    BND_TENSOR_OP_ROPE,
    /* views, as operations of the tape */
    BND_TENSOR_OP_VIEW,
    BND_TENSOR_OP_CHECKPOINT,
    BND_TENSOR_OP_COUNT
} bnd_tensor_operation;

/* What an operation needs in addition to its operands. It reads only the members that its line above names. */
typedef struct bnd_attributes {
    double number[4];
    int axis[BND_TENSOR_RANK_MAX];
    unsigned axes; /* how many of these are given */
    bool keep, flag;
    uint64_t seed, purpose;
    const bnd_format *format; /* of BND_TENSOR_OP_CAST */
    bnd_rule rule;
    bnd_role role; /* of BND_TENSOR_OP_MATMUL: BND_ROLE_ATTN_S or BND_ROLE_ATTN_O, if it is that product of attention */
} bnd_attributes;

/* Applies an operation.
 * Arguments: `in` has `count` operands, as many as the operation takes; a NULL leaves out an operand that may be
 * missing. `attributes` may be NULL: all zero.
 * On failure: BND_BAD_ARGUMENT for an unknown operation, another number of operands, operands of two engines, shapes
 * that do not go together, and attributes outside their range. */
BND_CHECKED bnd_status bnd_tensor_apply(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in,
                                        size_t count, const bnd_attributes *attributes, bnd_error *why);

/* Returns: the name of an operation, "layer_norm"; "" for a number that is not one. */
const char *bnd_tensor_operation_name(bnd_tensor_operation operation);

/* bnd_tensor_apply with one operand and no attributes. */
BND_CHECKED bnd_status bnd_tensor_map(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *x, bnd_error *why);

/* bnd_tensor_apply with two operands and no attributes. */
BND_CHECKED bnd_status bnd_tensor_pair(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b,
                                       bnd_error *why);

/* BND_TENSOR_OP_MATMUL: (..., m, k) (..., k, n); the leading axes broadcast. */
BND_CHECKED bnd_status bnd_tensor_matmul(bnd_tensor **out, bnd_tensor *a, bnd_tensor *b, bnd_error *why);

/* BND_TENSOR_OP_CAST: every number rounded once to `f` by `rule`. */
BND_CHECKED bnd_status bnd_tensor_cast(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_rule rule,
                                       bnd_error *why);

/* ---- named axes ---- */

/* Sums products over the axes that the result does not name.
 * Arguments: `pattern` names the axes of each operand and of the result, "batch i k, batch k j -> batch i j"; `...` are
 * any axes in front.
 * On failure: BND_BAD_SYNTAX for the pattern (the message has the column); BND_BAD_ARGUMENT for extents that differ or
 * are 0, and for more than 8 axes. */
BND_CHECKED bnd_status bnd_tensor_einsum(bnd_tensor **out, const char *pattern, bnd_tensor *const *in, size_t count,
                                         bnd_error *why);

/* Reorders, splits and merges axes: "batch seq (heads width) -> batch heads seq width".
 * Arguments: parentheses are an axis that is split or merged; `sizes` gives extents, "heads=2 width=16", or is NULL.
 * On failure: as bnd_tensor_einsum; BND_BAD_NAME for a size of an axis that the pattern does not name. */
BND_CHECKED bnd_status bnd_tensor_rearrange(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                                            bnd_error *why);

/* bnd_tensor_rearrange that reduces over the axes that the result does not name.
 * Arguments: `how` is BND_TENSOR_OP_SUM, MEAN, MAX or MIN. */
BND_CHECKED bnd_status bnd_tensor_reduce(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                                         bnd_tensor_operation how, bnd_error *why);

/* ---- gradients ----
 *
 * Operations on a tensor that wants a gradient are recorded on the tape of the engine, views included, unless the
 * tape is off. The backward pass goes from a tensor of one element and adds to the gradients of the leaves. */

/* Says whether gradients of a leaf (a tensor that no recorded operation made) are wanted. */
void bnd_tensor_want_gradient(bnd_tensor *leaf, bool wants);

/* Returns: whether a tensor wants a gradient, or was computed from one that does. */
bool bnd_tensor_wants_gradient(const bnd_tensor *t);

/* Asks the next backward pass to keep the gradient of a tensor that an operation made. */
void bnd_tensor_keep_gradient(bnd_tensor *intermediate);

/* The gradient of a tensor.
 * Returns: the tensor's own handle, which needs no release; NULL if there is none. Views, operations,
 *     bnd_tensor_backward and the calls that read, write or save numbers refuse NULL. */
bnd_tensor *bnd_tensor_gradient(const bnd_tensor *t);

/* Releases the gradient of a tensor. */
void bnd_tensor_drop_gradient(bnd_tensor *t);

/* Runs the backward pass: adds the gradients of scale times `loss` to those of the leaves, in the format of the
 * policy's role grad (or else in the leaf's own), and empties the tape.
 * On failure: BND_BAD_ARGUMENT if the loss has more than one element, if nothing that it was computed from wants a
 * gradient, if a part of it was passed backward already, or if a tensor that the pass needs was written to since. */
BND_CHECKED bnd_status bnd_tensor_backward(bnd_tensor *loss, double scale, bnd_error *why);

/* Runs the backward pass of the one recorded operation that made `y`, for programs with a tape of their own. The
 * gradient of a leaf with the role param has the role grad, and is also added to the gradient of that leaf. Gradients
 * of other operands have the role dact.
 * Arguments: `gradients` has `count` entries, one per operand: room for the numbers of its gradient, NULL where they
 * are not asked for. `d` is the gradient of y, as many numbers as y has; `additions` says of how many additions it is
 * the result, and it is rounded as the backward pass rounds sums; 0: as it is. `keeps`: the operation can be asked
 * again.
 * On failure: BND_BAD_ARGUMENT for a leaf, a view, a segment, another count, and an operation that was asked before. */
BND_CHECKED bnd_status bnd_tensor_pull(float *const *gradients, size_t count, bnd_tensor *y, const float *d,
                                       unsigned additions, bool keeps, bnd_error *why);

/* Sets the gradient of a leaf: each number rounded once, to nearest, to what the policy stores for the role grad.
 * Arguments: `n` is bnd_tensor_count(leaf).
 * On failure: BND_BAD_ARGUMENT for another n, and for a tensor that is not a leaf that wants a gradient. */
BND_CHECKED bnd_status bnd_tensor_set_gradient(bnd_tensor *leaf, const float *x, size_t n, bnd_error *why);

/* Turns recording on or off. */
void bnd_engine_set_tape(bnd_engine *engine, bool on);

/* Returns: whether the tape is on. */
bool bnd_engine_tape(const bnd_engine *engine);

/* Empties the tape. */
void bnd_engine_forget(bnd_engine *engine);

/* A function that computes *out from `in`. It depends on nothing else that changes, and can report a failure with
 * bnd_fail. */
typedef bnd_status bnd_segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why);

/* Computes a segment without saving what it makes; the backward pass computes it again, with the same bits.
 * Arguments: `data` is passed to the segment, and lives until the backward pass.
 * On failure: what the segment returns; BND_BAD_ARGUMENT for too many operands. */
BND_CHECKED bnd_status bnd_tensor_checkpoint(bnd_tensor **out, bnd_segment *segment, void *data, bnd_tensor *const *in,
                                             size_t count, bnd_error *why);

/* ---- accounting, as it happens ---- */

typedef enum bnd_phase {
    BND_PHASE_FORWARD,
    BND_PHASE_BACKWARD,
    BND_PHASE_RECOMPUTE,
    BND_PHASE_UPDATE, /* the products of an optimizer */
    BND_PHASE_COUNT
} bnd_phase;

typedef struct bnd_account {
    uint64_t bytes[BND_ROLE_COUNT], peak_by_role[BND_ROLE_COUNT]; /* of storage */
    uint64_t bytes_now, bytes_peak, by_role_at_peak[BND_ROLE_COUNT];
    /* The same of the roles that belong to the recipe (bnd_role_is_of_recipe), with a peak of their own: without copies
     * of operands, data and scratch, which are the emulation's. */
    uint64_t recipe_now, recipe_peak, by_role_at_recipe_peak[BND_ROLE_COUNT];
    /* Activations saved for the backward pass, as the recipe keeps them: the most that a backward pass began with. Each
     * tensor that an operation of the tape needs counts once. Of an operand of a matrix product, its copy in the
     * operand's format and the copy's scales count where these are narrower. `saved_row_statistics`: what norms save in
     * addition, the mean and the deviation of each row, in fp32 under any recipe. */
    uint64_t saved, saved_row_statistics;
    uint64_t allocations; /* of storage, ever */
    /* Of a product 2 m n k, also of a symmetric one, half of which is copied. */
    uint64_t flops[BND_PHASE_COUNT][BND_TENSOR_OP_COUNT];
    uint64_t bytes_read, bytes_written; /* by operations, of tensors */
} bnd_account;

/* Copies the counters of an engine. */
void bnd_engine_account(bnd_account *out, const bnd_engine *engine);

/* Starts the peaks again from what is allocated now. */
void bnd_engine_reset_peak(bnd_engine *engine);

/* Sets the counts of FLOPs, and of bytes read and written, to 0. */
void bnd_engine_reset_flops(bnd_engine *engine);

/* Returns: the FLOPs of all phases and operations. */
uint64_t bnd_account_flops(const bnd_account *account);

enum { BND_PLACES_MAX = 4096 };
#define BND_PLACE_ALL UINT_MAX

/* Counts statistics of casts from now on, by role and by place. A place is a number below `places` to which the caller
 * gives a meaning, such as a layer. An operation and its backward pass count at the place where the engine was when the
 * operation was applied.
 * Arguments: `places` 0: no more statistics; another number than before: they start again.
 * On failure: BND_BAD_ARGUMENT for more than BND_PLACES_MAX; BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_engine_take_statistics(bnd_engine *engine, unsigned places, bnd_error *why);

/* Sets the place of the operations that follow; 0 at first. */
void bnd_engine_set_place(bnd_engine *engine, unsigned place);

/* The statistics of a role at a place, or at all of them (BND_PLACE_ALL).
 * Returns: `out`; NULL, with `out` unchanged, if none are counted there. */
bnd_stats *bnd_engine_statistics(bnd_stats *out, const bnd_engine *engine, bnd_role role, unsigned place);

/* Sets all statistics to 0. */
void bnd_engine_reset_statistics(bnd_engine *engine);

/* ---- files ---- */

/* Loads a .npy file.
 *
 * With BND_ROLE_DATA the file is mapped: it is read as it is used, takes no memory of its own, cannot be written to,
 * and must not change meanwhile. Elements that lie in memory otherwise than in the file (big-endian, fp4 and fp6, not
 * aligned) are copied, as are all elements for other roles. Integers are data: such a tensor has the format that they
 * are read in, fp32 for up to 2 bytes and fp64 (to nearest even) beyond, and the bytes of the file.
 * Arguments: `asked` is the format of codes whose descr does not say it, or NULL. The shape has at most 8 axes; the
 * strides say which order the file has.
 * On failure: BND_BAD_STREAM if the file cannot be read; BND_BAD_FILE if it is not such a file; BND_BAD_ARGUMENT if
 * the format is not known. The message does not repeat the path. */
BND_CHECKED bnd_status bnd_tensor_load(bnd_tensor **out, bnd_engine *engine, const char *path, const bnd_format *asked,
                                       bnd_role role, bnd_error *why);

/* Saves a tensor as .npy, row-major, in its format (integers as numbers). The file appears under its name when it is
 * complete and on the disk.
 * On failure: BND_BAD_STREAM if the file cannot be written; what was there stays. */
BND_CHECKED bnd_status bnd_tensor_save(const bnd_tensor *t, const char *path, bnd_error *why);

typedef struct bnd_named_tensor {
    const char *name;
    const bnd_tensor *tensor;
} bnd_named_tensor;

/* Saves many tensors and texts as .safetensors: a checkpoint.
 *
 * Each is row-major, in its format (integers as numbers). Codes without a dtype of their own, or that end inside a
 * byte, are unsigned words; the metadata binade.format.NAME say what they are. Numbers with shared scales are two
 * arrays of bytes, NAME and NAME.scales, as in memory; binade.scaling.NAME says how they share them. The file appears
 * under its name when it is complete and on the disk.
 * Arguments: `tensors` has `count` entries, `metadata` has `pairs` texts.
 * On failure: BND_BAD_ARGUMENT for names that the file format refuses; BND_BAD_STREAM if the file cannot be written. */
BND_CHECKED bnd_status bnd_tensor_save_all(const char *path, const bnd_named_tensor *tensors, size_t count,
                                           const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why);

/* Loads an array of a .safetensors file into a tensor of the same shape: its codes bit for bit if both formats are the
 * same, otherwise each number rounded once by `rule`.
 * On failure: BND_BAD_NAME if the file has no such array; BND_BAD_ARGUMENT for another shape, for BOOL and C64, and
 * for numbers that share scales otherwise than the tensor's; BND_BAD_FILE for words that are not codes of the format
 * that the metadata name. */
BND_CHECKED bnd_status bnd_tensor_load_into(bnd_tensor *t, const bnd_safetensors *file, const char *name, bnd_rule rule,
                                            bnd_error *why);

/* ---- how the blocks of a transformer are made, as data: for <binade-lab/train.h> and <binade-lab/cost.h> ---- */

enum { BND_TRANSFORMER_WORD_SIZE = 16 };

/* What the blocks of a model have. A member that is "", 0 or false is as the model's own: transformer and gpt2 have
 * layernorm, learned positions, biases and a norm epsilon of 1e-5; the MLP of transformer is gelu, that of gpt2
 * gelu_tanh. llama has rmsnorm, rope, swiglu, no biases, and a norm epsilon of 1e-6. */
typedef struct bnd_transformer {
    char norm[BND_TRANSFORMER_WORD_SIZE];     /* layernorm, rmsnorm */
    char position[BND_TRANSFORMER_WORD_SIZE]; /* learned, rope, none */
    char mlp[BND_TRANSFORMER_WORD_SIZE]; /* gelu[_tanh], relu, silu; with a third matrix: swiglu, geglu[_tanh], reglu */
    size_t kv_heads;                     /* heads of keys and values, which divide the heads; 0: as many */
    size_t head_width;                   /* 0: width / heads */
    size_t mlp_width;                    /* 0: 4 width; with a third matrix 8/3 width, up to a multiple of 32 */
    size_t positions;                    /* tokens that a sequence can have; 0: the context */
    double norm_epsilon;
    double rope_theta; /* 0: 10000 */
    double z_loss;     /* times the mean of log(sum(e^logits))^2, added to the loss of a step (arXiv:2204.02311) */
    double deviation;  /* of initial matrices; 0: 0.02 */
    bool no_bias;      /* neither of products nor of norms */
    bool qk_norm;      /* a norm of each query and key before their product, without bias (arXiv:2302.05442) */
    /* munit Scaling (arXiv:2502.05967): initial matrices of deviation 1, products over the root of their inputs, the
     * head over its inputs, norms at the end of branches, and x becomes sqrt(1 - tau) x + sqrt(tau) branch */
    bool unit;
    double tau;        /* 0: 0.3 */
    bool sqrt_softmax; /* attention's weights are the square roots of softmax */
    /* Frequencies of rope: linear divides all by rope_factor. llama3 (Llama 3.1) divides those with a wavelength above
     * rope_original / rope_low, keeps those below rope_original / rope_high, and goes from one to the other between
     * them, linearly in the frequency. */
    char rope_scaling[BND_TRANSFORMER_WORD_SIZE]; /* linear, llama3; "": they stay */
    double rope_factor, rope_low, rope_high;
    size_t rope_original; /* positions that the model was first trained with */
} bnd_transformer;

#ifdef __cplusplus
}
#endif
#endif
