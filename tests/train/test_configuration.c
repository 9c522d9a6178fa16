/* Trainings and recipes as JSON: there and back, and what is refused. */
#include <CUnit/CUnit.h>
#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests/support/outcome.h"
#include "tests/support/suites.h"

extern CU_TestInfo configuration_tests[];

typedef struct words {
    char at[1 << 14];
    size_t length;
} words;

static void write_words(words *w, const bnd_training *t)
{
    w->length = bnd_training_print(w->at, sizeof w->at, t);
    CU_ASSERT_TRUE_FATAL(w->length < sizeof w->at);
}

/* ---- there and back ---- */

static double random_number(uint64_t i, uint64_t k)
{
    uint64_t bits = bnd_random(7, i, k);
    double x = bndi_double_of_bits(bits);
    return isfinite(x) ? x : (double)bits;
}

static bnd_training random_training(uint64_t i)
{
    bnd_training t;
    bnd_error why;
    size_t model = bnd_random(1, i, 0) % bnd_model_count(), optimizer = bnd_random(1, i, 1) % bnd_optimizer_count();
    const char *recipe = bnd_recipe_name(bnd_random(1, i, 2) % bnd_recipe_count());
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_training_default(&t, bnd_model_name(model), bnd_optimizer_name(optimizer), recipe, &why), &why));
    if (i % 2 == 0) {
        (void)bnd_policy_lift(&t.policy, &t.policy, bnd_random(1, i, 3) % bnd_part_count());
    }
    strcpy(t.schedule, (const char *[]){"constant", "warmup", "cosine", "wsd"}[i % 4]);
    strcpy(t.data, (const char *[]){"", "a file \"quoted\"\\\n.npy", "/\xc3\xa4/\x01"}[i % 3]);
    if (t.source[0] != '\0') {
        strcpy(t.source, bnd_source_name(i % bnd_source_count()));
    }
    t.seed_init = bnd_random(2, i, 0);
    t.seed_data = UINT64_MAX - i;
    t.seed_rounding = i;
    t.steps = bnd_random(2, i, 1);
    size_t *sizes[] = {&t.batch, &t.inputs, &t.width, &t.depth, &t.heads, &t.context, &t.vocabulary};
    for (size_t k = 0; k < 7; k++) {
        *sizes[k] = (size_t)(bnd_random(3, i, k) >> bnd_random(4, i, k) % 64);
    }
    double *numbers[] = {&t.lr, &t.beta1, &t.beta2, &t.epsilon, &t.weight_decay};
    for (size_t k = 0; k < 5; k++) {
        *numbers[k] = random_number(i, k);
    }
    t.clip = i % 3 == 0 ? fabs(random_number(i, 5)) : 0;
    t.micro_batches = i % 4 == 0 ? (size_t)(bnd_random(3, i, 7) | 1) : 1;
    t.ranks = i % 6 == 0 ? (size_t)1 << i % 64 : 1; /* whose lowest bytes are 0 */
    t.tied = i % 5 == 0;
    t.recompute = i % 7 == 0;
    return t;
}

static bool same_training(const bnd_training *a, const bnd_training *b)
{
    bool same_names = strcmp(a->model, b->model) == 0 && strcmp(a->optimizer, b->optimizer) == 0 &&
                      strcmp(a->schedule, b->schedule) == 0 && strcmp(a->data, b->data) == 0 &&
                      (a->data[0] != '\0' || strcmp(a->source, b->source) == 0);
    bool same_seeds = a->seed_init == b->seed_init && a->seed_data == b->seed_data &&
                      a->seed_rounding == b->seed_rounding && a->steps == b->steps;
    bool same_numbers = a->lr == b->lr && a->beta1 == b->beta1 && a->beta2 == b->beta2 && a->epsilon == b->epsilon &&
                        a->weight_decay == b->weight_decay && a->clip == b->clip;
    bool same_sizes = a->batch == b->batch && a->inputs == b->inputs && a->width == b->width && a->depth == b->depth &&
                      a->heads == b->heads && a->context == b->context && a->vocabulary == b->vocabulary &&
                      a->micro_batches == b->micro_batches && a->ranks == b->ranks;
    return same_names && same_seeds && same_numbers && same_sizes && a->tied == b->tied &&
           a->recompute == b->recompute && bnd_policy_same(&a->policy, &b->policy);
}

static void test_there_and_back(void)
{
    static words w;
    for (uint64_t i = 0; i < scaled(2000); i++) {
        bnd_training t = random_training(i), back;
        bnd_error why;
        write_words(&w, &t);
        bool same = succeeds(bnd_training_read_n(&back, w.at, w.length, &why), &why) && same_training(&t, &back);
        if (!same) {
            printf("\n    %s\n", w.at);
        }
        CU_ASSERT_TRUE(same);
    }
}

