/* The files of a folder, and the small texts among them. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names ---- */

void bndi_names_free(bndi_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    free(names->names);
    *names = (bndi_names){0};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool add_name(bndi_names *out, const char *name)
{
    if (out->count == out->room) {
        size_t room = out->room + out->room / 2 + 16;
        char **names = realloc(out->names, room * sizeof *names);
        if (names == NULL) {
            return false;
        }
        out->names = names;
        out->room = room;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return false;
    }
    out->names[out->count++] = copy;
    return true;
}

/* Links to files are files: caches of downloads are full of them. */
static bool is_file(const char *folder, const char *name, bool *no_memory)
{
    struct stat about;
    char *path = bndi_path_in(folder, name);
    bool is = path != NULL && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
    *no_memory = path == NULL;
    free(path);
    return is;
}

bnd_status bndi_list_folder(bndi_names *out, const char *folder, bnd_error *why)
{
    bndi_names names = {0};
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        return bndi_fail_system(why, "cannot be opened", errno);
    }
    bool no_memory = false;
    errno = 0;
    for (struct dirent *entry; !no_memory && (entry = readdir(stream)) != NULL; errno = 0) {
        if (entry->d_name[0] != '.' && is_file(folder, entry->d_name, &no_memory)) {
            no_memory = no_memory || !add_name(&names, entry->d_name);
        }
    }
    int reason = errno;
    closedir(stream);
    bnd_status status = no_memory     ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the names of its files")
                        : reason != 0 ? bndi_fail_system(why, "cannot be read", reason)
                                      : BND_OK;
    if (status != BND_OK) {
        bndi_names_free(&names);
        return status;
    }
    if (names.count > 0) {
        qsort(names.names, names.count, sizeof *names.names, by_name);
    }
    *out = names;
    return BND_OK;
}

/* ---- numbered files ---- */

enum { DIGITS = 5 };
static const char between[] = "-of-", ending[] = ".safetensors";

static bool read_digits(unsigned *out, const char *text)
{
    unsigned value = 0;
    for (size_t i = 0; i < DIGITS; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = 10 * value + (unsigned)(text[i] - '0');
    }
    *out = value;
    return true;
}

/* Where the numbers of "model-00001-of-00003.safetensors" begin, or 0. */
static size_t find_numbers(const char *name, unsigned *number, unsigned *total)
{
    enum { NUMBERS = 2 * DIGITS + sizeof between - 1, TAIL = NUMBERS + sizeof ending - 1 };
    size_t length = strlen(name);
    if (length <= TAIL || !bndi_ends_with(name, ending)) {
        return 0;
    }
    const char *at = name + length - TAIL;
    bool is_one = read_digits(number, at) && memcmp(at + DIGITS, between, sizeof between - 1) == 0 &&
                  read_digits(total, at + DIGITS + sizeof between - 1);
    return is_one ? length - TAIL : 0;
}

/* A name of a series: files with the same beginning and the same total. */
typedef struct numbered {
    const char *name;
    size_t numbers; /* where they begin */
    unsigned number, total;
} numbered;

