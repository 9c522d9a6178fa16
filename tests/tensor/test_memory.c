/* Bytes, as they are taken and given back. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

#define DO(call) CU_ASSERT_FATAL(succeeds((call), &why))

static bnd_account account_of(const bnd_engine *engine)
{
    bnd_account account;
    bnd_engine_account(&account, engine);
    return account;
}

static bnd_tensor *make(bnd_engine *engine, const char *format, size_t rows, size_t columns, bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, &f, (size_t[]){rows, columns}, 2, role, &why), &why));
    return t;
}

/* A million parameters take a million times the bits of a code, and not a byte more. */
static void test_a_million(void)
{
    static const struct {
        const char *format;
        size_t bytes;
    } cases[] = {{"e4m3", 1000000}, {"e5m2", 1000000}, {"e8m0", 1000000}, {"e2m1", 500000},  {"e3m2", 750000},
                 {"bf16", 2000000}, {"fp32", 4000000}, {"fp64", 8000000}, {"tf32", 4000000}, {"e5m6", 1500000}};
    bnd_engine *engine = new_engine();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_tensor *t = make(engine, cases[i].format, 1000, 1000, BND_ROLE_PARAM);
        bnd_account a = account_of(engine);
        CU_ASSERT_EQUAL(bnd_tensor_bytes(t), cases[i].bytes);
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM], cases[i].bytes);
        CU_ASSERT_EQUAL(a.bytes_now, cases[i].bytes);
        bnd_tensor_release(t);
        CU_ASSERT_EQUAL(account_of(engine).bytes_now, 0);
    }
    bnd_engine_free(engine);
}

static void test_roles(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *t[BND_ROLE_COUNT];
    uint64_t sum = 0;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        t[role] = make(engine, "e4m3", 1, 10 + role, (bnd_role)role);
        sum += 10 + role;
    }
    for (unsigned role = 0; role < BND_ROLE_COUNT; role += 2) {
        bnd_tensor_release(t[role]);
    }
    bnd_account a = account_of(engine);
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        CU_ASSERT_EQUAL(a.bytes[role], role % 2 == 0 ? 0 : 10 + role);
        CU_ASSERT_EQUAL(a.peak_by_role[role], 10 + role);
        CU_ASSERT_EQUAL(a.by_role_at_peak[role], 10 + role);
    }
    CU_ASSERT_EQUAL(a.bytes_peak, sum);
    CU_ASSERT_EQUAL(a.allocations, BND_ROLE_COUNT);
    bnd_engine_reset_peak(engine);
    a = account_of(engine);
    CU_ASSERT_EQUAL(a.bytes_peak, a.bytes_now);
    CU_ASSERT_EQUAL(memcmp(a.bytes, a.peak_by_role, sizeof a.bytes), 0);
    CU_ASSERT_EQUAL(memcmp(a.bytes, a.by_role_at_peak, sizeof a.bytes), 0);
    bnd_engine_free(engine);
}

/* The recipe's peak has a moment of its own: scratch and data that come and go do not move it. */
static void test_roles_of_recipe(void)
{
    bnd_engine *engine = new_engine();
    bnd_tensor *param = make(engine, "fp32", 1, 10, BND_ROLE_PARAM),
               *data = make(engine, "fp32", 1, 100, BND_ROLE_DATA);
    bnd_tensor *scratch = make(engine, "fp32", 1, 1000, BND_ROLE_SCRATCH);
    bnd_account a = account_of(engine);
    CU_ASSERT_EQUAL(a.recipe_peak, 40);
    CU_ASSERT_EQUAL(a.bytes_peak, 4440);
    bnd_tensor_release(scratch);
    bnd_tensor *act = make(engine, "bf16", 1, 10, BND_ROLE_ACT), *copy = make(engine, "bf16", 1, 10, BND_ROLE_FWD_X);
    a = account_of(engine);
    CU_ASSERT_EQUAL(a.recipe_now, 60);
    CU_ASSERT_EQUAL(a.recipe_peak, 60);
    CU_ASSERT_EQUAL(a.bytes_peak, 4440);
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        CU_ASSERT_EQUAL(a.by_role_at_recipe_peak[role], role == BND_ROLE_PARAM ? 40 : role == BND_ROLE_ACT ? 20 : 0);
    }
    bnd_tensor_release(act);
    bnd_tensor_release(copy);
    bnd_tensor_release(data);
    bnd_engine_reset_peak(engine);
    CU_ASSERT_EQUAL(account_of(engine).recipe_peak, 40);
    bnd_tensor_release(param);
    CU_ASSERT_EQUAL(account_of(engine).recipe_now, 0);
    bnd_engine_free(engine);
}

/* a = exp(w), b = a a, loss = sum(b), of 10 x 10 numbers: exp saves its result, the product both operands, which is one
 * tensor. Its handle goes before the loss is there. */
