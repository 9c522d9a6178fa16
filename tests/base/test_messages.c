/* bnd_fail: every conversion that it promises, and messages that are too long. */
#include <binade/base.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tests.h"

static void test_status_and_place(void)
{
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_fail(&why, BND_BAD_SYNTAX, 7, "a plain sentence"), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(why.status, BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(why.where, 7);
    CU_ASSERT_STRING_EQUAL(why.message, "a plain sentence");
    CU_ASSERT_EQUAL(bnd_fail(&why, BND_NO_MEMORY, 0, "another"), BND_NO_MEMORY);
    CU_ASSERT_EQUAL(why.status, BND_NO_MEMORY);
    CU_ASSERT_EQUAL(why.where, 0);
    CU_ASSERT_STRING_EQUAL(why.message, "another");
}

static void test_status_names(void)
{
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_OK), "BND_OK");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_BAD_NAME), "BND_BAD_NAME");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_BAD_SYNTAX), "BND_BAD_SYNTAX");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_BAD_ARGUMENT), "BND_BAD_ARGUMENT");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_NO_MEMORY), "BND_NO_MEMORY");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_BAD_FILE), "BND_BAD_FILE");
    CU_ASSERT_STRING_EQUAL(bnd_status_name(BND_BAD_STREAM), "BND_BAD_STREAM");
    CU_ASSERT_STRING_EQUAL(bnd_status_name((bnd_status)(BND_BAD_STREAM + 1)), "");
}

static void test_version(void)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", BND_VERSION_MAJOR, BND_VERSION_MINOR, BND_VERSION_PATCH);
    CU_ASSERT_STRING_EQUAL(bnd_version(), text);
    CU_ASSERT_STRING_EQUAL(bnd_version(), BND_VERSION_STRING);
    CU_ASSERT_STRING_EQUAL(bnd_version(), PACKAGE_VERSION);
    CU_ASSERT_EQUAL(BND_VERSION_NUMBER, 10000 * BND_VERSION_MAJOR + 100 * BND_VERSION_MINOR + BND_VERSION_PATCH);
}

static void test_nobody_asks(void)
{
    CU_ASSERT_EQUAL(bnd_fail(NULL, BND_BAD_NAME, 3, "%s %d", "unread", 1), BND_BAD_NAME);
}

static void test_conversions(void)
{
    bnd_error why;
    bnd_fail(&why, BND_BAD_NAME, 0, "[%s] [%.*s] [%c] [%d] [%u] [%zu] [%llu] [%llx] [%%]", "text", 3, "abcdef", 'x',
             -42, 42u, (size_t)43, 44ULL, 0xfeedfacecafeULL);
    CU_ASSERT_STRING_EQUAL(why.message, "[text] [abc] [x] [-42] [42] [43] [44] [feedfacecafe] [%]");
    bnd_fail(&why, BND_BAD_NAME, 0, "[%s] [%.*s] [%c] [%s]", "a\x1b[1m", 4, "a\0b\n", '\r', "caf\xc3\xa9 \xe2\x80\xae");
    CU_ASSERT_STRING_EQUAL(why.message, "[a\\x1b[1m] [a\\x00b\\x0a] [\\x0d] [caf\xc3\xa9 \\xe2\\x80\\xae]");
    bnd_fail(&why, BND_BAD_NAME, 0, "%s%.*s|%s", "", 0, "unseen", "end");
    CU_ASSERT_STRING_EQUAL(why.message, "|end");
}

static void test_extremes(void)
{
    bnd_error why;
    char expected[BND_MESSAGE_SIZE];
    bnd_fail(&why, BND_BAD_NAME, 0, "%d %d %d %lld %u %zu %llu %llx %llx", INT_MIN, INT_MAX, 0, LLONG_MIN, UINT_MAX,
             SIZE_MAX, ULLONG_MAX, ULLONG_MAX, 0ULL);
    snprintf(expected, sizeof expected, "%d %d %d %lld %u %zu %llu %llx %llx", INT_MIN, INT_MAX, 0, LLONG_MIN, UINT_MAX,
             SIZE_MAX, ULLONG_MAX, ULLONG_MAX, 0ULL);
    CU_ASSERT_STRING_EQUAL(why.message, expected);
}

/* A piece of a longer text has no final 0 byte: nothing behind its length may be read. */
static void test_piece_without_an_end(void)
{
    bnd_error why;
    const char piece[3] = {'a', 'b', 'c'};
    bnd_fail(&why, BND_BAD_NAME, 0, "<%.*s>", 3, piece);
    CU_ASSERT_STRING_EQUAL(why.message, "<abc>");
}

/* A text of `length` times 'x': whole where it fits, cut with "..." where it does not. */
static void check_length(size_t length)
{
    char text[2 * BND_MESSAGE_SIZE];
    memset(text, 'x', length);
    text[length] = '\0';
    bnd_error why;
    memset(why.message, '#', sizeof why.message);
    bnd_fail(&why, BND_BAD_NAME, 0, "%s", text);
    size_t written = strnlen(why.message, BND_MESSAGE_SIZE);
    if (length < BND_MESSAGE_SIZE) {
        CU_ASSERT_STRING_EQUAL(why.message, text);
        return;
    }
    CU_ASSERT_EQUAL(written, BND_MESSAGE_SIZE - 1);
    CU_ASSERT_EQUAL(strspn(why.message, "x"), BND_MESSAGE_SIZE - 4);
    CU_ASSERT_STRING_EQUAL(why.message + BND_MESSAGE_SIZE - 4, "...");
}

static void test_cutting(void)
{
    for (size_t length = BND_MESSAGE_SIZE - 6; length < BND_MESSAGE_SIZE + 6; length++) {
        check_length(length);
    }
    check_length(0);
    check_length(2 * BND_MESSAGE_SIZE - 1);
}

CU_TestInfo message_tests[] = {
    {"status and place are kept", test_status_and_place},
    {"every status has its name", test_status_names},
    {"the version is that of configure.ac", test_version},
    {"NULL is nobody who wants to know", test_nobody_asks},
    {"every conversion", test_conversions},
    {"the extremes of the integers", test_extremes},
    {"a piece without a final 0 byte", test_piece_without_an_end},
    {"cut with ... at the size of a message", test_cutting},
    CU_TEST_INFO_NULL,
};
