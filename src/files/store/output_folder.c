/* Folders of files that are written under a temporary name and renamed when they are complete. There may
 * be more files than a process may have open: those that were written last stay open. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- open files ---- */

/* A file that is open; `users` threads write to it at the moment. */
typedef struct descriptor {
    int fd; /* -1: none */
    size_t file;
    unsigned users;
    uint64_t used; /* when it was asked for last */
} descriptor;

struct bndi_descriptors {
    bool busy; /* a thread looks at them, or opens a file */
    uint64_t clock;
    descriptor all[BND_LAB_FOLDER_OPEN];
};

static struct bndi_descriptors *no_descriptors(void)
{
    struct bndi_descriptors *d = calloc(1, sizeof *d);
    for (size_t i = 0; d != NULL && i < BND_LAB_FOLDER_OPEN; i++) {
        d->all[i].fd = -1;
    }
    return d;
}

/* Opening a file takes microseconds, so who waits asks again. */
static void lock(struct bndi_descriptors *d)
{
    while (__atomic_test_and_set(&d->busy, __ATOMIC_ACQUIRE)) {
        (void)sched_yield();
    }
}

static void unlock(struct bndi_descriptors *d)
{
    __atomic_clear(&d->busy, __ATOMIC_RELEASE);
}

/* The one of this file; else one that is free; else the one that was used the longest time ago. NULL: all are in
 * use. */
static descriptor *find_descriptor(struct bndi_descriptors *d, size_t file)
{
    descriptor *best = NULL;
    for (size_t i = 0; i < BND_LAB_FOLDER_OPEN; i++) {
        descriptor *at = &d->all[i];
        if (at->fd >= 0 && at->file == file) {
            return at;
        }
        if (at->users == 0 && (best == NULL || (at->fd < 0 ? best->fd >= 0 : best->fd >= 0 && at->used < best->used))) {
            best = at;
        }
    }
    return best;
}

static bnd_status close_descriptor(descriptor *d, bnd_error *why)
{
    bool closed = d->fd < 0 || close(d->fd) == 0;
    d->fd = -1;
    return closed ? BND_OK : bndi_fail_system(why, "cannot be written", errno);
}

/* Opens a file, or finds it open. *out is NULL if all are in use: then the caller closes *fd. */
static bnd_status take_descriptor(descriptor **out, int *fd, const bnd_lab_folder *folder, size_t file, bnd_error *why)
{
    struct bndi_descriptors *d = folder->descriptors;
    lock(d);
    descriptor *found = find_descriptor(d, file);
    bool open_already = found != NULL && found->fd >= 0 && found->file == file;
    bnd_status status = found != NULL && !open_already ? close_descriptor(found, why) : BND_OK;
    *fd = open_already ? found->fd : status == BND_OK ? open(folder->files[file], O_WRONLY | O_CLOEXEC) : -1;
    if (status == BND_OK && *fd < 0) {
        status = bndi_fail_system(why, "cannot be opened for writing", errno);
    }
    if (status == BND_OK && found != NULL) {
        found->fd = *fd;
        found->file = file;
        found->users++;
        found->used = d->clock++;
    }
    unlock(d);
    *out = found;
    return status;
}

static void leave_descriptor(const bnd_lab_folder *folder, descriptor *used)
{
    lock(folder->descriptors);
    used->users--;
    unlock(folder->descriptors);
}

static bnd_status close_all(const bnd_lab_folder *folder, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; folder->descriptors != NULL && i < BND_LAB_FOLDER_OPEN; i++) {
        bnd_status closed = close_descriptor(&folder->descriptors->all[i], status == BND_OK ? why : NULL);
        status = status == BND_OK ? closed : status;
    }
    return status;
}

static void release(bnd_lab_folder *folder)
{
    (void)close_all(folder, NULL);
    free(folder->descriptors);
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->files[i]);
    }
    free(folder->files);
    free(folder->path);
    free(folder->temporary);
    *folder = (bnd_lab_folder){0};
}

/* ---- the folder ---- */

static int create_folder(const char *path)
{
    return mkdir(path, 0777);
}

static bnd_status check_no_entry(const char *path, bnd_error *why)
{
    DIR *stream = opendir(path);
    if (stream == NULL) {
        return bndi_fail_system(why, "cannot be read", errno);
    }
    size_t count = 0;
    while (count <= 2 && readdir(stream) != NULL) { /* two of each folder are "." and ".." */
        count++;
    }
    closedir(stream);
    return count <= 2 ? BND_OK
                      : bnd_fail(why, BND_BAD_STREAM, 0, "is there already, and is not empty; choose another name");
}

/* Said before the work is done; at the end rename refuses a folder that is not empty. */
static bnd_status check_empty(const char *path, bnd_error *why)
{
    struct stat about;
    if (lstat(path, &about) != 0) {
        return errno == ENOENT ? BND_OK : bndi_fail_system(why, "cannot be written", errno);
    }
    if (!S_ISDIR(about.st_mode)) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "is there already, and is not a folder; choose another name");
    }
    if (access(path, W_OK) != 0) {
        return bndi_fail_system(why, "cannot be written", errno);
    }
    bnd_status status = check_no_entry(path, why);
    return status == BND_OK ? bndi_check_replaceable(path, true, why) : status;
}

