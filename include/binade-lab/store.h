/* Layer 6: arrays in files. Headers of .npy, read and written in memory; .safetensors; files mapped; files that are
 * written beside their name and take it when they are complete. Messages do not repeat the path, which callers know. */
#ifndef BINADE_STORE_H
#define BINADE_STORE_H

#include <binade/bulk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- .npy ----
 *
 * The header is read by a grammar, and nothing of it is believed before it is checked. No call allocates. */

enum {
    BND_NPY_START = 12, /* bytes from which bnd_npy_measure can tell the size of a header */
    BND_NPY_RANK_MAX = 64,
    BND_NPY_HEADER_MAX = 1 << 20, /* an honest header of 64 dimensions has less than 2 KiB */
    BND_NPY_DESCR_SIZE = 24
};

typedef enum bnd_npy_kind {
    BND_NPY_FLOAT,   /* f2, f4, f8: fp16, fp32, fp64 */
    BND_NPY_INTEGER, /* i and u: codes, if somebody says of which format */
    BND_NPY_OPAQUE   /* V1, V2, ..., f1, bfloat16: what ml_dtypes leaves; the same */
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

/* Do these bytes begin as a .npy file does? */
bool bnd_npy_begins(const void *bytes, size_t length);

/* The size of the header, of the first `length` bytes of a file (BND_NPY_START of them, or the whole file).
 * `file_size` is UINT64_MAX where it is not known; a header that the file is too short for is refused here, before
 * anybody makes room for it. */
BND_CHECKED bnd_status bnd_npy_measure(size_t *header_size, const void *start, size_t length, uint64_t file_size,
                                       bnd_error *why);

/* The whole header: as many bytes as bnd_npy_measure says. `why->where` is an offset into it. */
BND_CHECKED bnd_status bnd_npy_parse(bnd_npy *out, const void *header, size_t header_size, bnd_error *why);

/* Does the file end where the shape says? */
BND_CHECKED bnd_status bnd_npy_check_size(const bnd_npy *npy, uint64_t file_size, bnd_error *why);

/* The format of the elements: `asked` where it is not NULL, and where elements of this descr can be its codes;
 * otherwise what the descr says, which is refused (BND_BAD_ARGUMENT) where it says none. */
BND_CHECKED bnd_status bnd_npy_format(bnd_format *out, const bnd_npy *npy, const bnd_format *asked, bnd_error *why);

/* Elements are whole words, every code in the smallest that holds it; a tf32 code where it stands in fp32. */
bnd_packing bnd_npy_packing(const bnd_format *f);

/* Makes `npy` an array of this format, as every machine reads it: version 1, little-endian. Rank, shape and order
 * stay. Refused for value sets, and where the bytes would be more than 64 bits can count. */
BND_CHECKED bnd_status bnd_npy_describe(bnd_npy *npy, const bnd_format *f, bnd_error *why);

/* Writes the header of what bnd_npy_describe made: at most `size` bytes; returns the length of the whole, a multiple of
 * 64, which is the same for every shape of one dimension. */
size_t bnd_npy_print(void *out, size_t size, const bnd_npy *npy);

/* ---- .safetensors ----
 *
 * Named arrays in one file: a header of JSON, then the bytes, each array's behind the other's. Everything is checked
 * before anything is believed: the sizes against the file's own, every dtype, shape and range against each other, that
 * the ranges cover the data without a gap or an overlap, and that no name stands twice. Memory is taken for what the
 * header holds, at most about four times its bytes; the data are mapped and not read.
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

/* Allocates. With `parse` the bytes stay the caller's, and are there until the file is closed. why->where is an offset
 * into the file. */
BND_CHECKED bnd_status bnd_safetensors_new(bnd_safetensors **out, const char *path, bnd_error *why);
BND_CHECKED bnd_status bnd_safetensors_new_of_bytes(bnd_safetensors **out, const void *bytes, size_t size,
                                                    bnd_error *why);
void bnd_safetensors_free(bnd_safetensors *file); /* NULL is nothing */

/* Arrays, in the order of their data; NULL where there is none. What is pointed to is the file's. */
size_t bnd_safetensors_count(const bnd_safetensors *file);
const bnd_safetensor *bnd_safetensors_at(const bnd_safetensors *file, size_t index);
const bnd_safetensor *bnd_safetensors_find(const bnd_safetensors *file, const char *name);

/* Of the member __metadata__: pairs of texts, ordered by their keys; NULL where there is none. */
size_t bnd_safetensors_metadata_count(const bnd_safetensors *file);
const bnd_safetensors_pair *bnd_safetensors_metadata_at(const bnd_safetensors *file, size_t index);
const char *bnd_safetensors_metadata(const bnd_safetensors *file, const char *key);

/* The format of an array's elements, refused (BND_BAD_ARGUMENT) for those that are no floats; the dtype of a format, ""
 * where it has none. */
BND_CHECKED bnd_status bnd_safetensors_format(bnd_format *out, const bnd_safetensor *entry, bnd_error *why);
const char *bnd_safetensors_dtype(const bnd_format *f);

/* Writes a file, beside its name, which it takes when the disk has it: what stands there stays until then. Of each
 * entry name, dtype, rank, shape and data are looked at. The data stand ordered by the size of an element, the largest
 * first, then by name, from a multiple of 8 on, so that each array is aligned; the same arrays give the same file. What
 * bnd_safetensors_new_of_bytes would not read is refused (BND_BAD_ARGUMENT), and no file made. Allocates. */
BND_CHECKED bnd_status bnd_safetensors_write(const char *path, const bnd_safetensor *entries, size_t count,
                                             const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why);

/* ---- the library that reads JSON: "2.14" ---- */

const char *bnd_jansson_version(void);

#ifdef __cplusplus
}
#endif
#endif
