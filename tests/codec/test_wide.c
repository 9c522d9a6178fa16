/* Formats of more than 16 bits, custom formats and value sets on stratified operands: doubles, numbers of more bits
 * than a double has, decimals; in the deterministic modes and under any other rule. */
#include <math.h>
#include <stdio.h>

#include "tests/support/comparison.h"
#include "tests.h"

static void judge_doubles(comparison *b, const bnd_format *f, uint64_t seed, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double x = stratified_double(f, seed, i);
        judge_double_in_all_modes(b, f, x, (bnd_rule){.tiny_before = i % 3 == 0});
        judge_double(b, f, x, random_rule(bnd_random(seed, 4, i)), bnd_random(seed, 5, i));
    }
}

/* One of the format's values or midpoints, or near it, by less than a double could tell. Formats only. */
static void set_near_code(comparison *b, const bndi_oracle_shape *shape, uint64_t random, uint64_t more)
{
    bndi_oracle_value low = bndi_oracle_grid_value(shape, more % (shape->max_code + 1));
    mpz_t sum;
    mpz_init_set_ui(sum, low.significand);
    mpz_mul_2exp(sum, sum, 1);
    mpz_add_ui(sum, sum, random & 1);
    mpz_mul_2exp(sum, sum, 240);
    unsigned far = random >> 8 & 0xff; /* from the last bits of 128 to far beyond them, or nearer */
    mpz_set_ui(b->work.left, 1);
    mpz_mul_2exp(b->work.left, b->work.left, far % 240);
    if (random & 2 && mpz_sgn(sum) > 0) {
        mpz_sub(sum, sum, b->work.left);
    } else if (random & 4) {
        mpz_add(sum, sum, b->work.left);
    }
    bndi_oracle_set_dyadic(&b->x, random >> 63, sum, low.quantum - 241);
    mpz_clear(sum);
}

static void judge_near_codes(comparison *b, const bnd_format *f, uint64_t seed, uint64_t count)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    for (uint64_t i = 0; i < count; i++) {
        set_near_code(b, &shape, bnd_random(seed, 6, i), bnd_random(seed, 7, i));
        judge_number_in_all_modes(b, f, (bnd_rule){.tiny_before = i % 3 == 0});
        judge_number(b, f, random_rule(bnd_random(seed, 8, i)), bnd_random(seed, 9, i));
    }
}

/* digits * 10^power, the power within what a double or the format can say. */
static void set_decimal(comparison *b, uint64_t digits, uint64_t more, int power, mpq_t value)
{
    mpz_set_ui(mpq_numref(value), digits);
    mpz_mul_ui(mpq_numref(value), mpq_numref(value), 1 + (more & 0xffffff));
    mpz_ui_pow_ui(mpq_denref(value), 10, (unsigned long)(power < 0 ? -power : power));
    if (power > 0) {
        mpz_mul(mpq_numref(value), mpq_numref(value), mpq_denref(value));
        mpz_set_ui(mpq_denref(value), 1);
    }
    mpq_canonicalize(value);
    bndi_oracle_set_rational(&b->x, value);
    b->x.negative = more >> 63;
}

static void judge_decimals(comparison *b, const bnd_format *f, uint64_t seed, uint64_t count)
{
    mpq_t value;
    mpq_init(value);
    int reach = f->emax > 1024 || f->emax < 16 ? 330 : (int)(f->emax * 3 / 10) + 20;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t digits = bnd_random(seed, 10, i), more = bnd_random(seed, 11, i);
        int power = (int)(more >> 32 & 0xffff) % (2 * reach + 1) - reach - 10;
        set_decimal(b, digits >> (more >> 48 & 63), more, power, value);
        judge_number_in_all_modes(b, f, (bnd_rule){.tiny_before = i % 3 == 0});
        judge_number(b, f, random_rule(bnd_random(seed, 12, i)), bnd_random(seed, 13, i));
    }
    mpq_clear(value);
}

/* `count` operands in all. */
static void judge_format(comparison *b, const char *name, uint64_t seed, uint64_t count)
{
    bnd_format f = format_named(name);
    uint64_t others = f.width == 0 ? count / 8 : count / 4;
    judge_decimals(b, &f, seed, others);
    if (f.width > 0) {
        judge_near_codes(b, &f, seed, others);
        judge_doubles(b, &f, seed, count - 2 * others);
    } else {
        judge_doubles(b, &f, seed, count - others);
    }
}

