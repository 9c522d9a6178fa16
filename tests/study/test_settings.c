/* Runs share a row, and form a pair, if their settings are the same; and a run that is given twice counts once. */
#include "rows.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finished run of three steps, as its configuration describes it; NULL: a log. */
static bnd_record run_of(const char *recipe, uint64_t seed, double validation, const char *training)
{
    bnd_record r;
    bndi_record_none(&r);
    strcpy(r.recipe, recipe);
    if (training != NULL) {
        size_t size = strlen(training) + 64;
        strcpy(r.model, "mlp");
        strcpy(r.optimizer, strstr(training, "muon") != NULL ? "muon" : "sgd");
        r.config = malloc(size);
        CU_ASSERT_PTR_NOT_NULL_FATAL(r.config);
        snprintf(r.config, size, "{\"recipe\": \"x\", \"training\": {%s}, \"model\": {\"floor\": 1}}\n", training);
    }
    end_record(&r, seed, validation, validation);
    return r;
}

static bool has_note(const bnd_summary_row *rows, size_t count, const char *words)
{
    char text[1000];
    for (size_t i = 0; bnd_summary_print_note(text, sizeof text, rows, count, false, i) > 0; i++) {
        if (strstr(text, words) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- which differences count ---- */

/* Two configurations, each with what both have, and the keys in which they differ, of all kinds and in a pair. */
static const struct {
    const char *one, *other, *all, *setup;
} cases[] = {
    {"\"lr\": 0.001", "\"lr\": 1e-3", "", ""},
    {"\"lr\": 0.001", "\"lr\": null", "", ""},
    {"\"lr\": 0.001", "\"width\": 4", "", ""},
    {"\"lr\": 0.001", "\"lr\": 0.002", "lr", ""},
    {"\"seed_init\": 1, \"seed_data\": 1, \"seed_rounding\": 1", "\"seed_init\": 2, \"seed_data\": 2", "", ""},
    {"\"recipe\": \"a=b,c\"", "\"recipe\": \"a=b\"", "recipe", ""},
    {"\"epsilon\": 0.1", "\"epsilon\": 1e-8", "epsilon", "epsilon"},
    {"\"optimizer\": \"adamw\", \"epsilon\": 0.1", "\"optimizer\": \"muon\", \"epsilon\": 1e-8", "optimizer epsilon",
     ""},
    {"\"weight_decay\": 5, \"batch\": 16", "\"batch\": 4, \"weight_decay\": 0", "weight_decay batch",
     "weight_decay batch"},
    {"\"batch\": 4", "\"batch\": 4, \"clip\": 1, \"blocks\": \"z_loss=1\"", "clip blocks", "clip blocks"},
    {"\"micro_batches\": 4", "\"ranks\": 2", "micro_batches ranks", "micro_batches ranks"},
    {"\"ranks\": 1", "\"source\": \"chain\"", "", ""},
    {"\"schedule\": \"wsd\"", "\"schedule\": \"constant\"", "schedule", "schedule"},
    {"\"schedule\": \"constant\", \"steps\": 3", "\"schedule\": \"constant\", \"steps\": 6", "steps", ""},
    {"\"schedule\": \"cosine\", \"steps\": 3", "\"schedule\": \"cosine\", \"steps\": 6", "steps", "steps"},
    {"\"data\": \"a\"", "\"data\": \"b\"", "data", "data"},
    {"\"data\": \"a\"", "\"data\": \"\"", "data", "data"},
    {"\"init\": \"a\"", "\"steps\": 3", "init", "init"},
    {"\"recompute\": true", "\"recompute\": false", "recompute", "recompute"},
    {"\"schedule\": \"constant\"", "\"schedule\": \"constant\", \"new\": 3", "new", "new"}, /* of a later version */
    {"\"tied\": true, \"heads\": 4", "\"tied\": true,\n  \"heads\": 4 ", "", ""},
};

static bool are_apart(const bnd_record *a, const bnd_record *b, unsigned kinds, const char *expected)
{
    bndi_setting apart[4];
    char keys[200] = "";
    const size_t n = bndi_settings_apart(apart, 4, a, b, kinds);
    for (size_t i = 0; i < n && i < 4; i++) {
        strcat(strcat(keys, i > 0 ? " " : ""), apart[i].key);
    }
    if (strcmp(keys, expected) != 0) {
        printf("\n    differ in '%s', expected '%s'", keys, expected);
    }
    return strcmp(keys, expected) == 0 && bndi_settings_apart(NULL, 0, b, a, kinds) == n;
}

static void test_differences(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_record a = run_of("fp32", 1, 2, cases[i].one), b = run_of("fp32", 1, 2, cases[i].other);
        CU_ASSERT_TRUE(are_apart(&a, &b, BNDI_SETTING_ANY, cases[i].all));
        CU_ASSERT_TRUE(are_apart(&a, &b, BNDI_SETTING_SETUP, cases[i].setup));
        CU_ASSERT_TRUE(are_apart(&a, &a, BNDI_SETTING_ANY, ""));
        bnd_record_close(&a);
        bnd_record_close(&b);
    }
}

/* What counts of a file is its content, where that is known. */
static void test_files(void)
{
    bnd_record a = run_of("fp32", 1, 2, "\"data\": \"a\""), b = run_of("fp32", 1, 2, "\"data\": \"here/a\"");
    a.data_hash = 5;
    CU_ASSERT_TRUE(are_apart(&a, &b, BNDI_SETTING_SETUP, "data"));
    b.data_hash = 5;
    CU_ASSERT_TRUE(are_apart(&a, &b, BNDI_SETTING_SETUP, ""));
    b.data_hash = 6;
    CU_ASSERT_TRUE(are_apart(&a, &b, BNDI_SETTING_SETUP, "data"));
    bnd_record_close(&a);
    bnd_record_close(&b);
}

/* ---- rows ---- */

static void test_rows(void)
{
    enum { COUNT = 6 };
    static const char usual[] = "\"lr\": 1, \"weight_decay\": 0.01", other[] = "\"lr\": 1, \"weight_decay\": 0.5";
    bnd_record records[COUNT] = {run_of("bf16", 1, 2.5, other), run_of("bf16", 1, 2.1, usual),
                                 run_of("fp32", 1, 2, usual),   run_of("bf16", 2, 2.2, usual),
                                 run_of("fp32", 2, 2, usual),   run_of("fp16", 1, 2, "\"lr\": 2, \"clip\": 1")};
    size_t n = 0;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 4);
    CU_ASSERT_STRING_EQUAL(rows[0].name, "fp32");
    CU_ASSERT_STRING_EQUAL(rows[1].name, "bf16 weight_decay=0.5");
    CU_ASSERT_STRING_EQUAL(rows[2].name, "bf16 weight_decay=0.01");
    CU_ASSERT_STRING_EQUAL(rows[3].name, "fp16");
    CU_ASSERT_TRUE(!rows[1].compared && rows[2].compared && !rows[3].compared);
    CU_ASSERT_TRUE(rows[2].is.pairs == 2 && rows[1].reference == 0);
    CU_ASSERT_TRUE(has_note(rows, n,
                            "No pair for bf16 weight_decay=0.5: it differs from fp32 in weight_decay (0.5, not "
                            "0.01), so"));
    CU_ASSERT_TRUE(has_note(rows, n, "No pair for fp16: it differs from fp32 in clip (1, not none), so"));
    CU_ASSERT_FALSE(has_note(rows, n, "runs are compared if"));
    end(rows, records, COUNT);
}

/* Each row has the reference with its own settings; where that is of another optimizer, a note says so. */
static void test_references(void)
{
    enum { COUNT = 5 };
    bnd_record records[COUNT] = {
        run_of("fp32", 1, 2, "\"optimizer\": \"sgd\", \"clip\": 1"), run_of("fp32", 1, 2, "\"optimizer\": \"sgd\""),
        run_of("bf16", 1, 2, "\"optimizer\": \"muon\""), run_of("fp16", 1, 2, "\"optimizer\": \"sgd\", \"clip\": 1"),
        run_of("tf32", 1, 2, "\"optimizer\": \"sgd\"")};
    size_t n = 0;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, COUNT);
    CU_ASSERT_STRING_EQUAL(rows[0].name, "fp32 clip=1");
    CU_ASSERT_STRING_EQUAL(rows[1].name, "fp32 clip=none");
    CU_ASSERT_TRUE(rows[2].reference == 1 && rows[3].reference == 0 && rows[4].reference == 1);
    CU_ASSERT_TRUE(rows[2].compared && rows[3].compared && rows[4].compared);
    CU_ASSERT_TRUE(has_note(rows, n, "bf16 also differs from fp32 clip=none in optimizer (muon, not sgd): the gap"));
    CU_ASSERT_FALSE(has_note(rows, n, "fp16 also differs"));
    end(rows, records, COUNT);
}

