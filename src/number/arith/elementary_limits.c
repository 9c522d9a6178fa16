/* The elementary functions for zeros, infinities and finite numbers: exact answers, limits, poles. */
#include "arith/elementary.h"

#include "base/verify.h"

static void give_power_of_two(bnd_exact *out, int32_t exponent, bool negative)
{
    *out = (bnd_exact){.low = 1, .exponent = exponent, .kind = BND_KIND_FINITE, .negative = negative};
}

/* f of a finite nonzero number. All operands that reach this were tested: the answer is always decided. */
static void evaluate(bnd_exact *out, bndi_question *q, bndi_elementary *function)
{
    if (bndi_is_elementary_operand(&q->x[0])) {
        bool decided = function(out, &q->x[0]);
        BNDI_VERIFY(decided);
    } else {
        bndi_give_invalid(out, q);
    }
}

void bndi_answer_exp(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        give_power_of_two(out, 0, false);
    } else if (a->kind == BND_KIND_FINITE) {
        evaluate(out, q, bndi_exp);
    } else if (a->negative) {
        bndi_give_zero(out, false);
    } else {
        bndi_give_infinity(out, false);
    }
}

void bndi_answer_log(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        bndi_give_infinity(out, true);
        q->flags |= BND_FLAG_DIVBYZERO;
    } else if (a->negative) {
        bndi_give_invalid(out, q);
    } else if (a->kind == BND_KIND_INFINITE) {
        bndi_give_infinity(out, false);
    } else {
        evaluate(out, q, bndi_log);
    }
}

void bndi_answer_sigmoid(bnd_exact *out, bndi_question *q)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        give_power_of_two(out, -1, false);
    } else if (a->kind == BND_KIND_FINITE) {
        evaluate(out, q, bndi_sigmoid);
    } else if (a->negative) {
        bndi_give_zero(out, false);
    } else {
        give_power_of_two(out, 0, false);
    }
}

/* Functions with f(0) = 0 (of the same sign) and limits -1 and 1. */
static void between_ones(bnd_exact *out, bndi_question *q, bndi_elementary *function)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_ZERO) {
        *out = *a;
    } else if (a->kind == BND_KIND_FINITE) {
        evaluate(out, q, function);
    } else {
        give_power_of_two(out, 0, a->negative);
    }
}

void bndi_answer_tanh(bnd_exact *out, bndi_question *q)
{
    between_ones(out, q, bndi_tanh);
}

void bndi_answer_erf(bnd_exact *out, bndi_question *q)
{
    between_ones(out, q, bndi_erf);
}

/* Both forms of gelu: at minus infinity a zero, approached from below. */
static void gated(bnd_exact *out, bndi_question *q, bndi_elementary *function)
{
    const bnd_exact *a = &q->x[0];
    if (a->kind == BND_KIND_FINITE) {
        evaluate(out, q, function);
    } else if (a->kind == BND_KIND_INFINITE && a->negative) {
        bndi_give_zero(out, true);
    } else {
        *out = *a;
    }
}

void bndi_answer_gelu(bnd_exact *out, bndi_question *q)
{
    gated(out, q, bndi_gelu);
}

void bndi_answer_gelu_tanh(bnd_exact *out, bndi_question *q)
{
    gated(out, q, bndi_gelu_tanh);
}
