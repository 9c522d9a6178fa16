/* Which cases there are, and lines and headers: written, read, and refused. */
#include "tests/support/operands.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 16 };

/* ---- plans ---- */

static void every_combination(void)
{
    bnd_vectors v = vectors_described("add", "e2m1", "e2m1", (bnd_rule){0});
    bnd_vector_plan plan;
    bnd_error why;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
    unsigned seen[256] = {0}, missing = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_ALL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(plan.count, 256);
    for (uint64_t i = 0; i < plan.count; i++) {
        bnd_vector_case(operands, &random, &plan, i);
        seen[operands[0] << 4 | operands[1]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        missing += seen[i] != 1;
    }
    CU_ASSERT_EQUAL(missing, 0);
    bnd_vector_plan_close(&plan);
    v = vectors_described("fma", "fp16", "fp16", (bnd_rule){0});
    CU_ASSERT_EQUAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_ALL, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "2^48"));
    v = vectors_described("add", "fp16", "fp16", (bnd_rule){.rounding = BND_ROUND_SR, .random_bits = 2});
    CU_ASSERT_EQUAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_ALL, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_vector_plan_open(&plan, &v, (bnd_vector_level)(BND_VECTOR_LEVEL_ALL + 1), 0, &why),
                    BND_BAD_ARGUMENT);
    v = vectors_described("add", "fp16", "fp16", (bnd_rule){0});
    CU_ASSERT_EQUAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_ALL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(plan.count, UINT64_C(1) << 32);
    bnd_vector_plan_close(&plan);
}

/* Level 1 has the ends of the range, both zeros, infinities, NaNs, and each tie that a conversion can meet first. */
static void boundaries(void)
{
    bnd_vectors v = vectors_described("convert", "fp32", "e4m3", (bnd_rule){0});
    static const uint32_t wanted[] = {0,
                                      0x80000000,
                                      0x7f800000,
                                      0xff800000,
                                      0x7f7fffff,
                                      0x00800000,
                                      0x007fffff,
                                      1,
                                      0x43e80000 /* 464 */,
                                      0x43e80001,
                                      0x43e7ffff,
                                      0x43e00000 /* 448 */,
                                      0x3a800000 /* 2^-10 */,
                                      0x3a800001,
                                      0x3b400000 /* 3 2^-10 */,
                                      0x3f800000};
    bnd_vector_plan plan;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        bool found = false;
        for (uint64_t i = 0; !found && i < plan.count; i++) {
            bnd_vector_case(operands, &random, &plan, i);
            found = operands[0] == wanted[w];
        }
        CU_ASSERT(found);
        if (!found) {
            printf("\n  %08x is not of level 1\n", wanted[w]);
        }
    }
    bnd_vector_plan_close(&plan);
}

/* Pieces of any size are what is written at once. */
static void pieces(void)
{
    bnd_vectors v = vectors_described("fma", "fp16", "fp16", (bnd_rule){.rounding = BND_ROUND_SRA, .random_bits = 5});
    bnd_vector_plan plan;
    static char whole[TEXT_SIZE], parts[TEXT_SIZE];
    uint64_t at = 0;
    size_t length = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, &v, BND_VECTOR_LEVEL_SAMPLE, 8, NULL), BND_OK);
    size_t all = bnd_vector_write(whole, sizeof whole, &at, &plan, 0, 500, BND_VECTOR_FORM_LINE);
    CU_ASSERT_EQUAL(at, 500);
    for (at = 0; at < 500;) {
        length += bnd_vector_write(parts + length, sizeof parts - length, &at, &plan, at,
                                   at + 1 + vectors_random(1, at) % 7, BND_VECTOR_FORM_LINE);
        at = at > 500 ? 500 : at;
    }
    CU_ASSERT(length >= all && memcmp(whole, parts, all) == 0);
    bnd_vector_plan_close(&plan);
}

/* ---- headers and lines ---- */

