/* The first digits of a value: a given number of them, correctly rounded, or the fewest that read back as the value. */
#include "base/memory.h"
#include "text/decimal.h"
#include "text/parse.h"

/* ---- the first digits ---- */

/* The part after the digits, compared with half a unit of the last digit. */
typedef enum rest { NOTHING, LESS_THAN_HALF, HALF, MORE_THAN_HALF } rest;

/* floor(|value| * 10^-place), in the room's number. */
typedef struct leading {
    bndi_natural integer;
    rest rest;
} leading;

/* False if the error of the cut leaves it undecided. */
static bool split(leading *out, bndi_cut *x)
{
    uint64_t width = x->error > 0 ? bndi_cut_width(x) : 0;
    out->integer = x->natural;
    out->rest = NOTHING;
    if (x->exponent >= 0) {
        bndi_natural_shift_left(&out->integer, (uint64_t)x->exponent);
        return x->error == 0;
    }
    uint64_t places = (uint64_t)-x->exponent;
    bool half = (bndi_natural_word_at(&x->natural, places - 1) & 1) != 0;
    bool more = width > 0 || bndi_natural_has_below(&x->natural, places - 1);
    if (width > 0 && bndi_natural_carries(&x->natural, places - 1, width)) {
        return false;
    }
    out->rest = half ? (more ? MORE_THAN_HALF : HALF) : more ? LESS_THAN_HALF : NOTHING;
    (void)bndi_natural_shift_right(&out->integer, places);
    return true;
}

/* value * 10^-place; `power` becomes 5^|place|. */
static bool scale(leading *out, bndi_cut *power, bnd_exact value, int64_t place, const bndi_room *room)
{
    bndi_cut x = {.natural = bndi_natural_of(room->number, value.high, value.low), .exponent = value.exponent};
    *power = bndi_cut_power_of_five(room, (uint64_t)(place < 0 ? -place : place));
    bndi_cut_times_ten(&x, room, -place, power);
    return split(out, &x);
}

/* The exponent of the first digit, or one less: floor of log10 of the leading power of two, log10(2) = 0.301029995664.
 * Up to 2^30 its rounding to ten places changes less than 0.1, and toward 0 and from it is less for both signs. */
static int64_t least_exponent(bnd_exact value)
{
    uint64_t words[2];
    bndi_natural significand = bndi_natural_of(words, value.high, value.low);
    int64_t two = value.exponent + (int64_t)bndi_natural_bits(&significand) - 1;
    return two >= 0 ? two * 3010299956 / 10000000000 : two * 3010299957 / 10000000000 - 1;
}

/* ---- a given number of digits ---- */

typedef struct digits_question {
    bndi_text *out;
    bnd_exact value;
    int64_t place;
    size_t count;
} digits_question;

/* Adds one in the last of `count` chunks, or ten. There is space for one more chunk before the first. */
static void add_unit(uint64_t **chunk, size_t *count, uint64_t unit)
{
    size_t i = *count - 1;
    (*chunk)[i] += unit;
    while ((*chunk)[i] == BNDI_CHUNK_POWER) {
        (*chunk)[i] = 0;
        if (i == 0) {
            --*chunk;
            ++*count;
            (*chunk)[0] = 0;
            i = 1;
        }
        (*chunk)[--i]++;
    }
}

/* To nearest even. If the exponent is one more than least_exponent, there is one digit too many. */
static bndi_chunks round_chunks(uint64_t *chunk, size_t count, const digits_question *q, rest behind)
{
    uint64_t *last = chunk + count - 1;
    size_t digits = count * BNDI_CHUNK_DIGITS - bndi_chunks_of(chunk, count, 0).skip;
    bool surplus = digits > q->count, odd = ((surplus ? *last / 10 : *last) & 1) != 0;
    if (surplus) {
        uint64_t digit = *last % 10;
        bool more = behind != NOTHING;
        *last -= digit;
        behind = digit > 5 || (digit == 5 && more) ? MORE_THAN_HALF
                 : digit == 5                      ? HALF
                 : digit > 0 || more               ? LESS_THAN_HALF
                                                   : NOTHING;
    }
    if (behind == MORE_THAN_HALF || (behind == HALF && odd)) {
        add_unit(&chunk, &count, surplus ? 10 : 1);
    }
    return bndi_chunks_of(chunk, count, q->place);
}

