/* A training as JSON. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "base/base.h"
#include "train/train.h"

#include <string.h>

#include "store/json.h"

/* ---- what a training is: a row a member ---- */

typedef enum kind { NAME, COUNT, SIZE, NUMBER, FLAG, RECIPE, BLOCKS } kind;

typedef struct member {
    const char *key;
    uint8_t kind;
    bool needed,
        optional;    /* optional: left out where it says nothing, so that older configurations are the same text */
    size_t at, size; /* in bnd_training; of a name */
} member;

static const char source_key[] = "source";

#define AT(name) offsetof(bnd_training, name), sizeof(((bnd_training *)NULL)->name)
static const member members[] = {
    {"model", NAME, true, false, AT(model)},
    {"optimizer", NAME, true, false, AT(optimizer)},
    {"recipe", RECIPE, true, false, 0, 0},
    {"schedule", NAME, false, false, AT(schedule)},
    {"data", NAME, false, false, AT(data)},
    {"data_type", NAME, false, true, AT(data_type)},
    {"tokenizer", NAME, false, true, AT(tokenizer)},
    {source_key, NAME, false, true, AT(source)},
    {"init", NAME, false, true, AT(init)},
    {"order", NAME, false, true, AT(order)},
    {"seed_init", COUNT, false, false, AT(seed_init)},
    {"seed_data", COUNT, false, false, AT(seed_data)},
    {"seed_rounding", COUNT, false, false, AT(seed_rounding)},
    {"steps", COUNT, false, false, AT(steps)},
    {"lr", NUMBER, false, false, AT(lr)},
    {"beta1", NUMBER, false, false, AT(beta1)},
    {"beta2", NUMBER, false, false, AT(beta2)},
    {"epsilon", NUMBER, false, false, AT(epsilon)},
    {"weight_decay", NUMBER, false, false, AT(weight_decay)},
    {"clip", NUMBER, false, true, AT(clip)},
    {"micro_batches", SIZE, false, true, AT(micro_batches)},
    {"ranks", SIZE, false, true, AT(ranks)},
    {"batch", SIZE, false, false, AT(batch)},
    {"inputs", SIZE, false, false, AT(inputs)},
    {"width", SIZE, false, false, AT(width)},
    {"depth", SIZE, false, false, AT(depth)},
    {"heads", SIZE, false, false, AT(heads)},
    {"context", SIZE, false, false, AT(context)},
    {"vocabulary", SIZE, false, false, AT(vocabulary)},
    {"tied", FLAG, false, false, AT(tied)},
    {"recompute", FLAG, false, false, AT(recompute)},
    {"blocks", BLOCKS, false, true, AT(blocks)},
};
#undef AT
enum { MEMBERS = sizeof members / sizeof members[0], TEXT_MOST = 1 << 20 };

/* ---- writing ---- */

static void write_recipe(bnd_lab_json *json, const char *key, const bnd_policy *policy)
{
    char text[BND_POLICY_TEXT_SIZE];
    if (bnd_policy_text(text, sizeof text, policy, NULL) == BND_OK) {
        bnd_lab_json_string(json, key, text);
    } else {
        bnd_lab_json_null(json, key);
    }
}

static void write_blocks(bnd_lab_json *json, const char *key, const bnd_transformer *blocks)
{
    char text[BND_TRANSFORMER_TEXT_SIZE];
    bnd_transformer_print(text, sizeof text, blocks);
    bnd_lab_json_string(json, key, text);
}

static void write_member(bnd_lab_json *json, const member *m, const bnd_training *t)
{
    const void *at = (const char *)t + m->at;
    switch ((kind)m->kind) {
    case NAME:
        bnd_lab_json_string_n(json, m->key, at, strnlen(at, m->size));
        return;
    case COUNT:
        bnd_lab_json_unsigned(json, m->key, *(const uint64_t *)at);
        return;
    case SIZE:
        bnd_lab_json_unsigned(json, m->key, *(const size_t *)at);
        return;
    case NUMBER:
        bndi_json_number(json, m->key, *(const double *)at);
        return;
    case FLAG:
        bnd_lab_json_boolean(json, m->key, *(const bool *)at);
        return;
    case RECIPE:
        write_recipe(json, m->key, &t->policy);
        return;
    case BLOCKS:
        write_blocks(json, m->key, &t->blocks);
        return;
    }
}

/* Optional members are left out where they do not apply; and the source that was the only one once is, so that a run
 * directory of that time can be resumed. */
