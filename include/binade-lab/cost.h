/* Layer 8: resource accounting on paper: the time of a training run, the parts of its memory, the largest model that
 * fits, and the bound of a matrix product. Nothing is run. Each answer has its derivation, and says what it leaves out.
 */
#ifndef BINADE_COST_H
#define BINADE_COST_H

#include <binade-lab/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- answers: formula, substitution, result, line by line ---- */

enum { BND_COST_NAME_SIZE = 24, BND_COST_TEXT_SIZE = 112, BND_COST_NOTE_SIZE = 320 };
enum { BND_COST_STEPS_MAX = 40, BND_COST_NOTES_MAX = 12 };

typedef struct bnd_cost_step {
    char name[BND_COST_NAME_SIZE];         /* "compute": of one answer, no two are the same */
    char formula[BND_COST_TEXT_SIZE];      /* "6 N D" */
    char substitution[BND_COST_TEXT_SIZE]; /* "6 x 70e9 x 15e12" */
    char unit[BND_COST_NAME_SIZE];         /* FLOP, FLOP/s, B, s, day, parameter, ...; "" for a ratio */
    double value;
} bnd_cost_step;

typedef struct bnd_cost {
    bnd_cost_step step[BND_COST_STEPS_MAX];
    size_t steps;
    char note[BND_COST_NOTES_MAX][BND_COST_NOTE_SIZE]; /* what it leaves out, where its numbers come from */
    size_t notes;
    char answer[BND_COST_NAME_SIZE]; /* the name of the step that answers the question */
    char about[BND_COST_TEXT_SIZE];  /* what it answers: "training time"; of a tensor, the name of the format */
} bnd_cost;

/* The value of a step of an answer.
 *
 * Returns: The value; NaN if there is no step of this name.
 * Arguments: `cost`: the answer. `name`: the name of the step. */
double bnd_cost_value(const bnd_cost *cost, const char *name);

/* Writes a number with five digits, or with all of them if there are fewer: "70e9", "143.93", "4.7876e21".
 *
 * Returns: The length of the whole text, as snprintf.
 * Arguments: `out` (out), `size`: the text and its room. `x`: the number. */
size_t bnd_cost_number(char *out, size_t size, double x);

/* The kinds of quantities: 70e9, 70B, 15T or 512k; bytes also 80GB or 80GiB; shares 0.5 or 50%. */
typedef enum bnd_quantity {
    BND_QUANTITY_NUMBER,
    BND_QUANTITY_WHOLE, /* at most 2^53 */
    BND_QUANTITY_BYTES,
    BND_QUANTITY_SHARE
} bnd_quantity;

/* Reads a quantity.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the number. `text`: ends with a 0 byte. `kind`: what it must be. `why` (out): the error, or
 *     NULL.
 * On failure: `out` is unchanged: the text is not such a quantity, or the number is not finite and greater than 0,
 *     or a share is above 1. */
BND_CHECKED bnd_status bnd_quantity_parse(double *out, const char *text, bnd_quantity kind, bnd_error *why);

/* ---- machines: rows of hardware.def ---- */

enum {
    BND_MACHINE_NAME_SIZE = 32,
    BND_MACHINE_TITLE_SIZE = 64,
    BND_MACHINE_SOURCE_SIZE = 160,
    BND_MACHINE_PEAKS_MAX = 8
};

/* FLOP/s where both operands have one of these formats; 0: the peak does not exist. */
typedef struct bnd_peak {
    unsigned bits;
    char formats[BND_MACHINE_TITLE_SIZE]; /* "fp8 e4m3 e5m2": what the peak is called, and formats that have it */
    double dense, sparse;
} bnd_peak;

typedef struct bnd_machine {
    char name[BND_MACHINE_NAME_SIZE], title[BND_MACHINE_TITLE_SIZE], source[BND_MACHINE_SOURCE_SIZE];
    double memory, bandwidth; /* bytes, bytes per second */
    bnd_peak peak[BND_MACHINE_PEAKS_MAX];
    size_t peaks;
} bnd_machine;

