/* Rows of machines and of models, what people write, the roofline, and what is refused. */
#include "tests/cost/tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Counted by those who published them. */
static void test_parameters(void)
{
    static const struct {
        const char *name;
        double parameters;
    } rows[] = {{"gpt2", 124439808},         {"gpt2-medium", 354823168},    {"gpt2-large", 774030080},
                {"gpt2-xl", 1557611200},     {"gpt3-175b", 174604259328},   {"gpt-neox-20b", 20554567680},
                {"llama2-7b", 6738415616},   {"llama2-13b", 13015864320},   {"llama2-70b", 68976648192},
                {"mistral-7b", 7241732096},  {"gemma-7b", 8537680896},      {"llama3-8b", 8030261248},
                {"llama3-70b", 70553706496}, {"llama3-405b", 405853388800}, {"llama3.2-1b", 1235814400},
                {"qwen2.5-7b", 7615616512},  {"qwen2.5-72b", 72706203648},  {"binade", 104192}};
    CU_ASSERT_EQUAL(bnd_architecture_count(), sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_architecture a = model_named(rows[i].name);
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_architecture_parameters(&a), rows[i].parameters);
        CU_ASSERT_TRUE(succeeds(bnd_architecture_check(&a, &why), &why));
        CU_ASSERT_TRUE(strlen(bnd_architecture_title(i)) > 0);
    }
}

/* Dense: fp64, fp32, tf32, bf16, fp8, fp4, in TFLOP/s; 0: there is none. */
static void test_peaks(void)
{
    static const char *const formats[] = {"fp64", "fp32", "tf32", "bf16", "fp8", "fp4"};
    static const struct {
        const char *name;
        double peak[6];
    } rows[] = {{"a100", {19.5, 19.5, 156, 312, 0, 0}},
                {"h100", {67, 67, 495, 989.5, 1979, 0}},
                {"h200", {67, 67, 495, 989, 1979, 0}},
                {"b200", {37, 75, 1100, 2250, 4500, 9000}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_machine m = machine_named(rows[i].name);
        for (size_t f = 0; f < 6; f++) {
            double peak = 0;
            bnd_error why;
            bnd_status status = bnd_machine_peak(&peak, &m, formats[f], false, &why);
            CU_ASSERT_EQUAL(status == BND_OK, rows[i].peak[f] > 0);
            CU_ASSERT_EQUAL(peak, rows[i].peak[f] * 1e12);
        }
    }
}

static void test_no_such_row(void)
{
    bnd_machine m = {.memory = 42};
    CU_ASSERT_FALSE(bnd_machine_at(&m, bnd_machine_count()));
    CU_ASSERT_EQUAL(m.memory, 42);
    CU_ASSERT_PTR_NULL(bnd_architecture_at(bnd_architecture_count()));
    CU_ASSERT_STRING_EQUAL(bnd_architecture_title(bnd_architecture_count()), "");
}

static void test_machines(void)
{
    for (size_t i = 0; i < bnd_machine_count(); i++) {
        bnd_machine m, found;
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(bnd_machine_at(&m, i));
        if (m.peaks == 0) {
            CU_ASSERT_STRING_EQUAL(m.name, "this");
            continue;
        }
        found = machine_named(m.name);
        CU_ASSERT_STRING_EQUAL(found.name, m.name);
        CU_ASSERT_TRUE(m.memory > 1e9 && m.bandwidth > 1e11 && strlen(m.source) > 0);
        for (size_t p = 0; p < m.peaks; p++) {
            const bnd_peak *peak = &m.peak[p];
            char name[64];
            double dense = 0;
            snprintf(name, sizeof name, "%.*s", (int)strcspn(peak->formats, " "), peak->formats);
            CU_ASSERT_TRUE(succeeds(bnd_machine_peak(&dense, &m, name, false, &why), &why));
            CU_ASSERT_EQUAL(dense, peak->dense);
            CU_ASSERT_TRUE(peak->sparse == 0 || is_near(peak->sparse, 2 * peak->dense, 0.002));
            /* fewer bits are no slower */
            CU_ASSERT_TRUE(p == 0 || (peak->bits <= m.peak[p - 1].bits && peak->dense >= m.peak[p - 1].dense));
        }
    }
}

/* By any name, block formats included; and what a machine does not do names what it does. */
static void test_formats_of_machines(void)
{
    bnd_machine h100 = machine_named("h100"), b200 = machine_named("b200"), mi300x = machine_named("MI300X");
    double peak = 0;
    bnd_error why;
    CU_ASSERT_TRUE(bnd_machine_peak(&peak, &h100, "bfloat16", false, &why) == BND_OK && peak == 989.5e12);
    CU_ASSERT_TRUE(bnd_machine_peak(&peak, &h100, "e4m3/tensor", false, &why) == BND_OK && peak == 1979e12);
    CU_ASSERT_TRUE(bnd_machine_peak(&peak, &b200, "mxfp4", true, &why) == BND_OK && peak == 18000e12);
    CU_ASSERT_TRUE(bnd_machine_peak(&peak, &mi300x, "e4m3fnuz", false, &why) == BND_OK && peak == 2614.9e12);
    CU_ASSERT_TRUE(
        refuses(bnd_machine_peak(&peak, &h100, "fp4", false, &why), &why, "nearest format that it computes in is fp8"));
    CU_ASSERT_TRUE(refuses(bnd_machine_peak(&peak, &mi300x, "e4m3", false, &why), &why, "fp8 (e4m3fnuz"));
    CU_ASSERT_TRUE(refuses(bnd_machine_peak(&peak, &h100, "fp32", true, &why), &why, "dense"));
    CU_ASSERT_TRUE(refuses(bnd_machine_peak(&peak, &h100, "bf17", false, &why), &why, "bf16"));
    CU_ASSERT_TRUE(refuses(bnd_machine_find(&h100, "h10", &why), &why, "h100"));
    CU_ASSERT_TRUE(refuses(bnd_machine_find(&h100, "quantum", &why), &why, "known: a100"));
}

static void test_this_machine(void)
{
    bnd_machine m = machine_named("this");
    double fp32 = 0;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_machine_peak(&fp32, &m, "fp32", false, &why), &why));
    CU_ASSERT_TRUE(fp32 > 1e6 && fp32 < 1e15);
    CU_ASSERT_TRUE(m.bandwidth > 1e6 && m.bandwidth < 1e14);
}

