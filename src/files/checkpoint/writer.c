/* Writing a checkpoint. Every size is known beforehand, so headers are written first, and data go to their places in
 * any order. A header is made as store/ makes those of single files. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the data of a tensor go. */
typedef struct place {
    size_t shard;
    uint64_t offset, size;
} place;

struct bnd_checkpoint_writer {
    bool is_folder;
    bnd_lab_output file; /* a single file */
    bnd_lab_folder folder;
    place *places;
    size_t count, shards;
};

/* What is needed while a writer is made. */
typedef struct making {
    bnd_checkpoint_writer *writer;
    const bnd_checkpoint_plan *plan;
    bnd_safetensor *entries;
    bndi_index_line *lines; /* by name */
    uint64_t total_size;
} making;

/* ---- the plan ---- */

static bnd_status measure(making *m, bnd_error *why)
{
    for (size_t i = 0; i < m->plan->count; i++) {
        const bnd_planned *t = &m->plan->tensors[i];
        const bnd_safetensor given = {.name = t->name, .dtype = t->dtype, .rank = t->rank, .shape = t->shape};
        bnd_status status = bndi_safetensors_describe(&m->entries[i], &given, why);
        if (status != BND_OK) {
            return status;
        }
        if (m->entries[i].size > (uint64_t)INT64_MAX - m->total_size) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "these tensors have more bytes than can be counted");
        }
        m->total_size += m->entries[i].size;
    }
    return BND_OK;
}

/* Fills each shard in the order of the plan. */
static void share_out(making *m)
{
    bnd_checkpoint_writer *w = m->writer;
    uint64_t most = m->plan->shard_size > 0 ? m->plan->shard_size : UINT64_MAX, filled = 0;
    w->shards = 1;
    for (size_t i = 0; i < w->count; i++) {
        uint64_t size = m->entries[i].size;
        if (filled > 0 && size > (most > filled ? most - filled : 0)) {
            w->shards++;
            filled = 0;
        }
        filled += size;
        w->places[i] = (place){.shard = w->shards - 1, .size = size};
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const bndi_index_line *)a)->tensor, ((const bndi_index_line *)b)->tensor);
}

static bnd_status check_names(const making *m, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    for (size_t i = 0; i < m->plan->count; i++) {
        m->lines[i] = (bndi_index_line){.tensor = m->plan->tensors[i].name, .shard = m->writer->places[i].shard};
    }
    if (m->plan->count > 0) {
        qsort(m->lines, m->plan->count, sizeof *m->lines, by_name);
    }
    for (size_t i = 1; i < m->plan->count; i++) {
        if (strcmp(m->lines[i - 1].tensor, m->lines[i].tensor) == 0) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "two tensors have the name '%s'",
                            bndi_shown(shown, m->lines[i].tensor));
        }
    }
    return BND_OK;
}

/* ---- tensors ---- */

static bnd_status begin_shard(making *m, size_t shard, const bndi_safetensors_layout *l, bnd_error *why)
{
    bnd_checkpoint_writer *w = m->writer;
    uint64_t size = l->header_size + l->data_size;
    char name[BNDI_SHARD_NAME];
    if (!w->is_folder) {
        bnd_status status = bnd_lab_output_reserve(&w->file, size, why);
        return status == BND_OK ? bnd_lab_output_write_at(&w->file, 0, l->header, l->header_size, why) : status;
    }
    bndi_name_shard(name, shard, w->shards);
    bnd_status status = bnd_lab_folder_add(&w->folder, name, size, why);
    return status == BND_OK ? bnd_lab_folder_write(&w->folder, shard, 0, l->header, l->header_size, why) : status;
}

/* The tensors from `from` on that are in one shard. */
static bnd_status write_header(making *m, size_t from, size_t to, bnd_error *why)
{
    place *places = m->writer->places;
    bndi_safetensors_layout l;
    bnd_status status =
        bndi_safetensors_lay_out(&l, m->entries + from, to - from, m->plan->metadata, m->plan->pairs, why);
    if (status == BND_OK) {
        for (size_t i = 0; i < l.count; i++) {
            places[from + l.placed[i].index].offset = l.placed[i].offset;
        }
        status = begin_shard(m, to > from ? places[from].shard : 0, &l, why);
        bndi_safetensors_layout_free(&l);
    }
    return status;
}

