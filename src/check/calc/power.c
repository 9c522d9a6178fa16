/* x^n for an integer n: exactly, and rounded once. */
#include "calc/calc.h"
#include "calc/big_numbers.h"

/* ---- exactly ---- */

static void give_integer(bnd_real *out, long value)
{
    mpq_set_si(out->value, value, 1);
    out->known = BND_KNOWN_EXACTLY;
}

static void give_infinity(bnd_real *out, bool negative)
{
    out->known = BND_KNOWN_INFINITE;
    out->negative = negative;
}

static size_t longest(const mpq_t x)
{
    size_t above = mpz_sizeinbase(mpq_numref(x), 2), below = mpz_sizeinbase(mpq_denref(x), 2);
    return above > below ? above : below;
}

/* A quotient whose power has at most BNDI_QUOTIENT_BITS; false where it is longer, or too much work. A number of b bits
 * has a power of more than (b - 1) n bits, and of at most b n. */
static bool quotient_power(bnd_real *out, bndi_effort *effort, const bnd_real *x, uint64_t n, bool inverse)
{
    uint64_t bits = longest(x->value);
    if (bits > BNDI_QUOTIENT_BITS || (bits - 1) * n > BNDI_QUOTIENT_BITS) {
        return false;
    }
    effort->bits_left -= (int64_t)(2 * (bits - 1) * n);
    if (effort->bits_left < 0) {
        return false;
    }
    mpz_pow_ui(mpq_numref(out->value), mpq_numref(x->value), (unsigned long)n);
    mpz_pow_ui(mpq_denref(out->value), mpq_denref(x->value), (unsigned long)n); /* no common factor comes up */
    if (inverse) {
        mpq_inv(out->value, out->value);
    }
    bndi_real_give_exact(out);
    return out->known == BND_KNOWN_EXACTLY;
}

/* |x|^n only rises, or only falls, with |x|: the ends of an interval that does not hold zero. */
static void interval_power(bnd_real *out, const bnd_real *x, int64_t n)
{
    mpfr_t low, high;
    mpfr_inits2(bndi_real_bits(out), low, high, (mpfr_ptr)NULL);
    bndi_open open = bndi_real_ends(low, high, x);
    if (bnd_real_sign(x) == 0) {
        out->known = BND_KNOWN_NOT;
    } else {
        bool below_zero = mpfr_sgn(low) < 0, odd = n % 2 != 0;
        bool falls = below_zero ? (n < 0) == odd : n < 0;
        bool low_cut = mpfr_pow_si(out->low, falls ? high : low, (long)n, MPFR_RNDD) != 0;
        bool high_cut = mpfr_pow_si(out->high, falls ? low : high, (long)n, MPFR_RNDU) != 0;
        bndi_real_give_ends(
            out, (bndi_open){low_cut || (falls ? open.high : open.low), high_cut || (falls ? open.low : open.high)});
    }
    mpfr_clears(low, high, (mpfr_ptr)NULL);
}

void bndi_real_power(bnd_real *out, bndi_effort *effort, const bnd_real *x, int64_t n)
{
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    bool odd = size % 2 != 0;
    if (x->known == BND_KNOWN_NOT) {
        out->known = BND_KNOWN_NOT;
    } else if (n == 0) {
        give_integer(out, 1);
    } else if (x->known == BND_KNOWN_NAN) {
        out->known = BND_KNOWN_NAN;
    } else if (x->known == BND_KNOWN_INFINITE && n < 0) {
        give_integer(out, 0);
        out->negative = x->negative && odd;
    } else if (x->known == BND_KNOWN_INFINITE) {
        give_infinity(out, x->negative && odd);
    } else if (x->known == BND_KNOWN_EXACTLY && bnd_real_sign(x) == 0) {
        if (n > 0) {
            give_integer(out, 0);
        } else if (x->signless && odd) {
            out->known = BND_KNOWN_NOT;
        } else {
            give_infinity(out, x->negative && odd);
        }
        out->negative = x->negative && odd;
        out->signless = x->signless && odd;
    } else if (x->known != BND_KNOWN_EXACTLY || !quotient_power(out, effort, x, size, n < 0)) {
        interval_power(out, x, n);
    }
}

/* ---- rounded ---- */

/* x^n of a finite number that is not zero, cut to 128 bits; whether that is all of it. */
static bnd_exact leading_power(bnd_exact x, int64_t n)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    MPFR_DECL_INIT(base, 128);
    MPFR_DECL_INIT(power, 128);
    mpz_t significand;
    mpz_init(significand);
    bndi_exact_to_mpfr(base, x);
    int ternary = mpfr_pow_si(power, base, (long)n, MPFR_RNDZ);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, power);
    bool negative = mpz_sgn(significand) < 0;
    mpz_abs(significand, significand);
    bnd_exact exact = bndi_exact_from_integer(negative, significand, exponent, ternary != 0);
    mpz_clear(significand);
    bndi_mpfr_end(state);
    return exact;
}

/* IEEE 754's pown: x^0 is 1, of a quiet NaN too; of a zero or an infinity what the product or the quotient is. */
bnd_result bndi_round_power(const bnd_format *to, const bnd_format *from, uint64_t code, int64_t n, bnd_rule rule,
                            uint64_t random)
{
    const bnd_format *const formats[BND_OPERANDS_MAX] = {from};
    bnd_exact x = bnd_unpack(from, code);
    rule = bnd_rule_of_operation(rule);
    bool nan = x.kind == BND_KIND_QUIET_NAN || x.kind == BND_KIND_SIGNALING_NAN;
    bool as_zero = rule.flush_in && bnd_classify(from, x) == BND_CLASS_SUBNORMAL;
    if (n == 0 && x.kind != BND_KIND_SIGNALING_NAN) {
        return bnd_encode_exact(to, bnd_exact_int64(1), rule, random);
    }
    if (nan || as_zero || x.kind != BND_KIND_FINITE) {
        uint64_t operand = nan || n % 2 != 0 || !from->is_signed ? code : bnd_abs(from, code, rule, 0).code;
        return bnd_operate(to, nan || n > 0 ? BND_OP_CONVERT : BND_OP_RECIPROCAL, formats, &operand, rule, random);
    }
    return bnd_encode_exact(to, leading_power(x, n), rule, random);
}
