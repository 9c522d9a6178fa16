/* The tape: what has gradients, and when there are none. */
#include "graphs.h"

#include <string.h>

/* ---- whose gradients ---- */

/* y = sum of views of x, counted by hand. */
static void test_views_and_copies(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    double x[12];
    for (int i = 0; i < 12; i++) {
        x[i] = i;
    }
    bnd_tensor *leaf = tensor_of(engine, "fp32", x, (size_t[]){3, 4}, 2), *t, *u, *v;
    bnd_tensor_want_gradient(leaf, true);
    DO(bnd_tensor_transpose(&t, leaf, 0, 1, &why));
    DO(bnd_tensor_contiguous(&u, t, &why));
    DO(bnd_tensor_select(&v, u, 0, 2, &why));      /* column 2 of the leaf */
    DO(bnd_tensor_select(&t, v, 0, 1, &why));      /* its row 1 */
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(leaf)); /* which calls with a status refuse */
    bnd_tensor *none = bnd_tensor_gradient(leaf), *made = NULL;
    float read[12];
    CU_ASSERT_TRUE(refuses(bnd_tensor_read_f32(read, 12, none, &why), &why, "expected a tensor, got NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_read_f64(x, 12, none, &why), &why, "got NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_get(x, none, NULL, 0, &why), &why, "got NULL"));
    CU_ASSERT_TRUE(
        refuses(bnd_tensor_write_f64(none, x, 12, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why, "NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_fill(none, 1, &why), &why, "got NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_save(none, "none.npy", &why), &why, "got NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(none, 1, &why), &why, "got NULL"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_map(&made, BND_TENSOR_OP_SUM, none, &why), &why, ""));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pair(&made, BND_TENSOR_OP_ADD, leaf, none, &why), &why, ""));
    DO(bnd_tensor_backward(t, 5, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(leaf), 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(t, 1, &why), &why, "was run already"));
    bnd_engine_free(engine);
}

static void test_leaves_only(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2),
               *c = tensor_of(engine, "fp32", (double[]){3, 5}, (size_t[]){2}, 1);
    bnd_tensor *y = product(x, c), *z = product(y, y), *loss = sum_of(z);
    CU_ASSERT_TRUE(bnd_tensor_wants_gradient(x) && bnd_tensor_wants_gradient(y) && bnd_tensor_wants_gradient(loss));
    CU_ASSERT_FALSE(bnd_tensor_wants_gradient(c));
    bnd_tensor_want_gradient(y, false); /* is for leaves: nothing changes */
    bnd_tensor_keep_gradient(z);
    bnd_tensor_keep_gradient(c); /* never has any */
    DO(bnd_tensor_backward(loss, 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2 * 9, 2 * 50)); /* 2 c c x */
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(z), 1, 1));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(y));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(c));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(loss));
    bnd_tensor_drop_gradient(z);
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(z));
    /* A gradient that is kept outlives its leaf. */
    bnd_tensor *kept = bnd_tensor_keep(bnd_tensor_gradient(x));
    bnd_tensor_release(x);
    CU_ASSERT_TRUE(HOLDS(kept, 18, 100));
    bnd_engine_free(engine);
}

static void test_accumulation(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1, -2, 4}, 3);
    DO(bnd_tensor_backward(sum_of(product(x, x)), 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2, -4, 8));
    bnd_tensor *old = bnd_tensor_keep(bnd_tensor_gradient(x));
    DO(bnd_tensor_backward(sum_of(product(x, x)), 0.5, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 3, -6, 12));
    CU_ASSERT_TRUE(HOLDS(old, 2, -4, 8)); /* who keeps one keeps what it was */
    DO(bnd_tensor_backward(sum_of(x), 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 4, -5, 13));
    bnd_tensor_drop_gradient(x);
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
    DO(bnd_tensor_backward(sum_of(x), 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 1, 1, 1));
    /* Two losses of one graph of which one part is shared: the first way back uses it up. */
    bnd_tensor *y = product(x, x), *first = sum_of(y), *second = sum_of(product(y, x));
    DO(bnd_tensor_backward(first, 1, &why));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(second, 1, &why), &why, "a part of this"));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 3, -3, 9)); /* of the first alone */
    bnd_engine_free(engine);
}

static void test_used_many_times(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){3}, 1), *sum = product(x, x), *more;
    for (unsigned i = 0; i < 10; i++) { /* x x + 10 x, and both of them twice */
        DO(bnd_tensor_pair(&more, BND_TENSOR_OP_ADD, sum, x, &why));
        sum = more;
    }
    DO(bnd_tensor_pair(&more, BND_TENSOR_OP_ADD, sum, sum, &why));
    bnd_tensor_keep_gradient(sum);
    DO(bnd_tensor_backward(more, 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(sum), 2));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2 * (2 * 3 + 10)));
    bnd_engine_free(engine);
}