/* ---- what people write ---- */

static void test_quantities(void)
{
    static const struct {
        const char *text;
        bnd_quantity kind;
        double value;
    } good[] = {{"70e9", BND_QUANTITY_NUMBER, 70e9},     {"70B", BND_QUANTITY_NUMBER, 70e9},
                {"15T", BND_QUANTITY_NUMBER, 15e12},     {"1.5e12", BND_QUANTITY_NUMBER, 1.5e12},
                {"512k", BND_QUANTITY_WHOLE, 512e3},     {"0.5", BND_QUANTITY_SHARE, 0.5},
                {"50%", BND_QUANTITY_SHARE, 0.5},        {"1", BND_QUANTITY_SHARE, 1},
                {"80GB", BND_QUANTITY_BYTES, 80e9},      {"80GiB", BND_QUANTITY_BYTES, 80.0 * 1024 * 1024 * 1024},
                {"80gib", BND_QUANTITY_BYTES, 0x1.4p36}, {"64kB", BND_QUANTITY_BYTES, 64e3},
                {"100B", BND_QUANTITY_BYTES, 100},       {"7.5B", BND_QUANTITY_NUMBER, 7.5e9}};
    static const struct {
        const char *text;
        bnd_quantity kind;
    } bad[] = {{"0", BND_QUANTITY_NUMBER},     {"-1", BND_QUANTITY_NUMBER},  {"nan", BND_QUANTITY_NUMBER},
               {"inf", BND_QUANTITY_NUMBER},   {"", BND_QUANTITY_NUMBER},    {"B", BND_QUANTITY_NUMBER},
               {"1e999", BND_QUANTITY_NUMBER}, {"70X", BND_QUANTITY_NUMBER}, {"80GB", BND_QUANTITY_NUMBER},
               {"1.5", BND_QUANTITY_WHOLE},    {"1e16", BND_QUANTITY_WHOLE}, {"80T", BND_QUANTITY_BYTES},
               {"1.1", BND_QUANTITY_SHARE},    {"101%", BND_QUANTITY_SHARE}, {"0x10", BND_QUANTITY_NUMBER},
               {"1,5", BND_QUANTITY_NUMBER},   {"1 2", BND_QUANTITY_NUMBER}, {"-0", BND_QUANTITY_BYTES}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double x = NAN;
        bnd_error why;
        CU_ASSERT_TRUE(succeeds(bnd_quantity_parse(&x, good[i].text, good[i].kind, &why), &why));
        CU_ASSERT_EQUAL(x, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double x = 17;
        bnd_error why;
        bool refused = bnd_quantity_parse(&x, bad[i].text, bad[i].kind, &why) != BND_OK && x == 17;
        if (!refused) {
            printf("\n    '%s' is taken for %g\n", bad[i].text, x);
        }
        CU_ASSERT_TRUE(refused);
    }
}

static void test_numbers_written(void)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {{70e9, "70e9"},
                 {15e12, "15e12"},
                 {989.5e12, "989.5e12"},
                 {6.3e24, "6.3e24"},
                 {1024, "1024"},
                 {143.93, "143.93"},
                 {0.5, "0.5"},
                 {4.7875968e21, "4.7876e21"},
                 {1.2435e7, "1.2435e7"},
                 {-70e9, "-70e9"},
                 {999999, "999999"},
                 {0.000001, "1e-6"},
                 {0, "0"},
                 {174604259328.0, "1.746e11"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32], small[4];
        CU_ASSERT_EQUAL(bnd_cost_number(text, sizeof text, cases[i].x), strlen(cases[i].text));
        CU_ASSERT_STRING_EQUAL(text, cases[i].text);
        bnd_cost_number(small, sizeof small, cases[i].x);
        CU_ASSERT_TRUE(strncmp(small, text, strlen(small)) == 0 && strlen(small) < sizeof small);
    }
}

