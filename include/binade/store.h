/* Layer 6: arrays in files. Headers of .npy, read and written in memory; files mapped; files that are written beside
 * their name and take it when they are complete. Messages do not repeat the path: the caller knows it. */
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
    uint8_t kind;                   /* bnd_npy_kind */
    uint8_t element_size;           /* 1, 2, 4, 8 */
    uint8_t version;                /* 1, 2, 3 */
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

/* ---- files ---- */

/* A file in memory, read only. Where it is cut short while it is mapped, reading beyond its end is a signal. */
typedef struct bnd_mapped {
    const unsigned char *bytes; /* NULL where size is 0 */
    size_t size;
} bnd_mapped;
BND_CHECKED bnd_status bnd_map_open(bnd_mapped *out, const char *path, bnd_error *why);
void bnd_map_close(bnd_mapped *map);
/* The bytes before `end` are not needed soon: they stop counting as this program's memory. */
void bnd_map_drop(const bnd_mapped *map, size_t end);

/* A file on its way. What exists under the name stays what it is until bnd_output_finish; what is no ordinary file (a
 * device, a pipe) is written in place. The members are for reading: `fd` to write to, `temporary` to remove where a
 * signal ends the program (NULL where there is none). */
typedef struct bnd_output {
    int fd;
    char *path, *temporary;
} bnd_output;

/* Allocates. Links are followed; permissions are those of what stands there, or those that a new file gets. `path` is
 * NULL for what is written in place. */
BND_CHECKED bnd_status bnd_output_open(bnd_output *out, const char *path, bnd_error *why);

/* All of these bytes, after those that were written before. */
BND_CHECKED bnd_status bnd_output_write(const bnd_output *out, const void *bytes, size_t length, bnd_error *why);

/* Closes the file and gives it its name; `durable` waits until the disk has it. Everything is released, and the
 * temporary file removed, whatever happens. */
BND_CHECKED bnd_status bnd_output_finish(bnd_output *out, bool durable, bnd_error *why);
void bnd_output_abandon(bnd_output *out);

#ifdef __cplusplus
}
#endif
#endif
