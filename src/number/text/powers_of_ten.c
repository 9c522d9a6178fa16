/* Products and quotients of cut numbers. In the comments d = 2^-(64 words - 1), the last place of a full number with
 * its top bit set, relative to it; errors are counted in d and stay far below 2^60, since exponents stay below 2^28:
 * each of 27 squarings, and the factor of five that may follow it, doubles the error and adds 5 at most. */
#include "base/memory.h"
#include "text/powers_of_ten.h"

bndi_room bndi_room_in(uint64_t *memory, size_t words)
{
    uint64_t *power = memory + BNDI_NUMBER_CAPACITY(words);
    return (bndi_room){.words = words,
                       .number = memory,
                       .power = power,
                       .product = power + words + 3,
                       .number_capacity = BNDI_NUMBER_CAPACITY(words)};
}

/* The dropped part is less than the last place, d of the number that stays; together with an error of e d, (1 + d) (1 +
 * e d) <= 1 + (e + 2) d. */
void bndi_cut_to(bndi_cut *x, size_t words)
{
    uint64_t bits = bndi_natural_bits(&x->natural), most = 64 * (uint64_t)words;
    if (bits > most) {
        bool lost = bndi_natural_shift_right(&x->natural, bits - most);
        x->exponent += (int64_t)(bits - most);
        x->error += lost || x->error > 0 ? 2 : 0;
    }
}

/* out = a * b, cut. The errors add up, except for their product, which is below d. */
static void multiply(bndi_cut *out, const bndi_cut *a, const bndi_cut *b, size_t words)
{
    bndi_natural_multiply(&out->natural, &a->natural, &b->natural);
    out->exponent = a->exponent + b->exponent;
    out->error = a->error + b->error + (a->error > 0 && b->error > 0);
    bndi_cut_to(out, words);
}

static void copy(bndi_cut *out, uint64_t *words, const bndi_cut *x)
{
    memmove(words, x->natural.word, x->natural.size * sizeof *words);
    *out = *x;
    out->natural.word = words;
}

/* Binary exponentiation from the leading bit of the exponent: x -> x^2 or 5 x^2. */
bndi_cut bndi_cut_power_of_five(const bndi_room *room, uint64_t exponent)
{
    unsigned left = 0;
    while (exponent >> left > BNDI_FIVES_IN_WORD) {
        left++;
    }
    bndi_cut power = {.natural =
                          bndi_natural_of(room->power, 0, bndi_power_of_five_word((unsigned)(exponent >> left)))};
    bndi_cut square = {.natural = {.word = room->product}};
    while (left-- > 0) {
        multiply(&square, &power, &power, room->words);
        if ((exponent >> left & 1) != 0) {
            bndi_natural_multiply_word(&square.natural, 5, 0);
            bndi_cut_to(&square, room->words);
        }
        copy(&power, room->power, &square);
    }
    return power;
}

/* x / power, with 64 words + 1 bits at most. An exact quotient is cut by less than one in the last place, 2 d at most
 * (it may have one bit less). Otherwise let x be too small by e d and the power by p d, at most: then the quotient q is
 * too large by p d q < 4 p, and too small by less than 1 + e d (q + 1) < 4 e + 2. Subtracting 4 p + 1 makes it too
 * small, by less than 4 (p + e) + 3 in its last place. */
static void divide(bndi_cut *x, const bndi_room *room, const bndi_cut *power)
{
    bndi_cut dividend;
    copy(&dividend, room->product, x);
    uint64_t bits = bndi_natural_bits(&x->natural), wanted = bndi_natural_bits(&power->natural) + 64 * room->words;
    uint64_t shift = wanted > bits ? wanted - bits : 0;
    bndi_natural_shift_left(&dividend.natural, shift);
    x->natural.word = room->number;
    bndi_natural_divide(&x->natural, &dividend.natural, &power->natural);
    x->exponent -= (int64_t)shift + power->exponent;
    if (x->error > 0 || power->error > 0) {
        bndi_natural_subtract_word(&x->natural, 4 * power->error + 1);
        x->error = 4 * (x->error + power->error) + 4;
    } else {
        x->error = dividend.natural.size > 0 ? 2 : 0;
    }
    bndi_cut_to(x, room->words);
}

void bndi_cut_times_ten(bndi_cut *x, const bndi_room *room, int64_t exponent, const bndi_cut *power)
{
    if (exponent < 0) {
        divide(x, room, power);
    } else {
        bndi_cut product = {.natural = {.word = room->product}};
        multiply(&product, x, power, room->words);
        copy(x, room->number, &product);
    }
    x->exponent += exponent;
}

/* ---- rooms ---- */

static bool try_with_few(bndi_attempt attempt, void *question)
{
    uint64_t memory[BNDI_ROOM_WORDS(BNDI_FEW_WORDS)];
    bndi_room room = bndi_room_in(memory, BNDI_FEW_WORDS);
    return attempt(question, &room);
}

static bool try_with_some(bndi_attempt attempt, void *question)
{
    uint64_t memory[BNDI_ROOM_WORDS(BNDI_SOME_WORDS)];
    bndi_room room = bndi_room_in(memory, BNDI_SOME_WORDS);
    return attempt(question, &room);
}

static bool try_with_many(bndi_attempt attempt, void *question)
{
    uint64_t memory[BNDI_ROOM_WORDS(BNDI_MANY_WORDS)];
    bndi_room room = bndi_room_in(memory, BNDI_MANY_WORDS);
    return attempt(question, &room);
}

bnd_status bndi_try_rooms(bndi_attempt attempt, void *question, size_t least)
{
    bool answered = (least <= BNDI_FEW_WORDS && try_with_few(attempt, question)) ||
                    (least <= BNDI_SOME_WORDS && try_with_some(attempt, question)) ||
                    (least <= BNDI_MANY_WORDS && try_with_many(attempt, question));
    for (size_t words = 4 * BNDI_MANY_WORDS; !answered; words *= 4) {
        uint64_t *memory = words < SIZE_MAX / 64 ? bndi_allocate(BNDI_ROOM_WORDS(words) * sizeof *memory) : NULL;
        if (memory == NULL) {
            return BND_NO_MEMORY;
        }
        bndi_room room = bndi_room_in(memory, words);
        answered = least <= words && attempt(question, &room);
        bndi_release(memory);
    }
    return BND_OK;
}
