/* Values of the WebAssembly, which has no GMP and MPFR: quotients of integers, their errors and their digits. */
#include "real.h"
#include "calc/cut.h"
#include "text/decimal.h"

#include <binade/codec.h>
#include <math.h>
#include <stdlib.h>

bnd_real *page_real_new(bnd_error *why)
{
    enum { EFFORT = 1 << 22 }; /* a second or so of divisions */
    bnd_real *x = calloc(1, sizeof *x);
    if (x == NULL) {
        (void)bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a number");
        return NULL;
    }
    x->known = BND_KNOWN_NOT;
    x->memory.bits_left = EFFORT;
    return x;
}

void bnd_real_free(bnd_real *x)
{
    if (x != NULL) {
        pool_close(&x->memory);
        free(x);
    }
}

bnd_known bnd_real_known(const bnd_real *x)
{
    return x->known;
}

int bnd_real_sign(const bnd_real *x)
{
    bool zero = x->known != BND_KNOWN_EXACTLY || quotient_is_zero(&x->value);
    return zero ? 0 : x->value.negative ? -1 : 1;
}

bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why)
{
    bnd_real *error = page_real_new(why);
    if (error == NULL) {
        return BND_NO_MEMORY;
    }
    quotient given, minus = quotient_negated(exact->value);
    if (exact->known == BND_KNOWN_EXACTLY && quotient_of_value(&error->memory, &given, value) &&
        quotient_add(&error->memory, &error->value, &given, &minus)) {
        /* a sum with zero is one of the two: it must outlive `exact` */
        bool kept = pool_copy(&error->memory, &error->value.above, &error->value.above, 0) &&
                    pool_copy(&error->memory, &error->value.below, &error->value.below, 0);
        error->known = kept ? BND_KNOWN_EXACTLY : BND_KNOWN_NOT;
    }
    if (error->memory.no_memory) {
        bnd_real_free(error);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the error of a result");
    }
    *out = error;
    return BND_OK;
}

/* The nearest fp64 to x / divisor; NaN if there is none, or if the divisor is not known. */
static double divided(bnd_real *work, const bnd_real *x, bool known, quotient divisor)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    bnd_exact leading;
    known = known && x->known == BND_KNOWN_EXACTLY && quotient_invert(&divisor) &&
            quotient_multiply(&work->memory, &divisor, &x->value, &divisor) &&
            quotient_leading(&work->memory, &leading, &divisor);
    return known ? bnd_decode(fp64, bnd_encode_exact(fp64, leading, (bnd_rule){0}, 0).code) : (double)NAN;
}

double bnd_real_in_units(const bnd_real *x, bnd_exact unit)
{
    bnd_real *work = page_real_new(NULL);
    quotient divisor = {.negative = false};
    double units = NAN;
    if (work != NULL) {
        bool known = quotient_of_value(&work->memory, &divisor, unit);
        units = divided(work, x, known, divisor);
    }
    bnd_real_free(work);
    return units;
}

double bnd_real_quotient(const bnd_real *x, const bnd_real *y)
{
    bnd_real *work = page_real_new(NULL);
    double out = work != NULL ? divided(work, x, y->known == BND_KNOWN_EXACTLY, y->value) : (double)NAN;
    bnd_real_free(work);
    return out;
}

/* ---- how it is written ---- */

/* 5^five = below? */
static bool is_power_of_five(pool *p, const bndi_natural *below, uint64_t *five)
{
    bndi_natural rest, whole, digit, divisor;
    uint64_t word = 5;
    bool done = pool_copy(p, &rest, below, 0);
    divisor = (bndi_natural){.word = &word, .size = 1};
    *five = 0;
    /* 5^27 at once as long as that divides */
    for (unsigned step = BNDI_FIVES_IN_WORD; done && step > 0; step = step > 1 ? 1 : 0) {
        word = bndi_power_of_five_word(step);
        while ((done = pool_divide(p, &whole, &digit, &rest, &divisor)) && digit.size == 0) {
            rest = whole;
            *five += step;
        }
    }
    return done && rest.size == 1 && rest.word[0] == 1;
}

