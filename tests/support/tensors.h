/* Engines and tensors for tests. */
#ifndef TESTS_SUPPORT_TENSORS_H
#define TESTS_SUPPORT_TENSORS_H

#include <CUnit/CUnit.h>
#include <binade-lab/tensor.h>

#include "tests/support/operands.h"
#include "tests/support/outcome.h"

/* A new engine, under a policy or the default one; the test releases it. Ends the program if it cannot be made. */
bnd_engine *new_engine(void);
bnd_engine *engine_under(const char *policy);

/* A tensor of these numbers; ends the program if it cannot be made. */
bnd_tensor *tensor_of(bnd_engine *engine, const char *format, const double *x, const size_t *shape, size_t rank);

void must(bnd_status status, const bnd_error *why); /* ends the test if the call failed */

bool same_double(double x, double y); /* the same bits, or both NaN */

/* A random number below `limit` that depends on the arguments only. */
uint64_t below(uint64_t limit, uint64_t seed, uint64_t index);

#endif
