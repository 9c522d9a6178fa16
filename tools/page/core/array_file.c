/* The headers of files that were dropped. They are read by the files wing, from their bytes alone: the data stay where
 * they are until an array is examined. */
#include "answer.h"
#include "common/print.h"
#include "store/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of 64 bits as strings: JavaScript's have 53. */
static void put_count(bnd_lab_json *json, const char *key, uint64_t count)
{
    json_owned_string(json, key, format_text("%llu", (unsigned long long)count));
}

static void put_shape(bnd_lab_json *json, const uint64_t *shape, size_t rank)
{
    bnd_lab_json_array(json, "shape");
    for (size_t i = 0; i < rank; i++) {
        put_count(json, NULL, shape[i]);
    }
    bnd_lab_json_end(json);
}

/* Asks for the whole header. */
static const char *answer_header_size(uint64_t size)
{
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_boolean(json, "more", true);
    bnd_lab_json_unsigned(json, "header_size", size);
    bnd_lab_json_end(json);
    return answer_end();
}

/* ---- .npy ---- */

/* The built-in formats whose codes have this many bytes. */
static void put_candidates(bnd_lab_json *json, const bnd_npy *npy)
{
    bnd_lab_json_array(json, "candidates");
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f;
        if (bnd_npy_format(&f, npy, bnd_format_at(row), NULL) == BND_OK) {
            bnd_lab_json_string(json, NULL, f.name);
        }
    }
    bnd_lab_json_end(json);
}

static const char *answer_npy(const bnd_npy *npy, const char *asked)
{
    bnd_format f, own;
    bnd_error why;
    bnd_status status = asked[0] != '\0' ? bnd_format_parse(&own, asked, &why) : BND_OK;
    if (status == BND_OK) {
        status = bnd_npy_format(&f, npy, asked[0] != '\0' ? &own : NULL, &why);
    }
    if (status != BND_OK && asked[0] != '\0') {
        return answer_error(why.message);
    }
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_boolean(json, "more", false);
    bnd_lab_json_unsigned(json, "header_size", npy->header_size);
    bnd_lab_json_string(json, "descr", npy->descr);
    bnd_lab_json_unsigned(json, "element_size", npy->element_size);
    bnd_lab_json_boolean(json, "big_endian", npy->big_endian);
    bnd_lab_json_boolean(json, "fortran_order", npy->fortran_order);
    put_shape(json, npy->shape, npy->rank);
    put_count(json, "count", npy->count);
    if (status == BND_OK) {
        bnd_lab_json_string(json, "format", f.name);
        bnd_lab_json_boolean(json, "packed", bnd_npy_packing(&f) == BND_PACKING_PACKED);
    } else {
        bnd_lab_json_null(json, "format");
        bnd_lab_json_string(json, "why", why.message);
    }
    put_candidates(json, npy);
    bnd_lab_json_end(json);
    return answer_end();
}

/* `start` is the beginning of a file of `file_size` bytes. `asked` names the format of its codes, or is empty. Answers
 * { more: true, header_size } where the header is longer. */
const char *EXPORTED(bnd_page_npy)(const unsigned char *start, uint32_t length, uint64_t file_size, const char *asked)
{
    bnd_error why;
    bnd_npy npy;
    size_t header_size;
    bnd_status status = bnd_npy_measure(&header_size, start, length, file_size, &why);
    if (status == BND_OK && header_size > length) {
        return answer_header_size(header_size);
    }
    status = status == BND_OK ? bnd_npy_parse(&npy, start, header_size, &why) : status;
    status = status == BND_OK ? bnd_npy_check_size(&npy, file_size, &why) : status;
    return status == BND_OK ? answer_npy(&npy, asked) : answer_error(why.message);
}

/* ---- .safetensors ---- */

static void put_tensor(bnd_lab_json *json, const bndi_safetensor *t, uint64_t data_at)
{
    const bnd_safetensor *entry = &t->entry;
    bnd_format f;
    bnd_error why;
    bool is_float = bnd_safetensors_format(&f, entry, &why) == BND_OK;
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "name", entry->name);
    bnd_lab_json_string(json, "dtype", entry->dtype);
    if (is_float) {
        bnd_lab_json_string(json, "format", f.name);
    } else {
        bnd_lab_json_null(json, "format");
        bnd_lab_json_string(json, "why", why.message);
    }
    bnd_lab_json_unsigned(json, "bits", entry->bits);
    put_shape(json, entry->shape, entry->rank);
    put_count(json, "count", entry->count);
    put_count(json, "size", entry->size);
    bnd_lab_json_unsigned(json, "begin", data_at + t->begin);
    bnd_lab_json_end(json);
}

static const char *answer_tensors(const bnd_safetensors *file, uint64_t data_at)
{
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_boolean(json, "more", false);
    bnd_lab_json_unsigned(json, "header_size", data_at);
    bnd_lab_json_array(json, "tensors");
    for (size_t i = 0; i < file->count; i++) {
        put_tensor(json, &file->entries[i], data_at);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "metadata");
    for (size_t i = 0; i < file->pair_count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "key", file->pairs[i].key);
        bnd_lab_json_string(json, "value", file->pairs[i].value);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
    return answer_end();
}

/* As bnd_page_npy; `start` has 8 bytes at least, unless the file has fewer. */
const char *EXPORTED(bnd_page_safetensors)(const unsigned char *start, uint32_t length, uint64_t file_size)
{
    bnd_error why;
    size_t header;
    bnd_safetensors *file;
    if (length < BNDI_SAFETENSORS_START && length < file_size) {
        return answer_header_size(BNDI_SAFETENSORS_START);
    }
    bnd_status status = bndi_safetensors_measure(&header, start, file_size, &why);
    if (status == BND_OK && length < BNDI_SAFETENSORS_START + header) {
        return answer_header_size(BNDI_SAFETENSORS_START + (uint64_t)header);
    }
    if (status == BND_OK) {
        const uint64_t data_at = BNDI_SAFETENSORS_START + (uint64_t)header;
        const bndi_json_text text = {(const char *)start + BNDI_SAFETENSORS_START, header};
        status = bndi_safetensors_read(&file, &text, NULL, file_size - data_at, &why);
        if (status == BND_OK) {
            const char *answer = answer_tensors(file, data_at);
            bnd_safetensors_free(file);
            return answer;
        }
    }
    return answer_error(why.message);
}

/* ---- writing ---- */

/* The header of a .npy file of `count` fp32 numbers, in `out`. Returns its length; nothing is written where it is more
 * than `size`. */
uint32_t EXPORTED(bnd_page_npy_header)(unsigned char *out, uint32_t size, uint32_t count)
{
    bnd_npy npy = {.rank = 1, .shape = {count}};
    if (bnd_npy_describe(&npy, bnd_format_at(BND_FORMAT_FP32), NULL) != BND_OK || npy.header_size > size) {
        return 0;
    }
    return (uint32_t)bnd_npy_print(out, size, &npy);
}
