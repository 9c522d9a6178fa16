/* The casts of a layer's roles are bulk's and block's, bit for bit; their statistics are those that these give, and
 * cost nothing where nobody asks. */
#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "casts.h"

/* ---- a layer ---- */

/* z = gelu(x w'), loss = sum(z c). x is a transposed view. 80 * 60 numbers are more than a chunk. */
enum { BATCH = 80, IN = 60, OUT = 70, X = BATCH * IN, W = OUT * IN, Y = BATCH * OUT };

typedef struct layer {
    float x[X], w[W], c[Y], y[Y], z[Y], dy[Y], dw[W];
    bnd_stats stats[BND_ROLE_COUNT];
    bnd_account account; /* after all */
} layer;

enum asking { NEVER, ASKED, ASKED_NO_MORE };

static void run_layer(layer *l, const char *policy, enum asking asking, uint64_t step)
{
    bnd_engine *engine = engine_under(policy);
    bnd_error why;
    float turned[X];
    bnd_tensor *x = NULL;
    fill(l->x, X, 1);
    fill(l->w, W, 2);
    fill(l->c, Y, 3);
    for (size_t i = 0; i < X; i++) {
        turned[i % IN * BATCH + i / IN] = l->x[i];
    }
    bnd_tensor *lies = tensor(engine, "fp32", turned, IN, BATCH, BND_ROLE_DATA);
    bnd_tensor *w = tensor(engine, "fp32", l->w, OUT, IN, BND_ROLE_PARAM);
    bnd_tensor *c = tensor(engine, "fp32", l->c, BATCH, OUT, BND_ROLE_DATA);
    must(bnd_tensor_transpose(&x, lies, 0, 1, &why), &why);
    bnd_tensor_want_gradient(w, true);
    bnd_engine_set_seed(engine, 99, step);
    must(bnd_engine_take_statistics(engine, asking != NEVER, &why), &why);
    must(bnd_engine_take_statistics(engine, asking == ASKED, &why), &why);
    bnd_tensor *y = pair(BND_TENSOR_OP_LINEAR, x, w), *z = map(BND_TENSOR_OP_GELU, y);
    bnd_tensor_keep_gradient(y);
    bnd_tensor *loss = map(BND_TENSOR_OP_SUM, pair(BND_TENSOR_OP_MUL, z, c));
    must(bnd_tensor_backward(loss, 1, &why), &why);
    bnd_engine_account(&l->account, engine);
    numbers_of(l->y, Y, y);
    numbers_of(l->z, Y, z);
    numbers_of(l->dy, Y, bnd_tensor_gradient(y));
    numbers_of(l->dw, W, bnd_tensor_gradient(w));
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        l->stats[role] = (bnd_stats){0};
        CU_ASSERT_EQUAL(bnd_engine_statistics(&l->stats[role], engine, (bnd_role)role, BND_PLACE_ALL) != NULL,
                        asking == ASKED);
    }
    bnd_engine_free(engine);
}

static bool same_results(const layer *a, const layer *b)
{
    return memcmp(a->y, b->y, sizeof a->y) == 0 && memcmp(a->z, b->z, sizeof a->z) == 0 &&
           memcmp(a->dy, b->dy, sizeof a->dy) == 0 && memcmp(a->dw, b->dw, sizeof a->dw) == 0;
}

/* ---- statistics ---- */
/* What bulk counts where these numbers are encoded to a format. */
static void add_statistics(bnd_stats *stats, const float *x, size_t n, const char *format, bnd_rounding rounding)
{
    static unsigned char codes[4 * Y];
    const bnd_array how = {.rule = {.rounding = (uint8_t)rounding}};
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_encode_f32(codes, x, n, &f, &how, stats, &why), &why);
}

