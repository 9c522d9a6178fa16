/* Layer 4: operations on single numbers. The exact result is rounded once, in every format with codes, every rounding
 * mode and under every policy. Freestanding: no libc beyond memcpy. */
#ifndef BINADE_ARITH_H
#define BINADE_ARITH_H

#include <binade/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every call rounds as the codec does, and follows IEEE 754-2019 for operations:
 *   - A NaN operand gives a NaN: the first NaN among the operands, which the rule may then replace. A signaling NaN
 *     raises invalid.
 *   - The default NaN is the canonical one, also where a result overflows. For BND_OP_CONVERT, a conversion, it is
 *     signed.
 *   - An operation without a defined result (inf - inf, 0 * inf, 0 / 0, inf / inf, the root of a negative number, the
 *     remainder of an infinity or by zero) raises invalid and gives a NaN. This NaN is positive, with only the quiet
 *     bit set; under BND_NAN_X86 it is negative. 0 * inf + NaN raises invalid too, but not under BND_NAN_X86. In a
 *     format without NaN the rule decides the result in both cases.
 *   - x / 0, 1 / sqrt(0), log(0) and logb(0) raise divbyzero and give an infinity, or the value that the rule and the
 *     format have for it.
 *   - If flush_in is set, subnormal operands count as zeros of their sign, and raise to-zero. Everything that follows,
 *     the ternary value included, refers to those zeros; only that of BND_OP_CONVERT refers to the operand.
 *   - An exact sum that is zero is +0 (-0 under BND_ROUND_RDN), unless its terms are zeros of one sign.
 *
 * `f` is the format of the operands and of the result; codes may have bits above its width. `random`: N bits for the
 * stochastic modes. */

/* a + b, a - b, a b, a / b, a b + c and the square root of a, rounded once.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`: the format of operands and result. `a`, `b`, `c`: codes. `rule`: how to round. `random`: N random
 *     bits for the stochastic modes. */
