/* Exact arithmetic: quotients of integers as long as possible, then intervals with ends rounded outward. */
#include "calc/real.h"
#include "calc/big_numbers.h"

enum { MOST_BITS = BNDI_QUOTIENT_BITS };

void bndi_real_open(bnd_real *x, mpfr_prec_t bits)
{
    x->known = BND_KNOWN_NOT;
    x->negative = false;
    mpq_init(x->value);
    mpfr_init2(x->low, bits);
    mpfr_init2(x->high, bits);
}

void bndi_real_close(bnd_real *x)
{
    mpq_clear(x->value);
    mpfr_clear(x->low);
    mpfr_clear(x->high);
}

mpfr_prec_t bndi_real_bits(const bnd_real *x)
{
    return mpfr_get_prec(x->low);
}

static size_t bits_of(const mpq_t x)
{
    size_t above = mpz_sizeinbase(mpq_numref(x), 2), below = mpz_sizeinbase(mpq_denref(x), 2);
    return above > below ? above : below;
}

/* What was worked out in `value`, if it has not grown too long. */
void bndi_real_give_exact(bnd_real *out)
{
    out->known = bits_of(out->value) <= MOST_BITS ? BND_KNOWN_EXACTLY : BND_KNOWN_NOT;
}

/* ---- from what is written ---- */

static void give_scaled(bnd_real *out, const bndi_decimal_scaled *x)
{
    int64_t two = x->two + x->ten, five = x->ten, most = MOST_BITS;
    mpq_set_z(out->value, x->integer);
    if (mpz_sgn(x->integer) == 0) {
        out->known = BND_KNOWN_EXACTLY;
        return;
    }
    if (two > most || two < -most || five > most || five < -most) {
        out->known = BND_KNOWN_NOT;
        return;
    }
    mpq_t power;
    mpq_init(power);
    mpz_ui_pow_ui(mpq_numref(power), 5, (unsigned long)(five < 0 ? -five : five));
    if (five < 0) {
        mpq_div(out->value, out->value, power);
    } else {
        mpq_mul(out->value, out->value, power);
    }
    mpq_clear(power);
    if (two < 0) {
        mpq_div_2exp(out->value, out->value, (mp_bitcnt_t)-two);
    } else {
        mpq_mul_2exp(out->value, out->value, (mp_bitcnt_t)two);
    }
    bndi_real_give_exact(out);
}

void bndi_real_value(bnd_real *out, bnd_exact value)
{
    if (value.kind == BND_KIND_INFINITE) {
        out->known = BND_KNOWN_INFINITE;
        out->negative = value.negative;
    } else if (value.kind != BND_KIND_FINITE && value.kind != BND_KIND_ZERO) {
        out->known = BND_KNOWN_NAN;
    } else {
        bndi_decimal_scaled x;
        bndi_scaled_open(&x);
        bndi_scaled_from_value(&x, value);
        give_scaled(out, &x);
        bndi_scaled_close(&x);
    }
}

bnd_status bndi_real_number(bnd_real *out, const char *text, size_t length, bool negative, bnd_error *why)
{
    bndi_scanned number;
    bnd_status status = bnd_lab_scan_number(&number, text, length, why);
    if (status != BND_OK) {
        return status;
    }
    if (number.kind != BNDI_NUMBER_DECIMAL && number.kind != BNDI_NUMBER_HEX) {
        out->known = number.kind == BNDI_NUMBER_INFINITE ? BND_KNOWN_INFINITE : BND_KNOWN_NAN;
        out->negative = number.negative != negative;
        return BND_OK;
    }
    bndi_decimal_scaled x;
    bndi_scaled_open(&x);
    status = bndi_scaled_from_number(&x, &number, why);
    if (status == BND_OK) {
        if (negative) {
            mpz_neg(x.integer, x.integer);
        }
        give_scaled(out, &x);
    }
    bndi_scaled_close(&x);
    return status == BND_BAD_ARGUMENT ? BND_OK : status; /* too many digits: not known */
}

/* ---- intervals ---- */

void bndi_real_ends(mpfr_t low, mpfr_t high, const bnd_real *x)
{
    if (x->known == BND_KNOWN_EXACTLY) {
        mpfr_set_q(low, x->value, MPFR_RNDD);
        mpfr_set_q(high, x->value, MPFR_RNDU);
    } else {
        mpfr_set(low, x->low, MPFR_RNDD);
        mpfr_set(high, x->high, MPFR_RNDU);
    }
}

/* What two ends say: a number where they are one and small, nothing where they are infinite. */
void bndi_real_give_ends(bnd_real *out)
{
    if (!mpfr_number_p(out->low) || !mpfr_number_p(out->high)) {
        out->known = BND_KNOWN_NOT;
    } else if (mpfr_equal_p(out->low, out->high) &&
               (mpfr_zero_p(out->low) || (mpfr_get_exp(out->low) < MOST_BITS && mpfr_get_exp(out->low) > -MOST_BITS))) {
        mpfr_get_q(out->value, out->low);
        bndi_real_give_exact(out);
    } else {
        out->known = BND_KNOWN_DIGITS;
    }
}

typedef int binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* The least and the largest of the four results that the ends can make: of a product, and of a quotient whose divisor
 * is not zero. */
