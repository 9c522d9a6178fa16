/* Text that is drawn: what its irreducible loss is, and what a model needs to get near it. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bnd_training of_source(const char *source, size_t vocabulary, size_t context)
{
    bnd_training t = training_of("transformer", "adamw", "fp32");
    strcpy(t.source, source);
    t.vocabulary = vocabulary;
    t.context = context;
    return t;
}

/* The probability of a symbol of a copying window, given those before it. */
static double probability_at(const bnd_run *run, const size_t *symbols, size_t j)
{
    double chance = bndi_chain_chance(run, symbols[j - 1], symbols[j]);
    return j < 2 ? chance : chance / 2 + (symbols[j] == symbols[j - 2] ? 0.5 : 0);
}

/* ---- the irreducible loss ---- */

enum { FEW = 3, SHORT = 5, WINDOWS = 3 * 3 * 3 * 3 * 3 * 3 };

/* The mean surprise over all windows there are, each with its probability. */
static void test_enumeration(void)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        bnd_training t = of_source("copy", FEW, SHORT);
        t.seed_data = seed;
        bnd_run *run = run_of(&t, NULL);
        double expected = 0, all = 0;
        for (size_t window = 0; window < WINDOWS; window++) {
            size_t symbols[SHORT + 1];
            double p = 1;
            for (size_t j = 0, rest = window; j <= SHORT; j++, rest /= FEW) {
                symbols[j] = rest % FEW;
                p *= j > 0 ? probability_at(run, symbols, j) : 1;
            }
            all += p / (double)FEW;
            expected -= p > 0 ? p / (double)FEW * log(p) / (double)SHORT : 0;
        }
        CU_ASSERT_DOUBLE_EQUAL(all, 1, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(bnd_run_floor(run), expected, 1e-12);
        bnd_run_free(run);
    }
}

typedef struct surprise {
    double sum, squares;
    size_t count, copies, pairs;
} surprise;

/* Adds up what the symbols of a batch come as to one who knows how they are drawn. */
static void add_batch(surprise *s, bnd_run *run, uint64_t purpose)
{
    bndi_batch b = {.x = NULL};
    bnd_error why;
    bnd_mark mark = bnd_engine_mark(run->engine);
    CU_ASSERT_TRUE_FATAL(succeeds(run->source.batch(&b, run, purpose, &why), &why));
    size_t context = run->training.context, n = run->training.batch * context;
    double x[1024], y[1024];
    CU_ASSERT_TRUE_FATAL(n <= 1024);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x, n, b.x, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(y, n, b.y, &why), &why));
    for (size_t i = 0; i < n; i++) {
        size_t j = i % context, symbols[3] = {j > 0 ? (size_t)x[i - 1] : 0, (size_t)x[i], (size_t)y[i]};
        double term = -log(j > 0 ? probability_at(run, symbols, 2) : probability_at(run, symbols + 1, 1));
        s->sum += term;
        s->squares += term * term;
        s->count++;
        s->pairs += j > 0;
        s->copies += j > 0 && symbols[2] == symbols[0];
    }
    bnd_engine_release_since(run->engine, mark, NULL, 0);
}

/* Text as it is drawn, for steps and for validation, is what the irreducible loss says. */
static void test_drawn(void)
{
    bnd_training t = of_source("copy", 0, 32);
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_EQUAL(bnd_run_training(run)->vocabulary, 16);
    CU_ASSERT_DOUBLE_EQUAL(bnd_run_chance_loss(run), log(16), 1e-12);
    surprise s = {.count = 0};
    for (uint64_t i = 0; i < 200; i++) {
        add_batch(&s, run, bndi_purpose(i % 2 == 0 ? BNDI_OF_DATA : BNDI_OF_VALIDATION, i));
    }
    double n = (double)s.count, mean = s.sum / n, deviation = sqrt((s.squares / n - mean * mean) / n);
    CU_ASSERT_DOUBLE_EQUAL(mean, bnd_run_floor(run), 4 * deviation);
    CU_ASSERT_TRUE(deviation < 0.005);
    CU_ASSERT_TRUE((double)s.copies / (double)s.pairs > 0.5); /* the chain repeats some, too */
    bnd_run_free(run);
}

