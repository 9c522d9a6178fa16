/* Layer 3: conversions of single numbers. They decode, round and encode in simple, complete code, and define the
 * correct result of every faster call. Freestanding: no libc beyond memcpy. */
#ifndef BINADE_CODEC_H
#define BINADE_CODEC_H

#include <binade/format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bnd_kind {
    BND_KIND_ZERO,
    BND_KIND_FINITE,
    BND_KIND_INFINITE,
    BND_KIND_QUIET_NAN,
    BND_KIND_SIGNALING_NAN
} bnd_kind;

/* Exponents of exact values are from -BND_EXPONENT_MAX to BND_EXPONENT_MAX; exponents beyond the limits are replaced by
 * them. */
enum { BND_EXPONENT_MAX = 1 << 30 };

/* An exact number: (-1)^negative * (high * 2^64 + low) * 2^exponent. With `sticky` the magnitude is larger, by less
 * than 2^exponent. This is enough to round any real number once, if the first of the 128 bits is one. Every format here
 * has a precision of at most 64 bits and at most 62 random bits, so 128 bits and a sticky bit decide every rounding. A
 * NaN has its fraction in `high`, with the quiet bit topmost. */
typedef struct bnd_exact {
    uint64_t high, low;
    int32_t exponent;
    uint8_t kind; /* bnd_kind */
    bool negative;
    bool sticky;
} bnd_exact;

/* A rounded number before it becomes a code. Value sets have no codes: for them this is the result. */
typedef struct bnd_rounded {
    bnd_exact value; /* significand in `low`, `high` 0 (but see NaN above); never sticky */
    uint32_t flags;
    int32_t ternary;
} bnd_rounded;

/* ---- the core ---- */

/* Rounds an exact value to a value of the format. This call defines the result of every conversion.
 *
 * Returns: The rounded value, its flags and its ternary value. Cannot fail.
 * Arguments: `f`: a format or a value set. `x`: the exact value. `rule`: how to round. `random`: N random bits for the
 *     stochastic modes, of which the lowest N are used. */
bnd_rounded bnd_round_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random);

/* The code of a value that the format has, such as bnd_round_exact or bnd_unpack returns.
 *
 * Returns: The code; 0 for a value set, which has no codes. For a value that the format does not have the code is
 *     unspecified.
 * Arguments: `f`: the format. `value`: one of its values. */
uint64_t bnd_pack(const bnd_format *f, bnd_exact value);

/* The exact value of a code.
 *
 * Returns: The value; NaN for a value set, which has no codes. Cannot fail.
 * Arguments: `f`: the format. `code`: the code; bits above the format's width are ignored. */
bnd_exact bnd_unpack(const bnd_format *f, uint64_t code);

/* Rounds a code of one format to a value of another: bnd_convert before the result becomes a code.
 *
 * Returns: The rounded value, its flags and its ternary value. Cannot fail.
 * Arguments: `to`: a format or a value set. `from`, `code`: the number. `rule`, `random`: as in bnd_round_exact. */
bnd_rounded bnd_round_code(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);

/* ---- encode ---- */

/* Rounds a number, once, to a code of the format.
 *
 * Returns: The code, its flags and its ternary value; code 0 for a value set. Cannot fail.
 * Arguments: `f`: the format. `x`: the number. `rule`: how to round. `random`: N random bits for the stochastic modes.
 */
