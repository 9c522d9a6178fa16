/* Damaged files: refused by the number of the line, or read as far as they are whole; never anything else. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/operands.h"

static void test_refused(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"step\": 1, \"loss\": 2}\nloss 3\n{\"step\": 3, \"loss\": 2}\n", "line 2: "},
        {"{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": \"low\"}\n", "line 2: loss: must be a number"},
        {"{\"step\": 1, \"loss\": 2}\n\n{\"step\": 2}\n", "line 3: loss: is missing"},
        {"{\"loss\": 2}\n", "line 1: found no column for the step (available: \"loss\")"},
        {"{\"step\": -1, \"loss\": 2}\n", "line 1: step: must be a whole number"},
        {"{\"step\": 1.5, \"loss\": 2}\n", "line 1: step: must be a whole number"},
        {"{\"step\": 1e300, \"loss\": 2}\n", "line 1: step: must be a whole number"},
        {"{\"step\": 18446744073709551615, \"loss\": 2}\n", "too large"},
        {"{\"step\": NaN, \"loss\": 2}\n", "line 1: step: must be a whole number"},
        {"{\"step\": 1, \"loss\": 2, \"train/skipped\": 2}\n", "line 1: train/skipped: "},
        {"{\"step\": 1, \"loss\": 2, \"loss\": 3}\n", "line 1: loss: appears twice"},
        {"{\"step\": 2, \"loss\": 2}\n{\"step\": 2, \"loss\": 3}\n", "line 2: step 2 comes after step 2"},
        {"{\"step\": 2, \"loss\": 2}\n{\"step\": 1, \"loss\": 3}\n", "line 2: step 1 comes after step 2"},
        {"{\"step\": 2, \"loss\": 2,}\n", "line 1: "},
        {"{\"step\": 2, \"loss\": 2} x\n", "line 1: column 24 of the JSON: expected the end"},
        {"{\"step\": 2, \"loss\": 2, \"x\": tru}\n", "line 1: "},
        {"{\"step\": 2, \"loss\": 2, \"x\": [1, 2}\n", "line 1: "},
        {"[1, 2]\n", "line 1: found no column for the "},
        {"hello\n", "line 1: found no column for the "},
        {"step,value\n1,2\n", "line 1: found no column for the "},
        {"step,loss\n1,2\n2,x\n", "line 3: x: must be a number"},
        {"step,loss\n1,2\n2,3,4\n", "line 3: got 3 fields; the header has 2"},
        {"step,loss\n1\n", "line 2: got 1 fields"},
        {"step,loss\n\"1,2\n", "line 2: the row: has an open quote"},
        {"step,loss,loss\n1,2,3\n", "line 1: loss: appears twice"},
        {"step,loss\n,2\n", "line 2: step: is missing"},
        {"step,loss\n1,1 2\n", "line 2: 1 2: must be a number"},
        {"step,loss\n", "has no steps"},
        {"{\"step\": 2, \"lo", "line 1: "},
        {"", "has no steps"},
        {"\n\n", "has no steps"},
    };
    char path[PATH_SIZE];
    open_folder();
    in_folder(path, "log");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_record r = {.count = 77};
        bnd_error why = {.message = ""};
        write_file(path, cases[i].text, strlen(cases[i].text));
        bnd_status status = bnd_record_read(&r, path, &why);
        if (status != BND_BAD_FILE || strstr(why.message, cases[i].says) == NULL) {
            printf("\n    %zu: status %d, %s\n", i, (int)status, why.message);
        }
        CU_ASSERT_EQUAL(status, BND_BAD_FILE);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].says));
        CU_ASSERT_EQUAL(r.count, 77);
    }
    close_folder();
}

static void test_bytes(void)
{
    char path[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    char *large = malloc(5 << 20);
    CU_ASSERT_PTR_NOT_NULL_FATAL(large);
    open_folder();
    in_folder(path, "log");
    memset(large, '{', 5 << 20);
    write_file(path, large, 5 << 20);
    CU_ASSERT_EQUAL(bnd_record_read(&r, path, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "line 1: must have at most"));
    memset(large, '{', 1000000); /* nested, within what a line may have */
    write_file(path, large, 1000000);
    CU_ASSERT_EQUAL(bnd_record_read(&r, path, &why), BND_BAD_FILE);
    write_file(path, "{\"step\": 1, \"loss\": 2}\n{\"step\": \0 2, \"loss\": 2}\n", 48);
    CU_ASSERT_EQUAL(bnd_record_read(&r, path, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "line 2: the line: must not have a zero byte"));
    CU_ASSERT_EQUAL(bnd_record_read(&r, in_folder(path, "none"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "No such file"));
    close_folder();
    free(large);
}

static const char three[] = "{\"step\": 0, \"loss\": 2.5, \"loss_is\": \"nan\"}\n"
                            "{\"step\": 1, \"loss\": 1.5, \"x\": {\"step\": 7}}\n"
                            "{\"step\": 2, \"loss\": 1.25, \"y\": \"}\"}\n";

