#include "exact_total.h"

#include "base/base.h"
#include "text/decimal.h"
#include "text/leading_bits.h"

#include <stdlib.h>
#include <string.h>

double exact_double(bnd_exact value)
{
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    return bnd_decode(fp64, bnd_encode_exact(fp64, value, (bnd_rule){0}, 0).code);
}

/* 2^-n is 5^n / 10^n: the digits of an integer. */
char *exact_total_text(const exact_total *total)
{
    size_t twos = total->two > 0 ? (size_t)total->two : 0, fives = total->two < 0 ? (size_t)-total->two : 0;
    size_t words = total->magnitude.size + BNDI_NATURAL_WORDS(twos + 3 * fives) + 3;
    size_t capacity = BNDI_CHUNKS_CAPACITY(words), size = 24 * capacity + 64;
    uint64_t *room = malloc(capacity * sizeof *room);
    char *text = malloc(size);
    if (room == NULL || text == NULL || total->magnitude.size == 0) {
        free(room);
        if (text != NULL) {
            strcpy(text, "0");
        }
        return text;
    }
    memcpy(room, total->magnitude.word, total->magnitude.size * sizeof *room);
    bndi_natural natural = {.word = room, .size = total->magnitude.size};
    bndi_natural_shift_left(&natural, twos);
    bndi_natural_multiply_fives(&natural, fives);
    bndi_text out = bndi_text_in(text, size);
    int64_t last_place = total->ten - (int64_t)fives;
    bndi_write_natural(&out, total->negative, &natural, capacity, last_place, BND_NOTATION_AUTO);
    free(room);
    return text;
}

/* ---- products ---- */

/* m * 2^e, where m has at most 24 bits and e is at least -149. */
static uint64_t significand(float x, int *exponent, bool *negative)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    int field = (int)(word >> 23 & 0xff);
    uint32_t fraction = word & 0x7fffff;
    *negative = word >> 31 != 0;
    *exponent = (field > 0 ? field : 1) - 150;
    return field > 0 ? fraction | UINT32_C(1) << 23 : fraction;
}

static void add_at(exact_dot *sum, uint64_t low, uint64_t high, size_t at)
{
    uint64_t carry = 0, parts[2] = {low, high};
    for (size_t i = at; i < DOT_WORDS; i++) {
        uint64_t part = i - at < 2 ? parts[i - at] : 0, before = sum->word[i], with = before + part;
        uint64_t after = with + carry;
        carry = (uint64_t)(with < before) | (uint64_t)(after < with);
        sum->word[i] = after;
    }
}

static void negate(exact_dot *sum)
{
    for (size_t i = 0; i < DOT_WORDS; i++) {
        sum->word[i] = ~sum->word[i];
    }
    add_at(sum, 1, 0, 0);
}

void exact_dot_add(exact_dot *sum, float a, float b)
{
    int ea, eb;
    bool na, nb;
    uint64_t product = significand(a, &ea, &na) * significand(b, &eb, &nb);
    unsigned shift = (unsigned)(ea + eb - DOT_QUANTUM), bits = shift % 64;
    uint64_t low = product << bits, high = bits > 0 ? product >> (64 - bits) : 0;
    if (na != nb) {
        negate(sum); /* s - p = -(-s + p) */
        add_at(sum, low, high, shift / 64);
        negate(sum);
    } else {
        add_at(sum, low, high, shift / 64);
    }
}

exact_total exact_dot_total(const exact_dot *sum, uint64_t *words)
{
    exact_dot magnitude = *sum;
    bool negative = sum->word[DOT_WORDS - 1] >> 63 != 0;
    if (negative) {
        negate(&magnitude);
    }
    memcpy(words, magnitude.word, sizeof magnitude.word);
    size_t size = DOT_WORDS;
    while (size > 0 && words[size - 1] == 0) {
        size--;
    }
    return (exact_total){.magnitude = {.word = words, .size = size}, .negative = negative, .two = DOT_QUANTUM};
}
