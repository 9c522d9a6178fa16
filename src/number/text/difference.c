/* Numbers of both kinds, 2^e and 10^e, as integers on one scale of powers of ten; the difference written out. */
#include "text/difference.h"
#include "text/decimal.h"

#include <stdlib.h>

bnd_status bndi_refuse_digits(bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the exact difference has more than %d digits", BNDI_MOST_DIGITS);
}

void bnd_lab_scaled_open(bndi_decimal_scaled *scaled)
{
    mpz_init(scaled->integer);
    scaled->two = 0;
    scaled->ten = 0;
}

void bnd_lab_scaled_close(bndi_decimal_scaled *scaled)
{
    mpz_clear(scaled->integer);
}

bnd_status bnd_lab_scaled_from_value(bndi_decimal_scaled *out, bnd_exact value, const char *name, bnd_error *why)
{
    if (value.kind != BND_KIND_FINITE && value.kind != BND_KIND_ZERO) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the %s is not a finite number", name);
    }
    out->two = value.exponent;
    out->ten = 0;
    mpz_set_ui(out->integer, 0);
    if (value.kind == BND_KIND_FINITE && (value.high | value.low) != 0) {
        bndi_significand(out->integer, value);
        mp_bitcnt_t zeros = mpz_scan1(out->integer, 0);
        mpz_tdiv_q_2exp(out->integer, out->integer, zeros);
        out->two += (int64_t)zeros;
    }
    if (value.negative) {
        mpz_neg(out->integer, out->integer);
    }
    return BND_OK;
}

bnd_status bndi_scan_finite(bndi_scanned *out, const char *text, size_t length, bnd_error *why)
{
    bnd_status status = bnd_lab_scan_number(out, text, length, why);
    if (status == BND_OK && out->kind != BNDI_NUMBER_DECIMAL && out->kind != BNDI_NUMBER_HEX) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the text is not a finite number");
    }
    return status;
}

bnd_status bnd_lab_scaled_from_number(bndi_decimal_scaled *out, const bndi_scanned *number, bnd_error *why)
{
    bool hex = number->kind == BNDI_NUMBER_HEX;
    if (number->count > BNDI_MOST_DIGITS || (number->count > 0 && (number->exponent <= -BNDI_EXPONENT_SATURATED / 2 ||
                                                                   number->exponent >= BNDI_EXPONENT_SATURATED / 2))) {
        return bndi_refuse_digits(why);
    }
    char *digits = malloc(number->count + 2);
    if (digits == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu digits", number->count);
    }
    digits[0] = '0';
    bndi_copy_digits(digits + 1, number, 0, number->count);
    digits[number->count + 1] = '\0';
    mpz_set_str(out->integer, digits, hex ? 16 : 10);
    free(digits);
    if (number->negative) {
        mpz_neg(out->integer, out->integer);
    }
    out->two = hex ? number->exponent : 0;
    out->ten = hex ? 0 : number->exponent;
    return BND_OK;
}

/* How many digits an integer of so many bits has, or one more; |bits| up to 10^7. */
static int64_t decimal_digits(int64_t bits)
{
    return bits * 30103 / 100000 + 1;
}

bool bndi_common_place(int64_t *place, bndi_decimal_scaled *const *parts, size_t count, bool units)
{
    enum { MOST_TWOS = 4 * BNDI_MOST_DIGITS };
    int64_t lowest = units ? 0 : INT64_MAX, highest = units ? 0 : INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (mpz_sgn(parts[i]->integer) == 0) {
            continue;
        }
        if (parts[i]->two > MOST_TWOS || parts[i]->two < -MOST_TWOS) {
            return false;
        }
        int64_t last = parts[i]->ten + (parts[i]->two < 0 ? parts[i]->two : 0);
        int64_t bits = (int64_t)mpz_sizeinbase(parts[i]->integer, 2) + parts[i]->two;
        int64_t first = parts[i]->ten + decimal_digits(bits);
        lowest = last < lowest ? last : lowest;
        highest = first > highest ? first : highest;
    }
    *place = lowest == INT64_MAX ? 0 : lowest;
    return highest < lowest || highest - lowest <= BNDI_MOST_DIGITS + 1;
}

void bndi_bring_to_place(bndi_decimal_scaled *part, int64_t place)
{
    if (mpz_sgn(part->integer) == 0) {
        return;
    }
    mpz_t power;
    mpz_init(power);
    if (part->two >= 0) {
        mpz_mul_2exp(part->integer, part->integer, (mp_bitcnt_t)part->two);
    } else { /* 2^-n = 5^n 10^-n */
        mpz_ui_pow_ui(power, 5, (unsigned long)-part->two);
        mpz_mul(part->integer, part->integer, power);
        part->ten += part->two;
    }
    mpz_ui_pow_ui(power, 10, (unsigned long)(part->ten - place));
    mpz_mul(part->integer, part->integer, power);
    part->two = 0;
    part->ten = place;
    mpz_clear(power);
}

/* value - text, in `v`. */
static bnd_status subtract(bndi_decimal_scaled *v, bndi_decimal_scaled *t, bnd_exact value, const char *text,
                           size_t text_length, bool plain, bnd_error *why)
{
    bndi_scanned number;
    bnd_status status = bndi_scan_finite(&number, text, text_length, why);
    if (status == BND_OK) {
        status = bnd_lab_scaled_from_value(v, value, "value", why);
    }
    if (status == BND_OK) {
        status = bnd_lab_scaled_from_number(t, &number, why);
    }
    if (status != BND_OK) {
        return status;
    }
    int64_t place;
    bndi_decimal_scaled *const parts[] = {v, t};
    if (!bndi_common_place(&place, parts, 2, plain)) {
        return bndi_refuse_digits(why);
    }
    bndi_bring_to_place(v, place);
    bndi_bring_to_place(t, place);
    mpz_sub(v->integer, v->integer, t->integer);
    v->ten = place;
    return BND_OK;
}

bnd_status bnd_print_error(size_t *length, char *out, size_t size, bnd_exact value, const char *text,
                           size_t text_length, bnd_notation notation, bnd_error *why)
{
    bndi_decimal_scaled v, t;
    bnd_lab_scaled_open(&v);
    bnd_lab_scaled_open(&t);
    bnd_status status = subtract(&v, &t, value, text, text_length, notation == BND_NOTATION_PLAIN, why);
    if (status == BND_OK) {
        bndi_text written = bndi_text_in(out, size);
        bool negative = mpz_sgn(v.integer) < 0;
        if (mpz_sgn(v.integer) == 0) {
            bndi_text_char(&written, '0');
        } else {
            mpz_abs(v.integer, v.integer);
            bnd_lab_write_integer(&written, negative, v.integer, v.ten, notation);
        }
        *length = written.length;
    }
    bnd_lab_scaled_close(&t);
    bnd_lab_scaled_close(&v);
    return status;
}
