/* The groups of tests of study/, and what they share. */
#ifndef TESTS_STUDY_TESTS_H
#define TESTS_STUDY_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/study.h>

#include "study/study.h"
#include "tests/support/folder.h"
#include "tests/support/outcome.h"

extern CU_TestInfo record_tests[];
extern CU_TestInfo damage_tests[];
extern CU_TestInfo run_tests[];
extern CU_TestInfo resume_tests[];
extern CU_TestInfo changed_tests[];
extern CU_TestInfo fork_tests[];
extern CU_TestInfo killed_tests[];
extern CU_TestInfo compare_tests[];
extern CU_TestInfo failure_tests[];
extern CU_TestInfo ended_tests[];
extern CU_TestInfo evaluate_tests[];
extern CU_TestInfo autopsy_tests[];
extern CU_TestInfo statistics_tests[];
extern CU_TestInfo sweep_tests[];
extern CU_TestInfo curve_tests[];
extern CU_TestInfo summary_tests[];
extern CU_TestInfo choice_tests[];
extern CU_TestInfo setting_tests[];

bnd_training small_training(const char *model, const char *recipe, uint64_t seed, uint64_t steps);

/* A checkpoint that is a number of steps: what is loaded makes them again. */
extern const bndi_keeper replaying;

/* The same, but for the times of steps. */
bool same_points(const bnd_point *a, const bnd_point *b, bool with_time);
bool same_records(const bnd_record *a, const bnd_record *b, bool with_time);

#endif
