/* A stratum of drawn cases: operands computed from a wanted result. The result's exponent cycles through every right
 * shift of a subnormal result, the binades at the upper end, and any other; its bits are ties and their neighbours. */
#include "vectors/strata.h"

/* ---- results ---- */

/* The exponent that this turn's result shall have. */
static int64_t result_exponent(const bndi_stratum *s, uint64_t random)
{
    const bnd_format *f = &s->v->out;
    int64_t shifts = f->precision + 3, ends = 4, place = (int64_t)(s->turn % (uint64_t)(2 * (shifts + ends)));
    if (place < shifts) {
        return f->emin - place;
    }
    if (place < shifts + ends) {
        return f->emax - 1 + place - shifts;
    }
    return bndi_exponent_within(bndi_reach_of(f), random);
}

/* The fraction of a number of `bits` significant bits, the last of them a one. */
static uint64_t short_fraction(const bnd_format *f, int64_t bits, uint64_t random)
{
    if (bits < 2) {
        return 0;
    }
    bits = bits > f->precision ? f->precision : bits;
    uint64_t fraction = (random & ((UINT64_C(1) << (bits - 1)) - 1)) | 1;
    return fraction << (f->precision - bits);
}

/* One less, the same, the same, one more. */
static uint64_t a_little(uint64_t random)
{
    static const uint64_t steps[] = {UINT64_MAX, 0, 0, 1};
    return steps[random & 3];
}

static void move_by(uint64_t *code, const bnd_format *f, uint64_t step)
{
    *code = (*code + step) & bndi_codes_mask(f);
}

/* An exact number of `bits` significant bits, the last of them a one. */
static bnd_exact odd_number(int64_t exponent, int64_t bits, uint64_t random, bool negative)
{
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return (bnd_exact){.low = (random & mask) | UINT64_C(1) << (bits - 1) | 1,
                       .exponent = (int32_t)(exponent - bits + 1),
                       .kind = BND_KIND_FINITE,
                       .negative = negative};
}

static bnd_exact times(const bnd_format *f, bnd_exact a, bnd_exact b)
{
    uint32_t flags = 0;
    const bnd_exact pair[BND_OPERANDS_MAX] = {a, b};
    return bnd_operate_exact(BND_OP_MUL, f, pair, (bnd_rule){0}, 0, &flags);
}

/* A step below a number that leaves one bit of it, and perhaps what is below that: a different bit each turn. */
static uint64_t step_of(const bnd_format *f, uint64_t turn, bndi_draw d)
{
    uint64_t bit = UINT64_C(1) << turn % (f->fraction_bits + 1u);
    return bit | ((d.choice & 2) != 0 ? d.more & (bit - 1) : 0);
}

/* ---- products ---- */

/* Factors of so few bits that the product ends half a unit below the result's last place. A product of k and m bits has
 * k + m - 1 bits below 2, and k + m from 2 on: `from_2` says for which it is a tie. */
static bool tie_factors(const bndi_stratum *s, int64_t exponent, bool from_2, const int64_t factors[2],
                        const bndi_draw d[2])
{
    const bnd_format *f = s->v->in;
    int64_t together = bndi_bits_kept(&s->v->out, exponent) + (from_2 ? 1 : 2);
    bndi_reach first =
        bndi_overlap((bndi_reach){1, f[0].precision}, (bndi_reach){together - f[1].precision, together - 1});
    if (bndi_is_empty(first)) {
        return false;
    }
    int64_t bits = bndi_exponent_within(first, d[0].choice >> 32 & 0xffff);
    s->operands[0] = bndi_stratum_code(&f[0], factors[0], short_fraction(&f[0], bits, d[0].more), d[0].choice >> 63);
    s->operands[1] =
        bndi_stratum_code(&f[1], factors[1], short_fraction(&f[1], together - bits, d[1].more), d[1].choice >> 63);
    return true;
}

static bool make_product(const bndi_stratum *s)
{
    const bnd_format *f = s->v->in;
    const bndi_draw decisions = bndi_stratum_draw(s, BNDI_DECISIONS),
                    d[2] = {bndi_stratum_draw(s, 0), bndi_stratum_draw(s, 1)};
    int64_t exponent = result_exponent(s, decisions.more >> 32), factors[2];
    bool from_2 = (decisions.choice & 1) != 0;
    if (!bndi_stratum_split(factors, exponent - from_2, bndi_reach_of(&f[0]), bndi_reach_of(&f[1]),
                            decisions.choice >> 32)) {
        return false;
    }
    if ((decisions.choice & 2) != 0 && tie_factors(s, exponent, from_2, factors, d)) {
        if ((decisions.choice & 12) == 0) {
            move_by(&s->operands[0], &f[0], a_little(decisions.choice >> 4));
        }
        return true;
    }
    for (unsigned i = 0; i < 2; i++) {
        s->operands[i] = bndi_stratum_code(&f[i], factors[i], bndi_stratum_fraction(&f[i], d[i]), d[i].choice >> 63);
    }
    return true;
}