static void headers(void)
{
    static const char *const operations[] = {"add", "dot:17", "mxdot", "convert", "fma"};
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < scaled(2000); i++) {
        uint64_t r = vectors_random(3, i);
        bnd_rule rule = {.rounding = (uint8_t)(r % BND_ROUND_COUNT),
                         .overflow = (uint8_t)(r / 16 % BND_OVERFLOW_COUNT),
                         .nan = (uint8_t)(r / 128 % BND_NAN_COUNT),
                         .no_nan = r >> 10 & 1,
                         .negative = r >> 11 & 1,
                         .zero = r >> 12 & 1,
                         .tie_rule = (uint8_t)((r >> 13) % 3),
                         .flush_in = r >> 20 & 1,
                         .flush_out = (uint8_t)((r >> 36) % 3),
                         .tiny_before = r >> 22 & 1};
        rule.random_bits =
            rule.rounding >= BND_ROUND_SR && rule.rounding < BND_ROUND_SR_EQUAL ? (uint8_t)(1 + (r >> 30) % 62) : 0;
        bnd_vectors v = vectors_described(operations[i % 5], i % 2 == 0 ? "e4m3" : "e6m9b12fn", "fp32", rule), again;
        v.lab_flags = r >> 40 & 1;
        char text[512] = "# ";
        size_t length = 2 + bnd_vectors_print_header(text + 2, sizeof text - 2, &v);
        bnd_error why = {.message = ""};
        bool same = bnd_vectors_parse_header_n(&again, text, length, &why) == BND_OK &&
                    memcmp(&again.rule, &v.rule, sizeof v.rule) == 0 && again.kind == v.kind &&
                    again.operation == v.operation && again.pairs == v.pairs && again.operands == v.operands &&
                    again.lab_flags == v.lab_flags && bnd_format_same(&again.out, &v.out) &&
                    bnd_format_same(&again.in[0], &v.in[0]);
        if (!same && wrong++ < 3) {
            printf("\n  %s: %s\n", text, why.message);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void refused_headers(void)
{
    static const char *const bad[] = {"",
                                      "#",
                                      "# vectors",
                                      "# binade-vectors",
                                      "# binade-vectors 2 op=add in=fp16",
                                      "# binade-vectors 1",
                                      "# binade-vectors 1 op=add",
                                      "# binade-vectors 1 in=fp16",
                                      "# binade-vectors 1 op=ad in=fp16",
                                      "# binade-vectors 1 op=add in=fp17",
                                      "# binade-vectors 1 op=add in=fp16,",
                                      "# binade-vectors 1 op=add in=fp16 round=1",
                                      "# binade-vectors 1 op=add in=fp16 colour=red",
                                      "# binade-vectors 1 op=add in=fp16 x",
                                      "# binade-vectors 1 op=add in=fp16 zero=2",
                                      "# binade-vectors 1 op=dot in=fp16",
                                      "# binade-vectors 1 op=dot:0 in=fp16",
                                      "# binade-vectors 1 op=dot:513 in=fp16",
                                      "# binade-vectors 1 op=dot:99999999999999999999 in=fp16",
                                      "# binade-vectors 1 op=scalb in=fp16",
                                      "# binade-vectors 1 op=add in=p11",
                                      "# binade-vectors 1 op=add in=fp16,fp16,fp16",
                                      "# binade-vectors 1 op=add =fp16",
                                      "# binade-vectors 1 op=fma in=fp16,fp16,fp16,fp16",
                                      "# binade-vectors 1 op=add in=fp16 flags=all",
                                      "# binade-vectors 1 op=add op=add in=e4m3 out=e4m3",
                                      "# binade-vectors 1 in=e4m3 op=add IN=e4m3",
                                      "# binade-vectors 1 op=add in=fp16 flush-in=no flush-in=no",
                                      "# binade-vectors 1 op=add in=fp16 flags=lab flags=lab"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bnd_vectors v = {.operands = 77};
        bnd_error why = {.message = ""};
        CU_ASSERT_NOT_EQUAL(bnd_vectors_parse_header_n(&v, bad[i], strlen(bad[i]), &why), BND_OK);
        CU_ASSERT(v.operands == 77 && why.message[0] != '\0');
    }
}

static void keys_that_appear_twice(void)
{
    static const char text[] = "# binade-vectors 1 op=add in=e4m3 op=mul";
    bnd_vectors v;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_vectors_parse_header_n(&v, text, sizeof text - 1, &why), BND_BAD_SYNTAX);
    CU_ASSERT_STRING_EQUAL(why.message, "header: 'op' appears twice");
    CU_ASSERT_EQUAL(why.where, sizeof text - 1 - strlen("op=mul"));
}

static void lines(void)
{
    static const struct {
        const char *text;
        bool whole, any;
    } rows[] = {{"3C00 4000 4200 00", true, true},
                {"3c00_4000_4200_1f", true, true},
                {"  3C00\t4000 4200 00 \r", true, true},
                {"3C00 4000 4200", true, true},
                {"4200 00", false, true},
                {"4200", false, true},
                {"", false, false},
                {"3C00 4000 4200 00 00", false, false},
                {"3C00 4000 14200 00", false, false},
                {"13C00 4000 4200 00", false, false},
                {"3C00 4000 4200 80", false, false},
                {"3C00 4000 4200 xx", false, false},
                {"3C00 4000 4200 0x1", false, false},
                {"00000000000003C00 4000 4200 00", true, true},
                {"10000000000000000 4000 4200 00", false, false},
                {"3C00 4000 4200 00 # fine", false, false}};
    bnd_vectors v = vectors_described("add", "fp16", "fp16", (bnd_rule){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX];
        bnd_vector_line line = {.operands = operands};
        size_t length = strlen(rows[i].text);
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_vector_parse_n(&line, &v, BND_VECTOR_ANSWER_WHOLE, rows[i].text, length, &why) == BND_OK,
                        rows[i].whole);
        CU_ASSERT_EQUAL(bnd_vector_parse_n(&line, &v, BND_VECTOR_ANSWER_ANY, rows[i].text, length, &why) == BND_OK,
                        rows[i].any);
        CU_ASSERT(!rows[i].any || line.code == 0x4200);
    }
}

CU_TestInfo line_tests[] = {{"every combination", every_combination},
                            {"boundaries", boundaries},
                            {"pieces", pieces},
                            {"headers", headers},
                            {"refused headers", refused_headers},
                            {"keys that appear twice", keys_that_appear_twice},
                            {"lines", lines},
                            CU_TEST_INFO_NULL};