/* What is not said is as it usually is. */
static void test_defaults(void)
{
    static const char text[] = "{\"recipe\": \"bf16-amp\", \"lr\": 0.25, \"model\": \"mlp\", \"optimizer\": \"lion\"}";
    bnd_training t, usual;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_training_read_n(&t, text, sizeof text - 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_training_default(&usual, "mlp", "lion", "bf16-amp", &why), &why));
    usual.lr = 0.25;
    CU_ASSERT_TRUE(same_training(&t, &usual));
    CU_ASSERT_STRING_EQUAL(t.policy.name, "bf16-amp");
}

/* Trainings from before there were sources are of the chain, and are written as they were. */
static void test_old_text(void)
{
    static const char text[] = "{\"recipe\": \"fp32\", \"model\": \"transformer\", \"optimizer\": \"adamw\"}";
    static words w;
    bnd_training t, usual;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_training_read_n(&t, text, sizeof text - 1, &why), &why));
    CU_ASSERT_STRING_EQUAL(t.source, "chain");
    write_words(&w, &t);
    CU_ASSERT_PTR_NULL(strstr(w.at, "source"));
    CU_ASSERT_TRUE(succeeds(bnd_training_default(&usual, "transformer", "adamw", "fp32", &why), &why));
    write_words(&w, &usual);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.at, "\"source\": \"copy\""));
}

typedef struct refusal {
    const char *text, *says;
    bnd_status status;
    size_t where;
} refusal;

#define THREE "{\"model\": \"mlp\", \"optimizer\": \"sgd\", \"recipe\": \"fp32\""

static void test_refused_trainings(void)
{
    static const refusal cases[] = {
        {"", "JSON", BND_BAD_FILE, 0},
        {"[]", "JSON", BND_BAD_FILE, 0},
        {"{\"model\": \"mlp\"}", "\"optimizer\" is missing", BND_BAD_FILE, 0},
        {THREE, "JSON", BND_BAD_FILE, 53},
        {THREE "} x", "JSON", BND_BAD_FILE, 55},
        {THREE ", \"lr\": \"1\"}", "\"lr\" must be a number", BND_BAD_FILE, 61},
        {THREE ",\n\"lr\": 1,\n\"lr\": 2}", "line 3 of the JSON: \"lr\" appears twice", BND_BAD_FILE, 64},
        {THREE ", \"l\\u0072\": 1, \"lr\": 1}", "twice", BND_BAD_FILE, 69},
        {THREE ", \"lr\": null}", "\"lr\" must be a number", BND_BAD_FILE, 61},
        {THREE ", \"lr\": 1e999}", "line 1", BND_BAD_FILE, 66},
        {THREE ", \"batch\": -1}", "\"batch\" must be a whole number", BND_BAD_FILE, 64},
        {THREE ", \"batch\": 1.0}", "\"batch\" must be a whole number", BND_BAD_FILE, 64},
        {THREE ", \"seed_data\": 18446744073709551616}", "\"seed_data\" must be a whole", BND_BAD_FILE, 68},
        {THREE ", \"tied\": 1}", "\"tied\" must be true or false", BND_BAD_FILE, 63},
        {THREE ", \"widht\": 1}", "did you mean", BND_BAD_NAME, 55},
        {"{\"model\": \"mpl\", \"optimizer\": \"sgd\", \"recipe\": \"fp32\"}", "mlp", BND_BAD_NAME, 0},
        {"{\"model\": 7, \"optimizer\": \"sgd\", \"recipe\": \"fp32\"}", "\"model\" must be a string", BND_BAD_FILE,
         10},
        {"{\"model\": \"mlp\", \"optimizer\": \"sgd\", \"recipe\": \"v=e5m\"}", "\"recipe\": unknown format",
         BND_BAD_NAME, 47},
        {"{\"model\": \"mlp\", \"optimizer\": \"sgd\", \"recipe\": null}", "\"recipe\" must be a string", BND_BAD_FILE,
         47},
        {THREE ", \"schedule\": \"a name that is longer than all schedules are\"}", "too long", BND_BAD_FILE, 67},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = {.steps = 7};
        bnd_error why = {.message = ""};
        bnd_status status = bnd_training_read_n(&t, cases[i].text, strlen(cases[i].text), &why);
        bool good = status == cases[i].status && strstr(why.message, cases[i].says) != NULL && t.steps == 7 &&
                    (cases[i].where == 0 || why.where == cases[i].where);
        if (!good) {
            printf("\n    %s: %d at %zu: %s\n", cases[i].text, (int)status, why.where, why.message);
        }
        CU_ASSERT_TRUE(good);
    }
}

