/* Room on the disk for files of a known size, writing anywhere in them, and what no rename can replace. */
#if defined(__linux__)
#define _GNU_SOURCE /* fallocate, statx */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        if (count < 0 && errno == EFAULT) { /* pages of a mapped input that are gone */
            return bnd_fail(why, BND_BAD_STREAM, 0,
                            "cannot be written: an input file became shorter while it was read, or cannot be read");
        }
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

/* NULL: no memory. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = strdup(slash != NULL ? path : ".");
    if (directory != NULL && slash != NULL) {
        directory[slash == path ? 1 : slash - path] = '\0';
    }
    return directory;
}

void bndi_sync_directory_of(const char *path)
{
    char *directory = directory_of(path);
    int fd = directory != NULL ? open(directory, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}

/* Of a file the device says nothing: overlayfs gives files the device of the layer that they are in. */
static bool is_mount_point(const char *path, bool is_folder)
{
    struct stat own, above;
    char *directory = directory_of(path);
    bool is = is_folder && directory != NULL && stat(path, &own) == 0 && stat(directory, &above) == 0 &&
              own.st_dev != above.st_dev;
    free(directory);
#if defined(STATX_ATTR_MOUNT_ROOT)
    struct statx more; /* also where the same file system is mounted twice */
    is = is || (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &more) == 0 &&
                (more.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0);
#endif
    return is;
}

bnd_status bndi_check_replaceable(const char *path, bool is_folder, bnd_error *why)
{
    return is_mount_point(path, is_folder)
               ? bnd_fail(why, BND_BAD_STREAM, 0, "is a mount point, which cannot be replaced; %s",
                          is_folder ? "name a folder within it" : "mount the folder that it is in")
               : BND_OK;
}