static void check_statistics(const layer *l, bnd_role role, const float *x, size_t n, const char *format,
                             bnd_rounding rounding)
{
    bnd_stats want = {0};
    add_statistics(&want, x, n, format, rounding);
    bool same = same_statistics(&l->stats[role], &want);
    if (!same) {
        printf("\n    %s: %llu elements, %llu inexact; bulk has %llu, %llu\n", bnd_role_name(role),
               (unsigned long long)l->stats[role].elements, (unsigned long long)l->stats[role].inexact,
               (unsigned long long)want.elements, (unsigned long long)want.inexact);
    }
    CU_ASSERT_TRUE(same);
    CU_ASSERT_TRUE(want.inexact > 0); /* it was a cast that has something to count */
}

/* What goes into a cast is known from a run without that cast. */
static void test_statistics(void)
{
    static layer l, plain;
#define OPERANDS "gemm_fwd.x=e4m3,gemm_fwd.w=e5m2:rtz,gemm_wgrad.x=e3m2,gemm_wgrad.dy=e4m3,dact=fp32"
    run_layer(&plain, OPERANDS, NEVER, 0);
    run_layer(&l, OPERANDS, ASKED, 0);
    CU_ASSERT_TRUE(same_results(&l, &plain));
    check_statistics(&l, BND_ROLE_FWD_X, l.x, X, "e4m3", BND_ROUND_RNE);
    check_statistics(&l, BND_ROLE_FWD_W, l.w, W, "e5m2", BND_ROUND_RTZ);
    check_statistics(&l, BND_ROLE_WGRAD_X, l.x, X, "e3m2", BND_ROUND_RNE);
    check_statistics(&l, BND_ROLE_WGRAD_DY, l.dy, Y, "e4m3", BND_ROUND_RNE);
    CU_ASSERT_EQUAL(l.stats[BND_ROLE_DGRAD_DY].elements, 0); /* nobody wants the gradient of x */
    run_layer(&l, OPERANDS ",gemm_fwd.y=fp16", ASKED, 0);
    check_statistics(&l, BND_ROLE_FWD_Y, plain.y, Y, "fp16", BND_ROUND_RNE);
    run_layer(&l, OPERANDS ",gemm_wgrad.dw=e4m3,grad=bf16:rup", ASKED, 0);
    check_statistics(&l, BND_ROLE_WGRAD_DW, plain.dw, W, "e4m3", BND_ROUND_RNE);
    run_layer(&l, OPERANDS ",grad=bf16:rup", ASKED, 0);
    check_statistics(&l, BND_ROLE_GRAD, plain.dw, W, "bf16", BND_ROUND_RUP);
    /* What gelu and the product by c keep; c itself is data. */
    run_layer(&l, OPERANDS ",saved=e4m3", ASKED, 0);
    bnd_stats want = {0};
    add_statistics(&want, plain.y, Y, "e4m3", BND_ROUND_RNE);
    add_statistics(&want, plain.z, Y, "e4m3", BND_ROUND_RNE);
    CU_ASSERT_TRUE(same_statistics(&l.stats[BND_ROLE_SAVED], &want));
#undef OPERANDS
}

/* With scales: what bnd_fake_quantize_f32 counts, along the axis that is summed. */
static void test_statistics_of_blocks(void)
{
    static layer l;
    static float rounded[X];
    bnd_block block;
    bnd_shape shape;
    bnd_stats want = {0};
    bnd_error why;
    bnd_format e4m3 = format_named("e4m3");
    run_layer(&l, "gemm=e4m3/mx", ASKED, 0);
    must(bnd_block_scaled(&block, "mx", &e4m3, &why), &why);
    must(bnd_block_shape(&shape, &block, (size_t[]){BATCH, IN}, 2, 1, &why), &why);
    must(bnd_fake_quantize_f32(rounded, l.x, shape, &block, NULL, &want, &why), &why);
    CU_ASSERT_TRUE(same_statistics(&l.stats[BND_ROLE_FWD_X], &want));
    CU_ASSERT_TRUE(want.inexact > 0);
}

