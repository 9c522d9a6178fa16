/* Numbers of 256 bits against GMP's integers: what each operation may be wrong by is what wide.h says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith/wide.h"
#include "driver.h"
#include "tests.h"

/* Fractions that carry far, and others. */
static bndi_wide any_wide(uint64_t i, uint64_t purpose)
{
    bndi_wide x = {.exponent = 0};
    uint64_t choice = bnd_random(71, purpose, 8 * i);
    for (unsigned k = 0; k < BNDI_WIDE_WORDS; k++) {
        uint64_t kind = choice >> 8 * k & 7;
        x.word[k] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : bnd_random(71, purpose, 8 * i + 1 + k);
        x.word[k] &= kind == 2 ? UINT64_MAX << 60 : UINT64_MAX;
    }
    x.word[0] |= UINT64_C(1) << 63;
    uint64_t where = choice >> 40;
    x.exponent = (where & 1) != 0 ? (int64_t)(where >> 1 & 7) - 4 : (int64_t)(where >> 1 & 1023) - 512;
    x.negative = choice >> 63 != 0;
    return x;
}

static void set(mpz_t out, const bndi_wide *x)
{
    mpz_import(out, BNDI_WIDE_WORDS, 1, sizeof x->word[0], 0, 0, x->word);
    if (x->negative) {
        mpz_neg(out, out);
    }
}

typedef struct bigs {
    mpz_t a, b, got, want;
} bigs;

/* got * 2^exponent against want * 2^other: not further away than 2^-slack of the larger of want and 2^floor. */
static bool is_close(bigs *z, const bndi_wide *got, int64_t other, unsigned slack, int64_t floor)
{
    set(z->got, got);
    int64_t shift = bndi_wide_is_zero(got) ? 0 : got->exponent - other;
    if (shift >= 0) {
        mpz_mul_2exp(z->got, z->got, (mp_bitcnt_t)shift);
    } else {
        mpz_mul_2exp(z->want, z->want, (mp_bitcnt_t)-shift);
        other += shift;
    }
    mpz_sub(z->got, z->got, z->want);
    mpz_abs(z->got, z->got);
    mpz_mul_2exp(z->got, z->got, slack);
    mpz_abs(z->want, z->want);
    if (floor > other && (int64_t)mpz_sizeinbase(z->want, 2) < floor - other) {
        mpz_set_ui(z->want, 1);
        mpz_mul_2exp(z->want, z->want, (mp_bitcnt_t)(floor - other));
    }
    bool normal = got->word[0] >> 63 != 0 || bndi_wide_is_zero(got);
    return normal && mpz_cmp(z->got, z->want) <= 0;
}

static bool sum_is_right(bigs *z, const bndi_wide *a, const bndi_wide *b)
{
    bndi_wide out;
    bndi_wide_add(&out, a, b);
    int64_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
    int64_t larger = a->exponent > b->exponent ? bndi_wide_exponent(a) : bndi_wide_exponent(b);
    mpz_mul_2exp(z->want, z->a, (mp_bitcnt_t)(a->exponent - low));
    mpz_mul_2exp(z->got, z->b, (mp_bitcnt_t)(b->exponent - low));
    mpz_add(z->want, z->want, z->got);
    return is_close(z, &out, low, 254, larger);
}

static bool product_is_right(bigs *z, const bndi_wide *a, const bndi_wide *b)
{
    bndi_wide out;
    bndi_wide_multiply(&out, a, b);
    mpz_mul(z->want, z->a, z->b);
    return is_close(z, &out, a->exponent + b->exponent, 254, INT64_MIN);
}

static bool scaling_is_right(bigs *z, const bndi_wide *a, uint64_t word)
{
    bndi_wide out;
    bndi_wide_scale(&out, a, word);
    mpz_mul_ui(z->want, z->a, word);
    return is_close(z, &out, a->exponent, 254, INT64_MIN);
}

/* The quotient to 1024 places, which its own error does not reach. */
static bool quotient_is_right(bigs *z, const bndi_wide *a, uint64_t word)
{
    bndi_wide out;
    bndi_wide_divide(&out, a, word);
    mpz_mul_2exp(z->want, z->a, 1024);
    mpz_tdiv_q_ui(z->want, z->want, word);
    return is_close(z, &out, a->exponent - 1024, 254, INT64_MIN);
}

