/* Layer 8: what is wrong with a checkpoint, and which software loads it.
 *
 * Headers, configs and scales are checked, and a sample of the codes. A check is a row of checks.def: a code word for
 * programs, a severity, a sentence, and where the damage is known from. What a loader reads is a row of loaders.def.
 * Both tables say where their facts come from. */
#ifndef BINADE_LINT_H
#define BINADE_LINT_H

#include <binade-lab/checkpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the checks ---- */

typedef enum bnd_severity {
    BND_SEVERITY_NOTE,    /* unusual, and harmless as far as the files tell */
    BND_SEVERITY_SUSPECT, /* may be right, and often is not */
    BND_SEVERITY_DAMAGE   /* wrong */
} bnd_severity;

/* What follows if a finding is true. */
typedef enum bnd_effect {
    BND_EFFECT_NONE,
    BND_EFFECT_REFUSED, /* software that reads the layout refuses the checkpoint */
    BND_EFFECT_WRONG    /* the checkpoint loads, and the results are wrong */
} bnd_effect;

typedef struct bnd_lint_check {
    const char *code;      /* "scale-missing"; stays the same from version to version */
    bnd_severity severity; /* of most of its findings */
    bnd_effect effect;
    const char *title;  /* for people */
    const char *source; /* a public report, or the code that refuses it: "owner/name#number", or a path */
} bnd_lint_check;

/* Returns: the number of checks; one of them, or NULL; "damage" and the like; "refused" and the like. */
size_t bnd_lint_check_count(void);
const bnd_lint_check *bnd_lint_check_at(size_t row);
const char *bnd_severity_name(bnd_severity severity);
const char *bnd_effect_name(bnd_effect effect);

/* ---- software that loads checkpoints ---- */

typedef enum bnd_loader {
    BND_LOADER_VLLM,
    BND_LOADER_SGLANG,
    BND_LOADER_TRANSFORMERS,
    BND_LOADER_TENSORRT_LLM,
    BND_LOADER_COMFYUI,
    BND_LOADER_LLAMA_CPP,
    BND_LOADERS
} bnd_loader;

typedef enum bnd_loads {
    BND_LOADS_UNKNOWN, /* not verified in the loader's source */
    BND_LOADS_YES,
    BND_LOADS_PARTLY, /* with the condition in `note` */
    BND_LOADS_NO
} bnd_loads;

/* Whether a loader reads a layout. */
typedef struct bnd_loader_cell {
    bnd_loads loads;
    const char *note;   /* a condition, or "" */
    const char *source; /* repository, commit and file that say so; "" if unknown */
} bnd_loader_cell;

/* Returns: "vLLM" and the like; "yes", "partly", "no", "unknown". */
const char *bnd_loader_name(bnd_loader loader);
const char *bnd_loads_name(bnd_loads loads);

/* Returns: the cell of a row of layouts.def, by its name; BND_LOADS_UNKNOWN if there is none. */
bnd_loader_cell bnd_loader_cell_of(const char *layout, bnd_loader loader);

/* ---- checking ---- */

typedef struct bnd_lint_options {
    bool every_scale; /* otherwise, of more than 512 MiB of scales, pieces of each tensor */
    bool no_codes;    /* otherwise up to 16 MiB of FP8 codes are read, 4 KiB from each of up to 4096 tensors; and up to
                         16 MiB of each weight whose scales are suspected: they are right if it is all zeros */
} bnd_lint_options;

typedef struct bnd_lint_finding {
    const bnd_lint_check *check;
    bnd_severity severity;
    const char *where;   /* a tensor, a file, or a key of a config */
    const char *message; /* what is wrong, and what to do */
} bnd_lint_finding;

/* The weights of one layout. */
typedef struct bnd_lint_layout {
    const bnd_layout *layout; /* NULL: not quantized */
    const char *name;         /* the layout's, for loaders; or unquantized, gguf/unquantized, npy/unquantized */
    uint64_t weights, elements, bytes;
} bnd_lint_layout;

typedef struct bnd_lint_summary {
    size_t files, tensors;
    uint64_t bytes;                    /* of tensors */
    uint64_t scale_bytes, scales_read; /* bytes of scales, and of those that were read */
    uint64_t codes_read;               /* bytes of codes that were read */
    uint64_t damage, suspect, note;    /* findings of each severity */
    uint64_t refused, wrong;           /* findings of damage or suspect with these effects */
} bnd_lint_summary;

/* The result. It has its own memory: the checkpoint is closed. Safe to read from any number of threads at once. */
typedef struct bnd_lint bnd_lint;

/* Checks a checkpoint.
 * Arguments: `path`: as for bnd_checkpoint_new. `options`: NULL is all zero.
 * On failure: as bnd_checkpoint_new. Damage is not a failure as long as the files can be read as a checkpoint. */
BND_CHECKED bnd_status bnd_lint_new(bnd_lint **out, const char *path, const bnd_lint_options *options, bnd_error *why);
void bnd_lint_free(bnd_lint *lint);

/* Returns: the counts. */
const bnd_lint_summary *bnd_lint_summary_of(const bnd_lint *lint);

/* Writes the answer in words: "No problems found; 1 note."
 * Arguments: at most `size` bytes are written, with a final 0 byte.
 * Returns: the length of the whole text, as snprintf. */
size_t bnd_lint_print_answer(char *out, size_t size, const bnd_lint *lint);

/* Returns: the number of findings; one of them, or NULL. They are ordered by severity, the worst first, then by the
 * order of the checks, then by the order of the tensors. */
size_t bnd_lint_findings(const bnd_lint *lint);
const bnd_lint_finding *bnd_lint_finding_at(const bnd_lint *lint, size_t index);

/* Returns: the number of layouts that were found; one of them, or NULL. The largest in bytes comes first. */
size_t bnd_lint_layouts(const bnd_lint *lint);
const bnd_lint_layout *bnd_lint_layout_at(const bnd_lint *lint, size_t index);

#ifdef __cplusplus
}
#endif
#endif
