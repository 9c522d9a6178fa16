/* VALUE as the command line takes it: a number, or a code as FORMAT:0xHEX or FORMAT:0bBITS. */
#ifndef BINADE_TOOLS_VALUE_H
#define BINADE_TOOLS_VALUE_H

#include "command.h"

typedef struct given {
    const char *input; /* as it was written; the caller keeps it */
    char *number;      /* text of the exact number, for exact differences; NULL where it is not finite */
    bnd_exact exact;
    bool is_code; /* then of this format: */
    bnd_format format;
    uint64_t code;
} given;

int read_value(given *out, const settings *s, const char *word);
void clear_value(given *v);

/* Calls `each` for every value: the operands, and a word at a time of standard input where an operand is "-". Stops at
 * the first status that is not GO_ON. */
int for_each_value(const settings *s, int (*each)(void *state, const given *v, size_t index), void *state);

#endif
