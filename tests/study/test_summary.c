/* Tables of runs: rows, their order and references, and numbers that are computed by hand. */
#include "rows.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finished run of three steps; its result is the validation. Chance level: 4. */
static bnd_record run_of(const char *recipe, double lr, uint64_t seed, double validation)
{
    bnd_record r;
    bndi_record_none(&r);
    strcpy(r.recipe, recipe);
    strcpy(r.model, "mlp");
    strcpy(r.optimizer, "sgd");
    r.lr = lr;
    end_record(&r, seed, 3, validation);
    return r;
}

static bool is(const bnd_summary_row *rows, size_t row, bnd_summary_number number, double value)
{
    const double x = bnd_summary_value(rows, row, number);
    const bool same = isnan(value) ? isnan(x) : fabs(x - value) <= 1e-12 * fabs(value);
    if (!same) {
        printf("\n    row %zu, %s: %.17g, expected %.17g", row, bnd_summary_number_name(number), x, value);
    }
    return same;
}

/* ---- rows ---- */

static void test_rows(void)
{
    enum { COUNT = 7 };
    bnd_record records[COUNT] = {run_of("bf16", 0.1, 1, 2.5), run_of("fp32", 0.1, 1, 2), run_of("bf16", 0.1, 2, 2.7),
                                 run_of("bf16", 0.2, 1, 2.1), run_of("fp32", 0.1, 2, 2), run_of("", 0.2, 1, 2),
                                 run_of("fp32", 0.2, 1, 2)};
    static const struct {
        const char *name;
        size_t count, reference;
    } expected[] = {
        {"fp32 0.1", 2, 0}, {"bf16 0.1", 2, 0}, {"fp32 0.2", 1, 2}, {"bf16 0.2", 1, 2}, {"(no name)", 1, 2}};
    size_t n = 0;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 5);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT_STRING_EQUAL(rows[i].name, expected[i].name);
        CU_ASSERT_EQUAL(rows[i].count, expected[i].count);
        CU_ASSERT_EQUAL(rows[i].reference, expected[i].reference);
        CU_ASSERT_TRUE(rows[i].compared);
        for (size_t k = 0; k < rows[i].count; k++) {
            CU_ASSERT_STRING_EQUAL(rows[i].records[k].recipe, i == 4 ? "" : i % 2 == 0 ? "fp32" : "bf16");
        }
    }
    end(rows, records, COUNT);
}

/* The first row where none is fp32; other models and optimizers are told apart by their names. */
static void test_names(void)
{
    enum { COUNT = 3 };
    bnd_record records[COUNT] = {run_of("bf16", 0.1, 1, 2.5), run_of("bf16", 0.1, 1, 2), run_of("bf16", 0.1, 1, 2)};
    size_t n = 0;
    strcpy(records[1].model, "linear");
    strcpy(records[2].optimizer, "adamw");
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, COUNT);
    CU_ASSERT_STRING_EQUAL(rows[0].name, "bf16 mlp sgd");
    CU_ASSERT_STRING_EQUAL(rows[1].name, "bf16 linear sgd");
    CU_ASSERT_STRING_EQUAL(rows[2].name, "bf16 mlp adamw");
    CU_ASSERT_TRUE(rows[0].reference == 0 && rows[1].reference == 0 && rows[2].reference == 0);
    CU_ASSERT_FALSE(rows[1].compared); /* another model is no pair */
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 0), "reference");
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 1), "no pair");
    CU_ASSERT_TRUE(is(rows, 1, BND_SUMMARY_PAIRS, 0));
    CU_ASSERT_TRUE(is(rows, 1, BND_SUMMARY_FAILED, NAN));
    CU_ASSERT_TRUE(is(rows, 1, BND_SUMMARY_FINAL_LOSS, 2));
    end(rows, records, COUNT);
    rows = rows_of(&n, records, 0);
    CU_ASSERT_EQUAL(n, 0);
    CU_ASSERT_PTR_NOT_NULL(rows);
    bnd_summary_free(rows);
    bnd_summary_free(NULL);
}

