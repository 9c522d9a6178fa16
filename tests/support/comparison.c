/* One comparison for everything, and what it prints when it fails. */
#include "tests/support/comparison.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 5 };

void comparison_open(comparison *b, const char *what)
{
    memset(b, 0, sizeof *b);
    b->what = what;
    bndi_oracle_number_open(&b->x);
    bndi_oracle_work_open(&b->work);
}

void comparison_close(comparison *b)
{
    bndi_oracle_number_close(&b->x);
    bndi_oracle_work_close(&b->work);
    if (b->different > 0) {
        printf("%s: %llu of %llu are different\n", b->what, (unsigned long long)b->different,
               (unsigned long long)b->compared);
    }
    CU_ASSERT(b->compared > 0);
    CU_ASSERT_EQUAL(b->different, 0);
}

bool comparison_note(comparison *b, bool same)
{
    b->compared++;
    b->different += !same;
    return !same && b->different <= SHOWN;
}

/* ---- what is printed ---- */

static void print_flags(uint32_t flags)
{
    for (uint32_t flag = 1; flag < BND_FLAG_ALL; flag <<= 1) {
        if (flags & flag) {
            printf(" %s", bnd_flag_name(flag));
        }
    }
}

static void print_result(const char *who, const bnd_result *r)
{
    printf("    %-6s code 0x%llx ternary %d", who, (unsigned long long)r->code, (int)r->ternary);
    print_flags(r->flags);
}

static void print_operand(const bndi_oracle_number *x)
{
    const char *sign = x->negative ? "-" : "";
    if (x->kind == BND_ORACLE_INFINITE) {
        printf("%sinf", sign);
    } else if (x->kind != BND_ORACLE_FINITE) {
        printf("%s%snan(0x%016llx)", sign, x->kind == BND_ORACLE_SIGNALING_NAN ? "s" : "",
               (unsigned long long)x->payload);
    } else if (mpz_cmp_ui(x->denominator, 1) == 0) {
        gmp_printf("%s0x%Zxp%+ld%s", sign, x->numerator, (long)x->scale, x->subnormal ? " (subnormal)" : "");
    } else {
        gmp_printf("%s%Zd/%Zd * 2^%ld", sign, x->numerator, x->denominator, (long)x->scale);
    }
}

static void print_question(const comparison *b, const bnd_format *f, bnd_rule rule, uint64_t random)
{
    printf("%s: %s %s overflow=%s nan=%s no_nan=%u negative=%u zero=%u ties=%u N=%u R=0x%llx%s%s%s: ", b->what, f->name,
           bnd_rounding_name(rule.rounding), bnd_overflow_name(rule.overflow), bnd_nan_name(rule.nan), rule.no_nan,
           rule.negative, rule.zero, rule.tie_rule, rule.random_bits, (unsigned long long)random,
           rule.flush_in ? " flush_in" : "",
           rule.flush_out == BND_FLUSH_TINY ? " flush_out tiny"
           : rule.flush_out                 ? " flush_out"
                                            : "",
           rule.tiny_before ? " tiny_before" : "");
    print_operand(&b->x);
    printf("\n");
}

static void print_exact(const bnd_exact *x)
{
    printf(" value kind %u %s0x%llx%016llx * 2^%d\n", x->kind, x->negative ? "-" : "", (unsigned long long)x->high,
           (unsigned long long)x->low, (int)x->exponent);
}

/* ---- comparing ---- */

bool same_as_oracle(const bnd_exact *got, const bndi_oracle_value *want)
{
    static const uint8_t kinds[] = {BND_KIND_FINITE, BND_KIND_INFINITE, BND_KIND_QUIET_NAN, BND_KIND_SIGNALING_NAN};
    bool zero = want->kind == BND_ORACLE_FINITE && want->significand == 0;
    if (got->kind != (zero ? BND_KIND_ZERO : kinds[want->kind]) || got->negative != want->negative || got->sticky) {
        return false;
    }
    if (zero || want->kind == BND_ORACLE_INFINITE) {
        return true;
    }
    if (want->kind != BND_ORACLE_FINITE) {
        return got->high == want->significand && got->low == 0;
    }
    uint64_t a = got->low, b = want->significand;
    int64_t p = got->exponent, q = want->quantum;
    if (a == 0 || got->high != 0) {
        return false;
    }
    for (; a % 2 == 0; a /= 2) {
        p++;
    }
    for (; b % 2 == 0; b /= 2) {
        q++;
    }
    return a == b && p == q;
}

