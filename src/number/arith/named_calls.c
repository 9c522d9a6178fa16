/* One function per operation, with operands and result in one format. quick.c has the most frequent ones. */
#include "arith/arith.h"

static bnd_result unary(const bnd_format *f, bnd_operation operation, uint64_t a, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, operation, &f, &a, rule, random);
}

static bnd_result binary(const bnd_format *f, bnd_operation operation, uint64_t a, uint64_t b, bnd_rule rule,
                         uint64_t random)
{
    return bnd_operate(f, operation, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

bnd_result bnd_rem(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_REM, a, b, rule, random);
}

bnd_result bnd_rint(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_RINT, a, rule, random);
}

bnd_result bnd_nearby(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_NEARBY, a, rule, random);
}

bnd_result bnd_min(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_MIN, a, b, rule, random);
}

bnd_result bnd_max(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_MAX, a, b, rule, random);
}

bnd_result bnd_min_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_MIN_NUMBER, a, b, rule, random);
}

bnd_result bnd_max_number(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_MAX_NUMBER, a, b, rule, random);
}

bnd_result bnd_scalb(const bnd_format *f, uint64_t a, int64_t n, bnd_rule rule, uint64_t random)
{
    return binary(f, BND_OP_SCALB, a, (uint64_t)n, rule, random);
}

bnd_result bnd_logb(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_LOGB, a, rule, random);
}

bnd_result bnd_next_up(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_NEXT_UP, a, rule, random);
}

bnd_result bnd_next_down(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_NEXT_DOWN, a, rule, random);
}

bnd_result bnd_ulp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_ULP, a, rule, random);
}

bnd_result bnd_neg(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_NEG, a, rule, random);
}

bnd_result bnd_abs(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_ABS, a, rule, random);
}

bnd_result bnd_exp(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_EXP, a, rule, random);
}

bnd_result bnd_log(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_LOG, a, rule, random);
}

bnd_result bnd_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_TANH, a, rule, random);
}

bnd_result bnd_sigmoid(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_SIGMOID, a, rule, random);
}

bnd_result bnd_erf(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_ERF, a, rule, random);
}

bnd_result bnd_gelu(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_GELU, a, rule, random);
}

bnd_result bnd_gelu_tanh(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_GELU_TANH, a, rule, random);
}

bnd_result bnd_rsqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_RSQRT, a, rule, random);
}

bnd_result bnd_reciprocal(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return unary(f, BND_OP_RECIPROCAL, a, rule, random);
}
