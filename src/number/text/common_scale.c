/* Converts binary and decimal numbers to integers on one power of ten. */
#include "base/memory.h"
#include "text/common_scale.h"
#include "text/decimal.h"

bnd_status bndi_refuse_digits(bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the exact difference has more than %d digits", BNDI_MOST_DIGITS);
}

/* ---- the span of digits ---- */

/* The places from the last digit (included) to the first one (excluded). */
typedef struct span {
    int64_t lowest, highest;
} span;

/* The number of decimal digits of an integer of `bits` bits, or one more; |bits| up to 10^7. */
static int64_t decimal_digits(int64_t bits)
{
    return bits * 30103 / 100000 + 1;
}

/* Extends the span by an integer of `bits` bits * 2^two * 10^ten; false if it alone has too many digits. */
static bool take_in(span *all, int64_t bits, int64_t two, int64_t ten)
{
    enum { MOST_TWOS = 4 * BNDI_MOST_DIGITS };
    if (bits == 0) {
        return true;
    }
    if (two > MOST_TWOS || two < -MOST_TWOS) {
        return false;
    }
    int64_t last = ten + (two < 0 ? two : 0), first = ten + decimal_digits(bits + two);
    all->lowest = last < all->lowest ? last : all->lowest;
    all->highest = first > all->highest ? first : all->highest;
    return true;
}

static span no_span(bool units)
{
    return (span){.lowest = units ? 0 : INT64_MAX, .highest = units ? 0 : INT64_MIN};
}

static bool is_short(const span *all)
{
    return all->highest < all->lowest || all->highest - all->lowest <= BNDI_MOST_DIGITS + 1;
}

static int64_t bits_of(bnd_exact x)
{
    uint64_t words[2];
    bndi_natural significand = bndi_natural_of(words, x.high, x.low);
    return x.kind == BND_KIND_FINITE ? (int64_t)bndi_natural_bits(&significand) : 0;
}

/* An upper bound of the words that the parts need, before the digits are read: 10/3 bits per digit. Numbers of more
 * than BNDI_MOST_DIGITS digits are refused before that. */
static size_t words_needed(bnd_exact value, const bndi_scanned *number, bnd_exact whole, bnd_exact unit, bool units)
{
    bool hex = number->kind == BNDI_NUMBER_HEX;
    int64_t count = (int64_t)number->count, read = hex ? 4 * count : count * 10 / 3 + 1;
    span all = no_span(units);
    bool bounded = take_in(&all, bits_of(value), value.exponent, 0) && take_in(&all, bits_of(unit), unit.exponent, 0) &&
                   take_in(&all, bits_of(whole), whole.exponent, 0) &&
                   take_in(&all, read, hex ? number->exponent : 0, hex ? 0 : number->exponent) && is_short(&all);
    int64_t digits = !bounded ? BNDI_MOST_DIGITS + 1 : all.highest < all.lowest ? 0 : all.highest - all.lowest;
    int64_t bits = digits * 10 / 3 + 128;
    return (size_t)BNDI_NATURAL_WORDS(bits > read ? bits : read) + 8;
}

/* ---- the parts ---- */

static void part_of_value(bndi_part *out, uint64_t *words, bnd_exact value)
{
    bool zero = value.kind == BND_KIND_ZERO;
    out->magnitude = bndi_natural_of(words, zero ? 0 : value.high, zero ? 0 : value.low);
    uint64_t zeros = bndi_natural_zeros(&out->magnitude);
    (void)bndi_natural_shift_right(&out->magnitude, zeros);
    out->negative = value.negative;
    out->two = value.exponent + (int64_t)zeros;
    out->ten = 0;
}

static void part_of_number(bndi_part *out, uint64_t *words, const bndi_scanned *number)
{
    bool hex = number->kind == BNDI_NUMBER_HEX;
    out->magnitude = bndi_digits_as_natural(words, number, number->count);
    out->negative = number->negative;
    out->two = hex ? number->exponent : 0;
    out->ten = hex ? 0 : number->exponent;
}

static bool take_part(span *all, const bndi_part *part)
{
    return take_in(all, (int64_t)bndi_natural_bits(&part->magnitude), part->two, part->ten);
}

