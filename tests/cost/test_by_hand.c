/* Memory of every recipe, summed by hand: what a run measures, what is worked out on paper, and this are one number. */
#include "tests/cost/tests.h"
#include "tests/support/operands.h"

#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the backward pass of a product reads an operand: a copy with this number of bits per element, and scales. */
typedef enum copy { NONE, PLAIN16, PLAIN8, TENSOR8, ROW8, TILE8, TILE8_BYTE, MX8, MX6, MX4, NV4, ROW4_BYTE } copy;

/* Bits per element of what is kept; what products with weights, and attention's, read; what scales take beside. */
typedef struct hand {
    const char *recipe;
    unsigned param, grad, master, m, v, stream, product, careful;
    copy linear, attention, high; /* `high`: of the last layers, 15 % of them */
    enum { NOTHING, KAHAN, TILES, TILES_BYTE, FIVE_SCALES, CODEBOOKS, HISTORIES } extra;
} hand;

#define ON_BF16 16, 16, 32, 32, 32, 16, 16, 32
#define ON_FP32 32, 32, 0, 32, 32, 32, 32, 32
#define BOTH(name, linear, attention)                                                                                  \
    {name, ON_BF16, linear, attention, linear, NOTHING},                                                               \
    {                                                                                                                  \
        name "+fp32", ON_FP32, linear, attention, linear, NOTHING                                                      \
    }
#define LAYERS(name, linear, high, extra)                                                                              \
    {name, ON_BF16, linear, PLAIN16, high, extra},                                                                     \
    {                                                                                                                  \
        name "+fp32", ON_FP32, linear, NONE, (high) == PLAIN16 ? NONE : (high), extra                                  \
    }

static const hand hands[] = {
    {"fp32", ON_FP32, NONE, NONE, NONE, NOTHING},
    {"tf32", ON_FP32, NONE, NONE, NONE, NOTHING},
    {"fp16-pure", 16, 16, 0, 16, 16, 16, 16, 16, NONE, NONE, NONE, NOTHING},
    {"bf16-pure", 16, 16, 0, 16, 16, 16, 16, 16, NONE, NONE, NONE, NOTHING},
    {"e4m3-pure", 8, 8, 0, 8, 8, 8, 8, 8, NONE, NONE, NONE, NOTHING},
    {"e5m2-pure", 8, 8, 0, 8, 8, 8, 8, 8, NONE, NONE, NONE, NOTHING},
    {"fp16-amp-noscale", 32, 32, 0, 32, 32, 32, 16, 32, PLAIN16, PLAIN16, PLAIN16, NOTHING},
    {"fp16-amp-static", 32, 32, 0, 32, 32, 32, 16, 32, PLAIN16, PLAIN16, PLAIN16, NOTHING},
    {"fp16-amp", 32, 32, 0, 32, 32, 32, 16, 32, PLAIN16, PLAIN16, PLAIN16, NOTHING},
    {"bf16-amp", 32, 32, 0, 32, 32, 32, 16, 32, PLAIN16, PLAIN16, PLAIN16, NOTHING},
    {"bf16-master", ON_BF16, PLAIN16, PLAIN16, PLAIN16, NOTHING},
    {"bf16-sr", 16, 16, 0, 32, 32, 16, 16, 16, NONE, NONE, NONE, NOTHING},
    {"bf16-kahan", 16, 16, 0, 32, 32, 16, 16, 16, NONE, NONE, NONE, KAHAN},
    {"bf16-kahan-pure", 16, 16, 0, 16, 16, 16, 16, 16, NONE, NONE, NONE, KAHAN},
    BOTH("fp8-unscaled", PLAIN8, PLAIN8),
    BOTH("fp8-e4m3-unscaled", PLAIN8, PLAIN8),
    LAYERS("fp8-unit", PLAIN8, PLAIN8, NOTHING),
    LAYERS("fp8-delayed", TENSOR8, TENSOR8, HISTORIES),
    LAYERS("fp8-current", TENSOR8, TENSOR8, NOTHING),
    LAYERS("fp8-rowwise", ROW8, ROW8, NOTHING),
    {"fp8-block", 8, 32, 32, 16, 16, 16, 16, 32, TILE8, PLAIN16, TILE8, TILES},
    {"fp8-block+fp32", 8, 32, 32, 16, 16, 32, 32, 32, TILE8, NONE, TILE8, TILES},
    {"fp8-block-ue8m0", 8, 32, 32, 16, 16, 16, 16, 32, TILE8_BYTE, PLAIN16, TILE8_BYTE, TILES_BYTE},
    {"fp8-block-ue8m0+fp32", 8, 32, 32, 16, 16, 32, 32, 32, TILE8_BYTE, NONE, TILE8_BYTE, TILES_BYTE},
    BOTH("mxfp8", MX8, MX8),
    BOTH("mxfp8-floor", MX8, MX8),
    BOTH("mxfp8-norms", MX8, MX8),
    BOTH("mxfp6", MX6, MX6),
    BOTH("mxfp4", MX4, MX4),
    BOTH("mxfp4-rceil", MX4, MX4),
    LAYERS("mxfp4-sr-rht", MX4, MX4, NOTHING),
    BOTH("mxint8", MX8, MX8),
    BOTH("nvint4", NV4, NV4),
    LAYERS("nvfp4", NV4, PLAIN16, NOTHING),
    LAYERS("nvfp4-46", NV4, PLAIN16, NOTHING),
    LAYERS("nvfp4-ue5m3", ROW4_BYTE, PLAIN16, NOTHING),
    LAYERS("nvfp4-fwd", MX8, MX8, NOTHING),
    LAYERS("fp4-all-the-way", NV4, NV4, NOTHING),
    LAYERS("quartet2", NV4, NV4, NOTHING),
    {"fp8-lm", 8, 8, 16, 8, 16, 16, 16, 32, TENSOR8, PLAIN16, TENSOR8, FIVE_SCALES},
    {"fp8-lm+fp32", 8, 8, 16, 8, 16, 32, 32, 32, TENSOR8, NONE, TENSOR8, FIVE_SCALES},
    {"adam8bit", 16, 16, 32, 8, 8, 16, 16, 32, PLAIN16, PLAIN16, PLAIN16, CODEBOOKS},
};
enum { HANDS = sizeof hands / sizeof hands[0] };

