/* binade help: the overview, or one command. */
#include "common/command.h"

enum { OPTION_FULL = OPTION_OWN, OPTION_ROFF, OPTION_COMPLETION };

static const option_row row_full = {
    OPTION_FULL, 0, "full", NULL, "everything that the man page of a command says", COMPLETES_NOTHING, ""};
static const option_row row_roff = {OPTION_ROFF,       0, "roff", "PAGE", "a man page: a command's, or binade's",
                                    COMPLETES_NOTHING, ""};
static const option_row row_completion = {
    OPTION_COMPLETION, 0, "completion", "SHELL", "a completion script for bash, zsh or fish", COMPLETES_WORDS,
    "bash zsh fish"};

static int set_own(void *state, int id, const char *value)
{
    if (id == OPTION_FULL) {
        *(bool *)state = true;
        return GO_ON;
    }
    return id == OPTION_ROFF ? print_roff(value) : print_completion(value);
}

static int run(const command *self, int argc, char **argv)
{
    settings s;
    bool full = false;
    int status = read_arguments(&s, self, argc, argv, set_own, &full);
    if (status == GO_ON && s.operand_count == 0) {
        print_overview(stdout);
    }
    for (size_t i = 0; status == GO_ON && i < s.operand_count; i++) {
        const command *c = find_command(s.operands[i]);
        if (c == NULL) {
            status = complain(self, "unknown command '%s'; 'binade help' lists them", s.operands[i]);
        } else {
            print_help(c, full);
        }
    }
    clear_settings(&s);
    return status == GO_ON ? FINE : status;
}

static const option_row *const options[] = {&row_full, &row_roff, &row_completion, &row_help, NULL};

const command command_help = {
    .name = "help",
    .summary = "what the commands do, or one of them",
    .operands = "[COMMAND...]",
    .first = COMPLETES_COMMANDS,
    .others = COMPLETES_COMMANDS,
    .about =
        "Prints the list of commands, or the help of those named. With --full, it also explains rare options and the "
        "output: all that the man page binade-COMMAND(1) says, which is there once binade is installed.",
    .options = options,
    .example = "binade help --full train",
    .more = "",
    .run = run,
};
