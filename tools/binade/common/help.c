/* --help, from the rows of the commands and their options. */
#include "command.h"

#include <string.h>

enum { PAGE = 80 };

/* Words filled into lines, each starting at `indent`; the cursor is at `column`. */
void fill_text(const char *text, int indent, int column)
{
    bool first = true;
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        bool paragraph = text[0] == '\n';
        if (paragraph) {
            printf("\n\n%*s", indent, "");
            column = indent;
            first = true;
            text += strspn(text, "\n");
            continue;
        }
        if (!first && column + 1 + length > PAGE) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", length, text);
        column += length + !first;
        first = false;
        text += length;
        text += *text == ' ';
    }
    putchar('\n');
}

static int print_option_name(const option_row *row)
{
    char letter[8] = "    ";
    if (row->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    }
    return printf("  %s--%s%s%s", letter, row->name, row->argument != NULL ? " " : "",
                  row->argument != NULL ? row->argument : "");
}

static void print_rare(const command *self)
{
    char text[512];
    const option_row *row;
    bool any = false;
    size_t at =
        (size_t)snprintf(text, sizeof text, "more options ('binade help --full %s' explains them):", self->name);
    for (size_t i = 0; (row = option_at(self, i)) != NULL && at < sizeof text; i++) {
        if (option_is_rare(self, i)) {
            int length = snprintf(text + at, sizeof text - at, " --%s", row->name);
            at += length > 0 ? (size_t)length : 0;
            any = true;
        }
    }
    if (any) {
        putchar('\n');
        fill_text(text, 0, 0);
    }
}

void print_usage(const command *self)
{
    printf("usage: binade %s [OPTION...]%s%s\n\n", self->name, self->operands[0] != '\0' ? " " : "", self->operands);
    fill_text(self->about, 0, 0);
}

void print_options(const command *self, bool all)
{
    printf("\noptions:\n");
    const option_row *row;
    for (size_t i = 0; (row = option_at(self, i)) != NULL; i++) {
        enum { TEXT_AT = 26 };
        if (!all && option_is_rare(self, i)) {
            continue;
        }
        int at = print_option_name(row);
        if (at + 2 > TEXT_AT) {
            putchar('\n');
            at = 0;
        }
        printf("%*s", TEXT_AT - at, "");
        fill_text(row->help, TEXT_AT, TEXT_AT);
    }
    if (!all) {
        print_rare(self);
    }
}

void print_help(const command *self)
{
    print_usage(self);
    print_options(self, false);
    printf("\nexample: %s\n", self->examples[0].line);
}
