/* Schoolbook arithmetic, word by word: the numbers here are too short for faster algorithms to pay. */
#include "base/memory.h"
#include "text/naturals.h"
#include "codec/codec.h"

static void trim(bndi_natural *a)
{
    while (a->size > 0 && a->word[a->size - 1] == 0) {
        a->size--;
    }
}

static unsigned zeros_above_word(uint64_t word)
{
    return bndi_leading_zeros(word, 1) & 63;
}

bndi_natural bndi_natural_of(uint64_t *words, uint64_t high, uint64_t low)
{
    words[0] = low;
    words[1] = high;
    return (bndi_natural){.word = words, .size = high != 0 ? 2 : low != 0 ? 1 : 0};
}

/* ---- bits ---- */

uint64_t bndi_natural_bits(const bndi_natural *a)
{
    return a->size == 0 ? 0 : 64 * (uint64_t)a->size - zeros_above_word(a->word[a->size - 1]);
}

uint64_t bndi_natural_zeros(const bndi_natural *a)
{
    size_t i = 0;
    while (i < a->size && a->word[i] == 0) {
        i++;
    }
    if (i == a->size) {
        return 0;
    }
    uint64_t last = a->word[i] & (0 - a->word[i]);
    return 64 * (uint64_t)i + 63 - zeros_above_word(last);
}

int bndi_natural_compare(const bndi_natural *a, const bndi_natural *b)
{
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    for (size_t i = a->size; i-- > 0;) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

static uint64_t word_or_zero(const bndi_natural *a, uint64_t i)
{
    return i < a->size ? a->word[i] : 0;
}

uint64_t bndi_natural_word_at(const bndi_natural *a, uint64_t from)
{
    uint64_t i = from / 64;
    unsigned shift = from % 64;
    uint64_t low = word_or_zero(a, i) >> shift;
    return shift == 0 ? low : low | word_or_zero(a, i + 1) << (64 - shift);
}

bool bndi_natural_has_below(const bndi_natural *a, uint64_t count)
{
    size_t whole = count / 64 < a->size ? (size_t)(count / 64) : a->size;
    for (size_t i = 0; i < whole; i++) {
        if (a->word[i] != 0) {
            return true;
        }
    }
    return (word_or_zero(a, count / 64) & ((UINT64_C(1) << count % 64) - 1)) != 0;
}

bool bndi_natural_carries(const bndi_natural *a, uint64_t count, uint64_t more)
{
    if (count < 64) {
        uint64_t low = word_or_zero(a, 0) & ((UINT64_C(1) << count) - 1);
        return more >> count != 0 || low + more >= UINT64_C(1) << count;
    }
    uint64_t low = word_or_zero(a, 0), ones = UINT64_MAX;
    if (low + more >= low) {
        return false;
    }
    for (uint64_t i = 1; i < count / 64 && ones == UINT64_MAX; i++) {
        ones = word_or_zero(a, i);
    }
    return ones == UINT64_MAX && (word_or_zero(a, count / 64) | UINT64_MAX << count % 64) == UINT64_MAX;
}

void bndi_natural_keep_below(bndi_natural *a, uint64_t count)
{
    if (count / 64 < a->size) {
        a->size = (size_t)(count / 64) + 1;
        a->word[a->size - 1] &= (UINT64_C(1) << count % 64) - 1;
        trim(a);
    }
}

void bndi_natural_shift_left(bndi_natural *a, uint64_t bits)
{
    size_t words = (size_t)(bits / 64);
    unsigned shift = bits % 64;
    if (a->size == 0) {
        return;
    }
    if (shift == 0) {
        memmove(a->word + words, a->word, a->size * sizeof *a->word);
    } else {
        a->word[a->size + words] = a->word[a->size - 1] >> (64 - shift);
        for (size_t i = a->size - 1; i > 0; i--) {
            a->word[i + words] = a->word[i] << shift | a->word[i - 1] >> (64 - shift);
        }
        a->word[words] = a->word[0] << shift;
    }
    memset(a->word, 0, words * sizeof *a->word);
    a->size += words + (shift != 0);
    trim(a);
}

bool bndi_natural_shift_right(bndi_natural *a, uint64_t bits)
{
    bool lost = bndi_natural_has_below(a, bits);
    if (bits / 64 >= a->size) {
        a->size = 0;
        return lost;
    }
    size_t words = (size_t)(bits / 64);
    unsigned shift = bits % 64;
    a->size -= words;
    if (shift == 0) {
        memmove(a->word, a->word + words, a->size * sizeof *a->word);
    } else {
        for (size_t i = 0; i + 1 < a->size; i++) {
            a->word[i] = a->word[i + words] >> shift | a->word[i + words + 1] << (64 - shift);
        }
        a->word[a->size - 1] = a->word[a->size - 1 + words] >> shift;
    }
    trim(a);
    return lost;
}

/* ---- sums ---- */

void bndi_natural_add(bndi_natural *a, const bndi_natural *b)
{
    size_t size = a->size > b->size ? a->size : b->size;
    uint64_t carry = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t x = word_or_zero(a, i), sum = x + word_or_zero(b, i), both = sum + carry;
        carry = (sum < x) | (both < sum);
        a->word[i] = both;
    }
    a->word[size] = carry;
    a->size = size + (carry != 0);
}

