/* Layer 3: an independent reference for conversions and operations, on MPFR and GMP. It reads formats and rules and
 * shares no code with the codec. It is slow, and <binade.h> does not include it. GMP and MPFR allocate, and abort the
 * process if no memory is left. */
#ifndef BINADE_ORACLE_H
#define BINADE_ORACLE_H

#include <binade/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a code stands for. */
typedef enum bnd_oracle_kind {
    BND_ORACLE_FINITE,
    BND_ORACLE_INFINITE,
    BND_ORACLE_NAN,
    BND_ORACLE_SIGNALING_NAN
} bnd_oracle_kind;

/* Encodes a double, or converts a code of one format to another: what bnd_encode and bnd_convert must return.
 *
 * Returns: The code, its flags and its ternary value.
 * Arguments: `f`, `to`: the format of the result. `x`: the number. `from`, `code`: the code and its format. `rule`:
 *     how to round. `random`: N random bits for the stochastic modes. */
bnd_result bnd_oracle_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
bnd_result bnd_oracle_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                              uint64_t random);

/* Encodes a decimal number ([-+]digits[.digits][e[-+]digits]) or a fraction of two integers ("-3/1024").
 *
 * Returns: BND_OK, BND_BAD_SYNTAX, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the code, its flags and its ternary value. `f`: the format. `text`: ends with a 0 byte.
 *     `rule`, `random`: as in bnd_oracle_encode. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the text is not such a number, or it has too many digits. */
BND_CHECKED bnd_status bnd_oracle_encode_text(bnd_result *out, const bnd_format *f, const char *text, bnd_rule rule,
                                              uint64_t random, bnd_error *why);

/* Computes an operation on codes, each of its own format, rounded once to the format of the result.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `out` (out): the code, its flags and its ternary value. `to`: the format of the result. `operation`: add
 *     sub mul div rem fma sqrt rint nearby min max min_number max_number scalb logb next_up next_down ulp neg abs exp
 *     log tanh sigmoid erf gelu gelu_tanh rsqrt reciprocal or convert. `from`, `codes`: the operands; the second one of
 *     scalb is an int64_t, not a code. `rule`, `random`: as in bnd_oracle_encode. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the operation is unknown. */
BND_CHECKED bnd_status bnd_oracle_operate(bnd_result *out, const bnd_format *to, const char *operation,
                                          const bnd_format *const *from, const uint64_t *codes, bnd_rule rule,
                                          uint64_t random, bnd_error *why);

/* Compares two values.
 *
 * Returns: True if the values are ordered; false if one is NaN.
 * Arguments: `out` (out): -1, 0 or 1; 0 if one is NaN. `of_a`, `a`, `of_b`, `b`: the codes and their formats. */
bool bnd_oracle_compare(int *out, const bnd_format *of_a, uint64_t a, const bnd_format *of_b, uint64_t b);

/* Decodes a code to a double, which is exact if the value is finite and fp64 has it.
 *
 * Returns: Whether the value is finite, infinite or NaN.
 * Arguments: `out` (out): the value. `f`, `code`: the code and its format. */
bnd_oracle_kind bnd_oracle_decode(double *out, const bnd_format *f, uint64_t code);

#ifdef __cplusplus
}
#endif
#endif