/* above / (5^five 2^-two) as an integer over 10^place. */
static bool write_ending(bndi_text *out, pool *p, const quotient *x, uint64_t five, bnd_notation notation)
{
    const uint64_t twos = x->two < 0 ? (uint64_t)-x->two : 0, place = twos > five ? twos : five;
    bndi_natural power, integer;
    if (!pool_power_of_five(p, &power, place - five) || !pool_multiply(p, &integer, &x->above, &power) ||
        !pool_shift_left(p, &integer, &integer, (uint64_t)((int64_t)place + x->two))) {
        return false;
    }
    const size_t capacity = BNDI_CHUNKS_CAPACITY(integer.size);
    if (!pool_copy(p, &integer, &integer, capacity - integer.size)) {
        return false;
    }
    bndi_write_natural(out, x->negative, &integer, capacity, -(int64_t)place, notation);
    return true;
}

/* The first digits, by an integer that has them and a few more. */
static bool write_endless(bndi_text *out, pool *p, const quotient *x)
{
    const int64_t bits = (int64_t)bndi_natural_bits(&x->above) - (int64_t)bndi_natural_bits(&x->below) + x->two;
    const int64_t scale = BNDI_CUT + 2 - (bits - (bits < 0)) * 30103 / 100000; /* 10^scale x has BNDI_CUT + 1 digits */
    const int64_t two = x->two + scale;
    bndi_natural power, integer, rest, above = x->above, below = x->below;
    if (!pool_power_of_five(p, &power, (uint64_t)(scale < 0 ? -scale : scale)) ||
        !pool_multiply(p, scale < 0 ? &below : &above, scale < 0 ? &below : &above, &power) ||
        !pool_shift_left(p, two < 0 ? &below : &above, two < 0 ? &below : &above, (uint64_t)(two < 0 ? -two : two)) ||
        !pool_divide(p, &integer, &rest, &above, &below)) {
        return false;
    }
    const size_t capacity = BNDI_CHUNKS_CAPACITY(integer.size);
    char digits[8 * BNDI_CHUNK_DIGITS], *first = digits;
    size_t chunks;
    if (integer.size > 4 || !pool_copy(p, &integer, &integer, capacity - integer.size)) {
        return false;
    }
    const uint64_t *chunk = bndi_natural_to_chunks(&integer, capacity, &chunks);
    for (size_t i = 0; i < chunks; i++) {
        bndi_chunk_digits(digits + i * BNDI_CHUNK_DIGITS, chunk[i]);
    }
    while (*first == '0') {
        first++;
    }
    const size_t count = chunks * BNDI_CHUNK_DIGITS - (size_t)(first - digits);
    bndi_write_cut(out, &(bndi_decimal){.negative = x->negative,
                                        .digits = first,
                                        .count = count < BNDI_CUT ? count : BNDI_CUT,
                                        .exponent = (int64_t)count - 1 - scale});
    return true;
}

size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation)
{
    bndi_text text = bndi_text_in(out, size);
    bnd_real *work = x->known == BND_KNOWN_EXACTLY ? page_real_new(NULL) : NULL;
    uint64_t five;
    bool written = false;
    if (work != NULL && quotient_is_zero(&x->value)) {
        bndi_text_char(&text, '0');
        written = true;
    } else if (work != NULL) {
        written = is_power_of_five(&work->memory, &x->value.below, &five)
                      ? write_ending(&text, &work->memory, &x->value, five, notation)
                      : write_endless(&text, &work->memory, &x->value);
    }
    if (!written) {
        bndi_text_char(&text, '?');
    }
    bnd_real_free(work);
    return text.length;
}

/* a 2^bits in 63 bits. */
static bool short_integer(uint64_t *out, const bndi_natural *a, int64_t bits)
{
    const int64_t shift = bits > 0 ? bits : 0;
    const bool is_short = (int64_t)bndi_natural_bits(a) + shift <= 63;
    *out = is_short ? bndi_natural_word_at(a, 0) << shift : 0;
    return is_short;
}

size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x)
{
    bndi_text text = bndi_text_in(out, size);
    uint64_t above, below, rest;
    if (x->known == BND_KNOWN_EXACTLY && short_integer(&above, &x->value.above, x->value.two) &&
        short_integer(&below, &x->value.below, -x->value.two)) {
        for (rest = bndi_natural_word_at(&x->value.below, 0); rest % 5 == 0;) {
            rest /= 5;
        }
        if (rest != 1) { /* else it ends in decimal */
            bndi_text_string(&text, x->value.negative ? "-" : "");
            bndi_text_unsigned(&text, above, 10, 1);
            bndi_text_char(&text, '/');
            bndi_text_unsigned(&text, below, 10, 1);
        }
    }
    return text.length;
}
