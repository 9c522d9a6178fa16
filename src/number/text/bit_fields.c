/* Values as hexadecimal floats, codes as bits and as hexadecimal numbers. */
#include "text/decimal.h"

/* The leading one before the point, whatever the format: subnormals too. */
void bndi_write_hex(bndi_text *out, bnd_exact value)
{
    if (value.negative) {
        bndi_text_char(out, '-');
    }
    uint64_t high = value.high, low = value.low;
    if (value.kind == BND_KIND_ZERO || (high | low) == 0) {
        bndi_text_string(out, "0x0p+0");
        return;
    }
    int64_t exponent = (int64_t)value.exponent + 128;
    for (bool leading = false; !leading; exponent--) { /* until the leading one has left at the top */
        leading = high >> 63 != 0;
        high = high << 1 | low >> 63;
        low <<= 1;
    }
    bndi_text_string(out, "0x1");
    if ((high | low) != 0) {
        bndi_text_char(out, '.');
    }
    while ((high | low) != 0) {
        bndi_text_unsigned(out, high >> 60, 16, 1);
        high = high << 4 | low >> 60;
        low <<= 4;
    }
    bndi_text_string(out, exponent < 0 ? "p-" : "p+");
    bndi_text_unsigned(out, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, 1);
}

size_t bnd_print_hex(char *out, size_t size, bnd_exact value)
{
    bndi_text text = bndi_text_in(out, size);
    if (value.kind == BND_KIND_ZERO || !bndi_write_special(&text, value)) {
        bndi_write_hex(&text, value);
    }
    return text.length;
}

/* `count` bits of the code from the position `lowest` up, set off from what stands before them. */
static void write_field(bndi_text *out, uint64_t code, unsigned lowest, unsigned count)
{
    if (count > 0 && out->length > 0) {
        bndi_text_char(out, ' ');
    }
    for (unsigned i = count; i > 0; i--) {
        bndi_text_char(out, (code >> (lowest + i - 1) & 1) != 0 ? '1' : '0');
    }
}

size_t bnd_print_bits(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    bndi_text text = bndi_text_in(out, size);
    if (f->width > 0) {
        write_field(&text, code, bnd_magnitude_bits(f), f->is_signed);
        write_field(&text, code, f->fraction_bits, f->exponent_bits);
        write_field(&text, code, 0, f->fraction_bits);
    }
    return text.length;
}

size_t bnd_print_code(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    bndi_text text = bndi_text_in(out, size);
    if (f->width > 0) {
        uint64_t mask = f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;
        bndi_text_string(&text, "0x");
        bndi_text_unsigned(&text, code & mask, 16, (f->width + 3u) / 4);
    }
    return text.length;
}
