/* What a call on arrays of operations must give, element by element, and the call itself by every back end. */
#ifndef TESTS_BULK_OPERATIONS_H
#define TESTS_BULK_OPERATIONS_H

#include "verify/operands.h"
#include "compare.h"

typedef enum result_type { TO_CODES, TO_FLOATS, TO_DOUBLES } result_type;

/* A call but for its arrays. */
typedef struct question {
    bnd_operation operation;
    result_type type;
    bnd_format to;                     /* what is rounded to */
    bnd_format from[BND_OPERANDS_MAX]; /* of the operands; of numbers fp32 or fp64 */
    bool number[BND_OPERANDS_MAX];     /* the call takes it as a number, not as a code */
    bool broadcast[BND_OPERANDS_MAX];
    uint8_t packing[BND_OPERANDS_MAX];
    ptrdiff_t stride[BND_OPERANDS_MAX]; /* of the operands; that of the results is how.stride_out */
    bnd_array how;
} question;

/* Operands of one format (which the result has too), codes of the other formats for some of them by `mix`. */
question question_of(bnd_operation operation, result_type type, const bnd_format *f, const bnd_format *other,
                     unsigned mix);

/* Operands and answers, and the arrays of a call: operands in a row each. */
typedef struct exercise {
    question q;
    size_t n;
    bnd_format out; /* what results are stored as */
    uint64_t *codes[BND_OPERANDS_MAX], *want;
    unsigned char *memory[BND_OPERANDS_MAX];
    size_t first[BND_OPERANDS_MAX]; /* where element 0 stands there */
    bnd_stats stats;                /* owed */
} exercise;

/* n stratified operands; or the caller's, one after the other: operand k of element i is codes[i * operands + k]. */
exercise exercise_of(const question *q, size_t n, uint64_t seed, const uint64_t *codes);
void exercise_close(exercise *s);

bnd_status run_exercise(const exercise *s, void *out, size_t n, const bnd_array *how, bnd_stats *stats, bnd_error *why);
size_t exercise_bytes(const exercise *s, size_t n); /* of n results */

/* All of it by every back end that is here; `counted`: with statistics too. */
void check_exercise(comparison *b, const exercise *s, bool counted);
void print_exercise(const exercise *s, const bnd_array *how);
void print_element(const exercise *s, size_t i, uint64_t got);

#endif
