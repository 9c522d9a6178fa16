/* Rules named from answers by a changed rule, how many lines they leave over, and what lines are counted as. */
#include "tests/support/operands.h"
#include "tests.h"
#include "vectors/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `v` has lab_flags. */
static bnd_vector_check *check_changed(const bnd_vectors *v, bnd_rule changed, uint64_t spoiled)
{
    bnd_vector_check *check = NULL;
    bnd_vector_plan plan;
    unsigned wrong = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_SAMPLE, 5, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, v, (bnd_vector_options){.flags_mask = 127}, NULL), BND_OK);
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_result want, answer;
        bool agrees;
        bnd_vector_case(operands, &random, &plan, i);
        answer = bnd_vector_answer(v, operands, changed, random);
        bnd_vector_line line = {
            .operands = operands, .random = random, .code = answer.code, .flags = answer.flags, .has_flags = true};
        line.code ^= i < spoiled ? 1 : 0;
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
        answer = bnd_vector_answer(v, operands, v->rule, random);
        wrong += want.code != answer.code || want.flags != answer.flags || want.ternary != answer.ternary ||
                 agrees != (line.code == want.code && line.flags == want.flags);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_vector_plan_close(&plan);
    return check;
}

static void rules_are_named(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"add", "fp16", "fp16"},     {"convert", "fp32", "e4m3"}, {"mul", "fp16", "e5m2"},
                {"fma", "bf16", "bf16"},     {"convert", "bf16", "e8m0"}, {"div", "fp16", "e2m1"},
                {"dot:3", "e5m2", "fp16"},   {"rint", "fp16", "fp16"},    {"min", "bf16", "bf16"},
                {"next_up", "fp16", "e4m3"}, {"exp", "fp16", "fp16"},     {"gelu", "fp16", "e5m2"},
                {"abs", "fp16", "fp16"},     {"log", "bf16", "bf16"}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    unsigned wrong = 0;
    for (unsigned i = 0; i < 10 * ROWS; i++) {
        if (!in_turn(i, 5)) { /* two for each row */
            continue;
        }
        const char *operation = rows[i % ROWS].operation, *out = rows[i % ROWS].out;
        bnd_vectors v = vectors_described(operation, rows[i % ROWS].in, out, (bnd_rule){0});
        v.lab_flags = true;
        uint64_t r = vectors_random(4, i);
        bnd_rule changed = {.rounding = (uint8_t)(r % BND_ROUND_DETERMINISTIC_COUNT),
                            .overflow = (uint8_t)(r / 8 % BND_OVERFLOW_COUNT),
                            .flush_in = r >> 10 & 1,
                            .flush_out = (uint8_t)((r >> 30) % 3),
                            .tiny_before = r >> 12 & 1,
                            .no_nan = r >> 13 & 1,
                            .negative = r >> 14 & 1,
                            .zero = r >> 15 & 1,
                            .nan = (uint8_t)(r / 65536 % BND_NAN_COUNT)};
        bnd_vector_suspect found[2];
        uint64_t spoiled = i % 3 == 0 ? 7 : 0;
        bnd_vector_check *check = check_changed(&v, changed, spoiled);
        size_t count = bnd_vector_check_suspects(found, 2, check);
        if (count == 0 || found[0].left_over != spoiled) {
            char text[256];
            bnd_vector_print_changes(text, sizeof text, &v, changed);
            printf("\n  %s to %s, %s: %llu left over, not %llu\n", operation, out, text,
                   count == 0 ? 999999ULL : (unsigned long long)found[0].left_over, (unsigned long long)spoiled);
            wrong++;
        }
        bnd_vector_check_free(check);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* One choice changed is found as that choice. */
static void a_change_is_named(void)
{
    static const struct {
        bnd_rule rule;
        const char *text;
    } rows[] = {{{.rounding = BND_ROUND_RTZ}, "round=rtz"},
                {{.overflow = BND_OVERFLOW_SATURATE}, "overflow=saturate"},
                {{.nan = BND_NAN_SIGNED_ONES}, "nan=signed-ones"},
                {{.flush_out = true}, "flush-out=yes"},
                {{.flush_out = BND_FLUSH_TINY}, "flush-out=tiny"},
                {{.flush_in = true}, "flush-in=yes"},
                {{.tiny_before = true}, "tininess=before"},
                {{.rounding = BND_ROUND_RNA, .flush_out = true}, "round=rna flush-out=yes"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vectors v = vectors_described("mul", "fp16", "fp16", (bnd_rule){0});
        v.lab_flags = true;
        bnd_vector_suspect found[2];
        char text[256];
        bnd_vector_check *check = check_changed(&v, rows[i].rule, 0);
        size_t count = bnd_vector_check_suspects(found, 2, check);
        CU_ASSERT_EQUAL(count, 1);
        CU_ASSERT_EQUAL(found[0].left_over, 0);
        bnd_vector_print_changes(text, sizeof text, &v, found[0].rule);
        CU_ASSERT_STRING_EQUAL(text, rows[i].text);
        if (strcmp(text, rows[i].text) != 0) {
            printf("\n  %s is called %s\n", rows[i].text, text);
        }
        bnd_vector_check_free(check);
    }
}

/* How many of the lines of check_changed a rule leaves over, answer by answer. */
static uint64_t count_left_over(const bnd_vectors *v, bnd_rule changed, uint64_t spoiled, bnd_rule rule)
{
    bnd_vector_plan plan;
    uint64_t left_over = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_SAMPLE, 5, NULL), BND_OK);
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_vector_case(operands, &random, &plan, i);
        bnd_result a = bnd_vector_answer(v, operands, changed, random),
                   b = bnd_vector_answer(v, operands, rule, random);
        a.code ^= i < spoiled ? 1 : 0;
        left_over += a.code != b.code || a.flags != b.flags;
    }
    bnd_vector_plan_close(&plan);
    return left_over;
}

