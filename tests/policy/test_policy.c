/* policy/: roles, recipes and settings. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests/support/suites.h"

bnd_policy policy_of(const char *text)
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

bool has(const bnd_policy *p, bnd_role role, const char *format)
{
    return format == NULL ? !p->cast[role].given
                          : p->cast[role].given && strcmp(p->cast[role].format.name, format) == 0;
}

static void test_roles(void)
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        const char *name = bnd_role_name((bnd_role)role);
        uint64_t roles = 0;
        CU_ASSERT_NOT_EQUAL(name[0], 0);
        CU_ASSERT_EQUAL(bnd_role_parse_n(&roles, name, strlen(name), NULL), BND_OK);
        CU_ASSERT_EQUAL(roles, UINT64_C(1) << role);
    }
    CU_ASSERT_STRING_EQUAL(bnd_role_name(BND_ROLE_COUNT), "");
}

/* By members: what lies between them may differ. */
static bool same_cast(const bnd_cast *a, const bnd_cast *b)
{
    return a->given == b->given && a->transient == b->transient && a->hadamard == b->hadamard &&
           a->requantized == b->requantized && a->hadamard_size == b->hadamard_size &&
           (!a->given || bnd_format_same(&a->format, &b->format)) && memcmp(&a->rule, &b->rule, sizeof a->rule) == 0 &&
           strcmp(a->scaling, b->scaling) == 0;
}

static bool same_casts(const bnd_policy *a, const bnd_policy *b, bnd_role first, bnd_role last)
{
    bool same = true;
    for (bnd_role role = first; role <= last; role++) {
        same = same && same_cast(&a->cast[role], &b->cast[role]);
    }
    return same;
}

static void test_rows(void)
{
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        bnd_policy row = policy_of(bnd_recipe_name(i)), settings = policy_of(bnd_recipe_settings(i));
        CU_ASSERT_STRING_EQUAL(row.name, bnd_recipe_name(i));
        CU_ASSERT_NOT_EQUAL(bnd_recipe_title(i)[0], 0);
        CU_ASSERT_TRUE(same_casts(&row, &settings, (bnd_role)0, (bnd_role)(BND_ROLE_COUNT - 1)));
    }
}

