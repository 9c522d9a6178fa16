/* Layer 7: tensors. Numbers stored in any format, really in as many bytes; views of them; operations whose formats a
 * policy of roles decides; gradients by a tape; bytes and FLOPs counted as they happen. */
#ifndef BINADE_TENSOR_H
#define BINADE_TENSOR_H

#include <binade/bulk.h>
#include <binade-lab/policy.h>
#include <binade-lab/store.h>
#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the engine ----
 *
 * An engine owns what a run shares: the back end and the threads, the policy, the tape, and the counters. Tensors of
 * different engines do not meet. An engine is used by one thread at a time; many engines may work side by side. */

typedef struct bnd_engine bnd_engine;
typedef struct bnd_tensor bnd_tensor;

BND_CHECKED bnd_status bnd_engine_new(bnd_engine **out, const bnd_context *context, bnd_error *why);

/* Releases every tensor of it, too. */
void bnd_engine_free(bnd_engine *engine);

/* The rules that operations follow from now on; copied. NULL: everything stays in the format that it has. What was
 * carried from step to step under others is forgotten. Refused where a name in it is none, and where a role cannot have
 * what it is given. */
BND_CHECKED bnd_status bnd_engine_set_policy(bnd_engine *engine, const bnd_policy *policy, bnd_error *why);
const bnd_policy *bnd_engine_policy(const bnd_engine *engine);

/* Every random bit of the engine depends on this seed, and on how many stochastic casts came before in this step. */
void bnd_engine_set_seed(bnd_engine *engine, uint64_t seed, uint64_t step);

/* What scales follow from has been seen: a step is over. Delayed scales are renewed; nothing else is done. */
void bnd_engine_end_step(bnd_engine *engine);

/* What an engine carries from step to step beside tensors: delayed scales and what they follow from. Kept between
 * steps, and set again under the same policy, a run goes on as it would have. Refused, with nothing changed, where
 * the numbers are no such state of this policy. */
size_t bnd_engine_state_count(const bnd_engine *engine);
void bnd_engine_state_get(double *x, const bnd_engine *engine);
BND_CHECKED bnd_status bnd_engine_state_set(bnd_engine *engine, const double *x, size_t n, bnd_error *why);

/* ---- tensors ----
 *
 * A handle: storage that others may share, a format, a shape, strides and an offset. Whoever gets one through an `out`
 * releases it; a view keeps its storage alive. Functions that fail leave *out as it was. */

enum { BND_RANK_MAX = 8 };

BND_CHECKED bnd_status bnd_tensor_new(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const size_t *shape,
                                      size_t rank, bnd_role role, bnd_error *why); /* zeros */

/* Zeros, stored as the engine's policy stores numbers of this role: its format, and its scales where the role has some.
 * fp32 where the policy does not name the role. (bnd_tensor_new and bnd_tensor_from_* store what `f` says, whatever the
 * policy.) */
