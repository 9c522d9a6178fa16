/* Operations by the definition: operands as integers times a power of two, results as rational numbers, neighbours by
 * counting codes. What IEEE 754-2019 says of NaNs, infinities and zeros is written down here a second time. */
#include "oracle/oracle.h"

#include <string.h>

struct bndi_oracle_operation {
    const char *name;
    unsigned operands;
    bool takes_an_integer; /* the second operand */
    bool number_wins;      /* over NaN */
    void (*compute)(bndi_oracle_problem *p);
};

void bndi_oracle_problem_open(bndi_oracle_problem *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < BNDI_ORACLE_OPERANDS; i++) {
        bndi_oracle_number_open(&p->x[i]);
    }
    bndi_oracle_number_open(&p->exact);
    bndi_oracle_work_open(&p->work);
    mpz_inits(p->a, p->b, p->c, (mpz_ptr)NULL);
}

void bndi_oracle_problem_close(bndi_oracle_problem *p)
{
    for (int i = 0; i < BNDI_ORACLE_OPERANDS; i++) {
        bndi_oracle_number_close(&p->x[i]);
    }
    bndi_oracle_number_close(&p->exact);
    bndi_oracle_work_close(&p->work);
    mpz_clears(p->a, p->b, p->c, (mpz_ptr)NULL);
}

/* ---- answers ---- */

static bool is_nan(const bndi_oracle_number *x)
{
    return x->kind == BND_ORACLE_NAN || x->kind == BND_ORACLE_SIGNALING_NAN;
}

static bool is_infinite(const bndi_oracle_number *x)
{
    return x->kind == BND_ORACLE_INFINITE;
}

static void give_integer(bndi_oracle_problem *p, int64_t n)
{
    mpz_set_si(p->c, n);
    mpz_abs(p->c, p->c);
    bndi_oracle_set_dyadic(&p->exact, n < 0, p->c, 0);
}

static void give(bndi_oracle_problem *p, const bndi_oracle_number *x)
{
    if (x->kind == BND_ORACLE_FINITE) {
        bndi_oracle_set_quotient(&p->exact, x->negative, x->numerator, x->denominator, x->scale);
    } else {
        bndi_oracle_give_infinity(p, x->negative);
    }
}

/* ---- arithmetic ---- */

/* x as an integer times 2^scale, sign and all. */
static void integer_at(mpz_t out, const bndi_oracle_number *x, int64_t scale)
{
    mpz_mul_2exp(out, x->numerator, (mp_bitcnt_t)(x->scale - scale));
    if (x->negative) {
        mpz_neg(out, out);
    }
}

/* Two finite numbers as p->a and p->b, integers times 2^(what is returned). */
static int64_t align(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    int64_t scale = x->scale < y->scale ? x->scale : y->scale;
    integer_at(p->a, x, scale);
    integer_at(p->b, y, scale);
    return scale;
}

/* p->exact may be x. */
static void add_numbers(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    bool agree = x->negative == y->negative;
    if (is_infinite(x) && is_infinite(y) && !agree) {
        bndi_oracle_undefined(p);
    } else if (is_infinite(x) || is_infinite(y)) {
        bndi_oracle_give_infinity(p, is_infinite(x) ? x->negative : y->negative);
    } else {
        int64_t scale = align(p, x, y);
        mpz_add(p->a, p->a, p->b);
        bool negative = mpz_sgn(p->a) < 0;
        if (mpz_sgn(p->a) == 0) {
            negative = agree ? x->negative : p->rule.rounding == BND_ROUND_RDN;
        }
        mpz_abs(p->a, p->a);
        bndi_oracle_set_dyadic(&p->exact, negative, p->a, scale);
    }
}

static void add(bndi_oracle_problem *p)
{
    add_numbers(p, &p->x[0], &p->x[1]);
}

static void sub(bndi_oracle_problem *p)
{
    p->x[1].negative = !p->x[1].negative;
    add(p);
}

