/* diff: each allocation fails once. */
#include "tests.h"

#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <binade-lab/convert.h>
#include <binade-lab/diff.h>

#include <stdio.h>
#include <string.h>

#ifdef BND_WITH_WRAP

enum { ROWS = 48, COLUMNS = 128, WEIGHTS = 3 };

static bnd_checkpoint *open_named(const char *name)
{
    char path[PATH_SIZE];
    bnd_checkpoint *c = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_new(&c, in_folder(path, name), NULL, NULL, NULL), BND_OK);
    return c;
}

/* Three weights of fp32, and the same in another format. */
static void make_files(const bnd_quantize *how)
{
    static const char *const names[WEIGHTS] = {"m.0.q_proj.weight", "m.0.k_proj.weight", "m.0.down_proj.weight"};
    static const uint64_t shape[2] = {ROWS, COLUMNS};
    static float x[WEIGHTS][ROWS * COLUMNS];
    bnd_safetensor entries[WEIGHTS];
    char path[PATH_SIZE];
    bnd_quantize_plan *plan = NULL;
    for (size_t i = 0; i < WEIGHTS; i++) {
        make_base(x[i], ROWS * COLUMNS, i);
        entries[i] = (bnd_safetensor){.name = names[i],
                                      .dtype = "F32",
                                      .rank = 2,
                                      .shape = shape,
                                      .data = (const unsigned char *)x[i],
                                      .size = sizeof x[i]};
    }
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, "base.safetensors"), entries, WEIGHTS, NULL, 0, NULL),
                          BND_OK);
    bnd_checkpoint *base = open_named("base.safetensors");
    CU_ASSERT_EQUAL_FATAL(bnd_quantize_plan_new(&plan, base, how, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_checkpoint_quantize(plan, in_folder(path, "a.safetensors"), false, NULL, NULL), BND_OK);
    bnd_quantize_plan_free(plan);
    bnd_checkpoint_free(base);
}

/* Do both say the same? */
static bool are_same(const bnd_diff *a, const bnd_diff *b)
{
    bool same = bnd_diff_count(a) == bnd_diff_count(b) && bnd_diff_groups(a) == bnd_diff_groups(b);
    for (size_t i = 0; same && i < bnd_diff_count(a); i++) {
        const bnd_weight_difference *x = bnd_diff_at(a, i), *y = bnd_diff_at(b, i);
        same = x->kind == y->kind && x->sums.equal == y->sums.equal && x->sums.squared_error == y->sums.squared_error &&
               x->explained.codes == y->explained.codes && x->explained.codes_made == y->explained.codes_made &&
               x->explained.scales_made == y->explained.scales_made &&
               x->explained.tensors_made == y->explained.tensors_made;
    }
    return same;
}

typedef struct comparing {
    const bnd_diff *whole;
    const bnd_checkpoint *a, *b;
    const bnd_diff_options *options;
    bnd_diff *made;
} comparing;
static const char untouched;

static bnd_status compare(void *state, bnd_error *why)
{
    comparing *c = state;
    c->made = (bnd_diff *)(uintptr_t)&untouched;
    return bnd_diff_new(&c->made, c->a, c->b, c->options, why);
}

static void compared(void *state, bnd_status status)
{
    const comparing *c = state;
    if (status == BND_OK) {
        CU_ASSERT_TRUE(are_same(c->made, c->whole));
        bnd_diff_free(c->made);
    } else {
        CU_ASSERT_PTR_EQUAL((const void *)c->made, (const void *)&untouched);
    }
}

static void memory_may_run_out(void)
{
    static const bnd_quantize hows[] = {
        {.to = "nvfp4", .layout = "modelopt"}, {.to = "e4m3"}, {.to = "e4m3", .layout = "fp8-block"}, {.to = "mxfp4"}};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        open_folder();
        make_files(&hows[i]);
        bnd_checkpoint *a = open_named("a.safetensors"), *base = open_named("base.safetensors");
        for (int explains = 0; explains < 2; explains++) {
            const bnd_diff_options options = {.base = base, .explain = explains != 0};
            bnd_diff *whole = NULL;
            CU_ASSERT_EQUAL_FATAL(bnd_diff_new(&whole, a, base, &options, NULL), BND_OK);
            CU_ASSERT_EQUAL(bnd_diff_groups(whole) > 0, explains != 0);
            comparing c = {.whole = whole, .a = a, .b = base, .options = &options};
            allocations_fail_in_turn(&(failing_work){compare, compared, &c, false, 16});
            allocations_fail_in_turn(&(failing_work){compare, compared, &c, true, 16});
            bnd_diff_free(whole);
        }
        bnd_checkpoint_free(a);
        bnd_checkpoint_free(base);
        close_folder();
    }
}
#endif

CU_TestInfo memory_tests[] = {MEMORY_MAY_RUN_OUT(memory_may_run_out), CU_TEST_INFO_NULL};
