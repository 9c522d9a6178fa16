/* Layer 8: test vectors: writing, answering and checking them, and finding the rule or the dialect that an
 * implementation follows. */
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

/* Describes vectors of an operation.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the description. `operation`: the name of an operation other than scalb; dot:N, with N from 1
 *     to 512; or mxdot. `in`, `in_count`: one format for all operands, or one for each (for a and b of a dot product).
 *     `result`: the format of the result; NULL: the first of `in`. `rule`: how to round. `why` (out): the error, or
 *     NULL.
 * On failure: `out` is unchanged: the operation is unknown, or a format has no codes, or their number is wrong. */
BND_CHECKED bnd_status bnd_vectors_describe(bnd_vectors *out, const char *operation, const bnd_format *in,
                                            size_t in_count, const bnd_format *result, bnd_rule rule, bnd_error *why);

/* The format of an operand of a line.
 *
 * Returns: The format, which is part of `v`.
 * Arguments: `v`: the description. `operand`: 0 .. v->operands - 1. */
const bnd_format *bnd_vectors_format(const bnd_vectors *v, unsigned operand);

/* Writes out the defaults of a rule: the number of random bits, and the NaN policy.
 *
 * Returns: The rule.
 * Arguments: `v`: the description. `rule`: the rule. */
bnd_rule bnd_vectors_rule(const bnd_vectors *v, bnd_rule rule);

/* Writes the header "binade-vectors 1 op=add in=fp16,fp16 out=fp16 round=rne overflow=format nan=canonical", and the
 * other members of the rule that are not the default. The first line of a file is "# " and this.
 *
 * Returns: The length of the whole text, as snprintf.
 * Arguments: `out` (out), `size`: the text and its room. `v`: the description. */
size_t bnd_vectors_print_header(char *out, size_t size, const bnd_vectors *v);

/* Reads a header; blanks, # and // may precede it.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX, BND_BAD_NAME or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the description. `text`, `length`: the header. `why` (out): the error, or NULL; `where` is an
 *     offset into the text.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_vectors_parse_header_n(bnd_vectors *out, const char *text, size_t length, bnd_error *why);

/* ---- cases: any of them by its index, so that none is stored ---- */

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

/* Makes a plan of cases. Operations of one operand of at most 16 bits have every code at levels 1 and 2. Dot products
 * have 10,000 cases at level 1 and 1,000,000 at level 2, drawn as BND_VECTOR_LEVEL_SAMPLE draws them.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the plan; release it with bnd_vector_plan_close. `v`: the description, which must stay as
 *     long as the plan is used. `level`, `seed`: which cases. `why` (out): the error, or NULL.
 * On failure: BND_BAD_ARGUMENT: the level is unknown, or there are more than 2^32 cases; the message has their
 *     number. */
BND_CHECKED bnd_status bnd_vector_plan_open(bnd_vector_plan *out, const bnd_vectors *v, bnd_vector_level level,
                                            uint64_t seed, bnd_error *why);

/* Releases a plan.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `plan`: the plan. */
void bnd_vector_plan_close(bnd_vector_plan *plan);

/* Makes a case.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `operands` (out): the operands. `random` (out): the random bits; 0 if the rule uses none. `plan`,
 *     `index`: the plan, and the number of the case. */
void bnd_vector_case(uint64_t *operands, uint64_t *random, const bnd_vector_plan *plan, uint64_t index);

/* Computes the answer to a case.
 *
 * Returns: The code, its flags and its ternary value.
 * Arguments: `v`: the description. `operands`, `random`: the case. `rule`: how to round. */
bnd_result bnd_vector_answer(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random);

/* ---- lines ---- */

typedef enum bnd_vector_form {
    BND_VECTOR_FORM_LINE,    /* 3C00 4000 4200 00 */
    BND_VECTOR_FORM_MEMH,    /* 3C00_4000_4200_00, one word a line for Verilog's $readmemh */
    BND_VECTOR_FORM_QUESTION /* 3C00 4000: the operands alone */
} bnd_vector_form;

/* Writes the lines of the cases `first` .. `end` - 1, as many as fit.
 *
 * Returns: The number of bytes that were written.
 * Arguments: `out` (out), `size`: the lines and their room, at least BND_VECTOR_LINE_MAX. `next` (out): the first
 *     case that was not written. `plan`, `first`, `end`: the cases. `form`: what a line contains. */
size_t bnd_vector_write(char *out, size_t size, uint64_t *next, const bnd_vector_plan *plan, uint64_t first,
                        uint64_t end, bnd_vector_form form);

typedef struct bnd_vector_line {
    uint64_t *operands; /* room for all of them */
    uint64_t random, code;
    uint32_t flags;
    bool has_flags, has_operands;
} bnd_vector_line;

typedef enum bnd_vector_answer_form { BND_VECTOR_ANSWER_WHOLE, BND_VECTOR_ANSWER_ANY } bnd_vector_answer_form;

/* Reads a line: hexadecimal numbers separated by blanks or '_', OUT and FLAGS last; FLAGS may be missing.
 *
 * Returns: BND_OK or BND_BAD_SYNTAX.
 * Arguments: `out` (out): the line. `v`: the description. `form`: with BND_VECTOR_ANSWER_ANY the line may also be "OUT"
 *     or "OUT FLAGS" alone, and has_operands is false then. `text`, `length`: the line without its end. `why` (out):
 *     the error, or NULL; `where` is an offset into the text.
 * On failure: The text is not such a line, or a number has more bits than its format. */
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

