/* Operations with one, two and three operands. */
#include "verify/verify.h"
#include "verify/operands.h"

static const bnd_operation of_one[] = {BND_OP_SQRT,      BND_OP_RINT, BND_OP_NEARBY, BND_OP_LOGB, BND_OP_NEXT_UP,
                                       BND_OP_NEXT_DOWN, BND_OP_ULP,  BND_OP_NEG,    BND_OP_ABS};
static const bnd_operation of_two[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL,        BND_OP_DIV,        BND_OP_REM,
                                       BND_OP_MIN, BND_OP_MAX, BND_OP_MIN_NUMBER, BND_OP_MAX_NUMBER, BND_OP_SCALB};
enum {
    ONES = sizeof of_one / sizeof of_one[0],
    TWOS = sizeof of_two / sizeof of_two[0],
    CODES = 1 << 16, /* of an operation of one operand; above, a stratified choice */
    PAIRS = 1 << 17, /* operand pairs in the sample, if not all pairs are tested */
    TRIPLES = 1 << 18,
    WIDE_PAIRS = 1 << 16, /* the same if the oracle is called for each case */
    MANY = 100000000,     /* exhaustive, where all would be too many */
};

bnd_result bndi_call_operation(const bnd_format *f, bnd_operation operation, const uint64_t *c, bnd_rule rule,
                               uint64_t random)
{
    switch (operation) {
    case BND_OP_ADD:
        return bnd_add(f, c[0], c[1], rule, random);
    case BND_OP_SUB:
        return bnd_sub(f, c[0], c[1], rule, random);
    case BND_OP_MUL:
        return bnd_mul(f, c[0], c[1], rule, random);
    case BND_OP_DIV:
        return bnd_div(f, c[0], c[1], rule, random);
    case BND_OP_REM:
        return bnd_rem(f, c[0], c[1], rule, random);
    case BND_OP_FMA:
        return bnd_fma(f, c[0], c[1], c[2], rule, random);
    case BND_OP_SQRT:
        return bnd_sqrt(f, c[0], rule, random);
    case BND_OP_RINT:
        return bnd_rint(f, c[0], rule, random);
    case BND_OP_NEARBY:
        return bnd_nearby(f, c[0], rule, random);
    case BND_OP_MIN:
        return bnd_min(f, c[0], c[1], rule, random);
    case BND_OP_MAX:
        return bnd_max(f, c[0], c[1], rule, random);
    case BND_OP_MIN_NUMBER:
        return bnd_min_number(f, c[0], c[1], rule, random);
    case BND_OP_MAX_NUMBER:
        return bnd_max_number(f, c[0], c[1], rule, random);
    case BND_OP_SCALB:
        return bnd_scalb(f, c[0], (int64_t)c[1], rule, random);
    case BND_OP_LOGB:
        return bnd_logb(f, c[0], rule, random);
    case BND_OP_NEXT_UP:
        return bnd_next_up(f, c[0], rule, random);
    case BND_OP_NEXT_DOWN:
        return bnd_next_down(f, c[0], rule, random);
    case BND_OP_ULP:
        return bnd_ulp(f, c[0], rule, random);
    case BND_OP_NEG:
        return bnd_neg(f, c[0], rule, random);
    case BND_OP_ABS:
        return bnd_abs(f, c[0], rule, random);
    case BND_OP_EXP:
        return bnd_exp(f, c[0], rule, random);
    case BND_OP_LOG:
        return bnd_log(f, c[0], rule, random);
    case BND_OP_TANH:
        return bnd_tanh(f, c[0], rule, random);
    case BND_OP_SIGMOID:
        return bnd_sigmoid(f, c[0], rule, random);
    case BND_OP_ERF:
        return bnd_erf(f, c[0], rule, random);
    case BND_OP_GELU:
        return bnd_gelu(f, c[0], rule, random);
    case BND_OP_GELU_TANH:
        return bnd_gelu_tanh(f, c[0], rule, random);
    case BND_OP_RSQRT:
        return bnd_rsqrt(f, c[0], rule, random);
    case BND_OP_RECIPROCAL:
        return bnd_reciprocal(f, c[0], rule, random);
    default:
        return bnd_convert(f, f, c[0], rule, random);
    }
}

static bool by_table(const bndi_inquiry *q)
{
    return bndi_is_narrow(&q->f, q->rule, q->exhaustive);
}

static void compare_operation(bndi_piece *p, bnd_operation operation, const uint64_t *codes, uint64_t random)
{
    const bndi_inquiry *q = p->q;
    bnd_result got = q->candidate.operate(&q->f, operation, codes, q->rule, random);
    bnd_result want = bndi_reference_operation(p, operation, codes, random);
    bnd_verify_counterexample *c =
        bndi_count_case(p, bndi_same_result(got, want), bnd_operation_name(operation), got, want);
    if (c == NULL) {
        return;
    }
    c->operands = bnd_operation_operands(operation);
    c->random = random;
    for (unsigned i = 0; i < c->operands; i++) {
        c->from[i] = q->f;
        c->codes[i] = codes[i];
    }
}

