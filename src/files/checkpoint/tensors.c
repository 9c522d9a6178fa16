/* The tensors of all files by name, compared with each other and with the index. */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const bnd_stored_tensor *x = *(const bnd_stored_tensor *const *)a, *y = *(const bnd_stored_tensor *const *)b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    const bnd_stored_tensor *x = *(const bnd_stored_tensor *const *)a, *y = *(const bnd_stored_tensor *const *)b;
    return (x > y) - (x < y);
}

static const char *file_of(const bnd_checkpoint *c, const bnd_stored_tensor *tensor)
{
    return c->files[tensor->file].name;
}

/* ---- names that are there twice ---- */

static bnd_status report_twice(const bndi_opening *opening, const bnd_stored_tensor *kept,
                               const bnd_stored_tensor *other, bnd_error *why)
{
    char a[BNDI_SHOWN], b[BNDI_SHOWN];
    bnd_error what;
    const bnd_stored_tensor *first = kept < other ? kept : other, *second = kept < other ? other : kept;
    (void)bnd_fail(&what, BND_BAD_FILE, 0,
                   opening->damage != NULL ? "is in two files, %s and %s; the one of %s is looked at"
                                           : "is in two files, %s and %s; remove one, or write an index that names one",
                   bndi_shown(a, file_of(opening->checkpoint, first)),
                   bndi_shown(b, file_of(opening->checkpoint, second)), first == kept ? a : b);
    return bndi_report(opening, "tensor-twice", kept->name, &what, why);
}

/* Of tensors of one name the one that the index says is kept, or the first: its place in by_name. */
static size_t choose(const bnd_checkpoint *c, const bndi_index *index, size_t from, size_t to)
{
    const char *file = index != NULL ? bndi_index_find(index, c->by_name[from]->name) : NULL;
    for (size_t i = from; file != NULL && i < to; i++) {
        if (strcmp(file_of(c, c->by_name[i]), file) == 0) {
            return i;
        }
    }
    return from;
}

/* Leaves each name in by_name once. */
static bnd_status drop_doubles(const bndi_opening *opening, const bndi_index *index, size_t *left, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    size_t kept = 0;
    for (size_t from = 0, to; from < c->count; from = to) {
        for (to = from + 1; to < c->count && strcmp(c->by_name[from]->name, c->by_name[to]->name) == 0; to++) {
        }
        size_t chosen = to - from > 1 ? choose(c, index, from, to) : from;
        for (size_t i = from; i < to; i++) {
            bnd_status status = i != chosen ? report_twice(opening, c->by_name[chosen], c->by_name[i], why) : BND_OK;
            if (status != BND_OK) {
                return status;
            }
        }
        c->by_name[kept++] = c->by_name[chosen];
    }
    *left = kept;
    return BND_OK;
}

/* Tensors that by_name does not have are taken out of the list. */
static void close_ranks(bnd_checkpoint *c, size_t left)
{
    qsort(c->by_name, left, sizeof(const bnd_stored_tensor *), by_place);
    for (size_t i = 0; i < left; i++) {
        c->tensors[i] = *c->by_name[i];
        c->by_name[i] = &c->tensors[i];
    }
    c->count = left;
    qsort(c->by_name, left, sizeof(const bnd_stored_tensor *), by_name);
}

/* ---- the index ---- */

/* Loaders read no total_size, and take all tensors of the files that the index names (vLLM and SGLang:
 * safetensors_weights_iterator; transformers: _load_pretrained_model). So this is told, and is never a failure. */
static bnd_status report_stale(const bndi_opening *opening, const char *code, const char *where, const bnd_error *what,
                               bnd_error *why)
{
    return opening->damage != NULL ? bndi_report(opening, code, where, what, why) : BND_OK;
}

static bnd_status check_tensor(const bndi_opening *opening, const bnd_stored_tensor *tensor, const char *file,
                               bnd_error *why)
{
    char shown[BNDI_SHOWN], there[BNDI_SHOWN];
    bnd_error what;
    const char *is_in = file_of(opening->checkpoint, tensor);
    if (file == NULL) {
        (void)bnd_fail(&what, BND_BAD_FILE, 0, "is in %s, but not in the index", bndi_shown(there, is_in));
        return report_stale(opening, "tensor-not-in-index", tensor->name, &what, why);
    }
    if (strcmp(is_in, file) != 0) {
        (void)bnd_fail(&what, BND_BAD_FILE, 0, "is in %s; the index says %s", bndi_shown(there, is_in),
                       bndi_shown(shown, file));
        return bndi_report(opening, "index-wrong-file", tensor->name, &what, why);
    }
    return BND_OK;
}

