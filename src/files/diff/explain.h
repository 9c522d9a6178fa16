/* What diff/ shares between its files: the search for the way in which a quantized array was made from its base.
 *
 * Every candidate is a row of explain.def. Scales and codes are searched for separately: a candidate for scales is
 * given the largest magnitude of each group, and counted for each stored scale that it reproduces; a candidate for
 * codes is given the base and the *stored* scales. A code is compared with its neighbours only: where the quotient
 * lies between the code and one of them (on the code, below the middle, on it, above it) says which roundings give
 * this code. So one pass counts for all roundings, and no code is computed twice. */
#ifndef BINADE_SRC_EXPLAIN_H
#define BINADE_SRC_EXPLAIN_H

#include <binade-lab/diff.h>

/* ---- rows ---- */

/* Which scales a row is for. */
typedef enum bndi_scale_kind {
    BNDI_OF_PLAIN,
    BNDI_OF_POWERS,
    BNDI_OF_BLOCKS,
    BNDI_OF_FACTOR,
    BNDI_OF_DIVISOR
} bndi_scale_kind;

typedef enum bndi_scale_formula {
    BNDI_BY_AMAX,
    BNDI_BY_DIVIDE,
    BNDI_BY_RECIPROCAL,
    BNDI_BY_INVERSE,
    BNDI_BY_HALF_RANGE,
    BNDI_BY_NEXT_INTEGER,
    BNDI_BY_ONE,
    BNDI_BY_OVER_PRODUCT,
    BNDI_BY_DIVIDED_TWICE,
    BNDI_BY_TIMES_DIVISOR,
    BNDI_BY_RECIPROCAL_TIMES_DIVISOR,
    BNDI_BY_RELATIVE,
    BNDI_BY_OVER_RANGE,
    BNDI_BY_TIMES_RANGE,
    BNDI_BY_INVERSE_RANGE,
    BNDI_BY_OVER_RANGE_256,
    BNDI_BY_RANGE_IN_TWO,
    BNDI_BY_RANGE_IN_TWO_OTHER,
    BNDI_BY_RANGE_OVER,
    BNDI_BY_INVERSE_OVER,
    BNDI_BY_RANGE_256_OVER
} bndi_scale_formula;

typedef enum bndi_work { BNDI_IN_EXACT, BNDI_IN_FP32, BNDI_IN_BF16, BNDI_IN_FP16 } bndi_work;

typedef enum bndi_power {
    BNDI_TO_NONE,
    BNDI_TO_UP,
    BNDI_TO_DOWN,
    BNDI_TO_FLOOR,
    BNDI_TO_CEIL,
    BNDI_TO_EVEN,
    BNDI_TO_CT,
    BNDI_TO_LOG2_UP,
    BNDI_TO_LOG2_NEAREST,
    BNDI_TO_NEAREST,
    BNDI_TO_FOUR_SIX /* not a power of two: the scale for amax / 6 or the one for amax / 4 */
} bndi_power;

typedef struct bndi_scale_row {
    bnd_made_row row;
    bndi_scale_kind of;
    bndi_scale_formula formula;
    bndi_work work;
    bndi_power power;
} bndi_scale_row;

typedef enum bndi_divisor {
    BNDI_OVER_EXACT,
    BNDI_OVER_PRODUCT,
    BNDI_OVER_RATIO,
    BNDI_OVER_UNROUNDED,
    BNDI_OVER_BF16,
    BNDI_OVER_FP16
} bndi_divisor;

typedef enum bndi_division {
    BNDI_OP_DIVIDE,
    BNDI_OP_MULTIPLY,
    BNDI_OP_MULTIPLY_BF16,
    BNDI_OP_MULTIPLY_DIVISOR
} bndi_division;

typedef struct bndi_quotient_row {
    bnd_made_row row;
    bndi_divisor scale;
    bndi_division operation;
    bndi_work work;
} bndi_quotient_row;

typedef enum bndi_to_element {
    BNDI_ROUND_RNE,
    BNDI_ROUND_RNA,
    BNDI_ROUND_RNZ,
    BNDI_ROUND_RTZ,
    BNDI_ROUND_RAZ,
    BNDI_ROUND_RUP,
    BNDI_ROUND_RDN,
    BNDI_ROUND_EITHER,
    BNDI_ROUNDINGS
} bndi_to_element;

typedef enum bndi_zero_sign {
    BNDI_ZERO_KEEP,
    BNDI_ZERO_PLUS,
    BNDI_ZERO_BELOW,
    BNDI_ZERO_NOT_ABOVE,
    BNDI_ZEROS
} bndi_zero_sign;

enum { BNDI_SCALE_ROWS = 64, BNDI_QUOTIENTS = 16 }; /* most rows: explain_rows.c holds the tables to it */

size_t bndi_scale_rows(void);
const bndi_scale_row *bndi_scale_row_at(size_t row);
const bndi_quotient_row *bndi_quotient_row_at(size_t row);

/* ---- arithmetic of tools ---- */

/* The nearest number of fp32, and of a format by way of fp32, as torch computes in it. */
double bndi_in_fp32(double x);
double bndi_in_work(double x, bndi_work work);

/* ---- scales ---- */

