/* What base offers to the library alone: text built into a caller's buffer, and the distance of two names. */
#ifndef BINADE_SRC_BASE_H
#define BINADE_SRC_BASE_H

#include <binade/base.h>

/* Text in a buffer of fixed size. `length` is what the whole text has; the buffer holds its beginning and always a
 * final 0 byte (where size > 0), as snprintf does it. */
typedef struct bndi_text {
    char *out;
    size_t size, length;
} bndi_text;

bndi_text bndi_text_in(char *out, size_t size);
void bndi_text_char(bndi_text *text, char c);
void bndi_text_bytes(bndi_text *text, const char *bytes, size_t length);
void bndi_text_string(bndi_text *text, const char *string);
void bndi_text_unsigned(bndi_text *text, uint64_t value, unsigned base, unsigned least_digits);
void bndi_text_signed(bndi_text *text, int64_t value);

size_t bndi_length(const char *string);

/* 'A' .. 'Z' become lower case whatever the locale; everything else stays. */
char bndi_lower(char c);

/* Equal but for case; the second form's `b` ends with a 0 byte. */
bool bndi_same(const char *a, size_t a_length, const char *b, size_t b_length);
bool bndi_same_word(const char *a, size_t a_length, const char *b);

/* The next word of a list separated by blanks; advances *list; *length is 0 at its end. */
const char *bndi_next_word(const char **list, size_t *length);

/* ---- characters of UTF-8 ---- */

/* The bytes of the character at `text`, of which `left` bytes are there; 0 where there is none that can be printed. */
size_t bndi_character(const char *text, size_t left);

/* The column of the byte `at`, counted in characters from 1. */
size_t bndi_column_at(const char *text, size_t length, size_t at);

/* What the character at `text` means in a formula, and its bytes: an ASCII character itself; a minus sign (U+2212) '-';
 * times and dot '*'; divided by '/'; blanks that do not break ' '; or one of these. A 0 byte where nothing is left. */
#define BNDI_PI          ((char)-1)
#define BNDI_ROOT        ((char)-2)
#define BNDI_SUPERSCRIPT ((char)-3)
#define BNDI_OTHER       ((char)-4)
char bndi_symbol(const char *text, size_t left, size_t *length);

/* The digit or sign that a raised character stands for, and its bytes; a 0 byte where it is another character. */
char bndi_superscript(const char *text, size_t left, size_t *length);

/* "column 3: 'x' cannot stand here; HINT", or "column 9: the WHAT ends here; HINT". */
bnd_status bndi_refuse_character(bnd_error *why, const char *text, size_t length, size_t at, const char *what,
                                 const char *hint);

/* ---- names ---- */

/* How many insertions, deletions, replacements and swaps of neighbours lead from one name to the other, case ignored.
 * Names longer than 63 bytes are infinitely far from everything. */
unsigned bndi_name_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Keeps the three names nearest to what was asked for, for an error message: first those that begin with it, then by
 * distance; equal ones in the order in which they are offered. */
typedef struct bndi_nearest {
    const char *asked;
    size_t asked_length;
    unsigned distances[3];
    char names[3][64];
    unsigned count;
} bndi_nearest;

bndi_nearest bndi_nearest_to(const char *asked, size_t length);
void bndi_nearest_offer(bndi_nearest *nearest, const char *name, size_t length);

/* Fails with `what` and the name that was asked for, then "; did you mean x, y or z?" where something is near, then
 * `hint` where it is not NULL. */
bnd_status bndi_nearest_fail(const bndi_nearest *nearest, bnd_error *why, bnd_status status, const char *what,
                             const char *hint);

#endif
