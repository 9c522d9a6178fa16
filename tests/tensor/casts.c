#include "casts.h"

#include <math.h>
#include <string.h>

void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double share = (double)below(1u << 24, seed, i) * 0x1p-24;
        x[i] = (float)ldexp(share - 0.5, (int)below(24, seed + 1, i) - 20);
    }
}

bnd_tensor *tensor(bnd_engine *engine, const char *format, const float *x, size_t rows, size_t columns, bnd_role role)
{
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format f = format_named(format);
    must(bnd_tensor_from_f32(&t, engine, &f, x, (size_t[]){rows, columns}, 2, role, &why), &why);
    return t;
}

bnd_tensor *map(bnd_tensor_operation operation, bnd_tensor *x)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    must(bnd_tensor_map(&y, operation, x, &why), &why);
    return y;
}

bnd_tensor *pair(bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b)
{
    bnd_tensor *y = NULL;
    bnd_error why;
    must(bnd_tensor_pair(&y, operation, a, b, &why), &why);
    return y;
}

void numbers_of(float *x, size_t n, const bnd_tensor *t)
{
    bnd_error why;
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    must(bnd_tensor_read_f32(x, n, t, &why), &why);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

bool same_statistics(const bnd_stats *got, const bnd_stats *want)
{
    return got->elements == want->elements && got->exact == want->exact && got->inexact == want->inexact &&
           got->underflows == want->underflows && got->to_zero == want->to_zero && got->overflows == want->overflows &&
           got->saturated == want->saturated && got->infinities_in == want->infinities_in &&
           got->nans_in == want->nans_in && got->nans_out == want->nans_out && got->compared == want->compared &&
           got->largest == want->largest && got->smallest == want->smallest &&
           memcmp(got->exponents, want->exponents, sizeof got->exponents) == 0 &&
           near(got->squared_error, want->squared_error) && near(got->squared_input, want->squared_input) &&
           near(got->clamped_error, want->clamped_error);
}
