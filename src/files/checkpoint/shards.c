/* The .safetensors files of a checkpoint: their headers are read, their data mapped. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { START = BNDI_SAFETENSORS_START };

typedef struct shard {
    const bndi_opening *opening;
    const char *name;
    bnd_lab_mapped map;
    bnd_safetensors *header; /* NULL: it cannot be read, and this was reported */
    bool is_cut;
} shard;

/* A file alone that is not a checkpoint is a failure; one of several is damage. */
static bnd_status refuse(const shard *s, const char *code, const bnd_error *what, bnd_error *why)
{
    bndi_opening strict = *s->opening;
    strict.damage = NULL;
    return bndi_report(s->opening->alone != NULL ? &strict : s->opening, code, s->name, what, why);
}

/* ---- one file ---- */

/* A header that needs more than is there; but a length that no header has is of another kind of file. */
static bool is_cut(const bnd_lab_mapped *map)
{
    uint64_t length = 0;
    for (size_t i = 0; i < START && map->size >= START; i++) {
        length |= (uint64_t)map->bytes[i] << 8 * i;
    }
    return map->size < START || (length <= BND_SAFETENSORS_HEADER_MAX && length > map->size - START);
}

static bnd_status read_header(shard *s, size_t *header_size, bnd_error *why)
{
    bnd_error inner = {.message = ""};
    size_t length = 0;
    bnd_status status = bndi_safetensors_measure(&length, s->map.bytes, s->map.size, &inner);
    if (status != BND_OK) {
        bool is_named = bndi_ends_with(s->name, ".safetensors");
        if (!is_named) {
            (void)bnd_fail(&inner, BND_BAD_FILE, 0,
                           "is not a .safetensors, .gguf or .npy file: save its tensors as one of these");
        }
        return is_named && is_cut(&s->map) ? bndi_report(s->opening, "shard-truncated", s->name, &inner, why)
                                           : refuse(s, "shard-unreadable", &inner, why);
    }
    const bndi_json_text text = {(const char *)s->map.bytes + START, length};
    *header_size = START + length;
    status = bndi_safetensors_read(&s->header, &text, NULL, BNDI_SAFETENSORS_ANY_SIZE, &inner);
    inner.where += START;
    return status == BND_OK ? BND_OK : refuse(s, "shard-unreadable", &inner, why);
}

static bnd_status report_pairs(const shard *s, const bnd_safetensor *entry, bnd_error *why)
{
    bnd_error what;
    (void)bnd_fail(&what, BND_BAD_FILE, 0,
                   "its shape counts pairs of 4-bit elements, and half of its %llu bytes; it must count elements",
                   (unsigned long long)entry->size);
    return bndi_report(s->opening, "f4-in-pairs", entry->name, &what, why);
}

/* The data of each tensor, once it is known that the file has them all. */
static bnd_status place_data(const shard *s, size_t header_size, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < s->header->count; i++) {
        bndi_safetensor *t = &s->header->entries[i];
        t->entry.data = s->map.bytes + header_size + t->begin;
        if (t->in_pairs) {
            status = report_pairs(s, &t->entry, why);
        }
    }
    return status;
}

/* Leaves the tensors whose data are complete: they are in the order of their data, without gaps. */
static void leave_complete(shard *s, uint64_t has)
{
    bnd_safetensors *header = s->header;
    size_t left = 0, named = 0;
    while (left < header->count && header->entries[left].begin + header->entries[left].entry.size <= has) {
        left++;
    }
    const bnd_safetensor *end = &header->entries[left].entry;
    for (size_t i = 0; i < header->count; i++) {
        if (header->by_name[i] < end) {
            header->by_name[named++] = header->by_name[i];
        }
    }
    header->count = left;
    s->is_cut = true;
}

static bnd_status check_size(shard *s, size_t header_size, bnd_error *why)
{
    uint64_t has = s->map.size - header_size, needs = s->header->data_size;
    bnd_error what;
    if (needs > has) {
        leave_complete(s, has);
        (void)bnd_fail(&what, BND_BAD_FILE, header_size, "is truncated: its tensors need %llu bytes, %llu are left",
                       (unsigned long long)needs, (unsigned long long)has);
        return bndi_report(s->opening, "shard-truncated", s->name, &what, why);
    }
    if (needs < has) {
        (void)bnd_fail(&what, BND_BAD_FILE, header_size + (size_t)needs,
                       "has %llu bytes after its last tensor; its size must be %llu bytes",
                       (unsigned long long)(has - needs), (unsigned long long)(header_size + needs));
        return bndi_report(s->opening, "shard-oversized", s->name, &what, why);
    }
    return BND_OK;
}

static bnd_status open_mapped(shard *s, bnd_error *why)
{
    size_t header_size = 0;
    bnd_status status = read_header(s, &header_size, why);
    if (status == BND_OK && s->header != NULL) {
        status = check_size(s, header_size, why);
    }
    if (status == BND_OK && s->header != NULL) {
        status = place_data(s, header_size, why);
    }
    return status;
}

static bnd_status open_shard(shard *s, bnd_error *why)
{
    struct stat about;
    bnd_error inner = {.message = ""};
    char *path = bndi_path_in(s->opening->checkpoint->folder, s->name);
    if (path == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path");
    }
    if (stat(path, &about) != 0 && errno == ENOENT) {
        free(path);
        (void)bnd_fail(&inner, BND_BAD_STREAM, 0, "is missing");
        return refuse(s, "shard-missing", &inner, why);
    }
    bnd_status status = bnd_lab_map_open(&s->map, path, &inner);
    free(path);
    if (status != BND_OK) {
        return refuse(s, "shard-unreadable", &inner, why);
    }
    status = open_mapped(s, why);
    if (status == BND_OK && s->header != NULL) {
        s->header->map = s->map;
        bnd_lab_map_expect(&s->map, false); /* until bnd_checkpoint_expect_all */
    } else {
        bnd_safetensors_free(s->header);
        s->header = NULL;
        bnd_lab_map_close(&s->map);
    }
    return status;
}

