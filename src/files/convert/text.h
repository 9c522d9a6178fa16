/* Texts of JSON that are made and edited. */
#ifndef BINADE_SRC_CONVERT_TEXT_H
#define BINADE_SRC_CONVERT_TEXT_H

#include <binade/base.h>

/* A text that grows at its end; it begins as zeros. `failed`: there was no memory, and it is not whole. */
typedef struct bndi_long_text {
    char *bytes; /* with a final 0 byte */
    size_t length, room;
    bool failed;
} bndi_long_text;

void bndi_long_text_add(void *text, const char *bytes, size_t length); /* of a bnd_lab_json, too */
void bndi_long_text_put(bndi_long_text *text, const char *words);
void bndi_long_text_free(bndi_long_text *text);

/* The text of an object with its member `key` set to `value`, which is JSON on one line; NULL removes it. All
 * other bytes stay. The value is indented as the object is, or stands on one line as it does.
 * On failure: BND_BAD_FILE: the text is not an object; BND_NO_MEMORY. */
BND_CHECKED bnd_status bndi_json_set(bndi_long_text *out, const char *object, size_t length, const char *key,
                                     const char *value, bnd_error *why);

/* The text of a config.json (NULL: of an empty one) whose quantization is `value`; NULL: that has none. All places and
 * names in which programs look for another one are cleared. */
BND_CHECKED bnd_status bndi_config_quantized(bndi_long_text *out, const char *given, size_t length, const char *value,
                                             bnd_error *why);

/* Adds JSON of one line with a line per member; `level` levels of `unit` precede the last line. */
void bndi_json_indent(bndi_long_text *out, const char *json, size_t length, const char *unit, size_t unit_length,
                      size_t level);

#endif
