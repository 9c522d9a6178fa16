/* The answer to a case: computed with the library's operations, and dot products computed here. */
#include "vectors/vectors.h"

#include "arith/arith.h"
#include "format/format.h"

int32_t bndi_vector_exponent(const bnd_exact *x)
{
    return bndi_exponent(x);
}

bool bndi_vector_is_beyond(const bnd_format *f, bnd_exact x)
{
    bnd_exact largest = {.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
    x.negative = false;
    int order = bnd_exact_compare(x, largest);
    return order > 0 || (order == 0 && x.sticky);
}

int bndi_vector_compare_least(const bnd_format *f, bnd_exact x)
{
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
    x.negative = false;
    return bnd_exact_compare(x, least);
}

bnd_format bndi_vector_unlimited(const bnd_format *f, unsigned more_bits)
{
    return bnd_lab_value_set(f->precision + more_bits, f->emin, BND_EXPONENT_UNLIMITED);
}

/* ---- exact sums of products ---- */

enum {
    /* Two numbers of 15 bits of exponent and 52 of fraction make products from 2^-(2 * 16434) to 2^(2 * 16384), whose
     * last bits lie down to 2^-(2 * 16434 + 64); with a carry for 512 terms and a sign, 1034 words. */
    WORDS_MAX = 1040
};

/* A number in two's complement: word[0] is the lowest, and counts 2^base. */
typedef struct total {
    uint64_t word[WORDS_MAX];
    size_t words;
    int64_t base;
} total;

static uint64_t add_word(uint64_t *word, uint64_t term, uint64_t carry)
{
    uint64_t sum = *word + term, carried = sum + carry;
    *word = carried;
    return (uint64_t)(sum < term) | (uint64_t)(carried < sum);
}

/* Adds a product: 128 bits, moved to their place, extended with the sign to the top. */
static void add_product(total *t, const bnd_exact *x)
{
    uint64_t offset = (uint64_t)((int64_t)x->exponent - t->base);
    size_t first = (size_t)(offset / 64);
    unsigned shift = (unsigned)(offset % 64);
    uint64_t part[3] = {x->low << shift, x->high << shift, 0};
    if (shift > 0) {
        part[1] |= x->low >> (64 - shift);
        part[2] = x->high >> (64 - shift);
    }
    uint64_t invert = x->negative ? UINT64_MAX : 0, carry = x->negative;
    for (size_t i = first; i < t->words; i++) {
        uint64_t term = (i - first < 3 ? part[i - first] : 0) ^ invert;
        carry = add_word(&t->word[i], term, carry);
    }
}

static void negate(total *t)
{
    uint64_t carry = 1;
    for (size_t i = 0; i < t->words; i++) {
        t->word[i] = ~t->word[i];
        carry = add_word(&t->word[i], 0, carry);
    }
}

/* 128 bits from the leading one down, and whether anything follows. Zero is positive. */
static bnd_exact number_of(total *t)
{
    bool negative = t->word[t->words - 1] >> 63 != 0;
    if (negative) {
        negate(t);
    }
    size_t top = t->words;
    while (top > 0 && t->word[top - 1] == 0) {
        top--;
    }
    if (top == 0) {
        return (bnd_exact){.kind = BND_KIND_ZERO};
    }
    uint64_t a = t->word[top - 1], b = top > 1 ? t->word[top - 2] : 0, c = top > 2 ? t->word[top - 3] : 0;
    unsigned shift = bndi_leading_zeros(a, 0);
    bnd_exact x = {.high = a, .low = b, .kind = BND_KIND_FINITE, .negative = negative, .sticky = c << shift != 0};
    if (shift > 0) {
        x.high = a << shift | b >> (64 - shift);
        x.low = b << shift | c >> (64 - shift);
    }
    for (size_t i = 0; i + 3 < top; i++) {
        x.sticky = x.sticky || t->word[i] != 0;
    }
    x.exponent = bndi_limited(t->base + 64 * ((int64_t)top - 2) - (int64_t)shift);
    return x;
}

static bnd_exact sum_of(const bnd_exact *products, unsigned count)
{
    total t;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (unsigned i = 0; i < count; i++) {
        const bnd_exact *x = &products[i];
        if (x->kind == BND_KIND_FINITE) {
            lowest = x->exponent < lowest ? x->exponent : lowest;
            highest = x->exponent + 128 > highest ? x->exponent + 128 : highest;
        }
    }
    if (highest < lowest) {
        return (bnd_exact){.kind = BND_KIND_ZERO};
    }
    t.base = lowest;
    t.words = (size_t)((highest - lowest) / 64) + 3;
    for (size_t i = 0; i < t.words && i < WORDS_MAX; i++) {
        t.word[i] = 0;
    }
    for (unsigned i = 0; i < count; i++) {
        if (products[i].kind == BND_KIND_FINITE) {
            add_product(&t, &products[i]);
        }
    }
    return number_of(&t);
}

/* ---- NaNs ---- */

static bnd_exact invalid(bnd_rule rule, uint32_t *flags)
{
    *flags |= BND_FLAG_INVALID;
    return (bnd_exact){.high = UINT64_C(1) << 63, .kind = BND_KIND_QUIET_NAN, .negative = rule.nan == BND_NAN_X86};
}

/* The first NaN among the operands, a1 b1 a2 b2 ..; all of them may raise invalid. */
static bool first_nan(bnd_exact *out, const bnd_exact *pairs, unsigned count, uint32_t *flags)
{
    bool found = false;
    for (unsigned i = 0; i < count; i++) {
        if (bndi_is_nan(&pairs[i])) {
            *flags |= pairs[i].kind == BND_KIND_SIGNALING_NAN ? BND_FLAG_INVALID : 0;
            if (!found) {
                *out = pairs[i];
                out->high |= UINT64_C(1) << 63;
                out->kind = BND_KIND_QUIET_NAN;
            }
            found = true;
        }
    }
    return found;
}

static bnd_exact operand(const bnd_format *f, uint64_t code, bnd_rule rule, uint32_t *flags)
{
    bndi_question q = {.format = f, .rule = rule};
    bnd_lab_take(&q, 0, f, code);
    *flags |= q.flags;
    return q.x[0];
}

/* Infinite and zero terms: true where they are the answer. */
static bool special_sum(bnd_exact *out, const bnd_exact *products, unsigned count, bnd_rule rule, uint32_t *flags)
{
    bool up = false, down = false, finite = false, plus = false, minus = false;
    for (unsigned i = 0; i < count; i++) {
        const bnd_exact *x = &products[i];
        up = up || (x->kind == BND_KIND_INFINITE && !x->negative);
        down = down || (x->kind == BND_KIND_INFINITE && x->negative);
        finite = finite || x->kind == BND_KIND_FINITE;
        plus = plus || (x->kind == BND_KIND_ZERO && !x->negative);
        minus = minus || (x->kind == BND_KIND_ZERO && x->negative);
    }
    if (up && down) {
        *out = invalid(rule, flags);
    } else if (up || down) {
        *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = down};
    } else if (!finite) {
        *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = plus && minus ? rule.rounding == BND_ROUND_RDN : minus};
    } else {
        return false;
    }
    return true;
}

