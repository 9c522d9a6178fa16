/* What tensor/ shares between its files.
 *
 *     handle (bnd_tensor) ── buffer: counted bytes, shared by views
 *          └─ made_by ── node of the tape ── the nodes its operands came from, and what was saved
 *
 * Every operation is a row (operations.c) and goes one way: apply.c finds the work type and the formats, makes the
 * result, calls the row's `forward`, writes the node and counts. Numbers come out of tensors by readers and go in by
 * writers (reader.c), a chunk at a time, so that no operation knows a format or a stride. */
#ifndef BINADE_SRC_TENSOR_H
#define BINADE_SRC_TENSOR_H

#include <binade/block.h>
#include <binade/matmul.h>
#include <binade-lab/store.h>
#include <binade-lab/tensor.h>

#include "base/base.h"
#include "bulk/bulk.h"
#include "store/store.h"

/* ---- shapes ---- */

typedef struct bndi_shape {
    size_t rank, extent[BND_RANK_MAX];
} bndi_shape;

size_t bndi_count(const bndi_shape *s); /* elements; shapes that exist do not overflow */
bool bndi_same_shape(const bndi_shape *a, const bndi_shape *b);
void bndi_strides_of(ptrdiff_t *stride, const bndi_shape *s); /* row-major */

/* "(16, 32)": for messages, into a buffer of this size. */
enum { BNDI_SHAPE_TEXT = 192 };
const char *bndi_shape_text(char *out, const bndi_shape *s);

BND_CHECKED bnd_status bndi_shape_make(bndi_shape *out, const size_t *extent, size_t rank, bnd_error *why);
BND_CHECKED bnd_status bndi_shape_join(bndi_shape *out, const bndi_shape *a, const bndi_shape *b, const char *who,
                                       bnd_error *why); /* numpy's broadcasting */
BND_CHECKED bnd_status bndi_axis(size_t *out, int axis, size_t rank, const char *who, bnd_error *why);

/* ---- scales ---- */

/* What `scaling` of a cast says (scaling.c). */
typedef enum bndi_scaling_kind {
    BNDI_UNSCALED,
    BNDI_BLOCKS,  /* block/ */
    BNDI_CURRENT, /* Transformer Engine's formula, on the tensor's own amax, */
    BNDI_DELAYED, /* or on that of the last steps */
    BNDI_DYNAMIC  /* block/dynamic_codes.c */
} bndi_scaling_kind;

typedef struct bndi_scaling {
    bndi_scaling_kind kind;
    bnd_block block;
    bnd_dynamic dynamic;
    uint32_t steps; /* of a history */
    int margin;
} bndi_scaling;

/* What an operand's delayed scale follows from. `ordinal` is the number of its cast in a step: casts come in the same
 * order in every step, and those of a segment that is computed again have the numbers that they had before. */
typedef struct bndi_history {
    uint32_t ordinal;
    bnd_role role;
    float scale, amax; /* of the step at hand */
    uint32_t at;       /* where the oldest stands */
    struct bndi_buffer *largest;
} bndi_history;

typedef struct bndi_histories {
    bndi_history *list;
    size_t count, room;
    uint32_t *of_key; /* of an ordinal and a role: the place in the list, and 1; 0: none */
    size_t keys;
    bool kept; /* as they are: nothing is learnt from a validation */
} bndi_histories;

/* ---- the engine ---- */

/* How the bytes of a buffer are numbers of fp32, where these share scales (scaled.c). */
typedef struct bndi_scaled {
    bndi_scaling how;
    bnd_shape shape;
    size_t count;
    struct bndi_buffer *scales; /* and, of some block formats, the tensor's as the last fp32 */
} bndi_scaled;

typedef struct bndi_buffer {
    size_t references;
    bnd_engine *engine;
    bnd_role role;
    size_t bytes;
    uint64_t walk;    /* of the tape, that counted it last */
    uint64_t version; /* grows with every write through a handle: what was saved must still be what it was */
    unsigned char *data;
    bnd_lab_mapped map;  /* of a file that the data lie in, where it has a size */
    uint8_t integer;     /* bytes of an element, where these are integers of a file, read as numbers; 0: codes */
    bool is_signed;      /* of integers */
    bool constant;       /* nobody writes to it through a handle */
    bndi_scaled *scaled; /* NULL: codes (or integers) by themselves; else read as numbers of fp32 */
} bndi_buffer;

