/* Exact numbers: making and comparing them. */
#include "base/bits.h"
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

void bndi_oracle_number_open(bndi_oracle_number *x)
{
    memset(x, 0, sizeof *x);
    mpz_inits(x->numerator, x->denominator, (mpz_ptr)NULL);
    mpz_set_ui(x->denominator, 1);
}

void bndi_oracle_number_close(bndi_oracle_number *x)
{
    mpz_clears(x->numerator, x->denominator, (mpz_ptr)NULL);
}

void bndi_oracle_work_open(bndi_oracle_work *work)
{
    mpz_inits(work->quotient, work->remainder, work->divisor, work->left, work->right, (mpz_ptr)NULL);
    mpfr_inits2(64, work->wide, work->narrow, (mpfr_ptr)NULL);
}

void bndi_oracle_work_close(bndi_oracle_work *work)
{
    mpz_clears(work->quotient, work->remainder, work->divisor, work->left, work->right, (mpz_ptr)NULL);
    mpfr_clears(work->wide, work->narrow, (mpfr_ptr)NULL);
}

bool bndi_oracle_is_zero(const bndi_oracle_number *x)
{
    return x->kind == BND_ORACLE_FINITE && mpz_sgn(x->numerator) == 0;
}

static void begin(bndi_oracle_number *x, bnd_oracle_kind kind, bool negative)
{
    x->kind = kind;
    x->negative = negative;
    x->subnormal = false;
    x->payload = 0;
    x->scale = 0;
    x->exponent = 0;
}

static void set_words(bndi_oracle_number *x, uint64_t significand, int64_t scale)
{
    mpz_set_ui(x->numerator, significand);
    mpz_set_ui(x->denominator, 1);
    x->scale = scale;
    if (significand != 0) {
        x->exponent = (int64_t)mpz_sizeinbase(x->numerator, 2) - 1 + scale;
    }
}

void bndi_oracle_set_double(bndi_oracle_number *x, double value)
{
    uint64_t bits = bndi_bits_of_double(value);
    bool negative = bits >> 63;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int64_t field = (int64_t)(bits >> 52 & 0x7ff);
    if (field == 0x7ff) {
        bnd_oracle_kind nan = fraction >> 51 ? BND_ORACLE_NAN : BND_ORACLE_SIGNALING_NAN;
        begin(x, fraction == 0 ? BND_ORACLE_INFINITE : nan, negative);
        x->payload = fraction << 12;
        return;
    }
    begin(x, BND_ORACLE_FINITE, negative);
    x->subnormal = field == 0 && fraction != 0;
    if (field == 0) {
        set_words(x, fraction, -1074);
    } else {
        set_words(x, fraction | UINT64_C(1) << 52, field - 1075);
    }
}

void bndi_oracle_set_value(bndi_oracle_number *x, const bndi_oracle_value *value)
{
    begin(x, value->kind, value->negative);
    if (value->kind == BND_ORACLE_FINITE) {
        set_words(x, value->significand, value->quantum);
    } else {
        x->payload = value->significand;
    }
}

void bndi_oracle_set_code(bndi_oracle_number *x, const bnd_format *from, uint64_t code)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, from);
    bndi_oracle_value value = bndi_oracle_value_of(&shape, code);
    bndi_oracle_set_value(x, &value);
    x->subnormal = shape.subnormals && value.kind == BND_ORACLE_FINITE && value.significand != 0 &&
                   x->exponent < bndi_oracle_exponent(&shape.normal);
}

/* The exponent of the leading bit of numerator / denominator, which is not zero. */
static int64_t exponent_of_quotient(mpz_srcptr numerator, mpz_srcptr denominator)
{
    /* n/d lies in (2^(e-1), 2^(e+1)) where e is the difference of their lengths. */
    int64_t exponent = (int64_t)mpz_sizeinbase(numerator, 2) - (int64_t)mpz_sizeinbase(denominator, 2);
    mpz_t scaled;
    mpz_init(scaled);
    if (exponent >= 0) {
        mpz_mul_2exp(scaled, denominator, (mp_bitcnt_t)exponent);
        exponent -= mpz_cmp(numerator, scaled) < 0;
    } else {
        mpz_mul_2exp(scaled, numerator, (mp_bitcnt_t)-exponent);
        exponent -= mpz_cmp(scaled, denominator) < 0;
    }
    mpz_clear(scaled);
    return exponent;
}

void bndi_oracle_set_quotient(bndi_oracle_number *x, bool negative, mpz_srcptr numerator, mpz_srcptr denominator,
                              int64_t scale)
{
    begin(x, BND_ORACLE_FINITE, negative);
    mpz_set(x->numerator, numerator);
    mpz_set(x->denominator, denominator);
    x->scale = scale;
    if (mpz_sgn(numerator) != 0) {
        x->exponent = exponent_of_quotient(numerator, denominator) + scale;
    }
}

void bndi_oracle_set_rational(bndi_oracle_number *x, mpq_srcptr value)
{
    begin(x, BND_ORACLE_FINITE, mpq_sgn(value) < 0);
    mpz_abs(x->numerator, mpq_numref(value));
    mpz_set(x->denominator, mpq_denref(value));
    if (mpz_sgn(x->numerator) != 0) {
        x->exponent = exponent_of_quotient(x->numerator, x->denominator);
    }
}

void bndi_oracle_set_dyadic(bndi_oracle_number *x, bool negative, mpz_srcptr magnitude, int64_t scale)
{
    begin(x, BND_ORACLE_FINITE, negative);
    mpz_set(x->numerator, magnitude);
    mpz_set_ui(x->denominator, 1);
    x->scale = scale;
    if (mpz_sgn(magnitude) != 0) {
        x->exponent = (int64_t)mpz_sizeinbase(magnitude, 2) - 1 + scale;
    }
}

void bndi_oracle_get_rational(mpq_t out, const bndi_oracle_value *value)
{
    mpq_set_ui(out, value->significand, 1);
    if (value->quantum >= 0) {
        mpq_mul_2exp(out, out, (mp_bitcnt_t)value->quantum);
    } else {
        mpq_div_2exp(out, out, (mp_bitcnt_t)-value->quantum);
    }
    if (value->negative) {
        mpq_neg(out, out);
    }
}

int bndi_oracle_compare(bndi_oracle_work *work, const bndi_oracle_number *x, const bndi_oracle_value *value)
{
    if (value->significand == 0) {
        return 1;
    }
    int64_t exponent = bndi_oracle_exponent(value);
    if (x->exponent != exponent) {
        return x->exponent < exponent ? -1 : 1;
    }
    mpz_set(work->left, x->numerator);
    mpz_mul_ui(work->right, x->denominator, value->significand);
    if (x->scale >= value->quantum) {
        mpz_mul_2exp(work->left, work->left, (mp_bitcnt_t)(x->scale - value->quantum));
    } else {
        mpz_mul_2exp(work->right, work->right, (mp_bitcnt_t)(value->quantum - x->scale));
    }
    int order = mpz_cmp(work->left, work->right);
    return (order > 0) - (order < 0);
}
