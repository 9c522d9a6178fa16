/* binade help: the overview, or one command. */
#include "help.h"

const char *group_name(enum command_group group)
{
    static const char *const names[COMMAND_GROUPS] = {
        [GROUP_INSPECT] = "Inspect", [GROUP_COMPUTE] = "Compute", [GROUP_TRAIN] = "Train",
        [GROUP_VERIFY] = "Verify",   [GROUP_FILES] = "Files",     [GROUP_HELP] = "Help"};
    return names[group];
}

static void print_group(FILE *out, enum command_group group)
{
    bool first = true;
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (commands[i]->group == group) {
            fprintf(out, "%s%s%s", first ? "\n" : "", first ? group_name(group) : "", first ? "\n" : "");
            fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
            first = false;
        }
    }
}

void print_overview(FILE *out)
{
    fprintf(out, "usage: binade COMMAND [OPTION...] ...\n\n"
                 "Shows how numbers are rounded in any format from fp64 to fp4. Trains small\n"
                 "models in any mix of formats and explains what low precision broke. Estimates\n"
                 "the cost of training. Tests other implementations bit for bit.\n");
    for (enum command_group group = 0; group < COMMAND_GROUPS; group++) {
        print_group(out, group);
    }
    fprintf(out, "\n'binade COMMAND --help' explains a command; 'binade help --full COMMAND' prints\n"
                 "its man page. 'binade --version' prints the version.\n"
                 "A word that starts with - and then a digit, '.', 'inf' or 'nan' is a value, not\n"
                 "an option. -- ends the options.\n"
                 "Exit status: 0 success, 1 a check found a difference, 2 wrong usage or input,\n"
                 "3 a file could not be read or written.\n\n"
                 "example: binade show 1e-8\n");
}

typedef struct help {
    settings common;
    bool full, examples;
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

static void print_one(const help *h, const command *c)
{
    if (h->examples) {
        print_examples(c);
    } else if (h->full) {
        print_full(c);
    } else {
        print_help(c);
    }
}

static int run(const command *self, int argc, char **argv)
{
    help h = {.full = false};
    const settings *s = &h.common;
    int status = read_arguments(&h, self, argc, argv);
    if (status == GO_ON && s->operand_count == 0 && !h.examples) {
        print_overview(stdout);
    }
    for (size_t i = 0; status == GO_ON && s->operand_count == 0 && h.examples && commands[i] != NULL; i++) {
        print_examples(commands[i]);
    }
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        const command *c = find_command(s->operands[i]);
        if (c == NULL) {
            status = complain(self, "unknown command '%s'; 'binade help' lists them", s->operands[i]);
        } else {
            print_one(&h, c);
        }
    }
    clear_settings(&h.common);
    return status == GO_ON ? FINE : status;
}

static const option_row options[] = {
    {.name = "full", .help = "the whole man page of a command, as text", INTO_FLAG(help, full)},
    {.name = "examples", .help = "the examples of a command, or of all, as shell commands", INTO_FLAG(help, examples)},
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

static const command_example examples[] = {
    {"the man page of train, as text", "binade help --full train"},
    {"the options of one command", "binade help cast"},
    {"the examples of one command, as shell commands", "binade help --examples cast"},
    {"the completion script of bash", "binade help --completion bash > binade.bash"},
    {NULL, NULL},
};

const command command_help = {
    .name = "help",
    .summary = "the list of commands, or the page of one",
    .group = GROUP_HELP,
    .operands = "[COMMAND...]",
    .first = COMPLETES_COMMANDS,
    .others = COMPLETES_COMMANDS,
    .about = "Prints the list of commands, or the help of the named commands. --full prints the whole man page of a "
             "command. This works before binade is installed.",
    .options = options,
    .examples = examples,
    .run = run,
};
