/* What lint/ shares between its files.
 *
 * A check is a function over a weight, a group of weights, or a config. It reports what it finds and goes on: a missing
 * tensor or a wrong type must not hide other damage. A report without memory is remembered, and bnd_lint_new fails at
 * its end. Everything that a check reads comes from a file and may be hostile. */
#ifndef BINADE_SRC_LINT_H
#define BINADE_SRC_LINT_H

#include <binade-lab/lint.h>

#include "checkpoint/weights.h"

#include <jansson.h>

/* The rows of checks.def, in their order. */
typedef enum bndi_check {
#define CHECK(word, code, severity, effect, title, source) BNDI_CHECK_##word,
#include "lint/checks.def"
#undef CHECK
    BNDI_CHECKS
} bndi_check;

/* The row of a code word; file_damage for one that no row has. */
bndi_check bndi_lint_check_of(const char *code);

/* Checks a checkpoint that is open: bnd_lint_new without the files. */
BND_CHECKED bnd_status bndi_lint_opened(bnd_lint **out, const bnd_checkpoint *checkpoint, bnd_error *why);

/* ---- findings ---- */

typedef struct bndi_lint_found {
    bnd_lint_finding finding;
    size_t order; /* of the report */
} bndi_lint_found;

struct bnd_lint {
    bndi_lint_found *found;
    size_t count, capacity;
    bnd_lint_layout *layouts;
    size_t layout_count;
    bnd_lint_summary summary;
    bnd_lint_options options;
    bool no_memory, has_bad_config;
    bool ue8m0;                       /* the config says that scales are powers of two */
    bool incomplete;                  /* tensors of a file that cannot be read are missing */
    uint64_t scale_limit;             /* bytes that are read of a tensor of scales; 0: all */
    uint64_t budget;                  /* of comparisons of names with entries of a config: then they are unsure */
    const bnd_checkpoint *checkpoint; /* while it is being checked */
};

/* Adds a finding with the severity of its row, or with another one. The message needs no more than 600 bytes. `where`
 * is copied. */
void bndi_lint_report(bnd_lint *lint, bndi_check check, const char *where, const char *message, ...) BND_PRINTF(4, 5);
void bndi_lint_report_as(bnd_lint *lint, bndi_check check, bnd_severity severity, const char *where,
                         const char *message, ...) BND_PRINTF(5, 6);

/* Takes back the latest findings, until `count` are left. */
void bndi_lint_take_back(bnd_lint *lint, size_t count);

/* Orders the findings and counts them. */
void bndi_lint_order(bnd_lint *lint);

/* ---- numbers of a tensor ---- */

/* Scales of one kind that cannot be right: how many, and the index of the first one. */
typedef struct bndi_bad_scales {
    uint64_t count, first;
} bndi_bad_scales;

/* What the scales of a tensor are, as far as they were read. */
typedef struct bndi_scale_values {
    uint64_t count, read; /* all; those that were read */
    bndi_bad_scales nans, infinities, zeros, negatives;
    uint64_t powers_of_two; /* among the positive finite ones */
    uint64_t integers;      /* whole numbers from 1 to 254 among them */
    double least, largest;  /* of the positive finite ones; 0 if there is none */
    bool equal;             /* all that were read have the same bits */
} bndi_scale_values;

/* Reads a tensor as numbers of `format`, whose width is that of its elements. False if it cannot be: then it has no
 * numbers. `most` is a limit in bytes, 0 for none; pieces of 4 KiB are then spread over the tensor. */
bool bndi_read_scale_values(bndi_scale_values *out, const bnd_stored_tensor *tensor, const bnd_format *format,
                            uint64_t most);

/* Which codes of e4m3 a sample of a tensor has. */
typedef struct bndi_code_sample {
    uint64_t read;
    uint64_t counts[256];
} bndi_code_sample;
void bndi_sample_bytes(bndi_code_sample *out, const bnd_stored_tensor *tensor, uint64_t at, uint64_t length);