static bnd_status write_headers(making *m, bnd_error *why)
{
    const place *places = m->writer->places;
    bnd_status status = m->plan->count == 0 ? write_header(m, 0, 0, why) : BND_OK;
    for (size_t from = 0, to; status == BND_OK && from < m->plan->count; from = to) {
        for (to = from + 1; to < m->plan->count && places[to].shard == places[from].shard; to++) {
        }
        status = write_header(m, from, to, why);
    }
    return status;
}

/* ---- the files next to the tensors ---- */

static bnd_status add_whole(bnd_lab_folder *folder, const char *name, const void *bytes, size_t length, bnd_error *why)
{
    bnd_status status = bnd_lab_folder_add(folder, name, length, why);
    return status == BND_OK ? bnd_lab_folder_write(folder, folder->count - 1, 0, bytes, length, why) : status;
}

/* Copies all bytes of an open file. It is read and not mapped: the handler of SIGBUS does not know the output yet. */
static bnd_status copy_bytes(bnd_lab_folder *folder, const bnd_side_file *side, int fd, bnd_error *why)
{
    enum { CHUNK = 1 << 16 };
    char bytes[CHUNK];
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "%s: must be a regular file", side->from);
    }
    const uint64_t size = (uint64_t)about.st_size;
    bnd_status status = bnd_lab_folder_add(folder, side->name, size, why);
    for (uint64_t at = 0; status == BND_OK && at < size;) {
        const ssize_t count = read(fd, bytes, size - at < CHUNK ? (size_t)(size - at) : CHUNK);
        if (count > 0) {
            status = bnd_lab_folder_write(folder, folder->count - 1, at, bytes, (size_t)count, why);
            at += (uint64_t)count;
        } else if (count == 0 || errno != EINTR) {
            status = bnd_fail(why, BND_BAD_STREAM, 0, "%s: cannot be read: %s", side->from,
                              count == 0 ? "it has become shorter" : strerror(errno));
        }
    }
    return status;
}

static bnd_status copy_file(bnd_lab_folder *folder, const bnd_side_file *side, bnd_error *why)
{
    int fd = open(side->from, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is refused, and not waited for */
    if (fd < 0) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "%s: cannot be opened: %s", side->from, strerror(errno));
    }
    bnd_status status = copy_bytes(folder, side, fd, why);
    close(fd);
    return status;
}

static bnd_status write_side(making *m, bnd_error *why)
{
    bnd_lab_folder *folder = &m->writer->folder;
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < m->plan->side_count; i++) {
        const bnd_side_file *side = &m->plan->side[i];
        status = side->text != NULL ? add_whole(folder, side->name, side->text, side->length, why)
                                    : copy_file(folder, side, why);
    }
    return status;
}

static bnd_status write_index(making *m, bnd_error *why)
{
    const bnd_checkpoint_writer *w = m->writer;
    const bndi_index_lines lines = {m->lines, w->count, w->shards, m->total_size};
    size_t length;
    char *text;
    if (w->shards == 1) {
        return BND_OK;
    }
    bnd_status status = bndi_index_print(&text, &length, &lines, why);
    if (status == BND_OK) {
        status = add_whole(&m->writer->folder, "model.safetensors.index.json", text, length, why);
        free(text);
    }
    return status;
}

/* ---- writers ---- */

/* A file of this name stays, as a folder does: only an empty one is replaced. */
static bnd_status check_file(const making *m, const char *path, bnd_error *why)
{
    struct stat about;
    if (m->plan->side_count > 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a single file has no files next to it: write a folder");
    }
    if (m->plan->shard_size > 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the output is one file and cannot be used with a shard size: write a folder, or leave it out");
    }
    if (stat(path, &about) != 0 || S_ISDIR(about.st_mode)) { /* opening says what is wrong, if anything */
        return BND_OK;
    }
    if (!S_ISREG(about.st_mode)) { /* opening a FIFO would wait for a reader */
        return bnd_fail(why, BND_BAD_STREAM, 0, "is there already, and is not a file; choose another name");
    }
    return about.st_size > 0
               ? bnd_fail(why, BND_BAD_STREAM, 0, "is there already, and is not empty; choose another name")
               : BND_OK;
}

