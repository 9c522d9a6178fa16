/* Sets of boundary operands: the ends of a format, its exponents, and for conversions also the boundaries of the
   result's format. */
#include "vectors/cases.h"

#include <stdlib.h>

typedef struct code_set {
    uint64_t *codes;
    size_t count, capacity;
} code_set;

static void add_code(code_set *s, const bnd_format *f, uint64_t magnitude)
{
    magnitude &= bndi_magnitudes(f) - 1;
    for (unsigned sign = 0; sign <= f->is_signed && s->count < s->capacity; sign++) {
        s->codes[s->count++] = magnitude | (uint64_t)sign << bnd_magnitude_bits(f);
    }
}

/* ---- one binade ---- */

/* Fractions: 0, 1, half and its neighbours, all ones and one less. */
static void add_ends_of_binade(code_set *s, const bnd_format *f, uint64_t field)
{
    unsigned bits = f->fraction_bits;
    uint64_t ones = bndi_fraction_mask(f), half = bits > 0 ? UINT64_C(1) << (bits - 1) : 0;
    const uint64_t few[] = {0, 1, half, half + 1, half - 1, ones - 1, ones};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        add_code(s, f, field << bits | (few[i] & ones));
    }
}

/* Every bit alone, and every run of ones from either end. */
static void add_runs(code_set *s, const bnd_format *f, uint64_t field)
{
    uint64_t base = field << f->fraction_bits, ones = bndi_fraction_mask(f);
    for (unsigned i = 0; i < f->fraction_bits; i++) {
        uint64_t low = (UINT64_C(1) << i) - 1;
        add_code(s, f, base | (UINT64_C(1) << i));
        add_code(s, f, base | low);
        add_code(s, f, base | (ones ^ low));
    }
}

static void add_binade(code_set *s, const bnd_format *f, uint64_t field, bnd_vector_level level)
{
    add_ends_of_binade(s, f, field);
    if (level != BND_VECTOR_LEVEL_1) {
        add_runs(s, f, field);
    }
}

/* ---- the boundaries of a format ---- */

/* Selects the exponent fields whose binades are tested: the ends, those around 1, and those one precision above and
 * below 1, where terms begin to lose bits. Level 2 uses all fields of formats with up to 64, and more fields around
 * each of these otherwise. */
static bool takes_field(const bnd_format *f, int64_t field, bnd_vector_level level)
{
    int64_t last = bndi_last_field(f), one = f->bias, reach = level == BND_VECTOR_LEVEL_1 ? 1 : 3;
    const int64_t middles[] = {0, one, one - f->precision, one + f->precision, last - 1};
    bool taken = level != BND_VECTOR_LEVEL_1 && last < 64;
    for (size_t i = 0; i < sizeof middles / sizeof middles[0]; i++) {
        taken = taken || (field >= middles[i] - reach && field <= middles[i] + reach);
    }
    return taken;
}

static void add_boundaries(code_set *s, const bnd_format *f, bnd_vector_level level)
{
    const uint64_t ends[] = {f->max_code, f->max_code - 1, f->max_code + 1, f->max_code + 2, bndi_magnitudes(f) - 1,
                             f->nan_code, f->infinity_code};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        add_code(s, f, ends[i]);
    }
    for (int64_t field = 0; field <= bndi_last_field(f); field++) {
        if (takes_field(f, field, level)) {
            add_binade(s, f, (uint64_t)field, level);
        }
    }
}

/* ---- operations of one operand: every exponent ---- */

/* Formats with more exponents than this have every second one, every fourth ... */
static int64_t field_step(const bnd_format *f)
{
    enum { MOST_FIELDS = 2048 };
    int64_t step = 1;
    while (bndi_last_field(f) / step >= MOST_FIELDS) {
        step *= 2;
    }
    return step;
}

