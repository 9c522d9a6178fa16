/* Checkpoints of one weight, for the tests of weights. */
#ifndef TESTS_CHECKPOINT_WEIGHTS_H
#define TESTS_CHECKPOINT_WEIGHTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/checkpoint.h>

extern CU_TestInfo recognition_tests[];

enum { MOST_PARTS = 6 };

/* A tensor of a case. Its bytes are arbitrary if `bytes` is NULL. */
typedef struct weight_part {
    const char *role;                 /* "codes", "scales", "second", "zeros", "biases"; anything else is not read */
    const char *name, *dtype, *shape; /* "[64, 1]" */
    size_t size;
    const char *bytes;
} weight_part;

typedef enum weight_coding { CODES_BYTES, CODES_LOW, CODES_HIGH, CODES_INT8, CODES_WORDS } weight_coding;
typedef enum weight_second { NO_SECOND, FACTOR, DIVISOR, EACH_SECOND } weight_second;

typedef struct weight_case {
    const char *name, *layout, *weight;
    const char *config; /* the text of config.json, or NULL */
    size_t experts, out, in;
    weight_coding coding;
    const char *element, *scale; /* formats */
    size_t down, across;         /* of a tile or group that shares a scale */
    size_t bits;                 /* of CODES_WORDS */
    weight_second second;
    bool swizzled, zero_points, affine;
    const char *why_not; /* NULL: it is decoded */
    weight_part parts[MOST_PARTS];
} weight_case;

extern const weight_case weight_cases[];
extern const size_t weight_case_count;

/* Writes model.safetensors, whose data begin at an odd address, and config.json. */
void put_case(const weight_case *k);

/* The bytes of the part with this role, as put_case wrote them. */
const unsigned char *part_bytes(const weight_case *k, const char *role);

#endif
