/* What checkpoint/ shares between its files.
 *
 * A checkpoint is opened in these steps: which files (folder.c, index.c), the header of each (shards.c, gguf_file.c,
 * npy_file.c), all tensors by name and compared with the index (tensors.c), and the weights that they stand for
 * (bndi_weights_find). Data are mapped, and no step looks at them.
 *
 * What is wrong with one file of several is damage: it is reported, and the rest is opened. Names in files are
 * untrusted: an index names files of its own folder only. */
#ifndef BINADE_SRC_CHECKPOINT_H
#define BINADE_SRC_CHECKPOINT_H

#include <binade-lab/checkpoint.h>

#include "store/gguf.h"
#include "store/mapped_file.h"
#include "store/safetensors.h"
#include "store/store.h"

/* A file with tensors. */
typedef struct bndi_checkpoint_file {
    char *name; /* within the folder */
    uint64_t size;
    bnd_safetensors *header; /* of .safetensors: names, shapes and the mapped bytes are its own */
    bool is_cut;             /* its end is missing: tensors that are not complete are not in the header */
} bndi_checkpoint_file;

enum { BNDI_TEXTS = 4, BNDI_TEXT_MAX = 1 << 24 };

typedef struct bndi_checkpoint_text {
    char *bytes; /* NULL: the file does not exist */
    size_t length;
} bndi_checkpoint_text;

struct bnd_checkpoint {
    bnd_checkpoint_kind kind;
    char *folder; /* where its files are: "." or a path */
    char *index;  /* the name of the file that says which tensor is where, or NULL */
    bndi_checkpoint_file *files;
    size_t file_count;
    bnd_stored_tensor *tensors; /* file by file, in the order of the data */
    size_t count;
    const bnd_stored_tensor **by_name;
    bnd_safetensors_pair *metadata; /* by key */
    size_t pairs;
    bndi_checkpoint_text texts[BNDI_TEXTS];
    char **others; /* the other files of the folder */
    size_t other_count;
    bnd_lab_mapped map; /* of a file that is not .safetensors */
    bndi_gguf gguf;
    void *npy;                    /* its header */
    struct bndi_weights *weights; /* made by bndi_weights_find: see there */
};

/* ---- weights ---- */

/* Finds the weights of the tensors: sets checkpoint->weights. The end of opening. bndi_weights_free frees them; NULL
 * does nothing. */
BND_CHECKED bnd_status bndi_weights_find(bnd_checkpoint *checkpoint, bnd_error *why);
void bndi_weights_free(struct bndi_weights *weights);

/* ---- opening ---- */

typedef struct bndi_opening {
    bnd_checkpoint *checkpoint;
    bnd_checkpoint_damage *damage;
    void *state;
    const char *alone; /* the name of the only file, if a file is opened and not a folder: messages do not repeat it */
    char *bad_index;   /* NULL, or BNDI_SHOWN bytes: gets the name of an index that cannot be read */
} bndi_opening;

/* bnd_checkpoint_new with an opening, whose checkpoint is set here. */
BND_CHECKED bnd_status bndi_checkpoint_open(bnd_checkpoint **out, bndi_opening *opening, const char *path,
                                            bnd_error *why);

/* Reports something wrong, where->message being what. BND_OK if there is someone to report to; otherwise it becomes the
 * failure, with `where` before the message. A lack of memory is a failure in any case. */
BND_CHECKED bnd_status bndi_report(const bndi_opening *opening, const char *code, const char *where,
                                   const bnd_error *what, bnd_error *why);

/* "folder/name", which the caller frees; NULL: no memory. */
char *bndi_path_in(const char *folder, const char *name);

bool bndi_ends_with(const char *name, const char *ending);

/* ---- long work ---- */

/* Tells the writer of an output, or NULL, where it is asked for: see bnd_watch. `watch` may be NULL. */
void bndi_tell_output(const bnd_watch *watch, const bnd_checkpoint_writer *writer);

/* ---- index ---- */

/* A line of an index's weight_map. `file` is a name without folders. */
typedef struct bndi_index_entry {
    const char *tensor, *file;
    size_t file_number; /* among `files` */
} bndi_index_entry;

typedef struct bndi_index {
    bndi_index_entry *entries; /* by tensor; each once */
    size_t count;
    const char **files; /* by name; each once */
    size_t file_count;
    bool has_total_size;
    uint64_t total_size;
    char *strings;
    size_t string_bytes, room;
} bndi_index;

/* Reads the text of a model.safetensors.index.json. On failure: BND_BAD_FILE or BND_NO_MEMORY; `out` is untouched. */
BND_CHECKED bnd_status bndi_index_read(bndi_index *out, const bndi_json_text *text, bnd_error *why);
void bndi_index_free(bndi_index *index);

/* Returns: the name of the file that it says this tensor is in, or NULL. */
const char *bndi_index_find(const bndi_index *index, const char *tensor);

/* A line of an index that is to be written, and all of them, by name. */
typedef struct bndi_index_line {
    const char *tensor;
    size_t shard;
} bndi_index_line;

typedef struct bndi_index_lines {
    const bndi_index_line *lines;
    size_t count, shards;
    uint64_t total_size;
} bndi_index_lines;

/* The text of an index, which the caller frees. */
BND_CHECKED bnd_status bndi_index_print(char **text, size_t *length, const bndi_index_lines *lines, bnd_error *why);

/* "model-00001-of-00003.safetensors", or "model.safetensors" if there is one shard. */
enum { BNDI_SHARD_NAME = 80 };
void bndi_name_shard(char out[BNDI_SHARD_NAME], size_t shard, size_t shards);

/* ---- files ---- */

/* The names in a folder, sorted: regular files or links to them, none that begin with a dot. */
typedef struct bndi_names {
    char **names;
    size_t count, room;
} bndi_names;
BND_CHECKED bnd_status bndi_list_folder(bndi_names *out, const char *folder, bnd_error *why);
void bndi_names_free(bndi_names *names);

/* Reports each file of a series, model-00001-of-00003.safetensors and so on, that is not among these names. Series
 * differ in what is before the numbers, or in how many files they have. */
BND_CHECKED bnd_status bndi_check_series(const bndi_opening *opening, const char *const *names, size_t count,
                                         bnd_error *why);

/* Reads config.json and the like where they are. */
BND_CHECKED bnd_status bndi_read_texts(const bndi_opening *opening, bnd_error *why);
bool bndi_is_text(const char *name);

/* Opens .safetensors files of checkpoint->folder, with `index` where there is one (else NULL), and takes the tensors of
 * those that can be read. */
BND_CHECKED bnd_status bndi_open_shards(const bndi_opening *opening, const char *const *names, size_t count,
                                        const bndi_index *index, bnd_error *why);

/* The same of one file, opening->alone, whose bytes are in memory and stay there. */
BND_CHECKED bnd_status bndi_open_bytes(const bndi_opening *opening, const unsigned char *bytes, size_t size,
                                       bnd_error *why);

/* Take the tensors of a .gguf file, and the one of a .npy file, which opening->checkpoint->map is. */
BND_CHECKED bnd_status bndi_open_gguf(const bndi_opening *opening, bnd_error *why);
BND_CHECKED bnd_status bndi_open_npy(const bndi_opening *opening, bnd_error *why);

/* Makes checkpoint->by_name. Tensors that are there twice are reported, and left out but for one; the rest is compared
 * with the index where there is one. */
BND_CHECKED bnd_status bndi_take_names(const bndi_opening *opening, const bndi_index *index, bnd_error *why);

#endif
