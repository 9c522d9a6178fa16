/* Reading JSON: with jansson, and member by member. */
#include "store/json.h"

#include <binade-lab/store.h>
#include <stdlib.h>
#include <string.h>

/* "line 3, column 7: " precedes the description of an error. Columns are bytes. */
static bnd_status refuse(const bndi_json_text *text, size_t at, const char *what, bnd_error *why)
{
    size_t line = 1, start = 0;
    at = at < text->length ? at : text->length;
    for (size_t i = 0; why != NULL && i < at; i++) {
        if (text->bytes[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    return bnd_fail(why, BND_BAD_FILE, at, "line %zu, column %zu of the JSON: %s", line, at - start + 1, what);
}

/* ---- values ---- */

/* jansson's own words quote the text, which may hold anything: these do not. */
static const char *reason(enum json_error_code code)
{
    switch (code) {
    case json_error_stack_overflow:
        return "values are nested too deeply";
    case json_error_invalid_utf8:
        return "expected UTF-8, got other bytes";
    case json_error_premature_end_of_input:
        return "the text ends inside a value";
    case json_error_end_of_input_expected:
        return "expected the end of the text after the value";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "a string must not contain the character \\u0000";
    case json_error_duplicate_key:
        return "duplicate key";
    case json_error_numeric_overflow:
        return "the number is too large; integers must be at most 9223372036854775807";
    default:
        return "not valid JSON";
    }
}

/* `overflows`: whether it failed for an integer of more than 63 bits. */
static bnd_status read_part(json_t **out, const bndi_json_text *text, bndi_json_span part, bool *overflows,
                            bnd_error *why)
{
    json_error_t error = {.text = ""};
    const char *bytes = text->length > 0 ? text->bytes : ""; /* an empty file has no memory: NULL */
    json_t *value =
        json_loadb(bytes + part.from, part.to - part.from, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    *overflows = false;
    if (value != NULL) {
        *out = value;
        return BND_OK;
    }
    enum json_error_code code = json_error_code(&error);
    /* Where it gets no memory jansson 2.14 mostly says nothing; where it copies a string, that this is not JSON. */
    if (code == json_error_out_of_memory || error.text[0] == '\0') {
        return bnd_fail(why, BND_NO_MEMORY, part.from, "no memory for %zu bytes of JSON", part.to - part.from);
    }
    *overflows = code == json_error_numeric_overflow;
    size_t at = error.position > 0 ? (size_t)error.position : 0;
    return refuse(text, part.from + (at < part.to - part.from ? at : part.to - part.from), reason(code), why);
}

bnd_status bndi_json_read(json_t **out, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    bool overflows;
    return read_part(out, text, part, &overflows, why);
}

/* Whether a number may have more digits than 64 bits have: an integer, for jansson, of 19 digits or more. */
static bool is_wide(const char *number, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        if (number[i] >= '0' && number[i] <= '9') {
            digits++;
        } else if (number[i] != '-') {
            return false;
        }
    }
    return digits >= 19;
}

/* A copy in which ".0" follows wide integers, so that jansson reads them as reals; NULL without memory. */
static char *with_reals(const bndi_json_text *text, size_t *length)
{
    static const char numbers[] = "0123456789+-.eE";
    size_t put = 0, end = text->length;
    char *copy = malloc(end + end / 9 + 1); /* two bytes more for each nineteen */
    bool quoted = false;
    for (size_t i = 0, n; copy != NULL && i < end; i += n) {
        const char *at = text->bytes + i;
        for (n = 0; !quoted && i + n < end && at[n] != '\0' && strchr(numbers, at[n]) != NULL;) {
            n++;
        }
        const bool wide = is_wide(at, n);
        if (n == 0) {
            quoted = quoted != (at[0] == '"');
            n = quoted && at[0] == '\\' && i + 1 < end ? 2 : 1;
        }
        memcpy(copy + put, at, n);
        put += n;
        if (wide) {
            memcpy(copy + put, ".0", 2);
            put += 2;
        }
    }
    *length = put;
    return copy;
}

bnd_status bndi_json_read_config(json_t **out, const bndi_json_text *text, bnd_error *why)
{
    bnd_error second;
    bool overflows;
    bnd_status first = read_part(out, text, (bndi_json_span){0, text->length}, &overflows, why);
    if (!overflows) {
        return first;
    }
    bndi_json_text wide = {.bytes = NULL};
    char *copy = with_reals(text, &wide.length);
    if (copy == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu bytes of JSON", text->length);
    }
    wide.bytes = copy;
    bnd_status status = bndi_json_read(out, &wide, (bndi_json_span){0, wide.length}, &second);
    free(copy);
    return status == BND_NO_MEMORY ? bnd_fail(why, status, 0, "%s", second.message) : status == BND_OK ? status : first;
}

/* Most names are plain ASCII without escapes: those need no tree. */
static bool is_plain(const char *bytes, size_t length)
{
    bool plain = length >= 2 && bytes[length - 1] == '"';
    for (size_t i = 1; plain && i + 1 < length; i++) {
        plain = bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '"' && bytes[i] != '\\';
    }
    return plain;
}

bnd_status bndi_json_string(char *out, size_t *length, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    json_t *value;
    size_t size = part.to - part.from;
    if (size == 0 || text->bytes[part.from] != '"') {
        return refuse(text, part.from, "expected a string", why);
    }
    if (is_plain(text->bytes + part.from, size)) {
        memcpy(out, text->bytes + part.from + 1, size - 2);
        out[size - 2] = '\0';
        *length = size - 2;
        return BND_OK;
    }
    bnd_status status = bndi_json_read(&value, text, part, why);
    if (status == BND_OK) {
        *length = json_string_length(value);
        memcpy(out, json_string_value(value), *length + 1);
        json_decref(value);
    }
    return status;
}

/* ---- members ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char next_byte(bndi_json_members *m)
{
    while (m->at < m->end && is_blank(m->text->bytes[m->at])) {
        m->at++;
    }
    return m->at < m->end ? m->text->bytes[m->at] : '\0';
}

bnd_status bndi_json_open(bndi_json_members *out, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    bndi_json_members members = {.text = text, .at = part.from, .end = part.to, .more = true};
    if (next_byte(&members) != '{') {
        return refuse(text, members.at, "expected '{', the start of an object", why);
    }
    members.at++;
    *out = members;
    return BND_OK;
}

/* The position after the closing quote of the string that begins at `at`, skipping escaped characters; or the end. */
static size_t behind_string(const bndi_json_members *m, size_t at)
{
    for (at++; at < m->end && m->text->bytes[at] != '"'; at++) {
        at += m->text->bytes[at] == '\\';
    }
    return at < m->end ? at + 1 : m->end;
}

/* To the comma or the bracket that ends a value: which brackets close which is for jansson to see. */
static size_t behind_value(const bndi_json_members *m, size_t at)
{
    size_t depth = 0;
    while (at < m->end) {
        char c = m->text->bytes[at];
        bool closes = c == '}' || c == ']';
        if (depth == 0 && (closes || c == ',')) {
            return at;
        }
        depth = c == '{' || c == '[' ? depth + 1 : depth - closes;
        at = c == '"' ? behind_string(m, at) : at + 1;
    }
    return at;
}

bnd_status bndi_json_next(bndi_json_members *m, bnd_error *why)
{
    char c = next_byte(m);
    bool first = !m->begun;
    m->begun = true;
    m->more = c != '}';
    if (!m->more) {
        m->at++;
        return BND_OK;
    }
    if (!first) {
        if (c != ',') {
            return refuse(m->text, m->at, "expected ',' or '}'", why);
        }
        m->at++;
        c = next_byte(m);
    }
    if (c != '"') {
        return refuse(m->text, m->at, "expected a key in quotes", why);
    }
    m->key.from = m->at;
    m->key.to = m->at = behind_string(m, m->at);
    if (next_byte(m) != ':') {
        return refuse(m->text, m->at, "expected ':'", why);
    }
    m->at++;
    (void)next_byte(m);
    m->value.from = m->at;
    m->value.to = m->at = behind_value(m, m->at);
    return BND_OK;
}

bnd_status bndi_json_close(const bndi_json_members *members, bnd_error *why)
{
    bndi_json_members m = *members;
    (void)next_byte(&m);
    return m.at == m.end ? BND_OK : refuse(m.text, m.at, "expected the end of the text after the object", why);
}

const char *bnd_jansson_version(void)
{
#if JANSSON_VERSION_HEX >= 0x020d00
    return jansson_version_str();
#else
    return JANSSON_VERSION; /* of the header: older libraries do not say theirs */
#endif
}
