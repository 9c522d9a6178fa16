/* How the process begins and ends: its three standard streams, and signals. */
#define _POSIX_C_SOURCE 200809L
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- waiting threads ---- */

/* A thread that waits for work spins for milliseconds by default: where other programs want the cores, that takes them
 * from the thread that it waits for. gcc's OpenMP library reads what it shall do from the environment, when it is
 * loaded: so the program begins again with that in it. Where this fails, waiting is slower, and nothing else changes.
 * The second variable is of that library alone: 2000 rounds are some ten microseconds. */
void process_wait_asleep(char **argv)
{
    char path[4096];
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL) {
        return;
    }
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0 && setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", "2000", 1) == 0) {
        path[length] = '\0';
        execv(path, argv);
    }
}

/* ---- standard streams ---- */

/* If a standard stream is closed, the next file that is opened gets its number, and output for the stream would go
 * into that file. So each closed stream's number is occupied by a descriptor opened for the opposite direction.
 * Using the stream then fails with "Bad file descriptor". */
static void occupy_standard_streams(void)
{
    static const int other_way[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", other_way[fd]) != fd) {
            exit(BAD_STREAM); /* no stream is left for a message */
        }
    }
}

bool standard_input_is_closed(void)
{
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    return flags == -1 || (flags & O_ACCMODE) == O_WRONLY;
}

/* ---- a reader that has gone ---- */

static bool pipe_was_ignored;
static bool reader_has_gone;

/* EPIPE is told apart from other failures, and SIGPIPE is sent only when files are complete and children have ended.
 * Where the caller ignores SIGPIPE, a closed pipe is an error like any other. */
static void take_over_pipe(void)
{
    struct sigaction old;
    pipe_was_ignored = sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that is larger than allowed cannot be written, and is reported so */
}

/* An earlier write may have failed: its errno is lost, but the pipe still says it. */
static int why_output_failed(int error)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return error == 0 && poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0 ? EPIPE : error;
}

int output_failed(const command *self, int error)
{
    error = why_output_failed(error);
    if (error == EPIPE && !pipe_was_ignored) {
        reader_has_gone = true;
    } else {
        complain(self, "standard output cannot be written%s%s", error != 0 ? ": " : "",
                 error != 0 ? strerror(error) : "");
    }
    return BAD_STREAM;
}

static int output_error; /* errno of the first call of output_bytes that failed */

bool output_bytes(const void *bytes, size_t length)
{
    errno = 0;
    bool written = fwrite(bytes, 1, length, stdout) == length;
    if (!written && output_error == 0) {
        output_error = errno;
    }
    return written;
}

/* ---- stopping between two steps ---- */

static volatile sig_atomic_t stopping_signal;

static void stop(int number)
{
    stopping_signal = number;
    signal(number, SIG_DFL); /* a second signal ends the program immediately */
}

static const int stopping_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING_SIGNALS = sizeof stopping_signals / sizeof stopping_signals[0] };

static void handle_stopping_signals(void (*handler)(int))
{
    for (size_t i = 0; i < STOPPING_SIGNALS; i++) {
        struct sigaction old, action = {.sa_handler = handler};
        sigemptyset(&action.sa_mask);
        if (sigaction(stopping_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(stopping_signals[i], &action, NULL);
        }
    }
}

void stop_on_signals(void)
{
    handle_stopping_signals(stop);
}

void end_on_signals(void)
{
    handle_stopping_signals(SIG_DFL);
}

bool was_stopped(void)
{
    return stopping_signal != 0;
}

/* ---- inputs that are mapped, and gone ---- */

static const bnd_checkpoint_writer *volatile unfinished;

void process_writes(void *state, const bnd_checkpoint_writer *writer)
{
    (void)state;
    unfinished = writer;
}

/* In the thread that reads. Others go on until the process ends, and a second one that comes here waits for that. */
static void input_is_gone(int number, siginfo_t *about, void *context)
{
    static const char message[] = "binade: an input file became shorter while it was read, or cannot be read\n";
    static bool ending;
    (void)context;
    if (about->si_code != BUS_ADRERR && about->si_code != BUS_OBJERR) { /* not of a mapped file */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    while (__atomic_test_and_set(&ending, __ATOMIC_ACQUIRE)) {
        pause();
    }
    if (unfinished != NULL) {
        bnd_checkpoint_writer_remove(unfinished);
    }
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(BAD_STREAM);
}

static void watch_inputs(void)
{
    struct sigaction action = {.sa_sigaction = input_is_gone, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- the two ends ---- */

void process_begin(void)
{
    occupy_standard_streams();
    take_over_pipe();
    watch_inputs();
}

/* Ends by the signal, so that a shell knows: its status is 128 and the number. */
static void end_by(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

int process_end(int status)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_has_gone) {
        status = output_failed(NULL, output_error != 0 ? output_error : errno);
    }
    if (was_stopped()) {
        end_by(stopping_signal);
    }
    if (reader_has_gone) {
        end_by(SIGPIPE);
    }
    return status;
}
