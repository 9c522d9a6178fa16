#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bnd_training training_of(const char *model, const char *optimizer, const char *recipe)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, optimizer, recipe, &why), &why));
    t.seed_init = 1;
    t.seed_data = 2;
    t.seed_rounding = 3;
    return t;
}

bnd_run *run_of(const bnd_training *t, const bnd_context *context)
{
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, context, &why), &why));
    return run;
}

bnd_step step_of(bnd_run *run)
{
    bnd_step step = {.loss = NAN};
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    return step;
}

bnd_step steps_of(bnd_run *run, uint64_t n)
{
    bnd_step step = {.loss = NAN};
    for (uint64_t i = 0; i < n; i++) {
        step = step_of(run);
    }
    return step;
}

double share_lost(const char *recipe, double lr)
{
    bnd_training t = training_of("mlp", "adamw", recipe);
    t.lr = lr;
    bnd_run *run = run_of(&t, NULL);
    bnd_step step = steps_of(run, 3);
    bnd_run_free(run);
    return (double)step.lost / (double)step.updates;
}

double validation_of(bnd_run *run)
{
    double loss = NAN;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_validate(&loss, run, 4, &why), &why));
    return loss;
}

void numbers_of(double *x, size_t n, const bnd_run *run, size_t i, bnd_role part)
{
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x, n, bnd_run_parameter(run, i, part), &why), &why));
}

void set_numbers(bnd_run *run, size_t i, bnd_role part, const double *x, size_t n)
{
    bnd_error why;
    bnd_tensor *t = bnd_run_parameter(run, i, part);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_write_f64(t, x, n, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
}

bndi_update_totals update_with(bnd_run *run, const double *g)
{
    bndi_update_totals totals = {.updates = 0};
    bnd_error why;
    const bnd_cast *cast = bndi_cast_of(run->engine, BND_ROLE_GRAD);
    for (size_t i = 0; i < run->parameters; i++) {
        bnd_tensor *value = run->parameter[i].value, *t;
        CU_ASSERT_TRUE_FATAL(
            succeeds(bnd_tensor_from_f64(&t, run->engine, cast != NULL ? &cast->format : bnd_lab_format_of_words(0), g,
                                         value->shape.extent, value->shape.rank, BND_ROLE_GRAD, &why),
                     &why));
        bnd_tensor_drop_gradient(value);
        value->gradient = bndi_hold(t);
        bnd_tensor_release(t);
        g += bnd_tensor_count(value);
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_update_all(run, run->training.lr, NULL, &totals, &why), &why));
    for (size_t i = 0; i < run->parameters; i++) {
        bnd_tensor_drop_gradient(run->parameter[i].value);
    }
    run->step++;
    return totals;
}

bnd_status try_step(bnd_run *run, const float *g, bnd_error *why)
{
    bnd_step step;
    bnd_status status = bnd_run_begin_step(run, why);
    bnd_tensor *w = bnd_run_parameter(run, 0, BND_ROLE_PARAM);
    status = status == BND_OK ? bnd_tensor_set_gradient(w, g, bnd_tensor_count(w), why) : status;
    if (status == BND_OK) {
        return bnd_run_update(&step, run, 0, NULL, why);
    }
    const bnd_status given_up = bnd_run_end_step(&step, run, NULL, NULL);
    return given_up == BND_OK || run->stage == BNDI_BETWEEN ? status : given_up;
}

void step_with(bnd_run *run, const float *g)
{
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(try_step(run, g, &why), &why));
}

bool read_part(float *x, const bnd_run *run, bnd_role part)
{
    bnd_error why;
    const bnd_tensor *t = bnd_run_parameter(run, 0, part);
    if (t != NULL) {
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(x, bnd_tensor_count(t), t, &why), &why));
    }
    return t != NULL;
}

bool is_refused(const bnd_training *t, bnd_status expected, const char *part_of_message)
{
    bnd_run *run = NULL;
    bnd_error why;
    bnd_status status = bnd_run_new(&run, t, NULL, &why);
    CU_ASSERT_EQUAL(status, expected);
    CU_ASSERT_PTR_NULL(run);
    return refuses(status, &why, part_of_message);
}