/* Stratified operands; of scalb and of formats of 64 bits every bit counts. */
static void compare_stratified(bndi_piece *p, bnd_operation operation, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    const bnd_format *const from[] = {&q->f, &q->f, &q->f};
    uint64_t codes[BND_OPERANDS_MAX] = {0}, mask = q->f.width < 64 ? (UINT64_C(1) << q->f.width) - 1 : UINT64_MAX;
    bndi_stratified_operands(codes, operation, from, 109, index);
    for (unsigned i = 0; i < BND_OPERANDS_MAX; i++) {
        codes[i] &= operation == BND_OP_SCALB && i == 1 ? UINT64_MAX : mask;
    }
    compare_operation(p, operation, codes, bndi_random_of(q, 4, index));
}

/* ---- one operand: an index is a code ---- */

static uint64_t most_codes(const bndi_inquiry *q)
{
    return by_table(q) || q->exhaustive ? CODES : WIDE_PAIRS;
}

static uint64_t codes_of_one(const bndi_inquiry *q)
{
    return bndi_code_count(q, most_codes(q));
}

static double cost_of_one(const bndi_inquiry *q)
{
    return by_table(q) && q->f.width <= 8 ? 2500 : by_table(q) ? 1000 : 2400;
}

static void check_one(bndi_piece *p, uint64_t index)
{
    uint64_t codes[BND_OPERANDS_MAX] = {bndi_code_at(p->q, most_codes(p->q), index)};
    for (size_t i = 0; i < ONES; i++) {
        compare_operation(p, of_one[i], codes, bndi_random_of(p->q, 5, index));
    }
}

const bndi_verify_row bndi_verify_unary = {
    .name = "unary",
    .old_name = "one",
    .title = "sqrt rint nearby logb next_up next_down ulp neg abs: all codes up to 16 bits",
    .rounds = true,
    .at_once = 1 << 9,
    .indices = codes_of_one,
    .cost = cost_of_one,
    .check = check_one};

/* ---- two operands: an index is a pair ---- */

static bool all_pairs(const bndi_inquiry *q)
{
    return by_table(q) && (q->f.width <= 8 || (q->exhaustive && q->f.width <= 16));
}

static uint64_t pairs(const bndi_inquiry *q)
{
    return all_pairs(q)  ? UINT64_C(1) << (2 * q->f.width)
           : by_table(q) ? (q->exhaustive ? MANY / TWOS : PAIRS)
                         : (q->exhaustive ? MANY / TWOS / 10 : WIDE_PAIRS);
}

static double pair_cost(const bndi_inquiry *q)
{
    return TWOS * (all_pairs(q) ? 60 : by_table(q) ? 320 : 620);
}

/* The second code of a pair is scalb's integer too, as many below zero as above: -2^(width-1) and up. */
static void check_two(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint64_t mask = q->f.width < 64 ? (UINT64_C(1) << q->f.width) - 1 : 0;
    for (size_t i = 0; i < TWOS; i++) {
        if (!all_pairs(q)) {
            compare_stratified(p, of_two[i], index);
            continue;
        }
        uint64_t codes[BND_OPERANDS_MAX] = {index >> q->f.width, index & mask};
        codes[1] -= of_two[i] == BND_OP_SCALB ? (mask + 1) / 2 : 0;
        compare_operation(p, of_two[i], codes, 0);
    }
}

const bndi_verify_row bndi_verify_binary = {
    .name = "binary",
    .old_name = "two",
    .title = "add sub mul div rem min max scalb and more: all pairs up to 8 bits (exhaustive: 16)",
    .rounds = true,
    .at_once = 1 << 12,
    .indices = pairs,
    .cost = pair_cost,
    .check = check_two};

/* ---- fma: an index is a triple ---- */

static bool all_triples(const bndi_inquiry *q)
{
    return by_table(q) && (q->f.width <= 5 || (q->exhaustive && q->f.width <= 8));
}

static uint64_t triples(const bndi_inquiry *q)
{
    return all_triples(q) ? UINT64_C(1) << (3 * q->f.width)
           : by_table(q)  ? (q->exhaustive ? MANY : TRIPLES)
                          : (q->exhaustive ? MANY / 10 : WIDE_PAIRS);
}

static double triple_cost(const bndi_inquiry *q)
{
    return all_triples(q) ? 80 : by_table(q) ? 400 : 1200;
}

static void check_fma(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    if (!all_triples(q)) {
        compare_stratified(p, BND_OP_FMA, index);
        return;
    }
    uint64_t mask = (UINT64_C(1) << q->f.width) - 1;
    uint64_t codes[] = {index >> 2 * q->f.width, index >> q->f.width & mask, index & mask};
    compare_operation(p, BND_OP_FMA, codes, 0);
}

const bndi_verify_row bndi_verify_fma = {.name = "fma",
                                         .title = "all triples up to 5 bits (exhaustive: 8), a sample above",
                                         .rounds = true,
                                         .at_once = 1 << 13,
                                         .indices = triples,
                                         .cost = triple_cost,
                                         .check = check_fma};