typedef struct bndi_node bndi_node;

struct bnd_tensor {
    size_t references, owed; /* all, and those that the caller has to give back */
    bnd_engine *engine;
    uint64_t serial;
    bnd_tensor *previous, *next; /* in the engine's list, by serial */
    bndi_buffer *buffer;
    bnd_format format;
    bndi_shape shape;
    ptrdiff_t stride[BND_RANK_MAX]; /* in elements */
    size_t offset;
    bool wants_gradient;
    bnd_tensor *gradient; /* of a leaf */
    bndi_node *made_by;   /* NULL: a leaf */
};

/* Memory that was given back and waits for the next buffer of its size: a run asks for the same sizes step after step,
 * and the system gives large pieces page by page, each cleared. */
typedef struct bndi_spare {
    unsigned char *data;
    size_t room;
} bndi_spare;
enum { BNDI_SPARES = 512, BNDI_WORKSPACES = 2, BNDI_CONVERSIONS = 16 };

struct bnd_engine {
    bnd_context context;
    bndi_spare spares[BNDI_SPARES];
    unsigned spare_count;
    size_t spare_bytes;
    bndi_spare workspace[BNDI_WORKSPACES];
    bndi_ready conversions[BNDI_CONVERSIONS]; /* those made last */
    unsigned conversion_count, next_conversion;
    bnd_policy policy;
    bnd_accumulator accumulator;     /* the policy's, read */
    bndi_scaling scaling[BND_ROLES]; /* the policy's, read */
    bndi_histories histories;
    unsigned high_from; /* the place from which on products with weights are not cast; 0: nowhere */
    bool has_policy, tape;
    bool limited;  /* the policy holds at one place only; everywhere else numbers stay as they are: */
    unsigned only; /* this one */
    bnd_phase phase;
    uint64_t seed, step, casts; /* the purpose of a stochastic cast is made of the last two */
    uint64_t serial, walks;
    bnd_tensor *first, *last;
    bndi_node *newest; /* of the nodes that live, by age */
    bnd_account account;
    bnd_stats *statistics; /* BND_ROLES for each of the places, or NULL */
    unsigned places, place;
};

/* Memory with its role counted. Zeros where asked. */
BND_CHECKED bnd_status bndi_buffer_new(bndi_buffer **out, bnd_engine *engine, bnd_role role, size_t bytes, bool zeros,
                                       bnd_error *why);
/* What lies in a mapped file from `at` on: takes no memory, and the map goes over to the buffer. */
BND_CHECKED bnd_status bndi_buffer_mapped(bndi_buffer **out, bnd_engine *engine, bnd_role role,
                                          const bnd_lab_mapped *map, size_t at, bnd_error *why);
void bndi_buffer_release(bndi_buffer *buffer);

/* Memory that counts for no role, because only emulation needs it: the engine's, until the same one is asked for
 * again. NULL: there is not so much. */
void *bndi_workspace(bnd_engine *engine, unsigned which, size_t bytes);
void bndi_count_flops(bnd_engine *engine, bnd_tensor_operation operation, uint64_t flops);

/* ---- handles ---- */

/* A row-major tensor with storage of its own; what is in it is not set. */
BND_CHECKED bnd_status bndi_tensor_make(bnd_tensor **out, bnd_engine *engine, const bnd_format *f,
                                        const bndi_shape *shape, bnd_role role, bool zeros, bnd_error *why);

/* A row-major tensor over this storage, the reference to which goes over to it; released where this fails. */
BND_CHECKED bnd_status bndi_tensor_over(bnd_tensor **out, bndi_buffer *buffer, const bnd_format *f,
                                        const bndi_shape *shape, bnd_error *why);

/* A handle on the storage of `base`, on no tape. */
BND_CHECKED bnd_status bndi_view_make(bnd_tensor **out, const bnd_tensor *base, const bndi_shape *shape,
                                      const ptrdiff_t *stride, size_t offset, bnd_error *why);

/* References that are the library's own: not owed. */
bnd_tensor *bndi_hold(bnd_tensor *t);
void bndi_drop(bnd_tensor *t);
void bndi_owe(bnd_tensor *t); /* a new handle's one reference becomes the caller's */

