/* Records read back: run directories and files. */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <binade/text.h>

#include "store/json.h"
#include "store/store.h"

/* ---- configurations ---- */

static bndi_json_span whole(const bndi_json_text *text)
{
    return (bndi_json_span){0, text->length};
}

/* Finds the value of a key in an object; `found` is false if the object has no such key. */
static bnd_status find(bndi_json_span *out, bool *found, const bndi_json_text *text, bndi_json_span object,
                       const char *key, size_t length, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, object, why);
    *found = false;
    while (status == BND_OK && !*found) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        *found = bndi_same_key(text->bytes + m.key.from + 1, m.key.to - m.key.from - 2, key, length);
        *out = m.value;
    }
    return status;
}

/* A value by its way through objects: "training.lr". Refused where it is missing. */
static bnd_status find_path(bndi_json_span *out, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at = whole(text);
    for (const char *key = path; *key != '\0';) {
        size_t length = strcspn(key, ".");
        bool found;
        bnd_status status = find(&at, &found, text, at, key, length, why);
        if (status == BND_OK && !found) {
            status = bnd_fail(why, BND_BAD_FILE, 0, "%s is missing", path);
        }
        if (status != BND_OK) {
            return status;
        }
        key += length + (key[length] == '.');
    }
    *out = at;
    return BND_OK;
}

static bnd_status read_text(char *out, size_t size, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at;
    json_t *value = NULL;
    bnd_status status = find_path(&at, text, path, why);
    if (status == BND_OK) {
        status = bndi_json_read(&value, text, at, why);
    }
    if (status == BND_OK && (!json_is_string(value) || json_string_length(value) >= size)) {
        status = bnd_fail(why, BND_BAD_FILE, at.from, "%s must be a string of less than %zu bytes", path, size);
    }
    if (status == BND_OK) {
        memcpy(out, json_string_value(value), json_string_length(value) + 1);
    }
    json_decref(value);
    return status;
}

/* All 64 bits, which jansson does not read. */
static bnd_status read_count(uint64_t *out, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at;
    uint64_t n = 0;
    bnd_status status = find_path(&at, text, path, why);
    bool good = status == BND_OK && at.to > at.from;
    for (size_t i = at.from; good && i < at.to; i++) {
        char c = text->bytes[i];
        good = c >= '0' && c <= '9' && n <= (UINT64_MAX - (uint64_t)(c - '0')) / 10;
        n = good ? 10 * n + (uint64_t)(c - '0') : 0;
    }
    if (status == BND_OK && !good) {
        return bnd_fail(why, BND_BAD_FILE, at.from, "%s must be a whole number below 2^64", path);
    }
    *out = n;
    return status;
}

/* null is read as NaN. */
static bnd_status read_number(double *out, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at;
    json_t *value = NULL;
    bnd_status status = find_path(&at, text, path, why);
    if (status == BND_OK) {
        status = bndi_json_read(&value, text, at, why);
    }
    if (status == BND_OK && !json_is_number(value) && !json_is_null(value)) {
        status = bnd_fail(why, BND_BAD_FILE, at.from, "%s must be a number", path);
    }
    if (status == BND_OK) {
        *out = json_is_number(value) ? json_number_value(value) : __builtin_nan("");
    }
    json_decref(value);
    return status;
}

bnd_status bndi_config_read(bnd_record *out, const char *bytes, size_t length, bnd_error *why)
{
    bndi_json_text text = {bytes, length};
    bnd_record r;
    bndi_record_none(&r);
    const struct {
        const char *path;
        char *to;
        size_t size;
    } texts[] = {{"recipe", r.recipe, sizeof r.recipe},
                 {"training.model", r.model, sizeof r.model},
                 {"training.optimizer", r.optimizer, sizeof r.optimizer}};
    const struct {
        const char *path;
        uint64_t *to;
    } counts[] = {{"training.seed_init", &r.seed_init},
                  {"training.seed_data", &r.seed_data},
                  {"training.steps", &r.steps},
                  {"model.parameters", &r.parameters}};
    const struct {
        const char *path;
        double *to;
    } numbers[] = {{"training.lr", &r.lr}, {"model.floor", &r.floor}, {"model.chance_loss", &r.chance_loss}};
    const struct {
        const char *path;
        uint64_t *to;
    } hashes[] = {{"model.init_hash", &r.init_hash}, {"model.order_hash", &r.order_hash}};
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < sizeof texts / sizeof texts[0]; i++) {
        status = read_text(texts[i].to, texts[i].size, &text, texts[i].path, why);
    }
    for (size_t i = 0; status == BND_OK && i < sizeof counts / sizeof counts[0]; i++) {
        status = read_count(counts[i].to, &text, counts[i].path, why);
    }
    for (size_t i = 0; status == BND_OK && i < sizeof numbers / sizeof numbers[0]; i++) {
        status = read_number(numbers[i].to, &text, numbers[i].path, why);
    }
    for (size_t i = 0; status == BND_OK && i < sizeof hashes / sizeof hashes[0]; i++) {
        bndi_json_span at;
        bool there = find_path(&at, &text, hashes[i].path, NULL) == BND_OK; /* most runs have no such file */
        status = there ? read_count(hashes[i].to, &text, hashes[i].path, why) : BND_OK;
    }
    if (status == BND_OK) {
        *out = r;
    }
    return status;
}

