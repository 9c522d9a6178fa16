/* Configurations read back: what they say of a record and of a task, and whether two are of the same run. */
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "store/json.h"
#include "train/train.h"

/* ---- members of an object ---- */

static bndi_json_span whole(const bndi_json_text *text)
{
    return (bndi_json_span){0, text->length};
}

/* The next member; its value ends before the white space that follows it. */
static bnd_status next_member(bndi_json_members *m, bnd_error *why)
{
    bnd_status status = bndi_json_next(m, why);
    while (status == BND_OK && m->more && m->value.to > m->value.from &&
           strchr(" \t\r\n", m->text->bytes[m->value.to - 1]) != NULL) {
        m->value.to--;
    }
    return status;
}

/* Finds the value of a key in an object; `found` is false if the object has no such key. */
static bnd_status find(bndi_json_span *out, bool *found, const bndi_json_text *text, bndi_json_span object,
                       const char *key, size_t length, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, object, why);
    *found = false;
    while (status == BND_OK && !*found) {
        status = next_member(&m, why);
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

/* The value at a path, and where it stands. The caller releases it with json_decref. */
static bnd_status read_at(json_t **out, bndi_json_span *at, const bndi_json_text *text, const char *path,
                          bnd_error *why)
{
    bnd_status status = find_path(at, text, path, why);
    return status == BND_OK ? bndi_json_read(out, text, *at, why) : status;
}

static bnd_status read_text(char *out, size_t size, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at;
    json_t *value = NULL;
    bnd_status status = read_at(&value, &at, text, path, why);
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
    bnd_status status = read_at(&value, &at, text, path, why);
    if (status == BND_OK && !json_is_number(value) && !json_is_null(value)) {
        status = bnd_fail(why, BND_BAD_FILE, at.from, "%s must be a number", path);
    }
    if (status == BND_OK) {
        *out = json_is_number(value) ? json_number_value(value) : __builtin_nan("");
    }
    json_decref(value);
    return status;
}

/* ---- configurations ---- */

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
    } hashes[] = {{"model.init_hash", &r.init_hash},
                  {"model.order_hash", &r.order_hash},
                  {"model.data_hash", &r.data_hash},
                  {"model.tokenizer_hash", &r.tokenizer_hash}};
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

static bnd_status read_flag(bool *out, const bndi_json_text *text, const char *path, bnd_error *why)
{
    bndi_json_span at;
    json_t *value = NULL;
    bnd_status status = read_at(&value, &at, text, path, why);
    if (status == BND_OK && !json_is_boolean(value)) {
        status = bnd_fail(why, BND_BAD_FILE, at.from, "%s must be true or false", path);
    }
    if (status == BND_OK) {
        *out = json_is_true(value);
    }
    json_decref(value);
    return status;
}

/* A run without a switch says nothing of one. */
static bnd_status read_switch(bnd_task *task, const bndi_json_text *text, bnd_error *why)
{
    bndi_json_span at;
    char recipe[BND_POLICY_TEXT_SIZE];
    task->switches = find_path(&at, text, "task.switch_at", NULL) == BND_OK;
    if (!task->switches) {
        return BND_OK;
    }
    bnd_status status = read_count(&task->switch_at, text, "task.switch_at", why);
    if (status == BND_OK) {
        status = read_text(recipe, sizeof recipe, text, "task.switch_to", why);
    }
    return status == BND_OK ? bnd_policy_parse(&task->switch_to, recipe, why) : status;
}

bnd_status bnd_task_read(bnd_task *out, const char *config, bnd_error *why)
{
    bndi_json_text text = {config, strlen(config)};
    bndi_json_span at;
    bnd_training training;
    bnd_task task = {.directory = NULL};
    json_t *tree = NULL; /* all of the text is JSON, not just what is looked for */
    bnd_status status = bndi_json_read_wide(&tree, &text, why); /* hashes and seeds may have 64 bits */
    json_decref(tree);
    if (status == BND_OK) {
        status = find_path(&at, &text, "training", why);
    }
    if (status == BND_OK) {
        status = bnd_training_read_n(&training, config + at.from, at.to - at.from, why);
    }
    if (status != BND_OK) {
        return status;
    }
    task.training = training;
    status = read_count(&task.validate_every, &text, "task.validate_every", why);
    if (status == BND_OK) {
        status = read_count(&task.validation_batches, &text, "task.validation_batches", why);
    }
    if (status == BND_OK) {
        status = read_flag(&task.statistics, &text, "task.statistics", why);
    }
    task.places = find_path(&at, &text, "task.places", NULL) == BND_OK;
    if (status == BND_OK && find_path(&at, &text, "recipe_written", NULL) == BND_OK) {
        bnd_policy *policy = &task.training.policy;
        status = read_text(policy->written, sizeof policy->written, &text, "recipe_written", why);
    }
    if (status == BND_OK) {
        status = read_switch(&task, &text, why);
    }
    if (status == BND_OK) {
        *out = task;
    }
    return status;
}

