/* VALUE on the command line: a number, an expression of numbers (1/3, 2^-24, pi), or a code as FORMAT:0xHEX or
 * FORMAT:0bBITS. */
#ifndef BINADE_TOOLS_VALUE_H
#define BINADE_TOOLS_VALUE_H

#include "common/command.h"

typedef struct given {
    const char *input; /* as it was written; the caller keeps it */
    /* The exact number, for exact differences: as it was written, or the value of an expression where that is not
     * NULL. */
    bnd_number number;
    bnd_real *real;
    bool opposite;   /* the value is minus `real` */
    bnd_exact exact; /* its leading bits */
    bool is_code;    /* then of this format: */
    bnd_format format;
    uint64_t code;
} given;

/* `place` says where the word is, for messages: "", or "standard input, word 2: ". */
int read_value(given *out, const settings *s, const char *word, size_t length, const char *place);
void clear_value(given *v);

/* The value in a format's values. A code that is subnormal in its own format counts as zero where the rule flushes on
 * input; a number as it is written has no format of its own. */
bnd_rounded round_given(const given *v, const bnd_format *f, bnd_rule rule, uint64_t random);

/* ---- how far a finite value is from the given number ---- */

bool is_given_finite(const given *v);
/* value - number, exactly (of an endless one the first digits); NULL where it takes more than 100,000 digits. */
char *error_from_given(const given *v, bnd_exact value, bool plain);
/* The same in positive units, and relative to the number. False where that is not known. */
bool units_from_given(double *out, const given *v, bnd_exact value, bnd_exact unit);
bool relative_to_given(double *out, const given *v, bnd_exact value);
/* The number without its sign; it shares the memory of `v`. */
given given_magnitude(const given *v);

/* Calls `each` for every value: the operands, which are all read first, and a word at a time of standard input where an
 * operand is "-". Stops at the first status that is not GO_ON, and where standard output cannot be written. */
int for_each_value(const settings *s, int (*each)(void *state, const given *v, size_t index), void *state);

#endif
