/* Products of matrices: shapes, formats, gradients. */
#include "gradients.h"

#include <binade/matmul.h>
#include <stdio.h>
#include <string.h>

static bnd_status matmul(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    (void)data;
    return bnd_tensor_matmul(out, in[0], in[1], why);
}

static void test_matmul_gradients(void)
{
    for (uint64_t seed = 0; seed < scaled(60); seed++) {
        size_t m = 1 + below(4, seed, 0), n = 1 + below(4, seed, 1), k = 1 + below(4, seed, 2),
               stack = below(3, seed, 3);
        leaf leaves[2] = {{.rank = 2 + stack, .low = -1, .high = 1}, {.rank = 2 + stack, .low = -1, .high = 1}};
        for (size_t i = 0; i < 2; i++) {
            size_t fewer = below(stack + 1, seed, 4 + i);
            leaves[i].rank -= fewer;
            leaves[i].layout = (layout)below(LAYOUTS, seed, 6 + i);
            for (size_t j = 0; j + 2 < leaves[i].rank; j++) {
                leaves[i].shape[j] = below(3, seed, 10 + 5 * i + j) == 0 ? 1 : 2 + (fewer + j) % 2;
            }
            leaves[i].shape[leaves[i].rank - 2] = i == 0 ? m : k;
            leaves[i].shape[leaves[i].rank - 1] = i == 0 ? k : n;
        }
        CU_ASSERT_TRUE(worst_difference(matmul, NULL, leaves, 2, seed) < 1e-6);
    }
}

typedef struct linear_case {
    size_t operands;
    bool flag;
} linear_case;

static bnd_status linear(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why)
{
    const linear_case *l = data;
    bnd_attributes attributes = {.flag = l->flag};
    return bnd_tensor_apply(out, BND_TENSOR_OP_LINEAR, in, l->operands, &attributes, why);
}

static void test_linear_gradients(void)
{
    for (uint64_t seed = 0; seed < scaled(40); seed++) {
        size_t n = 1 + below(5, seed, 1), k = 1 + below(5, seed, 2);
        linear_case l = {2 + below(2, seed, 3), below(2, seed, 4) == 0};
        leaf leaves[3] = {{.shape = {2, 3, k}, .rank = 3, .low = -1, .high = 1},
                          {.shape = {l.flag ? k : n, l.flag ? n : k}, .rank = 2, .low = -1, .high = 1},
                          {.shape = {n}, .rank = 1, .low = -1, .high = 1}};
        for (size_t i = 0; i < 3; i++) {
            leaves[i].layout = (layout)below(LAYOUTS, seed, 6 + i);
        }
        CU_ASSERT_TRUE(worst_difference(linear, &l, leaves, l.operands, seed) < 1e-6);
    }
}

static void test_shapes(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_format fp32 = format_named("fp32");
    bnd_tensor *a, *b, *y = NULL;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_new(&a, engine, &fp32, (size_t[]){4, 8, 16, 32}, 4, BND_ROLE_DATA, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_new(&b, engine, &fp32, (size_t[]){32, 2}, 2, BND_ROLE_DATA, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&y, a, b, &why), &why));
    CU_ASSERT_EQUAL(bnd_tensor_rank(y), 4);
    CU_ASSERT_EQUAL(bnd_tensor_shape(y)[0], 4);
    CU_ASSERT_EQUAL(bnd_tensor_shape(y)[2], 16);
    CU_ASSERT_EQUAL(bnd_tensor_shape(y)[3], 2);
    CU_ASSERT_TRUE(refuses(bnd_tensor_matmul(&y, b, a, &why), &why, "the last axis of the first"));
    bnd_engine_free(engine);
}

/* Operands of every format: small whole numbers, so that every product is exact and the order does not matter. */
static void test_formats(void)
{
    static const char *const formats[] = {"fp32", "fp16", "bf16", "tf32", "e4m3", "e3m2", "fp64", "e8m10"};
    for (size_t f = 0; f < 8; f++) {
        for (size_t g = 0; g < 8; g++) {
            bnd_engine *engine = new_engine();
            bnd_error why;
            double x[6], y[6], z[4];
            for (int i = 0; i < 6; i++) {
                x[i] = i - 2;
                y[i] = 3 - i;
            }
            bnd_tensor *a = tensor_of(engine, formats[f], x, (size_t[]){2, 3}, 2), *t, *p;
            bnd_tensor *b = tensor_of(engine, formats[g], y, (size_t[]){2, 3}, 2);
            CU_ASSERT_TRUE(succeeds(bnd_tensor_transpose(&t, b, 0, 1, &why), &why));
            CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&p, a, t, &why), &why));
            CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(z, 4, p, &why), &why));
            CU_ASSERT_TRUE(z[0] == -8 && z[1] == 1 && z[2] == 10 && z[3] == -8);
            bnd_engine_free(engine);
        }
    }
}

/* ---- recipes ---- */

