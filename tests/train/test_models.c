/* Models, and what optimizers keep of them. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an optimizer keeps ---- */

/* Bytes of m and of v in fp32, by the engine's own account, and as bnd_optimizer_keeps says. */
static void test_states(void)
{
    static const struct {
        const char *optimizer;
        unsigned m, v; /* bytes per number; v of Adafactor, Muon and Adam-mini: see below */
    } cases[] = {{"sgd", 0, 0},  {"momentum", 4, 0},      {"adagrad", 0, 4},  {"rmsprop", 0, 4},
                 {"adam", 4, 4}, {"adamw", 4, 4},         {"lion", 4, 0},     {"adafactor", 0, 0},
                 {"muon", 4, 0}, {"muon-original", 4, 0}, {"adam-mini", 4, 0}};
    enum { COUNTED = sizeof cases / sizeof cases[0] };
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        bnd_training t = training_of("mlp", bnd_optimizer_name(i), "fp32");
        bnd_run *run = run_of(&t, NULL);
        uint64_t kept[2] = {0, 0}, n = 0;
        bnd_account a;
        for (size_t j = 0; j < bnd_run_parameters(run); j++) {
            const bnd_tensor *w = bnd_run_parameter(run, j, BND_ROLE_PARAM);
            n += bnd_tensor_count(w);
            kept[0] += bnd_optimizer_keeps(i, BND_ROLE_M, bnd_tensor_shape(w), bnd_tensor_rank(w),
                                           bnd_run_is_hidden(run, j), bnd_run_blocks(run, j));
            kept[1] += bnd_optimizer_keeps(i, BND_ROLE_V, bnd_tensor_shape(w), bnd_tensor_rank(w),
                                           bnd_run_is_hidden(run, j), bnd_run_blocks(run, j));
        }
        (void)step_of(run);
        bnd_engine_account(&a, bnd_run_engine(run));
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], 4 * kept[0]);
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], 4 * kept[1]);
        if (i >= COUNTED) { /* not counted by hand; tests/train/golden compares its steps */
            bnd_run_free(run);
            continue;
        }
        CU_ASSERT_STRING_EQUAL(cases[i].optimizer, bnd_optimizer_name(i));
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], cases[i].m * n);
        if (strcmp(cases[i].optimizer, "adafactor") == 0) { /* 64 to 128 to 128 to 10: rows and columns; biases */
            CU_ASSERT_EQUAL(kept[1], (64 + 128) + 128 + (128 + 128) + 128 + (128 + 10) + 10);
            double bytes = (double)(a.bytes[BND_ROLE_PARAM] + a.peak_by_role[BND_ROLE_GRAD] + a.bytes[BND_ROLE_V]);
            CU_ASSERT_DOUBLE_EQUAL(bytes / (double)n, 8, 0.15);
        } else if (strncmp(cases[i].optimizer, "muon", 4) == 0) { /* all but the 128 by 128 numbers between */
            CU_ASSERT_EQUAL(kept[1], n - 128 * 128);
        } else if (strcmp(cases[i].optimizer, "adam-mini") == 0) { /* each output of three matrices; biases */
            CU_ASSERT_EQUAL(kept[1], 2 * (128 + 128 + 10));
        } else {
            CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], cases[i].v * n);
        }
        bnd_run_free(run);
    }
}

/* Factors are of the format of v, too: 2 bytes each, and in fp8 1. */
static void test_factors_in_formats(void)
{
    static const char *const recipes[] = {"base=fp32,v=bf16", "base=fp32,v=bf16,optimizer=fused", "bf16-pure"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        bnd_training t = training_of("mlp", "adafactor", recipes[i]);
        bnd_run *run = run_of(&t, NULL);
        bnd_account a;
        double first = step_of(run).loss, last = steps_of(run, 10).loss;
        bnd_engine_account(&a, bnd_run_engine(run));
        CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], 2 * 852);
        CU_ASSERT_TRUE(last < first);
        bnd_run_free(run);
    }
}

/* ---- irreducible and chance-level losses ---- */