/* The number of machines. The machine "this" is the one that the library runs on; it has no numbers until
 * bnd_machine_find measures it.
 *
 * Returns: The number; machines are rows 0 .. count-1. */
size_t bnd_machine_count(void);

/* A machine by its row.
 *
 * Returns: True; false if the row does not exist.
 * Arguments: `out` (out): the machine. `row`: 0 .. bnd_machine_count() - 1.
 * On failure: `out` is unchanged. */
BND_CHECKED bool bnd_machine_at(bnd_machine *out, size_t row);

/* Finds a machine by its name. "this" is measured, with matrix products on all cores and with copies of memory; that
 * takes a part of a second.
 *
 * Returns: BND_OK, BND_BAD_NAME or BND_NO_MEMORY.
 * Arguments: `out` (out): the machine. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_machine_find(bnd_machine *out, const char *name, bnd_error *why);

/* Describes a machine that is not in the table.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the machine. `format`, `peak`: its dense FLOP/s for operands of this format. `memory`: bytes;
 *     0: not known. `bandwidth`: bytes per second; 0: not known. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the format is unknown, or a number is not finite or too small. */
BND_CHECKED bnd_status bnd_machine_given(bnd_machine *out, const char *format, double peak, double memory,
                                         double bandwidth, bnd_error *why);

/* The peak of a machine for a format.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): FLOP/s. `machine`: the machine. `format`: a format or block format, by any of its names.
 *     `sparse`: the peak with two of four weights zero. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the format is unknown, or the machine has no peak for it. */
BND_CHECKED bnd_status bnd_machine_peak(double *out, const bnd_machine *machine, const char *format, bool sparse,
                                        bnd_error *why);

/* ---- transformers by their shape: rows of models.def ---- */

enum { BND_ARCHITECTURE_NAME_SIZE = 32 };

typedef enum bnd_biases { BND_BIASES_NONE, BND_BIASES_QKV, BND_BIASES_ALL } bnd_biases;

typedef struct bnd_architecture {
    char name[BND_ARCHITECTURE_NAME_SIZE];
    uint64_t layers, hidden, heads;
    uint64_t kv_heads;     /* fewer than heads: grouped queries */
    uint64_t head_width;   /* of one head */
    uint64_t feed_forward; /* the width within the MLP */
    uint64_t vocabulary;
    uint64_t positions; /* rows of a table of learned positions; 0: none is stored */
    uint64_t context;   /* what it was trained with */
    bool gated;         /* the MLP has three matrices: SwiGLU, GeGLU */
    bool tied;          /* the head is the table of tokens */
    bool centred;       /* layer norm, with weight and bias; else RMS norm, with a weight */
    bnd_biases biases;
    bool dropout; /* it is trained with dropout */
} bnd_architecture;

/* The number of architectures.
 *
 * Returns: The number; architectures are rows 0 .. count-1. */
size_t bnd_architecture_count(void);

/* An architecture by its row.
 *
 * Returns: A constant of the library; NULL if the row does not exist.
 * Arguments: `row`: 0 .. bnd_architecture_count() - 1. */
const bnd_architecture *bnd_architecture_at(size_t row);

/* What an architecture is, and where its shape is published.
 *
 * Returns: The text; "" if the row does not exist. Never NULL.
 * Arguments: `row`: 0 .. bnd_architecture_count() - 1. */
const char *bnd_architecture_title(size_t row);

/* Finds an architecture by its name.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `out` (out): the architecture. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_architecture_find(bnd_architecture *out, const char *name, bnd_error *why);

/* Describes a GPT of this size. Its other numbers are the usual ones: head width hidden / heads, MLP width 4 hidden,
 * all biases, learned positions for the context, an untied head, dropout.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the architecture. `layers`, `hidden`, `heads`, `vocabulary`, `context`: its sizes. `why`
 *     (out): the error, or NULL.
 * On failure: `out` is unchanged: hidden is not divisible by heads, or a size is out of range. */
BND_CHECKED bnd_status bnd_architecture_usual(bnd_architecture *out, uint64_t layers, uint64_t hidden, uint64_t heads,
                                              uint64_t vocabulary, uint64_t context, bnd_error *why);

