/* Layer 2: formats and their names, and the types of rules, results and flags. Freestanding. */
#ifndef BINADE_FORMAT_H
#define BINADE_FORMAT_H

#include <binade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a format ---- */

enum {
    BND_FORMAT_NAME_SIZE = 40,
    BND_PRECISION_MAX = 64,          /* bits of a significand, the leading one counted */
    BND_EXPONENT_UNLIMITED = 1 << 29 /* emax, and -emin, of a value set that names no limit */
};

/* Which neighbour of a tie counts as even. The two choices differ only at one bit of precision. */
typedef enum bnd_ties {
    BND_TIES_SIGNIFICAND, /* the even significand: 1.5, 3, 6 go up in magnitude, to 2, 4, 8 (ml_dtypes, torch, MPFR) */
    BND_TIES_CODE         /* the even code, as P3109 says */
} bnd_ties;

/* Private: values that are computed once per format, so that no single operation computes them again. The library
 * writes them; do not read them. */
typedef struct bnd_format_internal {
    uint64_t sign_code;     /* the sign of a code; 0 where there is none */
    uint64_t exponent_mask; /* all bits above the fraction */
    uint64_t normals;       /* the number of codes from 2^fraction_bits to max_code */
    uint64_t unbias;        /* 1 - bias, in the place of the exponent field */
    uint64_t unbias_twice;  /* 1 - bias - fraction_bits, in the same place */
    uint8_t quick_modes;    /* rounding modes below this one have a fast path */
} bnd_format_internal;

/* A format is a plain value: copy it, compare the fields, keep it in an array.
 *
 * A code is [sign][exponent][fraction]; without the sign it is a magnitude. Magnitudes are in the order of their
 * values. From the top: `high_nans` NaNs, then an infinity if there is one, then max_code, the largest finite number.
 * An exponent field of 0 means 0.fraction * 2^emin if the format has subnormals. Otherwise it is an ordinary binade,
 * except that code 0 is zero if the format has a zero. */
typedef struct bnd_format {
    char name[BND_FORMAT_NAME_SIZE]; /* canonical, as bnd_format_parse reads it */
    int16_t row;                     /* of formats.def, or -1 */
    uint8_t width;                   /* bits of a code; 0: a value set, which rounds but has no codes */
    uint8_t exponent_bits, fraction_bits;
    uint8_t precision; /* fraction_bits + 1 */
    bool is_signed;
    bool has_zero;          /* false: e8m0 */
    bool has_negative_zero; /* false: fnuz, P3109, unsigned formats */
    bool has_subnormals;
    bool has_infinity;
    bool has_nan;
    bool zero_nan;  /* the only NaN has the code of negative zero */
    bool ieee_nans; /* every nonzero fraction of the top exponent is NaN; the top fraction bit marks a quiet one */
    uint8_t ties;   /* bnd_ties */
    int32_t bias;
    int32_t emin; /* exponent of the lowest normal binade */
    int32_t emax; /* exponent of the largest finite number */
    bnd_format_internal internal;
    uint64_t high_nans;
    uint64_t max_code, infinity_code, nan_code; /* magnitudes, but nan_code is a whole code; 0: there is none */
    /* The limits as integers times a power of two. normal: the smallest normal number; least: the smallest positive. */
    uint64_t max_significand, normal_significand, least_significand;
    int32_t max_quantum, normal_quantum, least_quantum;
} bnd_format;

/* Reads the name of a format. Case does not matter.
 *
 * A name is a built-in format (e4m3), its name in another library (float8_e4m3fn, torch.float8_e4m3fn), a P3109 name
 * (binary8p3se), a custom format (e6m9, e5m10b12fn, without a sign ue6m2fn) or a value set (p11emin-14emax15).
 *
 * Returns: BND_OK, BND_BAD_NAME or BND_BAD_SYNTAX.
 * Arguments: `out` (out): the format. `name`: ends with a 0 byte; in the _n form it has `length` bytes. `why` (out):
 *     the error, or NULL.
 * On failure: `out` is unchanged. BND_BAD_NAME: the format does not exist, and the message has the nearest names.
 *     BND_BAD_SYNTAX: the name is of the right kind, with parts that are impossible. */
BND_CHECKED bnd_status bnd_format_parse(bnd_format *out, const char *name, bnd_error *why);
BND_CHECKED bnd_status bnd_format_parse_n(bnd_format *out, const char *name, size_t length, bnd_error *why);