/* The measured loss of zero weights is the chance-level loss, and the irreducible loss is 0. */
static void test_chance(void)
{
    static const char *const models[] = {"quadratic", "linear", "logistic"};
    for (size_t i = 0; i < 3; i++) {
        bnd_training t = training_of(models[i], "sgd", "fp32");
        t.batch = 1024;
        bnd_run *run = run_of(&t, NULL);
        CU_ASSERT_DOUBLE_EQUAL(validation_of(run) / bnd_run_chance_loss(run), 1, 0.1); /* 4096 rows: 3 deviations */
        CU_ASSERT_EQUAL(bnd_run_floor(run), 0);
        bnd_run_free(run);
    }
}

/* ---- student and teacher ---- */

static void test_student(void)
{
    bnd_training t = training_of("student", "adamw", "fp32");
    t.batch = 64;
    bnd_run *run = run_of(&t, NULL), *low;
    double before = validation_of(run);
    CU_ASSERT_EQUAL(bnd_run_floor(run), 0);
    CU_ASSERT_TRUE(before > 0.1 * bnd_run_chance_loss(run) && before < 10 * bnd_run_chance_loss(run));
    (void)steps_of(run, scaled(200));
    CU_ASSERT_TRUE(scaled(200) < 200 || validation_of(run) < 0.7 * before);
    /* the teacher's own weights reach the floor: there is one student that has learned all of it */
    for (size_t i = 0; i < run->parameters; i++) {
        size_t n = bnd_tensor_count(run->parameter[i].value);
        double *w = calloc(n, sizeof *w);
        CU_ASSERT_PTR_NOT_NULL_FATAL(w);
        numbers_of(w, n, run->source.teacher, i, BND_ROLE_PARAM);
        set_numbers(run, i, BND_ROLE_PARAM, w, n);
        free(w);
    }
    CU_ASSERT_EQUAL(validation_of(run), 0);
    /* and what is learned does not depend on the recipe */
    t.policy = training_of("student", "adamw", "e4m3-pure").policy;
    low = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_chance_loss(low), bnd_run_chance_loss(run));
    bnd_run_free(low);
    bnd_run_free(run);
}

/* ---- a head that is the table ---- */

static void test_tied(void)
{
    bnd_training t = training_of("transformer", "adamw", "fp32");
    bnd_run *apart = run_of(&t, NULL);
    t.tied = true;
    bnd_run *tied = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_parameters(tied) + 1, bnd_run_parameters(apart));
    CU_ASSERT_EQUAL(step_of(tied).weights + t.width * bnd_run_training(tied)->vocabulary, step_of(apart).weights);
    double before = validation_of(tied);
    (void)steps_of(tied, 20);
    CU_ASSERT_TRUE(validation_of(tied) < before);
    bnd_run_free(apart);
    bnd_run_free(tied);
}

/* ---- options of blocks ---- */

