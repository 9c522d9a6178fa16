/* What a policy says is what happens: what is saved, the accumulators of products, and bytes by role. */
#include <binade/matmul.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "casts.h"

/* ---- what is saved ---- */

static void test_saved(void)
{
    for (int given = 0; given < 2; given++) {
        bnd_engine *engine = engine_under(given == 1 ? "saved=e4m3" : "");
        bnd_account account;
        bnd_error why;
        float x[64], y[64], d[64];
        bnd_format e4m3 = format_named("e4m3");
        fill(x, 64, 5);
        bnd_tensor *leaf = tensor(engine, "fp32", x, 8, 8, BND_ROLE_PARAM);
        bnd_tensor_want_gradient(leaf, true);
        bnd_tensor *e = map(BND_TENSOR_OP_EXP, leaf), *loss = map(BND_TENSOR_OP_SUM, e);
        bnd_engine_account(&account, engine);
        /* e and the loss in fp32; and e once more, in a byte an element, for its way back. */
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_ACT], 64 * 4 + 4 + (given == 1 ? 64 : 0));
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_SAVED], 0);
        numbers_of(y, 64, e);
        must(bnd_tensor_backward(loss, 1, &why), &why);
        numbers_of(d, 64, bnd_tensor_gradient(leaf));
        if (given == 1) {
            must(bnd_round_f32(y, y, 64, &e4m3, NULL, NULL, &why), &why);
        }
        CU_ASSERT_EQUAL(memcmp(d, y, sizeof d), 0);
        bnd_engine_account(&account, engine);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_ACT], 64 * 4 + 4);
        /* Data and parameters are kept as they are. */
        (void)pair(BND_TENSOR_OP_MUL, leaf, leaf);
        bnd_engine_account(&account, engine);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_ACT], 2 * 64 * 4 + 4);
        bnd_engine_free(engine);
    }
}

static bnd_status segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    bnd_tensor *a = NULL, *b = NULL;
    (void)count;
    (void)data;
    bnd_status status = bnd_tensor_map(&a, BND_TENSOR_OP_GELU, in[0], why);
    if (status == BND_OK) {
        status = bnd_tensor_pair(&b, BND_TENSOR_OP_MUL, a, in[0], why);
    }
    return status == BND_OK ? bnd_tensor_map(out, BND_TENSOR_OP_TANH, b, why) : status;
}

/* Stochastic casts of activations, and of what is saved of them, are the same where a segment is computed again. */
static void test_saved_again(void)
{
    static const char *const policies[] = {"act=bf16:sr", "saved=e4m3", "saved=e4m3:sr", "act=bf16:sr,saved=e4m3:sr",
                                           "act=bf16:sr,saved=e4m3:sr,dact=bf16:sr,grad=fp32"};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        float x[64], y[2][64], d[2][64];
        fill(x, 64, 6);
        for (int again = 0; again < 2; again++) {
            bnd_engine *engine = engine_under(policies[i]);
            bnd_error why;
            bnd_tensor *out = NULL;
            bnd_tensor *leaf = tensor(engine, "fp32", x, 8, 8, BND_ROLE_PARAM);
            bnd_tensor_want_gradient(leaf, true);
            bnd_tensor *in = map(BND_TENSOR_OP_SIGMOID, leaf);
            must(again == 1 ? bnd_tensor_checkpoint(&out, segment, NULL, &in, 1, &why)
                            : segment(&out, &in, 1, NULL, &why),
                 &why);
            bnd_tensor *loss = map(BND_TENSOR_OP_SUM, pair(BND_TENSOR_OP_MUL, out, out));
            must(bnd_tensor_backward(loss, 1, &why), &why);
            numbers_of(y[again], 64, out);
            numbers_of(d[again], 64, bnd_tensor_gradient(leaf));
            bnd_engine_free(engine);
        }
        bool same = memcmp(y[0], y[1], sizeof y[0]) == 0 && memcmp(d[0], d[1], sizeof d[0]) == 0;
        if (!same) {
            printf("\n    %s: other bits where a segment is computed again\n", policies[i]);
        }
        CU_ASSERT_TRUE(same);
    }
}

/* ---- accumulators ---- */

