/* Folders of files that are written under a temporary name and renamed when they are complete, for the laboratory and
   the command. */
#ifndef BINADE_SRC_OUTPUT_FOLDER_H
#define BINADE_SRC_OUTPUT_FOLDER_H

#include <binade/base.h>

/* A folder being written. Callers only read the members. */
typedef struct bnd_lab_folder {
    char *path, *temporary;
    char **files; /* the paths of its files, within the temporary folder */
    size_t count, room;
    struct bndi_descriptors *descriptors; /* open files */
} bnd_lab_folder;

/* Begins a folder of at most `files` files. Nothing may be at `path` but an empty folder, which is replaced. */
BND_CHECKED bnd_status bnd_lab_folder_open(bnd_lab_folder *out, const char *path, size_t files, bnd_error *why);

/* Adds a file of this size, with room for it on the disk where the system can do that. Messages of this call and the
 * next begin with the file's name. On failure: BND_BAD_ARGUMENT for a name that is there already or that is not one of
 * a file in this folder; BND_BAD_STREAM, BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_lab_folder_add(bnd_lab_folder *folder, const char *name, uint64_t size, bnd_error *why);

/* Writes bytes anywhere in a file. Safe from any number of threads. At most BND_LAB_FOLDER_OPEN files stay open for the
 * next write, besides one per thread. */
enum { BND_LAB_FOLDER_OPEN = 32 };
BND_CHECKED bnd_status bnd_lab_folder_write(const bnd_lab_folder *folder, size_t file, uint64_t offset,
                                            const void *bytes, size_t length, bnd_error *why);

/* Gives the folder its name; `durable` waits until the disk has everything. Releases everything, and removes the
 * temporary folder if it fails. bnd_lab_folder_abandon releases everything and removes the temporary folder. */
BND_CHECKED bnd_status bnd_lab_folder_finish(bnd_lab_folder *folder, bool durable, bnd_error *why);
void bnd_lab_folder_abandon(bnd_lab_folder *folder);

/* Removes the temporary folder and its files, and nothing else. Safe in a signal handler. */
void bnd_lab_folder_remove(const bnd_lab_folder *folder);

#endif
