/* The autopsy: known causes are named, with the shares of the parts and the smallest set that heals the run. */
#include "causes.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"

enum { SEEDS = 3 };

typedef struct patient {
    const char *recipe, *model;
    double lr;
    uint64_t steps;
} patient;

static void tasks_of(bnd_task *tasks, const patient *p, const char *recipe)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bnd_training t;
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, p->model, "adamw", recipe, &why), &why));
        t.seed_init = t.seed_rounding = 1 + seed;
        t.seed_data = 11 + seed;
        t.lr = p->lr;
        t.steps = p->steps;
        if (strcmp(p->model, "transformer") == 0) {
            t.width = t.context = t.vocabulary = 16;
            t.depth = 1;
            t.heads = 2;
            t.batch = 4;
            strcpy(t.source, "chain");
        }
        if (strcmp(p->model, "student") == 0) {
            t.width = t.batch = 32;
        }
        bnd_task_default(&tasks[seed], &t);
    }
}

static void examine(bnd_autopsy *out, const patient *p)
{
    bnd_task tasks[2 * SEEDS];
    bnd_record records[2 * SEEDS];
    bnd_error why;
    tasks_of(tasks, p, p->recipe);
    tasks_of(tasks + SEEDS, p, "fp32");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 2 * SEEDS, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(
        bnd_autopsy_make(out, tasks, records, SEEDS, records + SEEDS, SEEDS, 0.01, NULL, NULL, NULL, &why), &why));
    for (size_t i = 0; i < 2 * SEEDS; i++) {
        bnd_record_close(&records[i]);
    }
}

static const bnd_share *share_of(const bnd_autopsy *a, const char *part)
{
    for (size_t i = 0; i < a->share_count; i++) {
        if (strcmp(bnd_part_name(a->shares[i].part), part) == 0) {
            return &a->shares[i];
        }
    }
    CU_FAIL_FATAL("the part has a share");
    return NULL;
}

static void check_bands(const bnd_autopsy *a)
{
    CU_ASSERT_TRUE(a->share_count > 0);
    CU_ASSERT_TRUE(isfinite(a->interaction) && a->interaction_interval >= 0);
    double explained = 0;
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *s = &a->shares[i];
        CU_ASSERT_TRUE(!s->lifts || (isfinite(s->lifted) && s->lifted_interval >= 0));
        CU_ASSERT_TRUE(!s->lowers || (isfinite(s->lowered) && s->lowered_interval >= 0));
        explained += s->lowers ? s->lowered : 0;
    }
    CU_ASSERT_DOUBLE_EQUAL(a->interaction, 1 - explained, 1e-9);
}

/* fp16 throughout: v is flushed, epsilon is zero, and the quotient is none. */
static void test_second_moment(void)
{
    static bnd_autopsy a;
    examine(&a, &(patient){"fp16-pure", "transformer", 3e-3, 20});
    CU_ASSERT_EQUAL(a.comparison.verdict, BND_VERDICT_FAILED);
    CU_ASSERT_TRUE(a.comparison.outside && a.comparison.outside_from == 1);
    check_bands(&a);
    CU_ASSERT_STRING_EQUAL(bnd_part_name(a.shares[0].part), "v");
    CU_ASSERT_TRUE(a.shares[0].lifted > 0.9 && a.shares[0].lowered > 0.9);
    CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_LOST_MOMENTS &&
                   a.culprits[0].cause.role == BND_ROLE_V);
    CU_ASSERT_TRUE(a.epsilon_vanishes);
    CU_ASSERT_TRUE(a.culprits[0].cause.share > 0.1 && a.culprits[0].cause.worst_share >= a.culprits[0].cause.share &&
                   a.culprits[0].cause.worst[0] != 0);
}

/* The same with fewer bits, where several parts each suffice to diverge: the one whose casts tell most is named. Its
 * attention is masked by the lowest number, since E4M3 has no infinity. */
static void test_several_suffice(void)
{
    static const char *const recipes[] = {"e4m3-pure", "e5m2-pure"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        static bnd_autopsy a;
        if (!in_turn(i, 2)) {
            continue;
        }
        examine(&a, &(patient){recipes[i], "transformer", 3e-3, 30});
        CU_ASSERT_EQUAL(a.comparison.verdict, BND_VERDICT_FAILED);
        CU_ASSERT_TRUE(a.comparison.outside && a.comparison.outside_from == 1);
        CU_ASSERT_STRING_EQUAL(bnd_part_name(a.shares[0].part), "v");
        CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_LOST_MOMENTS &&
                       a.epsilon_vanishes && a.heals);
    }
}

