/* Each check of a checkpoint on one weight: right, and with one thing changed. */
#include "tests.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

#include <stdio.h>
#include <string.h>

/* ---- the findings ---- */

/* Is the finding there, and nothing else of damage or suspect? The same code may be there several times. */
static bool finds_only(const bnd_lint *lint, const lint_case *k)
{
    bool found = k->finds[0] == '\0', only = true;
    for (size_t i = 0; i < bnd_lint_findings(lint); i++) {
        const bnd_lint_finding *f = bnd_lint_finding_at(lint, i);
        bool same = strcmp(f->check->code, k->finds) == 0;
        found = found || (same && f->severity == k->severity);
        only = only && (same || f->severity == BND_SEVERITY_NOTE);
        if (!same && f->severity != BND_SEVERITY_NOTE) {
            printf("\n  %s: also %s: %s: %s", k->what, f->check->code, f->where, f->message);
        }
    }
    if (!found) {
        printf("\n  %s: %s is not found", k->what, k->finds);
    }
    return found && only;
}

static void test_each_check(void)
{
    for (size_t i = 0; i < lint_case_count; i++) {
        char path[PATH_SIZE];
        bnd_error why = {.message = ""};
        bnd_lint *lint = NULL;
        open_folder();
        put_lint_case(&lint_cases[i]);
        CU_ASSERT_EQUAL_FATAL(bnd_lint_new(&lint, in_folder(path, ""), NULL, &why), BND_OK);
        CU_ASSERT_TRUE(finds_only(lint, &lint_cases[i]));
        bnd_lint_free(lint);
        close_folder();
    }
}

/* What a finding says is complete, and the counts are those of the findings. */
static void test_summary(void)
{
    for (size_t i = 0; i < lint_case_count; i++) {
        char path[PATH_SIZE];
        bnd_lint *lint = NULL;
        uint64_t counts[3] = {0}, weights = 0;
        open_folder();
        put_lint_case(&lint_cases[i]);
        CU_ASSERT_EQUAL_FATAL(bnd_lint_new(&lint, in_folder(path, ""), NULL, NULL), BND_OK);
        const bnd_lint_summary *sum = bnd_lint_summary_of(lint);
        for (size_t k = 0; k < bnd_lint_findings(lint); k++) {
            const bnd_lint_finding *f = bnd_lint_finding_at(lint, k), *next = bnd_lint_finding_at(lint, k + 1);
            counts[f->severity]++;
            CU_ASSERT_TRUE(f->where[0] != '\0' && f->message[0] != '\0' && f->check->title[0] != '\0');
            CU_ASSERT_TRUE(next == NULL || next->severity <= f->severity);
        }
        for (size_t k = 0; k < bnd_lint_layouts(lint); k++) {
            weights += bnd_lint_layout_at(lint, k)->weights;
        }
        CU_ASSERT_TRUE(counts[0] == sum->note && counts[1] == sum->suspect && counts[2] == sum->damage);
        CU_ASSERT_TRUE(weights > 0 && weights <= sum->tensors && sum->files == 1 &&
                       sum->scales_read <= sum->scale_bytes);
        CU_ASSERT_PTR_NULL(bnd_lint_layout_at(lint, bnd_lint_layouts(lint)));
        bnd_lint_free(lint);
        close_folder();
    }
}

static void test_refused(void)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_lint *lint = NULL;
    open_folder();
    CU_ASSERT_EQUAL(bnd_lint_new(&lint, in_folder(path, "none"), NULL, &why), BND_BAD_STREAM);
    CU_ASSERT_TRUE(why.message[0] != '\0' && lint == NULL);
    write_file(in_folder(path, "text.safetensors"), "no checkpoint", 13);
    CU_ASSERT_NOT_EQUAL(bnd_lint_new(&lint, path, NULL, &why), BND_OK);
    CU_ASSERT_PTR_NULL(lint);
    bnd_lint_free(NULL);
    close_folder();
}

/* An index that cannot be read is a finding, whatever it is called; a file with such words in its message is not. */
static void test_index(void)
{
    static const char header[] = "{\"a.index.json: \":5}";
    char path[PATH_SIZE], bytes[8 + sizeof header - 1] = {sizeof header - 1};
    bnd_error why = {.message = ""};
    bnd_lint *lint = NULL;
    open_folder();
    write_file(in_folder(path, "other.safetensors.index.json"), "{\"weight_map\":{}}", 17);
    CU_ASSERT_EQUAL_FATAL(bnd_lint_new(&lint, in_folder(path, ""), NULL, &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_lint_findings(lint), 1);
    CU_ASSERT_STRING_EQUAL(bnd_lint_finding_at(lint, 0)->check->code, "index-bad");
    CU_ASSERT_STRING_EQUAL(bnd_lint_finding_at(lint, 0)->where, "other.safetensors.index.json");
    bnd_lint_free(lint);
    lint = NULL;
    memcpy(bytes + 8, header, sizeof header - 1);
    write_file(in_folder(path, "x.safetensors"), bytes, sizeof bytes);
    CU_ASSERT_EQUAL(bnd_lint_new(&lint, path, NULL, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NULL(lint);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "a.index.json: "));
    close_folder();
}

/* ---- the tables ---- */

static void test_tables(void)
{
    for (size_t i = 0; i < bnd_lint_check_count(); i++) {
        const bnd_lint_check *check = bnd_lint_check_at(i);
        CU_ASSERT_TRUE(check->code[0] != '\0' && check->title[0] != '\0');
        CU_ASSERT_TRUE(bnd_severity_name(check->severity)[0] != '\0' && bnd_effect_name(check->effect)[0] != '\0');
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_STRING_NOT_EQUAL(check->code, bnd_lint_check_at(k)->code);
        }
    }
    CU_ASSERT_PTR_NULL(bnd_lint_check_at(bnd_lint_check_count()));
    for (unsigned loader = 0; loader < BND_LOADERS; loader++) {
        CU_ASSERT_TRUE(bnd_loader_name((bnd_loader)loader)[0] != '\0');
        for (size_t i = 0; i < bnd_layout_count(); i++) {
            bnd_loader_cell cell = bnd_loader_cell_of(bnd_layout_at(i)->name, (bnd_loader)loader);
            CU_ASSERT_EQUAL(cell.loads == BND_LOADS_UNKNOWN, cell.source[0] == '\0');
        }
    }
    CU_ASSERT_EQUAL(bnd_loader_cell_of("fp8/block", BND_LOADER_VLLM).loads, BND_LOADS_YES);
    CU_ASSERT_EQUAL(bnd_loader_cell_of("compressed-tensors/nvfp4", BND_LOADER_TENSORRT_LLM).loads, BND_LOADS_NO);
    CU_ASSERT_EQUAL(bnd_loader_cell_of("none", BND_LOADER_VLLM).loads, BND_LOADS_UNKNOWN);
}

CU_TestInfo lint_tests[] = {
    {"each check, right and damaged", test_each_check}, {"counts and order of findings", test_summary},
    {"files that are not checkpoints", test_refused},   {"an index that cannot be read", test_index},
    {"tables of checks and loaders", test_tables},      CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {SUITE("lint", lint_tests), SUITE("numbers of scales", lint_numbers_tests),
                             SUITE("no memory", lint_memory_tests), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
