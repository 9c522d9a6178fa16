/* Layer 8: this build, on this machine, compared with the oracle. */
#ifndef BINADE_LAB_VERIFY_H
#define BINADE_LAB_VERIFY_H

#include <binade/arith.h>
#include <binade/bulk.h>
#include <binade/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- proofs: conversions and operations compared, case by case, with what MPFR and exact integers say ---- */

/* What is on trial: these functions. NULL members are the library's own; who tests the proofs, or has an implementation
 * of his own, puts in others. */
typedef struct bnd_candidate {
    double (*decode)(const bnd_format *f, uint64_t code);
    bnd_result (*encode)(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
    bnd_result (*encode_float)(const bnd_format *f, float x, bnd_rule rule, uint64_t random);
    bnd_result (*convert)(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);
    bnd_result (*operate)(const bnd_format *f, bnd_operation operation, const uint64_t *codes, bnd_rule rule,
                          uint64_t random); /* operands and result of one format */
    bnd_status (*parse)(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                        uint64_t random, bnd_error *why);
    size_t (*print_shortest)(char *out, size_t size, const bnd_format *f, bnd_exact value);
    bnd_status (*encode_array)(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                               bnd_stats *stats, bnd_error *why);
    bnd_status (*decode_array)(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                               bnd_error *why);
    bnd_status (*round_array)(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                              bnd_stats *stats, bnd_error *why);
} bnd_candidate;

/* A case that does not hold. Operands are codes of `from`, results codes of `to`. */
typedef struct bnd_counterexample {
    char what[32]; /* "add", "encode", "print", "avx512 encode", ... */
    unsigned operands;
    bnd_format from[BND_OPERANDS_MAX];
    uint64_t codes[BND_OPERANDS_MAX]; /* of scalb the second one is an int64_t */
    bnd_format to;
    bnd_rule rule;
    uint64_t random;
    bool code_only;       /* flags and ternary values were not compared */
    bnd_result got, want; /* the candidate's, the judge's */
} bnd_counterexample;

enum { BND_COUNTEREXAMPLES = 3 };

/* What a proof found: how many comparisons, how many of them do not hold, and the first of those. */
typedef struct bnd_proof {
    uint64_t cases, mismatches;
    unsigned shown;
    bnd_counterexample first[BND_COUNTEREXAMPLES];
} bnd_proof;

/* The table of proofs: rows 0 .. count-1. */
size_t bnd_proof_count(void);
const char *bnd_proof_name(size_t row);  /* "decode", "encode", "float", ...; "" where there is none */
const char *bnd_proof_title(size_t row); /* what it compares, in a few words */
bool bnd_proof_rounds(size_t row);       /* whether its answer depends on the rounding mode */
BND_CHECKED bnd_status bnd_proof_parse(size_t *row, const char *name, bnd_error *why);

typedef struct bnd_prover_options {
    bool exhaustive;
    unsigned threads;                             /* 0 means 1 */
    const bnd_candidate *candidate;               /* NULL: the library */
    void (*progress)(void *state, uint64_t done); /* or NULL; in the units of bnd_proof_effort, within one proof */
    void *progress_state;
} bnd_prover_options;

/* About how long a proof takes one core, in nanoseconds; 0 where it has nothing to say about the format. */
uint64_t bnd_proof_effort(size_t row, const bnd_format *f, bnd_rule rule, bool exhaustive);

/* Keeps what proofs about the same format and rule share: prove all of one before the next. Results depend neither on
 * the number of threads nor on the order. */
typedef struct bnd_prover bnd_prover;
BND_CHECKED bnd_status bnd_prover_open(bnd_prover **out, bnd_prover_options how, bnd_error *why); /* allocates */
void bnd_prover_close(bnd_prover *prover);

/* Does the proof; `out` is added to, so that proofs under several rules may have one row. Refused for an unknown row,
 * and for formats without codes. Of stochastic modes every case has random bits of its own. */
BND_CHECKED bnd_status bnd_prove(bnd_proof *out, bnd_prover *prover, size_t row, const bnd_format *f, bnd_rule rule,
                                 bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