static void mul(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    bool negative = x->negative != y->negative;
    if (is_infinite(x) || is_infinite(y)) {
        if (bndi_oracle_is_zero(x) || bndi_oracle_is_zero(y)) {
            bndi_oracle_undefined(p);
        } else {
            bndi_oracle_give_infinity(p, negative);
        }
        return;
    }
    mpz_mul(p->a, x->numerator, y->numerator);
    bndi_oracle_set_dyadic(&p->exact, negative, p->a, x->scale + y->scale);
}

static void multiply_add(bndi_oracle_problem *p)
{
    mul(p);
    if (!is_nan(&p->exact)) {
        add_numbers(p, &p->exact, &p->x[2]);
    }
}

static void divide(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    bool negative = x->negative != y->negative;
    bool no_answer = is_infinite(x) ? is_infinite(y) : bndi_oracle_is_zero(x) && bndi_oracle_is_zero(y);
    if (no_answer) {
        bndi_oracle_undefined(p);
    } else if (is_infinite(x) || bndi_oracle_is_zero(y)) {
        p->flags |= is_infinite(x) ? 0 : BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, negative);
    } else if (is_infinite(y)) {
        bndi_oracle_give_zero(p, negative);
    } else {
        bndi_oracle_set_quotient(&p->exact, negative, x->numerator, y->numerator, x->scale - y->scale);
    }
}

/* a - b n, by division with a remainder that is not negative; -|b| n takes as much of it as b n. */
static void rem(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    if (is_infinite(x) || bndi_oracle_is_zero(y)) {
        bndi_oracle_undefined(p);
        return;
    }
    if (is_infinite(y)) {
        give(p, x);
        return;
    }
    int64_t scale = align(p, x, y);
    mpz_abs(p->b, p->b);
    mpz_fdiv_qr(p->c, p->a, p->a, p->b);
    mpz_mul_2exp(p->work.left, p->a, 1);
    int half = mpz_cmp(p->work.left, p->b);
    if (half > 0 || (half == 0 && mpz_odd_p(p->c))) {
        mpz_sub(p->a, p->a, p->b);
    }
    bool negative = mpz_sgn(p->a) != 0 ? mpz_sgn(p->a) < 0 : x->negative;
    mpz_abs(p->a, p->a);
    bndi_oracle_set_dyadic(&p->exact, negative, p->a, scale);
}

/* Breakpoints of every rounding have at most 64 + 63 bits. A root between two neighbouring numbers of 200 bits lies
 * between the same breakpoints as the middle of the two. */
static void square_root(bndi_oracle_problem *p)
{
    enum { BITS = 200 };
    const bndi_oracle_number *x = &p->x[0];
    if (bndi_oracle_is_zero(x)) {
        bndi_oracle_give_zero(p, x->negative);
    } else if (x->negative) {
        bndi_oracle_undefined(p);
    } else if (is_infinite(x)) {
        bndi_oracle_give_infinity(p, false);
    } else {
        int64_t shift = 2 * BITS + (x->scale & 1);
        mpz_mul_2exp(p->a, x->numerator, (mp_bitcnt_t)shift);
        mpz_sqrtrem(p->a, p->b, p->a);
        bool between = mpz_sgn(p->b) != 0;
        mpz_mul_2exp(p->a, p->a, 1);
        mpz_add_ui(p->a, p->a, between);
        bndi_oracle_set_dyadic(&p->exact, false, p->a, (x->scale - shift) / 2 - 1);
    }
}

static void reciprocal(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (is_infinite(x)) {
        bndi_oracle_give_zero(p, x->negative);
    } else if (bndi_oracle_is_zero(x)) {
        p->flags |= BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, x->negative);
    } else {
        mpz_set_ui(p->a, 1);
        bndi_oracle_set_quotient(&p->exact, x->negative, p->a, x->numerator, -x->scale);
    }
}

static void opposite(bndi_oracle_problem *p)
{
    p->x[0].negative = !p->x[0].negative;
    give(p, &p->x[0]);
}

static void magnitude(bndi_oracle_problem *p)
{
    p->x[0].negative = false;
    give(p, &p->x[0]);
}

/* ---- integers and exponents ---- */

static void nearby(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (is_infinite(x)) {
        bndi_oracle_give_infinity(p, x->negative);
        return;
    }
    p->ternary = bndi_oracle_to_integer(p->a, &p->work, x, p->rule, p->random);
    bndi_oracle_set_dyadic(&p->exact, x->negative, p->a, 0);
}

