/* Settings of some layers: which layers a selector is for, and what holds in them. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

static const bnd_layer layers[] = {{"", 0},
                                   {"tokens", 1},
                                   {"blocks.0.norm", 0},
                                   {"blocks.0.up", 1},
                                   {"blocks.0.down", 1},
                                   {"blocks.1.up", 2},
                                   {"blocks.10.up", 1},
                                   {"head", 1}};
enum { LAYERS = sizeof layers / sizeof layers[0] };

/* Which layers a selector is for: a letter each. */
static void test_selectors(void)
{
    static const struct {
        const char *selector, *layers; /* x: those that it selects */
    } cases[] = {
        {"*", "xxxxxxxx"},           {"blocks.*", "--xxxxx-"},     {"blocks.1.*", "-----x--"},
        {"blocks.?.up", "---x-x--"}, {"blocks.1*.up", "-----xx-"}, {"*.up", "---x-xx-"},
        {"*o*", "-xxxxxx-"},         {"head", "-------x"},         {"blocks.*.*p", "---x-xx-"},
        {"blocks.0", "--------"},    {"?*", "-xxxxxxx"},           {"first:1", "--xxx---"},
        {"first:2", "--xxxx--"},     {"first:99", "--xxxxx-"},     {"last:1", "------x-"},
        {"last:10", "-----xx-"},     {"last:99", "--xxxxx-"},      {"last:1%", "-------x"},
        {"last:15%", "------xx"},    {"last:43%", "-----xxx"},     {"last:100%", "-xxxxxxx"},
        {"first:1%", "-x------"},    {"first:15%", "-xxx----"},    {"first:100%", "-xxxxxxx"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s:v=e5m2", cases[i].selector);
        bnd_policy p = policy_of(text), here;
        bnd_error why;
        bool some = strchr(cases[i].layers, 'x') != NULL;
        for (size_t k = 0; k < LAYERS; k++) {
            CU_ASSERT_EQUAL(bnd_policy_of_layer(&here, &p, layers, LAYERS, k, &why), BND_OK);
            bool selected = has(&here, BND_ROLE_V, "e5m2");
            if (selected != (cases[i].layers[k] == 'x')) {
                printf("\n    %s: %s\n", cases[i].selector, layers[k].name);
            }
            CU_ASSERT_EQUAL(selected, cases[i].layers[k] == 'x');
            CU_ASSERT_EQUAL(here.layers[0], '\0');
        }
        CU_ASSERT_EQUAL(bnd_policy_check_layers(&p, layers, LAYERS, &why), some ? BND_OK : BND_BAD_NAME);
    }
    bnd_policy p = policy_of("block.0.*:v=e5m2");
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_policy_check_layers(&p, layers, LAYERS, &why), BND_BAD_NAME);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "did you mean blocks.0.*"));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "the model has the layers tokens, blocks.0.norm"));
    CU_ASSERT_EQUAL(bnd_layers_last(layers, LAYERS, 0), LAYERS);
}

/* In their order, above everything else, and back to text. */
static void test_exceptions(void)
{
    bnd_policy p = policy_of("bf16-amp,blocks.*:gemm=e4m3/current,blocks.0.*:fp16-amp,blocks.0.up:v=e5m2,gemm=fp16,"
                             "high_last=50,last:1:acc=fp16,head:base=bf16-kahan");
    bnd_policy here, again;
    bnd_error why;
    char text[BND_POLICY_TEXT_SIZE];
    CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &p, &why), BND_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ",blocks.*:gemm=e4m3/current,blocks.0.*:base=fp16-amp,blocks.0.up:v=e5m2,"
                                        "last:1:acc=fp16,head:base=bf16-kahan"));
    again = policy_of(text);
    CU_ASSERT_TRUE(bnd_policy_same(&p, &again));
    again.layers[0] = 'x';
    CU_ASSERT_FALSE(bnd_policy_same(&p, &again));
    CU_ASSERT_EQUAL(bnd_policy_of_layer(&here, &p, layers, LAYERS, 1, &why), BND_OK); /* tokens */
    CU_ASSERT_TRUE(has(&here, BND_ROLE_FWD_X, "fp16") && has(&here, BND_ROLE_V, NULL) && here.high_last == 50);
    CU_ASSERT_EQUAL(bnd_policy_of_layer(&here, &p, layers, LAYERS, 3, &why), BND_OK); /* blocks.0.up */
    CU_ASSERT_TRUE(has(&here, BND_ROLE_FWD_X, "fp16") && has(&here, BND_ROLE_V, "e5m2") && here.high_last == 0);
    CU_ASSERT_TRUE(here.cast[BND_ROLE_FWD_X].scaling[0] == '\0' && !here.loss_scale.given);
    CU_ASSERT_EQUAL(bnd_policy_of_layer(&here, &p, layers, LAYERS, 6, &why), BND_OK); /* blocks.10.up */
    CU_ASSERT_TRUE(has(&here, BND_ROLE_FWD_X, "e4m3") && here.high_last == 0);
    CU_ASSERT_STRING_EQUAL(here.accumulator, "fp16");
    CU_ASSERT_EQUAL(bnd_policy_of_layer(&here, &p, layers, LAYERS, 7, &why), BND_OK); /* head */
    CU_ASSERT_TRUE(here.update == BND_UPDATE_KAHAN && has(&here, BND_ROLE_PARAM, "bf16"));
    CU_ASSERT_TRUE(bnd_policy_exception(&here, &p, 4) && here.update == BND_UPDATE_KAHAN);
    CU_ASSERT_FALSE(bnd_policy_exception(&here, &p, 5));
}

static void test_too_many(void)
{
    char text[1024] = "bf16-amp";
    bnd_policy p = {.name = "untouched"};
    bnd_error why;
    for (size_t i = 0; i < 60; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ",a%zu:v=fp32", i);
    }
    CU_ASSERT_EQUAL(bnd_policy_parse(&p, text, &why), BND_BAD_SYNTAX);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "less than 512 bytes"));
    CU_ASSERT_STRING_EQUAL(p.name, "untouched");
}

CU_TestInfo layer_tests[] = {
    {"selectors of layers", test_selectors},
    {"settings of layers", test_exceptions},
    {"too many of them", test_too_many},
    CU_TEST_INFO_NULL,
};
