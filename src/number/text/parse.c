/* Converts text to 128 bits and a sticky bit, in time linear in the length of the text. */
#include "text/parse.h"
#include "base/base.h"
#include "codec/codec.h"
#include "text/leading_bits.h"
#include "text/scanned.h"

/* No format has a number beyond 10^+-FARTHEST_DECIMAL: 2^(2^29 + 64) < 10^161614300. */
enum { FARTHEST_DECIMAL = 161700000 };

/* The number of digits that decide. The result is floor(x / 2^q) with 2^127 <= x / 2^q < 2^128, and whether that is
 * exact. Let 10^a <= x < 10^(a+1), so q >= floor(a log2(10)) - 127. A multiple of 2^q is a multiple of 10^min(q, 0), so
 * if digits are kept down to that place at least, no multiple of 2^q lies strictly between the kept digits and the same
 * with one more in the last place: all digits after them may be replaced by a single nonzero digit, if any of them is
 * not zero. The places from 10^a down to 10^min(q, 0) are
 *     a >= 0:  a + 1 + max(0, -q) <= a + 128                            since -q <= 127 - 3a
 *     a <  0:  a + 1 - q <= a + 129 + |a| log2(10) <= 129 + 7|a| / 3    since log2(10) - 1 < 7/3
 * (one more in the second line for the floor). */
static uint64_t deciding_digits(int64_t leading)
{
    return leading >= 0 ? (uint64_t)leading + 128 : 130 + (uint64_t)(-leading) * 7 / 3;
}

/* The product is exact, and the quotient by one word is cut to 128 bits. */
bnd_exact bndi_exact_from_short(bool negative, uint64_t m, int64_t e)
{
    uint64_t high, low, rest = 0, five = bndi_power_of_five_word((unsigned)(e < 0 ? -e : e));
    if (e >= 0) {
        bndi_multiply(&high, &low, m, five);
        return bnd_lab_exact_from_bits(negative, high, low, e, false);
    }
    unsigned up = bndi_leading_zeros(m, 0), down = bndi_leading_zeros(five, 0);
    m <<= up;
    five <<= down;
    bool halve = m >= five; /* then m / 2 < five, and either way the quotient's top bit is set */
    uint64_t reciprocal = bndi_word_reciprocal(five);
    high = bndi_divide_words(m >> halve, halve ? m << 63 : 0, five, reciprocal, &rest);
    low = bndi_divide_words(rest, 0, five, reciprocal, &rest);
    return bnd_lab_exact_from_bits(negative, high, low, e - 128 + halve + (int64_t)down - (int64_t)up, rest != 0);
}

bool bndi_exact_from_cut(bnd_exact *out, bool negative, const bndi_cut *x)
{
    uint64_t bits = bndi_natural_bits(&x->natural), surplus = bits > 128 ? bits - 128 : 0;
    if (x->error > 0 && bndi_natural_carries(&x->natural, surplus, bndi_cut_width(x))) {
        return false;
    }
    *out = bndi_exact_from_natural(negative, &x->natural, x->exponent, x->error > 0);
    return true;
}

typedef struct decimal_question {
    const bndi_scanned *number;
    int64_t leading;
    bnd_exact answer;
} decimal_question;

/* Reads as many digits as the room can hold, or all that decide. If the room is the limit, a nonzero digit is left out:
 * the number is then larger by less than one unit in the last place read, and has more bits than the room. */
static bool read_decimal(void *question, const bndi_room *room)
{
    decimal_question *q = question;
    uint64_t deciding = deciding_digits(q->leading), fill = (uint64_t)room->words * 64 * 30103 / 100000 + 2;
    size_t kept = q->number->count;
    kept = kept > deciding ? (size_t)deciding : kept;
    bool one_more = kept < q->number->count && kept <= fill;
    kept = kept > fill ? (size_t)fill : kept;
    bndi_cut x = {.natural = bndi_digits_as_natural(room->number, q->number, kept)};
    if (one_more) {
        bndi_natural_multiply_word(&x.natural, 10, 1);
    }
    x.error = kept < q->number->count && !one_more;
    bndi_cut_to(&x, room->words);
    int64_t exponent = q->leading - (int64_t)kept - one_more + 1;
    bndi_cut power = bndi_cut_power_of_five(room, (uint64_t)(exponent < 0 ? -exponent : exponent));
    bndi_cut_times_ten(&x, room, exponent, &power);
    return bndi_exact_from_cut(&q->answer, q->number->negative, &x);
}

