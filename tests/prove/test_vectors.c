/* Test vectors: answers beside the oracle's, dot products beside GMP's rationals, what is read and refused, and
 * dialects named from answers that models of them gave, which share no code with the library's rules. */
#include "tests/oracle/operands.h"
#include "tests/suites.h"
#include <binade.h>
#include <binade/oracle.h>

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 16 };

static uint64_t random_of(uint64_t purpose, uint64_t i)
{
    return bnd_random(42, purpose, i);
}

static bnd_vectors described(const char *operation, const char *in, const char *out, bnd_rule rule)
{
    bnd_format formats[BND_OPERANDS_MAX], result = format_named(out);
    size_t count = 0;
    char list[128], *word, *rest = list;
    bnd_vectors v = {.operands = 0};
    snprintf(list, sizeof list, "%s", in);
    while ((word = strtok_r(rest, ",", &rest)) != NULL && count < BND_OPERANDS_MAX) {
        formats[count++] = format_named(word);
    }
    CU_ASSERT_EQUAL_FATAL(bnd_vectors_describe(&v, operation, formats, count, &result, rule, NULL), BND_OK);
    return v;
}

/* ---- answers ---- */

static bool same_result(const bnd_vectors *v, const uint64_t *operands, uint64_t random, bnd_result got,
                        bnd_result want)
{
    if (got.code == want.code && got.flags == want.flags) {
        return true;
    }
    printf("\n  %s to %s, rounding %d:", bnd_operation_name(v->operation), v->out.name, v->rule.rounding);
    for (unsigned i = 0; i < v->operands && i < 8; i++) {
        printf(" %s:%llx", bnd_vectors_format(v, i)->name, (unsigned long long)operands[i]);
    }
    printf(" random %llx: %llx %02x, not %llx %02x\n", (unsigned long long)random, (unsigned long long)got.code,
           got.flags, (unsigned long long)want.code, want.flags);
    return false;
}

/* A case written as a line and read again is answered as the oracle answers it. */
static bool line_holds(const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    char text[BND_VECTOR_LINE_MAX];
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], read[BND_VECTOR_OPERANDS_MAX], random, next;
    bnd_vector_line line = {.operands = read};
    bnd_error why = {.message = ""};
    const bnd_format *from[] = {&v->in[0], &v->in[1], &v->in[2]};
    bnd_result want, got;
    size_t length = bnd_vector_write(text, sizeof text, &next, plan, index, index + 1,
                                     index % 2 == 0 ? BND_FORM_LINE : BND_FORM_MEMH);
    bnd_vector_case(operands, &random, plan, index);
    if (next != index + 1 || length == 0 || text[length - 1] != '\n' ||
        bnd_vector_parse(&line, v, BND_ANSWER_WHOLE, text, length - 1, &why) != BND_OK) {
        printf("\n  %.*s: %s\n", (int)length, text, why.message);
        return false;
    }
    if (memcmp(read, operands, v->operands * sizeof *read) != 0 || line.random != random || !line.has_flags) {
        printf("\n  %.*s does not read back\n", (int)length, text);
        return false;
    }
    if (bnd_oracle_operate(&want, &v->out, bnd_operation_name(v->operation), from, operands, v->rule, random, NULL) !=
        BND_OK) {
        return false;
    }
    got = (bnd_result){.code = line.code, .flags = line.flags};
    want.flags &= v->lab_flags ? BND_FLAGS : BND_SATURATED - 1;
    return same_result(v, operands, random, got, want);
}

