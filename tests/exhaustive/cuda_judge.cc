/* CUDA's conversions as its headers emulate them on the host.
 *
 * C++, because the headers are: c++ -std=c++17 -isystem CUDA/include -Iinclude -c cuda_judge.cc; needs no CUDA library. */
#include "cuda_judge.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>

static uint32_t code_of(__half x)
{
    return static_cast<__half_raw>(x).x;
}

static uint32_t code_of(__nv_bfloat16 x)
{
    return static_cast<__nv_bfloat16_raw>(x).x;
}

template <__nv_saturation_t saturation, __nv_fp8_interpretation_t kind> static uint32_t to_fp8(float x)
{
    return __nv_cvt_float_to_fp8(x, saturation, kind);
}

template <__nv_fp6_interpretation_t kind> static uint32_t to_fp6(float x)
{
    return __nv_cvt_float_to_fp6(x, kind, cudaRoundNearest);
}

static uint32_t to_e2m1(float x)
{
    return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
}

template <__nv_saturation_t saturation, cudaRoundMode mode> static uint32_t to_e8m0(float x)
{
    return __nv_cvt_float_to_e8m0(x, saturation, mode);
}

/* A call of CUDA's that takes a float and no more, as a function that returns the code. */
#define CODE_OF(call) [](float x) -> uint32_t { return code_of(call(x)); }

extern "C" {

const cuda_conversion cuda_conversions[] = {
    {"fp16 rn", "fp16", "cuda-nosat", BND_RNE, CODE_OF(__float2half_rn)},
    {"fp16 rz", "fp16", "cuda-nosat", BND_RTZ, CODE_OF(__float2half_rz)},
    {"fp16 ru", "fp16", "cuda-nosat", BND_RUP, CODE_OF(__float2half_ru)},
    {"fp16 rd", "fp16", "cuda-nosat", BND_RDN, CODE_OF(__float2half_rd)},
    {"bf16 rn", "bf16", "cuda-nosat", BND_RNE, CODE_OF(__float2bfloat16_rn)},
    {"bf16 rz", "bf16", "cuda-nosat", BND_RTZ, CODE_OF(__float2bfloat16_rz)},
    {"bf16 ru", "bf16", "cuda-nosat", BND_RUP, CODE_OF(__float2bfloat16_ru)},
    {"bf16 rd", "bf16", "cuda-nosat", BND_RDN, CODE_OF(__float2bfloat16_rd)},
    {"e4m3 satfinite", "e4m3", "cuda-satfinite", -1, to_fp8<__NV_SATFINITE, __NV_E4M3>},
    {"e4m3 nosat", "e4m3", "cuda-nosat", -1, to_fp8<__NV_NOSAT, __NV_E4M3>},
    {"e5m2 satfinite", "e5m2", "cuda-satfinite", -1, to_fp8<__NV_SATFINITE, __NV_E5M2>},
    {"e5m2 nosat", "e5m2", "cuda-nosat", -1, to_fp8<__NV_NOSAT, __NV_E5M2>},
    {"e2m3", "e2m3", "cuda-satfinite", -1, to_fp6<__NV_E2M3>},
    {"e3m2", "e3m2", "cuda-satfinite", -1, to_fp6<__NV_E3M2>},
    {"e2m1", "e2m1", "cuda-satfinite", -1, to_e2m1},
    {"e8m0 rp satfinite", "e8m0", "cuda-satfinite", -1, to_e8m0<__NV_SATFINITE, cudaRoundPosInf>},
    {"e8m0 rp nosat", "e8m0", "cuda-nosat", -1, to_e8m0<__NV_NOSAT, cudaRoundPosInf>},
    {"e8m0 rz satfinite", "e8m0", "cuda-satfinite-rz", -1, to_e8m0<__NV_SATFINITE, cudaRoundZero>},
    {"e8m0 rz nosat", "e8m0", "cuda-nosat-rz", -1, to_e8m0<__NV_NOSAT, cudaRoundZero>},
};
const size_t cuda_conversion_count = sizeof cuda_conversions / sizeof cuda_conversions[0];
const int cuda_version = CUDART_VERSION;
}