static int by_series(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    const size_t least = x->numbers < y->numbers ? x->numbers : y->numbers;
    int order = memcmp(x->name, y->name, least);
    order = order != 0 ? order : (x->numbers > y->numbers) - (x->numbers < y->numbers);
    order = order != 0 ? order : (x->total > y->total) - (x->total < y->total);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_same_series(const numbered *a, const numbered *b)
{
    return a->numbers == b->numbers && a->total == b->total && memcmp(a->name, b->name, a->numbers) == 0;
}

static bnd_status report_missing(const bndi_opening *opening, const numbered *other, unsigned number, bnd_error *why)
{
    bnd_error what;
    char *name = strdup(other->name);
    if (name == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    }
    for (unsigned k = DIGITS, rest = number; k-- > 0; rest /= 10) {
        name[other->numbers + k] = (char)('0' + rest % 10);
    }
    (void)bnd_fail(&what, BND_BAD_STREAM, 0, "is missing: it is one of %u files by the names of the others",
                   other->total);
    bnd_status status = bndi_report(opening, "shard-missing", name, &what, why);
    free(name);
    return status;
}

/* One series, by number. It counts from 1, or from 0 if that number is there. */
static bnd_status check_one_series(const bndi_opening *opening, const numbered *series, size_t count, bnd_error *why)
{
    const unsigned first = series[0].number == 0 ? 0 : 1;
    bnd_status status = BND_OK;
    size_t next = 0;
    for (unsigned i = 0; status == BND_OK && i < series[0].total; i++) {
        if (next < count && series[next].number == first + i) {
            next++;
        } else {
            status = report_missing(opening, &series[0], first + i, why);
        }
    }
    return status;
}

bnd_status bndi_check_series(const bndi_opening *opening, const char *const *names, size_t count, bnd_error *why)
{
    numbered *all = malloc((count + 1) * sizeof *all);
    size_t kept = 0;
    if (all == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu files", count);
    }
    for (size_t i = 0; i < count; i++) {
        numbered n = {.name = names[i]};
        n.numbers = find_numbers(names[i], &n.number, &n.total);
        if (n.numbers > 0) {
            all[kept++] = n;
        }
    }
    qsort(all, kept, sizeof *all, by_series);
    bnd_status status = BND_OK;
    for (size_t from = 0, to; status == BND_OK && from < kept; from = to) {
        for (to = from + 1; to < kept && is_same_series(&all[from], &all[to]); to++) {
        }
        status = check_one_series(opening, &all[from], to - from, why);
    }
    free(all);
    return status;
}

/* ---- texts ---- */

static const char *const text_names[BNDI_TEXTS] = {"config.json", "hf_quant_config.json", "quant_config.json",
                                                   "quantize_config.json"};

bool bndi_is_text(const char *name)
{
    size_t i = 0;
    while (i < BNDI_TEXTS && strcmp(name, text_names[i]) != 0) {
        i++;
    }
    return i < BNDI_TEXTS;
}

static bnd_status read_text(bndi_checkpoint_text *out, const char *path, bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status != BND_OK) {
        return status;
    }
    if (map.size > BNDI_TEXT_MAX) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "has %zu bytes; the limit is %d", map.size, (int)BNDI_TEXT_MAX);
    } else {
        char *bytes = malloc(map.size + 1);
        if (bytes == NULL) {
            status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a text of %zu bytes", map.size);
        } else {
            memcpy(bytes, map.size > 0 ? (const void *)map.bytes : "", map.size);
            bytes[map.size] = '\0';
            *out = (bndi_checkpoint_text){bytes, map.size};
        }
    }
    bnd_lab_map_close(&map);
    return status;
}

bnd_status bndi_read_texts(const bndi_opening *opening, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < BNDI_TEXTS; i++) {
        struct stat about;
        bnd_error inner = {.message = ""};
        char *path = bndi_path_in(opening->checkpoint->folder, text_names[i]);
        if (path == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path");
        }
        bool is_there = lstat(path, &about) == 0 || errno != ENOENT; /* also a link that leads nowhere */
        if (is_there && read_text(&opening->checkpoint->texts[i], path, &inner) != BND_OK) {
            status = bndi_report(opening, "text-unreadable", text_names[i], &inner, why);
        }
        free(path);
    }
    return status;
}

const char *bnd_checkpoint_text(const bnd_checkpoint *checkpoint, const char *file_name, size_t *length)
{
    for (size_t i = 0; i < BNDI_TEXTS; i++) {
        const bndi_checkpoint_text *text = &checkpoint->texts[i];
        if (strcmp(file_name, text_names[i]) == 0 && text->bytes != NULL) {
            if (length != NULL) {
                *length = text->length;
            }
            return text->bytes;
        }
    }
    return NULL;
}
