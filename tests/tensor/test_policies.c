/* What a policy says is what happens: the casts of roles are bulk's and matmul's, bit for bit; their statistics are
 * those that bulk gives, and cost nothing where nobody asks; and bytes by role are what the formats say. */
#include <binade/block.h>
#include <binade/matmul.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

/* Numbers around 1 and a good way below, of both signs. */
static void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double share = (double)below(1u << 24, seed, i) * 0x1p-24;
        x[i] = (float)ldexp(share - 0.5, (int)below(24, seed + 1, i) - 20);
    }
}

static bnd_tensor *tensor(bnd_engine *engine, const char *format, const float *x, size_t rows, size_t columns,
                          bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_tensor_from_f32(&t, engine, &f, x, (size_t[]){rows, columns}, 2, role, &why), &why);
    return t;
}

static bnd_tensor *map(bnd_tensor_operation operation, bnd_tensor *x)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    must(bnd_tensor_map(&y, operation, x, &why), &why);
    return y;
}

static bnd_tensor *pair(bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    must(bnd_tensor_pair(&y, operation, a, b, &why), &why);
    return y;
}

static void numbers_of(float *x, size_t n, const bnd_tensor *t)
{
    bnd_error why;
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    must(bnd_tensor_read_f32(x, n, t, &why), &why);
}

/* ---- a layer ---- */

/* z = gelu(x w'), loss = sum(z c). x is a transposed view. 80 * 60 numbers are more than a chunk. */
enum { BATCH = 80, IN = 60, OUT = 70, X = BATCH * IN, W = OUT * IN, Y = BATCH * OUT };

