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

typedef struct help {
    settings common;
    bool full;
} help;

static int read_roff(void *options, const option_row *row, const char *value)
{
    const settings *s = options;
    (void)row;
    return print_roff(s->command, value);
}

static int read_completion(void *options, const option_row *row, const char *value)
{
    const settings *s = options;
    (void)row;
    return print_completion(s->command, value);
}

static int run(const command *self, int argc, char **argv)
{
    help h = {.full = false};
    const settings *s = &h.common;
    int status = read_arguments(&h, self, argc, argv);
    if (status == GO_ON && s->operand_count == 0) {
        print_overview(stdout);
    }
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        const command *c = find_command(s->operands[i]);
        if (c == NULL) {
            status = complain(self, "unknown command '%s'; 'binade help' lists them", s->operands[i]);
        } else {
            print_help(c, h.full ? man_text(c->name) : NULL);
        }
    }
    clear_settings(&h.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.name = "full", .help = "everything that the man page of a command says", INTO_FLAG(help, full)},
    {.name = "roff", .argument = "PAGE", .help = "a man page: a command's, or binade's", INTO(help, common, read_roff)},
    {.name = "completion",
     .argument = "SHELL",
     .help = "a completion script for bash, zsh or fish",
     .completes = COMPLETES_WORDS,
     .words = "bash zsh fish",
     INTO(help, common, read_completion)},
    {.same = &row_help},
    {.name = NULL},
};

const command command_help = {
    .name = "help",
    .summary = "what the commands do, or one of them",
    .operands = "[COMMAND...]",
    .first = COMPLETES_COMMANDS,
    .others = COMPLETES_COMMANDS,
    .about = "Prints the list of commands, or the help of those named. With --full, it also explains rare options and "
             "the output: all that the man page binade-COMMAND(1) says, which is there once binade is installed.",
    .options = options,
    .example = "binade help --full train",
    .run = run,
};
