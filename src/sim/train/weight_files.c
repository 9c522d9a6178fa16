/* Weights in files: initial weights, and a run's weights written as fp32. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "base/base.h"
#include "checkpoint/checkpoint.h"
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bulk/environment.h"
#include "store/safetensors.h"
#include "store/store.h"

static const bnd_rule to_nearest = {.rounding = BND_ROUND_RNE};

/* ---- which file it was ---- */

uint64_t bndi_hash_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_of_sample(const unsigned char *bytes, size_t size)
{
    enum { WHOLE = 1 << 20, PIECES = 16, PIECE = 1 << 16 };
    const uint64_t length = size;
    if (size <= WHOLE) {
        return bndi_hash_of(bytes, size);
    }
    uint64_t hash = bndi_hash_of(&length, sizeof length);
    for (size_t i = 0; i < PIECES; i++) {
        const size_t at = (size - PIECE) / (PIECES - 1) * i;
        hash = hash * 31 + bndi_hash_of(bytes + (i + 1 < PIECES ? at : size - PIECE), PIECE);
    }
    return hash;
}

bnd_status bndi_hash_of_file(uint64_t *out, const char *path, bool sample, bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status == BND_OK) {
        *out = sample ? hash_of_sample(map.bytes, map.size) : bndi_hash_of(map.bytes, map.size);
        bnd_lab_map_close(&map);
    }
    return status;
}

bnd_status bndi_in_file(bnd_status status, const char *path, bnd_error *why)
{
    bnd_error inner = why != NULL ? *why : (bnd_error){.where = 0};
    return status == BND_OK ? status : bnd_fail(why, status, inner.where, "%s: %s", path, inner.message);
}

/* ---- out of a file ---- */

/* A folder, or the index of one. */
static bool is_folder(const char *path)
{
    static const char ending[] = ".index.json";
    const size_t length = strlen(path), n = sizeof ending - 1;
    struct stat about;
    return (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) ||
           (length > n && strcmp(path + length - n, ending) == 0);
}

static bnd_status open_folder(bnd_run *run, bnd_error *why)
{
    bnd_checkpoint *folder = NULL;
    bnd_status status = bnd_checkpoint_new(&folder, run->training.init, NULL, NULL, why);
    if (status == BND_OK && bnd_checkpoint_kind_of(folder) != BND_CHECKPOINT_SAFETENSORS) {
        bnd_checkpoint_free(folder);
        return bnd_fail(why, BND_BAD_FILE, 0, "initial weights must be .safetensors");
    }
    for (size_t i = 0; status == BND_OK && i < folder->file_count; i++) {
        const bnd_lab_mapped *map = &folder->files[i].header->map;
        run->init_hash = run->init_hash * 31 + bndi_hash_of(map->bytes, map->size);
    }
    run->initial_folder = folder;
    return status;
}

static bool is_checkpoint_file(const bnd_safetensors *file)
{
    return file != NULL && bnd_safetensors_metadata(file, "binade.checkpoint") != NULL;
}

/* The checkpoint in a run's directory. NULL: there is none, or what has this name is not a run's. */
static bnd_safetensors *checkpoint_in(const char *directory)
{
    static const char name[] = "/checkpoint.safetensors";
    char path[sizeof((bnd_training *)NULL)->init + sizeof name];
    bnd_safetensors *file = NULL;
    snprintf(path, sizeof path, "%s%s", directory, name);
    if (bnd_safetensors_new(&file, path, NULL) == BND_OK && !is_checkpoint_file(file)) {
        bnd_safetensors_free(file);
        file = NULL;
    }
    return file;
}

bnd_status bndi_initial_open(bnd_run *run, bnd_error *why)
{
    bnd_status status = BND_OK;
    if (run->training.init[0] == '\0') {
        return BND_OK;
    }
    if (is_folder(run->training.init)) {
        run->initial = checkpoint_in(run->training.init);
        if (run->initial == NULL) {
            return bndi_in_file(open_folder(run, why), run->training.init, why);
        }
    } else {
        status = bnd_safetensors_new(&run->initial, run->training.init, why);
    }
    status = status == BND_OK ? bndi_safetensors_check_sum(run->initial, why) : status;
    if (status == BND_OK) {
        run->init_hash = bndi_hash_of(run->initial->map.bytes, run->initial->map.size);
    }
    return bndi_in_file(status, run->training.init, why);
}