/* The bits are the same with statistics and without, whatever is random; and where nobody asks, or nobody asks any
 * more, not one allocation more is made. */
static void test_no_cost(void)
{
    static const char *const policies[] = {
        "",
        "bf16-pure",
        "mxfp8",
        "pure=fp16,saved=e4m3:sr",
        "pure=bf16:sr",
        "act=bf16:sr,gemm=bf16,gemm_out=bf16:sr,grad=fp32",
        "act=bf16:sr,gemm=fp32,saved=bf16:sr,acc=bf16:sr",
    };
    static layer never, asked, no_more;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        run_layer(&never, policies[i], NEVER, 0);
        run_layer(&asked, policies[i], ASKED, 0);
        run_layer(&no_more, policies[i], ASKED_NO_MORE, 0);
        bool same = same_results(&never, &asked) && same_results(&never, &no_more);
        if (!same) {
            printf("\n    %s: other bits where statistics are taken\n", policies[i]);
        }
        CU_ASSERT_TRUE(same);
        CU_ASSERT_EQUAL(never.account.allocations, no_more.account.allocations);
        CU_ASSERT_EQUAL(never.account.bytes_peak, no_more.account.bytes_peak);
        CU_ASSERT_TRUE(asked.account.allocations >= never.account.allocations);
    }
}

/* Operands that have the format already are read where they lie: the product takes its result and room to round it
 * from. To be counted they are cast after all. */
static void test_allocations(void)
{
    for (int asked = 0; asked < 2; asked++) {
        bnd_engine *engine = engine_under("gemm=fp16,gemm_out=fp16");
        bnd_error why;
        bnd_account before, after;
        float x[64];
        fill(x, 64, 4);
        bnd_tensor *a = tensor(engine, "fp16", x, 8, 8, BND_ROLE_PARAM);
        must(bnd_engine_take_statistics(engine, asked == 1, &why), &why);
        bnd_engine_account(&before, engine);
        (void)pair(BND_TENSOR_OP_MATMUL, a, a);
        bnd_engine_account(&after, engine);
        CU_ASSERT_EQUAL(after.allocations - before.allocations, asked == 1 ? 4 : 2);
        if (asked == 1) {
            bnd_stats stats;
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&stats, engine, BND_ROLE_FWD_X, 0));
            CU_ASSERT_EQUAL(stats.exact, 64);
            bnd_engine_reset_statistics(engine);
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&stats, engine, BND_ROLE_FWD_X, 0));
            CU_ASSERT_EQUAL(stats.elements, 0);
        }
        bnd_engine_free(engine);
    }
}

/* Casts are counted where the engine was when an operation was applied, those of its way back too. */
static void test_places(void)
{
    bnd_engine *engine = engine_under("pure=fp16");
    bnd_error why;
    bnd_stats here, there, all;
    float x[64];
    fill(x, 64, 6);
    bnd_tensor *a = tensor(engine, "fp16", x, 8, 8, BND_ROLE_PARAM),
               *b = tensor(engine, "fp16", x, 4, 8, BND_ROLE_PARAM);
    bnd_tensor_want_gradient(a, true);
    bnd_tensor_want_gradient(b, true);
    must(bnd_engine_take_statistics(engine, 3, &why), &why);
    bnd_engine_set_place(engine, 1);
    bnd_tensor *y = map(BND_TENSOR_OP_TANH, pair(BND_TENSOR_OP_LINEAR, a, a));
    bnd_engine_set_place(engine, 2);
    bnd_tensor *z = pair(BND_TENSOR_OP_LINEAR, y, b);
    bnd_engine_set_place(engine, 0);
    must(bnd_tensor_backward(map(BND_TENSOR_OP_SUM, z), 1, &why), &why);
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&here, engine, BND_ROLE_ACT, 1));
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&there, engine, BND_ROLE_FWD_Y, 2));
    CU_ASSERT_EQUAL(here.elements, 64);  /* tanh */
    CU_ASSERT_EQUAL(there.elements, 32); /* z */
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&here, engine, BND_ROLE_FWD_X, 1));
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&there, engine, BND_ROLE_WGRAD_DY, 1));
    CU_ASSERT_EQUAL(here.elements, 64);
    CU_ASSERT_EQUAL(there.elements, 64);
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&there, engine, BND_ROLE_WGRAD_DY, 2));
    CU_ASSERT_EQUAL(there.elements, 32);
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&all, engine, BND_ROLE_WGRAD_DY, BND_PLACE_ALL));
    CU_ASSERT_EQUAL(all.elements, 96);
    CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, 0));
    CU_ASSERT_EQUAL(here.elements, 0);
    CU_ASSERT_PTR_NULL(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, 3));
    CU_ASSERT_EQUAL(bnd_engine_take_statistics(engine, BND_PLACES_MAX + 1, &why), BND_BAD_ARGUMENT);
    must(bnd_engine_take_statistics(engine, 0, &why), &why);
    CU_ASSERT_PTR_NULL(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, BND_PLACE_ALL));
    bnd_engine_free(engine);
}

