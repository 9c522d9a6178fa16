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

/* Why a text is refused, and where. */
typedef struct refusal {
    bnd_status status;
    enum json_error_code code;
    size_t at;
} refusal;

static json_t *load(const char *bytes, size_t length, size_t flags, refusal *out)
{
    json_error_t error = {.text = ""};
    const char *text = length > 0 ? bytes : ""; /* an empty file has no memory: NULL */
    json_t *value = json_loadb(text, length, flags | JSON_DECODE_ANY, &error);
    if (value == NULL) {
        size_t at = error.position > 0 ? (size_t)error.position : 0;
        *out = (refusal){BND_BAD_FILE, json_error_code(&error), at < length ? at : length};
        /* Where it gets no memory jansson 2.14 mostly says nothing; where it copies a string, that this is not JSON. */
        if (out->code == json_error_out_of_memory || error.text[0] == '\0') {
            out->status = BND_NO_MEMORY;
        }
    }
    return value;
}

static bnd_status fail(const bndi_json_text *text, bndi_json_span part, const refusal *r, bnd_error *why)
{
    return r->status == BND_NO_MEMORY
               ? bnd_fail(why, r->status, part.from, "no memory for %zu bytes of JSON", part.to - part.from)
               : refuse(text, part.from + r->at, reason(r->code), why);
}

bnd_status bndi_json_read(json_t **out, const bndi_json_text *text, bndi_json_span part, bnd_error *why)
{
    refusal r;
    json_t *value =
        load(part.to > part.from ? text->bytes + part.from : "", part.to - part.from, JSON_REJECT_DUPLICATES, &r);
    if (value == NULL) {
        return fail(text, part, &r, why);
    }
    *out = value;
    return BND_OK;
}

/* ---- configs ---- */

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

/* The length of a number that Python's json reads and writes, and JSON does not have; 0: none begins here. */
static size_t not_finite(const char *at, size_t left)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if (left >= length && memcmp(at, words[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

static size_t digits_at(const char *at, size_t length, size_t from)
{
    size_t n = from;
    while (n < length && at[n] >= '0' && at[n] <= '9') {
        n++;
    }
    return n - from;
}

/* Whether a number may be beyond fp64's range, where Python reads an infinity and jansson refuses: one with a positive
 * exponent of three digits or more. */
static bool is_large(const char *number, size_t length)
{
    size_t at = length > 0 && number[0] == '-', whole = digits_at(number, length, at);
    at += whole;
    if (at < length && number[at] == '.') {
        at += 1 + digits_at(number, length, at + 1);
    }
    if (whole == 0 || at >= length || (number[at] != 'e' && number[at] != 'E')) {
        return false;
    }
    at += at + 1 < length && number[at + 1] == '+' ? 2 : 1;
    const size_t exponent = digits_at(number, length, at);
    return exponent >= 3 && at + exponent == length;
}

/* A copy of a text that jansson reads. It ends where it has `most` bytes: its end is at `from` in the text. */
typedef struct rewritten {
    char *bytes; /* NULL: only counted */
    size_t length, most, from;
} rewritten;

static void put(rewritten *out, const char *bytes, size_t length)
{
    if (out->bytes != NULL && length > 0) {
        memcpy(out->bytes + out->length, bytes, length);
    }
    out->length += length;
}

/* ".0" follows wide integers, so that jansson reads them as reals. Of Python, NaN, infinities and numbers that may be
 * too large become the real 0.0: no reader asks for the value of a real. Its blanks keep it apart from what stands next
 * to it. */
static void rewrite(rewritten *out, const bndi_json_text *text, bool of_python)
{
    static const char numbers[] = "0123456789+-.eE", real[] = " 0.0 ";
    const size_t end = text->length;
    bool quoted = false;
    for (size_t i = 0, n; i < end && out->length < out->most; i += n) {
        const char *at = text->bytes + i;
        const size_t left = out->most - out->length;
        size_t word = of_python && !quoted ? not_finite(at, end - i) : 0;
        for (n = word; word == 0 && !quoted && i + n < end && at[n] != '\0' && strchr(numbers, at[n]) != NULL;) {
            n++;
        }
        word = of_python && word == 0 && is_large(at, n) ? n : word;
        const bool wide = word == 0 && is_wide(at, n);
        if (n == 0) {
            quoted = quoted != (at[0] == '"');
            n = quoted && at[0] == '\\' && i + 1 < end ? 2 : 1;
        }
        put(out, word > 0 ? real : at, word > 0 ? sizeof real - 1 : n);
        put(out, ".0", wide ? 2 : 0);
        const size_t all = word > 0 ? sizeof real - 2 : n; /* jansson's place may be before the last blank */
        out->from = i + (left < all && left < n ? left : n);
    }
}

static bnd_status read_rewritten(json_t **out, const bndi_json_text *text, size_t flags, bool of_python, bnd_error *why)
{
    const bndi_json_span all = {0, text->length};
    refusal r;
    json_t *value = load(text->bytes, text->length, flags, &r);
    if (value == NULL && r.status != BND_NO_MEMORY) {
        rewritten copy = {.most = SIZE_MAX};
        rewrite(&copy, text, of_python);
        copy = (rewritten){.bytes = malloc(copy.length + 1), .most = SIZE_MAX};
        if (copy.bytes == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu bytes of JSON", text->length);
        }
        rewrite(&copy, text, of_python);
        value = load(copy.bytes, copy.length, flags, &r);
        free(copy.bytes);
        rewritten read = {.most = value == NULL ? r.at : 0};
        rewrite(&read, text, of_python);
        r.at = read.from;
    }
    if (value == NULL) {
        return fail(text, all, &r, why);
    }
    *out = value;
    return BND_OK;
}

bnd_status bndi_json_read_wide(json_t **out, const bndi_json_text *text, bnd_error *why)
{
    return read_rewritten(out, text, JSON_REJECT_DUPLICATES, false, why);
}

bnd_status bndi_json_read_config(json_t **out, const bndi_json_text *text, bnd_error *why)
{
    return read_rewritten(out, text, 0, true, why);
}

/* ---- strings ---- */

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