static void round_to_integer(bndi_oracle_problem *p)
{
    nearby(p);
    p->flags |= p->ternary != 0 ? BND_FLAG_INEXACT : 0;
}

static void log_of_binade(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (is_infinite(x)) {
        bndi_oracle_give_infinity(p, false);
    } else if (bndi_oracle_is_zero(x)) {
        p->flags |= BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, true);
    } else {
        give_integer(p, x->exponent);
    }
}

/* The second operand is an integer; beyond 2^18, every format's range is left behind. */
static void scalb(bndi_oracle_problem *p)
{
    const int64_t far = 1 << 18;
    int64_t n = mpz_fits_slong_p(p->x[1].numerator) ? mpz_get_si(p->x[1].numerator) : far;
    n = n < far ? n : far;
    give(p, &p->x[0]);
    if (!is_infinite(&p->exact) && mpz_sgn(p->exact.numerator) != 0) {
        p->exact.scale += p->x[1].negative ? -n : n;
        p->exact.exponent += p->x[1].negative ? -n : n;
    }
}

static void ulp(bndi_oracle_problem *p)
{
    if (is_infinite(&p->x[0])) {
        bndi_oracle_give_infinity(p, false);
        return;
    }
    mpz_set_ui(p->a, 1);
    bool zero = p->first.significand == 0;
    bndi_oracle_set_dyadic(&p->exact, false, p->a, zero ? p->shape.least.quantum : p->first.quantum);
}

/* ---- order ---- */

/* Sign of x - y; neither is NaN. */
static int order(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    int left = is_infinite(x) ? (x->negative ? -1 : 1) : 0, right = is_infinite(y) ? (y->negative ? -1 : 1) : 0;
    if (left != 0 || right != 0) {
        return (left > right) - (left < right);
    }
    align(p, x, y);
    int sign = mpz_cmp(p->a, p->b);
    return (sign > 0) - (sign < 0);
}

/* wanted: -1 for the smaller one, 1 for the larger. */
static void choose(bndi_oracle_problem *p, int wanted)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    if (is_nan(x) || is_nan(y)) {
        give(p, is_nan(x) ? y : x);
        return;
    }
    int sign = order(p, x, y);
    if (sign == 0 && x->negative != y->negative) {
        sign = x->negative ? -1 : 1;
    }
    give(p, sign == wanted ? x : y);
}

static void smaller(bndi_oracle_problem *p)
{
    choose(p, -1);
}

static void larger(bndi_oracle_problem *p)
{
    choose(p, 1);
}

/* The code after or before that of the first operand in the order of values. Codes without a sign are in the order of
 * their values, and those with one the other way round. */
static void step(bndi_oracle_problem *p, bool up)
{
    const bndi_oracle_shape *shape = &p->shape;
    bndi_oracle_value from = p->first;
    bool negative = from.negative, zero = from.kind == BND_ORACLE_FINITE && from.significand == 0;
    bool outward = zero || negative != up;
    if (zero) {
        negative = !up;
    }
    from.negative = false;
    uint64_t magnitude = from.kind == BND_ORACLE_INFINITE ? shape->max_code + 1 : bndi_oracle_code_of(shape, &from);
    bool none = negative && !shape->is_signed;
    if (!outward && magnitude == 0) { /* the least number of a format without zero: on to the other sign, if there is */
        none = !shape->is_signed;
        negative = !negative;
    } else {
        magnitude += outward ? 1 : UINT64_MAX;
    }
    if (none || magnitude > shape->max_code) {
        bndi_oracle_give_infinity(p, !up);
        return;
    }
    bndi_oracle_value to = bndi_oracle_grid_value(shape, magnitude);
    to.negative = negative && (to.significand != 0 || shape->negative_zero);
    bndi_oracle_set_value(&p->exact, &to);
}

static void next_up(bndi_oracle_problem *p)
{
    step(p, true);
}

static void next_down(bndi_oracle_problem *p)
{
    step(p, false);
}

/* ---- the table ---- */

