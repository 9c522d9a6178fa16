/* A command that answers vectors: operands go to its standard input, answers come from its standard output. Both
 * pipes are served as each becomes ready, so the command may buffer as it likes. */
#include "vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUT_SIZE = 1 << 16, IN_SIZE = 1 << 16 };

typedef struct drive {
    judge judge;
    vectors *asked;
    bnd_vectors described;
    bnd_vector_plan plan;
    progress bar;
    pid_t child;
    int to, from; /* -1 once closed */
    uint64_t count, asked_about, answered;
    size_t out_length, out_done, in_length;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], given[BND_VECTOR_OPERANDS_MAX];
    char out[OUT_SIZE], in[IN_SIZE];
} drive;

static const command *self_of(const drive *d)
{
    return d->asked->common.command;
}

/* ---- the child ---- */

static void close_end(int *end)
{
    if (*end >= 0) {
        close(*end);
        *end = -1;
    }
}

static bool make_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* The child gets the pipes as its standard streams, dies of a closed pipe as others do, and leads a group of its own,
 * so that those which it starts end with it. */
static int spawn(drive *d, int input, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawnp(&d->child, d->asked->command[0], &actions, &attributes, d->asked->command, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static int start(drive *d)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1};
    fflush(stdout);
    int failed = make_pipe(input) && make_pipe(output) ? 0 : errno;
    failed = failed == 0 ? spawn(d, input[0], output[1]) : failed;
    close_end(&input[0]);
    close_end(&output[1]);
    d->to = input[1];
    d->from = output[0];
    if (failed != 0) {
        d->child = 0;
        complain(self_of(d), "'%s' cannot be started: %s", d->asked->command[0], strerror(failed));
        return BAD_STREAM;
    }
    fcntl(d->to, F_SETFL, O_NONBLOCK);
    fcntl(d->from, F_SETFL, O_NONBLOCK);
    return GO_ON;
}

/* Waits for the child's end. After trouble it is ended: it may wait for something that never comes. */
static int finish(drive *d, int status)
{
    int how = 0;
    close_end(&d->to);
    close_end(&d->from);
    if (d->child == 0) {
        return status;
    }
    if (status != GO_ON) {
        kill(-d->child, SIGKILL);
    }
    while (waitpid(d->child, &how, 0) < 0 && errno == EINTR) {
    }
    if (status != GO_ON) {
        return status;
    }
    if (WIFSIGNALED(how)) {
        complain(self_of(d), "'%s' ended by signal %d after %llu of %llu answers", d->asked->command[0], WTERMSIG(how),
                 (unsigned long long)d->answered, (unsigned long long)d->count);
        return BAD_STREAM;
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) != 0) {
        complain(self_of(d), "'%s' ended with status %d after %llu of %llu answers", d->asked->command[0],
                 WEXITSTATUS(how), (unsigned long long)d->answered, (unsigned long long)d->count);
        return BAD_STREAM;
    }
    if (d->answered < d->count) {
        return complain(self_of(d), "'%s' gave %llu answers to %llu questions; expected one line each",
                        d->asked->command[0], (unsigned long long)d->answered, (unsigned long long)d->count);
    }
    return GO_ON;
}

/* ---- questions ---- */

static void ask(drive *d)
{
    if (d->out_done == d->out_length && d->asked_about < d->count) {
        d->out_done = 0;
        d->out_length = bnd_vector_write(d->out, sizeof d->out, &d->asked_about, &d->plan, d->asked_about, d->count,
                                         BND_VECTOR_FORM_QUESTION);
    }
    if (d->out_done == d->out_length) {
        close_end(&d->to);
        return;
    }
    ssize_t written = write(d->to, d->out + d->out_done, d->out_length - d->out_done);
    if (written > 0) {
        d->out_done += (size_t)written;
    } else if (errno != EAGAIN && errno != EINTR) {
        close_end(&d->to); /* it reads no more; what it has to say is still heard */
    }
}

/* ---- answers ---- */

static int refuse(const drive *d, const char *message)
{
    return complain(self_of(d), "'%s': answer %llu: %s", d->asked->command[0], (unsigned long long)d->answered + 1,
                    message);
}

