/* Layer 7: checkpoints. The tensors of a model in one or more files, and the weights that they stand for.
 *
 * A checkpoint is a .safetensors file, a folder with such files (with model.safetensors.index.json where there are
 * several), a .gguf file or a .npy file. Next to the files of a folder are config.json and the like. Tensors are mapped
 * and not read. Every file is untrusted.
 *
 * A weight is what an unquantized checkpoint would hold: "model.layers.0.mlp.up_proj.weight", rows and columns. It is
 * stored as one tensor, or as codes with scales. How exactly is its layout, a row of layouts.def.
 *
 * A checkpoint is safe to read from any number of threads at once. */
#ifndef BINADE_CHECKPOINT_H
#define BINADE_CHECKPOINT_H

#include <binade-lab/store.h>
#include <binade/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stored tensors ---- */

typedef enum bnd_stored_kind {
    BND_STORED_FLOAT,   /* codes of `format` */
    BND_STORED_INTEGER, /* of `bits` bits, with or without a sign */
    BND_STORED_BLOCKS,  /* blocks of GGUF: `gguf_type` */
    BND_STORED_OTHER    /* bool, complex, types of GGUF that are not decoded */
} bnd_stored_kind;

/* A tensor as a file has it. Words are little-endian, and stand at any address. */
typedef struct bnd_stored_tensor {
    const char *name;  /* UTF-8, with a 0 byte */
    const char *dtype; /* as its file calls it: "BF16", "F8_E4M3"; in GGUF "MXFP4"; in .npy the descr */
    bnd_stored_kind kind;
    bool is_signed;           /* of integers */
    uint8_t bits;             /* of an element; 0 for blocks */
    uint32_t gguf_type;       /* the number in a .gguf file; 0 elsewhere */
    const bnd_format *format; /* of floats; otherwise NULL */
    size_t rank;
    const uint64_t *shape; /* the slowest dimension first, in every kind of file */
    uint64_t count;        /* elements */
    uint64_t size;         /* bytes */
    const unsigned char *data;
    size_t file; /* which file of the checkpoint has it */
} bnd_stored_tensor;

/* ---- opening ---- */

typedef struct bnd_checkpoint bnd_checkpoint;

typedef enum bnd_checkpoint_kind {
    BND_CHECKPOINT_SAFETENSORS, /* one file or several */
    BND_CHECKPOINT_GGUF,
    BND_CHECKPOINT_NPY
} bnd_checkpoint_kind;

/* Called for each thing that is wrong with the files, if they can be read despite it. `where` is a file or a tensor.
 * `code` is a word for programs:
 *
 *     shard-missing         a file that the index names, or one of a numbered series, is not there
 *     shard-truncated       a file is cut short; tensors that are not complete are left out
 *     shard-oversized       a file has bytes after its last tensor
 *     shard-unreadable      a file cannot be opened, or its header is wrong; its tensors are left out
 *     tensor-twice          two files have a tensor; the one of the file that the index names is used, or the first
 *     index-wrong-file      a tensor is in another file than the index says
 *     index-missing-tensor  the index names a tensor that its file does not have, and no other
 *     tensor-not-in-index   a tensor that the index does not name
 *     index-total-size      total_size is not the bytes of the tensors
 *     f4-in-pairs           the shape of a 4-bit tensor counts pairs; it is used as if it counted elements
 *     text-unreadable       config.json or the like cannot be read, or has more than 16 MiB
 */
typedef void bnd_checkpoint_damage(void *state, const char *code, const char *where, const char *message);

/* Opens a file or a folder. Of a folder the files that model.safetensors.index.json names, or model.safetensors, or all
 * .safetensors files. An index of another name may be the path. Memory: that of headers and the index, about four times
 * their bytes.
 * Arguments: `damage` may be NULL: then the first thing that is wrong is the failure, but for tensor-not-in-index and
 *     index-total-size, which loaders do not look at.
 * On failure: BND_BAD_STREAM if a file cannot be read; BND_BAD_FILE if it is not a checkpoint; BND_NO_MEMORY. The
 *     message names the file within a folder. */
BND_CHECKED bnd_status bnd_checkpoint_new(bnd_checkpoint **out, const char *path, bnd_checkpoint_damage *damage,
                                          void *state, bnd_error *why);

