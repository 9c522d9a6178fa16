/* What is wrong with the files of a checkpoint is reported with its code; without someone to report to, it is the
 * failure. */
#include "files.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the folder with someone to report to: these reports are made, and so many tensors are left. */
static void expect_told(const char *reported, size_t tensors)
{
    reports r;
    bnd_error why = {.message = ""};
    bnd_checkpoint *c = open_named("", &r, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    if (strcmp(r.text, reported) != 0) {
        printf("\nexpected %s\ngot      %s\n", reported, r.text);
        CU_FAIL("other reports");
    }
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), tensors);
    for (size_t i = 0; i < bnd_checkpoint_count(c); i++) {
        CU_ASSERT_PTR_EQUAL(bnd_checkpoint_find(c, bnd_checkpoint_at(c, i)->name), bnd_checkpoint_at(c, i));
    }
    bnd_checkpoint_free(c);
}

/* Opens the folder both ways: without someone to report to, the first report is the failure. */
static void expect(const char *reported, size_t tensors)
{
    bnd_error why = {.message = ""};
    expect_told(reported, tensors);
    CU_ASSERT_EQUAL(open_named("", NULL, &why) != NULL, false);
    const char *where = strchr(reported, ' ') + 1;
    size_t length = strcspn(where, ";");
    CU_ASSERT_TRUE(strncmp(why.message, where, length) == 0 && why.message[length] == ':');
}

/* Loads in every program: whoever reports to nobody opens all of it. */
static void expect_open(const char *reported, size_t tensors)
{
    bnd_error why = {.message = ""};
    expect_told(reported, tensors);
    bnd_checkpoint *c = open_named("", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), tensors);
    bnd_checkpoint_free(c);
}

static void index_with(const char *text, const char *reported, size_t tensors)
{
    put_text("model.safetensors.index.json", text);
    expect(reported, tensors);
}

static void test_shards(void)
{
    char path[PATH_SIZE];
    open_folder();
    put_two_shards();
    put_shard("2.safetensors", SHARD_2, 7);
    expect("shard-truncated 2.safetensors; ", 3); /* v is complete */
    put_shard("2.safetensors", SHARD_2, 4);
    expect("shard-truncated 2.safetensors; ", 3);
    put_shard("2.safetensors", SHARD_2, 3);
    expect("shard-truncated 2.safetensors; ", 2);
    put_shard("2.safetensors", SHARD_2, 9);
    expect("shard-oversized 2.safetensors; ", 4);
    put_text("2.safetensors", "\x20");
    expect("shard-truncated 2.safetensors; ", 2);
    put_text("2.safetensors", "not a file of this kind");
    expect("shard-unreadable 2.safetensors; ", 2);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "2.safetensors")), 0);
    expect("shard-missing 2.safetensors; ", 2);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "model.safetensors.index.json")), 0);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "1.safetensors")), 0);
    put_shard("m-00002-of-00003.safetensors", SHARD_1, 16);
    expect("shard-missing m-00001-of-00003.safetensors; shard-missing m-00003-of-00003.safetensors; ", 2);
    put_shard("m-00001-of-00003.safetensors", SHARD_2, 8);
    expect("shard-missing m-00003-of-00003.safetensors; ", 4);
    close_folder();
}

#define ONE(name) "{\"" name "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"

/* Every series of a folder without an index is looked at, and each by itself. */
static void test_series(void)
{
    char path[PATH_SIZE];
    open_folder();
    put_shard("adapter_model.safetensors", ONE("a"), 1);
    put_shard("model-00001-of-00003.safetensors", ONE("b"), 1);
    expect("shard-missing model-00002-of-00003.safetensors; shard-missing model-00003-of-00003.safetensors; ", 2);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "model-00001-of-00003.safetensors")), 0);
    put_shard("a-00001-of-00001.safetensors", ONE("b"), 1);
    put_shard("model-00001-of-00002.safetensors", ONE("c"), 1);
    expect("shard-missing model-00002-of-00002.safetensors; ", 3);
    put_shard("model-00002-of-00002.safetensors", ONE("d"), 1);
    put_shard("model-00001-of-00003.safetensors", ONE("e"), 1);
    put_shard("model-00002-of-00003.safetensors", ONE("f"), 1);
    put_shard("model-00003-of-00003.safetensors", ONE("g"), 1);
    expect_open("", 7);
    put_shard("zero-00000-of-00002.safetensors", ONE("h"), 1);
    expect("shard-missing zero-00001-of-00002.safetensors; ", 8);
    put_shard("zero-00001-of-00002.safetensors", ONE("i"), 1);
    expect_open("", 9);
    close_folder();
}

static void test_index(void)
{
    open_folder();
    put_two_shards();
    index_with(INDEX_OF("24", LINES ",\"z\":\"1.safetensors\""), "index-missing-tensor z; ", 4);
    index_with(INDEX_OF("24", "\"v\":\"2.safetensors\",\"w.a\":\"2.safetensors\",\"w.b\":\"1.safetensors\","
                              "\"w.c\":\"2.safetensors\""),
               "index-wrong-file w.a; ", 4);
    put_text("model.safetensors.index.json", INDEX_OF("24", LINES));
    put_text("config.json", "{}");
    char path[PATH_SIZE], folder[PATH_SIZE];
    CU_ASSERT_EQUAL(unlink(in_folder(path, "config.json")), 0);
    CU_ASSERT_EQUAL(symlink(in_folder(folder, ""), path), 0); /* a folder, which has no text */
    expect("text-unreadable config.json; ", 4);
    CU_ASSERT_EQUAL(unlink(path), 0);
    expect_open("", 4);
    CU_ASSERT_EQUAL(symlink("nowhere", path), 0); /* not the same as no config */
    expect("text-unreadable config.json; ", 4);
    close_folder();
}

