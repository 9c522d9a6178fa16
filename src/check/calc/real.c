/* Exact arithmetic: quotients of integers as long as possible, then intervals with ends rounded outward. */
#include "calc/real.h"
#include "calc/big_numbers.h"

enum { MOST_BITS = BNDI_QUOTIENT_BITS };

void bndi_real_open(bnd_real *x, mpfr_prec_t bits)
{
    x->known = BND_KNOWN_NOT;
    x->negative = false;
    x->signless = false;
    x->open = (bndi_open){false, false};
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
        out->negative = value.kind == BND_KIND_ZERO && value.negative;
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
        out->negative = number.negative != negative; /* of a zero */
    }
    bndi_scaled_close(&x);
    return status == BND_BAD_ARGUMENT ? BND_OK : status; /* too many digits: not known */
}

/* ---- intervals ---- */

bndi_open bndi_real_ends(mpfr_t low, mpfr_t high, const bnd_real *x)
{
    if (x->known == BND_KNOWN_EXACTLY) {
        bool low_cut = mpfr_set_q(low, x->value, MPFR_RNDD) != 0, high_cut = mpfr_set_q(high, x->value, MPFR_RNDU) != 0;
        return (bndi_open){low_cut, high_cut};
    }
    bool low_cut = mpfr_set(low, x->low, MPFR_RNDD) != 0, high_cut = mpfr_set(high, x->high, MPFR_RNDU) != 0;
    return (bndi_open){low_cut || x->open.low, high_cut || x->open.high};
}

/* What two ends say: a number where they are one and small, nothing where both are infinite. A zero has the sign of the
 * numbers next to it, so that its reciprocal is the right infinity. */
void bndi_real_give_ends(bnd_real *out, bndi_open open)
{
    bool nan = mpfr_nan_p(out->low) || mpfr_nan_p(out->high);
    out->open = open;
    if (nan || (!mpfr_number_p(out->low) && !mpfr_number_p(out->high))) {
        out->known = BND_KNOWN_NOT;
    } else if (mpfr_equal_p(out->low, out->high) &&
               (mpfr_zero_p(out->low) || (mpfr_get_exp(out->low) < MOST_BITS && mpfr_get_exp(out->low) > -MOST_BITS))) {
        mpfr_get_q(out->value, out->low);
        bndi_real_give_exact(out);
    } else {
        out->known = BND_KNOWN_DIGITS;
        if (mpfr_zero_p(out->low)) {
            mpfr_set_zero(out->low, 1);
        }
        if (mpfr_zero_p(out->high)) {
            mpfr_set_zero(out->high, -1);
        }
    }
}

static int sign_of_ends(const mpfr_t low, const mpfr_t high, bndi_open open)
{
    int least = mpfr_sgn(low), most = mpfr_sgn(high);
    return least > 0 || (least == 0 && open.low) ? 1 : most < 0 || (most == 0 && open.high) ? -1 : 0;
}

typedef int binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* An operand's two ends. */
typedef struct ends {
    mpfr_t at[2];
    bool open[2];
} ends;

static void open_ends(ends *e, mpfr_prec_t bits, const bnd_real *x)
{
    mpfr_inits2(bits, e->at[0], e->at[1], (mpfr_ptr)NULL);
    bndi_open open = bndi_real_ends(e->at[0], e->at[1], x);
    e->open[0] = open.low;
    e->open[1] = open.high;
}

static void close_ends(ends *e)
{
    mpfr_clears(e->at[0], e->at[1], (mpfr_ptr)NULL);
}

/* Of the results at two ends the result is reached if both ends are, and also where one of them is zero and reached. */
static bool is_corner_open(const ends *a, int i, const ends *b, int k)
{
    bool a_moves = !mpfr_zero_p(a->at[i]), b_moves = !mpfr_zero_p(b->at[k]);
    return (a->open[i] && (b->open[k] || b_moves)) || (b->open[k] && a_moves);
}

/* The least and the largest of the four results that the ends can make: of a product, and of a quotient whose divisor
 * is not zero. 0 times an end that is infinite says nothing that the other three do not. */