/* Refused where the storage is constant. */
BND_CHECKED bnd_status bndi_check_writable(const bnd_tensor *t, bnd_error *why);

/* Both of one engine? */
BND_CHECKED bnd_status bndi_same_engine(const bnd_tensor *a, const bnd_tensor *b, const char *who, bnd_error *why);

/* Between numbers of the work type and codes of f in whole words, by a rule; NULL where that needs a call of bulk's. To
 * be used before the engine is asked for another. */
const bndi_ready *bndi_conversion(bnd_engine *engine, bndi_width work, const bnd_format *f, bnd_rule rule);

/* ---- numbers in and out (reader.c) ----
 *
 * A work type is bulk's: numbers of fp32 (BNDI_WORDS_32) or of fp64. */

enum { BNDI_TENSOR_CHUNK = 2048 };
typedef union bndi_numbers {
    float f32[BNDI_TENSOR_CHUNK];
    double f64[BNDI_TENSOR_CHUNK];
} bndi_numbers;

static inline size_t bndi_work_size(bndi_width work)
{
    return work == BNDI_WORDS_32 ? sizeof(float) : sizeof(double);
}

/* A tensor as a shape broadcasts it, its axes joined where memory allows. */
typedef struct bndi_walk {
    bnd_format format;
    bndi_storage storage;
    unsigned char *data;
    size_t offset, rank, extent[BND_RANK_MAX];
    ptrdiff_t stride[BND_RANK_MAX];
    bndi_width work;
    bool plain;   /* numbers of the work type, side by side */
    bool integer; /* not codes of the format, but integers, or what shares scales */
    const bndi_scaled *scaled;
    bool is_signed; /* in two's complement or without a sign */
    bnd_engine *engine;
} bndi_walk;

void bndi_walk_open(bndi_walk *w, const bnd_tensor *t, const bndi_shape *as, bndi_width work);

/* Elements at .. at + n - 1 (n <= BNDI_TENSOR_CHUNK) in row-major order: where they are, or brought into the buffer. */
const void *bndi_read(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer);

/* The same elements as they are stored, little-endian words of the smallest size that holds one; and back. */
const void *bndi_read_codes(const bndi_walk *w, size_t at, size_t n, bndi_numbers *buffer);
void bndi_write_codes(const bndi_walk *w, size_t at, size_t n, const void *words);

/* All of them in that order, in words of so many bytes: fp32 and fp64 as numbers, which they are also where integers
 * are stored; everything else as codes. */
BND_CHECKED bnd_status bndi_write_elements(const bnd_lab_output *file, const bnd_tensor *t, size_t word,
                                           bnd_error *why);

/* How results are stored. */
typedef struct bndi_store {
    bnd_rule rule;
    uint64_t seed, purpose;
    bnd_stats *stats;
} bndi_store;

/* Where results may be put: the tensor's own memory where it is plain, else the buffer; and then stored. */
void *bndi_walk_place(const bndi_walk *w, size_t at, bndi_numbers *buffer);
void bndi_write(const bndi_walk *w, size_t at, size_t n, const void *numbers, const bndi_store *how);

/* The same, wherever there is room for n numbers. */
void bndi_read_into(void *numbers, const bndi_walk *w, size_t at, size_t n);

/* The whole of a tensor as numbers of the work type in row-major order: in place where it lies so already, else as a
 * scratch copy. */
typedef struct bndi_whole {
    const void *numbers;
    bndi_buffer *copy;
} bndi_whole;
void bndi_read_all(void *numbers, const bnd_tensor *t, bndi_width work); /* the same, into memory of the caller's */
BND_CHECKED bnd_status bndi_whole_open(bndi_whole *out, const bnd_tensor *t, bndi_width work, bnd_error *why);
void bndi_whole_close(bndi_whole *whole);

/* ---- operations ---- */

enum { BNDI_OPERANDS = 4, BNDI_OUT = BNDI_OPERANDS, BNDI_SAVED }; /* saved: the operands, and the result */

/* Of `saves` in a row: what the way back needs. */
enum { BNDI_SAVE_A = 1, BNDI_SAVE_B = 2, BNDI_SAVE_C = 4, BNDI_SAVE_OUT = 1 << BNDI_OUT };