static void spread(bnd_real *out, binary *operation, const mpfr_t a[2], const mpfr_t b[2])
{
    mpfr_t low, high;
    mpfr_init2(low, bndi_real_bits(out));
    mpfr_init2(high, bndi_real_bits(out));
    for (int i = 0; i < 4; i++) {
        operation(low, a[i & 1], b[i >> 1], MPFR_RNDD);
        operation(high, a[i & 1], b[i >> 1], MPFR_RNDU);
        if (i == 0 || mpfr_less_p(low, out->low) || mpfr_nan_p(low)) {
            mpfr_set(out->low, low, MPFR_RNDD);
        }
        if (i == 0 || mpfr_greater_p(high, out->high) || mpfr_nan_p(high)) {
            mpfr_set(out->high, high, MPFR_RNDU);
        }
    }
    mpfr_clear(high);
    mpfr_clear(low);
}

static void interval_of_two(bnd_real *out, bnd_operation operation, const bnd_real *x, const bnd_real *y)
{
    mpfr_t a[2], b[2];
    mpfr_inits2(bndi_real_bits(out), a[0], a[1], b[0], b[1], (mpfr_ptr)NULL);
    bndi_real_ends(a[0], a[1], x);
    bndi_real_ends(b[0], b[1], y);
    if (operation == BND_OP_ADD || operation == BND_OP_SUB) {
        if (operation == BND_OP_SUB) {
            mpfr_sub(out->low, a[0], b[1], MPFR_RNDD);
            mpfr_sub(out->high, a[1], b[0], MPFR_RNDU);
        } else {
            mpfr_add(out->low, a[0], b[0], MPFR_RNDD);
            mpfr_add(out->high, a[1], b[1], MPFR_RNDU);
        }
        bndi_real_give_ends(out);
    } else if (operation == BND_OP_DIV && mpfr_sgn(b[0]) * mpfr_sgn(b[1]) <= 0) {
        out->known = BND_KNOWN_NOT;
    } else {
        spread(out, operation == BND_OP_DIV ? mpfr_div : mpfr_mul, a, b);
        bndi_real_give_ends(out);
    }
    mpfr_clears(a[0], a[1], b[0], b[1], (mpfr_ptr)NULL);
}

void bndi_real_monotone(bnd_real *out, bndi_unary *function, bool falls, const bnd_real *x)
{
    mpfr_t a[2];
    mpfr_inits2(bndi_real_bits(out), a[0], a[1], (mpfr_ptr)NULL);
    bndi_real_ends(a[0], a[1], x);
    function(out->low, a[falls], MPFR_RNDD);
    function(out->high, a[!falls], MPFR_RNDU);
    mpfr_clears(a[0], a[1], (mpfr_ptr)NULL);
    bndi_real_give_ends(out);
}

void bndi_real_copy(bnd_real *out, const bnd_real *x)
{
    out->known = x->known;
    out->negative = x->negative;
    mpq_set(out->value, x->value);
    mpfr_set(out->low, x->low, MPFR_RNDN);
    mpfr_set(out->high, x->high, MPFR_RNDN);
}

/* ---- quotients of integers ---- */

void bndi_real_of_quotients(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *a,
                            const bnd_real *b)
{
    size_t bits = bits_of(a->value) + bits_of(b->value);
    effort->bits_left -= (int64_t)bits;
    if (effort->bits_left < 0) {
        out->known = BND_KNOWN_NOT;
        return;
    }
    void (*const by[])(mpq_t, const mpq_t, const mpq_t) = {
        [BND_OP_ADD] = mpq_add, [BND_OP_SUB] = mpq_sub, [BND_OP_MUL] = mpq_mul, [BND_OP_DIV] = mpq_div};
    by[operation](out->value, a->value, b->value);
    bndi_real_give_exact(out);
}

static bool is_number(const bnd_real *x)
{
    return x->known == BND_KNOWN_EXACTLY || x->known == BND_KNOWN_DIGITS;
}

void bndi_real_of_two(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *a, const bnd_real *b)
{
    if (a->known == BND_KNOWN_EXACTLY && b->known == BND_KNOWN_EXACTLY) {
        bndi_real_of_quotients(out, effort, operation, a, b);
    } else if (is_number(a) && is_number(b)) {
        interval_of_two(out, operation, a, b);
    } else {
        out->known = BND_KNOWN_NOT;
    }
}

void bndi_real_times(bnd_real *out, bndi_effort *effort, const bnd_real *x, int64_t n)
{
    if (x->known == BND_KNOWN_NOT || x->known == BND_KNOWN_NAN || (x->known == BND_KNOWN_INFINITE && n > 0)) {
        bndi_real_copy(out, x);
        return;
    }
    bnd_real times;
    bndi_real_open(&times, bndi_real_bits(out));
    mpq_set_si(times.value, (long)(x->known == BND_KNOWN_INFINITE ? 0 : n), 1);
    times.known = BND_KNOWN_EXACTLY;
    if (x->known == BND_KNOWN_INFINITE) {
        bndi_real_copy(out, &times); /* nothing was added */
    } else {
        bndi_real_of_two(out, effort, BND_OP_MUL, &times, x);
    }
    bndi_real_close(&times);
}

void bndi_real_subtract(bnd_real *out, const bnd_real *a, const bnd_real *b)
{
    bndi_effort enough = {INT64_MAX};
    bndi_real_of_two(out, &enough, BND_OP_SUB, a, b);
}

int bnd_real_sign(const bnd_real *x)
{
    switch (x->known) {
    case BND_KNOWN_EXACTLY:
        return mpq_sgn(x->value);
    case BND_KNOWN_DIGITS: {
        int low = mpfr_sgn(x->low);
        return low == mpfr_sgn(x->high) ? low : 0;
    }
    default:
        return 0;
    }
}