static void answers(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"add", "fp16", "fp16"},
                {"sub", "bf16", "bf16"},
                {"mul", "e4m3,e5m2", "fp16"},
                {"div", "fp32", "fp32"},
                {"sqrt", "fp16", "fp16"},
                {"fma", "e4m3,e5m2,fp32", "fp32"},
                {"fma", "fp16", "fp16"},
                {"rem", "fp16", "fp16"},
                {"convert", "fp32", "e4m3"},
                {"convert", "fp64", "fp16"},
                {"convert", "fp16", "e2m1"},
                {"convert", "bf16", "e8m0"},
                {"convert", "e5m2", "fp32"},
                {"add", "e2m1", "e2m1"},
                {"mul", "fp64", "fp64"},
                {"sqrt", "fp64", "fp32"},
                {"add", "binary8p3se", "e4m3fnuz"},
                {"min", "fp16", "bf16"},
                {"exp", "fp16", "fp32"},
                {"gelu", "bf16", "bf16"},
                {"neg", "e4m3", "fp16"}};
    uint64_t wrong = 0, cases = scaled(150);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned mode = 0; mode < BND_ROUNDINGS; mode++) {
            bnd_rule rule = {.rounding = (uint8_t)mode,
                             .overflow = (uint8_t)((i + mode) % BND_OVERFLOWS),
                             .nan = (uint8_t)((i + 2 * mode) % BND_NANS),
                             .random_bits = 7,
                             .flush_in = (i + mode) % 4 == 0,
                             .flush_out = (i + mode) % 5 == 0,
                             .tiny_before = mode % 2 == 0};
            bnd_vectors v = described(rows[i].operation, rows[i].in, rows[i].out, rule);
            bnd_vector_plan plan;
            v.lab_flags = mode % 2 != 0;
            for (unsigned level = 0; level < 2; level++) {
                bnd_vector_level which = level == 0 ? BND_LEVEL_SAMPLE : BND_LEVEL_1;
                CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, which, 3, NULL), BND_OK);
                for (uint64_t k = 0; k < cases && wrong < 5; k++) {
                    wrong += !line_holds(&plan, level == 0 ? k : random_of(9, k) % plan.count);
                }
                bnd_vector_plan_free(&plan);
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- dot products ---- */

static bool add_double(mpq_t sum, double a, double b, const mpq_t scale)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_mul(x, x, scale);
    mpq_add(sum, sum, x);
    mpq_clears(x, y, NULL);
    return true;
}

/* The dot product as a fraction, where all its operands are numbers; the oracle rounds it. */
static bool dot_holds(const bnd_vectors *v, const uint64_t *operands, uint64_t random, bool *judged)
{
    unsigned scales = v->kind == BND_VECTOR_MXDOT, half = v->operands / 2;
    mpq_t sum, scale;
    double values[BND_VECTOR_OPERANDS_MAX];
    bool finite = true;
    for (unsigned i = 0; i < v->operands; i++) {
        finite = finite && bnd_oracle_decode(&values[i], bnd_vectors_format(v, i), operands[i]) == BND_ORACLE_FINITE;
    }
    *judged = finite;
    if (!finite) {
        return true;
    }
    mpq_inits(sum, scale, NULL);
    mpq_set_ui(scale, 1, 1);
    if (scales > 0) {
        mpq_set_d(scale, values[0]);
        mpq_set_d(sum, values[half]);
        mpq_mul(scale, scale, sum);
        mpq_set_ui(sum, 0, 1);
    }
    for (unsigned i = scales; i < half; i++) {
        add_double(sum, values[i], values[half + i], scale);
    }
    char *text = mpq_get_str(NULL, 10, sum);
    bnd_result want, got = bnd_vector_answer(v, operands, v->rule, random);
    bool right = bnd_oracle_encode_text(&want, &v->out, text, v->rule, random, NULL) == BND_OK;
    if (mpq_sgn(sum) == 0) { /* a zero's sign is another matter */
        got.code &= (UINT64_C(1) << bnd_magnitude_bits(&v->out)) - 1;
    }
    right = right && same_result(v, operands, random, got, want);
    free(text);
    mpq_clears(sum, scale, NULL);
    return right;
}

