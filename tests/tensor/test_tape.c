/* The tape: what has gradients, when, and what becomes of the graph. */
#include "allocations.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DO(call) CU_ASSERT_FATAL(succeeds((call), &why))

enum { MOST = 4096 };

static bool holds(const bnd_tensor *t, const double *x, size_t n)
{
    double y[MOST];
    bnd_error why;
    if (t == NULL || n > MOST || !succeeds(bnd_tensor_read_f64(y, n, t, &why), &why)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            printf("\n    element %zu is %.17g and should be %.17g\n", i, y[i], x[i]);
            return false;
        }
    }
    return true;
}
#define HOLDS(t, ...) holds(t, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static bnd_tensor *leaf_of(bnd_engine *engine, const double *x, size_t n)
{
    bnd_tensor *t = tensor_of(engine, "fp32", x, &n, 1);
    bnd_tensor_want_gradient(t, true);
    return t;
}

static uint64_t bytes_now(const bnd_engine *engine)
{
    bnd_account account;
    bnd_engine_account(&account, engine);
    return account.bytes_now;
}

static bnd_tensor *sum_of(bnd_tensor *x)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&y, BND_TENSOR_SUM, x, &why), &why));
    return y;
}

static bnd_tensor *product(bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_pair(&y, BND_TENSOR_MUL, a, b, &why), &why));
    return y;
}

static bnd_tensor *number_of(bnd_engine *engine, double x)
{
    return tensor_of(engine, "fp32", &x, (size_t[]){1}, 1);
}

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
    DO(bnd_tensor_select(&v, u, 0, 2, &why)); /* column 2 of the leaf */
    DO(bnd_tensor_select(&t, v, 0, 1, &why)); /* its row 1 */
    DO(bnd_tensor_backward(t, 5, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(leaf), 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0));
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(t, 1, &why), &why, "gone back through already"));
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
        DO(bnd_tensor_pair(&more, BND_TENSOR_ADD, sum, x, &why));
        sum = more;
    }
    DO(bnd_tensor_pair(&more, BND_TENSOR_ADD, sum, sum, &why));
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
        DO(bnd_tensor_pair(&part, BND_TENSOR_ADD, sum_of(row), part, &why));
        if (all != NULL) {
            DO(bnd_tensor_pair(&part, BND_TENSOR_ADD, all, part, &why));
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
                            : how == 2 ? bnd_tensor_write_f32(x, numbers, 2, (bnd_rule){.rounding = BND_RNE}, &why)
                            : how == 3 ? bnd_tensor_fill(view, 0, &why)
                            : how == 4 ? bnd_tensor_uniform(x, 0, 1, 1, 1, &why)
                            : how == 5 ? (bnd_tensor_codes(x) != NULL ? BND_OK : BND_BAD_ARGUMENT)
                                       : BND_OK;
        CU_ASSERT_EQUAL(status, BND_OK);
        if (how == 6) { /* nobody wrote: it works */
            DO(bnd_tensor_backward(loss, 1, &why));
            CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 3, 4));
        } else {
            CU_ASSERT_TRUE(refuses(bnd_tensor_backward(loss, 1, &why), &why, "mul needs on the way back was written"));
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
    DO(bnd_tensor_pair(&y, BND_TENSOR_ADD, x, x, &why));
    y = sum_of(y);
    DO(bnd_tensor_fill(x, 100, &why));
    DO(bnd_tensor_backward(y, 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 2, 2));
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
    CU_ASSERT_TRUE(refuses(bnd_tensor_backward(loss, 1, &why), &why, "gone back through"));
    bnd_tensor *stranger = leaf_of(other, (double[]){1, 2}, 2);
    CU_ASSERT_TRUE(refuses(bnd_tensor_pair(&none, BND_TENSOR_ADD, x, stranger, &why), &why, "two engines"));
    CU_ASSERT_PTR_NULL(none);
    bnd_engine_free(engine);
    bnd_engine_free(other);
}

/* ---- large graphs ---- */

enum { DEEP = 100000 };

