/* How a number without an end in decimal is written: by its first digits. Uses no GMP, because the page has none. */
#ifndef BINADE_SRC_CALC_CUT_H
#define BINADE_SRC_CALC_CUT_H

#include "text/decimal.h"

enum { BNDI_CUT = 40 };

/* At most BNDI_CUT digits: d.ddd...e-05, 0.333... */
void bndi_write_cut(bndi_text *out, const bndi_decimal *decimal);

#endif