/* Of numbers and infinities. */
static bnd_exact sum_of_pairs(const bnd_format *f, const bnd_exact *pairs, unsigned count, bnd_rule rule,
                              uint32_t *flags)
{
    bnd_exact products[BND_VECTOR_DOT_PAIRS_MAX], out;
    bool has_no_product = false;
    for (unsigned i = 0; i < count; i++) {
        uint32_t raised;
        products[i] = bnd_operate_exact(BND_OP_MUL, f, &pairs[2 * i], rule, 0, &raised);
        has_no_product = has_no_product || bndi_is_nan(&products[i]);
    }
    if (has_no_product) {
        return invalid(rule, flags);
    }
    if (!special_sum(&out, products, count, rule, flags)) {
        out = sum_of(products, count);
        out.negative = out.kind == BND_KIND_ZERO ? rule.rounding == BND_ROUND_RDN : out.negative;
    }
    return out;
}

/* The operands have two halves: for mxdot X a1 a2 .. and Y b1 b2 .. They are multiplied in pairs, the scales X Y
 * first. Scales are powers of two and only shift the sum. */
static bnd_exact dot(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint32_t *flags)
{
    const unsigned half = v->operands / 2, scales = half - v->pairs;
    bnd_exact pairs[2 * (BND_VECTOR_DOT_PAIRS_MAX + 1)], out;
    for (unsigned i = 0; i < half; i++) {
        pairs[2 * i] = operand(bnd_vectors_format(v, i), operands[i], rule, flags);
        pairs[2 * i + 1] = operand(bnd_vectors_format(v, half + i), operands[half + i], rule, flags);
    }
    if (first_nan(&out, pairs, 2 * half, flags)) {
        return out;
    }
    out = sum_of_pairs(&v->in[0], pairs + 2 * scales, v->pairs, rule, flags);
    if (scales > 0 && out.kind == BND_KIND_FINITE) {
        out.exponent = bndi_limited((int64_t)out.exponent + bndi_exponent(&pairs[0]) + bndi_exponent(&pairs[1]));
    }
    return out;
}

/* ---- answers ---- */

bnd_exact bndi_vector_exact(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random,
                            uint32_t *flags)
{
    *flags = 0;
    if (v->kind != BND_VECTOR_KIND_OPERATION) {
        return dot(v, operands, rule, flags);
    }
    bnd_exact x[BND_OPERANDS_MAX];
    uint32_t before = 0;
    for (unsigned i = 0; i < v->operands; i++) {
        x[i] = operand(&v->in[i], operands[i], rule, &before);
    }
    bnd_exact out = bnd_operate_exact(v->operation, &v->in[0], x, rule, random, flags);
    *flags |= before;
    return out;
}

static bnd_result long_answer(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random)
{
    uint32_t flags;
    if (v->kind == BND_VECTOR_KIND_OPERATION) {
        const bnd_format *from[BND_OPERANDS_MAX] = {&v->in[0], &v->in[1], &v->in[2]};
        return bnd_operate(&v->out, v->operation, from, operands, rule, random);
    }
    bnd_exact x = bndi_vector_exact(v, operands, rule, random, &flags);
    bnd_result r = bnd_encode_exact(&v->out, x, rule, random);
    r.flags |= flags;
    return r;
}

bnd_result bnd_vector_answer(const bnd_vectors *v, const uint64_t *operands, bnd_rule rule, uint64_t random)
{
    const bnd_format *f = &v->out;
    rule = bnd_vectors_rule(v, rule);
    if (!v->one_format) {
        return long_answer(v, operands, rule, random);
    }
    switch (v->operation) {
    case BND_OP_ADD:
        return bnd_add(f, operands[0], operands[1], rule, random);
    case BND_OP_SUB:
        return bnd_sub(f, operands[0], operands[1], rule, random);
    case BND_OP_MUL:
        return bnd_mul(f, operands[0], operands[1], rule, random);
    case BND_OP_DIV:
        return bnd_div(f, operands[0], operands[1], rule, random);
    case BND_OP_FMA:
        return bnd_fma(f, operands[0], operands[1], operands[2], rule, random);
    case BND_OP_SQRT:
        return bnd_sqrt(f, operands[0], rule, random);
    default:
        return long_answer(v, operands, rule, random);
    }
}
