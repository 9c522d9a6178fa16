/* The groups of tests of train/, and what they share. */
#ifndef TESTS_TRAIN_TESTS_H
#define TESTS_TRAIN_TESTS_H

#include "tests/support/tensors.h"

#include "train/train.h"

extern CU_TestInfo train_tests[];
extern CU_TestInfo own_tests[];
extern CU_TestInfo trap_tests[];
extern CU_TestInfo data_tests[];
extern CU_TestInfo input_tests[];
extern CU_TestInfo loss_tests[];
extern CU_TestInfo model_tests[];
extern CU_TestInfo eco_tests[];
extern CU_TestInfo kept_tests[];
extern CU_TestInfo reset_tests[];
extern CU_TestInfo muon_tests[];
extern CU_TestInfo adam_mini_tests[];
extern CU_TestInfo source_tests[];
extern CU_TestInfo part_tests[];
extern CU_TestInfo training_golden_tests[];

/* What a model is usually run with, seeds 1, 2, 3. These end the test where they are refused. */
bnd_training training_of(const char *model, const char *optimizer, const char *recipe);
bnd_run *run_of(const bnd_training *t, const bnd_context *context);

/* True if bnd_run_new fails with this status and message, and makes nothing. */
bool is_refused(const bnd_training *t, bnd_status expected, const char *part_of_message);

bnd_step step_of(bnd_run *run);
bnd_step steps_of(bnd_run *run, uint64_t n);
double validation_of(bnd_run *run);

/* The share of updates that three steps of the MLP with adamw lose. */
double share_lost(const char *recipe, double lr);

/* What a part of parameter i holds. */
void numbers_of(double *x, size_t n, const bnd_run *run, size_t i, bnd_role part);
void set_numbers(bnd_run *run, size_t i, bnd_role part, const double *x, size_t n);

/* ---- of a run of its own with one parameter ---- */

/* A step with this gradient, which has as many numbers as the parameter. A step that fails is given up; step_with ends
 * the test. */
bnd_status try_step(bnd_run *run, const float *g, bnd_error *why);
void step_with(bnd_run *run, const float *g);

/* The numbers of a part of it. False: the run does not keep it. */
bool read_part(float *x, const bnd_run *run, bnd_role part);

/* ---- of any run ---- */

/* A step of the optimizer with these gradients, in the format that the policy has for them: what bnd_run_step does
 * behind its backward. `g` has as many numbers as all parameters together, in their order. */
bndi_update_totals update_with(bnd_run *run, const double *g);

#endif
