/* Quotients of integers on the naturals of the library: sums, products, powers and roots, each reduced by Euclid's
 * algorithm. */
#include "quotient.h"
#include "text/leading_bits.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

typedef struct pool_block {
    struct pool_block *before;
    uint64_t words[];
} pool_block;

static uint64_t *words_of(pool *p, size_t count)
{
    pool_block *block = malloc(sizeof *block + (count + 2) * sizeof block->words[0]);
    if (block == NULL) {
        p->no_memory = true;
        return NULL;
    }
    block->before = p->last;
    p->last = block;
    return block->words;
}

void pool_close(pool *p)
{
    while (p->last != NULL) {
        pool_block *block = p->last;
        p->last = block->before;
        free(block);
    }
}

/* ---- integers ---- */

static bool begin(pool *p, bndi_natural *out, size_t words)
{
    *out = (bndi_natural){.word = words_of(p, words)};
    return out->word != NULL;
}

static bool small(pool *p, bndi_natural *out, uint64_t value)
{
    return begin(p, out, 2) && (*out = bndi_natural_of(out->word, 0, value), true);
}

static bool is_one(const bndi_natural *a)
{
    return a->size == 1 && a->word[0] == 1;
}

bool pool_copy(pool *p, bndi_natural *out, const bndi_natural *a, size_t more)
{
    bndi_natural copy;
    if (!begin(p, &copy, a->size + more)) {
        return false;
    }
    memcpy(copy.word, a->word, a->size * sizeof a->word[0]);
    copy.size = a->size;
    *out = copy;
    return true;
}

bool pool_multiply(pool *p, bndi_natural *out, const bndi_natural *a, const bndi_natural *b)
{
    bndi_natural product;
    if (!begin(p, &product, a->size + b->size)) {
        return false;
    }
    bndi_natural_multiply(&product, a, b);
    *out = product;
    return true;
}

bool pool_shift_left(pool *p, bndi_natural *out, const bndi_natural *a, uint64_t bits)
{
    bool done = pool_copy(p, out, a, (size_t)(bits / 64) + 2);
    if (done) {
        bndi_natural_shift_left(out, bits);
    }
    return done;
}

bool pool_power_of_five(pool *p, bndi_natural *out, uint64_t exponent)
{
    const size_t words = (size_t)(exponent * 7 / 3 / 64) + 3; /* 5^3 < 2^7 */
    bool done = begin(p, out, words) && (*out = bndi_natural_of(out->word, 0, 1), true);
    if (done) {
        bndi_natural_multiply_fives(out, exponent);
    }
    return done;
}

bool pool_divide(pool *p, bndi_natural *out, bndi_natural *rest, const bndi_natural *a, const bndi_natural *b)
{
    bndi_natural whole, left, divisor;
    if (!begin(p, &whole, a->size + 1) || !pool_copy(p, &left, a, 2) || !pool_copy(p, &divisor, b, 2)) {
        return false;
    }
    bndi_natural_divide(&whole, &left, &divisor);
    *out = whole;
    *rest = left;
    return true;
}

/* Euclid: the rest of each division is the next divisor, in the same memory. Neither is zero. */
static bool common_factor(pool *p, bndi_natural *out, const bndi_natural *a, const bndi_natural *b)
{
    bndi_natural whole, x, y;
    size_t longest = a->size > b->size ? a->size : b->size;
    if (!begin(p, &whole, longest + 1) || !pool_copy(p, &x, a, 2) || !pool_copy(p, &y, b, 2)) {
        return false;
    }
    while (y.size > 0) {
        bndi_natural_divide(&whole, &x, &y);
        bndi_natural rest = x;
        x = y;
        y = rest;
    }
    *out = x;
    return true;
}

/* floor(sqrt(a)) by Newton's method, from above. */
static bool integer_root(pool *p, bndi_natural *out, const bndi_natural *a)
{
    bndi_natural root = {.size = 0}, next, whole, rest, one;
    bool done = small(p, &one, 1) && pool_shift_left(p, &root, &one, (bndi_natural_bits(a) + 1) / 2);
    for (bool falls = true; done && falls;) {
        done = pool_divide(p, &whole, &rest, a, &root) && pool_copy(p, &next, &root, whole.size + 1);
        if (done) {
            bndi_natural_add(&next, &whole);
            (void)bndi_natural_shift_right(&next, 1);
            falls = bndi_natural_compare(&next, &root) < 0;
            root = falls ? next : root;
        }
    }
    *out = root;
    return done;
}