typedef struct layer {
    float x[X], w[W], c[Y], y[Y], z[Y], dy[Y], dw[W];
    bnd_stats stats[BND_ROLES];
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
    bnd_tensor *y = pair(BND_TENSOR_LINEAR, x, w), *z = map(BND_TENSOR_GELU, y);
    bnd_tensor_keep_gradient(y);
    bnd_tensor *loss = map(BND_TENSOR_SUM, pair(BND_TENSOR_MUL, z, c));
    must(bnd_tensor_backward(loss, 1, &why), &why);
    bnd_engine_account(&l->account, engine);
    numbers_of(l->y, Y, y);
    numbers_of(l->z, Y, z);
    numbers_of(l->dy, Y, bnd_tensor_gradient(y));
    numbers_of(l->dw, W, bnd_tensor_gradient(w));
    for (unsigned role = 0; role < BND_ROLES; role++) {
        l->stats[role] = (bnd_stats){0};
        CU_ASSERT_EQUAL(bnd_engine_statistics(&l->stats[role], engine, (bnd_role)role, BND_EVERYWHERE),
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

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* Sums of squares may be added up in another order. */
static bool same_statistics(const bnd_stats *got, const bnd_stats *want)
{
    return got->elements == want->elements && got->exact == want->exact && got->inexact == want->inexact &&
           got->underflows == want->underflows && got->flushed == want->flushed && got->overflows == want->overflows &&
           got->saturated == want->saturated && got->infinities_in == want->infinities_in &&
           got->nans_in == want->nans_in && got->nans_out == want->nans_out && got->compared == want->compared &&
           got->largest == want->largest && got->smallest == want->smallest &&
           memcmp(got->exponents, want->exponents, sizeof got->exponents) == 0 &&
           near(got->squared_error, want->squared_error) && near(got->squared_input, want->squared_input);
}

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
    check_statistics(&l, BND_ROLE_FWD_X, l.x, X, "e4m3", BND_RNE);
    check_statistics(&l, BND_ROLE_FWD_W, l.w, W, "e5m2", BND_RTZ);
    check_statistics(&l, BND_ROLE_WGRAD_X, l.x, X, "e3m2", BND_RNE);
    check_statistics(&l, BND_ROLE_WGRAD_DY, l.dy, Y, "e4m3", BND_RNE);
    CU_ASSERT_EQUAL(l.stats[BND_ROLE_DGRAD_DY].elements, 0); /* nobody wants the gradient of x */
    run_layer(&l, OPERANDS ",gemm_fwd.y=fp16", ASKED, 0);
    check_statistics(&l, BND_ROLE_FWD_Y, plain.y, Y, "fp16", BND_RNE);
    run_layer(&l, OPERANDS ",gemm_wgrad.dw=e4m3,grad=bf16:rup", ASKED, 0);
    check_statistics(&l, BND_ROLE_WGRAD_DW, plain.dw, W, "e4m3", BND_RNE);
    run_layer(&l, OPERANDS ",grad=bf16:rup", ASKED, 0);
    check_statistics(&l, BND_ROLE_GRAD, plain.dw, W, "bf16", BND_RUP);
    /* What gelu and the product by c keep; c itself is data. */
    run_layer(&l, OPERANDS ",saved=e4m3", ASKED, 0);
    bnd_stats want = {0};
    add_statistics(&want, plain.y, Y, "e4m3", BND_RNE);
    add_statistics(&want, plain.z, Y, "e4m3", BND_RNE);
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

/* ---- gains of norms ---- */

/* Rows of more than one chunk of blocks, and a block that is cut short. */
enum { GAIN_ROWS = 5, GAINS = 70, IN_ROWS = GAIN_ROWS * GAINS };

typedef struct norm {
    float x[IN_ROWS], gain[GAINS], d[IN_ROWS], y[IN_ROWS], dx[IN_ROWS], dgain[GAINS];
    bnd_stats here, everywhere; /* of norm.w: at place 1, and in all */
} norm;

static bnd_tensor *vector(bnd_engine *engine, const char *format, const float *x, size_t n)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_tensor_from_f32(&t, engine, &f, x, &n, 1, BND_ROLE_PARAM, &why), &why);
    bnd_tensor_want_gradient(t, true);
    return t;
}

/* Gains close below 1, as those that Su et al. saw clamped; then numbers of all sizes. */
static void fill_gains(float *gain)
{
    fill(gain, GAINS, 5);
    for (size_t i = 0; i < 32; i++) {
        gain[i] = 1 - (float)(1 + below(1000, 6, i)) * 0x1p-14f;
    }
}

/* y = norm(x) gain; loss = sum(y d). x lies as `x_format` has it. */
static void run_norm(norm *l, bnd_tensor_operation operation, const char *policy, const char *x_format,
                     const char *format)
{
    bnd_engine *engine = engine_under(policy);
    bnd_error why;
    bnd_tensor *y = NULL;
    fill(l->x, IN_ROWS, 1);
    fill(l->d, IN_ROWS, 3);
    bnd_tensor *x = tensor(engine, x_format, l->x, GAIN_ROWS, GAINS, BND_ROLE_ACT);
    bnd_tensor *gain = vector(engine, format, l->gain, GAINS);
    bnd_tensor *d = tensor(engine, "fp32", l->d, GAIN_ROWS, GAINS, BND_ROLE_DATA);
    bnd_tensor_want_gradient(x, true);
    bnd_engine_set_seed(engine, 99, 7);
    must(bnd_engine_take_statistics(engine, 2, &why), &why);
    bnd_engine_set_place(engine, 1);
    must(bnd_tensor_apply(&y, operation, (bnd_tensor *[]){x, gain}, 2, &(bnd_attributes){.number = {1e-5}}, &why),
         &why);
    bnd_engine_set_place(engine, 0);
    bnd_tensor *loss = map(BND_TENSOR_SUM, pair(BND_TENSOR_MUL, y, d));
    must(bnd_tensor_backward(loss, 1, &why), &why);
    numbers_of(l->y, IN_ROWS, y);
    numbers_of(l->dx, IN_ROWS, bnd_tensor_gradient(x));
    numbers_of(l->dgain, GAINS, bnd_tensor_gradient(gain));
    CU_ASSERT_TRUE(bnd_engine_statistics(&l->here, engine, BND_ROLE_NORM_W, 1));
    CU_ASSERT_TRUE(bnd_engine_statistics(&l->everywhere, engine, BND_ROLE_NORM_W, BND_EVERYWHERE));
    bnd_engine_free(engine);
}

static bool same_norms(const norm *a, const norm *b)
{
    return memcmp(a->y, b->y, sizeof a->y) == 0 && memcmp(a->dx, b->dx, sizeof a->dx) == 0 &&
           memcmp(a->dgain, b->dgain, sizeof a->dgain) == 0;
}

/* What the cast of the gain is worth. Results have the first number of a step for their casts: the gain's is 1. */
static void cast_gain(float *y, const float *gain, const char *format, bnd_rounding rounding, const char *scale,
                      bnd_stats *stats)
{
    const bnd_array how = {.rule = {.rounding = (uint8_t)rounding}, .seed = 99, .purpose = UINT64_C(7) << 32 | 1};
    const bnd_format f = format_named(format);
    bnd_block block;
    bnd_shape shape;
    bnd_error why;
    if (scale == NULL) {
        must(bnd_round_f32(y, gain, GAINS, &f, &how, stats, &why), &why);
        return;
    }
    must(bnd_block_scaled(&block, scale, &f, &why), &why);
    block.rule = BND_SCALE_FLOOR;
    must(bnd_block_shape(&shape, &block, (size_t[]){GAINS}, 1, 0, &why), &why);
    must(bnd_fake_quantize_f32(y, gain, shape, &block, &how, stats, &why), &why);
}

/* Under each policy everything is as if the gain had been what it is cast to: the gradient, too, which goes to the
 * gain that is kept. It is cast on both ways, and counted where the norm stands. */
static void test_gains(void)
{
    static const struct {
        const char *policy, *format;
        bnd_rounding rounding;
        const char *scale;
    } cases[] = {
        {"norm.w=e4m3", "e4m3", BND_RNE, NULL},          {"norm.w=e3m2:rtz", "e3m2", BND_RTZ, NULL},
        {"norm.w=e4m3:sr", "e4m3", BND_SR, NULL},        {"norm.w=e4m3/mx:floor", "e4m3", BND_RNE, "mx"},
        {"norm.w=e2m1/mx:floor", "e2m1", BND_RNE, "mx"}, {"mxfp8-norms", "e4m3", BND_RNE, "mx"},
    };
    static const bnd_tensor_operation operations[] = {BND_TENSOR_LAYER_NORM, BND_TENSOR_RMS_NORM};
    static norm l, want, plain;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bnd_tensor_operation operation = operations[i % 2];
        bnd_stats stats = {0};
        fill_gains(l.gain);
        memcpy(plain.gain, l.gain, sizeof l.gain);
        run_norm(&l, operation, cases[i / 2].policy, "fp32", "fp32");
        run_norm(&plain, operation, "fp32", "fp32", "fp32");
        for (int way = 0; way < 2; way++) {
            cast_gain(want.gain, l.gain, cases[i / 2].format, cases[i / 2].rounding, cases[i / 2].scale, &stats);
        }
        run_norm(&want, operation, "fp32", "fp32", "fp32");
        bool good = same_norms(&l, &want) && same_statistics(&l.here, &stats) && same_statistics(&l.everywhere, &stats);
        if (!good) {
            printf("\n    %s\n", cases[i / 2].policy);
        }
        CU_ASSERT_TRUE(good);
        CU_ASSERT_FALSE(same_norms(&l, &plain));
        CU_ASSERT_EQUAL(plain.everywhere.elements, 0);
        CU_ASSERT_TRUE(cases[i / 2].scale == NULL || l.here.saturated >= (size_t)2 * 32 / 2); /* clamped */
    }
}