/* Of lines that are judged one by one and of lines that are judged once for all like them. */
static void counts_are_exact(void)
{
    static const struct {
        const char *operation, *in, *out;
        bnd_rule by, own; /* who answers, and what the lines say of themselves */
    } rows[] = {
        {"add",
         "fp16",
         "e4m3",
         {.rounding = BND_ROUND_RUP, .overflow = BND_OVERFLOW_PROPAGATE, .nan = BND_NAN_SIGNED},
         {0}},
        {"convert",
         "fp32",
         "e4m3",
         {.rounding = BND_ROUND_RNA, .overflow = BND_OVERFLOW_SATURATE},
         {.rounding = BND_ROUND_RUP}},
        {"div",
         "fp32",
         "e5m2",
         {.rounding = BND_ROUND_RTO, .flush_out = true},
         {.nan = BND_NAN_X86, .tiny_before = true}},
        {"fma", "e4m3", "e4m3", {.rounding = BND_ROUND_RDN, .flush_in = true}, {.overflow = BND_OVERFLOW_SATURATE}},
        {"mul", "bf16", "e4m3fnuz", {.rounding = BND_ROUND_RTZ}, {.flush_in = true}},
        {"sub", "fp16", "e8m0", {.rounding = BND_ROUND_RUP, .negative = BND_NEGATIVE_MAGNITUDE}, {0}},
        {"convert", "fp32", "e2m1", {.rounding = BND_ROUND_RNA, .no_nan = BND_NO_NAN_ZERO}, {0}},
        {"exp",
         "fp16",
         "e4m3",
         {.rounding = BND_ROUND_RUP, .overflow = BND_OVERFLOW_PROPAGATE},
         {.rounding = BND_ROUND_RUP}},
        {"rint", "bf16", "e4m3", {.rounding = BND_ROUND_RDN, .overflow = BND_OVERFLOW_SATURATE}, {0}},
        {"max", "fp16", "e5m2", {.rounding = BND_ROUND_RTZ, .nan = BND_NAN_SIGNED, .flush_in = true}, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t spoiled = i % 2 == 0 ? 0 : 500;
        bnd_vectors v = vectors_described(rows[i].operation, rows[i].in, rows[i].out, rows[i].own);
        v.lab_flags = true;
        bnd_vector_check *check = check_changed(&v, rows[i].by, spoiled);
        uint64_t told_apart = 0;
        for (size_t d = 0; d < bnd_dialect_count(); d++) {
            bnd_vector_suspect s;
            if (bnd_vector_check_dialect(&s, check, d)) {
                uint64_t left_over = count_left_over(&v, rows[i].by, spoiled, s.rule);
                CU_ASSERT_EQUAL(left_over, s.left_over);
                told_apart += left_over > 0;
            }
        }
        CU_ASSERT(told_apart > 0);
        bnd_vector_check_free(check);
    }
}

/* ---- formats without subnormals, and others of unusual layout ---- */

enum { ODD_CASES = 2000, ODD_RULES = 6 };

static const bnd_rule odd_rules[ODD_RULES] = {
    {0},
    {.rounding = BND_ROUND_RTZ},
    {.rounding = BND_ROUND_RUP, .flush_out = BND_FLUSH_TINY, .tiny_before = true},
    {.rounding = BND_ROUND_RNA, .flush_out = BND_FLUSH_TINY},
    {.rounding = BND_ROUND_RTO, .overflow = BND_OVERFLOW_SATURATE, .nan = BND_NAN_SIGNED_ONES},
    {.rounding = BND_ROUND_RDN, .flush_out = BND_FLUSH_SUBNORMAL}};

typedef struct odd_lines {
    bnd_vectors vectors;
    size_t count;
    uint64_t operands[ODD_CASES][2];
    bnd_result answers[ODD_RULES][ODD_CASES]; /* the oracle's, by each rule */
} odd_lines;

/* Level 1: results next to the smallest number and below it, and one in 16 of the others. */
static void make_odd_lines(odd_lines *lines, const char *operation, const char *in, const char *out)
{
    bnd_vector_plan plan;
    lines->vectors = vectors_described(operation, in, out, (bnd_rule){0});
    lines->vectors.lab_flags = true;
    lines->count = 0;
    const bnd_vectors *v = &lines->vectors;
    const bnd_format *f = &v->out, *from[] = {&v->in[0], &v->in[1]};
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_1, 6, NULL), BND_OK);
    uint64_t operands[BND_VECTOR_OPERANDS_MAX] = {0}, random;
    for (uint64_t i = 0; i < plan.count && lines->count < ODD_CASES; i++) {
        uint32_t flags;
        bnd_vector_case(operands, &random, &plan, i);
        bnd_exact x = bndi_vector_exact(v, operands, v->rule, 0, &flags);
        int32_t exponent = x.kind == BND_KIND_FINITE ? bndi_vector_exponent(&x) : INT32_MAX;
        if (i % 16 == 0 || (exponent >= f->emin - 2 && exponent <= f->emin)) {
            memcpy(lines->operands[lines->count++], operands, sizeof lines->operands[0]);
        }
    }
    for (size_t i = 0; i < lines->count; i++) {
        for (size_t r = 0; r < ODD_RULES; r++) {
            bnd_rule rule = bnd_vectors_rule(v, odd_rules[r]);
            CU_ASSERT_EQUAL_FATAL(
                bnd_oracle_operate(&lines->answers[r][i], f, operation, from, lines->operands[i], rule, 0, NULL),
                BND_OK);
        }
    }
    bnd_vector_plan_close(&plan);
}