/* The built-in formats that have a constant. The number of a row never changes. */
typedef enum bnd_format_row {
    BND_FORMAT_FP64,
    BND_FORMAT_FP32,
    BND_FORMAT_TF32,
    BND_FORMAT_FP16,
    BND_FORMAT_BF16,
    BND_FORMAT_E4M3,
    BND_FORMAT_E5M2,
    BND_FORMAT_E4M3FNUZ,
    BND_FORMAT_E5M2FNUZ,
    BND_FORMAT_E4M3IEEE,
    BND_FORMAT_E3M4,
    BND_FORMAT_E4M3B11FNUZ,
    BND_FORMAT_E8M0,
    BND_FORMAT_UE5M3,
    BND_FORMAT_UE4M3,
    BND_FORMAT_E2M3,
    BND_FORMAT_E3M2,
    BND_FORMAT_E2M1,
    BND_FORMAT_DLFLOAT16
} bnd_format_row;

/* The number of built-in formats.
 *
 * Returns: The number of rows of the table, at least as many as BND_FORMAT_ constants. */
size_t bnd_format_count(void);

/* A built-in format, without text and without a failure to check: bnd_format_at(BND_FORMAT_E4M3).
 *
 * Returns: A constant of the library; it needs no release. NULL if the row does not exist.
 * Arguments: `row`: a BND_FORMAT_ constant, or 0 .. bnd_format_count() - 1. */
const bnd_format *bnd_format_at(size_t row);

/* The ecosystems for which the table lists names of formats. */
typedef enum bnd_ecosystem {
    BND_ECOSYSTEM_ML_DTYPES, /* and torch */
    BND_ECOSYSTEM_ONNX,
    BND_ECOSYSTEM_SAFETENSORS,
    BND_ECOSYSTEM_STABLEHLO,
    BND_ECOSYSTEM_OTHERS,
    BND_ECOSYSTEM_COUNT
} bnd_ecosystem;

/* A short description of a built-in format, and the hardware that computes in it.
 *
 * Returns: The text; "" if there is none, or no such row. Never NULL.
 * Arguments: `row`: 0 .. bnd_format_count() - 1. */
const char *bnd_format_title(size_t row);
const char *bnd_format_hardware(size_t row);

/* The names of a built-in format in one ecosystem.
 *
 * Returns: Names separated by blanks; "" if there is none, or no such row or ecosystem. Never NULL.
 * Arguments: `row`: 0 .. bnd_format_count() - 1. `where`: the ecosystem. */
const char *bnd_format_names(size_t row, bnd_ecosystem where);

/* The name of an ecosystem.
 *
 * Returns: "ml_dtypes", "onnx" and so on; "" if the ecosystem does not exist. Never NULL.
 * Arguments: `where`: the ecosystem. */
const char *bnd_ecosystem_name(bnd_ecosystem where);

/* The number of formats in a group. The groups are all, ieee, ocp, fnuz, p3109, p3109-all and mx.
 *
 * Returns: The number; 0 if the group does not exist.
 * Arguments: `group`: its name, which ends with a 0 byte. */
size_t bnd_group_size(const char *group);

/* One format of a group.
 *
 * Returns: True if there is such a format; false, with `out` unchanged, if not.
 * Arguments: `out` (out): the format. `group`: as in bnd_group_size. `i`: 0 .. bnd_group_size(group) - 1. */
bool bnd_group_at(bnd_format *out, const char *group, size_t i);

/* Tells whether two formats have the same codes for the same values. Names do not matter.
 *
 * Returns: True if so.
 * Arguments: `a`, `b`: the formats. */
bool bnd_format_same(const bnd_format *a, const bnd_format *b);

/* The number of bits of a code below its sign bit.
 *
 * Returns: Exponent bits plus fraction bits.
 * Arguments: `f`: the format. */
static inline unsigned bnd_magnitude_bits(const bnd_format *f)
{
    return 0U + f->exponent_bits + f->fraction_bits;
}

/* ---- a rule ---- */