static bool write_digits(void *question, const bndi_room *room)
{
    const digits_question *q = question;
    bndi_cut power;
    leading x;
    if (!scale(&x, &power, q->value, q->place, room)) {
        return false;
    }
    size_t count;
    uint64_t *chunk = bndi_natural_to_chunks(&x.integer, room->number_capacity, &count);
    bndi_chunks c = round_chunks(chunk, count, q, x.rest);
    bndi_write_chunks(q->out, q->value.negative, &c, c.exponent < -4 || c.exponent >= (int64_t)q->count);
    return true;
}

/* The place of the last digit that a value has: 2^-n ends at 10^-n, integers at 10^0 or before. */
static int64_t last_place(bnd_exact value)
{
    uint64_t words[2];
    bndi_natural significand = bndi_natural_of(words, value.high, value.low);
    int64_t exponent = value.exponent + (int64_t)bndi_natural_zeros(&significand);
    return exponent < 0 ? exponent : 0;
}

/* More than 1,216 words are allocated. Formats with codes need that only if thousands of digits are requested. If the
 * allocation fails, the value is written in hexadecimal. */
size_t bnd_print_digits(char *out, size_t size, bnd_exact value, int digits)
{
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    size_t count = digits < 1 ? 1 : digits > BNDI_MOST_DIGITS ? BNDI_MOST_DIGITS : (size_t)digits;
    int64_t first = least_exponent(value), place = first - (int64_t)count + 1, last = last_place(value);
    place = place > last ? place : last;
    digits_question question = {.out = &text, .value = value, .place = place, .count = count};
    size_t words = (size_t)(first - place + 2) * 10 / 3 / 64 + 3;
    if (bndi_try_rooms(write_digits, &question, words) != BND_OK) {
        bndi_write_hex(&text, value);
    }
    return text.length;
}

/* ---- the shortest ---- */

/* 21 digits distinguish all numbers of 64 bits: 10^20 > 2^64. Three more are for choosing the nearer neighbour, and
 * there may be one digit more than these. */
enum { ENOUGH_DIGITS = 21, GUARD_DIGITS = 3, ALL_DIGITS = ENOUGH_DIGITS + GUARD_DIGITS, CHUNKS = 2 };

/* A magnitude cut after `count` digits, the last with the weight 10^place; `more`: other nonzero digits follow. */
typedef struct expansion {
    char digits[CHUNKS * BNDI_CHUNK_DIGITS];
    size_t count;
    int64_t place;
    bool more;
} expansion;

static bool expand(expansion *out, bndi_cut *power, bnd_exact value, const bndi_room *room)
{
    leading x;
    out->place = least_exponent(value) - ALL_DIGITS + 1;
    if (!scale(&x, power, value, out->place, room)) {
        return false;
    }
    uint64_t low = bndi_natural_divide_word(&x.integer, BNDI_CHUNK_POWER);
    bndi_chunk_digits(out->digits, bndi_natural_word_at(&x.integer, 0));
    bndi_chunk_digits(out->digits + BNDI_CHUNK_DIGITS, low);
    size_t skip = 0;
    while (out->digits[skip] == '0') {
        skip++;
    }
    out->count = sizeof out->digits - skip;
    memmove(out->digits, out->digits + skip, out->count);
    out->more = x.rest != NOTHING;
    return true;
}

/* One of the two decimals of `count` digits around the expansion. */
typedef struct candidate {
    char digits[ENOUGH_DIGITS];
    size_t count;
    int64_t last_place;
} candidate;

static candidate candidate_of(const expansion *all, size_t count, bool above)
{
    candidate c = {.count = count, .last_place = all->place + (int64_t)(all->count - count)};
    memcpy(c.digits, all->digits, count);
    if (!above) {
        return c;
    }
    size_t i = count;
    while (i > 0 && c.digits[i - 1] == '9') {
        c.digits[--i] = '0';
    }
    if (i > 0) {
        c.digits[i - 1]++;
    } else {
        c.digits[0] = '1';
        c.last_place++;
    }
    return c;
}

/* The digits after the first `count`, compared with half a unit of the last kept place. */
static rest rest_of(const expansion *all, size_t count)
{
    bool later = all->more;
    for (size_t i = count + 1; i < all->count; i++) {
        later = later || all->digits[i] != '0';
    }
    char next = all->digits[count];
    if (next != '5') {
        return next > '5' ? MORE_THAN_HALF : next == '0' && !later ? NOTHING : LESS_THAN_HALF;
    }
    return later ? MORE_THAN_HALF : HALF;
}

