/* The oracle's internals, for its own files and for tests: the description of a format from its fields, exact
 * rational numbers, two rounding engines, and the application of a rule. Nothing here uses the codec.
 *
 * A number is rounded in three steps: describe the format (its values), round with one of the two engines (to one of
 * the two neighbours), and apply the rule (overflow, flags, the code). Operations other than conversion compute
 * their exact rational result themselves and pass it to bndi_oracle_apply_rule.
 *
 * The oracle uses another method than the library on purpose: rational numbers, MPFR's own roundings if MPFR has the
 * mode, floors of scaled integers otherwise. It derives limits and special values from the fields of the layout
 * itself. */
#ifndef BINADE_SRC_ORACLE_H
#define BINADE_SRC_ORACLE_H

#include <gmp.h>
#include <mpfr.h>

#include <binade-lab/oracle.h>

/* A value of a format: significand * 2^quantum with a sign. A NaN has its fraction in `significand`, the quiet bit
 * topmost; a format whose NaNs carry nothing gives the quiet bit alone. */
typedef struct bndi_oracle_value {
    bnd_oracle_kind kind;
    bool negative;
    uint64_t significand;
    int64_t quantum;
} bndi_oracle_value;

/* A format's properties, computed from its descriptive fields and from none of its derived ones. A value set is
 * described as if it had codes: `bias` makes the field of its lowest normal binade 1. */
typedef struct bndi_oracle_shape {
    unsigned magnitude_bits; /* 0 for a value set */
    unsigned fraction_bits;
    int64_t bias;
    bool is_signed, zero, negative_zero, subnormals, infinity, nan;
    bool ties_by_code;
    uint64_t sign_bit;                    /* 0 if there is none */
    uint64_t max_code, infinity_code;     /* magnitudes */
    uint64_t nan_code;                    /* the canonical one, a whole code */
    uint64_t quiet_bit;                   /* of a code, where NaNs carry a payload; else 0 */
    bndi_oracle_value max, normal, least; /* the largest, the smallest normal, the smallest positive */
} bndi_oracle_shape;

void bndi_oracle_describe(bndi_oracle_shape *shape, const bnd_format *f);

/* The value of a code, straight from the definition. `code` may have bits above the width. */
bndi_oracle_value bndi_oracle_value_of(const bndi_oracle_shape *shape, uint64_t code);

/* The value of a magnitude on the format's grid, also above its largest finite code: the grid is continued there. */
bndi_oracle_value bndi_oracle_grid_value(const bndi_oracle_shape *shape, uint64_t magnitude);

/* The code of a finite value of the format; 0 for value sets. */
uint64_t bndi_oracle_code_of(const bndi_oracle_shape *shape, const bndi_oracle_value *value);

/* The exponent of the leading bit of significand * 2^quantum, which is not zero. */
int64_t bndi_oracle_exponent(const bndi_oracle_value *value);

/* An exact number: (-1)^negative * numerator / denominator * 2^scale. The caller owns it, and opens it once for many
 * roundings. The bndi_oracle_set_* calls fill it. */
typedef struct bndi_oracle_number {
    bnd_oracle_kind kind;
    bool negative;
    bool subnormal;               /* in the format that it came from: "flush on input" asks for it */
    uint64_t payload;             /* of a NaN: its fraction, the quiet bit topmost */
    mpz_t numerator, denominator; /* not negative, positive */
    int64_t scale;
    int64_t exponent; /* floor(log2 of the magnitude), where it is finite and not zero */
} bndi_oracle_number;

void bndi_oracle_number_open(bndi_oracle_number *x);
void bndi_oracle_number_close(bndi_oracle_number *x);
void bndi_oracle_set_double(bndi_oracle_number *x, double value);
void bndi_oracle_set_value(bndi_oracle_number *x, const bndi_oracle_value *value); /* never subnormal */
void bndi_oracle_set_code(bndi_oracle_number *x, const bnd_format *from, uint64_t code);
void bndi_oracle_set_rational(bndi_oracle_number *x, mpq_srcptr value); /* canonical; 0 is positive */
/* (-1)^negative * numerator / denominator * 2^scale; neither has a sign */
void bndi_oracle_set_quotient(bndi_oracle_number *x, bool negative, mpz_srcptr numerator, mpz_srcptr denominator,
                              int64_t scale);
/* (-1)^negative * magnitude * 2^scale */
void bndi_oracle_set_dyadic(bndi_oracle_number *x, bool negative, mpz_srcptr magnitude, int64_t scale);
void bndi_oracle_get_rational(mpq_t out, const bndi_oracle_value *value); /* of a finite value */
bool bndi_oracle_is_zero(const bndi_oracle_number *x);

/* Temporaries of a rounding, so that a loop pays for them once. */
typedef struct bndi_oracle_work {
    mpz_t quotient, remainder, divisor, left, right;
    mpfr_t wide, narrow;
} bndi_oracle_work;

void bndi_oracle_work_open(bndi_oracle_work *work);
void bndi_oracle_work_close(bndi_oracle_work *work);

/* Sign of |x| - |value|, both finite, x not zero. */
int bndi_oracle_compare(bndi_oracle_work *work, const bndi_oracle_number *x, const bndi_oracle_value *value);

/* What an engine answers: the magnitude that was chosen from a grid without a top, the sign of (rounded - exact)
 * counted with the number's sign, and whether the number is tiny once it is rounded with an unbounded exponent. */
