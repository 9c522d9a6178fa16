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
    BND_TERM_NUMBER,   /* 0.1, 0x1.8p3, inf, nan(0x7f), a sign before it included */
    BND_TERM_CODE,     /* fp16:0x3c00, fp16:0b0011110000000000 */
    BND_TERM_OPERATION /* of the terms `operand`, all of which stand before it */
} bnd_term_kind;

/* A part of an expression. Offsets are into its text. */
typedef struct bnd_term {
    uint8_t kind; /* bnd_term_kind */
    uint8_t operands;
    bool negative; /* a number: minus what stands at `from` */
    bnd_operation operation;
    size_t operand[BND_OPERANDS_MAX];
    int64_t integer; /* scalb: its second operand, which is no term */
    uint64_t code;
    size_t from, length; /* a number's or a code's text; an operation's name or sign */
} bnd_term;

/* The name of a term's operation; of a number and a code "convert", which is what rounds them. */
const char *bnd_term_name(const bnd_term *term);

/* Signs, parentheses and calls inside each other: at most so many. */
enum { BND_EXPRESSION_DEPTH = 256 };

/* Reads `text`: numbers as bnd_parse reads them, codes of the format `f` as NAME:0xHEX or NAME:0bBITS, + - * /,
 * parentheses, and every operation by its name, with its operands in parentheses; the second one of scalb is a whole
 * number. A sign before a number belongs to the number, so that -0.1 is rounded once. The terms come in the order in
 * which they are worked out, the whole expression last; there are never more of them than `length`. */
BND_CHECKED bnd_status bnd_expression_parse(bnd_term *terms, size_t capacity, size_t *count, const char *text,
                                            size_t length, const bnd_format *f, bnd_error *why);

/* ---- every operation rounded ---- */

/* The results of all terms in order, numbers rounded like everything else. Codes stay as they are. Of the stochastic
 * modes, the i-th term takes the random bits of element i of this seed. */
void bnd_expression_round(bnd_result *results, const bnd_term *terms, size_t count, const char *text,
                          const bnd_format *f, bnd_rule rule, uint64_t seed);

/* ---- exactly ---- */

typedef enum bnd_known {
    BND_KNOWN_EXACTLY, /* a quotient of integers */
    BND_KNOWN_DIGITS,  /* a root or another irrational number: between two numbers that agree in hundreds of bits */
    BND_KNOWN_INFINITE,
    BND_KNOWN_NAN,
    BND_NOT_KNOWN /* what means the values of a format (ulp, next_up), or would take more than 100,000 digits */
} bnd_known;

typedef struct bnd_real bnd_real;

/* The value that the expression has without any rounding: of its numbers as they are written, and of its codes. */
BND_CHECKED bnd_status bnd_expression_exact_alloc(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                                  const bnd_format *f, bnd_error *why);

/* value - exact: an error. Not known where either is no number. */
BND_CHECKED bnd_status bnd_real_error_alloc(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why);
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

#ifdef __cplusplus
}
#endif
#endif
