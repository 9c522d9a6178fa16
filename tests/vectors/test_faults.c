/* Faults that units have, planted in units that are written here: casts in plain doubles, operations by the processor's
 * own arithmetic. Each must be named, and no line left over. */
#include "base/bits.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a cast from fp32 to e4m3 that saturates, with one fault ---- */

typedef enum planted {
    NO_FAULT,
    THROUGH_FP16,
    THROUGH_BF16,
    ONE_BIT,
    TWO_BITS,
    THREE_BITS,
    TIES_TO_ZERO,
    TIES_UP,
    NO_CARRY,
    HALF,
    TWICE,
    BIAS_OF_FNUZ,
    EARLY_OVERFLOW, /* to NaN, which is what the format has above 448 */
    NEXT_CODE,
    WRAPS,
    NO_SIGN,
    ZEROS_POSITIVE,
    NEVER_ZERO,
    NAN_ZERO,
    NAN_LARGEST,
    ZERO_BELOW,
    CUT_BELOW,
    AWAY_BELOW,
    SHIFTED_BELOW,
    PLANTED
} planted;

/* To a multiple of the unit by the processor, to nearest even. */
static double to_units(double x, double unit)
{
    return nearbyint(x / unit) * unit;
}

/* x has `bits` bits behind the leading one, and a least exponent. */
static double rounded_to(double x, int bits, int least)
{
    int e = x == 0 ? least : ilogb(x);
    return to_units(x, ldexp(1, (e < least ? least : e) - bits));
}

static double units_of(double n, planted fault, bool below)
{
    double down = floor(n), rest = n - down;
    if (fault == CUT_BELOW && below) {
        return down;
    }
    if (fault == AWAY_BELOW && below) {
        return rest >= 0.5 ? down + 1 : down;
    }
    if (fault >= ONE_BIT && fault <= THREE_BITS) {
        const double kept = ldexp(1, 1 + (int)(fault - ONE_BIT));
        n = floor(kept * n) / kept;
    }
    return nearbyint(n);
}

static bool ties_go_down(double n, planted fault, bool negative)
{
    return n - floor(n) == 0.5 && (fault == TIES_TO_ZERO || (fault == TIES_UP && negative));
}

static bool ties_go_up(double n, planted fault, bool negative)
{
    return n - floor(n) == 0.5 && fault == TIES_UP && !negative;
}

static uint64_t magnitude_of(double x, planted fault, bool negative)
{
    x = fault == HALF ? x / 2 : fault == TWICE ? 2 * x : x;
    x = fault == SHIFTED_BELOW && x < 0x1p-6 ? x / 2 : x;
    if (fault == THROUGH_FP16) {
        x = x >= 65520 ? INFINITY : rounded_to(x, 10, -14);
    }
    if (fault == THROUGH_BF16 && isfinite(x)) {
        x = rounded_to(x, 7, -126);
    }
    if (fault == NEXT_CODE && x > 464 && x < 496) {
        return 0x7f;
    }
    if (fault == WRAPS && x > 464 && isfinite(x)) {
        double rounded = rounded_to(x, 3, -6);
        int e = ilogb(rounded);
        return e <= 8 ? 0x7e : ((uint64_t)(e + 7) * 8 + (uint64_t)(rounded / ldexp(1, e - 3)) - 8) % 128;
    }
    if (x > (fault == EARLY_OVERFLOW ? 448 : 464)) {
        return fault == EARLY_OVERFLOW ? 0x7f : 0x7e;
    }
    if (fault == ZERO_BELOW && x < 0x1p-6) {
        return 0;
    }
    int e = x < 0x1p-6 ? -6 : ilogb(x);
    double n = x / ldexp(1, e - 3), whole = units_of(n, fault, x < 0x1p-6);
    whole = ties_go_down(n, fault, negative) ? floor(n) : ties_go_up(n, fault, negative) ? floor(n) + 1 : whole;
    uint64_t units = (uint64_t)whole, code = units + (uint64_t)(e + 6) * 8;
    if (fault == NO_CARRY && code >> 3 != ((uint64_t)n + (uint64_t)(e + 6) * 8) >> 3) {
        code -= 8;
    }
    code = code > 0x7e ? 0x7e : code; /* a tie at 464 that goes up */
    return fault == NEVER_ZERO && x > 0 && code == 0 ? 1 : code;
}

static uint64_t fnuz_of(double x, bool negative)
{
    if (x >= 248) {
        return negative ? 0xff : 0x7f;
    }
    int e = x < 0x1p-7 ? -7 : ilogb(x);
    uint64_t magnitude = (uint64_t)nearbyint(x / ldexp(1, e - 3)) + (uint64_t)(e + 7) * 8;
    return magnitude | (negative && magnitude != 0 ? 0x80 : 0);
}