/* Checks the sizes of an architecture.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `a`: the architecture. `why` (out): the error, or NULL.
 * On failure: The message says which sizes are possible. */
BND_CHECKED bnd_status bnd_architecture_check(const bnd_architecture *a, bnd_error *why);

/* Its tensors of parameters: `copies` of rows x columns (columns 0: a vector of rows elements). `hidden`: matrices that
 * are neither tables of embeddings nor output layers, as bnd_run_is_hidden has them. `blocks`: as bnd_run_blocks has
 * them; 0: as many as rows. */
enum { BND_ARCHITECTURE_WEIGHTS_MAX = 24 };
typedef struct bnd_weight {
    const char *name;
    uint64_t rows, columns, copies;
    bool split; /* by tensor parallelism */
    bool hidden;
    uint64_t blocks;
} bnd_weight;

/* The parameter tensors of an architecture.
 *
 * Returns: Their number.
 * Arguments: `out` (out): the tensors. `a`: the architecture. */
size_t bnd_architecture_weights(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_architecture *a);

/* The number of parameters of an architecture.
 *
 * Returns: The number, exact below 2^53.
 * Arguments: `a`: the architecture. */
double bnd_architecture_parameters(const bnd_architecture *a);

/* ---- plans of training ---- */

typedef enum bnd_recompute { BND_RECOMPUTE_NONE, BND_RECOMPUTE_SELECTIVE, BND_RECOMPUTE_FULL } bnd_recompute;

/* Reads none, selective or full.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `out` (out): the mode. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_recompute_parse(bnd_recompute *out, const char *name, bnd_error *why);

/* The number of values that an optimizer keeps for a parameter tensor: bnd_optimizer_keeps of <binade-lab/train.h>,
 * or your own function. */
typedef size_t bnd_keeps(size_t optimizer, bnd_role part, const size_t *shape, size_t rank, bool hidden, size_t blocks);

typedef struct bnd_plan {
    bnd_policy policy;
    bnd_keeps *keeps;     /* NULL: nothing */
    size_t optimizer;     /* what it is asked about */
    unsigned zero;        /* ZeRO's stage, 0 .. 3 */
    double ranks;         /* that share the data, and what ZeRO shards; at least 1 */
    double tensor;        /* tensor parallelism: machines that share each layer; at least 1 */
    double micro_batches; /* that a rank's batch is divided into, one at a time; at most 1: none */
} bnd_plan;

/* Bytes that a role takes for one tensor of parameters, by the policy and by what the optimizer keeps: param, grad,
 * master, m, v, extra (Kahan's compensation), accumulate. `scales`, in addition: what shared scales take, which a
 * run counts as extra. `transient`: of param, where it is made of the master for a step. */
typedef struct bnd_stored {
    double bytes, scales;
    bool transient;
} bnd_stored;

/* The bytes of a role for one tensor of parameters.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the bytes. `plan`: the plan. `role`: the role. `weight`: the tensor. `why` (out): the error,
 *     or NULL.
 * On failure: `out` is unchanged: the plan's policy has a scaling that is not possible. */
BND_CHECKED bnd_status bnd_plan_stored(bnd_stored *out, const bnd_plan *plan, bnd_role role, const bnd_weight *weight,
                                       bnd_error *why);

/* The bytes of a role per parameter of a large matrix (2^20 by 2^20), scales included; 0 for a transient one.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the bytes. `plan`, `role`, `why`: as in bnd_plan_stored.
 * On failure: As in bnd_plan_stored. */
BND_CHECKED bnd_status bnd_plan_bytes_each(double *out, const bnd_plan *plan, bnd_role role, bnd_error *why);

/* ---- questions ---- */

/* A question about training time: the FLOPs, by 6 N D or by the shape, over the FLOP/s that the machines reach. */
typedef struct bnd_cost_of_time {
    double parameters;             /* 0: those of the model */
    const bnd_architecture *model; /* NULL: 6 N D alone */
    double tokens, machines, mfu;
    double sequence; /* for attention; 0: the model's context */
    bnd_recompute recompute;
    const bnd_machine *machine;
    const char *format;
    bool sparse;
} bnd_cost_of_time;

