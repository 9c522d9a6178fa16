/* The tables of explain.def. */
#include "diff/explain.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

#define SCALE(of, name, text, formula, work, power)                                                                    \
    {{name, text}, BNDI_OF_##of, BNDI_BY_##formula, BNDI_IN_##work, BNDI_TO_##power},
#define QUOTIENT(name, text, scale, operation, work)
#define ROUNDING(name, text, rounding)
#define ZERO(name, text, zero)
static const bndi_scale_row scale_rows[] = {
#include "diff/explain.def"
};
#undef SCALE
#undef QUOTIENT

#define SCALE(of, name, text, formula, work, power)
#define QUOTIENT(name, text, scale, operation, work)                                                                   \
    {{name, text}, BNDI_OVER_##scale, BNDI_OP_##operation, BNDI_IN_##work},
static const bndi_quotient_row quotient_rows[] = {
#include "diff/explain.def"
};
#undef QUOTIENT
#undef ROUNDING

#define QUOTIENT(name, text, scale, operation, work)
#define ROUNDING(name, text, rounding) [BNDI_ROUND_##rounding] = {name, text},
static const bnd_made_row rounding_rows[] = {
#include "diff/explain.def"
};
#undef ROUNDING
#undef ZERO

#define ROUNDING(name, text, rounding)
#define ZERO(name, text, zero) [BNDI_ZERO_##zero] = {name, text},
static const bnd_made_row zero_rows[] = {
#include "diff/explain.def"
};

_Static_assert(COUNT(scale_rows) <= BNDI_SCALE_ROWS, "counts have room for all rows");
_Static_assert(COUNT(quotient_rows) == BNDI_QUOTIENTS, "counts have room for all rows");
_Static_assert(COUNT(rounding_rows) == BNDI_ROUNDINGS && COUNT(zero_rows) == BNDI_ZEROS, "a row for each");

size_t bndi_scale_rows(void)
{
    return COUNT(scale_rows);
}

const bndi_scale_row *bndi_scale_row_at(size_t row)
{
    return row < COUNT(scale_rows) ? &scale_rows[row] : NULL;
}

const bndi_quotient_row *bndi_quotient_row_at(size_t row)
{
    return row < COUNT(quotient_rows) ? &quotient_rows[row] : NULL;
}

size_t bnd_made_count(bnd_made part)
{
    switch (part) {
    case BND_MADE_TENSOR:
    case BND_MADE_SCALE:
        return COUNT(scale_rows);
    case BND_MADE_QUOTIENT:
        return COUNT(quotient_rows);
    case BND_MADE_ROUNDING:
        return COUNT(rounding_rows);
    case BND_MADE_ZERO:
        return COUNT(zero_rows);
    case BND_MADE_COUNT:
        break;
    }
    return 0;
}

const bnd_made_row *bnd_made_at(bnd_made part, size_t row)
{
    if (row >= bnd_made_count(part)) {
        return NULL;
    }
    switch (part) {
    case BND_MADE_TENSOR:
    case BND_MADE_SCALE:
        return &scale_rows[row].row;
    case BND_MADE_QUOTIENT:
        return &quotient_rows[row].row;
    case BND_MADE_ROUNDING:
        return &rounding_rows[row];
    case BND_MADE_ZERO:
        return &zero_rows[row];
    case BND_MADE_COUNT:
        break;
    }
    return NULL;
}
