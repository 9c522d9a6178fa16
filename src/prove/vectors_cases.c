/* Cases by index: combinations of boundaries, all codes, or a sample. Every case depends on the seed and its index
 * alone, so that cases can be made again instead of kept. */
#include "prove/vectors.h"

#include <stdlib.h>

/* ---- codes of a format ---- */

static uint64_t magnitudes(const bnd_format *f)
{
    return UINT64_C(1) << bnd_magnitude_bits(f);
}

static uint64_t codes_mask(const bnd_format *f)
{
    return f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;
}

/* ---- sets of boundaries ---- */

typedef struct code_set {
    uint64_t *codes;
    size_t count, capacity;
} code_set;

static void add_code(code_set *s, const bnd_format *f, uint64_t magnitude)
{
    magnitude &= magnitudes(f) - 1;
    for (unsigned sign = 0; sign <= f->is_signed && s->count < s->capacity; sign++) {
        s->codes[s->count++] = magnitude | (uint64_t)sign << bnd_magnitude_bits(f);
    }
}

/* Fractions: none, all, the lowest bit, the highest, all but one of them; of level 2 every bit alone, and every run of
 * ones from either end. */
static void add_binade(code_set *s, const bnd_format *f, uint64_t field, bnd_vector_level level)
{
    unsigned bits = f->fraction_bits;
    uint64_t base = field << bits, ones = (UINT64_C(1) << bits) - 1, half = bits > 0 ? UINT64_C(1) << (bits - 1) : 0;
    const uint64_t few[] = {0, 1, half, half + 1, half - 1, ones - 1, ones};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        add_code(s, f, base | (few[i] & ones));
    }
    for (unsigned i = 0; level != BND_LEVEL_1 && i < bits; i++) {
        uint64_t low = (UINT64_C(1) << i) - 1;
        add_code(s, f, base | (UINT64_C(1) << i));
        add_code(s, f, base | low);
        add_code(s, f, base | (ones ^ low));
    }
}

/* The exponent fields whose binades are taken: the ends, those around 1, and around the format's precision on either
 * side of it, where terms begin to be lost. Of level 2 every one of up to 64, and else more of them around each. */
static bool takes_field(const bnd_format *f, int64_t field, bnd_vector_level level)
{
    int64_t last = (int64_t)((magnitudes(f) - 1) >> f->fraction_bits), one = f->bias,
            reach = level == BND_LEVEL_1 ? 1 : 3;
    const int64_t middles[] = {0, one, one - f->precision, one + f->precision, last - 1};
    bool taken = level != BND_LEVEL_1 && last < 64;
    for (size_t i = 0; i < sizeof middles / sizeof middles[0]; i++) {
        taken = taken || (field >= middles[i] - reach && field <= middles[i] + reach);
    }
    return taken;
}

static void add_boundaries(code_set *s, const bnd_format *f, bnd_vector_level level)
{
    uint64_t last = (magnitudes(f) - 1) >> f->fraction_bits;
    const uint64_t ends[] = {f->max_code,       f->max_code - 1, f->max_code + 1, f->max_code + 2,
                             magnitudes(f) - 1, f->nan_code,     f->infinity_code};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        add_code(s, f, ends[i]);
    }
    for (uint64_t field = 0; field <= last; field++) {
        if (takes_field(f, (int64_t)field, level)) {
            add_binade(s, f, field, level);
        }
    }
}

/* The number halfway from a value to the next one away from zero, as if the format went on: with a bit more than the
 * value has, and no more than 128. */
static bnd_exact midpoint_above(const bnd_format *f, bnd_exact value)
{
    if (value.kind != BND_FINITE && value.kind != BND_ZERO) {
        return value;
    }
    int32_t least = f->emin - (f->precision - 1), quantum = least;
    if (value.kind == BND_FINITE && bndi_vector_exponent(&value) > f->emin) {
        quantum = bndi_vector_exponent(&value) - (f->precision - 1);
    }
    uint64_t steps = 0; /* the value in units of its last place, which it may have written in others */
    if (value.kind == BND_FINITE) {
        int32_t moved = value.exponent - quantum;
        steps = moved >= 0 ? value.low << moved : value.low >> -moved;
    }
    return (bnd_exact){.high = steps >> 63,
                       .low = steps << 1 | 1,
                       .exponent = quantum - 1,
                       .kind = BND_FINITE,
                       .negative = value.negative};
}