/* NAME and NAME+fp32: the same GEMMs, on bf16-master and on fp32. */
static void test_pairs(void)
{
    size_t pairs = 0;
    const bnd_policy master = policy_of("bf16-master");
    for (size_t i = 1; i < bnd_recipe_count(); i++) {
        const char *name = bnd_recipe_name(i - 1), *wide = bnd_recipe_name(i);
        const size_t length = strlen(name);
        if (strncmp(name, wide, length) != 0 || strcmp(wide + length, "+fp32") != 0) {
            continue;
        }
        bnd_policy low = policy_of(name), high = policy_of(wide);
        bool keeps_its_own = strncmp(name, "fp8-block", 9) == 0 || strcmp(name, "fp8-lm") == 0;
        pairs++;
        for (bnd_role role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) { /* none: as they are, in both */
            CU_ASSERT_TRUE(same_casts(&low, &high, role, role));
        }
        CU_ASSERT_TRUE(same_casts(&low, &high, BND_ROLE_NORM_W, BND_ROLE_NORM_W));
        CU_ASSERT_TRUE(strcmp(low.accumulator, high.accumulator) == 0 && low.high_last == high.high_last);
        CU_ASSERT_TRUE(same_casts(&low, &master, BND_ROLE_ACT, BND_ROLE_DACT));
        CU_ASSERT_TRUE(same_casts(&low, &master, BND_ROLE_CAREFUL, BND_ROLE_CAREFUL));
        CU_ASSERT_TRUE(has(&high, BND_ROLE_ACT, NULL) && has(&high, BND_ROLE_DACT, NULL) &&
                       has(&high, BND_ROLE_FWD_Y, NULL) && has(&high, BND_ROLE_CAREFUL, NULL));
        CU_ASSERT_EQUAL(same_casts(&low, &master, BND_ROLE_PARAM, BND_ROLE_MASTER), !keeps_its_own);
        CU_ASSERT_EQUAL(has(&high, BND_ROLE_PARAM, NULL), !keeps_its_own);
        bool layers = high.cast[BND_ROLE_MATMUL].given;
        CU_ASSERT_TRUE(has(&high, BND_ROLE_MATMUL, layers ? "fp32" : NULL));
        CU_ASSERT_TRUE(has(&low, BND_ROLE_MATMUL, layers ? "bf16" : NULL));
    }
    CU_ASSERT_TRUE(pairs >= 14); /* one more needs no number here */
    bnd_policy floor = policy_of("gemm=e2m1/mx:floor"), fp4 = policy_of("mxfp4+fp32");
    CU_ASSERT_TRUE(bnd_policy_same(&floor, &fp4));
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
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_DACT].rule.rounding, BND_ROUND_SR);
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
        {"updat=kahan", "update", 0},
        {"los_scale=8", "loss_scale", 0},
        {"high_last=101", "percentage", 10},
        {"fp8-curent", "fp8-current", 0},
        {"v=e4m3/tensor/tensor", "second /", 2},
        {"v=mxfp8/tensor", "this name has a scaling of its own, mx; with another one write e4m3/tensor", 2},
        {"gemm=e4m3/hadamard:3", "hadamard:N needs an N that is a power of two", 5},
        {"gemm=e4m3/mx/hadamard:256", "after the second /", 5},
        {"m.json,v=bf16", "a recipe in a file takes no other settings", 0},
        {"base=m.json,v=bf16", "a recipe in a file takes no other settings", 5},
        {"optimizer=slow", "foreach or fused", 10},
        {"reset=0", "reset must be", 6},
        {"reset=m", "reset must be", 6},
        {"reset=w:3", "reset must be", 6},
        {"reset=m:3/m:4", "reset must be", 6},
        {"reset=3/v:4", "reset must be", 6},
        {"reset=m:3/", "reset must be", 6},
        {"rest=3", "reset", 0},
        {"v=e5m2,scratch=bf16", "memory of the emulation", 7},
        {"v=e5m22x", "e5m22x", 2},
        {"v=e5m2:upp", "upp", 7},
        {"v=e5m2/", "expected a scaling", 2},
        {"v=e5m2,base=fp32", "must be the first", 7},
        {"v=e5m2,fp32", "NAME=VALUE", 7},
        {"update=sometimes", "rounded, kahan or eco", 7},
        {"optimizer=adamw", "foreach or fused", 10},
        {"loss_scale=0", "where NUMBER is from 2^-64 to 2^64", 11},
        {"loss_scale=-8", "loss_scale must be", 11},
        {"loss_scale=inf", "loss_scale must be", 11},
        {"loss_scale=1e20", "loss_scale must be", 11},
        {"loss_scale=8:9", "loss_scale must be", 11},
        {"loss_scale=dynamic:0", "loss_scale must be", 11},
        {"loss_scale=dynamic:2:0", "loss_scale must be", 11},
        {"v=e5m2,bl#.*:gemm=fp32", "expected layers: a pattern", 7},
        {":gemm=fp32", "expected layers: a pattern", 0},
        {"first:0:gemm=fp32", "expected layers: a pattern", 0},
        {"last:101%:gemm=fp32", "expected layers: a pattern", 0},
        {"last:x:gemm=fp32", "expected layers: a pattern", 0},
        {"last:9999999:gemm=fp32", "expected layers: a pattern", 0},
        {"a.*:loss_scale=8", "belongs to the whole run", 4},
        {"a.*:high_last=8", "belongs to the whole run", 4},
        {"a.*:update=eco", "belongs to the whole run", 11},
        {"a.*:reduce=bf16", "belongs to the whole run", 4},
        {"a.*:accumulate=bf16", "belongs to the whole run", 4},
        {"a.*:gemn=fp32", "gemm", 4},
        {"a.*:gemm=fp33", "fp32", 9},
        {"a.*:base=bf16-ampp", "bf16-amp", 9},
        {"a.*:bf16-ampp", "bf16-amp", 4},
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

/* ---- how optimizers round ---- */

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

/* ---- in words, and back ---- */

