/* Settings in which two runs differ, as their configurations have them: what else than the recipe a gap may come from.
 * The text is compared, member by member; what one configuration does not say is not known, and no difference. */
#include "study/study.h"

#include <string.h>

#include "store/json.h"

/* ---- rules: a row per member that is no part of the setup, or that is left out where it is usual ---- */

typedef enum kind { PLAIN, SEED, RECIPE, CHOSEN, OF_OPTIMIZER, STEPS, VALIDATIONS, NAMED_FILE } kind;

typedef struct rule {
    const char *key;
    uint8_t kind;
    const char *unset; /* what a configuration without it means; NULL: not known */
    size_t hash;       /* of a file: where a record has the hash of its content */
} rule;

static const rule rules[] = {
    {"seed_init", SEED, NULL, 0},
    {"seed_data", SEED, NULL, 0},
    {"seed_rounding", SEED, NULL, 0},
    {"validate_every", SEED, NULL, 0}, /* like seeds, these are never a difference */
    {"statistics", SEED, NULL, 0},
    {"places", SEED, NULL, 0},
    {"model", SEED, NULL, 0}, /* bndi_record_same_model compares it */
    {"recipe", RECIPE, NULL, 0},
    {"switch_at", RECIPE, "none", 0},
    {"switch_to", RECIPE, "none", 0},
    {"optimizer", CHOSEN, NULL, 0},
    {"lr", CHOSEN, NULL, 0},
    {"beta1", OF_OPTIMIZER, NULL, 0},
    {"beta2", OF_OPTIMIZER, NULL, 0},
    {"epsilon", OF_OPTIMIZER, NULL, 0},
    {"weight_decay", OF_OPTIMIZER, NULL, 0},
    {"steps", STEPS, NULL, 0},
    {"validation_batches", VALIDATIONS, NULL, 0},
    {"data", NAMED_FILE, NULL, offsetof(bnd_record, data_hash)},
    {"tokenizer", NAMED_FILE, "none", offsetof(bnd_record, tokenizer_hash)},
    {"init", NAMED_FILE, "none", offsetof(bnd_record, init_hash)},
    {"order", NAMED_FILE, "none", offsetof(bnd_record, order_hash)},
    {"data_type", PLAIN, "none", 0},
    {"source", PLAIN, "\"chain\"", 0},
    {"clip", PLAIN, "none", 0},
    {"micro_batches", PLAIN, "1", 0},
    {"ranks", PLAIN, "1", 0},
    {"blocks", PLAIN, "none", 0},
};

static const rule *rule_of(const char *key, size_t length)
{
    static const rule plain = {"", PLAIN, NULL, 0};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strlen(rules[i].key) == length && memcmp(rules[i].key, key, length) == 0) {
            return &rules[i];
        }
    }
    return &plain;
}

/* ---- members of a configuration ---- */

enum { MEMBERS_MOST = 64 };

typedef struct words { /* in the text: a key without its quotes, a value with them; length 0: none */
    const char *at;
    size_t length;
} words;

typedef struct members {
    const bnd_record *record;
    size_t count;
    struct member {
        words key, value;
    } at[MEMBERS_MOST];
} members;

static words words_of(const bndi_json_text *text, bndi_json_span span)
{
    while (span.to > span.from && strchr(" \t\r\n", text->bytes[span.to - 1]) != NULL) {
        span.to--;
    }
    return (words){text->bytes + span.from, span.to - span.from};
}

static bool is_word(words a, const char *word)
{
    return a.length == strlen(word) && memcmp(a.at, word, a.length) == 0;
}

/* The members of an object, or those of its objects "training" and "task". */
static void collect(members *out, const bndi_json_text *text, bndi_json_span object, bool outer)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, object, NULL);
    while (status == BND_OK && (status = bndi_json_next(&m, NULL)) == BND_OK && m.more) {
        const words key = {text->bytes + m.key.from + 1, m.key.to - m.key.from - 2};
        if (outer && (is_word(key, "training") || is_word(key, "task"))) {
            collect(out, text, m.value, false);
        } else if (!outer && out->count < MEMBERS_MOST) {
            out->at[out->count++] = (struct member){key, words_of(text, m.value)};
        }
    }
}

static void members_of(members *out, const bnd_record *record)
{
    const bndi_json_text text = {record->config, strlen(record->config)};
    out->record = record;
    out->count = 0;
    collect(out, &text, (bndi_json_span){0, text.length}, true);
}

/* Most configurations have their members in the same order: `near` is where to look first. */
static words value_of(const members *m, words key, size_t near)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct member *at = &m->at[(near + i) % m->count];
        if (at->key.length == key.length && memcmp(at->key.at, key.at, key.length) == 0) {
            return at->value;
        }
    }
    return (words){"", 0};
}

static words value_named(const members *m, const char *key)
{
    return value_of(m, (words){key, strlen(key)}, 0);
}

/* ---- values ---- */

static bool is_known(words a)
{
    return a.length > 0 && !is_word(a, "null");
}

static bool is_empty(words a)
{
    return is_word(a, "\"\"") || is_word(a, "none");
}

