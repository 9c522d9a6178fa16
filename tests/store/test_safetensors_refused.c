/* Every way in which the header of a .safetensors file may be wrong. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refused(const whole_file *f, const char *word)
{
    bnd_safetensors *file = NULL;
    bnd_error why = {.message = ""};
    bnd_status status = bnd_safetensors_new_of_bytes(&file, f->bytes, f->size, &why);
    bool held = status == BND_BAD_FILE && why.status == status && why.where <= f->size && file == NULL &&
                strstr(why.message, word) != NULL &&
                bnd_safetensors_new_of_bytes(&file, f->bytes, f->size, NULL) == BND_BAD_FILE;
    if (!held) {
        printf("\n  '%s' was expected: status %d, at %zu, %s\n", word, (int)status, why.where, why.message);
        bnd_safetensors_free(file);
    }
    return held;
}

typedef struct bad_file {
    const char *text;
    size_t data;
    const char *word;
} bad_file;

static unsigned count_failures(const bad_file *rows, size_t count)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        whole_file f = file_of(rows[i].text, rows[i].data);
        bool held = refused(&f, rows[i].word);
        failed += !held;
        if (!held) {
            printf("  %s\n", rows[i].text);
        }
        free(f.bytes);
    }
    return failed;
}
#define FAILURES(rows) count_failures(rows, sizeof(rows) / sizeof(rows)[0])

/* u64 header length <= 100,000,000 and 8 + N <= file, by arithmetic that does not wrap. */
static void test_lengths(void)
{
    static const struct {
        unsigned char length[8];
        const char *word;
    } rows[] = {
        {{3}, "truncated: its header needs 3 bytes, 2 are left"},
        {{0, 0, 0, 0, 1}, "4294967296 bytes; the limit is 100000000"},
        {{0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "18446744073709551611"}, /* 8 + N is 3 */
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "18446744073709551615"},
        {{0, 0, 0, 0, 0, 0, 0, 0x80}, "9223372036854775808"},
        {{1}, "line 1, column 2"}, /* half of it */
        {{0}, "expected '{'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        whole_file f = file_of("{}", 0);
        memcpy(f.bytes, rows[i].length, 8);
        CU_ASSERT_TRUE(refused(&f, rows[i].word));
        free(f.bytes);
    }
    for (size_t size = 0; size < 8; size++) {
        unsigned char *bytes = calloc(size + (size == 0), 1);
        const whole_file f = {bytes, size};
        CU_ASSERT_TRUE(refused(&f, "needs at least 8"));
        free(bytes);
    }
    char *blank = malloc(BND_SAFETENSORS_HEADER_MAX + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(blank);
    memset(blank, ' ', BND_SAFETENSORS_HEADER_MAX + 1);
    memcpy(blank, "{}", 2);
    whole_file f = file_of_n(blank, BND_SAFETENSORS_HEADER_MAX + 1, 0);
    CU_ASSERT_TRUE(refused(&f, "100000001 bytes; the limit is 100000000"));
    free(f.bytes);
    f = file_of_n(blank, BND_SAFETENSORS_HEADER_MAX, 0);
    bnd_safetensors *file;
    CU_ASSERT_EQUAL(bnd_safetensors_new_of_bytes(&file, f.bytes, f.size, NULL), BND_OK);
    bnd_safetensors_free(file);
    free(f.bytes);
    free(blank);
}

#define ENTRY(text)        "{\"x\":" text "}"
#define U8(shape, offsets) "{\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_json(void)
{
    static const bad_file rows[] = {
        {"[]", 0, "expected '{'"},
        {"null", 0, "expected '{'"},
        {"\xef\xbb\xbf{}", 0, "expected '{'"},
        {"    ", 0, "column 5"},
        {"{", 0, "expected a key"},
        {"{}}", 0, "expected the end of the text"},
        {"{} {}", 0, "expected the end of the text"},
        {"{},", 0, "expected the end of the text"},
        {"{x:1}", 0, "expected a key"},
        {"{1:1}", 0, "expected a key"},
        {"{,}", 0, "expected a key"},
        {"{\"x\"}", 0, "expected ':'"},
        {"{\"x", 0, "expected ':'"},
        {"{\"x\\\"", 0, "expected ':'"},
        {"{\"x\" {}}", 0, "expected ':'"},
        {"{\"\xff\":" U8("[]", "[0,1]") "}", 1, "expected UTF-8"},
        {"{\"\xc0\xaf\":" U8("[]", "[0,1]") "}", 1, "expected UTF-8"},
        {"{\"\xed\xa0\x80\":" U8("[]", "[0,1]") "}", 1, "expected UTF-8"},
        {"{\"\\ud800\":" U8("[]", "[0,1]") "}", 1, "not valid JSON"},
        {"{\"a\\u0000b\":" U8("[]", "[0,1]") "}", 1, "\\u0000"},
        {"{\"a\x01\":" U8("[]", "[0,1]") "}", 1, "not valid JSON"},
        {"{\"a\\x\":" U8("[]", "[0,1]") "}", 1, "not valid JSON"},
        {"{\"__metadata__\":{\"a\":\"\xff\"}}", 0, "expected UTF-8"},
        {"{\"__metadata__\":{\"a\":\"\\u0000\"}}", 0, "\\u0000"},
        {ENTRY(U8("[]", "[0,1]") " 1"), 1, "after the value"},
        {ENTRY("{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]"), 1, "expected ',' or '}'"},
        {"{\"x\":{\"dtype\":\"U8", 1, "inside a value"},
        {ENTRY(U8("[}", "[0,1]")), 1, "not valid JSON"},
        {ENTRY(U8("[1,]", "[0,1]")), 1, "not valid JSON"},
        {ENTRY(U8("[01]", "[0,1]")), 1, "not valid JSON"},
        {ENTRY("{'dtype':'U8'}"), 1, "not valid JSON"},
        {"{\"x\":" U8("[]", "[0,1]") ",}", 1, "expected a key"},
        {"{\"x\":" U8("[]", "[0,1]") " \"y\":" U8("[]", "[1,2]") "}", 2, "after the value"},
        {"\n{\n\"x\": nul}", 1, "expected an object with dtype, shape and data_offsets"},
        {"\n{\n\"x\": {nul}}", 1, "line 3"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
    whole_file f = file_of_n("{}\0", 3, 0);
    CU_ASSERT_TRUE(refused(&f, "expected the end of the text"));
    free(f.bytes);
}

static void test_metadata(void)
{
    static const bad_file rows[] = {
        {"{\"__metadata__\":[]}", 0, "expected '{'"},
        {"{\"__metadata__\":null}", 0, "expected '{'"},
        {"{\"__metadata__\":\"a\"}", 0, "expected '{'"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "must be strings"},
        {"{\"__metadata__\":{\"a\":null}}", 0, "must be strings"},
        {"{\"__metadata__\":{\"a\":{\"b\":\"c\"}}}", 0, "must be strings"},
        {"{\"__metadata__\":{\"a\":[\"b\"]}}", 0, "must be strings"},
        {"{\"__metadata__\":{\"a\":\"b\" \"c\"}}", 0, "after the value"},
        {"{\"__metadata__\":{\"a\":\"b\",\"c\":\"d\",\"a\":\"b\"}}", 0, "duplicate key"},
        {"{\"__metadata__\":{\"a\":\"b\",\"\\u0061\":\"c\"}}", 0, "duplicate key"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "duplicate key __metadata__"},
        {"{\"__metadata__\":{},\"__meta\\u0064ata__\":{}}", 0, "duplicate key __metadata__"},
        {"{\"__metadata__\":" U8("[]", "[0,1]") "}", 1, "must be strings"},
        {"{\"__metadata__\":{\"a\":\"b\"}", 0, "expected ',' or '}'"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

static void test_members(void)
{
    static const bad_file rows[] = {
        {ENTRY("{}"), 1, "tensor \"x\": its dtype is missing"},
        {ENTRY("{\"dtype\":\"U8\",\"data_offsets\":[0,1]}"), 1, "shape is missing"},
        {ENTRY("{\"dtype\":\"U8\",\"shape\":[]}"), 1, "data_offsets is missing"},
        {ENTRY("{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1],\"strides\":[]}"), 1, "no member but"},
        {ENTRY("{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}"), 1, "duplicate key"},
        {ENTRY("{\"dtype\":\"U8\",\"shape\":[],\"shape\":[1],\"data_offsets\":[0,1]}"), 1, "duplicate key"},
        {ENTRY("{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1],\"data_\\u006fffsets\":[0,1]}"), 1,
         "duplicate key"},
        {ENTRY("5"), 1, "expected an object"},
        {ENTRY("[]"), 1, "expected an object"},
        {ENTRY(""), 1, "expected an object"},
        {ENTRY("{\"dtype\":\"F17\",\"shape\":[],\"data_offsets\":[0,1]}"), 1, "unknown dtype 'F17'"},
        {ENTRY("{\"dtype\":\"u8\",\"shape\":[],\"data_offsets\":[0,1]}"), 1, "unknown dtype 'u8'"},
        {ENTRY("{\"dtype\":\"\",\"shape\":[],\"data_offsets\":[0,1]}"), 1, "unknown dtype ''"},
        {ENTRY("{\"dtype\":\"U8\\u001b\",\"shape\":[],\"data_offsets\":[0,1]}"), 1, "unknown dtype (not a name)"},
        {ENTRY("{\"dtype\":8,\"shape\":[],\"data_offsets\":[0,1]}"), 1, "unknown dtype (not a name)"},
        {ENTRY("{\"dtype\":\"fp16\",\"shape\":[],\"data_offsets\":[0,2]}"), 2, "unknown dtype 'fp16'"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

/* Products that wrap, bits that end within a byte, numbers that are no sizes: none goes through a double. */
static void test_sizes(void)
{
    static const bad_file rows[] = {
        {ENTRY(U8("[4294967296,4294967296]", "[0,0]")), 0, "more elements"},          /* the product is 2^64: 0 */
        {ENTRY(U8("[4294967297,4294967297]", "[0,8589934593]")), 9, "more elements"}, /* wraps to 2^33 + 1 */
        {ENTRY(U8("[0,4294967296,4294967296]", "[0,0]")), 0, "more elements"},        /* a 0 does not excuse it */
        {ENTRY(U8("[4294967296,4294967296,0]", "[0,0]")), 0, "more elements"},
        {ENTRY("{\"dtype\":\"F64\",\"shape\":[288230376151711745],\"data_offsets\":[0,8]}"), 8, "more elements"},
        {ENTRY("{\"dtype\":\"F4\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}"), 0, "more elements"},
        {ENTRY("{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}"), 2, "3 elements of 4 bits must fill"},
        {ENTRY("{\"dtype\":\"F6_E2M3\",\"shape\":[2],\"data_offsets\":[0,2]}"), 2, "2 elements of 6 bits must fill"},
        {ENTRY(U8("[-1]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[1,-9223372036854775808]", "[0,1]")), 1, "entry 1 of its shape"},
        {ENTRY(U8("[1.0]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[1e0]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[\"1\"]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[true]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[[1]]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("[null]", "[0,1]")), 1, "entry 0 of its shape"},
        {ENTRY(U8("1", "[0,1]")), 1, "must be a list"},
        {ENTRY(U8("{}", "[0,1]")), 1, "must be a list"},
        {ENTRY(U8("[18446744073709551615]", "[0,1]")), 1, "too large"},
        {ENTRY(U8("[18446744073709551616]", "[0,0]")), 0, "too large"}, /* 2^64 */
        {ENTRY(U8("[18446744073709551617]", "[0,1]")), 1, "too large"},
        {ENTRY(U8("[99999999999999999999999999]", "[0,1]")), 1, "too large"},
        {ENTRY(U8("[1e400]", "[0,1]")), 1, "too large"},
        {ENTRY(U8("[]", "[0,18446744073709551617]")), 1, "too large"},
        {ENTRY(U8("[]", "[-1,0]")), 1, "two integers"},
        {ENTRY(U8("[]", "[0,1.0]")), 1, "two integers"},
        {ENTRY(U8("[]", "[0]")), 1, "two integers"},
        {ENTRY(U8("[]", "[0,1,2]")), 1, "two integers"},
        {ENTRY(U8("[]", "{}")), 1, "two integers"},
        {ENTRY(U8("[]", "1")), 1, "two integers"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
    char text[400] = "{\"deep\":{\"dtype\":\"I8\",\"data_offsets\":[0,1],\"shape\":[1";
    for (size_t i = 0; i < BND_SAFETENSORS_RANK_MAX; i++) {
        strcat(text, ",1");
    }
    whole_file f = file_of(strcat(text, "]}}"), 1);
    CU_ASSERT_TRUE(refused(&f, "at most 64 sizes"));
    free(f.bytes);
}

static void test_ranges(void)
{
#define TWO(a, b) "{\"x\":" U8("[2]", a) ",\"y\":" U8("[2]", b) "}"
    static const bad_file rows[] = {
        {ENTRY(U8("[3]", "[0,2]")), 2, "needs 3 bytes; its data_offsets cover 2"},
        {ENTRY(U8("[2]", "[0,3]")), 3, "needs 2 bytes; its data_offsets cover 3"},
        {ENTRY(U8("[2]", "[0,2]")), 1, "within the file's 1 bytes"},
        {ENTRY(U8("[2]", "[2,0]")), 4, "2 and 0, must be in order"},
        {ENTRY(U8("[2]", "[9223372036854775806,9223372036854775807]")), 4, "must be within"},
        {ENTRY(U8("[2]", "[0,2]")), 3, "tensors need 2 bytes of data; the file has 3"}, /* more behind them */
        {"{}", 1, "tensors need 0 bytes of data; the file has 1"},
        {ENTRY(U8("[2]", "[1,3]")), 3, "there is a gap"}, /* they do not begin at 0 */
        {TWO("[0,2]", "[3,5]"), 5, "tensor \"y\": its data begin at byte 3; the data before it end at 2: there is"},
        {TWO("[3,5]", "[0,2]"), 5, "tensor \"x\": its data begin at byte 3"},
        {TWO("[0,2]", "[1,3]"), 3, "they overlap"},
        {TWO("[0,2]", "[0,2]"), 2, "they overlap"},
        {TWO("[0,2]", "[0,2]"), 4, "they overlap"},
        {"{\"x\":" U8("[2]", "[0,2]") ",\"y\":" U8("[0]", "[1,1]") "}", 2, "they overlap"},
        {"{\"x\":" U8("[2]", "[0,2]") ",\"x\":" U8("[2]", "[2,4]") "}", 4, "duplicate name"},
        {"{\"x\":" U8("[2]", "[0,2]") ",\"x\":" U8("[2]", "[0,2]") "}", 2, "duplicate name"},
        {"{\"x\":" U8("[0]", "[0,0]") ",\"x\":" U8("[0]", "[0,0]") "}", 0, "duplicate name"},
        {"{\"x\":" U8("[2]", "[0,2]") ",\"\\u0078\":" U8("[2]", "[2,4]") "}", 4, "duplicate name"},
    };
#undef TWO
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

/* Cut short anywhere: the header, or the data. */
static void test_cut(void)
{
    whole_file f = file_of("{\"x\":" U8("[2]", "[0,2]") "}   ", 2);
    size_t whole = f.size;
    for (size_t size = 0; size < whole; size++) {
        unsigned char *copy = malloc(size + (size == 0));
        CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
        memcpy(copy, f.bytes, size);
        const whole_file cut = {copy, size};
        CU_ASSERT_TRUE(refused(&cut, size < 8 ? "needs at least 8" : size < whole - 2 ? "truncated" : "within"));
        free(copy);
    }
    free(f.bytes);
}

/* Names are shown as the header has them, and long ones cut between characters. */
static void test_messages(void)
{
    whole_file f = file_of("{\"a\\u001b[31m\":{}}", 0);
    CU_ASSERT_TRUE(refused(&f, "tensor \"a\\u001b[31m\": its dtype is missing"));
    free(f.bytes);
    char text[1000] = "{\"a";
    for (size_t i = 0; i < 200; i++) {
        strcat(text, "\xe2\x82\xac");
    }
    f = file_of(strcat(text, "\":{}}"), 0);
    CU_ASSERT_TRUE(refused(&f, "\xe2\x82\xac...\": its dtype is missing"));
    free(f.bytes);
}

/* Entries by the hundred thousand on one range, or on none; one entry with far too much in it. */
static void test_many(void)
{
    enum { MANY = 20000, ROOM = 100 };
    char *text = malloc((size_t)MANY * ROOM + 200000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    for (int same = 0; same < 2; same++) {
        size_t length = (size_t)sprintf(text, "{");
        for (int i = 0; i < MANY; i++) {
            length +=
                (size_t)sprintf(text + length, "%s\"%d\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[0,%d]}",
                                i > 0 ? "," : "", (i * 7919) % MANY, same, same);
        }
        length += (size_t)sprintf(text + length, "}");
        whole_file f = file_of_n(text, length, (size_t)same);
        if (same) {
            CU_ASSERT_TRUE(refused(&f, "they overlap"));
        } else {
            bnd_safetensors *file;
            CU_ASSERT_EQUAL_FATAL(bnd_safetensors_new_of_bytes(&file, f.bytes, f.size, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_safetensors_count(file), MANY);
            CU_ASSERT_STRING_EQUAL(bnd_safetensors_find(file, "19999")->name, "19999");
            bnd_safetensors_free(file);
        }
        free(f.bytes);
    }
    size_t length = (size_t)sprintf(text, "{\"x\":{\"dtype\":\"U8\",\"shape\":[");
    for (int i = 0; i < 40000; i++) {
        length += (size_t)sprintf(text + length, "{},");
    }
    length += (size_t)sprintf(text + length, "1],\"data_offsets\":[0,1]}}");
    whole_file f = file_of_n(text, length, 1);
    CU_ASSERT_TRUE(refused(&f, "its description has"));
    free(f.bytes);
    free(text);
}

CU_TestInfo safetensors_refused_tests[] = {
    {"lengths of headers", test_lengths},
    {"text that is not such JSON", test_json},
    {"__metadata__", test_metadata},
    {"members", test_members},
    {"sizes", test_sizes},
    {"ranges", test_ranges},
    {"cut short", test_cut},
    {"messages", test_messages},
    {"many entries", test_many},
    CU_TEST_INFO_NULL,
};