static void dots(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"dot:1", "fp16", "fp16"},  {"dot:2", "e4m3", "fp16"},      {"dot:4", "e4m3,e5m2", "fp32"},
                {"dot:8", "fp32", "fp32"},  {"dot:3", "fp64", "fp64"},      {"dot:16", "bf16", "bf16"},
                {"mxdot", "e2m1", "fp32"},  {"mxdot", "e4m3,e2m3", "bf16"}, {"dot:512", "e5m2", "e4m3"},
                {"dot:2", "e11m52", "fp32"}};
    uint64_t wrong = 0, judged = 0, cases = scaled(300);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned mode = 0; mode < BND_ROUNDINGS; mode += 3) {
            bnd_rule rule = {.rounding = (uint8_t)mode, .random_bits = 9};
            bnd_vectors v = described(rows[i].operation, rows[i].in, rows[i].out, rule);
            bnd_vector_plan plan;
            CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_SAMPLE, i, NULL), BND_OK);
            for (uint64_t k = 0; k < (v.pairs > 100 ? cases / 10 + 1 : cases) && wrong < 5; k++) {
                uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
                bool is_judged;
                bnd_vector_case(operands, &random, &plan, k);
                for (unsigned o = 0; v.pairs > 100 && o < v.operands; o++) { /* of 1024, none is special */
                    operands[o] &= 0xbb;
                }
                if (k % 3 == 0 && v.kind == BND_VECTOR_DOT && v.pairs % 2 == 0) { /* half of it cancels but for a bit */
                    unsigned h = v.pairs / 2;
                    memcpy(operands + h, operands, h * sizeof *operands);
                    memcpy(operands + v.pairs + h, operands + v.pairs, h * sizeof *operands);
                    for (unsigned o = 0; o < h; o++) {
                        operands[h + o] ^= UINT64_C(1) << (v.in[0].width - 1);
                    }
                    operands[0] ^= 1;
                }
                wrong += !dot_holds(&v, operands, random, &is_judged);
                judged += is_judged;
            }
            bnd_vector_plan_free(&plan);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(judged > 1000 || cases < 300);
}

/* A dot product of one pair is a product but for the sign of a zero sum, and of special operands what IEEE says. */
static void special_dots(void)
{
    bnd_format fp16 = format_named("fp16");
    static const struct {
        uint64_t operands[4];
        uint64_t code;
        uint32_t flags;
        uint8_t rounding;
    } rows[] = {
        {{0x7c00, 0x3c00, 0x3c00, 0x3c00}, 0x7c00, 0, BND_RNE},           /* inf + 1 */
        {{0x7c00, 0x7c00, 0x3c00, 0xbc00}, 0x7e00, BND_INVALID, BND_RNE}, /* inf - inf */
        {{0x7c00, 0x3c00, 0x0000, 0x3c00}, 0x7e00, BND_INVALID, BND_RNE}, /* inf * 0 */
        {{0x7c00, 0x7e01, 0x0000, 0x3c00}, 0x7e00, 0, BND_RNE},           /* a NaN wins */
        {{0x7c00, 0x7d01, 0x0000, 0x3c00}, 0x7e00, BND_INVALID, BND_RNE}, /* a signaling one */
        {{0x8000, 0x8000, 0x3c00, 0x3c00}, 0x8000, 0, BND_RNE},           /* -0 + -0 */
        {{0x8000, 0x0000, 0x3c00, 0x3c00}, 0x0000, 0, BND_RNE},           /* -0 + 0 */
        {{0x8000, 0x0000, 0x3c00, 0x3c00}, 0x8000, 0, BND_RDN},
        {{0x3c00, 0xbc00, 0x3c00, 0x3c00}, 0x0000, 0, BND_RUP}, /* 1 - 1 */
        {{0x3c00, 0xbc00, 0x3c00, 0x3c00}, 0x8000, 0, BND_RDN},
        {{0x7bff, 0xfbff, 0x7bff, 0x7bff}, 0x0000, 0, BND_RNE}, /* terms beyond the format */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_rule rule = {.rounding = rows[i].rounding};
        bnd_vectors v = described("dot:2", "fp16", "fp16", rule);
        bnd_result r = bnd_vector_answer(&v, rows[i].operands, rule, 0);
        CU_ASSERT(r.code == rows[i].code && r.flags == rows[i].flags);
    }
    bnd_vectors mx = described("mxdot", "e2m1", "fp16", (bnd_rule){0});
    uint64_t operands[BND_VECTOR_OPERANDS_MAX] = {0};
    operands[0] = operands[33] = 127;
    operands[1] = operands[34] = 2; /* 1 * 1 */
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x3c00);
    operands[33] = 130;
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x4800);
    operands[0] = 0xff;
    CU_ASSERT_EQUAL(bnd_vector_answer(&mx, operands, mx.rule, 0).code, 0x7e00);
    (void)fp16;
}

