/* Operations on codes in double arithmetic. The compiler must not contract or reorder it: the only fused operations
 * are those written as such. */
#include "verify/narrow_operations.h"

#include <binade-lab/oracle.h>

#include <math.h>

bndi_narrow_operand bndi_narrow_operand_of(const bnd_format *f, uint64_t code)
{
    bndi_narrow_operand x = {.code = code};
    bnd_oracle_kind kind = bnd_oracle_decode(&x.value, f, code);
    x.nan = kind == BND_ORACLE_NAN || kind == BND_ORACLE_SIGNALING_NAN;
    x.signals = kind == BND_ORACLE_SIGNALING_NAN;
    return x;
}

static double next_value(const bnd_format *f, const bndi_narrow_operand *x, bool up)
{
    double side = up ? (double)INFINITY : -(double)INFINITY, nearest = side;
    for (uint64_t code = 0; code < UINT64_C(1) << f->width; code++) {
        bndi_narrow_operand y = bndi_narrow_operand_of(f, code);
        bool beyond = !y.nan && (up ? y.value > x->value : y.value < x->value);
        if (beyond && (up ? y.value < nearest : y.value > nearest)) {
            nearest = y.value;
        }
    }
    return nearest == 0.0 && up ? -0.0 : nearest == 0.0 ? 0.0 : nearest;
}

/* A unit of the last place by search: the gap to the next magnitude above within the binade of x. */
static double ulp_of(const bnd_format *f, double x)
{
    int exponent = f->emin, of_x;
    if (isinf(x)) {
        return (double)INFINITY;
    }
    if (x != 0.0) {
        frexp(x, &of_x);
        exponent = of_x - 1 > exponent ? of_x - 1 : exponent;
    }
    return ldexp(1.0, exponent - f->fraction_bits);
}

static bndi_narrow_operand number_of(const bndi_narrow_operand *a, const bndi_narrow_operand *b)
{
    return a->nan ? *b : *a;
}

/* IEEE's order, where -0 is below +0. */
static double chosen(const bndi_narrow_operand *a, const bndi_narrow_operand *b, bool smaller)
{
    bool a_first = a->value < b->value || (a->value == b->value && signbit(a->value) > signbit(b->value));
    return a_first == smaller ? a->value : b->value;
}

static void fused(bndi_narrow_exact *out, double a, double b, double c)
{
    double product = a * b;
    out->at = bndi_place_of_sum(product, c);
    out->cancels = !(product == 0.0 && c == 0.0 && !signbit(product) == !signbit(c));
}

/* a 2^n, kept within what a double holds but beyond every breakpoint of the format. */
static double scaled_by(double a, uint64_t n)
{
    const int64_t most = 2000, wanted = (int64_t)n, exponent = wanted > most ? most : wanted < -most ? -most : wanted;
    double x = ldexp(a, (int)exponent);
    if (a == 0.0 || !isfinite(a) || isnormal(x)) {
        return x;
    }
    return copysign(isinf(x) ? 0x1p1000 : 0x1p-1000, a);
}

static void compute(bndi_narrow_exact *out, bnd_operation operation, const bnd_format *f, const bndi_narrow_operand *x)
{
    double a = x[0].value, b = bnd_operation_operands(operation) > 1 ? x[1].value : 0.0;
    switch (operation) {
    case BND_OP_ADD:
        fused(out, a, 1.0, b);
        break;
    case BND_OP_SUB:
        fused(out, a, 1.0, -b);
        break;
    case BND_OP_MUL:
        out->at = bndi_place_of_product(a, b);
        break;
    case BND_OP_DIV:
        out->at = bndi_place_of_quotient(a, b);
        out->divbyzero = b == 0.0 && isfinite(a) && a != 0.0;
        break;
    case BND_OP_REM:
        out->at = bndi_place_of(remainder(a, b));
        break;
    case BND_OP_FMA:
        fused(out, a, b, x[2].value);
        break;
    case BND_OP_SQRT:
        out->at = bndi_place_of_root(a);
        break;
    case BND_OP_SCALB:
        out->at = bndi_place_of(scaled_by(a, x[1].code));
        break;
    case BND_OP_LOGB:
        out->at = bndi_place_of(logb(a));
        out->divbyzero = a == 0.0;
        break;
    case BND_OP_NEXT_UP:
    case BND_OP_NEXT_DOWN:
        out->at = bndi_place_of(next_value(f, x, operation == BND_OP_NEXT_UP));
        break;
    case BND_OP_ULP:
        out->at = bndi_place_of(ulp_of(f, a));
        break;
    case BND_OP_MIN:
    case BND_OP_MIN_NUMBER:
        out->at = bndi_place_of(chosen(&x[0], &x[1], true));
        break;
    case BND_OP_MAX:
    case BND_OP_MAX_NUMBER:
        out->at = bndi_place_of(chosen(&x[0], &x[1], false));
        break;
    default:
        out->at = bndi_place_of(a);
        out->integer = operation != BND_OP_CONVERT;
        break;
    }
}

