/* Layer 8: resource accounting on paper: how long a training run takes, what its memory is made of, how large a model
 * fits, what a product is bound by. Nothing is run; every answer says how it was worked out, and what it leaves out. */
#ifndef BINADE_COST_H
#define BINADE_COST_H

#include <binade-lab/policy.h>

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
} bnd_cost;

/* The value of the step of this name; NaN where there is none. */
double bnd_cost_value(const bnd_cost *cost, const char *name);

/* A number as people write it, "70e9", "143.93", "4.7876e21": five digits, or all where few are enough. As snprintf. */
size_t bnd_cost_number(char *out, size_t size, double x);

/* What people write: 70e9, 70B, 15T, 512k; of bytes 80GB and 80GiB; of shares 0.5 and 50%. Refused where it is not
 * greater than 0, where a WHOLE is none, where a share is above 1. */
typedef enum bnd_quantity {
    BND_QUANTITY_NUMBER,
    BND_QUANTITY_WHOLE, /* at most 2^53 */
    BND_QUANTITY_BYTES,
    BND_QUANTITY_SHARE
} bnd_quantity;
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
    double memory, bandwidth; /* bytes, bytes a second */
    bnd_peak peak[BND_MACHINE_PEAKS_MAX];
    size_t peaks;
} bnd_machine;

/* Rows 0 .. count-1; bnd_machine_at returns false, writing nothing, if the row does not exist. The row "this" is the
 * machine that the library runs on; it has no numbers until it is measured. */
size_t bnd_machine_count(void);
BND_CHECKED bool bnd_machine_at(bnd_machine *out, size_t row);

/* By name. "this" is measured now: products by bnd_gemm_f32 and bnd_gemm_codes with all cores, and copies; that takes
 * a part of a second. */
BND_CHECKED bnd_status bnd_machine_find(bnd_machine *out, const char *name, bnd_error *why);

/* A machine that no row describes: its dense FLOP/s for operands of this format, and its bytes of memory and bytes per
 * second (0: not known). Refused for names that are not a format, and where a number is not finite. */
BND_CHECKED bnd_status bnd_machine_given(bnd_machine *out, const char *format, double peak, double memory,
                                         double bandwidth, bnd_error *why);

/* The peak for a format by any of its names, a block format included; refused where the machine has none. */
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
    uint64_t feed_forward; /* the width within the perceptron */
    uint64_t vocabulary;
    uint64_t positions; /* rows of a table of learned positions; 0: none is stored */
    uint64_t context;   /* what it was trained with */
    bool gated;         /* the perceptron has three matrices: SwiGLU, GeGLU */
    bool tied;          /* the head is the table of tokens */
    bool centred;       /* layer norm, with gain and bias; else RMS norm, with a gain */
    bnd_biases biases;
} bnd_architecture;

size_t bnd_architecture_count(void);
const bnd_architecture *bnd_architecture_at(size_t row); /* NULL if the row does not exist */
const char *bnd_architecture_title(size_t row);          /* and where the shape is published; "" if there is none */
BND_CHECKED bnd_status bnd_architecture_find(bnd_architecture *out, const char *name, bnd_error *why);

/* A GPT of this size, its other numbers as they usually are: width of heads hidden / heads, perceptron of 4 hidden,
 * biases, positions for the context, an untied head. */
BND_CHECKED bnd_status bnd_architecture_usual(bnd_architecture *out, uint64_t layers, uint64_t hidden, uint64_t heads,
                                              uint64_t vocabulary, uint64_t context, bnd_error *why);
BND_CHECKED bnd_status bnd_architecture_check(const bnd_architecture *a, bnd_error *why);

/* Its tensors of parameters: `copies` of rows x columns (columns 0: a vector of rows elements). */
enum { BND_ARCHITECTURE_WEIGHTS_MAX = 24 };
typedef struct bnd_weight {
    const char *name;
    uint64_t rows, columns, copies;
    bool split; /* by tensor parallelism */
} bnd_weight;
size_t bnd_architecture_weights(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_architecture *a);
double bnd_architecture_parameters(const bnd_architecture *a); /* exact below 2^53 */

/* ---- what a plan of training is made of ---- */

typedef enum bnd_recompute { BND_RECOMPUTE_NONE, BND_RECOMPUTE_SELECTIVE, BND_RECOMPUTE_FULL } bnd_recompute;
BND_CHECKED bnd_status bnd_recompute_parse(bnd_recompute *out, const char *name, bnd_error *why);

/* How many numbers an optimizer keeps beside a parameter: bnd_optimizer_keeps of <binade-lab/train.h>, or your own. */
typedef size_t bnd_keeps(size_t optimizer, bnd_role part, const size_t *shape, size_t rank);