static void bring_to_place(bndi_part *part, int64_t place)
{
    int64_t fives = 0;
    if (part->two < 0) { /* 2^-n = 5^n 10^-n */
        fives = -part->two;
        part->ten += part->two;
        part->two = 0;
    }
    if (part->magnitude.size > 0) {
        bndi_natural_multiply_fives(&part->magnitude, (uint64_t)(fives + part->ten - place));
        bndi_natural_shift_left(&part->magnitude, (uint64_t)(part->two + part->ten - place));
    }
    part->two = 0;
    part->ten = place;
}

/* The text has at most BNDI_MOST_DIGITS digits and an exponent that was not saturated. */
static bool is_bounded(const bndi_scanned *number)
{
    int64_t far = BNDI_EXPONENT_SATURATED / 2;
    return number->count == 0 ||
           (number->count <= BNDI_MOST_DIGITS && number->exponent > -far && number->exponent < far);
}

static bnd_status check(bnd_exact x, const char *name, bnd_error *why)
{
    if (x.kind != BND_KIND_FINITE && x.kind != BND_KIND_ZERO) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the %s must be finite", name);
    }
    return BND_OK;
}

/* The digits as the scanner found them. Not for a number that has only a value and no digits. */
static bndi_scanned digits_of(const bnd_number *number)
{
    return (bndi_scanned){.kind = number->hexadecimal ? BNDI_NUMBER_HEX : BNDI_NUMBER_DECIMAL,
                          .negative = number->value.negative,
                          .integer = number->integer,
                          .fraction = number->fraction,
                          .integer_length = number->integer_length,
                          .fraction_length = number->fraction_length,
                          .first = number->first,
                          .count = number->count,
                          .exponent = number->exponent};
}

bnd_status bndi_parts_open(bndi_parts *parts, bool *fits, bnd_exact value, const bnd_number *number, bnd_exact unit,
                           bool units, bnd_error *why)
{
    bndi_scanned digits = digits_of(number);
    bnd_exact whole = number->count == 0 ? number->value : (bnd_exact){.kind = BND_KIND_ZERO}; /* without digits */
    bnd_status status = check(number->value, "number", why);
    status = status == BND_OK ? check(value, "value", why) : status;
    status = status == BND_OK ? check(unit, "unit", why) : status;
    if (status != BND_OK) {
        return status;
    }
    parts->allocated = NULL;
    *fits = false;
    if (!is_bounded(&digits)) {
        return BND_OK;
    }
    parts->capacity = BNDI_CHUNKS_CAPACITY(words_needed(value, &digits, whole, unit, units));
    uint64_t *words = parts->words;
    if (parts->capacity > BNDI_PART_WORDS) {
        words = parts->allocated = bndi_allocate(3 * parts->capacity * sizeof *words);
        if (words == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu digits", digits.count);
        }
    }
    part_of_value(&parts->value, words, value);
    if (digits.count > 0) {
        part_of_number(&parts->number, words + parts->capacity, &digits);
    } else {
        part_of_value(&parts->number, words + parts->capacity, whole);
    }
    part_of_value(&parts->unit, words + 2 * parts->capacity, unit);
    span all = no_span(units);
    *fits = take_part(&all, &parts->value) && take_part(&all, &parts->number) && take_part(&all, &parts->unit) &&
            is_short(&all);
    int64_t place = all.lowest == INT64_MAX ? 0 : all.lowest;
    if (*fits) {
        bring_to_place(&parts->value, place);
        bring_to_place(&parts->number, place);
        bring_to_place(&parts->unit, place);
    }
    return BND_OK;
}

void bndi_parts_close(bndi_parts *parts)
{
    bndi_release(parts->allocated);
}

bndi_part *bndi_parts_subtract(bndi_parts *parts)
{
    bndi_part *v = &parts->value, *t = &parts->number;
    if (v->negative != t->negative) {
        bndi_natural_add(&v->magnitude, &t->magnitude);
    } else if (bndi_natural_compare(&v->magnitude, &t->magnitude) >= 0) {
        bndi_natural_subtract(&v->magnitude, &t->magnitude);
    } else {
        bndi_natural_subtract(&t->magnitude, &v->magnitude);
        t->negative = !t->negative;
        return t;
    }
    return v;
}
