/* Values of expressions that need GMP and MPFR (1/3, pi) do not exist in the WebAssembly: expression.c refuses them. */
#include <binade-lab.h>

#include <math.h>

bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why)
{
    (void)value;
    (void)exact;
    (void)why;
    *out = NULL;
    return BND_OK;
}

void bnd_real_free(bnd_real *x)
{
    (void)x;
}

bnd_known bnd_real_known(const bnd_real *x)
{
    (void)x;
    return BND_KNOWN_NOT;
}

int bnd_real_sign(const bnd_real *x)
{
    (void)x;
    return 0;
}

double bnd_real_in_units(const bnd_real *x, bnd_exact unit)
{
    (void)x;
    (void)unit;
    return NAN;
}

double bnd_real_quotient(const bnd_real *x, const bnd_real *y)
{
    (void)x;
    (void)y;
    return NAN;
}

size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation)
{
    (void)x;
    (void)notation;
    if (size > 0) {
        out[0] = '\0';
    }
    return 0;
}

size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x)
{
    return bnd_print_real(out, size, x, BND_NOTATION_AUTO);
}