static bnd_tensor *chain(bnd_tensor *x, size_t length)
{
    bnd_attributes attributes = {.number = {1}};
    bnd_error why;
    bnd_tensor *t = bnd_tensor_keep(x), *next;
    for (size_t i = 0; i < length; i++) {
        CU_ASSERT_FATAL(succeeds(i % 2 == 0 ? bnd_tensor_apply(&next, BND_TENSOR_SHIFT, &t, 1, &attributes, &why)
                                            : bnd_tensor_view(&next, t, (size_t[]){1, 1}, i % 4 / 2 + 1, &why),
                                 &why));
        bnd_tensor_release(t);
        t = next;
    }
    return t;
}

static void test_deep_chains(void)
{
    bnd_error why;
    for (unsigned how = 0; how < 4; how++) {
        bnd_engine *engine = new_engine();
        bnd_tensor *x = leaf_of(engine, (double[]){3}, 1);
        bnd_tensor *end = chain(x, DEEP);
        if (how == 0) {
            DO(bnd_tensor_backward(end, 1, &why));
            CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 1));
            bnd_tensor_release(end);
        } else if (how == 1) {
            bnd_tensor_release(end);
        } else if (how == 2) {
            bnd_engine_forget(engine);
            bnd_tensor_release(end);
        }
        CU_ASSERT_TRUE(how == 3 || bytes_now(engine) == (how == 0 ? 8 : 4));
        bnd_engine_free(engine);
    }
}

/* 100,000 results that are saved and held, and go all at once. */
static void test_marks_of_many(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1}, 1), *t = x;
    bnd_mark mark = bnd_engine_mark(engine);
    for (size_t i = 0; i < DEEP; i++) {
        DO(bnd_tensor_pair(&t, BND_TENSOR_MUL, t, x, &why));
    }
    bnd_engine_release_since(engine, mark, &t, 1);
    DO(bnd_tensor_backward(t, 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), DEEP + 1));
    bnd_engine_release_since(engine, mark, NULL, 0);
    CU_ASSERT_EQUAL(bytes_now(engine), 8);
    bnd_engine_free(engine);
}

/* ---- references ---- */

/* Random graphs over four leaves; then handles go in random order, before or after the way back. */
static void test_any_order(void)
{
    enum { LEAVES = 4, TENSORS = 40 };
    for (uint64_t seed = 0; seed < scaled(200); seed++) {
        int64_t living = allocations_living();
        bnd_engine *engine = new_engine();
        bnd_error why;
        bnd_tensor *t[TENSORS + 1], *loss;
        for (size_t i = 0; i < LEAVES; i++) {
            t[i] = leaf_of(engine, (double[]){1, 0.5}, 2);
        }
        for (size_t i = LEAVES; i < TENSORS; i++) {
            static const bnd_tensor_operation pairs[] = {BND_TENSOR_ADD, BND_TENSOR_MUL, BND_TENSOR_MAXIMUM};
            bnd_tensor *a = t[below(i, seed, 3 * i)], *b = t[below(i, seed, 3 * i + 1)];
            uint64_t which = below(5, seed, 3 * i + 2);
            if (which < 3) {
                DO(bnd_tensor_pair(&t[i], pairs[which], a, b, &why));
            } else if (which == 3) {
                DO(bnd_tensor_map(&t[i], BND_TENSOR_TANH, a, &why));
            } else {
                DO(bnd_tensor_slice(&t[i], a, 0, 1, 2, -1, &why));
            }
        }
        t[TENSORS] = loss = sum_of(t[TENSORS - 1]);
        bool early = seed % 2 == 0;
        for (size_t left = TENSORS + 1; left > 0; left--) {
            size_t i = below(left, seed, 1000 + left);
            bnd_tensor *gone = t[i];
            t[i] = t[left - 1];
            if (gone == loss && (early || left > 1) && bnd_tensor_wants_gradient(loss)) {
                DO(bnd_tensor_backward(loss, 1, &why));
            }
            bnd_tensor_release(gone);
        }
        /* What was delivered to leaves that were gone already went with the tape. */
        CU_ASSERT_EQUAL(bytes_now(engine), 0);
        bnd_engine_free(engine);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
}

static void test_freed_with_everything(void)
{
    int64_t living = allocations_living();
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){2}, 1), *y = product(x, x), *view, *gradient;
    bnd_tensor_keep_gradient(y);
    DO(bnd_tensor_backward(sum_of(y), 1, &why));
    gradient = bnd_tensor_keep(bnd_tensor_gradient(x));
    bnd_tensor_want_gradient(gradient, true); /* a gradient that is a leaf of its own */
    DO(bnd_tensor_slice(&view, gradient, 0, 0, 1, 1, &why));
    bnd_tensor_keep(view);
    DO(bnd_tensor_backward(sum_of(product(gradient, product(x, x))), 1, &why));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(gradient), 4)); /* x x */
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 4 + 2 * 2 * 4));
    sum_of(chain(product(x, gradient), 10));
    bnd_engine_free(engine);
    CU_ASSERT_EQUAL(allocations_living(), living);
    bnd_engine_free(NULL);
}