/* E4M3 without scales: gradients of activations are below its smallest number. */
static void test_flushed(void)
{
    static bnd_autopsy a;
    if (scaled(100) < 100) {
        return; /* many runs of 60 steps */
    }
    examine(&a, &(patient){"fp8-e4m3-unscaled", "transformer", 5e-3, 60});
    CU_ASSERT_TRUE(bnd_comparison_has_cause(&a.comparison));
    check_bands(&a);
    CU_ASSERT_EQUAL(strncmp(bnd_part_name(a.shares[0].part), "gemm_", 5), 0);
    CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_UNDERFLOWED);
    CU_ASSERT_TRUE(a.culprits[0].cause.role == BND_ROLE_WGRAD_DY || a.culprits[0].cause.role == BND_ROLE_DGRAD_DY);
    CU_ASSERT_TRUE(a.culprits[0].cause.share > 0.5 && !a.epsilon_vanishes);
    CU_ASSERT_TRUE(share_of(&a, "gemm_fwd")->lifted < 0.5);
}

/* bf16 throughout at a low rate: updates are less than half a unit in the last place of the weights. */
static void test_lost(void)
{
    static bnd_autopsy a;
    if (scaled(100) < 100) {
        return; /* 63 runs of 200 steps: not under the sanitizers */
    }
    examine(&a, &(patient){"bf16-pure", "transformer", 1e-4, 200});
    CU_ASSERT_TRUE(bnd_comparison_has_cause(&a.comparison));
    check_bands(&a);
    CU_ASSERT_STRING_EQUAL(bnd_part_name(a.shares[0].part), "param");
    CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_LOST_UPDATES &&
                   a.culprits[0].cause.role == BND_ROLE_PARAM);
    CU_ASSERT_TRUE(a.culprits[0].cause.share > 0.3);
}

/* Gains of norms that share scales which are rounded down, in numbers of few bits: those near the largest of a block
 * are clamped (Su et al. 2025, arXiv:2506.20752, with gains in MXFP8). */
static void test_clamped(void)
{
    static bnd_autopsy a;
    if (scaled(100) < 100) {
        return; /* 16 runs of 300 steps */
    }
    examine(&a, &(patient){"norm.w=e2m1/mx:floor", "student", 1e-2, 300});
    CU_ASSERT_TRUE(bnd_comparison_has_cause(&a.comparison));
    check_bands(&a);
    CU_ASSERT_STRING_EQUAL(bnd_part_name(a.shares[0].part), "norm");
    CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_CLAMPED &&
                   a.culprits[0].cause.role == BND_ROLE_NORM_W);
    CU_ASSERT_TRUE(a.culprits[0].cause.share > 0.01 && a.culprits[0].cause.worst_share >= a.culprits[0].cause.share &&
                   a.culprits[0].cause.worst[0] != 0);
}

/* Every sum in e5m2: it stalls. */
static void test_accumulator(void)
{
    static bnd_autopsy a;
    examine(&a, &(patient){"acc=e5m2", "linear", 3e-2, 150});
    CU_ASSERT_TRUE(bnd_comparison_has_cause(&a.comparison));
    check_bands(&a);
    CU_ASSERT_EQUAL(a.share_count, 1);
    CU_ASSERT_STRING_EQUAL(bnd_part_name(a.shares[0].part), "acc");
    CU_ASSERT_TRUE(a.culprits[0].has_cause && a.culprits[0].cause.mechanism == BND_MECHANISM_ROUNDED_SUMS);
    CU_ASSERT_DOUBLE_EQUAL(a.shares[0].lifted, 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(a.shares[0].lowered, 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(a.interaction, 0, 1e-12);
}

/* What matches has no cause, and costs no run. */
static bool never(void *data, size_t task, const bnd_record *so_far)
{
    (void)task;
    (void)so_far;
    *(bool *)data = true;
    return true;
}

static void test_match(void)
{
    static bnd_autopsy a;
    const patient p = {"bf16-amp", "transformer", 3e-3, 20};
    bnd_task tasks[2 * SEEDS];
    bnd_record records[2 * SEEDS];
    bnd_error why;
    bool watched = false;
    tasks_of(tasks, &p, p.recipe);
    tasks_of(tasks + SEEDS, &p, "fp32");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 2 * SEEDS, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_autopsy_make(&a, tasks, records, SEEDS, records + SEEDS, SEEDS, BND_COMPARISON_MARGIN,
                                             NULL, never, &watched, &why),
                            &why));
    CU_ASSERT_EQUAL(a.comparison.verdict, BND_VERDICT_NO_DIFFERENCE);
    CU_ASSERT_TRUE(!watched && a.share_count == 0 && a.finding_count == 0 && a.culprit_count == 0);
    records[SEEDS].seed_data = 99;
    CU_ASSERT_NOT_EQUAL(
        bnd_autopsy_make(&a, tasks, records, 1, records + SEEDS, 1, BND_COMPARISON_MARGIN, NULL, never, &watched, &why),
        BND_OK);
    for (size_t i = 0; i < 2 * SEEDS; i++) {
        bnd_record_close(&records[i]);
    }
}

