/* A manual page as pieces: one walk, which man.c writes as roff and full.c as plain text. */
#ifndef BINADE_TOOLS_PAGE_H
#define BINADE_TOOLS_PAGE_H

#include "help.h"

enum piece {
    PIECE_SECTION,    /* its heading */
    PIECE_SUBSECTION, /* its heading */
    PIECE_PARAGRAPH,
    PIECE_TERM,    /* a word, and what it means */
    PIECE_VERBATIM /* a line as it is */
};

/* Writes a piece. `length` bytes of `text` count; `term` is for PIECE_TERM. */
typedef struct pen pen;
struct pen {
    void (*put)(pen *p, enum piece piece, const char *term, size_t term_length, const char *text, size_t length);
    enum piece before; /* for `put`: the piece that was written last */
};

/* What the text of a page says before its first section, and its sections. */
void page_description(const char *page, pen *p);
void page_sections(const char *page, pen *p);

/* The sections that follow from the command's row: exit status, environment, examples. */
void page_exit_status(const command *c, pen *p); /* NULL: the program's */
void page_environment(const command *c, pen *p); /* NULL: every variable */
void page_examples(const command *c, pen *p);
/* The at-th other page to see, as "binade-show(1)", to be freed; NULL after the last. */
char *page_see_also(const command *c, size_t at);

#endif
