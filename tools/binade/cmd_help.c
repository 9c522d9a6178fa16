/* binade help: the overview, or one command. */
#include "command.h"

enum { OPTION_ROFF = OPTION_OWN, OPTION_COMPLETION };

static const option_row row_roff = {OPTION_ROFF,       0, "roff", "PAGE", "a man page: a command's, or binade's",
                                    COMPLETES_NOTHING, ""};
static const option_row row_completion = {
    OPTION_COMPLETION, 0, "completion", "SHELL", "a completion script for bash, zsh or fish", COMPLETES_WORDS,
    "bash zsh fish"};

static int set_own(void *state, int id, const char *value)
{
    (void)state;
    return id == OPTION_ROFF ? print_roff(value) : print_completion(value);
}

static int run(const command *self, int argc, char **argv)
{
    settings s;
    int status = read_arguments(&s, self, argc, argv, set_own, NULL);
    if (status == GO_ON && s.operand_count == 0) {
        print_overview(stdout);
    }
    for (size_t i = 0; status == GO_ON && i < s.operand_count; i++) {
        const command *c = find_command(s.operands[i]);
        if (c == NULL) {
            status = complain(self, "unknown command '%s'; 'binade help' lists them", s.operands[i]);
        } else {
            print_help(c);
        }
    }
    clear_settings(&s);
    return status == GO_ON ? FINE : status;
}

static const option_row *const options[] = {&row_roff, &row_completion, &row_help, NULL};

const command command_help = {
    .name = "help",
    .summary = "what the commands do, or one of them",
    .operands = "[COMMAND...]",
    .first = COMPLETES_COMMANDS,
    .others = COMPLETES_COMMANDS,
    .about = "Prints the list of commands, or the help of those named.",
    .options = options,
    .example = "binade help show",
    .more = "",
    .run = run,
};
