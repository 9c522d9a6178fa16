/* Layer 8: test vectors: written, answered, judged, and the rule or the dialect that an implementation follows. */
#ifndef BINADE_LAB_VECTORS_H
#define BINADE_LAB_VECTORS_H

#include <binade/arith.h>
#include <binade/bulk.h>
#include <binade/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- test vectors: lines "IN... OUT FLAGS", hexadecimal, and which rule an implementation follows ---- */

enum {
    BND_VECTOR_DOT_PAIRS_MAX = 512,
    BND_VECTOR_MXDOT_PAIRS = 32,
    BND_VECTOR_OPERANDS_MAX = 2 * BND_VECTOR_DOT_PAIRS_MAX,
    BND_VECTOR_LINE_MAX = 17 * (BND_VECTOR_OPERANDS_MAX + 3) /* bytes of a line that is written, its end included */
};

typedef enum bnd_vector_kind {
    BND_VECTOR_KIND_OPERATION, /* of the table: convert add sub mul div sqrt fma rem ... */
    BND_VECTOR_KIND_DOT,       /* a1 .. aN b1 .. bN: a1 b1 + .. + aN bN, exactly, rounded once */
    BND_VECTOR_KIND_MXDOT      /* X a1 .. a32 Y b1 .. b32: X Y (a1 b1 + .. + a32 b32), exactly, rounded once */
} bnd_vector_kind;

/* What lines are about. */
typedef struct bnd_vectors {
    bnd_vector_kind kind;
    bool lab_flags;  /* saturated and to-zero are written too */
    bool one_format; /* operands and result */
    bnd_operation operation;
    unsigned pairs;    /* of dot and mxdot */
    unsigned operands; /* on a line, random bits not counted */
    bnd_format
        in[BND_OPERANDS_MAX]; /* of an operation's operands; of a dot product's a and b; mxdot: the third is e8m0 */
    bnd_format out;
    bnd_rule rule; /* a stochastic mode makes its random bits the last operand of every line */
} bnd_vectors;

/* `operation`: a name of the table, but not scalb; dot:N, N from 1 to 512; mxdot. `in`: one format, for all operands,
 * or one for each (for a and for b of a dot product), `in_count` of them. `out`: NULL means the first of them. Formats
 * without codes are refused. */
BND_CHECKED bnd_status bnd_vectors_describe(bnd_vectors *out, const char *operation, const bnd_format *in,
                                            size_t in_count, const bnd_format *result, bnd_rule rule, bnd_error *why);

/* The format of an operand of a line. */
const bnd_format *bnd_vectors_format(const bnd_vectors *v, unsigned operand);

/* The rule as vectors of `v` take it: the default number of random bits and the default NaN said as what they are. */
bnd_rule bnd_vectors_rule(const bnd_vectors *v, bnd_rule rule);

/* "binade-vectors 1 op=add in=fp16,fp16 out=fp16 round=rne overflow=format nan=canonical", and what else of the rule is
 * not the default; the form of bnd_print_*. The first line of a file is "# " and this. */
size_t bnd_vectors_print_header(char *out, size_t size, const bnd_vectors *v);
/* Reads it again; blanks, # and // may stand before it. */
BND_CHECKED bnd_status bnd_vectors_parse_header_n(bnd_vectors *out, const char *text, size_t length, bnd_error *why);

/* ---- cases: any of them by its index, so that nothing need be kept ---- */

typedef enum bnd_vector_level {
    /* any number of cases: boundaries, sums that cancel, midpoints, any codes, and in turn every exponent, alignment
     * distance, shift and pair of special values */
    BND_VECTOR_LEVEL_SAMPLE,
    BND_VECTOR_LEVEL_1,  /* every combination of boundaries, then as many drawn cases */
    BND_VECTOR_LEVEL_2,  /* the same of more boundaries */
    BND_VECTOR_LEVEL_ALL /* every combination of codes */
} bnd_vector_level;

enum { BND_VECTOR_BOUNDARIES_MAX = 65536 };

typedef struct bnd_vector_plan {
    const bnd_vectors *vectors;
    bnd_vector_level level;
    uint64_t seed;
    uint64_t count;        /* of cases; BND_VECTOR_LEVEL_SAMPLE: without end */
    uint64_t combinations; /* of boundaries: the first cases of levels 1 and 2; those after them are drawn */
    unsigned sets;         /* of boundaries: one for each operand that has a format of its own */
    size_t sizes[BND_OPERANDS_MAX];
    uint64_t *boundaries[BND_OPERANDS_MAX];
    bool complete[BND_OPERANDS_MAX]; /* the set has every code */
} bnd_vector_plan;

/* Operations of one operand of at most 16 bits have every code at levels 1 and 2. Dot products have 10,000 cases at
 * level 1 and 1,000,000 at level 2, drawn as BND_VECTOR_LEVEL_SAMPLE draws them. More than 2^32 cases are
 * refused: the message has their number. */
BND_CHECKED bnd_status bnd_vector_plan_open(bnd_vector_plan *out, const bnd_vectors *v, bnd_vector_level level,
                                            uint64_t seed, bnd_error *why);
void bnd_vector_plan_close(bnd_vector_plan *plan);

/* The operands of a case, and its random bits (0 where the rule takes none). */
void bnd_vector_case(uint64_t *operands, uint64_t *random, const bnd_vector_plan *plan, uint64_t index);

/* The answer to a case by a rule. */
bnd_result bnd_vector_answer(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random);

/* ---- lines ---- */