/* A thousand rows of one matrix, each with a factor of its own: the gradient is whole once, not a thousand times. */
static void test_slices_of_one(void)
{
    enum { ROWS = 1000, COLUMNS = 4 };
    static double x[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    bnd_engine *engine = new_engine();
    bnd_error why;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (double)(i % 7);
        expected[i] = (double)(1 + i / COLUMNS % 5) * (i % 2 == 0 ? 1 : 2);
    }
    bnd_tensor *leaf = tensor_of(engine, "fp32", x, (size_t[]){ROWS, COLUMNS}, 2), *row, *all = NULL, *part;
    bnd_tensor_want_gradient(leaf, true);
    for (size_t i = 0; i < ROWS; i++) {
        DO(bnd_tensor_select(&row, leaf, 0, i, &why));
        row = product(row, number_of(engine, (double)(1 + i % 5)));
        DO(bnd_tensor_slice(&part, row, 0, 1, 2, 2, &why)); /* elements 1 and 3 count once more */
        part = sum_of(part);
        DO(bnd_tensor_pair(&part, BND_TENSOR_OP_ADD, sum_of(row), part, &why));
        if (all != NULL) {
            DO(bnd_tensor_pair(&part, BND_TENSOR_OP_ADD, all, part, &why));
        }
        all = part;
    }
    bnd_engine_reset_peak(engine);
    uint64_t before = bytes_now(engine);
    DO(bnd_tensor_backward(all, 1, &why));
    bnd_account account;
    bnd_engine_account(&account, engine);
    CU_ASSERT_TRUE(holds(bnd_tensor_gradient(leaf), expected, ROWS * COLUMNS));
    CU_ASSERT_TRUE(account.bytes_peak - before <= 4 * ROWS * COLUMNS + 4 * 5 * ROWS);
    bnd_engine_free(engine);
}

/* ---- refused ---- */

static void test_written_since(void)
{
    for (unsigned how = 0; how < 7; how++) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        const float numbers[2] = {7, 8};
        const size_t index[] = {0};
        bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2), *y = leaf_of(engine, (double[]){3, 4}, 2), *view, *loss;
        DO(bnd_tensor_slice(&view, x, 0, 0, 1, 1, &why));
        loss = sum_of(product(x, y));
        bnd_tensor_release(view);
        DO(bnd_tensor_slice(&view, x, 0, 0, 1, 1, &why));
        bnd_status status = how == 0   ? bnd_tensor_fill(x, 0, &why)
                            : how == 1 ? bnd_tensor_set(x, index, 1, 0, &why)
                            : how == 2
                                ? bnd_tensor_write_f32(x, numbers, 2, (bnd_rule){.rounding = BND_ROUND_RNE}, &why)
                            : how == 3 ? bnd_tensor_fill(view, 0, &why)
                            : how == 4 ? bnd_tensor_uniform(x, 0, 1, 1, 1, &why)
                            : how == 5 ? (bnd_tensor_codes(x) != NULL ? BND_OK : BND_BAD_ARGUMENT)
                                       : BND_OK;
        CU_ASSERT_EQUAL(status, BND_OK);
        if (how == 6) { /* nobody wrote: it works */
            DO(bnd_tensor_backward(loss, 1, &why));
            CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 3, 4));
        } else {
            CU_ASSERT_TRUE(refuses(bnd_tensor_backward(loss, 1, &why), &why, "backward pass of mul needs was changed"));
            CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
            CU_ASSERT_PTR_NULL(bnd_tensor_gradient(y));
        }
        bnd_engine_free(engine);
    }
}

/* What nobody saved may be written to: an addition needs nothing on its way back. */
static void test_written_and_not_saved(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2), *y;
    DO(bnd_tensor_pair(&y, BND_TENSOR_OP_ADD, x, x, &why));
    y = sum_of(y);
    DO(bnd_tensor_fill(x, 100, &why));
    DO(bnd_tensor_backward(y, 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2, 2));
    bnd_engine_free(engine);
}

/* ---- one operation at a time ---- */

/* x w, both of the role that is asked for: once by the tape, once by bnd_tensor_pull. */
static bnd_tensor *layer_of(bnd_engine *engine, bnd_tensor **x, bnd_tensor **w)
{
    bnd_format f;
    bnd_error why;
    bnd_tensor *y = NULL;
    DO(bnd_format_parse(&f, "bf16", &why));
    DO(bnd_tensor_from_f64(x, engine, &f, (double[]){1, -2, 3, 0.5}, (size_t[]){2, 2}, 2, BND_ROLE_ACT, &why));
    DO(bnd_tensor_from_f64(w, engine, &f, (double[]){3, 5, -7, 0.75}, (size_t[]){2, 2}, 2, BND_ROLE_PARAM, &why));
    bnd_tensor_want_gradient(*x, true);
    bnd_tensor_want_gradient(*w, true);
    DO(bnd_tensor_matmul(&y, *x, *w, &why));
    return y;
}

