/* Strata of drawn cases: special values in all pairs, every exponent, every alignment distance. Each stratum cycles
 * through its members, so a few thousand cases contain all of them; all else about a case is random. */
#include "vectors/strata.h"

/* ---- special values, in all pairs and triples ---- */

enum { SPECIALS = 16 };

static uint64_t special(const bnd_format *f, unsigned which)
{
    uint64_t normal = UINT64_C(1) << f->fraction_bits, one = (uint64_t)f->bias << f->fraction_bits,
             infinity = f->has_infinity ? f->infinity_code : f->max_code,
             signaling = f->has_infinity ? infinity + 1 : f->nan_code, last = bndi_magnitudes(f) - 1;
    const uint64_t magnitudes[SPECIALS / 2] = {0, infinity, f->nan_code & last, signaling, one, 1, normal, f->max_code};
    uint64_t sign = f->is_signed ? (uint64_t)(which & 1) << bnd_magnitude_bits(f) : 0;
    return (magnitudes[which / 2] & last) | sign;
}

static bool take_specials(const bndi_stratum *s)
{
    uint64_t turn = s->turn;
    for (unsigned i = 0; i < s->v->operands; i++) {
        s->operands[i] = special(&s->v->in[i], (unsigned)(turn % SPECIALS));
        turn /= SPECIALS;
    }
    return true;
}

/* ---- every exponent of each operand ---- */

/* Steps of 1, 5 and 9 meet every exponent, of which there are 2^k, and the operands do not go in step. */
static bool take_exponents(const bndi_stratum *s)
{
    for (unsigned i = 0; i < s->v->operands; i++) {
        const bnd_format *f = &s->v->in[i];
        bndi_draw d = bndi_stratum_draw(s, i);
        uint64_t fields = (uint64_t)bndi_last_field(f) + 1,
                 field = (s->turn * (4 * i + 1) + s->turn / fields * i) % fields;
        uint64_t sign = f->is_signed ? d.choice >> 63 : 0;
        s->operands[i] = field << f->fraction_bits | bndi_stratum_fraction(f, d) | sign << bnd_magnitude_bits(f);
    }
    return true;
}

/* ---- alignment distances ---- */

static int64_t distance_of(const bndi_stratum *s)
{
    unsigned fraction = s->v->out.fraction_bits;
    for (unsigned i = 0; i < s->v->operands && s->v->kind == BND_VECTOR_KIND_OPERATION; i++) {
        fraction = s->v->in[i].fraction_bits > fraction ? s->v->in[i].fraction_bits : fraction;
    }
    return (int64_t)(s->turn % (2 * fraction + 7));
}

/* The smaller term's fraction cut so that it ends half a unit of the result below the larger term's last place, or next
 * to that: a tie, or one after a carry. */
static uint64_t end_at_tie(const bnd_format *small, const bnd_format *out, int64_t distance, uint64_t fraction,
                           uint64_t random)
{
    int64_t place = (int64_t)small->fraction_bits - out->fraction_bits + distance - 1 + (int64_t)(random % 3) - 1;
    if (place < 0 || place > small->fraction_bits) {
        return fraction;
    }
    uint64_t bit = UINT64_C(1) << place;
    return ((fraction & ~(bit - 1)) | bit) & bndi_fraction_mask(small);
}

/* The exponent of the smaller of two terms that lie `distance` apart. */
static bool smaller_of(int64_t *exponent, bndi_reach larger, bndi_reach smaller, int64_t distance, uint64_t random)
{
    bndi_reach fits = bndi_overlap(smaller, (bndi_reach){larger.low - distance, larger.high - distance});
    if (bndi_is_empty(fits)) {
        return false;
    }
    *exponent = (random & 7) == 0 ? fits.low : bndi_exponent_within(fits, random >> 3);
    return true;
}

static uint64_t term(const bndi_stratum *s, unsigned i, int64_t exponent, bool cut, int64_t distance)
{
    const bnd_format *f = &s->v->in[i];
    bndi_draw d = bndi_stratum_draw(s, i);
    uint64_t fraction = bndi_stratum_fraction(f, d);
    if (cut && (d.choice >> 11 & 3) == 0) {
        fraction = end_at_tie(f, &s->v->out, distance, fraction, d.choice >> 32);
    }
    uint64_t code = bndi_stratum_code(f, exponent, fraction, (d.choice >> 63) != 0);
    bool subnormal = exponent == f->emin && f->has_subnormals && (d.choice >> 13 & 1) != 0; /* it lies as far away */
    return subnormal ? code ^ UINT64_C(1) << f->fraction_bits : code;
}