static void test_accumulators(void)
{
    static const char *const names[] = {
        "fp32", "fp16", "bf16", "fma:bf16", "each:fp32", "trunc14/promote128", "fp16/promote16", "e5m2:rtz"};
    enum { M = 9, N = 7, K = 150 };
    for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
        const char *name = names[i / 2];
        bool rounds = i % 2 == 1;
        char policy[128];
        static float a[M * K], b[N * K], c[M * N], want[M * N], dy[M * N], dw[N * K], want_dw[N * K];
        bnd_error why;
        bnd_format bf16 = format_named("bf16");
        bnd_gemm how = {.b = {1, K}, .round_a = rounds ? &bf16 : NULL, .round_b = rounds ? &bf16 : NULL};
        snprintf(policy, sizeof policy, "acc=%s%s", name, rounds ? ",gemm=bf16" : "");
        bnd_engine *engine = engine_under(policy);
        must(bnd_accumulator_parse(&how.accumulator, name, &why), &why);
        fill(a, M * K, 7);
        fill(b, N * K, 8);
        fill(dy, M * N, 9);
        bnd_tensor *x = tensor(engine, "fp32", a, M, K, BND_ROLE_DATA);
        bnd_tensor *w = tensor(engine, "fp32", b, N, K, BND_ROLE_PARAM);
        bnd_tensor *d = tensor(engine, "fp32", dy, M, N, BND_ROLE_DATA);
        bnd_tensor_want_gradient(w, true);
        bnd_tensor *y = pair(BND_TENSOR_OP_LINEAR, x, w);
        must(bnd_gemm_f32(want, M, N, a, b, K, &how, &why), &why);
        numbers_of(c, M * N, y);
        CU_ASSERT_EQUAL(memcmp(c, want, sizeof c), 0);
        /* dw = dy' x, in the same accumulator */
        must(bnd_tensor_backward(map(BND_TENSOR_OP_SUM, pair(BND_TENSOR_OP_MUL, y, d)), 1, &why), &why);
        how.a = (bnd_strides){1, N};
        how.b = (bnd_strides){K, 1};
        must(bnd_gemm_f32(want_dw, N, K, dy, a, M, &how, &why), &why);
        numbers_of(dw, N * K, bnd_tensor_gradient(w));
        CU_ASSERT_EQUAL(memcmp(dw, want_dw, sizeof dw), 0);
        bnd_engine_free(engine);
    }
}

/* ---- bytes by role ---- */

enum { B = 32, D = 64, H = 128, C = 10, PARAMETERS = D * H + H + H * C + C };

typedef struct bytes_case {
    const char *policy, *param;
    size_t kept;    /* bytes of a parameter, an activation or a gradient */
    size_t x, w;    /* at the peak of the operands of the products forward */
    size_t dgrad_w; /* back: of the second weight, the only one that a gradient goes through */
} bytes_case;

static bnd_tensor *parameter(bnd_engine *engine, const char *format, const size_t *shape, size_t rank, uint64_t seed)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_tensor_new(&t, engine, &f, shape, rank, BND_ROLE_PARAM, &why), &why);
    must(bnd_tensor_normal(t, 0, 0.1, seed, 0, &why), &why);
    bnd_tensor_want_gradient(t, true);
    return t;
}

static bnd_tensor *linear(bnd_tensor *x, bnd_tensor *w, bnd_tensor *bias)
{
    bnd_tensor *y = NULL, *in[] = {x, w, bias};
    bnd_error why;
    must(bnd_tensor_apply(&y, BND_TENSOR_OP_LINEAR, in, 3, NULL, &why), &why);
    return y;
}