static const bndi_oracle_operation operations[] = {
    {"add", 2, false, false, add},
    {"sub", 2, false, false, sub},
    {"mul", 2, false, false, mul},
    {"div", 2, false, false, divide},
    {"rem", 2, false, false, rem},
    {"fma", 3, false, false, multiply_add},
    {"sqrt", 1, false, false, square_root},
    {"rint", 1, false, false, round_to_integer},
    {"nearby", 1, false, false, nearby},
    {"min", 2, false, false, smaller},
    {"max", 2, false, false, larger},
    {"min_number", 2, false, true, smaller},
    {"max_number", 2, false, true, larger},
    {"scalb", 2, true, false, scalb},
    {"logb", 1, false, false, log_of_binade},
    {"next_up", 1, false, false, next_up},
    {"next_down", 1, false, false, next_down},
    {"ulp", 1, false, false, ulp},
    {"neg", 1, false, false, opposite},
    {"abs", 1, false, false, magnitude},
    {"exp", 1, false, false, bndi_oracle_exp},
    {"log", 1, false, false, bndi_oracle_log},
    {"tanh", 1, false, false, bndi_oracle_tanh},
    {"sigmoid", 1, false, false, bndi_oracle_sigmoid},
    {"erf", 1, false, false, bndi_oracle_erf},
    {"gelu", 1, false, false, bndi_oracle_gelu},
    {"gelu_tanh", 1, false, false, bndi_oracle_gelu_tanh},
    {"rsqrt", 1, false, false, bndi_oracle_rsqrt},
    {"reciprocal", 1, false, false, reciprocal},
};

const bndi_oracle_operation *bndi_oracle_operation_named(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(operations[i].name, name) == 0) {
            return &operations[i];
        }
    }
    return NULL;
}

static void take_code(bndi_oracle_problem *p, unsigned i, const bnd_format *from, uint64_t code)
{
    bndi_oracle_number *x = &p->x[i];
    bndi_oracle_set_code(x, from, code);
    bool flushed = x->subnormal && p->rule.flush_in;
    if (flushed) {
        p->flags |= BND_FLAG_TO_ZERO;
        mpz_set_ui(x->numerator, 0);
        x->scale = 0;
    }
    if (i == 0) {
        bndi_oracle_describe(&p->shape, from);
        p->first = bndi_oracle_value_of(&p->shape, code);
        p->first.significand = flushed ? 0 : p->first.significand;
    }
}

static void take_integer(bndi_oracle_problem *p, unsigned i, int64_t n)
{
    mpz_set_si(p->c, n);
    mpz_abs(p->c, p->c);
    bndi_oracle_set_dyadic(&p->x[i], n < 0, p->c, 0);
}

/* The first NaN among the operands comes out, except where a number does. True where that is all. */
static bool settle_nans(bndi_oracle_problem *p, const bndi_oracle_operation *operation)
{
    const bndi_oracle_number *first = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < operation->operands; i++) {
        const bndi_oracle_number *x = &p->x[i];
        p->flags |= x->kind == BND_ORACLE_SIGNALING_NAN ? BND_FLAG_INVALID : 0;
        count += is_nan(x);
        first = first == NULL && is_nan(x) ? x : first;
    }
    if (first == NULL || (operation->number_wins && count < operation->operands)) {
        return false;
    }
    if (operation->compute == opposite || operation->compute == magnitude) {
        bool negative = operation->compute == opposite && !first->negative;
        bndi_oracle_value nan = {first->kind, negative, first->payload, 0};
        p->flags = 0; /* the conversion raises it */
        bndi_oracle_set_value(&p->exact, &nan);
        return true;
    }
    if (operation->compute == multiply_add && !is_nan(&p->x[0]) && !is_nan(&p->x[1]) && p->rule.nan != BND_NAN_X86) {
        mul(p); /* invalid where the product is 0 * inf */
    }
    bndi_oracle_give_nan(p, first->negative, first->payload);
    return true;
}

/* The judge's default NaN is that of conversions. */
static bnd_rule with_own_nan(bnd_rule rule)
{
    if (rule.nan == BND_NAN_DEFAULT) {
        rule.nan = BND_NAN_CANONICAL;
    }
    return rule;
}

