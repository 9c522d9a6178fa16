/* Headers of .safetensors that are read. test_safetensors_refused.c has those that are not. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

whole_file file_of_n(const char *text, size_t length, size_t data)
{
    whole_file f = {malloc(8 + length + data), 8 + length + data};
    CU_ASSERT_PTR_NOT_NULL_FATAL(f.bytes);
    for (size_t i = 0; i < 8; i++) {
        f.bytes[i] = (unsigned char)((uint64_t)length >> 8 * i);
    }
    memcpy(f.bytes + 8, text, length);
    for (size_t i = 0; i < data; i++) {
        f.bytes[8 + length + i] = (unsigned char)i;
    }
    return f;
}

whole_file file_of(const char *text, size_t data)
{
    return file_of_n(text, strlen(text), data);
}

static bnd_safetensors *good(whole_file *f, const char *text, size_t data)
{
    bnd_safetensors *file = NULL;
    bnd_error why = {.message = ""};
    *f = file_of(text, data);
    bnd_status status = bnd_safetensors_new_of_bytes(&file, f->bytes, f->size, &why);
    if (status != BND_OK) {
        printf("\n  refused: %s\n  %s\n", text, why.message);
    }
    CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    return file;
}

static void done(bnd_safetensors *file, whole_file *f)
{
    bnd_safetensors_free(file);
    free(f->bytes);
}

/* ---- what is read ---- */