void bndi_natural_subtract(bndi_natural *a, const bndi_natural *b)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->size && (i < b->size || borrow != 0); i++) {
        uint64_t x = a->word[i], y = word_or_zero(b, i), difference = x - y;
        a->word[i] = difference - borrow;
        borrow = (x < y) | (difference < borrow);
    }
    trim(a);
}

void bndi_natural_subtract_word(bndi_natural *a, uint64_t word)
{
    bndi_natural b = {.word = &word, .size = 1};
    bndi_natural_subtract(a, &b);
}

/* ---- products ---- */

/* out[i] += a[i] * factor; returns what is carried out. */
static uint64_t add_multiple(uint64_t *out, const uint64_t *a, size_t size, uint64_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t high, low;
        bndi_multiply(&high, &low, a[i], factor);
        low += carry;
        high += low < carry;
        out[i] += low;
        carry = high + (out[i] < low);
    }
    return carry;
}

/* out[i] -= a[i] * factor; returns what is borrowed. */
static uint64_t subtract_multiple(uint64_t *out, const uint64_t *a, size_t size, uint64_t factor)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t high, low, x = out[i];
        bndi_multiply(&high, &low, a[i], factor);
        low += borrow;
        high += low < borrow;
        out[i] = x - low;
        borrow = high + (x < low);
    }
    return borrow;
}

void bndi_natural_multiply_word(bndi_natural *a, uint64_t factor, uint64_t more)
{
    uint64_t carry = more;
    for (size_t i = 0; i < a->size; i++) {
        uint64_t high, low;
        bndi_multiply(&high, &low, a->word[i], factor);
        a->word[i] = low + carry;
        carry = high + (a->word[i] < low);
    }
    if (carry != 0) {
        a->word[a->size++] = carry;
    }
    trim(a);
}

void bndi_natural_multiply(bndi_natural *out, const bndi_natural *a, const bndi_natural *b)
{
    memset(out->word, 0, (a->size + b->size) * sizeof *out->word);
    for (size_t i = 0; i < b->size; i++) {
        out->word[i + a->size] = add_multiple(out->word + i, a->word, a->size, b->word[i]);
    }
    out->size = a->size + b->size;
    trim(out);
}

uint64_t bndi_power_of_five_word(unsigned exponent)
{
    static const uint64_t powers[BNDI_FIVES_IN_WORD + 1] = {
        UINT64_C(1),
        UINT64_C(5),
        UINT64_C(25),
        UINT64_C(125),
        UINT64_C(625),
        UINT64_C(3125),
        UINT64_C(15625),
        UINT64_C(78125),
        UINT64_C(390625),
        UINT64_C(1953125),
        UINT64_C(9765625),
        UINT64_C(48828125),
        UINT64_C(244140625),
        UINT64_C(1220703125),
        UINT64_C(6103515625),
        UINT64_C(30517578125),
        UINT64_C(152587890625),
        UINT64_C(762939453125),
        UINT64_C(3814697265625),
        UINT64_C(19073486328125),
        UINT64_C(95367431640625),
        UINT64_C(476837158203125),
        UINT64_C(2384185791015625),
        UINT64_C(11920928955078125),
        UINT64_C(59604644775390625),
        UINT64_C(298023223876953125),
        UINT64_C(1490116119384765625),
        UINT64_C(7450580596923828125),
    };
    return powers[exponent];
}

