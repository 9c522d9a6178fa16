/* What `binade help` prints: the list of commands, man pages, completion scripts. */
#ifndef BINADE_TOOLS_HELP_H
#define BINADE_TOOLS_HELP_H

#include "common/command.h"

/* What a man page says in addition to the rows of its command: doc/man/PAGE.text, from which
 * tools/binade/help/texts.awk makes man_text.c. page.c explains the lines. */
extern const struct man_text {
    const char *page, *text;
} man_texts[];                          /* ends with NULL */
const char *man_text(const char *page); /* "": it has none */

const char *group_name(enum command_group group);
void print_overview(FILE *out);
void print_full(const command *c);     /* --help, and what the man page says */
void print_examples(const command *c); /* "# what", and the command line */
int print_roff(const command *self, const char *name);
int print_completion(const command *self, const char *shell); /* bash, zsh or fish */

#endif
