/* The table of operations, and the computation of one: operands, NaNs, the exact result, its rounding. The rules of
 * IEEE 754-2019 for NaNs are written here independently of the library. */
#include "oracle/oracle.h"

#include <string.h>

struct bndi_oracle_operation {
    const char *name;
    unsigned operands;
    bool takes_an_integer; /* the second operand */
    bool number_wins;      /* over NaN */
    bndi_oracle_compute *compute;
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

/* ---- the table ---- */

static const bndi_oracle_operation operations[] = {
    {"add", 2, false, false, bndi_oracle_add},
    {"sub", 2, false, false, bndi_oracle_sub},
    {"mul", 2, false, false, bndi_oracle_mul},
    {"div", 2, false, false, bndi_oracle_div},
    {"rem", 2, false, false, bndi_oracle_rem},
    {"fma", 3, false, false, bndi_oracle_fma},
    {"sqrt", 1, false, false, bndi_oracle_sqrt},
    {"rint", 1, false, false, bndi_oracle_rint},
    {"nearby", 1, false, false, bndi_oracle_nearby},
    {"min", 2, false, false, bndi_oracle_smaller},
    {"max", 2, false, false, bndi_oracle_larger},
    {"min_number", 2, false, true, bndi_oracle_smaller},
    {"max_number", 2, false, true, bndi_oracle_larger},
    {"scalb", 2, true, false, bndi_oracle_scalb},
    {"logb", 1, false, false, bndi_oracle_logb},
    {"next_up", 1, false, false, bndi_oracle_next_up},
    {"next_down", 1, false, false, bndi_oracle_next_down},
    {"ulp", 1, false, false, bndi_oracle_ulp},
    {"neg", 1, false, false, bndi_oracle_neg},
    {"abs", 1, false, false, bndi_oracle_abs},
    {"exp", 1, false, false, bndi_oracle_exp},
    {"log", 1, false, false, bndi_oracle_log},
    {"tanh", 1, false, false, bndi_oracle_tanh},
    {"sigmoid", 1, false, false, bndi_oracle_sigmoid},
    {"erf", 1, false, false, bndi_oracle_erf},
    {"gelu", 1, false, false, bndi_oracle_gelu},
    {"gelu_tanh", 1, false, false, bndi_oracle_gelu_tanh},
    {"rsqrt", 1, false, false, bndi_oracle_rsqrt},
    {"reciprocal", 1, false, false, bndi_oracle_reciprocal},
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
        count += bndi_oracle_is_nan(x);
        first = first == NULL && bndi_oracle_is_nan(x) ? x : first;
    }
    if (first == NULL || (operation->number_wins && count < operation->operands)) {
        return false;
    }
    if (operation->compute == bndi_oracle_neg || operation->compute == bndi_oracle_abs) {
        bool negative = operation->compute == bndi_oracle_neg && !first->negative;
        bndi_oracle_value nan = {first->kind, negative, first->payload, 0};
        p->flags = 0; /* the conversion raises it */
        bndi_oracle_set_value(&p->exact, &nan);
        return true;
    }
    if (operation->compute == bndi_oracle_fma && !bndi_oracle_is_nan(&p->x[0]) && !bndi_oracle_is_nan(&p->x[1]) &&
        p->rule.nan != BND_NAN_X86) {
        bndi_oracle_mul(p); /* invalid where the product is 0 * inf */
    }
    bndi_oracle_give_nan(p, first->negative, first->payload);
    return true;
}

/* The default NaN of an operation is, in the oracle, that of conversions. */
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
    bndi_oracle_apply_rule(out, &p->work, to, &p->exact, with_own_nan(rule), random, BNDI_ORACLE_EITHER);
    out->result.flags |= p->flags;
    if (out->result.ternary == 0 && out->value.kind <= BND_ORACLE_INFINITE) {
        out->result.ternary = p->ternary;
    }
}

/* neg of a signed format, and abs, within one format: changes the sign bit of the code. If the other code is not the
   same number with the other sign, the code stays as it is. Returns false for all other operations. */
static bool settle_sign(bndi_oracle_answer *out, const bndi_oracle_operation *operation, const bnd_format *to,
                        const bnd_format *from, uint64_t code)
{
    bool negates = operation->compute == bndi_oracle_neg;
    if ((!negates && operation->compute != bndi_oracle_abs) || to->width == 0 || !bnd_format_same(to, from) ||
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
        return bnd_fail(why, BND_BAD_NAME, 0, "unknown operation '%.*s'", length < 40 ? (int)length : 40, operation);
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
    bool ordered = !bndi_oracle_is_nan(&problem.x[0]) && !bndi_oracle_is_nan(&problem.x[1]);
    *out = ordered ? bndi_oracle_order(&problem, &problem.x[0], &problem.x[1]) : 0;
    bndi_oracle_problem_close(&problem);
    return ordered;
}
