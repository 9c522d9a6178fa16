/* Which back end makes the loops over numbers. */
#include "tensor/maths.h"

const bndi_maths *bndi_maths_of(const bnd_context *context)
{
    unsigned asked = context->backend, here = bnd_backend_here((bnd_backend)asked) ? asked : BND_BACKEND_BEST;
    bnd_backend backend = here == BND_BACKEND_BEST ? bnd_backend_best() : (bnd_backend)here;
    switch (backend) {
#if defined(BNDI_WITH_AVX512)
    case BND_BACKEND_AVX512:
        return &bndi_maths_avx512;
#endif
#if defined(BNDI_WITH_AVX2)
    case BND_BACKEND_AVX2:
        return &bndi_maths_avx2;
#endif
    default:
        return &bndi_maths_portable;
    }
}
