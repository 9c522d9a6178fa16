/* Writes what json_loadb makes of a text: values in order, or the reason and the position. Included once with jansson's
 * own header and once with the page's; DESCRIBE names the function. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void describe_value(FILE *out, const json_t *value);

static void describe_text(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        fprintf(out, "%02x", (unsigned)(unsigned char)text[i]);
    }
    fprintf(out, "\"%s", text[length] == '\0' ? "" : "not ended");
}

static void describe_number(FILE *out, const json_t *value)
{
    double number = json_number_value(value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fprintf(out, "%s %lld %016llx", json_is_integer(value) ? "integer" : "real", (long long)json_integer_value(value),
            (unsigned long long)bits);
}

static void describe_value(FILE *out, const json_t *value)
{
    if (json_is_object(value)) {
        fprintf(out, "{%zu", json_object_size(value));
        json_t *object = (json_t *)(uintptr_t)value;
        for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
            const char *key = json_object_iter_key(at);
            fputc(',', out);
            describe_text(out, key, strlen(key));
            fputs(json_object_iter_value(at) == json_object_get(value, key) ? ":" : " not what is found:", out);
            describe_value(out, json_object_iter_value(at));
        }
        fputc('}', out);
    } else if (json_is_array(value)) {
        fprintf(out, "[%zu", json_array_size(value));
        for (size_t i = 0; i < json_array_size(value); i++) {
            fputc(',', out);
            describe_value(out, json_array_get(value, i));
        }
        fprintf(out, "]%s", json_array_get(value, json_array_size(value)) == NULL ? "" : "more");
    } else if (json_is_string(value)) {
        describe_text(out, json_string_value(value), json_string_length(value));
    } else if (json_is_number(value)) {
        describe_number(out, value);
    } else {
        fputs(json_is_true(value)      ? "true"
              : json_is_boolean(value) ? "false"
              : json_is_null(value)    ? "null"
                                       : "?",
              out);
    }
}

static void describe_with(FILE *out, const char *text, size_t length, size_t flags)
{
    json_error_t error;
    json_t *value = json_loadb(text, length, flags | JSON_DECODE_ANY, &error);
    if (value == NULL) {
        fprintf(out, "refused: reason %d at %d%s", (int)json_error_code(&error), error.position,
                error.text[0] != '\0' ? "" : ", without a text");
        return;
    }
    describe_value(out, value);
    fprintf(out, " to %d", error.position);
    json_decref(value);
}

void DESCRIBE(FILE *out, const char *text, size_t length);
void DESCRIBE(FILE *out, const char *text, size_t length)
{
    describe_with(out, text, length, JSON_REJECT_DUPLICATES);
    fputs(" | ", out);
    describe_with(out, text, length, 0);
}