void bndi_initial_close(bnd_run *run)
{
    bnd_safetensors_free(run->initial);
    bnd_checkpoint_free(run->initial_folder);
    run->initial = NULL;
    run->initial_folder = NULL;
}

static bool is_float(const char *dtype)
{
    return strcmp(dtype, "F32") == 0 || strcmp(dtype, "F16") == 0 || strcmp(dtype, "BF16") == 0;
}

static bool same_shape(const bnd_safetensor *entry, const bndi_shape *shape)
{
    bool same = entry->rank == shape->rank;
    for (size_t i = 0; same && i < shape->rank; i++) {
        same = entry->shape[i] == shape->extent[i];
    }
    return same;
}

static bnd_status check_entry(const bnd_safetensor *entry, const char *name, const bndi_shape *shape, bnd_error *why)
{
    char wanted[BNDI_SHAPE_TEXT], there[BNDI_SHAPE_TEXT];
    bndi_shape_text(wanted, shape);
    if (entry == NULL) {
        return bnd_fail(why, BND_BAD_FILE, 0, "the tensor \"%s\" %s is missing: the file needs one for each parameter",
                        name, wanted);
    }
    if (!is_float(entry->dtype)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "the tensor \"%s\" is %s; initial weights must be F32, F16 or BF16", name,
                        entry->dtype);
    }
    if (!same_shape(entry, shape)) {
        bndi_shape of_file = {.rank = entry->rank < BND_TENSOR_RANK_MAX ? entry->rank : BND_TENSOR_RANK_MAX};
        for (size_t i = 0; i < of_file.rank; i++) {
            of_file.extent[i] = (size_t)entry->shape[i];
        }
        return bnd_fail(why, BND_BAD_FILE, 0, "the tensor \"%s\" has the shape %s; this model needs %s", name,
                        bndi_shape_text(there, &of_file), wanted);
    }
    return BND_OK;
}

/* ---- names: Hugging Face's base models have them without the part before the first dot ---- */

static bool is_foreign(const bnd_run *run)
{
    return strcmp(run->model->name, "gpt2") == 0 || strcmp(run->model->name, "llama") == 0;
}

static const char *without_prefix(const bnd_run *run, const char *name)
{
    const char *prefix = strcmp(run->model->name, "gpt2") == 0 ? "transformer." : "model.";
    const size_t length = strlen(prefix);
    return is_foreign(run) && strncmp(name, prefix, length) == 0 ? name + length : name;
}