static void test_no_such_row(void)
{
    CU_ASSERT_STRING_EQUAL(bnd_model_name(bnd_model_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_model_title(bnd_model_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_source_name(bnd_source_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_source_title(bnd_source_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_optimizer_name(bnd_optimizer_count()), "");
    CU_ASSERT_STRING_EQUAL(bnd_optimizer_title(bnd_optimizer_count()), "");
    CU_ASSERT_EQUAL(bnd_optimizer_keeps(bnd_optimizer_count(), BND_ROLE_M, (const size_t[]){4}, 1, false, 1), 0);
}

/* ---- recipes ---- */

static void test_recipes(void)
{
    static const struct {
        const char *text, *settings, *name;
    } cases[] = {
        {"{\"base\": \"bf16-amp\", \"v\": \"e5m2\", \"dact\": \"e4m3:sr\"}", "base=bf16-amp,v=e5m2,dact=e4m3:sr",
         "custom"},
        {"{\"v\": \"e5m2\", \"base\": \"bf16-amp\"}", "base=bf16-amp,v=e5m2", "custom"},
        {"{\"base\": \"fp32\"}", "fp32", NULL},
        {"{\"pure\": \"bf16\", \"m\": \"fp32\"}", "pure=bf16,m=fp32", "custom"},
        {"{\"m\": \"fp32\", \"pure\": \"bf16\"}", "m=fp32,pure=bf16", "custom"}, /* the order of the text */
        {"{\"loss_scale\": 0.5}", "loss_scale=0.5", "custom"},
        {"{\"name\": \"mine\", \"loss_scale\": 1024, \"base\": \"fp16-amp\"}", "base=fp16-amp,loss_scale=1024", "mine"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_policy p, expected;
        bnd_error why;
        CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&expected, cases[i].settings, &why), &why));
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_recipe_read_n(&p, cases[i].text, strlen(cases[i].text), &why), &why));
        CU_ASSERT_TRUE(bnd_policy_same(&p, &expected));
        CU_ASSERT_STRING_EQUAL(p.name, cases[i].name != NULL ? cases[i].name : expected.name);
        CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&expected, p.written, &why), &why));
        CU_ASSERT_TRUE(bnd_policy_same(&p, &expected));
        CU_ASSERT_STRING_EQUAL(expected.written, "");
    }
}

static void test_refused_recipes(void)
{
    static const refusal cases[] = {
        {"", "", BND_BAD_FILE, 0},
        {"[\"v\"]", "a recipe must be an object", BND_BAD_FILE, 0},
        {"{}", "a recipe must have settings", BND_BAD_FILE, 0},
        {"{\"v\": \"e5m2\",\n \"v\": \"e4m3\"}", "line 2", BND_BAD_FILE, 0},
        {"{\"v\": \"e5m2\"", "line 1", BND_BAD_FILE, 0},
        {"{\"base\": \"bf16-apm\"}", "\"base\" of a recipe: ", BND_BAD_NAME, 9},
        {"{\"base\": \"bf16-amp\", \"v\": \"e5m\"}", "\"v\" of a recipe: ", BND_BAD_NAME, 26},
        {"{\"base\": \"bf16-amp\", \"w\": \"e5m2\"}", "\"w\" of a recipe: ", BND_BAD_NAME, 26},
        {"{\"v\": \"e5m2,m=e4m3\"}", "\"v\" of a recipe must be one setting", BND_BAD_ARGUMENT, 6},
        {"{\"v=e5m2,m\": \"e4m3\"}", "of a recipe must be one setting", BND_BAD_ARGUMENT, 13},
        {"{\"v\": true}", "\"v\" of a recipe must be a string or", BND_BAD_ARGUMENT, 6},
        {"{\"v\": \"\"}", "\"v\" of a recipe must be one setting", BND_BAD_ARGUMENT, 6},
        {"{\"name\": 1, \"v\": \"e5m2\"}", "\"name\" of a recipe", BND_BAD_ARGUMENT, 9},
        {"{\"name\": \"a\\u001b[2J\", \"v\": \"e5m2\"}", "\"name\" of a recipe must not have control", BND_BAD_ARGUMENT,
         9},
        {"{\"name\": \"a\\nb\", \"v\": \"e5m2\"}", "\"name\" of a recipe must not have control", BND_BAD_ARGUMENT, 9},
        {"{\"name\": \"\\u007f\", \"v\": \"e5m2\"}", "\"name\" of a recipe must not have control", BND_BAD_ARGUMENT, 9},
        {"{\"name\": \"\\u009b\", \"v\": \"e5m2\"}", "\"name\" of a recipe must not have control", BND_BAD_ARGUMENT, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_policy p = {.name = "before"};
        bnd_error why = {.message = ""};
        bnd_status status = bnd_recipe_read_n(&p, cases[i].text, strlen(cases[i].text), &why);
        bool good = status == cases[i].status && strstr(why.message, cases[i].says) != NULL &&
                    strcmp(p.name, "before") == 0 && (cases[i].where == 0 || why.where == cases[i].where);
        if (!good) {
            printf("\n    %s: %d at %zu: %s\n", cases[i].text, (int)status, why.where, why.message);
        }
        CU_ASSERT_TRUE(good);
    }
}

CU_TestInfo configuration_tests[] = {
    {"there and back", test_there_and_back},     {"defaults", test_defaults},
    {"text from before sources", test_old_text}, {"refused trainings", test_refused_trainings},
    {"no such row", test_no_such_row},           {"recipes", test_recipes},
    {"refused recipes", test_refused_recipes},   CU_TEST_INFO_NULL,
};
