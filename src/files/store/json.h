/* Reading JSON. jansson reads every value; an object of many members can be read member by member, so that only one
 * of them is a tree at a time. Text from files is not trusted: duplicate keys, integers outside signed 64 bits
 * (but see bndi_json_read_wide and bndi_json_read_config), invalid UTF-8, \u0000 and nesting deeper than 2048 are
 * refused.
 *
 * A tree takes up to eighty times the memory of its text ([{},{},...] with jansson 2.14), so every reader has a
 * limit for the text. Messages give the line and the column, and why->where is an offset into the whole text. */
#ifndef BINADE_SRC_STORE_JSON_H
#define BINADE_SRC_STORE_JSON_H

#include <binade/base.h>
#include <jansson.h>

/* A text, of which parts are read. */
typedef struct bndi_json_text {
    const char *bytes;
    size_t length;
} bndi_json_text;

typedef struct bndi_json_span {
    size_t from, to;
} bndi_json_span;

/* Reads the value in this part of the text, which may have white space around it and nothing else. The caller
 * releases it with json_decref. */
BND_CHECKED bnd_status bndi_json_read(json_t **out, const bndi_json_text *text, bndi_json_span part, bnd_error *why);

/* The same for the whole of a text, in which integers outside signed 64 bits become reals, such as the hashes in
 * config.json of a run. */
BND_CHECKED bnd_status bndi_json_read_wide(json_t **out, const bndi_json_text *text, bnd_error *why);

/* The same for a config that other programs wrote, as Python's json reads it. Also NaN, Infinity, -Infinity and numbers
 * beyond fp64's range become reals, of no value in particular, and of a key that is there twice the last value
 * counts. */
BND_CHECKED bnd_status bndi_json_read_config(json_t **out, const bndi_json_text *text, bnd_error *why);

/* Decodes a string, which begins at part.from, into `out` with a 0 byte. `out` has room for part.to - part.from bytes:
 * a string without its quotes is not longer. `length` is without the 0 byte. */
BND_CHECKED bnd_status bndi_json_string(char *out, size_t *length, const bndi_json_text *text, bndi_json_span part,
                                        bnd_error *why);

/* Goes through an object: open finds its beginning, each next the next member; `more` is false at its end, and `at` is
 * then behind it. key and value are where they stand, quotes included; that they are JSON is for bndi_json_read. */
typedef struct bndi_json_members {
    const bndi_json_text *text;
    size_t at, end;
    bool begun, more;
    bndi_json_span key, value;
} bndi_json_members;
BND_CHECKED bnd_status bndi_json_open(bndi_json_members *out, const bndi_json_text *text, bndi_json_span part,
                                      bnd_error *why);
BND_CHECKED bnd_status bndi_json_next(bndi_json_members *members, bnd_error *why);

/* Nothing but white space is left? */
BND_CHECKED bnd_status bndi_json_close(const bndi_json_members *members, bnd_error *why);

#endif