static bnd_status open_output(making *m, const char *path, bnd_error *why)
{
    bnd_checkpoint_writer *w = m->writer;
    if (w->is_folder) {
        return bnd_lab_folder_open(&w->folder, path, w->shards + 1 + m->plan->side_count, why);
    }
    bnd_status status = check_file(m, path, why);
    return status == BND_OK ? bnd_lab_output_open(&w->file, path, why) : status;
}

static bnd_status make(making *m, const char *path, bnd_error *why)
{
    bnd_checkpoint_writer *w = m->writer;
    size_t room = m->plan->count + 1;
    w->places = calloc(room, sizeof *w->places);
    m->entries = calloc(room, sizeof *m->entries);
    m->lines = calloc(room, sizeof *m->lines);
    if (w->places == NULL || m->entries == NULL || m->lines == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", m->plan->count);
    }
    bnd_status status = measure(m, why);
    if (status == BND_OK) {
        share_out(m);
        status = check_names(m, why);
    }
    if (status == BND_OK) {
        status = open_output(m, path, why);
    }
    if (status == BND_OK) {
        status = write_headers(m, why);
    }
    if (status == BND_OK && w->is_folder) {
        status = write_index(m, why);
    }
    return status == BND_OK && w->is_folder ? write_side(m, why) : status;
}

bnd_status bnd_checkpoint_writer_new(bnd_checkpoint_writer **out, const char *path, const bnd_checkpoint_plan *plan,
                                     bnd_error *why)
{
    bnd_checkpoint_writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a writer");
    }
    making m = {.writer = w, .plan = plan};
    w->is_folder = !bndi_ends_with(path, ".safetensors");
    w->file.fd = -1;
    w->count = plan->count;
    bnd_status status = make(&m, path, why);
    free(m.entries);
    free(m.lines);
    if (status == BND_OK) {
        *out = w;
    } else {
        bnd_checkpoint_writer_free(w);
    }
    return status;
}

bnd_status bnd_checkpoint_writer_put(bnd_checkpoint_writer *w, size_t tensor, uint64_t offset, const void *bytes,
                                     size_t length, bnd_error *why)
{
    if (tensor >= w->count || offset > w->places[tensor].size || length > w->places[tensor].size - offset) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%zu bytes at %llu are not within tensor %zu", length,
                        (unsigned long long)offset, tensor);
    }
    const place *p = &w->places[tensor];
    if (length == 0) {
        return BND_OK;
    }
    return w->is_folder ? bnd_lab_folder_write(&w->folder, p->shard, p->offset + offset, bytes, length, why)
                        : bnd_lab_output_write_at(&w->file, p->offset + offset, bytes, length, why);
}

static void release(bnd_checkpoint_writer *w)
{
    free(w->places);
    free(w);
}

bnd_status bnd_checkpoint_writer_finish(bnd_checkpoint_writer *w, bool durable, bnd_error *why)
{
    bnd_status status =
        w->is_folder ? bnd_lab_folder_finish(&w->folder, durable, why) : bnd_lab_output_finish(&w->file, durable, why);
    release(w);
    return status;
}

void bnd_checkpoint_writer_free(bnd_checkpoint_writer *w)
{
    if (w != NULL) {
        bnd_lab_folder_abandon(&w->folder);
        bnd_lab_output_abandon(&w->file);
        release(w);
    }
}

void bndi_tell_output(const bnd_watch *watch, const bnd_checkpoint_writer *writer)
{
    if (watch != NULL && watch->output != NULL) {
        watch->output(watch->state, writer);
    }
}

void bnd_checkpoint_writer_remove(const bnd_checkpoint_writer *w)
{
    bnd_lab_folder_remove(&w->folder);
    if (w->file.temporary != NULL) {
        (void)unlink(w->file.temporary);
    }
}
