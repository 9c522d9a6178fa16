/* Room on the disk for files of a known size, and writing anywhere in them. */
#if defined(__linux__)
#define _GNU_SOURCE /* fallocate */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* posix_fallocate would write to every block where the file system has no call for it. */
static int find_room(int fd, uint64_t size)
{
#if defined(__linux__)
    int result;
    do {
        result = size > 0 ? fallocate(fd, 0, 0, (off_t)size) : 0;
    } while (result != 0 && errno == EINTR);
    return result == 0 || errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
#else
    (void)fd;
    (void)size;
    return 0;
#endif
}

bnd_status bndi_reserve(int fd, uint64_t size, bnd_error *why)
{
    if (size > (uint64_t)INT64_MAX) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "cannot be written: %llu bytes are more than a file can hold",
                        (unsigned long long)size);
    }
    int reason = ftruncate(fd, (off_t)size) == 0 ? find_room(fd, size) : errno;
    return reason == 0 ? BND_OK : bndi_fail_system(why, "cannot be written", reason);
}

bnd_status bndi_write_at(int fd, uint64_t offset, const void *bytes, size_t length, bnd_error *why)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t count = pwrite(fd, at, length, (off_t)offset);
        if (count < 0 && errno != EINTR) {
            return bndi_fail_system(why, "cannot be written", errno);
        }
        size_t written = count > 0 ? (size_t)count : 0;
        at += written;
        offset += written;
        length -= written;
    }
    return BND_OK;
}

void bndi_sync_directory_of(const char *path)
{
    char *directory = strdup(path), *slash = directory != NULL ? strrchr(directory, '/') : NULL;
    if (slash != NULL) {
        slash[slash == directory] = '\0';
    }
    int fd = directory != NULL ? open(slash != NULL ? directory : ".", O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}
