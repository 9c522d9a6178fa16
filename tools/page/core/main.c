/* The command in WebAssembly: the commands that need no threads, child processes, GMP or MPFR. JavaScript calls
 * bnd_page_run as often as it likes; standard streams and files are its own (js/core/wasi.js). */
#include "common/print.h"
#include "common/process.h"
#include "help/help.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS(each)                                                                                                 \
    each(show) each(formats) each(table) each(range) each(block) each(train) each(compare) each(report) each(evaluate) \
        each(sweep) each(cost) each(lint) each(scan) each(diff) each(quantize) each(help)

#define DECLARE(name) extern const command command_##name;
COMMANDS(DECLARE)

#define ADDRESS(name) &command_##name,
const command *const commands[] = {COMMANDS(ADDRESS) NULL};

/* Man pages are for terminals. */
const struct man_text man_texts[] = {{NULL, NULL}};

const command *find_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

#define EXPORTED(name) __attribute__((export_name(#name), used)) name

/* Memory that JavaScript fills. */
void *EXPORTED(bnd_page_new)(size_t size)
{
    return malloc(size);
}

void EXPORTED(bnd_page_free)(void *memory)
{
    free(memory);
}

static int run(int argc, char **argv)
{
    const command *c = argc > 0 ? find_command(argv[0]) : NULL;
    return c != NULL ? c->run(c, argc, argv)
                     : complain(NULL, "the page does not have the command '%s'", argc > 0 ? argv[0] : "");
}

/* Runs a command. `words` holds the command and its arguments, each ended by a null character, `length` bytes in all.
 * Returns the exit status. */
int EXPORTED(bnd_page_run)(char *words, size_t length)
{
    int argc = 0;
    for (size_t i = 0; i < length; i++) {
        argc += words[i] == '\0';
    }
    char **argv = calloc((size_t)argc + 1, sizeof *argv);
    if (argv == NULL) {
        return BAD_STREAM;
    }
    char *word = words;
    for (int i = 0; i < argc; i++) {
        argv[i] = word;
        word += strlen(word) + 1;
    }
    process_begin();
    write_utf8_always(); /* the page is UTF-8: the same words before and after a report */
    int status = process_end(run(argc, argv));
    free(argv);
    return status;
}