/* A fiftieth of the steps under the sanitizers. What was learned is judged after all of them. */
static size_t fewer(size_t steps)
{
    return scaled(steps) < steps ? (size_t)scaled(steps) : steps;
}

/* ---- attention ---- */

enum { ATTENTION_STEPS = 200 };

static double after(const char *source, const char *recipe)
{
    bnd_training t = of_source(source, 0, 32);
    t.policy = training_of("transformer", "adamw", recipe).policy;
    t.width = 32;
    t.steps = ATTENTION_STEPS;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, fewer(t.steps));
    double loss = (validation_of(run) - bnd_run_floor(run)) / (bnd_run_chance_loss(run) - bnd_run_floor(run));
    bnd_run_free(run);
    return loss;
}

/* Attention whose products are in a format of four bits costs the copies, and a chain nothing. */
static void test_attention(void)
{
    double copy = after("copy", "fp32"), chain = after("chain", "fp32");
    double damaged = after("copy", "matmul=e2m1"), harmless = after("chain", "matmul=e2m1");
    if (getenv("BND_TEST_VERBOSE") != NULL) {
        printf("\n    copy %.3g to %.3g, chain %.3g to %.3g of the way left\n", copy, damaged, chain, harmless);
    }
    bool few = fewer(ATTENTION_STEPS) < ATTENTION_STEPS;
    CU_ASSERT_TRUE(few || damaged > copy + 0.1);
    CU_ASSERT_TRUE(few || fabs(harmless - chain) < 0.02);
}

/* ---- what models are usually run with ---- */

/* fp32 covers four fifths of the way from chance level to the irreducible loss, and does not get below that. */
static void test_usual(void)
{
    for (size_t m = 0; m < bnd_model_count(); m++) {
        bnd_training t = training_of(bnd_model_name(m), "adamw", "fp32");
        bnd_run *run = run_of(&t, NULL);
        (void)steps_of(run, fewer(t.steps));
        bool few = fewer(t.steps) < t.steps;
        double floor_of = bnd_run_floor(run), way = bnd_run_chance_loss(run) - floor_of, loss = validation_of(run);
        double covered = (bnd_run_chance_loss(run) - loss) / way;
        if (getenv("BND_TEST_VERBOSE") != NULL || !(few || covered >= 0.8)) {
            printf("\n    %s: %.4g of the way\n", t.model, covered);
        }
        CU_ASSERT_TRUE(few || covered >= 0.8);
        CU_ASSERT_TRUE(loss >= floor_of);
        bnd_run_free(run);
    }
}

/* ---- names ---- */

static void test_names(void)
{
    bnd_error why;
    bnd_run *run = NULL;
    CU_ASSERT_STRING_EQUAL(bnd_source_name(0), training_of("transformer", "sgd", "fp32").source);
    CU_ASSERT_STRING_EQUAL(training_of("mlp", "sgd", "fp32").source, "");
    bnd_training t = of_source("chian", 0, 32);
    CU_ASSERT_TRUE(refuses(bnd_run_new(&run, &t, NULL, &why), &why, "did you mean chain?"));
    t = training_of("mlp", "sgd", "fp32");
    strcpy(t.source, "copy");
    CU_ASSERT_TRUE(refuses(bnd_run_new(&run, &t, NULL, &why), &why, "generates its own data"));
}

CU_TestInfo source_tests[] = {
    {"the entropy of copies, enumerated", test_enumeration},
    {"text as it is drawn", test_drawn},
    {"copies need attention", test_attention},
    {"the usual trainings train", test_usual},
    {"names of sources", test_names},
    CU_TEST_INFO_NULL,
};