static bnd_account account_of_product(const char *recipe, uint64_t *held)
{
    bnd_engine *engine = engine_under(recipe);
    bnd_error why;
    bnd_tensor *w = make(engine, "fp32", 10, 10, BND_ROLE_PARAM), *a, *b, *loss;
    bnd_tensor_want_gradient(w, true);
    DO(bnd_tensor_map(&a, BND_TENSOR_OP_EXP, w, &why));
    DO(bnd_tensor_matmul(&b, a, a, &why));
    bnd_tensor_release(a);
    DO(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, b, &why));
    bnd_tensor_release(b);
    *held = account_of(engine).bytes[BND_ROLE_ACT] - bnd_tensor_bytes(loss);
    DO(bnd_tensor_backward(loss, 1, &why));
    bnd_account account = account_of(engine);
    bnd_engine_free(engine);
    return account;
}

/* What is held when the backward pass begins, and what counts as saved: of a product's operand, its narrower copy. */
static void test_saved(void)
{
    static const struct {
        const char *recipe;
        uint64_t held, saved;
    } cases[] = {{"", 400, 400},
                 {"gemm=tf32", 400, 400},
                 {"act=bf16", 200, 200},
                 {"saved=bf16", 200, 200},
                 {"saved=e4m3", 100, 100},
                 {"saved=bf16:sr", 600, 600}, /* three copies, each with random bits of its own */
                 {"gemm=bf16", 400, 400 + 2 * 200},
                 {"gemm=e4m3/current", 400, 400 + 2 * (100 + 4)},
                 {"gemm=mxfp8", 400, 400 + 2 * (100 + 10)},
                 {"gemm_wgrad.x=e2m1", 400, 400 + 50},
                 {"gemm=mxfp8,matmul=fp32", 400, 400},
                 {"saved=bf16,gemm=e2m1", 200, 200 + 2 * 50}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t held;
        bnd_account a = account_of_product(cases[i].recipe, &held);
        if (held != cases[i].held || a.saved != cases[i].saved) {
            printf("\n    %s: %llu held, %llu saved\n", cases[i].recipe, (unsigned long long)held,
                   (unsigned long long)a.saved);
        }
        CU_ASSERT_EQUAL(held, cases[i].held);
        CU_ASSERT_EQUAL(a.saved, cases[i].saved);
        CU_ASSERT_EQUAL(a.saved_row_statistics, 0);
    }
}

/* A tensor that is written to between two operations is two tensors to them: each keeps a copy of its own. */
static void test_saved_versions(void)
{
    bnd_engine *engine = engine_under("saved=bf16");
    bnd_error why;
    bnd_tensor *w = make(engine, "fp32", 1, 4, BND_ROLE_PARAM), *x = make(engine, "fp32", 1, 4, BND_ROLE_ACT), *p, *q;
    double gradient[4];
    bnd_tensor_want_gradient(w, true);
    DO(bnd_tensor_fill(x, 2, &why));
    DO(bnd_tensor_pair(&p, BND_TENSOR_OP_MUL, w, x, &why));
    DO(bnd_tensor_fill(x, 3, &why));
    DO(bnd_tensor_pair(&q, BND_TENSOR_OP_MUL, w, x, &why));
    DO(bnd_tensor_pair(&p, BND_TENSOR_OP_ADD, p, q, &why));
    DO(bnd_tensor_map(&p, BND_TENSOR_OP_SUM, p, &why));
    DO(bnd_tensor_backward(p, 1, &why));
    CU_ASSERT_EQUAL(account_of(engine).saved, 2 * 4 * 2);
    DO(bnd_tensor_read_f64(gradient, 4, bnd_tensor_gradient(w), &why));
    CU_ASSERT_EQUAL(gradient[0], 5);
    bnd_engine_free(engine);
}

static void test_views(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = make(engine, "e2m1", 6, 8, BND_ROLE_ACT), *v;
    bnd_format f = format_named("e3m0none");
    bnd_tensor_want_gradient(x, true);
    bnd_account before = account_of(engine);
    DO(bnd_tensor_slice(&v, x, 0, 1, 2, 2, &why));
    DO(bnd_tensor_select(&v, v, 1, 3, &why));
    DO(bnd_tensor_transpose(&v, x, 0, 1, &why));
    DO(bnd_tensor_permute(&v, v, (int[]){1, 0}, 2, &why));
    DO(bnd_tensor_broadcast(&v, x, (size_t[]){100, 6, 8}, 3, &why));
    DO(bnd_tensor_unsqueeze(&v, x, 0, &why));
    DO(bnd_tensor_squeeze(&v, v, 0, &why));
    DO(bnd_tensor_view(&v, x, (size_t[]){2, 3, BND_TENSOR_INFER}, 3, &why));
    DO(bnd_tensor_reshape(&v, x, (size_t[]){48}, 1, &why));
    DO(bnd_tensor_view_as(&v, x, &f, &why));
    DO(bnd_tensor_contiguous(&v, x, &why));
    DO(bnd_tensor_rearrange(&v, x, "a (b c) -> b a c", "c=2", &why));
    bnd_account after = account_of(engine);
    CU_ASSERT_EQUAL(memcmp(&before, &after, sizeof before), 0); /* no byte, no allocation, no FLOP, nothing read */
    bnd_engine_free(engine);
}

