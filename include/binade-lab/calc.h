/* Layer 5: expressions: they are read, evaluated with every operation rounded, and evaluated exactly. Exact values use
 * GMP and MPFR. These allocate, and abort the process if no memory is left; the size of their numbers is bounded. */
#ifndef BINADE_CALC_H
#define BINADE_CALC_H

#include <binade/arith.h>
#include <binade/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ---- */

typedef enum bnd_term_kind {
    BND_TERM_NUMBER,    /* 0.1, 0x1.8p3, inf, nan(0x7f), pi, e, a sign before it included */
    BND_TERM_CODE,      /* fp16:0x3c00, fp16:0b0011110000000000 */
    BND_TERM_OPERATION, /* of the terms `operand`, all of which stand before it */
    BND_TERM_POWER,     /* x^n: one rounding of the exact power of the term operand[0]; n is `integer` */
    BND_TERM_SUM        /* sum(x, n): the term operand[0] added `integer` times, every addition rounded */
} bnd_term_kind;

/* A part of an expression. Offsets are into its text. */
typedef struct bnd_term {
    bnd_term_kind kind;
    uint8_t operands;
    bool negative; /* a number: minus what stands at `from` */
    bnd_operation operation;
    size_t operand[BND_OPERANDS_MAX];
    int64_t integer; /* scalb, x^n, sum(x, n): the second operand, which is not a term */
    uint64_t code;
    size_t from, length;             /* a number's or a code's text; an operation's name or sign */
    size_t format_at, format_length; /* the name of the format that the value has; 0 long: that of the expression */
} bnd_term;

/* The name of a term's operation.
 *
 * Returns: The name; "convert" for a number and a code, because a conversion rounds them.
 * Arguments: `term`: the term. */
const char *bnd_term_name(const bnd_term *term);

/* The format of a term's value.
 *
 * Returns: The format of the code or of the conversion that the term is; otherwise `f`.
 * Arguments: `term`: the term. `text`: the text of the expression. `f`: the format of the expression. */
bnd_format bnd_term_format(const bnd_term *term, const char *text, const bnd_format *f);

/* Signs, parentheses and calls inside each other, the additions of all sum(x, n) together, |n| of x^n: at most these.
 */
enum { BND_EXPRESSION_DEPTH_MAX = 256, BND_EXPRESSION_ADDITIONS_MAX = 10000000, BND_EXPRESSION_POWER_MAX = 1000000000 };

/* Reads `text`: numbers as bnd_parse_n reads them, pi, e, codes as NAME:0xHEX or NAME:0bBITS, + - * /, powers with a
 * whole exponent (^ or **), parentheses, every operation by its name with its operands in parentheses, sum(x, n), and
 * NAME(x), which rounds x to the format NAME. The second operand of scalb and of sum is a whole number. A sign before a
 * number belongs to the number, so that -0.1 is rounded once; -2^2 is -(2^2). In UTF-8 a minus sign, a multiplication
 * and a division sign, a root sign, pi, raised digits and blanks that do not break are understood. The terms come in
 * the order of evaluation, the whole expression last; there are never more of them than `length`.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX, BND_BAD_NAME, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `terms` (out), `capacity`, `count` (out): room for terms, and how many there are. `text`, `length`: the
 *     expression. `f`: the format; NULL: nothing is rounded. `why` (out): the error, or NULL; `where` is an offset into
 *     the text.
 * On failure: The text is not an expression, or it has more than `capacity` terms. With `f` NULL, operations that
 *     round or depend on a format are refused. */
BND_CHECKED bnd_status bnd_expression_parse_n(bnd_term *terms, size_t capacity, size_t *count, const char *text,
                                              size_t length, const bnd_format *f, bnd_error *why);

/* ---- every operation rounded ---- */

/* Computes the results of all terms in order, each rounded to its own format, numbers included. Codes stay as they are.
 * In the stochastic modes the i-th term uses the random bits of element i of the seed; the k-th addition of a sum uses
 * those of element k of purpose i + 1.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `results` (out): `count` results. `terms`, `count`, `text`, `f`: the expression, as
 *     bnd_expression_parse_n reads it. `rule`: how to round. `seed`: of the stochastic modes. */
void bnd_expression_round(bnd_result *results, const bnd_term *terms, size_t count, const char *text,
                          const bnd_format *f, bnd_rule rule, uint64_t seed);

/* Adds a code to a sum `times` times, starting from +0, with each addition rounded to `to`. The k-th addition uses the
 * random bits of element k of the seed and purpose.
 *
 * Returns: The sum, with the flags of all additions.
 * Arguments: `to`: the format of the sum. `from`, `code`: the code and its format. `times`: the number of additions.
 *     `rule`: how to round. `seed`, `purpose`: of the stochastic modes. `moves` (out): the number of additions up to
 *     the last one that changed the sum; or NULL. */
