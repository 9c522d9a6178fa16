/* The exact error of a rounding, with all its digits. */
#include "text/common_scale.h"
#include "text/decimal.h"

bnd_status bnd_print_error(size_t *length, char *out, size_t size, bnd_exact value, const bnd_number *number,
                           bnd_notation notation, bnd_error *why)
{
    bndi_parts parts;
    bool fits;
    bnd_exact no_unit = {.kind = BND_KIND_ZERO};
    bool units = notation == BND_NOTATION_PLAIN;
    bnd_status status = bndi_parts_open(&parts, &fits, value, number, no_unit, units, why);
    if (status != BND_OK) {
        return status;
    }
    if (fits) {
        bndi_text written = bndi_text_in(out, size);
        bndi_part *error = bndi_parts_subtract(&parts);
        if (error->magnitude.size == 0) {
            bndi_text_char(&written, '0');
        } else {
            bndi_write_natural(&written, error->negative, &error->magnitude, parts.capacity, error->ten, notation);
        }
        *length = written.length;
    }
    bndi_parts_close(&parts);
    return fits ? BND_OK : bndi_refuse_digits(why);
}
