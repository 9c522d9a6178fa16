/* Drawn cases. Half of them aim at typical errors: boundaries, neighbours, sums that cancel, midpoints. */
#include "vectors/cases.h"

/* An exponent within `reach` of another number's, as far as there is one. */
static uint64_t near(const bnd_format *f, const bnd_format *other, uint64_t code, bndi_draw d)
{
    int64_t reach = 2 * (int64_t)f->precision + 3, last = (int64_t)(f->max_code >> f->fraction_bits);
    int64_t field = (int64_t)((code & (bndi_magnitudes(other) - 1)) >> other->fraction_bits) - other->bias + f->bias;
    field += (int64_t)(d.choice >> 16 & 0xffff) % (2 * reach + 1) - reach;
    field = field < 0 ? 0 : field > last ? last : field;
    uint64_t ones = bndi_fraction_mask(f);
    uint64_t fraction = (d.choice >> 47 & 1) != 0 ? bndi_vector_plain_fraction(f, d) : d.more & ones;
    uint64_t sign = f->is_signed ? d.choice >> 63 : 0;
    return (uint64_t)field << f->fraction_bits | fraction | sign << bnd_magnitude_bits(f);
}

static uint64_t of_set(const bnd_vector_plan *plan, unsigned set, bndi_draw d)
{
    return plan->boundaries[set][(d.choice >> 16 & 0xffffffff) * plan->sizes[set] >> 32];
}

/* Operands one by one: a boundary, near the one before, the one before but for its sign or last place, any code. */
static uint64_t operand_of(const bnd_vector_plan *plan, const uint64_t *operands, unsigned i, bndi_draw d)
{
    const bnd_vectors *v = plan->vectors;
    const bnd_format *f = bnd_vectors_format(v, i), *before = i > 0 ? bnd_vectors_format(v, i - 1) : f;
    unsigned set = bndi_vector_is_dot(v) ? f == &v->in[1] : i, choice = (unsigned)(d.choice & 15);
    uint64_t ones = bndi_fraction_mask(f);
    if (f == &v->in[2] && v->kind == BND_VECTOR_KIND_MXDOT) { /* scales: mostly near 1 */
        return choice == 0 ? d.more & bndi_codes_mask(f) : (uint64_t)f->bias + (d.more & 31) - 16;
    }
    if (choice < (bndi_vector_is_dot(v) ? 1 : 3)) { /* one NaN is the answer of the whole sum */
        return of_set(plan, set, d);
    }
    if (choice < 7 && i > 0) {
        return near(f, before, operands[i - 1], d);
    }
    if (choice < 9 && i > 0 && f == before) {
        return (operands[i - 1] ^ (d.more & 1) << (f->width - 1u)) + (d.more >> 1 & 3) % 3;
    }
    if (choice < 10) {
        return (d.more & bndi_codes_mask(f) & ~ones) | bndi_vector_plain_fraction(f, d);
    }
    if (bndi_vector_is_dot(v) && (d.more & (bndi_magnitudes(f) - 1)) > f->max_code) {
        return f->max_code;
    }
    return d.more & bndi_codes_mask(f);
}

/* A result to aim at: any code, or an end of the range. */
static uint64_t target(const bnd_format *f, bndi_draw d)
{
    const uint64_t normal = UINT64_C(1) << f->fraction_bits, ends[] = {f->max_code, normal, 1, normal - 1};
    uint64_t sign = f->is_signed ? d.choice >> 63 << bnd_magnitude_bits(f) : 0;
    return (d.choice >> 12 & 1) != 0 ? ends[d.choice >> 13 & 3] | sign : d.more & bndi_codes_mask(f);
}

/* The operation that finds a first operand from the result and the second. */
static bool inverse_of(bnd_operation *out, bnd_operation operation)
{
    static const bnd_operation pairs[][2] = {
        {BND_OP_ADD, BND_OP_SUB}, {BND_OP_SUB, BND_OP_ADD}, {BND_OP_MUL, BND_OP_DIV}, {BND_OP_DIV, BND_OP_MUL}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i][0] == operation) {
            *out = pairs[i][1];
            return true;
        }
    }
    return false;
}

/* An operand made again, so that the result nearly cancels, or is nearly a value of the format, or nearly at an end. */
static void aim(uint64_t *operands, const bnd_vectors *v, bndi_draw d)
{
    const bnd_format *from[BND_OPERANDS_MAX] = {&v->in[0], &v->in[1], &v->in[2]};
    bnd_rule nearest = {0};
    bnd_operation inverse;
    uint64_t a_little = (d.choice >> 8 & 3) - 1;
    if (v->operation == BND_OP_FMA) { /* c = -ab */
        bnd_result ab = bnd_operate(&v->in[2], BND_OP_MUL, from, operands, nearest, 0);
        operands[2] = (ab.code ^ UINT64_C(1) << (v->in[2].width - 1u)) + a_little;
    } else if (inverse_of(&inverse, v->operation)) {
        const bnd_format *known[] = {&v->out, &v->in[1]};
        uint64_t codes[] = {target(&v->out, d), operands[1]};
        operands[0] = bnd_operate(&v->in[0], inverse, known, codes, nearest, 0).code + a_little;
    } else if (v->operation == BND_OP_SQRT) { /* a = rr */
        const bnd_format *root[] = {&v->out, &v->out};
        uint64_t factors[] = {d.more & bndi_codes_mask(&v->out), d.more & bndi_codes_mask(&v->out)};
        operands[0] = bnd_operate(&v->in[0], BND_OP_MUL, root, factors, nearest, 0).code + a_little;
    }
    for (unsigned i = 0; i < v->operands; i++) {
        operands[i] &= bndi_codes_mask(&v->in[i]);
    }
}

/* Half of a conversion's operands lie at a value of the result's format, or in the middle of two. */
static void aim_conversion(uint64_t *operands, const bnd_vectors *v, bndi_draw d)
{
    const bnd_format *to = &v->out, *from = &v->in[0];
    bnd_exact value = bnd_unpack(to, d.more & bndi_codes_mask(to));
    if ((d.choice >> 8 & 1) != 0) {
        value = bndi_vector_midpoint_above(to, value);
    }
    operands[0] = (bndi_vector_code(from, value) + (d.choice >> 9 & 3) % 3 - 1) & bndi_codes_mask(from);
}

static void weighted(uint64_t *operands, const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    bndi_draw last = {0};
    for (unsigned i = 0; i < v->operands; i++) {
        last = bndi_vector_draw(plan->seed, index, i);
        operands[i] = operand_of(plan, operands, i, last) & bndi_codes_mask(bnd_vectors_format(v, i));
    }
    if (bndi_vector_is_dot(v)) {
        return;
    }
    if (v->operation == BND_OP_CONVERT && (last.choice >> 56 & 1) != 0) {
        aim_conversion(operands, v, last);
    } else if ((last.choice >> 56 & 7) == 0) {
        aim(operands, v, last);
    }
}

/* Of eight cases three are weighted draws; the others are one of each stratum. */
void bndi_vector_sample(uint64_t *operands, const bnd_vector_plan *plan, uint64_t index)
{
    enum { WEIGHTED = 3, ROUND = WEIGHTED + BNDI_STRATA };
    unsigned place = (unsigned)(index % ROUND);
    weighted(operands, plan, index);
    if (place >= WEIGHTED) {
        bndi_vector_stratum(operands, plan, place - WEIGHTED, index / ROUND, index);
    }
}
