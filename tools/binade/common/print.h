/* Text, tables and colours on standard output. */
#ifndef BINADE_TOOLS_PRINT_H
#define BINADE_TOOLS_PRINT_H

#include "command.h"
#include "store/json_writer.h"

/* ---- texts in memory of their own, to be freed ---- */

char *copy_text(const char *text);
char *format_text(const char *format, ...) BND_PRINTF(1, 2);

/* A text that grows at its end. It begins as zeros; `text` is then to be freed. */
typedef struct long_text {
    char *text;
    size_t length, room;
} long_text;
void add_text(long_text *t, const char *format, ...) BND_PRINTF(2, 3);
void add_bytes(void *text, const char *bytes, size_t length); /* of a bnd_lab_json, too */

/* Writes a file, which has its name when it is complete; GO_ON, or the status to leave with. */
int save_text(const command *self, const char *path, const long_text *text);

/* The exact value: plain or exponent form as the library chooses, or plain however long. */
char *exact_text(bnd_exact value, bool plain);
/* The same for people: past 40 significant digits it ends in "...", unless `plain`. */
char *readable_text(bnd_exact value, bool plain);
char *shorten_text(char *text);        /* frees what it gets */
char *heading_text(const char *input); /* what was written, cut where it is long */
char *shortest_text(const bnd_format *f, bnd_exact value);
char *digits_text(bnd_exact value, int digits);
char *hex_text(bnd_exact value);
char *bits_text(const bnd_format *f, uint64_t code);
char *code_text(const bnd_format *f, uint64_t code);
char *double_text(double x);    /* the shortest that reads back, as JSON takes it; "null" where it is not finite */
char *rough_text(double x);     /* three digits */
char *bytes_text(double bytes); /* "3.60 MiB"; "-" if it is NaN */
/* The exact value where it is short, else enough digits to show a rounding: three more than tell the format's
 * numbers apart. */
char *brief_text(const bnd_format *f, bnd_exact value);
char *real_text(const bnd_real *x, bool plain);
char *flags_text(uint32_t flags);      /* "inexact underflow", or "" */
char *rounding_text(bnd_rule rule);    /* "rne", "sr:4" */
const char *flush_word(bnd_rule rule); /* "in-tiny": the argument of --flush */

/* 2^n for people where the value is a power of two ("2^-24"), otherwise NULL. */
char *power_text(bnd_exact value);

/* ---- JSON on standard output ---- */

void json_begin(bnd_lab_json *json);
void json_line_end(void);
void json_owned_string(bnd_lab_json *json, const char *key, char *text);  /* frees it; NULL is null */
void json_owned_literal(bnd_lab_json *json, const char *key, char *text); /* frees it */
void json_flags(bnd_lab_json *json, const char *key, uint32_t flags);

/* ---- colours ---- */

enum colour { PLAIN, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, BOLD, DIM };
void put_coloured(bool on, enum colour colour, const char *text);

/* ---- characters ---- */

bool writes_utf8(void);       /* what the environment says of the terminal */
void write_utf8_always(void); /* from here on: for a file that is always UTF-8 */
/* The bytes of the character at `text`, and its columns on a terminal; 0 if it is not printable. */
size_t character_at(const char *text, size_t *width);
size_t text_width(const char *text);  /* in columns */
bool is_plain_text(const char *text); /* without control characters, which would move the cursor or end a line */
void make_plain_text(char *text, size_t size); /* escapes them as \x1b, as in messages; truncates if there is no room */
unsigned page_width(void);                     /* COLUMNS, or the terminal's own, or 80 */
/* A line of text, broken at blanks where the page ends; what follows begins at `indent`. The cursor is at `at`.
 * Parts that three blanks separate are broken last; \n ends a line. */
void put_wrapped(const char *text, size_t indent, size_t at);

/* ---- tables: columns known, rows added cell by cell ---- */

typedef struct column {
    const char *key, *heading; /* key NULL: in the text for people only */
    bool number;               /* aligned to the right */
    bool literal;              /* JSON: not a string */
    bool words;                /* JSON: an array of the words */
    bool data_only;            /* not in the text for people */
    unsigned least_width;
} column;

typedef struct table {
    const column *columns;
    size_t column_count;
    enum output output;
    const char *key;          /* of the rows, in JSON */
    const char *input;        /* what it is about, for JSON; may be NULL */
    const struct table *also; /* a second table in the same object of JSON; may be NULL */
    bool brief;               /* a list on the screen: numbers take little room */
    size_t keys;              /* the columns that every page has, where not all fit side by side; 0 is 1 */
    enum colour (*tint)(const column *c, const char *cell); /* NULL: no colours */
    char **cells;                                           /* of the rows that are not printed yet */
    size_t count, capacity, last;
    size_t *widths;
    bnd_lab_json json;
    bool begun;
} table;

void table_add(table *t, char *owned_cell);
/* Prints and forgets the rows so far. The columns are fitted to those of the first call. False where standard output
 * cannot be written. */
bool table_flush(table *t);
/* The rest, and all memory. Text of which nothing was printed before is fitted to the page: columns that have no room
 * stand in a table of their own below, and text at the end is wrapped. */
void table_end(table *t);
void table_forget(table *t);  /* the rows so far, unprinted */
size_t table_width(table *t); /* of all columns side by side, for people */

#endif
