/* Every operation on exact values: functions of numbers, and what infinities and poles give. */
#include "calc/real.h"

#include <limits.h>
#include <string.h>

/* ---- functions of integers ---- */

/* The integer nearest to a quotient, of two the even one. */
static void nearest_integer(mpz_t out, const mpq_t x)
{
    mpz_t twice, rest;
    mpz_inits(twice, rest, NULL);
    mpz_mul_2exp(twice, mpq_numref(x), 1);
    mpz_add(twice, twice, mpq_denref(x)); /* floor(x + 1/2) = floor((2n + d) / 2d) */
    mpz_mul_2exp(rest, mpq_denref(x), 1);
    mpz_fdiv_qr(out, rest, twice, rest);
    if (mpz_sgn(rest) == 0 && mpz_odd_p(out)) {
        mpz_sub_ui(out, out, 1);
    }
    mpz_clears(twice, rest, NULL);
}

static void exact_remainder(bnd_real *out, bndi_effort *effort, const bnd_real *a, const bnd_real *b)
{
    bndi_real_of_quotients(out, effort, BND_OP_DIV, a, b);
    if (out->known == BND_KNOWN_EXACTLY) {
        mpq_t n;
        mpq_init(n);
        nearest_integer(mpq_numref(n), out->value);
        mpq_mul(n, n, b->value);
        mpq_sub(out->value, a->value, n);
        mpq_clear(n);
        bndi_real_give_exact(out);
    }
}

/* An end beyond the integers that are computed exactly. */
static bool is_far(const mpfr_t x)
{
    return mpfr_inf_p(x) || (mpfr_regular_p(x) && mpfr_get_exp(x) > BNDI_QUOTIENT_BITS);
}

/* The integer nearest to an interval. False where its ends do not have the same one. */
static bool nearest_to_interval(mpz_t out, const bnd_real *x)
{
    mpfr_t low, high;
    mpfr_inits2(bndi_real_bits(x), low, high, (mpfr_ptr)NULL);
    mpfr_roundeven(low, x->low);
    mpfr_roundeven(high, x->high);
    bool same = mpfr_equal_p(low, high) != 0;
    if (same) {
        mpfr_get_z(out, low, MPFR_RNDN);
    }
    mpfr_clears(low, high, (mpfr_ptr)NULL);
    return same;
}

/* From -|b|/2 to |b|/2: every remainder. */
static void any_remainder(bnd_real *out, const bnd_real *b)
{
    (void)bndi_real_ends(out->low, out->high, b);
    mpfr_abs(out->low, out->low, MPFR_RNDN);
    mpfr_abs(out->high, out->high, MPFR_RNDN);
    mpfr_max(out->high, out->high, out->low, MPFR_RNDN);
    mpfr_div_2ui(out->high, out->high, 1, MPFR_RNDU);
    mpfr_neg(out->low, out->high, MPFR_RNDN);
    bndi_real_give_ends(out, (bndi_open){false, false});
}

/* a - n b, n the integer nearest to a / b. If a / b has too few bits to tell n, every remainder; if it has too many,
 * nothing. */
static void remainder_of(bnd_real *out, bndi_effort *effort, const bnd_real *a, const bnd_real *b)
{
    if (a->known == BND_KNOWN_EXACTLY && b->known == BND_KNOWN_EXACTLY) {
        exact_remainder(out, effort, a, b);
        return;
    }
    bnd_real quotient, n, product;
    bndi_real_open(&quotient, bndi_real_bits(out));
    bndi_real_open(&n, bndi_real_bits(out));
    bndi_real_open(&product, bndi_real_bits(out));
    bndi_real_of_two(&quotient, effort, BND_OP_DIV, a, b);
    out->known = BND_KNOWN_NOT;
    if (quotient.known == BND_KNOWN_EXACTLY) {
        nearest_integer(mpq_numref(n.value), quotient.value);
        n.known = BND_KNOWN_EXACTLY;
    } else if (quotient.known == BND_KNOWN_DIGITS && !is_far(quotient.low) && !is_far(quotient.high)) {
        bool decided = nearest_to_interval(mpq_numref(n.value), &quotient);
        n.known = decided ? BND_KNOWN_EXACTLY : BND_KNOWN_NOT;
        if (!decided) {
            any_remainder(out, b);
        }
    }
    if (n.known == BND_KNOWN_EXACTLY) {
        bndi_real_of_two(&product, effort, BND_OP_MUL, &n, b);
        bndi_real_of_two(out, effort, BND_OP_SUB, a, &product);
    }
    bndi_real_close(&product);
    bndi_real_close(&n);
    bndi_real_close(&quotient);
}