static void check_text(const bnd_policy *p)
{
    char text[BND_POLICY_TEXT_SIZE], other[BND_POLICY_TEXT_SIZE];
    bnd_policy again = {.name = ""};
    bnd_error why;
    bnd_status status = bnd_policy_text(text, sizeof text, p, &why);
    if (status != BND_OK) {
        printf("\n    %s\n", why.message);
    }
    CU_ASSERT_EQUAL_FATAL(status, BND_OK);
    again = policy_of(text);
    CU_ASSERT_TRUE(bnd_policy_same(&again, p));
    CU_ASSERT_EQUAL(bnd_policy_text(other, sizeof other, &again, &why), BND_OK);
    CU_ASSERT_STRING_EQUAL(text, other);
    memset(other, 'x', sizeof other);
    CU_ASSERT_EQUAL(bnd_policy_text(other, strlen(text), p, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(other[0], 'x');
    CU_ASSERT_EQUAL(bnd_policy_text(other, strlen(text) + 1, p, &why), BND_OK);
}

static void test_clamp(void)
{
    char text[BND_POLICY_TEXT_SIZE];
    bnd_policy p = policy_of("gemm=e4m3:clamp,v=bf16:sr:8:clamp/row");
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_FWD_X].rule.overflow, BND_OVERFLOW_SATURATE);
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_V].rule.overflow, BND_OVERFLOW_SATURATE);
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_V].rule.random_bits, 8);
    CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &p, NULL), BND_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "v=bf16:sr:8:clamp/row"));
    check_text(&p);
    p = policy_of("fp8-unit");
    CU_ASSERT_EQUAL(p.cast[BND_ROLE_DGRAD_DY].rule.overflow, BND_OVERFLOW_SATURATE);
    CU_ASSERT_EQUAL(bnd_policy_parse(&p, "gemm=e4m3:clamps", NULL), BND_BAD_NAME);
}

/* Settings in any combination; a third of them come last, over a recipe. */
static void random_policy(char *text, size_t size, uint64_t seed)
{
    static const char *const formats[] = {"fp16", "bf16:sr",  "e4m3", "e5m2:sr:8",   "fp32",  "none",
                                          "tf32", "e2m1:rtz", "e3m4", "e5m10:srb:3", "mxfp8", "nvfp4:sr"};
    static const char *const scalings[] = {"",          "/tensor",          "/row:rceil",  "/tile:1x128",
                                           "/mx:floor", "/delayed:16",      "/nvfp4",      "/current:2",
                                           "/hadamard", "/tensor/hadamard", "/nvfp4:16x16"};
    static const char *const orders[] = {"", "/ring", "/tree", "/sequential"};
    static const char *const others[] = {"acc=fp16/promote128",
                                         "acc=trunc14",
                                         "update=kahan",
                                         "update=eco",
                                         "update=rounded",
                                         "loss_scale=1024",
                                         "loss_scale=dynamic:256:10",
                                         "loss_scale=none",
                                         "high_last=15",
                                         "optimizer=fused",
                                         "reset=3",
                                         "reset=v:40",
                                         "reset=m:3/v:40"};
    enum { OTHERS = sizeof others / sizeof others[0] };
    size_t used = 0;
    bool on_a_row = bnd_random(seed, 0, 0) % 3 == 0;
    if (on_a_row) {
        const char *row = bnd_recipe_name(bnd_random(seed, 0, 1) % bnd_recipe_count());
        used = (size_t)snprintf(text, size, "base=%s", row);
    }
    size_t count = 1 + bnd_random(seed, 0, 2) % 6;
    for (size_t i = 0; i < count; i++) {
        uint64_t r = bnd_random(seed, 1, i);
        const char *format = formats[r % 12], *scaling = r % 12 == 5 || r % 12 > 9 ? "" : scalings[r / 12 % 11];
        const unsigned number = (unsigned)(r / 1000 % BND_ROLE_SCRATCH); /* the last role */
        const char *role = bnd_role_name((bnd_role)number);
        if (number == BND_ROLE_REDUCE) {
            format = formats[r % 10];
            scaling = orders[r / 12 % 4];
        }
        used += (size_t)snprintf(text + used, size - used, "%s", used > 0 ? "," : "");
        used += r / 7 % 3 == 0 ? (size_t)snprintf(text + used, size - used, "%s", others[r / 50 % OTHERS])
                               : (size_t)snprintf(text + used, size - used, "%s=%s%s", role, format, scaling);
    }
}

