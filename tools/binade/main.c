/* binade: a floating-point format laboratory. Each command has its own file; this one selects it. */
#include "common/process.h"
#include "help/help.h"

#include <string.h>

/* In the order in which help lists them; tools/binade/NAME/cmd_NAME.c has each. */
#define COMMANDS(each)                                                                                                 \
    each(show) each(formats) each(table) each(range) each(block) each(calc) each(cast) each(lint) each(quantize)       \
        each(relayout) each(diff) each(train) each(compare) each(report) each(evaluate) each(scan) each(sweep)         \
            each(cost) each(vectors) each(verify) each(bench) each(page) each(help)

#define DECLARE(name) extern const command command_##name;
COMMANDS(DECLARE)

#define ADDRESS(name) &command_##name,
const command *const commands[] = {COMMANDS(ADDRESS) NULL};

const command *find_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        const command *c = commands[i];
        if (strcmp(c->name, name) == 0 || (c->old_name != NULL && strcmp(c->old_name, name) == 0)) {
            return c;
        }
    }
    return NULL;
}

/* The command that was meant by an unknown name; NULL where none is near. */
static const command *resembling(const char *name)
{
    const command *best = NULL;
    nearest near = {0};
    for (size_t i = 0; commands[i] != NULL; i++) {
        best = offer_name(&near, name, strlen(name), commands[i]->name, strlen(commands[i]->name)) ? commands[i] : best;
    }
    return best;
}

static int run_named(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_overview(stderr);
        return BAD_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_overview(stdout);
        return FINE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        print_version();
        return FINE;
    }
    const command *c = find_command(name);
    if (c == NULL) {
        const command *other = resembling(name);
        return other != NULL ? complain(NULL, "unknown command '%s'; did you mean '%s'?", name, other->name)
                             : complain(NULL, "unknown command '%s'; 'binade help' lists them", name);
    }
    return c->run(c, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const command *named = argc > 1 ? find_command(argv[1]) : NULL;
    if (named != NULL && named->trains) {
        process_wait_asleep(argv);
    }
    process_begin();
    return process_end(run_named(argc, argv));
}