/* Numbers of fp64 are not cast, nor are gains that have the format. */
static void test_gains_as_they_are(void)
{
    static norm l, plain;
    fill_gains(l.gain);
    memcpy(plain.gain, l.gain, sizeof l.gain);
    run_norm(&l, BND_TENSOR_LAYER_NORM, "norm.w=e4m3", "fp64", "fp64");
    run_norm(&plain, BND_TENSOR_LAYER_NORM, "fp32", "fp64", "fp64");
    CU_ASSERT_TRUE(same_norms(&l, &plain) && l.everywhere.elements == 0);
    run_norm(&l, BND_TENSOR_RMS_NORM, "norm.w=bf16", "fp32", "bf16");
    run_norm(&plain, BND_TENSOR_RMS_NORM, "fp32", "fp32", "bf16");
    CU_ASSERT_TRUE(same_norms(&l, &plain) && l.everywhere.inexact == 0);
    bnd_engine *engine = new_engine();
    bnd_policy policy;
    bnd_error why;
    must(bnd_policy_parse(&policy, "norm.w=e4m3/hadamard", &why), &why);
    CU_ASSERT_TRUE(refuses(bnd_engine_set_policy(engine, &policy, &why), &why, "norm.w takes no Hadamard"));
    bnd_engine_free(engine);
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
        (void)pair(BND_TENSOR_MATMUL, a, a);
        bnd_engine_account(&after, engine);
        CU_ASSERT_EQUAL(after.allocations - before.allocations, asked == 1 ? 4 : 2);
        if (asked == 1) {
            bnd_stats stats;
            CU_ASSERT_TRUE(bnd_engine_statistics(&stats, engine, BND_ROLE_FWD_X, 0));
            CU_ASSERT_EQUAL(stats.exact, 64);
            bnd_engine_reset_statistics(engine);
            CU_ASSERT_TRUE(bnd_engine_statistics(&stats, engine, BND_ROLE_FWD_X, 0));
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
    bnd_tensor *y = map(BND_TENSOR_TANH, pair(BND_TENSOR_LINEAR, a, a));
    bnd_engine_set_place(engine, 2);
    bnd_tensor *z = pair(BND_TENSOR_LINEAR, y, b);
    bnd_engine_set_place(engine, 0);
    must(bnd_tensor_backward(map(BND_TENSOR_SUM, z), 1, &why), &why);
    CU_ASSERT_TRUE(bnd_engine_statistics(&here, engine, BND_ROLE_ACT, 1));
    CU_ASSERT_TRUE(bnd_engine_statistics(&there, engine, BND_ROLE_FWD_Y, 2));
    CU_ASSERT_EQUAL(here.elements, 64);  /* tanh */
    CU_ASSERT_EQUAL(there.elements, 32); /* z */
    CU_ASSERT_TRUE(bnd_engine_statistics(&here, engine, BND_ROLE_FWD_X, 1));
    CU_ASSERT_TRUE(bnd_engine_statistics(&there, engine, BND_ROLE_WGRAD_DY, 1));
    CU_ASSERT_EQUAL(here.elements, 64);
    CU_ASSERT_EQUAL(there.elements, 64);
    CU_ASSERT_TRUE(bnd_engine_statistics(&there, engine, BND_ROLE_WGRAD_DY, 2));
    CU_ASSERT_EQUAL(there.elements, 32);
    CU_ASSERT_TRUE(bnd_engine_statistics(&all, engine, BND_ROLE_WGRAD_DY, BND_EVERYWHERE));
    CU_ASSERT_EQUAL(all.elements, 96);
    CU_ASSERT_TRUE(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, 0));
    CU_ASSERT_EQUAL(here.elements, 0);
    CU_ASSERT_FALSE(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, 3));
    CU_ASSERT_EQUAL(bnd_engine_take_statistics(engine, BND_PLACES_MAX + 1, &why), BND_BAD_ARGUMENT);
    must(bnd_engine_take_statistics(engine, 0, &why), &why);
    CU_ASSERT_FALSE(bnd_engine_statistics(&here, engine, BND_ROLE_WGRAD_DY, BND_EVERYWHERE));
    bnd_engine_free(engine);
}

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
        bnd_tensor *e = map(BND_TENSOR_EXP, leaf), *loss = map(BND_TENSOR_SUM, e);
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
        (void)pair(BND_TENSOR_MUL, leaf, leaf);
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
    bnd_status status = bnd_tensor_map(&a, BND_TENSOR_GELU, in[0], why);
    if (status == BND_OK) {
        status = bnd_tensor_pair(&b, BND_TENSOR_MUL, a, in[0], why);
    }
    return status == BND_OK ? bnd_tensor_map(out, BND_TENSOR_TANH, b, why) : status;
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
            bnd_tensor *in = map(BND_TENSOR_SIGMOID, leaf);
            must(again == 1 ? bnd_tensor_checkpoint(&out, segment, NULL, &in, 1, &why)
                            : segment(&out, &in, 1, NULL, &why),
                 &why);
            bnd_tensor *loss = map(BND_TENSOR_SUM, pair(BND_TENSOR_MUL, out, out));
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
        bnd_tensor *y = pair(BND_TENSOR_LINEAR, x, w);
        must(bnd_gemm_f32(want, M, N, a, b, K, &how, &why), &why);
        numbers_of(c, M * N, y);
        CU_ASSERT_EQUAL(memcmp(c, want, sizeof c), 0);
        /* dw = dy' x, in the same accumulator */
        must(bnd_tensor_backward(map(BND_TENSOR_SUM, pair(BND_TENSOR_MUL, y, d)), 1, &why), &why);
        how.a = (bnd_strides){1, N};
        how.b = (bnd_strides){K, 1};
        must(bnd_gemm_f32(want_dw, N, K, dy, a, M, &how, &why), &why);
        numbers_of(dw, N * K, bnd_tensor_gradient(w));
        CU_ASSERT_EQUAL(memcmp(dw, want_dw, sizeof dw), 0);
        bnd_engine_free(engine);
    }
}

