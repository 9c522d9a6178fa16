/* Checkpoints that are cut short at every byte, with every bit of their headers flipped, and without memory: they are
 * refused or reported, and what is opened keeps its promises. */
#include "files.h"
#include "gguf_bytes.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of the folder, kept to be broken. */
typedef struct kept_file {
    char path[PATH_SIZE];
    char *bytes;
    size_t size;
} kept_file;

static void keep(kept_file *f, const char *name)
{
    in_folder(f->path, name);
    f->bytes = read_file(&f->size, f->path);
}

static void restore(kept_file *f)
{
    write_file(f->path, f->bytes, f->size);
    free(f->bytes);
}

/* Every name is found, and the data are there to be read. */
static bool keeps_promises(const bnd_checkpoint *c)
{
    bool right = true;
    unsigned sum = 0;
    for (size_t i = 0; i < bnd_checkpoint_count(c); i++) {
        const bnd_stored_tensor *t = bnd_checkpoint_at(c, i);
        right = right && bnd_checkpoint_find(c, t->name) == t && t->file < bnd_checkpoint_files(c);
        sum += t->size > 0 ? (unsigned)t->data[0] + t->data[t->size - 1] : 0;
    }
    for (size_t i = 0; i < bnd_checkpoint_metadata_count(c); i++) {
        const bnd_safetensors_pair *pair = bnd_checkpoint_metadata_at(c, i);
        right = right && bnd_checkpoint_metadata(c, pair->key) == pair->value;
    }
    return right && sum <= 2 * 255 * bnd_checkpoint_count(c);
}

/* ---- cut short ---- */

/* `reported` is what is reported of each length; NULL: all of them are refused. */
static void cut(const char *opened, const char *name, const char *reported)
{
    kept_file f;
    size_t wrong = 0;
    keep(&f, name);
    for (size_t length = 0; length < f.size; length++) {
        reports r;
        bnd_error why = {.message = ""};
        write_file(f.path, f.bytes, length);
        bnd_checkpoint *c = open_named(opened, &r, &why);
        bool right = c == NULL ? reported == NULL && why.status == BND_BAD_FILE && why.message[0] != '\0'
                               : reported != NULL && strcmp(r.text, reported) == 0 && keeps_promises(c);
        if (!right && wrong++ < 5) {
            printf("\n%s cut to %zu bytes: %s%s\n", name, length, c != NULL ? r.text : "refused, ", why.message);
        }
        bnd_checkpoint_free(c);
        right = open_named(opened, NULL, &why) == NULL;
        wrong += !right;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    restore(&f);
}

static void test_cut(void)
{
    open_folder();
    put_two_shards();
    put_other_kinds();
    cut("", "1.safetensors", "shard-truncated 1.safetensors; ");
    cut("", "2.safetensors", "shard-truncated 2.safetensors; ");
    cut("1.safetensors", "1.safetensors", "shard-truncated 1.safetensors; ");
    cut("", "model.safetensors.index.json", NULL);
    cut("m.gguf", "m.gguf", NULL);
    cut("w.npy", "w.npy", NULL);
    close_folder();
}

/* ---- flipped bits ---- */

/* Of an index that is stale nothing is refused. */
static bool is_refused(const reports *r)
{
    static const char *const stale[] = {"index-total-size ", "tensor-not-in-index "};
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = r->text; (at = strstr(at, stale[i])) != NULL; at++) {
            count++;
        }
    }
    return r->count > count;
}

static void flip(const char *opened, const char *name, size_t header)
{
    kept_file f;
    size_t wrong = 0, accepted = 0;
    keep(&f, name);
    CU_ASSERT_TRUE_FATAL(header <= f.size);
    for (size_t bit = 0; bit < 8 * header; bit++) {
        reports r;
        bnd_error why = {.message = ""};
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_file(f.path, f.bytes, f.size);
        bnd_checkpoint *c = open_named(opened, &r, &why);
        wrong += c != NULL ? !keeps_promises(c) : why.message[0] == '\0';
        accepted += c != NULL;
        bnd_checkpoint_free(c);
        c = open_named(opened, NULL, &why);
        wrong += c != NULL && (is_refused(&r) || !keeps_promises(c));
        bnd_checkpoint_free(c);
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(accepted > 0 && accepted <= 8 * header);
    restore(&f);
}

static void test_flipped(void)
{
    open_folder();
    put_two_shards();
    put_other_kinds();
    flip("", "1.safetensors", 8 + strlen(SHARD_1));
    flip("", "model.safetensors.index.json", strlen(INDEX_OF("24", LINES)));
    gguf_bytes g;
    gguf_good(&g);
    flip("m.gguf", "m.gguf", g.size - 128 - 144);
    flip("w.npy", "w.npy", 10 + 58);
    close_folder();
}

/* ---- no memory ---- */

#if defined(BND_WITH_WRAP)
static void without_memory(const char *opened)
{
    char path[PATH_SIZE];
    bnd_status status = BND_NO_MEMORY;
    uint64_t tries = 0;
    in_folder(path, opened);
    for (; status == BND_NO_MEMORY && tries < 1000; tries++) {
        int64_t living = allocations_living();
        bnd_error why = {.message = ""};
        reports r = {.count = 0};
        bnd_checkpoint *c = NULL;
        allocations_fail(tries, false);
        status = bnd_checkpoint_new(&c, path, take_report, &r, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_TRUE((status == BND_OK) == (c != NULL) && r.count == 0);
        CU_ASSERT_TRUE(status == BND_OK || why.message[0] != '\0');
        bnd_checkpoint_free(c);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    CU_ASSERT_TRUE(tries > 5);
}

static void test_allocations(void)
{
    open_folder();
    put_two_shards();
    put_other_kinds();
    put_text("config.json", "{}");
    static const char *const names[] = {"", "1.safetensors", "m.gguf", "w.npy"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        without_memory(names[i]);
    }
    close_folder();
}
#endif

CU_TestInfo broken_tests[] = {
    {"cut short", test_cut},
    {"flipped bits", test_flipped},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_allocations},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
