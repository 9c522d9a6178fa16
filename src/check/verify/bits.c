/* Elementary functions before rounding: the 128 bits of the exact result and its sticky bit, compared with MPFR.
 * Rounding them is checked with the codec.
 *
 * The operands are the numbers of at most 16 bits in the range of a format that holds such numbers: with fp64, all
 * operands that the functions take. Each function is checked in the binades from where its result is nearly a number
 * of few bits to where it is so again or out of range, and in a few binades on either side; log in all of them. */
#include "verify/verify.h"

/* What the functions take: numbers of fp64 that have at most 16 bits. */
enum { OPERAND_BITS = 16, LEAST = -1074, MOST = 1023 };

/* The binades that decide: exponents of the leading bit. */
typedef struct function {
    bnd_operation operation;
    bndi_oracle_compute *reference;
    int32_t least, most;
    bool positive; /* negative operands give the same but for the sign, or nothing */
} function;

static const function functions[] = {
    {BND_OP_EXP, bndi_oracle_exp, -68, 32, false},
    {BND_OP_LOG, bndi_oracle_log, LEAST, MOST, true},
    {BND_OP_TANH, bndi_oracle_tanh, -70, 8, true},
    {BND_OP_SIGMOID, bndi_oracle_sigmoid, -70, 32, false},
    {BND_OP_ERF, bndi_oracle_erf, -112, 5, true},
    {BND_OP_GELU, bndi_oracle_gelu, -132, 17, false},
    {BND_OP_GELU_TANH, bndi_oracle_gelu_tanh, -132, 12, false},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], TOP = OPERAND_BITS - 1, DRAWN = 16 };

/* ---- which operands ---- */

/* The operands of one function: binades, signs, significands. */
typedef struct operands {
    int32_t least, most;
    unsigned signs;
    uint64_t significands; /* of a binade */
} operands;

static operands operands_of(const bndi_inquiry *q, const function *f)
{
    int32_t lowest = q->f.has_subnormals ? q->f.least_quantum : q->f.emin, highest = q->f.emax;
    return (operands){.least = lowest > f->least ? lowest : f->least,
                      .most = highest < f->most ? highest : f->most,
                      .signs = f->positive || !q->f.is_signed ? 1 : 2,
                      .significands = q->exhaustive ? UINT64_C(1) << TOP : DRAWN};
}

static uint64_t count_of(const operands *o)
{
    return o->most < o->least ? 0 : (uint64_t)(o->most - o->least + 1) * o->signs * o->significands;
}

static uint64_t count_operands(const bndi_inquiry *q)
{
    uint64_t count = 0;
    for (size_t i = 0; q->f.precision >= OPERAND_BITS && i < FUNCTIONS; i++) {
        operands o = operands_of(q, &functions[i]);
        count += count_of(&o);
    }
    return count;
}

/* The operand at an index, which counts from the function's first one. */
static bnd_exact operand_at(const bndi_inquiry *q, const operands *o, uint64_t index)
{
    uint64_t significand = index % o->significands, binade = index / o->significands / o->signs;
    if (!q->exhaustive) {
        significand = bnd_random(127, 0, index) >> (64 - TOP);
    }
    return (bnd_exact){.low = UINT64_C(1) << TOP | significand,
                       .exponent = o->least + (int32_t)binade - TOP,
                       .kind = BND_KIND_FINITE,
                       .negative = index / o->significands % o->signs != 0};
}

/* Whether the format has the number, and the functions take it. */
static bool is_operand(const bndi_inquiry *q, const bnd_exact *x)
{
    int32_t lowest = x->exponent + __builtin_ctzll(x->low);
    return lowest >= LEAST && lowest >= q->f.least_quantum;
}

/* ---- the comparison ---- */

/* The leading 128 bits of the exact answer. */
static bnd_exact leading_bits(bndi_oracle_problem *p)
{
    bnd_exact out = {.kind = BND_KIND_FINITE, .negative = p->exact.negative};
    size_t length = mpz_sizeinbase(p->exact.numerator, 2);
    mpz_mul_2exp(p->a, p->exact.numerator, 128);
    out.sticky = mpz_scan1(p->a, 0) < length;
    mpz_fdiv_q_2exp(p->a, p->a, length);
    out.exponent = (int32_t)(p->exact.scale + (int64_t)length - 128);
    out.low = mpz_get_ui(p->a);
    mpz_fdiv_q_2exp(p->a, p->a, 64);
    out.high = mpz_get_ui(p->a);
    return out;
}

static bool same_bits(const bnd_exact *got, const bnd_exact *want)
{
    enum { FAR = 1 << 18 }; /* the oracle goes no further */
    int64_t exponent = (int64_t)got->exponent + 127;
    if (got->kind != BND_KIND_FINITE || want->kind != BND_KIND_FINITE) {
        return got->kind == want->kind;
    }
    if (exponent > FAR || exponent < -FAR) {
        return got->negative == want->negative && (exponent < 0) == (want->exponent < 0) &&
               (want->exponent + 127 >= FAR - 1 || want->exponent + 127 <= -FAR);
    }
    return got->high == want->high && got->low == want->low && got->exponent == want->exponent &&
           got->negative == want->negative && got->sticky == want->sticky;
}

static void check_operand(bndi_piece *p, const function *f, const bnd_exact *x)
{
    const bndi_inquiry *q = p->q;
    bndi_oracle_problem *oracle = &p->oracle;
    uint32_t flags;
    bnd_exact got = q->candidate.operate_exact(f->operation, &q->f, x, (bnd_rule){0}, 0, &flags);
    mpz_set_ui(oracle->c, x->low);
    bndi_oracle_set_dyadic(&oracle->x[0], x->negative, oracle->c, x->exponent);
    f->reference(oracle);
    bool zero = bndi_oracle_is_zero(&oracle->exact);
    bnd_exact want = zero ? (bnd_exact){.kind = BND_KIND_ZERO} : leading_bits(oracle);
    const bnd_result by = {.flags = flags};
    bnd_verify_counterexample *c = bndi_count_case(p, flags == 0 && same_bits(&got, &want),
                                                   bnd_operation_name(f->operation), by, (bnd_result){.flags = 0});
    if (c != NULL) {
        c->operands = 1;
        c->from[0] = q->f;
        c->codes[0] = bnd_encode_exact(&q->f, *x, (bnd_rule){0}, 0).code;
        c->exact = true;
        c->exact_got = got;
        c->exact_want = want;
    }
}

static void check_index(bndi_piece *p, uint64_t index)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        operands o = operands_of(p->q, &functions[i]);
        uint64_t count = count_of(&o);
        if (index < count) {
            bnd_exact x = operand_at(p->q, &o, index);
            if (is_operand(p->q, &x)) {
                check_operand(p, &functions[i], &x);
            }
            return;
        }
        index -= count;
    }
}

static double operand_cost(const bndi_inquiry *q)
{
    (void)q;
    return 6000;
}

const bndi_verify_row bndi_verify_bits = {
    .name = "bits",
    .title = "exp log tanh sigmoid erf gelu gelu_tanh to 128 bits, at numbers of 16 bits",
    .at_once = 1 << 9,
    .indices = count_operands,
    .cost = operand_cost,
    .check = check_index};