static void test_text(void)
{
    char text[512];
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        bnd_policy row = policy_of(bnd_recipe_name(i));
        check_text(&row);
        CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &row, NULL), BND_OK);
        CU_ASSERT_STRING_EQUAL(text, bnd_recipe_name(i));
        memcpy(row.name, "custom", 7); /* by its settings */
        check_text(&row);
        CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &row, NULL), BND_OK);
        CU_ASSERT_STRING_NOT_EQUAL(text, bnd_recipe_name(i));
    }
    for (uint64_t seed = 0; seed < 2000; seed++) {
        random_policy(text, sizeof text, seed);
        bnd_policy p = policy_of(text);
        check_text(&p);
    }
    /* What settings do not say is refused, not left out. */
    bnd_policy p = policy_of("v=e4m3");
    bnd_error why;
    p.cast[BND_ROLE_V].rule.overflow = BND_OVERFLOW_PROPAGATE;
    CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &p, &why), BND_BAD_ARGUMENT);
    p = policy_of("loss_scale=8");
    p.loss_scale.initial = -8;
    CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &p, &why), BND_BAD_ARGUMENT);
    static const char *const scales[][2] = {{"loss_scale=0.5", "loss_scale=0.5"},
                                            {"loss_scale=65536.0", "loss_scale=65536"},
                                            {"loss_scale=1e4", "loss_scale=10000"},
                                            {"loss_scale=4503599627370496", "loss_scale=4503599627370496"},
                                            {"loss_scale=0x1p64", "loss_scale=1.8446744073709552e+19"},
                                            {"loss_scale=dynamic:0.1:7", "loss_scale=dynamic:0.1:7"}};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        p = policy_of(scales[i][0]);
        check_text(&p);
        CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &p, &why), BND_OK);
        CU_ASSERT_STRING_EQUAL(text, scales[i][1]);
    }
}

/* ---- parts ---- */

static size_t part_named(const char *name)
{
    for (size_t i = 0; i < bnd_part_count(); i++) {
        if (strcmp(bnd_part_name(i), name) == 0) {
            return i;
        }
    }
    CU_FAIL("no such part");
    return 0;
}

