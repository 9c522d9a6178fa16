/* Files that are written under a temporary name and renamed when they are complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "store/checksum.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The standard streams' numbers are not for files, even where those are closed: a message would end up in the data. */
static int above_standard_streams(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), reason = errno;
    close(fd);
    errno = reason;
    return higher;
}

/* How much of the path stays in the temporary file's: all of it but the end of a long name, which would be too long
 * with what comes behind. No character of UTF-8 is cut in two: some file systems refuse that. */
static int kept_of_path(const char *path)
{
    enum { LONGEST = 128 };
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > LONGEST) {
        for (length = LONGEST; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--) {
        }
    }
    return (int)((size_t)(name - path) + length);
}

bnd_status bndi_create_beside(char **temporary, const char *path, int (*create)(const char *path), int *created,
                              bnd_error *why)
{
    enum { TRIES = 100, SUFFIX = 32 };
    size_t size = strlen(path) + SUFFIX;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    char *name = malloc(size);
    if (name == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a name of %zu bytes", size);
    }
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t number = bnd_random((uint64_t)now.tv_nsec, (uint64_t)getpid(), i);
        snprintf(name, size, "%.*s.%08lx.part", kept_of_path(path), path, (unsigned long)(number & 0xffffffff));
        *created = create(name);
        if (*created >= 0) {
            *temporary = name;
            return BND_OK;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int reason = errno;
    free(name);
    return bndi_fail_system(why, "cannot be written, because no file can be created next to it", reason);
}

/* O_CREAT with 0666 gives it the permissions that the user's mask asks for. */
static int create_file(const char *path)
{
    return above_standard_streams(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

static void release(bnd_lab_output *out)
{
    free(out->path);
    free(out->temporary);
    *out = (bnd_lab_output){.fd = -1};
}

/* In place of a file: not before ours is complete, and with its permissions. */
static bnd_status open_instead(bnd_lab_output *out, const struct stat *about, bnd_error *why)
{
    if (access(out->path, W_OK) != 0) { /* a rename would not ask */
        return bndi_fail_system(why, "cannot be written", errno);
    }
    bnd_status status = bndi_check_replaceable(out->path, false, why);
    if (status == BND_OK) {
        status = bndi_create_beside(&out->temporary, out->path, create_file, &out->fd, why);
    }
    if (status == BND_OK) {
        /* Only root can give files away; where that fails the file is the user's own, as any other new one. */
        int owner = fchown(out->fd, about->st_uid, about->st_gid);
        (void)owner;
        (void)fchmod(out->fd, about->st_mode & 0777);
    }
    return status;
}

/* Something of this name is there: a file is replaced, anything else written in place. */
static bnd_status open_existing(bnd_lab_output *out, const char *path, const struct stat *about, bnd_error *why)
{
    if (S_ISDIR(about->st_mode)) {
        return bndi_fail_system(why, "cannot be written", EISDIR);
    }
    if (!S_ISREG(about->st_mode)) {
        out->fd = above_standard_streams(open(path, O_WRONLY | O_CLOEXEC));
        return out->fd >= 0 ? BND_OK : bndi_fail_system(why, "cannot be opened for writing", errno);
    }
    out->path = realpath(path, NULL); /* a link stays, and what it leads to is replaced */
    return out->path != NULL ? open_instead(out, about, why) : bndi_fail_system(why, "cannot be found", errno);
}

static bnd_status open_new(bnd_lab_output *out, const char *path, bnd_error *why)
{
    struct stat about;
    if (lstat(path, &about) == 0) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "is a broken symbolic link");
    }
    if (errno != ENOENT) { /* a name that is too long is known before the work is done */
        return bndi_fail_system(why, "cannot be written", errno);
    }
    out->path = strdup(path);
    return out->path != NULL ? bndi_create_beside(&out->temporary, out->path, create_file, &out->fd, why)
                             : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the path");
}

bnd_status bnd_lab_output_open(bnd_lab_output *out, const char *path, bnd_error *why)
{
    bnd_lab_output output = {.fd = -1};
    struct stat about;
    if (path[0] == '\0') {
        return bnd_fail(why, BND_BAD_STREAM, 0, "the path must not be empty");
    }
    bool is_there = stat(path, &about) == 0;
    bnd_status status = is_there ? open_existing(&output, path, &about, why) : open_new(&output, path, why);
    if (status == BND_OK) {
        *out = output;
    } else {
        release(&output);
    }
    return status;
}

bnd_status bnd_lab_output_write(const bnd_lab_output *out, const void *bytes, size_t length, bnd_error *why)
{
    const char *at = bytes;
    if (out->sum != NULL) {
        bndi_checksum_add(out->sum, bytes, length);
        return BND_OK;
    }
    while (length > 0) {
        ssize_t count = write(out->fd, at, length);
        if (count < 0 && errno != EINTR) {
            return bndi_fail_system(why, "cannot be written", errno);
        }
        at += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return BND_OK;
}

bnd_status bnd_lab_output_write_at(const bnd_lab_output *out, uint64_t offset, const void *bytes, size_t length,
                                   bnd_error *why)
{
    return bndi_write_at(out->fd, offset, bytes, length, why);
}

bnd_status bnd_lab_output_reserve(const bnd_lab_output *out, uint64_t size, bnd_error *why)
{
    if (out->temporary == NULL) {
        return bnd_fail(why, BND_BAD_STREAM, 0,
                        "must be a regular file: it is not written from its beginning to its end");
    }
    return bndi_reserve(out->fd, size, why);
}

/* Some file systems report a full disk only when a file is closed. */
static bnd_status close_checked(bnd_lab_output *out, bool durable, bnd_error *why)
{
    bool synced = !durable || out->temporary == NULL || fsync(out->fd) == 0;
    int reason = errno;
    bool closed = close(out->fd) == 0;
    out->fd = -1;
    if (!synced || !closed) {
        return bndi_fail_system(why, "cannot be written", synced ? errno : reason);
    }
    return BND_OK;
}

bnd_status bnd_lab_output_finish(bnd_lab_output *out, bool durable, bnd_error *why)
{
    bnd_status status = close_checked(out, durable, why);
    if (status == BND_OK && out->temporary != NULL) {
        if (rename(out->temporary, out->path) != 0) {
            status = bndi_fail_system(why, "cannot be replaced", errno);
        } else if (durable) {
            bndi_sync_directory_of(out->path);
        }
    }
    if (status != BND_OK) {
        bnd_lab_output_abandon(out);
    }
    release(out);
    return status;
}

void bnd_lab_output_abandon(bnd_lab_output *out)
{
    if (out->fd >= 0) {
        close(out->fd);
    }
    if (out->temporary != NULL) {
        (void)unlink(out->temporary);
    }
    release(out);
}
