/* .safetensors: dtypes, and a file that was read. */
#include "store/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* ---- dtypes: the formats that the table names so, and these ---- */

static const bndi_dtype others[] = {
    {"BOOL", BND_SAFETENSORS_BOOL, 8},     {"U8", BND_SAFETENSORS_UNSIGNED, 8},   {"I8", BND_SAFETENSORS_SIGNED, 8},
    {"U16", BND_SAFETENSORS_UNSIGNED, 16}, {"I16", BND_SAFETENSORS_SIGNED, 16},   {"U32", BND_SAFETENSORS_UNSIGNED, 32},
    {"I32", BND_SAFETENSORS_SIGNED, 32},   {"U64", BND_SAFETENSORS_UNSIGNED, 64}, {"I64", BND_SAFETENSORS_SIGNED, 64},
    {"C64", BND_SAFETENSORS_COMPLEX, 64},
};

/* The row of the table of formats, or their count. */
static size_t row_of(const char *dtype)
{
    size_t row = 0;
    for (; row < bnd_format_count(); row++) {
        if (dtype[0] != '\0' && strcmp(bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), dtype) == 0) {
            break;
        }
    }
    return row;
}

bndi_dtype bndi_safetensors_dtype(const char *name)
{
    size_t row = row_of(name);
    if (row < bnd_format_count()) {
        return (bndi_dtype){bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), BND_SAFETENSORS_FLOAT,
                            bnd_format_at(row)->width};
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].name, name) == 0) {
            return others[i];
        }
    }
    return (bndi_dtype){"", 0, 0};
}

bnd_status bnd_safetensors_format(bnd_format *out, const bnd_safetensor *entry, bnd_error *why)
{
    size_t row = row_of(entry->dtype);
    if (row >= bnd_format_count()) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "its elements are %s, which is no format of floating point",
                        entry->dtype);
    }
    *out = *bnd_format_at(row);
    return BND_OK;
}

const char *bnd_safetensors_dtype(const bnd_format *f)
{
    for (size_t row = 0; row < bnd_format_count(); row++) {
        if (bnd_format_same(f, bnd_format_at(row))) {
            return bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS);
        }
    }
    return "";
}

bnd_status bndi_safetensors_size(bnd_safetensor *entry, bnd_error *why)
{
    uint64_t count;
    if (!bndi_count_elements(&count, entry->shape, entry->rank, (uint64_t)INT64_MAX / entry->bits)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its shape has more elements than a file can hold");
    }
    if (count * entry->bits % 8 != 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "its %llu elements of %u bits end within a byte",
                        (unsigned long long)count, (unsigned)entry->bits);
    }
    entry->count = count;
    entry->size = count * entry->bits / 8;
    return BND_OK;
}

/* ---- files ---- */

static bnd_status parse(bnd_safetensors **out, const unsigned char *bytes, size_t size, bnd_error *why)
{
    enum { START = BNDI_SAFETENSORS_START };
    uint64_t length = 0;
    if (size < START) {
        return bnd_fail(why, BND_BAD_FILE, size,
                        "has %zu bytes; a .safetensors file begins with 8 that say how long "
                        "its header is",
                        size);
    }
    for (size_t i = 0; i < START; i++) {
        length |= (uint64_t)bytes[i] << 8 * i;
    }
    if (length > size - START) {
        return bnd_fail(why, BND_BAD_FILE, 0, "says that its header has %llu bytes, and has %zu behind that itself",
                        (unsigned long long)length, size - START);
    }
    if (length > BND_SAFETENSORS_HEADER_MAX) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has a header of %llu bytes; %d are the most", (unsigned long long)length,
                        (int)BND_SAFETENSORS_HEADER_MAX);
    }
    const bndi_json_text header = {(const char *)bytes + START, (size_t)length};
    bnd_status status = bndi_safetensors_read(out, &header, bytes + START + length, size - START - length, why);
    if (status == BND_BAD_FILE && why != NULL) {
        why->where += START;
    }
    return status;
}

bnd_status bnd_safetensors_new_of_bytes(bnd_safetensors **out, const void *bytes, size_t size, bnd_error *why)
{
    return parse(out, bytes, size, why);
}

bnd_status bnd_safetensors_new(bnd_safetensors **out, const char *path, bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_safetensors *file;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status != BND_OK) {
        return status;
    }
    status = parse(&file, map.bytes, map.size, why);
    if (status != BND_OK) {
        bnd_lab_map_close(&map);
        return status;
    }
    file->map = map;
    *out = file;
    return BND_OK;
}

void bnd_safetensors_free(bnd_safetensors *file)
{
    if (file != NULL) {
        bnd_lab_map_close(&file->map);
        free(file->entries);
        free(file->by_name);
        free(file->pairs);
        free(file->extents);
        free(file->strings);
        free(file);
    }
}

/* ---- what is in it ---- */

size_t bnd_safetensors_count(const bnd_safetensors *file)
{
    return file->count;
}

const bnd_safetensor *bnd_safetensors_at(const bnd_safetensors *file, size_t index)
{
    return index < file->count ? &file->entries[index].entry : NULL;
}

static int compare_entry(const void *name, const void *entry)
{
    return strcmp(name, (*(const bnd_safetensor *const *)entry)->name);
}

const bnd_safetensor *bnd_safetensors_find(const bnd_safetensors *file, const char *name)
{
    const bnd_safetensor *const *found =
        file->count > 0 ? bsearch(name, file->by_name, file->count, sizeof(const bnd_safetensor *), compare_entry)
                        : NULL;
    return found != NULL ? *found : NULL;
}

size_t bnd_safetensors_metadata_count(const bnd_safetensors *file)
{
    return file->pair_count;
}

const bnd_safetensors_pair *bnd_safetensors_metadata_at(const bnd_safetensors *file, size_t index)
{
    return index < file->pair_count ? &file->pairs[index] : NULL;
}

static int compare_pair(const void *key, const void *pair)
{
    return strcmp(key, ((const bnd_safetensors_pair *)pair)->key);
}

const char *bnd_safetensors_metadata(const bnd_safetensors *file, const char *key)
{
    const bnd_safetensors_pair *found =
        file->pair_count > 0 ? bsearch(key, file->pairs, file->pair_count, sizeof *found, compare_pair) : NULL;
    return found != NULL ? found->value : NULL;
}
