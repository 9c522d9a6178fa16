/* Answers of the page's own calls: JSON text in memory, which JavaScript reads before it calls again. */
#ifndef BINADE_PAGE_ANSWER_H
#define BINADE_PAGE_ANSWER_H

#include "store/json_writer.h"

#ifdef __wasm__
#define EXPORTED(name) __attribute__((export_name(#name), used)) name
#else
#define EXPORTED(name) name
#endif

/* Forgets the last answer and begins another. */
bnd_lab_json *answer_begin(void);
/* The answer, which ends with a 0 byte. It stays until the next one begins. */
const char *answer_end(void);
/* {"error": "..."} in place of whatever was begun. */
const char *answer_error(const char *message);

/* Members that are numbers: the shortest decimal of a double, null where it is not finite; and the digits of a number
 * for people, as a string. */
void answer_double(bnd_lab_json *json, const char *key, double x);
void answer_digits(bnd_lab_json *json, const char *key, double x, int digits);

/* The next word of a list separated by commas, with a final 0 byte in `word`; false at the end of the list, and with
 * *length too large where it does not fit. */
bool answer_next_word(const char **list, char *word, size_t size, size_t *length);

#endif
