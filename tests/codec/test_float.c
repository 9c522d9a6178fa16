/* The conversions of one format by one call, against the codec with a format that was parsed. */
#include <binade/codec.h>

#include <string.h>

#include "tests.h"
#include "tests/support/operands.h"

typedef struct conversion {
    const char *name;
    uint32_t (*from)(float x), (*saturated)(float x);
    float (*to)(uint32_t code);
} conversion;

#define FORMATS(_) _(fp16) _(bf16) _(tf32) _(e4m3) _(e5m2) _(e4m3fnuz) _(e5m2fnuz) _(e2m1) _(e2m3) _(e3m2) _(e8m0)
#define CALLS(name)                                                                                                    \
    static uint32_t from_##name(float x)                                                                               \
    {                                                                                                                  \
        return bnd_##name##_from_float(x);                                                                             \
    }                                                                                                                  \
    static uint32_t saturated_##name(float x)                                                                          \
    {                                                                                                                  \
        return bnd_##name##_from_float_saturated(x);                                                                   \
    }                                                                                                                  \
    static float to_##name(uint32_t code)                                                                              \
    {                                                                                                                  \
        return bnd_##name##_to_float((code_of_##name)code);                                                            \
    }
typedef uint16_t code_of_fp16, code_of_bf16;
typedef uint32_t code_of_tf32;
typedef uint8_t code_of_e4m3, code_of_e5m2, code_of_e4m3fnuz, code_of_e5m2fnuz, code_of_e2m1, code_of_e2m3,
    code_of_e3m2, code_of_e8m0;
FORMATS(CALLS)

static const conversion conversions[] = {
#define ROW(name) {#name, from_##name, saturated_##name, to_##name},
    FORMATS(ROW)
#undef ROW
};
enum { CONVERSIONS = sizeof conversions / sizeof conversions[0] };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every code, and for each value the halfway points to its neighbours: decode, and encode by both rules. */
static void test_every_code(void)
{
    for (size_t i = 0; i < CONVERSIONS; i++) {
        const conversion *c = &conversions[i];
        const bnd_format f = format_named(c->name);
        int wrong = 0;
        for (uint32_t code = 0; code < UINT32_C(1) << f.width; code++) {
            const float value = c->to(code);
            const double expected = bnd_decode(&f, code);
            wrong += !(value == expected || (value != value && expected != expected));
            wrong += c->from(value) != bnd_encode(&f, value, (bnd_rule){0}, 0).code;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* A stride of all floats, NaNs, infinities and subnormal numbers among them. */
static void test_floats(void)
{
    const bnd_rule saturate = {.overflow = BND_OVERFLOW_SATURATE};
    for (size_t i = 0; i < CONVERSIONS; i++) {
        const conversion *c = &conversions[i];
        const bnd_format f = format_named(c->name);
        int wrong = 0;
        for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 65521) {
            const float x = float_of((uint32_t)bits);
            wrong += c->from(x) != bnd_encode_float(&f, x, (bnd_rule){0}, 0).code;
            wrong += c->saturated(x) != bnd_encode_float(&f, x, saturate, 0).code;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* Answers that are written down in the formats' specifications. */
static void test_known(void)
{
    CU_ASSERT_EQUAL(bnd_e4m3_from_float(448), 0x7e);
    CU_ASSERT_EQUAL(bnd_e4m3_from_float(480), 0x7f); /* overflows: NaN, as there is no infinity */
    CU_ASSERT_EQUAL(bnd_e4m3_from_float_saturated(480), 0x7e);
    CU_ASSERT_EQUAL(bnd_e5m2_from_float(1e9f), 0x7c);
    CU_ASSERT_EQUAL(bnd_e5m2_from_float_saturated(-1e9f), 0xfb);
    CU_ASSERT_EQUAL(bnd_e2m1_from_float(100), 7); /* there is no NaN and no infinity: the largest number */
    CU_ASSERT_EQUAL(bnd_fp16_from_float(65504), 0x7bff);
    CU_ASSERT_EQUAL(bnd_bf16_from_float(1), 0x3f80);
    CU_ASSERT_EQUAL(bnd_tf32_from_float(1), 0x1fc00);
    CU_ASSERT_EQUAL(bnd_e8m0_from_float(1), 127);
    CU_ASSERT_EQUAL(bits_of(bnd_fp16_to_float(0x7c00)), 0x7f800000);
}

CU_TestInfo float_tests[] = {
    {"every code", test_every_code},
    {"floats", test_floats},
    {"known answers", test_known},
    CU_TEST_INFO_NULL,
};
