/* From the text to 128 bits and a sticky one, in time linear in the text. */
#include <binade/text.h>
#include "base/base.h"
#include "text/big.h"
#include "text/number.h"

#include <stdlib.h>

/* Beyond 10^+-FARTHEST_DECIMAL no format has a number: 2^(2^29 + 64) < 10^161614300. */
enum { FARTHEST_DECIMAL = 161700000 };

/* How many digits decide. The result is floor(x / 2^q) with 2^127 <= x / 2^q < 2^128, and whether that is all of x.
 * Say 10^a <= x < 10^(a+1), so q >= floor(a log2(10)) - 127. A multiple of 2^q is a multiple of 10^min(q, 0), so if
 * digits are kept down to that place at least, no multiple of 2^q lies strictly between the kept digits and the same
 * with one more in the last place: everything behind may be replaced by a single digit that is not zero, if any of it
 * is. The places from 10^a down to 10^min(q, 0) are
 *     a >= 0:  a + 1 + max(0, -q) <= a + 128                            since -q <= 127 - 3a
 *     a <  0:  a + 1 - q <= a + 129 + |a| log2(10) <= 129 + 7|a| / 3    since log2(10) - 1 < 7/3
 * (one more in the second line for the floor). */
static uint64_t deciding_digits(int64_t leading)
{
    return leading >= 0 ? (uint64_t)leading + 128 : 130 + (uint64_t)(-leading) * 7 / 3;
}

static bnd_exact exact_from_digits(bool negative, const char *digits)
{
    bndi_mpfr_state state = bnd_lab_mpfr_begin();
    MPFR_DECL_INIT(x, 128);
    int ternary = mpfr_strtofr(x, digits, NULL, 10, MPFR_RNDZ);
    mpz_t significand;
    mpz_init(significand);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, x);
    bnd_exact exact = bnd_lab_exact_from_integer(negative, significand, exponent, ternary != 0);
    mpz_clear(significand);
    bnd_lab_mpfr_end(state);
    return exact;
}

static bnd_status exact_from_decimal(bnd_exact *out, const bndi_scanned *number, bnd_error *why)
{
    enum { SHORT = 256, EXPONENT_SIZE = 24 };
    int64_t leading = number->exponent + (int64_t)number->count - 1;
    if (leading > FARTHEST_DECIMAL || leading < -FARTHEST_DECIMAL) {
        *out = bndi_exact_farthest(number->negative, leading > 0);
        return BND_OK;
    }
    uint64_t most = deciding_digits(leading);
    bool cut = number->count > most;
    size_t kept = cut ? (size_t)most : number->count;
    char on_stack[SHORT];
    char *digits = on_stack;
    if (kept > SHORT - EXPONENT_SIZE - 1) {
        digits = malloc(kept + 1 + EXPONENT_SIZE);
        if (digits == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the number's %zu digits", kept);
        }
    }
    bndi_copy_digits(digits, number, 0, kept);
    size_t length = kept;
    if (cut) {
        digits[length++] = '1'; /* the last of the digits left out is not zero: trailing zeros do not count */
    }
    int64_t exponent = leading - (int64_t)length + 1;
    bndi_text suffix = bndi_text_in(digits + length, EXPONENT_SIZE);
    bndi_text_char(&suffix, 'e');
    bndi_text_signed(&suffix, exponent);
    *out = exact_from_digits(number->negative, digits);
    if (digits != on_stack) {
        free(digits);
    }
    return BND_OK;
}

/* The first 32 digits fill 128 bits but for the leading zeros of the first digit; a 33rd fills those. */
static bnd_exact exact_from_hex(const bndi_scanned *number)
{
    char digits[33];
    size_t used = number->count < sizeof digits ? number->count : sizeof digits;
    bndi_copy_digits(digits, number, 0, used);
    uint64_t high = 0, low = 0;
    for (size_t i = 0; i < used && i < 32; i++) {
        high = high << 4 | low >> 60;
        low = low << 4 | (uint64_t)bndi_digit_value(digits[i]);
    }
    int64_t exponent = number->exponent + 4 * (int64_t)(number->count - (used < 32 ? used : 32));
    bool rest = number->count > 32;
    if (rest) {
        unsigned last = (unsigned)bndi_digit_value(digits[32]), room = 0;
        while (high >> (63 - room) == 0) {
            room++;
        }
        if (room > 0) {
            high = high << room | low >> (64 - room);
            low = low << room | last >> (4 - room);
        }
        exponent -= room;
        rest = number->count > 33 || (last & ((1U << (4 - room)) - 1)) != 0;
    }
    return bndi_exact_from_bits(number->negative, high, low, exponent, rest);
}

/* A NaN's fraction stands in `high` as an fp64's 52 bits, left-aligned. */
static bnd_exact exact_nan(const bndi_scanned *number)
{
    bool quiet = number->kind == BNDI_NUMBER_NAN;
    return (bnd_exact){.high = number->payload << (63 - BNDI_PAYLOAD_BITS) | (uint64_t)quiet << 63,
                       .kind = quiet ? BND_KIND_QUIET_NAN : BND_KIND_SIGNALING_NAN,
                       .negative = number->negative};
}

bnd_status bnd_parse_exact(bnd_exact *out, const char *text, size_t length, bnd_error *why)
{
    bndi_scanned number;
    bnd_status status = bnd_lab_scan_number(&number, text, length, why);
    if (status != BND_OK) {
        return status;
    }
    switch (number.kind) {
    case BNDI_NUMBER_INFINITE:
        *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = number.negative};
        return BND_OK;
    case BNDI_NUMBER_NAN:
    case BNDI_NUMBER_SIGNALING_NAN:
        *out = exact_nan(&number);
        return BND_OK;
    case BNDI_NUMBER_DECIMAL:
    case BNDI_NUMBER_HEX:
        break;
    }
    if (number.count == 0) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = number.negative};
        return BND_OK;
    }
    if (number.kind == BNDI_NUMBER_HEX) {
        *out = exact_from_hex(&number);
        return BND_OK;
    }
    return exact_from_decimal(out, &number, why);
}

bnd_status bnd_parse(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                     uint64_t random, bnd_error *why)
{
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is a set of values without codes: use bnd_parse_exact and bnd_round_exact", f->name);
    }
    bnd_exact exact;
    bnd_status status = bnd_parse_exact(&exact, text, length, why);
    if (status == BND_OK) {
        *out = bnd_encode_exact(f, exact, rule, random);
    }
    return status;
}