/* Closes a checkpoint and all that it gave. NULL does nothing. */
void bnd_checkpoint_free(bnd_checkpoint *checkpoint);

/* Says that all data are going to be read, in about their order: the system then reads ahead. Otherwise it expects a
 * little here and there, such as scales, and a page is read at a time. No value depends on it. */
void bnd_checkpoint_expect_all(const bnd_checkpoint *checkpoint);

/* Returns: what kind of files it has. */
bnd_checkpoint_kind bnd_checkpoint_kind_of(const bnd_checkpoint *checkpoint);

/* Returns: the folder of its files: the path that was opened, or where the file is; the name of its index, or NULL. */
const char *bnd_checkpoint_folder(const bnd_checkpoint *checkpoint);
const char *bnd_checkpoint_index(const bnd_checkpoint *checkpoint);

/* The files of a folder that are neither .safetensors files nor indexes, sorted: tokenizers, code, texts. Names that
 * begin with a dot and folders are not among them.
 * Returns: their number, 0 if a file was opened; the name of one. */
size_t bnd_checkpoint_others(const bnd_checkpoint *checkpoint);
const char *bnd_checkpoint_other_name(const bnd_checkpoint *checkpoint, size_t index);

/* Returns: the number of files with tensors; the name of one within its folder; its size in bytes. */
size_t bnd_checkpoint_files(const bnd_checkpoint *checkpoint);
const char *bnd_checkpoint_file_name(const bnd_checkpoint *checkpoint, size_t file);
uint64_t bnd_checkpoint_file_size(const bnd_checkpoint *checkpoint, size_t file);

/* Returns: the number of tensors of a file. Arguments: `bytes` (out) of their data. */
size_t bnd_checkpoint_file_tensors(uint64_t *bytes, const bnd_checkpoint *checkpoint, size_t file);

/* Returns: the number of stored tensors; one of them, file by file in the order of the data; the one of this name, or
 * NULL. */
size_t bnd_checkpoint_count(const bnd_checkpoint *checkpoint);
const bnd_stored_tensor *bnd_checkpoint_at(const bnd_checkpoint *checkpoint, size_t index);
const bnd_stored_tensor *bnd_checkpoint_find(const bnd_checkpoint *checkpoint, const char *name);

/* The text of config.json, hf_quant_config.json, quant_config.json or quantize_config.json, from the folder of the
 * .safetensors files, read when the checkpoint was opened. Of a file that was opened alone, its folder's, if the folder
 * would be opened with that file: not if an index there does not name it, or model.safetensors is next to it.
 * Returns: the text, with a 0 byte after its `length` bytes; NULL if the folder has no file of this name.
 *     `length` may be NULL. */
const char *bnd_checkpoint_text(const bnd_checkpoint *checkpoint, const char *file_name, size_t *length);

/* The metadata: texts of `__metadata__` of all files (of a key that several have, the text of the first), or the
 * strings of GGUF.
 * Returns: the text of a key, or NULL; the number of texts; one of them, ordered by key. */
const char *bnd_checkpoint_metadata(const bnd_checkpoint *checkpoint, const char *key);
size_t bnd_checkpoint_metadata_count(const bnd_checkpoint *checkpoint);
const bnd_safetensors_pair *bnd_checkpoint_metadata_at(const bnd_checkpoint *checkpoint, size_t index);

/* ---- layouts ---- */

/* The tensors that a weight is stored as. */
typedef enum bnd_part {
    BND_PART_CODES,
    BND_PART_SCALES,
    BND_PART_SECOND, /* NVFP4's scale of the tensor */
    BND_PART_INPUT,  /* the static scale of the layer's input, and its second one */
    BND_PART_INPUT_SECOND,
    BND_PART_ZERO_POINTS, /* in MLX: biases */
    BND_PART_SHAPE,       /* the weight's shape, where codes are packed into words */
    BND_PART_ORDER,       /* the group of each column */
    BND_PART_NOTE,        /* a text about the layer: ComfyUI's JSON */
    BND_PART_COUNT
} bnd_part;

