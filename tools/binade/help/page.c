/* The walk of a manual page. The texts come from doc/man/PAGE.text, a piece per line: "# Section", "## Subsection",
 * "- term: text", four blanks before a line that stays as it is, and paragraphs. */
#include "page.h"
#include "common/print.h"

#include <string.h>

const char *man_text(const char *page)
{
    for (const struct man_text *text = man_texts; text->page != NULL; text++) {
        if (strcmp(text->page, page) == 0) {
            return text->text;
        }
    }
    return "";
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void put_piece(pen *p, enum piece piece, const char *term, size_t term_length, const char *text, size_t length)
{
    p->put(p, piece, term, term_length, text, length);
    p->before = piece;
}

static void put_line(const char *line, size_t length, pen *p)
{
    const char *colon = strstr(line, ": ");
    if (begins(line, "# ")) {
        put_piece(p, PIECE_SECTION, "", 0, line + 2, length - 2);
    } else if (begins(line, "## ")) {
        put_piece(p, PIECE_SUBSECTION, "", 0, line + 3, length - 3);
    } else if (begins(line, "    ")) {
        put_piece(p, PIECE_VERBATIM, "", 0, line + 4, length - 4);
    } else if (begins(line, "- ") && colon != NULL && colon < line + length) {
        put_piece(p, PIECE_TERM, line + 2, (size_t)(colon - line) - 2, colon + 2, length - (size_t)(colon + 2 - line));
    } else {
        put_piece(p, PIECE_PARAGRAPH, "", 0, line, length);
    }
}

/* The lines of a text, from its first section on or up to it. */
static void put_lines(const char *page, bool sections, pen *p)
{
    bool in_section = false;
    for (const char *line = man_text(page); *line != '\0';) {
        size_t length = strcspn(line, "\n");
        in_section = in_section || begins(line, "# ");
        if (in_section == sections) {
            put_line(line, length, p);
        }
        line += length + (line[length] == '\n');
    }
}

void page_description(const char *page, pen *p)
{
    put_lines(page, false, p);
}

void page_sections(const char *page, pen *p)
{
    put_lines(page, true, p);
}

static void put_text(pen *p, enum piece piece, const char *term, const char *text)
{
    put_piece(p, piece, term, strlen(term), text, strlen(text));
}

void page_exit_status(const command *c, pen *p)
{
    put_text(p, PIECE_SECTION, "", "exit status");
    put_text(p, PIECE_TERM, "0", "success");
    if (c == NULL || c->exit_one != NULL) {
        put_text(p, PIECE_TERM, "1", c == NULL ? "a check found a difference" : c->exit_one);
    }
    put_text(p, PIECE_TERM, "2", "wrong usage or wrong input");
    put_text(p, PIECE_TERM, "3", "a file could not be read or written, or memory ran out");
}

/* ---- environment ---- */

enum { READS_COLOUR = 1 << 16, READS_WAITING = 1 << 17, READS_LIBRARY = 1 << 18 }; /* that no row has to name */

static const struct variable {
    unsigned bit;
    const char *name, *text;
} variables[] = {
    {READS_COLOUR, "NO_COLOR", "If set and not empty, the output has no colours, unless --color always is given."},
    {READS_COLUMNS, "COLUMNS", "Width of the output. Without it: the width of the terminal, otherwise 80."},
    {READS_LOCALE, "LC_ALL, LC_CTYPE, LANG", "If the first that is set names UTF-8, charts use block characters."},
    {READS_BACKEND, "BINADE_BACKEND",
     "Kernels for arrays: best, portable, avx2, avx512, neon or wasm128 (default best). Every back end gives the same "
     "bits."},
    {READS_THREADS, "BINADE_THREADS",
     "Number of cores for arrays where --threads does not give it, from 1 to 1024 (default all)."},
    {READS_WAITING, "OMP_WAIT_POLICY, GOMP_SPINCOUNT",
     "How waiting threads wait. If neither is set, the command restarts itself with passive and 2000, so that waiting "
     "threads leave the cores to other programs."},
    {READS_TORCH, "BINADE_TORCH", "Python script that measures PyTorch; 'make bench' sets it."},
    {READS_PAGE, "BINADE_PAGE",
     "The path of the page, or its address on a server. Without it: the page of the build folder if the program runs "
     "there, otherwise the installed one."},
    {READS_LIBRARY, "BINADE_LIBRARY", "For the Python module: the path of libbinade."},
};

static bool has_option(const command *c, const option_row *wanted)
{
    const option_row *row;
    for (size_t i = 0; (row = option_at(c, i)) != NULL; i++) {
        if (row == wanted) {
            return true;
        }
    }
    return false;
}

void page_environment(const command *c, pen *p)
{
    unsigned read = c == NULL ? ~0u : c->environment;
    if (c != NULL) {
        read |= has_option(c, &row_color) ? (unsigned)READS_COLOUR : 0;
        read |= c->trains ? (unsigned)READS_WAITING : 0;
    }
    for (size_t i = 0, count = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if ((read & variables[i].bit) != 0) {
            if (count++ == 0) {
                put_text(p, PIECE_SECTION, "", "environment");
            }
            put_text(p, PIECE_TERM, variables[i].name, variables[i].text);
        }
    }
}

/* ---- examples, other pages ---- */

void page_examples(const command *c, pen *p)
{
    put_text(p, PIECE_SECTION, "", "examples");
    for (const command_example *e = c->examples; e->line != NULL; e++) {
        put_text(p, PIECE_PARAGRAPH, "", e->what);
        put_text(p, PIECE_VERBATIM, "", e->line);
    }
}

char *page_see_also(const command *c, size_t at)
{
    const char *word = c->see_also != NULL ? c->see_also : "";
    if (at == 0) {
        return copy_text("binade(1)");
    }
    while (--at > 0 && *word != '\0') {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    int length = (int)strcspn(word, " ");
    return length == 0                                 ? NULL
           : memchr(word, '(', (size_t)length) != NULL ? format_text("%.*s", length, word)
                                                       : format_text("binade-%.*s(1)", length, word);
}