/* Files of one name have other contents; long texts are cut. */
static void test_notes(void)
{
    enum { COUNT = 3 };
    bnd_record records[COUNT] = {run_of("fp32", 1, 2, "\"data\": \"a\", \"blocks\": \"norm=rmsnorm\""),
                                 run_of("bf16", 1, 2, "\"data\": \"a\", \"blocks\": \"norm=rmsnorm\""),
                                 run_of("fp16", 1, 2,
                                        "\"data\": \"a\", \"blocks\": "
                                        "\"norm=rmsnorm,position=rope,mlp=swiglu,z_loss=1\"")};
    size_t n = 0;
    records[0].data_hash = records[2].data_hash = 5;
    records[1].data_hash = 6;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, COUNT);
    CU_ASSERT_TRUE(has_note(rows, n, "No pair for bf16: it differs from fp32 in data, so"));
    CU_ASSERT_TRUE(has_note(rows, n, "fp32 in blocks (norm=rmsnorm,position=rope,m..., not norm=rmsnorm), so"));
    end(rows, records, COUNT);
}

/* ---- repeats ---- */

static void test_repeats(void)
{
    enum { COUNT = 6 };
    static const char all[] = "\"lr\": 1";
    bnd_record records[COUNT] = {run_of("fp32", 1, 2, all), run_of("bf16", 1, 2.1, all),
                                 run_of("fp32", 1, 2, all), run_of("bf16", 1, 2.1, "\"lr\": 1, \"seed_rounding\": 9"),
                                 run_of("fp32", 2, 2, all), run_of("bf16", 1, 2.1, all)};
    bnd_comparison c;
    bnd_error why;
    size_t n = 0;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, records, COUNT, records, COUNT, 0.05, &why), &why));
    CU_ASSERT_EQUAL(c.pairs, 2);
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_TRUE(rows[0].count == 2 && rows[0].repeats == 1 && rows[1].count == 1 && rows[1].repeats == 2);
    CU_ASSERT_TRUE(rows[1].records == &records[2] && rows[1].is.pairs == 1);
    CU_ASSERT_EQUAL(rows[1].is.verdict, BND_VERDICT_UNJUDGED);
    CU_ASSERT_TRUE(has_note(rows, n, "fp32: 1 of its 3 runs repeats another (the same seeds"));
    CU_ASSERT_TRUE(has_note(rows, n, "bf16: 2 of its 3 runs repeat another (the same seeds"));
    end(rows, records, COUNT);
}