typedef enum bnd_rounding {
    BND_ROUND_RNE, /* nearest, ties to even */
    BND_ROUND_RNA, /* nearest, ties away from zero */
    BND_ROUND_RTZ, /* toward zero */
    BND_ROUND_RUP, /* toward plus infinity */
    BND_ROUND_RDN, /* toward minus infinity */
    BND_ROUND_RTO, /* to odd */
    BND_ROUND_SR,  /* stochastic, P3109 C: up when rne_int(v 2^N) + R >= 2^N, v the discarded fraction, R the N random
                      bits */
    BND_ROUND_SRA, /* P3109 A: up when floor(v 2^N) + R >= 2^N */
    BND_ROUND_SRB, /* P3109 B: up when floor(v 2^(N+1)) + 2R + 1 >= 2^(N+1) */
    BND_ROUND_SR_EQUAL /* up or down with probability 1/2 each: up when the lowest random bit is 1 */
} bnd_rounding;
enum { BND_ROUND_DETERMINISTIC_COUNT = BND_ROUND_SR, BND_ROUND_COUNT = BND_ROUND_SR_EQUAL + 1 };

/* Overflow is decided after rounding with an unbounded exponent. "Format" means infinity if the format has one, else
 * NaN, else the largest number. The directed modes give the largest number where IEEE 754 says so. */
typedef enum bnd_overflow {
    BND_OVERFLOW_FORMAT,     /* finite overflow and infinity as the format has it */
    BND_OVERFLOW_SATURATE,   /* both become the largest number */
    BND_OVERFLOW_PROPAGATE,  /* finite overflow: the largest number; infinity: itself, or NaN if the format has none */
    BND_OVERFLOW_FORMAT_MAX, /* as format, but the largest number if there is no infinity (P3109 SatNone) */
    BND_OVERFLOW_PROPAGATE_MAX, /* as propagate, but the largest number if there is no infinity (SatPropagate) */
    BND_OVERFLOW_COUNT
} bnd_overflow;

/* The NaN of a result. "The sign" is that of the NaN operand, or of the number that overflow or infinity turned into a
 * NaN. */
typedef enum bnd_nan {
    BND_NAN_DEFAULT,     /* signed in a conversion, canonical in an operation */
    BND_NAN_CANONICAL,   /* positive, only the top fraction bit set */
    BND_NAN_SIGNED,      /* the same with the sign (ml_dtypes; torch's e4m3) */
    BND_NAN_ONES,        /* all fraction bits set; positive from a NaN, with the sign from a number (CUDA) */
    BND_NAN_SIGNED_ONES, /* all fraction bits set, with the sign (ONNX; torch's e5m2) */
    BND_NAN_PROPAGATE,   /* sign and top payload bits, quieted */
    BND_NAN_X86,         /* as SSE: propagated; negative if a number or an operation gives it */
    BND_NAN_COUNT
} bnd_nan;

/* The result of a NaN in a format without NaN. */
typedef enum bnd_no_nan {
    BND_NO_NAN_MAX, /* the largest number, positive for either sign (CUDA) */
    BND_NO_NAN_ZERO /* zero with the opposite sign: NaN to -0, -NaN to +0 (ml_dtypes) */
} bnd_no_nan;

/* The result of a negative number in a format without a sign. */
typedef enum bnd_negative {
    BND_NEGATIVE_NAN,      /* NaN, or the least value if the format has no NaN; invalid */
    BND_NEGATIVE_MAGNITUDE /* the sign is dropped (CUDA's e8m0) */
} bnd_negative;

/* The result of zero in a format without a zero. */
typedef enum bnd_zero {
    BND_ZERO_LEAST, /* code 0; invalid */
    BND_ZERO_NAN    /* NaN; invalid (ml_dtypes' e8m0) */
} bnd_zero;

/* Which neighbour of a tie counts as even at one bit of precision: the format's choice (bnd_ties), or this one. */
typedef enum bnd_tie_rule { BND_TIE_RULE_FORMAT, BND_TIE_RULE_SIGNIFICAND, BND_TIE_RULE_CODE } bnd_tie_rule;

/* Which results become zero. They differ where a number below the smallest normal one is rounded up to it: that result
 * is not subnormal, but it is tiny. */
typedef enum bnd_flush {
    BND_FLUSH_NONE,
    BND_FLUSH_SUBNORMAL, /* those that are subnormal after rounding */
    BND_FLUSH_TINY       /* those that are tiny, before or after rounding as tiny_before says: FTZ of x86 is after */
} bnd_flush;

/* How to round. All zero is the default: nearest even, the format's own overflow, subnormals kept. Each choice has one
 * byte, so that a rule is passed in registers. */