static uint64_t cast(uint64_t word, planted fault)
{
    double x = (double)bndi_float_of_bits((uint32_t)word);
    bool negative = signbit(x) != 0;
    if (isnan(x)) {
        return fault == NAN_ZERO ? 0 : fault == NAN_LARGEST ? 0x7e : fault == BIAS_OF_FNUZ ? 0x80 : 0x7f;
    }
    if (fault == BIAS_OF_FNUZ) {
        return fnuz_of(fabs(x), negative);
    }
    uint64_t code = magnitude_of(fabs(x), fault, negative);
    bool dropped = fault == NO_SIGN || (fault == ZEROS_POSITIVE && code == 0);
    return code | (negative && !dropped ? 0x80 : 0);
}

/* ---- operations of fp32, and a sum of three products ---- */

static float fl(uint64_t code)
{
    return bndi_float_of_bits((uint32_t)code);
}

static uint64_t product_rounded(const uint64_t *x)
{
    volatile float product = fl(x[0]) * fl(x[1]), sum = product + fl(x[2]);
    return bndi_bits_of_float(sum);
}

static uint64_t third_subtracted(const uint64_t *x)
{
    return bndi_bits_of_float(fmaf(fl(x[0]), fl(x[1]), -fl(x[2])));
}

static uint64_t nan_infinite(const uint64_t *x)
{
    volatile float difference = fl(x[0]) - fl(x[1]);
    return isnan(difference) ? 0x7f800000 : bndi_bits_of_float(difference);
}

static uint64_t zero_positive(const uint64_t *x)
{
    volatile float product = fl(x[0]) * fl(x[1]);
    return fl(x[0]) == 0 || fl(x[1]) == 0 ? bndi_bits_of_float(fabsf(product)) : bndi_bits_of_float(product);
}

static uint64_t by_reciprocal(const uint64_t *x)
{
    volatile float reciprocal = 1.0F / fl(x[1]), product = fl(x[0]) * reciprocal;
    return bndi_bits_of_float(product);
}

static uint64_t other_order(const uint64_t *x)
{
    volatile float difference = fl(x[1]) - fl(x[0]);
    return bndi_bits_of_float(difference);
}

static uint64_t sums_fused(const uint64_t *x)
{
    volatile float sum = fl(x[0]) * fl(x[3]);
    sum = fmaf(fl(x[1]), fl(x[4]), sum);
    return bndi_bits_of_float(fmaf(fl(x[2]), fl(x[5]), sum));
}

static uint64_t sums_rounded(const uint64_t *x)
{
    volatile float a = fl(x[0]) * fl(x[3]), b = fl(x[1]) * fl(x[4]), c = fl(x[2]) * fl(x[5]), sum = a + b;
    sum = sum + c;
    return bndi_bits_of_float(sum);
}

/* ---- the comparison ---- */

static bnd_vector_check *checked(const bnd_vectors *v, uint64_t (*unit)(const uint64_t *x), planted fault, uint64_t n)
{
    bnd_vector_check *check = NULL;
    bnd_vector_plan plan;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_plan_open(&plan, v, BND_VECTOR_LEVEL_SAMPLE, 9, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, v, (bnd_vector_options){.any_nan = true}, NULL), BND_OK);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t operands[BND_VECTOR_OPERANDS_MAX], random;
        bnd_result want;
        bool agrees;
        bnd_vector_case(operands, &random, &plan, i);
        bnd_vector_line line = {.operands = operands, .code = unit != NULL ? unit(operands) : cast(operands[0], fault)};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
    }
    bnd_vector_plan_close(&plan);
    return check;
}

/* Is a fault whose name begins so among those that leave no line over? */
static bool is_named(const bnd_vector_check *check, const char *name)
{
    bnd_vector_fault found[8];
    size_t count = bnd_vector_check_faults(found, 8, check);
    for (size_t i = 0; i < count && found[i].left_over == 0; i++) {
        if (strncmp(found[i].what, name, strlen(name)) == 0) {
            return true;
        }
    }
    printf("\n  not named: %s; best: %s (%llu of %llu)\n", name, count > 0 ? found[0].what : "none",
           count > 0 ? (unsigned long long)found[0].left_over : 0,
           (unsigned long long)bnd_vector_check_coverage(check)->wrong_codes);
    return false;
}

