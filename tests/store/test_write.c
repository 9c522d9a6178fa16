/* Headers written, and read again. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

static bnd_format named(const char *name)
{
    bnd_format f;
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, name, NULL), BND_OK);
    return f;
}

static void test_types(void)
{
    static const struct {
        const char *format, *descr;
    } rows[] = {{"fp16", "<f2"}, {"fp32", "<f4"}, {"fp64", "<f8"},  {"tf32", "<f4"},
                {"bf16", "<V2"}, {"e4m3", "|V1"}, {"e5m2", "|V1"},  {"e2m1", "|V1"},
                {"e3m2", "|V1"}, {"e6m9", "<V2"}, {"e8m15", "<V4"}, {"e15m48", "<V8"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_format f = named(rows[i].format);
        bnd_npy npy = {.rank = 1, .shape = {10}, .big_endian = true};
        CU_ASSERT_EQUAL(bnd_npy_describe(&npy, &f, NULL), BND_OK);
        CU_ASSERT_STRING_EQUAL(npy.descr, rows[i].descr);
        CU_ASSERT_FALSE(npy.big_endian);
        CU_ASSERT_EQUAL(npy.data_size, 10u * (unsigned)(rows[i].descr[2] - '0'));
        bnd_format back;
        bool names_itself = rows[i].descr[1] == 'f';
        CU_ASSERT_EQUAL(bnd_npy_format(&back, &npy, &f, NULL), BND_OK);
        CU_ASSERT_TRUE(bnd_format_same(&back, &f));
        CU_ASSERT_EQUAL(bnd_npy_format(&back, &npy, NULL, NULL), names_itself ? BND_OK : BND_BAD_ARGUMENT);
    }
}

static void test_round_trips(void)
{
    unsigned failed = 0;
    bnd_format f = named("fp32");
    for (uint64_t i = 0; i < 2000; i++) {
        bnd_npy npy = {.rank = bnd_random(1, i, 0) % (BND_NPY_RANK_MAX + 1), .fortran_order = i % 2 != 0}, read;
        for (size_t k = 0; k < npy.rank; k++) {
            npy.shape[k] = bnd_random(1, i, k + 1) % (npy.rank < 4 ? 40000 : 2);
        }
        npy_bytes h = {.size = 0};
        if (bnd_npy_describe(&npy, &f, NULL) != BND_OK) {
            failed++;
            continue;
        }
        h.size = bnd_npy_print(h.bytes, sizeof h.bytes, &npy);
        bool same = npy_read(&read, &h, NULL) == BND_OK && h.size % 64 == 0 && h.bytes[h.size - 1] == '\n' &&
                    h.size == npy.header_size && memcmp(&read, &npy, sizeof npy) == 0;
        failed += !same;
        if (!same && failed < 4) {
            printf("\n  case %llu, rank %zu: %.*s\n", (unsigned long long)i, npy.rank, (int)h.size - 10,
                   (const char *)h.bytes + 10);
        }
    }
    CU_ASSERT_EQUAL(failed, 0);
}

/* The length of one dimension can be written in place, once it is known. */
static void test_one_dimension(void)
{
    bnd_format f = named("e4m3");
    for (unsigned digits = 0; digits < 19; digits++) {
        bnd_npy npy = {.rank = 1, .shape = {1}};
        for (unsigned i = 0; i < digits; i++) {
            npy.shape[0] *= 10;
        }
        CU_ASSERT_EQUAL(bnd_npy_describe(&npy, &f, NULL), BND_OK);
        CU_ASSERT_EQUAL(npy.header_size, 128);
    }
}

static void test_room(void)
{
    bnd_format f = named("fp32");
    bnd_npy npy = {.rank = 2, .shape = {3, 4}};
    CU_ASSERT_EQUAL_FATAL(bnd_npy_describe(&npy, &f, NULL), BND_OK);
    char whole[256], part[256];
    size_t length = bnd_npy_print(whole, sizeof whole, &npy);
    for (size_t size = 0; size <= length; size++) {
        memset(part, 0x3c, sizeof part);
        CU_ASSERT_EQUAL(bnd_npy_print(part, size, &npy), length);
        CU_ASSERT_EQUAL(memcmp(part, whole, size), 0);
        CU_ASSERT_EQUAL(part[size], 0x3c);
    }
}

static void test_refusals(void)
{
    bnd_format set = named("p11emin-14emax15"), fp64 = named("fp64");
    bnd_npy npy = {.rank = 2, .shape = {UINT64_C(1) << 31, UINT64_C(1) << 31}}, before = npy;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_npy_describe(&npy, &set, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "value set"));
    CU_ASSERT_EQUAL(bnd_npy_describe(&npy, &fp64, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "more elements"));
    CU_ASSERT_EQUAL(memcmp(&npy, &before, sizeof npy), 0);
}

CU_TestInfo write_tests[] = {
    {"types of elements", test_types},
    {"written and read again", test_round_trips},
    {"one dimension has one size", test_one_dimension},
    {"into any room", test_room},
    {"what cannot be written", test_refusals},
    CU_TEST_INFO_NULL,
};