static const struct options {
    const char *model, *blocks;
    size_t parameters; /* counted by hand: vocabulary 16, width 16, depth 2, heads 4, context 8 */
} options[] = {
    {"transformer", "", 16 * 16 + 8 * 16 + 2 * (32 + 48 * 17 + 16 * 17 + 32 + 64 * 17 + 16 * 65) + 32 + 256},
    {"llama", "kv_heads=2", 256 + 2 * (16 + 256 + 2 * 128 + 256 + 16 + 3 * 16 * 64) + 16 + 256},
    {"gpt2", "positions=12", 256 + 12 * 16 + 2 * (32 + 48 * 17 + 16 * 17 + 32 + 64 * 17 + 16 * 65) + 32},
    {"transformer", "norm=rmsnorm,position=rope,mlp=swiglu,mlp_width=24,kv_heads=1,head_width=6,qk_norm,z_loss=0.01",
     256 + 2 * (16 + 36 * 17 + 12 + 16 * 25 + 16 + 2 * 24 * 17 + 16 * 25) + 16 + 256},
    {"transformer", "position=none,mlp=relu,no_bias,qk_norm",
     256 + 2 * (16 + 48 * 16 + 8 + 256 + 16 + 2 * 16 * 64) + 16 + 256},
    {"gpt2", "mlp=geglu,kv_heads=2,norm_epsilon=0.001,position=rope,rope_theta=100",
     256 + 2 * (32 + 32 * 17 + 16 * 17 + 32 + 2 * 64 * 17 + 16 * 65) + 32},
    {"transformer", "unit,no_bias", 256 + 8 * 16 + 2 * (16 + 48 * 16 + 256 + 16 + 2 * 16 * 64) + 16 + 256},
    {"llama", "unit,tau=0.5,sqrt_softmax,kv_heads=2",
     256 + 2 * (16 + 256 + 2 * 128 + 256 + 16 + 3 * 16 * 64) + 16 + 256},
    {"llama", "mlp=geglu_tanh", 256 + 2 * (16 + 256 + 2 * 256 + 256 + 16 + 3 * 16 * 64) + 16 + 256},
    {"llama", "rope_scaling=llama3,rope_factor=2,rope_low=1,rope_high=8,rope_original=40",
     256 + 2 * (16 + 256 + 2 * 256 + 256 + 16 + 3 * 16 * 64) + 16 + 256},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static bnd_training with_options(const struct options *o, const char *recipe)
{
    bnd_training t = training_of(o->model, "sgd", recipe);
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_transformer_parse(&t.blocks, o->blocks, &why), &why));
    t.width = 16;
    t.depth = 2;
    t.heads = 4;
    t.context = 8;
    t.vocabulary = 16;
    t.batch = 4;
    t.weight_decay = 0;
    return t;
}

/* A small step against the gradient g lowers the loss of the same batch by lr |g|^2: the slope is that of the loss in
 * all directions that matter, whatever the blocks are made of. Weights of deviation 0.3, so that nothing is linear. */
static void test_slopes(void)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        bnd_training t = with_options(&options[i], "pure=fp64");
        t.lr = 2e-4;
        t.blocks.deviation = 0.3;
        bnd_run *run = run_of(&t, NULL);
        bnd_step first = step_of(run);
        run->step = 0; /* the same batch */
        double fall = first.loss - step_of(run).loss, slope = first.gradient_norm * first.gradient_norm;
        CU_ASSERT_EQUAL(first.weights, options[i].parameters);
        if (!(fabs(fall / (t.lr * slope) - 1) < 3e-3)) {
            printf("\n    %s %s: falls by %g of what its gradient says", options[i].model, options[i].blocks,
                   fall / (t.lr * slope));
        }
        CU_ASSERT_DOUBLE_EQUAL(fall / (t.lr * slope), 1, 3e-3);
        bnd_run_free(run);
    }
}

/* Recomputed blocks have the same bits. The loss on z is in the loss of a step, and not in that of validation. */
static void test_options(void)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        bnd_training t = with_options(&options[i], "bf16-amp");
        bnd_run *usual = run_of(&t, NULL);
        t.recompute = true;
        bnd_run *again = run_of(&t, NULL);
        CU_ASSERT_EQUAL(steps_of(usual, 3).loss, steps_of(again, 3).loss);
        bnd_run_free(usual);
        bnd_run_free(again);
    }
    bnd_training t = with_options(&options[1], "fp32");
    bnd_run *usual = run_of(&t, NULL);
    t.blocks.z_loss = 0.5;
    bnd_run *on_z = run_of(&t, NULL);
    CU_ASSERT_EQUAL(validation_of(usual), validation_of(on_z));
    const double z = log(16); /* of small weights, about */
    CU_ASSERT_DOUBLE_EQUAL(step_of(on_z).loss - step_of(usual).loss, 0.5 * z * z, 0.2);
    bnd_run_free(usual);
    bnd_run_free(on_z);
}

