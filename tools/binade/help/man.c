/* Man pages, from the rows of the commands and their options. */
#include "help.h"
#include "common/print.h"

#include <stdlib.h>
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

/* Text for roff: hyphens that must stay hyphens, backslashes, lines that must not start with a control character. */
static void put_roff(const char *text)
{
    for (bool line_start = true; *text != '\0'; text++) {
        if (*text == '\n') {
            text += strspn(text, "\n") - 1;
            fputs("\n.PP\n", stdout);
            line_start = true;
            continue;
        }
        if (line_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        line_start = false;
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
    putchar('\n');
}

static void put_title(const char *page, const char *what)
{
    printf(".TH %s 1 \"\" \"binade %s\" \"User Commands\"\n.SH NAME\n", page, PACKAGE_VERSION);
    put_roff(what);
}

static void roff_overview(void)
{
    put_title("BINADE", "binade - a floating-point format laboratory");
    printf(".SH SYNOPSIS\n.B binade\n.I COMMAND\n[\\fIOPTION\\fR...] ...\n.SH DESCRIPTION\n");
    const char *text = man_text("binade"), *sections = strstr(text, "\n\n.SH ");
    char *description = format_text("%.*s", (int)(sections - text), text);
    put_roff(description);
    free(description);
    printf(".SH COMMANDS\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf(".TP\n.BR binade\\-%s (1)\n", commands[i]->name);
        put_roff(commands[i]->summary);
    }
    fputs(sections + 2, stdout);
}

static void roff_command(const command *c)
{
    char upper[32];
    size_t i = 0;
    for (; c->name[i] != '\0' && i < sizeof upper - 1; i++) {
        upper[i] = (char)(c->name[i] >= 'a' && c->name[i] <= 'z' ? c->name[i] - 'a' + 'A' : c->name[i]);
    }
    upper[i] = '\0';
    printf(".TH BINADE\\-%s 1 \"\" \"binade %s\" \"User Commands\"\n.SH NAME\nbinade\\-%s \\- ", upper, PACKAGE_VERSION,
           c->name);
    put_roff(c->summary);
    printf(".SH SYNOPSIS\n.B binade %s\n[\\fIOPTION\\fR...]\n", c->name);
    if (c->operands[0] != '\0') {
        put_roff(c->operands);
    }
    printf(".SH DESCRIPTION\n");
    put_roff(c->about);
    if (man_text(c->name)[0] != '\0') {
        printf(".PP\n");
        put_roff(man_text(c->name));
    }
    printf(".SH OPTIONS\n");
    const option_row *row;
    for (size_t o = 0; (row = option_at(c, o)) != NULL; o++) {
        printf(".TP\n");
        if (row->letter != 0) {
            printf("\\fB\\-%c\\fR, ", row->letter);
        }
        printf("\\fB\\-\\-%s\\fR%s%s%s\n", row->name, row->argument != NULL ? " \\fI" : "",
               row->argument != NULL ? row->argument : "", row->argument != NULL ? "\\fR" : "");
        put_roff(row->help);
    }
    printf(".SH EXAMPLE\n.nf\n");
    put_roff(c->example);
    printf(".fi\n.SH SEE ALSO\n.BR binade (1)\n");
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