/* ---- the roofline ---- */

static bnd_cost roofline(double m, double n, double k, const char *machine, const char *format)
{
    bnd_cost cost;
    bnd_error why;
    bnd_machine at = machine_named(machine);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_roofline(&cost, m, n, k, &at, format, NULL, false, &why), &why));
    return cost;
}

static void test_roofline(void)
{
    bnd_cost square = roofline(4096, 4096, 4096, "h100", "bf16"), vector = roofline(1, 4096, 4096, "h100", "bf16");
    CU_ASSERT_EQUAL(bnd_cost_value(&square, "intensity"), 4096 / 3.0); /* 2 n^3 / (3 n^2 2) */
    CU_ASSERT_TRUE(is_near(bnd_cost_value(&square, "ridge"), 989.5e12 / 3.35e12, 1e-15));
    CU_ASSERT_EQUAL(bnd_cost_value(&square, "seconds"), bnd_cost_value(&square, "computing"));
    CU_ASSERT_PTR_NOT_NULL(strstr(square.note[0], "bound by compute"));
    CU_ASSERT_PTR_NOT_NULL(strstr(vector.note[0], "bound by bandwidth"));
    CU_ASSERT_EQUAL(bnd_cost_value(&vector, "seconds"), bnd_cost_value(&vector, "moving"));
    CU_ASSERT_TRUE(bnd_cost_value(&vector, "reachable") < 0.01 * 989.5e12);
    /* Products in fp8 come out in 16 bits; scales of blocks are moved, too. */
    bnd_cost fp8 = roofline(256, 512, 1024, "b200", "fp8"), mxfp8 = roofline(256, 512, 1024, "b200", "mxfp8");
    double operands = (256 + 512) * 1024.0, result = 256 * 512.0;
    CU_ASSERT_EQUAL(bnd_cost_value(&fp8, "bytes"), operands + 2 * result);
    CU_ASSERT_EQUAL(bnd_cost_value(&mxfp8, "bytes"), operands * 33 / 32 + 2 * result);
}

