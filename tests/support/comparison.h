/* The comparison that the tests of the codec use: the same question to the codec and to the oracle; code, value,
 * flags and ternary value must be equal. */
#ifndef TESTS_SUPPORT_COMPARISON_H
#define TESTS_SUPPORT_COMPARISON_H

#include <CUnit/CUnit.h>

#include <binade/codec.h>

#include "tests/support/operands.h"

/* A run of comparisons. It remembers how many there were and how many failed, and prints the first few of those. */
typedef struct comparison {
    const char *what;
    bndi_oracle_number x; /* the operand, exactly */
    bndi_oracle_work work;
    uint64_t compared, different;
} comparison;

void comparison_open(comparison *b, const char *what);
void comparison_close(comparison *b); /* asserts that something was compared, and that nothing was different */

/* Counts a comparison of any other kind; true, up to five times, where the caller should print it. */
bool comparison_note(comparison *b, bool same);

/* Each asks both about one operand. For value sets the rounded values are compared. */
void judge_double(comparison *b, const bnd_format *f, double x, bnd_rule rule, uint64_t random);
void judge_float(comparison *b, const bnd_format *f, float x, bnd_rule rule, uint64_t random);
void judge_int64(comparison *b, const bnd_format *f, int64_t x, bnd_rule rule, uint64_t random);
void judge_uint64(comparison *b, const bnd_format *f, uint64_t x, bnd_rule rule, uint64_t random);
void judge_convert(comparison *b, const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                   uint64_t random);
void judge_number(comparison *b, const bnd_format *f, bnd_rule rule,
                  uint64_t random); /* b->x, through bnd_encode_exact */

/* b->x as the codec takes it: its leading 128 bits, and whether more follow. */
bnd_exact exact_of(comparison *b);

/* The oracle's value and the codec's: the same number, infinity, or kind and sign of NaN? */
bool same_as_oracle(const bnd_exact *got, const bndi_oracle_value *want);

/* The six deterministic modes, each with `rule`'s other choices. */
void judge_double_in_all_modes(comparison *b, const bnd_format *f, double x, bnd_rule rule);
void judge_number_in_all_modes(comparison *b, const bnd_format *f, bnd_rule rule);

/* Any rule at all, stochastic ones too. */
bnd_rule random_rule(uint64_t random);

/* Rows of at most `row_width` bits, then the P3109 family up to `family_width`; how many. `out` may be NULL. */
size_t small_formats(bnd_format *out, unsigned row_width, unsigned family_width);

#endif