/* Lines answered by one rule and checked by another: how often `want` is not the oracle's answer by that other rule,
 * and whether the first one explains every line. */
static bool odd_lines_hold(const odd_lines *lines, size_t by, size_t own)
{
    const uint32_t flags = (by + own) % 3 == 2 ? 0 : BND_FLAG_ALL; /* which of them are compared */
    bnd_vectors v = lines->vectors;
    bnd_vector_check *check;
    bnd_vector_suspect found[1];
    uint64_t wrong = 0;
    v.rule = bnd_vectors_rule(&v, odd_rules[own]);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, &v, (bnd_vector_options){.flags_mask = flags}, NULL), BND_OK);
    for (size_t i = 0; i < lines->count; i++) {
        const bnd_result *answer = &lines->answers[by][i], *expected = &lines->answers[own][i];
        bnd_result want;
        bool agrees;
        uint64_t operands[] = {lines->operands[i][0], lines->operands[i][1]};
        bnd_vector_line line = {.operands = operands, .code = answer->code, .flags = answer->flags, .has_flags = true};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
        bool same = answer->code == expected->code && ((answer->flags ^ expected->flags) & flags) == 0;
        if ((want.code != expected->code || want.flags != expected->flags || agrees != same) && wrong++ == 0) {
            printf("\n  %s to %s: %llx %llx: %llx %02x, not %llx %02x\n", bnd_operation_name(v.operation), v.out.name,
                   (unsigned long long)operands[0], (unsigned long long)operands[1], (unsigned long long)want.code,
                   want.flags, (unsigned long long)expected->code, expected->flags);
        }
    }
    size_t count = bnd_vector_check_suspects(found, 1, check);
    bool explained = count == 1 && found[0].left_over == 0;
    if (!explained) {
        char text[256];
        bnd_vector_print_changes(text, sizeof text, &v, bnd_vectors_rule(&v, odd_rules[by]));
        printf("\n  %s to %s: %s: %llu left over\n", bnd_operation_name(v.operation), v.out.name, text,
               count == 0 ? 999999ULL : (unsigned long long)found[0].left_over);
    }
    bnd_vector_check_free(check);
    return wrong == 0 && explained;
}

