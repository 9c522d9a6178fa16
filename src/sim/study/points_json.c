/* Points in lines of JSON. */
#include "study/points.h"

#include <string.h>

#include "store/json.h"

/* The row of bndi_steady of this name; BNDI_STEADY if there is none. */
static size_t steady_of(bnd_record *record, const char *key, size_t length)
{
    char name[BNDI_KEY_SIZE];
    size_t row = 0;
    while (row < BNDI_STEADY &&
           (bndi_steady(record, row, name) == NULL || !bndi_same_key(key, length, name, strlen(name)))) {
        row++;
    }
    return row;
}

bool bndi_special(double *out, const char *text, size_t length)
{
    static const struct {
        const char *word;
        double sign;
    } words[] = {{"NaN", 0}, {"nan", 0}, {"Infinity", 1}, {"inf", 1}, {"-Infinity", -1}, {"-inf", -1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (bndi_is_key(text, length, words[i].word)) {
            *out = words[i].sign == 0 ? __builtin_nan("") : words[i].sign * __builtin_inf();
            return true;
        }
    }
    return false;
}

static bool number_of(double *out, const json_t *value)
{
    bool good = json_is_number(value) || json_is_boolean(value) || json_is_null(value);
    *out = json_is_number(value)    ? json_number_value(value)
           : json_is_boolean(value) ? (double)json_is_true(value)
                                    : __builtin_nan("");
    return good;
}

/* A member KEY_is gives the value for which KEY is null. */
static void set_kind(bndi_reading *r, const char *key, size_t length, const json_t *value)
{
    size_t column =
        length > 3 && bndi_is_key(key + length - 3, 3, "_is") ? bndi_reading_column(r, key, length - 3) : BNDI_COLUMNS;
    double x;
    if (column < BNDI_COLUMNS && bndi_columns[column].kind == BNDI_COLUMN_NUMBER && json_is_string(value) &&
        bndi_special(&x, json_string_value(value), json_string_length(value))) {
        memcpy((char *)&r->point + bndi_columns[column].at, &x, sizeof x);
        r->point.validated = r->point.validated || column == BNDI_COLUMN_VALIDATION;
        r->point.validated_fp32 = r->point.validated_fp32 || column == BNDI_COLUMN_VALIDATION_FP32;
        r->point.clips = r->point.clips || column == BNDI_COLUMN_CLIP_FACTOR;
    }
}

/* The role of which a key "ROLE/NAME" speaks; BND_ROLE_COUNT if it is another key. */
static unsigned role_of(const char *key, size_t length, const char *name)
{
    unsigned role = 0;
    size_t of_name = strlen(name);
    bool other = length <= of_name + 1 || key[length - of_name - 1] != '/' ||
                 !bndi_is_key(key + length - of_name, of_name, name);
    while (role < BND_ROLE_COUNT && (other || !bndi_is_key(key, length - of_name - 1, bnd_role_name((bnd_role)role)))) {
        role++;
    }
    return role;
}

/* "ROLE/exponents_from": -40, "ROLE/exponents": [3, 0, 12]. What does not fit is left out: a run is not refused for
 * its histograms. */
static void take_histogram(bndi_reading *r, const char *key, size_t length, const json_t *value)
{
    enum { BINS = sizeof r->histogram[0].exponents / sizeof r->histogram[0].exponents[0] };
    unsigned role = json_is_integer(value) ? role_of(key, length, "exponents_from") : BND_ROLE_COUNT;
    if (role < BND_ROLE_COUNT) {
        json_int_t from = json_integer_value(value) - (BND_HISTOGRAM_LOWEST - 1);
        r->first_bin[role] = from >= 0 && from < BINS ? (int)from : -1;
    }
    role = json_is_array(value) ? role_of(key, length, "exponents") : BND_ROLE_COUNT;
    if (role == BND_ROLE_COUNT || r->first_bin[role] < 0 ||
        json_array_size(value) > (size_t)(BINS - r->first_bin[role])) {
        return;
    }
    bnd_histogram h = {.role = (bnd_role)role};
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *count = json_array_get(value, i);
        if (!json_is_integer(count) || json_integer_value(count) < 0) {
            return;
        }
        h.exponents[(size_t)r->first_bin[role] + i] = (uint64_t)json_integer_value(count);
    }
    r->histogram[role] = h;
    r->has_histogram |= UINT64_C(1) << role;
}