typedef struct bnd_rule {
    uint8_t rounding;    /* bnd_rounding */
    uint8_t overflow;    /* bnd_overflow */
    uint8_t nan;         /* bnd_nan */
    uint8_t no_nan;      /* bnd_no_nan */
    uint8_t negative;    /* bnd_negative */
    uint8_t zero;        /* bnd_zero */
    uint8_t tie_rule;    /* bnd_tie_rule */
    uint8_t random_bits; /* N of the stochastic modes, 1 .. 62; 0 means 32 */
    bool flush_in;       /* subnormal operands count as zero */
    uint8_t flush_out;   /* bnd_flush */
    bool tiny_before;    /* tiny results are detected before rounding; the default is after */
    uint8_t reserved[5]; /* zero; sixteen bytes are passed in two registers */
} bnd_rule;
enum { BND_RANDOM_BITS_DEFAULT = 32, BND_RANDOM_BITS_MAX = 62 };

/* A member of a rule as the enum that it holds; the members themselves are bytes.
 *
 * Returns: The value, not checked: bnd_rule_check does that.
 * Arguments: `rule`: the rule. */
static inline bnd_rounding bnd_rule_rounding(bnd_rule rule)
{
    return BND_AS(bnd_rounding, rule.rounding);
}
static inline bnd_overflow bnd_rule_overflow(bnd_rule rule)
{
    return BND_AS(bnd_overflow, rule.overflow);
}
static inline bnd_nan bnd_rule_nan(bnd_rule rule)
{
    return BND_AS(bnd_nan, rule.nan);
}

/* A rule of two choices; the others have their default.
 *
 * Returns: The rule.
 * Arguments: `rounding`, `overflow`: the choices. */
static inline bnd_rule bnd_rule_of(bnd_rounding rounding, bnd_overflow overflow)
{
    bnd_rule rule = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false, {0, 0, 0, 0, 0}};
    rule.rounding = BND_AS(uint8_t, rounding);
    rule.overflow = BND_AS(uint8_t, overflow);
    return rule;
}

/* The number of random bits that a rule uses per rounding.
 *
 * Returns: 0 for the deterministic modes, 1 for BND_ROUND_SR_EQUAL, otherwise random_bits, with 32 for 0 and at most
 *     BND_RANDOM_BITS_MAX.
 * Arguments: `rule`: the rule. */
static inline unsigned bnd_rule_random_bits(bnd_rule rule)
{
    unsigned bits = rule.random_bits;
    if (rule.rounding < BND_ROUND_SR) {
        return 0;
    }
    if (rule.rounding == BND_ROUND_SR_EQUAL) {
        return 1;
    }
    if (bits == 0) {
        return BND_RANDOM_BITS_DEFAULT;
    }
    if (bits < BND_RANDOM_BITS_MAX) {
        return bits;
    }
    return BND_RANDOM_BITS_MAX;
}

/* The rule with BND_NAN_DEFAULT replaced by what it means: signed in a conversion, canonical in an operation.
 *
 * Returns: The rule.
 * Arguments: `rule`: the rule. */
static inline bnd_rule bnd_rule_of_conversion(bnd_rule rule)
{
    if (rule.nan == BND_NAN_DEFAULT) {
        rule.nan = BND_NAN_SIGNED;
    }
    return rule;
}
static inline bnd_rule bnd_rule_of_operation(bnd_rule rule)
{
    if (rule.nan == BND_NAN_DEFAULT) {
        rule.nan = BND_NAN_CANONICAL;
    }
    return rule;
}

/* Tells whether a tie at one bit of precision goes to the neighbour with the even code. At more bits both choices
 * agree.
 *
 * Returns: True if so; false for a value set, which has no codes.
 * Arguments: `f`: the format. `rule`: its tie_rule can overrule the format. */
static inline bool bnd_ties_by_code(const bnd_format *f, bnd_rule rule)
{
    bool by_row = rule.tie_rule == BND_TIE_RULE_FORMAT && f->ties == BND_TIES_CODE;
    return f->width != 0 && (by_row || rule.tie_rule == BND_TIE_RULE_CODE);
}

/* Reads the name of a rounding mode: rne rna rtz rup rdn rto sr sr:N sra:N srb:N sr-equal, or a name that P3109, Intel
 * or TestFloat uses.
 *
 * Returns: BND_OK, BND_BAD_NAME or BND_BAD_SYNTAX.
 * Arguments: `rule` (in/out): only `rounding` and `random_bits` are set. `name`: ends with a 0 byte. `why` (out): the
 *     error, or NULL.
 * On failure: `rule` is unchanged. A bare integer is refused, because libraries disagree on its meaning. */
BND_CHECKED bnd_status bnd_rounding_parse(bnd_rule *rule, const char *name, bnd_error *why);