/* A layer, softmax and a sum, forward and back, under a recipe; what it does to the formats of what is kept. */
static void one_step(const bnd_policy *policy)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = NULL, *w = NULL, *y = NULL, *z = NULL, *loss = NULL;
    bnd_format fp32 = format_named("fp32"), kept = fp32;
    if (policy->cast[BND_ROLE_PARAM].given) {
        kept = policy->cast[BND_ROLE_PARAM].format;
    }
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(engine, policy, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_new(&x, engine, &fp32, (size_t[]){64, 256}, 2, BND_ROLE_DATA, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_new(&w, engine, &kept, (size_t[]){160, 256}, 2, BND_ROLE_PARAM, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_normal(x, 0, 1, 1, 0, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_normal(w, 0, 0.0625, 2, 0, &why), &why));
    bnd_tensor_want_gradient(w, true);
    bnd_tensor_want_gradient(x, true);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_pair(&y, BND_TENSOR_OP_LINEAR, x, w, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&z, BND_TENSOR_OP_LOG_SOFTMAX, y, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_map(&loss, BND_TENSOR_OP_MEAN, z, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(loss, 1, &why), &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(w));
    const bnd_cast *of_y =
        policy->cast[BND_ROLE_FWD_Y].given ? &policy->cast[BND_ROLE_FWD_Y] : &policy->cast[BND_ROLE_ACT];
    const bnd_cast *of_gradient = &policy->cast[BND_ROLE_GRAD];
    CU_ASSERT_STRING_EQUAL(bnd_tensor_format(y)->name, of_y->given ? of_y->format.name : "fp32");
    const char *of_w = of_gradient->given ? of_gradient->format.name : kept.name;
    CU_ASSERT_STRING_EQUAL(bnd_tensor_format(bnd_tensor_gradient(w))->name,
                           of_gradient->scaling[0] != 0 ? "fp32" : of_w);
    bnd_engine_free(engine);
}

static void test_recipes(void)
{
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        bnd_policy policy;
        bnd_error why;
        CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&policy, bnd_recipe_name(i), &why), &why));
        one_step(&policy);
    }
}

/* An operand of a product is what bulk/ makes of it, bit for bit; so is the result. */
static void test_casts(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_policy policy;
    float x[64], one[64] = {0}, y[64], expected[64];
    bnd_format fp32 = format_named("fp32"), bf16 = format_named("bf16"), fp16 = format_named("fp16");
    for (int i = 0; i < 64; i++) {
        x[i] = (float)((double)below(1u << 24, 5, (uint64_t)i) / 3e6);
        one[i] = i % 9 == 0;
    }
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&policy, "gemm=bf16,gemm_out=fp16", &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    bnd_tensor *a, *b, *c;
    CU_ASSERT_TRUE(succeeds(bnd_tensor_from_f32(&a, engine, &fp32, x, (size_t[]){8, 8}, 2, BND_ROLE_DATA, &why), &why));
    CU_ASSERT_TRUE(
        succeeds(bnd_tensor_from_f32(&b, engine, &fp32, one, (size_t[]){8, 8}, 2, BND_ROLE_DATA, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&c, a, b, &why), &why));
    CU_ASSERT_STRING_EQUAL(bnd_tensor_format(c)->name, "fp16");
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, 64, c, &why), &why));
    CU_ASSERT_EQUAL(bnd_round_f32(expected, x, 64, &bf16, NULL, NULL, &why), BND_OK);
    CU_ASSERT_EQUAL(bnd_round_f32(expected, expected, 64, &fp16, NULL, NULL, &why), BND_OK);
    CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
    bnd_engine_free(engine);
}

/* The bias comes last, after every promotion: dot products as matmul/ has them, and one sum more. */
static void test_promoted_bias(void)
{
    enum { ROWS = 3, INPUTS = 20, OUTPUTS = 35 };
    bnd_engine *engine = engine_under("gemm=fp32,acc=fp32/promote7");
    const bnd_format fp32 = format_named("fp32");
    bnd_gemm how = {.context = NULL};
    bnd_error why;
    float x[ROWS * INPUTS], w[OUTPUTS * INPUTS], bias[OUTPUTS], y[ROWS * OUTPUTS];
    bnd_tensor *a, *b, *c, *out;
    must(bnd_accumulator_parse(&how.accumulator, "fp32/promote7", &why), &why);
    must(bnd_tensor_new(&a, engine, &fp32, (size_t[]){ROWS, INPUTS}, 2, BND_ROLE_DATA, &why), &why);
    must(bnd_tensor_new(&b, engine, &fp32, (size_t[]){OUTPUTS, INPUTS}, 2, BND_ROLE_PARAM, &why), &why);
    must(bnd_tensor_new(&c, engine, &fp32, (size_t[]){OUTPUTS}, 1, BND_ROLE_PARAM, &why), &why);
    must(bnd_tensor_normal(a, 0, 1, 1, 0, &why), &why);
    must(bnd_tensor_normal(b, 0, 1, 2, 0, &why), &why);
    must(bnd_tensor_normal(c, 0, 1, 3, 0, &why), &why);
    const bnd_attributes none = {.flag = false};
    must(bnd_tensor_apply(&out, BND_TENSOR_OP_LINEAR, (bnd_tensor *const[]){a, b, c}, 3, &none, &why), &why);
    must(bnd_tensor_read_f32(x, ROWS * INPUTS, a, &why), &why);
    must(bnd_tensor_read_f32(w, OUTPUTS * INPUTS, b, &why), &why);
    must(bnd_tensor_read_f32(bias, OUTPUTS, c, &why), &why);
    must(bnd_tensor_read_f32(y, ROWS * OUTPUTS, out, &why), &why);
    size_t wrong = 0;
    for (size_t i = 0; i < ROWS * OUTPUTS; i++) {
        float sum;
        must(bnd_dot_f32(&sum, x + i / OUTPUTS * INPUTS, w + i % OUTPUTS * INPUTS, INPUTS, &how, &why), &why);
        wrong += !(sum + bias[i % OUTPUTS] == y[i]);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_engine_free(engine);
}

CU_TestInfo product_tests[] = {
    {"recipes", test_recipes},
    {"casts of operands and results", test_casts},
    {"a bias after promotions", test_promoted_bias},
    {"gradients of stacks", test_matmul_gradients},
    {"gradients of linear", test_linear_gradients},
    {"shapes", test_shapes},
    {"formats", test_formats},
    CU_TEST_INFO_NULL,
};