/* Computes how long a training takes.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `question`: the question. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_time(bnd_cost *out, const bnd_cost_of_time *question, bnd_error *why);

/* Computes the MFU that a training reached.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `question`: the question; its `mfu` is not used. `seconds`: what the training
 *     on `question->tokens` took. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_utilization(bnd_cost *out, const bnd_cost_of_time *question, double seconds,
                                            bnd_error *why);

/* A question about FLOPs: of a model, by its matrix products, or of a number of parameters, by 6 N D. */
typedef struct bnd_cost_of_flops {
    double parameters;             /* where there is no model */
    const bnd_architecture *model; /* NULL: 6 N D alone */
    double sequence, tokens;       /* tokens 0: one */
    bnd_recompute recompute;
} bnd_cost_of_flops;

/* Computes the FLOPs of a model or of a number of parameters.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `question`: the question. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_flops(bnd_cost *out, const bnd_cost_of_flops *question, bnd_error *why);

/* Computes the FLOPs of one matrix product, forward and backward.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `m`, `k`, `n`: its sizes. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_product(bnd_cost *out, double m, double k, double n, bnd_error *why);

/* Computes the FLOPs of machines in a time.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `machines`, `days`, `mfu`: how many, how long, and the share of the peak.
 *     `machine`, `format`, `sparse`: as in bnd_machine_peak. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_budget(bnd_cost *out, double machines, double days, double mfu,
                                       const bnd_machine *machine, const char *format, bool sparse, bnd_error *why);

/* A model that <binade-lab/train.h> trains, with the sizes of a bnd_training. Sizes that the model does not have are
 * ignored, but none may be above 2^24. */
typedef struct bnd_trained {
    const char *model; /* transformer, gpt2, llama, mlp, linear, logistic, quadratic, student */
    uint64_t width, depth, heads, context, vocabulary, inputs;
    bool tied;
    bnd_transformer blocks; /* of transformer, gpt2 and llama */
} bnd_trained;

/* Memory of one rank: parameters, gradients, master, optimizer state, and activations saved for the backward pass.
 * For a model that <binade-lab/train.h> trains, it is exactly what a run of this recipe measures. For other
 * transformers it is the peak of a step in PyTorch, with the tensors that PyTorch 2.11 stores where each norm and each
 * activation function is one operation, in the recipe's formats. */
typedef struct bnd_cost_of_memory {
    bnd_plan plan;
    double parameters;             /* where there is no model */
    const bnd_architecture *model; /* NULL: no activations */
    const bnd_trained *trained;    /* NULL: another model */
    double sequence, batch;        /* of a rank; sequence 0: the model's context */
    bnd_recompute recompute;       /* of a trained model: full, which is the training's recompute, or none. Selective is
                                    * also what flash attention stores */
    const bnd_machine *machine;    /* whether the memory fits it; NULL: not checked */
} bnd_cost_of_memory;

/* Computes the memory of one rank.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `question`: the question. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_memory(bnd_cost *out, const bnd_cost_of_memory *question, bnd_error *why);

/* Computes the largest model whose states fit the machines.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `plan`: the plan; its `ranks` is computed. `machines`: their number. `memory`:
 *     bytes of each. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_fit(bnd_cost *out, const bnd_plan *plan, double machines, double memory,
                                    bnd_error *why);

/* Computes the bytes of a tensor, and their ratio to fp32.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `shape`, `rank`: its shape, of 1 to 8 axes. `format`: a format or a block
 *     format. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_tensor(bnd_cost *out, const double *shape, size_t rank, const char *format,
                                       bnd_error *why);

/* Computes whether the matrix product C = A B is bound by compute or by bandwidth.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the answer. `m`, `n`, `k`: A is m x k, and B is k x n. `machine`, `format`, `sparse`: as in
 *     bnd_machine_peak. `result`: the format of C; NULL: that of the operands if it has 16 bits or more, else bf16.
 *     `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a name is unknown, or a number is out of range. */
BND_CHECKED bnd_status bnd_cost_roofline(bnd_cost *out, double m, double n, double k, const bnd_machine *machine,
                                         const char *format, const char *result, bool sparse, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