/* How a view came from its operand. */
typedef struct bndi_view {
    enum { BNDI_PERMUTED, BNDI_RESHAPED, BNDI_SLICED, BNDI_BROADCAST } kind;
    size_t axis, first; /* of a slice */
    ptrdiff_t step;
    size_t from[BND_RANK_MAX]; /* of a permutation: axis i is the operand's axis from[i] */
} bndi_view;

/* An operation on its way forward, and (with what was saved) back. */
typedef struct bndi_call {
    const struct bndi_row *row;
    bnd_tensor_operation operation;
    bnd_engine *engine;
    bnd_role role; /* of the result */
    bnd_attributes attributes;
    bnd_format cast_format; /* where attributes.format points */
    bndi_view view;         /* of BND_TENSOR_VIEW */
    bnd_segment *segment;   /* of a checkpoint, with its data, and the casts that were made before it */
    void *data;
    uint64_t casts;
    unsigned place; /* of the engine, for the statistics of the way back */
    unsigned count;
    bndi_width work;
    bndi_shape in_shape[BNDI_OPERANDS], shape; /* of the operands and the result */
    bnd_format in_format[BNDI_OPERANDS];
    bnd_tensor *saved[BNDI_SAVED]; /* forward: the operands and the result; backward: those of row->saves */
    bndi_buffer *kept;             /* what an operation keeps for its way back beside tensors; counted as activations */
} bndi_call;

typedef struct bndi_edge {
    bndi_node *node;  /* where an operand came from */
    bnd_tensor *leaf; /* or the leaf that it is; both NULL: no gradient is wanted */
} bndi_edge;

/* What the way back gives to operand i: NULL where it wants none. The row fills out[i] for each i that wanted[i] says;
 * references go over to the caller. */
typedef struct bndi_gradients {
    bool wanted[BNDI_OPERANDS];
    bnd_role role[BNDI_OPERANDS]; /* grad where the operand is a leaf, else dact */
    bnd_tensor *out[BNDI_OPERANDS];
    const bndi_edge *edges; /* where they go: for checkpoints, which deliver them there themselves */
} bndi_gradients;

/* A row of operations.c. */
typedef struct bndi_row {
    const char *name;
    unsigned least, most; /* operands */
    bool careful;         /* its result has the role `careful`, not act */
    bool product;         /* its result has the role gemm_fwd.y */
    unsigned indices;     /* a bit an operand: of numbers that count, whose format is nothing to the result */
    unsigned saves;
    /* The shape of the result: refused where operands do not go together. NULL: they broadcast. */
    bnd_status (*shape)(bndi_call *c, bnd_error *why);
    bnd_status (*forward)(bndi_call *c, bnd_error *why);
    /* NULL: no gradient goes through. `d` is that of the result, of its shape, in any format and strides. */
    bnd_status (*backward)(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why);
    uint64_t (*flops)(const bndi_call *c); /* NULL: one a result */
    const void *kernels;                   /* what forward and backward of several rows share */
} bndi_row;

/* The rows, by their files. */
extern const bndi_row bndi_view_row, bndi_checkpoint_row, bndi_copy_row, bndi_cast_row, bndi_sum_row, bndi_mean_row,
    bndi_layer_norm_row, bndi_rms_norm_row, bndi_embedding_row, bndi_cross_entropy_row, bndi_triu_row, bndi_tril_row,
    bndi_masked_row, bndi_dropout_row, bndi_matmul_row, bndi_linear_row;
extern const bndi_row bndi_row_rows[BND_TENSOR_OPERATIONS];         /* by operation, as below */
extern const bndi_row bndi_elementwise_rows[BND_TENSOR_OPERATIONS]; /* by operation; the others have no name */

/* Of what only moves numbers, or counts for itself. */
uint64_t bndi_no_flops(const bndi_call *c);

const bndi_row *bndi_row_of(bnd_tensor_operation operation); /* NULL where there is none */

/* The operation without the tape, its result for a role; *out is held, not owed. */
BND_CHECKED bnd_status bndi_do(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in, unsigned count,
                               const bnd_attributes *attributes, bnd_role role, bnd_error *why);

/* bnd_tensor_apply, with a result of this role; BND_ROLES: of the row's. */
BND_CHECKED bnd_status bndi_apply_as(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in,
                                     size_t count, const bnd_attributes *attributes, bnd_role role, bnd_error *why);

