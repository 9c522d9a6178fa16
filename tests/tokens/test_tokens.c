/* A training on text of a tokenizer: its vocabulary, its tokens, what is refused; and each allocation failing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocations.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"
#include "tests/support/tensors.h"
#include "tokens/tokenizer.h"
#include "train/train.h"

/* Letters a to d, blank and line end; "ab", "abc" and " a". */
static const char tokenizer_text[] =
    "{\"added_tokens\": [{\"id\": 11, \"content\": \"<d>\"}], \"normalizer\": null, \"pre_tokenizer\": "
    "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}, \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, "
    "\"b\": 1, \"c\": 2, \"d\": 3, \"\\u0120\": 4, \"\\u010a\": 5, \"ab\": 6, \"abc\": 7, \"\\u0120a\": 8, \"<\": 9, "
    "\">\": 10}, \"merges\": [\"a b\", [\"ab\", \"c\"], \"\\u0120 a\"]}}";

static bnd_status encode(uint32_t **ids, size_t *count, const char *text, bnd_error *why)
{
    bndi_tokenizer *tokenizer;
    bnd_status status = bndi_tokenizer_read(&tokenizer, tokenizer_text, sizeof tokenizer_text - 1, why);
    if (status == BND_OK) {
        status = bndi_tokenizer_encode(ids, count, tokenizer, text, strlen(text), why);
        bndi_tokenizer_free(tokenizer);
    }
    return status;
}

static void test_tokens(void)
{
    static const uint32_t expected[] = {7, 3, 4, 8, 6, 11, 8, 3, 5}; /* of two blanks, the last one leads its word */
    uint32_t *ids = NULL;
    size_t count = 0;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(encode(&ids, &count, "abcd  aab<d> ad\n", &why), &why));
    CU_ASSERT_EQUAL_FATAL(count, sizeof expected / sizeof expected[0]);
    CU_ASSERT_EQUAL(memcmp(ids, expected, sizeof expected), 0);
    free(ids);
}

/* Ids that tokenizers would not give, and a content twice. */
static void test_added(void)
{
    static const struct {
        const char *added, *words; /* NULL: it is read */
        const char *vocab;         /* NULL: a and b */
    } cases[] = {
        {"{\"id\": 1, \"content\": \"a\"}, {\"id\": 2, \"content\": \"x\"}", NULL, NULL},
        {"{\"id\": 2, \"content\": \"x\"}, {\"id\": 1, \"content\": \"a\"}, {\"id\": 3, \"content\": \"y\"}", NULL,
         NULL},
        {"{\"id\": 0, \"content\": \"a\"}", "'a' has the id 0, and in model.vocab 1", NULL},
        {"{\"id\": 3, \"content\": \"x\"}", "'x' has the id 3, and tokenizers would give it 2", NULL},
        {"{\"id\": 2, \"content\": \"x\"}, {\"id\": 2, \"content\": \"y\"}",
         "'y' has the id 2, and tokenizers would give it 3", NULL},
        {"{\"id\": 2, \"content\": \"x\"}, {\"id\": 3, \"content\": \"x\"}", "'x' is listed twice", NULL},
        {"{\"id\": 3, \"content\": \"c\"}, {\"id\": 4, \"content\": \"x\"}, {\"id\": 5, \"content\": \"y\"}", NULL,
         "\"b\": 0, \"a\": 1, \"c\": 3"},
        {"{\"id\": 3, \"content\": \"c\"}, {\"id\": 3, \"content\": \"x\"}",
         "'x' has the id 3, and tokenizers would give it 4", "\"b\": 0, \"a\": 1, \"c\": 3"},
    };
    char text[1000];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bndi_tokenizer *tokenizer = NULL;
        bnd_error why;
        const int length = snprintf(text, sizeof text,
                                    "{\"added_tokens\": [%s], \"pre_tokenizer\": {\"type\": \"ByteLevel\", "
                                    "\"add_prefix_space\": false}, \"model\": {\"vocab\": {%s}, "
                                    "\"merges\": []}}",
                                    cases[i].added, cases[i].vocab != NULL ? cases[i].vocab : "\"b\": 0, \"a\": 1");
        const bnd_status status = bndi_tokenizer_read(&tokenizer, text, (size_t)length, &why);
        CU_ASSERT_TRUE(cases[i].words == NULL ? succeeds(status, &why) : refuses(status, &why, cases[i].words));
        bndi_tokenizer_free(status == BND_OK ? tokenizer : NULL);
    }
}

/* ---- a training ---- */

static char data[PATH_SIZE], json[PATH_SIZE];

static bnd_training reading(void)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, "transformer", "adamw", "fp32", &why), &why));
    t.width = 8;
    t.depth = 1;
    t.heads = 2;
    t.context = 4;
    t.batch = 2;
    strcpy(t.data, data);
    strcpy(t.tokenizer, json);
    return t;
}

static void open_files(void)
{
    char text[1200];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = "abcd ab "[i % 8];
    }
    open_folder();
    write_file(in_folder(data, "text"), text, sizeof text);
    write_file(in_folder(json, "tokenizer.json"), tokenizer_text, sizeof tokenizer_text - 1);
}

static void test_training(void)
{
    bnd_run *run = NULL;
    bnd_error why;
    bnd_step step;
    open_files();
    bnd_training t = reading();
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
    CU_ASSERT_EQUAL(bnd_run_training(run)->vocabulary, 12);
    CU_ASSERT_TRUE(succeeds(bnd_run_step(&step, run, &why), &why));
    bnd_run_free(run);
    strcpy(t.data_type, "uint8");
    CU_ASSERT_TRUE(refuses(bnd_run_new(&run, &t, NULL, &why), &why, "a tokenizer cannot be used with a data type"));
    t.data_type[0] = '\0';
    t.vocabulary = 5;
    CU_ASSERT_TRUE(refuses(bnd_run_new(&run, &t, NULL, &why), &why, "token 0 is 7"));
    strcat(t.tokenizer, ".gone");
    CU_ASSERT_TRUE(refuses(bnd_run_new(&run, &t, NULL, &why), &why, "tokenizer.json.gone"));
    close_folder();
}

#if defined(BND_WITH_WRAP)
static bnd_status make_run(void *state, bnd_error *why)
{
    bnd_training t = reading();
    return bnd_run_new(state, &t, NULL, why);
}

static void free_run(void *state, bnd_status status)
{
    bnd_run **run = state;
    if (status == BND_OK) {
        bnd_run_free(*run);
    }
}

static void test_memory(void)
{
    bnd_run *run;
    open_files();
    for (int for_good = 0; for_good < 2; for_good++) {
        failing_work work = {make_run, free_run, &run, for_good != 0, 50};
        allocations_fail_in_turn(&work);
    }
    close_folder();
}
#endif

int main(void)
{
    CU_TestInfo tests[] = {
        {"tokens", test_tokens},
        {"ids of added tokens", test_added},
        {"a training", test_training},
#if defined(BND_WITH_WRAP)
        {"failing allocations", test_memory},
#else
        ALLOCATIONS_SKIPPED,
#endif
        CU_TEST_INFO_NULL
    };
    CU_SuiteInfo suites[] = {SUITE("tokens", tests), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