/* Integers end within the binades from 1/4 to 2^(precision + 1): there every position of a bit counts. */
static void add_every_exponent(code_set *s, const bnd_format *f)
{
    int64_t step = field_step(f);
    for (int64_t field = 0; field <= bndi_last_field(f); field++) {
        if (field % step == 0) {
            add_ends_of_binade(s, f, (uint64_t)field);
        }
        if (field >= f->bias - 2 && field <= f->bias + f->precision + 1) {
            add_runs(s, f, (uint64_t)field);
        }
    }
}

/* ---- conversions: what the result's format has ---- */

bnd_exact bndi_vector_midpoint_above(const bnd_format *f, bnd_exact value)
{
    if (value.kind == BND_KIND_ZERO) {
        return (bnd_exact){.low = f->least_significand,
                           .exponent = f->least_quantum - 1,
                           .kind = BND_KIND_FINITE,
                           .negative = value.negative};
    }
    if (value.kind != BND_KIND_FINITE) {
        return value;
    }
    int32_t exponent = bndi_vector_exponent(&value);
    int32_t quantum = (exponent > f->emin ? exponent : f->emin) - (f->precision - 1);
    int32_t moved = value.exponent - quantum; /* the value may have units other than its last place */
    uint64_t steps = moved >= 0 ? value.low << moved : value.low >> -moved;
    return (bnd_exact){.high = steps >> 63,
                       .low = steps << 1 | 1,
                       .exponent = quantum - 1,
                       .kind = BND_KIND_FINITE,
                       .negative = value.negative};
}

uint64_t bndi_vector_code(const bnd_format *f, bnd_exact x)
{
    bnd_rule toward_zero = {.rounding = BND_ROUND_RTZ, .overflow = BND_OVERFLOW_SATURATE};
    return bnd_encode_exact(f, x, toward_zero, 0).code;
}

/* A value of the result's format, the middle above it, and the neighbours of both. */
static void add_target(code_set *s, const bnd_format *from, const bnd_format *to, bnd_exact value)
{
    for (int half = 0; half < 2; half++) {
        uint64_t code = bndi_vector_code(from, half == 1 ? bndi_vector_midpoint_above(to, value) : value);
        for (uint64_t step = 0; step < 3 && s->count < s->capacity; step++) {
            s->codes[s->count++] = (code + step - 1) & bndi_codes_mask(from);
        }
    }
}

static void add_targets(code_set *s, const bnd_format *from, const bnd_format *to, bnd_vector_level level)
{
    uint64_t codes[8192];
    code_set targets = {.codes = codes, .capacity = sizeof codes / sizeof codes[0]};
    if (to->width <= 8) {
        for (uint64_t magnitude = 0; magnitude < bndi_magnitudes(to); magnitude++) {
            add_code(&targets, to, magnitude);
        }
    } else {
        add_boundaries(&targets, to, level);
    }
    for (size_t i = 0; i < targets.count; i++) {
        add_target(s, from, to, bnd_unpack(to, codes[i]));
    }
}

static void add_beyond_by(code_set *s, const bnd_format *from, const bnd_format *to, uint64_t more)
{
    bnd_exact value = {.low = to->max_significand + more, .exponent = to->max_quantum, .kind = BND_KIND_FINITE};
    for (unsigned sign = 0; sign <= to->is_signed && sign <= from->is_signed; sign++) {
        value.negative = sign != 0;
        add_target(s, from, to, value);
    }
}

/* Numbers beyond the largest one, up to twice that, where the format would have values if it continued (480 and 512 in
 * e4m3): the first 256 of them, powers of two, the middles between these, and the last. */
static void add_beyond(code_set *s, const bnd_format *from, const bnd_format *to)
{
    enum { FIRST = 256 };
    uint64_t last = to->max_significand;
    for (uint64_t more = 1; more <= last && more <= FIRST; more++) {
        add_beyond_by(s, from, to, more);
    }
    for (uint64_t more = 2 * FIRST; more <= last; more *= 2) {
        add_beyond_by(s, from, to, more);
        add_beyond_by(s, from, to, more + more / 2);
    }
    add_beyond_by(s, from, to, last);
}

