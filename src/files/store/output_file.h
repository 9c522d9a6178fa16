/* Files that are written under a temporary name and renamed when they are complete, for the laboratory and the
   command. */
#ifndef BINADE_SRC_OUTPUT_FILE_H
#define BINADE_SRC_OUTPUT_FILE_H

#include <binade/base.h>

/* A file being written. An ordinary file of this name keeps its content until bnd_lab_output_finish; a device or a
 * pipe is written directly. Callers only read the members: `fd` is the descriptor to write to, `temporary` the file
 * to remove if a signal ends the program (NULL: none). With a `sum` there is no file: bnd_lab_output_write adds what it
 * is given to the checksum. */
typedef struct bnd_lab_output {
    int fd;
    char *path, *temporary;
    struct bndi_checksum *sum;
} bnd_lab_output;

/* Allocates. Links are followed. The permissions are those of the existing file, or those of a new file. The member
 * `path` is NULL if the file is written in place. */
BND_CHECKED bnd_status bnd_lab_output_open(bnd_lab_output *out, const char *path, bnd_error *why);

/* Appends all of these bytes. */
BND_CHECKED bnd_status bnd_lab_output_write(const bnd_lab_output *out, const void *bytes, size_t length,
                                            bnd_error *why);

/* Makes the file this long, and finds room for it on the disk where the system can do that; then bytes are written
 * anywhere in it, by any number of threads. Not for devices and pipes. */
BND_CHECKED bnd_status bnd_lab_output_reserve(const bnd_lab_output *out, uint64_t size, bnd_error *why);
BND_CHECKED bnd_status bnd_lab_output_write_at(const bnd_lab_output *out, uint64_t offset, const void *bytes,
                                               size_t length, bnd_error *why);

/* Closes the file and gives it its name; `durable` waits until the disk has it. Releases everything, and removes the
 * temporary file if it fails. bnd_lab_output_abandon releases everything and removes the temporary file. */
BND_CHECKED bnd_status bnd_lab_output_finish(bnd_lab_output *out, bool durable, bnd_error *why);
void bnd_lab_output_abandon(bnd_lab_output *out);

#endif