void bndi_natural_multiply_fives(bndi_natural *a, uint64_t exponent)
{
    for (; exponent > BNDI_FIVES_IN_WORD; exponent -= BNDI_FIVES_IN_WORD) {
        bndi_natural_multiply_word(a, bndi_power_of_five_word(BNDI_FIVES_IN_WORD), 0);
    }
    bndi_natural_multiply_word(a, bndi_power_of_five_word((unsigned)exponent), 0);
}

/* ---- quotients ---- */

/* floor((2^128 - 1) / divisor) - 2^64, in two halves of 32 bits, each estimated from the divisor's upper half and then
 * corrected: Knuth's algorithm D with digits of 32 bits. */
uint64_t bndi_word_reciprocal(uint64_t divisor)
{
    uint64_t above = divisor >> 32, below = (uint32_t)divisor, rest = ~divisor, out = 0;
    for (int half = 0; half < 2; half++) { /* the next 32 bits of the dividend are ones */
        uint64_t digit = rest / above, left = rest % above;
        while (digit >> 32 != 0 || digit * below > (left << 32 | UINT32_MAX)) {
            digit--;
            left += above;
            if (left >> 32 != 0) {
                break;
            }
        }
        rest = (rest << 32 | UINT32_MAX) - digit * divisor;
        out = out << 32 | digit;
    }
    return out;
}

/* N. Möller and T. Granlund, "Improved division by invariant integers", algorithm 4. */
uint64_t bndi_divide_words(uint64_t high, uint64_t low, uint64_t divisor, uint64_t reciprocal, uint64_t *remainder)
{
    uint64_t quotient, fraction;
    bndi_multiply(&quotient, &fraction, reciprocal, high);
    fraction += low;
    quotient += high + (fraction < low) + 1;
    uint64_t rest = low - quotient * divisor;
    uint64_t too_large = 0 - (uint64_t)(rest > fraction); /* every other time: a branch would be guessed wrong */
    quotient += too_large;
    rest += too_large & divisor;
    if (rest >= divisor) { /* hardly ever */
        quotient++;
        rest -= divisor;
    }
    *remainder = rest;
    return quotient;
}

uint64_t bndi_natural_divide_word(bndi_natural *a, uint64_t divisor)
{
    unsigned shift = zeros_above_word(divisor);
    uint64_t scaled = divisor << shift, reciprocal = bndi_word_reciprocal(scaled), rest = 0;
    for (size_t i = a->size; i-- > 0;) {
        uint64_t x = a->word[i], high = rest, low = x << shift;
        high |= shift == 0 ? 0 : x >> (64 - shift);
        a->word[i] = bndi_divide_words(high, low, scaled, reciprocal, &rest);
    }
    trim(a);
    return rest >> shift;
}

/* One digit of the quotient: of (x[size], .., x[0]) by (b[size - 1], .., b[0]), the top bit of b set. x becomes the
 * remainder. The estimate from the first words is at most 2 too large; after the check of the second word it is at most
 * 1 too large, and rarely that. */
static uint64_t next_digit(uint64_t *x, const uint64_t *b, size_t size, uint64_t reciprocal)
{
    uint64_t top = b[size - 1], second = b[size - 2], digit = UINT64_MAX, rest = x[size - 1] + top;
    bool decided = x[size] >= top && rest < top; /* the estimate is 2^64 - 1, its remainder over a word */
    if (x[size] < top) {
        digit = bndi_divide_words(x[size], x[size - 1], top, reciprocal, &rest);
    }
    while (!decided) {
        uint64_t high, low;
        bndi_multiply(&high, &low, digit, second);
        if (high < rest || (high == rest && low <= x[size - 2])) {
            break;
        }
        digit--;
        rest += top;
        decided = rest < top;
    }
    uint64_t borrow = subtract_multiple(x, b, size, digit);
    bool too_large = x[size] < borrow;
    x[size] -= borrow;
    if (too_large) {
        digit--;
        x[size] += add_multiple(x, b, size, 1);
    }
    return digit;
}

/* D. Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D. b is shifted in place until its top bit is
 * set, instead of in a copy, and is shifted back at the end. */