/* The name of a kind of case.
 *
 * Returns: "exact", "tie" and so on; "" for a number that is not a kind. Never NULL.
 * Arguments: `kind`: the kind. */
const char *bnd_vector_case_name(bnd_vector_case_kind kind);

enum { BND_VECTOR_CLASS_COUNT = BND_CLASS_SIGNALING_NAN + 1 };

typedef struct bnd_vector_coverage {
    uint64_t lines, disagreements, without_flags;
    uint64_t wrong_codes;                      /* disagreements in the code, whatever the flags are */
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
    uint32_t flags_mask; /* which flags are compared. Without lab_flags, lines have neither saturated nor to-zero: these
                            two are then not compared */
} bnd_vector_options;

/* The counts of a check. Their size does not depend on the number of lines. */
typedef struct bnd_vector_check bnd_vector_check;

/* Makes a check.
 *
 * Returns: BND_OK or BND_NO_MEMORY.
 * Arguments: `out` (out): the check; release it with bnd_vector_check_free. `v`: the description. `how`: what is
 *     compared. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_vector_check_new(bnd_vector_check **out, const bnd_vectors *v, bnd_vector_options how,
                                            bnd_error *why);

/* Releases a check.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `check`: the check, or NULL. */
void bnd_vector_check_free(bnd_vector_check *check);

/* Checks a line and counts it.
 *
 * Returns: BND_OK or BND_NO_MEMORY.
 * Arguments: `agrees` (out): whether the line agrees with the rule of the description. `want` (out): the answer by that
 *     rule. `check` (in/out): the check. `line`: the line, with operands. `why` (out): the error, or NULL.
 * On failure: The line is not counted. */
BND_CHECKED bnd_status bnd_vector_check_line(bool *agrees, bnd_result *want, bnd_vector_check *check,
                                             const bnd_vector_line *line, bnd_error *why);

/* The counts of the lines so far.
 *
 * Returns: The counts, which are part of the check and change with the next line.
 * Arguments: `check`: the check. */
const bnd_vector_coverage *bnd_vector_check_coverage(const bnd_vector_check *check);

/* One of the ranges of integers that the operation has.
 *
 * Returns: True; false, with `out` unchanged, if there are no more ranges.
 * Arguments: `out` (out): the range. `check`: the check. `index`: 0, 1, ... */
bool bnd_vector_check_covered(bnd_vector_covered *out, const bnd_vector_check *check, size_t index);

/* Explains the answer of the rule in one sentence.
 *
 * Returns: The length of the whole text, as snprintf.
 * Arguments: `out` (out), `size`: the text and its room. `v`, `operands`, `random`: the case. */
size_t bnd_vector_explain(char *out, size_t size, const bnd_vectors *v, const uint64_t *operands, uint64_t random);

/* A rule compared with the lines so far: the number of lines for which it gives another answer, and the number of
 * choices in which it differs from the rule of the description. */
typedef struct bnd_vector_suspect {
    bnd_rule rule;
    uint64_t left_over;
    unsigned changes;
} bnd_vector_suspect;

/* Finds the rules with the fewest mismatches, and of these the ones with the fewest changes. All combinations of
 * rounding modes (with random bits the stochastic ones too), overflow policies, NaN policies, flushing, tininess and
 * the other choices that the format leaves open are tried; other choices stay.
 *
 * Returns: The number of rules, at most `capacity`.
 * Arguments: `out` (out), `capacity`: the rules and their room. `check`: the check. */
size_t bnd_vector_check_suspects(bnd_vector_suspect *out, size_t capacity, const bnd_vector_check *check);

/* Compares the rule of a dialect for the result's format with the lines so far.
 *
 * Returns: True; false, with `out` unchanged, if the dialect has no rule for the format.
 * Arguments: `out` (out): the rule. `check`: the check. `dialect`: 0 .. bnd_dialect_count() - 1. */
bool bnd_vector_check_dialect(bnd_vector_suspect *out, const bnd_vector_check *check, size_t dialect);

/* A fault that no rule describes, compared with the codes of the lines so far, not with their flags. */
typedef struct bnd_vector_fault {
    char what[96];      /* what the unit does: "rounds twice: first to fp16" */
    uint64_t left_over; /* the number of lines for which it gives another code */
} bnd_vector_fault;

/* Finds the faults that explain at least half of the wrong codes, the best first. A fault is given up once it has
 * contradicted more than 1000 lines and four times as many as there are wrong codes.
 *
 * Returns: The number of faults, at most `capacity`; 0 if no code is wrong, or the rule takes random bits.
 * Arguments: `out` (out), `capacity`: the faults and their room. `check`: the check. */
size_t bnd_vector_check_faults(bnd_vector_fault *out, size_t capacity, const bnd_vector_check *check);

/* Writes the choices in which a rule differs from that of the description, "round=rtz overflow=saturate".
 *
 * Returns: The length of the whole text, as snprintf.
 * Arguments: `out` (out), `size`: the text and its room. `v`: the description. `rule`: the rule. */
size_t bnd_vector_print_changes(char *out, size_t size, const bnd_vectors *v, bnd_rule rule);

#ifdef __cplusplus
}
#endif
#endif
