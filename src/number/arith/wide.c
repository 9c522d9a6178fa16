/* Numbers of 256 bits with an exponent: sums, products, quotients, and their conversion to exact numbers. */
#include "arith/wide.h"

enum { WORDS = BNDI_WIDE_WORDS, WIDE_BITS = 64 * WORDS };

/* The leading one at the top of WORDS + 1 words; the lowest word is then dropped. */
static void normalize_wide(bndi_wide *out, uint64_t words[WORDS + 1], int64_t exponent)
{
    int empty = 0;
    while (empty < WORDS + 1 && words[empty] == 0) {
        empty++;
    }
    if (empty == WORDS + 1) {
        *out = (bndi_wide){.exponent = 0};
        return;
    }
    unsigned shift = bndi_leading_zeros(words[empty], 0);
    for (int i = 0; i < WORDS; i++) {
        uint64_t here = i + empty <= WORDS ? words[i + empty] : 0;
        uint64_t next = i + empty + 1 <= WORDS ? words[i + empty + 1] : 0;
        out->word[i] = shift > 0 ? here << shift | next >> (64 - shift) : here;
    }
    out->exponent = exponent + 64 - 64 * empty - (int64_t)shift;
}

void bndi_wide_of_word(bndi_wide *out, uint64_t word)
{
    uint64_t words[WORDS + 1] = {word};
    normalize_wide(out, words, -WIDE_BITS);
    out->negative = false;
}

void bndi_wide_of_exact(bndi_wide *out, const bnd_exact *x)
{
    uint64_t words[WORDS + 1] = {x->high, x->low};
    normalize_wide(out, words, (int64_t)x->exponent - WIDE_BITS + 64);
    out->negative = x->negative;
}

/* ---- sums ---- */

/* Is the magnitude of a smaller than that of b? */
static bool is_smaller_wide(const bndi_wide *a, const bndi_wide *b)
{
    if (bndi_wide_is_zero(a) || bndi_wide_is_zero(b)) {
        return bndi_wide_is_zero(a) && !bndi_wide_is_zero(b);
    }
    if (a->exponent != b->exponent) {
        return a->exponent < b->exponent;
    }
    for (int i = 0; i < WORDS; i++) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i];
        }
    }
    return false;
}

/* The words of b, and one below them, shifted down by `count`. */
static void shifted(uint64_t out[WORDS + 1], const bndi_wide *b, int64_t count)
{
    int whole = count < WIDE_BITS + 64 ? (int)(count / 64) : WORDS + 1;
    unsigned shift = (unsigned)(count % 64);
    for (int i = 0; i < WORDS + 1; i++) {
        uint64_t here = i >= whole && i - whole < WORDS ? b->word[i - whole] : 0;
        uint64_t above = i > whole && i - whole - 1 < WORDS ? b->word[i - whole - 1] : 0;
        out[i] = shift > 0 ? here >> shift | above << (64 - shift) : here;
    }
}

void bndi_wide_add(bndi_wide *out, const bndi_wide *a, const bndi_wide *b)
{
    if (is_smaller_wide(a, b)) {
        const bndi_wide *larger = b;
        b = a;
        a = larger;
    }
    if (bndi_wide_is_zero(b)) {
        *out = *a;
        return;
    }
    uint64_t low[WORDS + 1], sum[WORDS + 1], carry = 0;
    int64_t exponent = a->exponent;
    bool negative = a->negative;
    shifted(low, b, a->exponent - b->exponent);
    if (a->negative != b->negative) {
        for (int i = WORDS; i >= 0; i--) {
            uint64_t x = i < WORDS ? a->word[i] : 0, difference = x - low[i], left = difference - carry;
            carry = (uint64_t)(difference > x) + (uint64_t)(left > difference);
            sum[i] = left;
        }
        normalize_wide(out, sum, exponent - 64);
    } else {
        for (int i = WORDS - 1; i >= 0; i--) {
            uint64_t total = a->word[i] + low[i], carried = total + carry;
            carry = (uint64_t)(total < low[i]) + (uint64_t)(carried < carry);
            sum[i + 1] = carried;
        }
        sum[0] = carry;
        normalize_wide(out, sum, exponent);
    }
    out->negative = negative;
}

/* ---- products ---- */

void bndi_wide_multiply(bndi_wide *out, const bndi_wide *a, const bndi_wide *b)
{
    uint64_t product[2 * WORDS] = {0};
    for (int i = WORDS - 1; i >= 0; i--) {
        uint64_t carry = 0;
        for (int j = WORDS - 1; j >= 0; j--) {
            uint64_t high, low;
            bndi_multiply(&high, &low, a->word[i], b->word[j]);
            low += carry;
            high += low < carry;
            product[i + j + 1] += low;
            carry = high + (product[i + j + 1] < low);
        }
        product[i] = carry;
    }
    bool negative = a->negative != b->negative;
    normalize_wide(out, product, a->exponent + b->exponent + WIDE_BITS - 64);
    out->negative = negative;
}