static size_t up(size_t n, size_t block)
{
    return (n + block - 1) / block;
}

/* Bytes of a copy of outer x length x inner elements, whose blocks run along the middle. */
static size_t bytes_of(copy c, size_t outer, size_t length, size_t inner)
{
    const size_t n = outer * length * inner;
    switch (c) {
    case PLAIN16:
        return 2 * n;
    case PLAIN8:
        return n;
    case TENSOR8:
        return n + 4;
    case ROW8:
        return n + 4 * outer * inner;
    case TILE8:
        return n + 4 * outer * up(length, 128) * inner;
    case TILE8_BYTE:
        return n + outer * up(length, 128) * inner;
    case MX8:
        return n + outer * up(length, 32) * inner;
    case MX6:
        return up(6 * n, 8) + outer * up(length, 32) * inner;
    case MX4:
        return up(n, 2) + outer * up(length, 32) * inner;
    case NV4:
        return up(n, 2) + outer * up(length, 16) * inner + 4;
    case ROW4_BYTE:
        return up(n, 2) + outer * up(length, 16) * inner;
    default:
        return SIZE_MAX;
    }
}

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- activations ---- */

/* What a layer of weights reads of rows x k, which lie there in `bits`. */
static size_t of_layer(const hand *h, bool high, size_t rows, size_t k, unsigned bits)
{
    return less(rows * k * bits / 8, bytes_of(high ? h->high : h->linear, 1, rows, k));
}

static size_t of_attention(const hand *h, const bnd_training *t)
{
    const size_t s = t->context, stacks = t->batch * t->heads, e = t->width / t->heads, one = stacks * s * e;
    const size_t wide = one * h->product / 8, scores = stacks * s * s;
    const size_t q = bytes_of(h->attention, stacks, s, e), k = bytes_of(h->attention, stacks * e, s, 1);
    const size_t v = bytes_of(h->attention, stacks * s, e, 1), p = bytes_of(h->attention, stacks, s, s);
    const bool is_read = less(less(q, k), v) >= wide; /* as it lies: queries, keys and values are one tensor */
    CU_ASSERT_EQUAL(is_read, q >= wide && k >= wide && v >= wide);
    return (is_read ? 3 * wide : q + k + v) + scores * h->careful / 8 + (p < scores * h->careful / 8 ? p : 0);
}

static size_t of_transformer(const hand *h, const bnd_training *t)
{
    const size_t tokens = t->batch * t->context, w = t->width, layers = 4 * t->depth + 1;
    const size_t high = strncmp(h->recipe, "nvfp4", 5) == 0 ? up(15 * layers, 100) : 0;
    size_t sum = 0, layer = 0;
#define LAYER(k, bits) of_layer(h, layer++ + high >= layers && high > 0, tokens, k, bits)
    for (size_t i = 0; i < t->depth; i++) {
        sum += 2 * tokens * w * h->stream / 8;  /* what both norms take */
        sum += LAYER(w, h->careful);            /* the first one's result */
        sum += of_attention(h, t);              /* */
        sum += LAYER(w, h->product);            /* heads side by side */
        sum += LAYER(w, h->careful);            /* the second norm's result */
        sum += tokens * 4 * w * h->product / 8; /* what GELU takes, */
        sum += LAYER(4 * w, h->product);        /* and makes */
    }
    sum += tokens * w * h->stream / 8 + LAYER(w, h->careful) + tokens * t->vocabulary * h->product / 8;
#undef LAYER
    return sum;
}