static void root(bnd_real *out, const bnd_real *x)
{
    if (x->known == BND_KNOWN_EXACTLY && mpz_perfect_square_p(mpq_numref(x->value)) &&
        mpz_perfect_square_p(mpq_denref(x->value))) {
        mpz_sqrt(mpq_numref(out->value), mpq_numref(x->value));
        mpz_sqrt(mpq_denref(out->value), mpq_denref(x->value));
        out->known = BND_KNOWN_EXACTLY;
    } else {
        bndi_real_monotone(out, mpfr_sqrt, false, x);
    }
}

/* floor(log2) of an end of an interval, a magnitude; `below`: of the numbers next to it that are smaller. */
static void exponent_of_end(mpfr_t out, const mpfr_t end, bool below)
{
    if (!mpfr_regular_p(end)) {
        mpfr_set_inf(out, mpfr_zero_p(end) ? -1 : 1);
        return;
    }
    mpfr_exp_t exponent = mpfr_get_exp(end) - 1;
    mpfr_set_si(out, (long)(exponent - (below && mpfr_min_prec(end) == 1)), MPFR_RNDN);
}

static void exponent_of_interval(bnd_real *out, const bnd_real *x)
{
    mpfr_t near, far;
    const bool negative = bnd_real_sign(x) < 0;
    if (bnd_real_sign(x) == 0) {
        out->known = BND_KNOWN_NOT;
        return;
    }
    mpfr_inits2(bndi_real_bits(x), near, far, (mpfr_ptr)NULL);
    mpfr_abs(near, negative ? x->high : x->low, MPFR_RNDN);
    mpfr_abs(far, negative ? x->low : x->high, MPFR_RNDN);
    exponent_of_end(out->low, near, false);
    exponent_of_end(out->high, far, negative ? x->open.low : x->open.high);
    mpfr_clears(near, far, (mpfr_ptr)NULL);
    bndi_real_give_ends(out, (bndi_open){!mpfr_number_p(out->low), !mpfr_number_p(out->high)});
}

/* floor(log2 |x|), x not zero. */
static void exponent_of(bnd_real *out, const bnd_real *x)
{
    if (x->known != BND_KNOWN_EXACTLY) {
        exponent_of_interval(out, x);
        return;
    }
    long bits = (long)mpz_sizeinbase(mpq_numref(x->value), 2) - (long)mpz_sizeinbase(mpq_denref(x->value), 2);
    mpq_t scaled;
    mpq_init(scaled);
    mpq_abs(scaled, x->value);
    if (bits < 0) {
        mpq_mul_2exp(scaled, scaled, (mp_bitcnt_t)-bits);
    } else {
        mpq_div_2exp(scaled, scaled, (mp_bitcnt_t)bits);
    }
    mpq_set_si(out->value, bits - (mpq_cmp_ui(scaled, 1, 1) < 0), 1); /* 1/2 < scaled < 2 */
    mpq_clear(scaled);
    out->known = BND_KNOWN_EXACTLY;
}

static bool scaled_exactly(bnd_real *out, const bnd_real *x, int64_t integer)
{
    if (x->known != BND_KNOWN_EXACTLY || integer > BNDI_QUOTIENT_BITS || integer < -BNDI_QUOTIENT_BITS) {
        return false;
    }
    if (integer < 0) {
        mpq_div_2exp(out->value, x->value, (mp_bitcnt_t)-integer);
    } else {
        mpq_mul_2exp(out->value, x->value, (mp_bitcnt_t)integer);
    }
    bndi_real_give_exact(out);
    return out->known == BND_KNOWN_EXACTLY;
}