static bnd_status take_value(bndi_reading *r, const char *key, size_t length, const json_t *value)
{
    double x = 0;
    size_t column = bndi_reading_column(r, key, length), steady;
    bool unmeasured = column == BNDI_COLUMN_VALIDATION || column == BNDI_COLUMN_VALIDATION_FP32 ||
                      (column == BNDI_COLUMN_LOSS && r->names.foreign);
    if (unmeasured && json_is_null(value)) {
        return BND_OK; /* unless val/loss_is says what it was */
    }
    if (column < BNDI_COLUMNS) {
        return number_of(&x, value) ? bndi_reading_set(r, column, x)
                                    : bndi_line_refuse(r->line, "must be a number", key, length, r->why);
    }
    set_kind(r, key, length, value);
    take_histogram(r, key, length, value);
    steady = json_is_integer(value) && json_integer_value(value) >= 0 ? steady_of(r->record, key, length) : BNDI_STEADY;
    if (steady < BNDI_STEADY) {
        char name[BNDI_KEY_SIZE];
        *bndi_steady(r->record, steady, name) = (uint64_t)json_integer_value(value);
    }
    return BND_OK;
}

/* The key is between quotes; ours have nothing in them that is escaped. */
static bnd_status take_member(bndi_reading *r, const bndi_json_members *m)
{
    const char *text = m->text->bytes;
    size_t length = m->key.to - m->key.from;
    const char *key = text + m->key.from + (length >= 2);
    double x;
    json_t *value = NULL;
    bnd_status status = bndi_json_read(&value, m->text, m->key, r->why);
    length = length >= 2 ? length - 2 : 0;
    if (status != BND_OK) {
        return bndi_in_line(r->line, r->why, status);
    }
    json_decref(value);
    size_t width = m->value.to - m->value.from;
    while (width > 0 && strchr(" \t\r", text[m->value.from + width - 1]) != NULL) {
        width--;
    }
    if (bndi_special(&x, text + m->value.from, width)) {
        size_t column = bndi_reading_column(r, key, length);
        return column < BNDI_COLUMNS ? bndi_reading_set(r, column, x) : BND_OK;
    }
    status = bndi_in_line(r->line, r->why, bndi_json_read(&value, m->text, m->value, r->why));
    if (status == BND_OK) {
        status = take_value(r, key, length, value);
        json_decref(value);
    }
    return status;
}

/* The names of a line's members, without quotes. */
static bnd_status collect_keys(bndi_keys *keys, const bndi_json_text *text, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = bndi_keys_add(keys, text->bytes + m.key.from + 1, m.key.to - m.key.from - 2, why);
    }
    return status == BND_OK ? bndi_json_close(&m, why) : status;
}

/* Before the first line with a step and a loss others may come. `chosen`: this is one. */
bnd_status bndi_object_choose(bool *chosen, bndi_reading *r, const char *line, size_t length)
{
    bndi_keys keys = {.at = NULL};
    bndi_json_text text = {line, length};
    bnd_error why;
    bnd_status status = bndi_in_line(r->line, r->why, collect_keys(&keys, &text, r->why));
    *chosen = false;
    if (status == BND_OK) {
        *chosen = bndi_log_choose(&r->names, &keys, r->asked, &why) == BND_OK;
        if (!*chosen && !r->refused) {
            (void)bndi_in_line(r->line, &why, BND_BAD_FILE);
            r->refused = true;
            r->refusal = why;
        }
    }
    bndi_keys_free(&keys);
    return status;
}

bnd_status bndi_object_read(bndi_reading *r, const char *line, size_t length)
{
    bndi_json_text text = {line, length};
    bndi_json_members members;
    bnd_status status = bndi_json_open(&members, &text, (bndi_json_span){0, length}, r->why);
    while (status == BND_OK) {
        status = bndi_json_next(&members, r->why);
        if (status != BND_OK || !members.more) {
            break;
        }
        status = take_member(r, &members);
        if (status != BND_OK) {
            return status; /* it names the line */
        }
    }
    return bndi_in_line(r->line, r->why, status == BND_OK ? bndi_json_close(&members, r->why) : status);
}
