/* Checkpoints are opened: files, folders, indexes, texts and metadata. */
#include "files.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bnd_checkpoint *opened(const char *name)
{
    bnd_error why = {.message = ""};
    bnd_checkpoint *c = open_named(name, NULL, &why);
    if (c == NULL) {
        CU_FAIL_FATAL("it cannot be opened");
    }
    return c;
}

/* The tensors file by file, each with its properties. */
static void test_two_shards(void)
{
    open_folder();
    put_two_shards();
    bnd_checkpoint *c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_kind_of(c), BND_CHECKPOINT_SAFETENSORS);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_index(c), "model.safetensors.index.json");
    CU_ASSERT_EQUAL(bnd_checkpoint_files(c), 2);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_file_name(c, 1), "2.safetensors");
    CU_ASSERT_EQUAL(bnd_checkpoint_file_size(c, 1), 8 + strlen(SHARD_2) + 8);
    CU_ASSERT_PTR_NULL(bnd_checkpoint_file_name(c, 2));
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), 4);
    static const char *const names[] = {"w.a", "w.b", "v", "w.c"};
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_STRING_EQUAL(bnd_checkpoint_at(c, i)->name, names[i]);
        CU_ASSERT_PTR_EQUAL(bnd_checkpoint_find(c, names[i]), bnd_checkpoint_at(c, i));
        CU_ASSERT_EQUAL(bnd_checkpoint_at(c, i)->file, i / 2);
    }
    CU_ASSERT_PTR_NULL(bnd_checkpoint_at(c, 4));
    bnd_checkpoint_expect_all(c); /* changes nothing that can be seen */
    CU_ASSERT_PTR_NULL(bnd_checkpoint_find(c, "w"));
    const bnd_stored_tensor *a = bnd_checkpoint_at(c, 0), *b = bnd_checkpoint_at(c, 1), *i32 = bnd_checkpoint_at(c, 3);
    CU_ASSERT_STRING_EQUAL(a->dtype, "BF16");
    CU_ASSERT_STRING_EQUAL(a->format->name, "bf16");
    CU_ASSERT_TRUE(a->kind == BND_STORED_FLOAT && a->bits == 16 && a->rank == 2 && a->shape[1] == 3);
    CU_ASSERT_TRUE(a->count == 6 && a->size == 12 && a->data[11] == 11);
    CU_ASSERT_STRING_EQUAL(b->format->name, "e4m3");
    CU_ASSERT_TRUE(i32->kind == BND_STORED_INTEGER && i32->is_signed && i32->format == NULL && i32->rank == 0);
    CU_ASSERT_TRUE(i32->count == 1 && i32->data[0] == 4);
    bnd_checkpoint_free(c);
    close_folder();
}

/* Of a key that both files have, the text of the first. */
static void test_metadata(void)
{
    open_folder();
    put_two_shards();
    bnd_checkpoint *c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_metadata_count(c), 3);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(c, "format"), "pt");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(c, "b"), "2");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata_at(c, 1)->key, "b");
    CU_ASSERT_PTR_NULL(bnd_checkpoint_metadata_at(c, 3));
    CU_ASSERT_PTR_NULL(bnd_checkpoint_metadata(c, "c"));
    bnd_checkpoint_free(c);
    close_folder();
}

/* Which files a folder's checkpoint has: those of the index, or model.safetensors, or all. */
static void test_folders(void)
{
    open_folder();
    put_two_shards();
    put_shard("unused.safetensors", SHARD_1, 16);
    bnd_checkpoint *c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_files(c), 2);
    bnd_checkpoint_free(c);

    char path[PATH_SIZE], other[PATH_SIZE];
    in_folder(path, "model.safetensors.index.json");
    CU_ASSERT_EQUAL(rename(path, in_folder(other, "x.safetensors.index.json")), 0);
    c = opened("");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_index(c), "x.safetensors.index.json");
    bnd_checkpoint_free(c);
    put_text("y.safetensors.index.json", INDEX_OF("16", "\"w.a\":\"1.safetensors\",\"w.b\":\"1.safetensors\""));
    bnd_error why;
    CU_ASSERT_PTR_NULL(open_named("", NULL, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "has several indexes"));
    c = opened("y.safetensors.index.json");
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), 2);
    bnd_checkpoint_free(c);

    CU_ASSERT_EQUAL(unlink(other), 0);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "y.safetensors.index.json")), 0);
    CU_ASSERT_EQUAL(unlink(in_folder(path, "unused.safetensors")), 0);
    c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), 4);
    CU_ASSERT_PTR_NULL(bnd_checkpoint_index(c));
    bnd_checkpoint_free(c);
    put_shard("model.safetensors", SHARD_2, 8);
    c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), 2);
    bnd_checkpoint_free(c);
    close_folder();
}

