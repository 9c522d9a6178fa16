/* Man pages, from the rows of the commands and their options. */
#include "page.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

/* The day on which the texts of this version were last looked through; the date of the version once it is released
 * (tools/dev/check-version compares). The pages of section 3 have it too. */
static const char page_date[] = "2026-11-22";

/* Text for roff: hyphens that must stay hyphens, backslashes, lines that must not start with a control character. */
static void put_roff(const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\'')) {
        fputs("\\&", stdout);
    }
    for (const char *end = text + length; text < end; text++) {
        if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '\'') {
            fputs("\\(aq", stdout);
        } else {
            putchar(*text);
        }
    }
}

static void put_capitals(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        putchar(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
    }
}

static void put_roff_piece(pen *p, enum piece piece, const char *term, size_t term_length, const char *text,
                           size_t length)
{
    switch (piece) {
    case PIECE_SECTION:
        printf(".SH ");
        put_capitals(text, length);
        break;
    case PIECE_SUBSECTION:
        printf(".SS ");
        put_roff(text, length);
        break;
    case PIECE_PARAGRAPH:
        fputs(p->before == PIECE_SECTION || p->before == PIECE_SUBSECTION ? "" : ".PP\n", stdout);
        put_roff(text, length);
        break;
    case PIECE_TERM:
        printf(".TP\n\\fB");
        put_roff(term, term_length);
        printf("\\fR\n");
        put_roff(text, length);
        break;
    case PIECE_VERBATIM:
        printf(".RS 4\n.nf\n");
        put_roff(text, length);
        printf("\n.fi\n.RE");
        break;
    }
    putchar('\n');
}

static void put_line(const char *text)
{
    put_roff(text, strlen(text));
    putchar('\n');
}

static void put_title(const char *name, const char *summary)
{
    printf(".TH BINADE");
    if (name != NULL) {
        printf("\\-");
        put_capitals(name, strlen(name));
    }
    printf(" 1 \"%s\" \"binade %s\" \"User Commands\"\n.SH NAME\nbinade%s%s \\- ", page_date, PACKAGE_VERSION,
           name != NULL ? "\\-" : "", name != NULL ? name : "");
    put_line(summary);
}

static void put_reference(const char *page, bool last)
{
    size_t name = strcspn(page, "(");
    printf(".BR ");
    put_roff(page, name);
    printf(" %s%s\n", page + name, last ? "" : ",");
}

static void roff_overview(void)
{
    pen p = {put_roff_piece, PIECE_SECTION};
    put_title(NULL, "a floating-point format laboratory");
    printf(".SH SYNOPSIS\n.B binade\n.I COMMAND\n[\\fIOPTION\\fR...] ...\n.br\n.B binade help\n[\\fICOMMAND\\fR...]\n"
           ".SH DESCRIPTION\n");
    page_description("binade", &p);
    printf(".SH COMMANDS\n");
    for (enum command_group group = 0; group < COMMAND_GROUPS; group++) {
        bool first = true;
        for (size_t i = 0; commands[i] != NULL; i++) {
            if (commands[i]->group != group) {
                continue;
            }
            if (first) {
                printf(".SS %s\n", group_name(group));
                first = false;
            }
            printf(".TP\n.BR binade\\-%s (1)\n", commands[i]->name);
            put_line(commands[i]->summary);
        }
    }
    page_exit_status(NULL, &p);
    page_sections("binade", &p);
    page_environment(NULL, &p);
    printf(".SH SEE ALSO\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf(".BR binade\\-%s (1),\n", commands[i]->name);
    }
    put_reference("bnd_base(3)", true);
}

static void roff_options(const command *c)
{
    printf(".SH OPTIONS\n");
    const option_row *row;
    for (size_t o = 0; (row = option_at(c, o)) != NULL; o++) {
        printf(".TP\n");
        if (row->letter != 0) {
            printf("\\fB\\-%c\\fR, ", row->letter);
        }
        printf("\\fB\\-\\-%s\\fR%s%s%s\n", row->name, row->argument != NULL ? " \\fI" : "",
               row->argument != NULL ? row->argument : "", row->argument != NULL ? "\\fR" : "");
        put_line(row->help);
    }
}

static void roff_about(const char *about, pen *p)
{
    for (;;) {
        size_t length = strcspn(about, "\n");
        put_roff_piece(p, PIECE_PARAGRAPH, "", 0, about, length);
        p->before = PIECE_PARAGRAPH;
        if (about[length] == '\0') {
            return;
        }
        about += length + strspn(about + length, "\n");
    }
}

static void roff_command(const command *c)
{
    pen p = {put_roff_piece, PIECE_SECTION};
    put_title(c->name, c->summary);
    printf(".SH SYNOPSIS\n.B binade %s\n[\\fIOPTION\\fR...]\n", c->name);
    if (c->operands[0] != '\0') {
        put_line(c->operands);
    }
    printf(".SH DESCRIPTION\n");
    roff_about(c->about, &p);
    page_description(c->name, &p);
    roff_options(c);
    page_sections(c->name, &p);
    page_exit_status(c, &p);
    page_environment(c, &p);
    page_examples(c, &p);
    printf(".SH SEE ALSO\n");
    char *page = page_see_also(c, 0);
    for (size_t at = 1; page != NULL; at++) {
        char *next = page_see_also(c, at);
        put_reference(page, next == NULL);
        free(page);
        page = next;
    }
}

int print_roff(const command *self, const char *name)
{
    if (strcmp(name, "binade") == 0) {
        roff_overview();
        return FINE;
    }
    const command *c = find_command(name);
    if (c == NULL) {
        return complain(self, "unknown command '%s'", name);
    }
    if (strcmp(name, c->name) != 0) {
        printf(".so man1/binade-%s.1\n", c->name);
    } else {
        roff_command(c);
    }
    return FINE;
}
