/* Recipes as people choose them: names, settings, files, and lists of these. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void chosen(const char *text, size_t length, const char *called, const char *same_as)
{
    bnd_policy policy, expected;
    char name[BND_RECORD_NAME_SIZE];
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_recipe_choose_n(&policy, name, text, length, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&expected, same_as, &why), &why));
    CU_ASSERT_STRING_EQUAL(name, called);
    CU_ASSERT_TRUE(bnd_policy_same(&policy, &expected));
}

static void test_names(void)
{
    chosen("bf16-amp", 8, "bf16-amp", "bf16-amp");
    chosen("fp32,bf16-amp", 4, "fp32", "fp32"); /* the text goes on behind it */
    chosen("BF16-amp", 8, "bf16-amp", "bf16-amp");
    chosen("gemm=bf16,m=bf16", 16, "gemm=bf16,m=bf16", "gemm=bf16,m=bf16");
    chosen("base=bf16-amp,v=e5m2;fp32", 20, "base=bf16-amp,v=e5m2", "base=bf16-amp,v=e5m2");
}

static void in_file(const char *file, const char *json, const char *called, const char *same_as)
{
    char path[PATH_SIZE];
    in_folder(path, file);
    write_file(path, json, strlen(json));
    chosen(path, strlen(path), called == NULL ? path : called, same_as);
}

static void test_files(void)
{
    open_folder();
    in_file("mine.json", "{\"base\": \"bf16-amp\", \"v\": \"e5m2\", \"name\": \"mine\"}", "mine",
            "base=bf16-amp,v=e5m2");
    in_file("false.json", "{\"act\": \"bf16\", \"name\": \"fp32\"}", NULL, "act=bf16"); /* another one's name */
    in_file("row.json", "{\"name\": \"bf16-amp\", \"base\": \"bf16-amp\"}", "bf16-amp", "bf16-amp");
    close_folder();
}

static void refused(const char *text, size_t length, bnd_status expected, const char *words)
{
    bnd_policy policy, before;
    char name[BND_RECORD_NAME_SIZE] = "untouched";
    bnd_error why = {.message = ""};
    memset(&policy, 0x5a, sizeof policy);
    memcpy(&before, &policy, sizeof policy);
    const bnd_status status = bnd_recipe_choose_n(&policy, name, text, length, &why);
    if (status != expected || strstr(why.message, words) == NULL) {
        printf("\n    %.40s: %d %s", text, (int)status, why.message);
    }
    CU_ASSERT_EQUAL(status, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, words));
    CU_ASSERT_STRING_EQUAL(name, "untouched");
    CU_ASSERT_EQUAL(memcmp(&policy, &before, sizeof policy), 0);
}

static void test_refused(void)
{
    char path[PATH_SIZE], text[BND_RECORD_NAME_SIZE + 1];
    memset(text, 'x', sizeof text);
    refused("", 0, BND_BAD_SYNTAX, "a recipe is missing");
    refused(text, BND_RECORD_NAME_SIZE, BND_BAD_SYNTAX, "at most 255 characters, not 256: 'xxx");
    refused("bf16-amq", 8, BND_BAD_NAME, "did you mean bf16-amp");
    refused("gone=bf16", 9, BND_BAD_NAME, "unknown role or setting 'gone'");
    refused("m=hadamard:e4m3", 15, BND_BAD_NAME, "");
    open_folder();
    in_folder(path, "gone.json");
    refused(path, strlen(path), BND_BAD_STREAM, "gone.json: ");
    write_file(path, "{\"act\": ", 8);
    refused(path, strlen(path), BND_BAD_FILE, "gone.json: ");
    close_folder();
}

static void test_lists(void)
{
    static const struct {
        const char *list;
        size_t first;
    } cases[] = {{"", 0},
                 {"fp32", 4},
                 {"fp32,bf16-amp", 4},
                 {"fp32;bf16-amp", 4},
                 {"gemm=bf16,m=bf16,fp32", 16},
                 {"gemm=bf16;m=bf16", 9},
                 {"bf16-amp,v=e5m2,m=bf16", 22},
                 {"base=fp16-amp,m=fp32,base=bf16-amp", 20},
                 {"fp32,base=bf16-amp,m=bf16", 4},
                 {"mine.json,fp32", 9},
                 {"a,,b", 1},
                 {",fp32", 0},
                 {"fp32,", 4},
                 {"fp32,based=1,x", 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t first = bnd_recipe_list_first(cases[i].list);
        if (first != cases[i].first) {
            printf("\n    %s: %zu", cases[i].list, first);
        }
        CU_ASSERT_EQUAL(first, cases[i].first);
    }
}

CU_TestInfo choice_tests[] = {{"names and settings", test_names},
                              {"files", test_files},
                              {"what is refused", test_refused},
                              {"lists", test_lists},
                              CU_TEST_INFO_NULL};
