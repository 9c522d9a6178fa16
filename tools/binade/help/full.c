/* `binade help --full`: the text of a man page as plain text. */
#include "page.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, TERM_AT = 8 };

static bool is_tight(enum piece before, enum piece piece)
{
    bool alike = piece == before && (piece == PIECE_TERM || piece == PIECE_VERBATIM);
    bool shown = piece == PIECE_VERBATIM && before == PIECE_PARAGRAPH;
    return alike || shown || before == PIECE_SECTION || before == PIECE_SUBSECTION;
}

static void put_term(const char *term, size_t length)
{
    bool own_line = INDENT + length + 2 > TERM_AT;
    printf("%*s%.*s%s", INDENT, "", (int)length, term, own_line ? "\n" : "");
    printf("%*s", own_line ? TERM_AT : TERM_AT - INDENT - (int)length, "");
}

static void put_plain_piece(pen *p, enum piece piece, const char *term, size_t term_length, const char *text,
                            size_t length)
{
    char *words = format_text("%.*s", (int)length, text);
    fputs(is_tight(p->before, piece) ? "" : "\n", stdout);
    switch (piece) {
    case PIECE_SECTION:
        printf("%s:\n", words);
        break;
    case PIECE_SUBSECTION:
        printf("%*s%s:\n", INDENT, "", words);
        break;
    case PIECE_PARAGRAPH:
        printf("%*s", INDENT, "");
        fill_text(words, INDENT, INDENT);
        break;
    case PIECE_TERM:
        put_term(term, term_length);
        fill_text(words, TERM_AT, TERM_AT);
        break;
    case PIECE_VERBATIM:
        printf("%*s%s\n", 2 * INDENT, "", words);
        break;
    }
    free(words);
}

/* Before the options nothing is indented. */
static void put_flush_left(pen *p, enum piece piece, const char *term, size_t term_length, const char *text,
                           size_t length)
{
    if (piece != PIECE_PARAGRAPH) {
        put_plain_piece(p, piece, term, term_length, text, length);
        return;
    }
    char *words = format_text("%.*s", (int)length, text);
    putchar('\n');
    fill_text(words, 0, 0);
    free(words);
}

void print_full(const command *c)
{
    pen left = {put_flush_left, PIECE_PARAGRAPH}, p = {put_plain_piece, PIECE_TERM};
    print_usage(c);
    page_description(c->name, &left);
    print_options(c, true);
    page_sections(c->name, &p);
    page_exit_status(c, &p);
    page_environment(c, &p);
    page_examples(c, &p);
    char *page = page_see_also(c, 0), *list = format_text("see also: %s", page);
    for (size_t at = 1; page != NULL; at++) {
        free(page);
        page = page_see_also(c, at);
        if (page != NULL) {
            char *longer = format_text("%s, %s", list, page);
            free(list);
            list = longer;
        }
    }
    putchar('\n');
    fill_text(list, 0, 0);
    free(list);
}

void print_examples(const command *c)
{
    for (const command_example *e = c->examples; e->line != NULL; e++) {
        printf("# %s\n%s\n", e->what, e->line);
    }
}
