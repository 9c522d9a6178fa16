/* Values as hexadecimal floats, codes as bits and as hexadecimal numbers. */
#include "text/decimal.h"

/* The leading one is always before the point, for subnormals too. */
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
    for (bool leading = false; !leading; exponent--) { /* until the leading one is shifted out */
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

/* A field of the code, separated from the text before it. */
static void write_field(bndi_text *out, const bnd_format *f, uint64_t code, bnd_field field)
{
    unsigned lowest = 0, count = f->fraction_bits;
    if (field == BND_FIELD_SIGN) {
        lowest = bnd_magnitude_bits(f);
        count = f->is_signed;
    } else if (field == BND_FIELD_EXPONENT) {
        lowest = f->fraction_bits;
        count = f->exponent_bits;
    }
    if (count > 0 && out->length > 0) {
        bndi_text_char(out, ' ');
    }
    for (unsigned i = count; i > 0; i--) {
        bndi_text_char(out, (code >> (lowest + i - 1) & 1) != 0 ? '1' : '0');
    }
}

size_t bnd_print_field(char *out, size_t size, const bnd_format *f, uint64_t code, bnd_field field)
{
    bndi_text text = bndi_text_in(out, size);
    if (f->width > 0 && (unsigned)field < BND_FIELD_COUNT) {
        write_field(&text, f, code, field);
    }
    return text.length;
}

size_t bnd_print_bits(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    bndi_text text = bndi_text_in(out, size);
    if (f->width > 0) {
        write_field(&text, f, code, BND_FIELD_SIGN);
        write_field(&text, f, code, BND_FIELD_EXPONENT);
        write_field(&text, f, code, BND_FIELD_FRACTION);
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