static bool is_written(const member *m, const bnd_training *t)
{
    bool usual = m->key == source_key && (t->data[0] != '\0' || strcmp(t->source, bndi_text_chain.name) == 0);
    const void *at = (const char *)t + m->at;
    bool empty = m->kind == BLOCKS   ? bnd_transformer_print(NULL, 0, &t->blocks) == 0
                 : m->kind == NUMBER ? !(*(const double *)at > 0)
                 : m->kind == SIZE   ? *(const size_t *)at <= 1
                                     : *(const char *)at == '\0';
    return !m->optional || (!empty && !usual);
}

void bndi_training_write(bnd_lab_json *json, const char *key, const bnd_training *training)
{
    bnd_lab_json_object(json, key);
    for (size_t i = 0; i < MEMBERS; i++) {
        if (is_written(&members[i], training)) {
            write_member(json, &members[i], training);
        }
    }
    bnd_lab_json_end(json);
}

static void append(void *text, const char *bytes, size_t length)
{
    bndi_text_bytes(text, bytes, length);
}

size_t bnd_training_print(char *out, size_t size, const bnd_training *training)
{
    bndi_text text = bndi_text_in(out, size);
    bnd_lab_json json;
    bnd_lab_json_begin(&json, append, &text);
    bndi_training_write(&json, NULL, training);
    return text.length;
}

/* ---- reading ---- */

typedef struct reading {
    bndi_json_text text;
    bnd_training training;
    bnd_policy policy;
    bndi_json_span at[MEMBERS]; /* of the values */
    bool seen[MEMBERS];
} reading;

static bndi_json_span whole(const bndi_json_text *text)
{
    return (bndi_json_span){0, text->length};
}

/* For example: line 3: "lr" is not a number. */
static bnd_status refuse(const bndi_json_text *text, const char *key, size_t at, const char *what, bnd_error *why)
{
    size_t line = 1;
    for (size_t i = 0; i < at && i < text->length; i++) {
        line += text->bytes[i] == '\n';
    }
    return bnd_fail(why, BND_BAD_FILE, at, "line %zu of the JSON: \"%s\" %s", line, key, what);
}

static bnd_status check_length(size_t length, bnd_error *why)
{
    return length <= TEXT_MOST
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, TEXT_MOST, "its JSON has %zu bytes; the limit is %d", length, TEXT_MOST);
}

/* A string without its quotes: *out is the caller's. */
static bnd_status read_string(json_t **out, const bndi_json_text *text, bndi_json_span at, const char *key,
                              bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = bndi_json_read(&value, text, at, why);
    if (status == BND_OK && !json_is_string(value)) {
        json_decref(value);
        return refuse(text, key, at.from, "must be a string", why);
    }
    *out = value;
    return status;
}

static bnd_status find_member(size_t *row, const char *key, size_t at, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(key, strlen(key));
    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(members[i].key, key) == 0) {
            *row = i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, members[i].key, strlen(members[i].key));
    }
    bnd_status status = bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown member of a training", NULL);
    if (why != NULL) {
        why->where = at;
    }
    return status;
}

/* Finds the position of every member. */
static bnd_status look(reading *r, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, &r->text, whole(&r->text), why);
    while (status == BND_OK) {
        json_t *key = NULL;
        size_t row = 0;
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = read_string(&key, &r->text, m.key, "a key", why);
        if (status == BND_OK) {
            status = find_member(&row, json_string_value(key), m.key.from, why);
        }
        json_decref(key);
        if (status == BND_OK && r->seen[row]) {
            status = refuse(&r->text, members[row].key, m.key.from, "appears twice", why);
        }
        r->seen[row] = true;
        r->at[row] = m.value;
    }
    if (status == BND_OK) {
        status = bndi_json_close(&m, why);
    }
    for (size_t i = 0; status == BND_OK && i < MEMBERS; i++) {
        if (members[i].needed && !r->seen[i]) {
            status = refuse(&r->text, members[i].key, 0, "is missing", why);
        }
    }
    return status;
}

static bnd_status take_name(char *out, size_t size, const reading *r, size_t row, bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = read_string(&value, &r->text, r->at[row], members[row].key, why);
    if (status == BND_OK && json_string_length(value) >= size) {
        status = refuse(&r->text, members[row].key, r->at[row].from, "is too long", why);
    }
    if (status == BND_OK) {
        memcpy(out, json_string_value(value), json_string_length(value) + 1);
    }
    json_decref(value);
    return status;
}