/* 10^least and 10^most: magnitudes beyond these limits saturate. */
static bnd_status exact_from_decimal(bnd_exact *out, const bndi_scanned *number, int64_t least, int64_t most,
                                     bnd_error *why)
{
    enum { SHORT = 19 };
    int64_t leading = number->exponent + (int64_t)number->count - 1, e = number->exponent;
    if (leading > most || leading < least) {
        *out = bndi_exact_farthest(number->negative, leading > 0);
        return BND_OK;
    }
    if (number->count <= SHORT && e <= BNDI_FIVES_IN_WORD && e >= -BNDI_FIVES_IN_WORD) {
        uint64_t word = 0;
        (void)bndi_digits_as_natural(&word, number, number->count);
        *out = bndi_exact_from_short(number->negative, word, e);
        return BND_OK;
    }
    decimal_question question = {.number = number, .leading = leading};
    if (bndi_try_rooms(read_decimal, &question, 0) != BND_OK) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the number's %zu digits", number->count);
    }
    *out = question.answer;
    return BND_OK;
}

/* The first 32 digits fill 128 bits except for the leading zero bits of the first digit; a 33rd digit fills those. */
static bnd_exact exact_from_hex(const bndi_scanned *number)
{
    char digits[33];
    size_t used = number->count < sizeof digits ? number->count : sizeof digits;
    bnd_lab_copy_digits(digits, number, 0, used);
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
    return bnd_lab_exact_from_bits(number->negative, high, low, exponent, rest);
}

/* The fraction of a NaN is in `high`, as the 52 bits of an fp64, left-aligned. */
static bnd_exact exact_nan(const bndi_scanned *number)
{
    bool quiet = number->kind == BNDI_NUMBER_NAN;
    return (bnd_exact){.high = number->payload << (63 - BNDI_PAYLOAD_BITS) | (uint64_t)quiet << 63,
                       .kind = quiet ? BND_KIND_QUIET_NAN : BND_KIND_SIGNALING_NAN,
                       .negative = number->negative};
}

/* The scanned number as an exact value, with magnitudes limited to 10^least .. 10^most. */
static bnd_status exact_from_scanned(bnd_exact *out, const bndi_scanned *number, int64_t least, int64_t most,
                                     bnd_error *why)
{
    switch (number->kind) {
    case BNDI_NUMBER_INFINITE:
        *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = number->negative};
        return BND_OK;
    case BNDI_NUMBER_NAN:
    case BNDI_NUMBER_SIGNALING_NAN:
        *out = exact_nan(number);
        return BND_OK;
    case BNDI_NUMBER_DECIMAL:
    case BNDI_NUMBER_HEX:
        break;
    }
    if (number->count == 0) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = number->negative};
        return BND_OK;
    }
    if (number->kind == BNDI_NUMBER_HEX) {
        *out = exact_from_hex(number);
        return BND_OK;
    }
    return exact_from_decimal(out, number, least, most, why);
}

bnd_status bnd_number_parse_n(bnd_number *out, const char *text, size_t length, bnd_error *why)
{
    bndi_scanned number;
    bnd_exact value;
    bnd_status status = bnd_lab_scan_number(&number, text, length, why);
    if (status == BND_OK) {
        status = exact_from_scanned(&value, &number, -FARTHEST_DECIMAL, FARTHEST_DECIMAL, why);
    }
    if (status == BND_OK) {
        *out = (bnd_number){.value = value,
                            .integer = number.integer,
                            .fraction = number.fraction,
                            .integer_length = number.integer_length,
                            .fraction_length = number.fraction_length,
                            .first = number.first,
                            .count = number.count,
                            .exponent = number.exponent,
                            .hexadecimal = number.kind == BNDI_NUMBER_HEX};
    }
    return status;
}

bnd_number bnd_number_of_exact(bnd_exact value)
{
    return (bnd_number){.value = value};
}

bnd_status bnd_parse_exact_n(bnd_exact *out, const char *text, size_t length, bnd_error *why)
{
    bndi_scanned number;
    bnd_status status = bnd_lab_scan_number(&number, text, length, why);
    return status != BND_OK ? status : exact_from_scanned(out, &number, -FARTHEST_DECIMAL, FARTHEST_DECIMAL, why);
}

bnd_status bnd_parse_n(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                       uint64_t random, bnd_error *why)
{
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "%s is a value set and has no codes: use bnd_parse_exact and bnd_round_exact", f->name);
    }
    bndi_scanned number;
    bnd_exact exact;
    bnd_status status = bnd_lab_scan_number(&number, text, length, why);
    if (status == BND_OK) {
        status = exact_from_scanned(&exact, &number, BNDI_LEAST_LEADING, BNDI_MOST_LEADING, why);
    }
    if (status == BND_OK) {
        *out = bnd_encode_exact(f, exact, rule, random);
    }
    return status;
}

bnd_status bnd_parse_exact(bnd_exact *out, const char *text, bnd_error *why)
{
    return bnd_parse_exact_n(out, text, bndi_length(text), why);
}

bnd_status bnd_parse(bnd_result *out, const bnd_format *f, const char *text, bnd_rule rule, uint64_t random,
                     bnd_error *why)
{
    return bnd_parse_n(out, f, text, bndi_length(text), rule, random, why);
}