static bool reciprocal_is_right(bigs *z, const bndi_wide *a)
{
    bndi_wide out;
    bndi_wide_reciprocal(&out, a);
    mpz_set_ui(z->want, 1);
    mpz_mul_2exp(z->want, z->want, 1024);
    mpz_tdiv_q(z->want, z->want, z->a);
    return is_close(z, &out, -a->exponent - 1024, 248, INT64_MIN);
}

static void test_arithmetic(void)
{
    comparison b;
    comparison_open(&b, "256 bits");
    bigs z;
    mpz_inits(z.a, z.b, z.got, z.want, (mpz_ptr)NULL);
    uint64_t count = scaled(200000);
    for (uint64_t i = 0; i < count; i++) {
        bndi_wide x = any_wide(i, 1), y = any_wide(i, 2);
        if (i % 8 == 0) { /* nearly the same, and so nothing but the last places is left */
            memcpy(y.word, x.word, 3 * sizeof x.word[0]);
            y.exponent = x.exponent;
        }
        uint64_t word = bnd_random(71, 3, i) >> (i % 64) | 1;
        set(z.a, &x);
        set(z.b, &y);
        if (comparison_note(&b, sum_is_right(&z, &x, &y) && product_is_right(&z, &x, &y) &&
                                    scaling_is_right(&z, &x, word) && quotient_is_right(&z, &x, word) &&
                                    reciprocal_is_right(&z, &x))) {
            gmp_printf("%Zx 2^%ld, %Zx 2^%ld, %lx\n", z.a, (long)x.exponent, z.b, (long)y.exponent, (long)word);
        }
    }
    mpz_clears(z.a, z.b, z.got, z.want, (mpz_ptr)NULL);
    comparison_close(&b);
}

/* e^x against MPFR's 320 bits. */
static void test_exp(void)
{
    comparison b;
    comparison_open(&b, "e^x in 256 bits");
    mpfr_t x, want, got;
    mpz_t words;
    mpfr_inits2(320, x, want, got, (mpfr_ptr)NULL);
    mpz_init(words);
    uint64_t count = scaled(20000);
    for (uint64_t i = 0; i < count; i++) {
        bndi_wide in = any_wide(i, 4), out;
        int top = (int)(bnd_random(71, 5, i) % 100) - 70; /* of the leading bit: to 29 */
        in.exponent = top - 255;
        bndi_wide_exp(&out, &in);
        set(words, &in);
        mpfr_set_z_2exp(x, words, (mpfr_exp_t)in.exponent, MPFR_RNDN);
        mpfr_exp(want, x, MPFR_RNDN);
        set(words, &out);
        mpfr_set_z_2exp(got, words, (mpfr_exp_t)out.exponent, MPFR_RNDN);
        mpfr_sub(got, got, want, MPFR_RNDN);
        bool same = mpfr_zero_p(got) != 0 || mpfr_get_exp(got) < mpfr_get_exp(want) - (top < 12 ? 238 : 220);
        if (comparison_note(&b, same && out.word[0] >> 63 != 0)) {
            mpfr_printf("e^%Rg is wrong by %Rg\n", x, got);
        }
    }
    mpfr_clears(x, want, got, (mpfr_ptr)NULL);
    mpz_clear(words);
    comparison_close(&b);
}

/* What decides 128 bits: a one and a zero among the bits 129 to 210. */
static void test_decision(void)
{
    static const struct {
        uint64_t third, fourth;
        bool decided;
    } cases[] = {
        {0, 0, false},
        {0, (UINT64_C(1) << 46) - 1, false},
        {0, UINT64_C(1) << 46, true},
        {1, 0, true},
        {UINT64_MAX, UINT64_MAX, false},
        {UINT64_MAX, UINT64_MAX << 46, false},
        {UINT64_MAX, UINT64_MAX << 47, true},
        {UINT64_MAX << 1, UINT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bndi_wide x = {
            .word = {UINT64_C(1) << 63, 5, cases[i].third, cases[i].fourth}, .exponent = -255, .negative = true};
        bnd_exact out;
        CU_ASSERT_EQUAL(bndi_wide_decide(&out, &x), cases[i].decided);
        CU_ASSERT(out.kind == BND_KIND_FINITE && out.negative && out.sticky && out.exponent == -127);
        CU_ASSERT(out.high == x.word[0] && out.low == 5);
    }
}

CU_TestInfo wide_tests[] = {
    {"arithmetic", test_arithmetic},
    {"exp", test_exp},
    {"what is decided", test_decision},
    CU_TEST_INFO_NULL,
};
