/* Added tokens, which are found in a text as they stand, before it is split. */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tokens/tokens.h"

/* Those with the same content are neighbours. */
static int longest_first(const void *a, const void *b)
{
    const bndi_added *x = a, *y = b;
    int order = (x->length < y->length) - (x->length > y->length);
    return order != 0 ? order : memcmp(x->content, y->content, x->length);
}

static bnd_status read_one(bndi_tokenizer *t, size_t index, const json_t *value, bnd_error *why)
{
    static const char *const flags[] = {"single_word", "lstrip", "rstrip"};
    char shown[BNDI_SHOWN];
    const char *content = json_string_value(json_object_get(value, "content"));
    const json_t *id = json_object_get(value, "id");
    json_int_t number = json_is_integer(id) ? json_integer_value(id) : -1;
    if (content == NULL || content[0] == '\0' || number < 0 || number >= BNDI_TOKENS_MOST) {
        return bnd_fail(why, BND_BAD_FILE, 0, "added_tokens[%zu] must have a content, and an id from 0 to %d", index,
                        BNDI_TOKENS_MOST - 1);
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (json_is_true(json_object_get(value, flags[i]))) {
            return bnd_fail(why, BND_BAD_FILE, 0, "added_tokens: '%s' has %s, which is not supported",
                            bndi_shown(shown, content), flags[i]);
        }
    }
    const json_t *normalized = json_object_get(value, "normalized");
    t->added[t->added_count++] =
        (bndi_added){content, strlen(content), (uint32_t)number,
                     normalized != NULL ? json_is_true(normalized) : !json_is_true(json_object_get(value, "special"))};
    t->most = (uint32_t)number > t->most ? (uint32_t)number : t->most;
    return BND_OK;
}

static bnd_status check_contents(const bndi_tokenizer *t, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    for (size_t i = 1; i < t->added_count; i++) {
        if (longest_first(&t->added[i - 1], &t->added[i]) == 0) {
            return bnd_fail(why, BND_BAD_FILE, 0, "added_tokens: '%s' is listed twice",
                            bndi_shown(shown, t->added[i].content));
        }
    }
    return BND_OK;
}

/* Hugging Face's tokenizers ignores the ids of added tokens: those in the vocabulary have their ids there; each of the
 * others gets the id after the greatest of those added before it, or the size of the vocabulary if that is more. */
static bnd_status check_ids(const bndi_tokenizer *t, const json_t *list, bnd_error *why)
{
    char shown[BNDI_SHOWN];
    json_int_t next = (json_int_t)json_object_size(t->vocab);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        const char *content = json_string_value(json_object_get(value, "content"));
        const json_t *known = json_object_get(t->vocab, content);
        const json_int_t number = json_integer_value(json_object_get(value, "id"));
        const json_int_t given = known != NULL ? json_integer_value(known) : next;
        next = given >= next ? given + 1 : next;
        if (number != given) {
            return bnd_fail(why, BND_BAD_FILE, 0, "added_tokens: '%s' has the id %llu, and %s %llu",
                            bndi_shown(shown, content), (unsigned long long)number,
                            known != NULL ? "in model.vocab" : "tokenizers would give it", (unsigned long long)given);
        }
    }
    return BND_OK;
}

bnd_status bndi_read_added(bndi_tokenizer *t, bnd_error *why)
{
    const json_t *list = json_object_get(t->root, "added_tokens");
    size_t count = json_array_size(list);
    if (list != NULL && !json_is_null(list) && !json_is_array(list)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "added_tokens must be a list");
    }
    t->added = count > 0 ? malloc(count * sizeof *t->added) : NULL;
    if (count > 0 && t->added == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu added tokens", count);
    }
    for (size_t i = 0; i < count; i++) {
        bnd_status status = read_one(t, i, json_array_get(list, i), why);
        if (status != BND_OK) {
            return status;
        }
        bndi_added *a = &t->added[i];
        t->begins[a->normalized][(unsigned char)a->content[0]] = true;
    }
    if (count > 0) {
        qsort(t->added, count, sizeof *t->added, longest_first);
    }
    bnd_status status = check_contents(t, why);
    return status == BND_OK ? check_ids(t, list, why) : status;
}

const bndi_added *bndi_find_added(const bndi_tokenizer *t, bool normalized, const char *text, size_t length, size_t *at)
{
    for (size_t i = *at; t->added_count > 0 && i < length; i++) {
        for (size_t k = 0; t->begins[normalized][(unsigned char)text[i]] && k < t->added_count; k++) {
            const bndi_added *a = &t->added[k];
            if (a->normalized == normalized && a->length <= length - i &&
                memcmp(text + i, a->content, a->length) == 0) {
                *at = i;
                return a;
            }
        }
    }
    return NULL;
}
