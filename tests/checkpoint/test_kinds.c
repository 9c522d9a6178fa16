/* .gguf and .npy files as checkpoints: what they hold, and what is refused. */
#include "files.h"
#include "gguf_bytes.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

#include <binade/block.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/gguf.h"

/* ---- .gguf ---- */

static void test_gguf(void)
{
    char path[PATH_SIZE];
    gguf_bytes g = {.size = 0};
    gguf_good(&g);
    open_folder();
    write_file(in_folder(path, "m.gguf"), g.bytes, g.size);
    bnd_error why = {.message = ""};
    bnd_checkpoint *c = open_named("m.gguf", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(bnd_checkpoint_kind_of(c), BND_CHECKPOINT_GGUF);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(c, "general.architecture"), "llama");
    CU_ASSERT_EQUAL(bnd_checkpoint_metadata_count(c), 1);
    CU_ASSERT_EQUAL(bnd_checkpoint_files(c), 1);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_file_name(c, 0), "m.gguf");
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_count(c), 3);
    const bnd_stored_tensor *f = bnd_checkpoint_at(c, 0), *q = bnd_checkpoint_at(c, 1), *k = bnd_checkpoint_at(c, 2);
    CU_ASSERT_STRING_EQUAL(f->name, "f");
    CU_ASSERT_STRING_EQUAL(f->format->name, "bf16");
    CU_ASSERT_TRUE(f->rank == 2 && f->shape[0] == 2 && f->shape[1] == 3 && f->count == 6 && f->size == 12);
    CU_ASSERT_TRUE(q->kind == BND_STORED_BLOCKS && q->gguf_type == BND_GGUF_MXFP4 && q->rank == 3);
    CU_ASSERT_TRUE(q->shape[2] == 64 && q->count == 128 && q->size == 4 * 17 && q->bits == 0);
    CU_ASSERT_STRING_EQUAL(q->dtype, "MXFP4");
    CU_ASSERT_TRUE(k->kind == BND_STORED_OTHER && k->size == 144 && strcmp(k->dtype, "Q4_K") == 0);
    CU_ASSERT_EQUAL(q->data - f->data, 32); /* aligned */
    CU_ASSERT_EQUAL(k->data - q->data, 96);
    CU_ASSERT_PTR_EQUAL(bnd_checkpoint_find(c, "q"), q);
    bnd_checkpoint_free(c);
    close_folder();
}

/* A part of a model that llama-gguf-split wrote: of two parts or more it is refused. Its count has 16 bits. */
static void test_split(void)
{
    char path[PATH_SIZE];
    open_folder();
    for (uint64_t count = 0; count <= 3; count++) {
        gguf_bytes g = {.size = 0};
        bnd_error why = {.message = ""};
        gguf_put(&g, "GGUF", 4);
        gguf_number(&g, 3, 4);
        gguf_number(&g, 0, 8);
        gguf_number(&g, 1, 8);
        gguf_string(&g, "split.count");
        gguf_number(&g, 2, 4);
        gguf_number(&g, count, 2);
        gguf_pad(&g, 32);
        write_file(in_folder(path, "m.gguf"), g.bytes, g.size);
        bnd_checkpoint *c = open_named("m.gguf", NULL, &why);
        CU_ASSERT_EQUAL(c != NULL, count < 2);
        CU_ASSERT_TRUE(count < 2 || (why.status == BND_BAD_FILE && strstr(why.message, "is one of") != NULL));
        bnd_checkpoint_free(c);
    }
    close_folder();
}

/* The blocks that the number wing decodes have its sizes, and no number is there twice. */
static void test_types(void)
{
    static const bnd_gguf_type known[] = {BND_GGUF_Q4_0, BND_GGUF_Q8_0, BND_GGUF_MXFP4, BND_GGUF_NVFP4};
    size_t blocks = 0, all = 0;
    for (uint32_t i = 0; i < 256; i++) {
        const bndi_gguf_type *t = bndi_gguf_type_of(i);
        CU_ASSERT_TRUE(t == NULL || (t->number == i && t->elements > 0 && t->bytes > 0));
        blocks += t != NULL && t->kind == BNDI_GGUF_BLOCKS;
        all += t != NULL;
    }
    CU_ASSERT_EQUAL(all, 35);
    CU_ASSERT_EQUAL(blocks, sizeof known / sizeof known[0]);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const bndi_gguf_type *t = bndi_gguf_type_of((uint32_t)known[i]);
        CU_ASSERT_TRUE(t->kind == BNDI_GGUF_BLOCKS && bnd_gguf_block(known[i]) == t->elements);
        CU_ASSERT_EQUAL(bnd_gguf_size(known[i], t->elements), t->bytes);
    }
}