/* A conversion's operands: each boundary of the result, the middle above it, and their neighbours. */
static void add_targets(code_set *s, const bnd_format *from, const bnd_format *to, bnd_vector_level level)
{
    uint64_t codes[4096];
    code_set targets = {.codes = codes, .capacity = sizeof codes / sizeof codes[0]};
    add_boundaries(&targets, to, to->width <= 8 ? BND_LEVEL_2 : level);
    bnd_rule toward_zero = {.rounding = BND_RTZ, .overflow = BND_OVERFLOW_SATURATE};
    for (size_t i = 0; i < targets.count; i++) {
        bnd_exact value = bnd_unpack(to, codes[i]);
        for (int half = 0; half < 2; half++) {
            uint64_t code = bnd_encode_exact(from, half == 1 ? midpoint_above(to, value) : value, toward_zero, 0).code;
            for (uint64_t step = 0; step < 3 && s->count < s->capacity; step++) {
                s->codes[s->count++] = (code + step - 1) & codes_mask(from);
            }
        }
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_and_unite(code_set *s)
{
    size_t kept = 0;
    qsort(s->codes, s->count, sizeof *s->codes, by_size);
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || s->codes[i] != s->codes[kept - 1]) {
            s->codes[kept++] = s->codes[i];
        }
    }
    s->count = kept;
}

/* Of a set that is too large every k-th stays. */
static void thin(code_set *s, size_t most)
{
    if (s->count > most) {
        for (size_t i = 0; i < most; i++) {
            s->codes[i] = s->codes[i * s->count / most];
        }
        s->count = most;
    }
}

/* How many codes of an operand are enough, so that their combinations are not too many. */
static size_t most_codes(const bnd_vectors *v, bnd_vector_level level)
{
    static const size_t of_level_2[] = {BND_VECTOR_BOUNDARIES_MAX, 4096, 512}, of_level_1[] = {4096, 512, 128};
    unsigned operands = v->operands <= BND_OPERANDS_MAX ? v->operands : 1;
    return (level == BND_LEVEL_1 ? of_level_1 : of_level_2)[operands - 1];
}

static bnd_status make_set(bnd_vector_plan *plan, unsigned i, const bnd_vectors *v, bnd_error *why)
{
    const bnd_format *f = &v->in[i];
    code_set s = {.codes = malloc(2 * BND_VECTOR_BOUNDARIES_MAX * sizeof(uint64_t)),
                  .capacity = 2 * BND_VECTOR_BOUNDARIES_MAX};
    if (s.codes == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the boundaries of %s", f->name);
    }
    bnd_vector_level level = plan->level == BND_LEVEL_1 ? BND_LEVEL_1 : BND_LEVEL_2;
    size_t most = most_codes(v, level);
    if (f->width < 20 && (UINT64_C(1) << f->width) <= most) {
        for (uint64_t code = 0; code <= codes_mask(f); code++) {
            s.codes[s.count++] = code;
        }
    } else {
        if (v->kind == BND_VECTOR_OPERATION && v->operation == BND_CONVERT) {
            add_targets(&s, f, &v->out, level);
        }
        add_boundaries(&s, f, level);
        sort_and_unite(&s);
        thin(&s, most);
    }
    plan->boundaries[i] = s.codes;
    plan->sizes[i] = s.count;
    return BND_OK;
}

/* ---- plans ---- */

static unsigned random_bits(const bnd_vectors *v)
{
    return bnd_rule_random_bits(v->rule);
}

static bnd_status count_all(bnd_vector_plan *plan, bnd_error *why)
{
    enum { MOST_BITS = 32 };
    const bnd_vectors *v = plan->vectors;
    unsigned bits = random_bits(v);
    for (unsigned i = 0; i < v->operands; i++) {
        bits += bnd_vectors_format(v, i)->width;
    }
    if (bits > MOST_BITS) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "there are 2^%u combinations of operands%s; at most 2^%d can be written: use a level or a number "
            "of cases",
            bits, random_bits(v) > 0 ? " and random bits" : "", MOST_BITS);
    }
    plan->count = UINT64_C(1) << bits;
    return BND_OK;
}

static bool is_dot(const bnd_vectors *v)
{
    return v->kind != BND_VECTOR_OPERATION;
}

bnd_status bnd_vector_plan_alloc(bnd_vector_plan *out, const bnd_vectors *v, bnd_vector_level level, uint64_t seed,
                                 bnd_error *why)
{
    enum { DOTS_1 = 10000, DOTS_2 = 1000000 };
    bnd_vector_plan plan = {.vectors = v, .level = level, .seed = seed, .count = UINT64_MAX};
    bnd_status status = BND_OK;
    if ((unsigned)level > BND_LEVEL_ALL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "there is no level number %d", (int)level);
    }
    if (level == BND_LEVEL_ALL) {
        status = count_all(&plan, why);
    } else {
        plan.sets = is_dot(v) ? 2 : v->operands;
        for (unsigned i = 0; status == BND_OK && i < plan.sets; i++) {
            status = make_set(&plan, i, v, why);
        }
    }
    if (status != BND_OK) {
        bnd_vector_plan_free(&plan);
        return status;
    }
    if (is_dot(v) && (level == BND_LEVEL_1 || level == BND_LEVEL_2)) {
        plan.level = BND_LEVEL_SAMPLE;
        plan.count = level == BND_LEVEL_1 ? DOTS_1 : DOTS_2;
    } else if (level == BND_LEVEL_1 || level == BND_LEVEL_2) {
        plan.count = 1; /* 512^3 and 4096^2 are below 2^32 */
        for (unsigned i = 0; i < plan.sets; i++) {
            plan.count *= plan.sizes[i];
        }
    }
    *out = plan;
    return BND_OK;
}