/* ---- refusals ---- */

static void test_refusals(void)
{
    bnd_error why;
    bnd_cost cost = {.steps = 99};
    bnd_machine h100 = machine_named("h100");
    bnd_architecture a;
    bnd_plan plan = plan_of("fp32", "adamw");
    bnd_recompute recompute;
    bnd_cost_of_time q = {
        .parameters = 70e9, .tokens = 15e12, .machines = 8, .mfu = 0.5, .machine = &h100, .format = "bf16"};
    q.tokens = -1;
    CU_ASSERT_TRUE(refuses(bnd_cost_time(&cost, &q, &why), &why, "tokens"));
    q.tokens = NAN;
    CU_ASSERT_TRUE(refuses(bnd_cost_time(&cost, &q, &why), &why, "tokens"));
    q.tokens = 15e12;
    q.machines = 0;
    CU_ASSERT_TRUE(refuses(bnd_cost_time(&cost, &q, &why), &why, "machines"));
    q.machines = 8;
    q.recompute = BND_RECOMPUTE_SELECTIVE;
    CU_ASSERT_TRUE(refuses(bnd_cost_time(&cost, &q, &why), &why, "depends on the shape"));
    CU_ASSERT_EQUAL(cost.steps, 99); /* untouched */
    CU_ASSERT_TRUE(refuses(bnd_architecture_find(&a, "lama3-70b", &why), &why, "llama3-70b"));
    CU_ASSERT_TRUE(
        refuses(bnd_architecture_usual(&a, 12, 768, 11, 50257, 1024, &why), &why, "not divisible by 11 heads; try 8"));
    CU_ASSERT_TRUE(refuses(bnd_architecture_usual(&a, 0, 768, 12, 50257, 1024, &why), &why, "layers"));
    bnd_architecture gpt2 = model_named("gpt2");
    bnd_cost_of_flops f = {.model = &gpt2, .sequence = 2048};
    CU_ASSERT_TRUE(refuses(bnd_cost_flops(&cost, &f, &why), &why, "1024 learned positions"));
    CU_ASSERT_TRUE(refuses(bnd_recompute_parse(&recompute, "ful", &why), &why, "full"));
    CU_ASSERT_TRUE(refuses(bnd_cost_fit(&cost, &plan, 8, 0, &why), &why, "memory"));
    plan.tensor = 16;
    CU_ASSERT_TRUE(refuses(bnd_cost_fit(&cost, &plan, 8, 80e9, &why), &why, "at most the number of GPUs"));
    plan.zero = 4;
    bnd_cost_of_memory m = {.plan = plan, .parameters = 1e9};
    CU_ASSERT_TRUE(refuses(bnd_cost_memory(&cost, &m, &why), &why, "0 to 3"));
    CU_ASSERT_TRUE(refuses(bnd_cost_tensor(&cost, (double[]){1e10, 1e10}, 2, "fp32", &why), &why, "2^53"));
    static const char *const sets[] = {"p11emin-14emax15", "p11emin-14emax15/row", "p7emin0emax0"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        CU_ASSERT_TRUE(refuses(bnd_cost_tensor(&cost, (double[]){4, 4}, 2, sets[i], &why), &why, "value set"));
    }
    CU_ASSERT_TRUE(refuses(bnd_cost_roofline(&cost, 1, 1, 1, &h100, "fp4", NULL, false, &why), &why, "fp8"));
}

CU_TestInfo row_tests[] = {
    {"parameters of models", test_parameters},
    {"peaks", test_peaks},
    {"machines", test_machines},
    {"no such row", test_no_such_row},
    {"formats of machines", test_formats_of_machines},
    {"this machine", test_this_machine},
    {"quantities", test_quantities},
    {"numbers as written", test_numbers_written},
    {"the roofline", test_roofline},
    {"what is refused", test_refusals},
    CU_TEST_INFO_NULL,
};
