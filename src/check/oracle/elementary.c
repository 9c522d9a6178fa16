/* Elementary functions by MPFR: to 200 bits toward zero, and whether the result is inexact. Functions that MPFR
 * lacks are composed from others with more and more bits until 200 of them are certain (Ziv's method). */
#include "oracle/oracle.h"

enum {
    BITS = 200,   /* breakpoints of every rounding have at most 64 + 64 */
    SLACK = 40,   /* bits by which what is put together may be wrong */
    FAR = 1 << 18 /* beyond 2^FAR, every format's range is left behind */
};

/* f(x) at the precision of `out`, but for 2^SLACK of its last place. x has few bits. */
typedef void evaluation(mpfr_t out, const mpfr_t x);

/* (-1)^negative 2^exponent, or a little more of it where `inexact`. */
static void give_power(bndi_oracle_problem *p, bool negative, int64_t exponent, bool inexact)
{
    mpz_set_ui(p->a, inexact ? 3 : 2);
    bndi_oracle_set_dyadic(&p->exact, negative, p->a, exponent - 1);
}

/* y, or where `inexact` the middle between y and the next number of BITS away from zero. Infinities of finite numbers
 * are poles, and NaNs are what has no answer. */
static void give_mpfr(bndi_oracle_problem *p, const mpfr_t y, bool inexact)
{
    bool negative = mpfr_signbit(y) != 0;
    if (mpfr_nan_p(y)) {
        bndi_oracle_undefined(p);
    } else if (mpfr_inf_p(y)) {
        p->flags |= p->x[0].kind == BND_ORACLE_INFINITE ? 0 : BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, negative);
    } else if (mpfr_zero_p(y) && !inexact) {
        bndi_oracle_give_zero(p, negative);
    } else if (mpfr_zero_p(y) || mpfr_get_exp(y) < -FAR) {
        give_power(p, negative, -FAR, true);
    } else if (mpfr_get_exp(y) > FAR) {
        give_power(p, negative, FAR, true);
    } else {
        int64_t scale = mpfr_get_z_2exp(p->a, y) - 1;
        mpz_abs(p->a, p->a);
        mpz_mul_2exp(p->a, p->a, 1);
        mpz_add_ui(p->a, p->a, inexact);
        bndi_oracle_set_dyadic(&p->exact, negative, p->a, scale);
    }
}

/* ---- MPFR's exponents as wide as they go, x at hand ---- */

typedef struct stage {
    mpfr_exp_t old_emin, old_emax;
    mpfr_flags_t old_flags;
    mpfr_t x, y;
} stage;

static void stage_open(stage *s, const bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    s->old_emin = mpfr_get_emin();
    s->old_emax = mpfr_get_emax();
    s->old_flags = mpfr_flags_save();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(64, s->x, s->y, (mpfr_ptr)NULL);
    mpfr_set_prec(s->y, BITS);
    if (x->kind == BND_ORACLE_INFINITE) {
        mpfr_set_inf(s->x, 1);
    } else {
        mpfr_set_z_2exp(s->x, x->numerator, x->scale, MPFR_RNDN);
    }
    mpfr_setsign(s->x, s->x, x->negative, MPFR_RNDN);
}

static void stage_close(stage *s)
{
    mpfr_clears(s->x, s->y, (mpfr_ptr)NULL);
    mpfr_set_emin(s->old_emin);
    mpfr_set_emax(s->old_emax);
    mpfr_flags_restore(s->old_flags, MPFR_FLAGS_ALL);
}

/* ---- what MPFR has ---- */

typedef int function(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t mode);

static void by_mpfr(bndi_oracle_problem *p, function *f)
{
    stage s;
    stage_open(&s, p);
    int ternary = f(s.y, s.x, MPFR_RNDZ);
    give_mpfr(p, s.y, ternary != 0);
    stage_close(&s);
}

void bndi_oracle_exp(bndi_oracle_problem *p)
{
    by_mpfr(p, mpfr_exp);
}

void bndi_oracle_log(bndi_oracle_problem *p)
{
    by_mpfr(p, mpfr_log);
}

void bndi_oracle_tanh(bndi_oracle_problem *p)
{
    by_mpfr(p, mpfr_tanh);
}

void bndi_oracle_erf(bndi_oracle_problem *p)
{
    by_mpfr(p, mpfr_erf);
}

/* IEEE 754's of -0 is minus infinity, MPFR's plus infinity. */
void bndi_oracle_rsqrt(bndi_oracle_problem *p)
{
    by_mpfr(p, mpfr_rec_sqrt);
    if (bndi_oracle_is_zero(&p->x[0])) {
        bndi_oracle_give_infinity(p, p->x[0].negative);
    }
}