/* ---- the same run? ---- */

enum { SHOWN = 40 };

static bnd_status differs(const bndi_json_text *text, bndi_json_span key, const char *there, size_t there_length,
                          const char *asked, size_t asked_length, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "this is another run: %.*s is %.*s there, not %.*s",
                    (int)(key.to - key.from < SHOWN ? key.to - key.from : SHOWN), text->bytes + key.from,
                    (int)(there_length < SHOWN ? there_length : SHOWN), there,
                    (int)(asked_length < SHOWN ? asked_length : SHOWN), asked);
}

/* Checks that `there` has every member of `asked` with the same value, except checkpoint_every. Nested objects are
   compared as deep as ours are. */
static bnd_status same_members(const bndi_json_text *there, bndi_json_span in, const bndi_json_text *asked,
                               bndi_json_span of, unsigned depth, bnd_error *why)
{
    static const char free_key[] = "\"checkpoint_every\"";
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, asked, of, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        const char *key = asked->bytes + m.key.from, *value = asked->bytes + m.value.from;
        size_t key_length = m.key.to - m.key.from, length = m.value.to - m.value.from;
        if (depth == 0 && key_length == sizeof free_key - 1 && memcmp(key, free_key, key_length) == 0) {
            continue;
        }
        bndi_json_span other = {0, 0};
        bool found;
        status = find(&other, &found, there, in, key + 1, key_length - 2, why);
        size_t other_length = other.to - other.from;
        const char *other_value = there->bytes + other.from;
        if (status == BND_OK && !found) {
            status = differs(asked, m.key, "missing", 7, value, length, why);
        } else if (status == BND_OK && value[0] == '{' && other_value[0] == '{') {
            status = same_members(there, other, asked, m.value, depth + 1, why);
        } else if (status == BND_OK && (length != other_length || memcmp(value, other_value, length) != 0)) {
            status = differs(asked, m.key, other_value, other_length, value, length, why);
        }
    }
    return status;
}

/* Both ways: what one has and the other has not is a difference, too. */
bnd_status bndi_config_same(const bndi_bytes *there, const bndi_bytes *asked, bnd_error *why)
{
    bndi_json_text a = {there->at != NULL ? there->at : "", there->length}, b = {asked->at, asked->length};
    bnd_status status = same_members(&a, whole(&a), &b, whole(&b), 0, why);
    if (status != BND_OK) {
        return status;
    }
    return same_members(&b, whole(&b), &a, whole(&a), 0, NULL) == BND_OK
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "this is another run: its configuration has members that this one does not have");
}

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
        status = bndi_config_read(out, text.at != NULL ? text.at : "", text.length, why);
    }
    bndi_bytes_free(&text);
    free(path);
    return bndi_within(why, "config.json", status);
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
    return status;
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
        status = bndi_record_finish(&r, why);
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

/* A directory's own path, where it is that of a run. */
static bnd_status offer(listing *list, const char *directory, const char *name, bnd_error *why)
{
    bndi_found found = {.config = false};
    char *path = bndi_path(directory, name);
    bnd_status status = path != NULL ? bndi_directory_look(&found, path, why) : no_path(why);
    if (status == BND_OK && found.config) {
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

static bnd_status list_runs(listing *out, const char *path, bnd_error *why)
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
            status = offer(&list, path, entry->d_name, why);
        }
    }
    closedir(directory);
    if (status == BND_OK && list.count == 0) {
        status =
            bnd_fail(why, BND_BAD_FILE, 0, "is not a run directory (it has no config.json) and does not contain any");
    }
    if (status != BND_OK) {
        free_listing(&list);
        return status;
    }
    qsort(list.name, list.count, sizeof *list.name, by_name);
    *out = list;
    return BND_OK;
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
