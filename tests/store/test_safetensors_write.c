/* .safetensors written, and read again. */
#include "tests.h"
#include "tests/support/suites.h"
#include "tests/support/allocations.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/mapped_file.h"

enum { BYTES = 64 };
static const char *const dtypes[] = {
    "BOOL",        "F4",          "F6_E2M3", "F6_E3M2", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "I16", "U16", "F8_E8M0",
    "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F16",     "BF16",    "I32", "U32", "F32",     "C64",     "F64", "I64", "U64"};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static const unsigned char *random_bytes(void)
{
    static uint64_t words[BYTES];
    for (size_t i = 0; i < BYTES; i++) {
        words[i] = bnd_random(7, 0, i);
    }
    return (const unsigned char *)words;
}

/* One of each dtype, each with eight elements. */
static void all_dtypes(bnd_safetensor *out, const uint64_t *shape)
{
    const unsigned char *bytes = random_bytes();
    for (size_t i = 0; i < DTYPES; i++) {
        out[i] = (bnd_safetensor){.name = dtypes[i], .dtype = dtypes[i], .rank = 3, .shape = shape, .data = bytes + i};
    }
}

static bnd_safetensors *opened(const char *path)
{
    bnd_safetensors *file = NULL;
    bnd_error why = {.message = ""};
    bnd_status status = bnd_safetensors_new(&file, path, &why);
    if (status != BND_OK) {
        printf("\n  refused: %s\n", why.message);
    }
    CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    return file;
}

static bool write_fails(const bnd_safetensor *entries, size_t count, const bnd_safetensors_pair *pairs,
                        size_t pair_count, const char *word)
{
    bnd_error why = {.message = ""};
    bnd_status status = bnd_safetensors_write(folder_path("file"), entries, count, pairs, pair_count, &why);
    bool held = status == BND_BAD_ARGUMENT && why.status == status && strstr(why.message, word) != NULL &&
                bnd_safetensors_write(folder_path("file"), entries, count, pairs, pair_count, NULL) == status;
    if (!held) {
        printf("\n  '%s' was expected: status %d, %s\n", word, (int)status, why.message);
    }
    return held;
}

static void test_round_trip(void)
{
    const uint64_t shape[] = {2, 1, 4};
    bnd_safetensor entries[DTYPES];
    all_dtypes(entries, shape);
    folder_enter();
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("file"), entries, DTYPES, NULL, 0, &why), BND_OK);
    bnd_safetensors *file = opened(folder_path("file"));
    CU_ASSERT_EQUAL(bnd_safetensors_count(file), DTYPES);
    CU_ASSERT_EQUAL(bnd_safetensors_metadata_count(file), 0);
    const unsigned char *first = bnd_safetensors_at(file, 0)->data;
    CU_ASSERT_EQUAL((uintptr_t)first % 8, 0); /* a map begins at a page */
    for (size_t i = 0; i < DTYPES; i++) {
        const bnd_safetensor *t = bnd_safetensors_find(file, dtypes[i]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(t);
        CU_ASSERT_STRING_EQUAL(t->dtype, dtypes[i]);
        CU_ASSERT_TRUE(t->rank == 3 && memcmp(t->shape, shape, sizeof shape) == 0 && t->size == t->bits);
        CU_ASSERT_EQUAL(memcmp(t->data, entries[i].data, (size_t)t->size), 0);
        CU_ASSERT_EQUAL((t->data - first) % (t->bits > 8 ? t->bits / 8 : 1), 0);
    }
    bnd_safetensors_free(file);
    unlink(folder_path("file"));
    folder_leave();
}

