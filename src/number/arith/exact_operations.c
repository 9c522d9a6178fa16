/* The results of operations on exact operands: special cases for NaNs, infinities and zeros, else the exact sum,
 * product or quotient. One row per operation. */
#include "arith/arith.h"

#include "arith/elementary.h"
#include "base/base.h"
#include "format/format.h"

/* ---- NaNs ---- */

/* The first NaN among the operands, made quiet. */
static void give_nan(bnd_exact *out, const bndi_question *q, unsigned operands)
{
    for (unsigned i = operands; i-- > 0;) {
        if (bndi_is_nan(&q->x[i])) {
            *out = q->x[i];
        }
    }
    out->high |= UINT64_C(1) << 63;
    out->kind = BND_KIND_QUIET_NAN;
}

/* ---- sums and products ---- */

/* x + y; x may be a product. */
static void sum(bnd_exact *out, bndi_question *q, const bnd_exact *x, const bnd_exact *y)
{
    bool down = q->rule.rounding == BND_ROUND_RDN;
    if (x->kind == BND_KIND_INFINITE && y->kind == BND_KIND_INFINITE && x->negative != y->negative) {
        bndi_give_invalid(out, q);
    } else if (x->kind == BND_KIND_INFINITE || y->kind == BND_KIND_INFINITE) {
        bndi_give_infinity(out, x->kind == BND_KIND_INFINITE ? x->negative : y->negative);
    } else if (x->kind == BND_KIND_ZERO && y->kind == BND_KIND_ZERO) {
        bndi_give_zero(out, x->negative == y->negative ? x->negative : down);
    } else if (x->kind == BND_KIND_ZERO || y->kind == BND_KIND_ZERO) {
        *out = x->kind == BND_KIND_ZERO ? *y : *x;
    } else {
        bndi_exact_sum(out, x, y);
        out->negative |= out->kind == BND_KIND_ZERO && down;
    }
}

static bool has_no_product(const bnd_exact *x, const bnd_exact *y)
{
    return (x->kind == BND_KIND_INFINITE && y->kind == BND_KIND_ZERO) ||
           (x->kind == BND_KIND_ZERO && y->kind == BND_KIND_INFINITE);
}

static void product(bnd_exact *out, bndi_question *q, const bnd_exact *x, const bnd_exact *y)
{
    bool negative = x->negative != y->negative;
    if (has_no_product(x, y)) {
        bndi_give_invalid(out, q);
    } else if (x->kind == BND_KIND_INFINITE || y->kind == BND_KIND_INFINITE) {
        bndi_give_infinity(out, negative);
    } else if (x->kind == BND_KIND_ZERO || y->kind == BND_KIND_ZERO) {
        bndi_give_zero(out, negative);
    } else {
        bndi_product(out, x, y);
    }
}

static void add(bnd_exact *out, bndi_question *q)
{
    sum(out, q, &q->x[0], &q->x[1]);
}

static void sub(bnd_exact *out, bndi_question *q)
{
    q->x[1].negative = !q->x[1].negative;
    sum(out, q, &q->x[0], &q->x[1]);
}

static void mul(bnd_exact *out, bndi_question *q)
{
    product(out, q, &q->x[0], &q->x[1]);
}

static void multiply_add(bnd_exact *out, bndi_question *q)
{
    bnd_exact ab;
    product(&ab, q, &q->x[0], &q->x[1]);
    if (bndi_is_nan(&ab)) {
        *out = ab;
    } else {
        sum(out, q, &ab, &q->x[2]);
    }
}

/* ---- quotients, roots ---- */

static void divide_operands(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0], *b = &q->x[1];
    bool negative = a->negative != b->negative;
    if (a->kind == b->kind && a->kind != BND_KIND_FINITE) { /* 0 / 0, inf / inf */
        bndi_give_invalid(out, q);
    } else if (a->kind == BND_KIND_INFINITE) {
        bndi_give_infinity(out, negative);
    } else if (a->kind == BND_KIND_ZERO || b->kind == BND_KIND_INFINITE) {
        bndi_give_zero(out, negative);
    } else if (b->kind == BND_KIND_ZERO) {
        bndi_give_infinity(out, negative);
        q->flags |= BND_FLAG_DIVBYZERO;
    } else {
        bndi_quotient(out, a, b);
    }
}

