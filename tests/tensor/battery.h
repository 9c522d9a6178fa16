/* Every operation of tensors once, or in a few ways: what tests that ask something of all of them go through. */
#ifndef TESTS_TENSOR_BATTERY_H
#define TESTS_TENSOR_BATTERY_H

#include "tests.h"

enum { OPERANDS_MOST = 3 };

/* Operands, a letter each: a and b (rows, columns) of positive numbers, t the same as a, turned in memory, v (columns),
 * i (rows) of whole numbers below rows and columns, w (columns, outputs), u (outputs), s (3, rows, columns). */
typedef struct question {
    bnd_tensor_operation operation;
    const char *operands;
    bnd_attributes attributes;
    const char *format; /* of the attribute */
} question;

extern const question questions[];
extern const size_t question_count;

/* Operands of this format, which want gradients but for i; the numbers depend on nothing but the question. */
BND_CHECKED bnd_status question_operands(bnd_tensor **in, bnd_engine *engine, const question *q, const bnd_format *f,
                                         size_t rows, size_t columns, bnd_error *why);
BND_CHECKED bnd_status question_ask(bnd_tensor **out, bnd_tensor *const *in, const question *q, bnd_error *why);

/* Of these rows and columns: what `t` is turned from, and i, are counted by rows. */
size_t question_operand_count(const question *q);

#endif
