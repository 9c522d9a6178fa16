/* Clipping, micro-batches and ranks: gradients against plain loops that round by themselves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"
#include "tests.h"

enum { PARTS_MOST = 8 };

/* ---- numbers of a format, worked out with nothing of the library ---- */

typedef struct numbers {
    const char *name;
    int precision, lowest; /* significand bits; exponent of the smallest normal number */
} numbers;
static const numbers fp32 = {"fp32", 24, -126}, bf16 = {"bf16", 8, -126}, fp16 = {"fp16", 11, -14},
                     e5m2 = {"e5m2", 3, -14};

static double rounded(double x, const numbers *f)
{
    int e = x != 0 ? ilogb(x) : f->lowest;
    double quantum = ldexp(1, (e > f->lowest ? e : f->lowest) - f->precision + 1);
    return rint(x / quantum) * quantum;
}

/* The library adds such numbers in fp32. */
static double added(double a, double b, const numbers *f)
{
    return rounded((double)((float)a + (float)b), f);
}

/* ---- gradients of one part ---- */

static size_t count_of(const bnd_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->parameters; i++) {
        n += bnd_tensor_count(run->parameter[i].value);
    }
    return n;
}

/* The gradients at hand of all parameters, in their order; they are dropped. */
static void take_gradients(double *g, bnd_run *run)
{
    bnd_error why;
    for (size_t i = 0; i < run->parameters; i++) {
        bnd_tensor *value = run->parameter[i].value;
        size_t n = bnd_tensor_count(value);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(g, n, value->gradient, &why), &why));
        bnd_tensor_drop_gradient(value);
        g += n;
    }
}

static double *room_for(const bnd_run *run, size_t times)
{
    double *x = calloc(count_of(run) * times, sizeof *x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    return x;
}

/* The loss and the gradients of the rows of one part of `parts`, by a run that knows nothing of parts. */
static double plain_part(double *g, const bnd_training *of, size_t part, size_t parts, double scale)
{
    bnd_training t = *of;
    t.micro_batches = t.ranks = 1;
    bnd_run *run = run_of(&t, NULL);
    bnd_step step;
    bnd_error why;
    bndi_batch whole, rows;
    bnd_tensor *loss = NULL;
    double number = NAN;
    const size_t n = t.batch / parts;
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_step_begin(&step, run, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_next_batch(&whole, run, bndi_purpose(BNDI_OF_DATA, 0), &why), &why));
    rows = whole;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_slice(&rows.x, whole.x, 0, part * n, n, 1, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_slice(&rows.y, whole.y, 0, part * n, n, 1, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_loss_of(&loss, &number, run, BND_OK, &rows, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_backward(loss, scale, &why), &why));
    take_gradients(g, run);
    bndi_step_end(run, false);
    bnd_run_free(run);
    return number;
}

/* What the library makes of all parts: the loss, and the gradients that its optimizer would see. */
static double library_parts(double *g, const bnd_training *t)
{
    bnd_run *run = run_of(t, NULL);
    bnd_step step;
    bnd_error why;
    double loss = NAN;
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_step_begin(&step, run, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_step_in_parts(&loss, run, bndi_purpose(BNDI_OF_DATA, 0), &why), &why));
    take_gradients(g, run);
    bndi_step_end(run, false);
    bnd_run_free(run);
    return loss;
}

/* ---- sums in a format ---- */

static double sum_in_turn(const double *x, size_t k, size_t first, const numbers *f)
{
    double sum = x[first];
    for (size_t i = 1; i < k; i++) {
        sum = added(sum, x[(first + i) % k], f);
    }
    return sum;
}

/* Neighbours first: a block of 2^m is the sum of its halves; a half that is not there adds nothing. */
static double sum_as_tree(const double *x, size_t from, size_t width, size_t k, const numbers *f)
{
    if (width == 1) {
        return x[from];
    }
    double left = sum_as_tree(x, from, width / 2, k, f);
    return from + width / 2 < k ? added(left, sum_as_tree(x, from + width / 2, width / 2, k, f), f) : left;
}