static bnd_status take_recipe(bnd_policy *out, const reading *r, size_t row, bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = read_string(&value, &r->text, r->at[row], members[row].key, why);
    if (status == BND_OK) {
        bnd_error inner;
        status = bnd_policy_parse(out, json_string_value(value), &inner);
        if (status != BND_OK) {
            status = bnd_fail(why, status, r->at[row].from, "\"recipe\": %s", inner.message);
        }
    }
    json_decref(value);
    return status;
}

static bnd_status take_blocks(bnd_transformer *out, const reading *r, size_t row, bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = read_string(&value, &r->text, r->at[row], members[row].key, why);
    if (status == BND_OK) {
        bnd_error inner;
        status = bnd_transformer_parse(out, json_string_value(value), &inner);
        if (status != BND_OK) {
            status = bnd_fail(why, status, r->at[row].from, "%s", inner.message);
        }
    }
    json_decref(value);
    return status;
}

static bnd_status take_number(double *out, const reading *r, size_t row, bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = bndi_json_read(&value, &r->text, r->at[row], why);
    if (status == BND_OK && !json_is_number(value)) {
        status = refuse(&r->text, members[row].key, r->at[row].from, "must be a number", why);
    }
    if (status == BND_OK) {
        *out = json_number_value(value);
    }
    json_decref(value);
    return status;
}

/* All 64 bits, of which jansson reads 63. */
static bnd_status take_count(uint64_t *out, uint64_t most, const reading *r, size_t row, bnd_error *why)
{
    const bndi_json_span at = r->at[row];
    uint64_t n;
    if (!bndi_count_of(&n, r->text.bytes + at.from, at.to - at.from) || n > most) {
        return refuse(&r->text, members[row].key, at.from, "must be a whole number from 0 to 2^64 - 1", why);
    }
    *out = n;
    return BND_OK;
}

static bnd_status take_flag(bool *out, const reading *r, size_t row, bnd_error *why)
{
    json_t *value = NULL;
    bnd_status status = bndi_json_read(&value, &r->text, r->at[row], why);
    if (status == BND_OK && !json_is_boolean(value)) {
        status = refuse(&r->text, members[row].key, r->at[row].from, "must be true or false", why);
    }
    if (status == BND_OK) {
        *out = json_is_true(value);
    }
    json_decref(value);
    return status;
}

static bnd_status take_member(bnd_training *t, const reading *r, size_t row, bnd_error *why)
{
    void *at = (char *)t + members[row].at;
    uint64_t n = 0;
    bnd_status status = BND_OK;
    switch ((kind)members[row].kind) {
    case NAME:
        return take_name(at, members[row].size, r, row, why);
    case COUNT:
        return take_count(at, UINT64_MAX, r, row, why);
    case SIZE:
        status = take_count(&n, SIZE_MAX, r, row, why);
        *(size_t *)at = status == BND_OK ? (size_t)n : *(size_t *)at;
        return status;
    case NUMBER:
        return take_number(at, r, row, why);
    case FLAG:
        return take_flag(at, r, row, why);
    case RECIPE:
        return take_recipe(&t->policy, r, row, why);
    case BLOCKS:
        return take_blocks(&t->blocks, r, row, why);
    }
    return status;
}

/* The three that it must have, and what a run of these usually has. */
static bnd_status take_defaults(bnd_training *out, const reading *r, bnd_error *why)
{
    enum { MODEL, OPTIMIZER, THE_RECIPE };
    bnd_training named;
    bnd_status status = take_member(&named, r, MODEL, why);
    status = status == BND_OK ? take_member(&named, r, OPTIMIZER, why) : status;
    status = status == BND_OK ? take_member(&named, r, THE_RECIPE, why) : status;
    status = status == BND_OK ? bnd_training_default(out, named.model, named.optimizer, "fp32", why) : status;
    if (status == BND_OK) {
        out->policy = named.policy;
    }
    return status;
}

bnd_status bnd_training_read_n(bnd_training *out, const char *text, size_t length, bnd_error *why)
{
    reading r = {.text = {text, length}};
    bnd_training t;
    bnd_status status = check_length(length, why);
    status = status == BND_OK ? look(&r, why) : status;
    status = status == BND_OK ? take_defaults(&t, &r, why) : status;
    for (size_t i = 0; status == BND_OK && i < MEMBERS; i++) {
        status = r.seen[i] ? take_member(&t, &r, i, why) : BND_OK;
        if (members[i].key == source_key && !r.seen[i] && t.source[0] != 0 && t.data[0] == 0) {
            memcpy(t.source, bndi_text_chain.name, strlen(bndi_text_chain.name) + 1);
        }
    }
    if (status == BND_OK) {
        *out = t;
    }
    return status;
}