/* What is read is what is printed, and what a model cannot be is refused by name. */
static void test_options_as_text(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"norm=rms", "unknown norm 'rms'; did you mean rmsnorm? (available: layernorm, rmsnorm)"},
        {"norm=foo", "unknown norm 'foo' (available: layernorm, rmsnorm)"},
        {"position=alibi", "unknown position 'alibi' (available: learned, rope, none)"},
        {"mlp=swish", "unknown mlp 'swish'"},
        {"tau=0.5", "blocks: tau needs unit"},
        {"unit,tau=1", "blocks: tau must be above 0 and below 1"},
        {"kv_heads=3", "4 heads are not divisible by 3 heads of keys and values"},
        {"position=rope,head_width=5", "the width of a head must be even, not 5"},
        {"positions=4", "a context of 8 is longer than the 4 positions of the model"},
        {"position=rope,rope_theta=0.5", "rope_theta must be at least 1"},
        {"rope_theta=5", "blocks: rope_theta needs position=rope"},
        {"position=rope,rope_scaling=yarn", "rope_scaling must be linear or llama3"},
        {"rope_scaling=linear,rope_factor=2", "rope_scaling needs position=rope"},
        {"position=rope,rope_factor=2", "rope_factor needs rope_scaling"},
        {"position=rope,rope_scaling=linear", "rope_factor must be at least 1"},
        {"position=rope,rope_scaling=linear,rope_factor=2,rope_low=1", "need rope_scaling=llama3"},
        {"position=rope,rope_scaling=llama3,rope_factor=2,rope_low=2,rope_high=2", "rope_high above rope_low"},
        {"position=rope,rope_scaling=llama3,rope_factor=2,rope_low=1,rope_high=2", "rope_original must be"},
        {"norm_epsilon=2", "norm_epsilon must be above 0 and below 1"},
        {"mlp_width=99999999", "must each be at most 16777216 wide"},
    };
    static const struct {
        const char *text, *message;
    } unread[] = {
        {"kvheads=2", "unknown setting of blocks 'kvheads'; did you mean kv_heads?"},
        {"kv_heads=-2", "blocks: kv_heads must be a whole number above 0, not '-2'"},
        {"kv_heads=0", "blocks: kv_heads must be a whole number above 0, not '0'"},
        {"mlp_width=0", "blocks: mlp_width must be a whole number above 0, not '0'"},
        {"deviation=0", "blocks: deviation must be a number above 0, not '0'"},
        {"norm_epsilon=0", "blocks: norm_epsilon must be a number above 0, not '0'"},
        {"unit,tau=0", "blocks: tau must be a number above 0, not '0'"},
        {"z_loss=-1", "blocks: z_loss must be a number of at least 0, not '-1'"},
        {"qk_norm=yes", "blocks: qk_norm must be 0 or 1, not 'yes'"},
        {"no_bias=0", "blocks: no_bias must be 1, or left out"},
        {"norm=", "blocks: norm must be a word, not ''"},
        {"norm=aaaaaaaaaaaaaaaa", "blocks: norm must be a word, not 'aaaaaaaaaaaaaaaa'"},
    };
    char text[BND_TRANSFORMER_TEXT_SIZE];
    bnd_error why;
    for (size_t i = 0; i < OPTIONS; i++) {
        bnd_training t = with_options(&options[i], "fp32");
        CU_ASSERT_EQUAL(bnd_transformer_print(text, sizeof text, &t.blocks), strlen(text));
        CU_ASSERT_EQUAL(strlen(text), strlen(options[i].blocks));
        bnd_transformer read = {.kv_heads = 0};
        CU_ASSERT_TRUE(succeeds(bnd_transformer_parse(&read, text, &why), &why));
        CU_ASSERT_EQUAL(memcmp(&read, &t.blocks, sizeof read), 0);
        bnd_training json;
        char whole[4096];
        CU_ASSERT_TRUE(bnd_training_print(whole, sizeof whole, &t) < sizeof whole);
        CU_ASSERT_TRUE(succeeds(bnd_training_read_n(&json, whole, strlen(whole), &why), &why));
        CU_ASSERT_EQUAL(memcmp(&json.blocks, &t.blocks, sizeof read), 0);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct options o = {"transformer", wrong[i].text, 0};
        bnd_training t = with_options(&o, "fp32");
        CU_ASSERT_TRUE(is_refused(&t, i < 4 ? BND_BAD_NAME : BND_BAD_ARGUMENT, wrong[i].message));
    }
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
        bnd_transformer blocks = {.kv_heads = 7};
        bnd_status status = bnd_transformer_parse(&blocks, unread[i].text, &why);
        CU_ASSERT_TRUE(refuses(status, &why, unread[i].message));
        CU_ASSERT_EQUAL(blocks.kv_heads, 7);
    }
    /* The theta of a configuration goes with its rope, and 0 is a coefficient. */
    bnd_transformer llama = {.position = "rope", .rope_theta = 500};
    CU_ASSERT_TRUE(succeeds(bnd_transformer_parse(&llama, "position=none,z_loss=0", &why), &why));
    CU_ASSERT_EQUAL(llama.rope_theta, 0);
    CU_ASSERT_TRUE(succeeds(bnd_transformer_parse(&llama, "rope_theta=5,position=learned", &why), &why));
    CU_ASSERT_EQUAL(llama.rope_theta, 5);
}