void bndi_natural_divide(bndi_natural *quotient, bndi_natural *a, const bndi_natural *b)
{
    if (bndi_natural_compare(a, b) < 0) {
        quotient->size = 0;
        return;
    }
    if (b->size == 1) {
        memcpy(quotient->word, a->word, a->size * sizeof *a->word);
        quotient->size = a->size;
        a->word[0] = bndi_natural_divide_word(quotient, b->word[0]);
        a->size = a->word[0] != 0;
        return;
    }
    bndi_natural divisor = *b;
    unsigned shift = zeros_above_word(b->word[b->size - 1]);
    size_t size = a->size, digits = size - b->size + 1;
    bndi_natural_shift_left(&divisor, shift);
    bndi_natural_shift_left(a, shift);
    if (a->size == size) {
        a->word[size] = 0;
    }
    uint64_t reciprocal = bndi_word_reciprocal(divisor.word[divisor.size - 1]);
    for (size_t i = digits; i-- > 0;) {
        quotient->word[i] = next_digit(a->word + i, divisor.word, divisor.size, reciprocal);
    }
    quotient->size = digits;
    trim(quotient);
    a->size = divisor.size;
    trim(a);
    (void)bndi_natural_shift_right(a, shift);
    (void)bndi_natural_shift_right(&divisor, shift);
}

/* ---- digits ---- */

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

void bndi_natural_read(bndi_natural *a, const char *digits, size_t count, unsigned base)
{
    size_t most = base == 16 ? 15 : BNDI_CHUNK_DIGITS;
    while (count > 0) {
        size_t length = count < most ? count : most;
        uint64_t chunk = 0, power = 1;
        for (size_t i = 0; i < length; i++) {
            chunk = chunk * base + digit_value(digits[i]);
            power *= base;
        }
        bndi_natural_multiply_word(a, power, chunk);
        digits += length;
        count -= length;
    }
}

/* Divides by 10^19 BNDI_CHUNKS_AT_ONCE times. Each division waits for its own remainder, so four interleaved divisions
 * take hardly longer than one. Each word of a quotient is passed to the next division as soon as it is known. */
static void divide_four_times(bndi_natural *a, uint64_t *rest, uint64_t reciprocal)
{
    uint64_t r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    for (size_t i = a->size; i-- > 0;) {
        uint64_t word = a->word[i];
        word = bndi_divide_words(r0, word, BNDI_CHUNK_POWER, reciprocal, &r0);
        word = bndi_divide_words(r1, word, BNDI_CHUNK_POWER, reciprocal, &r1);
        word = bndi_divide_words(r2, word, BNDI_CHUNK_POWER, reciprocal, &r2);
        a->word[i] = bndi_divide_words(r3, word, BNDI_CHUNK_POWER, reciprocal, &r3);
    }
    rest[0] = r0;
    rest[1] = r1;
    rest[2] = r2;
    rest[3] = r3;
    trim(a);
}

uint64_t *bndi_natural_to_chunks(bndi_natural *a, size_t capacity, size_t *count)
{
    uint64_t reciprocal = a->size < BNDI_CHUNKS_AT_ONCE ? 0 : bndi_word_reciprocal(BNDI_CHUNK_POWER);
    size_t at = capacity;
    while (a->size > 0) {
        uint64_t rest[BNDI_CHUNKS_AT_ONCE];
        size_t chunks = a->size < BNDI_CHUNKS_AT_ONCE ? 1 : BNDI_CHUNKS_AT_ONCE;
        if (chunks == 1) {
            rest[0] = bndi_natural_divide_word(a, BNDI_CHUNK_POWER);
        } else {
            divide_four_times(a, rest, reciprocal);
        }
        for (size_t k = 0; k < chunks; k++) {
            a->word[--at] = rest[k];
        }
    }
    while (at < capacity && a->word[at] == 0) {
        at++;
    }
    *count = capacity - at;
    return a->word + at;
}

static void nine_digits(char *out, uint32_t number)
{
    for (int i = 9; i-- > 0; number /= 10) {
        out[i] = (char)('0' + number % 10);
    }
}

/* One digit and two groups of nine, which are independent of each other. */
void bndi_chunk_digits(char *out, uint64_t chunk)
{
    uint64_t upper = chunk / 1000000000, first = upper / 1000000000;
    out[0] = (char)('0' + first);
    nine_digits(out + 1, (uint32_t)(upper - first * 1000000000));
    nine_digits(out + 10, (uint32_t)(chunk - upper * 1000000000));
}
