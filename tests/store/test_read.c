/* Headers that are read, in every way in which they may be written. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

static bnd_npy good(unsigned version, const char *text)
{
    npy_bytes h = npy_header(version, text);
    bnd_npy npy = {.rank = 99};
    bnd_error why = {.message = ""};
    bnd_status status = npy_read(&npy, &h, &why);
    if (status != BND_OK) {
        printf("\n  refused: %s\n  %s\n", text, why.message);
    }
    CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    CU_ASSERT_EQUAL(npy.header_size, h.size);
    CU_ASSERT_EQUAL(npy.version, version);
    return npy;
}

static void test_plain(void)
{
    bnd_npy npy = good(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }      \n");
    CU_ASSERT_STRING_EQUAL(npy.descr, "<f4");
    CU_ASSERT_EQUAL(npy.kind, BND_NPY_FLOAT);
    CU_ASSERT_EQUAL(npy.element_size, 4);
    CU_ASSERT_FALSE(npy.big_endian);
    CU_ASSERT_FALSE(npy.fortran_order);
    CU_ASSERT_EQUAL(npy.rank, 2);
    CU_ASSERT_EQUAL(npy.shape[0], 3);
    CU_ASSERT_EQUAL(npy.shape[1], 4);
    CU_ASSERT_EQUAL(npy.count, 12);
    CU_ASSERT_EQUAL(npy.data_size, 48);
}

static void test_versions(void)
{
    for (unsigned version = 1; version <= 3; version++) {
        bnd_npy npy = good(version, "{'descr': '>f8', 'fortran_order': True, 'shape': (7,), }\n");
        CU_ASSERT_TRUE(npy.big_endian);
        CU_ASSERT_TRUE(npy.fortran_order);
        CU_ASSERT_EQUAL(npy.data_size, 56);
    }
}

static void test_spellings(void)
{
    static const char *const texts[] = {
        "{'descr':'<f2','fortran_order':False,'shape':(5,2)}",
        "{ \"shape\" : ( 5 , 2 , ) ,\t\"fortran_order\" : False,\n \"descr\" : \"<f2\" }",
        "  {'fortran_order': False, 'shape': (5L, 2L), 'descr': '<f2', } \r\n\f",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bnd_npy npy = good(1, texts[i]);
        CU_ASSERT_EQUAL(npy.count, 10);
        CU_ASSERT_EQUAL(npy.data_size, 20);
    }
}

static void test_shapes(void)
{
    bnd_npy scalar = good(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}");
    CU_ASSERT_EQUAL(scalar.rank, 0);
    CU_ASSERT_EQUAL(scalar.count, 1);
    bnd_npy empty = good(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0, 2)}");
    CU_ASSERT_EQUAL(empty.rank, 3);
    CU_ASSERT_EQUAL(empty.count, 0);
    CU_ASSERT_EQUAL(empty.data_size, 0);
    bnd_npy large = good(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}");
    CU_ASSERT_EQUAL(large.count, INT64_MAX);
    char text[1024] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < BND_NPY_RANK_MAX; i++) {
        strcat(text, "1, ");
    }
    CU_ASSERT_EQUAL(good(1, strcat(text, ")}")).rank, BND_NPY_RANK_MAX);
}

static void test_elements(void)
{
    static const struct {
        const char *descr;
        bnd_npy_kind kind;
        int size, big;
    } rows[] = {
        {"<f2", BND_NPY_FLOAT, 2, 0},         {">f4", BND_NPY_FLOAT, 4, 1},   {"|V1", BND_NPY_OPAQUE, 1, 0},
        {"<V1", BND_NPY_OPAQUE, 1, 0},        {"<V2", BND_NPY_OPAQUE, 2, 0},  {"|V8", BND_NPY_OPAQUE, 8, 0},
        {">V2", BND_NPY_OPAQUE, 2, 1},        {"<f1", BND_NPY_OPAQUE, 1, 0},  {"|u1", BND_NPY_INTEGER, 1, 0},
        {">i2", BND_NPY_INTEGER, 2, 1},       {"<u8", BND_NPY_INTEGER, 8, 0}, {"bfloat16", BND_NPY_OPAQUE, 2, 0},
        {"float8_e5m2", BND_NPY_OPAQUE, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", rows[i].descr);
        bnd_npy npy = good(1, text);
        CU_ASSERT_EQUAL(npy.kind, rows[i].kind);
        CU_ASSERT_EQUAL(npy.element_size, rows[i].size);
        CU_ASSERT_EQUAL(npy.big_endian, rows[i].big);
    }
}

static bnd_format named(const char *name)
{
    bnd_format f;
    CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, name, NULL), BND_OK);
    return f;
}

static bool is(const char *descr, const char *asked, const char *expected)
{
    char text[128];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", descr);
    bnd_npy npy = good(1, text);
    bnd_format f = {.name = "untouched"}, ask;
    bnd_error why = {.status = BND_OK};
    if (asked != NULL) {
        ask = named(asked);
    }
    bnd_status status = bnd_npy_format(&f, &npy, asked != NULL ? &ask : NULL, &why);
    if (expected == NULL) {
        return status == BND_BAD_ARGUMENT && why.status == status && strcmp(f.name, "untouched") == 0 &&
               strstr(why.message, descr) != NULL;
    }
    return status == BND_OK && strcmp(f.name, expected) == 0;
}

static void test_formats(void)
{
    CU_ASSERT_TRUE(is("<f2", NULL, "fp16"));
    CU_ASSERT_TRUE(is(">f4", NULL, "fp32"));
    CU_ASSERT_TRUE(is("<f8", NULL, "fp64"));
    CU_ASSERT_TRUE(is("<f4", "fp32", "fp32"));
    CU_ASSERT_TRUE(is("<f4", "tf32", "tf32"));
    CU_ASSERT_TRUE(is("<f4", "fp16", NULL));
    CU_ASSERT_TRUE(is("<f2", "bf16", NULL));
    CU_ASSERT_TRUE(is("<V2", NULL, NULL));
    CU_ASSERT_TRUE(is("bfloat16", NULL, NULL));
    CU_ASSERT_TRUE(is("<V2", "bf16", "bf16"));
    CU_ASSERT_TRUE(is("<V2", "e4m3", NULL));
    CU_ASSERT_TRUE(is("|u1", NULL, NULL));
    CU_ASSERT_TRUE(is("|u1", "e2m1", "e2m1"));
    CU_ASSERT_TRUE(is("<f1", "e5m2", "e5m2"));
    CU_ASSERT_TRUE(is("|V1", "p11emin-14emax15", NULL));
}

static void test_sizes(void)
{
    bnd_npy npy = good(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}");
    uint64_t end = npy.header_size + 12;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_npy_check_size(&npy, end, &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_npy_check_size(&npy, end - 1, &why), BND_BAD_FILE);
    CU_ASSERT_EQUAL(bnd_npy_check_size(&npy, end + 1, &why), BND_BAD_FILE);
    CU_ASSERT_EQUAL(bnd_npy_check_size(&npy, 0, &why), BND_BAD_FILE);
}

CU_TestInfo read_tests[] = {
    {"a header as numpy writes it", test_plain},   {"versions 1, 2 and 3", test_versions},
    {"blanks, quotes and orders", test_spellings}, {"shapes", test_shapes},
    {"types of elements", test_elements},          {"formats of elements", test_formats},
    {"the size of the file", test_sizes},          CU_TEST_INFO_NULL,
};