/* Element `at` of a parameter of n, of which each rank has x. A ring's chunk c ends at rank c. */
static double reduced(const double *x, size_t k, bnd_reduction order, size_t at, size_t n, const numbers *f)
{
    size_t chunk = at / ((n + k - 1) / k);
    return order == BND_REDUCTION_TREE   ? sum_as_tree(x, 0, PARTS_MOST, k, f)
           : order == BND_REDUCTION_RING ? sum_in_turn(x, k, (chunk + 1) % k, f)
                                         : sum_in_turn(x, k, 0, f);
}

static size_t count_differences(const double *expected, const double *seen, const bnd_training *t, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (expected[i] != seen[i] && wrong++ < 3) {
            printf("\n    %s, %zu x %zu: gradient %zu is %a, not %a\n", t->model, t->ranks, t->micro_batches, i,
                   seen[i], expected[i]);
        }
    }
    return wrong;
}

static bnd_training small_training(const char *model, const char *recipe, size_t ranks, size_t micro)
{
    bnd_training t = training_of(model, "sgd", recipe);
    t.batch = 24;
    t.width = 8;
    t.inputs = t.inputs > 0 ? 8 : 0;
    t.context = t.context > 0 ? 4 : 0;
    t.heads = t.heads > 0 ? 2 : 0;
    t.depth = t.depth > 0 ? 1 : 0;
    t.ranks = ranks;
    t.micro_batches = micro;
    return t;
}

typedef struct parts_case {
    const char *model, *recipe;
    size_t ranks, micro;
    const numbers *of_sum, *of_message;
} parts_case;

/* All gradients of a case by plain loops; the loss. */
static double plain_all(double *out, const bnd_training *t, const parts_case *c, size_t n, double scale)
{
    const size_t parts = c->ranks * c->micro;
    double *g = calloc(parts * n, sizeof *g), loss = 0, of_rank[PARTS_MOST], x[PARTS_MOST];
    CU_ASSERT_PTR_NOT_NULL_FATAL(g);
    for (size_t rank = 0; rank < c->ranks; rank++) {
        of_rank[rank] = 0;
        for (size_t j = 0; j < c->micro; j++) {
            of_rank[rank] +=
                plain_part(g + (rank * c->micro + j) * n, t, rank * c->micro + j, parts, scale / (double)c->micro);
        }
        loss += of_rank[rank] / (double)c->micro;
    }
    bnd_run *run = run_of(t, NULL);
    for (size_t i = 0, at = 0; i < run->parameters; i++) {
        size_t size = bnd_tensor_count(run->parameter[i].value);
        for (size_t e = 0; e < size; e++, at++) {
            for (size_t rank = 0; rank < c->ranks; rank++) {
                const double *first = g + rank * c->micro * n + at;
                x[rank] = c->micro > 1 ? rounded(*first, c->of_sum) : *first;
                for (size_t j = 1; j < c->micro; j++) {
                    x[rank] = added(x[rank], first[j * n], c->of_sum);
                }
                x[rank] = c->ranks > 1 ? rounded(x[rank] / (double)c->ranks, c->of_message) : x[rank];
            }
            out[at] = c->ranks > 1 ? reduced(x, c->ranks, t->policy.reduction, e, size, c->of_message) : x[0];
        }
    }
    bnd_run_free(run);
    free(g);
    return loss / (double)c->ranks;
}

static void check_case(const parts_case *c)
{
    bnd_training t = small_training(c->model, c->recipe, c->ranks, c->micro);
    bnd_run *run = run_of(&t, NULL);
    const size_t n = count_of(run);
    const double scale = bnd_run_loss_scale(run);
    double *expected = room_for(run, 1), *seen = room_for(run, 1), *whole = room_for(run, 1);
    double loss = plain_all(expected, &t, c, n, scale), made = library_parts(seen, &t), most = 0, error = 0;
    CU_ASSERT_EQUAL(loss, made);
    CU_ASSERT_EQUAL(count_differences(expected, seen, &t, n), 0);
    /* and what it approximates is the gradient of the whole batch */
    CU_ASSERT_DOUBLE_EQUAL(plain_part(whole, &t, 0, 1, scale), loss, 0.02 * loss);
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(whole[i]));
        error = fmax(error, fabs(whole[i] - seen[i]));
    }
    CU_ASSERT_TRUE(error <= 0.2 * most && most > 0);
    free(whole);
    free(seen);
    free(expected);
    bnd_run_free(run);
}

