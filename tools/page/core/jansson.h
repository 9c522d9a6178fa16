/* The calls of jansson that binade uses, for WebAssembly, where that library is not. */
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

typedef struct json_t {
    json_type type;
} json_t;

typedef long long json_int_t;

enum json_error_code {
    json_error_unknown,
    json_error_out_of_memory,
    json_error_stack_overflow,
    json_error_premature_end_of_input,
    json_error_end_of_input_expected,
    json_error_invalid_utf8,
    json_error_invalid_syntax,
    json_error_null_character,
    json_error_null_byte_in_key,
    json_error_duplicate_key,
    json_error_numeric_overflow
};

typedef struct json_error_t {
    int position;
    enum json_error_code code;
    char text[160];
} json_error_t;

const char *jansson_version_str(void);
json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
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

const char *json_string_value(const json_t *value);
size_t json_string_length(const json_t *value);
json_int_t json_integer_value(const json_t *value);
double json_number_value(const json_t *value);
size_t json_array_size(const json_t *value);
json_t *json_array_get(const json_t *value, size_t at);
size_t json_object_size(const json_t *value);
json_t *json_object_get(const json_t *value, const char *key);

#endif