/* Reads bytes in memory of just their size. */
static bool refused(const gguf_bytes *g, const char *message)
{
    bndi_gguf file;
    bnd_error why = {.message = ""};
    unsigned char *copy = malloc(g->size + (g->size == 0));
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, g->bytes, g->size);
    bnd_status status = bndi_gguf_read(&file, copy, g->size, &why);
    if (status == BND_OK) {
        bndi_gguf_free(&file);
    }
    free(copy);
    bool right = status == BND_BAD_FILE && strstr(why.message, message) != NULL && why.where <= g->size;
    if (!right) {
        printf("\nexpected ...%s..., got %s\n", message, status == BND_OK ? "no refusal" : why.message);
    }
    return right;
}

typedef struct gguf_case {
    const char *message;
    void (*make)(gguf_bytes *g);
} gguf_case;

static void start(gguf_bytes *g, uint64_t tensors, uint64_t pairs)
{
    g->size = 0;
    gguf_put(g, "GGUF", 4);
    gguf_number(g, 3, 4);
    gguf_number(g, tensors, 8);
    gguf_number(g, pairs, 8);
}

static void version_1(gguf_bytes *g)
{
    gguf_good(g);
    g->bytes[4] = 1;
}
static void big_endian(gguf_bytes *g)
{
    gguf_good(g);
    memcpy(g->bytes + 4, "\0\0\0\3", 4);
}
static void many_tensors(gguf_bytes *g)
{
    start(g, UINT64_MAX, 0);
}
static void many_pairs(gguf_bytes *g)
{
    start(g, 0, (uint64_t)1 << 60);
}
static void key_wraps(gguf_bytes *g)
{
    start(g, 0, 1);
    gguf_number(g, UINT64_MAX, 8);
    gguf_put(g, "long enough for a pair", 22);
}
static void key_empty(gguf_bytes *g)
{
    start(g, 0, 1);
    gguf_string(g, "");
    gguf_number(g, 0, 4);
    gguf_number(g, 0, 8);
}
static void array_wraps(gguf_bytes *g)
{
    start(g, 0, 1);
    gguf_string(g, "a");
    gguf_number(g, 9, 4);
    gguf_number(g, 10, 4);
    gguf_number(g, (uint64_t)1 << 61, 8);
}
static void array_of_arrays(gguf_bytes *g)
{
    start(g, 0, 1);
    gguf_string(g, "a");
    gguf_number(g, 9, 4);
    gguf_number(g, 9, 4);
    gguf_number(g, 0, 8);
}
static void value_unknown(gguf_bytes *g)
{
    start(g, 0, 1);
    gguf_string(g, "a");
    gguf_number(g, 13, 4);
    gguf_number(g, 0, 8);
}
static void key_twice(gguf_bytes *g)
{
    start(g, 0, 2);
    for (int i = 0; i < 2; i++) {
        gguf_string(g, "a");
        gguf_number(g, 0, 4);
        gguf_number(g, 0, 1);
    }
}
static void alignment(gguf_bytes *g, uint64_t type, uint64_t value)
{
    start(g, 0, 1);
    gguf_string(g, "general.alignment");
    gguf_number(g, type, 4);
    gguf_number(g, value, type == 4 ? 4 : 8);
}
static void alignment_0(gguf_bytes *g)
{
    alignment(g, 4, 0);
}
static void alignment_24(gguf_bytes *g)
{
    alignment(g, 4, 24);
}
static void alignment_64(gguf_bytes *g)
{
    alignment(g, 10, 32);
}
static void tensor(gguf_bytes *g, const char *name, uint64_t rank, uint64_t a, uint64_t b, uint64_t type, uint64_t at)
{
    gguf_string(g, name);
    gguf_number(g, rank, 4);
    for (uint64_t i = 0; i < rank && i < 5; i++) {
        gguf_number(g, i == 0 ? a : i == 1 ? b : 1, 8);
    }
    gguf_number(g, type, 4);
    gguf_number(g, at, 8);
}
static void rank_0(gguf_bytes *g)
{
    start(g, 1, 0);
    tensor(g, "a", 0, 0, 0, 0, 0);
    gguf_number(g, 0, 8);
}
static void offset_far(gguf_bytes *g)
{
    start(g, 1, 0);
    tensor(g, "a", 1, 1, 1, 0, 32);
}
static void offsets_same(gguf_bytes *g)
{
    start(g, 2, 0);
    tensor(g, "a", 1, 1, 1, 0, 0);
    tensor(g, "b", 1, 1, 1, 0, 0);
    gguf_pad(g, 32);
    gguf_number(g, 0, 8);
}
static void data_missing(gguf_bytes *g)
{
    start(g, 1, 0);
    tensor(g, "a", 1, 8, 1, 0, 0);
    gguf_pad(g, 32);
    gguf_number(g, 0, 8);
}
static void name_twice(gguf_bytes *g)
{
    start(g, 2, 0);
    tensor(g, "a", 1, 1, 1, 0, 0);
    tensor(g, "a", 1, 1, 1, 0, 32);
    gguf_pad(g, 32);
    gguf_put(g, (const char[64]){0}, 64);
}

