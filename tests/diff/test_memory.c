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

static void run_out(const bnd_diff *whole, const bnd_checkpoint *a, const bnd_checkpoint *b,
                    const bnd_diff_options *options, bool for_good)
{
    static const char untouched;
    bnd_status status = BND_NO_MEMORY;
    uint64_t failures = 0;
    bool reached = true;
    for (uint64_t after = 0; reached && after < 5000; after++) {
        const int64_t living = allocations_living();
        const uint64_t first = allocations_asked();
        bnd_diff *d = (bnd_diff *)(uintptr_t)&untouched;
        bnd_error why = {.message = ""};
        allocations_fail(after, for_good);
        status = bnd_diff_new(&d, a, b, options, &why);
        allocations_fail(UINT64_MAX, false);
        reached = allocations_asked() - first > after;
        if (status == BND_OK) {
            CU_ASSERT_FALSE(reached);
            CU_ASSERT_TRUE(are_same(d, whole));
            bnd_diff_free(d);
        } else {
            failures++;
            CU_ASSERT_EQUAL(status, BND_NO_MEMORY);
            CU_ASSERT_NOT_EQUAL(why.message[0], '\0');
            CU_ASSERT_PTR_EQUAL((const void *)d, (const void *)&untouched);
        }
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    CU_ASSERT_TRUE(failures > 15);
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
            run_out(whole, a, base, &options, false);
            run_out(whole, a, base, &options, true);
            bnd_diff_free(whole);
        }
        bnd_checkpoint_free(a);
        bnd_checkpoint_free(base);
        close_folder();
    }
}
#define MEMORY_MAY_RUN_OUT                                                                                             \
    {                                                                                                                  \
        "memory may run out", memory_may_run_out                                                                       \
    }
#else
#define MEMORY_MAY_RUN_OUT ALLOCATIONS_SKIPPED
#endif

CU_TestInfo memory_tests[] = {MEMORY_MAY_RUN_OUT, CU_TEST_INFO_NULL};
