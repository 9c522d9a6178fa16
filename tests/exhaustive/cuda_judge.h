/* CUDA's own conversions on the host, as a table: the judge that cuda.c asks. Read by C and by C++. */
#ifndef TESTS_EXHAUSTIVE_CUDA_JUDGE_H
#define TESTS_EXHAUSTIVE_CUDA_JUDGE_H

#include <binade/format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_conversion {
    const char *name, *row, *dialect;
    int rounding; /* bnd_rounding where CUDA's call has it in its name, or -1: as the dialect says */
    uint32_t (*convert)(float x);
} cuda_conversion;

extern const cuda_conversion cuda_conversions[];
extern const size_t cuda_conversion_count;
extern const int cuda_version; /* CUDART_VERSION */

#ifdef __cplusplus
}
#endif
#endif