/* A rate at which both end at chance level: the recipe has failed, and has no gap that its parts could share. */
static void test_no_gap(void)
{
    static bnd_autopsy a;
    const patient p = {"fp16-pure", "mlp", 5, 8};
    bnd_task tasks[2];
    bnd_record records[2];
    bnd_error why;
    bool watched = false;
    for (size_t i = 0; i < 2; i++) {
        bnd_task of_seeds[SEEDS];
        tasks_of(of_seeds, &p, i == 0 ? p.recipe : "fp32");
        tasks[i] = of_seeds[0];
        tasks[i].training.width = 8;
        tasks[i].training.depth = 1;
        tasks[i].training.batch = 4;
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 2, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(isnan(records[0].loss) && records[1].validation_fp32 > records[1].chance_loss);
    CU_ASSERT_TRUE(succeeds(
        bnd_autopsy_make(&a, tasks, records, 1, records + 1, 1, BND_COMPARISON_MARGIN, NULL, never, &watched, &why),
        &why));
    CU_ASSERT_EQUAL(a.comparison.verdict, BND_VERDICT_FAILED);
    CU_ASSERT_TRUE(!watched && a.runs == 0 && a.share_count == 0 && a.culprit_count == 0 && !a.heals);
    CU_ASSERT_TRUE(a.finding_count > 0);
    bnd_record_close(&records[0]);
    bnd_record_close(&records[1]);
}

/* What is found is what is counted: all of a run's updates under a rate that bf16 cannot see. */
static void test_findings(void)
{
    static bnd_finding f[BND_FINDINGS_MAX];
    bnd_task tasks[SEEDS];
    bnd_error why;
    size_t count = 0;
    tasks_of(tasks, &(patient){"bf16-pure", "transformer", 1e-9, 3}, "bf16-pure");
    CU_ASSERT_TRUE(succeeds(bnd_findings(f, &count, &tasks[0].training, 3, NULL, &why), &why));
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(f[i].share > 0 && f[i].worst_share > 0 && f[i].step < 3);
        CU_ASSERT_TRUE(i == 0 || f[i].mechanism >= f[i - 1].mechanism);
        if (f[i].mechanism == BND_MECHANISM_LOST_UPDATES) {
            found = f[i].role == BND_ROLE_PARAM && f[i].share > 0.5 && f[i].step == 0;
        }
    }
    CU_ASSERT_TRUE(found);
    for (unsigned m = 0; m < BND_MECHANISM_COUNT; m++) {
        CU_ASSERT_TRUE(bnd_mechanism_name((bnd_mechanism)m)[0] != 0);
    }
    CU_ASSERT_STRING_EQUAL(bnd_mechanism_name(BND_MECHANISM_COUNT), "");
}

/* A moment of which every update is too small for its format stalls in every step but those that reach it; in fp32
 * nothing is looked at. */
static void test_stalled(void)
{
    static const char *const recipes[] = {"m=e5m2", "fp32"};
    for (size_t i = 0; i < 2; i++) {
        bnd_training t;
        bnd_run *run;
        bnd_step step;
        bnd_error why;
        uint64_t moments = 0, stalled = 0;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, "quadratic", "adamw", recipes[i], &why), &why));
        t.lr = 1e-6; /* the gradient stays as it is */
        t.width = 16;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
        CU_ASSERT_TRUE_FATAL(
            succeeds(bnd_engine_take_statistics(bnd_run_engine(run), (unsigned)bnd_run_places(run), &why), &why));
        for (int k = 0; k < 40; k++) {
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
            const bnd_updates u = bnd_run_updates(run, 0);
            CU_ASSERT_EQUAL(u.moments[1] + u.stalled[1], 0); /* v is fp32 */
            moments += u.moments[0];
            stalled += u.stalled[0];
        }
        /* (1 - 0.9) (g - m) is below half a unit in the last place, an eighth of m, once m has most of g. */
        CU_ASSERT_EQUAL(moments > 0, i == 0);
        CU_ASSERT_TRUE(i == 0 ? 2 * stalled > moments && stalled < moments : stalled == 0);
        bnd_run_free(run);
    }
}

/* The quick ones of the known causes, the first of them under the sanitizers; tests/exhaustive/causes takes all. */
static void test_causes(void)
{
    size_t taken = 0;
    for (size_t i = 0; i < cause_count; i++) {
        diagnosis d;
        bnd_error why;
        if (causes[i].quick && in_turn(taken++, cause_count)) {
            CU_ASSERT_TRUE_FATAL(succeeds(diagnose(&d, &causes[i], NULL, &why), &why));
            CU_ASSERT_TRUE(d.parts && d.mechanisms && d.healing);
            if (!(d.parts && d.mechanisms && d.healing)) {
                printf("    %s: %s\n", causes[i].recipe, d.named);
            }
        }
    }
}

CU_TestInfo autopsy_tests[] = {
    {"known causes", test_causes},
    {"moments that stall", test_stalled},
    {"findings", test_findings},
    {"second moment", test_second_moment},
    {"autopsy: several parts suffice", test_several_suffice},
    {"flushed gradients", test_flushed},
    {"lost updates", test_lost},
    {"clamped gains", test_clamped},
    {"accumulator", test_accumulator},
    {"a match", test_match},
    {"no gap", test_no_gap},
    CU_TEST_INFO_NULL,
};