/* ---- all of them ---- */

/* A file belongs to the checkpoint from here on. */
static bnd_status add_file(bnd_checkpoint *c, const shard *s, bnd_error *why)
{
    char *name = strdup(s->name);
    if (name == NULL) {
        bnd_safetensors_free(s->header);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    }
    c->files[c->file_count++] =
        (bndi_checkpoint_file){.name = name, .size = s->map.size, .header = s->header, .is_cut = s->is_cut};
    return BND_OK;
}

static const bnd_format *format_of(const bnd_safetensor *entry)
{
    for (size_t row = 0; row < bnd_format_count(); row++) {
        if (strcmp(bnd_format_names(row, BND_ECOSYSTEM_SAFETENSORS), entry->dtype) == 0) {
            return bnd_format_at(row);
        }
    }
    return NULL;
}

static bnd_stored_tensor stored(const bnd_safetensor *entry, const bnd_format *format, size_t file)
{
    bool is_signed = entry->kind == BND_SAFETENSORS_SIGNED;
    bool is_integer = is_signed || entry->kind == BND_SAFETENSORS_UNSIGNED;
    return (bnd_stored_tensor){.name = entry->name,
                               .dtype = entry->dtype,
                               .kind = format != NULL ? BND_STORED_FLOAT
                                       : is_integer   ? BND_STORED_INTEGER
                                                      : BND_STORED_OTHER,
                               .is_signed = is_signed,
                               .bits = entry->bits,
                               .format = format,
                               .rank = entry->rank,
                               .shape = entry->shape,
                               .count = entry->count,
                               .size = entry->size,
                               .data = entry->data,
                               .file = file};
}

static bnd_status take_tensors(bnd_checkpoint *c, bnd_error *why)
{
    size_t count = 0;
    for (size_t i = 0; i < c->file_count; i++) {
        count += c->files[i].header->count;
    }
    c->tensors = malloc((count + 1) * sizeof *c->tensors);
    if (c->tensors == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", count);
    }
    const char *dtype = NULL; /* each name is one string: rows are looked up where it changes */
    const bnd_format *format = NULL;
    for (size_t i = 0; i < c->file_count; i++) {
        for (size_t k = 0; k < c->files[i].header->count; k++) {
            const bnd_safetensor *entry = &c->files[i].header->entries[k].entry;
            format = entry->dtype == dtype ? format : format_of(entry);
            dtype = entry->dtype;
            c->tensors[c->count++] = stored(entry, format, i);
        }
    }
    return BND_OK;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const bnd_safetensors_pair *)a)->key, ((const bnd_safetensors_pair *)b)->key);
}

/* Of a key that several files have, the text of the first file. */
static bnd_status take_metadata(bnd_checkpoint *c, bnd_error *why)
{
    size_t count = 0;
    for (size_t i = 0; i < c->file_count; i++) {
        count += c->files[i].header->pair_count;
    }
    c->metadata = malloc((count + 1) * sizeof *c->metadata);
    if (c->metadata == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu texts", count);
    }
    for (size_t i = 0; i < c->file_count; i++) {
        const bnd_safetensors *header = c->files[i].header;
        size_t known = c->pairs;
        for (size_t k = 0; k < header->pair_count; k++) {
            const bnd_safetensors_pair *pair = &header->pairs[k];
            if (known == 0 || bsearch(pair, c->metadata, known, sizeof *pair, by_key) == NULL) {
                c->metadata[c->pairs++] = *pair;
            }
        }
        if (c->pairs > known) {
            qsort(c->metadata, c->pairs, sizeof *c->metadata, by_key);
        }
    }
    return BND_OK;
}

/* What the headers of all files say. */
static bnd_status take_all(const bndi_opening *opening, const bndi_index *index, bnd_error *why)
{
    bnd_status status = take_tensors(opening->checkpoint, why);
    if (status == BND_OK) {
        status = take_metadata(opening->checkpoint, why);
    }
    return status == BND_OK ? bndi_take_names(opening, index, why) : status;
}

bnd_status bndi_open_shards(const bndi_opening *opening, const char *const *names, size_t count,
                            const bndi_index *index, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    bnd_status status = BND_OK;
    c->kind = BND_CHECKPOINT_SAFETENSORS;
    c->files = calloc(count + 1, sizeof *c->files);
    if (c->files == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu files", count);
    }
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        shard s = {.opening = opening, .name = names[i]};
        status = open_shard(&s, why);
        if (status == BND_OK && s.header != NULL) {
            status = add_file(c, &s, why);
        }
    }
    return status == BND_OK ? take_all(opening, index, why) : status;
}

bnd_status bndi_open_bytes(const bndi_opening *opening, const unsigned char *bytes, size_t size, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    shard s = {.opening = opening, .name = opening->alone, .map = {.bytes = bytes, .size = size}};
    c->kind = BND_CHECKPOINT_SAFETENSORS;
    c->files = calloc(1, sizeof *c->files);
    if (c->files == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of files");
    }
    bnd_status status = open_mapped(&s, why);
    if (status == BND_OK && s.header != NULL) {
        status = add_file(c, &s, why);
    } else {
        bnd_safetensors_free(s.header);
    }
    return status == BND_OK ? take_all(opening, NULL, why) : status;
}