/* ---- seeds ---- */

static double weight_after(bnd_training t, const char *recipe)
{
    t.policy = training_of("linear", "sgd", recipe).policy;
    bnd_run *run = run_of(&t, NULL);
    double w[64];
    (void)steps_of(run, 5);
    numbers_of(w, 64, run, 0, BND_ROLE_PARAM);
    bnd_run_free(run);
    return w[0] + 2 * w[1] + 3 * w[2];
}

/* Each seed changes what it is of, and nothing else: rounding matters where it is stochastic alone. */
static void test_seeds(void)
{
    bnd_training t = training_of("linear", "sgd", "fp32"), other = t, data = t;
    other.seed_rounding = 4;
    data.seed_data = 4;
    CU_ASSERT_EQUAL(weight_after(t, "bf16-sr"), weight_after(t, "bf16-sr"));
    CU_ASSERT_NOT_EQUAL(weight_after(t, "bf16-sr"), weight_after(other, "bf16-sr"));
    CU_ASSERT_EQUAL(weight_after(t, "bf16-pure"), weight_after(other, "bf16-pure"));
    CU_ASSERT_NOT_EQUAL(weight_after(t, "fp32"), weight_after(data, "fp32"));
    bnd_training mlp = training_of("mlp", "sgd", "fp32");
    double w[2];
    for (int i = 0; i < 2; i++) {
        static double all[64 * 128];
        mlp.seed_init = 1 + (uint64_t)i;
        bnd_run *run = run_of(&mlp, NULL);
        numbers_of(all, 64 * 128, run, 0, BND_ROLE_PARAM);
        w[i] = all[0];
        bnd_run_free(run);
    }
    CU_ASSERT_NOT_EQUAL(w[0], w[1]);
}

/* Looking at validation in between changes no step, and shows the same twice, stochastic casts or not. */
static void test_looking(void)
{
    bnd_training t = training_of("mlp", "adamw", "base=bf16-sr,act=bf16:sr");
    bnd_run *a = run_of(&t, NULL), *b = run_of(&t, NULL);
    for (int step = 0; step < 4; step++) {
        CU_ASSERT_EQUAL(validation_of(a), validation_of(a));
        CU_ASSERT_EQUAL(step_of(a).loss, step_of(b).loss);
    }
    bnd_run_free(a);
    bnd_run_free(b);
}

/* ---- the lecture's table of precisions, measured ---- */

typedef struct measured {
    double bytes;          /* a weight: param, grad, m, v */
    double flushed, error; /* of gradients that were rounded: nonzero to zero; squares of errors over squares */
    double activations;    /* bytes at the peak */
    double loss;
} measured;

