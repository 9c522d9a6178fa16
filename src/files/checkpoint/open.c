/* Opening and closing a checkpoint. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char index_ending[] = ".safetensors.index.json", whole_name[] = "model.safetensors";

/* ---- folders ---- */

static bnd_status open_indexed(const bndi_opening *opening, const char *index_name, bnd_error *why)
{
    enum { INDEX_MAX = 100000000 };
    bnd_lab_mapped map;
    bndi_index index;
    bnd_error inner = {.message = ""};
    bnd_checkpoint *c = opening->checkpoint;
    char *path = bndi_path_in(c->folder, index_name);
    c->index = strdup(index_name);
    bnd_status status = path != NULL && c->index != NULL ? bnd_lab_map_open(&map, path, &inner)
                                                         : bnd_fail(&inner, BND_NO_MEMORY, 0, "no memory for a path");
    free(path);
    if (status == BND_OK) {
        const bndi_json_text text = {(const char *)map.bytes, map.size};
        status = map.size > INDEX_MAX
                     ? bnd_fail(&inner, BND_BAD_FILE, 0, "has %zu bytes; the limit is %d", map.size, (int)INDEX_MAX)
                     : bndi_index_read(&index, &text, &inner);
        bnd_lab_map_close(&map);
    }
    if (status != BND_OK) {
        if (status == BND_BAD_FILE && opening->bad_index != NULL) {
            (void)bndi_shown(opening->bad_index, index_name);
        }
        return bnd_fail(why, status, inner.where, "%s: %s", index_name, inner.message);
    }
    status = bndi_open_shards(opening, index.files, index.file_count, &index, why);
    bndi_index_free(&index);
    return status;
}

static bnd_status open_all(const bndi_opening *opening, const bndi_names *names, bnd_error *why)
{
    const char **shards = malloc((names->count + 1) * sizeof *shards);
    size_t count = 0;
    if (shards == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu files", names->count);
    }
    for (size_t i = 0; i < names->count; i++) {
        if (bndi_ends_with(names->names[i], ".safetensors")) {
            shards[count++] = names->names[i];
        }
    }
    bnd_status status = BND_OK;
    if (count == 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "has no .safetensors file in it; name a file of another kind itself");
    } else {
        status = bndi_check_series(opening, shards, count, why);
    }
    if (status == BND_OK) {
        status = bndi_open_shards(opening, shards, count, NULL, why);
    }
    free(shards);
    return status;
}

/* The index to go by: the usual one, or the only one. */
static bnd_status find_index(const char **out, const bndi_names *names, bnd_error *why)
{
    const char *found = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->names[i];
        if (strcmp(name, "model.safetensors.index.json") == 0) {
            *out = name;
            return BND_OK;
        }
        if (bndi_ends_with(name, index_ending)) {
            if (found != NULL) {
                return bnd_fail(why, BND_BAD_FILE, 0, "has several indexes, such as %s and %s; name the one to read",
                                found, name);
            }
            found = name;
        }
    }
    *out = found;
    return BND_OK;
}

static bool has_name(const bndi_names *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->names[i], name) != 0) {
        i++;
    }
    return i < names->count;
}

/* What stands next to the tensors; the list of names becomes the checkpoint's. */
static void keep_others(bnd_checkpoint *c, bndi_names *names)
{
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (bndi_ends_with(names->names[i], ".safetensors") || bndi_ends_with(names->names[i], index_ending)) {
            free(names->names[i]);
        } else {
            names->names[kept++] = names->names[i];
        }
    }
    c->others = names->names;
    c->other_count = kept;
}

static bnd_status open_folder(const bndi_opening *opening, const char *index_name, bnd_error *why)
{
    static const char *const whole[] = {whole_name};
    bnd_checkpoint *c = opening->checkpoint;
    bndi_names names;
    bnd_status status = bndi_list_folder(&names, c->folder, why);
    if (status != BND_OK) {
        return status;
    }
    if (index_name == NULL) {
        status = find_index(&index_name, &names, why);
    }
    if (status == BND_OK) {
        status = index_name != NULL             ? open_indexed(opening, index_name, why)
                 : has_name(&names, whole_name) ? bndi_open_shards(opening, whole, 1, NULL, why)
                                                : open_all(opening, &names, why);
    }
    keep_others(c, &names);
    return status == BND_OK ? bndi_read_texts(opening, why) : status;
}