static void rem(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0], *b = &q->x[1];
    if (a->kind == BND_KIND_INFINITE || b->kind == BND_KIND_ZERO) {
        bndi_give_invalid(out, q);
    } else if (a->kind == BND_KIND_ZERO || b->kind == BND_KIND_INFINITE) {
        *out = *a;
    } else {
        bndi_remainder(out, a, b);
    }
}

static void root(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        *out = *a;
    } else if (a->negative) {
        bndi_give_invalid(out, q);
    } else if (a->kind == BND_KIND_INFINITE) {
        *out = *a;
    } else {
        bndi_root(out, a);
    }
}

static void reciprocal(bnd_exact *out, bndi_question *q)
{
    q->x[1] = q->x[0];
    q->x[0] = bnd_exact_int64(1);
    divide_operands(out, q);
}

static void reciprocal_root(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        bndi_give_infinity(out, a->negative);
        q->flags |= BND_FLAG_DIVBYZERO;
    } else if (a->negative) {
        bndi_give_invalid(out, q);
    } else if (a->kind == BND_KIND_INFINITE) {
        bndi_give_zero(out, false);
    } else {
        bndi_reciprocal_root(out, a);
    }
}

/* ---- signs ---- */

static void opposite(bnd_exact *out, bndi_question *q)
{
    *out = q->x[0];
    out->negative = !out->negative;
}

static void magnitude(bnd_exact *out, bndi_question *q)
{
    *out = q->x[0];
    out->negative = false;
}

/* ---- to integers ---- */

/* A format whose quantum is at least 1: rounding to it is rounding to an integer. The codec treats values below 2^63 as
 * subnormal, which does not matter here. */
static void integer(bnd_exact *out, bndi_question *q)
{
    bnd_format integers = bnd_lab_value_set(64, 63, BND_EXPONENT_UNLIMITED);
    bnd_rule rule = {.rounding = q->rule.rounding, .random_bits = q->rule.random_bits};
    bnd_rounded r = bnd_round_exact(&integers, q->x[0], rule, q->random);
    *out = r.value;
    q->ternary = r.ternary;
}

static void rounded_to_integer(bnd_exact *out, bndi_question *q)
{
    integer(out, q);
    q->flags |= q->ternary != 0 ? BND_FLAG_INEXACT : 0;
}

static void exponent(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_FINITE) {
        *out = bnd_exact_int64(bndi_exponent(a));
        return;
    }
    bndi_give_infinity(out, a->kind == BND_KIND_ZERO);
    q->flags |= a->kind == BND_KIND_ZERO ? BND_FLAG_DIVBYZERO : 0;
}

/* An integer as a shift count, saturated: all shifts beyond the exponent range give the same result. */
static int64_t shift_of(const bnd_exact *n)
{
    int64_t most = INT64_C(4) * BND_EXPONENT_MAX;
    if (n->kind != BND_KIND_FINITE) {
        return n->kind == BND_KIND_ZERO ? 0 : n->negative ? -most : most;
    }
    uint64_t low = n->low;
    for (int32_t i = n->exponent; i < 0 && low > 0; i++) {
        low /= 2; /* an integer has zeros there */
    }
    int64_t size = n->high != 0 || low > (uint64_t)most || n->exponent > 32 ? most : (int64_t)low;
    for (int32_t i = n->exponent; i > 0 && size < most; i--) {
        size *= 2;
    }
    return n->negative ? -size : size;
}

static void scale_by_power(bnd_exact *out, bndi_question *q)
{
    *out = q->x[0];
    if (out->kind == BND_KIND_FINITE) {
        out->exponent = bndi_limited(out->exponent + shift_of(&q->x[1]));
    }
}

/* ---- order, neighbours ---- */

/* Is a before b, with -0 before +0? */
static bool before(const bnd_exact *a, const bnd_exact *b)
{
    int order = bnd_exact_compare(*a, *b);
    return order < 0 || (order == 0 && a->negative && !b->negative);
}

static void choose(bnd_exact *out, const bndi_question *q, bool smaller)
{
    const bnd_exact *a = &q->x[0], *b = &q->x[1];
    if (bndi_is_nan(a) || bndi_is_nan(b)) { /* one is a NaN, and the other operand is the result */
        *out = bndi_is_nan(a) ? *b : *a;
    } else {
        *out = before(b, a) == smaller ? *b : *a;
    }
}