static measured measure(const char *recipe, uint64_t steps)
{
    static const bnd_role kept[] = {BND_ROLE_PARAM, BND_ROLE_GRAD, BND_ROLE_M, BND_ROLE_V};
    static const bnd_role gradients[] = {BND_ROLE_DACT, BND_ROLE_DGRAD_DY, BND_ROLE_WGRAD_DY, BND_ROLE_DGRAD_DX};
    bnd_training t = training_of("transformer", "adamw", recipe);
    bnd_run *run = run_of(&t, NULL);
    measured result = {.bytes = 0};
    bnd_account a;
    bnd_error why;
    double squares = 0, errors = 0, flushed = 0, elements = 0;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
    bnd_step step = steps_of(run, steps);
    bnd_engine_account(&a, bnd_run_engine(run));
    for (size_t i = 0; i < 4; i++) {
        bnd_stats s;
        result.bytes += (double)a.peak_by_role[kept[i]] / (double)step.weights;
        if (bnd_engine_statistics(&s, bnd_run_engine(run), gradients[i], BND_PLACE_ALL) != NULL) {
            squares += s.squared_input;
            errors += s.squared_error;
            flushed += (double)s.to_zero;
            elements += (double)s.elements;
        }
    }
    result.flushed = elements > 0 ? flushed / elements : 0;
    result.error = squares > 0 ? errors / squares : 0;
    result.activations = (double)a.peak_by_role[BND_ROLE_ACT];
    result.loss = step.loss;
    bnd_run_free(run);
    if (getenv("BND_TEST_VERBOSE") != NULL) {
        printf("\n    %s: %.3g bytes, %.3g flushed, error %.3g, activations %.4g, loss %.4g", recipe, result.bytes,
               result.flushed, result.error, result.activations, result.loss);
    }
    return result;
}

/* fp32: most memory, stable. fp16: half of it, and gradients flushed to zero. bf16: half of it, none flushed, and
 * coarser numbers. fp8: a quarter, and the run is lost. */
static void test_table(void)
{
    const measured fp32 = measure("fp32", 3), fp16 = measure("fp16-pure", 1), bf16 = measure("bf16-pure", 3),
                   fp8 = measure("e4m3-pure", 3);
    CU_ASSERT_EQUAL(fp32.bytes, 16);
    CU_ASSERT_EQUAL(fp16.bytes, 8);
    CU_ASSERT_EQUAL(bf16.bytes, 8);
    CU_ASSERT_EQUAL(fp8.bytes, 4);
    CU_ASSERT_DOUBLE_EQUAL(fp32.activations / fp16.activations, 2, 0.02);
    CU_ASSERT_DOUBLE_EQUAL(fp32.activations / bf16.activations, 2, 0.02);
    CU_ASSERT_DOUBLE_EQUAL(fp32.activations / fp8.activations, 4, 0.08);
    CU_ASSERT_TRUE(fp32.flushed == 0 && fp16.flushed > 1e-3 && bf16.flushed == 0);
    CU_ASSERT_TRUE(bf16.error > 30 * fp16.error); /* 3 bits fewer: 64 times the square */
    CU_ASSERT_DOUBLE_EQUAL(bf16.loss, fp32.loss, 0.02);
    CU_ASSERT_TRUE(isnan(fp8.loss));
}

/* A loss scale lifts fp16's gradients over its smallest number; bf16 needs none. */
static void test_loss_scales(void)
{
    const measured none = measure("fp16-amp-noscale", 2), some = measure("base=fp16-amp-noscale,loss_scale=1024", 2),
                   enough = measure("fp16-amp-static", 2), dynamic = measure("fp16-amp", 2),
                   bf16 = measure("bf16-amp", 2);
    CU_ASSERT_TRUE(none.flushed > 1e-3);
    CU_ASSERT_TRUE(some.flushed < none.flushed / 100);
    CU_ASSERT_TRUE(enough.flushed < 1e-6);
    CU_ASSERT_TRUE(dynamic.flushed < 1e-6);
    CU_ASSERT_EQUAL(bf16.flushed, 0);
}

CU_TestInfo model_tests[] = {
    {"what optimizers keep", test_states},
    {"factors in formats", test_factors_in_formats},
    {"chance level", test_chance},
    {"student and teacher", test_student},
    {"a tied head", test_tied},
    {"options of blocks: slopes", test_slopes},
    {"options of blocks", test_options},
    {"options of blocks as text", test_options_as_text},
    {"seeds", test_seeds},
    {"the table of precisions", test_table},
    {"loss scales against underflow", test_loss_scales},
    {"looking at validation", test_looking},
    CU_TEST_INFO_NULL,
};
