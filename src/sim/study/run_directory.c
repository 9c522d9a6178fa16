/* Run directories: what they contain, and how it is written. metrics.jsonl grows by whole lines; every other file is
 * written atomically. */
#define _DEFAULT_SOURCE /* flock */
#include "study/study.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

static const char metrics[] = "metrics.jsonl";

char *bndi_path(const char *directory, const char *name)
{
    size_t length = strlen(directory), more = strlen(name);
    length -= length > 0 && directory[length - 1] == '/';
    char *path = malloc(length + more + 2);
    if (path != NULL) {
        memcpy(path, directory, length);
        path[length] = '/';
        memcpy(path + length + 1, name, more + 1);
    }
    return path;
}

static bnd_status no_path(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
}

/* ---- looking ---- */

/* The size of a file; -1: there is none. */
static bnd_status size_of(off_t *out, const char *directory, const char *name, bnd_error *why)
{
    struct stat about;
    char *path = bndi_path(directory, name);
    if (path == NULL) {
        return no_path(why);
    }
    *out = stat(path, &about) == 0 ? about.st_size : -1;
    free(path);
    return BND_OK;
}

/* Is there a file of this name with at least this many bytes? */
static bnd_status is_there(bool *out, const char *directory, const char *name, off_t least, bnd_error *why)
{
    off_t size = -1;
    bnd_status status = size_of(&size, directory, name, why);
    *out = status == BND_OK ? size >= least : *out;
    return status;
}

/* The directory, or the nearest above it that is there, must be one in which files can be made. */
bnd_status bndi_directory_check(const char *directory, bnd_error *why)
{
    struct stat about;
    if (directory[0] == '\0') {
        return bnd_fail(why, BND_BAD_STREAM, 0, "the name of a directory must not be empty");
    }
    char *path = strdup(directory);
    bnd_status status = path != NULL ? BND_OK : no_path(why);
    while (status == BND_OK && stat(path, &about) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT) {
            status = bndi_fail_system(why, "cannot be created", errno);
        } else if (slash == path) {
            slash[1] = '\0';
        } else if (slash != NULL) {
            *slash = '\0';
        } else {
            memcpy(path, ".", 2);
        }
    }
    if (status == BND_OK && (!S_ISDIR(about.st_mode) || access(path, W_OK | X_OK) != 0)) {
        status = bndi_fail_system(why, "cannot be written to", S_ISDIR(about.st_mode) ? errno : ENOTDIR);
    }
    free(path);
    return status;
}

bnd_status bndi_directory_look(bndi_found *out, const char *directory, bnd_error *why)
{
    bndi_found found = {.run = false};
    off_t size = -1;
    bnd_status status = size_of(&size, directory, metrics, why);
    found.metrics = size > 0 ? (uint64_t)size : 0;
    found.run = size > 0;
    if (status == BND_OK) {
        status = is_there(&found.checkpoint, directory, "checkpoint.safetensors", 0, why);
    }
    if (status == BND_OK) {
        status = is_there(&found.finished, directory, "summary.json", 1, why);
    }
    if (status == BND_OK) {
        status = is_there(&found.config, directory, "config.json", 1, why);
    }
    if (status == BND_OK) {
        /* An empty checkpoint is one that was damaged: they have their name when they are complete. */
        found.run = found.run || found.checkpoint || found.finished;
        *out = found;
    }
    return status;
}

bnd_status bndi_directory_check_above(const char *directory, bnd_error *why)
{
    bndi_found found = {.run = false};
    char *path = strdup(directory), *slash = path != NULL ? strrchr(path, '/') : NULL;
    bnd_status status = path != NULL ? BND_OK : no_path(why);
    if (slash != NULL && slash != path) {
        *slash = '\0';
        status = bndi_directory_look(&found, path, why);
    }
    if (status == BND_OK && found.run && found.config) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "%s is the directory of one run and cannot contain others; choose another directory", path);
    }
    free(path);
    return status;
}

/* ---- making ---- */

bnd_status bndi_directory_make(const char *directory, bnd_error *why)
{
    char *path = strdup(directory);
    bnd_status status = path != NULL ? BND_OK : no_path(why);
    size_t length = path != NULL ? strlen(path) : 0;
    for (size_t i = 1; status == BND_OK && i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            path[i] = '\0';
            if (mkdir(path, 0777) != 0 && errno != EEXIST) {
                status = bndi_fail_system(why, "cannot be created", errno);
            }
            path[i] = i < length ? '/' : '\0';
        }
    }
    free(path);
    return status;
}

bnd_status bndi_bytes_save(const bndi_bytes *text, const char *path, bnd_error *why)
{
    bnd_lab_output out;
    bnd_status status = bnd_lab_output_open(&out, path, why);
    if (status != BND_OK) {
        return status;
    }
    status = bnd_lab_output_write(&out, text->at, text->length, why);
    if (status != BND_OK) {
        bnd_lab_output_abandon(&out);
        return status;
    }
    return bnd_lab_output_finish(&out, true, why);
}

