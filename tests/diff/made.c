/* Codes and scales, made without the library's rounding. */
#include "tests.h"

#include <math.h>
#include <string.h>

void make_base(float *x, size_t n, uint64_t seed)
{
    uint64_t state = seed * 2862933555777941757u + 3037000493u;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(state >> 40) / 16777216.0 - 0.5;
        }
        x[i] = to_bf16((float)(sum * 0.03));
    }
}

size_t scale_row(bndi_scale_kind of, const char *name)
{
    size_t r = 0;
    while (r < bndi_scale_rows() &&
           (bndi_scale_row_at(r)->of != of || strcmp(bndi_scale_row_at(r)->row.name, name) != 0)) {
        r++;
    }
    CU_ASSERT_FATAL(r < bndi_scale_rows());
    return r;
}

size_t quotient_row(const char *name)
{
    size_t r = 0;
    while (r < BNDI_QUOTIENTS && strcmp(bndi_quotient_row_at(r)->row.name, name) != 0) {
        r++;
    }
    CU_ASSERT_FATAL(r < BNDI_QUOTIENTS);
    return r;
}

/* The value of a magnitude of e4m3 (15 * 8 - 1 finite ones) or e2m1. */
static double value_of(unsigned code, bool e4m3)
{
    unsigned fraction_bits = e4m3 ? 3 : 1, exponent = code >> fraction_bits,
             fraction = code & ((1U << fraction_bits) - 1);
    int bias = e4m3 ? 7 : 1;
    double f = ldexp((double)fraction, -(int)fraction_bits);
    return exponent == 0 ? ldexp(f, 1 - bias) : ldexp(1 + f, (int)exponent - bias);
}

unsigned nearest_code(float q, const bnd_format *f, enum tie tie)
{
    const bool e4m3 = f->width == 8;
    const unsigned most = e4m3 ? 0x7e : 7, sign = signbit(q) ? (e4m3 ? 0x80 : 8) : 0;
    const double a = fabs((double)q);
    unsigned best = 0;
    for (unsigned c = 1; c <= most; c++) {
        double d = fabs(value_of(c, e4m3) - a), before = fabs(value_of(best, e4m3) - a);
        bool wins = d < before || (d == before && (tie == TIE_AWAY || (tie == TIE_EVEN && c % 2 == 0)));
        best = wins ? c : best;
    }
    return sign | best;
}