/* ---- plans ---- */

static void every_combination(void)
{
    bnd_vectors v = described("add", "e2m1", "e2m1", (bnd_rule){0});
    bnd_vector_plan plan;
    bnd_error why;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
    unsigned seen[256] = {0}, missing = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_ALL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(plan.count, 256);
    for (uint64_t i = 0; i < plan.count; i++) {
        bnd_vector_case(operands, &random, &plan, i);
        seen[operands[0] << 4 | operands[1]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        missing += seen[i] != 1;
    }
    CU_ASSERT_EQUAL(missing, 0);
    bnd_vector_plan_free(&plan);
    v = described("fma", "fp16", "fp16", (bnd_rule){0});
    CU_ASSERT_EQUAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_ALL, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "2^48"));
    v = described("add", "fp16", "fp16", (bnd_rule){.rounding = BND_SR, .random_bits = 2});
    CU_ASSERT_EQUAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_ALL, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_vector_plan_alloc(&plan, &v, (bnd_vector_level)(BND_LEVEL_ALL + 1), 0, &why), BND_BAD_ARGUMENT);
    v = described("add", "fp16", "fp16", (bnd_rule){0});
    CU_ASSERT_EQUAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_ALL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(plan.count, UINT64_C(1) << 32);
    bnd_vector_plan_free(&plan);
}

/* Level 1 has the ends of the range, both zeros, infinities, NaNs, and each tie that a conversion can meet first. */
static void boundaries(void)
{
    bnd_vectors v = described("convert", "fp32", "e4m3", (bnd_rule){0});
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
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_1, 0, NULL), BND_OK);
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
    bnd_vector_plan_free(&plan);
}

/* Pieces of any size are what is written at once. */
static void pieces(void)
{
    bnd_vectors v = described("fma", "fp16", "fp16", (bnd_rule){.rounding = BND_SRA, .random_bits = 5});
    bnd_vector_plan plan;
    static char whole[TEXT_SIZE], parts[TEXT_SIZE];
    uint64_t at = 0;
    size_t length = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_SAMPLE, 8, NULL), BND_OK);
    size_t all = bnd_vector_write(whole, sizeof whole, &at, &plan, 0, 500, BND_FORM_LINE);
    CU_ASSERT_EQUAL(at, 500);
    for (at = 0; at < 500;) {
        length += bnd_vector_write(parts + length, sizeof parts - length, &at, &plan, at, at + 1 + random_of(1, at) % 7,
                                   BND_FORM_LINE);
        at = at > 500 ? 500 : at;
    }
    CU_ASSERT(length >= all && memcmp(whole, parts, all) == 0);
    bnd_vector_plan_free(&plan);
}

/* ---- headers and lines ---- */