/* ---- stochastic casts ---- */

/* Numbers that are written with random bits: each call has its own, and a step anew has the same again. */
static void test_written(void)
{
    const bnd_rule rule = {.rounding = BND_ROUND_SR, .random_bits = 16};
    bnd_engine *engine = new_engine();
    bnd_error why;
    float x[64], y[4][64];
    fill(x, 64, 10);
    bnd_tensor *t = tensor(engine, "e4m3", x, 8, 8, BND_ROLE_DATA);
    for (int i = 0; i < 4; i++) {
        if (i != 1) {
            bnd_engine_set_seed(engine, 7, i == 3);
        }
        must(bnd_tensor_write_f32(t, x, 64, rule, &why), &why);
        numbers_of(y[i], 64, t);
    }
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[1], sizeof y[0]), 0);
    CU_ASSERT_EQUAL(memcmp(y[0], y[2], sizeof y[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[3], sizeof y[0]), 0);
    bnd_engine_free(engine);
}

static void test_stochastic(void)
{
    static const char *const policies[] = {"act=e4m3:sr",   "gemm=bf16:sr",    "grad=e4m3:sr", "gemm_out=e5m2:sr",
                                           "saved=e4m3:sr", "gemm=e4m3:sr/mx", "acc=bf16:sr"};
    static layer first, same, next;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        run_layer(&first, policies[i], NEVER, 3);
        run_layer(&same, policies[i], NEVER, 3);
        run_layer(&next, policies[i], NEVER, 4);
        CU_ASSERT_TRUE(same_results(&first, &same));
        CU_ASSERT_FALSE(same_results(&first, &next));
    }
    /* Two casts of one step have random bits of their own; the step anew has the same again. */
    bnd_engine *engine = engine_under("act=e4m3:sr");
    float x[64], y[4][64];
    fill(x, 64, 10);
    bnd_tensor *t = tensor(engine, "fp32", x, 8, 8, BND_ROLE_DATA);
    for (int i = 0; i < 4; i++) {
        if (i != 1) {
            bnd_engine_set_seed(engine, i == 3 ? 8 : 7, 0);
        }
        numbers_of(y[i], 64, map(BND_TENSOR_OP_NEG, t));
    }
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[1], sizeof y[0]), 0);
    CU_ASSERT_EQUAL(memcmp(y[0], y[2], sizeof y[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[3], sizeof y[0]), 0);
    bnd_engine_free(engine);
}

CU_TestInfo statistics_tests[] = {
    {"statistics are bulk's", test_statistics}, {"statistics of blocks", test_statistics_of_blocks},
    {"written with random bits", test_written}, {"statistics cost nothing", test_no_cost},
    {"allocations", test_allocations},          {"places", test_places},
    {"stochastic casts", test_stochastic},      CU_TEST_INFO_NULL,
};
