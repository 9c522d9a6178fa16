/* Known causes: the table, and what an autopsy says of one. */
#include "causes.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 3, BAD_MOST = 3 };

#define UNDERFLOWED BND_MECHANISM_UNDERFLOWED
const cause causes[] = {
    {"base=bf16-amp,dact=e3m2", {{"dact", UNDERFLOWED}}, "mlp", 0.01, 200, true, 0},
    {"base=bf16-amp,gemm_fwd.y=e2m0,dact=fp32", {{"act", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,grad=e3m1", {{"grad", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,gemm_fwd=e2m0", {{"gemm_fwd", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,gemm_dgrad.dy=e3m2", {{"gemm_dgrad", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,gemm_wgrad.dy=e3m2", {{"gemm_wgrad", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"matmul=e2m0", {{"matmul", UNDERFLOWED}}, "transformer", 0.01, 300, false, 16},
    {"base=bf16-amp,acc=trunc3", {{"acc", BND_MECHANISM_ROUNDED_SUMS}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,m=e5m2", {{"m", BND_MECHANISM_STALLED_MOMENTS}}, "mlp", 0.01, 200, true, 0},
    {"base=bf16-amp,v=e5m2", {{"v", BND_MECHANISM_LOST_MOMENTS}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,scalar=e4m3", {{"scalar", UNDERFLOWED}}, "mlp", 0.01, 200, false, 0},
    {"base=fp16-amp-noscale,loss_scale=16777216",
     {{"loss_scale", BND_MECHANISM_SKIPPED_STEPS}},
     "mlp",
     0.01,
     200,
     true,
     0},
    {"base=bf16-amp,param=e4m3", {{"param", BND_MECHANISM_LOST_UPDATES}}, "mlp", 0.01, 200, false, 0},
    {"base=bf16-amp,param=bf16", {{"param", BND_MECHANISM_LOST_UPDATES}}, "mlp", 3e-4, 600, false, 0},
    {"base=bf16-amp,param=bf16,optimizer=fused", {{"param", BND_MECHANISM_LOST_UPDATES}}, "mlp", 3e-4, 600, false, 0},
    {"norm.w=e2m1/mx:floor", {{"norm", BND_MECHANISM_CLAMPED}}, "student", 0.01, 300, false, 0},
    {"gemm=e4m3/mx:floor", {{"scaling", BND_MECHANISM_CLAMPED}}, "transformer", 0.01, 250, false, 64},
    {"e5m2-pure",
     {{"v", BND_MECHANISM_LOST_MOMENTS}, {"param", BND_MECHANISM_LOST_UPDATES}},
     "mlp",
     0.01,
     200,
     false,
     0},
    {"base=bf16-amp,v=e5m2,dact=e3m2",
     {{"v", BND_MECHANISM_LOST_MOMENTS}, {"dact", UNDERFLOWED}},
     "mlp",
     0.01,
     200,
     true,
     0},
    {"base=fp16-amp-noscale,loss_scale=16777216,v=e5m2",
     {{"v", BND_MECHANISM_LOST_MOMENTS}, {"loss_scale", BND_MECHANISM_SKIPPED_STEPS}},
     "mlp",
     0.01,
     200,
     false,
     0},
    {"base=bf16-amp,param=e4m3,dact=e3m2",
     {{"param", BND_MECHANISM_LOST_UPDATES}, {"dact", UNDERFLOWED}},
     "mlp",
     0.01,
     200,
     false,
     0},
    {"base=bf16-amp,acc=trunc3,m=e5m2",
     {{"acc", BND_MECHANISM_ROUNDED_SUMS}, {"m", BND_MECHANISM_STALLED_MOMENTS}},
     "mlp",
     0.01,
     200,
     false,
     0},
    {"base=bf16-amp,param=e4m3,v=e5m2,dact=e3m2",
     {{"param", BND_MECHANISM_LOST_UPDATES}, {"v", BND_MECHANISM_LOST_MOMENTS}, {"dact", UNDERFLOWED}},
     "mlp",
     0.01,
     200,
     true,
     0},
};
const size_t cause_count = sizeof causes / sizeof causes[0];

static bnd_status tasks_of(bnd_task *tasks, const cause *c, const char *recipe, bnd_error *why)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bnd_training t;
        bnd_status status = bnd_training_default(&t, c->model, "adamw", recipe, why);
        if (status != BND_OK) {
            return status;
        }
        t.seed_init = t.seed_rounding = 1 + seed;
        t.seed_data = 11 + seed;
        t.lr = c->lr;
        t.steps = c->steps;
        t.weight_decay = 0.01;
        if (strcmp(c->model, "mlp") == 0) {
            t.width = t.batch = 32;
            t.inputs = 16;
            t.depth = 1;
        } else if (strcmp(c->model, "transformer") == 0) {
            t.width = 32;
            t.context = 16;
            t.vocabulary = c->vocabulary;
            t.batch = 8;
            t.heads = 2;
            t.depth = 1;
        } else if (strcmp(c->model, "student") == 0) {
            t.width = 32;
        }
        bnd_task_default(&tasks[seed], &t);
    }
    return BND_OK;
}

static const bnd_culprit *culprit_named(const bnd_autopsy *a, const char *part)
{
    for (size_t i = 0; i < a->culprit_count; i++) {
        if (strcmp(bnd_part_name(a->culprits[i].part), part) == 0) {
            return &a->culprits[i];
        }
    }
    return NULL;
}

static void compare(diagnosis *out, const cause *c, const bnd_autopsy *a)
{
    size_t count = 0, length = 0;
    *out = (diagnosis){.parts = true, .mechanisms = true, .runs = a->runs};
    for (size_t i = 0; i < BAD_MOST && c->bad[i].part != NULL; i++, count++) {
        const bnd_culprit *found = culprit_named(a, c->bad[i].part);
        out->parts = out->parts && found != NULL;
        out->mechanisms =
            out->mechanisms && found != NULL && found->has_cause && found->cause.mechanism == c->bad[i].mechanism;
    }
    out->healing = out->parts && a->heals && a->culprit_count == count;
    for (size_t i = 0; i < a->culprit_count && length < sizeof out->named; i++) {
        const bnd_culprit *x = &a->culprits[i];
        int more = snprintf(out->named + length, sizeof out->named - length, "%s%s: %s", i > 0 ? ", " : "",
                            bnd_part_name(x->part), x->has_cause ? bnd_mechanism_name(x->cause.mechanism) : "?");
        length += more > 0 ? (size_t)more : 0;
    }
}

bnd_status diagnose(diagnosis *out, const cause *c, const bnd_context *context, bnd_error *why)
{
    bnd_task tasks[2 * SEEDS];
    bnd_record records[2 * SEEDS] = {{.count = 0}};
    bnd_autopsy a = {.heals = false};
    bnd_status status = tasks_of(tasks, c, c->recipe, why);
    if (status == BND_OK) {
        status = tasks_of(tasks + SEEDS, c, "fp32", why);
    }
    if (status == BND_OK) {
        status = bnd_study_run(records, tasks, 2 * SEEDS, context, NULL, NULL, why);
    }
    if (status == BND_OK) {
        status = bnd_autopsy_make(&a, tasks, records, SEEDS, records + SEEDS, SEEDS, BND_COMPARISON_MARGIN, context,
                                  NULL, NULL, why);
    }
    for (size_t i = 0; i < 2 * SEEDS; i++) {
        bnd_record_close(&records[i]);
    }
    if (status == BND_OK) {
        compare(out, c, &a);
    }
    return status;
}
