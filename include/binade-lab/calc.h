/* Layer 5: an expression: read, evaluated with every operation rounded, and evaluated exactly. The exact value is on
 * GMP and MPFR, which allocate, and abort the process where no memory is left; what is asked of them is bounded. */
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

/* The name of a term's operation; of a number and a code "convert", which is what rounds them. */
const char *bnd_term_name(const bnd_term *term);

/* The format of a term's value: f, or that of the code, or of the conversion, that it is. */
bnd_format bnd_term_format(const bnd_term *term, const char *text, const bnd_format *f);

/* Signs, parentheses and calls inside each other, the additions of all sum(x, n) together, |n| of x^n: at most these.
 */
enum { BND_EXPRESSION_DEPTH_MAX = 256, BND_EXPRESSION_ADDITIONS_MAX = 10000000, BND_EXPRESSION_POWER_MAX = 1000000000 };

/* Reads `text`: numbers as bnd_parse_n reads them, pi, e, codes as NAME:0xHEX or NAME:0bBITS, + - * /, powers with a
 * whole exponent (^ or **), parentheses, every operation by its name with its operands in parentheses, sum(x, n), and
 * NAME(x), which rounds x to the format NAME. The second operand of scalb and of sum is a whole number. A sign before a
 * number belongs to the number, so that -0.1 is rounded once; -2^2 is -(2^2). In UTF-8 a minus sign, a multiplication
 * and a division sign, a root sign, pi, raised digits and blanks that do not break are understood.
 * The terms come in the order in which they are worked out, the whole expression last; there are never more of them
 * than `length`. With f NULL nothing is to be rounded: what rounds or depends on a format is refused. */
BND_CHECKED bnd_status bnd_expression_parse_n(bnd_term *terms, size_t capacity, size_t *count, const char *text,
                                              size_t length, const bnd_format *f, bnd_error *why);

/* ---- every operation rounded ---- */

/* The results of all terms in order, each in its own format, numbers rounded like everything else. Codes stay as they
 * are. Of the stochastic modes, the i-th term takes the random bits of element i of this seed; the k-th addition of a
 * sum, those of element k of purpose i + 1. */
void bnd_expression_round(bnd_result *results, const bnd_term *terms, size_t count, const char *text,
                          const bnd_format *f, bnd_rule rule, uint64_t seed);

/* `code` added `times` times, from +0, each addition rounded to `to`. The flags are those of all additions. The k-th
 * addition takes the random bits of element k of the seed and purpose. *moves, unless it is NULL: how many additions
 * there were until the sum changed for the last time. */
bnd_result bnd_add_repeatedly(const bnd_format *to, const bnd_format *from, uint64_t code, uint64_t times,
                              bnd_rule rule, uint64_t seed, uint64_t purpose, uint64_t *moves);

/* ---- exactly ---- */

typedef enum bnd_known {
    BND_KNOWN_EXACTLY, /* a quotient of integers */
    BND_KNOWN_DIGITS,  /* an irrational number, or a long power: between two numbers that agree in hundreds of bits */
    BND_KNOWN_INFINITE,
    BND_KNOWN_NAN,
    BND_KNOWN_NOT /* what means the values of a format (ulp, next_up), or would take more than 100,000 digits */
} bnd_known;

typedef struct bnd_real bnd_real;

/* The value that the expression has without any rounding: of its numbers as they are written, and of its codes. */
BND_CHECKED bnd_status bnd_real_new_of_expression(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                                  const bnd_format *f, bnd_error *why);

/* A value as people write it: any expression without roundings, as 1/3, 2^-24, pi or sqrt(2)/2. *value has its leading
 * 128 bits and a sticky one, so that one rounding to any format is right; *exact is the number itself. Irrational
 * numbers are worked out to as many bits as that takes; where their terms cancel to more than 8,192 bits, or the value
 * takes more than 100,000 digits, the text is refused. */
BND_CHECKED bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length,
                                              bnd_error *why);

/* value - exact: an error. Not known where either is no number. */
BND_CHECKED bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why);
void bnd_real_free(bnd_real *x);

bnd_known bnd_real_known(const bnd_real *x);
int bnd_real_sign(const bnd_real *x); /* -1, 0, 1; 0 for what is no number */
/* Over a positive or negative finite unit, as a double. NaN where it is not known. */
double bnd_real_in_units(const bnd_real *x, bnd_exact unit);

/* Writes the value, as bnd_print_exact does. What has no end in decimal is cut after 40 significant digits, none of
 * them rounded, and ends in "..." before the exponent; of an irrational number only digits that are certain are
 * written. Where it is so near to a number of few digits that it may be that number, as sqrt(2) sqrt(2) is, "~2". "?"
 * where the value is not known. */
size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation);
/* "1/3" where the value is a fraction without end in decimal and both its integers have at most 20 digits; else "". */
size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x);

/* ---- the libraries below, as they are loaded: "6.2.1" ---- */

const char *bnd_gmp_version(void);
const char *bnd_mpfr_version(void);

#ifdef __cplusplus
}
#endif
#endif
