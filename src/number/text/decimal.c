/* Digits into text: plain, with an exponent, or whichever is easier to read. */
#include "text/decimal.h"
#include "text/number.h"

#include <string.h>

bndi_decimal bndi_decimal_of_digits(bool negative, const char *digits, size_t count, int64_t last_place)
{
    while (count > 1 && digits[count - 1] == '0') {
        count--;
        last_place++;
    }
    return (bndi_decimal){
        .negative = negative, .digits = digits, .count = count, .exponent = last_place + (int64_t)count - 1};
}

uint64_t bndi_plain_digits(const bndi_decimal *decimal)
{
    if (decimal->exponent < 0) {
        return (uint64_t)-decimal->exponent + decimal->count;
    }
    uint64_t before = (uint64_t)decimal->exponent + 1;
    return before > decimal->count ? before : decimal->count;
}

static void write_zeros(bndi_text *out, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        bndi_text_char(out, '0');
    }
}

static void write_plain(bndi_text *out, const bndi_decimal *decimal)
{
    if (decimal->exponent < 0) {
        bndi_text_string(out, "0.");
        write_zeros(out, -decimal->exponent - 1);
        bndi_text_bytes(out, decimal->digits, decimal->count);
        return;
    }
    uint64_t before = (uint64_t)decimal->exponent + 1;
    if (before >= decimal->count) {
        bndi_text_bytes(out, decimal->digits, decimal->count);
        write_zeros(out, (int64_t)(before - decimal->count));
        return;
    }
    bndi_text_bytes(out, decimal->digits, (size_t)before);
    bndi_text_char(out, '.');
    bndi_text_bytes(out, decimal->digits + before, decimal->count - (size_t)before);
}

/* At least two digits of exponent and always its sign, as C and Python write it. */
static void write_with_exponent(bndi_text *out, const bndi_decimal *decimal)
{
    bndi_text_char(out, decimal->digits[0]);
    if (decimal->count > 1) {
        bndi_text_char(out, '.');
        bndi_text_bytes(out, decimal->digits + 1, decimal->count - 1);
    }
    int64_t exponent = decimal->exponent;
    bndi_text_string(out, exponent < 0 ? "e-" : "e+");
    bndi_text_unsigned(out, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, 2);
}

void bnd_lab_write_decimal(bndi_text *out, const bndi_decimal *decimal, bool exponent_form)
{
    if (decimal->negative) {
        bndi_text_char(out, '-');
    }
    if (exponent_form) {
        write_with_exponent(out, decimal);
    } else {
        write_plain(out, decimal);
    }
}

void bnd_lab_write_integer(bndi_text *out, bool negative, const mpz_t integer, int64_t last_place,
                           bnd_notation notation)
{
    enum { MOST_PLAIN_DIGITS = 40 };
    char *digits = mpz_get_str(NULL, 10, integer);
    size_t length = strlen(digits);
    bndi_decimal decimal = bndi_decimal_of_digits(negative, digits, length, last_place);
    bool exponent_form = notation == BND_NOTATION_EXPONENT;
    if (notation == BND_NOTATION_AUTO) {
        exponent_form = decimal.exponent < -4 || bndi_plain_digits(&decimal) > MOST_PLAIN_DIGITS;
    }
    bnd_lab_write_decimal(out, &decimal, exponent_form);
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(digits, length + 1);
}

/* A payload is written where it says something: not the 0 of a quiet NaN, not the 1 of a signaling one. */
static void write_nan(bndi_text *out, bnd_exact value)
{
    bool quiet = value.kind == BND_KIND_QUIET_NAN;
    uint64_t payload = value.high << 1 >> (64 - BNDI_PAYLOAD_BITS);
    bndi_text_string(out, quiet ? "nan" : "snan");
    if (payload != (quiet ? 0 : 1)) {
        bndi_text_string(out, "(0x");
        bndi_text_unsigned(out, payload, 16, 1);
        bndi_text_char(out, ')');
    }
}

bool bndi_write_special(bndi_text *out, bnd_exact value)
{
    bool zero = value.kind == BND_KIND_ZERO || (value.kind == BND_KIND_FINITE && (value.high | value.low) == 0);
    if (value.kind == BND_KIND_FINITE && !zero) {
        return false;
    }
    if (value.negative) {
        bndi_text_char(out, '-');
    }
    if (zero) {
        bndi_text_char(out, '0');
    } else if (value.kind == BND_KIND_INFINITE) {
        bndi_text_string(out, "inf");
    } else {
        write_nan(out, value);
    }
    return true;
}