/* ---- what it has not ---- */

static void composed(bndi_oracle_problem *p, evaluation *f)
{
    stage s;
    stage_open(&s, p);
    bool certain = false;
    mpfr_t y;
    mpfr_init2(y, BITS + 2 * SLACK);
    while (!certain) {
        f(y, s.x);
        bool far = mpfr_regular_p(y) == 0 || mpfr_get_exp(y) < -FAR;
        certain = far || mpfr_can_round(y, mpfr_get_prec(y) - SLACK, MPFR_RNDN, MPFR_RNDZ, BITS) != 0;
        if (!certain) {
            mpfr_set_prec(y, 2 * mpfr_get_prec(y));
        }
    }
    mpfr_set(s.y, y, MPFR_RNDZ);
    give_mpfr(p, s.y, true);
    mpfr_clear(y);
    stage_close(&s);
}

/* x less a little, for where f(x) = x (1 - d) with d < 2^-BITS. */
static void give_less(bndi_oracle_problem *p, const bndi_oracle_number *x)
{
    mpz_mul_2exp(p->a, x->numerator, 2 * BITS);
    mpz_sub_ui(p->a, p->a, 1);
    bndi_oracle_set_dyadic(&p->exact, x->negative, p->a, x->scale - 2 * BITS);
}

static void sigmoid(mpfr_t out, const mpfr_t x)
{
    mpfr_neg(out, x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

/* x erfc(-x / sqrt 2) / 2; erfc's relative condition is about x^2, and x^2 < 2^20 or the answer is FAR away. */
static void gelu(mpfr_t out, const mpfr_t x)
{
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(out));
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(root, x, root, MPFR_RNDN);
    mpfr_neg(root, root, MPFR_RNDN);
    mpfr_erfc(out, root, MPFR_RNDN);
    mpfr_mul(out, out, x, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_clear(root);
}

/* x / (1 + e^-2w), 2w = sqrt(8 / pi) (x + 0.044715 x^3); |2w| < 2^20 or the answer is FAR away. */
static void gelu_tanh(mpfr_t out, const mpfr_t x)
{
    mpfr_t w;
    mpfr_init2(w, mpfr_get_prec(out));
    mpfr_sqr(w, x, MPFR_RNDN);
    mpfr_mul_ui(w, w, 44715, MPFR_RNDN);
    mpfr_div_ui(w, w, 1000000, MPFR_RNDN);
    mpfr_add_ui(w, w, 1, MPFR_RNDN);
    mpfr_mul(w, w, x, MPFR_RNDN);
    mpfr_const_pi(out, MPFR_RNDN);
    mpfr_ui_div(out, 8, out, MPFR_RNDN);
    mpfr_sqrt(out, out, MPFR_RNDN);
    mpfr_mul(w, w, out, MPFR_RNDN);
    mpfr_neg(w, w, MPFR_RNDN);
    mpfr_exp(w, w, MPFR_RNDN);
    mpfr_add_ui(w, w, 1, MPFR_RNDN);
    mpfr_div(out, x, w, MPFR_RNDN);
    mpfr_clear(w);
}

/* From 1000 on, 1 - sigmoid x < 2^-1442. */
void bndi_oracle_sigmoid(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (x->kind == BND_ORACLE_INFINITE) {
        by_mpfr(p, mpfr_exp);
        if (!x->negative) {
            give_power(p, false, 0, false);
        }
    } else if (bndi_oracle_is_zero(x)) {
        give_power(p, false, -1, false);
    } else if (!x->negative && x->exponent >= 10) {
        give_power(p, false, 0, false);
        give_less(p, &p->exact);
    } else {
        composed(p, sigmoid);
    }
}

/* From 32 on, both forms are x (1 - d) with d < 2^-700; of minus infinity they are the limit. */
static void gated(bndi_oracle_problem *p, evaluation *f)
{
    const bndi_oracle_number *x = &p->x[0];
    if (x->kind == BND_ORACLE_INFINITE) {
        if (x->negative) {
            bndi_oracle_give_zero(p, true);
        } else {
            bndi_oracle_give_infinity(p, false);
        }
    } else if (bndi_oracle_is_zero(x)) {
        bndi_oracle_give_zero(p, x->negative);
    } else if (x->exponent >= 11 && x->negative) {
        give_power(p, true, -FAR, true);
    } else if (x->exponent >= 5 && !x->negative) {
        give_less(p, x);
    } else {
        composed(p, f);
    }
}

void bndi_oracle_gelu(bndi_oracle_problem *p)
{
    gated(p, gelu);
}

void bndi_oracle_gelu_tanh(bndi_oracle_problem *p)
{
    gated(p, gelu_tanh);
}
