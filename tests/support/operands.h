/* Operands for tests: doubles chosen where a format decides something, and how many of them this run asks for. */
#ifndef TESTS_SUPPORT_OPERANDS_H
#define TESTS_SUPPORT_OPERANDS_H

#include "base/bits.h"
#include "oracle/oracle.h"

/* `count` times BND_TEST_SCALE, at least 1. */
uint64_t scaled(uint64_t count);

/* The step with which an exhaustive loop goes through its cases: 1 unless BND_TEST_SCALE is below 1. */
uint64_t scaled_stride(void);

/* Is case k tested in this run? All cases are, or one in several if BND_TEST_SCALE requests less than half of them. */
bool in_turn(uint64_t k, uint64_t turns);

/* The format of this name. Ends the test program if there is none, since nothing could be tested. */
bnd_format format_named(const char *name);

/* The i-th of a stratified sequence for the format: anything a double can be, numbers over the format's own range, its
 * values, midpoints and their neighbours, the top, the bottom, and the specials. */
double stratified_double(const bnd_format *f, uint64_t seed, uint64_t i);

#endif