/* `t` in other words, without the tape, held: another shape over the same elements, copied where strides ask for it; a
 * permutation; a part of an axis. */
BND_CHECKED bnd_status bndi_reshaped(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape, bnd_error *why);
BND_CHECKED bnd_status bndi_permuted(bnd_tensor **out, const bnd_tensor *t, const size_t *from, bnd_error *why);
BND_CHECKED bnd_status bndi_sliced(bnd_tensor **out, const bnd_tensor *t, size_t axis, size_t first, size_t count,
                                   ptrdiff_t step, bnd_error *why);
BND_CHECKED bnd_status bndi_broadcast_to(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape,
                                         bnd_error *why);

/* y = x, y = k x, y += x, element by element; x broadcasts to y. */
void bndi_copy_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how);
void bndi_scale_into(bnd_tensor *y, const bnd_tensor *x, double k, const bndi_store *how);
void bndi_add_numbers(bnd_tensor *y, const bnd_tensor *x, const bndi_store *how);

/* ---- numbers that share scales (scaling.c, scaled.c) ---- */

BND_CHECKED bnd_status bndi_scaling_parse(bndi_scaling *out, const bnd_cast *cast, bnd_role role, bnd_error *why);

/* y = what is left of x, n numbers, by Transformer Engine's formula: x times the scale and rounded, times 1 / scale,
 * each in fp32. y may be x. `ordinal`: of the cast. */
BND_CHECKED bnd_status bndi_scale_by_amax(bnd_engine *engine, float *y, const float *x, size_t n, bnd_role role,
                                          uint64_t ordinal, const bndi_store *how, bnd_error *why);
void bndi_histories_clear(bnd_engine *engine);
void bndi_histories_begin(bnd_engine *engine); /* a step: what one that failed has seen is forgotten */

/* What a tensor of this cast (NULL: of fp32) takes where it is stored as a role; no memory is taken. */
typedef struct bndi_room {
    size_t codes, scales;
} bndi_room;
BND_CHECKED bnd_status bndi_room_for(bndi_room *out, const bnd_cast *cast, bnd_role role, const bndi_shape *shape,
                                     bnd_error *why);

/* A tensor of the policy's format for a role that is stored: with its scales, where it has some. `bytes_as` is what its
 * bytes are counted as. Zeros. */
bool bndi_is_stored(bnd_role role); /* may have scales that are stored beside its codes */
BND_CHECKED bnd_status bndi_tensor_for(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bndi_shape *shape,
                                       bnd_error *why);

/* Is a tensor of so many numbers stored with scales for this role? */
bool bndi_is_scaled(const bnd_engine *engine, bnd_role role);

/* Between these two `t` has plain numbers of fp32, in scratch; then its own storage again, of the role's rule. Of a
 * tensor without scales they do nothing. thaw_room: what the numbers are is not set. */
BND_CHECKED bnd_status bndi_thaw_room(bnd_tensor *t, bndi_buffer **kept, bnd_error *why);
BND_CHECKED bnd_status bndi_thaw(bnd_tensor *t, bndi_buffer **kept, bnd_error *why);
void bndi_freeze(bnd_tensor *t, bndi_buffer *kept, bnd_role role);

/* Of the same shape and format, and the same way of sharing scales? Then their bytes may be copied. */
bool bndi_stored_alike(const bnd_tensor *a, const bnd_tensor *b);
void bndi_copy_storage(bnd_tensor *y, const bnd_tensor *x);

/* The dtype under which a tensor stands in .safetensors: "F32"; "U8" where its numbers share scales. */
const char *bndi_tensor_dtype(const bnd_tensor *t);

/* How numbers share scales, in words: "e4m3/tile:128x128:nearest", "udynamic:256". */
enum { BNDI_SCALED_TEXT = 128 };
void bndi_scaled_text(char out[BNDI_SCALED_TEXT], const bndi_scaled *s);

/* y = x, y += x as below, also where y shares scales. */
BND_CHECKED bnd_status bndi_assign(bnd_tensor *y, const bnd_tensor *x, bnd_role role, const bndi_store *how, bool adds,
                                   bnd_error *why);

/* For the reader: how codes lie; words to elements; and y = x, those that begin at `start` in the buffer, times their
 * scales. */
