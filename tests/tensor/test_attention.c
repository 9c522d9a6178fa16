/* The roles of attention's tensors, against plain loops: a tensor is rounded where its role is given, in each of its
 * products, and nothing else is. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "casts.h"
#include "tests/support/plain.h"

enum { ROWS = 5, INNER = 6, COLUMNS = 7, OF_A = ROWS * INNER, OF_B = INNER * COLUMNS, OF_Y = ROWS * COLUMNS };

/* y = a b, and the gradients for a `d` of y. */
typedef struct product {
    float y[OF_Y], da[OF_A], db[OF_B];
} product;

static const struct roles {
    bnd_role y, a, b, d, da, db;
} products[] = {
    {BND_ROLE_ATTN_S, BND_ROLE_ATTN_Q, BND_ROLE_ATTN_K, BND_ROLE_ATTN_DS, BND_ROLE_ATTN_DQ, BND_ROLE_ATTN_DK},
    {BND_ROLE_ATTN_O, BND_ROLE_ATTN_P, BND_ROLE_ATTN_V, BND_ROLE_ATTN_DO, BND_ROLE_ATTN_DP, BND_ROLE_ATTN_DV},
};

/* Which tensors are bf16, one bit per role. */
static float as(float x, bnd_role role, uint64_t low)
{
    return (low >> role & 1) != 0 ? to_bf16(x) : x;
}

/* Sums in the order of k, each product fused. */
static void by_loops(product *out, const float *a, const float *b, const float *d, const struct roles *r, uint64_t low)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (size_t k = 0; k < INNER; k++) {
                sum = fmaf(as(a[i * INNER + k], r->a, low), as(b[k * COLUMNS + j], r->b, low), sum);
            }
            out->y[i * COLUMNS + j] = as(sum, r->y, low);
        }
        for (size_t k = 0; k < INNER; k++) {
            float sum = 0;
            for (size_t j = 0; j < COLUMNS; j++) {
                sum = fmaf(as(d[i * COLUMNS + j], r->d, low), as(b[k * COLUMNS + j], r->b, low), sum);
            }
            out->da[i * INNER + k] = as(sum, r->da, low);
        }
    }
    for (size_t k = 0; k < INNER; k++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (size_t i = 0; i < ROWS; i++) {
                sum = fmaf(as(a[i * INNER + k], r->a, low), as(d[i * COLUMNS + j], r->d, low), sum);
            }
            out->db[k * COLUMNS + j] = as(sum, r->db, low);
        }
    }
}

/* A leaf's gradient is kept as a parameter's is; behind a factor of 1 it flows. */
static bnd_tensor *flowing(bnd_tensor *leaf)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_tensor_want_gradient(leaf, true);
    must(bnd_tensor_apply(&t, BND_TENSOR_OP_SCALE, &leaf, 1, &(bnd_attributes){.number = {1}}, &why), &why);
    return t;
}

static void by_engine(product *out, const float *a, const float *b, const float *d, bnd_role y, const char *policy)
{
    bnd_engine *engine = engine_under(policy);
    bnd_error why;
    bnd_tensor *of_a = tensor(engine, "fp32", a, ROWS, INNER, BND_ROLE_DATA), *result = NULL;
    bnd_tensor *of_b = tensor(engine, "fp32", b, INNER, COLUMNS, BND_ROLE_DATA);
    bnd_tensor *of_d = tensor(engine, "fp32", d, ROWS, COLUMNS, BND_ROLE_DATA);
    bnd_tensor *in[] = {flowing(of_a), flowing(of_b)};
    must(bnd_tensor_apply(&result, BND_TENSOR_OP_MATMUL, in, 2, &(bnd_attributes){.role = y}, &why), &why);
    bnd_tensor *loss = map(BND_TENSOR_OP_SUM, pair(BND_TENSOR_OP_MUL, result, of_d));
    must(bnd_tensor_backward(loss, 1, &why), &why);
    numbers_of(out->y, OF_Y, result);
    numbers_of(out->da, OF_A, bnd_tensor_gradient(of_a));
    numbers_of(out->db, OF_B, bnd_tensor_gradient(of_b));
    bnd_engine_free(engine);
}