/* To the product comes nothing, hardly anything, or what nearly cancels it. */
static bool make_sum_of_product(const bndi_stratum *s)
{
    const bnd_format *f = &s->v->in[2], *from[BND_OPERANDS_MAX] = {&s->v->in[0], &s->v->in[1], f};
    bndi_draw d = bndi_stratum_draw(s, 2);
    if (!make_product(s)) {
        return false;
    }
    uint64_t sign = f->is_signed ? d.choice >> 63 << bnd_magnitude_bits(f) : 0;
    bnd_result product = bnd_operate(f, BND_OP_MUL, from, s->operands, (bnd_rule){0}, 0);
    uint64_t against = f->is_signed ? product.code ^ UINT64_C(1) << bnd_magnitude_bits(f) : product.code;
    const uint64_t terms[] = {sign, sign | 1, against + a_little(d.choice), against - step_of(f, s->turn, d)};
    s->operands[2] = terms[d.choice >> 8 & 3] & bndi_codes_mask(f);
    return true;
}

/* ---- quotients, roots, remainders ---- */

/* a = qb, where the quotient q is a tie; exactly, if b has few bits. */
static bool make_quotient(const bndi_stratum *s)
{
    const bnd_format *f = s->v->in;
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS), of_b = bndi_stratum_draw(s, 1);
    int64_t exponent = result_exponent(s, d.more >> 32), bits = bndi_bits_kept(&s->v->out, exponent) + 1;
    bndi_reach a = bndi_reach_of(&f[0]);
    bndi_reach b = bndi_overlap(bndi_reach_of(&f[1]), (bndi_reach){a.low - exponent, a.high - exponent});
    if (bndi_is_empty(b)) {
        return false;
    }
    int64_t spare = f[0].precision - bits, at = bndi_exponent_within(b, d.choice >> 32);
    bool few = (d.choice & 1) != 0 && spare > 0;
    uint64_t fraction = few ? short_fraction(&f[1], 1 + (int64_t)(of_b.choice % (uint64_t)spare), of_b.more)
                            : bndi_stratum_fraction(&f[1], of_b);
    s->operands[1] = bndi_stratum_code(&f[1], at, fraction, of_b.choice >> 63);
    bnd_exact quotient = odd_number(exponent, bits, d.more, d.choice >> 63);
    s->operands[0] =
        bnd_encode_exact(&f[0], times(&f[0], quotient, bnd_unpack(&f[1], s->operands[1])), (bnd_rule){0}, 0).code;
    move_by(&s->operands[0], &f[0], few && (d.choice & 2) != 0 ? 0 : a_little(d.choice >> 2));
    return true;
}

/* a = rr, where r has a bit more than the result, or few. */
static bool make_root(const bndi_stratum *s)
{
    const bnd_format *f = &s->v->in[0];
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS);
    bndi_reach all = bndi_reach_of(f);
    int64_t exponent = bndi_exponent_within((bndi_reach){all.low / 2, all.high / 2}, s->turn);
    int64_t most = s->v->out.precision + 1;
    int64_t bits = (d.choice & 1) != 0 ? most : 1 + (int64_t)(d.choice >> 8 & 0xffff) % most;
    bnd_exact root = odd_number(exponent, bits, d.more, false);
    s->operands[0] = bndi_vector_code(f, times(f, root, root));
    move_by(&s->operands[0], f, a_little(d.choice >> 1));
    return true;
}

/* a = (n + 1/2) b: the quotient is a tie. */
static bool make_remainder(const bndi_stratum *s)
{
    const bnd_format *f = s->v->in;
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS), of_b = bndi_stratum_draw(s, 1);
    int64_t bits = 1 + (int64_t)(s->turn % f[0].precision);
    bndi_reach b =
        bndi_overlap(bndi_reach_of(&f[1]), (bndi_reach){(int64_t)f[0].emin - bits + 2, (int64_t)f[0].emax - bits});
    if (bndi_is_empty(b)) {
        return false;
    }
    uint64_t fraction = short_fraction(&f[1], f[0].precision - bits, of_b.more);
    s->operands[1] = bndi_stratum_code(&f[1], bndi_exponent_within(b, d.choice >> 32), fraction, of_b.choice >> 63);
    bnd_exact n_and_half = odd_number(bits - 2, bits, d.more, d.choice >> 63);
    s->operands[0] = bndi_vector_code(&f[0], times(&f[0], n_and_half, bnd_unpack(&f[1], s->operands[1])));
    move_by(&s->operands[0], &f[0], a_little(d.choice));
    return true;
}

