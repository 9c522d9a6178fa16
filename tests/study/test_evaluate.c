/* Trained weights under other recipes: the losses are those of bnd_run_losses, and failures change nothing. */
#include "tests.h"

#include <math.h>
#include <string.h>

enum { BATCHES = 6, STEPS = 30 };

typedef struct trained {
    char path[PATH_SIZE]; /* of the run's directory */
    bnd_run *run;
    bnd_policy fp32, coarse;
} trained;

static void begin(trained *t)
{
    char file[PATH_SIZE];
    bnd_training training = small_training("transformer", "bf16-amp", 3, STEPS);
    bnd_step step;
    bnd_error why;
    training.lr = 0.02;
    training.depth = 1;
    open_folder();
    in_folder(t->path, "");
    in_folder(file, "checkpoint.safetensors");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&t->fp32, "fp32", &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&t->coarse, "gemm=e2m1", &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&t->run, &training, NULL, &why), &why));
    for (int i = 0; i < STEPS; i++) {
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, t->run, &why), &why));
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_save(t->run, file, &why), &why));
}

static void end(trained *t)
{
    bnd_run_free(t->run);
    close_folder();
}

/* The mean of a - b, added in the order of the batches. */
static double mean_gap(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < BATCHES; i++) {
        sum += a[i] - b[i];
    }
    return sum / (double)BATCHES;
}

static void losses_are_compared(void)
{
    trained t;
    bnd_trained_weights found;
    bnd_run *run;
    bnd_evaluated usual, other;
    bnd_error why;
    double losses[BATCHES], at_place[BATCHES];
    begin(&t);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_trained_weights_find(&found, t.path, NULL, &why), &why));
    CU_ASSERT_TRUE(found.is_run && found.step == STEPS);
    CU_ASSERT_STRING_EQUAL(found.training.policy.name, "bf16-amp");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_trained_weights_open(&run, &found, t.path, NULL, &why), &why));
    CU_ASSERT_EQUAL(bnd_run_elements(run), bnd_run_elements(t.run));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_evaluate(&usual, run, &t.fp32, NULL, BATCHES, 3, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_evaluate(&other, run, &t.coarse, &usual, BATCHES, 3, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_losses(losses, BATCHES, t.run, &t.coarse, BND_PLACE_ALL, &why), &why));
    CU_ASSERT_EQUAL(memcmp(losses, other.losses, sizeof losses), 0);
    CU_ASSERT_TRUE(usual.change == 0 && usual.interval == 0 && usual.place_count == 0);
    CU_ASSERT_EQUAL(other.change, mean_gap(losses, usual.losses));
    CU_ASSERT_TRUE(other.has_perplexity && other.perplexity == exp(other.loss));
    CU_ASSERT_TRUE(other.weight_bytes < usual.weight_bytes);
    CU_ASSERT_TRUE_FATAL(other.place_count > 0 && other.place_count <= 3);
    for (size_t i = 0; i < other.place_count; i++) {
        const bnd_loss_change *p = &other.places[i];
        CU_ASSERT_TRUE(succeeds(bnd_run_losses(at_place, BATCHES, t.run, &t.coarse, (unsigned)p->place, &why), &why));
        CU_ASSERT_EQUAL(p->change, mean_gap(at_place, usual.losses));
        CU_ASSERT_TRUE(p->change > p->interval && (i == 0 || p->change <= p[-1].change));
    }
    bnd_evaluated_close(&usual);
    bnd_evaluated_close(&other);
    bnd_evaluated_close(&other); /* it is all zero */
    bnd_run_free(run);
    end(&t);
}

static bool two_losses(void *told, uint64_t done, uint64_t total)
{
    uint64_t *most = told;
    CU_ASSERT_TRUE(done <= total && done == *most + 1);
    *most = done;
    return done < 2;
}

static void what_fails_changes_nothing(void)
{
    trained t;
    bnd_evaluated usual, made, before;
    bnd_error why;
    uint64_t told = 0;
    const bnd_watch watch = {.at = two_losses, .state = &told};
    bnd_trained_weights found;
    begin(&t);
    memset(&made, 1, sizeof made);
    memcpy(&before, &made, sizeof made);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_evaluate(&usual, t.run, &t.fp32, NULL, BATCHES, 0, NULL, &why), &why));
    CU_ASSERT_EQUAL(bnd_evaluate(&made, t.run, &t.fp32, NULL, 0, 0, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(why.message, "an evaluation needs at least one batch");
    CU_ASSERT_EQUAL(bnd_evaluate(&made, t.run, &t.coarse, &usual, BATCHES - 1, 0, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_evaluate(&made, t.run, &t.coarse, &usual, BATCHES, 3, &watch, &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(told, 2);
    CU_ASSERT_EQUAL(memcmp(&made, &before, sizeof made), 0);
    CU_ASSERT_EQUAL(bnd_trained_weights_find(&found, "/nonexistent", NULL, &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(strncmp(why.message, "/nonexistent: ", 14), 0);
    CU_ASSERT_EQUAL(bnd_trained_weights_find(&found, t.path, "/nonexistent", NULL), BND_BAD_STREAM);
    bnd_evaluated_close(&usual);
    end(&t);
}

CU_TestInfo evaluate_tests[] = {
    {"losses are compared", losses_are_compared},
    {"what fails changes nothing", what_fails_changes_nothing},
    CU_TEST_INFO_NULL,
};
