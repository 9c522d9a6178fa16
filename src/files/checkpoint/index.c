/* model.safetensors.index.json: {"metadata": {"total_size": 123}, "weight_map": {"tensor": "file", ...}}. It may have
 * a hundred thousand lines, so it is read line by line (store/json.h). The files that it names are opened, so a name
 * is one of its own folder. */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

void bndi_index_free(bndi_index *index)
{
    free(index->entries);
    free(index->files);
    free(index->strings);
    *index = (bndi_index){0};
}

static bnd_status no_memory(const bndi_json_text *text, bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an index of %zu bytes", text->length);
}

/* ---- lines ---- */

static bnd_status keep(bndi_index *index, const char **out, const bndi_json_text *text, bndi_json_span part,
                       bnd_error *why)
{
    size_t length;
    char *string = index->strings + index->string_bytes;
    bnd_status status = bndi_json_string(string, &length, text, part, why);
    if (status == BND_OK) {
        *out = string;
        index->string_bytes += length + 1;
    }
    return status;
}

static bool is_file_name(const char *name)
{
    return bndi_ends_with(name, ".safetensors") && name[0] != '.' && strpbrk(name, "/\\") == NULL;
}

static bnd_status read_line(bndi_index *index, const bndi_json_text *text, const bndi_json_members *m, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    if (index->count == index->room) {
        size_t room = index->room + index->room / 2 + 64;
        bndi_index_entry *entries =
            room <= SIZE_MAX / sizeof *entries ? realloc(index->entries, room * sizeof *entries) : NULL;
        if (entries == NULL) {
            return no_memory(text, why);
        }
        index->entries = entries;
        index->room = room;
    }
    bndi_index_entry *entry = &index->entries[index->count];
    *entry = (bndi_index_entry){0};
    bnd_status status = keep(index, &entry->tensor, text, m->key, why);
    if (status == BND_OK) {
        status = keep(index, &entry->file, text, m->value, why);
    }
    if (status == BND_OK && !is_file_name(entry->file)) {
        status = bnd_fail(why, BND_BAD_FILE, m->value.from,
                          "names the file '%s'; it must be a .safetensors file of the same folder",
                          bndi_shown(shown, entry->file));
    }
    index->count += status == BND_OK;
    return status;
}

static bnd_status read_map(bndi_index *index, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, part, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = read_line(index, text, &m, why);
    }
    return status == BND_OK ? bndi_json_close(&m, why) : status;
}

/* ---- the rest of it ---- */

/* Some tools write 1.5e10. */
static bool read_size(uint64_t *out, const json_t *value)
{
    double real = json_number_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    if (json_is_real(value) && real >= 0 && real < 9007199254740992.0) {
        *out = (uint64_t)real;
        return true;
    }
    return false;
}

static bnd_status read_metadata(bndi_index *index, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    enum { METADATA_MAX = 1 << 16 };
    json_t *tree;
    if (part.to - part.from > METADATA_MAX) {
        return bnd_fail(why, BND_BAD_FILE, part.from, "has metadata of %zu bytes; the limit is %d", part.to - part.from,
                        (int)METADATA_MAX);
    }
    bnd_status status = bndi_json_read(&tree, text, part, why);
    if (status == BND_OK) {
        index->has_total_size = read_size(&index->total_size, json_object_get(tree, "total_size"));
        json_decref(tree);
    }
    return status;
}

/* Members that no one knows are passed over, but they must be JSON of some reasonable size. */
static bnd_status read_other(const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    enum { OTHER_MAX = 1 << 16 };
    json_t *tree;
    if (part.to - part.from > OTHER_MAX) {
        return bnd_fail(why, BND_BAD_FILE, part.from, "has a member of %zu bytes; the limit is %d", part.to - part.from,
                        (int)OTHER_MAX);
    }
    bnd_status status = bndi_json_read(&tree, text, part, why);
    if (status == BND_OK) {
        json_decref(tree);
    }
    return status;
}

static bnd_status read_members(bndi_index *index, const bndi_json_text *text, bnd_error *why)
{
    enum { MAP, METADATA, KINDS };
    static const char *const names[KINDS] = {"weight_map", "metadata"};
    bool seen[KINDS] = {false};
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    while (status == BND_OK) {
        const char *key = "";
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = keep(index, &key, text, m.key, why);
        size_t kind = 0;
        while (kind < KINDS && strcmp(key, names[kind]) != 0) {
            kind++;
        }
        if (status == BND_OK && kind < KINDS && seen[kind]) {
            status = bnd_fail(why, BND_BAD_FILE, m.key.from, "duplicate key %s", names[kind]);
        }
        if (status == BND_OK) {
            status = kind == MAP        ? read_map(index, text, m.value, why)
                     : kind == METADATA ? read_metadata(index, text, m.value, why)
                                        : read_other(text, m.value, why);
            seen[kind < KINDS ? kind : 0] |= kind < KINDS;
        }
    }
    if (status == BND_OK) {
        status = bndi_json_close(&m, why);
    }
    if (status == BND_OK && !seen[MAP]) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has no weight_map, which says which file each tensor is in");
    }
    return status;
}

/* ---- order ---- */

static int by_tensor(const void *a, const void *b)
{
    return strcmp(((const bndi_index_entry *)a)->tensor, ((const bndi_index_entry *)b)->tensor);
}

static int by_file(const void *a, const void *b)
{
    const bndi_index_entry *x = a, *y = b;
    return x->file == y->file ? 0 : strcmp(x->file, y->file);
}

static bnd_status put_in_order(bndi_index *index, const bndi_json_text *text, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    if (index->count == 0) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has an empty weight_map");
    }
    index->files = malloc(index->count * sizeof *index->files);
    if (index->files == NULL) {
        return no_memory(text, why);
    }
    qsort(index->entries, index->count, sizeof *index->entries, by_file);
    for (size_t i = 0; i < index->count; i++) {
        bndi_index_entry *entry = &index->entries[i];
        if (i == 0 || strcmp(index->files[index->file_count - 1], entry->file) != 0) {
            index->files[index->file_count++] = entry->file;
        }
        entry->file_number = index->file_count - 1;
    }
    qsort(index->entries, index->count, sizeof *index->entries, by_tensor);
    for (size_t i = 1; i < index->count; i++) {
        if (strcmp(index->entries[i - 1].tensor, index->entries[i].tensor) == 0) {
            return bnd_fail(why, BND_BAD_FILE, 0, "names the tensor '%s' twice",
                            bndi_shown(shown, index->entries[i].tensor));
        }
    }
    return BND_OK;
}

bnd_status bndi_index_read(bndi_index *out, const bndi_json_text *text, bnd_error *why)
{
    bndi_index index = {.strings = malloc(text->length + 1)};
    bnd_status status = index.strings != NULL ? read_members(&index, text, why) : no_memory(text, why);
    if (status == BND_OK) {
        status = put_in_order(&index, text, why);
    }
    if (status == BND_OK) {
        *out = index;
    } else {
        bndi_index_free(&index);
    }
    return status;
}

static int compare_tensor(const void *name, const void *entry)
{
    return strcmp(name, ((const bndi_index_entry *)entry)->tensor);
}

const char *bndi_index_find(const bndi_index *index, const char *tensor)
{
    const bndi_index_entry *found =
        index->count > 0 ? bsearch(tensor, index->entries, index->count, sizeof *found, compare_tensor) : NULL;
    return found != NULL ? found->file : NULL;
}
