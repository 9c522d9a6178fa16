/* What `binade help` prints: the list of commands, man pages, completion scripts. */
#ifndef BINADE_TOOLS_HELP_H
#define BINADE_TOOLS_HELP_H

#include "common/command.h"

/* What a man page has beside the rows of its command: doc/man/PAGE.text, which tools/binade/help/texts.awk makes
 * man_text.c of. Paragraphs are lines; of the page binade, sections in roff follow them. */
extern const struct man_text {
    const char *page, *text;
} man_texts[];                          /* ends with NULL */
const char *man_text(const char *page); /* "": it has none */

void print_overview(FILE *out);
int print_roff(const command *self, const char *name);
int print_completion(const command *self, const char *shell); /* bash, zsh or fish */

#endif