void bndi_wide_scale(bndi_wide *out, const bndi_wide *a, uint64_t word)
{
    uint64_t product[WORDS + 1], carry = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        uint64_t high;
        bndi_multiply(&high, &product[i + 1], a->word[i], word);
        product[i + 1] += carry;
        carry = high + (product[i + 1] < carry);
    }
    product[0] = carry;
    bool negative = a->negative;
    normalize_wide(out, product, a->exponent);
    out->negative = negative;
}

/* ---- quotients ---- */

/* floor((high * 2^64 + low) / d), high < d, the top bit of d set: two digits of 32 bits, each guessed from the top
 * digit of d, which makes it too large by at most 2. */
static uint64_t divide_two_words(uint64_t high, uint64_t low, uint64_t d)
{
    uint64_t top = d >> 32, bottom = (uint32_t)d, quotient = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t digit = high / top, rest = high % top, next = low >> 32;
        while (digit >> 32 != 0 || digit * bottom > (rest << 32 | next)) {
            digit--;
            rest += top;
            if (rest >> 32 != 0) {
                break;
            }
        }
        quotient = quotient << 32 | digit;
        high = (high << 32 | next) - digit * d; /* below d: what overflows above cancels */
        low <<= 32;
    }
    return quotient;
}

/* floor((2^128 - 1) / d) - 2^64: the factor that replaces a division by d. */
static uint64_t inverse_of(uint64_t d)
{
    return divide_two_words(~d, UINT64_MAX, d);
}

/* A digit of a long division by d: (rest * 2^64 + next) / d, rest < d. The guess from the inverse is at most 1 too
 * small and 1 too large (Moeller and Granlund, Improved division by invariant integers, 2011, theorem 3). */
static uint64_t next_quotient_word(uint64_t *rest, uint64_t next, uint64_t d, uint64_t inverse)
{
    uint64_t digit, guess_low;
    bndi_multiply(&digit, &guess_low, inverse, *rest);
    guess_low += next;
    digit += *rest + (guess_low < next) + 1;
    uint64_t left = next - digit * d;
    if (left > guess_low) {
        digit--;
        left += d;
    }
    if (left >= d) {
        digit++;
        left -= d;
    }
    *rest = left;
    return digit;
}

void bndi_wide_divide(bndi_wide *out, const bndi_wide *a, uint64_t word)
{
    unsigned shift = bndi_leading_zeros(word, 0);
    uint64_t d = word << shift, inverse = inverse_of(d), quotient[WORDS + 1];
    uint64_t whole = a->word[0] >= d, rest = a->word[0] - (whole != 0 ? d : 0);
    quotient[0] = whole;
    for (int i = 1; i < WORDS + 1; i++) {
        quotient[i] = next_quotient_word(&rest, i < WORDS ? a->word[i] : 0, d, inverse);
    }
    bool negative = a->negative;
    normalize_wide(out, quotient, a->exponent - 64 + (int64_t)shift);
    out->negative = negative;
}

/* Newton's iteration: if 1 - a r = e, then r + r e is the reciprocal up to a relative error of e^2. The first r is the
 * inverse of a's leading word, with |e| < 2^-62; two steps square that twice, to 2^-124 and 2^-248. Each adds the
 * roundings of its operations, 2^-252 at most: a r is near 1, and its error there is that of e. */
void bndi_wide_reciprocal(bndi_wide *out, const bndi_wide *a)
{
    bndi_wide one, r, e;
    uint64_t words[WORDS + 1] = {1, inverse_of(a->word[0])};
    bndi_wide_of_word(&one, 1);
    normalize_wide(&r, words, -a->exponent - 2 * WIDE_BITS);
    r.negative = a->negative;
    for (int i = 0; i < 2; i++) {
        bndi_wide_multiply(&e, a, &r);
        e.negative = true;
        bndi_wide_add(&e, &one, &e);
        bndi_wide_multiply(&e, &e, &r);
        bndi_wide_add(&r, &r, &e);
    }
    *out = r;
}

/* ---- conversion to an exact number ---- */

bool bndi_wide_decide(bnd_exact *out, const bndi_wide *x)
{
    *out = (bnd_exact){.high = x->word[0],
                       .low = x->word[1],
                       .exponent = bndi_limited(x->exponent + WIDE_BITS - 128),
                       .kind = BND_KIND_FINITE,
                       .negative = x->negative,
                       .sticky = true};
    /* x is wrong by less than 2^(BITS - RIGHT) of its last places, and the checked bits are those above them. If one of
     * these is 1 and one is 0, no carry passes through them. */
    uint64_t looked_at = UINT64_MAX << (WIDE_BITS - BNDI_WIDE_RIGHT);
    bool zeros = x->word[2] == 0 && (x->word[3] & looked_at) == 0;
    bool ones = x->word[2] == UINT64_MAX && (x->word[3] | ~looked_at) == UINT64_MAX;
    return (!zeros && !ones) || out->exponent != x->exponent + WIDE_BITS - 128;
}