static bool exact_root(pool *p, bndi_natural *out, const bndi_natural *a)
{
    bndi_natural square;
    return integer_root(p, out, a) && pool_multiply(p, &square, out, out) && bndi_natural_compare(&square, a) == 0;
}

/* ---- quotients ---- */

bool quotient_is_zero(const quotient *x)
{
    return x->above.size == 0;
}

quotient quotient_negated(quotient x)
{
    x.negative = !x.negative && !x.signless;
    return x;
}

static uint64_t bits_of(const quotient *x)
{
    uint64_t above = bndi_natural_bits(&x->above) + (uint64_t)(x->two > 0 ? x->two : 0);
    uint64_t below = bndi_natural_bits(&x->below) + (uint64_t)(x->two < 0 ? -x->two : 0);
    return above > below ? above : below;
}

static bool worth(pool *p, uint64_t bits)
{
    p->bits_left -= bits < INT32_MAX ? (int64_t)bits : INT32_MAX;
    return p->bits_left >= 0;
}

static bool fits(const quotient *x)
{
    return bits_of(x) <= QUOTIENT_BITS;
}

static int64_t without_twos(bndi_natural *a)
{
    uint64_t zeros = bndi_natural_zeros(a);
    (void)bndi_natural_shift_right(a, zeros);
    return (int64_t)zeros;
}

/* The value of `x`, whose parts may be even and have common factors; they are changed. */
static bool give_reduced(pool *p, quotient *out, quotient x)
{
    bndi_natural factor, rest;
    if (quotient_is_zero(&x)) {
        *out = (quotient){.above = x.above, .negative = x.negative, .signless = x.signless};
        return small(p, &out->below, 1);
    }
    x.two += without_twos(&x.above) - without_twos(&x.below);
    if (!is_one(&x.below)) {
        if (!common_factor(p, &factor, &x.above, &x.below) ||
            (!is_one(&factor) && !(pool_divide(p, &x.above, &rest, &x.above, &factor) &&
                                   pool_divide(p, &x.below, &rest, &x.below, &factor)))) {
            return false;
        }
    }
    *out = x;
    return fits(out);
}

bool quotient_of_value(pool *p, quotient *out, bnd_exact value)
{
    quotient x = {.negative = value.negative, .two = value.exponent};
    bool zero = value.kind == BND_KIND_ZERO;
    if ((!zero && value.kind != BND_KIND_FINITE) || !begin(p, &x.above, 2) || !small(p, &x.below, 1)) {
        return false;
    }
    x.above = bndi_natural_of(x.above.word, zero ? 0 : value.high, zero ? 0 : value.low);
    return give_reduced(p, out, x);
}

bool quotient_of_number(pool *p, quotient *out, const bndi_scanned *number)
{
    const bool hex = number->kind == BNDI_NUMBER_HEX, none = number->count == 0;
    const int64_t far = QUOTIENT_BITS, exponent = none ? 0 : number->exponent, five = hex ? 0 : exponent;
    quotient x = {.negative = number->negative, .two = exponent};
    bndi_natural power;
    if ((!hex && number->kind != BNDI_NUMBER_DECIMAL) || number->count > 100000 || exponent > far || exponent < -far ||
        !worth(p, 4 * number->count) || !begin(p, &x.above, number->count / 16 + 2) || !small(p, &x.below, 1) ||
        !pool_power_of_five(p, &power, (uint64_t)(five < 0 ? -five : five))) {
        return false;
    }
    char *digits = malloc(number->count + 1);
    if (digits == NULL) {
        p->no_memory = true;
        return false;
    }
    bnd_lab_copy_digits(digits, number, 0, number->count);
    bndi_natural_read(&x.above, digits, number->count, hex ? 16 : 10);
    free(digits);
    return (five < 0 ? pool_copy(p, &x.below, &power, 0) : pool_multiply(p, &x.above, &x.above, &power)) &&
           give_reduced(p, out, x);
}

bool quotient_multiply(pool *p, quotient *out, const quotient *a, const quotient *b)
{
    const bool signless = a->signless || b->signless;
    quotient x = {.two = a->two + b->two};
    x.negative = !signless && a->negative != b->negative;
    x.signless = signless;
    return worth(p, bits_of(a) + bits_of(b)) && pool_multiply(p, &x.above, &a->above, &b->above) &&
           pool_multiply(p, &x.below, &a->below, &b->below) && give_reduced(p, out, x);
}

