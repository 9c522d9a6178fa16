/* Runs that are stopped and resumed: what these tests share. */
#ifndef TESTS_STUDY_RESUME_H
#define TESTS_STUDY_RESUME_H

#include "tests.h"

enum { STEPS = 20, EVERY = 6 };

/* A run of STEPS steps with a checkpoint after EVERY; NULL: in no directory. */
bnd_task task_in(const char *directory);

/* Runs it, and stops it after so many steps. */
bnd_status run_until(bnd_record *out, const bnd_task *task, uint64_t steps, bnd_error *why);

bnd_record whole_run(void); /* not stopped, in no directory */

void append(const char *path, const char *text);

#endif
