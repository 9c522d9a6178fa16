/* What the tests of lint/ share: checkpoints of one weight, and what is found in them. */
#ifndef TESTS_LINT_TESTS_H
#define TESTS_LINT_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/lint.h>

enum { MOST_TENSORS = 6, MOST_BYTES = 4096, MOST_VALUES = 4 };

/* A tensor. `values` are repeated; without any, bytes count up from `byte`, without NaN of e4m3. */
typedef struct tensor {
    const char *name, *dtype;
    size_t rank;
    uint64_t shape[4];
    size_t size;
    unsigned char byte;
    size_t value_count;
    float values[MOST_VALUES];
} tensor;

typedef struct lint_case {
    const char *what, *config, *finds; /* the code; "": none of damage or suspect */
    bnd_severity severity;
    tensor tensors[MOST_TENSORS];
} lint_case;

extern const lint_case lint_cases[];
extern const size_t lint_case_count;

/* Writes it into the temporary folder: config.json and model.safetensors. */
void put_lint_case(const lint_case *k);

extern CU_TestInfo lint_tests[], lint_memory_tests[], lint_numbers_tests[];

#endif