static bool agree(const struct roles *r, const char *policy, uint64_t low)
{
    static float a[OF_A], b[OF_B], d[OF_Y];
    product got, want;
    fill(a, OF_A, 1);
    fill(b, OF_B, 2);
    fill(d, OF_Y, 3);
    for (size_t i = 0; i < OF_Y; i++) {
        d[i] = as(d[i], r->y, low); /* the gradient of a bf16 result is bf16, whatever the role of dy */
    }
    by_engine(&got, a, b, d, r->y, policy);
    by_loops(&want, a, b, d, r, low);
    bool same = memcmp(&got, &want, sizeof got) == 0;
    if (!same) {
        printf("\n    %s, %s: another result\n", bnd_role_name(r->y), policy);
    }
    return same;
}

static const uint64_t all = (UINT64_C(1) << BND_ROLE_COUNT) - 1;

/* One role at a time, and all operands, and all results. */
static void test_each_role(void)
{
    char policy[64];
    product plain, low;
    for (size_t p = 0; p < 2; p++) {
        const struct roles *r = &products[p];
        const bnd_role own[] = {r->y, r->a, r->b, r->d, r->da, r->db};
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
            const uint64_t bit = UINT64_C(1) << own[i];
            snprintf(policy, sizeof policy, "%s=bf16", bnd_role_name(own[i]));
            CU_ASSERT_TRUE(agree(r, policy, bit));
            CU_ASSERT_TRUE(agree(&products[1 - p], policy, bit));
            by_engine(&low, (float[OF_A]){1.001f}, (float[OF_B]){1.001f}, (float[OF_Y]){1.001f}, r->y, policy);
            by_engine(&plain, (float[OF_A]){1.001f}, (float[OF_B]){1.001f}, (float[OF_Y]){1.001f}, r->y, "fp32");
            CU_ASSERT_NOT_EQUAL(memcmp(&low, &plain, sizeof low), 0); /* the role does something */
        }
        CU_ASSERT_TRUE(agree(r, "attn=bf16,attn_out=bf16", all));
    }
}

/* What is not given follows matmul, then the operand's place; results follow gemm_out, then act and dact. */
static void test_followed(void)
{
    const struct roles *r = &products[1];
    const uint64_t operands = UINT64_C(1) << r->a | UINT64_C(1) << r->b | UINT64_C(1) << r->d;
    const uint64_t results = UINT64_C(1) << r->y | UINT64_C(1) << r->da | UINT64_C(1) << r->db;
    CU_ASSERT_TRUE(agree(r, "matmul=bf16", operands));
    CU_ASSERT_TRUE(agree(r, "gemm=bf16", operands));
    CU_ASSERT_TRUE(agree(r, "matmul=bf16,attn.p=fp32", operands & ~(UINT64_C(1) << r->a)));
    CU_ASSERT_TRUE(agree(r, "gemm=bf16,attn.v=fp32", operands & ~(UINT64_C(1) << r->b)));
    CU_ASSERT_TRUE(agree(r, "gemm_out=bf16", results));
    CU_ASSERT_TRUE(agree(r, "gemm_out=bf16,attn.dp=fp32", results & ~(UINT64_C(1) << r->da)));
    CU_ASSERT_TRUE(agree(r, "gemm_out=bf16,attn.o=fp32", results & ~(UINT64_C(1) << r->y)));
}