/* ---- sums ---- */

/* Two terms that differ by a step: every left shift of their difference. The first is of the format with fewer bits,
 * the second as near to it as its own has numbers. */
static bool cancel(const bndi_stratum *s)
{
    unsigned coarse = s->v->in[0].precision > s->v->in[1].precision, fine = 1 - coarse;
    const bnd_format *f = &s->v->in[coarse], *g = &s->v->in[fine];
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS), of_a = bndi_stratum_draw(s, 0);
    if (bnd_format_same(f, g) && (d.choice & 1) != 0) {
        coarse = 1 - coarse;
        fine = 1 - fine;
    }
    bndi_reach all = bndi_reach_of(f), low = {all.low, all.low + 3}, high = {all.high - 2, all.high};
    bndi_reach where = bndi_overlap((d.choice & 12) == 0 ? low : (d.choice & 12) == 4 ? high : all, all);
    uint64_t code = bndi_stratum_code(f, bndi_exponent_within(where, d.choice >> 32), bndi_stratum_fraction(f, of_a),
                                      of_a.choice >> 63 != 0);
    uint64_t other = bndi_vector_code(g, bnd_unpack(f, code)), step = step_of(g, s->turn, d);
    other = (other & (bndi_magnitudes(g) - 1)) > step ? other - step : other;
    uint64_t sign = g->is_signed && s->v->operation == BND_OP_ADD ? UINT64_C(1) << bnd_magnitude_bits(g) : 0;
    s->operands[coarse] = code;
    s->operands[fine] = other ^ sign;
    return true;
}

/* The larger term in the highest two binades. */
static bool overflow(const bndi_stratum *s)
{
    const bnd_format *f = s->v->in;
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS), of[2] = {bndi_stratum_draw(s, 0), bndi_stratum_draw(s, 1)};
    unsigned first = d.choice & 1, second = 1 - first;
    int64_t at = f[first].emax - (int64_t)(d.choice >> 1 & 1);
    int64_t distance = (int64_t)(s->turn % (f->fraction_bits + 4u));
    s->operands[first] =
        bndi_stratum_code(&f[first], at, bndi_stratum_fraction(&f[first], of[first]), of[first].choice >> 63);
    bool unlike = (d.choice >> 2 & 7) == 0, negative = (of[first].choice >> 63 != 0) != unlike;
    s->operands[second] = bndi_stratum_code(&f[second], at - distance, bndi_stratum_fraction(&f[second], of[second]),
                                            negative != (s->v->operation == BND_OP_SUB));
    return true;
}

static bool make_sum(const bndi_stratum *s)
{
    bndi_stratum part = *s; /* a quarter of the turns are for overflow */
    part.turn = s->turn / 4;
    if (s->turn % 4 == 3) {
        return overflow(&part);
    }
    part.turn = part.turn * 3 + s->turn % 4;
    return cancel(&part);
}

/* ---- conversions ---- */

/* Bits that the result keeps are random; those that it loses are a tie, nearly one, nearly nothing or nearly all. */
static bool make_conversion(const bndi_stratum *s)
{
    const bnd_format *from = &s->v->in[0], *to = &s->v->out;
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS);
    int64_t exponent = result_exponent(s, d.choice >> 32), kept = bndi_bits_kept(to, exponent);
    int64_t lost = from->precision - kept;
    if (lost < 1 || lost > from->fraction_bits) {
        return false;
    }
    uint64_t ones = (UINT64_C(1) << lost) - 1, half = UINT64_C(1) << (lost - 1);
    const uint64_t ends[] = {half, half, half + 1, half - 1, 1, ones, 0, d.more & ones};
    uint64_t fraction = (bndi_fraction_mask(from) & d.more & ~ones) | (ends[d.choice & 7] & ones);
    s->operands[0] = bndi_stratum_code(from, exponent, fraction, d.choice >> 31 & 1);
    return true;
}

/* ---- all of them ---- */

bool bndi_stratum_by_result(const bndi_stratum *s)
{
    switch (s->v->operation) {
    case BND_OP_CONVERT:
        return make_conversion(s);
    case BND_OP_ADD:
    case BND_OP_SUB:
        return make_sum(s);
    case BND_OP_MUL:
        return make_product(s);
    case BND_OP_DIV:
        return make_quotient(s);
    case BND_OP_REM:
        return make_remainder(s);
    case BND_OP_FMA:
        return make_sum_of_product(s);
    case BND_OP_SQRT:
        return make_root(s);
    default:
        return false;
    }
}
