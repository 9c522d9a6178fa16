/* What the short ways of arith/quick_template.h stand on: the table of roots, and terms of a sum at every distance,
 * where the way of moving them changes. The judge of the sums is bnd_operate, the definition, which other tests hold
 * against MPFR. */
#include "arith/quick_shared.h"
#include "driver.h"
#include "tests.h"

static void test_table_of_roots(void)
{
    int wrong = 0;
    for (uint64_t i = 0; i < sizeof bndi_roots / sizeof bndi_roots[0]; i++) {
        uint64_t root = bndi_roots[i] - 34, square = (32 + i) << 35; /* (1 + i / 32) 2^40 */
        wrong += root * root > square || (root + 1) * (root + 1) <= square;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Squares and their neighbours: all of 15 bits, every 65,521st of 31. */
static void test_roots(void)
{
    int wrong = 0;
    for (uint64_t root = 1 << 14; root < 1 << 15; root++) {
        uint64_t square = root * root;
        wrong += bndi_root_of_28(square) != root || bndi_root_of_28(square + 2 * root) != root;
        wrong += square > UINT64_C(1) << 28 && bndi_root_of_28(square - 1) != root - 1;
    }
    for (uint64_t root = 1 << 30; root < UINT64_C(1) << 31; root += 65521) {
        uint64_t square = root * root;
        wrong += bndi_root_of_60(square) != root || bndi_root_of_60(square + 2 * root) != root;
        wrong += square > UINT64_C(1) << 60 && bndi_root_of_60(square - 1) != root - 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* A number near the middle of the format's range: fractions at the ends, near them, and others. */
static uint64_t code_at(const bnd_format *f, int exponent, unsigned choice)
{
    uint64_t last = (UINT64_C(1) << f->fraction_bits) - 1;
    uint64_t fractions[] = {0, last, 1, last - 1, last >> 1, bnd_random(72, 1, choice) & last};
    uint64_t sign = (choice & 1) != 0 ? UINT64_C(1) << (f->width - 1) : 0;
    return sign | (uint64_t)(f->bias + exponent) << f->fraction_bits | (fractions[choice / 2 % 6] & last);
}

static int compare_at(const bnd_format *f, int distance, unsigned choice)
{
    const bnd_format *from[] = {f, f, f};
    uint64_t random = bnd_random(72, 2, choice * 512 + (unsigned)(distance + 256));
    uint64_t codes[] = {code_at(f, 0, choice), code_at(f, distance, (unsigned)(random & 1023)),
                        code_at(f, distance, (unsigned)(random >> 10 & 1023))};
    bnd_rule rule = {.rounding = (uint8_t)((random >> 20) % BND_ROUND_DETERMINISTIC_COUNT)};
    int wrong = 0;
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_FMA};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (operations[i] == BND_OP_FMA) {
            codes[1] = code_at(f, 0, (unsigned)(random & 1023));
        }
        bnd_result got = bndi_call_operation(f, operations[i], codes, rule, 0);
        bnd_result want = bnd_operate(f, operations[i], from, codes, rule, 0);
        if (!bndi_same_result(got, want)) {
            print_call(operations[i], from, codes, f, rule, 0);
            print_results(got, want);
            wrong++;
        }
    }
    return wrong;
}

/* 29 bits of precision are the most in words of 64 bits. */
static void test_distances(void)
{
    static const char *const names[] = {"e9m1", "fp16", "bf16", "fp32", "e9m28", "e9m29", "fp64", "e3m52"};
    enum { CHOICES = 600 };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = format_named(names[i]);
        int wrong = 0, farthest = f.emax < 140 ? f.emax : 140;
        for (int distance = -farthest + 1; distance < farthest && wrong < 10; distance++) {
            for (unsigned choice = 0; choice < CHOICES; choice++) {
                wrong += compare_at(&f, distance, choice);
            }
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

CU_TestInfo quick_tests[] = {
    {"the table of roots", test_table_of_roots},
    {"roots", test_roots},
    {"terms at every distance", test_distances},
    CU_TEST_INFO_NULL,
};