static void faults_of_casts(void)
{
    static const char *const names[PLANTED] = {
        [THROUGH_FP16] = "rounds twice: first to fp16",
        [THROUGH_BF16] = "rounds twice: first to bf16",
        [ONE_BIT] = "looks at one bit",
        [TWO_BITS] = "looks at two bits",
        [THREE_BITS] = "looks at three bits",
        [TIES_TO_ZERO] = "rounds ties toward zero",
        [TIES_UP] = "rounds ties toward plus",
        [NO_CARRY] = "loses the carry",
        [HALF] = "gives half",
        [TWICE] = "gives twice",
        [BIAS_OF_FNUZ] = "gives codes of e4m3fnuz",
        [EARLY_OVERFLOW] = "overflows before rounding",
        [NEXT_CODE] = "takes the code after",
        [WRAPS] = "lets exponents",
        [NO_SIGN] = "drops the sign",
        [ZEROS_POSITIVE] = "gives +0 for every",
        [NEVER_ZERO] = "gives the smallest number",
        [NAN_ZERO] = "gives zero for NaN",
        [NAN_LARGEST] = "gives the largest number for NaN",
        [ZERO_BELOW] = "gives zero for every number below",
        [CUT_BELOW] = "truncates below",
        [AWAY_BELOW] = "rounds ties away from zero below",
        [SHIFTED_BELOW] = "shifts subnormal results",
    };
    for (planted fault = NO_FAULT; fault < PLANTED; fault++) {
        const bool to_nan = fault == EARLY_OVERFLOW;
        const bnd_rule rule = {.overflow = (uint8_t)(to_nan ? BND_OVERFLOW_FORMAT : BND_OVERFLOW_SATURATE)};
        bnd_vectors v = vectors_described("convert", "fp32", "e4m3", rule);
        bnd_vector_fault found;
        bnd_vector_check *check = checked(&v, NULL, fault, 40000);
        if (fault == NO_FAULT) {
            CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->wrong_codes, 0);
            CU_ASSERT_EQUAL(bnd_vector_check_faults(&found, 1, check), 0);
        } else {
            CU_ASSERT_TRUE(is_named(check, names[fault]));
        }
        bnd_vector_check_free(check);
    }
}

static void faults_of_operations(void)
{
    static const struct {
        const char *operation, *name;
        uint64_t (*unit)(const uint64_t *x);
    } rows[] = {{"fma", "rounds the product before", product_rounded},
                {"fma", "subtracts the third", third_subtracted},
                {"div", "multiplies by the rounded", by_reciprocal},
                {"sub", "takes the operands in the other", other_order},
                {"sub", "gives infinity for NaN", nan_infinite},
                {"mul", "gives +0 for exact", zero_positive},
                {"dot:3", "rounds after each multiply-add", sums_fused},
                {"dot:3", "rounds each product and each sum", sums_rounded}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_vectors v = vectors_described(rows[i].operation, "fp32", "fp32", (bnd_rule){0});
        bnd_vector_check *check = checked(&v, rows[i].unit, NO_FAULT, 20000);
        CU_ASSERT_TRUE(bnd_vector_check_coverage(check)->wrong_codes > 100);
        CU_ASSERT_TRUE(is_named(check, rows[i].name));
        bnd_vector_check_free(check);
    }
}

/* Answers by a rule are named by that rule; a fault that explains less than half of the wrong codes is not named. */
static void none_without_a_reason(void)
{
    bnd_vectors v = vectors_described("convert", "fp32", "e4m3", (bnd_rule){.overflow = BND_OVERFLOW_SATURATE});
    bnd_vector_check *check = NULL;
    bnd_vector_fault found;
    uint64_t operand = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_vector_check_new(&check, &v, (bnd_vector_options){.any_nan = true}, NULL), BND_OK);
    for (uint64_t i = 0; i < 3000; i++) {
        bnd_result want;
        bool agrees;
        operand = 0x3f800000 + 0x1357 * i;
        bnd_vector_line line = {.operands = &operand, .code = cast(operand, NO_FAULT) ^ (i % 3 == 0 ? 0x2a : 0)};
        CU_ASSERT_EQUAL_FATAL(bnd_vector_check_line(&agrees, &want, check, &line, NULL), BND_OK);
    }
    CU_ASSERT_EQUAL(bnd_vector_check_coverage(check)->wrong_codes, 1000);
    CU_ASSERT_EQUAL(bnd_vector_check_faults(&found, 1, check), 0);
    bnd_vector_check_free(check);
    v = vectors_described("convert", "fp32", "e4m3", (bnd_rule){.rounding = BND_ROUND_SR, .random_bits = 8});
    check = checked(&v, NULL, HALF, 100); /* random bits: no fault is tried */
    CU_ASSERT_EQUAL(bnd_vector_check_faults(&found, 1, check), 0);
    bnd_vector_check_free(check);
}

CU_TestInfo fault_tests[] = {{"of casts", faults_of_casts},
                             {"of operations", faults_of_operations},
                             {"none without a reason", none_without_a_reason},
                             CU_TEST_INFO_NULL};
