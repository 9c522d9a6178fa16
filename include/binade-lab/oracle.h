/* Layer 3: an independent judge of conversions and operations, on MPFR and GMP. It knows formats and rules and shares
 * no code with the codec. Slow. Not included by <binade.h>. GMP and MPFR allocate, and abort the process where no
 * memory is left. */
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

/* The same answers that the codec's calls owe. */
bnd_result bnd_oracle_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
bnd_result bnd_oracle_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                              uint64_t random);

/* A plain decimal ([-+]digits[.digits][e[-+]digits]) or an exact fraction of two integers ("-3/1024"). */
BND_CHECKED bnd_status bnd_oracle_encode_text(bnd_result *out, const bnd_format *f, const char *text, bnd_rule rule,
                                              uint64_t random, bnd_error *why);

/* An operation by its name (add sub mul div rem fma sqrt rint nearby min max min_number max_number scalb logb next_up
 * next_down ulp neg abs exp log tanh sigmoid erf gelu gelu_tanh rsqrt reciprocal convert) on codes, each of its own
 * format in `from`, rounded once to `to`. Of scalb the second operand is an int64_t, not a code. */
BND_CHECKED bnd_status bnd_oracle_operate(bnd_result *out, const bnd_format *to, const char *operation,
                                          const bnd_format *const *from, const uint64_t *codes, bnd_rule rule,
                                          uint64_t random, bnd_error *why);

/* The order of two values, -1, 0 or 1; false, and 0, where one is NaN. */
bool bnd_oracle_compare(int *out, const bnd_format *of_a, uint64_t a, const bnd_format *of_b, uint64_t b);

/* The value of a code, as a double that is exact where the value is finite and a double can hold it. */
bnd_oracle_kind bnd_oracle_decode(double *out, const bnd_format *f, uint64_t code);

#ifdef __cplusplus
}
#endif
#endif