static void odd_formats(void)
{
    static const char *const rows[][3] = {{"convert", "fp32", "dlfloat16"},  {"mul", "e5m2nosub", "e5m2nosub"},
                                          {"mul", "e4m4nosub", "e4m4nosub"}, {"div", "e5m2fnuznosub", "e5m2fnuznosub"},
                                          {"add", "dlfloat16", "dlfloat16"}, {"convert", "fp32", "ue4m3nosub"},
                                          {"mul", "e4m3", "e2m3nonenosub"},  {"convert", "fp32", "e4m3b-2nosub"},
                                          {"convert", "fp32", "e5m0"},       {"convert", "fp32", "e1m3"},
                                          {"mul", "fp16", "e1m10"},          {"add", "ue1m1", "ue1m1"},
                                          {"min", "fp16", "ue3m7nosub"}};
    enum { ROWS = sizeof rows / sizeof rows[0], OWN = 3 };
    static odd_lines lines;
    unsigned wrong = 0;
    for (size_t row = 0; row < ROWS; row++) {
        make_odd_lines(&lines, rows[row][0], rows[row][1], rows[row][2]);
        for (size_t k = 0; k < (size_t)ODD_RULES * OWN; k++) {
            if (in_turn(k + row, 7)) {
                wrong += !odd_lines_hold(&lines, k / OWN, (k / OWN + k % OWN) % ODD_RULES);
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- flags ---- */

/* How many of the first lines that are written disagree with their own rule, with every flag compared. */
static uint64_t own_lines_refused(const bnd_vectors *v)
{
    enum { LINES = 300 };
    static char text[LINES * 80];
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], next = 0;
    bnd_vector_check *check;
    bnd_vector_plan plan;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_SAMPLE, 4, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, v, (bnd_vector_options){.flags_mask = BND_FLAG_ALL}, NULL),
                          BND_OK);
    size_t size = bnd_vector_write(text, sizeof text, &next, &plan, 0, LINES, BND_VECTOR_FORM_LINE);
    CU_ASSERT_EQUAL(next, LINES);
    for (size_t at = 0; at < size;) {
        size_t length = (size_t)((char *)memchr(text + at, '\n', size - at) - (text + at));
        bnd_vector_line line = {.operands = operands};
        bnd_result want;
        bool agrees;
        CU_ASSERT_EQUAL_FATAL(bnd_vector_parse_n(&line, v, BND_VECTOR_ANSWER_WHOLE, text + at, length, NULL), BND_OK);
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
        at += length + 1;
    }
    uint64_t refused = bnd_vector_check_coverage(check)->disagreements;
    bnd_vector_check_free(check);
    bnd_vector_plan_close(&plan);
    return refused;
}

static void own_lines_agree(void)
{
    static const struct {
        const char *operation, *in, *out;
        bnd_rule rule;
    } rows[] = {
        {"convert", "fp32", "e4m3", {.rounding = BND_ROUND_SR, .random_bits = 62}},
        {"convert", "fp32", "e4m3", {.overflow = BND_OVERFLOW_SATURATE}},
        {"mul", "fp16", "e5m2", {.rounding = BND_ROUND_RTZ}},
        {"add", "bf16", "e2m1", {.rounding = BND_ROUND_SRA, .random_bits = 5, .overflow = BND_OVERFLOW_SATURATE}},
        {"fma", "fp16", "fp16", {.flush_in = true, .flush_out = true}},
        {"dot:2", "e5m2", "e4m3", {.overflow = BND_OVERFLOW_PROPAGATE}},
        {"exp", "fp16", "e4m3", {.rounding = BND_ROUND_RDN}},
        {"rint", "bf16", "e4m3", {.overflow = BND_OVERFLOW_SATURATE}}};
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
        bnd_vectors v = vectors_described(rows[i / 2].operation, rows[i / 2].in, rows[i / 2].out, rows[i / 2].rule);
        v.lab_flags = i % 2 != 0;
        CU_ASSERT_EQUAL(own_lines_refused(&v), 0);
    }
}