bnd_result bnd_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_float(const bnd_format *f, float x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_int64(const bnd_format *f, int64_t x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_uint64(const bnd_format *f, uint64_t x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random);

/* Rounds a code of one format, once, to a code of another.
 *
 * Returns: The code, its flags and its ternary value; code 0 for a value set. Cannot fail.
 * Arguments: `to`: the format of the result. `from`, `code`: the number. `rule`, `random`: as in bnd_encode. */
bnd_result bnd_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);

/* ---- decode ---- */

/* The value of a code as a double. It is exact if fp64 has the value, which is always so if the precision is at most 53
 * bits and magnitudes lie from 2^-1074 to below 2^1024. Otherwise it is rounded to nearest even.
 *
 * Returns: The value; NaN for a value set. Cannot fail.
 * Arguments: `f`, `code`: the number. `flags` (out): the flags of converting it to fp64. */
double bnd_decode(const bnd_format *f, uint64_t code);
double bnd_decode_flags(const bnd_format *f, uint64_t code, uint32_t *flags);

/* ---- fp32 to one format and back ---- */

/* The calls below give the codes of bnd_encode_float with a rule that is all zero, or that saturates, and cannot fail.
 */

/* fp32 to fp16 and back.
 *
 * Returns: from_float: the nearest code, ties to even. from_float_saturated: the same, but +-65504 instead of infinity.
 *     to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint16_t bnd_fp16_from_float(float x);
uint16_t bnd_fp16_from_float_saturated(float x);
float bnd_fp16_to_float(uint16_t code);

/* fp32 to bf16 and back.
 *
 * Returns: from_float: the nearest code, ties to even. from_float_saturated: the same, but the largest number instead
 *     of infinity. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint16_t bnd_bf16_from_float(float x);
uint16_t bnd_bf16_from_float_saturated(float x);
float bnd_bf16_to_float(uint16_t code);

/* fp32 to tf32 and back. A code is 19 bits; shifted left by 13 it is the fp32 number.
 *
 * Returns: from_float: the nearest code, ties to even. from_float_saturated: the same, but the largest number instead
 *     of infinity. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: its lowest 19 bits count. */
uint32_t bnd_tf32_from_float(float x);
uint32_t bnd_tf32_from_float_saturated(float x);
float bnd_tf32_to_float(uint32_t code);

/* fp32 to E4M3 (OCP; float8_e4m3fn) and back.
 *
 * Returns: from_float: the nearest code, ties to even; NaN for numbers that are too large, since the format has no
 *     infinity. from_float_saturated: +-448 instead. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint8_t bnd_e4m3_from_float(float x);
uint8_t bnd_e4m3_from_float_saturated(float x);
float bnd_e4m3_to_float(uint8_t code);

/* fp32 to E5M2 (OCP; float8_e5m2) and back.
 *
 * Returns: from_float: the nearest code, ties to even; infinity for numbers that are too large. from_float_saturated:
 *     +-57344 instead. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint8_t bnd_e5m2_from_float(float x);
uint8_t bnd_e5m2_from_float_saturated(float x);
float bnd_e5m2_to_float(uint8_t code);

/* fp32 to E4M3FNUZ (one zero, one NaN) and back.
 *
 * Returns: from_float: the nearest code, ties to even; NaN for numbers that are too large. from_float_saturated: +-240
 *     instead. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint8_t bnd_e4m3fnuz_from_float(float x);
uint8_t bnd_e4m3fnuz_from_float_saturated(float x);
float bnd_e4m3fnuz_to_float(uint8_t code);

/* fp32 to E5M2FNUZ (one zero, one NaN) and back.
 *
 * Returns: from_float: the nearest code, ties to even; NaN for numbers that are too large. from_float_saturated:
 *     +-57344 instead. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint8_t bnd_e5m2fnuz_from_float(float x);
uint8_t bnd_e5m2fnuz_from_float_saturated(float x);
float bnd_e5m2fnuz_to_float(uint8_t code);

/* fp32 to E2M1 (OCP FP4) and back. All codes are numbers.
 *
 * Returns: from_float: the nearest code, ties to even; +-6 for numbers that are too large, and 6 for NaN.
 *     from_float_saturated: the same. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: its lowest 4 bits count. */
uint8_t bnd_e2m1_from_float(float x);
uint8_t bnd_e2m1_from_float_saturated(float x);
float bnd_e2m1_to_float(uint8_t code);

/* fp32 to E2M3 (OCP FP6) and back. All codes are numbers.
 *
 * Returns: from_float: the nearest code, ties to even; +-7.5 for numbers that are too large, and 7.5 for NaN.
 *     from_float_saturated: the same. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: its lowest 6 bits count. */
uint8_t bnd_e2m3_from_float(float x);
uint8_t bnd_e2m3_from_float_saturated(float x);
float bnd_e2m3_to_float(uint8_t code);

/* fp32 to E3M2 (OCP FP6) and back. All codes are numbers.
 *
 * Returns: from_float: the nearest code, ties to even; +-28 for numbers that are too large, and 28 for NaN.
 *     from_float_saturated: the same. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: its lowest 6 bits count. */
uint8_t bnd_e3m2_from_float(float x);
uint8_t bnd_e3m2_from_float_saturated(float x);
float bnd_e3m2_to_float(uint8_t code);

/* fp32 to E8M0 (OCP scales: powers of two, without sign and zero) and back.
 *
 * Returns: from_float: the nearest code; NaN for negative numbers and for numbers that are too large; 2^-127 for zero.
 *     from_float_saturated: 2^127 for numbers that are too large. to_float: the exact value. Cannot fail.
 * Arguments: `x`: any float. `code`: any code. */
uint8_t bnd_e8m0_from_float(float x);
uint8_t bnd_e8m0_from_float_saturated(float x);
float bnd_e8m0_to_float(uint8_t code);

/* ---- exact values of C's own types ---- */

/* The exact value of a number of a C type. Nothing is rounded, and a signaling NaN stays signaling.
 *
 * Returns: The value. Cannot fail.
 * Arguments: `x`: the number. */
bnd_exact bnd_exact_double(double x);
bnd_exact bnd_exact_float(float x);
bnd_exact bnd_exact_int64(int64_t x);
bnd_exact bnd_exact_uint64(uint64_t x);

/* The order of two exact values that are not NaN. -0 equals +0.
 *
 * Returns: -1 if a < b, 0 if they are equal, 1 if a > b.
 * Arguments: `a`, `b`: the values. */
int bnd_exact_compare(bnd_exact a, bnd_exact b);

/* The nearest value of the format strictly above or below x. Infinities count if the format has them.
 *
 * Returns: True if there is one; false, with `out` unchanged, if there is none or x is NaN.
 * Arguments: `out` (out): the neighbour. `f`: the format. `x`: any value, also one that the format does not have.
 *     `direction`: above if positive, otherwise below. */
bool bnd_neighbour(bnd_exact *out, const bnd_format *f, bnd_exact x, int direction);

/* ---- classes ---- */

typedef enum bnd_class {
    BND_CLASS_ZERO,
    BND_CLASS_SUBNORMAL,
    BND_CLASS_NORMAL,
    BND_CLASS_INFINITY,
    BND_CLASS_NAN,
    BND_CLASS_SIGNALING_NAN
} bnd_class;

/* The class of a value in a format: zero, subnormal, normal, infinity, NaN or signaling NaN.
 *
 * Returns: The class.
 * Arguments: `f`: the format. `value`: one of its values. */
bnd_class bnd_classify(const bnd_format *f, bnd_exact value);

/* The name of a class.
 *
 * Returns: "zero", "subnormal", "normal", "infinity", "nan" or "signaling nan"; "" for a number that is not a class.
 *     Never NULL.
 * Arguments: `c`: the class. */
const char *bnd_class_name(bnd_class c);

#ifdef __cplusplus
}
#endif
#endif
