/* Writing .safetensors. The header is made in memory and parsed by the reader before the file is created: what the
 * reader would refuse is never written, and no rule exists twice. */
#include "store/checksum.h"
#include "store/json_writer.h"
#include "store/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { START = BNDI_SAFETENSORS_START };

typedef bndi_placed placed;
typedef bndi_safetensors_layout layout;

/* ---- the order ---- */

/* The larger elements first: from a multiple of 8 on each array then begins at a multiple of its elements' size. */
static int compare(const void *a, const void *b)
{
    const bnd_safetensor *x = &((const placed *)a)->entry, *y = &((const placed *)b)->entry;
    return x->bits != y->bits ? (x->bits > y->bits ? -1 : 1) : strcmp(x->name, y->name);
}

bnd_status bndi_safetensors_describe(bnd_safetensor *out, const bnd_safetensor *entry, bnd_error *why)
{
    bndi_dtype dtype = bndi_safetensors_dtype(entry->dtype);
    bnd_error inner = {.message = ""};
    *out = *entry;
    out->bits = dtype.bits;
    bnd_status status = BND_OK;
    if (dtype.bits == 0) {
        status = bnd_fail(&inner, BND_BAD_ARGUMENT, 0, "%s is not a dtype of .safetensors", entry->dtype);
    } else if (entry->rank > BND_SAFETENSORS_RANK_MAX) {
        status = bnd_fail(&inner, BND_BAD_ARGUMENT, 0, "it has %zu dimensions; the limit is %d", entry->rank,
                          (int)BND_SAFETENSORS_RANK_MAX);
    } else {
        status = bndi_safetensors_size(out, &inner);
    }
    return status == BND_OK ? BND_OK
                            : bnd_fail(why, BND_BAD_ARGUMENT, 0, "tensor \"%s\": %s", entry->name, inner.message);
}

static bnd_status place_all(layout *l, const bnd_safetensor *entries, bnd_error *why)
{
    l->placed = calloc(l->count + 1, sizeof *l->placed);
    if (l->placed == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", l->count);
    }
    for (size_t i = 0; i < l->count; i++) {
        l->placed[i].index = i;
        bnd_status status = bndi_safetensors_describe(&l->placed[i].entry, &entries[i], why);
        if (status != BND_OK) {
            return status;
        }
        if (l->placed[i].entry.size > (uint64_t)INT64_MAX - l->data_size) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "these tensors have more bytes than a file can hold");
        }
        l->data_size += l->placed[i].entry.size;
    }
    qsort(l->placed, l->count, sizeof *l->placed, compare);
    return BND_OK;
}

/* ---- the header ---- */

static void print_header(bnd_lab_json_memory *out, const layout *l)
{
    bnd_lab_json json;
    uint64_t at = 0;
    bnd_lab_json_begin(&json, bnd_lab_json_to_memory, out);
    bnd_lab_json_object(&json, NULL);
    if (l->pairs > 0) {
        bnd_lab_json_object(&json, "__metadata__");
        for (size_t i = 0; i < l->pairs; i++) {
            bnd_lab_json_string(&json, l->metadata[i].key, l->metadata[i].value);
        }
        bnd_lab_json_end(&json);
    }
    for (size_t i = 0; i < l->count; i++) {
        const bnd_safetensor *t = &l->placed[i].entry;
        bnd_lab_json_object(&json, t->name);
        bnd_lab_json_string(&json, "dtype", t->dtype);
        bnd_lab_json_array(&json, "shape");
        for (size_t k = 0; k < t->rank; k++) {
            bnd_lab_json_unsigned(&json, NULL, t->shape[k]);
        }
        bnd_lab_json_end(&json);
        bnd_lab_json_array(&json, "data_offsets");
        bnd_lab_json_unsigned(&json, NULL, at);
        bnd_lab_json_unsigned(&json, NULL, at += t->size);
        bnd_lab_json_end(&json);
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_end(&json);
}

static bnd_status make_header(layout *l, bnd_error *why)
{
    bnd_lab_json_memory measured = {.bytes = NULL};
    print_header(&measured, l);
    size_t length = (measured.length + START - 1) / START * START; /* filled up with blanks: the data are aligned */
    if (length > BND_SAFETENSORS_HEADER_MAX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "these tensors need a header of %zu bytes; the limit is %d", length,
                        (int)BND_SAFETENSORS_HEADER_MAX);
    }
    l->header_size = START + length;
    l->header = malloc(l->header_size);
    if (l->header == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a header of %zu bytes", length);
    }
    for (size_t i = 0; i < START; i++) {
        l->header[i] = (char)((uint64_t)length >> 8 * i & 0xff);
    }
    memset(l->header + START, ' ', length);
    bnd_lab_json_memory out = {.bytes = l->header + START};
    print_header(&out, l);
    uint64_t at = l->header_size;
    for (size_t i = 0; i < l->count; i++) {
        l->placed[i].offset = at;
        at += l->placed[i].entry.size;
    }
    return BND_OK;
}