static void test_texts(void)
{
    open_folder();
    put_two_shards();
    put_text("config.json", "{\"model_type\":\"x\"}");
    put_text("hf_quant_config.json", "");
    put_text("tokenizer.json", "{}");
    put_text(".hidden", "x");
    static const char *const paths[] = {"", "1.safetensors"};
    for (size_t i = 0; i < 2; i++) {
        bnd_checkpoint *c = opened(paths[i]);
        size_t length = 99;
        CU_ASSERT_STRING_EQUAL(bnd_checkpoint_text(c, "config.json", &length), "{\"model_type\":\"x\"}");
        CU_ASSERT_EQUAL(length, 18);
        CU_ASSERT_STRING_EQUAL(bnd_checkpoint_text(c, "hf_quant_config.json", NULL), "");
        CU_ASSERT_PTR_NULL(bnd_checkpoint_text(c, "quant_config.json", NULL));
        CU_ASSERT_PTR_NULL(bnd_checkpoint_text(c, "tokenizer.json", NULL));
        CU_ASSERT_EQUAL(bnd_checkpoint_others(c), i == 0 ? 3 : 0);
        if (i == 0) {
            CU_ASSERT_STRING_EQUAL(bnd_checkpoint_other_name(c, 2), "tokenizer.json");
        }
        CU_ASSERT_PTR_NULL(bnd_checkpoint_other_name(c, 3));
        bnd_checkpoint_free(c);
    }
    close_folder();
}

/* Shards of 100 GB, all of which are holes: their data are not looked at. */
static void test_huge(void)
{
    enum { SHARDS = 3 };
    const uint64_t size = 100000000000;
    open_folder();
    for (size_t i = 1; i <= SHARDS; i++) {
        char name[64], header[200], path[PATH_SIZE];
        snprintf(name, sizeof name, "model-%05zu-of-%05d.safetensors", i, (int)SHARDS);
        snprintf(header, sizeof header, "{\"w%zu\":{\"dtype\":\"BF16\",\"shape\":[%llu],\"data_offsets\":[0,%llu]}}", i,
                 (unsigned long long)size / 2, (unsigned long long)size);
        put_shard(name, header, 0);
        if (truncate(in_folder(path, name), (off_t)(8 + strlen(header) + size)) != 0 || sizeof(void *) < 8) {
            skip_test("files of 100 GB, which this file system or machine cannot have");
            close_folder();
            return;
        }
    }
    bnd_checkpoint *c = opened("");
    CU_ASSERT_EQUAL(bnd_checkpoint_count(c), SHARDS);
    CU_ASSERT_EQUAL(bnd_checkpoint_at(c, 2)->size, size);
    CU_ASSERT_EQUAL(bnd_checkpoint_at(c, 2)->data[size - 1], 0);
    bnd_checkpoint_free(c);
    close_folder();
}

static bool has_config(const char *name)
{
    bnd_checkpoint *c = opened(name);
    bool has = bnd_checkpoint_text(c, "config.json", NULL) != NULL;
    bnd_checkpoint_free(c);
    return has;
}

/* A file alone has the folder's config if the folder is opened with it. */
static void test_neighbour(void)
{
    char path[PATH_SIZE];
    open_folder();
    put_text("config.json", "{}");
    put_shard("other.safetensors", SHARD_1, 16);
    CU_ASSERT_TRUE(has_config("other.safetensors")); /* the folder is all of its files */
    put_shard("model.safetensors", SHARD_1, 16);
    CU_ASSERT_TRUE(has_config("model.safetensors"));
    CU_ASSERT_FALSE(has_config("other.safetensors"));
    put_two_shards();
    CU_ASSERT_TRUE(has_config("1.safetensors") && has_config("2.safetensors"));
    CU_ASSERT_FALSE(has_config("model.safetensors"));
    put_text("model.safetensors.index.json", "no index");
    CU_ASSERT_TRUE(has_config("1.safetensors")); /* it is not known */
    CU_ASSERT_EQUAL(unlink(in_folder(path, "config.json")), 0);
    CU_ASSERT_FALSE(has_config("1.safetensors"));
    close_folder();
}

static void test_refused(void)
{
    bnd_error why;
    open_folder();
    CU_ASSERT_PTR_NULL(open_named("nothing", NULL, &why));
    CU_ASSERT_EQUAL(why.status, BND_BAD_STREAM);
    CU_ASSERT_PTR_NULL(open_named("", NULL, &why));
    CU_ASSERT_EQUAL(why.status, BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "no .safetensors file"));
    put_text("x.safetensors", "this is another kind of file");
    CU_ASSERT_PTR_NULL(open_named("x.safetensors", NULL, &why));
    CU_ASSERT_EQUAL(why.status, BND_BAD_FILE);
    reports r;
    CU_ASSERT_PTR_NULL(open_named("x.safetensors", &r, &why)); /* alone, it is not a checkpoint */
    CU_ASSERT_PTR_NULL(open_named("", NULL, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "x.safetensors: "));
    close_folder();
}

CU_TestInfo opening_tests[] = {
    {"two shards", test_two_shards}, {"metadata", test_metadata}, {"folders", test_folders},
    {"huge files", test_huge},       {"texts", test_texts},       {"a file and its folder's config", test_neighbour},
    {"refused", test_refused},       CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("checkpoints opened", opening_tests), SUITE("damaged checkpoints", damage_tests),
        SUITE("kinds of files", kind_tests),        SUITE("broken checkpoints", broken_tests),
        SUITE("checkpoints written", writer_tests), CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
