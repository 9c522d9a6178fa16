/* Exact sums and products. */
#include "base/verify.h"
#include "arith/arith.h"

/* A magnitude of three words, the most significant first, times 2^exponent, and a sticky bit. Two words hold a product,
 * the third the bits that a shift moves out. If the larger of two terms is at most twice the other, so that many bits
 * can cancel, no bit is lost. */
typedef struct sum_term {
    uint64_t word[3];
    int64_t exponent;
    bool negative, sticky;
} sum_term;

static void shift_left(sum_term *t, unsigned count)
{
    for (; count >= 64; count -= 64) {
        t->word[0] = t->word[1];
        t->word[1] = t->word[2];
        t->word[2] = 0;
        t->exponent -= 64;
    }
    if (count > 0) {
        t->word[0] = t->word[0] << count | t->word[1] >> (64 - count);
        t->word[1] = t->word[1] << count | t->word[2] >> (64 - count);
        t->word[2] <<= count;
        t->exponent -= count;
    }
}

static void shift_right(sum_term *t, int64_t count)
{
    t->exponent += count;
    for (int words = 0; count >= 64 && words < 3; words++, count -= 64) {
        t->sticky |= t->word[2] != 0;
        t->word[2] = t->word[1];
        t->word[1] = t->word[0];
        t->word[0] = 0;
    }
    if (count > 0 && count < 64) {
        t->sticky |= t->word[2] << (64 - count) != 0;
        t->word[2] = t->word[2] >> count | t->word[1] << (64 - count);
        t->word[1] = t->word[1] >> count | t->word[0] << (64 - count);
        t->word[0] >>= count;
    }
}

/* Shifts the leading one to the top bit. Not for zero. */
static void normalize_term(sum_term *t)
{
    unsigned zeros = bndi_leading_zeros(t->word[0], t->word[1]);
    shift_left(t, zeros < 128 ? zeros : 128 + bndi_leading_zeros(t->word[2], 0));
}

static sum_term term_of(const bnd_exact *x)
{
    sum_term t = {.word = {x->high, x->low, 0}, .exponent = (int64_t)x->exponent - 64, .negative = x->negative};
    normalize_term(&t);
    return t;
}

static bool is_smaller_term(const sum_term *a, const sum_term *b)
{
    if (a->exponent != b->exponent) {
        return a->exponent < b->exponent;
    }
    for (int i = 0; i < 3; i++) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i];
        }
    }
    return false;
}

/* a += b, of the same exponent. The sticky bit of b becomes that of the sum. */
static void add_terms(sum_term *a, const sum_term *b)
{
    uint64_t carry = 0;
    for (int i = 2; i >= 0; i--) {
        uint64_t sum = a->word[i] + b->word[i], carried = sum + carry;
        carry = (uint64_t)(sum < a->word[i]) + (uint64_t)(carried < sum);
        a->word[i] = carried;
    }
    a->sticky = b->sticky;
    if (carry != 0) {
        shift_right(a, 1);
        a->word[0] |= UINT64_C(1) << 63;
    }
}

/* a -= b, of the same exponent and not negative. If b is sticky, the difference is one less in the last place, and
 * sticky. */
static void subtract_terms(sum_term *a, const sum_term *b)
{
    uint64_t borrow = b->sticky;
    for (int i = 2; i >= 0; i--) {
        uint64_t difference = a->word[i] - b->word[i], left = difference - borrow;
        borrow = (uint64_t)(difference > a->word[i]) + (uint64_t)(left > difference);
        a->word[i] = left;
    }
    a->sticky = b->sticky;
}

void bndi_exact_sum(bnd_exact *out, const bnd_exact *a, const bnd_exact *b)
{
    sum_term x = term_of(a), y = term_of(b);
    if (is_smaller_term(&x, &y)) {
        sum_term larger = y;
        y = x;
        x = larger;
    }
    shift_right(&y, x.exponent - y.exponent);
    if (x.negative == y.negative) {
        add_terms(&x, &y);
    } else {
        subtract_terms(&x, &y);
    }
    if ((x.word[0] | x.word[1] | x.word[2]) == 0) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO};
        return;
    }
    normalize_term(&x);
    *out = (bnd_exact){
        .high = x.word[0], .low = x.word[1], .exponent = bndi_limited(x.exponent + 64), .kind = BND_KIND_FINITE};
    out->negative = x.negative;
    out->sticky = x.sticky || x.word[2] != 0;
}

void bndi_product(bnd_exact *out, const bnd_exact *a, const bnd_exact *b)
{
    BNDI_VERIFY(bndi_is_plain_operand(a) && bndi_is_plain_operand(b));
    bnd_exact product = {.kind = BND_KIND_FINITE, .negative = a->negative != b->negative};
    bndi_multiply(&product.high, &product.low, a->low, b->low);
    product.exponent = bndi_limited((int64_t)a->exponent + b->exponent);
    *out = product;
}
