/* A JSON writer: takes keys and values, and adds commas and escapes. */
#include "store/json_writer.h"

#include "base/base.h"
#include "store/store.h"

#include <string.h>

enum { JSON_DEPTH = 64 };

static void put_bytes(bnd_lab_json *json, const char *text, size_t length)
{
    if (json->ignored == 0) {
        json->write(json->sink, text, length);
    }
}

static void put(bnd_lab_json *json, const char *text)
{
    put_bytes(json, text, bndi_length(text));
}

/* The length of the UTF-8 sequence at `s`, 0 if it is not valid (overlong, surrogate, truncated). */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    uint32_t point = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (s[i] >> 6 != 2) {
            return 0;
        }
        point = point << 6 | (s[i] & 0x3f);
    }
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point < smallest[length] || point > 0x10ffff || surrogate ? 0 : length;
}

bool bndi_is_utf8(const char *text, size_t length)
{
    size_t at = 0, step = 1;
    while (at < length && step > 0) {
        step = utf8_length((const unsigned char *)text + at, length - at);
        at += step;
    }
    return at == length;
}

static void put_escaped(bnd_lab_json *json, unsigned char c)
{
    char out[8];
    bndi_text text = bndi_text_in(out, sizeof out);
    const char *names = "\bb\ff\nn\rr\tt\"\"\\\\";
    for (size_t i = 0; names[i] != '\0'; i += 2) {
        if ((unsigned char)names[i] == c) {
            bndi_text_char(&text, '\\');
            bndi_text_char(&text, names[i + 1]);
            put(json, out);
            return;
        }
    }
    bndi_text_string(&text, "\\u");
    bndi_text_unsigned(&text, c, 16, 4);
    put(json, out);
}

static void put_string(bnd_lab_json *json, const char *value, size_t length)
{
    put(json, "\"");
    for (size_t i = 0; i < length;) {
        const unsigned char *s = (const unsigned char *)value + i;
        size_t sequence = utf8_length(s, length - i);
        if (sequence == 0) {
            put(json, "\xef\xbf\xbd"); /* U+FFFD */
            i++;
        } else if (s[0] < 0x20 || s[0] == '"' || s[0] == '\\') {
            put_escaped(json, s[0]);
            i++;
        } else {
            put_bytes(json, value + i, sequence);
            i += sequence;
        }
    }
    put(json, "\"");
}

/* Writes what precedes every item: a comma, and inside an object the key. */
static void start_item(bnd_lab_json *json, const char *key)
{
    if (json->after_item) {
        put(json, ", ");
    }
    json->after_item = true;
    if (key != NULL) {
        put_string(json, key, bndi_length(key));
        put(json, ": ");
    }
}

static void open_level(bnd_lab_json *json, const char *key, bool object)
{
    start_item(json, key);
    if (json->depth == JSON_DEPTH) {
        put(json, json->ignored == 0 ? "null" : "");
        json->ignored++;
        return;
    }
    put(json, object ? "{" : "[");
    uint64_t bit = UINT64_C(1) << json->depth;
    json->kinds = object ? json->kinds | bit : json->kinds & ~bit;
    json->depth++;
    json->after_item = false;
}

void bnd_lab_json_begin(bnd_lab_json *json, void (*write)(void *sink, const char *text, size_t length), void *sink)
{
    *json = (bnd_lab_json){.write = write, .sink = sink};
}

void bnd_lab_json_object(bnd_lab_json *json, const char *key)
{
    open_level(json, key, true);
}

void bnd_lab_json_array(bnd_lab_json *json, const char *key)
{
    open_level(json, key, false);
}

void bnd_lab_json_end(bnd_lab_json *json)
{
    if (json->ignored > 0) {
        json->ignored--;
    } else if (json->depth > 0) {
        json->depth--;
        put(json, json->kinds >> json->depth & 1 ? "}" : "]");
        json->after_item = true;
    }
}

void bnd_lab_json_string_n(bnd_lab_json *json, const char *key, const char *value, size_t length)
{
    start_item(json, key);
    put_string(json, value, length);
}

void bnd_lab_json_string(bnd_lab_json *json, const char *key, const char *value)
{
    bnd_lab_json_string_n(json, key, value, bndi_length(value));
}

void bnd_lab_json_integer(bnd_lab_json *json, const char *key, int64_t value)
{
    char out[24];
    bndi_text text = bndi_text_in(out, sizeof out);
    bndi_text_signed(&text, value);
    bnd_lab_json_literal(json, key, out);
}

void bnd_lab_json_unsigned(bnd_lab_json *json, const char *key, uint64_t value)
{
    char out[24];
    bndi_text text = bndi_text_in(out, sizeof out);
    bndi_text_unsigned(&text, value, 10, 1);
    bnd_lab_json_literal(json, key, out);
}

void bnd_lab_json_boolean(bnd_lab_json *json, const char *key, bool value)
{
    bnd_lab_json_literal(json, key, value ? "true" : "false");
}

void bnd_lab_json_null(bnd_lab_json *json, const char *key)
{
    bnd_lab_json_literal(json, key, "null");
}

void bnd_lab_json_literal(bnd_lab_json *json, const char *key, const char *number)
{
    start_item(json, key);
    put(json, number);
}

void bnd_lab_json_to_memory(void *memory, const char *text, size_t length)
{
    bnd_lab_json_memory *out = memory;
    if (out->bytes != NULL) {
        memcpy(out->bytes + out->length, text, length);
    }
    out->length += length;
}
