/* Section 5: FLOPs, counted as they happen. */
#include "tests/lecture/lecture.h"

#include <binade-lab/cost.h>
#include <binade/matmul.h>
#include <math.h>
#include <time.h>

static void test_flops_of_a_product(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(1024, 256), 1, 1), *w = normal(engine, SHAPE(256, 64), 1, 2), *y;
    DO(bnd_tensor_matmul(&y, x, w, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_EQUAL(account.flops[BND_PHASE_FORWARD][BND_TENSOR_OP_MATMUL], 33554432);
    CU_ASSERT_EQUAL(bnd_account_flops(&account), 33554432);                       /* and nothing else */
    CU_ASSERT_EQUAL(UINT64_C(2) * 16384 * 32768 * 8192, UINT64_C(8796093022208)); /* the lecture's, on paper */
    bnd_engine_free(engine);
}

static void test_flops_element_by_element(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(30, 70), 1, 1), *y;
    DO(bnd_tensor_pair(&y, BND_TENSOR_OP_ADD, x, x, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_EQUAL(bnd_account_flops(&account), 30 * 70);
    bnd_engine_free(engine);
}

/* gelu as one operation, and as the chain that it stands for, x (1 + erf(x / sqrt 2)) / 2: five operations, one of them
 * with two operands, read six tensors and write five. */
static void test_fused(void)
{
    enum { N = 40 * 50 };
    static float fused[N], chain[N];
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = normal(engine, SHAPE(40, 50), 1, 1), *y, *z;
    DO(bnd_tensor_map(&y, BND_TENSOR_OP_GELU, x, &why));
    bnd_account account = account_of(engine);
    CU_ASSERT_TRUE(account.bytes_read == 4 * N && account.bytes_written == 4 * N);
    bnd_engine_reset_flops(engine);
    z = with_number(BND_TENSOR_OP_SCALE, x, sqrt(0.5));
    DO(bnd_tensor_map(&z, BND_TENSOR_OP_ERF, z, &why));
    z = with_number(BND_TENSOR_OP_SHIFT, z, 1);
    DO(bnd_tensor_pair(&z, BND_TENSOR_OP_MUL, x, z, &why));
    z = with_number(BND_TENSOR_OP_SCALE, z, 0.5);
    account = account_of(engine);
    CU_ASSERT_TRUE(account.bytes_read == 6 * 4 * N && account.bytes_written == 5 * 4 * N);
    DO(bnd_tensor_read_f32(fused, N, y, &why));
    DO(bnd_tensor_read_f32(chain, N, z, &why));
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_TRUE(fabsf(fused[i] - chain[i]) <= 1e-6f);
    }
    bnd_engine_free(engine);
}

/* Dense bf16 of an H100 is half of what is printed for sparse; the notes' 4.4e19 is a thousand times too low. */
static void test_a_day_of_1024(void)
{
    bnd_machine h100;
    bnd_cost day;
    bnd_error why;
    DO(bnd_machine_find(&h100, "h100", &why));
    DO(bnd_cost_budget(&day, 1024, 1, 0.5, &h100, "bf16", false, &why));
    CU_ASSERT_TRUE(fabs(bnd_cost_value(&day, "compute") - 4.38e22) < 0.005e22);
    CU_ASSERT_EQUAL(bnd_cost_value(&day, "compute"), 1024 * (1979e12 / 2) * 0.5 * 60 * 60 * 24);
}

typedef struct layers {
    bnd_engine *engine;
    bnd_tensor *x, *w1, *w2, *h1, *loss;
} layers;

enum { B = 64, D = 32, K = 16 };

/* x --w1--> h1 --w2--> h2, and a loss of it. */
static layers two_layers(bool wants_x)
{
    bnd_error why;
    bnd_tensor *h2;
    layers m = {.engine = new_engine()};
    m.x = normal(m.engine, SHAPE(B, D), 1, 1);
    m.w1 = normal(m.engine, SHAPE(D, D), 1, 2);
    m.w2 = normal(m.engine, SHAPE(D, K), 1, 3);
    bnd_tensor_want_gradient(m.x, wants_x);
    bnd_tensor_want_gradient(m.w1, true);
    bnd_tensor_want_gradient(m.w2, true);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&m.h1, m.x, m.w1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_matmul(&h2, m.h1, m.w2, &why), &why));
    CU_ASSERT_TRUE(
        succeeds(bnd_tensor_map(&m.loss, BND_TENSOR_OP_MEAN, with_number(BND_TENSOR_OP_POW, h2, 2), &why), &why));
    return m;
}