static void round_answer(bndi_oracle_answer *out, bndi_oracle_problem *p, const bnd_format *to, bnd_rule rule,
                         uint64_t random)
{
    bndi_oracle_judge(out, &p->work, to, &p->exact, with_own_nan(rule), random, BNDI_ORACLE_EITHER);
    out->result.flags |= p->flags;
    if (out->result.ternary == 0 && out->value.kind <= BND_ORACLE_INFINITE) {
        out->result.ternary = p->ternary;
    }
}

/* neg and abs in one format with a sign: the code that has the sign asked for, where there is one. */
static bool settle_sign(bndi_oracle_answer *out, const bndi_oracle_operation *operation, const bnd_format *to,
                        const bnd_format *from, uint64_t code)
{
    bool negates = operation->compute == opposite;
    if ((!negates && operation->compute != magnitude) || to->width == 0 || !bnd_format_same(to, from) ||
        (negates && !to->is_signed)) {
        return false;
    }
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, to);
    code &= to->width == 64 ? UINT64_MAX : (UINT64_C(1) << to->width) - 1;
    uint64_t other = negates ? code ^ shape.sign_bit : code & ~shape.sign_bit;
    bndi_oracle_value was = bndi_oracle_value_of(&shape, code), is = bndi_oracle_value_of(&shape, other);
    bool exists = is.kind == was.kind && is.significand == was.significand;
    *out = (bndi_oracle_answer){.result = {.code = exists ? other : code}, .value = exists ? is : was};
    return true;
}

void bndi_oracle_operate(bndi_oracle_answer *out, bndi_oracle_problem *p, const bnd_format *to,
                         const bndi_oracle_operation *operation, const bnd_format *const *from, const uint64_t *codes,
                         bnd_rule rule, uint64_t random)
{
    p->settled = settle_sign(out, operation, to, from[0], codes[0]);
    if (p->settled) {
        return;
    }
    p->rule = rule;
    p->random = random;
    p->flags = 0;
    p->ternary = 0;
    for (unsigned i = 0; i < operation->operands; i++) {
        if (operation->takes_an_integer && i == 1) {
            take_integer(p, i, (int64_t)codes[i]);
        } else {
            take_code(p, i, from[i], codes[i]);
        }
    }
    if (!settle_nans(p, operation)) {
        operation->compute(p);
    }
    round_answer(out, p, to, rule, random);
}

void bndi_oracle_operate_again(bndi_oracle_answer *out, bndi_oracle_problem *p, const bnd_format *to, bnd_rule rule,
                               uint64_t random)
{
    if (!p->settled) {
        round_answer(out, p, to, rule, random);
    }
}

bnd_status bnd_oracle_operate(bnd_result *out, const bnd_format *to, const char *operation,
                              const bnd_format *const *from, const uint64_t *codes, bnd_rule rule, uint64_t random,
                              bnd_error *why)
{
    if (strcmp(operation, "convert") == 0) {
        *out = bnd_oracle_convert(to, from[0], codes[0], rule, random);
        return BND_OK;
    }
    const bndi_oracle_operation *row = bndi_oracle_operation_named(operation);
    if (row == NULL) {
        size_t length = strlen(operation);
        return bnd_fail(why, BND_BAD_NAME, 0, "the oracle has no operation '%.*s'", length < 40 ? (int)length : 40,
                        operation);
    }
    bndi_oracle_problem problem;
    bndi_oracle_answer answer;
    bndi_oracle_problem_open(&problem);
    bndi_oracle_operate(&answer, &problem, to, row, from, codes, rule, random);
    bndi_oracle_problem_close(&problem);
    *out = answer.result;
    return BND_OK;
}

bool bnd_oracle_compare(int *out, const bnd_format *of_a, uint64_t a, const bnd_format *of_b, uint64_t b)
{
    bndi_oracle_problem problem;
    bndi_oracle_problem_open(&problem);
    problem.rule = (bnd_rule){0};
    take_code(&problem, 0, of_a, a);
    take_code(&problem, 1, of_b, b);
    bool ordered = !is_nan(&problem.x[0]) && !is_nan(&problem.x[1]);
    *out = ordered ? order(&problem, &problem.x[0], &problem.x[1]) : 0;
    bndi_oracle_problem_close(&problem);
    return ordered;
}