/* The same arrays in another order make the same file. */
static void test_order(void)
{
    const uint64_t shape[] = {4, 2, 1};
    bnd_safetensor entries[DTYPES], turned[DTYPES];
    all_dtypes(entries, shape);
    for (size_t i = 0; i < DTYPES; i++) {
        turned[i] = entries[DTYPES - 1 - i];
    }
    folder_enter();
    bnd_lab_mapped a, b;
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("a"), entries, DTYPES, NULL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("b"), turned, DTYPES, NULL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_map_open(&a, folder_path("a"), NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_lab_map_open(&b, folder_path("b"), NULL), BND_OK);
    CU_ASSERT_TRUE(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
    bnd_lab_map_close(&a);
    bnd_lab_map_close(&b);
    unlink(folder_path("a"));
    unlink(folder_path("b"));
    folder_leave();
}

static void test_texts(void)
{
    static const char *const names[] = {"", "a\tb\n\"c\"\\", "\x01\x7f", "\xc3\xa9\xf0\x9f\x98\x80",
                                        "blocks.0.qkv.weight"};
    enum { NAMES = sizeof names / sizeof names[0] };
    bnd_safetensor entries[NAMES];
    bnd_safetensors_pair pairs[NAMES];
    const unsigned char byte = 42;
    for (size_t i = 0; i < NAMES; i++) {
        entries[i] = (bnd_safetensor){.name = names[i], .dtype = "U8", .data = &byte};
        pairs[i] = (bnd_safetensors_pair){names[i], names[NAMES - 1 - i]};
    }
    folder_enter();
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("file"), entries, NAMES, pairs, NAMES, NULL), BND_OK);
    bnd_safetensors *file = opened(folder_path("file"));
    CU_ASSERT_EQUAL(bnd_safetensors_metadata_count(file), NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        const bnd_safetensor *t = bnd_safetensors_find(file, names[i]);
        CU_ASSERT_TRUE(t != NULL && t->rank == 0 && t->count == 1 && t->data[0] == byte);
        CU_ASSERT_STRING_EQUAL(bnd_safetensors_metadata(file, names[i]), names[NAMES - 1 - i]);
    }
    bnd_safetensors_free(file);
    unlink(folder_path("file"));
    folder_leave();
}

/* No tensor, none of the data, and a file over another. */
static void test_small(void)
{
    const uint64_t none[] = {3, 0};
    const bnd_safetensor empty = {.name = "e", .dtype = "F32", .rank = 2, .shape = none};
    folder_enter();
    file_put(folder_path("file"), "before");
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("file"), NULL, 0, NULL, 0, NULL), BND_OK);
    CU_ASSERT_FALSE(file_holds(folder_path("file"), "before"));
    bnd_safetensors *file = opened(folder_path("file"));
    CU_ASSERT_EQUAL(bnd_safetensors_count(file), 0);
    bnd_safetensors_free(file);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("file"), &empty, 1, NULL, 0, NULL), BND_OK);
    file = opened(folder_path("file"));
    CU_ASSERT_EQUAL(bnd_safetensors_at(file, 0)->count, 0);
    bnd_safetensors_free(file);
    unlink(folder_path("file"));
    folder_leave();
}

/* What is wrong is found before a file is made: the one that is there stays. */
static void test_refusals(void)
{
    const uint64_t three[] = {3}, large[] = {UINT64_C(1) << 32, UINT64_C(1) << 32}, huge[] = {(UINT64_C(1) << 60) - 1};
    uint64_t deep[BND_SAFETENSORS_RANK_MAX + 1];
    for (size_t i = 0; i <= BND_SAFETENSORS_RANK_MAX; i++) {
        deep[i] = 1;
    }
    const unsigned char bytes[8] = {0};
    bnd_safetensor good = {.name = "x", .dtype = "U8", .rank = 1, .shape = three, .data = bytes}, bad = good;
    folder_enter();
    file_put(folder_path("file"), "before");
    const bnd_safetensor twice[2] = {good, good};
    CU_ASSERT_TRUE(write_fails(twice, 2, NULL, 0, "duplicate name"));
    bad.dtype = "fp16";
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, "fp16 is not a dtype"));
    bad.dtype = "F4";
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, "tensor \"x\": its 3 elements of 4 bits"));
    bad = good;
    bad.name = "a\xff";
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, "must be UTF-8"));
    bad.name = "__metadata__";
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, ""));
    bad = (bnd_safetensor){.name = "x", .dtype = "U8", .rank = 2, .shape = large};
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, "more elements"));
    bad = (bnd_safetensor){.name = "x", .dtype = "U8", .rank = BND_SAFETENSORS_RANK_MAX + 1, .shape = deep};
    CU_ASSERT_TRUE(write_fails(&bad, 1, NULL, 0, "65 dimensions"));
    bad = (bnd_safetensor){.name = "x", .dtype = "U8", .rank = 1, .shape = huge};
    bnd_safetensor many[9];
    for (size_t i = 0; i < 9; i++) {
        many[i] = bad;
    }
    CU_ASSERT_TRUE(write_fails(many, 9, NULL, 0, "more bytes than a file"));
    static const bnd_safetensors_pair pairs[] = {{"a", "b"}, {"c", "\xc0"}, {"a", "c"}};
    CU_ASSERT_TRUE(write_fails(&good, 1, pairs, 2, "the text of 'c' in the metadata must be UTF-8"));
    static const bnd_safetensors_pair odd[] = {{"a", "b"}, {"\xc0", "c"}};
    CU_ASSERT_TRUE(write_fails(&good, 1, odd, 2, "the key of pair 1 of the metadata must be UTF-8"));
    CU_ASSERT_TRUE(write_fails(&good, 1, pairs, 3, "duplicate key"));
    CU_ASSERT_TRUE(file_holds(folder_path("file"), "before"));
    unlink(folder_path("file"));
    folder_leave();
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_safetensors_write("no/such/folder", &good, 1, NULL, 0, &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    if (access("/dev/full", W_OK) == 0) {
        CU_ASSERT_EQUAL(bnd_safetensors_write("/dev/full", &good, 1, NULL, 0, &why), BND_BAD_STREAM);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOSPC)));
    } else {
        skip_test("/dev/full");
    }
}