/* How many bits of a number of this exponent the result keeps: fewer below its least normal number. */
static int64_t bits_kept(const bnd_format *to, int64_t exponent)
{
    int64_t bits = exponent >= to->emin || !to->has_subnormals ? to->precision : to->precision - (to->emin - exponent);
    return bits < -1 ? -1 : bits;
}

/* A tie and the numbers next to it: after an even bit, after an odd one, and after ones only, which carry into the next
 * binade. */
static void add_ties(code_set *s, const bnd_format *from, const bnd_format *to, int64_t field)
{
    int64_t lost = from->fraction_bits + 1 - bits_kept(to, field - from->bias);
    if (lost < 1 || lost > from->fraction_bits) {
        return;
    }
    uint64_t ones = bndi_fraction_mask(from), unit = UINT64_C(1) << lost, half = unit >> 1;
    const uint64_t kept[] = {0, unit, ones & ~(unit - 1)};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        for (uint64_t step = 0; step < 3; step++) {
            uint64_t fraction = ((kept[i] & ones) | half) + step - 1;
            add_code(s, from, (uint64_t)field << from->fraction_bits | (fraction & ones));
        }
    }
}

static void add_conversion(code_set *s, const bnd_format *from, const bnd_format *to, bnd_vector_level level)
{
    add_targets(s, from, to, level);
    add_beyond(s, from, to);
    for (int64_t field = 0; field <= bndi_last_field(from); field++) {
        int64_t exponent = field - from->bias;
        if (exponent >= to->emin - to->precision - 2 && exponent <= to->emax + 2) {
            add_ties(s, from, to, field);
        }
    }
}

/* ---- sets ---- */

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

/* How many codes of an operand are enough, so that their combinations are not too many. Where cases are drawn, a set
 * that has every code would draw no boundary more often than another code. */
static size_t most_codes(const bnd_vector_plan *plan)
{
    enum { MOST_DRAWN = 4096 };
    static const size_t of_level_2[] = {BND_VECTOR_BOUNDARIES_MAX, 4096, 512},
                        of_level_1[] = {BND_VECTOR_BOUNDARIES_MAX, 512, 96};
    const bnd_vectors *v = plan->vectors;
    if (bndi_vector_is_dot(v) || (plan->level == BND_VECTOR_LEVEL_SAMPLE && v->operands == 1)) {
        return MOST_DRAWN;
    }
    return (plan->level == BND_VECTOR_LEVEL_1 ? of_level_1 : of_level_2)[v->operands - 1];
}

static void fill_set(code_set *s, const bnd_vector_plan *plan, const bnd_format *f, size_t most)
{
    const bnd_vectors *v = plan->vectors;
    bnd_vector_level level = plan->level == BND_VECTOR_LEVEL_1 ? BND_VECTOR_LEVEL_1 : BND_VECTOR_LEVEL_2;
    if (v->kind == BND_VECTOR_KIND_OPERATION && v->operands == 1) {
        add_every_exponent(s, f);
        if (v->operation == BND_OP_CONVERT) {
            add_conversion(s, f, &v->out, level);
        }
    }
    add_boundaries(s, f, level);
    sort_and_unite(s);
    thin(s, most);
}

bnd_status bndi_vector_boundaries(bnd_vector_plan *plan, unsigned i, bnd_error *why)
{
    const bnd_format *f = &plan->vectors->in[i];
    code_set s = {.codes = malloc(2 * BND_VECTOR_BOUNDARIES_MAX * sizeof(uint64_t)),
                  .capacity = 2 * BND_VECTOR_BOUNDARIES_MAX};
    if (s.codes == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the boundaries of %s", f->name);
    }
    size_t most = most_codes(plan);
    plan->complete[i] = f->width < 20 && (UINT64_C(1) << f->width) <= most;
    if (plan->complete[i]) {
        for (uint64_t code = 0; code <= bndi_codes_mask(f); code++) {
            s.codes[s.count++] = code;
        }
    } else {
        fill_set(&s, plan, f, most);
    }
    plan->boundaries[i] = s.codes;
    plan->sizes[i] = s.count;
    return BND_OK;
}
