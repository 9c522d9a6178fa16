/* Pieces of the text of a recipe, and errors that say where in it they are. */
#ifndef BINADE_SRC_RECIPE_PIECES_H
#define BINADE_SRC_RECIPE_PIECES_H

#include "policy/policy.h"

typedef struct bndi_words {
    const char *text;
    size_t length;
} bndi_words;

typedef struct bndi_recipe_reader {
    const char *whole; /* for offsets */
    bnd_error *why;
} bndi_recipe_reader;

bool bndi_words_is(bndi_words p, const char *word);

/* Returns the text before the first `c` and sets *rest to the text after it. Without a `c`: returns everything, and
 * sets rest->text to NULL. */
bndi_words bndi_words_cut(bndi_words *rest, char c);

/* The piece as a string; false, and nothing written, if it needs more than `size` bytes. */
bool bndi_words_copy(char *out, size_t size, bndi_words p);

/* Parses a whole number below 2^53; false if it is not one. */
bool bndi_words_number(double *out, bndi_words p);

/* Parses a finite number, as bnd_parse does; false if it is not one. */
bool bndi_words_real(double *out, bndi_words p);

/* Reports what is wrong with the piece; returns BND_BAD_SYNTAX. */
bnd_status bndi_recipe_refuse(const bndi_recipe_reader *r, bndi_words at, const char *what);

/* Reports an error of a function that parsed a copy of the piece: its offset counts from the piece. */
bnd_status bndi_recipe_within(const bndi_recipe_reader *r, bndi_words at, bnd_status status);

/* [transient:|requantized:]FORMAT[:MODE][:clamp][/SCALING][/hadamard[:N]], or none. */
bnd_status bndi_recipe_cast(const bndi_recipe_reader *r, bnd_cast *out, bndi_words value);

#endif