static void run(const char *what, const char *const *names, size_t count, uint64_t operands)
{
    comparison b;
    comparison_open(&b, what);
    for (size_t i = 0; i < count; i++) {
        judge_format(&b, names[i], 1000 + i, scaled(operands));
    }
    comparison_close(&b);
}

static void test_wide(void)
{
    static const char *const names[] = {"fp32", "fp64", "tf32"};
    run("fp32 fp64 tf32", names, sizeof names / sizeof names[0], 200000);
}

static void test_custom(void)
{
    static const char *const names[] = {
        "e6m9",     "e5m10b12fn",    "e5m2nosub",   "e5m2none",     "e3m0",      "e15m48",
        "e1m3",     "e5m2nonenosub", "e4m3b-9",     "e4m3b300",     "e8m3b1100", "e4m0fnuz",
        "e4m0none", "e11m52b2000",   "e11m50fnuz",  "e2m1fnuz",     "e1m52fn",   "e7m8fnnosub",
        "e1m3fn",   "e1m3none",      "e15m8b32767", "e15m8b-32767", "e3m0nosub", "e5m10fnuznosub",
    };
    run("custom formats", names, sizeof names / sizeof names[0], 12000);
}

static void test_value_sets(void)
{
    static const char *const names[] = {
        "p11", "p11emin-14emax15",   "p1",        "p1emin-7emax8", "p24", "p53emin-1022emax1023", "p2emin-3emax3",
        "p64", "p64emin-100emax100", "p8emax127", "p8emin-126"};
    run("value sets", names, sizeof names / sizeof names[0], 12000);
}

/* Every row and every member of the family from 9 to 15 bits, under rules drawn at random. */
static void test_any_rule(void)
{
    comparison b;
    comparison_open(&b, "any rule");
    size_t rows = bnd_format_count(), all = rows + bnd_group_size("p3109-all");
    for (size_t i = 0; i < all; i++) {
        bnd_format f;
        (void)bnd_group_at(&f, i < rows ? "all" : "p3109-all", i < rows ? i : i - rows);
        uint64_t count = scaled(i < rows ? 20000 : 1000);
        for (uint64_t k = 0; k < count; k++) {
            double x = stratified_double(&f, 3000 + i, k);
            judge_double(&b, &f, x, random_rule(bnd_random(21, i, k)), bnd_random(22, i, k));
        }
    }
    comparison_close(&b);
}

/* No name makes them, but the fields can say it: no sign and no NaN. What was the NaN is the largest number. */
static bnd_format without_nan(const char *name)
{
    bnd_format f = format_named(name);
    bndi_oracle_shape shape;
    f.has_nan = false;
    f.high_nans = 0;
    f.nan_code = 0;
    bndi_oracle_describe(&shape, &f);
    f.max_code = shape.max_code;
    f.max_significand = shape.max.significand;
    f.max_quantum = (int32_t)shape.max.quantum;
    f.emax = (int32_t)bndi_oracle_exponent(&shape.max);
    return f;
}

static void test_unsigned_without_nan(void)
{
    static const char *const names[] = {"binary8p3uf", "e8m0", "binary6p1uf"};
    comparison b;
    comparison_open(&b, "unsigned without NaN");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = without_nan(names[i]);
        uint64_t count = scaled(20000);
        for (uint64_t k = 0; k < count; k++) {
            double x = stratified_double(&f, 5000 + i, k);
            judge_double(&b, &f, x, random_rule(bnd_random(23, i, k)), bnd_random(24, i, k));
        }
        judge_double(&b, &f, (double)-INFINITY, (bnd_rule){0}, 0);
        judge_double(&b, &f, -1.0, (bnd_rule){0}, 0);
    }
    comparison_close(&b);
}

CU_TestInfo wide_tests[] = {
    {"fp32, fp64, tf32", test_wide},
    {"custom formats", test_custom},
    {"value sets", test_value_sets},
    {"any rule", test_any_rule},
    {"unsigned without NaN", test_unsigned_without_nan},
    CU_TEST_INFO_NULL,
};