/* x 2^integer: exactly if that is short enough, otherwise by the ends. */
static void scaled_by(bnd_real *out, const bnd_real *x, int64_t integer)
{
    if (scaled_exactly(out, x, x->known == BND_KNOWN_EXACTLY && mpq_sgn(x->value) == 0 ? 0 : integer)) {
        return;
    }
    const long shift = integer > LONG_MAX ? LONG_MAX : integer < LONG_MIN ? LONG_MIN : (long)integer;
    bndi_open open = bndi_real_ends(out->low, out->high, x);
    bool low_cut = mpfr_mul_2si(out->low, out->low, shift, MPFR_RNDD) != 0;
    bool high_cut = mpfr_mul_2si(out->high, out->high, shift, MPFR_RNDU) != 0;
    bndi_real_give_ends(out, (bndi_open){open.low || low_cut, open.high || high_cut});
}

/* ---- functions ---- */

static void one(bnd_real *out)
{
    mpq_set_ui(out->value, 1, 1);
    out->known = BND_KNOWN_EXACTLY;
}

/* 1 / (1 + exp(-x)) */
static void sigmoid(bnd_real *out, bndi_effort *effort, const bnd_real *x)
{
    bnd_real zero, a, b;
    bndi_real_open(&zero, bndi_real_bits(out));
    bndi_real_open(&a, bndi_real_bits(out));
    bndi_real_open(&b, bndi_real_bits(out));
    zero.known = BND_KNOWN_EXACTLY;
    bndi_real_of_two(&a, effort, BND_OP_SUB, &zero, x);
    bndi_real_monotone(&b, mpfr_exp, false, &a);
    one(&zero);
    bndi_real_of_two(&a, effort, BND_OP_ADD, &zero, &b);
    bndi_real_of_two(out, effort, BND_OP_DIV, &zero, &a);
    bndi_real_close(&b);
    bndi_real_close(&a);
    bndi_real_close(&zero);
}

/* x erfc(-x / sqrt(2)) / 2: no sum in it cancels. */
static void gelu(bnd_real *out, bndi_effort *effort, const bnd_real *x)
{
    bnd_real two, a, b;
    bndi_real_open(&two, bndi_real_bits(out));
    bndi_real_open(&a, bndi_real_bits(out));
    bndi_real_open(&b, bndi_real_bits(out));
    mpq_set_ui(two.value, 2, 1);
    two.known = BND_KNOWN_EXACTLY;
    root(&a, &two);
    bndi_real_of_two(&b, effort, BND_OP_DIV, x, &a);
    mpq_set_si(two.value, -1, 1);
    bndi_real_of_two(&a, effort, BND_OP_MUL, &two, &b);
    bndi_real_monotone(&b, mpfr_erfc, true, &a);
    bndi_real_of_two(&a, effort, BND_OP_MUL, x, &b);
    mpq_set_ui(two.value, 2, 1);
    bndi_real_of_two(out, effort, BND_OP_DIV, &a, &two);
    bndi_real_close(&b);
    bndi_real_close(&a);
    bndi_real_close(&two);
}

/* x sigmoid(2y), y = sqrt(2 / pi) (x + 0.044715 x^3): the tanh of the definition written so that no sum cancels. */
static void gelu_tanh(bnd_real *out, bndi_effort *effort, const bnd_real *x)
{
    bnd_real a, b, c;
    bndi_real_open(&a, bndi_real_bits(out));
    bndi_real_open(&b, bndi_real_bits(out));
    bndi_real_open(&c, bndi_real_bits(out));
    bndi_real_of_two(&a, effort, BND_OP_MUL, x, x);
    mpq_set_ui(b.value, 44715, 1000000);
    mpq_canonicalize(b.value);
    b.known = BND_KNOWN_EXACTLY;
    bndi_real_of_two(&c, effort, BND_OP_MUL, &a, &b);
    one(&a);
    bndi_real_of_two(&b, effort, BND_OP_ADD, &a, &c);
    bndi_real_of_two(&c, effort, BND_OP_MUL, &b, x); /* x + 0.044715 x^3 */
    bndi_real_constant(&a, BNDI_CONSTANT_PI, false);
    mpq_set_ui(b.value, 8, 1);
    b.known = BND_KNOWN_EXACTLY;
    bnd_real root_of;
    bndi_real_open(&root_of, bndi_real_bits(out));
    bndi_real_of_two(&root_of, effort, BND_OP_DIV, &b, &a);
    root(&a, &root_of); /* 2 sqrt(2 / pi) */
    bndi_real_of_two(&b, effort, BND_OP_MUL, &a, &c);
    sigmoid(&a, effort, &b);
    bndi_real_of_two(out, effort, BND_OP_MUL, x, &a);
    bndi_real_close(&root_of);
    bndi_real_close(&c);
    bndi_real_close(&b);
    bndi_real_close(&a);
}