static void test_parts(void)
{
    static const parts_case cases[] = {
        {"mlp", "fp32", 1, 4, &fp32, NULL},
        {"mlp", "accumulate=bf16", 1, 3, &bf16, NULL},
        {"linear", "accumulate=fp16", 1, 8, &fp16, NULL},
        {"mlp", "bf16-amp,accumulate=bf16,loss_scale=1024", 1, 6, &bf16, NULL},
        {"mlp", "bf16-pure", 1, 2, &fp32, NULL},
        {"mlp", "fp32", 4, 1, NULL, &fp32},
        {"mlp", "reduce=fp32/tree", 6, 1, NULL, &fp32},
        {"logistic", "reduce=fp32/ring", 3, 1, NULL, &fp32},
        {"mlp", "reduce=bf16", 3, 1, NULL, &bf16},
        {"mlp", "reduce=bf16/tree", 8, 1, NULL, &bf16},
        {"mlp", "reduce=bf16/ring", 8, 1, NULL, &bf16},
        {"mlp", "reduce=fp16/tree", 3, 2, &fp32, &fp16},
        {"mlp", "grad=bf16,accumulate=fp16,reduce=e5m2/ring", 4, 3, &fp16, &e5m2},
        {"transformer", "bf16-amp,accumulate=bf16,reduce=bf16/ring", 3, 2, &bf16, &bf16},
        {"student", "reduce=e5m2/sequential", 6, 1, NULL, &e5m2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_case(&cases[i]);
    }
}

/* ---- what they leave alone ---- */

/* Of a step in parts delayed scales learn the largest of all parts. */
static void test_delayed_scales(void)
{
    bnd_training t = small_training("mlp", "gemm=e4m3/delayed:4", 1, 1);
    double state[2][4096];
    for (size_t parts = 1; parts <= 4; parts += 3) {
        t.ranks = parts > 1 ? 2 : 1;
        t.micro_batches = parts > 1 ? 2 : 1;
        bnd_run *run = run_of(&t, NULL);
        (void)step_of(run);
        CU_ASSERT_TRUE_FATAL(bnd_engine_state_count(bnd_run_engine(run)) == bnd_engine_state_count(run->engine) &&
                             bnd_engine_state_count(run->engine) < 4096);
        bnd_engine_state_get(state[parts > 1], bnd_run_engine(run));
        bnd_run_free(run);
    }
    CU_ASSERT_EQUAL(memcmp(state[0], state[1], 2 * 8 * sizeof(double)), 0); /* x and w of the first layer */
    CU_ASSERT_TRUE(state[0][7] > 0);
}

/* Same seed, same bits; and another seed has other bits, where the sums are rounded stochastically. */
static void test_random_bits(void)
{
    bnd_training t = small_training("mlp", "accumulate=bf16:sr,reduce=e5m2:sr/ring", 4, 3);
    bnd_run *run = run_of(&t, NULL);
    const size_t n = count_of(run);
    double *a = room_for(run, 1), *b = room_for(run, 1);
    size_t equal = 0;
    (void)library_parts(a, &t);
    (void)library_parts(b, &t);
    CU_ASSERT_EQUAL(memcmp(a, b, n * sizeof *a), 0);
    t.seed_rounding++;
    (void)library_parts(b, &t);
    for (size_t i = 0; i < n; i++) {
        equal += a[i] == b[i];
    }
    CU_ASSERT_TRUE(equal < n);
    free(a);
    free(b);
    bnd_run_free(run);
}

/* ---- clipping ---- */

/* torch.nn.utils.clip_grad_norm_ of PyTorch 1.13, with max_norm 1: its gradients of two parameters, norm and result. */
static const float torch_before[] = {0x1.529cc0p-1f,  0x1.11548ep-2f,  0x1.f94296p-5f, 0x1.3e1d4ep-1f, -0x1.cec070p-2f,
                                     -0x1.543c16p-3f, -0x1.85d428p+0f, 0x1.86d826p-2f, -0x1.07115cp+0f};
static const float torch_after[] = {0x1.3a076ap-2f,  0x1.faf910p-4f,  0x1.d493fep-6f, 0x1.2704f0p-2f, -0x1.ad27e4p-3f,
                                    -0x1.3b889ap-4f, -0x1.6986eep-1f, 0x1.6a780cp-3f, -0x1.e7f024p-2f};
static const double torch_norm = 0x1.140a5ep+1;

static void test_clip_as_torch(void)
{
    bnd_training t = training_of("own", "sgd", "fp32");
    bnd_run *run = NULL;
    bnd_error why;
    size_t w, b;
    double factor = 0, now[9];
    t.clip = 1;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_add_parameter(&w, run, "l.w", NULL, (size_t[]){3, 2}, 2, true, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_add_parameter(&b, run, "l.b", NULL, (size_t[]){3}, 1, true, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_begin_step(run, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_set_gradient(bnd_run_use_parameter(run, w), torch_before, 6, &why), &why));
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_tensor_set_gradient(bnd_run_use_parameter(run, b), torch_before + 6, 3, &why), &why));
    double norm = sqrt(bndi_squares_of_gradients(run, 1));
    CU_ASSERT_DOUBLE_EQUAL(norm, torch_norm, 1e-7 * torch_norm);
    CU_ASSERT_TRUE(succeeds(bndi_clip_gradients(&factor, run, norm, &why), &why));
    take_gradients(now, run);
    for (size_t i = 0; i < 9; i++) {
        CU_ASSERT_DOUBLE_EQUAL(now[i], (double)torch_after[i], 1.3e-7 * fabs(now[i])); /* its norm is in fp32 */
        CU_ASSERT_EQUAL(now[i], (double)(torch_before[i] * (float)(1 / (norm + 1e-6))));
    }
    CU_ASSERT_TRUE(succeeds(bnd_run_end_step(NULL, run, NULL, &why), &why));
    bnd_run_free(run);
}

