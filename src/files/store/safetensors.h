/* What the files of .safetensors share. */
#ifndef BINADE_SRC_STORE_SAFETENSORS_H
#define BINADE_SRC_STORE_SAFETENSORS_H

#include "store/json.h"
#include "store/store.h"

enum { BNDI_SAFETENSORS_START = 8 }; /* bytes of the header's length */

/* A dtype: what it is called, what it is, and the bits of an element. */
typedef struct bndi_dtype {
    const char *name;
    uint8_t kind, bits; /* no bits: this dtype does not exist */
} bndi_dtype;
bndi_dtype bndi_safetensors_dtype(const char *name);

/* The bytes of these elements, refused where no file could hold them or where they end within a byte. */
BND_CHECKED bnd_status bndi_safetensors_size(bnd_safetensor *entry, bnd_error *why);

typedef struct bndi_safetensor {
    bnd_safetensor entry;
    bndi_json_span key;  /* where the header has the name */
    uint64_t begin;      /* in the data */
    size_t first_extent; /* where its shape begins, among all */
    bool in_pairs;       /* its shape counted pairs of 4-bit elements; the entry counts elements */
} bndi_safetensor;

struct bnd_safetensors {
    bnd_lab_mapped map;             /* of what bnd_safetensors_new has opened */
    const unsigned char *bytes;     /* the whole file, also where it is the caller's; */
    size_t size, header_size;       /* the header with its length before it */
    bndi_safetensor *entries;       /* by their data */
    const bnd_safetensor **by_name; /* the same */
    bnd_safetensors_pair *pairs;    /* by their keys */
    uint64_t *extents;              /* of all shapes */
    char *strings;                  /* names, keys and texts */
    uint64_t data_size;             /* what the tensors need */
    size_t count, pair_count, extent_count, string_bytes;
    size_t room, pair_room, extent_room;
};

/* The length of the header, from the first 8 bytes of a file (all, if it has fewer); refused where it cannot be right.
 */
BND_CHECKED bnd_status bndi_safetensors_measure(size_t *header_length, const unsigned char *start, uint64_t file_size,
                                                bnd_error *why);

/* Parses the header of a file with `data_size` bytes of data. Only the header is looked at, so the data may be NULL.
 * With BNDI_SAFETENSORS_ANY_SIZE the tensors say how much data there are to be (file->data_size), and 4-bit tensors
 * whose shape counts pairs are read. why->where is an offset into the header. */
#define BNDI_SAFETENSORS_ANY_SIZE UINT64_MAX
BND_CHECKED bnd_status bndi_safetensors_read(bnd_safetensors **out, const bndi_json_text *header,
                                             const unsigned char *data, uint64_t data_size, bnd_error *why);

/* ---- the checksum ----
 *
 * A pair of the metadata: XXH64 of the whole file, in which the 16 digits of the checksum itself are zeros. So it
 * covers the names, the shapes and the other metadata, too. */
extern const char bndi_sum_key[], bndi_sum_zeros[];

/* Where the digits begin in a header; its length if it has none. */
size_t bndi_sum_place(const bndi_json_text *header);

/* ---- writing ---- */

/* An entry of a file that is to be written, its bytes known, in the order of the file. */
typedef struct bndi_placed {
    bnd_safetensor entry;
    size_t index;    /* among the caller's */
    uint64_t offset; /* of its data, in the file */
} bndi_placed;

typedef struct bndi_safetensors_layout {
    bndi_placed *placed;
    size_t count;
    const bnd_safetensors_pair *metadata; /* the caller's */
    size_t pairs;
    char *header; /* its length, then the text */
    size_t header_size;
    uint64_t data_size;
} bndi_safetensors_layout;

/* Sets bits, elements and bytes from dtype and shape. On failure: BND_BAD_ARGUMENT; the message names the entry. */
BND_CHECKED bnd_status bndi_safetensors_describe(bnd_safetensor *out, const bnd_safetensor *entry, bnd_error *why);

/* Makes the header of a file that bnd_safetensors_write would write, and says where the data of each entry go. The data
 * of the entries are not looked at. Allocates. */
BND_CHECKED bnd_status bndi_safetensors_lay_out(bndi_safetensors_layout *out, const bnd_safetensor *entries,
                                                size_t count, const bnd_safetensors_pair *metadata, size_t pairs,
                                                bnd_error *why);
void bndi_safetensors_layout_free(bndi_safetensors_layout *layout);

#endif
