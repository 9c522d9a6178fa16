/* Sweeps: the points of a grid, learning rates in decimals, and what is said of runs with known results. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- the grid ---- */

enum { RECIPES = 2, RATES = 3, SEEDS = 4, POINTS = RECIPES * RATES * SEEDS, NAME = 2 * BND_RECORD_NAME_SIZE };

/* Every recipe under every rate with every pair of seeds, once, in directories of their own. */
static void test_points(void)
{
    static const double lr[RATES] = {1e-3, 0.0316, 1};
    static char names[POINTS][NAME];
    bnd_task tasks[RECIPES], task;
    for (size_t i = 0; i < RECIPES; i++) {
        bnd_training t = small_training("linear", i == 0 ? "fp32" : "bf16-pure", 10, 5);
        t.seed_data = 20;
        t.seed_rounding = 30;
        bnd_task_default(&tasks[i], &t);
    }
    tasks[1].recipe = "a name of one's own";
    const bnd_grid grid = {.tasks = tasks, .recipes = RECIPES, .lr = lr, .lrs = RATES, .seeds = SEEDS};
    CU_ASSERT_EQUAL(bnd_grid_count(&grid), POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        size_t seed = i % SEEDS, rate = i / SEEDS % RATES, recipe = i / SEEDS / RATES;
        size_t length = bnd_grid_task(&task, names[i], NAME, &grid, i);
        CU_ASSERT_EQUAL(length, strlen(names[i]));
        CU_ASSERT_EQUAL(task.training.lr, lr[rate]);
        CU_ASSERT_EQUAL(task.training.seed_init, 10 + seed);
        CU_ASSERT_EQUAL(task.training.seed_data, 20 + seed);
        CU_ASSERT_EQUAL(task.training.seed_rounding, 30 + seed);
        CU_ASSERT_STRING_EQUAL(task.training.policy.name, recipe == 0 ? "fp32" : "bf16-pure");
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_STRING_NOT_EQUAL(names[i], names[k]);
        }
    }
    CU_ASSERT_STRING_EQUAL(names[SEEDS + 2], "fp32-lr0.0316-12");
}

static void test_too_many_points(void)
{
    const bnd_grid grid = {.recipes = SIZE_MAX / 4, .lrs = 3, .seeds = 3};
    CU_ASSERT_EQUAL(bnd_grid_count(&grid), 0);
}

/* printf is the judge of three digits, as far as it is asked about what is no tie. */
static void test_rates(void)
{
    bnd_error why;
    size_t wrong = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        enum { MOST = 9 };
        double lr[MOST], low = exp2(-30 * (double)bnd_random_bits(1, 0, i, 32) / 0x1p32 - 1), high = low * 200;
        size_t n = 2 + i % (MOST - 1);
        CU_ASSERT_EQUAL_FATAL(bnd_grid_rates(lr, n, low, high, &why), BND_OK);
        wrong += lr[0] != low || lr[n - 1] != high;
        for (size_t k = 1; k + 1 < n; k++) {
            char text[32];
            snprintf(text, sizeof text, "%.2e", low * pow(200, (double)k / (double)(n - 1)));
            bool right = lr[k] == strtod(text, NULL);
            wrong += !right;
            if (!right && wrong < 5) {
                printf("\n    %a to %a, %zu of %zu: %.17g, not %s", low, high, k, n, lr[k], text);
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    double one = 0;
    CU_ASSERT_EQUAL(bnd_grid_rates(&one, 1, 0.1, 0.1, &why), BND_OK);
    CU_ASSERT_EQUAL(one, 0.1);
}

/* As many digits as it takes to ascend, and to stay between the ends. */
static void test_near_rates(void)
{
    static const struct {
        size_t count;
        double low, high, second;
    } cases[] = {{3, 0.0012345, 0.0012349, 0.0012347},
                 {4, 1e-3, 1.001e-3, 0.0010003},
                 {3, 12345, 12346, 12345.5},
                 {3, 1, 1 + 0x1p-51, 1 + 0x1p-52}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double lr[4];
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_grid_rates(lr, cases[i].count, cases[i].low, cases[i].high, &why), &why));
        CU_ASSERT_TRUE(lr[0] == cases[i].low && lr[cases[i].count - 1] == cases[i].high);
        CU_ASSERT_EQUAL(lr[1], cases[i].second);
        for (size_t k = 1; k < cases[i].count; k++) {
            CU_ASSERT_TRUE(lr[k - 1] < lr[k]);
        }
    }
}