/* ---- stochastic casts ---- */

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
        numbers_of(y[i], 64, map(BND_TENSOR_NEG, t));
    }
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[1], sizeof y[0]), 0);
    CU_ASSERT_EQUAL(memcmp(y[0], y[2], sizeof y[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(y[0], y[3], sizeof y[0]), 0);
    bnd_engine_free(engine);
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
    must(bnd_tensor_apply(&y, BND_TENSOR_LINEAR, in, 3, NULL, &why), &why);
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
        {"mxfp8", "fp32", 4, 4 * B * H, 4 * D * H, 4 * H * C},
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
        bnd_tensor *h = linear(in, w1, b1), *a = map(BND_TENSOR_RELU, h), *y = linear(a, w2, b2);
        bnd_tensor *loss = pair(BND_TENSOR_CROSS_ENTROPY, y, targets);
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

CU_TestInfo policy_tests[] = {
    {"statistics are bulk's", test_statistics},
    {"statistics of blocks", test_statistics_of_blocks},
    {"gains of norms", test_gains},
    {"gains as they are", test_gains_as_they_are},
    {"statistics cost nothing", test_no_cost},
    {"allocations", test_allocations},
    {"places", test_places},
    {"what is saved", test_saved},
    {"what is saved of segments", test_saved_again},
    {"accumulators", test_accumulators},
    {"stochastic casts", test_stochastic},
    {"bytes by role", test_bytes},
    CU_TEST_INFO_NULL,
};
