/* Included before every file of the page's WebAssembly: POSIX calls that WASI lacks, as they are for one process whose
 * files are in memory. Newer versions of wasi-libc declare some of them: ours have names of their own. */
#ifndef BINADE_PAGE_POSIX_H
#define BINADE_PAGE_POSIX_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Descriptors cannot be duplicated, and the standard streams are never closed. */
#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030
#endif

/* No terminal. */
#define TIOCGWINSZ 0x5413
struct winsize {
    unsigned short ws_row, ws_col;
};

/* No owners, permissions, links or locks. */
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

#define flock page_flock
static inline int page_flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    return 0;
}

#define fchmod page_fchmod
static inline int page_fchmod(int fd, mode_t mode)
{
    (void)fd;
    (void)mode;
    return 0;
}

#define chmod page_chmod
static inline int page_chmod(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return 0;
}

#define fchown page_fchown
static inline int page_fchown(int fd, uid_t owner, gid_t group)
{
    (void)fd;
    (void)owner;
    (void)group;
    return 0;
}

/* Mapped files are copies in memory. */
#define MADV_RANDOM     1
#define MADV_SEQUENTIAL 2
#define MADV_DONTNEED   4

#define madvise page_madvise
static inline int page_madvise(void *memory, size_t length, int advice)
{
    (void)memory;
    (void)length;
    (void)advice;
    return 0;
}

#define realpath page_realpath
static inline char *page_realpath(const char *path, char *resolved)
{
    return resolved == NULL ? strdup(path) : strcpy(resolved, path);
}

#endif
