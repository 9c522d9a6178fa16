/* Adam-mini: its steps are those of plain loops over blocks that names alone tell, bit for bit, in every built-in
 * language model; blocks of one element are AdamW's; and how many blocks there are. tests/train/golden has steps by
 * numpy, tests/cost its memory. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, MOST = 8192 };

static double normal(uint64_t seed, uint64_t i)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++) {
        sum += (double)(bnd_random(seed, k, i) >> 11) * 0x1p-53;
    }
    return sum;
}

static bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), m = strlen(with);
    return n >= m && strcmp(name + n - m, with) == 0;
}

/* ---- plain loops ---- */

/* A small language model: 4 heads of 8, keys and values maybe of fewer. */
typedef struct language_model {
    const char *model, *options;
    size_t heads, kv;
    bool turned;
} language_model;
enum { WIDTH = 32, HEAD = 8, VOCABULARY = 11 };

/* The block of an element, by the words of the paper: which parameter it is, its row and its column. */
static size_t block_of(const language_model *s, const char *name, size_t rank, size_t row, size_t column)
{
    const bool joined = ends(name, "qkv.weight") || ends(name, "c_attn.weight"),
               alone = ends(name, "q_proj.weight") || ends(name, "k_proj.weight");
    const size_t output = s->turned && strstr(name, ".h.") != NULL ? column : row;
    if (rank == 1) {
        return ends(name, "bias") ? row : 0;
    }
    if (alone) {
        return row / HEAD;
    }
    const size_t turned = (s->heads + s->kv) * HEAD;
    return joined && output < turned ? output / HEAD : joined ? output - turned + s->heads + s->kv : output;
}

typedef struct plain {
    size_t rank, rows, columns;
    bool decays;
    float w[MOST], m[MOST], v[MOST];
} plain;

static void plain_step(plain *p, const language_model *s, const char *name, const double *g, int step,
                       const bnd_training *t)
{
    static double sum[MOST];
    static size_t count[MOST];
    const size_t n = p->rows * p->columns;
    const double rate = t->lr / (1 - pow(t->beta1, step)), root = 1 / sqrt(1 - pow(t->beta2, step));
    memset(sum, 0, sizeof sum);
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < n; i++) {
        const size_t b = block_of(s, name, p->rank, i / p->columns, i % p->columns);
        sum[b] += (double)(float)g[i] * (double)(float)g[i];
        count[b]++;
    }
    for (size_t b = 0; b < MOST && count[b] > 0; b++) {
        const float mean = (float)(sum[b] / (double)count[b]), part = (float)((1 - t->beta2) * (double)mean);
        p->v[b] = (float)(t->beta2 * (double)p->v[b]);
        p->v[b] += part;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t b = block_of(s, name, p->rank, i / p->columns, i % p->columns);
        float divisor = (float)(root * (double)sqrtf(p->v[b]));
        divisor = (float)((double)divisor + t->epsilon);
        if (p->decays) {
            p->w[i] = (float)((1 - t->lr * t->weight_decay) * (double)p->w[i]);
        }
        p->m[i] = (float)(t->beta1 * (double)p->m[i]);
        p->m[i] = (float)((double)p->m[i] + (1 - t->beta1) * (double)(float)g[i]);
        p->w[i] += (float)(-rate * (double)p->m[i] / (double)divisor);
    }
}

/* The largest difference to a part of the run, over the largest number there. */
static double difference(const float *x, const bnd_run *run, size_t i, bnd_role part)
{
    static double now[MOST];
    const size_t n = bnd_tensor_count(bnd_run_parameter(run, i, part));
    double worst = 0, most = 0;
    numbers_of(now, n, run, i, part);
    for (size_t k = 0; k < n; k++) {
        worst = fmax(worst, fabs(now[k] - (double)x[k]));
        most = fmax(most, fabs((double)x[k]));
    }
    return most > 0 ? worst / most : worst;
}

static void open_plain(plain *p, const bnd_run *run, size_t i)
{
    static double w[MOST];
    const bnd_tensor *t = bnd_run_parameter(run, i, BND_ROLE_PARAM);
    const size_t n = bnd_tensor_count(t);
    memset(p, 0, sizeof *p);
    CU_ASSERT_TRUE_FATAL(n <= MOST);
    p->rank = bnd_tensor_rank(t);
    p->columns = p->rank == 2 ? bnd_tensor_shape(t)[1] : 1;
    p->rows = n / p->columns;
    p->decays = run->parameter[i].decays;
    numbers_of(w, n, run, i, BND_ROLE_PARAM);
    for (size_t k = 0; k < n; k++) {
        p->w[k] = (float)w[k];
    }
}

static bnd_training training_like(const language_model *s)
{
    bnd_training t = training_of(s->model, "adam-mini", "fp32");
    bnd_error why;
    t.width = WIDTH;
    t.heads = s->heads;
    t.depth = 1;
    t.context = 8;
    t.vocabulary = VOCABULARY;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_transformer_parse(&t.blocks, s->options, &why), &why));
    return t;
}

