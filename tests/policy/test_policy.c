/* policy/: roles, recipes and settings. */
#include <CUnit/CUnit.h>
#include <binade/policy.h>
#include <stdio.h>
#include <string.h>

#include "tests/oracle/operands.h"
#include "tests/suites.h"

static bnd_policy policy_of(const char *text)
{
    bnd_policy p = {.name = ""};
    bnd_error why;
    bnd_status status = bnd_policy_parse(&p, text, &why);
    if (status != BND_OK) {
        printf("\n    \"%s\": %s\n", text, why.message);
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    return p;
}

static bool has(const bnd_policy *p, bnd_role role, const char *format)
{
    return format == NULL ? !p->cast[role].given
                          : p->cast[role].given && strcmp(p->cast[role].format.name, format) == 0;
}

static void test_roles(void)
{
    for (unsigned role = 0; role < BND_ROLES; role++) {
        const char *name = bnd_role_name((bnd_role)role);
        uint32_t roles = 0;
        CU_ASSERT_NOT_EQUAL(name[0], 0);
        CU_ASSERT_EQUAL(bnd_role_parse(&roles, name, strlen(name), NULL), BND_OK);
        CU_ASSERT_EQUAL(roles, UINT32_C(1) << role);
    }
    CU_ASSERT_STRING_EQUAL(bnd_role_name(BND_ROLES), "");
}

static void test_rows(void)
{
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        bnd_policy row = policy_of(bnd_recipe_name(i)), settings = policy_of(bnd_recipe_settings(i));
        CU_ASSERT_STRING_EQUAL(row.name, bnd_recipe_name(i));
        CU_ASSERT_NOT_EQUAL(bnd_recipe_title(i)[0], 0);
        CU_ASSERT_EQUAL(memcmp(row.cast, settings.cast, sizeof row.cast), 0);
    }
}

static void test_meaning(void)
{
    bnd_policy p = policy_of("fp16-amp");
    CU_ASSERT_TRUE(has(&p, BND_ROLE_PARAM, NULL) && has(&p, BND_ROLE_FWD_X, "fp16") && has(&p, BND_ROLE_FWD_Y, "fp16"));
    CU_ASSERT_TRUE(has(&p, BND_ROLE_CAREFUL, "fp32") && has(&p, BND_ROLE_GRAD, "fp32") && has(&p, BND_ROLE_ACT, NULL));
    CU_ASSERT_TRUE(p.loss_scale.given && p.loss_scale.dynamic && p.loss_scale.initial == 65536 &&
                   p.loss_scale.growth == 2000);
    p = policy_of("bf16-kahan");
    CU_ASSERT_TRUE(has(&p, BND_ROLE_PARAM, "bf16") && has(&p, BND_ROLE_M, "fp32") && p.update == BND_UPDATE_KAHAN);
    p = policy_of("base=bf16-amp,v=e5m2,dact=e4m3:sr");
    CU_ASSERT_TRUE(has(&p, BND_ROLE_V, "e5m2") && has(&p, BND_ROLE_DACT, "e4m3") && has(&p, BND_ROLE_DGRAD_W, "bf16"));
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_DACT].rule.rounding, BND_SR);
    CU_ASSERT_STRING_EQUAL(p.name, "custom");
    p = policy_of("fp8-block,gemm_fwd.w=none,acc=fp16,loss_scale=dynamic:1024:10");
    CU_ASSERT_TRUE(has(&p, BND_ROLE_FWD_W, NULL) && has(&p, BND_ROLE_FWD_X, "e4m3"));
    CU_ASSERT_STRING_EQUAL(p.cast[BND_ROLE_FWD_X].scaling, "tile:1x128");
    CU_ASSERT_STRING_EQUAL(p.accumulator, "fp16");
    CU_ASSERT_TRUE(p.loss_scale.initial == 1024 && p.loss_scale.growth == 10);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *message;
        size_t where;
    } cases[] = {
        {"bf16-ampp", "bf16-amp", 0},
        {"v=e5m2,", "NAME=VALUE", 7},
        {"v=e5m2,dackt=fp16", "dact", 7},
        {"v=e5m22x", "e5m22x", 2},
        {"v=e5m2:upp", "upp", 7},
        {"v=e5m2/", "after the /", 2},
        {"v=e5m2,base=fp32", "stands first", 7},
        {"v=e5m2,fp32", "NAME=VALUE", 7},
        {"update=sometimes", "rounded or kahan", 7},
        {"optimizer=adamw", "foreach or fused", 10},
        {"loss_scale=0.5", "loss scale", 11},
        {"loss_scale=dynamic:0", "loss scale", 11},
        {"loss_scale=dynamic:2:0", "loss scale", 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_policy p = {.name = "untouched"};
        bnd_error why = {.where = 99};
        CU_ASSERT_NOT_EQUAL(bnd_policy_parse(&p, cases[i].text, &why), BND_OK);
        if (strstr(why.message, cases[i].message) == NULL || why.where != cases[i].where) {
            printf("\n    \"%s\": %zu: %s\n", cases[i].text, why.where, why.message);
        }
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].message));
        CU_ASSERT_EQUAL(why.where, cases[i].where);
        CU_ASSERT_STRING_EQUAL(p.name, "untouched");
    }
}

/* How an optimizer rounds is said, compared, and goes with states that are lowered. */
static void test_fused(void)
{
    bnd_policy fused = policy_of("base=fp16-pure,optimizer=fused"), foreach = policy_of("fp16-pure"), again;
    char text[BND_POLICY_TEXT_SIZE];
    CU_ASSERT_TRUE(fused.fused && !foreach.fused && !policy_of("base=fp16-pure,optimizer=foreach").fused);
    CU_ASSERT_FALSE(bnd_policy_same(&fused, &foreach));
    CU_ASSERT_EQUAL_FATAL(bnd_policy_text(text, sizeof text, &fused, NULL), BND_OK);
    again = policy_of(text);
    CU_ASSERT_TRUE(bnd_policy_same(&fused, &again));
    for (size_t part = 0; part < bnd_part_count(); part++) {
        (void)bnd_policy_lower(&again, &fused, part);
        CU_ASSERT_TRUE(again.fused);
    }
}

static CU_TestInfo policy_tests[] = {
    {"roles", test_roles},
    {"rows", test_rows},
    {"what rows and settings mean", test_meaning},
    {"what is refused", test_refused},
    {"how optimizers round", test_fused},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("policy", policy_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