bnd_result bnd_add(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_sub(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_mul(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_div(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_fma(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random);
bnd_result bnd_sqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* IEEE 754's remainder: a - b n, where n is the integer nearest to a / b, and the even one of two. A zero has the sign
 * of a.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: As in bnd_add. */
bnd_result bnd_rem(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);

/* The integer to which the rule's mode rounds a, then rounded to the format like any result. rint raises inexact if the
 * operand was not an integer; nearby does not. The ternary value is that of the step that changed the number last.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_rint(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_nearby(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* IEEE 754-2019's minimum and maximum, which return a NaN operand, and minimumNumber and maximumNumber, which return
 * the other operand. -0 < +0.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: As in bnd_add. */
bnd_result bnd_min(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_max(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_min_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_max_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);

/* a 2^n, rounded once.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `n`: any integer. `rule`, `random`: as in bnd_add. */
bnd_result bnd_scalb(const bnd_format *f, uint64_t a, int64_t n, bnd_rule rule, uint64_t random);

/* floor(log2 |a|). For zero it is minus infinity, for an infinity plus infinity.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_logb(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The next value of the format above or below a. If there is none, it is the infinity of that side, or the value that
 * the rule and the format have for it.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_next_up(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_next_down(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The weight of the last bit of a's significand. For zero it is that of the smallest number; for an infinity, plus
 * infinity.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_ulp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The code with its sign changed (neg) or cleared (abs), without flags; this includes NaNs, whatever the rule says. In
 * an unsigned format the negative of a number is the result that the rule has for negative numbers. bnd_operate into
 * another format converts the number with its new sign.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_neg(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_abs(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* 1 / a and 1 / sqrt(a), rounded once. For zero they are an infinity of its sign, and raise divbyzero.
 *
 * Returns: The code, its flags and its ternary value. Cannot fail.
 * Arguments: `f`, `a`: the operand. `rule`, `random`: as in bnd_add. */
bnd_result bnd_reciprocal(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_rsqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* ---- elementary functions ---- */

/* Elementary functions, rounded once like every other operation.
 *
 * sigmoid is 1 / (1 + e^-a). gelu is a Phi(a) = a (1 + erf(a / sqrt 2)) / 2. gelu_tanh is a (1 + tanh(sqrt(2 / pi) (a +
 * 0.044715 a^3))) / 2. For minus infinity both gelu are -0. log(0) is minus infinity and raises divbyzero; the
 * logarithm of a negative number is invalid.
 *
 * Returns: The code, its flags and its ternary value; code 0 and invalid if the operation does not take this format
 *     (bnd_operation_serves). Cannot fail.
 * Arguments: `f`, `a`: the operand, in a format of at most 16 bits whose values fp64 has. `rule`, `random`: as in
 *     bnd_add. */
bnd_result bnd_exp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_log(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_sigmoid(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_erf(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_gelu(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_gelu_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* ---- comparison ---- */

/* The relations of two numbers. A predicate is a set of relations. With SIGNALING it raises invalid for any NaN,
 * otherwise for signaling NaNs only. IEEE 754's twenty-two predicates are such sets: compareQuietNotEqual is
 * BND_RELATION_LESS | BND_RELATION_GREATER | BND_RELATION_UNORDERED, compareSignalingLessEqual is BND_RELATION_LESS |
 * BND_RELATION_EQUAL | BND_RELATION_SIGNALING. */
typedef enum bnd_relation {
    BND_RELATION_LESS = 1,
    BND_RELATION_EQUAL = 2,
    BND_RELATION_GREATER = 4,
    BND_RELATION_UNORDERED = 8,
    BND_RELATION_SIGNALING = 16
} bnd_relation;

/* Compares two numbers. -0 equals +0. Only flush_in of the rule matters.
 *
 * Returns: Code 1 if one of these relations is true of a and b, otherwise 0; the flag invalid for a signaling NaN, and
 *     for any NaN with BND_RELATION_SIGNALING. Cannot fail.
 * Arguments: `f`, `of_a`, `of_b`: the formats. `a`, `b`: codes. `relations`: BND_RELATION_ constants, ORed. `rule`: the
 *     rule. */
bnd_result bnd_compare(const bnd_format *f, uint64_t a, uint64_t b, unsigned relations, bnd_rule rule);
bnd_result bnd_compare_mixed(const bnd_format *of_a, uint64_t a, const bnd_format *of_b, uint64_t b, unsigned relations,
                             bnd_rule rule);

/* ---- operations as data: operands of different formats, results in another ---- */

typedef enum bnd_operation {
    BND_OP_CONVERT,
    BND_OP_ADD,
    BND_OP_SUB,
    BND_OP_MUL,
    BND_OP_DIV,
    BND_OP_REM,
    BND_OP_FMA,
    BND_OP_SQRT,
    BND_OP_RINT,
    BND_OP_NEARBY,
    BND_OP_MIN,
    BND_OP_MAX,
    BND_OP_MIN_NUMBER,
    BND_OP_MAX_NUMBER,
    BND_OP_SCALB, /* its second operand is an int64_t, not a code, and has no format */
    BND_OP_LOGB,
    BND_OP_NEXT_UP,
    BND_OP_NEXT_DOWN,
    BND_OP_ULP,
    BND_OP_NEG,
    BND_OP_ABS,
    BND_OP_EXP,
    BND_OP_LOG,
    BND_OP_TANH,
    BND_OP_SIGMOID,
    BND_OP_ERF,
    BND_OP_GELU,
    BND_OP_GELU_TANH,
    BND_OP_RSQRT,
    BND_OP_RECIPROCAL,
    BND_OP_COUNT
} bnd_operation;
enum { BND_OPERANDS_MAX = 3 };

/* The name of an operation.
 *
 * Returns: "min_number" and the like; "" if the operation does not exist. Never NULL.
 * Arguments: `operation`: the operation. */
const char *bnd_operation_name(bnd_operation operation);

/* The number of operands of an operation.
 *
 * Returns: 1, 2 or 3; 0 if the operation does not exist.
 * Arguments: `operation`: the operation. */
unsigned bnd_operation_operands(bnd_operation operation);

/* Reads the name of an operation.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `out` (out): the operation. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_operation_parse(bnd_operation *out, const char *name, bnd_error *why);

/* Checks that an operation takes operands of these formats. Only the elementary functions do not take all formats.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `operation`: the operation. `from`: as many formats as it has operands. `why` (out): the error, or NULL.
 * On failure: The message says which operands it takes. */
BND_CHECKED bnd_status bnd_operation_serves(bnd_operation operation, const bnd_format *const *from, bnd_error *why);

/* An operation on codes, each of its own format, rounded once to the format of the result.
 *
 * Returns: The code, its flags and its ternary value; code 0 and invalid if the operation does not exist or it does not
 *     take these formats. Cannot fail.
 * Arguments: `to`: the format of the result. `operation`: the operation; next_up, next_down and ulp mean values of the
 *     operand's format. `from`, `codes`: as many as it has operands. `rule`, `random`: as in bnd_add. */
bnd_result bnd_operate(const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                       const uint64_t *codes, bnd_rule rule, uint64_t random);

/* The exact result of an operation, to be rounded later or compared with a rounded one. Rounding it by
 * bnd_rule_of_operation(rule) gives the result of bnd_operate.
 *
 * A root has 124 bits and a sticky bit. That decides every rounding to at most 60 bits; to more bits, it decides the
 * roundings that use no random bits.
 *
 * Returns: The exact result. Cannot fail.
 * Arguments: `operation`: the operation. `f`: the format whose values next_up, next_down and ulp mean. `operands`:
 *     values as bnd_unpack and bnd_round_exact return them: at most 64 bits of significand, not sticky; the second of
 *     BND_OP_SCALB is an integer of at most 63 bits. `rule`: its mode and its NaN policy count, flush_in does not.
 *     `random`: N random bits. `flags` (out): the flags that the operation raises before rounding: invalid, divbyzero,
 *     or the inexact of rint. */
bnd_exact bnd_operate_exact(bnd_operation operation, const bnd_format *f, const bnd_exact *operands, bnd_rule rule,
                            uint64_t random, uint32_t *flags);

#ifdef __cplusplus
}
#endif
#endif