bnd_status bndi_directory_write(const char *directory, const char *name, const bndi_bytes *text, bnd_error *why)
{
    bnd_status status = bndi_bytes_check(text, why);
    char *path = bndi_path(directory, name);
    if (status == BND_OK) {
        status = path != NULL ? bndi_bytes_save(text, path, why) : no_path(why);
    }
    free(path);
    return bndi_within(why, name, status);
}

bnd_status bndi_directory_remove(const char *directory, const char *name, bnd_error *why)
{
    char *path = bndi_path(directory, name);
    bnd_status status = path != NULL ? BND_OK : no_path(why);
    if (status == BND_OK && unlink(path) != 0 && errno != ENOENT) {
        status = bndi_fail_system(why, "cannot be removed", errno);
    }
    free(path);
    return bndi_within(why, name, status);
}

/* The directory that the runs of a command go into. Where the file system has no such locks, each run's own counts. */
bnd_status bndi_directory_lock(int *fd, const char *run, bnd_error *why)
{
    bnd_status status = BND_OK;
    char *path = strdup(run), *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL) {
        return no_path(why);
    }
    if (slash != NULL) {
        slash[slash == path] = '\0';
    }
    *fd = open(slash != NULL ? path : ".", O_RDONLY | O_CLOEXEC);
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        status = bnd_fail(why, BND_BAD_STREAM, 0,
                          "%s is in use by another train or sweep; wait for it, or choose another directory",
                          slash != NULL ? path : ".");
        close(*fd);
        *fd = -1;
    }
    free(path);
    return status;
}

/* ---- metrics.jsonl ---- */

/* The lock belongs to the descriptor, so two runs never write to one file, in one process or in two. */
static bnd_status take(int fd, uint64_t seen, bnd_error *why)
{
    struct stat about;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? bnd_fail(why, BND_BAD_STREAM, 0, "another run is writing to it")
                                    : bndi_fail_system(why, "cannot be locked", errno);
    }
    bool changed = fstat(fd, &about) != 0 || (uint64_t)about.st_size != seen;
    return changed ? bnd_fail(why, BND_BAD_STREAM, 0, "has changed since it was read") : BND_OK;
}

/* NAME.XXXXXXXX.part, as store/ calls what has not its name yet, of a file that a run writes. */
static bool is_unfinished(const char *file)
{
    static const char *const names[] = {"config.json", "summary.json", "checkpoint.safetensors"};
    enum { DIGITS = 8 };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        const char *number = file + length + 1;
        if (strncmp(file, names[i], length) == 0 && file[length] == '.' &&
            strspn(number, "0123456789abcdef") == DIGITS && strcmp(number + DIGITS, ".part") == 0) {
            return true;
        }
    }
    return false;
}

/* Removes the partial files of a killed run. The caller holds the lock, so no process writes to them any more. A file
 * that cannot be removed does no harm. */
static void remove_unfinished(const char *directory)
{
    DIR *all = opendir(directory);
    for (const struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        char *path = is_unfinished(entry->d_name) ? bndi_path(directory, entry->d_name) : NULL;
        if (path != NULL) {
            (void)unlink(path);
            free(path);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
}

bnd_status bndi_metrics_open(int *fd, const char *directory, uint64_t seen, bnd_error *why)
{
    char *path = bndi_path(directory, metrics);
    if (path == NULL) {
        return no_path(why);
    }
    int opened = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bnd_status status = opened >= 0 ? BND_OK : bndi_fail_system(why, "cannot be opened for writing", errno);
    free(path);
    if (status == BND_OK) {
        status = take(opened, seen, why);
    }
    if (status == BND_OK) {
        remove_unfinished(directory);
        *fd = opened;
    } else if (opened >= 0) {
        close(opened);
    }
    return bndi_within(why, metrics, status);
}

bnd_status bndi_metrics_cut(int fd, uint64_t length, bnd_error *why)
{
    return ftruncate(fd, (off_t)length) == 0
               ? BND_OK
               : bndi_within(why, metrics, bndi_fail_system(why, "cannot be truncated", errno));
}

bnd_status bndi_metrics_append(int fd, const bndi_bytes *line, bnd_error *why)
{
    off_t before = lseek(fd, 0, SEEK_END);
    bnd_status status = bndi_bytes_check(line, why);
    for (size_t at = 0; status == BND_OK && at < line->length;) {
        ssize_t count = write(fd, line->at + at, line->length - at);
        if (count < 0 && errno != EINTR) {
            status = bndi_fail_system(why, "cannot be written", errno);
            if (before >= 0 && ftruncate(fd, before) != 0) {
                return status; /* readers do not look at a line without an end */
            }
        }
        at += count > 0 ? (size_t)count : 0;
    }
    return bndi_within(why, metrics, status);
}

bnd_status bndi_metrics_sync(int fd, bnd_error *why)
{
    return fsync(fd) == 0 ? BND_OK : bndi_within(why, metrics, bndi_fail_system(why, "cannot be written", errno));
}

void bndi_metrics_close(int fd)
{
    close(fd);
}