/* 0.001 and 1e-3 are one number. */
static bool same_value(words a, words b)
{
    const bndi_json_text one = {a.at, a.length}, other = {b.at, b.length};
    json_t *x = NULL, *y = NULL;
    bool same = a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
    if (!same && a.at[0] != '"' && bndi_json_read(&x, &one, (bndi_json_span){0, a.length}, NULL) == BND_OK &&
        bndi_json_read(&y, &other, (bndi_json_span){0, b.length}, NULL) == BND_OK) {
        same = json_is_number(x) && json_is_number(y) && json_number_value(x) == json_number_value(y);
    }
    json_decref(x);
    json_decref(y);
    return same;
}

static uint64_t hash_at(const bnd_record *record, size_t at)
{
    uint64_t hash;
    memcpy(&hash, (const char *)record + at, sizeof hash);
    return hash;
}

static bool is_apart(const rule *r, const members *a, words x, const members *b, words y)
{
    if (r->kind == SEED || !is_known(x) || !is_known(y)) {
        return false;
    }
    if (r->kind == VALIDATIONS) { /* where one has none, training losses are compared */
        return !same_value(x, y) && !is_word(x, "0") && !is_word(y, "0");
    }
    if (r->kind == NAMED_FILE && is_empty(x) == is_empty(y)) {
        const uint64_t one = hash_at(a->record, r->hash), other = hash_at(b->record, r->hash);
        return !is_empty(x) && (one != 0 && other != 0 ? one != other : !same_value(x, y));
    }
    return !same_value(x, y);
}

/* ---- kinds of differences ---- */

/* A schedule that does not depend on the number of steps: the shorter run is the beginning of the longer one. */
static bool extends(const members *m)
{
    const words schedule = value_named(m, "schedule");
    char name[BND_TRAINING_NAME_SIZE];
    if (schedule.length < 2 || schedule.length - 2 >= sizeof name) {
        return true;
    }
    memcpy(name, schedule.at + 1, schedule.length - 2);
    name[schedule.length - 2] = '\0';
    return bndi_schedule_extends(name);
}

static unsigned kind_of(const rule *r, const members *a, const members *b)
{
    switch ((kind)r->kind) {
    case RECIPE:
        return BNDI_SETTING_RECIPE;
    case CHOSEN:
        return BNDI_SETTING_CHOSEN;
    case OF_OPTIMIZER: /* another optimizer has numbers of its own */
        return same_value(value_named(a, "optimizer"), value_named(b, "optimizer")) ? BNDI_SETTING_SETUP
                                                                                    : BNDI_SETTING_CHOSEN;
    case STEPS:
        return extends(a) && extends(b) ? BNDI_SETTING_LENGTH : BNDI_SETTING_SETUP;
    default:
        return BNDI_SETTING_SETUP;
    }
}

/* A value without its quotes, for a sentence: other characters than ASCII's become "?". */
static void show(char *out, size_t size, words value)
{
    const bool quoted = value.length >= 2 && value.at[0] == '"';
    const char *at = value.at + quoted;
    size_t length = value.length - 2 * (size_t)quoted, n = 0;
    if (length == 0) {
        at = "none";
        length = 4;
    }
    for (; n < length && n + 1 < size; n++) {
        out[n] = at[n] >= ' ' && at[n] <= '~' ? at[n] : '?';
    }
    out[n] = '\0';
    if (n < length) {
        memcpy(out + n - 3, "...", 3);
    }
}

typedef struct search {
    bndi_setting *out;
    size_t most, found;
    unsigned kinds;
} search;

/* What a configuration means that does not have the member; one of binade, which has a schedule, has all that apply. */
static words unset_of(const rule *r, const members *m)
{
    const char *word = r->unset != NULL ? r->unset : value_named(m, "schedule").length > 0 ? "none" : "";
    return (words){word, strlen(word)};
}

static void consider(search *s, words key, const members *a, words x, const members *b, words y)
{
    const rule *r = rule_of(key.at, key.length);
    x = x.length > 0 ? x : unset_of(r, a);
    y = y.length > 0 ? y : unset_of(r, b);
    if (!is_apart(r, a, x, b, y) || (kind_of(r, a, b) & s->kinds) == 0) {
        return;
    }
    if (s->found < s->most) {
        bndi_setting *to = &s->out[s->found];
        show(to->key, sizeof to->key, key);
        show(to->value, sizeof to->value, x);
        show(to->other, sizeof to->other, y);
    }
    s->found++;
}

size_t bndi_settings_apart(bndi_setting *out, size_t most, const bnd_record *record, const bnd_record *other,
                           unsigned kinds)
{
    search s = {.out = out, .most = most, .kinds = kinds};
    members a, b;
    if (record == other || record->config == NULL || other->config == NULL) {
        return 0;
    }
    members_of(&a, record);
    members_of(&b, other);
    for (size_t i = 0; i < a.count; i++) {
        consider(&s, a.at[i].key, &a, a.at[i].value, &b, value_of(&b, a.at[i].key, i));
    }
    for (size_t i = 0; i < b.count; i++) {
        if (value_of(&a, b.at[i].key, i).length == 0) {
            consider(&s, b.at[i].key, &a, (words){"", 0}, &b, b.at[i].value);
        }
    }
    return s.found;
}

bool bndi_record_same_setup(const bnd_record *a, const bnd_record *b)
{
    return bndi_record_same_model(a, b) && bndi_settings_apart(NULL, 0, a, b, BNDI_SETTING_SETUP) == 0;
}
