/* MPFR and integers, where both have an answer: the same choice, the same ternary value, the same tininess. */
#include <stdio.h>

#include "tests/support/operands.h"
#include "tests.h"

typedef struct pair {
    bndi_oracle_number x;
    bndi_oracle_work work;
    uint64_t compared, different;
} pair;

static void open_pair(pair *p)
{
    p->compared = 0;
    p->different = 0;
    bndi_oracle_number_open(&p->x);
    bndi_oracle_work_open(&p->work);
}

static void close_pair(pair *p)
{
    bndi_oracle_number_close(&p->x);
    bndi_oracle_work_close(&p->work);
    CU_ASSERT(p->compared > 0);
    CU_ASSERT_EQUAL(p->different, 0);
}

static bool same_answer(const bndi_oracle_answer *a, const bndi_oracle_answer *b)
{
    bndi_oracle_value u = a->value, v = b->value;
    /* One value, two ways to write it: 3 * 2^4, 6 * 2^3. */
    while (u.significand != 0 && u.significand % 2 == 0) {
        u.significand /= 2;
        u.quantum++;
    }
    while (v.significand != 0 && v.significand % 2 == 0) {
        v.significand /= 2;
        v.quantum++;
    }
    bool same_value = u.kind == v.kind && u.negative == v.negative && u.significand == v.significand &&
                      (u.significand == 0 || u.kind != BND_ORACLE_FINITE || u.quantum == v.quantum);
    return same_value && a->result.code == b->result.code && a->result.flags == b->result.flags &&
           a->result.ternary == b->result.ternary;
}

/* In the four modes that MPFR has, and both rules of tininess. */
static void compare(pair *p, const bnd_format *f)
{
    static const bnd_rounding modes[] = {BND_ROUND_RNE, BND_ROUND_RTZ, BND_ROUND_RUP, BND_ROUND_RDN};
    for (size_t i = 0; i < 8; i++) {
        bnd_rule rule = {.rounding = (uint8_t)modes[i / 2], .tiny_before = i % 2 != 0};
        bndi_oracle_answer one, other;
        bndi_oracle_apply_rule(&one, &p->work, f, &p->x, rule, 0, BNDI_ORACLE_EITHER);
        bndi_oracle_apply_rule(&other, &p->work, f, &p->x, rule, 0, BNDI_ORACLE_INTEGERS);
        p->compared++;
        if (!same_answer(&one, &other) && p->different++ < 5) {
            gmp_printf("%s %s: %s%Zd/%Zd * 2^%ld: MPFR 0x%lx flags %u ternary %d, integers 0x%lx flags %u ternary %d\n",
                       f->name, bnd_rounding_name(modes[i / 2]), p->x.negative ? "-" : "", p->x.numerator,
                       p->x.denominator, (long)p->x.scale, (unsigned long)one.result.code, (unsigned)one.result.flags,
                       (int)one.result.ternary, (unsigned long)other.result.code, (unsigned)other.result.flags,
                       (int)other.result.ternary);
        }
    }
}

static const char *const both_engines[] = {
    "fp64",        "fp32",
    "tf32",        "fp16",
    "bf16",        "e4m3",
    "e5m2",        "e4m3fnuz",
    "e3m4",        "e2m3",
    "e2m1",        "binary8p3se",
    "binary8p4uf", "binary11p2se",
    "e6m9",        "e5m10b12fn",
    "e1m3",        "e15m48",
    "e4m3b300",    "e4m3b-300",
    "p11",         "p11emin-14emax15",
    "p64",
};
enum { BOTH = sizeof both_engines / sizeof both_engines[0] };

static void test_doubles(void)
{
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < BOTH; i++) {
        bnd_format f = format_named(both_engines[i]);
        uint64_t count = scaled(20000);
        for (uint64_t k = 0; k < count; k++) {
            bndi_oracle_set_double(&p.x, stratified_double(&f, 100 + i, k));
            compare(&p, &f);
        }
    }
    close_pair(&p);
}

/* A midpoint or a value of the format, plus or minus a fraction that no binary number equals. */
static void set_near_code(pair *p, const bnd_format *f, mpq_t value, mpq_t offset, uint64_t random)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    uint64_t magnitude = (random >> 8) % (shape.max_code + 1);
    bndi_oracle_value low = bndi_oracle_grid_value(&shape, magnitude);
    bndi_oracle_value high = bndi_oracle_grid_value(&shape, magnitude + 1);
    bndi_oracle_get_rational(value, &low);
    bndi_oracle_get_rational(offset, &high);
    if (random & 1) {
        mpq_add(value, value, offset);
        mpq_div_2exp(value, value, 1);
    }
    mpq_set_ui(offset, 1, 3);
    mpq_div_2exp(offset, offset, 40 + (random >> 2 & 127));
    mpq_mul(offset, offset, value);
    if (random & 2) {
        mpq_add(value, value, offset);
    } else {
        mpq_sub(value, value, offset);
    }
    if (random >> 63) {
        mpq_neg(value, value);
    }
    bndi_oracle_set_rational(&p->x, value);
}

static void test_rationals(void)
{
    pair p;
    mpq_t value, offset;
    mpq_inits(value, offset, (mpq_ptr)NULL);
    open_pair(&p);
    for (size_t i = 0; i < BOTH; i++) {
        bnd_format f = format_named(both_engines[i]);
        uint64_t count = f.width == 0 ? 0 : scaled(3000);
        for (uint64_t k = 0; k < count; k++) {
            set_near_code(&p, &f, value, offset, bnd_random(7, i, k));
            compare(&p, &f);
        }
    }
    close_pair(&p);
    mpq_clears(value, offset, (mpq_ptr)NULL);
}

/* MPFR has a range of exponents for each thread: the caller's must survive. */
static void test_mpfr_state(void)
{
    bnd_format f = format_named("fp16");
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(-77);
    mpfr_set_emax(99);
    mpfr_clear_flags();
    bnd_result r = bnd_oracle_encode(&f, 0x1p-300, (bnd_rule){.rounding = BND_ROUND_RUP}, 0);
    CU_ASSERT_EQUAL(r.code, 1);
    CU_ASSERT_EQUAL(mpfr_get_emin(), -77);
    CU_ASSERT_EQUAL(mpfr_get_emax(), 99);
    CU_ASSERT_EQUAL(mpfr_flags_save(), 0);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
}

CU_TestInfo engine_tests[] = {
    {"doubles", test_doubles},
    {"rationals", test_rationals},
    {"MPFR's exponent range", test_mpfr_state},
    CU_TEST_INFO_NULL,
};
