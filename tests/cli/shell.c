/* Runs one shell command and gathers everything it prints, for a limited time. */
#include "tests/cli/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Under a sanitizer or valgrind a command takes seconds; one that waits forever must not keep the tests waiting. */
enum { SECONDS = 120 };

static _Noreturn void become_shell(const char *command, const char *directory, int output)
{
    int nothing = open("/dev/null", O_RDONLY);
    if (setpgid(0, 0) == 0 && chdir(directory) == 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) {
        if (output > STDERR_FILENO) {
            close(output);
        }
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    perror("transcript: cannot start the shell");
    _exit(127);
}

static long milliseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the last writer has closed its end; false when the time is over first. */
static bool gather(text *output, int from)
{
    long end = milliseconds() + SECONDS * 1000L;
    for (;;) {
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        long left = end - milliseconds();
        int ready = left > 0 ? poll(&waiting, 1, (int)left) : 0;
        if (ready == 0) {
            return false;
        }
        char buffer[4096];
        ssize_t count = ready > 0 ? read(from, buffer, sizeof buffer) : -1;
        if (count == 0) {
            return true;
        }
        if (count > 0) {
            text_append(output, buffer, (size_t)count);
        } else if (errno != EINTR) {
            return true;
        }
    }
}

bool shell_run(shell_status *status, text *output, const char *command, const char *directory)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_shell(command, directory, ends[1]);
    }
    close(ends[1]);
    bool in_time = child > 0 && gather(output, ends[0]);
    close(ends[0]);
    if (child < 0) {
        return false;
    }
    if (!in_time) {
        kill(-child, SIGKILL);
    }
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    status->line[0] = '\0';
    if (!in_time) {
        snprintf(status->line, sizeof status->line, "[still running after %d s]", SECONDS);
    } else if (WIFSIGNALED(how)) {
        snprintf(status->line, sizeof status->line, "[signal %d]", WTERMSIG(how));
    } else if (WEXITSTATUS(how) != 0) {
        snprintf(status->line, sizeof status->line, "[exit %d]", WEXITSTATUS(how));
    }
    return true;
}