BND_CHECKED bnd_status bnd_tensor_new_for(bnd_tensor **out, bnd_engine *engine, const size_t *shape, size_t rank,
                                          bnd_role role, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_from_f32(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const float *x,
                                           const size_t *shape, size_t rank, bnd_role role, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_from_f64(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const double *x,
                                           const size_t *shape, size_t rank, bnd_role role, bnd_error *why);
bnd_tensor *bnd_tensor_keep(bnd_tensor *t); /* one release more is owed; returns t */
void bnd_tensor_release(bnd_tensor *t);     /* NULL is nothing */

/* Everything that came through an `out` since the mark was taken, and is still owed a release, is released, but for the
 * `kept` tensors. For whole passes: nothing needs a release of its own then, errors included. */
typedef uint64_t bnd_mark;
bnd_mark bnd_engine_mark(bnd_engine *engine);
void bnd_engine_release_since(bnd_engine *engine, bnd_mark mark, bnd_tensor *const *kept, size_t count);

bnd_engine *bnd_tensor_engine(const bnd_tensor *t);
const bnd_format *bnd_tensor_format(const bnd_tensor *t);
size_t bnd_tensor_rank(const bnd_tensor *t);
const size_t *bnd_tensor_shape(const bnd_tensor *t);              /* rank entries */
const ptrdiff_t *bnd_tensor_strides(const bnd_tensor *t);         /* in elements */
size_t bnd_tensor_offset(const bnd_tensor *t);                    /* in elements */
size_t bnd_tensor_count(const bnd_tensor *t);                     /* elements */
size_t bnd_tensor_bytes(const bnd_tensor *t);                     /* that so many elements take, side by side */
bool bnd_tensor_is_contiguous(const bnd_tensor *t);               /* row-major, without gaps */
bool bnd_tensor_shares(const bnd_tensor *a, const bnd_tensor *b); /* the same storage */

/* The numbers, in row-major order, each rounded once; `n` is the count. */
BND_CHECKED bnd_status bnd_tensor_read_f32(float *x, size_t n, const bnd_tensor *t, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_read_f64(double *x, size_t n, const bnd_tensor *t, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_write_f32(bnd_tensor *t, const float *x, size_t n, bnd_rule rule, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_write_f64(bnd_tensor *t, const double *x, size_t n, bnd_rule rule, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_get(double *x, const bnd_tensor *t, const size_t *index, size_t rank, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_set(bnd_tensor *t, const size_t *index, size_t rank, double x, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_fill(bnd_tensor *t, double x, bnd_error *why);

/* The codes of a contiguous tensor that begins at a whole byte, as BND_PACKING_PACKED has them; NULL otherwise, and
 * where they lie in a file. */
void *bnd_tensor_codes(bnd_tensor *t);

/* The scales of a tensor whose numbers share some (bnd_tensor_new_for makes one), as
 * bnd_quantize_f32 or bnd_dynamic_quantize_f32 has them; where its blocks have a scale of the tensor, that comes
 * last, in fp32. Such a tensor is of fp32 numbers, is written as a whole, and the codes above are those of its
 * elements. NULL: none. */
void *bnd_tensor_scales(bnd_tensor *t, size_t *bytes);

/* Random numbers that depend on nothing but these: uniform in [low, high), or normal. */
BND_CHECKED bnd_status bnd_tensor_uniform(bnd_tensor *t, double low, double high, uint64_t seed, uint64_t purpose,
                                          bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_normal(bnd_tensor *t, double mean, double deviation, uint64_t seed, uint64_t purpose,
                                         bnd_error *why);

/* ---- views: no element is copied, and no byte of storage taken ----
 *
 * A negative axis counts from the end. */

BND_CHECKED bnd_status bnd_tensor_slice(bnd_tensor **out, bnd_tensor *t, int axis, size_t first, size_t count,
                                        ptrdiff_t step, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_select(bnd_tensor **out, bnd_tensor *t, int axis, size_t index, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_transpose(bnd_tensor **out, bnd_tensor *t, int axis, int other, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_permute(bnd_tensor **out, bnd_tensor *t, const int *axes, size_t rank,
                                          bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_broadcast(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                            bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_squeeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_unsqueeze(bnd_tensor **out, bnd_tensor *t, int axis, bnd_error *why);

/* Another shape over the same elements, in the same order; one extent may be BND_INFER. Refused, with the reason, where
 * the strides do not allow it. */
#define BND_INFER SIZE_MAX
BND_CHECKED bnd_status bnd_tensor_view(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                       bnd_error *why);

/* The codes seen as another format of the same width. */
BND_CHECKED bnd_status bnd_tensor_view_as(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_error *why);

/* A view where one will do, else a copy; contiguous is t itself, once more, where it is so already. */
BND_CHECKED bnd_status bnd_tensor_reshape(bnd_tensor **out, bnd_tensor *t, const size_t *shape, size_t rank,
                                          bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_contiguous(bnd_tensor **out, bnd_tensor *t, bnd_error *why);

/* ---- operations ----
 *
 * An operation reads numbers of any format, has its result in fp32 (in fp64 where an operand does not fit fp32),
 * rounded once, and rounds that to the format that the policy has for its role, or else to the operands' own; fp32
 * where these differ (fp64 where one of them is). Shapes broadcast as numpy's do. Sums have one order, whatever the
 * strides, the back end and the threads: over the last axes by sixteen lanes in double, element i in lane i mod 16,
 * the lanes added in pairs; over earlier axes from the first index up.
 *
 * `in`: as many operands as the operation takes. Attributes that an operation does not know are not looked at. */
typedef enum bnd_tensor_operation {
    BND_TENSOR_NONE,
    /* a + b, a - b, a * b, a / b; x^a, x * a, x + a with the attribute number[0] for a */
    BND_TENSOR_ADD,
    BND_TENSOR_SUB,
    BND_TENSOR_MUL,
    BND_TENSOR_DIV,
    BND_TENSOR_POW,
    BND_TENSOR_SCALE,
    BND_TENSOR_SHIFT,
    BND_TENSOR_MAXIMUM, /* of two; the gradient goes to the larger, half to each where they are equal */
    BND_TENSOR_MINIMUM,
    BND_TENSOR_NEG,
    BND_TENSOR_ABS,
    BND_TENSOR_EXP,
    BND_TENSOR_LOG,
    BND_TENSOR_SQRT,
    BND_TENSOR_RSQRT,
    BND_TENSOR_TANH,
    BND_TENSOR_ERF,
    BND_TENSOR_SIGMOID,
    BND_TENSOR_RELU,
    BND_TENSOR_GELU,      /* x Phi(x) */
    BND_TENSOR_GELU_TANH, /* its approximation by tanh */
    BND_TENSOR_SILU,
    BND_TENSOR_TRIU, /* of the last two axes: zeros below the diagonal number[0] */
    BND_TENSOR_TRIL,
    BND_TENSOR_MASKED,  /* tril with -infinity (the lowest number, where the format of the result has none) for zero:
                          * what causal attention does before softmax */
    BND_TENSOR_DROPOUT, /* number[0]: the share that becomes zero; seed, purpose */
    BND_TENSOR_COPY,    /* contiguous, in the policy's format */
    BND_TENSOR_CAST,    /* to the format of the attribute, by its rule */
    /* over the attribute's axes (none: all); keep: extents become 1 */
    BND_TENSOR_SUM,
    BND_TENSOR_MEAN,
    BND_TENSOR_MAX,
    BND_TENSOR_MIN,
    BND_TENSOR_LOGSUMEXP,
    BND_TENSOR_SOFTMAX, /* along one axis (none: the last) */
    BND_TENSOR_LOG_SOFTMAX,
    BND_TENSOR_LAYER_NORM,    /* x, gain, bias (bias may be missing); number[0] is epsilon; over the last axis */
    BND_TENSOR_RMS_NORM,      /* x, gain */
    BND_TENSOR_EMBEDDING,     /* table, and indices as numbers */
    BND_TENSOR_CROSS_ENTROPY, /* logits (rows, classes), targets as numbers: the mean */
    BND_TENSOR_MATMUL,        /* (..., m, k) (..., k, n): the leading axes broadcast */
    BND_TENSOR_LINEAR,        /* x (..., k), w (n, k) or, with `flag`, (k, n), bias (n) (may be missing) */
    /* views, as operations of the tape */
    BND_TENSOR_VIEW,
    BND_TENSOR_CHECKPOINT,
    BND_TENSOR_OPERATIONS
} bnd_tensor_operation;

typedef struct bnd_attributes {
    double number[4];
    int axis[BND_RANK_MAX];
    unsigned axes; /* how many of these are given */
    bool keep, flag;
    uint64_t seed, purpose;
    const bnd_format *format; /* of BND_TENSOR_CAST */
    bnd_rule rule;
} bnd_attributes;

BND_CHECKED bnd_status bnd_tensor_apply(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in,
                                        size_t count, const bnd_attributes *attributes, bnd_error *why);
const char *bnd_tensor_operation_name(bnd_tensor_operation operation); /* "layer_norm"; "" where there is none */

/* The same for one operand and for two, without attributes. */
BND_CHECKED bnd_status bnd_tensor_map(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *x, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_pair(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b,
                                       bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_matmul(bnd_tensor **out, bnd_tensor *a, bnd_tensor *b, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_cast(bnd_tensor **out, bnd_tensor *t, const bnd_format *f, bnd_rule rule,
                                       bnd_error *why);

/* ---- named axes ----
 *
 * "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2": names, `...` for any axes in front, and in rearrange and
 * reduce (heads hidden1) for an axis that is split or merged; `sizes` is "heads=2 hidden1=16", or NULL. How a reduce
 * reduces is BND_TENSOR_SUM, MEAN, MAX or MIN. */
BND_CHECKED bnd_status bnd_tensor_einsum(bnd_tensor **out, const char *pattern, bnd_tensor *const *in, size_t count,
                                         bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_rearrange(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                                            bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_reduce(bnd_tensor **out, bnd_tensor *t, const char *pattern, const char *sizes,
                                         bnd_tensor_operation how, bnd_error *why);

/* ---- gradients ----
 *
 * What is computed from a tensor that wants a gradient is written on the engine's tape, views included, unless the tape
 * is off. backward goes back from a tensor of one element and adds to the gradients of the leaves, in the format of the
 * policy's role grad (or the leaf's own); then the tape is empty. An intermediate keeps its gradient only if asked. */

void bnd_tensor_want_gradient(bnd_tensor *leaf, bool wants);
bool bnd_tensor_wants_gradient(const bnd_tensor *t);
void bnd_tensor_keep_gradient(bnd_tensor *intermediate);
bnd_tensor *bnd_tensor_gradient(const bnd_tensor *t); /* the tensor's own: keep it if you keep it; NULL where none is */
void bnd_tensor_drop_gradient(bnd_tensor *t);
BND_CHECKED bnd_status bnd_tensor_backward(bnd_tensor *loss, double scale, bnd_error *why); /* d loss = scale */
void bnd_engine_set_tape(bnd_engine *engine, bool on);
bool bnd_engine_tape(const bnd_engine *engine);
void bnd_engine_forget(bnd_engine *engine); /* what is on the tape */

/* `segment` computes *out from `in`; what it makes on the way is not saved, but computed again on the way back: the
 * same bits. It must depend on nothing else that changes. */
typedef bnd_status bnd_segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why);
BND_CHECKED bnd_status bnd_tensor_checkpoint(bnd_tensor **out, bnd_segment *segment, void *data, bnd_tensor *const *in,
                                             size_t count, bnd_error *why);

/* ---- accounting, as it happens ---- */

typedef enum bnd_phase { BND_FORWARD, BND_BACKWARD, BND_RECOMPUTE, BND_PHASES } bnd_phase;

typedef struct bnd_account {
    uint64_t bytes[BND_ROLES], peak_by_role[BND_ROLES]; /* of storage */
    uint64_t bytes_now, bytes_peak, by_role_at_peak[BND_ROLES];
    /* The same of the roles that belong to the recipe (bnd_role_is_of_recipe), with a peak of their own: without copies
     * of operands, data and scratch, which are the emulation's. */
    uint64_t recipe_now, recipe_peak, by_role_at_recipe_peak[BND_ROLES];
    /* Activations saved for the backward pass, as the recipe keeps them: the most that a backward pass began with. Each
     * tensor that an operation of the tape needs counts once; of an operand of a matrix product, its copy in the
     * operand's format and the copy's scales, where these are narrower. `saved_beside`: what operations keep beside
     * tensors, in fp32 under any recipe: the mean and the deviation of each row of a norm. */
    uint64_t saved, saved_beside;
    uint64_t allocations; /* of storage, ever */
    uint64_t flops[BND_PHASES][BND_TENSOR_OPERATIONS];
    uint64_t bytes_read, bytes_written; /* by operations, of tensors */
} bnd_account;
void bnd_engine_account(bnd_account *out, const bnd_engine *engine);
void bnd_engine_reset_peak(bnd_engine *engine);         /* the peak is what is there now */
void bnd_engine_reset_flops(bnd_engine *engine);        /* and the bytes read and written */
uint64_t bnd_account_flops(const bnd_account *account); /* of all phases and operations */

/* Statistics of casts, by role and by place, from the first call on (at no cost before). A place is a number below
 * `places` that the caller gives a meaning (a layer); 0 at first. Operations, and their way back, count where the
 * engine was when they were applied. 0 places: no more statistics; a number of places that changes begins anew. */
enum { BND_PLACES_MAX = 4096 };
#define BND_EVERYWHERE UINT_MAX
BND_CHECKED bnd_status bnd_engine_take_statistics(bnd_engine *engine, unsigned places, bnd_error *why);
void bnd_engine_set_place(bnd_engine *engine, unsigned place);
bool bnd_engine_statistics(bnd_stats *out, const bnd_engine *engine, bnd_role role, unsigned place); /* false: none */
void bnd_engine_reset_statistics(bnd_engine *engine);

/* ---- files ---- */

/* .npy: any shape of up to BND_RANK_MAX axes, in the order that the file has (strides say which). `asked`: the format
 * of codes whose descr does not say it, or NULL. Messages do not repeat the path.
 *
 * With BND_ROLE_DATA the file is mapped: however large, it is read as it is used, and takes no memory of ours; it is
 * not to be changed meanwhile, and nothing can be written to the tensor. What lies in memory otherwise than in the file
 * (big-endian elements, fp4 and fp6, which have a byte each in a file, elements off their alignment) is copied, as is
 * everything for other roles. Integers are data: a tensor of them has the format of the numbers that they are read as,
 * fp32 for those of up to 2 bytes and fp64 (to nearest even) beyond, and the bytes of the file. */
BND_CHECKED bnd_status bnd_tensor_load(bnd_tensor **out, bnd_engine *engine, const char *path, const bnd_format *asked,
                                       bnd_role role, bnd_error *why);

/* Row-major, in the format that it has (integers as numbers); written beside, and renamed when the disk has it. */
BND_CHECKED bnd_status bnd_tensor_save(const bnd_tensor *t, const char *path, bnd_error *why);

/* .safetensors: many tensors under their names in one file, and texts beside them: a checkpoint. Row-major, in the
 * format that each has (integers as numbers); what has no dtype there, or ends within a byte, stands as unsigned words,
 * and a pair binade.format.NAME of the metadata says what they are. Numbers that share scales stand as two arrays of
 * bytes, NAME and NAME.scales, as they lie in memory, and binade.scaling.NAME says how they share them. Written beside,
 * renamed when the disk has it. */
typedef struct bnd_named_tensor {
    const char *name;
    const bnd_tensor *tensor;
} bnd_named_tensor;
BND_CHECKED bnd_status bnd_tensor_save_all(const char *path, const bnd_named_tensor *tensors, size_t count,
                                           const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why);

/* The array of this name (BND_BAD_NAME where there is none) into a tensor of the same shape: its codes bit for bit
 * where both formats are the same, otherwise every number rounded once. Refused where the shapes differ, for BOOL and
 * C64, for words that are no codes of what the metadata say, and for numbers that share scales otherwise than those of
 * the tensor. */
BND_CHECKED bnd_status bnd_tensor_load_into(bnd_tensor *t, const bnd_safetensors *file, const char *name, bnd_rule rule,
                                            bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
