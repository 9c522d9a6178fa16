/* Layer 4: one operation on one, two or three numbers: the exact result, rounded once. In every format with codes, in
 * every rounding mode, under every policy. Freestanding: no libc beyond memcpy. */
#ifndef BINADE_ARITH_H
#define BINADE_ARITH_H

#include <binade/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every call rounds as the codec rounds, and adds what IEEE 754-2019 says of operations:
 *   - A NaN operand gives a NaN: the first one among the operands, which the rule may then replace. A signaling one
 *     raises invalid.
 *   - The default NaN is the canonical one, also where a result overflows; of BND_OP_CONVERT, a conversion,
 *     it is signed.
 *   - An operation without an answer (inf - inf, 0 * inf, 0 / 0, inf / inf, the root of a negative number, the
 *     remainder of an infinity or by zero) raises invalid and gives a NaN: positive, nothing but the quiet bit;
 *     negative under BND_NAN_X86. 0 * inf + NaN raises invalid too, but not under BND_NAN_X86. In a format without NaN
 *     either becomes what the rule says.
 *   - x / 0, 1 / sqrt(0), log(0) and logb(0) raise divbyzero and give an infinity, or what the rule and the format make
 *     of one.
 *   - Where flush_in is set, subnormal operands count as zeros of their sign, and raise flushed. All that follows, the
 *     ternary value too, is about those zeros.
 *   - Where an exact sum is zero, though its terms are not zeros of one sign, it is +0; -0 under BND_ROUND_RDN.
 *
 * `f` is the format of the operands and of the result; codes may have bits above its width. `random`: N bits for the
 * stochastic modes. */

bnd_result bnd_add(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_sub(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_mul(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_div(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_fma(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random); /* ab+c */
bnd_result bnd_sqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* a - b n, n the integer nearest to a / b, of two the even one. A zero has the sign of a. */
bnd_result bnd_rem(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);

/* The integer that the rule's mode rounds to, then rounded to the format like any result. rint raises inexact where the
 * operand was none, nearby does not. The ternary value is that of the step that changed the number last. */
bnd_result bnd_rint(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_nearby(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* IEEE's minimum and maximum, where -0 < +0 and a NaN wins, and minimumNumber and maximumNumber, where a number
 * does. */
bnd_result bnd_min(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_max(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_min_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);
bnd_result bnd_max_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random);

bnd_result bnd_scalb(const bnd_format *f, uint64_t a, int64_t n, bnd_rule rule, uint64_t random); /* a 2^n */

/* floor(log2 |a|): of 0 minus infinity, of an infinity plus infinity. */
bnd_result bnd_logb(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The next value of the format above and below a. Where there is none the answer is the infinity of that side, or what
 * the rule and the format make of one. */
bnd_result bnd_next_up(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_next_down(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The weight of the last place of a's significand; of a zero, that of the smallest number's; of an infinity plus
 * infinity. */
bnd_result bnd_ulp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* The sign turned over, and taken away: that of the code, a NaN's too, without flags and whatever the rule says. In an
 * unsigned format the opposite of a number is what the rule makes of a negative one. (Where bnd_operate takes them into
 * another format, they are a conversion of the number with that sign.) */
bnd_result bnd_neg(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_abs(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* 1 / a, and 1 / sqrt(a): of a zero an infinity of its sign, and divbyzero. */
bnd_result bnd_reciprocal(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_rsqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* ---- elementary functions: rounded once like everything else ---- */

/* They take operands of at most 16 bits whose values fp64 has; bnd_operation_serves says which. Their results may be of
 * any format. log(0) is minus infinity and divbyzero, the logarithm of a negative number invalid.
 * sigmoid: 1 / (1 + e^-a). gelu: a Phi(a) = a (1 + erf(a / sqrt 2)) / 2; gelu_tanh: a (1 + tanh(sqrt(2 / pi)
 * (a + 0.044715 a^3))) / 2. Of minus infinity both are -0. */
bnd_result bnd_exp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_log(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_sigmoid(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_erf(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_gelu(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);
bnd_result bnd_gelu_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random);

/* ---- comparison ---- */

/* The relations of two numbers. A predicate is a set of these. With SIGNALING it raises invalid for any NaN, without it
 * for signaling NaNs only. IEEE 754's twenty-two predicates are such sets: compareQuietNotEqual is
 * BND_RELATION_LESS | BND_RELATION_GREATER | BND_RELATION_UNORDERED, compareSignalingLessEqual is
 * BND_RELATION_LESS | BND_RELATION_EQUAL | BND_RELATION_SIGNALING. */
typedef enum bnd_relation {
    BND_RELATION_LESS = 1,
    BND_RELATION_EQUAL = 2,
    BND_RELATION_GREATER = 4,
    BND_RELATION_UNORDERED = 8,
    BND_RELATION_SIGNALING = 16
} bnd_relation;

/* Its code is 1 where a stands to b in one of these ways, else 0; -0 equals +0. Of the rule only flush_in matters. */
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

const char *bnd_operation_name(bnd_operation operation);  /* "min_number"; "" where there is none */
unsigned bnd_operation_operands(bnd_operation operation); /* 1, 2 or 3; 0 where there is no such operation */
BND_CHECKED bnd_status bnd_operation_parse(bnd_operation *out, const char *name, bnd_error *why);

/* Whether the operation takes operands of these formats: all do but the elementary functions. */
BND_CHECKED bnd_status bnd_operation_serves(bnd_operation operation, const bnd_format *const *from, bnd_error *why);

/* The operation on `codes`, each of its own format in `from`, rounded once to `to`. The arrays are as long as the
 * operation has operands. next_up, next_down and ulp mean the values of the operand's format. An operation that there
 * is not, or that does not serve these formats, gives code 0 and invalid. */
bnd_result bnd_operate(const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                       const uint64_t *codes, bnd_rule rule, uint64_t random);

/* The exact result, for who rounds it later or wants to know the error, and in `flags` what the operation raises before
 * any rounding: invalid, divbyzero, rint's inexact. `f`: whose values next_up, next_down and ulp mean. The operands
 * are as bnd_unpack and bnd_round_exact give them: at most 64 bits of significand, nothing sticky. A root has 124 bits
 * and a sticky one, which decides every rounding to 60 bits and, to more, those that take no random bits. The second
 * operand of BND_OP_SCALB is an integer of at most 63 bits. Of the rule count the mode and the NaN; flush_in does not.
 * Rounding the result by bnd_rule_of_operation(rule) gives what bnd_operate gives. */
bnd_exact bnd_operate_exact(bnd_operation operation, const bnd_format *f, const bnd_exact *operands, bnd_rule rule,
                            uint64_t random, uint32_t *flags);

#ifdef __cplusplus
}
#endif
#endif
