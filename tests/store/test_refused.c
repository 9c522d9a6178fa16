/* Headers that are refused, each for its reason, and with everything left as it was. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

/* Refused, with this word in the message, a place within the header, and nothing written. */
static bool refused(const npy_bytes *h, const char *word)
{
    bnd_npy npy, before;
    memset(&npy, 0x3c, sizeof npy);
    before = npy;
    bnd_error why = {.message = ""};
    bnd_status status = npy_read(&npy, h, &why);
    bool held = status == BND_BAD_FILE && why.status == status && why.where <= h->size &&
                strstr(why.message, word) != NULL && memcmp(&npy, &before, sizeof npy) == 0;
    if (!held) {
        printf("\n  '%s' was expected: status %d, at %zu, %s\n", word, (int)status, why.where, why.message);
    }
    return held;
}

static bool text_refused(const char *text, const char *word)
{
    npy_bytes h = npy_header(1, text);
    return refused(&h, word);
}

typedef struct bad_text {
    const char *text, *word;
} bad_text;

static unsigned count_failures(const bad_text *rows, size_t count)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        bool held = text_refused(rows[i].text, rows[i].word);
        failed += !held;
        if (!held) {
            printf("  %s\n", rows[i].text);
        }
    }
    return failed;
}
#define FAILURES(rows) count_failures(rows, sizeof(rows) / sizeof(rows)[0])

