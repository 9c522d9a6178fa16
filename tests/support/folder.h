/* A temporary folder for a test, one at a time, and files in it. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

enum { PATH_SIZE = 256 };

/* In memory where the machine has that: waiting for a disk is not what is tested. */
void open_folder(void);
void close_folder(void);       /* removes it with its content */
void close_empty_folder(void); /* fails if it is not empty */

/* A name in it; it lasts as long as the caller's buffer. */
const char *in_folder(char path[PATH_SIZE], const char *name);

void write_file(const char *path, const void *bytes, size_t length);
/* A .npy file of int64: `shape` is Python's text, "(6, 4)". */
void write_npy(const char *path, const char *shape, const int64_t *data, size_t count);

char *read_file(size_t *length, const char *path); /* with a 0 byte behind it; the caller frees it */

#endif
