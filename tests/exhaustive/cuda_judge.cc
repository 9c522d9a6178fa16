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

#define CONVERSION(name, row, dialect, rounding, maker, code)                                                          \
    {name, row, dialect, rounding, [](float x) -> uint32_t { return code; }},

extern "C" {

const cuda_conversion cuda_conversions[] = {
#include "cuda_conversions.def"
};
const size_t cuda_conversion_count = sizeof cuda_conversions / sizeof cuda_conversions[0];
const int cuda_version = CUDART_VERSION;
}