/* ---- files ---- */

static bnd_status is_in_index(bool *out, const char *folder, const char *index_name, const char *name, bnd_error *why)
{
    bnd_lab_mapped map;
    bndi_index index;
    bnd_error ignored;
    char *path = bndi_path_in(folder, index_name);
    if (path == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path");
    }
    bnd_status status = bnd_lab_map_open(&map, path, &ignored);
    free(path);
    if (status != BND_OK) {
        return BND_OK;
    }
    const bndi_json_text text = {(const char *)map.bytes, map.size};
    status = bndi_index_read(&index, &text, why);
    bnd_lab_map_close(&map);
    if (status != BND_OK) {
        return status == BND_NO_MEMORY ? status : BND_OK;
    }
    *out = false;
    for (size_t i = 0; i < index.file_count && !*out; i++) {
        *out = strcmp(index.files[i], name) == 0;
    }
    bndi_index_free(&index);
    return BND_OK;
}

/* Is the file one of those that its folder would be opened with? Then the folder's config.json is about it. True where
 * the folder does not tell. */
static bnd_status is_of_folder(bool *out, const char *folder, const char *name, bnd_error *why)
{
    bndi_names names;
    const char *index_name = NULL;
    *out = true;
    bnd_status status = bndi_list_folder(&names, folder, why);
    if (status != BND_OK) {
        return status == BND_NO_MEMORY ? status : BND_OK;
    }
    if (find_index(&index_name, &names, why) == BND_OK && index_name != NULL) {
        status = is_in_index(out, folder, index_name, name, why);
    } else if (index_name == NULL && has_name(&names, whole_name)) {
        *out = strcmp(name, whole_name) == 0;
    }
    bndi_names_free(&names);
    return status;
}

static bnd_status open_safetensors(const bndi_opening *opening, const char *name, bnd_error *why)
{
    bool of_folder = true;
    bnd_status status = bndi_open_shards(opening, &name, 1, NULL, why);
    if (status == BND_OK) {
        status = is_of_folder(&of_folder, opening->checkpoint->folder, name, why);
    }
    return status == BND_OK && of_folder ? bndi_read_texts(opening, why) : status;
}

/* Which kind it is its first bytes say. */
static bnd_status open_file(bndi_opening *opening, const char *path, const char *name, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    opening->alone = name;
    bnd_status status = bnd_lab_map_open(&c->map, path, why);
    if (status != BND_OK) {
        return status;
    }
    bool gguf = bndi_gguf_begins(c->map.bytes, c->map.size);
    if (gguf || bnd_npy_begins(c->map.bytes, c->map.size)) {
        status = gguf ? bndi_open_gguf(opening, why) : bndi_open_npy(opening, why);
        bnd_lab_map_expect(&c->map, false); /* until bnd_checkpoint_expect_all */
        return status;
    }
    bnd_lab_map_close(&c->map); /* each .safetensors file has its own */
    return open_safetensors(opening, name, why);
}

/* The folder that a path's last name is in. */
static char *folder_of(const char *path, const char *name)
{
    size_t length = (size_t)(name - path);
    length -= length > 1; /* without the slash, but that of the root */
    char *folder = malloc(length + 2);
    if (folder != NULL) {
        memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
        folder[length > 0 ? length : 1] = '\0';
    }
    return folder;
}

static bnd_status open_path(bndi_opening *opening, const char *path, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    struct stat about;
    if (stat(path, &about) != 0) {
        return bndi_fail_system(why, "cannot be opened", errno);
    }
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    bool is_folder = S_ISDIR(about.st_mode);
    c->folder = is_folder ? strdup(path) : folder_of(path, name);
    if (c->folder == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path");
    }
    if (is_folder) {
        return open_folder(opening, NULL, why);
    }
    return bndi_ends_with(name, index_ending) ? open_folder(opening, name, why) : open_file(opening, path, name, why);
}

bnd_status bndi_checkpoint_open(bnd_checkpoint **out, bndi_opening *opening, const char *path, bnd_error *why)
{
    bnd_checkpoint *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a checkpoint");
    }
    opening->checkpoint = c;
    bnd_status status = open_path(opening, path, why);
    if (status == BND_OK) {
        status = bndi_weights_find(c, why);
    }
    if (status == BND_OK) {
        *out = c;
    } else {
        bnd_checkpoint_free(c);
    }
    return status;
}

