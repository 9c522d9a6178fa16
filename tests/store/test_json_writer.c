/* The JSON writer: nesting, commas, escapes, text that is not UTF-8, and nesting that goes too deep. */
#include "store/json_writer.h"

#include <stdio.h>
#include <string.h>

#include "tests.h"

typedef struct page {
    char text[4096];
    size_t length;
} page;

static void write_to_page(void *sink, const char *text, size_t length)
{
    page *p = sink;
    if (length < sizeof p->text - p->length) {
        memcpy(p->text + p->length, text, length);
        p->length += length;
        p->text[p->length] = '\0';
    }
}

static page out;

static bnd_lab_json begin(void)
{
    bnd_lab_json json;
    out = (page){.length = 0};
    bnd_lab_json_begin(&json, write_to_page, &out);
    return json;
}

/* The text without the blanks that stand outside of strings: how loosely it is written is the writer's own affair. */
static const char *squeezed(void)
{
    static char text[sizeof out.text];
    size_t length = 0;
    bool quoted = false;
    for (size_t i = 0; i < out.length; i++) {
        char c = out.text[i];
        if (c == '"' && (i == 0 || out.text[i - 1] != '\\')) {
            quoted = !quoted;
        }
        if (quoted || (c != ' ' && c != '\n')) {
            text[length++] = c;
        }
    }
    text[length] = '\0';
    return text;
}

static void test_nesting_and_commas(void)
{
    bnd_lab_json json = begin();
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_integer(&json, "a", 1);
    bnd_lab_json_array(&json, "b");
    bnd_lab_json_integer(&json, NULL, 2);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_boolean(&json, "c", true);
    bnd_lab_json_null(&json, "d");
    bnd_lab_json_end(&json);
    bnd_lab_json_array(&json, NULL);
    bnd_lab_json_end(&json);
    bnd_lab_json_string(&json, NULL, "e");
    bnd_lab_json_end(&json);
    bnd_lab_json_boolean(&json, "f", false);
    bnd_lab_json_literal(&json, "g", "1.5e-300");
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(),
                           "{\"a\":1,\"b\":[2,{\"c\":true,\"d\":null},[],\"e\"],\"f\":false,\"g\":1.5e-300}");
}

static void test_empty(void)
{
    bnd_lab_json json = begin();
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(), "{}");
    json = begin();
    bnd_lab_json_array(&json, NULL);
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(), "[]");
    json = begin();
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_object(&json, "a");
    bnd_lab_json_end(&json);
    bnd_lab_json_array(&json, "b");
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(), "{\"a\":{},\"b\":[]}");
}

static void test_integers(void)
{
    bnd_lab_json json = begin();
    bnd_lab_json_array(&json, NULL);
    bnd_lab_json_integer(&json, NULL, INT64_MIN);
    bnd_lab_json_integer(&json, NULL, INT64_MAX);
    bnd_lab_json_integer(&json, NULL, 0);
    bnd_lab_json_unsigned(&json, NULL, UINT64_MAX);
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(), "[-9223372036854775808,9223372036854775807,0,18446744073709551615]");
}

static const char *written(const char *value, size_t length)
{
    bnd_lab_json json = begin();
    bnd_lab_json_string_n(&json, NULL, value, length);
    return out.text;
}

static void test_escapes(void)
{
    CU_ASSERT_STRING_EQUAL(written("", 0), "\"\"");
    CU_ASSERT_STRING_EQUAL(written("say \"hi\" \\ /", 12), "\"say \\\"hi\\\" \\\\ /\"");
    CU_ASSERT_STRING_EQUAL(written("\b\f\n\r\t", 5), "\"\\b\\f\\n\\r\\t\"");
    CU_ASSERT_STRING_EQUAL(written("\0\x1f\x7f", 3), "\"\\u0000\\u001f\x7f\"");
    bnd_lab_json json = begin();
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_null(&json, "a\"b\nc");
    bnd_lab_json_end(&json);
    CU_ASSERT_STRING_EQUAL(squeezed(), "{\"a\\\"b\\nc\":null}");
}

