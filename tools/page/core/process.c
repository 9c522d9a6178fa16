/* How a command begins and ends in WebAssembly: there are no signals, pipes or processes. A command is stopped by
 * ending its worker. */
#include "common/process.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

void process_wait_asleep(char **argv)
{
    (void)argv;
}

/* A command reads its own standard input from the start: the buffer of the command before it is emptied, and its end of
 * file forgotten. */
void process_begin(void)
{
    __fpurge(stdin);
    clearerr(stdin);
    clearerr(stdout);
}

int process_end(int status)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        status = output_failed(NULL, errno);
    }
    fflush(stderr);
    return status;
}

bool standard_input_is_closed(void)
{
    return false;
}

int output_failed(const command *self, int error)
{
    complain(self, "standard output cannot be written%s%s", error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    return BAD_STREAM;
}

void stop_on_signals(void)
{
}

void end_on_signals(void)
{
}

bool was_stopped(void)
{
    return false;
}

void process_writes(void *state, const bnd_checkpoint_writer *writer)
{
    (void)state;
    (void)writer;
}
