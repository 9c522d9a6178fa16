/* Names of accumulators: read, written, refused. */
#include <string.h>

#include "model.h"
#include "tests.h"

static void test_round_trips(void)
{
    static const struct {
        const char *asked, *name;
        uint8_t kind;
        uint32_t promote;
    } cases[] = {
        {"fp32", "fp32", BND_ACCUMULATE_FUSED, 0},
        {"FMA:Float32", "fp32", BND_ACCUMULATE_FUSED, 0},
        {"each:fp32", "each:fp32", BND_ACCUMULATE_EACH, 0},
        {"fp64", "fp64", BND_ACCUMULATE_FUSED, 0},
        {"half", "fp16", BND_ACCUMULATE_EACH, 0},
        {"each:bfloat16", "bf16", BND_ACCUMULATE_EACH, 0},
        {"fma:bf16", "fma:bf16", BND_ACCUMULATE_FUSED, 0},
        {"bf16:stochastic:8", "bf16:sr:8", BND_ACCUMULATE_EACH, 0},
        {"fma:e5m2:RTZ/Promote64", "fma:e5m2:rtz/promote64", BND_ACCUMULATE_FUSED, 64},
        {"fp32/promote128", "fp32/promote128", BND_ACCUMULATE_FUSED, 128},
        {"trunc14", "trunc14", BND_ACCUMULATE_ALIGNED, 0},
        {"trunc14g32", "trunc14", BND_ACCUMULATE_ALIGNED, 0},
        {"TRUNC14/promote128", "trunc14/promote128", BND_ACCUMULATE_ALIGNED, 128},
        {"trunc24g1", "trunc24g1", BND_ACCUMULATE_ALIGNED, 0},
        {"e6m9", "e6m9", BND_ACCUMULATE_EACH, 0},
        {"p11emin-14emax15", "p11emin-14emax15", BND_ACCUMULATE_EACH, 0},
        {"hopper-fp8", "hopper-fp8", BND_ACCUMULATE_TENSOR, 0},
        {"tensor13:e8m13", "hopper-fp8", BND_ACCUMULATE_TENSOR, 0},
        {"Hopper-BF16/promote64", "hopper-fp16/promote64", BND_ACCUMULATE_TENSOR, 64},
        {"tensor25g16:float32", "hopper-fp16", BND_ACCUMULATE_TENSOR, 0},
        {"tensor13:half", "hopper-fp8-fp16", BND_ACCUMULATE_TENSOR, 0},
        {"tensor30g7:e8m20", "tensor30g7:e8m20", BND_ACCUMULATE_TENSOR, 0},
        {"blackwell-fp8", "blackwell-fp8", BND_ACCUMULATE_TENSOR, 0},
        {"cblas", "cblas", BND_ACCUMULATE_CBLAS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[BND_ACCUMULATOR_NAME_SIZE] = "";
        bnd_accumulator a = accumulator_named(cases[i].asked), again;
        CU_ASSERT_EQUAL(bnd_accumulator_name(name, sizeof name, &a), strlen(cases[i].name));
        CU_ASSERT_STRING_EQUAL(name, cases[i].name);
        CU_ASSERT_EQUAL(a.kind, cases[i].kind);
        CU_ASSERT_EQUAL(a.promote, cases[i].promote);
        again = accumulator_named(name);
        CU_ASSERT_EQUAL(memcmp(&again, &a, sizeof a), 0);
    }
    const bnd_accumulator zero = {.promote = 0};
    char name[5];
    CU_ASSERT_EQUAL(bnd_accumulator_name(name, sizeof name, &zero), 4);
    CU_ASSERT_STRING_EQUAL(name, "fp32");
    CU_ASSERT_EQUAL(bnd_accumulator_name(name, 3, &zero), 4);
    CU_ASSERT_STRING_EQUAL(name, "fp");
}

static void test_refused(void)
{
    static const char *const names[] = {"",
                                        "fp33",
                                        "fma:",
                                        "trunc",
                                        "trunc1",
                                        "trunc25",
                                        "trunc14g0",
                                        "trunc14g65",
                                        "trunc14x",
                                        "tensor",
                                        "tensor13",
                                        "tensor13:",
                                        "tensor0:fp32",
                                        "tensor41:fp32",
                                        "tensor13g65:fp32",
                                        "tensor13g4fp32",
                                        "tensor13:e5m2",
                                        "tensor13:fp64",
                                        "tensor13:e8m24",
                                        "tensor13:e8m0",
                                        "tensor13:ue8m10",
                                        "tensor13:e8m7nosub",
                                        "tensor13:p12",
                                        "hopper-fp9",
                                        "fp16/",
                                        "fp16/128",
                                        "fp16/promote",
                                        "fp16/promote0",
                                        "fp16/promote1x",
                                        "bf16:",
                                        "bf16:near",
                                        "cblas/promote8",
                                        "fp16/promote4294967296"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_accumulator a = {.promote = 77};
        bnd_error why = {.message = ""};
        CU_ASSERT_NOT_EQUAL(bnd_accumulator_parse(&a, names[i], &why), BND_OK);
        CU_ASSERT_NOT_EQUAL(why.message[0], '\0');
        CU_ASSERT_EQUAL(a.promote, 77);
    }
    static const struct {
        const char *name;
        size_t where;
    } places[] = {{"fma:fp32:sr:63", 12}, {"each:fp32:zz", 10}, {"bf16:zz", 5}, {"fma:fp33", 4}, {"tensor13:fp33", 9}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        bnd_accumulator a;
        bnd_error why = {.message = ""};
        CU_ASSERT_NOT_EQUAL(bnd_accumulator_parse(&a, places[i].name, &why), BND_OK);
        CU_ASSERT_EQUAL(why.where, places[i].where);
    }
    char longer[300];
    memset(longer, 'e', sizeof longer);
    longer[299] = '\0';
    bnd_accumulator a = {.promote = 77};
    CU_ASSERT_EQUAL(bnd_accumulator_parse(&a, longer, NULL), BND_BAD_SYNTAX);
}

CU_TestInfo name_tests[] = {
    {"there and back", test_round_trips},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
