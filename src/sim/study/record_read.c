/* Records read back: run directories and files. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store.h"

/* ---- directories ---- */

static bnd_status no_path(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
}

static bnd_status read_config(bnd_record *out, const char *directory, bnd_error *why)
{
    bndi_bytes text = {.at = NULL};
    char *path = bndi_path(directory, "config.json");
    bnd_status status = path != NULL ? bndi_file_read(&text, path, why) : no_path(why);
    if (status == BND_OK) {
        status = bndi_config_check(&text, why);
    }
    if (status == BND_OK) {
        status = bndi_config_read(out, text.at != NULL ? text.at : "", text.length, why);
    }
    if (status == BND_OK) {
        out->config = text.at; /* it ends with a 0 byte */
        text.at = NULL;
    }
    bndi_bytes_free(&text);
    free(path);
    return bndi_within(why, "config.json", status);
}

/* An autopsy that is there, well-formed, and about a run of as many steps. */
static bnd_status read_autopsy(bnd_record *out, const char *directory, bnd_error *why)
{
    bndi_bytes text = {.at = NULL};
    bnd_error unread;
    char *path = bndi_path(directory, "autopsy.json");
    if (path == NULL) {
        return no_path(why);
    }
    bnd_status status = bndi_file_read(&text, path, &unread);
    free(path);
    if (status == BND_OK && bndi_autopsy_is_of(&text, out->steps)) {
        out->autopsy = text.at; /* it ends with a 0 byte */
        text.at = NULL;
    }
    bndi_bytes_free(&text);
    return status == BND_NO_MEMORY ? bnd_fail(why, status, 0, "%s", unread.message) : BND_OK;
}

/* A run that has not made a step yet has no lines. */
static bnd_status read_directory(bnd_record *out, const char *directory, bnd_error *why)
{
    bndi_found found;
    bnd_status status = bndi_directory_look(&found, directory, why);
    if (status == BND_OK && !found.config) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is not a run directory: it has no config.json");
    }
    if (status == BND_OK) {
        status = read_config(out, directory, why);
    }
    if (status == BND_OK && found.run) {
        char *path = bndi_path(directory, "metrics.jsonl");
        status = path != NULL ? bndi_points_read(out, NULL, path, UINT64_MAX, why) : no_path(why);
        status = bndi_within(why, "metrics.jsonl", status);
        free(path);
    }
    return status == BND_OK ? read_autopsy(out, directory, why) : status;
}

bool bndi_is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* What a file calls itself: its name. */
static void name_after(bnd_record *record, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strnlen(name, sizeof record->recipe - 1);
    memcpy(record->recipe, name, length);
    record->recipe[length] = '\0';
}

static bnd_status read_one(bnd_record *out, const char *path, const bnd_log_columns *columns, bnd_error *why)
{
    bnd_record r;
    bnd_status status;
    bndi_record_none(&r);
    if (bndi_is_directory(path)) {
        status = read_directory(&r, path, why);
    } else {
        name_after(&r, path);
        status = bndi_log_read(&r, path, columns, why);
        if (status == BND_OK && r.count == 0) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "has no steps");
        }
        r.steps = r.count;
    }
    if (status == BND_OK) {
        r.source = strdup(path);
        status = r.source != NULL ? bndi_record_finish(&r, why) : no_path(why);
    }
    if (status != BND_OK) {
        bnd_record_close(&r);
        return status;
    }
    r.complete = r.ended || r.count == r.steps;
    *out = r;
    return BND_OK;
}

bnd_status bnd_record_read(bnd_record *out, const char *path, bnd_error *why)
{
    return read_one(out, path, NULL, why);
}

/* ---- directories of directories ---- */

typedef struct listing {
    char **name;
    size_t count;
} listing;

static void free_listing(listing *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->name[i]);
    }
    free(list->name);
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* What a listing has: run directories, or those which would be ones if they had a config.json. */
typedef bool wanted(const bndi_found *found);

static bool has_config(const bndi_found *found)
{
    return found->config;
}

static bool lacks_config(const bndi_found *found)
{
    return found->run && !found->config;
}

