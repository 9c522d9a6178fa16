/* A row of formats.def as a constant expression. derive.c computes the same from a layout at run time, for names that
 * are not rows; tests/format compares the two, field by field. */
#ifndef BINADE_SRC_FORMAT_CONSTANT_H
#define BINADE_SRC_FORMAT_CONSTANT_H

#include "format/format.h"

enum { SIGNED = 1, UNSIGNED = 0 };
enum { NO_ZERO = 1, NO_SUBNORMALS = 2, TIES_TO_SIGNIFICAND = 4 };

/* e and m: bits of exponent and fraction; s: bndi_specials; t: the traits above. Codes below are magnitudes. */
#define ROW_ONE(m)                 (UINT64_C(1) << (m))
#define ROW_TOP(e, m)              (ROW_ONE((e) + (m)) - 1)
#define ROW_HAS_ZERO(t)            (((t)&NO_ZERO) == 0)
#define ROW_HAS_SUBNORMALS(m, t)   (((t)&NO_SUBNORMALS) == 0 || ((m) == 0 && ROW_HAS_ZERO(t)))
#define ROW_HIGH_NANS(m, s)        ((s) == BNDI_IEEE ? ROW_ONE(m) - 1 : UINT64_C(0) + ((s) == BNDI_FN))
#define ROW_MAX_CODE(e, m, s)      (ROW_TOP(e, m) - ROW_HIGH_NANS(m, s) - ((s) == BNDI_IEEE))
#define ROW_INFINITY_CODE(e, m, s) ((s) == BNDI_IEEE ? ROW_MAX_CODE(e, m, s) + 1 : 0)
#define ROW_NAN_CODE(e, m, s)                                                                                          \
    ((s) == BNDI_FNUZ   ? ROW_TOP(e, m) + 1                                                                            \
     : (s) == BNDI_IEEE ? ROW_INFINITY_CODE(e, m, s) | ROW_ONE(m) >> 1                                                 \
                        : ((s) == BNDI_FN ? ROW_TOP(e, m) : 0))

/* A finite magnitude as significand * 2^quantum. */
#define ROW_IS_SUBNORMAL(code, m, t)  (ROW_HAS_SUBNORMALS(m, t) && (code) >> (m) == 0)
#define ROW_SIGNIFICAND(code, m, t)   (((code) & (ROW_ONE(m) - 1)) | (ROW_IS_SUBNORMAL(code, m, t) ? 0 : ROW_ONE(m)))
#define ROW_QUANTUM(code, m, bias, t) ((int32_t)((code) >> (m)) + ROW_IS_SUBNORMAL(code, m, t) - (bias) - (m))
#define ROW_LEAST(t)                  (UINT64_C(0) + ROW_HAS_ZERO(t)) /* the code of the smallest positive number */
#define ROW_EMIN(m, bias, t)          (ROW_HAS_SUBNORMALS(m, t) - (bias))
#define ROW_UNBIAS(m, bias)           ((UINT64_C(1) - (uint64_t)(bias)) * ROW_ONE(m))
#define ROW_IS_QUICK(e, m, s)         ((m) > 0 && (m) <= BNDI_QUICK_FRACTION_MAX && ROW_MAX_CODE(e, m, s) >= ROW_ONE(m))

/* The largest number of every row is a normal one, so that its significand has m + 1 bits. */
#define FORMAT_CONSTANT(id, sign, e, m, b, s, t)                                                                       \
    {                                                                                                                  \
        .name = #id, .row = ROW_##id, .width = (sign) + (e) + (m), .exponent_bits = (e), .fraction_bits = (m),         \
        .precision = (m) + 1, .is_signed = (sign), .has_zero = ROW_HAS_ZERO(t),                                        \
        .has_negative_zero = (sign) && ROW_HAS_ZERO(t) && (s) != BNDI_FNUZ,                                            \
        .has_subnormals = ROW_HAS_SUBNORMALS(m, t), .has_infinity = (s) == BNDI_IEEE,                                  \
        .has_nan = (s) == BNDI_FNUZ || ROW_HIGH_NANS(m, s) > 0, .zero_nan = (s) == BNDI_FNUZ,                          \
        .ieee_nans = (s) == BNDI_IEEE, .ties = ((t)&TIES_TO_SIGNIFICAND) != 0 ? BND_TIES_SIGNIFICAND : BND_TIES_CODE,  \
        .bias = (b), .emin = ROW_EMIN(m, b, t), .emax = ROW_QUANTUM(ROW_MAX_CODE(e, m, s), m, b, t) + (m),             \
        .internal = {.sign_code = (sign) ? ROW_ONE((e) + (m)) : 0,                                                     \
                     .exponent_mask = 0 - ROW_ONE(m),                                                                  \
                     .normals = ROW_MAX_CODE(e, m, s) - ROW_ONE(m),                                                    \
                     .unbias = ROW_UNBIAS(m, b),                                                                       \
                     .unbias_twice = ROW_UNBIAS(m, b) - (m)*ROW_ONE(m),                                                \
                     .quick_modes = ROW_IS_QUICK(e, m, s) ? BND_ROUND_DETERMINISTIC_COUNT : 0},                        \
        .high_nans = ROW_HIGH_NANS(m, s), .max_code = ROW_MAX_CODE(e, m, s),                                           \
        .infinity_code = ROW_INFINITY_CODE(e, m, s), .nan_code = ROW_NAN_CODE(e, m, s),                                \
        .max_significand = ROW_SIGNIFICAND(ROW_MAX_CODE(e, m, s), m, t),                                               \
        .normal_significand = ROW_HAS_SUBNORMALS(m, t) ? ROW_ONE(m) : ROW_SIGNIFICAND(ROW_LEAST(t), m, t),             \
        .least_significand = ROW_SIGNIFICAND(ROW_LEAST(t), m, t),                                                      \
        .max_quantum = ROW_QUANTUM(ROW_MAX_CODE(e, m, s), m, b, t),                                                    \
        .normal_quantum = ROW_HAS_SUBNORMALS(m, t) ? ROW_EMIN(m, b, t) - (m) : ROW_QUANTUM(ROW_LEAST(t), m, b, t),     \
        .least_quantum = ROW_QUANTUM(ROW_LEAST(t), m, b, t),                                                           \
    }

#endif
