/* The sections of the lecture, a file each, and what they share. */
#ifndef TESTS_LECTURE_LECTURE_H
#define TESTS_LECTURE_LECTURE_H

#include "tests/support/suites.h"
#include "tests/support/tensors.h"

#include <binade-lab/train.h>

extern CU_TestInfo lecture_questions[]; /* 1 */
extern CU_TestInfo lecture_memory[];    /* 2 */
extern CU_TestInfo lecture_underflow[]; /* 3 */
extern CU_TestInfo lecture_pointers[];  /* 4 */
extern CU_TestInfo lecture_flops[];     /* 5 */
extern CU_TestInfo lecture_models[];    /* 6 */
extern CU_TestInfo lecture_precision[]; /* 7 */

/* Does what the lecture does; a test goes no further where that is refused. */
#define DO(call)   CU_ASSERT_FATAL(succeeds((call), &why))
#define SHAPE(...) (size_t[]){__VA_ARGS__}, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)

#define HOLDS(t, ...) holds(t, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

enum { MOST = 1 << 16 }; /* elements that a comparison takes */

bnd_tensor *zeros(bnd_engine *engine, const char *format, const size_t *shape, size_t rank);
bnd_tensor *normal(bnd_engine *engine, const size_t *shape, size_t rank, double deviation, uint64_t seed);
bnd_tensor *with_number(bnd_tensor_operation operation, bnd_tensor *x, double number);
bool has_shape(const bnd_tensor *t, const size_t *shape, size_t rank);
bool holds(const bnd_tensor *t, const double *x, size_t n);
bool same(const bnd_tensor *a, const bnd_tensor *b);
bnd_account account_of(const bnd_engine *engine);
uint64_t bytes_now(const bnd_engine *engine);

#endif
