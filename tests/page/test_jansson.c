/* The page's reading of JSON against jansson: the same values, and the same reasons and positions of refusals. Texts: a
 * list of cases, whole files, and both with random changes. */
#include "tests/support/operands.h"
#include "tests/support/suites.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void describe_real(FILE *out, const char *text, size_t length);
bool is_the_reference(void);
void describe_page(FILE *out, const char *text, size_t length);

typedef struct text {
    char *bytes;
    size_t length;
} text;

static text described(void (*describe)(FILE *, const char *, size_t), const char *bytes, size_t length)
{
    text t = {NULL, 0};
    FILE *out = open_memstream(&t.bytes, &t.length);
    if (out == NULL) {
        return t;
    }
    describe(out, bytes, length);
    fclose(out);
    return t;
}

static size_t compared, accepted, mismatches;

static void compare(const char *bytes, size_t length)
{
    /* Exactly this many bytes, so that a sanitizer sees one that is read behind them. */
    char *exact = malloc(length > 0 ? length : 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
    memcpy(exact, bytes, length);
    text real = described(describe_real, exact, length), page = described(describe_page, exact, length);
    compared++;
    accepted += real.bytes != NULL && strncmp(real.bytes, "refused", 7) != 0;
    if (real.bytes == NULL || page.bytes == NULL || strcmp(real.bytes, page.bytes) != 0) {
        if (mismatches++ < 10) {
            fprintf(stderr, "%.*s\n  jansson: %.80s\n  page:    %.80s\n", length < 80 ? (int)length : 80, bytes,
                    real.bytes, page.bytes);
        }
    }
    free(real.bytes);
    free(page.bytes);
    free(exact);
}

/* Texts may hold null characters: their length is that of the array. */
#define CASE(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }
static const struct {
    const char *bytes;
    size_t length;
} cases[] = {
    CASE(""),
    CASE(" \t\n\r"),
    CASE("0"),
    CASE("-0"),
    CASE("-"),
    CASE("00"),
    CASE("-01"),
    CASE("1."),
    CASE(".5"),
    CASE("1.5"),
    CASE("-1.25e-3"),
    CASE("1e"),
    CASE("1e+"),
    CASE("1E+5 "),
    CASE("1e5x"),
    CASE("1.e5"),
    CASE("0e0"),
    CASE("9223372036854775807"),
    CASE("9223372036854775808"),
    CASE("-9223372036854775808"),
    CASE("-9223372036854775809"),
    CASE("18446744073709551616"),
    CASE("100000000000000000000000000000"),
    CASE("1e308"),
    CASE("1e309"),
    CASE("-1e309"),
    CASE("1e-400"),
    CASE("4.9406564584124654e-324"),
    CASE("2.2250738585072011e-308"),
    CASE("0.1"),
    CASE("1.7976931348623157e308"),
    CASE("1.7976931348623159e308"),
    CASE("true"),
    CASE("false"),
    CASE("null"),
    CASE("True"),
    CASE("nul"),
    CASE("truefalse"),
    CASE("true false"),
    CASE("NaN"),
    CASE("Infinity"),
    CASE("1\0"),
    CASE("true\0"),
    CASE("\0"),
    CASE("[1\0]"),
    CASE("[1\0\0]"),
    CASE("[\0]"),
    CASE("1 \0"),
    CASE("\"\0\""),
    CASE("[true\0,2,x"),
    CASE("{\"a\"\0:1}"),
    CASE("\"\""),
    CASE("\"a"),
    CASE("\"a\n\""),
    CASE("\"\x7f\""),
    CASE("\"\\b\\f\\n\\r\\t\\\"\\\\\\/\""),
    CASE("\"\\x\""),
    CASE("\"\\"),
    CASE("\"\\u00"),
    CASE("\"\\u00g0\""),
    CASE("\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\""),
    CASE("\"\\ud83d\""),
    CASE("\"\\ud83dx\""),
    CASE("\"\\ud83d\\n\""),
    CASE("\"\\ud83d\\u0041\""),
    CASE("\"\\ude00\""),
    CASE("\"\\u0000\""),
    CASE("[\"a\\u0000b\"]"),
    CASE("{\"a\\u0000\":1}"),
    CASE("{\"a\":\"\\u0000\"}"),
    CASE("\"\\u0007\\uFFFF\\uABcd\""),
    CASE("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
    CASE("\"\xc3\""),
    CASE("\"\xc0\x80\""),
    CASE("\"\xe0\x80\x80\""),
    CASE("\"\xed\xa0\x80\""),
    CASE("\"\xf4\x90\x80\x80\""),
    CASE("\"\xf5\x80\x80\x80\""),
    CASE("\"\x80\""),
    CASE("\"\xff\""),
    CASE("\xef\xbb\xbf{}"),
    CASE("\xc3\xa9"),
    CASE("\xe2\x82"),
    CASE("1\xff"),
    CASE("[1\xff]"),
    CASE("1.\xff"),
    CASE("1e\xff"),
    CASE("-\xff"),
    CASE("tr\xff"),
    CASE("true\xc3\xa9"),
    CASE("12\xc3\xa9"),
    CASE("\"\\\xff\""),
    CASE("\"\\u\xc3\xa9\""),
    CASE("\"\\u12"),
    CASE("[]"),
    CASE("[ ]"),
    CASE("["),
    CASE("[1"),
    CASE("[1,"),
    CASE("[1,]"),
    CASE("[,]"),
    CASE("[1 2]"),
    CASE("[1}"),
    CASE("]"),
    CASE("[]]"),
    CASE("[[],{}]"),
    CASE("{}"),
    CASE("{ }"),
    CASE("{"),
    CASE("{1"),
    CASE("{\"a\""),
    CASE("{\"a\":"),
    CASE("{\"a\":1"),
    CASE("{\"a\":1,"),
    CASE("{\"a\":1,}"),
    CASE("{\"a\" 1}"),
    CASE("{\"a\":1]"),
    CASE("{:1}"),
    CASE("}"),
    CASE(":"),
    CASE(","),
    CASE("{\"a\":1,\"a\":2}"),
    CASE("{\"a\":1,\"\\u0061\":2}"),
    CASE("{\"\":1,\"\":2}"),
    CASE("{\"a\":{\"a\":1},\"b\":[{\"a\":2}]}"),
    CASE("{\"a\":}"),
    CASE("{\"a\":true,\"b\":false,\"c\":null,\"d\":-7}"),
    CASE("// no"),
    CASE("'a'"),
    CASE("[1]x"),
    CASE("[1] \n\t\r "),
    CASE("{\"a\":1}{"),
    CASE("a\0b"),
    CASE("+1"),
};

static void test_cases(void)
{
    compared = accepted = mismatches = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare(cases[i].bytes, cases[i].length);
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    CU_ASSERT(accepted > 30 && compared - accepted > 60);
}

/* Arrays and objects inside each other, to the limit and beyond it; with and without an end. */
static void test_depth(void)
{
    enum { MOST = 2051 };
    static char bytes[8 * MOST];
    compared = accepted = mismatches = 0;
    static const char *const opens[] = {"[", "{\"a\":"}, *const closes[] = {"]", "}"},
                             *const inside[] = {"", "1", "x", "[]", "\xff"};
    for (size_t depth = 2046; depth < MOST; depth++) {
        for (size_t way = 0; way < 2 * 2 * 5; way++) {
            size_t kind = way & 1, length = 0;
            for (size_t i = 0; i < depth; i++, length += strlen(opens[kind])) {
                memcpy(bytes + length, opens[kind], strlen(opens[kind]));
            }
            memcpy(bytes + length, inside[way / 4], strlen(inside[way / 4]));
            length += strlen(inside[way / 4]);
            for (size_t i = 0; (way & 2) != 0 && i < depth; i++) {
                bytes[length++] = closes[kind][0];
            }
            compare(bytes, length);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    CU_ASSERT(accepted > 0 && accepted < compared);
}

static uint64_t state = 1;

static size_t below(size_t limit)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)((state >> 33) % limit);
}

/* Whole texts as binade writes and reads them, and with one to four changes each. */
static const char *const wholes[] = {
    "{\"step\":12,\"loss\":0.693359375,\"gradient_norm\":1.5e-3,\"scale\":65536,\"skipped\":false,\"note\":null,"
    "\"casts\":{\"act\":{\"format\":\"e4m3\",\"underflows\":18446744073709551615,\"exponents\":[[-9,12],[0,4096]]}}}",
    "{\"__metadata__\":{\"format\":\"pt\",\"\\u00fcber\":\"\\ud83d\\ude00\"},\"layer.0.weight\":{\"dtype\":\"BF16\","
    "\"shape\":[64,128],\"data_offsets\":[0,16384]},\"b\":{\"dtype\":\"F8_E4M3\",\"shape\":[],\"data_offsets\":[16384,"
    "16385]}}",
    "{\"base\":\"bf16-amp\",\"name\":\"my recipe\",\"param\":\"bf16 "
    "rounding=sr\",\"loss_scale\":\"dynamic\",\"bits\":8}",
    "[[],{},\"\\\"\\\\\\/"
    "\\b\\f\\n\\r\\t\\u0041\",-0,-0.0,0.1,1E+2,true,false,null,[[[[1]]]],{\"a\":{\"a\":{\"a\":[]}}}]",
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,\"k\":11,\"l\":12,\"m\":13,"
    "\"aa\":14}",
};

static size_t change(char *bytes, size_t length)
{
    static const char marks[] = "{}[]:,\"\\u0123dD8e-+. \n\0\x01\x80\xc3\xa9\xf0\x9f\xff"
                                "atrufnlse";
    size_t at = below(length + 1), to = below(length + 1);
    switch (below(5)) {
    case 0: /* a byte from the list of those that mean something */
        bytes[at] = marks[below(sizeof marks - 1)];
        return at == length ? length + 1 : length;
    case 1: /* any byte put in */
        memmove(bytes + at + 1, bytes + at, length - at);
        bytes[at] = below(2) != 0 ? (char)below(256) : marks[below(sizeof marks - 1)];
        return length + 1;
    case 2: /* a byte taken out */
        memmove(bytes + at, bytes + at + (at < length), length - at - (at < length));
        return length - (at < length);
    case 3: /* a part moved over another */
        memmove(bytes + at, bytes + to, length - (at > to ? at : to));
        return length;
    default: /* the rest cut off, mostly near the end */
        return length > 0 && below(3) == 0 ? at : length;
    }
}

static void test_changed(void)
{
    compared = accepted = mismatches = 0;
    size_t count = scaled(60000);
    for (size_t i = 0; i < count; i++) {
        char bytes[1024];
        const char *whole = below(3) != 0 ? wholes[below(sizeof wholes / sizeof wholes[0])] : NULL;
        size_t some = below(sizeof cases / sizeof cases[0]);
        size_t length = whole != NULL ? strlen(whole) : cases[some].length;
        memcpy(bytes, whole != NULL ? whole : cases[some].bytes, length);
        for (size_t changes = below(5); changes > 0; changes--) {
            length = change(bytes, length);
        }
        compare(bytes, length);
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    CU_ASSERT(accepted > count / 10 && accepted < count * 9 / 10);
}

/* An object of many members: each is found, and a duplicate of any is refused. */
static void test_many_members(void)
{
    enum { MEMBERS = 5000 };
    static char bytes[16 * MEMBERS];
    compared = accepted = mismatches = 0;
    for (int duplicate = -1; duplicate < MEMBERS; duplicate += 1666) {
        size_t length = 0;
        for (int i = 0; i < MEMBERS; i++) {
            length += (size_t)snprintf(bytes + length, 16, "%c\"k%d\":%d", i == 0 ? '{' : ',', i, i);
        }
        if (duplicate >= 0) {
            length += (size_t)snprintf(bytes + length, 16, ",\"k%d\":0", duplicate);
        }
        bytes[length++] = '}';
        compare(bytes, length);
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    CU_ASSERT_EQUAL(accepted, 1);
}

/* Other versions may stop at other bytes. */
static void test_nothing(void)
{
    skip_test("jansson 2.14");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"cases", test_cases},
        {"depth", test_depth},
        {"changed texts", test_changed},
        {"many members", test_many_members},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {SUITE("json of the page", tests), CU_SUITE_INFO_NULL};
    if (!is_the_reference()) {
        tests[0] = (CU_TestInfo){"values and refusals", test_nothing};
        tests[1] = (CU_TestInfo)CU_TEST_INFO_NULL;
    }
    return run_suites(suites);
}
