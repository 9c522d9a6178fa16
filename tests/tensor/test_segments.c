/* Checkpoints: segments of a graph that are computed again. */
#include "tests/support/allocations.h"
#include "graphs.h"

#include <string.h>

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
        status = bnd_tensor_map(&z, BND_TENSOR_OP_TANH, y, why);
        bnd_tensor_release(y);
    }
    if (status == BND_OK && random) {
        y = z;
        status = bnd_tensor_apply(&z, BND_TENSOR_OP_DROPOUT, &y, 1, &dropout, why);
        bnd_tensor_release(y);
    }
    if (status == BND_OK && random) {
        y = z;
        status = bnd_tensor_cast(&z, y, &bf16, (bnd_rule){.rounding = BND_ROUND_SR}, why);
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
    for (unsigned i = 0; i < BND_TENSOR_OP_COUNT; i++) {
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
    CU_ASSERT_EQUAL(flops_of(&plain, BND_PHASE_RECOMPUTE), 0);
    CU_ASSERT_EQUAL(flops_of(&again, BND_PHASE_FORWARD), flops_of(&plain, BND_PHASE_FORWARD));
    CU_ASSERT_EQUAL(flops_of(&again, BND_PHASE_RECOMPUTE),
                    times_again * (flops_of(&plain, BND_PHASE_FORWARD) - of_loss));
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
    bnd_status status = bnd_tensor_map(&y, BND_TENSOR_OP_EXP, in[0], why);
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

CU_TestInfo segment_tests[] = {
    {"checkpoint", test_checkpoint},
    {"checkpoints within checkpoints", test_nested},
    {"checkpoints take fewer bytes", test_fewer_bytes},
    {"checkpoints with a policy", test_checkpoint_with_a_policy},
    {"segments that fail", test_failing_segments},
    {"segments of nothing", test_segments_of_nothing},
    CU_TEST_INFO_NULL,
};