bool bndi_autopsy_is_of(const bndi_bytes *bytes, uint64_t steps)
{
    bndi_json_text text = {bytes->at != NULL ? bytes->at : "", bytes->length};
    json_t *value = NULL;
    uint64_t said = 0;
    bool is = bndi_json_read(&value, &text, whole(&text), NULL) == BND_OK && json_is_object(value) &&
              read_count(&said, &text, "steps", NULL) == BND_OK && said == steps;
    json_decref(value);
    return is;
}

/* ---- the same run? ---- */

enum { SHOWN = 40 };

/* What of a value is shown: the part around the first difference, at `same`, with dots where something is left out. */
typedef struct excerpt {
    const char *before, *at, *behind;
    int length;
} excerpt;

static excerpt excerpt_of(const char *value, size_t length, size_t same)
{
    const size_t from = length <= SHOWN || same <= SHOWN / 2 ? 0 : same - SHOWN / 2;
    const size_t rest = length - from, most = rest < SHOWN ? rest : SHOWN;
    return (excerpt){from > 0 ? "..." : "", value + from, most < rest ? "..." : "", (int)most};
}

static bnd_status differs(const bndi_json_text *text, bndi_json_span key, const char *there, size_t there_length,
                          const char *asked, size_t asked_length, bnd_error *why)
{
    size_t same = 0;
    while (same < there_length && same < asked_length && there[same] == asked[same]) {
        same++;
    }
    const excerpt a = excerpt_of(there, there_length, same), b = excerpt_of(asked, asked_length, same);
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "this is another run: %.*s is %s%.*s%s there, not %s%.*s%s",
                    (int)(key.to - key.from < SHOWN ? key.to - key.from : SHOWN), text->bytes + key.from, a.before,
                    a.length, a.at, a.behind, b.before, b.length, b.at, b.behind);
}

