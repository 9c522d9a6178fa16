/* The P3109 family: every width, every precision, signed and unsigned, extended and finite; limits by the standard's
 * own formulas, computed here a second time. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

typedef struct member {
    int width, precision;
    bool is_signed, extended;
} member;

/* The magnitude `code`: a trailing significand below a biased exponent, subnormal where that is 0. */
static void value_of(const member *m, int bias, uint64_t code, uint64_t *significand, int64_t *quantum)
{
    uint64_t one = UINT64_C(1) << (m->precision - 1);
    int64_t exponent = (int64_t)(code / one);
    *significand = code % one + (exponent > 0 ? one : 0);
    *quantum = (exponent > 0 ? exponent : 1) - bias - (m->precision - 1);
}

static bool has_limits(const bnd_format *f, const member *m)
{
    int bias = 1 << (m->is_signed ? m->width - m->precision - 1 : m->width - m->precision);
    uint64_t codes = UINT64_C(1) << (m->is_signed ? m->width - 1 : m->width); /* magnitudes */
    /* Signed: NaN has the code of -0. Unsigned: NaN is on top. Infinity is the largest that is left. */
    uint64_t max_code = codes - 1 - !m->is_signed - m->extended;
    uint64_t infinity = m->extended ? max_code + 1 : 0, nan = m->is_signed ? codes : codes - 1;
    uint64_t max, normal = UINT64_C(1) << (m->precision - 1);
    int64_t max_quantum, normal_quantum = 1 - bias - (m->precision - 1);
    value_of(m, bias, max_code, &max, &max_quantum);
    return f->width == m->width && f->precision == m->precision && f->fraction_bits == m->precision - 1 &&
           f->exponent_bits == m->width - m->precision + !m->is_signed && f->is_signed == m->is_signed &&
           f->bias == bias && f->has_zero && !f->has_negative_zero && f->has_subnormals && f->has_nan &&
           f->has_infinity == m->extended && f->max_code == max_code && f->infinity_code == infinity &&
           f->nan_code == nan && f->ties == BND_TIES_CODE && f->emin == 1 - bias &&
           same_number(f->max_significand, f->max_quantum, max, max_quantum) &&
           same_number(f->normal_significand, f->normal_quantum, normal, normal_quantum) &&
           same_number(f->least_significand, f->least_quantum, 1, normal_quantum);
}

static int wrong_member(member m)
{
    static const struct {
        const char *prefix;
        bool capitals;
    } spellings[] = {{"binary", false}, {"Binary", false}, {"BINARY", true}, {"p3109_k", false}, {"P3109_K", true}};
    char name[BND_FORMAT_NAME_SIZE];
    char sign = m.is_signed ? 's' : 'u', domain = m.extended ? 'e' : 'f';
    snprintf(name, sizeof name, "binary%dp%d%c%c", m.width, m.precision, sign, domain);
    int wrong = 0;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        char spelled[64];
        int up = spellings[i].capitals ? 'A' - 'a' : 0;
        snprintf(spelled, sizeof spelled, "%s%d%c%d%c%c", spellings[i].prefix, m.width, 'p' + up, m.precision,
                 sign + up, domain + up);
        bnd_format f = format_named(spelled);
        if (strcmp(f.name, name) != 0 || f.row != -1 || !has_limits(&f, &m)) {
            printf("'%s' (%s)\n", spelled, f.name);
            wrong++;
        }
    }
    return wrong;
}

static void test_every_member(void)
{
    int wrong = 0, count = 0;
    for (int width = 3; width <= 15; width++) {
        for (int which = 0; which < 4; which++) {
            bool is_signed = which < 2;
            for (int precision = 1; precision <= (is_signed ? width - 1 : width); precision++) {
                wrong += wrong_member((member){width, precision, is_signed, which % 2 == 0});
                count++;
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(count, 442);
}

static void test_outside_of_the_family(void)
{
    int wrong = 0;
    for (int width = 3; width <= 15; width++) {
        for (int which = 0; which < 4; which++) {
            char name[64], sign = which < 2 ? 's' : 'u', domain = which % 2 == 0 ? 'e' : 'f';
            int too_much = which < 2 ? width : width + 1;
            snprintf(name, sizeof name, "binary%dp%d%c%c", width, too_much, sign, domain);
            wrong += !is_refused(name, BND_BAD_SYNTAX);
            snprintf(name, sizeof name, "binary%dp0%c%c", width, sign, domain);
            wrong += !is_refused(name, BND_BAD_SYNTAX);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    static const char *const names[] = {"binary2p1se",
                                        "binary16p8se",
                                        "binary0p1ue",
                                        "binary1p1uf",
                                        "binary99p3ue",
                                        "p3109_k16p3se",
                                        "binary8p300se",
                                        "binary4294967304p3se",
                                        "binary16p8",
                                        "binary8p4294967299se",
                                        NULL};
    check_refused(names, BND_BAD_SYNTAX);
}

/* Before the standard's version 4 there were only signed, extended formats, and the name did not say so. */
static void test_old_spelling(void)
{
    CU_ASSERT_STRING_EQUAL(format_named("binary8p3").name, "binary8p3se");
    CU_ASSERT_STRING_EQUAL(format_named("Binary8P1").name, "binary8p1se");
    CU_ASSERT_STRING_EQUAL(format_named("p3109_k8p3se").name, "binary8p3se");
}

/* IEEE 754's names are not of this family. */
static void test_ieee_names(void)
{
    CU_ASSERT_STRING_EQUAL(format_named("binary16").name, "fp16");
    CU_ASSERT_STRING_EQUAL(format_named("binary32").name, "fp32");
    CU_ASSERT_STRING_EQUAL(format_named("binary64").name, "fp64");
}

CU_TestInfo p3109_tests[] = {
    {"every width, precision, sign and domain", test_every_member},
    {"precisions and widths that do not exist", test_outside_of_the_family},
    {"the old spelling", test_old_spelling},
    {"binary16 is IEEE's", test_ieee_names},
    CU_TEST_INFO_NULL,
};
