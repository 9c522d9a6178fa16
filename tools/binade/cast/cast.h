/* What the files of `binade cast` share.
 *
 * The array is processed in pieces of CAST_PIECE elements for any number of cores, so that sums of statistics do not
 * depend on it. One thread reads and converts, one writes; doc/dev/performance-notes.md has the measurement. */
#ifndef BINADE_TOOLS_CAST_H
#define BINADE_TOOLS_CAST_H

#include "common/command.h"
#include "common/progress.h"
#include "store/output_file.h"

#include <pthread.h>

/* A multiple of 8, so that packed pieces begin at a byte. 1 MiB of fp32: long enough for the system's calls to cost
 * nothing, short enough for the second cache. */
enum { CAST_PIECE = 1 << 18, CAST_SLOTS = 4 };
#define CAST_UNKNOWN UINT64_MAX

/* How the elements of a file lie in it. */
typedef struct cast_layout {
    bnd_format format;
    bnd_packing packing;
    bool big_endian;
} cast_layout;

/* ---- input ---- */

/* A file that is neither a bare array nor .npy. */
typedef struct cast_kind {
    const char *what;   /* "a .safetensors file"; NULL: none of these */
    const char *advice; /* what to do today */
} cast_kind;

enum { CAST_START = 512 }; /* bytes at the beginning of a file that show what it is */

/* By content: the first bytes, CAST_START of them or the whole file, with a 0 byte after them. `file_size` is
 * CAST_UNKNOWN on a pipe. */
cast_kind cast_kind_of(const unsigned char *bytes, size_t length, uint64_t file_size);
cast_kind cast_kind_named(const char *name); /* by the end of the name */
bool cast_name_ends(const char *name, const char *ending);

typedef struct cast_input {
    const command *command;
    const char *name; /* for messages */
    int fd;
    bool is_bare; /* set by --raw-input: the bytes are not checked for a file type */
    bool is_npy;
    bnd_npy npy;
    cast_layout layout;
    uint64_t count; /* elements that must come; CAST_UNKNOWN */
    uint64_t size;  /* bytes of them, where that is known beforehand; CAST_UNKNOWN */
    uint64_t taken; /* bytes of them that were read */
    uint64_t given; /* elements */
    unsigned char held[CAST_START + 1];
    size_t held_at, held_end; /* read to see what it is, and not yet given on */
} cast_input;

/* Opens a path, or standard input ("-"), and reads the header if there is one. Files of other kinds are refused, unless
 * the input `is_bare`. */
int cast_open_input(cast_input *in, const command *self, const char *path, bool is_bare);
/* With the layout set: is the size right, as far as can be known before reading? `count` is what the user says, or
 * CAST_UNKNOWN. */
int cast_expect(cast_input *in, uint64_t count);
/* How many elements must come, by what was said or by the size; CAST_UNKNOWN. */
uint64_t cast_expected(const cast_input *in);
/* The next piece: at most CAST_PIECE elements, 0 at the end, where what is wrong with the length is found. */
int cast_read(cast_input *in, unsigned char *bytes, size_t *elements);
void cast_close_input(cast_input *in);

/* ---- output ---- */

typedef struct cast_output {
    const command *command;
    const char *name;
    bnd_lab_output file; /* fd is where the bytes go */
    bool is_npy, to_stdout;
    bnd_npy npy; /* of a bare array: one dimension, 0 long where the length is not known */
    /* pieces on their way to the writer */
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned char *slots[CAST_SLOTS];
    size_t lengths[CAST_SLOTS];
    size_t filled, emptied; /* pieces so far */
    bool threaded, ended;
    int failure; /* errno of the write that failed */
} cast_output;

/* Refused if both paths (or "-") are one file. Checked before any is opened: a pipe would wait for itself. */
int cast_refuse_same(const command *self, const char *in, const char *out);
/* Opens a path, or standard output ("-"); refuses terminals. */
int cast_open_output(cast_output *out, const command *self, const char *path);
int cast_write_header(cast_output *out); /* `npy` has been described */
/* Puts everything in its place (`good`), or takes it away. `count` elements came. */
int cast_close_output(cast_output *out, bool good, uint64_t count);

/* The pieces: a slot to fill, handed over with its length; then the end. `slot_size` bytes each. */
unsigned char *cast_buffer(size_t size); /* of whole lines of the cache */
void cast_start_writer(cast_output *out, size_t slot_size, bool threaded);
unsigned char *cast_next_slot(cast_output *out); /* NULL after a write has failed */
void cast_hand_over(cast_output *out, size_t length);
int cast_stop_writer(cast_output *out);

/* ---- conversion ---- */

enum cast_call { CAST_ENCODE_F32, CAST_ENCODE_F64, CAST_ROUND_F32, CAST_ROUND_F64, CAST_CONVERT };

typedef struct cast_plan {
    cast_layout from, to;
    bnd_format target;      /* what is rounded to: the format of `to`, or that of --via */
    const char *rounded_to; /* its name, or a block format's */
    enum cast_call call;
    bnd_array how;
    bnd_stats *stats;           /* or NULL */
    unsigned swap_in, swap_out; /* bytes of a word to be swapped, 0 for none */
} cast_plan;

/* `via` is NULL where codes of `to` come out. */
void cast_make_plan(cast_plan *plan, const cast_layout *from, const cast_layout *to, const bnd_format *via);
size_t cast_piece_size(const cast_layout *layout, size_t elements);
/* Refused if the input has a value that is not a code of its format. `in` may be changed. */
bnd_status cast_convert(cast_plan *plan, unsigned char *out, unsigned char *in, size_t elements, bnd_error *why);

/* Words of `size` bytes between little-endian and this machine's order. */
void cast_swap_where_big(void *words, unsigned size, size_t count);

/* ---- block formats ---- */

typedef struct cast_blocks {
    bool given;
    bnd_block block;
    uint64_t columns; /* of a bare array; 0: all of it is one row */
} cast_blocks;

bool cast_fp32_holds(const bnd_format *f); /* all of its numbers */
/* As cast_run, with the whole array in memory: what is left of it when it goes through the block format. The rule of
 * `plan` rounds the elements; the way to fp32 is exact, and from there every number is rounded to nearest. */
int cast_run_blocks(cast_input *in, cast_output *out, cast_plan *plan, const cast_blocks *how, progress *bar,
                    bool threaded);

/* Everything from the input to the output. */
int cast_run(cast_input *in, cast_output *out, cast_plan *plan, progress *bar, bool threaded);

/* ---- statistics, on standard error ---- */

int cast_print_stats(const bnd_stats *stats, const cast_plan *plan, bool as_json);

#endif
