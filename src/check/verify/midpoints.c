/* Every midpoint between neighbouring values of a format, and the numbers nearest to it on both sides.
 *
 * The numbers around a midpoint m: m itself; m plus and minus one unit in the last place of a double; m plus and
 * minus a bit 200 places further down. One more midpoint lies above the largest number, where overflow begins: half
 * a step of the same grid. For numbers above half of the largest, every overflow policy is tried. */
#include "verify/verify.h"

#include <math.h>

enum {
    ALL_CODES = 1 << 16,            /* magnitudes of formats that have more of them are drawn */
    ALL_CODES_EXHAUSTIVE = 1 << 20, /* the same with --exhaustive */
    DRAWN = 1 << 12,
    FAR = 200,
    NUMBERS_AROUND = 5
};

/* A number around a midpoint: (significand * 2^shift + beside) * 2^exponent; `beside` is -1, 0 or 1. */
typedef struct around {
    uint64_t significand;
    int shift, beside;
    int64_t exponent;
} around;

/* What one index is about. */
typedef struct midpoint {
    bndi_piece *p;
    uint64_t code, random; /* the code below the midpoint, without a sign */
    bnd_rule rule;
} midpoint;

/* ---- the number, for the reference and for the candidate ---- */

static int bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

static bnd_result reference(const midpoint *m, const around *a, bool negative)
{
    bndi_oracle_problem *oracle = &m->p->oracle;
    bndi_oracle_answer answer;
    mpz_set_ui(oracle->a, a->significand);
    mpz_mul_2exp(oracle->a, oracle->a, (mp_bitcnt_t)a->shift);
    if (a->beside < 0) {
        mpz_sub_ui(oracle->a, oracle->a, 1);
    } else {
        mpz_add_ui(oracle->a, oracle->a, (unsigned long)a->beside);
    }
    bndi_oracle_set_dyadic(&oracle->exact, negative, oracle->a, a->exponent);
    bndi_oracle_apply_rule(&answer, &oracle->work, &m->p->q->f, &oracle->exact, m->rule, m->random, BNDI_ORACLE_EITHER);
    return answer.result;
}

/* The number as a double, if it is one. A rule that flushes subnormal inputs gets no subnormal double: the number that
 * the reference rounds does not come from a format. */
static bool is_double(double *out, const around *a, bool negative, bool flushes)
{
    if (a->shift + bit_length(a->significand) > 63) {
        return false;
    }
    int64_t whole = (int64_t)(a->significand << a->shift) + a->beside;
    int length = bit_length((uint64_t)whole);
    if (length > 53 || a->exponent < -1074 || a->exponent + length > 1024) {
        return false;
    }
    *out = ldexp((double)(negative ? -whole : whole), (int)a->exponent);
    return !flushes || isnormal(*out);
}

/* The number as 128 bits that start with a one, and a sticky bit for what is below them. */
static bnd_exact exact_of(const around *a, bool negative)
{
    int up = 128 - bit_length(a->significand);
    int place = up - a->shift; /* of the last bit of the number, counted from the lowest of the 128 */
    unsigned __int128 bits = (unsigned __int128)a->significand << up;
    unsigned __int128 beside = place < 0 ? 1 : (unsigned __int128)1 << place;
    int32_t exponent = (int32_t)(a->exponent + a->shift - up);
    bool sticky = a->beside != 0 && place < 0;
    if (a->beside < 0) {
        bits -= beside; /* a whole unit where only a part is subtracted: the sticky bit gives the rest back */
    } else if (a->beside > 0 && place >= 0) {
        bits += beside;
    }
    if (bits >> 127 == 0) { /* a power of two lost its leading bit; the sticky part is more than half of a unit */
        bits = bits << 1 | sticky;
        exponent--;
    }
    return (bnd_exact){.high = (uint64_t)(bits >> 64),
                       .low = (uint64_t)bits,
                       .exponent = exponent,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = sticky};
}

/* ---- the comparison ---- */

static const char *name_of(const around *a)
{
    static const char *const names[][3] = {{"", "midpoint", ""},
                                           {"midpoint - last bit", "", "midpoint + last bit"},
                                           {"midpoint - far bit", "", "midpoint + far bit"}};
    return names[a->shift == 0 ? 0 : a->shift < FAR ? 1 : 2][a->beside + 1];
}

