/* Texts of JSON: one member of an object is replaced, all other bytes stay as they are. */
#include "convert/text.h"

#include "store/json.h"

#include <stdlib.h>
#include <string.h>

void bndi_long_text_add(void *sink, const char *bytes, size_t length)
{
    bndi_long_text *text = sink;
    if (text->failed || length == 0) {
        return;
    }
    if (length >= text->room - text->length) {
        size_t room = (text->room > 0 ? text->room : 256) * 2;
        while (room < SIZE_MAX / 2 && room - text->length <= length) {
            room *= 2;
        }
        char *moved = room - text->length > length ? realloc(text->bytes, room) : NULL;
        text->failed = moved == NULL;
        if (text->failed) {
            return;
        }
        text->bytes = moved;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void bndi_long_text_put(bndi_long_text *text, const char *words)
{
    bndi_long_text_add(text, words, strlen(words));
}

void bndi_long_text_free(bndi_long_text *text)
{
    free(text->bytes);
    *text = (bndi_long_text){0};
}

/* ---- indentation ---- */

static void begin_line(bndi_long_text *out, const char *unit, size_t unit_length, size_t level)
{
    bndi_long_text_put(out, "\n");
    for (size_t i = 0; i < level; i++) {
        bndi_long_text_add(out, unit, unit_length);
    }
}

/* The end of the string that begins at `at`: behind its quotation mark. */
static size_t string_end(const char *json, size_t length, size_t at)
{
    for (at++; at < length && json[at] != '"'; at++) {
        at += json[at] == '\\';
    }
    return at < length ? at + 1 : length;
}

void bndi_json_indent(bndi_long_text *out, const char *json, size_t length, const char *unit, size_t unit_length,
                      size_t level)
{
    for (size_t at = 0; at < length;) {
        char c = json[at];
        if (c == ' ') {
            at++;
            continue;
        }
        size_t next = c == '"' ? string_end(json, length, at) : at + 1;
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (opens && next < length && (json[next] == '}' || json[next] == ']')) {
            bndi_long_text_add(out, json + at, 2);
            at += 2;
            continue;
        }
        level -= closes;
        if (closes) {
            begin_line(out, unit, unit_length, level);
        }
        bndi_long_text_add(out, json + at, next - at);
        level += opens;
        if (opens || c == ',') {
            begin_line(out, unit, unit_length, level);
        } else if (c == ':') {
            bndi_long_text_put(out, " ");
        }
        at = next;
    }
}

/* ---- one member ---- */

/* Where the members of an object are, and the one that is looked for. */
typedef struct place {
    size_t open, first;    /* the brace; the first key, or where it would be */
    size_t last;           /* the end of the last value */
    bndi_json_span member; /* from its key to the end of its value */
    size_t value;          /* where its value begins */
    size_t before, after;  /* the end of the value before it, the next key; 0: there is none */
    bool any, found, twice;
} place;

/* The end of a value, without the white space behind it. */
static size_t value_end(const bndi_json_text *text, bndi_json_span value)
{
    size_t to = value.to;
    while (to > value.from && strchr(" \t\r\n", text->bytes[to - 1]) != NULL) {
        to--;
    }
    return to;
}

static bnd_status find_member(place *out, const bndi_json_text *text, const char *key, bnd_error *why)
{
    bndi_json_members m;
    bndi_json_span all = {0, text->length};
    size_t length = strlen(key);
    bnd_status status = bndi_json_open(&m, text, all, why);
    *out = (place){0};
    while (status == BND_OK && (status = bndi_json_next(&m, why)) == BND_OK && m.more) {
        bool same = m.key.to - m.key.from == length + 2 && memcmp(text->bytes + m.key.from + 1, key, length) == 0;
        if (!out->any) {
            out->first = m.key.from;
        }
        if (out->found && out->after == 0) {
            out->after = m.key.from;
        }
        if (same) {
            out->twice = out->found;
            out->found = true;
            out->member = (bndi_json_span){m.key.from, value_end(text, m.value)};
            out->value = m.value.from;
            out->before = out->any ? out->last : 0;
            out->after = 0;
        }
        out->any = true;
        out->last = value_end(text, m.value);
    }
    status = status == BND_OK ? bndi_json_close(&m, why) : status;
    while (status == BND_OK && text->bytes[out->open] != '{') {
        out->open++;
    }
    return status;
}

/* The white space before the first key: from the last line feed on, or 0 bytes where there is none. */
static bndi_json_span indentation(const bndi_json_text *text, const place *p)
{
    for (size_t at = p->first; p->any && at > p->open + 1; at--) {
        if (text->bytes[at - 1] == '\n') {
            return (bndi_json_span){at, p->first};
        }
    }
    return (bndi_json_span){0, 0};
}

static void add_value(bndi_long_text *out, const bndi_json_text *text, const place *p, const char *value)
{
    bndi_json_span unit = indentation(text, p);
    if (unit.to > unit.from || !p->any) {
        const char *spaces = p->any ? text->bytes + unit.from : "  ";
        bndi_json_indent(out, value, strlen(value), spaces, p->any ? unit.to - unit.from : 2, 1);
    } else {
        bndi_long_text_put(out, value);
    }
}

static void insert_member(bndi_long_text *out, const bndi_json_text *text, const place *p, const char *key,
                          const char *value)
{
    bndi_json_span unit = indentation(text, p);
    size_t at = p->any ? p->last : p->open + 1;
    bndi_long_text_add(out, text->bytes, at);
    bool lines = unit.to > unit.from || !p->any;
    bndi_long_text_put(out, p->any ? lines ? ",\n" : ", " : "\n");
    bndi_long_text_add(out, p->any ? text->bytes + unit.from : "  ", p->any ? unit.to - unit.from : 2);
    bndi_long_text_put(out, "\"");
    bndi_long_text_put(out, key);
    bndi_long_text_put(out, "\": ");
    add_value(out, text, p, value);
    if (!p->any) {
        bndi_long_text_put(out, "\n}\n");
        return;
    }
    bndi_long_text_add(out, text->bytes + at, text->length - at);
}

bnd_status bndi_json_set(bndi_long_text *out, const char *object, size_t length, const char *key, const char *value,
                         bnd_error *why)
{
    bndi_json_text text = {.bytes = object, .length = length};
    place p;
    bnd_status status = find_member(&p, &text, key, why);
    if (status != BND_OK) {
        return status;
    }
    if (value == NULL && p.twice) {
        return bnd_fail(why, BND_BAD_FILE, p.member.from, "has the key '%s' twice; remove one of them", key);
    }
    bndi_long_text made = {0};
    if (value != NULL && !p.found) {
        insert_member(&made, &text, &p, key, value);
    } else if (value != NULL) {
        bndi_long_text_add(&made, object, p.value);
        add_value(&made, &text, &p, value);
        bndi_long_text_add(&made, object + p.member.to, length - p.member.to);
    } else if (p.found) { /* the comma before it goes with it, or else the one behind it */
        size_t from = p.before > 0 ? p.before : p.member.from;
        size_t to = p.before > 0 || p.after == 0 ? p.member.to : p.after;
        bndi_long_text_add(&made, object, from);
        bndi_long_text_add(&made, object + to, length - to);
    } else {
        bndi_long_text_add(&made, object, length);
    }
    if (made.failed) {
        bndi_long_text_free(&made);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a text of %zu bytes", length);
    }
    *out = made;
    return BND_OK;
}

/* Removes a member of the object that is the member `outer`, if both are there. */
static bnd_status remove_within(bndi_long_text *out, const char *object, size_t length, const char *outer,
                                const char *key, bnd_error *why)
{
    bndi_json_text text = {.bytes = object, .length = length};
    bndi_long_text made = {0}, inner = {0};
    place p;
    bnd_status status = find_member(&p, &text, outer, why);
    size_t at = p.value;
    while (status == BND_OK && p.found && at < p.member.to && memchr(" \t\r\n", object[at], 4) != NULL) {
        at++;
    }
    const bool within = status == BND_OK && p.found && object[at] == '{';
    status = within ? bndi_json_set(&inner, object + at, p.member.to - at, key, NULL, why) : status;
    if (status != BND_OK) {
        return status;
    }
    bndi_long_text_add(&made, object, within ? at : length);
    if (within) {
        bndi_long_text_add(&made, inner.bytes, inner.length);
        bndi_long_text_add(&made, object + p.member.to, length - p.member.to);
    }
    bndi_long_text_free(&inner);
    if (made.failed) {
        bndi_long_text_free(&made);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a text of %zu bytes", length);
    }
    *out = made;
    return BND_OK;
}

bnd_status bndi_config_quantized(bndi_long_text *out, const char *given, size_t length, const char *value,
                                 bnd_error *why)
{
    /* compressed-tensors called it compression_config once, and loaders would still read it; MLX has two names. In
     * models of text and images all of them can be in text_config. */
    static const char *const names[] = {"compression_config", "quantization", "quantization_config"};
    enum { NAMES = sizeof names / sizeof names[0] };
    static const char empty[] = "{}\n";
    bndi_long_text text = {0};
    bndi_long_text_add(&text, given != NULL ? given : empty, given != NULL ? length : strlen(empty));
    bnd_error problem = {.status = BND_NO_MEMORY, .message = "no memory for the text of a config"};
    bnd_status status = text.failed ? BND_NO_MEMORY : BND_OK;
    for (size_t i = 0; status == BND_OK && i < 2 * NAMES; i++) {
        const char *key = names[i / 2];
        bndi_long_text next;
        status = i % 2 == 0
                     ? remove_within(&next, text.bytes, text.length, "text_config", key, &problem)
                     : bndi_json_set(&next, text.bytes, text.length, key, i / 2 + 1 < NAMES ? NULL : value, &problem);
        if (status == BND_OK) {
            bndi_long_text_free(&text);
            text = next;
        }
    }
    if (status != BND_OK) {
        bndi_long_text_free(&text);
        return bnd_fail(why, status, problem.where, "config.json: %s", problem.message);
    }
    *out = text;
    return BND_OK;
}
