/* Random questions about arrays: formats, rules, lengths and strides. A sequence by seed, the same on every machine. */
#ifndef TESTS_BULK_DRAWS_H
#define TESTS_BULK_DRAWS_H

#include "expected.h"

typedef struct draw {
    uint64_t seed, at;
} draw;

uint64_t draw_bits(draw *d);
uint64_t draw_below(draw *d, uint64_t n);
bool draw_one_in(draw *d, uint64_t n);

/* Built-in ones, P3109's, custom ones with every kind of special values, many at the ends of fp32 and fp64; unless they
 * must have codes, value sets too. */
bnd_format draw_format(draw *d, bool with_codes);

/* A code at or next to zero, the least number, the smallest normal one, the largest or the infinity; and a number of
 * fp32 or fp64 (`type`) at or next to a few halves of the least, below the normal ones, or about the largest. */
uint64_t draw_edge_code(draw *d, const bnd_format *f);
uint64_t draw_edge_number(draw *d, const bnd_format *f, const bnd_format *type);

/* Every choice of a rule; to nearest even and ties by the significand more often than others. */
bnd_rule draw_rule(draw *d);

/* From none to more than a chunk of the library's, often about a multiple of a vector's length. */
size_t draw_length(draw *d);

/* Packed codes that share bytes have none: 0. */
ptrdiff_t draw_stride(draw *d, const bnd_format *f, uint8_t packing);

#endif
