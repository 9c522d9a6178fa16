/* The state of the expression parser: the cursor, the terms so far, and what its files share. */
#ifndef BINADE_SRC_READER_H
#define BINADE_SRC_READER_H

#include "base/base.h"
#include <binade-lab/calc.h>

typedef struct bndi_reader {
    const char *text;
    size_t length, at;
    const bnd_format *format; /* NULL: nothing is rounded, only the value is wanted */
    bnd_term *terms;
    size_t capacity, count;
    unsigned depth;
    uint64_t additions; /* of all sums so far */
    bnd_error *why;
} bndi_reader;

/* ---- characters ---- */

char bndi_peek_at(const bndi_reader *r, size_t at); /* what it means in a formula: bndi_symbol */
char bndi_peek(bndi_reader *r);                     /* of the next character that is not blank; a 0 byte at the end */
void bndi_advance(bndi_reader *r);                  /* behind the character at the cursor */
bool bndi_is_digit(char c);
bool bndi_is_letter(char c);
size_t bndi_word_length(const bndi_reader *r); /* of the name at the cursor, or 0 */

/* ---- refusals ---- */

size_t bndi_column_of(const bndi_reader *r, size_t at);
bnd_status bndi_refuse_at(const bndi_reader *r, size_t at, const char *hint);
/* "column 3, 'part': message" */
bnd_status bndi_refuse_part(const bndi_reader *r, size_t at, size_t length, const char *message);
/* One more thing inside another; left by r->depth--. */
BND_CHECKED bnd_status bndi_enter_expression(bndi_reader *r, size_t at);

/* ---- terms ---- */

BND_CHECKED bnd_status bndi_add_term(bndi_reader *r, size_t *out, const bnd_term *term);
BND_CHECKED bnd_status bndi_add_operation(bndi_reader *r, size_t *out, bnd_operation operation, size_t from,
                                          size_t length, const size_t *operand);
BND_CHECKED bnd_status bndi_add_number(bndi_reader *r, size_t *out, size_t length, bool negative);
size_t bndi_number_length(const bndi_reader *r); /* of the number at the cursor, or 0 */

/* FORMAT:0x.. or FORMAT:0b.., the colon `name` bytes ahead. */
BND_CHECKED bnd_status bndi_read_code(bndi_reader *r, size_t *out, size_t name);
/* [-+]digits, from `least` to `most`, between which 0 is; `what` says in a message what is wanted. */
BND_CHECKED bnd_status bndi_read_integer(bndi_reader *r, int64_t *out, int64_t least, int64_t most, const char *what);
/* NAME(operands): an operation, sum(x, n), or a format, which rounds. */
BND_CHECKED bnd_status bndi_read_call(bndi_reader *r, size_t *out, size_t name);
BND_CHECKED bnd_status bndi_read_sum(bndi_reader *r, size_t *out);

/* The constants that have a name. */
typedef enum bndi_constant { BNDI_NO_CONSTANT, BNDI_CONSTANT_PI, BNDI_CONSTANT_E } bndi_constant;
bndi_constant bndi_constant_named(const char *text, size_t length); /* "pi", U+03C0, "e" */

#endif