/* Of two zeros; alike, they keep their sign. */
static quotient sum_of_zeros(const quotient *a, const quotient *b)
{
    quotient sum = *a;
    sum.signless = a->signless || b->signless || a->negative != b->negative;
    sum.negative = !sum.signless && a->negative;
    return sum;
}

/* The numerators over the common denominator, on the smaller power of two. */
bool quotient_add(pool *p, quotient *out, const quotient *a, const quotient *b)
{
    const int64_t two = a->two < b->two ? a->two : b->two;
    quotient x = {.two = two};
    bndi_natural first, second;
    if (quotient_is_zero(a) || quotient_is_zero(b)) {
        *out = !quotient_is_zero(a) ? *a : !quotient_is_zero(b) ? *b : sum_of_zeros(a, b);
        return true;
    }
    if (!worth(p, bits_of(a) + bits_of(b)) || !pool_multiply(p, &first, &a->above, &b->below) ||
        !pool_shift_left(p, &first, &first, (uint64_t)(a->two - two)) ||
        !pool_multiply(p, &second, &b->above, &a->below) ||
        !pool_shift_left(p, &second, &second, (uint64_t)(b->two - two)) ||
        !pool_multiply(p, &x.below, &a->below, &b->below)) {
        return false;
    }
    const bool swapped = bndi_natural_compare(&first, &second) < 0;
    const bndi_natural *less = swapped ? &first : &second;
    if (!pool_copy(p, &x.above, swapped ? &second : &first, 1)) {
        return false;
    }
    (a->negative == b->negative ? bndi_natural_add : bndi_natural_subtract)(&x.above, less);
    x.signless = quotient_is_zero(&x);
    x.negative = !x.signless && (swapped ? b->negative : a->negative);
    return give_reduced(p, out, x);
}

bool quotient_invert(quotient *x)
{
    if (quotient_is_zero(x)) {
        return false;
    }
    bndi_natural above = x->above;
    x->above = x->below;
    x->below = above;
    x->two = -x->two;
    return true;
}

/* A number of b bits has a power of more than (b - 1) n bits. */
bool quotient_power(pool *p, quotient *out, const quotient *x, uint64_t n)
{
    quotient power = {.two = 0}, square = *x;
    bool done = small(p, &power.above, 1) && small(p, &power.below, 1) &&
                (bits_of(x) <= 1 || bits_of(x) - 1 <= QUOTIENT_BITS / (n > 0 ? n : 1));
    for (uint64_t left = n; done && left > 0; left >>= 1) {
        if ((left & 1) != 0) {
            done = quotient_multiply(p, &power, &power, &square);
        }
        done = done && (left == 1 || quotient_multiply(p, &square, &square, &square));
    }
    *out = power;
    return done;
}

bool quotient_root(pool *p, quotient *out, const quotient *x)
{
    quotient root = {.two = x->two / 2};
    if (quotient_is_zero(x)) {
        *out = *x;
        return true;
    }
    bool done = !x->negative && x->two % 2 == 0 && worth(p, 16 * bits_of(x)) && exact_root(p, &root.above, &x->above) &&
                exact_root(p, &root.below, &x->below);
    *out = root;
    return done;
}

bool quotient_scale(quotient *x, int64_t two)
{
    if (two > QUOTIENT_BITS || two < -QUOTIENT_BITS) {
        return false;
    }
    x->two += quotient_is_zero(x) ? 0 : two;
    return fits(x);
}

bool quotient_leading(pool *p, bnd_exact *out, const quotient *x)
{
    const int64_t shift = 130 + (int64_t)bndi_natural_bits(&x->below) - (int64_t)bndi_natural_bits(&x->above);
    const uint64_t more = (uint64_t)(shift > 0 ? shift : 0);
    bndi_natural leading, rest;
    if (quotient_is_zero(x)) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = x->negative};
        return true;
    }
    if (!pool_shift_left(p, &leading, &x->above, more) || !pool_divide(p, &leading, &rest, &leading, &x->below)) {
        return false;
    }
    *out = bndi_exact_from_natural(x->negative, &leading, x->two - (int64_t)more, rest.size != 0);
    return true;
}