/* Weights of a step by plain loops: w - lr g under sgd, g clipped in its format and unscaled in fp32. */
static void check_clipped_step(const char *recipe, double clip, size_t ranks, const numbers *of_gradient)
{
    bnd_training t = small_training("mlp", recipe, ranks, 1);
    bnd_run *run = run_of(&t, NULL);
    const size_t n = count_of(run);
    double *g = room_for(run, 1), *w = room_for(run, 1), *now = room_for(run, 1), squares = 0;
    const double scale = bnd_run_loss_scale(run);
    (void)(ranks > 1 ? library_parts(g, &t) : plain_part(g, &t, 0, 1, scale));
    for (size_t i = 0; i < n; i++) {
        squares += g[i] / scale * (g[i] / scale);
    }
    const double norm = sqrt(squares);
    const float factor = (float)(clip * norm / (norm + 1e-6));
    t.clip = clip * norm;
    for (size_t i = 0, at = 0; i < run->parameters; i++) {
        numbers_of(w + at, bnd_tensor_count(run->parameter[i].value), run, i, BND_ROLE_PARAM);
        at += bnd_tensor_count(run->parameter[i].value);
    }
    bnd_run_free(run);
    run = run_of(&t, NULL);
    bnd_step step = step_of(run);
    CU_ASSERT_DOUBLE_EQUAL(step.gradient_norm, norm, 1e-12 * norm);
    CU_ASSERT_DOUBLE_EQUAL(step.clip_factor, clip < 1 ? (double)factor : 1, 1e-7);
    for (size_t i = 0, at = 0; i < run->parameters; i++) {
        numbers_of(now + at, bnd_tensor_count(run->parameter[i].value), run, i, BND_ROLE_PARAM);
        at += bnd_tensor_count(run->parameter[i].value);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double clipped = step.clip_factor < 1 ? rounded(g[i] * step.clip_factor, of_gradient) : g[i];
        float change = (float)(-t.lr * (double)(float)(clipped / scale));
        wrong += now[i] != (double)(float)(w[i] + (double)change);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    free(now);
    free(w);
    free(g);
    bnd_run_free(run);
}

static void test_clipped_steps(void)
{
    check_clipped_step("fp32", 0.25, 1, &fp32);
    check_clipped_step("fp32", 4, 1, &fp32); /* the norm is below: nothing is changed */
    check_clipped_step("grad=bf16", 0.3, 1, &bf16);
    check_clipped_step("loss_scale=4096", 0.5, 1, &fp32);
    check_clipped_step("reduce=e5m2/ring", 0.3, 4, &e5m2);
}

/* A norm that is infinite or NaN: as torch without error_if_nonfinite; and a loss scale skips the step before. */
static void test_clip_of_infinities(void)
{
    bnd_training t = training_of("mlp", "sgd", "loss_scale=dynamic:1024");
    bnd_run *run;
    t.clip = 1;
    run = run_of(&t, NULL);
    double w[640], inf = INFINITY, factor = 0;
    bnd_error why;
    (void)w;
    CU_ASSERT_TRUE(succeeds(bndi_clip_gradients(&factor, run, inf, &why), &why));
    CU_ASSERT_EQUAL(factor, 0);
    CU_ASSERT_TRUE(succeeds(bndi_clip_gradients(&factor, run, NAN, &why), &why));
    CU_ASSERT_TRUE(isnan(factor));
    bnd_run_free(run);
}

/* ---- what is refused ---- */

static void test_refused(void)
{
    bnd_training t = small_training("mlp", "fp32", 5, 1);
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "a batch of 24 cannot be divided into 1 micro-batch on each of 5"));
    t.ranks = 0;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "at least 1 rank"));
    t.ranks = SIZE_MAX;
    t.micro_batches = SIZE_MAX;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "cannot be divided"));
    t = small_training("quadratic", "fp32", 2, 1);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "model quadratic has no rows"));
    t = small_training("transformer", "fp32", 2, 1);
    t.context = 1;
    t.batch = (size_t)1 << 60; /* the bytes of its symbols are 0 in 64 bits */
    CU_ASSERT_TRUE(is_refused(&t, BND_NO_MEMORY, "no memory for a batch"));
    t = small_training("mlp", "fp32", 1, 1);
    t.clip = -1;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "norm to clip"));
    t = training_of("own", "sgd", "fp32");
    t.micro_batches = 2;
    CU_ASSERT_TRUE(refuses(bnd_run_new_own(&run, &t, NULL, &why), &why, "built-in model"));
    CU_ASSERT_PTR_NULL(run);
    CU_ASSERT_TRUE(refuses(bnd_policy_parse(&t.policy, "reduce=bf16/rung", &why), &why, "did you mean ring?"));
    CU_ASSERT_EQUAL(why.where, 12);
    CU_ASSERT_TRUE(refuses(bnd_policy_parse(&t.policy, "reduce=mxfp8/ring", &why), &why, "without scales"));
    CU_ASSERT_TRUE(refuses(bnd_policy_parse(&t.policy, "reduce=bf17/ring", &why), &why, "bf17"));
}

CU_TestInfo part_tests[] = {
    {"gradients of parts", test_parts},    {"delayed scales", test_delayed_scales},
    {"random bits", test_random_bits},     {"clipped as torch does it", test_clip_as_torch},
    {"clipped steps", test_clipped_steps}, {"infinite norms", test_clip_of_infinities},
    {"what is refused", test_refused},     CU_TEST_INFO_NULL,
};
