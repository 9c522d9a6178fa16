/* Layer 9: how two checkpoints differ, and how a quantized one was made from its base.
 *
 * Weights are compared as numbers: dequantized, in fp32, whatever their layouts. Distances are in ulps of a plain
 * format, the unit: that of the side that is not quantized; of two such sides, the more precise format; fp32 if both
 * are quantized. The numbers of the unit are numbered from zero on, and a number between two of them has a place
 * between theirs, in proportion. The distance of two numbers is the difference of their places: of two numbers of the
 * unit, the count of steps from one to the other.
 *
 * Elements are numbered as A stores them. Blocks of gpt-oss are stored [experts, out, in], while the unquantized model
 * has [experts, in, out]: such weights are compared element by element with these two axes exchanged. */
#ifndef BINADE_DIFF_H
#define BINADE_DIFF_H

#include <binade-lab/checkpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- explained by: rows of explain.def ---- */

typedef enum bnd_made {
    BND_MADE_TENSOR,   /* NVFP4's scale of the tensor */
    BND_MADE_SCALE,    /* the other scales */
    BND_MADE_QUOTIENT, /* x divided by the scale */
    BND_MADE_ROUNDING, /* of the quotient to the element */
    BND_MADE_ZERO,     /* the sign of zeros */
    BND_MADE_COUNT
} bnd_made;

/* One way to compute a part. */
typedef struct bnd_made_row {
    const char *name; /* a word for programs, "amax-bf16"; the same word may be of rows for other kinds of scales */
    const char *text; /* for people; %m is the largest element, %e its exponent */
} bnd_made_row;

/* Returns: the number of candidates of a part; one of them. */
size_t bnd_made_count(bnd_made part);
const bnd_made_row *bnd_made_at(bnd_made part, size_t row);

enum { BND_MADE_NONE = 255 }; /* no row fits */

/* How the codes and scales of a weight follow from its base. Scales are compared with those that each row gives from
 * the base; codes with those that each row gives from the base and the *stored* scales. So a weight whose scales no row
 * explains can still have codes that one does. */
typedef struct bnd_explanation {
    const char *why_not;            /* there is none, and why; NULL: there is one, and the rest counts */
    bnd_format element;             /* the format of the codes that fits best: not always the dtype of the file */
    bool other_element;             /* it is not the one that the file says */
    bool inverted;                  /* the stored scales are reciprocals of factors, although the layout has factors */
    uint8_t row[BND_MADE_COUNT];    /* the first row that reproduces most; BND_MADE_NONE: none, or no such scales */
    uint64_t fits[BND_MADE_COUNT];  /* bit r: row r reproduces as many; these weights do not tell such rows apart */
    uint64_t tensors, tensors_made; /* scales of tensors, and how many of them the row reproduces: 0 or 1 per weight */
    uint64_t scales, scales_made;   /* the other scales */
    uint64_t codes, codes_made;     /* elements */
    uint64_t nearest_made;          /* elements that one of the roundings to nearest reproduces */
    size_t fused;                   /* weights whose largest magnitude together made the tensor's scale; 0: its own */
    float least;                    /* scales below this one were raised to it; 0: none was */
} bnd_explanation;

/* ---- differences ---- */

typedef enum bnd_difference_kind {
    BND_DIFFERENCE_NONE, /* the same bits in fp32, element by element, and the same numbers in fp64; or the same bytes,
                              if it is not decoded */
    BND_DIFFERENCE_VALUES, /* other values */
    BND_DIFFERENCE_ONLY_A,
    BND_DIFFERENCE_ONLY_B,
    BND_DIFFERENCE_SHAPE,
    BND_DIFFERENCE_UNKNOWN /* one side cannot be decoded: `why` */
} bnd_difference_kind;

/* The word of a kind, "values". "" for a number that is not one. */
const char *bnd_difference_name(bnd_difference_kind kind);

enum { BND_DIFFERENCE_BINS = 35 };

