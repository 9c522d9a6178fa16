/* JSON read. jansson reads every value; an object of many members can be gone through member by member, so that no more
 * than one of them is a tree at a time. A text from a file is not to be trusted: duplicate keys, numbers beyond 64 bits
 * with a sign, bytes that are not UTF-8, \u0000 and what is nested deeper than 2048 are refused.
 *
 * A tree takes up to eighty times the memory of its text ([{},{},...] with jansson 2.14): whoever reads one has a limit
 * for the text. Messages say the line and the column, and why->where is an offset into the whole text. */
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

/* The value that stands in this part of the text, with white space around it and nothing else; the caller gives it back
 * with json_decref. */
BND_CHECKED bnd_status bndi_json_read(json_t **out, const bndi_json_text *text, bndi_json_span part, bnd_error *why);

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