static void check_plain(const language_model *s)
{
    static plain p[64];
    const bnd_training t = training_like(s);
    bnd_run *run = run_of(&t, NULL);
    const size_t count = bnd_run_parameters(run);
    size_t n = 0;
    double worst = 0;
    CU_ASSERT_TRUE_FATAL(count <= 64);
    for (size_t i = 0; i < count; i++) {
        open_plain(&p[i], run, i);
        n += p[i].rows * p[i].columns;
    }
    double *g = malloc(n * sizeof *g);
    CU_ASSERT_PTR_NOT_NULL_FATAL(g);
    for (int step = 1; step <= STEPS; step++) {
        for (size_t i = 0; i < n; i++) { /* of sizes that differ from block to block */
            g[i] = (float)(normal((uint64_t)step, i) * pow(10, -3.0 * (double)(i / HEAD % 5) / 4));
        }
        (void)update_with(run, g);
        for (size_t i = 0, at = 0; i < count; at += p[i].rows * p[i].columns, i++) {
            plain_step(&p[i], s, bnd_run_parameter_name(run, i), g + at, step, &t);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const double off =
            fmax(fmax(difference(p[i].w, run, i, BND_ROLE_PARAM), difference(p[i].m, run, i, BND_ROLE_M)),
                 difference(p[i].v, run, i, BND_ROLE_V));
        if (off != 0) {
            printf("\n    %s %s, %s: off by %.3g\n", s->model, s->options, bnd_run_parameter_name(run, i), off);
        }
        worst = fmax(worst, off);
    }
    CU_ASSERT_EQUAL(worst, 0);
    free(g);
    bnd_run_free(run);
}

static void test_plain_loops(void)
{
    static const language_model shapes[] = {{"transformer", "", 4, 4, false},
                                            {"transformer", "kv_heads=2,qk_norm,mlp=swiglu,norm=rmsnorm", 4, 2, false},
                                            {"gpt2", "", 4, 4, true},
                                            {"llama", "kv_heads=1", 4, 1, false}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check_plain(&shapes[i]);
    }
}

/* ---- the caller's own parameters ---- */

static bnd_run *own_run(const char *optimizer, const char *recipe)
{
    bnd_training t = training_of("own", optimizer, recipe);
    bnd_run *run = NULL;
    bnd_error why;
    t.lr = 0.01;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, &t, NULL, &why), &why));
    return run;
}

static void add(bnd_run *run, const char *name, const size_t *shape, size_t rank)
{
    float w[256];
    bnd_error why;
    size_t index;
    for (size_t i = 0; i < 256; i++) {
        w[i] = (float)normal(77, i);
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_add_parameter(&index, run, name, w, shape, rank, rank > 1, &why), &why));
}

/* Where each block has one element, the bits are AdamW's, in whatever format its states are. */
static void check_adamw(const char *recipe)
{
    enum { N = 12 };
    bnd_run *run[2] = {own_run("adam-mini", recipe), own_run("adamw", recipe)};
    double g[2 * N], x[2][N];
    for (size_t r = 0; r < 2; r++) {
        add(run[r], "w.weight", (size_t[]){N, 1}, 2);
        add(run[r], "w.bias", (size_t[]){N}, 1);
    }
    for (uint64_t step = 0; step < 5; step++) {
        for (size_t i = 0; i < 2 * N; i++) {
            g[i] = (float)(normal(step, i) * (i % 3 == 0 ? 1e-3 : 1));
        }
        for (size_t r = 0; r < 2; r++) {
            (void)update_with(run[r], g);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        static const bnd_role parts[] = {BND_ROLE_PARAM, BND_ROLE_M, BND_ROLE_V};
        for (size_t k = 0; k < 3; k++) {
            numbers_of(x[0], N, run[0], i, parts[k]);
            numbers_of(x[1], N, run[1], i, parts[k]);
            CU_ASSERT_EQUAL(memcmp(x[0], x[1], sizeof x[0]), 0);
        }
    }
    bnd_run_free(run[0]);
    bnd_run_free(run[1]);
}

static void test_single_elements(void)
{
    static const char *const recipes[] = {"fp32",
                                          "bf16-pure",
                                          "base=fp32,v=e5m2,m=e4m3",
                                          "bf16-kahan-pure",
                                          "base=bf16-pure,optimizer=fused",
                                          "loss_scale=1024",
                                          "param=e4m3:sr,update=eco"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        check_adamw(recipes[i]);
    }
}

static void test_blocks(void)
{
    bnd_run *run = own_run("adam-mini", "fp32");
    add(run, "conv.weight", (size_t[]){6, 2, 3, 3}, 4);
    add(run, "conv.bias", (size_t[]){6}, 1);
    add(run, "norm.weight", (size_t[]){6}, 1);
    add(run, "head.weight", (size_t[]){5, 7}, 2);
    static const size_t expected[] = {6, 6, 1, 5};
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(bnd_run_blocks(run, i), expected[i]);
        CU_ASSERT_EQUAL(bnd_tensor_count(bnd_run_parameter(run, i, BND_ROLE_V)), expected[i]);
    }
    CU_ASSERT_EQUAL(bnd_run_blocks(run, 4), 0);
    double g[6 * 18 + 6 + 6 + 35], v[6];
    for (size_t i = 0; i < sizeof g / sizeof g[0]; i++) {
        g[i] = (float)(1 + (i / 18 < 6 ? i / 18 : 0));
    }
    (void)update_with(run, g);
    numbers_of(v, 6, run, 0, BND_ROLE_V);
    for (size_t i = 0; i < 6; i++) { /* of each output channel its own */
        CU_ASSERT_DOUBLE_EQUAL(v[i], 1e-3 * (double)((i + 1) * (i + 1)), 1e-9 * (double)((i + 1) * (i + 1)));
    }
    g[0] = NAN;
    (void)update_with(run, g);
    numbers_of(v, 6, run, 0, BND_ROLE_V);
    CU_ASSERT_TRUE(isnan(v[0]) && !isnan(v[1]));
    bnd_run_free(run);
}

CU_TestInfo adam_mini_tests[] = {
    {"steps are those of plain loops", test_plain_loops},
    {"blocks of one element are AdamW's", test_single_elements},
    {"blocks of your own parameters", test_blocks},
    CU_TEST_INFO_NULL,
};