/* `rounded` is NULL where the codec gave a code only. */
static void compare(comparison *b, const bnd_format *f, bnd_rule rule, uint64_t random, bnd_result got,
                    const bnd_rounded *rounded)
{
    bndi_oracle_answer want;
    bndi_oracle_apply_rule(&want, &b->work, f, &b->x, rule, random, BNDI_ORACLE_EITHER);
    bool same = got.code == want.result.code && got.flags == want.result.flags && got.ternary == want.result.ternary;
    if (rounded != NULL) {
        same = same && rounded->flags == got.flags && rounded->ternary == got.ternary &&
               same_as_oracle(&rounded->value, &want.value);
    }
    if (comparison_note(b, same)) {
        print_question(b, f, rule, random);
        print_result("codec", &got);
        if (rounded != NULL) {
            print_exact(&rounded->value);
        }
        printf("\n");
        print_result("oracle", &want.result);
        printf(" value kind %d %s0x%llx * 2^%lld\n", (int)want.value.kind, want.value.negative ? "-" : "",
               (unsigned long long)want.value.significand, (long long)want.value.quantum);
    }
}

void judge_double(comparison *b, const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    bndi_oracle_set_double(&b->x, x);
    bnd_result got = bnd_encode(f, x, rule, random);
    if (f->width > 0) {
        compare(b, f, rule, random, got, NULL);
    } else {
        compare(b, f, rule, random, got, NULL);
        b->x.subnormal = false; /* an exact value has no format that it could be subnormal in */
        bnd_rounded rounded = bnd_round_exact(f, bnd_exact_double(x), rule, random);
        compare(b, f, rule, random, (bnd_result){0, rounded.flags, rounded.ternary}, &rounded);
    }
}

void judge_float(comparison *b, const bnd_format *f, float x, bnd_rule rule, uint64_t random)
{
    bnd_format fp32 = format_named("fp32");
    uint32_t bits = bndi_bits_of_float(x);
    bndi_oracle_set_code(&b->x, &fp32, bits);
    compare(b, f, rule, random, bnd_encode_float(f, x, rule, random), NULL);
}

void judge_int64(comparison *b, const bnd_format *f, int64_t x, bnd_rule rule, uint64_t random)
{
    mpz_t magnitude;
    mpz_init_set_si(magnitude, x);
    mpz_abs(magnitude, magnitude);
    bndi_oracle_set_dyadic(&b->x, x < 0, magnitude, 0);
    mpz_clear(magnitude);
    compare(b, f, rule, random, bnd_encode_int64(f, x, rule, random), NULL);
}

void judge_uint64(comparison *b, const bnd_format *f, uint64_t x, bnd_rule rule, uint64_t random)
{
    mpz_t magnitude;
    mpz_init_set_ui(magnitude, x);
    bndi_oracle_set_dyadic(&b->x, false, magnitude, 0);
    mpz_clear(magnitude);
    compare(b, f, rule, random, bnd_encode_uint64(f, x, rule, random), NULL);
}

void judge_convert(comparison *b, const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule,
                   uint64_t random)
{
    bndi_oracle_set_code(&b->x, from, code);
    compare(b, to, rule, random, bnd_convert(to, from, code, rule, random), NULL);
}

