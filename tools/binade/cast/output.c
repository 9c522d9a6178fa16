/* binade cast: the output, a file or a stream, and the thread that writes it. */
#include "cast.h"
#include "common/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what must not stay behind when a signal ends the program ---- */

/* The path is in memory of its own, so that a signal may come at any time. A longer one no system takes. */
static char unfinished[4096 + 64];
static volatile sig_atomic_t has_unfinished;

static void remove_unfinished(int number)
{
    if (has_unfinished != 0) {
        unlink(unfinished);
    }
    raise(number); /* the handler is the default again: this ends the program */
}

static sigset_t ending_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    return set;
}

/* What is ignored (as nohup does it) stays so. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, action = {.sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        action.sa_handler = remove_unfinished;
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

/* ---- opening ---- */

static int unwritable(const cast_output *out, const char *message)
{
    complain(out->command, "%s %s", out->name, message);
    return BAD_STREAM;
}

static int report(const cast_output *out)
{
    if (out->to_stdout) {
        return output_failed(out->command, out->failure);
    }
    char message[256];
    snprintf(message, sizeof message, "cannot be written: %s", strerror(out->failure));
    return unwritable(out, message);
}

/* Reading and writing the same bytes loses them, and a pipe that reads itself never ends. Terminals and sockets may be
 * both. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
    bool ends = S_ISREG(a->st_mode) || S_ISBLK(a->st_mode) || S_ISFIFO(a->st_mode);
    return ends && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int cast_refuse_same(const command *self, const char *in, const char *out)
{
    struct stat a, b;
    bool from = strcmp(in, "-") == 0 ? fstat(STDIN_FILENO, &a) == 0 : stat(in, &a) == 0;
    bool to = strcmp(out, "-") == 0 ? fstat(STDOUT_FILENO, &b) == 0 : stat(out, &b) == 0;
    if (!from || !to || !is_same_file(&a, &b)) {
        return GO_ON;
    }
    return complain(self, "%s and %s are the same file; write to another one and rename it",
                    strcmp(in, "-") == 0 ? "standard input" : in, strcmp(out, "-") == 0 ? "standard output" : out);
}

static int open_standard(cast_output *out)
{
    struct stat about;
    out->file = (bnd_lab_output){.fd = STDOUT_FILENO};
    if (fstat(STDOUT_FILENO, &about) != 0) {
        out->failure = errno;
        return report(out);
    }
    if (isatty(STDOUT_FILENO) != 0) {
        return complain(out->command,
                        "binary output cannot be written to a terminal; name a file as OUT, or use a pipe");
    }
    return GO_ON;
}

/* The signals are held back only where a temporary file is made. A FIFO is opened as it is, and that waits for a
 * reader: signals must end it. */
