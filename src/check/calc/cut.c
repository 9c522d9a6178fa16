/* The first digits of something longer. */
#include "calc/cut.h"

#include <string.h>

void bndi_write_cut(bndi_text *out, const bndi_decimal *decimal)
{
    char buffer[BNDI_CUT + 40];
    bndi_text text = bndi_text_in(buffer, sizeof buffer);
    bool exponent_form = decimal->exponent < -4 || decimal->exponent + 1 >= (int64_t)decimal->count;
    bnd_lab_write_decimal(&text, decimal, exponent_form);
    size_t end = exponent_form ? strcspn(buffer, "e") : text.length;
    bndi_text_bytes(out, buffer, end);
    bndi_text_string(out, "...");
    bndi_text_string(out, buffer + end);
}
