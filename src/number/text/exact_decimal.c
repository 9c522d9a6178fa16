/* Every digit of a value. An integer is converted to digits by division. The digits after the point are made by
 * multiplication, chunk by chunk from the first, so that only the remaining fraction is stored. */
#include "text/decimal.h"
#include "text/naturals.h"

/* Does integer * 2^exponent, the integer odd and of `bits` bits, have at most BNDI_MOST_DIGITS digits? An integer of b
 * bits has at most 0.30103 b + 1 of them; after the point every power of two takes one digit, of which 0.30103 on
 * average are zeros before the first nonzero digit: 0.69897 * 142000 + 40 < 100000. */
enum { MOST_BITS = 332000, MOST_PLACES = 142000 };

/* The words for formats with codes, which have at most 15 bits of exponent and a bias of at most 2^15: integers below
 * 2^65535, and 32,829 places. A fraction m 2^-n times 10^p is m 5^p 2^(p-n): it loses a bit for each place and grows by
 * 2.33, until its leading bit reaches the point. It is longest there, p = (n - 128) / 3.33, with 0.7 n + 128 bits:
 * shorter than an integer of n bits. */
enum {
    FEW_WORDS = BNDI_CHUNKS_CAPACITY(BNDI_NATURAL_WORDS(65536) + 2),
    MOST_WORDS = BNDI_CHUNKS_CAPACITY(BNDI_NATURAL_WORDS(MOST_BITS) + 2)
};

/* The fraction natural * 2^-places whose digits are written. */
typedef struct fraction {
    bndi_natural natural;
    uint64_t places;
} fraction;

/* The next nineteen places, as an integer. */
static uint64_t next_places(fraction *x)
{
    bndi_natural_multiply_word(&x->natural, bndi_power_of_five_word(BNDI_CHUNK_DIGITS), 0);
    if (x->places < BNDI_CHUNK_DIGITS) { /* the last ones */
        uint64_t last = bndi_natural_word_at(&x->natural, 0) << (BNDI_CHUNK_DIGITS - x->places);
        x->natural.size = 0;
        return last;
    }
    x->places -= BNDI_CHUNK_DIGITS;
    uint64_t chunk = bndi_natural_word_at(&x->natural, x->places);
    bndi_natural_keep_below(&x->natural, x->places);
    return chunk;
}

/* The digits without leading zeros; returns their number. */
static size_t first_digits(char *out, uint64_t chunk)
{
    bndi_chunk_digits(out, chunk);
    size_t zeros = 0;
    while (out[zeros] == '0') {
        zeros++;
    }
    for (size_t i = zeros; i < BNDI_CHUNK_DIGITS; i++) {
        out[i - zeros] = out[i];
    }
    return BNDI_CHUNK_DIGITS - zeros;
}

/* The digits of the integer before the point, up to 39. */
static size_t integer_digits(char *out, bndi_natural *integer)
{
    uint64_t chunks[3];
    size_t count = 0, length = 0;
    for (; integer->size > 0; count++) {
        chunks[count] = bndi_natural_divide_word(integer, BNDI_CHUNK_POWER);
    }
    while (count > 0) {
        count--;
        if (length == 0) {
            length = first_digits(out, chunks[count]);
        } else {
            bndi_chunk_digits(out + length, chunks[count]);
            length += BNDI_CHUNK_DIGITS;
        }
    }
    return length;
}

/* The first digits of a nonzero fraction; *exponent is that of the first digit. Leading zeros that are known without a
 * product are skipped at once: x < 2^(bits - places) <= 10^-zeros. */
static size_t leading_digits(char *out, int64_t *exponent, fraction *x)
{
    uint64_t zeros = (x->places - bndi_natural_bits(&x->natural)) * 30102 / 100000, chunk;
    bndi_natural_multiply_fives(&x->natural, zeros);
    x->places -= zeros;
    while ((chunk = next_places(x)) == 0) {
        zeros += BNDI_CHUNK_DIGITS;
    }
    size_t length = first_digits(out, chunk);
    *exponent = -(int64_t)(zeros + BNDI_CHUNK_DIGITS - length) - 1;
    return length;
}

/* x, which is odd * 2^-places: `places` digits after the point, the last of them a 5. */
static void write_fraction(bndi_text *out, bool negative, fraction *x, bnd_notation notation)
{
    uint64_t words[3];
    char digits[3 * BNDI_CHUNK_DIGITS];
    int64_t places = (int64_t)x->places, exponent;
    bndi_natural integer = bndi_natural_of(words, bndi_natural_word_at(&x->natural, x->places + 64),
                                           bndi_natural_word_at(&x->natural, x->places));
    bndi_natural_keep_below(&x->natural, x->places);
    size_t length = integer_digits(digits, &integer);
    exponent = (int64_t)length - 1;
    if (length == 0) {
        length = leading_digits(digits, &exponent, x);
    }
    bool exponent_form = bnd_lab_has_exponent_form(notation, (uint64_t)(exponent + places + 1), exponent);
    bndi_decimal_writer w = bndi_decimal_begin(out, negative, exponent, exponent_form);
    bndi_decimal_digits(&w, digits, length);
    while (x->natural.size > 0) {
        bndi_chunk_digits(digits, next_places(x));
        bndi_decimal_digits(&w, digits, BNDI_CHUNK_DIGITS);
    }
    bndi_decimal_end(&w);
}

/* The value to be written, with trailing zero bits moved into the exponent. */
typedef struct dyadic {
    bool negative;
    uint64_t high, low;
    int64_t exponent;
    bnd_notation notation;
} dyadic;

static void write_dyadic(bndi_text *out, const dyadic *x, uint64_t *memory, size_t words)
{
    bndi_natural natural = bndi_natural_of(memory, x->high, x->low);
    if (x->exponent >= 0) {
        bndi_natural_shift_left(&natural, (uint64_t)x->exponent);
        bndi_write_natural(out, x->negative, &natural, words, 0, x->notation);
    } else {
        fraction below = {.natural = natural, .places = (uint64_t)-x->exponent};
        write_fraction(out, x->negative, &below, x->notation);
    }
}

static void write_with_few(bndi_text *out, const dyadic *x)
{
    uint64_t memory[FEW_WORDS];
    write_dyadic(out, x, memory, FEW_WORDS);
}

/* Used only for value sets: takes 41 KiB of the stack. */
static void write_with_most(bndi_text *out, const dyadic *x)
{
    uint64_t memory[MOST_WORDS];
    write_dyadic(out, x, memory, MOST_WORDS);
}

size_t bnd_print_exact(char *out, size_t size, bnd_exact value, bnd_notation notation)
{
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    uint64_t words[3];
    bndi_natural odd = bndi_natural_of(words, value.high, value.low);
    uint64_t zeros = bndi_natural_zeros(&odd);
    (void)bndi_natural_shift_right(&odd, zeros);
    dyadic x = {.negative = value.negative,
                .high = bndi_natural_word_at(&odd, 64),
                .low = bndi_natural_word_at(&odd, 0),
                .exponent = (int64_t)value.exponent + (int64_t)zeros,
                .notation = notation};
    int64_t bits = (int64_t)bndi_natural_bits(&odd);
    bool few = x.exponent >= 0 ? x.exponent + bits <= 65536 : x.exponent >= -65536;
    if (x.exponent >= 0 ? bits + x.exponent > MOST_BITS : x.exponent < -MOST_PLACES) {
        bndi_write_hex(&text, value);
    } else if (few) {
        write_with_few(&text, &x);
    } else {
        write_with_most(&text, &x);
    }
    return text.length;
}
