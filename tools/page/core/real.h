/* What real.c and expression.c share: a value of the WebAssembly is a quotient of integers, or not known. */
#ifndef BINADE_PAGE_REAL_H
#define BINADE_PAGE_REAL_H

#include "quotient.h"
#include <binade-lab/calc.h>

struct bnd_real {
    bnd_known known; /* BND_KNOWN_EXACTLY or BND_KNOWN_NOT */
    quotient value;
    pool memory; /* of the value */
};

/* NULL where there is no memory. Its value is not known. */
bnd_real *page_real_new(bnd_error *why);

#endif