static void test_parts(void)
{
    /* In a recipe, what a part is lifted to, and what fp32 becomes with that part alone; "" where nothing changes. */
    static const struct {
        const char *recipe, *part, *lifted, *lowered;
    } cases[] = {
        {"fp16-pure", "v", "base=fp16-pure,v=fp32", "v=fp16"},
        {"fp16-pure", "act", "base=fp16-pure,act=fp32,careful=fp32,data=fp32",
         "act=fp16,careful=fp16,data=fp16,dact=fp32"},
        {"fp16-pure", "gemm_fwd", "base=fp16-pure,gemm_fwd=none", "gemm_fwd=fp16"},
        {"fp16-pure", "acc", "", ""},
        {"fp16-pure", "loss_scale", "", ""},
        {"fp16-pure,acc=fp16", "acc", "fp16-pure", "acc=fp16"},
        {"fp16-pure,scalar=fp16", "scalar", "fp16-pure", "scalar=fp16"},
        {"fp16-amp", "loss_scale", "fp16-amp-noscale", "loss_scale=dynamic"},
        {"fp16-amp", "grad", "base=fp16-amp,gemm_wgrad.dw=fp32", "grad=fp32,gemm_wgrad.dw=fp16"},
        {"bf16-sr", "param", "base=bf16-sr,param=fp32:sr", "param=bf16"},
        {"bf16-sr", "update", "base=bf16-sr,param=bf16", ""},
        {"bf16-kahan", "update", "base=bf16-kahan,update=rounded,extra=none", "update=kahan,extra=bf16"},
        {"bf16-master", "param", "base=bf16-master,param=fp32", "param=bf16,master=fp32"},
        {"bf16-master", "master", "", ""},
        {"bf16-master", "matmul", "", ""},
        {"fp8-current", "matmul", "base=fp8-current,matmul=fp32", "matmul=bf16"},
        {"nvfp4", "matmul", "base=nvfp4,matmul=fp32,high=fp32", "matmul=bf16,high=bf16,high_last=15"},
        {"param=e4m3,master=fp32", "param", "param=fp32,master=fp32", "param=e4m3,master=fp32"},
        {"param=e4m3,master=fp32", "act", "", ""},
        /* Gradients follow activations where nothing else is said: each of the two is a part of its own. */
        {"act=bf16", "act", "act=fp32,dact=bf16", "act=bf16,dact=fp32"},
        {"act=bf16", "dact", "act=bf16,dact=fp32", "dact=bf16"},
        {"bf16-amp", "dact", "base=bf16-amp,gemm_dgrad.dx=fp32,dact=fp32", "gemm_dgrad.dx=bf16"},
        {"fp8-current", "scaling", "", ""}, /* exact scales already */
        {"fp8-delayed", "scaling", "base=fp8-current", ""},
        {"gemm=e4m3/current:2", "scaling", "gemm=e4m3/current", ""},
        {"mxfp8-norms", "scaling", "base=mxfp8-norms,gemm=e4m3/row:32,norm.w=e4m3/row:32", ""},
        {"gemm=e2m1/nvfp4,gemm_fwd.w=e2m1/nvfp4:16x16", "scaling", "gemm=e2m1/row:16,gemm_fwd.w=e2m1/tile:16x16", ""},
        {"gemm=e4m3/mx:4x8:floor", "scaling", "gemm=e4m3/tile:4x8", ""},
        {"gemm=e4m3/tile:1x128:rceil,m=e4m3/row:64:even", "scaling", "gemm=e4m3/tile:1x128,m=e4m3/row:64", ""},
        {"fp8-rowwise", "scaling", "base=fp8-rowwise,gemm=e4m3/row", ""},
        {"adam8bit", "scaling", "", ""},
        {"fp8-current", "gemm_dgrad", "base=fp8-current,gemm_dgrad=none",
         "gemm_dgrad.dy=e5m2/current,gemm_dgrad.w=e4m3/current,matmul=fp32"},
        {"nvfp4", "gemm_wgrad", "base=nvfp4,gemm_wgrad=none",
         "gemm_wgrad.x=nvfp4/hadamard,gemm_wgrad.dy=nvfp4:sr:16/hadamard,matmul=fp32,high_last=15"},
        {"gemm=bf16,matmul=e2m0", "matmul", "gemm=bf16,matmul=fp32", "matmul=e2m0"},
        {"gemm=bf16,matmul=e2m0", "gemm_fwd", "gemm_dgrad=bf16,gemm_wgrad=bf16,matmul=e2m0",
         "gemm_fwd=bf16,matmul=fp32"},
        {"bf16-amp", "matmul", "", ""},
        {"mxfp8-norms", "norm", "mxfp8-floor", "norm.w=e4m3/mx:floor"},
        {"mxfp8-norms", "gemm_fwd", "base=mxfp8-norms,gemm_fwd=none", "gemm_fwd=e4m3/mx:floor"},
        {"nvfp4,norm.w=e3m2", "norm", "nvfp4", "norm.w=e3m2"}, /* no product is cast: nor are those of the last kept */
        {"mxfp8-floor", "norm", "", ""},
        {"fp8-lm", "master", "base=fp8-lm,master=fp32", "master=fp16/tensor"},
        {"fp8-lm", "param", "base=fp8-lm,param=fp32", "param=transient:e4m3/tensor,master=fp32"},
        {"adam8bit", "m", "base=adam8bit,m=fp32", "m=fp32/dynamic:256"},
        {"bf16-pure,accumulate=bf16", "accumulate", "base=bf16-pure,accumulate=fp32", "accumulate=bf16"},
        {"v=bf16,reduce=fp16:sr/ring", "reduce", "v=bf16,reduce=fp32/ring", "reduce=fp16:sr/ring"},
        {"v=bf16,reduce=fp32/ring", "reduce", "", ""},
        {"adam8bit,optimizer=fused", "v", "base=adam8bit,v=fp32,optimizer=fused",
         "v=fp32/udynamic:256,optimizer=fused"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_policy p = policy_of(cases[i].recipe), lifted, lowered;
        size_t part = part_named(cases[i].part);
        bool changes = bnd_policy_lift(&lifted, &p, part) != NULL;
        bool differs = bnd_policy_lower(&lowered, &p, part) != NULL;
        bnd_policy up = policy_of(cases[i].lifted[0] != 0 ? cases[i].lifted : cases[i].recipe);
        bnd_policy down = policy_of(cases[i].lowered[0] != 0 ? cases[i].lowered : "fp32");
        bool good = changes == (cases[i].lifted[0] != 0) && differs == (cases[i].lowered[0] != 0) &&
                    bnd_policy_same(&lifted, &up) && bnd_policy_same(&lowered, &down);
        if (!good) {
            char text[BND_POLICY_TEXT_SIZE], other[BND_POLICY_TEXT_SIZE];
            CU_ASSERT_EQUAL(bnd_policy_text(text, sizeof text, &lifted, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_policy_text(other, sizeof other, &lowered, NULL), BND_OK);
            printf("\n    %s, %s: %s; %s\n", cases[i].recipe, cases[i].part, text, other);
        }
        CU_ASSERT_TRUE(good);
        CU_ASSERT_STRING_EQUAL(lifted.name, changes ? "custom" : p.name);
        CU_ASSERT_STRING_EQUAL(lowered.name, differs ? "custom" : "fp32");
    }
}

/* Lifting one part after another leads to fp32's numbers: nothing that is cast, and nothing to lift any more. */
static void test_all_parts(void)
{
    for (size_t row = 0; row < bnd_recipe_count(); row++) {
        bnd_policy p = policy_of(bnd_recipe_name(row)), again;
        for (size_t part = 0; part < bnd_part_count(); part++) {
            (void)bnd_policy_lift(&p, &p, part);
            CU_ASSERT_PTR_NULL(bnd_policy_lift(&again, &p, part));
        }
        for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
            bool has_layers = role != BND_ROLE_HIGH || p.high_last > 0;
            CU_ASSERT_TRUE(!p.cast[role].given || !has_layers || has(&p, (bnd_role)role, "fp32"));
        }
        CU_ASSERT_TRUE(p.update == BND_UPDATE_ROUNDED && !p.loss_scale.given && p.accumulator[0] == 0);
        check_text(&p);
    }
}

/* A part that there is not changes nothing; a recipe that there is not has no name. */
static void test_no_such_row(void)
{
    bnd_policy p, lifted, lowered, fp32;
    size_t none = bnd_part_count();
    CU_ASSERT_EQUAL_FATAL(bnd_policy_parse(&p, "bf16-sr", NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_policy_parse(&fp32, "fp32", NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(bnd_part_name(none), "");
    CU_ASSERT_EQUAL(bnd_part_roles(none), 0);
    CU_ASSERT_PTR_NULL(bnd_policy_lift(&lifted, &p, none));
    CU_ASSERT_TRUE(bnd_policy_same(&lifted, &p));
    CU_ASSERT_PTR_NULL(bnd_policy_lower(&lowered, &p, none));
    fp32.fused = p.fused;
    CU_ASSERT_TRUE(bnd_policy_same(&lowered, &fp32));
    CU_ASSERT_STRING_EQUAL(bnd_recipe_name(bnd_recipe_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_recipe_title(bnd_recipe_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_recipe_settings(bnd_recipe_count()), "");
}

static CU_TestInfo policy_tests[] = {
    {"roles", test_roles},
    {"rows", test_rows},
    {"on bf16 and on fp32", test_pairs},
    {"what rows and settings mean", test_meaning},
    {"casts that clamp", test_clamp},
    {"what is refused", test_refused},
    {"how optimizers round", test_fused},
    {"in words", test_text},
    {"parts", test_parts},
    {"all parts", test_all_parts},
    {"no such row", test_no_such_row},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("policy", policy_tests),
        SUITE("layers", layer_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
