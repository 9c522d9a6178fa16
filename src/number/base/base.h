/* Internal interface of base: text built into a caller's buffer, UTF-8 characters, and the edit distance of two
 * names. */
#ifndef BINADE_SRC_BASE_H
#define BINADE_SRC_BASE_H

#include <binade/base.h>

/* Text in a buffer of fixed size. `length` is the length of the whole text; the buffer holds its beginning and, if size
 * > 0, always a final 0 byte, as with snprintf. */
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

/* 'A' .. 'Z' in lower case, independent of the locale; every other character unchanged. */
char bndi_lower(char c);

/* Equal if case is ignored. In the second form, `b` ends with a 0 byte. */
bool bndi_same(const char *a, size_t a_length, const char *b, size_t b_length);
bool bndi_same_word(const char *a, size_t a_length, const char *b);

/* The next word of a list separated by blanks; advances *list; *length is 0 at its end. */
const char *bndi_next_word(const char **list, size_t *length);

/* ---- characters of UTF-8 ---- */

/* Length in bytes of the character at `text`, which has `left` bytes left, at least one; 0 if it is malformed. */
size_t bndi_code_point(const char *text, size_t left, uint32_t *point);

/* Length in bytes of the character at `text`, which has `left` bytes left; 0 if it is missing, malformed or not
 * printable. */
size_t bndi_character(const char *text, size_t left);

/* The column of the byte `at`, counted in characters from 1. */
size_t bndi_column_at(const char *text, size_t length, size_t at);

/* What the character at `text` means in a formula, and its bytes: an ASCII character itself; a minus sign (U+2212) '-';
 * times and dot '*'; divided by '/'; blanks that do not break ' '; or one of these. Returns a 0 byte at the end of the
 * text. */
#define BNDI_PI          ((char)-1)
#define BNDI_ROOT        ((char)-2)
#define BNDI_SUPERSCRIPT ((char)-3)
#define BNDI_OTHER       ((char)-4)
char bndi_symbol(const char *text, size_t left, size_t *length);

/* The digit or sign of a superscript character, and its length in bytes; a 0 byte for any other character. */
char bndi_superscript(const char *text, size_t left, size_t *length);

/* "column 3: unexpected 'x'; HINT", or "column 9: unexpected end of the WHAT; HINT". */
bnd_status bndi_refuse_character(bnd_error *why, const char *text, size_t length, size_t at, const char *what,
                                 const char *hint);

/* ---- names ---- */

/* How many insertions, deletions, replacements and swaps of neighbours lead from one name to the other, case ignored.
 * Names longer than 63 bytes are infinitely far from everything. */
unsigned bndi_name_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Keeps the three names nearest to the requested one, for an error message: first the names that begin with it, then by
 * distance. Equally near names keep the order in which they were offered. */
typedef struct bndi_nearest {
    const char *asked;
    size_t asked_length;
    unsigned distances[3];
    char names[3][64];
    unsigned count;
} bndi_nearest;

bndi_nearest bndi_nearest_to(const char *asked, size_t length);
void bndi_nearest_offer(bndi_nearest *nearest, const char *name, size_t length);

/* Fails with `what` and the requested name, then "; did you mean x, y or z?" if a name is near, then `hint` if it is
 * not NULL. */
bnd_status bndi_nearest_fail(const bndi_nearest *nearest, bnd_error *why, bnd_status status, const char *what,
                             const char *hint);

#endif
