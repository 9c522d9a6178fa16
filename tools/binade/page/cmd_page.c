/* binade page: opens the page, or says where it is. */
#define _POSIX_C_SOURCE 200809L
#include "common/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct page {
    settings common;
    bool path;
} page;

static const option_row rows[] = {
    {.name = "path", .help = "print the path of the page; open nothing", INTO_FLAG(page, path)},
    {.same = &row_help},
    {.name = NULL},
};

/* The desktop's program that opens a file; NULL: there is none, or no display. */
static const char *opener(void)
{
#ifdef __APPLE__
    return "open";
#else
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 != NULL && x11[0] != '\0') || (wayland != NULL && wayland[0] != '\0') ? "xdg-open" : NULL;
#endif
}

/* Does the program open it? */
static bool open_with(const char *program, const char *path)
{
    int how = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp(program, program, path, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static int show_page(const page *p)
{
    char *path = page_path();
    int status = FINE;
    if (access(path, R_OK) != 0) {
        complain(p->common.command, PAGE_MISSING, path);
        status = BAD_STREAM;
    } else {
        const char *program = p->path ? NULL : opener();
        if (program == NULL || !open_with(program, path)) {
            printf("%s\n", path);
        }
    }
    free(path);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    page p = {.path = false};
    int status = read_arguments(&p, self, argc, argv);
    if (status == GO_ON && p.common.operand_count > 0) {
        status = complain(self, "unexpected argument '%s'", p.common.operands[0]);
    }
    if (status == GO_ON) {
        status = show_page(&p);
    }
    clear_settings(&p.common);
    return status;
}

static const command_example examples[] = {
    {"where the page is", "binade page --path"},
    {NULL, NULL},
};

const command command_page = {
    .name = "page",
    .summary = "open the page: formats, arrays and training in a browser",
    .group = GROUP_HELP,
    .operands = "",
    .about =
        "Opens the page in the browser. The page is one file that runs these commands itself and needs no network. "
        "Without a desktop, prints the path of the file.",
    .options = rows,
    .examples = examples,
    .environment = READS_PAGE,
    .see_also = "report show",
    .run = run,
};