/* The seeds of logs are not known: the same losses are the same log. */
static void test_logs(void)
{
    enum { COUNT = 6 };
    bnd_record records[COUNT] = {run_of("fp32.csv", 0, 2, NULL),   run_of("fp32.csv", 0, 2, NULL),
                                 run_of("fp32.csv", 0, 2.2, NULL), run_of("bf16.csv", 0, 2.1, NULL),
                                 run_of("bf16.csv", 0, 2.4, NULL), run_of("bf16.csv", 0, 2.1, NULL)};
    size_t n = 0;
    bnd_summary_row *rows = rows_of(&n, records, COUNT);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_TRUE(rows[0].count == 2 && rows[0].repeats == 1 && rows[1].count == 2 && rows[1].repeats == 1);
    CU_ASSERT_EQUAL(rows[1].is.pairs, 2);
    CU_ASSERT_TRUE(has_note(rows, n, "bf16.csv: 1 of its 3 logs repeats the losses of another"));
    end(rows, records, COUNT);
}

CU_TestInfo setting_tests[] = {{"which differences count", test_differences},
                               {"files by their contents", test_files},
                               {"a row per setup", test_rows},
                               {"references of the same setup", test_references},
                               {"differences in words", test_notes},
                               {"repeats count once", test_repeats},
                               {"repeated logs", test_logs},
                               CU_TEST_INFO_NULL};