/* What a formula is given besides amax. */
typedef struct bndi_scale_facts {
    bnd_format element;    /* its largest number and exponent count */
    bnd_format stored;     /* the format of the scales */
    float tensor_amax;     /* of BLOCKS */
    float factor, divisor; /* of BLOCKS: the tensor's scale as a factor, and as a divisor; one of them is stored */
    float least, zero;     /* the least stored scale; that of groups of zeros */
    bool inverted;         /* reciprocals are stored */
} bndi_scale_facts;

/* The largest element: 448. Its exponent: 8. */
double bndi_largest_of(const bndi_scale_facts *facts);

/* A row's scale for this largest magnitude (not zero, finite), before it is rounded to the stored format. `second`: of
 * FOUR_SIX, the one for amax / 4. */
double bndi_scale_by(const bndi_scale_row *row, const bndi_scale_facts *facts, double amax, bool second);

/* How many scales each row reproduces; `raised` of them only because they were raised to the least scale. */
typedef struct bndi_scale_counts {
    uint64_t scales;
    uint64_t made[BNDI_SCALE_ROWS], raised[BNDI_SCALE_ROWS];
} bndi_scale_counts;

/* Adds to the counts of rows of a kind. A group whose amax is NaN, of which any scale is right, counts for none. */
void bndi_tally_scales(bndi_scale_counts *counts, bndi_scale_kind of, const bndi_scale_facts *facts, const float *amax,
                       const float *stored, size_t groups);
void bndi_add_scale_counts(bndi_scale_counts *sum, const bndi_scale_counts *more);

/* ---- codes ---- */

/* The quotients at which what is counted for a code changes: its lower neighbour, the middle to it, its own value, the
 * middle to the upper one, the upper one; and for each sign of x the counter below, between and above them. */
enum { BNDI_STEPS = 5, BNDI_APART = 255 }; /* APART: not one counter */
typedef struct bndi_code_step {
    double at[BNDI_STEPS];
    unsigned char place[2][BNDI_STEPS + 1];
} bndi_code_step;

/* The magnitudes of a format by their codes, exact. */
typedef struct bndi_code_values {
    bndi_code_step *steps; /* by code; NULL: the codes are long */
    double *values;        /* the finite ones, then infinity if there is one, then NaNs; `count` in all */
    uint32_t count;
    uint32_t finite; /* codes below this one are finite */
    bool integer;
    bool zero_nan; /* the code of -0 is NaN */
    unsigned bits;
} bndi_code_values;

/* On failure: BND_NO_MEMORY; BND_BAD_ARGUMENT for formats of more than 16 bits. */
BND_CHECKED bnd_status bndi_code_values_new(bndi_code_values *out, const bnd_format *element, bool integer,
                                            bnd_error *why);
void bndi_code_values_free(bndi_code_values *m);

/* Where the quotient lies relative to a code and its neighbour. */
enum { BNDI_ON, BNDI_BELOW, BNDI_TIE, BNDI_ABOVE, BNDI_PLACES };

/* Elements by place, side (the code is the lower or the upper of the two), the parity of the lower one, and sign; zeros
 * by place, x (0, -0, > 0, < 0) and sign. */
typedef struct bndi_code_counts {
    uint64_t elements;
    uint64_t beyond; /* the quotient is at or beyond the largest element, and so is the code; or both are NaN */
    uint64_t other;  /* the code is not a neighbour */
    uint64_t codes[BNDI_PLACES][2][2][2];
    uint64_t zeros[BNDI_PLACES][4][2];
} bndi_code_counts;

/* A run of elements that share a scale. `factor`, `divisor`: the tensor's scale, 1 if there is none; `unrounded`: the
 * scale before it was rounded. */
typedef struct bndi_shared {
    double scale, factor, divisor, unrounded;
} bndi_shared;

/* Which of the counts, as one array of uint64_t, gets the element x with this code. a and the magnitudes in units of
 * `unit` are compared: the products are exact. */
size_t bndi_code_counter(const bndi_code_values *m, double x, double a, double unit, uint32_t code);

/* Counts a run for one quotient. */
void bndi_tally_codes(bndi_code_counts *counts, size_t quotient, const bndi_code_values *m, const bndi_shared *shared,
                      const float *x, const uint16_t *codes, size_t n);
void bndi_add_code_counts(bndi_code_counts *sum, const bndi_code_counts *more);

/* The elements that a rounding and a rule for zeros reproduce. */
uint64_t bndi_codes_made(const bndi_code_counts *counts, bndi_to_element rounding, bndi_zero_sign zero);

/* Counts runs for many quotients: the same counts as bndi_tally_codes for each, in less time. They are in `counts`
 * after bndi_tally_end. */
enum { BNDI_REACHES = 2 };
typedef struct bndi_code_tally {
    unsigned rows; /* one bit per quotient */
    bndi_code_counts counts[BNDI_QUOTIENTS];
    bndi_code_counts common[BNDI_REACHES]; /* of all members */
    unsigned members[BNDI_REACHES];
} bndi_code_tally;
void bndi_tally_begin(bndi_code_tally *tally, unsigned rows);
void bndi_tally_run(bndi_code_tally *tally, const bndi_code_values *m, const bndi_shared *shared, const float *x,
                    const uint16_t *codes, size_t n);
void bndi_tally_end(bndi_code_tally *tally);

#endif