/* Every control character is escaped, and no other ASCII character but the quote and the backslash. */
static void test_all_of_ascii(void)
{
    int wrong = 0;
    for (int c = 0; c < 128; c++) {
        char one = (char)c;
        bool escaped = strlen(written(&one, 1)) > 3;
        bool expected = c < 0x20 || c == '"' || c == '\\';
        if (escaped != expected) {
            printf("character %d: %s\n", c, out.text);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_utf8_is_kept(void)
{
    /* The first and the last of each length, and the neighbours of the surrogates. */
    static const char *const kept[] = {"\x7f",         "\xc2\x80",         "\xdf\xbf",          "\xe0\xa0\x80",
                                       "\xed\x9f\xbf", "\xee\x80\x80",     "\xef\xbf\xbf",      "\xf0\x90\x80\x80",
                                       "\xe2\x88\x9e", "\xf4\x8f\xbf\xbf", "x\xc3\xa9z\xc3\xa9"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "\"%s\"", kept[i]);
        CU_ASSERT_STRING_EQUAL(written(kept[i], strlen(kept[i])), expected);
    }
}

#define REPLACED "\xef\xbf\xbd"

/* Overlong forms, surrogates, beyond U+10FFFF, sequences cut short, bytes that stand alone: at least one U+FFFD, and
 * what stands around them stays. */
static void test_not_utf8(void)
{
    static const char *const broken[] = {"\x80",
                                         "\xbf",
                                         "\xc0\x80",
                                         "\xc1\xbf",
                                         "\xe0\x80\x80",
                                         "\xe0\x9f\xbf",
                                         "\xed\xa0\x80",
                                         "\xed\xbf\xbf",
                                         "\xf0\x8f\xbf\xbf",
                                         "\xf4\x90\x80\x80",
                                         "\xf5\x80\x80\x80",
                                         "\xff",
                                         "\xc3",
                                         "\xe2\x88",
                                         "\xf0\x9f\x98",
                                         "\xfe"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "a%sz", broken[i]);
        const char *json = written(text, (size_t)length);
        CU_ASSERT_EQUAL(strncmp(json, "\"a" REPLACED, 5), 0);
        size_t end = strlen(json);
        CU_ASSERT_EQUAL(strcmp(json + end - 5, REPLACED "z\""), 0);
        /* Nothing between but replacements. */
        size_t at = 2;
        while (strncmp(json + at, REPLACED, 3) == 0) {
            at += 3;
        }
        CU_ASSERT_EQUAL(at, end - 2);
    }
    /* The text's end cuts a sequence short whatever stands behind it in memory. */
    CU_ASSERT_STRING_EQUAL(written("\xe2\x88\x9e", 2), "\"" REPLACED REPLACED "\"");
}

/* 64 levels are written; a level more is not, and the text stays well-formed: every bracket that opens closes, and the
 * members after it stand where they belong. */
static void test_depth_limit(void)
{
    enum { LEVELS = 64 };
    for (int extra = 0; extra <= 3; extra++) {
        bnd_lab_json json = begin();
        for (int i = 0; i < LEVELS + extra; i++) {
            bnd_lab_json_array(&json, NULL);
        }
        bnd_lab_json_integer(&json, NULL, 7);
        for (int i = 0; i < LEVELS + extra; i++) {
            bnd_lab_json_end(&json);
        }
        char expected[2 * LEVELS + 8] = "";
        memset(expected, '[', LEVELS);
        strcpy(expected + LEVELS, extra == 0 ? "7" : "null");
        memset(expected + strlen(expected), ']', LEVELS);
        CU_ASSERT_STRING_EQUAL(squeezed(), expected);
    }
}

static void test_after_the_depth_limit(void)
{
    bnd_lab_json json = begin();
    bnd_lab_json_object(&json, NULL);
    for (int i = 1; i < 70; i++) {
        bnd_lab_json_object(&json, "k");
    }
    for (int i = 1; i < 70; i++) {
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_integer(&json, "last", 1);
    bnd_lab_json_end(&json);
    const char *tail = ",\"last\":1}";
    const char *text = squeezed();
    CU_ASSERT(strlen(text) > strlen(tail));
    CU_ASSERT_STRING_EQUAL(text + strlen(text) - strlen(tail), tail);
    int open = 0, close = 0;
    for (const char *c = text; *c != '\0'; c++) {
        open += *c == '{';
        close += *c == '}';
    }
    CU_ASSERT_EQUAL(open, 64);
    CU_ASSERT_EQUAL(close, 64);
}

CU_TestInfo json_writer_tests[] = {
    {"nesting and commas", test_nesting_and_commas},
    {"empty objects and arrays", test_empty},
    {"integers, whole range", test_integers},
    {"escapes, in keys too", test_escapes},
    {"all of ASCII", test_all_of_ascii},
    {"UTF-8 is kept", test_utf8_is_kept},
    {"what is not UTF-8 becomes U+FFFD", test_not_utf8},
    {"nesting stops at 64", test_depth_limit},
    {"and goes on behind it", test_after_the_depth_limit},
    CU_TEST_INFO_NULL,
};