/* The file that has a tensor; NULL: none has. */
static const bnd_safetensors *file_with(const bnd_run *run, const char *name)
{
    if (run->initial_folder != NULL) {
        const bnd_stored_tensor *t = bnd_checkpoint_find(run->initial_folder, name);
        return t != NULL ? run->initial_folder->files[t->file].header : NULL;
    }
    return bnd_safetensors_find(run->initial, name) != NULL ? run->initial : NULL;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* A head that is the table, once more. */
static bool is_tied_head(const bnd_run *run, const char *name)
{
    const char *table = run->parameter[0].name;
    const bnd_safetensors *file = file_with(run, table), *own = file_with(run, name);
    if (file == NULL) {
        table = without_prefix(run, table);
        file = file_with(run, table);
    }
    if (!run->training.tied || strcmp(name, "lm_head.weight") != 0 || file == NULL || own == NULL) {
        return false;
    }
    const bnd_safetensor *a = bnd_safetensors_find(own, name), *b = bnd_safetensors_find(file, table);
    return a->size == b->size && strcmp(a->dtype, b->dtype) == 0 && memcmp(a->data, b->data, (size_t)a->size) == 0;
}

/* Tensors of Hugging Face's files that are not parameters: masks of attention, and frequencies of rope. */
static bool is_no_parameter(const bnd_run *run, const char *name)
{
    return is_foreign(run) && (ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias") ||
                               ends_with(name, ".rotary_emb.inv_freq") || is_tied_head(run, name));
}

/* A checkpoint also has the optimizer's states, and masters that are more exact than the weights. */
static bool is_checkpoint(const bnd_run *run)
{
    return is_checkpoint_file(run->initial);
}

bnd_status bndi_initial_read(bnd_tensor *to, const bnd_run *run, const char *name, bnd_error *why)
{
    char master[BNDI_PARAMETER_NAME + sizeof ".master"];
    snprintf(master, sizeof master, "%s.master", name);
    name = is_checkpoint(run) && bnd_safetensors_find(run->initial, master) != NULL ? master : name;
    name = file_with(run, name) != NULL || file_with(run, without_prefix(run, name)) == NULL
               ? name
               : without_prefix(run, name);
    const bnd_safetensors *file = file_with(run, name);
    const bnd_safetensor *entry = file != NULL ? bnd_safetensors_find(file, name) : NULL;
    bnd_status status = check_entry(entry, name, &to->shape, why);
    status = status == BND_OK ? bnd_tensor_load_into(to, file, name, to_nearest, why) : status;
    return bndi_in_file(status, run->training.init, why);
}

static bnd_status check_known(const bnd_run *run, const char *name, bnd_error *why)
{
    for (size_t k = 0; k < run->parameters; k++) {
        const char *own = run->parameter[k].name;
        if (strcmp(name, own) == 0 || strcmp(name, without_prefix(run, own)) == 0) {
            return BND_OK;
        }
    }
    if (is_no_parameter(run, name)) {
        return BND_OK;
    }
    bndi_nearest nearest = bndi_nearest_to(name, strlen(name));
    for (size_t k = 0; k < run->parameters; k++) {
        bndi_nearest_offer(&nearest, run->parameter[k].name, strlen(run->parameter[k].name));
    }
    return bndi_in_file(
        bndi_nearest_fail(&nearest, why, BND_BAD_FILE, "no parameter of this model has the name of the tensor", NULL),
        run->training.init, why);
}

/* No tensor may be left over: the file would be that of another model. */
bnd_status bndi_initial_check(const bnd_run *run, bnd_error *why)
{
    const bnd_checkpoint *folder = run->initial_folder;
    const bool all = run->initial != NULL && !is_checkpoint(run);
    const size_t count = folder != NULL ? bnd_checkpoint_count(folder) : all ? bnd_safetensors_count(run->initial) : 0;
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        status = check_known(
            run, folder != NULL ? bnd_checkpoint_at(folder, i)->name : bnd_safetensors_at(run->initial, i)->name, why);
    }
    return status;
}

/* ---- into a file ---- */

static const bnd_tensor *weights_of(const bndi_parameter *p)
{
    return p->master != NULL ? p->master : p->value;
}

static bnd_status write_numbers(const bnd_lab_output *file, const bnd_safetensor *entry, size_t index, void *context,
                                bnd_error *why)
{
    const bnd_run *run = context;
    const bnd_tensor *t = weights_of(&run->parameter[index]);
    bndi_walk walk;
    bndi_numbers buffer;
    bnd_status status = BND_OK;
    (void)entry;
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    for (size_t at = 0, n = bndi_count(&t->shape); status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        const size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        status = bnd_lab_output_write(file, bndi_read(&walk, at, m, &buffer), m * sizeof(float), why);
    }
    return status;
}

bnd_status bnd_run_save_weights(const bnd_run *run, const char *path, bnd_error *why)
{
    bnd_safetensor *entries = calloc(run->parameters + 1, sizeof *entries);
    uint64_t(*shapes)[BND_TENSOR_RANK_MAX] = calloc(run->parameters + 1, sizeof *shapes);
    bnd_status status = BND_OK;
    if (entries == NULL || shapes == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", run->parameters);
    }
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        const bndi_shape *shape = &weights_of(&run->parameter[i])->shape;
        for (size_t k = 0; k < shape->rank; k++) {
            shapes[i][k] = shape->extent[k];
        }
        entries[i] =
            (bnd_safetensor){.name = run->parameter[i].name, .dtype = "F32", .rank = shape->rank, .shape = shapes[i]};
    }
    if (status == BND_OK) {
        const bndi_environment before = bndi_enter(BND_ROUND_RNE);
        /* The run is read, not changed: a callback's context has no const. */
        status =
            bndi_safetensors_save(path, entries, run->parameters, NULL, 0, write_numbers, (void *)(uintptr_t)run, why);
        bndi_leave(before);
    }
    free(entries);
    free(shapes);
    return status;
}

uint64_t bnd_run_init_hash(const bnd_run *run)
{
    return run->init_hash;
}