typedef struct bnd_plan {
    bnd_policy policy;
    bnd_keeps *keeps; /* NULL: nothing */
    size_t optimizer; /* what it is asked about */
    unsigned zero;    /* ZeRO's stage, 0 .. 3 */
    double ranks;     /* that share the data, and what ZeRO shards; at least 1 */
    double tensor;    /* tensor parallelism: machines that share each layer; at least 1 */
} bnd_plan;

/* Bytes that a role takes for one tensor of parameters, by the policy and by what the optimizer keeps: param, grad,
 * master, m, v, extra (Kahan's compensation). `scales` stand beside: what shared scales take, which a run counts as
 * extra. `transient`: of param, where it is made of the master for a step. */
typedef struct bnd_stored {
    double bytes, scales;
    bool transient;
} bnd_stored;
BND_CHECKED bnd_status bnd_plan_stored(bnd_stored *out, const bnd_plan *plan, bnd_role role, const bnd_weight *weight,
                                       bnd_error *why);

/* The same for one parameter of a large matrix (2^20 by 2^20), scales included; transient ones are 0. */
BND_CHECKED bnd_status bnd_plan_bytes_each(double *out, const bnd_plan *plan, bnd_role role, bnd_error *why);

/* ---- questions ---- */

/* Work, from 6 N D or from the shape, over what so many machines reach. */
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
BND_CHECKED bnd_status bnd_cost_time(bnd_cost *out, const bnd_cost_of_time *question, bnd_error *why);

/* The MFU that was reached: training on `question->tokens` took `seconds`. `question->mfu` is not used. */
BND_CHECKED bnd_status bnd_cost_utilization(bnd_cost *out, const bnd_cost_of_time *question, double seconds,
                                            bnd_error *why);

/* FLOPs of a model, product by product, or of a number of parameters by 6 N D; of one product; of machines in some
 * days. */
typedef struct bnd_cost_of_flops {
    double parameters;             /* where there is no model */
    const bnd_architecture *model; /* NULL: 6 N D alone */
    double sequence, tokens;       /* tokens 0: one */
    bnd_recompute recompute;
} bnd_cost_of_flops;
BND_CHECKED bnd_status bnd_cost_flops(bnd_cost *out, const bnd_cost_of_flops *question, bnd_error *why);
BND_CHECKED bnd_status bnd_cost_product(bnd_cost *out, double m, double k, double n, bnd_error *why);
BND_CHECKED bnd_status bnd_cost_budget(bnd_cost *out, double machines, double days, double mfu,
                                       const bnd_machine *machine, const char *format, bool sparse, bnd_error *why);

/* A model that <binade-lab/train.h> trains, with the sizes of a bnd_training. Sizes that the model does not have are
 * ignored, but none may be above 2^24. */
typedef struct bnd_trained {
    const char *model; /* transformer, mlp, linear, logistic, quadratic, student */
    uint64_t width, depth, heads, context, vocabulary, inputs;
    bool tied;
} bnd_trained;

/* Memory of one rank: parameters, gradients, master, optimizer state, and activations saved for the backward pass.
 * For a model that <binade-lab/train.h> trains, it is exactly what a run of this recipe measures. Activations of other
 * transformers follow the formula of Korthikanti et al. 2022, in the recipe's format of activations. */
typedef struct bnd_cost_of_memory {
    bnd_plan plan;
    double parameters;             /* where there is no model */
    const bnd_architecture *model; /* NULL: no activations */
    const bnd_trained *trained;    /* NULL: another model */
    double sequence, batch;        /* of a rank; sequence 0: the model's context */
    bnd_recompute recompute;       /* of a trained model: full, which is the training's recompute, or none */
    const bnd_machine *machine;    /* whether the memory fits it; NULL: not checked */
} bnd_cost_of_memory;
BND_CHECKED bnd_status bnd_cost_memory(bnd_cost *out, const bnd_cost_of_memory *question, bnd_error *why);

/* The largest model whose states fit so many machines: ranks is found, all stages of ZeRO by the plan. */
BND_CHECKED bnd_status bnd_cost_fit(bnd_cost *out, const bnd_plan *plan, double machines, double memory,
                                    bnd_error *why);

/* Bytes of a tensor of rank 1 .. 8 in a format or a block format, beside fp32. */
BND_CHECKED bnd_status bnd_cost_tensor(bnd_cost *out, const double *shape, size_t rank, const char *format,
                                       bnd_error *why);

/* C = A B, M x K by K x N: bound by the machine's arithmetic or by its memory? `result`: the format of C; NULL: the
 * operands' own from 16 bits up, else bf16. */
BND_CHECKED bnd_status bnd_cost_roofline(bnd_cost *out, double m, double n, double k, const bnd_machine *machine,
                                         const char *format, const char *result, bool sparse, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