/* A file that was cut anywhere has the points whose lines are whole. */
static void test_cut(void)
{
    char path[PATH_SIZE];
    size_t length = sizeof three - 1, first = strcspn(three, "\n");
    open_folder();
    in_folder(path, "log");
    for (size_t n = first; n <= length; n++) {
        bnd_record r;
        bnd_error why;
        size_t lines = three[n] == '\n'; /* the line is whole, but for its end */
        for (size_t i = 0; i < n; i++) {
            lines += three[i] == '\n';
        }
        write_file(path, three, n);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&r, path, &why), &why));
        CU_ASSERT_EQUAL(r.count, lines);
        bnd_record_close(&r);

        /* To write behind it, only what has its end counts. */
        uint64_t end = 0;
        size_t ended = lines - (three[n] == '\n');
        bndi_record_none(&r);
        CU_ASSERT_TRUE(succeeds(bndi_points_read(&r, &end, path, 99, &why), &why));
        CU_ASSERT_EQUAL(r.count, ended);
        CU_ASSERT_TRUE(end <= n && (end == 0 || three[end - 1] == '\n'));
        bnd_record_close(&r);
    }
    close_folder();
}

/* Bytes that are changed at random: refused with a message, or steps that ascend. */
static void test_changed(void)
{
    static const char *const texts[] = {three,
                                        "step,loss,val/loss,train/skipped\n1,2.5,,0\n2,2.25,7,true\n3,1e-3,,0\n"};
    char path[PATH_SIZE], text[256];
    uint64_t accepted = 0, refused = 0;
    open_folder();
    in_folder(path, "log");
    for (uint64_t i = 0; i < scaled(4000); i++) {
        size_t length = strlen(texts[i % 2]);
        memcpy(text, texts[i % 2], length);
        for (uint64_t k = 0; k <= i % 3; k++) {
            uint64_t bits = bnd_random_bits(3, k, i, 64);
            text[bits % length] = (char)(bits >> 32 & 1 ? bits >> 40 : (uint64_t) "{}\",:\n0-.eN"[bits >> 40 & 7]);
        }
        bnd_record r;
        bnd_error why = {.message = ""};
        write_file(path, text, length);
        if (bnd_record_read(&r, path, &why) != BND_OK) {
            refused++;
            CU_ASSERT_TRUE(why.message[0] != '\0');
            continue;
        }
        accepted++;
        for (size_t k = 1; k < r.count; k++) {
            CU_ASSERT_TRUE(r.points[k].step > r.points[k - 1].step);
        }
        bnd_record_close(&r);
    }
    CU_ASSERT_TRUE(accepted > 0 && refused > 0);
    close_folder();
}

static void test_configs(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "it has no config.json"},
        {" ", "expected '{'"},
        {"{}", "recipe is missing"},
        {"{\"recipe\": 3}", "recipe must be a string"},
        {"{\"recipe\": \"x\"}", "training.model is missing"},
        {"{\"recipe\": \"x\", \"training\": 3}", "expected '{'"},
        {"{\"recipe\": \"x\", \"training\": {\"model\": \"a model whose name is longer than names are\"}}",
         "training.model"},
        {"{\"recipe\": \"x\", \"training\": {\"model\": \"m\", \"optimizer\": \"o\", \"seed_init\": -1}}",
         "seed_init must be"},
        {"{\"recipe\": \"x\", \"training\": {\"model\": \"m\", \"optimizer\": \"o\", \"seed_init\": "
         "18446744073709551616}}",
         "seed_init must be"},
    };
    char directory[PATH_SIZE], path[PATH_SIZE];
    open_folder();
    CU_ASSERT_EQUAL_FATAL(mkdir(in_folder(directory, "run"), 0777), 0);
    in_folder(path, "run/config.json");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_record r;
        bnd_error why = {.message = ""};
        char expected[PATH_SIZE] = "config.json: ";
        write_file(path, cases[i].text, strlen(cases[i].text));
        bnd_status status = bnd_record_read(&r, directory, &why);
        CU_ASSERT_EQUAL(status, BND_BAD_FILE);
        CU_ASSERT_TRUE(strncmp(why.message, i == 0 ? "is not a r" : expected, i == 0 ? 10 : strlen(expected)) == 0);
        if (strstr(why.message, cases[i].says) == NULL) {
            printf("\n    %s\n", why.message);
            CU_FAIL("another message");
        }
    }
    static const char zeros[][16] = {"{}\n\0", "{\"recipe\": \"\0x\"}"}; /* sizeof: the last of a text */
    for (size_t i = 0; i < 2; i++) {
        bnd_record r;
        bnd_error why;
        write_file(path, zeros[i], i == 0 ? 4 : 15);
        CU_ASSERT_EQUAL(bnd_record_read(&r, directory, &why), BND_BAD_FILE);
        CU_ASSERT_STRING_EQUAL(why.message, i == 0 ? "config.json: line 2: must not have a zero byte"
                                                   : "config.json: line 1: must not have a zero byte");
    }
    close_folder();
}

CU_TestInfo damage_tests[] = {
    {"refused by line", test_refused}, {"bytes", test_bytes}, {"cut anywhere", test_cut}, {"changed", test_changed},
    {"configurations", test_configs},  CU_TEST_INFO_NULL,
};
