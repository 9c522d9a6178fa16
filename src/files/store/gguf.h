/* .gguf files, versions 2 and 3: a header of pairs (key, value) and tensors, then the data of the tensors, each at a
 * multiple of the alignment. The header is read from bytes in memory, every count and length is checked against the
 * rest of the file before it is used, and the data are not looked at. It takes memory for strings and tensors only, at
 * most about eight times the bytes of the header. */
#ifndef BINADE_SRC_STORE_GGUF_H
#define BINADE_SRC_STORE_GGUF_H

#include "store/store.h"

typedef enum bndi_gguf_kind {
    BNDI_GGUF_FLOAT,
    BNDI_GGUF_INTEGER, /* with a sign */
    BNDI_GGUF_BLOCKS,  /* that bnd_gguf_decode_f32 decodes */
    BNDI_GGUF_OTHER
} bndi_gguf_kind;

/* A row of gguf_types.def. */
typedef struct bndi_gguf_type {
    uint32_t number;
    const char *name;
    bndi_gguf_kind kind;
    uint32_t elements, bytes; /* of a block */
    int format;               /* a row of formats.def; -1: none */
} bndi_gguf_type;

/* Returns: the type of this number, or NULL. */
const bndi_gguf_type *bndi_gguf_type_of(uint32_t number);

enum { BNDI_GGUF_RANK_MAX = 4 };

typedef struct bndi_gguf_tensor {
    const char *name; /* UTF-8, with a 0 byte */
    const bndi_gguf_type *type;
    size_t rank;
    uint64_t shape[BNDI_GGUF_RANK_MAX]; /* the slowest dimension first: a file has them the other way round */
    uint64_t count, size;
    uint64_t offset; /* of its data, in the file */
} bndi_gguf_tensor;

typedef struct bndi_gguf {
    uint32_t version, alignment;
    uint64_t parts;            /* split.count: of how many files this is one; 0: it does not say */
    bndi_gguf_tensor *tensors; /* in the order of the data */
    size_t count;
    bnd_safetensors_pair *strings; /* pairs whose value is one string, by key; texts that are not UTF-8 are left out */
    size_t string_count;
    char *memory; /* of names and strings */
} bndi_gguf;

/* Returns: whether these bytes begin as a .gguf file does. */
bool bndi_gguf_begins(const void *bytes, size_t length);

/* Reads the header of a whole file.
 * On failure: BND_BAD_FILE (why->where is an offset into the file), BND_NO_MEMORY. */
BND_CHECKED bnd_status bndi_gguf_read(bndi_gguf *out, const unsigned char *bytes, size_t size, bnd_error *why);
void bndi_gguf_free(bndi_gguf *file);

#endif