static void test_reading(void)
{
    whole_file f;
    bnd_format format;
    bnd_safetensors *file = good(&f,
                                 "{\"w\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[8,20]},"
                                 "\"__metadata__\":{\"step\":\"7\",\"format\":\"pt\"},"
                                 "\"b\":{\"shape\":[2],\"data_offsets\":[0,8],\"dtype\":\"I32\"}}",
                                 20);
    CU_ASSERT_EQUAL(bnd_safetensors_count(file), 2);
    const bnd_safetensor *b = bnd_safetensors_at(file, 0), *w = bnd_safetensors_at(file, 1);
    CU_ASSERT_STRING_EQUAL(b->name, "b");
    CU_ASSERT_STRING_EQUAL(b->dtype, "I32");
    CU_ASSERT_TRUE(b->kind == BND_SAFETENSORS_SIGNED && b->bits == 32 && b->rank == 1 && b->shape[0] == 2);
    CU_ASSERT_TRUE(b->count == 2 && b->size == 8 && b->data[0] == 0);
    CU_ASSERT_EQUAL(bnd_safetensors_format(&format, b, NULL), BND_BAD_ARGUMENT);
    CU_ASSERT_TRUE(w->kind == BND_SAFETENSORS_FLOAT && w->bits == 16 && w->rank == 2 && w->shape[1] == 3);
    CU_ASSERT_TRUE(w->count == 6 && w->size == 12 && w->data[0] == 8 && w->data + 12 == f.bytes + f.size);
    CU_ASSERT_EQUAL(bnd_safetensors_format(&format, w, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(format.name, "bf16");
    CU_ASSERT_PTR_NULL(bnd_safetensors_at(file, 2));
    CU_ASSERT_TRUE(bnd_safetensors_find(file, "w") == w && bnd_safetensors_find(file, "b") == b);
    CU_ASSERT_PTR_NULL(bnd_safetensors_find(file, "c"));
    CU_ASSERT_PTR_NULL(bnd_safetensors_find(file, "__metadata__"));
    CU_ASSERT_EQUAL(bnd_safetensors_metadata_count(file), 2);
    CU_ASSERT_STRING_EQUAL(bnd_safetensors_metadata_at(file, 0)->key, "format");
    CU_ASSERT_STRING_EQUAL(bnd_safetensors_metadata_at(file, 1)->value, "7");
    CU_ASSERT_PTR_NULL(bnd_safetensors_metadata_at(file, 2));
    CU_ASSERT_STRING_EQUAL(bnd_safetensors_metadata(file, "step"), "7");
    CU_ASSERT_PTR_NULL(bnd_safetensors_metadata(file, "steps"));
    done(file, &f);
    bnd_safetensors_free(NULL);
}

static void test_nothing(void)
{
    static const char *const texts[] = {"{}", " \t\r\n{ }", "{}      ", "{\"__metadata__\":{}}",
                                        "{ \"__metadata__\" : { } } \n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        whole_file f;
        bnd_safetensors *file = good(&f, texts[i], 0);
        CU_ASSERT_EQUAL(bnd_safetensors_count(file), 0);
        CU_ASSERT_EQUAL(bnd_safetensors_metadata_count(file), 0);
        CU_ASSERT_PTR_NULL(bnd_safetensors_find(file, ""));
        CU_ASSERT_PTR_NULL(bnd_safetensors_metadata(file, ""));
        done(file, &f);
    }
}

/* Rank 0 has an element; a size of 0 has none, and stands anywhere. Names may be any text. */
static void test_edges(void)
{
    whole_file f;
    bnd_safetensors *file =
        good(&f,
             "\n {\"\" : {\"dtype\" : \"U8\" , \"shape\" : [ ] , \"data_offsets\" : [ 0 , 1 ] } ,\n"
             "\"\\u00e9\\\"\\\\\\ud83d\\ude00 ,:{}[]\":{\"dtype\":\"F64\",\"shape\":[0,144115188075855871],"
             "\"data_offsets\":[1,1]},\"z\":{\"dtype\":\"F4\",\"shape\":[0],\"data_offsets\":[0,0]},"
             "\"y\":{\"dtype\":\"F6_E3M2\",\"shape\":[2,2],\"data_offsets\":[1,4]}}  ",
             4);
    CU_ASSERT_EQUAL(bnd_safetensors_count(file), 4);
    const bnd_safetensor *one = bnd_safetensors_find(file, ""), *none = bnd_safetensors_at(file, 2);
    CU_ASSERT_TRUE(one != NULL && one->rank == 0 && one->count == 1 && one->size == 1);
    CU_ASSERT_STRING_EQUAL(none->name, "\xc3\xa9\"\\\xf0\x9f\x98\x80 ,:{}[]");
    CU_ASSERT_TRUE(none->count == 0 && none->size == 0 && none->rank == 2);
    CU_ASSERT_EQUAL(bnd_safetensors_at(file, 0)->name[0], 'z');
    CU_ASSERT_EQUAL(bnd_safetensors_find(file, "y")->data[0], 1);
    done(file, &f);
    char text[400] = "{\"deep\":{\"dtype\":\"I8\",\"data_offsets\":[0,1],\"shape\":[1";
    for (size_t i = 1; i < BND_SAFETENSORS_RANK_MAX; i++) {
        strcat(text, ",1");
    }
    file = good(&f, strcat(text, "]}}"), 1);
    CU_ASSERT_EQUAL(bnd_safetensors_at(file, 0)->rank, BND_SAFETENSORS_RANK_MAX);
    done(file, &f);
}

static void test_dtypes(void)
{
    static const struct {
        const char *dtype, *format;
        bnd_safetensors_kind kind;
        int bits;
    } rows[] = {{"F64", "fp64", BND_SAFETENSORS_FLOAT, 64},    {"F32", "fp32", BND_SAFETENSORS_FLOAT, 32},
                {"F16", "fp16", BND_SAFETENSORS_FLOAT, 16},    {"BF16", "bf16", BND_SAFETENSORS_FLOAT, 16},
                {"F8_E4M3", "e4m3", BND_SAFETENSORS_FLOAT, 8}, {"F8_E5M2", "e5m2", BND_SAFETENSORS_FLOAT, 8},
                {"F8_E8M0", "e8m0", BND_SAFETENSORS_FLOAT, 8}, {"F8_E4M3FNUZ", "e4m3fnuz", BND_SAFETENSORS_FLOAT, 8},
                {"F4", "e2m1", BND_SAFETENSORS_FLOAT, 4},      {"F8_E5M2FNUZ", "e5m2fnuz", BND_SAFETENSORS_FLOAT, 8},
                {"F6_E2M3", "e2m3", BND_SAFETENSORS_FLOAT, 6}, {"F6_E3M2", "e3m2", BND_SAFETENSORS_FLOAT, 6},
                {"BOOL", NULL, BND_SAFETENSORS_BOOL, 8},       {"U8", NULL, BND_SAFETENSORS_UNSIGNED, 8},
                {"I8", NULL, BND_SAFETENSORS_SIGNED, 8},       {"U16", NULL, BND_SAFETENSORS_UNSIGNED, 16},
                {"I16", NULL, BND_SAFETENSORS_SIGNED, 16},     {"U32", NULL, BND_SAFETENSORS_UNSIGNED, 32},
                {"I32", NULL, BND_SAFETENSORS_SIGNED, 32},     {"U64", NULL, BND_SAFETENSORS_UNSIGNED, 64},
                {"I64", NULL, BND_SAFETENSORS_SIGNED, 64},     {"C64", NULL, BND_SAFETENSORS_COMPLEX, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whole_file f;
        char text[200];
        snprintf(text, sizeof text, "{\"x\":{\"dtype\":\"%s\",\"shape\":[4],\"data_offsets\":[0,%d]}}", rows[i].dtype,
                 rows[i].bits / 2);
        bnd_safetensors *file = good(&f, text, (size_t)rows[i].bits / 2);
        const bnd_safetensor *x = bnd_safetensors_at(file, 0);
        CU_ASSERT_STRING_EQUAL(x->dtype, rows[i].dtype);
        CU_ASSERT_TRUE(x->kind == rows[i].kind && x->bits == rows[i].bits);
        bnd_format format = {.name = ""}, expected;
        bnd_error why;
        bnd_status status = bnd_safetensors_format(&format, x, &why);
        if (rows[i].format == NULL) {
            CU_ASSERT_TRUE(status == BND_BAD_ARGUMENT && strstr(why.message, rows[i].dtype) != NULL);
        } else {
            CU_ASSERT_EQUAL(bnd_format_parse(&expected, rows[i].format, NULL), BND_OK);
            CU_ASSERT_TRUE(status == BND_OK && bnd_format_same(&format, &expected));
            CU_ASSERT_STRING_EQUAL(bnd_safetensors_dtype(&format), rows[i].dtype);
        }
        done(file, &f);
    }
}

static void test_formats_without_dtypes(void)
{
    static const char *const names[] = {"tf32", "e6m9", "e4m3ieee", "p11emin-14emax15"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f;
        CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, names[i], NULL), BND_OK);
        CU_ASSERT_STRING_EQUAL(bnd_safetensors_dtype(&f), "");
    }
}

CU_TestInfo safetensors_tests[] = {
    {"a file", test_reading},
    {"nothing in it", test_nothing},
    {"edges", test_edges},
    {"dtypes", test_dtypes},
    {"formats without a dtype", test_formats_without_dtypes},
    CU_TEST_INFO_NULL,
};