static void test_marks(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2), *outer = product(x, x);
    uint64_t before = bytes_now(engine);
    bnd_mark mark = bnd_engine_mark(engine);
    bnd_tensor *y = product(outer, outer), *z = product(y, x), *twice = bnd_tensor_keep(y);
    bnd_mark inner = bnd_engine_mark(engine);
    bnd_tensor *loss = sum_of(product(z, z));
    CU_ASSERT_PTR_EQUAL(twice, y);
    bnd_engine_release_since(engine, inner, &loss, 1);
    DO(bnd_tensor_backward(loss, 1, &why)); /* (x^5)^2: 10 x^9 */
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(x), 10, 5120));
    CU_ASSERT_TRUE(HOLDS(z, 1, 32));
    bnd_engine_release_since(engine, mark, &z, 1);
    CU_ASSERT_TRUE(HOLDS(z, 1, 32) && HOLDS(outer, 1, 4));
    CU_ASSERT_EQUAL(bytes_now(engine), before + 8 + 8); /* z, and the gradient */
    bnd_engine_release_since(engine, mark, NULL, 0);
    CU_ASSERT_EQUAL(bytes_now(engine), before + 8);
    bnd_engine_release_since(engine, mark, NULL, 0); /* nothing is left to release */
    CU_ASSERT_EQUAL(bytes_now(engine), before + 8);
    bnd_engine_free(engine);
}

/* What no gradient goes through leaves nothing behind. */
static void test_untracked(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *x = leaf_of(engine, (double[]){1, 2}, 2),
               *c = tensor_of(engine, "fp32", (double[]){1, 2}, (size_t[]){2}, 1);
    uint64_t before = bytes_now(engine);
    bnd_tensor *y = product(c, c), *z = product(y, c);
    bnd_tensor_release(y);
    bnd_tensor_release(z);
    CU_ASSERT_EQUAL(bytes_now(engine), before);
    bnd_engine_set_tape(engine, false);
    y = product(x, x);
    CU_ASSERT_FALSE(bnd_tensor_wants_gradient(y));
    bnd_tensor_release(y);
    bnd_engine_set_tape(engine, true);
    CU_ASSERT_EQUAL(bytes_now(engine), before);
    bnd_tensor_want_gradient(x, false);
    CU_ASSERT_FALSE(bnd_tensor_wants_gradient(product(x, x)));
    bnd_engine_free(engine);
}

/* ---- checkpoints ---- */

enum { WIDTH = 32, LAYERS = 8 };

typedef struct network {
    bool random, nested, policy;
    size_t layers, depth; /* of a segment */
} network;

/* x of a layer: tanh(x w), maybe dropped out and rounded with random bits. */
static bnd_status layer(bnd_tensor **out, bnd_tensor *x, bnd_tensor *w, bool random, bnd_error *why)
{
    bnd_tensor *y = NULL, *z = NULL;
    bnd_format bf16 = format_named("bf16");
    bnd_attributes dropout = {.number = {0.2}, .seed = 4};
    bnd_status status = bnd_tensor_matmul(&y, x, w, why);
    if (status == BND_OK) {
        status = bnd_tensor_map(&z, BND_TENSOR_TANH, y, why);
        bnd_tensor_release(y);
    }
    if (status == BND_OK && random) {
        y = z;
        status = bnd_tensor_apply(&z, BND_TENSOR_DROPOUT, &y, 1, &dropout, why);
        bnd_tensor_release(y);
    }
    if (status == BND_OK && random) {
        y = z;
        status = bnd_tensor_cast(&z, y, &bf16, (bnd_rule){.rounding = BND_SR}, why);
        bnd_tensor_release(y);
    }
    if (status == BND_OK) {
        *out = z;
    }
    return status;
}

