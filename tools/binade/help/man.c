/* Man pages, from the rows of the commands and their options. */
#include "help.h"

#include <string.h>

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
    put_roff(
        "Shows what a number becomes in fp32, fp16, bf16, fp8 and every other format: the bits, the value, the error, "
        "the flags, and why.\n\nA word that starts with - and then a digit, '.', 'inf' or 'nan' is a value, not an "
        "option. -- ends the options.");
    printf(".SH COMMANDS\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf(".TP\n.BR binade\\-%s (1)\n", commands[i]->name);
        put_roff(commands[i]->summary);
    }
    printf(".SH EXIT STATUS\n.TP\n0\nfine\n.TP\n1\nwhat was checked does not hold\n.TP\n2\nbad usage or bad "
           "input\n.TP\n3\n"
           "input or output failed\n.TP\n130, 143, 129\nSIGINT (ctrl-C), SIGTERM or SIGHUP ended it. No "
           "partial file stays behind; what train and sweep have written can be resumed\n.TP\n141\nthe reader of "
           "standard output closed it, as head does (SIGPIPE); nothing is printed. Where the caller ignores SIGPIPE: a "
           "message, and 3\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset and not empty: no colours\n"
           ".TP\n.B BINADE_BACKEND\nthe kernels for arrays: best, portable, avx2, avx512, neon or wasm128\n"
           ".TP\n.B BINADE_THREADS\nhow many cores to use for arrays where no option says it, from 1 to 1024\n"
           ".TP\n.B OMP_WAIT_POLICY, GOMP_SPINCOUNT\nwhat threads that wait do; where neither is set, train and sweep "
           "begin again with passive and 2000, so that threads that wait do not take cores from other programs\n");
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
    if (c->more[0] != '\0') {
        printf(".PP\n");
        put_roff(c->more);
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
