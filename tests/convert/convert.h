/* Checkpoints that tests of convert/ make, quantize and read again. */
#ifndef TESTS_CONVERT_CONVERT_H
#define TESTS_CONVERT_CONVERT_H

#include <CUnit/CUnit.h>
#include <binade-lab/convert.h>

extern CU_TestInfo name_tests[];
extern CU_TestInfo text_tests[];
extern CU_TestInfo plan_tests[];
extern CU_TestInfo code_tests[];
extern CU_TestInfo run_tests[];
extern CU_TestInfo expert_tests[];
extern CU_TestInfo relayout_tests[];
extern CU_TestInfo change_tests[];

/* A weight of a test's checkpoint: bf16, fp16 or fp32. */
typedef struct made_weight {
    const char *name, *dtype;
    size_t rows, columns; /* rows 0: a vector */
    double size;          /* about the largest magnitude */
} made_weight;

/* The models that most tests use: two layers with attention, one with experts. */
extern const made_weight small_model[];
extern const size_t small_model_count;

/* Makes `name` of the test's folder, a folder with model.safetensors and config.json. NULL: without config. */
void make_model(const char *name, const made_weight *weights, size_t count, const char *config);

/* Opens a name of the test's folder; fails the test if it is not right. */
bnd_checkpoint *open_made(const char *name);

/* A plan that must succeed; one that must fail, with this text in its message. */
bnd_quantize_plan *plan_of(const bnd_checkpoint *in, const bnd_quantize *how);
void refuse_plan(const bnd_checkpoint *in, const bnd_quantize *how, bnd_status status, const char *words);

/* Quantizes `from` to `to`, both names of the test's folder, and opens the result. */
bnd_checkpoint *quantize_named(const char *from, const char *to, const bnd_quantize *how);

/* The values of a weight, which the caller frees. */
float *values_of(const bnd_checkpoint *c, const char *name, size_t *count);

#endif