bnd_status bnd_checkpoint_new(bnd_checkpoint **out, const char *path, bnd_checkpoint_damage *damage, void *state,
                              bnd_error *why)
{
    bndi_opening opening = {.damage = damage, .state = state};
    return bndi_checkpoint_open(out, &opening, path, why);
}

void bnd_checkpoint_free(bnd_checkpoint *c)
{
    if (c == NULL) {
        return;
    }
    bndi_weights_free(c->weights);
    for (size_t i = 0; i < c->file_count; i++) {
        free(c->files[i].name);
        bnd_safetensors_free(c->files[i].header);
    }
    for (size_t i = 0; i < BNDI_TEXTS; i++) {
        free(c->texts[i].bytes);
    }
    for (size_t i = 0; i < c->other_count; i++) {
        free(c->others[i]);
    }
    bnd_lab_map_close(&c->map);
    free(c->others);
    free(c->files);
    free(c->tensors);
    free(c->by_name);
    free(c->metadata);
    bndi_gguf_free(&c->gguf);
    free(c->npy);
    free(c->folder);
    free(c->index);
    free(c);
}

void bnd_checkpoint_expect_all(const bnd_checkpoint *checkpoint)
{
    bnd_lab_map_expect(&checkpoint->map, true);
    for (size_t i = 0; i < checkpoint->file_count; i++) {
        if (checkpoint->files[i].header != NULL) {
            bnd_lab_map_expect(&checkpoint->files[i].header->map, true);
        }
    }
}

/* ---- what is in it ---- */

bnd_checkpoint_kind bnd_checkpoint_kind_of(const bnd_checkpoint *checkpoint)
{
    return checkpoint->kind;
}

size_t bnd_checkpoint_files(const bnd_checkpoint *checkpoint)
{
    return checkpoint->file_count;
}

const char *bnd_checkpoint_file_name(const bnd_checkpoint *checkpoint, size_t file)
{
    return file < checkpoint->file_count ? checkpoint->files[file].name : NULL;
}

uint64_t bnd_checkpoint_file_size(const bnd_checkpoint *checkpoint, size_t file)
{
    return file < checkpoint->file_count ? checkpoint->files[file].size : 0;
}

size_t bnd_checkpoint_file_tensors(uint64_t *bytes, const bnd_checkpoint *checkpoint, size_t file)
{
    size_t tensors = 0;
    *bytes = 0;
    for (size_t i = 0; i < checkpoint->count; i++) {
        const bnd_stored_tensor *t = bnd_checkpoint_at(checkpoint, i);
        if (t->file == file) {
            tensors++;
            *bytes += t->size;
        }
    }
    return tensors;
}

size_t bnd_checkpoint_count(const bnd_checkpoint *checkpoint)
{
    return checkpoint->count;
}

const bnd_stored_tensor *bnd_checkpoint_at(const bnd_checkpoint *checkpoint, size_t index)
{
    return index < checkpoint->count ? &checkpoint->tensors[index] : NULL;
}

const char *bnd_checkpoint_folder(const bnd_checkpoint *checkpoint)
{
    return checkpoint->folder;
}

const char *bnd_checkpoint_index(const bnd_checkpoint *checkpoint)
{
    return checkpoint->index;
}

size_t bnd_checkpoint_others(const bnd_checkpoint *checkpoint)
{
    return checkpoint->other_count;
}

const char *bnd_checkpoint_other_name(const bnd_checkpoint *checkpoint, size_t index)
{
    return index < checkpoint->other_count ? checkpoint->others[index] : NULL;
}

size_t bnd_checkpoint_metadata_count(const bnd_checkpoint *checkpoint)
{
    return checkpoint->pairs;
}

const bnd_safetensors_pair *bnd_checkpoint_metadata_at(const bnd_checkpoint *checkpoint, size_t index)
{
    return index < checkpoint->pairs ? &checkpoint->metadata[index] : NULL;
}

static int compare_key(const void *key, const void *pair)
{
    return strcmp(key, ((const bnd_safetensors_pair *)pair)->key);
}

const char *bnd_checkpoint_metadata(const bnd_checkpoint *checkpoint, const char *key)
{
    const bnd_safetensors_pair *found =
        checkpoint->pairs > 0 ? bsearch(key, checkpoint->metadata, checkpoint->pairs, sizeof *found, compare_key)
                              : NULL;
    return found != NULL ? found->value : NULL;
}