static void test_flops_backward(void)
{
    for (unsigned wants_x = 0; wants_x < 2; wants_x++) {
        bnd_error why;
        layers m = two_layers(wants_x == 1);
        DO(bnd_tensor_backward(m.loss, 1, &why));
        bnd_account account = account_of(m.engine);
        uint64_t forward = account.flops[BND_PHASE_FORWARD][BND_TENSOR_OP_MATMUL], parameters = D * D + D * K;
        uint64_t backward = account.flops[BND_PHASE_BACKWARD][BND_TENSOR_OP_MATMUL];
        CU_ASSERT_EQUAL(forward, 2 * B * parameters);
        if (wants_x == 0) {
            CU_ASSERT_EQUAL(backward, 2 * B * D * K + 2 * B * D * K + 2 * B * D * D); /* w2, h1, w1 */
        } else {
            CU_ASSERT_EQUAL(backward, 4 * B * parameters);
            CU_ASSERT_EQUAL(forward + backward, 6 * B * parameters);
        }
        bnd_engine_free(m.engine);
    }
}

static void test_leaves_only(void)
{
    bnd_error why;
    layers m = two_layers(false);
    DO(bnd_tensor_backward(m.loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL(bnd_tensor_gradient(m.w1));
    CU_ASSERT_PTR_NOT_NULL(bnd_tensor_gradient(m.w2));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(m.x));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(m.h1));
    bnd_engine_free(m.engine);
    m = two_layers(false);
    bnd_tensor_keep_gradient(m.h1);
    DO(bnd_tensor_backward(m.loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(m.h1));
    CU_ASSERT_TRUE(has_shape(bnd_tensor_gradient(m.h1), SHAPE(B, D)));
    bnd_engine_free(m.engine);
}

static void test_gradient_of_the_lecture(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *x = tensor_of(engine, "fp32", (double[]){1, 2, 3}, SHAPE(3));
    bnd_tensor *w = tensor_of(engine, "fp32", (double[]){1, 1, 1}, SHAPE(3)), *predicted, *loss;
    bnd_tensor_want_gradient(w, true);
    DO(bnd_tensor_einsum(&predicted, "i, i ->", (bnd_tensor *[]){x, w}, 2, &why));
    loss = with_number(BND_TENSOR_OP_SCALE,
                       with_number(BND_TENSOR_OP_POW, with_number(BND_TENSOR_OP_SHIFT, predicted, -5), 2), 0.5);
    CU_ASSERT_TRUE(HOLDS(loss, 0.5));
    DO(bnd_tensor_backward(loss, 1, &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(bnd_tensor_gradient(w));
    CU_ASSERT_TRUE(HOLDS(bnd_tensor_gradient(w), 1, 2, 3));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(x));
    CU_ASSERT_PTR_NULL(bnd_tensor_gradient(loss));
    bnd_engine_free(engine);
}

/* The lecture's product, for the sake of the number: on paper, as the engine would count it. */
static void test_flops_on_paper(void)
{
    bnd_cost cost;
    bnd_error why;
    DO(bnd_cost_product(&cost, 16384, 32768, 8192, &why));
    CU_ASSERT_EQUAL(bnd_cost_value(&cost, "forward"), 8796093022208);
    DO(bnd_cost_product(&cost, B, D, K, &why));
    CU_ASSERT_EQUAL(bnd_cost_value(&cost, "backward"), 4 * B * D * K);
}

/* Achieved over peak, which is measured here: a product by itself is at the peak, as far as what else the machine does
 * lets it; a factor of a thousand, a wrong unit, would show. */
static void test_mfu(void)
{
    enum { SIDE = 256, N = SIDE * SIDE };
    static float a[N], b[N], c[N];
    struct timespec begun, ended;
    bnd_machine here;
    bnd_cost cost;
    bnd_error why;
    double peak = 0, best = INFINITY;
    for (int i = 0; i < 5; i++) {
        clock_gettime(CLOCK_MONOTONIC, &begun);
        DO(bnd_gemm_f32(c, SIDE, SIDE, a, b, SIDE, NULL, &why));
        clock_gettime(CLOCK_MONOTONIC, &ended);
        best = fmin(best, (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
    }
    DO(bnd_machine_find(&here, "this", &why));
    DO(bnd_machine_peak(&peak, &here, "fp32", false, &why));
    DO(bnd_cost_product(&cost, SIDE, SIDE, SIDE, &why));
    double mfu = bnd_cost_value(&cost, "forward") / best / peak;
    CU_ASSERT_TRUE(mfu > 0.01 && mfu < 100);
}

CU_TestInfo lecture_flops[] = {
    {"2 B D K", test_flops_of_a_product},
    {"m n", test_flops_element_by_element},
    {"fused chains move fewer bytes", test_fused},
    {"on paper", test_flops_on_paper},
    {"a day of 1024 H100", test_a_day_of_1024},
    {"MFU on this machine", test_mfu},
    {"backward: 4 B D K", test_flops_backward},
    {"gradients of leaves", test_leaves_only},
    {"w.grad = [1, 2, 3]", test_gradient_of_the_lecture},
    CU_TEST_INFO_NULL,
};