static void test_pull(void)
{
    bnd_policy policy;
    bnd_error why;
    bnd_engine *engine = new_engine();
    bnd_tensor *x, *w;
    float dx[4] = {0}, dw[4] = {0};
    const float d[] = {1, 0.00390625f, 2, 1}; /* 1 + 2^-8 is not a number of bf16 */
    DO(bnd_policy_parse(&policy, "dact=bf16,grad=fp32", &why));
    DO(bnd_engine_set_policy(engine, &policy, &why));
    bnd_tensor *y = layer_of(engine, &x, &w);
    DO(bnd_tensor_pull((float *[]){dx, dw}, 2, y, d, 0, true, &why));
    /* dx = d w' in bf16: 3 + 5/256 and -7 + 0.75/256 are rounded; dw = x' d in fp32 is exact */
    CU_ASSERT_TRUE(memcmp(dx, (float[]){3.015625f, -7, 11, -13.25f}, sizeof dx) == 0);
    CU_ASSERT_TRUE(memcmp(dw, (float[]){7, 3.00390625f, -1, 0.4921875f}, sizeof dw) == 0);
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(w), 7, 3.00390625, -1, 0.4921875));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
    /* A sum is rounded first: 1 + 2^-8 to 1. What is not asked for is not written; the parameter's is added. */
    const float sum[] = {1.00390625f, 0, 0, 0};
    DO(bnd_tensor_pull((float *[]){dx, NULL}, 2, y, sum, 1, false, &why));
    CU_ASSERT_TRUE(memcmp(dx, (float[]){3, -7, 0, 0}, sizeof dx) == 0);
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(w), 8, 3.00390625, -3, 0.4921875));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pull((float *[]){dx, dw}, 2, y, d, 0, true, &why), &why, "was run already"));
    bnd_engine_free(engine);
}

static void test_pull_refused(void)
{
    bnd_error why;
    bnd_engine *engine = new_engine();
    bnd_tensor *x, *w, *turned, *y = layer_of(engine, &x, &w);
    float dx[4], dw[4];
    const float d[4] = {0};
    DO(bnd_tensor_transpose(&turned, y, 0, 1, &why));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pull((float *[]){dx}, 1, x, d, 0, true, &why), &why, "no recorded operation"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pull((float *[]){dx}, 1, turned, d, 0, true, &why), &why, "of its own"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pull((float *[]){dx, dw, dx}, 3, y, d, 0, true, &why), &why, "has 2 operands"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_set_gradient(y, d, 4, &why), &why, "a leaf that wants one"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_set_gradient(w, d, 3, &why), &why, "got 3 numbers"));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(w));
    DO(bnd_tensor_set_gradient(w, (float[]){1, 2, 3, 1.00390625f}, 4, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(w), 1, 2, 3, 1)); /* in the leaf's own format */
    bnd_engine_free(engine);
}

static void test_refused(void)
{
    bnd_engine *engine = new_engine(), *other = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2),
               *c = tensor_of(engine, "fp32", (double[]){1, 2}, (size_t[]){2}, 1);
    bnd_tensor *y = product(x, x), *none = NULL;
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(y, 1, &why), &why, "has shape (2,)"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(sum_of(c), 1, &why), &why, "wants a gradient"));
    bnd_engine_set_tape(engine, false);
    CU_ASSERT_FALSE(bnd_engine_tape(engine));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(sum_of(x), 1, &why), &why, "the tape was off"));
    bnd_engine_set_tape(engine, true);
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
    bnd_tensor *loss = sum_of(y);
    DO(bnd_tensor_backward(loss, 1, &why));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(loss, 1, &why), &why, "compute the loss again"));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2, 4)); /* not twice */
    loss = sum_of(product(x, x));
    bnd_engine_forget(engine);
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(loss, 1, &why), &why, "was run already"));
    bnd_tensor *stranger = leaf_of(other, (double[]){1, 2}, 2);
    CU_ASSERT_TRUE(refuses(bnd_tensor_pair(&none, BND_TENSOR_OP_ADD, x, stranger, &why), &why, "two engines"));
    CU_ASSERT_PTR_NULL(none);
    bnd_engine_free(engine);
    bnd_engine_free(other);
}

CU_TestInfo tape_tests[] = {
    {"views and copies", test_views_and_copies},
    {"leaves only", test_leaves_only},
    {"accumulation", test_accumulation},
    {"used many times", test_used_many_times},
    {"slices of one", test_slices_of_one},
    {"written since it was saved", test_written_since},
    {"written, and not saved", test_written_and_not_saved},
    {"one operation", test_pull},
    {"one operation, refused", test_pull_refused},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
