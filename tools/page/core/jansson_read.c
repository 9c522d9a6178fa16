/* Reads a JSON text into a tree: the grammar of values, without recursion. */
#include "json_tree.h"
#include "json_words.h"

#include <stdlib.h>
#include <string.h>

/* As many values may be inside each other. */
enum { DEPTH_MAX = 2048 };

/* The tree so far: `at` is the container that is open, and `key` waits for its value. */
typedef struct reading {
    json_words words;
    json_t *root, *at;
    char *key;
    size_t depth;
    bool once; /* a key that is there twice is refused; else the last value counts */
} reading;

static bool is_mark(const reading *r, char mark)
{
    return r->words.kind == JSON_WORD_MARK && r->words.first == mark;
}

static bool fail(reading *r, enum json_error_code code)
{
    json_refuse(&r->words, code);
    return false;
}

/* The value that begins with the word just read; a container is empty as yet. */
static json_t *value_of(reading *r)
{
    static const json_type types[] = {
        [JSON_WORD_STRING] = JSON_STRING, [JSON_WORD_INTEGER] = JSON_INTEGER, [JSON_WORD_REAL] = JSON_REAL,
        [JSON_WORD_TRUE] = JSON_TRUE,     [JSON_WORD_FALSE] = JSON_FALSE,     [JSON_WORD_NULL] = JSON_NULL};
    json_words *w = &r->words;
    bool opens = is_mark(r, '{') || is_mark(r, '[');
    if (!opens && (w->kind == JSON_WORD_INVALID || w->kind == JSON_WORD_END || w->kind == JSON_WORD_MARK)) {
        json_refuse(w, json_error_invalid_syntax);
        return NULL;
    }
    if (w->kind == JSON_WORD_STRING && memchr(w->text, '\0', w->text_length) != NULL) {
        json_refuse(w, json_error_null_character);
        return NULL;
    }
    json_t *value = json_tree_new(!opens ? types[w->kind] : w->first == '{' ? JSON_OBJECT : JSON_ARRAY);
    if (value == NULL) {
        json_refuse(w, json_error_out_of_memory);
        return NULL;
    }
    if (value->type == JSON_STRING) {
        value->is.text.bytes = w->text;
        value->is.text.length = w->text_length;
        w->text = NULL;
    } else if (value->type == JSON_INTEGER) {
        value->is.integer = w->integer;
    } else if (value->type == JSON_REAL) {
        value->is.real = w->real;
    }
    return value;
}

/* Puts the value in its place. */
static bool keep(reading *r, json_t *value)
{
    value->key = r->key;
    r->key = NULL;
    if (r->at == NULL) {
        r->root = value;
    } else if (!json_tree_add(r->at, value)) {
        json_decref(value);
        return fail(r, json_error_out_of_memory);
    }
    return true;
}

/* A key and its colon, of which the key has been read. */
static bool read_key(reading *r)
{
    json_words *w = &r->words;
    if (w->kind != JSON_WORD_STRING) {
        return fail(r, json_error_invalid_syntax);
    }
    if (memchr(w->text, '\0', w->text_length) != NULL) {
        return fail(r, json_error_null_byte_in_key);
    }
    if (r->once && json_object_get(r->at, w->text) != NULL) {
        return fail(r, json_error_duplicate_key);
    }
    r->key = w->text;
    w->text = NULL;
    json_next_word(w);
    if (!is_mark(r, ':')) {
        return fail(r, json_error_invalid_syntax);
    }
    json_next_word(w);
    return true;
}

/* After a value: closes what ends here, up to a comma or the end of the outermost value. */
static bool close_values(reading *r)
{
    while (r->at != NULL) {
        json_next_word(&r->words);
        if (is_mark(r, ',')) {
            json_next_word(&r->words);
            return r->at->type == JSON_ARRAY || read_key(r);
        }
        if (!is_mark(r, r->at->type == JSON_ARRAY ? ']' : '}')) {
            return fail(r, json_error_invalid_syntax);
        }
        r->at = r->at->parent;
        r->depth--;
    }
    return true;
}

/* Reads one value or the beginning of one; the word that it begins with has been read. */
static bool read_value(reading *r)
{
    bool ended = r->words.kind == JSON_WORD_END && json_is_array(r->at); /* a bracket is missing, however deep */
    if (r->depth == DEPTH_MAX && !ended) {
        return fail(r, json_error_stack_overflow);
    }
    json_t *value = value_of(r);
    if (value == NULL || !keep(r, value)) {
        return false;
    }
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY) {
        return close_values(r);
    }
    json_next_word(&r->words);
    if (is_mark(r, value->type == JSON_ARRAY ? ']' : '}')) {
        return close_values(r);
    }
    r->at = value;
    r->depth++;
    return value->type == JSON_ARRAY || read_key(r);
}

json_t *json_loadb(const char *bytes, size_t length, size_t flags, json_error_t *error)
{
    *error = (json_error_t){.text = ""};
    reading r = {.words = {.bytes = (const unsigned char *)bytes, .length = length, .error = error},
                 .once = (flags & JSON_REJECT_DUPLICATES) != 0};
    json_next_word(&r.words);
    bool good = read_value(&r);
    while (good && r.at != NULL) {
        good = read_value(&r);
    }
    if (good) {
        json_next_word(&r.words);
        good = r.words.kind == JSON_WORD_END || fail(&r, json_error_end_of_input_expected);
    }
    free(r.words.text);
    free(r.key);
    if (!good) {
        json_decref(r.root);
        return NULL;
    }
    error->position = (int)(r.words.at - r.words.lost);
    return r.root;
}