static void headers(void)
{
    static const char *const operations[] = {"add", "dot:17", "mxdot", "convert", "fma"};
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < scaled(2000); i++) {
        uint64_t r = random_of(3, i);
        bnd_rule rule = {.rounding = (uint8_t)(r % BND_ROUNDINGS),
                         .overflow = (uint8_t)(r / 16 % BND_OVERFLOWS),
                         .nan = (uint8_t)(r / 128 % BND_NANS),
                         .no_nan = r >> 10 & 1,
                         .negative = r >> 11 & 1,
                         .zero = r >> 12 & 1,
                         .tie_rule = (uint8_t)((r >> 13) % 3),
                         .flush_in = r >> 20 & 1,
                         .flush_out = r >> 21 & 1,
                         .tiny_before = r >> 22 & 1};
        rule.random_bits = rule.rounding >= BND_SR && rule.rounding < BND_SR_EQUAL ? (uint8_t)(1 + (r >> 30) % 62) : 0;
        bnd_vectors v = described(operations[i % 5], i % 2 == 0 ? "e4m3" : "e6m9b12fn", "fp32", rule), again;
        v.lab_flags = r >> 40 & 1;
        char text[512] = "# ";
        size_t length = 2 + bnd_vectors_print_header(text + 2, sizeof text - 2, &v);
        bnd_error why = {.message = ""};
        bool same = bnd_vectors_parse_header(&again, text, length, &why) == BND_OK &&
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
                                      "# binade-vectors 1 op=add in=fp16 flags=all"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bnd_vectors v = {.operands = 77};
        bnd_error why = {.message = ""};
        CU_ASSERT_NOT_EQUAL(bnd_vectors_parse_header(&v, bad[i], strlen(bad[i]), &why), BND_OK);
        CU_ASSERT(v.operands == 77 && why.message[0] != '\0');
    }
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
    bnd_vectors v = described("add", "fp16", "fp16", (bnd_rule){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX];
        bnd_vector_line line = {.operands = operands};
        size_t length = strlen(rows[i].text);
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_vector_parse(&line, &v, BND_ANSWER_WHOLE, rows[i].text, length, &why) == BND_OK,
                        rows[i].whole);
        CU_ASSERT_EQUAL(bnd_vector_parse(&line, &v, BND_ANSWER_ANY, rows[i].text, length, &why) == BND_OK, rows[i].any);
        CU_ASSERT(!rows[i].any || line.code == 0x4200);
    }
}

/* ---- dialects, from models written after the table of conversions ---- */

/* What becomes of what is no ordinary number: codes for +, codes for -. */
typedef struct model {
    const char *dialect, *format;
    uint8_t infinite[2], overflow[2], nan[2], zero[2];
} model;

static const model models[] = {
    {"ml_dtypes", "e4m3", {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0xff}, {0x00, 0x80}},
    {"ml_dtypes", "e5m2", {0x7c, 0xfc}, {0x7c, 0xfc}, {0x7e, 0xfe}, {0x00, 0x80}},
    {"ml_dtypes", "e4m3fnuz", {0x80, 0x80}, {0x80, 0x80}, {0x80, 0x80}, {0x00, 0x00}},
    {"ml_dtypes", "e5m2fnuz", {0x80, 0x80}, {0x80, 0x80}, {0x80, 0x80}, {0x00, 0x00}},
    {"ml_dtypes", "e2m1", {0x7, 0xf}, {0x7, 0xf}, {0x8, 0x0}, {0x0, 0x8}},
    {"ml_dtypes-saturate", "e4m3", {0x7f, 0xff}, {0x7e, 0xfe}, {0x7f, 0xff}, {0x00, 0x80}},
    {"ml_dtypes-saturate", "e5m2", {0x7c, 0xfc}, {0x7b, 0xfb}, {0x7e, 0xfe}, {0x00, 0x80}},
    {"ml_dtypes-saturate", "e4m3fnuz", {0x80, 0x80}, {0x7f, 0xff}, {0x80, 0x80}, {0x00, 0x00}},
    {"cuda-satfinite", "e4m3", {0x7e, 0xfe}, {0x7e, 0xfe}, {0x7f, 0x7f}, {0x00, 0x80}},
    {"cuda-satfinite", "e5m2", {0x7b, 0xfb}, {0x7b, 0xfb}, {0x7f, 0x7f}, {0x00, 0x80}},
    {"cuda-satfinite", "e2m1", {0x7, 0xf}, {0x7, 0xf}, {0x7, 0x7}, {0x0, 0x8}},
    {"cuda-nosat", "e4m3", {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0x7f}, {0x00, 0x80}},
    {"cuda-nosat", "e5m2", {0x7c, 0xfc}, {0x7c, 0xfc}, {0x7f, 0x7f}, {0x00, 0x80}},
    {"onnx-saturate", "e4m3", {0x7e, 0xfe}, {0x7e, 0xfe}, {0x7f, 0xff}, {0x00, 0x80}},
    {"onnx-saturate", "e5m2", {0x7b, 0xfb}, {0x7b, 0xfb}, {0x7f, 0xff}, {0x00, 0x80}},
    {"onnx-saturate", "e4m3fnuz", {0x7f, 0xff}, {0x7f, 0xff}, {0x80, 0x80}, {0x00, 0x00}},
    {"onnx-nosaturate", "e4m3", {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0xff}, {0x00, 0x80}},
    {"onnx-nosaturate", "e5m2", {0x7c, 0xfc}, {0x7c, 0xfc}, {0x7f, 0xff}, {0x00, 0x80}},
    {"onnx-nosaturate", "e4m3fnuz", {0x80, 0x80}, {0x80, 0x80}, {0x80, 0x80}, {0x00, 0x00}},
    {"torch", "e4m3", {0x7f, 0xff}, {0x7e, 0xfe}, {0x7f, 0xff}, {0x00, 0x80}},
    {"torch-2.11", "e4m3", {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0xff}, {0x00, 0x80}},
    {"torch", "e5m2", {0x7c, 0xfc}, {0x7c, 0xfc}, {0x7f, 0xff}, {0x00, 0x80}},
};
enum { MODELS = sizeof models / sizeof models[0] };

