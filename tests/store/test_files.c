/* Files mapped, and files that take their name when they are complete. */
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/checksum.h"
#include "store/mapped_file.h"
#include "store/output_file.h"

static bool write_text(const bnd_lab_output *out, const char *text)
{
    return write(out->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static void test_mapping(void)
{
    folder_enter();
    bnd_lab_mapped map = {.size = 42};
    bnd_error why;
    file_put(folder_path("empty"), "");
    CU_ASSERT_EQUAL(bnd_lab_map_open(&map, folder_path("empty"), NULL), BND_OK);
    CU_ASSERT_EQUAL(map.size, 0);
    bnd_lab_map_drop(&map, 0);
    bnd_lab_map_close(&map);
    map.size = 42;
    CU_ASSERT_EQUAL(bnd_lab_map_open(&map, folder_path("nothing"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_EQUAL(bnd_lab_map_open(&map, test_folder, &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(map.size, 42);
    file_put(folder_path("full"), "0123456789");
    CU_ASSERT_TRUE(file_holds(folder_path("full"), "0123456789"));
    unlink(folder_path("empty"));
    unlink(folder_path("full"));
    folder_leave();
}

/* What is dropped is read again where it is asked for. */
static void test_dropping(void)
{
    folder_enter();
    FILE *file = fopen(folder_path("large"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    enum { SIZE = 100000 };
    for (int i = 0; i < SIZE; i++) {
        fputc(i % 251, file);
    }
    CU_ASSERT_EQUAL(fclose(file), 0);
    bnd_lab_mapped map;
    CU_ASSERT_EQUAL_FATAL(bnd_lab_map_open(&map, folder_path("large"), NULL), BND_OK);
    unsigned wrong = 0;
    for (size_t i = 0; i < map.size; i++) {
        wrong += map.bytes[i] != i % 251;
        if (i % 9999 == 0) {
            bnd_lab_map_drop(&map, i);
            wrong += map.bytes[i / 2] != i / 2 % 251;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(map.size, SIZE);
    bnd_lab_map_close(&map);
    unlink(folder_path("large"));
    folder_leave();
}

static void test_replacing(void)
{
    folder_enter();
    bnd_lab_output out;
    struct stat about;
    file_put(folder_path("file"), "before");
    CU_ASSERT_EQUAL(chmod(folder_path("file"), 0640), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, folder_path("file"), NULL), BND_OK);
    CU_ASSERT_TRUE(out.fd > STDERR_FILENO && out.temporary != NULL);
    CU_ASSERT_TRUE(write_text(&out, "after"));
    CU_ASSERT_TRUE(file_holds(folder_path("file"), "before")); /* not yet */
    CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, true, NULL), BND_OK);
    CU_ASSERT_TRUE(file_holds(folder_path("file"), "after"));
    CU_ASSERT_EQUAL(stat(folder_path("file"), &about), 0);
    CU_ASSERT_EQUAL(about.st_mode & 0777, 0640);
    CU_ASSERT_TRUE(out.fd == -1 && out.path == NULL && out.temporary == NULL);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, folder_path("file"), NULL), BND_OK);
    CU_ASSERT_TRUE(write_text(&out, "never"));
    bnd_lab_output_abandon(&out);
    CU_ASSERT_TRUE(file_holds(folder_path("file"), "after"));
    unlink(folder_path("file"));
    folder_leave();
}

static void test_new_files(void)
{
    folder_enter();
    bnd_lab_output out;
    struct stat about;
    mode_t mask = umask(027);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, folder_path("new"), NULL), BND_OK);
    umask(mask);
    CU_ASSERT_TRUE(access(folder_path("new"), F_OK) != 0);
    CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, false, NULL), BND_OK);
    CU_ASSERT_EQUAL(stat(folder_path("new"), &about), 0);
    CU_ASSERT_EQUAL(about.st_mode & 0777, 0640);
    CU_ASSERT_TRUE(file_holds(folder_path("new"), ""));
    unlink(folder_path("new"));
    folder_leave();
}

static void test_links(void)
{
    folder_enter();
    bnd_lab_output out;
    bnd_error why;
    struct stat about;
    file_put(folder_path("file"), "before");
    CU_ASSERT_EQUAL(symlink("file", folder_path("link")), 0);
    CU_ASSERT_EQUAL(symlink("broken", folder_path("dangling")), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, folder_path("link"), NULL), BND_OK);
    CU_ASSERT_TRUE(write_text(&out, "after"));
    CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, false, NULL), BND_OK);
    CU_ASSERT_TRUE(file_holds(folder_path("file"), "after"));
    CU_ASSERT_TRUE(lstat(folder_path("link"), &about) == 0 && S_ISLNK(about.st_mode));
    CU_ASSERT_EQUAL(bnd_lab_output_open(&out, folder_path("dangling"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "broken"));
    unlink(folder_path("file"));
    unlink(folder_path("link"));
    unlink(folder_path("dangling"));
    folder_leave();
}

