/* A recipe as JSON: an object of settings. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "base/base.h"
#include "train/train.h"

#include <string.h>

#include "store/json.h"

enum { TEXT_MOST = 1 << 16 };

/* "KEY=VALUE," behind what is there. */
typedef struct settings {
    char text[BND_POLICY_TEXT_SIZE];
    size_t length;
    char name[BND_POLICY_NAME_SIZE]; /* "": none was given */
} settings;

/* The name of a setting, and its value, hold nothing that would make another setting of them. */
static bool is_plain(const char *text)
{
    return text[0] != '\0' && strpbrk(text, ",= \t\n") == NULL;
}

static bnd_status refuse(const char *key, size_t at, const char *what, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, at, "\"%.*s\" of a recipe %s", (int)strnlen(key, BND_POLICY_NAME_SIZE), key,
                    what);
}

/* Names stand in tables and on terminals: nothing there is to move the cursor, or to end a line. U+0080 to U+009F are
 * such, too. */
static bool has_control_characters(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    for (; *s != 0; s++) {
        if (*s < 0x20 || *s == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)) {
            return true;
        }
    }
    return false;
}

static bnd_status take_name(settings *s, const json_t *value, size_t at, bnd_error *why)
{
    if (json_is_string(value) && has_control_characters(json_string_value(value))) {
        return refuse("name", at, "must not have control characters", why);
    }
    if (!json_is_string(value) || json_string_length(value) == 0 || json_string_length(value) >= sizeof s->name) {
        return refuse("name", at, "must be a string of 1 to 63 bytes", why);
    }
    memcpy(s->name, json_string_value(value), json_string_length(value) + 1);
    return BND_OK;
}

/* Tries what there is now, so that what is wrong is wrong with this setting. */
static bnd_status try_settings(const settings *s, const char *key, size_t at, bnd_error *why)
{
    bnd_policy p;
    bnd_error inner;
    bnd_status status = bnd_policy_parse(&p, s->text, &inner);
    return status == BND_OK ? BND_OK
                            : bnd_fail(why, status, at, "\"%.*s\" of a recipe: %s",
                                       (int)strnlen(key, BND_POLICY_NAME_SIZE), key, inner.message);
}

static bnd_status take_setting(settings *s, const char *key, const json_t *value, size_t at, bnd_error *why)
{
    char number[BNDI_NUMBER_SIZE];
    bndi_text digits = bndi_text_in(number, sizeof number);
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        bndi_text_unsigned(&digits, (uint64_t)json_integer_value(value), 10, 1);
    } else if (json_is_real(value)) {
        bndi_number_text(number, json_number_value(value));
    } else if (!json_is_string(value)) {
        return refuse(key, at, "must be a string or a number of at least 0", why);
    }
    const char *words = json_is_string(value) ? json_string_value(value) : number;
    if (!is_plain(key) || !is_plain(words)) {
        return refuse(key, at, "must be one setting: not empty, and without ' ', ',' and '='", why);
    }
    bndi_text text = bndi_text_in(s->text + s->length, sizeof s->text - s->length);
    bndi_text_string(&text, s->length > 0 ? "," : "");
    bndi_text_string(&text, key);
    bndi_text_char(&text, '=');
    bndi_text_string(&text, words);
    if (text.length >= sizeof s->text - s->length) {
        return refuse(key, at, "makes the recipe too long: it must have less than 8192 bytes", why);
    }
    s->length += text.length;
    return try_settings(s, key, at, why);
}

/* Reads one member: only a base if `base` is set, else only members that are not a base. */
static bnd_status take_member(settings *s, const bndi_json_text *text, const bndi_json_members *m, bool base,
                              bnd_error *why)
{
    json_t *key = NULL, *value = NULL;
    bnd_status status = bndi_json_read(&key, text, m->key, why);
    if (status == BND_OK) {
        status = bndi_json_read(&value, text, m->value, why);
    }
    if (status == BND_OK) {
        const char *name = json_string_value(key);
        bool is_base = strcmp(name, "base") == 0;
        if (is_base == base) {
            status = strcmp(name, "name") == 0 ? take_name(s, value, m->value.from, why)
                                               : take_setting(s, name, value, m->value.from, why);
        }
    }
    json_decref(key);
    json_decref(value);
    return status;
}

static bnd_status take_members(settings *s, const bndi_json_text *text, bool base, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        status = take_member(s, text, &m, base, why);
    }
    return status;
}

/* The whole is read once by itself: it is JSON, and no key is there twice. */
static bnd_status check_whole(const bndi_json_text *text, bnd_error *why)
{
    json_t *tree = NULL;
    if (text->length > TEXT_MOST) {
        return bnd_fail(why, BND_BAD_FILE, TEXT_MOST, "the recipe has %zu bytes; the limit is %d", text->length,
                        TEXT_MOST);
    }
    bnd_status status = bndi_json_read(&tree, text, (bndi_json_span){0, text->length}, why);
    if (status == BND_OK && !json_is_object(tree)) {
        status =
            bnd_fail(why, BND_BAD_FILE, 0, "a recipe must be an object: {\"base\": \"bf16-amp\", \"v\": \"e5m2\"}");
    }
    if (status == BND_OK && json_object_size(tree) == 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "a recipe must have settings; fp32 is {\"base\": \"fp32\"}");
    }
    json_decref(tree);
    return status;
}

bnd_status bnd_recipe_read_n(bnd_policy *out, const char *text, size_t length, bnd_error *why)
{
    const bndi_json_text whole = {text, length};
    settings s = {.length = 0};
    bnd_policy policy;
    bnd_status status = check_whole(&whole, why);
    status = status == BND_OK ? take_members(&s, &whole, true, why) : status;
    status = status == BND_OK ? take_members(&s, &whole, false, why) : status;
    status = status == BND_OK ? bnd_policy_parse(&policy, s.text, why) : status;
    if (status == BND_OK) {
        if (s.name[0] != '\0') {
            memcpy(policy.name, s.name, sizeof policy.name);
        }
        if (s.length < sizeof policy.written) {
            memcpy(policy.written, s.text, s.length + 1);
        }
        *out = policy;
    }
    return status;
}