void bnd_vector_plan_free(bnd_vector_plan *plan)
{
    for (unsigned i = 0; i < BND_OPERANDS_MAX; i++) {
        free(plan->boundaries[i]);
        plan->boundaries[i] = NULL;
    }
}

/* ---- a sample ---- */

/* What is drawn for an operand: 64 bits that decide, 64 that fill. */
typedef struct draw {
    uint64_t choice, more;
} draw;

static draw draw_for(uint64_t seed, uint64_t index, uint32_t operand)
{
    enum { PURPOSE = 0x76656374, ROUNDS = 10 };
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), operand, PURPOSE};
    uint32_t words[4];
    bnd_philox4x32(words, counter, key, ROUNDS);
    return (draw){.choice = (uint64_t)words[1] << 32 | words[0], .more = (uint64_t)words[3] << 32 | words[2]};
}

/* A fraction that ends early, or a run of ones. */
static uint64_t plain_fraction(const bnd_format *f, draw d)
{
    uint64_t ones = (UINT64_C(1) << f->fraction_bits) - 1;
    unsigned zeros = (unsigned)(d.choice >> 40 & 63);
    uint64_t fraction = zeros < f->fraction_bits ? d.more & (ones << zeros) : 0;
    return (d.choice >> 46 & 1) != 0 ? ones ^ fraction : fraction & ones;
}

/* An exponent within `reach` of another number's, as far as there is one. */
static uint64_t near(const bnd_format *f, const bnd_format *other, uint64_t code, draw d)
{
    int64_t reach = 2 * (int64_t)f->precision + 3, last = (int64_t)(f->max_code >> f->fraction_bits);
    int64_t field = (int64_t)((code & (magnitudes(other) - 1)) >> other->fraction_bits) - other->bias + f->bias;
    field += (int64_t)(d.choice >> 16 & 0xffff) % (2 * reach + 1) - reach;
    field = field < 0 ? 0 : field > last ? last : field;
    uint64_t ones = (UINT64_C(1) << f->fraction_bits) - 1;
    uint64_t fraction = (d.choice >> 47 & 1) != 0 ? plain_fraction(f, d) : d.more & ones;
    uint64_t sign = f->is_signed ? d.choice >> 63 : 0;
    return (uint64_t)field << f->fraction_bits | fraction | sign << bnd_magnitude_bits(f);
}

static uint64_t of_set(const bnd_vector_plan *plan, unsigned set, draw d)
{
    return plan->boundaries[set][(d.choice >> 16 & 0xffffffff) * plan->sizes[set] >> 32];
}

/* Operands one by one: a boundary, near the one before, the one before but for its sign or last place, any code. */
static uint64_t operand_of(const bnd_vector_plan *plan, const uint64_t *operands, unsigned i, draw d)
{
    const bnd_vectors *v = plan->vectors;
    const bnd_format *f = bnd_vectors_format(v, i), *before = i > 0 ? bnd_vectors_format(v, i - 1) : f;
    unsigned set = is_dot(v) ? f == &v->in[1] : i, choice = (unsigned)(d.choice & 15);
    uint64_t ones = (UINT64_C(1) << f->fraction_bits) - 1;
    if (f == &v->in[2] && v->kind == BND_VECTOR_MXDOT) { /* scales: mostly near 1 */
        return choice == 0 ? d.more & codes_mask(f) : (uint64_t)f->bias + (d.more & 31) - 16;
    }
    if (choice < (is_dot(v) ? 1 : 3)) { /* one NaN is the answer of the whole sum */
        return of_set(plan, set, d);
    }
    if (choice < 7 && i > 0) {
        return near(f, before, operands[i - 1], d);
    }
    if (choice < 9 && i > 0 && f == before) {
        return (operands[i - 1] ^ (d.more & 1) << (f->width - 1u)) + (d.more >> 1 & 3) % 3;
    }
    if (choice < 10) {
        return (d.more & codes_mask(f) & ~ones) | plain_fraction(f, d);
    }
    if (is_dot(v) && (d.more & (magnitudes(f) - 1)) > f->max_code) {
        return f->max_code;
    }
    return d.more & codes_mask(f);
}

