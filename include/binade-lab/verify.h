/* Layer 8: this build, on this machine, compared with the oracle. */
#ifndef BINADE_LAB_VERIFY_H
#define BINADE_LAB_VERIFY_H

#include <binade/arith.h>
#include <binade/bulk.h>
#include <binade/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- checks: conversions and operations compared, case by case, with MPFR and exact integers ---- */

/* The functions that are verified. A NULL member stands for the library's own function; set a member to verify
 * another implementation. */
typedef struct bnd_verify_candidate {
    double (*decode)(const bnd_format *f, uint64_t code);
    bnd_result (*encode)(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
    bnd_result (*encode_float)(const bnd_format *f, float x, bnd_rule rule, uint64_t random);
    bnd_result (*encode_exact)(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random);
    bnd_result (*convert)(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);
    bnd_result (*operate)(const bnd_format *f, bnd_operation operation, const uint64_t *codes, bnd_rule rule,
                          uint64_t random); /* operands and result of one format */
    bnd_exact (*operate_exact)(bnd_operation operation, const bnd_format *f, const bnd_exact *operands, bnd_rule rule,
                               uint64_t random, uint32_t *flags);
    bnd_status (*parse)(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                        uint64_t random, bnd_error *why);
    size_t (*print_shortest)(char *out, size_t size, const bnd_format *f, bnd_exact value);
    bnd_status (*encode_array)(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                               bnd_stats *stats, bnd_error *why);
    bnd_status (*decode_array)(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                               bnd_error *why);
    bnd_status (*round_array)(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                              bnd_stats *stats, bnd_error *why);
} bnd_verify_candidate;

/* A mismatch. Operands are codes of `from`, results codes of `to`. A midpoint has two operands: the
 * codes on both sides. "midpoint + last bit" is the next number of 53 bits, "midpoint + far bit" the midpoint with a
 * bit added 200 places below its last one. */
typedef struct bnd_verify_counterexample {
    char what[32]; /* "add", "encode", "print", "avx512 encode", ... */
    unsigned operands;
    bnd_format from[BND_OPERANDS_MAX];
    uint64_t codes[BND_OPERANDS_MAX]; /* of scalb the second one is an int64_t */
    bnd_format to;
    bnd_rule rule;
    uint64_t random;
    bool code_only;       /* flags and ternary values were not compared */
    bnd_result got, want; /* the candidate's, the reference's */
    bool exact;           /* the results are not rounded: they are the two below, not codes */
    bnd_exact exact_got, exact_want;
} bnd_verify_counterexample;

enum { BND_VERIFY_COUNTEREXAMPLES_MAX = 3 };

/* What a check found: the number of comparisons, of mismatches, and the first mismatches. */
typedef struct bnd_verify_result {
    uint64_t cases, mismatches;
    unsigned shown;
    bnd_verify_counterexample first[BND_VERIFY_COUNTEREXAMPLES_MAX];
} bnd_verify_result;

/* The number of checks.
 *
 * Returns: The number; checks are rows 0 .. count-1. */
size_t bnd_verify_check_count(void);

/* The name of a check, and what it compares, in a few words.
 *
 * Returns: "decode", "encode", "unary" and so on; "" if the row does not exist. Never NULL.
 * Arguments: `row`: 0 .. bnd_verify_check_count() - 1. */
const char *bnd_verify_check_name(size_t row);
const char *bnd_verify_check_title(size_t row);

/* Whether the result of a check depends on the rounding mode.
 *
 * Returns: True if so; false also if the row does not exist.
 * Arguments: `row`: 0 .. bnd_verify_check_count() - 1. */
bool bnd_verify_check_rounds(size_t row);

/* Finds a check by its name.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `row` (out): the check. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `row` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_verify_check_parse(size_t *row, const char *name, bnd_error *why);

typedef struct bnd_verify_options {
    bool exhaustive;
    unsigned threads;                      /* 0 means 1 */
    const bnd_verify_candidate *candidate; /* NULL: the library */
    void (*progress)(void *state,
                     uint64_t done); /* or NULL; in the units of bnd_verify_check_effort, within one check */
    void *progress_state;
    /* Or NULL; called within one check, with progress_state, when everything before the place `next` is done and
     * counted. Save `next` and the result; bnd_verifier_resume continues from there. */
    void (*checkpoint)(void *state, uint64_t next);
} bnd_verify_options;

/* Estimates how long a check takes on one core.
 *
 * Returns: Nanoseconds; 0 if the check does not apply to the format.
 * Arguments: `row`: the check. `f`, `rule`: the format and the rule. `exhaustive`: as in bnd_verify_options. */
uint64_t bnd_verify_check_effort(size_t row, const bnd_format *f, bnd_rule rule, bool exhaustive);

/* Keeps the tables that checks of one format and rule share: run all checks of one format before the next. Results
 * depend neither on the number of threads nor on the order. */
typedef struct bnd_verifier bnd_verifier;

/* Makes a verifier.
 *
 * Returns: BND_OK or BND_NO_MEMORY.
 * Arguments: `out` (out): the verifier; release it with bnd_verifier_free. `how`: the options. `why` (out): the error,
 *     or NULL.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_verifier_new(bnd_verifier **out, bnd_verify_options how, bnd_error *why);

/* Releases a verifier.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `verifier`: the verifier, or NULL. */
void bnd_verifier_free(bnd_verifier *verifier);

/* Runs a check. In a stochastic mode every case has its own random bits.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (in/out): counts are added, so that checks under several rules can share a result. `verifier`: the
 *     verifier. `row`: the check. `f`, `rule`: the format and the rule. `why` (out): the error, or NULL.
 * On failure: BND_BAD_ARGUMENT: the row does not exist, or the format has no codes. */
BND_CHECKED bnd_status bnd_verifier_run(bnd_verify_result *out, bnd_verifier *verifier, size_t row, const bnd_format *f,
                                        bnd_rule rule, bnd_error *why);

/* Continues a check from a checkpoint. The final result is that of a check that was not interrupted. The number of
 * threads may differ.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (in/out): the result as it was at the checkpoint. `verifier`, `row`, `f`, `rule`, `why`: as in
 *     bnd_verifier_run. `place`: what the checkpoint was given as `next`; 0 is the beginning.
 * On failure: As in bnd_verifier_run; BND_BAD_ARGUMENT also if the place is out of range. */
BND_CHECKED bnd_status bnd_verifier_resume(bnd_verify_result *out, bnd_verifier *verifier, size_t row,
                                           const bnd_format *f, bnd_rule rule, uint64_t place, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