typedef enum bnd_vector_form {
    BND_VECTOR_FORM_LINE,    /* 3C00 4000 4200 00 */
    BND_VECTOR_FORM_MEMH,    /* 3C00_4000_4200_00, one word a line for Verilog's $readmemh */
    BND_VECTOR_FORM_QUESTION /* 3C00 4000: the operands alone */
} bnd_vector_form;

/* Writes the lines of the cases `first` up to `end` as long as they fit; returns the bytes, and in *next the first case
 * that is not written. `size` is BND_VECTOR_LINE_MAX at least. */
size_t bnd_vector_write(char *out, size_t size, uint64_t *next, const bnd_vector_plan *plan, uint64_t first,
                        uint64_t end, bnd_vector_form form);

typedef struct bnd_vector_line {
    uint64_t *operands; /* room for all of them */
    uint64_t random, code;
    uint32_t flags;
    bool has_flags, has_operands;
} bnd_vector_line;

typedef enum bnd_vector_answer_form { BND_VECTOR_ANSWER_WHOLE, BND_VECTOR_ANSWER_ANY } bnd_vector_answer_form;

/* A line as read: hexadecimal numbers set off by blanks or '_', OUT and FLAGS last; FLAGS may be missing. With
 * BND_VECTOR_ANSWER_ANY it may also be "OUT" or "OUT FLAGS" alone: has_operands is false then. `length` is without the
 * end of the line. */
BND_CHECKED bnd_status bnd_vector_parse_n(bnd_vector_line *out, const bnd_vectors *v, bnd_vector_answer_form form,
                                          const char *text, size_t length, bnd_error *why);

/* ---- what lines say about an implementation ---- */

typedef enum bnd_vector_case_kind {
    BND_VECTOR_CASE_EXACT,
    BND_VECTOR_CASE_BELOW_HALF, /* of the way from the neighbour toward zero to the other */
    BND_VECTOR_CASE_TIE,
    BND_VECTOR_CASE_ABOVE_HALF,
    BND_VECTOR_CASE_OVERFLOW, /* beyond the largest number, when rounded without a limit */
    BND_VECTOR_CASE_INFINITE,
    BND_VECTOR_CASE_NAN,
    BND_VECTOR_CASE_COUNT
} bnd_vector_case_kind;
const char *bnd_vector_case_name(bnd_vector_case_kind kind);

enum { BND_VECTOR_CLASS_COUNT = BND_CLASS_SIGNALING_NAN + 1 };

typedef struct bnd_vector_coverage {
    uint64_t lines, disagreements, without_flags;
    uint64_t operands[BND_VECTOR_CLASS_COUNT]; /* how many operands of each class */
    uint64_t results[BND_VECTOR_CLASS_COUNT]
                    [BND_VECTOR_CASE_COUNT]; /* right results: their class, and how the exact one lay */
    /* Products: by whether the significands' product is below 2, or 2 and more; quotients: below 1, or 1 and more. */
    uint64_t significands[2][BND_VECTOR_CASE_COUNT];
} bnd_vector_coverage;

/* A range of integers that lines can cover: exponent fields, alignment distances, shifts. */
typedef struct bnd_vector_covered {
    const char *what;
    int32_t first;       /* the range is first .. first + count - 1 */
    uint32_t count, met; /* how many integers there are, and how many of them occurred */
    const uint8_t *hit;  /* count bytes: 1 where an integer occurred; valid until the next line */
} bnd_vector_covered;

typedef struct bnd_vector_options {
    bool any_nan;        /* one NaN is as good as another */
    uint32_t flags_mask; /* which flags are compared */
} bnd_vector_options;

/* Keeps counts of a fixed size however many lines come. */
typedef struct bnd_vector_check bnd_vector_check;
BND_CHECKED bnd_status bnd_vector_check_new(bnd_vector_check **out, const bnd_vectors *v, bnd_vector_options how,
                                            bnd_error *why); /* allocates */
void bnd_vector_check_free(bnd_vector_check *check);

/* Takes a line in. *agrees: with the rule of `v`; *want: what that rule says. */
BND_CHECKED bnd_status bnd_vector_check_line(bool *agrees, bnd_result *want, bnd_vector_check *check,
                                             const bnd_vector_line *line, bnd_error *why);
const bnd_vector_coverage *bnd_vector_check_coverage(const bnd_vector_check *check);
/* The ranges that the operation has, 0, 1 ...; false where there are no more. */
bool bnd_vector_check_covered(bnd_vector_covered *out, const bnd_vector_check *check, size_t index);

/* Why the rule's answer is what it is: one sentence, in the form of bnd_print_*. */
size_t bnd_vector_explain(char *out, size_t size, const bnd_vectors *v, const uint64_t *operands, uint64_t random);

/* A rule beside the lines taken in: of how many it gives another answer, and in how many choices it differs from that
 * of `v`. */
typedef struct bnd_vector_suspect {
    bnd_rule rule;
    uint64_t left_over;
    unsigned changes;
} bnd_vector_suspect;

/* The rules that leave the fewest lines over, and of these those that change least, at most `capacity` of them. Tried
 * are all combinations of rounding modes (with random bits the stochastic ones too), overflow policies, NaN rules,
 * flushing, tininess and what else the format leaves open; choices that it does not leave open stay. */
size_t bnd_vector_check_suspects(bnd_vector_suspect *out, size_t capacity, const bnd_vector_check *check);
/* A dialect's rule for the result's format; false where it has none. */
bool bnd_vector_check_dialect(bnd_vector_suspect *out, const bnd_vector_check *check, size_t dialect);
/* "round=rtz overflow=saturate": the choices in which `rule` differs from that of `v`, by the names of the header. */
size_t bnd_vector_print_changes(char *out, size_t size, const bnd_vectors *v, bnd_rule rule);

#ifdef __cplusplus
}
#endif
#endif