/* x (B, D) --w1 (D, H)--> h, relu a, --w2 (H, K)--> y, loss sum(y y); in fp32, 4 bytes per element. Handles go as soon
 * as the next result is there.
 *
 * Forward. h + a are there while relu works; h is needed no more (relu saves its result). y is saved by the product
 * y y, a by the product with w2.
 *
 *     at the end of it      4 (BH + BK + 1)                         a, y, the loss
 *
 * Backward, the gradients' names with a d:
 *
 *     sum       dp of y y: 4 BK, and the loss's own, 4, until it is there
 *     y y       two gradients for y, 8 BK, beside dp, 4 BK; y goes with it, 4 BK: below 16 BK together
 *     product   dy 4 BK, da 4 BH, dw2 4 HK; beside a, 4 BH
 *     relu      a 4 BH, da 4 BH, dh 4 BH, dw2 4 HK                  the peak, for these extents
 *     product   dh 4 BH, dw2 4 HK, dw1 4 DH
 *
 * and all the time the parameters, 4 (DH + HK), the data, 4 BD, and the loss, 4. Nothing of it is scratch: products
 * read their operands where they lie. */
static void test_two_layers(void)
{
    enum { B = 64, D = 32, H = 48, K = 16 };
    enum { PARAMETERS = 4 * (D * H + H * K), DATA = 4 * B * D, ACTS = 4 * B * H + 4, GRADS = 4 * H * K };
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = make(engine, "fp32", B, D, BND_ROLE_DATA), *w1 = make(engine, "fp32", D, H, BND_ROLE_PARAM);
    bnd_tensor *w2 = make(engine, "fp32", H, K, BND_ROLE_PARAM), *h, *a, *y, *square, *loss;
    bnd_tensor_want_gradient(w1, true);
    bnd_tensor_want_gradient(w2, true);
    DO(bnd_tensor_normal(x, 0, 1, 1, 0, &why));
    DO(bnd_tensor_normal(w1, 0, 1, 2, 0, &why));
    DO(bnd_tensor_normal(w2, 0, 1, 3, 0, &why));
    for (unsigned step = 0; step < 2; step++) { /* and again: nothing is left over */
        bnd_engine_reset_peak(engine);
        DO(bnd_tensor_matmul(&h, x, w1, &why));
        DO(bnd_tensor_map(&a, BND_TENSOR_OP_RELU, h, &why));
        bnd_tensor_release(h);
        DO(bnd_tensor_matmul(&y, a, w2, &why));
        bnd_tensor_release(a);
        DO(bnd_tensor_pair(&square, BND_TENSOR_OP_MUL, y, y, &why));
        bnd_tensor_release(y);
        DO(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, square, &why));
        bnd_tensor_release(square);
        CU_ASSERT_EQUAL(account_of(engine).bytes_now, PARAMETERS + DATA + 4 * (B * H + B * K + 1));
        DO(bnd_tensor_backward(loss, 1, &why));
        bnd_account account = account_of(engine);
        CU_ASSERT_EQUAL(account.bytes_peak, PARAMETERS + DATA + ACTS + 8 * B * H + GRADS);
        CU_ASSERT_EQUAL(account.by_role_at_peak[BND_ROLE_PARAM], PARAMETERS);
        CU_ASSERT_EQUAL(account.by_role_at_peak[BND_ROLE_DATA], DATA);
        CU_ASSERT_EQUAL(account.by_role_at_peak[BND_ROLE_ACT], ACTS);
        CU_ASSERT_EQUAL(account.by_role_at_peak[BND_ROLE_DACT], 8 * B * H);
        CU_ASSERT_EQUAL(account.by_role_at_peak[BND_ROLE_GRAD], GRADS);
        /* Gradients as large as the parameters are what stays. */
        bnd_tensor_release(loss);
        CU_ASSERT_EQUAL(account_of(engine).bytes_now, 2 * PARAMETERS + DATA);
        bnd_tensor_drop_gradient(w1);
        bnd_tensor_drop_gradient(w2);
        CU_ASSERT_EQUAL(account_of(engine).bytes_now, PARAMETERS + DATA);
    }
    bnd_engine_free(engine);
}

CU_TestInfo memory_tests[] = {
    {"a million elements", test_a_million},
    {"by role", test_roles},
    {"of the recipe", test_roles_of_recipe},
    {"views take none", test_views},
    {"a step of two layers", test_two_layers},
    {"saved for the backward pass", test_saved},
    {"saved, and written to since", test_saved_versions},
    CU_TEST_INFO_NULL,
};
