/* Midpoints between neighbours: itself, one unit of a double to either side, one far decimal digit to either side; in
 * every deterministic mode, with every policy that can matter there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/comparison.h"
#include "tests.h"

/* What is asked about one midpoint. */
typedef struct place {
    const bnd_format *f;
    bndi_oracle_shape shape;
    bool near_top;    /* above half of the largest number */
    bool near_bottom; /* up to twice the smallest normal number */
    bool nans;        /* with every policy that decides about NaNs */
} place;

typedef void asker(comparison *b, const place *p, bnd_rule rule, double x);

static void ask_double(comparison *b, const place *p, bnd_rule rule, double x)
{
    judge_double_in_all_modes(b, p->f, x, rule);
}

/* The operand is b->x already. */
static void ask_number(comparison *b, const place *p, bnd_rule rule, double x)
{
    (void)x;
    judge_number_in_all_modes(b, p->f, rule);
}

static void ask_at_the_top(comparison *b, const place *p, asker *ask, double x)
{
    for (uint8_t overflow = 0; overflow < BND_OVERFLOW_COUNT; overflow++) {
        for (uint8_t nan = 0; nan < (p->nans ? BND_NAN_COUNT : 1); nan++) {
            for (uint8_t no_nan = 0; no_nan < (p->nans ? 2 : 1); no_nan++) {
                ask(b, p, (bnd_rule){.overflow = overflow, .nan = nan, .no_nan = no_nan}, x);
            }
        }
    }
}

static void ask_everything(comparison *b, const place *p, asker *ask, double x)
{
    if (p->near_top) {
        ask_at_the_top(b, p, ask, x);
    } else {
        ask(b, p, (bnd_rule){0}, x);
    }
    if (p->near_bottom) {
        ask(b, p, (bnd_rule){.tiny_before = true}, x);
        ask(b, p, (bnd_rule){.flush_out = true}, x);
        ask(b, p, (bnd_rule){.flush_out = BND_FLUSH_TINY}, x);
        ask(b, p, (bnd_rule){.flush_out = BND_FLUSH_TINY, .tiny_before = true}, x);
        ask(b, p, (bnd_rule){.flush_in = true, .flush_out = true, .tiny_before = true}, x);
    }
    if (p->f->precision == 1) {
        ask(b, p, (bnd_rule){.tie_rule = BND_TIE_RULE_CODE}, x);
        ask(b, p, (bnd_rule){.tie_rule = BND_TIE_RULE_SIGNIFICAND}, x);
    }
    if (x < 0 && !p->f->is_signed) {
        ask(b, p, (bnd_rule){.negative = BND_NEGATIVE_MAGNITUDE}, x);
    }
}

/* b->x = x * (1 + direction * 10^-50): forty digits after those that a double has. */
static void set_far_digit(comparison *b, double x, int direction)
{
    mpz_t digits;
    bndi_oracle_set_double(&b->x, x);
    mpz_init(digits);
    mpz_ui_pow_ui(digits, 10, 50);
    mpz_set(b->x.denominator, digits);
    if (direction > 0) {
        mpz_add_ui(digits, digits, 1);
    } else {
        mpz_sub_ui(digits, digits, 1);
    }
    mpz_mul(b->x.numerator, b->x.numerator, digits);
    mpz_clear(digits);
    /* A midpoint is no power of two but below the least number, and there a step down changes the exponent. */
    if (direction < 0 && frexp(fabs(x), &(int){0}) == 0.5) {
        b->x.exponent--;
    }
}

static void ask_around(comparison *b, place *p, double middle)
{
    double outward = copysign((double)INFINITY, middle);
    ask_everything(b, p, ask_double, middle);
    ask_everything(b, p, ask_double, nextafter(middle, outward));
    ask_everything(b, p, ask_double, nextafter(middle, 0.0));
    set_far_digit(b, middle, 1);
    ask_everything(b, p, ask_number, middle);
    set_far_digit(b, middle, -1);
    ask_everything(b, p, ask_number, middle);
}

static double to_double(bndi_oracle_value value)
{
    return ldexp((double)value.significand, (int)value.quantum);
}

