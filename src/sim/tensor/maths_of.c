/* Which back end's loops over numbers are used. */
#include "tensor/maths.h"

const bndi_maths *bndi_maths_of(const bnd_context *context)
{
    static const void *const rows[BND_BACKEND_COUNT] = BNDI_ROWS(bndi_maths);
    return bnd_lab_row_of(context, rows);
}