/* in[0] through the layers, all with the weight in[1]; in halves that are segments themselves, where nested. */
static bnd_status segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    const network *n = data;
    bnd_tensor *x = bnd_tensor_keep(in[0]), *y = NULL;
    bnd_status status = BND_OK;
    (void)count;
    if (n->nested && n->layers > 1) {
        static network halves[LAYERS + 1]; /* what a segment is given must still be there on the way back */
        network *half = &halves[n->layers / 2];
        *half = *n;
        half->layers = n->layers / 2;
        for (unsigned i = 0; status == BND_OK && i < 2; i++) {
            bnd_tensor *both[] = {x, in[1]};
            status = bnd_tensor_checkpoint(&y, segment, half, both, 2, why);
            bnd_tensor_release(x);
            x = status == BND_OK ? y : NULL;
        }
    } else {
        for (size_t i = 0; status == BND_OK && i < n->layers; i++) {
            status = layer(&y, x, in[1], n->random, why);
            bnd_tensor_release(x);
            x = status == BND_OK ? y : NULL;
        }
    }
    if (status == BND_OK) {
        *out = x;
    }
    return status;
}

typedef struct outcome {
    double y[WIDTH * WIDTH], dx[WIDTH * WIDTH], dw[WIDTH * WIDTH];
    bnd_account account;
} outcome;

static void run(outcome *o, network *n, bool as_checkpoint)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_format f = format_named("fp32");
    bnd_tensor *in[2], *y = NULL, *loss;
    bnd_policy policy = {.name = "test"};
    policy.cast[BND_ROLE_DACT] = (bnd_cast){.given = true, .format = format_named("e5m2")};
    policy.cast[BND_ROLE_ACT] = (bnd_cast){.given = true, .format = format_named("bf16")};
    DO(bnd_engine_set_policy(engine, n->policy ? &policy : NULL, &why));
    bnd_engine_set_seed(engine, 77, 3);
    for (unsigned i = 0; i < 2; i++) {
        DO(bnd_tensor_new(&in[i], engine, &f, (size_t[]){WIDTH, WIDTH}, 2, BND_ROLE_PARAM, &why));
        DO(bnd_tensor_normal(in[i], 0, i == 0 ? 1 : 0.2, i, 0, &why));
        bnd_tensor_want_gradient(in[i], true);
    }
    DO(as_checkpoint ? bnd_tensor_checkpoint(&y, segment, n, in, 2, &why) : segment(&y, in, 2, n, &why));
    DO(bnd_tensor_read_f64(o->y, WIDTH * WIDTH, y, &why));
    loss = product(y, y);
    bnd_tensor_release(y);
    y = loss;
    loss = sum_of(y);
    bnd_tensor_release(y);
    DO(bnd_tensor_backward(loss, 1, &why));
    DO(bnd_tensor_read_f64(o->dx, WIDTH * WIDTH, bnd_tensor_gradient(in[0]), &why));
    DO(bnd_tensor_read_f64(o->dw, WIDTH * WIDTH, bnd_tensor_gradient(in[1]), &why));
    bnd_engine_account(&o->account, engine);
    bnd_engine_free(engine);
}

static uint64_t flops_of(const outcome *o, bnd_phase phase)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BND_TENSOR_OPERATIONS; i++) {
        sum += o->account.flops[phase][i];
    }
    return sum;
}