/* The values from zero up, and the one that would come next. */
typedef struct scale {
    double value[256];
    unsigned count; /* of values that there are */
    unsigned sign;
} scale;

static scale scale_of(const bnd_format *f)
{
    scale s = {.sign = 1U << (f->width - 1)};
    for (unsigned code = 0; code < s.sign; code++) {
        double x;
        if (bnd_oracle_decode(&x, f, code) == BND_ORACLE_FINITE && (s.count == 0 || x > s.value[s.count - 1])) {
            s.value[s.count++] = x;
        } else {
            break;
        }
    }
    s.value[s.count] = 2 * s.value[s.count - 1] - s.value[s.count - 2];
    return s;
}

/* Nearest, of two the even code, by looking through them all. */
static unsigned model_answer(const model *m, const scale *s, float given)
{
    bool minus = signbit(given) != 0;
    double x = fabs((double)given), least = INFINITY;
    unsigned best = 0;
    if (isnan(x) || isinf(x)) {
        return isnan(x) ? m->nan[minus] : m->infinite[minus];
    }
    for (unsigned code = 0; code <= s->count; code++) {
        double distance = fabs(x - s->value[code]);
        if (distance < least || (distance == least && code % 2 == 0)) {
            least = distance;
            best = code;
        }
    }
    if (x > s->value[s->count] || best == s->count) {
        return m->overflow[minus];
    }
    return best == 0 ? m->zero[minus] : best | (minus ? s->sign : 0);
}

static bool is_answered_alike(const model *a, const model *b)
{
    return memcmp(a->infinite, b->infinite, sizeof(model) - offsetof(model, infinite)) == 0;
}

static float float_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static bnd_vector_check *check_model(const model *m, bnd_vector_plan *plan, bnd_vectors *v)
{
    bnd_format f = format_named(m->format);
    scale s = scale_of(&f);
    bnd_vector_check *check = NULL;
    *v = described("convert", "fp32", m->format, (bnd_rule){0});
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(plan, v, BND_LEVEL_1, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_open(&check, v, (bnd_vector_options){.flags_mask = 31}, NULL), BND_OK);
    for (uint64_t i = 0; i < plan->count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_result want;
        bool agrees;
        bnd_vector_case(operands, &random, plan, i);
        bnd_vector_line line = {.operands = operands, .code = model_answer(m, &s, float_of(operands[0]))};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
    }
    bnd_vector_plan_free(plan);
    return check;
}