bndi_narrow_exact bndi_narrow_exact_of(bnd_operation operation, const bnd_format *f, const bndi_narrow_operand *x)
{
    bndi_narrow_exact out = {.at = {0.0, 0}};
    unsigned operands = bnd_operation_operands(operation), nans = 0;
    for (unsigned i = 0; i < operands; i++) {
        nans += x[i].nan;
        out.invalid = out.invalid || x[i].signals;
    }
    bool number_wins = operation == BND_OP_MIN_NUMBER || operation == BND_OP_MAX_NUMBER;
    if (number_wins && nans == 1) {
        out.at = bndi_place_of(number_of(&x[0], &x[1]).value);
        return out;
    }
    if (nans > 0) {
        bool no_product = operation == BND_OP_FMA && isnan(x[0].value * x[1].value) && !x[0].nan && !x[1].nan;
        out.at = bndi_place_of(x[0].value); /* its sign counts where it is converted */
        out.nan_in = true;
        out.invalid = out.invalid || no_product;
        return out;
    }
    compute(&out, operation, f, x);
    out.invalid = isnan(out.at.head);
    return out;
}

/* The modes by C's own functions. */
static double to_integer(double x, bnd_rounding mode)
{
    double below = floor(x), above = ceil(x), to_zero = x < 0.0 ? above : below, away = x < 0.0 ? below : above;
    double result;
    switch (mode) {
    case BND_ROUND_RTZ:
        result = to_zero;
        break;
    case BND_ROUND_RUP:
        result = above;
        break;
    case BND_ROUND_RDN:
        result = below;
        break;
    case BND_ROUND_RTO:
        result = fmod(to_zero, 2.0) != 0.0 ? to_zero : away;
        break;
    case BND_ROUND_RNA:
        result = round(x);
        break;
    default:
        result = x - remainder(x, 1.0); /* whose even quotient is the even integer */
        break;
    }
    return copysign(result, x);
}

bnd_result bndi_narrow_answer(const bndi_answers *a, bnd_operation operation, const bndi_narrow_exact *exact)
{
    const bool converts = operation == BND_OP_CONVERT;
    bndi_answer_place at = exact->at;
    bnd_result r;
    if (exact->nan_in || isnan(at.head)) {
        r = a->nan[converts && signbit(at.head)];
    } else {
        if (exact->integer && isfinite(at.head)) {
            at.head = to_integer(at.head, bnd_rule_rounding(a->rule));
        }
        if (exact->cancels && at.head == 0.0) {
            at.head = a->rule.rounding == BND_ROUND_RDN ? -0.0 : 0.0;
        }
        r = bndi_answer_at(a, at);
    }
    bool moved = exact->integer && !exact->nan_in && at.head != exact->at.head;
    bool is_nan = a->format.has_nan && (r.code == a->nan[0].code || r.code == a->nan[1].code);
    r.code = is_nan && !converts ? a->nan[0].code : r.code; /* only a conversion gives a NaN a sign */
    if (moved && r.ternary == 0 && !is_nan) {
        r.ternary = at.head > exact->at.head ? 1 : -1;
    }
    r.flags |= exact->invalid ? (uint32_t)BND_FLAG_INVALID : 0;
    r.flags |= exact->divbyzero ? (uint32_t)BND_FLAG_DIVBYZERO : 0;
    r.flags |= moved && operation == BND_OP_RINT ? (uint32_t)BND_FLAG_INEXACT : 0;
    return r;
}
