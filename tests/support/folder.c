#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "tests/support/folder.h"

#include <CUnit/CUnit.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void open_folder(void)
{
    strcpy(folder, "/dev/shm/binade-test-XXXXXX"); /* waiting for a disk is not what is tested */
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "/tmp/binade-test-XXXXXX");
        CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    }
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

void close_folder(void)
{
    CU_ASSERT_EQUAL(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void close_empty_folder(void)
{
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

const char *in_folder(char path[PATH_SIZE], const char *name)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    CU_ASSERT_TRUE_FATAL(length > 0 && length < PATH_SIZE);
    return path;
}

void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(bytes, 1, length, file), length);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

void write_npy(const char *path, const char *shape, const int64_t *data, size_t count)
{
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\1\0\x76", 10); /* and a 0: 118 bytes of text */
    int n = snprintf(header + 10, 117, "{'descr': '<i8', 'fortran_order': False, 'shape': %s}", shape);
    CU_ASSERT_TRUE_FATAL(n > 0 && n < 117);
    header[10 + n] = ' ';
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(header, 1, sizeof header, file), sizeof header);
    CU_ASSERT_EQUAL(fwrite(data, sizeof *data, count, file), count);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

char *read_file(size_t *length, const char *path)
{
    FILE *file = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    char *text = malloc(*length + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    rewind(file);
    CU_ASSERT_EQUAL(fread(text, 1, *length, file), *length);
    text[*length] = '\0';
    fclose(file);
    return text;
}