static bool waits_for_a_reader(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static int open_named(cast_output *out, const char *path)
{
    sigset_t set = ending_signals(), old;
    bnd_error why;
    catch_signals();
    pthread_sigmask(waits_for_a_reader(path) ? SIG_UNBLOCK : SIG_BLOCK, &set, &old);
    bnd_status status = bnd_lab_output_open(&out->file, path, &why);
    if (status == BND_OK && out->file.temporary != NULL) {
        int length = snprintf(unfinished, sizeof unfinished, "%s", out->file.temporary);
        has_unfinished = length >= 0 && (size_t)length < sizeof unfinished;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return status == BND_OK ? GO_ON : unwritable(out, why.message);
}

int cast_open_output(cast_output *out, const command *self, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    *out = (cast_output){
        .command = self, .name = standard ? "standard output" : path, .to_stdout = standard, .file = {.fd = -1}};
    return standard ? open_standard(out) : open_named(out, path);
}

/* ---- writing ---- */

/* 0, or errno. */
static int write_fully(int fd, const unsigned char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t count = write(fd, bytes, length);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        bytes += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return 0;
}

static int write_now(cast_output *out, const void *bytes, size_t length)
{
    out->failure = write_fully(out->file.fd, bytes, length);
    return out->failure == 0 ? GO_ON : report(out);
}

/* ---- the thread that writes ---- */

static void *write_pieces(void *argument)
{
    cast_output *out = argument;
    pthread_mutex_lock(&out->lock);
    for (;;) {
        while (out->filled == out->emptied && !out->ended) {
            pthread_cond_wait(&out->changed, &out->lock);
        }
        if (out->filled == out->emptied) {
            break;
        }
        size_t slot = out->emptied % CAST_SLOTS, length = out->lengths[slot];
        pthread_mutex_unlock(&out->lock);
        int failure = write_fully(out->file.fd, out->slots[slot], length);
        pthread_mutex_lock(&out->lock);
        out->failure = failure;
        out->emptied++;
        pthread_cond_signal(&out->changed);
        if (failure != 0) {
            break;
        }
    }
    pthread_mutex_unlock(&out->lock);
    return NULL;
}

unsigned char *cast_buffer(size_t size)
{
    enum { LINE = 64 };
    unsigned char *bytes = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
    if (bytes == NULL) {
        fprintf(stderr, "binade: out of memory (%zu bytes were needed)\n", size);
        exit(BAD_STREAM);
    }
    return bytes;
}

void cast_start_writer(cast_output *out, size_t slot_size, bool threaded)
{
    for (size_t i = 0; i < (threaded ? CAST_SLOTS : 1); i++) {
        out->slots[i] = cast_buffer(slot_size);
    }
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->changed, NULL);
    out->threaded = threaded && pthread_create(&out->writer, NULL, write_pieces, out) == 0;
}

unsigned char *cast_next_slot(cast_output *out)
{
    if (!out->threaded) {
        return out->failure == 0 ? out->slots[0] : NULL;
    }
    pthread_mutex_lock(&out->lock);
    while (out->failure == 0 && out->filled - out->emptied == CAST_SLOTS) {
        pthread_cond_wait(&out->changed, &out->lock);
    }
    unsigned char *slot = out->failure == 0 ? out->slots[out->filled % CAST_SLOTS] : NULL;
    pthread_mutex_unlock(&out->lock);
    return slot;
}

void cast_hand_over(cast_output *out, size_t length)
{
    if (!out->threaded) {
        out->failure = write_fully(out->file.fd, out->slots[0], length);
        return;
    }
    pthread_mutex_lock(&out->lock);
    out->lengths[out->filled++ % CAST_SLOTS] = length;
    pthread_cond_signal(&out->changed);
    pthread_mutex_unlock(&out->lock);
}

int cast_stop_writer(cast_output *out)
{
    if (out->threaded) {
        pthread_mutex_lock(&out->lock);
        out->ended = true;
        pthread_cond_signal(&out->changed);
        pthread_mutex_unlock(&out->lock);
        pthread_join(out->writer, NULL);
        out->threaded = false;
    }
    for (size_t i = 0; i < CAST_SLOTS; i++) {
        free(out->slots[i]);
        out->slots[i] = NULL;
    }
    return out->failure == 0 ? GO_ON : report(out);
}

/* ---- .npy, and the end ---- */

int cast_write_header(cast_output *out)
{
    unsigned char header[4096]; /* 64 dimensions need less than half of it */
    size_t length = bnd_npy_print(header, sizeof header, &out->npy);
    return write_now(out, header, length);
}

/* In the place of the first, for an input that came without a length. */
static int correct_header(cast_output *out, uint64_t count)
{
    unsigned char header[256]; /* one dimension */
    out->npy.shape[0] = count;
    size_t length = bnd_npy_print(header, sizeof header, &out->npy);
    if (pwrite(out->file.fd, header, length, 0) != (ssize_t)length) {
        out->failure = errno;
        return report(out);
    }
    return GO_ON;
}

int cast_close_output(cast_output *out, bool good, uint64_t count)
{
    int status = GO_ON;
    if (good && out->is_npy && count != out->npy.count) {
        status = correct_header(out, count);
    }
    if (out->to_stdout) {
        return status;
    }
    sigset_t set = ending_signals(), old;
    bnd_error why;
    pthread_sigmask(SIG_BLOCK, &set, &old);
    if (!good || status != GO_ON) {
        bnd_lab_output_abandon(&out->file);
    } else if (bnd_lab_output_finish(&out->file, false, &why) != BND_OK) {
        status = unwritable(out, why.message);
    }
    has_unfinished = 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return status;
}