static void test_what_cannot_be_written(void)
{
    folder_enter();
    bnd_lab_output out = {.fd = 42};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_lab_output_open(&out, test_folder, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(EISDIR)));
    CU_ASSERT_EQUAL(bnd_lab_output_open(&out, folder_path("no/such"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_EQUAL(bnd_lab_output_open(&out, "", &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(out.fd, 42);
    file_put(folder_path("fixed"), "fixed");
    CU_ASSERT_EQUAL(chmod(folder_path("fixed"), 0444), 0);
    if (access(folder_path("fixed"), W_OK) != 0) { /* root may write anything */
        CU_ASSERT_EQUAL(bnd_lab_output_open(&out, folder_path("fixed"), &why), BND_BAD_STREAM);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(EACCES)));
    }
    unlink(folder_path("fixed"));
    folder_leave();
}

/* The temporary file's name is longer than the file's own; it must not be too long. 84 characters of three bytes. */
static void test_long_names(void)
{
    enum { LONGEST = 255, CHARACTERS = 84 };
    char name[LONGEST + 2], path[400], text[3 * CHARACTERS + 1];
    bnd_lab_output out;
    bnd_error why;
    folder_enter();
    memset(name, 'n', sizeof name);
    for (size_t length = LONGEST - 20; length <= LONGEST + 1; length++) {
        name[length] = '\0';
        snprintf(path, sizeof path, "%s/%s", test_folder, name);
        bnd_status status = bnd_lab_output_open(&out, path, &why);
        CU_ASSERT_EQUAL(status, length <= LONGEST ? BND_OK : BND_BAD_STREAM);
        if (status == BND_OK) {
            CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, false, &why), BND_OK);
            CU_ASSERT_TRUE(file_holds(path, ""));
            unlink(path);
        } else {
            CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENAMETOOLONG)));
        }
        name[length] = 'n';
    }
    for (size_t i = 0; i < CHARACTERS; i++) {
        memcpy(text + 3 * i, "\xe2\x82\xac", 4);
    }
    snprintf(path, sizeof path, "%s/%s", test_folder, text);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, path, NULL), BND_OK);
    const char *dot = strstr(out.temporary, "\xe2\x82\xac.");
    CU_ASSERT_PTR_NOT_NULL(dot);
    bnd_lab_output_abandon(&out);
    folder_leave();
}

/* No ordinary file: written where it stands. */
/* The values are those of xxHash's own implementation. */
static void test_checksum(void)
{
    static const struct {
        const char *text;
        uint64_t sum;
    } cases[] = {{"", UINT64_C(0xef46db3751d8e999)},
                 {"a", UINT64_C(0xd24ec4f1a98c6e5b)},
                 {"abc", UINT64_C(0x44bc2cf5ad770999)},
                 {"Nobody inspects the spammish repetition", UINT64_C(0xfbcea83c8a378bf1)}};
    unsigned char bytes[200];
    bndi_checksum whole, parts;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bndi_checksum_begin(&whole);
        bndi_checksum_add(&whole, cases[i].text, strlen(cases[i].text));
        CU_ASSERT_EQUAL(bndi_checksum_of(&whole), cases[i].sum);
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)bnd_random(5, 0, i);
    }
    for (size_t length = 0; length <= sizeof bytes; length++) { /* in pieces of any sizes */
        bndi_checksum_begin(&whole);
        bndi_checksum_begin(&parts);
        bndi_checksum_add(&whole, bytes, length);
        for (size_t at = 0, n = 0; at < length; at += n) {
            n = 1 + (size_t)bnd_random(length, 1, at) % 70;
            n = n < length - at ? n : length - at;
            bndi_checksum_add(&parts, bytes + at, n);
        }
        CU_ASSERT_EQUAL(bndi_checksum_of(&whole), bndi_checksum_of(&parts));
    }
}

static void test_devices(void)
{
    bnd_lab_output out;
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, "/dev/null", NULL), BND_OK);
    CU_ASSERT_TRUE(out.temporary == NULL && write_text(&out, "gone"));
    CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, true, NULL), BND_OK);
    CU_ASSERT_EQUAL(access("/dev/null", W_OK), 0);
}

/* The directory is gone before the name is taken: an error, and nothing left open. */
static void test_late_failure(void)
{
    folder_enter();
    bnd_lab_output out;
    bnd_error why;
    CU_ASSERT_EQUAL(mkdir(folder_path("inner"), 0777), 0);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_output_open(&out, folder_path("inner/file"), NULL), BND_OK);
    CU_ASSERT_EQUAL(unlink(out.temporary), 0);
    CU_ASSERT_EQUAL(rmdir(folder_path("inner")), 0);
    CU_ASSERT_EQUAL(bnd_lab_output_finish(&out, false, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    CU_ASSERT_TRUE(out.fd == -1 && out.path == NULL && out.temporary == NULL);
    folder_leave();
}

CU_TestInfo file_tests[] = {
    {"files in memory", test_mapping},
    {"dropped pages come back", test_dropping},
    {"a file is replaced when the new one is complete", test_replacing},
    {"new files have the permissions of any", test_new_files},
    {"links stay", test_links},
    {"what cannot be written", test_what_cannot_be_written},
    {"long names", test_long_names},
    {"checksums", test_checksum},
    {"devices", test_devices},
    {"a failure at the end", test_late_failure},
    CU_TEST_INFO_NULL,
};