/* Counts and sums over the elements of a weight, or of a model. */
typedef struct bnd_difference_sums {
    uint64_t elements;
    uint64_t equal;      /* the same bits, or NaN on both sides */
    uint64_t below_fp32; /* the same bits in fp32, and other numbers where a side is stored in fp64; at distance 0 */
    uint64_t zero_signs; /* 0 and -0 */
    uint64_t nonfinite;  /* other elements with a NaN or an infinity on one side; they are in none of the following */
    uint64_t bins[BND_DIFFERENCE_BINS]; /* distances: 0; up to 1/2 ulp; up to 1; up to 2; ... up to 2^32 */
    double largest_ulps;
    double largest_error;            /* |a - b| */
    uint64_t largest_at;             /* the first element of this error */
    double error_sum;                /* of |a - b| */
    double squared_error, squared_b; /* of a weight the exact sums, rounded once: the same as those of bnd_scan */
} bnd_difference_sums;

/* The mean of |a - b|; the ratio of the squares of b to those of a - b, in decibels: infinite if they are equal, NaN if
 * nothing was compared or b is zero. */
double bnd_difference_mean(const bnd_difference_sums *sums);
double bnd_difference_sqnr(const bnd_difference_sums *sums);

typedef struct bnd_weight_difference {
    const char *name;
    const bnd_stored_weight *a, *b, *base; /* NULL: it is not there */
    bnd_difference_kind kind;
    char why[BND_MESSAGE_SIZE]; /* of BND_DIFFERENCE_UNKNOWN and _SHAPE */
    const bnd_format *unit;     /* of the distances */
    bnd_difference_sums sums;
    bool same_bytes;           /* codes and scales are stored by the same bytes, too */
    bnd_explanation explained; /* of A from the base */
} bnd_weight_difference;

typedef struct bnd_diff_options {
    const bnd_checkpoint *base; /* the unquantized model. NULL: B, for each weight that is quantized in A only */
    bool explain;               /* search how A was made */
    const bnd_context *context;
    bnd_watch watch;
} bnd_diff_options;

typedef struct bnd_diff bnd_diff;

/* Compares all weights of two checkpoints, by name.
 * Arguments: `a`, `b` and the base stay until bnd_diff_free.
 * Memory: the result, and a few pieces per thread; a piece is at most a band of tiles.
 * On failure: BND_NO_MEMORY; BND_BAD_STREAM if the watch ended the call. */
BND_CHECKED bnd_status bnd_diff_new(bnd_diff **out, const bnd_checkpoint *a, const bnd_checkpoint *b,
                                    const bnd_diff_options *options, bnd_error *why);
void bnd_diff_free(bnd_diff *diff);

/* Returns: the number of weights; one of them: those of A in its order, then those that only B has. */
size_t bnd_diff_count(const bnd_diff *diff);
const bnd_weight_difference *bnd_diff_at(const bnd_diff *diff, size_t index);

/* Returns: the sums over all weights that were compared; how many weights are of a kind. */
const bnd_difference_sums *bnd_diff_sums(const bnd_diff *diff);
size_t bnd_diff_kinds(const bnd_diff *diff, bnd_difference_kind kind);

/* Writes an SQNR or an error for people: four digits; "-" for NaN, "exact" for an infinity.
 * Returns: the length of the whole text, as snprintf. */
size_t bnd_difference_print(char *out, size_t size, double x);

/* Writes a line of the answer in words: "A and B decode to the same values in 5 of 12 weights.", how the weights of A
 * and of B are stored, which differences there are, sums, and what the base lacks.
 * Arguments: at most `size` bytes are written, with a final 0 byte. `line`: from 0 on.
 * Returns: the length of the whole line, as snprintf; 0, with an empty text: there are no more lines. */
size_t bnd_diff_print_line(char *out, size_t size, const bnd_diff *diff, size_t line);

/* Weights that were made in the same way. */
typedef struct bnd_explained_group {
    size_t first;        /* a weight of it: how it was made */
    size_t weights;      /* how many */
    bnd_explanation sum; /* as that of the first, with the counts of all */
} bnd_explained_group;

/* Returns: the number of ways in which the weights were made; one of them, the one of most weights first. */
size_t bnd_diff_groups(const bnd_diff *diff);
const bnd_explained_group *bnd_diff_group_at(const bnd_diff *diff, size_t index);

/* A sentence: "e4m3, one bf16 scale per row: amax / 448 in bf16; x / scale in bf16, round to nearest even".
 * Arguments: at most `size` bytes are written, with a final 0 byte.
 * Returns: the length of the whole text. */
size_t bnd_explanation_print(char *out, size_t size, const bnd_explanation *how, const bnd_stored_weight *weight);

#ifdef __cplusplus
}
#endif
#endif