/* A directory's own path, where it is wanted. */
static bnd_status offer(listing *list, const char *directory, const char *name, wanted *want, bnd_error *why)
{
    bndi_found found = {.config = false};
    char *path = bndi_path(directory, name);
    bnd_status status = path != NULL ? bndi_directory_look(&found, path, why) : no_path(why);
    if (status == BND_OK && want(&found)) {
        char **moved = realloc(list->name, (list->count + 1) * sizeof *moved);
        if (moved != NULL) {
            list->name = moved;
            list->name[list->count++] = path;
            return BND_OK;
        }
        status = no_path(why);
    }
    free(path);
    return status;
}

static bnd_status list_directories(listing *out, const char *path, wanted *want, bnd_error *why)
{
    listing list = {.name = NULL};
    bnd_status status = BND_OK;
    const struct dirent *entry = NULL;
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return bndi_fail_system(why, "cannot be read", errno);
    }
    while (status == BND_OK && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.') {
            status = offer(&list, path, entry->d_name, want, why);
        }
    }
    closedir(directory);
    if (status != BND_OK) {
        free_listing(&list);
        return status;
    }
    if (list.count > 0) {
        qsort(list.name, list.count, sizeof *list.name, by_name);
    }
    *out = list;
    return BND_OK;
}

static bnd_status list_runs(listing *out, const char *path, bnd_error *why)
{
    bnd_status status = list_directories(out, path, has_config, why);
    return status != BND_OK || out->count > 0
               ? status
               : bnd_fail(why, BND_BAD_FILE, 0,
                          "is not a run directory (it has no config.json) and does not contain any");
}

size_t bnd_records_print_left_out(char *out, size_t size, const char *path)
{
    bndi_sentence text = bndi_sentence_in(out, size);
    bndi_found found = {.config = true};
    listing list = {.name = NULL};
    if (bndi_is_directory(path) && bndi_directory_look(&found, path, NULL) == BND_OK && !found.config &&
        list_directories(&list, path, lacks_config, NULL) == BND_OK && list.count > 0) {
        for (size_t i = 0; i < list.count; i++) {
            bndi_sentence_add(&text, "%s%s", i == 0 ? "" : i + 1 < list.count ? ", " : " and ", list.name[i]);
        }
        bndi_sentence_add(&text, list.count > 1 ? " are left out: they have no config.json, or an empty one"
                                                : " is left out: it has no config.json, or an empty one");
    }
    free_listing(&list);
    return text.length;
}

bnd_status bndi_directory_check_run(const char *directory, bnd_error *why)
{
    bndi_found found;
    listing list = {.name = NULL};
    bnd_status status = bndi_directory_look(&found, directory, why);
    if (status == BND_OK && !found.run && !found.config) {
        status = list_runs(&list, directory, why);
    }
    if (status == BND_OK && list.count > 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "is a directory of runs; name one run, such as %s", list.name[0]);
    }
    free_listing(&list);
    return status;
}

static bnd_status read_listed(bnd_record *records, const listing *list, bnd_error *why)
{
    for (size_t i = 0; i < list->count; i++) {
        bnd_status status = bnd_record_read(&records[i], list->name[i], why);
        if (status != BND_OK) {
            const char *slash = strrchr(list->name[i], '/');
            return bndi_within(why, slash != NULL ? slash + 1 : list->name[i], status);
        }
    }
    return BND_OK;
}

bnd_status bnd_records_read_log(bnd_record **out, size_t *count, const char *path, const bnd_log_columns *columns,
                                bnd_error *why)
{
    bndi_found found = {.config = true};
    listing list = {.count = 1};
    bnd_status status = bndi_is_directory(path) ? bndi_directory_look(&found, path, why) : BND_OK;
    if (status == BND_OK && !found.config) {
        status = list_runs(&list, path, why);
    }
    if (status != BND_OK) {
        return status;
    }
    bnd_record *records = calloc(list.count, sizeof *records);
    if (records == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu runs", list.count);
    } else {
        status = found.config ? read_one(records, path, columns, why) : read_listed(records, &list, why);
    }
    if (status == BND_OK) {
        *out = records;
        *count = list.count;
    } else if (records != NULL) {
        bnd_records_free(records, list.count);
    }
    if (!found.config) {
        free_listing(&list);
    }
    return status;
}

bnd_status bnd_records_read(bnd_record **out, size_t *count, const char *path, bnd_error *why)
{
    return bnd_records_read_log(out, count, path, NULL, why);
}
