/* Dialects named from answers that models of them gave, which share no code with the library's rules and were written
 * after the table of conversions. */
#include "tests/support/operands.h"
#include "tests.h"

#include <binade-lab/oracle.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    {"onnx-saturate", "e5m2", {0x7b, 0xfb}, {0x7b, 0xfb}, {0x7e, 0xfe}, {0x00, 0x80}},
    {"onnx-saturate", "e4m3fnuz", {0x7f, 0xff}, {0x7f, 0xff}, {0x80, 0x80}, {0x00, 0x00}},
    {"onnx-nosaturate", "e4m3", {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0xff}, {0x00, 0x80}},
    {"onnx-nosaturate", "e5m2", {0x7c, 0xfc}, {0x7c, 0xfc}, {0x7e, 0xfe}, {0x00, 0x80}},
    {"onnx-nosaturate", "e4m3fnuz", {0x80, 0x80}, {0x80, 0x80}, {0x80, 0x80}, {0x00, 0x00}},
    {"onnx-nosaturate", "e2m1", {0x7, 0xf}, {0x7, 0xf}, {0x8, 0x0}, {0x0, 0x8}},
    {"torch-2.11", "e4m3fnuz", {0x80, 0x80}, {0x80, 0x80}, {0x80, 0x80}, {0x00, 0x00}},
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
    return bndi_float_of_bits(word);
}

static bnd_vector_check *check_model(const model *m, bnd_vector_plan *plan, bnd_vectors *v)
{
    bnd_format f = format_named(m->format);
    scale s = scale_of(&f);
    bnd_vector_check *check = NULL;
    *v = vectors_described("convert", "fp32", m->format, (bnd_rule){0});
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(plan, v, BND_VECTOR_LEVEL_1, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, v, (bnd_vector_options){.flags_mask = 31}, NULL), BND_OK);
    for (uint64_t i = 0; i < plan->count; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_result want;
        bool agrees;
        bnd_vector_case(operands, &random, plan, i);
        bnd_vector_line line = {.operands = operands, .code = model_answer(m, &s, float_of(operands[0]))};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
    }
    bnd_vector_plan_close(plan);
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
        bnd_vector_check_free(check);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo dialect_tests[] = {{"dialects are named", dialects_are_named}, CU_TEST_INFO_NULL};