static bool has_whole_file(const bnd_checkpoint *c, const char *name)
{
    size_t i = 0;
    while (i < c->file_count && strcmp(c->files[i].name, name) != 0) {
        i++;
    }
    return i < c->file_count && !c->files[i].is_cut;
}

/* What a file that cannot be read should have is not reported as well. */
static bnd_status check_missing(const bndi_opening *opening, const bndi_index_entry *entry, const bool *is_read,
                                bnd_error *why)
{
    char shown[BNDI_SHOWN];
    bnd_error what;
    if (!is_read[entry->file_number]) {
        return BND_OK;
    }
    (void)bnd_fail(&what, BND_BAD_FILE, 0, "is missing: the index says that it is in %s",
                   bndi_shown(shown, entry->file));
    return bndi_report(opening, "index-missing-tensor", entry->tensor, &what, why);
}

/* Both lists are sorted by name. */
static bnd_status check_names(const bndi_opening *opening, const bndi_index *index, const bool *is_read, bnd_error *why)
{
    const bnd_checkpoint *c = opening->checkpoint;
    bnd_status status = BND_OK;
    for (size_t i = 0, k = 0; status == BND_OK && (i < c->count || k < index->count);) {
        int order = i == c->count ? 1 : k == index->count ? -1 : strcmp(c->by_name[i]->name, index->entries[k].tensor);
        status = order > 0 ? check_missing(opening, &index->entries[k], is_read, why)
                           : check_tensor(opening, c->by_name[i], order == 0 ? index->entries[k].file : NULL, why);
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

static bnd_status check_total(const bndi_opening *opening, const bndi_index *index, bool is_whole, bnd_error *why)
{
    uint64_t total = 0;
    bnd_error what;
    for (size_t i = 0; i < opening->checkpoint->count; i++) {
        total += opening->checkpoint->tensors[i].size;
    }
    if (!index->has_total_size || !is_whole || index->total_size == total) {
        return BND_OK;
    }
    (void)bnd_fail(&what, BND_BAD_FILE, 0, "its total_size is %llu bytes; the tensors have %llu",
                   (unsigned long long)index->total_size, (unsigned long long)total);
    return report_stale(opening, "index-total-size", opening->checkpoint->index, &what, why);
}

static bnd_status check_index(const bndi_opening *opening, const bndi_index *index, bnd_error *why)
{
    bool is_whole = true, *is_read = malloc((index->file_count + 1) * sizeof *is_read);
    if (is_read == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu files", index->file_count);
    }
    for (size_t i = 0; i < index->file_count; i++) {
        is_read[i] = has_whole_file(opening->checkpoint, index->files[i]);
        is_whole = is_whole && is_read[i];
    }
    bnd_status status = check_names(opening, index, is_read, why);
    free(is_read);
    return status == BND_OK ? check_total(opening, index, is_whole, why) : status;
}

bnd_status bndi_take_names(const bndi_opening *opening, const bndi_index *index, bnd_error *why)
{
    bnd_checkpoint *c = opening->checkpoint;
    size_t left = 0;
    c->by_name = malloc((c->count + 1) * sizeof(const bnd_stored_tensor *));
    if (c->by_name == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu tensors", c->count);
    }
    for (size_t i = 0; i < c->count; i++) {
        c->by_name[i] = &c->tensors[i];
    }
    qsort(c->by_name, c->count, sizeof(const bnd_stored_tensor *), by_name);
    bnd_status status = drop_doubles(opening, index, &left, why);
    if (status == BND_OK && left < c->count) {
        close_ranks(c, left);
    }
    return status == BND_OK && index != NULL ? check_index(opening, index, why) : status;
}

static int compare_name(const void *name, const void *tensor)
{
    return strcmp(name, (*(const bnd_stored_tensor *const *)tensor)->name);
}

const bnd_stored_tensor *bnd_checkpoint_find(const bnd_checkpoint *checkpoint, const char *name)
{
    const bnd_stored_tensor *const *found =
        bsearch(name, checkpoint->by_name, checkpoint->count, sizeof(const bnd_stored_tensor *), compare_name);
    return found != NULL ? *found : NULL;
}