/* Models of one name and different sizes are different models: a row each, no pair, and no memory saved. */
static void test_sizes(void)
{
    enum { COUNT = 5 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, 2), run_of("fp32", 0.1, 1, 3), run_of("bf16", 0.1, 1, 2),
                                 run_of("bf16", 0.1, 1, 3), run_of("fp16", 0.1, 1, 3)};
    static const uint64_t parameters[COUNT] = {10, 1000, 10, 1000, 99};
    static const char *const names[COUNT] = {"fp32 mlp 10", "fp32 mlp 1000", "bf16 mlp 10", "bf16 mlp 1000", "fp16"};
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++) {
        records[i].parameters = parameters[i];
        records[i].peak_by_role[BND_ROLE_PARAM] = parameters[i] * (i < 2 ? 4 : 2);
        records[i].saved = 8;
    }
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, COUNT);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT_STRING_EQUAL(rows[i].name, names[i]);
        CU_ASSERT_EQUAL(rows[i].compared, i < 4);
    }
    CU_ASSERT_TRUE(rows[2].reference == 0 && rows[3].reference == 1);
    CU_ASSERT_TRUE(is(rows, 2, BND_SUMMARY_MEMORY_SAVED_TIMES, 48. / 28));
    CU_ASSERT_TRUE(is(rows, 3, BND_SUMMARY_MEMORY_SAVED_TIMES, 4008. / 2008));
    CU_ASSERT_TRUE(is(rows, 4, BND_SUMMARY_MEMORY_SAVED_TIMES, NAN));
    CU_ASSERT_TRUE(is(rows, 4, BND_SUMMARY_MEMORY_SAVED_BYTES, NAN));
    end(rows, records, COUNT);
}

/* ---- numbers ---- */

static void set_memory(bnd_record *r, uint64_t param, uint64_t grad, uint64_t saved)
{
    r->parameters = 10;
    r->peak_by_role[BND_ROLE_PARAM] = param;
    r->peak_by_role[BND_ROLE_GRAD] = grad;
    r->peak_by_role[BND_ROLE_MASTER] = 40;
    r->peak_by_role[BND_ROLE_M] = 30;
    r->peak_by_role[BND_ROLE_V] = 50;
    r->peak_by_role[BND_ROLE_EXTRA] = 0;
    r->saved = saved;
    r->recipe_peak = 300;
    r->bytes_peak = 500;
}

static void set_counts(bnd_record *r, uint64_t times)
{
    r->updates = 100 * times;
    r->lost = 25 * times;
    r->gradients = 50 * times;
    r->underflowed = 5 * times;
    r->overflows = 3 * times;
    r->skipped = 2 * times;
    r->flops = 1200;
    r->seconds = 0.25 * (double)times;
}