/* The constant data while candidates are tried. */
typedef struct trial {
    const bnd_format *f;
    bnd_exact value;
    expansion all;
    bndi_cut power; /* 5^|all.place| */
    const bndi_room *room;
} trial;

/* The words of the room decide, except for a decimal next to a number of 128 bits, which is read as text. */
static bool read_back(bnd_exact *out, const bndi_decimal *decimal, const trial *t)
{
    int64_t last_place = decimal->exponent - (int64_t)decimal->count + 1;
    if (decimal->count <= BNDI_CHUNK_DIGITS && last_place >= -BNDI_FIVES_IN_WORD && last_place <= BNDI_FIVES_IN_WORD) {
        uint64_t word = 0;
        bndi_natural number = {.word = &word};
        bndi_natural_read(&number, decimal->digits, decimal->count, 10);
        *out = bndi_exact_from_short(decimal->negative, word, last_place);
        return true;
    }
    bndi_cut x = {.natural = {.word = t->room->number}};
    bndi_natural_read(&x.natural, decimal->digits, decimal->count, 10);
    for (int64_t place = last_place; place > t->all.place; place--) {
        bndi_natural_multiply_word(&x.natural, 10, 0);
    }
    bndi_cut_times_ten(&x, t->room, t->all.place, &t->power);
    if (bndi_exact_from_cut(out, decimal->negative, &x)) {
        return true;
    }
    char buffer[ENOUGH_DIGITS + 32];
    bndi_text text = bndi_text_in(buffer, sizeof buffer);
    bnd_lab_write_decimal(&text, decimal, true);
    return bnd_parse_exact_n(out, buffer, text.length, NULL) == BND_OK;
}

static bool reads_back(const candidate *c, const trial *t)
{
    bndi_decimal decimal = bnd_lab_decimal_of_digits(t->value.negative, c->digits, c->count, c->last_place);
    bnd_exact exact;
    if (!read_back(&exact, &decimal, t)) {
        return false;
    }
    bnd_rounded r = bnd_round_exact(t->f, exact, (bnd_rule){0}, 0);
    return r.value.kind == BND_KIND_FINITE && (r.flags & BND_FLAG_OVERFLOW) == 0 &&
           bnd_exact_compare(r.value, t->value) == 0;
}

/* The nearer of the two decimals of `count` digits that read back; false where neither does. */
static bool best_of(candidate *out, size_t count, const trial *t)
{
    candidate below = candidate_of(&t->all, count, false), above = candidate_of(&t->all, count, true);
    rest behind = rest_of(&t->all, count);
    bool odd = ((below.digits[count - 1] - '0') & 1) != 0;
    bool above_is_nearer = behind == MORE_THAN_HALF || (behind == HALF && odd);
    *out = above_is_nearer ? above : below;
    if (reads_back(out, t)) {
        return true;
    }
    *out = above_is_nearer ? below : above;
    return behind != NOTHING && reads_back(out, t);
}

typedef struct shortest_question {
    bndi_text *out;
    const bnd_format *f;
    bnd_exact value;
} shortest_question;

/* A decimal of n digits that reads back has one of n + 1 digits that does: the numbers that read back are an interval
 * with the value in it, and the decimals around the value only come nearer. So the least n is found by binary
 * search. */
static bool write_shortest(void *question, const bndi_room *room)
{
    enum { MOST_PLAIN_EXPONENT = 15 };
    const shortest_question *q = question;
    trial t = {.f = q->f, .value = q->value, .room = room};
    if (!expand(&t.all, &t.power, q->value, room)) {
        return false;
    }
    size_t least = 1, most = ENOUGH_DIGITS;
    candidate best, tried;
    best_of(&best, most, &t);
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (best_of(&tried, middle, &t)) {
            most = middle;
            best = tried;
        } else {
            least = middle + 1;
        }
    }
    bndi_decimal decimal = bnd_lab_decimal_of_digits(q->value.negative, best.digits, best.count, best.last_place);
    bnd_lab_write_decimal(q->out, &decimal, decimal.exponent < -4 || decimal.exponent > MOST_PLAIN_EXPONENT);
    return true;
}

size_t bnd_print_shortest(char *out, size_t size, const bnd_format *f, bnd_exact value)
{
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    shortest_question question = {.out = &text, .f = f, .value = value};
    if (bndi_try_rooms(write_shortest, &question, 0) != BND_OK) {
        bndi_write_hex(&text, value);
    }
    return text.length;
}
