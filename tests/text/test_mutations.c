/* A million strings that nearly are numbers: none harms the parser, and what it accepts is what strtod reads. */
#include "base/bits.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 80 };

static const char *const seeds[] = {
    "0",
    "-0",
    "1",
    "12.5",
    "-0.1",
    "1e-8",
    "1E+300",
    "0x1.8p3",
    "0x.8p-1074",
    "0xabcdefp+7",
    "inf",
    "-Infinity",
    "nan",
    "nan(0x7f)",
    "nan(127)",
    "snan(0x1)",
    "5.",
    ".5",
    "65504",
    "2.5e-45",
    "1e400",
    "1e-400",
    "0x0p0",
    "1e99999999999999999999",
    "9007199254740993",
    "1.7976931348623158e308",
    "4.9406564584124654e-324",
    "0x1.fffffffffffff8p1023",
    "0.000000000000000000000000000000000000000000000000001e51",
    "2.4703282292062327208e-324",
};

/* Letters that matter to the grammar, and a few that do not. */
static const char alphabet[] = "0123456789..eExXpP++--abcdfinstyINFATY()(),_' \t\0g%\xff";

static size_t mutated(char *out, draw *from)
{
    const char *seed = seeds[drawn_below(from, sizeof seeds / sizeof seeds[0])];
    size_t length = strlen(seed);
    memcpy(out, seed, length);
    for (uint64_t edits = drawn_below(from, 5); edits > 0; edits--) {
        size_t at = drawn_below(from, length + 1);
        char letter = alphabet[drawn_below(from, sizeof alphabet - 1)];
        switch (drawn_below(from, 3)) {
        case 0: /* insert */
            if (length < LONGEST) {
                memmove(out + at + 1, out + at, length - at);
                out[at] = letter;
                length++;
            }
            break;
        case 1: /* remove */
            if (at < length) {
                memmove(out + at, out + at + 1, length - at - 1);
                length--;
            }
            break;
        default: /* replace */
            if (at < length) {
                out[at] = letter;
            }
        }
    }
    return length;
}

/* strtod also takes blanks in front and any word as a NaN's payload; it knows no signaling NaN. */
static bool agrees(const char *text, size_t length, bnd_status status, const bnd_result *read, size_t where)
{
    char *end;
    double x = strtod(text, &end);
    bool all = length > 0 && end == text + length;
    if (status != BND_OK) {
        bool only_theirs = strchr(" \t", text[0]) != NULL || strchr(text, '(') != NULL;
        return status == BND_BAD_SYNTAX && where <= length && (!all || only_theirs);
    }
    bool signaling = (text[0] | 32) == 's' || (text[1] | 32) == 's';
    return signaling ||
           (all && (isnan(x) ? isnan(bndi_double_of_bits(read->code)) : read->code == bndi_bits_of_double(x)));
}

static void survives_a_million_strings(void)
{
    bnd_format fp64 = format_named("fp64");
    uint64_t mismatches = 0, accepted = 0, cases = scaled(1000000);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 5, .element = i * 32};
        char text[LONGEST + 2];
        size_t length = mutated(text, &from);
        text[length] = '\0';
        /* exactly as long as it is, so that a sanitizer sees a byte too far */
        char *tight = malloc(length > 0 ? length : 1);
        if (tight == NULL) {
            mismatches++;
            break;
        }
        memcpy(tight, text, length);
        bnd_result read = {0};
        bnd_error why = {0};
        bnd_status status = bnd_parse_n(&read, &fp64, tight, length, (bnd_rule){0}, 0, &why);
        free(tight);
        accepted += status == BND_OK;
        if (!agrees(text, length, status, &read, why.where) && worth_printing(&mismatches)) {
            printf("%s: status %d, code 0x%llx, strtod %a\n", text, (int)status, (unsigned long long)read.code,
                   strtod(text, NULL));
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    CU_ASSERT(cases < 1000 || (accepted > cases / 10 && accepted < cases - cases / 10));
}

CU_TestInfo mutation_tests[] = {
    {"a million strings", survives_a_million_strings},
    CU_TEST_INFO_NULL,
};