static void negated(bnd_real *out, const bnd_real *x)
{
    bnd_real zero;
    bndi_effort enough = {INT64_MAX};
    bndi_real_open(&zero, bndi_real_bits(out));
    zero.known = BND_KNOWN_EXACTLY;
    bndi_real_of_two(out, &enough, BND_OP_SUB, &zero, x);
    bndi_real_close(&zero);
}

static void magnitude(bnd_real *out, const bnd_real *x)
{
    if (x->known == BND_KNOWN_DIGITS && bnd_real_sign(x) == 0) {
        out->known = BND_KNOWN_NOT;
    } else {
        (bnd_real_sign(x) < 0 ? negated : bndi_real_copy)(out, x);
    }
}

/* Functions by the names of the table of operations, which may have more of them than are known here. */
static bool named(bnd_real *out, bndi_effort *effort, const char *name, const bnd_real *x)
{
    static const struct {
        const char *name;
        bndi_unary *function;
        bool falls;
    } rows[] = {{"exp", mpfr_exp, false},   {"log", mpfr_log, false},       {"tanh", mpfr_tanh, false},
                {"erf", mpfr_erf, false},   {"rsqrt", mpfr_rec_sqrt, true}, {"exp2", mpfr_exp2, false},
                {"log2", mpfr_log2, false}, {"log10", mpfr_log10, false},   {"expm1", mpfr_expm1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            bndi_real_monotone(out, rows[i].function, rows[i].falls, x);
            return true;
        }
    }
    bnd_real first;
    bool known = true;
    bndi_real_open(&first, bndi_real_bits(out));
    if (strcmp(name, "reciprocal") == 0) {
        one(&first);
        bndi_real_of_two(out, effort, BND_OP_DIV, &first, x);
    } else if (strcmp(name, "sigmoid") == 0) {
        sigmoid(out, effort, x);
    } else if (strcmp(name, "gelu") == 0) {
        gelu(out, effort, x);
    } else if (strcmp(name, "gelu_tanh") == 0) {
        gelu_tanh(out, effort, x);
    } else if (strcmp(name, "neg") == 0) {
        negated(out, x);
    } else if (strcmp(name, "abs") == 0) {
        magnitude(out, x);
    } else {
        known = false;
    }
    bndi_real_close(&first);
    return known;
}

/* ---- infinities, poles and signs of zeros: what fp16 makes of numbers of their kind ---- */

static uint64_t kind_code(const bnd_real *x, bool other_sign)
{
    const uint64_t sign = 0x8000, unit = 0x3c00, infinity = 0x7c00;
    if (x->known == BND_KNOWN_INFINITE) {
        return infinity | (x->negative ? sign : 0);
    }
    int direction = bnd_real_sign(x);
    bool negative = direction != 0 ? direction < 0 : x->negative != other_sign;
    return (direction == 0 ? 0 : unit) | (negative ? sign : 0);
}