static void test_opening(void)
{
    bnd_error why;
    bnd_safetensors *file = NULL;
    folder_enter();
    CU_ASSERT_EQUAL(bnd_safetensors_new(&file, folder_path("nothing"), &why), BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, strerror(ENOENT)));
    file_put(folder_path("file"), "");
    CU_ASSERT_EQUAL(bnd_safetensors_new(&file, folder_path("file"), &why), BND_BAD_FILE);
    file_put(folder_path("file"), "no such file at all");
    CU_ASSERT_EQUAL(bnd_safetensors_new(&file, folder_path("file"), &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NULL(file);
    unlink(folder_path("file"));
    folder_leave();
}

#if defined(BND_WITH_WRAP)
/* No memory, or what jansson makes of it where it copies a string (json.c). */
static bool lacks_memory(bnd_status status, const bnd_error *why)
{
    return why->status == status &&
           (status == BND_NO_MEMORY || (status != BND_BAD_STREAM && strstr(why->message, "not valid JSON") != NULL));
}

/* Each allocation fails once, jansson's as ours: an error, nothing stays behind, and there are so many of them. */
static bool survives(bool reads)
{
    const uint64_t shape[] = {2, 2, 2};
    static const bnd_safetensors_pair pair = {"step", "12"};
    bnd_safetensor entries[DTYPES];
    all_dtypes(entries, shape);
    bnd_status status = BND_NO_MEMORY;
    uint64_t i = 0;
    for (; status != BND_OK; i++) {
        bnd_error why = {.message = ""};
        bnd_safetensors *file = NULL;
        int64_t living = allocations_living();
        allocations_fail(i, false);
        status = reads ? bnd_safetensors_new(&file, folder_path("read"), &why)
                       : bnd_safetensors_write(folder_path("written"), entries, DTYPES, &pair, 1, &why);
        allocations_fail(UINT64_MAX, false);
        bnd_safetensors_free(file);
        if ((status != BND_OK && !lacks_memory(status, &why)) || allocations_living() != living) {
            printf("\n  allocation %llu: status %d, %s\n", (unsigned long long)i, (int)status, why.message);
            return false;
        }
    }
    return i > DTYPES;
}

static void test_allocations(void)
{
    const uint64_t shape[] = {8, 1, 1};
    static const bnd_safetensors_pair pair = {"a", "b"};
    bnd_safetensor entries[DTYPES];
    all_dtypes(entries, shape);
    json_set_alloc_funcs(malloc, free); /* where the linker leads ours */
    folder_enter();
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(folder_path("read"), entries, DTYPES, &pair, 1, NULL), BND_OK);
    CU_ASSERT_TRUE(survives(true));
    CU_ASSERT_TRUE(survives(false));
    unlink(folder_path("read"));
    unlink(folder_path("written"));
    folder_leave();
}
#endif

CU_TestInfo safetensors_write_tests[] = {
    {"every dtype, there and back", test_round_trip},
    {"an order of their own", test_order},
    {"any texts", test_texts},
    {"small files", test_small},
    {"what is not written", test_refusals},
    {"what cannot be opened", test_opening},
#if defined(BND_WITH_WRAP)
    {"each allocation fails once", test_allocations},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