typedef enum bnd_layout_family {
    BND_LAYOUT_COMPRESSED_TENSORS,
    BND_LAYOUT_FP8,      /* vLLM, SGLang and transformers; DeepSeek-V3 */
    BND_LAYOUT_DEEPSEEK, /* V4 */
    BND_LAYOUT_GPT_OSS,
    BND_LAYOUT_MODELOPT,
    BND_LAYOUT_SGLANG,
    BND_LAYOUT_COMFYUI,
    BND_LAYOUT_GGUF,
    BND_LAYOUT_MLX,
    BND_LAYOUT_FAMILIES
} bnd_layout_family;

/* A row of layouts.def. A part is called by its module, a dot and its suffix; a suffix that begins with "_" follows the
 * module directly. */
typedef struct bnd_layout {
    const char *name;  /* "compressed-tensors/nvfp4" */
    const char *title; /* for people */
    bnd_layout_family family;
    const char *block;             /* what bnd_block_parse reads: "nvfp4", "e4m3/tile:128x128" */
    const char *methods, *formats; /* words of quant_method, and of `format` or `quant_algo`; with blanks between */
    const char *suffix[BND_PART_COUNT]; /* "weight_packed"; NULL: it has no such part */
    const char *dtypes[BND_PART_COUNT]; /* "BF16 F16 F32": what a part may have, with blanks between */
    bool second_divides;                /* the second scale is a divisor */
    bool high_first;                    /* of two codes in a byte the first one has the upper bits */
    bool swizzled;                      /* scales are in the order of cuBLAS: tiles of 128 by 4, padded with zeros */
    const char *source;                 /* repository, commit and file that say so */
} bnd_layout;

size_t bnd_layout_count(void);
const bnd_layout *bnd_layout_at(size_t row);
/* Returns: the layout of this name, or NULL; the family of a name such as "modelopt", or BND_LAYOUT_FAMILIES. */
const bnd_layout *bnd_layout_find(const char *name);
bnd_layout_family bnd_layout_family_of(const char *name);
const char *bnd_layout_family_name(bnd_layout_family family);

/* Returns: what a part is, "scales"; its shape, "[out, in/N]"; whether it may be absent. R x C is a tile, N a group. */
const char *bnd_layout_part_name(bnd_part part);
const char *bnd_layout_part_shape(const bnd_layout *layout, bnd_part part);
bool bnd_layout_part_is_optional(const bnd_layout *layout, bnd_part part);

/* ---- weights ---- */

typedef struct bnd_stored_weight {
    const char *name;                               /* as an unquantized checkpoint calls it */
    const bnd_layout *layout;                       /* NULL: one tensor, parts[BND_PART_CODES], as it is */
    const bnd_stored_tensor *parts[BND_PART_COUNT]; /* NULL: it has no such part */
    size_t rank;
    const uint64_t *shape; /* of its elements */
    uint64_t count;
    bool is_float;           /* it can be decoded: bnd_decode_weight_f32 */
    const char *why_not;     /* otherwise: a sentence */
    bnd_block block;         /* of quantized weights: element, scale format and sharing as stored */
    bnd_shape blocks;        /* the shape for calls on `block` */
    float tensor_scale;      /* a factor; a divisor is inverted and rounded to fp32, as vLLM does. 1: there is none. If
                                each expert of a weight of rank 3 has its own, that of the first */
    double bits_per_element; /* with its scales */
} bnd_stored_weight;

/* Returns: the number of weights; one of them, in the order of the stored codes; the one of this name, or NULL. Every
 * stored tensor is a part of exactly one weight: scales without codes are weights of their own. */
size_t bnd_checkpoint_weights(const bnd_checkpoint *checkpoint);
const bnd_stored_weight *bnd_checkpoint_weight_at(const bnd_checkpoint *checkpoint, size_t index);
const bnd_stored_weight *bnd_checkpoint_find_weight(const bnd_checkpoint *checkpoint, const char *name);

/* Does a pattern match a name? */
typedef bool bnd_name_matches(const char *pattern, const char *name);

/* Refuses a pattern that matches no weight.
 * Arguments: `setting`: what the patterns are given as, for the message: "keep". `matches`: how they are compared.
 * On failure: BND_BAD_ARGUMENT: the message has the pattern, and a longer one that matches, or the name of a weight. */
BND_CHECKED bnd_status bnd_checkpoint_check_patterns(const bnd_checkpoint *checkpoint, const char *setting,
                                                     const char *const *patterns, size_t count,
                                                     bnd_name_matches *matches, bnd_error *why);

/* Returns: how a weight is stored: the name of its layout; without one the dtype of its codes; "" for NULL, and for
 * scales without codes. */