/* ---- checks ---- */

/* The names of tensors end in one of these if they are scales. Returns: which part of a layout it is called like;
 * BND_PART_COUNT if it is not called like a scale. `length` (out): of the module's name before it. */
bnd_part bndi_scale_part(const char *name, size_t *length);
const char *bndi_scale_suffix(size_t row); /* the at-th such ending, or NULL */

/* Are these numbers from 64 to 190, all whole, as exponents of e8m0 are? */
bool bndi_has_exponents(const bnd_stored_tensor *tensor);

/* The values of a weight's scales: NaN, zero, unset, a reciprocal, exponents as numbers. A tensor that is called like a
 * scale and belongs to no codes is a weight of its own, and is checked, too. */
void bndi_lint_check_scales(bnd_lint *lint, const bnd_stored_weight *weight);

/* Layers that loaders fuse, and whose second-level scales differ. */
void bndi_lint_check_fused(bnd_lint *lint);

/* Tied embeddings of which one side is quantized. */
void bndi_lint_check_tied(bnd_lint *lint, const json_t *config);

/* Are all weights 0, as far as up to 16 MiB of their codes tell? False if codes must not be read. */
bool bndi_lint_is_zero(bnd_lint *lint, const bnd_stored_weight *weight);

/* A sample of the codes of FP8 weights: NaN, or another format. */
void bndi_lint_check_codes(bnd_lint *lint);

/* ---- configs ---- */

/* A name of a module against an entry of a config: 1 or 0, -1 if it cannot be told. */
int bndi_name_matches(const char *pattern, const char *name);

/* Equal in any case; a word may be NULL. */
bool bndi_is_word(const char *word, const char *other);

/* Configs that loaders cannot read, or that contradict each other. */
void bndi_lint_check_configs(bnd_lint *lint, const bndi_quantizations *all);

/* The module of a weight: its name without ".weight". False if it is too long. */
enum { BNDI_MODULE_SIZE = 512 };
bool bndi_module_of(char out[BNDI_MODULE_SIZE], const char *weight);

/* Which elements share a scale, as configs say it. */
typedef enum bndi_lint_sharing {
    BNDI_SHARING_ANY,
    BNDI_SHARING_TENSOR,
    BNDI_SHARING_ROW,
    BNDI_SHARING_GROUP,
    BNDI_SHARING_TILE,
    BNDI_SHARING_TWO_LEVELS /* nvfp4 */
} bndi_lint_sharing;
bndi_lint_sharing bndi_lint_sharing_of(const bnd_block *block);

/* What a config says about a weight. */
typedef struct bndi_expected {
    const bndi_quantization *config; /* NULL: there is none */
    const char *method, *format;     /* NULL: it does not say; `format` is quant_algo, too */
    bndi_lint_sharing sharing;
    int64_t bits, group_size, block[2]; /* 0: it does not say */
    bool integer, has_type, asymmetric;
    bool targeted, ignored; /* by an entry that names the module */
    bool unsure;            /* an entry that cannot be told, or that may name it */
} bndi_expected;

bndi_expected bndi_expect(bnd_lint *lint, const bndi_quantization *q, const char *module);

/* Codes of FP8, or small integers that are called like a weight; weights of a layout. */
bool bndi_looks_quantized(const bnd_stored_weight *weight);

/* The tensor of this suffix in the module whose name is the first `length` bytes of `name`, or NULL. */
const bnd_stored_tensor *bndi_sibling(const bnd_lint *lint, const char *name, size_t length, const char *suffix);

/* Compares the parts of quantized codes with the row of layouts.def that is nearest. Returns: the row, or NULL. */
const bnd_layout *bndi_lint_check_parts(bnd_lint *lint, const bnd_stored_weight *weight, const bndi_expected *expected);

/* The config against the tensors. */
void bndi_lint_check_applied(bnd_lint *lint, const bndi_quantizations *all);

#endif