/* The code that fp16 gives. False: it is not the same for both signs of a signless zero and in all rounding modes. */
static bool code_of_kinds(uint64_t *out, bnd_operation operation, const bnd_real *const *operands, unsigned count)
{
    static const uint8_t modes[] = {BND_ROUND_RNE, BND_ROUND_RDN};
    const bnd_format *fp16 = bnd_format_at(BND_FORMAT_FP16);
    const bnd_format *formats[BND_OPERANDS_MAX] = {fp16, fp16, fp16};
    bool first = true, same = true;
    for (unsigned signs = 0; signs < 1u << count; signs++) {
        uint64_t codes[BND_OPERANDS_MAX];
        bool possible = true;
        for (unsigned i = 0; i < count; i++) {
            bool other_sign = (signs >> i & 1) != 0;
            codes[i] = kind_code(operands[i], other_sign);
            possible = possible && (!other_sign || operands[i]->signless);
        }
        for (size_t m = 0; possible && m < sizeof modes; m++) {
            uint64_t code = bnd_operate(fp16, operation, formats, codes, (bnd_rule){.rounding = modes[m]}, 0).code;
            same = same && (first || code == *out);
            *out = first ? code : *out;
            first = false;
        }
    }
    return same;
}

static void by_kind(bnd_real *out, bnd_operation operation, const bnd_real *const *operands, unsigned count)
{
    uint64_t code;
    if (operation == BND_OP_SCALB) {
        bndi_real_copy(out, operands[0]);
    } else if (code_of_kinds(&code, operation, operands, count)) {
        bndi_real_value(out, bnd_unpack(bnd_format_at(BND_FORMAT_FP16), code));
    } else {
        out->known = BND_KNOWN_NOT;
    }
}

static void give_sign_of_zero(bnd_real *out, bnd_operation operation, const bnd_real *const *operands, unsigned count)
{
    uint64_t code = 0;
    if (operation == BND_OP_SCALB) {
        out->negative = operands[0]->negative;
        out->signless = operands[0]->signless;
        return;
    }
    out->signless = !code_of_kinds(&code, operation, operands, count);
    out->negative = !out->signless && (code >> 15 & 1) != 0;
}

static bool has_pole(bnd_operation operation, const bnd_real *x)
{
    static const char *const at_zero[] = {"div", "rem", "log", "log2", "log10", "rsqrt", "reciprocal", "logb"};
    static const char *const below_zero[] = {"sqrt", "log", "log2", "log10", "rsqrt"};
    const char *name = bnd_operation_name(operation);
    bool found = false;
    bool zero = x->known == BND_KNOWN_EXACTLY && bnd_real_sign(x) == 0;
    for (size_t i = 0; i < sizeof at_zero / sizeof at_zero[0] && zero; i++) {
        found = found || strcmp(name, at_zero[i]) == 0;
    }
    for (size_t i = 0; i < sizeof below_zero / sizeof below_zero[0] && bnd_real_sign(x) < 0; i++) {
        found = found || strcmp(name, below_zero[i]) == 0;
    }
    return found;
}

/* ---- the smaller, the larger ---- */

/* Whether an end of the result is not reached. Of two ends that are equal, the lower one of the smaller number is
 * reached with either operand, the upper one with both alone. */
static bool chosen_open(bool smaller, bool low_end, const mpfr_t a, bool a_open, const mpfr_t b, bool b_open)
{
    if (mpfr_equal_p(a, b)) {
        return smaller == low_end ? a_open && b_open : a_open || b_open;
    }
    return (mpfr_less_p(a, b) != 0) == smaller ? a_open : b_open;
}

static void choose(bnd_real *out, bool smaller, const bnd_real *a, const bnd_real *b)
{
    if (a->known == BND_KNOWN_INFINITE || b->known == BND_KNOWN_INFINITE) {
        bool first = a->known == BND_KNOWN_INFINITE;
        bool wanted = (first ? a : b)->negative == smaller;
        bndi_real_copy(out, first == wanted ? a : b);
    } else if (a->known == BND_KNOWN_EXACTLY && b->known == BND_KNOWN_EXACTLY) {
        bndi_real_copy(out, (mpq_cmp(a->value, b->value) < 0) == smaller ? a : b);
    } else {
        mpfr_t low, high;
        mpfr_inits2(bndi_real_bits(out), low, high, (mpfr_ptr)NULL);
        bndi_open first = bndi_real_ends(low, high, a), second = bndi_real_ends(out->low, out->high, b);
        bndi_open open = {chosen_open(smaller, true, low, first.low, out->low, second.low),
                          chosen_open(smaller, false, high, first.high, out->high, second.high)};
        if (smaller) {
            mpfr_min(out->low, out->low, low, MPFR_RNDD);
            mpfr_min(out->high, out->high, high, MPFR_RNDU);
        } else {
            mpfr_max(out->low, out->low, low, MPFR_RNDD);
            mpfr_max(out->high, out->high, high, MPFR_RNDU);
        }
        mpfr_clears(low, high, (mpfr_ptr)NULL);
        bndi_real_give_ends(out, open);
    }
}