/* The midpoint above a magnitude; the one above max_code lies between it and where the next number would be. */
static void ask_midpoint(comparison *b, place *p, uint64_t magnitude, bool negative)
{
    double low = to_double(bndi_oracle_grid_value(&p->shape, magnitude));
    double high = to_double(bndi_oracle_grid_value(&p->shape, magnitude + 1));
    double middle = low / 2 + high / 2;
    double max = to_double(p->shape.max);
    p->near_top = middle > max / 2;
    p->nans = p->f->width <= 8 || magnitude + 8 > p->shape.max_code;
    p->near_bottom = middle < 2 * to_double(p->shape.normal);
    ask_around(b, p, negative ? -middle : middle);
}

/* Past every number: the value that would follow the largest, and what is far away. */
static void ask_beyond(comparison *b, place *p)
{
    double next = to_double(bndi_oracle_grid_value(&p->shape, p->shape.max_code + 1));
    const double far[] = {next,
                          nextafter(next, 0.0),
                          1.5 * next,
                          0x1p900,
                          (double)INFINITY,
                          (double)NAN,
                          bndi_double_of_bits(UINT64_C(0x7ff4000000000001))};
    p->near_top = true;
    p->nans = true;
    p->near_bottom = false;
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        ask_everything(b, p, ask_double, far[i]);
        ask_everything(b, p, ask_double, -far[i]);
    }
}

/* Around zero, below everything. */
static void ask_bottom(comparison *b, place *p)
{
    double least = to_double(p->shape.least);
    const double low[] = {0.0,       0x1p-1074, 0x1p-1030,  0x1p-1000, least / 4, nextafter(least / 2, 0.0),
                          least / 2, least,     1.5 * least};
    p->near_top = false;
    p->nans = false;
    p->near_bottom = true;
    for (size_t i = 0; i < sizeof low / sizeof low[0]; i++) {
        for (uint8_t zero = 0; zero < 2; zero++) {
            judge_double_in_all_modes(b, p->f, low[i], (bnd_rule){.zero = zero, .flush_in = true});
            judge_double_in_all_modes(b, p->f, -low[i], (bnd_rule){.zero = zero, .flush_in = true});
            judge_double_in_all_modes(b, p->f, -low[i], (bnd_rule){.zero = zero, .nan = BND_NAN_X86});
        }
        ask_everything(b, p, ask_double, low[i]);
        ask_everything(b, p, ask_double, -low[i]);
    }
}

static void test_up_to_8_bits(void)
{
    comparison b;
    comparison_open(&b, "midpoints up to 8 bits");
    size_t count = small_formats(NULL, 8, 8);
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    small_formats(formats, 8, 8);
    for (size_t i = 0; i < count; i++) {
        place p = {.f = &formats[i]};
        bndi_oracle_describe(&p.shape, p.f);
        for (uint64_t magnitude = 0; magnitude <= p.shape.max_code; magnitude += scaled_stride()) {
            ask_midpoint(&b, &p, magnitude, false);
            ask_midpoint(&b, &p, magnitude, true);
        }
        ask_beyond(&b, &p);
        ask_bottom(&b, &p);
    }
    free(formats);
    comparison_close(&b);
}

/* The lowest and the topmost thousand, and evenly spread ones between, each moved a little by chance. */
static uint64_t stratified_magnitude(uint64_t i, uint64_t count, uint64_t max_code)
{
    enum { END = 1000 };
    if (i < END) {
        return i;
    }
    if (i < 2 * END) {
        return max_code - (i - END);
    }
    uint64_t step = max_code / (count - 2 * END) + 1;
    uint64_t base = (i - 2 * END) * max_code / (count - 2 * END);
    return (base + bnd_random(5, 1, i) % step) % (max_code + 1);
}

static void test_16_bits(void)
{
    comparison b;
    comparison_open(&b, "midpoints of 16 bits");
    for (size_t i = 0; i < bnd_format_count(); i++) {
        bnd_format f = *bnd_format_at(i);
        if (f.width != 16) {
            continue;
        }
        place p = {.f = &f};
        bndi_oracle_describe(&p.shape, &f);
        enum { MIDPOINTS = 20000 };
        for (uint64_t k = 0; k < MIDPOINTS; k += scaled_stride()) {
            uint64_t magnitude = stratified_magnitude(k, MIDPOINTS, p.shape.max_code);
            ask_midpoint(&b, &p, magnitude, bnd_random(5, 2, k) & 1);
        }
        ask_beyond(&b, &p);
        ask_bottom(&b, &p);
    }
    comparison_close(&b);
}

CU_TestInfo midpoint_tests[] = {
    {"formats up to 8 bits", test_up_to_8_bits},
    {"formats of 16 bits", test_16_bits},
    CU_TEST_INFO_NULL,
};
