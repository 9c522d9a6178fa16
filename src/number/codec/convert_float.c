/* fp32 to the codes of one format and back, a call per format. Each is a conversion of the codec. */
#include "codec/codec.h"

#define CONVERSIONS(name, row, type)                                                                                   \
    type bnd_##name##_from_float(float x)                                                                              \
    {                                                                                                                  \
        return (type)bnd_encode_float(bnd_format_at(row), x, (bnd_rule){0}, 0).code;                                   \
    }                                                                                                                  \
    type bnd_##name##_from_float_saturated(float x)                                                                    \
    {                                                                                                                  \
        return (type)bnd_encode_float(bnd_format_at(row), x, (bnd_rule){.overflow = BND_OVERFLOW_SATURATE}, 0).code;   \
    }                                                                                                                  \
    float bnd_##name##_to_float(type code)                                                                             \
    {                                                                                                                  \
        return (float)bnd_decode(bnd_format_at(row), code);                                                            \
    }

CONVERSIONS(fp16, BND_FORMAT_FP16, uint16_t)
CONVERSIONS(bf16, BND_FORMAT_BF16, uint16_t)
CONVERSIONS(tf32, BND_FORMAT_TF32, uint32_t)
CONVERSIONS(e4m3, BND_FORMAT_E4M3, uint8_t)
CONVERSIONS(e5m2, BND_FORMAT_E5M2, uint8_t)
CONVERSIONS(e4m3fnuz, BND_FORMAT_E4M3FNUZ, uint8_t)
CONVERSIONS(e5m2fnuz, BND_FORMAT_E5M2FNUZ, uint8_t)
CONVERSIONS(e2m1, BND_FORMAT_E2M1, uint8_t)
CONVERSIONS(e2m3, BND_FORMAT_E2M3, uint8_t)
CONVERSIONS(e3m2, BND_FORMAT_E3M2, uint8_t)
CONVERSIONS(e8m0, BND_FORMAT_E8M0, uint8_t)
