/* A folder to write in, and what is in its files. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/mapped_file.h"

char test_folder[64];

const char *folder_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

void folder_enter(void)
{
    strcpy(test_folder, "test-store-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(test_folder));
}

void folder_leave(void)
{
    CU_ASSERT_EQUAL(rmdir(test_folder), 0); /* nothing is left in it */
}

void file_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_TRUE(fputs(text, file) >= 0 && fclose(file) == 0);
}

bool file_holds(const char *path, const char *text)
{
    bnd_lab_mapped map;
    if (bnd_lab_map_open(&map, path, NULL) != BND_OK) {
        return false;
    }
    bool same = map.size == strlen(text) && (map.size == 0 || memcmp(map.bytes, text, map.size) == 0);
    bnd_lab_map_close(&map);
    return same;
}