bool bndi_scaled_read_all(float *x, const bnd_tensor *t); /* false: not in one go, or it shares no scales */
bndi_storage bndi_storage_of_scaled(const bndi_scaled *s);
void bndi_scaled_decode(float *x, const void *words, size_t n, const bndi_scaled *s);
void bndi_scaled_apply(float *y, const float *x, const bndi_scaled *s, size_t start, ptrdiff_t stride, size_t n);

/* The role that a role's bytes are counted as, and that a role follows where the policy does not give it. */
bnd_role bndi_role_of_bytes(bnd_role role);

/* The policy holds at this place only; BND_EVERYWHERE: at all. It is in force from the next bnd_engine_set_place on. */
void bndi_engine_limit(bnd_engine *engine, unsigned place);

/* What products add in here. */
const bnd_accumulator *bndi_accumulator_of(const bnd_engine *engine);

/* What the policy has for a role; NULL: nothing. */
const bnd_cast *bndi_cast_of(const bnd_engine *engine, bnd_role role);

/* The format that an operand gives to results and gradients whose roles the policy does not give: its own. Under a
 * policy a parameter gives fp32: how weights are stored decides nothing else. */
const bnd_format *bndi_format_lent(const bnd_tensor *t);

/* The format that a result of these operands has, for a role. */
void bndi_result_format(bnd_format *out, const bnd_engine *engine, bnd_role role, const bnd_format *const *in,
                        unsigned count);

/* What casts to a role at the engine's place are counted in; NULL where nobody counts. */
bnd_stats *bndi_statistics_of(const bnd_engine *engine, bnd_role role);

/* How a result of a role is stored: its rule, its random bits (each call has its own), its statistics. What shares
 * scales is stored twice, first as fp32, simply. */
bndi_store bndi_store_for(bnd_engine *engine, bnd_role role);
bndi_store bndi_store_with_scales(bnd_engine *engine, bnd_role role);
bndi_store bndi_store_for_saved(bnd_engine *engine, unsigned operand);

/* The tensor that a gradient for operand i goes into, in the format that the policy has for it. */
BND_CHECKED bnd_status bndi_gradient_of_operand(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g,
                                                unsigned i, bool zeros, bnd_error *why);

/* `d`, of the shape that operands were broadcast to, summed to the shape of operand i: for the gradients of what
 * broadcasts. */
BND_CHECKED bnd_status bndi_sum_to(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g, unsigned i,
                                   const bnd_tensor *d, bnd_error *why);

/* sums += t over the axes of the bits `reduced`, in the row-major order of the others; and stored, times a factor. */
BND_CHECKED bnd_status bndi_reduced_axes(unsigned *reduced, const bndi_call *c, bnd_error *why);
BND_CHECKED bnd_status bndi_shape_of_reduction(bndi_call *c, bnd_error *why); /* a row's `shape` */
void bndi_reduced_shape(bndi_shape *out, const bndi_shape *in, unsigned reduced, bool keep);
void bndi_sum_axes(double *sums, const bnd_tensor *t, unsigned reduced);
void bndi_store_sums(bnd_tensor *out, const double *sums, double factor, const bndi_store *how);

/* ---- the tape ---- */

/* Does something depend on t that a gradient is wanted for? */
bool bndi_is_tracked(const bnd_tensor *t);

/* What a saved tensor is a copy of, where it is one: a tensor as it was then, and by which rule. serial 0: no copy. */
typedef struct bndi_copied {
    uint64_t serial, version;
    bnd_rule rule;
} bndi_copied;

struct bndi_node {
    size_t references;
    bnd_engine *engine;
    bndi_node *older, *newer;
    bndi_call call;
    uint64_t versions[BNDI_SAVED];
    bndi_copied copied[BNDI_SAVED];
    bndi_edge edges[BNDI_OPERANDS];
    bnd_tensor *gradient; /* of its result, on the way back */
    bool keeps, done;     /* its gradient when all is over; gone back through already */
    bool reached;         /* while the way back is looked at before it is gone */
};

/* Writes the call onto the tape where an operand wants a gradient. `out` is its result. What the
 * call has kept goes over to the tape, or is released; also where this fails. */
BND_CHECKED bnd_status bndi_record(bndi_call *c, bnd_tensor *const *in, bnd_tensor *out, bnd_error *why);
void bndi_node_release(bndi_node *node);

#endif