static void compare_one(const midpoint *m, const around *a, bool negative)
{
    const bndi_inquiry *q = m->p->q;
    bnd_result want = reference(m, a, negative), got;
    double x;
    if (is_double(&x, a, negative, m->rule.flush_in)) {
        got = q->candidate.encode(&q->f, x, m->rule, m->random);
    } else {
        got = q->candidate.encode_exact(&q->f, exact_of(a, negative), m->rule, m->random);
    }
    bnd_verify_counterexample *c = bndi_count_case(m->p, bndi_same_result(got, want), name_of(a), got, want);
    if (c != NULL) { /* the operands are the codes on both sides */
        uint64_t sign = negative ? UINT64_C(1) << bnd_magnitude_bits(&q->f) : 0;
        c->operands = 2;
        c->from[0] = c->from[1] = q->f;
        c->codes[0] = m->code | sign;
        c->codes[1] = (m->code + 1) | sign;
        c->rule = m->rule;
        c->random = m->random;
    }
}

/* The midpoint significand * 2^exponent and the numbers around it, of both signs if the format has them. */
static void compare_around(const midpoint *m, uint64_t significand, int64_t exponent)
{
    int last = bit_length(significand) < 53 ? 53 - bit_length(significand) : 1;
    for (int i = 0; i < NUMBERS_AROUND; i++) {
        int shift = i == 0 ? 0 : i <= 2 ? last : FAR;
        around a = {significand, shift, i == 0 ? 0 : i % 2 == 0 ? 1 : -1, exponent - shift};
        for (int sign = 0; sign <= m->p->q->f.is_signed; sign++) {
            compare_one(m, &a, sign != 0);
        }
    }
}

static uint64_t most_codes(const bndi_inquiry *q)
{
    return q->exhaustive ? ALL_CODES_EXHAUSTIVE : ALL_CODES;
}

static bool takes_all(const bndi_inquiry *q)
{
    return q->f.max_code < most_codes(q);
}

static uint64_t count_midpoints(const bndi_inquiry *q)
{
    bool too_wide = q->f.precision > 63; /* twice a midpoint has one bit more */
    return too_wide ? 0 : takes_all(q) ? q->f.max_code + 1 : DRAWN * (q->exhaustive ? UINT64_C(256) : 1);
}

static void check_midpoint(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, &q->f);
    midpoint m = {.p = p, .code = index, .random = bndi_random_of(q, 7, index), .rule = q->rule};
    if (!takes_all(q)) {
        m.code = bndi_code_at(q, 1, index);
        m.code = m.code > q->f.max_code ? m.code % (q->f.max_code + 1) : m.code;
    }
    if (m.code == UINT64_MAX) {
        return; /* the code above it does not fit */
    }
    bndi_oracle_value below = bndi_oracle_grid_value(&shape, m.code);
    bndi_oracle_value above = bndi_oracle_grid_value(&shape, m.code + 1);
    if (below.significand == 0) {
        below.quantum = above.quantum;
    }
    /* The quantum of the next binade is at most twice that of the one below. */
    int64_t quantum = below.quantum < above.quantum ? below.quantum : above.quantum;
    uint64_t sum = (below.significand << (below.quantum - quantum)) + (above.significand << (above.quantum - quantum));
    bool near_top = bndi_oracle_exponent(&above) >= bndi_oracle_exponent(&shape.max);
    for (int policy = 0; policy < (near_top ? BND_OVERFLOW_COUNT : 1); policy++) {
        m.rule.overflow = near_top ? (uint8_t)policy : q->rule.overflow;
        compare_around(&m, sum, quantum - 1);
    }
}

static double midpoint_cost(const bndi_inquiry *q)
{
    return q->f.is_signed ? 10 * 550 : 5 * 550;
}

const bndi_verify_row bndi_verify_midpoints = {
    .name = "midpoints",
    .title = "midpoints, also with a bit 200 places down; near the top every overflow policy",
    .rounds = true,
    .at_once = 1 << 8,
    .indices = count_midpoints,
    .cost = midpoint_cost,
    .check = check_midpoint};
