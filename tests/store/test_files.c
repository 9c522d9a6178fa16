/* Files mapped, and files that take their name when they are complete. */
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void enter(void)
{
    strcpy(folder, "test-store-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static void leave(void)
{
    CU_ASSERT_EQUAL(rmdir(folder), 0); /* nothing is left in it */
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_TRUE(fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool holds(const char *path, const char *text)
{
    bnd_mapped map;
    if (bnd_map_open(&map, path, NULL) != BND_OK) {
        return false;
    }
    bool same = map.size == strlen(text) && (map.size == 0 || memcmp(map.bytes, text, map.size) == 0);
    bnd_map_close(&map);
    return same;
}

static bool write_text(const bnd_output *out, const char *text)
{
    return write(out->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static void test_mapping(void)
{
    enter();
    bnd_mapped map = {.size = 42};
    bnd_error why;
    put(path_of("empty"), "");
    CU_ASSERT_EQUAL(bnd_map_open(&map, path_of("empty"), NULL), BND_OK);
    CU_ASSERT_EQUAL(map.size, 0);
    bnd_map_drop(&map, 0);
    bnd_map_close(&map);
    map.size = 42;
    CU_ASSERT_EQUAL(bnd_map_open(&map, path_of("nothing"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_EQUAL(bnd_map_open(&map, folder, &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(map.size, 42);
    put(path_of("full"), "0123456789");
    CU_ASSERT_TRUE(holds(path_of("full"), "0123456789"));
    unlink(path_of("empty"));
    unlink(path_of("full"));
    leave();
}

/* What is dropped is read again where it is asked for. */
static void test_dropping(void)
{
    enter();
    FILE *file = fopen(path_of("large"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    enum { SIZE = 100000 };
    for (int i = 0; i < SIZE; i++) {
        fputc(i % 251, file);
    }
    CU_ASSERT_EQUAL(fclose(file), 0);
    bnd_mapped map;
    CU_ASSERT_EQUAL_FATAL(bnd_map_open(&map, path_of("large"), NULL), BND_OK);
    unsigned wrong = 0;
    for (size_t i = 0; i < map.size; i++) {
        wrong += map.bytes[i] != i % 251;
        if (i % 9999 == 0) {
            bnd_map_drop(&map, i);
            wrong += map.bytes[i / 2] != i / 2 % 251;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(map.size, SIZE);
    bnd_map_close(&map);
    unlink(path_of("large"));
    leave();
}

static void test_replacing(void)
{
    enter();
    bnd_output out;
    struct stat about;
    put(path_of("file"), "before");
    CU_ASSERT_EQUAL(chmod(path_of("file"), 0640), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path_of("file"), NULL), BND_OK);
    CU_ASSERT_TRUE(out.fd > STDERR_FILENO && out.temporary != NULL);
    CU_ASSERT_TRUE(write_text(&out, "after"));
    CU_ASSERT_TRUE(holds(path_of("file"), "before")); /* not yet */
    CU_ASSERT_EQUAL(bnd_output_finish(&out, true, NULL), BND_OK);
    CU_ASSERT_TRUE(holds(path_of("file"), "after"));
    CU_ASSERT_EQUAL(stat(path_of("file"), &about), 0);
    CU_ASSERT_EQUAL(about.st_mode & 0777, 0640);
    CU_ASSERT_TRUE(out.fd == -1 && out.path == NULL && out.temporary == NULL);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path_of("file"), NULL), BND_OK);
    CU_ASSERT_TRUE(write_text(&out, "never"));
    bnd_output_abandon(&out);
    CU_ASSERT_TRUE(holds(path_of("file"), "after"));
    unlink(path_of("file"));
    leave();
}

static void test_new_files(void)
{
    enter();
    bnd_output out;
    struct stat about;
    mode_t mask = umask(027);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path_of("new"), NULL), BND_OK);
    umask(mask);
    CU_ASSERT_TRUE(access(path_of("new"), F_OK) != 0);
    CU_ASSERT_EQUAL(bnd_output_finish(&out, false, NULL), BND_OK);
    CU_ASSERT_EQUAL(stat(path_of("new"), &about), 0);
    CU_ASSERT_EQUAL(about.st_mode & 0777, 0640);
    CU_ASSERT_TRUE(holds(path_of("new"), ""));
    unlink(path_of("new"));
    leave();
}

static void test_links(void)
{
    enter();
    bnd_output out;
    bnd_error why;
    struct stat about;
    put(path_of("file"), "before");
    CU_ASSERT_EQUAL(symlink("file", path_of("link")), 0);
    CU_ASSERT_EQUAL(symlink("nowhere", path_of("dangling")), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path_of("link"), NULL), BND_OK);
    CU_ASSERT_TRUE(write_text(&out, "after"));
    CU_ASSERT_EQUAL(bnd_output_finish(&out, false, NULL), BND_OK);
    CU_ASSERT_TRUE(holds(path_of("file"), "after"));
    CU_ASSERT_TRUE(lstat(path_of("link"), &about) == 0 && S_ISLNK(about.st_mode));
    CU_ASSERT_EQUAL(bnd_output_open(&out, path_of("dangling"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "nowhere"));
    unlink(path_of("file"));
    unlink(path_of("link"));
    unlink(path_of("dangling"));
    leave();
}

static void test_what_cannot_be_written(void)
{
    enter();
    bnd_output out = {.fd = 42};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_output_open(&out, folder, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(EISDIR)));
    CU_ASSERT_EQUAL(bnd_output_open(&out, path_of("no/such"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_EQUAL(bnd_output_open(&out, "", &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(out.fd, 42);
    put(path_of("fixed"), "fixed");
    CU_ASSERT_EQUAL(chmod(path_of("fixed"), 0444), 0);
    if (access(path_of("fixed"), W_OK) != 0) { /* root may write anything */
        CU_ASSERT_EQUAL(bnd_output_open(&out, path_of("fixed"), &why), BND_BAD_STREAM);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(EACCES)));
    }
    unlink(path_of("fixed"));
    leave();
}

/* The temporary file's name is longer than the file's own; it must not be too long. 84 characters of three bytes. */
static void test_long_names(void)
{
    enum { LONGEST = 255, CHARACTERS = 84 };
    char name[LONGEST + 2], path[400], text[3 * CHARACTERS + 1];
    bnd_output out;
    bnd_error why;
    enter();
    memset(name, 'n', sizeof name);
    for (size_t length = LONGEST - 20; length <= LONGEST + 1; length++) {
        name[length] = '\0';
        snprintf(path, sizeof path, "%s/%s", folder, name);
        bnd_status status = bnd_output_open(&out, path, &why);
        CU_ASSERT_EQUAL(status, length <= LONGEST ? BND_OK : BND_BAD_STREAM);
        if (status == BND_OK) {
            CU_ASSERT_EQUAL(bnd_output_finish(&out, false, &why), BND_OK);
            CU_ASSERT_TRUE(holds(path, ""));
            unlink(path);
        } else {
            CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENAMETOOLONG)));
        }
        name[length] = 'n';
    }
    for (size_t i = 0; i < CHARACTERS; i++) {
        memcpy(text + 3 * i, "\xe2\x82\xac", 4);
    }
    snprintf(path, sizeof path, "%s/%s", folder, text);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path, NULL), BND_OK);
    const char *dot = strstr(out.temporary, "\xe2\x82\xac.");
    CU_ASSERT_PTR_NOT_NULL(dot);
    bnd_output_abandon(&out);
    leave();
}

/* No ordinary file: written where it stands. */
static void test_devices(void)
{
    bnd_output out;
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, "/dev/null", NULL), BND_OK);
    CU_ASSERT_TRUE(out.temporary == NULL && write_text(&out, "gone"));
    CU_ASSERT_EQUAL(bnd_output_finish(&out, true, NULL), BND_OK);
    CU_ASSERT_EQUAL(access("/dev/null", W_OK), 0);
}

/* The directory is gone before the name is taken: an error, and nothing left open. */
static void test_late_failure(void)
{
    enter();
    bnd_output out;
    bnd_error why;
    CU_ASSERT_EQUAL(mkdir(path_of("inner"), 0777), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_output_open(&out, path_of("inner/file"), NULL), BND_OK);
    CU_ASSERT_EQUAL(unlink(out.temporary), 0);
    CU_ASSERT_EQUAL(rmdir(path_of("inner")), 0);
    CU_ASSERT_EQUAL(bnd_output_finish(&out, false, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_TRUE(out.fd == -1 && out.path == NULL && out.temporary == NULL);
    leave();
}

CU_TestInfo file_tests[] = {
    {"files in memory", test_mapping},
    {"dropped pages come back", test_dropping},
    {"a file is replaced when the new one is complete", test_replacing},
    {"new files have the permissions of any", test_new_files},
    {"links stay", test_links},
    {"what cannot be written", test_what_cannot_be_written},
    {"long names", test_long_names},
    {"devices", test_devices},
    {"a failure at the end", test_late_failure},
    CU_TEST_INFO_NULL,
};