static void test_members(void)
{
    static const bad_text rows[] = {
        {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
        {"{'descr': '<f4', 'shape': (1,)}", "'fortran_order' is missing"},
        {"{'fortran_order': False, 'shape': (1,)}", "'descr' is missing"},
        {"{}", "'descr' is missing"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "duplicate member"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}", "duplicate member"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'extra': 1}", "unknown member"},
        {"{'Descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "unknown member"},
        {"{'descr ': '<f4', 'fortran_order': False, 'shape': (1,)}", "unknown member"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

static void test_grammar(void)
{
    static const bad_text rows[] = {
        {"", "'{'"},
        {"   ", "ends; expected '{'"},
        {"['descr']", "'{'"},
        {"{", "name of a member"},
        {"{'descr", "end of a string"},
        {"{'descr\\x20': '<f4'}", "end of a string"},
        {"{'descr' '<f4'}", "':'"},
        {"{'descr': '<f4' 'fortran_order': False}", "',' or '}'"},
        {"{, 'descr': '<f4'}", "name of a member"},
        {"{'descr': '<f4',, 'fortran_order': False}", "name of a member"},
        {"{descr: '<f4'}", "name of a member"},
        {"{u'descr': '<f4'}", "name of a member"},
        {"{'descr': dtype('<f4')}", "type of the elements"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "True or False"},
        {"{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}", "True or False"},
        {"{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,)}", "',' or '}'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "nothing but blanks"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}}", "nothing but blanks"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} # \n", "nothing but blanks"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "',' or '}'"},
        {"__import__('os').system('touch here')", "'{'"},
    };
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

/* A zero byte ends no string, so that no message is cut short by it. */
static void test_zero_bytes(void)
{
    static const char good[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (12,)}";
    unsigned failed = 0;
    for (size_t i = 0; i + 1 < sizeof good; i++) {
        npy_bytes h = npy_header(1, good);
        h.bytes[h.size - (sizeof good - 1) + i] = 0;
        failed += !refused(&h, "expected");
    }
    CU_ASSERT_EQUAL(failed, 0);
}

static void test_shapes(void)
{
#define SHAPE(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
    static const bad_text rows[] = {
        {SHAPE("(3)"), "got a number"},
        {SHAPE("3"), "a tuple"},
        {SHAPE("[3]"), "a tuple"},
        {SHAPE("(-1,)"), "must not be negative"},
        {SHAPE("(2, -3)"), "must not be negative"},
        {SHAPE("(+1,)"), "a dimension"},
        {SHAPE("(1.0,)"), "',' or ')'"},
        {SHAPE("(1e3,)"), "',' or ')'"},
        {SHAPE("(0x10,)"), "',' or ')'"},
        {SHAPE("(010,)"), "must not begin with 0"},
        {SHAPE("(1_000,)"), "',' or ')'"},
        {SHAPE("(,)"), "a dimension"},
        {SHAPE("(1,,2)"), "a dimension"},
        {SHAPE("(1 2)"), "',' or ')'"},
        {SHAPE("('1',)"), "a dimension"},
        {SHAPE("(None,)"), "a dimension"},
        {SHAPE("(1LL,)"), "',' or ')'"},
        {SHAPE("(18446744073709551616,)"), "less than 2^64"},
        {SHAPE("(99999999999999999999999999,)"), "less than 2^64"},
        {SHAPE("(18446744073709551615,)"), "more elements"},
        {SHAPE("(4294967296, 4294967296)"), "more elements"},    /* the product is 2^64: 0 */
        {SHAPE("(0, 4294967296, 4294967296)"), "more elements"}, /* nor does a 0 excuse it */
        {SHAPE("(4294967296, 4294967296, 0)"), "more elements"},
        {SHAPE("(2305843009213693952,)"), "more elements"},   /* times 4 is 2^63 */
        {SHAPE("(4611686018427387905, 4)"), "more elements"}, /* wraps to 4 */
    };
#undef SHAPE
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
    char text[1024] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i <= BND_NPY_RANK_MAX; i++) {
        strcat(text, "1, ");
    }
    CU_ASSERT_TRUE(text_refused(strcat(text, ")}"), "64 dimensions"));
}

static void test_elements(void)
{
#define DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (1,)}"
    static const bad_text rows[] = {
        {DESCR("'|O'"), "Python objects"},
        {DESCR("'|O8'"), "Python objects"},
        {DESCR("[('x', '<f4')]"), "structures"},
        {DESCR("('<f4', (2,))"), "structures"},
        {DESCR("'<c8'"), "complex"},
        {DESCR("'|b1'"), "truth"},
        {DESCR("'|S5'"), "text"},
        {DESCR("'<U5'"), "text"},
        {DESCR("'<M8[ns]'"), "dates"},
        {DESCR("'<f16'"), "1, 2, 4 or 8"},
        {DESCR("'<f3'"), "1, 2, 4 or 8"},
        {DESCR("'<f'"), "1, 2, 4 or 8"},
        {DESCR("'|V3'"), "1, 2, 4 or 8"},
        {DESCR("'=f4'"), "byte order"},
        {DESCR("'|f4'"), "byte order"},
        {DESCR("'f4'"), "unknown type"},
        {DESCR("''"), "unknown type"},
        {DESCR("'<'"), "unknown type"},
        {DESCR("'<x4'"), "unknown type"},
        {DESCR("'nosuch'"), "unknown type"},
        {DESCR("'a name that is longer than any descr'"), "unknown type"},
        {DESCR("'p11emin-14emax15'"), "unknown type"},
    };
#undef DESCR
    CU_ASSERT_EQUAL(FAILURES(rows), 0);
}

static void test_starts(void)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
    npy_bytes whole = npy_header(2, text), h = whole;
    for (size_t size = 0; size < whole.size; size++) { /* cut short anywhere */
        h = whole;
        h.size = size;
        memset(h.bytes + size, 0, sizeof h.bytes - size);
        CU_ASSERT_TRUE(refused(&h, size < 6 ? "not a .npy" : size < 12 ? "inside" : "fewer are left"));
    }
    h = whole;
    h.bytes[0] = 0x92;
    CU_ASSERT_TRUE(refused(&h, "not a .npy"));
    h = whole;
    h.bytes[6] = 4;
    CU_ASSERT_TRUE(refused(&h, "version 4.0"));
    h.bytes[6] = 0;
    CU_ASSERT_TRUE(refused(&h, "version 0.0"));
    h = whole;
    h.bytes[7] = 1;
    CU_ASSERT_TRUE(refused(&h, "version 2.1"));
    h = whole;
    memset(h.bytes + 8, 0xff, 4);
    CU_ASSERT_TRUE(refused(&h, "4294967295 bytes"));
    h = whole;
    h.bytes[8]++;
    CU_ASSERT_TRUE(refused(&h, "fewer are left"));
    h = npy_header(1, text);
    h.bytes[10] = 0;
    CU_ASSERT_TRUE(refused(&h, "0x0"));
}

/* Where nobody knows the file's size, a header has a limit of its own. */
static void test_streams(void)
{
    npy_bytes h = npy_header(2, "{}");
    size_t size = 42;
    bnd_error why;
    memset(h.bytes + 8, 0xff, 4);
    CU_ASSERT_EQUAL(bnd_npy_measure(&size, h.bytes, BND_NPY_START, UINT64_MAX, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "the limit is"));
    CU_ASSERT_EQUAL(size, 42);
    CU_ASSERT_EQUAL(bnd_npy_measure(&size, h.bytes, BND_NPY_START, UINT64_MAX, NULL), BND_BAD_FILE);
}

CU_TestInfo refused_tests[] = {
    {"members missing, twice, unknown", test_members},
    {"what is no such dictionary", test_grammar},
    {"zero bytes", test_zero_bytes},
    {"shapes", test_shapes},
    {"types of elements", test_elements},
    {"magic, version and length", test_starts},
    {"headers of streams", test_streams},
    CU_TEST_INFO_NULL,
};
