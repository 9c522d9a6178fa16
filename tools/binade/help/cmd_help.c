/* binade help: the overview, or one command. */
#include "help.h"

void print_overview(FILE *out)
{
    fprintf(out, "usage: binade COMMAND [OPTION...] ...\n\n"
                 "What a number becomes in fp32, fp16, bf16, fp8 and every other format.\n\ncommands:\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n'binade COMMAND --help' says more about one; 'binade --version' prints the version.\n"
                 "A word that starts with - and then a digit, '.', 'inf' or 'nan' is a value; -- ends the options.\n"
                 "Exit status: 0 fine, 1 a check does not hold, 2 bad usage or input, 3 input or output failed.\n\n"
                 "example: binade show 1e-8\n");
}

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
    return id == OPTION_ROFF ? print_roff(&command_help, value) : print_completion(&command_help, value);
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
