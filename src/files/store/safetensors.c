/* A .safetensors file that was read. */
#include "store/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

bnd_status bndi_safetensors_measure(size_t *header_length, const unsigned char *start, uint64_t file_size,
                                    bnd_error *why)
{
    enum { START = BNDI_SAFETENSORS_START };
    uint64_t length = 0;
    if (file_size < START) {
        return bnd_fail(why, BND_BAD_FILE, (size_t)file_size,
                        "has %llu bytes; a .safetensors file needs at least 8, the length of its header",
                        (unsigned long long)file_size);
    }
    for (size_t i = 0; i < START; i++) {
        length |= (uint64_t)start[i] << 8 * i;
    }
    if (length > BND_SAFETENSORS_HEADER_MAX) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "its header would have %llu bytes; the limit is %d: it is another kind of file, or damaged",
                        (unsigned long long)length, (int)BND_SAFETENSORS_HEADER_MAX);
    }
    if (length > file_size - START) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is truncated: its header needs %llu bytes, %llu are left",
                        (unsigned long long)length, (unsigned long long)(file_size - START));
    }
    *header_length = (size_t)length;
    return BND_OK;
}

static bnd_status parse(bnd_safetensors **out, const unsigned char *bytes, size_t size, bnd_error *why)
{
    enum { START = BNDI_SAFETENSORS_START };
    size_t length;
    bnd_status status = bndi_safetensors_measure(&length, bytes, size, why);
    if (status != BND_OK) {
        return status;
    }
    const bndi_json_text header = {(const char *)bytes + START, length};
    status = bndi_safetensors_read(out, &header, bytes + START + length, size - START - length, why);
    if (status == BND_OK) {
        (*out)->bytes = bytes;
        (*out)->size = size;
        (*out)->header_size = START + length;
    }
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