static void spread(bnd_real *out, binary *operation, const ends *a, const ends *b)
{
    mpfr_t low, high;
    bndi_open open = {false, false};
    mpfr_inits2(bndi_real_bits(out), low, high, (mpfr_ptr)NULL);
    mpfr_set_nan(out->low);
    mpfr_set_nan(out->high);
    for (int i = 0; i < 4; i++) {
        bool corner = is_corner_open(a, i & 1, b, i >> 1);
        bool low_open = operation(low, a->at[i & 1], b->at[i >> 1], MPFR_RNDD) != 0 || corner;
        bool high_open = operation(high, a->at[i & 1], b->at[i >> 1], MPFR_RNDU) != 0 || corner;
        if (mpfr_nan_p(low)) {
            continue;
        }
        open.low = mpfr_equal_p(low, out->low) ? open.low && low_open : open.low;
        open.high = mpfr_equal_p(high, out->high) ? open.high && high_open : open.high;
        if (mpfr_nan_p(out->low) || mpfr_less_p(low, out->low)) {
            mpfr_set(out->low, low, MPFR_RNDD);
            open.low = low_open;
        }
        if (mpfr_nan_p(out->high) || mpfr_greater_p(high, out->high)) {
            mpfr_set(out->high, high, MPFR_RNDU);
            open.high = high_open;
        }
    }
    mpfr_clears(low, high, (mpfr_ptr)NULL);
    bndi_real_give_ends(out, open);
}

/* a + b; a - b with the ends of b exchanged. */
static void add_ends(bnd_real *out, binary *operation, const ends *a, const ends *b, bool turned)
{
    bool low_cut = operation(out->low, a->at[0], b->at[turned], MPFR_RNDD) != 0;
    bool high_cut = operation(out->high, a->at[1], b->at[!turned], MPFR_RNDU) != 0;
    bndi_real_give_ends(
        out, (bndi_open){low_cut || a->open[0] || b->open[turned], high_cut || a->open[1] || b->open[!turned]});
}

static void interval_of_two(bnd_real *out, bnd_operation operation, const bnd_real *x, const bnd_real *y)
{
    ends a, b;
    open_ends(&a, bndi_real_bits(out), x);
    open_ends(&b, bndi_real_bits(out), y);
    if (operation == BND_OP_ADD || operation == BND_OP_SUB) {
        add_ends(out, operation == BND_OP_ADD ? mpfr_add : mpfr_sub, &a, &b, operation == BND_OP_SUB);
    } else if (operation == BND_OP_DIV && bnd_real_sign(y) == 0) {
        out->known = BND_KNOWN_NOT;
    } else {
        spread(out, operation == BND_OP_DIV ? mpfr_div : mpfr_mul, &a, &b);
    }
    close_ends(&b);
    close_ends(&a);
}

void bndi_real_monotone(bnd_real *out, bndi_unary *function, bool falls, const bnd_real *x)
{
    ends a;
    open_ends(&a, bndi_real_bits(out), x);
    bool low_cut = function(out->low, a.at[falls], MPFR_RNDD) != 0;
    bool high_cut = function(out->high, a.at[!falls], MPFR_RNDU) != 0;
    bndi_real_give_ends(out, (bndi_open){low_cut || a.open[falls], high_cut || a.open[!falls]});
    close_ends(&a);
}

bool bndi_real_is_bounded(const bnd_real *x)
{
    return x->known == BND_KNOWN_DIGITS && (!mpfr_regular_p(x->low) || !mpfr_regular_p(x->high));
}

void bndi_real_copy(bnd_real *out, const bnd_real *x)
{
    out->known = x->known;
    out->negative = x->negative;
    out->signless = x->signless;
    mpq_set(out->value, x->value);
    mpfr_set(out->low, x->low, MPFR_RNDN);
    mpfr_set(out->high, x->high, MPFR_RNDN);
    out->open = x->open;
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
        out->signless = n > 0 && (x->negative || x->signless); /* 0 + -0 */
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
    case BND_KNOWN_DIGITS:
        return sign_of_ends(x->low, x->high, x->open);
    default:
        return 0;
    }
}