/* An index that is stale, which no loader minds: it names the files, and all their tensors are taken. */
static void test_stale_index(void)
{
    open_folder();
    put_two_shards();
    put_text("model.safetensors.index.json", INDEX_OF("25", LINES));
    expect_open("index-total-size model.safetensors.index.json; ", 4);
    put_text("model.safetensors.index.json",
             INDEX_OF("24.0", "\"v\":\"2.safetensors\",\"w.a\":\"1.safetensors\",\"w.c\":\"2.safetensors\""));
    expect_open("tensor-not-in-index w.b; ", 4);
    close_folder();
}

/* The tensor of the file that the index names is used. */
static void test_twice(void)
{
    open_folder();
    put_two_shards();
    put_shard("3.safetensors",
              "{\"w.a\":{\"dtype\":\"BF16\",\"shape\":[6],\"data_offsets\":[0,12]},"
              "\"z\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[12,13]}}",
              13);
    index_with(INDEX_OF("25", LINES ",\"z\":\"3.safetensors\""), "tensor-twice w.a; ", 5);
    index_with(INDEX_OF("25", "\"v\":\"2.safetensors\",\"w.a\":\"3.safetensors\",\"w.b\":\"1.safetensors\","
                              "\"w.c\":\"2.safetensors\",\"z\":\"3.safetensors\""),
               "tensor-twice w.a; ", 5);
    reports r;
    bnd_checkpoint *c = open_named("", &r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(bnd_checkpoint_find(c, "w.a")->rank, 1);
    bnd_checkpoint_free(c);
    close_folder();
}

/* PyTorch's 4-bit type counts pairs. */
static void test_pairs(void)
{
    open_folder();
    put_shard("model.safetensors", "{\"q\":{\"dtype\":\"F4\",\"shape\":[2,4],\"data_offsets\":[0,8]}}", 8);
    expect("f4-in-pairs q; ", 1);
    reports r;
    bnd_checkpoint *c = open_named("", &r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    const bnd_stored_tensor *q = bnd_checkpoint_at(c, 0);
    CU_ASSERT_TRUE(q->shape[0] == 2 && q->shape[1] == 8 && q->count == 16 && q->size == 8 && q->bits == 4);
    bnd_checkpoint_free(c);
    put_shard("model.safetensors", "{\"q\":{\"dtype\":\"F4\",\"shape\":[2,4],\"data_offsets\":[0,12]}}", 12);
    expect("shard-unreadable model.safetensors; ", 0);
    close_folder();
}

/* An index that no one should follow. */
static void test_hostile_index(void)
{
    static const char *const texts[] = {
        INDEX_OF("1", "\"a\":\"../1.safetensors\""),
        INDEX_OF("1", "\"a\":\"/etc/1.safetensors\""),
        INDEX_OF("1", "\"a\":\"x\\\\1.safetensors\""),
        INDEX_OF("1", "\"a\":\"..\""),
        INDEX_OF("1", "\"a\":\"\""),
        INDEX_OF("1", "\"a\":\"/etc/passwd\""),
        INDEX_OF("1", "\"a\":\".safetensors\""),
        INDEX_OF("1", "\"a\":\"1.safetensors\\u0000\""),
        INDEX_OF("1", "\"a\":1"),
        INDEX_OF("1", "\"a\":\"1.safetensors\",\"a\":\"1.safetensors\""),
        INDEX_OF("1", "\"a\":\"1.safetensors\",\"\\u0061\":\"2.safetensors\""),
        INDEX_OF("1", "\"a\":\"1.safetensors\"") "x",
        INDEX_OF("1", ""),
        "{\"weight_map\":{\"v\":\"2.safetensors\"},\"weight_map\":{\"v\":\"2.safetensors\"}}",
        "{\"metadata\":{}}",
        "{\"weight_map\":[]}",
        "{\"weight_map\":{\"v\":\"2.safetensors\"},\"x\":[}",
        "[]",
        "",
    };
    open_folder();
    put_two_shards();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bnd_error why = {.message = ""};
        reports r;
        put_text("model.safetensors.index.json", texts[i]);
        if (open_named("", &r, &why) != NULL || why.status != BND_BAD_FILE || r.count != 0 ||
            strncmp(why.message, "model.safetensors.index.json: ", 30) != 0) {
            printf("\n%s: %s\n", texts[i], why.message);
            CU_FAIL("this index is accepted, or refused for something else");
        }
    }
    close_folder();
}

CU_TestInfo damage_tests[] = {
    {"shards", test_shards},
    {"numbered shards", test_series},
    {"an index that is wrong", test_index},
    {"an index that is stale", test_stale_index},
    {"tensors that are there twice", test_twice},
    {"4-bit elements counted in pairs", test_pairs},
    {"an index that is hostile", test_hostile_index},
    CU_TEST_INFO_NULL,
};
