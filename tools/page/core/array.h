/* The array of the room Array: numbers in memory, as fp32 or fp64, with the shape that blocks need. */
#ifndef BINADE_PAGE_ARRAY_H
#define BINADE_PAGE_ARRAY_H

#include "store/json_writer.h"
#include <binade/block.h>

enum {
    ARRAY_COUNT_MAX = 1 << 27, /* 512 MiB of fp32 */
    ARRAY_PIECE = 1 << 18,     /* as `binade cast`: sums of statistics are those of the same pieces */
    ARRAY_RANK_MAX = 64
};

typedef struct array {
    void *x; /* floats, or doubles where `wide` */
    size_t count, filled;
    bool wide, big_endian, fortran_order;
    bnd_format format; /* of the elements before they became floats or doubles */
    bnd_packing packing;
    size_t dimensions[ARRAY_RANK_MAX], rank;
} array;

extern array the_array;

/* Room for an array of these dimensions. The old one is freed first. */
BND_CHECKED bnd_status array_begin(const bnd_format *f, const uint64_t *shape, size_t rank, bnd_error *why);

/* What a format, or a block format, does to an array. */
typedef struct array_line {
    bool is_block;
    bnd_format format; /* of the elements */
    bnd_block block;
    bnd_rule rule;
    uint64_t seed;
    double bits; /* an element takes, with its share of the scales; NaN for value sets */
} array_line;

typedef struct array_result {
    bool counted; /* wanted: `after`, the statistics of the results */
    bnd_stats stats, after;
    double worst, worst_x, worst_y;
    uint64_t worst_at;
} array_result;

BND_CHECKED bnd_status array_line_open(array_line *out, const char *name, const char *rounding, const char *overflow,
                                       uint32_t seed, bnd_error *why);
BND_CHECKED bnd_status array_examine(array_result *out, array_line *line, bool counted, bnd_error *why);
/* Only the results, of an array of floats. */
BND_CHECKED bnd_status array_apply(float *y, const array_line *line, bnd_error *why);
void array_put_result(bnd_lab_json *json, const array_line *line, const array_result *result);

#endif
