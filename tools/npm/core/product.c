/* Matrix products and dot products, with the accumulator as a parameter. */
#include "array.h"

EXPORT(product)
bnd_status core_product(float *c, size_t m, size_t n, const float *a, const float *b, size_t k, const char *name,
                        size_t length, uint64_t seed)
{
    const char *accumulator = core_text(name, length);
    bnd_gemm gemm = {.seed = seed};
    if (accumulator == NULL) {
        return core_error.status;
    }
    bnd_status status = bnd_accumulator_parse(&gemm.accumulator, accumulator, &core_error);
    return status == BND_OK ? bnd_gemm_f32(c, m, n, a, b, k, &gemm, &core_error) : status;
}
