/* What becomes of the graph: large ones, and references to what is in them. */
#include "tests/support/allocations.h"
#include "graphs.h"

/* ---- large graphs ---- */

enum { DEEP = 100000 };

static bnd_tensor *chain(bnd_tensor *x, size_t length)
{
    bnd_attributes attributes = {.number = {1}};
    bnd_error why;
    bnd_tensor *t = bnd_tensor_keep(x), *next;
    for (size_t i = 0; i < length; i++) {
        CU_ASSERT_FATAL(succeeds(i % 2 == 0 ? bnd_tensor_apply(&next, BND_TENSOR_OP_SHIFT, &t, 1, &attributes, &why)
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
        DO(bnd_tensor_pair(&t, BND_TENSOR_OP_MUL, t, x, &why));
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
            static const bnd_tensor_operation pairs[] = {BND_TENSOR_OP_ADD, BND_TENSOR_OP_MUL, BND_TENSOR_OP_MAXIMUM};
            bnd_tensor *a = t[below(i, seed, 3 * i)], *b = t[below(i, seed, 3 * i + 1)];
            uint64_t which = below(5, seed, 3 * i + 2);
            if (which < 3) {
                DO(bnd_tensor_pair(&t[i], pairs[which], a, b, &why));
            } else if (which == 3) {
                DO(bnd_tensor_map(&t[i], BND_TENSOR_OP_TANH, a, &why));
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

CU_TestInfo graph_tests[] = {
    {"chains of 100,000", test_deep_chains},
    {"marks of 100,000", test_marks_of_many},
    {"released in any order", test_any_order},
    {"freed with everything", test_freed_with_everything},
    {"marks", test_marks},
    {"what is not tracked", test_untracked},
    CU_TEST_INFO_NULL,
};