/* 1e6 as e4m3, saturated: a wrong flag is found, if lines have it. */
static void flags_that_lines_have(void)
{
    bnd_vectors v = vectors_described("convert", "fp32", "e4m3", (bnd_rule){.overflow = BND_OVERFLOW_SATURATE});
    uint64_t operand = 0x49742400;
    bnd_result right = bnd_vector_answer(&v, &operand, v.rule, 0);
    CU_ASSERT_EQUAL(right.flags, BND_FLAG_INEXACT | BND_FLAG_OVERFLOW | BND_FLAG_SATURATED);
    for (uint32_t flag = 1; flag < BND_FLAG_ALL; flag *= 2) {
        for (unsigned lab = 0; lab < 2; lab++) {
            bnd_vector_line line = {
                .operands = &operand, .code = right.code, .flags = right.flags ^ flag, .has_flags = true};
            bnd_vector_check *check;
            bool agrees;
            v.lab_flags = lab != 0;
            CU_ASSERT_EQUAL_FATAL(
                bnd_vector_check_new(&check, &v, (bnd_vector_options){.flags_mask = BND_FLAG_ALL}, NULL), BND_OK);
            CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &right, check, &line, NULL), BND_OK);
            CU_ASSERT_EQUAL(agrees, lab == 0 && flag >= BND_FLAG_SATURATED);
            bnd_vector_check_free(check);
        }
    }
}

/* ---- cases ---- */

static void cases_are_told_apart(void)
{
    static const struct {
        const char *out;
        float x;
        bnd_vector_case_kind kind;
        bnd_class class;
    } rows[] = {{"e4m3", 448, BND_VECTOR_CASE_EXACT, BND_CLASS_NORMAL},
                {"e4m3", 460, BND_VECTOR_CASE_BELOW_HALF, BND_CLASS_NORMAL},
                {"e4m3", 464, BND_VECTOR_CASE_TIE, BND_CLASS_NORMAL},
                {"e4m3", 465, BND_VECTOR_CASE_OVERFLOW, BND_CLASS_NAN},
                {"e4m3", -445, BND_VECTOR_CASE_ABOVE_HALF, BND_CLASS_NORMAL},
                {"e4m3", 0.0009765625F, BND_VECTOR_CASE_TIE, BND_CLASS_ZERO},
                {"e4m3", 0.001F, BND_VECTOR_CASE_ABOVE_HALF, BND_CLASS_SUBNORMAL},
                {"e4m3", 1e-9F, BND_VECTOR_CASE_BELOW_HALF, BND_CLASS_ZERO},
                {"e4m3", INFINITY, BND_VECTOR_CASE_INFINITE, BND_CLASS_NAN},
                {"e4m3", NAN, BND_VECTOR_CASE_NAN, BND_CLASS_NAN},
                {"e4m3", -0.0F, BND_VECTOR_CASE_EXACT, BND_CLASS_ZERO},
                /* The smallest number of dlfloat16 is 513 * 2^-40, the next one 514 * 2^-40. */
                {"dlfloat16", 514 * 0x1p-40F, BND_VECTOR_CASE_EXACT, BND_CLASS_NORMAL},
                {"dlfloat16", 513.5F * 0x1p-40F, BND_VECTOR_CASE_TIE, BND_CLASS_NORMAL},
                {"dlfloat16", 513 * 0x1p-40F, BND_VECTOR_CASE_EXACT, BND_CLASS_NORMAL},
                {"dlfloat16", 0x1p-31F, BND_VECTOR_CASE_ABOVE_HALF, BND_CLASS_NORMAL},
                {"dlfloat16", -513.0078125F * 0x1p-41F, BND_VECTOR_CASE_ABOVE_HALF, BND_CLASS_NORMAL},
                {"dlfloat16", 513 * 0x1p-41F, BND_VECTOR_CASE_TIE, BND_CLASS_ZERO},
                {"dlfloat16", 0x1p-32F, BND_VECTOR_CASE_BELOW_HALF, BND_CLASS_ZERO}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vectors v = vectors_described("convert", "fp32", rows[i].out, (bnd_rule){0});
        bnd_vector_check *check = NULL;
        uint32_t bits;
        bool agrees;
        bnd_result want;
        memcpy(&bits, &rows[i].x, sizeof bits);
        uint64_t operand = bits;
        bnd_vector_line line = {.operands = &operand};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, &v, (bnd_vector_options){.any_nan = true}, NULL), BND_OK);
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->results[rows[i].class][rows[i].kind], 1);
        bnd_vector_check_free(check);
    }
}

CU_TestInfo rule_tests[] = {
    {"rules are named", rules_are_named},           {"a change is named", a_change_is_named},
    {"counts are exact", counts_are_exact},         {"odd formats", odd_formats},
    {"own lines agree", own_lines_agree},           {"flags that lines have", flags_that_lines_have},
    {"cases are told apart", cases_are_told_apart}, CU_TEST_INFO_NULL};