/* Bits alike; FLOPs of a second forward pass, counted as that; and the ordinary ones as they were. */
static void compare(const network *given, uint64_t times_again)
{
    static outcome plain, again;
    network n = *given;
    n.nested = false;
    run(&plain, &n, false);
    n = *given;
    run(&again, &n, true);
    CU_ASSERT_EQUAL(memcmp(plain.y, again.y, sizeof plain.y), 0);
    CU_ASSERT_EQUAL(memcmp(plain.dx, again.dx, sizeof plain.dx), 0);
    CU_ASSERT_EQUAL(memcmp(plain.dw, again.dw, sizeof plain.dw), 0);
    uint64_t of_loss = 2 * WIDTH * WIDTH;
    CU_ASSERT_EQUAL(flops_of(&plain, BND_RECOMPUTE), 0);
    CU_ASSERT_EQUAL(flops_of(&again, BND_FORWARD), flops_of(&plain, BND_FORWARD));
    CU_ASSERT_EQUAL(flops_of(&again, BND_RECOMPUTE), times_again * (flops_of(&plain, BND_FORWARD) - of_loss));
}

static void test_checkpoint(void)
{
    compare(&(network){.layers = LAYERS}, 1);
    compare(&(network){.layers = LAYERS, .random = true}, 1);
}

/* Segments of 8, 4, 2 and 1 layers within each other: each layer is computed again four times. */
static void test_nested(void)
{
    compare(&(network){.layers = LAYERS, .nested = true}, 4);
    compare(&(network){.layers = LAYERS, .nested = true, .random = true}, 4);
}

/* Two segments of half the layers each, after each other: the intermediate results of one are there at a time. */
static bnd_status two_segments(bnd_tensor **out, bnd_tensor *const *in, network *half, bnd_error *why)
{
    bnd_tensor *y = NULL;
    bnd_status status = bnd_tensor_checkpoint(&y, segment, half, in, 2, why);
    if (status == BND_OK) {
        bnd_tensor *both[] = {y, in[1]};
        status = bnd_tensor_checkpoint(out, segment, half, both, 2, why);
        bnd_tensor_release(y);
    }
    return status;
}

static uint64_t peak_of(bool in_segments)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_account account;
    bnd_format f = format_named("fp32");
    network whole = {.layers = LAYERS}, half = {.layers = LAYERS / 2};
    bnd_tensor *in[2], *y = NULL, *loss;
    for (unsigned i = 0; i < 2; i++) {
        DO(bnd_tensor_new(&in[i], engine, &f, (size_t[]){WIDTH, WIDTH}, 2, BND_ROLE_PARAM, &why));
        DO(bnd_tensor_normal(in[i], 0, 0.2, i, 0, &why));
        bnd_tensor_want_gradient(in[i], true);
    }
    DO(in_segments ? two_segments(&y, in, &half, &why) : segment(&y, in, 2, &whole, &why));
    loss = sum_of(y);
    bnd_tensor_release(y);
    DO(bnd_tensor_backward(loss, 1, &why));
    bnd_engine_account(&account, engine);
    bnd_engine_free(engine);
    return account.bytes_peak;
}

/* Matrices of fp32 that a plain pass has at its peak: both parameters, the results of tanh, 8 of them (a product's own
 * is needed no more), and on the way back, in the last layer, the gradient of the sum, of tanh and of the product's
 * operands. In two segments: the results of one of them, 4 and what is between them. */
static void test_fewer_bytes(void)
{
    enum { MATRIX = 4 * WIDTH * WIDTH };
    uint64_t plain = peak_of(false), segments = peak_of(true);
    CU_ASSERT_TRUE(plain >= (2 + LAYERS) * (uint64_t)MATRIX);
    CU_ASSERT_TRUE(segments + 2 * MATRIX <= plain);
}

/* A segment that fails, the first time or when it is computed again, leaves nothing behind. */
static bnd_status moody(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    int *calls_left = data;
    bnd_tensor *y = NULL;
    (void)count;
    bnd_status status = bnd_tensor_map(&y, BND_TENSOR_EXP, in[0], why);
    if (status == BND_OK && (*calls_left)-- == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "not today"); /* y is left to the mark */
    }
    if (status == BND_OK) {
        *out = y;
    }
    return status;
}

