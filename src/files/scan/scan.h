/* What scan/ shares between its files.
 *
 * A tensor is scanned in one of two ways, which give the same figures:
 *
 *   by codes    Codes of 8 or 16 bits are counted (code_counts.c). Each code that occurs is rounded once, and counts as
 *               often as it occurs (by_codes.c). This serves formats without scales, and one scale per tensor.
 *   by pieces   The tensor is decoded piece by piece, rounded and compared (by_pieces.c). A piece is a rectangle of a
 *               matrix whose edges are edges of all shared scales. Where blocks share scales of 8 bits, codes of 16
 *               bits are counted per scale instead (scale_counts.c).
 *
 * Sums are exact until they are rounded once (exact_sum.c), and the other figures are counts: so pieces are added in
 * any order. */
#ifndef BINADE_SRC_SCAN_H
#define BINADE_SRC_SCAN_H

#include <binade-lab/scan.h>

/* ---- exact_sum.c ---- */

/* A sum of squares of differences of floats, each square rounded to a double. They are 0 or lie from 2^-298 to 2^258: a
 * bin per exponent has the sum of the significands, as 128 bits. */
enum { BNDI_SQUARES = 560 };
typedef struct bndi_squares {
    uint64_t low[BNDI_SQUARES], high[BNDI_SQUARES];
} bndi_squares;

void bndi_sum_add_times(bndi_squares *sum, double square, uint64_t times);
void bndi_sum_add(bndi_squares *sum, const bndi_squares *more);
double bndi_sum_rounded(const bndi_squares *sum); /* to nearest even */

/* What has been compared so far. */
typedef struct bndi_comparison {
    uint64_t elements, broken, to_zero, exact, overflows;
    bndi_squares squared_error;
} bndi_comparison;
void bndi_comparison_add(bndi_comparison *sum, const bndi_comparison *more);

/* Compares numbers `x` with their results `y`. `bins` is zero, and is zero again afterwards. */
enum { BNDI_BINS_SIZE = 4 * 2048 };
void bndi_compare(bndi_comparison *sum, uint64_t bins[BNDI_BINS_SIZE], const float *x, const float *y, size_t n);

/* One number, which occurs `times` times. */
void bndi_compare_times(bndi_comparison *sum, float x, float y, uint64_t times);

/* ---- tensor.c: the numbers of a tensor, wherever they are ---- */

typedef struct bndi_tensor {
    const bnd_stored_weight *weight; /* NULL: codes of `format` */
    const bnd_format *format;        /* NULL: the weight is decoded */
    const unsigned char *codes;
    size_t rank;
    const uint64_t *shape;
    uint64_t count;
    uint64_t matrices, rows, columns; /* the same as matrices; fewer than two dimensions are one row */
} bndi_tensor;

void bndi_tensor_view(bndi_tensor *tensor); /* sets matrices, rows and columns */

/* The elements from any place on. */
bnd_status bndi_tensor_read(const bndi_tensor *tensor, float *x, uint64_t at, size_t n, bnd_error *why);

/* Are its codes words of 8 or 16 bits, which can be counted? */
bool bndi_tensor_has_countable_codes(const bndi_tensor *tensor);

/* The numbers of all codes of its format, which has 8 or 16 bits. */
void bndi_decode_all(float *values, const bnd_format *format);

/* ---- input.c: what the numbers are ---- */

typedef struct bndi_input {
    bnd_stats stats; /* counts of inputs, and magnitudes */
    uint64_t zeros, subnormals;
    bndi_squares squared;
} bndi_input;

/* A number that occurs `times` times; below `normal` it is subnormal. */
void bndi_input_add(bndi_input *input, float x, uint64_t times, double normal);
void bndi_input_add_all(bndi_input *input, uint64_t bins[BNDI_BINS_SIZE], const float *x, size_t n, double normal);
void bndi_input_merge(bndi_input *sum, const bndi_input *more);

/* ---- candidate.c, round.c ---- */

/* Does it need nothing but how often each code occurs? */
bool bndi_candidate_is_by_codes(const bnd_candidate *candidate);
/* Can rounding go beyond the largest element? */
bool bndi_candidate_can_overflow(const bnd_candidate *candidate);
/* Does the tensor's largest magnitude decide about scales? */
bool bndi_candidate_needs_amax(const bnd_candidate *candidate);

/* The scale of all elements that share it, and the tensor's, as bnd_given_scales has them. */
typedef struct bndi_scan_scales {
    unsigned char code[4];
    float tensor_scale;
    bnd_given_scales given; /* into this struct; NULL where the block format finds its own */
} bndi_scan_scales;