static void smaller(bnd_exact *out, bndi_question *q)
{
    choose(out, q, true);
}

static void larger(bnd_exact *out, bndi_question *q)
{
    choose(out, q, false);
}

static void neighbour(bnd_exact *out, const bndi_question *q, int direction)
{
    if (!bnd_neighbour(out, q->format, q->x[0], direction)) {
        bndi_give_infinity(out, direction < 0);
    }
}

static void next_up(bnd_exact *out, bndi_question *q)
{
    neighbour(out, q, 1);
}

static void next_down(bnd_exact *out, bndi_question *q)
{
    neighbour(out, q, -1);
}

static void ulp(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    const bnd_format *f = q->format;
    if (a->kind == BND_KIND_INFINITE) {
        bndi_give_infinity(out, false);
        return;
    }
    int32_t exponent = a->kind == BND_KIND_ZERO ? f->emin : bndi_exponent(a);
    exponent = exponent > f->emin ? exponent : f->emin;
    *out = (bnd_exact){.low = 1, .exponent = exponent - (f->precision - 1), .kind = BND_KIND_FINITE};
}

/* ---- the table ---- */

typedef enum trait {
    PLAIN,
    PREFERS_NUMBERS, /* the result is NaN only if every operand is */
    QUIET,           /* NaNs are treated like any operand */
    ELEMENTARY       /* of few operands */
} trait;

typedef struct operation_row {
    const char *name;
    unsigned operands;
    trait trait;
    void (*compute)(bnd_exact *out, bndi_question *q);
} operation_row;

static void same(bnd_exact *out, bndi_question *q)
{
    *out = q->x[0];
}

static const operation_row operations[BND_OP_COUNT] = {
    [BND_OP_CONVERT] = {"convert", 1, PLAIN, same},
    [BND_OP_ADD] = {"add", 2, PLAIN, add},
    [BND_OP_SUB] = {"sub", 2, PLAIN, sub},
    [BND_OP_MUL] = {"mul", 2, PLAIN, mul},
    [BND_OP_DIV] = {"div", 2, PLAIN, divide_operands},
    [BND_OP_REM] = {"rem", 2, PLAIN, rem},
    [BND_OP_FMA] = {"fma", 3, PLAIN, multiply_add},
    [BND_OP_SQRT] = {"sqrt", 1, PLAIN, root},
    [BND_OP_RINT] = {"rint", 1, PLAIN, rounded_to_integer},
    [BND_OP_NEARBY] = {"nearby", 1, PLAIN, integer},
    [BND_OP_MIN] = {"min", 2, PLAIN, smaller},
    [BND_OP_MAX] = {"max", 2, PLAIN, larger},
    [BND_OP_MIN_NUMBER] = {"min_number", 2, PREFERS_NUMBERS, smaller},
    [BND_OP_MAX_NUMBER] = {"max_number", 2, PREFERS_NUMBERS, larger},
    [BND_OP_SCALB] = {"scalb", 2, PLAIN, scale_by_power},
    [BND_OP_LOGB] = {"logb", 1, PLAIN, exponent},
    [BND_OP_NEXT_UP] = {"next_up", 1, PLAIN, next_up},
    [BND_OP_NEXT_DOWN] = {"next_down", 1, PLAIN, next_down},
    [BND_OP_ULP] = {"ulp", 1, PLAIN, ulp},
    [BND_OP_NEG] = {"neg", 1, QUIET, opposite},
    [BND_OP_ABS] = {"abs", 1, QUIET, magnitude},
    [BND_OP_EXP] = {"exp", 1, ELEMENTARY, bndi_answer_exp},
    [BND_OP_LOG] = {"log", 1, ELEMENTARY, bndi_answer_log},
    [BND_OP_TANH] = {"tanh", 1, ELEMENTARY, bndi_answer_tanh},
    [BND_OP_SIGMOID] = {"sigmoid", 1, ELEMENTARY, bndi_answer_sigmoid},
    [BND_OP_ERF] = {"erf", 1, ELEMENTARY, bndi_answer_erf},
    [BND_OP_GELU] = {"gelu", 1, ELEMENTARY, bndi_answer_gelu},
    [BND_OP_GELU_TANH] = {"gelu_tanh", 1, ELEMENTARY, bndi_answer_gelu_tanh},
    [BND_OP_RSQRT] = {"rsqrt", 1, PLAIN, reciprocal_root},
    [BND_OP_RECIPROCAL] = {"reciprocal", 1, PLAIN, reciprocal},
};