static void test_failing_segments(void)
{
    for (int calls = 0; calls < 3; calls++) {
        bnd_engine *engine = new_engine();
        bnd_error why;
        int calls_left = calls;
        bnd_tensor *x = leaf_of(engine, (double[]){0, 0}, 2), *y = NULL;
        bnd_status status = bnd_tensor_checkpoint(&y, moody, &calls_left, &x, 1, &why);
        CU_ASSERT_EQUAL(status == BND_OK, calls > 0);
        if (calls == 0) {
            CU_ASSERT_PTR_NULL(y);
            CU_ASSERT_EQUAL(bytes_now(engine), 8);
        } else {
            bnd_tensor *loss = sum_of(y);
            status = bnd_tensor_backward(loss, 1, &why);
            CU_ASSERT_EQUAL(status == BND_OK, calls > 1);
            CU_ASSERT_TRUE(calls == 1 ? bnd_tensor_gradient(x) == NULL : HOLDS(bnd_tensor_gradient(x), 1, 1));
            bnd_tensor_release(loss);
            bnd_tensor_release(y);
            bnd_tensor_drop_gradient(x);
            CU_ASSERT_EQUAL(bytes_now(engine), 8);
        }
        CU_ASSERT_TRUE(bnd_engine_tape(engine));
        bnd_engine_free(engine);
    }
}

/* A segment that gives back what it got, or a view of it, or what depends on nothing that it got. */
static bnd_status nothing(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    const unsigned *how = data;
    (void)count;
    if (*how == 0) {
        *out = bnd_tensor_keep(in[0]);
        return BND_OK;
    }
    return *how == 1 ? bnd_tensor_slice(out, in[0], 0, 1, 2, -1, why)
                     : bnd_tensor_new(out, bnd_tensor_engine(in[0]), bnd_tensor_format(in[0]), (size_t[]){2}, 1,
                                      BND_ROLE_ACT, why);
}

static void test_segments_of_nothing(void)
{
    for (unsigned how = 0; how < 6; how++) {
        int64_t living = allocations_living();
        bnd_engine *engine = new_engine();
        bnd_error why;
        unsigned kind = how % 3;
        bnd_tensor *x = leaf_of(engine, (double[]){3, 5}, 2), *in = how < 3 ? x : product(x, x), *y;
        DO(bnd_tensor_checkpoint(&y, nothing, &kind, &in, 1, &why));
        DO(bnd_tensor_backward(sum_of(product(y, number_of(engine, 2))), 1, &why));
        if (kind < 2) {
            CU_ASSERT_TRUE(how < 3 ? HOLDS(bnd_tensor_gradient(x), 2, 2) : HOLDS(bnd_tensor_gradient(x), 12, 20));
        } else {
            CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
        }
        bnd_engine_free(engine);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
}

/* Roles: what leaves a segment for an activation has the format of activations' gradients, as without it. */
static void test_checkpoint_with_a_policy(void)
{
    static outcome plain, again;
    network n = {.layers = LAYERS, .nested = true, .random = true, .policy = true};
    run(&again, &n, true);
    n.nested = false;
    run(&plain, &n, false);
    CU_ASSERT_EQUAL(memcmp(plain.dx, again.dx, sizeof plain.dx), 0);
    CU_ASSERT_EQUAL(memcmp(plain.dw, again.dw, sizeof plain.dw), 0);
}

CU_TestInfo tape_tests[] = {
    {"views and copies", test_views_and_copies},
    {"leaves only", test_leaves_only},
    {"accumulation", test_accumulation},
    {"used many times", test_used_many_times},
    {"slices of one", test_slices_of_one},
    {"written since it was saved", test_written_since},
    {"written, and not saved", test_written_and_not_saved},
    {"refused", test_refused},
    {"chains of 100,000", test_deep_chains},
    {"marks of 100,000", test_marks_of_many},
    {"released in any order", test_any_order},
    {"freed with everything", test_freed_with_everything},
    {"marks", test_marks},
    {"what is not tracked", test_untracked},
    {"checkpoint", test_checkpoint},
    {"checkpoints within checkpoints", test_nested},
    {"checkpoints take fewer bytes", test_fewer_bytes},
    {"checkpoints with a policy", test_checkpoint_with_a_policy},
    {"segments that fail", test_failing_segments},
    {"segments of nothing", test_segments_of_nothing},
    CU_TEST_INFO_NULL,
};