/* The path without slashes at its end, and of a folder that is there without links: a link to it stays. */
static char *clean_path(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    if (stat(path, &about) == 0) {
        return realpath(path, NULL);
    }
    char *clean = strdup(path);
    for (; clean != NULL && length > 1 && clean[length - 1] == '/'; length--) {
        clean[length - 1] = '\0';
    }
    return clean;
}

bnd_status bnd_lab_folder_open(bnd_lab_folder *out, const char *path, size_t files, bnd_error *why)
{
    struct stat about;
    int ignored;
    if (path[0] == '\0') {
        return bnd_fail(why, BND_BAD_STREAM, 0, "the path must not be empty");
    }
    bnd_lab_folder folder = {.path = clean_path(path),
                             .files = calloc(files + 1, sizeof *folder.files),
                             .room = files,
                             .descriptors = no_descriptors()};
    bnd_status status = folder.path != NULL && folder.files != NULL && folder.descriptors != NULL
                            ? check_empty(folder.path, why)
                            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a folder of %zu files", files);
    if (status == BND_OK) {
        status = bndi_create_beside(&folder.temporary, folder.path, create_folder, &ignored, why);
    }
    if (status != BND_OK) {
        release(&folder);
        return status;
    }
    if (stat(folder.path, &about) == 0) {
        (void)chmod(folder.temporary, about.st_mode & 0777);
    }
    *out = folder;
    return BND_OK;
}

/* ---- its files ---- */

static bnd_status of_file(const char *path, bnd_status status, bnd_error *why)
{
    const char *slash = strrchr(path, '/');
    if (status == BND_OK || why == NULL) {
        return status;
    }
    bnd_error inner = *why;
    return bnd_fail(why, status, inner.where, "%s: %s", slash != NULL ? slash + 1 : path, inner.message);
}

static bnd_status close_checked(int fd, bnd_status status, bnd_error *why)
{
    bool closed = close(fd) == 0;
    return status == BND_OK && !closed ? bndi_fail_system(why, "cannot be written", errno) : status;
}

static bnd_status create_file(const char *path, uint64_t size, bnd_error *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "two files have this name");
    }
    return fd < 0 ? bndi_fail_system(why, "cannot be created", errno)
                  : close_checked(fd, bndi_reserve(fd, size, why), why);
}

bnd_status bnd_lab_folder_add(bnd_lab_folder *folder, const char *name, uint64_t size, bnd_error *why)
{
    bool is_name = name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    if (!is_name || folder->count == folder->room) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "'%s' is not a name for a file of this folder", name);
    }
    size_t a = strlen(folder->temporary), b = strlen(name);
    char *path = malloc(a + b + 2);
    if (path == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a path of %zu bytes", a + b + 2);
    }
    memcpy(path, folder->temporary, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    bnd_status status = create_file(path, size, why);
    if (status == BND_BAD_ARGUMENT) { /* the file is that of the other one */
        status = of_file(path, status, why);
        free(path);
        return status;
    }
    folder->files[folder->count++] = path; /* also one of which there is only a part: it is to be removed */
    return of_file(path, status, why);
}

bnd_status bnd_lab_folder_write(const bnd_lab_folder *folder, size_t file, uint64_t offset, const void *bytes,
                                size_t length, bnd_error *why)
{
    const char *path = folder->files[file];
    descriptor *used;
    int fd;
    bnd_status status = take_descriptor(&used, &fd, folder, file, why);
    if (status == BND_OK) {
        status = bndi_write_at(fd, offset, bytes, length, why);
        if (used != NULL) {
            leave_descriptor(folder, used);
        } else {
            status = close_checked(fd, status, why);
        }
    }
    return of_file(path, status, why);
}

/* ---- the end ---- */

static bnd_status sync_path(const char *path, bnd_error *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return bndi_fail_system(why, "cannot be opened", errno);
    }
    bnd_status status = fsync(fd) == 0 || errno == EINVAL ? BND_OK : bndi_fail_system(why, "cannot be written", errno);
    close(fd);
    return status;
}

bnd_status bnd_lab_folder_finish(bnd_lab_folder *folder, bool durable, bnd_error *why)
{
    bnd_status status = close_all(folder, why);
    for (size_t i = 0; durable && status == BND_OK && i < folder->count; i++) {
        status = of_file(folder->files[i], sync_path(folder->files[i], why), why);
    }
    if (durable && status == BND_OK) {
        status = sync_path(folder->temporary, why);
    }
    if (status == BND_OK && rename(folder->temporary, folder->path) != 0) {
        status = bndi_fail_system(why, "cannot be put in place", errno);
    }
    if (status != BND_OK) {
        bnd_lab_folder_abandon(folder);
        return status;
    }
    if (durable) {
        bndi_sync_directory_of(folder->path);
    }
    release(folder);
    return BND_OK;
}

void bnd_lab_folder_remove(const bnd_lab_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        (void)unlink(folder->files[i]);
    }
    if (folder->temporary != NULL) {
        (void)rmdir(folder->temporary);
    }
}

void bnd_lab_folder_abandon(bnd_lab_folder *folder)
{
    bnd_lab_folder_remove(folder);
    release(folder);
}
