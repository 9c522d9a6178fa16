/* A .npy file as a checkpoint of one tensor, which is called as the file is. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

typedef struct npy_tensor {
    bnd_npy header;
    char name[];
} npy_tensor;

static bnd_status read_header(bnd_npy *out, const bnd_lab_mapped *map, bnd_error *why)
{
    size_t size = 0;
    bnd_status status =
        bnd_npy_measure(&size, map->bytes, map->size < BND_NPY_START ? map->size : BND_NPY_START, map->size, why);
    if (status == BND_OK) {
        status = bnd_npy_parse(out, map->bytes, size, why);
    }
    if (status == BND_OK) {
        status = bnd_npy_check_size(out, map->size, why);
    }
    if (status == BND_OK && out->big_endian) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is big-endian; save it with astype('<%s')", out->descr + 1);
    }
    if (status == BND_OK && out->fortran_order && out->rank > 1) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is in the order of Fortran; save numpy.ascontiguousarray of it");
    }
    return status;
}

/* The format of floats and of types that are named as formats are, such as bfloat16. NULL: none. Codes of less than a
 * byte stand in a byte each here, and in none of our arrays. */
static const bnd_format *format_of(const bnd_npy *npy)
{
    bnd_format f;
    bool is_float = npy->kind == BND_NPY_FLOAT && bnd_npy_format(&f, npy, NULL, NULL) == BND_OK;
    if (!is_float) {
        bool is_named = npy->kind == BND_NPY_OPAQUE && bnd_format_parse(&f, npy->descr, NULL) == BND_OK;
        is_float = is_named && f.width == 8u * npy->element_size;
    }
    for (size_t row = 0; is_float && row < bnd_format_count(); row++) {
        if (bnd_format_same(&f, bnd_format_at(row))) {
            return bnd_format_at(row);
        }
    }
    return NULL;
}

static bnd_stored_tensor stored(const npy_tensor *npy, const bnd_lab_mapped *map)
{
    const bnd_npy *header = &npy->header;
    const bnd_format *format = format_of(header);
    return (bnd_stored_tensor){.name = npy->name,
                               .dtype = header->descr,
                               .kind = format != NULL                    ? BND_STORED_FLOAT
                                       : header->kind == BND_NPY_INTEGER ? BND_STORED_INTEGER
                                                                         : BND_STORED_OTHER,
                               .is_signed = header->kind == BND_NPY_INTEGER && header->descr[1] == 'i',
                               .bits = (uint8_t)(8 * header->element_size),
                               .format = format,
                               .rank = header->rank,
                               .shape = header->shape,
                               .count = header->count,
                               .size = header->data_size,
                               .data = map->bytes + header->header_size};
}

bnd_status bndi_open_npy(const bndi_opening *opening, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    bnd_npy header;
    bnd_status status = read_header(&header, &c->map, why);
    if (status != BND_OK) {
        return status;
    }
    c->kind = BND_CHECKPOINT_NPY;
    size_t length = strlen(opening->alone);
    npy_tensor *npy = malloc(sizeof *npy + length + 1);
    c->npy = npy;
    c->files = calloc(1, sizeof *c->files);
    c->tensors = calloc(1, sizeof *c->tensors);
    char *name = strdup(opening->alone);
    if (npy == NULL || c->files == NULL || c->tensors == NULL || name == NULL) {
        free(name);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a description of it");
    }
    c->files[0] = (bndi_checkpoint_file){.name = name, .size = c->map.size};
    c->file_count = 1;
    npy->header = header;
    memcpy(npy->name, name, length + 1);
    npy->name[length - (bndi_ends_with(name, ".npy") ? 4 : 0)] = '\0';
    if (!bndi_is_utf8(name, length)) { /* names are, of files they need not be */
        npy->name[0] = '\0';
    }
    c->tensors[c->count++] = stored(npy, &c->map);
    return bndi_take_names(opening, NULL, why);
}