/* A text of 78 bytes: of a name at most 80 are shown, and no character is cut. */
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define EURO "\xe2\x82\xac"

/* One tensor, and nothing after it. */
typedef struct tensor_case {
    const char *message, *name;
    uint64_t rank, a, b, type, at;
} tensor_case;
static const tensor_case tensor_cases[] = {
    {"1 to 4 dimensions, got 5", "a", 5, 1, 1, 0, 0},
    {"a dimension must not be 0", "a", 2, 4, 0, 0, 0},
    {"more elements than a file can hold", "a", 2, (uint64_t)1 << 32, (uint64_t)1 << 32, 0, 0},
    {"more elements than a file can hold", "a", 2, (uint64_t)1 << 31, (uint64_t)1 << 31, 0, 0},
    {"unknown type 4", "a", 1, 32, 1, 4, 0},
    {"unknown type 4294967295", "a", 1, 32, 1, 0xffffffff, 0},
    {"not a multiple of the 32 of a Q4_0 block", "a", 2, 16, 2, 2, 0},
    {"the name of a tensor must be a text", "\xff", 1, 1, 1, 0, 0},
    {"'" LONG "...': it must have", LONG EURO, 5, 1, 1, 0, 0},
    {"'" LONG "aa...': it must have", LONG "aa" EURO, 5, 1, 1, 0, 0},
    {"'" LONG "aa': it must have", LONG "aa", 5, 1, 1, 0, 0},
    {"'aa" EURO "': it must have", "aa" EURO, 5, 1, 1, 0, 0},
};

static void test_gguf_tensors_refused(void)
{
    for (size_t i = 0; i < sizeof tensor_cases / sizeof tensor_cases[0]; i++) {
        const tensor_case *k = &tensor_cases[i];
        gguf_bytes g = {.size = 0};
        start(&g, 1, 0);
        tensor(&g, k->name, k->rank, k->a, k->b, k->type, k->at);
        CU_ASSERT_TRUE(refused(&g, k->message));
    }
}

static void test_gguf_refused(void)
{
    static const gguf_case cases[] = {
        {"version 2 or 3, got 1", version_1},
        {"little-endian", big_endian},
        {"number of tensors is 18446744073709551615", many_tensors},
        {"number of pairs is", many_pairs},
        {"a key has 18446744073709551615 bytes", key_wraps},
        {"a key must be a text", key_empty},
        {"length of an array is", array_wraps},
        {"elements of the unknown type 9", array_of_arrays},
        {"a value has the unknown type 13", value_unknown},
        {"a key is there twice", key_twice},
        {"power of two, got 0", alignment_0},
        {"power of two, got 24", alignment_24},
        {"integer of 32 bits", alignment_64},
        {"1 to 4 dimensions, got 0", rank_0},
        {"must begin at byte 0 of the data, got 32", offset_far},
        {"must begin at byte 32 of the data, got 0", offsets_same},
        {"truncated: it needs 32 bytes, 8 are left", data_missing},
        {"two tensors have one name", name_twice},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gguf_bytes g = {.size = 0};
        cases[i].make(&g);
        CU_ASSERT_TRUE(refused(&g, cases[i].message));
    }
}

/* ---- .npy ---- */