static bool align_two(const bndi_stratum *s)
{
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS);
    unsigned large = d.choice & 1, small = 1 - large;
    int64_t distance = distance_of(s), exponent;
    if (!smaller_of(&exponent, bndi_reach_of(&s->v->in[large]), bndi_reach_of(&s->v->in[small]), distance, d.more)) {
        return false;
    }
    s->operands[large] = term(s, large, exponent + distance, false, distance);
    s->operands[small] = term(s, small, exponent, true, distance);
    return true;
}

/* A product and a term. */
static bool align_product(const bndi_stratum *s)
{
    bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS);
    bndi_reach a = bndi_reach_of(&s->v->in[0]), b = bndi_reach_of(&s->v->in[1]), c = bndi_reach_of(&s->v->in[2]);
    bndi_reach product = {a.low + b.low, a.high + b.high};
    int64_t distance = distance_of(s), exponent, factors[2];
    bool product_larger = (d.choice & 1) != 0;
    if (!smaller_of(&exponent, product_larger ? product : c, product_larger ? c : product, distance, d.more)) {
        return false;
    }
    int64_t of_product = product_larger ? exponent + distance : exponent;
    if (!bndi_stratum_split(factors, of_product, a, b, d.choice >> 8)) {
        return false;
    }
    s->operands[0] = term(s, 0, factors[0], false, 0);
    s->operands[1] = term(s, 1, factors[1], false, 0);
    s->operands[2] = term(s, 2, product_larger ? exponent : exponent + distance, product_larger, distance);
    return true;
}

/* Products at distances from the first, one of them in turn, the others anywhere or zero. */
static bool align_products(const bndi_stratum *s)
{
    const bnd_vectors *v = s->v;
    bndi_reach a = bndi_reach_of(&v->in[0]), b = bndi_reach_of(&v->in[1]);
    bndi_draw first = bndi_stratum_draw(s, BNDI_DECISIONS);
    int64_t top = bndi_exponent_within((bndi_reach){a.low + b.low, a.high + b.high}, first.more);
    unsigned in_turn = v->pairs > 1 ? 1 + (unsigned)(first.choice % (v->pairs - 1)) : 0;
    for (unsigned i = 0; i < v->pairs; i++) {
        bndi_draw d = bndi_stratum_draw(s, BNDI_DECISIONS + i), of_a = bndi_stratum_draw(s, i),
                  of_b = bndi_stratum_draw(s, v->pairs + i);
        int64_t most = 2 * v->out.fraction_bits + 7, factors[2];
        int64_t distance = i == 0 ? 0 : i == in_turn ? distance_of(s) : (int64_t)(d.more % (uint64_t)most);
        bool none = i > 0 && i != in_turn && (d.choice >> 40 & 3) == 0;
        if (none || !bndi_stratum_split(factors, top - distance, a, b, d.more >> 8)) {
            s->operands[i] = s->operands[v->pairs + i] = 0;
            continue;
        }
        s->operands[i] =
            bndi_stratum_code(&v->in[0], factors[0], bndi_stratum_fraction(&v->in[0], of_a), (of_a.choice >> 63) != 0);
        s->operands[v->pairs + i] =
            bndi_stratum_code(&v->in[1], factors[1], bndi_stratum_fraction(&v->in[1], of_b), (of_b.choice >> 63) != 0);
    }
    return true;
}

static bool align(const bndi_stratum *s)
{
    switch (s->v->operation) {
    case BND_OP_ADD:
    case BND_OP_SUB:
    case BND_OP_REM:
        return align_two(s);
    case BND_OP_FMA:
        return align_product(s);
    default:
        return false;
    }
}

/* ---- all of them ---- */

void bndi_vector_stratum(uint64_t *operands, const bnd_vector_plan *plan, unsigned stratum, uint64_t turn,
                         uint64_t index)
{
    bndi_stratum s = {.v = plan->vectors, .seed = plan->seed, .index = index, .turn = turn, .operands = operands};
    if (s.v->kind == BND_VECTOR_KIND_MXDOT) {
        return;
    }
    if (bndi_vector_is_dot(s.v)) {
        s.turn = 4 * turn + stratum;
        (void)(stratum < 4 && align_products(&s));
        return;
    }
    bool made;
    if (stratum == 0) {
        s.turn = turn / 2;
        made = (turn & 1) != 0 && take_specials(&s);
    } else {
        s.turn = 2 * turn + (stratum - 1) % 2;
        made = stratum < 3 ? align(&s) : bndi_stratum_by_result(&s);
    }
    (void)(made || take_exponents(&s));
}