/* The dialect that answered explains every line, and of the others just those that answer alike. */
static void dialects_are_named(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < MODELS; i++) {
        bnd_vector_plan plan;
        bnd_vectors v;
        bnd_vector_check *check = check_model(&models[i], &plan, &v);
        for (unsigned k = 0; k < MODELS; k++) {
            size_t dialect;
            bnd_vector_suspect s;
            if (strcmp(models[i].format, models[k].format) != 0) {
                continue;
            }
            bool known = bnd_dialect_parse(&dialect, models[k].dialect, NULL) == BND_OK &&
                         bnd_vector_check_dialect(&s, check, dialect);
            if (!known || (s.left_over == 0) != is_answered_alike(&models[i], &models[k])) {
                printf("\n  %s answers %s: %s leaves %llu over\n", models[i].dialect, models[i].format,
                       models[k].dialect, known ? (unsigned long long)s.left_over : 999999999ULL);
                wrong++;
            }
        }
        bnd_vector_suspect rules[4];
        size_t count = bnd_vector_check_suspects(rules, 4, check);
        wrong += count == 0 || rules[0].left_over != 0;
        bnd_vector_check_close(check);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- rules, from answers by a changed rule ---- */

static bnd_vector_check *check_changed(const bnd_vectors *v, bnd_rule changed, uint64_t spoiled)
{
    bnd_vector_check *check = NULL;
    bnd_vector_plan plan;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, v, BND_LEVEL_SAMPLE, 5, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_open(&check, v, (bnd_vector_options){.flags_mask = 127}, NULL), BND_OK);
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
    }
    bnd_vector_plan_free(&plan);
    return check;
}