static void test_numbers(void)
{
    enum { COUNT = 4 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, 2), run_of("fp32", 0.1, 2, 2), run_of("bf16", 0.1, 1, 2.5),
                                 run_of("bf16", 0.1, 2, 2.75)};
    const struct {
        bnd_summary_number number;
        double fp32, bf16;
    } cases[] = {{BND_SUMMARY_PAIRS, 2, 2},
                 {BND_SUMMARY_FAILED, 0, 0},
                 {BND_SUMMARY_FINAL_LOSS, 2, 2.625},
                 {BND_SUMMARY_GAP, NAN, 0.625},
                 {BND_SUMMARY_TOLERANCE, NAN, 0.02}, /* 5 % of a fifth of the loss 2 */
                 {BND_SUMMARY_OUTSIDE_FROM, NAN, NAN},
                 {BND_SUMMARY_ENDED_AT, NAN, 3},
                 {BND_SUMMARY_UPDATES, 0, 400}, /* 100 + 300, and so on */
                 {BND_SUMMARY_LOST_UPDATES_PERCENT, NAN, 25},
                 {BND_SUMMARY_GRADIENTS, 0, 200},
                 {BND_SUMMARY_UNDERFLOWED_PERCENT, NAN, 10},
                 {BND_SUMMARY_OVERFLOWS, NAN, 12},
                 {BND_SUMMARY_SKIPPED, 0, 8},
                 {BND_SUMMARY_BYTES_PER_PARAMETER, 20, 16}, /* (40 + 40 + 120) / 10, (20 + 20 + 120) / 10 */
                 {BND_SUMMARY_ACTIVATION_BYTES, 200, 90},
                 {BND_SUMMARY_MEMORY_BYTES, 400, 250},
                 {BND_SUMMARY_PEAK_BYTES, 300, 300},
                 {BND_SUMMARY_EMULATION_PEAK_BYTES, 500, 500},
                 {BND_SUMMARY_MEMORY_SAVED_TIMES, NAN, 1.6},
                 {BND_SUMMARY_MEMORY_SAVED_BYTES, NAN, 150},
                 {BND_SUMMARY_PARAM_BYTES, 40, 20},
                 {BND_SUMMARY_GRAD_BYTES, 40, 20},
                 {BND_SUMMARY_MASTER_BYTES, 40, 40},
                 {BND_SUMMARY_M_BYTES, 30, 30},
                 {BND_SUMMARY_V_BYTES, 50, 50},
                 {BND_SUMMARY_EXTRA_BYTES, 0, 0},
                 {BND_SUMMARY_STEP_SECONDS, NAN, 0.5}, /* (0.25 + 0.75) / 2 */
                 {BND_SUMMARY_FLOPS_PER_SECOND, NAN, 2400},
                 {BND_SUMMARY_RECIPE_LOSS, NAN, 2.5}, /* of the run that has both validations */
                 {BND_SUMMARY_NAN_FROM, NAN, NAN},
                 {BND_SUMMARY_NAN_RUNS, 0, 0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++) {
        set_memory(&records[i], i < 2 ? 40 : 20, i < 2 ? 40 : 20, i < 2 ? 200 : 90);
    }
    set_counts(&records[2], 1);
    set_counts(&records[3], 3);
    records[2].ended = true;
    records[2].validated_fp32 = true;
    records[2].validation_fp32 = 2.5;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT_TRUE(is(rows, 0, cases[i].number, cases[i].fp32));
        CU_ASSERT_TRUE(is(rows, 1, cases[i].number, cases[i].bf16));
    }
    /* half the interval of 0.5 and 0.75: their deviation is 0.25 / sqrt 2, over sqrt 2; Student's 12.706 */
    CU_ASSERT_DOUBLE_EQUAL(bnd_summary_value(rows, 1, BND_SUMMARY_INTERVAL), 12.7062047362 * 0.125, 1e-9);
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 0), "reference");
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 1), "inconclusive");
    CU_ASSERT_STRING_EQUAL(bnd_summary_others(rows, 0), "");
    CU_ASSERT_STRING_EQUAL(bnd_summary_others(rows, 1), "inconclusive");
    end(rows, records, COUNT);
}

static void test_number_names(void)
{
    for (unsigned i = 0; i < BND_SUMMARY_NUMBERS; i++) {
        const char *name = bnd_summary_number_name((bnd_summary_number)i);
        CU_ASSERT_TRUE(name[0] != '\0');
        for (unsigned k = 0; k < i; k++) {
            CU_ASSERT_STRING_NOT_EQUAL(name, bnd_summary_number_name((bnd_summary_number)k));
        }
    }
    CU_ASSERT_STRING_EQUAL(bnd_summary_number_name(BND_SUMMARY_FINAL_LOSS), "final_loss");
    CU_ASSERT_STRING_EQUAL(bnd_summary_number_name(BND_SUMMARY_NAN_RUNS), "nan_runs");
    CU_ASSERT_STRING_EQUAL(bnd_summary_number_name(BND_SUMMARY_NUMBERS), "");
}

/* ---- verdicts ---- */

static void verdicts(const char *fp32, const char *bf16, double reference, double result, bool complete)
{
    enum { COUNT = 2 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, reference), run_of("bf16", 0.1, 1, result)};
    size_t n = 0;
    records[1].complete = complete;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 0), fp32);
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 1), bf16);
    CU_ASSERT_TRUE(is(rows, 1, BND_SUMMARY_NAN_RUNS, isnan(result) ? 1 : 0));
    CU_ASSERT_TRUE(is(rows, 1, BND_SUMMARY_FINAL_LOSS, result)); /* also where the reference has none */
    end(rows, records, COUNT);
}

static void test_verdicts(void)
{
    verdicts("reference", "1 seed", 2, 2.5, true);
    verdicts("reference", "no difference", 2, 2, true); /* the same loss needs no second seed */
    verdicts("reference", "unfinished", 2, 2.5, false);
    verdicts("reference", "failed", 2, NAN, true);
    verdicts("failed", "reference failed", NAN, 2, true);
}