typedef struct bndi_oracle_choice {
    uint64_t significand;
    int64_t quantum;
    int ternary;
    bool tiny;
} bndi_oracle_choice;

/* Both require a finite nonzero number. `negative` replaces the number's own sign. */
bool bndi_oracle_mpfr_can(const bndi_oracle_shape *shape, bnd_rule rule);
void bndi_oracle_by_mpfr(bndi_oracle_choice *out, bndi_oracle_work *work, const bndi_oracle_shape *shape,
                         const bndi_oracle_number *x, bool negative, bnd_rule rule);
void bndi_oracle_by_integers(bndi_oracle_choice *out, bndi_oracle_work *work, const bndi_oracle_shape *shape,
                             const bndi_oracle_number *x, bool negative, bnd_rule rule, uint64_t random);

/* The integer that the mode rounds the magnitude to, and the sign of (rounded - exact). */
int bndi_oracle_to_integer(mpz_t out, bndi_oracle_work *work, const bndi_oracle_number *x, bnd_rule rule,
                           uint64_t random);

typedef enum bndi_oracle_engine {
    BNDI_ORACLE_EITHER,  /* MPFR where it can, else integers */
    BNDI_ORACLE_INTEGERS /* integers always */
} bndi_oracle_engine;

typedef struct bndi_oracle_answer {
    bnd_result result;
    bndi_oracle_value value; /* the value of the code; for value sets this is the result */
} bndi_oracle_answer;

void bndi_oracle_apply_rule(bndi_oracle_answer *out, bndi_oracle_work *work, const bnd_format *f,
                            const bndi_oracle_number *x, bnd_rule rule, uint64_t random, bndi_oracle_engine engine);

/* Whether MPFR keeps its exponent range and flags a thread: else only one thread may ask. */
bool bndi_oracle_takes_threads(void);

/* ---- operations ---- */

enum { BNDI_ORACLE_OPERANDS = 3 };

/* An operation: its operands, and what comes of them. Opened once for many. */
typedef struct bndi_oracle_problem {
    bndi_oracle_number x[BNDI_ORACLE_OPERANDS], exact;
    bndi_oracle_value first; /* operand 0 once more, on the grid of its format */
    bndi_oracle_shape shape; /* of operand 0 */
    bnd_rule rule;
    uint64_t random;
    uint32_t flags; /* what the operation raises by itself */
    int ternary;    /* of an operation that is a rounding */
    bool settled;   /* the answer is a code, and nothing was rounded */
    bndi_oracle_work work;
    mpz_t a, b, c;
} bndi_oracle_problem;

void bndi_oracle_problem_open(bndi_oracle_problem *p);
void bndi_oracle_problem_close(bndi_oracle_problem *p);

/* What an operand is, and what an operation's result may be. */
bool bndi_oracle_is_nan(const bndi_oracle_number *x);
bool bndi_oracle_is_infinite(const bndi_oracle_number *x);
void bndi_oracle_undefined(bndi_oracle_problem *p);
void bndi_oracle_give_nan(bndi_oracle_problem *p, bool negative, uint64_t payload);
void bndi_oracle_give_infinity(bndi_oracle_problem *p, bool negative);
void bndi_oracle_give_zero(bndi_oracle_problem *p, bool negative);
void bndi_oracle_give_integer(bndi_oracle_problem *p, int64_t n);
void bndi_oracle_give(bndi_oracle_problem *p, const bndi_oracle_number *x);

/* Two finite numbers as p->a and p->b, integers times 2^(what is returned). */
int64_t bndi_oracle_align(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y);
/* Sign of x - y; neither is NaN. */
int bndi_oracle_order(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y);

/* The operations: from the operands in p->x to p->exact. */
typedef void bndi_oracle_compute(bndi_oracle_problem *p);
bndi_oracle_compute bndi_oracle_add, bndi_oracle_sub, bndi_oracle_mul, bndi_oracle_fma, bndi_oracle_div,
    bndi_oracle_rem, bndi_oracle_sqrt, bndi_oracle_reciprocal, bndi_oracle_neg, bndi_oracle_abs;
bndi_oracle_compute bndi_oracle_nearby, bndi_oracle_rint, bndi_oracle_logb, bndi_oracle_scalb, bndi_oracle_ulp;
bndi_oracle_compute bndi_oracle_smaller, bndi_oracle_larger, bndi_oracle_next_up, bndi_oracle_next_down;
bndi_oracle_compute bndi_oracle_exp, bndi_oracle_log, bndi_oracle_tanh, bndi_oracle_sigmoid, bndi_oracle_erf,
    bndi_oracle_gelu, bndi_oracle_gelu_tanh, bndi_oracle_rsqrt;

/* A row of the oracle's own table of operations, or NULL. */
typedef struct bndi_oracle_operation bndi_oracle_operation;
const bndi_oracle_operation *bndi_oracle_operation_named(const char *name);

/* Leaves the exact result in p->exact. */
void bndi_oracle_operate(bndi_oracle_answer *out, bndi_oracle_problem *p, const bnd_format *to,
                         const bndi_oracle_operation *operation, const bnd_format *const *from, const uint64_t *codes,
                         bnd_rule rule, uint64_t random);

/* The same under another rule, from p->exact: for operations and operands to which only the rounding is new. */
void bndi_oracle_operate_again(bndi_oracle_answer *out, bndi_oracle_problem *p, const bnd_format *to, bnd_rule rule,
                               uint64_t random);

#endif
