/* tokenizer.json: what it says about text is done here, or refused by its name. */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tokens/tokens.h"

void bndi_tokenizer_free(bndi_tokenizer *t)
{
    if (t != NULL) {
        json_decref(t->root);
        free(t->pairs.slot);
        free(t->added);
        free(t);
    }
}

size_t bndi_tokenizer_vocabulary(const bndi_tokenizer *t)
{
    return (size_t)t->most + 1;
}

/* "WHERE is 'x', which is not supported; WHAT": x is a text or the `type` of an object. */
static bnd_status refuse(const char *where, const json_t *value, const char *what, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    const char *type = json_string_value(json_is_object(value) ? json_object_get(value, "type") : value);
    return type != NULL
               ? bnd_fail(why, BND_BAD_FILE, 0, "%s '%s' is not supported; %s", where, bndi_shown(shown, type), what)
               : bnd_fail(why, BND_BAD_FILE, 0, "%s is not supported as it is; %s", where, what);
}

static bool is_type(const json_t *object, const char *type)
{
    const char *found = json_string_value(json_object_get(object, "type"));
    return found != NULL && strcmp(found, type) == 0;
}

static bool is_nothing(const json_t *value)
{
    return value == NULL || json_is_null(value) || json_is_false(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_number(value) && json_number_value(value) == 0);
}

/* ---- pre_tokenizer ---- */

/* "ByteLevel"; `splits`: by GPT-2's expression. */
static bnd_status read_byte_level(bool *splits, const json_t *value, bnd_error *why)
{
    const json_t *regex = json_object_get(value, "use_regex"), *prefix = json_object_get(value, "add_prefix_space");
    if (prefix == NULL || !is_nothing(prefix)) { /* true where it is left out */
        return bnd_fail(why, BND_BAD_FILE, 0, "pre_tokenizer: add_prefix_space is not supported; it must be false");
    }
    *splits = regex == NULL || json_is_true(regex);
    return BND_OK;
}

static bnd_status read_split(bndi_tokenizer *t, const json_t *value, bnd_error *why)
{
    const char *behavior = json_string_value(json_object_get(value, "behavior"));
    const char *regex = json_string_value(json_object_get(json_object_get(value, "pattern"), "Regex"));
    if (behavior == NULL || strcmp(behavior, "Isolated") != 0 || !is_nothing(json_object_get(value, "invert"))) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "pre_tokenizer: Split is supported with the behavior \"Isolated\", not inverted");
    }
    t->pattern = regex != NULL ? bndi_splitter_of(regex) : NULL;
    return t->pattern != NULL ? BND_OK
                              : bnd_fail(why, BND_BAD_FILE, 0,
                                         "pre_tokenizer: the regular expression of Split is not supported; those of "
                                         "GPT-2, Llama 3 and Qwen 2 are");
}

/* ByteLevel, or a Split and then a ByteLevel that does not split. */
static bnd_status read_splitting(bndi_tokenizer *t, const json_t *value, bnd_error *why)
{
    static const char *const what = "a byte-level tokenizer has ByteLevel, or a Sequence of Split and ByteLevel";
    const json_t *steps = json_object_get(value, "pretokenizers"), *last = value;
    bool sequence = is_type(value, "Sequence"), splits = false;
    bnd_status status = BND_OK;
    if (sequence) {
        last = json_array_get(steps, json_array_size(steps) == 2 ? 1 : 0);
        if (json_array_size(steps) == 2) {
            const json_t *first = json_array_get(steps, 0);
            status = is_type(first, "Split") ? read_split(t, first, why) : refuse("pre_tokenizer", first, what, why);
        } else if (json_array_size(steps) != 1) {
            return bnd_fail(why, BND_BAD_FILE, 0, "pre_tokenizer: this Sequence is not supported; %s", what);
        }
    }
    if (status == BND_OK) {
        status =
            is_type(last, "ByteLevel") ? read_byte_level(&splits, last, why) : refuse("pre_tokenizer", last, what, why);
    }
    if (status == BND_OK && splits == (t->pattern != NULL)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "pre_tokenizer: text must be split once, by Split or by ByteLevel");
    }
    t->pattern = splits ? bndi_splitter_gpt2 : t->pattern;
    return status;
}

/* ---- the rest ---- */

/* Members of the model that change nothing here, those that must have no effect, and those that are read. */
static bnd_status check_model(bndi_tokenizer *t, const json_t *model, bnd_error *why)
{
    static const char *const read[] = {"type", "vocab", "merges", "ignore_merges", "unk_token", "fuse_unk"};
    static const char *const empty[] = {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"};
    char shown[BNDI_SHOWN];
    const char *key;
    json_t *value;
    const json_t *type = json_object_get(model, "type");
    if (!json_is_object(model) || (type != NULL && !is_type(model, "BPE"))) {
        return refuse("model", model, "it must be an object of the type 'BPE'", why);
    }
    json_object_foreach((json_t *)model, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
            known = known || strcmp(key, read[i]) == 0;
        }
        for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
            known = known || (strcmp(key, empty[i]) == 0 && is_nothing(value));
        }
        if (!known) {
            return bnd_fail(why, BND_BAD_FILE, 0, "model.%s is not supported, with the value that it has",
                            bndi_shown(shown, key));
        }
    }
    t->whole_first = json_is_true(json_object_get(model, "ignore_merges"));
    return BND_OK;
}

static bnd_status check_around(bndi_tokenizer *t, bnd_error *why)
{
    static const char *const empty[] = {"truncation", "padding"};
    const json_t *normalizer = json_object_get(t->root, "normalizer");
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        if (!is_nothing(json_object_get(t->root, empty[i]))) {
            return bnd_fail(why, BND_BAD_FILE, 0, "%s is not supported; it must be null", empty[i]);
        }
    }
    t->nfc = is_type(normalizer, "NFC");
    return t->nfc || is_nothing(normalizer)
               ? BND_OK
               : refuse("normalizer", normalizer, "it must be null, or NFC for text that NFC does not change", why);
}

bnd_status bndi_tokenizer_read(bndi_tokenizer **out, const char *text, size_t length, bnd_error *why)
{
    const bndi_json_text json = {text, length};
    enum { TEXT_MOST = 1 << 26 };
    if (length > TEXT_MOST) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has %zu bytes; the limit of a tokenizer is %d", length, TEXT_MOST);
    }
    bndi_tokenizer *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a tokenizer");
    }
    bnd_status status = bndi_json_read(&t->root, &json, (bndi_json_span){0, length}, why);
    const json_t *model = json_object_get(t->root, "model");
    if (status == BND_OK) {
        status = check_model(t, model, why);
    }
    if (status == BND_OK) {
        status = check_around(t, why);
    }
    if (status == BND_OK) {
        status = read_splitting(t, json_object_get(t->root, "pre_tokenizer"), why);
    }
    if (status == BND_OK) {
        status = bndi_read_vocabulary(t, model, why);
    }
    if (status == BND_OK) {
        status = bndi_read_added(t, why);
    }
    if (status == BND_OK) {
        *out = t;
    } else {
        bndi_tokenizer_free(t);
    }
    return status;
}

bnd_status bndi_tokenizer_open(bndi_tokenizer **out, const char *path, bnd_error *why)
{
    bnd_lab_mapped map;
    bnd_status status = bnd_lab_map_open(&map, path, why);
    if (status == BND_OK) {
        status = bndi_tokenizer_read(out, (const char *)map.bytes, map.size, why);
        bnd_lab_map_close(&map);
    }
    return status;
}
