/* A JSON writer, for the laboratory and the command. */
#ifndef BINADE_SRC_JSON_WRITER_H
#define BINADE_SRC_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes well-formed JSON piece by piece through `write`. `key` is the name of the member inside an object, and
 * NULL inside an array and at the top. Strings are UTF-8; each byte that is not part of UTF-8 is written as U+FFFD.
 * Objects and arrays nested deeper than 64 are written as null. */
typedef struct bnd_lab_json {
    void (*write)(void *sink, const char *text, size_t length);
    void *sink;
    uint64_t kinds; /* one bit per level: 1 if the level is an object */
    uint8_t depth;
    uint32_t ignored; /* levels open below the 64th */
    bool after_item;  /* the next item of this level needs a comma */
} bnd_lab_json;

void bnd_lab_json_begin(bnd_lab_json *json, void (*write)(void *sink, const char *text, size_t length), void *sink);
void bnd_lab_json_object(bnd_lab_json *json, const char *key);
void bnd_lab_json_array(bnd_lab_json *json, const char *key);
void bnd_lab_json_end(bnd_lab_json *json); /* of the innermost object or array */
void bnd_lab_json_string(bnd_lab_json *json, const char *key, const char *value);
void bnd_lab_json_string_n(bnd_lab_json *json, const char *key, const char *value, size_t length);
void bnd_lab_json_integer(bnd_lab_json *json, const char *key, int64_t value);
void bnd_lab_json_unsigned(bnd_lab_json *json, const char *key, uint64_t value);
void bnd_lab_json_boolean(bnd_lab_json *json, const char *key, bool value);
void bnd_lab_json_null(bnd_lab_json *json, const char *key);
void bnd_lab_json_literal(bnd_lab_json *json, const char *key,
                          const char *number); /* text that is a JSON number already */

/* A sink that counts bytes, and keeps them where it has memory: what is written once without memory is measured. */
typedef struct bnd_lab_json_memory {
    char *bytes; /* NULL: it only counts */
    size_t length;
} bnd_lab_json_memory;

void bnd_lab_json_to_memory(void *memory, const char *text, size_t length);

#endif