/* The shape of a tensor for the candidate's blocks. */
bool bndi_candidate_shape(bnd_shape *out, const bnd_candidate *candidate, const uint64_t *shape, size_t rank);

/* From the largest magnitude of those that share scales, if bndi_candidate_needs_amax. */
void bndi_scales_of_amax(bndi_scan_scales *scales, const bnd_candidate *candidate, float amax);

/* y = x in the candidate. Shapes are those of bnd_block_shape. */
void bndi_round_to(float *y, const float *x, bnd_shape shape, const bnd_candidate *candidate,
                   const bndi_scan_scales *scales, bnd_stats *stats);

/* ---- a job: all candidates of one tensor ---- */

typedef struct bndi_scan_job {
    const bndi_tensor *tensor;
    const bnd_candidate *candidates;
    size_t count, threads;
    bndi_input input;
    float amax;                                 /* of the tensor; NaN: not known, or one is NaN or infinite */
    bndi_comparison *results;                   /* one per candidate, */
    bool *done;                                 /* and is it complete? */
    bool (*at)(void *state, uint64_t elements); /* how many more were read; false: stop */
    void *state;
} bndi_scan_job;

bnd_status bndi_scan_by_codes(bndi_scan_job *job, bnd_error *why);
/* The candidates that are not done, and the input if no other way has described it. */
bnd_status bndi_scan_by_pieces(bndi_scan_job *job, bool with_input, bnd_error *why);

/* ---- pieces.c ---- */

typedef struct bndi_pieces {
    uint64_t height, width; /* of a piece; at the edges it may be smaller */
    uint64_t bands, parts;  /* of a matrix, along its rows and along its columns */
    uint64_t count;
    bool split; /* rows are not whole */
} bndi_pieces;
typedef struct bndi_rectangle {
    uint64_t row, column; /* the row among those of all matrices */
    size_t rows, columns;
} bndi_rectangle;

/* The rows and columns that share a scale. 0: all. */
void bndi_sharing_of(uint64_t *rows, uint64_t *columns, const bnd_candidate *candidate);
bnd_status bndi_pieces_plan(bndi_pieces *out, const bndi_scan_job *job, bnd_error *why);
bndi_rectangle bndi_piece_at(const bndi_pieces *pieces, const bndi_tensor *tensor, uint64_t i);
bnd_status bndi_piece_read(const bndi_tensor *tensor, const bndi_rectangle *piece, float *x, bnd_error *why);

/* Must the tensor be read once before, for scales of more than a piece? */
bool bndi_needs_first_pass(const bndi_scan_job *job, const bndi_pieces *pieces);

/* ---- scale_counts.c: how often each code of 16 bits occurs with each scale of 8 bits ---- */

/* Candidates with the same blocks. */
enum { BNDI_TOGETHER = 4, BNDI_COUNT_GROUPS = 8, BNDI_COUNT_MEMORY = 100 << 20 };
typedef struct bndi_count_group {
    size_t along, count, members[BNDI_TOGETHER];
} bndi_count_group;
typedef struct bndi_count_plan {
    const bndi_scan_job *job;
    float *values; /* of all codes; to be freed */
    size_t count, slots;
    bndi_count_group groups[BNDI_COUNT_GROUPS];
} bndi_count_plan;

/* Which candidates of a job to count: those of the groups. There are none if the tensor is small. False: there is no
 * memory. */
bool bndi_plan_counts(bndi_count_plan *plan, const bndi_scan_job *job);

/* A group's counters of one thread, for pieces of at most this size. NULL: there is no memory. */
typedef struct bndi_counter bndi_counter;
bndi_counter *bndi_counter_new(const bndi_count_plan *plan, size_t group, uint64_t height, uint64_t width);
void bndi_counter_free(bndi_counter *counter); /* or NULL */

/* Counts a piece. False if there are too many scales: the piece is not counted then. `scales`, `results`: of all
 * candidates. */
bool bndi_count_piece(bndi_counter *counter, const bndi_count_plan *plan, size_t group, const bndi_rectangle *piece,
                      const float *x, const bndi_scan_scales *scales, bndi_comparison *results);

/* Adds what has been counted to the results, and forgets it. */
void bndi_empty_counter(bndi_counter *counter, const bndi_count_plan *plan, size_t group,
                        const bndi_scan_scales *scales, bndi_comparison *results);

/* code_counts.c: adds how often each code of 8 or 16 bits occurs. `counters` is zero, and is zero again afterwards. */
enum { BNDI_CODES = 1 << 16 };
void bndi_count_codes(uint64_t *counts, uint32_t *counters, const unsigned char *codes, unsigned bytes, size_t n);

#endif