/* h = x w1' + b1, a = relu(h), y = a w2' + b2, and the cross-entropy: a step forward and back. */
static void test_bytes(void)
{
    static const bytes_case cases[] = {
        /* Low everything: only x, which comes in fp32, has to be cast. */
        {"bf16-pure", "bf16", 2, 2 * B * D, 0, 0},
        {"e4m3-pure", "e4m3", 1, 1 * B * D, 0, 0},
        /* High everything; operands are worth what elements and scales say, in fp32: the larger of the two layers'. */
        {"mxfp8+fp32", "fp32", 4, 4 * B * H, 4 * D * H, 4 * H * C},
        {"bf16-amp", "fp32", 4, 2 * B * D, 2 * D * H, 2 * H * C},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bytes_case *k = &cases[i];
        bool amp = strcmp(k->policy, "bf16-amp") == 0;
        bnd_engine *engine = engine_under(k->policy);
        bnd_account account;
        bnd_error why;
        static float x[B * D], classes[B];
        fill(x, B * D, 11);
        for (size_t j = 0; j < B; j++) {
            classes[j] = (float)(j % C);
        }
        bnd_format fp32 = format_named("fp32");
        bnd_tensor *in = tensor(engine, "fp32", x, B, D, BND_ROLE_DATA), *targets = NULL;
        must(bnd_tensor_from_f32(&targets, engine, &fp32, classes, (size_t[]){B}, 1, BND_ROLE_DATA, &why), &why);
        bnd_tensor *w1 = parameter(engine, k->param, (size_t[]){H, D}, 2, 1);
        bnd_tensor *b1 = parameter(engine, k->param, (size_t[]){H}, 1, 2);
        bnd_tensor *w2 = parameter(engine, k->param, (size_t[]){C, H}, 2, 3);
        bnd_tensor *b2 = parameter(engine, k->param, (size_t[]){C}, 1, 4);
        bnd_tensor *h = linear(in, w1, b1), *a = map(BND_TENSOR_OP_RELU, h), *y = linear(a, w2, b2);
        bnd_tensor *loss = pair(BND_TENSOR_OP_CROSS_ENTROPY, y, targets);
        bnd_engine_account(&account, engine);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_DATA], 4 * (B * D + B));
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_PARAM], k->kept * PARAMETERS);
        /* h, a, y and the loss; nothing more is kept for the way back. In amp products are bf16, and what is made of
         * them, but for the loss. */
        size_t act = amp ? 2 * (2 * B * H + B * C) + 4 : k->kept * (2 * B * H + B * C + 1);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_ACT], act);
        CU_ASSERT_EQUAL(account.peak_by_role[BND_ROLE_FWD_X], k->x);
        CU_ASSERT_EQUAL(account.peak_by_role[BND_ROLE_FWD_W], k->w);
        must(bnd_tensor_backward(loss, 1, &why), &why);
        bnd_engine_account(&account, engine);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_GRAD], k->kept * PARAMETERS);
        CU_ASSERT_EQUAL(account.bytes[BND_ROLE_ACT], act);
        /* Gradients of h and of a at once: in the format of what they are gradients of. */
        CU_ASSERT_EQUAL(account.peak_by_role[BND_ROLE_DACT], (amp ? 2 : k->kept) * 2 * B * H);
        CU_ASSERT_EQUAL(account.peak_by_role[BND_ROLE_DGRAD_W], k->dgrad_w);
        static const bnd_role transient[] = {BND_ROLE_DACT,    BND_ROLE_FWD_X,   BND_ROLE_FWD_W,    BND_ROLE_DGRAD_DY,
                                             BND_ROLE_DGRAD_W, BND_ROLE_WGRAD_X, BND_ROLE_WGRAD_DY, BND_ROLE_SCRATCH};
        for (size_t j = 0; j < sizeof transient / sizeof transient[0]; j++) {
            CU_ASSERT_EQUAL(account.bytes[transient[j]], 0);
        }
        CU_ASSERT_EQUAL(account.bytes_now, account.bytes[BND_ROLE_DATA] + account.bytes[BND_ROLE_PARAM] +
                                               account.bytes[BND_ROLE_ACT] + account.bytes[BND_ROLE_GRAD]);
        bnd_engine_free(engine);
    }
}

/* ---- the causal mask ---- */

/* Minus infinity where there is one, the lowest number where there is none: a row of softmax is never no number. */
static void test_masked(void)
{
    static const struct {
        const char *policy;
        float lowest;
    } cases[] = {{"", -INFINITY},    {"act=fp16", -INFINITY}, {"act=e5m2", -INFINITY},
                 {"act=e4m3", -448}, {"act=e4m3fnuz", -240},  {"act=e2m1", -6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_engine *engine = engine_under(cases[i].policy);
        float x[16], y[16], share[16];
        fill(x, 16, 7);
        bnd_tensor *scores = map(BND_TENSOR_OP_MASKED, tensor(engine, "fp32", x, 4, 4, BND_ROLE_DATA));
        numbers_of(y, 16, scores);
        numbers_of(share, 16, map(BND_TENSOR_OP_SOFTMAX, scores));
        for (size_t at = 0; at < 16; at++) {
            CU_ASSERT_TRUE(at % 4 <= at / 4 || y[at] == cases[i].lowest);
            CU_ASSERT_TRUE(share[at] >= 0 && share[at] <= 1);
            CU_ASSERT_TRUE(at % 4 <= at / 4 || share[at] < 0.02F);
        }
        bnd_engine_free(engine);
    }
}

CU_TestInfo policy_tests[] = {
    {"what masks attention", test_masked},
    {"what is saved", test_saved},
    {"what is saved of segments", test_saved_again},
    {"accumulators", test_accumulators},
    {"bytes by role", test_bytes},
    CU_TEST_INFO_NULL,
};
