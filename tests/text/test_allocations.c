/* What reading and writing allocate, and what happens where there is no memory: a status, and outputs as they were. */
#include "tests.h"

#include "tests/support/allocations.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(BND_WITH_WRAP)

/* ---- formats with codes ---- */

/* Reads the exact decimal of a midpoint and what is next to it, and writes the number below it in every way. */
static uint64_t read_and_write(const bnd_format *f, uint64_t magnitude)
{
    static char out[40000];
    uint64_t wrong = 0;
    mpz_t significand;
    mpz_init(significand);
    int64_t exponent;
    if (midpoint_above(significand, &exponent, f, magnitude)) {
        for (move how = STAY; how < MOVES; how++) {
            char *text = decimal_of_dyadic(false, significand, exponent, how);
            bnd_result read = {0}, again = {0};
            uint64_t asked = allocations_asked();
            allocations_fail(0, true);
            bnd_status status = bnd_parse(&read, f, text, (bnd_rule){0}, 0, NULL);
            wrong += status != BND_OK || allocations_asked() != asked;
            allocations_fail(UINT64_MAX, false);
            bnd_exact exact = decimal_by_mpfr(text);
            again = bnd_encode_exact(f, exact, (bnd_rule){0}, 0);
            wrong += read.code != again.code || read.flags != again.flags || read.ternary != again.ternary;
            free(text);
        }
    }
    mpz_clear(significand);
    bnd_exact value = bnd_unpack(f, magnitude);
    uint64_t asked = allocations_asked();
    allocations_fail(0, true);
    wrong += bnd_print_exact(out, sizeof out, value, BND_NOTATION_AUTO) >= sizeof out;
    wrong += bnd_print_shortest(out, sizeof out, f, value) >= sizeof out;
    wrong += bnd_print_digits(out, sizeof out, value, 3000) >= sizeof out || strchr(out, 'x') != NULL;
    wrong += bnd_print_hex(out, sizeof out, value) >= sizeof out;
    wrong += allocations_asked() != asked;
    allocations_fail(UINT64_MAX, false);
    return wrong;
}

static void needs_no_memory_for_codes(void)
{
    static const char *const names[] = {"fp64", "bf16", "e4m3", "e15m48", "e15m48b32767", "e15m48b-32767", "e8m0"};
    uint64_t wrong = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        for (uint64_t i = 0; i < 3; i++) {
            wrong += read_and_write(&f, i) + read_and_write(&f, f.max_code - i);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- calls that allocate ---- */

typedef struct call_result {
    bnd_exact exact;
    double number;
    char out[64];
    size_t length;
} call_result;

typedef bnd_status (*call)(call_result *r, const char *text, bnd_error *why);

static const bnd_exact one = {.low = 1, .kind = BND_KIND_FINITE};

static bnd_status call_parse(call_result *r, const char *text, bnd_error *why)
{
    return bnd_parse_exact(&r->exact, text, why);
}

static bnd_status call_error(call_result *r, const char *text, bnd_error *why)
{
    return print_error_of_text(&r->length, r->out, sizeof r->out, one, text, strlen(text), BND_NOTATION_EXPONENT, why);
}

static bnd_status call_relative(call_result *r, const char *text, bnd_error *why)
{
    return relative_error_of_text(&r->number, one, text, strlen(text), why);
}

static bnd_status call_units(call_result *r, const char *text, bnd_error *why)
{
    return units_of_text(&r->number, one, text, strlen(text), one, why);
}

/* Each allocation of the call fails once. Returns how many there are. */
static uint64_t fail_each(call called, const char *text)
{
    call_result untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    for (uint64_t after = 0;; after++) {
        call_result r = untouched;
        bnd_error why = {0};
        int64_t living = allocations_living();
        uint64_t asked = allocations_asked();
        allocations_fail(after, false);
        bnd_status status = called(&r, text, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_EQUAL(allocations_living(), living);
        if (allocations_asked() - asked <= after) {
            CU_ASSERT_EQUAL(status, BND_OK);
            return after;
        }
        CU_ASSERT_EQUAL(status, BND_NO_MEMORY);
        CU_ASSERT_EQUAL(why.status, BND_NO_MEMORY);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "no memory for"));
        CU_ASSERT_EQUAL(memcmp(&r, &untouched, sizeof r), 0);
    }
}

static void says_that_there_is_no_memory(void)
{
    mpz_t number;
    mpz_init_set_ui(number, 1);
    char *far = decimal_of_dyadic(false, number, -60000, STAY), *long_number = malloc(6001);
    CU_ASSERT_PTR_NOT_NULL_FATAL(long_number);
    memset(long_number, '7', 6000);
    long_number[1] = '.';
    long_number[6000] = '\0';
    CU_ASSERT_EQUAL(fail_each(call_parse, far), 1);
    CU_ASSERT_EQUAL(fail_each(call_error, long_number), 1);
    CU_ASSERT_EQUAL(fail_each(call_relative, long_number), 1);
    CU_ASSERT_EQUAL(fail_each(call_units, long_number), 1);
    CU_ASSERT_EQUAL(fail_each(call_parse, long_number), 0);
    CU_ASSERT_EQUAL(fail_each(call_error, "0.1"), 0);
    CU_ASSERT_EQUAL(fail_each(call_relative, "1e-320"), 0);
    CU_ASSERT_EQUAL(fail_each(call_units, "1e308"), 0);
    free(long_number);
    free(far);
    mpz_clear(number);
}

/* Are the `count` digits of `out` those that MPFR writes? None of them is a zero at the end here. */
static bool are_digits_of(const char *out, bnd_exact value, size_t count)
{
    MPFR_DECL_INIT(x, 64);
    mpfr_set_ui_2exp(x, (unsigned long)value.low, value.exponent, MPFR_RNDN);
    mpfr_exp_t point;
    char *digits = mpfr_get_str(NULL, &point, 10, count, x, MPFR_RNDN), exponent[32];
    snprintf(exponent, sizeof exponent, "e%ld", (long)point - 1);
    bool same = out[0] == digits[0] && out[1] == '.' && strncmp(out + 2, digits + 1, count - 1) == 0 &&
                strcmp(out + count + 1, exponent) == 0;
    mpfr_free_str(digits);
    mpfr_free_cache();
    return same;
}

/* Many digits of a number far out, which only value sets have, are written in hexadecimal then. */
static void writes_hexadecimal_without_memory(void)
{
    static char out[60000];
    bnd_exact far = {.low = 3, .exponent = -400000, .kind = BND_KIND_FINITE};
    bnd_print_digits(out, sizeof out, far, 39999);
    CU_ASSERT(are_digits_of(out, far, 39999));
    allocations_fail(0, true);
    bnd_print_digits(out, sizeof out, far, 39999);
    CU_ASSERT_STRING_EQUAL(out, "0x1.8p-399999");
    bnd_print_digits(out, sizeof out, far, 20);
    allocations_fail(UINT64_MAX, false);
    CU_ASSERT(are_digits_of(out, far, 20));
}

CU_TestInfo allocation_tests[] = {
    {"formats with codes need no memory", needs_no_memory_for_codes},
    {"each allocation fails once", says_that_there_is_no_memory},
    {"hexadecimal without memory", writes_hexadecimal_without_memory},
    CU_TEST_INFO_NULL,
};

#else

CU_TestInfo allocation_tests[] = {ALLOCATIONS_SKIPPED, CU_TEST_INFO_NULL};

#endif
