/* A unit under test with two planted errors. It converts fp32 to e4m3, but rounds ties away from zero, not to even, and
 * takes code 0x7f (NaN) for the largest value, not 0x7e (448). It reads one code per line and answers each:
 *     binade vectors check --op convert --in fp32 --out e4m3 --overflow saturate --flags none -- unit */
#include <stdint.h>
#include <stdio.h>

static unsigned e4m3_of(uint32_t x)
{
    enum { BIAS = 7, LEAST_EXPONENT = -6, FRACTION = 3, MOST = 0x7f };
    const unsigned sign = x >> 24 & 0x80;
    const uint32_t field = x >> 23 & 0xff, fraction = x & 0x7fffff;
    const int exponent = (int)field - 127;
    if (exponent > BIAS + 1) {
        return sign | MOST;
    }
    const uint32_t significand = field == 0 ? fraction : fraction | 0x800000;
    const int below = exponent < LEAST_EXPONENT ? LEAST_EXPONENT - exponent : 0;
    const int dropped = 23 - FRACTION + below;
    if (dropped > 24) {
        return sign; /* below half of the least number */
    }
    const uint32_t kept = (significand + (UINT32_C(1) << (dropped - 1))) >> dropped;
    const uint32_t code = kept + (below > 0 ? 0 : (uint32_t)(exponent - LEAST_EXPONENT) << FRACTION);
    return sign | (code > MOST ? MOST : code);
}

int main(void)
{
    unsigned x;
    while (scanf("%x", &x) == 1) {
        printf("%02x\n", e4m3_of(x));
    }
    return 0;
}