/* ---- every operation ---- */

static void multiply_add(bnd_real *out, bndi_effort *effort, const bnd_real *const *x)
{
    bnd_real product;
    bndi_real_open(&product, bndi_real_bits(out));
    bndi_real_of_two(&product, effort, BND_OP_MUL, x[0], x[1]);
    bndi_real_of_two(out, effort, BND_OP_ADD, &product, x[2]);
    bndi_real_close(&product);
}

static void of_numbers(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *const *x,
                       int64_t integer)
{
    switch (operation) {
    case BND_OP_ADD:
    case BND_OP_SUB:
    case BND_OP_MUL:
    case BND_OP_DIV:
        bndi_real_of_two(out, effort, operation, x[0], x[1]);
        break;
    case BND_OP_REM:
        remainder_of(out, effort, x[0], x[1]);
        break;
    case BND_OP_FMA:
        multiply_add(out, effort, x);
        break;
    case BND_OP_SQRT:
        root(out, x[0]);
        break;
    case BND_OP_CONVERT:
        bndi_real_copy(out, x[0]);
        break;
    case BND_OP_SCALB:
        scaled_by(out, x[0], integer);
        break;
    case BND_OP_LOGB:
        exponent_of(out, x[0]);
        break;
    default:
        if (!named(out, effort, bnd_operation_name(operation), x[0])) {
            out->known = BND_KNOWN_NOT;
        }
    }
}

void bndi_real_operate(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *const *operands,
                       int64_t integer)
{
    unsigned count = operation == BND_OP_SCALB ? 1 : bnd_operation_operands(operation), nans = 0, infinities = 0;
    bool unsure = false; /* an interval around zero */
    bool by_number = operation == BND_OP_MIN_NUMBER || operation == BND_OP_MAX_NUMBER;
    bool choosing = by_number || operation == BND_OP_MIN || operation == BND_OP_MAX;
    for (unsigned i = 0; i < count; i++) {
        if (operands[i]->known == BND_KNOWN_NOT) {
            out->known = BND_KNOWN_NOT;
            return;
        }
        nans += operands[i]->known == BND_KNOWN_NAN;
        infinities += operands[i]->known == BND_KNOWN_INFINITE;
        unsure = unsure || (operands[i]->known == BND_KNOWN_DIGITS && bnd_real_sign(operands[i]) == 0);
    }
    if (nans == 1 && by_number) {
        bndi_real_copy(out, operands[operands[0]->known == BND_KNOWN_NAN]);
    } else if (nans > 0) {
        out->known = BND_KNOWN_NAN;
    } else if (choosing) {
        choose(out, operation == BND_OP_MIN || operation == BND_OP_MIN_NUMBER, operands[0], operands[1]);
    } else if (operation == BND_OP_REM && infinities == 1 && operands[1]->known == BND_KNOWN_INFINITE) {
        bndi_real_copy(out, operands[0]);
    } else if (infinities > 0 || has_pole(operation, operands[count - 1])) {
        out->known = BND_KNOWN_NOT;
        if (!unsure) {
            by_kind(out, operation, operands, count);
        }
    } else {
        of_numbers(out, effort, operation, operands, integer);
    }
    if (out->known == BND_KNOWN_EXACTLY && mpq_sgn(out->value) == 0 && infinities + nans == 0) {
        give_sign_of_zero(out, operation, operands, count);
    }
}
