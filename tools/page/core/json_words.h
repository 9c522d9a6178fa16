/* The words of a JSON text: brackets, commas, strings, numbers, names. */
#ifndef BINADE_PAGE_JSON_WORDS_H
#define BINADE_PAGE_JSON_WORDS_H

#include "jansson.h"

typedef enum json_word_kind {
    JSON_WORD_END,
    JSON_WORD_INVALID,
    JSON_WORD_MARK, /* one of {}[]:, */
    JSON_WORD_STRING,
    JSON_WORD_INTEGER,
    JSON_WORD_REAL,
    JSON_WORD_TRUE,
    JSON_WORD_FALSE,
    JSON_WORD_NULL
} json_word_kind;

typedef struct json_words {
    const unsigned char *bytes;
    size_t length, at;
    size_t checked; /* before this, the bytes are UTF-8 */
    size_t lost;    /* null characters that were read, put back, and not read again: as by jansson */
    bool broken;    /* bytes that are not UTF-8 were met: nothing is read any more */
    json_error_t *error;

    /* The word that was read last. */
    json_word_kind kind;
    int first;  /* its first byte; 0 for none */
    char *text; /* of a string, until somebody takes it */
    size_t text_length;
    json_int_t integer;
    double real;
} json_words;

/* Reads the next word. An invalid one has set the error, or leaves it to the caller. */
void json_next_word(json_words *words);

/* Notes an error, unless there is one. */
void json_refuse(json_words *words, enum json_error_code code);

#endif