static bool is_operation(bnd_operation operation)
{
    return (unsigned)operation < BND_OP_COUNT;
}

const char *bnd_operation_name(bnd_operation operation)
{
    return is_operation(operation) ? operations[operation].name : "";
}

unsigned bnd_operation_operands(bnd_operation operation)
{
    return is_operation(operation) ? operations[operation].operands : 0;
}

bnd_status bnd_operation_parse(bnd_operation *out, const char *name, bnd_error *why)
{
    bndi_nearest nearest = bndi_nearest_to(name, bndi_length(name));
    for (unsigned i = 0; i < BND_OP_COUNT; i++) {
        if (bndi_same_word(name, nearest.asked_length, operations[i].name)) {
            *out = (bnd_operation)i;
            return BND_OK;
        }
        bndi_nearest_offer(&nearest, operations[i].name, bndi_length(operations[i].name));
    }
    char list[256];
    bndi_text available = bndi_text_in(list, sizeof list);
    for (unsigned i = 0; i < BND_OP_COUNT; i++) {
        bndi_text_string(&available, i > 0 ? ", " : "(available: ");
        bndi_text_string(&available, operations[i].name);
    }
    bndi_text_char(&available, ')');
    return bndi_nearest_fail(&nearest, why, BND_BAD_NAME, "unknown operation", list);
}

bool bndi_serves(bnd_operation operation, const bnd_format *from)
{
    return operations[operation].trait != ELEMENTARY ||
           (from->width > 0 && from->width <= BNDI_ELEMENTARY_BITS && from->least_quantum >= BNDI_ELEMENTARY_LEAST &&
            from->emax <= BNDI_ELEMENTARY_MOST);
}

bnd_status bnd_operation_serves(bnd_operation operation, const bnd_format *const *from, bnd_error *why)
{
    if (!is_operation(operation)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown operation %d (available: 0 to %d)", (int)operation,
                        BND_OP_COUNT - 1);
    }
    if (bndi_serves(operation, from[0])) {
        return BND_OK;
    }
    const char *name = operations[operation].name;
    if (from[0]->width > BNDI_ELEMENTARY_BITS) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "%s takes operands of at most %d bits; %s has %d; convert it first (the result may have any format)", name,
            BNDI_ELEMENTARY_BITS, from[0]->name, from[0]->width);
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s takes operands whose values fp64 has; %s %s; convert it first", name,
                    from[0]->name, from[0]->width == 0 ? "has no codes" : "has values that fp64 does not have");
}

/* 0 * inf + NaN: IEEE leaves open whether the product raises invalid. On SSE it does not; on Arm, RISC-V and in
 * SoftFloat it does. */
static bool is_invalid_product(bnd_operation operation, const bndi_question *q)
{
    return operation == BND_OP_FMA && q->rule.nan != BND_NAN_X86 && has_no_product(&q->x[0], &q->x[1]);
}

void bndi_answer(bnd_exact *out, bnd_operation operation, bndi_question *q)
{
    unsigned nans = 0, operands = bnd_operation_operands(operation);
    if (operands == 0) {
        bndi_give_invalid(out, q);
        return;
    }
    const operation_row *r = &operations[operation];
    for (unsigned i = 0; i < operands; i++) {
        nans += bndi_is_nan(&q->x[i]);
        q->flags |= q->x[i].kind == BND_KIND_SIGNALING_NAN && r->trait != QUIET ? BND_FLAG_INVALID : 0;
    }
    if (nans > 0 && r->trait != QUIET && (r->trait != PREFERS_NUMBERS || nans == operands)) {
        q->flags |= is_invalid_product(operation, q) ? BND_FLAG_INVALID : 0;
        give_nan(out, q, operands);
    } else {
        r->compute(out, q);
    }
}

bnd_exact bnd_operate_exact(bnd_operation operation, const bnd_format *f, const bnd_exact *operands, bnd_rule rule,
                            uint64_t random, uint32_t *flags)
{
    bndi_question q = {.format = f, .rule = rule, .random = random};
    for (unsigned i = 0; i < bnd_operation_operands(operation); i++) {
        q.x[i] = operands[i];
    }
    bnd_exact out;
    bndi_answer(&out, operation, &q);
    *flags = q.flags;
    return out;
}