static size_t of_mlp(const hand *h, const bnd_training *t)
{
    const size_t n = t->batch * t->width;
    size_t sum = t->batch * 10 * h->product / 8;
    for (size_t i = 1; i <= t->depth; i++) {
        bool high = strncmp(h->recipe, "nvfp4", 5) == 0 && i == t->depth;
        size_t wide = n * h->product / 8, copied = bytes_of(high ? h->high : h->linear, 1, t->batch, t->width);
        sum += wide + (copied < wide ? copied : 0); /* ReLU keeps its result, and the next layer its copy */
    }
    return sum;
}

static size_t of_linear(const hand *h, const bnd_training *t)
{
    return t->batch * h->careful / 8; /* the difference, which is squared */
}

/* ---- weights and what is kept with them ---- */

static size_t of_weight(const hand *h, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    const bool dense = h->extra == CODEBOOKS && n < 4096; /* too small for codes of a byte: fp32 */
    size_t sum = n * (h->param + h->grad + h->master + (dense ? 64 : h->m + h->v)) / 8;
    sum += h->extra == KAHAN ? 2 * n : 0;
    sum += h->extra == TILES ? 4 * up(rows, 128) * up(columns, 128) : 0;
    sum += h->extra == TILES_BYTE ? up(rows, 128) * up(columns, 128) : 0;
    sum += h->extra == FIVE_SCALES ? 5 * 4 : 0;
    return sum + (h->extra == CODEBOOKS && !dense ? 2 * 4 * up(n, 256) : 0);
}

/* A delayed scale follows from the largest numbers of 1024 steps; of data there is no gradient. */
static size_t of_products(const hand *h, size_t products, size_t of_data)
{
    return h->extra == HISTORIES ? 1024 * 4 * (6 * products - 2 * of_data) : 0;
}

static size_t weights_of_transformer(const hand *h, const bnd_training *t)
{
    const size_t w = t->width;
    const size_t block = 4 * of_weight(h, 1, w) + of_weight(h, 3 * w, w) + of_weight(h, 1, 3 * w) + of_weight(h, w, w) +
                         of_weight(h, 1, w) + of_weight(h, 4 * w, w) + of_weight(h, 1, 4 * w) + of_weight(h, w, 4 * w) +
                         of_weight(h, 1, w);
    return 2 * of_weight(h, t->vocabulary, w) + of_weight(h, t->context, w) + 2 * of_weight(h, 1, w) +
           t->depth * block + of_products(h, 4 * t->depth + 1, 0);
}

static size_t weights_of_mlp(const hand *h, const bnd_training *t)
{
    const size_t w = t->width;
    return of_weight(h, w, t->inputs) + of_weight(h, 1, w) +
           (t->depth - 1) * (of_weight(h, w, w) + of_weight(h, 1, w)) + of_weight(h, 10, w) + of_weight(h, 1, 10) +
           of_products(h, t->depth + 1, 1);
}

static size_t weights_of_linear(const hand *h, const bnd_training *t)
{
    return of_weight(h, 1, t->width) + of_weight(h, 1, 1) + of_products(h, 1, 1);
}

/* ---- asked ---- */

static bnd_training training_of(const char *model, const char *recipe)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, "adamw", recipe, &why), &why));
    t.width = 48;
    t.batch = 3;
    if (strcmp(model, "transformer") == 0) {
        t.heads = 3;
        t.context = 40;
        t.vocabulary = 50;
    }
    return t;
}

static size_t measured(const bnd_training *t)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_GRAD,
                                     BND_ROLE_M,     BND_ROLE_V,      BND_ROLE_EXTRA};
    bnd_run *run = NULL;
    bnd_error why;
    bnd_step step;
    bnd_account a;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    size_t sum = (size_t)a.saved;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        sum += (size_t)a.peak_by_role[roles[i]];
    }
    return sum;
}

static size_t on_paper(const bnd_training *t)
{
    bnd_cost cost;
    bnd_error why;
    bnd_trained trained = {t->model,      t->width,  t->depth, t->heads, t->context,
                           t->vocabulary, t->inputs, t->tied,  t->blocks};
    bnd_cost_of_memory q = {.plan = plan_of("fp32", t->optimizer), .trained = &trained, .batch = (double)t->batch};
    q.plan.policy = t->policy;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    return (size_t)bnd_cost_value(&cost, "total");
}