static const bnd_stored_tensor *npy_of(bnd_checkpoint **c, const char *header, size_t data, bnd_error *why)
{
    unsigned char bytes[256] = "\x93NUMPY\x01";
    char path[PATH_SIZE];
    size_t length = strlen(header);
    CU_ASSERT_TRUE_FATAL(10 + length + data <= sizeof bytes);
    bytes[8] = (unsigned char)length;
    memcpy(bytes + 10, header, length);
    write_file(in_folder(path, "w.npy"), bytes, 10 + length + data);
    *c = open_named("w.npy", NULL, why);
    return *c != NULL ? bnd_checkpoint_at(*c, 0) : NULL;
}

static void test_npy(void)
{
    bnd_checkpoint *c;
    bnd_error why = {.message = ""};
    open_folder();
    const bnd_stored_tensor *t = npy_of(&c, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n", 12, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(bnd_checkpoint_kind_of(c), BND_CHECKPOINT_NPY);
    CU_ASSERT_STRING_EQUAL(t->name, "w");
    CU_ASSERT_STRING_EQUAL(t->format->name, "fp16");
    CU_ASSERT_TRUE(t->rank == 2 && t->shape[1] == 3 && t->size == 12 && t->kind == BND_STORED_FLOAT);
    CU_ASSERT_EQUAL(bnd_checkpoint_metadata_count(c), 0);
    CU_ASSERT_PTR_NULL(bnd_checkpoint_metadata(c, "x"));
    bnd_checkpoint_free(c);
    t = npy_of(&c, "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (3,), }\n", 6, &why);
    CU_ASSERT_TRUE(t != NULL && t->kind == BND_STORED_FLOAT && strcmp(t->format->name, "bf16") == 0);
    bnd_checkpoint_free(c);
    t = npy_of(&c, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", 1, &why);
    CU_ASSERT_TRUE(t != NULL && t->kind == BND_STORED_INTEGER && !t->is_signed && t->bits == 8 && t->count == 1);
    bnd_checkpoint_free(c);
    t = npy_of(&c, "{'descr': 'float4_e2m1fn', 'fortran_order': False, 'shape': (3,), }\n", 3, &why);
    CU_ASSERT_TRUE(t != NULL && t->kind == BND_STORED_OTHER && t->format == NULL);
    bnd_checkpoint_free(c);
    CU_ASSERT_PTR_NULL(npy_of(&c, "{'descr': '>f2', 'fortran_order': False, 'shape': (2,), }\n", 4, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "big-endian; save it with astype('<f2')"));
    CU_ASSERT_PTR_NULL(npy_of(&c, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }\n", 8, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "astype('<i4')"));
    CU_ASSERT_PTR_NULL(npy_of(&c, "{'descr': '>u8', 'fortran_order': False, 'shape': (2,), }\n", 16, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "astype('<u8')"));
    CU_ASSERT_PTR_NULL(npy_of(&c, "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 2), }\n", 8, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "Fortran"));
    CU_ASSERT_PTR_NULL(npy_of(&c, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }\n", 9, &why));
    CU_ASSERT_EQUAL(why.status, BND_BAD_FILE);
    close_folder();
}

/* ---- how the system reads ahead ---- */

/* What /proc says of the memory at this place: true if a page is to be read at a time. False with `known` false: this
 * system does not say. */
static bool reads_pages(bool *known, const void *place)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, pages = false;
    *known = false;
    while (maps != NULL && !*known && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
            inside = (uintptr_t)place >= from && (uintptr_t)place < to;
        } else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            pages = strstr(line, " rr") != NULL;
            *known = true;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return pages;
}

static void test_advice(void)
{
    static const char *const names[] = {"m.gguf", "w.npy", "1.safetensors"};
    open_folder();
    put_other_kinds();
    put_two_shards();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool known;
        bnd_error why = {.message = ""};
        bnd_checkpoint *c = open_named(names[i], NULL, &why);
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        bool pages = reads_pages(&known, bnd_checkpoint_at(c, 0)->data);
        if (!known) {
            skip_test("advice about memory, which /proc/self/smaps shows");
        }
        CU_ASSERT_TRUE(pages || !known);
        bnd_checkpoint_expect_all(c);
        CU_ASSERT_FALSE(reads_pages(&known, bnd_checkpoint_at(c, 0)->data));
        bnd_checkpoint_free(c);
    }
    close_folder();
}

CU_TestInfo kind_tests[] = {
    {"gguf", test_gguf},
    {"a part of a gguf", test_split},
    {"types of gguf", test_types},
    {"gguf refused", test_gguf_refused},
    {"gguf tensors refused", test_gguf_tensors_refused},
    {"npy", test_npy},
    {"a page is read at a time", test_advice},
    CU_TEST_INFO_NULL,
};
