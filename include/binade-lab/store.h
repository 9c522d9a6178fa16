/* Layer 6: arrays in files. Headers of .npy, read and written in memory, and .safetensors. Messages do not repeat the
 * path. Calls that return bnd_status write their outputs only if they return BND_OK. */
#ifndef BINADE_STORE_H
#define BINADE_STORE_H

#include <binade/bulk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- .npy ----
 *
 * The header is read by a grammar, and every field is checked before it is used. No call allocates. */

enum {
    BND_NPY_START = 12, /* bytes from which bnd_npy_measure can tell the size of a header */
    BND_NPY_RANK_MAX = 64,
    BND_NPY_HEADER_MAX = 1 << 20, /* an honest header of 64 dimensions has less than 2 KiB */
    BND_NPY_DESCR_SIZE = 24
};

typedef enum bnd_npy_kind {
    BND_NPY_FLOAT,   /* f2, f4, f8: fp16, fp32, fp64 */
    BND_NPY_INTEGER, /* i and u: codes of a format that the caller names */
    BND_NPY_OPAQUE   /* V1, V2, ..., f1, bfloat16, as ml_dtypes writes them; also codes */
} bnd_npy_kind;

typedef struct bnd_npy {
    char descr[BND_NPY_DESCR_SIZE]; /* as the header has it, with a 0 byte */
    bnd_npy_kind kind;
    uint8_t element_size; /* 1, 2, 4, 8 */
    uint8_t version;      /* 1, 2, 3 */
    bool big_endian, fortran_order;
    size_t rank;
    uint64_t shape[BND_NPY_RANK_MAX];
    uint64_t count, data_size; /* elements, and their bytes */
    size_t header_size;        /* the data begin here */
} bnd_npy;

/* Returns: whether these bytes begin as a .npy file does. */
bool bnd_npy_begins(const void *bytes, size_t length);

/* Finds the size of the header.
 * Arguments: `start` has the first `length` bytes of the file: BND_NPY_START of them, or the whole file; `file_size` is
 * UINT64_MAX if it is not known.
 * On failure: BND_BAD_FILE for bytes that are not a .npy file, and for a header larger than the file. */
BND_CHECKED bnd_status bnd_npy_measure(size_t *header_size, const void *start, size_t length, uint64_t file_size,
                                       bnd_error *why);

/* Reads the header.
 * Arguments: `header` has as many bytes as bnd_npy_measure found.
 * On failure: BND_BAD_FILE; why->where is an offset into the header. */
BND_CHECKED bnd_status bnd_npy_parse(bnd_npy *out, const void *header, size_t header_size, bnd_error *why);

/* Checks that the file ends where the shape says.
 * On failure: BND_BAD_FILE. */
BND_CHECKED bnd_status bnd_npy_check_size(const bnd_npy *npy, uint64_t file_size, bnd_error *why);

/* Finds the format of the elements.
 * Arguments: `asked` is a format whose codes the elements are, or NULL: what the descr says.
 * On failure: BND_BAD_ARGUMENT if elements of this descr cannot be codes of it, or if the descr names no format. */
BND_CHECKED bnd_status bnd_npy_format(bnd_format *out, const bnd_npy *npy, const bnd_format *asked, bnd_error *why);

/* How codes of a format lie in a .npy file: each in the smallest word that holds it, tf32 as in fp32.
 * Returns: the packing for calls on arrays. */
bnd_packing bnd_npy_packing(const bnd_format *f);

/* Makes `npy` the header of an array of this format: version 1, little-endian. Rank, shape and order stay.
 * On failure: BND_BAD_ARGUMENT for value sets, and if the bytes are more than 64 bits can count. */
BND_CHECKED bnd_status bnd_npy_describe(bnd_npy *npy, const bnd_format *f, bnd_error *why);

/* Writes a header that bnd_npy_describe made.
 * Arguments: at most `size` bytes are written.
 * Returns: the length of the whole header, a multiple of 64, which is the same for every shape of one dimension. */
size_t bnd_npy_print(void *out, size_t size, const bnd_npy *npy);

/* ---- .safetensors ----
 *
 * Named arrays in one file: a header of JSON, then the bytes of the arrays. Everything is checked when a file is
 * opened: the sizes against the size of the file; every dtype, shape and range against each other; that the ranges
 * cover the data without gaps and overlaps; and that names are unique. It takes memory for the header only, at most
 * about four times its bytes; the data are mapped and not read.
 *
 * A file is safe to read from any number of threads at once. */