static void rules_are_named(void)
{
    static const struct {
        const char *operation, *in, *out;
    } rows[] = {{"add", "fp16", "fp16"},  {"convert", "fp32", "e4m3"}, {"mul", "fp16", "e5m2"},
                {"fma", "bf16", "bf16"},  {"convert", "bf16", "e8m0"}, {"div", "fp16", "e2m1"},
                {"dot:3", "e5m2", "fp16"}};
    unsigned wrong = 0;
    for (unsigned i = 0; i < 70; i++) {
        bnd_vectors v = described(rows[i % 7].operation, rows[i % 7].in, rows[i % 7].out, (bnd_rule){0});
        uint64_t r = random_of(4, i);
        bnd_rule changed = {.rounding = (uint8_t)(r % BND_DETERMINISTIC_MODES),
                            .overflow = (uint8_t)(r / 8 % BND_OVERFLOWS),
                            .flush_in = r >> 10 & 1,
                            .flush_out = r >> 11 & 1,
                            .tiny_before = r >> 12 & 1,
                            .no_nan = r >> 13 & 1,
                            .negative = r >> 14 & 1,
                            .zero = r >> 15 & 1,
                            .nan = (uint8_t)(r / 65536 % BND_NANS)};
        bnd_vector_suspect found[2];
        uint64_t spoiled = i % 3 == 0 ? 7 : 0;
        bnd_vector_check *check = check_changed(&v, changed, spoiled);
        size_t count = bnd_vector_check_suspects(found, 2, check);
        if (count == 0 || found[0].left_over != spoiled) {
            char text[256];
            bnd_vector_print_changes(text, sizeof text, &v, changed);
            printf("\n  %s to %s, %s: %llu left over, not %llu\n", rows[i % 7].operation, rows[i % 7].out, text,
                   count == 0 ? 999999ULL : (unsigned long long)found[0].left_over, (unsigned long long)spoiled);
            wrong++;
        }
        bnd_vector_check_close(check);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* One choice changed is found as that choice. */
static void a_change_is_named(void)
{
    static const struct {
        bnd_rule rule;
        const char *text;
    } rows[] = {{{.rounding = BND_RTZ}, "round=rtz"},
                {{.overflow = BND_OVERFLOW_SATURATE}, "overflow=saturate"},
                {{.nan = BND_NAN_SIGNED_ONES}, "nan=signed-ones"},
                {{.flush_out = true}, "flush-out=yes"},
                {{.flush_in = true}, "flush-in=yes"},
                {{.tiny_before = true}, "tininess=before"},
                {{.rounding = BND_RNA, .flush_out = true}, "round=rna flush-out=yes"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vectors v = described("mul", "fp16", "fp16", (bnd_rule){0});
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
        bnd_vector_check_close(check);
    }
}

/* How many lines a rule leaves over is counted by another way: answer by answer. */
static void counts_are_exact(void)
{
    bnd_vectors v = described("add", "fp16", "e4m3", (bnd_rule){0});
    bnd_rule by = {.rounding = BND_RUP, .overflow = BND_OVERFLOW_PROPAGATE, .nan = BND_NAN_SIGNED};
    bnd_vector_check *check = check_changed(&v, by, 0);
    bnd_vector_plan plan;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_alloc(&plan, &v, BND_LEVEL_SAMPLE, 5, NULL), BND_OK);
    for (size_t d = 0; d < bnd_dialect_count(); d++) {
        bnd_vector_suspect s;
        uint64_t left_over = 0;
        if (!bnd_vector_check_dialect(&s, check, d)) {
            continue;
        }
        for (uint64_t i = 0; i < 4000; i++) {
            uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
            bnd_vector_case(operands, &random, &plan, i);
            bnd_result a = bnd_vector_answer(&v, operands, by, random),
                       b = bnd_vector_answer(&v, operands, s.rule, random);
            left_over += a.code != b.code || a.flags != b.flags;
        }
        CU_ASSERT_EQUAL(left_over, s.left_over);
        CU_ASSERT(left_over > 0);
    }
    bnd_vector_plan_free(&plan);
    bnd_vector_check_close(check);
}

/* ---- cases ---- */

static void cases_are_told_apart(void)
{
    static const struct {
        float x;
        bnd_vector_case_kind kind;
        bnd_class class;
    } rows[] = {{448, BND_CASE_EXACT, BND_CLASS_NORMAL},
                {460, BND_CASE_BELOW_HALF, BND_CLASS_NORMAL},
                {464, BND_CASE_TIE, BND_CLASS_NORMAL},
                {465, BND_CASE_OVERFLOW, BND_CLASS_NAN},
                {-445, BND_CASE_ABOVE_HALF, BND_CLASS_NORMAL},
                {0.0009765625F, BND_CASE_TIE, BND_CLASS_ZERO},
                {0.001F, BND_CASE_ABOVE_HALF, BND_CLASS_SUBNORMAL},
                {1e-9F, BND_CASE_BELOW_HALF, BND_CLASS_ZERO},
                {INFINITY, BND_CASE_INFINITE, BND_CLASS_NAN},
                {NAN, BND_CASE_NAN, BND_CLASS_NAN},
                {-0.0F, BND_CASE_EXACT, BND_CLASS_ZERO}};
    bnd_vectors v = described("convert", "fp32", "e4m3", (bnd_rule){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vector_check *check = NULL;
        uint32_t bits;
        bool agrees;
        bnd_result want;
        memcpy(&bits, &rows[i].x, sizeof bits);
        uint64_t operand = bits;
        bnd_vector_line line = {.operands = &operand};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_open(&check, &v, (bnd_vector_options){.any_nan = true}, NULL), BND_OK);
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->results[rows[i].class][rows[i].kind], 1);
        bnd_vector_check_close(check);
    }
}

int main(void)
{
    CU_TestInfo vectors[] = {{"answers", answers},
                             {"dot products", dots},
                             {"special dot products", special_dots},
                             {"every combination", every_combination},
                             {"boundaries", boundaries},
                             {"pieces", pieces},
                             {"headers", headers},
                             {"refused headers", refused_headers},
                             {"lines", lines},
                             CU_TEST_INFO_NULL};
    CU_TestInfo dialects[] = {{"dialects are named", dialects_are_named},     {"rules are named", rules_are_named},
                              {"a change is named", a_change_is_named},       {"counts are exact", counts_are_exact},
                              {"cases are told apart", cases_are_told_apart}, CU_TEST_INFO_NULL};
    CU_SuiteInfo suites[] = {SUITE("vectors", vectors), SUITE("dialects", dialects), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