/* Reads the name of an overflow policy, or of a NaN policy.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `rule` (in/out): only `overflow`, or only `nan`, is set. `name`: ends with a 0 byte. `why` (out): the
 *     error, or NULL.
 * On failure: `rule` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_overflow_parse(bnd_rule *rule, const char *name, bnd_error *why);
BND_CHECKED bnd_status bnd_nan_parse(bnd_rule *rule, const char *name, bnd_error *why);

/* Checks that every member of a rule is a value of its enum, that there are at most BND_RANDOM_BITS_MAX random bits,
 * and that reserved is zero. Calls on arrays check this. Calls on single numbers cannot fail: they use a valid choice
 * instead, and do not look at reserved.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `rule`: the rule. `why` (out): the error, or NULL.
 * On failure: The message names the member and its value. */
BND_CHECKED bnd_status bnd_rule_check(bnd_rule rule, bnd_error *why);

/* The name of a rounding mode as bnd_rounding_parse reads it, "rne", and what it does, "to nearest, ties to even".
 *
 * Returns: The text; "" for a number that is not a rounding mode. Never NULL.
 * Arguments: `rounding`: the mode. */
const char *bnd_rounding_name(bnd_rounding rounding);
const char *bnd_rounding_title(bnd_rounding rounding);

/* The name of an overflow policy, as bnd_overflow_parse reads it.
 *
 * Returns: The text; "" for a number that is not a policy. Never NULL.
 * Arguments: `overflow`: the policy. */
const char *bnd_overflow_name(bnd_overflow overflow);

/* The name of a NaN policy, as bnd_nan_parse reads it.
 *
 * Returns: The text; "" for a number that is not a policy. Never NULL.
 * Arguments: `nan`: the policy. */
const char *bnd_nan_name(bnd_nan nan);

/* ---- a result ---- */

typedef enum bnd_flag {
    BND_FLAG_INEXACT = 1,   /* the first five are TestFloat's */
    BND_FLAG_UNDERFLOW = 2, /* tiny and inexact */
    BND_FLAG_OVERFLOW = 4,
    BND_FLAG_DIVBYZERO = 8,
    BND_FLAG_INVALID = 16,
    BND_FLAG_SATURATED = 32, /* too large, and replaced by the largest number */
    BND_FLAG_TO_ZERO = 64,   /* what is not zero counts as zero: by rounding, flush_in or flush_out */
    BND_FLAG_ALL = 127
} bnd_flag;

typedef struct bnd_result {
    uint64_t code;
    uint32_t flags;
    int32_t ternary; /* sign of (rounded - exact); 0 for NaN */
} bnd_result;

/* The name of the lowest flag that is set.
 *
 * Returns: "inexact" and so on; "" if no flag is set. Never NULL.
 * Arguments: `flag`: BND_FLAG_ constants, ORed. */
const char *bnd_flag_name(uint32_t flag);

/* ---- dialects: the rules of ecosystems ---- */

/* The number of dialects. A dialect is the rule of an ecosystem.
 *
 * Returns: The number of rows. */
size_t bnd_dialect_count(void);

/* The name of a dialect ("ml_dtypes", "cuda-satfinite") and the software that follows it.
 *
 * Returns: The text; "" if the row does not exist. Never NULL.
 * Arguments: `dialect`: 0 .. bnd_dialect_count() - 1. */
const char *bnd_dialect_name(size_t dialect);
const char *bnd_dialect_title(size_t dialect);

/* The rule of a dialect for one format.
 *
 * Returns: True if the dialect has a rule for this format; false, with `rule` unchanged, if not.
 * Arguments: `rule` (out): the rule. `dialect`: 0 .. bnd_dialect_count() - 1. `f`: the format. */
bool bnd_dialect_rule(bnd_rule *rule, size_t dialect, const bnd_format *f);

/* Where a dialect's rule for one format was read: a file and a function, or a standard and its section; then often a
 * blank and the address of a page or a thread about it, which begins with https.
 *
 * Returns: The text; "" if the dialect has no rule for the format. Never NULL.
 * Arguments: `dialect`: 0 .. bnd_dialect_count() - 1. `f`: the format. */
const char *bnd_dialect_source(size_t dialect, const bnd_format *f);

/* Reads the name of a dialect.
 *
 * Returns: BND_OK or BND_BAD_NAME.
 * Arguments: `dialect` (out): its row. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `dialect` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_dialect_parse(size_t *dialect, const char *name, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