/* With a wrong margin there is a table, and nothing is compared. */
static void test_margin(void)
{
    enum { COUNT = 2 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, 2), run_of("bf16", 0.1, 1, 2)};
    bnd_summary_row *rows = NULL;
    size_t n = 0;
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_summary_make(&rows, &n, records, COUNT, -1, &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_FALSE(rows[0].compared || rows[1].compared);
    CU_ASSERT_STRING_EQUAL(bnd_summary_verdict(rows, 1), "no pair");
    end(rows, records, COUNT);
}

/* ---- words ---- */

/* All lines, separated by "|". */
static void say(char *out, size_t size, const bnd_summary_row *rows, size_t count)
{
    size_t used = 0, length;
    out[0] = '\0';
    for (size_t line = 0; (length = bnd_summary_print_line(NULL, 0, rows, count, line)) > 0; line++) {
        CU_ASSERT_TRUE_FATAL(used + length + 2 < size);
        CU_ASSERT_EQUAL(bnd_summary_print_line(out + used, size - used, rows, count, line), length);
        CU_ASSERT_EQUAL(strlen(out + used), length);
        used += length;
        strcpy(out + used++, "|");
    }
}

static void test_conclusion(void)
{
    enum { COUNT = 7 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, 2),   run_of("fp32", 0.1, 2, 2.1), run_of("a", 0.1, 1, 2),
                                 run_of("a", 0.1, 2, 2.1),    run_of("b", 0.1, 1, 9),      run_of("small", 0.1, 1, 2),
                                 run_of("small", 0.1, 2, 2.1)};
    char said[512];
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++) {
        records[i].parameters = 10;
        records[i].bytes[BND_ROLE_PARAM] = records[i].peak_by_role[BND_ROLE_PARAM] = i < 2 ? 400 : i < 5 ? 100 : 200;
        records[i].saved = 8;
    }
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 4);
    say(said, sizeof said, rows, n);
    CU_ASSERT_STRING_EQUAL(said, "Use a: no difference from fp32, with 26 % of its memory. Also no difference: "
                                 "small.|Failed: b (chance level).|");
    CU_ASSERT_EQUAL(bnd_summary_recommended(rows, n), 1);
    CU_ASSERT_EQUAL(bnd_summary_print_note(said, sizeof said, rows, n, false, 0), strlen(said));
    CU_ASSERT_STRING_EQUAL(said, "b failed: its final loss is at chance level.");
    CU_ASSERT_EQUAL(bnd_summary_print_note(said, sizeof said, rows, n, false, 1), 0);
    CU_ASSERT_EQUAL(bnd_summary_recommended(rows, 0), 0);
    CU_ASSERT_EQUAL(bnd_summary_print_line(said, sizeof said, rows, 0, 0), 0);
    end(rows, records, COUNT);
}

/* Whatever the steps so far would say, and whether or not there is a pair. */
static void test_unfinished(void)
{
    enum { COUNT = 5 };
    bnd_record records[COUNT] = {run_of("fp32", 0.1, 1, 2), run_of("a", 0.1, 1, 2), run_of("b", 0.1, 1, 2),
                                 run_of("c", 0.1, 1, NAN), run_of("d", 0.1, 7, 2)};
    char said[512];
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++) {
        records[i].peak_by_role[BND_ROLE_PARAM] = i == 0 ? 400 : 100 * i;
        records[i].saved = 8;
        records[i].complete = i == 0 || i == 2;
    }
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, COUNT);
    say(said, sizeof said, rows, n);
    CU_ASSERT_STRING_EQUAL(said, "Use b: no difference from fp32, with 51 % of its memory.|Unfinished: a, c and d.|");
    CU_ASSERT_EQUAL(bnd_summary_recommended(rows, n), 2);
    end(rows, records, COUNT);
}

CU_TestInfo summary_tests[] = {{"rows and their references", test_rows},
                               {"names of rows", test_names},
                               {"models of different sizes", test_sizes},
                               {"numbers", test_numbers},
                               {"names of numbers", test_number_names},
                               {"verdicts", test_verdicts},
                               {"a wrong margin", test_margin},
                               {"the conclusion and notes in words", test_conclusion},
                               {"unfinished runs in the conclusion", test_unfinished},
                               CU_TEST_INFO_NULL};