const char *bnd_stored_as(const bnd_stored_weight *weight);

/* The elements at .. at + n - 1 of a weight: the exact product of code and scales, rounded once to fp32. `at` is a
 * multiple of BND_WEIGHT_STEP. Codes of fp64 are rounded to nearest.
 * On failure: BND_BAD_ARGUMENT, with `y` unchanged: the weight cannot be decoded, or the place is not in it. */
enum { BND_WEIGHT_STEP = 256 };
BND_CHECKED bnd_status bnd_decode_weight_f32(float *y, const bnd_stored_weight *weight, uint64_t at, size_t n,
                                             const bnd_context *context, bnd_error *why);

/* ---- writing ---- */

/* A tensor that is to be written. */
typedef struct bnd_planned {
    const char *name, *dtype; /* dtype of safetensors */
    size_t rank;
    const uint64_t *shape;
} bnd_planned;

/* A file that stands next to the tensors: its text, or the file that is copied. */
typedef struct bnd_side_file {
    const char *name;
    const char *text; /* NULL: copied from `from` */
    size_t length;
    const char *from;
} bnd_side_file;

typedef struct bnd_checkpoint_plan {
    const bnd_planned *tensors;
    size_t count;
    const bnd_safetensors_pair *metadata; /* in every file */
    size_t pairs;
    const bnd_side_file *side;
    size_t side_count;
    uint64_t shard_size; /* of a folder: most bytes of tensors in a file, unless one tensor is larger; 0: one file */
} bnd_checkpoint_plan;

typedef struct bnd_checkpoint_writer bnd_checkpoint_writer;

/* Begins to write a checkpoint. A path that ends in .safetensors is one file; any other is a folder. It must not
 * exist yet or be empty. Nothing has its name before bnd_checkpoint_writer_finish. A folder gets model.safetensors, or
 * model-00001-of-00003.safetensors and so on with model.safetensors.index.json, whose total_size is computed. Tensors
 * keep the order of the plan over the shards; within a shard they are in the order of bnd_safetensors_write. All files
 * are made with their full size, so that a full disk is found here where the system can tell. Bytes that are never
 * written are 0. The plan is not needed afterwards.
 * On failure: BND_BAD_ARGUMENT (names twice, a dtype that does not exist, sizes that overflow, a shard size or side
 *     files for one file), BND_BAD_STREAM, BND_NO_MEMORY; nothing is left behind. */
BND_CHECKED bnd_status bnd_checkpoint_writer_new(bnd_checkpoint_writer **out, const char *path,
                                                 const bnd_checkpoint_plan *plan, bnd_error *why);

/* Writes bytes at `offset` of a tensor's data. Safe from any number of threads at once, in any order. */
BND_CHECKED bnd_status bnd_checkpoint_writer_put(bnd_checkpoint_writer *writer, size_t tensor, uint64_t offset,
                                                 const void *bytes, size_t length, bnd_error *why);

/* Gives everything its name. `durable` waits until the disk has it. The writer is freed in any case; on failure nothing
 * is left behind. bnd_checkpoint_writer_free does so without finishing; NULL does nothing. */
BND_CHECKED bnd_status bnd_checkpoint_writer_finish(bnd_checkpoint_writer *writer, bool durable, bnd_error *why);
void bnd_checkpoint_writer_free(bnd_checkpoint_writer *writer);

/* Removes what has no name yet, and frees nothing: for a handler of a signal that ends the program, in which it is safe
 * to call. It must not run while another thread finishes or frees the writer. */
void bnd_checkpoint_writer_remove(const bnd_checkpoint_writer *writer);

/* ---- long work ---- */

/* What long calls tell as they go: bytes of the checkpoint that are done. False ends the call with BND_BAD_STREAM.
 * Called by one thread at a time. */
typedef struct bnd_watch {
    bool (*at)(void *state, uint64_t done, uint64_t total); /* NULL: nothing is told */
    void *state;
    /* Calls that write a checkpoint tell the writer before they read data, for bnd_checkpoint_writer_remove, and NULL
     * before the writer is finished or freed. NULL: they do not tell it. */
    void (*output)(void *state, const bnd_checkpoint_writer *writer);
} bnd_watch;

#ifdef __cplusplus
}
#endif
#endif