/* A result to aim at: any code, or an end of the range. */
static uint64_t target(const bnd_format *f, draw d)
{
    const uint64_t normal = UINT64_C(1) << f->fraction_bits, ends[] = {f->max_code, normal, 1, normal - 1};
    uint64_t sign = f->is_signed ? d.choice >> 63 << bnd_magnitude_bits(f) : 0;
    return (d.choice >> 12 & 1) != 0 ? ends[d.choice >> 13 & 3] | sign : d.more & codes_mask(f);
}

/* The operation that finds a first operand from the result and the second. */
static bool inverse_of(bnd_operation *out, bnd_operation operation)
{
    static const bnd_operation pairs[][2] = {
        {BND_ADD, BND_SUB}, {BND_SUB, BND_ADD}, {BND_MUL, BND_DIV}, {BND_DIV, BND_MUL}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i][0] == operation) {
            *out = pairs[i][1];
            return true;
        }
    }
    return false;
}

/* An operand made again, so that the result nearly cancels, or is nearly a value of the format, or nearly at an end. */
static void aim(uint64_t *operands, const bnd_vectors *v, draw d)
{
    const bnd_format *from[BND_OPERANDS_MAX] = {&v->in[0], &v->in[1], &v->in[2]};
    bnd_rule nearest = {0};
    bnd_operation inverse;
    uint64_t a_little = (d.choice >> 8 & 3) - 1;
    if (v->operation == BND_FMA) { /* c = -ab */
        bnd_result ab = bnd_operate(&v->in[2], BND_MUL, from, operands, nearest, 0);
        operands[2] = (ab.code ^ UINT64_C(1) << (v->in[2].width - 1u)) + a_little;
    } else if (inverse_of(&inverse, v->operation)) {
        const bnd_format *known[] = {&v->out, &v->in[1]};
        uint64_t codes[] = {target(&v->out, d), operands[1]};
        operands[0] = bnd_operate(&v->in[0], inverse, known, codes, nearest, 0).code + a_little;
    } else if (v->operation == BND_SQRT) { /* a = rr */
        const bnd_format *root[] = {&v->out, &v->out};
        uint64_t factors[] = {d.more & codes_mask(&v->out), d.more & codes_mask(&v->out)};
        operands[0] = bnd_operate(&v->in[0], BND_MUL, root, factors, nearest, 0).code + a_little;
    }
    for (unsigned i = 0; i < v->operands; i++) {
        operands[i] &= codes_mask(&v->in[i]);
    }
}

/* Half of a conversion's operands lie at a value of the result's format, or in the middle of two. */
static void aim_conversion(uint64_t *operands, const bnd_vectors *v, draw d)
{
    const bnd_format *to = &v->out, *from = &v->in[0];
    bnd_rule toward_zero = {.rounding = BND_RTZ, .overflow = BND_OVERFLOW_SATURATE};
    bnd_exact value = bnd_unpack(to, d.more & codes_mask(to));
    if ((d.choice >> 8 & 1) != 0) {
        value = midpoint_above(to, value);
    }
    operands[0] = (bnd_encode_exact(from, value, toward_zero, 0).code + (d.choice >> 9 & 3) % 3 - 1) & codes_mask(from);
}

static void sample(uint64_t *operands, const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    draw last = {0};
    for (unsigned i = 0; i < v->operands; i++) {
        last = draw_for(plan->seed, index, i);
        operands[i] = operand_of(plan, operands, i, last) & codes_mask(bnd_vectors_format(v, i));
    }
    if (is_dot(v)) {
        return;
    }
    if (v->operation == BND_CONVERT && (last.choice >> 56 & 1) != 0) {
        aim_conversion(operands, v, last);
    } else if ((last.choice >> 56 & 7) == 0) {
        aim(operands, v, last);
    }
}

/* ---- cases ---- */

static uint64_t take_bits(uint64_t *index, unsigned bits)
{
    uint64_t taken = *index & ((UINT64_C(1) << bits) - 1);
    *index >>= bits;
    return taken;
}

void bnd_vector_case(uint64_t *operands, uint64_t *random, const bnd_vector_plan *plan, uint64_t index)
{
    const bnd_vectors *v = plan->vectors;
    unsigned bits = random_bits(v);
    *random = 0;
    if (plan->level == BND_LEVEL_ALL) {
        *random = take_bits(&index, bits);
        for (unsigned i = v->operands; i-- > 0;) {
            operands[i] = take_bits(&index, bnd_vectors_format(v, i)->width);
        }
        return;
    }
    *random = bits > 0 ? bnd_random_bits(plan->seed, 0, index, bits) : 0;
    if (plan->level == BND_LEVEL_SAMPLE) {
        sample(operands, plan, index);
        return;
    }
    for (unsigned i = v->operands; i-- > 0;) {
        operands[i] = plan->boundaries[i][index % plan->sizes[i]];
        index /= plan->sizes[i];
    }
}