static const struct {
    const char *name;
    size_t (*weights)(const hand *h, const bnd_training *t), (*activations)(const hand *h, const bnd_training *t);
} models[] = {{"transformer", weights_of_transformer, of_transformer},
              {"mlp", weights_of_mlp, of_mlp},
              {"linear", weights_of_linear, of_linear}};
enum { MODELS = sizeof models / sizeof models[0] };

static void test_sums(void)
{
    CU_ASSERT_EQUAL(HANDS, bnd_recipe_count());
    for (size_t r = 0; r < HANDS; r++) {
        for (size_t m = 0; m < MODELS; m++) {
            if (!in_turn(r + m, 3)) {
                continue;
            }
            bnd_training t = training_of(models[m].name, hands[r].recipe);
            size_t run = measured(&t), paper = on_paper(&t);
            size_t by_hand = models[m].weights(&hands[r], &t) + models[m].activations(&hands[r], &t);
            if (run != by_hand || paper != by_hand) {
                printf("\n    %s, %s: %zu measured, %zu on paper, %zu by hand\n", models[m].name, hands[r].recipe, run,
                       paper, by_hand);
            }
            CU_ASSERT_EQUAL(run, by_hand);
            CU_ASSERT_EQUAL(paper, by_hand);
        }
    }
}

/* tf32 stores what fp32 stores; pure recipes take the share that their formats do; FP8 is below mixed precision. */
static void test_ratios(void)
{
    for (size_t m = 0; m < MODELS; m++) {
        bnd_training fp32 = training_of(models[m].name, "fp32"), tf32 = training_of(models[m].name, "tf32");
        bnd_training half = training_of(models[m].name, "bf16-pure"),
                     quarter = training_of(models[m].name, "e4m3-pure");
        size_t all = measured(&fp32);
        CU_ASSERT_EQUAL(measured(&tf32), all);
        CU_ASSERT_EQUAL(2 * measured(&half), all);
        CU_ASSERT_EQUAL(4 * measured(&quarter), all);
    }
    bnd_training fp8 = training_of("transformer", "fp8-current"), amp = training_of("transformer", "bf16-amp");
    CU_ASSERT_TRUE(measured(&fp8) < measured(&amp));
}

static double bytes_of_v(const char *model, const bnd_training *t)
{
    bnd_cost cost;
    bnd_error why;
    bnd_architecture a;
    bnd_trained trained = {t->model,      t->width,  t->depth, t->heads, t->context,
                           t->vocabulary, t->inputs, t->tied,  t->blocks};
    bnd_cost_of_memory q = {.plan = plan_of("fp32", "adam-mini"), .batch = 1};
    q.trained = model == NULL ? &trained : NULL;
    CU_ASSERT_TRUE_FATAL(model == NULL || succeeds(bnd_architecture_find(&a, model, &why), &why));
    q.model = model != NULL ? &a : NULL;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    return bnd_cost_value(&cost, "v");
}

/* Adam-mini's second moments: of queries and keys a number per head, of other matrices one per output, of tables one
 * per row, of a norm's gain one, and of biases as many as there are. */
static void test_adam_mini(void)
{
    enum { LAYERS_OF_GPT2 = 12, HEADS = 12, H = 768, GPT2 = 50257 + 1024 + 1 + H };
    bnd_training t = training_of("transformer", "fp32");
    const size_t block = (3 + 3 + 48) + 3 * 48 + (48 + 48) + 2 * (1 + 48) + 2 * 192 + (48 + 48);
    CU_ASSERT_EQUAL(bytes_of_v(NULL, &t), (double)(4 * (50 + 40 + t.depth * block + (1 + 48) + 50)));
    const size_t of_gpt2 =
        GPT2 + LAYERS_OF_GPT2 * ((2 * HEADS + H) + 3 * H + (H + H) + 2 * (1 + H) + 2 * (4 * H) + (H + H));
    CU_ASSERT_EQUAL(bytes_of_v("gpt2", &t), 4 * of_gpt2);
    const size_t of_llama = 2 * 32000 + 32 * ((2 * 32 + 4096) + 4096 + 2 * 11008 + 4096 + 2) + 1;
    CU_ASSERT_EQUAL(bytes_of_v("llama2-7b", &t), 4 * of_llama);
}

CU_TestInfo by_hand_tests[] = {{"every recipe, three models", test_sums},
                               {"ratios", test_ratios},
                               {"Adam-mini's second moments", test_adam_mini},
                               CU_TEST_INFO_NULL};