bnd_result bnd_add_repeatedly(const bnd_format *to, const bnd_format *from, uint64_t code, uint64_t times,
                              bnd_rule rule, uint64_t seed, uint64_t purpose, uint64_t *moves);

/* ---- exactly ---- */

typedef enum bnd_known {
    BND_KNOWN_EXACTLY, /* a quotient of integers */
    BND_KNOWN_DIGITS,  /* an irrational number, or a long power: between two numbers that agree in hundreds of bits */
    BND_KNOWN_INFINITE,
    BND_KNOWN_NAN,
    BND_KNOWN_NOT,   /* what means the values of a format (ulp, next_up), or would take more than 100,000 digits */
    BND_KNOWN_BOUNDS /* a number without known digits: nearer to 0 than 2^-(2^62), beyond 2^(2^62), or next to 0 */
} bnd_known;

typedef struct bnd_real bnd_real;

/* Evaluates an expression without any rounding, with its numbers as they are written and the values of its codes.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the value; release it with bnd_real_free. `terms`, `count`, `text`, `f`: the expression, as
 *     bnd_expression_parse_n reads it. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: there are no terms, or no memory. */
BND_CHECKED bnd_status bnd_real_new_of_expression(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                                  const bnd_format *f, bnd_error *why);

/* Reads an expression that does not round, such as 1/3, 2^-24, pi or sqrt(2)/2, and evaluates it exactly. Irrational
 * numbers are computed to as many bits as a correct rounding needs.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX, BND_BAD_NAME, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `value` (out): the leading 128 bits and a sticky bit, so that one rounding to any format is correct.
 *     `exact` (out): the number itself; release it with bnd_real_free. `text`, `length`: the expression. `why` (out):
 *     the error, or NULL.
 * On failure: The outputs are unchanged. BND_BAD_ARGUMENT: more than 8,192 bits would be needed, because terms
 *     cancel, or the value needs more than 100,000 digits. */
BND_CHECKED bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length,
                                              bnd_error *why);

/* Computes an error, value - exact. It is BND_KNOWN_NOT if either is not a number.
 *
 * Returns: BND_OK or BND_NO_MEMORY.
 * Arguments: `out` (out): the error; release it with bnd_real_free. `value`, `exact`: the two values. `why` (out): the
 *     error of the call, or NULL.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why);

/* Releases a value.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `x`: the value, or NULL. */
void bnd_real_free(bnd_real *x);

/* How a value is known.
 *
 * Returns: The kind.
 * Arguments: `x`: the value. */
bnd_known bnd_real_known(const bnd_real *x);

/* The sign of a value.
 *
 * Returns: -1, 0 or 1; 0 if it is not a number.
 * Arguments: `x`: the value. */
int bnd_real_sign(const bnd_real *x);

/* Divides a value by a unit.
 *
 * Returns: The quotient as a double; NaN if the value is not known.
 * Arguments: `x`: the value. `unit`: a finite number other than zero. */
double bnd_real_in_units(const bnd_real *x, bnd_exact unit);

/* Divides a value by another.
 *
 * Returns: The quotient as a double; NaN if one of them is not a number, or `y` may be 0.
 * Arguments: `x`, `y`: the values. */
double bnd_real_quotient(const bnd_real *x, const bnd_real *y);

/* Writes a value, as bnd_print_exact does. A value without an end in decimal is cut, not rounded, after 40 significant
 * digits, with "..." before the exponent. Of an irrational number only certain digits are written. A value so near to a
 * number of few digits that it may be that number, such as sqrt(2) sqrt(2), is written "~2".
 *
 * Returns: The length of the whole text, as snprintf; "?" is written if no digits are known.
 * Arguments: `out` (out), `size`: the text and its room. `x`: the value. `notation`: plain, with an exponent, or
 *     either. */
size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation);

/* Writes a value as a fraction, "1/3", if it has no end in decimal and both integers have at most 20 digits.
 *
 * Returns: The length of the whole text, as snprintf; 0, with "", for another value.
 * Arguments: `out` (out), `size`: the text and its room. `x`: the value. */
size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x);

/* ---- the libraries below ---- */

/* The versions of GMP and MPFR as they are loaded.
 *
 * Returns: "6.2.1" and the like. Never NULL. */
const char *bnd_gmp_version(void);
const char *bnd_mpfr_version(void);

#ifdef __cplusplus
}
#endif
#endif