/* The copy of an operand that the backward pass reads is counted in the operand's own format. */
static void test_saved_bytes(void)
{
    static const struct {
        const char *policy;
        size_t bytes;
    } cases[] = {{"fp32", 4 * (OF_A + OF_B)},
                 {"attn.p=bf16", 2 * OF_A + 4 * OF_B},
                 {"attn.v=e4m3", 4 * OF_A + OF_B},
                 {"matmul=bf16,attn.p=e4m3", OF_A + 2 * OF_B},
                 {"attn.q=bf16,attn.do=bf16", 4 * (OF_A + OF_B)}};
    float a[OF_A], b[OF_B];
    fill(a, OF_A, 1);
    fill(b, OF_B, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_engine *engine = engine_under(cases[i].policy);
        bnd_error why;
        bnd_account account;
        bnd_tensor *y = NULL, *in[] = {flowing(tensor(engine, "fp32", a, ROWS, INNER, BND_ROLE_DATA)),
                                       flowing(tensor(engine, "fp32", b, INNER, COLUMNS, BND_ROLE_DATA))};
        bnd_attributes mixed = {.role = BND_ROLE_ATTN_O};
        must(bnd_tensor_apply(&y, BND_TENSOR_OP_MATMUL, in, 2, &mixed, &why), &why);
        must(bnd_tensor_backward(map(BND_TENSOR_OP_SUM, y), 1, &why), &why);
        bnd_engine_account(&account, engine);
        CU_ASSERT_EQUAL(account.saved, cases[i].bytes);
        bnd_engine_free(engine);
    }
}

/* Exponentials of whole blocks of minus infinities are not computed: with fp32's lowest number there, whose exponential
 * is computed, and is zero, all bits are the same. A row of nothing else has no sum to divide by: NaN. */
static void test_masked_blocks(void)
{
    enum { HIGH = 12, WIDE = 261 };
    static float x[2][HIGH * WIDE], y[2][HIGH * WIDE];
    for (unsigned i = 0; i < HIGH * WIDE; i++) {
        const unsigned row = i / WIDE, column = i % WIDE;
        const bool masked = column > row * 24 || (row > 8 && column / 64 == 1);
        x[0][i] = masked ? -INFINITY : sinf((float)i) * 9;
        x[1][i] = masked ? -FLT_MAX : x[0][i];
    }
    x[0][2 * WIDE + 7] = x[1][2 * WIDE + 7] = INFINITY; /* its share is NaN, that of others 0 */
    x[0][3 * WIDE + 7] = x[1][3 * WIDE + 7] = NAN;
    bnd_engine *engine = engine_under("fp32");
    for (unsigned i = 0; i < 2; i++) {
        numbers_of(y[i], HIGH * WIDE,
                   map(BND_TENSOR_OP_SOFTMAX, tensor(engine, "fp32", x[i], HIGH, WIDE, BND_ROLE_DATA)));
    }
    CU_ASSERT_EQUAL(memcmp(y[0], y[1], sizeof y[0]), 0);
    CU_ASSERT_EQUAL(y[0][WIDE - 1], 0);
    for (unsigned i = 0; i < WIDE; i++) {
        x[0][i] = -INFINITY;
    }
    numbers_of(y[0], WIDE, map(BND_TENSOR_OP_SOFTMAX, tensor(engine, "fp32", x[0], 1, WIDE, BND_ROLE_DATA)));
    CU_ASSERT_TRUE(isnan(y[0][0]) && isnan(y[0][WIDE - 1]));
    bnd_engine_free(engine);
}

static void test_refused(void)
{
    bnd_engine *engine = engine_under("fp32");
    bnd_error why;
    float x[4] = {1, 2, 3, 4};
    bnd_tensor *a = tensor(engine, "fp32", x, 2, 2, BND_ROLE_DATA), *in[] = {a, a}, *y = NULL;
    bnd_attributes scores = {.role = BND_ROLE_ATTN_S}, other = {.role = BND_ROLE_ATTN_P};
    CU_ASSERT_TRUE(refuses(bnd_tensor_apply(&y, BND_TENSOR_OP_MATMUL, in, 2, &other, &why), &why, "attn.s or attn.o"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_apply(&y, BND_TENSOR_OP_ADD, in, 2, &scores, &why), &why, "attn.s or attn.o"));
    CU_ASSERT_PTR_NULL(y);
    bnd_engine_free(engine);
}

CU_TestInfo attention_tests[] = {
    {"each role, against loops", test_each_role},
    {"roles that are followed", test_followed},
    {"bytes saved", test_saved_bytes},
    {"masked blocks", test_masked_blocks},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