static int take_answer(drive *d, const char *text, size_t length)
{
    bnd_vector_line line = {.operands = d->given};
    bnd_error why;
    uint64_t random;
    if (length == 0 || text[0] == '#' || text[0] == '/') {
        return GO_ON;
    }
    if (d->answered == d->count) {
        return complain(self_of(d), "'%s' gave more answers than the %llu questions", d->asked->command[0],
                        (unsigned long long)d->count);
    }
    if (bnd_vector_parse_n(&line, &d->described, BND_VECTOR_ANSWER_ANY, text, length, &why) != BND_OK) {
        return refuse(d, why.message);
    }
    bnd_vector_case(d->operands, &random, &d->plan, d->answered);
    bool same = line.random == random;
    for (unsigned i = 0; i < d->described.operands; i++) {
        same = same && d->given[i] == d->operands[i];
    }
    if (line.has_operands && !same) {
        return refuse(d, "the operands are not those of the question; answers must come in the order of the questions");
    }
    line.operands = d->operands;
    line.random = random;
    int status = judge_line(&d->judge, &line, d->answered + 1);
    d->answered++;
    return status;
}

static int take_lines(drive *d)
{
    char *at = d->in, *end;
    int status = GO_ON;
    while (status == GO_ON && (end = memchr(at, '\n', d->in_length - (size_t)(at - d->in))) != NULL) {
        size_t length = (size_t)(end - at);
        status = take_answer(d, at, length > 0 && end[-1] == '\r' ? length - 1 : length);
        at = end + 1;
    }
    d->in_length -= (size_t)(at - d->in);
    memmove(d->in, at, d->in_length);
    if (status == GO_ON && d->in_length == sizeof d->in) {
        return refuse(d, "the line is longer than any test vector");
    }
    progress_at(&d->bar, d->answered);
    return status;
}

static int hear(drive *d)
{
    ssize_t got = read(d->from, d->in + d->in_length, sizeof d->in - d->in_length);
    if (got > 0) {
        d->in_length += (size_t)got;
        return take_lines(d);
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return GO_ON;
    }
    close_end(&d->from);
    return d->in_length > 0 ? take_answer(d, d->in, d->in_length) : GO_ON;
}

static int converse(drive *d)
{
    int status = GO_ON;
    while (status == GO_ON && d->from >= 0) {
        struct pollfd ends[2] = {{.fd = d->from, .events = POLLIN}, {.fd = d->to, .events = POLLOUT}};
        if (poll(ends, 2, -1) < 0 && errno != EINTR) {
            complain(self_of(d), "'%s' cannot be waited for: %s", d->asked->command[0], strerror(errno));
            return BAD_STREAM;
        }
        if (d->to >= 0 && ends[1].revents != 0) {
            ask(d);
        }
        if (ends[0].revents != 0) {
            status = hear(d);
        }
    }
    return status;
}

/* ---- all of it ---- */

static int plan(drive *d)
{
    bnd_error why;
    const vectors *v = d->asked;
    bnd_vector_level level = OPTION_GIVEN(&v->common, vectors, count) ? BND_VECTOR_LEVEL_SAMPLE : v->level;
    if (bnd_vector_plan_open(&d->plan, &d->described, level, v->common.seed, &why) != BND_OK) {
        return complain(self_of(d), "%s", why.message);
    }
    d->count = OPTION_GIVEN(&v->common, vectors, count) ? v->count : d->plan.count;
    return judge_begin(&d->judge, &d->described);
}

int check_command(vectors *v)
{
    drive *d = allocate(NULL, 1, sizeof *d);
    *d = (drive){.asked = v, .judge = {.asked = v}, .to = -1, .from = -1};
    int status = describe(&d->described, v);
    status = status == GO_ON ? plan(d) : status;
    if (status == GO_ON) {
        progress_begin(&d->bar, &v->common, "answers", PROGRESS_ITEMS, d->count);
        status = start(d);
        status = status == GO_ON ? converse(d) : status;
        progress_end(&d->bar);
        status = finish(d, status);
    }
    status = status == GO_ON ? judge_report(&d->judge) : status;
    bnd_vector_plan_close(&d->plan);
    judge_end(&d->judge);
    free(d);
    return status;
}
