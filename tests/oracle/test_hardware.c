/* The processor's own cast from double to float, in its four rounding modes, judges the oracle for fp32, code and
 * flags. */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests.h"

static const struct {
    bnd_rounding mode;
    int hardware;
} modes[] = {{BND_ROUND_RNE, FE_TONEAREST},
             {BND_ROUND_RTZ, FE_TOWARDZERO},
             {BND_ROUND_RUP, FE_UPWARD},
             {BND_ROUND_RDN, FE_DOWNWARD}};
enum { MODES = sizeof modes / sizeof modes[0] };

static uint32_t flags_of(int raised)
{
    return (raised & FE_INVALID ? BND_FLAG_INVALID : 0U) | (raised & FE_OVERFLOW ? BND_FLAG_OVERFLOW : 0U) |
           (raised & FE_UNDERFLOW ? BND_FLAG_UNDERFLOW : 0U) | (raised & FE_INEXACT ? BND_FLAG_INEXACT : 0U);
}

/* `volatile` keeps the cast where it stands, between the two calls. */
static uint32_t cast(double x, int mode, uint32_t *flags)
{
    volatile double operand = x;
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    volatile float rounded = (float)operand;
    int raised = fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    float result = rounded;
    uint32_t bits = bndi_bits_of_float(result);
    *flags = flags_of(raised);
    return bits;
}

/* Architectures differ on which of two rules they follow; both are a rule of ours. */
static bool hardware_is_tiny_before(void)
{
    uint32_t flags;
    cast(0x1.ffffffp-127, FE_TONEAREST, &flags);
    return (flags & BND_FLAG_UNDERFLOW) != 0;
}

static void test_casts(void)
{
    bnd_format fp32 = format_named("fp32");
    bool tiny_before = hardware_is_tiny_before();
    uint64_t count = scaled(200000);
    uint64_t different = 0;
    for (uint64_t i = 0; i < count; i++) {
        double x = stratified_double(&fp32, 3, i);
        for (size_t k = 0; k < MODES; k++) {
            bnd_rule rule = {.rounding = (uint8_t)modes[k].mode, .nan = BND_NAN_PROPAGATE, .tiny_before = tiny_before};
            uint32_t flags;
            uint32_t bits = cast(x, modes[k].hardware, &flags);
            bnd_result r = bnd_oracle_encode(&fp32, x, rule, 0);
            uint32_t shared = r.flags & (BND_FLAG_INVALID | BND_FLAG_OVERFLOW | BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT);
            if ((bits != r.code || flags != shared) && different++ < 5) {
                printf("%s %a: hardware 0x%08x flags %u, oracle 0x%08x flags %u\n", bnd_rounding_name(modes[k].mode), x,
                       (unsigned)bits, (unsigned)flags, (unsigned)r.code, (unsigned)shared);
            }
        }
    }
    CU_ASSERT_EQUAL(different, 0);
}

CU_TestInfo hardware_tests[] = {
    {"double to float", test_casts},
    CU_TEST_INFO_NULL,
};