/* Files whose content counts. Directories that were begun without hashes have none: those are not compared. */
static const char *content_of(const char *key, size_t length)
{
    static const struct {
        const char *key, *content;
    } files[] = {{"data_hash", "the data"}, {"tokenizer_hash", "tokenizer.json"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (length == strlen(files[i].key) && memcmp(key, files[i].key, length) == 0) {
            return files[i].content;
        }
    }
    return NULL;
}

bnd_status bndi_content_changed(const char *key, uint64_t there, uint64_t asked, const char *before, const char *after,
                                bnd_error *why)
{
    const char *content = content_of(key, strlen(key));
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%sthe content of %s has changed since that run began (\"%s\" is %llu there, not %llu)%s", before,
                    content != NULL ? content : key, key, (unsigned long long)there, (unsigned long long)asked, after);
}

/* Where a file lies does not matter if both sides have the hash of its content, which is compared, too. */
static bool is_path(const bndi_json_text *there, const bndi_json_text *asked, const char *key, size_t length)
{
    static const struct {
        const char *key, *hash;
    } files[] = {{"data", "model.data_hash"},
                 {"tokenizer", "model.tokenizer_hash"},
                 {"init", "model.init_hash"},
                 {"order", "model.order_hash"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bndi_json_span at;
        if (length == strlen(files[i].key) && memcmp(key, files[i].key, length) == 0) {
            return find_path(&at, there, files[i].hash, NULL) == BND_OK &&
                   find_path(&at, asked, files[i].hash, NULL) == BND_OK;
        }
    }
    return false;
}

/* A member that one side alone has; `other` is what the other side means without it. */
static bnd_status only_one_has(const bndi_json_text *text, const bndi_json_members *m, bool is_there, bnd_error *why)
{
    static const char source_key[] = "\"source\"";
    const char *key = text->bytes + m->key.from, *value = text->bytes + m->value.from;
    const size_t key_length = m->key.to - m->key.from, length = m->value.to - m->value.from;
    const bool is_source = key_length == sizeof source_key - 1 && memcmp(key, source_key, key_length) == 0;
    const char *other = is_source ? "\"chain\"" : "not set";
    return is_there ? differs(text, m->key, value, length, other, strlen(other), why)
                    : differs(text, m->key, other, strlen(other), value, length, why);
}

/* A recipe has several names: where its settings are the same, its name does not matter. */
static bool is_same_recipe(const bndi_json_text *there, const bndi_json_text *asked)
{
    bndi_json_span a, b;
    return find_path(&a, there, "training.recipe", NULL) == BND_OK &&
           find_path(&b, asked, "training.recipe", NULL) == BND_OK && a.to - a.from == b.to - b.from &&
           memcmp(there->bytes + a.from, asked->bytes + b.from, a.to - a.from) == 0;
}

/* Members outside all objects that do not say what is computed. */
static bool is_free(const bndi_json_text *there, const bndi_json_text *asked, const char *key, size_t length)
{
    return bndi_same_word(key, length, "\"checkpoint_every\"") || bndi_same_word(key, length, "\"recipe_written\"") ||
           (bndi_same_word(key, length, "\"recipe\"") && is_same_recipe(there, asked));
}

/* Checks that `there` has every member of `asked` with the same value, except free ones. Nested objects are
   compared as deep as ours are, and both ways before what stands behind them, which may follow from them. `swapped`:
   `there` is what was asked, and `asked` what is there. */
static bnd_status same_members(const bndi_json_text *there, bndi_json_span in, const bndi_json_text *asked,
                               bndi_json_span of, unsigned depth, bool swapped, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, asked, of, why);
    while (status == BND_OK) {
        status = next_member(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        const char *key = asked->bytes + m.key.from, *value = asked->bytes + m.value.from;
        size_t key_length = m.key.to - m.key.from, length = m.value.to - m.value.from;
        if (depth == 0 && is_free(there, asked, key, key_length)) {
            continue;
        }
        bndi_json_span other = {0, 0};
        bool found;
        status = find(&other, &found, there, in, key + 1, key_length - 2, why);
        size_t other_length = other.to - other.from;
        const char *other_value = there->bytes + other.from;
        const char *content = content_of(key + 1, key_length - 2);
        const bool is_free = content != NULL && !found;
        uint64_t hash = 0, other_hash = 0;
        if (status == BND_OK && (is_free || (found && depth == 1 && is_path(there, asked, key + 1, key_length - 2)))) {
            continue;
        }
        if (status == BND_OK && !found) {
            status = only_one_has(asked, &m, swapped, why);
        } else if (status == BND_OK && value[0] == '{' && other_value[0] == '{') {
            status = same_members(there, other, asked, m.value, depth + 1, swapped, why);
            if (status == BND_OK && !swapped) {
                status = same_members(asked, m.value, there, other, depth + 1, true, why);
            }
        } else if (status == BND_OK && (length != other_length || memcmp(value, other_value, length) != 0)) {
            if (content != NULL && bndi_count_of(&hash, value, length) &&
                bndi_count_of(&other_hash, other_value, other_length)) {
                char name[SHOWN];
                snprintf(name, sizeof name, "%.*s", (int)(key_length - 2), key + 1);
                return bndi_content_changed(name, other_hash, hash, "this is another run: ", "", why);
            }
            status = differs(asked, m.key, other_value, other_length, value, length, why);
        }
    }
    return status;
}

bnd_status bndi_config_check(const bndi_bytes *text, bnd_error *why)
{
    const bndi_json_text all = {text->at != NULL ? text->at : "", text->length};
    bnd_error inner = {.message = ""};
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, &all, whole(&all), &inner);
    do {
        status = status == BND_OK ? bndi_json_next(&m, &inner) : status;
    } while (status == BND_OK && m.more);
    status = status == BND_OK ? bndi_json_close(&m, &inner) : status;
    return status != BND_BAD_FILE
               ? (status == BND_OK ? BND_OK : bnd_fail(why, status, inner.where, "%s", inner.message))
               : bnd_fail(why, status, inner.where,
                          "is damaged: %s; restore it from a copy, or choose another directory", inner.message);
}

/* Both ways: what one has and the other has not is a difference, too. */
bnd_status bndi_config_same(const bndi_bytes *there, const bndi_bytes *asked, bnd_error *why)
{
    bndi_json_text a = {there->at != NULL ? there->at : "", there->length}, b = {asked->at, asked->length};
    bnd_status status = same_members(&a, whole(&a), &b, whole(&b), 0, false, why);
    return status == BND_OK ? same_members(&b, whole(&b), &a, whole(&a), 0, true, why) : status;
}