/* Texts that are not UTF-8 have become others. */
static bnd_status compare_texts(const layout *l, const bnd_safetensors *read, bnd_error *why)
{
    for (size_t i = 0; i < l->count; i++) {
        if (bnd_safetensors_find(read, l->placed[i].entry.name) == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the name of tensor %zu must be UTF-8", l->placed[i].index);
        }
    }
    for (size_t i = 0; i < l->pairs; i++) {
        char shown[BNDI_SHOWN];
        const char *key = l->metadata[i].key, *value = bnd_safetensors_metadata(read, key);
        if (value == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the key of pair %zu of the metadata must be UTF-8", i);
        }
        if (strcmp(value, l->metadata[i].value) != 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the text of '%s' in the metadata must be UTF-8",
                            bndi_shown(shown, key));
        }
    }
    return BND_OK;
}

static bnd_status check_header(const layout *l, bnd_error *why)
{
    bnd_safetensors *read;
    const bndi_json_text header = {l->header + START, l->header_size - START};
    bnd_status status = bndi_safetensors_read(&read, &header, NULL, l->data_size, why);
    if (status == BND_BAD_FILE) { /* it is the caller's entries that are wrong, not a file */
        status = BND_BAD_ARGUMENT;
        if (why != NULL) {
            why->status = status;
            why->where = 0;
        }
    }
    if (status == BND_OK) {
        status = compare_texts(l, read, why);
        bnd_safetensors_free(read);
    }
    return status;
}

/* ---- the file ---- */

static bnd_status write_all(const bnd_lab_output *file, const layout *l, bndi_write_data *write, void *context,
                            bnd_error *why)
{
    bnd_status status = bnd_lab_output_write(file, l->header, l->header_size, why);
    for (size_t i = 0; status == BND_OK && i < l->count; i++) {
        status = write(file, &l->placed[i].entry, l->placed[i].index, context, why);
    }
    return status;
}

static bnd_status write_file(const layout *l, const char *path, bndi_write_data *write, void *context, bnd_error *why)
{
    bnd_lab_output file;
    bnd_status status = bnd_lab_output_open(&file, path, why);
    if (status != BND_OK) {
        return status;
    }
    status = write_all(&file, l, write, context, why);
    if (status != BND_OK) {
        bnd_lab_output_abandon(&file);
        return status;
    }
    return bnd_lab_output_finish(&file, true, why);
}

bnd_status bndi_safetensors_lay_out(bndi_safetensors_layout *out, const bnd_safetensor *entries, size_t count,
                                    const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why)
{
    layout l = {.count = count, .metadata = metadata, .pairs = pairs};
    bnd_status status = place_all(&l, entries, why);
    if (status == BND_OK) {
        status = make_header(&l, why);
    }
    if (status == BND_OK) {
        status = check_header(&l, why);
    }
    if (status == BND_OK) {
        *out = l;
    } else {
        bndi_safetensors_layout_free(&l);
    }
    return status;
}

void bndi_safetensors_layout_free(bndi_safetensors_layout *l)
{
    free(l->placed);
    free(l->header);
    *l = (layout){.count = 0};
}

bnd_status bndi_safetensors_save(const char *path, const bnd_safetensor *entries, size_t count,
                                 const bnd_safetensors_pair *metadata, size_t pairs, bndi_write_data *write,
                                 void *context, bnd_error *why)
{
    layout l;
    bnd_status status = bndi_safetensors_lay_out(&l, entries, count, metadata, pairs, why);
    if (status == BND_OK) {
        status = write_file(&l, path, write, context, why);
        bndi_safetensors_layout_free(&l);
    }
    return status;
}

/* What the file will be is added up first, with zeros where its checksum will be. */
static bnd_status put_sum(layout *l, bndi_write_data *write, void *context, bnd_error *why)
{
    bndi_checksum sum;
    const bnd_lab_output nowhere = {.fd = -1, .sum = &sum};
    const bndi_json_text header = {l->header + START, l->header_size - START};
    bndi_checksum_begin(&sum);
    bnd_status status = write_all(&nowhere, l, write, context, why);
    if (status == BND_OK) {
        bndi_checksum_digits(l->header + START + bndi_sum_place(&header), bndi_checksum_of(&sum));
    }
    return status;
}

bnd_status bndi_safetensors_save_summed(const char *path, const bnd_safetensor *entries, size_t count,
                                        const bnd_safetensors_pair *metadata, size_t pairs, bndi_write_data *write,
                                        void *context, bnd_error *why)
{
    layout l;
    bnd_safetensors_pair *all = calloc(pairs + 1, sizeof *all);
    if (all == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu texts", pairs);
    }
    all[0] = (bnd_safetensors_pair){bndi_sum_key, bndi_sum_zeros};
    if (pairs > 0) {
        memcpy(all + 1, metadata, pairs * sizeof *all);
    }
    bnd_status status = bndi_safetensors_lay_out(&l, entries, count, all, pairs + 1, why);
    if (status == BND_OK) {
        status = put_sum(&l, write, context, why);
        status = status == BND_OK ? write_file(&l, path, write, context, why) : status;
        bndi_safetensors_layout_free(&l);
    }
    free(all);
    return status;
}

static bnd_status write_given(const bnd_lab_output *file, const bnd_safetensor *entry, size_t index, void *context,
                              bnd_error *why)
{
    (void)index;
    (void)context;
    return entry->size > 0 ? bnd_lab_output_write(file, entry->data, (size_t)entry->size, why) : BND_OK;
}

bnd_status bnd_safetensors_write(const char *path, const bnd_safetensor *entries, size_t count,
                                 const bnd_safetensors_pair *metadata, size_t pairs, bnd_error *why)
{
    return bndi_safetensors_save(path, entries, count, metadata, pairs, write_given, NULL, why);
}