static void test_rates_refused(void)
{
    double lr[4] = {7, 7, 7, 7};
    const struct {
        size_t count;
        double low, high;
    } cases[] = {{0, 1, 2},   {1, 1, 2},   {3, 2, 1},        {3, 0, 1}, {3, -1, 1},
                 {3, NAN, 1}, {3, 1, NAN}, {3, 1, INFINITY}, {2, 1, 1}, {4, 1, 1 + 0x1p-51}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_error why = {.status = BND_OK};
        CU_ASSERT_EQUAL(bnd_grid_rates(lr, cases[i].count, cases[i].low, cases[i].high, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_EQUAL(lr[0], 7);
        CU_ASSERT_TRUE(strlen(why.message) > 20);
    }
}

/* ---- what came out ---- */

static bnd_record ended(double lr, double validation)
{
    bnd_record r;
    bndi_record_none(&r);
    r.lr = lr;
    r.chance_loss = 4;
    r.validated = true;
    r.validation = validation;
    return r;
}

/* In no order; 5, infinity and NaN count as 4, which is what nobody learns. */
static void test_summary(void)
{
    const bnd_record records[] = {ended(0.1, 2),  ended(0.01, 3), ended(1, NAN), ended(0.1, 1),
                                  ended(0.01, 3), ended(1, 5),    ended(0.1, 3), ended(1, INFINITY)};
    enum { COUNT = sizeof records / sizeof records[0] };
    bnd_rate rates[COUNT];
    size_t n = 0;
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_rates_make(rates, &n, records, COUNT, &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    CU_ASSERT_TRUE(rates[0].lr == 0.01 && rates[0].runs == 2 && rates[0].failed == 0 && rates[0].result == 3);
    CU_ASSERT_TRUE(rates[1].lr == 0.1 && rates[1].runs == 3 && rates[1].failed == 0 && rates[1].result == 2);
    CU_ASSERT_TRUE(rates[2].lr == 1 && rates[2].runs == 3 && rates[2].failed == 3 && rates[2].result == 4);
    CU_ASSERT_EQUAL(rates[0].interval, 0);
    CU_ASSERT_DOUBLE_EQUAL(rates[1].interval, 4.3026527297 / sqrt(3), 1e-9); /* of 1, 2, 3: deviation 1 */
    CU_ASSERT_EQUAL(bnd_rates_best(rates, n), 1);
    CU_ASSERT_DOUBLE_EQUAL(bnd_rates_sensitivity(rates, n), 1, 1e-15); /* (3 + 2 + 4) / 3 - 2 */
    CU_ASSERT_EQUAL(bnd_rates_make(rates, &n, records, 0, &why), BND_OK);
    CU_ASSERT_EQUAL(n, 0);
}

/* ---- recipes ---- */

static bnd_record seeded(double lr, uint64_t seed, double validation)
{
    bnd_record r = ended(lr, validation);
    strcpy(r.model, "mlp");
    r.seed_init = r.seed_data = seed;
    return r;
}

/* The best rate of each recipe: the runs there are compared with those of fp32 at its own. */
static void test_recipes(void)
{
    const bnd_record fp32[] = {seeded(0.1, 1, 2), seeded(0.1, 2, 2.25), seeded(0.01, 1, 3), seeded(0.01, 2, 3)},
                     bf16[] = {seeded(0.1, 1, NAN), seeded(0.1, 2, 5), seeded(0.01, 1, 3), seeded(0.01, 2, 3.25)},
                     without[] = {seeded(NAN, 1, 2)};
    bnd_sweep_row rows[] = {{.recipe = "bf16", .records = bf16, .count = 4, .rate_count = 77, .compared = true},
                            {.recipe = "fp32", .records = fp32, .count = 4},
                            {.recipe = "no rate", .records = without, .count = 1},
                            {.recipe = "none", .records = NULL, .count = 0}};
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_sweep_sum_up(rows, 4, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(rows[0].rate_count == 2 && rows[0].best == 0 && rows[0].failed == 2 && rows[0].compared);
    CU_ASSERT_TRUE(rows[0].rates[0].lr == 0.01 && rows[0].rates[0].result == 3.125);
    CU_ASSERT_TRUE(rows[0].rates[1].lr == 0.1 && rows[0].rates[1].result == 4); /* chance level */
    CU_ASSERT_TRUE(rows[0].is.pairs == 2 && rows[0].is.gap == 1 && rows[0].is.interval == 0);
    CU_ASSERT_EQUAL(rows[0].is.verdict, BND_VERDICT_WORSE);
    CU_ASSERT_TRUE(rows[1].rate_count == 2 && rows[1].best == 1 && rows[1].failed == 0 && !rows[1].compared);
    for (size_t i = 2; i < 4; i++) {
        CU_ASSERT_TRUE(rows[i].rate_count == 0 && rows[i].best == 0 && rows[i].failed == 0 && !rows[i].compared);
    }
    bnd_sweep_close(rows, 4);
    bnd_sweep_close(rows, 4); /* does nothing more */
    CU_ASSERT_TRUE(rows[0].rates == NULL && rows[0].rate_count == 0);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_sweep_sum_up(rows, 4, -1, &why), &why));
    CU_ASSERT_FALSE(rows[0].compared); /* with a wrong margin */
    bnd_sweep_close(rows, 4);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_sweep_sum_up(rows, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_FALSE(rows[0].compared); /* there is no fp32 */
    bnd_sweep_close(rows, 1);
    CU_ASSERT_EQUAL(bnd_sweep_sum_up(rows, 0, BND_COMPARISON_MARGIN, &why), BND_OK);
}

CU_TestInfo sweep_tests[] = {{"points of a grid", test_points},
                             {"too many of them", test_too_many_points},
                             {"learning rates", test_rates},
                             {"learning rates near to each other", test_near_rates},
                             {"learning rates that there are not", test_rates_refused},
                             {"what came out", test_summary},
                             {"recipes at their best rates", test_recipes},
                             CU_TEST_INFO_NULL};
