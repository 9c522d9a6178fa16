/* What `binade help` prints: the list of commands, man pages, completion scripts. */
#ifndef BINADE_TOOLS_HELP_H
#define BINADE_TOOLS_HELP_H

#include "common/command.h"

void print_overview(FILE *out);
int print_roff(const command *self, const char *name);
int print_completion(const command *self, const char *shell); /* bash, zsh or fish */

#endif
