/* The calls of jansson that binade uses, for the WebAssembly, where that library is not. The same texts are read and
 * refused, for the same reason and at the same position, as by jansson 2.14 with the flags below. JSON_DECODE_ANY is
 * always on. tests/page/test_jansson.c compares the two. */
#ifndef BINADE_PAGE_JANSSON_H
#define BINADE_PAGE_JANSSON_H

#include <stdbool.h>
#include <stddef.h>

#define JANSSON_VERSION_HEX    0x020e00
#define JSON_REJECT_DUPLICATES 0x1
#define JSON_DECODE_ANY        0x4

typedef enum json_type {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} json_type;

typedef long long json_int_t;

/* A value, and its place in the value that contains it. */
typedef struct json_t {
    json_type type;
    struct json_t *parent;
    char *key; /* of a member */
    union {
        struct {
            char *bytes; /* a null character follows */
            size_t length;
        } text;
        json_int_t integer;
        double real;
        struct {
            struct json_t **items;
            size_t count, room;
            size_t *slots; /* of an object: a hash table of 1 + index, 2 * room slots */
        } all;
    } is;
} json_t;

/* Those that a text can have, with the numbers of jansson. */
enum json_error_code {
    json_error_unknown = 0,
    json_error_out_of_memory = 1,
    json_error_stack_overflow = 2,
    json_error_invalid_utf8 = 5,
    json_error_premature_end_of_input = 6,
    json_error_end_of_input_expected = 7,
    json_error_invalid_syntax = 8,
    json_error_null_character = 11,
    json_error_null_byte_in_key = 13,
    json_error_duplicate_key = 14,
    json_error_numeric_overflow = 15
};

typedef struct json_error_t {
    int position; /* bytes read */
    enum json_error_code code;
    char text[32]; /* not empty after an error */
} json_error_t;

const char *jansson_version_str(void);

/* Reads the value in these bytes. Returns NULL on failure, with the reason in *error. */
json_t *json_loadb(const char *bytes, size_t length, size_t flags, json_error_t *error);

/* Releases a value of json_loadb, with all that it contains. */
void json_decref(json_t *value);

#define json_error_code(error) ((error)->code)

#define json_typeof(value)     ((value)->type)
#define json_is_object(value)  ((value) != NULL && json_typeof(value) == JSON_OBJECT)
#define json_is_array(value)   ((value) != NULL && json_typeof(value) == JSON_ARRAY)
#define json_is_string(value)  ((value) != NULL && json_typeof(value) == JSON_STRING)
#define json_is_integer(value) ((value) != NULL && json_typeof(value) == JSON_INTEGER)
#define json_is_real(value)    ((value) != NULL && json_typeof(value) == JSON_REAL)
#define json_is_number(value)  (json_is_integer(value) || json_is_real(value))
#define json_is_true(value)    ((value) != NULL && json_typeof(value) == JSON_TRUE)
#define json_is_false(value)   ((value) != NULL && json_typeof(value) == JSON_FALSE)
#define json_is_boolean(value) (json_is_true(value) || json_is_false(value))
#define json_is_null(value)    ((value) != NULL && json_typeof(value) == JSON_NULL)

/* Of a value of another type: NULL or 0. */
const char *json_string_value(const json_t *value);
size_t json_string_length(const json_t *value);
json_int_t json_integer_value(const json_t *value);
double json_number_value(const json_t *value);
size_t json_array_size(const json_t *value);
json_t *json_array_get(const json_t *value, size_t at);
size_t json_object_size(const json_t *value);
json_t *json_object_get(const json_t *object, const char *key);

/* Goes through the members in their order: the first one, or NULL; the one after `at`, or NULL; its key and value. */
void *json_object_iter(json_t *object);
void *json_object_iter_next(json_t *object, void *at);
const char *json_object_iter_key(void *at);
json_t *json_object_iter_value(void *at);

#endif
