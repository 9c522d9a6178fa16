/* Layer 3: one number. Decode, round, encode: slow, obvious, complete. The definition of right. Freestanding: no libc
 * beyond memcpy. */
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

/* Exponents of exact values are from -BND_EXPONENT_MAX to BND_EXPONENT_MAX; what is beyond counts as the end. */
enum { BND_EXPONENT_MAX = 1 << 30 };

/* An exact number: (-1)^negative * (high * 2^64 + low) * 2^exponent. With `sticky` its magnitude is more than that, by
 * less than 2^exponent: enough to round any real number once, if the 128 bits start with a one. Every format here has a
 * precision of at most 64 bits and at most 62 random bits, so 128 bits and a sticky one decide everything.
 * A NaN has its fraction in `high`, the quiet bit topmost. */
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

/* ---- the core: every other call ends here ---- */

/* Rounds any exact value into the format's values. `random`: N bits for the stochastic modes (the lowest N count). */
bnd_rounded bnd_round_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random);

/* The code of a value that is one of the format's own (what bnd_round_exact returns, what bnd_unpack returns). Value
 * sets: 0. */
uint64_t bnd_pack(const bnd_format *f, bnd_exact value);

/* The exact value of a code. Bits above the format's width are ignored. Value sets have no codes: NaN. */
bnd_exact bnd_unpack(const bnd_format *f, uint64_t code);

/* A code of one format rounded into the values of another: bnd_convert before it becomes a code. */
bnd_rounded bnd_round_code(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);

/* ---- encode ---- */

bnd_result bnd_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_float(const bnd_format *f, float x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_int64(const bnd_format *f, int64_t x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_uint64(const bnd_format *f, uint64_t x, bnd_rule rule, uint64_t random);
bnd_result bnd_encode_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random);
bnd_result bnd_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random);

/* ---- decode ---- */

/* The value as a double: exact where fp64 has it (all values of the format, if its precision is at most 53 bits and its
 * magnitudes lie from 2^-1074 to below 2^1024), otherwise rounded to nearest even. The second form says so with flags:
 * those of converting to fp64. */
double bnd_decode(const bnd_format *f, uint64_t code);
double bnd_decode_flags(const bnd_format *f, uint64_t code, uint32_t *flags);

/* ---- exact values from C's own types (never rounded, signaling NaNs kept) ---- */

bnd_exact bnd_exact_double(double x);
bnd_exact bnd_exact_float(float x);
bnd_exact bnd_exact_int64(int64_t x);
bnd_exact bnd_exact_uint64(uint64_t x);

/* Order of two exact values that are not NaN: -1, 0, 1. -0 equals +0. */
int bnd_exact_compare(bnd_exact a, bnd_exact b);

/* The nearest value of the format strictly above (direction > 0) or below x, infinities counted where the format has
 * them. False where there is none, and for NaN. x need not be one of the format's values. */
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
bnd_class bnd_classify(const bnd_format *f, bnd_exact value);
const char *bnd_class_name(bnd_class c); /* "zero", "subnormal", "normal", "infinity", "nan", "signaling nan" */

#ifdef __cplusplus
}
#endif
#endif