static bnd_exact exact_of_finite(comparison *b)
{
    const bndi_oracle_number *x = &b->x;
    bnd_exact out = {.kind = BND_KIND_FINITE, .negative = x->negative, .exponent = (int32_t)(x->exponent - 127)};
    int64_t shift = x->scale - out.exponent;
    mpz_ptr quotient = b->work.quotient, rest = b->work.remainder;
    if (shift >= 0) {
        mpz_mul_2exp(rest, x->numerator, (mp_bitcnt_t)shift);
        mpz_fdiv_qr(quotient, rest, rest, x->denominator);
    } else {
        mpz_mul_2exp(rest, x->denominator, (mp_bitcnt_t)-shift);
        mpz_fdiv_qr(quotient, rest, x->numerator, rest);
    }
    out.sticky = mpz_sgn(rest) != 0;
    if (!out.sticky) {
        /* Where nothing follows, a number can be written with fewer bits; the codec must not mind. */
        mp_bitcnt_t zeros = mpz_scan1(quotient, 0) / 2;
        mpz_fdiv_q_2exp(quotient, quotient, zeros);
        out.exponent += (int32_t)zeros;
    }
    out.low = mpz_get_ui(quotient);
    mpz_fdiv_q_2exp(quotient, quotient, 64);
    out.high = mpz_get_ui(quotient);
    return out;
}

bnd_exact exact_of(comparison *b)
{
    static const uint8_t kinds[] = {BND_KIND_FINITE, BND_KIND_INFINITE, BND_KIND_QUIET_NAN, BND_KIND_SIGNALING_NAN};
    if (bndi_oracle_is_zero(&b->x)) {
        return (bnd_exact){.kind = BND_KIND_ZERO, .negative = b->x.negative};
    }
    if (b->x.kind == BND_ORACLE_FINITE) {
        return exact_of_finite(b);
    }
    return (bnd_exact){.kind = kinds[b->x.kind], .negative = b->x.negative, .high = b->x.payload};
}

void judge_number(comparison *b, const bnd_format *f, bnd_rule rule, uint64_t random)
{
    bnd_exact exact = exact_of(b);
    bnd_rounded rounded = bnd_round_exact(f, exact, rule, random);
    compare(b, f, rule, random, bnd_encode_exact(f, exact, rule, random), &rounded);
}

/* ---- rules and formats ---- */

void judge_double_in_all_modes(comparison *b, const bnd_format *f, double x, bnd_rule rule)
{
    for (uint8_t mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        rule.rounding = mode;
        judge_double(b, f, x, rule, 0);
    }
}

void judge_number_in_all_modes(comparison *b, const bnd_format *f, bnd_rule rule)
{
    for (uint8_t mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        rule.rounding = mode;
        judge_number(b, f, rule, 0);
    }
}

bnd_rule random_rule(uint64_t random)
{
    return (bnd_rule){
        .rounding = (uint8_t)((random & 0xff) % BND_ROUND_COUNT),
        .overflow = (uint8_t)((random >> 8 & 0xff) % BND_OVERFLOW_COUNT),
        .nan = (uint8_t)((random >> 16 & 0xff) % BND_NAN_COUNT),
        .no_nan = random >> 24 & 1,
        .negative = random >> 25 & 1,
        .zero = random >> 26 & 1,
        .tie_rule = (uint8_t)((random >> 32 & 0xff) % 3),
        .random_bits = (uint8_t)((random >> 40 & 0xff) % (BND_RANDOM_BITS_MAX + 1)),
        .flush_in = random >> 27 & 1,
        .flush_out = (uint8_t)((random >> 40) % 3),
        .tiny_before = random >> 29 & 1,
    };
}

size_t small_formats(bnd_format *out, unsigned row_width, unsigned family_width)
{
    size_t count = 0;
    for (size_t i = 0; i < bnd_format_count() + bnd_group_size("p3109-all"); i++) {
        bool row = i < bnd_format_count();
        bnd_format f;
        (void)bnd_group_at(&f, row ? "all" : "p3109-all", row ? i : i - bnd_format_count());
        if (f.width <= (row ? row_width : family_width)) {
            if (out != NULL) {
                out[count] = f;
            }
            count++;
        }
    }
    return count;
}
