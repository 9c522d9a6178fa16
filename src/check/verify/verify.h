/* What the files of the checks share: an inquiry (one check of one format under one rule), a piece of its cases, and
 * the reference.
 *
 * A check is a row: a name, the number of indices it has for a format under a rule, the cost of an index, and the
 * comparison at an index. The implementation under test is a table of function pointers, so that tests can supply a
 * wrong one. For formats of up to 12 bits of precision the reference is a table of the oracle's answers at every
 * value, at every midpoint and in every gap. For other formats, and for stochastic modes, the oracle is called for
 * each case. */
#ifndef BINADE_SRC_VERIFY_VERIFY_H
#define BINADE_SRC_VERIFY_VERIFY_H

#include <binade-lab/verify.h>

#include "verify/narrow_operations.h"

/* One check of one format under one rule. */
typedef struct bndi_inquiry {
    bnd_verify_candidate candidate; /* no member is NULL */
    bnd_format f, fp32, fp64;
    bnd_rule rule;
    bool exhaustive;
    bndi_answers *filling;               /* the table while it is made */
    const bndi_answers *answers;         /* NULL: the oracle is called for each case */
    const bndi_narrow_operand *operands; /* of every code, where there are answers */
    bndi_narrow_exact *functions;        /* exact results of elementary functions, or NULL if not needed */
} bndi_inquiry;

/* A part of the cases, worked on by one thread. */
typedef struct bndi_piece {
    const bndi_inquiry *q;
    bnd_verify_result *out;
    bndi_oracle_problem oracle;
} bndi_piece;

/* The operation by its own call: bnd_add and its sisters. */
bnd_result bndi_call_operation(const bnd_format *f, bnd_operation operation, const uint64_t *codes, bnd_rule rule,
                               uint64_t random);

/* A check. Its cases have indices; each check decides what one index is. */
typedef struct bndi_verify_row {
    const char *name, *title;
    const char *old_name; /* accepted too; NULL: none */
    bool rounds;
    bool of_functions; /* asks for their exact results */
    unsigned at_once;  /* indices in a piece */
    uint64_t (*indices)(const bndi_inquiry *q);
    double (*cost)(const bndi_inquiry *q); /* of an index, in nanoseconds */
    void (*check)(bndi_piece *p, uint64_t index);
} bndi_verify_row;
extern const bndi_verify_row bndi_verify_decode, bndi_verify_decimal, bndi_verify_encode, bndi_verify_from_float,
    bndi_verify_midpoints, bndi_verify_arrays, bndi_verify_convert, bndi_verify_unary, bndi_verify_binary,
    bndi_verify_fma, bndi_verify_functions, bndi_verify_bits;

/* Whether the question is one for a table of answers. */
bool bndi_is_narrow(const bnd_format *f, bnd_rule rule, bool exhaustive);

/* The exact results of elementary functions: whether they can be computed for the format, how many there are for all
 * of its codes, and those of one code. The rule decides how a NaN is handled. */
bool bndi_functions_can(const bnd_format *f);
size_t bndi_functions_count(const bnd_format *f);
void bndi_functions_fill(bndi_narrow_exact *all, bndi_oracle_problem *oracle, const bnd_format *f, uint64_t code);

/* The random bits of a case; 0 for deterministic modes. */
uint64_t bndi_random_of(const bndi_inquiry *q, uint64_t purpose, uint64_t index);

/* The reference's answers. */
bnd_result bndi_reference_double(bndi_piece *p, double x, uint64_t random);
bnd_result bndi_reference_code(bndi_piece *p, const bnd_format *from, uint64_t code, uint64_t random);
bnd_result bndi_reference_by_oracle(bndi_piece *p, bnd_operation operation, const uint64_t *codes, uint64_t random);
bnd_result bndi_reference_operation(bndi_piece *p, bnd_operation operation, const uint64_t *codes, uint64_t random);

/* A case of one operand: a code of `from`, and results of the question's format and rule. */
void bndi_compare_one(bndi_piece *p, const char *what, const bnd_format *from, uint64_t code, uint64_t random,
                      bnd_result got, bnd_result want);

/* Counts a case. If it is a mismatch and there is room for another counterexample, returns its entry with `what`,
 * `rule`, `to` and the results filled in; otherwise NULL. */
bnd_verify_counterexample *bndi_count_case(bndi_piece *p, bool holds, const char *what, bnd_result got,
                                           bnd_result want);

/* Floats that decide: all upper halves, and lower halves that reach every value and midpoint of the format, what is
 * next to those, and any; or all 2^32. */
uint64_t bndi_float_count(const bndi_inquiry *q);
uint32_t bndi_float_at(const bndi_inquiry *q, uint64_t index);

/* A code that is tried: all of them where there are not too many, else a stratified choice. */
uint64_t bndi_code_count(const bndi_inquiry *q, uint64_t most);
uint64_t bndi_code_at(const bndi_inquiry *q, uint64_t most, uint64_t index);

#endif