enum {
    BND_SAFETENSORS_HEADER_MAX = 100000000, /* bytes of JSON, as the format says */
    BND_SAFETENSORS_RANK_MAX = 64
};

typedef enum bnd_safetensors_kind {
    BND_SAFETENSORS_FLOAT, /* codes of a format: bnd_safetensors_format says which */
    BND_SAFETENSORS_UNSIGNED,
    BND_SAFETENSORS_SIGNED,
    BND_SAFETENSORS_BOOL,   /* a byte each */
    BND_SAFETENSORS_COMPLEX /* C64: pairs of fp32 */
} bnd_safetensors_kind;

/* An array. The bytes are little-endian words, and packed where codes are smaller than a byte; they stand
 * at any address. */
typedef struct bnd_safetensor {
    const char *name;  /* UTF-8, with a 0 byte */
    const char *dtype; /* "BF16" */
    bnd_safetensors_kind kind;
    uint8_t bits;          /* of an element */
    size_t rank;           /* 0 .. BND_SAFETENSORS_RANK_MAX */
    const uint64_t *shape; /* rank entries */
    uint64_t count;        /* elements; a shape without entries has one */
    uint64_t size;         /* bytes */
    const unsigned char *data;
} bnd_safetensor;

typedef struct bnd_safetensors_pair {
    const char *key, *value;
} bnd_safetensors_pair;

typedef struct bnd_safetensors bnd_safetensors;

/* Opens a file.
 * On failure: BND_BAD_STREAM if it cannot be read; BND_BAD_FILE if it is not such a file (why->where is an offset
 * into it); BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_safetensors_new(bnd_safetensors **out, const char *path, bnd_error *why);

/* bnd_safetensors_new of a file in memory.
 * Arguments: `bytes` stay the caller's, and stay there until bnd_safetensors_free. */
BND_CHECKED bnd_status bnd_safetensors_new_of_bytes(bnd_safetensors **out, const void *bytes, size_t size,
                                                    bnd_error *why);

/* Closes a file and frees what describes it. NULL does nothing. */
void bnd_safetensors_free(bnd_safetensors *file);

/* Returns: the number of arrays. */
size_t bnd_safetensors_count(const bnd_safetensors *file);

/* Returns: an array, in the order of the data, until the file is freed; NULL if the index is out of range. */
const bnd_safetensor *bnd_safetensors_at(const bnd_safetensors *file, size_t index);

/* Returns: the array of this name, until the file is freed; NULL if there is none. */
const bnd_safetensor *bnd_safetensors_find(const bnd_safetensors *file, const char *name);

/* Returns: the number of texts in the member __metadata__. */
size_t bnd_safetensors_metadata_count(const bnd_safetensors *file);

/* Returns: a text of __metadata__, ordered by key, until the file is freed; NULL if the index is out of range. */
const bnd_safetensors_pair *bnd_safetensors_metadata_at(const bnd_safetensors *file, size_t index);

/* Returns: the text of this key, until the file is freed; NULL if there is none. */
const char *bnd_safetensors_metadata(const bnd_safetensors *file, const char *key);

/* Finds the format of the elements of an array.
 * On failure: BND_BAD_ARGUMENT for arrays that are not BND_SAFETENSORS_FLOAT. */
BND_CHECKED bnd_status bnd_safetensors_format(bnd_format *out, const bnd_safetensor *entry, bnd_error *why);

/* Returns: the dtype of a format, "BF16"; "" if it has none. */
const char *bnd_safetensors_dtype(const bnd_format *f);

/* Writes a file, which appears under its name when it is complete and on the disk. The data are ordered by the size of
 * an element, the largest first, then by name, and begin at a multiple of 8, so that each array is aligned. The same
 * arrays give the same bytes.
 * Arguments: of each entry name, dtype, rank, shape and data are used; `metadata` has `pairs` texts.
 * On failure: BND_BAD_ARGUMENT for what bnd_safetensors_new would not read; BND_BAD_STREAM if the file cannot be
 * written; BND_NO_MEMORY. What was there stays. */
BND_CHECKED bnd_status bnd_safetensors_write(const char *path, const bnd_safetensor *entries, size_t count,
                                             const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why);

/* Writes a number of bytes for people: "3.60 MiB"; "-" if it is NaN.
 * Arguments: at most `size` bytes are written, with a final 0 byte.
 * Returns: the length of the whole text, as snprintf. */
size_t bnd_bytes_print(char *out, size_t size, double bytes);

/* Returns: the version of the library that reads JSON, "2.14". */
const char *bnd_jansson_version(void);

#ifdef __cplusplus
}
#endif
#endif
