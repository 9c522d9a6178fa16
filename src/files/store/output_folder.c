/* Folders of files that are written under a temporary name and renamed when they are complete. A file is opened for
 * each write: there may be more of them than a process may have open. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(bnd_lab_folder *folder)
{
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
    return check_no_entry(path, why);
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
    bnd_lab_folder folder = {.path = clean_path(path), .files = calloc(files + 1, sizeof *folder.files), .room = files};
    bnd_status status = folder.path != NULL && folder.files != NULL
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
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bnd_status status = fd < 0 ? bndi_fail_system(why, "cannot be opened for writing", errno)
                               : close_checked(fd, bndi_write_at(fd, offset, bytes, length, why), why);
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
    bnd_status status = BND_OK;
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
